//! Types whose values can cross between host and device, and why others cannot. It reports nothing.

use crate::ast::{Item, ScalarName};
use crate::typed::{Len, Ty};

use super::Program;

/// Why a type cannot cross, and what to write instead.
pub(crate) type Refusal = (&'static str, &'static str);

// Rule: the elements of a buffer are numbers but `usize` and `isize`, vectors, arrays of these, and `GpuData` structs.
// Example: `fn k(flags: &mut [bool])`
pub(crate) fn refuse_element(ty: &Ty) -> Option<Refusal> {
    match ty {
        Ty::Scalar(ScalarName::Bool) => {
            Some(("`bool` has no layout in buffers", "store `u32`: `flag as u32`, and read it with `!= 0`"))
        }
        Ty::Array(element, _) => refuse_array(ty, element),
        Ty::Atomic(_) => None,
        _ => refuse_value(ty),
    }
}

// Rule: so are the members of a generic struct, whatever its arguments are, and structs are `GpuData`.
// Example: `fn k(rows: &mut [Row<bool>])`
pub(crate) fn refuse_members(program: &Program, ty: &Ty) -> Option<Refusal> {
    match ty {
        Ty::Array(element, _) => refuse_members(program, element),
        Ty::Struct(item, _) if matches!(&program.items[*item].item, Item::Struct(definition) if !definition.derives.gpu_data) => {
            Some((
                "the layout of a struct that is not `GpuData` is Rust's own",
                "write `#[derive(Clone, Copy, GpuData)]` and `#[repr(C)]` above the struct",
            ))
        }
        Ty::Struct(_, Some(_)) => program
            .fields_of(ty)
            .iter()
            .find_map(|field| refuse_element(field).or_else(|| refuse_members(program, field))),
        _ => None,
    }
}

// Rule: so are the elements of slices that device functions take, which the host may share.
// Example: `total(&tokens)` where tokens are structs that hold enums
pub(crate) fn refuse_slice_element(program: &Program, ty: &Ty) -> Option<Refusal> {
    match ty {
        Ty::Array(element, _) => refuse_slice_element(program, element),
        Ty::Struct(item, _) if matches!(&program.items[*item].item, Item::Struct(definition) if !definition.derives.gpu_data) => {
            Some((
                "the host shares the elements of slices, so every bit pattern must be a valid value of the struct",
                "derive `GpuData` below `#[repr(C)]`, an enum as its number; or take the array itself, `x: &[T; N]`",
            ))
        }
        _ => None,
    }
}

/// Whether the elements of a slice may be those of a buffer. The elements of others are an array's of the invocation's own.
pub(crate) fn is_shared_element(program: &Program, element: &Ty) -> bool {
    refuse_element(element).or_else(|| refuse_slice_element(program, element)).is_none()
}

// Rule: the elements of a slice of an array may be of any type whose values are copied.
// Example: `fn total(x: &[Range<u32>])`
pub(crate) fn refuse_own_element(ty: &Ty) -> Option<Refusal> {
    match ty {
        Ty::Scalar(_)
        | Ty::Vector(..)
        | Ty::Enum(..)
        | Ty::Struct(..)
        | Ty::Ordering
        | Ty::Option(_)
        | Ty::Result(..)
        | Ty::Tuple(_) => None,
        Ty::Array(element, Len::Known(1..)) => refuse_own_element(element),
        other => refuse_element(other),
    }
}

// Rule: by value, also `bool` may be passed.
// Example: `fn k(n: usize, pair: (f32, f32))`
pub(crate) fn refuse_value(ty: &Ty) -> Option<Refusal> {
    match ty {
        Ty::Scalar(ScalarName::Char) => Some((
            "not every number is a `char`, and a buffer may hold any",
            "use `u32`, and `char::from_u32(…)`, which gives an `Option`; of a `char`, `c as u32`",
        )),
        Ty::Scalar(ScalarName::Text) => Some((
            "there are no strings on the device, where a text is a number that tells it apart from others",
            "use an enum or a number",
        )),
        Ty::Scalar(ScalarName::U128 | ScalarName::I128) => Some((
            "devices have no integers of 128 bits in memory",
            "store two `u64`: `x as u64` and `(x >> 64) as u64`",
        )),
        Ty::Scalar(ScalarName::Usize) => {
            Some(("`usize` has 64 bits on the host and 32 on the device", "pass `u32`: any unsigned integer indexes"))
        }
        Ty::Scalar(ScalarName::Isize) => {
            Some(("`isize` has 64 bits on the host and 32 on the device", "pass `i32`, and cast it where it is used"))
        }
        Ty::Range(..) => Some(("Rust does not define the layout of ranges", "pass the two ends")),
        Ty::Tuple(_) => Some(("Rust does not define the layout of tuples", "pass a struct with `#[derive(GpuData)]`")),
        Ty::Vector(ScalarName::Bool, _) => Some(("vectors of `bool` have no layout in buffers", "pass `u32` lanes")),
        Ty::Enum(_, _) | Ty::Ordering => {
            Some(("not every number is a variant, and a buffer may hold any", "pass a `u32`, and `match` on it"))
        }
        Ty::Option(_) | Ty::Result(..) => {
            Some(("Rust does not define the layout of enums", "pass a `u32` flag beside the value"))
        }
        Ty::Coop(_) => Some((
            "the invocations of a subgroup hold a matrix together",
            "load it from a buffer: `CoopMatrix::<…>::load(x, offset, stride, RowMajor)`",
        )),
        Ty::Shared(_) => Some(("shared memory begins and ends with a workgroup", "declare it in the kernel")),
        Ty::Unit => Some(("`()` holds nothing", "remove the parameter")),
        Ty::ConversionError(_) => Some(("an error holds nothing", "remove the parameter")),
        Ty::Array(element, _) => refuse_array(ty, element),
        _ => None,
    }
}

fn refuse_array(ty: &Ty, element: &Ty) -> Option<Refusal> {
    match ty {
        Ty::Array(_, Len::Known(0)) => {
            Some(("an array without elements holds nothing", "give it a length of one or more"))
        }
        _ => refuse_element(element),
    }
}
