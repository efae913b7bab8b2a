//! Forward mode: what a kernel computes from its parameters by value, and beside it how that changes along a direction.

use crate::arena::{Arena, EntityId};
use crate::builder::FunctionBuilder;
use crate::ir::{
    BlockId, Buffer, BufferId, Function, Inst, InstId, InstKind, LocalId, Module, ParamId, Place, PushParam, Root,
    Step, SubgroupOp, ValueId,
};
use crate::op::Op;
use crate::types::TypeId;

use super::activity::{Activity, By};
use super::normal::empty_like;
use super::refusal::{Refusal, Refused};
use super::shadows::{has_adjoint, name_of};
use super::{rules, subgroups};

/// A kernel that computes values and their change along a direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Forward {
    /// The kernel's module.
    pub module: Module,
    /// By parameter of the kernel that was derived: that with its part of the direction.
    pub directions: Vec<Option<ParamId>>,
    /// By buffer of the kernel that was derived: that with the change of its elements.
    pub changes: Vec<Option<BufferId>>,
}

/// Derives a kernel in normal form.
pub(super) fn derive(source: &Module, by: &By) -> Result<Forward, Refusal> {
    let kernel = source.kernel.as_ref().expect("a kernel is derived");
    let function = &source.functions[kernel.function];
    let activity = Activity::of(source, function, by);
    let mut module = Module { functions: Arena::new(), ..source.clone() };
    let names = |name: &str| {
        let mut name = format!("d_{name}");
        while kernel.params.iter().any(|(_, param)| param.name == name)
            || kernel.buffers.iter().any(|(_, buffer)| buffer.name == name)
        {
            name.insert(0, 'd');
        }
        name
    };
    let mut directions = vec![None; kernel.params.len()];
    let mut changes = vec![None; kernel.buffers.len()];
    let to = module.kernel.as_mut().expect("a kernel is derived");
    to.obligations.clear();
    for param in &by.params {
        let PushParam { name, ty, .. } = &kernel.params[*param];
        if !has_adjoint(&source.types, *ty) {
            let ty = name_of(&source.types, *ty);
            let refused = Refused::Argument { name: name.clone(), ty, is_part: false };
            return Err(Refusal { location: None, refused });
        }
        let direction = PushParam { name: names(name), ..kernel.params[*param].clone() };
        directions[param.index()] = Some(to.params.push(direction));
    }
    for (id, buffer) in kernel.buffers.iter().filter(|(_, buffer)| buffer.writable) {
        changes[id.index()] = Some(to.buffers.push(Buffer { name: names(&buffer.name), ..buffer.clone() }));
    }
    let mut b = FunctionBuilder::new(&mut module, empty_like(function), true);
    let locals = function.locals.iter().map(|(_, local)| b.new_local(local.name.clone(), local.ty)).collect();
    let changed = function
        .locals
        .iter()
        .map(|(id, local)| activity.is_active_local(id).then(|| b.new_local(format!("d_{}", local.name), local.ty)))
        .collect();
    let mut run = Run {
        source,
        function,
        activity: &activity,
        has_values: by.has_values,
        directions: &directions,
        changes: &changes,
        locals,
        changed,
        env: vec![None; function.values.len()],
        tangents: vec![None; function.values.len()],
        loops: Vec::new(),
        b,
    };
    run.block(function.entry, &[])?;
    run.b.finish();
    Ok(Forward { module, directions, changes })
}

/// A loop around: its body in the source and in the derived kernel, and its results.
#[derive(Clone, Copy)]
struct Around<'s> {
    body: BlockId,
    new: BlockId,
    results: &'s [ValueId],
}

struct Run<'s, 'm> {
    source: &'s Module,
    function: &'s Function,
    activity: &'s Activity,
    has_values: bool,
    directions: &'s [Option<ParamId>],
    changes: &'s [Option<BufferId>],
    /// By variable of the source: the one that takes its place.
    locals: Vec<LocalId>,
    /// By variable of the source: the one with its change.
    changed: Vec<Option<LocalId>>,
    env: Vec<Option<ValueId>>,
    /// By value of the source: its change, if it is not zero.
    tangents: Vec<Option<ValueId>>,
    loops: Vec<Around<'s>>,
    b: FunctionBuilder<'m>,
}

impl<'s> Run<'s, '_> {
    fn get(&self, value: ValueId) -> ValueId {
        self.env[value.index()].expect("values come before their uses")
    }

    fn all(&self, values: &[ValueId]) -> Vec<ValueId> {
        values.iter().map(|value| self.get(*value)).collect()
    }

    fn ty(&self, value: ValueId) -> TypeId {
        self.function.values[value].ty
    }

    fn bind(&mut self, from: ValueId, to: ValueId) {
        self.env[from.index()] = Some(to);
        if let Some(name) = self.function.values[from].name.clone() {
            self.b.set_name(to, &name);
        }
    }

    /// The change of a value.
    fn tangent(&mut self, value: ValueId) -> ValueId {
        match self.tangents[value.index()] {
            Some(known) => known,
            None => rules::zero(&mut self.b, self.function.values[value].ty),
        }
    }

    /// Values, and behind them the changes of those whose target is active.
    fn carried(&mut self, values: &[ValueId], targets: &[ValueId]) -> Vec<ValueId> {
        let mut carried = self.all(values);
        for (value, target) in values.iter().zip(targets) {
            if self.activity.is_active(*target) {
                carried.push(self.tangent(*value));
            }
        }
        carried
    }

    /// The types of values, and behind them those of the changes.
    fn carried_types(&self, values: &[ValueId]) -> Vec<TypeId> {
        let active = values.iter().filter(|value| self.activity.is_active(**value));
        values.iter().chain(active).map(|value| self.ty(*value)).collect()
    }

    /// Binds values and their changes.
    fn bind_carried(&mut self, values: &[ValueId], new: &[ValueId]) {
        let (plain, changes) = new.split_at(values.len());
        values.iter().zip(plain).for_each(|(value, new)| self.bind(*value, *new));
        let active = values.iter().filter(|value| self.activity.is_active(**value));
        for (value, change) in active.zip(changes) {
            self.tangents[value.index()] = Some(*change);
        }
    }

    fn place(&self, place: &Place, root: Root) -> Place {
        let step = |step: &Step| match *step {
            Step::Index { value, check } => Step::Index { value: self.get(value), check },
            other => other,
        };
        let path: Vec<_> = place.path.iter().map(step).collect();
        Place { root, path: path.as_slice().into(), is_unordered: place.is_unordered }
    }

    /// The root that takes the place of one of the source, and that with its change.
    fn roots(&self, root: Root) -> (Root, Option<Root>) {
        match root {
            Root::Local(local) => {
                (Root::Local(self.locals[local.index()]), self.changed[local.index()].map(Root::Local))
            }
            Root::Buffer(buffer) => (root, self.changes[buffer.index()].map(Root::Buffer)),
            Root::Member(list, member) => (Root::Member(list, self.get(member)), None),
            Root::Shared(_) => (root, None),
        }
    }

    /// Fills a block as one of the source; `results`: those of the branch that owns it.
    fn fill(&mut self, new: BlockId, block: BlockId, results: &'s [ValueId]) -> Result<(), Refusal> {
        let parent = self.b.switch_to(new);
        let done = self.block(block, results);
        self.b.switch_to(parent);
        done
    }

    fn arm(&mut self, block: BlockId, results: &'s [ValueId]) -> Result<BlockId, Refusal> {
        let new = self.b.new_block();
        self.fill(new, block, results)?;
        Ok(new)
    }

    fn block(&mut self, block: BlockId, results: &'s [ValueId]) -> Result<(), Refusal> {
        let function = self.function;
        function.blocks[block].insts.iter().try_for_each(|id| self.inst(*id, results))
    }

    fn inst(&mut self, id: InstId, branch: &'s [ValueId]) -> Result<(), Refusal> {
        let inst = &self.function.insts[id];
        self.b.set_location(inst.location);
        match &inst.kind {
            InstKind::If { condition, then_block, else_block } => {
                let blocks = (self.arm(*then_block, &inst.results)?, self.arm(*else_block, &inst.results)?);
                let (condition, types) = (self.get(*condition), self.carried_types(&inst.results));
                let results = self.b.push_if(condition, blocks.0, blocks.1, &types);
                self.bind_carried(&inst.results, &results);
            }
            InstKind::Switch { selector, cases, default } => {
                let mut new = Vec::new();
                for (bits, block) in cases {
                    new.push((*bits, self.arm(*block, &inst.results)?));
                }
                let default = self.arm(*default, &inst.results)?;
                let (selector, types) = (self.get(*selector), self.carried_types(&inst.results));
                let results = self.b.push_switch(selector, &new, default, &types);
                self.bind_carried(&inst.results, &results);
            }
            InstKind::Loop { initial, body, .. } => {
                let params = &self.function.blocks[*body].params;
                let initial = self.carried(initial, params);
                let types = self.carried_types(params);
                let new = self.b.new_loop_body(&types);
                let received = self.b.block_params(new).to_vec();
                self.bind_carried(params, &received);
                self.loops.push(Around { body: *body, new, results: &inst.results });
                self.fill(new, *body, &[])?;
                self.loops.pop();
                let types = self.carried_types(&inst.results);
                let results = self.b.push_loop(new, &initial, &types);
                self.bind_carried(&inst.results, &results);
            }
            InstKind::Yield(values) => {
                let values = self.carried(values, branch);
                self.b.yield_(&values);
            }
            InstKind::Break(target, values) | InstKind::Continue(target, values) => {
                let around = *self.loops.iter().rev().find(|around| around.body == *target).expect("loops are around");
                if matches!(inst.kind, InstKind::Break(..)) {
                    let values = self.carried(values, around.results);
                    self.b.break_(around.new, &values);
                } else {
                    let values = self.carried(values, &self.function.blocks[around.body].params);
                    self.b.continue_(around.new, &values);
                }
            }
            // The function itself prints.
            InstKind::Print(..) => {}
            _ => {
                self.plain(inst)?;
                self.change(inst)?;
            }
        }
        Ok(())
    }

    /// The instruction of the source, as it is.
    fn plain(&mut self, inst: &'s Inst) -> Result<(), Refusal> {
        if let InstKind::Op(Op::Slope, operands) = &inst.kind {
            let value = self.get(operands[0]);
            self.bind(inst.results[0], value);
            return Ok(());
        }
        let mut kind = inst.kind.clone();
        match &inst.kind {
            InstKind::Store(Place { root: Root::Buffer(_), .. }, _) if self.has_values => return Ok(()),
            InstKind::Load(place) => kind = InstKind::Load(self.place(place, self.roots(place.root).0)),
            InstKind::Store(place, value) => {
                kind = InstKind::Store(self.place(place, self.roots(place.root).0), self.get(*value));
            }
            _ => kind.map_uses(|value| self.get(value)),
        }
        let types: Vec<_> = inst.results.iter().map(|result| self.ty(*result)).collect();
        let results = self.b.append(kind, &types);
        inst.results.iter().zip(results.iter()).for_each(|(from, to)| self.bind(*from, *to));
        Ok(())
    }

    /// The change of what it does.
    fn change(&mut self, inst: &'s Inst) -> Result<(), Refusal> {
        let is_active = inst.results.iter().any(|result| self.activity.is_active(*result));
        let mut is_used = false;
        inst.kind.for_each_use(|value| is_used |= self.activity.is_varied(value));
        let refuse = |refused| Err(Refusal { location: inst.location, refused });
        let change = match &inst.kind {
            InstKind::Store(place, value) => {
                if let (_, Some(root)) = self.roots(place.root) {
                    let (place, change) = (self.place(place, root), self.tangent(*value));
                    self.b.store(place, change);
                } else if self.activity.is_active(*value) {
                    return refuse(self.refused_root(place.root));
                }
                return Ok(());
            }
            InstKind::Image(..) | InstKind::CoopStore(..) if is_used => return refuse(Refused::Image),
            InstKind::Atomic(_) if is_used => return refuse(Refused::Atomic),
            _ if !is_active => return Ok(()),
            InstKind::Op(op, operands) => self.change_of_op(inst, *op, operands)?,
            InstKind::Compose(members) => {
                let members: Vec<_> = members.iter().map(|member| self.tangent(*member)).collect();
                self.b.compose(self.ty(inst.results[0]), &members)
            }
            InstKind::Extract(of, steps) => {
                let of = self.tangent(*of);
                self.b.extract(of, steps)
            }
            InstKind::Insert(of, member, steps) => {
                let (of, member) = (self.tangent(*of), self.tangent(*member));
                self.b.insert(of, member, steps)
            }
            InstKind::Param(param) => match self.directions[param.index()] {
                Some(direction) => self.b.param(direction),
                None => return Ok(()),
            },
            InstKind::Load(place) => match self.roots(place.root) {
                (_, Some(root)) => {
                    let place = self.place(place, root);
                    self.b.load(place)
                }
                _ => return refuse(self.refused_root(place.root)),
            },
            InstKind::Subgroup(op, operands) => self.change_of_lanes(inst, *op, operands)?,
            InstKind::Call(..) => return refuse(Refused::TooLarge),
            _ => return refuse(Refused::Matrix),
        };
        self.tangents[inst.results[0].index()] = Some(change);
        Ok(())
    }

    fn refused_root(&self, root: Root) -> Refused {
        match (root, &self.source.kernel) {
            (Root::Shared(shared), Some(kernel)) => Refused::SharedAtomic { name: kernel.shared[shared].name.clone() },
            _ => Refused::List,
        }
    }

    fn change_of_op(&mut self, inst: &Inst, op: Op, operands: &[ValueId]) -> Result<ValueId, Refusal> {
        let result = inst.results[0];
        let is_float = |value| self.source.types.element_scalar(self.ty(value)).is_none_or(|scalar| scalar.is_float());
        if op == Op::Bitcast || !is_float(result) {
            return Err(Refusal { location: inst.location, refused: Refused::Bits });
        }
        if op == Op::Select {
            let condition = self.get(operands[0]);
            let (yes, no) = (self.tangent(operands[1]), self.tangent(operands[2]));
            return Ok(self.b.op(Op::Select, &[condition, yes, no]));
        }
        let mut sum = None;
        for (at, operand) in operands.iter().enumerate() {
            let Some(change) = self.tangents[operand.index()] else { continue };
            let ty = self.ty(result);
            let (env, values) = (&self.env, operands);
            let get = |value: ValueId| env[value.index()].expect("values come before their uses");
            let share = match op {
                Op::Cast => Some(self.b.cast(change, ty)),
                _ => rules::share(&mut self.b, op, at, change, &|at| get(values[at]), &|| get(result), ty),
            };
            sum = match (sum, share) {
                (Some(sum), Some(share)) => Some(self.b.op(Op::Add, &[sum, share])),
                (sum, share) => sum.or(share),
            };
        }
        Ok(match sum {
            Some(sum) => sum,
            None => rules::zero(&mut self.b, self.function.values[result].ty),
        })
    }

    /// Sums and moves between lanes are linear; which lane has the least is not changed by a step.
    fn change_of_lanes(&mut self, inst: &Inst, op: SubgroupOp, operands: &[ValueId]) -> Result<ValueId, Refusal> {
        let is_linear = subgroups::is_linear(op);
        if !is_linear {
            return Err(Refusal { location: inst.location, refused: Refused::Subgroup });
        }
        let mut moved = self.all(operands);
        moved[0] = self.tangent(operands[0]);
        Ok(self.b.append(InstKind::Subgroup(op, moved.as_slice().into()), &[self.ty(inst.results[0])])[0])
    }
}
