//! Random numbers by a counter-based generator: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As
//! Easy as 1, 2, 3).

use super::stages::Stages;
use super::{lines, operation, sealed};
use crate::prelude::*;
use crate::{Argument, Kernel, KernelArgs, Plain, Result};

use lines::item;
use philox::Philox;

#[device]
pub(crate) mod philox {
    use gridwise::prelude::*;

    /// A generator of random numbers for kernels and for the host: Philox 4x32-10, as in Random123.
    ///
    /// Each pair of a seed and a stream has numbers of its own, 2^66 words of them. An invocation takes its number as the stream, and
    /// needs no memory between launches. All devices give the same words and the same uniform numbers. The device needs 64-bit integers.
    ///
    /// ```
    /// use gridwise::algorithms::Philox;
    /// use gridwise::prelude::*;
    ///
    /// /// How many of a thousand points of each invocation lie in a quarter of a circle.
    /// #[kernel]
    /// fn hits(seed: u64, counts: &mut [u32]) {
    ///     let i = global_id().x;
    ///     let mut random = Philox::new(seed, u64::from(i));
    ///     let mut hits = 0;
    ///     for _ in 0..1000 {
    ///         let (x, y) = (random.next_f32(), random.next_f32());
    ///         hits += (x * x + y * y < 1.0) as u32;
    ///     }
    ///     counts[i] = hits;
    /// }
    ///
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let mut counts = mgr.tensor_of_len::<u32>(100)?;
    /// let seq = mgr.sequence()?;
    /// Hits::dispatch(&seq, Grid::items(100), 7, &mut counts)?;
    /// seq.eval()?;
    /// let pi = counts.to_vec()?.iter().sum::<u32>() as f32 * 4.0 / 100_000.0;
    /// assert!((pi - std::f32::consts::PI).abs() < 0.03);
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
    #[repr(C)]
    pub struct Philox {
        /// The seed, lower half first.
        pub key: [u32; 2],
        /// The number of the next block, lower half first, and the stream.
        pub counter: [u32; 4],
        /// The block that numbers are taken from.
        pub block: [u32; 4],
        /// Words of the block that were not taken yet.
        pub left: u32,
    }

    impl Philox {
        /// The generator of a stream, at its first number.
        pub fn new(seed: u64, stream: u64) -> Self {
            Self {
                key: [seed as u32, (seed >> 32) as u32],
                counter: [0, 0, stream as u32, (stream >> 32) as u32],
                block: [0; 4],
                left: 0,
            }
        }

        /// The same generator at the block of four words with this number.
        pub fn at_block(self, number: u64) -> Self {
            let mut moved = self;
            moved.counter[0] = number as u32;
            moved.counter[1] = (number >> 32) as u32;
            moved.left = 0;
            moved
        }

        /// The four words that belong to a counter and a key: the function that the generator is made of.
        pub fn words(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
            let mut c = counter;
            let mut k = key;
            #[unroll]
            for _ in 0..10 {
                let a = 0xd251_1f53u64 * c[0] as u64;
                let b = 0xcd9e_8d57u64 * c[2] as u64;
                c = [(b >> 32) as u32 ^ c[1] ^ k[0], b as u32, (a >> 32) as u32 ^ c[3] ^ k[1], a as u32];
                k = [k[0].wrapping_add(0x9e37_79b9), k[1].wrapping_add(0xbb67_ae85)];
            }
            c
        }

        /// A random word.
        pub fn next_u32(&mut self) -> u32 {
            if self.left == 0 {
                self.block = Self::words(self.counter, self.key);
                self.counter[0] = self.counter[0].wrapping_add(1);
                if self.counter[0] == 0 {
                    self.counter[1] = self.counter[1].wrapping_add(1);
                }
                self.left = 4;
            }
            self.left = (self.left - 1) & 3;
            self.block[(3 - self.left) as usize]
        }

        /// A random word of 64 bits, from two of 32.
        pub fn next_u64(&mut self) -> u64 {
            let low = self.next_u32();
            let high = self.next_u32();
            (high as u64) << 32 | low as u64
        }

        /// A number from 0 up to, but not 1, in steps of 2^-24.
        pub fn next_f32(&mut self) -> f32 {
            unit_f32(self.next_u32())
        }

        /// A number from 0 up to, but not 1, in steps of 2^-53, from two words.
        pub fn next_f64(&mut self) -> f64 {
            let low = self.next_u32();
            let high = self.next_u32();
            unit_f64(low, high)
        }

        /// An integer below `end`, each with the same probability; zero if `end` is zero.
        pub fn next_below(&mut self, end: u32) -> u32 {
            if end == 0 {
                return 0;
            }
            // Products whose lower half is below this occur once too often (Lemire, Fast Random Integer Generation in an Interval).
            let least = end.wrapping_neg() % end;
            let mut product = self.next_u32() as u64 * end as u64;
            while (product as u32) < least {
                product = self.next_u32() as u64 * end as u64;
            }
            (product >> 32) as u32
        }

        /// A number of the normal distribution with mean 0 and deviation 1, from two words.
        pub fn next_normal(&mut self) -> f32 {
            let first = self.next_u32();
            let second = self.next_u32();
            normals_f32(first, second)[0]
        }
    }

    /// A word as a number below 1.
    pub(in crate::algorithms) fn unit_f32(word: u32) -> f32 {
        (word >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// Two words as a number below 1.
    pub(in crate::algorithms) fn unit_f64(low: u32, high: u32) -> f64 {
        (((high as u64) << 32 | low as u64) >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Two normal numbers from two words (Box and Muller).
    ///
    /// Fits for these operands alone take half as many operations as `ln`, `sin` and `cos` of all numbers. The coefficients have the least
    /// greatest relative error (Lawson's algorithm): 3e-8 for the logarithm, 5e-9 for sine and cosine, before rounding.
    pub(in crate::algorithms) fn normals_f32(first: u32, second: u32) -> [f32; 2] {
        // From 2^-24 to 1, times 2^24; its logarithm as that of a power of two and of 1 + z, from the root of 1/2 to that of 2.
        let bits = (((first >> 8) + 1) as f32).to_bits() - 0x3f35_04f3;
        let z = f32::from_bits((bits & 0x7f_ffff) + 0x3f35_04f3) - 1.0;
        let mut series = 0.087_347_48f32;
        for term in
            [-0.143_074_81f32, 0.149_179_89, -0.165_705_14, 0.199_620_71, -0.250_017_55, 0.333_339_5, -0.499_999_92]
        {
            series = series * z + term;
        }
        let log = ((bits >> 23) as f32 - 24.0) * std::f32::consts::LN_2 + (z + z * z * series);
        let radius = (-2.0 * log).sqrt();
        // The angle is a number of quarters, and from half a quarter less to half a quarter more.
        let f = ((second << 2) as i32 >> 8) as f32 * (1.0 / 16_777_216.0);
        let square = f * f;
        let sine = f * (((-0.004_602_177f32 * square + 0.079_680_23) * square - 0.645_963_5) * square + 1.570_796_3);
        let cosine = (((0.000_906_743_5f32 * square - 0.020_861_53) * square + 0.253_669_41) * square - 1.233_700_5)
            * square
            + 1.0;
        let signed = if second >> 31 != 0 { -radius } else { radius };
        if second >> 30 & 1 != 0 { [signed * -sine, signed * cosine] } else { [signed * cosine, signed * sine] }
    }

    /// Two normal numbers from four words.
    pub(in crate::algorithms) fn normals_f64(words: [u32; 4]) -> [f64; 2] {
        let radius = (-2.0 * (unit_f64(words[0], words[1]) + 1.0 / 9_007_199_254_740_992.0).ln()).sqrt();
        let angle = std::f64::consts::TAU * unit_f64(words[2], words[3]);
        [radius * angle.cos(), radius * angle.sin()]
    }
}

/// Fills a tensor with random numbers: uniform ones, or those of a normal distribution.
///
/// An element depends on the seed, the round and its index, and on nothing else. So a longer tensor begins with the same numbers, and all
/// devices give the same uniform numbers. Normal numbers differ between devices by rounding, and those of `f64` by the
/// errors of `ln`, `sin` and `cos`. Each round has
/// numbers of its own. A recording that is evaluated several times takes a [`Parameter`](crate::Parameter) as the round. The
/// generator is [`Philox`] with the round as the stream; the device needs 64-bit integers. No work space.
///
/// ```
/// use gridwise::algorithms::OpRandom;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let mut x = mgr.tensor_of_len::<f32>(1000)?;
/// let seq = mgr.sequence()?;
/// let round = seq.parameter(0u32);
/// seq.record(OpRandom::uniform(7, &round, &mut x)?)?.eval()?;
/// let first = x.to_vec()?;
/// assert!(first.iter().all(|x| (0.0..1.0).contains(x)));
/// round.set(1);
/// seq.eval()?;
/// assert_ne!(x.to_vec()?, first);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpRandom(Stages);

operation!(OpRandom);

impl OpRandom {
    /// Fills `x` with uniform numbers: all `u32`, or floats from 0 up to, but not 1.
    ///
    /// # Errors
    /// When `x` is a part that begins where no element can.
    pub fn uniform<T: Uniform>(seed: u64, round: impl Argument<u32> + Copy, x: &mut Tensor<T>) -> Result<Self> {
        let values = |args: KernelArgs| args.value(halves(seed)).argument(round);
        Self::new::<T, T::Block, T::Uniform, T::UniformRest>("uniform random numbers", values, x)
    }

    /// Fills `x` with numbers of a normal distribution. They lie within 5.8 deviations of the mean for `f32`, and 8.6 for `f64`.
    ///
    /// # Errors
    /// As [`uniform`](Self::uniform).
    pub fn normal<T: Normal>(
        seed: u64,
        round: impl Argument<u32> + Copy,
        mean: T,
        deviation: T,
        x: &mut Tensor<T>,
    ) -> Result<Self> {
        let values = |args: KernelArgs| args.value(halves(seed)).argument(round).value(mean).value(deviation);
        Self::new::<T, T::Block, T::Normal, T::NormalRest>("normal random numbers", values, x)
    }

    fn new<T: Plain, B: Plain, Whole: Kernel, Rest: Kernel>(
        name: &'static str,
        values: impl Fn(KernelArgs) -> KernelArgs,
        x: &mut Tensor<T>,
    ) -> Result<Self> {
        let mut stages = Stages::new(name);
        let len = x.len();
        let mut blocks = x.cast_mut::<B>()?;
        stages.launch::<Whole>(lines::items(blocks.len()), |args| values(args).write(&mut *blocks));
        drop(blocks);
        if !(len * size_of::<T>()).is_multiple_of(size_of::<B>()) {
            stages.launch::<Rest>(Grid::groups(1), |args| values(args).write(x));
        }
        Ok(Self(stages))
    }
}

/// The halves of a seed, lower half first.
fn halves(seed: u64) -> UVec2 {
    uvec2(seed as u32, (seed >> 32) as u32)
}

/// The types of uniform numbers of [`OpRandom`]: `u32`, `f32`, `f64`.
pub trait Uniform: Plain + sealed::Uniform {}

/// The types of normal numbers of [`OpRandom`]: `f32`, `f64`.
pub trait Normal: Uniform + crate::ValueArg + sealed::Normal {}

/// Kernels that fill whole blocks, and what is less than a block.
macro_rules! fills {
    ($ty:ty, $count:literal, $whole:ident $rest:ident, ($($param:ident),*) $(, $math:ident($mode:ident))?, |$words:ident| $values:expr) => {
        #[kernel(workgroup = 256 $(, $math($mode))?)]
        pub fn $whole(key: UVec2, round: u32, $($param: $ty,)* x: &mut [[$ty; $count]]) {
            let i = item();
            if i < x.len() as u32 {
                let $words = Philox::words([i, 0, round, 0], [key.x, key.y]);
                x[i] = $values;
            }
        }

        #[kernel(workgroup = 1 $(, $math($mode))?)]
        pub fn $rest(key: UVec2, round: u32, $($param: $ty,)* x: &mut [$ty]) {
            let block = x.len() as u32 / $count;
            let $words = Philox::words([block, 0, round, 0], [key.x, key.y]);
            let values: [$ty; $count] = $values;
            for k in 0..$count {
                let i = block * $count + k;
                if i < x.len() as u32 {
                    x[i] = values[k as usize];
                }
            }
        }
    };
}

fills!(u32, 4, uniform_u32 uniform_u32_rest, (), |words| words);
fills!(f32, 4, uniform_f32 uniform_f32_rest, (), |w| [
    philox::unit_f32(w[0]),
    philox::unit_f32(w[1]),
    philox::unit_f32(w[2]),
    philox::unit_f32(w[3])
]);
fills!(f64, 2, uniform_f64 uniform_f64_rest, (), |w| [philox::unit_f64(w[0], w[1]), philox::unit_f64(w[2], w[3])]);
fills!(f32, 4, normal_f32 normal_f32_rest, (mean, deviation), fast_math(contract), |w| {
    let a = philox::normals_f32(w[0], w[1]);
    let b = philox::normals_f32(w[2], w[3]);
    [mean + deviation * a[0], mean + deviation * a[1], mean + deviation * b[0], mean + deviation * b[1]]
});
fills!(f64, 2, normal_f64 normal_f64_rest, (mean, deviation), |w| {
    let a = philox::normals_f64(w);
    [mean + deviation * a[0], mean + deviation * a[1]]
});

macro_rules! uniform {
    ($ty:ty, $count:literal: $Uniform:ident $UniformRest:ident) => {
        impl Uniform for $ty {}

        impl sealed::Uniform for $ty {
            type Block = [$ty; $count];
            type Uniform = $Uniform;
            type UniformRest = $UniformRest;
        }
    };
}

uniform!(u32, 4: UniformU32 UniformU32Rest);
uniform!(f32, 4: UniformF32 UniformF32Rest);
uniform!(f64, 2: UniformF64 UniformF64Rest);

macro_rules! normal {
    ($ty:ty: $Normal:ident $NormalRest:ident) => {
        impl Normal for $ty {}

        impl sealed::Normal for $ty {
            type Normal = $Normal;
            type NormalRest = $NormalRest;
        }
    };
}

normal!(f32: NormalF32 NormalF32Rest);
normal!(f64: NormalF64 NormalF64Rest);
