//! The probe of subnormal numbers, whether a device computes with them as Rust does: drivers keep some that they do not
//! promise to keep. It asks once, and only where somebody wants to know.

use std::sync::Arc;

use gridwise_ir::descriptor::{
    Feature, FeatureUse, KernelDescriptor, LaunchWord, LaunchWordKind, Location, Param, ParamKind, Spirv,
};
use half::f16;

use crate::core::error::Result;
use crate::core::sync::schedule::Schedule;
use crate::device::vulkan::{VulkanDevice, run_probe};

/// Whether a device keeps subnormal numbers, for floats of each width: whether sums, differences, products, quotients, comparisons,
/// minima and maxima of them, and those that have them as results, are those of Rust. Elsewhere the device may take a subnormal operand
/// for a zero of its sign, and give such a zero for a subnormal result, in each operation but moves: loads, stores, negations, absolute
/// values, `copysign` and conversions by bits keep all of them everywhere. `bf16` is computed in `f32`, and does as that does.
///
/// ```
/// let kept = gridwise::Manager::host().subnormals().unwrap();
/// assert_eq!((kept.f16, kept.f32, kept.f64), (Some(true), true, Some(true)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subnormals {
    /// Those of `f16`; `None` where the device has no such numbers.
    pub f16: Option<bool>,
    /// Those of `f32`, and of `bf16`.
    pub f32: bool,
    /// Those of `f64`; `None` where the device has no such numbers.
    pub f64: Option<bool>,
}

/// The width of floats; counts through tables of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Half,
    Single,
    Double,
}

impl Width {
    /// The floats that a feature is about.
    pub(crate) fn of(feature: Feature) -> Option<Self> {
        match feature {
            Feature::SubnormalsF16 => Some(Self::Half),
            Feature::SubnormalsF32 => Some(Self::Single),
            Feature::SubnormalsF64 => Some(Self::Double),
            _ => None,
        }
    }
}

/// The number of results for each pair of operands.
const RESULTS: usize = 8;
/// The position of the quotient among them.
const QUOTIENT: usize = 3;
/// Units in the last place by which quotients differ, as Vulkan lets them.
const NEAR: u64 = 4;
const PLACE: Location = Location { file: file!(), line: line!(), column: 1 };

/// A kind of float that is asked about.
trait Asked: Copy {
    const PROBE: &'static KernelDescriptor;
    /// The bits of the smallest normal number, and of 1.
    const NORMAL: u64;
    const ONE: u64;
    const SIGN: u64;

    fn of_bits(bits: u64) -> Self;
    fn bits(self) -> u64;
    /// Rust's results.
    fn results(a: Self, b: Self) -> [Self; RESULTS];
}

macro_rules! asked {
    ($float:ty, $bits:ty, $name:literal, $spirv:literal, $stride:literal, [$($feature:ident),*], $normal:expr, $one:expr) => {
        impl Asked for $float {
            const PROBE: &'static KernelDescriptor = &KernelDescriptor {
                spirv: Spirv::Bytes(include_bytes!($spirv)),
                params: &[
                    Param { name: "x", kind: ParamKind::Buffer { binding: 0, writable: false, stride: $stride, align: $stride } },
                    Param { name: "y", kind: ParamKind::Buffer { binding: 1, writable: true, stride: $stride, align: $stride } },
                ],
                launch_words: &[LaunchWord { offset: 0, kind: LaunchWordKind::Items(0) }],
                features: &[$(FeatureUse { feature: Feature::$feature, location: PLACE }),*],
                ..KernelDescriptor::new($name, PLACE, &[], "main", [64, 1, 1], 4)
            };
            const NORMAL: u64 = $normal;
            const ONE: u64 = $one;
            const SIGN: u64 = 1 << (<$bits>::BITS - 1);

            fn of_bits(bits: u64) -> Self {
                Self::from_bits(bits as $bits)
            }

            fn bits(self) -> u64 {
                self.to_bits().into()
            }

            fn results(a: Self, b: Self) -> [Self; RESULTS] {
                let truth = |holds: bool| Self::of_bits(if holds { $one } else { 0 });
                [a + b, a - b, a * b, a / b, truth(a < b), truth(a == b), a.min(b), a.max(b)]
            }
        }
    };
}

asked!(f16, u16, "subnormals_f16", "probe_f16.spv", 2, [Float16, Storage16], 0x0400, 0x3c00);
asked!(f32, u32, "subnormals_f32", "probe_f32.spv", 4, [], 0x0080_0000, 0x3f80_0000);
asked!(f64, u64, "subnormals_f64", "probe_f64.spv", 8, [Float64], 0x0010 << 48, 0x3ff0 << 48);

/// Asks the device.
///
/// # Errors
/// When it fails.
pub(crate) fn probe(device: (&Arc<VulkanDevice>, &Schedule), width: Width) -> Result<bool> {
    match width {
        Width::Half => ask::<f16>(device),
        Width::Single => ask::<f32>(device),
        Width::Double => ask::<f64>(device),
    }
}

/// Operands: each power of two that is subnormal, its neighbours, the smallest normal numbers, and such that take normal numbers to
/// subnormal ones and back; of both signs.
fn operands<T: Asked>() -> Vec<u64> {
    let digits = T::NORMAL.trailing_zeros();
    let powers = (0..digits).map(|digit| 1 << digit).flat_map(|power| [power, power + 1, 2 * power - 1]);
    let half = T::ONE - T::NORMAL;
    let few = [0, T::NORMAL, T::NORMAL + 1, 2 * T::NORMAL, 3 * T::NORMAL - 1, half, half + T::NORMAL / 2, T::ONE];
    let mut bits: Vec<u64> = powers.chain(few).collect();
    bits.sort_unstable();
    bits.dedup();
    bits.iter().flat_map(|bits| [*bits, *bits | T::SIGN]).collect()
}

fn ask<T: Asked>(device: (&Arc<VulkanDevice>, &Schedule)) -> Result<bool> {
    let operands = operands::<T>();
    let pairs: Vec<[u64; 2]> = operands.iter().flat_map(|a| operands.iter().map(|b| [*a, *b])).collect();
    let size = size_of::<T>();
    // The lowest bytes of each.
    let low = |bits: &u64| bits.to_le_bytes().into_iter().take(size);
    let bytes: Vec<u8> = pairs.as_flattened().iter().flat_map(low).collect();
    let found = run_probe(device, T::PROBE, pairs.len() as u32, &bytes, RESULTS * pairs.len() * size)?;
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
    Ok(pairs.iter().zip(found.chunks_exact(RESULTS * size)).all(|([a, b], found)| {
        let expected = T::results(T::of_bits(*a), T::of_bits(*b));
        let pairs = expected.iter().zip(found.chunks_exact(size)).enumerate();
        let mut pairs = pairs.map(|(at, (expected, found))| (at, *expected, T::of_bits(number(found))));
        pairs.all(|(at, expected, found)| is_right(expected, found, at == QUOTIENT))
    }))
}

/// Whether a result is right: zeros of either sign are, and each NaN for another.
fn is_right<T: Asked>(expected: T, found: T, is_quotient: bool) -> bool {
    let (expected, found) = (expected.bits(), found.bits());
    let size = |bits: u64| bits & !T::SIGN;
    let is_nan = |bits: u64| size(bits) > infinity::<T>();
    match () {
        () if is_nan(expected) => is_nan(found),
        () if size(expected) == 0 => size(found) == 0,
        () if is_quotient => size(found) != 0 && !is_nan(found) && expected.abs_diff(found) <= NEAR,
        () => expected == found,
    }
}

/// The bits of infinity.
fn infinity<T: Asked>() -> u64 {
    T::SIGN - T::NORMAL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_apart() {
        assert_eq!(infinity::<f16>(), f16::INFINITY.to_bits().into());
        assert_eq!(infinity::<f32>(), f32::INFINITY.to_bits().into());
        assert_eq!(infinity::<f64>(), f64::INFINITY.to_bits());
        assert!(is_right(f32::NAN, -f32::NAN, false) && !is_right(f32::NAN, f32::INFINITY, false));
        assert!(!is_right(f32::from_bits(1), 0.0, false) && !is_right(f32::from_bits(1), 0.0, true));
        assert!(is_right(0.0f32, -0.0, false) && !is_right(0.0f32, f32::from_bits(1), false));
        assert!(is_right(1.5f32, f32::from_bits(1.5f32.to_bits() + 2), true));
        for bits in [operands::<f16>(), operands::<f32>(), operands::<f64>()] {
            assert!(bits.len() > 40 && bits.contains(&1));
        }
        assert!(operands::<f32>().iter().any(|bits| f32::from_bits(*bits as u32) == 0.5));
    }
}
