//! Checks of places: which indices are in range, and what the host would have to know of those that are not known to be.

use super::Walker;
use crate::ir::{Bound, BoundOp, InstId, Obligation, Place, Root, SiteId, Step, ValueId};
use crate::types::{Size, Type, TypeId, Types};

impl Walker<'_> {
    /// Notes which checks of an access always succeed.
    pub(super) fn check(&mut self, id: InstId, place: &Place) {
        // The type of what the next step goes into; `None` for the buffer itself.
        let mut ty = match place.root {
            Root::Local(local) => Some(self.function.locals[local].ty),
            Root::Shared(shared) => self.kernel.map(|kernel| kernel.shared[shared].ty),
            Root::Buffer(_) | Root::Member(..) => None,
        };
        for (at, step) in place.path.iter().enumerate() {
            if let Step::Index { value, check: Some(site) } = *step {
                let is_in_range = match (ty, place.root) {
                    (Some(ty), _) => self.facts.is_below_size(value, member_count(self.types, ty)),
                    (None, Root::Buffer(buffer)) => {
                        self.facts.length(buffer).is_some_and(|length| self.facts.is_below(value, length, true))
                    }
                    (None, Root::Member(list, member)) => self
                        .facts
                        .member_length(list, member)
                        .is_some_and(|length| self.facts.is_below(value, length, true)),
                    (None, Root::Local(_) | Root::Shared(_)) => false,
                };
                if is_in_range {
                    self.proven.push((id, at));
                } else {
                    self.leave(site, value, place.root, ty);
                }
            }
            let member = match *step {
                Step::Field(index) => index,
                Step::Index { .. } => 0,
                // Nothing is behind it.
                Step::Element(_) | Step::Joined { .. } => return,
            };
            ty = match (ty, place.root) {
                (Some(ty), _) => self.types.member(ty, member),
                (None, Root::Buffer(buffer) | Root::Member(buffer, _)) => {
                    self.kernel.map(|kernel| kernel.buffers[buffer].element)
                }
                (None, Root::Local(_) | Root::Shared(_)) => None,
            };
            if ty.is_none() {
                return;
            }
        }
    }
}

impl Walker<'_> {
    /// Notes a check that stays, and what the host would have to know to make it needless.
    fn leave(&mut self, site: SiteId, index: ValueId, root: Root, ty: Option<TypeId>) {
        let length = match (ty, root) {
            (Some(ty), _) => Some(match member_count(self.types, ty) {
                Size::Known(len) => Bound::Const(len),
                Size::Param(param) => Bound::Constant(param),
            }),
            (None, Root::Buffer(buffer)) => Some(Bound::Len(buffer)),
            // Which member it is, the host does not know.
            (None, Root::Member(list, _)) => Some(Bound::Least(list)),
            (None, Root::Local(_) | Root::Shared(_)) => None,
        };
        let members = match (ty, root) {
            (None, Root::Member(list, member)) => self.facts.is_member_if(list, member),
            _ => Some(Vec::new()),
        };
        let Some(mut members) = members else {
            self.indices.on_device.push(site);
            return;
        };
        if let Some(obligations) = length.as_ref().and_then(|length| self.behind_check(index, length)) {
            members.extend(obligations);
            self.indices.at_launch.extend(members.into_iter().map(|obligation| (site, obligation)));
            return;
        }
        match length.zip(self.facts.upper_bound(index)) {
            // Numbers alone: the host knows no more than is known here.
            Some((Bound::Const(_), Bound::Const(_))) | None => self.indices.on_device.push(site),
            // A choice that no launch keeps in range: to ask for it would keep what else is asked for from holding.
            Some((length, Bound::Binary(BoundOp::Max, parts)))
                if parts.iter().any(|part| part.is_at_least(&length)) =>
            {
                self.indices.on_device.push(site);
            }
            Some((length, bound)) => {
                // A loop without an end has nothing behind it, so that being told of what would be there is better than a hang.
                let is_in_all = self.is_kernel && self.nesting == 1 && !self.may_have_left;
                let is_of_one = !matches!(length, Bound::Least(_));
                let in_all =
                    (is_in_all && is_of_one && self.facts.last(index).as_ref() == Some(&bound)).then_some(site);
                self.indices.at_launch.extend(members.into_iter().map(|obligation| (site, obligation)));
                self.indices.at_launch.push((site, Obligation { index: bound, length, in_all }));
            }
        }
    }
}

impl Walker<'_> {
    /// The obligations under which the check of a slice lets an index through, and the index is below the length of what the slice is a
    /// part of.
    fn behind_check(&self, index: ValueId, length: &Bound) -> Option<Vec<Obligation>> {
        let (index, check) = self.facts.let_through(index)?;
        let mut obligations = self.facts.never_if(check, false)?;
        let bound = self.facts.upper_bound(index)?;
        obligations.push(Obligation { index: bound, length: length.clone(), in_all: None });
        Some(obligations)
    }
}

fn member_count(types: &Types, ty: TypeId) -> Size {
    match *types.get(ty) {
        Type::Vector(_, len) => Size::Known(len.into()),
        Type::Array(_, len) => len,
        _ => Size::Known(0),
    }
}
