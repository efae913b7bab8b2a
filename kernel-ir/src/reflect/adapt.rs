//! A module's words made plain before they are checked: one memory model, no unused types, one storage class of buffers, one set.
//!
//! It changes how a module is written, and must not change its meaning. Every edit of the first step keeps the position of all words, so that errors
//! name positions in the words that were given.

use std::collections::{HashMap, HashSet};

use super::ModuleError;
use super::grammar as g;
use super::parse::{Inst, Instructions, parse};
use super::types::class;

const BLOCK: u32 = 2;
const BUFFER_BLOCK: u32 = 3;
const RESTRICT: u32 = 19;
const ALIASED: u32 = 20;
const NON_WRITABLE: u32 = 24;
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;
/// The memory models of SPIR-V 1.0: `Simple` promises less than `GLSL450` does.
const SIMPLE: u32 = 0;
const GLSL450: u32 = 1;
const NOP: u32 = 1 << 16;
const HEADER: usize = 5;
const STORAGE_BUFFER_EXTENSION: &[u8] = b"SPV_KHR_storage_buffer_storage_class\0\0\0\0";

/// The words with all edits that keep their positions.
pub(super) fn in_place(words: &[u32]) -> Result<Vec<u32>, ModuleError> {
    let module = parse(words)?;
    let mut plain = words.to_vec();
    for inst in module.list.iter().filter(|inst| inst.opcode == g::MEMORY_MODEL) {
        if inst.rest[1] == SIMPLE {
            plain[inst.at + 2] = GLSL450;
        }
    }
    remove_unused_types(&module, &mut plain);
    make_storage_buffers(&module, &mut plain);
    Ok(plain)
}

/// Whether an instruction only says something of what another makes.
fn is_note(inst: &Inst<'_>) -> bool {
    matches!(inst.opcode, g::NAME | g::MEMBER_NAME | g::DECORATE | g::MEMBER_DECORATE)
}

/// Overwrites declarations of types that nothing uses, and their names and decorations.
fn remove_unused_types(module: &Instructions<'_>, words: &mut [u32]) {
    let (mut used, mut removed) = (HashSet::new(), HashSet::new());
    // Types are declared before they are used: from the end, each use is seen before its type.
    for inst in module.list.iter().rev().filter(|inst| !is_note(inst)) {
        let is_type = (g::TYPE_VOID..=g::TYPE_LAST).contains(&inst.opcode);
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
        let is_block = |inst: &Inst<'_>| inst.opcode == g::DECORATE && inst.ids[0] == id && inst.rest[1] == BLOCK;
        module.list.iter().any(is_block)
    };
    let is_pointer = |inst: &&Inst<'_>| inst.opcode == g::TYPE_POINTER && inst.rest[0] == class::UNIFORM;
    // A module whose buffers in this class are all of the older kind is left as it is: drivers know it so.
    if !module.list.iter().filter(is_pointer).any(|inst| has_blocks(inst.ids[0])) {
        return;
    }
    for inst in &module.list {
        match inst.opcode {
            g::TYPE_POINTER if inst.rest[0] == class::UNIFORM => words[inst.at + 2] = class::STORAGE_BUFFER,
            g::VARIABLE if inst.rest[0] == class::UNIFORM => words[inst.at + 3] = class::STORAGE_BUFFER,
            g::DECORATE if inst.rest[1] == BUFFER_BLOCK => words[inst.at + 2] = BLOCK,
            _ => {}
        }
    }
}

/// The words as drivers get them: without what was overwritten, with the bindings of all sets in set 0 by their slots, and with the extension
/// that buffers of an old version need.
pub(super) fn finished(words: &[u32], slots: &HashMap<u32, u32>, version: [u8; 2]) -> Vec<u32> {
    let mut made = words[..HEADER].to_vec();
    let mut needs_extension = version < [1, 3]
        && {
            let in_class = |inst: &[u32]| matches!(inst, [first, _, class::STORAGE_BUFFER, ..] if first & 0xffff == u32::from(g::TYPE_POINTER));
            let names_it = |inst: &[u32]| inst[0] & 0xffff == u32::from(g::EXTENSION) && inst[1..] == extension()[1..];
            instructions(words).any(in_class) && !instructions(words).any(names_it)
        };
    for inst in instructions(words).filter(|inst| inst[0] != NOP) {
        if needs_extension && inst[0] & 0xffff != u32::from(g::CAPABILITY) {
            made.extend(extension());
            needs_extension = false;
        }
        let at = made.len();
        made.extend_from_slice(inst);
        if let [first, id, kind, _] = *inst
            && first & 0xffff == u32::from(g::DECORATE)
            && let Some(slot) = slots.get(&id)
        {
            match kind {
                BINDING => made[at + 3] = *slot,
                DESCRIPTOR_SET => made[at + 3] = 0,
                _ => {}
            }
        }
    }
    made
}

/// The words of an accepted module, with buffers that may be the same memory: all of its buffers are `Aliased`, and none is said not to be written.
pub(super) fn aliased(words: &[u32]) -> Vec<u32> {
    let is_buffer = |inst: &&[u32]| matches!(**inst, [first, _, _, class::UNIFORM | class::STORAGE_BUFFER, ..] if first & 0xffff == u32::from(g::VARIABLE));
    let buffers: HashSet<u32> = instructions(words).filter(is_buffer).map(|inst| inst[2]).collect();
    let mut sorted: Vec<u32> = buffers.iter().copied().collect();
    sorted.sort_unstable();
    let mut made = words[..HEADER].to_vec();
    let mut is_added = false;
    for inst in instructions(words) {
        let opcode = (inst[0] & 0xffff) as u16;
        // Decorations stand before all types.
        if !is_added && (g::TYPE_VOID..=g::SPEC_CONSTANT_OP).contains(&opcode) {
            made.extend(sorted.iter().flat_map(|id| [3 << 16 | u32::from(g::DECORATE), *id, ALIASED]));
            is_added = true;
        }
        let is_dropped = match inst {
            [_, id, NON_WRITABLE | ALIASED | RESTRICT] if opcode == g::DECORATE => buffers.contains(id),
            [_, _, _, NON_WRITABLE] => opcode == g::MEMBER_DECORATE,
            _ => false,
        };
        if !is_dropped {
            made.extend_from_slice(inst);
        }
    }
    made
}

/// The instruction that asks for the extension.
fn extension() -> Vec<u32> {
    let text = STORAGE_BUFFER_EXTENSION.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    let count = STORAGE_BUFFER_EXTENSION.len() as u32 / 4 + 1;
    [count << 16 | u32::from(g::EXTENSION)].into_iter().chain(text).collect()
}

/// The instructions of a module that was parsed.
fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = words.get(HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let count = ((rest.first()? >> 16) as usize).clamp(1, rest.len());
        let (inst, after) = rest.split_at(count);
        rest = after;
        Some(inst)
    })
}
