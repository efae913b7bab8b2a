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

    /// The next value.
    pub fn bool(&mut self) -> bool {
        self.u32() != 0
    }
}
