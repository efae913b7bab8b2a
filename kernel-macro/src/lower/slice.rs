//! Slices: some elements of an array or buffer, known where the slice is made. A range beyond the elements panics
//! there; an index that leaves the slice traps like any other.
//!
//! On the device a slice is a place, an offset and a length. A function with slices is lowered in place, so that its
//! accesses name the buffer, shared variable or array itself. Its rendering is an original, which rustc checks, and
//! beside it a function of `Slice` and `SliceMut` for the twin. That is an associated function of a hidden type with
//! the function's name, so every path to the one is a path to the other.

use gridwise_ir::arena::EntityId as _;
use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{Place, Root, SiteId, ValueId};
use gridwise_ir::op::Op;

use super::function::{FnCx, Slot};
use super::place::{Origin, Spot, Window};
use crate::ast::{Expr, ExprId, ExprKind, Pattern};
use crate::program::message::{SliceFault, slice_message};
use crate::typed::{Cut, Ty};

impl FnCx<'_, '_, '_> {
    /// The slice that an argument or initialiser is. `None` when control does not come out.
    pub(super) fn lower_slice(&mut self, expr: &Expr) -> Option<Spot> {
        if let Some((base, cut)) = self.typed.cut(expr) {
            return self.lower_part(expr, base, cut);
        }
        match (&expr.kind, self.ty_of(expr)) {
            (ExprKind::Paren(inner, Some(_)), _) => self.lower_slice(inner).map(Spot::unordered),
            (ExprKind::Paren(inner, None) | ExprKind::Borrow { operand: inner, .. }, _) => self.lower_slice(inner),
            (_, Ty::Buffer { origin: Some(call), .. }) => {
                let call = *call;
                let slice = self.lower_expr(expr)?;
                self.slice_of_value(call, slice)
            }
            _ => {
                // An array that is not there panics here, whatever is done with its elements.
                let spot = match self.ty_of(expr) {
                    Ty::Array(..) => self.lower_referent(expr)?,
                    _ => self.lower_spot(expr)?,
                };
                match self.ty_of(expr) {
                    Ty::Array(_, len) if spot.window().is_none() => {
                        let len = self.len_value(*len);
                        let place = self.in_place(spot);
                        Some(Spot::slice(place, Window { offset: None, len, chunk: None }))
                    }
                    _ => Some(spot),
                }
            }
        }
    }

    /// The slice of a value that a call made.
    pub(super) fn slice_of_value(&mut self, call: ExprId, slice: ValueId) -> Option<Spot> {
        let origin = self.whole_of(call)?;
        if let Some(whole) = origin.whole
            && !self.typed.cut_origins.contains(&call)
        {
            let Some(window) = whole.window() else { return Some(*whole) };
            // A number is made anew: it may have been made in a branch.
            let Some(len) = self.known_scalar(window.len) else { return Some(*whole) };
            let len = self.u32(len as u32);
            return Some(Spot::slice(origin.place, Window { len, ..window }));
        }
        let (offset, len) = (self.lane(slice, 0), self.lane(slice, 1));
        let len = origin.len.map_or(len, |len| self.u32(len));
        Some(Spot::slice(origin.place, Window { offset: Some(offset), len, chunk: origin.chunk }))
    }

    /// The origin of slices with a number.
    pub(super) fn whole_of(&mut self, call: ExprId) -> Option<Origin> {
        if let Some(origin) = self.origins.get(&call) {
            return Some(origin.clone());
        }
        // The slice is made further down, in a loop.
        let root = *self.typed.origin_roots.get(&call)?;
        let slot = *self.slots.get(root.index())?;
        let spot = self.spot_of(slot)?;
        Some(Origin::of(spot.place()?.clone(), spot.chunk()))
    }

    /// `let part = &x[a..b];`; whether it was that.
    pub(super) fn lower_slice_let(&mut self, pattern: &Pattern, value: Option<&Expr>) -> bool {
        let (Pattern::Binding { binding, inner: None, .. }, Some(value)) = (pattern, value) else { return false };
        if !matches!(self.typed.binding(*binding), Ty::Buffer { origin: None, .. }) {
            return false;
        }
        if let Some(mut spot) = self.lower_slice(value) {
            if self.typed.moving.contains(binding)
                && let Some(ends) = self.ends_of(&spot)
            {
                spot = spot.moving(ends.map(|end| self.spill(end, "slice")));
            }
            let slot = self.alias(spot);
            self.set_slot(*binding, slot);
        }
        true
    }

    /// The beginning of a slice, and its length.
    pub(super) fn ends_of(&mut self, spot: &Spot) -> Option<[ValueId; 2]> {
        let len = self.len_of(spot)?;
        let offset = spot.window().and_then(|window| window.offset);
        Some([offset.unwrap_or_else(|| self.u32(0)), len])
    }

    /// A spot; a slice that changes as it is now.
    pub(super) fn as_it_is_now(&mut self, spot: Spot) -> Spot {
        let (Some(ends), Some(place)) = (spot.ends(), spot.place()) else { return spot };
        let [offset, len] = ends.map(|local| self.b.load(Place::local(local)));
        Spot::slice(place.clone(), Window { offset: Some(offset), len, chunk: spot.chunk() })
    }

    /// `rest = &rest[1..];`; whether it is that.
    pub(super) fn lower_slice_assign(&mut self, target: &Expr, value: &Expr) -> bool {
        let Some(binding) = self.typed.moving_slice(target) else { return false };
        let target = match self.slot(binding) {
            Slot::Alias(number) => self.spots.get(number as usize).and_then(Spot::ends),
            _ => None,
        };
        if let (Some(spot), Some(target)) = (self.lower_slice(value), target)
            && let Some(ends) = self.ends_of(&spot)
        {
            target.into_iter().zip(ends).for_each(|(local, end)| self.b.store(Place::local(local), end));
        }
        true
    }

    /// The value of a slice that a call made.
    pub(super) fn slice_value(&mut self, offset: ValueId, len: ValueId) -> ValueId {
        self.vector(&[offset, len])
    }

    /// How many elements a slice or buffer has.
    pub(super) fn len_of(&mut self, spot: &Spot) -> Option<ValueId> {
        match (spot.window(), spot.place()?.root) {
            (Some(window), _) => Some(window.len),
            (None, Root::Buffer(buffer)) => Some(self.b.len(buffer)),
            (None, Root::Member(list, member)) => Some(self.b.member_len(list, member)),
            (None, Root::Local(_) | Root::Shared(_)) => None,
        }
    }

    /// `lists[k]`: where there is no such buffer, it traps and is one without elements.
    pub(super) fn lower_member(&mut self, expr: &Expr, base: &Expr, index: &Expr) -> Option<Spot> {
        let list = self.lower_spot(base);
        let index = self.lower_expr(index)?;
        let index = self.index_word(index);
        let Root::Buffer(list) = list?.place()?.root else { return None };
        let count = self.b.len(list);
        let site = self.site(SiteKind::IndexOutOfBounds, expr);
        let is_inside = self.b.op(Op::Lt, &[index, count]);
        let is_outside = self.b.op(Op::Not, &[is_inside]);
        self.when(is_outside, |cx| cx.b.trap(site, &[index, count]));
        let len = self.b.member_len(list, index);
        let place = Place { root: Root::Member(list, index), path: [].into(), is_unordered: false };
        Some(Spot::slice(place, Window { offset: None, len, chunk: None }))
    }

    fn lower_part(&mut self, expr: &Expr, base: &Expr, cut: Cut<'_>) -> Option<Spot> {
        let whole = self.lower_slice(base)?;
        let (start, end) = match cut {
            Cut::Ends(None, None, _) => return Some(whole),
            Cut::Ends(start, end, inclusive) => {
                let start = match start {
                    Some(start) => Some(self.lower_position(start)?),
                    None => None,
                };
                let end = match end {
                    Some(end) if inclusive => {
                        let last = self.lower_position(end)?;
                        Some(self.behind(last))
                    }
                    Some(end) => Some(self.lower_position(end)?),
                    None => None,
                };
                (start, end)
            }
            Cut::Range(range) => {
                let (start, end) = self.lower_range_ends(range)?;
                (Some(start), Some(end))
            }
        };
        let len = self.len_of(&whole)?;
        if let Some(start) = start {
            self.panic_over(expr, SliceFault::Start, start, len);
        }
        if let Some(end) = end {
            self.panic_over(expr, SliceFault::End, end, len);
        }
        if let (Some(start), Some(end)) = (start, end) {
            self.panic_over(expr, SliceFault::Order, start, end);
        }
        let end = end.unwrap_or(len);
        let part = match start {
            Some(start) => self.op(Op::Sub, &[end, start]),
            None => end,
        };
        let chunk = whole.chunk();
        let start = start.map(|start| self.in_chunks(chunk, start));
        let offset = match (whole.window().and_then(|window| window.offset), start) {
            (Some(offset), Some(start)) => self.op(Op::Add, &[offset, start]),
            (Some(offset), None) => offset,
            (None, Some(start)) => start,
            (None, None) => self.u32(0),
        };
        let place = self.in_place(whole);
        Some(Spot::slice(place, Window { offset: Some(offset), len: part, chunk }))
    }

    /// The start of the slice that a range selects, and its end.
    pub(super) fn lower_range_ends(&mut self, range: &Expr) -> Option<(ValueId, ValueId)> {
        let ends = self.lower_ends(range)?;
        let (start, end) = (self.index_word(ends.start), self.index_word(ends.end));
        let Some(exhausted) = ends.exhausted else { return Some((start, end)) };
        // As Rust has it: nothing is left, behind the end.
        let end = self.behind(end);
        Some((self.select(exhausted, end, start), end))
    }

    /// One end of a slice as `u32`.
    fn lower_position(&mut self, expr: &Expr) -> Option<ValueId> {
        let value = self.lower_expr(expr)?;
        Some(self.index_word(value))
    }

    /// The position behind another one; behind the largest `u32` is none, and none there has a slice anyway.
    fn behind(&mut self, last: ValueId) -> ValueId {
        let (limit, one) = (self.u32(u32::MAX - 1), self.u32(1));
        let last = self.op(Op::Min, &[last, limit]);
        self.op(Op::Add, &[last, one])
    }

    /// Panics when a position lies behind a limit.
    pub(super) fn panic_over(&mut self, expr: &Expr, fault: SliceFault, position: ValueId, limit: ValueId) {
        if let (Some(position), Some(limit)) = (self.known_scalar(position), self.known_scalar(limit))
            && position <= limit
        {
            return;
        }
        let is_over = self.b.op(Op::Gt, &[position, limit]);
        self.when(is_over, |cx| {
            let site = cx.message_site(SiteKind::Panic, expr, slice_message(fault));
            cx.b.panic(site, &[position, limit]);
        });
    }

    /// The index of a slice's element in what it is a slice of; what leaves the slice traps, and is out of range there too.
    pub(super) fn index_in(&mut self, window: Window, index: ValueId, site: SiteId) -> ValueId {
        let Some(offset) = window.offset else { return index };
        let is_inside = self.b.op(Op::Lt, &[index, window.len]);
        let is_outside = self.b.op(Op::Not, &[is_inside]);
        self.when(is_outside, |cx| cx.b.trap(site, &[index, window.len]));
        let place = self.op(Op::Add, &[offset, index]);
        let nowhere = self.u32(u32::MAX);
        self.select(is_inside, place, nowhere)
    }
}
