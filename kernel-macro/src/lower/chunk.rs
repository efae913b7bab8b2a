//! Arrays of a slice's elements: what `as_chunks` makes is a slice whose elements lie side by side in what it is made of. They are
//! read only, as values: no place of the IR is an array in a buffer of its elements.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{Place, Step, ValueId};
use gridwise_ir::op::Op;

use super::function::{FnCx, Slot};
use super::place::Spot;
use crate::ast::Expr;
use crate::typed::{Len, Ty};

/// The longest arrays whose elements are loaded one by one.
const MAX_UNROLLED: u32 = 16;

/// A run of elements: the array or buffer, the first of them, and how many of its elements each has that is an array.
type Run<'a> = (&'a Place, Option<ValueId>, Option<Len>);

impl FnCx<'_, '_, '_> {
    /// A number of elements, each of which is perhaps an array, as one of what they lie in.
    pub(super) fn in_chunks(&mut self, chunk: Option<Len>, count: ValueId) -> ValueId {
        let Some(chunk) = chunk else { return count };
        let size = self.len_value(chunk);
        self.op(Op::Mul, &[count, size])
    }

    /// An element that is there; `None` when it has no value.
    pub(super) fn load_at(&mut self, (place, offset, chunk): Run<'_>, index: ValueId, ty: &Ty) -> Option<ValueId> {
        self.ty(ty)?;
        let index = self.in_chunks(chunk, index);
        let value = offset.map_or(index, |offset| self.op(Op::Add, &[offset, index]));
        if chunk.is_some() {
            return self.array_of((place, Some(value), None), ty);
        }
        let mut place = place.clone();
        place.path.push(Step::Index { value, check: None });
        Some(self.b.load(place))
    }

    /// An array of elements that are there.
    pub(super) fn array_of(&mut self, (place, offset, chunk): Run<'_>, ty: &Ty) -> Option<ValueId> {
        let array = self.ty(ty)?;
        let Ty::Array(element, count) = ty else { return None };
        match *count {
            Len::Known(count) if count <= MAX_UNROLLED => {
                let mut parts = Vec::with_capacity(count as usize);
                for index in 0..count {
                    let index = self.u32(index);
                    parts.extend(self.load_at((place, offset, chunk), index, element));
                }
                Some(self.compose(array, &parts))
            }
            count => {
                let (zero, len) = (self.zero(array), self.len_value(count));
                let held = self.spill(zero, "array");
                self.each_index(len, |cx, index, _| {
                    if let Some(value) = cx.load_at((place, offset, chunk), index, element) {
                        let mut target = Place::local(held);
                        target.path.push(Step::Index { value: index, check: None });
                        cx.b.store(target, value);
                    }
                });
                Some(self.get(held))
            }
        }
    }

    /// `words[i]`, the whole array: zeros behind a trap where there is none.
    pub(super) fn lower_chunk(&mut self, expr: &Expr, words: Spot, chunk: Len, index: ValueId) -> Option<Spot> {
        let (ty, is_inside) = (self.ty_of(expr).clone(), self.check_chunk(expr, &words, index)?);
        let offset = words.window().and_then(|window| window.offset);
        let place = self.in_place(words);
        let result = self.ty(&ty);
        let value = self.choose(
            is_inside,
            result,
            |cx| cx.load_at((&place, offset, Some(chunk)), index, &ty),
            |cx| result.map(|result| cx.zero(result)),
        );
        Spot::of_slot(Slot::Value(value?))
    }

    /// `words[i][k]`: one element of what the arrays lie in.
    pub(super) fn lower_part_of_chunk(
        &mut self,
        expr: &Expr,
        (row_expr, words, row): (&Expr, Spot, &Expr),
        chunk: Len,
        index: &Expr,
    ) -> Option<Spot> {
        let row = self.lower_expr(row)?;
        let row = self.index_word(row);
        let has_row = self.check_chunk(row_expr, &words, row)?;
        let index = self.lower_expr(index)?;
        let index = self.index_word(index);
        let size = self.len_value(chunk);
        let has_element = self.op(Op::Lt, &[index, size]);
        let site = self.site(SiteKind::IndexOutOfBounds, expr);
        if self.known_scalar(has_element) != Some(1) {
            let is_missing = self.op(Op::Not, &[has_element]);
            self.when(is_missing, |cx| cx.b.trap(site, &[index, size]));
        }
        let is_inside = self.op(Op::And, &[has_row, has_element]);
        let before = self.op(Op::Mul, &[row, size]);
        let value = self.op(Op::Add, &[before, index]);
        let value = match words.window().and_then(|window| window.offset) {
            Some(offset) => self.op(Op::Add, &[offset, value]),
            None => value,
        };
        let nowhere = self.u32(u32::MAX);
        let value = self.select(is_inside, value, nowhere);
        let mut place = self.in_place(words);
        place.path.push(Step::Index { value, check: Some(site) });
        Some(Spot::at(place))
    }

    /// Whether a slice has an array at a position; traps where it has not.
    fn check_chunk(&mut self, expr: &Expr, words: &Spot, index: ValueId) -> Option<ValueId> {
        let (len, site) = (self.len_of(words)?, self.site(SiteKind::IndexOutOfBounds, expr));
        let is_inside = self.op(Op::Lt, &[index, len]);
        if self.known_scalar(is_inside) != Some(1) {
            let is_outside = self.op(Op::Not, &[is_inside]);
            self.when(is_outside, |cx| cx.b.trap(site, &[index, len]));
        }
        Some(is_inside)
    }
}
