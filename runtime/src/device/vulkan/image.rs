//! Vulkan images, sub-allocated; always in the layout `GENERAL`, which every use here allows.

use std::fmt;
use std::sync::{Arc, PoisonError};

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use gridwise_ir::descriptor::{ImageFormat, TexelKind};

use super::buffer::MemoryUse;
use super::device::VulkanDevice;
use crate::core::error::{Error, ImageUse, Result};
use crate::device::image_layout::{ImageLayout, Piece};

/// An image and its memory.
pub(crate) struct VulkanImage {
    pub(crate) raw: vk::Image,
    /// The first level, for kernels that load and store; null where the device has no such images.
    pub(crate) storage: vk::ImageView,
    /// All levels, for samplers; null where the device cannot sample the format.
    pub(crate) sampled: vk::ImageView,
    pub(crate) has_linear_filter: bool,
    /// Whether the device scales such images by itself.
    pub(crate) can_blit: bool,
    levels: u32,
    kind: TexelKind,
    allocation: Allocation,
    device: Arc<VulkanDevice>,
}

/// A format as Vulkan numbers it.
pub(crate) fn vulkan_format(format: ImageFormat) -> vk::Format {
    vk::Format::from_raw(format.vulkan())
}

fn image_type(dimensions: u32) -> vk::ImageType {
    match dimensions {
        1 => vk::ImageType::TYPE_1D,
        2 => vk::ImageType::TYPE_2D,
        _ => vk::ImageType::TYPE_3D,
    }
}

/// The uses of a format that a device supports.
#[derive(Debug, Clone, Copy)]
struct Support {
    storage: bool,
    sampled: bool,
    linear: bool,
    blit: bool,
}

impl Support {
    fn of(device: &VulkanDevice, format: ImageFormat) -> Self {
        let raw = vulkan_format(format);
        // SAFETY: the physical device is of the instance.
        let properties = unsafe { device.instance.raw.get_physical_device_format_properties(device.physical(), raw) };
        let has = |flags| properties.optimal_tiling_features.contains(flags);
        let sampled = has(vk::FormatFeatureFlags::SAMPLED_IMAGE);
        let linear = sampled && has(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR);
        let blit = has(vk::FormatFeatureFlags::BLIT_SRC | vk::FormatFeatureFlags::BLIT_DST);
        let storage = has(vk::FormatFeatureFlags::STORAGE_IMAGE);
        Self { storage, sampled, linear, blit: blit && linear && device.caps.can_blit }
    }

    fn usage(self) -> vk::ImageUsageFlags {
        let flags = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let with = |has, flag| if has { flag } else { vk::ImageUsageFlags::empty() };
        flags | with(self.storage, vk::ImageUsageFlags::STORAGE) | with(self.sampled, vk::ImageUsageFlags::SAMPLED)
    }
}

impl VulkanImage {
    /// An image whose texels are undefined, as its layout is: [`start`](Self::start) comes before any other use.
    pub(crate) fn new(device: &Arc<VulkanDevice>, name: &str, layout: &ImageLayout) -> Result<Self> {
        let support = Support::of(device, layout.format);
        if !support.storage && !support.sampled {
            return Err(Error::ImageUnsupported {
                image: name.into(),
                format: layout.format,
                usage: ImageUse::Any,
                device: device.name.clone(),
            });
        }
        check_limits(device, name, layout, support.usage())?;
        let [width, height, depth] = layout.extent;
        let mut info = vk::ImageCreateInfo::default()
            .image_type(image_type(layout.dimensions))
            .format(vulkan_format(layout.format))
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(layout.levels)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(support.usage())
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // As buffers: no queue owns it.
        if device.families.len() > 1 {
            info = info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(&device.families);
        }
        // SAFETY: a valid info, whose values the device was asked about.
        let raw = unsafe { device.raw.create_image(&info, None) }.map_err(Error::vulkan("vkCreateImage"))?;
        // Dropping the image on an error frees what there is of it.
        let mut image = Self {
            raw,
            storage: vk::ImageView::null(),
            sampled: vk::ImageView::null(),
            has_linear_filter: support.linear,
            can_blit: support.blit,
            levels: layout.levels,
            kind: layout.format.kind(),
            allocation: Allocation::default(),
            device: device.clone(),
        };
        image.allocate(name)?;
        if support.storage {
            image.storage = image.view(layout, 1)?;
        }
        if support.sampled {
            image.sampled = image.view(layout, layout.levels)?;
        }
        device.name_object(raw, name);
        Ok(image)
    }

    fn allocate(&mut self, name: &str) -> Result<()> {
        let device = &self.device;
        // SAFETY: a live image.
        let requirements = unsafe { device.raw.get_image_memory_requirements(self.raw) };
        let mut cause = "no fitting memory type".to_owned();
        for memory_type in device.memory_types.for_use(MemoryUse::Device) {
            let memory_type_bits = requirements.memory_type_bits & 1 << memory_type;
            if memory_type_bits == 0 {
                continue;
            }
            let mut allocator = device.allocator.lock().unwrap_or_else(PoisonError::into_inner);
            let allocated = allocator.allocate(&AllocationCreateDesc {
                name,
                requirements: vk::MemoryRequirements { memory_type_bits, ..requirements },
                location: MemoryLocation::Unknown,
                linear: false,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            });
            drop(allocator);
            match allocated {
                Ok(allocation) => {
                    self.allocation = allocation;
                    let allocation = &self.allocation;
                    // SAFETY: memory of a type and size that the image asked for, bound once.
                    let bound =
                        unsafe { device.raw.bind_image_memory(self.raw, allocation.memory(), allocation.offset()) };
                    return bound.map_err(Error::vulkan("vkBindImageMemory"));
                }
                Err(error) => cause = error.to_string(),
            }
        }
        Err(Error::OutOfMemory { object: name.to_owned(), bytes: requirements.size, cause })
    }

    fn view(&self, layout: &ImageLayout, levels: u32) -> Result<vk::ImageView> {
        let ty = match layout.dimensions {
            1 => vk::ImageViewType::TYPE_1D,
            2 => vk::ImageViewType::TYPE_2D,
            _ => vk::ImageViewType::TYPE_3D,
        };
        let range = vk::ImageSubresourceRange { level_count: levels, ..self.all_levels() };
        let format = vulkan_format(layout.format);
        let info =
            vk::ImageViewCreateInfo::default().image(self.raw).view_type(ty).format(format).subresource_range(range);
        // SAFETY: a live image with these levels.
        unsafe { self.device.raw.create_image_view(&info, None) }.map_err(Error::vulkan("vkCreateImageView"))
    }

    fn all_levels(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: 0,
            level_count: self.levels,
            base_array_layer: 0,
            layer_count: 1,
        }
    }

    /// Records the image's only change of layout.
    pub(crate) fn start(&self, commands: vk::CommandBuffer) {
        let uses = vk::AccessFlags::SHADER_READ
            | vk::AccessFlags::SHADER_WRITE
            | vk::AccessFlags::TRANSFER_READ
            | vk::AccessFlags::TRANSFER_WRITE;
        let stages = vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER;
        let barrier = vk::ImageMemoryBarrier::default()
            .image(self.raw)
            .subresource_range(self.all_levels())
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_access_mask(uses);
        // SAFETY: a live image that nobody uses yet, and a command buffer in the recording state.
        unsafe {
            let none = vk::DependencyFlags::empty();
            self.device.raw.cmd_pipeline_barrier(commands, stages, stages, none, &[], &[], &[barrier]);
        }
    }

    /// Records that all texels of all levels get this value.
    pub(crate) fn clear(&self, commands: vk::CommandBuffer, texel: [u32; 4]) {
        let value = match self.kind {
            TexelKind::Float => vk::ClearColorValue { float32: texel.map(f32::from_bits) },
            TexelKind::Uint => vk::ClearColorValue { uint32: texel },
            TexelKind::Sint => vk::ClearColorValue { int32: texel.map(|word| word as i32) },
        };
        let (general, range) = (vk::ImageLayout::GENERAL, self.all_levels());
        // SAFETY: a live image, and a command buffer in the recording state.
        unsafe { self.device.raw.cmd_clear_color_image(commands, self.raw, general, &value, &[range]) };
    }

    /// Records a copy from a buffer's bytes at `offset`, whose rows have `row_length` texels; zero for no gaps.
    pub(crate) fn copy_from(&self, commands: vk::CommandBuffer, from: (vk::Buffer, u64), row_length: u32, to: &Piece) {
        let region = region(from.1, row_length, to);
        let general = vk::ImageLayout::GENERAL;
        // SAFETY: live objects; the region lies in both; a command buffer in the recording state. Likewise below.
        unsafe { self.device.raw.cmd_copy_buffer_to_image(commands, from.0, self.raw, general, &[region]) };
    }

    /// Records a copy to a buffer's bytes, as [`copy_from`](Self::copy_from).
    pub(crate) fn copy_to(&self, commands: vk::CommandBuffer, to: (vk::Buffer, u64), row_length: u32, from: &Piece) {
        let region = region(to.1, row_length, from);
        let general = vk::ImageLayout::GENERAL;
        // SAFETY: as above.
        unsafe { self.device.raw.cmd_copy_image_to_buffer(commands, self.raw, general, to.0, &[region]) };
    }

    /// Records the copy of a whole level to another image of the same format.
    pub(crate) fn copy_level(
        &self,
        commands: vk::CommandBuffer,
        level: u32,
        extent: [u32; 3],
        to: &Self,
        to_level: u32,
    ) {
        let [width, height, depth] = extent;
        let region = vk::ImageCopy::default()
            .src_subresource(layers(level))
            .dst_subresource(layers(to_level))
            .extent(vk::Extent3D { width, height, depth });
        let general = vk::ImageLayout::GENERAL;
        // SAFETY: as above.
        unsafe { self.device.raw.cmd_copy_image(commands, self.raw, general, to.raw, general, &[region]) };
    }

    /// Records that a level becomes the one before it, scaled down.
    pub(crate) fn shrink(&self, commands: vk::CommandBuffer, from: [u32; 3], to: [u32; 3], level: u32) {
        let corners = |extent: [u32; 3]| {
            let [x, y, z] = extent.map(|side| side as i32);
            [vk::Offset3D::default(), vk::Offset3D { x, y, z }]
        };
        let region = vk::ImageBlit::default()
            .src_subresource(layers(level - 1))
            .src_offsets(corners(from))
            .dst_subresource(layers(level))
            .dst_offsets(corners(to));
        let (general, filter) = (vk::ImageLayout::GENERAL, vk::Filter::LINEAR);
        // SAFETY: as above; the device can scale the format with this filter.
        unsafe { self.device.raw.cmd_blit_image(commands, self.raw, general, self.raw, general, &[region], filter) };
    }
}

/// Asks the device how large such an image can be.
fn check_limits(device: &VulkanDevice, name: &str, layout: &ImageLayout, usage: vk::ImageUsageFlags) -> Result<()> {
    // SAFETY: the physical device is of the instance.
    let limits = unsafe {
        device.instance.raw.get_physical_device_image_format_properties(
            device.physical(),
            vulkan_format(layout.format),
            image_type(layout.dimensions),
            vk::ImageTiling::OPTIMAL,
            usage,
            vk::ImageCreateFlags::empty(),
        )
    };
    let limits = limits.map_err(|result| match result {
        vk::Result::ERROR_FORMAT_NOT_SUPPORTED => Error::ImageUnsupported {
            image: name.into(),
            format: layout.format,
            usage: ImageUse::Any,
            device: device.name.clone(),
        },
        other => Error::vulkan("vkGetPhysicalDeviceImageFormatProperties")(other),
    })?;
    let most = [limits.max_extent.width, limits.max_extent.height, limits.max_extent.depth];
    if (0..3).any(|axis| layout.extent[axis] > most[axis]) {
        return Err(Error::ImageExtent { image: name.to_owned(), extent: layout.extent, limit: most });
    }
    let bytes = layout.bytes_of(layout.levels - 1).end;
    if bytes > limits.max_resource_size {
        let (tensor, limit) = (name.into(), limits.max_resource_size);
        return Err(Error::BufferTooLarge { tensor, asked: bytes, limit, unit: "bytes" });
    }
    Ok(())
}

fn layers(level: u32) -> vk::ImageSubresourceLayers {
    let (aspect_mask, base_array_layer, layer_count) = (vk::ImageAspectFlags::COLOR, 0, 1);
    vk::ImageSubresourceLayers { aspect_mask, mip_level: level, base_array_layer, layer_count }
}

fn region(offset: u64, row_length: u32, piece: &Piece) -> vk::BufferImageCopy {
    let [x, y, z] = piece.offset.map(|at| at as i32);
    let [width, height, depth] = piece.extent;
    vk::BufferImageCopy::default()
        .buffer_offset(offset)
        .buffer_row_length(row_length)
        .image_subresource(layers(piece.level))
        .image_offset(vk::Offset3D { x, y, z })
        .image_extent(vk::Extent3D { width, height, depth })
}

impl Drop for VulkanImage {
    fn drop(&mut self) {
        if self.device.health.is_abandoned() {
            std::mem::forget(std::mem::take(&mut self.allocation));
            return;
        }
        let raw = &self.device.raw;
        // SAFETY: who submitted work with the image held it until the work was complete. Null handles are allowed.
        unsafe {
            raw.destroy_image_view(self.storage, None);
            raw.destroy_image_view(self.sampled, None);
            raw.destroy_image(self.raw, None);
        }
        let allocation = std::mem::take(&mut self.allocation);
        if !allocation.is_null() {
            let mut allocator = self.device.allocator.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = allocator.free(allocation) {
                tracing::error!(%error, "freeing an image");
            }
        }
    }
}

impl fmt::Debug for VulkanImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanImage").field("raw", &self.raw).field("levels", &self.levels).finish_non_exhaustive()
    }
}
