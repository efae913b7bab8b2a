//! A grid that reaches beyond a tensor, as the error that says so.

use crate::core::error::{KernelName, TensorName};

/// An access that each invocation of a launch does, and that is out of range in the last one: [`Error::GridBeyondTensor`](crate::Error).
///
/// ```
/// use gridwise_runtime::Error;
///
/// /// How many items fit, where a kernel uses the element of its own item.
/// fn fitting(error: &Error) -> Option<u32> {
///     match error {
///         Error::GridBeyondTensor(beyond) if beyond.index + 1 == beyond.items[0] => Some(beyond.len),
///         _ => None,
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "kernel `{kernel}` over a grid of {items:?} items would panic at {file}:{line}:{column}: `{text}` has the index {index} in the last one, and \
     the length of {tensor} is {len}; launch fewer items, or guard the access with `if`"
)]
#[non_exhaustive]
pub struct GridBeyondTensor {
    /// The kernel.
    pub kernel: KernelName,
    /// The items of the grid along each axis, those of whole workgroups where it counts groups.
    pub items: [u32; 3],
    /// The tensor, and which argument it is.
    pub tensor: TensorName,
    /// The index in the last invocation.
    pub index: u32,
    /// Elements of the tensor.
    pub len: u32,
    /// The source text of the access.
    pub text: &'static str,
    /// File of the source text.
    pub file: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
}
