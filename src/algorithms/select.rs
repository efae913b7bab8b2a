//! Selection: the elements to keep, side by side.

use super::scan::scan;
use super::stages::Stages;
use super::{Word, chained, expect_len, lines, operation};
use crate::Result;
use crate::prelude::*;

use lines::item;

/// Moves the elements whose mark is not zero to the front of another tensor, in their order, and counts them.
///
/// If workgroups can wait for each other (see [`Progress`](super::Progress)) and subgroups have at most 32 lanes, in one pass over fewer than
/// 2^31 elements, with three words of work space for each 4096 of them. Else work space: twice as many words as there are elements, and 1/1023
/// of them.
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
    /// When `keep` or `kept` has another length than `x`, `count` does not have one element, or the work space cannot be had.
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
        if chained::marked(&mut stages, x, keep, kept, count)? {
            return Ok(Self(stages));
        }
        let mut marks = x.manager().tensor_of_len::<u32>(x.len())?;
        stages.launch::<Mark>(lines::items(x.len()), |args| args.read(keep).write(&mut marks));
        compact(&mut stages, x, &marks, kept, count)?;
        Ok(Self(stages))
    }
}

/// Appends moving the elements that are marked by one to the front of `kept`, and counting them; gives the number of marks up to each.
pub(super) fn compact<T: Word>(
    stages: &mut Stages,
    x: &Tensor<T>,
    marks: &Tensor<u32>,
    kept: &mut Tensor<T>,
    count: &mut Tensor<u32>,
) -> Result<Tensor<u32>> {
    let mgr = &x.manager();
    let mut places = mgr.tensor_of_len::<u32>(x.len())?;
    if x.is_empty() {
        stages.fill(count, 0);
        return Ok(places);
    }
    scan(stages, mgr, marks, &mut places, true)?;
    stages
        .launch::<Pick>(lines::items(x.len()), |args| args.read(x).read(marks).read(&places).write(kept).write(count));
    Ok(places)
}

/// Marks elements that are not zero by one.
#[kernel(workgroup = 256)]
fn mark(keep: &[u32], marks: &mut [u32]) {
    let i = item();
    if i < keep.len() as u32 && i < marks.len() as u32 {
        marks[i] = (keep[i] != 0) as u32;
    }
}

/// `places` counts the marks up to an element.
#[kernel(workgroup = 256)]
fn pick(x: &[u32], marks: &[u32], places: &[u32], kept: &mut [u32], count: &mut [u32]) {
    let i = item();
    if i < x.len() as u32 {
        if marks[i] == 1 {
            // SAFETY: marked elements have places of their own, as the marks before each are counted.
            unsafe { kept.unordered()[places[i] - 1] = x[i] };
        }
        if i + 1 == x.len() as u32 {
            // SAFETY: one invocation has the last element.
            unsafe { count.unordered()[0] = places[i] };
        }
    }
}
