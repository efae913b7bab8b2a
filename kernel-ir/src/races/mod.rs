//! Whether invocations of a kernel can race: access one cell, one of them writing, in no order. It changes nothing.
//!
//! An access of a buffer is in no order with one of another workgroup, so that indices must tell invocations apart: `index` makes
//! forms of them, `access` gathers them with what holds where they stand, and `rules` compares them. Within a workgroup barriers
//! put accesses in order: `segments` runs a workgroup as far as the code tells, and `cells` remembers who accessed what since the
//! last barrier. What is not understood counts as a race.

mod access;
mod atoms;
mod cells;
mod form;
mod index;
mod lanes;
mod report;
mod rules;
mod segments;

use access::{Access, Walker};
use atoms::Less;
use index::Index;
pub use report::{Analysis, Condition, Kind, Object, Race, Reason};
use rules::{Failure, Goal, Proof};

use crate::ir::{
    Bound, Builtin, Function, InstId, InstKind, Kernel, Module, Obligation, Root, SourceLocation, ValueId,
};
use crate::parallel;
use crate::types::Size;

/// Vectors of positions that are followed.
const MOST_VECTORS: usize = 64;
/// Pairs of accesses that are compared, at most.
const MOST_PAIRS: usize = 4096;

/// Looks for races of a module's kernel, into which calls are inlined and whose variables are values as far as they can be.
pub fn analyse(module: &Module) -> Analysis {
    let Some(kernel) = &module.kernel else { return Analysis::default() };
    let function = &module.functions[kernel.function];
    if !shares(kernel, function) {
        return Analysis::default();
    }
    let mut index = Index::new(module, kernel, function);
    let mut walker = Walker::new(&mut index);
    walker.run();
    let (accesses, unknown_call) = (std::mem::take(&mut walker.accesses), walker.unknown_call);
    let mut races = Races { index, open: Open::of(module, kernel, function), analysis: Analysis::default() };
    if let Some(call) = unknown_call {
        races.unknown_call(call);
    }
    let within = segments::concurrent(module, kernel, function, &accesses);
    races.shared(&accesses, &within);
    races.global(&accesses, &within);
    races.analysis
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

/// The axes that a launch may be said to have one of.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// One invocation: the kernel does not speak of the axis.
    items: [bool; 3],
    /// One workgroup: the kernel speaks of positions in the workgroup only.
    groups: [bool; 3],
}

impl Open {
    fn of(module: &Module, kernel: &Kernel, function: &Function) -> Self {
        let full = kernel.full_workgroups || parallel::needs_full_workgroups(module);
        let is_single = |axis: usize| kernel.workgroup[axis] == Size::Known(1);
        let mut open = Self { items: [0, 1, 2].map(|axis| !full || is_single(axis)), groups: [true; 3] };
        if (0..3).all(is_single) {
            // Where a workgroup is one invocation, the author may well mean that there is one.
            return open;
        }
        // Vectors of positions, and composite values with such a vector at the end of a path.
        let mut whole: Vec<(ValueId, Vec<u32>, bool)> = Vec::new();
        for (_, inst) in function.insts.iter() {
            match &inst.kind {
                InstKind::Builtin(builtin @ (Builtin::GlobalId | Builtin::LocalId | Builtin::WorkgroupId)) => {
                    let is_local = *builtin == Builtin::LocalId;
                    whole.extend(inst.results.first().map(|result| (*result, Vec::new(), is_local)));
                }
                InstKind::Builtin(Builtin::LocalIndex | Builtin::SubgroupId | Builtin::SubgroupLocalId) => {
                    (0..3).filter(|axis| !is_single(*axis)).for_each(|axis| open.items[axis] = false);
                }
                _ => {}
            }
        }
        let mut at = 0;
        while let Some((value, way, is_local)) = whole.get(at).cloned() {
            at += 1;
            let mut close = |axes: &[usize]| {
                for axis in axes {
                    open.items[*axis] = false;
                    open.groups[*axis] &= is_local;
                }
            };
            for (_, inst) in function.insts.iter() {
                match &inst.kind {
                    InstKind::Extract(of, path) if *of == value => match path.strip_prefix(&way[..]) {
                        Some([axis, ..]) => close(&[(*axis as usize).min(2)]),
                        Some([]) => whole.extend(inst.results.first().map(|result| (*result, Vec::new(), is_local))),
                        None => {
                            if let Some(rest) = way.strip_prefix(&path[..]) {
                                let rest = rest.to_vec();
                                whole.extend(inst.results.first().map(|result| (*result, rest, is_local)));
                            }
                        }
                    },
                    InstKind::Compose(members) if members.contains(&value) && whole.len() < MOST_VECTORS => {
                        for member in (0..members.len()).filter(|member| members[*member] == value) {
                            let way: Vec<u32> = [member as u32].iter().chain(&way).copied().collect();
                            whole.extend(inst.results.first().map(|result| (*result, way, is_local)));
                        }
                    }
                    kind => kind.for_each_use(|used| {
                        if used == value {
                            close(&[0, 1, 2]);
                        }
                    }),
                }
            }
        }
        open
    }
}

struct Races<'m> {
    index: Index<'m>,
    open: Open,
    analysis: Analysis,
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

    /// Variables of the workgroup.
    fn shared(&mut self, accesses: &[Access], within: &segments::Within) {
        for meeting in &within.meetings {
            let find = |inst: InstId| accesses.iter().find(|access| access.inst == inst);
            let [Some(a), Some(b)] = meeting.insts.map(find) else { continue };
            if matches!(a.object, Object::Shared(_)) {
                self.report(a, b, meeting.reason, meeting.invocations);
            }
        }
    }

    /// Buffers and images.
    fn global(&mut self, accesses: &[Access], within: &segments::Within) {
        let accesses: Vec<&Access> =
            accesses.iter().filter(|access| matches!(access.object, Object::Buffer(_))).collect();
        let mut pairs = 0;
        for (at, a) in accesses.iter().enumerate() {
            for b in &accesses[at..] {
                if a.object != b.object || !a.kind.conflicts(b.kind) {
                    continue;
                }
                pairs += 1;
                if pairs > MOST_PAIRS {
                    return self.report(a, b, Reason::TooMuch, None);
                }
                if !self.pair(a, b, within) {
                    break;
                }
            }
        }
    }

    /// Compares two accesses of a buffer; whether they are proven.
    fn pair(&mut self, a: &Access, b: &Access, within: &segments::Within) -> bool {
        let goal = match within.are_concurrent(a.inst, b.inst) {
            false => Goal::Group,
            true => match (a.is_of_subgroup, b.is_of_subgroup) {
                (false, false) => Goal::Invocation,
                (true, true) => Goal::Subgroup,
                _ => Goal::Nobody,
            },
        };
        let location = self.index.function.insts[a.inst].location;
        match rules::prove(&mut self.index, a, b, goal, self.open) {
            Ok(proof) => {
                let conditions = self.conditions(&proof);
                match conditions {
                    Some(conditions) => {
                        conditions.into_iter().for_each(|obligation| self.require(obligation, location));
                        true
                    }
                    None => {
                        self.report(a, b, Reason::Index, None);
                        false
                    }
                }
            }
            Err(Failure::Axis(axis)) => {
                self.report(a, b, Reason::Axis(axis), None);
                false
            }
            Err(Failure::Unknown) => {
                self.report(a, b, Reason::Index, None);
                false
            }
        }
    }

    /// Adds a condition, unless another one says as much.
    fn require(&mut self, obligation: Obligation, location: Option<SourceLocation>) {
        let says_as_much = |known: &Obligation, other: &Obligation| {
            known.index == other.index
                && (known.length == other.length
                    || constant(&known.length).zip(constant(&other.length)).is_some_and(|(a, b)| a <= b))
        };
        let conditions = &mut self.analysis.conditions;
        if !conditions.iter().any(|known| says_as_much(&known.obligation, &obligation)) {
            conditions.retain(|known| !says_as_much(&obligation, &known.obligation));
            conditions.push(Condition { obligation, location });
        }
    }

    /// The conditions of a proof, for the host; `None` where it cannot.
    fn conditions(&self, proof: &Proof) -> Option<Vec<Obligation>> {
        let mut obligations = Vec::new();
        for axis in &proof.single {
            obligations.push(Obligation { index: Bound::Items(*axis), length: Bound::Const(2), in_all: None });
        }
        for axis in &proof.single_group {
            obligations.push(Obligation { index: Bound::Groups(*axis), length: Bound::Const(2), in_all: None });
        }
        let mut left: Vec<Less> = proof.conditions.clone();
        let mut seen: Vec<Less> = Vec::new();
        while let Some(less) = left.pop() {
            if rules::is_certainly_less(&self.index, &less.0, &less.1) || seen.contains(&less) {
                continue;
            }
            let (index, length, requires) = rules::bounds_of(&self.index, &less)?;
            seen.push(less);
            left.extend(requires);
            obligations.push(Obligation { index, length, in_all: None });
        }
        Some(obligations)
    }
}

/// A bound's number, where no launch decides it.
fn constant(bound: &Bound) -> Option<u128> {
    match bound {
        Bound::Const(number) => Some((*number).into()),
        Bound::Binary(op, operands) => Some(op.apply(constant(&operands[0])?, constant(&operands[1])?)),
        _ => None,
    }
}
