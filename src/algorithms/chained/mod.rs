//! Scans of runs in one pass, where workgroups may wait for each other: elements are read once and results written once.
//!
//! Tiles are numbered as workgroups come, so that all tiles before one are under way. Each tells how many heads it has and the result from
//! its last head on; the last of a group of tiles tells the same of the group, the last of a block of groups that of all elements up to its
//! end. What flows into a tile is put together from these in an order that depends on its number alone, so that sums of floats do not
//! depend on which workgroup was faster.

mod scan;
mod states;
mod vectors;

use super::lines::{self, WIDTH};
use super::progress::{Progress, has_wide_atomics};
use super::stages::Stages;
use super::{Word, sealed};
use crate::prelude::*;
use crate::{Result, TensorView};

pub(super) use scan::scan;
use states::FAN;
pub(super) use states::{
    before_f32, before_i32, before_u32, bits_of_f32, bits_of_i32, bits_of_u32, from_bits_f32, from_bits_i32,
    from_bits_u32, take_tile,
};
use vectors::VECTORS;
pub(super) use vectors::{up_to_f32, up_to_i32, up_to_u32, with_f32, with_i32, with_u32};

/// States count fewer heads.
const MOST: usize = 1 << 31;

/// Tiles and their states.
pub(super) struct Chain {
    pub(super) tiles: u32,
    states: Tensor<u32>,
}

impl Chain {
    /// Tiles of vectors; none if there is no passing in one go, or the tensor is too short.
    fn new(stages: &mut Stages, mgr: &Manager, len: usize) -> Result<Option<Self>> {
        if len < 4 {
            Ok(None)
        } else {
            Self::of_tiles(stages, mgr, (len / 4).div_ceil((WIDTH * VECTORS) as usize), len)
        }
    }

    /// So many tiles; none where there is no passing in one go: workgroups do not wait for each other, or elements are too many.
    pub(super) fn of_tiles(stages: &mut Stages, mgr: &Manager, tiles: usize, len: usize) -> Result<Option<Self>> {
        let (device, limits) = (mgr.device(), &mgr.device().limits);
        let can_wait = Progress::of(mgr) == Progress::Guaranteed && has_wide_atomics(device);
        let is_wide = limits.subgroup.max_size <= 32 && limits.max_workgroup_invocations >= WIDTH;
        if !can_wait || !is_wide || tiles == 0 || len >= MOST {
            return Ok(None);
        }
        let states = tiles + tiles.div_ceil(FAN as usize) + tiles.div_ceil((FAN * FAN) as usize) + 1;
        let mut states = mgr.tensor_of_len::<u32>(2 * states)?;
        stages.fill(&mut states, 0);
        Ok(Some(Self { tiles: tiles as u32, states }))
    }

    pub(super) fn grid(&self) -> Grid {
        lines::groups(self.tiles as usize)
    }

    pub(super) fn states(&self) -> Result<TensorView<'_, u64>> {
        self.states.cast()
    }
}

/// Elements that begin runs: those that differ from the one before, or those that are marked.
#[derive(Debug)]
pub struct Heads<'a, K: Word> {
    pub(super) keys: &'a Tensor<K>,
    pub(super) are_marks: bool,
}

macro_rules! chained {
    ($($ty:ident $Vector:ident $Scan:ident $ScanRest:ident;)+) => { $(
        impl sealed::Chained for $ty {
            type Vectors = $Vector;
            type ScanChained<const INCLUSIVE: bool, const MARKS: bool> = scan::$Scan<INCLUSIVE, MARKS>;
            type ScanRest<const INCLUSIVE: bool, const MARKS: bool> = scan::$ScanRest<INCLUSIVE, MARKS>;
        }
    )+ };
}

chained! {
    u32 UVec4 ScanChainedU32 ScanRestU32;
    i32 IVec4 ScanChainedI32 ScanRestI32;
    f32 Vec4 ScanChainedF32 ScanRestF32;
}
