//! Buffers that stay bound, as drivers load from them ahead of time.
//!
//! Only a load by a descriptor may come early, before it is known that the round it belongs to runs: the size in the descriptor keeps it
//! harmless. NVIDIA's driver (580) does so in loops that it does not write out, which are those with divisions: the rounding that IEEE asks
//! for takes a call.

use crate::binary::{HEADER, class, decoration, inst_at, op, positions};

/// A loop whose end was not reached.
struct Open {
    merge: u32,
    /// Whether each of its rounds divides floats.
    divides: bool,
    /// How many selections are open around it.
    selections: usize,
    /// Variables that it loads from, outside of its own loops.
    loaded: Vec<u32>,
}

/// The bindings of the buffers that a loop with a division of floats in each round loads from.
///
/// ```
/// assert!(gridwise_ir::variant::loaded_beside_divisions(&[0x0723_0203, 0x10500, 0, 1, 0]).is_empty());
/// ```
pub fn loaded_beside_divisions(words: &[u32]) -> Vec<u32> {
    let dividing = dividing_functions(words);
    let mut bindings = Vec::new();
    // Of each pointer, and of each variable, the variable that it leads into.
    let mut variables = vec![0; words.get(3).map_or(0, |bound| *bound as usize)];
    let mut open: Vec<Open> = Vec::new();
    // The ends of the selections that are open.
    let mut selections: Vec<u32> = Vec::new();
    let mut found = Vec::new();
    for at in positions(words, HEADER, words.len()) {
        let inst = inst_at(words, at);
        match (inst.opcode, inst.words) {
            (op::DECORATE, [id, decoration::BINDING, number]) => bindings.push((*id, *number)),
            (op::VARIABLE, [_, id, class::STORAGE_BUFFER]) => variables[*id as usize] = *id,
            (op::LOOP_MERGE, [merge, ..]) => {
                open.push(Open { merge: *merge, divides: false, selections: selections.len(), loaded: Vec::new() });
            }
            (op::LABEL, [label]) if open.last().is_some_and(|last| last.merge == *label) => {
                let Some(Open { divides, loaded, .. }) = open.pop() else { continue };
                if divides {
                    found.extend(loaded);
                    divide(&mut open, selections.len());
                }
            }
            (op::SELECTION_MERGE, [merge, ..]) => selections.push(*merge),
            (op::LABEL, [label]) if selections.last() == Some(label) => {
                selections.pop();
            }
            (op::F_DIV, _) => divide(&mut open, selections.len()),
            (op::FUNCTION_CALL, [_, _, callee, ..]) if dividing.contains(callee) => {
                divide(&mut open, selections.len());
            }
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [_, id, base, ..]) => {
                variables[*id as usize] = variables[*base as usize];
            }
            (op::LOAD, [_, _, pointer, ..]) => {
                if let (variable @ 1.., Some(innermost)) = (variables[*pointer as usize], open.last_mut()) {
                    innermost.loaded.push(variable);
                }
            }
            _ => {}
        }
    }
    bindings.retain(|(variable, _)| found.contains(variable));
    bindings.into_iter().map(|(_, number)| number).collect()
}

/// Notes a division behind so many open selections: of the innermost loop, unless it is in a selection of that.
fn divide(open: &mut [Open], selections: usize) {
    if let Some(innermost) = open.last_mut() {
        innermost.divides |= innermost.selections == selections;
    }
}

/// The functions that divide floats, themselves or by others.
fn dividing_functions(words: &[u32]) -> Vec<u32> {
    let mut dividing: Vec<u32> = Vec::new();
    // Few functions call others; each pass finds the callers of those before.
    loop {
        let before = dividing.len();
        let mut function = 0;
        for at in positions(words, HEADER, words.len()) {
            let inst = inst_at(words, at);
            let divides = match (inst.opcode, inst.words) {
                (op::FUNCTION, [_, id, ..]) => {
                    function = *id;
                    false
                }
                (op::F_DIV, _) => true,
                (op::FUNCTION_CALL, [_, _, callee, ..]) => dividing.contains(callee),
                _ => false,
            };
            if divides && !dividing.contains(&function) {
                dividing.push(function);
            }
        }
        if dividing.len() == before {
            return dividing;
        }
    }
}
