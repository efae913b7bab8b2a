//! The shapes of instructions that the back end writes: the positions of their ids, as a table made at compile time. No
//! meaning here.

use crate::binary::op;
use crate::reflect::grammar;

/// The positions of an instruction's ids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) has_type: bool,
    pub(super) has_result: bool,
    /// One bit for each of the first words behind the opcode's, type and result included: whether it is an id.
    mask: u16,
    /// The number of these words, and of those of them that never lack.
    fixed: u8,
    needed: u8,
    tail: Tail,
}

/// The operands that follow an instruction's first words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// Numbers and text.
    Words,
    Ids,
    /// Accesses of memory: bits, then a word for each bit that has one.
    Accesses,
    /// Pairs of a case's value and a label.
    Cases,
}

/// The capability-dependent instructions that the back end writes and [`grammar`] does not let pass.
const fn operands(opcode: u16) -> Option<&'static str> {
    match opcode {
        op::TYPE_FLOAT => Some("rll?"),
        // Of texels without a level.
        op::IMAGE_FETCH => Some("triil?i?"),
        op::TYPE_COOPERATIVE_MATRIX_KHR => Some("riiiii"),
        op::COOPERATIVE_MATRIX_LOAD_KHR => Some("triiia?"),
        op::COOPERATIVE_MATRIX_STORE_KHR => Some("iiiia?"),
        op::COOPERATIVE_MATRIX_MUL_ADD_KHR => Some("triiil?"),
        op::COOPERATIVE_MATRIX_LENGTH_KHR | op::COOPERATIVE_MATRIX_CONVERT_NV | op::COOPERATIVE_MATRIX_TRANSPOSE_NV => {
            Some("tri")
        }
        op::COOPERATIVE_MATRIX_REDUCE_NV => Some("trili"),
        opcode => grammar::operands(opcode),
    }
}

const fn shape(opcode: u16) -> Option<Shape> {
    let Some(operands) = operands(opcode) else { return None };
    let letters = operands.as_bytes();
    let mut shape = Shape { has_type: false, has_result: false, mask: 0, fixed: 0, needed: 0, tail: Tail::Words };
    let mut at = 0;
    while at < letters.len() {
        let is_repeated = at + 1 < letters.len() && letters[at + 1] == b'*';
        match letters[at] {
            b'i' if is_repeated => {
                shape.tail = Tail::Ids;
                return Some(shape);
            }
            b't' => shape.has_type = true,
            b'r' => shape.has_result = true,
            b'i' | b'l' => {}
            // Those that may lack come last.
            b'?' => {
                at += 1;
                continue;
            }
            b'a' => {
                shape.tail = Tail::Accesses;
                return Some(shape);
            }
            b'P' => {
                shape.tail = Tail::Ids;
                return Some(shape);
            }
            b'S' => {
                shape.tail = Tail::Cases;
                return Some(shape);
            }
            // An opcode, then ids.
            b'O' => {
                shape.fixed += 1;
                shape.needed += 1;
                shape.tail = Tail::Ids;
                return Some(shape);
            }
            _ => return Some(shape),
        }
        if is_repeated {
            return Some(shape);
        }
        if letters[at] != b'l' {
            shape.mask |= 1 << shape.fixed;
        }
        shape.fixed += 1;
        if at + 1 == letters.len() || letters[at + 1] != b'?' {
            shape.needed = shape.fixed;
        }
        at += 1;
    }
    Some(shape)
}

/// Opcodes below this have their shape in a table.
const TABLE: usize = 512;

static SHAPES: [Option<Shape>; TABLE] = {
    let mut shapes = [None; TABLE];
    let mut opcode = 0;
    while opcode < TABLE {
        shapes[opcode] = shape(opcode as u16);
        opcode += 1;
    }
    shapes
};

impl Shape {
    /// The shape of an instruction; `None` for one that the back end does not write.
    #[inline]
    pub(super) fn of(opcode: u16) -> Option<Self> {
        match SHAPES.get(usize::from(opcode)) {
            Some(shape) => *shape,
            None => shape(opcode),
        }
    }

    /// The position of the result among the words behind the opcode's.
    pub(super) fn result(self) -> Option<usize> {
        self.has_result.then_some(usize::from(self.has_type))
    }

    /// The least number of words behind the opcode's.
    pub(super) fn least(self) -> usize {
        usize::from(self.needed)
    }

    /// Tells of each word behind the opcode's whether it is an id. Switches go by words of 32 bits, as all of the back end's do.
    #[inline]
    pub(super) fn each(self, words: &[u32], mut tell: impl FnMut(u32, bool)) {
        let fixed = usize::from(self.fixed).min(words.len());
        let (first, rest) = words.split_at(fixed);
        for (at, word) in first.iter().enumerate() {
            tell(*word, self.mask >> at & 1 == 1);
        }
        match self.tail {
            Tail::Words => rest.iter().for_each(|word| tell(*word, false)),
            Tail::Ids => rest.iter().for_each(|word| tell(*word, true)),
            Tail::Cases => {
                for (at, word) in rest.iter().enumerate() {
                    tell(*word, at % 2 == 1);
                }
            }
            Tail::Accesses => {
                let mut rest = rest.iter();
                while let Some(mask) = rest.next() {
                    tell(*mask, false);
                    // Aligned has a number; MakePointerAvailable and MakePointerVisible have a scope.
                    for bit in [0x2, 0x8, 0x10] {
                        if mask & bit != 0
                            && let Some(word) = rest.next()
                        {
                            tell(*word, bit != 0x2);
                        }
                    }
                }
            }
        }
    }
}
