//! The errors of recordings that change: their parameters, their tables, and tensors that change places.

use super::{KernelName, TensorName};

/// The error of a recording that changes between evaluations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// A launch has a parameter of another sequence.
    #[error(
        "kernel `{kernel}`: argument `{argument}` is a parameter of another sequence; make it with `Sequence::parameter` of the sequence that \
         the launch is recorded in"
    )]
    ForeignParameter {
        /// The kernel.
        kernel: KernelName,
        /// The kernel's parameter.
        argument: &'static str,
    },
    /// Something was to write numbers that were checked.
    #[error(
        "{operation}: {tensor} was checked when it was made, and is read-only since; write to the tensor that it is a copy of, and check that again"
    )]
    ReadOnly {
        /// The operation.
        operation: String,
        /// The tensor's name.
        tensor: TensorName,
    },
    /// A call of the host that stays on its thread was to run on another one.
    #[error(
        "operation `{operation}` was recorded to run on the thread that made it, and the evaluation would run it on another one; call `eval` or \
         `eval_profiled` on that thread"
    )]
    OtherThread {
        /// The operation.
        operation: &'static str,
    },
    /// A box of elements reaches beyond its tensor.
    #[error(
        "copying a box: {extent:?} elements from element {first} of `{tensor}` on, in rows {row} and planes {plane} elements apart, reach beyond its \
         {len} elements; make the box smaller"
    )]
    BoxBeyond {
        /// The tensor's name.
        tensor: String,
        /// The box's first element.
        first: usize,
        /// Elements from row to row.
        row: usize,
        /// Elements from plane to plane.
        plane: usize,
        /// Elements along each axis.
        extent: [usize; 3],
        /// Elements of the tensor.
        len: usize,
    },
    /// Rows or planes of a box begin before the ones before them end.
    #[error(
        "copying a box: {extent:?} elements of `{tensor}` in rows {row} and planes {plane} elements apart share elements; let rows and planes begin \
         behind the end of those before them"
    )]
    BoxFolded {
        /// The tensor's name.
        tensor: String,
        /// Elements from row to row.
        row: usize,
        /// Elements from plane to plane.
        plane: usize,
        /// Elements along each axis.
        extent: [usize; 3],
    },
    /// A table has no slot of this number.
    #[error("setting slot {slot} of a table: it has {len} slots, counted from 0; make a table with more resources")]
    NoSuchSlot {
        /// The slot.
        slot: usize,
        /// Slots of the table.
        len: usize,
    },
    /// Two tensors or images cannot change places in a recording.
    #[error("`{first}` and `{second}` cannot change places: {fault}")]
    CannotSwap {
        /// The name of the first.
        first: String,
        /// The name of the second.
        second: String,
        /// The reason.
        fault: SwapFault,
    },
}

/// Why two tensors or images cannot change places in a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SwapFault {
    /// One belongs to another manager than the sequence.
    #[error("one belongs to another manager; create both with the manager of the sequence")]
    OtherManager,
    /// One is a part of a tensor, or the same memory under another type.
    #[error("one is a part or a view of another tensor; swap the whole tensors")]
    View,
    /// They have different lengths.
    #[error("they have {first} and {second} elements; rebuild one of them with the length of the other")]
    Lengths {
        /// Elements of the first.
        first: usize,
        /// Elements of the second.
        second: usize,
    },
    /// The images have different extents or levels.
    #[error("they have different extents or levels; create both alike")]
    Extents,
    /// No recorded operation uses either of them.
    #[error("no recorded operation uses either of them; record first, then swap")]
    Unused,
    /// Commands that an application recorded itself name the memory of one of them.
    #[error(
        "an application's own commands name the memory of one of them; record these commands in a sequence of their own"
    )]
    OwnCommands,
}
