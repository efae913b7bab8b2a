//! Patterns of slices: a test of the length, then those of the elements, which are there then and need no checks.

use gridwise_ir::ir::{Place, ValueId};
use gridwise_ir::op::Op;

use super::function::FnCx;
use super::matching::always_matches;
use super::pattern::Taken;
use super::place::Origin;
use crate::ast::{BindingId, Expr, ExprId, Pattern, rest_range};
use crate::infer::matched_slice;
use crate::typed::{Len, Ty};

/// A slice that patterns take apart.
#[derive(Clone)]
pub(super) struct Matched {
    place: Place,
    offset: ValueId,
    len: ValueId,
    chunk: Option<Len>,
}

/// The elements that a pattern has patterns for.
#[derive(Clone, Copy)]
enum From {
    /// The position from the front.
    Front(u32),
    /// The position from the end, from 0 on.
    Back(u32),
}

impl<'p> FnCx<'p, '_, '_> {
    /// A value that patterns take apart, and its type. A slice becomes a value here. Whether control comes out, the builder knows.
    pub(super) fn lower_matched(&mut self, value: &Expr) -> Taken<'p> {
        if self.typed.written_apart.contains_key(&value.id) {
            return self.lower_written(value);
        }
        let Some(ty) = self.typed.sliced.get(&value.id) else {
            let ty = self.ty_of(value);
            return Taken { ty, value: self.lower_expr(value), place: None };
        };
        Taken { ty, value: self.lower_sliced(value), place: None }
    }

    fn lower_sliced(&mut self, value: &Expr) -> Option<ValueId> {
        let slice = self.lower_slice(matched_slice(value))?;
        let len = self.len_of(&slice)?;
        let offset = slice.window().and_then(|window| window.offset);
        let offset = offset.unwrap_or_else(|| self.u32(0));
        let chunk = slice.chunk();
        let place = self.in_place(slice);
        self.origins.insert(value.id, Origin::of(place, chunk));
        Some(self.slice_value(offset, len))
    }

    /// The slice that a value of such a type stands for.
    fn matched_parts(&mut self, ty: &Ty, value: Option<ValueId>) -> Option<Matched> {
        let (Ty::Buffer { origin: Some(origin), .. }, Some(value)) = (ty, value) else { return None };
        let Origin { place, len, chunk, .. } = self.whole_of(*origin)?;
        let offset = self.lane(value, 0);
        let len = match len {
            Some(len) => self.u32(len),
            None => self.lane(value, 1),
        };
        Some(Matched { place, offset, len, chunk })
    }

    /// Whether the length of a slice fits; `None` where each does.
    fn fits(&mut self, members: &[Pattern], len: ValueId) -> Option<ValueId> {
        let has_rest = members.iter().any(Pattern::is_rest);
        let count = members.len() as u32 - u32::from(has_rest);
        if has_rest && count == 0 {
            return None;
        }
        let count = self.u32(count);
        Some(self.op(if has_rest { Op::Ge } else { Op::Eq }, &[len, count]))
    }

    /// Whether a slice has a pattern's form; `None` when it always has.
    pub(super) fn test_slice(&mut self, members: &[Pattern], ty: &Ty, value: Option<ValueId>) -> Option<ValueId> {
        let (Ty::Buffer { element, .. }, Some(slice)) = (ty, self.matched_parts(ty, value)) else { return None };
        let fits = self.fits(members, slice.len)?;
        let tested: Vec<_> = elements_of(members).into_iter().filter(|(_, member)| !always_matches(member)).collect();
        if tested.is_empty() {
            return Some(fits);
        }
        let bool_ty = self.b.value_type(fits);
        let tests = |cx: &mut Self| {
            let mut tests = Vec::with_capacity(tested.len());
            for (from, member) in tested {
                let value = cx.matched_element(&slice, from, element);
                tests.extend(cx.test(member, element, value));
            }
            let all = cx.all_of(Op::And, tests);
            Some(all.unwrap_or_else(|| cx.bool(true)))
        };
        self.choose(fits, Some(bool_ty), tests, |cx| Some(cx.bool(false)))
    }

    /// The patterns of elements that name something, each with the value of its element.
    pub(super) fn elements_in<'e>(
        &mut self,
        members: &'e [Pattern],
        ty: &Ty,
        value: Option<ValueId>,
    ) -> Vec<(&'e Pattern, Ty, Option<ValueId>)> {
        let Ty::Buffer { element, .. } = ty else { return Vec::new() };
        let slice = self.matched_parts(ty, value);
        let named = elements_of(members).into_iter().filter(|(_, member)| {
            let mut names = false;
            member.for_each_binding(&mut |_, _| names = true);
            names
        });
        let found = named.map(|(from, member)| {
            let value = slice.as_ref().and_then(|slice| self.matched_element(slice, from, element));
            (member, (**element).clone(), value)
        });
        found.collect()
    }

    /// `rest @ ..`: the variable, and the slice that it names.
    pub(super) fn rest_of<'e>(
        &mut self,
        members: &'e [Pattern],
        ty: &Ty,
        value: Option<ValueId>,
    ) -> Option<(&'e Pattern, BindingId, Option<ValueId>)> {
        let (pattern @ Pattern::Binding { binding, .. }, first, _) = rest_range(members, members.len())? else {
            return None;
        };
        let rest = self.matched_parts(ty, value).map(|slice| {
            let (first, others) = (self.u32(first as u32), self.u32(members.len() as u32 - 1));
            let first = self.in_chunks(slice.chunk, first);
            let (offset, len) = (self.op(Op::Add, &[slice.offset, first]), self.op(Op::Sub, &[slice.len, others]));
            if let Some(origin) = self.origin_of(*binding) {
                self.origins.insert(origin, Origin::of(slice.place, slice.chunk));
            }
            self.slice_value(offset, len)
        });
        Some((pattern, *binding, rest))
    }

    fn origin_of(&self, binding: BindingId) -> Option<ExprId> {
        match self.typed.binding(binding) {
            Ty::Buffer { origin, .. } => *origin,
            _ => None,
        }
    }

    /// An element that is there.
    fn matched_element(&mut self, slice: &Matched, from: From, element: &Ty) -> Option<ValueId> {
        self.ty(element)?;
        let index = match from {
            From::Front(index) => self.u32(index),
            From::Back(index) => {
                let behind = self.u32(index + 1);
                self.op(Op::Sub, &[slice.len, behind])
            }
        };
        // In range: the length was tested.
        self.load_at((&slice.place, Some(slice.offset), slice.chunk), index, element)
    }
}

/// The patterns of elements, each with the element that it is for.
fn elements_of(members: &[Pattern]) -> Vec<(From, &Pattern)> {
    let rest = members.iter().position(Pattern::is_rest).unwrap_or(members.len());
    let front = (0..).zip(&members[..rest]).map(|(index, member)| (From::Front(index), member));
    let back = (0..).zip(members.get(rest + 1..).unwrap_or_default().iter().rev());
    front.chain(back.map(|(index, member)| (From::Back(index), member))).collect()
}
