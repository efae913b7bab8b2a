//! The built-in functions and methods of kernels, from Rust, glam and gridwise: tables, a file for each family. They
//! must not infer, lower or render anything.

pub(crate) mod ascii;
pub(crate) mod character;
pub(crate) mod direction;
pub(crate) mod elementary;
pub(crate) mod foreign;
pub(crate) mod format;
pub(crate) mod image;
pub(crate) mod int;
pub(crate) mod intrinsic;
pub(crate) mod iteration;
pub(crate) mod lanes;
pub(crate) mod matrix;
pub(crate) mod names;
pub(crate) mod overflow;
pub(crate) mod rotation;
pub(crate) mod slice;
pub(crate) mod standard;
pub(crate) mod vector;
pub(crate) mod wide;
