//! Errors of the program, for the person at the terminal.

use std::path::PathBuf;

use gridwise_ir::compile::CompileError;
use gridwise_ir::parse::ParseError;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`cargo {command}` did not start: {source}")]
    Cargo { command: String, source: std::io::Error },
    #[error("`cargo {command}` failed; its errors are above")]
    Build { command: String },
    #[error("`cargo metadata` gave something else than expected: {0}")]
    Metadata(String),
    #[error("the folder {path} cannot be used for what the compiler dumps: {source}")]
    Dumps { path: PathBuf, source: std::io::Error },
    #[error(
        "{path} was written by another version of gridwise: {cause}; build gridwise-inspect from the version that the package uses"
    )]
    OtherVersion { path: PathBuf, cause: String },
    #[error("{path} is no module: {source}; build gridwise-inspect from the version that the package uses")]
    Parse { path: PathBuf, source: ParseError },
    #[error("{path} does not compile: {source}")]
    Compile { path: PathBuf, source: Box<CompileError> },
    #[error(
        "no kernel to show{}: {found} were compiled in this target; name the target that holds them (--lib, --bin, --example, --test), kernels are compiled where they are defined",
        if .asked_for.is_empty() { String::new() } else { format!(" called {}", .asked_for) }
    )]
    NoKernels { asked_for: String, found: usize },
    #[error(transparent)]
    Device(#[from] gridwise_runtime::Error),
    #[error("{path} cannot be read: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} holds no measurements: {source}")]
    Measurements { path: PathBuf, source: serde_json::Error },
    #[error("{path} holds no measurements: {cause}")]
    BadMeasurements { path: PathBuf, cause: String },
    #[error("the roofline could not be drawn: {0}")]
    Draw(String),
    #[error("{path} cannot be written: {source}")]
    Write { path: PathBuf, source: std::io::Error },
}
