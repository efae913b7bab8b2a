//! Builtins: ids and sizes of the running invocation, by name and type. The back end decides how a device reads them.

/// An id or size of the running invocation: a `UVec3` or a `u32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Position of the invocation in the grid.
    GlobalId,
    /// Position of the invocation in its workgroup.
    LocalId,
    /// Position of the workgroup in the grid.
    WorkgroupId,
    /// Workgroups in the grid.
    NumWorkgroups,
    /// Invocations of a workgroup along each axis.
    WorkgroupSize,
    /// Number of the invocation in its workgroup, x first, then y, then z: a `u32`.
    LocalIndex,
    /// Lanes of a subgroup, a power of two of at most 128: a `u32`.
    SubgroupSize,
    /// Number of the subgroup in its workgroup: a `u32`.
    SubgroupId,
    /// Lane of the invocation in its subgroup: a `u32`.
    SubgroupLocalId,
    /// Subgroups in the workgroup: a `u32`.
    NumSubgroups,
}

impl Builtin {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::GlobalId,
        Self::LocalId,
        Self::WorkgroupId,
        Self::NumWorkgroups,
        Self::WorkgroupSize,
        Self::LocalIndex,
        Self::SubgroupSize,
        Self::SubgroupId,
        Self::SubgroupLocalId,
        Self::NumSubgroups,
    ];

    /// The name of the built-in function that reads it, in kernels and in the text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GlobalId => "global_id",
            Self::LocalId => "local_id",
            Self::WorkgroupId => "workgroup_id",
            Self::NumWorkgroups => "num_workgroups",
            Self::WorkgroupSize => "workgroup_size",
            Self::LocalIndex => "local_index",
            Self::SubgroupSize => "subgroup_size",
            Self::SubgroupId => "subgroup_id",
            Self::SubgroupLocalId => "subgroup_local_id",
            Self::NumSubgroups => "num_subgroups",
        }
    }

    /// Whether it is one `u32`, not three.
    pub const fn is_scalar(self) -> bool {
        !matches!(self, Self::GlobalId | Self::LocalId | Self::WorkgroupId | Self::NumWorkgroups | Self::WorkgroupSize)
    }

    /// Whether it speaks of subgroups, so that devices must have them in compute kernels.
    pub const fn is_of_subgroup(self) -> bool {
        matches!(self, Self::SubgroupSize | Self::SubgroupId | Self::SubgroupLocalId | Self::NumSubgroups)
    }
}
