//! A module's words made plain before they are checked: one memory model, no unused types, one storage class of buffers, one set.
//!
//! It changes how a module is written, and must not change its meaning. Every edit of the first step keeps the position of all words, so that errors
//! name positions in the words that were given.

use std::collections::{HashMap, HashSet};

use super::ModuleError;
use super::parse::{self, Instructions, parse};
use crate::binary::{HEADER, Inst, class, decoration, first_word, instructions, op, push, text_words};

/// The memory models of SPIR-V 1.0: `Simple` promises less than `GLSL450` does.
const SIMPLE: u32 = 0;
const GLSL450: u32 = 1;
const NOP: u32 = first_word(op::NOP, 0);
const STORAGE_BUFFER_EXTENSION: &str = "SPV_KHR_storage_buffer_storage_class";

/// The words with all edits that keep their positions.
pub(super) fn in_place(words: &[u32]) -> Result<Vec<u32>, ModuleError> {
    let module = parse(words)?;
    let mut plain = words.to_vec();
    for inst in module.list.iter().filter(|inst| inst.opcode == op::MEMORY_MODEL) {
        if inst.rest[1] == SIMPLE {
            plain[inst.at + 2] = GLSL450;
        }
    }
    remove_unused_types(&module, &mut plain);
    make_storage_buffers(&module, &mut plain);
    Ok(plain)
}

/// Whether an instruction only says something of what another makes.
fn is_note(inst: &parse::Inst<'_>) -> bool {
    matches!(inst.opcode, op::NAME | op::MEMBER_NAME | op::DECORATE | op::MEMBER_DECORATE)
}

/// Overwrites declarations of types that nothing uses, and their names and decorations.
fn remove_unused_types(module: &Instructions<'_>, words: &mut [u32]) {
    let (mut used, mut removed) = (HashSet::new(), HashSet::new());
    // Types are declared before they are used: from the end, each use is seen before its type.
    for inst in module.list.iter().rev().filter(|inst| !is_note(inst)) {
        let is_type = (op::TYPE_VOID..=op::TYPE_PIPE).contains(&inst.opcode);
        match inst.result.filter(|id| is_type && !used.contains(id)) {
            Some(id) => {
                removed.insert(id);
            }
            None => used.extend(inst.ids.iter().chain(&inst.ty).copied()),
        }
    }
    for (index, inst) in module.list.iter().enumerate() {
        let of = if is_note(inst) { inst.ids.first().copied() } else { inst.result };
        if of.is_some_and(|id| removed.contains(&id)) {
            let end = module.list.get(index + 1).map_or(words.len(), |next| next.at);
            words[inst.at..end].fill(NOP);
        }
    }
}

/// Puts all buffers, uniform ones too, into the storage class `StorageBuffer`. Their layout is written out in the module in either case.
fn make_storage_buffers(module: &Instructions<'_>, words: &mut [u32]) {
    let has_blocks = |id: u32| {
        let is_block = |inst: &parse::Inst<'_>| {
            inst.opcode == op::DECORATE && inst.ids[0] == id && inst.rest[1] == decoration::BLOCK
        };
        module.list.iter().any(is_block)
    };
    let is_pointer = |inst: &&parse::Inst<'_>| inst.opcode == op::TYPE_POINTER && inst.rest[0] == class::UNIFORM;
    // A module whose buffers in this class are all of the older kind is left as it is: drivers know it so.
    if !module.list.iter().filter(is_pointer).any(|inst| has_blocks(inst.ids[0])) {
        return;
    }
    for inst in &module.list {
        match inst.opcode {
            op::TYPE_POINTER if inst.rest[0] == class::UNIFORM => words[inst.at + 2] = class::STORAGE_BUFFER,
            op::VARIABLE if inst.rest[0] == class::UNIFORM => words[inst.at + 3] = class::STORAGE_BUFFER,
            op::DECORATE if inst.rest[1] == decoration::BUFFER_BLOCK => words[inst.at + 2] = decoration::BLOCK,
            _ => {}
        }
    }
}

/// The words as drivers get them: without what was overwritten, with the bindings of all sets in set 0 by their slots, and with the extension
/// that buffers of an old version need.
pub(super) fn finished(words: &[u32], slots: &HashMap<u32, u32>, version: [u8; 2]) -> Vec<u32> {
    let mut made = words[..HEADER].to_vec();
    let mut needs_extension = version < [1, 3] && {
        let in_class =
            |inst: Inst<'_>| matches!((inst.opcode, inst.words), (op::TYPE_POINTER, [_, class::STORAGE_BUFFER, ..]));
        let extension = text_words(STORAGE_BUFFER_EXTENSION);
        let names_it = |inst: Inst<'_>| inst.opcode == op::EXTENSION && inst.words == extension;
        instructions(words).any(in_class) && !instructions(words).any(names_it)
    };
    for inst in instructions(words).filter(|inst| inst.opcode != op::NOP) {
        if needs_extension && inst.opcode != op::CAPABILITY {
            push(&mut made, op::EXTENSION, &text_words(STORAGE_BUFFER_EXTENSION));
            needs_extension = false;
        }
        let at = made.len();
        push(&mut made, inst.opcode, inst.words);
        if let (op::DECORATE, [id, kind, _]) = (inst.opcode, inst.words)
            && let Some(slot) = slots.get(id)
        {
            match *kind {
                decoration::BINDING => made[at + 3] = *slot,
                decoration::DESCRIPTOR_SET => made[at + 3] = 0,
                _ => {}
            }
        }
    }
    made
}

/// The words of an accepted module, with buffers that may be the same memory: all of its buffers are `Aliased`, and none is said not to be written.
pub(super) fn aliased(words: &[u32]) -> Vec<u32> {
    let buffer = |inst: Inst<'_>| match (inst.opcode, inst.words) {
        (op::VARIABLE, [_, id, class::UNIFORM | class::STORAGE_BUFFER, ..]) => Some(*id),
        _ => None,
    };
    let buffers: HashSet<u32> = instructions(words).filter_map(buffer).collect();
    let mut sorted: Vec<u32> = buffers.iter().copied().collect();
    sorted.sort_unstable();
    let mut made = words[..HEADER].to_vec();
    let mut is_added = false;
    for inst in instructions(words) {
        // Decorations stand before all types.
        if !is_added && (op::TYPE_VOID..=op::SPEC_CONSTANT_OP).contains(&inst.opcode) {
            sorted.iter().for_each(|id| push(&mut made, op::DECORATE, &[*id, decoration::ALIASED]));
            is_added = true;
        }
        let is_dropped = match (inst.opcode, inst.words) {
            (op::DECORATE, [id, decoration::NON_WRITABLE | decoration::ALIASED | decoration::RESTRICT]) => {
                buffers.contains(id)
            }
            (op::MEMBER_DECORATE, [_, _, decoration::NON_WRITABLE]) => true,
            _ => false,
        };
        if !is_dropped {
            push(&mut made, inst.opcode, inst.words);
        }
    }
    made
}
