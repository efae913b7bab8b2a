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

/// One name or star of a `use`, with the path before it.
struct Leaf<'u> {
    leading_colon: bool,
    before: Vec<Ident>,
    end: End<'u>,
}

enum End<'u> {
    /// The last segment, and the name that it gets.
    Name { last: &'u Ident, name: &'u Ident },
    /// All names of a module, where these are known.
    Module { star: &'u syn::UseGlob, names: Option<Vec<String>> },
    /// All variants of an enum.
    Enum,
}

impl<'u> Leaf<'u> {
    fn collect(tree: &'u UseTree, leading_colon: bool, before: &mut Vec<Ident>, found: &mut Vec<Self>) {
        let end = match tree {
            UseTree::Path(path) => {
                before.push(path.ident.clone());
                Self::collect(&path.tree, leading_colon, before, found);
                before.pop();
                return;
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| Self::collect(tree, leading_colon, before, found));
            }
            UseTree::Name(name) => End::Name { last: &name.ident, name: &name.ident },
            UseTree::Rename(rename) => End::Name { last: &rename.ident, name: &rename.rename },
            UseTree::Glob(star) => match before.last() {
                // Built-in enums have their names without `use`.
                _ if before.first().is_some_and(|first| first == "gridwise" || first == "glam") => return,
                Some(last) if last.to_string().starts_with(|first: char| first.is_uppercase()) => End::Enum,
                _ => End::Module { star, names: names_in(before).filter(|_| !leading_colon) },
            },
        };
        found.push(Self { leading_colon, before: before.clone(), end });
    }

    /// Whether the path begins with a name that another one brings.
    fn needs(&self, other: &Self) -> bool {
        let Some(first) = self.before.first().filter(|_| !self.leading_colon) else { return false };
        match &other.end {
            End::Name { name, .. } => *name == first,
            End::Module { names, .. } => names.iter().flatten().any(|name| first == name),
            End::Enum => false,
        }
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
    /// Brings what a block imports into scope, wherever in the block that stands, and in whatever order.
    pub(super) fn import_all(&mut self, statements: &[Stmt]) {
        let first = self.imports.len();
        let mut leaves = Vec::new();
        for statement in statements {
            if let Stmt::Item(syn::Item::Use(item)) = statement {
                self.check_attrs(&item.attrs);
                Leaf::collect(&item.tree, item.leading_colon.is_some(), &mut Vec::new(), &mut leaves);
            }
        }
        while !leaves.is_empty() {
            let is_next = |(index, leaf): (usize, &Leaf<'_>)| {
                leaves.iter().enumerate().all(|(other, it)| other == index || !leaf.needs(it))
            };
            let next = leaves.iter().enumerate().position(is_next).unwrap_or(0);
            let leaf = leaves.remove(next);
            self.import(leaf, first);
        }
    }

    /// `first`: where the imports of the block begin.
    fn import(&mut self, Leaf { leading_colon, mut before, end }: Leaf<'_>, first: usize) {
        match end {
            // A trait for its methods only.
            End::Name { name, .. } if name == "_" => {}
            End::Name { last, name } if last == "self" => {
                let Some(module) = before.last() else { return };
                let name = if name == "self" { module } else { name }.clone();
                self.imports.push(Import::of(name, leading_colon, before));
            }
            End::Name { last, name } => {
                before.push(last.clone());
                // The first one may be imported, too.
                let Path { leading_colon, segments, .. } = self.imported(Path::plain(leading_colon, before));
                self.imports.push(Import::of(name.clone(), leading_colon, segments));
            }
            // Its names are not known here: the enum is gathered first.
            End::Enum => {
                let path = self.imported(Path::plain(leading_colon, before));
                self.globs.push(path);
            }
            End::Module { star, names } => {
                let names =
                    names.or_else(|| names_in(&self.imported(Path::plain(leading_colon, before.clone())).segments));
                let Some(names) = names.filter(|_| !leading_colon) else { return self.refuse_star(star, &before) };
                let imports = names.into_iter().map(|name| {
                    let name = Ident::new(&name, star.star_token.spans[0]);
                    let Path { segments, .. } =
                        self.imported(Path::plain(false, [&before[..], std::slice::from_ref(&name)].concat()));
                    Import::of(name, false, segments)
                });
                // Single names hide them.
                let imports: Vec<_> = imports.collect();
                self.imports.splice(first..first, imports);
            }
        }
    }

    fn refuse_star(&mut self, star: &syn::UseGlob, module: &[Ident]) {
        let path = module.iter().map(ToString::to_string).collect::<Vec<_>>().join("::");
        let help = format!("name the items: `use {path}::{{A, B}};`");
        self.unsupported(star, "`use` of all names of a module that is not known here is", &help);
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
