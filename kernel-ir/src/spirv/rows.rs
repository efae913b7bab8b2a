//! Buffers whose elements are arrays of numbers that lie in memory as vectors: `[f32; 8]` as two of four.
//!
//! The bytes are the same. But a driver loads and stores a vector by one instruction, and an array number by number.

use rspirv::spirv::{Decoration, Op};

use super::function::FunctionWriter;
use super::module::Writer;
use super::types::Lanes;
use super::words::{Id, Ids};
use crate::ir::BufferId;
use crate::types::{Size, Type, TypeId, Types};

/// Numbers of the largest element that is converted: each is one value on the way.
const MOST: u32 = 64;

/// The vectors that an element's innermost arrays are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    vector: Lanes,
    /// How many make an array.
    count: u32,
}

impl Row {
    /// The vectors of a type that is an array of numbers of 32 bits, or of such arrays.
    fn of(types: &Types, mut ty: TypeId) -> Option<Self> {
        let mut all = 1u32;
        loop {
            let Type::Array(element, Size::Known(len)) = *types.get(ty) else { return None };
            all = all.checked_mul(len).filter(|all| *all <= MOST)?;
            match *types.get(element) {
                Type::Scalar(scalar) if scalar.bits() == 32 => {
                    let width = if len % 4 == 0 { 4 } else { 2 };
                    let is_made_of_vectors = len > 0 && len % width == 0;
                    let vector = Lanes { scalar, count: width as u8 };
                    return is_made_of_vectors.then_some(Self { vector, count: len / width });
                }
                _ => ty = element,
            }
        }
    }

    fn width(self) -> u32 {
        self.vector.count.into()
    }
}

impl Writer<'_> {
    /// The vectors of a buffer's elements, where it has some: of one that is accessed by whole elements, and never through a pointer to a
    /// number. A loop with divisions keeps numbers where its elements have one vector: NVIDIA's driver (580) writes out no such loop, and
    /// loads the first number of its next round ahead, but no vector.
    pub(super) fn row(&self, buffer: BufferId) -> Option<Row> {
        let parameter = &self.kernel.buffers[buffer];
        let is_plain = !parameter.is_list && !parameter.is_texels && parameter.image.is_none();
        let is_fit = is_plain && self.uses.whole[buffer] && !self.uses.pointed[buffer];
        let row = Row::of(&self.module.types, parameter.element).filter(|_| is_fit)?;
        (row.count > 1 || !self.uses.whole_beside_divisions[buffer]).then_some(row)
    }

    /// The type in memory of an element, or of an array in it.
    pub(super) fn row_type(&mut self, row: Row, ty: TypeId) -> Id {
        let Type::Array(element, Size::Known(len)) = *self.module.types.get(ty) else { return self.value_type(ty) };
        let is_innermost = matches!(self.module.types.get(element), Type::Scalar(_));
        if is_innermost && row.count == 1 {
            return self.lanes_type(row.vector);
        }
        if let Some((_, id)) = self.row_types.iter().find(|(known, _)| *known == ty) {
            return *id;
        }
        let stride = self.layout(element).size;
        let (inner, len, stride) = if is_innermost {
            (self.lanes_type(row.vector), row.count, stride * row.width())
        } else {
            (self.row_type(row, element), len, stride)
        };
        let len = self.const_u32(len);
        let id = self.new_global(Op::TypeArray, None, &[inner, len]);
        self.decorate(id, Decoration::ArrayStride, &[stride]);
        self.row_types.push((ty, id));
        id
    }

    /// The value of what was loaded.
    pub(super) fn load_rows(&mut self, row: Row, stored: Id, ty: TypeId) -> Id {
        let Type::Array(element, Size::Known(len)) = *self.module.types.get(ty) else { return stored };
        let mut parts = Vec::with_capacity(len as usize);
        if let Type::Scalar(_) = self.module.types.get(element) {
            let (number, vector) = (self.value_type(element), self.lanes_type(row.vector));
            for at in 0..row.count {
                let loaded = if row.count == 1 { stored } else { self.op(Op::CompositeExtract, vector, &[stored, at]) };
                parts.extend((0..row.width()).map(|lane| self.op(Op::CompositeExtract, number, &[loaded, lane])));
            }
        } else {
            let inner = self.row_type(row, element);
            for at in 0..len {
                let stored = self.op(Op::CompositeExtract, inner, &[stored, at]);
                parts.push(self.load_rows(row, stored, element));
            }
        }
        let ty = self.value_type(ty);
        self.op(Op::CompositeConstruct, ty, &parts)
    }

    /// A value as it is stored.
    pub(super) fn store_rows(&mut self, row: Row, value: Id, ty: TypeId) -> Id {
        let Type::Array(element, Size::Known(len)) = *self.module.types.get(ty) else { return value };
        let inner = self.value_type(element);
        let parts: Vec<Id> = (0..len).map(|at| self.op(Op::CompositeExtract, inner, &[value, at])).collect();
        let stored = self.row_type(row, ty);
        if let Type::Scalar(_) = self.module.types.get(element) {
            if row.count == 1 {
                return self.op(Op::CompositeConstruct, stored, &parts);
            }
            let vector = self.lanes_type(row.vector);
            let vectors: Vec<Id> = parts
                .chunks(row.width() as usize)
                .map(|lanes| self.op(Op::CompositeConstruct, vector, lanes))
                .collect();
            return self.op(Op::CompositeConstruct, stored, &vectors);
        }
        let parts: Vec<Id> = parts.into_iter().map(|part| self.store_rows(row, part, element)).collect();
        self.op(Op::CompositeConstruct, stored, &parts)
    }
}

impl FunctionWriter<'_, '_> {
    /// Makes the last of the indices, one into an array of numbers, two: of the vector and of the lane.
    pub(super) fn index_row(&mut self, row: Row, operands: &mut Ids) {
        let Some(last) = operands.last_mut().filter(|_| row.count > 1) else { return };
        let (word, index) = (self.w.u32_type(), *last);
        let (shift, mask) = (self.w.const_u32(row.width().trailing_zeros()), self.w.const_u32(row.width() - 1));
        *last = self.w.op(Op::ShiftRightLogical, word, &[index, shift]);
        let lane = self.w.op(Op::BitwiseAnd, word, &[index, mask]);
        operands.push(lane);
    }
}
