//! Rules for a kernel's parameters: types with one layout on host and device.

use std::rc::Rc;

use gridwise_ir::ir::Checked;

use crate::ast::{Fn, Param, ScalarName};
use crate::diag::{Diagnostics, code};
use crate::infer::{holds_atomics, infer_signature, type_name};
use crate::program::crossing::{Refusal, refuse_element, refuse_members, refuse_value};
use crate::program::{ItemId, Program};
use crate::typed::{Len, Ty};

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
        if let Some(checked) = param.checked
            && let Ty::Buffer { element, .. } = ty
            && !matches!(**element, Ty::Scalar(ScalarName::U32) | Ty::Error)
        {
            let message = format!("the elements of `{}` are of type `{}`", param.name, type_name(program, element));
            diags
                .error(code::PARAMETER_TYPE, param.ty.span, message)
                .note(match checked {
                    Checked::Distinct => "a `Distinct` has indices: numbers of type `u32`",
                    Checked::Offsets => "an `Offsets` has places where rows begin: numbers of type `u32`",
                })
                .help(format!("write `&{}<u32>`", checked.name()));
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
