//! Slices as values: what `windows`, `chunks` and `split_at` make. A value says where a slice begins and how many elements it
//! has; the place of these is noted for the call.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{Place, ValueId};
use gridwise_ir::op::Op;

use super::indexed::{At, Extent, Indexed};
use crate::ast::Expr;
use crate::iteration::Parts;
use crate::lower::function::FnCx;
use crate::lower::place::Origin;
use crate::message::{MessageParts, split_message, zero_size_message};

/// What is divided.
struct Whole {
    place: Place,
    offset: Option<ValueId>,
    len: ValueId,
}

impl FnCx<'_, '_, '_> {
    /// `x.windows(n)` and its like. `None` when control does not come out.
    pub(super) fn indexed_parts(&mut self, call: &Expr, parts: Parts, whole: &Expr, size: &Expr) -> Option<Indexed> {
        let Whole { place, offset, len } = self.lower_whole(whole)?;
        let size_value = self.lower_expr(size)?;
        let known = self.known_scalar(size_value).and_then(|size| u32::try_from(size).ok());
        if known.is_none_or(|size| size == 0) {
            let zero = self.u32(0);
            let is_zero = self.b.op(Op::Eq, &[size_value, zero]);
            self.panic_if(call, is_zero, zero_size_message(parts));
        }
        if self.b.is_terminated() {
            return None;
        }
        let (one, exact) = (self.u32(1), !matches!(parts, Parts::Chunks { .. }));
        let count = match parts {
            Parts::Windows => {
                let any = self.b.op(Op::Le, &[size_value, len]);
                let (behind, zero) = (self.op(Op::Sub, &[len, size_value]), self.u32(0));
                let count = self.op(Op::Add, &[behind, one]);
                self.select(any, count, zero)
            }
            Parts::ChunksExact { .. } => self.b.op(Op::Div, &[len, size_value]),
            Parts::Chunks { .. } => {
                let (whole, rest) = (self.b.op(Op::Div, &[len, size_value]), self.b.op(Op::Rem, &[len, size_value]));
                let zero = self.u32(0);
                let more = self.b.op(Op::Ne, &[rest, zero]);
                let more = self.select(more, one, zero);
                self.b.op(Op::Add, &[whole, more])
            }
        };
        self.origins.insert(call.id, Origin { place, len: known.filter(|_| exact) });
        let step = if parts == Parts::Windows { one } else { size_value };
        let at = At::Parts { size: size_value, step, offset, total: len, exact };
        Some(Indexed { extent: Extent::Count(count), at, trusted: true })
    }

    /// `x.split_at(middle)`
    pub(super) fn split_at(&mut self, call: &Expr, whole: &Expr, middle: &Expr) -> Option<ValueId> {
        let Whole { place, offset, len } = self.lower_whole(whole)?;
        let middle = self.lower_expr(middle)?;
        let is_behind = self.b.op(Op::Gt, &[middle, len]);
        self.panic_if(call, is_behind, split_message());
        if self.b.is_terminated() {
            return None;
        }
        let first = match offset {
            Some(offset) => offset,
            None => self.u32(0),
        };
        let (second, left) = (self.op(Op::Add, &[first, middle]), self.op(Op::Sub, &[len, middle]));
        let (head, tail) = (self.slice_value(first, middle), self.slice_value(second, left));
        self.origins.insert(call.id, Origin { place, len: None });
        let ty = self.ty(self.ty_of(call))?;
        Some(self.compose(ty, &[head, tail]))
    }

    fn lower_whole(&mut self, whole: &Expr) -> Option<Whole> {
        let slice = self.lower_slice(whole)?;
        let (len, offset) = (self.len_of(&slice)?, slice.window().and_then(|window| window.offset));
        Some(Whole { place: self.in_place(slice), offset, len })
    }

    fn panic_if(&mut self, call: &Expr, condition: ValueId, message: MessageParts<'static>) {
        let location = self.location_of(call);
        let outer = self.b.set_location(Some(location));
        self.when(condition, |cx| {
            let site = cx.message_site(SiteKind::Panic, call, message);
            cx.b.panic(site, &[]);
        });
        self.b.set_location(outer);
    }
}
