//! The command line.

use std::path::PathBuf;

/// Shows what gridwise made of the kernels of a crate.
///
/// Builds one target of a package as `cargo check` does, and writes a page with the source of each kernel beside its IR and its
/// SPIR-V.
#[derive(Debug, Clone, Default, clap::Parser)]
#[command(name = "gridwise-inspect", version)]
pub(crate) struct Options {
    /// The package whose kernels to show; the one of the current folder when not said.
    #[arg(short, long)]
    pub(crate) package: Option<String>,
    /// Path of its Cargo.toml.
    #[arg(long)]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Its library; this is what is built when no target is named.
    #[arg(long, group = "target")]
    pub(crate) lib: bool,
    /// A binary of it.
    #[arg(long, group = "target", value_name = "NAME")]
    pub(crate) bin: Option<String>,
    /// An example of it.
    #[arg(long, group = "target", value_name = "NAME")]
    pub(crate) example: Option<String>,
    /// A test of it.
    #[arg(long, group = "target", value_name = "NAME")]
    pub(crate) test: Option<String>,
    /// Its features, separated by commas.
    #[arg(short = 'F', long)]
    pub(crate) features: Option<String>,
    /// Build nothing; take what an earlier run left in `gridwise-inspect` in the target folder, on this or another machine.
    #[arg(long, value_name = "FOLDER", group = "target")]
    pub(crate) dumps: Option<PathBuf>,
    /// Show these kernels only, by the names of their functions.
    #[arg(long = "kernel", value_name = "NAME")]
    pub(crate) kernels: Vec<String>,
    /// The page to write; `gridwise-inspect.html` in the target folder when not said.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print IR and SPIR-V to the terminal, too.
    #[arg(long)]
    pub(crate) text: bool,
    /// The Vulkan device whose driver compiles the kernels and tells registers and memory: a part of its name, or its index.
    #[arg(long, value_name = "NAME")]
    pub(crate) device: Option<String>,
    /// Ask no driver.
    #[arg(long, conflicts_with = "device")]
    pub(crate) no_device: bool,
    /// Measured kernels for the roofline: a JSON file, `{"device": …, "peak_gb_per_s": …, "peak_gflop_per_s": …, "kernels":
    /// [{"name": …, "microseconds": …, "bytes": …, "flops": …}]}`.
    #[arg(long, value_name = "FILE")]
    pub(crate) measured: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }
}
