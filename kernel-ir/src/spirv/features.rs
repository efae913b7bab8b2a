//! Device features beyond the baseline that the module needs, each with the first place that needs it.

use rspirv::spirv::Capability;

use super::module::Writer;
use crate::descriptor::{Feature, FloatAtomics};
use crate::ir::{Image, SourceLocation};
use crate::types::{Scalar, Type, TypeId};

/// The features found so far.
#[derive(Debug, Default)]
pub(super) struct Features {
    /// In the order of the first uses.
    uses: Vec<(Feature, Option<SourceLocation>)>,
    /// For each of the widths 16, 32 and 64, whether some float has it.
    floats: [bool; 3],
    /// The atomic floats that the device itself adds to.
    float_atomics: FloatAtomics,
    /// Whether the sizes of images are asked for.
    pub(super) needs_image_query: bool,
    /// Whether images have one dimension: those that are stored, and those that are sampled.
    line_images: [bool; 2],
    /// Whether buffers are read as texels.
    pub(super) has_texels: bool,
}

/// Memory that is reached from outside the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OuterMemory {
    Buffer,
    PushConstants,
}

impl Features {
    /// The features that the device must have.
    pub(super) fn uses(self) -> Vec<(Feature, Option<SourceLocation>)> {
        self.uses
    }

    /// The atomic floats that the device itself adds to.
    pub(super) fn float_atomics(&self) -> FloatAtomics {
        self.float_atomics
    }

    /// Whether the module has matrices of subgroups, and some of `bf16`.
    pub(super) fn matrices(&self) -> (bool, bool) {
        let has = |wanted: fn(&Feature) -> bool| self.uses.iter().any(|(feature, _)| wanted(feature));
        let any = has(|feature| matches!(feature, Feature::CooperativeMatrix(_)));
        (any, has(|feature| *feature == Feature::CooperativeBfloat16))
    }

    /// Whether it has operations on matrices that are not of the first extension.
    pub(super) fn has_later_matrices(&self) -> bool {
        let is_later =
            |feature: &Feature| matches!(feature, Feature::CooperativeReductions | Feature::CooperativeConversions);
        self.uses.iter().any(|(feature, _)| is_later(feature))
    }

    /// The widths of floats in the module.
    pub(super) fn float_widths(&self) -> Vec<u32> {
        [16, 32, 64].into_iter().zip(self.floats).filter(|(_, is_used)| *is_used).map(|(width, _)| width).collect()
    }

    /// The capabilities to declare.
    pub(super) fn capabilities(&self) -> Vec<Capability> {
        let mut all: Vec<_> = self.uses.iter().filter_map(|(feature, _)| capability(*feature)).collect();
        let singles = FloatAtomics::BUFFER_F32.union(FloatAtomics::SHARED_F32);
        if !self.float_atomics.without(singles).is_empty() {
            all.push(Capability::AtomicFloat64AddEXT);
        }
        if !self.float_atomics.without(FloatAtomics::BUFFER_F64.union(FloatAtomics::SHARED_F64)).is_empty() {
            all.push(Capability::AtomicFloat32AddEXT);
        }
        let [stored, sampled] = self.line_images;
        let is_of_lists =
            |feature: &Feature| matches!(feature, Feature::StorageImageLists | Feature::SampledImageLists);
        let has_lists = self.uses.iter().any(|(feature, _)| is_of_lists(feature));
        let asked = [
            (has_lists, Capability::ShaderNonUniform),
            (has_lists, Capability::RuntimeDescriptorArray),
            (self.needs_image_query, Capability::ImageQuery),
            (stored, Capability::Image1D),
            (sampled, Capability::Sampled1D),
            (self.has_texels, Capability::SampledBuffer),
        ];
        all.extend(asked.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, capability)| capability));
        // Two features may ask for one.
        let mut seen = Vec::new();
        all.retain(|capability| {
            let is_new = !seen.contains(capability);
            seen.push(*capability);
            is_new
        });
        all
    }
}

fn capability(feature: Feature) -> Option<Capability> {
    Some(match feature {
        Feature::Float64 => Capability::Float64,
        Feature::Int64 => Capability::Int64,
        Feature::Int16 => Capability::Int16,
        Feature::Int8 => Capability::Int8,
        Feature::Float16 => Capability::Float16,
        Feature::Storage8 => Capability::StorageBuffer8BitAccess,
        Feature::Storage16 => Capability::StorageBuffer16BitAccess,
        Feature::PushConstant8 => Capability::StoragePushConstant8,
        Feature::PushConstant16 => Capability::StoragePushConstant16,
        Feature::BufferInt64Atomics | Feature::SharedInt64Atomics => Capability::Int64Atomics,
        Feature::ExtendedImageFormats => Capability::StorageImageExtendedFormats,
        Feature::BufferAddresses => Capability::PhysicalStorageBufferAddresses,
        Feature::StorageImageLists => Capability::StorageImageArrayNonUniformIndexing,
        Feature::SampledImageLists => Capability::SampledImageArrayNonUniformIndexing,
        // Features of devices that modules do not mention; modules ask for subnormal numbers by a mode.
        Feature::SubgroupExtendedTypes => return None,
        Feature::SubnormalsF16 | Feature::SubnormalsF32 | Feature::SubnormalsF64 => return None,
        Feature::CooperativeMatrix(_) | Feature::CooperativeProduct(_) => Capability::CooperativeMatrixKHR,
        Feature::CooperativeBfloat16 => Capability::BFloat16CooperativeMatrixKHR,
        Feature::CooperativeReductions => Capability::CooperativeMatrixReductionsNV,
        Feature::CooperativeConversions => Capability::CooperativeMatrixConversionsNV,
    })
}

impl Writer<'_> {
    /// Notes that the module has values of a scalar type.
    pub(super) fn need_scalar(&mut self, scalar: Scalar) {
        let feature = match scalar {
            Scalar::Bool | Scalar::I32 | Scalar::U32 => return,
            Scalar::F32 => {
                self.features.floats[1] = true;
                return;
            }
            Scalar::I8 | Scalar::U8 => Feature::Int8,
            // A `bf16` is computed with as an integer and as an `f32`.
            Scalar::I16 | Scalar::U16 | Scalar::Bf16 => Feature::Int16,
            Scalar::I64 | Scalar::U64 => Feature::Int64,
            Scalar::F16 => {
                self.features.floats[0] = true;
                Feature::Float16
            }
            Scalar::F64 => {
                self.features.floats[2] = true;
                Feature::Float64
            }
        };
        self.need(feature);
    }

    /// Notes that the module has atomic operations on a scalar type.
    pub(super) fn need_atomic(&mut self, scalar: Scalar, is_shared: bool) {
        if scalar.bits() == 64 {
            self.need(if is_shared { Feature::SharedInt64Atomics } else { Feature::BufferInt64Atomics });
        }
    }

    /// Notes that the device itself accesses atomic floats.
    pub(super) fn need_float_atomic(&mut self, scalar: Scalar, is_shared: bool) {
        let needed = match (scalar.bits(), is_shared) {
            (64, false) => FloatAtomics::BUFFER_F64,
            (64, true) => FloatAtomics::SHARED_F64,
            (_, false) => FloatAtomics::BUFFER_F32,
            (_, true) => FloatAtomics::SHARED_F32,
        };
        self.features.float_atomics = self.features.float_atomics.union(needed);
    }

    /// Notes that the lanes of a subgroup exchange values of a scalar type.
    pub(super) fn need_subgroup(&mut self, scalar: Scalar) {
        if !matches!(scalar, Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 | Scalar::F64) {
            self.need(Feature::SubgroupExtendedTypes);
        }
    }

    /// Notes that the module has lists of such images.
    pub(super) fn need_image_list(&mut self, image: &Image) {
        self.need(if image.is_sampled { Feature::SampledImageLists } else { Feature::StorageImageLists });
    }

    /// Notes that the module has such images.
    pub(super) fn need_image(&mut self, image: &Image) {
        if image.dimensions == 1 {
            self.features.line_images[usize::from(image.is_sampled)] = true;
        }
        if !image.is_sampled && !image.format.is_basic() {
            self.need(Feature::ExtendedImageFormats);
        }
    }

    pub(super) fn need(&mut self, feature: Feature) {
        if self.features.uses.iter().all(|(known, _)| *known != feature) {
            let at = self.debug.location().or(self.module.functions[self.kernel.function].location);
            self.features.uses.push((feature, at));
        }
    }

    /// Notes that values of a type lie in a buffer or among the push constants.
    pub(super) fn need_memory(&mut self, memory: OuterMemory, ty: TypeId) {
        let module = self.module;
        match module.types.get(ty) {
            Type::Unit | Type::Scalar(Scalar::Bool) | Type::Coop(_) => {}
            Type::Scalar(scalar) | Type::Vector(scalar, _) => match (scalar.bits(), memory) {
                (8, OuterMemory::Buffer) => self.need(Feature::Storage8),
                (8, OuterMemory::PushConstants) => self.need(Feature::PushConstant8),
                (16, OuterMemory::Buffer) => self.need(Feature::Storage16),
                (16, OuterMemory::PushConstants) => self.need(Feature::PushConstant16),
                _ => {}
            },
            Type::Array(element, _) => self.need_memory(memory, *element),
            Type::Tuple(members) => members.iter().for_each(|member| self.need_memory(memory, *member)),
            Type::Struct(id) => {
                let fields = &module.types.struct_def(*id).fields;
                fields.iter().for_each(|field| self.need_memory(memory, field.ty));
            }
        }
    }
}
