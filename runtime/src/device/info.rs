//! The properties of a device, as users see them. No Vulkan calls.

use std::fmt;

use gridwise_ir::descriptor::{Feature, SubgroupOperations};

use crate::device::address::{DeviceUuid, PciAddress};
use crate::device::host::HostOptions;

/// Bytes of push constants that every Vulkan device takes, and the most a kernel may use.
pub(crate) const MAX_PUSH_BYTES: usize = 128;

/// A device that kernels run on.
///
/// ```
/// use gridwise::{DeviceKind, Manager};
///
/// let gpus = Manager::list_devices().into_iter().filter(|device| {
///     device.is_suitable() && matches!(device.kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu)
/// });
/// for gpu in gpus {
///     println!("{gpu}: {} bytes of shared memory", gpu.limits.max_shared_bytes);
///     assert!(gpu.missing.is_empty());
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its name, as the driver gives it.
    pub name: String,
    /// The kind of device.
    pub kind: DeviceKind,
    /// The driver and its version.
    pub driver: String,
    /// The Vulkan version it speaks; `None` for the host device.
    pub api_version: Option<[u32; 3]>,
    /// Its UUID, by which other processes and other programs name it; `None` for the host device.
    pub uuid: Option<DeviceUuid>,
    /// Its place on the PCI bus, where the driver tells it.
    pub pci: Option<PciAddress>,
    /// The NUMA node whose memory is nearest, where the system tells: the one of [`PciAddress::numa_node`].
    pub numa_node: Option<u32>,
    /// The largest numbers that a kernel may use.
    pub limits: Limits,
    /// The optional features it has. Of subnormal numbers, what the driver promises; [`Manager::subnormals`](crate::Manager::subnormals) asks
    /// what the device does.
    pub features: Vec<Feature>,
    /// The kinds of queues it has.
    pub queue_families: Vec<QueueFamily>,
    /// The requirements of every kernel that the device lacks; empty for a usable device.
    pub missing: Vec<String>,
}

/// Queues of one kind; listed by [`DeviceInfo::queue_families`].
///
/// ```
/// use gridwise::{Manager, QueueKind};
///
/// let device = Manager::host().device().clone();
/// assert!(device.queue_families.iter().any(|family| family.kind == QueueKind::Compute && family.count > 0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueFamily {
    /// The kind of their work.
    pub kind: QueueKind,
    /// How many there are.
    pub count: u32,
    /// Bits of their timestamps; zero where the times of operations cannot be taken.
    pub timestamp_bits: u32,
    /// Whether they scale images.
    pub(crate) can_blit: bool,
}

/// The kind of a queue's work.
///
/// ```
/// use gridwise::{Manager, QueueKind};
///
/// let manager = Manager::host();
/// let only_transfers = manager.queues().iter().position(|queue| queue.kind == QueueKind::Transfer);
/// assert_eq!(only_transfers, None); // the host has one queue, which computes
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QueueKind {
    /// It runs kernels, and transfers.
    Compute,
    /// It copies and fills only, on hardware of its own.
    Transfer,
    /// It does what gridwise has no use for.
    Other,
}

/// Kinds of devices, in the order in which [`Manager::new`](crate::Manager::new) prefers them.
///
/// ```
/// use gridwise::{DeviceKind, Manager};
///
/// let kind = Manager::host().device().kind;
/// assert_eq!((kind, kind.to_string()), (DeviceKind::Host, "host".to_owned()));
/// assert!(DeviceKind::DiscreteGpu < DeviceKind::Cpu, "better devices come first");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// A GPU with memory of its own.
    DiscreteGpu,
    /// A GPU that shares the processor's memory.
    IntegratedGpu,
    /// A GPU lent by a virtual machine.
    VirtualGpu,
    /// A Vulkan driver that runs on the processor.
    Cpu,
    /// Something else that speaks Vulkan.
    Other,
    /// The embedded host device: kernels run as rustc compiled them.
    Host,
}

/// The largest numbers that a kernel and its buffers may use on a device.
///
/// ```
/// let limits = gridwise::Manager::host().device().limits;
/// // As many elements of a tile as workgroups have memory for, and no more than are useful.
/// let tile = (limits.max_shared_bytes / 4).min(1024);
/// assert_eq!(tile, 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Workgroups along each axis in one device command; gridwise splits larger x.
    pub max_groups: [u32; 3],
    /// Invocations of a workgroup along each axis.
    pub max_workgroup: [u32; 3],
    /// Invocations of a workgroup.
    pub max_workgroup_invocations: u32,
    /// Bytes of shared memory of a workgroup.
    pub max_shared_bytes: u32,
    /// The sizes and operations of subgroups.
    pub subgroup: SubgroupLimits,
    /// Bytes of by-value parameters and launch words.
    pub max_push_constants: u32,
    /// Buffers of one kernel.
    pub max_buffers: u32,
    /// Bytes of one buffer.
    pub max_buffer_bytes: u64,
    /// Bytes at whose multiples a part of a tensor begins that a kernel gets ([`Tensor::part`](crate::Tensor::part)); a power of two.
    pub part_alignment: u64,
    /// Elements of a tensor that a kernel reads as texels.
    pub max_texels: u32,
    /// The same as `part_alignment` for parts of tensors that a kernel reads as texels.
    pub texel_alignment: u64,
    /// Images of one kernel that it loads or stores.
    pub max_images: u32,
    /// Images of one kernel that it samples, and tensors that it reads as texels.
    pub max_sampled_images: u32,
}

/// The subgroups of a device.
///
/// ```
/// let subgroup = gridwise::Manager::host().device().limits.subgroup;
/// assert!((subgroup.min_size..=subgroup.max_size).contains(&subgroup.size));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubgroupLimits {
    /// Invocations of a subgroup, when the kernel does not ask for a number.
    pub size: u32,
    /// The fewest a kernel can ask for; as `size` when the device leaves no choice.
    pub min_size: u32,
    /// The most a kernel can ask for.
    pub max_size: u32,
    /// Subgroups that a workgroup may have when the kernel asks for a size.
    pub max_subgroups: u32,
    /// The operations that compute shaders have.
    pub operations: SubgroupOperations,
}

impl DeviceInfo {
    /// The host device.
    pub(crate) fn host() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        Self {
            name: "host".to_owned(),
            kind: DeviceKind::Host,
            driver: format!("{threads} threads"),
            api_version: None,
            uuid: None,
            pci: None,
            numa_node: None,
            limits: Limits {
                // The limits that every Vulkan device has, so that a grid which runs here runs there.
                max_groups: [65_535; 3],
                max_workgroup: [u32::MAX; 3],
                max_workgroup_invocations: u32::MAX,
                max_shared_bytes: u32::MAX,
                subgroup: SubgroupLimits {
                    size: HostOptions::default().subgroup_size,
                    min_size: 1,
                    max_size: 128,
                    max_subgroups: u32::MAX,
                    operations: SubgroupOperations(u32::MAX),
                },
                max_push_constants: MAX_PUSH_BYTES as u32,
                max_buffers: u32::MAX,
                max_buffer_bytes: isize::MAX as u64,
                part_alignment: 1,
                max_texels: u32::MAX,
                texel_alignment: 1,
                max_images: u32::MAX,
                max_sampled_images: u32::MAX,
            },
            features: vec![
                Feature::Float64,
                Feature::Int64,
                Feature::Int16,
                Feature::Int8,
                Feature::Float16,
                Feature::Storage8,
                Feature::Storage16,
                Feature::PushConstant8,
                Feature::PushConstant16,
                Feature::BufferInt64Atomics,
                Feature::SharedInt64Atomics,
                Feature::SubgroupExtendedTypes,
                Feature::ExtendedImageFormats,
                Feature::BufferAddresses,
                Feature::StorageImageLists,
                Feature::SampledImageLists,
                Feature::SubnormalsF16,
                Feature::SubnormalsF32,
                Feature::SubnormalsF64,
            ],
            // As many as are asked for: they are one and the same.
            queue_families: vec![QueueFamily {
                kind: QueueKind::Compute,
                count: u32::MAX,
                timestamp_bits: 64,
                can_blit: true,
            }],
            missing: Vec::new(),
        }
    }

    /// The sanitizer, which runs on the host.
    #[cfg(feature = "sanitizer")]
    pub(crate) fn sanitizer() -> Self {
        Self { name: "sanitizer".to_owned(), driver: "interpreter".to_owned(), ..Self::host() }
    }

    /// Whether kernels may use a feature: one of [`features`](Self::features), and on the host device matrices of any
    /// shape, too.
    ///
    /// ```
    /// use gridwise::{Manager, descriptor::Feature};
    ///
    /// let device = Manager::host().device().clone();
    /// assert!(device.has(Feature::Float16));
    /// ```
    pub fn has(&self, feature: Feature) -> bool {
        let is_of_matrices = matches!(
            feature,
            Feature::CooperativeMatrix(_)
                | Feature::CooperativeProduct(_)
                | Feature::CooperativeBfloat16
                | Feature::CooperativeReductions
                | Feature::CooperativeConversions
        );
        is_of_matrices && self.kind == DeviceKind::Host || self.features.contains(&feature)
    }

    /// Whether kernels can run on it.
    ///
    /// ```
    /// for device in gridwise::Manager::list_devices() {
    ///     if !device.is_suitable() {
    ///         println!("{device} lacks {}", device.missing.join(", "));
    ///     }
    ///     assert_eq!(device.is_suitable(), device.missing.is_empty());
    /// }
    /// ```
    pub fn is_suitable(&self) -> bool {
        self.missing.is_empty()
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == DeviceKind::Host {
            return write!(f, "{} ({})", self.name, self.driver);
        }
        write!(f, "{} ({}, {}", self.name, self.kind, self.driver)?;
        if let Some([major, minor, patch]) = self.api_version {
            write!(f, ", Vulkan {major}.{minor}.{patch}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DiscreteGpu => "discrete GPU",
            Self::IntegratedGpu => "integrated GPU",
            Self::VirtualGpu => "virtual GPU",
            Self::Cpu => "CPU",
            Self::Other => "other",
            Self::Host => "host",
        })
    }
}

impl Limits {
    /// The width to which rows are padded so that each of them can be a part of a tensor that a kernel gets.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let (width, height) = (501, 4);
    /// let pitch = manager.device().limits.padded_width::<f32>(width);
    /// let plane = manager.tensor_of_len::<f32>(pitch * height)?;
    /// let second_row = plane.part(pitch..pitch + width)?; // begins where the device can bind it
    /// assert_eq!((second_row.len(), pitch * size_of::<f32>() % manager.device().limits.part_alignment as usize), (501, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn padded_width<T>(&self, width: usize) -> usize {
        let (size, alignment) = (size_of::<T>().max(1), self.part_alignment.max(1) as usize);
        // Alignments are powers of two.
        let each = alignment >> size.trailing_zeros().min(alignment.trailing_zeros());
        width.checked_next_multiple_of(each).unwrap_or(width)
    }
}
