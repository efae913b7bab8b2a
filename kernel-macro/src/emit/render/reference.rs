//! References. The referent is a place of Rust's own if it is a variable of the invocation. In the twin of a kernel,
//! places in buffers and in shared memory are reached by copies: an argument is copied in and out around the call, and
//! a variable is a `Part` that reads and writes each time.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::Ident;
use quote::format_ident;

use super::place::{Chain, StepExpr, as_slice, index_names};
use super::{Renderer, local, numbered};
use crate::ast::{BindingId, Expr, ExprKind, Fn, Item, Pattern, TypeExpr};
use crate::emit::tokens::{Put as _, Tokens, Writer, tokens, tokens_at};
use crate::typed::{Callee, Resolution, Ty};

impl Renderer<'_> {
    /// Whether an expression is a reference, and then whether one that writes.
    pub(super) fn reference_of(&self, expr: &Expr) -> Option<bool> {
        match &expr.kind {
            ExprKind::Paren(inner, ..) => self.reference_of(inner),
            ExprKind::Borrow { mutable, .. } => Some(*mutable),
            ExprKind::Path(_) if self.is_table(expr) => Some(false),
            ExprKind::Path(_) => self.typed.references.get(&self.variable_of(expr)?).copied(),
            ExprKind::Method { .. } => self.typed.place_call(self.program, expr).map(|_| true),
            _ => None,
        }
    }

    /// Whether an expression names a const that is a slice.
    pub(super) fn is_table(&self, expr: &Expr) -> bool {
        self.typed.tables.contains(&expr.id)
    }

    fn variable_of(&self, expr: &Expr) -> Option<BindingId> {
        match self.typed.paths.get(&expr.id)? {
            Resolution::Binding(binding) => Some(*binding),
            _ => None,
        }
    }

    /// Whether a variable is a reference that Rust knows as one.
    pub(super) fn is_plain_reference(&self, expr: &Expr) -> bool {
        self.variable_of(expr).is_some_and(|binding| {
            self.typed.references.contains_key(&binding) && !self.parts.borrow().contains(&binding)
                || self.lent_parts.borrow().contains(&binding)
        })
    }

    /// Whether an expression is a variable that stands for a part of a buffer or of a shared variable.
    pub(super) fn is_part(&self, expr: &Expr) -> bool {
        self.variable_of(expr).is_some_and(|binding| self.parts.borrow().contains(&binding))
    }

    /// Whether a place lies where other invocations reach it, on the host too.
    pub(super) fn is_remote(&self, chain: &Chain<'_>) -> bool {
        if let ExprKind::Index { base, .. } = &chain.root.kind
            && self.is_user_element(chain.root)
        {
            return self.is_remote(&self.chain(base));
        }
        !self.is_original() && (self.is_shared_variable(chain.root) || self.is_shared_buffer(chain.root))
    }

    /// An argument, which may be a reference.
    pub(super) fn argument(&mut self, arg: &Expr) -> Tokens {
        match self.reference_of(arg) {
            Some(_) if self.typed.given_slices.contains_key(&arg.id) => self.bare(arg),
            // `Some(&value)` is an option of a value here.
            Some(false) if !self.is_original() && self.typed.lent.contains(&arg.id) => self.bare(referent(arg)),
            Some(mutable) if !self.is_original() => self.borrow(arg, mutable),
            None if self.is_lent_value(arg) => {
                let value = self.bare(arg);
                tokens_at!(arg.span.start=> &#value)
            }
            _ => self.bare(arg),
        }
    }

    /// Whether an argument is a reference in the original and a value here.
    fn is_lent_value(&self, arg: &Expr) -> bool {
        if let ExprKind::Call { .. } | ExprKind::Method { .. } | ExprKind::Macro(_) | ExprKind::Try(_) = &arg.kind {
            return !self.is_original() && self.typed.lent.contains(&arg.id);
        }
        let ExprKind::Path(path) = &arg.kind else { return false };
        !self.is_original() && self.typed.lent.contains(&arg.id) && path.as_name().is_none_or(|name| name != "self")
    }

    /// `&operand`, or a variable that is a reference passed on.
    pub(super) fn borrow(&mut self, expr: &Expr, mutable: bool) -> Tokens {
        let place = referent(expr);
        if !self.is_original() && self.typed.lent.contains(&expr.id) {
            return self.bare(place);
        }
        let mutable_token = mutable.then(|| tokens!(mut));
        if self.is_original() {
            let inner = match &expr.kind {
                ExprKind::Borrow { operand, .. } => nested(operand),
                _ => None,
            };
            let place = match inner {
                Some(inner) => self.borrow(inner, false),
                None => self.expr(place),
            };
            return tokens_at!(expr.span.start=> &#mutable_token #place);
        }
        if let ExprKind::Slice { .. } = place.kind {
            let place = self.original_slice(place, mutable);
            return tokens_at!(expr.span.start=> &#mutable_token #place);
        }
        let chain = self.chain(place);
        let is_user = self.is_user_element(chain.root);
        if is_user && self.is_remote(&chain) {
            let place = self.expr(place);
            return tokens_at!(expr.span.start=> &{ #place });
        }
        if matches!(self.expr_ty(place), Ty::Buffer { .. }) && chain.steps.is_empty() && !self.is_remote(&chain) {
            let place = self.expr(place);
            return tokens_at!(expr.span.start=> &#mutable_token *#place);
        }
        if self.is_remote(&chain) || chain.indices().next().is_none() && !is_user {
            // Of what others reach, a copy.
            let place = self.expr(place);
            return tokens_at!(expr.span.start=> &#mutable_token #place);
        }
        let names = index_names(&chain);
        let (root_let, lets) = (self.root_let(&chain, mutable), self.index_lets(&chain, &names));
        let place = self.own_place(&chain, &names, mutable);
        tokens!({ #root_let #lets &#mutable_token #place })
    }

    /// A place of the invocation's own with indices, which are in variables.
    fn own_place(&mut self, chain: &Chain<'_>, names: &[Ident], mutable: bool) -> Tokens {
        let root = self.root(chain, names);
        let access = format_ident!("{}", if mutable { "element_mut" } else { "element_ref" });
        let (mut place, mut names) = (root, names.iter());
        for (whole, step) in &chain.steps {
            place = match step {
                StepExpr::Member(member) => {
                    let member = Self::member(member);
                    tokens!(#place.#member)
                }
                StepExpr::Index(base, _) => {
                    let (index, elements) = (names.next(), as_slice(place, self.expr_ty(base), mutable));
                    let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
                    if self.expr_ty(whole).is_open() {
                        tokens!((*#twin::generic::#access(#site, #elements, #index)))
                    } else {
                        tokens!((*#twin::#access(#sink, #site, #elements, #index)))
                    }
                }
            };
        }
        place
    }

    /// The receiver of a method with `&mut self` where Rust's own call would not do: an element, which is there or a zero of its own, or
    /// what others reach, which is copied in and out.
    pub(super) fn written_receiver(&mut self, receiver: &Expr, whole: &Expr, has_args: bool) -> Option<Written> {
        if self.is_original() || !self.typed.writes.contains(&whole.id) {
            return None;
        }
        let chain = self.chain(referent(receiver));
        let is_remote = self.is_remote(&chain);
        if self.is_user_element(chain.root) || !is_remote && chain.indices().next().is_none() {
            return None;
        }
        let names = index_names(&chain);
        let lets = self.index_lets(&chain, &names);
        if !is_remote {
            // Which element it is, is asked before the arguments, which may read the array.
            let check = has_args.then(|| {
                let place = self.own_place(&chain, &names, false);
                tokens!(let _ = &#place;)
            });
            let outer = std::mem::replace(&mut self.is_quiet, has_args);
            let place = self.own_place(&chain, &names, true);
            self.is_quiet = outer;
            return Some(Written { lets: tokens!(#lets #check), place, store: None });
        }
        let (held, is_buffer) = (local("__receiver"), self.is_shared_buffer(chain.root));
        let get = if is_buffer { self.buffer_get(&chain, &names) } else { self.shared_get(&chain, &names) };
        let set = self.quietly(|this| match is_buffer {
            true => this.buffer_set(&chain, &names, tokens!(#held)),
            false => this.shared_set(&chain, &names, tokens!(#held)),
        });
        Some(Written { lets: tokens!(#lets let mut #held = #get;), place: tokens!(#held), store: Some(set) })
    }

    /// A call of a method on such a receiver.
    pub(super) fn call_written(&mut self, written: Written, call: impl FnOnce(&mut Self, Tokens) -> Tokens) -> Tokens {
        let Written { lets, place, store } = written;
        let (called, result) = (call(self, place), local("__returned"));
        match store {
            Some(store) => tokens!({ #lets let #result = #called; #store; #result }),
            None => tokens!({ #lets #called }),
        }
    }

    /// `let name = &place;` in the twin, of what other invocations reach; `None` for other statements.
    pub(super) fn part_let(&mut self, pattern: &Pattern, value: Option<&Expr>) -> Option<Tokens> {
        let (Pattern::Binding { name, binding, .. }, Some(value)) = (pattern, value) else { return None };
        if self.is_original() || !self.typed.references.contains_key(binding) {
            return None;
        }
        self.reference_of(value)?;
        let chain = self.chain(referent(value));
        if !self.is_remote(&chain) || self.is_user_element(chain.root) {
            return None;
        }
        let part = self.remote_part(&chain);
        self.parts.borrow_mut().insert(*binding);
        Some(tokens!(let #name = #part;))
    }

    /// A reference to what other invocations reach, too.
    pub(super) fn remote_part(&mut self, chain: &Chain<'_>) -> Tokens {
        let names = index_names(chain);
        let lets = self.index_lets(chain, &names);
        if self.is_shared_variable(chain.root) {
            let (root, part) = (self.shared_root(chain.root), self.shared_part(chain, &names, true));
            return tokens!({ #lets #root.part(#part) });
        }
        let (buffer, site, part) = self.buffer_part(chain, &names);
        let (sink, index) = (self.sink(), &names[0]);
        tokens!({ #lets #buffer.part(#sink, #site, #index, #part) })
    }

    /// A call with arguments: those that write what other invocations reach are copied in before it and out behind it.
    pub(super) fn call_with(
        &mut self,
        callee: Option<Callee>,
        args: &[&Expr],
        call: impl FnOnce(&mut Self, Vec<Tokens>) -> Tokens,
    ) -> Tokens {
        self.call_behind(callee, 0, args, call)
    }

    /// As [`call_with`](Self::call_with), for the arguments behind the first `skip`.
    pub(super) fn call_behind(
        &mut self,
        callee: Option<Callee>,
        skip: usize,
        args: &[&Expr],
        call: impl FnOnce(&mut Self, Vec<Tokens>) -> Tokens,
    ) -> Tokens {
        let slices = self.slices_of(callee);
        self.call_passing(callee, slices, skip, args, call)
    }

    /// As [`call_with`](Self::call_with), of a call by a path, which may be of a closure.
    pub(super) fn call_of(
        &mut self,
        callee: Option<Callee>,
        whole: &Expr,
        args: &[&Expr],
        call: impl FnOnce(&mut Self, Vec<Tokens>) -> Tokens,
    ) -> Tokens {
        let mut slices = self.slices_of_closure(whole);
        if slices.is_empty() {
            slices = self.slices_of(callee);
        }
        self.call_passing(callee, slices, 0, args, call)
    }

    /// For a parameter that is an iterator, whether its elements are references, and whether it is lent itself.
    fn takes_iterator(&self, callee: Option<Callee>, position: usize) -> Option<(bool, bool)> {
        let Some(Callee::Device(item)) = callee.filter(|_| !self.is_original()) else { return None };
        let Item::Fn(function) = &self.program.items[item].item else { return None };
        let param = function.params.get(position)?;
        let (_, element) = function.iterator_param(param)?;
        Some((element.is_some_and(TypeExpr::is_reference), param.lends_iterator))
    }

    /// An iterator as an argument. Its elements are values here, and lent where the function wants references.
    /// `stays`: the function takes a reference to it.
    pub(super) fn passed_iterator(&mut self, arg: &Expr, is_lent: bool, stays: bool) -> Tokens {
        let (twin, iterator) = (self.twin(), self.iterable(arg));
        let by_ref = |iterator: Tokens| if stays { tokens!((#iterator).by_ref()) } else { iterator };
        let iterator = by_ref(iterator);
        match is_lent {
            true => by_ref(tokens!(#twin::Lending::new().lend(#iterator))),
            false => iterator,
        }
    }

    /// Statements at the start of a function which make values of the elements of iterators that give references.
    pub(super) fn values_of_iterators(&self, function: &Fn) -> Tokens {
        let mut writer = Writer::new();
        for param in function.params.iter().filter(|_| !self.is_original()) {
            if let Some((_, Some(element))) = function.iterator_param(param)
                && element.is_reference()
            {
                let name = &param.name;
                let mutable = param.goes_on().then(|| tokens!(mut));
                tokens!(let #mutable #name = ::core::iter::Iterator::copied(::core::iter::IntoIterator::into_iter(#name));).put(&mut writer);
            }
        }
        writer.finish()
    }

    fn call_passing(
        &mut self,
        callee: Option<Callee>,
        slices: Vec<Option<bool>>,
        skip: usize,
        args: &[&Expr],
        call: impl FnOnce(&mut Self, Vec<Tokens>) -> Tokens,
    ) -> Tokens {
        let own = self.own_slices_of(callee);
        let passed: Vec<_> = args.iter().map(|arg| self.slice_of_unknown(arg)).collect();
        let slice = |position: usize| {
            let known = slices.get(position + skip).copied().flatten();
            known.or(passed[position].filter(|_| callee.is_none()))
        };
        let pass = |cx: &mut Self, position: usize, arg: &Expr| {
            if let Some((is_lent, is_reference)) = cx.takes_iterator(callee, position + skip) {
                return cx.passed_iterator(arg, is_lent, is_reference);
            }
            match slice(position) {
                Some(mutable) => cx.slice(arg, mutable),
                None => match own.get(position + skip).copied().flatten() {
                    Some(mutable) => cx.own_slice(arg, mutable),
                    None => cx.argument(arg),
                },
            }
        };
        let is_copied: Vec<bool> =
            args.iter().enumerate().map(|(position, arg)| slice(position).is_none() && self.is_copied(arg)).collect();
        if !is_copied.contains(&true) {
            let args = args.iter().enumerate().map(|(position, arg)| pass(self, position, arg)).collect();
            return call(self, args);
        }
        let (mut steps, mut stores, mut passed) = (Vec::new(), Writer::new(), Vec::new());
        for (position, arg) in args.iter().enumerate() {
            let name = numbered(&format!("__argument{position}"));
            if !is_copied[position] {
                let value = pass(self, position, arg);
                passed.push(tokens!(#name));
                steps.push((value, Some(name)));
                continue;
            }
            let chain = self.chain(referent(arg));
            let names: Vec<Ident> =
                (0..chain.indices().count()).map(|index| numbered(&format!("__index{position}_{index}"))).collect();
            let lets = self.index_lets(&chain, &names);
            let is_buffer = self.is_shared_buffer(chain.root);
            let get = if is_buffer { self.buffer_get(&chain, &names) } else { self.shared_get(&chain, &names) };
            steps.push((tokens!(#lets let mut #name = #get;), None));
            passed.push(tokens!(&mut #name));
            let new = tokens!(#name);
            let set = match is_buffer {
                true => self.buffer_set(&chain, &names, new),
                false => self.shared_set(&chain, &names, new),
            };
            tokens!(#set;).put(&mut stores);
        }
        let (stores, result) = (stores.finish(), local("__result"));
        let call = call(self, passed);
        let called = tokens!(let #result = #call; #stores #result);
        let called = steps.into_iter().rev().fold(called, |called, (step, name)| match name {
            // A temporary that it borrows lives as long as the call.
            Some(name) => tokens!(match #step { #name => { #called } }),
            None => tokens!(#step #called),
        });
        tokens!({ #called })
    }

    /// Whether an argument writes what other invocations reach.
    fn is_copied(&self, arg: &Expr) -> bool {
        self.reference_of(arg) == Some(true) && self.is_remote(&self.chain(referent(arg)))
    }
}

/// A receiver that is written: what stands before the call, what the method is called on, and what stores it back.
pub(super) struct Written {
    lets: Tokens,
    place: Tokens,
    store: Option<Tokens>,
}

/// The reference that another one leads to: `&x` in `&&x`.
fn nested(operand: &Expr) -> Option<&Expr> {
    match &operand.kind {
        ExprKind::Paren(inner, ..) => nested(inner),
        ExprKind::Borrow { mutable: false, .. } => Some(operand),
        _ => None,
    }
}

/// The value that an operator computes with: that which a reference leads to.
pub(super) fn operand_of<'e>(cx: &Renderer<'_>, expr: &'e Expr) -> &'e Expr {
    let is_reference = !cx.is_original() && cx.reference_of(expr).is_some();
    if is_reference { referent(expr) } else { expr }
}

/// The referent of a reference: the operand of `&`, or the variable that is one.
pub(super) fn referent(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => referent(inner),
        _ => expr,
    }
}
