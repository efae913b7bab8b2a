//! Scopes of source files, and the items and modules that paths lead to from there, as far as the text tells. Must be sure: whatever the
//! text leaves open leads nowhere.

use std::path::{Path as FilePath, PathBuf};
use std::rc::Rc;
#[cfg(test)]
use std::sync::Arc;

use proc_macro2::Ident;

use super::file::File;
#[cfg(test)]
use super::file::Lines;
#[cfg(test)]
use super::outline::outline;
use super::outline::{Import, Item, Kind, Scope};

/// The beginning of the name of the hidden module that has the items of a function; the name of the function follows.
pub(crate) const ITEMS_OF: &str = "__gridwise_items_of_";

/// How many imports may lead to an item, and how many files above it there may be.
pub(super) const MAX_STEPS: usize = 16;

/// Attributes that leave a function, const or type what it is.
pub(super) const HARMLESS: &[&str] = &[
    "allow",
    "cfg",
    "clippy",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "inline",
    "must_use",
    "no_mangle",
    "non_exhaustive",
    "repr",
    "rustfmt",
    "track_caller",
    "unsafe",
    "warn",
];

/// A scope of a file.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) file: Rc<File>,
    pub(super) scope: usize,
}

/// The item or module that a path leads to.
pub(super) enum Hit {
    Item(Found),
    /// An item of Rust's library, by its whole path.
    Library(String),
}

impl Hit {
    pub(super) fn item(self) -> Option<Found> {
        match self {
            Self::Item(found) => Some(found),
            Self::Library(_) => None,
        }
    }
}

/// An item and its scope.
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) item: usize,
}

impl Found {
    pub(super) fn item(&self) -> &Item {
        &self.place.scope().items[self.item]
    }

    pub(super) fn text(&self) -> &str {
        &self.place.file.text[self.item().text.clone()]
    }
}

impl Place {
    pub(super) fn scope(&self) -> &Scope {
        &self.file.scopes[self.scope]
    }

    fn at(&self, scope: usize) -> Self {
        Self { file: Rc::clone(&self.file), scope }
    }

    /// The module around.
    pub(super) fn module(&self) -> Self {
        self.at(self.scope().module.scope)
    }

    /// The scope and those around it, up to its module.
    pub(super) fn around(&self) -> impl Iterator<Item = Self> + '_ {
        std::iter::successors(Some(self.scope), |scope| self.file.scopes[*scope].lexical_parent)
            .map(|scope| self.at(scope))
    }

    /// The item that a path names.
    pub(super) fn find_item(&self, path: &[String]) -> Option<Found> {
        find(self, path, 1)?.item()
    }

    /// The module that a path names.
    pub(super) fn find_module(&self, path: &[String]) -> Option<Self> {
        module_of(self, path, 1)
    }

    /// Whether a scope surely has nothing of a name, its own or imported.
    pub(super) fn lacks(&self, name: &str, steps: usize) -> bool {
        let scope = self.scope();
        if steps > MAX_STEPS || scope.has_macros {
            return false;
        }
        // A file that another one includes has what stands around it there.
        if self.scope == 0 && !is_module(&self.file) {
            return false;
        }
        let is_plain = |item: &Item| item.name != name && item.attrs.iter().all(|attr| is_known(attr));
        let lacks_it = |import: &Import| match (&import.name, import.path.first()) {
            (Some(known), _) => known != name,
            (None, Some(first)) if is_library(first) => true,
            (None, Some(first)) if is_prelude(first, &import.path) => true,
            (None, _) => module_of(self, &import.path, steps + 1).is_some_and(|module| module.lacks(name, steps + 1)),
        };
        scope.items.iter().all(is_plain) && scope.imports.iter().all(lacks_it)
    }

    /// The module that contains the module here.
    pub(super) fn parent(&self) -> Option<Self> {
        let module = self.module();
        if module.scope != 0 {
            let is_it = |item: &Item| item.kind == Kind::Mod(Some(module.scope));
            let scope = self.file.scopes.iter().position(|scope| scope.items.iter().any(is_it))?;
            return Some(self.at(scope).module());
        }
        let mut above = above(&self.file.path);
        let found = above.next()?;
        above.next().is_none().then_some(found)
    }

    /// The module of the crate.
    fn root(&self) -> Option<Self> {
        let mut place = self.module();
        for _ in 0..MAX_STEPS {
            let has_parent = place.module().scope != 0 || above(&place.file.path).next().is_some();
            if !has_parent {
                return Some(place);
            }
            place = place.parent()?;
        }
        None
    }
}

/// The scope of an item, or within it, as far as the text of its file tells.
pub(super) fn place_of(from: &Ident, in_module: bool) -> Option<Place> {
    let function = from.to_string().strip_prefix(ITEMS_OF).map(|name| Ident::new(name, from.span()));
    let in_module = in_module && function.is_none();
    let from = function.as_ref().unwrap_or(from);
    place_in(from.span().local_file().and_then(File::read)?, from, in_module)
}

/// The module in which a name stands, as far as the text of its file tells.
pub(super) fn place_at(name: &Ident) -> Option<Place> {
    let file = Rc::new(name.span().local_file().and_then(File::read)?);
    let start = name.span().start();
    let before: usize = file.text.split_inclusive('\n').take(start.line.checked_sub(1)?).map(str::len).sum();
    // The text of the line, in characters.
    let column: usize = file.text.get(before..)?.chars().take(start.column).map(char::len_utf8).sum();
    let (mut scope, at) = (0, before + column);
    let inner = |scope: usize| {
        file.scopes[scope].items.iter().find_map(|item| match item.kind {
            Kind::Mod(inner) if item.text.contains(&at) => inner,
            _ => None,
        })
    };
    while let Some(found) = inner(scope) {
        scope = found;
    }
    Some(Place { file, scope })
}

/// The names of the items that a module shows to where a path that leads to it is written, as far as the text of its file tells all of them.
pub(crate) fn names_shown(module: &[Ident]) -> Option<Vec<String>> {
    let path: Vec<String> = module.iter().map(ToString::to_string).collect();
    names_shown_from(&place_at(module.first()?)?, &path)
}

fn names_shown_from(place: &Place, path: &[String]) -> Option<Vec<String>> {
    let module = place.find_module(path)?;
    let scope = module.scope();
    // Modules around show all that they have.
    let is_around = path.iter().all(|name| ["crate", "self", "super"].contains(&name.as_str()));
    let is_shown = |item: &&Item| is_around || module.file.text[item.text.clone()].starts_with("pub");
    (!scope.has_macros).then(|| scope.items.iter().filter(is_shown).map(|item| item.name.clone()).collect())
}

fn place_in(file: File, from: &Ident, in_module: bool) -> Option<Place> {
    let (name, line) = (from.to_string(), u32::try_from(from.span().start().line).ok()?);
    let is_origin = |item: &Item| item.line == line && item.name == name;
    let scopes = file.lines.items.get(&line).into_iter().flatten().copied();
    let mut scopes = scopes.filter(|scope| file.scopes[*scope].items.iter().any(is_origin));
    let scope = scopes.next().filter(|_| scopes.next().is_none())?;
    let scope = match file.scopes[scope].items.iter().find(|item| is_origin(item))?.kind {
        Kind::Mod(inner) if in_module => inner?,
        _ => scope,
    };
    Some(Place { file: Rc::new(file), scope })
}

#[cfg(test)]
pub(super) fn place_in_text(from: &Ident, in_module: bool, text: &str) -> Option<Place> {
    let scopes = Arc::new(outline(text).expect("brackets match"));
    let lines = Arc::new(Lines::of(&scopes));
    place_in(File { path: "a.rs".into(), text: text.into(), scopes, lines, is_only_text: true }, from, in_module)
}

/// Whether rustc was told to compile a file.
fn is_crate(path: &FilePath) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let is_it = |argument: String| {
        argument.ends_with(".rs") && FilePath::new(&argument).canonicalize().is_ok_and(|it| it == path)
    };
    std::env::args().any(is_it)
}

/// Whether the file is surely a module: the crate's own, or declared by another file.
fn is_module(file: &File) -> bool {
    file.is_only_text || is_crate(&file.path) || above(&file.path).next().is_some()
}

/// The modules that declare a file as one of theirs.
fn above(path: &FilePath) -> impl Iterator<Item = Place> {
    let folder = path.parent().map(FilePath::to_owned).unwrap_or_default();
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    // `a/mod.rs` is declared as `a`, beside the folder.
    let (folder, name) = match stem {
        "mod" => (
            folder.parent().map(FilePath::to_owned).unwrap_or_default(),
            folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned(),
        ),
        stem => (folder, stem.to_owned()),
    };
    let mut files: Vec<PathBuf> = ["mod.rs", "lib.rs", "main.rs"].iter().map(|file| folder.join(file)).collect();
    files.push(folder.with_extension("rs"));
    let path = path.to_owned();
    files.into_iter().filter(move |file| *file != path).filter_map(File::read).filter_map(move |file| {
        let declares = |item: &Item| item.kind == Kind::Mod(None) && item.name == name;
        let scope = file.scopes.first().filter(|scope| scope.items.iter().any(declares)).map(|_| 0)?;
        Some(Place { file: Rc::new(file), scope })
    })
}

/// The item that a path names in a scope; `None` where it is not known which.
pub(super) fn find(place: &Place, segments: &[String], steps: usize) -> Option<Hit> {
    let (last, modules) = segments.split_last()?;
    if steps > MAX_STEPS {
        return None;
    }
    if modules.is_empty() {
        return place.around().find_map(|place| named(&place, last, steps + 1));
    }
    named(&module_of(place, modules, steps + 1)?, last, steps + 1)
}

/// The module that a path names in a scope.
fn module_of(place: &Place, segments: &[String], steps: usize) -> Option<Place> {
    let (first, rest) = segments.split_first()?;
    let mut module = match first.as_str() {
        "crate" => place.root()?,
        "self" => place.module(),
        "super" => place.parent()?,
        _ => place.around().find_map(|place| child(&place, first, steps))?,
    };
    for name in rest {
        module = if name == "super" { module.parent()? } else { child(&module, name, steps)? };
    }
    Some(module)
}

/// The module of that name in a scope, declared or imported.
fn child(place: &Place, name: &str, steps: usize) -> Option<Place> {
    let found = named(place, name, steps + 1)?.item()?;
    let item = &found.place.scope().items[found.item];
    match item.kind {
        Kind::Mod(Some(scope)) => Some(found.place.at(scope)),
        Kind::Mod(None) if item.attrs.iter().all(|attr| !begins_with(attr, "path")) => file_of(&found.place, name),
        _ => None,
    }
}

/// The file of a module that is declared in a scope.
fn file_of(place: &Place, name: &str) -> Option<Place> {
    let within = &place.scope().module.names;
    let folders = place.file.folder();
    let mut files = folders.iter().flat_map(|folder| {
        let folder = within.iter().fold(folder.clone(), |folder, name| folder.join(name));
        [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")]
    });
    let path = files.find(|file| file.is_file())?;
    Some(Place { file: Rc::new(File::read(path)?), scope: 0 })
}

/// The only item of a name in one scope, its own or imported.
fn named(place: &Place, name: &str, steps: usize) -> Option<Hit> {
    if steps > MAX_STEPS {
        return None;
    }
    let mut own = place.scope().items.iter().enumerate().filter(|(_, item)| item.name == name);
    if let Some((item, _)) = own.next() {
        return own.next().is_none().then(|| Hit::Item(Found { place: place.clone(), item }));
    }
    let imports = &place.scope().imports;
    let mut explicit = imports.iter().filter(|import| import.name.as_deref() == Some(name));
    if let Some(import) = explicit.next() {
        return explicit.next().is_none().then(|| imported(place, import, &import.path, steps)).flatten();
    }
    let all = imports.iter().filter(|import| import.name.is_none());
    let mut found = all.filter_map(|import| {
        let module = module_of(place, &import.path, steps + 1)?;
        named(&module, name, steps + 1)
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The target of an import's path. In a scope that imports a name, the name alone is not itself.
fn imported(place: &Place, import: &Import, path: &[String], steps: usize) -> Option<Hit> {
    match path {
        [first, .., _] if is_library(first) => Some(Hit::Library(path.join("::"))),
        [name] if import.name.as_deref() == Some(name) => None,
        path => find(place, path, steps + 1),
    }
}

/// Whether a path that begins so leads to Rust's library.
pub(super) fn is_library(first: &str) -> bool {
    matches!(first, "std" | "core" | "alloc")
}

/// Whether a path is that of the facade's prelude, which has nothing that is gathered.
fn is_prelude(first: &str, path: &[String]) -> bool {
    path.len() == 2
        && path[1] == "prelude"
        && crate::krate::facade_path().to_string().trim_start_matches([':', ' ']) == first
}

/// Whether an attribute is one that writes no items but those of ours.
fn is_known(attr: &str) -> bool {
    let word = first_word(attr);
    HARMLESS.contains(&word) || ["derive", "device", "kernel", "test", "gridwise", "macro_use", "path"].contains(&word)
}

fn begins_with(attr: &str, name: &str) -> bool {
    first_word(attr) == name
}

pub(super) fn first_word(attr: &str) -> &str {
    let attr = attr.trim_start();
    attr.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proc_macro2::Ident;

    use super::{names_shown_from, place_in_text};

    /// The names that `path` shows to the function `f`.
    fn shown(path: &[&str]) -> Option<Vec<String>> {
        let text = "fn f() {}
            mod shapes {
                pub fn area() {}
                fn hidden() {}
                #[derive(Clone)]
                pub(crate) struct Disk;
                pub const LIMIT: f32 = 1.0;
            }
            mod made {
                pub fn area() {}
                made!();
            }";
        let from: Ident = syn::parse_str("f").unwrap();
        let place = place_in_text(&from, false, text).unwrap();
        names_shown_from(&place, &path.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn modules_show_what_is_public() {
        let names = |all: &[&str]| Some(all.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(shown(&["shapes"]), names(&["area", "Disk", "LIMIT"]));
        assert_eq!(shown(&["self", "shapes"]), shown(&["shapes"]));
        assert_eq!(shown(&["self"]), names(&["f", "shapes", "made"]));
        assert_eq!((shown(&["made"]), shown(&["missing"])), (None, None));
    }
}
