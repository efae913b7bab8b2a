//! Turns early returns into results of the `if` or `switch` they stand in, where that copies no code.
//!
//! `if c { return a } rest; return b` becomes `%r = if c { yield a } else { rest; yield b }; return %r`.
//! It leaves returns inside loops, and those behind which two or more blocks go on.

use super::Changed;
use super::edit::{Substitution, add_effect, add_value, walk, yields};
use crate::ir::{BlockId, Function, InstId, InstKind, ValueId};
use crate::types::TypeId;

/// Runs the pass.
pub fn run(function: &mut Function) -> Changed {
    if returns_at_end(function) || !can_move(function, function.entry, &[]) {
        return Changed::No;
    }
    // A callee returns unit exactly when its returns carry no value.
    let mut result = None;
    walk(function, function.entry, &mut |_, inst| {
        if let InstKind::Return(Some(value)) = inst.kind {
            result = Some(function.values[value].ty);
        }
    });
    let substitution = Substitution::of(function);
    let mut pass = TailReturns { function, result, substitution };
    let entry = pass.function.entry;
    let insts = std::mem::take(&mut pass.function.blocks[entry].insts);
    pass.rewrite(entry, insts, Exit::Return);
    // Code moved inwards still names results that its new place does not have.
    let substitution = pass.substitution;
    function.insts.values_mut().for_each(|inst| substitution.apply(&mut inst.kind));
    Changed::Yes
}

/// Whether no block but the entry returns.
pub fn returns_at_end(function: &Function) -> bool {
    function.blocks[function.entry].insts.iter().all(|id| !has_return(function, *id))
}

/// Whether a return stands in a block that the instruction owns.
fn has_return(function: &Function, id: InstId) -> bool {
    let mut found = false;
    for block in function.insts[id].kind.blocks() {
        walk(function, block, &mut |_, inst| found |= matches!(inst.kind, InstKind::Return(_)));
    }
    found
}

/// Whether all returns of the block, followed by the runs of instructions in `behind`, can become results.
fn can_move(function: &Function, block: BlockId, behind: &[&[InstId]]) -> bool {
    can_move_insts(function, &function.blocks[block].insts, behind)
}

fn can_move_insts(function: &Function, insts: &[InstId], behind: &[&[InstId]]) -> bool {
    let Some(at) = insts.iter().position(|id| has_return(function, *id)) else {
        return match behind.split_last() {
            // The block's end is where the code behind it begins, if the end is a yield.
            Some((next, rest)) if insts.last().is_some_and(|last| is_yield(function, *last)) => {
                can_move_insts(function, next, rest)
            }
            _ => true,
        };
    };
    let kind = &function.insts[insts[at]].kind;
    let blocks = kind.blocks();
    if matches!(kind, InstKind::Loop { .. }) || blocks.iter().filter(|b| yields(function, **b).is_some()).count() > 1 {
        return false;
    }
    let mut behind = behind.to_vec();
    behind.push(&insts[at + 1..]);
    blocks.iter().all(|block| match yields(function, *block) {
        Some(_) => can_move(function, *block, &behind),
        None => can_move(function, *block, &[]),
    })
}

fn is_yield(function: &Function, id: InstId) -> bool {
    matches!(function.insts[id].kind, InstKind::Yield(_))
}

/// The replacement of a `return` at the end of the block being rewritten.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// It stays.
    Return,
    /// It yields its value to the `if` or `switch` around it.
    Yield,
}

struct TailReturns<'a> {
    function: &'a mut Function,
    result: Option<TypeId>,
    substitution: Substitution,
}

impl TailReturns<'_> {
    fn rewrite(&mut self, block: BlockId, mut insts: Vec<InstId>, exit: Exit) {
        let Some(at) = insts.iter().position(|id| has_return(self.function, *id)) else {
            self.finish(block, insts, exit);
            return;
        };
        let rest = insts.split_off(at + 1);
        let id = insts[at];
        let old_results = std::mem::take(&mut self.function.insts[id].results);
        let mut rest = Some(rest);
        let mut comes_out = false;
        for nested in self.function.insts[id].kind.blocks() {
            let mut moved = std::mem::take(&mut self.function.blocks[nested].insts);
            if let Some(InstKind::Yield(values)) = moved.last().map(|last| self.function.insts[*last].kind.clone()) {
                moved.pop();
                for (result, value) in old_results.iter().zip(values) {
                    self.substitution.set(*result, value);
                }
                moved.append(&mut rest.take().expect("only one block goes on"));
            }
            self.rewrite(nested, moved, Exit::Yield);
            comes_out |= yields(self.function, nested).is_some();
        }
        let result: Option<ValueId> = match self.result {
            Some(ty) if comes_out => Some(add_value(self.function, ty, None)),
            _ => None,
        };
        self.function.insts[id].results = result.into_iter().collect();
        let location = self.function.insts[id].location;
        let end = if comes_out { InstKind::Return(result) } else { InstKind::Unreachable };
        insts.push(add_effect(self.function, end, location));
        self.finish(block, insts, exit);
    }

    fn finish(&mut self, block: BlockId, insts: Vec<InstId>, exit: Exit) {
        if exit == Exit::Yield {
            let last = *insts.last().expect("a block ends with a terminator");
            if let InstKind::Return(value) = self.function.insts[last].kind {
                self.function.insts[last].kind = InstKind::Yield(value.into_iter().collect());
            }
        }
        self.function.blocks[block].insts = insts;
    }
}
