//! `use` inside functions: each path that begins with an imported name becomes the whole path, which is what gathering and
//! inference know. Must not change what a name means: a variable called like an imported function is refused.

use proc_macro2::Ident;
use syn::{Stmt, UseTree};

use super::Parser;
use crate::ast::{Path, SpanRange};
use crate::diag::code;

/// A name, and the path that it stands for.
#[derive(Debug, Clone)]
pub(super) struct Import {
    name: Ident,
    leading_colon: bool,
    segments: Vec<Ident>,
}

impl Parser<'_> {
    /// Brings what a block imports into scope, wherever in the block that stands.
    pub(super) fn import_all(&mut self, statements: &[Stmt]) {
        for statement in statements {
            if let Stmt::Item(syn::Item::Use(item)) = statement {
                self.check_attrs(&item.attrs);
                self.import(&item.tree, item.leading_colon.is_some(), &mut Vec::new());
            }
        }
    }

    fn import(&mut self, tree: &UseTree, leading_colon: bool, before: &mut Vec<Ident>) {
        let (name, last) = match tree {
            UseTree::Path(path) => {
                before.push(path.ident.clone());
                self.import(&path.tree, leading_colon, before);
                before.pop();
                return;
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, leading_colon, before));
                return;
            }
            UseTree::Glob(glob) => return self.check_glob(glob, before),
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
            return self.imports.push(Import { name, leading_colon, segments });
        }
        segments.push(last.clone());
        self.imports.push(Import { name: name.clone(), leading_colon, segments });
    }

    /// What is built in has its names without `use`; which names others have is not known here.
    fn check_glob(&mut self, glob: &syn::UseGlob, before: &[Ident]) {
        let is_known = before.first().is_some_and(|first| {
            let first = first.to_string();
            first == "gridwise" || first == "glam"
        });
        if is_known {
            return;
        }
        let path = before.iter().map(ToString::to_string).collect::<Vec<_>>().join("::");
        let help = format!("name what is used: `use {path}::{{A, B}};`");
        self.unsupported(glob, "`use` of all names inside a function is", &help);
    }

    /// A path with what its first segment was imported as.
    pub(super) fn imported(&mut self, mut path: Path) -> Path {
        let Some(first) = path.segments.first().filter(|_| !path.leading_colon) else { return path };
        let Some(import) = self.imports.iter().rev().find(|import| import.name == *first) else { return path };
        let span = first.span();
        let mut segments = import.segments.clone();
        if let Some(last) = segments.last_mut() {
            last.set_span(span);
        }
        let added = segments.len() - 1;
        segments.extend(path.segments.drain(1..));
        path.leading_colon = import.leading_colon;
        path.generics.iter_mut().for_each(|args| args.segment += added);
        Path { segments, ..path }
    }

    /// A name in a pattern that was imported, as that of a const or variant.
    pub(super) fn imported_pattern(&mut self, name: &Ident) -> Option<Path> {
        let import = self.imports.iter().rev().find(|import| import.name == *name)?;
        if name.to_string().starts_with(|first: char| first.is_uppercase()) {
            return Some(self.imported(Path::plain(false, vec![name.clone()])));
        }
        let path = import.segments.iter().map(ToString::to_string).collect::<Vec<_>>().join("::");
        self.diags
            .error(
                code::UNSUPPORTED_SYNTAX,
                SpanRange::token(name.span()),
                format!("a variable `{name}` beside the `use {path}` of this function is not supported in kernels"),
            )
            .help("give one of them another name");
        None
    }
}
