//! Recovery of a lost device: a new device, tensors whose contents the host still has, and a report of the evaluations
//! that nobody was told about. It must not guess: contents that only the lost device had are an error.
//!
//! A tensor comes back if the host wrote or read it last and the manager was made with `keeps_contents`. `host_copies`
//! compares marks of the schedule, so launches cost nothing for it. Sequences and algorithms have to be made anew. Each
//! evaluation whose completion is unknown is reported once: by its own wait, or by the recovery.

use std::sync::Arc;

use crate::core::error::{Error, Result};
use crate::core::span::span;
use crate::device::{Device, ManagerDesc};
use crate::manager::Manager;
use crate::memory::data::GpuData;
use crate::memory::image::{Format, Image};
use crate::memory::tensor::Tensor;
use crate::run::lost::{Journal, LostEvaluation};

/// The state that is left of a lost device, and the manager of the new device; created by [`Manager::recover`].
///
/// ```
/// use gridwise::{Error, Manager, Recovery, Result, Sequence};
///
/// /// Runs a sequence; when that costs the device, says what there is to go on with.
/// fn run(manager: &Manager, sequence: &Sequence) -> Result<Option<Recovery>> {
///     match sequence.eval() {
///         Err(Error::DeviceLost { .. } | Error::DeviceHung { .. }) => manager.recover().map(Some),
///         ended => ended.map(|()| None),
///     }
/// }
///
/// # fn main() -> Result<()> {
/// let manager = Manager::host();
/// assert!(run(&manager, &manager.sequence()?)?.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the new manager and the tensors are in it"]
pub struct Recovery {
    manager: Manager,
    lost: Arc<Device>,
    evaluations: Vec<LostEvaluation>,
}

impl Recovery {
    /// The manager of the new device; it has the same description as the lost one.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Recovery, Result, Sequence};
    ///
    /// /// Sequences are not brought back: they are recorded anew.
    /// fn again(recovery: &Recovery, record: impl Fn(&Sequence) -> Result<()>) -> Result<Sequence> {
    ///     let sequence = recovery.manager().sequence()?;
    ///     record(&sequence)?;
    ///     Ok(sequence)
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn manager(&self) -> &Manager {
        &self.manager
    }

    /// The lost evaluations whose [`Evaluation`](crate::Evaluation) handles have been dropped. Each lost evaluation is
    /// reported once: here, by its `Evaluation`, or by the call that waited for it.
    ///
    /// ```
    /// fn report(recovery: &gridwise::Recovery) {
    ///     for lost in recovery.lost_evaluations() {
    ///         eprintln!("nobody knows how far it came: {}", lost.operations.join(", "));
    ///     }
    /// }
    /// ```
    pub fn lost_evaluations(&self) -> &[LostEvaluation] {
        &self.evaluations
    }

    /// A tensor like one of the lost device's, on the new device, with its contents: the contents that the host wrote
    /// or read last, if no evaluation that writes the tensor was started since. Its staged copy comes back by the same
    /// rule, or with zeros. If the host wrote only a part last, the contents count as lost; parts are taken of a tensor
    /// that came back.
    ///
    /// ```
    /// use gridwise::{Error, Recovery, Result, Tensor};
    ///
    /// /// Takes a tensor to the new device: as the host knows it, or else as it was at first.
    /// fn rescue(recovery: &Recovery, state: &Tensor<f32>, initial: &[f32]) -> Result<Tensor<f32>> {
    ///     match recovery.tensor(state) {
    ///         Err(Error::ContentsLost { .. }) => recovery.manager().tensor(initial),
    ///         rescued => rescued,
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::ContentsLost`] if only the device had the contents, or the manager was created without
    /// [`ManagerDesc::keeps_contents`]; [`Error::ForeignTensor`] for a tensor of another manager; and those of
    /// [`Manager::tensor`].
    pub fn tensor<T: GpuData>(&self, lost: &Tensor<T>) -> Result<Tensor<T>> {
        if !Arc::ptr_eq(&lost.handle().buffer.device, &self.lost) {
            let operation = "recovering a tensor".to_owned();
            return Err(Error::ForeignTensor { operation, tensor: lost.name().into() });
        }
        lost.restore(self.manager.shared_device())
    }

    /// An image like one of the lost device's, on the new device, with its texels: of each level what the host wrote or read last,
    /// if no evaluation that writes the image was started since.
    ///
    /// ```
    /// use gridwise::{Recovery, Result};
    /// use gridwise::image::{Image, Rgba8Unorm};
    ///
    /// /// Takes a photo to a new device.
    /// fn rescue(recovery: &Recovery, photo: &Image<Rgba8Unorm, 2>) -> Result<Image<Rgba8Unorm, 2>> {
    ///     recovery.image(photo)
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor): a level that the host neither wrote nor read does not come back.
    pub fn image<F: Format, const D: usize>(&self, lost: &Image<F, D>) -> Result<Image<F, D>> {
        if !Arc::ptr_eq(&lost.buffer.device, &self.lost) {
            let operation = "recovering an image".to_owned();
            return Err(Error::ForeignTensor { operation, tensor: lost.name().into() });
        }
        lost.restore(self.manager.shared_device())
    }
}

impl Manager {
    /// After [`Error::DeviceLost`] or [`Error::DeviceHung`]: opens a new device with this manager's description. The
    /// lost device stays lost: its sequences and algorithms keep failing with that error. Record and create them anew
    /// with [`Recovery::manager`]. [`Recovery::tensor`] restores its tensors, and [`Recovery::image`] its images. Only
    /// the first recovery reports lost evaluations.
    ///
    /// ```
    /// use gridwise::{Error, Manager, ManagerDesc, Result, Tensor};
    ///
    /// /// Takes what was computed so far to a new device.
    /// fn rescue(manager: &mut Manager, state: &mut Tensor<f32>) -> Result<()> {
    ///     let recovery = manager.recover()?;
    ///     for evaluation in recovery.lost_evaluations() {
    ///         eprintln!("lost: {}", evaluation.operations.join(", "));
    ///     }
    ///     *state = recovery.tensor(state)?; // as it was last written or read
    ///     *manager = recovery.manager().clone();
    ///     Ok(())
    /// }
    ///
    /// # fn main() -> Result<()> {
    /// let mut manager = Manager::with(ManagerDesc { keeps_contents: true, ..ManagerDesc::from_env()? })?;
    /// let mut state = manager.tensor(&[1.0f32; 64])?;
    /// // A device that works is left alone.
    /// assert!(matches!(rescue(&mut manager, &mut state), Err(Error::CannotRecover { .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device works, or is an application's; and those of [`Manager::with`], also where Vulkan does not start, which never
    /// leads to the host device here: nothing is reported then, and it may be tried again.
    pub fn recover(&self) -> Result<Recovery> {
        span!("recover");
        let lost = self.shared_device();
        let refused = |why| Err(Error::CannotRecover { why });
        if !lost.is_gone() {
            return refused("its device works; wait for what runs");
        }
        let Some(desc) = lost.desc.clone() else {
            return refused("its device is an application's; make that anew, and a manager of it");
        };
        // Vulkan started before: where it does not now, that may pass, and who tries again gets a device like the lost one.
        let manager = Self::start(ManagerDesc { print: lost.sink(), ..desc }, false)?;
        Ok(Recovery { manager, lost: lost.clone(), evaluations: lost.cache::<Journal>().take_lost() })
    }
}
