//! How many dimensions images have.

use super::{Format, Image};

/// An image of one, two or three dimensions; there are no others.
pub trait Dimension: sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

impl<F: Format> sealed::Sealed for Image<F, 1> {}
impl<F: Format> sealed::Sealed for Image<F, 2> {}
impl<F: Format> sealed::Sealed for Image<F, 3> {}
impl<F: Format> Dimension for Image<F, 1> {}
impl<F: Format> Dimension for Image<F, 2> {}
impl<F: Format> Dimension for Image<F, 3> {}
