//! The makers of a manager's objects: tensors, images, sequences, events, algorithms. They must not know how any of
//! them is made.

use gridwise_ir::descriptor::Feature;

use super::Manager;
use crate::core::error::{Error, Result};
use crate::device::subnormals::{self, Subnormals};
use crate::device::vulkan::BufferRange;
use crate::memory::data::GpuData;
use crate::memory::image::{Dimension, Format, Image, ImageDesc, Levels};
use crate::memory::mapped::MemoryKind;
use crate::memory::tensor::{Contents, Tensor, TensorDesc};
use crate::record::algorithm::{Algorithm, Variant};
use crate::record::event::{Event, WaitWay};
use crate::record::kernel::Kernel;
use crate::record::kernels;
use crate::record::module::{SpirvAlgorithm, SpirvDesc};
use crate::record::table::{Resource, ResourceMut, Table, TableMut};
use crate::run::sequence::Sequence;

impl Manager {
    /// A tensor in the application's own buffer, on the device that it gave to [`from_vulkan`](Self::from_vulkan).
    ///
    /// ```no_run
    /// use gridwise::{BufferRange, Manager, Result, Tensor, ash::vk};
    ///
    /// /// The vertices that the application draws, to be moved by kernels.
    /// fn vertices(manager: &Manager, buffer: vk::Buffer, count: usize) -> Result<Tensor<[f32; 3]>> {
    ///     let range = BufferRange { buffer, offset: 0, bytes: 12 * count as u64 };
    ///     // SAFETY: of the manager's device, with the usages that it takes; it stays until the program ends.
    ///     unsafe { manager.tensor_from_buffer("vertices", range, count) }
    /// }
    /// ```
    ///
    /// # Errors
    /// When the elements do not fit into `buffer`, its offset is not aligned as storage buffers are, or the manager's device is the
    /// host.
    ///
    /// # Safety
    /// The buffer belongs to the manager's device, is bound to memory, and contains the given range. It has the usages
    /// `STORAGE_BUFFER`, `TRANSFER_SRC` and `TRANSFER_DST`, and `UNIFORM_TEXEL_BUFFER` if kernels read it as texels. It outlives
    /// the tensor and all sequences that name the tensor. The application uses the range only while no evaluation that names the
    /// tensor runs, and makes its earlier writes available to the device.
    pub unsafe fn tensor_from_buffer<T: GpuData>(
        &self,
        name: &str,
        buffer: BufferRange,
        len: usize,
    ) -> Result<Tensor<T>> {
        Tensor::from_buffer(&self.device, name, buffer, len)
    }

    /// A tensor with copies of `data`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let weights = manager.tensor(&[0.5f32, 1.5])?;
    /// assert_eq!((weights.len(), weights.to_vec()?), (2, vec![0.5, 1.5]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When it is too large, memory is exhausted, or the device fails.
    pub fn tensor<T: GpuData>(&self, data: &[T]) -> Result<Tensor<T>> {
        self.tensor_named("tensor", data)
    }

    /// A tensor of `len` zeros.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let sums = manager.tensor_of_len::<u64>(3)?; // for a kernel to add to
    /// assert_eq!(sums.to_vec()?, [0; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor).
    pub fn tensor_of_len<T: GpuData>(&self, len: usize) -> Result<Tensor<T>> {
        self.tensor_with(TensorDesc { name: "tensor", contents: Contents::Zeros(len) })
    }

    /// A tensor with copies of `data`, and a name for errors and the driver's tools.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let mut weights = manager.tensor_named("weights", &[0.5f32, 1.5])?;
    /// let error = weights.write(&[1.0]).unwrap_err();
    /// assert!(error.to_string().contains("`weights`"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor).
    pub fn tensor_named<T: GpuData>(&self, name: &str, data: &[T]) -> Result<Tensor<T>> {
        self.tensor_with(TensorDesc { name, contents: Contents::Data(data) })
    }

    /// A table with a slot for each of these tensors or images, for lists that kernels read. Between evaluations, a slot can be
    /// set to another resource.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let (a, b) = (manager.tensor(&[1.0f32])?, manager.tensor(&[2.0f32])?);
    /// let table = manager.table(&[&a, &a])?;
    /// table.set(1, &b)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When one of them is of another manager.
    pub fn table<R: Resource>(&self, resources: &[&R]) -> Result<Table<R>> {
        Table::new(&self.device, resources)
    }

    /// A table with a slot for each of these tensors or images, for lists that kernels write.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// let (mut a, mut b) = (manager.tensor(&[1.0f32])?, manager.tensor(&[2.0f32])?);
    /// let table = manager.table_mut(&mut [&mut a])?;
    /// table.set(0, &mut b)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When one of them is of another manager.
    pub fn table_mut<R: ResourceMut>(&self, resources: &mut [&mut R]) -> Result<TableMut<R>> {
        TableMut::new(&self.device, resources)
    }

    /// A tensor by description.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Contents, TensorDesc};
    ///
    /// # let manager = gridwise::Manager::host();
    /// // A kernel will write all of it: not even zeros are needed before.
    /// let desc = TensorDesc { name: "scratch", contents: Contents::<f32>::Uninit(1 << 10) };
    /// assert_eq!(manager.tensor_with(desc)?.len(), 1 << 10);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor).
    pub fn tensor_with<T: GpuData>(&self, desc: TensorDesc<'_, T>) -> Result<Tensor<T>> {
        self.tensor_in(MemoryKind::default(), desc)
    }

    /// A tensor by description, in memory of a kind.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Contents, Manager, MemoryKind, TensorDesc};
    ///
    /// let manager = Manager::new()?;
    /// let desc = TensorDesc { name: "parameters", contents: Contents::Data(&[1.0f32, 2.0]) };
    /// let mut parameters = manager.tensor_in(MemoryKind::Upload, desc)?;
    /// parameters.map_mut()?[1] = 3.0;
    /// assert_eq!(parameters.to_vec()?, [1.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor).
    pub fn tensor_in<T: GpuData>(&self, memory: MemoryKind, desc: TensorDesc<'_, T>) -> Result<Tensor<T>> {
        Tensor::new(&self.device, memory.usage(), desc)
    }

    /// An image of zeros, with one dimension.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::image::R32Float;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let curve = manager.image_1d::<R32Float>(256)?;
    /// assert_eq!((curve.extent(), curve.to_vec()?[0]), ([256], 0.0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`image_with`](Self::image_with).
    pub fn image_1d<F: Format>(&self, width: u32) -> Result<Image<F, 1>> {
        self.image_with(ImageDesc { name: "image", extent: [width], levels: Levels::One })
    }

    /// An image of zeros, with two dimensions.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::image::Rgba8Unorm;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let photo = manager.image_2d::<Rgba8Unorm>(640, 480)?;
    /// assert_eq!((photo.extent(), photo.levels()), ([640, 480], 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`image_with`](Self::image_with).
    pub fn image_2d<F: Format>(&self, width: u32, height: u32) -> Result<Image<F, 2>> {
        self.image_with(ImageDesc { name: "image", extent: [width, height], levels: Levels::One })
    }

    /// An image of zeros, with three dimensions.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Error, image::R8Unorm};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let volume = manager.image_3d::<R8Unorm>(16, 16, 8)?;
    /// assert_eq!(volume.to_vec()?.len(), 16 * 16 * 8);
    /// assert!(matches!(manager.image_3d::<R8Unorm>(16, 0, 8), Err(Error::ImageExtent { .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`image_with`](Self::image_with).
    pub fn image_3d<F: Format>(&self, width: u32, height: u32, depth: u32) -> Result<Image<F, 3>> {
        self.image_with(ImageDesc { name: "image", extent: [width, height, depth], levels: Levels::One })
    }

    /// An image of zeros, by description.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::image::{ImageDesc, Levels, Rgba8Unorm};
    ///
    /// # let manager = gridwise::Manager::host();
    /// // With room for the smaller levels that samplers take for what is far away.
    /// let desc = ImageDesc { name: "bricks", extent: [256, 128], levels: Levels::All };
    /// assert_eq!(manager.image_with::<Rgba8Unorm, 2>(desc)?.levels(), 9);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When a side is zero or larger than the device has, there cannot be so many levels, the device has no images of this format,
    /// memory is exhausted, or the device fails.
    pub fn image_with<F: Format, const D: usize>(&self, desc: ImageDesc<'_, D>) -> Result<Image<F, D>>
    where
        Image<F, D>: Dimension,
    {
        Image::new(&self.device, desc)
    }

    /// An empty sequence, on the first queue.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut sums = manager.tensor(&[1u32, 2])?;
    /// let reset = manager.sequence()?;
    /// reset.record(OpFill::new(&mut sums, 0))?;
    /// reset.eval()?; // as often as wanted
    /// assert_eq!(sums.to_vec()?, [0, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// None so far. The method returns a `Result`, so that a later version may report errors without a change of the interface.
    pub fn sequence(&self) -> Result<Sequence> {
        self.sequence_on(0)
    }

    /// An empty sequence on one of the [`queues`](Self::queues). Sequences on different queues run concurrently. If one of them
    /// writes a tensor that another one uses, the device runs them in the order in which they were started.
    ///
    /// ```
    /// use gridwise::{Manager, QueueKind, ops::OpCopy};
    ///
    /// # fn main() -> gridwise::Result<()> {
    /// let manager = Manager::new()?;
    /// let transfers = manager.queues().iter().rposition(|queue| queue.kind == QueueKind::Transfer).unwrap_or(0);
    /// let from = manager.tensor(&[1.0f32, 2.0])?;
    /// let mut to = manager.tensor_of_len::<f32>(2)?;
    /// manager.sequence_on(transfers)?.record(OpCopy::new(&from, &mut to))?.eval()?;
    /// assert_eq!(to.to_vec()?, [1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When there is no such queue: [`Error::NoQueue`].
    pub fn sequence_on(&self, queue: usize) -> Result<Sequence> {
        match self.device.queues.len() {
            available if queue >= available => Err(Error::NoQueue { queue, available }),
            _ => Ok(Sequence::new(self.device.clone(), queue)),
        }
    }

    /// An event that no sequence has signalled yet.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// assert!(gridwise::Manager::host().event().is_complete()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn event(&self) -> Event {
        Event::new(self.device.clone())
    }

    /// The way in which [`OpWait`](crate::ops::OpWait) in a sequence of this manager waits for an event: on the device if
    /// possible, else on the host.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Manager, WaitWay};
    ///
    /// let (one, other) = (Manager::new()?, Manager::new()?); // two managers of one device
    /// match one.wait_way(&other.event()) {
    ///     WaitWay::SharedSemaphore => println!("the device waits"),
    ///     _ => println!("the host waits"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn wait_way(&self, event: &Event) -> WaitWay {
        event.mark.way_of(&self.device)
    }

    /// A kernel prepared for the device. Repeated calls for one kernel share one pipeline.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// # let manager = gridwise::Manager::host();
    /// # use kernels::Saxpy;
    /// // `Saxpy` was made by `#[kernel]`. Its pipeline is compiled here, not when it is first launched.
    /// let saxpy = manager.algorithm::<Saxpy>()?;
    /// assert_eq!(saxpy.name(), "saxpy");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device lacks a feature or limit that the kernel needs, or the driver rejects the kernel.
    pub fn algorithm<K: Kernel>(&self) -> Result<Algorithm> {
        let variant = Variant::usual(&self.device, K::DESCRIPTOR);
        Ok(Algorithm::new(kernels::prepare(&self.device, K::DESCRIPTOR, K::CONSTANTS, variant)?))
    }
}

impl<T: GpuData> Tensor<T> {
    /// The manager that created the tensor; it can create more tensors on the same device.
    ///
    /// ```
    /// use gridwise::{Result, Tensor, ops::OpCopy};
    ///
    /// /// A copy on the same device.
    /// fn copied(x: &Tensor<f32>) -> Result<Tensor<f32>> {
    ///     let manager = x.manager();
    ///     let mut copy = manager.tensor_of_len(x.len())?;
    ///     manager.sequence()?.record(OpCopy::new(x, &mut copy))?.eval()?;
    ///     Ok(copy)
    /// }
    ///
    /// # fn main() -> Result<()> {
    /// assert_eq!(copied(&gridwise::Manager::host().tensor(&[1.5])?)?.get(0)?, 1.5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn manager(&self) -> Manager {
        Manager::of_device(&self.buffer.device)
    }
}

impl Algorithm {
    /// An algorithm from SPIR-V of any origin. gridwise checks the whole module before the driver sees it. The module itself
    /// declares its bindings, workgroup size, push constants and specialization constants; the arguments have to fit them.
    /// Buffers and images are supported; images with samplers must be combined ones, such as `sampler2D`. If the driver may stop
    /// long loops, gridwise watches the module's loops as it does for kernels: [`Error::LoopsStopped`].
    ///
    /// ```standalone_crate
    /// use gridwise::{Algorithm, DeviceKind, Error, Grid, Manager, SpirvCode, SpirvDesc};
    ///
    /// # fn main() -> gridwise::Result<()> {
    /// // GLSL: `constant_id = 0` float factor; push constants `uint count; float offset`; buffers 0 (readonly) and 1.
    /// let bytes = include_bytes!("../../tests/modules/scale.spv");
    /// let manager = Manager::new()?;
    /// let desc = SpirvDesc {
    ///     name: "scale",
    ///     code: SpirvCode::Bytes(bytes),
    ///     entry_point: None,
    ///     constants: &[(0, 3.0f32.into()), (1, 0i32.into()), (7, 64u32.into())],
    /// };
    /// // SAFETY: the module reads and writes below `count` only, which is the length of both tensors.
    /// let scale = match unsafe { Algorithm::from_spirv(&manager, &desc) } {
    ///     // The host device runs kernels that rustc compiled, and nothing else.
    ///     Err(Error::NeedsVulkan { .. }) if manager.device().kind == DeviceKind::Host => return Ok(()),
    ///     made => made?,
    /// };
    /// let from = manager.tensor(&[1.0f32, 2.0, 3.0])?;
    /// let mut to = manager.tensor_of_len::<f32>(3)?;
    /// let push = [3u32, 0.5f32.to_bits()]; // or a `#[repr(C)]` struct with `#[derive(GpuData)]`
    /// let launch = scale.launch(Grid::items(3)).read(0, &from).write(1, &mut to).push(&push);
    /// manager.sequence()?.record(launch)?.eval()?;
    /// assert_eq!(to.to_vec()?, [3.5, 6.5, 9.5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the module is not valid, needs a feature that the device or gridwise lacks, or the constants do not fit;
    /// [`Error::NeedsVulkan`] on the host device.
    ///
    /// # Safety
    /// For every value of its constants, the module must stay within the buffers that it is given in each launch, must end, and
    /// must not race: its behaviour while it runs cannot be checked. A module that you cannot vouch for runs in a `Worker`, a
    /// process of its own.
    pub unsafe fn from_spirv(manager: &Manager, desc: &SpirvDesc<'_>) -> Result<SpirvAlgorithm> {
        SpirvAlgorithm::new(manager.shared_device(), desc)
    }
}

impl Manager {
    /// The device's treatment of subnormal numbers; the first call tests the device. The driver's promises are among
    /// [`DeviceInfo::features`](crate::DeviceInfo::features), for example `SubnormalsF32`.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// let manager = gridwise::Manager::new()?;
    /// if !manager.subnormals()?.f32 {
    ///     println!("{} takes subnormal numbers for zeros", manager.device());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the device fails during the test.
    pub fn subnormals(&self) -> Result<Subnormals> {
        let device = self.shared_device();
        let of = |feature, width| match device.info.has(feature) {
            true => device.keeps_subnormals(width).map(Some),
            false => Ok(None),
        };
        Ok(Subnormals {
            f16: of(Feature::Float16, subnormals::Width::Half)?,
            f32: device.keeps_subnormals(subnormals::Width::Single)?,
            f64: of(Feature::Float64, subnormals::Width::Double)?,
        })
    }
}
