//! Timeline semaphores that devices share (`VK_KHR_external_semaphore_fd`), for drivers that share none: a thread carries the values
//! of an exported semaphore over to those that import it. It must do nothing unless the plan says so.

use std::ffi::c_void;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, IntoRawFd};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

use ash::vk::{self, Handle};

use crate::chain::{function_of, key_of};
use crate::plan;

/// The device extension.
pub(crate) const EXTENSION: &str = "VK_KHR_external_semaphore_fd";

/// A semaphore of a device.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Of {
    device: vk::Device,
    semaphore: vk::Semaphore,
}

#[derive(Default)]
struct Lent {
    /// By their number, which descriptors carry.
    exports: Vec<(u64, Of)>,
    /// From an export, to what imports it.
    links: Vec<(Of, Of)>,
    last: u64,
}

fn lent() -> MutexGuard<'static, Lent> {
    static LENT: Mutex<Lent> = Mutex::new(Lent { exports: Vec::new(), links: Vec::new(), last: 0 });
    LENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether devices are said to share semaphores.
pub(crate) fn is_on() -> bool {
    plan::with(|plan| plan.lends)
}

/// The next layer's function of a semaphore's device.
macro_rules! next {
    ($device:expr, $name:literal, $ty:ty) => {
        function_of(key_of($device.as_raw()), $name).map(|function| {
            // SAFETY: a function of this name has this type.
            unsafe { std::mem::transmute::<unsafe extern "system" fn(), $ty>(function) }
        })
    };
}

impl Of {
    fn value(self) -> Option<u64> {
        let get = next!(self.device, c"vkGetSemaphoreCounterValue", vk::PFN_vkGetSemaphoreCounterValue)?;
        let mut value = 0;
        // SAFETY: a semaphore of the device that was not destroyed, which takes the lock.
        (unsafe { get(self.device, self.semaphore, &raw mut value) } == vk::Result::SUCCESS).then_some(value)
    }

    /// Carries its value over to another.
    fn carry_to(self, target: Self) {
        let (Some(value), Some(known)) = (self.value(), target.value()) else { return };
        let signal = next!(target.device, c"vkSignalSemaphore", vk::PFN_vkSignalSemaphore);
        if let Some(signal) = signal.filter(|_| value > known) {
            let info = vk::SemaphoreSignalInfo::default().semaphore(target.semaphore).value(value);
            // SAFETY: as above, and no submission signals it.
            _ = unsafe { signal(target.device, &raw const info) };
        }
    }
}

/// Makes a semaphore to be exported as any other; `None` for others.
pub(crate) fn create(
    device: vk::Device,
    info: *const c_void,
    allocator: *const c_void,
    out: *mut c_void,
) -> Option<vk::Result> {
    if !is_on() {
        return None;
    }
    let create = next!(device, c"vkCreateSemaphore", vk::PFN_vkCreateSemaphore)?;
    let mut kind = vk::SemaphoreTypeCreateInfo::default();
    // SAFETY: the caller's valid info, with a valid chain.
    unsafe {
        let mut at = (*info.cast::<vk::SemaphoreCreateInfo<'_>>()).p_next.cast::<vk::BaseInStructure<'_>>();
        while let Some(structure) = at.as_ref() {
            if structure.s_type == vk::StructureType::SEMAPHORE_TYPE_CREATE_INFO {
                let found = &*at.cast::<vk::SemaphoreTypeCreateInfo<'_>>();
                kind = kind.semaphore_type(found.semaphore_type).initial_value(found.initial_value);
            }
            at = structure.p_next;
        }
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        Some(create(device, &raw const info, allocator.cast(), out.cast()))
    }
}

/// `vkGetSemaphoreFdKHR`: a pipe with the number of the export.
pub(crate) fn export(device: vk::Device, info: *const c_void, out: *mut c_void) -> Option<vk::Result> {
    if !is_on() {
        return None;
    }
    // SAFETY: the caller's valid info.
    let semaphore = unsafe { (*info.cast::<vk::SemaphoreGetFdInfoKHR<'_>>()).semaphore };
    let mut lent = lent();
    lent.last += 1;
    let number = lent.last;
    let Ok((reader, mut writer)) = std::io::pipe() else { return Some(vk::Result::ERROR_TOO_MANY_OBJECTS) };
    if writer.write_all(&number.to_le_bytes()).is_err() {
        return Some(vk::Result::ERROR_OUT_OF_HOST_MEMORY);
    }
    lent.exports.push((number, Of { device, semaphore }));
    // SAFETY: the caller's place for a descriptor.
    unsafe { *out.cast() = reader.into_raw_fd() };
    Some(vk::Result::SUCCESS)
}

/// `vkImportSemaphoreFdKHR`.
pub(crate) fn import(device: vk::Device, info: *const c_void) -> Option<vk::Result> {
    if !is_on() {
        return None;
    }
    // SAFETY: the caller's valid info.
    let (semaphore, fd) = unsafe {
        let info = &*info.cast::<vk::ImportSemaphoreFdInfoKHR<'_>>();
        (info.semaphore, info.fd)
    };
    let (mut number, target) = ([0; 8], Of { device, semaphore });
    // SAFETY: the descriptor is the driver's from now on.
    if unsafe { File::from_raw_fd(fd) }.read_exact(&mut number).is_err() {
        return Some(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
    }
    let mut lent = lent();
    let found = lent.exports.iter().find(|(known, _)| *known == u64::from_le_bytes(number));
    let Some((_, source)) = found.copied() else { return Some(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE) };
    lent.links.push((source, target));
    static STARTED: Once = Once::new();
    STARTED.call_once(|| drop(thread::spawn(carry)));
    Some(vk::Result::SUCCESS)
}

/// The main loop of the thread.
fn carry() {
    loop {
        let lent = lent();
        lent.links.iter().for_each(|(from, to)| from.carry_to(*to));
        let pause = if lent.links.is_empty() { 2000 } else { 100 };
        drop(lent);
        thread::sleep(Duration::from_micros(pause));
    }
}

/// A semaphore is about to be destroyed.
pub(crate) fn destroyed(device: vk::Device, semaphore: u64) {
    let gone = Of { device, semaphore: vk::Semaphore::from_raw(semaphore) };
    let mut lent = lent();
    lent.links.iter().filter(|(from, _)| *from == gone).for_each(|(from, to)| from.carry_to(*to));
    lent.links.retain(|(from, to)| *from != gone && *to != gone);
    lent.exports.retain(|(_, of)| *of != gone);
}
