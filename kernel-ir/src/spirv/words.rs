//! Streams of SPIR-V instructions as words; knows the encoding and nothing of what the instructions mean.

use rspirv::spirv;

use crate::few::Few;

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
    /// None so far, with room for so many.
    pub(super) fn with_room(words: usize) -> Self {
        Self { words: Vec::with_capacity(words), is_too_long: false }
    }

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
        let count = 1 + before.len() + text.len() / 4 + 1 + after.len();
        self.is_too_long |= count > 0xffff;
        self.words.push((count as u32) << 16 | op as u32);
        self.words.extend_from_slice(before);
        // UTF-8, closed by a zero byte, filled up with zeros to a whole word.
        let (whole, rest) = text.as_bytes().as_chunks();
        self.words.extend(whole.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        self.words.push(u32::from_le_bytes(last));
        self.words.extend_from_slice(after);
    }

    /// The result of the declaration at a position, if it is of these words.
    pub(super) fn declared(&self, at: usize, op: spirv::Op, result_type: Option<Id>, operands: &[u32]) -> Option<Id> {
        let count = 2 + usize::from(result_type.is_some()) + operands.len();
        let words = self.words.get(at..at + count)?;
        let (ty, id, rest) = match result_type {
            Some(_) => (Some(words[1]), words[2], &words[3..]),
            None => (None, words[1], &words[2..]),
        };
        (words[0] == (count as u32) << 16 | op as u32 && ty == result_type && rest == operands).then_some(id)
    }

    /// Makes room for so many words more.
    pub(super) fn reserve(&mut self, words: usize) {
        self.words.reserve(words);
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

/// A few ids, most often without an allocation.
pub(super) type Ids = Few<Id, 4>;
