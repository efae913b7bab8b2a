//! The source files of the crate, read once and outlined.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use proc_macro2::Ident;

use super::outline::{Scope, outline};

/// A source file with its outline.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) text: Arc<str>,
    pub(super) scopes: Arc<Vec<Scope>>,
    pub(super) lines: Arc<Lines>,
    /// Whether there is no such file, as in tests.
    pub(super) is_only_text: bool,
}

/// The names of an outline by their lines: files may have thousands of items, and each of them is looked for.
#[derive(Debug)]
pub(super) struct Lines {
    /// Scopes that have an item with its name on the line.
    pub(super) items: BTreeMap<u32, BTreeSet<usize>>,
    /// Functions of `impl`s and traits.
    associated: BTreeSet<(u32, String)>,
}

impl Lines {
    pub(super) fn of(scopes: &[Scope]) -> Self {
        let mut lines = Self { items: BTreeMap::new(), associated: BTreeSet::new() };
        for (at, scope) in scopes.iter().enumerate() {
            for item in &scope.items {
                lines.items.entry(item.line).or_default().insert(at);
            }
            lines.associated.extend(scope.associated.iter().map(|(name, line)| (*line, name.clone())));
        }
        lines
    }
}

/// The time of a file's last change, its text and its outline.
type Known = (SystemTime, Arc<str>, Option<(Arc<Vec<Scope>>, Arc<Lines>)>);

/// The files that were read. A process that expands a text again, as editors do, reads what was changed.
static KNOWN: Mutex<BTreeMap<PathBuf, Known>> = Mutex::new(BTreeMap::new());

impl File {
    pub(super) fn read(path: PathBuf) -> Option<Self> {
        let changed = std::fs::metadata(&path).ok()?.modified().ok()?;
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if known.get(&path).is_none_or(|(then, ..)| *then != changed) {
            let text: Arc<str> = std::fs::read_to_string(&path).ok()?.into();
            let outline = outline(&text).map(|scopes| {
                let lines = Lines::of(&scopes);
                (Arc::new(scopes), Arc::new(lines))
            });
            known.insert(path.clone(), (changed, text, outline));
        }
        let (_, text, outline) = known.get(&path)?;
        let (scopes, lines) = outline.as_ref()?;
        let (scopes, lines) = (Arc::clone(scopes), Arc::clone(lines));
        Some(Self { text: Arc::clone(text), scopes, lines, path, is_only_text: false })
    }

    /// The folder of the files of modules that are declared in the file's first scope.
    pub(super) fn folder(&self) -> Vec<PathBuf> {
        let Some(parent) = self.path.parent() else { return Vec::new() };
        let stem = self.path.file_stem().unwrap_or_default();
        if ["mod", "lib", "main"].iter().any(|name| stem == *name) {
            vec![parent.to_owned()]
        } else {
            // The latter where the file is a crate's own.
            vec![parent.join(stem), parent.to_owned()]
        }
    }
}

/// Whether a function stands in an `impl` or a trait, as far as the text of its file says.
pub(crate) fn is_associated(name: &Ident, item: &proc_macro2::TokenStream) -> bool {
    let span = name.span().start();
    // Functions of modules begin their lines as a rule, and no file need be read for them.
    let first = item.clone().into_iter().next();
    if first.is_none_or(|first| first.span().start().column == 0) {
        return false;
    }
    let known = |file: File| {
        u32::try_from(span.line).is_ok_and(|line| file.lines.associated.contains(&(line, name.to_string())))
    };
    name.span().local_file().and_then(File::read).is_some_and(known)
}
