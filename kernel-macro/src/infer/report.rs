//! Inference of `assert!`, `panic!`, `println!`, `dbg!` and their like.

use gridwise_ir::descriptor::MAX_SITE_WORDS;

use crate::ast::{Expr, MacroCall, MacroKind, ScalarName, SpanRange};
use crate::builtin::format::Style;
use crate::diag::code;
use crate::program::message;
use crate::typed::Ty;

use super::finish::Deferred;
use super::mismatch::Because;
use super::split::holds_slice;
use super::unify::{Term, VarKind};
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    pub(super) fn infer_macro(&mut self, call: &'a MacroCall, expect: &Expect) -> Term {
        if self.constant || self.computes {
            let message = format!("`{}!` in a constant", call.name);
            self.error(code::BAD_CONST, super::range(call.name.span()), message)
                .help("a constant is a value known while the program compiles: assert in the function that uses it");
        }
        let term = match call.kind {
            MacroKind::Assert => {
                call.operands.iter().for_each(|condition| self.check(condition, &Term::BOOL, Because::Condition));
                Term::Unit
            }
            MacroKind::AssertEq | MacroKind::AssertNe => {
                for comparison in &call.operands {
                    self.infer(comparison, &Expect::Nothing);
                    if let crate::ast::ExprKind::Binary(_, left, right, _) = &comparison.kind {
                        [left, right].into_iter().for_each(|side| self.show_later(side, Style::Debug));
                    }
                }
                Term::Unit
            }
            MacroKind::Panic(_) => Term::Never,
            MacroKind::Print { .. } => Term::Unit,
            MacroKind::Dbg => self.infer_dbg(&call.operands, expect),
            MacroKind::Unwrap { bad } => return self.infer_unwrap(call, bad),
        };
        // The arguments of an assertion's message are evaluated when it fails, and control does not come back then.
        let before = self.diverges;
        for arg in call.format_args() {
            let term = self.infer(&arg.value, &Expect::Nothing);
            if arg.uses.contains(&Style::Count) && matches!(self.table.kind(&term), Some(VarKind::Int { .. })) {
                self.table.unify(&term, &Term::Scalar(ScalarName::Usize));
            }
            arg.uses.iter().for_each(|style| self.show_later(&arg.value, *style));
        }
        let shown = call.exprs().filter(|_| call.kind != MacroKind::Assert);
        let terms = match message::compared(call) {
            Some(sides) if matches!(call.kind, MacroKind::AssertEq | MacroKind::AssertNe) => {
                sides.into_iter().chain(shown.skip(1)).map(|value| self.term(value)).collect()
            }
            _ => shown.map(|value| self.term(value)).collect(),
        };
        self.deferred.push(Deferred::Words { span: super::range(call.name.span()), terms });
        if let MacroKind::Assert | MacroKind::AssertEq | MacroKind::AssertNe = call.kind {
            self.diverges = before;
        }
        term
    }

    /// `x.unwrap()` and its like.
    fn infer_unwrap(&mut self, call: &'a MacroCall, bad: bool) -> Term {
        let Some(operand) = call.operands.first() else { return Term::Error };
        let term = self.infer(operand, &Expect::Nothing);
        let (value, shown) = match (self.table.shallow(&term), bad) {
            (Term::Option(value), false) => ((*value).clone(), None),
            (Term::Result(value, error), false) => ((*value).clone(), Some((*error).clone())),
            (Term::Result(value, error), true) => ((*error).clone(), Some((*value).clone())),
            (Term::Error, _) => return Term::Error,
            (Term::Never, _) => return Term::Never,
            (Term::Var(_), _) => {
                self.report_unknown(operand);
                return Term::Error;
            }
            (other, _) => {
                self.report_no_method(&call.name, &other, Some(operand));
                return Term::Error;
            }
        };
        if let Some(term) = shown {
            self.deferred.push(Deferred::Words { span: super::range(call.name.span()), terms: vec![term.clone()] });
            self.deferred.push(Deferred::Shown { value: operand, term, style: Style::Debug });
        }
        value
    }

    /// `dbg!()` is unit, `dbg!(x)` is `x`, `dbg!(x, y)` is `(x, y)`.
    fn infer_dbg(&mut self, values: &'a [Expr], expect: &Expect) -> Term {
        let terms = match values {
            [value] => vec![self.infer(value, expect)],
            values => values.iter().map(|value| self.infer(value, &Expect::Nothing)).collect(),
        };
        values.iter().for_each(|value| self.show_later(value, Style::Debug));
        match <[Term; 1]>::try_from(terms) {
            Ok([term]) => term,
            Err(terms) if terms.is_empty() => Term::Unit,
            Err(terms) => Term::tuple(terms),
        }
    }

    fn show_later(&mut self, value: &'a Expr, style: Style) {
        let term = self.term(value);
        self.deferred.push(Deferred::Shown { value, term, style });
    }

    /// Reports a message with more values than a record takes.
    pub(super) fn check_words(&mut self, span: SpanRange, terms: &[Term]) {
        let types = terms.iter().filter_map(|term| self.table.resolve(term));
        let words = types.map(|ty| message::word_count(self.program, &ty)).fold(0, u32::saturating_add);
        if words as usize > MAX_SITE_WORDS {
            let message = match words {
                u32::MAX => "the number of values in this message depends on the launch".to_owned(),
                _ => format!("the values of this message take {words} words, and a record has {MAX_SITE_WORDS}"),
            };
            self.error(code::BAD_FORMAT, span, message).help("show fewer values, or one element after the other");
        }
    }

    /// Whether a text is shown with a value: its number says nothing to the host.
    fn holds_text(&self, ty: &Ty) -> bool {
        let any = |members: &[Ty]| members.iter().any(|member| self.holds_text(member));
        match ty {
            Ty::Scalar(scalar) => *scalar == ScalarName::Text,
            Ty::Option(value) | Ty::Array(value, _) => self.holds_text(value),
            Ty::Result(value, error) => self.holds_text(value) || self.holds_text(error),
            Ty::Tuple(members) => any(members),
            Ty::Struct(..) => any(&self.program.fields_of(ty)),
            Ty::Enum(..) => self.program.variants_of(ty).is_some_and(|variants| variants.iter().any(|it| any(it))),
            _ => false,
        }
    }

    /// Reports a value that cannot be shown in this style.
    pub(super) fn check_shown(&mut self, value: &Expr, ty: &Ty, style: Style) {
        let name = self.name_of(ty);
        let (message, help) = match (style, ty) {
            (_, Ty::Error | Ty::Never) => return,
            (_, Ty::Closure(..)) => ("a closure cannot be shown".to_owned(), "call it, and show its result"),
            (_, Ty::Image(_)) => ("an image cannot be shown".to_owned(), "show a texel, or the size, `.size()`"),
            (_, ty) if holds_slice(ty) => {
                (format!("a buffer cannot be shown, found `{name}`"), "show an element, or the length, `.len()`")
            }
            (_, ty) if self.holds_text(ty) => (
                format!("there are no strings on the device to show, found `{name}`"),
                "show a number; or `match` it, with a `panic!` or `println!` for each text",
            ),
            (Style::Count, Ty::Scalar(_)) if *ty == Ty::USIZE => return,
            (Style::Count, _) => (format!("width and precision are `usize`, found `{name}`"), "convert it: `as usize`"),
            (Style::Debug, _) | (Style::Display, Ty::Scalar(_) | Ty::Vector(..) | Ty::Matrix(_) | Ty::Quat) => return,
            (Style::Display, _) => (format!("`{name}` has no format `{{}}`"), "show it with `{:?}`"),
            (Style::Bits, Ty::Scalar(scalar)) if scalar.is_int() => return,
            (Style::Bits, Ty::Scalar(scalar)) if scalar.is_float() => {
                (format!("`{name}` has no bits to show"), "show those it is made of: `x.to_bits()`")
            }
            (Style::Bits, _) => (format!("only integers are shown by their bits, found `{name}`"), "use `{:?}`"),
            (Style::Exponent, Ty::Scalar(scalar)) if scalar.is_int() || scalar.is_float() => return,
            (Style::Exponent, _) => (format!("only numbers have exponents, found `{name}`"), "use `{:?}`"),
        };
        self.error(code::BAD_FORMAT, value.span, message).help(help);
    }
}
