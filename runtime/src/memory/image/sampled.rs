//! Images with samplers, as launches take them.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use gridwise_ir::descriptor::{Filter, Sampler};

use super::{Format, Image};
use crate::core::error::{Error, ImageUse, Result};
use crate::memory::buffer::Buffer;

/// An image with a sampler, for a kernel's parameter `&Sampled2D<F>` or similar; created by [`Image::sampled`]. It
/// keeps the image alive.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::image::{Filter, Rgba8Unorm, Sampler};
///
/// # let manager = gridwise::Manager::host();
/// let bricks = manager.image_2d::<Rgba8Unorm>(64, 64)?;
/// let smooth = bricks.sampled(Sampler { filter: Filter::Linear, ..Sampler::default() })?;
/// let exact = bricks.sampled(Sampler { filter: Filter::Nearest, ..Sampler::default() })?; // of the same image
/// drop(bricks);
/// assert_ne!(smooth.sampler(), exact.sampler());
/// # Ok(())
/// # }
/// ```
pub struct Sampled<F: Format, const D: usize> {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) sampler: Sampler,
    marker: PhantomData<F>,
}

impl<F: Format, const D: usize> Image<F, D> {
    /// The image with a sampler, to be read by kernels.
    ///
    /// ```
    /// use gridwise::image::{Edge, R32Float, Sampler};
    ///
    /// # fn main() -> gridwise::Result<()> {
    /// let image = gridwise::Manager::host().image_2d::<R32Float>(8, 8)?;
    /// let sampled = image.sampled(Sampler { edge: Edge::Repeat, ..Sampler::default() })?;
    /// assert_eq!(sampled.sampler().edge, Edge::Repeat);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device cannot sample the format, or cannot filter it linearly although the sampler asks for that.
    pub fn sampled(&self, sampler: Sampler) -> Result<Sampled<F, D>> {
        let unsupported = |usage| Error::ImageUnsupported {
            image: self.name().into(),
            format: F::FORMAT,
            usage,
            device: self.buffer.device.info.name.clone(),
        };
        if let Some(vulkan) = self.buffer.vulkan_image() {
            if vulkan.sampled == ash::vk::ImageView::null() {
                return Err(unsupported(ImageUse::Sampled));
            }
            let mixes = sampler.filter == Filter::Linear || sampler.levels == Filter::Linear;
            let is_float = F::FORMAT.kind() == gridwise_ir::descriptor::TexelKind::Float;
            if mixes && is_float && !vulkan.has_linear_filter {
                return Err(unsupported(ImageUse::Filtered));
            }
        }
        // Integers are fetched only, which takes no filter.
        let is_float = F::FORMAT.kind() == gridwise_ir::descriptor::TexelKind::Float;
        let sampler = match is_float {
            true => sampler,
            false => Sampler { filter: Filter::Nearest, levels: Filter::Nearest, edge: sampler.edge },
        };
        Ok(Sampled { buffer: self.buffer.clone(), sampler, marker: PhantomData })
    }
}

impl<F: Format, const D: usize> Sampled<F, D> {
    /// How the image is sampled.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::image::{Filter, R32Uint, Sampler};
    ///
    /// let numbers = gridwise::Manager::host().image_1d::<R32Uint>(8)?;
    /// let sampled = numbers.sampled(Sampler { filter: Filter::Linear, ..Sampler::default() })?;
    /// assert_eq!(sampled.sampler().filter, Filter::Nearest); // integers are not mixed
    /// # Ok(())
    /// # }
    /// ```
    pub fn sampler(&self) -> Sampler {
        self.sampler
    }
}

impl<F: Format, const D: usize> fmt::Debug for Sampled<F, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampled").field("image", &self.buffer.name()).field("sampler", &self.sampler).finish()
    }
}
