//! Formats and shapes of images: what a texel is in memory and in a kernel. It must not know how texels are converted.

use std::fmt;

/// The type of a texel's components in a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TexelKind {
    /// Floats: of float formats and of normalised ones.
    Float,
    /// Unsigned integers.
    Uint,
    /// Signed integers.
    Sint,
}

/// The access of a kernel to an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageAccess {
    /// It loads texels.
    Load,
    /// It loads and stores texels.
    Store,
    /// It reads by way of a sampler.
    Sample,
}

impl ImageAccess {
    /// The variant's name, as generated code writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "Load",
            Self::Store => "Store",
            Self::Sample => "Sample",
        }
    }
}

/// How a component lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// An unsigned integer that stands for a number from 0 to 1.
    Unorm,
    /// A signed integer that stands for a number from -1 to 1.
    Snorm,
    /// An unsigned integer.
    Uint,
    /// A signed integer.
    Sint,
    /// A float.
    Float,
}

macro_rules! formats {
    ($($name:ident: $count:literal $bits:tt $encoding:ident $bytes:literal, vulkan $vulkan:literal, spirv $spirv:literal;)+) => {
        /// How a texel of an image lies in memory: all formats that Vulkan has for storage images, but for 64-bit components.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ImageFormat {
            $(
                #[doc = concat!("`", stringify!($name), "`.")]
                $name,
            )+
        }

        impl ImageFormat {
            /// All formats.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The name of the format and of the type that stands for it in Rust.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)+ }
            }

            /// Components of a texel: 1, 2, 3 or 4.
            pub const fn components(self) -> u32 {
                match self { $(Self::$name => $count,)+ }
            }

            /// Bits of each component, from the first; where the components are packed, the first has the lowest bits.
            pub const fn bits(self) -> [u32; 4] {
                match self { $(Self::$name => $bits,)+ }
            }

            /// How the components lie in memory.
            pub const fn encoding(self) -> Encoding {
                match self { $(Self::$name => Encoding::$encoding,)+ }
            }

            /// Bytes of a texel.
            pub const fn bytes(self) -> u32 {
                match self { $(Self::$name => $bytes,)+ }
            }

            /// The number of the format in Vulkan.
            pub const fn vulkan(self) -> i32 {
                match self { $(Self::$name => $vulkan,)+ }
            }

            /// The number of the format in SPIR-V.
            pub const fn spirv(self) -> u32 {
                match self { $(Self::$name => $spirv,)+ }
            }
        }
    };
}

formats! {
    R8Unorm: 1 [8, 0, 0, 0] Unorm 1, vulkan 9, spirv 15;
    R8Snorm: 1 [8, 0, 0, 0] Snorm 1, vulkan 10, spirv 20;
    R8Uint: 1 [8, 0, 0, 0] Uint 1, vulkan 13, spirv 39;
    R8Sint: 1 [8, 0, 0, 0] Sint 1, vulkan 14, spirv 29;
    Rg8Unorm: 2 [8, 8, 0, 0] Unorm 2, vulkan 16, spirv 13;
    Rg8Snorm: 2 [8, 8, 0, 0] Snorm 2, vulkan 17, spirv 18;
    Rg8Uint: 2 [8, 8, 0, 0] Uint 2, vulkan 20, spirv 37;
    Rg8Sint: 2 [8, 8, 0, 0] Sint 2, vulkan 21, spirv 27;
    Rgba8Unorm: 4 [8, 8, 8, 8] Unorm 4, vulkan 37, spirv 4;
    Rgba8Snorm: 4 [8, 8, 8, 8] Snorm 4, vulkan 38, spirv 5;
    Rgba8Uint: 4 [8, 8, 8, 8] Uint 4, vulkan 41, spirv 32;
    Rgba8Sint: 4 [8, 8, 8, 8] Sint 4, vulkan 42, spirv 23;
    Rgb10A2Unorm: 4 [10, 10, 10, 2] Unorm 4, vulkan 64, spirv 11;
    Rgb10A2Uint: 4 [10, 10, 10, 2] Uint 4, vulkan 68, spirv 34;
    R16Unorm: 1 [16, 0, 0, 0] Unorm 2, vulkan 70, spirv 14;
    R16Snorm: 1 [16, 0, 0, 0] Snorm 2, vulkan 71, spirv 19;
    R16Uint: 1 [16, 0, 0, 0] Uint 2, vulkan 74, spirv 38;
    R16Sint: 1 [16, 0, 0, 0] Sint 2, vulkan 75, spirv 28;
    R16Float: 1 [16, 0, 0, 0] Float 2, vulkan 76, spirv 9;
    Rg16Unorm: 2 [16, 16, 0, 0] Unorm 4, vulkan 77, spirv 12;
    Rg16Snorm: 2 [16, 16, 0, 0] Snorm 4, vulkan 78, spirv 17;
    Rg16Uint: 2 [16, 16, 0, 0] Uint 4, vulkan 81, spirv 36;
    Rg16Sint: 2 [16, 16, 0, 0] Sint 4, vulkan 82, spirv 26;
    Rg16Float: 2 [16, 16, 0, 0] Float 4, vulkan 83, spirv 7;
    Rgba16Unorm: 4 [16, 16, 16, 16] Unorm 8, vulkan 91, spirv 10;
    Rgba16Snorm: 4 [16, 16, 16, 16] Snorm 8, vulkan 92, spirv 16;
    Rgba16Uint: 4 [16, 16, 16, 16] Uint 8, vulkan 95, spirv 31;
    Rgba16Sint: 4 [16, 16, 16, 16] Sint 8, vulkan 96, spirv 22;
    Rgba16Float: 4 [16, 16, 16, 16] Float 8, vulkan 97, spirv 2;
    R32Uint: 1 [32, 0, 0, 0] Uint 4, vulkan 98, spirv 33;
    R32Sint: 1 [32, 0, 0, 0] Sint 4, vulkan 99, spirv 24;
    R32Float: 1 [32, 0, 0, 0] Float 4, vulkan 100, spirv 3;
    Rg32Uint: 2 [32, 32, 0, 0] Uint 8, vulkan 101, spirv 35;
    Rg32Sint: 2 [32, 32, 0, 0] Sint 8, vulkan 102, spirv 25;
    Rg32Float: 2 [32, 32, 0, 0] Float 8, vulkan 103, spirv 6;
    Rgba32Uint: 4 [32, 32, 32, 32] Uint 16, vulkan 107, spirv 30;
    Rgba32Sint: 4 [32, 32, 32, 32] Sint 16, vulkan 108, spirv 21;
    Rgba32Float: 4 [32, 32, 32, 32] Float 16, vulkan 109, spirv 1;
    Rg11B10Float: 3 [11, 11, 10, 0] Float 4, vulkan 122, spirv 8;
}

impl ImageFormat {
    /// The format with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// The type of the components in a kernel.
    pub const fn kind(self) -> TexelKind {
        match self.encoding() {
            Encoding::Unorm | Encoding::Snorm | Encoding::Float => TexelKind::Float,
            Encoding::Uint => TexelKind::Uint,
            Encoding::Sint => TexelKind::Sint,
        }
    }

    /// Whether each device has storage images of this format without the feature `shaderStorageImageExtendedFormats`.
    pub const fn is_basic(self) -> bool {
        matches!(
            self,
            Self::Rgba32Float
                | Self::Rgba16Float
                | Self::R32Float
                | Self::Rgba8Unorm
                | Self::Rgba8Snorm
                | Self::Rgba32Sint
                | Self::Rgba16Sint
                | Self::Rgba8Sint
                | Self::R32Sint
                | Self::Rgba32Uint
                | Self::Rgba16Uint
                | Self::Rgba8Uint
                | Self::R32Uint
        )
    }
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_texel_has_the_bits_of_its_components() {
        for format in ImageFormat::ALL {
            assert_eq!(format.bits().iter().sum::<u32>(), 8 * format.bytes(), "{format}");
            assert_eq!(format.bits().iter().filter(|bits| **bits > 0).count() as u32, format.components(), "{format}");
            assert_eq!(ImageFormat::named(format.name()), Some(*format));
        }
        assert_eq!(ImageFormat::named("Rgba8"), None);
    }

    #[test]
    fn numbers_are_told_apart() {
        for (index, format) in ImageFormat::ALL.iter().enumerate() {
            for other in &ImageFormat::ALL[index + 1..] {
                assert!(format.vulkan() != other.vulkan() && format.spirv() != other.spirv(), "{format}, {other}");
            }
        }
    }
}
