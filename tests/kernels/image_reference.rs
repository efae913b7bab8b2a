//! A reference for images and samplers, computed from the specification's words: for expectations. It must use nothing
//! of gridwise.

/// The meaning of a component's bits.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Unorm,
    Snorm,
    Float,
    Uint,
    Sint,
}

/// A format: what its components mean and how many bits each has, the first at the lowest bits.
pub(super) struct Layout {
    pub(super) kind: Kind,
    pub(super) bits: &'static [u32],
}

impl Layout {
    fn bytes(&self) -> usize {
        self.bits.iter().sum::<u32>() as usize / 8
    }

    /// Texels in memory as kernels read them: a word for each component.
    pub(super) fn decode(&self, raw: &[u8]) -> Vec<u8> {
        let mut words = Vec::new();
        for texel in raw.chunks(self.bytes()) {
            let mut packed = texel.iter().rev().fold(0u128, |packed, byte| packed << 8 | u128::from(*byte));
            for &bits in self.bits {
                let field = (packed & ((1 << bits) - 1)) as u64;
                packed >>= bits;
                words.extend(self.read(field, bits));
            }
        }
        words
    }

    fn read(&self, field: u64, bits: u32) -> [u8; 4] {
        let signed = if field >> (bits - 1) == 1 { field as i64 - (1 << bits) } else { field as i64 };
        let number = match self.kind {
            Kind::Uint => return (field as u32).to_le_bytes(),
            Kind::Sint => return (signed as i32).to_le_bytes(),
            Kind::Unorm => field as f64 / ((1u64 << bits) - 1) as f64,
            Kind::Snorm => (signed as f64 / ((1u64 << (bits - 1)) - 1) as f64).max(-1.0),
            Kind::Float if bits == 16 => half_value(field as u16),
            Kind::Float => return (field as u32).to_le_bytes(),
        };
        (number as f32).to_le_bytes()
    }

    /// Words of components as they are stored.
    pub(super) fn encode(&self, words: &[u8]) -> Vec<u8> {
        let mut raw = Vec::new();
        for texel in words.chunks(4 * self.bits.len()) {
            let (mut packed, mut at) = (0u128, 0);
            for (word, &bits) in texel.chunks(4).zip(self.bits) {
                let word = [word[0], word[1], word[2], word[3]];
                packed |= u128::from(self.written(word, bits) & ((1 << bits) - 1)) << at;
                at += bits;
            }
            raw.extend(&packed.to_le_bytes()[..self.bytes()]);
        }
        raw
    }

    fn written(&self, word: [u8; 4], bits: u32) -> u64 {
        let number = f64::from(f32::from_le_bytes(word));
        match self.kind {
            Kind::Unorm => nearest(number.clamp(0.0, 1.0) * ((1u64 << bits) - 1) as f64) as u64,
            Kind::Snorm => nearest(number.clamp(-1.0, 1.0) * ((1u64 << (bits - 1)) - 1) as f64) as u64,
            Kind::Float if bits == 16 => u64::from(half_of(number)),
            Kind::Float | Kind::Uint | Kind::Sint => u64::from(u32::from_le_bytes(word)),
        }
    }
}

/// The integer that is nearest; of two, Vulkan says neither.
fn nearest(number: f64) -> i64 {
    assert!((number - number.floor() - 0.5).abs() > 1e-9, "{number} is halfway between two");
    number.round() as i64
}

/// The number that 16 bits are.
fn half_value(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = if exponent == 0 { mantissa / 1024.0 } else { 1.0 + mantissa / 1024.0 };
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    sign * size * 2f64.powi(exponent.max(1) - 15)
}

/// The 16 bits of a number that has such.
fn half_of(number: f64) -> u16 {
    let is_it = |bits: &u16| half_value(*bits) == number && (*bits >> 15 == 1) == number.is_sign_negative();
    (0..=u16::MAX).filter(|bits| bits >> 10 & 31 != 31).find(is_it).expect("a number that 16 bits can be")
}

/// The texels beyond an image's edges.
#[derive(Clone, Copy)]
pub(super) enum Beyond {
    Last,
    Again,
    Mirrored,
    Zeros,
}

impl Beyond {
    /// The texel that stands at a place of a line of `len`, if any.
    fn place(self, at: i64, len: i64) -> Option<i64> {
        match self {
            Self::Last => Some(at.clamp(0, len - 1)),
            Self::Again => Some(at.rem_euclid(len)),
            Self::Mirrored => {
                let at = at.rem_euclid(2 * len);
                Some(if at < len { at } else { 2 * len - 1 - at })
            }
            Self::Zeros => (0..len).contains(&at).then_some(at),
        }
    }
}

/// Levels of texels, each a width, a height and its texels.
pub(super) struct Texture {
    pub(super) levels: Vec<(i64, i64, Vec<[f32; 4]>)>,
    pub(super) beyond: Beyond,
    pub(super) is_linear: bool,
}

impl Texture {
    /// The texels around a place, weighted; between two levels likewise.
    pub(super) fn sample(&self, at: [f32; 2], level: f32) -> [f32; 4] {
        let last = self.levels.len() - 1;
        let level = f64::from(level).clamp(0.0, last as f64);
        let texel = if self.is_linear {
            let (low, part) = (level.floor() as usize, level.fract());
            let [a, b] = [self.in_level(at, low), self.in_level(at, (low + 1).min(last))];
            std::array::from_fn(|i| a[i] * (1.0 - part) + b[i] * part)
        } else {
            self.in_level(at, nearest(level) as usize)
        };
        texel.map(|number| number as f32)
    }

    fn in_level(&self, at: [f32; 2], level: usize) -> [f64; 4] {
        let (width, height, texels) = &self.levels[level];
        let texel = |x: i64, y: i64| match (self.beyond.place(x, *width), self.beyond.place(y, *height)) {
            (Some(x), Some(y)) => texels[(y * width + x) as usize].map(f64::from),
            _ => [0.0; 4],
        };
        let [x, y] = [f64::from(at[0]) * *width as f64, f64::from(at[1]) * *height as f64];
        if !self.is_linear {
            return texel(x.floor() as i64, y.floor() as i64);
        }
        let (x, y) = (x - 0.5, y - 0.5);
        let (left, top) = (x.floor(), y.floor());
        let mut sum = [0.0; 4];
        for (dx, wx) in [(0, 1.0 - (x - left)), (1, x - left)] {
            for (dy, wy) in [(0, 1.0 - (y - top)), (1, y - top)] {
                let texel = texel(left as i64 + dx, top as i64 + dy);
                (0..4).for_each(|i| sum[i] += wx * wy * texel[i]);
            }
        }
        sum
    }
}
