//! Errors on their way to Python: `kp.Error`, with a subclass for each variant of the runtime's error.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use gridwise::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

create_exception!(
    gridwise,
    GridwiseError,
    PyRuntimeError,
    "Something that the runtime refuses, or that failed on the device."
);

/// An error, before there is an exception.
#[derive(Debug)]
pub enum Fault {
    /// The runtime's error.
    Runtime(Error),
    /// A use of this package that is wrong, with the exception's name.
    Misuse(&'static str, String),
    /// A `TypeError`.
    Type(String),
    /// A `ValueError`.
    Value(String),
    /// An exception that a call of Python raised.
    Raised(PyErr),
}

/// A result here.
pub type Outcome<T> = Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Runtime(error)
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Runtime(error) => raised(name(&error), error.to_string()),
            Fault::Misuse(name, text) => raised(name, text),
            Fault::Type(text) => PyTypeError::new_err(text),
            Fault::Value(text) => PyValueError::new_err(text),
            Fault::Raised(error) => error,
        }
    }
}

/// A misuse of an object that was destroyed.
pub(crate) fn destroyed(what: &str) -> Fault {
    let text = format!("the {what} was destroyed, or its manager was; make a new one");
    Fault::Misuse("Destroyed", text)
}

fn raised(name: &'static str, text: String) -> PyErr {
    Python::attach(|py| match class(py, name) {
        Ok(class) => PyErr::from_type(class, text),
        Err(error) => error,
    })
}

/// The exception class of a variant, made at its first use.
pub(crate) fn class<'py>(py: Python<'py>, name: &'static str) -> PyResult<Bound<'py, PyType>> {
    static CLASSES: Mutex<Option<HashMap<&'static str, Py<PyType>>>> = Mutex::new(None);
    let find = |classes: &Option<HashMap<&'static str, Py<PyType>>>| {
        classes.as_ref().and_then(|classes| classes.get(name)).map(|class| class.bind(py).clone())
    };
    if let Some(class) = find(&CLASSES.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(class);
    }
    let base = py.get_type::<GridwiseError>();
    let namespace = PyDict::new(py);
    namespace.set_item("__module__", "gridwise")?;
    let made = py.get_type::<PyType>().call1((name, (base,), namespace))?.cast_into::<PyType>()?;
    let mut classes = CLASSES.lock().unwrap_or_else(PoisonError::into_inner);
    // Where two threads made one, the first counts.
    let kept = classes.get_or_insert_default().entry(name).or_insert_with(|| made.unbind());
    Ok(kept.bind(py).clone())
}

/// The names of all exception classes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ["Destroyed", "Forked", "BadArgument"].into_iter().chain(NAMES.iter().copied())
}

macro_rules! variants {
    ($($variant:ident)+) => {
        const NAMES: &[&str] = &[$(stringify!($variant)),+];

        fn name(error: &Error) -> &'static str {
            match error {
                $(Error::$variant { .. } => stringify!($variant),)+
                // The runtime may add errors; a test tells which are missing here.
                _ => "Error",
            }
        }
    };
}

variants! {
    NoDevice DeviceNotSuitable ValidationUnavailable NoSanitizer BadEnvironment BadSubgroupSize OnHostDevice
    OutOfMemory DeviceLost DeviceHung CannotRecover Vulkan QueueUnavailable TooManyQueues NoQueue QueueCannot
    NoTimestamps ForeignTensor LengthMismatch OutOfRange BufferTooLarge Misaligned CannotShare NotShareable
    NotMappable TensorMapped ContentsLost ImageUnsupported ImageExtent ImageLevel ImageMismatch NotATensor
    RowTooShort TensorRebuilt SequenceInFlight Timeout UndeclaredAccess AliasedTensor ForeignAlgorithm
    ForeignEvent HostCallFailed EmptyStream ArgumentMismatch NoAddress InvalidConstant GridTooLarge
    NegativeGrid PartialWorkgroup IndirectGridTooLarge NoCandidates ForeignChoice MissingFeature
    WorkgroupTooLarge PushConstantsTooLarge TooManyBuffers TooManyImages SharedMemoryTooLarge LocalsTooLarge
    PartialSubgroups SubgroupSizeUnavailable MissingSubgroupOperations NoExecutableStatistics GridBeyondTensor GradientGrid KernelPanic
    LoopsStopped DivergentBarrier KernelFaults NoIntermediate InvalidModule ModuleRefused ModuleNeeds
    ConstantMismatch NeedsVulkan NoWorker WorkerDied WorkerRefused
}
