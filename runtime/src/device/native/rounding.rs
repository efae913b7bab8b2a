//! The probe of roundings of `f64` to whole numbers.

use std::sync::Arc;

use gridwise_ir::descriptor::{Feature, FeatureUse, KernelDescriptor, Spirv};

use super::{DESCRIPTOR, PLACE, buffer};
use crate::core::error::Result;
use crate::core::sync::schedule::Schedule;
use crate::device::vulkan::{VulkanDevice, run_probe};

static ROUNDING: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("rounding.spv")),
    params: &[buffer(0, 8), buffer(1, 8)],
    launch_words: DESCRIPTOR.launch_words,
    features: &[FeatureUse { feature: Feature::Float64, location: PLACE }],
    ..KernelDescriptor::new("rounding_probe", PLACE, &[], "main", [64, 1, 1], 4)
};

/// Whether `f64` are rounded as in Rust, signs of zeros included.
pub(super) fn ask(device: (&Arc<VulkanDevice>, &Schedule)) -> Result<bool> {
    let operands = operands();
    let bytes: Vec<u8> = operands.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let results = run_probe(device, &ROUNDING, operands.len() as u32, &bytes, 4 * bytes.len())?;
    let (found, _) = results.as_chunks();
    let mut found = found.iter().map(|bytes| f64::from_ne_bytes(*bytes));
    let is_same =
        |(found, expected): (f64, f64)| found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
    let expected = operands.iter().flat_map(|x| [x.floor(), x.ceil(), x.trunc(), x.round_ties_even()]);
    Ok(expected.map(|expected| (found.next().unwrap_or(f64::NAN), expected)).all(is_same))
}

/// Halves and neighbours of whole numbers of all sizes, of both signs, and what is not finite.
fn operands() -> Vec<f64> {
    let powers = (-3..=64).map(|power| f64::from(power).exp2());
    let sizes = powers.flat_map(|power| {
        [power, power + 0.5, power - 0.5, power + 1.5, power.next_down(), power.next_up(), power * 1.3]
    });
    let special = [0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::INFINITY, f64::NAN, 0.5_f64.next_down()];
    sizes.chain(special).flat_map(|size| [size, -size]).collect()
}
