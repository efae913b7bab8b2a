//! Two elements that are equal, as the error that says so.

use crate::core::error::TensorName;

/// Two elements of a tensor that are equal where all were to differ: [`Error::NotDistinct`](crate::Error).
///
/// ```
/// use gridwise_runtime::Error;
///
/// /// The positions of two elements that are equal.
/// fn positions(error: &Error) -> Option<[usize; 2]> {
///     match error {
///         Error::NotDistinct(equal) => Some([equal.first, equal.second]),
///         _ => None,
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "checking that the elements of {tensor} differ: {value} is at {first} and at {second}; remove one, or use a kernel that may meet a number \
     twice, with `Atomic` elements"
)]
#[non_exhaustive]
pub struct NotDistinct {
    /// The tensor's name.
    pub tensor: TensorName,
    /// The number that is there twice.
    pub value: u32,
    /// Its first position.
    pub first: usize,
    /// The position where it is again, the first such in the tensor.
    pub second: usize,
}
