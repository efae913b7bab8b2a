//! Atomics, barriers and subgroup operations, read.

use super::cursor::Result;
use super::function::FunctionParser;
use crate::ir::{Atomic, AtomicOp, CoopAccess, CoopLayout, CoopOp, ImageOp, InstKind, Order, Scope, SubgroupOp};

impl FunctionParser<'_, '_> {
    /// `atomic_add place, %N order scope`
    pub(super) fn atomic(&mut self, word: &str) -> Result<InstKind> {
        let Some(mut op) = AtomicOp::ALL.into_iter().find(|op| op.name() == word) else {
            return self.cursor.expected("an atomic operation");
        };
        self.cursor.skip_word(word);
        let place = self.place()?;
        let operands = if self.cursor.eat(",") { self.values()? } else { Vec::new() };
        let order = self.order()?;
        if let AtomicOp::CompareExchange(failure) = &mut op {
            *failure = self.order()?;
        }
        let atomic = Atomic { op, place, operands: operands.into(), order, scope: self.scope()? };
        Ok(InstKind::Atomic(Box::new(atomic)))
    }

    /// `subgroup_add %N`, `subgroup_cluster_add(4) %N`
    pub(super) fn subgroup(&mut self, word: &str) -> Result<InstKind> {
        let start = self.cursor.mark();
        self.cursor.skip_word(word);
        let mut number = None;
        if self.cursor.eat("(") {
            number = Some(self.cursor.number()?);
            self.cursor.expect(")")?;
        }
        let Some(op) = SubgroupOp::from_text(word, number) else {
            self.cursor.reset(start);
            return self.cursor.expected("a subgroup operation");
        };
        // A `%` behind an operation without operands starts the next instruction.
        let operands = if op.arity() == 0 { Vec::new() } else { self.values()? };
        Ok(InstKind::Subgroup(op, operands.into()))
    }

    /// `image_load buffer0(%1, %2)`
    pub(super) fn image(&mut self, word: &str) -> Result<InstKind> {
        let Some(op) = ImageOp::ALL.into_iter().find(|op| op.name() == word) else {
            return self.cursor.expected("an operation on images");
        };
        self.cursor.skip_word(word);
        Ok(InstKind::Image(op, self.cursor.id("buffer")?, self.arguments()?.into()))
    }

    /// `coop_mul_add %a, %b, %c`, `coop_load place from %first step %stride row_major`, `coop_store … = %N`
    pub(super) fn coop(&mut self, word: &str) -> Result<InstKind> {
        if let Some((op, _)) = CoopOp::NAMED.into_iter().find(|(_, name)| *name == word) {
            self.cursor.skip_word(word);
            return Ok(InstKind::Coop(op, self.values()?.into()));
        }
        if !matches!(word, "coop_load" | "coop_store") {
            return self.cursor.expected("an operation on matrices");
        }
        self.cursor.skip_word(word);
        let place = self.place()?;
        self.cursor.expect_word("from")?;
        let first = self.value()?;
        self.cursor.expect_word("step")?;
        let stride = self.value()?;
        let Some(layout) = CoopLayout::ALL.into_iter().find(|layout| self.cursor.eat_word(layout.name())) else {
            return self.cursor.expected("`row_major` or `column_major`");
        };
        let access = Box::new(CoopAccess { place, first, stride, layout });
        if word == "coop_load" {
            return Ok(InstKind::CoopLoad(access));
        }
        self.cursor.expect("=")?;
        Ok(InstKind::CoopStore(access, self.value()?))
    }

    pub(super) fn order(&mut self) -> Result<Order> {
        match Order::ALL.into_iter().find(|order| self.cursor.eat_word(order.name())) {
            Some(order) => Ok(order),
            None => self.cursor.expected("a memory order"),
        }
    }

    pub(super) fn scope(&mut self) -> Result<Scope> {
        match Scope::ALL.into_iter().find(|scope| self.cursor.eat_word(scope.name())) {
            Some(scope) => Ok(scope),
            None => self.cursor.expected("a scope"),
        }
    }
}
