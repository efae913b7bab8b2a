//! Images as parameters of kernels: their types, as named, and their methods. It must not know what these become.

use gridwise_ir::ir::Image;
use gridwise_ir::types::Scalar;

use crate::ast::ScalarName;
use crate::typed::Ty;

/// The type of an image parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ImageTy {
    pub(crate) image: Image,
    /// `&mut`: it may be stored to.
    pub(crate) mutable: bool,
}

/// Dimensions of the image that a type's name stands for, and whether it comes with a sampler.
pub(crate) fn named(name: &str) -> Option<(u8, bool)> {
    Some(match name {
        "Image1D" => (1, false),
        "Image2D" => (2, false),
        "Image3D" => (3, false),
        "Sampled1D" => (1, true),
        "Sampled2D" => (2, true),
        "Sampled3D" => (3, true),
        _ => return None,
    })
}

impl ImageTy {
    /// The type as written, without its reference.
    pub(crate) fn name(&self) -> String {
        let Image { format, dimensions, is_sampled } = self.image;
        format!("{}{dimensions}D<{format}>", if is_sampled { "Sampled" } else { "Image" })
    }

    /// A texel.
    pub(crate) fn texel(&self) -> Ty {
        use gridwise_ir::types::Type;
        let name = |scalar| match scalar {
            Scalar::U32 => ScalarName::U32,
            Scalar::I32 => ScalarName::I32,
            _ => ScalarName::F32,
        };
        match self.image.texel() {
            Type::Vector(scalar, lanes) => Ty::Vector(name(scalar), lanes),
            Type::Scalar(scalar) => Ty::Scalar(name(scalar)),
            _ => Ty::Error,
        }
    }

    /// A position: one number for each dimension.
    fn position(&self, scalar: ScalarName) -> Ty {
        match self.image.dimensions {
            1 => Ty::Scalar(scalar),
            lanes => Ty::Vector(scalar, lanes),
        }
    }
}

/// A method of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageMethod {
    Load,
    Store,
    Size,
    Fetch,
    Levels,
    Sample,
    SampleLevel,
}

impl ImageMethod {
    /// Those of storage images, then those of images with samplers.
    pub(crate) const ALL: [(&'static str, bool, Self); 8] = [
        ("load", false, Self::Load),
        ("store", false, Self::Store),
        ("size", false, Self::Size),
        ("fetch", true, Self::Fetch),
        ("levels", true, Self::Levels),
        ("sample", true, Self::Sample),
        ("sample_level", true, Self::SampleLevel),
        ("size", true, Self::Size),
    ];

    /// The method of this name.
    pub(crate) fn named(image: &ImageTy, name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, sampled, _)| *known == name && *sampled == image.image.is_sampled).map(|(.., method)| method)
    }

    /// The types of the arguments.
    pub(crate) fn params(self, image: &ImageTy) -> Vec<Ty> {
        let (texels, places) = (image.position(ScalarName::U32), image.position(ScalarName::F32));
        match self {
            Self::Load => vec![texels],
            Self::Store => vec![texels, image.texel()],
            Self::Fetch => vec![texels, Ty::U32],
            Self::Sample => vec![places],
            Self::SampleLevel => vec![places, Ty::F32],
            Self::Size | Self::Levels => Vec::new(),
        }
    }

    /// The type of the result.
    pub(crate) fn result(self, image: &ImageTy) -> Ty {
        match self {
            Self::Load | Self::Fetch | Self::Sample | Self::SampleLevel => image.texel(),
            Self::Store => Ty::Unit,
            Self::Size => image.position(ScalarName::U32),
            Self::Levels => Ty::U32,
        }
    }

    /// The function that the twin calls instead, which panics if there is no texel.
    pub(crate) const fn checked(self) -> Option<&'static str> {
        match self {
            Self::Load => Some("twin_load"),
            Self::Store => Some("twin_store"),
            Self::Fetch => Some("twin_fetch"),
            Self::Size | Self::Levels | Self::Sample | Self::SampleLevel => None,
        }
    }
}
