//! Images: what a parameter of the kernel that is one consists of, and what instructions do with it.

use crate::descriptor::{ImageFormat, TexelKind};
use crate::types::{Scalar, Type};

/// An image: a buffer parameter with texels for elements. Its element is a texel as the kernel sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Image {
    /// How texels lie in memory.
    pub format: ImageFormat,
    /// 1, 2 or 3.
    pub dimensions: u8,
    /// Whether it comes with a sampler and is only read; else it is a storage image.
    pub is_sampled: bool,
}

impl Image {
    /// A texel in the kernel: a scalar, or a vector of as many as the format has components.
    pub fn texel(&self) -> Type {
        let scalar = match self.format.kind() {
            TexelKind::Float => Scalar::F32,
            TexelKind::Uint => Scalar::U32,
            TexelKind::Sint => Scalar::I32,
        };
        match self.format.components() {
            1 => Type::Scalar(scalar),
            count => Type::Vector(scalar, count as u8),
        }
    }
}

/// An operation on an image. Coordinates are scalars, one for each dimension; those of loads and stores are in range.
/// For a list of images, the position in the list stands before all other operands, a `u32` that is in range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageOp {
    /// The texel at `u32` coordinates; of a sampled image in the level that follows them, which is in range.
    Load,
    /// Writes the texel that follows the `u32` coordinates.
    Store,
    /// Texels along an axis, a `u32`, at least one; of a sampled image in the level that is the operand, which is in range.
    Size(u8),
    /// Levels of a sampled image, a `u32`, at least one.
    Levels,
    /// Samples the texels around `f32` coordinates, in the level that follows them, an `f32`.
    Sample,
}

impl ImageOp {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Load, Self::Store, Self::Size(0), Self::Size(1), Self::Size(2), Self::Levels, Self::Sample];

    /// Its name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "image_load",
            Self::Store => "image_store",
            Self::Size(0) => "image_size_x",
            Self::Size(1) => "image_size_y",
            Self::Size(_) => "image_size_z",
            Self::Levels => "image_levels",
            Self::Sample => "image_sample",
        }
    }

    /// The types of its operands behind the position in a list; `None` where such images have no such operation.
    pub fn operands(self, image: &Image) -> Option<Vec<Type>> {
        let (word, number) = (Type::Scalar(Scalar::U32), Type::Scalar(Scalar::F32));
        let level = image.is_sampled.then_some(word.clone());
        let coordinates = |of: &Type| vec![of.clone(); usize::from(image.dimensions)];
        let is_float = image.format.kind() == TexelKind::Float;
        Some(match self {
            Self::Load => coordinates(&word).into_iter().chain(level).collect(),
            Self::Store if !image.is_sampled => coordinates(&word).into_iter().chain([image.texel()]).collect(),
            Self::Size(axis) if axis < image.dimensions => level.into_iter().collect(),
            Self::Levels if image.is_sampled => Vec::new(),
            Self::Sample if image.is_sampled && is_float => {
                coordinates(&number).into_iter().chain([number.clone()]).collect()
            }
            _ => return None,
        })
    }

    /// The type of its result.
    pub fn result(self, image: &Image) -> Option<Type> {
        match self {
            Self::Load | Self::Sample => Some(image.texel()),
            Self::Size(_) | Self::Levels => Some(Type::Scalar(Scalar::U32)),
            Self::Store => None,
        }
    }
}
