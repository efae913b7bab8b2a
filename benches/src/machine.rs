//! The machine on which figures were taken, so that only runs on one machine are compared.

use std::time::SystemTime;

use serde::Serialize;

/// The machine and program of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    /// Name of the processor.
    pub cpu: String,
    /// Cores that the program may use.
    pub cores: usize,
    /// Operating system and architecture.
    pub system: String,
    /// Time of the run, in UTC, as `2026-01-31T12:00:00Z`.
    pub date: String,
    /// Name of the build profile, as given on the command line.
    pub profile: String,
    /// Whether the program checks its own invariants, as dev builds do.
    pub debug_assertions: bool,
    /// The Vulkan device, for benches that use one.
    pub device: Option<String>,
    /// Its driver and version.
    pub driver: Option<String>,
}

impl Machine {
    /// This machine, now; a bench that uses a device adds it.
    pub fn here(profile: &str) -> Self {
        Self {
            cpu: cpu(),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            date: date(SystemTime::now()),
            profile: profile.to_owned(),
            debug_assertions: cfg!(debug_assertions),
            device: None,
            driver: None,
        }
    }
}

fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or("unknown", |(_, name)| name.trim()).to_owned()
}

/// A time as text; days are counted in years that begin in March, so that the leap day is a year's last.
fn date(time: SystemTime) -> String {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let days = seconds / 86400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates() {
        let at = |seconds| date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_798_761_599), "2026-12-31T23:59:59Z");
    }
}
