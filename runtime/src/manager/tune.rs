//! The fastest of a kernel's declared const arguments, found by running them on the user's own tensors. It changes no tensor.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gridwise_ir::descriptor::KernelDescriptor;

use crate::core::error::{Error, Result};
use crate::core::grid::Grid;
use crate::device::cache::{Digest, Identity, Store};
use crate::device::vulkan::MemoryUse;
use crate::device::{Backend, Device};
use crate::manager::Manager;
use crate::memory::buffer::Buffer;
use crate::memory::tensor::TensorRef;
use crate::record::args::{Filled, KernelArgs};
use crate::record::kernel::{HostFn, Kernel};
use crate::record::ops::{Access, Op, OpDispatch, Recorder};
use crate::record::steps::ImageStep;

/// Runs of each candidate that count; the fastest one is its time.
const RUNS: u32 = 7;
/// After how much time no further round of runs begins.
const ENOUGH: Duration = Duration::from_secs(2);

/// A kernel with values of its const parameters; `#[kernel(N = [64, 256])]` lists them.
///
/// ```standalone_crate
/// # #[path = "../../tests/devices/kernels.rs"]
/// # mod kernels;
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Candidate, Grid, KernelArgs};
/// # use kernels::Saxpy;
///
/// # let manager = gridwise::Manager::host();
/// let (x, mut y) = (manager.tensor(&[1.0f32; 256])?, manager.tensor_of_len::<f32>(256)?);
/// let args = KernelArgs::new::<Saxpy>().value(2.0f32).read(&x).write(&mut y);
/// // The generated `tune` lists a kernel's candidates; here is but one.
/// let best = manager.tune(&[Candidate::of::<Saxpy>()], |_| Grid::items(256), args)?;
/// assert!(best.constants().is_empty());
/// assert_eq!(y.to_vec()?, [0.0; 256]); // as before
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    descriptor: &'static KernelDescriptor,
    constants: &'static [u64],
    host: HostFn,
}

impl Candidate {
    /// Kernel `K` with its const arguments.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// use gridwise::Candidate;
    /// # use kernels::Saxpy;
    ///
    /// # fn main() {
    /// const ONLY: Candidate = Candidate::of::<Saxpy>();
    /// assert!(ONLY.constants().is_empty());
    /// # }
    /// ```
    pub const fn of<K: Kernel>() -> Self {
        Self { descriptor: K::DESCRIPTOR, constants: K::CONSTANTS, host: K::host }
    }

    /// The values of the const parameters, in their order.
    ///
    /// ```
    /// use gridwise::Candidate;
    ///
    /// /// The candidate with the smallest first const argument.
    /// fn smallest(candidates: &[Candidate]) -> Option<&Candidate> {
    ///     candidates.iter().min_by_key(|candidate| candidate.constants().first())
    /// }
    /// assert!(smallest(&[]).is_none());
    /// ```
    pub const fn constants(&self) -> &'static [u64] {
        self.constants
    }
}

/// The choice that [`tune`](Manager::tune) made.
///
/// Launch it with the kernel's `dispatch_tuned`. For a grid in workgroups, [`value`](Self::value) returns the chosen
/// size.
///
/// ```
/// use gridwise::Tuned;
///
/// /// The result of tuning, for a log.
/// fn report(tuned: &Tuned) -> String {
///     match tuned.is_remembered() {
///         true => format!("{:?}, as found before", tuned.constants()),
///         false => format!("{:?}, of {} candidates", tuned.constants(), tuned.times().len()),
///     }
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Tuned {
    candidate: Candidate,
    times: Vec<Timed>,
}

/// A candidate's time, or why it cannot run.
type Timed = (Candidate, Result<Duration>);

impl Tuned {
    /// The values of the const parameters, in their order.
    ///
    /// ```
    /// fn first(tuned: &gridwise::Tuned) -> Option<u64> {
    ///     tuned.constants().first().copied()
    /// }
    /// ```
    pub fn constants(&self) -> &'static [u64] {
        self.candidate.constants
    }

    /// The value of the const parameter with this name; `None` where there is none.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Grid, Tuned};
    ///
    /// /// Whole workgroups for `len` items, of a kernel `fn sum<const N: u32>` with workgroups of `N`.
    /// fn grid(tuned: &Tuned, len: u64) -> Option<Grid> {
    ///     Some(Grid::groups(len.div_ceil(tuned.value("N")?)))
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn value(&self, name: &str) -> Option<u64> {
        let constants = self.candidate.descriptor.constants;
        let position = constants.iter().position(|constant| constant.name == name)?;
        self.candidate.constants.get(position).copied()
    }

    /// The candidates' times in the order of their declaration, or the reason for which a candidate cannot run on this
    /// device with these arguments. Empty if an earlier run made the choice.
    ///
    /// ```
    /// fn table(tuned: &gridwise::Tuned) {
    ///     for (candidate, time) in tuned.times() {
    ///         match time {
    ///             Ok(time) => println!("{:?}: {time:?}", candidate.constants()),
    ///             Err(error) => println!("{:?}: {error}", candidate.constants()),
    ///         }
    ///     }
    /// }
    /// ```
    pub fn times(&self) -> &[(Candidate, Result<Duration>)] {
        &self.times
    }

    /// Whether an earlier run made the choice, so that nothing was measured.
    ///
    /// ```
    /// fn note(tuned: &gridwise::Tuned) {
    ///     if !tuned.is_remembered() {
    ///         println!("measured on this device for the first time");
    ///     }
    /// }
    /// ```
    pub fn is_remembered(&self) -> bool {
        self.times.is_empty()
    }

    /// The kernel's arguments, for a launch with the choice.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Grid, KernelArgs, Result, Sequence, Tuned};
    ///
    /// /// The body of the generated `dispatch_tuned`.
    /// fn launch(tuned: &Tuned, sequence: &Sequence, args: KernelArgs) -> Result<()> {
    ///     sequence.dispatch(Grid::items(1 << 20), tuned.args(args)?)?;
    ///     Ok(())
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When they are another kernel's.
    pub fn args(&self, args: KernelArgs) -> Result<KernelArgs> {
        with(args, &self.candidate)
    }
}

/// The arguments for another candidate.
fn with(args: KernelArgs, candidate: &Candidate) -> Result<KernelArgs> {
    if !std::ptr::eq(args.descriptor, candidate.descriptor) && *args.descriptor != *candidate.descriptor {
        return Err(Error::ForeignChoice { kernel: args.descriptor.name.into(), of: candidate.descriptor.name.into() });
    }
    Ok(args.with_constants(candidate.constants, candidate.host))
}

impl Manager {
    /// The fastest of a kernel's candidates with these arguments. The generated `tune` calls it.
    ///
    /// ```text
    /// #[kernel(workgroup = N, N = [64, 128, 256])]
    /// fn scale<const N: u32>(factor: f32, x: &mut [f32]) {
    ///     x[global_id().x] *= factor;
    /// }
    ///
    /// let best = Scale::tune(&mgr, |_| Grid::items(len), 2.0, &mut x)?;
    /// println!("workgroups of {:?}", best.value("N"));
    /// Scale::dispatch_tuned(&best, &seq, Grid::items(len), 2.0, &mut x)?;
    /// ```
    ///
    /// Each candidate runs several times on the tensors themselves; afterwards, the tensors have their old contents.
    /// The choice is cached with the pipelines ([`PipelineCache`](crate::PipelineCache)), for the same kernel,
    /// candidates, grids, lengths of tensors, device and driver.
    ///
    /// # Errors
    /// When no candidate can run on this device, an argument does not fit, a launch panics, or there is no memory for copies
    /// of the tensors that the kernel writes.
    pub fn tune(&self, candidates: &[Candidate], grid: impl Fn(&[u64]) -> Grid, args: KernelArgs) -> Result<Tuned> {
        let device = self.shared_device();
        let filled = args.clone().finish()?;
        let grids: Vec<Grid> = candidates.iter().map(|candidate| grid(candidate.constants)).collect();
        let key = key(&args, &filled, candidates, &grids);
        let host_store = host_store(device);
        let store = match &device.backend {
            Backend::Vulkan(vulkan) => Some(&vulkan.device.pipelines.store),
            Backend::Host(_) => host_store.as_ref(),
        };
        let remembered = store.and_then(|store| store.load_choice(key));
        if let Some(candidate) = remembered.and_then(|index| candidates.get(index as usize)) {
            return Ok(Tuned { candidate: *candidate, times: Vec::new() });
        }
        let written: Vec<_> = filled.buffers.iter().filter(|argument| argument.is_written).collect();
        let backups = written.iter().map(|argument| Backup::new(self, &argument.buffer)).collect::<Result<Vec<_>>>()?;
        let times = self.measure(candidates, &grids, &args, &backups);
        // Also when a launch failed: what it wrote is undone.
        restore(self, &backups)?;
        let times = times?;
        let timed = times.iter().enumerate().filter_map(|(index, (_, time))| Some((time.as_ref().ok()?, index)));
        let Some((_, best)) = timed.min() else {
            let error = times.into_iter().find_map(|(_, time)| time.err());
            return Err(error.unwrap_or_else(|| Error::NoCandidates { kernel: args.descriptor.name.into() }));
        };
        if let Some(store) = store {
            store.keep_choice(key, best as u32);
        }
        tracing::info!(kernel = args.descriptor.name, constants = ?candidates[best].constants, "tuned");
        Ok(Tuned { candidate: candidates[best], times })
    }

    /// The fastest run of each candidate, in rounds, so that what else the device does meets all of them.
    fn measure(
        &self,
        candidates: &[Candidate],
        grids: &[Grid],
        args: &KernelArgs,
        backups: &[Backup],
    ) -> Result<Vec<Timed>> {
        let started = Instant::now();
        let mut runs = Vec::new();
        for (candidate, grid) in candidates.iter().zip(grids) {
            let sequence = self.sequence()?;
            let op = OpDispatch::new(*grid, with(args.clone(), candidate)?);
            // A feature that the device lacks shows when the launch is recorded.
            runs.push(match sequence.record(op) {
                Ok(_) => Ok((sequence, Duration::MAX)),
                Err(error) => Err(error),
            });
        }
        for round in 0..=RUNS {
            for (sequence, best) in runs.iter_mut().flatten() {
                restore(self, backups)?;
                let time = sequence.eval_profiled()?.device();
                // The first run may have to make the pipeline, or to bring memory in.
                if round > 0 {
                    *best = time.min(*best);
                }
            }
            if round > 0 && started.elapsed() > ENOUGH {
                break;
            }
        }
        let times = runs.into_iter().map(|run| run.map(|(_, time)| time));
        Ok(candidates.iter().copied().zip(times).collect())
    }
}

/// The store of a host device's choices; a Vulkan device has one already.
fn host_store(device: &Device) -> Option<Store> {
    let Backend::Host(host) = &device.backend else { return None };
    let threads = std::thread::available_parallelism().map_or(0, |threads| threads.get() as u32);
    let identity = Identity { device: threads, driver_version: host.options.subgroup_size, ..Identity::default() };
    Some(Store::new(&host.cache, identity))
}

/// The key of a choice: all that it depends on besides the device.
fn key(args: &KernelArgs, filled: &Filled, candidates: &[Candidate], grids: &[Grid]) -> u128 {
    let mut digest = Digest::new().bytes(args.descriptor.name.as_bytes());
    let spirv = args.descriptor.spirv.words();
    digest = digest.words(spirv.as_deref().unwrap_or_default());
    for (candidate, grid) in candidates.iter().zip(grids) {
        candidate.constants.iter().for_each(|value| digest = digest.bytes(&value.to_le_bytes()));
        digest = digest.bytes(format!("{grid:?}").as_bytes());
    }
    for argument in &filled.buffers {
        digest = digest.bytes(&argument.buffer.bytes().to_le_bytes());
    }
    digest.finish()
}

/// A tensor that launches write, and a copy of what it held.
struct Backup {
    tensor: TensorRef,
    copy: TensorRef,
}

impl Backup {
    fn new(manager: &Manager, buffer: &Arc<Buffer>) -> Result<Self> {
        let (device, name) = (manager.shared_device(), "copy for tuning");
        let copy = match buffer.is_image() {
            true => Buffer::new_image(device, name, *buffer.image_layout())?,
            false => Buffer::new(device, name, buffer.len() as usize, buffer.stride() as usize, MemoryUse::Device)?,
        };
        let backup = Self { tensor: TensorRef { buffer: buffer.clone() }, copy: TensorRef { buffer: Arc::new(copy) } };
        manager.sequence()?.record(CopyTensor { from: &backup.tensor, to: &backup.copy })?.eval()?;
        Ok(backup)
    }
}

/// Gives tensors their old contents.
fn restore(manager: &Manager, backups: &[Backup]) -> Result<()> {
    if backups.is_empty() {
        return Ok(());
    }
    let sequence = manager.sequence()?;
    for Backup { tensor, copy } in backups {
        sequence.record(CopyTensor { from: copy, to: tensor })?;
    }
    sequence.eval()
}

/// A copy between tensors of whatever type.
struct CopyTensor<'a> {
    from: &'a TensorRef,
    to: &'a TensorRef,
}

impl Op for CopyTensor<'_> {
    fn name(&self) -> &str {
        "copy for tuning"
    }

    fn accesses(&self) -> Vec<Access> {
        let access = |tensor: &TensorRef, is_write| Access { tensor: tensor.clone(), is_write };
        vec![access(self.from, false), access(self.to, true)]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        let (from, to) = (&self.from.buffer, &self.to.buffer);
        if !from.is_image() {
            return recorder.copy(self.from, self.to);
        }
        let mut levels = 0..from.image_layout().levels;
        levels.try_for_each(|level| recorder.image(ImageStep::Copy { from: from.clone(), to: to.clone(), level }))
    }
}
