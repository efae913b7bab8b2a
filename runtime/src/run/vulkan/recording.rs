//! A sequence's command buffer: steps recorded with the barriers they need, and the trap records, print buffers and watches of
//! its launches.

use std::sync::Arc;

use ash::vk;
use gridwise_ir::descriptor::{KernelDescriptor, PrintHeader, TrapRecord};
use gridwise_ir::faults::Faults;

use crate::core::error::{Error, KernelName, Result};
use crate::core::print::LaunchPrints;
use crate::core::times::Times;
use crate::core::trap::{panic_error, read_record};
use crate::device::vulkan::SharedBuffers;
use crate::device::vulkan::buffer::{MemoryUse, VulkanBuffer};
use crate::device::vulkan::descriptors::DescriptorSets;
use crate::device::vulkan::device::VulkanDevice;
use crate::device::vulkan::timestamps::Timestamps;
use crate::record::indirect::too_large;
use crate::record::steps::{DispatchStep, Guarded, RecordedOp, Step};
use crate::run::vulkan::blocks::{Blocks, has_block};
use crate::run::vulkan::decisions::Decisions;
use crate::run::vulkan::encoder::Encoder;
use crate::run::vulkan::signature::{Likeness, Signature};

/// A recorded command buffer. Its owner keeps the steps, and drops it only when it is not pending.
pub(crate) struct Recording {
    /// The queue it is for.
    queue: usize,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    /// Whether it begins with a barrier behind all work submitted before.
    begins_with_barrier: bool,
    signature: Signature,
    decisions: Decisions,
    descriptors: DescriptorSets,
    traps: Traps,
    prints: Prints,
    watches: Watches,
    blocks: Blocks,
    /// Around each operation, if that was asked for.
    timestamps: Option<Timestamps>,
    device: Arc<VulkanDevice>,
}

/// The trap records of a recording: one for each launch that can trap.
#[derive(Default)]
pub(crate) struct Traps {
    memory: Records<Launch>,
}

/// The print buffers of a recording: one for each launch that prints.
#[derive(Default)]
pub(crate) struct Prints {
    memory: Records<Launch>,
    /// Words for records in each.
    capacity: u32,
}

/// The words of a recording that tell whether a loop was stopped: one for each launch whose loops are watched.
#[derive(Default)]
pub(crate) struct Watches {
    memory: Records<KernelName>,
}

/// Pieces of one buffer that the host sees, for launches in order.
struct Records<L> {
    buffer: Option<VulkanBuffer>,
    /// Counts the buffers that there were.
    generation: u64,
    pieces: Vec<Piece<L>>,
    /// Bytes of all pieces.
    bytes: u64,
}

/// A launch's share of the buffer.
struct Piece<L> {
    launch: L,
    offset: u64,
    bytes: u64,
}

/// A launch of a kernel.
struct Launch {
    descriptor: &'static KernelDescriptor,
    workgroup: [u32; 3],
    guards: Option<Guarded>,
}

impl Recording {
    /// An empty recording for a queue, with room for so many words of messages per launch.
    pub(crate) fn new(device: &Arc<VulkanDevice>, queue: usize, print_capacity: u32) -> Result<Self> {
        let mut recording = Self {
            queue,
            pool: device.create_command_pool(queue, vk::CommandPoolCreateFlags::empty())?,
            commands: vk::CommandBuffer::null(),
            begins_with_barrier: false,
            signature: Signature::default(),
            decisions: Decisions::default(),
            descriptors: DescriptorSets::new(device),
            traps: Traps::default(),
            prints: Prints { capacity: print_capacity, ..Prints::default() },
            watches: Watches::default(),
            blocks: Blocks::default(),
            timestamps: None,
            device: device.clone(),
        };
        recording.commands = device.allocate_commands(recording.pool)?;
        Ok(recording)
    }

    /// Whether the recording begins with a barrier behind all work submitted before.
    pub(crate) fn begins_with_barrier(&self) -> bool {
        self.begins_with_barrier
    }

    /// Whether the time of each operation is taken.
    pub(crate) fn is_timed(&self) -> bool {
        self.timestamps.is_some()
    }

    /// When the operations of a timed recording ran. The recording is complete.
    pub(crate) fn read_times(&self) -> Option<Result<Times>> {
        self.timestamps.as_ref().map(Timestamps::read)
    }

    /// Records the steps of operations, in place of those before, with or without a barrier at the beginning, and with
    /// timestamps around each operation if `is_timed`. `shared` are those of its buffers that others have, too. The recording is not
    /// pending. The command buffer stays where it does the same.
    pub(crate) fn record(
        &mut self,
        steps: &[Step],
        ops: &[RecordedOp],
        shared: &SharedBuffers,
        (begin_with_barrier, is_timed): (bool, bool),
    ) -> Result<()> {
        let is_alike = !is_timed && !self.is_timed() && (self.begins_with_barrier || !begin_with_barrier);
        let likeness = self.signature.compare(steps, ops);
        if likeness == Likeness::Same && is_alike {
            return Ok(());
        }
        self.signature.forget();
        self.decisions.begin(steps, ops, likeness != Likeness::Different);
        self.write(steps, ops, shared, (begin_with_barrier, is_timed))?;
        self.decisions.settle();
        self.signature.settle();
        Ok(())
    }

    /// Writes the command buffer.
    fn write(
        &mut self,
        steps: &[Step],
        ops: &[RecordedOp],
        shared: &SharedBuffers,
        (begin_with_barrier, is_timed): (bool, bool),
    ) -> Result<()> {
        self.begins_with_barrier = begin_with_barrier;
        let device = &self.device;
        let told = Kinds::of(steps);
        let if_any = |is_any: bool| if is_any { steps } else { &[] };
        self.traps.prepare(device, if_any(told.traps))?;
        self.prints.prepare(device, if_any(told.prints))?;
        self.watches.prepare(device, if_any(told.watches))?;
        self.blocks.prepare(device, if_any(told.blocks))?;
        self.descriptors.begin()?;
        let order = self.decisions.order().map(<[usize]>::to_vec);
        let in_order = (0..ops.len()).map(|place| order.as_ref().map_or(place, |order| order[place]));
        let mut in_order = in_order.filter(|op| !ops[*op].steps.is_empty()).peekable();
        let first = in_order.peek().copied().unwrap_or_default();
        let clock = device.queues[self.queue].clock;
        self.timestamps = if is_timed {
            Some(Timestamps::new(device, clock, ops.iter().map(|op| !op.steps.is_empty()), first)?)
        } else {
            None
        };
        // SAFETY: the pool's only command buffer is not pending.
        let reset = unsafe { device.raw.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty()) };
        reset.map_err(Error::vulkan("vkResetCommandPool"))?;
        device.begin(self.commands, vk::CommandBufferUsageFlags::empty())?;
        if begin_with_barrier {
            device.barrier_behind_everything(self.queue, self.commands);
        }
        shared.take(device, self.queue, self.commands);
        let timestamps = self.timestamps.as_ref();
        if let Some(timestamps) = timestamps {
            timestamps.reset(self.commands);
        }
        let commands = (self.queue, self.commands);
        let records = Told { traps: &self.traps, prints: &self.prints, watches: &self.watches, blocks: &self.blocks };
        let found = (&mut self.descriptors, &mut self.decisions);
        let mut encoder = Encoder::new(device, commands, found, records, timestamps);
        let records = order.as_ref().map(|_| first_records(steps, ops));
        for op in in_order {
            encoder.begin_op(op, records.as_ref().map(|records| records[op]));
            for step in &steps[ops[op].steps.clone()] {
                encoder.step(step)?;
            }
            encoder.end_op(op);
        }
        encoder.finish();
        shared.give(device, self.queue, self.commands);
        device.end(self.commands)
    }

    /// The command buffer.
    pub(crate) fn commands(&self) -> vk::CommandBuffer {
        self.commands
    }

    /// Clears the trap records and watches, empties the print buffers, and puts the parameters' values of now into the launches. The
    /// recording is not pending.
    pub(crate) fn begin_run(&mut self) {
        self.blocks.write();
        if let Some(data) = self.traps.memory.data() {
            // SAFETY: the buffer has these bytes, and the device does not use it now.
            unsafe { data.write_bytes(0, self.traps.memory.bytes as usize) };
        }
        if let Some(data) = self.watches.memory.data() {
            // SAFETY: as above.
            unsafe { data.write_bytes(0, self.watches.memory.bytes as usize) };
        }
        let header = PrintHeader { capacity: self.prints.capacity, ..PrintHeader::default() };
        if let Some(data) = self.prints.memory.data() {
            for piece in &self.prints.memory.pieces {
                // SAFETY: each piece begins with a header, aligned by the piece's offset; the device does not use it now.
                unsafe { data.add(piece.offset as usize).cast::<PrintHeader>().write(header) };
            }
        }
    }

    /// The error of the first launch whose loops were stopped, as what comes of that tells nothing; else of the first that trapped. The
    /// recording is complete.
    pub(crate) fn read_traps(&self) -> Option<Error> {
        // SAFETY: the recording is complete, and ends with a barrier for the host.
        let mut watches = unsafe { self.watches.memory.words() };
        if let Some((piece, _)) = watches.find(|(_, words)| words.iter().any(|word| *word != 0)) {
            let (kernel, device) = (piece.launch.clone(), self.device.name.clone());
            return Some(Error::LoopsStopped { kernel, device, rounds: Faults::MOST_ROUNDS });
        }
        // SAFETY: the recording is complete, and ends with a barrier for the host.
        let mut records = unsafe { self.traps.memory.words() };
        records.find_map(|(Piece { launch: Launch { descriptor, guards, .. }, .. }, words)| {
            let [claimed, count, x, y, z, operands @ ..] = words else { return None };
            if let (Some(Guarded { kernel, limit }), [x, y, z, ..]) = (guards, operands) {
                return (*claimed > 0).then(|| too_large(kernel.clone(), [*x, *y, *z], *limit));
            }
            let record = TrapRecord { claimed: *claimed, count: *count, invocation: [*x, *y, *z] };
            read_record(descriptor, &record, operands).map(|trap| panic_error(descriptor.name, trap))
        })
    }

    /// The prints of launches, in order. The recording is complete.
    pub(crate) fn read_prints(&self) -> Vec<LaunchPrints> {
        // SAFETY: as above.
        let buffers = unsafe { self.prints.memory.words() };
        let read = |(piece, words): (&Piece<Launch>, &[u32])| {
            let [used, dropped, capacity, reserved, records @ ..] = words else { return None };
            let [used, dropped, capacity, reserved] = [*used, *dropped, *capacity, *reserved];
            let header = PrintHeader { used, dropped, capacity, reserved };
            (used > 0 || dropped > 0)
                .then(|| LaunchPrints::read(piece.launch.descriptor, piece.launch.workgroup, header, records))
        };
        buffers.filter_map(read).collect()
    }
}

/// Whether a recording has a launch of each of these kinds.
#[derive(Default)]
struct Kinds {
    traps: bool,
    prints: bool,
    watches: bool,
    blocks: bool,
}

impl Kinds {
    fn of(steps: &[Step]) -> Self {
        let mut kinds = Self::default();
        for step in steps {
            let pipeline = match step {
                Step::Dispatch(launch) => {
                    kinds.traps |= launch.settled.descriptor.trap_binding.is_some();
                    kinds.prints |= launch.settled.descriptor.print_binding.is_some();
                    launch.settled.pipeline.as_ref()
                }
                Step::Module(launch) => Some(&launch.loaded.pipeline),
                _ => None,
            };
            kinds.watches |= pipeline.is_some_and(|pipeline| pipeline.watch.is_some());
            kinds.blocks |= pipeline.is_some_and(|pipeline| pipeline.parameters.is_some());
        }
        kinds
    }
}

/// The buffers through which launches and the host tell each other.
#[derive(Clone, Copy)]
pub(crate) struct Told<'a> {
    pub(crate) traps: &'a Traps,
    pub(crate) prints: &'a Prints,
    pub(crate) watches: &'a Watches,
    pub(crate) blocks: &'a Blocks,
}

/// The numbers of the next trap record, print buffer, watch and block of push constants.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NextRecords {
    pub(crate) trap: usize,
    pub(crate) print: usize,
    pub(crate) watch: usize,
    pub(crate) block: usize,
}

/// The numbers of each operation's first: those are in the order of the recording, in which their contents are told.
fn first_records(steps: &[Step], ops: &[RecordedOp]) -> Vec<NextRecords> {
    let mut next = NextRecords::default();
    let first = |op: &RecordedOp| {
        let first = next;
        for step in &steps[op.steps.clone()] {
            if let Some(launch) = step.dispatch() {
                next.trap += usize::from(launch.settled.descriptor.trap_binding.is_some());
                next.print += usize::from(launch.settled.descriptor.print_binding.is_some());
                next.block += usize::from(has_block(launch));
            }
            next.watch += usize::from(watched_launch(step).is_some());
        }
        first
    };
    ops.iter().map(first).collect()
}

/// The kernel's name of a launch whose loops are watched.
fn watched_launch(step: &Step) -> Option<KernelName> {
    let (pipeline, name) = match step {
        Step::Dispatch(launch) => (launch.settled.pipeline.as_ref()?, launch.settled.descriptor.name.into()),
        Step::Module(launch) => (&launch.loaded.pipeline, launch.loaded.name.clone()),
        _ => return None,
    };
    pipeline.watch.map(|_| name)
}

impl Traps {
    fn prepare(&mut self, device: &Arc<VulkanDevice>, steps: &[Step]) -> Result<()> {
        let bytes =
            |launch: &DispatchStep| 4 * u64::from(launch.settled.descriptor.trap_words.max(TrapRecord::LEAST_WORDS));
        // Modules name the record even where their pipelines never write it, and validation goes by the module: so each launch
        // has a piece of its own.
        let launches = steps.iter().filter_map(Step::dispatch);
        let trapping = launches.filter(|launch| launch.settled.descriptor.trap_binding.is_some());
        self.memory.prepare(device, "trap records", trapping.map(|launch| (Launch::of(launch), bytes(launch))))
    }

    /// The record of the launch with this number among those whose kernels can trap, and a number that its buffer alone has.
    pub(crate) fn record(&self, index: usize) -> Option<(vk::DescriptorBufferInfo, u64)> {
        self.memory.info(index)
    }
}

impl Prints {
    fn prepare(&mut self, device: &Arc<VulkanDevice>, steps: &[Step]) -> Result<()> {
        let bytes = 4 * (u64::from(PrintHeader::WORDS) + u64::from(self.capacity));
        let launches = steps.iter().filter_map(Step::dispatch);
        let printing = launches.filter(|launch| launch.settled.descriptor.print_binding.is_some());
        self.memory.prepare(device, "print buffers", printing.map(|launch| (Launch::of(launch), bytes)))
    }

    /// The buffer of the launch with this number among those that print, and a number as above.
    pub(crate) fn record(&self, index: usize) -> Option<(vk::DescriptorBufferInfo, u64)> {
        self.memory.info(index)
    }
}

impl Watches {
    fn prepare(&mut self, device: &Arc<VulkanDevice>, steps: &[Step]) -> Result<()> {
        self.memory.prepare(device, "watches", steps.iter().filter_map(watched_launch).map(|name| (name, 4)))
    }

    /// The word of the launch with this number among those whose loops are watched, and a number as above.
    pub(crate) fn record(&self, index: usize) -> Option<(vk::DescriptorBufferInfo, u64)> {
        self.memory.info(index)
    }
}

impl Launch {
    fn of(launch: &DispatchStep) -> Self {
        let guards = launch.guards.as_deref().cloned();
        Self { descriptor: launch.settled.descriptor, workgroup: launch.workgroup(), guards }
    }
}

impl<L> Default for Records<L> {
    fn default() -> Self {
        Self { buffer: None, generation: 0, pieces: Vec::new(), bytes: 0 }
    }
}

impl<L> Records<L> {
    /// Makes a piece of so many bytes for each launch.
    fn prepare(
        &mut self,
        device: &Arc<VulkanDevice>,
        name: &str,
        launches: impl Iterator<Item = (L, u64)>,
    ) -> Result<()> {
        self.pieces.clear();
        self.bytes = 0;
        for (launch, bytes) in launches {
            self.pieces.push(Piece { launch, offset: self.bytes, bytes });
            self.bytes += bytes.next_multiple_of(device.caps.storage_alignment);
        }
        let has_room = self.buffer.as_ref().is_some_and(|buffer| buffer.size >= self.bytes);
        if self.bytes > 0 && !has_room {
            self.buffer = None;
            self.generation += 1;
            // Room to grow: sequences are often extended step by step.
            let bytes = self.bytes.next_power_of_two();
            self.buffer = Some(VulkanBuffer::new(device, name, bytes, MemoryUse::Staging)?);
        }
        Ok(())
    }

    fn info(&self, index: usize) -> Option<(vk::DescriptorBufferInfo, u64)> {
        let (buffer, piece) = (self.buffer.as_ref()?, self.pieces.get(index)?);
        let info = vk::DescriptorBufferInfo { buffer: buffer.raw, offset: piece.offset, range: piece.bytes };
        Some((info, self.generation))
    }

    fn data(&self) -> Option<*mut u8> {
        let buffer = if self.pieces.is_empty() { None } else { self.buffer.as_ref() };
        buffer?.mapped_anyhow().map(|data| data.as_ptr())
    }

    /// The words of each piece.
    ///
    /// # Safety
    /// The device does not use the buffer, and what it wrote there is visible to the host, as long as they are used.
    unsafe fn words(&self) -> impl Iterator<Item = (&Piece<L>, &[u32])> {
        let data = self.data();
        self.pieces.iter().filter_map(move |piece| {
            // SAFETY: the piece lies in the buffer, whose memory is aligned to more than a word, as is its offset; by the
            // caller's promise nothing writes it.
            let words = unsafe {
                let start = data?.add(piece.offset as usize).cast::<u32>();
                std::slice::from_raw_parts(start, piece.bytes as usize / 4)
            };
            Some((piece, words))
        })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if self.device.health.is_abandoned() {
            return;
        }
        // SAFETY: the owner waited for the recording; freeing the pool frees its command buffer.
        unsafe { self.device.raw.destroy_command_pool(self.pool, None) };
    }
}
