//! Taking samples in turns, and what is said about them: median, 10th and 90th percentile.

use std::time::{Duration, Instant};

use serde::Serialize;

/// The times of one contender, in the order they were taken.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    nanoseconds: Vec<f64>,
}

/// The summary of samples; times in microseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Summary {
    /// Half of the runs took at most this.
    pub median: f64,
    /// A tenth of the runs took at most this.
    pub p10: f64,
    /// Nine tenths of the runs took at most this.
    pub p90: f64,
    /// How far the medians of the odd and the even runs are apart, as a share of the median: differences below are noise.
    pub noise: f64,
    /// How many runs.
    pub runs: usize,
}

impl Samples {
    /// Adds a run.
    pub fn push(&mut self, time: Duration) {
        self.nanoseconds.push(time.as_nanos() as f64);
    }

    /// The figures to report, each run divided by `per`; zeros when there are no runs.
    pub fn summary(&self, per: usize) -> Summary {
        let scale = 1e-3 / per.max(1) as f64;
        let half = |first: usize| sorted(self.nanoseconds.iter().skip(first).step_by(2));
        let all = sorted(&self.nanoseconds);
        let median = percentile(&all, 0.5);
        let apart = (percentile(&half(0), 0.5) - percentile(&half(1), 0.5)).abs();
        Summary {
            median: median * scale,
            p10: percentile(&all, 0.1) * scale,
            p90: percentile(&all, 0.9) * scale,
            noise: if median > 0.0 { apart / median } else { 0.0 },
            runs: all.len(),
        }
    }
}

fn sorted<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.into_iter().copied().collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn percentile(sorted: &[f64], share: f64) -> f64 {
    let position = (sorted.len().saturating_sub(1)) as f64 * share;
    sorted.get(position.round() as usize).copied().unwrap_or(0.0)
}

/// How long `work` took; what it made is dropped after the clock stops.
///
/// # Errors
/// Those of `work`.
pub fn time<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<Duration, E> {
    let start = Instant::now();
    let made = std::hint::black_box(work());
    let time = start.elapsed();
    made.map(|_| time)
}

/// A contender: does its work once and says how long that took.
type Contender<'a, E> = &'a mut dyn FnMut() -> Result<Duration, E>;

/// Runs the contenders in turns, A B A B, `warmup` rounds unrecorded and `runs` recorded.
///
/// # Errors
/// The first that a contender has.
pub fn interleave<E>(contenders: &mut [Contender<'_, E>], warmup: usize, runs: usize) -> Result<Vec<Samples>, E> {
    let mut samples = vec![Samples::default(); contenders.len()];
    for round in 0..warmup + runs {
        for (contender, samples) in contenders.iter_mut().zip(&mut samples) {
            let time = contender()?;
            if round >= warmup {
                samples.push(time);
            }
        }
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_counts_per_item() {
        let mut samples = Samples::default();
        (1..=101).for_each(|time| samples.push(Duration::from_micros(time * 10)));
        let summary = samples.summary(10);
        assert_eq!((summary.median, summary.p10, summary.p90, summary.runs), (51.0, 11.0, 91.0, 101));
        assert!(summary.noise < 0.03);
    }

    #[test]
    fn contenders_take_turns() {
        let order = std::cell::RefCell::new(String::new());
        let turn = |name: char| {
            order.borrow_mut().push(name);
            Ok::<_, ()>(Duration::ZERO)
        };
        let samples = interleave(&mut [&mut || turn('a'), &mut || turn('b')], 1, 2).unwrap();
        assert_eq!(*order.borrow(), "ababab");
        assert_eq!(samples[1].summary(1).runs, 2);
    }

    #[test]
    fn no_runs_are_no_panic() {
        assert_eq!(Samples::default().summary(0).runs, 0);
    }
}
