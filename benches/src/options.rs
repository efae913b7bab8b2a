//! The command line that all benches share.

use std::path::PathBuf;

use crate::Error;

/// The options of a bench.
#[derive(Debug, Clone)]
pub struct Options {
    /// Recorded runs per contender.
    pub runs: usize,
    /// Name of the build profile, for the report.
    pub profile: String,
    /// Folder for the JSON file.
    pub out: PathBuf,
}

impl Options {
    /// Reads `--runs N`, `--profile NAME` and `--out FOLDER`.
    ///
    /// # Errors
    /// For anything else.
    pub fn parse(mut arguments: impl Iterator<Item = String>, runs: usize) -> Result<Self, Error> {
        let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
        let mut options = Self { runs, profile: profile.to_owned(), out: PathBuf::from("target/benches") };
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or_else(|| Error::Argument(flag.clone()))?;
            match flag.as_str() {
                "--runs" => options.runs = value.parse().map_err(|_| Error::Argument(value))?,
                "--profile" => options.profile = value,
                "--out" => options.out = value.into(),
                _ => return Err(Error::Argument(flag)),
            }
        }
        Ok(options)
    }
}
