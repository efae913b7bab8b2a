//! Whether invocations of a kernel can race: access one cell, one of them writing, in no order. It changes nothing.
//!
//! An access of a buffer is in no order with one of another workgroup, so that indices must tell invocations apart: `index` and
//! `operations` make forms of them, `access` gathers them with what `assume` says of where they stand, and `rules` compares them by
//! the digits of an `equation`, which `weighing` puts in order. `distinct` and `offsets` are what was checked of elements that indices are
//! made of. `conditions` are what the host has to check for a proof, `open` the
//! axes along which it may be asked for a single position. `owners` spares the comparison of each with each, where every
//! invocation has a part of its own. Within a workgroup barriers put accesses in order: `intervals` tells which are in none, whoever
//! does them. For pairs in shared memory whose indices do not tell invocations apart, `workgroup` chooses sizes of one, and `segments`
//! runs it as far as the code tells, by the values and branches that `relevance` finds; `cells` remembers who accessed what since the
//! last barrier. Code that the proof does not understand counts as a race.
//!
//! One thing is taken for granted: the loops of a launch do not add small numbers to a counter so often that it begins anew, 2^32 in
//! all. Elsewhere it is a condition of the launch.

mod access;
mod assume;
mod atoms;
mod bits;
#[cfg(test)]
mod brute_force;
mod cells;
mod conditions;
mod demand;
mod diagonals;
mod digits;
mod distinct;
mod equation;
mod firsts;
mod form;
mod greatest;
mod index;
mod intervals;
mod known;
mod lanes;
mod layout;
mod less;
mod mix;
mod mutants;
mod offsets;
mod open;
mod operations;
mod owners;
mod relevance;
mod report;
mod rules;
mod segments;
mod split;
mod sums;
mod tables;
mod tickets;
mod triangles;
mod weighing;
mod workgroup;

use access::{Access, Walker};
use conditions::powers_of_two;
use demand::Demand;
use index::Index;
use intervals::Unordered;
use known::Known;
use mutants::Mutant;
use open::Open;
use owners::Groups;
pub use report::{Analysis, Condition, Kind, Object, Proven, Race, Reason, Rule};
use rules::{Failure, Goal};
use workgroup::{Pair, Workgroup, pair};

use crate::hash::FastSet;
use crate::ir::{Bound, BoundOp, Function, InstId, InstKind, Kernel, Module, Obligation, Root};
use crate::types::Size;
use crate::uniformity::{Uniformity, agreeing_functions};

/// Pairs of accesses that are compared, at most.
const MOST_PAIRS: usize = 4096;
/// Pairs in shared memory that are compared before a workgroup is run, which is quicker for many.
const MOST_TRIED: usize = 64;

/// Looks for races of a module's kernel, into which calls are inlined and whose variables are values as far as they can be.
pub fn analyse(module: &Module) -> Analysis {
    look(module, false).0
}

/// As [`analyse`], and why each access is free of races that was proven so.
pub fn explain(module: &Module) -> (Analysis, Vec<Proven>) {
    look(module, true)
}

fn look(module: &Module, explains: bool) -> (Analysis, Vec<Proven>) {
    let Some(kernel) = &module.kernel else { return Default::default() };
    let function = &module.functions[kernel.function];
    if !shares(kernel, function) {
        return Default::default();
    }
    let mut index = Index::new(module, kernel, function);
    let mut walker = Walker::new(&mut index);
    walker.run();
    let (accesses, unknown_call) = (std::mem::take(&mut walker.accesses), walker.unknown_call);
    index.limit_tickets();
    let (open, known) = (Open::of(module, kernel, function), Known::default());
    let proven = explains.then(Vec::new);
    let mut races = Races { index, open, known, analysis: Analysis::default(), proven };
    if let Some(call) = unknown_call {
        races.unknown_call(call);
    }
    let (agreeing, uniformity);
    let mut order = Order::default();
    if workgroup::have_order(function, &accesses) {
        agreeing = agreeing_functions(module);
        uniformity = Uniformity::of(function, Some(kernel), &agreeing);
        let unordered = Some(intervals::unordered(function, &uniformity, &accesses));
        let workgroup = Some(Workgroup::new(module, kernel, function, &uniformity, &accesses));
        order = Order { workgroup, unordered, in_detail: None };
    }
    races.claimed(&accesses);
    let mut groups = Groups::new(&races.index, &accesses);
    races.shared(&accesses, &mut groups, &order);
    races.global(&accesses, &mut groups, &mut order);
    let proven = races.alone(&accesses);
    (races.analysis, proven)
}

/// The order in which barriers put accesses of a workgroup.
#[derive(Default)]
struct Order<'u, 'm> {
    /// `None`: there is none.
    workgroup: Option<Workgroup<'u, 'm>>,
    /// Pairs of accesses in no order; `None`: any.
    unordered: Option<Unordered>,
    /// The same of buffers, looked at closely, once somebody asked; `None` within: any.
    in_detail: Option<Option<FastSet<Pair>>>,
}

impl Order<'_, '_> {
    /// Whether accesses of one workgroup may be in no order, at first sight.
    fn may_be_unordered(&self, a: usize, b: usize) -> bool {
        let is_single = self.workgroup.as_ref().is_some_and(Workgroup::is_one_invocation);
        !is_single && self.unordered.as_ref().is_none_or(|pairs| pairs.contains(a, b))
    }

    /// Whether accesses of a buffer are in order when one looks closely.
    fn are_ordered_in_detail(&mut self, accesses: &[Access], a: &Access, b: &Access) -> bool {
        let Some(workgroup) = &self.workgroup else { return false };
        let pairs = self.in_detail.get_or_insert_with(|| {
            let buffers = accesses.iter().filter(|access| matches!(access.object, Object::Buffer(_)));
            let wanted: FastSet<InstId> = buffers.map(|access| access.inst).collect();
            workgroup
                .run(&|inst| wanted.contains(&inst))
                .ok()
                .filter(|found| found.sizes.is_empty())
                .map(|found| found.unordered)
        });
        pairs.as_ref().is_some_and(|pairs| !pairs.contains(&pair(a.inst, b.inst)))
    }
}

/// Whether a kernel writes anything that others reach.
fn shares(kernel: &Kernel, function: &Function) -> bool {
    !kernel.shared.is_empty()
        || function.insts.iter().any(|(_, inst)| {
            matches!(inst.kind, InstKind::Image(crate::ir::ImageOp::Store, ..) | InstKind::Call(..))
                || inst.kind.place().is_some_and(|place| !matches!(place.root, Root::Local(_)))
                    && !matches!(inst.kind, InstKind::Load(_) | InstKind::CoopLoad(_))
        })
}

struct Races<'m> {
    index: Index<'m>,
    open: Open,
    known: Known,
    analysis: Analysis,
    /// The proofs, if anybody asks.
    proven: Option<Vec<Proven>>,
}

impl Races<'_> {
    fn unknown_call(&mut self, call: InstId) {
        let kernel = self.index.kernel;
        let mut objects = kernel.buffers.iter().filter(|(_, buffer)| buffer.writable).map(|(id, _)| Object::Buffer(id));
        let Some(object) = objects.next().or_else(|| kernel.shared.ids().next().map(Object::Shared)) else { return };
        let at = (Kind::Write, self.index.function.insts[call].location, call);
        self.analysis.races.push(Race {
            object,
            name: self.name(object),
            accesses: [at, at],
            reason: Reason::Call,
            invocations: None,
        });
    }

    fn name(&self, object: Object) -> String {
        match object {
            Object::Buffer(buffer) => self.index.kernel.buffers[buffer].name.clone(),
            Object::Shared(shared) => self.index.kernel.shared[shared].name.clone(),
        }
    }

    /// Notes that two accesses do not race.
    fn prove(&mut self, [a, b]: [&Access; 2], rule: Rule, conditions: Vec<Obligation>) {
        if self.proven.is_none() {
            return;
        }
        let name = self.name(a.object);
        let at = |access: &Access| (access.kind, self.index.function.insts[access.inst].location, access.inst);
        let accesses = [at(a), at(b)];
        self.proven.iter_mut().for_each(|proven| {
            proven.push(Proven { name: name.clone(), accesses, rule, conditions: conditions.clone() });
        });
    }

    /// The proofs, with the accesses that conflict with none.
    fn alone(&mut self, accesses: &[Access]) -> Vec<Proven> {
        let Some(mut proven) = self.proven.take() else { return Vec::new() };
        let mut add = |kind: Kind, inst: InstId, object: Object, rule: Rule| {
            let at = (kind, self.index.function.insts[inst].location, inst);
            proven.push(Proven { name: self.name(object), accesses: [at, at], rule, conditions: Vec::new() });
        };
        for (at, access) in accesses.iter().enumerate() {
            let meets = |other: &Access| other.object == access.object && access.kind.conflicts(other.kind);
            let is_atomic = matches!(access.kind, Kind::AtomicRead | Kind::AtomicWrite);
            if is_atomic && !accesses.iter().any(meets) && accesses[..at].iter().all(|it| it.inst != access.inst) {
                add(access.kind, access.inst, access.object, Rule::Atomic);
            }
        }
        for (inst, of) in self.index.function.insts.iter() {
            let Some(place) = of.kind.place().filter(|place| place.is_unordered) else { continue };
            let object = match place.root {
                Root::Buffer(buffer) | Root::Member(buffer, _) => Object::Buffer(buffer),
                Root::Shared(shared) => Object::Shared(shared),
                Root::Local(_) => continue,
            };
            let kind = if matches!(of.kind, InstKind::Store(..)) { Kind::Write } else { Kind::Read };
            add(kind, inst, object, Rule::Vouched);
        }
        proven
    }

    fn report(&mut self, a: &Access, b: &Access, reason: Reason, invocations: Option<[[u32; 3]; 2]>) {
        let (first, second) = if b.kind == Kind::Write && a.kind != Kind::Write { (b, a) } else { (a, b) };
        let at = |access: &Access| (access.kind, self.index.function.insts[access.inst].location, access.inst);
        let race = Race {
            object: a.object,
            name: self.name(a.object),
            accesses: [at(first), at(second)],
            reason,
            invocations,
        };
        self.analysis.races.push(race);
    }

    /// Variables of the workgroup: pairs in no order whose indices do not tell invocations apart are looked at closely.
    fn shared(&mut self, accesses: &[Access], groups: &mut Groups, order: &Order<'_, '_>) {
        let Some(workgroup) = order.workgroup.as_ref().filter(|workgroup| !workgroup.is_one_invocation()) else {
            return;
        };
        let mut left: Vec<(Pair, &Access, &Access)> = Vec::new();
        let mut tried = 0;
        for (at, a) in accesses.iter().enumerate() {
            if !matches!(a.object, Object::Shared(_)) {
                continue;
            }
            for (other, b) in accesses.iter().enumerate().skip(at) {
                if a.object != b.object || !a.kind.conflicts(b.kind) {
                    continue;
                }
                if !order.may_be_unordered(at, other) {
                    self.prove([a, b], Rule::Barrier, Vec::new());
                    continue;
                }
                if self.have_parts(groups, accesses, [at, other]) {
                    continue;
                }
                tried += 1;
                if tried > MOST_TRIED || !self.are_apart(a, b, false) {
                    left.push((pair(a.inst, b.inst), a, b));
                }
            }
        }
        if left.is_empty() {
            return;
        }
        let wanted: FastSet<InstId> = left.iter().flat_map(|(insts, ..)| *insts).collect();
        let (found, reason) = match workgroup.run(&|inst| wanted.contains(&inst)) {
            Ok(found) => (Some(found), Reason::NoBarrier),
            Err(reason) => (None, reason),
        };
        // Other sizes of workgroups than those that were tried are sizes, too: the launch must choose one of these.
        let of_sizes = found
            .as_ref()
            .filter(|found| !found.has_stopped)
            .map(|found| powers_of_two(self.index.kernel.workgroup, &found.sizes));
        for (insts, a, b) in left {
            let meeting = found.as_ref().map(|all| all.meetings.iter().find(|meeting| meeting.insts == insts));
            let never_meet = meeting.is_some_and(|meeting| meeting.is_none());
            // Conditions of the launch are asked for last.
            if never_meet && of_sizes.as_ref().is_some_and(Vec::is_empty) {
                self.prove([a, b], Rule::Run, Vec::new());
                continue;
            }
            if self.are_apart(a, b, true) {
                continue;
            }
            if let Some(sizes) = of_sizes.as_ref().filter(|_| never_meet) {
                let location = self.index.function.insts[a.inst].location;
                sizes.iter().for_each(|size| self.require(size.clone(), location));
                self.prove([a, b], Rule::Run, sizes.clone());
                continue;
            }
            let reason = if never_meet { Reason::OpenSize } else { reason };
            self.report(a, b, reason, meeting.flatten().and_then(|meeting| meeting.invocations));
        }
    }

    /// Whether each invocation has a part of its own, in which both of two accesses are.
    fn have_parts(&mut self, groups: &mut Groups, accesses: &[Access], at: [usize; 2]) -> bool {
        let Some(group) = groups.common(at[0], at[1]) else { return false };
        if groups.groups[group].is_proven.is_none() {
            let any = groups.of_all(group, &mut self.index, accesses);
            let proof = match any.object {
                Object::Shared(_) => self.apart_by(&any, &any, false),
                // The accesses one by one have more facts, and may ask for less.
                Object::Buffer(_) => self.try_goal(&any, &any, Goal::Invocation, Demand::NoWrap).ok(),
            };
            groups.groups[group].is_proven = Some(proof.is_some());
            groups.groups[group].conditions = proof.map(|(_, conditions)| conditions).unwrap_or_default();
        }
        let is_proven = groups.groups[group].is_proven == Some(true);
        if is_proven && self.proven.is_some() {
            self.prove(at.map(|at| &accesses[at]), Rule::Part, groups.groups[group].conditions.clone());
        }
        is_proven
    }

    /// Whether accesses of a workgroup's variable never meet, on any launch or on those that meet some conditions.
    fn are_apart(&mut self, a: &Access, b: &Access, on_conditions: bool) -> bool {
        let Some((rule, conditions)) = self.apart_by(a, b, on_conditions) else { return false };
        self.prove([a, b], rule, conditions);
        true
    }

    fn apart_by(&mut self, a: &Access, b: &Access, on_conditions: bool) -> Option<(Rule, Vec<Obligation>)> {
        if a.is_of_subgroup || b.is_of_subgroup {
            return None;
        }
        let most = if on_conditions { Demand::WholeTiles } else { Demand::Nothing };
        let proof = self.known.prove(&mut self.index, (a, b), Goal::Member, self.open, most).ok()?;
        let conditions = self.conditions(&proof)?;
        if !on_conditions {
            return conditions.is_empty().then_some((proof.rule, conditions));
        }
        let location = self.index.function.insts[a.inst].location;
        conditions.iter().for_each(|obligation| self.require(obligation.clone(), location));
        Some((proof.rule, conditions))
    }

    /// Elements that invocations claim: nothing accesses them without a claim, and each invocation has a number of its own to claim with.
    fn claimed(&mut self, accesses: &[Access]) {
        let kernel = self.index.kernel;
        for access in accesses {
            let Object::Buffer(buffer) = access.object else { continue };
            if kernel.claims_of(buffer).is_some() {
                self.report(access, access, Reason::Unclaimed, None);
            }
            if kernel.buffers[buffer].is_claims {
                let all = (0..3).map(|axis| {
                    let width = match kernel.workgroup[usize::from(axis)] {
                        Size::Known(width) => Bound::Const(width),
                        Size::Param(param) => Bound::Constant(param),
                    };
                    Bound::binary(BoundOp::Mul, Bound::Groups(axis), width)
                });
                let all = all.reduce(|product, of| Bound::binary(BoundOp::Mul, product, of));
                // Numbers begin at one.
                let (index, length) = (
                    all.unwrap_or(Bound::Const(1)),
                    Bound::Const(mutants::shift(Mutant::Claims, u32::MAX.into()) as u32),
                );
                let location = self.index.function.insts[access.inst].location;
                self.require(Obligation { index, length, in_all: None }, location);
            }
        }
    }

    /// Buffers and images.
    fn global(&mut self, accesses: &[Access], groups: &mut Groups, order: &mut Order<'_, '_>) {
        let mut pairs = 0;
        for (at, a) in accesses.iter().enumerate() {
            if !matches!(a.object, Object::Buffer(_)) {
                continue;
            }
            for (other, b) in accesses.iter().enumerate().skip(at) {
                if a.object != b.object || !a.kind.conflicts(b.kind) {
                    continue;
                }
                // Reported before.
                let is_claimed =
                    matches!(a.object, Object::Buffer(buffer) if self.index.kernel.claims_of(buffer).is_some());
                if is_claimed || self.have_parts(groups, accesses, [at, other]) {
                    continue;
                }
                pairs += 1;
                if pairs > MOST_PAIRS {
                    return self.report(a, b, Reason::TooMuch, None);
                }
                if !self.pair([at, other], accesses, order) {
                    break;
                }
            }
        }
    }

    /// Compares two accesses of a buffer; whether they are proven.
    fn pair(&mut self, at: [usize; 2], accesses: &[Access], order: &mut Order<'_, '_>) -> bool {
        let [a, b] = at.map(|at| &accesses[at]);
        let goal = match (a.is_of_subgroup, b.is_of_subgroup) {
            _ if !order.may_be_unordered(at[0], at[1]) => Goal::Group,
            (false, false) => Goal::Invocation,
            (true, true) => Goal::Subgroup,
            _ => Goal::Nobody,
        };
        let mut failure = match self.try_goal(a, b, goal, Demand::WholeTiles) {
            Ok((rule, conditions)) => {
                let rule = if goal == Goal::Group { Rule::Barrier } else { rule };
                self.prove([a, b], rule, conditions);
                return true;
            }
            Err(failure) => failure,
        };
        if goal != Goal::Group && order.are_ordered_in_detail(accesses, a, b) {
            failure = match self.try_goal(a, b, Goal::Group, Demand::WholeTiles) {
                Ok((_, conditions)) => {
                    self.prove([a, b], Rule::Barrier, conditions);
                    return true;
                }
                Err(failure) => failure,
            };
        }
        let reason = match failure {
            _ if self.index.has_endless_counter(&a.path) && self.index.has_endless_counter(&b.path) => Reason::Counter,
            Failure::Axis(axis) => Reason::Axis(axis),
            Failure::Unknown => Reason::Index,
        };
        self.report(a, b, reason, None);
        false
    }

    /// Proves that two accesses of a buffer do not race, and notes the conditions.
    fn try_goal(
        &mut self,
        a: &Access,
        b: &Access,
        goal: Goal,
        most: Demand,
    ) -> Result<(Rule, Vec<Obligation>), Failure> {
        let proof = self.known.prove(&mut self.index, (a, b), goal, self.open, most)?;
        let conditions = self.conditions(&proof).ok_or(Failure::Unknown)?;
        let location = self.index.function.insts[a.inst].location;
        conditions.iter().for_each(|obligation| self.require(obligation.clone(), location));
        Ok((proof.rule, conditions))
    }
}
