//! Probes of operations that Vulkan lets a device do inexactly: whether this device does them as kernels need them. Kernels then use
//! the device's own, and else compute the same from other operations.
//!
//! GLSL.std.450 lets `Fma` round its product first. The probe compares it bit by bit with the processor's for operands
//! at all ends: where the product is halfway between floats, cancels, overflows, or is subnormal. Subnormal numbers do
//! not count if the device does not promise to keep them, in any operation.
//!
//! It also lets `Exp2` lose more digits the larger its operand. The probe compares it with the processor's for operands all over the range
//! where its results are finite.
//!
//! Conversions of floats that do not fit into the integer have no defined result. The probe asks for numbers inside, at the ends and beyond
//! them: as in Rust, they shall become the nearest integer toward zero, the least, and the greatest; and NaN zero in 32 bits.

mod casts;
mod rounding;

use std::sync::Arc;

use gridwise_ir::descriptor::{
    Feature, FeatureUse, KernelDescriptor, LaunchWord, LaunchWordKind, Location, NATIVES, Param, ParamKind, Spirv,
};

use crate::core::error::Result;
use crate::core::sync::schedule::Schedule;
use crate::device::vulkan::{VulkanDevice, run_probe};

/// An operation that only some devices do as kernels need it; counts through tables of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Native {
    /// `a * b + c` of `f32`, rounded once.
    Fma,
    /// The same of `f64`.
    FmaOfDoubles,
    /// `2^x` of `f32` within [`MOST_UNITS`], and [`Self::Fma`].
    Exp2,
    /// `f32` to `i32` and `u32`, saturating.
    Casts,
    /// `f32` to `i64` and `u64`, saturating but for NaN.
    CastsWide,
    /// `f64` to `i32`, `u32`, `i64` and `u64`, saturating but for NaN.
    CastsOfDoubles,
    /// `floor`, `ceil`, `trunc` and `round_ties_even` of `f64`.
    RoundingOfDoubles,
}

impl Native {
    /// All, in the order of [`NATIVES`].
    pub(crate) const ALL: [Self; NATIVES.len()] = [
        Self::Fma,
        Self::FmaOfDoubles,
        Self::Exp2,
        Self::Casts,
        Self::CastsWide,
        Self::CastsOfDoubles,
        Self::RoundingOfDoubles,
    ];
}

/// The largest error of a device's `Exp2` that kernels take, in units of the last place. Their `exp2` may lose 2.5, with what operands
/// between those of the probe may lose; their `exp` rounds twice more and may lose 3.5. An H200 loses 2.055 at the probe's operands.
const MOST_UNITS: f64 = 2.125;

/// Operands whose products and sums are hard: ends of the range, halves of units, neighbours of powers of two.
const SINGLES: [u32; 20] = [
    0x0000_0000,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0xbf7f_ffff,
    0x3fff_ffff,
    0x4b00_0001,
    0x3380_0000,
    0xb300_0001,
    0x0000_0001,
    0x807f_ffff,
    0x0080_0000,
    0x1f80_0001,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x5f12_3457,
    0xa0fe_dcbb,
];

/// The same of `f64`.
const DOUBLES: [u64; 20] = [
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0xbfef_ffff_ffff_ffff,
    0x3fff_ffff_ffff_ffff,
    0x4330_0000_0000_0001,
    0x3ca0_0000_0000_0000,
    0xbc90_0000_0000_0001,
    0x0000_0000_0000_0001,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x1ff0_0000_0000_0001,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x5fe1_2345_6789_abcd,
    0xa01f_edcb_a987_6543,
];

static DESCRIPTOR: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("fma.spv")),
    params: &[buffer(0, 4), buffer(1, 4)],
    launch_words: &[LaunchWord { offset: 0, kind: LaunchWordKind::Items(0) }],
    ..KernelDescriptor::new("fma_probe", PLACE, &[], "main", [64, 1, 1], 4)
};

static DESCRIPTOR_OF_DOUBLES: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("fma_f64.spv")),
    params: &[buffer(0, 8), buffer(1, 8)],
    launch_words: &[LaunchWord { offset: 0, kind: LaunchWordKind::Items(0) }],
    features: &[FeatureUse { feature: Feature::Float64, location: PLACE }],
    ..KernelDescriptor::new("fma_probe_f64", PLACE, &[], "main", [64, 1, 1], 4)
};

static DESCRIPTOR_OF_EXP2: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("exp2.spv")),
    params: DESCRIPTOR.params,
    launch_words: DESCRIPTOR.launch_words,
    ..KernelDescriptor::new("exp2_probe", PLACE, &[], "main", [64, 1, 1], 4)
};

const fn buffer(binding: u32, size: u32) -> Param {
    let name = if binding == 0 { "x" } else { "y" };
    Param { name, kind: ParamKind::Buffer { binding, writable: binding == 1, stride: size, align: size } }
}

const PLACE: Location = Location { file: file!(), line: line!(), column: 1 };

/// Asks the device. A device that cannot answer does not have it.
pub(crate) fn probe(device: (&Arc<VulkanDevice>, &Schedule), native: Native) -> bool {
    let answer = match native {
        Native::Fma => ask_singles(device),
        Native::FmaOfDoubles => ask_doubles(device),
        Native::Exp2 => ask_singles(device).and_then(|fuses| Ok(fuses && ask_exp2(device)?)),
        Native::Casts => casts::ask(device),
        Native::CastsWide => casts::ask_wide(device),
        Native::CastsOfDoubles => casts::ask_doubles(device),
        Native::RoundingOfDoubles => rounding::ask(device),
    };
    answer.unwrap_or_else(|error| {
        tracing::warn!(%error, ?native, "the probe of an operation failed; kernels compute it from others");
        false
    })
}

fn ask_singles(device: (&Arc<VulkanDevice>, &Schedule)) -> Result<bool> {
    let keeps_subnormals = device.0.caps.float_controls.float32.denorm_preserve;
    let is_right = |([a, b, c], found): (&[f32; 3], f32)| {
        let expected = a.mul_add(*b, *c);
        // Where results are flushed before they are rounded, also the smallest normal number.
        let is_small = expected != 0.0 && expected.abs() <= f32::MIN_POSITIVE;
        let is_free = !keeps_subnormals && (is_small || [*a, *b, *c].into_iter().any(f32::is_subnormal));
        is_free || expected.to_bits() == found.to_bits() || (expected.is_nan() && found.is_nan())
    };
    let triples = triples_of(SINGLES.map(f32::from_bits));
    let operands: Vec<u8> = triples.as_flattened().iter().flat_map(|operand| operand.to_ne_bytes()).collect();
    let results = run_probe(device, &DESCRIPTOR, triples.len() as u32, &operands, 4 * triples.len())?;
    let (found, _) = results.as_chunks();
    Ok(triples.iter().zip(found.iter().map(|bytes| f32::from_ne_bytes(*bytes))).all(is_right))
}

fn ask_doubles(device: (&Arc<VulkanDevice>, &Schedule)) -> Result<bool> {
    let keeps_subnormals = device.0.caps.float_controls.float64.denorm_preserve;
    let is_right = |([a, b, c], found): (&[f64; 3], f64)| {
        let expected = a.mul_add(*b, *c);
        let is_small = expected != 0.0 && expected.abs() <= f64::MIN_POSITIVE;
        let is_free = !keeps_subnormals && (is_small || [*a, *b, *c].into_iter().any(f64::is_subnormal));
        is_free || expected.to_bits() == found.to_bits() || (expected.is_nan() && found.is_nan())
    };
    let triples = triples_of(DOUBLES.map(f64::from_bits));
    let operands: Vec<u8> = triples.as_flattened().iter().flat_map(|operand| operand.to_ne_bytes()).collect();
    let results = run_probe(device, &DESCRIPTOR_OF_DOUBLES, triples.len() as u32, &operands, 8 * triples.len())?;
    let (found, _) = results.as_chunks();
    Ok(triples.iter().zip(found.iter().map(|bytes| f64::from_ne_bytes(*bytes))).all(is_right))
}

fn ask_exp2(device: (&Arc<VulkanDevice>, &Schedule)) -> Result<bool> {
    let keeps_subnormals = device.0.caps.float_controls.float32.denorm_preserve;
    let operands = exponents();
    let bytes: Vec<u8> = operands.iter().flat_map(|operand| operand.to_ne_bytes()).collect();
    let results = run_probe(device, &DESCRIPTOR_OF_EXP2, operands.len() as u32, &bytes, bytes.len())?;
    let (found, _) = results.as_chunks();
    let found = found.iter().map(|bytes| f32::from_ne_bytes(*bytes));
    Ok(operands.iter().zip(found).all(|(operand, found)| is_power(*operand, found, keeps_subnormals)))
}

/// Operands all over the range where `2^x` is neither zero nor infinite and beyond it, close to zero, and special ones.
fn exponents() -> Vec<f32> {
    const STEPS: u16 = 1 << 15;
    let (low, high) = (-152.0, 130.0);
    let spread = (0..STEPS).map(|step| low + f32::from(step) * ((high - low) / f32::from(STEPS)));
    let small = (0..30).map(|power| 0.7_f32.powi(power)).flat_map(|x| [x, -x]);
    let special = [0.0, -0.0, f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    spread.chain(small).chain(special).collect()
}

/// Whether `found` is near enough to `2^x`.
fn is_power(x: f32, found: f32, keeps_subnormals: bool) -> bool {
    let truth = f64::from(x).exp2();
    let nearest = truth as f32;
    if nearest.is_nan() || found.is_nan() {
        return nearest.is_nan() && found.is_nan();
    }
    if nearest == found {
        return true;
    }
    // The largest number and infinity are one unit apart, too.
    if nearest.is_infinite() || found.is_infinite() {
        return false;
    }
    if !keeps_subnormals && nearest <= f32::MIN_POSITIVE {
        return (0.0..=f32::MIN_POSITIVE).contains(&found);
    }
    let unit = f64::from(nearest.next_up() - nearest);
    (f64::from(found) - truth).abs() <= MOST_UNITS * unit
}

/// All triples of the operands.
fn triples_of<T: Copy, const N: usize>(operands: [T; N]) -> Vec<[T; 3]> {
    let pairs = operands.into_iter().flat_map(|a| operands.map(|b| [a, b]));
    pairs.flat_map(|[a, b]| operands.map(|c| [a, b, c])).collect()
}

#[cfg(test)]
mod tests {
    use super::{exponents, is_power};

    #[test]
    fn powers_are_near_or_not() {
        for x in exponents() {
            let truth = x.exp2();
            assert!(is_power(x, truth, true), "{x}");
            if truth.is_finite() {
                assert!(is_power(x, truth.next_up(), true), "{x}: one unit more");
                assert!(!is_power(x, f32::from_bits(truth.to_bits() + 3), true), "{x}: three units more");
            }
        }
        assert!(is_power(-140.0, 0.0, false));
        assert!(!is_power(-140.0, 0.0, true));
        assert!(!is_power(f32::NAN, 1.0, true) && !is_power(1.0, f32::NAN, true));
    }
}
