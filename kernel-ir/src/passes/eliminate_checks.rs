//! Clears the check of every index that is provably in range, and decides the guards of divisions, and of where lines of matrices
//! begin, whose operands cannot be what they guard against: by intervals, by guards on the path, by loop counters, by powers of two.
//!
//! A trap lets the invocation go on, so an earlier checked access with the same index proves nothing.

mod loops;
mod places;

use std::collections::HashSet;

use self::loops::{LoopFacts, ceilings};
use super::assumptions::Assumptions;
use super::edit::{add_inst, for_each_inst};
use super::facts::Facts;
use super::halving_loops::{self, Halving};
use super::loop_spans::Spans;
use super::ranges::Range;
use super::trap_blocks::is_for_traps;
use super::{Changed, Indices, PassCx, eval};
use crate::arena::SecondaryMap;
use crate::few::Few;
use crate::ir::{
    BlockId, Bound, Constant, Function, Inst, InstId, InstKind, Kernel, Obligation, Place, SiteId, Step, ValueId,
};
use crate::op::Op;
use crate::types::Types;

/// Rounds of guessing how loop counters move; what is still wrong then counts as unknown.
const ROUNDS: usize = 4;

/// Rounds of guessing the intervals of what loops carry.
const SPAN_ROUNDS: usize = 10;

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let needs_facts = |inst: &Inst| {
        matches!(inst.kind, InstKind::Op(Op::Div | Op::Rem, _) | InstKind::CoopLoad(_) | InstKind::CoopStore(..))
            || matches!(inst.kind, InstKind::Trap(..) | InstKind::Panic(..))
            || inst.kind.place().is_some_and(Place::is_checked)
    };
    // Most functions that get here have something, which stands near their beginning.
    let halvings = halving_loops::find(function, cx.types);
    if halvings.is_empty() && !function.insts.iter().any(|(_, inst)| needs_facts(inst)) {
        return Changed::No;
    }
    let Some(mut found) = walk(function, cx, None, &halvings) else { return Changed::No };
    let is_left = !found.indices.on_device.is_empty() || !found.traps.is_empty() || !found.indices.at_launch.is_empty();
    if is_left
        && cx.kernel.is_some()
        && let Some(assumptions) = Assumptions::of(function, cx.types, cx.kernel)
        && let Some(assumed) = walk(function, cx, Some(&assumptions), &[])
    {
        found.leave_to_the_launch(assumed, &assumptions.obligations());
    }
    let Found { proven, decided, known, settled, indices, traps, halved } = found;
    cx.checks.indices.at_launch.extend(indices.at_launch);
    cx.checks.indices.on_device.extend(indices.on_device.into_iter().chain(traps));
    for (id, truth) in &decided {
        function.insts[*id].kind = InstKind::Const(Constant::Bool(*truth));
    }
    for (id, constant) in &known {
        function.insts[*id].kind = InstKind::Const(*constant);
    }
    let constants: HashSet<ValueId> =
        decided.iter().flat_map(|(id, _)| function.insts[*id].results.iter().copied()).collect();
    for (block, id, truth) in &settled {
        settle(function, *block, *id, *truth, &constants);
    }
    cx.checks.removed += proven.len();
    for (id, step) in &proven {
        if let Some(place) = function.insts[*id].kind.place_mut()
            && let Step::Index { check, .. } = &mut place.path[*step]
        {
            *check = None;
        }
    }
    let mut changed = !(proven.is_empty() && decided.is_empty() && known.is_empty() && settled.is_empty());
    for (halving, most) in halved {
        changed |= halving.count(function, cx.types, most);
    }
    if changed { Changed::Yes } else { Changed::No }
}

/// Gives a branch or a selection a constant for its condition, which others may share, unless it is one of the `constants` now.
fn settle(function: &mut Function, block: BlockId, id: InstId, truth: bool, constants: &HashSet<ValueId>) {
    let Inst { kind, location, .. } = &function.insts[id];
    let condition = match kind {
        InstKind::If { condition, .. } => *condition,
        InstKind::Op(Op::Select, operands) => operands[0],
        _ => return,
    };
    if constants.contains(&condition) {
        return;
    }
    let (ty, location) = (function.values[condition].ty, *location);
    let (constant, value) = add_inst(function, InstKind::Const(Constant::Bool(truth)), ty, location);
    match &mut function.insts[id].kind {
        InstKind::If { condition, .. } => *condition = value,
        InstKind::Op(_, operands) => operands[0] = value,
        _ => {}
    }
    let insts = &mut function.blocks[block].insts;
    if let Some(at) = insts.iter().position(|known| *known == id) {
        insts.insert(at, constant);
    }
}

/// The results of a walk through a function.
struct Found {
    proven: Vec<(InstId, usize)>,
    decided: Vec<(InstId, bool)>,
    /// Integers that can be one number only.
    known: Vec<(InstId, Constant)>,
    settled: Vec<(BlockId, InstId, bool)>,
    indices: Indices,
    /// Sites of traps to which control may come.
    traps: Vec<SiteId>,
    /// Loops that shift their counters, and the greatest that these can be.
    halved: Vec<(Halving, i128)>,
}

impl Found {
    /// Leaves to the launch what is not found needless here, but where the obligations hold under which `assumed` was found.
    fn leave_to_the_launch(&mut self, assumed: Self, obligations: &[Obligation]) {
        let is_kept = |site: &SiteId| !assumed.indices.on_device.contains(site) && !assumed.traps.contains(site);
        let (mut left, on_device) = std::mem::take(&mut self.indices.on_device).into_iter().partition(is_kept);
        self.indices.on_device = on_device;
        let (traps_left, traps): (Vec<_>, Vec<_>) = std::mem::take(&mut self.traps).into_iter().partition(is_kept);
        self.traps = traps;
        left.extend(traps_left);
        left.extend(self.take_bound_loosely(&assumed));
        left.sort_unstable();
        left.dedup();
        for (site, obligation) in assumed.indices.at_launch {
            if left.contains(&site) {
                self.indices.at_launch.push((site, obligation));
            }
        }
        let assumed = left.iter().flat_map(|site| obligations.iter().map(|obligation| (*site, obligation.clone())));
        self.indices.at_launch.extend(assumed);
    }
}

impl Found {
    /// Takes out the sites whose obligations `assumed` has tighter bounds for: guards by numbers that are assumed not to wrap.
    fn take_bound_loosely(&mut self, assumed: &Self) -> Vec<SiteId> {
        let of = |found: &[(SiteId, Obligation)], site: SiteId| {
            let obligations = found.iter().filter(|known| known.0 == site);
            obligations.map(|known| known.1.clone()).collect::<Vec<_>>()
        };
        let mut sites: Vec<SiteId> = self.indices.at_launch.iter().map(|known| known.0).collect();
        sites.sort_unstable();
        sites.dedup();
        sites.retain(|site| {
            let (loose, tight) = (of(&self.indices.at_launch, *site), of(&assumed.indices.at_launch, *site));
            let is_kept = !assumed.indices.on_device.contains(site) && !assumed.traps.contains(site);
            is_kept && tight != loose && tight.iter().all(|obligation| obligation.index.has_least())
        });
        self.indices.at_launch.retain(|known| !sites.contains(&known.0));
        sites
    }
}

/// Walks through a function; nothing where there is nothing to find out.
fn walk(
    function: &Function,
    cx: &PassCx<'_>,
    assumptions: Option<&Assumptions>,
    halvings: &[Halving],
) -> Option<Found> {
    let (mut is_checked, mut has_guards, mut has_ceilings) = (false, false, false);
    let mut jumps: SecondaryMap<BlockId, Few<InstId>> = SecondaryMap::of(&function.blocks);
    let mut conditions = Vec::new();
    let facts = Facts::new(function, cx.types, cx.kernel, assumptions, &mut |id, inst| match &inst.kind {
        InstKind::Continue(target, _) => jumps[*target].push(id),
        InstKind::Op(Op::Div | Op::Rem, _) | InstKind::CoopLoad(_) | InstKind::CoopStore(..) => has_guards = true,
        InstKind::Op(Op::Eq | Op::Ne, _) => has_ceilings = true,
        InstKind::If { condition, then_block, else_block } => {
            if [then_block, else_block].into_iter().any(|block| is_for_traps(function, *block)) {
                conditions.push(*condition);
            }
        }
        InstKind::Trap(..) | InstKind::Panic(..) => is_checked = true,
        kind => is_checked |= kind.place().is_some_and(Place::is_checked),
    });
    if !is_checked && !has_guards && halvings.is_empty() {
        return None;
    }
    let guards = facts.compared_by(conditions);
    let ceilings = if has_ceilings { ceilings(function) } else { SecondaryMap::new() };
    let mut walker = Walker {
        function,
        types: cx.types,
        kernel: cx.kernel,
        facts,
        jumps,
        ceilings,
        loops: SecondaryMap::of(&function.blocks),
        contradicted: false,
        proven: Vec::new(),
        indices: Indices::default(),
        has_guards,
        guards,
        decided: Vec::new(),
        known: Vec::new(),
        settled: Vec::new(),
        traps: Vec::new(),
        // Assumptions narrow what is known to what launches keep as a rule.
        is_kernel: cx.is_kernel && assumptions.is_none(),
        nesting: 0,
        may_have_left: false,
        spans: None,
        is_broken: false,
    };
    for round in 0..=ROUNDS {
        if round == ROUNDS {
            walker.give_up();
        }
        walker.walk_once();
        if !walker.contradicted {
            break;
        }
    }
    let found = walker.take_found(halvings);
    if found.indices.on_device.is_empty() && found.traps.is_empty() && found.halved.is_empty() {
        return Some(found);
    }
    Some(walker.walk_in_spans(halvings).unwrap_or(found))
}

struct Walker<'a> {
    function: &'a Function,
    types: &'a Types,
    kernel: Option<&'a Kernel>,
    facts: Facts<'a>,
    jumps: SecondaryMap<BlockId, Few<InstId>>,
    /// For loop parameters, a value from before the loop that they are compared with for equality.
    ceilings: SecondaryMap<ValueId, Option<ValueId>>,
    loops: SecondaryMap<BlockId, LoopFacts>,
    /// Some guess turned out wrong, so that nothing proven in this round counts.
    contradicted: bool,
    proven: Vec<(InstId, usize)>,
    /// Indices that are not proven.
    indices: Indices,
    /// Whether there are divisions or lines of matrices, and so guards of them.
    has_guards: bool,
    /// Two values each that conditions of branches to traps compare. What is compared otherwise, too, selects an index.
    guards: HashSet<(ValueId, ValueId)>,
    /// Comparisons that come out one way.
    decided: Vec<(InstId, bool)>,
    /// Integers that can be one number only.
    known: Vec<(InstId, Constant)>,
    /// Branches with a block that traps, which never take it: a comparison made earlier, where less was known, or a condition that an
    /// earlier branch has decided. Choices of indices, too.
    settled: Vec<(BlockId, InstId, bool)>,
    /// Sites of traps to which control may come.
    traps: Vec<SiteId>,
    /// Whether the function is the kernel's own.
    is_kernel: bool,
    /// Blocks around the current place, its own included.
    nesting: usize,
    /// Whether some invocation may have left the function before the current place.
    may_have_left: bool,
    /// Narrower intervals for the parameters of loops, once guesses have held.
    spans: Option<Spans>,
    /// Whether such a guess did not hold with them.
    is_broken: bool,
}

impl Walker<'_> {
    /// Walks through the function with what is guessed by now.
    fn walk_once(&mut self) {
        self.contradicted = false;
        // The factor of a counter may hang on guesses.
        self.facts.twos.clear();
        self.proven.clear();
        self.indices = Indices::default();
        self.decided.clear();
        self.known.clear();
        self.settled.clear();
        self.traps.clear();
        self.may_have_left = false;
        self.block(self.function.entry);
    }

    fn take_found(&mut self, halvings: &[Halving]) -> Found {
        let first = |halving: &Halving| self.loops[halving.body].first.get(halving.counter).copied();
        let is_known = |first: &Range| first.lo >= 0;
        let halved = halvings.iter().filter_map(|halving| Some((*halving, first(halving).filter(is_known)?.hi)));
        Found {
            halved: halved.collect(),
            proven: std::mem::take(&mut self.proven),
            decided: std::mem::take(&mut self.decided),
            known: std::mem::take(&mut self.known),
            settled: std::mem::take(&mut self.settled),
            indices: std::mem::take(&mut self.indices),
            traps: std::mem::take(&mut self.traps),
        }
    }

    /// Walks through the function again, whose guesses have held, with narrower intervals of what loops carry. Nothing where none of them
    /// hold, or nothing would be found out.
    fn walk_in_spans(&mut self, halvings: &[Halving]) -> Option<Found> {
        let mut spans = Spans::default();
        let mut may_help = false;
        let (function, facts, loops) = (self.function, &self.facts, &self.loops);
        for_each_inst(function, &mut |_, inst| {
            let InstKind::Loop { body, .. } = inst.kind else { return };
            let known = &loops[body];
            if known.is_hopeless || known.first.len() != function.blocks[body].params.len() {
                return;
            }
            for (index, param) in function.blocks[body].params.iter().enumerate() {
                let first = known.first[index];
                let all = known.next[index].map_or(first, |next| first.join(next));
                let full = facts.integer(*param).map(Range::full);
                may_help |= spans.add(body, first, all.meet(known.params[index]), full);
            }
            spans.find_limits(function, body, |kind| match kind {
                InstKind::Op(_, operands) => [0, 1].map(|at| facts.constant(operands[at])),
                _ => [Range::ANY; 2],
            });
        });
        if !may_help {
            return None;
        }
        self.spans = Some(spans);
        for _ in 0..SPAN_ROUNDS {
            self.walk_once();
            if self.is_broken {
                return None;
            }
            if !self.contradicted {
                return Some(self.take_found(halvings));
            }
        }
        None
    }

    /// Walks a block; the intervals it yields, or `None` when it does not.
    fn block(&mut self, block: BlockId) -> Option<Vec<Range>> {
        let mark = self.facts.mark();
        self.nesting += 1;
        let mut yielded = None;
        let function = self.function;
        for &id in &function.blocks[block].insts {
            let inst = &function.insts[id];
            match &inst.kind {
                InstKind::If { condition, then_block, else_block } => {
                    self.settle(block, id, *condition, [*then_block, *else_block]);
                    self.branch(&inst.results, *condition, *then_block, *else_block);
                }
                InstKind::Switch { cases, default, .. } => {
                    let all = cases.iter().map(|(_, case)| *case).chain([*default]);
                    let yields: Vec<Vec<Range>> = all.filter_map(|case| self.block(case)).collect();
                    self.define_joined(&inst.results, yields);
                }
                InstKind::Loop { initial, body, .. } => self.enter_loop(&inst.results, initial, *body),
                InstKind::Yield(values) => yielded = Some(self.ranges(values)),
                InstKind::Break(target, values) => {
                    let ranges = self.ranges(values);
                    let breaks = &mut self.loops[*target].breaks;
                    breaks.resize(ranges.len(), None);
                    for (known, range) in breaks.iter_mut().zip(ranges) {
                        *known = Some(known.map_or(range, |known| known.join(range)));
                    }
                }
                InstKind::Continue(target, values) => self.confirm(*target, values),
                InstKind::Return(_) | InstKind::Unreachable => self.may_have_left = true,
                InstKind::Load(place) => {
                    self.check(id, place);
                    inst.results.iter().for_each(|result| self.facts.define_result(*result));
                }
                InstKind::Store(place, _) => self.check(id, place),
                kind => {
                    if let InstKind::Trap(site, _) | InstKind::Panic(site, _) = kind {
                        self.traps.push(*site);
                    }
                    self.may_have_left |= matches!(kind, InstKind::Panic(..));
                    if let Some(place) = kind.place() {
                        self.check(id, place);
                    }
                    if let [result] = inst.results[..] {
                        self.facts.define_result(result);
                    }
                    self.find_number(id, inst);
                    match kind {
                        InstKind::Op(Op::Select, operands) => self.choose(block, id, operands),
                        InstKind::Op(op @ (Op::Eq | Op::Ne), operands)
                            if self.has_guards || self.is_guard(operands) =>
                        {
                            self.decide(id, *op, operands);
                        }
                        InstKind::Op(op @ (Op::Lt | Op::Ge), operands) => self.find_member(id, *op, operands),
                        _ => {}
                    }
                    if let (InstKind::Op(Op::Lt | Op::Le | Op::Gt | Op::Ge, compared), [result]) =
                        (kind, &inst.results[..])
                        && self.is_guard(compared)
                        && let Some(never) = [false, true].into_iter().find(|truth| self.facts.never(*result, *truth))
                    {
                        self.decided.push((id, !never));
                    }
                }
            }
        }
        self.facts.take_back(mark);
        self.nesting -= 1;
        yielded
    }

    /// Notes an index of which it is known whether it is the one for what is out of range.
    fn choose(&mut self, block: BlockId, id: InstId, operands: &[ValueId]) {
        let &[condition, _, outside] = operands else { return };
        let is_decided = matches!(self.facts.definition(condition), Some(InstKind::Const(_)));
        if matches!(self.facts.definition(outside), Some(InstKind::Const(Constant::U32(u32::MAX))))
            && !is_decided
            && self.facts.never(condition, false)
        {
            self.settled.push((block, id, true));
        }
    }

    /// Notes a branch that never takes its block that traps.
    fn settle(&mut self, block: BlockId, id: InstId, condition: ValueId, blocks: [BlockId; 2]) {
        for (inner, truth) in blocks.into_iter().zip([true, false]) {
            let is_decided = || matches!(self.facts.definition(condition), Some(InstKind::Const(_)));
            if is_for_traps(self.function, inner) && !is_decided() && self.facts.never(condition, truth) {
                self.settled.push((block, id, !truth));
                return;
            }
        }
    }

    /// Notes a comparison of integers that can have no common value, or only one.
    fn decide(&mut self, id: InstId, op: Op, operands: &[ValueId]) {
        if operands.iter().any(|operand| self.facts.integer(*operand).is_none()) {
            return;
        }
        let range = |value: ValueId| match self.facts.is_masked_away(value) {
            true => Range::new(0, 0),
            false => self.facts.range(value),
        };
        let (a, b) = (range(operands[0]), range(operands[1]));
        let is_same = a == b && a.lo == a.hi;
        if is_same || a.hi < b.lo || b.hi < a.lo || self.facts.differ(operands[0], operands[1]) {
            self.decided.push((id, is_same == (op == Op::Eq)));
        }
    }

    /// Notes an integer of which one number is left.
    fn find_number(&mut self, id: InstId, inst: &Inst) {
        let (InstKind::Op(..), [result]) = (&inst.kind, &inst.results[..]) else { return };
        let range = self.facts.range(*result);
        if range.lo == range.hi
            && let Some(scalar) = self.facts.integer(*result)
        {
            self.known.push((id, eval::from_bits(range.lo as u64, scalar)));
        }
    }

    /// Whether a branch to a trap compares the same values.
    fn is_guard(&self, operands: &[ValueId]) -> bool {
        operands.len() == 2 && self.guards.contains(&(operands[0], operands[1]))
    }

    /// Notes a comparison that finds a position to be one of a list.
    fn find_member(&mut self, id: InstId, op: Op, operands: &[ValueId]) {
        let &[member, count] = operands else { return };
        if let Some(kernel) = self.kernel
            && let Some(InstKind::Len(list)) = self.facts.definition(count)
            && kernel.buffers[*list].is_list
            && self.facts.is_below(member, count, true)
        {
            self.decided.push((id, op == Op::Lt));
        }
    }

    fn ranges(&self, values: &[ValueId]) -> Vec<Range> {
        values.iter().map(|value| self.facts.range(*value)).collect()
    }

    fn branch(&mut self, results: &[ValueId], condition: ValueId, then_block: BlockId, else_block: BlockId) {
        let [yes, no] = [(then_block, true), (else_block, false)].map(|(block, truth)| {
            let mark = self.facts.mark();
            // An access that traps there, and that no invocation comes to, may be left to the launch.
            let traps = self.traps.len();
            // Of numbers alone, the host knows no more than is known here.
            let may_hold = |obligation: &Obligation| match (&obligation.index, &obligation.length) {
                (Bound::Const(index), Bound::Const(length)) => index < length,
                _ => true,
            };
            let obligations = match self.facts.always_traps(self.function, block) {
                true => self.facts.never_if(condition, truth).filter(|asked| asked.iter().all(may_hold)),
                false => None,
            };
            self.facts.assume(condition, truth);
            let yielded = self.block(block);
            self.facts.take_back(mark);
            if let Some(obligations) = obligations {
                for site in self.traps.drain(traps..) {
                    let left = obligations.iter().map(|obligation| (site, obligation.clone()));
                    self.indices.at_launch.extend(left);
                }
            }
            yielded
        });
        match (yes.is_some(), no.is_some()) {
            // Where one block leaves, the code behind runs only after the other.
            (false, true) => self.facts.assume(condition, false),
            (true, false) => self.facts.assume(condition, true),
            _ => {}
        }
        if results.is_empty() {
            return;
        }
        let arms = [(yes, true), (no, false)].into_iter();
        let taken = arms.filter_map(|(yielded, truth)| yielded.filter(|_| !self.facts.never(condition, truth)));
        let taken = taken.collect();
        self.define_joined(results, taken);
    }

    fn define_joined(&mut self, results: &[ValueId], yields: Vec<Vec<Range>>) {
        for (index, result) in results.iter().enumerate() {
            let joined = yields.iter().map(|ranges| ranges[index]).reduce(Range::join);
            self.facts.define(*result, joined.unwrap_or(Range::ANY));
        }
    }
}
