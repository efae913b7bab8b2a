//! Asks the driver what it made of a pipeline (`VK_KHR_pipeline_executable_properties`).

use std::ffi::{CStr, c_char};

use ash::{khr, vk};

use super::pipeline::Pipeline;
use crate::core::error::{Error, Result};
use crate::device::executable::{Executable, Statistic, StatisticValue};

impl Pipeline {
    /// The programs that the driver made of it, if it was asked to keep what it knows.
    pub(crate) fn executables(&self) -> Result<Vec<Executable>> {
        let device = self.device();
        let Some(calls) = &device.executables else {
            return Err(Error::NoExecutableStatistics { supported: device.caps.has_executables });
        };
        let info = vk::PipelineInfoKHR::default().pipeline(self.raw);
        let mut found: Vec<vk::PipelineExecutablePropertiesKHR<'_>> = Vec::new();
        fill(&mut found, |count, all| {
            // SAFETY: a live pipeline that was made with the flag for this; `all` is null or has room for `count`.
            unsafe { (calls.fp().get_pipeline_executable_properties_khr)(calls.device(), &info, count, all) }
        })
        .map_err(Error::vulkan("vkGetPipelineExecutablePropertiesKHR"))?;
        let describe = |(index, properties): (u32, &vk::PipelineExecutablePropertiesKHR<'_>)| {
            Ok(Executable {
                name: text(&properties.name),
                description: text(&properties.description),
                subgroup_size: properties.subgroup_size,
                statistics: statistics(calls, self.raw, index)?,
            })
        };
        (0..).zip(&found).map(describe).collect()
    }
}

fn statistics(
    calls: &khr::pipeline_executable_properties::Device,
    pipeline: vk::Pipeline,
    index: u32,
) -> Result<Vec<Statistic>> {
    let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
    let mut found: Vec<vk::PipelineExecutableStatisticKHR<'_>> = Vec::new();
    fill(&mut found, |count, all| {
        // SAFETY: a live pipeline with this executable, made with the flag for this; `all` is null or has room for `count`.
        unsafe { (calls.fp().get_pipeline_executable_statistics_khr)(calls.device(), &info, count, all) }
    })
    .map_err(Error::vulkan("vkGetPipelineExecutableStatisticsKHR"))?;
    let describe = |statistic: &vk::PipelineExecutableStatisticKHR<'_>| {
        // SAFETY: the format says which of the fields the driver wrote.
        let value = unsafe {
            match statistic.format {
                vk::PipelineExecutableStatisticFormatKHR::BOOL32 => {
                    StatisticValue::Bool(statistic.value.b32 == vk::TRUE)
                }
                vk::PipelineExecutableStatisticFormatKHR::INT64 => StatisticValue::I64(statistic.value.i64),
                vk::PipelineExecutableStatisticFormatKHR::FLOAT64 => StatisticValue::F64(statistic.value.f64),
                _ => StatisticValue::U64(statistic.value.u64),
            }
        };
        Statistic { name: text(&statistic.name), description: text(&statistic.description), value }
    };
    Ok(found.iter().map(describe).collect())
}

/// Asks how many there are, then for all of them.
fn fill<T: Default + Clone>(
    all: &mut Vec<T>,
    ask: impl Fn(*mut u32, *mut T) -> vk::Result,
) -> std::result::Result<(), vk::Result> {
    let mut count = 0;
    ask(&mut count, std::ptr::null_mut()).result()?;
    all.resize(count as usize, T::default());
    match ask(&mut count, all.as_mut_ptr()) {
        // More than before is not to be expected of a pipeline, which does not change.
        vk::Result::INCOMPLETE => {}
        result => result.result()?,
    }
    all.truncate(count as usize);
    Ok(())
}

/// A text with an end, whatever the driver wrote.
fn text(raw: &[c_char]) -> String {
    let bytes: Vec<u8> = raw.iter().map(|byte| *byte as u8).collect();
    CStr::from_bytes_until_nul(&bytes).map_or_else(|_| "?".into(), CStr::to_string_lossy).into_owned()
}
