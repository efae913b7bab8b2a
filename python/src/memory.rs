//! Tensors and images as Python sees them: typed at run time, with a copy on the host that numpy looks into. It must not hold its lock
//! while it waits for the device or the interpreter.

use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use gridwise::TensorRef;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::array::{self, Input};
use crate::detached::detached;
use crate::dtype::DType;
use crate::error::{Fault, Outcome, destroyed};
use crate::formats::Row;
use crate::manager::Owner;
use crate::sampled::SampledImage;

/// Kompute's kinds of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryType {
    Device,
    Host,
    Storage,
    DeviceAndHost,
}

impl MemoryType {
    const NAMES: [(Self, &'static str); 4] = [
        (Self::Device, "device"),
        (Self::Host, "host"),
        (Self::Storage, "storage"),
        (Self::DeviceAndHost, "deviceAndHost"),
    ];

    /// A member of `MemoryTypes`, or its name.
    pub(crate) fn of(value: &Bound<'_, PyAny>) -> Outcome<Self> {
        let name: String = match value.extract() {
            Ok(name) => name,
            Err(_) => value.getattr("name").and_then(|name| name.extract()).unwrap_or_default(),
        };
        let found = Self::NAMES.iter().find(|row| row.1 == name).map(|row| row.0);
        found.ok_or_else(|| Fault::Type(format!("`{value}` is no member of MemoryTypes")))
    }

    fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

/// A tensor or an image: what operations and kernels hold of it.
#[derive(Debug)]
pub(crate) struct Cell {
    live: Mutex<Option<Live>>,
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    kind: MemoryType,
    /// An image's.
    pub(crate) format: Option<&'static Row>,
    owner: Arc<Owner>,
}

/// The memory of a tensor that was not destroyed.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    pub(crate) handle: TensorRef,
    /// The memory that `data()` shows: the copy for transfers, or the tensor itself where the host reaches it.
    host: Option<TensorRef>,
}

impl Cell {
    /// A cell of a new tensor or image, whose host-side copy gets the data.
    pub(crate) fn new(
        owner: &Arc<Owner>,
        handle: TensorRef,
        (data, shape): (&Input, Vec<usize>),
        (kind, format): (MemoryType, Option<&'static Row>),
    ) -> Outcome<Arc<Self>> {
        let is_direct = format.is_none() && matches!(kind, MemoryType::Host | MemoryType::DeviceAndHost);
        let host = match kind {
            MemoryType::Storage => None,
            _ if is_direct && handle.host_address().is_some() => Some(handle.clone()),
            _ => {
                let staged = handle.staged()?;
                staged.typed::<u8>()?.write(data.bytes())?;
                Some(staged)
            }
        };
        let live = Mutex::new(Some(Live { handle, host }));
        let (dtype, owner) = (data.dtype, owner.clone());
        let cell = Arc::new(Self { live, dtype, shape, kind, format, owner: owner.clone() });
        owner.adopt(Arc::downgrade(&cell) as _);
        Ok(cell)
    }

    /// A cell of a tensor without a host-side copy, which is made when somebody asks for it.
    pub(crate) fn lazy(owner: &Arc<Owner>, handle: TensorRef, dtype: DType, shape: Vec<usize>) -> Arc<Self> {
        let (live, kind) = (Mutex::new(Some(Live { handle, host: None })), MemoryType::Device);
        let cell = Arc::new(Self { live, dtype, shape, kind, format: None, owner: owner.clone() });
        owner.adopt(Arc::downgrade(&cell) as _);
        cell
    }

    pub(crate) fn live(&self) -> Outcome<Live> {
        self.owner.check()?;
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner).clone();
        live.ok_or_else(|| destroyed(self.what()))
    }

    fn what(&self) -> &'static str {
        if self.is_image() { "image" } else { "tensor" }
    }

    pub(crate) fn owner(&self) -> &Arc<Owner> {
        &self.owner
    }

    pub(crate) fn is_image(&self) -> bool {
        self.format.is_some()
    }

    /// Whether transfers between device and host are to be recorded: where both are the same memory, there are none.
    pub(crate) fn is_transferred(&self) -> bool {
        self.is_image() || self.kind == MemoryType::Device
    }

    fn is_init(&self) -> bool {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    fn bytes(&self) -> usize {
        self.len() * self.dtype.size()
    }

    /// The handle, with a host-side copy to transfer to or from.
    pub(crate) fn for_transfer(&self) -> Outcome<TensorRef> {
        self.host()?;
        Ok(self.live()?.handle)
    }

    /// The host-side copy.
    fn host(&self) -> Outcome<TensorRef> {
        let live = self.live()?;
        if self.kind == MemoryType::Storage {
            let text =
                "a tensor of the memory type `storage` is out of the host's reach; copy it to another one".to_owned();
            return Err(Fault::Misuse("BadArgument", text));
        }
        match live.host {
            Some(host) => Ok(host),
            None => {
                // As the tensor is now; from then on, transfers are recorded.
                let host = live.handle.staged()?;
                let bytes = live.handle.typed::<u8>()?.to_vec()?;
                host.typed::<u8>()?.write(&bytes)?;
                if let Some(live) = &mut *self.live.lock().unwrap_or_else(PoisonError::into_inner) {
                    live.host.get_or_insert_with(|| host.clone());
                }
                Ok(host)
            }
        }
    }

    /// Copies what the device has to an address.
    fn read_to(&self, address: usize) -> Outcome<()> {
        let (handle, bytes) = (self.live()?.handle, self.bytes());
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller's new array has as many bytes as the tensor, and nobody else knows it yet.
        let into = unsafe { std::slice::from_raw_parts_mut(address as *mut u8, bytes) };
        match self.is_image() {
            false => handle.typed::<u8>()?.read_into(into)?,
            true => {
                // By the host-side copy's memory, and its contents are kept.
                let manager = self.owner.manager()?;
                let texels = manager.tensor_of_len::<u8>(bytes)?;
                let copy = gridwise::ops::OpCopyImage::of_handles(&handle, &texels.handle());
                manager.sequence()?.record(copy)?.eval()?;
                texels.read_into(into)?;
            }
        }
        Ok(())
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        if self.owner.is_forked() {
            crate::manager::forget(&mut self.live);
        }
    }
}

impl crate::manager::Destroy for Cell {
    fn destroy(&self) {
        if self.owner.is_forked() {
            return;
        }
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Freed without the lock.
        drop(live);
    }

    fn is_live(&self) -> bool {
        self.is_init()
    }
}

/// Memory that numpy's views look into; it lives as long as one of them.
#[pyclass(frozen, module = "gridwise")]
pub(crate) struct HostView {
    cell: Arc<Cell>,
    host: Mutex<Option<TensorRef>>,
    address: NonNull<u8>,
}

impl Drop for HostView {
    fn drop(&mut self) {
        if self.cell.owner.is_forked() {
            crate::manager::forget(&mut self.host);
        }
    }
}

// SAFETY: the address is one of memory that the handle keeps; nothing here reads or writes it.
unsafe impl Send for HostView {}
// SAFETY: as above.
unsafe impl Sync for HostView {}

#[pymethods]
impl HostView {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        array::interface(py, self.address, &self.cell.shape, self.cell.dtype)
    }

    /// Whether the tensor still is.
    fn is_init(&self) -> bool {
        self.cell.is_init()
    }
}

/// A tensor or an image.
#[pyclass(frozen, subclass, module = "kp")]
pub(crate) struct Memory {
    pub(crate) cell: Arc<Cell>,
}

/// Elements on the device, and a copy of them on the host.
#[pyclass(frozen, extends = Memory, module = "kp")]
pub(crate) struct Tensor;

/// Texels on the device, and a copy of them on the host.
#[pyclass(frozen, extends = Memory, module = "kp")]
pub(crate) struct Image;

#[pymethods]
impl Image {
    /// The image with a sampler, for kernels and modules that sample it: `"linear"` mixes the texels around a place, `"nearest"` takes one;
    /// beyond the edges there is the texel at the edge for `"clamp"`, the image again for `"repeat"` and `"mirror"`, and `"zero"`.
    #[pyo3(signature = (filter="linear", edge="clamp"))]
    fn sampled(slf: &Bound<'_, Self>, filter: &str, edge: &str) -> PyResult<SampledImage> {
        Ok(SampledImage::of(slf.as_super(), filter, edge)?)
    }
}

/// The Python object of a new cell.
pub(crate) fn object(py: Python<'_>, cell: Arc<Cell>) -> PyResult<Py<PyAny>> {
    let base = PyClassInitializer::from(Memory { cell: cell.clone() });
    match cell.is_image() {
        false => Ok(Py::new(py, base.add_subclass(Tensor))?.into_any()),
        true => Ok(Py::new(py, base.add_subclass(Image))?.into_any()),
    }
}

/// A member of an enumeration of the module `gridwise._enums`.
fn member(py: Python<'_>, class: &str, name: &str) -> PyResult<Py<PyAny>> {
    Ok(crate::enums(py)?.getattr(class)?.get_item(name)?.unbind())
}

#[pymethods]
impl Memory {
    /// The host-side copy as an array, without a copy of its own. It stays valid whatever is destroyed.
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let cell = &self.cell;
        let host = detached(py, || cell.host())?;
        match host.host_address() {
            Some(address) if cell.bytes() > 0 => {
                let view = HostView { cell: cell.clone(), host: Mutex::new(Some(host)), address };
                array::view(Bound::new(py, view)?.as_any(), cell.dtype)
            }
            _ => Ok(array::empty(py, &cell.shape, cell.dtype)?.0),
        }
    }

    /// Number of elements, or of the numbers in all texels.
    fn size(&self) -> usize {
        self.cell.len()
    }

    fn __len__(&self) -> usize {
        self.cell.shape.first().copied().unwrap_or(1)
    }

    /// Its kind of memory, a member of `MemoryTypes`.
    fn memory_type(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        member(py, "MemoryTypes", self.cell.kind.name())
    }

    /// As `memory_type`, in Kompute 0.9.
    fn tensor_type(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.memory_type(py)
    }

    /// The type of its elements: a member of `DataTypes`.
    fn data_type(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        member(py, "DataTypes", self.cell.dtype.kompute())
    }

    /// Whether it was not destroyed.
    fn is_init(&self) -> bool {
        self.cell.is_init()
    }

    /// Frees it as soon as the device is done with it. Views of `data()` stay valid.
    fn destroy(&self, py: Python<'_>) {
        detached(py, || crate::manager::Destroy::destroy(&*self.cell));
    }

    /// Lengths of the axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.cell.shape)
    }

    /// numpy's type of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::dtype_object(py, self.cell.dtype)
    }

    /// Bytes of all elements.
    #[getter]
    fn nbytes(&self) -> usize {
        self.cell.bytes()
    }

    /// A new array of what the device has now; waits for evaluations that write it.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (array, address) = array::empty(py, &self.cell.shape, self.cell.dtype)?;
        detached(py, || self.cell.read_to(address))?;
        Ok(array)
    }

    /// Replaces all elements on the device, at once.
    fn write(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let (cell, input) = (&self.cell, Input::of_type(data, self.cell.dtype)?);
        if input.len() != cell.len() {
            let text = format!("writing {} elements to a {} of {}", input.len(), cell.what(), cell.len());
            return Err(Fault::Misuse("LengthMismatch", text).into());
        }
        let live = cell.live()?;
        let write = || match cell.is_image() {
            false => Ok(live.handle.typed::<u8>()?.write(input.bytes())?),
            true => {
                let manager = cell.owner.manager()?;
                let texels = manager.tensor(input.bytes())?;
                let copy = gridwise::ops::OpCopyImage::of_handles(&texels.handle(), &live.handle);
                manager.sequence()?.record(copy)?.eval()?;
                Outcome::Ok(())
            }
        };
        detached(py, write)?;
        Ok(())
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            let text = "an array of a tensor is always a copy; `data()` is a view of the host-side copy";
            return Err(PyValueError::new_err(text));
        }
        let array = self.numpy(py)?;
        match dtype {
            None => Ok(array),
            Some(dtype) => array.call_method1("astype", (dtype,)),
        }
    }

    /// A DLPack capsule of a copy on the host.
    #[pyo3(signature = (**keywords))]
    fn __dlpack__<'py>(&self, py: Python<'py>, keywords: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(keywords) = keywords
            && keywords.get_item("copy")?.is_some_and(|copy| !copy.is_none() && matches!(copy.is_truthy(), Ok(false)))
        {
            return Err(pyo3::exceptions::PyBufferError::new_err("an export of a tensor is always a copy"));
        }
        self.numpy(py)?.call_method("__dlpack__", (), keywords)
    }

    /// DLPack's number of the host.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, py: Python<'_>, _args: &Bound<'_, PyTuple>) {
        self.destroy(py);
    }

    fn __repr__(&self) -> String {
        let (cell, what) = (&self.cell, if self.cell.is_image() { "Image" } else { "Tensor" });
        let state = if cell.is_init() { "" } else { ", destroyed" };
        let shape: Vec<String> = cell.shape.iter().map(usize::to_string).collect();
        format!("<{what} of shape ({}), {}{state}>", shape.join(", "), cell.dtype.name())
    }
}

/// The cells of a list of tensors and images.
pub(crate) fn cells(list: &Bound<'_, PyAny>) -> Outcome<Vec<Arc<Cell>>> {
    let mut cells = Vec::new();
    for item in list.try_iter()? {
        let item = item?;
        let memory = item.cast::<Memory>().map_err(|_| Fault::Type(format!("`{item}` is no tensor and no image")))?;
        cells.push(memory.get().cell.clone());
    }
    Ok(cells)
}
