//! Images: their variables, and loads, stores, sizes and samples of them.

use rspirv::spirv::{Decoration, Dim, ImageOperands, Op, StorageClass};

use super::function::FunctionWriter;
use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::descriptor::{Encoding, TexelKind};
use crate::ir::{Buffer, BufferId, Image, ImageOp, ValueId};
use crate::types::Scalar;

impl Image {
    fn scalar(&self) -> Scalar {
        match self.format.kind() {
            TexelKind::Float => Scalar::F32,
            TexelKind::Uint => Scalar::U32,
            TexelKind::Sint => Scalar::I32,
        }
    }
}

impl Writer<'_> {
    /// Declares an image parameter.
    pub(super) fn declare_image(&mut self, id: BufferId, buffer: &Buffer, image: Image, binding: u32) {
        let ty = self.descriptor_type(image);
        let ty = match buffer.is_list {
            // As long as the launch says.
            true => {
                self.need_image_list(&image);
                self.global(Op::TypeRuntimeArray, None, &[ty])
            }
            false => ty,
        };
        let variable = self.interface_variable(StorageClass::UniformConstant, ty, &buffer.name);
        self.decorate(variable, Decoration::DescriptorSet, &[0]);
        self.decorate(variable, Decoration::Binding, &[binding]);
        if !image.is_sampled {
            self.decorate(variable, Decoration::Restrict, &[]);
            if !buffer.writable {
                self.decorate(variable, Decoration::NonWritable, &[]);
            }
            if !self.uses.loaded[id] {
                self.decorate(variable, Decoration::NonReadable, &[]);
            }
        }
        self.interface.buffers.push(variable);
    }

    fn image_type(&mut self, image: Image) -> Id {
        self.need_image(&image);
        let scalar = self.lanes_type(Lanes::one(image.scalar()));
        let dim = match image.dimensions {
            1 => Dim::Dim1D,
            2 => Dim::Dim2D,
            _ => Dim::Dim3D,
        };
        let (sampled, format) = if image.is_sampled { (1, 0) } else { (2, image.format.spirv()) };
        self.global(Op::TypeImage, None, &[scalar, dim as u32, 0, 0, 0, sampled, format])
    }

    /// The type of an image's descriptor: the image, or one with its sampler.
    fn descriptor_type(&mut self, image: Image) -> Id {
        if image.is_sampled { self.sampled_type(image) } else { self.image_type(image) }
    }

    fn sampled_type(&mut self, image: Image) -> Id {
        let image = self.image_type(image);
        self.global(Op::TypeSampledImage, None, &[image])
    }
}

impl FunctionWriter<'_, '_> {
    /// An instruction on an image; gives its result, if it has one.
    pub(super) fn image(&mut self, op: ImageOp, id: BufferId, operands: &[ValueId]) -> Option<Id> {
        let kernel = self.w.kernel;
        let buffer = &kernel.buffers[id];
        let image = buffer.image.expect("the verifier saw an image");
        let operands = self.ids(operands);
        let (member, operands) = operands.split_at(usize::from(buffer.is_list));
        let dimensions = usize::from(image.dimensions);
        let mut variable = self.w.interface.buffers[crate::arena::EntityId::index(id)];
        let ty = self.w.descriptor_type(image);
        if let [member] = member {
            let pointer = self.w.pointer_type(StorageClass::UniformConstant, ty);
            variable = self.w.op(Op::AccessChain, pointer, &[variable, *member]);
            self.differs(variable);
        }
        let whole = self.w.op(Op::Load, ty, &[variable]);
        if buffer.is_list {
            self.differs(whole);
        }
        let texel4 = Lanes { scalar: image.scalar(), count: 4 };
        match op {
            ImageOp::Load => {
                let at = self.coordinates(Scalar::U32, &operands[..dimensions]);
                let ty = self.w.lanes_type(texel4);
                let loaded = if image.is_sampled {
                    let plain = self.plain_image(buffer, image, whole);
                    let lod = ImageOperands::LOD.bits();
                    self.w.op(Op::ImageFetch, ty, &[plain, at, lod, operands[dimensions]])
                } else if kernel.buffers[id].writable && self.w.uses.orders_memory {
                    let scope = self.w.scope(crate::ir::Scope::Device);
                    let flags = ImageOperands::NON_PRIVATE_TEXEL | ImageOperands::MAKE_TEXEL_VISIBLE;
                    self.w.op(Op::ImageRead, ty, &[whole, at, flags.bits(), scope])
                } else {
                    self.w.op(Op::ImageRead, ty, &[whole, at])
                };
                Some(self.components(image, loaded))
            }
            ImageOp::Store => {
                let at = self.coordinates(Scalar::U32, &operands[..dimensions]);
                let texel = self.low_bits(image, operands[dimensions]);
                if self.w.uses.orders_memory {
                    let scope = self.w.scope(crate::ir::Scope::Device);
                    let flags = ImageOperands::NON_PRIVATE_TEXEL | ImageOperands::MAKE_TEXEL_AVAILABLE;
                    self.w.effect(Op::ImageWrite, &[whole, at, texel, flags.bits(), scope]);
                } else {
                    self.w.effect(Op::ImageWrite, &[whole, at, texel]);
                }
                None
            }
            ImageOp::Size(axis) => {
                let lanes = Lanes { scalar: Scalar::U32, count: image.dimensions };
                let (ty, word) = (self.w.lanes_type(lanes), self.w.u32_type());
                self.w.features.needs_image_query = true;
                let size = if image.is_sampled {
                    let plain = self.plain_image(buffer, image, whole);
                    self.w.op(Op::ImageQuerySizeLod, ty, &[plain, operands[0]])
                } else {
                    self.w.op(Op::ImageQuerySize, ty, &[whole])
                };
                let is_line = dimensions == 1;
                Some(if is_line { size } else { self.w.op(Op::CompositeExtract, word, &[size, axis.into()]) })
            }
            ImageOp::Levels => {
                self.w.features.needs_image_query = true;
                let (plain, word) = (self.plain_image(buffer, image, whole), self.w.u32_type());
                Some(self.w.op(Op::ImageQueryLevels, word, &[plain]))
            }
            ImageOp::Sample => {
                let at = self.coordinates(Scalar::F32, &operands[..dimensions]);
                let (ty, lod) = (self.w.lanes_type(texel4), ImageOperands::LOD.bits());
                let sampled = self.w.op(Op::ImageSampleExplicitLod, ty, &[whole, at, lod, operands[dimensions]]);
                Some(self.components(image, sampled))
            }
        }
    }

    /// The image without its sampler.
    fn plain_image(&mut self, buffer: &Buffer, image: Image, whole: Id) -> Id {
        let ty = self.w.image_type(image);
        let plain = self.w.op(Op::Image, ty, &[whole]);
        if buffer.is_list {
            self.differs(plain);
        }
        plain
    }

    /// Notes that invocations may have different ones of a list.
    fn differs(&mut self, id: Id) {
        self.w.decorate(id, Decoration::NonUniform, &[]);
    }

    fn coordinates(&mut self, scalar: Scalar, at: &[Id]) -> Id {
        match at {
            [line] => *line,
            _ => {
                let ty = self.w.lanes_type(Lanes { scalar, count: at.len() as u8 });
                self.w.op(Op::CompositeConstruct, ty, at)
            }
        }
    }

    /// The components that the format has, of four.
    fn components(&mut self, image: Image, texel: Id) -> Id {
        let count = image.format.components();
        let ty = self.w.lanes_type(Lanes { scalar: image.scalar(), count: count as u8 });
        match count {
            1 => self.w.op(Op::CompositeExtract, ty, &[texel, 0]),
            2 => self.w.op(Op::VectorShuffle, ty, &[texel, texel, 0, 1]),
            3 => self.w.op(Op::VectorShuffle, ty, &[texel, texel, 0, 1, 2]),
            _ => texel,
        }
    }

    /// A texel whose integers fit the format, as they keep their low bits: Vulkan leaves others undefined.
    fn low_bits(&mut self, image: Image, texel: Id) -> Id {
        let format = image.format;
        let count = format.components();
        let lanes = Lanes { scalar: image.scalar(), count: count as u8 };
        if format.bits()[0] == 32 || lanes.scalar == Scalar::F32 {
            return texel;
        }
        let constants = |w: &mut Writer<'_>, value: &dyn Fn(u32) -> u32| {
            let bits = &format.bits()[..count as usize];
            let numbers: Vec<Id> = bits.iter().map(|bits| w.const_u32(value(*bits))).collect();
            let ty = w.lanes_type(lanes.of(Scalar::U32));
            if let [number] = numbers[..] { number } else { w.global(Op::ConstantComposite, Some(ty), &numbers) }
        };
        let ty = self.w.lanes_type(lanes);
        if format.encoding() == Encoding::Uint {
            let masks = constants(self.w, &|bits| u32::MAX >> (32 - bits));
            return self.w.op(Op::BitwiseAnd, ty, &[texel, masks]);
        }
        let shifts = constants(self.w, &|bits| 32 - bits);
        let high = self.w.op(Op::ShiftLeftLogical, ty, &[texel, shifts]);
        self.w.op(Op::ShiftRightArithmetic, ty, &[high, shifts])
    }
}
