//! Rules that need more than the types of one expression. Runs after inference, also on items with errors; changes nothing.

mod parameter;
mod recursion;
mod shared;
mod slice;

#[cfg(test)]
mod tests;

pub(crate) use shared::refuse_held;

use crate::ast::Item;
use crate::diag::Diagnostics;
use crate::program::{ItemId, Program};

/// Checks a kernel: its parameters can reach the device, and what it shares is declared where it may be.
pub(crate) fn check_kernel(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    if let Item::Fn(function) = &program.items[item].item {
        parameter::check_parameters(program, item, function, diags);
    }
    slice::check_captured_slices(program, item, true, diags);
    slice::check_slices_of_closures(program, item, diags);
    shared::check_kernel_shared(program, item, diags);
    recursion::check_recursion(program, item, diags);
}

/// Checks an item that is no kernel.
pub(crate) fn check_item(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    slice::check_slice_parameters(program, item, diags);
    slice::check_captured_slices(program, item, false, diags);
    slice::check_slices_of_closures(program, item, diags);
    shared::check_device_shared(program, item, diags);
    recursion::check_recursion(program, item, diags);
}
