//! Types of Rust's library that are known to kernels as items that the macro writes itself: `core::cmp::Reverse`.

use quote::quote;

use super::entry::{Closure, Entry, EntryKind};
use super::place::place_at;
use crate::ast::Path;

/// The name of `core::cmp::Reverse`; also that of the word by which its definition says that it orders the other way round.
pub(crate) const REVERSE: &str = "Reverse";

/// Whether a path names `core::cmp::Reverse`, unless an item of the crate has that name, too.
pub(super) fn may_be_reverse(path: &Path) -> bool {
    match path.segments.as_slice() {
        [name] => name == REVERSE,
        [module, name] => module == "cmp" && name == REVERSE,
        [root, module, name] => (root == "core" || root == "std") && module == "cmp" && name == REVERSE,
        _ => false,
    }
}

/// The item that stands for the library's type; `None` for other paths. That a bare name means that type is asserted where it is called.
pub(crate) fn library_item(path: &Path) -> Option<Closure> {
    let is_own = || {
        let place = path.as_name().and_then(place_at);
        place.and_then(|place| place.find_item(&[REVERSE.to_owned()])).is_some()
    };
    if !may_be_reverse(path) || is_own() {
        return None;
    }
    let tokens = quote! {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Reverse)]
        pub struct Reverse<T>(pub T);
    };
    let entry = Entry {
        key: "core::cmp::Reverse".to_owned(),
        file: String::new(),
        position: (1, 1),
        kind: EntryKind::DeviceStruct,
        tokens,
        uses: Vec::new(),
    };
    Some(Closure::Items(vec![entry]))
}
