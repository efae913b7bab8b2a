//! The time that a driver takes to make a pipeline of a module. The pipelines compute nothing.

use std::ffi::CString;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use ash::vk;

use super::{RawDevice, vulkan};
use crate::Error;

/// Storage buffers in set 0 that modules may name.
const BINDINGS: u32 = 8;
/// Bytes of push constants that modules may name, which every device has.
const PUSH_BYTES: u32 = 128;

/// Makes pipelines of any module of one set of storage buffers.
#[expect(missing_debug_implementations, reason = "the device has none")]
pub struct PipelineTimer<'d> {
    device: &'d RawDevice,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    /// The cache of warm modules; none before the first.
    cache: vk::PipelineCache,
}

impl<'d> PipelineTimer<'d> {
    /// Makes the layout.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn new(device: &'d RawDevice) -> Result<Self, Error> {
        let raw = &device.raw;
        let binding = |number: u32| {
            let binding = vk::DescriptorSetLayoutBinding::default().binding(number).descriptor_count(1);
            binding.descriptor_type(vk::DescriptorType::STORAGE_BUFFER).stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings: Vec<_> = (0..BINDINGS).map(binding).collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: a valid info.
        let set_layout =
            unsafe { raw.create_descriptor_set_layout(&info, None) }.map_err(vulkan("vkCreateDescriptorSetLayout"))?;
        let layouts = [set_layout];
        let ranges = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(PUSH_BYTES)];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&ranges);
        // SAFETY: a valid info and a live layout.
        let layout = unsafe { raw.create_pipeline_layout(&info, None) }.map_err(vulkan("vkCreatePipelineLayout"))?;
        Ok(Self { device, set_layout, layout, cache: vk::PipelineCache::null() })
    }

    /// The time for a module that the driver has never seen, from whichever timer.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn cold(&self, words: &[u32]) -> Result<Duration, Error> {
        self.time(&never_seen(words), vk::PipelineCache::null())
    }

    /// The time for a module that a pipeline cache knows, which learns of it first if this is the first call.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn warm(&mut self, words: &[u32]) -> Result<Duration, Error> {
        if self.cache == vk::PipelineCache::null() {
            let info = vk::PipelineCacheCreateInfo::default();
            // SAFETY: a valid info; the cache is destroyed with the layouts.
            let made = unsafe { self.device.raw.create_pipeline_cache(&info, None) };
            self.cache = made.map_err(vulkan("vkCreatePipelineCache"))?;
            self.time(words, self.cache)?;
        }
        self.time(words, self.cache)
    }

    /// Module and pipeline, both destroyed at once.
    fn time(&self, words: &[u32], cache: vk::PipelineCache) -> Result<Duration, Error> {
        let raw = &self.device.raw;
        let Interface { entry, switches } = Interface::of(words)?;
        let entries: Vec<_> = switches
            .iter()
            .map(|id| vk::SpecializationMapEntry::default().constant_id(*id).offset(0).size(4))
            .collect();
        let on = 1u32.to_ne_bytes();
        let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&on);
        let start = Instant::now();
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: a valid module and valid infos; nothing is in use.
        unsafe {
            let module = raw.create_shader_module(&info, None).map_err(vulkan("vkCreateShaderModule"))?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(&entry)
                .specialization_info(&constants);
            let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout);
            let made = raw.create_compute_pipelines(cache, &[info], None);
            let time = start.elapsed();
            raw.destroy_shader_module(module, None);
            let made = made.map_err(|(_, result)| vulkan("vkCreateComputePipelines")(result))?;
            made.into_iter().for_each(|pipeline| raw.destroy_pipeline(pipeline, None));
            Ok(time)
        }
    }
}

impl Drop for PipelineTimer<'_> {
    fn drop(&mut self) {
        // SAFETY: no pipeline is left.
        unsafe {
            self.device.raw.destroy_pipeline_cache(self.cache, None);
            self.device.raw.destroy_pipeline_layout(self.layout, None);
            self.device.raw.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// The module with another number in its header each time. Drivers remember modules by their words, also between timers and
/// processes, and two references can be the same words.
fn never_seen(words: &[u32]) -> Vec<u32> {
    static MADE: LazyLock<AtomicU32> = LazyLock::new(|| {
        // Another first number in each process.
        AtomicU32::new(UNIX_EPOCH.elapsed().map_or(0, |time| time.as_millis() as u32))
    });
    let number = MADE.fetch_add(1, Ordering::Relaxed) & 0xffff;
    let mut words = words.to_vec();
    if let Some(generator) = words.get_mut(2) {
        *generator = (*generator & 0xffff_0000) | number;
    }
    words
}

/// The facts about a module that a pipeline needs.
struct Interface {
    entry: CString,
    /// The specialization constants that are true or false, by their numbers: all are set to true, as the runtime sets most.
    switches: Vec<u32>,
}

impl Interface {
    fn of(words: &[u32]) -> Result<Self, Error> {
        const ENTRY_POINT: u32 = 15;
        const SPEC_CONSTANT_TRUE: u32 = 48;
        const SPEC_CONSTANT_FALSE: u32 = 49;
        const DECORATE: u32 = 71;
        const SPEC_ID: u32 = 1;
        let (mut entry, mut numbers, mut truths) = (None, Vec::new(), Vec::new());
        let mut rest = words.get(5..).unwrap_or_default();
        while let [first, operands @ ..] = rest {
            let len = ((first >> 16).max(1) as usize - 1).min(operands.len());
            match (first & 0xffff, &operands[..len]) {
                (ENTRY_POINT, [_, _, name @ ..]) if entry.is_none() => {
                    let bytes = name.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
                    entry = CString::new(bytes.collect::<Vec<u8>>()).ok();
                }
                (DECORATE, [id, SPEC_ID, number]) => numbers.push((*id, *number)),
                (SPEC_CONSTANT_TRUE | SPEC_CONSTANT_FALSE, [_, id]) => truths.push(*id),
                _ => {}
            }
            rest = &operands[len..];
        }
        let entry = entry.ok_or_else(|| Error::Missing("entry point".to_owned()))?;
        let switches = numbers.into_iter().filter(|(id, _)| truths.contains(id)).map(|(_, number)| number).collect();
        Ok(Self { entry, switches })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_cold_modules_are_the_same_words() {
        let module = [0x0723_0203, 0x0001_0500, 0x0008_000b, 40, 0, 0x0002_0011];
        let (first, second) = (never_seen(&module), never_seen(&module));
        assert_ne!(first, second);
        for made in [first, second] {
            let differs = |place: &usize| made[*place] != module[*place];
            assert!((0..module.len()).filter(differs).all(|place| place == 2), "only the header's number may differ");
            assert_eq!(made[2] >> 16, module[2] >> 16, "drivers may look at who wrote the module");
        }
    }
}
