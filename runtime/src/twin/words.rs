//! Values taken out of the words of a record, one after the other. It must not panic: words that are missing are zero.

/// The words of a record.
#[derive(Debug, Clone)]
pub struct Words<'a> {
    rest: std::slice::Iter<'a, u32>,
}

impl<'a> Words<'a> {
    /// All words of a record.
    pub fn new(words: &'a [u32]) -> Self {
        Self { rest: words.iter() }
    }

    /// The next word.
    pub fn u32(&mut self) -> u32 {
        self.rest.next().copied().unwrap_or_default()
    }

    /// The next value.
    pub fn i32(&mut self) -> i32 {
        self.u32().cast_signed()
    }

    /// The next value, which has 32 bits on the device.
    pub fn usize(&mut self) -> usize {
        self.u32() as usize
    }

    /// The next value.
    pub fn f32(&mut self) -> f32 {
        f32::from_bits(self.u32())
    }

    /// The next value, lower half first.
    pub fn u64(&mut self) -> u64 {
        u64::from(self.u32()) | u64::from(self.u32()) << 32
    }

    /// The next value, lowest word first.
    pub fn u128(&mut self) -> u128 {
        u128::from(self.u64()) | u128::from(self.u64()) << 64
    }

    /// The next value, lowest word first.
    pub fn i128(&mut self) -> i128 {
        self.u128().cast_signed()
    }

    /// The next value, lower half first.
    pub fn i64(&mut self) -> i64 {
        self.u64().cast_signed()
    }

    /// The next value, lower half first.
    pub fn f64(&mut self) -> f64 {
        f64::from_bits(self.u64())
    }

    /// The next value, which has 32 bits on the device.
    pub fn isize(&mut self) -> isize {
        self.i32() as isize
    }

    /// The next value, a word of its own.
    pub fn u16(&mut self) -> u16 {
        self.u32() as u16
    }

    /// The next value, a word of its own.
    pub fn i16(&mut self) -> i16 {
        self.u32() as i16
    }

    /// The next value, a word of its own.
    pub fn u8(&mut self) -> u8 {
        self.u32() as u8
    }

    /// The next value, a word of its own.
    pub fn i8(&mut self) -> i8 {
        self.u32() as i8
    }

    /// The next value, a word of its own.
    pub fn f16(&mut self) -> half::f16 {
        half::f16::from_bits(self.u16())
    }

    /// The next value, a word of its own.
    pub fn bf16(&mut self) -> half::bf16 {
        half::bf16::from_bits(self.u16())
    }

    /// The next value; a word that is no character, which no record holds, is shown as a replacement for one.
    pub fn char(&mut self) -> char {
        char::from_u32(self.u32()).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// The next value.
    pub fn bool(&mut self) -> bool {
        self.u32() != 0
    }
}
