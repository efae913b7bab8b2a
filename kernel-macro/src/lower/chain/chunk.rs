//! Methods of slices that make arrays of their elements: `as_chunks`, `first_chunk`, `split_first_chunk` and their like.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;

use crate::ast::Expr;
use crate::lower::function::FnCx;
use crate::lower::place::Origin;
use crate::lower::variant::{NONE, SOME};
use crate::typed::{Len, Ty};

impl FnCx<'_, '_, '_> {
    /// `x.as_chunks::<N>()`, or `x.as_rchunks::<N>()` if `from_end`.
    pub(super) fn as_chunks(&mut self, call: &Expr, whole: &Expr, from_end: bool) -> Option<ValueId> {
        let elements = self.all_elements(whole)?;
        let pair = self.ty_of(call).clone();
        let Ty::Tuple(members) = &pair else { return None };
        let Ty::Buffer { element, .. } = &members[usize::from(from_end)] else { return None };
        let Ty::Array(_, chunk) = **element else { return None };
        let size = self.len_value(chunk);
        let (count, rest) = (self.op(Op::Div, &[elements.len, size]), self.op(Op::Rem, &[elements.len, size]));
        let first = self.first_of(elements.offset);
        let place = elements.place?;
        self.origins.insert(call.id, Origin::of(place.clone(), Some(chunk)));
        self.origins.insert(whole.id, Origin::of(place, None));
        let behind = if from_end { rest } else { self.op(Op::Mul, &[count, size]) };
        let second = self.op(Op::Add, &[first, behind]);
        let members = match from_end {
            true => [self.slice_value(first, rest), self.slice_value(second, count)],
            false => [self.slice_value(first, count), self.slice_value(second, rest)],
        };
        let pair = self.ty(&pair)?;
        Some(self.compose(pair, &members))
    }

    /// `x.first_chunk::<N>()`, or `x.last_chunk::<N>()` if `last`.
    pub(super) fn end_chunk(&mut self, call: &Expr, whole: &Expr, last: bool) -> Option<ValueId> {
        let ty = self.ty_of(call).clone();
        let Ty::Option(array) = &ty else { return None };
        self.chunk_and(call, whole, last, array, |cx, array, _| cx.make_variant(&ty, SOME, &[array]))
    }

    /// `x.split_first_chunk::<N>()`, or `x.split_last_chunk::<N>()` if `last`.
    pub(super) fn split_chunk(&mut self, call: &Expr, whole: &Expr, last: bool) -> Option<ValueId> {
        let ty = self.ty_of(call).clone();
        let Ty::Option(pair) = &ty else { return None };
        let Ty::Tuple(members) = &**pair else { return None };
        let array = &members[usize::from(last)];
        self.chunk_and(call, whole, last, array, |cx, array, rest| {
            let values: Vec<_> =
                if last { [Some(rest), array] } else { [array, Some(rest)] }.into_iter().flatten().collect();
            let pair = cx.ty(pair)?;
            let pair = cx.compose(pair, &values);
            cx.make_variant(&ty, SOME, &[Some(pair)])
        })
    }

    /// An option of what is made of the first or last elements, an array, and of the slice of all others.
    fn chunk_and(
        &mut self,
        call: &Expr,
        whole: &Expr,
        last: bool,
        array: &Ty,
        make: impl FnOnce(&mut Self, Option<ValueId>, ValueId) -> Option<ValueId>,
    ) -> Option<ValueId> {
        let elements = self.all_elements(whole)?;
        let ty = self.ty_of(call).clone();
        let Ty::Array(_, size) = array else { return None };
        let size: Len = *size;
        let size = self.len_value(size);
        let is_there = self.op(Op::Le, &[size, elements.len]);
        let left = self.op(Op::Sub, &[elements.len, size]);
        let first = self.first_of(elements.offset);
        let (skipped, start) = (if last { left } else { self.u32(0) }, if last { self.u32(0) } else { size });
        let (skipped, start) = (self.in_chunks(elements.chunk, skipped), self.in_chunks(elements.chunk, start));
        let (at, rest) = (self.op(Op::Add, &[first, skipped]), self.op(Op::Add, &[first, start]));
        if let Some(place) = &elements.place {
            self.origins.insert(call.id, Origin::of(place.clone(), elements.chunk));
        }
        let rest = self.slice_value(rest, left);
        let result = self.ty(&ty);
        let some = |cx: &mut Self| {
            let array = match &elements.place {
                Some(place) => cx.array_of((place, Some(at), elements.chunk), array),
                None => cx.ty(array).map(|array| cx.zero(array)),
            };
            make(cx, array, rest)
        };
        self.choose(is_there, result, some, |cx| cx.make_variant(&ty, NONE, &[]))
    }
}
