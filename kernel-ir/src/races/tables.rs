//! Local arrays of constants: `for step in [32, 16, 8]` reads its steps from one.

use crate::arena::EntityId;
use crate::hash::FastMap;
use crate::ir::{Function, InstKind, LocalId, Place, Root, Step, ValueId};
use crate::passes::eval;
use crate::types::{Scalar, Type, Types};

/// The numbers of each local array that gets constants, once and as a whole.
pub(super) struct Tables(FastMap<LocalId, Vec<u32>>);

impl Tables {
    /// Finds them. Rust reads no variable before it has its value, so that a load after the only store has the constants, and there is
    /// no load before.
    pub(super) fn of(types: &Types, function: &Function) -> Self {
        let mut composed = vec![None; function.values.len()];
        let mut found: FastMap<LocalId, Option<Vec<u32>>> = FastMap::default();
        for inst in function.insts.iter().map(|(_, inst)| inst) {
            if let ([result], InstKind::Compose(members)) = (&inst.results[..], &inst.kind) {
                composed[result.index()] = Some(members);
            }
        }
        let constants = constants(types, function);
        for inst in function.insts.iter().map(|(_, inst)| inst) {
            let Some(place) = inst.kind.place() else { continue };
            let Root::Local(local) = place.root else { continue };
            let numbers = match &inst.kind {
                InstKind::Load(_) => continue,
                InstKind::Store(_, value) if place.path.is_empty() => composed[value.index()]
                    .and_then(|members| members.iter().map(|member| constants[member.index()]).collect()),
                _ => None,
            };
            // A second store leaves nothing known.
            found.entry(local).and_modify(|known| *known = None).or_insert(numbers);
        }
        Self(found.into_iter().filter_map(|(local, numbers)| Some((local, numbers?))).collect())
    }

    /// The numbers, and which one a place names.
    pub(super) fn at(&self, place: &Place) -> Option<(&[u32], ValueId)> {
        let Root::Local(local) = place.root else { return None };
        match place.path[..] {
            [Step::Index { value, .. }] => Some((self.0.get(&local)?, value)),
            _ => None,
        }
    }
}

/// The words of the constants, by value.
fn constants(types: &Types, function: &Function) -> Vec<Option<u32>> {
    let mut numbers = vec![None; function.values.len()];
    for inst in function.insts.iter().map(|(_, inst)| inst) {
        if let ([result], InstKind::Const(constant)) = (&inst.results[..], &inst.kind)
            && matches!(types.get(function.values[*result].ty), Type::Scalar(Scalar::U32 | Scalar::I32))
        {
            numbers[result.index()] = eval::bits(*constant).map(|bits| bits as u32);
        }
    }
    numbers
}
