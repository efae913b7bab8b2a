//! The local arrays that are tables, and the values that are made of their elements.

use super::super::edit::walk;
use crate::arena::EntityId;
use crate::ir::{Function, InstId, InstKind, Root, ValueId};

/// How many operations deep a value is followed to elements of tables.
const DEPTH: usize = 3;

/// Whether a value is a constant, or made of such.
fn is_constant<'f>(kind: &impl Fn(ValueId) -> Option<&'f InstKind>, value: ValueId) -> bool {
    match kind(value) {
        Some(InstKind::Const(_)) => true,
        Some(InstKind::Compose(members)) => members.iter().all(|member| is_constant(kind, *member)),
        _ => false,
    }
}

/// By local: whether it is a table. Constants are all that is ever stored in it, and these as a whole.
pub(super) struct Tables(Vec<bool>);

impl Tables {
    pub(super) fn of(function: &Function, definitions: &[Option<InstId>]) -> Self {
        let kind = |value: ValueId| definitions[value.index()].map(|id| &function.insts[id].kind);
        let (mut filled, mut changed) = (vec![false; function.locals.len()], vec![false; function.locals.len()]);
        walk(function, function.entry, &mut |_, inst| {
            let Some(place) = inst.kind.place() else { return };
            let Root::Local(local) = place.root else { return };
            match &inst.kind {
                InstKind::Load(_) => {}
                InstKind::Store(_, value)
                    if place.path.is_empty()
                        && matches!(kind(*value), Some(InstKind::Compose(_)))
                        && is_constant(&kind, *value) =>
                {
                    filled[local.index()] = true;
                }
                _ => changed[local.index()] = true,
            }
        });
        Self(filled.into_iter().zip(changed).map(|(is_filled, is_changed)| is_filled && !is_changed).collect())
    }

    /// Whether there is one.
    pub(super) fn has_any(&self) -> bool {
        self.0.contains(&true)
    }

    /// Whether a value is made of elements of tables among others, at indices that are decided: places beside one, as `CIRCLE[k].0 + x`.
    pub(super) fn offset(
        &self,
        (function, definitions): (&Function, &[Option<InstId>]),
        value: ValueId,
        is_decided: &impl Fn(ValueId) -> bool,
        depth: usize,
    ) -> bool {
        let Some((depth, id)) = depth.checked_sub(1).zip(definitions[value.index()]) else { return false };
        let offset = |value: ValueId| self.offset((function, definitions), value, is_decided, depth);
        match &function.insts[id].kind {
            InstKind::Op(_, operands) => operands.iter().any(|operand| offset(*operand)),
            InstKind::Extract(of, _) => offset(*of),
            InstKind::Load(place) => {
                let mut values = place.values();
                matches!(place.root, Root::Local(local) if self.0[local.index()])
                    && values.next().is_some_and(is_decided)
                    && values.all(is_decided)
            }
            _ => false,
        }
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
