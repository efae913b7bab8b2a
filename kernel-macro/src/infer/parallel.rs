//! Inference of what invocations do together: shared variables, atomics, barriers, subgroup operations.

use std::rc::Rc;

use gridwise_ir::ir::{AtomicOp, Fold, Order, Scope, Span, SubgroupOp};
use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, Item, Path, Pattern, ScalarName, SpanRange, TypeExpr};
use crate::diag::code;
use crate::gather::is_subgroup_function;
use crate::program::{Program, TypedItem};
use crate::source::text;
use crate::typed::{Callee, ConstValue, Resolution, SharedUse, Ty};

use super::block::strip;
use super::finish::Deferred;
use super::mismatch::Because;
use super::name::parent;
use super::suggest::nearest;
use super::unify::Term;
use super::{Expect, Infer, range};

/// Methods of `Atomic<T>`.
const ATOMIC_METHODS: [&str; 11] = [
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

/// What subgroups exchange, and vectors of it.
const EXCHANGED: [ScalarName; 11] = [
    ScalarName::Bool,
    ScalarName::I8,
    ScalarName::U8,
    ScalarName::I16,
    ScalarName::U16,
    ScalarName::I32,
    ScalarName::U32,
    ScalarName::I64,
    ScalarName::U64,
    ScalarName::F32,
    ScalarName::F64,
];

/// What an operation of the subgroup takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    Nothing,
    Bool,
    Ballot,
    /// Any scalar or vector.
    Any,
    /// Numbers and vectors of them.
    Number,
    /// `bool`, integers and vectors of them.
    Bits,
}

/// What follows the operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extra {
    Nothing,
    /// A `u32`.
    Index,
    /// A constant power of two.
    ClusterSize,
    /// A constant from 0 to 3.
    QuadLane,
}

impl<'a> Infer<'a> {
    /// `let name = Shared::<T>::new();`
    pub(super) fn infer_shared_let(
        &mut self,
        pattern: &'a Pattern,
        declared: Option<&'a TypeExpr>,
        value: &'a Expr,
        ty: Option<&'a TypeExpr>,
    ) -> Term {
        let inner = match ty {
            Some(ty) => self.term_of(ty),
            None => self.fresh(),
        };
        let term = Term::Shared(Rc::new(inner));
        if let Some(declared) = declared {
            let expected = self.term_of(declared);
            if !self.table.unify(&term, &expected) {
                self.report_mismatch(value, &expected, &term, Because::LetType(declared.span.start));
            }
        }
        self.record(value.id, term.clone());
        let binding = match pattern {
            Pattern::Binding { binding, .. } => Some(*binding),
            _ => None,
        };
        self.tables.shared.push(SharedUse { expr: value.id, span: value.span, binding });
        term
    }

    /// `Shared::new()` anywhere else.
    pub(super) fn infer_stray_shared(&mut self, expr: &'a Expr, ty: Option<&'a TypeExpr>) -> Term {
        if let Some(ty) = ty {
            self.term_of(ty);
        }
        self.tables.shared.push(SharedUse { expr: expr.id, span: expr.span, binding: None });
        Term::Error
    }

    /// Reports an expression that is used as a value and has none: shared variables and what holds atomics.
    pub(super) fn refuse_value(&mut self, expr: &Expr, term: Term) -> Term {
        let shallow = self.table.shallow(&term);
        let source = text(expr);
        match &shallow {
            Term::Shared(inner) => {
                let error = self.diags.error(
                    code::SHARED_USE,
                    expr.span,
                    format!("the shared variable `{source}` is used as a value"),
                );
                match self.table.shallow(inner) {
                    Term::Array(..) => error.help(format!("index it: `{source}[i]`")),
                    Term::Struct(_) => error.help(format!("use its fields: `{source}.field`")),
                    _ => error.help("shared memory is an array or a struct: `Shared<[T; N]>`"),
                };
            }
            Term::Atomic(_) => {
                let name = self.describe(&shallow);
                self.diags
                    .error(code::ATOMIC_USE, expr.span, format!("`{source}` is an {name}, which is no value"))
                    .help(format!("read it with `{source}.load(Relaxed)`"));
            }
            other => {
                let holds = self.table.resolve(other).is_some_and(|ty| holds_atomics(self.program, &ty));
                if !holds {
                    return term;
                }
                let help = match other {
                    Term::Array(..) => format!("read one element: `{source}[i].load(Relaxed)`"),
                    _ => format!("read its fields one by one, the atomic ones with `{source}.field.load(Relaxed)`"),
                };
                self.diags
                    .error(code::ATOMIC_USE, expr.span, format!("`{source}` holds atomics and cannot be copied"))
                    .help(help);
            }
        }
        Term::Error
    }

    /// Reports an assignment to a shared variable as a whole, or to an atomic; whether it did.
    pub(super) fn refuse_store(&mut self, place: &Expr, operator: Option<&str>) -> bool {
        if let ExprKind::Path(path) = &strip(place).kind
            && let Some(Resolution::Binding(binding)) = self.tables.paths.get(&strip(place).id)
            && let Some(Term::Shared(_)) = self.local(*binding).map(|local| &local.term)
        {
            let name = path.text();
            self.diags
                .error(
                    code::SHARED_USE,
                    place.span,
                    format!("cannot assign to the shared variable `{name}` as a whole"),
                )
                .note("every invocation of the workgroup would write all of it")
                .help(format!("assign its elements: `{name}[i] = …`"));
            return true;
        }
        let term = self.term(place);
        let holds = self.table.resolve(&term).is_some_and(|ty| holds_atomics(self.program, &ty));
        if !holds {
            return false;
        }
        let (source, ty) = (text(place), self.describe(&self.table.shallow(&term)));
        let help = match (operator, &self.table.shallow(&term)) {
            (_, Term::Array(..)) => format!("write one element: `{source}[i].store(value, Relaxed)`"),
            (_, Term::Struct(_)) => {
                format!("write its fields one by one, the atomic ones with `{source}.field.store(value, Relaxed)`")
            }
            (Some(operator), _) => match fetch_of(operator) {
                Some(fetch) => format!("write `{source}.{fetch}(value, Relaxed)`"),
                None => format!("exchange it in a loop with `{source}.compare_exchange(…)`"),
            },
            (None, _) => format!("write `{source}.store(value, Relaxed)`"),
        };
        let what = match self.table.shallow(&term) {
            Term::Atomic(_) => format!("is an {ty}"),
            _ => "holds atomics".to_owned(),
        };
        self.diags.error(code::ATOMIC_USE, place.span, format!("cannot assign to `{source}`, which {what}")).help(help);
        true
    }

    /// A method of `Atomic<T>`.
    pub(super) fn infer_atomic_method(
        &mut self,
        expr: &'a Expr,
        receiver: &'a Expr,
        name: &'a Ident,
        scalar: ScalarName,
        args: &'a [Expr],
    ) -> Term {
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
        if let (AtomicOp::And | AtomicOp::Or | AtomicOp::Xor, ScalarName::F32 | ScalarName::F64) = (op, scalar) {
            self.diags
                .error(
                    code::UNKNOWN_METHOD,
                    range(name.span()),
                    format!("no method `{method}` on type `Atomic<{}>`", scalar.name()),
                )
                .note("bitwise operations are for integers")
                .help(format!("declare it `Atomic<{}>` and use `to_bits` and `from_bits`", scalar.unsigned().name()));
            return Term::Error;
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
            self.diags
                .error(
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
        self.diags
            .error(code::WRONG_ARGUMENTS, range(name.span()), message)
            .help(format!("write `{source}.{name}({})`", wanted.join(", ")));
        Term::Error
    }

    fn report_no_atomic_method(&mut self, receiver: &Expr, name: &Ident, scalar: ScalarName) {
        let (method, source) = (name.to_string(), text(receiver));
        let help = match method.as_str() {
            "fetch_update" | "update" | "try_update" => {
                "write a loop with `compare_exchange`: there is no closure in the middle of an atomic".to_owned()
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
        self.diags.error(code::UNKNOWN_METHOD, range(name.span()), message).help(help);
    }

    /// The memory order that an argument names.
    fn order_of(&mut self, arg: &Expr) -> Option<Order> {
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
            self.diags
                .error(code::MEMORY_ORDER, arg.span, "`SeqCst` is not available in kernels")
                .note("Vulkan's memory model has no single order of all operations, which `SeqCst` promises")
                .help("write `AcqRel` for operations that read and write, `Acquire` for loads, `Release` for stores");
            return None;
        }
        self.diags
            .error(code::MEMORY_ORDER, arg.span, format!("expected a memory order, found `{}`", text(arg)))
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
        self.diags.error(code::MEMORY_ORDER, at.span, message).help(instead);
        false
    }

    /// `barrier()`, `fence(scope, order)`, `subgroup::…`; `None` for other calls.
    pub(super) fn infer_parallel_call(
        &mut self,
        expr: &'a Expr,
        path: &'a Path,
        span: SpanRange,
        args: &'a [Expr],
    ) -> Option<Term> {
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
            (None | Some("gridwise"), "fence") => Some(self.infer_fence(expr, span, args)),
            (Some("Atomic"), _) => {
                self.diags
                    .error(code::ATOMIC_USE, span, format!("`{}` is not available in kernels", path.text()))
                    .note("atomics live in buffers and in shared memory, where they begin as zeros")
                    .help("call methods on an element: `counts[i].fetch_add(1, Relaxed)`");
                Some(Term::Error)
            }
            _ => None,
        }
    }

    fn infer_fence(&mut self, expr: &'a Expr, span: SpanRange, args: &'a [Expr]) -> Term {
        let [scope, order] = args else {
            self.diags
                .error(code::WRONG_ARGUMENTS, span, format!("`fence` takes 2 arguments, but {} were given", args.len()))
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
            self.diags
                .error(code::MEMORY_ORDER, scope.span, format!("expected a scope, found `{}`", text(scope)))
                .help("write `Scope::Subgroup`, `Scope::Workgroup` or `Scope::Device`");
        }
        let order_at = order;
        let order = self.order_of(order);
        if order == Some(Order::Relaxed) {
            self.diags
                .error(code::MEMORY_ORDER, order_at.span, "a fence cannot have the order `Relaxed`")
                .note("it would order nothing")
                .help("write `Acquire`, `Release` or `AcqRel`");
        } else if let (Some(scope), Some(order)) = (known, order) {
            self.tables.calls.insert(expr.id, Callee::Fence(scope, order));
        }
        Term::Unit
    }

    fn infer_subgroup(&mut self, expr: &'a Expr, name: &str, span: SpanRange, args: &'a [Expr]) -> Term {
        let Some((op, operand, extra)) = subgroup_function(name) else {
            let names: Vec<String> = subgroup_names();
            let message = format!("cannot find function `{name}` in module `subgroup`");
            let suggestion = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
            let error = self.diags.error(code::UNKNOWN_NAME, span, message);
            match suggestion {
                Some(known) => error.help(format!("a function with a similar name exists: `subgroup::{known}`")),
                None => error.help("subgroups have `add`, `min`, `inclusive_add`, `ballot`, `shuffle` and others"),
            };
            return self.infer_arguments_only(args);
        };
        let expected = usize::from(operand != Operand::Nothing) + usize::from(extra != Extra::Nothing);
        if args.len() != expected {
            self.report_arity(name, expected, args, span);
            return self.infer_arguments_only(args);
        }
        let first = match operand {
            Operand::Nothing => Term::BOOL,
            Operand::Bool => {
                self.check(&args[0], &Term::BOOL, Because::Nothing);
                Term::BOOL
            }
            Operand::Ballot => {
                self.check(&args[0], &Term::Vector(ScalarName::U32, 4), Because::Nothing);
                Term::U32
            }
            Operand::Any | Operand::Number | Operand::Bits => {
                let term = self.infer(&args[0], &Expect::Nothing);
                self.deferred.push(Deferred::Subgroup { arg: &args[0], term: term.clone(), operand });
                term
            }
        };
        let op = match extra {
            Extra::Nothing => Some(op),
            Extra::Index => {
                self.check(&args[1], &Term::U32, Because::Nothing);
                Some(op)
            }
            Extra::ClusterSize | Extra::QuadLane => self.constant_extra(op, &args[1]),
        };
        if let Some(op) = op {
            self.tables.calls.insert(expr.id, Callee::Subgroup(op));
        }
        match op {
            None => Term::Error,
            Some(SubgroupOp::Ballot) => Term::Vector(ScalarName::U32, 4),
            Some(SubgroupOp::AllEqual | SubgroupOp::BallotBit) => Term::BOOL,
            Some(_) => first,
        }
    }

    /// The operation with its constant argument.
    fn constant_extra(&mut self, op: SubgroupOp, arg: &'a Expr) -> Option<SubgroupOp> {
        let outer = (std::mem::replace(&mut self.constant, true), self.diverges);
        let before = self.diags.len();
        self.check(arg, &Term::U32, Because::Nothing);
        (self.constant, self.diverges) = outer;
        if self.diags.len() > before || self.table.is_poisoned(&self.term(arg)) {
            return None;
        }
        let ConstValue::U32(value) = self.evaluate(arg)? else { return None };
        let (fits, message, help) = match op {
            SubgroupOp::QuadBroadcast(_) => {
                (value < 4, format!("a quad has no invocation {value}"), "a quad has invocations 0 to 3")
            }
            _ => (
                value.is_power_of_two() && value <= 128,
                format!("a cluster of {value} invocations is not possible"),
                "the size of a cluster is a power of two from 1 to 128",
            ),
        };
        if !fits {
            self.diags.error(code::SUBGROUP_OPERAND, arg.span, message).help(help);
            return None;
        }
        Some(match op {
            SubgroupOp::QuadBroadcast(_) => SubgroupOp::QuadBroadcast(value),
            SubgroupOp::Reduce(fold, _) => SubgroupOp::Reduce(fold, Span::Cluster(value)),
            other => other,
        })
    }

    /// Checks the type of what a subgroup exchanges, once it is known.
    pub(super) fn check_subgroup_operand(&mut self, arg: &Expr, term: &Term, operand: Operand) {
        let Some(ty) = self.table.resolve(term) else { return };
        let scalar = match ty {
            Ty::Error | Ty::Never => return,
            Ty::Scalar(scalar) | Ty::Vector(scalar, _) if EXCHANGED.contains(&scalar) => Some(scalar),
            _ => None,
        };
        let source = text(arg);
        let (note, help) = match (scalar, operand) {
            (None, _) if ty == Ty::USIZE => {
                ("`usize` has another size on the host".to_owned(), Some(format!("write `{source} as u32`")))
            }
            (None, _) => ("subgroups exchange integers, `f32`, `f64`, `bool` and vectors".to_owned(), None),
            (Some(ScalarName::Bool), Operand::Number) => {
                ("`bool` has no arithmetic".to_owned(), Some("count with `subgroup::ballot_count`".to_owned()))
            }
            (Some(ScalarName::F32 | ScalarName::F64), Operand::Bits) => {
                let help = matches!(ty, Ty::Scalar(_)).then(|| format!("write `{source}.to_bits()`"));
                ("bitwise operations are for integers and `bool`".to_owned(), help)
            }
            _ => return,
        };
        let message = format!("a subgroup operation does not take `{}`", self.name_of(&ty));
        let error = self.diags.error(code::SUBGROUP_OPERAND, arg.span, message);
        error.note(note);
        if let Some(help) = help {
            error.help(help);
        }
    }
}

/// Whether a value of a type has atomics in it.
pub(crate) fn holds_atomics(program: &Program, ty: &Ty) -> bool {
    match ty {
        Ty::Atomic(_) => true,
        Ty::Array(element, _) | Ty::Buffer { element, .. } | Ty::Shared(element) => holds_atomics(program, element),
        Ty::Tuple(members) => members.iter().any(|member| holds_atomics(program, member)),
        Ty::Struct(item) => match (&program.items[*item].item, &program.items[*item].typed) {
            (Item::Struct(_), TypedItem::Struct(fields)) => fields.iter().any(|field| holds_atomics(program, field)),
            _ => false,
        },
        _ => false,
    }
}

/// The method that does what an operator would.
fn fetch_of(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "+" => "fetch_add",
        "-" => "fetch_sub",
        "&" => "fetch_and",
        "|" => "fetch_or",
        "^" => "fetch_xor",
        _ => return None,
    })
}

/// The function of module `subgroup` with this name; constant arguments are still to be filled in.
fn subgroup_function(name: &str) -> Option<(SubgroupOp, Operand, Extra)> {
    use SubgroupOp as Op;
    let plain = |op, operand| Some((op, operand, Extra::Nothing));
    let index = |op, operand| Some((op, operand, Extra::Index));
    match name {
        "elect" => plain(Op::Elect, Operand::Nothing),
        "any" => plain(Op::Any, Operand::Bool),
        "all" => plain(Op::All, Operand::Bool),
        "all_equal" => plain(Op::AllEqual, Operand::Any),
        "ballot" => plain(Op::Ballot, Operand::Bool),
        "ballot_bit" => index(Op::BallotBit, Operand::Ballot),
        "ballot_count" => plain(Op::BallotCount, Operand::Ballot),
        "ballot_inclusive_count" => plain(Op::BallotInclusiveCount, Operand::Ballot),
        "ballot_exclusive_count" => plain(Op::BallotExclusiveCount, Operand::Ballot),
        "ballot_lowest" => plain(Op::BallotLowest, Operand::Ballot),
        "ballot_highest" => plain(Op::BallotHighest, Operand::Ballot),
        "broadcast_first" => plain(Op::BroadcastFirst, Operand::Any),
        "broadcast" | "shuffle" => index(Op::Shuffle, Operand::Any),
        "shuffle_xor" => index(Op::ShuffleXor, Operand::Any),
        "shuffle_up" => index(Op::ShuffleUp, Operand::Any),
        "shuffle_down" => index(Op::ShuffleDown, Operand::Any),
        "rotate" => index(Op::Rotate, Operand::Any),
        "quad_broadcast" => Some((Op::QuadBroadcast(0), Operand::Any, Extra::QuadLane)),
        "quad_swap_horizontal" => plain(Op::QuadSwap(0), Operand::Any),
        "quad_swap_vertical" => plain(Op::QuadSwap(1), Operand::Any),
        "quad_swap_diagonal" => plain(Op::QuadSwap(2), Operand::Any),
        _ => {
            let (span, fold) = match name.split_once('_') {
                Some(("inclusive", fold)) => (Span::Inclusive, fold),
                Some(("exclusive", fold)) => (Span::Exclusive, fold),
                Some(("clustered", fold)) => (Span::Cluster(1), fold),
                _ => (Span::All, name),
            };
            let fold = Fold::ALL.into_iter().find(|known| known.name() == fold)?;
            let is_bitwise = matches!(fold, Fold::And | Fold::Or | Fold::Xor);
            let operand = if is_bitwise { Operand::Bits } else { Operand::Number };
            let extra = if matches!(span, Span::Cluster(_)) { Extra::ClusterSize } else { Extra::Nothing };
            Some((Op::Reduce(fold, span), operand, extra))
        }
    }
}

/// All functions of module `subgroup`, for suggestions.
fn subgroup_names() -> Vec<String> {
    let others = SubgroupOp::NAMED.iter().filter_map(|(_, name)| name.strip_prefix("subgroup_")).map(str::to_owned);
    let more = ["broadcast", "quad_broadcast", "quad_swap_horizontal", "quad_swap_vertical", "quad_swap_diagonal"];
    let folds = Fold::ALL.into_iter().flat_map(|fold| {
        ["", "inclusive_", "exclusive_", "clustered_"].map(|prefix| format!("{prefix}{}", fold.name()))
    });
    others.chain(more.map(str::to_owned)).chain(folds).collect()
}
