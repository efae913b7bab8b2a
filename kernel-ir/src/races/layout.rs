//! The scalars of a shared variable that an access touches, and where members lie among them.

use super::access::{Kind, Object};
use super::cells::{Met, Who};
use super::lanes::Lanes;
use super::segments::Engine;
use crate::arena::EntityId;
use crate::ir::{ConstParamId, CoopAccess, CoopLayout, InstId, InstKind, Place, Root, Step};
use crate::types::{Size, Type, TypeId, Types};

impl Engine<'_> {
    /// The first of the scalars that a place is in each invocation, and how many they are.
    pub(super) fn cells(&mut self, place: &Place, ty: TypeId) -> (Lanes, u64) {
        let types = &self.module.types;
        let (mut ty, mut start) = (ty, Lanes::Same(0));
        for step in &place.path {
            let (before, member) = match *step {
                Step::Field(field) => (Lanes::Same(before(types, &self.sizes, ty, field).unwrap_or(0) as u32), field),
                Step::Index { value, .. } => {
                    let size = types.member(ty, 0).and_then(|member| scalars(types, &self.sizes, member)).unwrap_or(1);
                    let count = member_count(types, &self.sizes, ty);
                    let scaled = match &self.values[value.index()] {
                        Lanes::Same(at) => out_of_range(*at, count)
                            .map_or(Lanes::Same(u32::MAX / 2), |at| Lanes::Same(at.saturating_mul(size as u32))),
                        Lanes::Each(each) => Lanes::each(each.iter().map(|at| {
                            at.map(|at| {
                                out_of_range(at, count).map_or(u32::MAX / 2, |at| at.saturating_mul(size as u32))
                            })
                        })),
                        _ => Lanes::Unknown,
                    };
                    (scaled, 0)
                }
                Step::Element(_) | Step::Joined { .. } => break,
            };
            start = match (&start, &before) {
                (Lanes::Unknown, _) | (_, Lanes::Unknown) => Lanes::Unknown,
                (Lanes::Same(a), Lanes::Same(b)) => Lanes::Same(a.saturating_add(*b)),
                (a, b) => Lanes::each((0..self.lanes).map(|lane| Some(a.at(lane)?.saturating_add(b.at(lane)?)))),
            };
            match types.member(ty, member) {
                Some(inner) => ty = inner,
                None => return (Lanes::Unknown, 1),
            }
        }
        (start, scalars(types, &self.sizes, ty).unwrap_or(1))
    }

    /// A matrix of a subgroup in shared memory.
    pub(super) fn matrix(
        &mut self,
        what: (InstId, Object, Kind),
        inst: &InstKind,
        access: &CoopAccess,
        len: u64,
        met: &mut Vec<Met>,
    ) {
        let groups = self.width.map_or(1, |width| self.lanes / width as usize);
        for group in 0..groups {
            let who = self.width.map_or(Who::MANY, |_| Who::subgroup(group));
            let lane = self.width.map_or(0, |width| group * width as usize);
            let ranges = self.width.and_then(|_| self.lines(inst, access, what.0, lane, len));
            match ranges {
                Some(ranges) => {
                    for range in ranges {
                        self.fuel -= range.len() as i64;
                        self.pending.note(what, who, Some((range, len as usize)), self.subgroups(), met);
                    }
                }
                None => {
                    self.pending.note(what, who, None, self.subgroups(), met);
                    // Several subgroups do it, if there are several.
                    if self.width.is_none() {
                        self.pending.note(what, who, None, None, met);
                    }
                }
            }
        }
    }

    /// The scalars of each line of a matrix, where all is known and memory has cells of scalars.
    fn lines(
        &self,
        inst: &InstKind,
        access: &CoopAccess,
        id: InstId,
        lane: usize,
        len: u64,
    ) -> Option<Vec<std::ops::Range<usize>>> {
        let Root::Shared(shared) = access.place.root else { return None };
        let types = &self.module.types;
        let Type::Array(element, _) = *types.get(self.kernel.shared[shared].ty) else { return None };
        let Type::Scalar(cell) = *types.get(element) else { return None };
        if access.place.path.len() != 1 {
            return None;
        }
        let first = self.values[access.first.index()].at(lane)?;
        let stride = self.values[access.stride.index()].at(lane)?;
        let value = match inst {
            InstKind::CoopStore(_, value) => *value,
            _ => *self.function.insts[id].results.first()?,
        };
        let Type::Coop(ty) = *types.get(self.function.values[value].ty) else { return None };
        let (lines, width) = match access.layout {
            CoopLayout::RowMajor => (ty.rows, ty.columns),
            CoopLayout::ColumnMajor => (ty.columns, ty.rows),
        };
        let cells = (width * ty.scalar.bits()).div_ceil(cell.bits());
        let line = |line: u32| {
            let start = u64::from(first) + u64::from(line) * u64::from(stride);
            (start + u64::from(cells) <= len).then_some(start as usize..(start + u64::from(cells)) as usize)
        };
        (0..lines).map(line).collect()
    }
}

fn out_of_range(at: u32, count: Option<u32>) -> Option<u32> {
    Some(at).filter(|at| count.is_none_or(|count| *at < count))
}

pub(super) fn position(lane: u32, [width, height, _]: [u32; 3]) -> [u32; 3] {
    [lane % width, lane / width % height, lane / width / height]
}

fn member_count(types: &Types, sizes: &[(ConstParamId, u32)], ty: TypeId) -> Option<u32> {
    match *types.get(ty) {
        Type::Vector(_, len) => Some(len.into()),
        Type::Array(_, len) => number(len, sizes),
        _ => None,
    }
}

/// A size, where parameters have these numbers.
pub(super) fn number(size: Size, sizes: &[(ConstParamId, u32)]) -> Option<u32> {
    match size {
        Size::Known(number) => Some(number),
        Size::Param(param) => sizes.iter().find(|(of, _)| *of == param).map(|(_, number)| *number),
    }
}

/// How many scalars a value of a type has; `None` where the launch decides.
pub(super) fn scalars(types: &Types, sizes: &[(ConstParamId, u32)], ty: TypeId) -> Option<u64> {
    match types.get(ty) {
        Type::Unit => Some(0),
        Type::Scalar(_) => Some(1),
        Type::Vector(_, lanes) => Some(u64::from(*lanes)),
        Type::Coop(ty) => Some(u64::from(ty.len())),
        Type::Array(element, len) => Some(u64::from(number(*len, sizes)?) * scalars(types, sizes, *element)?),
        Type::Tuple(members) => members.iter().map(|member| scalars(types, sizes, *member)).sum(),
        Type::Struct(id) => types.struct_def(*id).fields.iter().map(|field| scalars(types, sizes, field.ty)).sum(),
    }
}

/// How many scalars stand before a member.
fn before(types: &Types, sizes: &[(ConstParamId, u32)], ty: TypeId, member: u32) -> Option<u64> {
    match types.get(ty) {
        Type::Vector(..) => Some(u64::from(member)),
        Type::Array(element, _) => Some(u64::from(member) * scalars(types, sizes, *element)?),
        _ => (0..member).map(|before| types.member(ty, before).and_then(|ty| scalars(types, sizes, ty))).sum(),
    }
}
