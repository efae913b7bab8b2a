//! The gridwise runtime: `Manager`, `Tensor`, `Sequence`, `Algorithm`, on Vulkan or on the host device.
//!
//! A [`Manager`] owns a device and makes everything else. A [`Tensor`] is data on the device. A [`Sequence`] records
//! operations — launches of kernels, copies, fills, transfers — and runs them as often as wanted; barriers come where one
//! operation depends on another and nowhere else. Kernels are made by `#[kernel]`, which generates a typed `dispatch`.
//!
//! ```
//! use gridwise_runtime::{Manager, ops::OpCopy};
//!
//! # fn main() -> gridwise_runtime::Result<()> {
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
//! Safe code cannot make a device touch freed memory, nor race with it: recordings keep their tensors alive, host
//! accesses are ordered with submissions, and every limit is checked before a driver call. Misuse is an [`Error`].

pub mod data;
pub mod image;
pub mod kernel;
pub mod ops;
pub mod parallel;
pub mod twin;

mod algorithm;
mod args;
mod buffer;
mod cache;
mod drive;
mod error;
mod evaluation;
mod event;
mod executable;
mod fma;
mod graph;
mod grid;
mod hooks;
mod host;
mod indirect;
mod kept;
mod launch;
mod lists;
mod manager;
mod mapped;
mod module;
mod padding;
mod pages;
mod print;
mod profile;
mod recovery;
mod sequence;
#[cfg(unix)]
mod shared_memory;
mod span;
mod steps;
mod stream;
mod subnormals;
mod sync;
mod tensor;
mod tensor_view;
mod trap;
mod tune;
mod vulkan;
mod worker;

pub use algorithm::Algorithm;
pub use args::{KernelArgs, ValueArg};
pub use cache::PipelineCache;
pub use data::{GpuData, Plain, Value};
pub use error::{Error, ImageUse, KernelName, Result, TensorName, WorkerEnd};
pub use evaluation::{Evaluation, ProfiledEvaluation};
pub use event::Event;
pub use executable::{Executable, Statistic, StatisticValue};
pub use grid::{Grid, GridSide, GridSize};
pub use indirect::{AnyGrid, GridCounts, IndirectGrid};
pub use kernel::Kernel;
pub use manager::{
    DeviceChoice, DeviceInfo, DeviceKind, ExistingQueue, ExistingVulkan, Limits, LiveTensor, Manager, ManagerDesc,
    MemoryHeap, QueueChoice, QueueFamily, QueueInfo, QueueKind, Statistics, SubgroupLimits, VulkanHandles,
};
pub use mapped::{Mapped, MappedMut, MemoryKind};
pub use module::{BindingPlace, Constant, ModuleLaunch, SpirvAlgorithm, SpirvCode, SpirvDesc};
pub use ops::Op;
pub use print::{PrintSink, Printed};
pub use profile::{OpTime, Profile};
pub use recovery::{LostEvaluation, Recovery};
pub use sequence::Sequence;
pub use stream::{Chunk, Stream};
pub use subnormals::Subnormals;
pub use tensor::{Contents, Tensor, TensorDesc, TensorRef};
pub use tensor_view::{TensorView, TensorViewMut};
pub use tune::{Candidate, Tuned};

pub use twin::HostOptions;
pub use vulkan::BufferRange;
#[cfg(unix)]
pub use vulkan::{SharedLayout, SharedMemory};
pub use worker::{Worker, WorkerCall, WorkerDesc, serve_if_asked};

pub use gridwise_ir::{descriptor, reflect};
pub use {ash, glam, half};
