//! The cooperation of a kernel's invocations, found in its code: barriers, waits, and the floats they add to. It
//! changes nothing.

use crate::arena::EntityId;
use crate::ir::{AtomicOp, BlockId, Function, FunctionId, Inst, InstKind, Module, Root};
use crate::types::{Scalar, Type};

/// Whether any function that the kernel reaches waits for other invocations, or shares memory with them.
pub fn needs_full_workgroups(module: &Module) -> bool {
    let Some(kernel) = &module.kernel else { return false };
    let mut reached = vec![false; module.functions.len()];
    reached[kernel.function.index()] = true;
    // Callees stand before callers.
    for (id, function) in module.functions.iter().rev().filter(|(id, _)| *id <= kernel.function) {
        let is_together = |kind: &InstKind| {
            kind.needs_full_workgroup() || kind.place().is_some_and(|place| matches!(place.root, Root::Shared(_)))
        };
        let is_told = |kind: &InstKind| matches!(kind, InstKind::Call(..)) || is_together(kind);
        // Most functions have nothing of it, which takes no walk.
        if !reached[id.index()] || !function.insts.iter().any(|(_, inst)| is_told(&inst.kind)) {
            continue;
        }
        let mut found = false;
        for_each_inst(function, function.entry, &mut |inst| {
            if let InstKind::Call(callee, _) = inst.kind {
                reached[FunctionId::index(callee)] = true;
            }
            found |= is_together(&inst.kind);
        });
        if found {
            return true;
        }
    }
    false
}

/// Scalars whose atomics lie in memory as what they are, and not as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NativeFloats {
    /// `f32`.
    pub f32: bool,
    /// `f64`.
    pub f64: bool,
}

impl NativeFloats {
    /// None at all.
    pub const NONE: Self = Self { f32: false, f64: false };

    /// Whether atomics of `scalar` are among them.
    pub fn holds(self, scalar: Scalar) -> bool {
        self.f32 && scalar == Scalar::F32 || self.f64 && scalar == Scalar::F64
    }
}

/// The floats that a module adds to atomically, as far as it does nothing with them that takes their bits.
pub fn native_floats(module: &Module) -> NativeFloats {
    let (mut added, mut refused) = (NativeFloats::NONE, NativeFloats::NONE);
    for (_, function) in module.functions.iter() {
        for_each_inst(function, function.entry, &mut |inst| {
            let InstKind::Atomic(atomic) = &inst.kind else { return };
            let Some(value) = inst.results.first().or(atomic.operands.first()) else { return };
            let note = |set: &mut NativeFloats| match module.types.get(function.values[*value].ty) {
                Type::Scalar(Scalar::F32) => set.f32 = true,
                Type::Scalar(Scalar::F64) => set.f64 = true,
                _ => {}
            };
            match atomic.op {
                AtomicOp::Add | AtomicOp::Sub => note(&mut added),
                op if !op.is_of_floats() => note(&mut refused),
                _ => {}
            }
        });
    }
    NativeFloats { f32: added.f32 && !refused.f32, f64: added.f64 && !refused.f64 }
}

fn for_each_inst(function: &Function, block: BlockId, visit: &mut impl FnMut(&Inst)) {
    for id in &function.blocks[block].insts {
        let inst = &function.insts[*id];
        visit(inst);
        inst.kind.blocks().into_iter().for_each(|nested| for_each_inst(function, nested, visit));
    }
}
