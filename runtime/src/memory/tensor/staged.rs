//! The host-side copy of a tensor, which operations upload and download.

use std::marker::PhantomData;

use crate::core::error::{Error, Result};
use crate::core::sync::schedule::Marks;
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::padding;

use super::{Tensor, read_vec, view_of, write_all};

impl<T: GpuData> Tensor<T> {
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
