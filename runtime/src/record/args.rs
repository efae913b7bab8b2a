//! The arguments of a launch, gathered in the order of the kernel's parameters and checked as they come.

use std::sync::Arc;

use gridwise_ir::descriptor::{KernelDescriptor, ParamKind};

use crate::core::error::{Error, Result};
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::distinct::DistinctTensor;
use crate::memory::offsets::OffsetsTensor;
use crate::memory::scatter::ScatterTensor;
use crate::memory::tensor::Tensor;
use crate::record::aliases::{refuse_alias, refuse_aliases};
use crate::record::kernel::{HostFn, Kernel};
use crate::record::launch::PushBlock;
use crate::record::mismatch::{describe_list, mismatch, param_kind};
use crate::record::parameter::{Argument, Parameter, ParameterUse};
use crate::record::steps::{BufferArg, Role};
use crate::record::table::TableUse;
use crate::record::value_arg::ValueArg;

/// The arguments of one launch; the generated `dispatch` functions fill it.
///
/// The first argument that does not fit is remembered; [`Sequence::dispatch`](crate::Sequence::dispatch) returns it.
///
/// ```standalone_crate
/// # #[path = "../../tests/devices/kernels.rs"]
/// # mod kernels;
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Error, Grid, KernelArgs};
/// # use kernels::Saxpy;
///
/// # let manager = gridwise::Manager::host();
/// let x = manager.tensor(&[1.0f32, 2.0])?;
/// let sequence = manager.sequence()?;
/// let too_few = KernelArgs::new::<Saxpy>().value(3.0f32).read(&x); // `y` is not there
/// assert!(matches!(sequence.dispatch(Grid::items(2), too_few), Err(Error::ArgumentMismatch { .. })));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a launch does nothing until it is recorded"]
pub struct KernelArgs {
    pub(crate) descriptor: &'static KernelDescriptor,
    /// The values of the kernel's const parameters.
    pub(crate) constants: &'static [u64],
    pub(crate) host: HostFn,
    /// Positions of `&[T]` parameters that are written, through atomics.
    atomic: &'static [usize],
    /// In memory of their own, so that little moves with each argument.
    pub(super) filled: Result<Box<Filled>, Box<Error>>,
    pub(super) next: usize,
}

/// Arguments that fit the kernel's parameters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filled {
    pub(crate) push: PushBlock,
    pub(crate) buffers: Vec<BufferArg>,
    /// The arguments that each evaluation reads anew.
    pub(crate) parameters: Vec<ParameterUse>,
    /// The lists whose slots may change.
    pub(crate) tables: Vec<TableUse>,
}

impl KernelArgs {
    /// No arguments yet, for kernel `K`.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// use gridwise::{Grid, KernelArgs, Manager};
    /// # use kernels::Saxpy;
    ///
    /// # fn main() -> gridwise::Result<()> {
    /// let manager = Manager::host();
    /// let (x, mut y) = (manager.tensor(&[1.0f32])?, manager.tensor(&[2.0f32])?);
    /// let args = KernelArgs::new::<Saxpy>().value(3.0f32).read(&x).write(&mut y); // in the order of the parameters
    /// manager.sequence()?.dispatch(Grid::items(1), args)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The arguments of a kernel that is an `unsafe fn` come from [`new_unchecked`](Self::new_unchecked); here it does not compile:
    ///
    /// ```standalone_crate,compile_fail,E0080
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # use gridwise::{Kernel, KernelArgs, descriptor::KernelDescriptor, __private::twin::{HostArgs, HostGroup}};
    /// # use kernels::Saxpy;
    /// struct Racing;
    ///
    /// // SAFETY: the same as `Saxpy`.
    /// unsafe impl Kernel for Racing {
    ///     const IS_UNSAFE: bool = true; // by `#[kernel] unsafe fn`
    ///     const DESCRIPTOR: &'static KernelDescriptor = Saxpy::DESCRIPTOR;
    ///     fn host(args: &HostArgs<'_>, group: HostGroup<'_>) { Saxpy::host(args, group) }
    /// }
    /// let args = KernelArgs::new::<Racing>();
    /// ```
    pub fn new<K: Kernel>() -> Self {
        const { assert!(!K::IS_UNSAFE, "this kernel is an `unsafe fn`: use `KernelArgs::new_unchecked`") };
        // SAFETY: the kernel asks for no promise.
        unsafe { Self::new_unchecked::<K>() }
    }

    /// No arguments yet, for kernel `K`, which may be an `unsafe fn`.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// use gridwise::{Grid, KernelArgs, Manager};
    /// # use kernels::Saxpy;
    ///
    /// # fn main() -> gridwise::Result<()> {
    /// let manager = Manager::host();
    /// let (x, mut y) = (manager.tensor(&[1.0f32])?, manager.tensor(&[2.0f32])?);
    /// // SAFETY: invocations write elements of their own.
    /// let args = unsafe { KernelArgs::new_unchecked::<Saxpy>() }.value(3.0f32).read(&x).write(&mut y);
    /// manager.sequence()?.dispatch(Grid::items(1), args)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// No launch with these arguments may race, if the kernel is an `unsafe fn`: no invocation accesses an element that another one
    /// writes, unless barriers or atomic operations put both in an order.
    pub unsafe fn new_unchecked<K: Kernel>() -> Self {
        let descriptor = K::DESCRIPTOR;
        let mut filled = Filled::empty();
        filled.buffers.reserve(descriptor.params.len());
        let filled = filled.push.reset(descriptor).map(|()| filled).map_err(Box::new);
        Self { descriptor, constants: K::CONSTANTS, host: K::host, atomic: K::ATOMIC_PARAMS, filled, next: 0 }
    }

    /// The same arguments for a launch with other values of the const parameters.
    pub(crate) fn with_constants(self, constants: &'static [u64], host: HostFn) -> Self {
        Self { constants, host, ..self }
    }

    /// The next argument, by value.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, Grid, KernelArgs};
    /// # use kernels::Saxpy;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (x, mut y) = (manager.tensor(&[1.0f32])?, manager.tensor(&[2.0f32])?);
    /// let args = KernelArgs::new::<Saxpy>().value(3.0f64).read(&x).write(&mut y); // the kernel has an `f32`
    /// let error = manager.sequence()?.dispatch(Grid::items(1), args).unwrap_err();
    /// assert!(matches!(error, Error::ArgumentMismatch { expected, .. } if expected == "a value of 4 bytes"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn value<V: ValueArg>(mut self, value: V) -> Self {
        self.fill(|descriptor, param, filled| {
            let found = || format!("a value of {} bytes", V::SIZE);
            match param_kind(descriptor, param, found)? {
                ParamKind::Value { offset, size } if size as usize == V::SIZE => {
                    let slot = filled.push.slot(offset, V::SIZE);
                    value.put(slot.ok_or_else(|| mismatch(descriptor, param, found()))?);
                    Ok(())
                }
                _ => Err(mismatch(descriptor, param, found())),
            }
        });
        self
    }

    /// The next argument, by value: a value, or a parameter of the sequence that the launch is recorded in.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Grid, KernelArgs};
    /// # use kernels::Saxpy;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (x, mut y) = (manager.tensor(&[1.0f32])?, manager.tensor(&[0.0f32])?);
    /// let sequence = manager.sequence()?;
    /// let a = sequence.parameter(2.0f32);
    /// sequence.dispatch(Grid::items(1), KernelArgs::new::<Saxpy>().argument(&a).read(&x).write(&mut y))?;
    /// sequence.dispatch(Grid::items(1), KernelArgs::new::<Saxpy>().argument(5.0f32).read(&x).write(&mut y))?.eval()?;
    /// assert_eq!(y.to_vec()?, [7.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn argument<V: ValueArg>(self, argument: impl Argument<V>) -> Self {
        argument.add_to(self)
    }

    /// The next argument, which each evaluation reads anew.
    pub(crate) fn parameter<V: ValueArg>(mut self, parameter: &Parameter<V>) -> Self {
        self.fill(|descriptor, param, filled| {
            let found = || format!("a parameter of {} bytes", V::SIZE);
            match param_kind(descriptor, param, found)? {
                ParamKind::Value { offset, size } if size as usize == V::SIZE => {
                    filled.push.slot(offset, V::SIZE).ok_or_else(|| mismatch(descriptor, param, found()))?;
                    let (cell, param) = (parameter.cell.clone(), param as u32);
                    filled.parameters.push(ParameterUse { cell, param, offset });
                    Ok(())
                }
                _ => Err(mismatch(descriptor, param, found())),
            }
        });
        self
    }

    /// The next argument, a tensor for a `&[T]` parameter.
    ///
    /// ```
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence, Tensor};
    ///
    /// /// Launches a kernel `fn(a: f32, x: &[f32], y: &mut [f32])`, whichever it is.
    /// fn launch<K: Kernel>(sequence: &Sequence, a: f32, x: &Tensor<f32>, y: &mut Tensor<f32>) -> Result<()> {
    ///     sequence.dispatch(Grid::items(y.len()), KernelArgs::new::<K>().value(a).read(x).write(y))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn read<T: GpuData>(self, tensor: &Tensor<T>) -> Self {
        self.buffer(tensor.handle().buffer, false)
    }

    /// The next argument, for a `&Distinct<T>` parameter.
    ///
    /// ```
    /// use gridwise::{DistinctTensor, Grid, Kernel, KernelArgs, Result, Sequence, Tensor};
    ///
    /// /// Launches a kernel `fn(to: &Distinct<u32>, y: &mut [f32])`, whichever it is.
    /// fn launch<K: Kernel>(sequence: &Sequence, to: &DistinctTensor<u32>, y: &mut Tensor<f32>) -> Result<()> {
    ///     sequence.dispatch(Grid::items(to.len()), KernelArgs::new::<K>().distinct(to).write(y))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn distinct<T: GpuData>(self, tensor: &DistinctTensor<T>) -> Self {
        self.checked(tensor.tensor(), "distinct", |kind| match kind {
            ParamKind::Distinct { binding } => Some(binding),
            _ => None,
        })
    }

    /// The next argument, for a `&Offsets<T>` parameter.
    ///
    /// ```
    /// use gridwise::{Grid, Kernel, KernelArgs, OffsetsTensor, Result, Sequence, Tensor};
    ///
    /// /// Launches a kernel `fn(starts: &Offsets<u32>, y: &mut [f32])`, whichever it is.
    /// fn launch<K: Kernel>(sequence: &Sequence, starts: &OffsetsTensor<u32>, y: &mut Tensor<f32>) -> Result<()> {
    ///     sequence.dispatch(Grid::items(starts.len() - 1), KernelArgs::new::<K>().offsets(starts).write(y))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn offsets<T: GpuData>(self, tensor: &OffsetsTensor<T>) -> Self {
        self.checked(tensor.tensor(), "offsets", |kind| match kind {
            ParamKind::Offsets { binding } => Some(binding),
            _ => None,
        })
    }

    /// The next argument, a tensor that was checked and is read-only: nobody else can have it as an argument to be written.
    fn checked<T: GpuData>(
        mut self,
        tensor: &Tensor<T>,
        name: &str,
        binding: impl Fn(ParamKind) -> Option<u32>,
    ) -> Self {
        self.fill(|descriptor, param, filled| {
            let (buffer, stride) = (tensor.handle().buffer, size_of::<T>());
            let found = || format!("& {name} tensor `{}` of {stride}-byte elements", buffer.name());
            let binding = binding(param_kind(descriptor, param, found)?).filter(|_| stride == 4);
            let Some(binding) = binding else { return Err(mismatch(descriptor, param, found())) };
            let (param, is_written, role) = (param as u32, false, Role::Whole);
            filled.buffers.push(BufferArg { buffer, param, binding, is_written, sampler: None, role });
            Ok(())
        });
        self
    }

    /// The next argument, for a `&mut Scatter<T>` parameter.
    ///
    /// ```
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, ScatterTensor, Sequence, Tensor};
    ///
    /// /// Launches a kernel `fn(to: &[u32], y: &mut Scatter<f32>)`, whichever it is.
    /// fn launch<K: Kernel>(sequence: &Sequence, to: &Tensor<u32>, y: &mut ScatterTensor<f32>) -> Result<()> {
    ///     sequence.dispatch(Grid::items(to.len()), KernelArgs::new::<K>().read(to).scatter(y))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn scatter<T: GpuData>(self, tensor: &mut ScatterTensor<T>) -> Self {
        let claims = tensor.claims().handle().buffer;
        let mut args = self.buffer(tensor.tensor().handle().buffer, true);
        args.fill(|descriptor, param, filled| {
            let found = || format!("&mut scatter tensor of {}-byte elements", size_of::<T>());
            let ParamKind::Claims { binding } = param_kind(descriptor, param, found)? else {
                // The elements were taken for a slice.
                return Err(mismatch(descriptor, param - 1, found()));
            };
            let (param, is_written, role) = (param as u32, true, Role::Whole);
            let alias = filled.buffers.iter().position(|other| other.buffer.overlaps(&claims));
            filled.buffers.push(BufferArg { buffer: claims, param, binding, is_written, sampler: None, role });
            refuse_alias(descriptor, &filled.buffers, alias)
        });
        args
    }

    /// The next argument, a tensor for a `&mut [T]` parameter.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, Grid, KernelArgs};
    /// # use kernels::Saxpy;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (mut x, mut y) = (manager.tensor(&[1.0f32])?, manager.tensor(&[2.0f32])?);
    /// let args = KernelArgs::new::<Saxpy>().value(1.0f32).write(&mut x).write(&mut y); // `x` is a `&[f32]`
    /// assert!(matches!(manager.sequence()?.dispatch(Grid::items(1), args), Err(Error::ArgumentMismatch { .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub fn write<T: GpuData>(self, tensor: &mut Tensor<T>) -> Self {
        self.buffer(tensor.handle().buffer, true)
    }

    /// The next argument, tensors for a `&[&[T]]` parameter: as many as there are, in their order; also none, and one several times.
    ///
    /// ```
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence, Tensor};
    ///
    /// /// Launches a kernel `fn(parts: &[&[f32]], sums: &mut [f32])`, whichever it is.
    /// fn launch<K: Kernel>(sequence: &Sequence, parts: &[&Tensor<f32>], sums: &mut Tensor<f32>) -> Result<()> {
    ///     sequence.dispatch(Grid::items(parts.len()), KernelArgs::new::<K>().read_list(parts).write(sums))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn read_list<T: GpuData>(self, tensors: &[&Tensor<T>]) -> Self {
        self.tensors(tensors.iter().map(|tensor| tensor.handle().buffer), size_of::<T>(), false)
    }

    /// The next argument, tensors for a `&mut [&mut [T]]` parameter: as many as there are, in their order, also none.
    ///
    /// ```
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence, Tensor};
    ///
    /// /// Launches a kernel `fn(x: &[f32], parts: &mut [&mut [f32]])`, whichever it is.
    /// fn launch<K: Kernel>(sequence: &Sequence, x: &Tensor<f32>, parts: &mut [&mut Tensor<f32>]) -> Result<()> {
    ///     sequence.dispatch(Grid::items(x.len()), KernelArgs::new::<K>().read(x).write_list(parts))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn write_list<T: GpuData>(self, tensors: &mut [&mut Tensor<T>]) -> Self {
        self.tensors(tensors.iter().map(|tensor| tensor.handle().buffer), size_of::<T>(), true)
    }

    pub(super) fn tensors(mut self, tensors: impl Iterator<Item = Arc<Buffer>>, size: usize, is_written: bool) -> Self {
        self.fill(|descriptor, param, filled| {
            let found = || describe_list(is_written, size);
            let binding = match param_kind(descriptor, param, found)? {
                ParamKind::List { binding, writable, stride, .. }
                    if (writable, stride as usize) == (is_written, size) =>
                {
                    binding
                }
                _ => return Err(mismatch(descriptor, param, found())),
            };
            let role = Role::Member;
            for buffer in tensors {
                let param = param as u32;
                filled.buffers.push(BufferArg { buffer, param, binding, is_written, sampler: None, role });
            }
            refuse_aliases(descriptor, &filled.buffers)
        });
        self
    }

    fn buffer(mut self, buffer: Arc<Buffer>, is_exclusive: bool) -> Self {
        let is_atomic = !is_exclusive && self.atomic.contains(&self.next);
        let is_written = is_exclusive || is_atomic;
        self.fill(|descriptor, param, filled| {
            let (reference, stride) = (if is_exclusive { "&mut" } else { "&" }, buffer.stride());
            let found = || format!("{reference} tensor `{}` of {stride}-byte elements", buffer.name());
            let (binding, role) = match param_kind(descriptor, param, found)? {
                ParamKind::Buffer { binding, writable, stride: wanted, .. }
                    if writable == is_written && wanted == stride =>
                {
                    (binding, Role::Whole)
                }
                ParamKind::Texels { binding, stride: wanted, .. } if !is_written && wanted == stride => {
                    (binding, Role::Texels)
                }
                _ => return Err(mismatch(descriptor, param, found())),
            };
            let is_alias = |other: &BufferArg| (is_written || other.is_written) && other.buffer.overlaps(&buffer);
            let alias = filled.buffers.iter().position(is_alias);
            let param = param as u32;
            filled.buffers.push(BufferArg { buffer, param, binding, is_written, sampler: None, role });
            refuse_alias(descriptor, &filled.buffers, alias)
        });
        self
    }

    pub(super) fn fill(&mut self, put: impl FnOnce(&'static KernelDescriptor, usize, &mut Filled) -> Result<()>) {
        let Ok(filled) = &mut self.filled else { return };
        match put(self.descriptor, self.next, filled) {
            Ok(()) => self.next += 1,
            Err(error) => self.filled = Err(Box::new(error)),
        }
    }

    /// The arguments, if all were given and fit.
    pub(crate) fn finish(self) -> Result<Box<Filled>> {
        let filled = self.filled.map_err(|error| *error)?;
        match self.descriptor.params.get(self.next) {
            None => Ok(filled),
            Some(_) => Err(mismatch(self.descriptor, self.next, "no argument".to_owned())),
        }
    }

    /// The buffer arguments given so far.
    pub(crate) fn buffers(&self) -> &[BufferArg] {
        self.filled.as_ref().map_or(&[], |filled| &filled.buffers)
    }
}
