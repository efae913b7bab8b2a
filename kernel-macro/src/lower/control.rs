//! `if`, loops, labelled blocks, `break`, `continue` and `return`.

use gridwise_ir::ir::{BlockId, LocalId, Place, Unroll, ValueId};
use gridwise_ir::op::Op;

use super::function::FnCx;
use crate::ast::{Block, Expr, ExprKind};

/// A loop or labelled block that `break` and `continue` can name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    /// The body whose next round begins.
    body: BlockId,
    /// The block that `break` leaves: the loop itself, or one around it of which it is a part.
    leaves: BlockId,
    /// Says that the round is the last one.
    done: Option<LocalId>,
    /// Whether a `break` carries a value.
    has_result: bool,
    next: Next,
}

impl Target {
    pub(super) fn new(body: BlockId, has_result: bool, next: Next) -> Self {
        Self { body, leaves: body, done: None, has_result, next }
    }

    /// As it is for what runs in a loop that is a part of another one.
    pub(super) fn within(self, outer: Self, done: Option<LocalId>) -> Self {
        Self { leaves: outer.leaves, done, ..self }
    }

    /// The block that `break` leaves.
    pub(super) const fn leaves(self) -> BlockId {
        self.leaves
    }
}

/// The start of the next round.
#[derive(Debug, Clone, Copy)]
pub(super) enum Next {
    /// Nothing but a jump.
    Plain,
    /// The loop over `start..end` goes on with `index + 1`.
    Exclusive { index: ValueId },
    /// The loop over `start..=end` stops after `end`, which may be the largest number there is.
    Inclusive { index: ValueId, end: ValueId },
}

impl FnCx<'_, '_, '_> {
    pub(super) fn lower_control(&mut self, expr: &Expr) -> Option<ValueId> {
        let mark = self.b.mark();
        let value = self.lower_control_kind(expr);
        match expr.kind.unroll() {
            Unroll::Auto => {}
            unroll => self.b.set_unroll(mark, unroll),
        }
        value
    }

    fn lower_control_kind(&mut self, expr: &Expr) -> Option<ValueId> {
        match &expr.kind {
            ExprKind::If { condition, then_block, else_expr } => {
                self.lower_if(expr, condition, then_block, else_expr.as_deref())
            }
            ExprKind::OptionPlace(option_place) if self.typed.option_places.contains(&expr.id) => {
                self.lower_expr(&option_place.element)
            }
            ExprKind::OptionPlace(option_place) => {
                let (condition, then_block, else_expr) = option_place.written();
                self.lower_if(expr, condition, then_block, else_expr)
            }
            ExprKind::Match { scrutinee, arms } => self.lower_match(expr, scrutinee, arms),
            ExprKind::Try(operand) => self.lower_try(expr, operand),
            ExprKind::While { condition, body, .. } => self.lower_while(expr, condition, body),
            ExprKind::Loop { body, .. } => self.lower_target_body(expr, |cx| {
                cx.lower_block(body);
                cx.continue_to(expr);
            }),
            ExprKind::Block { label: None, block } | ExprKind::Const(block) => self.lower_block(block),
            // A block that `break` can leave is a loop of one round.
            ExprKind::Block { label: Some(_), block } => self.lower_target_body(expr, |cx| {
                let value = cx.lower_block(block);
                cx.break_from(expr, value);
            }),
            ExprKind::For { pattern, iterated, body, .. } => self.lower_for(expr, pattern, iterated, body),
            ExprKind::Break { value, .. } => {
                let value = value.as_ref().and_then(|value| self.lower_expr(value));
                let target = self.target_of(expr)?;
                self.break_to(target, value);
                None
            }
            ExprKind::Continue { .. } => {
                let target = self.target_of(expr)?;
                self.go_on(target);
                None
            }
            ExprKind::Return(value) => {
                let value = value.as_ref().and_then(|value| self.lower_expr(value));
                self.emit_return(value);
                None
            }
            _ => None,
        }
    }

    fn lower_if(
        &mut self,
        expr: &Expr,
        condition: &Expr,
        then_block: &Block,
        else_expr: Option<&Expr>,
    ) -> Option<ValueId> {
        let result = self.ty(self.ty_of(expr));
        self.lower_condition(
            condition,
            result,
            |cx| cx.lower_block(then_block),
            |cx| else_expr.and_then(|expr| cx.lower_expr(expr)),
        )
    }

    fn lower_while(&mut self, expr: &Expr, condition: &Expr, body: &Block) -> Option<ValueId> {
        if condition.has_let() {
            return self.lower_while_let(expr, condition, body);
        }
        self.lower_target_body(expr, |cx| {
            if let Some(condition) = cx.lower_expr(condition) {
                cx.break_unless(expr, condition);
                cx.lower_block(body);
            }
            cx.continue_to(expr);
        })
    }

    /// A loop whose condition declares variables: its body runs where they are known.
    fn lower_while_let(&mut self, expr: &Expr, condition: &Expr, body: &Block) -> Option<ValueId> {
        self.lower_target_body(expr, |cx| {
            let run = |cx: &mut Self| cx.lower_block(body);
            let leave = |cx: &mut Self| {
                cx.break_from(expr, None);
                None
            };
            cx.lower_condition(condition, None, run, leave);
            cx.continue_to(expr);
        })
    }

    /// A loop without carried values; `fill` ends its body.
    fn lower_target_body(&mut self, expr: &Expr, fill: impl FnOnce(&mut Self)) -> Option<ValueId> {
        let result = self.ty(self.ty_of(expr));
        let body = self.b.new_loop_body(&[]);
        self.targets.insert(expr.id, Target::new(body, result.is_some(), Next::Plain));
        let parent = self.b.switch_to(body);
        fill(self);
        self.b.switch_to(parent);
        let results = self.b.push_loop(body, &[], result.as_slice());
        results.first().copied().filter(|_| !self.b.is_terminated())
    }

    fn break_unless(&mut self, target: &Expr, condition: ValueId) {
        let break_from = |cx: &mut Self| {
            cx.break_from(target, None);
            None
        };
        self.choose(condition, None, |_| None, break_from);
    }

    /// The target that a `break` or `continue` names.
    fn target_of(&self, expr: &Expr) -> Option<Target> {
        self.targets.get(self.typed.targets.get(&expr.id)?).copied()
    }

    fn break_from(&mut self, target: &Expr, value: Option<ValueId>) {
        let target = self.targets[&target.id];
        self.break_to(target, value);
    }

    pub(super) fn break_to(&mut self, target: Target, value: Option<ValueId>) {
        match (target.has_result, value) {
            (false, _) => self.b.break_(target.leaves, &[]),
            (true, Some(value)) => self.b.break_(target.leaves, &[value]),
            (true, None) => self.expect_left(),
        }
    }

    fn continue_to(&mut self, target: &Expr) {
        let target = self.targets[&target.id];
        self.go_on(target);
    }

    pub(super) fn go_on(&mut self, target: Target) {
        if self.b.is_terminated() {
            return;
        }
        self.leave_if_done(target);
        match target.next {
            Next::Plain => self.b.continue_(target.body, &[]),
            Next::Exclusive { index } => {
                let next = self.successor(index);
                self.b.continue_(target.body, &[next]);
            }
            Next::Inclusive { index, end } => {
                let is_last = self.b.op(Op::Eq, &[index, end]);
                let stop = |cx: &mut Self| {
                    cx.b.break_(target.body, &[]);
                    None
                };
                let go = |cx: &mut Self| {
                    let next = cx.successor(index);
                    cx.b.continue_(target.body, &[next]);
                    None
                };
                self.choose(is_last, None, stop, go);
            }
        }
    }

    /// Leaves a loop whose round was the last one.
    pub(super) fn leave_if_done(&mut self, target: Target) {
        if let Some(done) = target.done {
            let is_done = self.b.load(Place::local(done));
            self.when(is_done, |cx| cx.b.break_(target.leaves, &[]));
        }
    }

    fn successor(&mut self, index: ValueId) -> ValueId {
        let one = self.int_like(index, 1);
        self.b.op(Op::Add, &[index, one])
    }
}
