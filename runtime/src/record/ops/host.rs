//! A call of the host between operations of the device.

use std::error::Error as StdError;
use std::fmt;

use super::{Access, Op, Recorder};
use crate::core::error::Result;
use crate::record::hooks::HostCall;

/// A host callback: calls a function on the host after all earlier operations of the sequence and before all later ones.
///
/// The function may read and write any tensor, and evaluate other sequences. A run with host callbacks reserves the tensors of
/// its sequence: other evaluations that use them wait until the run is over. So the function must not wait for such an evaluation
/// on another thread. When the function fails or panics, nothing after it runs, and the evaluation is
/// [`Error::HostCallFailed`](crate::Error::HostCallFailed).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use std::sync::{Arc, Mutex};
/// use gridwise::{Manager, ops::{OpFill, OpHost}};
///
/// let manager = Manager::host();
/// let values = Arc::new(Mutex::new(manager.tensor_of_len::<u32>(3)?));
/// let sequence = manager.sequence()?;
/// sequence.record(OpFill::new(&mut values.lock().unwrap(), 7))?;
/// let between = values.clone();
/// sequence.record(OpHost::fallible(move || {
///     let mut values = between.lock().unwrap();
///     let halved: Vec<u32> = values.to_vec()?.iter().map(|value| value / 2).collect();
///     values.write(&halved)
/// }))?;
/// sequence.eval()?;
/// assert_eq!(values.lock().unwrap().to_vec()?, [3; 3]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpHost {
    call: HostCall,
}

impl OpHost {
    /// Calls `call`, which cannot fail.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::sync::{Arc, atomic::{AtomicU32, Ordering::Relaxed}};
    /// use gridwise::ops::OpHost;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let frames = Arc::new(AtomicU32::new(0));
    /// let counted = frames.clone();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpHost::new(move || { counted.fetch_add(1, Relaxed); }))?;
    /// sequence.eval()?;
    /// sequence.eval()?;
    /// assert_eq!(frames.load(Relaxed), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(call: impl Fn() + Send + Sync + 'static) -> Self {
        Self::fallible(move || {
            call();
            Ok::<_, std::convert::Infallible>(())
        })
    }

    /// Calls `call`; its error ends the run.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, ops::OpHost};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpHost::fallible(|| "no number".parse::<u32>().map(drop)))?;
    /// let Err(Error::HostCallFailed { cause, .. }) = sequence.eval() else { panic!("it fails") };
    /// assert_eq!(cause, "invalid digit found in string");
    /// # Ok(())
    /// # }
    /// ```
    pub fn fallible<E: StdError>(call: impl Fn() -> Result<(), E> + Send + Sync + 'static) -> Self {
        Self { call: HostCall::new("host", move || call().map_err(|error| error.to_string())) }
    }
}

impl OpHost {
    /// Calls `call`, which stays on this thread: it may hold what other threads must not have, such as an MPI communicator or an `Rc`.
    ///
    /// The sequence is then evaluated by [`eval`](crate::Sequence::eval) and [`eval_profiled`](crate::Sequence::eval_profiled) on
    /// this thread only. Any other evaluation is [`RecordingError::OtherThread`](crate::RecordingError::OtherThread), and runs
    /// nothing. If another thread drops the last handle of the sequence, the function and its captures are leaked.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::{cell::Cell, rc::Rc};
    /// use gridwise::ops::OpHost;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let rounds = Rc::new(Cell::new(0));
    /// let counted = rounds.clone();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpHost::local(move || Ok::<_, std::fmt::Error>(counted.set(counted.get() + 1))))?;
    /// sequence.eval()?;
    /// assert_eq!(rounds.get(), 1);
    /// assert!(sequence.eval_async().is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn local<E: StdError>(call: impl Fn() -> Result<(), E> + 'static) -> Self {
        Self { call: HostCall::local("host", move || call().map_err(|error| error.to_string())) }
    }
}

impl Op for OpHost {
    fn name(&self) -> &str {
        self.call.name()
    }

    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        recorder.host(self.call.clone());
        Ok(())
    }
}

impl fmt::Debug for OpHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpHost").finish_non_exhaustive()
    }
}
