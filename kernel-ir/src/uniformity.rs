//! Uniformity: the values, loops, barriers and matrix operations on which all invocations of a workgroup, or of a
//! subgroup, agree. The analysis looks at one function, into which callees with barriers are inlined, and changes
//! nothing.
//!
//! A value is uniform if it is computed from uniform values in the same way. A plain load through uniform indices is
//! uniform: an invocation that could see something else would race with a store. The results of atomics and of subgroup
//! exchanges are divergent, and so is any value about which nothing is known; each has the place it comes from.
//!
//! Control is the same until a condition differs; behind the `if` or the loop, all are together again. A `return`, `break`
//! or `continue` under such a condition keeps some away from all that it jumps over. A panic does not: who panicked walks on.
//!
//! Kernels with matrices of subgroups are looked at a second time, for the subgroup. `workgroup_uniform` vouches for a
//! value that this analysis cannot prove.

mod report;

use crate::arena::{EntityId, SecondaryMap};
use crate::flow;
use crate::ir::{
    BlockId, Builtin, Function, FunctionId, Inst, InstId, InstKind, Kernel, LocalId, Module, Place, Root, Scope, Span,
    Step, SubgroupOp, ValueId,
};
use crate::op::Op;
use crate::types::Size;

pub use report::{Divergence, DivergenceKind, Jump, Link, Origin};

/// Why a value may differ.
#[derive(Debug, Clone, Copy)]
enum Cause {
    /// The instruction that defines it gives something else in each invocation.
    Source(InstId),
    /// It is computed from this value.
    From(ValueId),
    /// A condition chose which one it is.
    Chosen(ValueId),
}

/// Why not all invocations come to a point.
#[derive(Debug, Clone, Copy)]
struct DivergedAt {
    /// The `if` or `switch` that parted them.
    branch: InstId,
    /// The jump by which some invocations left.
    jump: Option<InstId>,
}

/// The target of a jump under a divergent condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Break(BlockId),
    Continue(BlockId),
    Return,
}

/// The uniformity of a function's values and control flow.
pub struct Uniformity<'m> {
    function: &'m Function,
    kernel: Option<&'m Kernel>,
    /// The invocations that agree: the workgroup's or the subgroup's.
    scope: Scope,
    /// By function: whether calls give the same for the same arguments.
    agreeing: &'m [bool],
    /// Buffers and shared variables that invocations access in any order: a load there finds something else each time.
    unordered: Vec<Root>,
    definitions: Vec<Option<InstId>>,
    values: Vec<Option<Cause>>,
    locals: Vec<Option<Cause>>,
    /// Why not all invocations begin a round of the loop.
    rounds: SecondaryMap<BlockId, Option<DivergedAt>>,
    /// Why not all invocations leave the loop together.
    leaving: SecondaryMap<BlockId, Option<DivergedAt>>,
    barriers: Vec<(InstId, DivergedAt)>,
    /// Operands of matrices that differ.
    operands: Vec<(InstId, ValueId)>,
    /// Panics to which not all invocations come.
    panics: Vec<InstId>,
    /// Bodies of loops to which not all invocations come.
    entered_diverged: Vec<BlockId>,
    changed: bool,
}

impl<'m> Uniformity<'m> {
    /// Looks at a function. `agreeing` says of each function whether calls of it give the same for the same arguments;
    /// functions beyond it do not.
    pub fn of(function: &'m Function, kernel: Option<&'m Kernel>, agreeing: &'m [bool]) -> Self {
        Self::within(Scope::Workgroup, function, kernel, agreeing)
    }

    fn within(scope: Scope, function: &'m Function, kernel: Option<&'m Kernel>, agreeing: &'m [bool]) -> Self {
        let mut definitions = vec![None; function.values.len()];
        let mut unordered = Vec::new();
        for (id, inst) in function.insts.iter() {
            unordered.extend(inst.kind.place().filter(|place| place.is_unordered).map(|place| place.root.object()));
            inst.results.iter().for_each(|result| definitions[result.index()] = Some(id));
        }
        let mut cx = Self {
            function,
            kernel,
            scope,
            agreeing,
            unordered,
            definitions,
            values: vec![None; function.values.len()],
            locals: vec![None; function.locals.len()],
            rounds: SecondaryMap::new(),
            leaving: SecondaryMap::new(),
            barriers: Vec::new(),
            operands: Vec::new(),
            panics: Vec::new(),
            entered_diverged: Vec::new(),
            changed: true,
        };
        while std::mem::take(&mut cx.changed) {
            cx.barriers.clear();
            cx.operands.clear();
            cx.panics.clear();
            cx.entered_diverged.clear();
            cx.block(function.entry, None);
        }
        cx
    }

    /// Whether a value is the same in all invocations that compute it together.
    pub fn is_uniform(&self, value: ValueId) -> bool {
        self.values[value.index()].is_none()
    }

    /// Whether all invocations of the workgroup begin each round of a loop together, and leave it together.
    pub fn go_through_together(&self, body: BlockId) -> bool {
        self.rounds[body].is_none() && self.leaving[body].is_none() && !self.entered_diverged.contains(&body)
    }

    /// Whether all invocations of the workgroup come to a panic, or none does.
    pub fn reach_together(&self, panic: InstId) -> bool {
        !self.panics.contains(&panic)
    }

    fn mark(&mut self, value: ValueId, cause: Cause) {
        if self.values[value.index()].is_none() {
            self.values[value.index()] = Some(cause);
            self.changed = true;
        }
    }

    /// A result differs when an operand does.
    fn follow(&mut self, inst: &Inst, operands: impl IntoIterator<Item = ValueId>) {
        if let Some(operand) = operands.into_iter().find(|operand| !self.is_uniform(*operand)) {
            inst.results.iter().for_each(|result| self.mark(*result, Cause::From(operand)));
        }
    }

    /// Goes through a block to which not all invocations come because of `apart`. Gives the jumps out of it under conditions
    /// that differ.
    fn block(&mut self, block: BlockId, mut diverged: Option<DivergedAt>) -> Vec<(Target, DivergedAt)> {
        let mut jumps = Vec::new();
        for id in &self.function.blocks[block].insts {
            let inst = &self.function.insts[*id];
            let out = match &inst.kind {
                InstKind::If { condition: selector, .. } | InstKind::Switch { selector, .. } => {
                    self.branch(*id, *selector, diverged)
                }
                InstKind::Loop { initial, body, .. } => self.enter_loop(inst, initial, *body, diverged),
                kind => {
                    self.inst(*id, inst, diverged);
                    if matches!(kind, InstKind::Panic(..)) && diverged.is_some() {
                        self.panics.push(*id);
                    }
                    let target = match kind {
                        InstKind::Break(body, _) => Some(Target::Break(*body)),
                        InstKind::Continue(body, _) => Some(Target::Continue(*body)),
                        InstKind::Return(_) => Some(Target::Return),
                        _ => None,
                    };
                    let jump = |diverged: DivergedAt| DivergedAt { jump: diverged.jump.or(Some(*id)), ..diverged };
                    target.zip(diverged.map(jump)).into_iter().collect()
                }
            };
            diverged = diverged.or(out.first().map(|(_, diverged)| *diverged));
            jumps.extend(out);
        }
        jumps
    }

    fn branch(&mut self, id: InstId, selector: ValueId, diverged: Option<DivergedAt>) -> Vec<(Target, DivergedAt)> {
        let inst = &self.function.insts[id];
        let agrees = self.is_uniform(selector);
        let inner = diverged.or((!agrees).then_some(DivergedAt { branch: id, jump: None }));
        let mut jumps = Vec::new();
        let mut ways: Vec<&[ValueId]> = Vec::new();
        for block in inst.kind.blocks() {
            jumps.extend(self.block(block, inner));
            if let Some(InstKind::Yield(values)) = flow::terminator(self.function, block) {
                ways.push(values);
            }
        }
        for (at, result) in inst.results.iter().enumerate() {
            let yielded = ways.iter().filter_map(|values| values.get(at)).copied();
            let mut differing = yielded.clone().filter(|value| !self.is_uniform(*value));
            if let Some(value) = differing.next() {
                self.mark(*result, Cause::From(value));
            } else if !agrees && !self.are_same(yielded) {
                self.mark(*result, Cause::Chosen(selector));
            }
        }
        jumps
    }

    fn enter_loop(
        &mut self,
        inst: &Inst,
        initial: &[ValueId],
        body: BlockId,
        diverged: Option<DivergedAt>,
    ) -> Vec<(Target, DivergedAt)> {
        let params = &self.function.blocks[body].params;
        for (param, first) in params.iter().zip(initial) {
            if !self.is_uniform(*first) {
                self.mark(*param, Cause::From(*first));
            }
        }
        self.entered_diverged.extend(diverged.map(|_| body));
        let jumps = self.block(body, diverged.or(self.rounds[body]));
        let away = jumps.iter().find(|(target, _)| *target != Target::Continue(body)).map(|(_, diverged)| *diverged);
        if self.rounds[body].is_none() && away.is_some() {
            self.rounds[body] = away;
            self.changed = true;
        }
        let left = jumps.iter().find(|(target, _)| *target == Target::Break(body)).map(|(_, diverged)| *diverged);
        if self.leaving[body].is_none() && left.is_some() {
            self.leaving[body] = left;
            self.changed = true;
        }
        let again = jumps.iter().find(|(target, _)| *target == Target::Continue(body)).map(|(_, diverged)| *diverged);
        let (mut broken, mut continued) = (Vec::new(), Vec::new());
        self.jumps_to(body, body, &mut broken, &mut continued);
        for (at, result) in inst.results.iter().enumerate() {
            self.meet(*result, &broken, at, left, true);
        }
        for (at, param) in params.iter().enumerate() {
            self.meet(*param, &continued, at, again, false);
        }
        jumps
            .into_iter()
            .filter(|(target, _)| ![Target::Break(body), Target::Continue(body)].contains(target))
            .collect()
    }

    /// Joins the values of several jumps: the result is divergent if one value is, or if it depends on which invocation
    /// jumped where. The result of a loop is also divergent if it depends on the round in which an invocation left.
    fn meet(&mut self, into: ValueId, jumps: &[&'m [ValueId]], at: usize, diverged: Option<DivergedAt>, leaves: bool) {
        let values = jumps.iter().filter_map(|values| values.get(at)).copied();
        if let Some(value) = values.clone().find(|value| !self.is_uniform(*value)) {
            return self.mark(into, Cause::From(value));
        }
        let Some(diverged) = diverged else { return };
        if leaves && !values.clone().all(|value| self.is_constant(value)) || !self.are_same(values) {
            self.mark(into, Cause::Chosen(self.selector(diverged.branch)));
        }
    }

    fn jumps_to(
        &self,
        block: BlockId,
        body: BlockId,
        broken: &mut Vec<&'m [ValueId]>,
        continued: &mut Vec<&'m [ValueId]>,
    ) {
        for id in &self.function.blocks[block].insts {
            match &self.function.insts[*id].kind {
                InstKind::Break(target, values) if *target == body => broken.push(values),
                InstKind::Continue(target, values) if *target == body => continued.push(values),
                kind => kind.blocks().into_iter().for_each(|inner| self.jumps_to(inner, body, broken, continued)),
            }
        }
    }

    fn inst(&mut self, id: InstId, inst: &Inst, diverged: Option<DivergedAt>) {
        let differs = |cx: &mut Self| inst.results.iter().for_each(|result| cx.mark(*result, Cause::Source(id)));
        match &inst.kind {
            InstKind::Builtin(builtin) if !is_same(*builtin, self.scope) => differs(self),
            InstKind::Op(Op::Uniform, _) => {}
            InstKind::Extract(composite, path) if self.is_single_axis(*composite, path) => {}
            // Its neighbours in a tuple say nothing of a member.
            InstKind::Extract(composite, path) => self.follow(inst, [self.member(*composite, path)]),
            // In a subgroup each invocation holds others, of one matrix: what is made of an element, and of nothing else that
            // differs, is that element's, whoever holds it.
            InstKind::Load(place) if is_element(place) && self.scope == Scope::Workgroup => differs(self),
            // Each invocation may find something else there.
            InstKind::Load(place) if self.unordered.contains(&place.root.object()) => differs(self),
            InstKind::Load(place) => self.load(inst, place),
            InstKind::Store(place, value) if is_element(place) && self.scope == Scope::Subgroup => {
                if !self.is_uniform(*value) {
                    self.operands.push((id, *value));
                }
            }
            InstKind::Store(place @ Place { root: Root::Local(local), path, .. }, value) => {
                let indices = path.iter().filter_map(index);
                let cause = indices
                    .chain((!is_element(place)).then_some(*value))
                    .find(|value| !self.is_uniform(*value))
                    .map(Cause::From);
                let cause = cause.or(diverged.map(|diverged| Cause::Chosen(self.selector(diverged.branch))));
                self.mark_local(*local, cause);
            }
            InstKind::Atomic(_) => differs(self),
            InstKind::Subgroup(op, operands) => match self.spans_workgroup() && is_same_in_subgroup(*op) {
                true if matches!(
                    op,
                    SubgroupOp::BallotCount | SubgroupOp::BallotLowest | SubgroupOp::BallotHighest
                ) =>
                {
                    self.follow(inst, operands.iter().copied());
                }
                true => {}
                false => differs(self),
            },
            InstKind::Call(callee, operands) => match self.agreeing.get(callee.index()) {
                Some(true) => self.follow(inst, operands.iter().copied()),
                _ => differs(self),
            },
            // That of a subgroup, too: drivers lose invocations where only some subgroups come to one.
            InstKind::Barrier(_) if self.scope == Scope::Workgroup => {
                self.barriers.extend(diverged.map(|diverged| (id, diverged)))
            }
            kind => {
                if kind.is_of_coop() && self.scope == Scope::Subgroup {
                    self.barriers.extend(diverged.map(|diverged| (id, diverged)));
                    kind.for_each_use(|value| {
                        if !self.is_uniform(value) {
                            self.operands.push((id, value));
                        }
                    });
                }
                let mut first = None;
                kind.for_each_use(|value| {
                    if first.is_none() && !self.is_uniform(value) {
                        first = Some(value);
                    }
                });
                self.follow(inst, first);
            }
        }
    }

    fn load(&mut self, inst: &Inst, place: &Place) {
        self.follow(inst, place.values());
        if let Root::Local(local) = place.root
            && let Some(cause) = self.locals[local.index()]
        {
            inst.results.iter().for_each(|result| self.mark(*result, cause));
        }
    }

    fn mark_local(&mut self, local: LocalId, cause: Option<Cause>) {
        if self.locals[local.index()].is_none() && cause.is_some() {
            self.locals[local.index()] = cause;
            self.changed = true;
        }
    }

    /// A position along an axis that has only one.
    fn is_single_axis(&self, composite: ValueId, path: &[u32]) -> bool {
        let Some(InstKind::Builtin(Builtin::LocalId | Builtin::GlobalId)) = self.definition(composite) else {
            return false;
        };
        let width = |axis: &u32| self.kernel.and_then(|kernel| kernel.workgroup.get(*axis as usize)).copied();
        path.first().and_then(width) == Some(Size::Known(1))
    }

    /// The value that is a member of a composite, or the nearest one around it that is known.
    fn member(&self, mut composite: ValueId, path: &[u32]) -> ValueId {
        for step in path {
            let Some(InstKind::Compose(members)) = self.definition(composite) else { break };
            let Some(member) = members.get(*step as usize) else { break };
            composite = *member;
        }
        composite
    }

    /// Whether who agrees is a subgroup, or a subgroup is the workgroup.
    fn spans_workgroup(&self) -> bool {
        self.scope == Scope::Subgroup
            || self.kernel.is_some_and(|kernel| {
                let widths = kernel.workgroup.iter().map(|width| width.known().map(u64::from));
                let invocations = widths.product::<Option<u64>>();
                invocations.is_some() && kernel.subgroup_size.map(u64::from) == invocations
            })
    }

    /// Whether values are one value, or computed alike from the same.
    fn are_same(&self, mut values: impl Iterator<Item = ValueId>) -> bool {
        let Some(first) = values.next() else { return true };
        values.all(|value| self.is_same_value(first, value, 3))
    }

    fn is_same_value(&self, a: ValueId, b: ValueId, depth: u32) -> bool {
        if a == b {
            return true;
        }
        match (self.definition(a), self.definition(b)) {
            (Some(InstKind::Const(a)), Some(InstKind::Const(b))) => a == b,
            (Some(InstKind::Op(a, left)), Some(InstKind::Op(b, right))) => {
                let mut operands = left.iter().zip(right);
                a == b && depth > 0 && operands.all(|(a, b)| self.is_same_value(*a, *b, depth - 1))
            }
            _ => false,
        }
    }

    fn is_constant(&self, value: ValueId) -> bool {
        matches!(self.definition(value), Some(InstKind::Const(_)))
    }

    fn definition(&self, value: ValueId) -> Option<&'m InstKind> {
        self.definitions[value.index()].map(|id| &self.function.insts[id].kind)
    }

    /// The condition of a branch.
    fn selector(&self, branch: InstId) -> ValueId {
        match &self.function.insts[branch].kind {
            InstKind::If { condition: selector, .. } | InstKind::Switch { selector, .. } => *selector,
            kind => unreachable!("{kind:?} parts nobody"),
        }
    }
}

fn index(step: &Step) -> Option<ValueId> {
    match step {
        Step::Index { value, .. } => Some(*value),
        // The invocations hold different ones, but the matrix stays one that they have together.
        Step::Field(_) | Step::Element(_) | Step::Joined { .. } => None,
    }
}

/// Whether a place is an element of a matrix, which each invocation holds others of.
fn is_element(place: &Place) -> bool {
    matches!(place.path.last(), Some(Step::Element(_)))
}

/// Whether all invocations of a workgroup or subgroup have the same.
fn is_same(builtin: Builtin, scope: Scope) -> bool {
    scope == Scope::Subgroup && builtin == Builtin::SubgroupId
        || matches!(
            builtin,
            Builtin::WorkgroupId
                | Builtin::NumWorkgroups
                | Builtin::WorkgroupSize
                | Builtin::SubgroupSize
                | Builtin::NumSubgroups
        )
}

/// Whether all lanes of a subgroup get the same, for ballots as operands: if these are the same.
fn is_same_in_subgroup(op: SubgroupOp) -> bool {
    use SubgroupOp as S;
    matches!(
        op,
        S::Any
            | S::All
            | S::AllEqual
            | S::Ballot
            | S::BallotCount
            | S::BallotLowest
            | S::BallotHighest
            | S::BroadcastFirst
            | S::Reduce(_, Span::All)
    )
}

/// By function: whether calls of it give the same for the same arguments.
pub fn agreeing_functions(module: &Module) -> Vec<bool> {
    let mut agreeing: Vec<bool> = Vec::with_capacity(module.functions.len());
    for (_, function) in module.functions.iter() {
        let agrees = |inst: &Inst| match &inst.kind {
            InstKind::Builtin(builtin) => is_same(*builtin, Scope::Workgroup),
            InstKind::Atomic(_) | InstKind::Subgroup(..) => false,
            InstKind::Call(callee, _) => agreeing[FunctionId::index(*callee)],
            _ => true,
        };
        let all = function.insts.iter().all(|(_, inst)| agrees(inst));
        agreeing.push(all);
    }
    agreeing
}

/// The barriers of a kernel that not all invocations of a workgroup reach; and what a subgroup does together, but not all of it
/// reach, or not with the same operands.
pub fn divergences(module: &Module) -> Vec<Divergence> {
    let Some(kernel) = &module.kernel else { return Vec::new() };
    let function = &module.functions[kernel.function];
    if kernel.workgroup == [Size::Known(1); 3] || !may_diverge(function) {
        return Vec::new();
    }
    let agreeing = agreeing_functions(module);
    let mut divergences = Uniformity::of(function, Some(kernel), &agreeing).report();
    if has_matrices(function) {
        divergences.extend(Uniformity::within(Scope::Subgroup, function, Some(kernel), &agreeing).report());
    }
    divergences
}

fn has_matrices(function: &Function) -> bool {
    function.insts.iter().any(|(_, inst)| inst.kind.is_of_coop())
}

/// Whether a barrier stands where control could differ at all: in a branch or loop, or behind a `return` in one; or whether
/// there are operations that a subgroup does together, which take the same operands, too.
pub fn may_diverge(function: &Function) -> bool {
    let (mut has_matrices, mut has_barriers) = (false, false);
    for (_, inst) in function.insts.iter() {
        has_matrices |= inst.kind.is_of_coop();
        has_barriers |= matches!(inst.kind, InstKind::Barrier(_));
    }
    if has_matrices || !has_barriers {
        return has_matrices;
    }
    let mut returns = false;
    let nested = |kind: &InstKind, wanted: &dyn Fn(&InstKind) -> bool| {
        kind.blocks().into_iter().any(|block| holds(function, block, wanted))
    };
    function.blocks[function.entry].insts.iter().any(|id| {
        let kind = &function.insts[*id].kind;
        let is_barrier = |kind: &InstKind| matches!(kind, InstKind::Barrier(_));
        let found = returns && is_barrier(kind) || nested(kind, &is_barrier);
        returns |= nested(kind, &|kind| matches!(kind, InstKind::Return(_)));
        found
    })
}

fn holds(function: &Function, block: BlockId, wanted: &dyn Fn(&InstKind) -> bool) -> bool {
    function.blocks[block].insts.iter().any(|id| {
        let kind = &function.insts[*id].kind;
        wanted(kind) || kind.blocks().into_iter().any(|inner| holds(function, inner, wanted))
    })
}
