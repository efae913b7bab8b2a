//! The local arrays that may stay in registers: every loop that chooses elements of them can be written out.

use super::super::edit::walk;
use super::{MOST_INSTS, MOST_REGISTERS, MOST_ROUNDS_OF_REGISTERS, guarded, is_code, leaving};
use crate::arena::EntityId;
use crate::ir::{BlockId, Function, InstId, InstKind, Root, ValueId};
use crate::rounds::Counter;
use crate::types::{Size, Type, TypeId, Types};

/// By local: whether all of it may stay in registers, with all others that may.
pub(super) fn find(function: &Function, types: &Types, definitions: &[Option<InstId>], written: &[bool]) -> Vec<bool> {
    let mut may: Vec<bool> = written.to_vec();
    let definition = |value: ValueId| definitions[value.index()];
    let counter = Counter { function, types, definition };
    walk(function, function.entry, &mut |_, inst| {
        let InstKind::Loop { initial, body, .. } = &inst.kind else { return };
        let (mut size, mut chosen) = (0usize, Vec::new());
        gather(function, *body, &mut size, &mut chosen);
        chosen.retain(|local| may[*local]);
        if chosen.is_empty() {
            return;
        }
        let most = MOST_ROUNDS_OF_REGISTERS;
        let is_counted = counter.count(initial, *body, most).is_some_and(|counted| counted.rounds * size <= MOST_INSTS);
        let is_left = || {
            let first = initial.iter().map(|value| counter.value(*value, &[], &[], 2)).collect();
            leaving::find(&counter, first, (&[], &[]), (*body, most))
                .is_some_and(|left| left.rounds * size <= MOST_INSTS)
        };
        let is_bounded = || guarded::find(function, types, definitions, (initial, *body), most).is_some();
        if !is_counted && !is_left() && !is_bounded() {
            chosen.into_iter().for_each(|local| may[local] = false);
        }
    });
    let words = function.locals.iter().filter(|(id, _)| may[id.index()]).map(|(_, local)| words(types, local.ty));
    let all = words.fold(0u32, |sum, words| sum.saturating_add(words.unwrap_or(u32::MAX)));
    if all > MOST_REGISTERS { vec![false; written.len()] } else { may }
}

/// Counts the instructions of a block with all in it, and gathers the locals of which it chooses elements outside of inner loops.
fn gather(function: &Function, block: BlockId, size: &mut usize, chosen: &mut Vec<usize>) {
    for id in &function.blocks[block].insts {
        let kind = &function.insts[*id].kind;
        *size += usize::from(is_code(kind));
        if let Some(place) = kind.place()
            && let Root::Local(local) = place.root
            && place.values().next().is_some()
        {
            chosen.push(local.index());
        }
        let is_loop = matches!(kind, InstKind::Loop { .. });
        for inner in kind.blocks() {
            let mut ignored = Vec::new();
            gather(function, inner, size, if is_loop { &mut ignored } else { chosen });
        }
    }
}

/// The 32-bit words of a value; nothing where a const parameter decides.
fn words(types: &Types, ty: TypeId) -> Option<u32> {
    match *types.get(ty) {
        Type::Scalar(scalar) => Some(scalar.bits().div_ceil(32)),
        Type::Vector(scalar, lanes) => Some(scalar.bits().div_ceil(32) * u32::from(lanes)),
        Type::Array(element, Size::Known(len)) => words(types, element)?.checked_mul(len),
        _ => None,
    }
}
