//! The dimensions of images.

use super::{Format, Image};

/// An image of one, two or three dimensions; there are no others.
///
/// ```
/// use gridwise::image::{Dimension, Image, ImageDesc, Levels, R32Float};
/// use gridwise::{Manager, Result};
///
/// /// An image with as many texels along each axis, of which there may be one, two or three.
/// fn cube<const D: usize>(manager: &Manager, side: u32) -> Result<Image<R32Float, D>>
/// where
///     Image<R32Float, D>: Dimension,
/// {
///     manager.image_with(ImageDesc { name: "cube", extent: [side; D], levels: Levels::One })
/// }
///
/// # fn main() -> Result<()> {
/// assert_eq!(cube::<3>(&Manager::host(), 4)?.to_vec()?.len(), 64);
/// # Ok(())
/// # }
/// ```
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
