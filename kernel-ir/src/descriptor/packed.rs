//! A SPIR-V module as a descriptor holds it: words as they are, or packed into printable bytes. Knows words, not their meaning.
//!
//! Most words of a module are small numbers, and rustc reads each byte of a literal one by one. Packed, a word takes one to three
//! bytes in most cases, none of which needs an escape: the generated source has a fifth of the characters.
//!
//! A word is written as digits, of which there are 93. A first digit below 56 is the word; the next 24 begin a number of two
//! digits; the next 12 begin an instruction's first word, one for each count of words from 1 to 12, and two digits with
//! its opcode follow; the last says that the word follows in full, in five digits.

/// A SPIR-V module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spirv {
    /// Little-endian words, as in a file.
    Bytes(&'static [u8]),
    /// What [`pack`] made of the words.
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
const TWO: u32 = 56;
/// The first digit of instructions.
const INSTRUCTION: u32 = 80;
/// The digit before a word in full.
const FULL: u32 = 92;
/// The most bytes of a word.
const LONGEST: usize = 6;
/// The first word of two digits, and the first that needs more.
const TWO_DIGIT_WORDS: [u32; 2] = [TWO, TWO + (INSTRUCTION - TWO) * DIGITS];

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

/// Words as printable bytes without quotation marks and backslashes.
///
/// ```
/// # use gridwise_ir::descriptor::{Spirv, pack};
/// let packed = pack(&[0x0723_0203, 1]).leak();
/// assert_eq!(Spirv::Packed(packed).words(), Some(vec![0x0723_0203, 1]));
/// ```
pub fn pack(words: &[u32]) -> Vec<u8> {
    let byte = |digit: u32| BYTES[digit as usize];
    let mut bytes = vec![0; words.len() * LONGEST];
    let mut len = 0;
    for &word in words {
        let room: &mut [u8; LONGEST] =
            bytes[len..].first_chunk_mut().expect("there is room for the longest of each word");
        let (count, opcode) = (word >> 16, word & 0xffff);
        if word < TWO {
            room[0] = byte(word);
            len += 1;
        } else if word < TWO_DIGIT_WORDS[1] {
            let rest = word - TWO_DIGIT_WORDS[0];
            room[0] = byte(TWO + rest / DIGITS);
            room[1] = byte(rest % DIGITS);
            len += 2;
        } else if (1..=FULL - INSTRUCTION).contains(&count) && opcode < DIGITS * DIGITS {
            room[0] = byte(INSTRUCTION + count - 1);
            room[1] = byte(opcode / DIGITS);
            room[2] = byte(opcode % DIGITS);
            len += 3;
        } else {
            let digit = |position: u32| byte(word / DIGITS.pow(position) % DIGITS);
            *room = [byte(FULL), digit(4), digit(3), digit(2), digit(1), digit(0)];
            len += LONGEST;
        }
    }
    bytes.truncate(len);
    bytes
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
            TWO..INSTRUCTION => TWO_DIGIT_WORDS[0] + (first - TWO) * DIGITS + digit()?,
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
        words.extend(
            (0..40).flat_map(|count| [0, 1, 59, 92, 93, 400, 6000, 8648, 8649, 0xffff].map(|op| count << 16 | op)),
        );
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
