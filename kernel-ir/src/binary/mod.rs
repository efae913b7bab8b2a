//! Modules as words: the one reader of SPIR-V's instructions, and the names of its numbers. It knows nothing of what instructions mean.

pub(crate) mod glsl;
pub mod op;

/// The names of decorations.
pub(crate) mod decoration {
    pub(crate) const SPEC_ID: u32 = 1;
    pub(crate) const BLOCK: u32 = 2;
    pub(crate) const BUFFER_BLOCK: u32 = 3;
    pub(crate) const ARRAY_STRIDE: u32 = 6;
    pub(crate) const MATRIX_STRIDE: u32 = 7;
    pub(crate) const BUILT_IN: u32 = 11;
    pub(crate) const RESTRICT: u32 = 19;
    pub(crate) const ALIASED: u32 = 20;
    pub(crate) const NON_WRITABLE: u32 = 24;
    pub(crate) const NON_READABLE: u32 = 25;
    pub(crate) const BINDING: u32 = 33;
    pub(crate) const DESCRIPTOR_SET: u32 = 34;
    pub(crate) const OFFSET: u32 = 35;
}

/// The names of built-in values.
pub(crate) mod built_in {
    pub(crate) const NUM_WORKGROUPS: u32 = 24;
    pub(crate) const WORKGROUP_SIZE: u32 = 25;
}

/// The names of storage classes.
pub(crate) mod class {
    pub(crate) const UNIFORM_CONSTANT: u32 = 0;
    pub(crate) const INPUT: u32 = 1;
    pub(crate) const UNIFORM: u32 = 2;
    pub(crate) const WORKGROUP: u32 = 4;
    pub(crate) const PRIVATE: u32 = 6;
    pub(crate) const FUNCTION: u32 = 7;
    pub(crate) const PUSH_CONSTANT: u32 = 9;
    pub(crate) const STORAGE_BUFFER: u32 = 12;
    pub(crate) const PHYSICAL_STORAGE_BUFFER: u32 = 5349;
}

/// The words in front of the first instruction.
pub const HEADER: usize = 5;
/// The first word of a module.
pub(crate) const MAGIC: u32 = 0x0723_0203;
/// The most ids of a module that Vulkan asks drivers to take.
pub(crate) const MAX_BOUND: u32 = 0x3f_ffff;

/// An instruction: its opcode, and the words behind that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inst<'a> {
    /// One of [`op`].
    pub opcode: u16,
    /// The operands.
    pub words: &'a [u32],
}

/// The instruction at a position; `None` where it reaches past the end of the words.
pub fn whole_inst_at(words: &[u32], at: usize) -> Option<Inst<'_>> {
    let count = (words.get(at)? >> 16) as usize;
    let operands = words.get(at + 1..at.checked_add(count)?)?;
    Some(Inst { opcode: words[at] as u16, words: operands })
}

/// The instruction at a position; one that reaches past the end of the words is cut off there.
///
/// # Panics
/// When the position is not one of the words.
#[inline]
pub fn inst_at(words: &[u32], at: usize) -> Inst<'_> {
    let count = ((words[at] >> 16) as usize).clamp(1, words.len() - at);
    Inst { opcode: words[at] as u16, words: &words[at + 1..at + count] }
}

/// The positions of the instructions from one position to another.
pub fn positions(words: &[u32], start: usize, end: usize) -> impl Iterator<Item = usize> {
    let (mut next, end) = (start, end.min(words.len()));
    std::iter::from_fn(move || {
        let at = next;
        next += 1 + if at < end { inst_at(words, at).words.len() } else { 0 };
        (at < end).then_some(at)
    })
}

/// The instructions of a module, in order.
///
/// ```
/// use gridwise_ir::binary::{instructions, op, push};
///
/// let mut words = vec![0x0723_0203, 0x10500, 0, 1, 0];
/// push(&mut words, op::CAPABILITY, &[1]);
/// let first = instructions(&words).next().unwrap();
/// assert_eq!((first.opcode, first.words), (op::CAPABILITY, &[1][..]));
/// ```
pub fn instructions(words: &[u32]) -> impl Iterator<Item = Inst<'_>> {
    positions(words, HEADER, words.len()).map(|at| inst_at(words, at))
}

/// The first word of an instruction with so many operands.
pub(crate) const fn first_word(opcode: u16, operands: usize) -> u32 {
    (operands as u32 + 1) << 16 | opcode as u32
}

/// Appends an instruction.
pub fn push(words: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    words.push(first_word(opcode, operands.len()));
    words.extend_from_slice(operands);
}

/// A text as the words of an operand: it ends with a zero byte, and with a word.
pub fn text_words(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() + 4 - bytes.len() % 4, 0);
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}
