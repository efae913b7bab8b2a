//! Inference of comparisons of what is made of parts: which types have an order or equality, which functions that leads to,
//! and the methods `cmp`, `partial_cmp`, `max` and their like where no `impl` has them.

use crate::ast::{Enum, Expr, ExprKind, Item, MethodCall, Path, ScalarName, SpanRange, Struct};
use crate::builtin::intrinsic::Kind;
use crate::builtin::standard::{Given, MAX_COMPARED, Standard};
use crate::diag::code;
use crate::program::ItemId;
use crate::source::text;
use crate::typed::{Callee, Comparison, Len, Ty};

use super::finish::Deferred;
use super::method::find_row;
use super::mismatch::Because;
use super::unify::Term;
use super::{Expect, Infer, range};

impl<'a> Infer<'a> {
    /// `std::cmp::max(a, b)` and `min`: the method of that name, which floats have, too, and these functions do not take.
    pub(super) fn infer_cmp_call(&mut self, expr: &'a Expr, path: &'a Path, span: SpanRange, args: &'a [Expr]) -> Term {
        let name = path.segments.last().map(ToString::to_string).unwrap_or_default();
        let [left, right] = args else {
            self.report_arity(&name, 2, args, span);
            return self.infer_arguments_only(args);
        };
        let term = self.infer(left, &Expect::Nothing);
        let found = self.infer(right, &Expect::Type(term.clone(), Because::Nothing));
        self.coerce(right, &found, &term, Because::Nothing);
        let term = self.table.shallow(&term);
        let is_integer = self.is_integer(&term);
        // All integers have the same row.
        let row = find_row(&name, if is_integer { &Term::U32 } else { &term }, Some(Kind::Method));
        match (row, &term) {
            (_, Term::Error | Term::Never) => return term,
            (Some(row), _) if is_integer => {
                self.tables.calls.insert(expr.id, Callee::Intrinsic(row.intrinsic));
                return term;
            }
            (_, term) if is_composite(term) => {
                let method = if name == "max" { Comparison::Max } else { Comparison::Min };
                self.tables.calls.insert(expr.id, Callee::Compare(method));
                for of in [Standard::Ord, Standard::PartialOrd] {
                    self.deferred.push(Deferred::Compared { operand: left, term: term.clone(), of });
                }
                return term.clone();
            }
            _ => {}
        }
        let (kind, receiver, argument) = (self.describe(&term), text(left), text(right));
        let receiver = match left.kind {
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(..) | ExprKind::Literal(_) => {
                format!("({receiver})")
            }
            _ => receiver,
        };
        self.error(code::UNKNOWN_NAME, span, format!("function `{}` does not take {kind} in kernels", path.text()))
            .help(format!("write `{receiver}.{name}({argument})`"));
        Term::Error
    }

    /// A method that compares, of a type that may have it; `None` for other names and types.
    pub(super) fn infer_comparison(&mut self, call: MethodCall<'a>, term: &Term) -> Option<Term> {
        let MethodCall { expr, receiver, name, args } = call;
        let text = name.to_string();
        let method = Comparison::named(&text)?;
        let fits = match term {
            Term::Scalar(scalar) => scalar.is_float() || method != Comparison::TotalCmp,
            _ => is_comparable(term) && method != Comparison::TotalCmp,
        };
        if !fits {
            return None;
        }
        self.tables.calls.insert(expr.id, Callee::Compare(method));
        let wanted = if method == Comparison::Clamp { 2 } else { 1 };
        if args.len() != wanted {
            self.report_arity(&text, wanted, args, range(name.span()));
            self.infer_arguments_only(args);
        } else {
            for arg in args {
                let found = self.infer_reference(arg, &Expect::Type(term.clone(), Because::Nothing));
                let before = self.diags.len();
                self.coerce(arg, &found, term, Because::Nothing);
                if self.diags.len() == before {
                    self.check_compared_reference(arg, method);
                }
            }
            let compared = |of| Deferred::Compared { operand: receiver, term: term.clone(), of };
            if method != Comparison::TotalCmp {
                self.deferred.push(compared(method.standard()));
            }
            // The default methods of `Ord` go by `<`.
            if method.takes_values() {
                self.deferred.push(compared(Standard::PartialOrd));
            }
        }
        Some(match method {
            Comparison::Cmp | Comparison::TotalCmp => Term::Ordering,
            Comparison::PartialCmp => super::option::option(&Term::Ordering),
            Comparison::Operator(_) => Term::BOOL,
            Comparison::Max | Comparison::Min | Comparison::Clamp => term.clone(),
        })
    }

    /// Reports an argument that is a reference where the method takes a value, or the other way round.
    fn check_compared_reference(&mut self, arg: &'a Expr, method: Comparison) {
        match (method.takes_values(), self.reference_of(arg)) {
            (true, Some(_)) => _ = self.refuse_reference(super::block::strip(arg)),
            // A parameter of a closure may be a reference in Rust.
            (false, None) if !self.has_references && !self.poisoned => {
                let source = crate::source::text(arg);
                self.error(code::MISMATCHED_TYPES, arg.span, "expected a reference, found a value")
                    .help(format!("write `&{source}`"));
            }
            _ => {}
        }
    }

    /// Reports an operand in which something has no equality or order that kernels know, and notes which functions the
    /// comparison leads to.
    pub(super) fn check_compared(&mut self, operand: &Expr, ty: &Ty, of: Standard) {
        let mut found = Vec::new();
        let Err(part) = self.program.implied(ty, of, &mut found) else {
            if !found.is_empty() {
                self.tables.implied.entry(operand.id).or_default().extend(found);
            }
            return;
        };
        let (whole, part_name) = (self.name_of(ty), self.name_of(&part));
        let help = match &part {
            Ty::Struct(item, _) | Ty::Enum(item, _) => self.help_to_compare(*item, of),
            Ty::Array(_, Len::Chosen(_)) => "compare the elements in a loop: the launch decides how many".to_owned(),
            Ty::Array(..) => format!("compare the elements in a loop: arrays of more than {MAX_COMPARED} are long"),
            Ty::Scalar(_) => "floats have no total order, because of NaN: `partial_cmp`, or `total_cmp`".to_owned(),
            Ty::Vector(ScalarName::Bool, _) => "use `.any()` and `.all()`".to_owned(),
            Ty::Vector(..) => "compare lane by lane with `cmplt`, `cmpge`, …, then `.all()` or `.any()`".to_owned(),
            _ => "compare the parts that can be compared".to_owned(),
        };
        let message = match of {
            Standard::PartialEq => format!("cannot compare `{whole}` with `==`"),
            _ => format!("`{whole}` has no `{}` that kernels know", of.name()),
        };
        let error = self.error(code::BAD_OPERAND, operand.span, message);
        if part != *ty {
            error.note(format!("it contains `{part_name}`"));
        }
        error.help(help);
    }

    fn help_to_compare(&self, item: ItemId, of: Standard) -> String {
        let name = self.name_of(&match self.program.items[item].item {
            Item::Enum(_) => Ty::Enum(item, None),
            _ => Ty::Struct(item, None),
        });
        if self.program.given(item, of) == Given::Overridden {
            let is_generic = match &self.program.items[item].item {
                Item::Struct(Struct { generics, .. }) | Item::Enum(Enum { generics, .. }) => {
                    !generics.params.is_empty()
                }
                _ => false,
            };
            if is_generic {
                return format!("compare the `{name}` inside: which `impl` it has depends on its generic arguments");
            }
            let (of, function) = (of.name(), of.function());
            return format!(
                "write `{function}` only in `impl {of} for {name}`: kernels use that one function for every comparison"
            );
        }
        match (of, &self.program.items[item].item) {
            (Standard::PartialEq, Item::Struct(_)) if !self.is_local_type(item) => {
                format!("compare its fields, or write `impl PartialEq for {name}` beside it, in a `#[device] mod`")
            }
            (Standard::PartialEq, _) => {
                format!("write `#[derive(Clone, Copy, PartialEq)]` below the `#[device]` of `{name}`")
            }
            _ => self.help_to_derive(item, of.name()),
        }
    }

    /// Whether a type was declared by `#[device]`, so that its attributes were seen.
    fn is_local_type(&self, item: ItemId) -> bool {
        match &self.program.items[item].item {
            Item::Struct(definition) => definition.shape != crate::ast::Shape::Named,
            _ => true,
        }
    }
}

/// Whether a type is one that is compared member by member.
pub(super) fn is_composite(term: &Term) -> bool {
    matches!(
        term,
        Term::Tuple(_)
            | Term::Array(..)
            | Term::Struct(_, _)
            | Term::Enum(_, _)
            | Term::Option(_)
            | Term::Result(..)
            | Term::Ordering
            | Term::Unit
    )
}

/// Whether a type may have the methods of `Ord` and its like.
fn is_comparable(term: &Term) -> bool {
    is_composite(term) || matches!(term, Term::Scalar(_))
}
