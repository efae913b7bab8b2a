//! Selection: the elements to keep, side by side.

use super::chained::Heads;
use super::runs::Runs;
use super::stages::Stages;
use super::{Word, expect_len, operation};
use crate::Result;
use crate::prelude::*;

/// Moves the elements whose mark is not zero to the front of another tensor, in their order, and counts them.
///
/// It takes two launches, in which no workgroup waits for another. Work space: a word for each 32 elements, and at most 16 KiB.
///
/// ```
/// use gridwise::algorithms::OpSelect;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let (x, keep) = (mgr.tensor(&[1.5f32, 2.5, 3.5])?, mgr.tensor(&[1u32, 0, 7])?);
/// let (mut kept, mut count) = (mgr.tensor_of_len::<f32>(3)?, mgr.tensor_of_len::<u32>(1)?);
/// mgr.sequence()?.record(OpSelect::new(&x, &keep, &mut kept, &mut count)?)?.eval()?;
/// assert_eq!((&kept.to_vec()?[..2], count.to_vec()?), (&[1.5, 3.5][..], vec![2]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpSelect(Stages);

operation!(OpSelect);

impl OpSelect {
    /// Writes the elements of `x` that `keep` marks to `kept`, whose other elements stay, and their number to `count`.
    ///
    /// # Errors
    /// When `keep` or `kept` has another length than `x`, `count` does not have one element, or there is no memory for the work space.
    pub fn new<T: Word>(
        x: &Tensor<T>,
        keep: &Tensor<u32>,
        kept: &mut Tensor<T>,
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        expect_len("selecting by marks", (2, "keep"), keep, x.len())?;
        expect_len("selecting into", (3, "kept"), kept, x.len())?;
        expect_len("counting into", (4, "count"), count, 1)?;
        let mut stages = Stages::new("select");
        Runs::find(&mut stages, &Heads { keys: keep, are_marks: true })?.pick(&mut stages, x, kept, count)?;
        Ok(Self(stages))
    }
}
