//! Shared variables that are written before anything is read, so that they need no zeros. It changes nothing.

mod bits;
mod cells;
mod reads;
mod strides;
mod sums;

use crate::arena::EntityId;
use crate::ir::{
    BlockId, Builtin, Constant, Function, InstId, InstKind, Kernel, Module, Place, Root, Scope, SharedId, Step, ValueId,
};
use crate::op::Op;
use crate::rounds::definitions;
use crate::types::{Size, Type, TypeId};

use bits::{Bits, Positions, reduced};

/// Whether all of a shared variable that is read is written, and a barrier passed, before anything else touches it. Then nothing
/// reads what it holds when the workgroup starts.
///
/// That is so where the innermost block that holds all accesses begins with stores by the invocation's position, also in loops that
/// count, which a barrier of the same block follows: all invocations reach that barrier, so all have come by the stores. One of
/// these or all together fill the variable, or all cells that are read.
pub(crate) fn is_written_first(module: &Module, kernel: &Kernel, shared: SharedId) -> bool {
    let function = &module.functions[kernel.function];
    let touches_elsewhere = module.functions.iter().any(|(id, other)| {
        id != kernel.function && other.insts.iter().any(|(_, inst)| touches_place(&inst.kind, shared))
    });
    let coverage = Coverage { module, kernel, function, shared, definitions: definitions(function) };
    !touches_elsewhere && coverage.block(function.entry)
}

/// Whether a block writes all that it reads of a shared variable, and passes a barrier, before anything else in it touches the variable.
pub(crate) fn is_written_first_in(module: &Module, kernel: &Kernel, shared: SharedId, block: BlockId) -> bool {
    let function = &module.functions[kernel.function];
    Coverage { module, kernel, function, shared, definitions: definitions(function) }.block(block)
}

fn touches_place(kind: &InstKind, shared: SharedId) -> bool {
    kind.place().is_some_and(|place| place.root == Root::Shared(shared))
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
        let kind = &self.function.insts[insts[first]].kind;
        if let InstKind::Store(..) | InstKind::Loop { .. } = kind
            && let Some(wait) = insts[first..].iter().position(|id| self.waits(*id))
        {
            let before = touching.iter().take_while(|at| **at < first + wait);
            let before: Vec<InstId> = before.map(|at| insts[*at]).collect();
            if self.is_filled(&before) || self.are_reads_written(&before, &insts[first + wait..]) {
                return true;
            }
        }
        let inner = kind.blocks();
        let mut touched = inner.iter().filter(|block| self.touches_block(**block));
        match (touched.next(), touched.next()) {
            (Some(block), None) => touching.len() == 1 && self.block(*block),
            _ => false,
        }
    }

    fn waits(&self, id: InstId) -> bool {
        self.function.insts[id].kind == InstKind::Barrier(Scope::Workgroup)
    }

    /// Whether these are stores that leave no cell out.
    fn is_filled(&self, stores: &[InstId]) -> bool {
        let place = |id: &InstId| match &self.function.insts[*id].kind {
            InstKind::Store(place, _) => Some(place),
            _ => None,
        };
        let Some(stores) = stores.iter().map(place).collect::<Option<Vec<_>>>() else { return false };
        stores.iter().any(|place| self.covers(place)) || self.cover_together(&stores)
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

    /// Whether the invocations together write every cell of the variable through these places. They do where all indices are made
    /// of the same bits of the invocation's position, and what else is in them makes up for the bits that are missing.
    fn cover_together(&self, places: &[&Place]) -> bool {
        let Some(positions) = Positions::of(self.kernel) else { return false };
        let cells: Option<Vec<_>> = places.iter().map(|place| self.cell(place, &positions)).collect();
        let Some(cells) = cells else { return false };
        let Some(((first, count), rest)) = cells.split_first() else { return false };
        if rest.iter().any(|(cell, other)| cell.by_bit != first.by_bit || other != count) {
            return false;
        }
        let basis = first.basis();
        let mut places: Vec<u32> = cells.iter().map(|(cell, _)| reduced(&basis, cell.fixed)).collect();
        places.sort_unstable();
        places.dedup();
        // Every number of cells that is a power of two has a logarithm.
        places.len() as u64 == 1u64 << (count.trailing_zeros() as usize).saturating_sub(basis.len())
    }

    /// The number of the cell that a place names, by the bits of the invocation's position, and how many such cells the variable has.
    fn cell(&self, place: &Place, positions: &Positions) -> Option<(Bits, u32)> {
        if place.is_checked() {
            return None;
        }
        let mut ty: TypeId = self.kernel.shared[self.shared].ty;
        let (mut cell, mut count) = (Bits::fixed(0), 1u32);
        for step in &place.path {
            let (index, Type::Array(element, len)) = (step, self.module.types.get(ty)) else { return None };
            let len = len.known().filter(|len| len.is_power_of_two())?;
            let index = match *index {
                Step::Index { value, .. } => positions.bits(value, &|value| self.definition(value))?,
                Step::Field(number) => Bits::fixed(number),
                Step::Element(_) | Step::Joined { .. } => return None,
            };
            if index.possible() >= len {
                return None;
            }
            count = count.checked_mul(len)?;
            cell = cell.shifted_left(len.trailing_zeros()).disjoint_sum(&index)?;
            ty = *element;
        }
        Some((cell, count))
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
        self.defined_by(value).map(|id| &self.function.insts[id].kind)
    }

    fn defined_by(&self, value: ValueId) -> Option<InstId> {
        self.definitions.get(value.index()).copied().flatten()
    }
}
