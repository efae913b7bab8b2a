//! The best time of a transfer through staging: several threads, each with slots of its own, by hand. The program tries
//! all numbers of threads, sizes of slots, kinds of memory and kinds of stores; the runtime is not asked.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ash::vk;
use gridwise_benches::Error;
use gridwise_benches::raw::{RawBuffer, RawDevice, vulkan};

/// Slots of a thread: one on its way while another is filled or emptied.
const SLOTS: usize = 2;

/// How a transfer is made.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) threads: usize,
    /// Bytes of a slot.
    pub(crate) slot: usize,
    /// Whether staging is memory that the processor caches.
    pub(crate) is_cached: bool,
    /// Whether stores leave the caches alone.
    pub(crate) is_streaming: bool,
    /// Whether the device copies at all; else only the processor does.
    pub(crate) with_device: bool,
}

/// Host memory of both directions.
#[derive(Clone, Copy)]
pub(crate) enum Data<'a> {
    Up(&'a [u8]),
    Down(&'a Place),
}

/// Memory that several threads write, each other parts.
pub(crate) struct Place {
    pub(crate) start: *mut u8,
    pub(crate) bytes: usize,
}

// SAFETY: no two threads write the same bytes.
unsafe impl Sync for Place {}

/// A thread's slots.
struct Lane {
    data: *mut u8,
    /// The first byte of its slots in the staging memory.
    first: u64,
    pool: vk::CommandPool,
    commands: Vec<vk::CommandBuffer>,
    fences: Vec<vk::Fence>,
}

// SAFETY: the pointer is to mapped memory that only the lane's thread touches.
unsafe impl Send for Lane {}

/// The staging of a plan.
pub(crate) struct Lanes<'a> {
    device: &'a RawDevice,
    plan: Plan,
    staging: RawBuffer,
    own: &'a RawBuffer,
    lanes: Vec<Mutex<Lane>>,
    queue: Mutex<vk::Queue>,
}

impl<'a> Lanes<'a> {
    /// Makes what a plan needs, for transfers to or from `own`.
    pub(crate) fn new(device: &'a RawDevice, own: &'a RawBuffer, plan: Plan) -> Result<Self, Error> {
        use vk::MemoryPropertyFlags as Flags;
        let kind = if plan.is_cached { Flags::HOST_CACHED } else { Flags::empty() };
        let bytes = plan.threads * SLOTS * plan.slot;
        let staging = RawBuffer::new(device, bytes as u64, Flags::HOST_VISIBLE | Flags::HOST_COHERENT | kind)?;
        let data = staging.map(device)?;
        let mut lanes = Vec::new();
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(device.family)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        for lane in 0..plan.threads {
            // SAFETY: plain Vulkan, by the book, here and below; a failure ends the program.
            unsafe {
                let pool = device.raw.create_command_pool(&info, None).map_err(vulkan("vkCreateCommandPool"))?;
                let info =
                    vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(SLOTS as u32);
                let commands =
                    device.raw.allocate_command_buffers(&info).map_err(vulkan("vkAllocateCommandBuffers"))?;
                let signaled = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
                let fence = |_| device.raw.create_fence(&signaled, None).map_err(vulkan("vkCreateFence"));
                let fences = (0..SLOTS).map(fence).collect::<Result<_, _>>()?;
                let first = lane * SLOTS * plan.slot;
                let lane = Lane { data: data.add(first), first: first as u64, pool, commands, fences };
                lanes.push(Mutex::new(lane));
            }
        }
        Ok(Self { device, plan, staging, own, lanes, queue: Mutex::new(device.queue) })
    }

    /// Transfers all of it once.
    pub(crate) fn run(&self, data: Data<'_>) -> Result<Duration, Error> {
        let begun = Instant::now();
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .lanes
                .iter()
                .map(|lane| {
                    let next = &next;
                    scope.spawn(move || {
                        let lane = lane.lock().expect("one thread for each");
                        match data {
                            Data::Up(from) => self.up(&lane, from, next),
                            Data::Down(into) => self.down(&lane, into, next),
                        }
                    })
                })
                .collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("it does not panic"))
        })?;
        Ok(begun.elapsed())
    }

    fn up(&self, lane: &Lane, from: &[u8], next: &AtomicUsize) -> Result<(), Error> {
        let mut slot = 0;
        loop {
            let start = next.fetch_add(1, Relaxed) * self.plan.slot;
            if start >= from.len() {
                break;
            }
            let piece = &from[start..from.len().min(start + self.plan.slot)];
            self.wait(lane, slot)?;
            // SAFETY: the slot is this thread's, large enough, and not in use.
            unsafe {
                copy(piece.as_ptr(), lane.data.add(slot * self.plan.slot), piece.len(), self.plan.is_streaming);
            }
            self.submit(lane, slot, start, piece.len(), true)?;
            slot = (slot + 1) % SLOTS;
        }
        (0..SLOTS).try_for_each(|slot| self.wait(lane, slot))
    }

    fn down(&self, lane: &Lane, into: &Place, next: &AtomicUsize) -> Result<(), Error> {
        let mut under_way: [Option<(usize, usize)>; SLOTS] = [None; SLOTS];
        let (mut slot, mut left) = (0, true);
        loop {
            if let Some((start, bytes)) = under_way[slot].take() {
                self.wait(lane, slot)?;
                // SAFETY: the piece is this thread's; the slot holds it.
                unsafe {
                    let from = lane.data.add(slot * self.plan.slot);
                    copy(from, into.start.add(start), bytes, self.plan.is_streaming);
                }
            }
            let start = next.fetch_add(1, Relaxed) * self.plan.slot;
            if start < into.bytes {
                let bytes = self.plan.slot.min(into.bytes - start);
                self.submit(lane, slot, start, bytes, false)?;
                under_way[slot] = Some((start, bytes));
            } else {
                left = false;
            }
            slot = (slot + 1) % SLOTS;
            if !left && under_way.iter().all(Option::is_none) {
                return Ok(());
            }
        }
    }

    fn wait(&self, lane: &Lane, slot: usize) -> Result<(), Error> {
        // SAFETY: as above.
        let waited = unsafe { self.device.raw.wait_for_fences(&[lane.fences[slot]], true, u64::MAX) };
        waited.map_err(vulkan("vkWaitForFences"))
    }

    fn submit(&self, lane: &Lane, slot: usize, start: usize, bytes: usize, is_up: bool) -> Result<(), Error> {
        if !self.plan.with_device {
            return Ok(());
        }
        let (raw, commands) = (&self.device.raw, [lane.commands[slot]]);
        let offset = lane.first + (slot * self.plan.slot) as u64;
        let (from, to, src_offset, dst_offset) = match is_up {
            true => (self.staging.raw, self.own.raw, offset, start as u64),
            false => (self.own.raw, self.staging.raw, start as u64, offset),
        };
        // SAFETY: as above; the slot's commands are not pending, and the queue is locked while it is used.
        unsafe {
            raw.reset_fences(&[lane.fences[slot]]).map_err(vulkan("vkResetFences"))?;
            let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            raw.begin_command_buffer(commands[0], &begin).map_err(vulkan("vkBeginCommandBuffer"))?;
            let region = vk::BufferCopy { src_offset, dst_offset, size: bytes as u64 };
            raw.cmd_copy_buffer(commands[0], from, to, &[region]);
            raw.end_command_buffer(commands[0]).map_err(vulkan("vkEndCommandBuffer"))?;
            let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
            let queue = self.queue.lock().expect("nobody panics");
            raw.queue_submit(*queue, &submit, lane.fences[slot]).map_err(vulkan("vkQueueSubmit"))
        }
    }
}

impl Drop for Lanes<'_> {
    fn drop(&mut self) {
        for lane in &self.lanes {
            let lane = lane.lock().expect("nobody panics");
            // SAFETY: nothing is pending.
            unsafe {
                lane.fences.iter().for_each(|fence| self.device.raw.destroy_fence(*fence, None));
                self.device.raw.destroy_command_pool(lane.pool, None);
            }
        }
        self.staging.destroy(self.device);
    }
}

/// Copies bytes; by stores that leave the caches alone, where the processor has them and the target is aligned.
///
/// # Safety
/// As `copy_nonoverlapping`.
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize, is_streaming: bool) {
    #[cfg(target_arch = "x86_64")]
    if is_streaming && std::is_x86_feature_detected!("avx") && to.addr().is_multiple_of(32) && bytes.is_multiple_of(128)
    {
        // SAFETY: the caller's promise; the processor has the instructions.
        return unsafe { stream(from, to, bytes) };
    }
    let _ = is_streaming;
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
unsafe fn stream(from: *const u8, to: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m256i, _mm_sfence, _mm256_loadu_si256, _mm256_stream_si256};
    // SAFETY: the caller's promise: whole blocks of 128 bytes, the target aligned.
    unsafe {
        for at in (0..bytes).step_by(128) {
            let (from, to) = (from.add(at).cast::<__m256i>(), to.add(at).cast::<__m256i>());
            let [a, b, c, d] = [0, 1, 2, 3].map(|part| _mm256_loadu_si256(from.add(part)));
            _mm256_stream_si256(to, a);
            _mm256_stream_si256(to.add(1), b);
            _mm256_stream_si256(to.add(2), c);
            _mm256_stream_si256(to.add(3), d);
        }
    }
    _mm_sfence();
}
