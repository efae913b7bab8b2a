//! An element that is no offset, as the error that says so.

use crate::core::error::TensorName;

/// An element of a tensor that is less than the one before it where none was to be, or too large: [`Error::NotOffsets`](crate::Error).
///
/// ```
/// use gridwise_runtime::Error;
///
/// /// The position of the element that is less than the one before it.
/// fn position(error: &Error) -> Option<usize> {
///     match error {
///         Error::NotOffsets(found) => Some(found.position),
///         _ => None,
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("checking that the elements of {tensor} never fall: {value} at {position} {}", self.cause())]
#[non_exhaustive]
pub struct NotOffsets {
    /// The tensor's name.
    pub tensor: TensorName,
    /// The position of the first such element.
    pub position: usize,
    /// The element.
    pub value: u32,
    /// The element before it; zero where it is the first.
    pub before: u32,
}

impl NotOffsets {
    fn cause(&self) -> String {
        match self.value < self.before {
            true => format!("is less than {} before it; put the rows in the order of their places", self.before),
            false => format!("is above {}, the largest offset; put the rows into several tensors", i32::MAX),
        }
    }
}
