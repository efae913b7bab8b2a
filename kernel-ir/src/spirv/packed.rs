//! Buffers whose elements are made of numbers of 8 and 16 bits and that are accessed by whole elements: `[u8; 4]`, a pixel.
//!
//! The bytes are the same. But a driver loads and stores a word or a vector of them by one instruction, and narrow numbers one by one.

use rspirv::spirv::{Decoration, Op};

use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::ir::BufferId;
use crate::layout::{Layout, field_offsets};
use crate::types::{Scalar, Size, Type, TypeId, Types};

/// Bytes of the largest element that is packed.
const MOST: u32 = 64;

/// The words that an element lies in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed {
    /// A word, or a vector of two or four.
    lanes: Lanes,
    /// How many of them make an element.
    count: u32,
}

impl Packed {
    /// Those of a struct or array of narrow numbers.
    fn of(types: &Types, ty: TypeId) -> Option<Self> {
        if matches!(types.get(ty), Type::Scalar(_) | Type::Vector(..)) {
            return None;
        }
        let size = Layout::of(types, ty)?.size;
        if size == 0 || size > MOST || size % 4 != 0 || !is_narrow(types, ty) {
            return None;
        }
        let words = size / 4;
        let count = [4, 2].into_iter().find(|lanes| words % lanes == 0).unwrap_or(1);
        Some(Self { lanes: Lanes { scalar: Scalar::U32, count: count as u8 }, count: words / count })
    }
}

/// Whether a type is made of numbers of 8 and 16 bits, by arrays and structs.
fn is_narrow(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Scalar(scalar) => matches!(scalar.bits(), 8 | 16) && *scalar != Scalar::Bool,
        Type::Array(element, Size::Known(_)) => is_narrow(types, *element),
        Type::Struct(id) => types.struct_def(*id).fields.iter().all(|field| is_narrow(types, field.ty)),
        _ => false,
    }
}

/// The members of an array or struct, with where they begin; `None` for a scalar.
fn members(types: &Types, ty: TypeId) -> Option<Vec<(TypeId, u32)>> {
    match types.get(ty) {
        Type::Array(element, Size::Known(len)) => {
            let stride = Layout::of(types, *element)?.size;
            Some((0..*len).map(|at| (*element, at * stride)).collect())
        }
        Type::Struct(id) => {
            let fields = types.struct_def(*id).fields.iter().map(|field| field.ty);
            Some(fields.zip(field_offsets(types, *id)?).collect())
        }
        _ => None,
    }
}

impl Writer<'_> {
    /// The words of a buffer's elements, where nothing is accessed but whole ones.
    pub(super) fn packed(&self, buffer: BufferId) -> Option<Packed> {
        let parameter = &self.kernel.buffers[buffer];
        let is_plain = !parameter.is_list && !parameter.is_texels && parameter.image.is_none();
        let is_fit = is_plain && self.uses.whole[buffer] && !self.uses.parted[buffer] && !self.uses.pointed[buffer];
        if is_fit { Packed::of(&self.module.types, parameter.element) } else { None }
    }

    /// The type of an element in memory.
    pub(super) fn packed_type(&mut self, packed: Packed) -> Id {
        let vector = self.lanes_type(packed.lanes);
        if packed.count == 1 {
            return vector;
        }
        let is_same = |known: &&(u32, u8, Id)| (known.0, known.1) == (packed.count, packed.lanes.count);
        if let Some((.., id)) = self.packed_types.iter().find(is_same) {
            return *id;
        }
        let len = self.const_u32(packed.count);
        let id = self.new_global(Op::TypeArray, None, &[vector, len]);
        self.decorate(id, Decoration::ArrayStride, &[4 * u32::from(packed.lanes.count)]);
        self.packed_types.push((packed.count, packed.lanes.count, id));
        id
    }

    /// The value of what was loaded.
    pub(super) fn unpack(&mut self, packed: Packed, stored: Id, ty: TypeId) -> Id {
        let word = self.u32_type();
        let mut words = Vec::new();
        for at in 0..packed.count {
            let vector = self.lanes_type(packed.lanes);
            let part = if packed.count == 1 { stored } else { self.op(Op::CompositeExtract, vector, &[stored, at]) };
            match packed.lanes.count {
                1 => words.push(part),
                lanes => words.extend((0..lanes).map(|lane| self.op(Op::CompositeExtract, word, &[part, lane.into()]))),
            }
        }
        self.unpack_part(&words, ty, 0)
    }

    fn unpack_part(&mut self, words: &[Id], ty: TypeId, offset: u32) -> Id {
        if let Some(members) = members(&self.module.types, ty) {
            let parts: Vec<Id> =
                members.into_iter().map(|(inner, at)| self.unpack_part(words, inner, offset + at)).collect();
            let ty = self.value_type(ty);
            return self.op(Op::CompositeConstruct, ty, &parts);
        }
        let Type::Scalar(scalar) = *self.module.types.get(ty) else {
            unreachable!("packed elements are made of numbers")
        };
        let (word, bits) = (self.u32_type(), Lanes::one(scalar.unsigned()));
        let mut value = words[(offset / 4) as usize];
        if !offset.is_multiple_of(4) {
            let by = self.const_u32(8 * (offset % 4));
            value = self.op(Op::ShiftRightLogical, word, &[value, by]);
        }
        let narrow = self.lanes_type(bits);
        let value = self.op(Op::UConvert, narrow, &[value]);
        self.bitcast(bits, Lanes::one(scalar), value)
    }

    /// A value as it is stored. What lies between its numbers becomes zero.
    pub(super) fn pack(&mut self, packed: Packed, value: Id, ty: TypeId) -> Id {
        let mut words = vec![None; (packed.count * u32::from(packed.lanes.count)) as usize];
        self.pack_part((value, ty), 0, &mut words);
        let words: Vec<Id> = words.into_iter().map(|word| word.unwrap_or_else(|| self.const_u32(0))).collect();
        let vector = self.lanes_type(packed.lanes);
        let lanes = usize::from(packed.lanes.count);
        let mut vectors = words;
        if lanes > 1 {
            vectors = vectors.chunks(lanes).map(|lanes| self.op(Op::CompositeConstruct, vector, lanes)).collect();
        }
        match vectors[..] {
            [only] => only,
            _ => {
                let ty = self.packed_type(packed);
                self.op(Op::CompositeConstruct, ty, &vectors)
            }
        }
    }

    fn pack_part(&mut self, (value, ty): (Id, TypeId), offset: u32, words: &mut [Option<Id>]) {
        if let Some(members) = members(&self.module.types, ty) {
            for ((inner, at), number) in members.into_iter().zip(0..) {
                let member = self.value_type(inner);
                let part = self.op(Op::CompositeExtract, member, &[value, number]);
                self.pack_part((part, inner), offset + at, words);
            }
            return;
        }
        let Type::Scalar(scalar) = *self.module.types.get(ty) else {
            unreachable!("packed elements are made of numbers")
        };
        let word = self.u32_type();
        let value = self.bitcast(Lanes::one(scalar), Lanes::one(scalar.unsigned()), value);
        let mut bits = self.op(Op::UConvert, word, &[value]);
        if !offset.is_multiple_of(4) {
            let by = self.const_u32(8 * (offset % 4));
            bits = self.op(Op::ShiftLeftLogical, word, &[bits, by]);
        }
        let sum = &mut words[(offset / 4) as usize];
        *sum = Some(match *sum {
            Some(sum) => self.op(Op::BitwiseOr, word, &[sum, bits]),
            None => bits,
        });
    }
}
