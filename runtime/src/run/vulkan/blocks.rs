//! The push constants of launches whose values evaluations read anew: in a buffer, written by the host before each run.

use std::sync::Arc;

use ash::vk;

use crate::core::error::{Error, Result};
use crate::device::vulkan::buffer::{MemoryUse, VulkanBuffer};
use crate::device::vulkan::device::VulkanDevice;
use crate::record::launch::{PushBlock, first_group_offset};
use crate::record::parameter::Cell;
use crate::record::steps::{DispatchStep, Step};

/// The blocks of a recording: as many for each launch with parameters as it has parts.
#[derive(Default)]
pub(crate) struct Blocks {
    buffer: Option<VulkanBuffer>,
    /// Counts the buffers that there were.
    generation: u64,
    launches: Vec<Launch>,
    /// Each parameter once, and the version of the value that the blocks have; none where they have none yet.
    cells: Vec<(Arc<Cell>, Option<u64>)>,
    /// Places of values: the number of the parameter, and the byte.
    places: Vec<(usize, usize)>,
}

/// The blocks of a launch: its parts have one each, so many bytes apart.
#[derive(Debug, Clone, Copy)]
struct Launch {
    offset: u64,
    bytes: u64,
    stride: u64,
}

/// The blocks as they are laid out.
struct Layout {
    alignment: u64,
    most_groups: u32,
    bytes: Vec<u8>,
}

/// Whether a launch has its push constants in a block.
pub(crate) fn has_block(step: &DispatchStep) -> bool {
    step.settled.pipeline.as_ref().is_some_and(|pipeline| pipeline.parameters.is_some())
}

impl Blocks {
    /// Lays out the blocks of all launches with parameters.
    pub(crate) fn prepare(&mut self, device: &Arc<VulkanDevice>, steps: &[Step]) -> Result<()> {
        self.launches.clear();
        self.cells.clear();
        self.places.clear();
        let most_groups = device.caps.max_groups_x.max(1);
        let mut layout = Layout { alignment: device.caps.storage_alignment.max(4), most_groups, bytes: Vec::new() };
        for step in steps.iter().filter_map(Step::dispatch).filter(|step| has_block(step)) {
            self.add(step, &mut layout);
        }
        self.places.sort_unstable();
        if layout.bytes.is_empty() {
            return Ok(());
        }
        let size = layout.bytes.len() as u64;
        if self.buffer.as_ref().is_none_or(|buffer| buffer.size < size) {
            self.buffer = None;
            self.generation += 1;
            self.buffer = Some(VulkanBuffer::new(device, "parameters", size.next_power_of_two(), MemoryUse::Upload)?);
        }
        match self.data() {
            // SAFETY: the buffer has these bytes, and the recording is not pending.
            Some(data) => unsafe { data.copy_from_nonoverlapping(layout.bytes.as_ptr(), layout.bytes.len()) },
            None => return Err(Error::NotMappable { tensor: "parameters".to_owned() }),
        }
        Ok(())
    }

    fn add(&mut self, step: &DispatchStep, layout: &mut Layout) {
        let block = step.args.push.bytes();
        let bytes = block.len().next_multiple_of(4);
        let stride = (bytes as u64).next_multiple_of(layout.alignment);
        let offset = layout.bytes.len() as u64;
        self.launches.push(Launch { offset, bytes: bytes as u64, stride });
        let parts = match step.indirect {
            None => step.settled.extent.groups[0].div_ceil(layout.most_groups).max(1),
            Some(_) => 1,
        };
        for part in 0..parts {
            let start = layout.bytes.len();
            layout.bytes.extend_from_slice(of_part(step, part.saturating_mul(layout.most_groups)).bytes());
            layout.bytes.resize(start + stride as usize, 0);
            for parameter in &step.args.parameters {
                let known = self.cells.iter().position(|(cell, _)| Arc::ptr_eq(cell, &parameter.cell));
                let cell = known.unwrap_or_else(|| {
                    self.cells.push((parameter.cell.clone(), None));
                    self.cells.len() - 1
                });
                self.places.push((cell, start + parameter.offset as usize));
            }
        }
    }

    /// Puts the values of now into the blocks. The recording is not pending.
    pub(crate) fn write(&mut self) {
        let Some(data) = self.data() else { return };
        let mut places = self.places.as_slice();
        for (number, (cell, version)) in self.cells.iter_mut().enumerate() {
            let (own, rest) = places.split_at(places.partition_point(|(cell, _)| *cell == number));
            places = rest;
            let values = cell.values();
            if *version == Some(values.version) {
                continue;
            }
            *version = Some(values.version);
            for (_, place) in own {
                // SAFETY: the value's place in a block of the buffer, which the device does not use now.
                unsafe { data.add(*place).copy_from_nonoverlapping(values.now.as_ptr(), values.now.len()) };
            }
        }
    }

    /// The block of a part of the launch with this number among those with blocks, and a number that its buffer alone has.
    pub(crate) fn block(&self, launch: usize, part: u32) -> Option<(vk::DescriptorBufferInfo, u64)> {
        let (buffer, launch) = (self.buffer.as_ref()?, self.launches.get(launch)?);
        let offset = launch.offset + u64::from(part) * launch.stride;
        let info = vk::DescriptorBufferInfo { buffer: buffer.raw, offset, range: launch.bytes };
        Some((info, self.generation))
    }

    fn data(&self) -> Option<*mut u8> {
        self.buffer.as_ref()?.mapped_anyhow().map(std::ptr::NonNull::as_ptr)
    }
}

/// The push constants of the part of a launch that begins with this group.
fn of_part(step: &DispatchStep, first_group: u32) -> PushBlock {
    let mut block = step.args.push;
    if let Some(offset) = first_group_offset(step.settled.descriptor) {
        block.set_word(offset, first_group);
    }
    block
}
