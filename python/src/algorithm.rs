//! Algorithms from SPIR-V as Kompute takes it: tensors by the order of their bindings, constants by position.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use gridwise::descriptor::ImageAccess;
use gridwise::image::Sampler;
use gridwise::reflect::{Interface, ScalarType};
use gridwise::{BindingPlace, Constant, Grid, SpirvAlgorithm, SpirvCode, SpirvDesc};
use half::f16;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::array::Input;
use crate::detached::detached;
use crate::error::{Fault, Outcome, destroyed};
use crate::manager::{Destroy, Owner};
use crate::memory::Cell;
use crate::sampled::{bound, image_and_sampler};

/// A module, its tensors, and what launches of it have unless they say otherwise.
pub(crate) struct AlgorithmCell {
    module: Mutex<Option<SpirvAlgorithm>>,
    /// With the samplers of those that are sampled.
    cells: Vec<(Arc<Cell>, Option<Sampler>)>,
    workgroup: [u32; 3],
    push: Vec<u8>,
    owner: Arc<Owner>,
}

impl AlgorithmCell {
    pub(crate) fn module(&self) -> Outcome<SpirvAlgorithm> {
        self.owner.check()?;
        let module = self.module.lock().unwrap_or_else(PoisonError::into_inner).clone();
        module.ok_or_else(|| destroyed("algorithm"))
    }

    /// How many tensors and images it has.
    pub(crate) fn count(&self) -> usize {
        self.cells.len()
    }

    /// A launch with its own push constants, or with others.
    pub(crate) fn launch(&self, push: Option<&[u8]>) -> Outcome<gridwise::ModuleLaunch> {
        let module = self.module()?;
        let interface = module.interface();
        let mut launch = module.launch(Grid::groups(self.workgroup));
        for Place { place, at, is_sampled } in places(interface) {
            let (cell, sampler) = &self.cells[at];
            let handle = cell.live()?.handle;
            launch = match cell.format {
                Some(format) if is_sampled => (format.bind)(launch, place, &handle, sampler.unwrap_or_default())?,
                _ => launch.bind_handle(place, &handle),
            };
        }
        let push = push.unwrap_or(&self.push);
        // What the module does not declare, it does not read.
        let size = interface.push_constant_size as usize;
        if size > 0 && !push.is_empty() {
            launch = launch.push_bytes(&push[..size.min(push.len())]);
        }
        Ok(launch)
    }

    /// The bytes of push constants that a launch is given; they must be as many as the algorithm's.
    pub(crate) fn push_of(&self, given: &Bound<'_, PyAny>) -> Outcome<Option<Vec<u8>>> {
        let bytes = push_bytes(self.module()?.interface(), given)?;
        match (bytes.len(), self.push.len()) {
            (0, _) => Ok(None),
            (given, own) if given == own || own == 0 => Ok(Some(bytes)),
            (given, own) => {
                let text = format!(
                    "push constants of {given} bytes were given to an algorithm that was made with {own} bytes of them"
                );
                Err(Fault::Misuse("BadArgument", text))
            }
        }
    }
}

impl Drop for AlgorithmCell {
    fn drop(&mut self) {
        if self.owner.is_forked() {
            crate::manager::forget(&mut self.module);
        }
    }
}

impl Destroy for AlgorithmCell {
    fn destroy(&self) {
        if self.owner.is_forked() {
            return;
        }
        let module = self.module.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(module);
    }

    fn is_live(&self) -> bool {
        self.module.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// A binding of a module, and the number of the tensor that it is given.
struct Place {
    place: BindingPlace,
    at: usize,
    is_sampled: bool,
}

/// All bindings of a module. The number of a tensor is the binding's own, or where the module has several sets, its position.
fn places(interface: &Interface) -> Vec<Place> {
    let buffers = interface.buffers.iter().map(|buffer| (buffer.set, buffer.binding, false));
    let images = interface.images.iter();
    let images = images.map(|image| (image.set, image.binding, image.access == ImageAccess::Sample));
    let mut all: Vec<_> = buffers.chain(images).collect();
    all.sort_unstable();
    let has_sets = all.iter().any(|place| place.0 > 0);
    let number = |(at, (set, binding, is_sampled)): (usize, (u32, u32, bool))| Place {
        place: BindingPlace::from((set, binding)),
        at: if has_sets { at } else { binding as usize },
        is_sampled,
    };
    all.into_iter().enumerate().map(number).collect()
}

/// An algorithm: a module of SPIR-V with tensors.
#[pyclass(frozen, module = "kp")]
pub(crate) struct Algorithm {
    pub(crate) cell: Arc<AlgorithmCell>,
    objects: Vec<Py<PyAny>>,
}

impl Algorithm {
    pub(crate) fn make(
        owner: &Arc<Owner>,
        tensors: &Bound<'_, PyAny>,
        spirv: &Bound<'_, PyAny>,
        workgroup: &[u32],
        (constants, push): (Option<&Bound<'_, PyAny>>, Option<&Bound<'_, PyAny>>),
    ) -> Outcome<Self> {
        let py = tensors.py();
        let cells = bound(tensors)?;
        let objects =
            tensors.try_iter()?.map(|item| Ok(image_and_sampler(&item?).0.unbind())).collect::<PyResult<Vec<_>>>()?;
        let bytes = match spirv.cast::<PyBytes>() {
            Ok(bytes) => bytes.as_bytes().to_vec(),
            Err(_) => py
                .get_type::<PyBytes>()
                .call1((spirv,))?
                .cast_into::<PyBytes>()
                .map_err(PyErr::from)?
                .as_bytes()
                .to_vec(),
        };
        let read = || {
            let words = gridwise::reflect::words_of(&bytes)?;
            Interface::read(&words, None).map(|interface| (words, interface))
        };
        let (words, interface) = detached(py, read).map_err(refused)?;
        let constants = constants.map_or_else(|| Ok(Vec::new()), |given| constants_of(&interface, given))?;
        let push = push.map_or_else(|| Ok(Vec::new()), |given| push_bytes(&interface, given))?;
        let places = places(&interface);
        let needed = places.iter().map(|place| place.at + 1).max().unwrap_or(0);
        if needed > cells.len() {
            let text =
                format!("the module has bindings for {needed} tensors and images, and {} were given", cells.len());
            return Err(Fault::Misuse("ArgumentMismatch", text));
        }
        if let Some(place) = places.iter().find(|place| !place.is_sampled && cells[place.at].1.is_some()) {
            let text = format!(
                "number {} of the list is an image with a sampler, and the module samples none there",
                place.at
            );
            return Err(Fault::Misuse("ArgumentMismatch", text));
        }
        let module = detached(py, || load(owner, &words, &constants, &places, &cells))?;
        let workgroup = groups(workgroup, &cells)?;
        let cell =
            Arc::new(AlgorithmCell { module: Mutex::new(Some(module)), cells, workgroup, push, owner: owner.clone() });
        owner.adopt(Arc::downgrade(&cell) as _);
        Ok(Self { cell, objects })
    }
}

fn refused(error: gridwise::reflect::ModuleError) -> Fault {
    let error = gridwise::Error::ModuleRefused { module: "algorithm".to_owned(), cause: error.to_string() };
    Fault::Runtime(error)
}

fn load(
    owner: &Owner,
    words: &[u32],
    constants: &[(u32, Constant)],
    places: &[Place],
    cells: &[(Arc<Cell>, Option<Sampler>)],
) -> Outcome<SpirvAlgorithm> {
    let desc = SpirvDesc { name: "algorithm", code: SpirvCode::Words(words), entry_point: None, constants };
    // SAFETY: the caller vouches for what the module does while it runs, as Kompute's callers do; `kp` says so.
    let module = unsafe { gridwise::Algorithm::from_spirv(&owner.manager()?, &desc) }?;
    let mut seen = HashSet::new();
    let is_repeated = places.iter().any(|place| !seen.insert(Arc::as_ptr(&cells[place.at].0)));
    match is_repeated {
        false => Ok(module),
        // SAFETY: as above.
        true => Ok(unsafe { module.aliasing() }?),
    }
}

/// The number of workgroups along each axis; unasked, one for each element of the first tensor.
fn groups(asked: &[u32], cells: &[(Arc<Cell>, Option<Sampler>)]) -> Outcome<[u32; 3]> {
    let at = |axis: usize| asked.get(axis).copied().unwrap_or(0);
    match (asked.len(), at(0)) {
        (4.., _) => Err(Fault::Value(format!("a workgroup has at most three sizes, not {}", asked.len()))),
        (_, 0) => {
            let len = cells.first().map_or(1, |cell| cell.0.len());
            let len = u32::try_from(len)
                .map_err(|_| Fault::Value("the first tensor is too long for a workgroup each".to_owned()))?;
            Ok([len, 1, 1])
        }
        (_, x) => Ok([x, at(1).max(1), at(2).max(1)]),
    }
}

/// Whether the numbers have no type of their own, so that the module's count.
fn is_untyped(given: &Bound<'_, PyAny>) -> bool {
    given.cast::<PyList>().is_ok() || given.cast::<PyTuple>().is_ok()
}

/// Specialization constants by position. Numbers of a list get the type that the module declares, else `f32`.
fn constants_of(interface: &Interface, given: &Bound<'_, PyAny>) -> Outcome<Vec<(u32, Constant)>> {
    let declared = |number: u32| interface.constants.iter().find(|constant| constant.number == number);
    if is_untyped(given) {
        let numbers = (0u32..).zip(given.try_iter()?);
        return numbers
            .map(|(number, value)| {
                let ty = declared(number).map_or(ScalarType::F32, |constant| constant.ty);
                Ok((number, typed(ty, &value?)?))
            })
            .collect();
    }
    let input = Input::of(given, None)?;
    let chunks = (0u32..).zip(input.bytes().chunks_exact(input.dtype.size()));
    let constants = chunks.map(|(number, bytes)| {
        let misfit = || Fault::Type(format!("constants are numbers, not {}", input.dtype.name()));
        let constant = input.dtype.constant(bytes).ok_or_else(misfit)?;
        // Kompute passes bits: signed and unsigned are alike.
        let constant = match (constant, declared(number).map(|constant| constant.ty)) {
            (Constant::I32(value), Some(ScalarType::U32)) => Constant::U32(value as u32),
            (Constant::U32(value), Some(ScalarType::I32)) => Constant::I32(value as i32),
            (Constant::U32(value), Some(ScalarType::Bool)) => Constant::Bool(value != 0),
            (Constant::I32(value), Some(ScalarType::Bool)) => Constant::Bool(value != 0),
            (constant, _) => constant,
        };
        Ok((number, constant))
    });
    constants.collect()
}

/// A number of Python's as a constant.
fn typed(ty: ScalarType, value: &Bound<'_, PyAny>) -> Outcome<Constant> {
    let int = || match value.extract::<i128>() {
        Ok(value) => Ok(value),
        // `2.0` is an integer, `0.5` is none.
        Err(_) => match value.extract::<f64>() {
            Ok(float) if float.fract() == 0.0 => Ok(float as i128),
            _ => Err(misfit(ty, value)),
        },
    };
    let float = || value.extract::<f64>().map_err(|_| misfit(ty, value));
    macro_rules! int {
        ($ty:ty) => {
            Constant::from(<$ty>::try_from(int()?).map_err(|_| misfit(ty, value))?)
        };
    }
    Ok(match ty {
        ScalarType::Bool => Constant::Bool(value.is_truthy()?),
        ScalarType::I8 => int!(i8),
        ScalarType::I16 => int!(i16),
        ScalarType::I32 => int!(i32),
        ScalarType::I64 => int!(i64),
        ScalarType::U8 => int!(u8),
        ScalarType::U16 => int!(u16),
        ScalarType::U32 => int!(u32),
        ScalarType::U64 => int!(u64),
        ScalarType::F16 => Constant::F16(f16::from_f64(float()?)),
        ScalarType::F32 => Constant::F32(float()? as f32),
        ScalarType::F64 => Constant::F64(float()?),
    })
}

fn misfit(ty: ScalarType, value: &Bound<'_, PyAny>) -> Fault {
    Fault::Type(format!("`{value}` is no `{}`, which the module declares", ty.name()))
}

fn append(constant: Constant, bytes: &mut Vec<u8>) {
    match constant {
        Constant::Bool(value) => bytes.extend(u32::from(value).to_le_bytes()),
        Constant::I8(value) => bytes.extend(value.to_le_bytes()),
        Constant::I16(value) => bytes.extend(value.to_le_bytes()),
        Constant::I32(value) => bytes.extend(value.to_le_bytes()),
        Constant::I64(value) => bytes.extend(value.to_le_bytes()),
        Constant::U8(value) => bytes.extend(value.to_le_bytes()),
        Constant::U16(value) => bytes.extend(value.to_le_bytes()),
        Constant::U32(value) => bytes.extend(value.to_le_bytes()),
        Constant::U64(value) => bytes.extend(value.to_le_bytes()),
        Constant::F16(value) => bytes.extend(value.to_le_bytes()),
        Constant::F32(value) => bytes.extend(value.to_le_bytes()),
        Constant::F64(value) => bytes.extend(value.to_le_bytes()),
    }
}

/// The bytes of push constants. Numbers of a list get the types that the module declares where there are as many, else `f32`.
fn push_bytes(interface: &Interface, given: &Bound<'_, PyAny>) -> Outcome<Vec<u8>> {
    if !is_untyped(given) {
        return Ok(Input::of(given, None)?.bytes().to_vec());
    }
    let numbers = given.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    let fields = &interface.push_constants;
    let slots = || {
        fields.iter().flat_map(|field| {
            let ty = field.ty;
            (0..ty.map_or(0, |ty| ty.count)).filter_map(move |at| {
                let scalar = ty?.scalar;
                Some((field.offset as usize + (at * scalar.size()) as usize, scalar))
            })
        })
    };
    let mut bytes = Vec::new();
    if slots().count() == numbers.len() && fields.iter().all(|field| field.ty.is_some()) {
        for ((offset, ty), number) in slots().zip(&numbers) {
            bytes.resize(offset.max(bytes.len()), 0);
            append(typed(ty, number)?, &mut bytes);
        }
    } else {
        for number in &numbers {
            append(typed(ScalarType::F32, number)?, &mut bytes);
        }
    }
    Ok(bytes)
}

#[pymethods]
impl Algorithm {
    fn __repr__(&self) -> String {
        let [x, y, z] = self.cell.workgroup;
        let state = if self.cell.is_live() { "" } else { ", destroyed" };
        format!("<Algorithm of {} tensors, {x} × {y} × {z} workgroups{state}>", self.cell.count())
    }

    /// The tensors and images that it was made with.
    fn get_mem_objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.objects.iter().map(|object| object.clone_ref(py)))
    }

    /// As `get_mem_objects`, in Kompute 0.9.
    fn get_tensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.get_mem_objects(py)
    }

    /// Whether it was not destroyed.
    fn is_init(&self) -> bool {
        self.cell.is_live()
    }

    /// Lets go of the module. Sequences that recorded it keep it.
    fn destroy(&self, py: Python<'_>) {
        detached(py, || self.cell.destroy());
    }
}
