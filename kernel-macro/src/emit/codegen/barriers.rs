//! Errors for barriers that not all invocations of a workgroup reach, and for operations on matrices that a subgroup
//! does not reach together, with the way from the origin of the divergence. The IR finds them.

use gridwise_ir::arena::EntityId;
use gridwise_ir::compile::Compiled;
use gridwise_ir::ir::{InstKind, Module, SourceLocation};
use gridwise_ir::uniformity::{Divergence, DivergenceKind, Jump, Origin};

use crate::ast::{Fn, SpanRange};
use crate::diag::{Diagnostics, code};
use crate::lower::MatrixFault;

/// Variables that a message names on the way; the first ones say most.
const MAX_THROUGH: usize = 3;

/// Reports each barrier once, where it is written. `lowered`: the module once more, as it was before functions became part of others.
pub(crate) fn check_barriers(
    function: &Fn,
    compiled: &Compiled,
    barriers: &[(SourceLocation, SpanRange)],
    lowered: &dyn std::ops::Fn() -> Module,
    diags: &mut Diagnostics,
) {
    for (at, divergence) in compiled.divergences.iter().enumerate() {
        if compiled.divergences[..at].iter().any(|earlier| earlier.barrier == divergence.barrier) {
            continue;
        }
        let written = barriers.iter().find(|(location, _)| Some(*location) == divergence.barrier);
        let span = written.map_or(SpanRange::token(function.name.span()), |(_, span)| *span);
        let text = Text { files: &compiled.files, barrier: divergence.barrier };
        if divergence.kind == DivergenceKind::Operand {
            report_operand(span, &text, divergence, diags);
            continue;
        }
        let (way, help) = text.way(divergence);
        if divergence.kind == DivergenceKind::Matrix {
            diags
                .error(code::MATRIX_USE, span, "not all invocations of a subgroup reach this operation on a matrix")
                .note(way)
                .note(text.origin(divergence))
                .help("make the condition the same for the whole subgroup: compute it from parameters, `subgroup_id()`, `workgroup_id()`, or `subgroup::broadcast_first(…)`");
            continue;
        }
        let error =
            diags.error(code::DIVERGENT_BARRIER, span, "not all invocations of a workgroup reach this `barrier()`");
        if let Some(call) = divergence.barrier.and_then(|barrier| call_of(&lowered(), barrier)) {
            error.note(format!("the kernel reaches it through the call at {}", text.line(call)));
        }
        error
            .note(way)
            .note(text.origin(divergence))
            .help(help)
            .help("where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`");
    }
}

/// Reports what functions of the elements of matrices do besides making an element, and matrices in arrays.
pub(crate) fn check_matrices(faults: &[(SpanRange, MatrixFault)], diags: &mut Diagnostics) {
    for (span, fault) in faults {
        let message = match fault {
            MatrixFault::Writes => "a function of a matrix's elements may not write anything",
            MatrixFault::Together => "invocations do nothing together in a function of a matrix's elements",
            MatrixFault::Prints => "a function of a matrix's elements may not print",
            MatrixFault::Texels => "matrices cannot be loaded from `#[texels]` parameters",
            MatrixFault::OwnArray => "this call passes a local array to an operation on a matrix",
        };
        let error = diags.error(code::MATRIX_USE, *span, message);
        match fault {
            MatrixFault::Texels => error
                .note("an invocation fetches texels for itself, and a subgroup loads a matrix together")
                .help("remove `#[texels]`, or fetch into shared memory and load from there"),
            MatrixFault::OwnArray => error
                .note("a device moves matrices between its own registers and buffers or shared memory")
                .help("pass a parameter of the kernel, a `Shared<[T; N]>`, or a part of these"),
            _ => error
                .note("each invocation calls it for the elements that it holds, and the device decides which these are")
                .help("compute the new element from the old one and from values read before"),
        };
    }
}

/// The kernel's first call that leads to a barrier, if that is in another function.
fn call_of(module: &Module, barrier: SourceLocation) -> Option<SourceLocation> {
    let kernel = module.kernel.as_ref()?.function;
    // Callees stand before callers.
    let mut leading = vec![false; module.functions.len()];
    for (id, function) in module.functions.iter() {
        let to_barrier = |kind: &InstKind| matches!(kind, InstKind::Call(callee, _) if leading[callee.index()]);
        if id == kernel {
            let mut insts = function.insts.iter().map(|(_, inst)| inst);
            return insts.find(|inst| to_barrier(&inst.kind)).and_then(|inst| inst.location);
        }
        let is_leading = function.insts.iter().any(|(_, inst)| {
            matches!(inst.kind, InstKind::Barrier(_)) && inst.location == Some(barrier) || to_barrier(&inst.kind)
        });
        leading[id.index()] = is_leading;
    }
    None
}

/// A matrix with an operand that is not the same for the subgroup.
fn report_operand(span: SpanRange, text: &Text<'_>, divergence: &Divergence, diags: &mut Diagnostics) {
    diags
        .error(code::MATRIX_USE, span, "an operand differs between the invocations of a subgroup")
        .note("they hold the matrix together: position, stride, numbers and the function of an element are the same for all")
        .note(text.origin(divergence))
        .help("compute it from parameters, `subgroup_id()` and `workgroup_id()`, or take the first invocation's: `subgroup::broadcast_first(…)`");
}

struct Text<'c> {
    files: &'c [String],
    barrier: Option<SourceLocation>,
}

impl Text<'_> {
    /// `line 7`, with the file where it is another one than the barrier's.
    fn line(&self, at: SourceLocation) -> String {
        let is_here = self.barrier.is_some_and(|barrier| barrier.file == at.file);
        let file =
            self.files.iter().enumerate().find(|(file, _)| gridwise_ir::arena::EntityId::index(at.file) == *file);
        match file {
            Some((_, file)) if !is_here => format!("{file}:{}", at.line),
            _ => format!("line {}", at.line),
        }
    }

    fn at(&self, at: Option<SourceLocation>) -> String {
        at.map_or_else(String::new, |at| format!(" at {}", self.line(at)))
    }

    fn in_parentheses(&self, at: Option<SourceLocation>) -> String {
        at.map_or_else(String::new, |at| format!(" ({})", self.line(at)))
    }

    /// The control flow that keeps some invocations away, and the remedy.
    fn way(&self, divergence: &Divergence) -> (String, &'static str) {
        let condition = format!("the condition{} differs between invocations", self.at(divergence.condition));
        match divergence.jump {
            None => (
                format!("only some invocations take the branch to it: {condition}"),
                "move the barrier after the branch, where all invocations meet again",
            ),
            Some((Jump::Return, at)) => (
                format!("some invocations `return`{}: {condition}", self.at(at)),
                "put the work of the others into an `if` instead, so that all reach the barrier",
            ),
            Some((Jump::Break, at)) => (
                format!("some invocations leave the loop{}: {condition}", self.at(at)),
                "let all run the same number of iterations, with an `if` around the work of those that are not done",
            ),
            Some((Jump::Continue, at)) => (
                format!("some invocations `continue`{}: {condition}", self.at(at)),
                "put the rest of the iteration into an `if`, and the barrier after it",
            ),
        }
    }

    /// The origin of the divergence.
    fn origin(&self, divergence: &Divergence) -> String {
        let origin = match divergence.origin {
            Origin::Builtin(builtin) => format!("`{}()`", builtin.name()),
            Origin::Atomic => "an atomic operation, which may return another value each time".to_owned(),
            Origin::Subgroup => "a subgroup operation, which each subgroup does for itself".to_owned(),
            Origin::Call => "a function that asks for the invocation's position".to_owned(),
            Origin::Load => "memory".to_owned(),
        };
        let mut text = "it comes from ".to_owned();
        for link in divergence.through.iter().take(MAX_THROUGH) {
            text.push_str(&format!("`{}`{}, that from ", link.name, self.in_parentheses(link.at)));
        }
        text + &origin + &self.in_parentheses(divergence.origin_at)
    }
}
