//! Makes control flow flatter: code runs outside an `if` where it may.
//!
//! An `if` whose blocks only compute a few cheap values becomes those computations and a `select` per result. If one
//! block leaves, the other's instructions move behind the `if`. Nothing moves to where it could trap, read memory or be
//! undefined although its block would not have run.

use super::edit::{Substitution, yields};
use super::{Changed, PassCx};
use crate::ir::{BlockId, Function, Inst, InstId, InstKind};
use crate::op::{Cost, Op};
use crate::types::{Scalar, Type};

/// An `if` with more instructions than this in its blocks stays.
const MOST_INSTS: usize = 8;

/// The same for `a || b` and `a && b`, of which a chain of tests is made: branches for each take longer than all the tests.
const MOST_OF_TESTS: usize = 48;

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let substitution = Substitution::of(function);
    let mut flattener = Flattener { function, cx, substitution, changed: Changed::No };
    flattener.block(flattener.function.entry);
    flattener.changed
}

struct Flattener<'a, 'm> {
    function: &'a mut Function,
    cx: &'a PassCx<'m>,
    substitution: Substitution,
    changed: Changed,
}

impl Flattener<'_, '_> {
    fn block(&mut self, id: BlockId) {
        let mut insts = self.function.blocks[id].insts.iter();
        if self.substitution.is_empty() && !insts.any(|inst| is_branch(self.function, *inst)) {
            return;
        }
        let insts = std::mem::take(&mut self.function.blocks[id].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            self.substitution.apply(&mut self.function.insts[inst].kind);
            if !is_branch(self.function, inst) {
                out.push(inst);
                continue;
            }
            for nested in self.function.insts[inst].kind.blocks() {
                self.block(nested);
            }
            if is_cheap(self.function, inst, self.cx) {
                flatten(self.function, inst, &mut out);
                self.changed = Changed::Yes;
                continue;
            }
            out.push(inst);
            self.move_behind(inst, &mut out);
        }
        self.function.blocks[id].insts = out;
    }

    /// If one block of an `if` leaves, moves the other's instructions behind the `if`.
    fn move_behind(&mut self, id: InstId, out: &mut Vec<InstId>) {
        let InstKind::If { then_block, else_block, .. } = self.function.insts[id].kind else { return };
        let stays = match [then_block, else_block].map(|block| yields(self.function, block).is_some()) {
            [true, false] => then_block,
            [false, true] => else_block,
            _ => return,
        };
        let insts = &mut self.function.blocks[stays].insts;
        let last = *insts.last().expect("a block ends with a terminator");
        let results = std::mem::take(&mut self.function.insts[id].results);
        if insts.len() == 1 && results.is_empty() {
            return;
        }
        out.extend(std::mem::replace(insts, vec![last]).into_iter().filter(|inst| *inst != last));
        if let InstKind::Yield(values) = &mut self.function.insts[last].kind {
            for (result, value) in results.into_iter().zip(std::mem::take(values)) {
                self.substitution.set(result, value);
            }
        }
        self.changed = Changed::Yes;
    }
}

/// Whether an instruction owns blocks.
fn is_branch(function: &Function, id: InstId) -> bool {
    function.insts[id].kind.has_blocks()
}

fn is_cheap(function: &Function, id: InstId, cx: &PassCx<'_>) -> bool {
    let InstKind::If { then_block, else_block, .. } = function.insts[id].kind else { return false };
    let insts = [then_block, else_block].map(|block| &function.blocks[block].insts);
    let is_test = insts.iter().any(|insts| insts.len() == 1) && is_bool(function, id, cx);
    let most = if is_test { MOST_OF_TESTS } else { MOST_INSTS };
    // Each block also holds its yield.
    insts[0].len() + insts[1].len() <= most + 2
        && [then_block, else_block].iter().all(|block| yields(function, *block).is_some())
        && insts.into_iter().all(|insts| insts[..insts.len() - 1].iter().all(|id| may_move(function, *id, cx)))
}

/// Whether an instruction has one result, a `bool`.
fn is_bool(function: &Function, id: InstId, cx: &PassCx<'_>) -> bool {
    let [result] = function.insts[id].results[..] else { return false };
    *cx.types.get(function.values[result].ty) == Type::Scalar(Scalar::Bool)
}

/// Whether the instruction is cheap, and may run although its block would not.
fn may_move(function: &Function, id: InstId, cx: &PassCx<'_>) -> bool {
    let inst = &function.insts[id];
    match &inst.kind {
        InstKind::Const(_)
        | InstKind::Compose(_)
        | InstKind::Extract(..)
        | InstKind::Insert(..)
        | InstKind::Param(_)
        | InstKind::ConstParam(_)
        | InstKind::Builtin(_)
        | InstKind::Len(_) => true,
        // Exact conversion of floats to integers takes several instructions.
        InstKind::Op(Op::Cast, operands) => {
            cx.types.element_scalar(function.values[operands[0]].ty) != Some(Scalar::F32)
        }
        InstKind::Op(op, _) => op.cost() == Cost::Short,
        _ => false,
    }
}

fn flatten(function: &mut Function, id: InstId, out: &mut Vec<InstId>) {
    let location = function.insts[id].location;
    let results = std::mem::take(&mut function.insts[id].results);
    let InstKind::If { condition, then_block, else_block } = function.insts[id].kind else { unreachable!("an if") };
    let mut yielded = [then_block, else_block].map(|block| {
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        let last = insts.pop().expect("a block ends with a terminator");
        out.append(&mut insts);
        match &mut function.insts[last].kind {
            InstKind::Yield(values) => std::mem::take(values).into_iter(),
            _ => unreachable!("both blocks yield"),
        }
    });
    for result in results {
        let [Some(yes), Some(no)] = yielded.each_mut().map(Iterator::next) else {
            unreachable!("one value per result")
        };
        let kind = InstKind::Op(Op::Select, [condition, yes, no].into());
        out.push(function.insts.push(Inst { kind, results: [result].into(), location }));
    }
}
