//! Scans by key: each run of equal keys begins anew.

use super::is_same;
use crate::Result;
use crate::algorithms::chained::{self, Heads};
use crate::algorithms::lines::{self, item};
use crate::algorithms::segments::{SUM, scan_segments};
use crate::algorithms::stages::Stages;
use crate::algorithms::{OpScan, Reducible, Word, expect_len};
use crate::prelude::*;

impl OpScan {
    /// The sums of what is before each element of `x` among its neighbours with an equal key, into `sums`.
    ///
    /// Keys are compared as by [`OpUnique`](super::OpUnique). The order in which floats are added depends on the keys and
    /// the width of the device's subgroups.
    ///
    /// If workgroups can wait for each other (see [`Progress`](crate::algorithms::Progress)) and subgroups have at most 32 lanes, in one pass over fewer
    /// than 2^31 elements, with three words of work space for each 4096 of them. Else work space: nine words for eight elements.
    ///
    /// # Errors
    /// When `keys` or `sums` has another length than `x`, or there is no memory for the work space.
    pub fn exclusive_by_key<K: Word, T: Reducible>(
        keys: &Tensor<K>,
        x: &Tensor<T>,
        sums: &mut Tensor<T>,
    ) -> Result<Self> {
        Self::by_key("exclusive scan by key", keys, x, sums, false)
    }

    /// The sums up to each element of `x`, it included, among its neighbours with an equal key; else as
    /// [`exclusive_by_key`](Self::exclusive_by_key).
    ///
    /// ```
    /// # use gridwise::{algorithms::OpScan, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let (keys, x) = (mgr.tensor(&[7u32, 7, 9, 7])?, mgr.tensor(&[1u32, 2, 3, 4])?);
    /// let mut sums = mgr.tensor_of_len(4)?;
    /// mgr.sequence()?.record(OpScan::inclusive_by_key(&keys, &x, &mut sums)?)?.eval()?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As there.
    pub fn inclusive_by_key<K: Word, T: Reducible>(
        keys: &Tensor<K>,
        x: &Tensor<T>,
        sums: &mut Tensor<T>,
    ) -> Result<Self> {
        Self::by_key("inclusive scan by key", keys, x, sums, true)
    }

    fn by_key<K: Word, T: Reducible>(
        name: &'static str,
        keys: &Tensor<K>,
        x: &Tensor<T>,
        sums: &mut Tensor<T>,
        is_inclusive: bool,
    ) -> Result<Self> {
        expect_len("scanning by", (1, "keys"), keys, x.len())?;
        expect_len("scanning into", (3, "sums"), sums, x.len())?;
        let mut stages = Stages::new(name);
        if chained::scan(&mut stages, &Heads { keys, are_marks: false }, x, sums, is_inclusive)? {
            return Ok(Self(stages));
        }
        let marks = mark_heads(&mut stages, keys)?;
        scan_segments(&mut stages, &x.manager(), (SUM, is_inclusive), &marks, x, sums)?;
        Ok(Self(stages))
    }
}

/// Appends marking elements that differ from the one before.
fn mark_heads<T: Word>(stages: &mut Stages, x: &Tensor<T>) -> Result<Tensor<u32>> {
    let mut marks = x.manager().tensor_of_len::<u32>(x.len())?;
    stages.launch::<MarkRunHeads>(lines::items(x.len()), |args| args.value(T::IS_FLOAT).read(x).write(&mut marks));
    Ok(marks)
}

#[kernel(workgroup = 256)]
fn mark_run_heads(is_float: bool, x: &[u32], marks: &mut [u32]) {
    let i = item();
    if i < x.len() as u32 && i < marks.len() as u32 {
        marks[i] = (i == 0 || !is_same(is_float, x[i - 1], x[i])) as u32;
    }
}
