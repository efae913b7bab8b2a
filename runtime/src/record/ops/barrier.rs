//! A barrier by hand.

use super::{Access, Op, Recorder};
use crate::core::error::Result;

/// Completes all operations recorded before it, and makes their writes visible, before any operation recorded after it begins.
///
/// Sequences place barriers by themselves, from the accesses that operations declare. Use this one for dependencies that gridwise
/// does not know, such as an application's own use of memory, or to measure one part without the next.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Manager, ops::{OpBarrier, OpFill}};
///
/// let manager = Manager::host();
/// let (mut a, mut b) = (manager.tensor_of_len::<u32>(4)?, manager.tensor_of_len::<u32>(4)?);
/// let sequence = manager.sequence()?;
/// sequence.record(OpFill::new(&mut a, 1))?.record(OpBarrier)?.record(OpFill::new(&mut b, 2))?;
/// sequence.eval()?;
/// assert_eq!((a.to_vec()?, b.to_vec()?), (vec![1; 4], vec![2; 4]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpBarrier;

impl Op for OpBarrier {
    fn name(&self) -> &str {
        "barrier"
    }

    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.barrier();
        Ok(())
    }
}
