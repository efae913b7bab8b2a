//! Timestamps around the operations of a recording: two queries each.

use std::sync::Arc;
use std::time::Duration;

use ash::vk;

use super::device::VulkanDevice;
use crate::core::error::{Error, Result};
use crate::core::times::Times;

/// The conversion of a queue's ticks into time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    /// Bits that count; zero when the queue has no timestamps.
    pub(crate) valid_bits: u32,
    /// Nanoseconds of a tick.
    pub(crate) period: f32,
}

impl Clock {
    /// Time from one tick to another. The counter may have wrapped around once.
    pub(crate) fn between(self, from: u64, to: u64) -> Duration {
        let mask = if self.valid_bits >= 64 { u64::MAX } else { (1 << self.valid_bits) - 1 };
        let ticks = to.wrapping_sub(from) & mask;
        // A tick earlier than the first: the queue started both at once.
        let ticks = if ticks > mask / 2 { 0 } else { ticks };
        Duration::from_nanos((ticks as f64 * f64::from(self.period)).round() as u64)
    }
}

/// The queries of a recording. Its owner drops it only when it is not pending.
pub(crate) struct Timestamps {
    pool: vk::QueryPool,
    /// For each operation, whether it has steps, and so writes its queries.
    is_written: Vec<bool>,
    /// The operation that the device comes to first.
    first: usize,
    clock: Clock,
    device: Arc<VulkanDevice>,
}

impl Timestamps {
    /// Queries for operations on a queue with this clock; whether each has steps is told. The device comes to `first` first.
    pub(crate) fn new(
        device: &Arc<VulkanDevice>,
        clock: Clock,
        ops: impl Iterator<Item = bool>,
        first: usize,
    ) -> Result<Self> {
        if clock.valid_bits == 0 {
            return Err(Error::NoTimestamps);
        }
        let is_written: Vec<bool> = ops.collect();
        let count = u32::try_from(2 * is_written.len()).unwrap_or(u32::MAX).max(1);
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        // SAFETY: a valid info.
        let pool = unsafe { device.raw.create_query_pool(&info, None) };
        let pool = pool.map_err(Error::vulkan("vkCreateQueryPool"))?;
        Ok(Self { pool, is_written, first, clock, device: device.clone() })
    }

    /// Records that all queries start anew.
    pub(crate) fn reset(&self, commands: vk::CommandBuffer) {
        let count = (2 * self.is_written.len()).max(1) as u32;
        // SAFETY: a command buffer in the recording state, outside of any pass; the pool has these queries.
        unsafe { self.device.raw.cmd_reset_query_pool(commands, self.pool, 0, count) };
    }

    /// Records the start of an operation: when the device comes to it.
    pub(crate) fn start(&self, commands: vk::CommandBuffer, op: usize) {
        self.write(commands, vk::PipelineStageFlags::TOP_OF_PIPE, 2 * op);
    }

    /// Records the end of an operation: when all commands so far are complete.
    pub(crate) fn end(&self, commands: vk::CommandBuffer, op: usize) {
        self.write(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, 2 * op + 1);
    }

    fn write(&self, commands: vk::CommandBuffer, stage: vk::PipelineStageFlags, query: usize) {
        // SAFETY: as above; each query is written once after the reset.
        unsafe { self.device.raw.cmd_write_timestamp(commands, stage, self.pool, query as u32) };
    }

    /// When the operations ran. The recording is complete.
    pub(crate) fn read(&self) -> Result<Times> {
        let mut all = Vec::with_capacity(self.is_written.len());
        for (op, is_written) in self.is_written.iter().enumerate() {
            if !is_written {
                all.push(None);
                continue;
            }
            let mut ticks = [0u64; 2];
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            // SAFETY: the recording, which writes these two queries, is complete.
            let read = unsafe { self.device.raw.get_query_pool_results(self.pool, 2 * op as u32, &mut ticks, flags) };
            read.map_err(Error::vulkan("vkGetQueryPoolResults"))?;
            all.push(Some(ticks));
        }
        let first = all.get(self.first).copied().flatten().map_or(0, |[start, _]| start);
        let span = |ticks: Option<[u64; 2]>| {
            ticks.map(|[start, end]| {
                let since_first = self.clock.between(first, start);
                (since_first, since_first + self.clock.between(start, end))
            })
        };
        Ok(all.into_iter().map(span).collect())
    }
}

impl Drop for Timestamps {
    fn drop(&mut self) {
        if self.device.health.is_abandoned() {
            return;
        }
        // SAFETY: the recording is not pending.
        unsafe { self.device.raw.destroy_query_pool(self.pool, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_scaled_and_may_wrap() {
        let clock = Clock { valid_bits: 36, period: 52.5 };
        assert_eq!(clock.between(10, 12), Duration::from_nanos(105));
        assert_eq!(clock.between((1 << 36) - 1, 1), Duration::from_nanos(105));
        assert_eq!(clock.between(5, 4), Duration::ZERO);
        let whole = Clock { valid_bits: 64, period: 1.0 };
        assert_eq!(whole.between(u64::MAX, 1), Duration::from_nanos(2));
    }
}
