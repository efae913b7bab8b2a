//! Limits that are known only when a kernel is compiled.

use gridwise_ir::compile::Compiled;
use gridwise_ir::descriptor::ParamKind;

use crate::ast::Fn;
use crate::diag::{Diagnostics, code};

/// Bytes of push constants that every Vulkan device has.
const MAX_PUSH_CONSTANTS: u32 = 128;

/// Reports a push-constant block that not every device holds, at the largest parameter.
pub(crate) fn check_push_constants(function: &Fn, compiled: &Compiled, diags: &mut Diagnostics) {
    if compiled.push_constant_size <= MAX_PUSH_CONSTANTS {
        return;
    }
    let sizes = compiled.params.iter().zip(&function.params).filter_map(|(param, written)| match param.kind {
        ParamKind::Value { size, .. } => Some((size, written)),
        ParamKind::Buffer { .. } => None,
    });
    let sizes: Vec<_> = sizes.collect();
    // The first of the largest.
    let largest = sizes.iter().rev().max_by_key(|(size, _)| *size);
    let span = largest.map_or_else(|| crate::ast::SpanRange::token(function.name.span()), |(_, param)| param.ty.span);
    let values: u32 = sizes.iter().map(|(size, _)| size).sum();
    let words = 4 * compiled.launch_words.len();
    let listed = sizes.iter().map(|(size, param)| format!("`{}` {size}", param.name)).collect::<Vec<_>>().join(", ");
    let message = format!(
        "the parameters by value take {} bytes of push constants, Vulkan guarantees {MAX_PUSH_CONSTANTS}",
        compiled.push_constant_size
    );
    diags
        .error(code::PUSH_CONSTANTS, span, message)
        .note(format!(
            "the parameters have {values} bytes ({listed}); gridwise adds {words} bytes for sizes of the grid and of buffers; alignment may add some"
        ))
        .note("the limit is `maxPushConstantsSize`")
        .help("pass large values in a buffer: `&[T]` with one element");
}
