//! Streams of SPIR-V instructions as words; knows the encoding and nothing of what the instructions mean.

use rspirv::spirv;

/// A SPIR-V result id; never zero.
pub(super) type Id = u32;

/// A run of encoded instructions.
#[derive(Debug, Default)]
pub(super) struct Words {
    words: Vec<u32>,
    /// Whether an instruction was longer than the encoding allows; its words are wrong then.
    is_too_long: bool,
}

impl Words {
    /// Appends an instruction.
    pub(super) fn inst(&mut self, op: spirv::Op, operands: &[u32]) {
        self.inst_parts(op, &[operands]);
    }

    /// Appends an instruction whose operands come in several pieces.
    pub(super) fn inst_parts(&mut self, op: spirv::Op, parts: &[&[u32]]) {
        let count = 1 + parts.iter().map(|part| part.len()).sum::<usize>();
        self.is_too_long |= count > 0xffff;
        self.words.push((count as u32) << 16 | op as u32);
        for part in parts {
            self.words.extend_from_slice(part);
        }
    }

    /// Appends an instruction with a literal string between two groups of operands.
    pub(super) fn inst_text(&mut self, op: spirv::Op, before: &[u32], text: &str, after: &[u32]) {
        let text = pack(text);
        self.inst_parts(op, &[before, &text, after]);
    }

    /// The words so far.
    pub(super) fn as_slice(&self) -> &[u32] {
        &self.words
    }

    /// Whether an instruction did not fit the encoding.
    pub(super) fn is_too_long(&self) -> bool {
        self.is_too_long
    }
}

/// A literal string: UTF-8, closed by a zero byte, filled up with zeros to a whole word.
fn pack(text: &str) -> Vec<u32> {
    let mut words = vec![0; text.len() / 4 + 1];
    for (index, byte) in text.bytes().enumerate() {
        words[index / 4] |= u32::from(byte) << (index % 4 * 8);
    }
    words
}
