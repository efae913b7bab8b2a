//! The backward function: code that runs once more, and the rules of its instructions in reverse, block by block.

use std::rc::Rc;

use crate::arena::{Arena, EntityId};
use crate::builder::FunctionBuilder;
use crate::ir::{
    AtomicOp, BlockId, BufferId, CoopOp, Function, Inst, InstId, InstKind, LocalId, Module, Place, Root, SharedId,
    SourceLocation, ValueId,
};
use crate::op::Op;
use crate::types::{Type, TypeId};
use crate::uniformity::Uniformity;

use super::Derived;
use super::activity::{Activity, By};
use super::contents::{Again, Contents};
use super::exchange::{self, Held};
use super::matrices::{self, Positions};
use super::needs::{Needs, definitions};
use super::normal::{empty_like, exit};
use super::refusal::Refusal;
use super::rules;
use super::shadows::{self, ShadowKind, Shadows};

/// Derives a kernel in normal form. To the adjoints of the inputs in `apart` each invocation adds as if it had its elements to itself.
pub(super) fn derive(source: &Module, by: &By, apart: &[BufferId]) -> Result<Derived, Refusal> {
    let kernel = source.kernel.as_ref().expect("a kernel is derived");
    let function = &source.functions[kernel.function];
    let activity = Activity::of(source, function, by);
    let mut module = Module { functions: Arena::new(), ..source.clone() };
    let shadows = shadows::find(source, function, &activity, (by, apart), &mut module)?;
    if let Some(kernel) = &mut module.kernel {
        // Nothing that it shared is left.
        kernel.obligations.clear();
    }
    let is_output = |place: &Place| match place.root {
        Root::Buffer(buffer) => shadows.buffers[buffer.index()].is_some(),
        _ => false,
    };
    let is_consumed = |place: &Place| match place.root {
        Root::Buffer(buffer) => shadows.buffers[buffer.index()].is_some_and(|it| it.kind == ShadowKind::Taken),
        _ => false,
    };
    let shared_shadows = exchange::shadows(source, &activity, &mut module)?;
    let positions = matrices::positions(function, &activity, &mut module);
    let hands_over = shared_shadows.iter().any(Option::is_some)
        || shadows.buffers.iter().flatten().any(|shadow| shadow.kind == ShadowKind::Taken);
    let needs = Needs::of(function, &activity, &is_output, &is_consumed, hands_over);
    let contents = Contents::of(source, function, &needs)?;
    let uniformity = Uniformity::of(function, Some(kernel), &[]);
    let b = FunctionBuilder::new(&mut module, empty_like(function), true);
    let stores = contents.needed().to_vec();
    let mut reverse = Reverse {
        source,
        function,
        activity: &activity,
        needs: Rc::new(needs),
        shadows: &shadows,
        shared_shadows,
        stores,
        parts: vec![None; kernel.shared.len()],
        contents: &contents,
        uniformity: &uniformity,
        replays: false,
        kept_loads: vec![None; function.insts.len()],
        held: vec![Vec::new(); function.insts.len()],
        definitions: definitions(function),
        waits: function.insts.iter().any(|(_, inst)| waits(&inst.kind)),
        b,
        env: vec![None; function.values.len()],
        turned: vec![None; function.values.len()],
        positions,
        adjoints: vec![None; function.values.len()],
        locals: vec![None; function.locals.len()],
        local_adjoints: vec![None; function.locals.len()],
        rounds: vec![None; function.insts.len()],
        snapshots: vec![Vec::new(); function.insts.len()],
    };
    reverse.check(function.entry)?;
    let insts = &function.blocks[function.entry].insts;
    reverse.find_positions();
    reverse.forward(insts);
    reverse.clear(insts);
    reverse.backward(insts);
    reverse.b.finish();
    let Shadows { buffers, params } = shadows;
    Ok(Derived { module, buffers, params, needs_line: false, conditions: Vec::new() })
}

/// Whether an instruction lets an invocation see what others wrote.
fn waits(kind: &InstKind) -> bool {
    match kind {
        InstKind::Barrier(_) | InstKind::Fence(..) => true,
        InstKind::Atomic(atomic) => atomic.order.acquires(),
        _ => false,
    }
}

/// The values of a loop that its way back needs.
#[derive(Debug, Clone)]
pub(super) struct Rounds {
    /// How many there were, a `u32`.
    pub(super) count: ValueId,
    /// Its first values: by parameter, if they are needed.
    pub(super) initial: Vec<Option<ValueId>>,
    /// Its parameters when it was left: by parameter, if they are needed then.
    pub(super) last: Vec<Option<ValueId>>,
    /// The variables in which its rounds work, as they were before.
    pub(super) before: Vec<(Held, ValueId)>,
}

pub(super) struct Reverse<'s, 'm> {
    pub(super) source: &'s Module,
    pub(super) function: &'s Function,
    pub(super) activity: &'s Activity,
    /// Of the loop or branch whose way back is written.
    pub(super) needs: Rc<Needs>,
    pub(super) shadows: &'s Shadows,
    /// By variable of the workgroup: the one with its adjoint.
    pub(super) shared_shadows: Vec<Option<SharedId>>,
    /// By variable of the workgroup: whether stores to it are done.
    pub(super) stores: Vec<bool>,
    /// By variable of the workgroup: the one with what the invocation keeps of it.
    pub(super) parts: Vec<Option<LocalId>>,
    pub(super) contents: &'s Contents,
    pub(super) uniformity: &'s Uniformity<'s>,
    /// Whether code of an arm runs again, with the values that its loads had.
    pub(super) replays: bool,
    /// By load: the variable with its value.
    kept_loads: Vec<Option<LocalId>>,
    /// By loop or branch: the shared variables that it reads, as they were before.
    pub(super) held: Vec<Vec<(Held, ValueId)>>,
    pub(super) definitions: Vec<Option<InstId>>,
    /// Whether invocations may see what others wrote.
    pub(super) waits: bool,
    pub(super) b: FunctionBuilder<'m>,
    /// By value of the source: the value that was computed last for it.
    pub(super) env: Vec<Option<ValueId>>,
    /// By value of the source: the transpose of the matrix that it is.
    pub(super) turned: Vec<Option<ValueId>>,
    /// The positions of the elements of matrices.
    pub(super) positions: Option<Positions>,
    /// By value of the source: the variable with its adjoint.
    pub(super) adjoints: Vec<Option<LocalId>>,
    /// By variable of the source: the one that takes its place.
    pub(super) locals: Vec<Option<LocalId>>,
    /// By variable of the source: the one with its adjoint.
    pub(super) local_adjoints: Vec<Option<LocalId>>,
    /// By loop.
    pub(super) rounds: Vec<Option<Rounds>>,
    /// By branch: the variables that it works in, as they were before.
    pub(super) snapshots: Vec<Vec<(Held, ValueId)>>,
}

impl<'s> Reverse<'s, '_> {
    pub(super) fn get(&self, value: ValueId) -> ValueId {
        self.env[value.index()].expect("what is needed was computed")
    }

    pub(super) fn ty(&self, value: ValueId) -> TypeId {
        self.function.values[value].ty
    }

    pub(super) fn is_active(&self, value: ValueId) -> bool {
        self.activity.is_active(value)
    }

    pub(super) fn bind(&mut self, from: ValueId, to: ValueId) {
        self.env[from.index()] = Some(to);
        if let Some(name) = self.function.values[from].name.clone() {
            self.b.set_name(to, &name);
        }
    }

    /// Code that runs once more.
    pub(super) fn forward(&mut self, insts: &'s [InstId]) {
        for id in insts {
            self.forward_inst(*id);
        }
    }

    fn forward_inst(&mut self, id: InstId) {
        let inst = &self.function.insts[id];
        self.b.set_location(inst.location);
        let is_needed = inst.results.iter().any(|result| self.needs.value(*result));
        match &inst.kind {
            InstKind::If { .. } | InstKind::Switch { .. } => {
                let touched = self.touched(id);
                if self.needs.acts(id) {
                    self.snapshots[id.index()] = self.keep(&touched);
                    if !self.replays {
                        let held = self.shared_of(id, Again::Restored);
                        self.held[id.index()] = self.keep(&held);
                    }
                }
                let leaves_something = !touched.is_empty() || self.runs(id);
                if is_needed || self.needs.panics(id) || leaves_something && self.asks(id) {
                    self.forward_branch(id, inst);
                } else {
                    self.wait_instead(id);
                }
            }
            InstKind::Loop { .. } => self.forward_loop(id, is_needed),
            InstKind::Panic(site, words) => {
                let words: Vec<_> = words.iter().map(|word| self.get(*word)).collect();
                self.b.panic(*site, &words);
            }
            InstKind::Trap(site, words) => {
                let words: Vec<_> = words.iter().map(|word| self.get(*word)).collect();
                self.b.trap(*site, &words);
            }
            InstKind::Unreachable => self.b.unreachable(),
            InstKind::Barrier(_) => {
                if self.stores.contains(&true) {
                    self.wait();
                }
            }
            InstKind::Store(place, value) => {
                let is_done = match place.root {
                    Root::Local(local) => self.needs.local(local),
                    Root::Shared(shared) => self.stores[shared.index()],
                    _ => false,
                };
                if is_done {
                    let (place, value) = (self.place(place), self.get(*value));
                    self.b.store(place, value);
                }
            }
            kind if kind.is_of_coop() => self.forward_matrix(inst, is_needed),
            kind if kind.is_terminator() || !is_needed => {}
            InstKind::Load(place) => {
                let value = self.load_again(id, place);
                self.bind(inst.results[0], value);
            }
            InstKind::Op(Op::Slope, operands) => {
                let value = self.get(operands[0]);
                self.bind(inst.results[0], value);
            }
            kind => {
                let mut kind = kind.clone();
                kind.map_uses(|value| self.get(value));
                let types: Vec<_> = inst.results.iter().map(|result| self.ty(*result)).collect();
                let results = self.b.append(kind, &types);
                for (from, to) in inst.results.iter().zip(results.iter()) {
                    self.bind(*from, *to);
                }
            }
        }
    }

    /// Whether the way into a branch, or out of a loop, is needed: without it nothing inside is.
    pub(super) fn asks(&self, id: InstId) -> bool {
        match &self.function.insts[id].kind {
            InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => {
                self.needs.value(*value)
            }
            InstKind::Loop { body, .. } => {
                exit(self.function, *body).is_some_and(|exit| self.needs.value(exit.condition))
            }
            _ => false,
        }
    }

    /// Whether a region has to run for what it leaves in shared variables or keeps of them.
    pub(super) fn runs(&self, id: InstId) -> bool {
        !self.replays && self.contents.region(id).runs
    }

    /// The wait of a region that does not run.
    pub(super) fn wait_instead(&mut self, id: InstId) {
        if self.contents.region(id).waits && self.stores.contains(&true) {
            self.wait();
        }
    }

    /// A load, or the value that it had.
    fn load_again(&mut self, id: InstId, place: &Place) -> ValueId {
        if !self.contents.is_kept(id) {
            let place = self.place(place);
            return self.b.load(place);
        }
        let ty = self.ty(self.function.insts[id].results[0]);
        let kept = match self.kept_loads[id.index()] {
            Some(known) => known,
            None => *self.kept_loads[id.index()].insert(self.b.new_local("kept_load", ty)),
        };
        if self.replays {
            return self.b.load(Place::local(kept));
        }
        let place = self.place(place);
        let value = self.b.load(place);
        self.b.store(Place::local(kept), value);
        value
    }

    fn forward_branch(&mut self, id: InstId, inst: &'s Inst) {
        let wanted: Vec<_> = inst.results.iter().map(|result| self.needs.value(*result)).collect();
        let results: Vec<_> = inst.results.iter().copied().filter(|result| self.needs.value(*result)).collect();
        let types: Vec<_> = results.iter().map(|result| self.ty(*result)).collect();
        let function = self.function;
        let values = self.arms(id, &types, &mut |reverse, block| {
            let insts = &function.blocks[block].insts;
            reverse.forward(insts);
            if let Some(InstKind::Yield(values)) = insts.last().map(|last| &function.insts[*last].kind) {
                let yielded = values.iter().zip(&wanted).filter(|(_, wanted)| **wanted);
                let yielded: Vec<_> = yielded.map(|(value, _)| reverse.get(*value)).collect();
                reverse.b.yield_(&yielded);
            }
        });
        for (from, to) in results.into_iter().zip(values) {
            self.bind(from, to);
        }
    }

    /// A branch like that of the source, whose arms `fill` writes.
    fn arms(&mut self, id: InstId, types: &[TypeId], fill: &mut dyn FnMut(&mut Self, BlockId)) -> Vec<ValueId> {
        let mut arm = |reverse: &mut Self, block: BlockId| {
            let new = reverse.b.new_block();
            let parent = reverse.b.switch_to(new);
            fill(reverse, block);
            reverse.b.switch_to(parent);
            new
        };
        match &self.function.insts[id].kind {
            InstKind::If { condition, then_block, else_block } => {
                let blocks = (arm(self, *then_block), arm(self, *else_block));
                let condition = self.get(*condition);
                self.b.push_if(condition, blocks.0, blocks.1, types)
            }
            InstKind::Switch { selector, cases, default } => {
                let cases: Vec<_> = cases.iter().map(|(bits, block)| (*bits, arm(self, *block))).collect();
                let default = arm(self, *default);
                let selector = self.get(*selector);
                self.b.push_switch(selector, &cases, default, types)
            }
            _ => unreachable!("only branches have arms"),
        }
    }

    /// The rules of instructions, last one first.
    pub(super) fn backward(&mut self, insts: &'s [InstId]) {
        for id in insts.iter().rev() {
            if self.needs.acts(*id) {
                self.backward_inst(*id);
            }
        }
    }

    fn backward_inst(&mut self, id: InstId) {
        let inst = &self.function.insts[id];
        self.b.set_location(inst.location);
        match &inst.kind {
            InstKind::Op(op, operands) => self.backward_op(*op, operands, inst.results[0]),
            InstKind::Compose(members) => {
                for (at, member) in (0..).zip(members.iter()) {
                    if self.is_active(*member) {
                        let share = self.load_member(inst.results[0], &[at]);
                        self.give(*member, share);
                    }
                }
            }
            InstKind::Extract(of, steps) => {
                let share = self.adjoint(inst.results[0]);
                self.give_member(*of, steps, share);
            }
            InstKind::Insert(of, member, steps) => {
                if self.is_active(*member) {
                    let share = self.load_member(inst.results[0], steps);
                    self.give(*member, share);
                }
                if self.is_active(*of) {
                    let all = self.adjoint(inst.results[0]);
                    let ty = self.adjoint_type(*member);
                    let nothing = rules::zero(&mut self.b, ty);
                    let rest = self.b.insert(all, nothing, steps);
                    self.give(*of, rest);
                }
            }
            InstKind::Load(place) => self.backward_load(place, inst.results[0]),
            InstKind::Coop(op, operands) => self.backward_matrix(*op, operands, inst.results[0]),
            InstKind::CoopLoad(access) => self.backward_matrix_load(access, inst.results[0]),
            InstKind::CoopStore(access, value) => self.backward_matrix_store(access, *value),
            InstKind::Store(place, value) => self.backward_store(place, *value),
            InstKind::Param(param) => {
                let g = self.adjoint(inst.results[0]);
                if let Some(shadow) = self.shadows.params[param.index()] {
                    let first = self.b.const_u32(0);
                    if shadow.kind == ShadowKind::Own {
                        return self.add_to(&Place::element(shadow.buffer, first, None), g);
                    }
                    self.add_flat(shadow, first, self.ty(inst.results[0]), g);
                }
            }
            InstKind::Atomic(atomic) => {
                let g = self.load_shadow(&atomic.place);
                let Some((g, _)) = g else { return };
                let g = if atomic.op == AtomicOp::Sub { self.b.op(Op::Neg, &[g]) } else { g };
                if let Some(operand) = atomic.operands.first() {
                    self.give(*operand, g);
                }
            }
            InstKind::Barrier(_) => self.wait(),
            InstKind::Subgroup(op, operands) => self.backward_subgroup(*op, operands, inst.results[0]),
            InstKind::If { .. } | InstKind::Switch { .. } => self.backward_branch(id, inst),
            InstKind::Loop { .. } => self.backward_loop(id),
            _ => {}
        }
    }

    fn backward_op(&mut self, op: Op, operands: &[ValueId], result: ValueId) {
        let g = self.adjoint(result);
        for (at, operand) in operands.iter().enumerate() {
            if !self.is_active(*operand) {
                continue;
            }
            let operand_type = self.ty(*operand);
            let env = &self.env;
            let get = |value: ValueId| env[value.index()].expect("rules say what they need");
            let share = rules::share(&mut self.b, op, at, g, &|at| get(operands[at]), &|| get(result), operand_type);
            if let Some(share) = share {
                self.give(*operand, share);
            }
        }
    }

    /// Takes the needs of a loop or a branch in the place of those around it, and gives these back.
    pub(super) fn only_needs_of(&mut self, id: InstId) -> Rc<Needs> {
        let within = Rc::new(self.needs.within(self.function, self.activity, id));
        std::mem::replace(&mut self.needs, within)
    }

    fn backward_branch(&mut self, id: InstId, inst: &'s Inst) {
        let function = self.function;
        let before = self.snapshots[id.index()].clone();
        let is_fresh = self.contents.region(id).waits;
        let (needs, stores) = (self.only_needs_of(id), self.only_stores_of(id));
        if is_fresh {
            let held = self.held[id.index()].clone();
            self.wait_before(id);
            self.restore(&held);
        } else {
            self.stores.fill(false);
        }
        self.arms(id, &[], &mut |reverse, block| {
            let insts = &function.blocks[block].insts;
            reverse.restore(&before);
            reverse.replays = !is_fresh;
            reverse.forward(insts);
            reverse.replays = false;
            reverse.clear(insts);
            if let Some(InstKind::Yield(values)) = insts.last().map(|last| &function.insts[*last].kind) {
                for (value, result) in values.iter().zip(inst.results.iter()) {
                    if reverse.is_active(*value) && reverse.is_active(*result) {
                        let share = reverse.adjoint(*result);
                        reverse.give(*value, share);
                    }
                }
            }
            reverse.backward(insts);
        });
        (self.needs, self.stores) = (needs, stores);
    }

    /// The variable with a value's adjoint.
    pub(super) fn adjoint_of(&mut self, value: ValueId) -> LocalId {
        if let Some(local) = self.adjoints[value.index()] {
            return local;
        }
        let name = self.function.values[value].name.as_deref().unwrap_or("value");
        let ty = self.adjoint_type(value);
        let local = self.b.new_local(format!("d_{name}"), ty);
        self.adjoints[value.index()] = Some(local);
        local
    }

    /// The type of a value's adjoint.
    pub(super) fn adjoint_type(&mut self, value: ValueId) -> TypeId {
        matrices::adjoint_type(self.b.types_mut(), self.function.values[value].ty)
    }

    /// A value's adjoint.
    pub(super) fn adjoint(&mut self, value: ValueId) -> ValueId {
        let local = self.adjoint_of(value);
        self.b.load(Place::local(local))
    }

    /// Sets the adjoints of what instructions define to zero, not of what is defined in their blocks.
    pub(super) fn clear(&mut self, insts: &'s [InstId]) {
        let function = self.function;
        let results = insts.iter().flat_map(|id| function.insts[*id].results.iter().copied());
        self.clear_values(results.collect());
    }

    pub(super) fn clear_values(&mut self, values: Vec<ValueId>) {
        for value in values {
            if self.is_active(value) {
                let (local, ty) = (self.adjoint_of(value), self.adjoint_type(value));
                let nothing = rules::nothing(&mut self.b, ty);
                self.b.store(Place::local(local), nothing);
            }
        }
    }

    /// Adds to a value's adjoint.
    pub(super) fn give(&mut self, value: ValueId, share: ValueId) {
        if self.is_active(value) {
            self.give_member(value, &[], share);
        }
    }

    fn give_member(&mut self, value: ValueId, steps: &[u32], share: ValueId) {
        if self.is_active(value) {
            let mut place = Place::local(self.adjoint_of(value));
            steps.iter().for_each(|step| place.path.push(crate::ir::Step::Field(*step)));
            self.add_to(&place, share);
        }
    }

    fn load_member(&mut self, value: ValueId, steps: &[u32]) -> ValueId {
        let mut place = Place::local(self.adjoint_of(value));
        steps.iter().for_each(|step| place.path.push(crate::ir::Step::Field(*step)));
        self.b.load(place)
    }

    /// Adds the floats of a value to those of a place.
    pub(super) fn add_to(&mut self, place: &Place, share: ValueId) {
        let ty = self.b.value_type(share);
        match self.b.types().get(ty).clone() {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => {
                if scalar.is_float() {
                    let old = self.b.load(place.clone());
                    let new = self.b.op(Op::Add, &[old, share]);
                    self.b.store(place.clone(), new);
                }
            }
            Type::Array(..) | Type::Tuple(_) | Type::Struct(_) => {
                for field in 0..self.members(ty) {
                    let member = self.b.extract(share, &[field]);
                    let mut inner = place.clone();
                    inner.path.push(crate::ir::Step::Field(field));
                    self.add_to(&inner, member);
                }
            }
            Type::Coop(_) => {
                let old = self.b.load(place.clone());
                let new = self.b.coop(CoopOp::Add, &[old, share], ty);
                self.b.store(place.clone(), new);
            }
            Type::Unit => {}
        }
    }

    /// How many members a type has.
    pub(super) fn members(&self, ty: TypeId) -> u32 {
        match self.b.types().get(ty) {
            Type::Array(_, len) => len.known().unwrap_or(0),
            Type::Tuple(members) => members.len() as u32,
            Type::Struct(id) => self.b.types().struct_def(*id).fields.len() as u32,
            Type::Vector(_, lanes) => u32::from(*lanes),
            _ => 0,
        }
    }

    pub(super) fn location(&self, id: InstId) -> Option<SourceLocation> {
        self.function.insts[id].location
    }
}
