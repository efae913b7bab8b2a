//! No function may call itself, directly or through others.

use crate::ast::{Item, SpanRange};
use crate::diag::{Diagnostics, code};
use crate::program::{ItemId, Program, TypedItem};

// Rule: the graph of calls has no cycle; SPIR-V has no call stack.
// Example: `#[device] fn fact(n: u32) -> u32 { if n == 0 { 1 } else { n * fact(n - 1) } }`
pub(super) fn check_recursion(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    let Item::Fn(function) = &program.items[item].item else { return };
    let mut path = vec![item];
    let mut finished = Vec::new();
    let Some(cycle) = find_cycle(program, item, &mut path, &mut finished) else { return };
    let names: Vec<String> = cycle.iter().filter_map(|item| name_of(program, *item)).collect();
    let message = match names.as_slice() {
        [name] => format!("`{name}` calls itself"),
        _ => format!("`{}` calls itself through `{}`", names[0], names[1..].join("`, `")),
    };
    diags
        .error(code::RECURSION, SpanRange::token(function.name.span()), message)
        .note("there is no call stack on the device")
        .help("write a loop");
}

/// A cycle of calls that can be reached, from its first item to its last.
fn find_cycle(
    program: &Program,
    item: ItemId,
    path: &mut Vec<ItemId>,
    finished: &mut Vec<ItemId>,
) -> Option<Vec<ItemId>> {
    for callee in callees(program, item) {
        if let Some(start) = path.iter().position(|on_path| *on_path == callee) {
            return Some(path[start..].to_vec());
        }
        if finished.contains(&callee) {
            continue;
        }
        path.push(callee);
        let found = find_cycle(program, callee, path, finished);
        path.pop();
        finished.push(callee);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The device functions that an item calls, in order of their ids.
fn callees(program: &Program, item: ItemId) -> Vec<ItemId> {
    let TypedItem::Fn(typed) = &program.items[item].typed else { return Vec::new() };
    let mut items: Vec<ItemId> = typed.callees().collect();
    items.sort_unstable();
    items.dedup();
    items
}

fn name_of(program: &Program, item: ItemId) -> Option<String> {
    match &program.items[item].item {
        Item::Fn(function) => Some(function.name.to_string()),
        _ => None,
    }
}
