//! Errors of failed Vulkan calls.

use ash::vk;

use super::Error;

impl Error {
    /// The error of a failed Vulkan call.
    pub(crate) fn vulkan(operation: &'static str) -> impl FnOnce(vk::Result) -> Self {
        move |result| match result {
            vk::Result::ERROR_DEVICE_LOST => Self::DeviceLost { operation },
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                Self::OutOfMemory { object: operation.to_owned(), bytes: 0, cause: format!("{result:?}") }
            }
            _ => Self::Vulkan { operation, result },
        }
    }
}
