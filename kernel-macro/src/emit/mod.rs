//! The Rust that an expansion gives: the renderings of the typed tree, the items beside them, and the tokens that both are made of.

pub(crate) mod codegen;
mod derivative;
pub(crate) mod editor;
mod gradient;
mod quaternions;
pub(crate) mod render;
pub(crate) mod tokens;

pub(crate) use derivative::{derivatives, fits};
pub(crate) use gradient::{gradient, placed};
pub(crate) use quaternions::print_options;
