//! Types of Rust's library that are known to kernels as items that the macro writes itself: `core::cmp::Reverse`,
//! `core::num::Wrapping` and `core::marker::PhantomData`.

use quote::quote;

use super::entry::{Closure, Entry, EntryKind};
use super::place::place_at;
use crate::ast::Path;

/// The name of `core::cmp::Reverse`; also that of the word by which its definition says that it orders the other way round.
pub(crate) const REVERSE: &str = "Reverse";

/// The name of `core::num::Wrapping`; also that of the word by which its definition says that its operators are those of its member.
pub(crate) const WRAPPING: &str = "Wrapping";

/// The types and their modules.
const TYPES: [(&str, &str); 3] = [("cmp", REVERSE), ("num", WRAPPING), ("marker", "PhantomData")];

/// The type of Rust's library that a path names, unless an item of the crate has that name, too.
fn library_type(path: &Path) -> Option<(&'static str, &'static str)> {
    TYPES.into_iter().find(|(of, known)| match path.segments.as_slice() {
        [name] => name == known,
        [module, name] => module == of && name == known,
        [root, module, name] => (root == "core" || root == "std") && module == of && name == known,
        _ => false,
    })
}

/// Whether a path names such a type, unless an item of the crate has that name, too.
pub(super) fn may_be_library(path: &Path) -> bool {
    library_type(path).is_some()
}

/// The item that stands for the library's type; `None` for other paths. That a bare name means that type is asserted where it is called.
pub(crate) fn library_item(path: &Path) -> Option<Closure> {
    let (module, name) = library_type(path)?;
    let place = path.as_name().and_then(place_at);
    if place.and_then(|place| place.find_item(&[name.to_owned()])).is_some() {
        return None;
    }
    let tokens = match name {
        REVERSE => quote! {
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Reverse)]
            pub struct Reverse<T>(pub T);
        },
        WRAPPING => quote! {
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Wrapping)]
            pub struct Wrapping<T>(pub T);
        },
        _ => quote! {
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
            pub struct PhantomData<T>;
        },
    };
    let entry = Entry {
        key: format!("core::{module}::{name}"),
        file: String::new(),
        position: (1, 1),
        kind: EntryKind::DeviceStruct,
        tokens,
        uses: Vec::new(),
    };
    Some(Closure::Items(vec![entry]))
}
