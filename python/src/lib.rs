//! gridwise in Python: Kompute's classes, and Rust kernels as functions.
//!
//! ```ignore
//! use gridwise::prelude::*;
//!
//! #[kernel(workgroup = 256)]
//! fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_id().x;
//!     y[i] = a * x[i] + y[i];
//! }
//!
//! gridwise_python::module! {
//!     /// My kernels.
//!     mod my_kernels { Saxpy }
//! }
//! ```
//!
//! From Python, `my_kernels.saxpy(len(y), 3.0, x, y)` runs it on tensors of `my_kernels.Manager`. The crate is a `cdylib`, which maturin
//! makes a wheel of; `python/template` is such a project.

mod algorithm;
mod array;
mod detached;
mod dtype;
mod error;
mod formats;
mod kernel;
mod logs;
mod manager;
mod memory;
mod ops;
mod parameter;
mod sampled;
mod sequence;
mod structs;
mod waiting;

use std::sync::atomic::{AtomicI64, Ordering};

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

pub use dtype::{DType, RecordField};
pub use parameter::{Element, ParamType, Parameter};
pub use {gridwise, pyo3};

/// The expansion of `module!`. Not part of the interface.
#[doc(hidden)]
pub mod __private {
    use gridwise::{Grid, Sequence};
    use pyo3::prelude::*;

    use crate::error::Fault;
    pub use crate::error::Outcome;
    pub use crate::kernel::Entry;
    use crate::parameter::Dispatch;
    pub use crate::parameter::{Check, ParamType, Slot};
    pub use crate::structs::{check, describe_value, value};

    /// The parameters of a `dispatch`.
    pub fn describe<'a, P, F: Dispatch<'a, P>>(dispatch: F) -> Vec<(ParamType, Check)> {
        dispatch.describe()
    }

    /// The values that a launch borrows.
    pub fn hold<'a, P, F: Dispatch<'a, P>>(dispatch: F, slots: &[Slot]) -> Result<F::Held, Fault> {
        dispatch.hold(slots)
    }

    /// Records a launch.
    pub fn call<'a, P, F: Dispatch<'a, P>>(
        dispatch: F,
        sequence: &'a Sequence,
        grid: Grid,
        held: &'a mut F::Held,
    ) -> Result<(), Fault> {
        dispatch.call(sequence, grid, held)
    }

    /// Adds the classes and the kernels to a module.
    pub fn fill(module: &Bound<'_, PyModule>, kernels: Vec<Entry>) -> PyResult<()> {
        crate::fill(module, kernels)
    }
}

/// A Python module with gridwise's classes, and with kernels as functions.
///
/// The module is `mod`'s name, which is to be that of the library. Kernels are named as their dispatch types, `Saxpy`, with values for const
/// parameters, `Blur<8>`. In Python they have the names of their functions.
#[macro_export]
macro_rules! module {
    ($(#[$doc:meta])* mod $name:ident { $($kernel:ty),* $(,)? }) => {
        $(#[$doc])*
        #[$crate::pyo3::pymodule(gil_used = false)]
        #[pyo3(crate = "::gridwise_python::pyo3")]
        fn $name(module: &$crate::pyo3::Bound<'_, $crate::pyo3::types::PyModule>) -> $crate::pyo3::PyResult<()> {
            $crate::__private::fill(module, ::std::vec![$($crate::__private::Entry {
                descriptor: <$kernel as $crate::gridwise::Kernel>::DESCRIPTOR,
                describe: || $crate::__private::describe(<$kernel>::__dispatch),
                record: |sequence, grid, slots| {
                    let mut held = $crate::__private::hold(<$kernel>::__dispatch, slots)?;
                    $crate::__private::call(<$kernel>::__dispatch, sequence, grid, &mut held)
                },
            }),*])
        }
    };
}

/// The module's enumerations, made by Python.
const ENUMS: &std::ffi::CStr = c"
import enum

class DataTypes(enum.Enum):
    bool = 0
    int = 1
    uint = 2
    float = 3
    double = 4
    custom = 5
    short = 6
    ushort = 7
    char = 8
    uchar = 9

class MemoryTypes(enum.Enum):
    device = 0
    host = 1
    storage = 2
    deviceAndHost = 3
";

/// The enumerations, by name.
fn enums(py: Python<'_>) -> PyResult<Enums<'_>> {
    static CELL: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let namespace = CELL.get_or_try_init(py, || {
        let namespace = PyDict::new(py);
        namespace.set_item("__name__", "kp")?;
        py.run(ENUMS, Some(&namespace), None)?;
        PyResult::Ok(namespace.unbind())
    })?;
    Ok(Enums(namespace.bind(py).clone()))
}

struct Enums<'py>(Bound<'py, PyDict>);

impl<'py> Enums<'py> {
    fn getattr(&self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.0.as_any().get_item(name)
    }
}

/// Classes are objects of one interpreter. Before 3.12, Python does not ask whether a module allows others.
fn refuse_subinterpreters() -> PyResult<()> {
    static FIRST: AtomicI64 = AtomicI64::new(-1);
    // SAFETY: both only look at the calling thread's interpreter, to which it is attached.
    let id = unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) };
    match FIRST.compare_exchange(-1, id, Ordering::Relaxed, Ordering::Relaxed) {
        Err(first) if first != id => {
            Err(PyImportError::new_err("gridwise does not support subinterpreters: import it in one interpreter only"))
        }
        _ => Ok(()),
    }
}

fn fill(module: &Bound<'_, PyModule>, kernels: Vec<kernel::Entry>) -> PyResult<()> {
    let py = module.py();
    refuse_subinterpreters()?;
    let name = module.name()?.to_string();
    // The package's own module shows its classes in `gridwise` and `kp`.
    let is_package = name.ends_with("_native");
    error::belong_to(if is_package { "gridwise" } else { &name });
    logs::listen();
    detached::wait_at_exit(module)?;
    module.add_class::<manager::Manager>()?;
    module.add_class::<memory::Memory>()?;
    module.add_class::<memory::Tensor>()?;
    module.add_class::<memory::Image>()?;
    module.add_class::<sampled::SampledImage>()?;
    module.add_class::<algorithm::Algorithm>()?;
    module.add_class::<sequence::Sequence>()?;
    module.add_class::<kernel::Kernel>()?;
    module.add_class::<ops::OpBase>()?;
    module.add_class::<ops::SyncDevice>()?;
    module.add_class::<ops::SyncLocal>()?;
    module.add_class::<ops::Copy>()?;
    module.add_class::<ops::Dispatch>()?;
    module.add_class::<ops::Multiply>()?;
    let enums = enums(py)?;
    for class in ["DataTypes", "MemoryTypes"] {
        let class_object = enums.getattr(class)?;
        class_object.setattr("__module__", if is_package { "kp" } else { &name })?;
        module.add(class, class_object)?;
    }
    module.add("Error", error::base(py)?)?;
    let errors = PyDict::new(py);
    for name in error::names() {
        errors.set_item(name, error::class(py, name)?)?;
        if !is_package {
            module.add(name, error::class(py, name)?)?;
        }
    }
    module.add("errors", errors)?;
    let mut stubs = String::new();
    for entry in kernels {
        let kernel = kernel::Kernel::new(entry);
        for (name, dtype) in kernel.structs() {
            module.add(name, array::dtype_object(py, dtype)?)?;
        }
        stubs.push_str(&kernel.stub());
        stubs.push('\n');
        module.add(entry.descriptor.name, Py::new(py, kernel)?)?;
    }
    module.add("__stubs__", stubs)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
