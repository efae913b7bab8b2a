//! Recording: what a sequence is made of, checked when it is recorded. It must not submit, nor know who runs it.

pub(crate) mod again;
pub(crate) mod algorithm;
mod aliases;
pub(crate) mod args;
pub(crate) mod event;
pub(crate) mod hooks;
mod image_args;
pub(crate) mod indirect;
pub mod kernel;
pub(crate) mod kernels;
pub(crate) mod launch;
pub(crate) mod lists;
pub(crate) mod mismatch;
pub(crate) mod module;
pub mod ops;
pub(crate) mod parameter;
pub(crate) mod proven;
pub(crate) mod races;
pub(crate) mod slots;
pub(crate) mod steps;
pub(crate) mod swap;
pub(crate) mod table;
mod untyped;
pub(crate) mod value_arg;
