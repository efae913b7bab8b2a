//! Slices as values: what `windows`, `chunks` and `split_at` make. A value says where a slice begins and how many elements it
//! has; the place of these is noted for the call.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{Place, ValueId};
use gridwise_ir::op::Op;

use super::indexed::{At, Extent, Indexed};
use super::machine::Machine;
use crate::ast::{Expr, ExprKind};
use crate::builtin::iteration::Parts;
use crate::lower::function::FnCx;
use crate::lower::place::Origin;
use crate::lower::variant::{NONE, SOME};
use crate::program::message::{MessageParts, split_message, zero_size_message};
use crate::typed::{Len, Ty};

/// The array or slice that is divided.
struct Whole {
    place: Place,
    offset: Option<ValueId>,
    len: ValueId,
    chunk: Option<Len>,
}

impl FnCx<'_, '_, '_> {
    /// `x.windows(n)` and its like. `None` when control does not come out.
    pub(super) fn indexed_parts(&mut self, call: &Expr, parts: Parts, whole: &Expr, size: &Expr) -> Option<Indexed> {
        let Whole { place, offset, len, chunk } = self.lower_whole(whole)?;
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
        let (one, exact) = (self.u32(1), parts.is_exact());
        let count = match parts {
            Parts::Windows => {
                let any = self.b.op(Op::Le, &[size_value, len]);
                let (behind, zero) = (self.op(Op::Sub, &[len, size_value]), self.u32(0));
                let count = self.op(Op::Add, &[behind, one]);
                self.select(any, count, zero)
            }
            Parts::ChunksExact { .. } | Parts::RChunksExact { .. } => self.b.op(Op::Div, &[len, size_value]),
            Parts::Chunks { .. } | Parts::RChunks { .. } => {
                let (whole, rest) = (self.b.op(Op::Div, &[len, size_value]), self.b.op(Op::Rem, &[len, size_value]));
                let zero = self.u32(0);
                let more = self.b.op(Op::Ne, &[rest, zero]);
                let more = self.select(more, one, zero);
                self.b.op(Op::Add, &[whole, more])
            }
        };
        self.origins.insert(call.id, Origin { len: known.filter(|_| exact), ..Origin::of(place, chunk) });
        let step = if parts == Parts::Windows { one } else { size_value };
        let at = At::Parts { size: size_value, step, offset, total: len, exact, from_end: parts.is_from_end(), chunk };
        Some(Indexed { extent: Extent::Count(count), at, trusted: true })
    }

    /// `x.chunks_exact(n).remainder()`, also of an iterator that has given some of its parts.
    pub(super) fn left_of_chunks(&mut self, call: &Expr, parts: &Expr) -> Option<ValueId> {
        let mut machine = self.machine(parts, false)?;
        while let Machine::Kept(inner) = machine {
            machine = *inner;
        }
        let Ty::Iterator(part) = self.ty_of(parts) else { return None };
        let Ty::Buffer { origin: Some(origin), .. } = **part else { return None };
        let Machine::Indexed { indexed: Indexed { at, .. }, .. } = machine else { return None };
        let At::Parts { size, offset, total, from_end, chunk, .. } = at else { return None };
        let left = self.op(Op::Rem, &[total, size]);
        let mut first = self.first_of(offset);
        if !from_end {
            let before = self.op(Op::Sub, &[total, left]);
            let before = self.in_chunks(chunk, before);
            first = self.op(Op::Add, &[first, before]);
        }
        let whole = self.origins.get(&origin)?.clone();
        self.origins.insert(call.id, Origin { len: None, ..whole });
        Some(self.slice_value(first, left))
    }

    /// `x.split_at(middle)`
    pub(super) fn split_at(&mut self, call: &Expr, whole: &Expr, middle: &Expr) -> Option<ValueId> {
        let Whole { place, offset, len, chunk } = self.lower_whole(whole)?;
        let middle = self.lower_expr(middle)?;
        let is_behind = self.b.op(Op::Gt, &[middle, len]);
        self.panic_if(call, is_behind, split_message());
        if self.b.is_terminated() {
            return None;
        }
        let first = self.first_of(offset);
        let before = self.in_chunks(chunk, middle);
        let (second, left) = (self.op(Op::Add, &[first, before]), self.op(Op::Sub, &[len, middle]));
        let (head, tail) = (self.slice_value(first, middle), self.slice_value(second, left));
        self.origins.insert(call.id, Origin::of(place, chunk));
        let ty = self.ty(self.ty_of(call))?;
        Some(self.compose(ty, &[head, tail]))
    }

    /// `x.split_at_checked(middle)`
    pub(super) fn split_at_checked(&mut self, call: &Expr, whole: &Expr, middle: &Expr) -> Option<ValueId> {
        let Whole { place, offset, len, chunk } = self.lower_whole(whole)?;
        let middle = self.lower_expr(middle)?;
        self.origins.insert(call.id, Origin::of(place, chunk));
        let first = self.first_of(offset);
        let before = self.in_chunks(chunk, middle);
        let (second, left) = (self.op(Op::Add, &[first, before]), self.op(Op::Sub, &[len, middle]));
        let (head, tail) = (self.slice_value(first, middle), self.slice_value(second, left));
        let is_there = self.op(Op::Le, &[middle, len]);
        self.option_of_pair(call, is_there, head, tail)
    }

    /// `x.split_first()`, or `x.split_last()`.
    pub(super) fn split_end(&mut self, call: &Expr, whole: &Expr, last: bool) -> Option<ValueId> {
        let Whole { place, offset, len, chunk } = self.lower_whole(whole)?;
        let (zero, one) = (self.u32(0), self.u32(1));
        let is_there = self.op(Op::Lt, &[zero, len]);
        let left = self.op(Op::Sub, &[len, one]);
        let first = self.first_of(offset);
        let width = self.in_chunks(chunk, one);
        let behind = self.op(Op::Add, &[first, width]);
        let rest = self.slice_value(if last { first } else { behind }, left);
        let index = if last { left } else { zero };
        self.origins.insert(call.id, Origin::of(place.clone(), chunk));
        let ty = self.ty_of(call).clone();
        let Ty::Option(pair) = &ty else { return None };
        let Ty::Tuple(members) = &**pair else { return None };
        let (result, element) = (self.ty(&ty), self.ty(&members[0]));
        let some = |cx: &mut Self| {
            let mut values = Vec::with_capacity(2);
            // In range: there is one.
            values.extend(cx.load_at((&place, offset, chunk), index, &members[0]).filter(|_| element.is_some()));
            values.push(rest);
            let pair = cx.ty(pair)?;
            let pair = cx.compose(pair, &values);
            cx.make_variant(&ty, SOME, &[Some(pair)])
        };
        self.choose(is_there, result, some, |cx| cx.make_variant(&ty, NONE, &[]))
    }

    /// `x.get(a..b)`
    pub(super) fn get_part(&mut self, call: &Expr, whole: &Expr, range: &Expr) -> Option<ValueId> {
        let mut range = range;
        while let ExprKind::Paren(inner, ..) = &range.kind {
            range = inner;
        }
        let Whole { place, offset, len, chunk } = self.lower_whole(whole)?;
        let (start, end, inclusive) = match &range.kind {
            ExprKind::Range { start, end, inclusive } => {
                let start = self.lower_expr(start)?;
                let end = match end {
                    Some(end) => Some(self.lower_expr(end)?),
                    None => None,
                };
                (start, end, inclusive)
            }
            _ => {
                let (start, end) = self.lower_range_ends(range)?;
                (start, Some(end), &false)
            }
        };
        let (end, reaches) = match end {
            Some(end) => {
                let (op, one) = (if *inclusive { Op::Lt } else { Op::Le }, self.u32(1));
                // Elements behind the last position of all are not reached.
                let reaches = self.op(op, &[end, len]);
                (if *inclusive { self.op(Op::Add, &[end, one]) } else { end }, Some(reaches))
            }
            None => (len, None),
        };
        let in_order = self.op(Op::Le, &[start, end]);
        let is_there = reaches.map_or(in_order, |reaches| self.op(Op::And, &[reaches, in_order]));
        self.origins.insert(call.id, Origin::of(place, chunk));
        let (offset, len) = (self.first_of(offset), self.op(Op::Sub, &[end, start]));
        let before = self.in_chunks(chunk, start);
        let offset = self.op(Op::Add, &[offset, before]);
        let part = self.slice_value(offset, len);
        let ty = self.ty_of(call).clone();
        self.option_of(&ty, is_there, part)
    }

    fn option_of_pair(&mut self, call: &Expr, is_there: ValueId, head: ValueId, tail: ValueId) -> Option<ValueId> {
        let ty = self.ty_of(call).clone();
        let Ty::Option(pair) = &ty else { return None };
        let pair = self.ty(pair)?;
        let pair = self.compose(pair, &[head, tail]);
        self.option_of(&ty, is_there, pair)
    }

    pub(super) fn first_of(&mut self, offset: Option<ValueId>) -> ValueId {
        offset.unwrap_or_else(|| self.u32(0))
    }

    fn lower_whole(&mut self, whole: &Expr) -> Option<Whole> {
        let slice = self.lower_slice(whole)?;
        let (len, offset) = (self.len_of(&slice)?, slice.window().and_then(|window| window.offset));
        let chunk = slice.chunk();
        Some(Whole { place: self.in_place(slice), offset, len, chunk })
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
