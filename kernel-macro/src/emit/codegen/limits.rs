//! Limits that are known only when a kernel is compiled.

use gridwise_ir::batch::Obstacle;
use gridwise_ir::compile::Compiled;
use gridwise_ir::descriptor::ParamKind;
use gridwise_ir::passes::TooLarge;
use gridwise_ir::spirv::{MOST_NESTED, TooNested};

use super::data::byte_size;
use crate::ast::{Fn, SpanRange};
use crate::check::refuse_held;
use crate::diag::{Diagnostics, code};
use crate::infer::type_name;
use crate::lower::Repeated;
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::Ty;

/// Bytes of push constants that every Vulkan device has.
const MAX_PUSH_CONSTANTS: u32 = 128;

/// Bytes of shared memory that a kernel may have: no device offers more to a workgroup by default.
const MAX_SHARED: u64 = 64 * 1024;

/// Reports more shared memory than devices have, at the largest variable.
pub(crate) fn check_shared_memory(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    let TypedItem::Fn(typed) = &program.items[item].typed else { return };
    let sizes = typed.shared.iter().filter_map(|shared| {
        let ty = typed.binding(shared.binding?);
        let Ty::Shared(held) = ty else { return None };
        if refuse_held(program, held).is_some() {
            return None;
        }
        // A type without a size in 32 bits is larger than any limit.
        Some((byte_size(program, held).unwrap_or(u64::MAX), ty, shared.span))
    });
    let sizes: Vec<_> = sizes.collect();
    let total = sizes.iter().fold(0u64, |total, (size, ..)| total.saturating_add(*size));
    // The first of the largest.
    let Some((_, ty, span)) = sizes.iter().rev().max_by_key(|(size, ..)| *size) else { return };
    if total <= MAX_SHARED {
        return;
    }
    let amount = if total == u64::MAX { "more than 4 GiB".to_owned() } else { format!("{total} bytes") };
    diags
        .error(code::SHARED_SIZE, *span, format!("the kernel has {amount} of shared memory, the limit is {MAX_SHARED}"))
        .note(format!("the largest variable is a `{}`", type_name(program, ty)))
        .note("Vulkan guarantees 16384 bytes (`maxComputeSharedMemorySize`), devices offer 32 to 64 KiB")
        .help("work on smaller tiles");
}

/// Reports a push-constant block that not every device holds, at the largest parameter.
pub(crate) fn check_push_constants(function: &Fn, compiled: &Compiled, diags: &mut Diagnostics) {
    if compiled.facts.push_constant_size <= MAX_PUSH_CONSTANTS {
        return;
    }
    let sizes = compiled.params.iter().zip(&function.params).filter_map(|(param, written)| match param.kind {
        ParamKind::Value { size, .. } => Some((size, written)),
        _ => None,
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
        compiled.facts.push_constant_size
    );
    diags
        .error(code::PUSH_CONSTANTS, span, message)
        .note(format!(
            "the parameters have {values} bytes ({listed}); gridwise adds {words} bytes for sizes of the grid and of buffers; alignment may add some"
        ))
        .note("the limit is `maxPushConstantsSize`")
        .help("pass large values in a buffer: `&[T]` with one element");
}

/// Reports a kernel that grows past all limits, because functions that end the invocation or wait are put where they are called.
pub(crate) fn report_size(function: &Fn, large: &TooLarge, diags: &mut Diagnostics) {
    let TooLarge { callee, size, calls } = large;
    let message = format!("the kernel `{}` becomes too large", function.name);
    diags
        .error(code::KERNEL_SIZE, crate::ast::SpanRange::token(function.name.span()), message)
        .note(format!("`{callee}` has {size} instructions, and each of its {calls} calls is replaced by them"))
        .note("functions that can panic, use buffers or wait are inlined: on devices only a kernel can end early")
        .help(format!("call `{callee}` in a loop, or let it return an `Option` instead of panicking"));
}

/// Reports a kernel with a value that has more members than an instruction can name.
pub(crate) fn report_long_value(function: &Fn, diags: &mut Diagnostics) {
    let message = format!("the kernel `{}` has a value of too many elements", function.name);
    diags
        .error(code::KERNEL_SIZE, SpanRange::token(function.name.span()), message)
        .note(
            "SPIR-V names at most 65,532 elements where an array is made of them: in a const, and in `[value; N]` of a value that is not zero",
        )
        .help("begin with `[0; N]` and write the elements in a loop, or pass them in a buffer, `&[T]`");
}

/// Reports a kernel whose branches and loops are nested more deeply than devices take.
pub(crate) fn report_nesting(function: &Fn, TooNested { line }: TooNested, diags: &mut Diagnostics) {
    let message = format!("the branches and loops of the kernel `{}` are nested too deeply", function.name);
    let error = diags.error(code::NESTING, SpanRange::token(function.name.span()), message);
    error.note(format!(
        "SPIR-V allows {MOST_NESTED} in each other; each `else if`, and each loop that is left early, is one"
    ));
    if line > 0 {
        error.note(format!("the first that is too much is near line {line}"));
    }
    error.help("write a `match` in place of a chain of `else if`, or look the value up in an array");
}

/// Reports a kernel of which too much is lowered where it is called.
pub(crate) fn report_repeated(function: &Fn, repeated: &Repeated, diags: &mut Diagnostics) {
    let Repeated { chain, at } = repeated;
    let message = format!("the kernel `{}` becomes too large", function.name);
    let name = function.name.span();
    let has_calls = chain.len() > 1;
    let place = if has_calls { SpanRange::token(name) } else { *at };
    let shown: Vec<_> = match chain.as_slice() {
        [first @ .., _] if first.len() > 11 => first[..11].iter().map(String::as_str).chain(["…"]).collect(),
        all => all.iter().map(String::as_str).collect(),
    };
    let error = diags.error(code::KERNEL_SIZE, place, message);
    if has_calls {
        error
            .note(format!("the calls: {}", shown.join(" → ")))
            .note("functions that take `&mut`, slices or closures are compiled anew at each call, with the functions that they call")
            .help("call them in loops, or let the inner ones take and return values");
    } else {
        error
            .note("closures are compiled anew wherever they are called, with the functions that they call")
            .help("call them in loops, or make the inner ones device functions");
    }
}

/// Reports a kernel that is to run several items per invocation and cannot; `asked` is where that is written.
pub(crate) fn check_items(compiled: &Compiled, asked: SpanRange, diags: &mut Diagnostics) {
    let Some((obstacle, at)) = &compiled.refusal else { return };
    let line = at.as_ref().map_or_else(String::new, |at| format!(" (line {})", at.line));
    let (note, help) = match obstacle {
        Obstacle::Workgroup => (
            "its workgroups have one invocation, several axes, or a size that the launch chooses".to_owned(),
            "give it workgroups of a known size along x, such as `workgroup = 64`",
        ),
        Obstacle::Together => (
            format!("it asks for more than `global_id()`, or works together with other invocations{line}"),
            "leave `items_per_invocation` out, or write the loop over items yourself",
        ),
        Obstacle::Panic => (
            format!("it can panic, and the host cannot exclude that before a launch{line}"),
            "leave `items_per_invocation` out, or use operations that cannot panic, such as `checked_div`",
        ),
        Obstacle::Print => {
            (format!("it prints{line}"), "leave `items_per_invocation` out while you look at its output")
        }
        Obstacle::NoElement => (
            "no buffer of numbers or vectors below 16 bytes is indexed by `global_id().x` itself".to_owned(),
            "leave `items_per_invocation` out: there is nothing that could be loaded or stored at once",
        ),
    };
    diags.error(code::ITEMS, asked, "an invocation of this kernel cannot run several items").note(note).help(help);
}
