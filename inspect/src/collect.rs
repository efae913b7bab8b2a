//! Builds the crate and gathers what the macro dumps: the modules as lowered. It must not interpret them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::Error;
use crate::options::Options;

/// The result of a build.
#[derive(Debug)]
pub(crate) struct Collected {
    /// The folder that the paths of sources start from.
    pub(crate) workspace: PathBuf,
    /// The workspace's target folder.
    pub(crate) target: PathBuf,
    pub(crate) modules: Vec<Lowered>,
}

/// A kernel's module as lowered, in text, with its options in the first line.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Builds what the options name.
///
/// # Errors
/// When cargo or the file system fail.
pub(crate) fn collect(options: &Options) -> Result<Collected, Error> {
    if let Some(dumps) = &options.dumps {
        // Sources are found where it is run in the workspace's folder, and left out elsewhere.
        let here = PathBuf::from(".");
        return Ok(Collected { modules: read(dumps)?, workspace: here.clone(), target: here });
    }
    let [workspace, target] = folders(options)?;
    let dumps = target.join("gridwise-inspect");
    let failed = |source| Error::Dumps { path: dumps.clone(), source };
    match std::fs::remove_dir_all(&dumps) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => std::fs::create_dir_all(&dumps).map_err(failed)?,
    }
    build(options, &dumps)?;
    Ok(Collected { workspace, target, modules: read(&dumps)? })
}

/// The modules in a folder, in the order of their names.
fn read(dumps: &Path) -> Result<Vec<Lowered>, Error> {
    let failed = |source| Error::Dumps { path: dumps.to_owned(), source };
    let mut modules = Vec::new();
    for entry in std::fs::read_dir(dumps).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "lowered") {
            let text = std::fs::read_to_string(&path).map_err(failed)?;
            modules.push(Lowered { path, text });
        }
    }
    modules.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(modules)
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The workspace and its target folder.
fn folders(options: &Options) -> Result<[PathBuf; 2], Error> {
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1"]).stderr(Stdio::inherit());
    manifest(&mut command, options);
    let output = command.output().map_err(|source| Error::Cargo { command: "metadata".to_owned(), source })?;
    if !output.status.success() {
        return Err(Error::Build { command: "metadata".to_owned() });
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| Error::Metadata(error.to_string()))?;
    let folder = |key: &str| {
        let missing = || Error::Metadata(format!("no `{key}`"));
        metadata[key].as_str().map(PathBuf::from).ok_or_else(missing)
    };
    Ok([folder("workspace_root")?, folder("target_directory")?])
}

fn manifest(command: &mut Command, options: &Options) {
    if let Some(path) = &options.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
}

/// Checks the one target, with dependencies as `cargo check` left them. A flag that is new each time makes cargo compile it
/// again, and nothing else.
fn build(options: &Options, dumps: &Path) -> Result<(), Error> {
    let mut command = cargo();
    command.args(["rustc", "--profile", "check"]);
    manifest(&mut command, options);
    if let Some(package) = &options.package {
        command.args(["-p", package]);
    }
    if let Some(features) = &options.features {
        command.args(["--features", features]);
    }
    match (&options.bin, &options.example, &options.test) {
        (Some(name), ..) => command.args(["--bin", name]),
        (_, Some(name), _) => command.args(["--example", name]),
        (.., Some(name)) => command.args(["--test", name]),
        _ => command.arg("--lib"),
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    command.args(["--", "--cfg", &format!("gridwise_inspect=\"{now}\"")]);
    command.env("KERNEL_DUMP", "lowered").env("KERNEL_DUMP_DIR", dumps);
    let status = command.status().map_err(|source| Error::Cargo { command: "rustc".to_owned(), source })?;
    if status.success() { Ok(()) } else { Err(Error::Build { command: "rustc".to_owned() }) }
}
