//! A SPIR-V module as a descriptor holds it: words as they are, or packed into printable bytes. Knows words, not their meaning.
//!
//! Most words of a module are small numbers, and rustc reads each byte of a literal one by one. Packed, a word takes one to three
//! bytes in most cases, none of which needs an escape: the generated source has a fifth of the characters.
//!
//! A word is written as digits, of which there are 93. A first digit below 44 is the word; the next 12 begin a number of two
//! digits; the next 28 are first words of instructions that are met often; the next 8 begin other instructions' first words, one for
//! each count of words from 1 to 8, and two digits with the opcode follow; the last says that the word follows in full, in
//! five digits.

/// A SPIR-V module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spirv {
    /// Little-endian words, as in a file.
    Bytes(&'static [u8]),
    /// The words as [`pack`] compressed them.
    Packed(&'static [u8]),
}

impl Spirv {
    /// The words; `None` when the bytes are not words.
    ///
    /// ```
    /// # use gridwise_ir::descriptor::Spirv;
    /// assert_eq!(Spirv::Bytes(&[3, 2, 35, 7]).words(), Some(vec![0x0723_0203]));
    /// assert_eq!(Spirv::Bytes(&[3, 2, 35]).words(), None);
    /// ```
    pub fn words(&self) -> Option<Vec<u32>> {
        match self {
            Self::Packed(bytes) => unpack(bytes),
            Self::Bytes(bytes) => {
                let (words, rest) = bytes.as_chunks();
                rest.is_empty().then(|| words.iter().map(|word| u32::from_le_bytes(*word)).collect())
            }
        }
    }
}

/// How many digits there are: the printable bytes without the quotation mark and the backslash.
const DIGITS: u32 = 93;
/// The first digit of words of two digits.
const TWO: u32 = 44;
/// The first digit of [`FREQUENT`] instructions.
const ONE_DIGIT_INSTRUCTION: u32 = 56;
/// The first digit of other instructions.
const INSTRUCTION: u32 = ONE_DIGIT_INSTRUCTION + FREQUENT.len() as u32;
/// The digit before a word in full.
const FULL: u32 = 92;
/// The most bytes of a word.
const LONGEST: usize = 6;
/// The first word of two digits, and the first that needs more.
const TWO_DIGIT_WORDS: [u32; 2] = [TWO, TWO + (ONE_DIGIT_INSTRUCTION - TWO) * DIGITS];
/// Words that are packed before they are moved on.
const AT_ONCE: usize = 64;

/// Counts of words and opcodes of the instructions that modules of kernels have most of.
const FREQUENT: [(u32, u32); 28] = [
    (4, 8),   // OpLine
    (2, 248), // OpLabel
    (2, 249), // OpBranch
    (5, 72),  // OpMemberDecorate with one operand
    (5, 65),  // OpAccessChain with two indices
    (3, 71),  // OpDecorate without operands
    (4, 43),  // OpConstant of one word
    (4, 61),  // OpLoad
    (5, 81),  // OpCompositeExtract of one level
    (3, 62),  // OpStore
    (4, 32),  // OpTypePointer
    (4, 250), // OpBranchConditional
    (3, 247), // OpSelectionMerge
    (5, 128), // OpIAdd
    (4, 59),  // OpVariable
    (4, 5),   // OpName of up to seven letters
    (5, 176), // OpULessThan
    (7, 57),  // OpFunctionCall with three arguments
    (3, 55),  // OpFunctionParameter
    (5, 166), // OpLogicalOr
    (7, 245), // OpPhi of two edges
    (2, 17),  // OpCapability
    (5, 132), // OpIMul
    (1, 253), // OpReturn
    (6, 169), // OpSelect
    (5, 170), // OpIEqual
    (5, 133), // OpFMul
    (5, 129), // OpFAdd
];

/// The byte that stands for a digit.
const fn byte_of(digit: u32) -> u8 {
    let byte = b' ' + digit as u8;
    let byte = if byte >= b'"' { byte + 1 } else { byte };
    if byte >= b'\\' { byte + 1 } else { byte }
}

/// All digits.
const BYTES: [u8; DIGITS as usize] = {
    let mut bytes = [0; DIGITS as usize];
    let mut digit = 0;
    while digit < DIGITS {
        bytes[digit as usize] = byte_of(digit);
        digit += 1;
    }
    bytes
};

/// The bytes of all words of one or two digits; the second counts for words of two.
const SHORT: [[u8; 2]; TWO_DIGIT_WORDS[1] as usize] = {
    let mut short = [[0; 2]; TWO_DIGIT_WORDS[1] as usize];
    let mut word = 0;
    while word < TWO_DIGIT_WORDS[1] {
        short[word as usize] = if word < TWO {
            [byte_of(word), 0]
        } else {
            let rest = word - TWO;
            [byte_of(TWO + rest / DIGITS), byte_of(rest % DIGITS)]
        };
        word += 1;
    }
    short
};

/// For each opcode below 256 the count of words with which it is frequent, and its byte then.
const FREQUENT_OF: [(u8, u8); 256] = {
    let mut of = [(0, 0); 256];
    let mut digit = 0;
    while digit < FREQUENT.len() {
        let (count, opcode) = FREQUENT[digit];
        of[opcode as usize] = (count as u8, byte_of(ONE_DIGIT_INSTRUCTION + digit as u32));
        digit += 1;
    }
    of
};

/// Words as printable bytes without quotation marks and backslashes.
///
/// ```
/// # use gridwise_ir::descriptor::{Spirv, pack};
/// let packed = pack(&[0x0723_0203, 1]).leak();
/// assert_eq!(Spirv::Packed(packed).words(), Some(vec![0x0723_0203, 1]));
/// ```
pub fn pack(words: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(words.len() * 2);
    for words in words.chunks(AT_ONCE) {
        let mut room = [0; AT_ONCE * LONGEST];
        let mut len = 0;
        for &word in words {
            let room: &mut [u8; LONGEST] =
                room[len..].first_chunk_mut().expect("there is room for the longest of each word");
            len += pack_word(word, room);
        }
        bytes.extend_from_slice(&room[..len]);
    }
    bytes
}

/// Writes one word; how many bytes count.
#[inline]
fn pack_word(word: u32, room: &mut [u8; LONGEST]) -> usize {
    let byte = |digit: u32| BYTES[digit as usize];
    if let Some(&[first, second]) = SHORT.get(word as usize) {
        (room[0], room[1]) = (first, second);
        return 1 + usize::from(word >= TWO);
    }
    let (count, opcode) = (word >> 16, word & 0xffff);
    if let Some(&(frequent, byte)) = FREQUENT_OF.get(opcode as usize)
        && u32::from(frequent) == count
    {
        room[0] = byte;
        return 1;
    }
    if (1..=FULL - INSTRUCTION).contains(&count) && opcode < DIGITS * DIGITS {
        (room[0], room[1], room[2]) = (byte(INSTRUCTION + count - 1), byte(opcode / DIGITS), byte(opcode % DIGITS));
        return 3;
    }
    let digit = |position: u32| byte(word / DIGITS.pow(position) % DIGITS);
    *room = [byte(FULL), digit(4), digit(3), digit(2), digit(1), digit(0)];
    LONGEST
}

/// The words that `bytes` stand for; `None` when they stand for none.
fn unpack(bytes: &[u8]) -> Option<Vec<u32>> {
    let mut words = Vec::with_capacity(bytes.len());
    let mut digits = bytes.iter().map(|byte| match byte {
        b'"' | b'\\' => None,
        b' '..=b'~' => Some(u32::from(byte - b' ') - u32::from(*byte > b'"') - u32::from(*byte > b'\\')),
        _ => None,
    });
    while let Some(first) = digits.next() {
        let first = first?;
        let mut digit = || digits.next().flatten();
        words.push(match first {
            ..TWO => first,
            TWO..ONE_DIGIT_INSTRUCTION => TWO_DIGIT_WORDS[0] + (first - TWO) * DIGITS + digit()?,
            ONE_DIGIT_INSTRUCTION..INSTRUCTION => {
                let (count, opcode) = FREQUENT[(first - ONE_DIGIT_INSTRUCTION) as usize];
                count << 16 | opcode
            }
            INSTRUCTION..FULL => (first - INSTRUCTION + 1) << 16 | (digit()? * DIGITS + digit()?),
            _ => {
                let mut word = 0u32;
                for _ in 0..5 {
                    word = word.checked_mul(DIGITS)?.checked_add(digit()?)?;
                }
                word
            }
        });
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_words_survive() {
        let mut words: Vec<u32> = (0..20_000).collect();
        words
            .extend((0..40).flat_map(|count| {
                [0, 1, 8, 59, 92, 93, 248, 400, 6000, 8648, 8649, 0xffff].map(|op| count << 16 | op)
            }));
        words.extend((0..32).flat_map(|bit| [1u32 << bit, u32::MAX >> bit, u32::MAX << bit, !(1 << bit)]));
        let packed = pack(&words);
        assert!(packed.iter().all(|byte| (b' '..=b'~').contains(byte) && ![b'"', b'\\'].contains(byte)));
        assert_eq!(unpack(&packed), Some(words));
    }

    #[test]
    fn what_is_no_digit_or_too_short_is_no_word() {
        for (bytes, why) in [(&b"\""[..], "a quotation mark"), (b"\n", "a control"), (b"\xff", "not ASCII")] {
            assert_eq!(unpack(bytes), None, "{why}");
        }
        let packed = pack(&[0x0723_0203, 5 << 16 | 54, 100]);
        assert_eq!(packed.len(), 6 + 3 + 2);
        for len in [1, 5, 7, 8, 10] {
            assert_eq!(unpack(&packed[..len]), None, "{len} bytes");
        }
        assert_eq!(unpack(&[byte_of(FULL), b'~', b'~', b'~', b'~', b'~']), None, "more than 32 bits");
    }
}
