//! syn's tree → ours: what is outside the language becomes an error at its token. Resolves no names, knows no types.

mod assign;
mod checked;
mod choice;

mod contains;
mod data;
mod destructure;
mod element_chain;
mod expr;
mod expression_attribute;
mod for_each;
mod found_pair;
mod found_place;
mod from_slice;
mod function;
mod generics;
mod image;
mod implementation;
mod item;
mod iterate;
mod macros;
mod module;
mod option_place;
mod parallel;
mod pat;
mod places_loop;
mod scatter;
mod slice_statement;
mod sort;
mod source;
mod span;
mod statics;
mod stmt;
mod taken_apart;
mod temporary;
#[cfg(test)]
mod tests;
mod text;
mod ty;
mod unwrapped;
mod uses;
mod written_chain;

use gridwise_ir::arena::EntityId;
use proc_macro2::Ident;
use quote::ToTokens;

pub(crate) use data::{parse_alias, parse_device_struct, parse_enum};
pub(crate) use implementation::{default_fn, item_fn, parse_impl, parse_trait};
pub(crate) use item::{Role, Signature, parse_const, parse_fn, parse_struct, read_kernel};
pub(crate) use module::{ModuleItem, SourceItem, SourceItems};
pub(crate) use statics::const_of_static;
pub(crate) use ty::{elements_given, parse_type};

use crate::ast::{BindingId, Expr, ExprId, ExprKind, Path, SpanRange, Statement};
use crate::diag::{Diagnostic, Diagnostics, code};
use crate::gather::{is_own_subgroup, is_own_type, may_be_own_type, spell_raw, to_own_type};

/// Hands out the ids of one item and collects its errors.
pub(crate) struct Parser<'d> {
    diags: &'d mut Diagnostics,
    exprs: usize,
    bindings: usize,
    /// Statements that take parameters apart, before the body.
    prelude: Vec<Statement>,
    /// Variables that the alternatives of a pattern have in common.
    shared_names: Vec<(String, BindingId)>,
    /// Whether a `debug_assert!` or its like was met.
    has_debug: bool,
    /// Whether a `return` or `?` was met.
    returns_early: bool,
    /// How many of `return`, `?`, `break` and `continue` were met.
    jumps: usize,
    /// The imports of `use` in the blocks around, innermost last.
    imports: Vec<uses::Import>,
    /// Paths, and whether each is that of a type with the name of a built-in one.
    own_types: Vec<(Vec<Ident>, bool)>,
    /// How many `else` blocks of `let` are around.
    else_blocks: usize,
    /// The enums of which all names are imported.
    globs: Vec<Path>,
    /// Inside an `impl` or trait, where `self` and `Self` mean something.
    owned: bool,
    /// Inside a method with `&mut self`.
    writes_self: bool,
    /// Parameters whose elements are claimed before they are written.
    scatters: Vec<Ident>,
    /// Parameters and variables that are slices, as far as their form tells.
    slices: Vec<choice::NamedSlice>,
    /// Parameters and elements in loops that are `&mut` references, and variables that hide one.
    writers: Vec<(Ident, written_chain::Writer)>,
    /// Arrays of numbers and shared variables, as far as their form tells: of parts of one, a slice is chosen as a value.
    roots: Vec<Ident>,
    /// Variables that are arrays by their values.
    arrays: Vec<Ident>,
    /// Variables that are iterators by the methods that make them.
    chains: Vec<Ident>,
    /// How often the statements that are parsed stand in the function.
    copies: usize,
    /// The names of slices that are moved where they stand.
    moved: Vec<ExprId>,
    /// Whether what is parsed next surely has no value, so that a call at its end is a statement.
    is_unit: bool,
    /// Inside the code that claims an element.
    is_claim: bool,
    /// Inside a type in which references are the values that they lead to.
    lends: bool,
    /// In a struct that lies in no buffer, whose members may be slices.
    holds_slices: bool,
}

impl<'d> Parser<'d> {
    /// An expression that nobody wrote, or whose parts are parsed.
    fn node(&mut self, kind: ExprKind, span: SpanRange) -> Expr {
        Expr { id: self.next_expr(), kind, span }
    }

    /// Records an error of the item, as [`Diagnostics::error`] does.
    fn error(&mut self, code: code::Code, span: SpanRange, message: impl Into<String>) -> &mut Diagnostic {
        self.diags.error(code, span, message)
    }

    pub(crate) fn new(diags: &'d mut Diagnostics) -> Self {
        Self {
            diags,
            exprs: 0,
            bindings: 0,
            prelude: Vec::new(),
            shared_names: Vec::new(),
            has_debug: false,
            returns_early: false,
            jumps: 0,
            imports: Vec::new(),
            own_types: Vec::new(),
            else_blocks: 0,
            globs: Vec::new(),
            owned: false,
            writes_self: false,
            scatters: Vec::new(),
            slices: Vec::new(),
            writers: Vec::new(),
            roots: Vec::new(),
            arrays: Vec::new(),
            chains: Vec::new(),
            copies: 1,
            moved: Vec::new(),
            is_unit: false,
            is_claim: false,
            lends: false,
            holds_slices: false,
        }
    }

    fn next_expr(&mut self) -> ExprId {
        self.exprs += 1;
        ExprId::new(self.exprs - 1)
    }

    fn next_binding(&mut self) -> BindingId {
        self.bindings += 1;
        BindingId::new(self.bindings - 1)
    }

    /// Records that `what` is outside the language.
    fn unsupported(&mut self, node: impl ToTokens, what: &str, help: &str) -> &mut Diagnostic {
        let message = format!("{what} not supported in kernels");
        self.error(code::UNSUPPORTED_SYNTAX, SpanRange::of(node), message).help(help)
    }

    /// Records that attributes are outside the language here; lints and comments pass.
    fn check_attrs(&mut self, attrs: &[syn::Attribute]) {
        for attr in attrs {
            let quiet = ["allow", "expect", "warn", "deny", "forbid", "doc", "rustfmt", "clippy"];
            let first = attr.path().segments.first().map(|segment| &segment.ident);
            if !quiet.iter().any(|name| first.is_some_and(|first| first == name)) {
                let help = match first.map(ToString::to_string).unwrap_or_default().as_str() {
                    "cfg" | "cfg_attr" => "put it on the kernel, and write the kernel twice with opposite `cfg`s",
                    name if crate::infer::nearest(name, ["unroll"]).is_some() => "did you mean `#[unroll]`?",
                    _ => "remove the attribute",
                };
                self.unsupported(attr, "attributes on statements and expressions are", help);
            }
        }
    }

    fn error_expr(&mut self, node: impl ToTokens) -> Expr {
        self.node(ExprKind::Error, SpanRange::of(node))
    }

    /// A path; `None` after an error.
    fn path(&mut self, path: &syn::Path) -> Option<Path> {
        let mut generics = Vec::new();
        for (position, segment) in path.segments.iter().enumerate() {
            match &segment.arguments {
                syn::PathArguments::None => {}
                syn::PathArguments::AngleBracketed(args) => generics.push(self.path_args(position, args)),
                syn::PathArguments::Parenthesized(args) => {
                    let help = "it is for the bounds of type parameters: `F: Fn(f32) -> f32`";
                    self.unsupported(args, "a function's signature as a type is", help);
                    return None;
                }
            }
            let is_self = segment.ident == "Self" || (segment.ident == "self" && path.segments.len() == 1);
            if is_self && !self.owned {
                self.unsupported(&segment.ident, "`self` and `Self` are", "kernels and device fns are free functions");
                return None;
            }
        }
        let segments = path.segments.iter().map(|segment| segment.ident.clone()).collect();
        let path = Path { leading_colon: path.leading_colon.is_some(), segments, generics, through: None };
        let path = if self.imports.is_empty() { path } else { self.imported(path) };
        Some(self.with_own_type(path))
    }

    /// The paths of types that were taken for built-in ones.
    fn assumed_types(&self) -> Vec<Vec<Ident>> {
        let mut found: Vec<Vec<Ident>> = Vec::new();
        for (path, _) in self.own_types.iter().filter(|(_, is_own)| !is_own) {
            let path = to_own_type(path).to_vec();
            if !found.contains(&path) {
                found.push(path);
            }
        }
        found
    }

    /// A path whose type has the name of a built-in one, and is the crate's own: `self::Vec3` and `crate::math::r#Vec3`, which no built-in
    /// type is.
    fn with_own_type(&mut self, mut path: Path) -> Path {
        if !path.leading_colon && is_own_subgroup(&path.segments) {
            let module = Ident::new("self", path.segments[0].span());
            path.segments.insert(0, module);
            path.generics.iter_mut().for_each(|args| args.segment += 1);
            return path;
        }
        let Some(first) = path.segments.first().filter(|_| !path.leading_colon && may_be_own_type(&path.segments))
        else {
            return path;
        };
        if first == "self" {
            return path;
        }
        // All of an item stands in one module.
        let known = self.own_types.iter().find(|(known, _)| *known == path.segments).map(|(_, is_own)| *is_own);
        let is_own = known.unwrap_or_else(|| {
            let is_own = is_own_type(&path.segments);
            self.own_types.push((path.segments.clone(), is_own));
            is_own
        });
        if is_own && first == "crate" {
            path.segments.iter_mut().for_each(spell_raw);
        } else if is_own {
            let module = Ident::new("self", first.span());
            path.segments.insert(0, module);
            path.generics.iter_mut().for_each(|args| args.segment += 1);
        }
        path
    }
}
