//! The kernel that checks a grid on the device before a launch reads it. It must never let a count through that is over a limit.

use std::sync::Arc;

use gridwise_ir::descriptor::{KernelDescriptor, Location, Param, Site, SiteKind, Spirv};

use crate::core::error::Result;
use crate::device::Device;
use crate::device::vulkan::MemoryUse;
use crate::memory::buffer::Buffer;
use crate::memory::tensor::Tensor;
use crate::record::args::KernelArgs;
use crate::record::indirect::{Indirect, WORDS};
use crate::record::kernel::Kernel;
use crate::twin::{HostArgs, HostGroup};

/// A place for a checked grid, and the launch of the guard that fills it from where `grid` lies in its tensor.
///
/// # Errors
/// When there is no memory for it.
pub(crate) fn guard(device: &Arc<Device>, grid: &Indirect) -> Result<(Indirect, KernelArgs)> {
    let command = Arc::new(Buffer::new(device, "indirect grid", WORDS as usize, 4, MemoryUse::Device)?);
    let words = |buffer: &Arc<Buffer>| Ok(Tensor { buffer: buffer.clone(), marker: std::marker::PhantomData });
    let counts: Tensor<u32> = match grid.command.stride() {
        4 => words(&grid.command)?,
        _ => words(&Arc::new(grid.command.seen_as(4)?))?,
    };
    let mut checked = words(&command)?;
    let [x, y, z] = grid.limit;
    let args = KernelArgs::new::<Guard>().read(&counts).write::<u32>(&mut checked);
    let args = args.value(grid.first).value(x).value(y).value(z);
    Ok((Indirect { command, first: 0, limit: grid.limit }, args))
}

/// Copies a grid, or zeros where a count is over its limit, of which it makes a record.
struct Guard;

static GUARD: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(include_bytes!("guard.spv")),
    params: &[
        Param::buffer("counts", 0, false, 4, 4),
        Param::buffer("command", 1, true, 4, 4),
        Param::value("first", 0, 4),
        Param::value("limit_x", 4, 4),
        Param::value("limit_y", 8, 4),
        Param::value("limit_z", 12, 4),
    ],
    trap_binding: Some(2),
    trap_words: 8,
    sites: &[Site::new(SiteKind::Panic, file!(), line!(), 1, "an indirect grid")],
    ..KernelDescriptor::new(
        "indirect grid",
        Location { file: file!(), line: line!(), column: 1 },
        &[],
        "main",
        [1, 1, 1],
        16,
    )
};

// SAFETY: the module does what the descriptor says, given a range in the counts; the function never runs.
unsafe impl Kernel for Guard {
    const DESCRIPTOR: &'static KernelDescriptor = &GUARD;

    fn host(_: &HostArgs<'_>, _: HostGroup<'_>) {}
}
