//! Inference of branches, loops and jumps: values of arms, targets of `break` and `continue`.

use crate::ast::{Block, Expr, ExprId, ExprKind, Label, SpanRange};
use crate::diag::code;

use super::mismatch::Because;
use super::suggest::nearest;
use super::unify::Term;
use super::{Expect, Infer, range};

/// Something that `break` can leave.
pub(super) struct Frame {
    kind: FrameKind,
    label: Option<String>,
    id: ExprId,
    /// Type of the values that breaks carry.
    term: Term,
    because: Because,
    /// Whether a `break` leaves it.
    left: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    /// `loop`
    Loop,
    /// `while` and `for`
    Counted,
    /// A labelled block.
    Block,
    /// The condition of a `while`: no place for a jump.
    Condition,
}

impl<'a> Infer<'a> {
    pub(super) fn infer_if(
        &mut self,
        expr: &'a Expr,
        condition: &'a Expr,
        then_block: &'a Block,
        else_expr: Option<&'a Expr>,
        expect: &Expect,
    ) -> Term {
        let scope = self.visible.len();
        self.infer_condition(condition, Because::Condition);
        let before = std::mem::replace(&mut self.diverges, false);
        let Some(else_expr) = else_expr else {
            let term = self.infer_if_without_else(expr, then_block, expect);
            self.visible.truncate(scope);
            self.diverges = before;
            return term;
        };
        // As in rustc, a cast says nothing about the branches.
        let expect = if matches!(expect, Expect::Cast(_)) { &Expect::Nothing } else { expect };
        let found = self.infer_block(then_block, expect);
        let then_term = self.block_value(then_block, found, expect);
        self.visible.truncate(scope);
        let then_diverges = std::mem::replace(&mut self.diverges, false);
        let else_term = self.infer(else_expr, expect);
        let term = self.join_arms(then_block, &then_term, else_expr, &else_term, expect);
        self.diverges = before || (then_diverges && self.diverges);
        term
    }

    fn join_arms(
        &mut self,
        then_block: &'a Block,
        then_term: &Term,
        else_expr: &'a Expr,
        else_term: &Term,
        expect: &Expect,
    ) -> Term {
        if self.table.is_never(then_term) {
            return else_term.clone();
        }
        if self.table.is_never(else_term) {
            return then_term.clone();
        }
        if let Expect::Type(expected, because) = expect {
            // `else if …` was not checked by a block of its own.
            if let ExprKind::If { .. } | ExprKind::OptionPlace(_) = else_expr.kind {
                self.coerce(else_expr, else_term, expected, *because);
            }
            return expected.clone();
        }
        let line = then_block.tail.as_ref().map_or(then_block.span.start, |tail| tail.span.start);
        if !self.table.unify(else_term, then_term) {
            let blamed = last_value(else_expr);
            let (found, expected) = (else_term.clone(), then_term.clone());
            if found == Term::Unit && !matches!(blamed.kind, ExprKind::Tuple(_)) {
                let expected = self.describe(&expected);
                let message = format!("expected {expected}, but this branch ends without a value");
                self.error(code::MISSING_VALUE, range(else_expr.span.end), message)
                    .note("both branches of an `if` have the same type");
            } else {
                self.report_mismatch(blamed, &expected, &found, Because::FirstArm(line));
            }
            return Term::Error;
        }
        then_term.clone()
    }

    fn infer_if_without_else(&mut self, expr: &'a Expr, then_block: &'a Block, expect: &Expect) -> Term {
        let found = self.infer_block(then_block, &Expect::Nothing);
        let expected = match expect {
            Expect::Type(expected, _) => expected.clone(),
            _ => Term::Unit,
        };
        if !self.table.unify(&Term::Unit, &expected) {
            let name = self.describe(&expected);
            self.error(code::MISSING_VALUE, expr.span, format!("expected {name}, but this `if` has no `else`"))
                .help("add an `else` branch with a value");
            return Term::Error;
        }
        if !self.table.is_never(&found) && !self.table.unify(&found, &Term::Unit) {
            let span = then_block.tail.as_ref().map_or(then_block.span, |tail| tail.span);
            self.error(code::MISSING_VALUE, span, "this `if` has no `else`, so its value is lost")
                .help("add an `else` branch, or end the expression with `;`");
        }
        Term::Unit
    }

    pub(super) fn infer_while(
        &mut self,
        expr: &'a Expr,
        label: Option<&'a Label>,
        condition: &'a Expr,
        body: &'a Block,
    ) -> Term {
        self.enter(FrameKind::Condition, None, expr.id, Term::Unit, Because::Nothing);
        let scope = self.visible.len();
        self.infer_condition(condition, Because::Condition);
        self.frames.pop();
        self.infer_body(expr, label, body);
        self.visible.truncate(scope);
        Term::Unit
    }

    pub(super) fn infer_body(&mut self, expr: &'a Expr, label: Option<&'a Label>, body: &'a Block) {
        let before = std::mem::replace(&mut self.diverges, false);
        self.enter(FrameKind::Counted, label, expr.id, Term::Unit, Because::Nothing);
        let expect = Expect::Type(Term::Unit, Because::LoopBody);
        self.infer_block(body, &expect);
        self.frames.pop();
        self.diverges = before;
    }

    pub(super) fn infer_loop(
        &mut self,
        expr: &'a Expr,
        label: Option<&'a Label>,
        body: &'a Block,
        expect: &Expect,
    ) -> Term {
        let before = self.diverges;
        let (term, because) = self.expected_value(expect);
        self.enter(FrameKind::Loop, label, expr.id, term, because);
        self.infer_block(body, &Expect::Type(Term::Unit, Because::LoopBody));
        let frame = self.frames.pop();
        self.diverges = before;
        match frame {
            Some(Frame { left: true, term, .. }) => term,
            _ => Term::Never,
        }
    }

    pub(super) fn infer_labelled_block(
        &mut self,
        expr: &'a Expr,
        label: &'a Label,
        block: &'a Block,
        expect: &Expect,
    ) -> Term {
        let before = self.diverges;
        let (term, because) = self.expected_value(expect);
        self.enter(FrameKind::Block, Some(label), expr.id, term.clone(), because);
        let expect = Expect::Type(term.clone(), because);
        let found = self.infer_block(block, &expect);
        let found = self.block_value(block, found, &expect);
        let left = self.frames.pop().is_some_and(|frame| frame.left);
        if left {
            self.diverges = before;
        }
        if self.table.is_never(&found) && !left { Term::Never } else { term }
    }

    fn expected_value(&mut self, expect: &Expect) -> (Term, Because) {
        match expect {
            Expect::Type(term, because) => (term.clone(), *because),
            Expect::Nothing | Expect::Cast(_) => (self.fresh(), Because::Nothing),
        }
    }

    fn enter(&mut self, kind: FrameKind, label: Option<&Label>, id: ExprId, term: Term, because: Because) {
        let label = label.map(|label| label.name.clone());
        self.frames.push(Frame { kind, label, id, term, because, left: false });
    }

    pub(super) fn infer_break(&mut self, expr: &'a Expr, label: Option<&'a Label>, value: Option<&'a Expr>) -> Term {
        let Some(frame) = self.find_frame(expr, label, "break") else {
            if let Some(value) = value {
                self.infer(value, &Expect::Nothing);
            }
            return Term::Never;
        };
        self.tables.targets.insert(expr.id, self.frames[frame].id);
        let (kind, term, because) =
            (self.frames[frame].kind, self.frames[frame].term.clone(), self.frames[frame].because);
        match value {
            Some(value) if kind == FrameKind::Counted => {
                self.infer(value, &Expect::Nothing);
                self.error(code::BAD_LOOP_CONTROL, value.span, "`break` with a value leaves a `while` or `for` loop")
                    .note("only `loop` and labelled blocks have a value")
                    .help("store the value in a variable before the `break`");
            }
            Some(value) => {
                let found = self.infer(value, &Expect::Type(term.clone(), because));
                self.coerce(value, &found, &term, because);
                if self.table.is_never(&found) {
                    return Term::Never;
                }
            }
            None if kind != FrameKind::Counted && !self.table.unify(&term, &Term::Unit) => {
                let expected = self.describe(&term);
                self.error(
                    code::MISSING_VALUE,
                    expr.span,
                    format!("expected {expected}, but this `break` has no value"),
                )
                .help("give every `break` of this loop a value of that type");
            }
            None => {}
        }
        self.frames[frame].left = true;
        Term::Never
    }

    pub(super) fn infer_continue(&mut self, expr: &'a Expr, label: Option<&'a Label>) -> Term {
        if let Some(frame) = self.find_frame(expr, label, "continue") {
            if self.frames[frame].kind == FrameKind::Block {
                let span = label.map_or(expr.span, |label| range(label.span));
                self.error(code::BAD_LOOP_CONTROL, span, "`continue` names a labelled block")
                    .help("`break` leaves a block; `continue` needs a loop");
            } else {
                self.tables.targets.insert(expr.id, self.frames[frame].id);
            }
        }
        Term::Never
    }

    /// The frame that a jump names; reports when there is none.
    fn find_frame(&mut self, expr: &Expr, label: Option<&Label>, word: &str) -> Option<usize> {
        if let Some(label) = label {
            let found = self.frames.iter().rposition(|frame| frame.label.as_ref() == Some(&label.name));
            if found.is_none() {
                self.report_unknown_label(label);
            }
            return found;
        }
        let found = self.frames.iter().rposition(|frame| frame.kind != FrameKind::Block);
        let is_loop = |frame: &usize| matches!(self.frames[*frame].kind, FrameKind::Loop | FrameKind::Counted);
        let found = found.filter(is_loop);
        let message = match found {
            None => format!("`{word}` outside of a loop"),
            // As in Rust: inside a labelled block a jump says what it leaves.
            Some(frame) if frame + 1 < self.frames.len() => {
                format!("`{word}` without a label inside of a labelled block")
            }
            Some(frame) => return Some(frame),
        };
        let span = SpanRange::token(expr.span.start);
        let error = self.error(code::BAD_LOOP_CONTROL, span, message);
        if found.is_some() {
            error.help("name the loop or block to leave with a label");
        } else {
            error.help("`return` leaves the function");
        }
        None
    }

    fn report_unknown_label(&mut self, label: &Label) {
        let labels = self.frames.iter().filter_map(|frame| frame.label.as_deref());
        let suggestion =
            nearest(&label.name, labels).map(|name| format!("a label with a similar name exists: `'{name}`"));
        let message = format!("use of undeclared label `'{}`", label.name);
        let error = self.error(code::BAD_LOOP_CONTROL, range(label.span), message);
        error.help(suggestion.unwrap_or_else(|| format!("write `'{}:` before the loop", label.name)));
    }

    pub(super) fn infer_return(&mut self, expr: &'a Expr, value: Option<&'a Expr>) -> Term {
        self.note_return();
        let result = self.result.clone();
        match value {
            Some(value)
                if result == Term::Unit && !matches!(&value.kind, ExprKind::Tuple(members) if members.is_empty()) =>
            {
                let found = self.infer(value, &Expect::Nothing);
                if !matches!(self.table.shallow(&found), Term::Unit | Term::Never | Term::Error) {
                    self.error(
                        code::MISMATCHED_TYPES,
                        value.span,
                        "this function returns nothing, but this `return` has a value",
                    )
                    .help("write `return;`");
                }
            }
            Some(_) if self.refuse_early_iterator(expr) => {}
            Some(value) => {
                self.note_given_early(value);
                self.note_returned(value);
                self.check(value, &result, Because::Result);
            }
            None if !self.table.unify(&result, &Term::Unit) => {
                let expected = self.describe(&result);
                let note = self.because(Because::Result, &result, expr.span.start);
                let message = format!("expected {expected}, but this `return` has no value");
                let error = self.error(code::MISSING_VALUE, expr.span, message);
                if let Some(note) = note {
                    error.note(note);
                }
            }
            None => {}
        }
        Term::Never
    }
}

/// The expression that gives a branch its value.
pub(super) fn last_value(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Block { block: Block { tail: Some(tail), .. }, .. } => last_value(tail),
        _ => expr,
    }
}
