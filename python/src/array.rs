//! numpy's arrays by their array interface, so that nothing is linked to numpy: arrays that come in, and views that go out.

use std::ptr::NonNull;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict as _, PyDict, PyTuple};

use crate::dtype::{DType, RecordField};
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

impl Input {
    /// Anything that numpy makes an array of; of the type, if one is asked for.
    pub(crate) fn of(data: &Bound<'_, PyAny>, dtype: Option<&Bound<'_, PyAny>>) -> Outcome<Self> {
        let py = data.py();
        // Asked once: shape, type and address are those of one array, whatever `data` gives the next time.
        let keywords = [("order", "C")].into_py_dict(py)?;
        if let Some(dtype) = dtype {
            keywords.set_item("dtype", dtype)?;
        }
        let array = asarray(py)?.call((data,), Some(&keywords))?;
        let interface = array.getattr("__array_interface__")?;
        let shape: Vec<usize> = interface.get_item("shape")?.extract()?;
        let dtype = dtype_of(&array.getattr("dtype")?)?.ok_or_else(|| {
            let names =
                "bool, int8 to int64, uint8 to uint64, float16, float32, float64, or a structured type of these";
            let found = array.getattr("dtype").map(|dtype| dtype.to_string()).unwrap_or_default();
            Fault::Misuse("BadArgument", format!("no valid dtype: `{found}` is not supported; use one of {names}"))
        })?;
        let (data, _): (usize, bool) = interface.get_item("data")?.extract()?;
        Ok(Self { _array: array.unbind(), data, dtype, shape })
    }

    /// As [`of`](Self::of), of a type of ours.
    pub(crate) fn of_type(data: &Bound<'_, PyAny>, dtype: DType) -> Outcome<Self> {
        Self::of(data, Some(&dtype_object(data.py(), dtype)?))
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

/// The type that a numpy type object stands for, if devices have it.
pub(crate) fn dtype_of(dtype: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    let names = dtype.getattr("names")?;
    if names.is_none() {
        return Ok(DType::of_typestr(&dtype.getattr("str")?.extract::<String>()?));
    }
    let (all, mut fields) = (dtype.getattr("fields")?, Vec::new());
    for name in names.extract::<Vec<String>>()? {
        let field = all.get_item(&name)?;
        let (ty, offset) = (field.get_item(0)?, field.get_item(1)?.extract()?);
        let subarray = ty.getattr("subdtype")?;
        let (base, lanes) = match subarray.is_none() {
            true => (ty, Vec::new()),
            false => (subarray.get_item(0)?, subarray.get_item(1)?.extract()?),
        };
        match dtype_of(&base)? {
            Some(dtype) => fields.push(RecordField { name, dtype, lanes, offset }),
            None => return Ok(None),
        }
    }
    let size = dtype.getattr("itemsize")?.extract()?;
    // A type without fields has no bytes.
    Ok((size > 0).then(|| DType::record(size, fields)))
}

/// A new array that is to be filled, and the address of its bytes.
pub(crate) fn empty<'py>(py: Python<'py>, shape: &[usize], dtype: DType) -> PyResult<(Bound<'py, PyAny>, usize)> {
    static CELL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let array = function(py, &CELL, "empty")?.call1((PyTuple::new(py, shape)?, dtype_object(py, dtype)?))?;
    let (data, _): (usize, bool) = array.getattr("__array_interface__")?.get_item("data")?.extract()?;
    Ok((array, data))
}

/// A view of memory that `owner` tells of by its array interface, which it keeps alive.
pub(crate) fn view<'py>(owner: &Bound<'py, PyAny>, dtype: DType) -> PyResult<Bound<'py, PyAny>> {
    let array = asarray(owner.py())?.call1((owner,))?;
    match dtype {
        DType::Record(_) => array.call_method1("view", (dtype_object(owner.py(), dtype)?,)),
        _ => Ok(array),
    }
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
    let make = function(py, &CELL, "dtype")?;
    let DType::Record(record) = dtype else { return make.call1((dtype.typestr(),)) };
    let formats = record.fields.iter().map(|field| {
        let base = dtype_object(py, field.dtype)?;
        match field.lanes.is_empty() {
            true => Ok(base),
            false => make.call1(((base, PyTuple::new(py, &field.lanes)?),)),
        }
    });
    let description = PyDict::new(py);
    description.set_item("names", record.fields.iter().map(|field| &field.name).collect::<Vec<_>>())?;
    description.set_item("formats", formats.collect::<PyResult<Vec<_>>>()?)?;
    description.set_item("offsets", record.fields.iter().map(|field| field.offset).collect::<Vec<_>>())?;
    description.set_item("itemsize", record.size)?;
    make.call1((description,))
}
