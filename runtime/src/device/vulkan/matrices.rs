//! Cooperative matrices of a device: the types, the products, and the features with which the device is made.

use std::ffi::{CStr, c_void};
use std::ptr;

use ash::{khr, vk};
use gridwise_ir::descriptor::{Feature, MatrixElement, MatrixProduct, MatrixType, MatrixUse};

use crate::core::error::{Error, Result};

/// `VK_KHR_shader_bfloat16`, which ash does not know yet.
pub(super) const BFLOAT16_EXTENSION: &CStr = c"VK_KHR_shader_bfloat16";

/// `VK_COMPONENT_TYPE_BFLOAT16_KHR`
const BFLOAT16: vk::ComponentTypeKHR = vk::ComponentTypeKHR::from_raw(1_000_141_000);

/// `VkPhysicalDeviceShaderBfloat16FeaturesKHR`
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Bfloat16Features {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    has_type: vk::Bool32,
    has_dot_product: vk::Bool32,
    has_matrices: vk::Bool32,
}

impl Bfloat16Features {
    /// None, or what matrices need.
    pub(super) fn new(has: bool) -> Self {
        Self {
            s_type: vk::StructureType::from_raw(1_000_141_000),
            p_next: ptr::null_mut(),
            has_type: has.into(),
            has_dot_product: vk::FALSE,
            has_matrices: has.into(),
        }
    }
}

/// `VK_NV_cooperative_matrix2`, likewise.
pub(super) const LATER_EXTENSION: &CStr = c"VK_NV_cooperative_matrix2";

/// `VkPhysicalDeviceCooperativeMatrix2FeaturesNV`
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct LaterFeatures {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    has_workgroup_scope: vk::Bool32,
    has_flexible_dimensions: vk::Bool32,
    has_reductions: vk::Bool32,
    has_conversions: vk::Bool32,
    has_per_element_operations: vk::Bool32,
    has_tensor_addressing: vk::Bool32,
    has_block_loads: vk::Bool32,
}

impl LaterFeatures {
    /// The features that kernels may need: reductions, conversions.
    pub(super) fn new(has_reductions: bool, has_conversions: bool) -> Self {
        Self {
            s_type: vk::StructureType::from_raw(1_000_593_000),
            p_next: ptr::null_mut(),
            has_workgroup_scope: vk::FALSE,
            has_flexible_dimensions: vk::FALSE,
            has_reductions: has_reductions.into(),
            has_conversions: has_conversions.into(),
            has_per_element_operations: vk::FALSE,
            has_tensor_addressing: vk::FALSE,
            has_block_loads: vk::FALSE,
        }
    }
}

// SAFETY: the structure begins with its type and a pointer, and extends these by its specification.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for LaterFeatures {}
// SAFETY: as above.
unsafe impl vk::ExtendsDeviceCreateInfo for LaterFeatures {}

// SAFETY: the structure begins with its type and a pointer, and extends these by its specification.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for Bfloat16Features {}
// SAFETY: as above.
unsafe impl vk::ExtendsDeviceCreateInfo for Bfloat16Features {}

/// The features of matrices that a device of Vulkan `version` has, each type and product once.
///
/// # Errors
/// When the driver fails.
pub(super) fn query_matrices(
    entry: &ash::Entry,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    version: u32,
    has: impl Fn(&CStr) -> bool,
) -> Result<Vec<Feature>> {
    let mut features = Vec::new();
    if !has(khr::cooperative_matrix::NAME) {
        return Ok(features);
    }
    let mut matrices = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default();
    let mut bfloat16 = Bfloat16Features::new(false);
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut matrices);
    let mut later = LaterFeatures::new(false, false);
    if has(BFLOAT16_EXTENSION) {
        all = all.push_next(&mut bfloat16);
    }
    // It takes modules of SPIR-V 1.6.
    if has(LATER_EXTENSION) && version >= vk::API_VERSION_1_3 {
        all = all.push_next(&mut later);
    }
    // SAFETY: `physical` is of `instance`, which is alive, and the device has the extensions that the structures are of.
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    let mut properties = vk::PhysicalDeviceCooperativeMatrixPropertiesKHR::default();
    let mut wrapper = vk::PhysicalDeviceProperties2::default().push_next(&mut properties);
    // SAFETY: as above.
    unsafe { instance.get_physical_device_properties2(physical, &mut wrapper) };
    let in_kernels = properties.cooperative_matrix_supported_stages.contains(vk::ShaderStageFlags::COMPUTE);
    if matrices.cooperative_matrix == vk::FALSE || !in_kernels {
        return Ok(features);
    }
    let functions = khr::cooperative_matrix::Instance::new(entry, instance);
    // SAFETY: as above.
    let shapes = unsafe { functions.get_physical_device_cooperative_matrix_properties(physical) };
    let shapes = shapes.map_err(Error::vulkan("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"))?;
    if later.has_reductions == vk::TRUE {
        features.push(Feature::CooperativeReductions);
    }
    if later.has_conversions == vk::TRUE {
        features.push(Feature::CooperativeConversions);
    }
    let has_bfloat16 = bfloat16.has_type == vk::TRUE && bfloat16.has_matrices == vk::TRUE;
    for shape in shapes {
        for feature in features_of(&shape).into_iter().flatten() {
            let is_bfloat16 = matches!(feature, Feature::CooperativeMatrix(ty) if ty.element == MatrixElement::Bf16);
            if is_bfloat16 && !has_bfloat16 {
                break;
            }
            let own = is_bfloat16.then_some(Feature::CooperativeBfloat16);
            for feature in own.into_iter().chain([feature]) {
                if !features.contains(&feature) {
                    features.push(feature);
                }
            }
        }
    }
    Ok(features)
}

/// The types of a shape, and the product that it is, if kernels can name it.
fn features_of(shape: &vk::CooperativeMatrixPropertiesKHR<'_>) -> Option<[Feature; 4]> {
    let [a, b, sum, result] = [shape.a_type, shape.b_type, shape.c_type, shape.result_type].map(element);
    let (a, b, sum, result) = (a?, b?, sum?, result?);
    let saturates = shape.saturating_accumulation == vk::TRUE;
    if a != b || sum != result || saturates || shape.scope != vk::ScopeKHR::SUBGROUP {
        return None;
    }
    let (rows, columns, depth) = (shape.m_size, shape.n_size, shape.k_size);
    let ty = |element, role, rows, columns| Feature::CooperativeMatrix(MatrixType { element, role, rows, columns });
    Some([
        ty(a, MatrixUse::A, rows, depth),
        ty(b, MatrixUse::B, depth, columns),
        ty(sum, MatrixUse::Accumulator, rows, columns),
        Feature::CooperativeProduct(MatrixProduct { factors: a, sum, rows, columns, depth }),
    ])
}

fn element(ty: vk::ComponentTypeKHR) -> Option<MatrixElement> {
    Some(match ty {
        vk::ComponentTypeKHR::FLOAT16 => MatrixElement::F16,
        vk::ComponentTypeKHR::FLOAT32 => MatrixElement::F32,
        vk::ComponentTypeKHR::SINT8 => MatrixElement::I8,
        vk::ComponentTypeKHR::UINT8 => MatrixElement::U8,
        vk::ComponentTypeKHR::SINT32 => MatrixElement::I32,
        vk::ComponentTypeKHR::UINT32 => MatrixElement::U32,
        BFLOAT16 => MatrixElement::Bf16,
        _ => return None,
    })
}
