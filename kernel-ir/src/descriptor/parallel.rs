//! The cooperation of a kernel's invocations, as the descriptor states it.

use super::Spirv;

/// The operations of sets whose elements are bits.
macro_rules! sets {
    ($($name:ident),+) => {
        $(impl $name {
            /// Whether the set holds all of `other`.
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// Both sets.
            pub const fn union(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }

            /// The members of this set that are not in `other`.
            pub const fn without(self, other: Self) -> Self {
                Self(self.0 & !other.0)
            }

            /// Whether the set is empty.
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }
        })+
    };
}

sets!(FloatAtomics, SubgroupOperations);

/// The cooperation of a kernel's invocations, and the conditions that it puts on a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parallel {
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// Whether every workgroup must be full: invocations wait for each other, so none is masked, and the number of items is
    /// a multiple of the workgroup's size along each axis.
    pub full_workgroups: bool,
    /// The subgroup operations the module uses; the device must have them in compute shaders.
    pub subgroup_operations: SubgroupOperations,
    /// The lanes a subgroup must have, when the kernel demands a number.
    pub subgroup_size: Option<u32>,
    /// A variant of the module for devices that add to floats in memory themselves.
    pub native: Option<NativeModule>,
}

/// A variant of a kernel's module with the same interface, in which the device itself adds to atomic floats instead of
/// exchanging them in a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeModule {
    /// The SPIR-V module, as [`KernelDescriptor::spirv`](super::KernelDescriptor::spirv).
    pub spirv: Spirv,
    /// The operations on floats in memory that the device must have.
    pub needs: FloatAtomics,
}

/// A set of kinds of atomic floats that a device adds to by one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FloatAtomics(pub u32);

impl FloatAtomics {
    /// `f32` in buffers: `shaderBufferFloat32Atomics` and `shaderBufferFloat32AtomicAdd`.
    pub const BUFFER_F32: Self = Self(1);
    /// `f32` in shared memory: `shaderSharedFloat32Atomics` and `shaderSharedFloat32AtomicAdd`.
    pub const SHARED_F32: Self = Self(2);
    /// `f64` in buffers: `shaderBufferFloat64Atomics` and `shaderBufferFloat64AtomicAdd`.
    pub const BUFFER_F64: Self = Self(4);
    /// `f64` in shared memory: `shaderSharedFloat64Atomics` and `shaderSharedFloat64AtomicAdd`.
    pub const SHARED_F64: Self = Self(8);
}

impl Parallel {
    /// Of a kernel whose invocations do not know of each other.
    pub const NONE: Self = Self {
        shared_bytes: 0,
        full_workgroups: false,
        subgroup_operations: SubgroupOperations(0),
        subgroup_size: None,
        native: None,
    };
}

/// A set of groups of subgroup operations, with the bits that Vulkan gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SubgroupOperations(pub u32);

impl SubgroupOperations {
    /// Ids and sizes, barriers, `elect`.
    pub const BASIC: Self = Self(1);
    /// `any`, `all`, `all_equal`.
    pub const VOTE: Self = Self(2);
    /// Reductions and scans.
    pub const ARITHMETIC: Self = Self(4);
    /// Ballots and broadcasts.
    pub const BALLOT: Self = Self(8);
    /// `shuffle`, `shuffle_xor`.
    pub const SHUFFLE: Self = Self(16);
    /// `shuffle_up`, `shuffle_down`.
    pub const SHUFFLE_RELATIVE: Self = Self(32);
    /// Reductions of clusters.
    pub const CLUSTERED: Self = Self(64);
    /// Operations of quads.
    pub const QUAD: Self = Self(128);
    /// The groups by which a subgroup does an atomic addition together, where the device has them.
    pub const GATHERING: Self = Self(1 | 4);

    /// The groups with their names, in the order of their bits.
    pub const NAMES: [(Self, &'static str); 8] = [
        (Self::BASIC, "basic"),
        (Self::VOTE, "vote"),
        (Self::ARITHMETIC, "arithmetic"),
        (Self::BALLOT, "ballot"),
        (Self::SHUFFLE, "shuffle"),
        (Self::SHUFFLE_RELATIVE, "shuffle_relative"),
        (Self::CLUSTERED, "clustered"),
        (Self::QUAD, "quad"),
    ];
}

impl core::ops::BitOrAssign for SubgroupOperations {
    fn bitor_assign(&mut self, other: Self) {
        *self = self.union(other);
    }
}
