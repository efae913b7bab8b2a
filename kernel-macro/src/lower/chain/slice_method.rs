//! Methods of arrays and slices: what they read and write of the elements, one after the other.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{Place, Step, ValueId};
use gridwise_ir::op::Op;

use super::machine::Machine;
use crate::ast::{BinaryOp, Expr};
use crate::builtin::slice::SliceMethod;
use crate::lower::control::Target;
use crate::lower::function::FnCx;
use crate::lower::variant::{NONE, SOME};
use crate::program::message::{copied_lengths_message, rotated_message};
use crate::typed::{Len, Ty};

/// The elements of an array or slice.
pub(super) struct Elements {
    /// Nowhere when they have no values, or there are none.
    pub(super) place: Option<Place>,
    pub(super) offset: Option<ValueId>,
    pub(super) len: ValueId,
    pub(super) ty: Ty,
    /// Of what `as_chunks` made, as in `Window`.
    pub(super) chunk: Option<Len>,
}

impl FnCx<'_, '_, '_> {
    /// A method of an array or slice, which is the first argument.
    pub(in crate::lower) fn lower_slice_method(
        &mut self,
        expr: &Expr,
        method: SliceMethod,
        args: &[&Expr],
    ) -> Option<ValueId> {
        match method {
            SliceMethod::SplitAt { .. } => return self.split_at(expr, args[0], args[1]),
            SliceMethod::SplitAtChecked => return self.split_at_checked(expr, args[0], args[1]),
            SliceMethod::SplitEnd { last } => return self.split_end(expr, args[0], last),
            SliceMethod::GetPart { .. } => return self.get_part(expr, args[0], args[1]),
            SliceMethod::Map => return self.map_array(expr, args[0], args[1]),
            SliceMethod::MapLanes => return self.map_lanes(args[0], args[1]),
            SliceMethod::AsChunks { from_end } => return self.as_chunks(expr, args[0], from_end),
            SliceMethod::EndChunk { last } => return self.end_chunk(expr, args[0], last),
            SliceMethod::Remainder => return self.left_of_chunks(expr, args[0]),
            SliceMethod::SplitChunk { last } => return self.split_chunk(expr, args[0], last),
            _ => {}
        }
        let elements = self.all_elements(args[0])?;
        match method {
            SliceMethod::First => {
                let zero = self.u32(0);
                let any = self.op(Op::Lt, &[zero, elements.len]);
                self.element_if(expr, &elements, any, zero)
            }
            SliceMethod::Last => {
                let (zero, one) = (self.u32(0), self.u32(1));
                let any = self.op(Op::Lt, &[zero, elements.len]);
                let last = self.op(Op::Sub, &[elements.len, one]);
                self.element_if(expr, &elements, any, last)
            }
            SliceMethod::Get => {
                let index = self.lower_expr(args[1])?;
                let inside = self.op(Op::Lt, &[index, elements.len]);
                self.element_if(expr, &elements, inside, index)
            }
            SliceMethod::Contains => {
                let needle = self.lower_expr(args[1]);
                self.contains(&elements, needle)
            }
            SliceMethod::StartsWith | SliceMethod::EndsWith | SliceMethod::Equal => {
                let other = self.all_elements(args[1])?;
                self.has_part(method, &elements, &other)
            }
            SliceMethod::Swap => {
                let (a, b) = (self.lower_expr(args[1])?, self.lower_expr(args[2])?);
                self.swap_checked(expr, &elements, a, b);
                None
            }
            SliceMethod::Fill => {
                let value = self.lower_expr(args[1]);
                self.each_index(elements.len, |cx, index, _| cx.store_element(&elements, index, value));
                None
            }
            SliceMethod::Reverse => {
                let zero = self.u32(0);
                self.reverse_between(&elements, zero, elements.len);
                None
            }
            SliceMethod::Rotate { right } => {
                let count = self.lower_expr(args[1])?;
                self.rotate_elements(expr, &elements, count, right);
                None
            }
            SliceMethod::PartitionPoint | SliceMethod::Search | SliceMethod::SearchBy | SliceMethod::SearchByKey => {
                self.search_sorted(expr, method, &elements, &args[1..])
            }
            // Dealt with above.
            SliceMethod::SplitAt { .. }
            | SliceMethod::SplitAtChecked
            | SliceMethod::SplitEnd { .. }
            | SliceMethod::GetPart { .. }
            | SliceMethod::AsChunks { .. }
            | SliceMethod::EndChunk { .. }
            | SliceMethod::SplitChunk { .. }
            | SliceMethod::Remainder
            | SliceMethod::Map
            | SliceMethod::MapLanes => None,
            SliceMethod::CopyFrom => {
                let source = self.all_elements(args[1])?;
                self.check_lengths(expr, source.len, elements.len);
                self.each_index(elements.len, |cx, index, _| {
                    let value = cx.load_element(&source, index);
                    cx.store_element(&elements, index, value);
                });
                None
            }
        }
    }

    pub(super) fn all_elements(&mut self, expr: &Expr) -> Option<Elements> {
        let ty = match self.ty_of(expr) {
            Ty::Array(element, _) | Ty::Buffer { element, .. } => (**element).clone(),
            _ => return None,
        };
        let has_values = self.ty(&ty).is_some();
        if let Ty::Array(_, len) = self.ty_of(expr)
            && (!has_values || *len == Len::Known(0))
        {
            let len = *len;
            self.lower_spot(expr);
            let len = self.len_value(len);
            return Some(Elements { place: None, offset: None, len, ty, chunk: None })
                .filter(|_| !self.b.is_terminated());
        }
        let slice = self.lower_slice(expr)?;
        let (len, offset) = (self.len_of(&slice)?, slice.window().and_then(|window| window.offset));
        let chunk = slice.chunk();
        Some(Elements { place: Some(self.in_place(slice)), offset, len, ty, chunk })
    }

    /// The place of an element that is there.
    fn element_place(&mut self, elements: &Elements, index: ValueId) -> Option<Place> {
        let mut place = elements.place.clone()?;
        let value = elements.offset.map_or(index, |offset| self.op(Op::Add, &[offset, index]));
        place.path.push(Step::Index { value, check: None });
        Some(place)
    }

    pub(super) fn load_element(&mut self, elements: &Elements, index: ValueId) -> Option<ValueId> {
        let ty = self.ty(&elements.ty)?;
        match &elements.place {
            Some(place) => self.load_at((place, elements.offset, elements.chunk), index, &elements.ty),
            None => Some(self.zero(ty)),
        }
    }

    pub(super) fn store_element(&mut self, elements: &Elements, index: ValueId, value: Option<ValueId>) {
        if let (Some(place), Some(value)) = (self.element_place(elements, index), value) {
            self.b.store(place, value);
        }
    }

    fn swap_elements(&mut self, elements: &Elements, a: ValueId, b: ValueId) {
        let (first, second) = (self.load_element(elements, a), self.load_element(elements, b));
        self.store_element(elements, a, second);
        self.store_element(elements, b, first);
    }

    /// `Some` of an element where there is one.
    fn element_if(&mut self, expr: &Expr, elements: &Elements, inside: ValueId, index: ValueId) -> Option<ValueId> {
        let ty = self.ty_of(expr).clone();
        let result = self.ty(&ty);
        let some = |cx: &mut Self| {
            let value = cx.load_element(elements, index);
            cx.make_variant(&ty, SOME, &[value])
        };
        match self.known_scalar(inside) {
            Some(0) => self.make_variant(&ty, NONE, &[]),
            Some(_) => some(self),
            None => self.choose(inside, result, some, |cx| cx.make_variant(&ty, NONE, &[])),
        }
    }

    /// Turns the order of the elements from `start` to before `end` round.
    fn reverse_between(&mut self, elements: &Elements, start: ValueId, end: ValueId) {
        let (one, two) = (self.u32(1), self.u32(2));
        let len = self.op(Op::Sub, &[end, start]);
        let half = self.op(Op::Div, &[len, two]);
        let last = self.op(Op::Sub, &[end, one]);
        self.each_index(half, |cx, index, _| {
            let (first, other) = (cx.op(Op::Add, &[start, index]), cx.op(Op::Sub, &[last, index]));
            cx.swap_elements(elements, first, other);
        });
    }

    /// `rotate_left` or `rotate_right`: both parts are reversed, then all.
    fn rotate_elements(&mut self, expr: &Expr, elements: &Elements, count: ValueId, right: bool) {
        let is_over = self.op(Op::Gt, &[count, elements.len]);
        if self.known_scalar(is_over) != Some(0) {
            let location = self.location_of(expr);
            let outer = self.b.set_location(Some(location));
            self.when(is_over, |cx| {
                let site = cx.message_site(SiteKind::Panic, expr, rotated_message(right));
                cx.b.panic(site, &[]);
            });
            self.b.set_location(outer);
        }
        if self.b.is_terminated() {
            return;
        }
        let middle = if right { self.op(Op::Sub, &[elements.len, count]) } else { count };
        let zero = self.u32(0);
        self.reverse_between(elements, zero, middle);
        self.reverse_between(elements, middle, elements.len);
        self.reverse_between(elements, zero, elements.len);
    }

    fn contains(&mut self, elements: &Elements, needle: Option<ValueId>) -> Option<ValueId> {
        if self.b.is_terminated() {
            return None;
        }
        let no = self.bool(false);
        let found = self.spill(no, "found");
        self.each_index(elements.len, |cx, index, target| {
            let element = cx.load_element(elements, index);
            if let Some(equal) = cx.equal_elements(&elements.ty, element, needle) {
                cx.when(equal, |cx| {
                    let yes = cx.bool(true);
                    cx.set(found, yes);
                    cx.b.break_(target.leaves(), &[]);
                });
            }
        });
        Some(self.get(found))
    }

    /// Whether elements begin with others, end with them, or are as many and equal to them.
    fn has_part(&mut self, method: SliceMethod, elements: &Elements, part: &Elements) -> Option<ValueId> {
        if self.b.is_terminated() {
            return None;
        }
        let fits = match method {
            SliceMethod::Equal => self.op(Op::Eq, &[part.len, elements.len]),
            _ => self.op(Op::Le, &[part.len, elements.len]),
        };
        if self.known_scalar(fits) == Some(0) {
            return Some(fits);
        }
        let is_equal = self.spill(fits, "equal");
        self.when(fits, |cx| {
            let before = match method {
                SliceMethod::EndsWith => Some(cx.op(Op::Sub, &[elements.len, part.len])),
                _ => None,
            };
            cx.each_index(part.len, |cx, index, target| {
                let at = before.map_or(index, |before| cx.op(Op::Add, &[before, index]));
                let (element, other) = (cx.load_element(elements, at), cx.load_element(part, index));
                // A part is asked first, as in Rust's library.
                let (a, b) = if method == SliceMethod::Equal { (element, other) } else { (other, element) };
                if let Some(equal) = cx.equal_elements(&elements.ty, a, b) {
                    let differ = cx.op(Op::Not, &[equal]);
                    cx.when(differ, |cx| {
                        let no = cx.bool(false);
                        cx.set(is_equal, no);
                        cx.b.break_(target.leaves(), &[]);
                    });
                }
            });
        });
        Some(self.get(is_equal))
    }

    /// Whether two elements are equal; `None` when control does not come out.
    pub(super) fn equal_elements(&mut self, ty: &Ty, a: Option<ValueId>, b: Option<ValueId>) -> Option<ValueId> {
        match (ty, a, b) {
            (Ty::Scalar(_) | Ty::Vector(..), Some(a), Some(b)) => Some(self.equal(Op::Eq, Op::All, a, b)),
            (ty, a, b) => self.compare_values(BinaryOp::Eq, ty, a, b),
        }
    }

    /// `swap`: positions out of range trap, and nothing is exchanged then.
    fn swap_checked(&mut self, expr: &Expr, elements: &Elements, a: ValueId, b: ValueId) {
        let site = self.site(SiteKind::IndexOutOfBounds, expr);
        let mut inside = self.bool(true);
        for index in [a, b] {
            let is_inside = self.op(Op::Lt, &[index, elements.len]);
            let is_outside = self.op(Op::Not, &[is_inside]);
            if self.known_scalar(is_outside) != Some(0) {
                self.when(is_outside, |cx| cx.b.trap(site, &[index, elements.len]));
            }
            inside = self.op(Op::And, &[inside, is_inside]);
        }
        self.when(inside, |cx| cx.swap_elements(elements, a, b));
    }

    /// Panics when a copy has not as many elements as what it is copied to.
    fn check_lengths(&mut self, expr: &Expr, source: ValueId, target: ValueId) {
        let differ = self.op(Op::Ne, &[source, target]);
        if self.known_scalar(differ) == Some(0) {
            return;
        }
        self.when(differ, |cx| {
            let site = cx.message_site(SiteKind::Panic, expr, copied_lengths_message());
            cx.b.panic(site, &[source, target]);
        });
    }

    /// Runs code for each index below a length.
    pub(in crate::lower) fn each_index(&mut self, len: ValueId, body: impl FnOnce(&mut Self, ValueId, Target)) {
        if self.b.is_terminated() || self.known_scalar(len) == Some(0) {
            return;
        }
        let zero = self.u32(0);
        let indexed = self.indexed_range(zero, Some(len), false);
        self.drive(Machine::Indexed { indexed, cursor: None }, |cx, index, target| {
            if let Some(index) = index {
                body(cx, index, target);
            }
        });
    }
}
