//! Errors on their way to Python: `kp.Error`, with a subclass for each variant of the runtime's error.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use gridwise::Error;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

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

/// The module that has the classes as attributes, where pickle finds them.
static HOME: OnceLock<String> = OnceLock::new();

/// Says which module the classes belong to, before any is made.
pub(crate) fn belong_to(module: &str) {
    // A module that is loaded again has the classes that it had.
    let _ = HOME.set(module.to_owned());
}

fn make(py: Python<'_>, name: &str, base: &Bound<'_, PyType>, doc: &str) -> PyResult<Py<PyType>> {
    let namespace = PyDict::new(py);
    namespace.set_item("__module__", HOME.get().map_or("gridwise", String::as_str))?;
    namespace.set_item("__doc__", doc)?;
    Ok(py.get_type::<PyType>().call1((name, (base,), namespace))?.cast_into::<PyType>()?.unbind())
}

/// The class of all errors.
pub(crate) fn base(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let doc = "Something that the runtime refuses, or that failed on the device.";
    let class = CLASS.get_or_try_init(py, || make(py, "Error", &py.get_type::<PyRuntimeError>(), doc))?;
    Ok(class.bind(py))
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
    if name == "Error" {
        return base(py).cloned();
    }
    let made = make(py, name, base(py)?, &format!("The runtime's error `{name}`."))?;
    let mut classes = CLASSES.lock().unwrap_or_else(PoisonError::into_inner);
    // Where two threads made one, the first counts.
    let kept = classes.get_or_insert_default().entry(name).or_insert(made);
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
    PartialSubgroups SubgroupSizeUnavailable MissingSubgroupOperations NoExecutableStatistics GridBeyondTensor
    NotDistinct NotOffsets MayRace GradientGrid KernelPanic LoopsStopped DivergentBarrier KernelFaults NoIntermediate InvalidModule ModuleRefused ModuleNeeds
    ConstantMismatch NeedsVulkan NoWorker WorkerDied WorkerRefused Recording
}
