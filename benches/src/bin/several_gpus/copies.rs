//! Copies from the first device to the second.

use std::path::PathBuf;

use gridwise_benches::{Error as BenchError, Figure, Goal, Summary, interleave, time};

#[cfg(unix)]
use gridwise::{Contents, TensorDesc};

use crate::error::Error;
use crate::{Bench, numbers, wrong};

/// Time over that of CUDA's copy between the devices, at most: 0.8 of its speed.
const GOAL: f64 = 1.0 / 0.8;

/// Measures some lengths, and puts the peers' times beside them: lines `copy N MiB … µs`.
pub(crate) fn bench(bench: &mut Bench<'_>, peers: &[PathBuf]) -> Result<(), Error> {
    let (from, to) = (&bench.managers[0], &bench.managers[1]);
    for mib in if bench.is_gpu { &[1, 16, 256, 1024][..] } else { &[1, 16][..] } {
        let values = numbers(mib << 18);
        let (source, mut target) = (from.tensor(&values)?, to.tensor_of_len::<f32>(values.len())?);
        let way = source.copy_to(&mut target)?;
        if target.to_vec()? != values {
            return Err(wrong("gridwise, copies", format!("{mib} MiB by way of {way:?} are not what was copied")));
        }
        let mut copy = || time(|| source.copy_to(&mut target)).map_err(Error::from);
        let ours = interleave(&mut [&mut copy], 2, bench.runs)?[0].summary(1);
        let name = format!("copy {mib} MiB");
        let rate = f64::from(1 << 20) * *mib as f64 / (ours.median * 1e3);
        bench.report.notes.push(format!("{name}: by way of {way:?}, {rate:.1} GB/s"));
        for path in peers {
            let text = std::fs::read_to_string(path).map_err(BenchError::file(path))?;
            let found =
                text.lines().find_map(|line| line.strip_prefix(&name)?.trim().strip_suffix("µs")?.trim().parse().ok());
            let Some(microseconds) = found else { continue };
            let theirs = Summary { median: microseconds, p10: microseconds, p90: microseconds, noise: 0.0, runs: 1 };
            let peer = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let goals = vec![Goal::Ratio(GOAL)];
            bench.report.figures.push(Figure { name: name.clone(), unit: "copy", peer, ours, theirs, goals });
        }
    }
    #[cfg(unix)]
    shareable(bench)?;
    Ok(())
}

/// Copies of tensors whose memory the second manager may import: where both have one device, it copies straight from there.
#[cfg(unix)]
fn shareable(bench: &mut Bench<'_>) -> Result<(), Error> {
    let (from, to) = (&bench.managers[0], &bench.managers[1]);
    for mib in if bench.is_gpu { &[1, 4, 16, 256, 1024][..] } else { &[1, 16][..] } {
        let values = numbers(mib << 18);
        let desc = TensorDesc { name: "shareable", contents: Contents::Data(&values) };
        let source = match from.shareable_tensor(desc) {
            Err(gridwise::Error::CannotShare { .. } | gridwise::Error::OnHostDevice { .. }) => return Ok(()),
            made => made?,
        };
        let mut target = to.tensor_of_len::<f32>(values.len())?;
        let way = source.copy_to(&mut target)?;
        if target.to_vec()? != values {
            return Err(wrong("gridwise, copies", format!("{mib} MiB by way of {way:?} are not what was copied")));
        }
        let mut copy = || time(|| source.copy_to(&mut target)).map_err(Error::from);
        let median = interleave(&mut [&mut copy], 2, bench.runs)?[0].summary(1).median;
        let rate = f64::from(1 << 20) * *mib as f64 / (median * 1e3);
        bench
            .report
            .notes
            .push(format!("copy {mib} MiB of a shareable tensor: by way of {way:?}, {median:.0} µs, {rate:.1} GB/s"));
    }
    Ok(())
}
