//! Checks the steps of operations and adds them to a recording; launches of kernels are in `launches.rs`.

use std::sync::Arc;

use super::Access;
use gridwise_ir::reflect::Interface;

use crate::core::error::{Error, RecordingError, Result};
use crate::device::vulkan::MemoryUse;
use crate::device::{Device, QueueKind};
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::padding;
use crate::memory::tensor::TensorRef;
use crate::record::again::Again;
use crate::record::event::{Event, Mark, WaitWay};
use crate::record::hooks::{Hooks, HostCall};
use crate::record::parameter::Owner;
use crate::record::steps::{Between, ImageStep, ModuleStep, Step};

/// Receives the steps of one operation. The steps run in order; the sequence places a barrier if one depends on
/// another.
///
/// ```
/// use gridwise::{Op, Result, TensorRef, ops::{Access, Recorder}};
///
/// /// Copies the first half of a tensor to the second.
/// struct Mirror(TensorRef, TensorRef);
///
/// impl Op for Mirror {
///     fn name(&self) -> &str { "mirror" }
///     fn accesses(&self) -> Vec<Access> { vec![Access::read(&self.0), Access::write(&self.1)] }
///     fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
///         let half = self.1.bytes() / 2;
///         recorder.copy_bytes(&self.0, 0, &self.1, half, half)
///     }
/// }
///
/// # fn main() -> Result<()> {
/// # let manager = gridwise::Manager::host();
/// let (from, to) = (manager.tensor(&[1u32, 2])?, manager.tensor(&[0u32; 4])?);
/// manager.sequence()?.record(Mirror(from.handle(), to.handle()))?.eval()?;
/// assert_eq!(to.to_vec()?, [0, 0, 1, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Recorder<'a> {
    pub(super) device: &'a Arc<Device>,
    /// The queue that the steps are for.
    pub(super) queue: usize,
    /// The identity of the sequence that the steps are for.
    pub(super) sequence: &'a Owner,
    pub(super) steps: &'a mut Vec<Step>,
    /// Memory of launches that there are no more, and the last one.
    pub(super) again: &'a mut Again,
    hooks: &'a mut Hooks,
    pub(super) operation: &'a str,
    /// The accesses that the operation declared; `None` if it can access nothing else.
    pub(super) declared: Option<&'a [Access]>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(
        device: &'a Arc<Device>,
        (queue, sequence): (usize, &'a Owner),
        (steps, again): (&'a mut Vec<Step>, &'a mut Again),
        hooks: &'a mut Hooks,
        operation: &'a str,
        declared: Option<&'a [Access]>,
    ) -> Self {
        Self { device, queue, sequence, steps, again, hooks, operation, declared }
    }

    /// Completes all earlier steps before any later step begins.
    ///
    /// ```
    /// use gridwise::{Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: a copy that begins when all before is complete, whatever it depends on.
    /// fn copy_apart(recorder: &mut Recorder<'_>, from: &TensorRef, to: &TensorRef) -> Result<()> {
    ///     recorder.barrier();
    ///     recorder.copy(from, to)
    /// }
    /// ```
    pub fn barrier(&mut self) {
        self.steps.push(Step::Barrier);
    }

    /// Calls a function on the host after all earlier steps and before all later ones, as [`OpHost`](super::OpHost)
    /// does.
    pub(crate) fn host(&mut self, call: HostCall) {
        self.steps.push(Step::Host(call));
    }

    /// Signals an event.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Event, Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: a copy, and word of it.
    /// fn copy_and_tell(recorder: &mut Recorder<'_>, from: &TensorRef, to: &TensorRef, done: &Event) -> Result<()> {
    ///     recorder.copy(from, to)?;
    ///     recorder.signal(done)
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the event belongs to another manager.
    pub fn signal(&mut self, event: &Event) -> Result<()> {
        let mark = self.check_event(event)?;
        self.steps.push(Step::Signal(mark));
        Ok(())
    }

    /// Delays the run until the run that signalled an event last is complete.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Event, Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: a copy, in a run that comes behind `done`.
    /// fn copy_behind(recorder: &mut Recorder<'_>, done: &Event, from: &TensorRef, to: &TensorRef) -> Result<()> {
    ///     recorder.wait_for(done)?;
    ///     recorder.copy(from, to)
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// An event of another manager is waited for as [`OpWait`](super::OpWait) says.
    ///
    /// # Errors
    /// None yet.
    pub fn wait_for(&mut self, event: &Event) -> Result<()> {
        let mark = event.mark.clone();
        self.steps.push(match mark.way_of(self.device) {
            WaitWay::Host => Step::Between(Between::WaitFor(mark)),
            WaitWay::OneManager | WaitWay::SharedSemaphore => Step::WaitFor(mark),
        });
        Ok(())
    }

    fn check_event(&self, event: &Event) -> Result<Arc<Mark>> {
        match Arc::ptr_eq(&event.mark.device, self.device) {
            true => Ok(event.mark.clone()),
            false => Err(Error::ForeignEvent { operation: self.operation.to_owned() }),
        }
    }

    /// Calls `hook` on the host before each submission of the sequence, on the thread that submits. It may write
    /// tensors, and the run sees its writes.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::sync::{Arc, atomic::{AtomicU32, Ordering::Relaxed}};
    /// use gridwise::{Manager, Op, Result, ops::{Access, Recorder}};
    ///
    /// /// Counts runs that begin, and runs that are complete.
    /// struct Count { begun: Arc<AtomicU32>, complete: Arc<AtomicU32> }
    ///
    /// impl Op for Count {
    ///     fn name(&self) -> &str { "count" }
    ///     fn accesses(&self) -> Vec<Access> { Vec::new() }
    ///     fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
    ///         let (begun, complete) = (self.begun.clone(), self.complete.clone());
    ///         recorder.before_submit(move || { begun.fetch_add(1, Relaxed); });
    ///         recorder.after_wait(move || { complete.fetch_add(1, Relaxed); });
    ///         recorder.barrier();
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let (begun, complete) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    /// let sequence = Manager::host().sequence()?;
    /// sequence.record(Count { begun: begun.clone(), complete: complete.clone() })?;
    /// sequence.eval()?;
    /// sequence.eval_async()?.wait()?;
    /// assert_eq!((begun.load(Relaxed), complete.load(Relaxed)), (2, 2));
    /// # Ok(())
    /// # }
    /// ```
    pub fn before_submit(&mut self, hook: impl Fn() + Send + Sync + 'static) {
        self.hooks.before.push(Arc::new(hook));
    }

    /// Calls `hook` on the host after each run, on the thread that detects its completion.
    ///
    /// ```
    /// use std::sync::mpsc::Sender;
    /// use gridwise::ops::Recorder;
    ///
    /// /// Part of an operation: word to another thread of each run that is complete.
    /// fn tell(recorder: &mut Recorder<'_>, done: Sender<()>) {
    ///     recorder.after_wait(move || drop(done.send(()))); // whether it still listens does not matter
    /// }
    /// ```
    ///
    /// A hook must not evaluate its own sequence, which would call it again: that is [`Error::SequenceInFlight`].
    pub fn after_wait(&mut self, hook: impl Fn() + Send + Sync + 'static) {
        self.hooks.after.push(Arc::new(hook));
    }

    /// Launches a module, unless nothing is to run.
    pub(crate) fn module(&mut self, step: ModuleStep, is_empty: bool) -> Result<()> {
        if !Arc::ptr_eq(&step.loaded.device, self.device) {
            return Err(Error::ForeignAlgorithm { algorithm: step.loaded.name.clone() });
        }
        self.check_computes(&step.loaded.name)?;
        for argument in &step.buffers {
            let align = element_alignment(&step.loaded.interface, argument.binding);
            let checked = self.check_argument(argument, align);
            checked.map_err(|error| error.of_argument(|| step.loaded.place_of(argument)))?;
        }
        if !is_empty {
            self.steps.push(Step::Module(Box::new(step)));
        }
        Ok(())
    }

    /// Copies, clears or scales texels.
    pub(crate) fn image(&mut self, step: ImageStep) -> Result<()> {
        let (kind, can_blit) =
            self.device.queues.get(self.queue).map_or((QueueKind::Other, false), |q| (q.kind, q.can_blit));
        let can = match &step {
            ImageStep::Clear { .. } => kind == QueueKind::Compute,
            ImageStep::Shrink { .. } => can_blit,
            ImageStep::In { .. } | ImageStep::Out { .. } | ImageStep::Copy { .. } => true,
        };
        if !can {
            return Err(Error::QueueCannot { queue: self.queue, operation: self.operation.to_owned() });
        }
        let mut checked = Ok(());
        step.for_each_use(|buffer, _, is_write| {
            if checked.is_ok() {
                checked = self.check(buffer, is_write);
            }
        });
        checked?;
        if let ImageStep::Copy { from, to, .. } = &step
            && from.id == to.id
        {
            return Err(Error::AliasedTensor { operation: self.operation.to_owned(), tensor: to.name().into() });
        }
        self.steps.push(Step::Image(step));
        Ok(())
    }

    /// Copies a tensor to another of the same size in bytes.
    ///
    /// ```
    /// use gridwise::{Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: two copies, of which neither waits for the other.
    /// fn copy_both(recorder: &mut Recorder<'_>, from: &TensorRef, to: [&TensorRef; 2]) -> Result<()> {
    ///     to.into_iter().try_for_each(|to| recorder.copy(from, to))
    /// }
    /// ```
    ///
    /// # Errors
    /// When the sizes differ, both are the same memory, one was not declared, or both are of another manager.
    pub fn copy(&mut self, from: &TensorRef, to: &TensorRef) -> Result<()> {
        if from.bytes() != to.bytes() {
            let (expected, found) = (to.len(), (from.bytes() / u64::from(to.stride()).max(1)) as usize);
            return Err(Error::LengthMismatch { operation: "copying to", tensor: to.name().into(), expected, found });
        }
        let [is_from_own, is_to_own] = [from, to].map(|tensor| Arc::ptr_eq(&tensor.buffer.device, self.device));
        if is_from_own != is_to_own {
            return self.copy_between(&from.buffer, &to.buffer, is_from_own);
        }
        self.copy_bytes(from, 0, to, 0, from.bytes())
    }

    /// Copies a tensor to another manager's, or from there.
    fn copy_between(&mut self, from: &Arc<Buffer>, to: &Arc<Buffer>, is_sent: bool) -> Result<()> {
        for (buffer, is_write) in [(from, false), (to, true)] {
            self.check_tensor(buffer)?;
            self.check_declared(buffer, is_write)?;
        }
        let (own, foreign) = if is_sent { (from.clone(), to.clone()) } else { (to.clone(), from.clone()) };
        self.steps.push(Step::Between(Between::Copy { own, foreign, is_sent }));
        Ok(())
    }

    /// Copies bytes of a tensor to another.
    ///
    /// ```
    /// use gridwise::{Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: one element of a tensor, to the beginning of another.
    /// fn pick(recorder: &mut Recorder<'_>, from: &TensorRef, index: u64, to: &TensorRef) -> Result<()> {
    ///     let bytes = u64::from(from.stride());
    ///     recorder.copy_bytes(from, index * bytes, to, 0, bytes)
    /// }
    /// ```
    ///
    /// # Errors
    /// When a range reaches past the end of its tensor, both ranges have bytes in common, or a tensor was not declared or is of another
    /// manager.
    pub fn copy_bytes(
        &mut self,
        from: &TensorRef,
        from_offset: u64,
        to: &TensorRef,
        to_offset: u64,
        bytes: u64,
    ) -> Result<()> {
        let (from, to) = (&from.buffer, &to.buffer);
        self.check_bytes(from, false)?;
        self.check_bytes(to, true)?;
        for (buffer, offset) in [(from, from_offset), (to, to_offset)] {
            if offset.checked_add(bytes).is_none_or(|end| end > buffer.bytes()) {
                let (tensor, size) = (buffer.name().into(), buffer.bytes());
                return Err(Error::OutOfRange { operation: "copying", tensor, offset, bytes, size });
            }
        }
        let read = from.in_memory(from_offset..from_offset + bytes);
        let written = to.in_memory(to_offset..to_offset + bytes);
        if from.id == to.id && read.start < written.end && written.start < read.end {
            return Err(Error::AliasedTensor { operation: "copying".to_owned(), tensor: to.name().into() });
        }
        if bytes > 0 {
            let (from, to) = (from.clone(), to.clone());
            self.steps.push(Step::Copy { from, from_offset, to, to_offset, bytes });
        }
        Ok(())
    }

    /// Sets every element of a tensor to `value`.
    ///
    /// ```
    /// use gridwise::{Result, TensorRef, ops::Recorder};
    ///
    /// /// Part of an operation: counters that begin at zero.
    /// fn reset(recorder: &mut Recorder<'_>, counters: &[TensorRef]) -> Result<()> {
    ///     counters.iter().try_for_each(|counter| recorder.fill(counter, 0u32))
    /// }
    /// ```
    ///
    /// # Errors
    /// When the tensor's elements have another size than `value`, or it was not declared or is of another manager.
    pub fn fill<T: GpuData>(&mut self, tensor: &TensorRef, value: T) -> Result<()> {
        let buffer = &tensor.buffer;
        self.check_bytes(buffer, true)?;
        let (expected, found) = (buffer.stride() as usize, size_of::<T>());
        if expected != found {
            return Err(Error::LengthMismatch {
                operation: "filling, by its bytes per element,",
                tensor: buffer.name().into(),
                expected,
                found,
            });
        }
        if buffer.bytes() > 0 {
            // As many elements as fill whole words.
            let count = [1, 2, 4].into_iter().find(|count| (found * count).is_multiple_of(4)).unwrap_or(4);
            let mut pattern = vec![0u32; found * count / 4];
            for index in 0..count {
                let target = pattern.as_mut_ptr().cast::<u8>().wrapping_add(index * found);
                // SAFETY: the pattern has room for `count` values, and is plain words.
                unsafe {
                    std::ptr::copy_nonoverlapping((&raw const value).cast(), target, found);
                    padding::clear::<T>(target, 1);
                }
            }
            if buffer.is_part() {
                return self.fill_part(buffer, &pattern);
            }
            // Buffers are whole words on either device, with room behind the last element.
            let bytes = buffer.bytes().next_multiple_of(4);
            self.steps.push(Step::Fill { buffer: buffer.clone(), pattern, bytes });
        }
        Ok(())
    }

    /// Fills a part: its whole words at once, and the bytes before and behind them by copies, as they share words with neighbours.
    fn fill_part(&mut self, buffer: &Arc<Buffer>, pattern: &[u32]) -> Result<()> {
        let mut pattern: Vec<u8> = pattern.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let all = buffer.bytes();
        let head = (buffer.start().next_multiple_of(4) - buffer.start()).min(all);
        let tail = (all - head) % 4;
        let words = all - head - tail;
        for (offset, bytes) in [(0, head), (all - tail, tail)].into_iter().filter(|(_, bytes)| *bytes > 0) {
            let edge: Vec<u8> =
                (offset..offset + bytes).map(|at| pattern[(at % pattern.len() as u64) as usize]).collect();
            let from = Arc::new(Buffer::new(self.device, "edge of a fill", edge.len(), 1, MemoryUse::Upload)?);
            // SAFETY: as many bytes as the buffer's.
            unsafe { from.write(edge.as_ptr()) }?;
            self.steps.push(Step::Copy { from, from_offset: 0, to: buffer.clone(), to_offset: offset, bytes });
        }
        if words > 0 {
            let period = pattern.len();
            pattern.rotate_left(head as usize % period);
            let words_of = |bytes: &[u8]| u32::from_ne_bytes(bytes.try_into().unwrap_or_default());
            let pattern = pattern.chunks(4).map(words_of).collect();
            // The step knows how many bytes there are.
            let inner = Arc::new(buffer.seen(head, u32::try_from(words / 4).unwrap_or(u32::MAX), 4));
            self.steps.push(Step::Fill { buffer: inner, pattern, bytes: words });
        }
        Ok(())
    }

    /// Checks that the queue runs kernels.
    pub(super) fn check_computes(&self, kernel: &str) -> Result<()> {
        match self.device.queues.get(self.queue).map(|queue| queue.kind) {
            Some(QueueKind::Compute) => Ok(()),
            _ => Err(Error::QueueCannot { queue: self.queue, operation: format!("kernel `{kernel}`") }),
        }
    }

    /// As [`check`](Self::check), for what works on bytes: images have none that a device would tell.
    pub(super) fn check_bytes(&self, buffer: &Arc<Buffer>, is_write: bool) -> Result<()> {
        self.check(buffer, is_write)?;
        self.check_tensor(buffer)
    }

    fn check_tensor(&self, buffer: &Arc<Buffer>) -> Result<()> {
        match buffer.is_image() {
            true => Err(Error::NotATensor { operation: self.operation.to_owned(), image: buffer.name().to_owned() }),
            false => Ok(()),
        }
    }

    /// Checks that a tensor is of this manager and was declared.
    #[inline]
    pub(super) fn check(&self, buffer: &Arc<Buffer>, is_write: bool) -> Result<()> {
        if !Arc::ptr_eq(&buffer.device, self.device) {
            let (operation, tensor) = (self.operation.to_owned(), buffer.name().into());
            return Err(Error::ForeignTensor { operation, tensor });
        }
        self.check_declared(buffer, is_write)
    }

    /// Checks that a tensor was declared.
    #[inline]
    fn check_declared(&self, buffer: &Arc<Buffer>, is_write: bool) -> Result<()> {
        if is_write && buffer.is_sealed() {
            let (operation, tensor) = (self.operation.to_owned(), buffer.name().into());
            return Err(Error::Recording(RecordingError::ReadOnly { operation, tensor }));
        }
        let is_declared = |access: &Access| access.is_write == is_write && access.tensor.buffer.contains(buffer);
        match self.declared {
            Some(declared) if !declared.iter().any(is_declared) => {
                let (operation, tensor) = (self.operation.to_owned(), buffer.name().into());
                Err(Error::UndeclaredAccess { operation, tensor })
            }
            _ => Ok(()),
        }
    }
}

/// The alignment of the elements of a module's binding: numbers lie at multiples of their size.
fn element_alignment(interface: &Interface, binding: u32) -> u64 {
    let declared = interface.buffers.iter().find(|declared| declared.binding == binding);
    let element = declared.and_then(|declared| declared.element.as_ref()?.ty);
    element.map_or(1, |ty| ty.scalar.size().max(1).into())
}
