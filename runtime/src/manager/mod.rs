//! The manager: one device, and everything that is made on it.

mod distinct;
mod handles;
mod objects;
mod offsets;
mod recovery;
mod scatter;
#[cfg(unix)]
mod shared_memory;
mod start;
mod stream;
mod tune;
mod user_memory;

use std::sync::{Arc, Weak};

pub use handles::VulkanHandles;
pub use recovery::Recovery;
pub use stream::{Chunk, Stream};
pub use tune::{Candidate, Tuned};

use crate::core::print::{PrintSink, Printed};
use crate::device::{Backend, Device, DeviceInfo, LiveTensor, MemoryHeap, QueueInfo, Statistics};
use crate::memory::crossing::Bridges;

/// An open device; it creates tensors, sequences and algorithms. Clones share the device.
///
/// ```
/// use gridwise::{Manager, ops::OpFill};
///
/// # fn main() -> gridwise::Result<()> {
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
/// Objects may outlive the manager that made them and be dropped in any order.
#[derive(Debug, Clone)]
pub struct Manager {
    device: Arc<Device>,
    /// Of those that a tensor gave, none: the tensor is there, and may be all that is.
    _last: Option<Arc<LastHandle>>,
}

/// Goes with the last clone of a manager; in debug builds the log then names the tensors that are still there.
#[derive(Debug)]
struct LastHandle {
    device: Weak<Device>,
}

impl Drop for LastHandle {
    fn drop(&mut self) {
        // That tensors outlive their manager is allowed; that nobody knows which is how memory leaks.
        if let (true, Some(device)) = (cfg!(debug_assertions), self.device.upgrade()) {
            for LiveTensor { name, bytes } in device.live.list() {
                tracing::debug!(name, bytes, "a tensor outlives its manager");
            }
        }
    }
}

impl Manager {
    fn of(device: Device) -> Self {
        let device = Arc::new(device);
        let last = Arc::new(LastHandle { device: Arc::downgrade(&device) });
        Self { device, _last: Some(last) }
    }

    /// A manager of what another one made.
    pub(crate) fn of_device(device: &Arc<Device>) -> Self {
        Self { device: device.clone(), _last: None }
    }

    pub(crate) fn shared_device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The device.
    ///
    /// ```
    /// use gridwise::{Manager, descriptor::Feature};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let wide = manager.device().has(Feature::Float64); // or take the kernel that does with `f32`
    /// assert!(wide && manager.device().limits.max_workgroup_invocations >= 128);
    /// ```
    pub fn device(&self) -> &DeviceInfo {
        &self.device.info
    }

    /// The queues that [`ManagerDesc::queues`](crate::ManagerDesc::queues) asked for: at least one. The first is a compute queue.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Manager, ManagerDesc, QueueChoice, QueueKind};
    ///
    /// let manager = Manager::with(ManagerDesc { queues: QueueChoice::Best, ..ManagerDesc::from_env()? })?;
    /// assert_eq!(manager.queues()[0].kind, QueueKind::Compute);
    /// let transfers = manager.queues().iter().filter(|queue| queue.kind == QueueKind::Transfer).count();
    /// println!("{transfers} queues that only transfer");
    /// # Ok(())
    /// # }
    /// ```
    pub fn queues(&self) -> &[QueueInfo] {
        &self.device.queues
    }

    /// Counts of the manager's objects and of its work so far.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut tensor = manager.tensor_of_len::<f32>(100)?;
    /// let before = manager.statistics().submissions;
    /// manager.sequence()?.record(OpFill::new(&mut tensor, 1.0))?.eval()?;
    /// assert_eq!(manager.statistics().submissions - before, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn statistics(&self) -> Statistics {
        self.device.statistics()
    }

    /// The heaps of the device's memory, with this process's budget and use; none on the host device.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let manager = gridwise::Manager::new()?;
    /// for heap in manager.memory_heaps() {
    ///     println!("{} bytes, {:?} to be had, {:?} in use", heap.bytes, heap.budget, heap.used);
    ///     assert!(heap.bytes > 0);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn memory_heaps(&self) -> Vec<MemoryHeap> {
        match &self.device.backend {
            Backend::Vulkan(vulkan) => vulkan.device.heaps(),
            Backend::Host(_) => Vec::new(),
        }
    }

    /// Frees the memory that the manager keeps for later transfers. A tensor's memory is freed when the tensor is dropped.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let manager = gridwise::Manager::new()?;
    /// drop(manager.tensor(&[1.0f32; 1000])?);
    /// manager.trim();
    /// assert_eq!(manager.tensor(&[2.0f32; 10])?.to_vec()?, [2.0; 10]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn trim(&self) {
        if let Backend::Vulkan(vulkan) = &self.device.backend {
            vulkan.trim();
            self.device.cache::<Bridges>().clear();
            #[cfg(unix)]
            self.device.cache::<crate::memory::crossing::Imports>().clear();
        }
    }

    /// The live tensors, with their host-side copies, in the order of their creation. When the last clone of a manager is
    /// dropped, debug builds log the tensors that still hold memory.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let manager = gridwise::Manager::host();
    /// let weights = manager.tensor_named("weights", &[0.5f32; 256])?;
    /// let live = manager.live_tensors();
    /// assert_eq!((live.len(), live[0].name.as_str(), live[0].bytes), (1, "weights", 1024));
    /// # drop(weights);
    /// # Ok(())
    /// # }
    /// ```
    pub fn live_tensors(&self) -> Vec<LiveTensor> {
        self.device.live.list()
    }

    /// Sets the function that receives each message of `println!`, `eprintln!` and `dbg!` in kernels, in place of the standard
    /// streams. The thread that waits for a run calls it, in order of invocations; see [`PrintSink`].
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let lines = Arc::new(Mutex::new(Vec::new()));
    /// let seen = lines.clone();
    /// manager.on_print(move |printed| seen.lock().unwrap().push(printed.text.to_owned()));
    /// // … launches of kernels that print …
    /// assert!(lines.lock().unwrap().is_empty());
    /// ```
    pub fn on_print(&self, sink: impl Fn(&Printed<'_>) + Send + Sync + 'static) {
        self.device.set_sink(PrintSink::new(sink));
    }

    /// Writes the pipelines compiled so far to [`ManagerDesc::pipeline_cache`](crate::ManagerDesc::pipeline_cache), for later
    /// runs.
    ///
    /// The manager also does this when it and all its objects have been dropped. Call it in a program that exits without dropping
    /// them. A failure is logged.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Manager, ManagerDesc, PipelineCache};
    ///
    /// let folder = std::env::temp_dir().join("gridwise-example-pipelines");
    /// let cache = PipelineCache::At(folder);
    /// let manager = Manager::with(ManagerDesc { pipeline_cache: cache, ..ManagerDesc::from_env()? })?;
    /// // … launches …
    /// manager.save_pipelines(); // as `std::process::exit` drops nothing
    /// # Ok(())
    /// # }
    /// ```
    pub fn save_pipelines(&self) {
        if let Backend::Vulkan(vulkan) = &self.device.backend {
            vulkan.device.pipelines.store.save();
        }
    }

    /// The validation layer's messages so far; always empty when validation is off.
    ///
    /// ```
    /// # let manager = gridwise::Manager::host();
    /// // At the end of a test: the driver was used as the specification says.
    /// assert_eq!(manager.validation_messages(), Vec::<String>::new());
    /// ```
    pub fn validation_messages(&self) -> Vec<String> {
        match &self.device.backend {
            Backend::Vulkan(vulkan) => vulkan.device.instance.validation_messages(),
            Backend::Host(_) => Vec::new(),
        }
    }
}
