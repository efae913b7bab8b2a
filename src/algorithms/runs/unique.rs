//! The first element of each run of equal ones.

use super::{Runs, expect_runs};
use crate::Result;
use crate::algorithms::chained::Heads;
use crate::algorithms::stages::Stages;
use crate::algorithms::{Word, operation};
use crate::prelude::*;

/// Moves the first element of each run of equal ones to the front of another tensor, and counts the runs.
///
/// It leaves what [`Vec::dedup`] leaves: of a sorted tensor each value once. Floats are compared as Rust does: zeros of both signs are
/// equal, a NaN equals nothing.
///
/// It takes two launches, in which no workgroup waits for another. Work space: a word for each 32 elements, and at most 16 KiB.
///
/// ```
/// use gridwise::algorithms::OpUnique;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[5u32, 5, 2, 5, 5, 5])?;
/// let (mut unique, mut count) = (mgr.tensor_of_len::<u32>(6)?, mgr.tensor_of_len::<u32>(1)?);
/// mgr.sequence()?.record(OpUnique::new(&x, &mut unique, &mut count)?)?.eval()?;
/// assert_eq!((&unique.to_vec()?[..3], count.to_vec()?), (&[5, 2, 5][..], vec![3]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpUnique(Stages);

operation!(OpUnique);

impl OpUnique {
    /// Writes the first element of each run of `x` to `unique`, whose other elements stay, and the number of runs to `count`.
    ///
    /// # Errors
    /// When `unique` has another length than `x`, `count` does not have one element, or there is no memory for the work space.
    pub fn new<T: Word>(x: &Tensor<T>, unique: &mut Tensor<T>, count: &mut Tensor<u32>) -> Result<Self> {
        let mut stages = Stages::new("unique");
        expect_runs(x, (2, "unique"), unique, count)?;
        Runs::find(&mut stages, &Heads { keys: x, are_marks: false })?.pick(&mut stages, x, unique, count)?;
        Ok(Self(stages))
    }
}
