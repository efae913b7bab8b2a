//! Lines of items in grids: workgroups numbered in a row, also where there are more of them than an axis of a grid has.

use crate::prelude::*;

/// Invocations of a workgroup of [`items`].
#[device]
pub(super) const WIDTH: u32 = 256;
/// Workgroups along an axis that every device has.
const AXIS: usize = 65_535;
/// Workgroups of a row, where there are several rows.
const ROW: usize = 1 << 15;

/// A grid of at least `count` workgroups. Each one finds its number by [`group`], and has nothing to do from `count` on.
pub(super) fn groups(count: usize) -> Grid {
    if count <= AXIS { Grid::groups([count, 1]) } else { Grid::groups([ROW, count.div_ceil(ROW)]) }
}

/// A grid of at least `len` invocations in workgroups of [`WIDTH`]. Each one finds its number by [`item`].
pub(super) fn items(len: usize) -> Grid {
    groups(len.div_ceil(WIDTH as usize))
}

/// The number of a workgroup.
#[device]
pub(super) fn group() -> u32 {
    workgroup_id().y * num_workgroups().x + workgroup_id().x
}

/// The number of an invocation in workgroups of [`WIDTH`].
#[device]
pub(super) fn item() -> u32 {
    group().saturating_mul(WIDTH).saturating_add(local_id().x)
}
