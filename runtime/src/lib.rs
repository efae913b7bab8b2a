//! The gridwise runtime: `Manager`, `Tensor`, `Sequence`, `Algorithm`, on Vulkan or on the host device.
//!
//! A [`Manager`] owns a device and creates all other objects. A [`Tensor`] is data on the device. A [`Sequence`]
//! records operations — kernel launches, copies, fills, transfers — and runs them any number of times. It places a
//! barrier only between operations of which one depends on the other. The attribute `#[kernel]` compiles a kernel and
//! generates its typed `dispatch`.
//!
//! ```
//! use gridwise::{Manager, ops::OpCopy};
//!
//! # fn main() -> gridwise::Result<()> {
//! let manager = Manager::new()?; // the best Vulkan device; the host device when there is none
//! println!("{}", manager.device());
//! let from = manager.tensor(&[1.0f32, 2.0, 3.0])?;
//! let mut to = manager.tensor_of_len::<f32>(3)?;
//! let sequence = manager.sequence()?;
//! sequence.record(OpCopy::new(&from, &mut to))?;
//! sequence.eval()?;
//! assert_eq!(to.to_vec()?, [1.0, 2.0, 3.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Safety model
//! Safe code cannot make a device access freed memory, nor race with the device. Recordings keep their tensors alive,
//! the runtime orders host accesses with submissions, and it checks every limit before a driver call. Misuse is an
//! [`Error`].

pub mod parallel;
pub mod twin;

/// Images of one format in one, two or three dimensions, and the types by which kernels access them.
pub mod image {
    pub use crate::memory::image::*;
    pub use crate::twin::{Image1D, Image2D, Image3D, Sampled1D, Sampled2D, Sampled3D};
}

mod core;
mod device;
mod manager;
mod memory;
mod record;
mod run;
mod worker;

pub use self::core::error::{
    Error, GridBeyondTensor, ImageUse, KernelName, MayRace, NotDistinct, NotOffsets, RecordingError, Result, SwapFault,
    TensorName, WorkerEnd,
};
pub use self::core::grid::{Grid, GridSide, GridSize};
pub use self::core::print::{PrintSink, Printed};
pub use device::cache::PipelineCache;
pub use device::executable::{Executable, Statistic, StatisticValue};
pub use device::host::HostOptions;
pub use device::subnormals::Subnormals;
pub use device::vulkan::BufferRange;
#[cfg(unix)]
pub use device::vulkan::{SharedLayout, SharedMemory};
pub use device::{
    DeviceChoice, DeviceInfo, DeviceKind, DeviceUuid, ExistingQueue, ExistingVulkan, Limits, LiveTensor, ManagerDesc,
    MemoryHeap, NotAUuid, PciAddress, QueueChoice, QueueFamily, QueueInfo, QueueKind, Statistics, SubgroupLimits,
};
pub use manager::{Candidate, Chunk, Manager, Recovery, Stream, Tuned, VulkanHandles};
pub use memory::crossing::CopyWay;
pub use memory::data;
pub use memory::data::{GpuData, Plain, Value};
pub use memory::distinct::DistinctTensor;
pub use memory::mapped::{Mapped, MappedMut, MemoryKind};
pub use memory::offsets::OffsetsTensor;
pub use memory::page_vec::PageVec;
pub use memory::scatter::ScatterTensor;
pub use memory::tensor::{Contents, Tensor, TensorDesc, TensorRef};
pub use memory::tensor_view::{TensorView, TensorViewMut};
pub use record::algorithm::Algorithm;
pub use record::args::KernelArgs;
pub use record::event::{Event, WaitWay};
pub use record::indirect::{AnyGrid, GridCounts, IndirectGrid};
pub use record::kernel::Kernel;
pub use record::module::{BindingPlace, Constant, ModuleLaunch, SpirvAlgorithm, SpirvCode, SpirvDesc};
pub use record::ops::Op;
pub use record::parameter::{Argument, Parameter};
pub use record::swap::Swap;
pub use record::table::{ReadList, Resource, ResourceMut, Table, TableMut, WriteList};
pub use record::value_arg::ValueArg;
pub use record::{kernel, ops};
pub use run::evaluation::{Evaluation, ProfiledEvaluation};
pub use run::lost::LostEvaluation;
pub use run::profile::{OpTime, Profile};
pub use run::sequence::Sequence;
pub use worker::{Worker, WorkerCall, WorkerDesc, serve_if_asked};

pub use gridwise_ir::{descriptor, reflect};
pub use {ash, glam, half};
