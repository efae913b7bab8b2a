//! The one wording of "expected X, found Y", its reasons and ways out. Decides no types.

use proc_macro2::Span;

use crate::ast::{BinaryOp, BindingId, Expr, ExprKind, Item, Literal, ScalarName, UnaryOp};
use crate::diag::code;
use crate::program::ItemId;
use crate::source::text;
use crate::typed::{Len, Resolution, Ty};

use super::block::strip;
use super::ty::vector_prefix;
use super::unify::{Term, VarKind};
use super::{Infer, line_of};

/// Why a type is expected.
#[derive(Debug, Clone, Copy)]
pub(super) enum Because {
    Nothing,
    /// The type after `let …:`.
    LetType(Span),
    /// The value of a variable assigned to.
    Assigned(BindingId),
    /// The result of the function.
    Result,
    /// An argument, by function and position.
    Argument(ItemId, u32),
    /// A struct's field.
    Field(ItemId, u32),
    Condition,
    Logic(BinaryOp),
    Statement,
    LoopBody,
    FirstArm(Span),
    FirstElement,
    RangeStart,
    /// The argument of `step_by`.
    Step,
    /// The type that a pattern is compared with.
    Matched,
    Guard,
    /// A member of a variant.
    Member,
    /// The alternative that an argument gives, by the method's receiver.
    Alternative,
    /// The index of a vector.
    Lane,
    ConstType,
    ArrayLength,
}

impl<'a> Infer<'a> {
    /// Reports an expression whose type is not the expected one.
    pub(super) fn report_mismatch(&mut self, expr: &Expr, expected: &Term, found: &Term, because: Because) {
        let note = self.because(because, expected, expr.span.start);
        self.report_mismatch_noting(expr, expected, found, note);
    }

    /// Why an operand must have some type: what the operand on the other side is.
    pub(super) fn operand_note(&self, side: &str, operand: &Expr, term: &Term, at: &Expr) -> String {
        let declared = self.declaration_note(operand, term, at.span.start);
        declared.unwrap_or_else(|| format!("the {side} operand is {}", self.describe(term)))
    }

    /// Reports a mismatch whose reason the caller knows.
    pub(super) fn report_mismatch_noting(&mut self, expr: &Expr, expected: &Term, found: &Term, note: Option<String>) {
        if self.table.is_poisoned(expected) || self.table.is_poisoned(found) {
            return;
        }
        let expr = strip(expr);
        let found_name = match literal_kind(expr) {
            Some(kind) if self.table.kind(found).is_some() => kind.to_owned(),
            _ => self.describe(found),
        };
        let declared = self.declaration_note(expr, found, expr.span.start);
        let help = self.conversion(expr, expected, found);
        let expected_name = self.describe(expected);
        let are_held = expected_name == found_name && self.holds_slices(expected);
        let [of_expected, of_found] = if are_held { self.held_sources(expected, found) } else { Default::default() };
        let message = format!("expected {expected_name}{of_expected}, found {found_name}{of_found}");
        let are_slices = expected_name == found_name && expected_name.contains("&");
        let error = self.error(code::MISMATCHED_TYPES, expr.span, message);
        if are_held {
            error
                .note("kernels have no pointers: what a slice in a struct is a part of is known when the kernel is compiled, and these two are parts of different parameters or variables")
                .help("choose between results, `if c { f(a) } else { f(b) }`, or between indices");
            return;
        }
        if are_slices {
            error
                .note(
                    "in kernels, the slices of each call of `windows`, `chunks` or `split_at` have a type of their own",
                )
                .help("choose the arguments first, and make one call");
            return;
        }
        for note in note.into_iter().chain(declared) {
            error.note(note);
        }
        if let Some(help) = help {
            error.help(help);
        }
    }

    /// A type for messages, in backticks when it is one that can be written.
    pub(super) fn describe(&self, term: &Term) -> String {
        match self.table.kind(term) {
            Some(VarKind::Int { .. }) => "an integer".to_owned(),
            Some(VarKind::Float) => "a float".to_owned(),
            Some(VarKind::Any) => "a value of unknown type".to_owned(),
            None => format!("`{}`", self.written(term)),
        }
    }

    pub(super) fn written(&self, term: &Term) -> String {
        match self.table.shallow(term) {
            Term::Var(_) => match self.table.kind(term) {
                Some(VarKind::Int { .. }) => "{integer}".to_owned(),
                Some(VarKind::Float) => "{float}".to_owned(),
                _ => "_".to_owned(),
            },
            Term::ArrayOf(element, _) | Term::Array(element, Len::Unknown) => {
                format!("[{}; _]", self.written(&element))
            }
            Term::Array(element, Len::Known(len)) => format!("[{}; {len}]", self.written(&element)),
            Term::Array(element, Len::Chosen(number)) => {
                format!("[{}; {}]", self.written(&element), self.program.chosen_name(number))
            }
            Term::Buffer { element, mutable, .. } => {
                format!("&{}[{}]", if mutable { "mut " } else { "" }, self.written(&element))
            }
            Term::Option(value) => format!("Option<{}>", self.written(&value)),
            Term::Result(value, error) => format!("Result<{}, {}>", self.written(&value), self.written(&error)),
            Term::Range(item, false) => format!("Range<{}>", self.written(&item)),
            Term::Range(item, true) => format!("RangeInclusive<{}>", self.written(&item)),
            Term::Iterator(item) => format!("impl Iterator<Item = {}>", self.written(&item)),
            Term::Shared(held) => format!("Shared<{}>", self.written(&held)),
            Term::Struct(item, Some(args)) | Term::Enum(item, Some(args)) => {
                let name = self.name_of(&Ty::Struct(item, None));
                // Behind its parameters are the slices that it holds.
                let own = args.len().saturating_sub(self.held_count(item));
                let args: Vec<String> = args[..own].iter().map(|arg| self.written(arg)).collect();
                if args.is_empty() { name } else { format!("{name}<{}>", args.join(", ")) }
            }
            Term::Tuple(members) => {
                let names: Vec<String> = members.iter().map(|member| self.written(member)).collect();
                if names.len() == 1 { format!("({},)", names[0]) } else { format!("({})", names.join(", ")) }
            }
            other => self.table.resolve(&other).map_or_else(|| "_".to_owned(), |ty| self.name_of(&ty)),
        }
    }

    /// The reason as a note; `None` when it is in plain sight, on the line of the error.
    pub(super) fn because(&self, because: Because, expected: &Term, at: Span) -> Option<String> {
        let name = self.describe(expected);
        let elsewhere = |span: Span| (line_of(span) != line_of(at)).then(|| line_of(span));
        match because {
            Because::Nothing | Because::ConstType | Because::Member => None,
            Because::Matched => Some(format!("the matched value is {name}")),
            Because::Guard => Some("a guard is a `bool`".to_owned()),
            Because::Alternative => Some(format!("the receiver asks for {name}")),
            Because::LetType(span) => elsewhere(span).map(|line| format!("the declared type is at line {line}")),
            Because::Assigned(binding) => self.local_note(binding, expected, at),
            Because::Result => {
                let Item::Fn(function) = &self.program.items[self.item].item else { return None };
                Some(match &function.result {
                    Some(_) => format!("`{}` returns {name}", function.name),
                    None => format!("`{}` returns nothing", function.name),
                })
            }
            Because::Argument(item, position) => {
                let Item::Fn(function) = &self.program.items[item].item else { return None };
                let param = function.params.get(position as usize)?;
                Some(format!("parameter `{}` of `{}` is {name}", param.name, function.name))
            }
            Because::Field(item, position) => {
                let Item::Struct(definition) = &self.program.items[item].item else { return None };
                let (field, _) = definition.fields.get(position as usize)?;
                Some(format!("field `{field}` of `{}` is {name}", definition.name))
            }
            Because::Condition => Some("a condition is a `bool`".to_owned()),
            Because::Logic(op) => Some(format!("`{}` combines `bool`s", op.symbol())),
            Because::Statement => Some("a statement without `;` has no value".to_owned()),
            Because::LoopBody => Some("the body of a loop has no value".to_owned()),
            Because::FirstArm(span) => Some(match elsewhere(span) {
                Some(line) => format!("the first branch is {name}, at line {line}"),
                None => format!("the first branch is {name}"),
            }),
            Because::Lane => Some("vectors are indexed by `usize`".to_owned()),
            Because::FirstElement => Some(format!("the first element is {name}")),
            Because::Step => Some("numbers of elements are `usize`".to_owned()),
            Because::RangeStart => Some(format!("the range starts with {name}")),
            Because::ArrayLength => Some("the length of an array is a `usize`".to_owned()),
        }
    }

    /// "`x` is `f32` because of its declaration at line 9", if the expression is a variable declared on another line.
    fn declaration_note(&self, expr: &Expr, term: &Term, at: Span) -> Option<String> {
        match self.tables.paths.get(&strip(expr).id) {
            Some(Resolution::Binding(binding)) => self.local_note(*binding, term, at),
            _ => None,
        }
    }

    fn local_note(&self, binding: BindingId, term: &Term, at: Span) -> Option<String> {
        let local = self.local(binding)?;
        (line_of(local.span) != line_of(at)).then(|| {
            let name = self.describe(term);
            format!("`{}` is {name} because of its declaration at line {}", local.name, line_of(local.span))
        })
    }

    /// The conversion that makes the expression fit.
    fn conversion(&self, expr: &Expr, expected: &Term, found: &Term) -> Option<String> {
        let expected_kind = self.table.kind(expected);
        let wants_float = expected_kind == Some(VarKind::Float)
            || matches!(self.table.shallow(expected), Term::Scalar(scalar) if scalar.is_float());
        let wants_integer = self.is_integer(expected);
        match literal_text(expr) {
            Some(Number::Int(digits)) if wants_float => return Some(format!("write `{digits}.0`")),
            Some(Number::Int(digits)) if wants_integer => return Some(format!("write `{digits}`")),
            Some(Number::Float(digits)) if wants_integer => {
                let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, "e"));
                let exact = fraction.bytes().all(|digit| digit == b'0');
                return exact.then(|| format!("write `{whole}`"));
            }
            _ => {}
        }
        let (expected, found) = (self.table.shallow(expected), self.table.shallow(found));
        let source = cast_source(expr);
        match (&expected, &found) {
            (Term::Scalar(ScalarName::Bool), _) if self.is_integer(&found) => Some(format!("write `{source} != 0`")),
            (Term::Scalar(ScalarName::Bool), Term::Scalar(_) | Term::Vector(..)) => None,
            (Term::Scalar(to), Term::Scalar(ScalarName::Bool)) if to.is_float() => {
                Some(format!("write `{source} as u32 as {}`", to.name()))
            }
            (Term::Scalar(ScalarName::Char), Term::Scalar(ScalarName::U8)) => Some(format!("write `{source} as char`")),
            (Term::Scalar(ScalarName::Char), Term::Scalar(ScalarName::U32)) => {
                Some(format!("write `char::from_u32({source})`, which gives an `Option`"))
            }
            (Term::Scalar(ScalarName::Char), _) => None,
            (Term::Scalar(to), Term::Scalar(ScalarName::Char)) if !to.is_int() => None,
            (Term::Scalar(to), Term::Scalar(from)) if to.is_half() || from.is_half() => {
                Some(super::finish::half_conversion(&source, *from, *to))
            }
            (Term::Scalar(to), Term::Var(_)) if to.is_half() => {
                Some(format!("write `{}::from_f32({source})`", to.name()))
            }
            (Term::Scalar(to), Term::Scalar(_) | Term::Var(_)) => Some(format!("write `{source} as {}`", to.name())),
            (Term::Vector(scalar, lanes), _) if self.could_be(&found, *scalar) => {
                Some(format!("write `{}{lanes}::splat({})`", vector_prefix(*scalar), text(expr)))
            }
            (Term::Vector(to, lanes), Term::Vector(from, other)) if lanes == other && *from != ScalarName::Bool => {
                match to {
                    ScalarName::Bool => None,
                    _ => Some(format!("write `{source}.as_{}{lanes}()`", vector_prefix(*to).to_lowercase())),
                }
            }
            (Term::Vector(to, lanes), Term::Vector(from, other)) if to == from && *other + 1 == *lanes => {
                Some(format!("write `{source}.extend(…)` with the last lane"))
            }
            (Term::Vector(to, lanes), Term::Vector(from, other)) if to == from && *other == *lanes + 1 => {
                Some(format!("write `{source}.truncate()`"))
            }
            (Term::Scalar(_), Term::Vector(..)) => Some(match &strip(expr).kind {
                ExprKind::Binary(crate::ast::BinaryOp::Mul, left, right, _) => {
                    format!("for the dot product write `{}.dot({})`", cast_source(left), text(right))
                }
                _ => "take one lane: `.x`".to_owned(),
            }),
            (Term::Scalar(ScalarName::Bool), Term::Unit) if matches!(expr.kind, ExprKind::Assign(..)) => {
                Some("compare with `==`".to_owned())
            }
            (Term::Option(inner), _) if self.table.shallow(inner) == found => {
                Some(format!("write `Some({})`", text(expr)))
            }
            (Term::Result(inner, _), _) if self.table.shallow(inner) == found => {
                Some(format!("write `Ok({})`", text(expr)))
            }
            (Term::Unit, _) => Some("end the expression with `;` if its value is not needed".to_owned()),
            _ => None,
        }
    }
}

impl Infer<'_> {
    /// Whether a type is a scalar type or a literal's that can become it.
    fn could_be(&self, term: &Term, scalar: ScalarName) -> bool {
        match self.table.kind(term) {
            Some(VarKind::Float) => scalar.is_float(),
            Some(VarKind::Int { .. }) => scalar.is_int(),
            Some(VarKind::Any) => false,
            None => *term == Term::Scalar(scalar),
        }
    }
}

enum Number {
    Int(String),
    Float(String),
}

/// A number literal with its sign, suffix left out.
fn literal_text(expr: &Expr) -> Option<Number> {
    match &strip(expr).kind {
        ExprKind::Literal(Literal::Int { value, .. }) => Some(Number::Int(value.to_string())),
        ExprKind::Literal(Literal::Float { text, .. }) => Some(Number::Float(text.clone())),
        ExprKind::Unary(UnaryOp::Neg, operand) => Some(match literal_text(operand)? {
            Number::Int(digits) => Number::Int(format!("-{digits}")),
            Number::Float(digits) => Number::Float(format!("-{digits}")),
        }),
        _ => None,
    }
}

fn literal_kind(expr: &Expr) -> Option<&'static str> {
    Some(match literal_text(expr)? {
        Number::Int(_) => "integer literal",
        Number::Float(_) => "float literal",
    })
}

/// The expression as the left operand of a cast or method call.
pub(super) fn cast_source(expr: &Expr) -> String {
    let written = text(expr);
    match &strip(expr).kind {
        ExprKind::Literal(_)
        | ExprKind::Path(_)
        | ExprKind::Call { .. }
        | ExprKind::Method { .. }
        | ExprKind::Field { .. }
        | ExprKind::Index { .. } => written,
        _ if matches!(expr.kind, ExprKind::Paren(..)) => written,
        _ => format!("({written})"),
    }
}
