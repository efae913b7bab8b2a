//! Images as arguments of a launch, one or a list of them.

use std::sync::Arc;

use gridwise_ir::descriptor::{ImageAccess, ImageFormat, ParamKind, Sampler};

use crate::memory::buffer::Buffer;
use crate::memory::image::{Format, Image, Sampled};
use crate::record::aliases::{refuse_alias, refuse_aliases};
use crate::record::args::KernelArgs;
use crate::record::mismatch::{describe_image, describe_images, mismatch, param_kind};
use crate::record::steps::{BufferArg, Role};

impl KernelArgs {
    /// The next argument, an image for a `&Image2D<F>` parameter or its like.
    ///
    /// ```
    /// use gridwise::image::{Image, Rgba8Unorm};
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence};
    ///
    /// /// Launches a kernel `fn(from: &Image2D<Rgba8Unorm>, to: &mut Image2D<Rgba8Unorm>)`.
    /// fn filter<K: Kernel>(
    ///     sequence: &Sequence,
    ///     from: &Image<Rgba8Unorm, 2>,
    ///     to: &mut Image<Rgba8Unorm, 2>,
    /// ) -> Result<()> {
    ///     sequence.dispatch(Grid::items(to.extent()), KernelArgs::new::<K>().image(from).image_mut(to))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn image<F: Format, const D: usize>(self, image: &Image<F, D>) -> Self {
        self.any_image(&image.buffer, ImageAccess::Load, None)
    }

    /// The next argument, an image for a `&mut Image2D<F>` parameter or its like.
    ///
    /// ```
    /// use gridwise::image::{Image, Rgba16Float};
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence};
    ///
    /// /// Launches a kernel `fn(time: f32, frame: &mut Image2D<Rgba16Float>)`.
    /// fn draw<K: Kernel>(sequence: &Sequence, time: f32, frame: &mut Image<Rgba16Float, 2>) -> Result<()> {
    ///     sequence.dispatch(Grid::items(frame.extent()), KernelArgs::new::<K>().value(time).image_mut(frame))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn image_mut<F: Format, const D: usize>(self, image: &mut Image<F, D>) -> Self {
        self.any_image(&image.buffer, ImageAccess::Store, None)
    }

    /// The next argument, an image with a sampler for a `&Sampled2D<F>` parameter or its like.
    ///
    /// ```
    /// use gridwise::image::{Image, Rgba8Unorm, Sampled};
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence};
    ///
    /// /// Launches a kernel `fn(bricks: &Sampled2D<Rgba8Unorm>, frame: &mut Image2D<Rgba8Unorm>)`.
    /// fn draw<K: Kernel>(
    ///     sequence: &Sequence,
    ///     bricks: &Sampled<Rgba8Unorm, 2>,
    ///     frame: &mut Image<Rgba8Unorm, 2>,
    /// ) -> Result<()> {
    ///     sequence.dispatch(Grid::items(frame.extent()), KernelArgs::new::<K>().sampled(bricks).image_mut(frame))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn sampled<F: Format, const D: usize>(self, image: &Sampled<F, D>) -> Self {
        self.any_image(&image.buffer, ImageAccess::Sample, Some(image.sampler))
    }

    /// The next argument, images for a `&[&Image2D<F>]` parameter or its like: as many as there are, in their order; also none, and one
    /// several times.
    ///
    /// ```
    /// use gridwise::image::{Image, Rgba8Unorm};
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence};
    ///
    /// /// Launches a kernel `fn(layers: &[&Image2D<Rgba8Unorm>], sum: &mut Image2D<Rgba8Unorm>)`.
    /// fn blend<K: Kernel>(
    ///     sequence: &Sequence,
    ///     layers: &[&Image<Rgba8Unorm, 2>],
    ///     sum: &mut Image<Rgba8Unorm, 2>,
    /// ) -> Result<()> {
    ///     sequence.dispatch(Grid::items(sum.extent()), KernelArgs::new::<K>().images(layers).image_mut(sum))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn images<F: Format, const D: usize>(self, images: &[&Image<F, D>]) -> Self {
        let given = images.iter().map(|image| (image.buffer.clone(), None));
        self.image_list((ImageAccess::Load, F::FORMAT, D), given)
    }

    /// The next argument, images for a `&mut [&mut Image2D<F>]` parameter or its like: as many as there are, in their order; also none.
    ///
    /// ```
    /// use gridwise::image::{Image, Rgba8Unorm};
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence};
    ///
    /// /// Launches a kernel `fn(tiles: &mut [&mut Image2D<Rgba8Unorm>])`.
    /// fn draw<K: Kernel>(sequence: &Sequence, tiles: &mut [&mut Image<Rgba8Unorm, 2>]) -> Result<()> {
    ///     sequence.dispatch(Grid::items([64, 64]), KernelArgs::new::<K>().images_mut(tiles))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn images_mut<F: Format, const D: usize>(self, images: &mut [&mut Image<F, D>]) -> Self {
        let given = images.iter().map(|image| (image.buffer.clone(), None));
        self.image_list((ImageAccess::Store, F::FORMAT, D), given)
    }

    /// The next argument, images with samplers for a `&[&Sampled2D<F>]` parameter or its like: as many as there are, in their order; also
    /// none, and one several times.
    ///
    /// ```
    /// use gridwise::image::{Image, Rgba8Unorm, Sampled};
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence};
    ///
    /// /// Launches a kernel `fn(textures: &[&Sampled2D<Rgba8Unorm>], frame: &mut Image2D<Rgba8Unorm>)`.
    /// fn draw<K: Kernel>(
    ///     sequence: &Sequence,
    ///     textures: &[&Sampled<Rgba8Unorm, 2>],
    ///     frame: &mut Image<Rgba8Unorm, 2>,
    /// ) -> Result<()> {
    ///     let args = KernelArgs::new::<K>().sampled_images(textures).image_mut(frame);
    ///     sequence.dispatch(Grid::items(frame.extent()), args)?;
    ///     Ok(())
    /// }
    /// ```
    pub fn sampled_images<F: Format, const D: usize>(self, images: &[&Sampled<F, D>]) -> Self {
        let given = images.iter().map(|image| (image.buffer.clone(), Some(image.sampler)));
        self.image_list((ImageAccess::Sample, F::FORMAT, D), given)
    }

    pub(super) fn image_list(
        mut self,
        kind: (ImageAccess, ImageFormat, usize),
        images: impl Iterator<Item = (Arc<Buffer>, Option<Sampler>)>,
    ) -> Self {
        self.fill(|descriptor, param, filled| {
            let found = || describe_images(kind.0, kind.1, kind.2 as u32);
            let binding = match param_kind(descriptor, param, found)? {
                ParamKind::Images { binding, access, format, dimensions }
                    if (access, format, usize::from(dimensions)) == kind =>
                {
                    binding
                }
                _ => return Err(mismatch(descriptor, param, found())),
            };
            let is_written = kind.0 == ImageAccess::Store;
            for (buffer, sampler) in images {
                let (param, role) = (param as u32, Role::Member);
                filled.buffers.push(BufferArg { buffer, param, binding, is_written, sampler, role });
            }
            refuse_aliases(descriptor, &filled.buffers)
        });
        self
    }

    fn any_image(mut self, image: &Arc<Buffer>, access: ImageAccess, sampler: Option<Sampler>) -> Self {
        self.fill(|descriptor, param, filled| {
            let layout = image.image_layout();
            let found = || describe_image(access, layout.format, layout.dimensions);
            let binding = match param_kind(descriptor, param, found)? {
                ParamKind::Image { binding, access: wanted, format, dimensions }
                    if (wanted, format, u32::from(dimensions)) == (access, layout.format, layout.dimensions) =>
                {
                    binding
                }
                _ => return Err(mismatch(descriptor, param, found())),
            };
            let is_written = access == ImageAccess::Store;
            let is_alias = |other: &BufferArg| Arc::ptr_eq(&other.buffer, image) && (is_written || other.is_written);
            let alias = filled.buffers.iter().position(is_alias);
            filled.buffers.push(BufferArg {
                buffer: image.clone(),
                param: param as u32,
                binding,
                is_written,
                sampler,
                role: Role::Whole,
            });
            refuse_alias(descriptor, &filled.buffers, alias)
        });
        self
    }
}
