//! A launch of a loaded module: arguments by binding, checked against the module's declarations.

use std::fmt;
use std::sync::Arc;

use gridwise_ir::descriptor::{ImageAccess, Sampler};
use gridwise_ir::reflect::{BufferBinding, Element, ImageBinding, Interface};

use super::Loaded;
use crate::core::error::{Error, Result, TensorName};
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::image::{Format, Image, Sampled};
use crate::memory::padding;
use crate::memory::tensor::{Tensor, TensorRef};
use crate::record::indirect::{self, AnyGrid, GridSource};
use crate::record::launch::Extent;
use crate::record::mismatch::describe_image;
use crate::record::ops::{Access, Op, Recorder};
use crate::record::steps::{BufferArg, ModuleStep, Role};

/// The binding of a buffer or an image in a module: in set 0, or in the set given before it.
///
/// ```
/// use gridwise::{ModuleLaunch, Tensor};
///
/// /// Gives the module `layout(set = 0, binding = 3)` and `layout(set = 1, binding = 0)`.
/// fn bind(launch: ModuleLaunch, weights: &Tensor<f32>, sums: &mut Tensor<f32>) -> ModuleLaunch {
///     launch.read(3, weights).write((1, 0), sums)
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BindingPlace {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
}

impl From<u32> for BindingPlace {
    fn from(binding: u32) -> Self {
        Self { set: 0, binding }
    }
}

impl From<(u32, u32)> for BindingPlace {
    fn from((set, binding): (u32, u32)) -> Self {
        Self { set, binding }
    }
}

impl fmt::Display for BindingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.set {
            0 => write!(f, "binding {}", self.binding),
            set => write!(f, "binding {} of set {set}", self.binding),
        }
    }
}

/// A launch of a module; made by [`SpirvAlgorithm::launch`](crate::SpirvAlgorithm::launch), recorded by
/// [`Sequence::record`](crate::Sequence::record).
///
/// The first argument that does not fit is remembered, and told when the launch is recorded.
///
/// ```
/// use gridwise::image::{Image, Rgba8Unorm, Sampled};
/// use gridwise::{Grid, Result, Sequence, SpirvAlgorithm, Tensor};
///
/// /// Launches `layout(binding = 0) buffer`, `layout(binding = 1, rgba8) uniform image2D` and
/// /// `layout(binding = 2) uniform sampler2D`, with two floats of push constants.
/// fn record(
///     sequence: &Sequence,
///     algorithm: &SpirvAlgorithm,
///     heights: &mut Tensor<f32>,
///     picture: &mut Image<Rgba8Unorm, 2>,
///     texture: &Sampled<Rgba8Unorm, 2>,
/// ) -> Result<()> {
///     let launch = algorithm.launch(Grid::items(picture.extent()));
///     let launch = launch.write(0, heights).image_mut(1, picture).sampled(2, texture);
///     sequence.record(launch.push(&[1.0f32, 2.0])).map(drop)
/// }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a launch does nothing until it is recorded"]
pub struct ModuleLaunch {
    loaded: Arc<Loaded>,
    grid: AnyGrid,
    buffers: Result<Vec<BufferArg>>,
    push: Option<Vec<u8>>,
}

impl ModuleLaunch {
    pub(super) fn new(loaded: Arc<Loaded>, grid: AnyGrid) -> Self {
        Self { loaded, grid, buffers: Ok(Vec::new()), push: None }
    }

    /// The bytes of the push constants that the launch was given; none where it was given none.
    ///
    /// ```
    /// use gridwise::{Grid, SpirvAlgorithm};
    ///
    /// fn check(module: &SpirvAlgorithm) {
    ///     let launch = module.launch(Grid::items(8)).push(&[7u32]);
    ///     assert_eq!(launch.push_constants(), 7u32.to_ne_bytes());
    /// }
    /// ```
    pub fn push_constants(&self) -> &[u8] {
        self.push.as_deref().unwrap_or_default()
    }

    /// A tensor that the module reads through a binding.
    ///
    /// ```
    /// use gridwise::{ModuleLaunch, Tensor};
    ///
    /// /// Gives the module `layout(binding = 0) readonly buffer Weights { float weights[]; }`.
    /// fn bind(launch: ModuleLaunch, weights: &Tensor<f32>) -> ModuleLaunch {
    ///     launch.read(0, weights)
    /// }
    /// ```
    pub fn read<T: GpuData>(self, binding: impl Into<BindingPlace>, tensor: &Tensor<T>) -> Self {
        self.bind(binding.into(), tensor.handle().buffer, false)
    }

    /// A tensor that the module may write through a binding.
    ///
    /// ```
    /// use gridwise::{ModuleLaunch, Tensor};
    ///
    /// /// Gives the module `layout(binding = 1) buffer Sums { uint sums[]; }`, which it may read as well.
    /// fn bind(launch: ModuleLaunch, sums: &mut Tensor<u32>) -> ModuleLaunch {
    ///     launch.write(1, sums)
    /// }
    /// ```
    pub fn write<T: GpuData>(self, binding: impl Into<BindingPlace>, tensor: &mut Tensor<T>) -> Self {
        self.bind(binding.into(), tensor.handle().buffer, true)
    }

    /// An image that the module loads texels of, through a binding.
    ///
    /// ```
    /// use gridwise::{ModuleLaunch, image::{Image, R32Float}};
    ///
    /// /// Gives the module `layout(binding = 2, r32f) readonly uniform image2D heights`.
    /// fn bind(launch: ModuleLaunch, heights: &Image<R32Float, 2>) -> ModuleLaunch {
    ///     launch.image(2, heights)
    /// }
    /// ```
    pub fn image<F: Format, const D: usize>(self, binding: impl Into<BindingPlace>, image: &Image<F, D>) -> Self {
        self.bind_image(binding.into(), &image.buffer, ImageAccess::Load, None)
    }

    /// An image that the module may store to, through a binding.
    ///
    /// ```
    /// use gridwise::{ModuleLaunch, image::{Image, Rgba8Unorm}};
    ///
    /// /// Gives the module `layout(binding = 2, rgba8) uniform image2D picture`.
    /// fn bind(launch: ModuleLaunch, picture: &mut Image<Rgba8Unorm, 2>) -> ModuleLaunch {
    ///     launch.image_mut(2, picture)
    /// }
    /// ```
    pub fn image_mut<F: Format, const D: usize>(
        self,
        binding: impl Into<BindingPlace>,
        image: &mut Image<F, D>,
    ) -> Self {
        self.bind_image(binding.into(), &image.buffer, ImageAccess::Store, None)
    }

    /// An image with a sampler that the module reads through a binding.
    ///
    /// ```
    /// use gridwise::{ModuleLaunch, image::{Rgba8Unorm, Sampled}};
    ///
    /// /// Gives the module `layout(binding = 3) uniform sampler2D bricks`.
    /// fn bind(launch: ModuleLaunch, bricks: &Sampled<Rgba8Unorm, 2>) -> ModuleLaunch {
    ///     launch.sampled(3, bricks)
    /// }
    /// ```
    pub fn sampled<F: Format, const D: usize>(self, binding: impl Into<BindingPlace>, image: &Sampled<F, D>) -> Self {
        self.bind_image(binding.into(), &image.buffer, ImageAccess::Sample, Some(image.sampler))
    }

    /// As the module uses the image, which it may store to.
    pub(crate) fn bind_any_image(self, place: BindingPlace, image: &Arc<Buffer>) -> Self {
        self.bind_image(place, image, ImageAccess::Store, None)
    }

    fn bind_image(
        mut self,
        place: BindingPlace,
        image: &Arc<Buffer>,
        access: ImageAccess,
        sampler: Option<Sampler>,
    ) -> Self {
        let Ok(buffers) = &mut self.buffers else { return self };
        match check_image(&self.loaded, buffers, place, image, access) {
            Ok(binding) => {
                let (buffer, is_written) = (image.clone(), access == ImageAccess::Store);
                buffers.push(BufferArg { buffer, param: binding, binding, is_written, sampler, role: Role::Whole });
            }
            Err(error) => self.buffers = Err(error),
        }
        self
    }

    /// All push constants, as one struct.
    ///
    /// ```
    /// use gridwise::ModuleLaunch;
    ///
    /// /// Gives the module `layout(push_constant) uniform Push { uint count; float factor; }`.
    /// fn push(launch: ModuleLaunch, count: u32, factor: f32) -> ModuleLaunch {
    ///     launch.push(&[count, factor.to_bits()]) // or a `#[repr(C)]` struct with `#[derive(GpuData)]`
    /// }
    /// ```
    pub fn push<T: GpuData>(mut self, constants: &T) -> Self {
        padding::append(std::slice::from_ref(constants), self.push.insert(Vec::new()));
        self
    }

    /// All push constants, as bytes: of any `bytemuck::Pod` struct those of `bytemuck::bytes_of`.
    ///
    /// ```
    /// use gridwise::ModuleLaunch;
    ///
    /// /// Gives the module `layout(push_constant) uniform Push { uint count; float factor; }`.
    /// fn push(launch: ModuleLaunch, count: u32, factor: f32) -> ModuleLaunch {
    ///     launch.push_bytes(&[count.to_ne_bytes(), factor.to_ne_bytes()].concat())
    /// }
    /// ```
    pub fn push_bytes(mut self, bytes: &[u8]) -> Self {
        self.push = Some(bytes.to_vec());
        self
    }

    pub(crate) fn bind(mut self, place: BindingPlace, buffer: Arc<Buffer>, is_exclusive: bool) -> Self {
        let Ok(buffers) = &mut self.buffers else { return self };
        match check_buffer(&self.loaded, buffers, place, &buffer, is_exclusive) {
            Ok((binding, is_written)) => buffers.push(BufferArg {
                buffer,
                param: binding,
                binding,
                is_written,
                sampler: None,
                role: Role::Whole,
            }),
            Err(error) => self.buffers = Err(error),
        }
        self
    }

    /// The push constants, if they are as many as the module has.
    fn checked_push(&self) -> Result<Vec<u8>> {
        let size = self.loaded.interface.push_constant_size as usize;
        match &self.push {
            None if size == 0 => Ok(Vec::new()),
            // A struct may end with padding.
            Some(bytes) if bytes.len() >= size && bytes.len() <= size.next_multiple_of(16) => {
                Ok(bytes[..size].to_vec())
            }
            other => Err(Error::ArgumentMismatch {
                kernel: self.loaded.name.clone(),
                param: "push constants".to_owned(),
                expected: format!("{size} bytes"),
                found: other.as_ref().map_or_else(|| "none".to_owned(), |bytes| format!("{} bytes", bytes.len())),
            }),
        }
    }
}

impl Loaded {
    fn place(&self, argument: &BufferArg) -> Option<BindingPlace> {
        let Interface { buffers, images, .. } = &self.interface;
        let of_buffers = buffers.iter().map(|declared| (declared.slot, declared.set, declared.binding));
        let mut all = of_buffers.chain(images.iter().map(|declared| (declared.slot, declared.set, declared.binding)));
        let (_, set, binding) = all.find(|(slot, ..)| *slot == argument.binding)?;
        Some(BindingPlace { set, binding })
    }

    /// The binding of the module that an argument is for, in the words of errors.
    pub(crate) fn place_of(&self, argument: &BufferArg) -> String {
        let place = self.place(argument).map_or_else(|| "a binding".to_owned(), |place| place.to_string());
        format!("{place} of module `{}`", self.name)
    }
}

/// Checks an image for a binding; tells its slot.
fn check_image(
    loaded: &Loaded,
    given: &[BufferArg],
    place: BindingPlace,
    image: &Arc<Buffer>,
    access: ImageAccess,
) -> Result<u32> {
    let layout = image.image_layout();
    let found = || describe_image(access, layout.format, layout.dimensions);
    let mismatch = |expected: String, found: String| {
        let param = place.to_string();
        Err(Error::ArgumentMismatch { kernel: loaded.name.clone(), param, expected, found })
    };
    let is_here = |declared: &&ImageBinding| (declared.set, declared.binding) == (place.set, place.binding);
    let declared = loaded.interface.images.iter().find(is_here);
    let Some(declared) = declared else {
        return mismatch("no image".to_owned(), found());
    };
    if given.iter().any(|other| other.binding == declared.slot) {
        return mismatch("one image".to_owned(), format!("another, {}", found()));
    }
    let fits = match declared.format {
        Some(format) => format == layout.format,
        None => declared.kind == layout.format.kind(),
    };
    // An image that the module only loads may be one for stores as well.
    let is_allowed = declared.access == access || (declared.access, access) == (ImageAccess::Load, ImageAccess::Store);
    if !fits || !is_allowed || u32::from(declared.dimensions) != layout.dimensions {
        let expected = match declared.format {
            Some(format) => describe_image(declared.access, format, declared.dimensions.into()),
            None => {
                format!("an image with a sampler of {:?} texels in {} dimensions", declared.kind, declared.dimensions)
            }
        };
        return mismatch(expected, found());
    }
    let is_written = access == ImageAccess::Store;
    let is_alias = |other: &BufferArg| Arc::ptr_eq(&other.buffer, image) && (is_written || other.is_written);
    refuse_alias(loaded, given.iter().find(|other| is_alias(other)), place, image)?;
    Ok(declared.slot)
}

/// Refuses a tensor or an image for a binding if another binding has it.
fn refuse_alias(loaded: &Loaded, other: Option<&BufferArg>, place: BindingPlace, buffer: &Buffer) -> Result<()> {
    let Some(other) = other else { return Ok(()) };
    let other = loaded.place(other).unwrap_or(place);
    let (operation, place) = (format!("module `{}`", loaded.name), format!("{other} and {place}"));
    Err(Error::AliasedTensor { operation, tensor: TensorName::from(buffer.name()).at(place) })
}

/// Checks a tensor for a binding; tells its slot, and whether it is written.
fn check_buffer(
    loaded: &Loaded,
    given: &[BufferArg],
    place: BindingPlace,
    buffer: &Arc<Buffer>,
    is_exclusive: bool,
) -> Result<(u32, bool)> {
    let is_here = |declared: &&BufferBinding| (declared.set, declared.binding) == (place.set, place.binding);
    let declared = loaded.interface.buffers.iter().find(is_here);
    let shown = || match declared.and_then(|declared| declared.name.as_deref()) {
        Some(name) => format!("{place} (`{name}`)"),
        None => place.to_string(),
    };
    let mismatch = |expected: String, found: String| {
        Err(Error::ArgumentMismatch { kernel: loaded.name.clone(), param: shown(), expected, found })
    };
    let tensor = || format!("tensor `{}` of {} elements of {} bytes", buffer.name(), buffer.len(), buffer.stride());
    let Some(declared) = declared else {
        let shown = |buffer: &BufferBinding| match buffer.set {
            0 => buffer.binding.to_string(),
            set => format!("({set}, {})", buffer.binding),
        };
        let bindings: Vec<String> = loaded.interface.buffers.iter().map(shown).collect();
        return mismatch(format!("one of the bindings {{{}}}", bindings.join(", ")), tensor());
    };
    if given.iter().any(|other| other.binding == declared.slot) {
        return mismatch("one tensor".to_owned(), format!("another, {}", tensor()));
    }
    if declared.is_writable && !is_exclusive {
        return mismatch("a tensor that may be written (`write`), since the module stores to it".to_owned(), tensor());
    }
    let is_written = declared.is_writable;
    match declared.element {
        // Nothing but elements: they are the tensor's.
        Some(element) if declared.fixed_bytes == 0 => {
            if let Some(expected) = misfit(element, buffer) {
                return mismatch(expected, tensor());
            }
            if element.stride != buffer.stride() {
                buffer.check_start(alignment(element))?;
            }
        }
        _ if buffer.bytes() < declared.fixed_bytes => {
            return mismatch(format!("at least {} bytes", declared.fixed_bytes), tensor());
        }
        _ => {}
    }
    let is_alias = |other: &BufferArg| (is_written || other.is_written) && other.buffer.overlaps(buffer);
    if !loaded.is_aliasing {
        refuse_alias(loaded, given.iter().find(|other| is_alias(other)), place, buffer)?;
    }
    Ok((declared.slot, is_written))
}

/// The elements that a module expects, if a tensor's are no parts of them, and they no parts of the tensor's: `vec4[]` may be a tensor of `f32`
/// whose length is a multiple of four, and `float[]` one of `Vec4`.
fn misfit(element: Element, buffer: &Buffer) -> Option<String> {
    let (own, given) = (element.stride, buffer.stride());
    // A tensor of smaller numbers than the module's is taken for a mistake.
    let is_smaller = element.ty.is_some_and(|ty| given < ty.scalar.size());
    if is_smaller || !(own.is_multiple_of(given) || given.is_multiple_of(own)) {
        return Some(format!("elements of {own} bytes"));
    }
    let is_whole = buffer.bytes().is_multiple_of(own.into());
    (!is_whole).then(|| format!("whole elements of {own} bytes, as many elements as a multiple of {}", own / given))
}

/// The bytes that an element's address has to be a multiple of: at most those of four numbers of 64 bits.
fn alignment(element: Element) -> u64 {
    1 << element.stride.trailing_zeros().min(5)
}

impl Op for ModuleLaunch {
    fn name(&self) -> &str {
        &self.loaded.name
    }

    fn accesses(&self) -> Vec<Access> {
        let access =
            |arg: &BufferArg| Access { tensor: TensorRef { buffer: arg.buffer.clone() }, is_write: arg.is_written };
        let grid = match &self.grid.0 {
            GridSource::Indirect(grid) => Some(Access::read(TensorRef { buffer: grid.counts().clone() })),
            GridSource::Known(_) => None,
        };
        self.buffers.iter().flatten().map(access).chain(grid).collect()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        let (loaded, mut buffers) = (&self.loaded, self.buffers.clone()?);
        let Interface { buffers: declared, images, .. } = &loaded.interface;
        let at = |set, binding| BindingPlace { set, binding };
        let all = declared.iter().map(|buffer| (at(buffer.set, buffer.binding), buffer.slot, "a tensor"));
        let mut all = all.chain(images.iter().map(|image| (at(image.set, image.binding), image.slot, "an image")));
        let is_missing = |slot: u32| buffers.iter().all(|given| given.binding != slot);
        if let Some((missing, _, what)) = all.find(|(_, slot, _)| is_missing(*slot)) {
            return Err(Error::ArgumentMismatch {
                kernel: loaded.name.clone(),
                param: missing.to_string(),
                expected: what.to_owned(),
                found: "none".to_owned(),
            });
        }
        let push = self.checked_push()?;
        let max = loaded.device.info.limits.max_groups;
        buffers.sort_by_key(|given| given.binding);
        let loaded = loaded.clone();
        match &self.grid.0 {
            GridSource::Known(grid) => {
                let extent = Extent::of_module(&loaded.name, loaded.workgroup, *grid, max)?;
                let step = ModuleStep { loaded, buffers, push, groups: extent.groups, indirect: None };
                recorder.module(step, extent.is_empty())
            }
            GridSource::Indirect(grid) => {
                let indirect = recorder.guarded(grid, &loaded.name, indirect::limit_of(loaded.workgroup, max))?;
                let groups = indirect.limit;
                recorder.module(ModuleStep { loaded, buffers, push, groups, indirect: Some(indirect) }, false)
            }
        }
    }
}
