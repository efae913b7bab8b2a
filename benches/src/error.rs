//! Errors around a measurement.

use std::path::PathBuf;

/// Why a bench gave no figures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be written or read.
    #[error("cannot access {path}: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The figures are not JSON.
    #[error("cannot write the figures as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The figures could not be drawn.
    #[error("cannot draw the figures: {0}")]
    Picture(String),
    /// A program could not be started.
    #[error("cannot run {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// A program ran and failed.
    #[error("{program} failed ({status})\n{output}")]
    Program {
        /// The program.
        program: String,
        /// How it ended.
        status: std::process::ExitStatus,
        /// The output of the program.
        output: String,
    },
    /// The command line is not understood.
    #[error("unknown argument `{0}`")]
    Argument(String),
    /// The driver refused something.
    #[error("{call} failed: {result}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// The returned result.
        result: ash::vk::Result,
    },
    /// There is no Vulkan loader.
    #[error("no Vulkan loader: {0}")]
    Loader(#[from] ash::LoadingError),
    /// There is no such device, or it lacks something.
    #[error("no Vulkan device {0}")]
    Missing(String),
    /// A contender gave another result than it must.
    #[error("{contender} is wrong: {detail}")]
    WrongResult {
        /// The contender that gave the result.
        contender: String,
        /// The fault of the result.
        detail: String,
    },
}

impl Error {
    /// Adds the path to an error of the file system.
    pub fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
