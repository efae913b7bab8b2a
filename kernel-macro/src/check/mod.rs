//! Rules that need more than the types of one expression. Runs after inference, also on items with errors; changes nothing.

mod parameter;
mod recursion;

#[cfg(test)]
mod tests;

use crate::ast::Item;
use crate::diag::Diagnostics;
use crate::program::{ItemId, Program};

/// Checks a kernel: what [`check_item`] does, and that its parameters can reach the device.
pub(crate) fn check_kernel(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    if let Item::Fn(function) = &program.items[item].item {
        parameter::check_parameters(program, item, function, diags);
    }
    check_item(program, item, diags);
}

/// Checks an item of any kind.
pub(crate) fn check_item(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    recursion::check_recursion(program, item, diags);
}
