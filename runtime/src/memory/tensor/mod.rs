//! Typed tensors: data on a device. It must not hand out references to device memory, which kernels may be using.

mod staged;
mod untyped;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::core::error::{Error, Result};
use crate::core::pages;
use crate::device::Device;
use crate::device::vulkan::{BufferRange, MemoryUse};
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::padding;

pub use untyped::TensorRef;

/// Elements of type `T` in a device's memory; created by [`Manager::tensor`](crate::Manager::tensor).
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
/// Host reads and writes wait for all earlier evaluations that use the tensor. A tensor may be dropped at any time: its
/// memory is freed once no recording holds it.
pub struct Tensor<T: GpuData> {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) marker: PhantomData<T>,
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
    /// This number of zeros.
    Zeros(usize),
    /// This number of elements with unspecified values, for tensors that are written before they are read.
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

    /// Replaces the tensor's memory by copies of `data`, which may have another length.
    ///
    /// Sequences that were recorded with the tensor use its new memory from their next evaluation on. If the length has
    /// changed, their evaluation is [`Error::TensorRebuilt`] until they are recorded again, because their launches were
    /// checked for the old length.
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

    /// Calls `look` with the elements: in place if the host reads the tensor's memory at full speed, else in a copy.
    /// Evaluations that write the tensor wait until `look` returns. An evaluation that `look` itself starts is
    /// [`Error::TensorMapped`].
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

    /// The tensor's Vulkan buffer and range, for an application's own commands; `None` on the host device. They are
    /// valid as long as the tensor exists. The application orders its commands with evaluations that name the tensor.
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

    /// The name, as error messages show it.
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
    /// When the device fails, or memory for the vector is exhausted.
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
    /// Each call waits for earlier evaluations and makes a copy of its own. For many elements,
    /// [`to_vec`](Self::to_vec), or `to_vec` of a [`part`](Self::part), copies once.
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

    fn check_len(&self, operation: &'static str, found: usize) -> Result<()> {
        let expected = self.len();
        if expected == found {
            return Ok(());
        }
        Err(Error::LengthMismatch { operation, tensor: self.name().into(), expected, found })
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
