//! A workgroup run as far as its code tells: which accesses of its invocations stand between the same barriers, and meet in a cell.
//!
//! All invocations go through the code together. A number is known or not in each of them; where a condition is not known, both ways
//! are taken. Loops whose ends are known go round by round, others until nothing new is accessed. Invocations are told apart by
//! their positions, and once more by subgroup and lane, as nothing says how the two belong together: accesses meet if they meet in both.

use std::rc::Rc;

use super::access::{Access, Kind, Object};
use super::cells::{Met, Pending, Who};
use super::lanes::{Lanes, is_followed};
use super::report::Reason;
use crate::arena::EntityId;
use crate::hash::FastMap;
use crate::ir::{
    BlockId, Builtin, CoopAccess, CoopLayout, Function, Inst, InstId, InstKind, Kernel, Module, Place, Root, Scope,
    SharedId, Step, ValueId,
};
use crate::passes::eval;
use crate::types::{Scalar, Size, Type, TypeId, Types};
use crate::uniformity::{Uniformity, agreeing_functions};

/// Steps before the analysis gives up: an access or operation of one invocation is one.
const FUEL: i64 = 8_000_000;
/// How often a loop whose end is not known is gone through.
const MOST_ROUNDS: usize = 12;
/// Lanes that a subgroup can have.
const WIDTHS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// Cells of a variable that are told apart.
const MOST_CELLS: u64 = 1 << 16;

/// Two accesses that meet.
#[derive(Debug, Clone)]
pub(super) struct Meeting {
    pub(super) insts: [InstId; 2],
    pub(super) reason: Reason,
    pub(super) invocations: Option<[[u32; 3]; 2]>,
}

/// The result for a workgroup.
#[derive(Debug, Default)]
pub(super) struct Within {
    pub(super) meetings: Vec<Meeting>,
    /// Accesses of buffers that no barrier puts in order; `None`: any.
    concurrent: Option<Vec<(InstId, InstId)>>,
}

impl Within {
    /// Whether two accesses of one workgroup may be in no order.
    pub(super) fn are_concurrent(&self, a: InstId, b: InstId) -> bool {
        self.concurrent.as_ref().is_none_or(|pairs| pairs.contains(&(a.min(b), a.max(b))))
    }
}

/// Runs the workgroup.
pub(super) fn concurrent(module: &Module, kernel: &Kernel, function: &Function, accesses: &[Access]) -> Within {
    let any = |is: &dyn Fn(&InstKind) -> bool| function.insts.iter().any(|(_, inst)| is(&inst.kind));
    let has_shared = accesses.iter().any(|access| matches!(access.object, Object::Shared(_)));
    let has_barriers = any(&|kind| matches!(kind, InstKind::Barrier(Scope::Workgroup | Scope::Device)));
    if !has_shared && !has_barriers {
        return Within::default();
    }
    let widths = kernel.workgroup.map(Size::known);
    let is_open = |id: SharedId| scalars(&module.types, kernel.shared[id].ty).is_none();
    let invocations = widths.iter().copied().product::<Option<u32>>().filter(|count| *count <= 1024);
    let Some(invocations) = invocations.filter(|_| !kernel.shared.ids().any(is_open)) else {
        return all_meet(accesses, Reason::OpenSize);
    };
    if invocations == 1 {
        return Within { meetings: Vec::new(), concurrent: Some(Vec::new()) };
    }
    let agreeing = agreeing_functions(module);
    let uniformity = Uniformity::of(function, Some(kernel), &agreeing);
    let mut engine = Engine::new(module, kernel, function, &uniformity, accesses);
    let Some((mut met, concurrent)) = engine.run(None, invocations as usize) else {
        return all_meet(accesses, Reason::TooMuch);
    };
    let of_subgroups = any(&|kind| {
        kind.is_of_coop()
            || matches!(
                kind,
                InstKind::Builtin(Builtin::SubgroupId | Builtin::SubgroupLocalId) | InstKind::Barrier(Scope::Subgroup)
            )
    });
    if !met.is_empty() && of_subgroups {
        let widths = kernel.subgroup_size.map_or(WIDTHS.to_vec(), |width| vec![width]);
        let mut met_by_lanes = Vec::new();
        for width in widths {
            let Some((more, _)) = engine.run(Some(width), invocations as usize) else {
                return all_meet(accesses, Reason::TooMuch);
            };
            met_by_lanes.extend(more.into_iter().map(|meeting| meeting.insts));
        }
        met.retain(|meeting| met_by_lanes.contains(&meeting.insts));
    }
    Within { meetings: met, concurrent: Some(concurrent) }
}

/// Nothing is known.
fn all_meet(accesses: &[Access], reason: Reason) -> Within {
    let mut meetings = Vec::new();
    for (at, a) in accesses.iter().enumerate() {
        for b in &accesses[at..] {
            if a.object == b.object && a.kind.conflicts(b.kind) && matches!(a.object, Object::Shared(_)) {
                meetings.push(Meeting { insts: [a.inst, b.inst], reason, invocations: None });
            }
        }
    }
    Within { meetings, concurrent: None }
}

type Mask = Rc<[bool]>;

/// Accesses that meet, and accesses of buffers that no barrier puts in order.
type Found = (Vec<Meeting>, Vec<(InstId, InstId)>);

/// Invocations that come out somewhere, with what values.
#[derive(Clone)]
struct Out {
    mask: Mask,
    values: Vec<Lanes>,
    pending: Pending,
}

/// Jumps of a loop.
#[derive(Default)]
struct Frame {
    body: BlockId,
    breaks: Vec<Out>,
    continues: Vec<Out>,
}

struct Engine<'m> {
    module: &'m Module,
    kernel: &'m Kernel,
    function: &'m Function,
    uniformity: &'m Uniformity<'m>,
    kinds: FastMap<InstId, (Object, Kind)>,
    /// Values that conditions and indices of shared variables depend on.
    needed: Vec<bool>,
    values: Vec<Lanes>,
    pending: Pending,
    frames: Vec<Frame>,
    /// Lanes of a subgroup, where invocations are told apart by them.
    width: Option<u32>,
    /// Branches and loops around in which not all may be that are thought to be.
    apart: u32,
    lanes: usize,
    fuel: i64,
    met: Vec<Meeting>,
    known: Vec<[InstId; 2]>,
    concurrent: Vec<(InstId, InstId)>,
}

impl<'m> Engine<'m> {
    fn new(
        module: &'m Module,
        kernel: &'m Kernel,
        function: &'m Function,
        uniformity: &'m Uniformity<'m>,
        accesses: &[Access],
    ) -> Self {
        let kinds = accesses.iter().map(|access| (access.inst, (access.object, access.kind))).collect();
        Self {
            module,
            kernel,
            function,
            uniformity,
            kinds,
            needed: needed(function),
            values: Vec::new(),
            pending: Pending::default(),
            frames: Vec::new(),
            width: None,
            apart: 0,
            lanes: 0,
            fuel: FUEL,
            met: Vec::new(),
            known: Vec::new(),
            concurrent: Vec::new(),
        }
    }

    /// Runs the kernel; `None` where that is too much.
    fn run(&mut self, width: Option<u32>, invocations: usize) -> Option<Found> {
        self.width = width;
        self.lanes = width.map_or(invocations, |width| invocations.div_ceil(width as usize) * width as usize);
        self.values = vec![Lanes::Unknown; self.function.values.len()];
        self.pending = Pending::default();
        self.known.clear();
        self.apart = 0;
        let all: Mask = vec![true; self.lanes].into();
        self.block(self.function.entry, all);
        self.frames.clear();
        (self.fuel > 0).then(|| (std::mem::take(&mut self.met), std::mem::take(&mut self.concurrent)))
    }

    fn subgroups(&self) -> Option<u16> {
        self.width.map(|width| width as u16)
    }

    /// Runs a block with those who may come to it; who comes out of it, with what it yields.
    fn block(&mut self, block: BlockId, mut mask: Mask) -> (Mask, Vec<Lanes>) {
        let function = self.function;
        for &id in &function.blocks[block].insts {
            if self.fuel <= 0 || !mask.iter().any(|is| *is) {
                return (vec![false; self.lanes].into(), Vec::new());
            }
            let inst = &function.insts[id];
            match &inst.kind {
                InstKind::If { condition, then_block, else_block } => {
                    let condition = (*condition, self.values[condition.index()].clone());
                    mask = self.branch(inst, condition, *then_block, *else_block, &mask);
                }
                InstKind::Switch { selector, cases, default } => {
                    mask = self.switch(inst, *selector, cases, *default, &mask);
                }
                InstKind::Loop { initial, body, .. } => mask = self.enter_loop(inst, initial, *body, &mask),
                InstKind::Yield(values) => return (mask, self.get(values)),
                InstKind::Break(body, values) | InstKind::Continue(body, values) => {
                    let out = Out { mask, values: self.get(values), pending: self.pending.clone() };
                    let is_break = matches!(inst.kind, InstKind::Break(..));
                    if let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.body == *body) {
                        if is_break { frame.breaks.push(out) } else { frame.continues.push(out) }
                    }
                    return (vec![false; self.lanes].into(), Vec::new());
                }
                InstKind::Return(_) | InstKind::Panic(..) | InstKind::Unreachable => {
                    return (vec![false; self.lanes].into(), Vec::new());
                }
                _ => self.inst(id, inst, &mask),
            }
        }
        (mask, Vec::new())
    }

    fn get(&self, values: &[ValueId]) -> Vec<Lanes> {
        values.iter().map(|value| self.values[value.index()].clone()).collect()
    }

    fn branch(
        &mut self,
        inst: &Inst,
        (condition, known): (ValueId, Lanes),
        then_block: BlockId,
        else_block: BlockId,
        mask: &Mask,
    ) -> Mask {
        let part = |unless: u32| -> Mask {
            mask.iter().enumerate().map(|(lane, is)| *is && known.at(lane) != Some(unless)).collect()
        };
        let (yes, no) = (part(0), part(1));
        let is_together = known == Lanes::Unknown && self.uniformity.is_uniform(condition);
        let is_open = !is_together && yes.iter().zip(&*no).any(|(yes, no)| *yes && *no);
        let entered = [yes.clone(), no.clone()];
        let before = is_together.then(|| self.pending.clone());
        self.apart += u32::from(is_open);
        let (yes, yes_values) = self.block(then_block, yes);
        let after_yes = before.map(|before| std::mem::replace(&mut self.pending, before));
        let (no, no_values) = self.block(else_block, no);
        // Where some may have left, nobody knows any more who is there.
        self.apart -= u32::from(is_open && entered == [yes.clone(), no.clone()]);
        let any = |mask: &Mask| mask.iter().any(|is| *is);
        if let Some(after_yes) = after_yes {
            // Only one of the two happened; what left the block elsewhere was noted there.
            match (any(&yes), any(&no)) {
                (true, true) => self.pending.join(&after_yes, self.subgroups()),
                (true, false) => self.pending = after_yes,
                (false, _) => {}
            }
        }
        for (at, result) in inst.results.iter().enumerate() {
            let value = match (yes_values.get(at), no_values.get(at)) {
                (Some(a), Some(b)) => a.merge(&yes, b, &no),
                (Some(value), None) | (None, Some(value)) => value.clone(),
                (None, None) => Lanes::Unknown,
            };
            self.values[result.index()] = value;
        }
        yes.iter().zip(&*no).map(|(a, b)| *a || *b).collect()
    }

    fn switch(
        &mut self,
        inst: &Inst,
        selector: ValueId,
        cases: &[(u32, BlockId)],
        default: BlockId,
        mask: &Mask,
    ) -> Mask {
        let known = self.values[selector.index()].clone();
        let is_together = known == Lanes::Unknown && self.uniformity.is_uniform(selector);
        self.apart += u32::from(!is_together);
        let before = self.pending.clone();
        let mut joined: Option<Pending> = None;
        let mut out: Option<(Mask, Vec<Lanes>)> = None;
        let others = |lane: usize| known.at(lane).is_none_or(|number| cases.iter().all(|(case, _)| *case != number));
        let of_default: Mask = mask.iter().enumerate().map(|(lane, is)| *is && others(lane)).collect();
        let of_case = |number: u32| -> Mask {
            mask.iter()
                .enumerate()
                .map(|(lane, is)| *is && known.at(lane).is_none_or(|known| known == number))
                .collect()
        };
        let ways: Vec<(Mask, BlockId)> =
            cases.iter().map(|(number, block)| (of_case(*number), *block)).chain([(of_default, default)]).collect();
        for (part, block) in ways {
            if is_together {
                self.pending = before.clone();
            }
            let (came, values) = self.block(block, part);
            if !came.iter().any(|is| *is) {
                continue;
            }
            if is_together {
                match &mut joined {
                    Some(joined) => joined.join(&self.pending, self.width.map(|width| width as u16)),
                    None => joined = Some(self.pending.clone()),
                }
            }
            out = Some(match out {
                None => (came, values),
                Some((mask, known)) => {
                    let merged = known.iter().zip(&values).map(|(a, b)| a.merge(&mask, b, &came)).collect();
                    (mask.iter().zip(&*came).map(|(a, b)| *a || *b).collect(), merged)
                }
            });
        }
        if is_together && let Some(joined) = joined {
            self.pending = joined;
        }
        let (mask, values) = out.unwrap_or_else(|| (vec![false; self.lanes].into(), Vec::new()));
        for (at, result) in inst.results.iter().enumerate() {
            self.values[result.index()] = values.get(at).cloned().unwrap_or(Lanes::Unknown);
        }
        mask
    }

    fn enter_loop(&mut self, inst: &Inst, initial: &[ValueId], body: BlockId, mask: &Mask) -> Mask {
        let mut params = self.get(initial);
        let mut mask = mask.clone();
        let mut left: Option<Out> = None;
        let mut rounds = 0;
        let mut is_open = false;
        loop {
            let came_with = (params.clone(), self.pending.clone(), mask.clone());
            let frame = self.round(body, &params, &mask);
            let out = frame.breaks.into_iter().reduce(|a, b| self.met_by(a, b));
            let next = frame.continues.into_iter().reduce(|a, b| self.met_by(a, b));
            let both = out.as_ref().zip(next.as_ref());
            let is_split = both.is_some_and(|(a, b)| a.mask.iter().zip(&*b.mask).any(|(a, b)| *a && *b));
            left = match (left, out) {
                (Some(a), Some(b)) => Some(self.met_by(a, b)),
                (a, b) => a.or(b),
            };
            let Some(next) = next.filter(|_| self.fuel > 0) else { break };
            // Who left early may be anywhere behind, while the others go on.
            if !self.uniformity.go_through_together(body)
                && let Some(left) = &mut left
            {
                left.pending.join(&next.pending, self.width.map(|width| width as u16));
            }
            is_open |= is_split;
            if !is_open {
                (params, self.pending, mask) = (next.values, next.pending, next.mask);
                continue;
            }
            rounds += 1;
            if rounds > MOST_ROUNDS {
                self.fuel = 0;
                break;
            }
            let (before, pending, came) = came_with;
            params = before.iter().zip(&next.values).map(|(a, b)| a.join(b)).collect();
            let is_same = params == before && pending.holds(&next.pending, self.subgroups());
            let all: Mask = came.iter().zip(&*next.mask).map(|(a, b)| *a || *b).collect();
            if is_same && all == came {
                break;
            }
            (self.pending, mask) = (pending, all);
            self.pending.join(&next.pending, self.width.map(|width| width as u16));
        }
        let Some(left) = left else { return vec![false; self.lanes].into() };
        for (at, result) in inst.results.iter().enumerate() {
            self.values[result.index()] = left.values.get(at).cloned().unwrap_or(Lanes::Unknown);
        }
        self.pending = left.pending;
        left.mask
    }

    fn round(&mut self, body: BlockId, params: &[Lanes], mask: &Mask) -> Frame {
        self.fuel -= 16;
        self.apart += u32::from(!self.uniformity.go_through_together(body));
        for (param, value) in self.function.blocks[body].params.iter().zip(params) {
            self.values[param.index()] = value.clone();
        }
        self.frames.push(Frame { body, ..Frame::default() });
        self.block(body, mask.clone());
        self.frames.pop().unwrap_or_default()
    }

    /// Two ways that lead to one place.
    fn met_by(&self, mut a: Out, b: Out) -> Out {
        a.values = a.values.iter().zip(&b.values).map(|(x, y)| x.merge(&a.mask, y, &b.mask)).collect();
        a.mask = a.mask.iter().zip(&*b.mask).map(|(a, b)| *a || *b).collect();
        a.pending.join(&b.pending, self.subgroups());
        a
    }

    fn inst(&mut self, id: InstId, inst: &'m Inst, mask: &Mask) {
        match &inst.kind {
            InstKind::Barrier(Scope::Workgroup | Scope::Device) => return self.pending.clear(),
            InstKind::Barrier(Scope::Subgroup) => {
                if let Some(width) = self.subgroups().filter(|_| self.are_all_here(mask)) {
                    self.pending.order_subgroups(width);
                }
                return;
            }
            _ => {}
        }
        if let Some((object, kind)) = self.kinds.get(&id).copied() {
            self.access(id, &inst.kind, object, kind, mask);
        }
        if let [result] = inst.results[..]
            && self.needed[result.index()]
        {
            self.values[result.index()] = self.value(inst, mask);
        }
    }

    /// Whether all invocations come here together for certain.
    fn are_all_here(&self, mask: &Mask) -> bool {
        self.apart == 0 && mask.iter().all(|is| *is)
    }

    fn value(&mut self, inst: &Inst, mask: &Mask) -> Lanes {
        let scalar = |value: ValueId| match self.module.types.get(self.function.values[value].ty) {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        };
        match &inst.kind {
            InstKind::Const(constant) => match (scalar(inst.results[0]), constant) {
                (Some(Scalar::Bool), constant) => {
                    eval::is_true(*constant).map_or(Lanes::Unknown, |truth| Lanes::Same(truth.into()))
                }
                (Some(Scalar::U32 | Scalar::I32), constant) => {
                    eval::bits(*constant).map_or(Lanes::Unknown, |bits| Lanes::Same(bits as u32))
                }
                _ => Lanes::Unknown,
            },
            InstKind::Op(op, operands) => {
                let Some(to) = scalar(inst.results[0]).filter(|to| is_followed(*to)) else { return Lanes::Unknown };
                // The first operand's type says which operation it is; a choice has its type in the second.
                let of = operands.first().and_then(|operand| scalar(*operand)).unwrap_or(Scalar::F32);
                let all = operands.iter().all(|operand| scalar(*operand).is_some_and(is_followed));
                if !all {
                    return Lanes::Unknown;
                }
                let values: Vec<&Lanes> = operands.iter().map(|operand| &self.values[operand.index()]).collect();
                let result = Lanes::apply(*op, &values, of, to, self.lanes);
                self.fuel -= if matches!(result, Lanes::Each(_)) { self.lanes as i64 } else { 1 };
                result
            }
            InstKind::Compose(members) => {
                Lanes::Members(members.iter().map(|member| self.values[member.index()].clone()).collect())
            }
            InstKind::Extract(composite, path) => self.values[composite.index()].member(path),
            InstKind::Builtin(builtin) => self.builtin(*builtin),
            InstKind::Subgroup(crate::ir::SubgroupOp::Elect, _) if self.are_all_here(mask) => match self.width {
                Some(width) => Lanes::each((0..self.lanes as u32).map(|lane| Some(u32::from(lane % width == 0)))),
                None => Lanes::Unknown,
            },
            _ => Lanes::Unknown,
        }
    }

    fn builtin(&self, builtin: Builtin) -> Lanes {
        let widths = self.kernel.workgroup.map(|width| width.known().unwrap_or(1));
        let lanes = self.lanes as u32;
        let by_position = self.width.is_none();
        let all = |number: &dyn Fn(u32) -> u32| Lanes::each((0..lanes).map(|lane| Some(number(lane))));
        match (builtin, self.width) {
            (Builtin::WorkgroupSize, _) => Lanes::Members(widths.map(Lanes::Same).into()),
            (Builtin::LocalIndex, None) => all(&|lane| lane),
            (Builtin::LocalId, _) => {
                let axis = |axis: usize| match (widths[axis], by_position) {
                    (1, _) => Lanes::Same(0),
                    (_, true) => all(&|lane| position(lane, widths)[axis]),
                    (_, false) => Lanes::Unknown,
                };
                Lanes::Members([0, 1, 2].map(axis).into())
            }
            (Builtin::SubgroupId, Some(width)) => all(&|lane| lane / width),
            (Builtin::SubgroupLocalId, Some(width)) => all(&|lane| lane % width),
            (Builtin::SubgroupSize, Some(width)) => Lanes::Same(width),
            (Builtin::SubgroupSize, None) => self.kernel.subgroup_size.map_or(Lanes::Unknown, Lanes::Same),
            _ => Lanes::Unknown,
        }
    }

    fn access(&mut self, id: InstId, inst: &InstKind, object: Object, kind: Kind, mask: &Mask) {
        let Object::Shared(shared) = object else {
            for other in self.pending.of(object).chain([id]) {
                let pair = (id.min(other), id.max(other));
                if !self.concurrent.contains(&pair) {
                    self.concurrent.push(pair);
                }
            }
            return self.pending.note((id, object, kind), Who::MANY, None, self.subgroups(), &mut Vec::new());
        };
        let Some(place) = inst.place() else { return };
        let len = scalars(&self.module.types, self.kernel.shared[shared].ty).unwrap_or(u64::MAX);
        let mut met = Vec::new();
        let what = (id, object, kind);
        match inst {
            InstKind::CoopLoad(access) | InstKind::CoopStore(access, _) => {
                self.matrix(what, inst, access, len, &mut met);
            }
            _ => {
                let (start, count) = self.cells(place, self.kernel.shared[shared].ty);
                for lane in 0..self.lanes {
                    if !mask[lane] {
                        continue;
                    }
                    self.fuel -= 2;
                    let cells = start.at(lane).filter(|_| len <= MOST_CELLS);
                    // Out of range: the access is dropped, or refused where it is checked for certain.
                    if cells.is_some_and(|start| u64::from(start) + count > len) {
                        continue;
                    }
                    let range = cells.map(|start| (start as usize..start as usize + count as usize, len as usize));
                    self.pending.note(what, Who::lane(lane), range, self.subgroups(), &mut met);
                }
            }
        }
        self.report(id, &met);
    }

    fn report(&mut self, id: InstId, met: &[Met]) {
        for Met { inst, who } in met {
            let insts = [(*inst).min(id), (*inst).max(id)];
            if self.known.contains(&insts) {
                continue;
            }
            self.known.push(insts);
            let widths = self.kernel.workgroup.map(|width| width.known().unwrap_or(1));
            let place = |who: Who| who.as_lane().filter(|_| self.width.is_none()).map(|lane| position(lane, widths));
            let invocations = place(who[0]).zip(place(who[1])).map(|(a, b)| [a, b]);
            self.met.push(Meeting { insts: [*inst, id], reason: Reason::NoBarrier, invocations });
            // Pairs are compared by their instructions.
            if let Some(last) = self.met.last_mut() {
                last.insts = insts;
            }
        }
    }

    /// The first of the scalars that a place is in each invocation, and how many they are.
    fn cells(&mut self, place: &Place, ty: TypeId) -> (Lanes, u64) {
        let types = &self.module.types;
        let (mut ty, mut start) = (ty, Lanes::Same(0));
        for step in &place.path {
            let (before, member) = match *step {
                Step::Field(field) => (Lanes::Same(before(types, ty, field).unwrap_or(0) as u32), field),
                Step::Index { value, .. } => {
                    let size = types.member(ty, 0).and_then(|member| scalars(types, member)).unwrap_or(1);
                    let count = member_count(types, ty);
                    let scaled = match &self.values[value.index()] {
                        Lanes::Same(at) => out_of_range(*at, count)
                            .map_or(Lanes::Same(u32::MAX / 2), |at| Lanes::Same(at.saturating_mul(size as u32))),
                        Lanes::Each(each) => Lanes::each(each.iter().map(|at| {
                            at.map(|at| {
                                out_of_range(at, count).map_or(u32::MAX / 2, |at| at.saturating_mul(size as u32))
                            })
                        })),
                        _ => Lanes::Unknown,
                    };
                    (scaled, 0)
                }
                Step::Element(_) => break,
            };
            start = match (&start, &before) {
                (Lanes::Unknown, _) | (_, Lanes::Unknown) => Lanes::Unknown,
                (Lanes::Same(a), Lanes::Same(b)) => Lanes::Same(a.saturating_add(*b)),
                (a, b) => Lanes::each((0..self.lanes).map(|lane| Some(a.at(lane)?.saturating_add(b.at(lane)?)))),
            };
            match types.member(ty, member) {
                Some(inner) => ty = inner,
                None => return (Lanes::Unknown, 1),
            }
        }
        (start, scalars(types, ty).unwrap_or(1))
    }

    /// A matrix of a subgroup in shared memory.
    fn matrix(
        &mut self,
        what: (InstId, Object, Kind),
        inst: &InstKind,
        access: &CoopAccess,
        len: u64,
        met: &mut Vec<Met>,
    ) {
        let groups = self.width.map_or(1, |width| self.lanes / width as usize);
        for group in 0..groups {
            let who = self.width.map_or(Who::MANY, |_| Who::subgroup(group));
            let lane = self.width.map_or(0, |width| group * width as usize);
            let ranges = self.width.and_then(|_| self.lines(inst, access, what.0, lane, len));
            match ranges {
                Some(ranges) => {
                    for range in ranges {
                        self.fuel -= range.len() as i64;
                        self.pending.note(what, who, Some((range, len as usize)), self.subgroups(), met);
                    }
                }
                None => {
                    self.pending.note(what, who, None, self.subgroups(), met);
                    // Several subgroups do it, if there are several.
                    if self.width.is_none() {
                        self.pending.note(what, who, None, None, met);
                    }
                }
            }
        }
    }

    /// The scalars of each line of a matrix, where all is known and memory has cells of scalars.
    fn lines(
        &self,
        inst: &InstKind,
        access: &CoopAccess,
        id: InstId,
        lane: usize,
        len: u64,
    ) -> Option<Vec<std::ops::Range<usize>>> {
        let Root::Shared(shared) = access.place.root else { return None };
        let types = &self.module.types;
        let Type::Array(element, _) = *types.get(self.kernel.shared[shared].ty) else { return None };
        let Type::Scalar(cell) = *types.get(element) else { return None };
        if access.place.path.len() != 1 {
            return None;
        }
        let first = self.values[access.first.index()].at(lane)?;
        let stride = self.values[access.stride.index()].at(lane)?;
        let value = match inst {
            InstKind::CoopStore(_, value) => *value,
            _ => *self.function.insts[id].results.first()?,
        };
        let Type::Coop(ty) = *types.get(self.function.values[value].ty) else { return None };
        let (lines, width) = match access.layout {
            CoopLayout::RowMajor => (ty.rows, ty.columns),
            CoopLayout::ColumnMajor => (ty.columns, ty.rows),
        };
        let cells = (width * ty.scalar.bits()).div_ceil(cell.bits());
        let line = |line: u32| {
            let start = u64::from(first) + u64::from(line) * u64::from(stride);
            (start + u64::from(cells) <= len).then_some(start as usize..(start + u64::from(cells)) as usize)
        };
        (0..lines).map(line).collect()
    }
}

fn out_of_range(at: u32, count: Option<u32>) -> Option<u32> {
    Some(at).filter(|at| count.is_none_or(|count| *at < count))
}

fn position(lane: u32, [width, height, _]: [u32; 3]) -> [u32; 3] {
    [lane % width, lane / width % height, lane / width / height]
}

fn member_count(types: &Types, ty: TypeId) -> Option<u32> {
    match *types.get(ty) {
        Type::Vector(_, len) => Some(len.into()),
        Type::Array(_, len) => len.known(),
        _ => None,
    }
}

/// How many scalars a value of a type has; `None` where the launch decides.
fn scalars(types: &Types, ty: TypeId) -> Option<u64> {
    match types.get(ty) {
        Type::Unit => Some(0),
        Type::Scalar(_) => Some(1),
        Type::Vector(_, lanes) => Some(u64::from(*lanes)),
        Type::Coop(ty) => Some(u64::from(ty.len())),
        Type::Array(element, len) => Some(u64::from(len.known()?) * scalars(types, *element)?),
        Type::Tuple(members) => members.iter().map(|member| scalars(types, *member)).sum(),
        Type::Struct(id) => types.struct_def(*id).fields.iter().map(|field| scalars(types, field.ty)).sum(),
    }
}

/// How many scalars stand before a member.
fn before(types: &Types, ty: TypeId, member: u32) -> Option<u64> {
    match types.get(ty) {
        Type::Vector(..) => Some(u64::from(member)),
        Type::Array(element, _) => Some(u64::from(member) * scalars(types, *element)?),
        _ => (0..member).map(|before| types.member(ty, before).and_then(|ty| scalars(types, ty))).sum(),
    }
}

/// The values that conditions and indices of shared variables are computed from.
fn needed(function: &Function) -> Vec<bool> {
    let mut sources: Vec<Vec<ValueId>> = vec![Vec::new(); function.values.len()];
    let mut work: Vec<ValueId> = Vec::new();
    for (_, inst) in function.insts.iter() {
        match &inst.kind {
            InstKind::If { condition, .. } => work.push(*condition),
            InstKind::Switch { selector, .. } => work.push(*selector),
            InstKind::CoopLoad(access) | InstKind::CoopStore(access, _) => work.extend([access.first, access.stride]),
            _ => {}
        }
        if let Some(place) = inst.kind.place()
            && matches!(place.root, Root::Shared(_))
        {
            work.extend(place.values());
        }
        match &inst.kind {
            InstKind::Loop { initial, body, .. } => {
                for (param, first) in function.blocks[*body].params.iter().zip(initial) {
                    sources[param.index()].push(*first);
                }
                jumps(function, *body, *body, &inst.results, &mut sources);
            }
            InstKind::If { .. } | InstKind::Switch { .. } => {
                for block in inst.kind.blocks() {
                    if let Some(InstKind::Yield(values)) = crate::flow::terminator(function, block) {
                        for (result, value) in inst.results.iter().zip(values) {
                            sources[result.index()].push(*value);
                        }
                    }
                }
            }
            kind => {
                for result in &inst.results {
                    kind.for_each_use(|value| sources[result.index()].push(value));
                }
            }
        }
    }
    let mut needed = vec![false; function.values.len()];
    while let Some(value) = work.pop() {
        if !std::mem::replace(&mut needed[value.index()], true) {
            work.extend(&sources[value.index()]);
        }
    }
    needed
}

fn jumps(function: &Function, block: BlockId, body: BlockId, results: &[ValueId], sources: &mut [Vec<ValueId>]) {
    for id in &function.blocks[block].insts {
        let into = match &function.insts[*id].kind {
            InstKind::Continue(target, values) if *target == body => Some((&function.blocks[body].params[..], values)),
            InstKind::Break(target, values) if *target == body => Some((results, values)),
            kind => {
                kind.blocks().into_iter().for_each(|inner| jumps(function, inner, body, results, sources));
                None
            }
        };
        for (into, value) in into.into_iter().flat_map(|(into, values)| into.iter().zip(values)) {
            sources[into.index()].push(*value);
        }
    }
}
