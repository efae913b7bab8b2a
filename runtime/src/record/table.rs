//! Tables: lists of tensors or images that launches name, and whose slots change between evaluations. They must not know sequences.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gridwise_ir::descriptor::{ImageAccess, Sampler};

use crate::core::error::{Error, RecordingError, Result};
use crate::device::Device;
use crate::memory::buffer::Buffer;
use crate::memory::data::GpuData;
use crate::memory::image::{Format, Image, Sampled};
use crate::memory::tensor::{Tensor, TensorRef};
use crate::record::args::KernelArgs;
use sealed::{Kind, Listed};

/// A tensor or an image that can be in a list parameter of a kernel: `&[&[T]]`, `&[&Image2D<F>]` and similar.
///
/// ```
/// use gridwise::{Manager, Resource, Result, Table};
///
/// /// A table with one resource in all its slots, until there are others.
/// fn placeholders<R: Resource>(manager: &Manager, one: &R, slots: usize) -> Result<Table<R>> {
///     manager.table(&vec![one; slots])
/// }
/// ```
pub trait Resource: sealed::Listed {}

/// A resource that kernels can write: a tensor or an image, without a sampler.
///
/// ```
/// use gridwise::{Manager, ResourceMut, Result, TableMut};
///
/// /// A table of two states, which kernels read and write.
/// fn states<R: ResourceMut>(manager: &Manager, [a, b]: [&mut R; 2]) -> Result<TableMut<R>> {
///     manager.table_mut(&mut [a, b])
/// }
/// ```
pub trait ResourceMut: Resource {}

mod sealed {
    use super::{Sampler, TensorRef};
    use crate::image::Format;

    /// The kind of list that a resource is for.
    #[derive(Debug, Clone, Copy)]
    pub enum Kind {
        /// Tensors with elements of so many bytes.
        Tensors { size: usize },
        /// Images.
        Images { format: gridwise_ir::descriptor::ImageFormat, dimensions: usize, is_sampled: bool },
    }

    /// A member of lists.
    pub trait Listed {
        /// The kind of its lists.
        const KIND: Kind;

        /// The buffer's handle, and how it is sampled if it is.
        fn listed(&self) -> (TensorRef, Option<Sampler>);
    }

    pub(super) const fn images<F: Format>(dimensions: usize, is_sampled: bool) -> Kind {
        Kind::Images { format: F::FORMAT, dimensions, is_sampled }
    }
}

impl<T: GpuData> Resource for Tensor<T> {}
impl<F: Format, const D: usize> Resource for Image<F, D> {}
impl<F: Format, const D: usize> Resource for Sampled<F, D> {}
impl<T: GpuData> ResourceMut for Tensor<T> {}
impl<F: Format, const D: usize> ResourceMut for Image<F, D> {}

impl<T: GpuData> Listed for Tensor<T> {
    const KIND: Kind = Kind::Tensors { size: size_of::<T>() };

    fn listed(&self) -> (TensorRef, Option<Sampler>) {
        (self.handle(), None)
    }
}

impl<F: Format, const D: usize> Listed for Image<F, D> {
    const KIND: Kind = sealed::images::<F>(D, false);

    fn listed(&self) -> (TensorRef, Option<Sampler>) {
        (TensorRef { buffer: self.buffer.clone() }, None)
    }
}

impl<F: Format, const D: usize> Listed for Sampled<F, D> {
    const KIND: Kind = sealed::images::<F>(D, true);

    fn listed(&self) -> (TensorRef, Option<Sampler>) {
        (TensorRef { buffer: self.buffer.clone() }, Some(self.sampler()))
    }
}

/// A lasting list of tensors or images that kernels read, for parameters `&[&[T]]`, `&[&Image2D<F>]`, `&[&Sampled2D<F>]` and their like;
/// made by [`Manager::table`](crate::Manager::table).
///
/// Its slots are set one at a time, between evaluations. Recordings with the table use the new resources, and need not be
/// recorded again.
///
/// ```
/// use gridwise::{Grid, Kernel, KernelArgs, Manager, Result, Tensor};
///
/// /// Adds tensors by a kernel `fn(parts: &[&[f32]], sum: &mut [f32])`: four of them again and again, each time another as the first.
/// fn sums<K: Kernel>(manager: &Manager, parts: [&Tensor<f32>; 4], sum: &mut Tensor<f32>) -> Result<()> {
///     let table = manager.table(&parts)?;
///     let sequence = manager.sequence()?;
///     sequence.dispatch(Grid::items(sum.len()), KernelArgs::new::<K>().list(&table).write(sum))?;
///     for first in parts {
///         table.set(0, first)?;
///         sequence.eval()?; // a replay
///     }
///     Ok(())
/// }
/// ```
///
/// The tensors and images in its slots stay alive as long as the table does, or recordings that name them.
pub struct Table<R: Resource> {
    pub(crate) slots: Arc<Slots>,
    marker: PhantomData<fn(&R)>,
}

/// A lasting list of tensors or images that kernels write, for parameters `&mut [&mut [T]]`, `&mut [&mut Image2D<F>]` and their like; made by
/// [`Manager::table_mut`](crate::Manager::table_mut). Otherwise as [`Table`].
///
/// ```
/// use gridwise::{Grid, Kernel, KernelArgs, Manager, Result, Tensor};
///
/// /// Lets a kernel `fn(parts: &mut [&mut [f32]])` write two tensors, then one of them and a third.
/// fn write_all<K: Kernel>(manager: &Manager, [a, b, c]: [&mut Tensor<f32>; 3]) -> Result<()> {
///     let mut table = manager.table_mut(&mut [a, b])?;
///     let sequence = manager.sequence()?;
///     sequence.dispatch(Grid::items(64), KernelArgs::new::<K>().list_mut(&mut table))?.eval()?;
///     table.set(1, c)?;
///     sequence.eval()?;
///     Ok(())
/// }
/// ```
pub struct TableMut<R: ResourceMut> {
    pub(crate) slots: Arc<Slots>,
    marker: PhantomData<fn(&mut R)>,
}

/// The slots of a table.
pub(crate) struct Slots {
    device: Arc<Device>,
    len: usize,
    state: Mutex<State>,
}

struct State {
    /// Counts the changes.
    version: u64,
    slots: Vec<Slot>,
}

/// A slot, with what is in it.
struct Slot {
    member: Member,
    /// The version that it came with.
    since: u64,
}

/// A tensor or an image in a slot.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) sampler: Option<Sampler>,
}

/// Slots that have changed.
pub(crate) struct Changes {
    /// The position, the version that the member came with, and the member.
    pub(crate) members: Vec<(usize, u64, Member)>,
    /// The version of the table with them.
    pub(crate) version: u64,
}

/// A table among the arguments of a launch.
#[derive(Debug, Clone)]
pub(crate) struct TableUse {
    pub(crate) slots: Arc<Slots>,
    /// Position of the parameter in the kernel's signature.
    pub(crate) param: u32,
    /// The version of the slots that the launch has.
    pub(crate) version: u64,
}

impl Slots {
    fn new<'r, R: Resource + 'r>(device: &Arc<Device>, resources: impl Iterator<Item = &'r R>) -> Result<Self> {
        let mut slots = Vec::new();
        for resource in resources {
            let member = checked(device, resource, "making a table")?;
            slots.push(Slot { member, since: 0 });
        }
        Ok(Self { device: device.clone(), len: slots.len(), state: Mutex::new(State { version: 0, slots }) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, slot: usize, resource: &impl Resource, is_written: bool) -> Result<()> {
        let operation = "setting a slot of a table";
        let member = checked(&self.device, resource, operation)?;
        if is_written && member.buffer.is_sealed() {
            let (operation, tensor) = (operation.to_owned(), member.buffer.name().into());
            return Err(Error::Recording(RecordingError::ReadOnly { operation, tensor }));
        }
        let before = {
            let state = &mut *self.lock();
            let Some(found) = state.slots.get_mut(slot) else {
                return Err(Error::Recording(RecordingError::NoSuchSlot { slot, len: self.len }));
            };
            state.version += 1;
            std::mem::replace(found, Slot { member, since: state.version })
        };
        // Not under the lock: it may be the last one that keeps the memory.
        drop(before);
        Ok(())
    }

    /// How often the slots have changed.
    pub(crate) fn version(&self) -> u64 {
        self.lock().version
    }

    /// Everything in the slots, and the version.
    fn members(&self) -> (Vec<Member>, u64) {
        let state = self.lock();
        (state.slots.iter().map(|slot| slot.member.clone()).collect(), state.version)
    }

    /// The slots that have changed since a version.
    pub(crate) fn changes(&self, since: u64) -> Changes {
        let state = self.lock();
        let changed = state.slots.iter().enumerate().filter(|(_, slot)| slot.since > since);
        let members = changed.map(|(at, slot)| (at, slot.since, slot.member.clone())).collect();
        Changes { members, version: state.version }
    }
}

impl Member {
    fn of(resource: &impl Resource) -> Self {
        let (TensorRef { buffer }, sampler) = resource.listed();
        Self { buffer, sampler }
    }
}

/// A resource of this device for a slot.
fn checked(device: &Arc<Device>, resource: &impl Resource, operation: &'static str) -> Result<Member> {
    let member = Member::of(resource);
    match Arc::ptr_eq(&member.buffer.device, device) {
        true => Ok(member),
        false => Err(Error::ForeignTensor { operation: operation.to_owned(), tensor: member.buffer.name().into() }),
    }
}

impl<R: Resource> Table<R> {
    pub(crate) fn new(device: &Arc<Device>, resources: &[&R]) -> Result<Self> {
        Ok(Self { slots: Arc::new(Slots::new(device, resources.iter().copied())?), marker: PhantomData })
    }

    /// Sets a slot, for evaluations that begin from now on. An evaluation in progress keeps the resources with which it began,
    /// even after host callbacks.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, RecordingError};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (a, b) = (manager.tensor(&[1.0f32])?, manager.tensor(&[2.0f32, 3.0])?); // of any lengths
    /// let table = manager.table(&[&a, &a])?;
    /// table.set(1, &b)?;
    /// let error = table.set(2, &b).unwrap_err();
    /// assert!(matches!(error, Error::Recording(RecordingError::NoSuchSlot { slot: 2, len: 2 })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A resource that does not fit some launch, for example because the launch writes it by another argument, is an error of the next
    /// evaluation, which then runs nothing. Once the slot is set to another one, evaluations go on.
    ///
    /// # Errors
    /// [`RecordingError::NoSuchSlot`], and [`Error::ForeignTensor`] for a resource of another manager.
    pub fn set(&self, slot: usize, resource: &R) -> Result<()> {
        self.slots.set(slot, resource, false)
    }

    /// Number of slots.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let placeholder = manager.tensor(&[0.0f32])?;
    /// assert_eq!(manager.table(&vec![&placeholder; 1000])?.len(), 1000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn len(&self) -> usize {
        self.slots.len
    }

    /// Whether there are no slots.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// assert!(manager.table::<gridwise::Tensor<f32>>(&[])?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<R: ResourceMut> TableMut<R> {
    pub(crate) fn new(device: &Arc<Device>, resources: &mut [&mut R]) -> Result<Self> {
        let slots = Slots::new(device, resources.iter().map(|resource| &**resource))?;
        Ok(Self { slots: Arc::new(slots), marker: PhantomData })
    }

    /// Sets a slot, as [`Table::set`] does.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let (mut a, mut b) = (manager.tensor(&[0.0f32])?, manager.tensor(&[0.0f32])?);
    /// let table = manager.table_mut(&mut [&mut a])?;
    /// table.set(0, &mut b)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// One resource in two slots is an error of the next evaluation, [`Error::AliasedTensor`].
    ///
    /// # Errors
    /// As [`Table::set`].
    pub fn set(&self, slot: usize, resource: &mut R) -> Result<()> {
        self.slots.set(slot, resource, true)
    }

    /// Number of slots.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let mut a = manager.tensor(&[0.0f32])?;
    /// assert_eq!(manager.table_mut(&mut [&mut a])?.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn len(&self) -> usize {
        self.slots.len
    }

    /// Whether there are no slots.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// assert!(manager.table_mut::<gridwise::Tensor<f32>>(&mut [])?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An argument for a kernel's parameter `&[&[T]]`, `&[&Image2D<F>]`, `&[&Sampled2D<F>]` or its like: references to tensors or images, or a
/// table.
///
/// ```
/// use gridwise::{Grid, Kernel, KernelArgs, ReadList, Result, Sequence, Tensor};
///
/// /// Launches a kernel `fn(parts: &[&[f32]], sum: &mut [f32])`, over a list or over a table.
/// fn sum<K: Kernel>(sequence: &Sequence, parts: impl ReadList<Tensor<f32>>, sum: &mut Tensor<f32>) -> Result<()> {
///     sequence.dispatch(Grid::items(sum.len()), KernelArgs::new::<K>().list(parts).write(sum))?;
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "the kernel's parameter is a list of `{R}`",
    label = "`{Self}` is no such list",
    note = "a list `&[&a, &b]` fits, with `&*part` for a part of a tensor, and a `&Table<{R}>`"
)]
pub trait ReadList<R: Resource> {
    /// Adds the argument.
    ///
    /// ```
    /// use gridwise::{Kernel, KernelArgs, ReadList, Tensor};
    ///
    /// fn args<K: Kernel>(parts: &[&Tensor<f32>]) -> KernelArgs {
    ///     parts.add_to(KernelArgs::new::<K>()) // what `KernelArgs::list` does
    /// }
    /// ```
    fn add_to(self, args: KernelArgs) -> KernelArgs;
}

/// An argument for a kernel's parameter `&mut [&mut [T]]`, `&mut [&mut Image2D<F>]` or its like: references to tensors or images, or a table.
///
/// ```
/// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence, Tensor, WriteList};
///
/// /// Launches a kernel `fn(parts: &mut [&mut [f32]])`, over a list or over a table.
/// fn launch<K: Kernel>(sequence: &Sequence, parts: impl WriteList<Tensor<f32>>) -> Result<()> {
///     sequence.dispatch(Grid::items(64), KernelArgs::new::<K>().list_mut(parts))?;
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "the kernel's parameter is a list of `{R}` to be written",
    label = "`{Self}` is no such list",
    note = "a list `&mut [&mut a, &mut b]` fits, with `&mut *part` for a part of a tensor, and a `&mut TableMut<{R}>`"
)]
pub trait WriteList<R: ResourceMut> {
    /// Adds the argument.
    ///
    /// ```
    /// use gridwise::{Kernel, KernelArgs, Tensor, WriteList};
    ///
    /// fn args<K: Kernel>(parts: &mut [&mut Tensor<f32>]) -> KernelArgs {
    ///     parts.add_to(KernelArgs::new::<K>()) // what `KernelArgs::list_mut` does
    /// }
    /// ```
    fn add_to(self, args: KernelArgs) -> KernelArgs;
}

impl<R: Resource> ReadList<R> for &[&R] {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        args.members(R::KIND, self.iter().map(|resource| Member::of(*resource)), false)
    }
}

impl<R: Resource, const N: usize> ReadList<R> for &[&R; N] {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        self.as_slice().add_to(args)
    }
}

impl<R: Resource> ReadList<R> for &Vec<&R> {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        self.as_slice().add_to(args)
    }
}

impl<R: Resource> ReadList<R> for &Table<R> {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        args.slots(R::KIND, &self.slots, false)
    }
}

/// Launches may read what others write.
impl<R: ResourceMut> ReadList<R> for &TableMut<R> {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        args.slots(R::KIND, &self.slots, false)
    }
}

impl<R: ResourceMut> WriteList<R> for &mut [&mut R] {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        args.members(R::KIND, self.iter().map(|resource| Member::of(&**resource)), true)
    }
}

impl<R: ResourceMut, const N: usize> WriteList<R> for &mut [&mut R; N] {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        self.as_mut_slice().add_to(args)
    }
}

impl<R: ResourceMut> WriteList<R> for &mut Vec<&mut R> {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        self.as_mut_slice().add_to(args)
    }
}

impl<R: ResourceMut> WriteList<R> for &mut TableMut<R> {
    fn add_to(self, args: KernelArgs) -> KernelArgs {
        args.slots(R::KIND, &self.slots, true)
    }
}

impl KernelArgs {
    /// The next argument, a list or a [`Table`], for a `&[&[T]]`, `&[&Image2D<F>]` or `&[&Sampled2D<F>]` parameter or its like.
    ///
    /// ```
    /// use gridwise::image::{Image, Rgba8Unorm, Sampled};
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence, Table};
    ///
    /// /// Launches a kernel `fn(textures: &[&Sampled2D<Rgba8Unorm>], frame: &mut Image2D<Rgba8Unorm>)`.
    /// fn draw<K: Kernel>(
    ///     sequence: &Sequence,
    ///     textures: &Table<Sampled<Rgba8Unorm, 2>>,
    ///     frame: &mut Image<Rgba8Unorm, 2>,
    /// ) -> Result<()> {
    ///     sequence.dispatch(Grid::items(frame.extent()), KernelArgs::new::<K>().list(textures).image_mut(frame))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn list<R: Resource>(self, list: impl ReadList<R>) -> Self {
        list.add_to(self)
    }

    /// The next argument, a list or a [`TableMut`], for a `&mut [&mut [T]]` or `&mut [&mut Image2D<F>]` parameter or its like.
    ///
    /// ```
    /// use gridwise::{Grid, Kernel, KernelArgs, Result, Sequence, TableMut, Tensor};
    ///
    /// /// Launches a kernel `fn(parts: &mut [&mut [f32]])`, whichever it is.
    /// fn launch<K: Kernel>(sequence: &Sequence, parts: &mut TableMut<Tensor<f32>>) -> Result<()> {
    ///     sequence.dispatch(Grid::items(64), KernelArgs::new::<K>().list_mut(parts))?;
    ///     Ok(())
    /// }
    /// ```
    pub fn list_mut<R: ResourceMut>(self, list: impl WriteList<R>) -> Self {
        list.add_to(self)
    }

    fn members(self, kind: Kind, members: impl Iterator<Item = Member>, is_written: bool) -> Self {
        match kind {
            Kind::Tensors { size } => self.tensors(members.map(|member| member.buffer), size, is_written),
            Kind::Images { format, dimensions, is_sampled } => {
                let given = members.map(|member| (member.buffer, member.sampler));
                self.image_list((access_of(is_sampled, is_written), format, dimensions), given)
            }
        }
    }

    fn slots(self, kind: Kind, slots: &Arc<Slots>, is_written: bool) -> Self {
        let (members, version) = slots.members();
        let (slots, param) = (slots.clone(), self.next as u32);
        let table = TableUse { slots, param, version };
        let mut args = self.members(kind, members.into_iter(), is_written);
        if let Ok(filled) = &mut args.filled {
            filled.tables.push(table);
        }
        args
    }
}

fn access_of(is_sampled: bool, is_written: bool) -> ImageAccess {
    match (is_sampled, is_written) {
        (_, true) => ImageAccess::Store,
        (true, false) => ImageAccess::Sample,
        (false, false) => ImageAccess::Load,
    }
}

impl<R: Resource> fmt::Debug for Table<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("slots", &self.slots).finish()
    }
}

impl<R: ResourceMut> fmt::Debug for TableMut<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableMut").field("slots", &self.slots).finish()
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        let names = state.slots.iter().map(|slot| slot.member.buffer.name());
        f.debug_list().entries(names).finish()
    }
}
