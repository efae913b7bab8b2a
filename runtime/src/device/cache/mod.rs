//! Compiled pipelines kept on disk between runs of a program. No Vulkan calls; nothing here may fail a launch: what cannot be
//! read or written is noted in the log, and the pipeline is compiled.

mod digest;
mod file;
mod tuned;

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

pub(crate) use digest::Digest;
pub(crate) use file::Identity;

/// The place where compiled pipelines, and the results of [`tune`](crate::Manager::tune), are kept between runs; see
/// [`ManagerDesc::pipeline_cache`](crate::ManagerDesc::pipeline_cache).
///
/// Each pipeline has a file of its own, named after the device, its driver and a digest of the module and its
/// constants. Files are checked before a driver sees them and replaced atomically, so any number of processes may share
/// a folder. A damaged file costs the time to compile, and a line in the log.
///
/// ```
/// use gridwise::{Manager, ManagerDesc, PipelineCache};
///
/// # fn main() -> gridwise::Result<()> {
/// let folder = std::env::temp_dir().join("my-program-pipelines");
/// let manager = Manager::with(ManagerDesc { pipeline_cache: PipelineCache::At(folder), ..ManagerDesc::from_env()? })?;
/// // … launches …
/// manager.save_pipelines(); // also done when the manager and all that it made is gone
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PipelineCache {
    /// In the folder that `GRIDWISE_CACHE_DIR` names, or nowhere if that is `off`; when it is not set, in `gridwise/pipelines` in the
    /// user's folder for caches (`XDG_CACHE_HOME` or `~/.cache`; `~/Library/Caches`; `%LOCALAPPDATA%`).
    #[default]
    User,
    /// In this folder, which is made when needed.
    At(PathBuf),
    /// Nowhere.
    Off,
}

impl PipelineCache {
    fn directory(&self) -> Option<PathBuf> {
        match self {
            Self::Off => None,
            Self::At(directory) => Some(directory.clone()),
            Self::User => match std::env::var_os("GRIDWISE_CACHE_DIR") {
                Some(value) if value.is_empty() || value.eq_ignore_ascii_case("off") => None,
                Some(value) => Some(value.into()),
                None => user_directory(),
            },
        }
    }
}

fn user_directory() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = match std::env::consts::OS {
        "windows" => absolute("LOCALAPPDATA"),
        "macos" => absolute("HOME").map(|home| home.join("Library/Caches")),
        _ => absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache"))),
    };
    Some(caches?.join("gridwise").join("pipelines"))
}

/// Bytes of the largest file that is read.
const MAX_FILE: u64 = 64 << 20;
/// Bytes of all files of a folder, beyond which the oldest go.
const MAX_FOLDER: u64 = 512 << 20;
/// After how long a file that nobody finished is rubbish.
const ABANDONED: Duration = Duration::from_secs(60 * 60);
const EXTENSION: &str = "pipeline";

/// The pipelines of one device on disk, and those that wait to be written.
#[derive(Debug)]
pub(crate) struct Store {
    directory: Option<PathBuf>,
    identity: Identity,
    fresh: Mutex<Vec<(u128, Vec<u8>)>>,
}

impl Store {
    pub(crate) fn new(choice: &PipelineCache, identity: Identity) -> Self {
        Self { directory: choice.directory(), identity, fresh: Mutex::default() }
    }

    /// Whether anything is kept at all.
    pub(crate) fn is_on(&self) -> bool {
        self.directory.is_some()
    }

    /// The data that a driver gave for a pipeline in an earlier run; nothing that this driver did not give.
    pub(crate) fn load(&self, key: u128) -> Option<Vec<u8>> {
        let path = self.path(self.directory.as_ref()?, key);
        let bytes = match read_at_most(&path, MAX_FILE) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::debug!(path = %path.display(), %error, "a kept pipeline cannot be read; it is compiled");
                return None;
            }
        };
        match file::decode(&bytes, &self.identity, key) {
            Ok(data) => Some(data.to_vec()),
            Err(cause) => {
                tracing::debug!(path = %path.display(), cause, "a kept pipeline is not used; it is compiled");
                None
            }
        }
    }

    /// Takes what the driver says about a new pipeline, to be written later.
    pub(crate) fn keep(&self, key: u128, data: Vec<u8>) {
        // A header alone tells nothing: some drivers keep pipelines by themselves, or not at all.
        if self.is_on() && data.len() > file::VULKAN_HEADER && data.len() as u64 <= MAX_FILE / 2 {
            self.fresh.lock().unwrap_or_else(PoisonError::into_inner).push((key, data));
        }
    }

    /// Writes what was kept since the last time.
    pub(crate) fn save(&self) {
        let fresh = std::mem::take(&mut *self.fresh.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(directory) = self.directory.as_ref().filter(|_| !fresh.is_empty()) else { return };
        if let Err(error) = self.write_all(directory, &fresh) {
            tracing::warn!(directory = %directory.display(), %error, "compiled pipelines are not kept");
        }
    }

    fn write_all(&self, directory: &Path, fresh: &[(u128, Vec<u8>)]) -> std::io::Result<()> {
        create_private(directory)?;
        let added = fresh.iter().map(|(_, data)| data.len() as u64).sum::<u64>();
        if let Err(error) = prune(directory, MAX_FOLDER.saturating_sub(added)) {
            tracing::debug!(directory = %directory.display(), %error, "old pipelines are not removed");
        }
        for (key, data) in fresh {
            replace(&self.path(directory, *key), &file::encode(data, &self.identity, *key))?;
        }
        Ok(())
    }

    fn path(&self, directory: &Path, key: u128) -> PathBuf {
        directory.join(format!("{:016x}-{key:032x}.{EXTENSION}", self.identity.digest()))
    }
}

fn read_at_most(path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > limit {
        return Err(std::io::Error::new(ErrorKind::InvalidData, "no file of a sensible size"));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Makes a folder that other users have no part in: a driver trusts what lies there.
fn create_private(directory: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Writes a file beside its place and moves it there: others see all of it or nothing.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let unique = format!("{}-{}.new", std::process::id(), NEXT.fetch_add(1, Relaxed));
    let beside = path.with_extension(unique);
    let written = fs::OpenOptions::new().write(true).create_new(true).open(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        drop(file);
        fs::rename(&beside, path)
    });
    if written.is_err() {
        // There may be none; and if it cannot go, it goes as rubbish later.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Removes the oldest pipelines until the rest has at most so many bytes, and files that were never finished.
fn prune(directory: &Path, limit: u64) -> std::io::Result<()> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let (path, metadata) = (entry.path(), entry.metadata()?);
        let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(EXTENSION | tuned::EXTENSION) => kept.push((modified, metadata.len(), path)),
            Some("new") if modified.elapsed().is_ok_and(|age| age > ABANDONED) => fs::remove_file(path)?,
            _ => {}
        }
    }
    let mut total = kept.iter().map(|(_, bytes, _)| bytes).sum::<u64>();
    kept.sort_unstable();
    for (_, bytes, path) in kept {
        if total <= limit {
            break;
        }
        fs::remove_file(path)?;
        total -= bytes;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
