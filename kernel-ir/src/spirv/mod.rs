//! The SPIR-V back end: a verified module in, words for Vulkan 1.2 out. It must not change the module, look at the
//! machine it runs on, or panic on a module the verifier accepts.
//!
//! # Target
//! SPIR-V 1.5, logical addressing, Vulkan memory model, scalar block layout, `GLSL.std.450`. Capabilities beyond `Shader`
//! and `VulkanMemoryModel` are those of the scalars in use (see `features`); the float controls for each width of float in use,
//! of which a runtime may strip those that its device lacks; and what the subgroup operations need.
//!
//! # Memory
//! If a kernel orders memory at all, its accesses to writable buffers and shared variables are non-private. Barriers,
//! fences and ordered atomics then make writes available and visible in their scope. The scope of the whole launch is
//! that of the queue family, which needs no feature.
//!
//! # Interface
//! - Const parameters are specialization constants with their positions as numbers; a workgroup whose width is one is told
//!   by a constant that is the built-in `WorkgroupSize`, as Vulkan 1.2 has no `LocalSizeId`.
//! - Buffers: set 0, binding = number of the buffer; the trap record, when a site is left that can trap,
//!   takes the next binding, and the print buffer, when one is left that prints, the one after.
//! - Push constants: the by-value parameters in order at their natural alignment, then one `u32` per launch word.
//! - Shared variables are zeroed by all invocations of the workgroup together before the kernel's code runs, except those
//!   of which nothing is read before all of it was written.
//! - A kernel with a barrier, a subgroup operation or shared memory has no tail mask: its workgroups are full.
//! - An index that the host vouches for has its check all the same, which a specialization constant switches off.
//! - A kernel may have a second entry point, `batch`, with the same bindings and push constants; see [`batch`](crate::batch).
//! - Ids: `global_id` and `workgroup_id` count from `FirstGroup` where a specialization constant tells that the launch takes
//!   several dispatches; invocations at or beyond `Items` return at once; `num_workgroups` is what the `Groups` say (all of
//!   them [`LaunchWordKind`](crate::descriptor::LaunchWordKind)s).
//!
//! # Meaning
//! Every op means what its row in [`op`](crate::op) says for all operands; the guards that takes are in `ops`, `casts` and
//! `math`. Integers of 8 and 16 bits are words in registers; see `registers`. Float arithmetic is `NoContraction` throughout,
//! but where the kernel's [`FloatRules`](crate::ir::FloatRules) say otherwise; helpers stay exact.

mod angles;
mod atomic;
mod batch;
mod bits;
mod blocks;
mod casts;
mod consts;
mod coop;
mod debug;
mod facts;
mod features;
mod filled;
mod function;
mod gather;
mod image;
mod input;
mod interface;
mod joined;
mod late_traps;
mod locals;
mod loops;
mod math;
mod memory;
mod module;
mod nesting;
mod ops;
mod packed;
mod registers;
mod report;
mod rotations;
mod rows;
mod shared;
mod subgroup;
mod sync;
mod texels;
mod types;
mod uses;
mod words;

pub use facts::Facts;
pub(crate) use nesting::check_nesting;
pub use nesting::{MOST_NESTED, TooNested};

use crate::batch::Batch;
use crate::descriptor::{Feature, LaunchWord};
use crate::ir::{Module, SiteId, SourceLocation};
use crate::layout::Layout;

/// Name of the entry point of every module.
pub const ENTRY_POINT: &str = "main";

/// Name of the second entry point, where there is one.
pub const BATCH_ENTRY_POINT: &str = "batch";

/// A compiled kernel: words and what a launch needs to know about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emitted {
    /// The SPIR-V module.
    pub words: Vec<u32>,
    /// The facts that pass unchanged into the kernel descriptor.
    pub facts: Facts,
    /// Offset and size in the push-constant block of each by-value parameter, in order.
    pub params: Vec<PushSlot>,
    /// Words the runtime fills in. `Len` counts buffers here, not all parameters: the IR does not know how the function's
    /// parameters of both kinds were mixed, so the macro replaces the number.
    pub launch_words: Vec<LaunchWord>,
    /// How the elements of each buffer lie in memory, in order; those that are accessed by words begin at one.
    pub elements: Vec<Layout>,
    /// Sites that are left; a record names one by its position here.
    pub sites: Vec<SiteId>,
    /// Words that each of these sites records of its arguments.
    pub site_words: Vec<u32>,
    /// Features beyond the baseline, each with the first place that needs it.
    pub features: Vec<(Feature, Option<SourceLocation>)>,
}

/// The offset of a by-value parameter in the push-constant block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushSlot {
    /// Offset in bytes.
    pub offset: u32,
    /// Size in bytes, 4 for `bool`.
    pub size: u32,
}

/// Why a verified module cannot be expressed in SPIR-V.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmitError {
    /// The module is a test of single functions.
    #[error("the module has no kernel")]
    NoKernel,
    /// Structured control flow in SPIR-V leaves one loop at a time; a pass rewrites what does not.
    #[error("a jump in `{function}` leaves more than the innermost loop")]
    OuterLoop {
        /// The function it stands in.
        function: String,
        /// The place in the source.
        location: Option<SourceLocation>,
    },
    /// A parameter's type has no memory layout, or its size does not fit in 32 bits.
    #[error("the type of parameter `{0}` has no memory layout")]
    NoLayout(String),
    /// An instruction takes more operands than SPIR-V can encode.
    #[error("an instruction with more than 65534 operands cannot be encoded")]
    TooLong,
}

/// Compiles a verified module to SPIR-V.
///
/// # Errors
/// When the module lacks a kernel or SPIR-V cannot express it.
///
/// # Panics
/// It may when the module is not one that the verifier accepts.
pub fn emit(module: &Module) -> Result<Emitted, EmitError> {
    emit_with(module, None)
}

/// Compiles a verified module to SPIR-V, with a second entry point that runs several items per invocation.
///
/// # Errors
/// As [`emit`].
///
/// # Panics
/// It may when the module is not one that the verifier accepts, or the batch not one of this module.
pub fn emit_with(module: &Module, batch: Option<&Batch>) -> Result<Emitted, EmitError> {
    let kernel = module.kernel.as_ref().ok_or(EmitError::NoKernel)?;
    let uses = uses::Uses::of(module, kernel);
    let mut writer = module::Writer::new(module, kernel, uses)?;
    writer.declare_interface()?;
    writer.write_functions(batch)?;
    writer.finish()
}
