//! The local arrays that are tables, and the values that are made of their elements.

use super::super::edit::walk;
use crate::arena::EntityId;
use crate::ir::{Function, InstId, InstKind, Root, ValueId};

/// How many operations deep a value is followed to elements of tables.
const DEPTH: usize = 3;

/// By local: whether it is a table. Constants are all that is ever stored in it, and these as a whole.
pub(super) struct Tables(Vec<bool>);

impl Tables {
    pub(super) fn of(function: &Function, definitions: &[Option<InstId>]) -> Self {
        let kind = |value: ValueId| definitions[value.index()].map(|id| &function.insts[id].kind);
        let is_constant = |value: &ValueId| matches!(kind(*value), Some(InstKind::Const(_)));
        let (mut filled, mut changed) = (vec![false; function.locals.len()], vec![false; function.locals.len()]);
        walk(function, function.entry, &mut |_, inst| {
            let Some(place) = inst.kind.place() else { return };
            let Root::Local(local) = place.root else { return };
            match &inst.kind {
                InstKind::Load(_) => {}
                InstKind::Store(_, value)
                    if place.path.is_empty()
                        && matches!(kind(*value), Some(InstKind::Compose(members)) if members.iter().all(is_constant)) =>
                {
                    filled[local.index()] = true;
                }
                _ => changed[local.index()] = true,
            }
        });
        Self(filled.into_iter().zip(changed).map(|(is_filled, is_changed)| is_filled && !is_changed).collect())
    }

    /// Whether a value is decided, or made of values that are and of elements at indices that are.
    pub(super) fn decide(
        &self,
        (function, definitions): (&Function, &[Option<InstId>]),
        value: ValueId,
        is_decided: &impl Fn(ValueId) -> bool,
    ) -> bool {
        self.decide_within((function, definitions), value, is_decided, DEPTH)
    }

    fn decide_within(
        &self,
        (function, definitions): (&Function, &[Option<InstId>]),
        value: ValueId,
        is_decided: &impl Fn(ValueId) -> bool,
        depth: usize,
    ) -> bool {
        if is_decided(value) {
            return true;
        }
        let Some((depth, id)) = depth.checked_sub(1).zip(definitions[value.index()]) else { return false };
        let decide = |value: ValueId| self.decide_within((function, definitions), value, is_decided, depth);
        match &function.insts[id].kind {
            InstKind::Op(_, operands) => operands.iter().all(|operand| decide(*operand)),
            InstKind::Load(place) => {
                matches!(place.root, Root::Local(local) if self.0[local.index()]) && place.values().all(decide)
            }
            _ => false,
        }
    }
}
