//! Random data that is the same in every run, and the types of elements that all sides know.

use bytemuck::Pod;
use gridwise::GpuData;

/// How bytes of a result are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Bit by bit, so many bytes at a time.
    Exact(usize),
    F32,
    F64,
}

/// An element of a buffer.
pub(crate) trait Element: GpuData + Pod {
    /// Its name in C++ and GLSL.
    const NAME: &'static str;
    const NUMBERS: Numbers;
    /// Its declaration, where [`crate::peers`] does not have it.
    const DECLARATION: &'static str = "";
}

macro_rules! elements {
    ($($ty:ty, $name:literal, $numbers:expr;)*) => {
        $(impl Element for $ty {
            const NAME: &'static str = $name;
            const NUMBERS: Numbers = $numbers;
        })*
    };
}

elements! {
    u8, "uint8_t", Numbers::Exact(1);
    i8, "int8_t", Numbers::Exact(1);
    [u8; 4], "u8vec4", Numbers::Exact(1);
    u16, "uint16_t", Numbers::Exact(2);
    i16, "int16_t", Numbers::Exact(2);
    i32, "int", Numbers::Exact(4);
    u32, "uint", Numbers::Exact(4);
    u64, "uint64_t", Numbers::Exact(8);
    i64, "int64_t", Numbers::Exact(8);
    f32, "float", Numbers::F32;
    f64, "double", Numbers::F64;
    [f32; 2], "f32x2", Numbers::F32;
    [f32; 3], "f32x3", Numbers::F32;
    [f32; 4], "f32x4", Numbers::F32;
    [f32; 8], "f32x8", Numbers::F32;
    [f32; 12], "f32x12", Numbers::F32;
    [f64; 3], "f64x3", Numbers::F64;
    [u32; 2], "u32x2", Numbers::Exact(4);
    [u32; 4], "u32x4", Numbers::Exact(4);
    [u32; 8], "u32x8", Numbers::Exact(4);
    [u8; 16], "u8x16", Numbers::Exact(1);
    [u64; 4], "u64x4", Numbers::Exact(8);
}

/// Random bits: splitmix64, by Sebastiano Vigna.
pub(crate) fn words(len: usize) -> Vec<u32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as u32
    };
    (0..len).map(|_| next()).collect()
}

/// Random numbers from 0 to 1, with 24 bits each.
pub(crate) fn floats(len: usize) -> Vec<f32> {
    words(len).into_iter().map(|word| (word >> 8) as f32 / 16_777_216.0).collect()
}

/// The same with 32 bits each.
pub(crate) fn doubles(len: usize) -> Vec<f64> {
    words(len).into_iter().map(|word| f64::from(word) / 4_294_967_296.0).collect()
}

/// Random bytes.
pub(crate) fn bytes(len: usize) -> Vec<u8> {
    words(len).into_iter().map(|word| word as u8).collect()
}

/// The difference of two results that are apart by more than a share of the largest number, at so many places that it matters.
pub(crate) fn difference(ours: &[u8], theirs: &[u8], numbers: Numbers, tolerance: f64, share: f64) -> Option<String> {
    if ours.len() != theirs.len() {
        return Some(format!("{} bytes beside {}", ours.len(), theirs.len()));
    }
    let (count, wrong) = match numbers {
        Numbers::Exact(size) => {
            let pairs = || ours.chunks(size).zip(theirs.chunks(size));
            (ours.len() / size, pairs().enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect())
        }
        Numbers::F32 => {
            let read = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|x| f64::from(f32::from_le_bytes(*x))).collect();
            far_apart(read(ours), read(theirs), tolerance)
        }
        Numbers::F64 => {
            let read = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|x| f64::from_le_bytes(*x)).collect();
            far_apart(read(ours), read(theirs), tolerance)
        }
    };
    let first = wrong.first()?;
    let is_much = wrong.len() as f64 > share * count as f64;
    is_much.then(|| format!("{} of {count} elements differ, the first at {first}", wrong.len()))
}

fn far_apart(ours: Vec<f64>, theirs: Vec<f64>, tolerance: f64) -> (usize, Vec<usize>) {
    let most = theirs.iter().filter(|x| x.is_finite()).fold(0.0f64, |most, x| most.max(x.abs()));
    let is_far = |(a, b): (&f64, &f64)| !(a == b || (a - b).abs() <= tolerance * most || (a.is_nan() && b.is_nan()));
    let pairs = ours.iter().zip(&theirs).enumerate();
    (ours.len(), pairs.filter(|(_, pair)| is_far(*pair)).map(|(at, _)| at).collect())
}
