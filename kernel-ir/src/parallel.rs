//! What a kernel's code says about its invocations together: who waits for whom, and which shared variables are written
//! before anything is read. It changes nothing.

use crate::arena::EntityId;
use crate::ir::{
    AtomicOp, BlockId, Builtin, Constant, Function, FunctionId, Inst, InstId, InstKind, Kernel, Module, Place, Root,
    Scope, SharedId, Step, ValueId,
};
use crate::op::Op;
use crate::types::{Scalar, Size, Type, TypeId};

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

/// Whether all of a shared variable is written, each cell by one invocation, and a barrier passed, before anything else
/// touches it. Then nothing reads what it holds when the workgroup starts.
///
/// That is so where the innermost block that holds all accesses begins with a store by the invocation's position, which a
/// barrier of the same block follows: all invocations reach that barrier, so all have come by the store.
pub fn is_written_first(module: &Module, kernel: &Kernel, shared: SharedId) -> bool {
    let function = &module.functions[kernel.function];
    let touches_elsewhere = module.functions.iter().any(|(id, other)| {
        id != kernel.function && other.insts.iter().any(|(_, inst)| touches_place(&inst.kind, shared))
    });
    let coverage = Coverage { module, kernel, function, shared, definitions: definitions(function) };
    !touches_elsewhere && coverage.block(function.entry)
}

fn touches_place(kind: &InstKind, shared: SharedId) -> bool {
    kind.place().is_some_and(|place| place.root == Root::Shared(shared))
}

fn definitions(function: &Function) -> Vec<Option<InstId>> {
    let mut definitions = vec![None; function.values.len()];
    for (id, inst) in function.insts.iter() {
        inst.results.iter().for_each(|result| definitions[result.index()] = Some(id));
    }
    definitions
}

/// The product of sizes, as far as that is a size again.
fn product(sizes: impl Iterator<Item = Size>) -> Option<Size> {
    let mut product = Size::Known(1);
    for size in sizes {
        product = match (product, size) {
            (Size::Known(1), other) | (other, Size::Known(1)) => other,
            (Size::Known(a), Size::Known(b)) => Size::Known(a.checked_mul(b)?),
            _ => return None,
        };
    }
    Some(product)
}

struct Coverage<'m> {
    module: &'m Module,
    kernel: &'m Kernel,
    function: &'m Function,
    shared: SharedId,
    definitions: Vec<Option<InstId>>,
}

impl Coverage<'_> {
    fn block(&self, block: BlockId) -> bool {
        let insts = &self.function.blocks[block].insts;
        let touching: Vec<usize> = (0..insts.len()).filter(|at| self.touches(insts[*at])).collect();
        let Some(&first) = touching.first() else { return true };
        match &self.function.insts[insts[first]].kind {
            InstKind::Store(place, _) => {
                let before = touching.get(1).copied().unwrap_or(insts.len());
                let waits = |id: &InstId| self.function.insts[*id].kind == InstKind::Barrier(Scope::Workgroup);
                self.covers(place) && insts[first..before].iter().any(waits)
            }
            kind => {
                let inner = kind.blocks();
                let mut touched = inner.iter().filter(|block| self.touches_block(**block));
                match (touched.next(), touched.next()) {
                    (Some(block), None) => touching.len() == 1 && self.block(*block),
                    _ => false,
                }
            }
        }
    }

    fn touches(&self, id: InstId) -> bool {
        let kind = &self.function.insts[id].kind;
        touches_place(kind, self.shared) || kind.blocks().into_iter().any(|block| self.touches_block(block))
    }

    fn touches_block(&self, block: BlockId) -> bool {
        self.function.blocks[block].insts.iter().any(|id| self.touches(*id))
    }

    /// Whether the invocations together write every cell of the variable through this place.
    fn covers(&self, place: &Place) -> bool {
        if place.is_checked() {
            return false;
        }
        let mut ty: TypeId = self.kernel.shared[self.shared].ty;
        let mut left = self.kernel.workgroup;
        for step in &place.path {
            let (Step::Index { value, .. }, Type::Array(element, len)) = (*step, self.module.types.get(ty)) else {
                return false;
            };
            // An axis of one invocation tells nobody apart.
            let Some(axes) = self.axes(value) else { return false };
            if product(axes.iter().map(|axis| left[*axis])) != Some(*len) {
                return false;
            }
            axes.iter().for_each(|axis| left[*axis] = Size::Known(1));
            ty = *element;
        }
        left == [Size::Known(1); 3]
    }

    /// The axes that a value counts the invocations along, if it does.
    fn axes(&self, value: ValueId) -> Option<Vec<usize>> {
        match self.definition(value)? {
            InstKind::Builtin(Builtin::LocalIndex) => Some(vec![0, 1, 2]),
            InstKind::Extract(vector, path) => match (self.definition(*vector)?, &path[..]) {
                (InstKind::Builtin(Builtin::LocalId), [axis]) => Some(vec![*axis as usize]),
                _ => None,
            },
            // `y * width + x`
            InstKind::Op(Op::Add, operands) => {
                let [a, b] = operands[..] else { return None };
                self.flattened(a, b).or_else(|| self.flattened(b, a))
            }
            _ => None,
        }
    }

    fn flattened(&self, rows: ValueId, column: ValueId) -> Option<Vec<usize>> {
        let InstKind::Op(Op::Mul, factors) = self.definition(rows)? else { return None };
        let [a, b] = factors[..] else { return None };
        let columns = self.axes(column)?;
        let width = product(columns.iter().map(|axis| self.kernel.workgroup[*axis]))?;
        let row = match (self.constant(a), self.constant(b)) {
            (Some(factor), None) if factor == width => b,
            (None, Some(factor)) if factor == width => a,
            _ => return None,
        };
        let mut axes = self.axes(row)?;
        if axes.iter().any(|axis| columns.contains(axis)) {
            return None;
        }
        axes.extend(columns);
        Some(axes)
    }

    fn constant(&self, value: ValueId) -> Option<Size> {
        match self.definition(value)? {
            InstKind::Const(Constant::U32(value)) => Some(Size::Known(*value)),
            InstKind::ConstParam(param) => Some(Size::Param(*param)),
            _ => None,
        }
    }

    fn definition(&self, value: ValueId) -> Option<&InstKind> {
        let id = self.definitions.get(value.index()).copied().flatten()?;
        Some(&self.function.insts[id].kind)
    }
}
