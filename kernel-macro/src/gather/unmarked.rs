//! Items that kernels name and that lack the attribute by which kernels find them: looked for in the text of the source files.
//! A macro cannot ask rustc whether there is another one, so a name without one would end the expansion. Must be sure: whatever
//! the text leaves open is rustc's to report. Reads files of the crate only.
//!
//! If the text leaves open what a name means, the item is checked once without it, so that its other errors show. Then
//! rustc reports the missing macro and names the macro that asked for it: hence the callback's name,
//! `names_in_kernels_need_the_device_attribute`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path as FilePath, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use proc_macro2::Ident;

use super::outline::{Import, Item, Kind, Scope, outline};
use crate::ast::Path;

/// An item without its attribute.
#[derive(Debug, Clone)]
pub(crate) struct Unmarked {
    /// `function`, `const`, `struct`, `enum`, `type alias` or `trait`.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// File and line of its name.
    pub(crate) place: String,
    /// The item as its author wrote it, without attributes.
    pub(crate) text: String,
    /// Names of functions without the attribute that it calls, directly or not.
    pub(crate) others: Vec<String>,
}

/// How the name of the hidden module begins that has the items of a function, before the function's own name.
pub(crate) const ITEMS_OF: &str = "__gridwise_items_of_";

/// How many imports may lead to an item, and how many files above it there may be.
const MAX_STEPS: usize = 16;

/// Attributes that leave a function, const or type what it is.
const HARMLESS: &[&str] = &[
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

/// The result of a search for a path in the text of the files.
#[derive(Debug)]
pub(crate) enum Lookup {
    Unmarked(Unmarked),
    /// An item of Rust's library, by its whole path.
    Library(String),
    /// Nothing has that name in the scope: it is inference's to report.
    Absent,
    /// The item has an attribute, or stands in a module with one.
    Marked,
    /// It is not in the files of the crate, or not found there.
    Unknown,
}

/// Searches for the item that `path` names in the scope of `from`; `in_module`: `from` is a module, in which the path
/// stands.
pub(crate) fn seek(path: &Path, from: &Ident, in_module: bool) -> Lookup {
    if let Some(found) = in_library(path) {
        return found;
    }
    // The items of a function stand in its text, where paths to the module around are one step shorter.
    let is_of_function = from.to_string().starts_with(ITEMS_OF);
    if is_of_function && path.segments.len() > 1 {
        return Lookup::Unknown;
    }
    match place_of(from, in_module).and_then(|place| in_place(path, &place)) {
        // It may be the body's.
        Some(Lookup::Absent) | None if is_of_function => Lookup::Unknown,
        found => found.unwrap_or(Lookup::Unknown),
    }
}

/// The same, in a file that is only a text.
#[cfg(test)]
pub(crate) fn seek_in(path: &Path, from: &Ident, in_module: bool, text: &str) -> Lookup {
    if let Some(found) = in_library(path) {
        return found;
    }
    place_in_text(from, in_module, text).and_then(|place| in_place(path, &place)).unwrap_or(Lookup::Unknown)
}

#[cfg(test)]
pub(super) fn place_in_text(from: &Ident, in_module: bool, text: &str) -> Option<Place> {
    let scopes = Arc::new(outline(text).expect("brackets match"));
    let lines = Arc::new(Lines::of(&scopes));
    place_in(File { path: "a.rs".into(), text: text.into(), scopes, lines, is_only_text: true }, from, in_module)
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

/// Whether a path is that of the facade's prelude, which has nothing that is gathered.
fn is_prelude(first: &str, path: &[String]) -> bool {
    path.len() == 2
        && path[1] == "prelude"
        && crate::krate::facade_path().to_string().trim_start_matches([':', ' ']) == first
}

/// An item of Rust's library whose whole path is written.
fn in_library(path: &Path) -> Option<Lookup> {
    let first = path.segments.first().filter(|_| path.segments.len() > 1)?;
    is_library(&first.to_string()).then(|| Lookup::Library(path.text()))
}

/// Whether a path that begins so leads to Rust's library.
fn is_library(first: &str) -> bool {
    matches!(first, "std" | "core" | "alloc")
}

fn in_place(path: &Path, place: &Place) -> Option<Lookup> {
    if path.leading_colon {
        return None;
    }
    let segments: Vec<String> = path.segments.iter().map(ToString::to_string).collect();
    if let [name] = segments.as_slice()
        && place.around().all(|place| place.lacks(name, 0))
    {
        return Some(Lookup::Absent);
    }
    Some(match find(place, &segments, 0)? {
        Hit::Item(found) => found.unmarked().map_or(Lookup::Marked, Lookup::Unmarked),
        Hit::Library(path) => Lookup::Library(path),
    })
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

/// A source file with its outline.
#[derive(Debug)]
struct File {
    path: PathBuf,
    text: Arc<str>,
    scopes: Arc<Vec<Scope>>,
    lines: Arc<Lines>,
    /// Whether there is no such file, as in tests.
    is_only_text: bool,
}

/// The names of an outline by their lines: files may have thousands of items, and each of them is looked for.
#[derive(Debug)]
struct Lines {
    /// Scopes that have an item with its name on the line.
    items: BTreeMap<u32, BTreeSet<usize>>,
    /// Functions of `impl`s and traits.
    associated: BTreeSet<(u32, String)>,
}

impl Lines {
    fn of(scopes: &[Scope]) -> Self {
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
    fn read(path: PathBuf) -> Option<Self> {
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

    /// Whether the file is surely a module: the crate's own, or declared by another file.
    fn is_module(&self) -> bool {
        self.is_only_text || is_crate(&self.path) || above(&self.path).next().is_some()
    }

    /// The folder of the files of modules that are declared in the file's first scope.
    fn folder(&self) -> Vec<PathBuf> {
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

/// A scope of a file.
#[derive(Debug, Clone)]
pub(super) struct Place {
    file: Rc<File>,
    scope: usize,
}

/// The item or module that a path leads to.
enum Hit {
    Item(Found),
    /// An item of Rust's library, by its whole path.
    Library(String),
}

impl Hit {
    fn item(self) -> Option<Found> {
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

impl Place {
    pub(super) fn scope(&self) -> &Scope {
        &self.file.scopes[self.scope]
    }

    fn at(&self, scope: usize) -> Self {
        Self { file: Rc::clone(&self.file), scope }
    }

    /// The module around.
    fn module(&self) -> Self {
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
    fn lacks(&self, name: &str, steps: usize) -> bool {
        let scope = self.scope();
        if steps > MAX_STEPS || scope.has_macros {
            return false;
        }
        // A file that another one includes has what stands around it there.
        if self.scope == 0 && !self.file.is_module() {
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
    fn parent(&self) -> Option<Self> {
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

/// Whether rustc was told to compile a file.
fn is_crate(path: &FilePath) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let is_it = |argument: String| {
        argument.ends_with(".rs") && FilePath::new(&argument).canonicalize().is_ok_and(|it| it == path)
    };
    std::env::args().any(is_it)
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
fn find(place: &Place, segments: &[String], steps: usize) -> Option<Hit> {
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

/// Whether an attribute is one that writes no items but those of ours.
fn is_known(attr: &str) -> bool {
    let word = first_word(attr);
    HARMLESS.contains(&word) || ["derive", "device", "kernel", "test", "gridwise", "macro_use", "path"].contains(&word)
}

fn begins_with(attr: &str, name: &str) -> bool {
    first_word(attr) == name
}

fn first_word(attr: &str) -> &str {
    let attr = attr.trim_start();
    attr.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default()
}

impl Found {
    pub(super) fn item(&self) -> &Item {
        &self.place.scope().items[self.item]
    }

    pub(super) fn text(&self) -> &str {
        &self.place.file.text[self.item().text.clone()]
    }

    /// Whether it has a macro of ours, as far as the text tells.
    pub(super) fn is_marked(&self) -> bool {
        !self.is_unmarked()
    }

    /// The item, if it surely has no macro of ours.
    fn unmarked(&self) -> Option<Unmarked> {
        let mut others = Vec::new();
        self.is_unmarked().then(|| {
            self.callees(&mut others, 0);
            let item = self.item();
            let kind = match item.kind {
                Kind::Fn => "function",
                Kind::Const => "const",
                Kind::Struct => "struct",
                Kind::Enum => "enum",
                Kind::Alias => "type alias",
                Kind::Trait => "trait",
                Kind::Static => "static",
                Kind::Mod(_) => "item",
            };
            others.retain(|name| *name != item.name);
            Unmarked {
                kind,
                name: item.name.clone(),
                place: format!("{}:{}", self.place.file.path.display(), item.line),
                text: self.text().to_owned(),
                others,
            }
        })
    }

    fn is_unmarked(&self) -> bool {
        let item = self.item();
        if matches!(item.kind, Kind::Mod(_)) {
            return false;
        }
        let is_harmless = |attr: &String| match first_word(attr) {
            "derive" => !attr.contains("GpuData"),
            word => HARMLESS.contains(&word),
        };
        // A module around may have the attribute, or a macro's that rewrites it.
        let place = &self.place;
        let mut modules = std::iter::successors(Some(place.module()), |module| {
            (module.scope != 0).then(|| module.parent()).flatten()
        });
        item.attrs.iter().all(is_harmless)
            && modules.all(|module| {
                let is_it = |item: &&Item| item.kind == Kind::Mod(Some(module.scope));
                let declared = module.file.scopes.iter().flat_map(|scope| &scope.items).find(is_it);
                declared.is_none_or(|item| item.attrs.iter().all(is_harmless))
            })
    }

    /// Functions that a function calls and that lack the attribute, too.
    fn callees(&self, others: &mut Vec<String>, depth: usize) {
        if depth > MAX_STEPS || self.item().kind != Kind::Fn {
            return;
        }
        let Ok(tokens) = self.text().parse::<proc_macro2::TokenStream>() else { return };
        let mut called = Vec::new();
        collect_calls(tokens, &mut called);
        for name in called {
            let found = find(&self.place, std::slice::from_ref(&name), depth).and_then(Hit::item);
            if let Some(found) = found
                && found.item().kind == Kind::Fn
                && !others.contains(&name)
                && found.is_unmarked()
            {
                others.push(name);
                found.callees(others, depth + 1);
            }
        }
    }
}

/// Bare names that are called.
fn collect_calls(tokens: proc_macro2::TokenStream, called: &mut Vec<String>) {
    use proc_macro2::{Delimiter, TokenTree};
    let mut before = None;
    let mut is_bare = true;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                if let (Delimiter::Parenthesis, Some(name)) = (group.delimiter(), before.take()) {
                    called.push(name);
                }
                collect_calls(group.stream(), called);
                is_bare = true;
            }
            TokenTree::Ident(name) => {
                before = is_bare.then(|| name.to_string());
                is_bare = name != "fn";
            }
            TokenTree::Punct(punct) => {
                before = None;
                is_bare = !matches!(punct.as_char(), '.' | ':');
            }
            TokenTree::Literal(_) => {
                before = None;
                is_bare = true;
            }
        }
    }
}
