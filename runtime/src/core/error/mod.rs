//! Every error of the runtime. Each names the operation, the object, the cause and the remedy.

mod debug;
mod launch;
mod recording;
mod result;
mod tensor_name;
mod vulkan;
mod worker_end;

use gridwise_ir::descriptor::{Feature, ImageFormat};
pub use launch::{GridBeyondTensor, ImageUse, MayRace, NotDistinct, NotOffsets};
pub use recording::{RecordingError, SwapFault};
pub use result::{KernelName, Result};
pub use tensor_name::TensorName;
pub use worker_end::WorkerEnd;

#[doc = include_str!("error.md")]
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // Devices: their choice, and their loss.
    /// No device matches the request.
    #[error("no device matches `{requested}`; available: {available}; choose one of these, or `host`")]
    NoDevice {
        /// The request.
        requested: String,
        /// The existing devices.
        available: String,
    },
    /// The chosen device lacks a feature that every kernel needs.
    #[error("device `{name}` cannot run gridwise kernels: it lacks {missing}; choose another device, or `host`")]
    DeviceNotSuitable {
        /// The device.
        name: String,
        /// The missing feature.
        missing: String,
    },
    /// The validation layer was asked for but is not installed.
    #[error(
        "the Khronos validation layer was asked for and is not installed; install it, or do not ask for validation"
    )]
    ValidationUnavailable,
    /// The sanitizer was requested but is not built into this program.
    #[error("the sanitizer is not part of this program; enable the feature `sanitizer` of gridwise")]
    NoSanitizer,
    /// An environment variable has a value that gridwise does not accept.
    #[error("the environment variable `{variable}` is `{value}`, which is not {expected}; correct or unset it")]
    BadEnvironment {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// The valid values.
        expected: &'static str,
    },
    /// The host device cannot have subgroups of the requested size.
    #[error("the host device cannot have subgroups of {size}; use a power of two from 1 to 128")]
    BadSubgroupSize {
        /// The requested size.
        size: u32,
    },
    /// The operation needs a Vulkan device, and the manager has the host device.
    #[error("{operation} needs a Vulkan device, and the manager has the host device; choose another device")]
    OnHostDevice {
        /// The operation.
        operation: &'static str,
    },
    /// Memory is exhausted.
    #[error("out of memory: {}`{object}` ({cause}); drop tensors, or use smaller ones", result::amount(*.bytes))]
    OutOfMemory {
        /// The object that the memory was for.
        object: String,
        /// The requested bytes; zero if the driver's call does not say.
        bytes: u64,
        /// The allocator's message.
        cause: String,
    },
    /// The device is gone; every later call on it fails in the same way.
    #[error(
        "{operation}: the device is lost; call `Manager::recover`, or create a new manager and tensors from data of your own"
    )]
    DeviceLost {
        /// The operation.
        operation: &'static str,
    },
    /// The device made no progress for as long as [`ManagerDesc::hang_timeout`](crate::ManagerDesc::hang_timeout) says.
    /// Every later call on it fails in the same way, and memory that it may still use is never freed.
    #[error(
        "{operation}: the device completed nothing for {waited:?}; call `Manager::recover`, or set a longer `hang_timeout`"
    )]
    DeviceHung {
        /// The operation.
        operation: &'static str,
        /// The time that was waited.
        waited: std::time::Duration,
    },
    /// The manager's device cannot be made anew.
    #[error("cannot recover the manager: {why}")]
    CannotRecover {
        /// The reason, and the remedy.
        why: &'static str,
    },
    /// A Vulkan call failed.
    #[error("{operation} failed with {result:?}; check the driver, or set GRIDWISE_DEVICE=host")]
    Vulkan {
        /// The call.
        operation: &'static str,
        /// The returned result.
        result: ash::vk::Result,
    },
    // Queues.
    /// The device has fewer queues of a family than are asked for.
    #[error(
        "family {family} has {available} queues that gridwise can use, not {asked}; see `DeviceInfo::queue_families`, or ask for `QueueChoice::AtLeast`"
    )]
    QueueUnavailable {
        /// The family's position.
        family: u32,
        /// Queues asked for.
        asked: u32,
        /// Queues it has.
        available: u32,
    },
    /// More queues are asked for than one manager can have.
    #[error("a manager has at most {limit} queues, not {asked} or more; ask for fewer")]
    TooManyQueues {
        /// Queues asked for.
        asked: usize,
        /// Queues there can be.
        limit: usize,
    },
    /// A sequence was asked for on a queue that the manager does not have.
    #[error(
        "there is no queue {queue}: the manager has {available}, counted from 0; ask for more by `ManagerDesc::queues`"
    )]
    NoQueue {
        /// The queue's number, from 0.
        queue: usize,
        /// The number of queues.
        available: usize,
    },
    /// Queues of this family cannot do what one was asked for.
    #[error("queue {queue} cannot do {operation}; take a queue of another family, or the first")]
    QueueCannot {
        /// The queue's number, from 0.
        queue: usize,
        /// The operation that was asked for.
        operation: String,
    },
    /// The device's compute queue has no timestamps.
    #[error("the device has no timestamps on its compute queue; use `eval`, and measure on the host")]
    NoTimestamps,
    // Tensors.
    /// A tensor or an image of one manager was used with another.
    #[error("{operation}: {tensor} belongs to another manager; create it with the manager that uses it, or copy it")]
    ForeignTensor {
        /// The operation.
        operation: String,
        /// The tensor's or image's name.
        tensor: TensorName,
    },
    /// Two lengths that must be equal are not.
    #[error("{operation} {tensor}: expected {expected} elements, found {found}; the lengths have to be equal")]
    LengthMismatch {
        /// The operation.
        operation: &'static str,
        /// The tensor's name.
        tensor: TensorName,
        /// Elements the tensor has.
        expected: usize,
        /// Elements given.
        found: usize,
    },
    /// A copy or a part reaches past the end of a tensor, or a part ends before it begins.
    #[error("{operation}: bytes {offset}..{end} of tensor {tensor}, which has {size} bytes; choose a range within it", end = offset.saturating_add(*bytes))]
    OutOfRange {
        /// The operation.
        operation: &'static str,
        /// The tensor's name.
        tensor: TensorName,
        /// First byte.
        offset: u64,
        /// Bytes from there.
        bytes: u64,
        /// Bytes of the tensor.
        size: u64,
    },
    /// A tensor is larger than kernels can bind or index.
    #[error("tensor {tensor}: {asked} {unit}, the limit is {limit}; split it")]
    BufferTooLarge {
        /// The tensor's name.
        tensor: TensorName,
        /// Its size.
        asked: u64,
        /// The limit.
        limit: u64,
        /// The unit: bytes, elements or texels.
        unit: &'static str,
    },
    /// A part of a tensor, or a tensor in an existing buffer, is not aligned for kernels or for its elements.
    #[error(
        "tensor {tensor} begins at byte {offset} of its buffer, which is not a multiple of the alignment {alignment}; choose an aligned \
         start, or copy it to a tensor of its own"
    )]
    Misaligned {
        /// The tensor's name.
        tensor: TensorName,
        /// The first byte.
        offset: u64,
        /// [`Limits::part_alignment`](crate::Limits::part_alignment), [`Limits::texel_alignment`](crate::Limits::texel_alignment), or what
        /// the element type needs, if that is more.
        alignment: u64,
    },
    /// The device cannot share memory, or not this memory.
    #[error("device `{device}` cannot share this memory: {why}; copy the data instead")]
    CannotShare {
        /// The device.
        device: String,
        /// The missing property.
        why: &'static str,
    },
    /// A tensor cannot be shared, because its memory is not shareable or it is a part of a tensor.
    #[error(
        "tensor `{tensor}` cannot be shared: it was not made by `shareable_tensor`, or is a part of one; make it by `shareable_tensor`, \
         and share all of it"
    )]
    NotShareable {
        /// The tensor's name.
        tensor: String,
    },
    /// A tensor cannot be mapped, because its memory is not host-visible.
    #[error(
        "tensor `{tensor}` cannot be mapped: the host does not reach its memory; make it by `tensor_in` with `MemoryKind::Upload` or `Readback`"
    )]
    NotMappable {
        /// The tensor's name.
        tensor: String,
    },
    /// An evaluation, or the host, uses a tensor while the program holds a view of its elements, or from the closure of
    /// [`Tensor::view`](crate::Tensor::view).
    #[error("tensor {tensor} is used while a view of its elements is held; drop the view first")]
    TensorMapped {
        /// The tensor's name.
        tensor: TensorName,
    },
    /// The contents of a tensor were lost with its device.
    #[error(
        "tensor {tensor}: its contents were on the lost device only; write it again, or set `ManagerDesc::keeps_contents` and read what must not be lost"
    )]
    ContentsLost {
        /// The tensor's name.
        tensor: TensorName,
    },
    // Images.
    /// The device has no images of this format, or not for this use.
    #[error("image {image}: `{device}` has no images of format {format} {usage}; choose another format")]
    ImageUnsupported {
        /// The image's name.
        image: TensorName,
        /// Its format.
        format: ImageFormat,
        /// The intended use of the image.
        usage: ImageUse,
        /// The device.
        device: String,
    },
    /// An image with a side of length zero, or larger than the device has.
    #[error("image `{image}` of {extent:?} texels: each side is at least 1, and at most {limit:?}")]
    ImageExtent {
        /// The image's name.
        image: String,
        /// The requested extent.
        extent: [u32; 3],
        /// The largest extent.
        limit: [u32; 3],
    },
    /// An image has no such level, or cannot have so many.
    #[error("image `{image}`: there is no level {level}; it has {levels}")]
    ImageLevel {
        /// The image's name.
        image: String,
        /// The level asked for, from 0.
        level: u32,
        /// The number of levels that there are, or can be.
        levels: u32,
    },
    /// Two images differ where they must not.
    #[error("{operation}: `{from}` has {expected}, `{to}` has {found}; they must be the same")]
    ImageMismatch {
        /// The operation.
        operation: &'static str,
        /// One image.
        from: String,
        /// The other.
        to: String,
        /// The value that the one has.
        expected: String,
        /// The value that the other has.
        found: String,
    },
    /// An operation copies or fills the bytes of an image, which has no bytes outside of its device.
    #[error("operation `{operation}`: `{image}` is an image, not a tensor; use `OpCopyImage` or `OpClearImage`")]
    NotATensor {
        /// The operation.
        operation: String,
        /// The image's name.
        image: String,
    },
    /// Rows in a tensor are shorter than those of the image.
    #[error("image `{image}`: rows of {row_length} texels, the image has {width}; make them at least as long")]
    RowTooShort {
        /// The image's name.
        image: String,
        /// Texels from row to row of the tensor.
        row_length: u32,
        /// Texels of a row of the image.
        width: u32,
    },
    // Sequences and recordings.
    /// A recording names a tensor that has another length since it was rebuilt, or is gone.
    #[error(
        "cannot evaluate: tensor {tensor} had {recorded} elements when it was recorded and {} since it was rebuilt; record the sequence again",
        .now.map_or("was dropped".to_owned(), |now| format!("has {now}"))
    )]
    TensorRebuilt {
        /// The tensor.
        tensor: TensorName,
        /// Its elements when it was recorded.
        recorded: usize,
        /// Its elements now; `None` when it was dropped.
        now: Option<usize>,
    },
    /// The sequence still runs.
    #[error(
        "cannot {operation}: the sequence is still running; wait for its evaluation first, and not in a call or hook of its own"
    )]
    SequenceInFlight {
        /// The operation.
        operation: &'static str,
    },
    /// The device did not finish in time; it goes on, and everything it uses stays alive.
    #[error("{operation}: not finished after {waited:?}; wait again, nothing is lost")]
    Timeout {
        /// The operation.
        operation: &'static str,
        /// The time that was waited.
        waited: std::time::Duration,
    },
    /// An operation accessed a tensor or an image that it had not declared.
    #[error("operation `{operation}` uses {tensor} without declaring it; add it to `Op::accesses`")]
    UndeclaredAccess {
        /// The operation.
        operation: String,
        /// The tensor's or image's name.
        tensor: TensorName,
    },
    /// One tensor or image, or parts of one that overlap, were passed twice, at least once to be written.
    #[error("{operation}: {tensor} is passed twice and written; copy it, or write to another")]
    AliasedTensor {
        /// The operation.
        operation: String,
        /// The tensor's or image's name.
        tensor: TensorName,
    },
    /// An algorithm was recorded in a sequence of another manager.
    #[error("algorithm `{algorithm}` belongs to another manager than the sequence; create it with that manager")]
    ForeignAlgorithm {
        /// The algorithm.
        algorithm: KernelName,
    },
    /// An event of one manager was recorded in a sequence of another.
    #[error("{operation}: the event belongs to another manager; create it with the sequence's manager")]
    ForeignEvent {
        /// The operation.
        operation: String,
    },
    /// A recording that changes between evaluations was misused.
    #[error(transparent)]
    Recording(RecordingError),
    /// A host callback of a sequence failed or panicked.
    #[error("operation `{operation}`: the host call failed ({cause}); the operations after it did not run")]
    HostCallFailed {
        /// The operation.
        operation: String,
        /// The message of the panic.
        cause: String,
    },
    /// A stream without room for data.
    #[error("a stream of {in_flight} chunks of {chunk} elements transfers nothing; both have to be 1 or more")]
    EmptyStream {
        /// Elements of a chunk.
        chunk: usize,
        /// Chunks under way at once.
        in_flight: usize,
    },
    // Arguments and grids of launches.
    /// An argument does not fit the kernel's parameter.
    #[error(
        "kernel `{kernel}`, parameter {param}: expected {expected}, found {found}; pass what is expected, in the order of the parameters"
    )]
    ArgumentMismatch {
        /// The kernel.
        kernel: KernelName,
        /// The parameter, by name or position.
        param: String,
        /// The parameter that the kernel declares.
        expected: String,
        /// The argument that was passed.
        found: String,
    },
    /// A tensor in a list lies where kernels cannot find it by an address: in a buffer of an application, or in memory that managers
    /// share.
    #[error(
        "kernel `{kernel}`: tensor {tensor} has no device address, because its buffer is an application's or shared between managers, and \
         cannot be in a list; copy it to a tensor of this manager"
    )]
    NoAddress {
        /// The kernel.
        kernel: KernelName,
        /// The tensor's name.
        tensor: TensorName,
    },
    /// A const parameter of the kernel has a value that it cannot have.
    #[error("kernel `{kernel}`: the const parameter `{constant}` cannot be {value}: {why}")]
    InvalidConstant {
        /// The kernel.
        kernel: KernelName,
        /// The parameter's name.
        constant: &'static str,
        /// Its value, by its bits.
        value: u64,
        /// The reason.
        why: &'static str,
    },
    /// The grid is larger than the device, or 32-bit ids, can count.
    #[error("kernel `{kernel}`: grid axis {axis} asks for {asked}, the limit is {limit}; split the launch")]
    GridTooLarge {
        /// The kernel.
        kernel: KernelName,
        /// The axis: 0, 1 or 2.
        axis: usize,
        /// The requested number.
        asked: u64,
        /// The limit.
        limit: u64,
    },
    /// `backward` without atomics was launched on a grid with two axes, on an indirect grid, or with lengths whose
    /// product overflows.
    #[error(
        "kernel `{kernel}`: each invocation adds to elements that it has by `global_id().x`; launch `backward` on a line, `Grid::items(n)`, with fewer than 2^32 elements"
    )]
    GradientGrid {
        /// The differentiated kernel.
        kernel: &'static str,
    },
    /// A grid size that is negative.
    #[error("kernel `{kernel}`: grid axis {axis} is {asked}; sizes are zero or more")]
    NegativeGrid {
        /// The kernel.
        kernel: KernelName,
        /// The axis: 0, 1 or 2.
        axis: usize,
        /// The requested number.
        asked: i128,
    },
    /// The grid has partial workgroups, and the kernel's invocations work together.
    #[error(
        "kernel `{kernel}` needs full workgroups, because its invocations work together, and {items} items along axis {axis} are no multiple of {width}; write `Grid::groups`, or round the items up to {rounded}, and guard what lies beyond the data"
    )]
    PartialWorkgroup {
        /// The kernel.
        kernel: KernelName,
        /// The axis: 0, 1 or 2.
        axis: usize,
        /// Items along the axis.
        items: u64,
        /// The workgroup's size along the axis.
        width: u32,
        /// The next multiple.
        rounded: u64,
    },
    /// The indirect grid of a launch exceeds the limits of the device or of 32-bit ids. Nothing of the launch ran.
    #[error(
        "kernel `{kernel}`: its indirect grid is {asked:?} workgroups, the limit is {limit:?}; write smaller counts"
    )]
    IndirectGridTooLarge {
        /// The kernel.
        kernel: KernelName,
        /// The counts in the tensor.
        asked: [u32; 3],
        /// The largest extent.
        limit: [u32; 3],
    },
    /// Tuning has nothing to choose from.
    #[error(
        "no candidates of kernel `{kernel}` to tune; list values of its const parameters, `#[kernel(N = [64, 256])]`"
    )]
    NoCandidates {
        /// The kernel.
        kernel: KernelName,
    },
    /// The tuned choice belongs to another kernel.
    #[error("kernel `{kernel}` cannot be launched with the tuning result of `{of}`; tune `{kernel}` itself")]
    ForeignChoice {
        /// The kernel to launch.
        kernel: KernelName,
        /// The kernel that was tuned.
        of: KernelName,
    },
    // Requirements of kernels.
    /// The kernel needs an optional feature that the device does not have.
    #[error("kernel `{kernel}` needs the device feature `{}`, because of {file}:{line}; `{device}` lacks it; choose another device, or do without it", .feature)]
    MissingFeature {
        /// The kernel.
        kernel: KernelName,
        /// The feature.
        feature: Feature,
        /// File of the first use.
        file: &'static str,
        /// Line of the first use.
        line: u32,
        /// The device.
        device: String,
    },
    /// The kernel's workgroup is larger than the device allows.
    #[error(
        "kernel `{kernel}`: workgroup {asked:?} exceeds the device's limits {limit:?}, {limit_total} in all; use a smaller workgroup"
    )]
    WorkgroupTooLarge {
        /// The kernel.
        kernel: KernelName,
        /// The kernel's workgroup.
        asked: [u32; 3],
        /// `maxComputeWorkGroupSize`.
        limit: [u32; 3],
        /// `maxComputeWorkGroupInvocations`.
        limit_total: u32,
    },
    /// The kernel has more by-value parameters than the device takes.
    #[error("kernel `{kernel}`: {asked} bytes of by-value parameters, the limit is {limit}; put some into a tensor")]
    PushConstantsTooLarge {
        /// The kernel.
        kernel: KernelName,
        /// Bytes the kernel needs.
        asked: u32,
        /// `maxPushConstantsSize`.
        limit: u32,
    },
    /// The kernel has more buffers than the device binds at once.
    #[error("kernel `{kernel}`: {asked} storage buffers, the device binds {limit}; merge some tensors")]
    TooManyBuffers {
        /// The kernel.
        kernel: KernelName,
        /// Buffers of the kernel, with those for traps, prints and watched loops.
        asked: u32,
        /// `maxPerStageDescriptorStorageBuffers`.
        limit: u32,
    },
    /// The kernel has more images than the device binds at once.
    #[error("kernel `{kernel}`: {asked} images, the device binds {limit}; use fewer")]
    TooManyImages {
        /// The kernel.
        kernel: KernelName,
        /// Images of the kernel of one kind: to be loaded and stored, or to be sampled.
        asked: u32,
        /// The limit.
        limit: u32,
    },
    /// The kernel has more shared memory than the device.
    #[error("kernel `{kernel}`: {asked} bytes of shared memory, the limit is {limit}; use smaller tiles")]
    SharedMemoryTooLarge {
        /// The kernel.
        kernel: KernelName,
        /// Bytes the kernel needs.
        asked: u32,
        /// `maxComputeSharedMemorySize`.
        limit: u32,
    },
    /// The kernel has more local variables than the host device has room for.
    #[error(
        "kernel `{kernel}`: {asked} bytes of local variables, the host device has room for {limit}; use smaller arrays"
    )]
    LocalsTooLarge {
        /// The kernel.
        kernel: KernelName,
        /// Bytes of an invocation's local variables, and of the functions' that it calls.
        asked: u64,
        /// Bytes that there may be.
        limit: u64,
    },
    /// The kernel has cooperative matrices, and its workgroups are not made of whole subgroups.
    #[error(
        "kernel `{kernel}` has cooperative matrices and needs whole subgroups: {width} invocations along x are not a multiple of {lanes}, the subgroup size of `{device}`; use a multiple"
    )]
    PartialSubgroups {
        /// The kernel.
        kernel: KernelName,
        /// Invocations of a workgroup along x.
        width: u32,
        /// Invocations of a subgroup.
        lanes: u32,
        /// The device.
        device: String,
    },
    /// The kernel asks for a subgroup size that the device does not have.
    #[error(
        "kernel `{kernel}` asks for subgroups of {asked}; `{device}` has subgroups of {available}; leave `subgroup = {asked}` out and use `subgroup_size()`"
    )]
    SubgroupSizeUnavailable {
        /// The kernel.
        kernel: KernelName,
        /// Invocations per subgroup that the kernel asks for.
        asked: u32,
        /// The device.
        device: String,
        /// The supported value: a number, or a range.
        available: String,
    },
    /// The kernel uses operations of subgroups that the device does not have in compute shaders.
    #[error(
        "kernel `{kernel}` uses subgroup operations ({missing}) that `{device}` lacks; use shared memory instead, or another device"
    )]
    MissingSubgroupOperations {
        /// The kernel.
        kernel: KernelName,
        /// The missing groups of operations.
        missing: String,
        /// The device.
        device: String,
    },
    /// The driver's statistics for a kernel were requested, but the manager or the device does not keep them.
    #[error(
        "the driver's statistics of a kernel are not available: {}",
        if *.supported { "make the manager with `executable_statistics: true`" } else { "the device lacks VK_KHR_pipeline_executable_properties" }
    )]
    NoExecutableStatistics {
        /// Whether the device has statistics.
        supported: bool,
    },
    // Faults of kernels, found when a launch is recorded or while it runs.
    /// The last invocation of a grid would access an element that a tensor does not have.
    #[error(transparent)]
    GridBeyondTensor(Box<GridBeyondTensor>),
    /// Invocations of a launch might race.
    #[error(transparent)]
    MayRace(Box<MayRace>),
    /// Two elements of a tensor are equal.
    #[error(transparent)]
    NotDistinct(Box<NotDistinct>),
    /// An element of a tensor is less than the one before it.
    #[error(transparent)]
    NotOffsets(Box<NotOffsets>),
    /// An invocation of a kernel panicked.
    #[error(
        "kernel `{kernel}` panicked at {file}:{line}:{column}: {message} (in `{text}`, invocation {invocation:?}, {count} in all)"
    )]
    KernelPanic {
        /// The kernel.
        kernel: KernelName,
        /// The message, in Rust's words.
        message: String,
        /// The source text at fault.
        text: &'static str,
        /// File of the source text.
        file: &'static str,
        /// Its line, from 1.
        line: u32,
        /// Its column, from 1.
        column: u32,
        /// Global id of the first invocation that panicked; which one is first may differ from run to run.
        invocation: [u32; 3],
        /// The number of panics in the launch.
        count: u32,
    },
    /// The driver stopped loops of a launch early and continued after them. Everything that the evaluation wrote is
    /// undefined.
    #[error(
        "kernel `{kernel}`: the driver of `{device}` stopped loops, as it does after {rounds} rounds of an invocation; everything that the evaluation wrote is undefined; use fewer rounds in more launches, the host device, or Mesa 26.1 or newer"
    )]
    LoopsStopped {
        /// The kernel.
        kernel: KernelName,
        /// The device.
        device: String,
        /// Loop iterations that the driver lets an invocation run.
        rounds: u32,
    },
    /// Not all invocations of a workgroup reached a barrier at which some of them wait; detected by the host device.
    #[error(
        "kernel `{kernel}`: {waiting} of {invocations} invocations of workgroup {workgroup:?} wait at the barrier at {file}:{line}:{column}, {others}; move the barrier to where all invocations come"
    )]
    DivergentBarrier {
        /// The kernel.
        kernel: KernelName,
        /// File of the barrier.
        file: &'static str,
        /// Its line, from 1.
        line: u32,
        /// Its column, from 1.
        column: u32,
        /// Invocations that wait there.
        waiting: u32,
        /// Invocations of the workgroup.
        invocations: u32,
        /// The state of the others.
        others: String,
        /// The workgroup.
        workgroup: [u32; 3],
    },
    /// The sanitizer found faults of the kernel.
    #[error("kernel `{kernel}`: the sanitizer found {} kinds of faults:\n  {}", faults.len(), faults.join("\n  "))]
    KernelFaults {
        /// The kernel.
        kernel: KernelName,
        /// The faults, each with its kind, invocations, place and number.
        faults: Vec<String>,
    },
    /// The sanitizer has nothing to run: the kernel was compiled without it, or is not the macro's.
    #[error("kernel `{kernel}` carries no intermediate representation; compile its crate with the feature `sanitizer`")]
    NoIntermediate {
        /// The kernel.
        kernel: KernelName,
    },
    // Modules, and the workers that run them.
    /// The compiled module in a descriptor is damaged.
    #[error("kernel `{kernel}`: the compiled module is not valid ({cause}); rebuild the crate that holds it")]
    InvalidModule {
        /// The kernel.
        kernel: KernelName,
        /// The fault.
        cause: &'static str,
    },
    /// The SPIR-V is not valid, or gridwise cannot launch it.
    #[error(
        "module `{module}` is refused: {cause}; compile it again for Vulkan 1.2, with storage buffers and images in set 0 only"
    )]
    ModuleRefused {
        /// The module's name.
        module: String,
        /// The fault, and its word.
        cause: String,
    },
    /// A module needs a feature that the device lacks or gridwise does not enable.
    #[error("module `{module}` needs {needs}, which `{device}` lacks; compile it without, or choose another device")]
    ModuleNeeds {
        /// The module's name.
        module: KernelName,
        /// The feature that it needs.
        needs: String,
        /// The device.
        device: String,
    },
    /// The value of a specialization constant does not fit the module.
    #[error("module `{module}`, specialization constant {number}: expected {expected}, found {found}")]
    ConstantMismatch {
        /// The module's name.
        module: KernelName,
        /// The constant's number.
        number: u32,
        /// The declaration in the module.
        expected: String,
        /// The argument that was given.
        found: String,
    },
    /// Foreign SPIR-V cannot run on the host device, which runs kernels as rustc compiled them.
    #[error("`{kernel}` is foreign SPIR-V, which the host device cannot run; choose a Vulkan device")]
    NeedsVulkan {
        /// The kernel or module.
        kernel: KernelName,
    },
    /// No worker process could be started; there is none on systems other than Unix.
    #[error("no worker could be started: {cause}")]
    NoWorker {
        /// The reason.
        cause: String,
    },
    /// The process that ran a module ended during a call, or had to be ended. The call's outputs have not changed.
    #[error(
        "module `{module}`: the worker {how} while it was {doing} it; correct the module{}, the next call starts a new worker",
        .how.more_time(.doing)
    )]
    WorkerDied {
        /// The module's name.
        module: String,
        /// `loading` or `running`.
        doing: &'static str,
        /// The way in which it ended.
        how: WorkerEnd,
    },
    /// A worker could not load or run a module; it goes on.
    #[error("module `{module}`, in a worker: {cause}")]
    WorkerRefused {
        /// The module's name.
        module: String,
        /// The error that the worker had.
        cause: String,
    },
}
