//! The reference shaders, compiled by `glslc -O` when they are asked for; cooperative matrices need one of 2024 or later.

use std::path::{Path, PathBuf};
use std::process::Command;

use gridwise_benches::Error as BenchError;

use crate::error::Error;

/// The shaders that are compiled in advance.
const NAMES: [&str; 13] = [
    "copy",
    "saxpy",
    "reduce",
    "scan",
    "histogram",
    "radix_hist",
    "radix_scan",
    "radix_onesweep",
    "transpose",
    "stencil3d",
    "nbody",
    "sgemm",
    "hgemm_tiles",
];

/// The source of compiled shaders.
#[derive(Debug)]
pub(crate) struct Shaders {
    folder: Option<PathBuf>,
}

impl Shaders {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    /// The module of a shader.
    pub(crate) fn module(&self, name: &str) -> Result<Vec<u8>, Error> {
        let path = match &self.folder {
            Some(folder) => folder.join(format!("{name}.spv")),
            None => {
                let folder = std::env::temp_dir().join(format!("gridwise-references-{}", std::process::id()));
                compile(name, &folder)?
            }
        };
        Ok(std::fs::read(&path).map_err(BenchError::file(&path))?)
    }

    /// Compiles all shaders into a folder.
    pub(crate) fn compile_all(folder: &Path) -> Result<(), Error> {
        NAMES.iter().try_for_each(|name| compile(name, folder).map(|_| ()))
    }
}

fn compile(name: &str, folder: &Path) -> Result<PathBuf, Error> {
    std::fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("glsl").join(format!("{name}.comp"));
    let target = folder.join(format!("{name}.spv"));
    let compiler = std::env::var_os("GLSLC").unwrap_or_else(|| "glslc".into());
    let mut command = Command::new(compiler);
    command.args(["-O", "--target-env=vulkan1.2", "-o"]).arg(&target).arg(&source);
    let program = "glslc (package glslc)".to_owned();
    let output = command.output().map_err(|source| BenchError::Start { program: program.clone(), source })?;
    if output.status.success() {
        return Ok(target);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(BenchError::Program { program, status: output.status, output: text }.into())
}
