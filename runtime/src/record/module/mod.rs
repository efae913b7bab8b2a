//! Algorithms from SPIR-V that is loaded at run time: checked as a whole before a driver sees it, launched by what it says of itself.

mod launch;

use std::borrow::Cow;
use std::sync::Arc;

use gridwise_ir::descriptor::{Feature, ImageAccess};
use gridwise_ir::reflect::{ImageBinding, Interface, ModuleError, ScalarType, WorkgroupSize, words_of};
use half::f16;

pub use launch::{BindingPlace, ModuleLaunch};

use crate::core::error::{Error, KernelName, Result};
use crate::core::span::span;
use crate::device::executable::Executable;
use crate::device::vulkan::{Binding, Caps, Constants, Pipeline, PipelineDesc, watched};
use crate::device::{Backend, Device, DeviceInfo};
use crate::record::algorithm::{check_subgroups, check_workgroup};
use crate::record::indirect::AnyGrid;

/// SPIR-V to load with [`Algorithm::from_spirv`](crate::Algorithm::from_spirv).
///
/// ```
/// use gridwise::{Algorithm, Manager, Result, SpirvAlgorithm, SpirvCode, SpirvDesc};
///
/// /// Loads a module that was compiled for `workgroup` invocations by specialization constant 0.
/// fn load(manager: &Manager, bytes: &[u8], workgroup: u32) -> Result<SpirvAlgorithm> {
///     let constants = &[(0, workgroup.into())];
///     let desc = SpirvDesc { name: "blur", code: SpirvCode::Bytes(bytes), entry_point: Some("main"), constants };
///     // SAFETY: the module stays within its buffers, whatever the workgroup is.
///     unsafe { Algorithm::from_spirv(manager, &desc) }
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SpirvDesc<'a> {
    /// A name for errors and the driver's tools.
    pub name: &'a str,
    /// The module.
    pub code: SpirvCode<'a>,
    /// The entry point; may be left out where there is only one.
    pub entry_point: Option<&'a str>,
    /// Values of specialization constants, by their numbers; others keep the module's own.
    pub constants: &'a [(u32, Constant)],
}

/// A module as words, or as the bytes of a file.
///
/// ```standalone_crate
/// use gridwise::SpirvCode;
///
/// let file = include_bytes!("../../../tests/modules/scale.spv");
/// let code = SpirvCode::Bytes(file); // of a compiler that gives words, `SpirvCode::Words`
/// assert!(matches!(code, SpirvCode::Bytes([3, 2, 35, 7, ..])));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum SpirvCode<'a> {
    /// Words, in the machine's byte order.
    Words(&'a [u32]),
    /// Bytes, in either order.
    Bytes(&'a [u8]),
}

/// The value of a specialization constant.
///
/// ```
/// use gridwise::Constant;
///
/// // For `layout(constant_id = 0) const float factor` and `layout(constant_id = 1) const bool flip`.
/// let constants: [(u32, Constant); 2] = [(0, 1.5f32.into()), (1, true.into())];
/// assert_eq!(constants[1].1, Constant::Bool(true));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "they are Rust's types")]
pub enum Constant {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F16(f16),
    F32(f32),
    F64(f64),
}

impl Constant {
    /// Its type's number, and its bits.
    #[cfg(unix)]
    pub(crate) fn parts(self) -> (u8, u64) {
        (self.ty() as u8, self.bits())
    }

    /// The constant of [`parts`](Self::parts); `None` where there is no such type.
    #[cfg(unix)]
    pub(crate) fn of_parts(kind: u8, bits: u64) -> Option<Self> {
        let all = [
            Self::Bool(bits != 0),
            Self::I8(bits as i8),
            Self::I16(bits as i16),
            Self::I32(bits as i32),
            Self::I64(bits as i64),
            Self::U8(bits as u8),
            Self::U16(bits as u16),
            Self::U32(bits as u32),
            Self::U64(bits),
            Self::F16(f16::from_bits(bits as u16)),
            Self::F32(f32::from_bits(bits as u32)),
            Self::F64(f64::from_bits(bits)),
        ];
        all.into_iter().find(|constant| constant.ty() as u8 == kind)
    }
}

macro_rules! constants {
    ($($ty:ty = $variant:ident, |$value:ident| $bits:expr;)+) => {
        $(impl From<$ty> for Constant {
            fn from(value: $ty) -> Self {
                Self::$variant(value)
            }
        })+

        impl Constant {
            fn ty(self) -> ScalarType {
                match self {
                    $(Self::$variant(_) => ScalarType::$variant,)+
                }
            }

            pub(crate) fn bits(self) -> u64 {
                match self {
                    $(Self::$variant($value) => $bits,)+
                }
            }
        }
    };
}

constants! {
    bool = Bool, |value| value.into();
    i8 = I8, |value| value as u8 as u64;
    i16 = I16, |value| value as u16 as u64;
    i32 = I32, |value| value as u32 as u64;
    i64 = I64, |value| value as u64;
    u8 = U8, |value| value.into();
    u16 = U16, |value| value.into();
    u32 = U32, |value| value.into();
    u64 = U64, |value| value;
    f16 = F16, |value| value.to_bits().into();
    f32 = F32, |value| value.to_bits().into();
    f64 = F64, |value| value.to_bits();
}

/// A module that is ready to run on a manager's device; made by [`Algorithm::from_spirv`](crate::Algorithm::from_spirv).
///
/// ```
/// use gridwise::{Grid, Result, Sequence, SpirvAlgorithm, Tensor};
///
/// /// Launches `layout(binding = 0) readonly buffer` and `layout(binding = 1) buffer`, both of floats.
/// fn blur(sequence: &Sequence, blur: &SpirvAlgorithm, from: &Tensor<f32>, to: &mut Tensor<f32>) -> Result<()> {
///     sequence.record(blur.launch(Grid::items(to.len())).read(0, from).write(1, to)).map(drop)
/// }
/// ```
#[derive(Debug, Clone)]
pub struct SpirvAlgorithm {
    loaded: Arc<Loaded>,
}

/// The state of an algorithm from SPIR-V.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) name: KernelName,
    words: Vec<u32>,
    pub(crate) interface: Interface,
    pub(crate) workgroup: [u32; 3],
    constants: Vec<(u32, Constant)>,
    /// Whether launches may give several buffers the same memory.
    pub(crate) is_aliasing: bool,
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) device: Arc<Device>,
}

impl SpirvAlgorithm {
    pub(crate) fn new(device: &Arc<Device>, desc: &SpirvDesc<'_>) -> Result<Self> {
        let refuse =
            |error: ModuleError| Error::ModuleRefused { module: desc.name.to_owned(), cause: error.to_string() };
        let words = match desc.code {
            SpirvCode::Words(words) => words.to_vec(),
            SpirvCode::Bytes(bytes) => words_of(bytes).map_err(refuse)?,
        };
        let (words, interface) = Interface::accept(&words, desc.entry_point).map_err(refuse)?;
        Self::load(device, desc.name.to_owned().into(), words, interface, desc.constants, false)
    }

    fn load(
        device: &Arc<Device>,
        name: KernelName,
        words: Vec<u32>,
        interface: Interface,
        constants: &[(u32, Constant)],
        is_aliasing: bool,
    ) -> Result<Self> {
        span!("create_pipeline", kernel = &*name);
        check_constants(&name, &interface, constants)?;
        let workgroup = workgroup_of(&interface, constants);
        let Backend::Vulkan(vulkan) = &device.backend else {
            return Err(Error::NeedsVulkan { kernel: name });
        };
        check_device(&name, &interface, workgroup, &device.info, &vulkan.device.caps)?;
        let mut values = Constants::default();
        let is_known = |number: u32| interface.constants.iter().any(|declared| declared.number == number);
        for (number, constant) in constants.iter().filter(|(number, _)| is_known(*number)) {
            let size = constant.ty().size() as usize;
            values.push(*number, size, constant.bits());
        }
        let buffers = interface.buffers.iter().map(|buffer| Binding::buffer(buffer.slot));
        let image = |image: &ImageBinding| Binding::image(image.slot, image.access);
        let mut bindings: Vec<_> = buffers.chain(interface.images.iter().map(image)).collect();
        let mut watching = Cow::Borrowed(words.as_slice());
        let limit = device.info.limits.max_buffers;
        let watch = watched((&name, &mut watching), &mut bindings, (&vulkan.device.caps, limit))?;
        let pipeline = Pipeline::get(
            &vulkan.device,
            &PipelineDesc {
                name: &name,
                words: &watching,
                watch,
                parameters: None,
                addresses: None,
                entry_point: &interface.entry_point,
                bindings: &bindings,
                push_constant_size: interface.push_constant_size,
                constants: values,
                width: workgroup[0],
                uses_subgroups: interface.subgroup_operations.0 != 0,
                subgroup_size: None,
            },
        )?;
        let constants = constants.to_vec();
        let device = device.clone();
        let loaded = Loaded { name, words, interface, workgroup, constants, is_aliasing, pipeline, device };
        Ok(Self { loaded: Arc::new(loaded) })
    }

    /// The same module with other values of its specialization constants; those not named have the module's own.
    ///
    /// ```
    /// use gridwise::{Result, SpirvAlgorithm};
    ///
    /// /// The module for workgroups of other sizes, by its constant 7.
    /// fn sizes(module: &SpirvAlgorithm) -> Result<Vec<SpirvAlgorithm>> {
    ///     [64u32, 128, 256].into_iter().map(|size| module.rebuild(&[(7, size.into())])).collect()
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`Algorithm::from_spirv`](crate::Algorithm::from_spirv).
    pub fn rebuild(&self, constants: &[(u32, Constant)]) -> Result<Self> {
        let Loaded { name, words, interface, device, is_aliasing, .. } = &*self.loaded;
        Self::load(device, name.clone(), words.clone(), interface.clone(), constants, *is_aliasing)
    }

    /// The same module, for launches that bind one tensor several times. The driver then assumes that the module's
    /// buffers may alias.
    ///
    /// ```
    /// use gridwise::{Grid, Result, Sequence, SpirvAlgorithm, Tensor};
    ///
    /// /// Scales a tensor in place, by a module with a binding to read from and one to write to.
    /// fn in_place(sequence: &Sequence, scale: &SpirvAlgorithm, values: &mut Tensor<f32>) -> Result<()> {
    ///     // SAFETY: each invocation reads the one element that it writes.
    ///     let scale = unsafe { scale.aliasing() }?;
    ///     sequence.record(scale.launch(Grid::items(values.len())).read(0, &*values).write(1, values)).map(drop)
    /// }
    /// ```
    ///
    /// # Errors
    /// When the module declares a buffer as `restrict`, which promises the opposite.
    ///
    /// # Safety
    /// If a launch binds the same elements several times, the module must not race through the bindings: no invocation
    /// reads or writes through one binding an element that another writes through another binding, without a barrier or
    /// an atomic operation.
    pub unsafe fn aliasing(&self) -> Result<Self> {
        let Loaded { name, words, interface, device, constants, .. } = &*self.loaded;
        let words = interface
            .aliased(words)
            .map_err(|error| Error::ModuleRefused { module: name.to_string(), cause: error.cause })?;
        Self::load(device, name.clone(), words, interface.clone(), constants, true)
    }

    /// The driver's figures for the module, as [`Algorithm::executables`](crate::Algorithm::executables).
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Result, SpirvAlgorithm};
    ///
    /// fn tell(module: &SpirvAlgorithm) -> Result<()> {
    ///     module.executables()?.iter().for_each(|executable| print!("{executable}"));
    ///     Ok(())
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the manager was not made for it, or the device does not tell.
    pub fn executables(&self) -> Result<Vec<Executable>> {
        self.loaded.pipeline.executables()
    }

    /// The interface that the module declares: bindings, push constants, specialization constants.
    ///
    /// ```
    /// use gridwise::SpirvAlgorithm;
    ///
    /// /// The bindings that a launch has to be given tensors for.
    /// fn bindings(module: &SpirvAlgorithm) -> Vec<u32> {
    ///     module.interface().buffers.iter().map(|buffer| buffer.binding).collect()
    /// }
    /// ```
    pub fn interface(&self) -> &Interface {
        &self.loaded.interface
    }

    /// The specialization constants that were given, by their numbers; others have the values that
    /// [`interface`](Self::interface) tells.
    ///
    /// ```
    /// use gridwise::{Constant, Result, SpirvAlgorithm};
    ///
    /// /// The module with one constant changed.
    /// fn with(module: &SpirvAlgorithm, number: u32, value: Constant) -> Result<SpirvAlgorithm> {
    ///     let mut constants = module.constants().to_vec();
    ///     constants.retain(|(other, _)| *other != number);
    ///     constants.push((number, value));
    ///     module.rebuild(&constants)
    /// }
    /// ```
    pub fn constants(&self) -> &[(u32, Constant)] {
        &self.loaded.constants
    }

    /// The name it was given.
    ///
    /// ```
    /// fn title(module: &gridwise::SpirvAlgorithm) -> String {
    ///     format!("{} in workgroups of {:?}", module.name(), module.workgroup())
    /// }
    /// ```
    pub fn name(&self) -> &str {
        &self.loaded.name
    }

    /// Invocations per workgroup.
    ///
    /// ```
    /// use gridwise::{Grid, SpirvAlgorithm};
    ///
    /// /// As many workgroups as cover `len` items.
    /// fn cover(module: &SpirvAlgorithm, len: u32) -> Grid {
    ///     Grid::groups(len.div_ceil(module.workgroup()[0]))
    /// }
    /// ```
    pub fn workgroup(&self) -> [u32; 3] {
        self.loaded.workgroup
    }

    /// A launch; give it arguments and record it. A grid in items is rounded up to whole workgroups, and the module
    /// itself has to mask the invocations beyond the grid.
    ///
    /// ```
    /// use gridwise::{Grid, Result, Sequence, SpirvAlgorithm, Tensor};
    ///
    /// /// As many workgroups as a kernel before wrote into `counts`.
    /// fn work(sequence: &Sequence, module: &SpirvAlgorithm, counts: &Tensor<u32>, to: &mut Tensor<f32>) -> Result<()> {
    ///     sequence.record(module.launch(Grid::indirect(counts)).write(0, to)).map(drop)
    /// }
    /// ```
    pub fn launch(&self, grid: impl Into<AnyGrid>) -> ModuleLaunch {
        ModuleLaunch::new(self.loaded.clone(), grid.into())
    }
}

/// The value of a constant that sizes the workgroup; what is too large for it is refused as too large.
fn workgroup_of(interface: &Interface, constants: &[(u32, Constant)]) -> [u32; 3] {
    interface.workgroup.map(|size| match size {
        WorkgroupSize::Known(size) => size,
        WorkgroupSize::Constant(number) => {
            let given = constants.iter().find(|(other, _)| *other == number).map(|(_, constant)| constant.bits());
            let own = interface.constants.iter().find(|constant| constant.number == number);
            let bits = given.or(own.map(|constant| constant.default)).unwrap_or(0);
            u32::try_from(bits).unwrap_or(u32::MAX)
        }
    })
}

/// Checks that constants are given once each, and have the module's types.
fn check_constants(name: &KernelName, interface: &Interface, constants: &[(u32, Constant)]) -> Result<()> {
    for (index, (number, constant)) in constants.iter().enumerate() {
        let declared = interface.constants.iter().find(|declared| declared.number == *number);
        let is_repeated = constants[..index].iter().any(|(other, _)| other == number);
        let expected = match declared {
            _ if is_repeated => "one value".to_owned(),
            Some(declared) if declared.ty != constant.ty() => declared.ty.name().to_owned(),
            // One that the module does not have, or no longer has, is without meaning in Vulkan.
            None | Some(_) => continue,
        };
        let found = format!("{} of type {}", if is_repeated { "another" } else { "a value" }, constant.ty().name());
        return Err(Error::ConstantMismatch { module: name.clone(), number: *number, expected, found });
    }
    Ok(())
}

/// Checks what a module needs against what a device has.
fn check_device(
    name: &KernelName,
    interface: &Interface,
    workgroup: [u32; 3],
    info: &DeviceInfo,
    caps: &Caps,
) -> Result<()> {
    let limits = &info.limits;
    let needs = |needs: String| Error::ModuleNeeds { module: name.clone(), needs, device: info.name.clone() };
    let newest = if info.api_version.is_some_and(|version| version >= [1, 3, 0]) { [1, 6] } else { [1, 5] };
    if interface.version > newest {
        return Err(needs(format!("SPIR-V {}.{}", interface.version[0], interface.version[1])));
    }
    for (number, capability) in &interface.capabilities {
        let feature = match number {
            9 => Feature::Float16,
            10 => Feature::Float64,
            11 => Feature::Int64,
            12 => Feature::BufferInt64Atomics,
            22 => Feature::Int16,
            39 => Feature::Int8,
            49 => Feature::ExtendedImageFormats,
            4433 => Feature::Storage16,
            4435 => Feature::PushConstant16,
            4448 => Feature::Storage8,
            4450 => Feature::PushConstant8,
            4464 if caps.float_controls.all(|width| width.denorm_preserve) => continue,
            4466 if caps.float_controls.all(|width| width.signed_zero_inf_nan_preserve) => continue,
            4467 if caps.float_controls.all(|width| width.rounding_mode_rte) => continue,
            // A driver's support of these is told for each of our kernels; other modules do without.
            4464 | 4466 | 4467 | 6033 | 6034 => return Err(needs(format!("the capability {capability}"))),
            _ => continue,
        };
        if !info.features.contains(&feature) {
            return Err(needs(feature.vulkan_name().to_owned()));
        }
    }
    if interface.uses_device_scope && !caps.has_device_scope {
        return Err(needs("vulkanMemoryModelDeviceScope".to_owned()));
    }
    check_workgroup(name, workgroup, limits)?;
    check_subgroups(name, interface.subgroup_operations, info)?;
    let asked = u32::try_from(interface.shared_bytes).unwrap_or(u32::MAX);
    if asked > limits.max_shared_bytes {
        let limit = limits.max_shared_bytes;
        return Err(Error::SharedMemoryTooLarge { kernel: name.clone(), asked, limit });
    }
    let (asked, limit) = (interface.push_constant_size, limits.max_push_constants);
    if asked > limit {
        return Err(Error::PushConstantsTooLarge { kernel: name.clone(), asked, limit });
    }
    let (asked, limit) = (interface.buffers.len() as u32, limits.max_buffers);
    // Layouts cost memory in proportion to the largest binding.
    if asked > limit || interface.buffers.last().is_some_and(|buffer| buffer.slot > 0xffff) {
        return Err(Error::TooManyBuffers { kernel: name.clone(), asked, limit });
    }
    let count = |sampled: bool| {
        let images = interface.images.iter().filter(|image| (image.access == ImageAccess::Sample) == sampled);
        images.count() as u32
    };
    let is_far = interface.images.last().is_some_and(|image| image.slot > 0xffff);
    for (asked, limit) in [(count(false), limits.max_images), (count(true), limits.max_sampled_images)] {
        if asked > limit || is_far {
            return Err(Error::TooManyImages { kernel: name.clone(), asked, limit });
        }
    }
    Ok(())
}
