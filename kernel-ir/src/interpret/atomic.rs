//! Atomic accesses.

use super::finding::Kind;
use super::memory::Memory;
use super::shadow::Effect;
use super::step::Context;
use super::thread::Thread;
use super::value::apply;
use super::{InterpretError, Value};
use crate::ir::{Atomic, AtomicOp};
use crate::op::Op;
use crate::types::TypeId;

impl<'m> Thread<'m> {
    /// Runs an atomic access of values of this type and gives the old one, zero where a check failed.
    pub(super) fn atomic(
        &mut self,
        cx: &Context<'m>,
        memory: &mut Memory,
        atomic: &Atomic,
        ty: TypeId,
    ) -> Result<Value, InterpretError> {
        let zero = Value::zero(&cx.module.types, ty);
        let Some(access) = memory.resolve(cx, self, &atomic.place)? else { return Ok(zero) };
        let operands = self.frame().values(&atomic.operands);
        let cell = memory.cell(self, &access).clone();
        // A float lies in its cell as bits.
        let old = cell.with_bits_as(&zero);
        let fold = |op| apply(op, &[old.clone(), operands[0].clone()], cx.module.types.element_scalar(ty)).map(Some);
        let new = match atomic.op {
            AtomicOp::Load => None,
            AtomicOp::Store | AtomicOp::Exchange => Some(operands[0].clone()),
            AtomicOp::CompareExchange(_) => {
                let is_equal = operands[0].with_bits_as(&cell) == cell;
                is_equal.then(|| operands[1].clone())
            }
            AtomicOp::Add => fold(Op::Add)?,
            AtomicOp::Sub => fold(Op::Sub)?,
            AtomicOp::And => fold(Op::And)?,
            AtomicOp::Or => fold(Op::Or)?,
            AtomicOp::Xor => fold(Op::Xor)?,
            AtomicOp::Min => fold(Op::Min)?,
            AtomicOp::Max => fold(Op::Max)?,
        };
        let order = match atomic.op {
            AtomicOp::CompareExchange(failure) if new.is_none() => failure,
            _ => atomic.order,
        };
        if let Some(shadow) = &mut memory.shadow {
            let kind = if new.is_some() { Kind::AtomicWrite } else { Kind::AtomicRead };
            shadow.access(cx.module, self, &access, kind);
            let (reads, writes) = (atomic.op.reads(), new.is_some());
            shadow.synchronise(self, &access, Effect { reads, writes, order, scope: atomic.scope });
        }
        if let Some(new) = new {
            *memory.cell(self, &access) = new.with_bits_as(&cell);
        }
        Ok(old)
    }
}
