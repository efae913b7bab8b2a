//! A Vulkan layer that fails calls on demand and counts what is made and destroyed. It must change nothing unless told to, and
//! knows nothing of gridwise.
//!
//! A loader that finds the layer's manifest (see [`manifest`]) opens this library. A test opens the same library, gets its
//! [`Control`] by the symbol [`CONTROL`], and says which call fails and how.

mod calls;
mod chain;
mod control;
#[cfg(unix)]
mod lend;
#[cfg(not(unix))]
#[path = "lend_none.rs"]
mod lend;
mod plan;
mod properties;

pub use control::{CONTROL, Called, Control};

/// The layer's name, for `VK_INSTANCE_LAYERS`.
pub const LAYER: &str = "VK_LAYER_GRIDWISE_fault";

/// The manifest that lets a loader find the library at a path. Its file's name ends with `.json`.
pub fn manifest(library: &str) -> String {
    let library = library.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        r#"{{
  "file_format_version": "1.1.2",
  "layer": {{
    "name": "{LAYER}",
    "type": "GLOBAL",
    "library_path": "{library}",
    "api_version": "1.3.0",
    "implementation_version": "1",
    "description": "fails calls on demand"
  }}
}}
"#
    )
}
