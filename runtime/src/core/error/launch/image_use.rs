//! The intended uses of images, in the words of errors.

/// The intended use of an image.
///
/// ```
/// use gridwise::ImageUse;
///
/// assert_eq!(ImageUse::Filtered.to_string(), "that samplers can filter");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageUse {
    /// For anything.
    Any,
    /// For kernels that load and store texels.
    Storage,
    /// For samplers.
    Sampled,
    /// For samplers that mix neighbours.
    Filtered,
    /// For copies that are scaled, as levels are made of levels.
    Scaled,
}

impl std::fmt::Display for ImageUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Any => "that kernels can use",
            Self::Storage => "that kernels can load and store",
            Self::Sampled => "that samplers can read",
            Self::Filtered => "that samplers can filter",
            Self::Scaled => "that can be scaled",
        })
    }
}
