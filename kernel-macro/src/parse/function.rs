//! Paths where methods take something to call: `.map(f32::sqrt)`. Whether one names a function is found by inference; here
//! the closure is made that it then stands for.

use std::rc::Rc;

use proc_macro2::{Ident, Span};

use super::Parser;
use crate::ast::{BinaryOp, Closure, Expr, ExprKind, FunctionArg, Path, Pattern, ScalarName, SpanRange};

/// Methods with something to call among their arguments: position, and how many parameters it may have.
const CALLERS: &[(&str, usize, &[usize])] = &[
    ("map", 0, &[1]),
    ("zip_map", 1, &[2]),
    ("and_then", 0, &[1]),
    ("or_else", 0, &[0, 1]),
    ("unwrap_or_else", 0, &[0, 1]),
    ("ok_or_else", 0, &[0]),
    ("map_or", 1, &[1]),
    ("map_or_else", 0, &[0, 1]),
    ("map_or_else", 1, &[1]),
    ("map_err", 0, &[1]),
    ("is_some_and", 0, &[1]),
    ("is_none_or", 0, &[1]),
    ("is_ok_and", 0, &[1]),
    ("is_err_and", 0, &[1]),
    ("get_or_insert_with", 0, &[0]),
    ("then", 0, &[0]),
    ("then_with", 0, &[0]),
    ("filter", 0, &[1]),
    ("filter_map", 0, &[1]),
    ("flat_map", 0, &[1]),
    ("inspect", 0, &[1]),
    ("inspect_err", 0, &[1]),
    ("take_while", 0, &[1]),
    ("skip_while", 0, &[1]),
    ("map_while", 0, &[1]),
    ("for_each", 0, &[1]),
    ("any", 0, &[1]),
    ("all", 0, &[1]),
    ("find", 0, &[1]),
    ("rfind", 0, &[1]),
    ("find_map", 0, &[1]),
    ("position", 0, &[1]),
    ("rposition", 0, &[1]),
    ("partition_point", 0, &[1]),
    ("binary_search_by", 0, &[1]),
    ("binary_search_by_key", 1, &[1]),
    ("min_by_key", 0, &[1]),
    ("max_by_key", 0, &[1]),
    ("min_by", 0, &[2]),
    ("max_by", 0, &[2]),
    ("reduce", 0, &[2]),
    ("fold", 1, &[2]),
    ("rfold", 1, &[2]),
    ("try_fold", 1, &[2]),
    ("try_for_each", 0, &[1]),
];

/// Names of the parameters; those of closures that stand where the author wrote a path.
const PARAMS: [&str; 2] = ["__first", "__second"];

impl Parser<'_> {
    /// The arguments of a method that may name functions.
    pub(super) fn function_args(&mut self, method: &Ident, args: &[Expr]) -> Vec<FunctionArg> {
        // A path by way of a trait, `<T as Trait>::NAME`, names a const.
        let is_function = |arg: &Expr| matches!(&arg.kind, ExprKind::Path(path) if path.through.is_none());
        if !args.iter().any(is_function) {
            return Vec::new();
        }
        let (mut found, method) = (Vec::new(), method.to_string());
        for (_, position, counts) in CALLERS.iter().filter(|(name, ..)| method == *name) {
            if let Some(Expr { kind: ExprKind::Path(path), span, .. }) = args.get(*position)
                && path.through.is_none()
            {
                let closures = counts.iter().map(|count| self.calling(path, *span, *count)).collect();
                found.push(FunctionArg { position: *position, closures });
            }
        }
        found
    }

    /// `|a| path(a)` with `count` parameters.
    fn calling(&mut self, path: &Path, span: SpanRange, count: usize) -> Expr {
        let place = Span::mixed_site().located_at(span.start);
        let (mut params, mut args) = (Vec::new(), Vec::new());
        for name in &PARAMS[..count] {
            let name = Ident::new(name, place);
            let binding = self.next_binding();
            params.push((Pattern::Binding { name: name.clone(), mutable: false, binding, inner: None }, None));
            let kind = ExprKind::Path(Path::plain(false, vec![name]));
            args.push(self.node(kind, span));
        }
        let kind = match (ordering_method(path).or_else(|| library_method(path)), args.len()) {
            (_, 2) if operator_of(path).is_some() => {
                let (op, right) = (operator_of(path).unwrap_or(BinaryOp::Add), args.remove(1));
                ExprKind::Binary(op, Box::new(args.remove(0)), Box::new(right), place)
            }

            (Some(method), 1 | 2) => {
                let receiver = Box::new(args.remove(0));
                ExprKind::Method { receiver, name: method.clone(), turbofish: None, args, functions: Vec::new() }
            }
            _ => ExprKind::Call { callee: path.clone(), callee_span: span, args },
        };
        let body = self.node(kind, span);
        let closure = Closure { moves: None, params, result: None, body, jumps: false };
        self.node(ExprKind::Closure(Rc::new(closure)), span)
    }
}

/// The method of all numbers, or of what has an order, that a path names: `f32::total_cmp`, `Ord::cmp`.
pub(super) fn ordering_method(path: &Path) -> Option<&Ident> {
    let [of, method] = path.segments.as_slice() else { return None };
    is_ordering(&of.to_string(), &method.to_string()).then_some(method)
}

/// The method that a path to one of Rust's own types or traits names, `Option::is_none`, `Ord::max`: what is called so may as well be
/// written as a method.
pub(super) fn library_method(path: &Path) -> Option<&Ident> {
    let [qualifiers @ .., of, method] = path.segments.as_slice() else { return None };
    let is_foreign = qualifiers.first().is_none_or(|first| first == "std" || first == "core");
    let (name, is_plain) = (method.to_string(), path.through.is_none() && path.generics.is_empty());
    let is_method = match of.to_string().as_str() {
        "Option" | "Result" => name.starts_with(char::is_lowercase),
        "Ord" => matches!(name.as_str(), "cmp" | "max" | "min" | "clamp"),
        "PartialOrd" => matches!(name.as_str(), "partial_cmp" | "lt" | "le" | "gt" | "ge"),
        "PartialEq" => matches!(name.as_str(), "eq" | "ne"),
        "Clone" => name == "clone",
        "Into" => name == "into",
        "Ordering" => {
            matches!(name.as_str(), "reverse" | "then" | "is_lt" | "is_le" | "is_gt" | "is_ge" | "is_eq" | "is_ne")
        }
        _ => false,
    };
    (is_method && is_foreign && is_plain).then_some(method)
}

/// The operator whose trait's method a path names: `Add::add`, `std::ops::Mul::mul`.
pub(super) fn operator_of(path: &Path) -> Option<BinaryOp> {
    let [qualifiers @ .., of, method] = path.segments.as_slice() else { return None };
    let is_foreign = qualifiers.first().is_none_or(|first| first == "std" || first == "core");
    let op = match (of.to_string().as_str(), method.to_string().as_str()) {
        ("Add", "add") => BinaryOp::Add,
        ("Sub", "sub") => BinaryOp::Sub,
        ("Mul", "mul") => BinaryOp::Mul,
        ("Div", "div") => BinaryOp::Div,
        ("Rem", "rem") => BinaryOp::Rem,
        ("BitAnd", "bitand") => BinaryOp::BitAnd,
        ("BitOr", "bitor") => BinaryOp::BitOr,
        ("BitXor", "bitxor") => BinaryOp::BitXor,
        _ => return None,
    };
    is_foreign.then_some(op)
}

/// Whether a path to a function names a method of numbers, or of what has an order, and not a function of the author's own.
pub(super) fn is_ordering(of: &str, method: &str) -> bool {
    match method {
        "cmp" | "partial_cmp" => ScalarName::from_name(of).is_some() || of == "Ord" || of == "PartialOrd",
        "total_cmp" => ScalarName::from_name(of).is_some(),
        _ => false,
    }
}
