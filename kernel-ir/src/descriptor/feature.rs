//! The features that a kernel needs of a device beyond the baseline.

use std::fmt;

use super::{Location, MatrixProduct, MatrixType};

/// A device feature that a module needs, and where in the source the need arises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureUse {
    /// The feature.
    pub feature: Feature,
    /// The first place that needs it.
    pub location: Location,
}

/// Device features beyond the baseline that a kernel may need.
///
/// The baseline every Vulkan device must have for gridwise: Vulkan 1.2, the Vulkan memory model and scalar block layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// `shaderFloat64`.
    Float64,
    /// `shaderInt64`.
    Int64,
    /// `shaderInt16`.
    Int16,
    /// `shaderInt8`.
    Int8,
    /// `shaderFloat16`.
    Float16,
    /// `storageBuffer8BitAccess`.
    Storage8,
    /// `storageBuffer16BitAccess`.
    Storage16,
    /// `storagePushConstant8`.
    PushConstant8,
    /// `storagePushConstant16`.
    PushConstant16,
    /// `shaderBufferInt64Atomics`.
    BufferInt64Atomics,
    /// `shaderSharedInt64Atomics`.
    SharedInt64Atomics,
    /// `shaderSubgroupExtendedTypes`.
    SubgroupExtendedTypes,
    /// `shaderStorageImageExtendedFormats`.
    ExtendedImageFormats,
    /// `bufferDeviceAddress`.
    BufferAddresses,
    /// `shaderStorageImageArrayNonUniformIndexing`, with descriptors in arrays of any length, not all of them bound.
    StorageImageLists,
    /// `shaderSampledImageArrayNonUniformIndexing`, likewise.
    SampledImageLists,
    /// Subnormal numbers of `f16` are kept: `shaderDenormPreserveFloat16`. A device may keep them without the promise.
    SubnormalsF16,
    /// The same of `f32`: `shaderDenormPreserveFloat32`.
    SubnormalsF32,
    /// The same of `f64`: `shaderDenormPreserveFloat64`.
    SubnormalsF64,
    /// `cooperativeMatrix`, with matrices of this type.
    CooperativeMatrix(MatrixType),
    /// `cooperativeMatrix`, with this product.
    CooperativeProduct(MatrixProduct),
    /// `shaderBFloat16CooperativeMatrix`.
    CooperativeBfloat16,
    /// `cooperativeMatrixReductions`.
    CooperativeReductions,
    /// `cooperativeMatrixConversions`.
    CooperativeConversions,
}

impl Feature {
    /// The variant's name, as generated code writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Float64 => "Float64",
            Self::Int64 => "Int64",
            Self::Int16 => "Int16",
            Self::Int8 => "Int8",
            Self::Float16 => "Float16",
            Self::Storage8 => "Storage8",
            Self::Storage16 => "Storage16",
            Self::PushConstant8 => "PushConstant8",
            Self::PushConstant16 => "PushConstant16",
            Self::BufferInt64Atomics => "BufferInt64Atomics",
            Self::SharedInt64Atomics => "SharedInt64Atomics",
            Self::SubgroupExtendedTypes => "SubgroupExtendedTypes",
            Self::ExtendedImageFormats => "ExtendedImageFormats",
            Self::BufferAddresses => "BufferAddresses",
            Self::StorageImageLists => "StorageImageLists",
            Self::SampledImageLists => "SampledImageLists",
            Self::SubnormalsF16 => "SubnormalsF16",
            Self::SubnormalsF32 => "SubnormalsF32",
            Self::SubnormalsF64 => "SubnormalsF64",
            Self::CooperativeMatrix(_) => "CooperativeMatrix",
            Self::CooperativeProduct(_) => "CooperativeProduct",
            Self::CooperativeBfloat16 => "CooperativeBfloat16",
            Self::CooperativeReductions => "CooperativeReductions",
            Self::CooperativeConversions => "CooperativeConversions",
        }
    }

    /// Vulkan's name of the feature.
    pub const fn vulkan_name(self) -> &'static str {
        match self {
            Self::Float64 => "shaderFloat64",
            Self::Int64 => "shaderInt64",
            Self::Int16 => "shaderInt16",
            Self::Int8 => "shaderInt8",
            Self::Float16 => "shaderFloat16",
            Self::Storage8 => "storageBuffer8BitAccess",
            Self::Storage16 => "storageBuffer16BitAccess",
            Self::PushConstant8 => "storagePushConstant8",
            Self::PushConstant16 => "storagePushConstant16",
            Self::BufferInt64Atomics => "shaderBufferInt64Atomics",
            Self::SharedInt64Atomics => "shaderSharedInt64Atomics",
            Self::SubgroupExtendedTypes => "shaderSubgroupExtendedTypes",
            Self::ExtendedImageFormats => "shaderStorageImageExtendedFormats",
            Self::BufferAddresses => "bufferDeviceAddress",
            Self::StorageImageLists => "shaderStorageImageArrayNonUniformIndexing",
            Self::SampledImageLists => "shaderSampledImageArrayNonUniformIndexing",
            Self::SubnormalsF16 => "shaderDenormPreserveFloat16",
            Self::SubnormalsF32 => "shaderDenormPreserveFloat32",
            Self::SubnormalsF64 => "shaderDenormPreserveFloat64",
            Self::CooperativeMatrix(_) | Self::CooperativeProduct(_) => "cooperativeMatrix",
            Self::CooperativeBfloat16 => "shaderBFloat16CooperativeMatrix",
            Self::CooperativeReductions => "cooperativeMatrixReductions",
            Self::CooperativeConversions => "cooperativeMatrixConversions",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.vulkan_name())?;
        match self {
            Self::CooperativeMatrix(ty) => write!(f, " with {ty}"),
            Self::CooperativeProduct(product) => write!(f, " with {product}"),
            _ => Ok(()),
        }
    }
}
