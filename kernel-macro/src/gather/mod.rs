//! Gathering: how an expansion, which sees one item, gets the tokens of every item that one names.
//!
//! Beside each device item stands a hidden macro of the same name, so that one `use` imports both. A call of it hands
//! the item's tokens, and those of all it names, to a callback. An expansion asks for what its item names one path at a
//! time, carrying its [`State`] along, and ends when nothing is left. Each item gathers in its own scope, so names mean
//! what they mean where they stand. Nothing here looks into types.

mod cycle;
mod entry;
mod key;
mod names;
mod outline;
mod state;
mod unmarked;

pub(crate) use cycle::check_cycle;
pub(crate) use entry::{Closure, Entry, EntryKind};
pub(crate) use key::{Place, item_key, key_digest};
pub(crate) use names::{
    calls_of, names_of_alias, names_of_const, names_of_enum, names_of_fn, names_of_impl, names_of_struct,
    names_of_trait, names_of_type,
};
pub(crate) use state::{Resumed, State, first_call, path_tokens, spelled_call};
#[cfg(test)]
pub(crate) use unmarked::seek_in;
pub(crate) use unmarked::{Sought, Unmarked, is_associated, seek};
