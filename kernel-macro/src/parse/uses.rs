//! `use` inside functions: each path that begins with an imported name becomes the whole path, which is what gathering and
//! inference know. Must not change what a name means: a variable called like an imported function hides that, as in Rust.

use proc_macro2::Ident;
use syn::{Stmt, UseTree};

use super::Parser;
use crate::ast::{Path, SpanRange};
use crate::builtin::names::is_builtin;
use crate::diag::code;
use crate::gather::names_shown;
use crate::infer::{math_constants, nearest};

/// A name, and the path that it stands for: none for a variable, which hides what else has its name.
#[derive(Debug, Clone)]
pub(super) struct Import {
    name: Ident,
    leading_colon: bool,
    segments: Vec<Ident>,
}

impl Import {
    fn of(name: Ident, leading_colon: bool, segments: Vec<Ident>) -> Self {
        Self { name, leading_colon, segments }
    }
}

/// The names that a module gives to all who import them, where they are known.
fn names_in(module: &[Ident]) -> Option<Vec<String>> {
    match module {
        [library, float, consts] if consts == "consts" && (float == "f32" || float == "f64") => {
            (library == "std" || library == "core").then(|| math_constants().map(str::to_owned).collect())
        }
        _ => names_shown(module),
    }
}

impl Parser<'_> {
    /// Brings what a block imports into scope, wherever in the block that stands.
    pub(super) fn import_all(&mut self, statements: &[Stmt]) {
        let first = self.imports.len();
        for statement in statements {
            if let Stmt::Item(syn::Item::Use(item)) = statement {
                self.check_attrs(&item.attrs);
                self.import(&item.tree, item.leading_colon.is_some(), &mut Vec::new(), first);
            }
        }
    }

    /// `first`: where the imports of the block begin.
    fn import(&mut self, tree: &UseTree, leading_colon: bool, before: &mut Vec<Ident>, first: usize) {
        let (name, last) = match tree {
            UseTree::Path(path) => {
                before.push(path.ident.clone());
                self.import(&path.tree, leading_colon, before, first);
                before.pop();
                return;
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, leading_colon, before, first));
                return;
            }
            UseTree::Glob(glob) => return self.glob(glob, leading_colon, before, first),
            UseTree::Name(name) => (&name.ident, &name.ident),
            UseTree::Rename(rename) => (&rename.rename, &rename.ident),
        };
        // A trait for its methods only.
        if name == "_" {
            return;
        }
        let mut segments = before.clone();
        if last == "self" {
            let Some(module) = segments.last() else { return };
            let name = if name == "self" { module } else { name }.clone();
            return self.imports.push(Import::of(name, leading_colon, segments));
        }
        segments.push(last.clone());
        // The first one may be imported, too.
        let Path { leading_colon, segments, .. } = self.imported(Path::plain(leading_colon, segments));
        self.imports.push(Import::of(name.clone(), leading_colon, segments));
    }

    /// Built-in enums have their names without `use`. The names of other enums are not known here: such an enum is
    /// gathered first. Those of a module are in the text of its file.
    fn glob(&mut self, glob: &syn::UseGlob, leading_colon: bool, before: &[Ident], first: usize) {
        let is_known = before.first().is_some_and(|first| first == "gridwise" || first == "glam");
        let is_type =
            before.last().is_some_and(|last| last.to_string().starts_with(|first: char| first.is_uppercase()));
        if is_known {
            return;
        }
        if is_type {
            let path = self.imported(Path::plain(leading_colon, before.to_vec()));
            return self.globs.push(path);
        }
        if let Some(names) = names_in(before).filter(|_| !leading_colon) {
            let imports = names.into_iter().map(|name| {
                let name = Ident::new(&name, glob.star_token.spans[0]);
                let Path { segments, .. } =
                    self.imported(Path::plain(false, [before, std::slice::from_ref(&name)].concat()));
                Import::of(name, false, segments)
            });
            // Single names hide them.
            let imports: Vec<_> = imports.collect();
            self.imports.splice(first..first, imports);
            return;
        }
        let path = before.iter().map(ToString::to_string).collect::<Vec<_>>().join("::");
        let help = format!("name the items: `use {path}::{{A, B}};`");
        self.unsupported(glob, "`use` of all names of a module that is not known here is", &help);
    }

    /// Reads something whose patterns bring variables into scope for itself only.
    pub(super) fn scope<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        let imports = self.imports.len();
        let result = read(self);
        self.imports.truncate(imports);
        result
    }

    /// A path with what its first segment was imported as.
    pub(super) fn imported(&mut self, mut path: Path) -> Path {
        let Some(first) = path.segments.first().filter(|_| !path.leading_colon) else { return path };
        // Of several segments, the first is a module or type, which no variable hides.
        let is_name = path.segments.len() == 1;
        let is_meant = |import: &&Import| import.name == *first && (is_name || !import.segments.is_empty());
        let Some(import) = self.imports.iter().rev().find(is_meant) else { return path };
        let span = first.span();
        let mut segments = import.segments.clone();
        let Some(last) = segments.last_mut() else { return path };
        last.set_span(span);
        let added = segments.len() - 1;
        segments.extend(path.segments.drain(1..));
        path.leading_colon = import.leading_colon;
        path.generics.iter_mut().for_each(|args| args.segment += added);
        Path { segments, ..path }
    }

    /// A path that stands for a value, a function or a variant. One that only nearly is an imported variant is a slip of the pen.
    pub(super) fn value_path(&mut self, path: &syn::Path) -> Option<Path> {
        let found = self.path(path)?;
        if let Some(name) = found.as_name() {
            self.check_variant(name);
        }
        Some(found)
    }

    pub(super) fn check_variant(&mut self, name: &Ident) {
        let text = name.to_string();
        let is_type_like = text.starts_with(|first: char| first.is_uppercase()) && text.contains(char::is_lowercase);
        let is_imported = self.imports.iter().any(|import| import.name == *name);
        // The names that a star brings are not known yet.
        if !is_type_like || is_imported || !self.globs.is_empty() || is_builtin(&Path::plain(false, vec![name.clone()]))
        {
            return;
        }
        let variants = self.imports.iter().filter(|import| {
            let owner = import.segments.iter().rev().nth(1);
            owner.is_some_and(|owner| owner.to_string().starts_with(|first: char| first.is_uppercase()))
        });
        let names: Vec<String> = variants.map(|import| import.name.to_string()).collect();
        // A name that begins with the other one may well be something else: `Node` and `Nodes`.
        let other = |near: &&str| !near.starts_with(&text) && !text.starts_with(near);
        if let Some(near) = nearest(&text, names.iter().map(String::as_str).filter(other)) {
            let message = format!("cannot find `{text}` in this scope");
            let error = self.error(code::UNKNOWN_NAME, SpanRange::token(name.span()), message);
            error.help(format!("a variant with a similar name is imported: `{near}`"));
        }
    }

    /// A name in a pattern that was imported, as that of a const or variant. A small letter begins a variable: rustc refuses it
    /// where something else than a function is imported.
    pub(super) fn imported_pattern(&mut self, name: &Ident) -> Option<Path> {
        let import = self.imports.iter().rev().find(|import| import.name == *name)?;
        if import.segments.is_empty() {
            return None;
        }
        if name.to_string().starts_with(|first: char| first.is_uppercase()) {
            return Some(self.imported(Path::plain(false, vec![name.clone()])));
        }
        self.imports.push(Import::of(name.clone(), false, Vec::new()));
        None
    }
}
