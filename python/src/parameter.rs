//! The types of a kernel's parameters, as Python's arguments become them.

use std::sync::Arc;

use gridwise::glam::{IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, Quat, UVec2, UVec3, UVec4, Vec2, Vec3, Vec4};
use gridwise::half::f16;
use gridwise::image::{Dimension, Format, Image, Sampled, Sampler};
use gridwise::{Grid, Plain, Sequence, Tensor, TensorRef};
use pyo3::prelude::*;

use crate::dtype::DType;
use crate::error::{Fault, Outcome};
use crate::memory::{Cell, Memory};
use crate::sampled::image_and_sampler;

/// An element of a tensor that kernels get from Python.
#[diagnostic::on_unimplemented(
    message = "Python has no tensors of `{Self}`",
    note = "there are tensors of numbers, glam's vectors and matrices, arrays of these, and structs that `gridwise_python::structs!` names"
)]
pub trait Element: Plain {
    /// Its name in Rust.
    fn name() -> String;

    /// The numbers in it, or a struct's fields.
    fn dtype() -> DType;

    /// How many there are along each axis.
    fn lanes() -> Vec<usize>;
}

macro_rules! elements {
    ($($ty:ty = $name:literal, $dtype:ident, $lanes:expr;)+) => {
        $(impl Element for $ty {
            fn name() -> String {
                $name.to_owned()
            }

            fn dtype() -> DType {
                DType::$dtype
            }

            fn lanes() -> Vec<usize> {
                $lanes.to_vec()
            }
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

impl<T: Element, const N: usize> Element for [T; N] {
    fn name() -> String {
        format!("[{}; {N}]", T::name())
    }

    fn dtype() -> DType {
        T::dtype()
    }

    fn lanes() -> Vec<usize> {
        [vec![N], T::lanes()].concat()
    }
}

/// The type of a kernel's parameter, by its names.
#[derive(Debug, Clone)]
pub struct ParamType {
    /// The type in Rust.
    pub rust: String,
    /// The type in Python's stubs.
    pub python: &'static str,
    /// The struct in it, by its name and numpy's type.
    pub record: Option<(String, DType)>,
}

impl ParamType {
    /// A type without a struct.
    fn new(rust: String, python: &'static str) -> Self {
        Self { rust, python, record: None }
    }

    /// The type that has elements of `T`.
    pub(crate) fn of<T: Element>(rust: String, python: &'static str) -> Self {
        let record = matches!(T::dtype(), DType::Record(_)) && T::lanes().is_empty();
        Self { rust, python, record: record.then(|| (T::name(), T::dtype())) }
    }
}

/// A checked argument.
#[derive(Debug, Clone)]
pub struct Slot(Given);

#[derive(Debug, Clone)]
enum Given {
    Memory(Arc<Cell>),
    List(Vec<Arc<Cell>>),
    /// Images, each with its sampler.
    Sampled(Vec<Arc<Cell>>, Vec<Sampler>),
    /// The bytes of a value.
    Value(Vec<u8>),
}

impl Slot {
    /// A value by its bytes.
    pub(crate) fn value(bytes: Vec<u8>) -> Self {
        Self(Given::Value(bytes))
    }

    /// A tensor or image of it, if it has any.
    pub(crate) fn cell(&self) -> Option<&Arc<Cell>> {
        self.cells().first()
    }

    fn cells(&self) -> &[Arc<Cell>] {
        match &self.0 {
            Given::Memory(cell) => std::slice::from_ref(cell),
            Given::List(cells) | Given::Sampled(cells, _) => cells,
            Given::Value(_) => &[],
        }
    }

    fn handle(&self) -> Outcome<TensorRef> {
        let cell = self.cell().ok_or_else(|| Fault::Type("a value where a tensor belongs".to_owned()))?;
        Ok(cell.live()?.handle)
    }

    fn handles(&self) -> Outcome<Vec<TensorRef>> {
        self.cells().iter().map(|cell| Ok(cell.live()?.handle)).collect()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.0 {
            Given::Value(bytes) => bytes,
            Given::Memory(_) | Given::List(_) | Given::Sampled(..) => &[],
        }
    }
}

/// A parameter type of a kernel's `dispatch`, as Python's arguments become it.
#[diagnostic::on_unimplemented(
    message = "Python cannot pass a `{Self}` to a kernel",
    note = "it passes numbers, vectors, tensors, images, lists of tensors or images, and structs that `gridwise_python::structs!` names"
)]
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

fn check_tensor<T: Element>(argument: &Bound<'_, PyAny>) -> Outcome<Arc<Cell>> {
    let expected = || format!("a tensor of {}", shown::<T>());
    let Ok(memory) = argument.cast::<Memory>() else {
        return Err(Fault::Type(format!("expected {}, got {}", expected(), argument.get_type())));
    };
    let (cell, lanes) = (memory.get().cell.clone(), T::lanes());
    let count: usize = lanes.iter().product();
    // A flat tensor has the numbers of one element after another.
    let has_lanes = cell.shape.ends_with(&lanes) || cell.shape.len() == 1 && cell.len() % count.max(1) == 0;
    if cell.is_image() || cell.dtype != T::dtype() || !has_lanes {
        let what = if cell.is_image() { "an image" } else { "a tensor" };
        let found = format!("{what} of {} with shape {:?}", cell.dtype.name(), cell.shape);
        return Err(Fault::Type(format!("expected {}, got {found}", expected())));
    }
    Ok(cell)
}

fn shown<T: Element>() -> String {
    let lanes: Vec<String> = T::lanes().iter().map(usize::to_string).collect();
    match (lanes.is_empty(), T::dtype()) {
        (true, DType::Record(_)) => format!("`{}`: {}", T::name(), T::dtype().name()),
        (true, dtype) => dtype.name(),
        (false, dtype) => format!("{} with shape (…, {}), for `{}`", dtype.name(), lanes.join(", "), T::name()),
    }
}

/// The arguments in any iterable, each of them checked.
fn check_list(
    argument: &Bound<'_, PyAny>,
    what: &str,
    mut check: impl FnMut(&Bound<'_, PyAny>) -> Outcome<Arc<Cell>>,
) -> Outcome<Slot> {
    let misfit = |_: PyErr| Fault::Type(format!("expected a list of {what}, got {}", argument.get_type()));
    let checked = argument.try_iter().map_err(misfit)?.enumerate().map(|(at, item)| {
        check(&item?).map_err(|fault| match fault {
            Fault::Type(text) => Fault::Type(format!("number {at} of the list: {text}")),
            other => other,
        })
    });
    Ok(Slot(Given::List(checked.collect::<Outcome<_>>()?)))
}

macro_rules! tensors {
    ($($ty:ty, $rust:literal;)+) => {$(
        impl<'a, T: Element> Parameter<'a> for $ty {
            type Held = Tensor<T>;

            fn describe() -> ParamType {
                ParamType::of::<T>(format!($rust, T::name()), "Tensor")
            }

            fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
                Ok(Slot(Given::Memory(check_tensor::<T>(argument)?)))
            }

            fn hold(slot: &Slot) -> Outcome<Tensor<T>> {
                Ok(slot.handle()?.typed()?)
            }

            fn borrow(held: &'a mut Tensor<T>) -> Self {
                held
            }
        }
    )+};
}

tensors! {
    &'a Tensor<T>, "&[{}]";
    &'a mut Tensor<T>, "&mut [{}]";
}

macro_rules! tensor_lists {
    ($($ty:ty, $each:ty, $rust:literal, $iter:ident;)+) => {$(
        impl<'a, T: Element> Parameter<'a> for $ty {
            type Held = (Vec<Tensor<T>>, Vec<$each>);

            fn describe() -> ParamType {
                ParamType::of::<T>(format!($rust, T::name()), "Iterable[Tensor]")
            }

            fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
                check_list(argument, "tensors", check_tensor::<T>)
            }

            fn hold(slot: &Slot) -> Outcome<Self::Held> {
                let typed = slot.handles()?.into_iter().map(|handle| Ok(handle.typed()?));
                Ok((typed.collect::<Outcome<_>>()?, Vec::new()))
            }

            fn borrow((tensors, list): &'a mut Self::Held) -> Self {
                list.extend(tensors.$iter());
                list
            }
        }
    )+};
}

tensor_lists! {
    &'a [&'a Tensor<T>], &'a Tensor<T>, "&[&[{}]]", iter;
    &'a mut [&'a mut Tensor<T>], &'a mut Tensor<T>, "&mut [&mut [{}]]", iter_mut;
}

fn check_image<F: Format, const D: usize>(argument: &Bound<'_, PyAny>, rust: &str) -> Outcome<Arc<Cell>>
where
    Image<F, D>: Dimension,
{
    match argument.cast::<Memory>() {
        Ok(memory) if memory.get().cell.is_image() => {
            let cell = memory.get().cell.clone();
            let fits = cell.live()?.handle.image::<F, D>();
            fits.map_err(|error| Fault::Type(format!("expected an image for `{rust}`: {error}")))?;
            Ok(cell)
        }
        _ => Err(Fault::Type(format!("expected an image for `{rust}`, got {argument}"))),
    }
}

macro_rules! images {
    ($($ty:ty, $rust:literal;)+) => {$(
        impl<'a, F: Format, const D: usize> Parameter<'a> for $ty
        where
            Image<F, D>: Dimension,
        {
            type Held = Image<F, D>;

            fn describe() -> ParamType {
                ParamType::new(format!($rust, D, F::FORMAT.name()), "Image")
            }

            fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
                Ok(Slot(Given::Memory(check_image::<F, D>(argument, &Self::describe().rust)?)))
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
    &'a Image<F, D>, "&Image{}D<{}>";
    &'a mut Image<F, D>, "&mut Image{}D<{}>";
}

macro_rules! image_lists {
    ($($ty:ty, $each:ty, $rust:literal, $iter:ident;)+) => {$(
        impl<'a, F: Format, const D: usize> Parameter<'a> for $ty
        where
            Image<F, D>: Dimension,
        {
            type Held = (Vec<Image<F, D>>, Vec<$each>);

            fn describe() -> ParamType {
                ParamType::new(format!($rust, D, F::FORMAT.name()), "Iterable[Image]")
            }

            fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
                check_list(argument, "images", |item| check_image::<F, D>(item, &Self::describe().rust))
            }

            fn hold(slot: &Slot) -> Outcome<Self::Held> {
                let typed = slot.handles()?.into_iter().map(|handle| Ok(handle.image()?));
                Ok((typed.collect::<Outcome<_>>()?, Vec::new()))
            }

            fn borrow((images, list): &'a mut Self::Held) -> Self {
                list.extend(images.$iter());
                list
            }
        }
    )+};
}

image_lists! {
    &'a [&'a Image<F, D>], &'a Image<F, D>, "&[&Image{}D<{}>]", iter;
    &'a mut [&'a mut Image<F, D>], &'a mut Image<F, D>, "&mut [&mut Image{}D<{}>]", iter_mut;
}

fn check_sampled<F: Format, const D: usize>(argument: &Bound<'_, PyAny>, rust: &str) -> Outcome<(Arc<Cell>, Sampler)>
where
    Image<F, D>: Dimension,
{
    let (image, sampler) = image_and_sampler(argument);
    let (cell, sampler) = (check_image::<F, D>(&image, rust)?, sampler.unwrap_or_default());
    // Samplers that the device lacks for the format are told here, and not by a launch.
    cell.live()?.handle.image::<F, D>()?.sampled(sampler)?;
    Ok((cell, sampler))
}

fn sampled_of<F: Format, const D: usize>(slot: &Slot) -> Outcome<Vec<Sampled<F, D>>>
where
    Image<F, D>: Dimension,
{
    let Given::Sampled(cells, samplers) = &slot.0 else {
        return Err(Fault::Type("a value where an image with a sampler belongs".to_owned()));
    };
    let each = cells.iter().zip(samplers);
    each.map(|(cell, sampler)| Ok(cell.live()?.handle.image::<F, D>()?.sampled(*sampler)?)).collect()
}

impl<'a, F: Format, const D: usize> Parameter<'a> for &'a Sampled<F, D>
where
    Image<F, D>: Dimension,
{
    type Held = Sampled<F, D>;

    fn describe() -> ParamType {
        ParamType::new(format!("&Sampled{D}D<{}>", F::FORMAT.name()), "SampledImage | Image")
    }

    fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
        let (cell, sampler) = check_sampled::<F, D>(argument, &Self::describe().rust)?;
        Ok(Slot(Given::Sampled(vec![cell], vec![sampler])))
    }

    fn hold(slot: &Slot) -> Outcome<Self::Held> {
        let missing = || Fault::Type("no image where one with a sampler belongs".to_owned());
        sampled_of(slot)?.pop().ok_or_else(missing)
    }

    fn borrow(held: &'a mut Self::Held) -> Self {
        held
    }
}

impl<'a, F: Format, const D: usize> Parameter<'a> for &'a [&'a Sampled<F, D>]
where
    Image<F, D>: Dimension,
{
    type Held = (Vec<Sampled<F, D>>, Vec<&'a Sampled<F, D>>);

    fn describe() -> ParamType {
        ParamType::new(format!("&[&Sampled{D}D<{}>]", F::FORMAT.name()), "Iterable[SampledImage | Image]")
    }

    fn check(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
        let mut samplers = Vec::new();
        let slot = check_list(argument, "images", |item| {
            let (cell, sampler) = check_sampled::<F, D>(item, &Self::describe().rust)?;
            samplers.push(sampler);
            Ok(cell)
        })?;
        Ok(Slot(Given::Sampled(slot.cells().to_vec(), samplers)))
    }

    fn hold(slot: &Slot) -> Outcome<Self::Held> {
        Ok((sampled_of(slot)?, Vec::new()))
    }

    fn borrow((images, list): &'a mut Self::Held) -> Self {
        list.extend(images.iter());
        list
    }
}

pub(crate) fn check_int<T: TryFrom<i128>>(argument: &Bound<'_, PyAny>, name: &str) -> Outcome<T> {
    // numpy's integers are indices, too; floats are not.
    let index = argument.call_method0("__index__");
    let wide: i128 = match index {
        Ok(index) => index.extract().map_err(|_| Fault::Value(format!("{argument} does not fit into `{name}`")))?,
        Err(_) => return Err(Fault::Type(format!("expected an integer for `{name}`, got {}", argument.get_type()))),
    };
    T::try_from(wide).map_err(|_| Fault::Value(format!("{argument} does not fit into `{name}`")))
}

pub(crate) fn check_float(argument: &Bound<'_, PyAny>, name: &str) -> Outcome<f64> {
    argument.extract().map_err(|_| Fault::Type(format!("expected a number for `{name}`, got {}", argument.get_type())))
}

macro_rules! values {
    ($($ty:ty: $python:literal, |$argument:ident| $check:expr;)+) => {$(
        impl<'a> Parameter<'a> for $ty {
            type Held = $ty;

            fn describe() -> ParamType {
                ParamType::new(stringify!($ty).to_owned(), $python)
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
        ParamType::new("bool".to_owned(), "bool")
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
                ParamType::new(stringify!($ty).to_owned(), "Sequence[float]")
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
