//! Managers as Python sees them: they make all else, and can be destroyed with all that they made.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use gridwise::{Contents, DeviceChoice, DeviceInfo, GpuData, MemoryKind, QueueChoice, TensorDesc, TensorRef};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::algorithm::Algorithm;
use crate::array::Input;
use crate::detached::{PAUSE, detached};
use crate::dtype::DType;
use crate::error::{Fault, Outcome, destroyed};
use crate::formats::image_of;
use crate::memory::{Cell, MemoryType, object};
use crate::sequence::Sequence;

/// An object that its manager destroys with itself.
pub(crate) trait Destroy: Send + Sync {
    /// Lets go of what it holds of the device.
    fn destroy(&self);

    /// Whether it holds anything.
    fn is_live(&self) -> bool;

    /// Waits for what it has running, at most until then.
    fn settle(&self, _until: Instant) {}
}

/// The managers of this process, as far as they live.
static OWNERS: Mutex<Vec<Weak<Owner>>> = Mutex::new(Vec::new());

/// Waits until nothing runs on any device, at most until then.
pub(crate) fn settle_all(until: Instant) {
    let owners = std::mem::take(&mut *OWNERS.lock().unwrap_or_else(PoisonError::into_inner));
    owners.iter().filter_map(Weak::upgrade).filter(|owner| !owner.is_forked()).for_each(|owner| owner.settle(until));
}

/// A manager of the runtime's, and who it belongs to.
pub(crate) struct Owner {
    manager: Mutex<Option<gridwise::Manager>>,
    children: Mutex<Vec<Weak<dyn Destroy>>>,
    process: u32,
    is_vulkan: bool,
    /// Sequences that launches without one run in.
    idle: Mutex<Vec<gridwise::Sequence>>,
    /// Such that nobody waited for to the end. They go with the manager.
    left: Mutex<Vec<gridwise::Sequence>>,
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner").field("process", &self.process).finish_non_exhaustive()
    }
}

impl Owner {
    fn new(manager: gridwise::Manager) -> Arc<Self> {
        let owner = Arc::new(Self {
            is_vulkan: manager.device().api_version.is_some(),
            manager: Mutex::new(Some(manager)),
            children: Mutex::default(),
            process: std::process::id(),
            idle: Mutex::default(),
            left: Mutex::default(),
        });
        let mut owners = OWNERS.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|owner| owner.strong_count() > 0);
        owners.push(Arc::downgrade(&owner));
        drop(owners);
        owner
    }

    /// Whether this process was forked from the one that made it: then nothing of it may be used, or freed.
    pub(crate) fn is_forked(&self) -> bool {
        std::process::id() != self.process
    }

    /// Whether a wait for the device can end early.
    pub(crate) fn is_vulkan(&self) -> bool {
        self.is_vulkan
    }

    /// Refuses a use in a process that was forked: the device belongs to its parent.
    pub(crate) fn check(&self) -> Outcome<()> {
        match self.is_forked() {
            false => Ok(()),
            true => {
                let text = "this manager belongs to the process that this one was forked from; make one here, or start processes by `spawn`";
                Err(Fault::Misuse("Forked", text.to_owned()))
            }
        }
    }

    pub(crate) fn manager(&self) -> Outcome<gridwise::Manager> {
        self.check()?;
        let manager = self.manager.lock().unwrap_or_else(PoisonError::into_inner).clone();
        manager.ok_or_else(|| destroyed("manager"))
    }

    /// Destroys it with the manager.
    pub(crate) fn adopt(&self, child: Weak<dyn Destroy>) {
        let mut children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        if children.len() == children.capacity() {
            children.retain(|child| child.upgrade().is_some_and(|child| child.is_live()));
        }
        children.push(child);
    }

    /// A sequence for one evaluation, to be given back by [`keep`](Self::keep) or [`leave`](Self::leave).
    pub(crate) fn spare_sequence(&self) -> Outcome<gridwise::Sequence> {
        let manager = self.manager()?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Ok(idle.map_or_else(|| manager.sequence(), Ok)?)
    }

    /// Keeps a sequence that was evaluated for the next call.
    pub(crate) fn keep(&self, sequence: gridwise::Sequence) {
        if sequence.clear().is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(sequence);
        }
    }

    /// Takes a sequence that may be running: whoever drops it waits for it.
    pub(crate) fn leave(&self, sequence: gridwise::Sequence) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.retain(gridwise::Sequence::is_running);
        left.push(sequence);
    }

    fn is_init(&self) -> bool {
        self.manager.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn settle(&self, until: Instant) {
        let children = self.children.lock().unwrap_or_else(PoisonError::into_inner).clone();
        children.iter().filter_map(Weak::upgrade).for_each(|child| child.settle(until));
        while self.left.lock().unwrap_or_else(PoisonError::into_inner).iter().any(gridwise::Sequence::is_running)
            && Instant::now() < until
        {
            std::thread::sleep(PAUSE);
        }
    }

    fn destroy(&self) {
        if self.is_forked() {
            return;
        }
        let children = std::mem::take(&mut *self.children.lock().unwrap_or_else(PoisonError::into_inner));
        children.iter().filter_map(Weak::upgrade).for_each(|child| child.destroy());
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.left.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let manager = self.manager.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(manager);
    }
}

/// Lets go of an object without dropping it, in a process that it does not belong to: its device's threads are not here.
pub(crate) fn forget<T>(held: &mut Mutex<Option<T>>) {
    std::mem::forget(held.get_mut().unwrap_or_else(PoisonError::into_inner).take());
}

impl Drop for Owner {
    fn drop(&mut self) {
        if self.is_forked() {
            forget(&mut self.manager);
            std::mem::forget(std::mem::take(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner)));
            std::mem::forget(std::mem::take(self.left.get_mut().unwrap_or_else(PoisonError::into_inner)));
        }
    }
}

/// A device, and what makes everything else on it.
#[pyclass(frozen, subclass, module = "kp")]
pub(crate) struct Manager {
    pub(crate) owner: Arc<Owner>,
}

/// The description of a manager: the environment's, unless a device is asked for.
fn describe(device: Option<&Bound<'_, PyAny>>, families: &[u32]) -> Outcome<gridwise::ManagerDesc> {
    let mut desc = gridwise::ManagerDesc::from_env()?;
    if let Some(device) = device {
        desc.device = match (device.extract::<usize>(), device.extract::<String>()) {
            (Ok(index), _) => DeviceChoice::Index(index),
            (_, Ok(name)) => DeviceChoice::parse(&name),
            _ => return Err(Fault::Type(format!("`{device}` is neither the index nor the name of a device"))),
        };
    }
    if !families.is_empty() {
        // Kompute names a family once for each queue of it, in any order.
        let mut counts: Vec<(u32, u32)> = Vec::new();
        for family in families {
            match counts.iter_mut().find(|count| count.0 == *family) {
                Some(count) => count.1 += 1,
                None => counts.push((*family, 1)),
            }
        }
        desc.queues = QueueChoice::Families(counts);
    }
    Ok(desc)
}

/// The memory type of either keyword.
fn kind_of(memory: Option<&Bound<'_, PyAny>>, tensor: Option<&Bound<'_, PyAny>>) -> Outcome<MemoryType> {
    match (memory, tensor) {
        (None, None) => Ok(MemoryType::Device),
        (Some(kind), None) | (None, Some(kind)) => MemoryType::of(kind),
        (Some(_), Some(_)) => Err(Fault::Type("`memory_type` and `tensor_type` mean the same: give one".to_owned())),
    }
}

fn properties<'py>(py: Python<'py>, info: &DeviceInfo) -> PyResult<Bound<'py, PyDict>> {
    let (dict, limits) = (PyDict::new(py), &info.limits);
    dict.set_item("device_name", &info.name)?;
    dict.set_item("max_work_group_count", PyTuple::new(py, limits.max_groups)?)?;
    dict.set_item("max_work_group_invocations", limits.max_workgroup_invocations)?;
    dict.set_item("max_work_group_size", PyTuple::new(py, limits.max_workgroup)?)?;
    dict.set_item("timestamps_supported", info.queue_families.iter().any(|family| family.timestamp_bits > 0))?;
    Ok(dict)
}

#[pymethods]
impl Manager {
    /// Of a device by its index or a part of its name; unasked, of the one that `GRIDWISE_DEVICE` names, else the best.
    #[new]
    #[pyo3(signature = (device=None, family_queue_indices=vec![], desired_extensions=vec![]))]
    fn new(
        py: Python<'_>,
        device: Option<&Bound<'_, PyAny>>,
        family_queue_indices: Vec<u32>,
        desired_extensions: Vec<String>,
    ) -> PyResult<Self> {
        // The runtime turns on what a device has, and kernels say what they need.
        drop(desired_extensions);
        let desc = describe(device, &family_queue_indices)?;
        let made = detached(py, || gridwise::Manager::with(desc)).map_err(Fault::from);
        crate::logs::flush(py);
        Ok(Self { owner: Owner::new(made?) })
    }

    /// A tensor of `float32`, of anything that numpy makes an array of, in one dimension.
    #[pyo3(signature = (data, memory_type=None, *, tensor_type=None))]
    fn tensor(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        memory_type: Option<&Bound<'_, PyAny>>,
        tensor_type: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let input = Input::of_type(data, DType::F32)?;
        self.flat(py, &input, kind_of(memory_type, tensor_type)?)
    }

    /// A tensor of the array's own type, in one dimension.
    #[pyo3(signature = (data, memory_type=None, *, tensor_type=None))]
    fn tensor_t(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        memory_type: Option<&Bound<'_, PyAny>>,
        tensor_type: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let input = Input::of(data, None)?;
        self.flat(py, &input, kind_of(memory_type, tensor_type)?)
    }

    /// A tensor of the array's type and shape, or of another type.
    #[pyo3(signature = (data, dtype=None))]
    fn array(&self, py: Python<'_>, data: &Bound<'_, PyAny>, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        let input = Input::of(data, dtype)?;
        let made = detached(py, || {
            let handle = tensor_of(&self.owner.manager()?, input.bytes(), input.dtype, MemoryKind::Device)?;
            Outcome::Ok(Cell::lazy(&self.owner, handle, input.dtype, input.shape.clone()))
        });
        object(py, made?)
    }

    /// A tensor of zeros.
    #[pyo3(signature = (shape, dtype=None))]
    fn zeros(&self, py: Python<'_>, shape: &Bound<'_, PyAny>, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        let numpy = py.import("numpy")?;
        let dtype = dtype.map_or_else(|| numpy.getattr("float32"), |dtype| Ok(dtype.clone()))?;
        self.array(py, &numpy.getattr("zeros")?.call1((shape, dtype))?, None)
    }

    /// An image of `float32` texels with 1, 2 or 4 channels.
    #[pyo3(signature = (data, width, height, num_channels, memory_type=None))]
    fn image(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        width: u32,
        height: u32,
        num_channels: u32,
        memory_type: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let input = Input::of_type(data, DType::F32)?;
        self.texels(py, &input, ([width, height, num_channels], None), kind_of(memory_type, None)?)
    }

    /// An image of the array's own type, or of a format by its name in Rust, such as `"Rgba8Unorm"`, whose texels have these bytes.
    #[pyo3(signature = (data, width, height, num_channels, memory_type=None, *, format=None))]
    #[expect(clippy::too_many_arguments, reason = "Kompute's, and one more")]
    fn image_t(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        width: u32,
        height: u32,
        num_channels: u32,
        memory_type: Option<&Bound<'_, PyAny>>,
        format: Option<&str>,
    ) -> PyResult<Py<PyAny>> {
        let input = Input::of(data, None)?;
        self.texels(py, &input, ([width, height, num_channels], format), kind_of(memory_type, None)?)
    }

    /// A module of SPIR-V with the tensors and images of its bindings, in order.
    #[pyo3(signature = (tensors, spirv, workgroup=vec![], spec_consts=None, push_consts=None))]
    fn algorithm(
        &self,
        py: Python<'_>,
        tensors: &Bound<'_, PyAny>,
        spirv: &Bound<'_, PyAny>,
        workgroup: Vec<u32>,
        spec_consts: Option<&Bound<'_, PyAny>>,
        push_consts: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Algorithm> {
        let made = Algorithm::make(&self.owner, tensors, spirv, &workgroup, (spec_consts, push_consts));
        crate::logs::flush(py);
        Ok(made?)
    }

    /// A sequence on a queue; with timestamps, if any are asked for.
    #[pyo3(signature = (queue_index=0, total_timestamps=0))]
    fn sequence(&self, queue_index: usize, total_timestamps: u32) -> PyResult<Sequence> {
        Ok(Sequence::make(&self.owner, queue_index, total_timestamps > 0)?)
    }

    /// Frees everything that it made. Arrays that `data()` gave stay valid.
    fn destroy(&self, py: Python<'_>) {
        detached(py, || self.owner.destroy());
    }

    /// Whether it was not destroyed.
    fn is_init(&self) -> bool {
        self.owner.is_init()
    }

    /// Name and limits of its device.
    fn get_device_properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        properties(py, self.owner.manager()?.device())
    }

    /// All devices of the machine; the last is the host.
    fn list_devices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let devices = detached(py, gridwise::Manager::list_devices);
        let list = PyList::empty(py);
        devices.iter().try_for_each(|info| list.append(properties(py, info)?))?;
        Ok(list)
    }

    /// The name of its device.
    #[getter]
    fn device(&self) -> PyResult<String> {
        Ok(self.owner.manager()?.device().to_string())
    }

    /// Whether kernels of SPIR-V run: the host runs kernels of Rust only.
    #[getter]
    fn is_vulkan(&self) -> PyResult<bool> {
        Ok(self.owner.manager()?.device().api_version.is_some())
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, py: Python<'_>, _args: &Bound<'_, PyTuple>) {
        self.destroy(py);
    }

    fn __repr__(&self) -> String {
        match self.owner.manager() {
            Ok(manager) => format!("<Manager of {}>", manager.device()),
            Err(_) => "<Manager, destroyed>".to_owned(),
        }
    }
}

impl Manager {
    fn flat(&self, py: Python<'_>, input: &Input, kind: MemoryType) -> PyResult<Py<PyAny>> {
        let made = detached(py, || {
            let memory = match kind {
                MemoryType::Device | MemoryType::Storage => MemoryKind::Device,
                MemoryType::Host | MemoryType::DeviceAndHost => MemoryKind::Readback,
            };
            let handle = tensor_of(&self.owner.manager()?, input.bytes(), input.dtype, memory)?;
            Cell::new(&self.owner, handle, (input, vec![input.len()]), (kind, None))
        });
        object(py, made?)
    }

    fn texels(
        &self,
        py: Python<'_>,
        input: &Input,
        (sizes, format): ([u32; 3], Option<&str>),
        kind: MemoryType,
    ) -> PyResult<Py<PyAny>> {
        let [width, height, channels] = sizes;
        let expected = sizes.iter().try_fold(1usize, |product, size| product.checked_mul(*size as usize));
        if expected != Some(input.len()) {
            let text =
                format!("an image of {width}×{height} texels with {channels} channels is not {} numbers", input.len());
            return Err(Fault::Misuse("LengthMismatch", text).into());
        }
        let made = detached(py, || {
            let manager = self.owner.manager()?;
            let (handle, format) = image_of(&manager, input.dtype, format, sizes)?;
            let texels = tensor_of(&manager, input.bytes(), input.dtype, MemoryKind::Device)?;
            let copy = gridwise::ops::OpCopyImage::of_handles(&texels, &handle);
            manager.sequence()?.record(copy)?.eval()?;
            Cell::new(&self.owner, handle, (input, vec![input.len()]), (kind, Some(format)))
        });
        object(py, made?)
    }
}

/// A tensor of bytes that are elements of a type.
fn tensor_of(manager: &gridwise::Manager, bytes: &[u8], dtype: DType, memory: MemoryKind) -> Outcome<TensorRef> {
    let size = dtype.size();
    // A struct's size may be any.
    match [8, 4, 2].into_iter().find(|part| size.is_multiple_of(*part)) {
        Some(8) => of_elements::<u64>(manager, bytes, memory),
        Some(4) => of_elements::<u32>(manager, bytes, memory),
        Some(_) => of_elements::<u16>(manager, bytes, memory),
        None => of_elements::<u8>(manager, bytes, memory),
    }
}

fn of_elements<T: GpuData>(manager: &gridwise::Manager, bytes: &[u8], memory: MemoryKind) -> Outcome<TensorRef> {
    let len = bytes.len() / size_of::<T>();
    let data = bytes.as_ptr().cast::<T>();
    let desc = |contents| TensorDesc { name: "tensor", contents };
    if data.is_aligned() && len > 0 {
        // SAFETY: so many elements lie there, aligned, and any bits are a valid `T`.
        let elements = unsafe { std::slice::from_raw_parts(data, len) };
        return Ok(manager.tensor_in(memory, desc(Contents::Data(elements)))?.handle());
    }
    // numpy's arrays of other alignment are rare.
    let handle = manager.tensor_in::<T>(memory, desc(Contents::Zeros(len)))?.handle();
    if len > 0 {
        handle.typed::<u8>()?.write(bytes)?;
    }
    Ok(handle)
}
