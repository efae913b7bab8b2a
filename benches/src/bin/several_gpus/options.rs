//! The command line.

use std::path::PathBuf;

use gridwise_benches::Options;

use crate::error::Error;

/// Recorded runs, when the command line does not say.
const RUNS: usize = 11;

/// The options of the bench.
#[derive(Debug)]
pub(crate) struct SeveralOptions {
    pub(crate) common: Options,
    /// Managers, two at least.
    pub(crate) devices: usize,
    /// Files with times of peers.
    pub(crate) peers: Vec<PathBuf>,
}

impl SeveralOptions {
    /// Reads `--devices N`, `--peers FILE`, and what all benches take.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Error> {
        let (mut devices, mut peers, mut rest) = (2, Vec::new(), Vec::new());
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or_else(|| gridwise_benches::Error::Argument(flag.clone()))?;
            match flag.as_str() {
                "--devices" => {
                    let count = value.parse().ok().filter(|count| (2..=8).contains(count));
                    devices = count.ok_or(gridwise_benches::Error::Argument(value))?;
                }
                "--peers" => peers.push(value.into()),
                _ => rest.extend([flag, value]),
            }
        }
        Ok(Self { common: Options::parse(rest.into_iter(), RUNS)?, devices, peers })
    }
}
