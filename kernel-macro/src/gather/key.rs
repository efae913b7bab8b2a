//! A key for each source item: the same wherever the item is gathered, different for different items.

use std::hash::{DefaultHasher, Hash, Hasher};

use proc_macro2::Ident;

/// The place of an item in the source.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) file: String,
    /// Line and column, both from 1.
    pub(crate) position: (u32, u32),
}

impl Place {
    /// The place of `name`.
    pub(crate) fn of(name: &Ident) -> Self {
        let span = name.span();
        let start = span.start();
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Self { file: span.file(), position: (number(start.line), number(start.column).saturating_add(1)) }
    }
}

/// Crate, place and name of an item; for one written by a macro also which expansion it is.
pub(crate) fn item_key(name: &Ident) -> String {
    let place = Place::of(name);
    let (line, column) = place.position;
    let crate_name = std::env::var("CARGO_CRATE_NAME").or_else(|_| std::env::var("CARGO_PKG_NAME")).unwrap_or_default();
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // A span prints as `#<expansion> bytes(…)`; expansion 0 is source text. Two calls of one macro that writes items
    // put them at the same place.
    let span = format!("{:?}", name.span());
    let expansion = span.split(' ').next().filter(|text| text.starts_with('#') && *text != "#0").unwrap_or_default();
    format!("{crate_name} {version} {}:{line}:{column} {name}{expansion}", place.file)
}

/// A short name-safe digest of a key.
pub(crate) fn key_digest(key: &str) -> String {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
