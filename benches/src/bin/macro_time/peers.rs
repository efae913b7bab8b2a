//! The other compilers: naga in this process, and glslangValidator as a program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gridwise_benches::Error;
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::allocator::PRELOAD;
use crate::workloads::Workload;

/// WGSL to SPIR-V words by naga, with its default options: parsed, validated, written.
pub(crate) fn naga_words(workload: &Workload) -> Result<Vec<u32>, Error> {
    let wrong = |detail: String| Error::WrongResult { contender: format!("naga on {}", workload.name), detail };
    let module = naga::front::wgsl::parse_str(workload.wgsl).map_err(|e| wrong(e.emit_to_string(workload.wgsl)))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&module).map_err(|e| wrong(e.emit_to_string(workload.wgsl)))?;
    spv::write_vec(&module, &info, &spv::Options::default(), None).map_err(|e| wrong(e.to_string()))
}

/// glslangValidator with its files in a folder that goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Glslang {
    folder: PathBuf,
}

impl Glslang {
    const PROGRAM: &str = "glslangValidator";

    /// Nothing when the program is not installed.
    pub(crate) fn find() -> Result<Option<Self>, Error> {
        if Command::new(Self::PROGRAM).arg("--version").stdout(Stdio::null()).status().is_err() {
            return Ok(None);
        }
        let folder = std::env::temp_dir().join(format!("gridwise-benches-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        Ok(Some(Self { folder }))
    }

    /// Writes the source to compile.
    pub(crate) fn prepare(&self, workload: &Workload) -> Result<(), Error> {
        let path = self.source(workload);
        std::fs::write(&path, workload.glsl).map_err(Error::file(&path))
    }

    /// GLSL to a SPIR-V file.
    pub(crate) fn compile(&self, workload: &Workload) -> Result<(), Error> {
        let mut command = Command::new(Self::PROGRAM);
        command.env_remove(PRELOAD).arg("-V").arg(self.source(workload)).arg("-o").arg(self.folder.join("out.spv"));
        run(command)
    }

    fn source(&self, workload: &Workload) -> PathBuf {
        self.folder.join(format!("{}.comp", workload.name))
    }
}

impl Drop for Glslang {
    fn drop(&mut self) {
        // A folder left behind in the system's folder for temporary files hurts nobody.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Holds words against spirv-val; `false` when it is not installed.
pub(crate) fn validate(name: &str, words: &[u32]) -> Result<bool, Error> {
    const PROGRAM: &str = "spirv-val";
    if Command::new(PROGRAM).arg("--version").stdout(Stdio::null()).status().is_err() {
        return Ok(false);
    }
    let path = std::env::temp_dir().join(format!("gridwise-benches-{}-{name}.spv", std::process::id()));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(&path, bytes).map_err(Error::file(&path))?;
    let result = run(validator(PROGRAM, &path));
    std::fs::remove_file(&path).map_err(Error::file(&path))?;
    result.map(|()| true)
}

fn validator(program: &str, path: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["--target-env", "vulkan1.2", "--scalar-block-layout"]).arg(path);
    command
}

fn run(mut command: Command) -> Result<(), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|source| Error::Start { program: program.clone(), source })?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(Error::Program { program, status: output.status, output: String::from_utf8_lossy(&text).into_owned() })
}
