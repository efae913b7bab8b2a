//! The probe of a device's own `fma` of `f32`, and of `f64`: whether it rounds once. Kernels use it if so.
//!
//! GLSL.std.450 lets `Fma` round its product first. The probe compares it bit by bit with the processor's for operands
//! at all ends: where the product is halfway between floats, cancels, overflows, or is subnormal. Subnormal numbers do
//! not count if the device does not promise to keep them, in any operation.

use std::sync::Arc;

use gridwise_ir::descriptor::{
    Feature, FeatureUse, KernelDescriptor, LaunchWord, LaunchWordKind, Location, Param, ParamKind, Spirv,
};

use crate::GpuData;
use crate::core::error::Result;
use crate::core::grid::Grid;
use crate::device::vulkan::MemoryUse;
use crate::device::{Backend, Device};
use crate::memory::tensor::{Contents, Tensor, TensorDesc};
use crate::record::args::KernelArgs;
use crate::record::kernel::Kernel;
use crate::run::sequence::Sequence;
use crate::twin::{HostArgs, HostGroup};

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

struct Probe;
struct ProbeOfDoubles;

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

// SAFETY: the module and the twin do what the descriptor says.
unsafe impl Kernel for Probe {
    const DESCRIPTOR: &'static KernelDescriptor = &DESCRIPTOR;

    // The host device needs no probe.
    fn host(_: &HostArgs<'_>, _: HostGroup<'_>) {}
}

// SAFETY: the module and the twin do what the descriptor says.
unsafe impl Kernel for ProbeOfDoubles {
    const DESCRIPTOR: &'static KernelDescriptor = &DESCRIPTOR_OF_DOUBLES;

    // The host device needs no probe.
    fn host(_: &HostArgs<'_>, _: HostGroup<'_>) {}
}

/// Asks the device. A device that cannot answer does not have it.
pub(crate) fn probe(shared: &Arc<Device>, width: Width) -> bool {
    let answer = match width {
        Width::Single => ask_singles(shared),
        Width::Double => ask_doubles(shared),
    };
    answer.unwrap_or_else(|error| {
        tracing::warn!(%error, "the probe of fused multiplication and addition failed; it is done in software");
        false
    })
}

fn ask_singles(shared: &Arc<Device>) -> Result<bool> {
    let operands = SINGLES.map(f32::from_bits);
    let keeps_subnormals = match &shared.backend {
        Backend::Vulkan(vulkan) => vulkan.device.caps.float_controls.float32.denorm_preserve,
        Backend::Host(_) => true,
    };
    let is_right = |([a, b, c], found): (&[f32; 3], f32)| {
        let expected = a.mul_add(*b, *c);
        // Where results are flushed before they are rounded, also the smallest normal number.
        let is_small = expected != 0.0 && expected.abs() <= f32::MIN_POSITIVE;
        let is_free = !keeps_subnormals && (is_small || [*a, *b, *c].into_iter().any(f32::is_subnormal));
        is_free || expected.to_bits() == found.to_bits() || (expected.is_nan() && found.is_nan())
    };
    let triples = triples_of(operands);
    Ok(triples.iter().zip(ask::<Probe, f32>(shared, &triples)?).all(is_right))
}

fn ask_doubles(shared: &Arc<Device>) -> Result<bool> {
    let operands = DOUBLES.map(f64::from_bits);
    let keeps_subnormals = match &shared.backend {
        Backend::Vulkan(vulkan) => vulkan.device.caps.float_controls.float64.denorm_preserve,
        Backend::Host(_) => true,
    };
    let is_right = |([a, b, c], found): (&[f64; 3], f64)| {
        let expected = a.mul_add(*b, *c);
        let is_small = expected != 0.0 && expected.abs() <= f64::MIN_POSITIVE;
        let is_free = !keeps_subnormals && (is_small || [*a, *b, *c].into_iter().any(f64::is_subnormal));
        is_free || expected.to_bits() == found.to_bits() || (expected.is_nan() && found.is_nan())
    };
    let triples = triples_of(operands);
    Ok(triples.iter().zip(ask::<ProbeOfDoubles, f64>(shared, &triples)?).all(is_right))
}

/// All triples of the operands.
fn triples_of<T: Copy, const N: usize>(operands: [T; N]) -> Vec<[T; 3]> {
    let pairs = operands.into_iter().flat_map(|a| operands.map(|b| [a, b]));
    pairs.flat_map(|[a, b]| operands.map(|c| [a, b, c])).collect()
}

/// The device's results for the triples.
fn ask<P: Kernel, T: GpuData>(shared: &Arc<Device>, triples: &[[T; 3]]) -> Result<Vec<T>> {
    let contents = Contents::Data(triples.as_flattened());
    let x = Tensor::new(shared, MemoryUse::Device, TensorDesc { name: "fma_probe.x", contents })?;
    let contents = Contents::Zeros(triples.len());
    let mut y = Tensor::<T>::new(shared, MemoryUse::Device, TensorDesc { name: "fma_probe.y", contents })?;
    let sequence = Sequence::new(shared.clone(), 0);
    sequence.dispatch(Grid::items(triples.len()), KernelArgs::new::<P>().read(&x).write(&mut y))?;
    sequence.eval()?;
    y.to_vec()
}
