//! Gathering: how an expansion, which sees one item, gets the tokens of every item that one names.
//!
//! Beside each device item stands a hidden macro of the same name, so that one `use` imports both. A call of it hands
//! the item's tokens, and those of all it names, to a callback. An expansion asks for what its item names one path at a
//! time, carrying its [`State`] along, and ends when nothing is left. Each item gathers in its own scope, so names mean
//! what they mean where they stand. Nothing here looks into types.
//!
//! For example, a kernel that calls `math::lerp` expands to `math::lerp! { … callback … }`. The callback resumes it
//! with the tokens, asks for the next path, and expands to the result when none is left. So `use math::lerp;` brings
//! the function and its tokens, whatever the path, across modules and crates. An item is known by a key made of its
//! crate, place and text.
//!
//! A `#[device] mod` is one unit: the macro of each of its items hands out all of them, so that a type brings the
//! `impl` blocks beside it. A lone `#[device] impl` could not be found, because nothing leads from a type to macros
//! that come after it.
//!
//! A `use` in a function is resolved by the parser, which puts whole paths in its place. The names that `use State::*`
//! brings come from the enum, which is gathered first (`expand/globs.rs`); those of `use shapes::*` come from the text of the module
//! (`place.rs`). A trait that is imported for its methods alone is named by no
//! path: it is looked for in the text of the files (`traits.rs`). A bare `PI` counts as that of `f32::consts`,
//! and the rendering asserts that it is.

mod cycle;
mod entry;
mod file;
mod key;
mod library;
mod locals;
mod names;
mod outline;
mod own_types;
mod place;
mod state;
mod step;
mod traits;
mod unmarked;

pub(crate) use cycle::check_cycle;
pub(crate) use entry::{Closure, Entry, EntryKind};
pub(crate) use file::is_associated;
pub(crate) use key::{Place, item_key, key_digest};
pub(crate) use library::{REVERSE, WRAPPING, library_item};
pub(crate) use names::{
    calls_of, names_of_alias, names_of_const, names_of_enum, names_of_fn, names_of_impl, names_of_struct,
    names_of_trait, names_of_type,
};
pub(crate) use own_types::{is_own_subgroup, is_own_type, may_be_own_type, spell_raw, to_own_type};
pub(crate) use place::{ITEMS_OF, names_shown};
pub(crate) use state::{Resumed, State, first_call, path_tokens, spelled_call};
pub(crate) use step::step;
#[cfg(test)]
pub(crate) use traits::traits_in;
pub(crate) use traits::traits_in_scope;
#[cfg(test)]
pub(crate) use unmarked::seek_in;
pub(crate) use unmarked::{Lookup, Unmarked, seek};
