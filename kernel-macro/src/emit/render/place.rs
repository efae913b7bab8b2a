//! Reading fields and elements.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::Ident;
use quote::format_ident;

use super::{Mode, Renderer, local};
use crate::ast::{Expr, ExprKind, Item, Member, UnaryOp};
use crate::emit::tokens::{Put as _, Tokens, Writer, tokens, tokens_at};
use crate::infer::is_self;
use crate::program::crossing::is_shared_element;
use crate::typed::{Resolution, Ty};

/// A place expression taken apart: the innermost base, and the steps outwards.
pub(super) struct Chain<'e> {
    pub(super) root: &'e Expr,
    /// Each step with the expression that ends with it.
    pub(super) steps: Vec<(&'e Expr, StepExpr<'e>)>,
}

/// One step of a [`Chain`].
pub(super) enum StepExpr<'e> {
    Member(&'e Member),
    /// The base and the index.
    Index(&'e Expr, &'e Expr),
}

impl<'e> Chain<'e> {
    /// `is_original`: `unordered` is a method, which the chain begins behind.
    pub(super) fn new(expr: &'e Expr, is_original: bool) -> Self {
        let (mut root, mut steps) = (expr, Vec::new());
        loop {
            match &root.kind {
                ExprKind::Field { base, member } => {
                    steps.push((root, StepExpr::Member(member)));
                    root = base;
                }
                ExprKind::Index { base, index } => {
                    steps.push((root, StepExpr::Index(base, index)));
                    root = base;
                }
                ExprKind::Paren(_, Some(_)) if is_original => break,
                ExprKind::Paren(inner, ..) if !steps.is_empty() || is_place(inner) => root = inner,
                ExprKind::Unary(UnaryOp::Deref, inner) if is_place(inner) => root = inner,
                _ => break,
            }
        }
        steps.reverse();
        Self { root, steps }
    }

    /// The index expressions in order of evaluation.
    pub(super) fn indices(&self) -> impl Iterator<Item = &'e Expr> + '_ {
        self.steps.iter().filter_map(|(_, step)| match step {
            StepExpr::Index(_, index) => Some(*index),
            StepExpr::Member(_) => None,
        })
    }
}

fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Field { .. } | ExprKind::Index { .. } | ExprKind::Path(_) => true,
        ExprKind::Paren(inner, ..) | ExprKind::Unary(UnaryOp::Deref, inner) => is_place(inner),
        _ => false,
    }
}

impl Renderer<'_> {
    /// A place taken apart. In the twin, one of the buffers of a list is a root.
    pub(super) fn chain<'e>(&self, expr: &'e Expr) -> Chain<'e> {
        let mut chain = Chain::new(expr, self.is_original());
        if let Some((member, StepExpr::Index(list, _))) = chain.steps.first()
            && !self.is_original()
            && self.expr_ty(list).is_list()
        {
            chain.root = member;
            chain.steps.remove(0);
        }
        // So is what a method gives a reference to, with and without `*`.
        if let ExprKind::Unary(UnaryOp::Deref, inner) = &chain.root.kind
            && !self.is_original()
            && let Some(call) = self.place_call(inner)
        {
            chain.root = call;
        }
        // The result of an `impl Index` is a place by itself.
        if let Some(position) = chain.steps.iter().rposition(|(whole, _)| self.is_user_element(whole)) {
            chain.root = chain.steps[position].0;
            chain.steps.drain(..=position);
        }
        // So is a slice that a struct holds.
        if let Some(position) = chain.steps.iter().rposition(|(whole, step)| {
            matches!(step, StepExpr::Member(_)) && !self.is_original() && self.is_held_slice(whole)
        }) {
            chain.root = chain.steps[position].0;
            chain.steps.drain(..=position);
        }
        chain
    }

    /// Whether an expression is a slice that a struct holds.
    fn is_held_slice(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Field { .. }) && matches!(self.expr_ty(expr), Ty::Buffer { origin: Some(_), .. })
    }

    /// Whether an expression is `x[i]` of a type with an `impl Index`.
    pub(super) fn is_user_element(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Index { .. }) && self.typed.calls.contains_key(&expr.id)
            || !self.is_original() && self.typed.place_call(self.program, expr).is_some()
    }

    /// The call in an expression that is one whose result is a `&mut` reference.
    fn place_call<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        match &expr.kind {
            ExprKind::Paren(inner, ..) => self.place_call(inner),
            _ => self.typed.place_call(self.program, expr).map(|_| expr),
        }
    }

    /// The value of `x[i]` of a type with an `impl Index`.
    fn user_element(&mut self, base: &Expr, index: &Expr, whole: &Expr) -> Tokens {
        let (base, index) = (self.expr(base), self.bare(index));
        tokens_at!(whole.span.start=> #base[#index])
    }

    /// `let __root = &mut x[i];`, when a chain begins with such an element, in the twin.
    pub(super) fn root_let(&mut self, chain: &Chain<'_>, mutable: bool) -> Option<Tokens> {
        if self.place_call(chain.root).is_some() && !self.is_original() {
            let (root, place) = (local("__root"), self.bare(chain.root));
            return Some(tokens!(let #root = &mut #place;));
        }
        let ExprKind::Index { base, index } = &chain.root.kind else { return None };
        if !self.is_user_element(chain.root) {
            return None;
        }
        let below = self.chain(base);
        let is_name = below.indices().next().is_none() && !self.is_user_element(below.root);
        let of = if is_name {
            let base = self.expr(base);
            tokens!(#base)
        } else {
            let base = self.borrow(base, mutable);
            tokens!((*#base))
        };
        let (root, index) = (local("__root"), self.bare(index));
        let mutable = mutable.then(|| tokens!(mut));
        Some(tokens!(let #root = &#mutable #of[#index];))
    }

    /// The value of a field or element.
    pub(super) fn read(&mut self, expr: &Expr) -> Tokens {
        if let (ExprKind::Field { base, member }, true) = (&expr.kind, self.is_held_slice(expr) && !self.is_original())
        {
            let (base, member) = (self.expr(base), Self::member(member));
            return tokens_at!(expr.span.end=> #base.#member);
        }
        let chain = self.chain(expr);
        if let (true, ExprKind::Index { base, index }) = (chain.steps.is_empty(), &chain.root.kind) {
            if self.is_user_element(chain.root) {
                return self.user_element(base, index, chain.root);
            }
            let list = self.expr(base);
            return self.element(list, base, index, chain.root);
        }
        if !self.is_original() && self.is_shared_variable(chain.root) {
            if let Some((array, site, index)) = self.whole_shared_element(&chain) {
                let sink = self.sink();
                return tokens!(#array.load(#sink, #site, #index));
            }
            let names = index_names(&chain);
            let (lets, read) = (self.index_lets(&chain, &names), self.shared_get(&chain, &names));
            return tokens!({ #lets #read });
        }
        if self.is_shared_buffer(chain.root) {
            if let Some((buffer, site, index)) = self.whole_element(&chain) {
                let sink = self.sink();
                return tokens!(#buffer.load(#sink, #site, #index));
            }
            let names = index_names(&chain);
            let lets = self.index_lets(&chain, &names);
            let read = self.buffer_get(&chain, &names);
            return tokens!({ #lets #read });
        }
        let mut value = if chain.steps.is_empty() { self.expr(chain.root) } else { self.whole(&chain) };
        for (whole, step) in &chain.steps {
            value = match step {
                StepExpr::Member(member) => {
                    let member = Self::member(member);
                    tokens_at!(whole.span.end=> #value.#member)
                }
                StepExpr::Index(base, index) => self.element(value, base, index, whole),
            };
        }
        value
    }

    /// One element of an array, vector or read-only buffer.
    fn element(&mut self, value: Tokens, base: &Expr, index: &Expr, whole: &Expr) -> Tokens {
        if self.is_original() {
            let index = match self.expr_ty(index) {
                Ty::Range(..) => self.range_index(index),
                _ => self.index(index),
            };
            return tokens_at!(whole.span.start=> #value[#index]);
        }
        let index = self.index(index);
        if self.expr_ty(base).is_list() {
            let (sink, site) = (self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
            return tokens!(#value.member(#sink, #site, #index));
        }
        let is_slice = matches!(self.expr_ty(base), Ty::Buffer { .. });
        if *self.expr_ty(base) == Ty::Error || !is_slice && self.expr_ty(whole).is_open() {
            let (twin, site) = (self.twin(), self.site(SiteKind::IndexOutOfBounds, whole));
            let elements = as_slice(value, self.expr_ty(base), false);
            return tokens!(#twin::generic::at(#site, #elements, #index));
        }
        let elements = match self.expr_ty(base) {
            Ty::Vector(..) => tokens!(&#value.to_array()),
            Ty::Buffer { .. } => value,
            _ => tokens!(&#value),
        };
        self.uses_names();
        let (sink, site) = (self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
        if self.program.may_move(self.expr_ty(whole)) {
            let twin = self.twin();
            return tokens!((*#twin::element_ref(#sink, #site, #elements, #index)));
        }
        tokens!(__at(#sink, #site, #elements, #index))
    }

    /// An index as `usize`.
    pub(super) fn index(&mut self, index: &Expr) -> Tokens {
        let is_usize = *self.expr_ty(index) == Ty::USIZE;
        if is_usize {
            return self.bare(index);
        }
        let (tokens, usize) = (self.expr(index), self.ty(&Ty::USIZE));
        tokens!(#tokens as #usize)
    }

    /// Whether `root` is a buffer or slice that all invocations may share.
    pub(super) fn is_shared_buffer(&self, root: &Expr) -> bool {
        if let Ty::Buffer { origin: Some(_), .. } = self.expr_ty(root) {
            return !self.is_original();
        }
        if let (Ty::Buffer { mutable, .. }, ExprKind::Index { .. }) = (self.expr_ty(root), &root.kind) {
            return *mutable && !self.is_original();
        }
        let Some(Resolution::Binding(binding)) = self.typed.paths.get(&root.id) else { return false };
        let Ty::Buffer { mutable, ref element, .. } = *self.typed.binding(*binding) else { return false };
        match self.mode {
            Mode::Original => false,
            Mode::Slices => is_shared_element(self.program, element),
            Mode::Twin if mutable || self.typed.atomic_buffers.contains(binding) => true,
            Mode::Twin | Mode::Device => self.slices.borrow().contains_key(binding),
        }
    }

    /// Whether the root of a chain is one of the buffers of a list.
    fn is_list_member(&self, root: &Expr) -> bool {
        matches!(root.kind, ExprKind::Index { .. }) && !self.is_user_element(root)
    }

    /// Buffer, site and index of a chain that ends with an element of a buffer.
    pub(super) fn whole_element(&mut self, chain: &Chain<'_>) -> Option<(Tokens, Tokens, Tokens)> {
        match chain.steps.as_slice() {
            // Which buffer it is, is asked before anything else.
            [(whole, StepExpr::Index(_, index))] if !self.is_list_member(chain.root) => {
                let index = self.index(index);
                Some((self.expr(chain.root), self.site(SiteKind::IndexOutOfBounds, whole), index))
            }
            _ => None,
        }
    }

    /// `let __index0 = …;` for each index of a chain; before them one for the buffer of a list that it is in.
    pub(super) fn index_lets(&mut self, chain: &Chain<'_>, names: &[Ident]) -> Tokens {
        let mut lets = Writer::new();
        if let (true, Some(first)) = (self.is_list_member(chain.root), names.first()) {
            let (name, member) = (member_name(first), self.expr(chain.root));
            tokens!(let #name = #member;).put(&mut lets);
        }
        for (name, index) in names.iter().zip(chain.indices()) {
            let (index, usize) = (self.index(index), self.ty(&Ty::USIZE));
            tokens!(let #name: #usize = #index;).put(&mut lets);
        }
        lets.finish()
    }

    /// The root of a chain, behind [`index_lets`](Self::index_lets).
    pub(super) fn root(&mut self, chain: &Chain<'_>, names: &[Ident]) -> Tokens {
        if self.is_user_element(chain.root) && !self.is_original() {
            let root = local("__root");
            return tokens!((*#root));
        }
        match names.first().filter(|_| self.is_list_member(chain.root)) {
            Some(first) => {
                let member = member_name(first);
                tokens!(#member)
            }
            None => self.whole(chain),
        }
    }

    /// The root of a chain that is a variable. `self` may be a reference to an array.
    pub(super) fn whole(&mut self, chain: &Chain<'_>) -> Tokens {
        let root = self.expr(chain.root);
        let is_array = matches!(self.expr_ty(chain.root), Ty::Array(..));
        match is_array && !self.is_original() && is_self(chain.root) && self.takes_self_by_reference() {
            true => tokens!((*#root)),
            false => root,
        }
    }

    fn takes_self_by_reference(&self) -> bool {
        let Item::Fn(function) = &self.item.item else { return false };
        let kind = function.receiver.as_ref().map(|receiver| &receiver.kind);
        matches!(kind, Some(syn::ReceiverKind::Reference(..)))
    }

    /// `y.get(…)` with the indices already in variables.
    pub(super) fn buffer_get(&mut self, chain: &Chain<'_>, names: &[Ident]) -> Tokens {
        // A function of many closures takes rustc more than proportionally long.
        if let ([(whole, _)], [index]) = (chain.steps.as_slice(), names) {
            let (buffer, site) = (self.root(chain, names), self.site(SiteKind::IndexOutOfBounds, whole));
            let sink = self.sink();
            return tokens!(#buffer.load(#sink, #site, #index));
        }
        let (buffer, site, part) = self.buffer_part(chain, names);
        let (sink, index) = (self.sink(), &names[0]);
        tokens!(#buffer.get(#sink, #site, #index, #part))
    }

    /// The buffer, the site of its index, and the closure that selects the part of an element a chain names.
    pub(super) fn buffer_part(&mut self, chain: &Chain<'_>, names: &[Ident]) -> (Tokens, Tokens, Tokens) {
        let buffer = self.root(chain, names);
        let site = self.site(SiteKind::IndexOutOfBounds, chain.steps[0].0);
        let element = local("__element");
        let mut part = tokens!((*#element));
        let mut names = names[1..].iter();
        for (whole, step) in &chain.steps[1..] {
            part = match step {
                StepExpr::Member(member) => {
                    let member = Self::member(member);
                    tokens!(#part.#member)
                }
                StepExpr::Index(base, _) => {
                    let (index, elements) = (names.next(), as_slice(part, self.expr_ty(base), false));
                    let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
                    tokens!((*#twin::index_ref(#sink, #site, #elements, #index)?))
                }
            };
        }
        self.uses_names();
        (buffer, site, tokens!(|#element| __Some(&#part)))
    }
}

/// A name for the buffer of a list that a chain is in, by that of its first index.
fn member_name(first: &Ident) -> Ident {
    format_ident!("{first}_of", span = first.span())
}

/// Names for the indices of a chain.
pub(super) fn index_names(chain: &Chain<'_>) -> Vec<Ident> {
    let span = proc_macro2::Span::mixed_site();
    chain.indices().enumerate().map(|(position, _)| format_ident!("__index{}", position, span = span)).collect()
}

/// A place of array or vector type as a reference to a slice.
pub(super) fn as_slice(place: Tokens, ty: &Ty, mutable: bool) -> Tokens {
    let place = if *ty == Ty::Error && !place.is_postfix() { tokens!((#place)) } else { place };
    match (ty, mutable) {
        (Ty::Vector(_, len), false) => {
            let len = *len as usize;
            tokens!(::core::convert::AsRef::<[_; #len]>::as_ref(&#place))
        }
        (Ty::Vector(_, len), true) => {
            let len = *len as usize;
            tokens!(::core::convert::AsMut::<[_; #len]>::as_mut(&mut #place))
        }
        (Ty::Buffer { .. }, false) => place,
        (Ty::Buffer { .. }, true) => tokens!(&mut *#place),
        // An array or slice, or a reference to one.
        (Ty::Error, false) => tokens!(#place.as_ref()),
        (Ty::Error, true) => tokens!(#place.as_mut()),
        (_, false) => tokens!(&#place),
        (_, true) => tokens!(&mut #place),
    }
}
