//! Kompute's operations: what each records, from tensors that are looked up when it is recorded.

use std::fmt;
use std::sync::Arc;

use gridwise::ops::{OpCopyImage, OpMultiply, OpSyncDevice, OpSyncHost, Recorder};
use gridwise::{Sequence, TensorRef};
use pyo3::prelude::*;

use crate::algorithm::{Algorithm, AlgorithmCell};
use crate::error::{Fault, Outcome};
use crate::memory::{Cell, cells};

/// An operation, to be recorded any number of times.
#[derive(Clone)]
pub(crate) enum Operation {
    SyncDevice(Vec<Arc<Cell>>),
    SyncLocal(Vec<Arc<Cell>>),
    Copy(Vec<Arc<Cell>>),
    Dispatch { algorithm: Arc<AlgorithmCell>, push: Option<Vec<u8>> },
    Multiply([Arc<Cell>; 3]),
    Launch(Record),
}

/// Records a launch of a kernel.
pub(crate) type Record = Arc<dyn Fn(&Sequence) -> Outcome<()> + Send + Sync>;

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SyncDevice(_) => "OpSyncDevice",
            Self::SyncLocal(_) => "OpSyncLocal",
            Self::Copy(_) => "OpCopy",
            Self::Dispatch { .. } => "OpAlgoDispatch",
            Self::Multiply(_) => "OpMult",
            Self::Launch(_) => "OpKernel",
        })
    }
}

impl Operation {
    pub(crate) fn record(&self, sequence: &Sequence) -> Outcome<()> {
        match self {
            Self::SyncDevice(cells) => sequence.record(OpSyncDevice::all(transferred(cells)?)).map(drop)?,
            Self::SyncLocal(cells) => sequence.record(OpSyncHost::all(transferred(cells)?)).map(drop)?,
            Self::Copy(cells) => record_copies(sequence, cells)?,
            Self::Dispatch { algorithm, push } => sequence.record(algorithm.launch(push.as_deref())?).map(drop)?,
            Self::Multiply([x, y, product]) => {
                let [x, y, mut product] =
                    [x, y, product].map(|cell| Outcome::Ok(cell.live()?.handle.typed::<f32>()?)).transpose()?;
                sequence.record(OpMultiply::new(&x, &y, &mut product)).map(drop)?;
            }
            Self::Launch(record) => record(sequence)?,
        }
        Ok(())
    }
}

/// `[Result; N]` as `Result<[_; N]>`.
trait Transpose<T, const N: usize> {
    fn transpose(self) -> Outcome<[T; N]>;
}

impl<T> Transpose<T, 3> for [Outcome<T>; 3] {
    fn transpose(self) -> Outcome<[T; 3]> {
        let [a, b, c] = self;
        Ok([a?, b?, c?])
    }
}

/// The handles of what is transferred: where host and device have the same memory, nothing is.
fn transferred(cells: &[Arc<Cell>]) -> Outcome<Vec<TensorRef>> {
    cells.iter().filter(|cell| cell.is_transferred()).map(|cell| cell.for_transfer()).collect()
}

/// Copies of the first to all others.
fn record_copies(sequence: &Sequence, cells: &[Arc<Cell>]) -> Outcome<()> {
    let handles = cells.iter().map(|cell| Ok(cell.live()?.handle)).collect::<Outcome<Vec<_>>>()?;
    let Some((from, rest)) = handles.split_first() else { return Ok(()) };
    sequence.record(CopyToAll { from: from.clone(), to: rest.to_vec() })?;
    Ok(())
}

/// One operation of several copies.
struct CopyToAll {
    from: TensorRef,
    to: Vec<TensorRef>,
}

impl gridwise::Op for CopyToAll {
    fn name(&self) -> &str {
        "copy"
    }

    fn accesses(&self) -> Vec<gridwise::ops::Access> {
        use gridwise::ops::Access;
        let written = self.to.iter().map(|to| Access::write(to.clone()));
        std::iter::once(Access::read(self.from.clone())).chain(written).collect()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> gridwise::Result<()> {
        self.to.iter().try_for_each(|to| OpCopyImage::of_handles(&self.from, to).record(recorder))
    }
}

/// An operation, as Python sees it.
#[pyclass(frozen, subclass, module = "kp")]
pub(crate) struct OpBase {
    pub(crate) operation: Operation,
}

#[pymethods]
impl OpBase {
    fn __repr__(&self) -> String {
        let tensors = match &self.operation {
            Operation::SyncDevice(cells) | Operation::SyncLocal(cells) | Operation::Copy(cells) => cells.len(),
            Operation::Dispatch { algorithm, .. } => algorithm.count(),
            Operation::Multiply(cells) => cells.len(),
            Operation::Launch(_) => return format!("<{:?}>", self.operation),
        };
        format!("<{:?} of {tensors} tensors>", self.operation)
    }
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $shown:literal ($($param:ident: $ty:ty),+) $(= $signature:tt)? |$($arg:ident),+| $make:expr;)+) => {$(
        $(#[$doc])*
        #[pyclass(frozen, extends = OpBase, module = "kp", name = $shown)]
        pub(crate) struct $name;

        #[pymethods]
        impl $name {
            #[new]
            $(#[pyo3(signature = $signature)])?
            fn new($($param: $ty),+) -> PyResult<PyClassInitializer<Self>> {
                let make = |$($arg: $ty),+| -> Outcome<Operation> { $make };
                let operation = make($($param),+)?;
                Ok(PyClassInitializer::from(OpBase { operation }).add_subclass(Self))
            }
        }
    )+};
}

operations! {
    /// Transfers host-side copies to the device.
    SyncDevice = "OpSyncDevice" (tensors: &Bound<'_, PyAny>) |tensors| Ok(Operation::SyncDevice(at_least(tensors, 1, "OpSyncDevice")?));
    /// Transfers what the device has to the host-side copies.
    SyncLocal = "OpSyncLocal" (tensors: &Bound<'_, PyAny>) |tensors| Ok(Operation::SyncLocal(at_least(tensors, 1, "OpSyncLocal")?));
    /// Copies the first tensor or image to all others, on the device.
    Copy = "OpCopy" (tensors: &Bound<'_, PyAny>) |tensors| Ok(Operation::Copy(at_least(tensors, 2, "OpCopy")?));
    /// Launches an algorithm, with its own push constants or others.
    Dispatch = "OpAlgoDispatch" (algorithm: &Bound<'_, Algorithm>, push_consts: Option<&Bound<'_, PyAny>>) = (algorithm, push_consts=None)
        |algorithm, push_consts| {
            let cell = algorithm.get().cell.clone();
            let push = match push_consts {
                Some(push) => cell.push_of(push)?,
                None => None,
            };
            Ok(Operation::Dispatch { algorithm: cell, push })
        };
    /// Multiplies the first tensor by the second into the third, element by element.
    Multiply = "OpMult" (tensors: &Bound<'_, PyAny>, algorithm: Option<&Bound<'_, Algorithm>>) = (tensors, algorithm=None)
        |tensors, algorithm| {
            // Kompute makes the algorithm anew; here it is not needed.
            let _ = algorithm;
            let cells = cells(tensors)?;
            let count = cells.len();
            let cells: [Arc<Cell>; 3] = cells.try_into().map_err(|_| {
                Fault::Misuse("BadArgument", format!("OpMult expected 3 tensors and got {count}"))
            })?;
            match cells.iter().find(|cell| cell.dtype != crate::dtype::DType::F32 || cell.is_image()) {
                Some(other) => Err(Fault::Type(format!("OpMult multiplies tensors of float32, not of {}", other.dtype.name()))),
                None => Ok(Operation::Multiply(cells)),
            }
        };
}

fn at_least(tensors: &Bound<'_, PyAny>, count: usize, operation: &str) -> Outcome<Vec<Arc<Cell>>> {
    let cells = cells(tensors)?;
    if cells.len() < count {
        let text = format!("{operation} called with {} tensors; it needs at least {count}", cells.len());
        return Err(Fault::Misuse("BadArgument", text));
    }
    Ok(cells)
}
