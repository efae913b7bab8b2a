//! Runs single instructions.

use super::coop;
use super::memory::Memory;
use super::settled;
use super::thread::{State, Thread};
use super::value::{apply, apply_to_scalars};
use super::{InterpretError, Trap, Value, linear};
use crate::arena::EntityId;
use crate::ir::{Builtin, Constant, Inst, InstKind, Module};

/// The context that all invocations of a run share.
pub(super) struct Context<'m> {
    pub(super) module: &'m Module,
    pub(super) params: &'m [Value],
    /// Lanes of a subgroup.
    pub(super) width: u32,
    /// Whether an invocation ends at its first trap.
    pub(super) leaves_at_traps: bool,
}

impl Context<'_> {
    /// Invocations of a workgroup along each axis.
    pub(super) fn workgroup(&self) -> [u32; 3] {
        self.module.kernel.as_ref().map_or([1; 3], |kernel| kernel.workgroup.map(settled))
    }
}

impl<'m> Thread<'m> {
    /// Runs the next instruction.
    pub(super) fn step(&mut self, cx: &Context<'m>, memory: &mut Memory) -> Result<(), InterpretError> {
        let frame = self.frame();
        let function = frame.function;
        let region = frame.regions.last_mut().expect("a running function is in a block");
        let id = function.blocks[region.block].insts[region.next];
        region.next += 1;
        frame.current = id;
        let inst = &function.insts[id];
        if self.control(cx, id, inst) {
            return Ok(());
        }
        match &inst.kind {
            InstKind::Store(place, value) => {
                let value = self.frame().value(*value).clone();
                if let Some(access) = memory.resolve(cx, self, place)? {
                    memory.write(cx, self, &access, value);
                }
            }
            InstKind::Atomic(atomic) => {
                let ty = inst.results.first().or(atomic.operands.first());
                let ty = self.frame().function.values[*ty.expect("a result or an operand")].ty;
                let old = self.atomic(cx, memory, atomic, ty)?;
                self.frame().define(&inst.results, vec![old]);
            }
            InstKind::Image(op, image, operands) => {
                let value = self.image(cx, memory, (*op, *image), operands)?;
                self.frame().define(&inst.results, value.into_iter().collect());
            }
            InstKind::Trap(site, operands) => {
                let operands = self.frame().words(operands);
                memory.traps.push(Trap { site: *site, operands });
            }
            InstKind::Print(site, words) => {
                let operands = self.frame().words(words);
                memory.prints.push(Trap { site: *site, operands });
            }
            InstKind::Panic(site, words) => {
                let operands = self.frame().words(words);
                memory.traps.push(Trap { site: *site, operands });
                return Err(InterpretError::Panicked);
            }
            InstKind::Unreachable => return Err(InterpretError::Undefined("`unreachable` was reached".to_owned())),
            InstKind::Barrier(scope) => self.state = State::AtBarrier(*scope),
            InstKind::Fence(_, order) => self.clock.fence(*order),
            InstKind::Subgroup(..) => self.state = State::AtSubgroup,
            InstKind::CoopStore(access, value) => {
                let (matrix, ty) = (self.frame().value(*value).clone(), self.frame().function.values[*value].ty);
                self.coop_store(cx, memory, access, (matrix, ty))?;
            }
            _ => {
                let value = self.compute(cx, memory, inst)?;
                self.frame().define_one(&inst.results, value);
            }
        }
        Ok(())
    }

    /// The result of an instruction that neither branches nor writes.
    fn compute(&mut self, cx: &Context<'m>, memory: &mut Memory, inst: &Inst) -> Result<Value, InterpretError> {
        let types = &cx.module.types;
        let frame = self.frame();
        let ty = frame.function.values[inst.results[0]].ty;
        Ok(match &inst.kind {
            InstKind::Const(Constant::Zero) => Value::zero(types, ty),
            InstKind::Const(constant) => Value::Scalar(*constant),
            InstKind::Op(op, operands) => {
                let scalar = types.element_scalar(ty);
                match frame.scalars(operands) {
                    Some(constants) => apply_to_scalars(*op, &constants[..operands.len()], scalar)?,
                    None => apply(*op, &frame.values(operands), scalar)?,
                }
            }
            InstKind::Compose(members) => Value::Composite(frame.values(members)),
            InstKind::Extract(composite, path) => frame.value(*composite).at(path).clone(),
            InstKind::Insert(composite, member, path) => {
                let mut composite = frame.value(*composite).clone();
                *composite.member(path) = frame.value(*member).clone();
                composite
            }
            InstKind::Coop(op, operands) => {
                let from: Vec<_> = operands.iter().map(|operand| frame.function.values[*operand].ty).collect();
                coop::compute(types, *op, &frame.values(operands), &from, ty)?
            }
            InstKind::CoopLoad(access) => self.coop_load(cx, memory, access, ty)?,
            InstKind::Param(param) => cx.params[param.index()].clone(),
            // It knows nothing of launches.
            InstKind::Proven(_) | InstKind::ForgetsResults => Value::Scalar(Constant::Bool(false)),
            InstKind::Builtin(builtin) => self.builtin(cx, *builtin),
            InstKind::Len(buffer) => Value::u32(memory.len(*buffer)),
            InstKind::MemberLen(list, member) => {
                Value::u32(memory.member(*list, frame.value(*member).bits()).len() as u32)
            }
            InstKind::Load(place) if place.is_joined() => self.load_joined(cx, memory, (place, ty))?,
            InstKind::Load(place) => match memory.resolve(cx, self, place)? {
                Some(access) => memory.read(cx, self, &access),
                None => Value::zero(types, ty),
            },
            other => unreachable!("{other:?} is run elsewhere"),
        })
    }

    fn builtin(&self, cx: &Context<'_>, builtin: Builtin) -> Value {
        let ids = &self.ids;
        let invocations: u32 = cx.workgroup().iter().product();
        match builtin {
            Builtin::GlobalId => Value::uvec3(ids.global_id),
            Builtin::LocalId => Value::uvec3(ids.local_id),
            Builtin::WorkgroupId => Value::uvec3(ids.workgroup_id),
            Builtin::NumWorkgroups => Value::uvec3(ids.num_workgroups),
            Builtin::WorkgroupSize => Value::uvec3(cx.workgroup()),
            Builtin::LocalIndex => Value::u32(linear(ids.local_id, cx.workgroup())),
            Builtin::SubgroupSize => Value::u32(cx.width),
            Builtin::SubgroupId => Value::u32(self.local_index / cx.width),
            Builtin::SubgroupLocalId => Value::u32(self.lane),
            Builtin::NumSubgroups => Value::u32(invocations.div_ceil(cx.width)),
        }
    }
}
