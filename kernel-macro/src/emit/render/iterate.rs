//! Ranges and chains of iterators. In the twin elements are values wherever they come from, sums wrap, and a step that may be
//! zero is recorded.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::Ident;

use super::operator::Operand;
use super::reference::referent;
use super::{Renderer, local};
use crate::ast::{BinaryOp, Expr, ExprKind, Item, Literal, MethodCall, TypeExpr};
use crate::builtin::iteration::{Iteration, Nested, Parts};
use crate::emit::tokens::{Tokens, Word, tokens, tokens_at};
use crate::program::ItemId;
use crate::program::message::zero_step_message;
use crate::typed::{RangeMethod, Ty};

impl Renderer<'_> {
    /// `start..end` and its like.
    pub(super) fn range(&mut self, start: &Expr, end: Option<&Expr>, inclusive: bool) -> Tokens {
        let first = self.expr(start);
        match end.map(|end| self.expr(end)) {
            Some(end) if inclusive => tokens!(#first..=#end),
            Some(end) => tokens!(#first..#end),
            None if self.is_original() => tokens!(#first..),
            None => {
                let (value, ty) = (local("__value"), self.expr_ty(start).clone());
                let one = tokens!(1);
                let next = self.wrapping(BinaryOp::Add, &ty, tokens!((*#value)), one, start);
                tokens!(::core::iter::successors(::core::option::Option::Some(#first), |#value| ::core::option::Option::Some(#next)))
            }
        }
    }

    /// A range that is gone through in the twin: where a reference leads to it, its elements are taken out of it.
    pub(super) fn drawn_from(&mut self, range: &Expr) -> Tokens {
        let value = self.expr(range);
        match self.reference_of(range) {
            // A `Copy` value would be copied.
            Some(_) if matches!(self.expr_ty(range), Ty::Range(..)) || self.is_own_iterator(range) => {
                tokens!((&mut #value))
            }
            _ => value,
        }
    }

    /// Whether a value with an `impl Iterator` of its author's is gone through, and not made by `&mut`.
    pub(super) fn is_own_iterator(&self, expr: &Expr) -> bool {
        self.typed.own_iterators.contains_key(&expr.id) && !matches!(expr.kind, ExprKind::Borrow { .. })
    }

    /// A method of a range in the twin, where references to numbers are numbers.
    pub(super) fn range_method(&mut self, method: RangeMethod, receiver: &Expr, name: &Ident, args: &[Expr]) -> Tokens {
        let range = self.expr(receiver);
        match (method, args) {
            (RangeMethod::Contains, [value]) => {
                let value = self.expr(referent(value));
                tokens_at!(name.span()=> #range.#name(&(#value)))
            }
            (RangeMethod::Start | RangeMethod::End, _) => tokens_at!(name.span()=> (*#range.#name())),
            _ => tokens_at!(name.span()=> #range.#name()),
        }
    }

    /// `left op right` on integers of one type, of which the right one may have none yet.
    fn wrapping(&mut self, op: BinaryOp, ty: &Ty, left: Tokens, right: Tokens, whole: &Expr) -> Tokens {
        let (left, right) = (Operand { tokens: left, ty }, Operand { tokens: right, ty });
        self.binary(op, left, right, whole.span.start, whole)
    }

    /// A method of an iterator, or one that makes one, in the twin.
    pub(super) fn iteration(&mut self, iteration: Iteration, call: MethodCall<'_>) -> Tokens {
        let MethodCall { expr: whole, receiver, name, args } = call;
        if iteration == Iteration::Iter {
            return self.elements(receiver);
        }
        if iteration == Iteration::IterMut {
            return self.elements_mut(receiver);
        }
        if let Iteration::Parts(parts) = iteration {
            return self.parts(parts, receiver, args, whole);
        }
        let value = match iteration {
            Iteration::IsSorted | Iteration::IsSortedBy | Iteration::IsSortedByKey
                if !matches!(self.expr_ty(receiver), Ty::Iterator(_) | Ty::Range(..)) =>
            {
                self.elements(receiver)
            }
            _ => self.drawn_from(receiver),
        };
        match (iteration, self.expr_ty(receiver)) {
            (Iteration::IntoIter, Ty::Array(..)) => {
                tokens!(::core::iter::IntoIterator::into_iter(#value))
            }
            (Iteration::Zip | Iteration::Chain | Iteration::Compare(_) | Iteration::Cmp | Iteration::PartialCmp, _) => {
                let args: Vec<_> = args.iter().map(|arg| self.iterable(arg)).collect();
                tokens_at!(name.span()=> #value.#name(#(#args),*))
            }
            (Iteration::Same, _) if name != "fuse" => value,
            (Iteration::Peek, _) => tokens_at!(name.span()=> #value.#name().copied()),
            (Iteration::StepBy, _) => {
                let step = args.first().map(|step| self.step(step));
                tokens_at!(name.span()=> #value.#name(#step))
            }
            (Iteration::Sum | Iteration::Product, Ty::Iterator(item) | Ty::Range(item, _)) => {
                let item = (**item).clone();
                self.total(iteration, value, &item, whole)
            }
            // Of a value with an `impl Iterator`: a sum of numbers has the type of the elements.
            (Iteration::Sum | Iteration::Product, Ty::Struct(..) | Ty::Enum(..)) => {
                let item = self.expr_ty(whole).clone();
                self.total(iteration, value, &item, whole)
            }
            (Iteration::Nested(Nested::Elements), Ty::Iterator(item)) if matches!(**item, Ty::Buffer { .. }) => {
                let slice = local("__slice");
                tokens!(#value.flat_map(|#slice| #slice.values()))
            }
            (Iteration::Nested(Nested::Made), _) => {
                // The closure's result may go through an array that is its own here, and lent in Rust.
                let outer = std::mem::replace(&mut self.owns_arrays, true);
                let made = args.first().map(|arg| self.bare(self.typed.argument(whole, 0, arg)));
                self.owns_arrays = outer;
                tokens_at!(name.span()=> #value.#name(#made))
            }
            _ => {
                let args = args.iter().enumerate();
                let args = args.map(|(position, arg)| self.bare(self.typed.argument(whole, position, arg)));
                let args = args.collect::<Vec<_>>();
                tokens_at!(name.span()=> #value.#name(#(#args),*))
            }
        }
    }

    /// Something to call: a path is a closure here, but `f32::total_cmp` and its like stay in the original, where rustc sees their types.
    pub(super) fn called<'e>(&self, whole: &'e Expr, position: usize, arg: &'e Expr) -> &'e Expr {
        let taken = self.typed.argument(whole, position, arg);
        match &taken.kind {
            ExprKind::Closure(closure)
                if self.is_original()
                    && !std::ptr::eq(taken, arg)
                    && matches!(closure.body.kind, ExprKind::Method { .. }) =>
            {
                arg
            }
            _ => taken,
        }
    }

    /// `x.windows(n)` and its like.
    fn parts(&mut self, parts: Parts, receiver: &Expr, args: &[Expr], whole: &Expr) -> Tokens {
        let (name, check) = match parts {
            Parts::Windows => ("windows", "window_size"),
            Parts::Chunks { .. } => ("chunks", "chunk_size"),
            Parts::ChunksExact { .. } => ("chunks_exact", "chunk_size"),
            Parts::RChunks { .. } => ("rchunks", "chunk_size"),
            Parts::RChunksExact { .. } => ("rchunks_exact", "chunk_size"),
        };
        let (name, check, twin) = (Word(name), Word(check), self.twin());
        let (slice, size) = (self.slice(receiver, parts.writes()), args.first().map(|size| self.bare(size)));
        let (sink, site) = (self.sink(), self.site(SiteKind::Panic, whole));
        tokens!(#slice.#name(#twin::#check(#sink, #site, #size)))
    }

    /// A sum or product: of integers it wraps.
    fn total(&mut self, iteration: Iteration, value: Tokens, item: &Ty, whole: &Expr) -> Tokens {
        let is_sum = iteration == Iteration::Sum;
        let is_int = matches!(item, Ty::Scalar(scalar) | Ty::Vector(scalar, _) if scalar.is_int());
        if *item == Ty::Error {
            return self.generic_total(is_sum, value, whole);
        }
        let ty = self.ty(item);
        if !is_int {
            return if is_sum { tokens!(#value.sum::<#ty>()) } else { tokens!(#value.product::<#ty>()) };
        }
        let start = match (item, is_sum) {
            (Ty::Vector(..), true) => tokens!(<#ty>::ZERO),
            (Ty::Vector(..), false) => tokens!(<#ty>::ONE),
            (_, true) => tokens!(0 as #ty),
            (_, false) => tokens!(1 as #ty),
        };
        let (a, b) = (local("__total"), local("__element"));
        let op = if is_sum { BinaryOp::Add } else { BinaryOp::Mul };
        let next = self.wrapping(op, item, tokens!(#a), tokens!(#b), whole);
        tokens!(#value.fold(#start, |#a, #b| #next))
    }

    /// Whether a call is that of an `impl Sum` or `impl Product`.
    pub(super) fn totals(&self, item: ItemId, name: &Ident) -> bool {
        let is_total = name == "sum" || name == "product";
        is_total
            && !self.is_original()
            && matches!(&self.program.items[item].item, Item::Fn(it) if it.receiver.is_none())
    }

    /// `<V as Sum<_>>::sum(chain)`: the elements decide which `impl` it is.
    pub(super) fn own_total(&mut self, item: ItemId, call: MethodCall<'_>) -> Tokens {
        let MethodCall { expr: whole, receiver, name, .. } = call;
        let of = Word(if name == "sum" { "Sum" } else { "Product" });
        let is_lent = match &self.program.items[item].item {
            Item::Fn(function) => function
                .params
                .first()
                .and_then(|param| function.iterator_param(param)?.1)
                .is_some_and(TypeExpr::is_reference),
            _ => false,
        };
        let (ty, chain) = (self.ty(self.expr_ty(whole)), self.passed_iterator(receiver, is_lent, false));
        tokens!(<#ty as ::core::iter::#of<_>>::#name(#chain))
    }

    /// `sum` and `product` at the end of a chain of unknown type.
    pub(super) fn unknown_total(&mut self, receiver: &Expr, name: &Ident, whole: &Expr) -> Option<Tokens> {
        let is_sum = name == "sum";
        if !is_sum && name != "product" {
            return None;
        }
        // Else a method of some trait.
        let ExprKind::Method { name: step, .. } = &receiver.kind else { return None };
        if step != "iter" && !Iteration::NAMES.iter().any(|known| step == known) {
            return None;
        }
        let value = self.expr(receiver);
        Some(self.generic_total(is_sum, value, whole))
    }

    fn generic_total(&mut self, is_sum: bool, value: Tokens, whole: &Expr) -> Tokens {
        let twin = self.twin();
        let written = match &whole.kind {
            ExprKind::Method { turbofish: Some(turbofish), .. } => {
                turbofish.args.first().and_then(|arg| arg.ty.as_ref()).map(|ty| {
                    let ty = &ty.tokens;
                    tokens!(::<#ty, _>)
                })
            }
            _ => None,
        };
        match is_sum {
            true => tokens!(#twin::generic::sum #written (#value)),
            false => tokens!(#twin::generic::product #written (#value)),
        }
    }

    fn step(&mut self, step: &Expr) -> Tokens {
        let value = self.bare(step);
        let is_positive = matches!(&step.kind, ExprKind::Literal(Literal::Int { value, .. }) if *value > 0);
        if is_positive {
            return value;
        }
        let (name, text) = (local("__step"), zero_step_message().format);
        let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::Panic, step));
        tokens!(match #value {
            0 => #twin::TrapSink::panic(#sink, #site, ::core::format_args!(#text)),
            #name => #name,
        })
    }
}
