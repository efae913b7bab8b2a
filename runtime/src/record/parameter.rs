//! Parameters of a recording: values that each evaluation reads anew. They must not change what was recorded.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::record::args::KernelArgs;
use crate::record::launch::PushBlock;
use crate::record::value_arg::ValueArg;

/// A value that the launches of a sequence read anew at each evaluation; made by [`Sequence::parameter`](crate::Sequence::parameter).
///
/// It takes the place of a by-value argument of a kernel: a time step, a frame number, a learning rate. A replay after
/// [`set`](Self::set) costs no more than any other replay, because nothing is recorded anew.
///
/// ```standalone_crate
/// # #[path = "../../tests/devices/kernels.rs"]
/// # mod kernels;
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Grid, KernelArgs};
/// # use kernels::Saxpy;
///
/// # let manager = gridwise::Manager::host();
/// let (x, mut y) = (manager.tensor(&[1.0f32, 2.0])?, manager.tensor(&[0.0f32, 0.0])?);
/// let sequence = manager.sequence()?;
/// let a = sequence.parameter(3.0f32);
/// sequence.dispatch(Grid::items(2), KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y))?;
/// sequence.eval()?;
/// a.set(10.0);
/// sequence.eval()?; // the same recording
/// assert_eq!(y.to_vec()?, [13.0, 26.0]);
/// # Ok(())
/// # }
/// ```
pub struct Parameter<V: ValueArg> {
    pub(crate) cell: Arc<Cell>,
    marker: PhantomData<fn(V) -> V>,
}

/// An argument for a kernel's by-value parameter of type `V`: such a value, or a `&Parameter<V>`.
///
/// ```
/// use gridwise::{Argument, Grid, Kernel, KernelArgs, Result, Sequence, Tensor};
///
/// /// Launches a kernel `fn(a: f32, y: &mut [f32])`, with a value or with a parameter of the sequence.
/// fn launch<K: Kernel>(sequence: &Sequence, a: impl Argument<f32>, y: &mut Tensor<f32>) -> Result<()> {
///     sequence.dispatch(Grid::items(y.len()), KernelArgs::new::<K>().argument(a).write(y))?;
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "the kernel's parameter is of type `{V}`",
    label = "`{Self}` is not `{V}`",
    note = "a `{V}` fits, and a `&Parameter<{V}>` of the sequence"
)]
pub trait Argument<V> {
    /// Adds the argument.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Argument, KernelArgs};
    /// # use kernels::Saxpy;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let _args = 3.0f32.add_to(KernelArgs::new::<Saxpy>()); // what `KernelArgs::argument` does
    /// # Ok(())
    /// # }
    /// ```
    fn add_to(self, args: KernelArgs) -> KernelArgs;
}

impl<V: ValueArg> Argument<V> for V {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        args.value(self)
    }
}

impl<V: ValueArg> Argument<V> for &Parameter<V> {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        args.parameter(self)
    }
}

/// The identity of a sequence, for what belongs to it.
pub(crate) type Owner = Arc<()>;

/// The bytes of a parameter.
pub(crate) struct Cell {
    owner: Owner,
    values: Mutex<Values>,
}

#[derive(Debug)]
pub(crate) struct Values {
    /// Counts the values that there were.
    pub(crate) version: u64,
    /// The value, as it travels.
    pub(crate) now: Box<[u8]>,
    /// The value that a run on the host device began with.
    begun: Box<[u8]>,
}

/// A parameter in the push-constant block of a launch.
#[derive(Debug, Clone)]
pub(crate) struct ParameterUse {
    pub(crate) cell: Arc<Cell>,
    /// Position of the parameter in the kernel's signature.
    pub(crate) param: u32,
    pub(crate) offset: u32,
}

impl<V: ValueArg> Parameter<V> {
    pub(crate) fn new(owner: Owner, value: V) -> Self {
        let bytes = vec![0; V::SIZE].into_boxed_slice();
        let values = Mutex::new(Values { version: 0, now: bytes.clone(), begun: bytes });
        let parameter = Self { cell: Arc::new(Cell { owner, values }), marker: PhantomData };
        parameter.set(value);
        parameter
    }

    /// Sets the value for evaluations that begin from now on. An evaluation in progress keeps the value with which it
    /// began.
    ///
    /// In a sequence with host callbacks, launches after a callback read the value that is set when the callback
    /// returns.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Grid, KernelArgs};
    /// # use kernels::Mark;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut y = manager.tensor(&[0u32; 4])?;
    /// let sequence = manager.sequence()?;
    /// let shift = sequence.parameter(0u32);
    /// sequence.dispatch(Grid::items(1), KernelArgs::new::<Mark>().argument(&shift).write(&mut y))?;
    /// shift.set(4); // behind the end: each evaluation checks it anew
    /// assert!(sequence.eval().is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn set(&self, value: V) {
        let mut values = self.cell.values();
        value.put(&mut values.now);
        values.version += 1;
    }
}

impl Cell {
    /// Whether the parameter is of the sequence with this identity.
    pub(crate) fn is_of(&self, owner: &Owner) -> bool {
        Arc::ptr_eq(&self.owner, owner)
    }

    pub(crate) fn values(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ParameterUse {
    /// Bytes of the block that are not settled before an evaluation.
    pub(crate) fn bytes(&self) -> Range<u64> {
        let start = u64::from(self.offset);
        start..start + self.cell.values().now.len() as u64
    }

    /// A run on the host device begins: it keeps the value that there is now.
    pub(crate) fn begin(&self) {
        let values = &mut *self.cell.values();
        values.begun.copy_from_slice(&values.now);
    }

    /// Puts the value that the run began with into its block.
    pub(crate) fn put(&self, block: &mut PushBlock) {
        let values = self.cell.values();
        if let Some(slot) = block.slot(self.offset, values.begun.len()) {
            slot.copy_from_slice(&values.begun);
        }
    }
}

/// Another handle of the same parameter.
impl<V: ValueArg> Clone for Parameter<V> {
    fn clone(&self) -> Self {
        Self { cell: self.cell.clone(), marker: PhantomData }
    }
}

impl<V: ValueArg> fmt::Debug for Parameter<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parameter").field("type", &std::any::type_name::<V>()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").field("values", &*self.values()).finish_non_exhaustive()
    }
}
