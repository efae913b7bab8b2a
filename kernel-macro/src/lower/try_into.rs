//! Conversions that may fail: of integers, and of slices to arrays.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;

use super::function::FnCx;
use super::variant::{ERR, OK};
use crate::ast::Expr;
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// `u8::try_from(x)`: fails where the converted number is another one.
    pub(super) fn try_convert(&mut self, expr: &Expr, value: &Expr) -> Option<ValueId> {
        let is_signed = |ty: &Ty| matches!(ty, Ty::Scalar(scalar) if scalar.is_signed());
        let (ty, from_signed) = (self.ty_of(expr).clone(), is_signed(self.ty_of(value)));
        let value = self.lower_expr(value)?;
        let Ty::Result(target, _) = &ty else { return None };
        let Ty::Scalar(name) = **target else { return None };
        let converted = self.cast_number(value, name);
        let mut fits = if name.is_wide() || self.is_wide(value) {
            self.same_number(converted, value)
        } else {
            let back = self.cast(converted, self.shape(value).0);
            self.op(Op::Eq, &[back, value])
        };
        // A number and another one with the same bits differ in their signs.
        let signed = match (from_signed, name.is_signed()) {
            (true, false) => Some(value),
            (false, true) => Some(converted),
            _ => None,
        };
        if let Some(signed) = signed {
            let is_positive = if self.is_wide(signed) {
                let zero = self.wide(0, true);
                self.compare_op(Op::Ge, signed, zero)
            } else {
                let zero = self.int_like(signed, 0);
                self.op(Op::Ge, &[signed, zero])
            };
            fits = self.op(Op::And, &[fits, is_positive]);
        }
        let good = self.make_variant(&ty, OK, &[Some(converted)])?;
        let bad = self.make_variant(&ty, ERR, &[None])?;
        Some(self.select(fits, good, bad))
    }

    /// `slice.try_into()`: an array of as many elements.
    pub(super) fn slice_to_array(&mut self, expr: &Expr, receiver: &Expr) -> Option<ValueId> {
        let ty = self.ty_of(expr).clone();
        let Ty::Result(array, _) = &ty else { return None };
        let Ty::Array(_, count) = **array else { return None };
        let slice = self.lower_slice(receiver)?;
        let (len, offset, chunk) =
            (self.len_of(&slice)?, slice.window().and_then(|window| window.offset), slice.chunk());
        let place = self.in_place(slice);
        let (wanted, result) = (self.len_value(count), self.ty(&ty));
        let fits = self.op(Op::Eq, &[len, wanted]);
        let good = |cx: &mut Self| {
            let value = cx.array_of((&place, offset, chunk), array);
            cx.make_variant(&ty, OK, &[value])
        };
        self.choose(fits, result, good, |cx| cx.make_variant(&ty, ERR, &[None]))
    }
}
