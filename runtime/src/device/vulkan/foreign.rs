//! Waits for submissions of other devices, on the device: timelines that one device exports and another imports
//! (`VK_KHR_external_semaphore_fd`). The host only looks after a device that is lost, so that the other does not wait for ever.
//!
//! A queue that somebody else waits for has a second timeline for that. It is made for the first wait, so that a queue which nobody
//! else waits for signals no more than before. Its values are the numbers of the queue's own submissions.

use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize,
    Ordering::{Relaxed, Release},
};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, TryLockError, Weak};
use std::time::Duration;

use ash::vk;

use super::device::{VulkanDevice, Watch};
use crate::core::error::{Error, Result};
use crate::core::sync::schedule::{Schedule, Submission, Ticket};

const FD: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

/// How often somebody who waits looks after the other device.
pub(super) const LOOK: Duration = Duration::from_millis(10);

/// The timeline of a queue for other devices, once one of them has waited for it.
#[derive(Default)]
pub(super) struct Exported {
    semaphore: OnceLock<vk::Semaphore>,
    /// The last submission that signals it. Changed under the schedule's lock.
    signaled: AtomicU64,
}

/// The timelines of other devices, and the submissions that wait for them.
#[derive(Default)]
pub(super) struct Foreign {
    state: Mutex<State>,
    /// The number of waits in the state, to be read without its lock.
    waits: AtomicUsize,
}

#[derive(Default)]
struct State {
    imported: Vec<Imported>,
    waits: Vec<Pending>,
}

/// The timeline of a queue of another device.
struct Imported {
    source: Weak<VulkanDevice>,
    queue: usize,
    semaphore: vk::Semaphore,
}

/// A submission of this device that waits for one of another.
struct Pending {
    own: Ticket,
    wait: ForeignWait,
    /// The progress of the other device.
    watch: Watch,
}

/// A wait of a submission for one of another device.
#[derive(Clone)]
pub(crate) struct ForeignWait {
    source: Weak<VulkanDevice>,
    ticket: Ticket,
    semaphore: vk::Semaphore,
    /// Set when the other device is lost before it has signalled.
    is_lost: Arc<AtomicBool>,
}

/// The rest of a submission that other devices wait for, or that waits for them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Across<'a> {
    pub(crate) waits: &'a [ForeignWait],
    /// Whether others may wait for it.
    pub(crate) is_event: bool,
}

/// Whether timelines of the device can be exported and imported.
pub(super) fn has_exports(instance: &ash::Instance, physical: vk::PhysicalDevice) -> bool {
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let info = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(FD).push_next(&mut kind);
    let mut properties = vk::ExternalSemaphoreProperties::default();
    // SAFETY: the device is of the instance, and speaks Vulkan 1.2.
    unsafe { instance.get_physical_device_external_semaphore_properties(physical, &info, &mut properties) };
    let both = vk::ExternalSemaphoreFeatureFlags::EXPORTABLE | vk::ExternalSemaphoreFeatureFlags::IMPORTABLE;
    properties.external_semaphore_features.contains(both)
}

impl VulkanDevice {
    /// Whether each of two devices can wait for the other's submissions without the host.
    pub(crate) fn can_wait_for(&self, other: &Self) -> bool {
        let [_, uuids @ ..] = self.caps.identity.uuids;
        let [_, others @ ..] = other.caps.identity.uuids;
        self.semaphore_fds.is_some() && other.semaphore_fds.is_some() && uuids == others
    }

    /// Gets ready to wait for a submission of another device; nothing where it is complete.
    ///
    /// # Errors
    /// When one of the devices fails.
    pub(crate) fn wait_for_foreign(
        &self,
        source: &Arc<Self>,
        schedule: &Schedule,
        ticket: Ticket,
        is_lost: &Arc<AtomicBool>,
    ) -> Result<Option<ForeignWait>> {
        if schedule.is_completed(ticket) {
            return Ok(None);
        }
        source.health.check("waiting for an event of another manager")?;
        let semaphore = self.imported(source, ticket.queue)?;
        schedule.with_submitted(ticket.queue, |last| source.signal_exported(ticket, last))?;
        let source = Arc::downgrade(source);
        Ok(Some(ForeignWait { source, ticket, semaphore, is_lost: is_lost.clone() }))
    }

    /// This device's end of a timeline of another.
    fn imported(&self, source: &Arc<Self>, queue: usize) -> Result<vk::Semaphore> {
        let mut state = self.foreign.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { imported, waits } = &mut *state;
        let is_meant = |known: &&Imported| std::ptr::eq(known.source.as_ptr(), Arc::as_ptr(source));
        if let Some(known) = imported.iter().filter(is_meant).find(|known| known.queue == queue) {
            return Ok(known.semaphore);
        }
        let is_unused = |known: &mut Imported| {
            known.source.strong_count() == 0 && !waits.iter().any(|pending| pending.wait.semaphore == known.semaphore)
        };
        for unused in imported.extract_if(.., is_unused) {
            // SAFETY: no submission waits for it any more.
            unsafe { self.raw.destroy_semaphore(unused.semaphore, None) };
        }
        let semaphore = self.import(source, queue)?;
        imported.push(Imported { source: Arc::downgrade(source), queue, semaphore });
        Ok(semaphore)
    }

    fn import(&self, source: &Self, queue: usize) -> Result<vk::Semaphore> {
        let (Some(exports), Some(imports)) = (&source.semaphore_fds, &self.semaphore_fds) else {
            return Err(Error::CannotShare { device: self.name.clone(), why: "its semaphores cannot be imported" });
        };
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(source.exported(queue)?).handle_type(FD);
        // SAFETY: a live semaphore that was made to be exported.
        let fd = unsafe { exports.get_semaphore_fd(&info) }.map_err(Error::vulkan("vkGetSemaphoreFdKHR"))?;
        let made = self.create_timeline().and_then(|semaphore| {
            let info = vk::ImportSemaphoreFdInfoKHR::default().semaphore(semaphore).handle_type(FD).fd(fd);
            // SAFETY: a new timeline semaphore, and a descriptor of one of the same device and driver.
            let imported = unsafe { imports.import_semaphore_fd(&info) };
            imported.map(|()| semaphore).map_err(|result| {
                // SAFETY: nobody else knows it.
                unsafe { self.raw.destroy_semaphore(semaphore, None) };
                Error::vulkan("vkImportSemaphoreFdKHR")(result)
            })
        });
        #[cfg(unix)]
        if made.is_err() {
            // SAFETY: the driver takes a descriptor that it imports, and leaves others to the caller.
            drop(unsafe { <std::os::fd::OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(fd) });
        }
        made
    }

    /// The timeline of a queue for other devices, made for the first of them.
    fn exported(&self, queue: usize) -> Result<vk::Semaphore> {
        let known = &self.queues[queue].exported.semaphore;
        if let Some(semaphore) = known.get() {
            return Ok(*semaphore);
        }
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(FD);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind).push_next(&mut export);
        // SAFETY: valid infos; the device exports timelines.
        let made = unsafe { self.raw.create_semaphore(&info, None) }.map_err(Error::vulkan("vkCreateSemaphore"))?;
        let kept = *known.get_or_init(|| made);
        if kept != made {
            // SAFETY: another thread was first; nobody knows this one.
            unsafe { self.raw.destroy_semaphore(made, None) };
        }
        Ok(kept)
    }

    /// Lets the timeline for other devices come to a submission, where it does not yet. Called under the schedule's lock, with the number
    /// of the queue's last submission.
    fn signal_exported(&self, ticket: Ticket, last: u64) -> Result<()> {
        let exported = &self.queues[ticket.queue].exported;
        let Some(semaphore) = exported.semaphore.get() else { return Ok(()) };
        if exported.signaled.load(Relaxed) < ticket.number {
            // A signal comes behind all that was submitted before it.
            self.submit_raw(ticket.queue, &[], (&[], &[]), (&[*semaphore], &[last]))?;
            exported.signaled.store(last, Relaxed);
        }
        Ok(())
    }

    /// As [`submit`](Self::submit), between submissions of other devices.
    pub(crate) fn submit_across(
        &self,
        commands: vk::CommandBuffer,
        submission: &Submission,
        across: Across<'_>,
    ) -> Result<()> {
        let Submission { ticket, .. } = *submission;
        let exported = &self.queues[ticket.queue].exported;
        let told = exported.semaphore.get().filter(|_| across.is_event);
        if told.is_none() && across.waits.is_empty() {
            return self.submit(commands, submission);
        }
        let waits: Vec<_> = across.waits.iter().map(|wait| (wait.semaphore, wait.ticket.number)).collect();
        self.submit_with(commands, submission, &waits, told.copied())?;
        if told.is_some() {
            exported.signaled.store(ticket.number, Relaxed);
        }
        if !waits.is_empty() {
            let mut state = self.foreign.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.waits.retain(|pending| !self.is_passed(pending.own));
            let pending = |wait: &ForeignWait| {
                let patience = wait.source.upgrade().and_then(|source| source.health.patience);
                Pending { own: ticket, wait: wait.clone(), watch: Watch::new(patience) }
            };
            state.waits.extend(across.waits.iter().map(pending));
            self.foreign.waits.store(state.waits.len(), Relaxed);
        }
        Ok(())
    }

    /// The longest that a wait may last before it looks after other devices.
    pub(super) fn until_look(&self, timeout: Option<Duration>) -> Option<Duration> {
        match self.foreign.waits.load(Relaxed) {
            0 => timeout,
            _ => Some(timeout.map_or(LOOK, |timeout| timeout.min(LOOK))),
        }
    }

    /// Looks after the devices that submissions of this one wait for: what a lost one will never signal is signalled for it. True while
    /// one of them has not come so far.
    pub(super) fn look_after_others(&self) -> bool {
        if self.foreign.waits.load(Relaxed) == 0 {
            return false;
        }
        // Somebody else looks; or it is this thread, of devices that wait for each other in turn.
        let mut state = match self.foreign.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => return true,
        };
        let mut is_behind = false;
        state.waits.retain_mut(|pending| !self.is_over(pending, &mut is_behind));
        self.foreign.waits.store(state.waits.len(), Relaxed);
        is_behind
    }

    /// Whether a submission needs no looking after: it is complete, or its device works no more.
    fn is_passed(&self, ticket: Ticket) -> bool {
        self.completed(ticket.queue).map_or_else(|_| self.health.is_gone(), |completed| completed >= ticket.number)
    }

    fn is_over(&self, Pending { own, wait, watch }: &mut Pending, is_behind: &mut bool) -> bool {
        if self.is_passed(*own) {
            return true;
        }
        let is_lost = match wait.source.upgrade() {
            // Nothing of it runs any more.
            None => true,
            Some(source) => match source.has_passed(wait.ticket) {
                Ok(true) if !source.health.is_gone() => return false,
                Ok(false) => {
                    if source.look_after_others() {
                        *watch = Watch::new(source.health.patience);
                    }
                    source.check_progress(watch).is_err() && source.health.is_gone()
                }
                _ => source.health.is_gone(),
            },
        };
        *is_behind = true;
        if !is_lost {
            return false;
        }
        self.release(wait).unwrap_or_else(|error| {
            tracing::warn!(%error, "letting go of a wait for a lost device");
            false
        })
    }

    /// Signals in the place of a device that is lost.
    fn release(&self, wait: &ForeignWait) -> Result<bool> {
        // SAFETY: a live timeline semaphore.
        let value = unsafe { self.raw.get_semaphore_counter_value(wait.semaphore) };
        if value.map_err(Error::vulkan("vkGetSemaphoreCounterValue"))? < wait.ticket.number {
            wait.is_lost.store(true, Release);
            self.signal(wait.semaphore, wait.ticket.number)?;
        }
        Ok(true)
    }
}

impl Exported {
    /// Destroys it, when nothing of the device runs any more.
    pub(super) fn destroy(&self, raw: &ash::Device) {
        let semaphore = self.semaphore.get().copied().unwrap_or_default();
        // SAFETY: nothing of this device uses it. Others have a reference of their own to its payload.
        unsafe { raw.destroy_semaphore(semaphore, None) };
    }
}

impl Foreign {
    /// Destroys all, when nothing of the device runs any more.
    pub(super) fn destroy(&mut self, raw: &ash::Device) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for known in state.imported.drain(..) {
            // SAFETY: the caller's promise.
            unsafe { raw.destroy_semaphore(known.semaphore, None) };
        }
    }
}
