//! The frame of every expansion: a stack of its own, a limit of nesting, and panics turned into errors. It does not read items.
//!
//! Parsing, inference, lowering and the passes follow the nesting of the source by recursion, and so does syn. The threads of
//! rustc have 8 MiB of stack, of which an expression of a thousand operators takes more in a compiler without optimisation.

mod nesting;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use nesting::beyond;

use std::panic::{AssertUnwindSafe, catch_unwind};

use corosensei::on_stack;
use corosensei::stack::DefaultStack;
use proc_macro2::TokenStream;

use crate::ast::SpanRange;
use crate::expand::{panic_error, too_deep};

/// Sizes of stacks, the largest first. Memory is used only as far as an expansion reaches.
#[cfg(target_pointer_width = "64")]
const SIZES: &[usize] = &[1 << 30, 1 << 28, 1 << 26];
#[cfg(not(target_pointer_width = "64"))]
const SIZES: &[usize] = &[1 << 27, 1 << 26, 1 << 24];

/// Bytes of stack for one level of nesting: more than any stage takes in a build without optimisation.
const LEVEL: usize = 64 << 10;

/// Levels where the system gives no stack and the expansion runs on that of the caller.
const LEVELS_OF_CALLER: usize = 24;

/// Runs an expansion of `inputs`, of which the last is the item.
///
/// A panic in it, which is a bug, becomes an error in place of rustc's "proc macro panicked".
pub(crate) fn guarded<const N: usize>(
    inputs: [TokenStream; N],
    expansion: impl FnOnce([TokenStream; N]) -> TokenStream,
) -> TokenStream {
    let span = inputs.last().map(|input| SpanRange::of(input.clone()));
    let expansion = |levels: usize| {
        let whole = || {
            let mut inputs = inputs;
            let found = inputs.iter().find_map(|input| nesting::beyond(input, levels));
            let Some(at) = found else { return expansion(inputs) };
            let mut tokens = too_deep(at);
            // The signature stays, so that nothing else is wrong because of this.
            let stub = inputs.last_mut().is_some_and(nesting::cut_body);
            if stub && inputs.iter().all(|input| nesting::beyond(input, levels).is_none()) {
                tokens.extend(expansion(inputs));
            }
            tokens
        };
        let result = catch_unwind(AssertUnwindSafe(whole));
        result.unwrap_or_else(|panic| match span {
            Some(span) => panic_error(span, &*panic),
            None => TokenStream::new(),
        })
    };
    on_own_stack(expansion)
}

/// Runs a part of the compiler on a large stack, and tells it how many levels that has room for.
pub(crate) fn on_own_stack<R>(run: impl FnOnce(usize) -> R) -> R {
    match SIZES.iter().find_map(|size| Some((DefaultStack::new(*size).ok()?, *size))) {
        Some((stack, size)) => on_stack(stack, || run(size / LEVEL)),
        None => run(LEVELS_OF_CALLER),
    }
}
