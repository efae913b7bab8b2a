//! Slices and `&mut` references that are one of several, `let from = if even { a } else { b };`: the statements behind the `let` stand in
//! each arm, so that each keeps to one place. Parts of one slice to read are left to `infer/chosen_slice.rs`, which copies nothing. Knows names
//! and not types: what it takes apart means the same either way.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, FnArg, Local, Pat, Stmt, Type};

use super::Parser;
use super::ty::ungroup;
use crate::ast;
use crate::ast::{ScalarName, SpanRange};
use crate::diag::code;

/// How often the statements behind such variables stand in a kernel at most.
const MAX_COPIES: usize = 8;

/// A parameter or variable that is a slice.
#[derive(Clone)]
pub(super) struct NamedSlice {
    pub(super) name: Ident,
    is_written: bool,
    /// The parameter or variable that it is a part of, where the name is still that one's; of numbers, or of a kernel's.
    root: Option<Ident>,
}

impl Parser<'_> {
    /// Notes the parameters that are slices.
    pub(super) fn note_slice_parameters<'t>(&mut self, params: impl Iterator<Item = &'t FnArg>) {
        for param in params {
            if let FnArg::Typed(typed) = param
                && let Pat::Ident(name) = &*typed.pat
                && let Some((is_written, element)) = slice_type(&typed.ty)
            {
                let name = name.ident.clone();
                let root = is_number(element).then(|| name.clone());
                self.slices.push(NamedSlice { name, is_written, root });
            }
        }
    }

    /// Notes a variable of whose parts one may be chosen as a value.
    pub(super) fn note_root(&mut self, local: &Local) {
        let is_literal = |element: &Expr| {
            matches!(element, Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(_) | syn::Lit::Float(_), .. }))
        };
        let (Pat::Ident(name), Some(init)) = (untyped(&local.pat), &local.init) else { return };
        let is_root = match &*init.expr {
            Expr::Array(array) => array.elems.iter().any(is_literal),
            Expr::Repeat(array) => is_literal(&array.expr),
            Expr::Call(call) => names_shared(call.func.to_token_stream()),
            _ => false,
        };
        if is_root {
            self.roots.push(name.ident.clone());
        }
    }

    /// The variable that a slice to read is a part of; `None` where that is not known, and of one that is written.
    fn root_of(&self, slice: &Expr) -> Option<&Ident> {
        match slice {
            Expr::Paren(inner) => self.root_of(&inner.expr),
            Expr::Reference(part) if part.mutability.is_none() => match &*part.expr {
                Expr::Index(index) if matches!(*index.index, Expr::Range(_)) => self.whole_root(&index.expr),
                _ => None,
            },
            Expr::Path(path) => {
                let slice = self.named_slice(path.path.get_ident()?).filter(|slice| !slice.is_written)?;
                slice.root.as_ref()
            }
            _ => None,
        }
    }

    fn whole_root(&self, whole: &Expr) -> Option<&Ident> {
        let Expr::Path(path) = whole else { return None };
        let name = path.path.get_ident()?;
        match self.named_slice(name) {
            Some(slice) => slice.root.as_ref(),
            None => self.roots.iter().find(|root| *root == name),
        }
    }

    fn named_slice(&self, name: &Ident) -> Option<&NamedSlice> {
        self.slices.iter().rev().find(|slice| slice.name == *name)
    }

    /// For each variable of a `let` the one slice of whose parts it is one; `None` where it may be one of several.
    fn roots_of(&self, local: &Local) -> Option<Vec<(Ident, Ident)>> {
        let mut ends = Vec::new();
        ends_of(&local.init.as_ref()?.expr, &mut ends)?;
        let one = |name: &Pat, ends: &mut dyn Iterator<Item = Option<&Expr>>| {
            let Pat::Ident(name) = name else { return None };
            let mut roots = ends.map(|end| self.root_of(end?));
            let root = roots.next().flatten()?;
            roots.all(|other| other == Some(root)).then(|| (name.ident.clone(), root.clone()))
        };
        match untyped(&local.pat) {
            Pat::Tuple(names) => {
                let names = names.elems.iter().enumerate();
                names.map(|(position, name)| one(name, &mut ends.iter().map(|end| member_of(end, position)))).collect()
            }
            name => one(name, &mut ends.into_iter().map(Some)).map(|found| vec![found]),
        }
    }

    /// The variables of a `let` that are slices by how they are made, with whether they are written.
    pub(super) fn slices_of(&self, local: &Local) -> Vec<NamedSlice> {
        let Some(init) = &local.init else { return Vec::new() };
        let named = |name: &syn::PatIdent, is_written, root: Option<&Ident>| NamedSlice {
            name: name.ident.clone(),
            is_written,
            root: root.cloned(),
        };
        match (untyped(&local.pat), &*init.expr) {
            (Pat::Ident(name), value) => {
                let is_written = self.slice_in(value, is_typed(local));
                let found = is_written.map(|is_written| named(name, is_written, self.root_of(value)));
                match found {
                    Some(slice) => vec![slice],
                    None => self.chosen_slices(local),
                }
            }
            (Pat::Tuple(names), Expr::MethodCall(call)) if call.method.to_string().starts_with("split_at") => {
                let (is_written, root) = (call.method == "split_at_mut", self.whole_root(&call.receiver));
                let names = names.elems.iter().filter_map(|name| match name {
                    Pat::Ident(name) => Some(named(name, is_written, root)),
                    _ => None,
                });
                names.collect()
            }
            _ => self.chosen_slices(local),
        }
    }

    fn chosen_slices(&self, local: &Local) -> Vec<NamedSlice> {
        let chosen = self.roots_of(local).unwrap_or_default().into_iter();
        chosen.map(|(name, root)| NamedSlice { name, is_written: false, root: Some(root) }).collect()
    }

    /// Forgets what a name was before a pattern binds it anew: `let a = a[i];` is no slice.
    pub(super) fn forget(&mut self, name: &Ident) {
        self.slices.retain(|slice| slice.name != *name);
        for slice in &mut self.slices {
            slice.root = slice.root.take().filter(|root| root != name);
        }
        self.arrays.retain(|array| array != name);
        self.chains.retain(|chain| chain != name);
        self.roots.retain(|root| root != name);
    }

    /// `let name = if c { a } else { b };` of slices with what stands behind it; `None` for other statements.
    pub(super) fn chosen(&mut self, local: &Local, rest: &[Stmt]) -> Option<ast::Expr> {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none() && !rest.is_empty())?;
        let is_named = match untyped(&local.pat) {
            Pat::Ident(name) => name.by_ref.is_none() && name.subpat.is_none(),
            Pat::Tuple(names) => {
                names.elems.iter().all(|name| matches!(name, Pat::Ident(name) if name.by_ref.is_none()))
            }
            _ => false,
        };
        let arms = self.arms(&init.expr, local).filter(|&arms| is_named && arms > 1)?;
        if self.roots_of(local).is_some() {
            return None;
        }
        let span = SpanRange::of(&local.pat);
        let copies = self.copies * arms;
        if copies > MAX_COPIES {
            self.error(
                code::BUFFER_USE,
                span,
                format!("this slice is one of {arms}, after others that are one of several"),
            )
            .note(format!(
                "kernels have no pointers: what stands behind is compiled for each of the slices, here {copies} times, \
                     and at most {MAX_COPIES} times",
            ))
            .help("move the code that uses it into a function of a slice, and call that with the one or the other");
            return Some(self.error_expr(&local.pat));
        }
        if rest.iter().any(|statement| names_shared(statement.to_token_stream())) {
            self.error(code::BUFFER_USE, span, "shared memory is declared behind this slice, which is one of several")
                .note("kernels have no pointers: what stands behind is compiled for each of the slices")
                .help("declare the `Shared` variables before it");
            return Some(self.error_expr(&local.pat));
        }
        let mut whole = (*init.expr).clone();
        self.fill(&mut whole, local, rest);
        let outer = std::mem::replace(&mut self.copies, copies);
        let expr = self.expr(&whole);
        self.copies = outer;
        Some(expr)
    }

    /// How many slices an expression chooses from; `None` for one that does anything else.
    fn arms(&self, expr: &Expr, local: &Local) -> Option<usize> {
        match expr {
            Expr::If(choice) if !has_let(&choice.cond) => {
                let (_, otherwise) = choice.else_branch.as_ref()?;
                Some(self.arms_of(&choice.then_branch, local)? + self.arms(otherwise, local)?)
            }
            Expr::Block(block) if block.label.is_none() => self.arms_of(&block.block, local),
            Expr::Match(choice) if choice.arms.iter().all(|arm| binds_nothing(&arm.pat)) => {
                choice.arms.iter().map(|arm| self.arms(&arm.body, local)).sum()
            }
            Expr::Return(_) | Expr::Continue(_) => Some(0),
            Expr::Tuple(tuple) => {
                let Pat::Tuple(names) = untyped(&local.pat) else { return None };
                let fits = names.elems.len() == tuple.elems.len()
                    && tuple.elems.iter().all(|element| self.slice_in(element, false).is_some())
                    && !overlaps(names, tuple);
                fits.then_some(1)
            }
            // Of whatever it leads to, a reference that writes is the name of a place.
            Expr::Reference(reference) if reference.mutability.is_some() && is_named(local) => Some(1),
            expr => (is_named(local) && self.slice_in(expr, is_typed(local)).is_some()).then_some(1),
        }
    }

    fn arms_of(&self, block: &syn::Block, local: &Local) -> Option<usize> {
        match block.stmts.as_slice() {
            [Stmt::Expr(expr, None)] => self.arms(expr, local),
            // Leaves the function or the round of the loop.
            [Stmt::Expr(expr @ (Expr::Return(_) | Expr::Continue(_)), Some(_))] => self.arms(expr, local),
            _ => None,
        }
    }

    /// Whether the slice that an expression is by its form is written, or that which it names; of a variable with a type also `&own`.
    /// `None` for what is no slice.
    fn slice_in(&self, expr: &Expr, is_typed: bool) -> Option<bool> {
        match expr {
            Expr::Paren(inner) => self.slice_in(&inner.expr, is_typed),
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                self.named_slice(name).map(|slice| slice.is_written)
            }
            Expr::Reference(reference) => {
                let is_slice = match &*reference.expr {
                    Expr::Index(index) => matches!(*index.index, Expr::Range(_)),
                    Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => {
                        self.slice_in(expr, false).is_some()
                    }
                    Expr::Path(_) => is_typed,
                    _ => false,
                };
                is_slice.then_some(reference.mutability.is_some())
            }
            _ => None,
        }
    }

    /// The `let` of an arm: one for each name.
    fn lets(&self, local: &Local, value: &Expr) -> Vec<Local> {
        let with = |pat: &Pat, value: &Expr| {
            let mut made = local.clone();
            made.pat = pat.clone();
            if let Some(init) = &mut made.init {
                *init.expr = self.whole(value, is_typed(local));
            }
            made
        };
        match (&local.pat, value) {
            (Pat::Tuple(names), Expr::Tuple(tuple)) => {
                names.elems.iter().zip(&tuple.elems).map(|(name, value)| with(name, value)).collect()
            }
            (pat, value) => vec![with(pat, value)],
        }
    }

    /// `&*a` as `&a[..]`, the name of a slice that is written as `&mut a[..]`, and others as they are.
    /// `is_typed`: the variable has a type, for which Rust borrows from that slice anew.
    fn whole(&self, value: &Expr, is_typed: bool) -> Expr {
        match value {
            Expr::Reference(syn::ExprReference { mutability, expr, .. }) => match &**expr {
                Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. })
                    if self.slice_in(expr, false).is_some() =>
                {
                    syn::parse_quote_spanned!(expr.span()=> &#mutability #expr[..])
                }
                _ => value.clone(),
            },
            Expr::Paren(inner) => self.whole(&inner.expr, is_typed),
            // The braces move it, so that rustc refuses what uses it later.
            Expr::Path(path) if self.slice_in(value, false) == Some(true) => {
                if is_typed {
                    syn::parse_quote_spanned!(path.span()=> &mut #path[..])
                } else {
                    syn::parse_quote_spanned!(path.span()=> &mut {#path}[..])
                }
            }
            _ => value.clone(),
        }
    }

    /// Puts the `let` and the statements behind it into each arm.
    fn fill(&self, expr: &mut Expr, local: &Local, rest: &[Stmt]) {
        match expr {
            Expr::If(choice) => {
                self.fill_block(&mut choice.then_branch, local, rest);
                if let Some((_, otherwise)) = &mut choice.else_branch {
                    self.fill(otherwise, local, rest);
                }
            }
            Expr::Block(block) => self.fill_block(&mut block.block, local, rest),
            Expr::Match(choice) => choice.arms.iter_mut().for_each(|arm| self.fill(&mut arm.body, local, rest)),
            Expr::Return(_) | Expr::Continue(_) => {}
            value => {
                let stmts = self.with_rest(local, value, rest);
                let brace_token = syn::token::Brace(value.span());
                let block = syn::Block { brace_token, stmts };
                *value = Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block });
            }
        }
    }

    fn fill_block(&self, block: &mut syn::Block, local: &Local, rest: &[Stmt]) {
        match block.stmts.as_mut_slice() {
            [Stmt::Expr(expr @ (Expr::If(_) | Expr::Block(_) | Expr::Match(_)), None)] => self.fill(expr, local, rest),
            [Stmt::Expr(Expr::Return(_) | Expr::Continue(_), _)] => {}
            [Stmt::Expr(value, None)] => block.stmts = self.with_rest(local, &value.clone(), rest),
            _ => {}
        }
    }

    fn with_rest(&self, local: &Local, value: &Expr, rest: &[Stmt]) -> Vec<Stmt> {
        self.lets(local, value).into_iter().map(Stmt::Local).chain(rest.iter().cloned()).collect()
    }
}

impl Parser<'_> {
    /// `let (a, b) = (&x[i], &x[j]);` as two; `None` for other statements.
    pub(super) fn split(&self, local: &Local) -> Option<Vec<Local>> {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let (Pat::Tuple(names), Expr::Tuple(tuple)) = (&local.pat, &*init.expr) else { return None };
        let has_references = tuple.elems.iter().any(|element| matches!(element, Expr::Reference(_)));
        let fits = has_references
            && names.elems.len() == tuple.elems.len()
            && names.elems.iter().all(|name| matches!(name, Pat::Ident(_) | Pat::Wild(_)))
            && !overlaps(names, tuple);
        fits.then(|| self.lets(local, &init.expr))
    }
}

/// Whether a name of a pattern stands in what comes after it.
fn overlaps(names: &syn::PatTuple, tuple: &syn::ExprTuple) -> bool {
    let has = |expr: &Expr, name: &Pat| match name {
        Pat::Ident(name) => names_any(expr.to_token_stream(), &name.ident.to_string()),
        _ => false,
    };
    let later = |position: usize| tuple.elems.iter().skip(position + 1);
    names.elems.iter().enumerate().any(|(position, name)| later(position).any(|expr| has(expr, name)))
}

/// Whether a variable has one name.
fn is_named(local: &Local) -> bool {
    matches!(untyped(&local.pat), Pat::Ident(_))
}

/// A pattern without its type.
fn untyped(pat: &Pat) -> &Pat {
    match pat {
        Pat::Type(typed) => &typed.pat,
        pat => pat,
    }
}

/// Whether a variable is declared as a slice.
fn is_typed(local: &Local) -> bool {
    matches!(&local.pat, Pat::Type(typed) if slice_type(&typed.ty).is_some())
}

/// Whether a slice of a type is written, and the type of its elements; `None` for other types.
fn slice_type(ty: &Type) -> Option<(bool, &Type)> {
    let Type::Reference(reference) = ungroup(ty) else { return None };
    let Type::Slice(slice) = ungroup(&reference.elem) else { return None };
    Some((reference.mutability.is_some(), ungroup(&slice.elem)))
}

/// Whether a type is certainly one of numbers: others may lie in no buffer, and slices of them are not values.
fn is_number(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.get_ident().is_some_and(|name| {
        ScalarName::from_name(&name.to_string())
            .is_some_and(|scalar| !matches!(scalar, ScalarName::Bool | ScalarName::Char))
    })
}

/// The member of a tuple.
fn member_of(tuple: &Expr, position: usize) -> Option<&Expr> {
    let Expr::Tuple(tuple) = tuple else { return None };
    tuple.elems.get(position)
}

/// The slices with which a value ends; `None` where an arm does more than to name one.
fn ends_of<'e>(expr: &'e Expr, ends: &mut Vec<&'e Expr>) -> Option<()> {
    let of_block = |block: &'e syn::Block, ends: &mut Vec<&'e Expr>| match block.stmts.as_slice() {
        [Stmt::Expr(expr, None)] => ends_of(expr, ends),
        [Stmt::Expr(Expr::Return(_) | Expr::Continue(_), Some(_))] => Some(()),
        _ => None,
    };
    match expr {
        Expr::If(choice) => {
            of_block(&choice.then_branch, ends)?;
            ends_of(&choice.else_branch.as_ref()?.1, ends)
        }
        Expr::Block(block) => of_block(&block.block, ends),
        Expr::Match(choice) => choice.arms.iter().try_for_each(|arm| ends_of(&arm.body, ends)),
        Expr::Return(_) | Expr::Continue(_) => Some(()),
        end => {
            ends.push(end);
            Some(())
        }
    }
}

/// Whether a condition has a `let`, whose names the statements behind would see.
fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// Whether a pattern has no variables, which the statements behind would see.
fn binds_nothing(pat: &Pat) -> bool {
    match pat {
        Pat::Lit(_) | Pat::Range(_) | Pat::Wild(_) | Pat::Path(_) | Pat::Rest(_) => true,
        Pat::Or(pat) => pat.cases.iter().all(binds_nothing),
        Pat::Tuple(pat) => pat.elems.iter().all(binds_nothing),
        Pat::TupleStruct(pat) => pat.elems.iter().all(binds_nothing),
        Pat::Paren(pat) => binds_nothing(&pat.pat),
        _ => false,
    }
}

fn names_shared(tokens: TokenStream) -> bool {
    names_any(tokens, "Shared")
}

pub(super) fn names_any(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => names_any(group.stream(), name),
        _ => false,
    })
}
