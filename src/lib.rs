//! GPU kernels written as ordinary Rust functions.
//!
//! `#[kernel]` type-checks a function, compiles it to SPIR-V while `cargo build` runs, and generates a typed `dispatch` for it. The runtime
//! uses Vulkan. Without a Vulkan device, the same kernels run on the CPU.
//!
//! ```
//! use gridwise::prelude::*;
//!
//! #[kernel(workgroup = 256)]
//! fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_id().x;
//!     y[i] = a * x[i] + y[i];
//! }
//!
//! fn main() -> gridwise::Result<()> {
//!     let mgr = Manager::new()?; // best Vulkan device; the host device when there is none
//!     let x = mgr.tensor(&vec![1.0f32; 1 << 20])?;
//!     let mut y = mgr.tensor(&vec![2.0f32; 1 << 20])?;
//!     let seq = mgr.sequence()?;
//!     Saxpy::dispatch(&seq, Grid::items(1 << 20), 3.0, &x, &mut y)?;
//!     seq.eval()?;
//!     assert!(y.to_vec()?.iter().all(|&v| v == 5.0));
//!     Ok(())
//! }
//! ```
//!
//! # Where to read on
//!
#![cfg_attr(
    feature = "guide",
    doc = "- [The guide](guide), from the first kernel to several queues, with a page each for users of CUDA, GLSL, Kompute and CubeCL."
)]
#![cfg_attr(feature = "guide", doc = "- [The language](guide::language): each feature of Rust that kernels have.")]
#![cfg_attr(
    feature = "guide",
    doc = "- [The errors](guide::errors) of the macros, with a wrong and a right example for each code."
)]
#![cfg_attr(
    feature = "guide",
    doc = "- [Kompute's names](guide::kompute): each class, method and operation, and ours."
)]
//! - [`macro@kernel`], [`macro@device`] and [`macro@GpuData`] mark the code that runs on a device.
//! - [`Manager`], [`Tensor`], [`Sequence`] and [`ops`] run that code. [`image`] has images.
#![cfg_attr(
    feature = "algorithms",
    doc = "- [`algorithms`] has reductions, scans, sorts, products of matrices and their like."
)]
//! - [`Error`] has every error of a running program.
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `algorithms` | `gridwise::algorithms` |
//! | `sanitizer` | `Manager::sanitizer`, an interpreter that finds races and divergent barriers |
//! | `tracing` | spans of the crate `tracing` around the host's work |
//! | `guide` | the guide as pages of the documentation |

// Generated code names the facade from outside.
#[allow(unused_extern_crates)]
extern crate self as gridwise;

#[doc = include_str!("../docs/kernel.md")]
pub use gridwise_macro::kernel;

/// Makes a function, const, type or module usable in kernels, also in those of other modules and crates.
///
/// Put types with `impl` blocks and traits in a `#[device] mod`, so that the macro finds the blocks of a type. The items stay ordinary
/// Rust: the host calls the same functions. One `use` imports an item for host code and for kernels.
///
/// ```
/// use gridwise::prelude::*;
///
/// #[device]
/// const LIMIT: f32 = 10.0;
///
/// #[device]
/// mod shapes {
///     #[derive(Clone, Copy)]
///     pub struct Circle {
///         pub radius: f32,
///     }
///
///     impl Circle {
///         pub fn area(self) -> f32 {
///             std::f32::consts::PI * self.radius * self.radius
///         }
///     }
/// }
///
/// #[device]
/// fn capped_area(radius: f32) -> f32 {
///     shapes::Circle { radius }.area().min(LIMIT)
/// }
///
/// #[kernel]
/// fn areas(radii: &[f32], y: &mut [f32]) {
///     let i = global_id().x;
///     y[i] = capped_area(radii[i]);
/// }
///
/// # fn main() -> gridwise::Result<()> {
/// assert_eq!(capped_area(4.0), 10.0); // on the host, without a device
///
/// let mgr = Manager::new()?;
/// let (radii, mut y) = (mgr.tensor(&[0.0f32, 4.0])?, mgr.tensor_of_len::<f32>(2)?);
/// let seq = mgr.sequence()?;
/// Areas::dispatch(&seq, Grid::items(2), &radii, &mut y)?;
/// seq.eval()?;
/// assert_eq!(y.to_vec()?, [0.0, 10.0]);
/// # Ok(())
/// # }
/// ```
pub use gridwise_macro::device;

/// Derives [`trait@GpuData`] for a `#[repr(C)]` struct, which can then be an element of tensors and a parameter of kernels.
///
/// Every field has to be `GpuData`: a number, a vector or matrix of `glam`, an array, an `Atomic<T>`, or another such struct. The struct
/// keeps the layout that Rust gives it, on the device as well.
///
/// ```
/// use gridwise::prelude::*;
///
/// #[derive(GpuData, Clone, Copy, PartialEq, Debug)]
/// #[repr(C)]
/// struct Body {
///     at: Vec3,
///     mass: f32,
/// }
///
/// #[kernel]
/// fn fall(by: f32, bodies: &mut [Body]) {
///     let i = global_id().x;
///     bodies[i].at.y -= by;
/// }
///
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let mut bodies = mgr.tensor(&[Body { at: Vec3::Y, mass: 2.0 }])?;
/// let seq = mgr.sequence()?;
/// Fall::dispatch(&seq, Grid::items(1), 1.0, &mut bodies)?;
/// seq.eval()?;
/// assert_eq!(bodies.to_vec()?, [Body { at: Vec3::ZERO, mass: 2.0 }]);
/// # Ok(())
/// # }
/// ```
pub use gridwise_macro::GpuData;

/// Generates a type for a SPIR-V module when the program is compiled.
///
/// The type's `dispatch` has the module's own parameters: push constants by value, then buffers as tensors, in the order of their bindings.
/// Specialization constants are the fields of a second type, here `ScaleConstants`. The path is relative to the source file.
/// `include_spirv!("a.spv" as Name)` names the type; otherwise it is named after the file. A file that is not a SPIR-V module does not
/// compile, nor does a module with resources other than buffers in set 0.
///
/// ```ignore
/// include_spirv!("shaders/scale.spv"); // a file of your own
///
/// // SAFETY: the shader writes below `count` only.
/// let scale = unsafe { Scale::new(&mgr, ScaleConstants { factor: 3.0, ..Default::default() }) }?;
/// scale.dispatch(&seq, Grid::items(1024), 1024, 0.5, &from, &mut to)?;
/// ```
pub use gridwise_macro::include_spirv;

pub use gridwise_runtime::parallel::{
    Accumulator, Atomic, ConvertsTo, CoopElement, CoopMatrix, Distinct, MatrixA, MatrixB, MatrixLayout, MatrixRole,
    MultipliesInto, Offsets, Scatter, Scope, Shared, Unordered, barrier, detach, fence, subgroup, with_slope,
    workgroup_uniform,
};
pub use gridwise_runtime::twin::{
    global_id, local_id, local_index, num_subgroups, num_workgroups, subgroup_id, subgroup_local_id, subgroup_size,
    workgroup_id, workgroup_size,
};
pub use gridwise_runtime::{
    Algorithm, AnyGrid, Argument, BindingPlace, BufferRange, Candidate, Chunk, Constant, Contents, CopyWay,
    DeviceChoice, DeviceInfo, DeviceKind, DeviceUuid, DistinctTensor, Error, Evaluation, Event, Executable,
    ExistingQueue, ExistingVulkan, GpuData, Grid, GridBeyondTensor, GridCounts, GridSide, GridSize, HostOptions,
    ImageUse, IndirectGrid, Kernel, KernelArgs, KernelName, Limits, LiveTensor, LostEvaluation, Manager, ManagerDesc,
    Mapped, MappedMut, MayRace, MemoryHeap, MemoryKind, ModuleLaunch, NotAUuid, NotDistinct, NotOffsets, OffsetsTensor,
    Op, OpTime, PageVec, Parameter, PciAddress, PipelineCache, Plain, PrintSink, Printed, Profile, ProfiledEvaluation,
    QueueChoice, QueueFamily, QueueInfo, QueueKind, ReadList, RecordingError, Recovery, Resource, ResourceMut, Result,
    ScatterTensor, Sequence, SpirvAlgorithm, SpirvCode, SpirvDesc, Statistic, StatisticValue, Statistics, Stream,
    SubgroupLimits, Subnormals, Swap, SwapFault, Table, TableMut, Tensor, TensorDesc, TensorName, TensorRef,
    TensorView, TensorViewMut, Tuned, Value, ValueArg, VulkanHandles, WaitWay, Worker, WorkerCall, WorkerDesc,
    WorkerEnd, WriteList, ash, descriptor, glam, half, image, ops, reflect, serve_if_asked,
};

#[cfg(unix)]
pub use gridwise_runtime::{SharedLayout, SharedMemory};

#[doc(hidden)]
pub use gridwise_macro::{
    imported_constants_need_their_whole_path_in_kernels, names_in_kernels_need_the_device_attribute,
};

#[cfg(feature = "algorithms")]
pub mod algorithms;

#[cfg(feature = "guide")]
pub mod guide;

/// The names that programs with kernels need: `use gridwise::prelude::*;`.
pub mod prelude {
    pub use crate::{device, kernel};
    pub use gridwise_macro::GpuData;
    pub use gridwise_runtime::glam::{
        BVec2, BVec3, BVec4, IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, Quat, UVec2, UVec3, UVec4, Vec2, Vec3, Vec4, bvec2,
        bvec3, bvec4, ivec2, ivec3, ivec4, mat2, mat3, mat4, quat, uvec2, uvec3, uvec4, vec2, vec3, vec4,
    };
    pub use gridwise_runtime::glam::{Vec2Swizzles, Vec3Swizzles, Vec4Swizzles};
    pub use gridwise_runtime::half::{bf16, f16};
    pub use gridwise_runtime::parallel::MatrixLayout::{ColumnMajor, RowMajor};
    pub use gridwise_runtime::parallel::{
        Accumulator, Atomic, CoopMatrix, Distinct, MatrixA, MatrixB, Offsets, Scatter, Scope, Shared, Unordered,
        barrier, detach, fence, subgroup, with_slope, workgroup_uniform,
    };
    pub use gridwise_runtime::twin::{
        global_id, local_id, local_index, num_subgroups, num_workgroups, subgroup_id, subgroup_local_id, subgroup_size,
        workgroup_id, workgroup_size,
    };
    pub use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

    pub use gridwise_runtime::image::{Image, Image1D, Image2D, Image3D, Sampled1D, Sampled2D, Sampled3D};
    pub use gridwise_runtime::{GpuData, Grid, Manager, Sequence, Tensor};
}

/// The names that generated code uses. Not part of the interface.
#[doc(hidden)]
pub mod __private {
    mod dispatch;
    pub mod gradient;
    mod implementation;
    pub mod launch;
    pub mod spirv;
    mod tuning;

    pub use dispatch::dispatch_type;
    pub use gridwise_runtime::image::{Image, Sampled};
    pub use gridwise_runtime::{
        AnyGrid, Argument, Candidate, DistinctTensor, Grid, KernelArgs, Manager, OffsetsTensor, ReadList, Result,
        ScatterTensor, Sequence, Tensor, Tuned, ValueArg, WriteList, data, descriptor, glam, kernel, twin,
    };
    pub use implementation::{implementation, run_twin, twin_fn, vec4_assertion};
    pub use tuning::tuning;
}
