//! Reductions by key: of the elements whose keys are a run.

use super::{Runs, expect_runs};
use crate::Result;
use crate::algorithms::chained::Heads;
use crate::algorithms::segments::{MAX, MIN, SUM};
use crate::algorithms::stages::Stages;
use crate::algorithms::{OpReduce, Reducible, Word, expect_len};
use crate::prelude::*;

impl OpReduce {
    /// The sum of each run of elements of `x` whose keys are equal, into `sums`, the keys of these runs into `unique`, their number into
    /// `count`. Other elements of `unique` and `sums` stay.
    ///
    /// Keys are compared as by [`OpUnique`](super::OpUnique); [`OpSort::by_key`](crate::algorithms::OpSort::by_key) brings equal ones together. Sums of
    /// floats are taken in an order that depends on the keys and the width of the device's subgroups.
    ///
    /// It takes four launches, in which no workgroup waits for another. Work space: a word for each 32 elements, and at most 32 KiB.
    ///
    /// ```
    /// # use gridwise::{algorithms::OpReduce, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let (keys, x) = (mgr.tensor(&[7u32, 7, 9, 7])?, mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0])?);
    /// let (mut unique, mut sums) = (mgr.tensor_of_len(4)?, mgr.tensor_of_len(4)?);
    /// let mut count = mgr.tensor_of_len(1)?;
    /// let sum = OpReduce::sum_by_key((&keys, &x), (&mut unique, &mut sums), &mut count)?;
    /// mgr.sequence()?.record(sum)?.eval()?;
    /// assert_eq!(count.to_vec()?, [3]);
    /// assert_eq!((&unique.to_vec()?[..3], &sums.to_vec()?[..3]), (&[7, 9, 7][..], &[3.0, 3.0, 4.0][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the lengths differ, `count` does not have one element, or there is no memory for the work space.
    pub fn sum_by_key<K: Word, T: Reducible>(
        from: (&Tensor<K>, &Tensor<T>),
        to: (&mut Tensor<K>, &mut Tensor<T>),
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        Self::by_key("sums by key", SUM, from, to, count)
    }

    /// The least element of each run; else as [`sum_by_key`](Self::sum_by_key).
    ///
    /// # Errors
    /// As there.
    pub fn min_by_key<K: Word, T: Reducible>(
        from: (&Tensor<K>, &Tensor<T>),
        to: (&mut Tensor<K>, &mut Tensor<T>),
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        Self::by_key("minima by key", MIN, from, to, count)
    }

    /// The greatest element of each run; else as [`sum_by_key`](Self::sum_by_key).
    ///
    /// # Errors
    /// As there.
    pub fn max_by_key<K: Word, T: Reducible>(
        from: (&Tensor<K>, &Tensor<T>),
        to: (&mut Tensor<K>, &mut Tensor<T>),
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        Self::by_key("maxima by key", MAX, from, to, count)
    }

    fn by_key<K: Word, T: Reducible>(
        name: &'static str,
        op: u32,
        (keys, x): (&Tensor<K>, &Tensor<T>),
        (unique, results): (&mut Tensor<K>, &mut Tensor<T>),
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        expect_len("reducing by as many keys", (1, "x"), x, keys.len())?;
        expect_len("reducing by key into", (2, "results"), results, x.len())?;
        let mut stages = Stages::new(name);
        expect_runs(keys, (2, "unique"), unique, count)?;
        let runs = Runs::find(&mut stages, &Heads { keys, are_marks: false })?;
        runs.pick(&mut stages, keys, unique, count)?;
        runs.reduce(&mut stages, op, x, results)?;
        Ok(Self(stages))
    }
}
