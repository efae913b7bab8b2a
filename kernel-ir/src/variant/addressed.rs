//! Modules that find their buffers by addresses, which lie in the push constants.
//!
//! Some drivers compare each access with the size in the buffer's descriptor, whatever robustness is asked for. An address has no size,
//! and every access of a kernel is in bounds by itself.

mod ahead;
mod found;
mod pressure;

pub use ahead::loaded_beside_divisions;
use found::Found;

use crate::binary::{HEADER, class, decoration, inst_at, op, positions, push};

/// Pointers of 64 bits to buffers.
const ADDRESSES: u32 = 5347;
const ADDRESSING_MODEL: u32 = 5348;

/// The place of the addresses.
#[derive(Debug, Clone, Copy)]
pub struct AddressDesc<'a> {
    /// Bindings of the buffers, all in set 0, in the order of their addresses.
    pub bindings: &'a [u32],
    /// The first address among the push constants, in bytes: a multiple of 8 behind all others.
    pub offset: u32,
    /// Each buffer begins at a multiple of so many bytes, a power of two.
    pub alignment: u32,
}

/// The module with addresses in place of buffers, each of 8 bytes in the push constants from [`AddressDesc::offset`] on; of buffers that
/// it does not have, too. `None` where it has none of them, where a loop leaves no registers for addresses, or where it uses a buffer by other
/// ways than loads, stores and atomics that order nothing: drivers were not measured with those.
///
/// Only modules of the back end are read.
///
/// ```
/// use gridwise_ir::variant::{AddressDesc, with_addresses};
///
/// // No module, so no buffers.
/// let desc = AddressDesc { bindings: &[0], offset: 16, alignment: 16 };
/// assert_eq!(with_addresses(&[0x0723_0203, 0x10500, 0, 1, 0], &desc), None);
/// ```
pub fn with_addresses(words: &[u32], desc: &AddressDesc<'_>) -> Option<Vec<u32>> {
    if pressure::is_high(words) {
        return None;
    }
    let found = Found::of(words, desc)?;
    let mut writer =
        Writer { out: Vec::with_capacity(words.len() + 64 + 64 * found.buffers.len()), found, next: words[3] };
    writer.out.extend_from_slice(&words[..HEADER]);
    writer.name_new();
    writer.preamble(words, desc);
    writer.functions(words);
    writer.out[3] = writer.next;
    Some(writer.out)
}

struct Writer<'a> {
    found: Found<'a>,
    out: Vec<u32>,
    /// The next new id.
    next: u32,
}

impl Writer<'_> {
    fn new_id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Gives ids to what is new.
    fn name_new(&mut self) {
        for at in 0..self.found.buffers.len() {
            let ids = [(); 4].map(|()| self.new_id());
            let buffer = &mut self.found.buffers[at];
            [buffer.block, buffer.pointer, buffer.place, buffer.number] = ids;
        }
        for at in 0..self.found.pointers.len() {
            if self.found.pointers[at].twin.is_none() {
                self.found.pointers[at].twin = Some(self.new_id());
            }
        }
        for at in 0..3 {
            if self.found.push.ids()[at] == 0 {
                let id = self.new_id();
                *self.found.push.ids_mut()[at] = id;
            }
        }
    }

    /// All in front of the functions.
    fn preamble(&mut self, words: &[u32], desc: &AddressDesc<'_>) {
        let (mut has_capability, mut is_in_types) = (false, false);
        for at in positions(words, HEADER, self.found.functions) {
            let inst = inst_at(words, at);
            if !is_in_types && (op::TYPE_VOID..=op::TYPE_POINTER).contains(&inst.opcode) {
                is_in_types = true;
                self.decorations(desc);
            }
            if inst.opcode != op::CAPABILITY && !has_capability {
                has_capability = true;
                push(&mut self.out, op::CAPABILITY, &[ADDRESSES]);
            }
            match (inst.opcode, inst.words) {
                (op::CAPABILITY, [ADDRESSES]) => {}
                (op::MEMORY_MODEL, [_, model]) => push(&mut self.out, op::MEMORY_MODEL, &[ADDRESSING_MODEL, *model]),
                (op::ENTRY_POINT, operands) => self.entry_point(operands),
                (op::NAME | op::DECORATE, [id, ..]) if self.found.is_buffer(*id) => {}
                // They stand behind the types of the buffers.
                (op::TYPE_STRUCT | op::TYPE_POINTER, [id, ..]) | (op::VARIABLE, [_, id, ..])
                    if self.found.push.ids().contains(id) => {}
                (op::VARIABLE, [_, id, ..]) if self.found.is_buffer(*id) => {}
                (opcode, operands) => push(&mut self.out, opcode, operands),
            }
        }
        self.types();
    }

    /// The interface without the buffers, and with the push constants.
    fn entry_point(&mut self, operands: &[u32]) {
        // Behind the name, whose last word has a zero byte.
        let ends = |word: &u32| word.to_le_bytes().contains(&0);
        let interface = operands.iter().skip(2).position(ends).map_or(operands.len(), |at| at + 3);
        let mut kept = operands[..interface].to_vec();
        kept.extend(operands[interface..].iter().filter(|id| !self.found.is_buffer(**id)));
        if !self.found.push.is_there {
            kept.push(self.found.push.variable);
        }
        push(&mut self.out, op::ENTRY_POINT, &kept);
    }

    fn decorations(&mut self, desc: &AddressDesc<'_>) {
        let Self { found, out, .. } = self;
        for buffer in &found.buffers {
            push(out, op::DECORATE, &[buffer.block, decoration::BLOCK]);
            push(out, op::MEMBER_DECORATE, &[buffer.block, 0, decoration::OFFSET, 0]);
            for kept in &buffer.decorations {
                push(out, op::MEMBER_DECORATE, &[buffer.block, 0, *kept]);
            }
        }
        if !found.push.is_there {
            push(out, op::DECORATE, &[found.push.block, decoration::BLOCK]);
        }
        let first = found.push.members.len() as u32;
        for (member, buffer) in (first..).zip(found.members()) {
            let offset = desc.offset + 8 * buffer.place_in_list;
            push(out, op::MEMBER_DECORATE, &[found.push.block, member, decoration::OFFSET, offset]);
        }
    }

    /// The types of the buffers, and the push constants with the addresses.
    fn types(&mut self) {
        let Self { found, out, .. } = self;
        let in_push = class::PUSH_CONSTANT;
        for buffer in &found.buffers {
            push(out, op::TYPE_STRUCT, &[buffer.block, buffer.elements]);
            push(out, op::TYPE_POINTER, &[buffer.pointer, class::PHYSICAL_STORAGE_BUFFER, buffer.block]);
            push(out, op::TYPE_POINTER, &[buffer.place, in_push, buffer.pointer]);
        }
        for pointer in &found.pointers {
            if let (Some(twin), false) = (pointer.twin, pointer.is_there) {
                push(out, op::TYPE_POINTER, &[twin, class::PHYSICAL_STORAGE_BUFFER, pointer.of]);
            }
        }
        let mut members = vec![found.push.block];
        members.extend(&found.push.members);
        members.extend(found.members().map(|buffer| buffer.pointer));
        push(out, op::TYPE_STRUCT, &members);
        push(out, op::TYPE_POINTER, &[found.push.pointer, in_push, found.push.block]);
        push(out, op::VARIABLE, &[found.push.pointer, found.push.variable, in_push]);
        let first = found.push.members.len() as u32;
        for (member, buffer) in (first..).zip(found.members()) {
            push(out, op::CONSTANT, &[found.word, buffer.number, member]);
        }
    }

    fn functions(&mut self, words: &[u32]) {
        // The address of each buffer in this function, once it has a block.
        let mut addresses = vec![0; self.found.buffers.len()];
        let (mut function, mut waits) = (0, false);
        for at in positions(words, self.found.functions, words.len()) {
            let inst = inst_at(words, at);
            if waits
                && !matches!(inst.opcode, op::FUNCTION_PARAMETER | op::LABEL | op::VARIABLE | op::LINE | op::NO_LINE)
            {
                waits = false;
                self.load_addresses(function, &mut addresses);
                function += 1;
            }
            match (inst.opcode, inst.words) {
                (op::FUNCTION, operands) => {
                    waits = true;
                    push(&mut self.out, op::FUNCTION, operands);
                }
                (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [ty, id, base, path @ ..])
                    if self.found.chains[*id as usize] != 0 =>
                {
                    let mut operands = vec![self.found.twin(*ty), *id, *base];
                    if let Some(buffer) = self.found.buffer(*base) {
                        operands[2] = addresses[buffer];
                    }
                    operands.extend_from_slice(path);
                    push(&mut self.out, inst.opcode, &operands);
                }
                (op::LOAD, [ty, id, pointer, access @ ..]) if self.found.alignment(*pointer) != 0 => {
                    let mut operands = vec![*ty, *id, *pointer];
                    aligned(&mut operands, access, self.found.alignment(*pointer));
                    push(&mut self.out, op::LOAD, &operands);
                }
                (op::STORE, [pointer, value, access @ ..]) if self.found.alignment(*pointer) != 0 => {
                    let mut operands = vec![*pointer, *value];
                    aligned(&mut operands, access, self.found.alignment(*pointer));
                    push(&mut self.out, op::STORE, &operands);
                }
                (opcode, operands) => push(&mut self.out, opcode, operands),
            }
        }
    }

    /// Loads the addresses that a function uses.
    fn load_addresses(&mut self, function: usize, addresses: &mut [u32]) {
        for (at, kept) in addresses.iter_mut().enumerate() {
            if !self.found.uses[function][at] {
                continue;
            }
            let [place, address] = [self.new_id(), self.new_id()];
            let buffer = &self.found.buffers[at];
            let member = buffer.same_as.map_or(buffer, |first| &self.found.buffers[first]);
            let variable = self.found.push.variable;
            push(&mut self.out, op::ACCESS_CHAIN, &[member.place, place, variable, member.number]);
            push(&mut self.out, op::LOAD, &[member.pointer, address, place]);
            *kept = address;
            let (is_other, pointer) = (buffer.same_as.is_some(), buffer.pointer);
            if is_other {
                *kept = self.new_id();
                push(&mut self.out, op::BITCAST, &[pointer, *kept, address]);
            }
        }
    }
}

/// Adds memory operands with an alignment.
fn aligned(operands: &mut Vec<u32>, access: &[u32], alignment: u32) {
    const ALIGNED: u32 = 2;
    let (mask, rest) = access.split_first().map_or((0, access), |(mask, rest)| (*mask, rest));
    // The alignment comes first of what the bits of the mask ask for.
    operands.extend([mask | ALIGNED, alignment]);
    operands.extend_from_slice(rest);
}
