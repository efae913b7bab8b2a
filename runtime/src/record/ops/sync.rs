//! Recorded transfers between a tensor or an image and its host-side copy.
//!
//! [`Tensor::write`] and [`Tensor::to_vec`] transfer at once, and wait for the device. These operations transfer when
//! their sequence runs, in order with its other operations, so that a replayed sequence can take new input and leave
//! its output without any further call in between: [`Tensor::stage`] before, [`Tensor::staged`] after.

use super::{Access, Op, OpCopyImage, Recorder};
use crate::core::error::Result;
use crate::memory::data::GpuData;
use crate::memory::image::{Format, Image};
use crate::memory::tensor::{Tensor, TensorRef};

/// Uploads a tensor's host-side copy, filled by [`Tensor::stage`], to the device.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::ops::{OpCopy, OpSyncDevice, OpSyncHost};
///
/// # let manager = gridwise::Manager::host();
/// let (mut input, mut output) = (manager.tensor(&[0u32; 2])?, manager.tensor(&[0u32; 2])?);
/// let sequence = manager.sequence()?;
/// sequence.record(OpSyncDevice::new(&input))?.record(OpCopy::new(&input, &mut output))?;
/// sequence.record(OpSyncHost::new(&output))?;
/// for round in 1..4 {
///     input.stage(&[round, 10 * round])?;
///     sequence.eval()?;
///     assert_eq!(output.staged()?, [round, 10 * round]);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpSyncDevice {
    pairs: Result<Vec<Transfer>>,
}

/// Downloads a tensor to its host-side copy, for [`Tensor::staged`].
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
/// assert_eq!(output.staged()?, [5, 5]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpSyncHost {
    pairs: Result<Vec<Transfer>>,
}

#[derive(Debug, Clone)]
enum Transfer {
    Tensor { from: TensorRef, to: TensorRef },
    Image(OpCopyImage),
}

impl Transfer {
    fn new(from: TensorRef, to: TensorRef) -> Result<Self> {
        Ok(match from.buffer.is_image() || to.buffer.is_image() {
            true => Self::Image(OpCopyImage::between(&from.buffer, &to.buffer)),
            false => Self::Tensor { from, to },
        })
    }
}

impl OpSyncDevice {
    /// Uploads `tensor`. Recording fails if there is no memory for its host-side copy.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpSyncDevice;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut input = manager.tensor(&[0.0f32; 2])?;
    /// let upload = manager.sequence()?;
    /// upload.record(OpSyncDevice::new(&input))?;
    /// input.stage(&[1.0, 2.0])?;
    /// upload.eval()?;
    /// assert_eq!(input.to_vec()?, [1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new<T: GpuData>(tensor: &Tensor<T>) -> Self {
        Self::all([tensor.handle()])
    }

    /// Uploads several tensors and images, also of different types. The list may be empty.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpSyncDevice;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (mut positions, mut count) = (manager.tensor(&[[0.0f32; 3]; 2])?, manager.tensor(&[0u32])?);
    /// let upload = manager.sequence()?;
    /// upload.record(OpSyncDevice::all([positions.handle(), count.handle()]))?;
    /// positions.stage(&[[1.0; 3], [2.0; 3]])?;
    /// count.stage(&[2])?;
    /// upload.eval()?;
    /// assert_eq!((positions.to_vec()?[1], count.to_vec()?[0]), ([2.0; 3], 2));
    /// # Ok(())
    /// # }
    /// ```
    pub fn all(tensors: impl IntoIterator<Item = TensorRef>) -> Self {
        Self { pairs: tensors.into_iter().map(|tensor| Transfer::new(tensor.staged()?, tensor)).collect() }
    }

    /// Uploads the host-side copy of an image, filled by [`Image::stage`]: its first level.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::R8Unorm, ops::OpSyncDevice};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut mask = manager.image_2d::<R8Unorm>(2, 1)?;
    /// let upload = manager.sequence()?;
    /// upload.record(OpSyncDevice::image(&mask))?;
    /// mask.stage(&[10, 20])?;
    /// upload.eval()?;
    /// assert_eq!(mask.to_vec()?, [10, 20]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn image<F: Format, const D: usize>(image: &Image<F, D>) -> Self {
        Self::all([image.handle()])
    }
}

impl OpSyncHost {
    /// Downloads `tensor`. Recording fails if there is no memory for its host-side copy.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpSyncHost;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let output = manager.tensor(&[1.0f32, 2.0])?;
    /// manager.sequence()?.record(OpSyncHost::new(&output))?.eval()?;
    /// assert_eq!(output.staged()?, [1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new<T: GpuData>(tensor: &Tensor<T>) -> Self {
        Self::all([tensor.handle()])
    }

    /// Downloads several tensors and images, also of different types. The list may be empty.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpSyncHost;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (sums, flags) = (manager.tensor(&[1.5f64])?, manager.tensor(&[1u8, 0])?);
    /// manager.sequence()?.record(OpSyncHost::all([sums.handle(), flags.handle()]))?.eval()?;
    /// assert_eq!((sums.staged()?, flags.staged()?), (vec![1.5], vec![1, 0]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn all(tensors: impl IntoIterator<Item = TensorRef>) -> Self {
        Self { pairs: tensors.into_iter().map(|tensor| Transfer::new(tensor.clone(), tensor.staged()?)).collect() }
    }

    /// Downloads the first level of an image to its host-side copy, for [`Image::staged`].
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{image::R8Unorm, ops::OpSyncHost};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut mask = manager.image_2d::<R8Unorm>(2, 1)?;
    /// mask.write(&[10, 20])?;
    /// manager.sequence()?.record(OpSyncHost::image(&mask))?.eval()?;
    /// assert_eq!(mask.staged()?, [10, 20]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn image<F: Format, const D: usize>(image: &Image<F, D>) -> Self {
        Self::all([image.handle()])
    }
}

macro_rules! transfer_op {
    ($ty:ty, $name:literal) => {
        impl Op for $ty {
            fn name(&self) -> &str {
                $name
            }

            fn accesses(&self) -> Vec<Access> {
                accesses(&self.pairs)
            }

            fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
                record(&self.pairs, recorder)
            }
        }
    };
}

transfer_op!(OpSyncDevice, "sync to device");
transfer_op!(OpSyncHost, "sync to host");

fn accesses(pairs: &Result<Vec<Transfer>>) -> Vec<Access> {
    let pairs = pairs.iter().flatten();
    let of_pair = |pair: &Transfer| match pair {
        Transfer::Tensor { from, to } => vec![Access::read(from), Access::write(to)],
        Transfer::Image(copy) => copy.accesses(),
    };
    pairs.flat_map(of_pair).collect()
}

fn record(pairs: &Result<Vec<Transfer>>, recorder: &mut Recorder<'_>) -> Result<()> {
    let pairs = pairs.as_ref().map_err(Clone::clone)?;
    pairs.iter().try_for_each(|pair| match pair {
        Transfer::Tensor { from, to } => recorder.copy(from, to),
        Transfer::Image(copy) => copy.record(recorder),
    })
}
