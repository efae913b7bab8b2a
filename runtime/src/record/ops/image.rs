//! Operations on images: copies to and from tensors and other images, one value for all texels, smaller levels.

use std::sync::Arc;

use super::{Access, Op, Recorder};
use crate::core::error::{Error, Result, TensorName};
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::image::{Format, Image};
use crate::memory::tensor::{Tensor, TensorRef};
use crate::record::steps::ImageStep;

/// Copies texels between an image and a tensor, or from image to image, on the device.
///
/// A tensor holds the texels of one level row after row, as [`Format::Raw`]; its elements may be of any type, if the number of
/// bytes is the same.
///
/// ```
/// use gridwise::{Manager, image::Rgba8Unorm, ops::OpCopyImage};
///
/// # fn main() -> gridwise::Result<()> {
/// let manager = Manager::new()?;
/// let texels = manager.tensor(&[[255u8, 0, 0, 255], [0, 255, 0, 255]])?;
/// let mut image = manager.image_2d::<Rgba8Unorm>(1, 2)?;
/// let mut packed = manager.tensor_of_len::<u32>(2)?;
/// let sequence = manager.sequence()?;
/// sequence.record(OpCopyImage::from_tensor(&texels, &mut image))?.record(OpCopyImage::to_tensor(&image, &mut packed))?;
/// sequence.eval()?;
/// assert_eq!(packed.to_vec()?, [0xff00_00ff, 0xff00_ff00]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpCopyImage {
    from: End,
    to: End,
    row_length: Option<u32>,
}

#[derive(Debug, Clone)]
struct End {
    buffer: Arc<Buffer>,
    level: u32,
}

impl End {
    fn of(buffer: &Arc<Buffer>) -> Self {
        Self { buffer: buffer.clone(), level: 0 }
    }

    fn access(&self, is_write: bool) -> Access {
        Access { tensor: TensorRef { buffer: self.buffer.clone() }, is_write }
    }
}

impl OpCopyImage {
    /// Copies a tensor to the first level of the image.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::R32Float, ops::OpCopyImage};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let heights = manager.tensor(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let mut image = manager.image_2d::<R32Float>(2, 2)?;
    /// manager.sequence()?.record(OpCopyImage::from_tensor(&heights, &mut image))?.eval()?;
    /// assert_eq!(image.to_vec()?, heights.to_vec()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_tensor<T: GpuData, F: Format, const D: usize>(from: &Tensor<T>, to: &mut Image<F, D>) -> Self {
        Self { from: End::of(&from.handle().buffer), to: End::of(&to.buffer), row_length: None }
    }

    /// Copies the first level of the image to a tensor.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::R32Float, ops::OpCopyImage};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut image = manager.image_2d::<R32Float>(2, 1)?;
    /// image.write(&[1.0, 2.0])?;
    /// let mut heights = manager.tensor_of_len::<f32>(2)?;
    /// manager.sequence()?.record(OpCopyImage::to_tensor(&image, &mut heights))?.eval()?;
    /// assert_eq!(heights.to_vec()?, [1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_tensor<T: GpuData, F: Format, const D: usize>(from: &Image<F, D>, to: &mut Tensor<T>) -> Self {
        Self { from: End::of(&from.buffer), to: End::of(&to.handle().buffer), row_length: None }
    }

    /// Copies between an image and a buffer of as many bytes as its first level has.
    pub(crate) fn between(from: &Arc<Buffer>, to: &Arc<Buffer>) -> Self {
        Self { from: End::of(from), to: End::of(to), row_length: None }
    }

    /// Copies an image to another of the same format and size.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::R8Unorm, ops::OpCopyImage};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (mut frame, mut last) = (manager.image_2d::<R8Unorm>(2, 1)?, manager.image_2d::<R8Unorm>(2, 1)?);
    /// frame.write(&[10, 20])?;
    /// manager.sequence()?.record(OpCopyImage::new(&frame, &mut last))?.eval()?;
    /// assert_eq!(last.to_vec()?, [10, 20]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new<F: Format, const D: usize>(from: &Image<F, D>, to: &mut Image<F, D>) -> Self {
        Self { from: End::of(&from.buffer), to: End::of(&to.buffer), row_length: None }
    }

    /// Copies this level instead of the first, in all images of the copy.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::{ImageDesc, Levels, R32Float}, ops::OpCopyImage};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let desc = ImageDesc { name: "heights", extent: [4, 2], levels: Levels::All };
    /// let mut image = manager.image_with::<R32Float, 2>(desc)?;
    /// let small = manager.tensor(&[5.0f32, 6.0])?;
    /// manager.sequence()?.record(OpCopyImage::from_tensor(&small, &mut image).level(1))?.eval()?;
    /// assert_eq!(image.level_to_vec(1)?, [5.0, 6.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn level(mut self, level: u32) -> Self {
        (self.from.level, self.to.level) = (level, level);
        self
    }

    /// Rows in the tensor begin this number of texels apart; the elements between the rows are not accessed.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::R8Unorm, ops::OpCopyImage};
    ///
    /// # let manager = gridwise::Manager::host();
    /// // Rows of 3 bytes, each with one behind it that is not the image's.
    /// let rows = manager.tensor(&[1u8, 2, 3, 0, 4, 5, 6, 0])?;
    /// let mut image = manager.image_2d::<R8Unorm>(3, 2)?;
    /// manager.sequence()?.record(OpCopyImage::from_tensor(&rows, &mut image).row_length(4))?.eval()?;
    /// assert_eq!(image.to_vec()?, [1, 2, 3, 4, 5, 6]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn row_length(mut self, texels: u32) -> Self {
        self.row_length = Some(texels);
        self
    }

    fn step(&self) -> Result<ImageStep> {
        let (from, to, level) = (&self.from.buffer, &self.to.buffer, self.from.level);
        for buffer in [from, to].into_iter().filter(|buffer| buffer.is_image()) {
            let levels = buffer.image_layout().levels;
            if level >= levels {
                return Err(Error::ImageLevel { image: buffer.name().to_owned(), level, levels });
            }
        }
        if from.is_image() && to.is_image() {
            let sizes = [from, to].map(|image| (image.image_layout().extent_of(level), image.image_layout().format));
            if sizes[0] != sizes[1] {
                let [expected, found] = sizes.map(|(extent, format)| format!("{extent:?} texels of format {format}"));
                let (from, to) = (from.name().to_owned(), to.name().to_owned());
                return Err(Error::ImageMismatch { operation: "copying images", from, to, expected, found });
            }
            return Ok(ImageStep::Copy { from: from.clone(), to: to.clone(), level });
        }
        let (image, tensor, (position, param)) =
            if from.is_image() { (from, to, (2, "to")) } else { (to, from, (1, "from")) };
        let layout = image.image_layout();
        let [width, height, depth] = layout.extent_of(level);
        let row_length = self.row_length.unwrap_or(width);
        if row_length < width {
            return Err(Error::RowTooShort { image: image.name().to_owned(), row_length, width });
        }
        let texel = u64::from(layout.format.bytes());
        // The last row needs nothing behind it.
        let rows = u64::from(height) * u64::from(depth);
        let texels = (rows - 1) * u64::from(row_length) + u64::from(width);
        let (expected, found) = (u128::from(texels) * u128::from(texel), u128::from(tensor.bytes()));
        let fits = if self.row_length.is_some() { found >= expected } else { found == expected };
        if !fits {
            return Err(Error::LengthMismatch {
                operation: "copying an image, by its bytes, to or from",
                tensor: TensorName::from(tensor.name()).at(format!("argument {position}, `{param}`, of `OpCopyImage`")),
                expected: usize::try_from(expected).unwrap_or(usize::MAX),
                found: usize::try_from(found).unwrap_or(usize::MAX),
            });
        }
        // The host copies bytes.
        if tensor.vulkan().is_some() {
            tensor.check_start(texel.max(4))?;
        }
        let (image, tensor, bytes) = (image.clone(), tensor.clone(), expected as u64);
        Ok(match from.is_image() {
            true => ImageStep::Out { image, level, row_length, tensor, bytes },
            false => ImageStep::In { tensor, bytes, row_length, image, level },
        })
    }
}

impl Op for OpCopyImage {
    fn name(&self) -> &str {
        "copy image"
    }

    fn accesses(&self) -> Vec<Access> {
        vec![self.from.access(false), self.to.access(true)]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        let [from, to] = [&self.from, &self.to].map(|end| TensorRef { buffer: end.buffer.clone() });
        match from.buffer.is_image() || to.buffer.is_image() {
            true => recorder.image(self.step()?),
            false => recorder.copy(&from, &to),
        }
    }
}

/// Sets all texels of all levels of an image to one value, on the device.
///
/// ```
/// use gridwise::{Manager, glam::Vec4, image::Rgba8Unorm, ops::OpClearImage};
///
/// # fn main() -> gridwise::Result<()> {
/// let manager = Manager::new()?;
/// let mut image = manager.image_2d::<Rgba8Unorm>(2, 2)?;
/// manager.sequence()?.record(OpClearImage::new(&mut image, Vec4::new(0.0, 1.0, 0.2, 1.0)))?.eval()?;
/// assert_eq!(image.to_vec()?, [[0, 255, 51, 255]; 4]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpClearImage {
    image: End,
    texel: [u32; 4],
}

impl OpClearImage {
    /// Sets all of `image` to `texel`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::R32Uint, ops::OpClearImage};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut labels = manager.image_2d::<R32Uint>(2, 1)?;
    /// manager.sequence()?.record(OpClearImage::new(&mut labels, 7))?.eval()?;
    /// assert_eq!(labels.to_vec()?, [7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new<F: Format, const D: usize>(image: &mut Image<F, D>, texel: F::Texel) -> Self {
        // By way of memory, so that all devices round alike.
        Self { image: End::of(&image.buffer), texel: crate::memory::image::texel_words::<F>(F::encode(texel)) }
    }
}

impl Op for OpClearImage {
    fn name(&self) -> &str {
        "clear image"
    }

    fn accesses(&self) -> Vec<Access> {
        vec![self.image.access(true)]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.image(ImageStep::Clear { image: self.image.buffer.clone(), texel: self.texel })
    }
}

/// Generates each mip level of an image from the one before: each texel is the mean of the texels that it covers.
///
/// ```
/// use gridwise::image::{ImageDesc, Levels, R32Float};
/// use gridwise::{Manager, ops::OpGenerateLevels};
///
/// # fn main() -> gridwise::Result<()> {
/// let manager = Manager::host();
/// let desc = ImageDesc { name: "heights", extent: [2, 2], levels: Levels::All };
/// let mut image = manager.image_with::<R32Float, 2>(desc)?;
/// image.write(&[1.0, 2.0, 3.0, 6.0])?;
/// manager.sequence()?.record(OpGenerateLevels::new(&mut image))?.eval()?;
/// assert_eq!(image.level_to_vec(1)?, [3.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpGenerateLevels {
    image: End,
}

impl OpGenerateLevels {
    /// Generates the levels of `image` after the first.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::{ImageDesc, Levels, R8Unorm}, ops::OpGenerateLevels};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let desc = ImageDesc { name: "mask", extent: [2, 1], levels: Levels::All };
    /// let mut image = manager.image_with::<R8Unorm, 2>(desc)?;
    /// image.write(&[10, 20])?;
    /// manager.sequence()?.record(OpGenerateLevels::new(&mut image))?.eval()?;
    /// assert_eq!(image.level_to_vec(1)?, [15]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new<F: crate::memory::image::FloatFormat, const D: usize>(image: &mut Image<F, D>) -> Self {
        Self { image: End::of(&image.buffer) }
    }
}

impl Op for OpGenerateLevels {
    fn name(&self) -> &str {
        "generate levels"
    }

    fn accesses(&self) -> Vec<Access> {
        vec![self.image.access(true), self.image.access(false)]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        let image = &self.image.buffer;
        if image.vulkan_image().is_some_and(|vulkan| !vulkan.can_blit) {
            return Err(Error::ImageUnsupported {
                image: image.name().into(),
                format: image.image_layout().format,
                usage: crate::core::error::ImageUse::Scaled,
                device: image.device.info.name.clone(),
            });
        }
        (1..image.image_layout().levels)
            .try_for_each(|level| recorder.image(ImageStep::Shrink { image: image.clone(), level }))
    }
}
