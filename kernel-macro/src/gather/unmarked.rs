//! Items that kernels name and that lack the attribute by which kernels find them: looked for in the text of the source files.
//! A macro cannot ask rustc whether there is another one, so a name without one would end the expansion. Must be sure: whatever
//! the text leaves open is rustc's to report. Reads files of the crate only.
//!
//! If the text leaves open what a name means, the item is checked once without it, so that its other errors show. Then
//! rustc reports the missing macro and names the macro that asked for it: hence the callback's name,
//! `names_in_kernels_need_the_device_attribute`.

use proc_macro2::Ident;

use super::outline::{Item, Kind};
#[cfg(test)]
use super::place::place_in_text;
use super::place::{Found, HARMLESS, Hit, ITEMS_OF, MAX_STEPS, Place, find, first_word, is_library, place_of};
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

/// An item of Rust's library whose whole path is written.
fn in_library(path: &Path) -> Option<Lookup> {
    let first = path.segments.first().filter(|_| path.segments.len() > 1)?;
    is_library(&first.to_string()).then(|| Lookup::Library(path.text()))
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

impl Found {
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
