//! Variables of the workgroup: their declaration, size, and the zeros they start with.

use rspirv::spirv::{Op, StorageClass};

use super::interface::Prologue;
use super::module::Writer;
use super::uses::Uses;
use super::words::Id;
use crate::arena::EntityId;
use crate::ir::{Builtin, Kernel, Module, Scope, SharedId};
use crate::layout::Layout;
use crate::types::{Size, Type, TypeId, Types};
use crate::written_first::is_written_first;

/// More rounds than this become a loop.
const MOST_ROUNDS: u32 = 4;

/// Upper bound of what the used variables take, all ones when that does not fit; and what arrays take on top whose lengths
/// the launch decides: bytes, and the const parameters to multiply them with.
pub(super) fn bytes(module: &Module, kernel: &Kernel, uses: &Uses) -> (u32, Vec<(u32, Vec<u32>)>) {
    let add = |sum: u32, layout: Layout| sum.checked_next_multiple_of(layout.align)?.checked_add(layout.size);
    let (mut fixed, mut open) = (Some(0u32), Vec::new());
    for (_, shared) in kernel.shared.iter().filter(|(id, _)| uses.shared[*id]) {
        if is_open(&module.types, shared.ty) {
            let (_, parts) = open_parts(&module.types, shared.ty);
            open.extend(parts);
        } else {
            let layout = Layout::in_workgroup(&module.types, shared.ty);
            fixed = fixed.and_then(|sum| add(sum, layout?));
        }
    }
    (fixed.unwrap_or(u32::MAX), open)
}

/// Whether the launch decides how large a type is.
fn is_open(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Array(element, len) => len.known().is_none() || is_open(types, *element),
        Type::Tuple(members) => members.iter().any(|member| is_open(types, *member)),
        Type::Struct(id) => types.struct_def(*id).fields.iter().any(|field| is_open(types, field.ty)),
        Type::Unit | Type::Scalar(_) | Type::Vector(..) | Type::Coop(_) => false,
    }
}

/// The alignment of a type, and the parts that make up its size, each a multiple of the alignment: no less than it takes.
fn open_parts(types: &Types, ty: TypeId) -> (u32, Vec<(u32, Vec<u32>)>) {
    let (align, parts) = match types.get(ty) {
        Type::Array(element, len) => {
            let (align, mut parts) = open_parts(types, *element);
            for (bytes, params) in &mut parts {
                match len {
                    Size::Known(len) => *bytes = bytes.saturating_mul(*len),
                    Size::Param(param) => params.push(param.index() as u32),
                }
            }
            (align, parts)
        }
        Type::Tuple(members) => all_parts(types, members),
        Type::Struct(id) => {
            let members: Vec<_> = types.struct_def(*id).fields.iter().map(|field| field.ty).collect();
            all_parts(types, &members)
        }
        Type::Unit | Type::Scalar(_) | Type::Vector(..) | Type::Coop(_) => {
            let layout = Layout::in_workgroup(types, ty).unwrap_or(Layout { size: 0, align: 1 });
            (layout.align, vec![(layout.size, Vec::new())])
        }
    };
    let round = |(bytes, params): (u32, Vec<u32>)| (bytes.checked_next_multiple_of(align).unwrap_or(u32::MAX), params);
    (align, parts.into_iter().map(round).collect())
}

fn all_parts(types: &Types, members: &[TypeId]) -> (u32, Vec<(u32, Vec<u32>)>) {
    let (mut align, mut parts) = (1, Vec::new());
    for member in members {
        let (own, more) = open_parts(types, *member);
        align = align.max(own);
        parts.extend(more);
    }
    (align, parts)
}

/// A variable to zero: its cells, counted through all dimensions.
struct Cells {
    variable: Id,
    /// Lengths of the nested arrays, outermost first.
    lengths: Vec<Size>,
    /// How many; `None` where the launch decides.
    count: Option<u32>,
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
    pub(super) fn zero_shared(&mut self, prologue: &Prologue) {
        if !self.zeroes_shared() {
            return;
        }
        let known = |builtin| Some(prologue.builtin(builtin)).filter(|id| *id != 0);
        let index = match known(Builtin::LocalIndex) {
            Some(index) => index,
            None => self.local_index(known(Builtin::LocalId)),
        };
        for id in self.interface.zeroed.clone() {
            let cells = self.cells(id);
            self.zero_cells(&cells, index);
        }
        self.barrier(Scope::Workgroup);
    }

    fn cells(&self, id: SharedId) -> Cells {
        let mut element = self.kernel.shared[id].ty;
        let (mut lengths, mut count, mut known) = (Vec::new(), Some(1u32), 1u32);
        while let Type::Array(inner, len) = *self.module.types.get(element) {
            // A variable too large to count is too large for any device; its outer part is written as a whole.
            let Some(product) = known.checked_mul(len.known().unwrap_or(1)) else { break };
            known = product;
            count = count.and_then(|_| len.known()).map(|_| product);
            lengths.push(len);
            element = inner;
        }
        Cells { variable: self.interface.shared[id.index()], lengths, count, element }
    }

    fn zero_cells(&mut self, cells: &Cells, index: Id) {
        let sizes = self.kernel.workgroup;
        let width = sizes.iter().try_fold(1u32, |width, size| size.known().map(|size| width.saturating_mul(size)));
        let (Some(width), Some(count)) = (width, cells.count) else {
            let (width, count) = (self.product(&sizes), self.product(&cells.lengths));
            return self.zero_in_loop(cells, index, width, count);
        };
        let word = self.u32_type();
        let rounds = count / width;
        let mut first = index;
        if rounds > MOST_ROUNDS {
            let (width, count) = (self.const_u32(width), self.const_u32(count));
            return self.zero_in_loop(cells, index, width, count);
        }
        for round in 0..rounds {
            self.zero_cell(cells, first);
            if round + 1 < rounds || !count.is_multiple_of(width) {
                let width = self.const_u32(width);
                first = self.op(Op::IAdd, word, &[first, width]);
            }
        }
        if !count.is_multiple_of(width) {
            let (inside, merge) = (self.new_id(), self.new_id());
            let (bool_, count) = (self.bool_type(), self.const_u32(count));
            let is_inside = self.op(Op::ULessThan, bool_, &[first, count]);
            self.effect(Op::SelectionMerge, &[merge, 0]);
            self.effect(Op::BranchConditional, &[is_inside, inside, merge]);
            self.begin_block(inside);
            self.zero_cell(cells, first);
            self.effect(Op::Branch, &[merge]);
            self.begin_block(merge);
        }
    }

    fn zero_in_loop(&mut self, cells: &Cells, index: Id, width: Id, count: Id) {
        let (word, bool_) = (self.u32_type(), self.bool_type());
        let before = self.label;
        let [header, body, next, merge, stepped] = [(); 5].map(|()| self.new_id());
        self.effect(Op::Branch, &[header]);
        self.begin_block(header);
        let at = self.op(Op::Phi, word, &[index, before, stepped, next]);
        let is_inside = self.op(Op::ULessThan, bool_, &[at, count]);
        self.effect(Op::LoopMerge, &[merge, next, 0]);
        self.effect(Op::BranchConditional, &[is_inside, body, merge]);
        self.begin_block(body);
        self.zero_cell(cells, at);
        self.effect(Op::Branch, &[next]);
        self.begin_block(next);
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
                let len = self.size(*len);
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
