//! Images as kernels see them: parameters of a kernel's function, and what the twin makes of them.

use std::marker::PhantomData;

use glam::{UVec2, UVec3, Vec2, Vec3};
use gridwise_ir::descriptor::{Edge, Filter, SampledExtent, Sampler, Site};

use super::atomic_unit::{load, store};
use super::launch::TrapSink;
use crate::memory::data::Value;
use crate::memory::image::{FloatFormat, Format, Words};

/// An image argument: where its texels lie, level after level and row after row, and what it consists of.
#[derive(Debug, Clone, Copy)]
pub struct HostImage {
    /// Its binding.
    pub binding: u32,
    /// First byte.
    pub data: *mut u8,
    /// Its sides and levels.
    pub shape: SampledExtent,
    /// How it is sampled, if it is.
    pub sampler: Sampler,
}

impl HostImage {
    /// The image in place of a missing member of a list: it has no level, and so no texel.
    pub(super) const NONE: Self = Self {
        binding: 0,
        data: std::ptr::null_mut(),
        shape: SampledExtent { extent: [0; 3], dimensions: 0, levels: 0 },
        sampler: Sampler { filter: Filter::Nearest, levels: Filter::Nearest, edge: Edge::Zero },
    };

    /// Whether it stands for an image that is not there.
    fn is_none(&self) -> bool {
        self.shape.dimensions == 0
    }
}

// SAFETY: a pointer and numbers; whoever dereferences it answers for the sharing.
unsafe impl Send for HostImage {}
// SAFETY: as above.
unsafe impl Sync for HostImage {}

/// Positions in images of one to three dimensions.
trait Position<T> {
    /// One number for each dimension, then `rest`.
    fn padded(self, rest: T) -> [T; 3];
}

macro_rules! positions {
    ($($ty:ty, $number:ty: |$at:ident, $rest:ident| $padded:expr;)+) => {
        $(impl Position<$number> for $ty {
            #[inline]
            fn padded(self, $rest: $number) -> [$number; 3] {
                let $at = self;
                $padded
            }
        })+
    };
}

positions! {
    u32, u32: |at, rest| [at, rest, rest];
    UVec2, u32: |at, rest| [at.x, at.y, rest];
    UVec3, u32: |at, _rest| [at.x, at.y, at.z];
    f32, f32: |at, rest| [at, rest, rest];
    Vec2, f32: |at, rest| [at.x, at.y, rest];
    Vec3, f32: |at, _rest| [at.x, at.y, at.z];
}

/// The byte of a texel; `None` after a trap, for the first axis along which there is none.
fn place<F: Format>(
    image: &HostImage,
    sink: impl TrapSink,
    site: &'static Site,
    at: [u32; 3],
    level: u32,
) -> Option<*mut u8> {
    if image.is_none() {
        // The index of its list trapped.
        return None;
    }
    if level >= image.shape.levels {
        sink.trap(site, [level, image.shape.levels]);
        return None;
    }
    let extent = image.shape.of_level(level);
    for (at, side) in at.into_iter().zip(extent) {
        if at >= side {
            sink.trap(site, [at, side]);
            return None;
        }
    }
    Some(texel(image, level, at, F::FORMAT.bytes()))
}

/// The first byte of a texel that there is.
fn texel(image: &HostImage, level: u32, [x, y, z]: [u32; 3], bytes: u32) -> *mut u8 {
    let texels = |level| image.shape.of_level(level).into_iter().map(|side| side as usize).product::<usize>();
    let before = (0..level).map(texels).sum::<usize>();
    let [width, height, _] = image.shape.of_level(level).map(|side| side as usize);
    let number = before + (z as usize * height + y as usize) * width + x as usize;
    image.data.wrapping_add(number * bytes as usize)
}

/// The texel at a byte, each of whose parts is read at once.
///
/// # Safety
/// A texel of this format lies there, and all threads access it by atomic units.
unsafe fn read<F: Format>(at: *const u8) -> F::Texel {
    // SAFETY: the caller's promise.
    F::decode(unsafe { load::<F::Raw, F::Raw>(at) })
}

const IN_KERNELS: &str = "texels are read and written in kernels";

macro_rules! views {
    ($($image:ident $sampled:ident $dimensions:literal $at:ty, $place:ty, $size:expr;)+) => {$(
        /// An image as a kernel sees it: `&` to load texels, `&mut` to store them as well. A launch takes an
        #[doc = concat!("[`Image<F, ", stringify!($dimensions), ">`](crate::memory::image::Image) for it, of which it sees the first level.")]
        #[derive(Debug, Clone, Copy)]
        pub struct $image<F> {
            image: HostImage,
            format: PhantomData<F>,
        }

        impl<F: Format> $image<F> {
            /// The texel at a position; the kernel panics where there is none.
            pub fn load(&self, _at: $at) -> F::Texel {
                unreachable!("{IN_KERNELS}")
            }

            /// Writes the texel at a position; the kernel panics where there is none.
            pub fn store(&mut self, _at: $at, _texel: F::Texel) {
                unreachable!("{IN_KERNELS}")
            }

            /// Texels along each axis.
            #[inline]
            pub fn size(&self) -> $at {
                let [x, y, z] = self.image.shape.extent;
                $size(x, y, z)
            }

            pub(crate) fn new(image: HostImage) -> Self {
                Self { image, format: PhantomData }
            }

            /// The twin of `load`.
            #[doc(hidden)]
            #[inline]
            pub fn twin_load(&self, sink: impl TrapSink, site: &'static Site, at: $at) -> F::Texel {
                match place::<F>(&self.image, sink, site, at.padded(0), 0) {
                    // SAFETY: the texel lies in the image, and all threads access it so.
                    Some(at) => unsafe { read::<F>(at) },
                    None => F::Texel::ZEROED,
                }
            }

            /// The twin of `store`: the arguments come first, as Rust evaluates them.
            #[doc(hidden)]
            #[inline]
            pub fn twin_store(&self, sink: impl TrapSink, site: &'static Site, at: $at, texel: F::Texel) {
                if let Some(at) = place::<F>(&self.image, sink, site, at.padded(0), 0) {
                    // SAFETY: as above; a `&mut` parameter has the image to itself in this launch.
                    unsafe { store::<F::Raw, F::Raw>(at, F::encode(texel)) }
                }
            }
        }

        /// An image with a sampler as a kernel sees it. A launch takes a
        #[doc = concat!("[`Sampled<F, ", stringify!($dimensions), ">`](crate::memory::image::Sampled) for it.")]
        #[derive(Debug, Clone, Copy)]
        pub struct $sampled<F> {
            image: HostImage,
            format: PhantomData<F>,
        }

        impl<F: Format> $sampled<F> {
            /// The texel at a position in a level, without the sampler; the kernel panics where there is none.
            pub fn fetch(&self, _at: $at, _level: u32) -> F::Texel {
                unreachable!("{IN_KERNELS}")
            }

            /// Texels along each axis of the first level.
            #[inline]
            pub fn size(&self) -> $at {
                let [x, y, z] = self.image.shape.extent;
                $size(x, y, z)
            }

            /// How many levels there are.
            #[inline]
            pub fn levels(&self) -> u32 {
                self.image.shape.levels
            }

            pub(crate) fn new(image: HostImage) -> Self {
                Self { image, format: PhantomData }
            }

            /// The twin of `fetch`.
            #[doc(hidden)]
            #[inline]
            pub fn twin_fetch(&self, sink: impl TrapSink, site: &'static Site, at: $at, level: u32) -> F::Texel {
                match place::<F>(&self.image, sink, site, at.padded(0), level) {
                    // SAFETY: the texel lies in the image, which nobody writes.
                    Some(at) => unsafe { read::<F>(at) },
                    None => F::Texel::ZEROED,
                }
            }
        }

        impl<F: FloatFormat> $sampled<F> {
            /// Samples the first level at a place: 0 is one edge, 1 the other.
            #[inline]
            pub fn sample(&self, at: $place) -> F::Texel {
                self.sample_level(at, 0.0)
            }

            /// Samples a level, or two, at a place.
            pub fn sample_level(&self, at: $place, level: f32) -> F::Texel {
                let HostImage { shape, sampler, .. } = &self.image;
                if shape.levels == 0 {
                    return F::Texel::ZEROED;
                }
                let texel = |level, at| {
                    let at = texel(&self.image, level, at, F::FORMAT.bytes());
                    // SAFETY: the texel lies in the image, which nobody writes.
                    unsafe { read::<F>(at) }.to_words().map(f32::from_bits)
                };
                Words::from_words(sampler.sample(shape, at.padded(0.0), level, texel).map(f32::to_bits))
            }
        }
    )+};
}

views! {
    Image1D Sampled1D 1 u32, f32, |x, _, _| x;
    Image2D Sampled2D 2 UVec2, Vec2, |x, y, _| UVec2::new(x, y);
    Image3D Sampled3D 3 UVec3, Vec3, UVec3::new;
}

/// A parameter of a kernel that is an image, made for the twin.
pub trait ImageParam {
    /// The parameter for an image.
    #[doc(hidden)]
    fn of_host(image: HostImage) -> Self;
}

macro_rules! params {
    ($($name:ident)+) => { $(
        impl<F: Format> ImageParam for $name<F> {
            fn of_host(image: HostImage) -> Self {
                Self::new(image)
            }
        }
    )+ };
}

params!(Image1D Image2D Image3D Sampled1D Sampled2D Sampled3D);
