//! The names of tensors and images in errors: the name, and the argument of a launch.

use std::fmt;

use super::Error;

/// A tensor or an image in an error: its name, and its place among the arguments where it was one.
///
/// ```
/// use gridwise::TensorName;
///
/// let name = TensorName::from("weights");
/// assert_eq!((name.name(), name.place(), name.to_string().as_str()), ("weights", None, "`weights`"));
/// assert!(name == *"weights");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorName {
    name: Box<str>,
    place: Option<Box<str>>,
}

impl TensorName {
    /// The name that the tensor or the image was given, or what those without one are called.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # use gridwise::{Error, Manager};
    /// let refused = Manager::host().tensor_of_len::<f32>(usize::MAX);
    /// assert!(matches!(refused, Err(Error::BufferTooLarge { tensor, .. }) if tensor.name() == "tensor"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The argument's position and parameter with its kernel, or its binding with its module; `None` if the tensor was
    /// not an argument.
    ///
    /// ```standalone_crate
    /// # #[path = "../../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, Grid, Manager};
    /// # use kernels::Saxpy;
    ///
    /// let (manager, other) = (Manager::host(), Manager::host());
    /// let (x, mut y) = (other.tensor(&[1.0f32])?, manager.tensor(&[2.0f32])?);
    /// let sequence = manager.sequence()?;
    /// let refused = Saxpy::dispatch(&sequence, Grid::items(1), 2.0, &x, &mut y);
    /// let Err(Error::ForeignTensor { tensor, .. }) = refused else { panic!("another manager's") };
    /// assert_eq!(tensor.place(), Some("argument 2, `x`, of kernel `saxpy`"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// The same name with a place, for errors of operations of one's own.
    ///
    /// ```
    /// use gridwise_runtime::TensorName;
    ///
    /// let name = TensorName::from("tensor").at("argument 2, `weights`");
    /// assert_eq!(name.to_string(), "`tensor` (argument 2, `weights`)");
    /// ```
    #[must_use]
    pub fn at(self, place: impl Into<String>) -> Self {
        Self { place: Some(place.into().into()), ..self }
    }
}

impl Error {
    /// The same error of a tensor or an image that is an argument: names its place.
    pub(crate) fn of_argument(mut self, place: impl FnOnce() -> String) -> Self {
        if let Self::ForeignTensor { tensor: name, .. }
        | Self::BufferTooLarge { tensor: name, .. }
        | Self::Misaligned { tensor: name, .. }
        | Self::UndeclaredAccess { tensor: name, .. }
        | Self::AliasedTensor { tensor: name, .. }
        | Self::NoAddress { tensor: name, .. }
        | Self::LengthMismatch { tensor: name, .. }
        | Self::OutOfRange { tensor: name, .. }
        | Self::TensorMapped { tensor: name }
        | Self::ContentsLost { tensor: name }
        | Self::TensorRebuilt { tensor: name, .. }
        | Self::ImageUnsupported { image: name, .. } = &mut self
        {
            name.place = Some(place().into());
        }
        self
    }

    /// The same error where the lengths of two arguments differ, of which it tells that of the second: names its place.
    pub(crate) fn of_target(self, place: impl FnOnce() -> String) -> Self {
        if matches!(self, Self::LengthMismatch { .. }) { self.of_argument(place) } else { self }
    }
}

impl fmt::Display for TensorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            None => write!(f, "`{}`", self.name),
            Some(place) => write!(f, "`{}` ({place})", self.name),
        }
    }
}

impl From<&str> for TensorName {
    fn from(name: &str) -> Self {
        Self { name: name.into(), place: None }
    }
}

impl From<String> for TensorName {
    fn from(name: String) -> Self {
        Self { name: name.into(), place: None }
    }
}

impl PartialEq<str> for TensorName {
    fn eq(&self, name: &str) -> bool {
        *self.name == *name
    }
}

impl PartialEq<&str> for TensorName {
    fn eq(&self, name: &&str) -> bool {
        *self.name == **name
    }
}

impl PartialEq<String> for TensorName {
    fn eq(&self, name: &String) -> bool {
        *self.name == **name
    }
}
