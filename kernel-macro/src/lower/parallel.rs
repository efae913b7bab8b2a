//! The lowering of cooperation between invocations: shared variables, atomics, barriers, subgroup operations.

use gridwise_ir::builder::ModuleBuilder;
use gridwise_ir::ir::{Atomic, AtomicOp, Order, Place, Root, Scope, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, TypeId};

use super::function::{FnCx, Slot};
use super::variant::{ERR, OK};
use super::{Shared, function_of};
use crate::ast::{Expr, ExprKind, Pattern, ScalarName, Statement};
use crate::program::ItemId;
use crate::typed::{Callee, Len, Ty};

/// Declares the kernel's shared variables: its closures, which come first, may name them.
pub(super) fn declare_shared(module: &mut ModuleBuilder, shared: &mut Shared<'_>, kernel: ItemId) {
    let (ast, typed) = function_of(shared.program, kernel);
    for statement in &ast.body.statements {
        let Statement::Let { pattern: Pattern::Binding { name, binding, .. }, .. } = statement else { continue };
        if let Ty::Shared(held) = typed.binding(*binding)
            && let Some(ty) = shared_type(shared, module, held)
        {
            let id = module.shared(name.to_string(), ty);
            shared.memory.insert(*binding, Slot::Shared(id));
        }
    }
}

/// The type of a shared variable. Atomics of less than a word have a word each there.
fn shared_type(shared: &mut Shared<'_>, module: &mut ModuleBuilder, held: &Ty) -> Option<TypeId> {
    match held {
        Ty::Array(element, len) if *len != Len::Known(0) => {
            let element = shared_type(shared, module, element)?;
            Some(module.types_mut().array(element, super::types::size(*len)))
        }
        Ty::Atomic(scalar) if scalar.bits() < 32 => Some(module.types_mut().scalar(Scalar::U32)),
        _ => shared.types.lower(module.types_mut(), held),
    }
}

impl FnCx<'_, '_, '_> {
    /// `let name = Shared::new();`; whether it was that.
    pub(super) fn lower_shared_let(&mut self, pattern: &Pattern, value: Option<&Expr>) -> bool {
        let Some(ExprKind::NewShared { .. }) = value.map(|value| &value.kind) else { return false };
        if let Pattern::Binding { binding, .. } = pattern
            && let Some(slot) = self.shared.memory.get(binding).copied()
        {
            self.set_slot(*binding, slot);
        }
        true
    }

    /// `barrier()`, `workgroup_uniform(…)`, `fence(…)`, `subgroup::…(…)`.
    pub(super) fn lower_parallel_call(&mut self, expr: &Expr, callee: Callee, args: &[&Expr]) -> Option<ValueId> {
        match callee {
            Callee::Barrier => {
                self.shared.barriers.push((self.location_of(expr), expr.span));
                self.b.barrier(Scope::Workgroup);
                None
            }
            Callee::SubgroupBarrier => {
                self.shared.barriers.push((self.location_of(expr), expr.span));
                self.b.barrier(Scope::Subgroup);
                None
            }
            Callee::Uniform => {
                let value = self.lower_expr(args.first()?)?;
                Some(self.b.op(Op::Uniform, &[value]))
            }
            Callee::Detach => {
                let value = self.lower_expr(args.first()?)?;
                Some(self.detached(value))
            }
            Callee::WithSlope => {
                let values = self.lower_args(args)?;
                Some(self.with_slope(values[0], values[1], values[2]))
            }
            Callee::Fence(scope, order) => {
                self.b.fence(scope, order);
                None
            }
            Callee::Subgroup(op) => {
                // Arguments that follow are constants, and part of the operation.
                let operands = self.lower_args(&args[..op.arity()])?;
                Some(self.b.subgroup(op, &operands))
            }
            _ => None,
        }
    }

    /// Reads an atomic cell for the sake of its checks.
    pub(super) fn look_at_cell(&mut self, place: Place, scalar: ScalarName) {
        let scope = if let Root::Shared(_) = place.root { Scope::Workgroup } else { Scope::Device };
        if let Some(value) = self.ty(&Ty::Scalar(scalar)) {
            let operands = [].as_slice().into();
            self.b.atomic(Atomic { op: AtomicOp::Load, place, operands, order: Order::Relaxed, scope }, value);
        }
    }

    /// A method of an atomic: the place first, then the values, as Rust evaluates them.
    pub(super) fn lower_atomic(&mut self, expr: &Expr, op: AtomicOp, order: Order, args: &[&Expr]) -> Option<ValueId> {
        let (receiver, args) = args.split_first()?;
        let Ty::Atomic(scalar) = *self.ty_of(receiver) else { return None };
        let spot = self.lower_spot(receiver)?;
        let operands = self.lower_args(&args[..op.arity()])?;
        let place = self.in_place(spot);
        let scope = if let Root::Shared(_) = place.root { Scope::Workgroup } else { Scope::Device };
        let value = self.ty(&Ty::Scalar(scalar))?;
        let expected = operands.first().copied();
        let old = self.b.atomic(Atomic { op, place, operands: operands.into(), order, scope }, value)?;
        match self.ty_of(expr) {
            // `Ok` when the bits were the expected ones.
            result @ Ty::Result(..) => {
                let word = super::types::scalar(scalar.unsigned());
                let bits = [old, expected?].map(|value| self.bitcast(value, word));
                let is_replaced = self.b.op(Op::Eq, &bits);
                let ok = self.make_variant(result, OK, &[Some(old)])?;
                let err = self.make_variant(result, ERR, &[Some(old)])?;
                Some(self.select(is_replaced, ok, err))
            }
            _ => Some(old),
        }
    }
}

/// The type of an atomic's cell: floats are kept as their bits.
pub(super) const fn cell_of(scalar: ScalarName) -> ScalarName {
    match scalar {
        ScalarName::F16 => ScalarName::U16,
        ScalarName::F32 => ScalarName::U32,
        ScalarName::F64 => ScalarName::U64,
        other => other,
    }
}
