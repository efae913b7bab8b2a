//! The runtime's `Result`, and the names of kernels in errors.

use std::borrow::Cow;

use super::Error;

/// `Result` with the runtime's [`Error`].
///
/// ```
/// use gridwise::{Manager, Result};
///
/// fn doubled(manager: &Manager, data: &[f32]) -> Result<Vec<f32>> {
///     let tensor = manager.tensor(data)?;
///     tensor.view(|values| values.iter().map(|value| 2.0 * value).collect())
/// }
///
/// # fn main() -> Result<()> {
/// assert_eq!(doubled(&Manager::host(), &[1.0, 2.0])?, [2.0, 4.0]);
/// # Ok(())
/// # }
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A kernel's name: of a `#[kernel]`, its function's; of a module loaded at run time, the one that it was given.
///
/// ```
/// use gridwise::{Error, KernelName};
///
/// let error = Error::NeedsVulkan { kernel: KernelName::from("blur") };
/// assert!(matches!(&error, Error::NeedsVulkan { kernel } if kernel == "blur"));
/// ```
pub type KernelName = Cow<'static, str>;

/// The beginning of a text about memory, where the bytes are known.
pub(super) fn amount(bytes: u64) -> String {
    if bytes == 0 { String::new() } else { format!("{bytes} bytes for ") }
}
