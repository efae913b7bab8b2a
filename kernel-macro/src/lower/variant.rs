//! Values of enums, `Option` and `Result`: a tag, the position of the variant, and slots that variants share by type.
//!
//! Zero bits are the first variant with zero members, so every value that memory can hold is one. Slots that the variant
//! in hand does not use hold anything: only its members are read.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;
use crate::ast::Expr;
use crate::program::{ItemId, TypedItem};
use crate::typed::{Callee, Ty};

/// Positions of the variants of `Option` and `Result`.
pub(super) const NONE: u32 = 0;
pub(super) const SOME: u32 = 1;
pub(super) const OK: u32 = 0;
pub(super) const ERR: u32 = 1;

impl FnCx<'_, '_, '_> {
    /// A value of an enum type; members without values are `None`.
    pub(super) fn make_variant(&mut self, ty: &Ty, variant: u32, members: &[Option<ValueId>]) -> Option<ValueId> {
        let layout = self.shared.types.enum_layout(self.b.types_mut(), ty)?;
        let tag = self.u32(variant);
        if layout.slots.is_empty() {
            return Some(tag);
        }
        let mut values = vec![None; layout.slots.len()];
        for (position, member) in layout.positions[variant as usize].iter().zip(members) {
            if let Some(position) = position {
                values[*position as usize - 1] = Some((*member)?);
            }
        }
        let mut all = vec![tag];
        for (value, slot) in values.into_iter().zip(&layout.slots) {
            let value = value.unwrap_or_else(|| self.zero(*slot));
            all.push(value);
        }
        self.compose_or_zero(layout.ty, &all)
    }

    /// `Some(value)` where the condition holds, else `None`, whose slot may hold anything.
    pub(super) fn option_of(&mut self, ty: &Ty, condition: ValueId, value: ValueId) -> Option<ValueId> {
        let layout = self.shared.types.enum_layout(self.b.types_mut(), ty)?;
        let tag = self.cast(condition, Scalar::U32);
        Some(self.compose(layout.ty, &[tag, value]))
    }

    /// The tag of a value's variant.
    pub(super) fn tag_of(&mut self, ty: &Ty, value: ValueId) -> Option<ValueId> {
        let layout = self.shared.types.enum_layout(self.b.types_mut(), ty)?;
        Some(if layout.slots.is_empty() { value } else { self.b.extract(value, &[0]) })
    }

    /// Whether a value is of this variant; `None` when the enum has no other.
    pub(super) fn is_variant(&mut self, ty: &Ty, value: ValueId, variant: u32) -> Option<ValueId> {
        let layout = self.shared.types.enum_layout(self.b.types_mut(), ty)?;
        if layout.positions.len() == 1 {
            return None;
        }
        let tag = self.tag_of(ty, value)?;
        let number = self.u32(variant);
        Some(self.b.op(Op::Eq, &[tag, number]))
    }

    /// A member of a value known to be of this variant; `None` when it has no value.
    pub(super) fn variant_member(&mut self, ty: &Ty, value: ValueId, variant: u32, member: u32) -> Option<ValueId> {
        let layout = self.shared.types.enum_layout(self.b.types_mut(), ty)?;
        let position = (*layout.positions.get(variant as usize)?.get(member as usize)?)?;
        Some(self.b.extract(value, &[position]))
    }

    /// The number of a variant, with the sign that the enum's numbers have.
    pub(super) fn enum_number(&mut self, item: ItemId, tag: ValueId) -> ValueId {
        let program = self.shared.program;
        let TypedItem::Enum(variants) = &program.items[item].typed else { return tag };
        let is_unsigned =
            matches!(&program.items[item].item, crate::ast::Item::Enum(definition) if definition.unsigned);
        let scalar = if is_unsigned { Scalar::U32 } else { Scalar::I32 };
        let numbers: Vec<u32> = variants.iter().map(|variant| variant.discriminant).collect();
        if numbers.iter().zip(0u32..).all(|(number, position)| *number == position) {
            self.bitcast(tag, scalar)
        } else {
            let last = numbers.last().copied().unwrap_or_default();
            let mut number = self.bits(scalar, last.into());
            for (position, bits) in numbers.iter().enumerate().rev().skip(1) {
                let position = self.u32(position as u32);
                let is_it = self.b.op(Op::Eq, &[tag, position]);
                let bits = self.bits(scalar, (*bits).into());
                number = self.select(is_it, bits, number);
            }
            number
        }
    }

    /// The error that `?` returns, as `From` makes it of the one it found.
    fn convert_error(&mut self, expr: &Expr, error: Option<ValueId>) -> Option<ValueId> {
        match self.typed.calls.get(&expr.id) {
            Some(Callee::Device(item)) => {
                let function = *self.shared.functions.get(item)?;
                let arguments: Vec<_> = error.into_iter().collect();
                self.b.call(function, &arguments)
            }
            Some(Callee::Convert) => {
                let Ty::Result(_, to) = self.returned().clone() else { return error };
                self.converted(error?, &to)
            }
            _ => error,
        }
    }

    /// `value?`
    pub(super) fn lower_try(&mut self, expr: &Expr, operand: &Expr) -> Option<ValueId> {
        let value = self.lower_expr(operand)?;
        let ty = self.ty_of(operand).clone();
        let result = self.ty(self.ty_of(expr));
        let good = if let Ty::Option(_) = ty { SOME } else { OK };
        let is_good = self.is_variant(&ty, value, good)?;
        self.choose(
            is_good,
            result,
            |cx| cx.variant_member(&ty, value, good, 0),
            |cx| {
                let returned = cx.returned().clone();
                let bad = match ty {
                    Ty::Option(_) => cx.make_variant(&returned, NONE, &[]),
                    _ => {
                        let error = cx.variant_member(&ty, value, ERR, 0);
                        let error = cx.convert_error(expr, error);
                        cx.make_variant(&returned, ERR, &[error])
                    }
                };
                cx.emit_return(bad);
                None
            },
        )
    }
}
