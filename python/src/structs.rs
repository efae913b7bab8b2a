//! Structs of Rust as numpy's structured types, and values of Python's packed into them.

use gridwise::Plain;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::array::{Input, dtype_of};
use crate::dtype::{DType, RecordType};
use crate::error::{Fault, Outcome};
use crate::parameter::{Element, ParamType, Slot, check_float, check_int};

/// Lets kernels take these structs from Python, as values and as elements of tensors.
///
/// Each is `#[repr(C)]`, derives `GpuData`, and has no bytes between or behind its fields; all fields are named here with their types. The Python
/// module gets numpy's structured type under the struct's name. A value is a dict, or a sequence in the order of the fields.
///
/// ```ignore
/// #[repr(C)]
/// #[derive(Clone, Copy, GpuData)]
/// struct Particle {
///     position: Vec3,
///     mass: f32,
/// }
///
/// gridwise_python::structs! {
///     Particle { position: Vec3, mass: f32 }
/// }
/// ```
#[macro_export]
macro_rules! structs {
    ($($name:ident { $($field:ident: $ty:ty),+ $(,)? })+) => {$(
        const _: () = {
            ::core::assert!(
                0 $(+ ::core::mem::size_of::<$ty>())+ == ::core::mem::size_of::<$name>(),
                "a struct for Python has no padding, and all of its fields are named: add a field where bytes are missing"
            );
            #[allow(dead_code)]
            fn fields(value: &$name) {
                $(let _: &$ty = &value.$field;)+
            }
        };

        // SAFETY: the fields are `GpuData`, and have as many bytes as the struct: none of them is padding. Those of the fields' own types are
        // asserted by `Element`, of which `Plain` is a part.
        unsafe impl $crate::gridwise::Plain for $name {}

        impl $crate::Element for $name {
            fn name() -> ::std::string::String {
                ::core::stringify!($name).to_owned()
            }

            fn dtype() -> $crate::DType {
                $crate::DType::record(::core::mem::size_of::<$name>(), ::std::vec![
                    $($crate::RecordField::of::<$ty>(::core::stringify!($field), ::core::mem::offset_of!($name, $field))),+
                ])
            }

            fn lanes() -> ::std::vec::Vec<usize> {
                ::std::vec::Vec::new()
            }
        }

        impl<'a> $crate::Parameter<'a> for $name {
            type Held = $name;

            fn describe() -> $crate::ParamType {
                $crate::__private::describe_value::<$name>()
            }

            fn check(argument: &$crate::pyo3::Bound<'_, $crate::pyo3::PyAny>) -> $crate::__private::Outcome<$crate::__private::Slot> {
                $crate::__private::check::<$name>(argument)
            }

            fn hold(slot: &$crate::__private::Slot) -> $crate::__private::Outcome<$name> {
                $crate::__private::value(slot)
            }

            fn borrow(held: &'a mut $name) -> Self {
                *held
            }
        }
    )+};
}

/// The type of a parameter that is a struct or an array.
pub fn describe_value<T: Element>() -> ParamType {
    ParamType::of::<T>(T::name(), "Any")
}

/// Packs an argument into the bytes of a `T`.
pub fn check<T: Element>(argument: &Bound<'_, PyAny>) -> Outcome<Slot> {
    let mut bytes = Vec::with_capacity(size_of::<T>());
    pack(argument, T::dtype(), &T::lanes(), &T::name(), &mut bytes)?;
    Ok(Slot::value(bytes))
}

/// The value that was packed.
pub fn value<T: Plain>(slot: &Slot) -> Outcome<T> {
    let bytes = slot.bytes();
    if bytes.len() != size_of::<T>() {
        return Err(Fault::Type(format!("{} bytes for a value of {}", bytes.len(), size_of::<T>())));
    }
    // SAFETY: there are as many bytes as a `T` has, and any bytes are one.
    Ok(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

/// Appends the bytes of a value. `what` names it in messages.
fn pack(argument: &Bound<'_, PyAny>, dtype: DType, lanes: &[usize], what: &str, bytes: &mut Vec<u8>) -> Outcome<()> {
    if let Some((count, rest)) = lanes.split_first() {
        let misfit = || Fault::Type(format!("expected {count} items for `{what}`, got {argument}"));
        let items = match argument.cast::<PyString>() {
            Ok(_) => return Err(misfit()),
            Err(_) => argument.try_iter().map_err(|_| misfit())?.collect::<PyResult<Vec<_>>>()?,
        };
        if items.len() != *count {
            return Err(misfit());
        }
        return items.iter().try_for_each(|item| pack(item, dtype, rest, what, bytes));
    }
    macro_rules! int {
        ($ty:ty) => {
            bytes.extend(check_int::<$ty>(argument, &format!("{what}: {}", stringify!($ty)))?.to_le_bytes())
        };
    }
    let float = |ty: &str| check_float(argument, &format!("{what}: {ty}"));
    match dtype {
        DType::Bool => bytes.push(argument.is_truthy()?.into()),
        DType::I8 => int!(i8),
        DType::I16 => int!(i16),
        DType::I32 => int!(i32),
        DType::I64 => int!(i64),
        DType::U8 => int!(u8),
        DType::U16 => int!(u16),
        DType::U32 => int!(u32),
        DType::U64 => int!(u64),
        DType::F16 => bytes.extend(gridwise::half::f16::from_f64(float("f16")?).to_le_bytes()),
        DType::F32 => bytes.extend((float("f32")? as f32).to_le_bytes()),
        DType::F64 => bytes.extend(float("f64")?.to_le_bytes()),
        DType::Record(record) => pack_fields(argument, record, what, bytes)?,
    }
    Ok(())
}

fn pack_fields(
    argument: &Bound<'_, PyAny>,
    record: &'static RecordType,
    what: &str,
    bytes: &mut Vec<u8>,
) -> Outcome<()> {
    let (dtype, names) = (DType::Record(record), || record.fields.iter().map(|field| field.name.as_str()));
    let misfit = |found: String| Fault::Type(format!("expected `{what}`: {}, got {found}", dtype.name()));
    // numpy's structured scalars have the type of their array.
    if let Ok(found) = argument.getattr("dtype") {
        let fits = dtype_of(&found)? == Some(dtype);
        let input = if fits { Some(Input::of(argument, None)?) } else { None };
        return match input {
            Some(input) if input.len() == 1 => {
                bytes.extend_from_slice(input.bytes());
                Ok(())
            }
            _ => Err(misfit(format!("an array of {found}"))),
        };
    }
    let values: Vec<Bound<'_, PyAny>> = if let Ok(dict) = argument.cast::<PyDict>() {
        let known: Vec<&str> = names().collect();
        for key in dict.keys() {
            if !key.extract::<String>().is_ok_and(|key| known.contains(&key.as_str())) {
                return Err(misfit(format!("a dict with `{key}`")));
            }
        }
        let of = |name: &&str| dict.get_item(name)?.ok_or_else(|| misfit(format!("a dict without `{name}`")));
        known.iter().map(of).collect::<Outcome<_>>()?
    } else {
        let found = || argument.get_type().to_string();
        if argument.cast::<PyString>().is_ok() {
            return Err(misfit(found()));
        }
        argument.try_iter().map_err(|_| misfit(found()))?.collect::<PyResult<_>>()?
    };
    if values.len() != record.fields.len() {
        return Err(misfit(format!("{} values", values.len())));
    }
    // In the order in which they lie in memory, without bytes between them.
    record
        .fields
        .iter()
        .zip(&values)
        .try_for_each(|(field, value)| pack(value, field.dtype, &field.lanes, &format!("{what}.{}", field.name), bytes))
}
