//! A corpus entry: a kernel's descriptor, the way to run it, and the comparison of its outputs.

use gridwise::descriptor::KernelDescriptor;
use gridwise::prelude::*;

/// One corpus entry.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// `area::name`.
    pub name: &'static str,
    /// The kernels it runs.
    pub kernels: &'static [&'static KernelDescriptor],
    /// Runs it on a device.
    pub run: fn(&Manager) -> gridwise::Result<Vec<Output>>,
    /// The expected outputs, computed apart from any kernel; `None` if only agreement is asked for.
    pub expected: Option<fn() -> Vec<Output>>,
}

/// An output buffer, with how far devices may differ in it.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Equal on all devices.
    U32(Vec<u32>),
    /// Equal on all devices.
    I32(Vec<i32>),
    /// Equal on all devices; of other integers the bits, of floats of other types too, with one NaN for all.
    Bits(Vec<u64>),
    /// Within this many units in the last place, or within the absolute bound.
    F32 {
        /// The values.
        values: Vec<f32>,
        /// Units in the last place.
        ulp: u32,
        /// Differences up to this are fine, whatever their size in units in the last place.
        absolute: f32,
    },
    /// The report of the launch, as text without the invocation (which of several is first is not defined).
    Report(String),
}

impl Output {
    /// Floats that must agree bit for bit: 0.0 is not -0.0, and all NaNs are alike.
    pub fn exact(values: Vec<f32>) -> Self {
        Self::F32 { values, ulp: 0, absolute: 0.0 }
    }

    /// Floats within some units in the last place.
    pub fn ulp(values: Vec<f32>, ulp: u32) -> Self {
        Self::F32 { values, ulp, absolute: 0.0 }
    }

    /// Floats within an absolute bound.
    pub fn near(values: Vec<f32>, absolute: f32) -> Self {
        Self::F32 { values, ulp: 0, absolute }
    }

    /// The first difference from `other`, as text.
    pub fn difference(&self, other: &Self) -> Option<String> {
        match (self, other) {
            (Self::U32(a), Self::U32(b)) => first_difference(a, b, |a, b| a == b),
            (Self::Bits(a), Self::Bits(b)) => first_difference(a, b, |a, b| a == b),
            (Self::I32(a), Self::I32(b)) => first_difference(a, b, |a, b| a == b),
            (Self::F32 { values: a, ulp, absolute }, Self::F32 { values: b, .. }) => {
                first_difference(a, b, |a, b| is_close(*a, *b, *ulp, *absolute))
            }
            (Self::Report(a), Self::Report(b)) => (a != b).then(|| format!("`{a}` and `{b}`")),
            _ => Some("outputs of different types".to_owned()),
        }
    }
}

/// Numbers whose bits an output compares.
pub trait Scalar: Copy {
    /// The bits; of all NaNs the same, and of subnormal numbers zero where a device may take them for that.
    fn to_output(self) -> u64;
    /// Edge values, then noise.
    fn samples(len: usize, seed: u32) -> Vec<Self>;
}

/// The bits of all elements.
pub fn bits<T: Scalar>(values: &[T]) -> Output {
    Output::Bits(values.iter().map(|value| value.to_output()).collect())
}

/// Operands for operations of two integers: all pairs of bytes; of wider types pairs of edges, then noise.
pub fn pairs<T: Scalar>(from_byte: impl Fn(u8) -> T, bits: u32) -> (Vec<T>, Vec<T>) {
    const WIDE: usize = 8192;
    if bits == 8 {
        let byte = |shift: usize| (0..65_536).map(move |i| (i >> shift) as u8);
        return (byte(0).map(&from_byte).collect(), byte(8).map(&from_byte).collect());
    }
    (T::samples(WIDE, 2), T::samples(WIDE, 3))
}

/// A kernel's launch: two operands and the results.
pub type OfPairs<T> =
    for<'s> fn(&'s Sequence, Grid, &Tensor<T>, &Tensor<T>, &mut Tensor<T>) -> gridwise::Result<&'s Sequence>;

/// Runs a kernel that writes some `results` for each pair.
pub fn run_pairs<T: Scalar + GpuData + Default>(
    mgr: &Manager,
    (a, b): (Vec<T>, Vec<T>),
    results: usize,
    dispatch: OfPairs<T>,
) -> gridwise::Result<Vec<Output>> {
    let count = a.len();
    let (a, b, mut out) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&vec![T::default(); count * results])?);
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(count), &a, &b, &mut out)?;
    seq.eval()?;
    Ok(vec![bits(&out.to_vec()?)])
}

macro_rules! integers {
    ($($ty:ty),+) => { $(
        impl Scalar for $ty {
            fn to_output(self) -> u64 {
                self as u64
            }
            fn samples(len: usize, seed: u32) -> Vec<Self> {
                const EDGES: [$ty; 12] = [
                    0, 1, 2, 3, <$ty>::BITS as $ty - 1, <$ty>::BITS as $ty, <$ty>::MAX, <$ty>::MAX - 1, <$ty>::MIN,
                    <$ty>::MIN + 1, !0, !1,
                ];
                let (low, high) = (patterns(len, seed), patterns(len, seed ^ 0x5a5a));
                let noise = low.into_iter().zip(high).map(|(low, high)| (u64::from(high) << 32 | u64::from(low)) as $ty);
                let edges = (0..144).map(|i| EDGES[if seed % 2 == 0 { i / 12 } else { i % 12 }]);
                edges.chain(noise.skip(144)).take(len).collect()
            }
        }
    )+ };
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Scalar for f64 {
    fn to_output(self) -> u64 {
        match self {
            _ if self.is_nan() => f64::NAN.to_bits(),
            _ if self.is_subnormal() || self == 0.0 => 0,
            _ => self.to_bits(),
        }
    }
    fn samples(len: usize, seed: u32) -> Vec<Self> {
        let wide = u64::samples(len, seed).into_iter().zip(floats(len, seed));
        let mixed = wide.enumerate().map(|(i, (bits, float))| match f64::from_bits(bits) {
            wild if i >= 256 && i % 3 == 0 && !wild.is_subnormal() => wild,
            _ if i >= 256 && i % 3 == 1 => bits as i64 as f64 / 65536.0,
            _ => float.into(),
        });
        mixed.collect()
    }
}

impl Scalar for f16 {
    fn to_output(self) -> u64 {
        if self.is_nan() { Self::NAN.to_bits().into() } else { self.to_bits().into() }
    }
    fn samples(len: usize, seed: u32) -> Vec<Self> {
        u16::samples(len, seed).into_iter().map(Self::from_bits).collect()
    }
}

/// As `f32`, with the same exponents: subnormal ones are neither given nor compared.
impl Scalar for bf16 {
    fn to_output(self) -> u64 {
        match self {
            _ if self.is_nan() => Self::NAN.to_bits().into(),
            _ if self.is_normal() || self.is_infinite() => self.to_bits().into(),
            _ => 0,
        }
    }
    fn samples(len: usize, seed: u32) -> Vec<Self> {
        let all = u16::samples(len, seed).into_iter().map(Self::from_bits);
        let is_subnormal = |value: &Self| value.is_finite() && !value.is_normal() && *value != Self::ZERO;
        all.map(|value| if is_subnormal(&value) { Self::ONE } else { value }).collect()
    }
}

fn first_difference<T: std::fmt::Debug>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} and {} elements", a.len(), b.len()));
    }
    let count = a.iter().zip(b).filter(|(a, b)| !same(a, b)).count();
    let (index, (a, b)) = a.iter().zip(b).enumerate().find(|(_, (a, b))| !same(a, b))?;
    Some(format!("{count} elements differ, first at {index}: {a:?} and {b:?}"))
}

fn is_close(a: f32, b: f32, ulp: u32, absolute: f32) -> bool {
    if a.is_nan() || b.is_nan() {
        return a.is_nan() && b.is_nan();
    }
    // Ordered integers: neighbours differ by one; -0 and +0 are one apart.
    let ordered = |v: f32| {
        let bits = v.to_bits() as i32;
        i64::from(if bits < 0 { i32::MIN.wrapping_sub(bits).wrapping_sub(1) } else { bits })
    };
    a.to_bits() == b.to_bits()
        || (ulp > 0 && ordered(a).abs_diff(ordered(b)) <= u64::from(ulp))
        || (absolute > 0.0 && (a - b).abs() <= absolute)
}

/// `len` reproducible 32-bit patterns: edge values first, then noise.
pub fn patterns(len: usize, seed: u32) -> Vec<u32> {
    const EDGES: [u32; 12] = [0, 1, 2, 3, 31, 32, 33, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff];
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let noise = std::iter::from_fn(move || {
        // Marsaglia's xorshift32 (Journal of Statistical Software 8, 2003).
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        // Small numbers now and then: they meet edges of their own.
        Some(if state & 7 == 0 { state >> 27 } else { state })
    });
    let edges = (seed as usize % EDGES.len()..).map(|i| EDGES[i % EDGES.len()]).take(len.min(144));
    // Two lists with different seeds pair every edge with every other.
    let paired = edges.enumerate().map(|(i, edge)| if seed % 2 == 0 { EDGES[(i / 12) % 12] } else { edge });
    paired.chain(noise).take(len).collect()
}

/// `len` floats: special values first, then noise of every magnitude, then of moderate size.
pub fn floats(len: usize, seed: u32) -> Vec<f32> {
    const EDGES: [f32; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        -2.5,
        0.499_999_97,
        8_388_609.0,
        3.0e9,
        -3.0e9,
        f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let noise = patterns(len, seed).into_iter().enumerate().map(|(i, bits)| match i % 4 {
        0 => f32::from_bits(bits),
        1 => bits as i32 as f32 / 65536.0,
        2 => bits as f32 / 4_294_967_296.0,
        _ => (bits % 2048) as f32 - 1024.0,
    });
    // Subnormal numbers may be flushed to zero by a device: none as input.
    let normal = noise.map(|v| if v.is_subnormal() { 0.25 } else { v });
    let edges = (0..256.min(len)).map(|i| EDGES[if seed % 2 == 0 { i / 16 } else { i % 16 }]);
    edges.chain(normal).take(len).collect()
}

/// Moderate floats in `-range..range`.
pub fn moderate(len: usize, seed: u32, range: f32) -> Vec<f32> {
    patterns(len, seed).into_iter().map(|bits| (bits as i32 as f32) / 2_147_483_648.0 * range).collect()
}
