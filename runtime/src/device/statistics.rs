//! Counts of the objects that a manager has made and not freed yet. They must not keep anything alive.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts of a manager's objects and work; made by [`Manager::statistics`](crate::Manager::statistics).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// let manager = gridwise::Manager::host();
/// let tensor = manager.tensor(&[1.0f32; 1000])?;
/// assert_eq!((manager.statistics().tensors, manager.statistics().tensor_bytes), (1, 4000));
/// drop(tensor);
/// assert_eq!(manager.statistics().tensors, 0);
/// println!("{}", manager.statistics());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Tensors and host-side copies of tensors that exist.
    pub tensors: u64,
    /// Bytes of their elements.
    pub tensor_bytes: u64,
    /// Memory allocations from the driver; Vulkan limits their number. Zero on the host device.
    pub allocations: u64,
    /// Bytes of these allocations. The manager keeps unused memory for later tensors.
    pub allocated_bytes: u64,
    /// Runs of sequences and transfers that were submitted.
    pub submissions: u64,
    /// The submissions that wait on the device for a submission to another queue, because of a hazard on a tensor or an
    /// event.
    pub queue_waits: u64,
    /// Pipelines that were compiled.
    pub pipelines_compiled: u64,
    /// Pipelines that were created from cached data of an earlier run.
    pub pipelines_loaded: u64,
}

/// A tensor that exists; made by [`Manager::live_tensors`](crate::Manager::live_tensors).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// # let manager = gridwise::Manager::host();
/// let kept = manager.tensor_named("cache", &[0u8; 100])?;
/// let largest = manager.live_tensors().into_iter().max_by_key(|tensor| tensor.bytes);
/// assert_eq!(largest.map(|tensor| tensor.name).as_deref(), Some("cache"));
/// # drop(kept);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiveTensor {
    /// Its name.
    pub name: String,
    /// Bytes of its elements.
    pub bytes: u64,
}

/// A heap of a device's memory; made by [`Manager::memory_heaps`](crate::Manager::memory_heaps).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// let manager = gridwise::Manager::new()?;
/// let heaps = manager.memory_heaps();
/// let own = heaps.iter().filter(|heap| heap.is_device_local);
/// let room: u64 = own.map(|heap| heap.budget.unwrap_or(heap.bytes)).sum();
/// println!("tensors of up to {room} bytes in all");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryHeap {
    /// All its bytes.
    pub bytes: u64,
    /// Whether it is the device's own.
    pub is_device_local: bool,
    /// The budget of this process in bytes, if the driver reports it (`VK_EXT_memory_budget`).
    pub budget: Option<u64>,
    /// The bytes that this process uses, if the driver reports them.
    pub used: Option<u64>,
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tensors, tensor_bytes, allocations, allocated_bytes, submissions, .. } = self;
        write!(
            f,
            "{tensors} tensors of {tensor_bytes} bytes in {allocations} allocations of {allocated_bytes} bytes, "
        )?;
        let (compiled, loaded) = (self.pipelines_compiled, self.pipelines_loaded);
        write!(f, "{submissions} submissions, {compiled} pipelines compiled and {loaded} loaded")
    }
}

/// The buffers that exist, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Live {
    buffers: Mutex<HashMap<u64, (Arc<str>, u64)>>,
}

impl Live {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, (Arc<str>, u64)>> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, id: u64, name: &Arc<str>, bytes: u64) {
        self.lock().insert(id, (name.clone(), bytes));
    }

    pub(crate) fn remove(&self, id: u64) {
        self.lock().remove(&id);
    }

    /// How many there are, and their bytes.
    pub(crate) fn totals(&self) -> (u64, u64) {
        let buffers = self.lock();
        (buffers.len() as u64, buffers.values().map(|(_, bytes)| bytes).sum())
    }

    /// All of them, in the order they were made.
    pub(crate) fn list(&self) -> Vec<LiveTensor> {
        let buffers = self.lock();
        let mut sorted: Vec<_> = buffers.iter().collect();
        sorted.sort_unstable_by_key(|(id, _)| **id);
        sorted.into_iter().map(|(_, (name, bytes))| LiveTensor { name: (**name).to_owned(), bytes: *bytes }).collect()
    }
}
