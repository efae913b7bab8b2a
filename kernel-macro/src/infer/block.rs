//! Inference of blocks, `let` and patterns.

use crate::ast::{Block, Expr, ExprKind, LocalConst, Pattern, SpanRange, Statement, TypeExpr};
use crate::diag::code;
use crate::typed::{ConstValue, Len};

use super::iterable::Elements;
use super::mismatch::Because;
use super::slice::slice_of;
use super::slice_pattern::{Apart, matched_slice};
use super::unify::Term;
use super::written_pattern::is_as_mut;
use super::{Expect, Infer, LocalValue, range};

impl<'a> Infer<'a> {
    /// Infers a block in a scope of its own. A tail is checked against a demanded type; a missing tail is left to
    /// [`require_value`](Self::require_value).
    pub(super) fn infer_block(&mut self, block: &'a Block, expect: &Expect) -> Term {
        let scope = (self.visible.len(), self.local_consts.len());
        let consts = block.statements.iter().filter_map(|statement| match statement {
            Statement::Const(constant) => Some(constant),
            _ => None,
        });
        consts.for_each(|constant| self.declare_const(constant));
        block.statements.iter().for_each(|statement| self.infer_statement(statement));
        let term = match &block.tail {
            Some(tail) => self.infer_tail(tail, expect),
            None if self.diverges => Term::Never,
            None => Term::Unit,
        };
        self.visible.truncate(scope.0);
        self.local_consts.truncate(scope.1);
        term
    }

    fn infer_statement(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Const(_) | Statement::Use(_) => {}
            Statement::Let { pattern, ty, value, otherwise, span } => {
                if otherwise.is_none() {
                    self.note_flat(pattern);
                }
                let term = self.infer_let(pattern, ty.as_deref(), value.as_ref(), *span);
                if let Some(value) = value {
                    self.note_given_elements(value, pattern);
                }
                if let Some(otherwise) = otherwise {
                    self.infer_otherwise(otherwise);
                }
                let apart = if otherwise.is_some() { Apart::Perhaps } else { Apart::Always };
                self.bind_apart(pattern, &term, apart);
            }
            Statement::OptionPlace(option_place) => {
                let (Statement::Let { value: Some(value), .. } | Statement::Expr { expr: value, .. }) =
                    &option_place.written
                else {
                    return;
                };
                match self.looks_for_element(option_place.id, &option_place.receiver, value) {
                    true => self.infer_statement(&option_place.element),
                    false => self.infer_statement(&option_place.written),
                }
            }
            Statement::Expr { expr, semicolon: true } => {
                self.infer_discarded(expr);
            }
            Statement::Expr { expr, semicolon: false } => self.check(expr, &Term::Unit, Because::Statement),
        }
    }

    /// An expression whose value nobody takes: also a call that gives a `&mut` reference.
    fn infer_discarded(&mut self, expr: &'a Expr) {
        match &strip(expr).kind {
            ExprKind::Method { .. } => self.infer_reference(expr, &Expect::Nothing),
            _ => self.infer(expr, &Expect::Nothing),
        };
    }

    /// Evaluates a const of the block.
    fn declare_const(&mut self, constant: &'a LocalConst) {
        let term = self.const_term(&constant.ty);
        let outer = (std::mem::replace(&mut self.constant, true), self.diverges);
        let before = self.diags.len();
        self.check_const(&constant.ty, &constant.value, &term);
        (self.constant, self.diverges) = outer;
        let value = if self.diags.len() > before { None } else { self.evaluate(&constant.value) };
        // Without a value it was reported: uses of it are not.
        let (term, value) = value.map_or((Term::Error, ConstValue::Bool(false)), |value| (term, value));
        let (name, is_table) = (constant.name.to_string(), constant.ty.is_table());
        let is_host_sized = self.is_largest_size(strip(&constant.value));
        self.local_consts.push(LocalValue { name, term, value, is_table, is_host_sized });
    }

    fn infer_tail(&mut self, tail: &'a Expr, expect: &Expect) -> Term {
        let found = self.infer(tail, expect);
        let Expect::Type(expected, because) = expect else { return found };
        self.coerce(tail, &found, expected, *because);
        if self.table.is_never(&found) { Term::Never } else { expected.clone() }
    }

    /// Reports a block that must have a value of some type but ends without one.
    pub(super) fn require_value(&mut self, block: &'a Block, found: &Term, expected: &Term, because: Because) {
        if block.tail.is_some() || self.table.is_never(found) || self.table.unify(found, expected) {
            return;
        }
        let expected_name = self.describe(expected);
        let semicolon = match block.statements.last() {
            Some(Statement::Expr { expr, semicolon: true }) => {
                let last = self.term(expr);
                self.table.would_unify(&last, expected).then_some(expr)
            }
            _ => None,
        };
        let note = self.because(because, expected, block.span.end);
        if self.table.is_never(expected) {
            self.error(
                code::MISSING_VALUE,
                range(block.span.end),
                "the function returns, and its type `!` says that it never does",
            )
            .help("end it with `panic!(…)` or a loop without an end; or leave the type out");
            return;
        }
        let message = format!("expected {expected_name}, but the block ends without a value");
        let error = self.error(code::MISSING_VALUE, range(block.span.end), message);
        if let Some(note) = note {
            error.note(note);
        }
        match semicolon {
            Some(expr) => {
                error.help(format!("remove the semicolon at the end of line {}", expr.span.end.start().line));
            }
            None => {
                error.help("end the block with an expression without a semicolon");
            }
        }
    }

    /// The type of a block expression whose tail was checked already.
    pub(super) fn block_value(&mut self, block: &'a Block, found: Term, expect: &Expect) -> Term {
        match expect {
            Expect::Type(expected, because) if block.tail.is_none() => {
                self.require_value(block, &found, expected, *because);
                if self.table.is_never(&found) { Term::Never } else { expected.clone() }
            }
            _ => found,
        }
    }

    /// The type of a `let` statement's value.
    fn infer_let(
        &mut self,
        pattern: &'a Pattern,
        ty: Option<&'a TypeExpr>,
        value: Option<&'a Expr>,
        span: SpanRange,
    ) -> Term {
        if let Some(ExprKind::NewShared { ty: held, .. }) = value.map(|value| &value.kind)
            && let Some(value) = value
        {
            return self.infer_shared_let(pattern, ty, value, held.as_deref());
        }
        let declared = ty.map(|ty| (self.limited_term_of(ty), ty.span));
        if let (Some((term @ Term::Buffer { .. }, _)), Some(value)) = (&declared, value) {
            return self.infer_typed_slice(pattern, value, term);
        }
        if let Some(ty) = ty {
            self.note_references_in(ty);
        }
        match (declared, value) {
            (Some((term, span)), Some(value)) => {
                let because = Because::LetType(span.start);
                let found = self.infer_initial(pattern, value, &Expect::Type(term.clone(), because));
                self.coerce(value, &found, &term, because);
                // Of what is no reference by its form rustc sees whether it is one.
                let is_lent = self.has_references && !self.refers(value);
                if let (Some(ty), Pattern::Binding { .. }, false) = (ty, pattern, is_lent) {
                    self.check_reference(value, &found, ty);
                }
                term
            }
            (None, Some(value)) => self.infer_initial(pattern, value, &Expect::Nothing),
            (declared, None) => self.infer_deferred(pattern, (ty, declared.map(|(term, _)| term)), span),
        }
    }

    /// The value of a `let`; a reference makes the variable another name of what it leads to.
    fn infer_initial(&mut self, pattern: &'a Pattern, value: &'a Expr, expect: &Expect) -> Term {
        self.note_chosen_slices(value);
        if self.is_kept_value(pattern, value) {
            self.note_kept_ends(value);
            return self.infer(value, expect);
        }
        let Pattern::Binding { binding, mutable, inner: None, .. } = pattern else {
            return match self.refers(value)
                || self.is_part(matched_slice(value))
                || pattern.writes()
                || is_as_mut(value)
            {
                true => {
                    let term = self.infer_scrutinee(value, std::iter::once(pattern));
                    self.refuse_written_alternatives(value, pattern);
                    self.note_self_apart(value, pattern);
                    term
                }
                false => self.infer(value, expect),
            };
        };
        if let Some(term) = self.infer_closure_let(value, *mutable) {
            return term;
        }
        if let Some(term) = self.infer_slice_let(value) {
            self.note_member(*binding, value);
            self.note_slice_root(*binding, *mutable, value, &term);
            if *mutable && matches!(term, Term::Image(_)) {
                self.refuse_other_image(value);
                return Term::Error;
            }
            return term;
        }
        let is_call = matches!(strip(value).kind, ExprKind::Method { .. } | ExprKind::Call { .. });
        if is_call {
            // A chain may be the value of a variable.
            self.iterated.extend([value.id, strip(value).id]);
        }
        let before = self.diags.len();
        self.note_lent_atomic(value);
        let term = self.infer_reference(value, expect);
        if self.is_table(value)
            && let term = self.table.shallow(&term)
            && let Some(elements) = Elements::of(&term)
        {
            if let Term::Array(_, Len::Known(0)) = term {
                self.report_empty(value);
                return Term::Error;
            }
            return slice_of((**elements.element).clone(), false);
        }
        self.refuse_narrow_reference(value, &term);
        let term = if *mutable { self.made_to_move(*binding, value, term) } else { term };
        if is_call && let Term::Iterator(_) = self.table.shallow(&term) {
            return match self.diags.len() == before {
                true => self.keep_iterator(*binding, *mutable, value, term),
                false => Term::Error,
            };
        }
        if let Some(mutable) = self.reference_of(value) {
            self.note_reference(*binding, mutable);
            if self.leads_to_own(value) || borrows_literal(value) {
                self.own_references.insert(*binding);
            }
        } else if self.is_lent_operand(value) == Some(false) {
            self.own_values.insert(*binding);
        }
        term
    }

    /// `let x;`, whose value is assigned later: once on each way, as rustc sees to in the original.
    fn infer_deferred(
        &mut self,
        pattern: &Pattern,
        (ty, declared): (Option<&TypeExpr>, Option<Term>),
        span: SpanRange,
    ) -> Term {
        // A `&` reference stands for the value that it leads to.
        let writes = ty.is_some_and(|ty| ty.reference() == Some(true));
        if writes || matches!(declared, Some(Term::Buffer { .. })) || !has_plain_names(pattern) {
            self.report_uninitialised(pattern, span);
            return Term::Error;
        }
        pattern.for_each_binding(&mut |_, binding| _ = self.assigned_later.insert(binding));
        declared.unwrap_or_else(|| self.fresh())
    }

    fn report_uninitialised(&mut self, pattern: &Pattern, span: SpanRange) {
        let (span, message) = match pattern {
            Pattern::Binding { name, .. } => (range(name.span()), format!("the variable `{name}` has no value here")),
            _ => (span, "these variables have no values here".to_owned()),
        };
        self.error(code::UNINITIALISED, span, message)
            .note("a reference or slice gets its place where it is declared, and keeps it")
            .help("let the choice be an index: `let start = if … { … } else { … };`, then `let part = &x[start..];`");
    }
}

/// Whether a pattern is a name, or a tuple of such.
fn has_plain_names(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Binding { inner: None, .. } | Pattern::Wild(_) => true,
        Pattern::Tuple(members, _) => members.iter().all(has_plain_names),
        _ => false,
    }
}

/// The expression inside parentheses.
pub(super) fn strip(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner, ..) => strip(inner),
        _ => expr,
    }
}

/// Whether a value is a reference to an array that is written where it stands: `&[1, 2]`, `b"text"`.
fn borrows_literal(value: &Expr) -> bool {
    let ExprKind::Borrow { operand, .. } = &strip(value).kind else { return false };
    matches!(strip(operand).kind, ExprKind::Array(_) | ExprKind::Repeat { .. })
}
