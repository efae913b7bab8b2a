//! A workgroup run as far as its code tells: which accesses of its invocations stand between the same barriers, and meet in a cell.
//!
//! All invocations go through the code together. A number is known or not in each of them; where a condition is not known, both ways
//! are taken. Loops whose ends are known go round by round, others until nothing new is accessed. Invocations are told apart by
//! their positions, and once more by subgroup and lane, as nothing says how the two belong together: accesses meet if they meet in both.

use std::rc::Rc;

use super::access::{Kind, Object};
use super::cells::{Met, Pending, Who};
use super::lanes::{Lanes, is_followed};
use super::layout::{number, position, scalars};
use super::relevance::Relevance;
use super::tables::Tables;
use super::workgroup::{Meeting, Pair, Workgroup, pair};
use crate::arena::EntityId;
use crate::hash::{FastMap, FastSet};
use crate::ir::{BlockId, Builtin, ConstParamId, Function, Inst, InstId, InstKind, Kernel, Module, Scope, ValueId};
use crate::passes::eval;
use crate::types::{Scalar, Size, Type};
use crate::uniformity::Uniformity;

/// Steps before the analysis gives up: an access or operation of one invocation is one.
const FUEL: i64 = 8_000_000;
/// How often a loop whose end is not known is gone through.
const MOST_ROUNDS: usize = 12;
/// Cells of a variable that are told apart.
const MOST_CELLS: u64 = 1 << 16;

type Mask = Rc<[bool]>;

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

pub(super) struct Engine<'m> {
    pub(super) module: &'m Module,
    pub(super) kernel: &'m Kernel,
    pub(super) function: &'m Function,
    uniformity: &'m Uniformity<'m>,
    kinds: &'m FastMap<InstId, (Object, Kind)>,
    relevance: &'m Relevance,
    tables: &'m Tables,
    /// Const parameters that a size was chosen for.
    pub(super) sizes: Vec<(ConstParamId, u32)>,
    pub(super) values: Vec<Lanes>,
    pub(super) pending: Pending,
    frames: Vec<Frame>,
    /// Lanes of a subgroup, where invocations are told apart by them.
    pub(super) width: Option<u32>,
    /// Branches and loops around in which not all may be that are thought to be.
    apart: u32,
    pub(super) lanes: usize,
    pub(super) fuel: i64,
    met: Vec<Meeting>,
    known: FastSet<Pair>,
    unordered: FastSet<Pair>,
}

impl<'m> Engine<'m> {
    pub(super) fn new<'u: 'm>(
        of: &'m Workgroup<'u, 'm>,
        kinds: &'m FastMap<InstId, (Object, Kind)>,
        relevance: &'m Relevance,
        sizes: Vec<(ConstParamId, u32)>,
    ) -> Self {
        Self {
            module: of.module,
            kernel: of.kernel,
            function: of.function,
            uniformity: of.uniformity,
            kinds,
            relevance,
            tables: &of.tables,
            sizes,
            values: Vec::new(),
            pending: Pending::default(),
            frames: Vec::new(),
            width: None,
            apart: 0,
            lanes: 0,
            fuel: FUEL,
            met: Vec::new(),
            known: FastSet::default(),
            unordered: FastSet::default(),
        }
    }

    /// Runs the kernel; `None` where that is too much.
    pub(super) fn run(&mut self, width: Option<u32>, invocations: usize) -> Option<(Vec<Meeting>, FastSet<Pair>)> {
        self.width = width;
        self.lanes = width.map_or(invocations, |width| invocations.div_ceil(width as usize) * width as usize);
        self.values = vec![Lanes::Unknown; self.function.values.len()];
        self.pending = Pending::default();
        self.known.clear();
        self.apart = 0;
        let all: Mask = vec![true; self.lanes].into();
        self.block(self.function.entry, all);
        self.frames.clear();
        (self.fuel > 0).then(|| (std::mem::take(&mut self.met), std::mem::take(&mut self.unordered)))
    }

    pub(super) fn subgroups(&self) -> Option<u16> {
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
                InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. }
                    if !self.relevance.open[id.index()] => {}
                InstKind::If { condition, then_block, else_block } => {
                    let condition = (*condition, self.values[condition.index()].clone());
                    mask = self.branch(inst, condition, *then_block, *else_block, &mask);
                }
                InstKind::Switch { selector, cases, default } => {
                    mask = self.switch(inst, *selector, cases, *default, &mask);
                }
                InstKind::Loop { initial, body, .. } => mask = self.enter_loop(id, initial, *body, &mask),
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
                    Some(joined) => joined.join(&self.pending, self.subgroups()),
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

    fn enter_loop(&mut self, id: InstId, initial: &[ValueId], body: BlockId, mask: &Mask) -> Mask {
        let before = self.apart;
        self.apart += u32::from(!self.uniformity.go_through_together(body));
        let mask = self.rounds(&self.function.insts[id], initial, body, mask);
        // All who went in come out, and together.
        if self.relevance.is_closed[id.index()] {
            self.apart = before;
        }
        mask
    }

    fn rounds(&mut self, inst: &Inst, initial: &[ValueId], body: BlockId, mask: &Mask) -> Mask {
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
            // An invocation that left early may be anywhere behind, while the others go on.
            if !self.uniformity.go_through_together(body)
                && let Some(left) = &mut left
            {
                left.pending.join(&next.pending, self.subgroups());
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
            self.pending.join(&next.pending, self.subgroups());
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
            && self.relevance.values[result.index()]
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
            InstKind::Load(place) => match self.tables.at(place) {
                Some((numbers, index)) => self.values[index.index()].look_up(numbers),
                None => Lanes::Unknown,
            },
            InstKind::Builtin(builtin) => self.builtin(*builtin),
            InstKind::ConstParam(param) => number(Size::Param(*param), &self.sizes).map_or(Lanes::Unknown, Lanes::Same),
            InstKind::Subgroup(crate::ir::SubgroupOp::Elect, _) if self.are_all_here(mask) => match self.width {
                Some(width) => Lanes::each((0..self.lanes as u32).map(|lane| Some(u32::from(lane % width == 0)))),
                None => Lanes::Unknown,
            },
            _ => Lanes::Unknown,
        }
    }

    fn builtin(&self, builtin: Builtin) -> Lanes {
        let widths = self.kernel.workgroup.map(|width| number(width, &self.sizes).unwrap_or(1));
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
        let shared = match object {
            Object::Shared(shared) => shared,
            Object::Buffer(_) => {
                let own = kind.conflicts(kind).then_some(id);
                self.unordered.extend(self.pending.against(object, kind).chain(own).map(|other| pair(id, other)));
                return self.pending.note((id, object, kind), Who::MANY, None, self.subgroups(), &mut Vec::new());
            }
        };
        let Some(place) = inst.place() else { return };
        let len = scalars(&self.module.types, &self.sizes, self.kernel.shared[shared].ty).unwrap_or(u64::MAX);
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
            let insts = pair(*inst, id);
            if !self.known.insert(insts) {
                continue;
            }
            let widths = self.kernel.workgroup.map(|width| number(width, &self.sizes).unwrap_or(1));
            let place = |who: Who| who.as_lane().filter(|_| self.width.is_none()).map(|lane| position(lane, widths));
            let invocations = place(who[0]).zip(place(who[1])).map(|(a, b)| [a, b]);
            self.met.push(Meeting { insts, invocations });
        }
    }
}
