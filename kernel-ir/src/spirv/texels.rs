//! Buffers whose elements are fetched as texels: their variables, and loads from them.
//!
//! Texels are unsigned words whatever the elements are, so that no bit of a float changes on the way.

use rspirv::spirv::{Decoration, Dim, Op, StorageClass};

use super::function::FunctionWriter;
use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::ir::Buffer;
use crate::types::{Scalar, Type, TypeId};

/// The lanes of a texel.
const TEXEL: Lanes = Lanes { scalar: Scalar::U32, count: 4 };

impl Writer<'_> {
    /// Declares a texel buffer.
    pub(super) fn declare_texels(&mut self, buffer: &Buffer, binding: u32) {
        self.features.has_texels = true;
        let ty = self.texels_type();
        let variable = self.interface_variable(StorageClass::UniformConstant, ty, &buffer.name);
        self.decorate(variable, Decoration::DescriptorSet, &[0]);
        self.decorate(variable, Decoration::Binding, &[binding]);
        self.interface.buffers.push(variable);
    }

    /// Neither a depth image nor an array, of one sample, read without a sampler's help, of a format that the view tells.
    fn texels_type(&mut self) -> Id {
        let word = self.lanes_type(Lanes::one(Scalar::U32));
        self.global(Op::TypeImage, None, &[word, Dim::DimBuffer as u32, 0, 0, 0, 1, 0])
    }
}

impl FunctionWriter<'_, '_> {
    /// The element of a texel buffer at an index in range, of a type that is fetched so.
    pub(super) fn fetch(&mut self, variable: Id, element: TypeId, index: Id) -> Id {
        let (scalar, count) = match *self.w.module.types.get(element) {
            Type::Vector(scalar, count) => (scalar, count),
            Type::Scalar(scalar) => (scalar, 1),
            _ => panic!("the verifier saw a texel"),
        };
        let (image_type, texel_type) = (self.w.texels_type(), self.w.lanes_type(TEXEL));
        let image = self.w.op(Op::Load, image_type, &[variable]);
        let texel = self.w.op(Op::ImageFetch, texel_type, &[image, index]);
        let words = self.w.lanes_type(Lanes { scalar: Scalar::U32, count });
        let words = match count {
            1 => self.w.op(Op::CompositeExtract, words, &[texel, 0]),
            2 => self.w.op(Op::VectorShuffle, words, &[texel, texel, 0, 1]),
            _ => texel,
        };
        if scalar == Scalar::U32 {
            return words;
        }
        let ty = self.w.value_type(element);
        self.w.op(Op::Bitcast, ty, &[words])
    }
}
