//! Comparison of values by what they are made of, as derived traits and those of Rust's own types do it. The function of an
//! `impl` runs only where the members before are equal.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::builtin::standard::{Given, Standard};
use crate::program::ItemId;
use crate::program::message::{CLAMP_BOUNDS, MessageParts};
use crate::typed::{Comparison, Ty};

/// Positions of the variants of `Ordering`, which are their values here.
pub(super) const LESS: u32 = 0;
pub(super) const EQUAL: u32 = 1;
pub(super) const GREATER: u32 = 2;
/// The number for `None` in place of an ordering.
const UNORDERED: u32 = 3;

/// Two values of a type; those without any are `None`.
type Pair = (Ty, Option<ValueId>, Option<ValueId>);

impl FnCx<'_, '_, '_> {
    /// A comparison operator on values of a type that is no number.
    pub(super) fn compare_values(
        &mut self,
        op: BinaryOp,
        ty: &Ty,
        a: Option<ValueId>,
        b: Option<ValueId>,
    ) -> Option<ValueId> {
        if let BinaryOp::Eq | BinaryOp::Ne = op {
            let equal = self.equal_values(ty, a, b);
            let equal = equal.unwrap_or_else(|| self.bool(true));
            return Some(if op == BinaryOp::Eq { equal } else { self.b.op(Op::Not, &[equal]) });
        }
        let order = self.order(ty, a, b, Standard::PartialOrd);
        Some(self.is_ordered(op, order))
    }

    /// A method that compares.
    pub(super) fn lower_comparison(&mut self, expr: &Expr, method: Comparison, args: &[&Expr]) -> Option<ValueId> {
        let ty = self.ty_of(args[0]).clone();
        let mut values = Vec::new();
        for arg in args {
            values.push(self.lower_expr(arg));
            if self.b.is_terminated() {
                return None;
            }
        }
        let (a, b) = (values[0], values[1]);
        match method {
            Comparison::Operator(op) => match (&ty, a, b) {
                (Ty::Scalar(_), Some(a), Some(b)) if ty != Ty::BOOL => Some(self.compare_numbers(op, a, b)),
                _ => self.compare_values(op, &ty, a, b),
            },
            Comparison::Cmp => Some(self.order(&ty, a, b, Standard::Ord)),
            Comparison::TotalCmp => {
                let (a, b) = (self.total_key(a?), self.total_key(b?));
                Some(self.order_numbers(a, b))
            }
            Comparison::PartialCmp => {
                let order = self.order(&ty, a, b, Standard::PartialOrd);
                self.option_of_order(expr, order)
            }
            // As the default methods of `Ord` do it.
            Comparison::Max | Comparison::Min => {
                let is_less = self.compare_values(BinaryOp::Lt, &ty, b, a)?;
                let (a, b) = (a?, b?);
                Some(if method == Comparison::Max { self.select(is_less, a, b) } else { self.select(is_less, b, a) })
            }
            Comparison::Clamp => self.clamp_values(expr, &ty, [a, b, values[2]]),
        }
    }

    /// The result of `partial_cmp` for an order.
    pub(super) fn option_of_order(&mut self, expr: &Expr, order: ValueId) -> Option<ValueId> {
        let unordered = self.u32(UNORDERED);
        let is_some = self.b.op(Op::Ne, &[order, unordered]);
        let result = self.ty_of(expr).clone();
        self.option_of(&result, is_some, order)
    }

    fn clamp_values(&mut self, expr: &Expr, ty: &Ty, [value, min, max]: [Option<ValueId>; 3]) -> Option<ValueId> {
        let in_order = self.compare_values(BinaryOp::Le, ty, min, max)?;
        let is_wrong = self.b.op(Op::Not, &[in_order]);
        self.when(is_wrong, |cx| {
            let parts = MessageParts { format: CLAMP_BOUNDS.to_owned(), args: Vec::new() };
            let site = cx.message_site(SiteKind::Panic, expr, parts);
            cx.b.panic(site, &[]);
        });
        let is_below = self.compare_values(BinaryOp::Lt, ty, value, min)?;
        let is_above = self.compare_values(BinaryOp::Gt, ty, value, max)?;
        let lowered = self.select(is_above, max?, value?);
        Some(self.select(is_below, min?, lowered))
    }

    pub(super) fn compare_numbers(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        let op = match op {
            BinaryOp::Eq => Op::Eq,
            BinaryOp::Ne => Op::Ne,
            BinaryOp::Lt => Op::Lt,
            BinaryOp::Le => Op::Le,
            BinaryOp::Gt => Op::Gt,
            _ => Op::Ge,
        };
        self.compare_op(op, a, b)
    }

    /// The result of an operator for two values that are ordered so; `false` for those without an order, but for `!=`.
    pub(super) fn is_ordered(&mut self, op: BinaryOp, order: ValueId) -> ValueId {
        let (op, other) = match op {
            BinaryOp::Lt => (Op::Eq, LESS),
            BinaryOp::Le => (Op::Le, EQUAL),
            BinaryOp::Gt => (Op::Eq, GREATER),
            BinaryOp::Eq => (Op::Eq, EQUAL),
            BinaryOp::Ne => (Op::Ne, EQUAL),
            _ => {
                // Greater or equal, and not without an order.
                let (one, two) = (self.u32(1), self.u32(2));
                let from_equal = self.b.op(Op::Sub, &[order, one]);
                return self.b.op(Op::Lt, &[from_equal, two]);
            }
        };
        let other = self.u32(other);
        self.b.op(op, &[order, other])
    }

    /// The result of an operator, from that of a `partial_cmp` of an `impl`.
    pub(super) fn operator_of_option(&mut self, op: BinaryOp, option: ValueId) -> ValueId {
        let order = self.order_of_option(option);
        self.is_ordered(op, order)
    }

    /// The function by which a struct or enum is compared, where its author wrote one.
    fn written(&self, ty: &Ty, of: Standard) -> Option<ItemId> {
        let (Ty::Struct(item, _) | Ty::Enum(item, _)) = ty else { return None };
        match self.given(*item, of) {
            Given::Written(function) => Some(function),
            _ => None,
        }
    }

    fn order_of_option(&mut self, option: ValueId) -> ValueId {
        let (tag, order) = (self.b.extract(option, &[0]), self.b.extract(option, &[1]));
        let (none, unordered) = (self.u32(super::variant::NONE), self.u32(UNORDERED));
        let is_none = self.b.op(Op::Eq, &[tag, none]);
        self.select(is_none, unordered, order)
    }

    /// The order of two values, or that they have none.
    pub(super) fn order(&mut self, ty: &Ty, a: Option<ValueId>, b: Option<ValueId>, of: Standard) -> ValueId {
        if let Some(function) = self.written(ty, of) {
            return match (self.call_on(function, a, b), of) {
                (Some(order), Standard::Ord) => order,
                (Some(option), _) => self.order_of_option(option),
                (None, _) => self.u32(EQUAL),
            };
        }
        match ty {
            Ty::Scalar(_) => match (a, b) {
                (Some(a), Some(b)) => self.order_scalars(a, b),
                _ => self.u32(EQUAL),
            },
            Ty::Array(element, len) => {
                let mut pairs = Vec::new();
                for index in 0..len.known().unwrap_or(0) {
                    let part = |cx: &mut Self, value: Option<ValueId>| value.map(|it| cx.b.extract(it, &[index]));
                    let (a, b) = (part(self, a), part(self, b));
                    pairs.push(((**element).clone(), a, b));
                }
                self.order_members(&pairs, of)
            }
            Ty::Tuple(_) | Ty::Struct(_, _) => {
                let pairs = match self.shared.program.is_reverse(ty) {
                    true => self.member_pairs(ty, b, a),
                    false => self.member_pairs(ty, a, b),
                };
                self.order_members(&pairs, of)
            }
            _ => match (a, b) {
                (Some(a), Some(b)) => self.order_variants(ty, a, b, of),
                _ => self.u32(EQUAL),
            },
        }
    }

    fn given(&self, item: ItemId, of: Standard) -> Given {
        self.shared.program.given(item, of)
    }

    fn call_on(&mut self, function: ItemId, a: Option<ValueId>, b: Option<ValueId>) -> Option<ValueId> {
        // A function that was not lowered is a bug of ours: better no kernel than one that compares otherwise.
        let function = self.shared.functions[&function];
        let values: Vec<_> = a.into_iter().chain(b).collect();
        self.b.call(function, &values)
    }

    /// The members of two tuples or structs.
    fn member_pairs(&mut self, ty: &Ty, a: Option<ValueId>, b: Option<ValueId>) -> Vec<Pair> {
        let members = self.shared.types.members(ty).to_vec();
        let (mut pairs, mut position) = (Vec::new(), 0);
        for member in members {
            let (mut left, mut right) = (None, None);
            if self.ty(&member).is_some() {
                left = a.map(|a| self.b.extract(a, &[position]));
                right = b.map(|b| self.b.extract(b, &[position]));
                position += 1;
            }
            pairs.push((member, left, right));
        }
        pairs
    }

    /// The order of the first members that differ.
    fn order_members(&mut self, pairs: &[Pair], of: Standard) -> ValueId {
        let Some(((ty, a, b), rest)) = pairs.split_first() else { return self.u32(EQUAL) };
        let first = self.order(ty, *a, *b, of);
        if rest.is_empty() {
            return first;
        }
        let equal = self.u32(EQUAL);
        let is_equal = self.b.op(Op::Eq, &[first, equal]);
        if rest.iter().any(|(ty, ..)| self.shared.program.leads_to_functions(ty, of)) {
            let word = self.b.value_type(first);
            let order = self.choose(is_equal, Some(word), |cx| Some(cx.order_members(rest, of)), |_| Some(first));
            return order.unwrap_or(first);
        }
        let second = self.order_members(rest, of);
        self.select(is_equal, second, first)
    }

    fn order_scalars(&mut self, a: ValueId, b: ValueId) -> ValueId {
        if self.is_wide(a) {
            return self.order_numbers(a, b);
        }
        if self.shape(a).0 == Scalar::Bool {
            let (a, b) = (self.cast(a, Scalar::U32), self.cast(b, Scalar::U32));
            return self.order_numbers(a, b);
        }
        let order = self.order_numbers(a, b);
        if !self.shape(a).0.is_float() {
            return order;
        }
        let (is_less, is_more) = (self.b.op(Op::Le, &[a, b]), self.b.op(Op::Gt, &[a, b]));
        let has_order = self.b.op(Op::Or, &[is_less, is_more]);
        let unordered = self.u32(UNORDERED);
        self.select(has_order, order, unordered)
    }

    /// The order of two numbers, neither of which is NaN.
    fn order_numbers(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (is_less, is_equal) = (self.compare_op(Op::Lt, a, b), self.compare_op(Op::Eq, a, b));
        let (less, equal, greater) = (self.u32(LESS), self.u32(EQUAL), self.u32(GREATER));
        let other = self.select(is_equal, equal, greater);
        self.select(is_less, less, other)
    }

    /// The bits of a float as an integer of the order that `total_cmp` has.
    fn total_key(&mut self, x: ValueId) -> ValueId {
        let scalar = self.shape(x).0;
        let (signed, unsigned) = (scalar.signed(), scalar.unsigned());
        let bits = self.bitcast(x, signed);
        let (all, one) = (self.u32(scalar.bits() - 1), self.u32(1));
        let sign = self.b.op(Op::Shr, &[bits, all]);
        let sign = self.bitcast(sign, unsigned);
        let flip = self.b.op(Op::Shr, &[sign, one]);
        let flip = self.bitcast(flip, signed);
        self.b.op(Op::Xor, &[bits, flip])
    }

    /// The order of two enums: of their variants' numbers, then of the members.
    fn order_variants(&mut self, ty: &Ty, a: ValueId, b: ValueId, of: Standard) -> ValueId {
        let (Some(tag), Some(other)) = (self.tag_of(ty, a), self.tag_of(ty, b)) else { return self.u32(EQUAL) };
        let variants = self.shared.program.variants_of(ty).unwrap_or_default();
        let by_tag = match ty {
            Ty::Enum(item, _) => {
                let (number, other) = (self.enum_number(*item, tag), self.enum_number(*item, other));
                self.order_numbers(number, other)
            }
            _ => self.order_numbers(tag, other),
        };
        let mut order = by_tag;
        for (variant, members) in (0u32..).zip(&variants) {
            if members.is_empty() {
                continue;
            }
            let number = self.u32(variant);
            let both = [tag, other].map(|tag| self.b.op(Op::Eq, &[tag, number]));
            let is_both = self.b.op(Op::And, &both);
            let in_variant = |cx: &mut Self| {
                let pairs = (0u32..).zip(members).map(|(index, member)| {
                    let (a, b) = (cx.variant_member(ty, a, variant, index), cx.variant_member(ty, b, variant, index));
                    (member.clone(), a, b)
                });
                let pairs: Vec<Pair> = pairs.collect();
                cx.order_members(&pairs, of)
            };
            if members.iter().any(|member| self.shared.program.leads_to_functions(member, of)) {
                let word = self.b.value_type(order);
                let before = order;
                order = self.choose(is_both, Some(word), |cx| Some(in_variant(cx)), |_| Some(before)).unwrap_or(before);
            } else {
                let inner = in_variant(self);
                order = self.select(is_both, inner, order);
            }
        }
        order
    }

    /// Whether two values are equal, member by member; `None` when they surely are.
    fn equal_values(&mut self, ty: &Ty, a: Option<ValueId>, b: Option<ValueId>) -> Option<ValueId> {
        if let Some(function) = self.written(ty, Standard::PartialEq) {
            return self.call_on(function, a, b);
        }
        match ty {
            Ty::Scalar(_) | Ty::Vector(..) | Ty::Quat => Some(self.equal(Op::Eq, Op::All, a?, b?)),
            Ty::Matrix(size) => {
                let mut pairs = Vec::new();
                for index in 0..u32::from(*size) {
                    let (a, b) = (self.b.extract(a?, &[index]), self.b.extract(b?, &[index]));
                    pairs.push((crate::builtin::matrix::column(*size), Some(a), Some(b)));
                }
                self.equal_members(&pairs)
            }
            Ty::Array(element, len) => {
                let mut pairs = Vec::new();
                for index in 0..len.known()? {
                    let part = |cx: &mut Self, value: Option<ValueId>| value.map(|it| cx.b.extract(it, &[index]));
                    let (a, b) = (part(self, a), part(self, b));
                    pairs.push(((**element).clone(), a, b));
                }
                self.equal_members(&pairs)
            }
            Ty::Tuple(_) | Ty::Struct(_, _) => {
                let pairs = self.member_pairs(ty, a, b);
                self.equal_members(&pairs)
            }
            _ => self.equal_variants(ty, a?, b?),
        }
    }

    fn equal_members(&mut self, pairs: &[Pair]) -> Option<ValueId> {
        let mut equal = None;
        for (ty, a, b) in pairs {
            let Some(before) = equal else {
                equal = self.equal_values(ty, *a, *b);
                continue;
            };
            if self.shared.program.leads_to_functions(ty, Standard::PartialEq) {
                let flag = self.b.value_type(before);
                let rest = |cx: &mut Self| {
                    let equal = cx.equal_values(ty, *a, *b);
                    Some(equal.unwrap_or_else(|| cx.bool(true)))
                };
                equal = self.choose(before, Some(flag), rest, |cx| Some(cx.bool(false)));
            } else if let Some(test) = self.equal_values(ty, *a, *b) {
                equal = Some(self.b.op(Op::And, &[before, test]));
            }
        }
        equal
    }

    fn equal_variants(&mut self, ty: &Ty, a: ValueId, b: ValueId) -> Option<ValueId> {
        let (tag, other) = (self.tag_of(ty, a)?, self.tag_of(ty, b)?);
        let mut equal = self.b.op(Op::Eq, &[tag, other]);
        let variants = self.shared.program.variants_of(ty)?;
        for (variant, members) in (0u32..).zip(&variants) {
            let pairs = (0u32..).zip(members).map(|(index, member)| {
                let (a, b) = (self.variant_member(ty, a, variant, index), self.variant_member(ty, b, variant, index));
                (member.clone(), a, b)
            });
            let pairs: Vec<Pair> = pairs.collect();
            let number = self.u32(variant);
            if members.iter().any(|member| self.shared.program.leads_to_functions(member, Standard::PartialEq)) {
                let is_it = self.b.op(Op::Eq, &[tag, number]);
                let is_it = self.b.op(Op::And, &[equal, is_it]);
                let (flag, before) = (self.b.value_type(equal), equal);
                let inner = |cx: &mut Self| {
                    let equal = cx.equal_members(&pairs);
                    Some(equal.unwrap_or_else(|| cx.bool(true)))
                };
                equal = self.choose(is_it, Some(flag), inner, |_| Some(before))?;
            } else if let Some(inner) = self.equal_members(&pairs) {
                let is_other = self.b.op(Op::Ne, &[tag, number]);
                let fits = self.b.op(Op::Or, &[is_other, inner]);
                equal = self.b.op(Op::And, &[equal, fits]);
            }
        }
        Some(equal)
    }

    /// Whether an operator's call is one of `partial_cmp`, whose result says what the operator asks.
    pub(super) fn is_partial_cmp(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Binary(..)) && self.calls_function(expr, "partial_cmp")
    }
}
