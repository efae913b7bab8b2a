//! Rust kernels as functions of Python: arguments are checked by the types of the kernel's `dispatch`. It must not know any kernel.

use std::sync::Arc;

use gridwise::glam::{IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, Quat, UVec2, UVec3, UVec4, Vec2, Vec3, Vec4};
use gridwise::half::f16;
use gridwise::image::{Dimension, Format};
use gridwise::{Grid, Plain, Sequence, Tensor, TensorRef};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::dtype::DType;
use crate::error::{Fault, Outcome};
use crate::memory::{Cell, Memory};
use crate::ops::{OpBase, Operation};
use crate::sequence::Sequence as PySequence;

/// An element of a tensor that kernels get from Python.
pub trait Element: Plain {
    /// Its name in Rust.
    const NAME: &'static str;
    /// The numbers in it.
    const DTYPE: DType;
    /// How many there are along each axis.
    const LANES: &'static [usize];
}

macro_rules! elements {
    ($($ty:ty = $name:literal, $dtype:ident, $lanes:expr;)+) => {
        $(impl Element for $ty {
            const NAME: &'static str = $name;
            const DTYPE: DType = DType::$dtype;
            const LANES: &'static [usize] = &$lanes;
        })+
    };
}

elements! {
    i8 = "i8", I8, []; i16 = "i16", I16, []; i32 = "i32", I32, []; i64 = "i64", I64, [];
    u8 = "u8", U8, []; u16 = "u16", U16, []; u32 = "u32", U32, []; u64 = "u64", U64, [];
    f16 = "f16", F16, []; f32 = "f32", F32, []; f64 = "f64", F64, [];
    Vec2 = "Vec2", F32, [2]; Vec3 = "Vec3", F32, [3]; Vec4 = "Vec4", F32, [4];
    IVec2 = "IVec2", I32, [2]; IVec3 = "IVec3", I32, [3]; IVec4 = "IVec4", I32, [4];
    UVec2 = "UVec2", U32, [2]; UVec3 = "UVec3", U32, [3]; UVec4 = "UVec4", U32, [4];
    Quat = "Quat", F32, [4]; Mat2 = "Mat2", F32, [2, 2]; Mat3 = "Mat3", F32, [3, 3]; Mat4 = "Mat4", F32, [4, 4];
}

/// The type of a kernel's parameter, by its names.
#[derive(Debug, Clone)]
pub struct ParamType {
    /// The type in Rust.
    pub rust: String,
    /// The type in Python's stubs.
    pub python: &'static str,
}

/// A checked argument.
#[derive(Debug, Clone)]
pub struct Slot(Given);

#[derive(Debug, Clone)]
enum Given {
    Memory(Arc<Cell>),
    /// The bytes of a value.
    Value(Vec<u8>),
}

impl Slot {
    fn cell(&self) -> Option<&Arc<Cell>> {
        match &self.0 {
            Given::Memory(cell) => Some(cell),
            Given::Value(_) => None,
        }
    }

    fn handle(&self) -> Outcome<TensorRef> {
        match &self.0 {
            Given::Memory(cell) => Ok(cell.live()?.handle),
            Given::Value(_) => Err(Fault::Type("a value where a tensor belongs".to_owned())),
        }
    }

    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Given::Value(bytes) => bytes,
            Given::Memory(_) => &[],
        }
    }
}

/// A parameter type of a kernel's `dispatch`, as Python's arguments become it.
pub trait Parameter<'a>: Sized {
    /// The value that the parameter borrows while a launch is recorded.
    type Held: 'a;

    /// Its names.
    fn describe() -> ParamType;

    /// Takes an argument, or says why it does not fit.
    #[doc(hidden)]
    fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot>;

    #[doc(hidden)]
    fn hold(slot: &Slot) -> Outcome<Self::Held>;

    #[doc(hidden)]
    fn borrow(held: &'a mut Self::Held) -> Self;
}

fn check_tensor<T: Element>(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
    let expected = || format!("a tensor of {}", shown::<T>());
    let Ok(memory) = argument.cast::<Memory>() else {
        return Err(Fault::Type(format!("expected {}, got {}", expected(), argument.get_type())));
    };
    let cell = memory.get().cell.clone();
    let lanes: usize = T::LANES.iter().product();
    // A flat tensor has the numbers of one element after another.
    let has_lanes = cell.shape.ends_with(T::LANES) || cell.shape.len() == 1 && cell.len() % lanes == 0;
    if cell.is_image() || cell.dtype != T::DTYPE || !has_lanes {
        let what = if cell.is_image() { "an image" } else { "a tensor" };
        let found = format!("{what} of {} with shape {:?}", cell.dtype.name(), cell.shape);
        return Err(Fault::Type(format!("expected {}, got {found}", expected())));
    }
    Ok(Slot(Given::Memory(cell)))
}

fn shown<T: Element>() -> String {
    match T::LANES {
        [] => T::DTYPE.name().to_owned(),
        lanes => format!("{} with shape (…, {}), for `{}`", T::DTYPE.name(), join(lanes), T::NAME),
    }
}

fn join(lanes: &[usize]) -> String {
    lanes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

impl<'a, T: Element> Parameter<'a> for &'a Tensor<T> {
    type Held = Tensor<T>;

    fn describe() -> ParamType {
        ParamType { rust: format!("&[{}]", T::NAME), python: "Tensor" }
    }

    fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
        check_tensor::<T>(argument)
    }

    fn hold(slot: &Slot) -> Outcome<Tensor<T>> {
        Ok(slot.handle()?.typed()?)
    }

    fn borrow(held: &'a mut Tensor<T>) -> Self {
        held
    }
}

impl<'a, T: Element> Parameter<'a> for &'a mut Tensor<T> {
    type Held = Tensor<T>;

    fn describe() -> ParamType {
        ParamType { rust: format!("&mut [{}]", T::NAME), python: "Tensor" }
    }

    fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
        check_tensor::<T>(argument)
    }

    fn hold(slot: &Slot) -> Outcome<Tensor<T>> {
        Ok(slot.handle()?.typed()?)
    }

    fn borrow(held: &'a mut Tensor<T>) -> Self {
        held
    }
}

fn check_image(argument: &Bound<'_, PyAny>, rust: &str) -> Outcome<Slot> {
    match argument.cast::<Memory>() {
        Ok(memory) if memory.get().cell.is_image() => Ok(Slot(Given::Memory(memory.get().cell.clone()))),
        _ => Err(Fault::Type(format!("expected an image for `{rust}`, got {argument}"))),
    }
}

macro_rules! images {
    ($($ty:ty, $how:literal;)+) => {$(
        impl<'a, F: Format, const D: usize> Parameter<'a> for $ty
        where
            gridwise::image::Image<F, D>: Dimension,
        {
            type Held = gridwise::image::Image<F, D>;

            fn describe() -> ParamType {
                ParamType { rust: format!("{}Image{D}D<{:?}>", $how, F::FORMAT), python: "Image" }
            }

            fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
                check_image(argument, &Self::describe().rust)
            }

            fn hold(slot: &Slot) -> Outcome<Self::Held> {
                Ok(slot.handle()?.image()?)
            }

            fn borrow(held: &'a mut Self::Held) -> Self {
                held
            }
        }
    )+};
}

images! {
    &'a gridwise::image::Image<F, D>, "&";
    &'a mut gridwise::image::Image<F, D>, "&mut ";
}

fn check_int<T: TryFrom<i128>>(argument: &Bound<'_, PyAny>, name: &str) -> Outcome<T> {
    // numpy's integers are indices, too; floats are not.
    let index = argument.call_method0("__index__");
    let wide: i128 = match index {
        Ok(index) => index.extract().map_err(|_| Fault::Value(format!("{argument} does not fit into `{name}`")))?,
        Err(_) => return Err(Fault::Type(format!("expected an integer for `{name}`, got {}", argument.get_type()))),
    };
    T::try_from(wide).map_err(|_| Fault::Value(format!("{argument} does not fit into `{name}`")))
}

fn check_float(argument: &Bound<'_, PyAny>, name: &str) -> Outcome<f64> {
    argument.extract().map_err(|_| Fault::Type(format!("expected a number for `{name}`, got {}", argument.get_type())))
}

macro_rules! values {
    ($($ty:ty: $python:literal, |$argument:ident| $check:expr;)+) => {$(
        impl<'a> Parameter<'a> for $ty {
            type Held = $ty;

            fn describe() -> ParamType {
                ParamType { rust: stringify!($ty).to_owned(), python: $python }
            }

            fn check($argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
                let value: $ty = $check;
                Ok(Slot(Given::Value(value.to_le_bytes().to_vec())))
            }

            fn hold(slot: &Slot) -> Outcome<$ty> {
                let mut bytes = [0; size_of::<$ty>()];
                bytes.copy_from_slice(slot.bytes());
                Ok(<$ty>::from_le_bytes(bytes))
            }

            fn borrow(held: &'a mut $ty) -> Self {
                *held
            }
        }
    )+};
}

values! {
    i8: "int", |argument| check_int(argument, "i8")?;
    i16: "int", |argument| check_int(argument, "i16")?;
    i32: "int", |argument| check_int(argument, "i32")?;
    i64: "int", |argument| check_int(argument, "i64")?;
    u8: "int", |argument| check_int(argument, "u8")?;
    u16: "int", |argument| check_int(argument, "u16")?;
    u32: "int", |argument| check_int(argument, "u32")?;
    u64: "int", |argument| check_int(argument, "u64")?;
    f16: "float", |argument| f16::from_f64(check_float(argument, "f16")?);
    f32: "float", |argument| check_float(argument, "f32")? as f32;
    f64: "float", |argument| check_float(argument, "f64")?;
}

impl<'a> Parameter<'a> for bool {
    type Held = bool;

    fn describe() -> ParamType {
        ParamType { rust: "bool".to_owned(), python: "bool" }
    }

    fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
        let value: bool =
            argument.extract().map_err(|_| Fault::Type(format!("expected a bool, got {}", argument.get_type())))?;
        Ok(Slot(Given::Value(vec![value.into()])))
    }

    fn hold(slot: &Slot) -> Outcome<bool> {
        Ok(slot.bytes() != [0])
    }

    fn borrow(held: &'a mut bool) -> Self {
        *held
    }
}

macro_rules! vectors {
    ($($ty:ty: $element:ident, $count:literal;)+) => {$(
        impl<'a> Parameter<'a> for $ty {
            type Held = $ty;

            fn describe() -> ParamType {
                ParamType { rust: stringify!($ty).to_owned(), python: "Sequence[float]" }
            }

            fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
                let misfit = || Fault::Type(format!("expected {} numbers for `{}`", $count, stringify!($ty)));
                let mut bytes = Vec::new();
                for item in argument.try_iter().map_err(|_| misfit())? {
                    bytes.extend_from_slice(<$element as Parameter<'_>>::check(&item?)?.bytes());
                }
                if bytes.len() != size_of::<[$element; $count]>() {
                    return Err(misfit());
                }
                Ok(Slot(Given::Value(bytes)))
            }

            fn hold(slot: &Slot) -> Outcome<$ty> {
                let mut elements = [<$element>::default(); $count];
                for (element, bytes) in elements.iter_mut().zip(slot.bytes().chunks_exact(size_of::<$element>())) {
                    let mut word = [0; size_of::<$element>()];
                    word.copy_from_slice(bytes);
                    *element = <$element>::from_le_bytes(word);
                }
                Ok(<$ty>::from_array(elements))
            }

            fn borrow(held: &'a mut $ty) -> Self {
                *held
            }
        }
    )+};
}

vectors! {
    Vec2: f32, 2; Vec3: f32, 3; Vec4: f32, 4; Quat: f32, 4;
    IVec2: i32, 2; IVec3: i32, 3; IVec4: i32, 4;
    UVec2: u32, 2; UVec3: u32, 3; UVec4: u32, 4;
}

/// The `dispatch` of a kernel, by the tuple of its parameters.
pub trait Dispatch<'a, Parameters>: Copy {
    #[doc(hidden)]
    type Held;

    #[doc(hidden)]
    fn describe(self) -> Vec<(ParamType, Check)>;

    #[doc(hidden)]
    fn hold(self, slots: &[Slot]) -> Outcome<Self::Held>;

    #[doc(hidden)]
    fn call(self, sequence: &'a Sequence, grid: Grid, held: &'a mut Self::Held) -> Outcome<()>;
}

/// The check of an argument.
pub type Check = fn(&Bound<'_, PyAny>) -> Outcome<Slot>;

macro_rules! dispatches {
    ($(($($parameter:ident)*))+) => {$(
        impl<'a, F, $($parameter),*> Dispatch<'a, ($($parameter,)*)> for F
        where
            F: Copy + Fn(&'a Sequence, Grid, $($parameter),*) -> gridwise::Result<&'a Sequence>,
            $($parameter: Parameter<'a>,)*
        {
            type Held = ($($parameter::Held,)*);

            fn describe(self) -> Vec<(ParamType, Check)> {
                vec![$(($parameter::describe(), |argument: &Bound<'_, PyAny>| $parameter::check(argument))),*]
            }

            #[allow(unused_variables, unused_mut, clippy::unused_unit)]
            fn hold(self, slots: &[Slot]) -> Outcome<Self::Held> {
                let mut slots = slots.iter();
                let mut next = || slots.next().ok_or_else(|| Fault::Type("too few arguments".to_owned()));
                Ok(($($parameter::hold(next()?)?,)*))
            }

            #[allow(non_snake_case)]
            fn call(self, sequence: &'a Sequence, grid: Grid, held: &'a mut Self::Held) -> Outcome<()> {
                let ($($parameter,)*) = held;
                self(sequence, grid, $($parameter::borrow($parameter)),*)?;
                Ok(())
            }
        }
    )+};
}

dispatches! {
    () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E G) (A B C D E G H) (A B C D E G H I) (A B C D E G H I J)
    (A B C D E G H I J K) (A B C D E G H I J K L) (A B C D E G H I J K L M)
}

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

    /// Its line in a stub file.
    pub(crate) fn stub(&self) -> String {
        let params: String = self.params.iter().map(|param| format!(", {}: {}", param.name, param.ty.python)).collect();
        format!("def {}(grid: Grid{params}, seq: Sequence | None = None) -> Sequence | None: ...", self.name)
    }

    /// The arguments by position and by name, checked.
    fn slots(
        &self,
        args: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
        seq: &mut Option<Py<PySequence>>,
    ) -> Outcome<Vec<Slot>> {
        let mut given: Vec<Option<Bound<'_, PyAny>>> = vec![None; self.params.len()];
        for (at, argument) in args.iter().enumerate() {
            match given.get_mut(at) {
                Some(slot) => *slot = Some(argument),
                // The sequence may come last.
                None if at == self.params.len() && seq.is_none() => {
                    let sequence = argument.cast::<PySequence>().map_err(|_| self.too_many(args.len()))?;
                    *seq = Some(sequence.clone().unbind());
                }
                None => return Err(self.too_many(args.len())),
            }
        }
        for (name, argument) in keywords.into_iter().flatten() {
            let name: String = name.extract()?;
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

/// A number of items, or a tuple of up to three.
fn grid_of(grid: &Bound<'_, PyAny>) -> Outcome<Grid> {
    let misfit = |_: PyErr| {
        Fault::Type(format!("expected a number of items or a tuple of up to three for the grid, got {grid}"))
    };
    if let Ok(items) = grid.extract::<u64>() {
        return Ok(Grid::items(items));
    }
    let sizes: Vec<u64> = grid.extract().map_err(misfit)?;
    match *sizes.as_slice() {
        [x] => Ok(Grid::items(x)),
        [x, y] => Ok(Grid::items([x, y])),
        [x, y, z] => Ok(Grid::items([x, y, z])),
        _ => Err(Fault::Type(format!("a grid has one to three sizes, not {}", sizes.len()))),
    }
}

#[pymethods]
impl Kernel {
    /// Records a launch into a sequence, and gives that back; without one, runs it at once.
    #[pyo3(signature = (grid, *args, seq=None, **keywords))]
    fn __call__(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        seq: Option<Py<PySequence>>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<Py<PySequence>>> {
        let mut seq = seq;
        let (grid, slots) = (grid_of(grid)?, self.slots(args, keywords, &mut seq)?);
        let record = self.entry.record;
        let done = match &seq {
            Some(sequence) => {
                let cell = &sequence.get().cell;
                let launch = Operation::Launch(Arc::new(move |sequence| record(sequence, grid, &slots)));
                py.detach(|| cell.record(&launch))
            }
            None => {
                let owner = slots.iter().find_map(Slot::cell).map(|cell| cell.owner().clone());
                let text = || format!("{}() has no tensors to tell the device: give `seq`", self.name);
                let owner = owner.ok_or_else(|| Fault::Type(text()))?;
                py.detach(|| {
                    owner.with_sequence(|sequence| {
                        record(sequence, grid, &slots)?;
                        Ok(sequence.eval()?)
                    })
                })
            }
        };
        crate::logs::flush(py);
        done?;
        Ok(seq)
    }

    /// The launch as an operation, for `Sequence.record` and `eval`.
    #[pyo3(signature = (grid, *args, **keywords))]
    fn op(
        &self,
        grid: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<OpBase> {
        let (grid, slots) = (grid_of(grid)?, self.slots(args, keywords, &mut None)?);
        let record = self.entry.record;
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
        format!("{}(grid{params}, seq=None)\n\nThe Rust kernel at {}:{}.", self.name, site.file, site.line)
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
