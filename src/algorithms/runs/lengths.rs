//! The value and the length of each run.

use super::{Runs, expect_runs};
use crate::Result;
use crate::algorithms::chained::Heads;
use crate::algorithms::stages::Stages;
use crate::algorithms::{Word, expect_len, operation};
use crate::prelude::*;

/// Run-length encoding: the value and the length of each run of equal elements.
///
/// Elements are compared as by [`OpUnique`](super::OpUnique). Launches and work space are as there.
///
/// ```
/// use gridwise::algorithms::OpRunLengths;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[5u32, 5, 2, 5, 5, 5])?;
/// let (mut values, mut lengths) = (mgr.tensor_of_len::<u32>(6)?, mgr.tensor_of_len::<u32>(6)?);
/// let mut count = mgr.tensor_of_len::<u32>(1)?;
/// mgr.sequence()?.record(OpRunLengths::new(&x, &mut values, &mut lengths, &mut count)?)?.eval()?;
/// assert_eq!(count.to_vec()?, [3]);
/// assert_eq!((&values.to_vec()?[..3], &lengths.to_vec()?[..3]), (&[5, 2, 5][..], &[2, 1, 3][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpRunLengths(Stages);

operation!(OpRunLengths);

impl OpRunLengths {
    /// Writes the value of each run of `x` to `values`, its length to `lengths`, and the number of runs to `count`. Other elements stay.
    ///
    /// # Errors
    /// When `values` or `lengths` has another length than `x`, `count` does not have one element, or there is no memory for the work space.
    pub fn new<T: Word>(
        x: &Tensor<T>,
        values: &mut Tensor<T>,
        lengths: &mut Tensor<u32>,
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        expect_len("lengths of runs into", (3, "lengths"), lengths, x.len())?;
        let mut stages = Stages::new("run lengths");
        expect_runs(x, (2, "values"), values, count)?;
        Runs::find(&mut stages, &Heads { keys: x, are_marks: false })?.measure(
            &mut stages,
            x,
            values,
            lengths,
            count,
        )?;
        Ok(Self(stages))
    }
}
