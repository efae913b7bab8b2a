//! Variables of the workgroup: their declaration, size, and the zeros they start with.

use rspirv::spirv::{Op, StorageClass};

use super::module::Writer;
use super::uses::Uses;
use super::words::Id;
use crate::arena::EntityId;
use crate::ir::{Builtin, Kernel, Module, Scope, SharedId};
use crate::layout::Layout;
use crate::parallel::is_written_first;
use crate::types::{Type, TypeId};

/// More rounds than this become a loop.
const MOST_ROUNDS: u32 = 4;

/// Upper bound of what the used variables take, all ones when that does not fit.
pub(super) fn bytes(module: &Module, kernel: &Kernel, uses: &Uses) -> u32 {
    let used = kernel.shared.iter().filter(|(id, _)| uses.shared[*id]);
    let add = |sum: u32, layout: Layout| sum.checked_next_multiple_of(layout.align)?.checked_add(layout.size);
    used.map(|(_, shared)| Layout::in_workgroup(&module.types, shared.ty))
        .try_fold(0, |sum, layout| add(sum, layout?))
        .unwrap_or(u32::MAX)
}

/// A variable to zero: its cells, counted through all dimensions.
struct Cells {
    variable: Id,
    /// Lengths of the nested arrays, outermost first.
    lengths: Vec<u32>,
    count: u32,
    element: TypeId,
}

impl Writer<'_> {
    /// Declares the variables that anything names.
    pub(super) fn declare_shared(&mut self) {
        let kernel = self.kernel;
        for (id, shared) in kernel.shared.iter() {
            let variable = if self.uses.shared[id] {
                let ty = self.value_type(shared.ty);
                self.interface_variable(StorageClass::Workgroup, ty, &shared.name)
            } else {
                0
            };
            self.interface.shared.push(variable);
            if self.uses.shared[id] && !is_written_first(self.module, kernel, id) {
                self.interface.zeroed.push(id);
            }
        }
    }

    /// Whether any variable needs its zeros.
    pub(super) fn zeroes_shared(&self) -> bool {
        !self.interface.zeroed.is_empty()
    }

    /// Zeroes the variables, each invocation its part, and waits until all are done.
    pub(super) fn zero_shared(&mut self) {
        if !self.zeroes_shared() {
            return;
        }
        let index = self.load_input(Builtin::LocalIndex);
        for id in self.interface.zeroed.clone() {
            let cells = self.cells(id);
            self.zero_cells(&cells, index);
        }
        self.barrier(Scope::Workgroup);
    }

    fn cells(&self, id: SharedId) -> Cells {
        let mut element = self.kernel.shared[id].ty;
        let (mut lengths, mut count) = (Vec::new(), 1u32);
        while let Type::Array(inner, len) = *self.module.types.get(element) {
            // A variable too large to count is too large for any device; its outer part is written as a whole.
            let Some(product) = count.checked_mul(len) else { break };
            count = product;
            lengths.push(len);
            element = inner;
        }
        Cells { variable: self.interface.shared[id.index()], lengths, count, element }
    }

    fn zero_cells(&mut self, cells: &Cells, index: Id) {
        let width = self.kernel.workgroup.iter().copied().fold(1, u32::saturating_mul);
        let word = self.u32_type();
        let rounds = cells.count / width;
        let mut first = index;
        if rounds > MOST_ROUNDS {
            return self.zero_in_loop(cells, index, width);
        }
        for round in 0..rounds {
            self.zero_cell(cells, first);
            if round + 1 < rounds || !cells.count.is_multiple_of(width) {
                let width = self.const_u32(width);
                first = self.op(Op::IAdd, word, &[first, width]);
            }
        }
        if !cells.count.is_multiple_of(width) {
            let (inside, merge) = (self.new_id(), self.new_id());
            let is_inside = self.is_below_count(cells, first);
            self.effect(Op::SelectionMerge, &[merge, 0]);
            self.effect(Op::BranchConditional, &[is_inside, inside, merge]);
            self.begin_block(inside);
            self.zero_cell(cells, first);
            self.effect(Op::Branch, &[merge]);
            self.begin_block(merge);
        }
    }

    fn is_below_count(&mut self, cells: &Cells, index: Id) -> Id {
        let (bool_, count) = (self.bool_type(), self.const_u32(cells.count));
        self.op(Op::ULessThan, bool_, &[index, count])
    }

    fn zero_in_loop(&mut self, cells: &Cells, index: Id, width: u32) {
        let word = self.u32_type();
        let before = self.label;
        let [header, body, next, merge, stepped] = [(); 5].map(|()| self.new_id());
        self.effect(Op::Branch, &[header]);
        self.begin_block(header);
        let at = self.op(Op::Phi, word, &[index, before, stepped, next]);
        let is_inside = self.is_below_count(cells, at);
        self.effect(Op::LoopMerge, &[merge, next, 0]);
        self.effect(Op::BranchConditional, &[is_inside, body, merge]);
        self.begin_block(body);
        self.zero_cell(cells, at);
        self.effect(Op::Branch, &[next]);
        self.begin_block(next);
        let width = self.const_u32(width);
        self.op_into(stepped, Op::IAdd, word, &[at, width]);
        self.effect(Op::Branch, &[header]);
        self.begin_block(merge);
    }

    /// Zeroes the cell with this number.
    fn zero_cell(&mut self, cells: &Cells, number: Id) {
        let (word, ty) = (self.u32_type(), self.value_type(cells.element));
        let pointer_type = self.pointer_type(StorageClass::Workgroup, ty);
        let mut indices = Vec::new();
        let mut rest = number;
        for (depth, len) in cells.lengths.iter().enumerate().rev() {
            if depth == 0 {
                indices.push(rest);
            } else {
                let len = self.const_u32(*len);
                indices.push(self.op(Op::UMod, word, &[rest, len]));
                rest = self.op(Op::UDiv, word, &[rest, len]);
            }
        }
        let pointer = if indices.is_empty() {
            cells.variable
        } else {
            indices.push(cells.variable);
            indices.reverse();
            self.op(Op::AccessChain, pointer_type, &indices)
        };
        let zero = self.global(Op::ConstantNull, Some(ty), &[]);
        self.effect(Op::Store, &[pointer, zero, rspirv::spirv::MemoryAccess::NON_PRIVATE_POINTER.bits()]);
    }
}
