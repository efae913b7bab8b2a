//! Whether a device's own `fma` of `f32` rounds once, found out by asking it. Kernels take it where it does.
//!
//! GLSL.std.450 lets `Fma` round its product first. The probe compares it bit by bit with the processor's for operands at all
//! ends: where the product is halfway between floats, cancels, overflows, or is subnormal. Where the device does not promise to
//! keep subnormal numbers, in any operation, those do not count.

use std::sync::Arc;

use gridwise_ir::descriptor::{KernelDescriptor, LaunchWord, LaunchWordKind, Location, Param, ParamKind, Spirv};

use crate::args::KernelArgs;
use crate::error::Result;
use crate::grid::Grid;
use crate::kernel::Kernel;
use crate::manager::{Backend, Shared};
use crate::sequence::Sequence;
use crate::tensor::{Contents, Tensor, TensorDesc};
use crate::twin::{HostArgs, HostGroup};
use crate::vulkan::MemoryUse;

/// Operands whose products and sums are hard: ends of the range, halves of units, neighbours of powers of two.
const OPERANDS: [u32; 20] = [
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

struct Probe;

static DESCRIPTOR: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("probe.spv")),
    params: &[
        Param { name: "x", kind: ParamKind::Buffer { binding: 0, writable: false, stride: 4 } },
        Param { name: "y", kind: ParamKind::Buffer { binding: 1, writable: true, stride: 4 } },
    ],
    launch_words: &[LaunchWord { offset: 0, kind: LaunchWordKind::Items(0) }],
    ..KernelDescriptor::new(
        "fma_probe",
        Location { file: file!(), line: line!(), column: 1 },
        &[],
        "main",
        [64, 1, 1],
        4,
    )
};

// SAFETY: the module and the twin do what the descriptor says.
unsafe impl Kernel for Probe {
    const DESCRIPTOR: &'static KernelDescriptor = &DESCRIPTOR;

    // The host device needs no probe.
    fn host(_: &HostArgs<'_>, _: HostGroup<'_>) {}
}

/// Asks the device. A device that cannot answer does not have it.
pub(crate) fn probe(shared: &Arc<Shared>) -> bool {
    ask(shared).unwrap_or_else(|error| {
        tracing::warn!(%error, "the probe of fused multiplication and addition failed; it is done in software");
        false
    })
}

fn ask(shared: &Arc<Shared>) -> Result<bool> {
    let floats = || OPERANDS.into_iter().map(f32::from_bits);
    let pairs = || floats().flat_map(|a| floats().map(move |b| (a, b)));
    let triples: Vec<[f32; 3]> = pairs().flat_map(|(a, b)| floats().map(move |c| [a, b, c])).collect();
    let contents = Contents::Data(triples.as_flattened());
    let x = Tensor::new(shared, MemoryUse::Device, TensorDesc { name: "fma_probe.x", contents })?;
    let contents = Contents::Zeros(triples.len());
    let mut y = Tensor::<f32>::new(shared, MemoryUse::Device, TensorDesc { name: "fma_probe.y", contents })?;
    let sequence = Sequence::new(shared.clone(), 0);
    sequence.dispatch(Grid::items(triples.len()), KernelArgs::new::<Probe>().read(&x).write(&mut y))?;
    sequence.eval()?;
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
    Ok(triples.iter().zip(y.to_vec()?).all(is_right))
}
