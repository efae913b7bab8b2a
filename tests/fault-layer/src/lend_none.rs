//! Semaphores that devices share, on systems without descriptors: none.

use std::ffi::c_void;

use ash::vk;

pub(crate) const EXTENSION: &str = "VK_KHR_external_semaphore_fd";

pub(crate) fn is_on() -> bool {
    false
}

pub(crate) fn create(_: vk::Device, _: *const c_void, _: *const c_void, _: *mut c_void) -> Option<vk::Result> {
    None
}

pub(crate) fn export(_: vk::Device, _: *const c_void, _: *mut c_void) -> Option<vk::Result> {
    None
}

pub(crate) fn import(_: vk::Device, _: *const c_void) -> Option<vk::Result> {
    None
}

pub(crate) fn destroyed(_: vk::Device, _: u64) {}
