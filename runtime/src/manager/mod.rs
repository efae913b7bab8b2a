//! The manager: one device, and everything that is made on it.

mod choice;
mod desc;
mod existing;
mod info;
mod queues;
mod shared;
mod statistics;

use std::sync::{Arc, Weak};

pub use choice::DeviceChoice;
pub use desc::ManagerDesc;
pub use existing::{ExistingQueue, ExistingVulkan};
pub use info::{DeviceInfo, DeviceKind, Limits, QueueFamily, QueueKind, SubgroupLimits};
pub use queues::{QueueChoice, QueueInfo};
pub(crate) use shared::{Backend, Shared};
pub use statistics::{LiveTensor, MemoryHeap, Statistics};

use crate::algorithm::{Algorithm, Variant};
use crate::data::GpuData;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::host::HostDevice;
use crate::image::{Dimension, Format, Image, ImageDesc, Levels};
use crate::kernel::Kernel;
use crate::mapped::MemoryKind;
use crate::print::{PrintSink, Printed, capacity_of};
use crate::recovery::Journal;
use crate::sequence::Sequence;
use crate::span::span;
use crate::tensor::{Contents, Tensor, TensorDesc};
use crate::twin::HostOptions;
use crate::vulkan::{BufferRange, Candidate, VulkanBackend, VulkanDevice, VulkanInstance};

/// A device, and the maker of tensors, sequences and algorithms on it. Clones share the device.
///
/// ```
/// use gridwise_runtime::{Manager, ops::OpFill};
///
/// # fn main() -> gridwise_runtime::Result<()> {
/// let manager = Manager::host();
/// let mut tensor = manager.tensor_of_len::<u32>(4)?;
/// let sequence = manager.sequence()?;
/// sequence.record(OpFill::new(&mut tensor, 7))?;
/// sequence.eval()?;
/// assert_eq!(tensor.to_vec()?, [7; 4]);
/// # Ok(())
/// # }
/// ```
///
/// What was made may outlive the manager and be dropped in any order.
#[derive(Debug, Clone)]
pub struct Manager {
    shared: Arc<Shared>,
    _last: Arc<LastHandle>,
}

/// Goes with the last clone of a manager; in debug builds the log then names the tensors that are still there.
#[derive(Debug)]
struct LastHandle {
    shared: Weak<Shared>,
}

impl Drop for LastHandle {
    fn drop(&mut self) {
        // That tensors outlive their manager is allowed; that nobody knows which is how memory leaks.
        if let (true, Some(shared)) = (cfg!(debug_assertions), self.shared.upgrade()) {
            for LiveTensor { name, bytes } in shared.live.list() {
                tracing::debug!(name, bytes, "a tensor outlives its manager");
            }
        }
    }
}

/// Vulkan and its devices; `None` where there is none.
fn find_vulkan(validation: bool) -> Result<Option<(Arc<VulkanInstance>, Vec<Candidate>)>> {
    let Some(instance) = VulkanInstance::new(validation)? else { return Ok(None) };
    let candidates = instance.candidates()?;
    Ok(Some((Arc::new(instance), candidates)))
}

/// The host device, with the subgroups asked for.
fn host_info(options: HostOptions) -> DeviceInfo {
    let mut info = DeviceInfo::host();
    info.limits.subgroup.size = options.subgroup_size;
    info
}

/// Invocations of the largest subgroup that Vulkan knows.
const MAX_SUBGROUP: u32 = 128;

impl Manager {
    fn of(shared: Shared) -> Self {
        let shared = Arc::new(shared);
        let last = Arc::new(LastHandle { shared: Arc::downgrade(&shared) });
        Self { shared, _last: last }
    }

    /// A manager of the device that `GRIDWISE_DEVICE` names; else of the best Vulkan device; else of the host device.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let manager = gridwise_runtime::Manager::new()?;
    /// println!("{}", manager.device());
    /// assert!(manager.device().is_suitable());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When `GRIDWISE_DEVICE` names no usable device, or the device fails to start.
    pub fn new() -> Result<Self> {
        Self::with(ManagerDesc::from_env())
    }

    /// A manager by description; the environment has no say.
    ///
    /// ```
    /// use gridwise_runtime::{DeviceChoice, Error, Manager, ManagerDesc};
    ///
    /// let desc = ManagerDesc { device: DeviceChoice::Name("no such card".to_owned()), ..ManagerDesc::default() };
    /// let error = Manager::with(desc).unwrap_err();
    /// assert!(matches!(error, Error::NoDevice { .. }));
    /// println!("{error}"); // lists what there is
    /// ```
    ///
    /// # Errors
    /// When no device fits or it has not the queues asked for; when validation is asked for and not installed, the sanitizer and not
    /// built in, or subgroups of the host device that there cannot be; and when the device fails to start.
    pub fn with(desc: ManagerDesc) -> Result<Self> {
        span!("create_manager", device = tracing::field::debug(&desc.device));
        let size = desc.host.subgroup_size;
        if !size.is_power_of_two() || size > MAX_SUBGROUP {
            return Err(Error::BadSubgroupSize { size });
        }
        if desc.device == DeviceChoice::Sanitizer {
            return Self::sanitizer_with(desc);
        }
        let (capacity, sink) = (capacity_of(desc.print_bytes), desc.print.clone());
        let host = || {
            let cache = desc.pipeline_cache.clone();
            Backend::Host(HostDevice { options: desc.host, cache, ..HostDevice::default() })
        };
        if desc.device == DeviceChoice::Host {
            let info = host_info(desc.host);
            let queues = desc.queues.plan(&info.queue_families)?;
            return Ok(Self::of(Shared::new(info, queues, host(), capacity, sink)));
        }
        let vulkan = match find_vulkan(desc.validation) {
            Ok(vulkan) => vulkan,
            // A broken installation does not stand in the way of the host device, unless a device was asked for by name.
            Err(error) if desc.device == DeviceChoice::Best && !desc.validation => {
                tracing::warn!(%error, "Vulkan does not start; using the host device");
                None
            }
            Err(error) => return Err(error),
        };
        let (instance, candidates) = vulkan.unzip();
        let candidates = candidates.unwrap_or_default();
        let mut infos: Vec<_> = candidates.iter().map(|candidate| candidate.info.clone()).collect();
        infos.push(DeviceInfo::host());
        let chosen = desc.device.choose(&infos)?;
        let mut shared = match (instance, candidates.into_iter().nth(chosen)) {
            (Some(instance), Some(candidate)) => {
                let queues = desc.queues.plan(&candidate.info.queue_families)?;
                let device = VulkanDevice::new(instance, &candidate, &queues, &desc)?;
                Shared::new(candidate.info, queues, Backend::Vulkan(VulkanBackend::new(device)), capacity, sink)
            }
            _ => {
                let info = host_info(desc.host);
                let queues = desc.queues.plan(&info.queue_families)?;
                Shared::new(info, queues, host(), capacity, sink)
            }
        };
        shared.journal = Journal::new(&desc);
        tracing::info!(device = %shared.info, "device chosen");
        Ok(Self::of(shared))
    }

    /// A manager on an application's own Vulkan device. It submits to the queue it is given, which the application may use as
    /// well, and never destroys the instance or the device. Of `desc`, what chooses and makes devices has no say.
    ///
    /// Tensors are ordered with each other as ever; with the application's own work they are ordered by waiting: a
    /// [`Sequence::eval`] is complete, and what it wrote available to the device, when it returns. Data goes to and fro by
    /// [`tensor_from_buffer`](Self::tensor_from_buffer) and [`Tensor::vulkan_buffer`].
    ///
    /// ```no_run
    /// # use ash::{Device, Entry, Instance, vk::{PhysicalDevice, Queue}};
    /// # fn application() -> (Entry, Instance, PhysicalDevice, Device, Queue) { todo!() }
    /// use gridwise_runtime::{ExistingVulkan, Manager, ManagerDesc, descriptor::Feature};
    ///
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let (entry, instance, physical_device, device, queue) = application();
    /// let mut vulkan = ExistingVulkan::new(entry, instance, physical_device, device, queue, 0);
    /// vulkan.features = vec![Feature::Int64]; // the device was created with `shaderInt64`
    /// // SAFETY: the device has what kernels need and the features listed, and outlives all that the manager makes.
    /// let manager = unsafe { Manager::from_vulkan(vulkan, ManagerDesc::default()) }?;
    /// assert_eq!(manager.tensor(&[1.0f32])?.to_vec()?, [1.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device lacks what every kernel needs, has not the queues that are told, or fails.
    ///
    /// # Safety
    /// The handles belong together, and stay valid until the manager and all that it made is gone. The device was created with
    /// `vulkanMemoryModel`, `scalarBlockLayout`, `timelineSemaphore` and the features that are listed. Nobody uses the queue
    /// without holding the lock.
    pub unsafe fn from_vulkan(vulkan: ExistingVulkan, desc: ManagerDesc) -> Result<Self> {
        let candidate = Candidate::of_existing(&vulkan)?;
        let queues = queues::of_existing(&vulkan, &candidate.info.queue_families)?;
        let device = VulkanDevice::borrow(vulkan, &candidate, &queues, &desc)?;
        let capacity = capacity_of(desc.print_bytes);
        let backend = Backend::Vulkan(VulkanBackend::new(device));
        Ok(Self::of(Shared::new(candidate.info, queues, backend, capacity, desc.print)))
    }

    /// A tensor in a buffer of the application's, on the device that it gave to [`from_vulkan`](Self::from_vulkan).
    ///
    /// ```no_run
    /// use gridwise_runtime::{BufferRange, Manager, Result, Tensor, ash::vk};
    ///
    /// /// The vertices that the application draws, to be moved by kernels.
    /// fn vertices(manager: &Manager, buffer: vk::Buffer, count: usize) -> Result<Tensor<[f32; 3]>> {
    ///     let range = BufferRange { buffer, offset: 0, bytes: 12 * count as u64 };
    ///     // SAFETY: of the manager's device, with the usages that it takes; it stays until the program ends.
    ///     unsafe { manager.tensor_from_buffer("vertices", range, count) }
    /// }
    /// ```
    ///
    /// # Errors
    /// When the elements do not fit into `buffer`, its offset is not aligned as storage buffers are, or the manager's device is the
    /// host.
    ///
    /// # Safety
    /// The buffer is of the manager's device, bound to memory, has the usages `STORAGE_BUFFER`, `TRANSFER_SRC` and
    /// `TRANSFER_DST` and the range that is told, and stays until the tensor and all sequences that name it are gone. The
    /// application uses the range only while no evaluation that names the tensor runs; what it wrote before is available to
    /// the device.
    pub unsafe fn tensor_from_buffer<T: GpuData>(
        &self,
        name: &str,
        buffer: BufferRange,
        len: usize,
    ) -> Result<Tensor<T>> {
        Tensor::from_buffer(&self.shared, name, buffer, len)
    }

    /// A manager of the host device: kernels run on the processor, as rustc compiled them.
    ///
    /// ```
    /// use gridwise_runtime::{DeviceKind, Manager};
    ///
    /// let manager = Manager::host(); // needs no driver, and a debugger can step through kernels
    /// assert_eq!(manager.device().kind, DeviceKind::Host);
    /// ```
    pub fn host() -> Self {
        let (capacity, sink) = (capacity_of(None), PrintSink::default());
        let (info, backend) = (DeviceInfo::host(), Backend::Host(HostDevice::default()));
        let queues = vec![QueueInfo::of_host()];
        Self::of(Shared::new(info, queues, backend, capacity, sink))
    }

    /// A manager of the sanitizer: kernels run in an interpreter, and a launch with data races, divergent barriers or accesses
    /// out of range is an [`Error::KernelFaults`] that names both places in the source. Slow; [`HostOptions`] have seeds for
    /// other orders of invocations.
    #[cfg(feature = "sanitizer")]
    pub fn sanitizer() -> Self {
        Self::make_sanitizer(ManagerDesc::default(), vec![QueueInfo::of_host()])
    }

    #[cfg(feature = "sanitizer")]
    fn sanitizer_with(desc: ManagerDesc) -> Result<Self> {
        let queues = desc.queues.plan(&DeviceInfo::sanitizer().queue_families)?;
        Ok(Self::make_sanitizer(desc, queues))
    }

    #[cfg(feature = "sanitizer")]
    fn make_sanitizer(desc: ManagerDesc, queues: Vec<QueueInfo>) -> Self {
        let host = HostDevice { options: desc.host, is_sanitizer: true, ..HostDevice::default() };
        let capacity = capacity_of(desc.print_bytes);
        let shared = Shared::new(DeviceInfo::sanitizer(), queues, Backend::Host(host), capacity, desc.print);
        Self::of(shared)
    }

    #[cfg(not(feature = "sanitizer"))]
    fn sanitizer_with(_: ManagerDesc) -> Result<Self> {
        Err(Error::NoSanitizer)
    }

    /// All devices of the machine, usable or not; the host device is the last. Without a Vulkan loader it is the only one.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::{DeviceChoice, Manager, ManagerDesc};
    ///
    /// let devices = Manager::list_devices();
    /// for (index, device) in devices.iter().enumerate() {
    ///     println!("{index}: {device}");
    /// }
    /// let last = DeviceChoice::Index(devices.len() - 1);
    /// assert_eq!(Manager::with(ManagerDesc { device: last, ..ManagerDesc::default() })?.device().name, "host");
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_devices() -> Vec<DeviceInfo> {
        let vulkan = find_vulkan(false).ok().flatten();
        let candidates = vulkan.into_iter().flat_map(|(_, candidates)| candidates);
        candidates.map(|candidate| candidate.info).chain([DeviceInfo::host()]).collect()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The device.
    ///
    /// ```
    /// use gridwise_runtime::{Manager, descriptor::Feature};
    ///
    /// # let manager = gridwise_runtime::Manager::host();
    /// let wide = manager.device().has(Feature::Float64); // or take the kernel that does with `f32`
    /// assert!(wide && manager.device().limits.max_workgroup_invocations >= 128);
    /// ```
    pub fn device(&self) -> &DeviceInfo {
        &self.shared.info
    }

    /// A tensor with copies of `data`.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// # let manager = gridwise_runtime::Manager::host();
    /// let weights = manager.tensor(&[0.5f32, 1.5])?;
    /// assert_eq!((weights.len(), weights.to_vec()?), (2, vec![0.5, 1.5]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When it is too large, memory is exhausted, or the device fails.
    pub fn tensor<T: GpuData>(&self, data: &[T]) -> Result<Tensor<T>> {
        self.tensor_named("tensor", data)
    }

    /// A tensor of `len` zeros.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// # let manager = gridwise_runtime::Manager::host();
    /// let sums = manager.tensor_of_len::<u64>(3)?; // for a kernel to add to
    /// assert_eq!(sums.to_vec()?, [0; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor).
    pub fn tensor_of_len<T: GpuData>(&self, len: usize) -> Result<Tensor<T>> {
        self.tensor_with(TensorDesc { name: "tensor", contents: Contents::Zeros(len) })
    }

    /// A tensor with copies of `data`, and a name for errors and the driver's tools.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// # let manager = gridwise_runtime::Manager::host();
    /// let mut weights = manager.tensor_named("weights", &[0.5f32, 1.5])?;
    /// let error = weights.write(&[1.0]).unwrap_err();
    /// assert!(error.to_string().contains("`weights`"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor).
    pub fn tensor_named<T: GpuData>(&self, name: &str, data: &[T]) -> Result<Tensor<T>> {
        self.tensor_with(TensorDesc { name, contents: Contents::Data(data) })
    }

    /// A tensor by description.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::{Contents, TensorDesc};
    ///
    /// # let manager = gridwise_runtime::Manager::host();
    /// // A kernel will write all of it: not even zeros are needed before.
    /// let desc = TensorDesc { name: "scratch", contents: Contents::<f32>::Uninit(1 << 10) };
    /// assert_eq!(manager.tensor_with(desc)?.len(), 1 << 10);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor).
    pub fn tensor_with<T: GpuData>(&self, desc: TensorDesc<'_, T>) -> Result<Tensor<T>> {
        self.tensor_in(MemoryKind::default(), desc)
    }

    /// A tensor by description, in memory of a kind.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::{Contents, Manager, MemoryKind, TensorDesc};
    ///
    /// let manager = Manager::new()?;
    /// let desc = TensorDesc { name: "parameters", contents: Contents::Data(&[1.0f32, 2.0]) };
    /// let mut parameters = manager.tensor_in(MemoryKind::Upload, desc)?;
    /// parameters.map_mut()?[1] = 3.0;
    /// assert_eq!(parameters.to_vec()?, [1.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor).
    pub fn tensor_in<T: GpuData>(&self, memory: MemoryKind, desc: TensorDesc<'_, T>) -> Result<Tensor<T>> {
        Tensor::new(&self.shared, memory.usage(), desc)
    }

    /// An image of zeros, with one dimension.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::image::R32Float;
    ///
    /// # let manager = gridwise_runtime::Manager::host();
    /// let curve = manager.image_1d::<R32Float>(256)?;
    /// assert_eq!((curve.extent(), curve.to_vec()?[0]), ([256], 0.0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`image_with`](Self::image_with).
    pub fn image_1d<F: Format>(&self, width: u32) -> Result<Image<F, 1>> {
        self.image_with(ImageDesc { name: "image", extent: [width], levels: Levels::One })
    }

    /// An image of zeros, with two dimensions.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::image::Rgba8Unorm;
    ///
    /// # let manager = gridwise_runtime::Manager::host();
    /// let photo = manager.image_2d::<Rgba8Unorm>(640, 480)?;
    /// assert_eq!((photo.extent(), photo.levels()), ([640, 480], 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`image_with`](Self::image_with).
    pub fn image_2d<F: Format>(&self, width: u32, height: u32) -> Result<Image<F, 2>> {
        self.image_with(ImageDesc { name: "image", extent: [width, height], levels: Levels::One })
    }

    /// An image of zeros, with three dimensions.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::{Error, image::R8Unorm};
    ///
    /// # let manager = gridwise_runtime::Manager::host();
    /// let volume = manager.image_3d::<R8Unorm>(16, 16, 8)?;
    /// assert_eq!(volume.to_vec()?.len(), 16 * 16 * 8);
    /// assert!(matches!(manager.image_3d::<R8Unorm>(16, 0, 8), Err(Error::ImageExtent { .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`image_with`](Self::image_with).
    pub fn image_3d<F: Format>(&self, width: u32, height: u32, depth: u32) -> Result<Image<F, 3>> {
        self.image_with(ImageDesc { name: "image", extent: [width, height, depth], levels: Levels::One })
    }

    /// An image of zeros, by description.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::image::{ImageDesc, Levels, Rgba8Unorm};
    ///
    /// # let manager = gridwise_runtime::Manager::host();
    /// // With room for the smaller levels that samplers take for what is far away.
    /// let desc = ImageDesc { name: "bricks", extent: [256, 128], levels: Levels::All };
    /// assert_eq!(manager.image_with::<Rgba8Unorm, 2>(desc)?.levels(), 9);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When a side is zero or larger than the device has, there cannot be so many levels, the device has no images of this format,
    /// memory is exhausted, or the device fails.
    pub fn image_with<F: Format, const D: usize>(&self, desc: ImageDesc<'_, D>) -> Result<Image<F, D>>
    where
        Image<F, D>: Dimension,
    {
        Image::new(&self.shared, desc)
    }

    /// An empty sequence, on the first queue.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::ops::OpFill;
    ///
    /// # let manager = gridwise_runtime::Manager::host();
    /// let mut sums = manager.tensor(&[1u32, 2])?;
    /// let reset = manager.sequence()?;
    /// reset.record(OpFill::new(&mut sums, 0))?;
    /// reset.eval()?; // as often as wanted
    /// assert_eq!(sums.to_vec()?, [0, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`sequence_on`](Self::sequence_on); each manager has a first queue, so that there is none so far.
    pub fn sequence(&self) -> Result<Sequence> {
        self.sequence_on(0)
    }

    /// An empty sequence on one of the [`queues`](Self::queues). Sequences on different queues run side by side; where they
    /// share tensors that one of them writes, the device orders them as they were started.
    ///
    /// ```
    /// use gridwise_runtime::{Manager, QueueKind, ops::OpCopy};
    ///
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let manager = Manager::new()?;
    /// let transfers = manager.queues().iter().rposition(|queue| queue.kind == QueueKind::Transfer).unwrap_or(0);
    /// let from = manager.tensor(&[1.0f32, 2.0])?;
    /// let mut to = manager.tensor_of_len::<f32>(2)?;
    /// manager.sequence_on(transfers)?.record(OpCopy::new(&from, &mut to))?.eval()?;
    /// assert_eq!(to.to_vec()?, [1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When there is no such queue: [`Error::NoQueue`].
    pub fn sequence_on(&self, queue: usize) -> Result<Sequence> {
        match self.shared.queues.len() {
            available if queue >= available => Err(Error::NoQueue { queue, available }),
            _ => Ok(Sequence::new(self.shared.clone(), queue)),
        }
    }

    /// An event that nothing has set yet.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// assert!(gridwise_runtime::Manager::host().event().is_complete()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn event(&self) -> Event {
        Event::new(self.shared.clone())
    }

    /// The queues that [`ManagerDesc::queues`] asked for: at least one, and the first computes.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::{Manager, ManagerDesc, QueueChoice, QueueKind};
    ///
    /// let manager = Manager::with(ManagerDesc { queues: QueueChoice::Best, ..ManagerDesc::from_env() })?;
    /// assert_eq!(manager.queues()[0].kind, QueueKind::Compute);
    /// let transfers = manager.queues().iter().filter(|queue| queue.kind == QueueKind::Transfer).count();
    /// println!("{transfers} queues that only transfer");
    /// # Ok(())
    /// # }
    /// ```
    pub fn queues(&self) -> &[QueueInfo] {
        &self.shared.queues
    }

    /// A kernel made ready for the device. One pipeline is made per kernel, however often this is called.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// # let manager = gridwise_runtime::Manager::host();
    /// # use kernels::Saxpy;
    /// // `Saxpy` was made by `#[kernel]`. Its pipeline is compiled here, not when it is first launched.
    /// let saxpy = manager.algorithm::<Saxpy>()?;
    /// assert_eq!(saxpy.name(), "saxpy");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the kernel needs more than the device has, or the driver refuses it.
    pub fn algorithm<K: Kernel>(&self) -> Result<Algorithm> {
        let variant = Variant::usual(K::DESCRIPTOR);
        Ok(Algorithm::new(self.shared.prepare(K::DESCRIPTOR, K::CONSTANTS, variant)?))
    }

    /// What the manager holds and has done so far.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::ops::OpFill;
    ///
    /// # let manager = gridwise_runtime::Manager::host();
    /// let mut tensor = manager.tensor_of_len::<f32>(100)?;
    /// let before = manager.statistics().submissions;
    /// manager.sequence()?.record(OpFill::new(&mut tensor, 1.0))?.eval()?;
    /// assert_eq!(manager.statistics().submissions - before, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn statistics(&self) -> Statistics {
        self.shared.statistics()
    }

    /// The heaps of the device's memory, with what there is left for this process; none on the host device.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let manager = gridwise_runtime::Manager::new()?;
    /// for heap in manager.memory_heaps() {
    ///     println!("{} bytes, {:?} to be had, {:?} in use", heap.bytes, heap.budget, heap.used);
    ///     assert!(heap.bytes > 0);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn memory_heaps(&self) -> Vec<MemoryHeap> {
        match &self.shared.backend {
            Backend::Vulkan(vulkan) => vulkan.device.heaps(),
            Backend::Host(_) => Vec::new(),
        }
    }

    /// Gives back memory that is kept for transfers to come. Tensors give theirs back when they are dropped.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let manager = gridwise_runtime::Manager::new()?;
    /// drop(manager.tensor(&[1.0f32; 1000])?);
    /// manager.trim();
    /// assert_eq!(manager.tensor(&[2.0f32; 10])?.to_vec()?, [2.0; 10]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn trim(&self) {
        if let Backend::Vulkan(vulkan) = &self.shared.backend {
            vulkan.trim();
        }
    }

    /// The tensors that exist, with their host-side copies, in the order they were made: what still holds memory, by name. When the
    /// last clone of a manager is dropped, debug builds write them to the log.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// let manager = gridwise_runtime::Manager::host();
    /// let weights = manager.tensor_named("weights", &[0.5f32; 256])?;
    /// let live = manager.live_tensors();
    /// assert_eq!((live.len(), live[0].name.as_str(), live[0].bytes), (1, "weights", 1024));
    /// # drop(weights);
    /// # Ok(())
    /// # }
    /// ```
    pub fn live_tensors(&self) -> Vec<LiveTensor> {
        self.shared.live.list()
    }

    /// From now on calls a function for each message of a kernel's `println!` and its like, in place of the standard
    /// streams. It is called by whoever waits for a run, in order of invocations; see [`PrintSink`].
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// # let manager = gridwise_runtime::Manager::host();
    /// let lines = Arc::new(Mutex::new(Vec::new()));
    /// let seen = lines.clone();
    /// manager.on_print(move |printed| seen.lock().unwrap().push(printed.text.to_owned()));
    /// // … launches of kernels that print …
    /// assert!(lines.lock().unwrap().is_empty());
    /// ```
    pub fn on_print(&self, sink: impl Fn(&Printed<'_>) + Send + Sync + 'static) {
        self.shared.set_sink(PrintSink::new(sink));
    }

    /// Writes the pipelines compiled so far to where [`ManagerDesc::pipeline_cache`] says, for later runs.
    ///
    /// That is done anyway when the manager and all that it made is gone: this is for programs that end without dropping
    /// them. Whatever goes wrong is a line in the log.
    ///
    /// ```
    /// # fn main() -> gridwise_runtime::Result<()> {
    /// use gridwise_runtime::{Manager, ManagerDesc, PipelineCache};
    ///
    /// let folder = std::env::temp_dir().join("gridwise-example-pipelines");
    /// let cache = PipelineCache::At(folder);
    /// let manager = Manager::with(ManagerDesc { pipeline_cache: cache, ..ManagerDesc::from_env() })?;
    /// // … launches …
    /// manager.save_pipelines(); // as `std::process::exit` drops nothing
    /// # Ok(())
    /// # }
    /// ```
    pub fn save_pipelines(&self) {
        if let Backend::Vulkan(vulkan) = &self.shared.backend {
            vulkan.device.pipelines.store.save();
        }
    }

    /// What the validation layer has reported so far; always empty when validation is off.
    ///
    /// ```
    /// # let manager = gridwise_runtime::Manager::host();
    /// // At the end of a test: the driver was used as the specification says.
    /// assert_eq!(manager.validation_messages(), Vec::<String>::new());
    /// ```
    pub fn validation_messages(&self) -> Vec<String> {
        match &self.shared.backend {
            Backend::Vulkan(vulkan) => vulkan.device.instance.validation_messages(),
            Backend::Host(_) => Vec::new(),
        }
    }
}
