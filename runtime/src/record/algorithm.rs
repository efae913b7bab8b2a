//! Kernels made ready for a device: limits and features checked, pipeline created. One per kernel and manager.

use std::sync::Arc;

use gridwise_ir::descriptor::{
    ConstType, Feature, IS_FULL, IS_INDIRECT, IS_SPLIT, IS_WHOLE, ImageAccess, KernelDescriptor, LaunchWordKind,
    NATIVES, Param, ParamKind, SubgroupOperations,
};
use gridwise_ir::variant::VariantDesc;

use crate::core::error::{Error, KernelName, Result};
use crate::device::executable::Executable;
use crate::device::native::Native;
use crate::device::subnormals::Width;
use crate::device::vulkan::{
    Binding, Constants, Pipeline, PipelineDesc, VulkanDevice, addressed, buffered, watched, words_for,
};
use crate::device::{Backend, Device, DeviceInfo, DeviceKind, Limits, MAX_PUSH_BYTES, SubgroupLimits};
use crate::record::proven::Proven;
use crate::record::steps::{BufferArg, Role};

/// A kernel that is ready to run on a manager's device.
///
/// `dispatch` prepares a kernel by itself. Create an `Algorithm` to prepare it, and to get its errors, ahead of time.
///
/// ```standalone_crate
/// # #[path = "../../tests/devices/kernels.rs"]
/// # mod kernels;
/// # fn main() -> gridwise::Result<()> {
/// # let manager = gridwise::Manager::host();
/// # use kernels::{Saxpy, Wrong};
/// // At the start of a program, for all kernels that it launches: what is wrong is told now, not in the middle of its work.
/// manager.algorithm::<Saxpy>()?;
/// # type Broken = Wrong<5>;
/// assert!(manager.algorithm::<Broken>().is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Algorithm {
    prepared: Arc<Prepared>,
}

/// The choice of a kernel's variant for a launch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    /// The checks that the host made.
    pub(crate) proven: Proven,
    /// Each invocation runs the items of a batch.
    pub(crate) is_batched: bool,
    /// Its items are those of whole invocations, near each other.
    pub(crate) is_whole: bool,
    /// Each of its invocations has an item, or all of its batch, and the kernel would mask the others.
    pub(crate) is_full: bool,
    /// The grid comes from the device.
    pub(crate) is_indirect: bool,
    /// The launch takes several dispatches.
    pub(crate) is_split: bool,
    /// For how many images each list of them has room.
    pub(crate) listed_images: u32,
    /// Evaluations read some of its values anew: it has them in a buffer.
    pub(crate) has_parameters: bool,
    /// It finds its buffers by addresses.
    pub(crate) by_address: bool,
}

/// For how many images lists have room at the least: their lengths are rounded up, so that few pipelines serve all.
const LEAST_LISTED: u32 = 8;

/// The properties of a launch that its pipeline may rely on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flags {
    pub(crate) variant: Variant,
    /// The operations that the kernel asks for and that the device does as it needs them.
    pub(crate) has_native: [bool; Native::ALL.len()],
}

/// Whether a kernel leaves invocations without an item alone; others have an item for each.
pub(crate) fn has_mask(descriptor: &KernelDescriptor) -> bool {
    descriptor.launch_words.iter().any(|word| matches!(word.kind, LaunchWordKind::Items(_)))
}

/// For how many images the lists of a launch need room.
pub(crate) fn listed_images(arguments: &[BufferArg]) -> u32 {
    let members = arguments.iter().filter(|argument| argument.role == Role::Member && argument.buffer.is_image());
    let params = members.map(|argument| argument.param).collect::<Vec<_>>();
    let longest = params.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or(0) as u32;
    if longest <= LEAST_LISTED { 0 } else { longest.checked_next_power_of_two().unwrap_or(longest) }
}

impl Variant {
    /// The one that most launches of a kernel take on a device.
    pub(crate) fn usual(device: &Device, descriptor: &KernelDescriptor) -> Self {
        Self {
            proven: Proven::all_of(descriptor.obligations),
            is_batched: descriptor.batch.is_some(),
            is_whole: descriptor.batch.is_some(),
            is_full: has_mask(descriptor),
            is_indirect: false,
            is_split: false,
            listed_images: 0,
            has_parameters: false,
            by_address: wants_addresses(device, descriptor),
        }
    }
}

/// A compiled kernel with its constants.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) descriptor: &'static KernelDescriptor,
    pub(crate) constants: &'static [u64],
    /// `None` on the host device.
    pub(crate) pipeline: Option<Arc<Pipeline>>,
}

impl Algorithm {
    pub(crate) fn new(prepared: Arc<Prepared>) -> Self {
        Self { prepared }
    }

    /// The driver's statistics of the compiled kernel, such as registers, memory and instructions.
    ///
    /// ```standalone_crate
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Algorithm, Error, Manager, ManagerDesc, SpirvCode, SpirvDesc};
    ///
    /// let manager = Manager::with(ManagerDesc { executable_statistics: true, ..ManagerDesc::from_env()? })?;
    /// let bytes = include_bytes!("../../tests/modules/scale.spv");
    /// let desc = SpirvDesc { name: "scale", code: SpirvCode::Bytes(bytes), entry_point: None, constants: &[] };
    /// // SAFETY: it is not launched.
    /// let Ok(scale) = (unsafe { Algorithm::from_spirv(&manager, &desc) }) else { return Ok(()) };
    /// match scale.executables() {
    ///     Ok(executables) => executables.iter().for_each(|executable| print!("{executable}")),
    ///     Err(Error::NoExecutableStatistics { .. }) => println!("the driver does not tell"),
    ///     Err(other) => return Err(other),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the manager was created without
    /// [`ManagerDesc::executable_statistics`](crate::ManagerDesc::executable_statistics), or the device has no
    /// statistics.
    pub fn executables(&self) -> Result<Vec<Executable>> {
        match &self.prepared.pipeline {
            Some(pipeline) => pipeline.executables(),
            None => Err(Error::NoExecutableStatistics { supported: false }),
        }
    }

    /// The descriptor of the compiled kernel.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// # use kernels::Saxpy;
    /// let saxpy = manager.algorithm::<Saxpy>()?;
    /// let params: Vec<_> = saxpy.descriptor().params.iter().map(|param| param.name).collect();
    /// assert_eq!(params, ["a", "x", "y"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn descriptor(&self) -> &'static KernelDescriptor {
        self.prepared.descriptor
    }

    /// The values of the kernel's const parameters, one for each of [`constants`](KernelDescriptor::constants).
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// # use kernels::Saxpy;
    /// assert!(manager.algorithm::<Saxpy>()?.constants().is_empty()); // `fn saxpy`, not `fn saxpy<const N: u32>`
    /// # Ok(())
    /// # }
    /// ```
    pub fn constants(&self) -> &'static [u64] {
        self.prepared.constants
    }

    /// Invocations per workgroup, with these constants.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// # use kernels::Saxpy;
    /// assert_eq!(manager.algorithm::<Saxpy>()?.workgroup(), [64, 1, 1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn workgroup(&self) -> [u32; 3] {
        self.prepared.descriptor.workgroup_with(self.prepared.constants)
    }

    /// Bytes of push constants of each launch: the kernel's by-value parameters, and values that gridwise adds.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// # use kernels::Saxpy;
    /// assert!(manager.algorithm::<Saxpy>()?.push_constant_size() >= 4); // the parameter `a`
    /// # Ok(())
    /// # }
    /// ```
    pub fn push_constant_size(&self) -> u32 {
        self.prepared.descriptor.push_constant_size
    }

    /// The kernel's name.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// # use kernels::Saxpy;
    /// assert_eq!(manager.algorithm::<Saxpy>()?.name(), "saxpy");
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &'static str {
        self.prepared.descriptor.name
    }
}

impl Prepared {
    /// Checks a kernel against a device and creates its pipeline.
    pub(crate) fn new(
        device: &Device,
        descriptor: &'static KernelDescriptor,
        constants: &'static [u64],
        flags: Flags,
    ) -> Result<Self> {
        check_constants(descriptor, constants)?;
        check_device(descriptor, constants, flags.variant.listed_images, &device.info)?;
        if flags.variant.has_parameters {
            check_buffered(descriptor, &device.info)?;
        }
        let pipeline = match &device.backend {
            Backend::Vulkan(vulkan) => {
                Some(create_pipeline(&vulkan.device, &device.info.limits, (descriptor, constants), flags)?)
            }
            Backend::Host(_) => None,
        };
        Ok(Self { descriptor, constants, pipeline })
    }
}

/// The pipeline of a kernel that was checked.
fn create_pipeline(
    device: &Arc<VulkanDevice>,
    limits: &Limits,
    (descriptor, constants): (&'static KernelDescriptor, &[u64]),
    flags: Flags,
) -> Result<Arc<Pipeline>> {
    let Variant { proven, is_whole, is_full, is_indirect, is_split, .. } = flags.variant;
    let of_params = (0..).zip(constants.iter().copied());
    let on = [(IS_INDIRECT, is_indirect), (IS_WHOLE, is_whole), (IS_FULL, is_full), (IS_SPLIT, is_split)];
    let natives = NATIVES.into_iter().zip(flags.has_native);
    let on = proven.constants().chain(natives).chain(on).filter(|(_, is_set)| *is_set).map(|(id, _)| (id, 1));
    let values: Vec<(u32, u64)> = of_params.chain(on).collect();
    let batch = descriptor.batch.filter(|_| flags.variant.is_batched);
    let entry_point = batch.map_or(descriptor.entry_point, |batch| batch.entry_point);
    let variant =
        VariantDesc { entry_point, constants: &values, keeps_names: device.has_tools(), faults: device.caps.faults };
    let mut words = words_for(descriptor, &device.caps, &variant)?.into();
    let mut bindings = bindings_of(descriptor, flags.variant.listed_images);
    let name = KernelName::from(descriptor.name);
    let parameters = match flags.variant.has_parameters {
        true => buffered((&name, &mut words), &mut bindings, limits.max_buffers)?,
        false => None,
    };
    let records: Vec<u32> = descriptor.trap_binding.into_iter().chain(descriptor.print_binding).collect();
    let addresses = match flags.variant.by_address {
        true => {
            let place = (descriptor.push_constant_size, device.caps.storage_alignment);
            addressed(&mut words, &mut bindings, &records, place)
        }
        false => None,
    };
    let push_end = descriptor.push_constant_size;
    let push_end = addresses.as_ref().map_or(push_end, |found| found.offset + 8 * found.bindings.len() as u32);
    let watch = watched((&name, &mut words), &mut bindings, (&device.caps, limits.max_buffers))?;
    let desc = PipelineDesc {
        name: descriptor.name,
        words: &words,
        entry_point,
        bindings: &bindings,
        watch,
        parameters,
        addresses,
        push_constant_size: if parameters.is_some() { 0 } else { push_end },
        constants: Constants::default(),
        width: descriptor.workgroup_with(constants)[0],
        uses_subgroups: descriptor.parallel.subgroup_operations != SubgroupOperations(0),
        subgroup_size: descriptor.parallel.subgroup_size,
    };
    Pipeline::get(device, &desc)
}

/// The most bytes of push constants with addresses behind them.
pub(crate) const MOST_WITH_ADDRESSES: usize = 2 * MAX_PUSH_BYTES;

/// Whether launches of a kernel find their buffers by addresses where all have one: the device wants that, and there is room for them.
fn wants_addresses(device: &Device, descriptor: &KernelDescriptor) -> bool {
    let Backend::Vulkan(vulkan) = &device.backend else { return false };
    let is_bound = |param: &&Param| !matches!(param.kind, ParamKind::Value { .. });
    let bound = descriptor.params.iter().filter(is_bound).count() as u32;
    let end = descriptor.push_constant_size.next_multiple_of(8).saturating_add(8 * bound);
    vulkan.device.caps.by_address && end <= device.info.limits.max_push_constants.min(MOST_WITH_ADDRESSES as u32)
}

/// Whether a launch finds its buffers by addresses.
pub(crate) fn takes_addresses(device: &Device, descriptor: &KernelDescriptor, arguments: &[BufferArg]) -> bool {
    wants_addresses(device, descriptor) && have_addresses(arguments)
}

/// Whether each buffer among arguments has an address.
pub(crate) fn have_addresses(arguments: &[BufferArg]) -> bool {
    arguments.iter().all(|argument| argument.buffer.vulkan().is_none_or(|buffer| buffer.address().is_some()))
}

/// The bindings of a kernel's buffers and images, those of traps and prints included; lists of images have room for so many, at the
/// least for the fewest.
fn bindings_of(descriptor: &KernelDescriptor, listed_images: u32) -> Vec<Binding> {
    let list = Some(listed_images.max(LEAST_LISTED));
    let binding = |kind: ParamKind| match kind {
        ParamKind::Buffer { binding, .. }
        | ParamKind::Distinct { binding }
        | ParamKind::Offsets { binding }
        | ParamKind::Claims { binding }
        | ParamKind::List { binding, .. } => Some(Binding::buffer(binding)),
        ParamKind::Texels { binding, .. } => Some(Binding { is_texels: true, ..Binding::buffer(binding) }),
        ParamKind::Image { binding, access, .. } => Some(Binding::image(binding, access)),
        ParamKind::Images { binding, access, .. } => Some(Binding { list, ..Binding::image(binding, access) }),
        ParamKind::Value { .. } => None,
    };
    let of_params = descriptor.params.iter().filter_map(|param| binding(param.kind));
    let records = descriptor.trap_binding.into_iter().chain(descriptor.print_binding);
    of_params.chain(records.map(Binding::buffer)).collect()
}

/// Checks the values of a kernel's const parameters by themselves.
fn check_constants(descriptor: &'static KernelDescriptor, constants: &[u64]) -> Result<()> {
    let kernel = || KernelName::from(descriptor.name);
    if constants.len() != descriptor.constants.len() {
        return Err(Error::InvalidModule { kernel: kernel(), cause: "it has another number of const parameters" });
    }
    for (param, value) in descriptor.constants.iter().zip(constants) {
        let invalid = |why| Err(Error::InvalidConstant { kernel: kernel(), constant: param.name, value: *value, why });
        if param.is_size && *value == 0 {
            return invalid("a workgroup or an array cannot have this size");
        }
        if param.ty == ConstType::U32 && *value > u32::MAX.into() {
            return invalid("the device counts in 32 bits");
        }
    }
    Ok(())
}

/// Checks that the device has in buffers the narrow integers that a kernel has in push constants.
fn check_buffered(descriptor: &'static KernelDescriptor, info: &DeviceInfo) -> Result<()> {
    let of_buffers = |feature| match feature {
        Feature::PushConstant8 => Some(Feature::Storage8),
        Feature::PushConstant16 => Some(Feature::Storage16),
        _ => None,
    };
    let missing = descriptor.features.iter().find_map(|needed| {
        let feature = of_buffers(needed.feature).filter(|feature| !info.has(*feature))?;
        Some((feature, needed.location))
    });
    match missing {
        None => Ok(()),
        Some((feature, location)) => Err(Error::MissingFeature {
            kernel: descriptor.name.into(),
            feature,
            file: location.file,
            line: location.line,
            device: info.name.clone(),
        }),
    }
}

/// Checks what a kernel needs against what a device has, before the driver sees any of it.
fn check_device(
    descriptor: &'static KernelDescriptor,
    constants: &[u64],
    listed_images: u32,
    info: &DeviceInfo,
) -> Result<()> {
    let (kernel, limits) = (|| KernelName::from(descriptor.name), &info.limits);
    if let Some(missing) =
        descriptor.features.iter().find(|needed| !info.has(needed.feature) && Width::of(needed.feature).is_none())
    {
        return Err(Error::MissingFeature {
            kernel: kernel(),
            feature: missing.feature,
            file: missing.location.file,
            line: missing.location.line,
            device: info.name.clone(),
        });
    }
    let asked = descriptor.workgroup_with(constants);
    check_workgroup(&kernel(), asked, limits)?;
    check_parallel(descriptor, constants, info)?;
    if descriptor.push_constant_size > limits.max_push_constants {
        let (asked, limit) = (descriptor.push_constant_size, limits.max_push_constants);
        return Err(Error::PushConstantsTooLarge { kernel: kernel(), asked, limit });
    }
    let mut bindings = bindings_of(descriptor, listed_images);
    let asked = bindings.iter().filter(|binding| binding.image.is_none() && !binding.is_texels).count() as u32;
    // The compiler counts bindings from zero; other numbers would cost memory in proportion.
    bindings.sort_unstable_by_key(|binding| binding.number);
    if bindings.iter().zip(0..).any(|(binding, position)| binding.number != position) {
        return Err(Error::InvalidModule { kernel: kernel(), cause: "its bindings are not numbered from zero" });
    }
    if asked > limits.max_buffers {
        return Err(Error::TooManyBuffers { kernel: kernel(), asked, limit: limits.max_buffers });
    }
    let count = |sampled: bool| {
        let is_counted = |binding: &&Binding| match binding.image {
            Some(access) => (access == ImageAccess::Sample) == sampled,
            None => sampled && binding.is_texels,
        };
        bindings.iter().filter(is_counted).map(|binding| binding.count()).fold(0, u32::saturating_add)
    };
    for (asked, limit) in [(count(false), limits.max_images), (count(true), limits.max_sampled_images)] {
        if asked > limit {
            return Err(Error::TooManyImages { kernel: kernel(), asked, limit });
        }
    }
    Ok(())
}

/// Checks a workgroup's size.
pub(crate) fn check_workgroup(kernel: &KernelName, asked: [u32; 3], limits: &Limits) -> Result<()> {
    let invocations = asked.iter().map(|size| u128::from(*size)).product::<u128>();
    let is_too_large = (0..3).any(|axis| asked[axis] > limits.max_workgroup[axis]);
    if is_too_large || invocations > u128::from(limits.max_workgroup_invocations) || invocations == 0 {
        let (limit, limit_total) = (limits.max_workgroup, limits.max_workgroup_invocations);
        return Err(Error::WorkgroupTooLarge { kernel: kernel.clone(), asked, limit, limit_total });
    }
    Ok(())
}

/// Checks that a device has the subgroup operations that a kernel uses.
pub(crate) fn check_subgroups(kernel: &KernelName, used: SubgroupOperations, info: &DeviceInfo) -> Result<()> {
    let has = info.limits.subgroup.operations;
    let missing: Vec<&str> = SubgroupOperations::NAMES
        .iter()
        .filter(|(group, _)| used.contains(*group) && !has.contains(*group))
        .map(|(_, name)| *name)
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(Error::MissingSubgroupOperations {
            kernel: kernel.clone(),
            missing: missing.join(", "),
            device: info.name.clone(),
        }),
    }
}

/// Checks what a kernel's invocations do together.
fn check_parallel(descriptor: &'static KernelDescriptor, constants: &[u64], info: &DeviceInfo) -> Result<()> {
    let kernel = || KernelName::from(descriptor.name);
    let (parallel, limits) = (&descriptor.parallel, &info.limits);
    let shared_bytes = descriptor.shared_bytes_with(constants);
    if shared_bytes > limits.max_shared_bytes {
        let (asked, limit) = (shared_bytes, limits.max_shared_bytes);
        return Err(Error::SharedMemoryTooLarge { kernel: kernel(), asked, limit });
    }
    check_subgroups(&kernel(), parallel.subgroup_operations, info)?;
    check_matrices(descriptor, constants, info)?;
    let Some(asked) = parallel.subgroup_size else { return Ok(()) };
    let SubgroupLimits { size, min_size, max_size, max_subgroups, .. } = limits.subgroup;
    let invocations =
        descriptor.workgroup_with(constants).iter().fold(1u32, |product, size| product.saturating_mul(*size));
    let is_in_range = (min_size..=max_size).contains(&asked) && invocations.div_ceil(asked.max(1)) <= max_subgroups;
    if asked != size && !is_in_range {
        let available = match min_size == max_size {
            true => size.to_string(),
            false => format!("{min_size} to {max_size}, at most {max_subgroups} in a workgroup"),
        };
        return Err(Error::SubgroupSizeUnavailable { kernel: kernel(), asked, device: info.name.clone(), available });
    }
    Ok(())
}

/// Checks that the workgroups of a kernel with matrices are made of whole subgroups.
fn check_matrices(descriptor: &'static KernelDescriptor, constants: &[u64], info: &DeviceInfo) -> Result<()> {
    let has_matrices = descriptor.features.iter().any(|needed| matches!(needed.feature, Feature::CooperativeMatrix(_)));
    if !has_matrices || info.kind == DeviceKind::Host {
        return Ok(());
    }
    let lanes = descriptor.parallel.subgroup_size.unwrap_or(info.limits.subgroup.size).max(1);
    let width = descriptor.workgroup_with(constants)[0];
    if width.is_multiple_of(lanes) {
        return Ok(());
    }
    Err(Error::PartialSubgroups { kernel: descriptor.name.into(), width, lanes, device: info.name.clone() })
}

#[cfg(test)]
mod tests {
    use gridwise_ir::descriptor::{Feature, FeatureUse, Location};

    use super::*;

    #[test]
    fn a_missing_feature_is_named_with_kernel_and_line() {
        const NEEDS: KernelDescriptor = KernelDescriptor {
            features: &[FeatureUse {
                feature: Feature::Int8,
                location: Location { file: "src/blur.rs", line: 12, column: 9 },
            }],
            ..KernelDescriptor::new(
                "blur",
                Location { file: "src/blur.rs", line: 3, column: 1 },
                &[],
                "main",
                [64, 1, 1],
                0,
            )
        };
        let mut info = DeviceInfo::host();
        assert!(check_device(&NEEDS, &[], 0, &info).is_ok());
        info.features.retain(|feature| *feature != Feature::Int8);
        let error = check_device(&NEEDS, &[], 0, &info).expect_err("the device lacks it").to_string();
        assert_eq!(
            error,
            "kernel `blur` needs the device feature `shaderInt8`, because of src/blur.rs:12; `host` lacks it; choose another device, or do without it"
        );
    }
}
