//! Expressions, in Rust's order of evaluation. Operators, places, control flow and built-in functions have files of their own.

use gridwise_ir::arena::EntityId;
use gridwise_ir::builder::FunctionBuilder;
use gridwise_ir::ir::{ConstParamId, Place, Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, TypeId};

use super::coop::is_coop;
use super::function::FnCx;
use super::types::scalar;
use crate::ast::{BinaryOp, Expr, ExprKind, Literal, ScalarName, UnaryOp};
use crate::builtin::slice::SliceMethod;
use crate::program::ItemId;
use crate::typed::{Callee, Len, Resolution, Ty};

impl FnCx<'_, '_, '_> {
    /// Evaluates an expression. `None` when it is unit, or when control does not come out of it.
    pub(super) fn lower_expr(&mut self, expr: &Expr) -> Option<ValueId> {
        if self.is_spent(expr) {
            return None;
        }
        let outer = self.b.set_location(None);
        let location = self.location_of(expr);
        self.b.set_location(Some(location));
        let value = match self.typed.given_slices.contains_key(&expr.id) {
            true => self.lower_given_slice(expr),
            false => self.lower_kind(expr),
        };
        self.b.set_location(outer);
        value
    }

    pub(super) fn lower_kind(&mut self, expr: &Expr) -> Option<ValueId> {
        match &expr.kind {
            ExprKind::Literal(literal) => Some(self.lower_literal(literal, self.ty_of(expr))),
            ExprKind::Paren(inner, ..) => self.lower_expr(inner),
            ExprKind::Path(_) => self.lower_path(expr),
            ExprKind::Closure(_) => self.lower_closure(expr),
            ExprKind::Borrow { operand, .. } => match self.write_at_end(expr) {
                None => self.lower_expr(operand),
                written => written,
            },
            ExprKind::Field { .. } | ExprKind::Index { .. } => {
                let spot = self.lower_spot(expr)?;
                self.read(spot)
            }
            ExprKind::Unary(_, operand) if self.typed.calls.contains_key(&expr.id) => self.lower_call(expr, &[operand]),
            ExprKind::Binary(op, left, right, _) if self.typed.calls.contains_key(&expr.id) => {
                let value = self.lower_call(expr, &[left, right])?;
                if self.is_partial_cmp(expr) {
                    return Some(self.operator_of_option(*op, value));
                }
                let opposite = *op == BinaryOp::Ne && (self.calls_function(expr, "eq") || self.is_slice_equality(expr));
                Some(if opposite { self.op(Op::Not, &[value]) } else { value })
            }
            ExprKind::Unary(op, operand) => {
                let value = self.lower_expr(operand)?;
                if let (UnaryOp::Neg, Ty::Matrix(_)) = (op, self.ty_of(operand)) {
                    return Some(self.negated_matrix(value));
                }
                if let (UnaryOp::Neg, true) = (op, is_coop(self.ty_of(operand))) {
                    return Some(self.negated_coop(expr, value));
                }
                let op = match op {
                    UnaryOp::Neg => Op::Neg,
                    UnaryOp::Not => Op::Not,
                    UnaryOp::Deref => return Some(value),
                };
                if self.shared.program.is_wrapping(self.ty_of(operand)) {
                    let ty = self.ty_of(operand).clone();
                    return self.wrapped_unary(op, &ty, value);
                }
                let is_wide = matches!(self.ty_of(operand), Ty::Scalar(scalar) if scalar.is_wide());
                Some(if is_wide { self.wide_unary(op, value) } else { self.op(op, &[value]) })
            }
            ExprKind::Binary(BinaryOp::And, left, right, _) => self.lower_short_circuit(left, right, false),
            ExprKind::Binary(BinaryOp::Or, left, right, _) => self.lower_short_circuit(left, right, true),
            ExprKind::Binary(op, left, right, _) => {
                // It begins where this expression does, so the location is right already.
                let a = self.lower_kind(left);
                let b = self.lower_expr(right);
                self.binary(expr, *op, a, b)
            }
            ExprKind::Cast(inner, _) => {
                let value = self.lower_expr(inner)?;
                match (self.ty_of(inner), self.ty_of(expr)) {
                    (Ty::Enum(item, _), Ty::Scalar(to)) => {
                        let number = self.enum_number(*item, value);
                        Some(self.cast_number(number, *to))
                    }
                    (Ty::Ordering, Ty::Scalar(to)) => {
                        let (value, one) = (self.bitcast(value, Scalar::I32), self.i32(1));
                        let number = self.b.op(Op::Sub, &[value, one]);
                        Some(self.cast_number(number, *to))
                    }
                    (_, Ty::Scalar(to)) => Some(self.cast_number(value, *to)),
                    _ => Some(value),
                }
            }
            ExprKind::Assign(place, value) => self.lower_assign(place, value),
            ExprKind::AssignOp(_, place, value, _) if self.typed.calls.contains_key(&expr.id) => {
                self.lower_call(expr, &[place, value])
            }
            ExprKind::AssignOp(op, place, value, _) => self.lower_assign_op(expr, *op, place, value),
            ExprKind::Call { args, .. } => self.lower_call(expr, &args.iter().collect::<Vec<_>>()),
            ExprKind::Method { receiver, args, .. } => {
                let args = args.iter().enumerate().map(|(position, arg)| self.typed.argument(expr, position, arg));
                let args: Vec<_> = [&**receiver].into_iter().chain(args).collect();
                self.lower_call(expr, &args)
            }
            ExprKind::Range { start, end: Some(end), inclusive } => self.make_range(expr, start, end, *inclusive),
            ExprKind::Tuple(members) | ExprKind::Array(members) => self.lower_members(expr, members.iter()),
            ExprKind::Repeat { element, .. } => self.lower_repeat(expr, element),
            ExprKind::Macro(call) => self.lower_macro(expr, call),
            ExprKind::Struct { fields, base, .. } => self.lower_struct(expr, fields, base.as_deref()),
            _ => self.lower_control(expr),
        }
    }

    fn lower_path(&mut self, expr: &Expr) -> Option<ValueId> {
        match self.typed.paths.get(&expr.id)? {
            Resolution::Value(value) => self.constant(value, self.ty_of(expr)),
            Resolution::Const(item) if self.const_slot(*item).is_none() => {
                let constant = self.const_of(*item);
                self.constant(&constant.value, &constant.ty)
            }
            // Only functions with all types known are lowered.
            Resolution::Param => None,
            Resolution::Chosen(number) => Some(self.b.const_param(ConstParamId::new(*number as usize))),
            Resolution::Unit => {
                let variant = *self.typed.variants.get(&expr.id)?;
                let ty = self.ty_of(expr).clone();
                self.make_variant(&ty, variant, &[])
            }
            Resolution::Binding(_) | Resolution::Const(_) => {
                let spot = self.lower_spot(expr)?;
                self.read(spot)
            }
        }
    }

    fn lower_literal(&mut self, literal: &Literal, ty: &Ty) -> ValueId {
        match (literal, ty) {
            (Literal::Bool(value), _) => self.bool(*value),
            (Literal::Char(value), _) => self.u32(u32::from(*value)),
            (Literal::Text(_, number), _) => self.u32(*number),
            // `-128` is the negation of a literal one too large: it wraps to the same bits.
            (Literal::Int { value, .. }, Ty::Scalar(name)) if name.is_wide() => self.wide(*value, name.is_signed()),
            (Literal::Int { value, .. }, Ty::Scalar(name)) => self.bits(scalar(*name), *value as u64),
            (Literal::Int { value, .. }, _) => self.u32(*value as u32),
            // A literal was parsed when it was read, so it parses now.
            (Literal::Float { text, .. }, Ty::Scalar(ScalarName::F64)) => {
                self.float(Scalar::F64, text.parse().unwrap_or(f64::NAN))
            }
            (Literal::Float { text, .. }, _) => self.f32(text.parse().unwrap_or(f32::NAN)),
        }
    }

    fn lower_short_circuit(&mut self, left: &Expr, right: &Expr, decisive: bool) -> Option<ValueId> {
        let condition = self.lower_expr(left)?;
        let ty = self.b.types_mut().scalar(Scalar::Bool);
        let decided = |cx: &mut Self| Some(cx.bool(decisive));
        if decisive {
            self.choose(condition, Some(ty), decided, |cx| cx.lower_expr(right))
        } else {
            self.choose(condition, Some(ty), |cx| cx.lower_expr(right), decided)
        }
    }

    /// Evaluates expressions in order; `None` when control does not come out. Those without values are left out.
    fn lower_all<'e>(&mut self, exprs: impl Iterator<Item = &'e Expr>) -> Option<Vec<ValueId>> {
        let mut values = Vec::new();
        for expr in exprs {
            let value = self.lower_expr(expr);
            if self.typed.given_slices.contains_key(&expr.id) || self.ty(self.ty_of(expr)).is_some() {
                values.push(value?);
            } else if self.b.is_terminated() {
                return None;
            }
        }
        Some(values)
    }

    /// Tuples and arrays.
    fn lower_members<'e>(&mut self, expr: &Expr, members: impl Iterator<Item = &'e Expr>) -> Option<ValueId> {
        let values = self.lower_all(members)?;
        let ty = self.ty(self.ty_of(expr))?;
        self.compose_or_zero(ty, &values)
    }

    fn lower_repeat(&mut self, expr: &Expr, element: &Expr) -> Option<ValueId> {
        let value = self.lower_expr(element)?;
        let ty = self.ty(self.ty_of(expr))?;
        match self.ty_of(expr) {
            Ty::Array(_, Len::Known(len)) => self.compose_or_zero(ty, &vec![value; *len as usize]),
            Ty::Array(_, Len::Chosen(_)) if self.is_known_zero(value) => Some(self.zero(ty)),
            Ty::Array(_, len @ Len::Chosen(_)) => Some(self.fill(ty, *len, value)),
            _ => None,
        }
    }

    /// An array with the same value everywhere, as often as the launch says.
    fn fill(&mut self, ty: TypeId, len: Len, value: ValueId) -> ValueId {
        let array = self.b.new_local("filled", ty);
        let (zero, one, len) = (self.u32(0), self.u32(1), self.len_value(len));
        self.b.loop_(&[zero], &[], |b, body, carried| {
            let index = carried[0];
            let is_inside = b.op(Op::Lt, &[index, len]);
            let leave = |b: &mut FunctionBuilder<'_>| {
                b.break_(body, &[]);
                Vec::new()
            };
            b.if_(is_inside, &[], |_| Vec::new(), leave);
            let mut place = Place::local(array);
            place.path.push(Step::Index { value: index, check: None });
            b.store(place, value);
            let next = b.op(Op::Add, &[index, one]);
            b.continue_(body, &[next]);
        });
        self.b.load(Place::local(array))
    }

    /// The length of an array.
    pub(super) fn len_value(&mut self, len: Len) -> ValueId {
        match len {
            Len::Known(len) => self.u32(len),
            // Definitions are not lowered.
            Len::Param(_) | Len::Unknown => self.u32(0),
            Len::Chosen(number) => self.b.const_param(ConstParamId::new(number as usize)),
        }
    }

    /// A composite; one literal when all its bits are zero.
    pub(super) fn compose_or_zero(&mut self, ty: TypeId, members: &[ValueId]) -> Option<ValueId> {
        if members.iter().all(|member| self.is_known_zero(*member)) {
            return Some(self.zero(ty));
        }
        Some(self.compose(ty, members))
    }

    /// A struct or variant: fields are evaluated as written, then the base, and stand as declared.
    fn lower_struct(
        &mut self,
        expr: &Expr,
        fields: &[(proc_macro2::Ident, Expr)],
        base: Option<&Expr>,
    ) -> Option<ValueId> {
        let positions = self.typed.structs.get(&expr.id)?;
        let mut members: Vec<(u32, Option<ValueId>)> = Vec::new();
        for ((_, field), position) in fields.iter().zip(positions) {
            let value = self.lower_expr(field);
            if self.b.is_terminated() {
                return None;
            }
            members.push((*position, value));
        }
        let ty = self.ty_of(expr).clone();
        if let Some(base) = base {
            let spot = self.lower_spot(base);
            if self.b.is_terminated() {
                return None;
            }
            for index in 0..self.shared.types.members(&ty).len() as u32 {
                let member_ty = self.member_ty(&ty, index);
                if positions.contains(&index) || self.ty(&member_ty).is_none() {
                    continue;
                }
                let position = self.shared.types.position(self.b.types_mut(), &ty, index);
                let value = self.read(spot.clone()?.member(position));
                members.push((index, value));
            }
        }
        members.sort_by_key(|(position, _)| *position);
        self.build(expr, members.into_iter().map(|(_, value)| value).collect())
    }

    /// `Some(value)`, `Meters(1.0)`
    fn lower_constructor(&mut self, expr: &Expr, args: &[&Expr]) -> Option<ValueId> {
        let mut members = Vec::new();
        for arg in args {
            members.push(self.lower_expr(arg));
            if self.b.is_terminated() {
                return None;
            }
        }
        self.build(expr, members)
    }

    /// A struct or variant from its members in order; those without values are `None`.
    fn build(&mut self, expr: &Expr, members: Vec<Option<ValueId>>) -> Option<ValueId> {
        let ty = self.ty_of(expr).clone();
        if let Some(variant) = self.typed.variants.get(&expr.id) {
            return self.make_variant(&ty, *variant, &members);
        }
        let values: Vec<_> = members.into_iter().flatten().collect();
        let ty = self.ty(&ty)?;
        self.compose_or_zero(ty, &values)
    }

    fn lower_call(&mut self, expr: &Expr, args: &[&Expr]) -> Option<ValueId> {
        match *self.typed.calls.get(&expr.id)? {
            Callee::Builtin(builtin) => Some(self.b.builtin(builtin)),
            Callee::Intrinsic(intrinsic) => self.lower_intrinsic(expr, intrinsic, args),
            Callee::Closure => self.lower_closure_call(expr, args),
            Callee::Convert => {
                let value = self.lower_expr(args.first()?)?;
                let to = self.ty_of(expr).clone();
                self.converted(value, &to)
            }
            Callee::TryConvert => self.try_convert(expr, args.first()?),
            Callee::ToArray => self.slice_to_array(expr, args.first()?),
            Callee::Clone => self.lower_expr(args.first()?),
            Callee::Default => {
                let ty = self.ty_of(expr).clone();
                self.default_of(&ty)
            }
            Callee::Compare(method) => self.lower_comparison(expr, method, args),
            Callee::Choice(method) => self.lower_choice(expr, method, args),
            Callee::Iterate(iteration) => self.lower_iteration(expr, iteration, args),
            Callee::Range(method) => self.lower_range_method(expr, method, args),
            Callee::Slice(method) => self.lower_slice_method(expr, method, args),
            Callee::Swizzle(chosen, count) => {
                let value = self.lower_expr(args[0])?;
                let lanes = chosen[..usize::from(count)].iter().map(|lane| self.lane(value, *lane));
                let lanes: Vec<_> = lanes.collect();
                Some(self.vector(&lanes))
            }
            Callee::WithLanes(chosen, count) => {
                let (value, given) = (self.lower_expr(args[0])?, self.lower_expr(args[1])?);
                let (mut lanes, given) = (self.lanes(value), self.lanes(given));
                for (lane, given) in chosen[..usize::from(count)].iter().zip(given) {
                    lanes[usize::from(*lane)] = given;
                }
                Some(self.vector(&lanes))
            }
            Callee::Constructor => self.lower_constructor(expr, args),
            Callee::Atomic(op, order) => self.lower_atomic(expr, op, order, args),
            Callee::Coop(call) => self.lower_coop(expr, call, args),
            Callee::Image(method) => self.lower_image(expr, method, args),
            Callee::FromFn => self.array_from_fn(expr, args.first()?),
            Callee::Memory(function) => self.lower_memory_call(expr, function, args),
            callee @ (Callee::Barrier
            | Callee::SubgroupBarrier
            | Callee::Uniform
            | Callee::Detach
            | Callee::WithSlope
            | Callee::Fence(..)
            | Callee::Subgroup(_)) => self.lower_parallel_call(expr, callee, args),
            Callee::Device(item) if self.typed.place_call(self.shared.program, expr) == Some(item) => {
                let spot = self.lower_place_call(item, args)?;
                self.read(spot)
            }
            Callee::Device(item) if self.is_in_place(item) => self.lower_call_in_place(expr, item, args),
            Callee::Device(item) if self.typed.writes.contains(&expr.id) => self.lower_writing_call(expr, item, args),
            Callee::Device(item) => {
                let values = self.lower_all(args.iter().copied())?;
                // A function that was not lowered is a bug of ours: better no kernel than one without the call.
                let function = self.shared.functions[&item];
                self.b.call(function, &values)
            }
        }
    }

    /// The number that `From` makes of another one; any other value is of that type already.
    pub(super) fn converted(&mut self, value: ValueId, to: &Ty) -> Option<ValueId> {
        let to = match to {
            Ty::Scalar(to) => *to,
            Ty::Vector(..) | Ty::Array(..) | Ty::Tuple(_) => return self.converted_lanes(value, to),
            _ => return Some(value),
        };
        if to.is_wide() || self.is_wide(value) {
            return Some(self.cast_number(value, to));
        }
        // From `bool` to a float by way of an integer, and to a narrow float by way of a wider one.
        let from = self.shape(value).0;
        let value = match from {
            Scalar::Bool if to.is_float() => self.cast(value, Scalar::U32),
            _ if to.is_half() && !from.is_float() => self.cast(value, Scalar::F32),
            _ => value,
        };
        Some(self.cast(value, scalar(to)))
    }

    /// Whether an operator compares two slices.
    fn is_slice_equality(&self, expr: &Expr) -> bool {
        matches!(self.typed.calls.get(&expr.id), Some(Callee::Slice(SliceMethod::Equal)))
    }

    /// Whether a call is one of a device function of this name.
    pub(super) fn calls_function(&self, expr: &Expr, name: &str) -> bool {
        match self.typed.calls.get(&expr.id) {
            Some(Callee::Device(item)) => super::function_of(self.shared.program, *item).0.name == name,
            _ => false,
        }
    }

    /// A call of a method with `&mut self`: the variable is passed and gets what the method made of it.
    fn lower_writing_call(&mut self, expr: &Expr, item: ItemId, args: &[&Expr]) -> Option<ValueId> {
        let (receiver, rest) = args.split_first()?;
        // A function that was not lowered is a bug of ours: better no kernel than one without the call.
        let function = self.shared.functions[&item];
        let spot = self.lower_referent(receiver);
        let target = self.ty(self.ty_of(receiver)).and(spot).map(|spot| self.in_place(spot));
        let values = self.lower_all(rest.iter().copied())?;
        let old = target.clone().map(|target| self.b.load(target));
        let arguments: Vec<_> = old.into_iter().chain(values).collect();
        let returned = self.b.call(function, &arguments);
        let Some(target) = target else { return returned };
        let returned = returned?;
        if self.ty(self.ty_of(expr)).is_none() {
            self.b.store(target, returned);
            return None;
        }
        let (new, value) = (self.b.extract(returned, &[0]), self.b.extract(returned, &[1]));
        self.b.store(target, new);
        Some(value)
    }

    /// The values of an intrinsic's arguments.
    pub(super) fn lower_args(&mut self, args: &[&Expr]) -> Option<Vec<ValueId>> {
        self.lower_all(args.iter().copied())
    }
}
