//! The probe of conversions of floats to integers, where they do not fit.

use std::sync::Arc;

use gridwise_ir::descriptor::{Feature, FeatureUse, KernelDescriptor, Spirv};

use super::{DESCRIPTOR, PLACE, buffer};
use crate::core::error::Result;
use crate::core::sync::schedule::Schedule;
use crate::device::vulkan::{VulkanDevice, run_probe};

type Device<'a> = (&'a Arc<VulkanDevice>, &'a Schedule);

const INT64: FeatureUse = FeatureUse { feature: Feature::Int64, location: PLACE };
const FLOAT64: FeatureUse = FeatureUse { feature: Feature::Float64, location: PLACE };

static CASTS: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("casts.spv")),
    params: DESCRIPTOR.params,
    launch_words: DESCRIPTOR.launch_words,
    ..KernelDescriptor::new("casts_probe", PLACE, &[], "main", [64, 1, 1], 4)
};

static CASTS_WIDE: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("casts_wide.spv")),
    params: &[buffer(0, 4), buffer(1, 8)],
    launch_words: DESCRIPTOR.launch_words,
    features: &[INT64],
    ..KernelDescriptor::new("casts_probe_wide", PLACE, &[], "main", [64, 1, 1], 4)
};

static CASTS_OF_DOUBLES: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("casts_f64.spv")),
    params: &[buffer(0, 8), buffer(1, 8)],
    launch_words: DESCRIPTOR.launch_words,
    features: &[INT64, FLOAT64],
    ..KernelDescriptor::new("casts_probe_f64", PLACE, &[], "main", [64, 1, 1], 4)
};

/// Whether `f32` become `i32` and `u32` as in Rust.
pub(super) fn ask(device: Device<'_>) -> Result<bool> {
    let operands = operands().map(|x| x as f32);
    let bytes: Vec<u8> = operands.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let expected = operands.iter().flat_map(|&x| [x as i32 as u32, x as u32]);
    let expected: Vec<u8> = expected.flat_map(u32::to_ne_bytes).collect();
    Ok(run_probe(device, &CASTS, operands.len() as u32, &bytes, expected.len())? == expected)
}

/// Whether `f32` become `i64` and `u64` as in Rust; not of NaN.
pub(super) fn ask_wide(device: Device<'_>) -> Result<bool> {
    let operands = numbers().map(|x| x as f32);
    let bytes: Vec<u8> = operands.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let expected = operands.iter().flat_map(|&x| [x as i64 as u64, x as u64]);
    let expected: Vec<u8> = expected.flat_map(u64::to_ne_bytes).collect();
    Ok(run_probe(device, &CASTS_WIDE, operands.len() as u32, &bytes, expected.len())? == expected)
}

/// Whether `f64` become integers of 32 and 64 bits as in Rust; not of NaN.
pub(super) fn ask_doubles(device: Device<'_>) -> Result<bool> {
    let operands = numbers();
    let bytes: Vec<u8> = operands.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let expected =
        operands.iter().flat_map(|&x| [i64::from(x as i32) as u64, u64::from(x as u32), x as i64 as u64, x as u64]);
    let expected: Vec<u8> = expected.flat_map(u64::to_ne_bytes).collect();
    Ok(run_probe(device, &CASTS_OF_DOUBLES, operands.len() as u32, &bytes, expected.len())? == expected)
}

/// The same without NaN, of which NVIDIA's conversions of `f64`, or to 64 bits, make `1 << 63`.
fn numbers() -> [f64; 62] {
    operands().map(|x| if x.is_nan() { 0.0 } else { x })
}

/// Numbers around the ends of all integers, of both signs, small ones, and what is not finite.
fn operands() -> [f64; 62] {
    const POWERS: [i32; 9] = [0, 8, 23, 24, 31, 32, 53, 63, 64];
    const SPECIAL: [f64; 4] = [f64::NAN, f64::MAX, f64::MIN_POSITIVE, 3.7];
    std::array::from_fn(|at| {
        let (at, sign) = (at / 2, if at % 2 == 0 { 1.0 } else { -1.0 });
        let number = match SPECIAL.get(at) {
            Some(special) => *special,
            // Below a power of two by what both kinds of floats have, at it, and above.
            None => {
                let at = at - SPECIAL.len();
                let power = f64::from(POWERS[at / 3]).exp2();
                power * [1.0 - f64::from(f32::EPSILON) / 2.0, 1.0, 1.0 + f64::from(f32::EPSILON)][at % 3]
            }
        };
        sign * number
    })
}
