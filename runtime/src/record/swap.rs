//! Tensors and images that change places in a recording. It must not know how a sequence keeps its arrangements.

use std::sync::Arc;

use crate::core::error::{Error, RecordingError, Result, SwapFault};
use crate::device::Device;
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::image::{Format, Image, Sampled};
use crate::memory::tensor::{Tensor, TensorRef};

/// Tensors and images, which change places in a recording. See [`Sequence::swap`](crate::Sequence::swap).
///
/// ```
/// use gridwise::{Result, Sequence, Swap};
///
/// /// One step of a simulation of any kind of state, which is then in `state`.
/// fn step<S: Swap>(sequence: &Sequence, state: &mut S, next: &mut S) -> Result<()> {
///     sequence.eval()?;
///     sequence.swap(state, next)?;
///     Ok(())
/// }
/// ```
pub trait Swap: sealed::Named {}

mod sealed {
    /// An object with a buffer.
    pub trait Named {
        /// The buffer's handle.
        fn named(&self) -> crate::TensorRef;
    }
}

impl<T: GpuData> Swap for Tensor<T> {}
impl<F: Format, const D: usize> Swap for Image<F, D> {}
impl<F: Format, const D: usize> Swap for Sampled<F, D> {}

impl<T: GpuData> sealed::Named for Tensor<T> {
    fn named(&self) -> TensorRef {
        self.handle()
    }
}

impl<F: Format, const D: usize> sealed::Named for Image<F, D> {
    fn named(&self) -> TensorRef {
        TensorRef { buffer: self.buffer.clone() }
    }
}

impl<F: Format, const D: usize> sealed::Named for Sampled<F, D> {
    fn named(&self) -> TensorRef {
        TensorRef { buffer: self.buffer.clone() }
    }
}

/// The pairs of buffers that change places: both, and their host-side copies if one has any.
///
/// # Errors
/// When they cannot change places, or there is no memory for a host-side copy.
pub(crate) fn pairs<S: Swap>(device: &Arc<Device>, a: &S, b: &S) -> Result<Pairs> {
    let (a, b) = (a.named().buffer, b.named().buffer);
    if let Some(fault) = fault(device, &a, &b) {
        return Err(refusal(&a, &b, fault));
    }
    let has_staged = a.staged_if_made().is_some() || b.staged_if_made().is_some();
    let staged = if has_staged { Some((a.staged()?, b.staged()?)) } else { None };
    Ok(Pairs { whole: (a, b), staged })
}

/// Buffers that change places.
pub(crate) struct Pairs {
    pub(crate) whole: (Arc<Buffer>, Arc<Buffer>),
    pub(crate) staged: Option<(Arc<Buffer>, Arc<Buffer>)>,
}

fn fault(device: &Arc<Device>, a: &Arc<Buffer>, b: &Arc<Buffer>) -> Option<SwapFault> {
    let is_foreign = |buffer: &Buffer| !Arc::ptr_eq(&buffer.device, device);
    if is_foreign(a) || is_foreign(b) {
        return Some(SwapFault::OtherManager);
    }
    if a.is_view() || b.is_view() {
        return Some(SwapFault::View);
    }
    if a.is_image() && a.image_layout() != b.image_layout() {
        return Some(SwapFault::Extents);
    }
    let [first, second] = [a, b].map(|buffer| buffer.len() as usize);
    (first != second).then_some(SwapFault::Lengths { first, second })
}

/// The error of two that cannot change places.
pub(crate) fn refusal(a: &Buffer, b: &Buffer, fault: SwapFault) -> Error {
    let [first, second] = [a, b].map(|buffer| buffer.name().to_owned());
    Error::Recording(RecordingError::CannotSwap { first, second, fault })
}
