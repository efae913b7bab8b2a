//! Control flow of the machine: blocks entered and left, calls and returns.

use super::step::Context;
use super::thread::{Region, State, Thread};
use crate::ir::{BlockId, Inst, InstId, InstKind, ValueId};

impl<'m> Thread<'m> {
    /// Runs an instruction that moves control; false when `inst` is none.
    pub(super) fn control(&mut self, cx: &Context<'m>, id: InstId, inst: &'m Inst) -> bool {
        match &inst.kind {
            InstKind::If { condition, then_block, else_block } => {
                let taken = if self.frame().value(*condition).is_true() { *then_block } else { *else_block };
                self.enter(taken, Some(id));
            }
            InstKind::Switch { selector, cases, default } => {
                let selector = self.frame().value(*selector).bits();
                let taken = cases.iter().find(|(bits, _)| *bits == selector).map_or(*default, |(_, block)| *block);
                self.enter(taken, Some(id));
            }
            InstKind::Loop { initial, body, .. } => {
                self.enter(*body, Some(id));
                self.carry(*body, initial);
            }
            InstKind::Yield(values) => self.leave(values),
            InstKind::Break(target, values) => {
                self.unwind_to(*target);
                self.leave(values);
            }
            InstKind::Continue(target, values) => {
                self.unwind_to(*target);
                self.frame().regions.last_mut().expect("the loop's body").next = 0;
                self.carry(*target, values);
            }
            InstKind::Call(callee, arguments) => {
                let arguments = self.frame().values(arguments);
                self.call(cx.module, *callee, arguments);
            }
            InstKind::Return(value) => self.leave_function(*value),
            _ => return false,
        }
        true
    }

    fn enter(&mut self, block: BlockId, owner: Option<InstId>) {
        self.frame().regions.push(Region { block, next: 0, owner });
    }

    fn carry(&mut self, body: BlockId, values: &[ValueId]) {
        let frame = self.frame();
        let function = frame.function;
        frame.pass(values, &function.blocks[body].params);
    }

    /// Leaves the innermost block; its owner's results are `values`.
    fn leave(&mut self, values: &[ValueId]) {
        let frame = self.frame();
        let owner = frame.regions.pop().and_then(|region| region.owner).expect("the entry block returns");
        let function = frame.function;
        frame.pass(values, &function.insts[owner].results);
    }

    /// Leaves blocks until the given one is the innermost.
    fn unwind_to(&mut self, block: BlockId) {
        let regions = &mut self.frame().regions;
        while regions.last().expect("jumps stand inside their loop").block != block {
            regions.pop();
        }
    }

    fn leave_function(&mut self, value: Option<ValueId>) {
        let result = value.map(|value| self.frame().value(value).clone());
        self.frames.pop();
        match self.frames.last_mut() {
            Some(caller) => {
                let function = caller.function;
                caller.define(&function.insts[caller.current].results, result.into_iter().collect());
            }
            None => {
                self.result = result;
                self.state = State::Finished;
            }
        }
    }
}
