//! Runs blocks and instructions.

use super::value::apply;
use super::{Frame, InterpretError, Trap, Value, run_function};
use crate::arena::EntityId;
use crate::ir::{BlockId, Builtin, Constant, Inst, InstKind, Place, Root, SiteId, Step, ValueId};

/// How a block ended.
#[derive(Debug)]
pub(super) enum Flow {
    Yield(Vec<Value>),
    Break(BlockId, Vec<Value>),
    Continue(BlockId, Vec<Value>),
    Return(Option<Value>),
}

impl Frame<'_> {
    pub(super) fn block(&mut self, block: BlockId) -> Result<Flow, InterpretError> {
        let function = self.function;
        for id in &function.blocks[block].insts {
            self.world.fuel = self.world.fuel.checked_sub(1).ok_or(InterpretError::OutOfFuel)?;
            if let Some(flow) = self.inst(&function.insts[*id])? {
                return Ok(flow);
            }
        }
        unreachable!("a block ends with a terminator")
    }

    /// Runs an instruction; a flow when the block ends with it.
    fn inst(&mut self, inst: &Inst) -> Result<Option<Flow>, InterpretError> {
        match &inst.kind {
            InstKind::Yield(values) => return Ok(Some(Flow::Yield(self.values(values)))),
            InstKind::Break(target, values) => return Ok(Some(Flow::Break(*target, self.values(values)))),
            InstKind::Continue(target, values) => return Ok(Some(Flow::Continue(*target, self.values(values)))),
            InstKind::Return(value) => return Ok(Some(Flow::Return(value.map(|value| self.value(value).clone())))),
            InstKind::Panic(site, words) => {
                let operands = self.words(words);
                self.world.traps.push(Trap { site: *site, operands });
                return Err(InterpretError::Panicked);
            }
            InstKind::Unreachable => return Err(InterpretError::Undefined("`unreachable` was reached".to_owned())),
            InstKind::If { condition, then_block, else_block } => {
                let taken = if self.value(*condition).is_true() { *then_block } else { *else_block };
                return self.branch(inst, taken);
            }
            InstKind::Switch { selector, cases, default } => {
                let selector = self.value(*selector).bits();
                let taken = cases.iter().find(|(bits, _)| *bits == selector).map_or(*default, |(_, block)| *block);
                return self.branch(inst, taken);
            }
            InstKind::Loop { initial, body } => return self.run_loop(inst, initial, *body),
            InstKind::Store(place, value) => self.store(place, *value)?,
            InstKind::Trap(site, operands) => {
                let operands = self.words(operands);
                self.world.traps.push(Trap { site: *site, operands });
            }
            InstKind::Print(site, words) => {
                let operands = self.words(words);
                self.world.prints.push(Trap { site: *site, operands });
            }
            InstKind::Call(callee, arguments) => {
                let arguments = self.values(arguments);
                let result = run_function(self.module, *callee, &arguments, self.world)?;
                self.define(&inst.results, result.into_iter().collect());
            }
            _ => {
                let value = self.compute(inst)?;
                self.define(&inst.results, vec![value]);
            }
        }
        Ok(None)
    }

    fn words(&self, values: &[ValueId]) -> Vec<u32> {
        values.iter().map(|value| self.value(*value).bits()).collect()
    }

    fn define(&mut self, results: &[ValueId], values: Vec<Value>) {
        for (result, value) in results.iter().zip(values) {
            self.values[*result] = Some(value);
        }
    }

    fn branch(&mut self, inst: &Inst, taken: BlockId) -> Result<Option<Flow>, InterpretError> {
        match self.block(taken)? {
            Flow::Yield(values) => {
                self.define(&inst.results, values);
                Ok(None)
            }
            flow => Ok(Some(flow)),
        }
    }

    fn run_loop(&mut self, inst: &Inst, initial: &[ValueId], body: BlockId) -> Result<Option<Flow>, InterpretError> {
        let mut carried = self.values(initial);
        loop {
            self.define(&self.function.blocks[body].params, carried);
            match self.block(body)? {
                Flow::Break(target, values) if target == body => {
                    self.define(&inst.results, values);
                    return Ok(None);
                }
                Flow::Continue(target, values) if target == body => carried = values,
                flow => return Ok(Some(flow)),
            }
        }
    }

    /// The result of an instruction that neither branches nor writes.
    fn compute(&mut self, inst: &Inst) -> Result<Value, InterpretError> {
        let ty = self.function.values[inst.results[0]].ty;
        let types = &self.module.types;
        Ok(match &inst.kind {
            InstKind::Const(Constant::Zero) => Value::zero(types, ty),
            InstKind::Const(constant) => Value::Scalar(*constant),
            InstKind::Op(op, operands) => apply(*op, &self.values(operands), types.element_scalar(ty))?,
            InstKind::Compose(members) => Value::Composite(self.values(members)),
            InstKind::Extract(composite, path) => self.value(*composite).clone().member(path).clone(),
            InstKind::Insert(composite, member, path) => {
                let mut composite = self.value(*composite).clone();
                *composite.member(path) = self.value(*member).clone();
                composite
            }
            InstKind::Param(param) => self.world.params[param.index()].clone(),
            InstKind::Builtin(builtin) => {
                let invocation = &self.world.invocation;
                Value::uvec3(match builtin {
                    Builtin::GlobalId => invocation.global_id,
                    Builtin::LocalId => invocation.local_id,
                    Builtin::WorkgroupId => invocation.workgroup_id,
                    Builtin::NumWorkgroups => invocation.num_workgroups,
                    other => unreachable!("one invocation alone has no {}", other.name()),
                })
            }
            InstKind::Len(buffer) => {
                let len = self.world.buffers[buffer.index()].len();
                Value::Scalar(Constant::U32(u32::try_from(len).expect("buffers are small")))
            }
            InstKind::Load(place) => match self.resolve(place)? {
                Some(path) => self.cell(place.root, &path).clone(),
                None => Value::zero(types, ty),
            },
            other => unreachable!("{other:?} is run elsewhere"),
        })
    }

    fn store(&mut self, place: &Place, value: ValueId) -> Result<(), InterpretError> {
        let value = self.value(value).clone();
        if let Some(path) = self.resolve(place)? {
            *self.cell(place.root, &path) = value;
        }
        Ok(())
    }

    /// The steps of a place as numbers; `None` after a failed check, which has been recorded.
    fn resolve(&mut self, place: &Place) -> Result<Option<Vec<u32>>, InterpretError> {
        let mut path = Vec::new();
        for step in &place.path {
            match *step {
                Step::Field(index) => path.push(index),
                Step::Index { value, check } => {
                    let (index, len) = (self.value(value).bits(), self.len_at(place.root, &path));
                    if index >= len {
                        return self.out_of_range(check, index, len).map(|()| None);
                    }
                    path.push(index);
                }
            }
        }
        Ok(Some(path))
    }

    fn out_of_range(&mut self, check: Option<SiteId>, index: u32, len: u32) -> Result<(), InterpretError> {
        match check {
            Some(site) => {
                self.world.traps.push(Trap { site, operands: vec![index, len] });
                Ok(())
            }
            None => Err(InterpretError::Undefined(format!("unchecked index {index} of {len}"))),
        }
    }

    fn len_at(&mut self, root: Root, path: &[u32]) -> u32 {
        let len = match (root, path) {
            (Root::Buffer(buffer), []) => self.world.buffers[buffer.index()].len(),
            _ => self.cell(root, path).members().len(),
        };
        u32::try_from(len).expect("memory is small")
    }

    fn cell(&mut self, root: Root, path: &[u32]) -> &mut Value {
        match (root, path) {
            (Root::Local(local), path) => self.local(local).member(path),
            (Root::Buffer(buffer), [first, rest @ ..]) => {
                self.world.buffers[buffer.index()][*first as usize].member(rest)
            }
            (Root::Buffer(_), []) => unreachable!("a place in a buffer begins with an index"),
            (Root::Shared(_), _) => unreachable!("one invocation alone has no workgroup"),
        }
    }
}
