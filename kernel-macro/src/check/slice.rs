//! Rules for slices: no closure that is a value may name one.

use crate::ast::Item;
use crate::diag::{Diagnostics, code};
use crate::infer::holds_slice;
use crate::program::crossing::{is_shared_element, refuse_element, refuse_own_element, refuse_slice_element};
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::Ty;

// Rule: a closure that is a value captures values and the kernel's own buffers; a slice is known only where its function is called.
// Example: `#[device] fn f(x: &[f32]) { apply(move |i: u32| x[i]) }`
pub(super) fn check_captured_slices(program: &Program, item: ItemId, is_kernel: bool, diags: &mut Diagnostics) {
    let entry = &program.items[item];
    let (Item::Fn(function), TypedItem::Fn(typed) | TypedItem::Generic(typed)) = (&entry.item, &entry.typed) else {
        return;
    };
    for closure in typed.closures.values().filter(|closure| !closure.inline) {
        let captured = closure.captures.iter().find(|binding| {
            let is_own = is_kernel && function.params.iter().any(|param| param.binding == **binding);
            let ty = typed.binding(**binding);
            (holds_slice(ty) || matches!(ty, Ty::Image(_))) && !is_own
        });
        let Some(captured) = captured else { continue };
        let (what, note, help) = match typed.binding(*captured) {
            Ty::Image(_) => (
                "an image that a variable takes from a list",
                "it is `move` or copied, and the image of each access must be known when the kernel is compiled",
                "write `layers[k]` in the closure, or leave out `move` and call the closure here",
            ),
            _ => (
                "a slice of the enclosing function",
                "it is `move` or copied, and the buffer of each slice must be known when the kernel is compiled",
                "leave out `move`, and call it here or pass it for `impl Fn(…)`; or write a `#[device] fn` that takes the slice",
            ),
        };
        let message = format!("this closure cannot capture {what}");
        diags.error(code::REFERENCE_USE, closure.closure.body.span, message).note(note).help(help);
    }
}

// Rule: so is a slice that a closure has as a parameter.
// Example: `#[device] fn f(x: &[f32]) { apply(x, move |part: &[f32]| part[0]) }`
pub(super) fn check_slices_of_closures(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    let (TypedItem::Fn(typed) | TypedItem::Generic(typed)) = &program.items[item].typed else { return };
    for closure in typed.closures.values() {
        for ((pattern, _), ty) in closure.closure.params.iter().zip(&closure.params) {
            let Ty::Buffer { element, origin: None, .. } = ty else { continue };
            if ty.is_list() || is_shared_element(program, element) {
                continue;
            }
            let refusal = refuse_element(element).or_else(|| refuse_slice_element(program, element));
            let Some((why, help)) = refusal else { continue };
            let message = "a closure's parameter cannot be a slice of such elements";
            diags.error(code::PARAMETER_TYPE, pattern.span(), message).note(why).help(help);
        }
    }
    for closure in typed.closures.values().filter(|closure| !closure.inline) {
        let is_slice = |ty: &Ty| matches!(ty, Ty::Buffer { origin: None, .. });
        let Some(position) = closure.params.iter().position(is_slice) else { continue };
        let span =
            closure.closure.params.get(position).map_or(closure.closure.body.span, |(pattern, _)| pattern.span());
        diags
            .error(code::REFERENCE_USE, span, "a closure that is a value cannot have a slice as a parameter")
            .note("it is `move` or copied, and the buffer of each slice must be known when the kernel is compiled")
            .help("leave out `move`, and call it here or pass it for `impl Fn(&[T])`; or write a `#[device] fn` that takes the slice");
    }
}

// Rule: a slice of a generic function or of a trait's may be a buffer's, so its elements are what buffers hold.
// Example: `#[device] fn f<T: Copy>(flags: &[bool], value: T)`
pub(super) fn check_slice_parameters(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    let entry = &program.items[item];
    let (Item::Fn(function), TypedItem::Fn(typed) | TypedItem::Generic(typed)) = (&entry.item, &entry.typed) else {
        return;
    };
    for (param, ty) in function.params.iter().zip(&typed.params) {
        let Ty::Buffer { element, .. } = ty else { continue };
        let refusal = match takes_own_elements(program, item) {
            true if !is_shared_element(program, element) => refuse_own_element(element),
            true => None,
            false => refuse_element(element).or_else(|| refuse_slice_element(program, element)),
        };
        let Some((why, help)) = refusal else { continue };
        let message = format!("the parameter `{}` cannot be a slice", param.name);
        diags.error(code::PARAMETER_TYPE, param.ty.span, message).note(why).help(help);
    }
}

/// Whether slices that a function takes may be of what no buffer holds: where it is known what it takes.
fn takes_own_elements(program: &Program, item: ItemId) -> bool {
    let Item::Fn(function) = &program.items[item].item else { return false };
    let is_plain = match program.items[item].owner.map(|owner| &program.items[owner].item) {
        None => true,
        Some(Item::Impl(owner)) => owner.of.is_none() && owner.generics.params.is_empty(),
        Some(_) => false,
    };
    is_plain && function.generics.params.is_empty()
}
