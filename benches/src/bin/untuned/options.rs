//! The command line.

use std::path::PathBuf;

use gridwise_benches::{Error as BenchError, Options};

use crate::error::Error;
use crate::operations;
use crate::workload::Workload;

/// Recorded runs, when the command line does not say.
const RUNS: usize = 11;

/// The options of a run.
#[derive(Debug)]
pub(crate) struct UntunedOptions {
    pub(crate) common: Options,
    /// Folder with compiled peers.
    pub(crate) references: Option<PathBuf>,
    /// Folder to put sources and compiled peers into, and do nothing else.
    pub(crate) compile: Option<PathBuf>,
    /// Workloads to run, by the names of their files; all when empty.
    pub(crate) only: Vec<String>,
    /// Whether single operations are the workloads.
    are_operations: bool,
    /// Whether sizes are those for a GPU, where the command line says so.
    pub(crate) is_large: Option<bool>,
}

impl UntunedOptions {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Error> {
        let (mut references, mut compile, mut only, mut rest) = (None, None, Vec::new(), Vec::new());
        let (mut are_operations, mut is_large) = (false, None);
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or_else(|| BenchError::Argument(flag.clone()))?;
            match flag.as_str() {
                "--references" => references = Some(value.into()),
                "--compile" => compile = Some(value.into()),
                "--workloads" if value == "operations" => are_operations = true,
                "--sizes" if value == "large" => is_large = Some(true),
                "--sizes" if value == "small" => is_large = Some(false),
                "--only" => only = value.split(',').map(str::to_owned).collect(),
                _ => rest.extend([flag, value]),
            }
        }
        Ok(Self {
            common: Options::parse(rest.into_iter(), RUNS)?,
            references,
            compile,
            only,
            are_operations,
            is_large,
        })
    }

    /// The workloads; sizes for a GPU or for a processor.
    pub(crate) fn workloads(&self, large: bool) -> Vec<Workload> {
        if self.are_operations { operations::workloads(large) } else { crate::workloads(large) }
    }
}
