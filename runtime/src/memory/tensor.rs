//! Typed tensors: data on a device. It must not hand out references to device memory, which kernels may be using.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::core::error::{Error, Result};
use crate::core::pages;
use crate::core::sync::schedule::Marks;
use crate::device::Device;
use crate::device::vulkan::{BufferRange, MemoryUse};
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::padding;

/// Elements of type `T` that lie on a device; made by [`Manager::tensor`](crate::Manager::tensor).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// let manager = gridwise::Manager::host();
/// let mut tensor = manager.tensor(&[1.0f32, 2.0])?;
/// tensor.write(&[3.0, 4.0])?;
/// assert_eq!(tensor.to_vec()?, [3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
///
/// Reads and writes from the host come after all evaluations that were started before and use the tensor. Dropping a
/// tensor is always allowed: its memory is freed once no recording holds it.
pub struct Tensor<T: GpuData> {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) marker: PhantomData<T>,
}

/// Names a tensor without its type, to declare and record accesses in an [`Op`](crate::ops::Op).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{TensorRef, ops::OpSyncHost};
///
/// # let manager = gridwise::Manager::host();
/// let (weights, counts) = (manager.tensor(&[0.5f32, 1.5])?, manager.tensor(&[7u64])?);
/// // Tensors of different types, all of which are wanted on the host.
/// let wanted: Vec<TensorRef> = vec![weights.handle(), counts.handle()];
/// manager.sequence()?.record(OpSyncHost::all(wanted))?.eval()?;
/// assert_eq!((weights.staged()?, counts.staged()?), (vec![0.5, 1.5], vec![7]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TensorRef {
    pub(crate) buffer: Arc<Buffer>,
}

/// How to make a tensor.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Contents, TensorDesc};
///
/// # let manager = gridwise::Manager::host();
/// let desc = TensorDesc { name: "weights", contents: Contents::Data(&[0.5f32, 1.5]) };
/// assert_eq!(manager.tensor_with(desc)?.name(), "weights");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TensorDesc<'a, T> {
    /// Its name, in errors and in the driver's tools.
    pub name: &'a str,
    /// The contents at first.
    pub contents: Contents<'a, T>,
}

/// The contents of a new tensor.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Contents, TensorDesc};
///
/// # let manager = gridwise::Manager::host();
/// for contents in [Contents::Data(&[0u32; 3]), Contents::Zeros(3), Contents::Uninit(3)] {
///     assert_eq!(manager.tensor_with(TensorDesc { name: "three", contents })?.len(), 3);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Contents<'a, T> {
    /// Copies of these elements.
    Data(&'a [T]),
    /// So many zeros.
    Zeros(usize),
    /// So many elements that hold anything at all: for what is written before it is read.
    Uninit(usize),
}

impl<T: GpuData> Tensor<T> {
    pub(crate) fn new(device: &Arc<Device>, usage: MemoryUse, desc: TensorDesc<'_, T>) -> Result<Self> {
        let len = match desc.contents {
            Contents::Data(data) => data.len(),
            Contents::Zeros(len) | Contents::Uninit(len) => len,
        };
        let buffer = Buffer::new(device, desc.name, len, size_of::<T>(), usage)?;
        Self::filled(buffer, desc.contents)
    }

    /// A tensor of a new buffer.
    pub(crate) fn filled(buffer: Buffer, contents: Contents<'_, T>) -> Result<Self> {
        match contents {
            Contents::Data(data) => write_all(&buffer, data)?,
            Contents::Zeros(_) => buffer.zero_new()?,
            Contents::Uninit(_) => buffer.leave_undefined(),
        }
        Ok(Self { buffer: Arc::new(buffer), marker: PhantomData })
    }

    pub(crate) fn from_buffer(device: &Arc<Device>, name: &str, range: BufferRange, len: usize) -> Result<Self> {
        let buffer = Buffer::borrow(device, name, range, len, size_of::<T>())?;
        Ok(Self { buffer: Arc::new(buffer), marker: PhantomData })
    }

    /// A tensor like this one of a lost device, on another.
    pub(crate) fn restore(&self, device: &Arc<Device>) -> Result<Self> {
        Ok(Self { buffer: Arc::new(self.buffer.restore(device)?), marker: PhantomData })
    }

    /// Makes the tensor anew, of any length, with copies of `data`.
    ///
    /// Sequences that were recorded with the tensor use its new memory from their next evaluation on. If the new length
    /// is another, their launches were checked for the old one: their evaluation is [`Error::TensorRebuilt`] until they
    /// are recorded again.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, ops::OpCopy};
    ///
    /// let manager = gridwise::Manager::host();
    /// let (mut from, mut to) = (manager.tensor(&[1u32, 2])?, manager.tensor(&[0u32, 0])?);
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpCopy::new(&from, &mut to))?.eval()?;
    /// from.rebuild(&[3, 4])?;
    /// sequence.eval()?; // reads the new memory
    /// assert_eq!(to.to_vec()?, [3, 4]);
    /// from.rebuild(&[5, 6, 7])?;
    /// assert!(matches!(sequence.eval(), Err(Error::TensorRebuilt { .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Manager::tensor`](crate::Manager::tensor); the tensor is then as it was.
    pub fn rebuild(&mut self, data: &[T]) -> Result<()> {
        let name = self.name().to_owned();
        let desc = TensorDesc { name: &name, contents: Contents::Data(data) };
        let new = Self::new(&self.buffer.device, self.buffer.usage(), desc)?;
        // Recorded transfers name the host-side copy, too.
        if let Some(staged) = self.buffer.staged_if_made().filter(|staged| staged.bytes() == new.buffer.bytes()) {
            write_all(&staged, data)?;
            new.buffer.take_over_staged(staged);
        }
        new.buffer.replace(&self.buffer);
        *self = new;
        Ok(())
    }

    /// Lets `look` see the elements: in place, where the host reads the tensor's memory at full speed; else in a copy. Evaluations
    /// that write the tensor wait until it is done; those that `look` itself starts are refused with [`Error::TensorMapped`].
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let tensor = gridwise::Manager::host().tensor(&[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(tensor.view(|values| values.iter().sum::<f32>())?, 6.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec).
    pub fn view<R>(&self, look: impl FnOnce(&[T]) -> R) -> Result<R> {
        view_of(&self.buffer, look)
    }
    /// The place of the tensor in Vulkan, for an application's own commands; `None` on the host device. It stays there
    /// as long as the tensor exists. The application orders its commands with evaluations that name the tensor.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let tensor = manager.tensor(&[1.0f32, 2.0])?;
    /// match tensor.vulkan_buffer() {
    ///     Some(range) => println!("{:?}, from byte {}", range.buffer, range.offset), // for `vkCmdBindVertexBuffers`
    ///     None => assert!(manager.device().api_version.is_none()),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn vulkan_buffer(&self) -> Option<BufferRange> {
        self.handle().vulkan_buffer()
    }

    /// Number of elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let tensor = gridwise::Manager::host().tensor(&[1.0f64, 2.0, 3.0])?;
    /// assert_eq!(tensor.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn len(&self) -> usize {
        self.buffer.len() as usize
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// // Tensors may be empty; launches over none of their elements do nothing.
    /// assert!(manager.tensor::<f32>(&[])?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name, as errors give it.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let tensor = gridwise::Manager::host().tensor_named("weights", &[1.0f32])?;
    /// assert_eq!(tensor.name(), "weights");
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &str {
        self.buffer.name()
    }

    /// This tensor without its type.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let tensor = gridwise::Manager::host().tensor(&[1u16, 2, 3])?;
    /// let handle = tensor.handle();
    /// drop(tensor); // the handle keeps the elements
    /// assert_eq!((handle.len(), handle.stride(), handle.bytes()), (3, 2, 6));
    /// # Ok(())
    /// # }
    /// ```
    pub fn handle(&self) -> TensorRef {
        TensorRef { buffer: self.buffer.clone() }
    }

    /// Replaces all elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let mut tensor = gridwise::Manager::host().tensor(&[1i32, 2])?;
    /// tensor.write(&[3, 4])?;
    /// assert_eq!(tensor.to_vec()?, [3, 4]);
    /// assert!(tensor.write(&[5]).is_err(), "another length");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When `data` has another length than the tensor, and when the device fails.
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        self.check_len("writing", data.len())?;
        write_all(&self.buffer, data)
    }

    /// Copies all elements to a new vector.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut tensor = manager.tensor(&[1i32, 2])?;
    /// let running = manager.sequence()?.record(OpFill::new(&mut tensor, 9))?.eval_async()?;
    /// assert_eq!(tensor.to_vec()?, [9, 9]); // waits for what was started before
    /// running.wait()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device fails, or the memory for the vector.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        read_vec(&self.buffer)
    }

    /// Copies one element.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut total = manager.tensor(&[0u32])?;
    /// manager.sequence()?.record(OpFill::new(&mut total, 7))?.eval()?;
    /// assert_eq!(total.get(0)?, 7);
    /// assert!(total.get(1).is_err(), "there is one element");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Each call waits for what was started before, and copies anew: for many elements, [`to_vec`](Self::to_vec) or a
    /// [`part`](Self::part) copies once.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when there is no such element, and when the device fails.
    pub fn get(&self, index: usize) -> Result<T> {
        let mut element = T::ZEROED;
        self.part(index..=index)?.read_into(std::slice::from_mut(&mut element))?;
        Ok(element)
    }

    /// Copies all elements into a slice.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let tensor = gridwise::Manager::host().tensor(&[1i32, 2])?;
    /// let mut values = [0; 2]; // used again for each frame
    /// tensor.read_into(&mut values)?;
    /// assert_eq!(values, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When `into` has another length than the tensor, and when the device fails.
    pub fn read_into(&self, into: &mut [T]) -> Result<()> {
        self.check_len("reading", into.len())?;
        // SAFETY: `into` is as long as the buffer, and any bits are a valid `T`.
        unsafe { self.buffer.read(into.as_mut_ptr().cast()) }
    }

    /// Puts data into the tensor's host-side copy, which [`OpSyncDevice`](crate::ops::OpSyncDevice) uploads when its
    /// sequence runs. The tensor itself does not change before.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpSyncDevice;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut input = manager.tensor(&[0u32; 2])?;
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpSyncDevice::new(&input))?;
    /// input.stage(&[3, 4])?;
    /// assert_eq!(input.to_vec()?, [0, 0], "not before the sequence runs");
    /// sequence.eval()?;
    /// assert_eq!(input.to_vec()?, [3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`write`](Self::write), and when the memory for the copy cannot be had, which is made at the first call.
    pub fn stage(&mut self, data: &[T]) -> Result<()> {
        self.check_len("staging", data.len())?;
        write_all(&*self.buffer.staged()?, data)
    }

    /// Copies the host-side copy to a vector: what the last [`OpSyncHost`](crate::ops::OpSyncHost) downloaded, or what was
    /// staged last; zeros at first.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::{OpFill, OpSyncHost};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut output = manager.tensor(&[0u32; 2])?;
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut output, 5))?.record(OpSyncHost::new(&output))?;
    /// sequence.eval()?;
    /// assert_eq!(output.staged()?, [5, 5]); // here already: this does not ask the device
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec), and when the memory for the copy cannot be had.
    pub fn staged(&self) -> Result<Vec<T>> {
        read_vec(&*self.buffer.staged()?)
    }

    /// Copies the host-side copy into a slice, as [`staged`](Self::staged) does to a new vector. Memory that is used again costs no page
    /// faults.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpSyncHost;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut output = manager.tensor(&[0u32; 2])?;
    /// let download = manager.sequence()?;
    /// download.record(OpSyncHost::new(&output))?;
    /// let mut frame = [0; 2];
    /// for round in 1..4 {
    ///     output.write(&[round, 10 * round])?;
    ///     download.eval()?;
    ///     output.staged_into(&mut frame)?;
    ///     assert_eq!(frame, [round, 10 * round]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When `into` has another length than the tensor, and as [`staged`](Self::staged).
    pub fn staged_into(&self, into: &mut [T]) -> Result<()> {
        self.check_len("reading the host-side copy", into.len())?;
        // SAFETY: `into` is as long as the buffer, and any bits are a valid `T`.
        unsafe { self.buffer.staged()?.read(into.as_mut_ptr().cast()) }
    }

    /// Lets `look` see the host-side copy, in place where the host reads it at full speed. Evaluations that write the copy wait until it
    /// is done; those that `look` itself starts are refused with [`Error::TensorMapped`].
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpSyncHost;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let output = manager.tensor(&[1.0f32, 2.0, 4.0])?;
    /// manager.sequence()?.record(OpSyncHost::new(&output))?.eval()?;
    /// assert_eq!(output.view_staged(|values| values.iter().sum::<f32>())?, 7.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`staged`](Self::staged).
    pub fn view_staged<R>(&self, look: impl FnOnce(&[T]) -> R) -> Result<R> {
        view_of(&*self.buffer.staged()?, look)
    }

    /// Lets `fill` write the host-side copy, in place where the host reaches it, for [`OpSyncDevice`](crate::ops::OpSyncDevice) to upload.
    /// The elements are at first those that were staged or downloaded last. Evaluations that use the copy are as in
    /// [`view_staged`](Self::view_staged).
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpSyncDevice;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut input = manager.tensor_of_len::<u32>(4)?;
    /// let upload = manager.sequence()?;
    /// upload.record(OpSyncDevice::new(&input))?;
    /// input.fill_staged(|values| values.iter_mut().zip(1..).for_each(|(value, n)| *value = n))?;
    /// upload.eval()?;
    /// assert_eq!(input.to_vec()?, [1, 2, 3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`stage`](Self::stage).
    pub fn fill_staged<R>(&mut self, fill: impl FnOnce(&mut [T]) -> R) -> Result<R> {
        let (staged, len) = (self.buffer.staged()?, self.len());
        let mut fill = Some(fill);
        let filled = staged.with_mapped_mut(|data| {
            let elements = data.cast::<T>();
            let fill = if elements.is_aligned() { fill.take() } else { None }?;
            let before = staged.uses.written();
            let _written = Written::<T> { staged: &staged, data, len, before, marker: PhantomData };
            // SAFETY: the memory is aligned, has the tensor's elements, and nobody else uses it now; any bits are a valid `T`.
            Some(fill(unsafe { std::slice::from_raw_parts_mut(elements, len) }))
        })?;
        match (filled.flatten(), fill) {
            (Some(filled), _) => Ok(filled),
            (None, Some(fill)) => {
                let mut elements = read_vec(&staged)?;
                let filled = fill(&mut elements);
                write_all(&staged, &elements)?;
                Ok(filled)
            }
            (None, None) => Err(Error::NotMappable { tensor: self.name().to_owned() }),
        }
    }

    fn check_len(&self, operation: &'static str, found: usize) -> Result<()> {
        let expected = self.len();
        if expected == found {
            return Ok(());
        }
        Err(Error::LengthMismatch { operation, tensor: self.name().into(), expected, found })
    }
}

/// Ends a change of a host-side copy in place, also where the change panics: padding is cleared, and the contents are noted.
struct Written<'a, T: GpuData> {
    staged: &'a Buffer,
    data: *mut u8,
    len: usize,
    /// The last writer of the copy before.
    before: Marks,
    marker: PhantomData<T>,
}

impl<T: GpuData> Drop for Written<'_, T> {
    fn drop(&mut self) {
        let (data, bytes) = (self.data, self.len * size_of::<T>());
        // SAFETY: the copy's elements, which nobody else uses before `fill_staged` is done.
        unsafe { padding::clear::<T>(data, self.len) };
        // SAFETY: as above.
        self.staged.note_written(self.before, || unsafe { std::slice::from_raw_parts(data, bytes) });
    }
}

/// Lets `look` see a buffer's elements: in place, where the host reads them at full speed; else in a copy.
fn view_of<T: GpuData, R>(buffer: &Buffer, look: impl FnOnce(&[T]) -> R) -> Result<R> {
    let mut look = Some(look);
    let seen = buffer.with_mapped(|data| {
        let data = data.cast::<T>();
        let look = if data.is_aligned() { look.take() } else { None };
        // SAFETY: the memory is aligned, has the buffer's elements, and nobody writes it now; any bits are a valid `T`.
        look.map(|look| look(unsafe { std::slice::from_raw_parts(data, buffer.len() as usize) }))
    })?;
    match (seen.flatten(), look) {
        (None, Some(look)) => read_vec(buffer).map(|elements| look(&elements)),
        (seen, _) => seen.ok_or_else(|| Error::NotMappable { tensor: buffer.name().to_owned() }),
    }
}

/// Replaces the whole buffer, which is as long as `data`.
fn write_all<T: GpuData>(buffer: &Buffer, data: &[T]) -> Result<()> {
    // SAFETY: as many bytes as the buffer's.
    padding::with_bytes(data, buffer.name(), |bytes| unsafe { buffer.write(bytes.as_ptr()) })?
}

fn read_vec<T: GpuData>(buffer: &Buffer) -> Result<Vec<T>> {
    let len = buffer.len() as usize;
    let mut elements: Vec<T> = pages::reserve(len).map_err(|cause| Error::OutOfMemory {
        object: format!("copy of tensor {}", buffer.name()),
        bytes: buffer.bytes(),
        cause: cause.to_string(),
    })?;
    // SAFETY: `len` elements are reserved; after the read they are initialised, and any bits are a valid `T`.
    unsafe {
        buffer.read(elements.as_mut_ptr().cast())?;
        elements.set_len(len);
    }
    Ok(elements)
}

impl TensorRef {
    /// Number of elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor(&[1.0f64, 2.0, 3.0])?.handle();
    /// assert_eq!(handle.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn len(&self) -> usize {
        self.buffer.len() as usize
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor::<u8>(&[])?.handle();
    /// assert!(handle.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all elements.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor(&[1.0f64, 2.0, 3.0])?.handle();
    /// assert_eq!(handle.bytes(), 24);
    /// # Ok(())
    /// # }
    /// ```
    pub fn bytes(&self) -> u64 {
        self.buffer.bytes()
    }

    /// Bytes of one element.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor(&[[1u8, 2, 3], [4, 5, 6]])?.handle();
    /// assert_eq!(handle.stride(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn stride(&self) -> u32 {
        self.buffer.stride()
    }

    /// The tensor's name.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor_named("weights", &[1.0f32])?.handle();
    /// assert_eq!(handle.name(), "weights");
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &str {
        self.buffer.name()
    }

    /// As [`Tensor::vulkan_buffer`].
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let handle = gridwise::Manager::host().tensor(&[1.0f32])?.handle();
    /// assert!(handle.vulkan_buffer().is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn vulkan_buffer(&self) -> Option<BufferRange> {
        let buffer = self.buffer.vulkan()?;
        Some(BufferRange { buffer: buffer.raw, offset: self.buffer.vulkan_offset(), bytes: self.buffer.bytes() })
    }

    /// The tensor's host-side copy, as a tensor of its own.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let mut tensor = manager.tensor(&[0u32; 4])?;
    /// tensor.stage(&[1, 2, 3, 4])?;
    /// let staged = tensor.handle().staged()?; // for an `Op` that copies from it
    /// assert_eq!((staged.len(), staged.bytes()), (4, 16));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the memory for it cannot be had.
    pub fn staged(&self) -> Result<TensorRef> {
        Ok(TensorRef { buffer: self.buffer.staged()? })
    }
}

impl<T: GpuData> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        f.debug_struct("Tensor")
            .field("name", &self.name())
            .field("element", &element)
            .field("len", &self.len())
            .finish()
    }
}

impl fmt::Debug for TensorRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorRef").field("name", &self.name()).field("bytes", &self.bytes()).finish()
    }
}

impl<T: GpuData> From<&Tensor<T>> for TensorRef {
    fn from(tensor: &Tensor<T>) -> Self {
        tensor.handle()
    }
}
