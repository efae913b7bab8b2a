//! Vulkan commands of an application's own within an operation. Nothing here knows what they do.
//!
//! The commands stand between two full barriers, and the state that they bind is forgotten.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ash::vk;

use super::Recorder;
use crate::core::error::{Error, Result};
use crate::device::Backend;
use crate::memory::buffer::Buffer;
use crate::record::steps::Step;

/// The command buffer that [`Recorder::vulkan`] lets an operation record into.
///
/// ```
/// use gridwise::{Result, TensorRef, ash::vk, ops::Recorder};
///
/// /// Part of an operation that declares that it writes `words`: these are set to 7.
/// fn sevens(recorder: &mut Recorder<'_>, words: &TensorRef) -> Result<()> {
///     let Some(range) = words.vulkan_buffer() else { return Ok(()) }; // on the host device, say
///     // SAFETY: the command stays within the tensor, which the operation declares to write and the recording keeps.
///     unsafe {
///         recorder.vulkan(move |with| {
///             let bytes = range.bytes & !3;
///             with.device.cmd_fill_buffer(with.command_buffer, range.buffer, range.offset, bytes, 7);
///         })
///     }
/// }
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct VulkanCommands<'a> {
    /// The device, whose functions record commands.
    pub device: &'a ash::Device,
    /// The command buffer, in the recording state.
    pub command_buffer: vk::CommandBuffer,
    /// The family of the queue that the commands are for.
    pub queue_family: u32,
}

type Record = Arc<dyn Fn(VulkanCommands<'_>) + Send + Sync>;

/// Commands of an application, and the buffers that they use.
#[derive(Clone)]
pub(crate) struct CommandsStep {
    /// With whether they write it.
    pub(crate) uses: Vec<(Arc<Buffer>, bool)>,
    operation: String,
    record: Record,
}

impl CommandsStep {
    /// Lets the application record its commands.
    pub(crate) fn record(&self, commands: VulkanCommands<'_>) -> Result<()> {
        catch_unwind(AssertUnwindSafe(|| (self.record)(commands))).map_err(|_| {
            let cause = "the function that records Vulkan commands panicked".to_owned();
            Error::HostCallFailed { operation: self.operation.clone(), cause }
        })
    }
}

impl Recorder<'_> {
    /// Records Vulkan commands of the application's own, between a barrier behind all before and one in front of all after.
    ///
    /// `record` is called whenever the sequence's commands are encoded: at the first evaluation, and at later ones whose commands cannot
    /// be those of the last. A panic in it is [`Error::HostCallFailed`], and nothing of the evaluation runs.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::{Access, Recorder};
    /// use gridwise::{Error, Manager, Op, Result, TensorRef};
    ///
    /// /// Writes two words by a command that no operation of gridwise has.
    /// struct Update(TensorRef, [u8; 8]);
    ///
    /// impl Op for Update {
    ///     fn name(&self) -> &str { "update" }
    ///     fn accesses(&self) -> Vec<Access> { vec![Access::write(&self.0)] }
    ///     fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
    ///         let range = self.0.vulkan_buffer().ok_or(Error::OnHostDevice { operation: "updating" })?;
    ///         let words = self.1;
    ///         // SAFETY: the command stays within the tensor, which is declared.
    ///         unsafe {
    ///             recorder.vulkan(move |with| {
    ///                 with.device.cmd_update_buffer(with.command_buffer, range.buffer, range.offset, &words);
    ///             })
    ///         }
    ///     }
    /// }
    ///
    /// let manager = Manager::new()?;
    /// let tensor = manager.tensor_of_len::<u32>(2)?;
    /// match manager.sequence()?.record(Update(tensor.handle(), [1; 8])) {
    ///     Ok(sequence) => sequence.eval()?,
    ///     Err(Error::OnHostDevice { .. }) => return Ok(()),
    ///     Err(other) => return Err(other),
    /// };
    /// assert_eq!(tensor.to_vec()?, [0x0101_0101; 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OnHostDevice`] on the host device, and when a tensor that the operation declares is of another manager. Evaluations fail
    /// with [`Error::TensorRebuilt`] once such a tensor was rebuilt.
    ///
    /// # Safety
    /// The commands are valid in a primary command buffer of the queue's family, outside of render passes, and the
    /// command buffer is neither ended nor reset. Of the manager's memory they use what the operation declares, as it
    /// declares it, and nothing else; images are in `VK_IMAGE_LAYOUT_GENERAL` before and after. Objects of the
    /// application that they use live as long as the sequence records the operation or runs. Between dependent commands
    /// of its own the application puts the barriers. The state that they bind need not be restored.
    pub unsafe fn vulkan(&mut self, record: impl Fn(VulkanCommands<'_>) + Send + Sync + 'static) -> Result<()> {
        if matches!(self.device.backend, Backend::Host(_)) {
            return Err(Error::OnHostDevice { operation: "recording Vulkan commands" });
        }
        let declared = self.declared.unwrap_or_default();
        let uses: Vec<_> = declared.iter().map(|access| (access.tensor.buffer.clone(), access.is_write)).collect();
        uses.iter().try_for_each(|(buffer, is_write)| self.check(buffer, *is_write))?;
        let (operation, record) = (self.operation.to_owned(), Arc::new(record));
        self.steps.push(Step::Commands(Box::new(CommandsStep { uses, operation, record })));
        Ok(())
    }
}

impl fmt::Debug for CommandsStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandsStep").field("operation", &self.operation).finish_non_exhaustive()
    }
}

impl fmt::Debug for VulkanCommands<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanCommands").field("command_buffer", &self.command_buffer).finish_non_exhaustive()
    }
}
