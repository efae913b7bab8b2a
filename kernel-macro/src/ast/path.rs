//! Paths as written; not resolved.

use std::fmt::Write as _;

use proc_macro2::Ident;

use super::PathArgs;

/// A path as written.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) leading_colon: bool,
    pub(crate) segments: Vec<Ident>,
    /// The generic arguments of those segments that have some, in order.
    pub(crate) generics: Vec<PathArgs>,
    /// The trait of `<T as Trait>::NAME`, whose segments are those of `T::NAME`.
    pub(crate) through: Option<Box<Path>>,
}

impl Path {
    /// A path without generic arguments.
    pub(crate) fn plain(leading_colon: bool, segments: Vec<Ident>) -> Self {
        Self { leading_colon, segments, generics: Vec::new(), through: None }
    }

    /// The generic arguments of the last segment.
    pub(crate) fn last_args(&self) -> Option<&PathArgs> {
        self.generics.last().filter(|args| args.segment + 1 == self.segments.len())
    }

    /// The path as text, without generic arguments, `a::b`: the key of gathered items.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (position, segment) in self.segments.iter().enumerate() {
            if position > 0 || self.leading_colon {
                text.push_str("::");
            }
            // Writing to a string cannot fail.
            let _ = write!(text, "{segment}");
        }
        text
    }

    /// Whether both have the same [`text`](Self::text).
    pub(crate) fn is_written_as(&self, other: &Self) -> bool {
        self.leading_colon == other.leading_colon && self.segments == other.segments
    }

    /// The only segment of a path that is a plain name.
    pub(crate) fn as_name(&self) -> Option<&Ident> {
        match self.segments.as_slice() {
            [name] if !self.leading_colon => Some(name),
            _ => None,
        }
    }
}
