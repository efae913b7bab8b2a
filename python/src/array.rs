//! numpy's arrays by their array interface, so that nothing is linked to numpy: arrays that come in, and views that go out.

use std::ptr::NonNull;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict as _, PyDict, PyTuple};

use crate::dtype::DType;
use crate::error::{Fault, Outcome};

/// A contiguous array of Python's, and what keeps it alive.
pub(crate) struct Input {
    _array: Py<PyAny>,
    data: usize,
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
}

fn function<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    let found = cell.get_or_try_init(py, || PyResult::Ok(py.import("numpy")?.getattr(name)?.unbind()))?;
    Ok(found.bind(py))
}

/// `numpy.asarray`.
fn asarray(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static CELL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    function(py, &CELL, "asarray")
}

/// `numpy.ascontiguousarray`.
fn ascontiguousarray(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static CELL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    function(py, &CELL, "ascontiguousarray")
}

impl Input {
    /// Anything that numpy makes an array of; of the type, if one is asked for.
    pub(crate) fn of(data: &Bound<'_, PyAny>, dtype: Option<&Bound<'_, PyAny>>) -> Outcome<Self> {
        let py = data.py();
        let shape: Vec<usize> = asarray(py)?.call1((data,))?.getattr("shape")?.extract()?;
        let keywords = dtype.map(|dtype| [("dtype", dtype)].into_py_dict(py)).transpose()?;
        let array = ascontiguousarray(py)?.call((data,), keywords.as_ref())?;
        let interface = array.getattr("__array_interface__")?;
        let typestr: String = interface.get_item("typestr")?.extract()?;
        let dtype = DType::of_typestr(&typestr).ok_or_else(|| {
            let names = "bool, int8 to int64, uint8 to uint64, float16, float32, float64";
            Fault::Misuse("BadArgument", format!("no valid dtype: `{typestr}` is not supported; use one of {names}"))
        })?;
        let (data, _): (usize, bool) = interface.get_item("data")?.extract()?;
        Ok(Self { _array: array.unbind(), data, dtype, shape })
    }

    /// As [`of`](Self::of), of a type by numpy's name.
    pub(crate) fn of_type(data: &Bound<'_, PyAny>, dtype: &str) -> Outcome<Self> {
        let dtype = pyo3::types::PyString::new(data.py(), dtype);
        Self::of(data, Some(dtype.as_any()))
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The elements' bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self.len() * self.dtype.size() {
            0 => &[],
            // SAFETY: the array is contiguous, has so many bytes at its address, and lives as long as `self`. Python code that
            // writes it from another thread meanwhile races with us, as it would with numpy's own copies.
            bytes => unsafe { std::slice::from_raw_parts(self.data as *const u8, bytes) },
        }
    }
}

/// A new array that is to be filled, and the address of its bytes.
pub(crate) fn empty<'py>(py: Python<'py>, shape: &[usize], dtype: DType) -> PyResult<(Bound<'py, PyAny>, usize)> {
    static CELL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let array = function(py, &CELL, "empty")?.call1((PyTuple::new(py, shape)?, dtype.typestr()))?;
    let (data, _): (usize, bool) = array.getattr("__array_interface__")?.get_item("data")?.extract()?;
    Ok((array, data))
}

/// A view of memory that `owner` tells of by its array interface, which it keeps alive.
pub(crate) fn view<'py>(owner: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    asarray(owner.py())?.call1((owner,))
}

/// The array interface of memory.
pub(crate) fn interface<'py>(
    py: Python<'py>,
    address: NonNull<u8>,
    shape: &[usize],
    dtype: DType,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("version", 3)?;
    dict.set_item("typestr", dtype.typestr())?;
    dict.set_item("shape", PyTuple::new(py, shape)?)?;
    dict.set_item("data", (address.as_ptr() as usize, false))?;
    Ok(dict)
}

/// numpy's own type object of a type of elements.
pub(crate) fn dtype_object(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    static CELL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    function(py, &CELL, "dtype")?.call1((dtype.typestr(),))
}
