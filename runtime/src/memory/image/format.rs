//! Formats of images as Rust types. [`ImageFormat`] defines their meaning; this file must not convert by itself.

use glam::{IVec2, IVec4, UVec2, UVec4, Vec2, Vec3, Vec4};
use gridwise_ir::descriptor::ImageFormat;
use half::f16;

use crate::memory::data::{GpuData, Value};

/// The format of an image's texels: each is a type without values, named as the [`ImageFormat`].
///
/// ```
/// use gridwise::image::{Format, Image};
///
/// /// Bytes of all texels of an image, without its smaller levels.
/// fn bytes<F: Format>(image: &Image<F, 2>) -> u64 {
///     let [width, height] = image.extent().map(u64::from);
///     width * height * size_of::<F::Raw>() as u64
/// }
///
/// # fn main() -> gridwise::Result<()> {
/// let image = gridwise::Manager::host().image_2d::<gridwise::image::Rgba16Float>(4, 2)?;
/// assert_eq!(bytes(&image), 64);
/// # Ok(())
/// # }
/// ```
pub trait Format: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The format.
    ///
    /// ```
    /// use gridwise::{descriptor::ImageFormat, image::{Format, R32Float}};
    ///
    /// assert_eq!(R32Float::FORMAT, ImageFormat::R32Float);
    /// ```
    const FORMAT: ImageFormat;

    /// A texel in memory: a number, an array of as many as there are components, or the bits of a packed texel.
    type Raw: GpuData;

    /// A texel in a kernel.
    type Texel: Words;

    /// The texel that lies in memory.
    ///
    /// ```
    /// use gridwise::glam::Vec4;
    /// use gridwise::image::{Format, Rgba8Unorm};
    ///
    /// assert_eq!(Rgba8Unorm::decode([0, 51, 255, 0]), Vec4::new(0.0, 0.2, 1.0, 0.0));
    /// ```
    fn decode(raw: Self::Raw) -> Self::Texel;

    /// How a texel lies in memory, converted as Vulkan does: normalised numbers are clamped and rounded, integers keep their low
    /// bits, floats are rounded.
    ///
    /// ```
    /// use gridwise::glam::Vec4;
    /// use gridwise::image::{Format, Rgba8Unorm};
    ///
    /// assert_eq!(Rgba8Unorm::encode(Vec4::new(-1.0, 0.2, 2.0, 0.5)), [0, 51, 255, 128]);
    /// ```
    fn encode(texel: Self::Texel) -> Self::Raw;
}

/// A format whose texels are floats in kernels, so that samplers can filter them.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::image::{FloatFormat, Image};
/// use gridwise::{Manager, Result, ops::OpGenerateLevels};
///
/// /// Makes all smaller levels, of images whose texels can be mixed.
/// fn finish<F: FloatFormat>(manager: &Manager, image: &mut Image<F, 2>) -> Result<()> {
///     manager.sequence()?.record(OpGenerateLevels::new(image))?.eval()
/// }
/// # Ok(())
/// # }
/// ```
pub trait FloatFormat: Format {}

mod sealed {
    pub trait Sealed {}
}

/// Texels as the four words that [`ImageFormat`] converts.
#[doc(hidden)]
pub trait Words: Value {
    /// The texel of its words.
    fn from_words(words: [u32; 4]) -> Self;

    /// The words of a texel; those of components that it has not are zero.
    fn to_words(self) -> [u32; 4];
}

macro_rules! words {
    ($($ty:ty: $number:ident [$($at:literal)+] $from:expr, $to:expr;)+) => {$(
        impl Words for $ty {
            fn from_words(words: [u32; 4]) -> Self {
                let number = |at: usize| words!(@from $number words[at]);
                $from($(number($at)),+)
            }

            fn to_words(self) -> [u32; 4] {
                let mut words = [0; 4];
                for (word, number) in words.iter_mut().zip($to(self)) {
                    *word = words!(@to $number number);
                }
                words
            }
        }
    )+};
    (@from f32 $word:expr) => { f32::from_bits($word) };
    (@from u32 $word:expr) => { $word };
    (@from i32 $word:expr) => { $word as i32 };
    (@to f32 $number:expr) => { f32::to_bits($number) };
    (@to u32 $number:expr) => { $number };
    (@to i32 $number:expr) => { $number as u32 };
}

words! {
    f32: f32 [0] std::convert::identity, |x| [x];
    Vec2: f32 [0 1] Vec2::new, |v: Vec2| v.to_array();
    Vec3: f32 [0 1 2] Vec3::new, |v: Vec3| v.to_array();
    Vec4: f32 [0 1 2 3] Vec4::new, |v: Vec4| v.to_array();
    u32: u32 [0] std::convert::identity, |x| [x];
    UVec2: u32 [0 1] UVec2::new, |v: UVec2| v.to_array();
    UVec4: u32 [0 1 2 3] UVec4::new, |v: UVec4| v.to_array();
    i32: i32 [0] std::convert::identity, |x| [x];
    IVec2: i32 [0 1] IVec2::new, |v: IVec2| v.to_array();
    IVec4: i32 [0 1 2 3] IVec4::new, |v: IVec4| v.to_array();
}

macro_rules! formats {
    ($($name:ident: $raw:ty => $texel:ty $(, $float:ident)?;)+) => {$(
        #[doc = concat!("[`ImageFormat::", stringify!($name), "`], as a type.")]
        ///
        /// ```
        #[doc = concat!("use gridwise::image::{Format, ", stringify!($name), "};")]
        ///
        /// # fn main() -> gridwise::Result<()> {
        #[doc = concat!("let image = gridwise::Manager::host().image_2d::<", stringify!($name), ">(8, 4)?;")]
        #[doc = concat!("let bytes = ", stringify!($name), "::FORMAT.bytes() as usize; // of a texel")]
        /// assert_eq!(size_of_val(&*image.to_vec()?), 8 * 4 * bytes);
        /// # Ok(())
        /// # }
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name;

        impl sealed::Sealed for $name {}

        impl Format for $name {
            const FORMAT: ImageFormat = ImageFormat::$name;
            type Raw = $raw;
            type Texel = $texel;

            fn decode(raw: $raw) -> $texel {
                Words::from_words(Self::FORMAT.decode(bytes_of(&raw)))
            }

            fn encode(texel: $texel) -> $raw {
                let mut raw = <$raw as Value>::ZEROED;
                Self::FORMAT.encode(texel.to_words(), bytes_of_mut(&mut raw));
                raw
            }
        }

        $(impl $float for $name {})?
    )+};
}

formats! {
    R8Unorm: u8 => f32, FloatFormat;
    R8Snorm: i8 => f32, FloatFormat;
    R8Uint: u8 => u32;
    R8Sint: i8 => i32;
    Rg8Unorm: [u8; 2] => Vec2, FloatFormat;
    Rg8Snorm: [i8; 2] => Vec2, FloatFormat;
    Rg8Uint: [u8; 2] => UVec2;
    Rg8Sint: [i8; 2] => IVec2;
    Rgba8Unorm: [u8; 4] => Vec4, FloatFormat;
    Rgba8Snorm: [i8; 4] => Vec4, FloatFormat;
    Rgba8Uint: [u8; 4] => UVec4;
    Rgba8Sint: [i8; 4] => IVec4;
    Rgb10A2Unorm: u32 => Vec4, FloatFormat;
    Rgb10A2Uint: u32 => UVec4;
    R16Unorm: u16 => f32, FloatFormat;
    R16Snorm: i16 => f32, FloatFormat;
    R16Uint: u16 => u32;
    R16Sint: i16 => i32;
    R16Float: f16 => f32, FloatFormat;
    Rg16Unorm: [u16; 2] => Vec2, FloatFormat;
    Rg16Snorm: [i16; 2] => Vec2, FloatFormat;
    Rg16Uint: [u16; 2] => UVec2;
    Rg16Sint: [i16; 2] => IVec2;
    Rg16Float: [f16; 2] => Vec2, FloatFormat;
    Rgba16Unorm: [u16; 4] => Vec4, FloatFormat;
    Rgba16Snorm: [i16; 4] => Vec4, FloatFormat;
    Rgba16Uint: [u16; 4] => UVec4;
    Rgba16Sint: [i16; 4] => IVec4;
    Rgba16Float: [f16; 4] => Vec4, FloatFormat;
    R32Uint: u32 => u32;
    R32Sint: i32 => i32;
    R32Float: f32 => f32, FloatFormat;
    Rg32Uint: [u32; 2] => UVec2;
    Rg32Sint: [i32; 2] => IVec2;
    Rg32Float: [f32; 2] => Vec2, FloatFormat;
    Rgba32Uint: [u32; 4] => UVec4;
    Rgba32Sint: [i32; 4] => IVec4;
    Rgba32Float: [f32; 4] => Vec4, FloatFormat;
    Rg11B10Float: u32 => Vec3, FloatFormat;
}

/// The words of the texel that lies in memory.
pub(crate) fn texel_words<F: Format>(raw: F::Raw) -> [u32; 4] {
    F::FORMAT.decode(bytes_of(&raw))
}

fn bytes_of<T: GpuData>(value: &T) -> &[u8] {
    // SAFETY: raw texels are numbers or arrays of them, so that each of their bytes is initialised.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}

fn bytes_of_mut<T: GpuData>(value: &mut T) -> &mut [u8] {
    // SAFETY: as above; and any bytes are a valid value.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(value).cast(), size_of::<T>()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_texels_have_the_size_of_their_format() {
        macro_rules! check {
            ($($name:ident)+) => { $(
                assert_eq!(size_of::<<$name as Format>::Raw>(), $name::FORMAT.bytes() as usize);
                let texel = $name::decode($name::encode(<$name as Format>::Texel::ZEROED));
                assert_eq!(texel, <$name as Format>::Texel::ZEROED);
            )+ };
        }
        check!(R8Unorm R8Snorm R8Uint R8Sint Rg8Unorm Rg8Snorm Rg8Uint Rg8Sint Rgba8Unorm Rgba8Snorm Rgba8Uint Rgba8Sint);
        check!(Rgb10A2Unorm Rgb10A2Uint R16Unorm R16Snorm R16Uint R16Sint R16Float Rg16Unorm Rg16Snorm Rg16Uint Rg16Sint);
        check!(Rg16Float Rgba16Unorm Rgba16Snorm Rgba16Uint Rgba16Sint Rgba16Float R32Uint R32Sint R32Float Rg32Uint);
        check!(Rg32Sint Rg32Float Rgba32Uint Rgba32Sint Rgba32Float Rg11B10Float);
    }
}
