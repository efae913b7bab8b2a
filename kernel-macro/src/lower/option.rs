//! Methods of `Option`, `Result` and `bool` that give one value or another. Values among their arguments are evaluated
//! whatever the receiver is, closures only when they are asked, as in Rust.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;

use super::compare::{EQUAL, LESS};
use super::function::FnCx;
use super::inline::Callable;
use super::variant::{ERR, NONE, OK, SOME};
use crate::ast::{Expr, ExprKind};
use crate::typed::{ChoiceMethod, Ty};

/// The receiver of a method.
struct Receiver {
    ty: Ty,
    value: ValueId,
    /// Positions of the variant with a value and of the other one.
    good: u32,
    bad: u32,
}

/// An argument.
enum Argument<'e> {
    Value(Option<ValueId>, Ty),
    Call(Callable<'e>),
}

impl FnCx<'_, '_, '_> {
    /// A method of `Option`, `Result` or `bool`.
    pub(super) fn lower_choice(&mut self, expr: &Expr, method: ChoiceMethod, args: &[&Expr]) -> Option<ValueId> {
        if method.writes() {
            return self.lower_exchange(expr, method, args);
        }
        let ty = self.ty_of(args[0]).clone();
        let value = self.lower_expr(args[0])?;
        let mut arguments = Vec::new();
        for arg in &args[1..] {
            arguments.push(match self.typed.closures.contains_key(&strip(arg).id) {
                true => Argument::Call(self.callable(arg)?),
                false => Argument::Value(self.lower_expr(arg), self.ty_of(arg).clone()),
            });
            if self.b.is_terminated() {
                return None;
            }
        }
        let (good, bad) = match ty {
            Ty::Option(_) => (SOME, NONE),
            // The ordering that gives way to the next one.
            Ty::Ordering => (EQUAL, LESS),
            _ => (OK, ERR),
        };
        let receiver = Receiver { ty, value, good, bad };
        let is_good = match receiver.ty {
            Ty::Scalar(_) => value,
            _ => self.is_variant(&receiver.ty, value, good)?,
        };
        match arguments.as_slice() {
            [] => self.lower_plain(expr, method, &receiver, is_good),
            [Argument::Value(other, other_ty)] => {
                self.lower_eager(expr, method, &receiver, is_good, (*other, other_ty))
            }
            arguments => self.lower_lazy(expr, method, &receiver, is_good, arguments),
        }
    }

    /// The member of the receiver's variant with a value.
    fn good(&mut self, receiver: &Receiver) -> Option<ValueId> {
        self.variant_member(&receiver.ty, receiver.value, receiver.good, 0)
    }

    /// The member of the other variant.
    fn bad(&mut self, receiver: &Receiver) -> Option<ValueId> {
        self.variant_member(&receiver.ty, receiver.value, receiver.bad, 0)
    }

    /// Methods without arguments.
    fn lower_plain(
        &mut self,
        expr: &Expr,
        method: ChoiceMethod,
        receiver: &Receiver,
        is_good: ValueId,
    ) -> Option<ValueId> {
        use ChoiceMethod as M;
        let ty = self.ty_of(expr).clone();
        let (yes, no) = match method {
            M::IsSome | M::IsOk => return Some(is_good),
            M::IsNone | M::IsErr => return Some(self.b.op(Op::Not, &[is_good])),
            // An `impl` may do something visible for a default: it is called only where there is no value.
            M::UnwrapOrDefault if self.typed.implied.contains_key(&expr.id) => {
                let result = self.ty(&ty);
                return self.choose(is_good, result, |cx| cx.good(receiver), |cx| cx.default_of(&ty));
            }
            M::UnwrapOrDefault => {
                let value = self.good(receiver)?;
                (value, self.default_of(&ty)?)
            }
            M::Ok => {
                let value = self.good(receiver);
                (self.make_variant(&ty, SOME, &[value])?, self.make_variant(&ty, NONE, &[])?)
            }
            M::Err => {
                let error = self.bad(receiver);
                (self.make_variant(&ty, NONE, &[])?, self.make_variant(&ty, SOME, &[error])?)
            }
            M::Flatten => {
                let inner = self.good(receiver)?;
                let other = match receiver.ty {
                    Ty::Option(_) => self.make_variant(&ty, NONE, &[])?,
                    _ => {
                        let error = self.bad(receiver);
                        self.make_variant(&ty, ERR, &[error])?
                    }
                };
                (inner, other)
            }
            M::Same | M::AsMut => return Some(receiver.value),
            M::IsOrdered(op) => return Some(self.is_ordered(op, receiver.value)),
            M::Reverse => {
                let two = self.u32(2);
                return Some(self.b.op(Op::Sub, &[two, receiver.value]));
            }
            M::Transpose => return self.lower_transpose(&ty, receiver, is_good),
            M::Unzip => return self.lower_unzip(&ty, receiver, is_good),
            _ => return None,
        };
        Some(self.select(is_good, yes, no))
    }

    /// `Option<Result<T, E>>` and `Result<Option<T>, E>`, one as the other.
    fn lower_transpose(&mut self, ty: &Ty, receiver: &Receiver, is_good: ValueId) -> Option<ValueId> {
        let inner = self.good(receiver)?;
        let (yes, no) = match (&receiver.ty, ty) {
            (Ty::Option(inner_ty), Ty::Result(value_ty, _)) => {
                let is_ok = self.is_variant(inner_ty, inner, OK)?;
                let value = self.variant_member(inner_ty, inner, OK, 0);
                let error = self.variant_member(inner_ty, inner, ERR, 0);
                let some = self.make_variant(value_ty, SOME, &[value]);
                let fine = self.make_variant(ty, OK, &[some])?;
                let failed = self.make_variant(ty, ERR, &[error])?;
                let none = self.make_variant(value_ty, NONE, &[]);
                (self.select(is_ok, fine, failed), self.make_variant(ty, OK, &[none])?)
            }
            (Ty::Result(inner_ty, _), Ty::Option(value_ty)) => {
                let is_some = self.is_variant(inner_ty, inner, SOME)?;
                let value = self.variant_member(inner_ty, inner, SOME, 0);
                let fine = self.make_variant(value_ty, OK, &[value]);
                let some = self.make_variant(ty, SOME, &[fine])?;
                let none = self.make_variant(ty, NONE, &[])?;
                let error = self.bad(receiver);
                let failed = self.make_variant(value_ty, ERR, &[error]);
                (self.select(is_some, some, none), self.make_variant(ty, SOME, &[failed])?)
            }
            _ => return None,
        };
        Some(self.select(is_good, yes, no))
    }

    fn lower_unzip(&mut self, ty: &Ty, receiver: &Receiver, is_good: ValueId) -> Option<ValueId> {
        let (Ty::Option(pair_ty), Ty::Tuple(options)) = (&receiver.ty, ty) else { return None };
        let pair = self.good(receiver);
        let mut members = Vec::new();
        for (index, option) in (0u32..).zip(options.iter()) {
            let has_value = self.shared.types.members(pair_ty).get(index as usize).cloned();
            let has_value = has_value.is_some_and(|member| self.ty(&member).is_some());
            let position = self.shared.types.position(self.b.types_mut(), pair_ty, index);
            let member = match pair {
                Some(pair) if has_value => Some(self.b.extract(pair, &[position])),
                _ => None,
            };
            let (some, none) = (self.make_variant(option, SOME, &[member])?, self.make_variant(option, NONE, &[])?);
            members.push(self.select(is_good, some, none));
        }
        let ty = self.ty(ty)?;
        Some(self.compose(ty, &members))
    }

    /// Methods with one argument, which is a value.
    fn lower_eager(
        &mut self,
        expr: &Expr,
        method: ChoiceMethod,
        receiver: &Receiver,
        is_good: ValueId,
        (other, other_ty): (Option<ValueId>, &Ty),
    ) -> Option<ValueId> {
        use ChoiceMethod as M;
        let is_option = matches!(receiver.ty, Ty::Option(_));
        let ty = self.ty_of(expr).clone();
        let (yes, no) = match method {
            M::UnwrapOr => (self.good(receiver)?, other?),
            M::OkOr => {
                let value = self.good(receiver);
                (self.make_variant(&ty, OK, &[value])?, self.make_variant(&ty, ERR, &[other])?)
            }
            M::And if is_option => (other?, self.make_variant(&ty, NONE, &[])?),
            M::And => {
                let error = self.bad(receiver);
                (other?, self.make_variant(&ty, ERR, &[error])?)
            }
            M::Or if is_option => (receiver.value, other?),
            M::Or => {
                let value = self.good(receiver);
                (self.make_variant(&ty, OK, &[value])?, other?)
            }
            M::Xor => {
                let none = self.make_variant(&ty, NONE, &[])?;
                let other = other?;
                let is_other = self.is_variant(&ty, other, SOME)?;
                (self.select(is_other, none, receiver.value), other)
            }
            M::Zip => {
                let other = other?;
                let is_other = self.is_variant(other_ty, other, SOME)?;
                let parts = [self.good(receiver), self.variant_member(other_ty, other, SOME, 0)];
                let Ty::Option(pair_ty) = &ty else { return None };
                let parts: Vec<_> = parts.into_iter().flatten().collect();
                let pair = self.ty(pair_ty).map(|ty| self.compose(ty, &parts));
                let none = self.make_variant(&ty, NONE, &[])?;
                let both = self.make_variant(&ty, SOME, &[pair])?;
                (self.select(is_other, both, none), none)
            }
            M::ThenOrdering => (other?, receiver.value),
            M::ThenSome => (self.make_variant(&ty, SOME, &[other])?, self.make_variant(&ty, NONE, &[])?),
            _ => return None,
        };
        Some(self.select(is_good, yes, no))
    }

    /// Methods that call something.
    fn lower_lazy(
        &mut self,
        expr: &Expr,
        method: ChoiceMethod,
        receiver: &Receiver,
        is_good: ValueId,
        arguments: &[Argument<'_>],
    ) -> Option<ValueId> {
        use ChoiceMethod as M;
        let is_option = matches!(receiver.ty, Ty::Option(_));
        let ty = self.ty_of(expr).clone();
        let result = self.ty(&ty);
        let call = |cx: &mut Self, argument: usize, given: Option<ValueId>| match &arguments[argument] {
            Argument::Call(callable) => cx.call_inline(callable, &[given]),
            Argument::Value(value, _) => *value,
        };
        // Nothing follows a closure out of which control does not come.
        let wrap = |cx: &mut Self, variant: u32, value: Option<ValueId>| match cx.b.is_terminated() {
            true => None,
            false => cx.make_variant(&ty, variant, &[value]),
        };
        let yes = |cx: &mut Self| {
            let value = if method == M::ThenWith { None } else { cx.good(receiver) };
            match method {
                M::Map => {
                    let value = call(cx, 0, value);
                    wrap(cx, receiver.good, value)
                }
                M::Then => {
                    let value = call(cx, 0, None);
                    wrap(cx, SOME, value)
                }
                M::AndThen | M::IsSomeAnd | M::IsNoneOr | M::IsOkAnd => call(cx, 0, value),
                M::ThenWith => call(cx, 0, None),
                M::MapOr | M::MapOrElse => call(cx, 1, value),
                M::UnwrapOrElse => value,
                M::OkOrElse | M::MapErr => wrap(cx, OK, value),
                M::Filter => {
                    let holds = call(cx, 0, value)?;
                    let none = cx.make_variant(&ty, NONE, &[])?;
                    Some(cx.select(holds, receiver.value, none))
                }
                M::Inspect => {
                    call(cx, 0, value);
                    Some(receiver.value)
                }
                M::InspectErr => Some(receiver.value),
                M::OrElse if is_option => Some(receiver.value),
                M::OrElse => wrap(cx, OK, value),
                M::IsErrAnd => Some(cx.bool(false)),
                _ => None,
            }
        };
        let no = |cx: &mut Self| {
            let error = if is_option || matches!(method, M::Then | M::ThenWith) { None } else { cx.bad(receiver) };
            match method {
                M::Map | M::AndThen => wrap(cx, receiver.bad, error),
                M::Then => wrap(cx, NONE, None),
                M::Filter | M::Inspect | M::ThenWith => Some(receiver.value),
                M::InspectErr => {
                    call(cx, 0, error);
                    Some(receiver.value)
                }
                M::IsSomeAnd | M::IsOkAnd => Some(cx.bool(false)),
                M::IsNoneOr => Some(cx.bool(true)),
                M::IsErrAnd | M::MapOr | M::MapOrElse | M::UnwrapOrElse | M::OrElse => call(cx, 0, error),
                M::OkOrElse | M::MapErr => {
                    let error = call(cx, 0, error);
                    wrap(cx, ERR, error)
                }
                _ => None,
            }
        };
        self.choose(is_good, result, yes, no)
    }

    /// `insert`, `get_or_insert` and `get_or_insert_with`: what is there afterwards.
    fn lower_insert(&mut self, expr: &Expr, method: ChoiceMethod, args: &[&Expr]) -> Option<ValueId> {
        let (ty, value_ty) = (self.ty_of(args[0]).clone(), self.ty_of(expr).clone());
        let target = self.lower_referent(args[0]).map(|spot| self.in_place(spot))?;
        let argument = match method {
            ChoiceMethod::GetOrInsertWith => Argument::Call(self.callable(args.get(1)?)?),
            _ => Argument::Value(self.lower_expr(args.get(1)?), value_ty.clone()),
        };
        if self.b.is_terminated() {
            return None;
        }
        let insert = |cx: &mut Self| {
            let value = match &argument {
                Argument::Call(callable) => cx.call_inline(callable, &[]),
                Argument::Value(value, _) => *value,
            };
            if !cx.b.is_terminated()
                && let Some(new) = cx.make_variant(&ty, SOME, &[value])
            {
                cx.b.store(target.clone(), new);
            }
            value
        };
        if method == ChoiceMethod::Insert {
            return insert(self);
        }
        let old = self.b.load(target.clone());
        let is_some = self.is_variant(&ty, old, SOME)?;
        let result = self.ty(&value_ty);
        self.choose(is_some, result, |cx| cx.variant_member(&ty, old, SOME, 0), insert)
    }

    /// `take` and `replace`: the old value, and another one in its place.
    fn lower_exchange(&mut self, expr: &Expr, method: ChoiceMethod, args: &[&Expr]) -> Option<ValueId> {
        if method.gives_place() {
            return self.lower_insert(expr, method, args);
        }
        let ty = self.ty_of(expr).clone();
        let target = self.lower_referent(args[0]).map(|spot| self.in_place(spot))?;
        let value = args.get(1).and_then(|arg| self.lower_expr(arg));
        if self.b.is_terminated() {
            return None;
        }
        let old = self.b.load(target.clone());
        let new = match method {
            ChoiceMethod::Take => self.make_variant(&ty, NONE, &[])?,
            _ => self.make_variant(&ty, SOME, &[value])?,
        };
        self.b.store(target, new);
        Some(old)
    }
}

fn strip(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner, ..) => strip(inner),
        _ => expr,
    }
}
