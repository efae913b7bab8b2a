//! Images: texels on a device, of one format, in one, two or three dimensions. It must not hand out references to their memory.
//!
//! To the schedule and to barriers an image is a buffer: its bytes are those of its texels, level after level, row
//! after row. The host device keeps them in that form. On Vulkan an image has the device's tiling.
//! `kernel-ir/src/descriptor/{image,texel}.rs` define the texels of each format.

mod dimension;
mod format;
mod sampled;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

pub use dimension::Dimension;
pub(crate) use format::texel_words;
pub use format::*;
pub use gridwise_ir::descriptor::{Edge, Filter, Sampler};
pub use sampled::Sampled;

use crate::core::error::{Error, Result};
use crate::core::pages;
use crate::device::Device;
use crate::device::image_layout::ImageLayout;
use crate::memory::buffer::Buffer;
use crate::memory::tensor::TensorRef;

/// Texels of format `F` in `D` dimensions; created by [`Manager::image_2d`](crate::Manager::image_2d) and similar methods.
///
/// ```
/// use gridwise::Manager;
/// use gridwise::image::Rgba8Unorm;
///
/// # fn main() -> gridwise::Result<()> {
/// let manager = Manager::new()?;
/// let mut image = manager.image_2d::<Rgba8Unorm>(2, 1)?;
/// image.write(&[[255, 0, 0, 255], [0, 0, 255, 255]])?;
/// assert_eq!(image.to_vec()?, [[255, 0, 0, 255], [0, 0, 255, 255]]);
/// # Ok(())
/// # }
/// ```
///
/// The host sees texels row after row without gaps, whatever the device's tiling is. Host reads and writes wait for all earlier
/// evaluations that use the image. An image may be dropped at any time.
pub struct Image<F: Format, const D: usize> {
    pub(crate) buffer: Arc<Buffer>,
    marker: PhantomData<F>,
}

/// How to make an image.
///
/// ```
/// use gridwise::image::{ImageDesc, Levels, R32Float};
///
/// # fn main() -> gridwise::Result<()> {
/// let desc = ImageDesc { name: "heights", extent: [64, 32], levels: Levels::All };
/// let image = gridwise::Manager::host().image_with::<R32Float, 2>(desc)?;
/// assert_eq!((image.levels(), image.extent_of(1)?, image.extent_of(6)?), (7, [32, 16], [1, 1]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ImageDesc<'a, const D: usize> {
    /// Its name, in errors and in the driver's tools.
    pub name: &'a str,
    /// Texels along each axis.
    pub extent: [u32; D],
    /// The number of mip levels, each half as large as the one before.
    pub levels: Levels,
}

/// How many levels an image has.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::image::{ImageDesc, Levels, R8Unorm};
///
/// # let manager = gridwise::Manager::host();
/// for (levels, count) in [(Levels::One, 1), (Levels::Count(3), 3), (Levels::All, 6)] {
///     let desc = ImageDesc { name: "levels", extent: [32, 8], levels };
///     assert_eq!(manager.image_with::<R8Unorm, 2>(desc)?.levels(), count);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    /// Only the full-size image.
    One,
    /// This number of levels, the full-size image included.
    Count(u32),
    /// All levels down to a single texel.
    All,
}

impl<F: Format, const D: usize> Image<F, D> {
    pub(crate) fn new(device: &Arc<Device>, desc: ImageDesc<'_, D>) -> Result<Self>
    where
        Self: Dimension,
    {
        let name = desc.name;
        let mut extent = [1; 3];
        extent[..D].copy_from_slice(&desc.extent);
        if extent.contains(&0) {
            let limit = [u32::MAX, if D > 1 { u32::MAX } else { 1 }, if D > 2 { u32::MAX } else { 1 }];
            return Err(Error::ImageExtent { image: name.to_owned(), extent, limit });
        }
        let most = ImageLayout::full_levels(extent);
        let levels = match desc.levels {
            Levels::One => 1,
            Levels::Count(levels) => levels,
            Levels::All => most,
        };
        if levels == 0 || levels > most {
            let level = levels.saturating_sub(1);
            return Err(Error::ImageLevel { image: name.to_owned(), level, levels: most });
        }
        let layout = ImageLayout { format: F::FORMAT, dimensions: D as u32, extent, levels };
        Ok(Self { buffer: Arc::new(Buffer::new_image(device, name, layout)?), marker: PhantomData })
    }

    /// An image like this one of a lost device, on another, with what the host knows of its texels.
    pub(crate) fn restore(&self, device: &Arc<Device>) -> Result<Self> {
        Ok(Self { buffer: Arc::new(self.buffer.restore_image(device)?), marker: PhantomData })
    }

    pub(crate) fn of_buffer(buffer: Arc<Buffer>) -> Self {
        Self { buffer, marker: PhantomData }
    }

    pub(crate) fn layout(&self) -> &ImageLayout {
        self.buffer.image_layout()
    }

    /// The name, as error messages show it.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::image::{ImageDesc, Levels, R8Unorm};
    ///
    /// let desc = ImageDesc { name: "mask", extent: [4], levels: Levels::One };
    /// let image = gridwise::Manager::host().image_with::<R8Unorm, 1>(desc)?;
    /// assert_eq!(image.name(), "mask");
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &str {
        self.buffer.name()
    }

    /// Texels along each axis.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Grid, image::R8Unorm};
    ///
    /// let image = gridwise::Manager::host().image_2d::<R8Unorm>(640, 480)?;
    /// let grid = Grid::items(image.extent()); // an invocation for each texel
    /// assert_eq!(grid, Grid::items([640, 480]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn extent(&self) -> [u32; D] {
        std::array::from_fn(|axis| self.layout().extent[axis])
    }

    /// The number of mip levels, the full-size image included.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let image = gridwise::Manager::host().image_1d::<gridwise::image::R8Unorm>(16)?;
    /// assert_eq!(image.levels(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn levels(&self) -> u32 {
        self.layout().levels
    }

    /// Texels along each axis of a level.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::image::{ImageDesc, Levels, R8Unorm};
    ///
    /// let desc = ImageDesc { name: "mask", extent: [40, 10], levels: Levels::All };
    /// let image = gridwise::Manager::host().image_with::<R8Unorm, 2>(desc)?;
    /// assert_eq!((image.extent_of(1)?, image.extent_of(5)?), ([20, 5], [1, 1]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When there is no such level.
    pub fn extent_of(&self, level: u32) -> Result<[u32; D]> {
        self.check_level(level)?;
        let extent = self.layout().extent_of(level);
        Ok(std::array::from_fn(|axis| extent[axis]))
    }

    pub(crate) fn check_level(&self, level: u32) -> Result<()> {
        let levels = self.levels();
        if level < levels {
            return Ok(());
        }
        Err(Error::ImageLevel { image: self.name().to_owned(), level, levels })
    }

    /// Replaces all texels of the first level, row after row.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::image::Rgba8Unorm;
    ///
    /// let mut image = gridwise::Manager::host().image_2d::<Rgba8Unorm>(2, 2)?;
    /// image.write(&[[255, 0, 0, 255]; 4])?;
    /// assert_eq!(image.to_vec()?[3], [255, 0, 0, 255]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When there are not as many texels as the image has, and when the device fails.
    pub fn write(&mut self, texels: &[F::Raw]) -> Result<()> {
        self.write_level(0, texels)
    }

    /// Replaces all texels of a level.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::image::{ImageDesc, Levels, R32Float};
    ///
    /// let desc = ImageDesc { name: "heights", extent: [4, 2], levels: Levels::All };
    /// let mut image = gridwise::Manager::host().image_with::<R32Float, 2>(desc)?;
    /// image.write_level(1, &[0.5, 1.5])?;
    /// assert_eq!(image.level_to_vec(1)?, [0.5, 1.5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`write`](Self::write), and when there is no such level.
    pub fn write_level(&mut self, level: u32, texels: &[F::Raw]) -> Result<()> {
        self.check_level(level)?;
        self.check_texels("writing image", level, texels.len())?;
        // SAFETY: a slice is valid for reads of its bytes, which are as many as the level's.
        unsafe { self.buffer.write_level(level, texels.as_ptr().cast()) }
    }

    /// Copies all texels of the first level, row after row.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{glam::Vec2, image::Rg32Float, ops::OpClearImage};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut flow = manager.image_2d::<Rg32Float>(3, 1)?;
    /// manager.sequence()?.record(OpClearImage::new(&mut flow, Vec2::new(0.0, -1.0)))?.eval()?;
    /// assert_eq!(flow.to_vec()?, [[0.0, -1.0]; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device fails, or the memory for the vector.
    pub fn to_vec(&self) -> Result<Vec<F::Raw>> {
        self.level_to_vec(0)
    }

    /// Copies all texels of a level.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, image::R32Float};
    ///
    /// let image = gridwise::Manager::host().image_2d::<R32Float>(2, 1)?;
    /// assert_eq!(image.level_to_vec(0)?, [0.0, 0.0]);
    /// assert!(matches!(image.level_to_vec(1), Err(Error::ImageLevel { levels: 1, .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec), and when there is no such level.
    pub fn level_to_vec(&self, level: u32) -> Result<Vec<F::Raw>> {
        self.check_level(level)?;
        // SAFETY: as many texels as the level has, of which any bits are valid.
        self.read_vec(level, |into| unsafe { self.buffer.read_level(level, into) })
    }

    /// Writes texels to the image's host-side copy, row after row; [`OpSyncDevice::image`](crate::ops::OpSyncDevice::image)
    /// uploads it when its sequence runs. Until then the image does not change. The copy has the first level only.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::R32Float, ops::OpSyncDevice};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut heights = manager.image_2d::<R32Float>(2, 1)?;
    /// let upload = manager.sequence()?;
    /// upload.record(OpSyncDevice::image(&heights))?;
    /// for round in [1.0, 2.0] {
    ///     heights.stage(&[round, -round])?;
    ///     upload.eval()?;
    ///     assert_eq!(heights.to_vec()?, [round, -round]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`write`](Self::write), and when there is no memory for the copy, which the first call creates.
    pub fn stage(&mut self, texels: &[F::Raw]) -> Result<()> {
        self.check_texels("staging image", 0, texels.len())?;
        // SAFETY: a slice is valid for reads of its bytes, which are as many as the copy's.
        unsafe { self.buffer.staged()?.write(texels.as_ptr().cast()) }
    }

    /// Copies the host-side copy to a vector, row after row. It has the texels that the last
    /// [`OpSyncHost::image`](crate::ops::OpSyncHost::image) downloaded or that were staged last; zeros at first.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::R32Float, ops::{OpClearImage, OpSyncHost}};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut heights = manager.image_2d::<R32Float>(2, 1)?;
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpClearImage::new(&mut heights, 0.5))?.record(OpSyncHost::image(&heights))?.eval()?;
    /// assert_eq!(heights.staged()?, [0.5, 0.5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec), and when there is no memory for the copy.
    pub fn staged(&self) -> Result<Vec<F::Raw>> {
        let staged = self.buffer.staged()?;
        // SAFETY: as many texels as the copy has, of which any bits are valid.
        self.read_vec(0, |into| unsafe { staged.read(into) })
    }

    /// The image without its type, to declare and record accesses in an [`Op`](crate::ops::Op).
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::R8Unorm, ops::Access};
    ///
    /// let image = gridwise::Manager::host().image_2d::<R8Unorm>(2, 2)?;
    /// assert!(Access::write(image.handle()).is_write);
    /// # Ok(())
    /// # }
    /// ```
    pub fn handle(&self) -> TensorRef {
        TensorRef { buffer: self.buffer.clone() }
    }

    /// The image in Vulkan, for an application's own commands, as [`Tensor::vulkan_buffer`](crate::Tensor::vulkan_buffer); `None` on the
    /// host device. Its layout is `VK_IMAGE_LAYOUT_GENERAL`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let image = manager.image_2d::<gridwise::image::R8Unorm>(2, 2)?;
    /// assert_eq!(image.vulkan_image().is_some(), manager.device().api_version.is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn vulkan_image(&self) -> Option<ash::vk::Image> {
        Some(self.buffer.vulkan_image()?.raw)
    }

    fn check_texels(&self, operation: &'static str, level: u32, found: usize) -> Result<()> {
        let expected = self.layout().texels_of(level) as usize;
        match found == expected {
            true => Ok(()),
            false => Err(Error::LengthMismatch { operation, tensor: self.name().into(), expected, found }),
        }
    }

    /// The texels of a level, which `read` writes.
    fn read_vec(&self, level: u32, read: impl FnOnce(*mut u8) -> Result<()>) -> Result<Vec<F::Raw>> {
        let len = self.layout().texels_of(level) as usize;
        let mut texels: Vec<F::Raw> = pages::reserve(len).map_err(|cause| Error::OutOfMemory {
            object: format!("copy of image {}", self.name()),
            bytes: len as u64 * u64::from(F::FORMAT.bytes()),
            cause: cause.to_string(),
        })?;
        read(texels.as_mut_ptr().cast())?;
        // SAFETY: `len` texels are reserved and were written.
        unsafe { texels.set_len(len) };
        Ok(texels)
    }
}

impl<F: Format, const D: usize> fmt::Debug for Image<F, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image")
            .field("name", &self.name())
            .field("format", &F::FORMAT)
            .field("extent", &self.extent())
            .field("levels", &self.levels())
            .finish()
    }
}
