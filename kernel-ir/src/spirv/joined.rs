//! Several elements of a buffer as one word or vector: another variable of the same binding has them as its elements.
//!
//! Nobody writes such a buffer, so that it does not matter to drivers that the two are the same memory.

use rspirv::spirv::{Decoration, Op, StorageClass};

use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::arena::EntityId;
use crate::ir::BufferId;

/// The variable of a buffer by which elements are loaded together.
#[derive(Debug, Clone, Copy)]
pub(super) struct JoinedVariable {
    buffer: BufferId,
    lanes: Lanes,
    variable: Id,
}

impl Writer<'_> {
    /// Loads elements from the one with this index on, which begin at a multiple of their size.
    pub(super) fn load_joined(&mut self, buffer: BufferId, index: Id, lanes: Lanes) -> Id {
        let variable = self.joined_variable(buffer, lanes);
        let (word, zero, number) = (self.u32_type(), self.const_u32(0), self.lanes_type(lanes));
        // Both are powers of two.
        let elements = bytes(lanes) / self.interface.elements[buffer.index()].size;
        let shift = self.const_u32(elements.trailing_zeros());
        let index = if elements == 1 { index } else { self.op(Op::ShiftRightLogical, word, &[index, shift]) };
        let pointer = self.pointer_type(StorageClass::StorageBuffer, number);
        let pointer = self.op(Op::AccessChain, pointer, &[variable, zero, index]);
        self.op(Op::Load, number, &[pointer])
    }

    fn joined_variable(&mut self, buffer: BufferId, lanes: Lanes) -> Id {
        let is_same = |known: &&JoinedVariable| known.buffer == buffer && known.lanes == lanes;
        if let Some(known) = self.interface.joined.iter().find(is_same) {
            return known.variable;
        }
        let element = self.lanes_type(lanes);
        let block = self.elements_type(element, bytes(lanes));
        let name = format!("{}_by_{}", self.kernel.buffers[buffer].name, bytes(lanes));
        let variable = self.bound_variable(block, buffer.index() as u32, &name);
        self.decorate(variable, Decoration::NonWritable, &[]);
        self.interface.joined.push(JoinedVariable { buffer, lanes, variable });
        variable
    }
}

/// The size of a scalar or vector in memory, of two or four lanes if not one.
fn bytes(lanes: Lanes) -> u32 {
    lanes.scalar.bits() / 8 * u32::from(lanes.count)
}
