//! The command line.

use std::path::PathBuf;

use gridwise_benches::Options;

use crate::error::Error;

/// Recorded runs, when the command line does not say.
const RUNS: usize = 31;

/// The options of the bench.
#[derive(Debug)]
pub(crate) struct WorkOptions {
    pub(crate) common: Options,
    /// Folder with compiled shaders.
    pub(crate) references: Option<PathBuf>,
    /// Folder to put compiled shaders into, and do nothing else.
    pub(crate) compile: Option<PathBuf>,
    /// Folder to put our own modules into, and do nothing else.
    pub(crate) modules: Option<PathBuf>,
    /// Files with times of other peers.
    pub(crate) peers: Vec<PathBuf>,
    /// Workloads to run; all when empty.
    pub(crate) only: Vec<String>,
}

impl WorkOptions {
    /// Reads `--references FOLDER`, `--compile FOLDER`, `--modules FOLDER`, `--peers FILE`, `--only NAME,NAME`, and what all benches take.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Error> {
        let (mut references, mut compile, mut modules) = (None, None, None);
        let (mut peers, mut only, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(flag) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| gridwise_benches::Error::Argument(flag.clone()));
            match flag.as_str() {
                "--references" => references = Some(value()?.into()),
                "--compile" => compile = Some(value()?.into()),
                "--modules" => modules = Some(value()?.into()),
                "--peers" => peers.push(value()?.into()),
                "--only" => only = value()?.split(',').map(str::to_owned).collect(),
                _ => {
                    let value = value()?;
                    rest.extend([flag, value]);
                }
            }
        }
        Ok(Self { common: Options::parse(rest.into_iter(), RUNS)?, references, compile, modules, peers, only })
    }
}
