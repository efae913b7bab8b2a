//! Inference of calls that make invocations work together: barriers, fences, what all agree on. Subgroups and atomics have files of their own.

use gridwise_ir::ir::{Order, Scope};

use crate::ast::{Expr, ExprKind, PathCall, SpanRange};
use crate::builtin::names::is_subgroup_function;
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, Ty};

use super::Because;
use super::block::strip;
use super::finish::Deferred;
use super::name::parent;
use super::unify::Term;
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    /// `barrier()`, `fence(scope, order)`, `subgroup::…`; `None` for other calls.
    pub(super) fn infer_parallel_call(&mut self, PathCall { expr, path, span, args }: PathCall<'a>) -> Option<Term> {
        let name = path.segments.last()?.to_string();
        if is_subgroup_function(path) {
            return Some(self.infer_subgroup(expr, &name, span, args));
        }
        let owner = parent(path).segments.last().map(ToString::to_string);
        match (owner.as_deref(), name.as_str()) {
            (None | Some("gridwise"), "barrier") => {
                if !args.is_empty() {
                    self.report_arity(&name, 0, args, span);
                    return Some(self.infer_arguments_only(args));
                }
                self.tables.calls.insert(expr.id, Callee::Barrier);
                Some(Term::Unit)
            }
            (None | Some("gridwise"), "workgroup_uniform") => Some(self.infer_uniform(expr, span, args)),
            (None | Some("gridwise"), "detach") => Some(self.infer_detach(expr, span, args)),
            (None | Some("gridwise"), "with_slope") => Some(self.infer_with_slope(expr, span, args)),
            (None | Some("gridwise"), "fence") => Some(self.infer_fence(expr, span, args)),
            (Some("Atomic"), _) => {
                self.error(code::ATOMIC_USE, span, format!("`{}` is not available in kernels", path.text()))
                    .note("atomics live in buffers and in shared memory, where they begin as zeros")
                    .help("call methods on an element: `counts[i].fetch_add(1, Relaxed)`");
                Some(Term::Error)
            }
            _ => None,
        }
    }

    fn infer_uniform(&mut self, expr: &'a Expr, span: SpanRange, args: &'a [Expr]) -> Term {
        let [value] = args else {
            self.report_arity("workgroup_uniform", 1, args, span);
            return self.infer_arguments_only(args);
        };
        let term = self.infer(value, &Expect::Nothing);
        self.deferred.push(Deferred::Uniform { arg: value, term: term.clone() });
        self.tables.calls.insert(expr.id, Callee::Uniform);
        term
    }

    /// Checks the type of what is said to be uniform, once it is known.
    pub(super) fn check_uniform(&mut self, arg: &Expr, term: &Term) {
        match self.table.resolve(term) {
            None | Some(Ty::Error | Ty::Never) => {}
            Some(Ty::Scalar(scalar)) if !scalar.is_float() && !scalar.is_wide() => {}
            Some(ty) => {
                let message = format!("`workgroup_uniform` does not take `{}`", self.name_of(&ty));
                self.error(code::DIVERGENT_BARRIER, arg.span, message)
                    .note("it takes a `bool` or an integer, for conditions and bounds of loops")
                    .help("write it around the condition");
            }
        }
    }

    fn infer_detach(&mut self, expr: &'a Expr, span: SpanRange, args: &'a [Expr]) -> Term {
        let [value] = args else {
            self.report_arity("detach", 1, args, span);
            return self.infer_arguments_only(args);
        };
        let term = self.infer(value, &Expect::Nothing);
        self.deferred.push(Deferred::Sloped { arg: value, term: term.clone(), function: "detach", lanes: true });
        self.tables.calls.insert(expr.id, Callee::Detach);
        term
    }

    fn infer_with_slope(&mut self, expr: &'a Expr, span: SpanRange, args: &'a [Expr]) -> Term {
        let [value, x, slope] = args else {
            self.report_arity("with_slope", 3, args, span);
            return self.infer_arguments_only(args);
        };
        let term = self.infer(value, &Expect::Nothing);
        let by = self.infer(x, &Expect::Nothing);
        self.check(slope, &by, Because::Nothing);
        self.deferred.push(Deferred::Sloped { arg: value, term: term.clone(), function: "with_slope", lanes: false });
        self.deferred.push(Deferred::Sloped { arg: x, term: by, function: "with_slope", lanes: true });
        self.tables.calls.insert(expr.id, Callee::WithSlope);
        term
    }

    /// Checks the type of what is said of a gradient, once it is known.
    pub(super) fn check_sloped(&mut self, arg: &Expr, term: &Term, function: &str, lanes: bool) {
        match self.table.resolve(term) {
            None | Some(Ty::Error | Ty::Never) => {}
            Some(Ty::Scalar(scalar)) if scalar.is_float() => {}
            Some(Ty::Vector(scalar, _)) if scalar.is_float() && lanes => {}
            Some(ty) => {
                let message = format!("`{function}` does not take `{}`", self.name_of(&ty));
                self.error(code::MISMATCHED_TYPES, arg.span, message)
                    .note(if lanes { "it takes a float or a vector of floats" } else { "its value is a float" })
                    .help("write it around the floats that count");
            }
        }
    }

    fn infer_fence(&mut self, expr: &'a Expr, span: SpanRange, args: &'a [Expr]) -> Term {
        let [scope, order] = args else {
            self.error(
                code::WRONG_ARGUMENTS,
                span,
                format!("`fence` takes 2 arguments, but {} were given", args.len()),
            )
            .help("write `fence(Scope::Workgroup, AcqRel)`");
            return Term::Unit;
        };
        let last = match &strip(scope).kind {
            ExprKind::Path(path) => path.segments.last().map(ToString::to_string).unwrap_or_default(),
            _ => String::new(),
        };
        let known = match last.as_str() {
            "Subgroup" => Some(Scope::Subgroup),
            "Workgroup" => Some(Scope::Workgroup),
            "Device" => Some(Scope::Device),
            _ => None,
        };
        if known.is_none() {
            self.error(code::MEMORY_ORDER, scope.span, format!("expected a scope, found `{}`", text(scope)))
                .help("write `Scope::Subgroup`, `Scope::Workgroup` or `Scope::Device`");
        }
        let order_at = order;
        let order = self.order_of(order);
        if order == Some(Order::Relaxed) {
            self.error(code::MEMORY_ORDER, order_at.span, "a fence cannot have the order `Relaxed`")
                .note("it would order nothing")
                .help("write `Acquire`, `Release` or `AcqRel`");
        } else if let (Some(scope), Some(order)) = (known, order) {
            self.tables.calls.insert(expr.id, Callee::Fence(scope, order));
        }
        Term::Unit
    }
}
