//! Slices: what the twin hands to device functions instead of `&[T]` and `&mut [T]`, of buffers and arrays alike.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Ident, Span};

use super::parallel::waits;
use super::reference::referent;
use super::{Renderer, local};
use crate::ast::{Expr, ExprKind, Item, Path, Pattern, TypeKind};
use crate::builtin::iteration::Iteration;
use crate::emit::tokens::{Tokens, Word, tokens, tokens_at};
use crate::infer::sliced;
use crate::program::crossing::is_shared_element;
use crate::program::{ItemId, TypedItem};
use crate::typed::{Callee, Cut, Resolution, Ty};

/// The name of the function that takes slices as the twin has them: a function of a type named like the device
/// function.
pub(super) const TWIN_FN: &str = "__twin";

/// The name of the same as an async function, which gives way where it waits.
pub(super) const STEPS_FN: &str = "__steps";

/// The form for the twin of a method or function of a type.
pub(crate) fn method_twin(name: &Ident) -> Ident {
    Ident::new(&format!("{TWIN_FN}_{name}"), name.span())
}

impl Renderer<'_> {
    /// Whether a function is one of an `impl` or trait.
    fn is_member(&self, callee: Option<Callee>) -> bool {
        matches!(callee, Some(Callee::Device(item)) if self.program.items[item].owner.is_some())
    }

    /// Whether an argument of something unknown is a slice, and then whether one that writes. None in the original.
    pub(super) fn slice_of_unknown(&self, arg: &Expr) -> Option<bool> {
        match (&arg.kind, self.expr_ty(arg)) {
            _ if self.is_original() || self.typed.given_slices.contains_key(&arg.id) => None,
            (ExprKind::Paren(inner, ..), _) => self.slice_of_unknown(inner),
            (ExprKind::Borrow { mutable, operand }, ty) => {
                let is_part = self.typed.cut(sliced(operand)).is_some();
                (is_part || matches!(ty, Ty::Buffer { .. })).then_some(*mutable)
            }
            (_, Ty::Buffer { mutable, .. }) => Some(*mutable),
            _ => None,
        }
    }

    /// For each parameter of a device function whether it is a slice, and then whether one that writes. Empty without any, and
    /// in the original.
    pub(super) fn slices_of(&self, callee: Option<Callee>) -> Vec<Option<bool>> {
        let Some(Callee::Device(item)) = callee.filter(|_| !self.is_original()) else { return Vec::new() };
        let Item::Fn(function) = &self.program.items[item].item else { return Vec::new() };
        if !function.takes_slices() {
            return Vec::new();
        }
        let slices = function.params.iter().enumerate().map(|(position, param)| match param.ty.kind {
            TypeKind::Slice { mutable, .. } if !self.takes_own(item, position) => Some(mutable),
            _ => None,
        });
        slices.collect()
    }

    /// For each parameter of a device function whether it is a slice of what no buffer holds, which is Rust's own here, and then
    /// whether one that writes.
    pub(super) fn own_slices_of(&self, callee: Option<Callee>) -> Vec<Option<bool>> {
        let Some(Callee::Device(item)) = callee.filter(|_| !self.is_original()) else { return Vec::new() };
        let Item::Fn(function) = &self.program.items[item].item else { return Vec::new() };
        let slices = function.params.iter().enumerate().map(|(position, param)| match param.ty.kind {
            TypeKind::Slice { mutable, .. } if self.takes_own(item, position) => Some(mutable),
            _ => None,
        });
        slices.collect()
    }

    fn takes_own(&self, item: ItemId, position: usize) -> bool {
        let (TypedItem::Fn(typed) | TypedItem::Generic(typed)) = &self.program.items[item].typed else { return false };
        let element = typed.params.get(position).and_then(Ty::slice_element);
        element.is_some_and(|element| !is_shared_element(self.program, element))
    }

    /// An argument for such a parameter.
    pub(super) fn own_slice(&mut self, arg: &Expr, mutable: bool) -> Tokens {
        let slice = if mutable { self.native_slice_mut(arg) } else { self.native_slice(arg) };
        slice.unwrap_or_else(|| self.argument(arg))
    }

    /// The same of a call of a closure in a variable or parameter.
    pub(super) fn slices_of_closure(&self, call: &Expr) -> Vec<Option<bool>> {
        let Some(Resolution::Binding(binding)) = self.typed.paths.get(&call.id) else { return Vec::new() };
        if self.is_original() {
            return Vec::new();
        }
        if let Ty::Closure(item, closure) = self.typed.binding(*binding) {
            let (TypedItem::Fn(typed) | TypedItem::Generic(typed)) = &self.program.items[*item].typed else {
                return Vec::new();
            };
            let slice = |ty: &Ty| match ty {
                Ty::Buffer { mutable, origin: None, .. } => Some(*mutable),
                _ => None,
            };
            return typed
                .closures
                .get(closure)
                .map_or_else(Vec::new, |closure| closure.params.iter().map(slice).collect());
        }
        // Its type is unknown, and its bound is not.
        let Item::Fn(function) = &self.item.item else { return Vec::new() };
        let param = function.params.iter().find(|param| param.binding == *binding);
        param.map_or_else(Vec::new, |param| function.lent_slices(param))
    }

    /// Whether the twin calls another function in place of this one.
    pub(super) fn has_twin(&self, callee: Option<Callee>) -> bool {
        let Some(Callee::Device(item)) = callee.filter(|_| !self.is_original()) else { return false };
        crate::program::held::has_twin(self.program, item)
    }

    /// The path of a function; of one that has a form for the twin, of that.
    pub(super) fn callee_path(&self, callee: Option<Callee>, path: &Path) -> Tokens {
        if !self.has_twin(callee) {
            return super::expr::path_tokens(path);
        }
        if self.is_member(callee) {
            return Self::member_twin_path(path);
        }
        let gives_way = self.in_steps && matches!(callee, Some(Callee::Device(item)) if waits(self.program, item));
        let twin = Ident::new(if gives_way { STEPS_FN } else { TWIN_FN }, Span::call_site());
        let args = path.last_args().map(|args| args.tokens.clone());
        let mut owner = path.clone();
        owner.generics.retain(|args| args.segment + 1 != path.segments.len());
        let owner = super::expr::path_tokens(&owner);
        match args {
            Some(args) => tokens!(#owner::#twin #args),
            None => tokens!(#owner::#twin),
        }
    }

    /// The path of a method or function of a type, in its form for the twin.
    pub(super) fn member_twin_path(path: &Path) -> Tokens {
        let mut path = path.clone();
        if let Some(last) = path.segments.last_mut() {
            *last = method_twin(last);
        }
        super::expr::path_tokens(&path)
    }

    /// A slice with which a function ends, or the value of a variable.
    pub(super) fn given_slice(&mut self, end: &Expr) -> Tokens {
        let is_chosen = self.typed.given_slices.get(&end.id).copied().flatten().is_some();
        let is_of_result = matches!(self.typed.result, Some(Ty::Buffer { mutable: true, .. })) && !is_chosen;
        let mutable = is_of_result || self.typed.held_writes.contains(&end.id);
        let outer = self.given.replace(end.id);
        let slice = self.slice(end, mutable);
        self.given = outer;
        slice
    }

    /// A slice as the twin has it.
    pub(super) fn slice(&mut self, expr: &Expr, mutable: bool) -> Tokens {
        if let Some((base, cut)) = self.typed.cut(expr) {
            let whole = self.slice(base, mutable);
            let (sink, site) = (self.sink(), self.site(SiteKind::Panic, expr));
            return self.with_ends(cut, |start, end| tokens!(#whole.range(#sink, #site, #start, #end)));
        }
        match &expr.kind {
            ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => self.slice(inner, mutable),
            _ => self.whole_slice(expr, mutable),
        }
    }

    fn whole_slice(&mut self, expr: &Expr, mutable: bool) -> Tokens {
        let chain = self.chain(expr);
        let is_whole = chain.steps.is_empty();
        if is_whole && self.is_shared_buffer(chain.root) {
            let slice = self.expr(chain.root);
            return if mutable { slice } else { tokens!(#slice.shared()) };
        }
        if is_whole && self.is_shared_variable(chain.root) {
            let root = self.shared_root(chain.root);
            return if mutable { tokens!(#root.elements()) } else { tokens!(#root.elements().shared()) };
        }
        let is_list_member = is_whole && matches!(self.expr_ty(expr), Ty::Buffer { .. });
        if !is_list_member && self.is_remote(&chain) && !self.is_user_element(chain.root) {
            let part = self.remote_part(&chain);
            return if mutable { tokens!(#part.elements()) } else { tokens!(#part.elements().shared()) };
        }
        let twin = self.twin();
        if let Ty::Buffer { .. } = self.expr_ty(expr) {
            let slice = self.expr(expr);
            return tokens!(#twin::Slice::new(#slice));
        }
        let elements = self.borrow(expr, mutable);
        if mutable { tokens!(#twin::SliceMut::new(#elements)) } else { tokens!(#twin::Slice::new(#elements)) }
    }

    /// `let part = &x[a..b];` in what runs on the host; `None` for other statements.
    pub(super) fn slice_let(&mut self, pattern: &Pattern, value: Option<&Expr>) -> Option<Tokens> {
        let (Pattern::Binding { name, binding, inner: None, .. }, Some(value)) = (pattern, value) else { return None };
        let Ty::Buffer { mutable, origin: None, .. } = *self.typed.binding(*binding) else { return None };
        if self.is_original() {
            return None;
        }
        let word = self.typed.moving.contains(binding).then_some(Word("mut"));
        let element = self.typed.binding(*binding).slice_element();
        if element.is_some_and(|element| !is_shared_element(self.program, element)) {
            let slice = self.own_slice(value, mutable);
            return Some(tokens_at!(name.span()=> let #word #name = #slice;));
        }
        let slice = self.slice(value, mutable);
        self.slices.borrow_mut().insert(*binding, mutable);
        Some(tokens_at!(name.span()=> let #word #name = #slice;))
    }

    /// `rest = &rest[1..];` in what runs on the host; `None` for other assignments.
    pub(super) fn slice_assign(&mut self, target: &Expr, value: &Expr) -> Option<Tokens> {
        let binding = self.typed.moving_slice(target).filter(|_| !self.is_original())?;
        let element = self.typed.binding(binding).slice_element();
        let slice = match element.is_some_and(|element| !is_shared_element(self.program, element)) {
            true => self.own_slice(value, false),
            false => self.slice(value, false),
        };
        let target = self.bare(target);
        Some(tokens!(#target = #slice))
    }

    /// `x[a..b]` in the original, and of an array of unknown type in the twin, there to write or to read.
    pub(super) fn original_slice(&mut self, part: &Expr, mutable: bool) -> Tokens {
        let ExprKind::Slice { base, start, end, inclusive } = &part.kind else { return self.expr(part) };
        let is_moved = matches!(&self.item.item, Item::Fn(function) if function.moved.contains(&base.id));
        let span = base.span.start;
        let chain = self.chain(base);
        let base = match &referent(base).kind {
            // Read as a value, an element would be a copy.
            _ if !self.is_original() && chain.indices().next().is_some() && !self.is_remote(&chain) => {
                let base = self.borrow(base, mutable);
                tokens!((*#base))
            }
            ExprKind::Slice { .. } if !self.is_original() => self.original_slice(referent(base), mutable),
            _ => self.expr(base),
        };
        if is_moved {
            return tokens_at!(span=> *{ #base });
        }
        let start = start.as_ref().map(|start| self.index(start));
        let end = end.as_ref().map(|end| self.index(end));
        if *inclusive { tokens!(#base[#start..=#end]) } else { tokens!(#base[#start..#end]) }
    }

    /// Code with both ends of a slice, in the twin.
    fn with_ends(&mut self, cut: Cut<'_>, code: impl FnOnce(Tokens, Tokens) -> Tokens) -> Tokens {
        let range = match cut {
            Cut::Ends(start, end, inclusive) => {
                let (start, end) = self.slice_ends(start, end, inclusive);
                return code(start, end);
            }
            Cut::Range(range) => range,
        };
        let ends = self.range_ends(range);
        let (start, end) = (local("__start"), local("__end"));
        let code = code(tokens!(#start), tokens!(#end));
        tokens!(match #ends { (#start, #end) => #code })
    }

    /// The start and end of a range, in the twin.
    pub(super) fn range_ends(&mut self, range: &Expr) -> Tokens {
        let (value, twin) = (self.expr(range), self.twin());
        let name = Word(if self.is_inclusive(range) { "inclusive_ends" } else { "range_ends" });
        let end = local("__end");
        tokens!(#twin::#name(&#value, |#end| #end as ::core::primitive::usize))
    }

    fn is_inclusive(&self, range: &Expr) -> bool {
        matches!(self.expr_ty(range), Ty::Range(_, true))
    }

    /// A range as an index in the original, which Rust wants to be of `usize`.
    pub(super) fn range_index(&mut self, range: &Expr) -> Tokens {
        let value = self.bare(range);
        let range_name = local("__range");
        match self.expr_ty(range) {
            Ty::Range(item, false) if **item != Ty::USIZE => tokens!({
                let #range_name = #value;
                #range_name.start as usize..#range_name.end as usize
            }),
            Ty::Range(item, true) if **item != Ty::USIZE => tokens!({
                let #range_name = #value;
                *#range_name.start() as usize..=*#range_name.end() as usize
            }),
            _ => value,
        }
    }

    /// Both ends of a slice, in the twin.
    fn slice_ends(&mut self, start: Option<&Expr>, end: Option<&Expr>, inclusive: bool) -> (Tokens, Tokens) {
        let start = match start {
            Some(start) => self.index(start),
            None => tokens!(0),
        };
        let end = match end {
            Some(end) if inclusive => {
                let (end, twin) = (self.index(end), self.twin());
                tokens!(::core::option::Option::Some(#twin::behind(#end)))
            }
            Some(end) => {
                let end = self.index(end);
                tokens!(::core::option::Option::Some(#end))
            }
            None => tokens!(::core::option::Option::None),
        };
        (start, end)
    }

    /// An iterator over the values of something's elements, in the twin.
    pub(super) fn elements(&mut self, expr: &Expr) -> Tokens {
        match self.native_slice(expr) {
            Some(slice)
                if self.owns_arrays
                    && matches!(self.expr_ty(expr), Ty::Array(..))
                    && !self.is_table(referent(expr)) =>
            {
                tokens!(::core::iter::IntoIterator::into_iter(*#slice))
            }
            Some(slice) => tokens!(#slice.iter().copied()),
            None => {
                let slice = self.slice(expr, false);
                tokens!(#slice.values())
            }
        }
    }

    /// The expression that a `for` loop, `zip` or `chain` iterates. References to elements are values in the twin.
    pub(super) fn iterable(&mut self, expr: &Expr) -> Tokens {
        match (&expr.kind, self.expr_ty(expr)) {
            _ if self.is_original() => self.bare(expr),
            (ExprKind::Paren(inner, ..), _) => self.iterable(inner),
            (ExprKind::Borrow { operand, .. }, Ty::Iterator(_))
                if matches!(self.expr_ty(operand), Ty::Iterator(_) | Ty::Range(..)) =>
            {
                self.bare(expr)
            }
            (ExprKind::Borrow { operand, mutable: true }, Ty::Iterator(_)) => self.elements_mut(operand),
            (ExprKind::Borrow { operand, .. }, Ty::Iterator(_)) => self.elements(operand),
            (_, Ty::Buffer { .. }) => self.elements(expr),
            (_, Ty::Range(..)) => self.drawn_from(expr),
            _ if self.is_own_iterator(expr) => self.drawn_from(expr),
            _ if self.is_table(expr) => self.elements(expr),
            // An array whose elements or length are parameters: rustc lends its elements.
            (ExprKind::Path(_), Ty::Error) if self.is_plain_reference(expr) => {
                let array = self.bare(expr);
                tokens!(&#array)
            }
            _ => self.bare(expr),
        }
    }

    /// A slice of Rust's own, where all of it belongs to the invocation or is never written.
    pub(super) fn native_slice(&mut self, expr: &Expr) -> Option<Tokens> {
        if let Some((base, cut)) = self.typed.cut(expr) {
            let whole = self.native_slice(base)?;
            let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::Panic, expr));
            return Some(self.with_ends(cut, |start, end| tokens!(#twin::range(#sink, #site, #whole, #start, #end))));
        }
        match &expr.kind {
            ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => self.native_slice(inner),
            _ => {
                let is_copy = !self.is_native(expr);
                // An element's own array is copied out of the buffer.
                if is_copy && !(matches!(self.expr_ty(expr), Ty::Array(..)) && self.is_inside(expr)) {
                    return None;
                }
                let value = self.expr(expr);
                Some(if let Ty::Buffer { .. } = self.expr_ty(expr) { value } else { tokens!((&#value)) })
            }
        }
    }

    /// As [`native_slice`](Self::native_slice), to be written.
    pub(super) fn native_slice_mut(&mut self, expr: &Expr) -> Option<Tokens> {
        if let Some((base, cut)) = self.typed.cut(expr) {
            let whole = self.native_slice_mut(base)?;
            let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::Panic, expr));
            return Some(
                self.with_ends(cut, |start, end| tokens!(#twin::range_mut(#sink, #site, #whole, #start, #end))),
            );
        }
        match &expr.kind {
            ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => self.native_slice_mut(inner),
            _ if self.is_native(expr) => {
                let place = self.borrow(expr, true);
                Some(tokens!((#place)))
            }
            _ => None,
        }
    }

    /// References to elements that are written, one after the other.
    pub(super) fn elements_mut(&mut self, expr: &Expr) -> Tokens {
        match self.native_slice_mut(expr) {
            Some(slice) => tokens!(#slice.iter_mut()),
            None => {
                let slice = self.slice(expr, true);
                tokens!(#slice.parts())
            }
        }
    }

    /// Notes which names of a loop stand for parts of what other invocations reach.
    pub(super) fn note_parts(&mut self, pattern: &Pattern, iterated: &Expr) {
        match (&iterated.kind, pattern) {
            (ExprKind::Paren(inner, ..), _) => self.note_parts(pattern, inner),
            (ExprKind::Borrow { operand, .. }, _)
                if matches!(self.expr_ty(operand), Ty::Iterator(_) | Ty::Range(..)) => {}
            (ExprKind::Borrow { operand, .. }, _) => self.note_part(pattern, operand),
            (ExprKind::Method { receiver, args, .. }, _) => match (self.typed.calls.get(&iterated.id), pattern) {
                (Some(Callee::Iterate(Iteration::IterMut)), _) => self.note_part(pattern, receiver),
                (Some(Callee::Iterate(Iteration::Enumerate)), Pattern::Tuple(members, _)) => {
                    self.note_parts(&members[1], receiver);
                }
                (Some(Callee::Iterate(Iteration::Zip)), Pattern::Tuple(members, _)) => {
                    self.note_parts(&members[0], receiver);
                    self.note_parts(&members[1], &args[0]);
                }
                (Some(Callee::Iterate(_)), _) => self.note_parts(pattern, receiver),
                _ => {}
            },
            _ => {}
        }
    }

    fn note_part(&mut self, pattern: &Pattern, elements: &Expr) {
        if let Pattern::Binding { binding, .. } = pattern
            && self.typed.references.get(binding) == Some(&true)
            && !self.is_native(elements)
        {
            self.parts.borrow_mut().insert(*binding);
        }
    }

    /// Whether elements belong to the invocation, or are never written.
    fn is_native(&self, expr: &Expr) -> bool {
        match (&expr.kind, self.typed.cut(expr)) {
            (ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. }, _) => self.is_native(inner),
            (_, Some((base, _))) => self.is_native(base),
            _ => {
                let root = self.chain(expr).root;
                !self.is_shared_buffer(root) && !self.is_shared_variable(root)
            }
        }
    }

    /// Whether a place is a part of something, or a variable stands for one.
    fn is_inside(&self, expr: &Expr) -> bool {
        let root = self.chain(expr).root;
        !std::ptr::eq(root, expr) || self.is_part(root)
    }
}
