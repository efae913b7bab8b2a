//! Rust kernels as functions of Python: arguments are checked by the types of the kernel's `dispatch`. It must not know any kernel.

use std::sync::Arc;

use gridwise::{Grid, Sequence};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::detached::detached;
use crate::dtype::DType;
use crate::error::{Fault, Outcome};
use crate::manager::Owner;
use crate::ops::{OpBase, Operation};
use crate::parameter::{Check, ParamType, Slot, check_int};
use crate::sequence::{SLICE, Sequence as PySequence};

/// A kernel with everything that Python needs of it; made by [`module!`](crate::module).
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its descriptor.
    pub descriptor: &'static gridwise::descriptor::KernelDescriptor,
    /// Its parameters.
    pub describe: fn() -> Vec<(ParamType, Check)>,
    /// Records a launch.
    pub record: fn(&Sequence, Grid, &[Slot]) -> Outcome<()>,
}

struct Param {
    name: &'static str,
    ty: ParamType,
    check: Check,
}

// A kernel in Rust, as a function. Documented by `__doc__`, which a description of the class would hide.
#[pyclass(frozen, module = "gridwise")]
pub(crate) struct Kernel {
    name: &'static str,
    entry: Entry,
    params: Vec<Param>,
}

impl Kernel {
    pub(crate) fn new(entry: Entry) -> Self {
        let names = entry.descriptor.params.iter().map(|param| param.name);
        let described = (entry.describe)();
        let params = names.zip(described).map(|(name, (ty, check))| Param { name, ty, check }).collect();
        Self { name: entry.descriptor.name, entry, params }
    }

    /// Its lines in a stub file: with the number of items, or with that of workgroups.
    pub(crate) fn stub(&self) -> String {
        let params: String = self.params.iter().map(|param| format!("{}: {}, ", param.name, param.ty.python)).collect();
        let (name, end) = (self.name, "seq: Sequence | None = None) -> Sequence | None: ...");
        format!("@overload\ndef {name}(grid: Grid, {params}{end}\n@overload\ndef {name}({params}*, groups: Grid, {end}")
    }

    /// The structs of its parameters, by name.
    pub(crate) fn structs(&self) -> impl Iterator<Item = (String, DType)> {
        self.params.iter().filter_map(|param| param.ty.record.clone())
    }

    /// The grid of a call, and how many of the arguments by position it takes.
    fn grid(
        &self,
        args: &Bound<'_, PyTuple>,
        groups: Option<&Bound<'_, PyAny>>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> Outcome<(Grid, usize)> {
        let items = keywords.map(|keywords| keywords.get_item("grid")).transpose()?.flatten();
        match (groups, items) {
            (Some(_), Some(_)) => {
                Err(Fault::Type(format!("{}() got a grid of items and one of groups: give one", self.name)))
            }
            (Some(groups), None) => Ok((Grid::groups(sizes(groups)?), 0)),
            (None, Some(items)) => Ok((Grid::items(sizes(&items)?), 0)),
            (None, None) => match args.iter().next() {
                Some(items) => Ok((Grid::items(sizes(&items)?), 1)),
                None => Err(Fault::Type(format!("{}() lacks a grid: its first argument, or `groups`", self.name))),
            },
        }
    }

    /// The arguments by position, behind those that are none of the kernel's, and by name, checked.
    fn slots(
        &self,
        (args, skipped): (&Bound<'_, PyTuple>, usize),
        keywords: Option<&Bound<'_, PyDict>>,
        seq: &mut Option<Py<PySequence>>,
    ) -> Outcome<Vec<Slot>> {
        let mut given: Vec<Option<Bound<'_, PyAny>>> = vec![None; self.params.len()];
        let count = args.len() - skipped;
        for (at, argument) in args.iter().skip(skipped).enumerate() {
            match given.get_mut(at) {
                Some(slot) => *slot = Some(argument),
                // The sequence may come last.
                None if at == self.params.len() && seq.is_none() => {
                    let sequence = argument.cast::<PySequence>().map_err(|_| self.too_many(count))?;
                    *seq = Some(sequence.clone().unbind());
                }
                None => return Err(self.too_many(count)),
            }
        }
        for (name, argument) in keywords.into_iter().flatten() {
            let name: String = name.extract()?;
            if name == "grid" {
                continue;
            }
            let at = self.params.iter().position(|param| param.name == name);
            let slot = at.and_then(|at| given.get_mut(at));
            match slot {
                Some(slot @ None) => *slot = Some(argument),
                Some(_) => return Err(Fault::Type(format!("{}() got two values for `{name}`", self.name))),
                None => return Err(Fault::Type(format!("{}() has no parameter `{name}`", self.name))),
            }
        }
        let checked = self.params.iter().zip(given).map(|(param, argument)| {
            let argument = argument.ok_or_else(|| Fault::Type(format!("{}() lacks `{}`", self.name, param.name)))?;
            (param.check)(&argument).map_err(|fault| match fault {
                Fault::Type(text) => Fault::Type(format!("{}(), `{}`: {text}", self.name, param.name)),
                Fault::Value(text) => Fault::Value(format!("{}(), `{}`: {text}", self.name, param.name)),
                other => other,
            })
        });
        checked.collect()
    }

    fn too_many(&self, given: usize) -> Fault {
        let text = format!("{}() takes a grid and {} arguments, and got {given}", self.name, self.params.len());
        Fault::Type(text)
    }
}

/// A number, or up to three of them: the sizes of a grid.
fn sizes(grid: &Bound<'_, PyAny>) -> Outcome<[u64; 3]> {
    let of = |size: &Bound<'_, PyAny>| check_int::<u64>(size, "u64, a size of the grid");
    if grid.hasattr("__index__")? {
        return Ok([of(grid)?, 1, 1]);
    }
    let misfit =
        |_: PyErr| Fault::Type(format!("expected a number or a tuple of up to three for the grid, got {grid}"));
    let sizes = grid.try_iter().map_err(misfit)?.map(|size| of(&size?)).collect::<Outcome<Vec<_>>>()?;
    match *sizes.as_slice() {
        [x] => Ok([x, 1, 1]),
        [x, y] => Ok([x, y, 1]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err(Fault::Type(format!("a grid has one to three sizes, not {}", sizes.len()))),
    }
}

/// Records a launch into a sequence of its own, and waits for it. A signal's handler that raises ends the wait.
fn run_at_once(py: Python<'_>, owner: &Owner, record: impl Fn(&Sequence) -> Outcome<()> + Sync) -> PyResult<()> {
    let sequence = owner.spare_sequence()?;
    let begun = detached(py, || {
        record(&sequence)?;
        match owner.is_vulkan() {
            true => Outcome::Ok(Some(sequence.eval_async()?)),
            // The calling thread runs it.
            false => sequence.eval().map(|()| None).map_err(Fault::from),
        }
    });
    let done = begun.map_err(PyErr::from).and_then(|running| {
        let Some(running) = running else { return Ok(()) };
        while !detached(py, || running.wait_timeout(SLICE)).map_err(Fault::from)? {
            py.check_signals()?;
        }
        Ok(())
    });
    // What failed may be half recorded, and what was interrupted runs.
    detached(py, || match (&done, sequence.is_running()) {
        (Ok(()), _) => owner.keep(sequence),
        (Err(_), true) => owner.leave(sequence),
        (Err(_), false) => drop(sequence),
    });
    done
}

#[pymethods]
impl Kernel {
    /// Records a launch into a sequence, and gives that back; without one, runs it at once. The grid is a number of items, or `groups`.
    #[pyo3(signature = (*args, groups=None, seq=None, **keywords))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        groups: Option<&Bound<'_, PyAny>>,
        seq: Option<Py<PySequence>>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<Py<PySequence>>> {
        let mut seq = seq;
        let (grid, skipped) = self.grid(args, groups, keywords)?;
        let (slots, record) = (self.slots((args, skipped), keywords, &mut seq)?, self.entry.record);
        let done = match &seq {
            Some(sequence) => {
                let cell = &sequence.get().cell;
                let launch = Operation::Launch(Arc::new(move |sequence| record(sequence, grid, &slots)));
                detached(py, || cell.record(&launch)).map_err(PyErr::from)
            }
            None => {
                let owner = slots.iter().find_map(Slot::cell).map(|cell| cell.owner().clone());
                let text = || format!("{}() has no tensors to tell the device: give `seq`", self.name);
                let owner = owner.ok_or_else(|| Fault::Type(text()))?;
                run_at_once(py, &owner, |sequence| record(sequence, grid, &slots))
            }
        };
        crate::logs::flush(py);
        done?;
        Ok(seq)
    }

    /// The launch as an operation, for `Sequence.record` and `eval`.
    #[pyo3(signature = (*args, groups=None, **keywords))]
    fn op(
        &self,
        args: &Bound<'_, PyTuple>,
        groups: Option<&Bound<'_, PyAny>>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<OpBase> {
        let (grid, skipped) = self.grid(args, groups, keywords)?;
        let (slots, record) = (self.slots((args, skipped), keywords, &mut None)?, self.entry.record);
        Ok(OpBase { operation: Operation::Launch(Arc::new(move |sequence| record(sequence, grid, &slots))) })
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.name
    }

    #[getter]
    fn __doc__(&self) -> String {
        let params: String = self.params.iter().map(|param| format!(", {}: {}", param.name, param.ty.rust)).collect();
        let site = self.entry.descriptor.location;
        format!(
            "{}(grid{params}, seq=None)\n\nThe Rust kernel at {}:{}. `grid` is a number of items, or a tuple of up to three; \
             in its place, `groups=` gives numbers of workgroups.",
            self.name, site.file, site.line
        )
    }

    /// Its parameters, with their types in Rust.
    #[getter]
    fn __annotations__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        self.params.iter().try_for_each(|param| dict.set_item(param.name, &param.ty.rust))?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        format!("<kernel {}>", self.name)
    }
}
