//! Rules for shared memory: the places of its declarations, and its types.

use crate::ast::{ExprId, ExprKind, Fn, Item, Pattern, Statement};
use crate::diag::{Diagnostics, code};
use crate::infer::type_name;
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::{SharedUse, Ty};

use crate::program::crossing::{Refusal, refuse_element, refuse_members};

// Rule: shared memory is declared by `let name = Shared::<T>::new();`, a statement of the kernel's body itself.
// Example: `if i == 0 { let tile = Shared::<[f32; 4]>::new(); }`
pub(super) fn check_kernel_shared(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    let (Item::Fn(function), TypedItem::Fn(typed)) = (&program.items[item].item, &program.items[item].typed) else {
        return;
    };
    let declared = declarations(function);
    for shared in &typed.shared {
        if !declared.contains(&shared.expr) {
            misplaced(shared, diags)
                .note("a workgroup's shared memory exists for its whole life")
                .help("write `let tile = Shared::<…>::new();` at the top of the kernel's body, outside of all blocks");
            continue;
        }
        let Some(Ty::Shared(held)) = shared.binding.map(|binding| typed.binding(binding)) else { continue };
        check_type(program, shared, held, diags);
    }
}

// Rule: a device function has no shared memory of its own.
// Example: `#[device] fn f() { let tile = Shared::<[f32; 4]>::new(); }`
pub(super) fn check_device_shared(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    let TypedItem::Fn(typed) = &program.items[item].typed else { return };
    for shared in &typed.shared {
        misplaced(shared, diags)
            .note("shared memory belongs to a kernel's workgroups")
            .help("declare it in the kernel");
    }
}

fn misplaced<'d>(shared: &SharedUse, diags: &'d mut Diagnostics) -> &'d mut crate::diag::Diagnostic {
    diags.error(code::SHARED_USE, shared.span, "shared memory cannot be declared here")
}

/// The calls of `Shared::new` that stand where they may.
fn declarations(function: &Fn) -> Vec<ExprId> {
    let declaration = |statement: &Statement| match statement {
        Statement::Let { pattern: Pattern::Binding { .. }, value: Some(value), .. } => {
            matches!(value.kind, ExprKind::NewShared { .. }).then_some(value.id)
        }
        _ => None,
    };
    function.body.statements.iter().filter_map(declaration).collect()
}

/// Why something cannot lie in shared memory, and what to write.
pub(crate) fn refuse_held(program: &Program, held: &Ty) -> Option<Refusal> {
    refuse_element(held).or_else(|| refuse_members(program, held))
}

// Rule: what is shared has a layout in memory, as elements of buffers have.
// Example: `Shared::<[bool; 64]>::new()`
fn check_type(program: &Program, shared: &SharedUse, held: &Ty, diags: &mut Diagnostics) {
    if let Some((why, instead)) = refuse_held(program, held) {
        let message = format!("`{}` cannot lie in shared memory", type_name(program, held));
        diags.error(code::SHARED_USE, shared.span, message).note(why).help(instead);
    } else if let Ty::Scalar(_) | Ty::Vector(..) = held {
        let name = type_name(program, held);
        diags
            .error(code::SHARED_USE, shared.span, format!("`Shared<{name}>` has no elements to assign"))
            .note("a shared variable is accessed by index or field")
            .help(format!("write `Shared::<[{name}; 1]>::new()` and use element 0"));
    }
}
