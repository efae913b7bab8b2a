//! The logical device: its queues, their timelines, its memory.

use std::ffi::CString;
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ash::{ext, khr, vk};
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use gpu_allocator::{AllocationSizes, AllocatorDebugSettings};

use super::buffer::MemoryTypes;
use super::candidate::{Candidate, Caps};
use super::creation::create_device;
use super::foreign::Foreign;
use super::instance::VulkanInstance;
use super::pipeline::Pipelines;
use super::queue::DeviceQueue;
use super::sampler::Samplers;
use crate::core::error::{Error, Result};
use crate::core::health::Health;
use crate::core::sync::schedule::{MAX_QUEUES, Marks, Submission, Ticket};
use crate::device::cache::Store;
use crate::device::{ExistingVulkan, ManagerDesc, MemoryHeap, QueueInfo};

/// How long a wait spins before it blocks. Longer than an empty submission takes on a GPU behind a hypervisor (175 µs), where
/// being woken costs 20 µs more.
const SPIN: Duration = Duration::from_micros(500);

/// The progress of the device that a wait has seen.
pub(super) struct Watch {
    patience: Option<Duration>,
    /// The work that was complete at the last look, and the time since.
    completed: Option<u64>,
    since: Instant,
}

impl Watch {
    pub(super) fn new(patience: Option<Duration>) -> Self {
        Self { patience, completed: None, since: Instant::now() }
    }

    /// How long to wait before it looks again.
    fn step(&self, remaining: Option<Duration>) -> Option<Duration> {
        // A first look soon, so that there is something to compare with.
        let next = self.patience.map(|patience| match self.completed {
            None => Duration::ZERO,
            Some(_) => patience.saturating_sub(self.since.elapsed()),
        });
        match (remaining, next) {
            (Some(remaining), Some(next)) => Some(remaining.min(next)),
            (remaining, next) => remaining.or(next),
        }
    }

    /// Whether a device that has completed so much may go on.
    fn is_patient(&mut self, completed: u64) -> bool {
        if self.completed != Some(completed) {
            (self.completed, self.since) = (Some(completed), Instant::now());
        }
        self.patience.is_none_or(|patience| self.since.elapsed() < patience)
    }
}

/// A Vulkan device.
pub(crate) struct VulkanDevice {
    pub(crate) raw: ash::Device,
    pub(crate) caps: Caps,
    pub(crate) push_descriptors: Option<khr::push_descriptor::Device>,
    /// For memory that others can have.
    #[cfg(unix)]
    pub(crate) memory_fds: Option<khr::external_memory_fd::Device>,
    /// For timelines that other devices wait for.
    pub(super) semaphore_fds: Option<khr::external_semaphore_fd::Device>,
    /// The waits for other devices.
    pub(super) foreign: Foreign,
    /// For memory of the host.
    pub(super) host_pointers: Option<ext::external_memory_host::Device>,
    debug_utils: Option<ext::debug_utils::Device>,
    physical: vk::PhysicalDevice,
    /// For errors.
    pub(crate) name: String,
    pub(crate) queues: Vec<DeviceQueue>,
    /// The families of the queues, once each.
    pub(crate) families: Vec<u32>,
    /// Whether it is an application's, which destroys it.
    is_borrowed: bool,
    pub(crate) pipelines: Pipelines,
    pub(crate) samplers: Samplers,
    pub(crate) memory_types: MemoryTypes,
    /// For what the driver tells of pipelines, if that was asked for.
    pub(crate) executables: Option<khr::pipeline_executable_properties::Device>,
    /// Dropped before the device.
    pub(crate) allocator: ManuallyDrop<Mutex<Allocator>>,
    pub(crate) health: Health,
    pub(crate) instance: Arc<VulkanInstance>,
}

impl VulkanDevice {
    /// Starts a device with these queues.
    ///
    /// # Errors
    /// When the driver fails.
    pub(crate) fn new(
        instance: Arc<VulkanInstance>,
        candidate: &Candidate,
        queues: &[QueueInfo],
        desc: &ManagerDesc,
    ) -> Result<Arc<Self>> {
        let physical = candidate.physical;
        let mut caps = if desc.baseline_only { candidate.caps.without_extras() } else { candidate.caps };
        if !desc.fast_float_atomics {
            caps.float_atomics = caps.exact_float_atomics;
        }
        caps.batches_small = desc.batches_small_launches;
        caps.by_address = caps.has_addresses && desc.by_address.unwrap_or(caps.by_address);
        // lavapipe makes a set of what was pushed each time the commands run: 7 µs for each launch of a replay. The time of GPUs is
        // tested there all the same, under the validation layer.
        if caps.is_cpu && !desc.validation {
            caps.max_push_descriptors = 0;
            // It loads from an address that all lanes share also where no lane gets to the load.
            caps.by_address = false;
        }
        let raw = {
            let _one_at_a_time = super::instance::lifecycle();
            create_device(&instance.raw, candidate, queues, &caps, desc.executable_statistics)?
        };
        let queue = |info: &QueueInfo| {
            // SAFETY: the device was made with these queues.
            let queue = unsafe { raw.get_device_queue(info.family, info.index) };
            DeviceQueue::new(queue, info, None, caps.timestamp_period)
        };
        let queues = queues.iter().map(queue).collect();
        Self::with(instance, (physical, &candidate.info.name), raw, queues, false, caps, desc)
    }

    /// Takes a device of an application, which keeps it until everything here is gone.
    pub(crate) fn borrow(
        existing: ExistingVulkan,
        candidate: &Candidate,
        infos: &[QueueInfo],
        desc: &ManagerDesc,
    ) -> Result<Arc<Self>> {
        let queue = |(queue, info): (crate::device::ExistingQueue, &QueueInfo)| {
            DeviceQueue::new(queue.queue, info, Some(queue.lock), candidate.caps.timestamp_period)
        };
        let queues = existing.all_queues().zip(infos).map(queue).collect();
        let ExistingVulkan { entry, instance, physical_device, device, .. } = existing;
        let instance = Arc::new(VulkanInstance::borrow(entry, instance));
        let physical = (physical_device, candidate.info.name.as_str());
        Self::with(instance, physical, device, queues, true, candidate.caps, desc)
    }

    fn with(
        instance: Arc<VulkanInstance>,
        (physical, name): (vk::PhysicalDevice, &str),
        raw: ash::Device,
        queues: Vec<DeviceQueue>,
        is_borrowed: bool,
        caps: Caps,
        desc: &ManagerDesc,
    ) -> Result<Arc<Self>> {
        // SAFETY: `physical` is of the instance.
        let memory = unsafe { instance.raw.get_physical_device_memory_properties(physical) };
        // From here on, dropping the half-made device must free what there is: handles stay null until made.
        let mut debug_settings = AllocatorDebugSettings::default();
        debug_settings.log_leaks_on_shutdown = false;
        let allocator_desc = AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: raw.clone(),
            physical_device: physical,
            debug_settings,
            buffer_device_address: caps.has_addresses,
            allocation_sizes: AllocationSizes::new(16 << 20, 16 << 20)
                .with_max_device_memblock_size(256 << 20)
                .with_max_host_memblock_size(64 << 20),
        };
        let allocator = match Allocator::new(&allocator_desc) {
            Ok(allocator) => allocator,
            Err(cause) => {
                if !is_borrowed {
                    // SAFETY: it is ours, and nothing was made of it yet.
                    unsafe { raw.destroy_device(None) };
                }
                return Err(Error::OutOfMemory { object: "allocator".to_owned(), bytes: 0, cause: cause.to_string() });
            }
        };
        let push = (caps.max_push_descriptors > 0).then(|| khr::push_descriptor::Device::new(&instance.raw, &raw));
        let debug_utils = instance.has_debug_utils.then(|| ext::debug_utils::Device::new(&instance.raw, &raw));
        #[cfg(unix)]
        let memory_fds = caps.has_memory_fds.then(|| khr::external_memory_fd::Device::new(&instance.raw, &raw));
        let semaphore_fds =
            caps.has_semaphore_fds.then(|| khr::external_semaphore_fd::Device::new(&instance.raw, &raw));
        let host_pointers =
            (caps.host_pointer_alignment > 0).then(|| ext::external_memory_host::Device::new(&instance.raw, &raw));
        let executables = (desc.executable_statistics && caps.has_executables)
            .then(|| khr::pipeline_executable_properties::Device::new(&instance.raw, &raw));
        let mut families: Vec<u32> = queues.iter().map(|queue| queue.family).collect();
        families.sort_unstable();
        families.dedup();
        let mut device = Self {
            raw,
            executables,
            #[cfg(unix)]
            memory_fds,
            semaphore_fds,
            foreign: Foreign::default(),
            host_pointers,
            caps,
            push_descriptors: push,
            debug_utils,
            physical,
            name: name.to_owned(),
            queues,
            families,
            is_borrowed,
            pipelines: Pipelines::new(Store::new(&desc.pipeline_cache, caps.identity)),
            samplers: Samplers::default(),
            memory_types: MemoryTypes::new(&memory),
            allocator: ManuallyDrop::new(Mutex::new(allocator)),
            health: Health::new(desc.hang_timeout),
            instance,
        };
        device.create_objects()?;
        Ok(Arc::new(device))
    }

    fn create_objects(&mut self) -> Result<()> {
        for index in 0..self.queues.len() {
            // Each object is kept at once: should the next fail, dropping the device destroys it.
            self.queues[index].timeline = self.create_timeline()?;
            self.queues[index].barrier_pool = self.create_command_pool(index, vk::CommandPoolCreateFlags::empty())?;
            let barrier = self.allocate_commands(self.queues[index].barrier_pool)?;
            self.queues[index].barrier = barrier;
            self.begin(barrier, vk::CommandBufferUsageFlags::SIMULTANEOUS_USE)?;
            self.barrier_behind_everything(index, barrier);
            self.end(barrier)?;
        }
        Ok(())
    }

    /// The physical device.
    pub(crate) fn physical(&self) -> vk::PhysicalDevice {
        self.physical
    }

    /// A timeline semaphore at zero.
    pub(crate) fn create_timeline(&self) -> Result<vk::Semaphore> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: valid infos; the feature timelineSemaphore is enabled.
        unsafe { self.raw.create_semaphore(&info, None) }.map_err(Error::vulkan("vkCreateSemaphore"))
    }

    /// Sets a timeline semaphore of the host's to a value greater than it has.
    pub(crate) fn signal(&self, semaphore: vk::Semaphore, value: u64) -> Result<()> {
        let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
        // SAFETY: a live timeline semaphore that no submission signals.
        unsafe { self.raw.signal_semaphore(&info) }.map_err(|result| self.error("vkSignalSemaphore", result))
    }

    /// Records a barrier between everything submitted to a queue before and everything after.
    pub(crate) fn barrier_behind_everything(&self, queue: usize, commands: vk::CommandBuffer) {
        let queue = &self.queues[queue];
        let [writes, all] = queue.accesses();
        self.memory_barrier(commands, (queue.stages, writes), (queue.stages, all));
    }

    /// A pool of command buffers for a queue.
    pub(crate) fn create_command_pool(
        &self,
        queue: usize,
        flags: vk::CommandPoolCreateFlags,
    ) -> Result<vk::CommandPool> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(self.queues[queue].family).flags(flags);
        // SAFETY: a valid family.
        unsafe { self.raw.create_command_pool(&info, None) }.map_err(Error::vulkan("vkCreateCommandPool"))
    }

    /// A command buffer of a pool.
    pub(crate) fn allocate_commands(&self, pool: vk::CommandPool) -> Result<vk::CommandBuffer> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        // SAFETY: a live pool that only its owner uses.
        let made = unsafe { self.raw.allocate_command_buffers(&info) };
        Ok(made.map_err(Error::vulkan("vkAllocateCommandBuffers"))?[0])
    }

    /// Begins a command buffer.
    pub(crate) fn begin(&self, commands: vk::CommandBuffer, flags: vk::CommandBufferUsageFlags) -> Result<()> {
        let info = vk::CommandBufferBeginInfo::default().flags(flags);
        // SAFETY: a live command buffer that is not pending.
        unsafe { self.raw.begin_command_buffer(commands, &info) }.map_err(Error::vulkan("vkBeginCommandBuffer"))
    }

    /// Ends a command buffer.
    pub(crate) fn end(&self, commands: vk::CommandBuffer) -> Result<()> {
        // SAFETY: a live command buffer in the recording state.
        unsafe { self.raw.end_command_buffer(commands) }.map_err(Error::vulkan("vkEndCommandBuffer"))
    }

    /// Records a memory barrier.
    pub(crate) fn memory_barrier(
        &self,
        commands: vk::CommandBuffer,
        before: (vk::PipelineStageFlags, vk::AccessFlags),
        after: (vk::PipelineStageFlags, vk::AccessFlags),
    ) {
        let barrier = vk::MemoryBarrier::default().src_access_mask(before.1).dst_access_mask(after.1);
        // SAFETY: a live command buffer in the recording state; the accesses are of the stages.
        unsafe {
            self.raw.cmd_pipeline_barrier(
                commands,
                before.0,
                after.0,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[],
                &[],
            );
        }
    }

    /// Submits a command buffer, behind all that it must wait for. Called under the schedule's lock only: a queue is one
    /// thread's at a time, numbers grow, and what is waited for was submitted.
    pub(crate) fn submit(&self, commands: vk::CommandBuffer, submission: &Submission) -> Result<()> {
        self.submit_with(commands, submission, &[], None)
    }

    /// As [`submit`](Self::submit), also behind values of other semaphores, and with a second timeline to signal.
    pub(super) fn submit_with(
        &self,
        commands: vk::CommandBuffer,
        submission: &Submission,
        others: &[(vk::Semaphore, u64)],
        told: Option<vk::Semaphore>,
    ) -> Result<()> {
        let Submission { ticket, needs_barrier, waits } = submission;
        let queue = &self.queues[ticket.queue];
        let both = [queue.barrier, commands];
        let commands = if *needs_barrier { &both[..] } else { &both[1..] };
        let signals = [queue.timeline, told.unwrap_or_default()];
        let signals = &signals[..1 + usize::from(told.is_some())];
        let values = &[ticket.number; 2][..signals.len()];
        let (mut semaphores, mut wait_values) = ([vk::Semaphore::null(); MAX_QUEUES], Marks::default());
        let mut count = 0;
        for (other, number) in self.queues.iter().zip(waits).filter(|(_, number)| **number > 0) {
            (semaphores[count], wait_values[count]) = (other.timeline, *number);
            count += 1;
        }
        let own = (&semaphores[..count], &wait_values[..count]);
        if others.is_empty() {
            return self.submit_raw(ticket.queue, commands, own, (signals, values));
        }
        let own = own.0.iter().copied().zip(own.1.iter().copied());
        let (semaphores, wait_values): (Vec<_>, Vec<_>) = own.chain(others.iter().copied()).unzip();
        self.submit_raw(ticket.queue, commands, (&semaphores, &wait_values), (signals, values))
    }

    /// Submits command buffers between values of timelines: those to wait for, and those to signal. Called under the schedule's lock only.
    pub(super) fn submit_raw(
        &self,
        queue: usize,
        commands: &[vk::CommandBuffer],
        waits: (&[vk::Semaphore], &[u64]),
        signals: (&[vk::Semaphore], &[u64]),
    ) -> Result<()> {
        self.health.check("vkQueueSubmit")?;
        let queue = &self.queues[queue];
        let few = [queue.stages; MAX_QUEUES];
        let many: Vec<_>;
        let stages = match few.get(..waits.0.len()) {
            Some(stages) => stages,
            None => {
                many = vec![queue.stages; waits.0.len()];
                &many[..]
            }
        };
        let mut timeline = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(waits.1)
            .signal_semaphore_values(signals.1);
        let submit = vk::SubmitInfo::default()
            .wait_semaphores(waits.0)
            .wait_dst_stage_mask(stages)
            .command_buffers(commands)
            .signal_semaphores(signals.0)
            .push_next(&mut timeline);
        let lock = queue.lock.as_ref();
        let _queue_is_ours = lock.map(|lock| lock.lock().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: executable command buffers, which their owner keeps with all they use until the submission is complete.
        let result = unsafe { self.raw.queue_submit(queue.raw, &[submit], vk::Fence::null()) };
        result.map_err(|result| self.error("vkQueueSubmit", result))
    }

    /// The last submission to a queue that is complete.
    pub(super) fn completed(&self, queue: usize) -> Result<u64> {
        // SAFETY: a live timeline semaphore.
        let value = unsafe { self.raw.get_semaphore_counter_value(self.queues[queue].timeline) };
        value.map_err(|result| self.error("vkGetSemaphoreCounterValue", result))
    }

    /// Waits for a submission; false when the time is over first.
    pub(crate) fn wait(&self, Ticket { queue, number }: Ticket, timeout: Option<Duration>) -> Result<bool> {
        self.health.check("waiting for the device")?;
        let is_complete = || -> Result<bool> { Ok(self.completed(queue)? >= number) };
        if is_complete()? {
            return Ok(true);
        }
        if timeout == Some(Duration::ZERO) {
            self.look_after_others();
            return Ok(false);
        }
        if !self.caps.is_cpu {
            let start = Instant::now();
            let spin = timeout.map_or(SPIN, |timeout| timeout.min(SPIN));
            while start.elapsed() < spin {
                if is_complete()? {
                    return Ok(true);
                }
                std::hint::spin_loop();
            }
        }
        let start = Instant::now();
        let semaphores = [self.queues[queue].timeline];
        let mut watch = Watch::new(self.health.patience);
        loop {
            let remaining = timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
            match self.wait_for(&semaphores, &[number], self.until_look(watch.step(remaining)), false) {
                Ok(()) => return Ok(true),
                // The driver's clock and ours need not agree.
                Err(vk::Result::TIMEOUT) if is_complete()? => return Ok(true),
                Err(vk::Result::TIMEOUT) => self.go_on_waiting(&mut watch)?,
                Err(result) => return Err(self.error("vkWaitSemaphores", result)),
            }
            if timeout.is_some_and(|timeout| start.elapsed() >= timeout) {
                return Ok(false);
            }
        }
    }

    /// Whether a submission is complete, by a call that tells of a lost device.
    pub(super) fn has_passed(&self, Ticket { queue, number }: Ticket) -> Result<bool> {
        self.health.check("waiting for the device")?;
        match self.wait_for(&[self.queues[queue].timeline], &[number], Some(Duration::ZERO), false) {
            Ok(()) => Ok(true),
            Err(vk::Result::TIMEOUT) => Ok(false),
            Err(result) => Err(self.error("vkWaitSemaphores", result)),
        }
    }

    fn wait_for(
        &self,
        semaphores: &[vk::Semaphore],
        values: &[u64],
        timeout: Option<Duration>,
        is_any: bool,
    ) -> Result<(), vk::Result> {
        let flags = if is_any { vk::SemaphoreWaitFlags::ANY } else { vk::SemaphoreWaitFlags::empty() };
        let info = vk::SemaphoreWaitInfo::default().flags(flags).semaphores(semaphores).values(values);
        let nanoseconds = timeout.map_or(u64::MAX, |timeout| u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX));
        // SAFETY: live timeline semaphores.
        unsafe { self.raw.wait_semaphores(&info, nanoseconds) }
    }

    /// After a wait that came to nothing: looks after other devices, then as [`check_progress`](Self::check_progress).
    fn go_on_waiting(&self, watch: &mut Watch) -> Result<()> {
        if self.look_after_others() {
            // It is not this device that takes so long.
            *watch = Watch::new(self.health.patience);
            return Ok(());
        }
        self.check_progress(watch)
    }

    /// After a wait that came to nothing: looks whether the device completed anything, and gives it up after too long without.
    pub(super) fn check_progress(&self, watch: &mut Watch) -> Result<()> {
        let mut completed = 0;
        for queue in 0..self.queues.len() {
            completed += self.completed(queue)?;
        }
        if watch.is_patient(completed) {
            return Ok(());
        }
        self.health.abandon();
        self.health.check("waiting for the device")
    }

    /// Waits until the device no longer uses what a submission named, whatever calls fail meanwhile: true when the
    /// submission is complete. If that cannot be found out, nothing of the device is freed from now on.
    pub(crate) fn wait_out(&self, ticket: Ticket) -> bool {
        for attempt in 0..10 {
            match self.wait(ticket, None) {
                Ok(is_complete) => return is_complete,
                // Nothing is pending there, or all is abandoned.
                Err(Error::DeviceLost { .. } | Error::DeviceHung { .. }) => return false,
                Err(error) => tracing::warn!(%error, "waiting again"),
            }
            std::thread::sleep(Duration::from_millis(1 << attempt));
        }
        self.health.abandon();
        false
    }

    /// Waits for one of several submissions (by queue; none where zero), or until a timeline semaphore of the host's has a
    /// value; gives the last submissions that are complete.
    pub(crate) fn wait_or_bell(&self, first: &Marks, bell: (vk::Semaphore, u64)) -> Result<Marks> {
        self.health.check("waiting for the device")?;
        let wanted = self.queues.iter().zip(first).filter(|(_, number)| **number > 0);
        let all = wanted.map(|(queue, number)| (queue.timeline, *number)).chain([bell]);
        let (semaphores, values): (Vec<_>, Vec<_>) = all.unzip();
        let mut watch = Watch::new(self.health.patience);
        loop {
            match self.wait_for(&semaphores, &values, self.until_look(watch.step(None)), true) {
                Ok(()) => break,
                Err(vk::Result::TIMEOUT) => self.go_on_waiting(&mut watch)?,
                Err(result) => return Err(self.error("vkWaitSemaphores", result)),
            }
        }
        let mut completed = Marks::default();
        for (queue, completed) in (0..self.queues.len()).zip(&mut completed) {
            *completed = self.completed(queue)?;
        }
        Ok(completed)
    }

    /// The error of a failed call; a lost device is remembered.
    fn error(&self, operation: &'static str, result: vk::Result) -> Error {
        if result == vk::Result::ERROR_DEVICE_LOST {
            self.health.note_lost();
        }
        Error::vulkan(operation)(result)
    }

    /// The heaps, and what of them there is for this process.
    pub(crate) fn heaps(&self) -> Vec<MemoryHeap> {
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceMemoryProperties2::default();
        if self.caps.has_memory_budget {
            properties = properties.push_next(&mut budget);
        }
        // SAFETY: the device speaks Vulkan 1.2, and has the extension that the second structure is of when that is there.
        unsafe { self.instance.raw.get_physical_device_memory_properties2(self.physical, &mut properties) };
        let memory = properties.memory_properties;
        let told = |of: u64| self.caps.has_memory_budget.then_some(of);
        let heaps = memory.memory_heaps_as_slice().iter().zip(budget.heap_budget).zip(budget.heap_usage);
        let heap = |((heap, budget), used): ((&vk::MemoryHeap, u64), u64)| MemoryHeap {
            bytes: heap.size,
            is_device_local: heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL),
            budget: told(budget),
            used: told(used),
        };
        heaps.map(heap).collect()
    }

    /// Pieces of memory that were asked of the driver, and their bytes.
    pub(crate) fn allocated(&self) -> (u64, u64) {
        let report = self.allocator.lock().unwrap_or_else(PoisonError::into_inner).generate_report();
        (report.blocks.len() as u64, report.total_capacity_bytes)
    }

    /// Whether somebody looks at modules, for whom names and lines stay in them.
    pub(crate) fn has_tools(&self) -> bool {
        self.debug_utils.is_some() || self.executables.is_some()
    }

    /// Names an object for the driver's tools, when these listen.
    pub(crate) fn name_object<H: vk::Handle>(&self, object: H, name: &str) {
        if let (Some(utils), Ok(name)) = (&self.debug_utils, CString::new(name.replace('\0', " "))) {
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(object).object_name(&name);
            // SAFETY: a live object of this device. A failure costs a name.
            let _ = unsafe { utils.set_debug_utils_object_name(&info) };
        }
    }
}

impl Drop for VulkanDevice {
    fn drop(&mut self) {
        self.pipelines.store.save();
        if self.health.is_abandoned() {
            // Whatever it still does, it does with what is its own. The allocator is not dropped either.
            std::mem::forget(self.instance.clone());
            return;
        }
        let _one_at_a_time = super::instance::lifecycle();
        // SAFETY: everything made of the device held it, so it is gone; the last work is waited for. Null handles are
        // allowed, and the allocator is not used again.
        unsafe {
            // An application's device is not ours to wait for: what we submitted was waited for by its owners.
            if !self.is_borrowed {
                let _ = self.raw.device_wait_idle();
            }
            self.samplers.destroy(&self.raw);
            for queue in &self.queues {
                self.raw.destroy_command_pool(queue.barrier_pool, None);
                self.raw.destroy_semaphore(queue.timeline, None);
                queue.exported.destroy(&self.raw);
            }
            self.foreign.destroy(&self.raw);
            if cfg!(debug_assertions) {
                report_leaks(&mut self.allocator);
            }
            ManuallyDrop::drop(&mut self.allocator);
            if !self.is_borrowed {
                self.raw.destroy_device(None);
            }
        }
    }
}

/// Says which buffers were never freed.
fn report_leaks(allocator: &mut Mutex<Allocator>) {
    let allocator = allocator.get_mut().unwrap_or_else(PoisonError::into_inner);
    for leak in allocator.generate_report().allocations {
        tracing::error!(name = leak.name, bytes = leak.size, "leaked");
    }
}

impl fmt::Debug for VulkanDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanDevice")
            .field("handle", &self.raw.handle())
            .field("caps", &self.caps)
            .finish_non_exhaustive()
    }
}
