//! The probe of a device's own `fma` of `f32`, and of `f64`: whether it rounds once. Kernels use it if so.
//!
//! GLSL.std.450 lets `Fma` round its product first. The probe compares it bit by bit with the processor's for operands
//! at all ends: where the product is halfway between floats, cancels, overflows, or is subnormal. Subnormal numbers do
//! not count if the device does not promise to keep them, in any operation.

use std::sync::Arc;

use gridwise_ir::descriptor::{
    Feature, FeatureUse, KernelDescriptor, LaunchWord, LaunchWordKind, Location, Param, ParamKind, Spirv,
};

use crate::core::error::Result;
use crate::core::sync::schedule::Schedule;
use crate::device::vulkan::{VulkanDevice, run_probe};

/// The width of floats; counts through tables of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// `f32`
    Single,
    /// `f64`
    Double,
}

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
    spirv: Spirv::Bytes(include_bytes!("probe.spv")),
    params: &[
        Param { name: "x", kind: ParamKind::Buffer { binding: 0, writable: false, stride: 4, align: 4 } },
        Param { name: "y", kind: ParamKind::Buffer { binding: 1, writable: true, stride: 4, align: 4 } },
    ],
    launch_words: &[LaunchWord { offset: 0, kind: LaunchWordKind::Items(0) }],
    ..KernelDescriptor::new("fma_probe", PLACE, &[], "main", [64, 1, 1], 4)
};

static DESCRIPTOR_OF_DOUBLES: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("probe_f64.spv")),
    params: &[
        Param { name: "x", kind: ParamKind::Buffer { binding: 0, writable: false, stride: 8, align: 8 } },
        Param { name: "y", kind: ParamKind::Buffer { binding: 1, writable: true, stride: 8, align: 8 } },
    ],
    launch_words: &[LaunchWord { offset: 0, kind: LaunchWordKind::Items(0) }],
    features: &[FeatureUse { feature: Feature::Float64, location: PLACE }],
    ..KernelDescriptor::new("fma_probe_f64", PLACE, &[], "main", [64, 1, 1], 4)
};

const PLACE: Location = Location { file: file!(), line: line!(), column: 1 };

/// Asks the device. A device that cannot answer does not have it.
pub(crate) fn probe(device: (&Arc<VulkanDevice>, &Schedule), width: Width) -> bool {
    let answer = match width {
        Width::Single => ask_singles(device),
        Width::Double => ask_doubles(device),
    };
    answer.unwrap_or_else(|error| {
        tracing::warn!(%error, "the probe of fused multiplication and addition failed; it is done in software");
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

/// All triples of the operands.
fn triples_of<T: Copy, const N: usize>(operands: [T; N]) -> Vec<[T; 3]> {
    let pairs = operands.into_iter().flat_map(|a| operands.map(|b| [a, b]));
    pairs.flat_map(|[a, b]| operands.map(|c| [a, b, c])).collect()
}
