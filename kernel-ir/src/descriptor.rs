//! What the compiler hands to the runtime: one constant per kernel. It must not use anything else of this crate.

mod image;
pub(crate) mod matrix;
pub(crate) mod obligations;
mod packed;
mod sampling;
mod texel;

use std::fmt;

pub use image::{Encoding, ImageAccess, ImageFormat, TexelKind};
pub use matrix::{MatrixElement, MatrixProduct, MatrixType, MatrixUse};
pub use obligations::{BoundOp, LaunchNumbers, Obligations};
pub use packed::{Spirv, pack};
pub use sampling::{Edge, Filter, SampledExtent, Sampler};

/// Everything the runtime needs to launch one compiled kernel; the macro emits it as a `static`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelDescriptor {
    /// The function's name as written, for errors and debug labels.
    pub name: &'static str,
    /// Where the function was written.
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
    /// What the host checks before each launch. Where all of it holds, the specialization constant [`IS_PROVEN`] tells the
    /// module so.
    pub obligations: Obligations,
    /// Whether a trap is possible even if the obligations hold.
    pub traps_anyway: bool,
    /// Whether the module has the specialization constant [`HAS_FMA`].
    pub asks_for_fma: bool,
    /// Binding (set 0) of the print buffer, when the kernel has a site that prints.
    pub print_binding: Option<u32>,
    /// The sites that can trap or print; a record names one by its position here.
    pub sites: &'static [Site],
    /// Device features the module needs beyond the Vulkan 1.2 baseline, each with its reason.
    pub features: &'static [FeatureUse],
    /// What the invocations of the kernel do together.
    pub parallel: Parallel,
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
            asks_for_fma: false,
            print_binding: None,
            sites: &[],
            features: &[],
            parallel: Parallel::NONE,
            shared_arrays: &[],
            batch: None,
            ir: None,
        }
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
    /// What must hold for the launch besides the kernel's own obligations; and it has one item along y and z.
    pub obligations: Obligations,
}

impl Batch {
    /// A batch from its parts.
    pub const fn new(entry_point: &'static str, items: u32, obligations: &'static [u8]) -> Self {
        Self { entry_point, items, obligations: Obligations(obligations) }
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

/// A const parameter of a kernel function: a value that is chosen for each launch, and known to the driver when it compiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstParam {
    /// The parameter's name as written.
    pub name: &'static str,
    /// Its type.
    pub ty: ConstType,
    /// The bits of its value in the module as it is, which each launch replaces.
    pub default: u64,
    /// Whether a workgroup or an array is so large: then it is a `u32` and not zero.
    pub is_size: bool,
}

/// The type of a const parameter. `usize` is `U32`, `isize` is `I32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are Rust's types")]
pub enum ConstType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl ConstType {
    /// The variant's name, as generated code writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "Bool",
            Self::I8 => "I8",
            Self::I16 => "I16",
            Self::I32 => "I32",
            Self::I64 => "I64",
            Self::U8 => "U8",
            Self::U16 => "U16",
            Self::U32 => "U32",
            Self::U64 => "U64",
        }
    }

    /// Bytes of the specialization constant; a `bool` has 4.
    pub const fn size(self) -> u32 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::Bool | Self::I32 | Self::U32 => 4,
            Self::I64 | Self::U64 => 8,
        }
    }
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

/// Id of the specialization constant that tells a module whether its obligations hold, a `bool`; those of const parameters
/// count from zero.
pub const IS_PROVEN: u32 = 0xffff;

/// Id of the specialization constant that tells a module whether the device's fused multiplication and addition of `f32` rounds
/// once, a `bool`; where it does not, the module computes it from other operations.
pub const HAS_FMA: u32 = 0xfffe;

/// What the invocations of a kernel do together, and what a launch must therefore see to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parallel {
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// Whether every workgroup must be full: invocations wait for each other, so none is masked, and the number of items is
    /// a multiple of the workgroup's size along each axis.
    pub full_workgroups: bool,
    /// The subgroup operations the module uses; the device must have them in compute shaders.
    pub subgroup_operations: SubgroupOperations,
    /// The lanes a subgroup must have, when the kernel demands a number.
    pub subgroup_size: Option<u32>,
    /// A variant of the module for devices that add to floats in memory themselves.
    pub native: Option<NativeModule>,
}

/// A variant of a kernel's module with the same interface, in which the device itself adds to atomic floats instead of
/// exchanging them in a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeModule {
    /// The SPIR-V module, as [`KernelDescriptor::spirv`].
    pub spirv: Spirv,
    /// What the device must be able to do.
    pub needs: FloatAtomics,
}

/// A set of kinds of atomic floats that a device adds to by one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FloatAtomics(pub u32);

impl FloatAtomics {
    /// `f32` in buffers: `shaderBufferFloat32Atomics` and `shaderBufferFloat32AtomicAdd`.
    pub const BUFFER_F32: Self = Self(1);
    /// `f32` in shared memory: `shaderSharedFloat32Atomics` and `shaderSharedFloat32AtomicAdd`.
    pub const SHARED_F32: Self = Self(2);
    /// `f64` in buffers: `shaderBufferFloat64Atomics` and `shaderBufferFloat64AtomicAdd`.
    pub const BUFFER_F64: Self = Self(4);
    /// `f64` in shared memory: `shaderSharedFloat64Atomics` and `shaderSharedFloat64AtomicAdd`.
    pub const SHARED_F64: Self = Self(8);

    /// Whether the set holds all of `other`.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What this set has beyond `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Parallel {
    /// Of a kernel whose invocations do not know of each other.
    pub const NONE: Self = Self {
        shared_bytes: 0,
        full_workgroups: false,
        subgroup_operations: SubgroupOperations(0),
        subgroup_size: None,
        native: None,
    };
}

/// A set of groups of subgroup operations, with the bits that Vulkan gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SubgroupOperations(pub u32);

impl SubgroupOperations {
    /// Ids and sizes, barriers, `elect`.
    pub const BASIC: Self = Self(1);
    /// `any`, `all`, `all_equal`.
    pub const VOTE: Self = Self(2);
    /// Reductions and scans.
    pub const ARITHMETIC: Self = Self(4);
    /// Ballots and broadcasts.
    pub const BALLOT: Self = Self(8);
    /// `shuffle`, `shuffle_xor`.
    pub const SHUFFLE: Self = Self(16);
    /// `shuffle_up`, `shuffle_down`.
    pub const SHUFFLE_RELATIVE: Self = Self(32);
    /// Reductions of clusters.
    pub const CLUSTERED: Self = Self(64);
    /// Operations of quads.
    pub const QUAD: Self = Self(128);

    /// The groups with their names, in the order of their bits.
    pub const NAMES: [(Self, &'static str); 8] = [
        (Self::BASIC, "basic"),
        (Self::VOTE, "vote"),
        (Self::ARITHMETIC, "arithmetic"),
        (Self::BALLOT, "ballot"),
        (Self::SHUFFLE, "shuffle"),
        (Self::SHUFFLE_RELATIVE, "shuffle_relative"),
        (Self::CLUSTERED, "clustered"),
        (Self::QUAD, "quad"),
    ];

    /// Whether the set holds all of `other`.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What this set has beyond `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl core::ops::BitOrAssign for SubgroupOperations {
    fn bitor_assign(&mut self, other: Self) {
        *self = self.union(other);
    }
}

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
    pub const fn buffer(name: &'static str, binding: u32, writable: bool, stride: u32) -> Self {
        Self { name, kind: ParamKind::Buffer { binding, writable, stride } }
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
    },
    /// `&Image2D<F>` and its like: an image in descriptor set 0.
    Image {
        /// Binding number.
        binding: u32,
        /// What the kernel does with it.
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

/// A word of the push-constant block that the runtime fills in for each launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchWord {
    /// Offset in bytes in the push-constant block.
    pub offset: u32,
    /// What the word holds.
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

/// What a launch word holds, as a `u32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaunchWordKind {
    /// Invocations asked for along axis 0, 1 or 2: those beyond are masked by the kernel.
    Items(u8),
    /// Workgroups of the whole grid along axis 0, 1 or 2.
    Groups(u8),
    /// Index along x of the first workgroup of this `vkCmdDispatch`: a grid wider than the device's limit takes several.
    FirstGroup,
    /// Elements in the buffer parameter with this position in `params`.
    Len(u32),
}

/// A place in a kernel that can trap or print.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    /// What goes wrong there.
    pub kind: SiteKind,
    /// Where the user wrote it.
    pub location: Location,
    /// The source text of the expression, for the message (`y[i + 1]`).
    pub text: &'static str,
    /// The text that panics and prints are recorded for.
    pub message: Option<Message>,
}

/// The text of a panic or print: how many words its arguments take in a record, and how they become text.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    /// Words of the arguments, in order.
    pub words: u32,
    /// Writes the text of arguments with these words.
    pub write: fn(&mut dyn fmt::Write, &[u32]) -> fmt::Result,
}

impl PartialEq for Site {
    /// Sites are equal when they stand at the same place; what is written there is the same then.
    fn eq(&self, other: &Self) -> bool {
        (self.kind, self.location, self.text) == (other.kind, other.location, other.text)
    }
}

impl Eq for Site {}

impl Site {
    /// A site from its parts, which are the same in all generated code.
    pub const fn new(kind: SiteKind, file: &'static str, line: u32, column: u32, text: &'static str) -> Self {
        Self { kind, location: Location { file, line, column }, text, message: None }
    }

    /// The site of an index.
    pub const fn index(file: &'static str, line: u32, column: u32, text: &'static str) -> Self {
        Self::new(SiteKind::IndexOutOfBounds, file, line, column, text)
    }
}

/// What goes wrong at a trap site, and what the record's two operands mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// An index past the end; operands: index, length.
    IndexOutOfBounds,
    /// `/` with a zero divisor.
    DivideByZero,
    /// `%` with a zero divisor.
    RemainderByZero,
    /// `i32::MIN / -1`.
    DivideOverflow,
    /// `i32::MIN % -1`.
    RemainderOverflow,
    /// `clamp` with `min > max` or a NaN bound.
    ClampBounds,
    /// `panic!`, a failed `assert!` and their like; operands: the words of the message's arguments.
    Panic,
    /// `println!` and `print!`; operands: the words of the arguments.
    Print,
    /// `eprintln!`, `eprint!` and `dbg!`; operands: the words of the arguments.
    PrintError,
}

impl SiteKind {
    /// The variant's name, as generated code writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IndexOutOfBounds => "IndexOutOfBounds",
            Self::DivideByZero => "DivideByZero",
            Self::RemainderByZero => "RemainderByZero",
            Self::DivideOverflow => "DivideOverflow",
            Self::RemainderOverflow => "RemainderOverflow",
            Self::ClampBounds => "ClampBounds",
            Self::Panic => "Panic",
            Self::Print => "Print",
            Self::PrintError => "PrintError",
        }
    }
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

/// A device feature that a module needs, and where in the source the need arises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureUse {
    /// The feature.
    pub feature: Feature,
    /// The first place that needs it.
    pub location: Location,
}

/// Device features beyond the baseline that a kernel may need.
///
/// The baseline every Vulkan device must have for gridwise: Vulkan 1.2, the Vulkan memory model and scalar block layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// `shaderFloat64`.
    Float64,
    /// `shaderInt64`.
    Int64,
    /// `shaderInt16`.
    Int16,
    /// `shaderInt8`.
    Int8,
    /// `shaderFloat16`.
    Float16,
    /// `storageBuffer8BitAccess`.
    Storage8,
    /// `storageBuffer16BitAccess`.
    Storage16,
    /// `storagePushConstant8`.
    PushConstant8,
    /// `storagePushConstant16`.
    PushConstant16,
    /// `shaderBufferInt64Atomics`.
    BufferInt64Atomics,
    /// `shaderSharedInt64Atomics`.
    SharedInt64Atomics,
    /// `shaderSubgroupExtendedTypes`.
    SubgroupExtendedTypes,
    /// `shaderStorageImageExtendedFormats`.
    ExtendedImageFormats,
    /// `cooperativeMatrix`, with matrices of this type.
    CooperativeMatrix(MatrixType),
    /// `cooperativeMatrix`, with this product.
    CooperativeProduct(MatrixProduct),
    /// `shaderBFloat16CooperativeMatrix`.
    CooperativeBfloat16,
}

impl Feature {
    /// The variant's name, as generated code writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Float64 => "Float64",
            Self::Int64 => "Int64",
            Self::Int16 => "Int16",
            Self::Int8 => "Int8",
            Self::Float16 => "Float16",
            Self::Storage8 => "Storage8",
            Self::Storage16 => "Storage16",
            Self::PushConstant8 => "PushConstant8",
            Self::PushConstant16 => "PushConstant16",
            Self::BufferInt64Atomics => "BufferInt64Atomics",
            Self::SharedInt64Atomics => "SharedInt64Atomics",
            Self::SubgroupExtendedTypes => "SubgroupExtendedTypes",
            Self::ExtendedImageFormats => "ExtendedImageFormats",
            Self::CooperativeMatrix(_) => "CooperativeMatrix",
            Self::CooperativeProduct(_) => "CooperativeProduct",
            Self::CooperativeBfloat16 => "CooperativeBfloat16",
        }
    }

    /// Vulkan's name of the feature.
    pub const fn vulkan_name(self) -> &'static str {
        match self {
            Self::Float64 => "shaderFloat64",
            Self::Int64 => "shaderInt64",
            Self::Int16 => "shaderInt16",
            Self::Int8 => "shaderInt8",
            Self::Float16 => "shaderFloat16",
            Self::Storage8 => "storageBuffer8BitAccess",
            Self::Storage16 => "storageBuffer16BitAccess",
            Self::PushConstant8 => "storagePushConstant8",
            Self::PushConstant16 => "storagePushConstant16",
            Self::BufferInt64Atomics => "shaderBufferInt64Atomics",
            Self::SharedInt64Atomics => "shaderSharedInt64Atomics",
            Self::SubgroupExtendedTypes => "shaderSubgroupExtendedTypes",
            Self::ExtendedImageFormats => "shaderStorageImageExtendedFormats",
            Self::CooperativeMatrix(_) | Self::CooperativeProduct(_) => "cooperativeMatrix",
            Self::CooperativeBfloat16 => "shaderBFloat16CooperativeMatrix",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.vulkan_name())?;
        match self {
            Self::CooperativeMatrix(ty) => write!(f, " with {ty}"),
            Self::CooperativeProduct(product) => write!(f, " with {product}"),
            _ => Ok(()),
        }
    }
}
