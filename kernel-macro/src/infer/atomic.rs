//! Inference of the methods of `Atomic<T>`, and memory orders. Uses of an atomic as a value are refused in `shared`.

use std::rc::Rc;

use gridwise_ir::ir::{AtomicOp, Order};
use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, MethodCall, ScalarName};
use crate::diag::code;
use crate::source::text;
use crate::typed::Callee;

use super::block::strip;
use super::mismatch::Because;
use super::suggest::nearest;
use super::unify::Term;
use super::{Infer, range};

/// Methods of `Atomic<T>`.
pub(super) const ATOMIC_METHODS: [&str; 11] = [
    "load",
    "store",
    "swap",
    "compare_exchange",
    "fetch_add",
    "fetch_sub",
    "fetch_min",
    "fetch_max",
    "fetch_and",
    "fetch_or",
    "fetch_xor",
];

impl<'a> Infer<'a> {
    /// A method of `Atomic<T>`.
    pub(super) fn infer_atomic_method(&mut self, call: MethodCall<'a>, scalar: ScalarName) -> Term {
        let MethodCall { expr, receiver, name, args } = call;
        let value = Term::Scalar(scalar);
        let method = name.to_string();
        let op = match method.as_str() {
            "load" => AtomicOp::Load,
            "store" => AtomicOp::Store,
            "swap" => AtomicOp::Exchange,
            "compare_exchange" => AtomicOp::CompareExchange(Order::Relaxed),
            "fetch_add" => AtomicOp::Add,
            "fetch_sub" => AtomicOp::Sub,
            "fetch_min" => AtomicOp::Min,
            "fetch_max" => AtomicOp::Max,
            "fetch_and" => AtomicOp::And,
            "fetch_or" => AtomicOp::Or,
            "fetch_xor" => AtomicOp::Xor,
            _ => {
                self.report_no_atomic_method(receiver, name, scalar);
                return Term::Error;
            }
        };
        if let (AtomicOp::And | AtomicOp::Or | AtomicOp::Xor, ScalarName::F16 | ScalarName::F32 | ScalarName::F64) =
            (op, scalar)
        {
            self.error(
                code::UNKNOWN_METHOD,
                range(name.span()),
                format!("no method `{method}` on type `Atomic<{}>`", scalar.name()),
            )
            .note("bitwise operations are for integers")
            .help(format!("declare it `Atomic<{}>` and use `to_bits` and `from_bits`", scalar.unsigned().name()));
            return Term::Error;
        }
        if scalar.bits() < 32 && is_in_struct(receiver) {
            return self.report_narrow_member(receiver, scalar);
        }
        let exchanges = matches!(op, AtomicOp::CompareExchange(_));
        let count = op.arity() + 1 + usize::from(exchanges);
        if args.len() != count {
            return self.report_atomic_arity(receiver, name, count, args);
        }
        let (values, orders) = args.split_at(op.arity());
        for arg in values {
            self.check(arg, &value, Because::Nothing);
        }
        let Some(order) = self.order_of(&orders[0]) else { return Term::Error };
        if !self.check_order(&method, op, order, &orders[0]) {
            return Term::Error;
        }
        let Some(failure) = orders.get(1) else {
            self.tables.calls.insert(expr.id, Callee::Atomic(op, order));
            return if op.reads() { value } else { Term::Unit };
        };
        let Some(order_of_failure) = self.order_of(failure) else { return Term::Error };
        if order_of_failure.releases() {
            self.error(
                code::MEMORY_ORDER,
                failure.span,
                format!("a failed exchange cannot have the order `{}`", text(failure)),
            )
            .note("nothing is written then")
            .help("write `Acquire` or `Relaxed`");
            return Term::Error;
        }
        let op = AtomicOp::CompareExchange(order_of_failure);
        self.tables.calls.insert(expr.id, Callee::Atomic(op, order));
        Term::Result(Rc::new(value.clone()), Rc::new(value))
    }

    /// Notes that a variable becomes another name of a place, which may hold atomics.
    pub(super) fn note_lent_atomic(&mut self, value: &Expr) {
        let stripped = strip(value);
        let lent = match &stripped.kind {
            ExprKind::Borrow { mutable: false, operand } => vec![operand.id, strip(operand).id],
            ExprKind::Path(_) if self.visible_reference(stripped) => Vec::new(),
            _ => return,
        };
        self.lent_atomics.extend(lent.into_iter().chain([value.id, stripped.id]));
    }

    /// Whether a path is a variable that is a reference.
    fn visible_reference(&self, path: &Expr) -> bool {
        let ExprKind::Path(path) = &path.kind else { return false };
        let Some(name) = path.as_name() else { return false };
        self.variable(name).is_some_and(|(binding, _)| self.tables.references.contains_key(&binding))
    }

    /// Reports a reference to an atomic that has no instructions of its own where it lies.
    pub(super) fn refuse_narrow_reference(&mut self, value: &Expr, term: &Term) {
        if let (Term::Atomic(scalar), ExprKind::Borrow { operand, .. }) = (self.table.shallow(term), &strip(value).kind)
            && scalar.bits() < 32
            && is_in_struct(operand)
        {
            self.report_narrow_member(operand, scalar);
        }
    }

    /// An atomic of less than a word, with neighbours that are no atomics.
    fn report_narrow_member(&mut self, receiver: &Expr, scalar: ScalarName) -> Term {
        let wide = match scalar {
            ScalarName::I8 | ScalarName::I16 => "Atomic<i32>",
            ScalarName::F16 => "Atomic<f32>",
            _ => "Atomic<u32>",
        };
        let message = format!("`Atomic<{}>` is not supported in structs and tuples", scalar.name());
        self.error(code::ATOMIC_USE, receiver.span, message)
            .note("devices exchange whole words, with the neighbouring bytes")
            .help(format!("declare it `{wide}`, or give it a buffer of its own: `&[Atomic<{}>]`", scalar.name()));
        Term::Error
    }

    fn report_atomic_arity(&mut self, receiver: &Expr, name: &Ident, count: usize, args: &'a [Expr]) -> Term {
        let source = text(receiver);
        let (orders, what) =
            if count == 4 { (2, "the last two memory orders") } else { (1, "the last a memory order") };
        let plural = if count == 1 { "" } else { "s" };
        let message = format!("`{name}` takes {count} argument{plural}, {what}, but {} were given", args.len());
        let values = count - orders;
        let mut wanted: Vec<String> = args.iter().take(values).map(text).collect();
        wanted.extend((wanted.len()..values).map(|_| "value".to_owned()));
        wanted.extend(["AcqRel", "Relaxed"][2 - orders..].iter().map(|&order| order.to_owned()));
        self.error(code::WRONG_ARGUMENTS, range(name.span()), message)
            .help(format!("write `{source}.{name}({})`", wanted.join(", ")));
        Term::Error
    }

    fn report_no_atomic_method(&mut self, receiver: &Expr, name: &Ident, scalar: ScalarName) {
        let (method, source) = (name.to_string(), text(receiver));
        let help = match method.as_str() {
            "fetch_update" | "update" | "try_update" => {
                "write a loop with `compare_exchange`: an atomic operation cannot call a closure".to_owned()
            }
            "compare_and_swap" | "compare_exchange_weak" => {
                "write `compare_exchange(old, new, order, order_of_failure)`".to_owned()
            }
            "fetch_nand" => "write a loop with `compare_exchange`".to_owned(),
            "get" | "into_inner" | "get_mut" | "as_ptr" => format!("read it with `{source}.load(Relaxed)`"),
            _ => match nearest(&method, ATOMIC_METHODS) {
                Some(known) => format!("a method with a similar name exists: `{known}`"),
                None => format!("read it first: `{source}.load(Relaxed)`"),
            },
        };
        let message = format!("no method `{method}` on type `Atomic<{}>`", scalar.name());
        self.error(code::UNKNOWN_METHOD, range(name.span()), message).help(help);
    }

    /// The memory order that an argument names.
    pub(super) fn order_of(&mut self, arg: &Expr) -> Option<Order> {
        let last = match &strip(arg).kind {
            ExprKind::Path(path) => path.segments.last().map(ToString::to_string).unwrap_or_default(),
            _ => String::new(),
        };
        let order = match last.as_str() {
            "Relaxed" => Some(Order::Relaxed),
            "Acquire" => Some(Order::Acquire),
            "Release" => Some(Order::Release),
            "AcqRel" => Some(Order::AcqRel),
            _ => None,
        };
        if order.is_some() {
            return order;
        }
        if last == "SeqCst" {
            self.error(code::MEMORY_ORDER, arg.span, "`SeqCst` is not available in kernels")
                .note("Vulkan's memory model has no single order of all operations, which `SeqCst` promises")
                .help("write `AcqRel` for operations that read and write, `Acquire` for loads, `Release` for stores");
            return None;
        }
        self.error(code::MEMORY_ORDER, arg.span, format!("expected a memory order, found `{}`", text(arg)))
            .note("an order is written out where it is used: it is part of the instruction")
            .help("write `Relaxed`, `Acquire`, `Release` or `AcqRel`");
        None
    }

    /// Whether an operation may have an order; reports when not.
    fn check_order(&mut self, name: &str, op: AtomicOp, order: Order, at: &Expr) -> bool {
        let instead = match op {
            AtomicOp::Load if order.releases() => "a load does not release: write `Acquire` or `Relaxed`",
            AtomicOp::Store if order.acquires() => "a store does not acquire: write `Release` or `Relaxed`",
            _ => return true,
        };
        let message = format!("`{name}` cannot have the order `{}`", text(at));
        self.error(code::MEMORY_ORDER, at.span, message).help(instead);
        false
    }
}

/// Whether a place is a member of something that is no array.
fn is_in_struct(place: &Expr) -> bool {
    match &strip(place).kind {
        ExprKind::Field { .. } => true,
        ExprKind::Index { base, .. } => is_in_struct(base),
        _ => false,
    }
}
