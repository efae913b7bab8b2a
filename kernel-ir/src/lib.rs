//! The gridwise intermediate representation, its passes and its SPIR-V back end; knows nothing of `syn`, `proc_macro` or Vulkan.

pub mod descriptor;

#[cfg(feature = "compiler")]
pub mod arena;
#[cfg(feature = "compiler")]
pub mod ir;
#[cfg(feature = "compiler")]
pub mod op;
#[cfg(feature = "compiler")]
pub mod types;
