//! Rules for a kernel's parameters: types with one layout on host and device.

use std::rc::Rc;

use crate::ast::{Fn, Item, Param, ScalarName};
use crate::diag::{Diagnostics, code};
use crate::infer::{holds_atomics, infer_signature, type_name};
use crate::program::{ItemId, Program};
use crate::typed::{Len, Ty};

/// Why a type cannot cross, and what to write instead.
pub(crate) type Refusal = (&'static str, &'static str);

pub(super) fn check_parameters(program: &Program, item: ItemId, function: &Fn, diags: &mut Diagnostics) {
    let (types, _) = infer_signature(program, item, function);
    for (param, ty) in function.params.iter().zip(&types) {
        if let Some(span) = param.texels.filter(|_| !is_of_texels(ty)) {
            let message = format!("`{}` of type `{}` cannot be read as texels", param.name, type_name(program, ty));
            diags
                .error(code::PARAMETER_TYPE, span, message)
                .note("texels are one, two or four numbers of 32 bits, and only read")
                .help("take a slice of such elements, as `&[f32]` or `&[UVec4]`, or remove the attribute");
        }
        let refusal = match ty {
            _ if ty.is_list() => refuse_list(program, ty),
            Ty::Buffer { element, .. } => {
                refuse_element(element).or_else(|| refuse_open(element)).or_else(|| refuse_members(program, element))
            }
            _ => refuse_members(program, ty)
                .or_else(|| refuse_value(ty))
                .or_else(|| refuse_atomics(program, ty))
                .or_else(|| refuse_open(ty)),
        };
        if let Some(refusal) = refusal {
            report(program, param, ty, refusal, diags);
        }
    }
}

// Rule: of a list, so are the elements of its buffers, and none is atomic.
// Example: `fn k(counters: &[&[Atomic<u32>]])`
fn refuse_list(program: &Program, list: &Ty) -> Option<Refusal> {
    let element = list.slice_element()?.slice_element()?;
    if holds_atomics(program, element) {
        return Some(("the buffers of a list hold no atomics", "take one buffer with all of them: `&[Atomic<u32>]`"));
    }
    refuse_element(element).or_else(|| refuse_open(element)).or_else(|| refuse_members(program, element))
}

// Rule: what is read as texels is a slice of what every device has formats for.
// Example: `fn k(#[texels] x: &[f64])`
fn is_of_texels(ty: &Ty) -> bool {
    let is_word = |scalar: &ScalarName| matches!(scalar, ScalarName::F32 | ScalarName::U32 | ScalarName::I32);
    let Ty::Buffer { element, mutable: false, .. } = ty else { return matches!(ty, Ty::Error) };
    match &**element {
        Ty::Scalar(scalar) => is_word(scalar),
        Ty::Vector(scalar, len) => is_word(scalar) && matches!(len, 2 | 4),
        element => matches!(element, Ty::Error),
    }
}

fn report(program: &Program, param: &Param, ty: &Ty, (why, instead): Refusal, diags: &mut Diagnostics) {
    let message = format!("parameter `{}` of type `{}` cannot reach the device", param.name, type_name(program, ty));
    diags.error(code::PARAMETER_TYPE, param.ty.span, message).note(why).help(instead);
}

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
pub(super) fn refuse_members(program: &Program, ty: &Ty) -> Option<Refusal> {
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

// Rule: by value, also `bool` may be passed.
// Example: `fn k(n: usize, pair: (f32, f32))`
fn refuse_value(ty: &Ty) -> Option<Refusal> {
    match ty {
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

// Rule: atomics are reached in buffers.
// Example: `fn k(counter: Atomic<u32>)`
fn refuse_atomics(program: &Program, ty: &Ty) -> Option<Refusal> {
    holds_atomics(program, ty).then_some((
        "invocations share an atomic, and each has a copy of a value",
        "pass a buffer with one element: `&[Atomic<u32>]`",
    ))
}

// Rule: the layout of what crosses is the same in all launches.
// Example: `fn k<const N: usize>(rows: &[[f32; N]])`
fn refuse_open(ty: &Ty) -> Option<Refusal> {
    match ty {
        Ty::Array(_, Len::Chosen(_)) => Some((
            "the layout of buffers and parameters cannot depend on a const parameter of the kernel",
            "write the length as a number, or take a buffer of single elements and compute the index",
        )),
        Ty::Array(element, _) => refuse_open(element),
        Ty::Chosen(_) => refuse_open(&Ty::Array(Rc::new(Ty::Unit), Len::Chosen(0))),
        Ty::Struct(_, Some(args)) => args.iter().find_map(refuse_open),
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
