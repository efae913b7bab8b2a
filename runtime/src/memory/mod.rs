//! Memory of a device: buffers, and the tensors, images and views made of them. It must not know recordings.

pub(crate) mod buffer;
pub(crate) mod crossing;
pub mod data;
pub(crate) mod distinct;
pub(crate) mod host_copies;
pub(crate) mod image;
pub(crate) mod mapped;
pub(crate) mod offsets;
pub(crate) mod padding;
pub(crate) mod page_vec;
pub(crate) mod scatter;
#[cfg(unix)]
pub(crate) mod shared_memory;
pub(crate) mod tensor;
pub(crate) mod tensor_view;
