//! The gridwise intermediate representation, its passes and its SPIR-V back end; knows nothing of `syn`, `proc_macro` or Vulkan.

pub mod binary;
pub mod descriptor;
pub mod faults;
pub mod reflect;
pub mod variant;
pub mod watch;

#[cfg(feature = "compiler")]
pub mod arena;
#[cfg(feature = "compiler")]
pub mod batch;
#[cfg(feature = "compiler")]
pub mod builder;
#[cfg(feature = "compiler")]
pub mod check_groups;
#[cfg(feature = "compiler")]
pub mod compile;
#[cfg(feature = "compiler")]
pub mod coop;
#[cfg(feature = "compiler")]
pub mod few;
#[cfg(feature = "compiler")]
pub mod float16;
#[cfg(feature = "compiler")]
pub mod flow;
#[cfg(feature = "compiler")]
pub mod grad;
#[cfg(feature = "compiler")]
pub mod hash;
#[cfg(feature = "compiler")]
pub mod interpret;
#[cfg(feature = "compiler")]
pub mod ir;
#[cfg(feature = "compiler")]
mod launch_program;
#[cfg(feature = "compiler")]
pub mod layout;
#[cfg(feature = "compiler")]
mod locals;
#[cfg(feature = "compiler")]
pub mod op;
#[cfg(feature = "compiler")]
pub mod parallel;
#[cfg(feature = "compiler")]
pub mod parse;
#[cfg(feature = "compiler")]
pub mod passes;
#[cfg(feature = "compiler")]
pub mod print;
#[cfg(feature = "compiler")]
pub mod races;
#[cfg(feature = "compiler")]
mod rounds;
#[cfg(feature = "compiler")]
pub mod rust;
#[cfg(feature = "compiler")]
pub mod spirv;
#[cfg(feature = "compiler")]
pub mod types;
#[cfg(feature = "compiler")]
pub mod typing;
#[cfg(feature = "compiler")]
pub mod uniformity;
#[cfg(feature = "compiler")]
pub mod verify;
#[cfg(feature = "compiler")]
mod written_first;
