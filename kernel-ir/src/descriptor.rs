//! The kernel descriptor: a constant per kernel that the compiler hands to the runtime. It uses nothing else of this
//! crate.
//!
//! # The interface of a kernel
//!
//! The runtime binds and launches a kernel by these rules. `spirv` states how the module spells them.
//!
//! - Const parameters are specialization constants 0, 1, … in their order.
//! - Buffers and images are bindings 0, 1, … of set 0 in the order of the parameters. A kernel that can trap has one
//!   more for the trap record, and one that prints one more for its prints.
//! - A `#[texels]` parameter is a slice everywhere but in the binding: a uniform texel buffer of unsigned words, so
//!   that no float is converted.
//! - A list of buffers is one binding: a table with the address and length of each buffer, and a last row for all
//!   positions without a buffer. Only these lengths bound an access by address, so an index is limited to the last
//!   element wherever it is used, checked or not.
//! - A list of images is one binding: an array of descriptors, whose length the pipeline's layout rounds up to a power
//!   of two. Descriptors beyond the list are not bound, so no instruction on an image moves before the check of its
//!   position.
//! - Push constants hold the by-value parameters, then the launch words that the kernel needs: items per axis, the
//!   first workgroup along x (a grid wider than the device's limit takes several dispatches), the number of workgroups,
//!   lengths of buffers. Together they have at most 128 bytes, which every device has. Lengths are launch words so that
//!   an empty tensor has length 0 on every driver.
//! - A kernel without barriers, subgroup operations and shared memory has a tail mask: invocations without an item
//!   return. `IS_FULL` switches it off for full workgroups. Other kernels demand full workgroups.
//! - The second entry point, `batch`, runs several items per invocation; see `batch`. Launches of fewer than 2^14 items
//!   take it only if the kernel asks for it: drivers compile the other one in half the time. Neighbouring workgroups of
//!   very large launches run in different quarters of the grid, so that they do not look the same pages of memory up at
//!   once.
//! - An indirect grid is unknown to the host, so obligations count as not met, batches are not taken, and the items are
//!   as many as there can be. A specialization constant makes modules read `NumWorkgroups`.
//! - A trap records site, operands, invocation and count, and the invocation goes on: a read out of range gives zero, a
//!   write is dropped. A panic also ends the invocation. The host reads the record after the launch.
//! - A print appends a record (site, invocation, words) to a buffer of bounded size. The descriptor has a function for
//!   each message that formats the words with `std::fmt`. Records without room are counted.
//! - A kernel that adds to atomic floats has a second module, for devices with an instruction for that. The runtime
//!   takes it if such additions are as exact as the device's others.
//! - Atomics of 8 and 16 bits are exchanged with the word that holds them, so such a buffer is one of words in the
//!   module.

mod conditions;
mod constants;
mod feature;
mod image;
pub(crate) mod matrix;
mod obligations;
mod packed;
mod parallel;
pub(crate) mod program;
mod sampling;
mod site;
mod texel;

pub use conditions::{Conditions, OfGrid, Unmet};
pub use constants::{ConstParam, ConstType};
pub use feature::{Feature, FeatureUse};
pub use image::{Encoding, ImageAccess, ImageFormat, TexelKind};
pub use matrix::{MatrixElement, MatrixProduct, MatrixType, MatrixUse};
pub use obligations::{Broken, Obligations, Verdict};
pub use packed::{Spirv, pack};
pub use parallel::{FloatAtomics, NativeModule, Parallel, SubgroupOperations};
pub use program::{BoundOp, LaunchNumbers, Number};
pub use sampling::{Edge, Filter, SampledExtent, Sampler};
pub use site::{Message, Site, SiteKind};

/// Everything the runtime needs to launch one compiled kernel; the macro emits it as a `static`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelDescriptor {
    /// The function's name as written, for errors and debug labels.
    pub name: &'static str,
    /// The place of the function in the source.
    pub location: Location,
    /// The SPIR-V module. Invariant: a whole number of words, `spirv-val` clean.
    pub spirv: Spirv,
    /// Name of the module's only entry point.
    pub entry_point: &'static str,
    /// Invocations per workgroup in x, y, z; never zero.
    pub workgroup: [Size; 3],
    /// The function's const parameters, in order: each is the specialization constant of its position.
    pub constants: &'static [ConstParam],
    /// The function's parameters, in order.
    pub params: &'static [Param],
    /// Words the runtime fills in by itself, in the push-constant block.
    pub launch_words: &'static [LaunchWord],
    /// Size in bytes of the push-constant block, parameters and launch words together; a multiple of 4, at most 128.
    pub push_constant_size: u32,
    /// Binding (set 0) of the trap record, when the kernel has a site that can trap.
    pub trap_binding: Option<u32>,
    /// Words of the trap record; zero when the kernel has none.
    pub trap_words: u32,
    /// The checks of the host before each launch. If all that a group of checks needs hold, the specialization constant [`is_proven`] tells
    /// the module so.
    pub obligations: Obligations,
    /// Whether a trap is possible even if the obligations hold.
    pub traps_anyway: bool,
    /// Whether an invocation leaves the kernel at a trap in a loop whose end nobody knows. Elsewhere it goes on with zero.
    pub leaves_at_traps: bool,
    /// The conditions of a launch without races; one that does not meet them is refused.
    pub conditions: Conditions,
    /// Which specialization constants of [`NATIVES`] the module has.
    pub asks_for: [bool; NATIVES.len()],
    /// Binding (set 0) of the print buffer, when the kernel has a site that prints.
    pub print_binding: Option<u32>,
    /// The sites that can trap or print; a record names one by its position here.
    pub sites: &'static [Site],
    /// Device features the module needs beyond the Vulkan 1.2 baseline, each with its reason.
    pub features: &'static [FeatureUse],
    /// The cooperation of the kernel's invocations.
    pub parallel: Parallel,
    /// The stack that an invocation needs on the host.
    pub host_stack: HostStack,
    /// Arrays in workgroup memory whose lengths are const parameters; they come on top of [`Parallel::shared_bytes`].
    pub shared_arrays: &'static [SharedArray],
    /// A second entry point in which an invocation runs several items, for the launches that allow it.
    pub batch: Option<Batch>,
    /// The text of the intermediate representation, for the sanitizer; only when that was asked for.
    pub ir: Option<&'static str>,
}

impl KernelDescriptor {
    /// A kernel without parameters that neither traps nor prints and needs nothing of a device: what generated code starts from.
    pub const fn new(
        name: &'static str,
        location: Location,
        packed: &'static [u8],
        entry_point: &'static str,
        workgroup: [u32; 3],
        push_constant_size: u32,
    ) -> Self {
        Self {
            name,
            location,
            spirv: Spirv::Packed(packed),
            entry_point,
            workgroup: known(workgroup),
            constants: &[],
            params: &[],
            launch_words: &[],
            push_constant_size,
            trap_binding: None,
            trap_words: 0,
            obligations: Obligations::NONE,
            traps_anyway: true,
            leaves_at_traps: false,
            conditions: Conditions::NONE,
            asks_for: [false; NATIVES.len()],
            print_binding: None,
            sites: &[],
            features: &[],
            parallel: Parallel::NONE,
            host_stack: HostStack::LITTLE,
            shared_arrays: &[],
            batch: None,
            ir: None,
        }
    }
}

/// The stack that an invocation needs in the code that rustc compiled for the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostStack {
    /// Bytes of local variables, those of the deepest chain of calls together.
    pub locals: u64,
    /// Bytes of stack, estimated to be enough also for what is compiled without optimisations.
    pub bytes: u64,
}

impl HostStack {
    /// So little that the stack of any thread has room for it.
    pub const LITTLE: Self = Self { locals: 0, bytes: 0 };

    /// So many bytes of locals and of stack.
    pub const fn new(locals: u64, bytes: u64) -> Self {
        Self { locals, bytes }
    }
}

/// A second entry point with the same interface, in which each invocation runs several neighbouring items along x. It needs fewer
/// invocations; nothing else of a launch changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// Name of the entry point.
    pub entry_point: &'static str,
    /// Items of an invocation, a power of two.
    pub items: u32,
    /// Conditions on the launch besides the kernel's own obligations; the launch also has one item along y and z.
    pub obligations: Obligations,
    /// Whether the kernel asks for so many items; launches of fewer than [`LEAST`](Self::LEAST) take no number that the compiler chose.
    pub is_asked: bool,
}

impl Batch {
    /// Invocations from which on a launch goes in several places at once: such with one vector of a buffer each pass over more than two
    /// gigabytes of it.
    pub const FAR: u32 = 1 << 27;

    /// Items from which on several of them per invocation are worth an entry that drivers take longer to compile. Fewer do not keep a
    /// device busy for longer than a launch takes.
    pub const LEAST: u32 = 1 << 14;

    /// A batch from its parts.
    pub const fn new(entry_point: &'static str, items: u32, obligations: &'static [u8], is_asked: bool) -> Self {
        Self { entry_point, items, obligations: Obligations(obligations), is_asked }
    }

    /// Whether a launch of so many items leaves none over, and goes in one place: it needs no code for either.
    pub const fn is_whole(&self, items: u32) -> bool {
        self.items > 0 && items.is_multiple_of(self.items) && items / self.items <= Self::FAR
    }
}

/// A number of the kernel, or one of its const parameters, chosen for each launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The number.
    Known(u32),
    /// The const parameter with this position in [`KernelDescriptor::constants`]; at least 1.
    Param(u32),
}

/// Sizes that are numbers.
pub const fn known([x, y, z]: [u32; 3]) -> [Size; 3] {
    [Size::Known(x), Size::Known(y), Size::Known(z)]
}

/// Workgroup memory that grows with const parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedArray {
    /// Bytes for each element.
    pub bytes: u32,
    /// Positions of the const parameters whose product is the number of elements.
    pub lengths: &'static [u32],
}

impl KernelDescriptor {
    /// Invocations per workgroup with these const arguments, one for each of [`constants`](Self::constants).
    pub fn workgroup_with(&self, constants: &[u64]) -> [u32; 3] {
        self.workgroup.map(|size| match size {
            Size::Known(number) => number,
            // A missing argument, or one beyond 32 bits, is refused when the kernel is prepared.
            Size::Param(param) => constants.get(param as usize).map_or(0, |value| u32::try_from(*value).unwrap_or(0)),
        })
    }

    /// Bytes of workgroup memory with these const arguments.
    pub fn shared_bytes_with(&self, constants: &[u64]) -> u32 {
        let bytes = |array: &SharedArray| {
            let lengths = array.lengths.iter().map(|param| constants.get(*param as usize).copied().unwrap_or(0));
            lengths.fold(u64::from(array.bytes), u64::saturating_mul)
        };
        let open = self.shared_arrays.iter().map(bytes).fold(0, u64::saturating_add);
        u32::try_from(open.saturating_add(self.parallel.shared_bytes.into())).unwrap_or(u32::MAX)
    }
}

/// Id that tells a module whether its obligations hold, all of them, a `bool`: it gives each constant of [`is_proven`] that is not given
/// itself. Ids of const parameters count from zero.
pub const IS_PROVEN: u32 = 0xffff;

/// The most groups of checks in a module.
pub const CHECK_GROUPS: usize = 8;

/// Id of the specialization constant that tells a module whether the obligations hold that a group of its checks needs, a `bool`.
pub const fn is_proven(group: u8) -> u32 {
    0xffe0 + group as u32
}

/// Id of the specialization constant that tells a module whether the device's fused multiplication and addition of `f32` rounds
/// once, a `bool`; where it does not, the module computes it from other operations.
pub const HAS_FMA: u32 = 0xfffe;

/// The same for `f64`.
pub const HAS_FMA_F64: u32 = 0xfffc;

/// Id of the specialization constant that tells a module whether the device's `2^x` of `f32` is within 2.125 units of the last place and its
/// fused multiplication and addition rounds once, a `bool`; where not, the module computes `exp` and `exp2` from other operations.
pub const HAS_EXP2: u32 = 0xfff8;

/// Id of the specialization constant that tells a module whether the device's conversions of `f32` to integers of 32 bits saturate and
/// take NaN for zero, a `bool`; where not, the module converts nothing that does not fit.
pub const HAS_CASTS: u32 = 0xfff6;

/// The same of `f32` to integers of 64 bits; nothing is asked of NaN.
pub const HAS_CASTS_WIDE: u32 = 0xfff5;

/// The same of `f64` to integers of 32 and 64 bits; nothing is asked of NaN.
pub const HAS_CASTS_F64: u32 = 0xfff4;

/// Id of the specialization constant that tells a module whether the device rounds `f64` to whole numbers without a fault, a `bool`; where
/// not, the module does so by sums.
pub const HAS_ROUNDING_F64: u32 = 0xfff3;

/// Ids of the specialization constants that tell a module about operations which only some devices do as kernels need them.
pub const NATIVES: [u32; 7] =
    [HAS_FMA, HAS_FMA_F64, HAS_EXP2, HAS_CASTS, HAS_CASTS_WIDE, HAS_CASTS_F64, HAS_ROUNDING_F64];

/// Id of the specialization constant that tells a module whether the device itself knows the number of workgroups, and not the
/// launch words, a `bool`; modules with [`LaunchWordKind::Groups`] have it.
pub const IS_INDIRECT: u32 = 0xfffd;

/// Id of the specialization constant that tells a module whether a launch takes several dispatches, a `bool`: only then the first
/// workgroup along x is not zero.
pub const IS_SPLIT: u32 = 0xfffa;

/// Id of the specialization constant that tells a batch's entry whether [`Batch::is_whole`] holds, a `bool`.
pub const IS_WHOLE: u32 = 0xfffb;

/// Id of the specialization constant that tells an entry whether each invocation of a launch has an item, or all of a batch's, a `bool`;
/// entries that mask invocations have it.
pub const IS_FULL: u32 = 0xfff9;

/// Id of the specialization constant that tells a module whether its driver has
/// [`Fault::ForgottenLoopResults`](crate::faults::Fault::ForgottenLoopResults), a `bool`; modules with loops that such a driver needs to be
/// left in another way have it.
pub const FORGETS_RESULTS: u32 = 0xfff7;

/// Id of the specialization constant that tells a module whether its driver has [`Fault::LostIndices`](crate::faults::Fault::LostIndices), a
/// `bool`; modules that store into local arrays at computed indices have it.
pub const LOSES_INDICES: u32 = 0xfff2;

/// A place in the user's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// Path as rustc prints it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl Location {
    /// A location from its parts.
    pub const fn new(file: &'static str, line: u32, column: u32) -> Self {
        Self { file, line, column }
    }
}

/// One parameter of a kernel function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// The parameter's name as written.
    pub name: &'static str,
    /// How it reaches the device.
    pub kind: ParamKind,
}

impl Param {
    /// A list of images.
    pub const fn images(
        name: &'static str,
        binding: u32,
        access: ImageAccess,
        format: ImageFormat,
        dimensions: u8,
    ) -> Self {
        Self { name, kind: ParamKind::Images { binding, access, format, dimensions } }
    }

    /// An image.
    pub const fn image(
        name: &'static str,
        binding: u32,
        access: ImageAccess,
        format: ImageFormat,
        dimensions: u8,
    ) -> Self {
        Self { name, kind: ParamKind::Image { binding, access, format, dimensions } }
    }

    /// A storage buffer.
    pub const fn buffer(name: &'static str, binding: u32, writable: bool, stride: u32, align: u32) -> Self {
        Self { name, kind: ParamKind::Buffer { binding, writable, stride, align } }
    }

    /// A uniform texel buffer.
    pub const fn texels(name: &'static str, binding: u32, stride: u32, align: u32) -> Self {
        Self { name, kind: ParamKind::Texels { binding, stride, align } }
    }

    /// A storage buffer of `u32` that all differ.
    pub const fn distinct(name: &'static str, binding: u32) -> Self {
        Self { name, kind: ParamKind::Distinct { binding } }
    }

    /// A storage buffer of `u32` that never fall.
    pub const fn offsets(name: &'static str, binding: u32) -> Self {
        Self { name, kind: ParamKind::Offsets { binding } }
    }

    /// The claims of the parameter before.
    pub const fn claims(name: &'static str, binding: u32) -> Self {
        Self { name, kind: ParamKind::Claims { binding } }
    }

    /// A list of storage buffers.
    pub const fn list(name: &'static str, binding: u32, writable: bool, stride: u32, align: u32) -> Self {
        Self { name, kind: ParamKind::List { binding, writable, stride, align } }
    }

    /// A value in the push-constant block.
    pub const fn value(name: &'static str, offset: u32, size: u32) -> Self {
        Self { name, kind: ParamKind::Value { offset, size } }
    }
}

/// How a parameter reaches the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// `&[T]` or `&mut [T]`: a storage buffer in descriptor set 0.
    Buffer {
        /// Binding number.
        binding: u32,
        /// True for `&mut [T]`.
        writable: bool,
        /// `size_of::<T>()`, the distance between elements in bytes.
        stride: u32,
        /// The alignment of the first element in bytes, a power of two. It is `align_of::<T>()`, or more if the module
        /// accesses elements by words.
        align: u32,
    },
    /// `#[texels] x: &[T]`: a uniform texel buffer in descriptor set 0, whose texels are unsigned words.
    Texels {
        /// Binding number.
        binding: u32,
        /// `size_of::<T>()`, the distance between elements in bytes: 4, 8 or 16.
        stride: u32,
        /// The alignment of the first element in bytes: `align_of::<T>()`.
        align: u32,
    },
    /// `&Distinct<u32>`: a storage buffer in descriptor set 0 that is only read. No number is in it twice: the proof that invocations do
    /// not race may rest on that, so a launch takes none but those that were checked.
    Distinct {
        /// Binding number.
        binding: u32,
    },
    /// `&Offsets<u32>`: a storage buffer in descriptor set 0 that is only read. No number in it is less than the one before: the proof that
    /// invocations do not race may rest on that, so a launch takes none but those that were checked.
    Offsets {
        /// Binding number.
        binding: u32,
    },
    /// The other part of a `&mut Scatter<T>`, behind the storage buffer of its elements: a storage buffer in descriptor set 0 with a word
    /// for each element. A launch begins with zeros there.
    Claims {
        /// Binding number.
        binding: u32,
    },
    /// `&[&[T]]` or `&mut [&mut [T]]`: a storage buffer in descriptor set 0 with a [`ListRow`] for each of the buffers, and one without
    /// elements behind them.
    List {
        /// Binding number.
        binding: u32,
        /// True for `&mut [&mut [T]]`.
        writable: bool,
        /// `size_of::<T>()`, the distance between elements in bytes.
        stride: u32,
        /// The alignment of the first element of each buffer in bytes: `align_of::<T>()`.
        align: u32,
    },
    /// `&Image2D<F>` and its like: an image in descriptor set 0.
    Image {
        /// Binding number.
        binding: u32,
        /// The access of the kernel to the image.
        access: ImageAccess,
        /// How texels lie in memory.
        format: ImageFormat,
        /// 1, 2 or 3.
        dimensions: u8,
    },
    /// `&[&Image2D<F>]`, `&mut [&mut Image2D<F>]` and their like: an array of images in descriptor set 0, as many as the launch has.
    Images {
        /// Binding number.
        binding: u32,
        /// The access of the kernel to the images.
        access: ImageAccess,
        /// How texels lie in memory.
        format: ImageFormat,
        /// 1, 2 or 3.
        dimensions: u8,
    },
    /// A value in the push-constant block. A `bool` travels as a `u32` of 0 or 1.
    Value {
        /// Offset in bytes in the push-constant block.
        offset: u32,
        /// Size in bytes (4 for `bool`).
        size: u32,
    },
}

impl ParamKind {
    /// The alignment of a buffer's elements, or of those of each buffer of a list, in bytes; 1 for a parameter without
    /// elements.
    pub const fn align(self) -> u32 {
        match self {
            Self::Buffer { align, .. } | Self::Texels { align, .. } | Self::List { align, .. } => align,
            Self::Distinct { .. } | Self::Offsets { .. } | Self::Claims { .. } => 4,
            Self::Image { .. } | Self::Images { .. } | Self::Value { .. } => 1,
        }
    }
}

/// One of the buffers of a list, as a kernel finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct ListRow {
    /// The device address of the buffer's elements. A buffer without elements has the address of memory for one.
    pub address: u64,
    /// How many there are.
    pub len: u32,
    /// The index of the last; zero without elements.
    pub last: u32,
}

impl ListRow {
    /// Bytes of a row.
    pub const BYTES: u32 = size_of::<Self>() as u32;
}

/// A word of the push-constant block that the runtime fills in for each launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchWord {
    /// Offset in bytes in the push-constant block.
    pub offset: u32,
    /// The meaning of the word.
    pub kind: LaunchWordKind,
}

impl LaunchWord {
    /// Invocations along an axis.
    pub const fn items(offset: u32, axis: u8) -> Self {
        Self { offset, kind: LaunchWordKind::Items(axis) }
    }

    /// Workgroups along an axis.
    pub const fn groups(offset: u32, axis: u8) -> Self {
        Self { offset, kind: LaunchWordKind::Groups(axis) }
    }

    /// The first workgroup along x.
    pub const fn first_group(offset: u32) -> Self {
        Self { offset, kind: LaunchWordKind::FirstGroup }
    }

    /// Elements of a buffer parameter.
    pub const fn len(offset: u32, param: u32) -> Self {
        Self { offset, kind: LaunchWordKind::Len(param) }
    }
}

/// The kind of a launch word, which is a `u32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaunchWordKind {
    /// Invocations asked for along axis 0, 1 or 2: those beyond are masked by the kernel.
    Items(u8),
    /// Workgroups of the whole grid along axis 0, 1 or 2.
    Groups(u8),
    /// Index along x of the first workgroup of this `vkCmdDispatch`: a grid wider than the device's limit takes several.
    FirstGroup,
    /// Elements in the buffer parameter with this position in `params`, or buffers in the list.
    Len(u32),
}

/// The beginning of the trap record as it lies in the trap buffer; the operands of the claiming trap follow, as many words
/// as [`KernelDescriptor::trap_words`] leaves room for.
///
/// The first invocation that traps claims the record; all count themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct TrapRecord {
    /// Zero, or 1 + the position of the site in `KernelDescriptor::sites`.
    pub claimed: u32,
    /// How many times any site trapped in the launch.
    pub count: u32,
    /// Global id of the claiming invocation.
    pub invocation: [u32; 3],
}

impl TrapRecord {
    /// Words of the record before the operands.
    pub const HEADER_WORDS: u32 = 5;
    /// Words of the smallest record.
    pub const LEAST_WORDS: u32 = 8;
}

/// The beginning of a print buffer; records follow, one after the other: 1 + the position of the site in
/// [`KernelDescriptor::sites`], the invocation's global id, the words of the arguments. A zero ends them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct PrintHeader {
    /// Words that records asked for; may exceed the capacity.
    pub used: u32,
    /// Records that found no room.
    pub dropped: u32,
    /// Words there are for records.
    pub capacity: u32,
    /// Unused.
    pub reserved: u32,
}

impl PrintHeader {
    /// Words of the header.
    pub const WORDS: u32 = 4;
    /// Words of a record before the arguments.
    pub const RECORD_WORDS: u32 = 4;
}

/// The most words that the arguments of one panic or print may take.
pub const MAX_SITE_WORDS: usize = 128;
