//! Turns early ways out into results of the `if` or `switch` they stand in, where that copies no code.
//!
//! `if c { return a } rest; return b` becomes `%r = if c { yield a } else { rest; yield b }; return %r`. It leaves returns inside loops, and
//! those behind which two or more blocks go on. The same is done to breaks of loops that nobody continues, which then are no loops any more:
//! callees that were inlined are such, and drivers take them for loops. And it is done to the next rounds of loops: `if c { continue } rest; continue`
//! has one end then, and is a loop that counts, like any other.

use super::edit::{Substitution, add_effect, add_inst, add_value, walk, yields};
use super::{Changed, PassCx};
use crate::arena::EntityId;
use crate::ir::{BlockId, Function, InstId, InstKind, ValueId};
use crate::op::Op;
use crate::types::TypeId;

/// The jumps that become results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Returns of the function.
    Return,
    /// Breaks of the loop with this body.
    Break(BlockId),
    /// Next rounds of the loop with this body.
    Continue(BlockId),
}

impl Way {
    /// The values that an instruction takes this way.
    fn values(self, kind: &InstKind) -> Option<&[ValueId]> {
        match (self, kind) {
            (Self::Return, InstKind::Return(value)) => Some(value.as_slice()),
            (Self::Break(body), InstKind::Break(target, values)) if *target == body => Some(values),
            (Self::Continue(body), InstKind::Continue(target, values)) if *target == body => Some(values),
            _ => None,
        }
    }

    fn jump(self, values: &[ValueId]) -> InstKind {
        match self {
            Self::Return => InstKind::Return(values.first().copied()),
            Self::Break(body) => InstKind::Break(body, values.into()),
            Self::Continue(body) => InstKind::Continue(body, values.into()),
        }
    }
}

/// Runs the pass on returns.
pub fn run(function: &mut Function) -> Changed {
    if returns_at_end(function) || !can_move(function, Way::Return, function.entry, &[]) {
        return Changed::No;
    }
    // A callee returns unit exactly when its returns carry no value.
    let mut results = Vec::new();
    walk(function, function.entry, &mut |_, inst| {
        if let InstKind::Return(Some(value)) = inst.kind {
            results = vec![function.values[value].ty];
        }
    });
    let substitution = Substitution::of(function);
    let mut pass = TailExits { function, way: Way::Return, results, substitution };
    let entry = pass.function.entry;
    let insts = std::mem::take(&mut pass.function.blocks[entry].insts);
    pass.rewrite(entry, insts, Exit::Jump);
    // Code moved inwards still names results that its new place does not have.
    let substitution = pass.substitution;
    function.insts.values_mut().for_each(|inst| substitution.apply(&mut inst.kind));
    Changed::Yes
}

/// Runs the pass on breaks of loops that nobody continues.
pub fn run_on_loops(function: &mut Function, _: &mut PassCx<'_>) -> Changed {
    let mut is_continued = vec![false; function.blocks.len()];
    let mut loops = Vec::new();
    walk(function, function.entry, &mut |id, inst| match &inst.kind {
        InstKind::Continue(body, _) => is_continued[body.index()] = true,
        InstKind::Loop { body, .. } => loops.push((id, *body)),
        _ => {}
    });
    loops.retain(|(_, body)| !is_continued[body.index()]);
    let mut substitution = Substitution::of(function);
    let mut changed = Changed::No;
    // Inner loops first: afterwards those around them hold none.
    for (id, body) in loops.into_iter().rev() {
        if crate::flow::is_broken(function, body) && can_move(function, Way::Break(body), body, &[]) {
            substitution = unwrap_loop(function, id, body, substitution);
            changed = Changed::Yes;
        }
    }
    if changed == Changed::Yes {
        function.insts.values_mut().for_each(|inst| substitution.apply(&mut inst.kind));
    }
    changed
}

/// Runs the pass on the next rounds of loops.
pub fn run_on_rounds(function: &mut Function, _: &mut PassCx<'_>) -> Changed {
    let mut bodies = Vec::new();
    walk(function, function.entry, &mut |_, inst| {
        if let InstKind::Loop { body, .. } = &inst.kind {
            bodies.push(*body);
        }
    });
    let mut substitution = Substitution::of(function);
    let mut changed = Changed::No;
    for body in bodies.into_iter().rev() {
        let way = Way::Continue(body);
        if function.blocks[body].insts.iter().any(|id| has_exit(function, way, *id) && goes_on_once(function, *id)) {
            step_first(function, body);
            let results = function.blocks[body].params.iter().map(|param| function.values[*param].ty).collect();
            let mut pass = TailExits { function, way, results, substitution };
            let insts = std::mem::take(&mut pass.function.blocks[body].insts);
            pass.rewrite(body, insts, Exit::Jump);
            substitution = pass.substitution;
            changed = Changed::Yes;
        }
    }
    if changed == Changed::Yes {
        function.insts.values_mut().for_each(|inst| substitution.apply(&mut inst.kind));
    }
    changed
}

/// Computes where a round begins what all its ends compute alike of its parameters and constants: the step of a counter.
fn step_first(function: &mut Function, body: BlockId) {
    let mut definitions = vec![None; function.values.len()];
    let mut ends = Vec::new();
    for (id, inst) in function.insts.iter() {
        inst.results.iter().for_each(|result| definitions[result.index()] = Some(id));
    }
    walk(function, body, &mut |id, inst| {
        if matches!(inst.kind, InstKind::Continue(target, _) if target == body) {
            ends.push(id);
        }
    });
    let next = |function: &Function, end: InstId, index: usize| match &function.insts[end].kind {
        InstKind::Continue(_, values) => values[index],
        _ => panic!("it is an end of a round"),
    };
    let step_of = |function: &Function, value: ValueId, param: ValueId| {
        let InstKind::Op(op @ (Op::Add | Op::Sub), operands) = &function.insts[definitions[value.index()]?].kind else {
            return None;
        };
        let &[first, by] = &operands[..] else { return None };
        match function.insts[definitions[by.index()]?].kind {
            InstKind::Const(constant) if first == param => Some((*op, constant)),
            _ => None,
        }
    };
    let mut first = Vec::new();
    for (index, param) in function.blocks[body].params.clone().into_iter().enumerate() {
        let mut steps = ends.iter().map(|end| step_of(function, next(function, *end, index), param));
        let Some(step @ Some((op, constant))) = steps.next() else { continue };
        if !steps.all(|other| other == step) {
            continue;
        }
        let ty = function.values[param].ty;
        let location = function.insts[ends[0]].location;
        let (by_id, by) = add_inst(function, InstKind::Const(constant), ty, location);
        let (id, stepped) = add_inst(function, InstKind::Op(op, [param, by].into()), ty, location);
        first.extend([by_id, id]);
        for end in &ends {
            if let InstKind::Continue(_, values) = &mut function.insts[*end].kind {
                values[index] = stepped;
            }
        }
    }
    function.blocks[body].insts.splice(0..0, first);
}

/// Puts the instructions of a loop's body into the place of the loop.
fn unwrap_loop(function: &mut Function, id: InstId, body: BlockId, mut substitution: Substitution) -> Substitution {
    let way = Way::Break(body);
    let loop_results = std::mem::take(&mut function.insts[id].results);
    let results = loop_results.iter().map(|result| function.values[*result].ty).collect();
    if let InstKind::Loop { initial, .. } = &function.insts[id].kind {
        for (param, value) in function.blocks[body].params.iter().zip(initial) {
            substitution.set(*param, *value);
        }
    }
    let mut pass = TailExits { function, way, results, substitution };
    let insts = std::mem::take(&mut pass.function.blocks[body].insts);
    pass.rewrite(body, insts, Exit::Jump);
    let TailExits { mut substitution, .. } = pass;
    let mut insts = std::mem::take(&mut function.blocks[body].insts);
    let last = insts.pop().expect("a block ends with a terminator");
    let values = way.values(&function.insts[last].kind).expect("it is the break that all others became");
    for (result, value) in loop_results.iter().zip(values) {
        substitution.set(*result, *value);
    }
    let mut lists = function.blocks.values_mut().map(|block| &mut block.insts);
    if let Some((parent, at)) = lists.find_map(|insts| insts.iter().position(|inst| *inst == id).map(|at| (insts, at)))
    {
        parent.splice(at..=at, insts);
    }
    substitution
}

/// Whether no block but the entry returns.
pub fn returns_at_end(function: &Function) -> bool {
    function.blocks[function.entry].insts.iter().all(|id| !has_exit(function, Way::Return, *id))
}

/// Whether such a jump stands in a block that the instruction owns.
fn has_exit(function: &Function, way: Way, id: InstId) -> bool {
    let mut found = false;
    for block in function.insts[id].kind.blocks() {
        walk(function, block, &mut |_, inst| found |= way.values(&inst.kind).is_some());
    }
    found
}

/// Whether an instruction is no loop, and at most one of its blocks goes on behind it.
fn goes_on_once(function: &Function, id: InstId) -> bool {
    let kind = &function.insts[id].kind;
    let goes_on = |block: &&BlockId| yields(function, **block).is_some();
    !matches!(kind, InstKind::Loop { .. }) && kind.blocks().iter().filter(goes_on).count() <= 1
}

/// Whether all such jumps of the block, followed by the runs of instructions in `behind`, can become results.
fn can_move(function: &Function, way: Way, block: BlockId, behind: &[&[InstId]]) -> bool {
    can_move_insts(function, way, &function.blocks[block].insts, behind)
}

fn can_move_insts(function: &Function, way: Way, insts: &[InstId], behind: &[&[InstId]]) -> bool {
    let Some(at) = insts.iter().position(|id| has_exit(function, way, *id)) else {
        return match behind.split_last() {
            // The block's end is where the code behind it begins, if the end is a yield.
            Some((next, rest)) if insts.last().is_some_and(|last| is_yield(function, *last)) => {
                can_move_insts(function, way, next, rest)
            }
            _ => true,
        };
    };
    if !goes_on_once(function, insts[at]) {
        return false;
    }
    let blocks = function.insts[insts[at]].kind.blocks();
    let mut behind = behind.to_vec();
    behind.push(&insts[at + 1..]);
    blocks.iter().all(|block| match yields(function, *block) {
        Some(_) => can_move(function, way, *block, &behind),
        None => can_move(function, way, *block, &[]),
    })
}

fn is_yield(function: &Function, id: InstId) -> bool {
    matches!(function.insts[id].kind, InstKind::Yield(_))
}

/// The replacement of a jump at the end of the block being rewritten.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// It stays.
    Jump,
    /// It yields its values to the `if` or `switch` around it.
    Yield,
}

struct TailExits<'a> {
    function: &'a mut Function,
    way: Way,
    /// The types of the values that the jumps carry.
    results: Vec<TypeId>,
    substitution: Substitution,
}

impl TailExits<'_> {
    fn rewrite(&mut self, block: BlockId, mut insts: Vec<InstId>, exit: Exit) {
        // Next rounds that cannot become results stay what they are.
        let is_moved = |id: &InstId| {
            has_exit(self.function, self.way, *id)
                && (!matches!(self.way, Way::Continue(_)) || goes_on_once(self.function, *id))
        };
        let Some(at) = insts.iter().position(is_moved) else {
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
        let mut results = Vec::new();
        if comes_out {
            results.extend(self.results.iter().map(|ty| add_value(self.function, *ty, None)));
        }
        self.function.insts[id].results = results.iter().copied().collect();
        let location = self.function.insts[id].location;
        let end = if comes_out { self.way.jump(&results) } else { InstKind::Unreachable };
        insts.push(add_effect(self.function, end, location));
        self.finish(block, insts, exit);
    }

    fn finish(&mut self, block: BlockId, insts: Vec<InstId>, exit: Exit) {
        if exit == Exit::Yield {
            let last = *insts.last().expect("a block ends with a terminator");
            if let Some(values) = self.way.values(&self.function.insts[last].kind) {
                self.function.insts[last].kind = InstKind::Yield(values.into());
            }
        }
        self.function.blocks[block].insts = insts;
    }
}
