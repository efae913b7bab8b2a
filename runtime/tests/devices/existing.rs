//! A manager within an application's own Vulkan: its device and queue, its buffers, its commands on our tensors.

use gridwise_runtime::ash::{self, vk};
use gridwise_runtime::ops::{OpCopy, OpFill};
use gridwise_runtime::{
    BufferRange, CopyWay, Error, ExistingQueue, ExistingVulkan, Grid, Manager, ManagerDesc, PageVec, PipelineCache,
};

use crate::harness::cases;
use crate::kernels::{Mark, Saxpy};
use crate::ramp;

cases! {
    once: the_host_device_borrows_nothing;
    once_on_vulkan: sequences_run_on_an_applications_queue, tensors_lie_in_an_applications_buffers,
        an_application_gives_several_queues, what_cannot_be_borrowed_is_an_error;
}

/// An application with Vulkan of its own.
struct Application {
    entry: ash::Entry,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    family: u32,
    has_push_descriptors: bool,
}

impl Application {
    fn new(with_push_descriptors: bool) -> Self {
        // SAFETY: plain Vulkan, by the book; likewise in all of this file.
        unsafe {
            let entry = ash::Entry::load().unwrap();
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let families = instance.get_physical_device_queue_family_properties(physical);
            let family =
                families.iter().position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE)).unwrap();
            let queues =
                [vk::DeviceQueueCreateInfo::default().queue_family_index(family as u32).queue_priorities(&[1.0])];
            let mut features = vk::PhysicalDeviceVulkan12Features::default()
                .vulkan_memory_model(true)
                .scalar_block_layout(true)
                .timeline_semaphore(true);
            let push = [ash::khr::push_descriptor::NAME.as_ptr()];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut features);
            let info = if with_push_descriptors { info.enabled_extension_names(&push) } else { info };
            let device = instance.create_device(physical, &info, None).unwrap();
            let queue = device.get_device_queue(family as u32, 0);
            let (family, has_push_descriptors) = (family as u32, with_push_descriptors);
            Self { entry, instance, physical, device, queue, family, has_push_descriptors }
        }
    }

    fn vulkan(&self) -> ExistingVulkan {
        let Self { entry, instance, physical, device, queue, family, has_push_descriptors } = self;
        let mut vulkan =
            ExistingVulkan::new(entry.clone(), instance.clone(), *physical, device.clone(), *queue, *family);
        vulkan.has_push_descriptors = *has_push_descriptors;
        vulkan
    }

    /// A buffer in memory that the host sees, and its address.
    fn buffer(&self, bytes: u64) -> (vk::Buffer, vk::DeviceMemory, *mut f32) {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        // SAFETY: as above.
        unsafe {
            let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
            let buffer = self.device.create_buffer(&info, None).unwrap();
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let memory = self.instance.get_physical_device_memory_properties(self.physical);
            let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let fits = |index: &u32| {
                needs.memory_type_bits & 1 << index != 0
                    && memory.memory_types[*index as usize].property_flags.contains(wanted)
            };
            let ty = (0..memory.memory_type_count).find(fits).unwrap();
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(ty);
            let memory = self.device.allocate_memory(&info, None).unwrap();
            self.device.bind_buffer_memory(buffer, memory, 0).unwrap();
            let data = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).unwrap();
            (buffer, memory, data.cast())
        }
    }

    fn free(&self, buffer: vk::Buffer, memory: vk::DeviceMemory) {
        // SAFETY: as above.
        unsafe {
            self.device.destroy_buffer(buffer, None);
            self.device.free_memory(memory, None);
        }
    }

    /// Copies between buffers by commands of its own, and waits.
    fn copy(&self, from: BufferRange, to: BufferRange) {
        // SAFETY: as above; the queue's lock is held by the caller.
        unsafe {
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(self.family);
            let pool = self.device.create_command_pool(&info, None).unwrap();
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = self.device.allocate_command_buffers(&info).unwrap();
            self.device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default()).unwrap();
            let barrier = |before: (vk::PipelineStageFlags, vk::AccessFlags),
                           after: (vk::PipelineStageFlags, vk::AccessFlags)| {
                let barrier = vk::MemoryBarrier::default().src_access_mask(before.1).dst_access_mask(after.1);
                let none = vk::DependencyFlags::empty();
                self.device.cmd_pipeline_barrier(commands[0], before.0, after.0, none, &[barrier], &[], &[]);
            };
            let all = (vk::PipelineStageFlags::ALL_COMMANDS, vk::AccessFlags::MEMORY_WRITE);
            barrier(all, (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_READ));
            let region =
                vk::BufferCopy { src_offset: from.offset, dst_offset: to.offset, size: from.bytes.min(to.bytes) };
            self.device.cmd_copy_buffer(commands[0], from.buffer, to.buffer, &[region]);
            let transfer = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE);
            barrier(transfer, (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ));
            self.device.end_command_buffer(commands[0]).unwrap();
            let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
            self.device.queue_submit(self.queue, &submit, vk::Fence::null()).unwrap();
            self.device.queue_wait_idle(self.queue).unwrap();
            self.device.destroy_command_pool(pool, None);
        }
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        // SAFETY: as above; that this works shows that the manager left both alone.
        unsafe {
            self.device.device_wait_idle().unwrap();
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

fn manager(vulkan: ExistingVulkan) -> Manager {
    let desc = ManagerDesc { pipeline_cache: PipelineCache::Off, ..ManagerDesc::default() };
    // SAFETY: the application lives longer, made its device with the features, and holds the lock where it submits.
    unsafe { Manager::from_vulkan(vulkan, desc) }.unwrap()
}

fn sequences_run_on_an_applications_queue() {
    for with_push_descriptors in [false, true] {
        let application = Application::new(with_push_descriptors);
        let vulkan = application.vulkan();
        let lock = vulkan.queue_lock.clone();
        let manager = manager(vulkan);
        let len = 5000;
        let x = manager.tensor(&ramp(len)).unwrap();
        let mut y = manager.tensor(&vec![1.0f32; len]).unwrap();
        let sequence = manager.sequence().unwrap();
        for _ in 0..3 {
            Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &x, &mut y).unwrap();
        }
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap()[10], 31.0);
        // A tensor of ours in commands of the application's.
        let range = y.vulkan_buffer().unwrap();
        assert_eq!((range.offset, range.bytes), (0, 4 * len as u64));
        let (buffer, memory, data) = application.buffer(4 * len as u64);
        {
            let _queue = lock.lock().unwrap();
            application.copy(range, BufferRange { buffer, offset: 0, bytes: 4 * len as u64 });
        }
        // SAFETY: the copy is complete.
        assert_eq!(unsafe { data.add(11).read() }, 34.0);
        application.free(buffer, memory);
        let mut marks = manager.tensor_of_len::<u32>(4).unwrap();
        sequence.clear().unwrap();
        Mark::dispatch(&sequence, Grid::items(5), 0, &mut marks).unwrap();
        assert!(matches!(sequence.eval(), Err(Error::KernelPanic { count: 1, .. })));
        drop((manager, x, y, marks));
        drop(sequence);
    }
}

fn tensors_lie_in_an_applications_buffers() {
    let application = Application::new(true);
    let manager = manager(application.vulkan());
    let (buffer, memory, data) = application.buffer(4096);
    let range = |offset, bytes| BufferRange { buffer, offset, bytes };
    // SAFETY: nobody uses the memory now.
    unsafe { (0..1024).for_each(|i| data.add(i).write(i as f32)) };
    // SAFETY: the buffer stays until everything is gone, and the ranges are apart.
    let borrow = |range, len| unsafe { manager.tensor_from_buffer::<f32>("borrowed", range, len) };
    let x = borrow(range(0, 1024), 256).unwrap();
    let mut y = borrow(range(1024, 1000), 250).unwrap();
    let mut z = borrow(range(2048, 2048), 256).unwrap();
    assert_eq!(x.to_vec().unwrap(), ramp(256));
    let sequence = manager.sequence().unwrap();
    Saxpy::dispatch(&sequence, Grid::items(250), 2.0, &x, &mut y).unwrap();
    sequence.record(OpFill::new(&mut z, 9.0)).unwrap();
    let mut copy = manager.tensor_of_len::<f32>(250).unwrap();
    sequence.record(OpCopy::new(&y, &mut copy)).unwrap();
    sequence.eval().unwrap();
    let expected = |i: usize| match i {
        0..256 => i as f32,
        256..506 => (i + 2 * (i - 256)) as f32,
        512..768 => 9.0,
        _ => i as f32,
    };
    assert_eq!(copy.to_vec().unwrap()[7], expected(263));
    // SAFETY: the evaluation is complete; the memory is coherent, and reading it through the tensor made it visible.
    let found: Vec<f32> = (0..1024).map(|i| unsafe { data.add(i).read() }).collect();
    assert_eq!(found, (0..1024).map(expected).collect::<Vec<_>>());
    z.write(&[1.5; 256]).unwrap();
    assert_eq!(z.to_vec().unwrap(), [1.5; 256]);
    assert!(matches!(borrow(range(0, 1023), 256), Err(Error::OutOfRange { bytes: 1024, size: 1023, .. })));
    assert!(matches!(borrow(range(2, 1024), 4), Err(Error::Misaligned { offset: 2, .. })));
    // A device that was made without the extensions: what only devices reach goes by the host, and memory of the host is copied.
    let device = ManagerDesc::from_env().unwrap().device;
    let other = Manager::with(ManagerDesc { device, baseline_only: true, ..ManagerDesc::default() }).unwrap();
    let mut theirs = other.tensor_of_len::<f32>(256).unwrap();
    assert_eq!(x.copy_to(&mut theirs).unwrap(), CopyWay::Staging);
    assert_eq!(theirs.to_vec().unwrap(), ramp(256));
    assert_eq!(theirs.copy_to(&mut z).unwrap(), CopyWay::Staging);
    assert_eq!(z.to_vec().unwrap(), ramp(256));
    assert_eq!(manager.host_memory_alignment(), None);
    let over = manager.tensor_over("over", PageVec::from_slice(&[1.0f32, 2.0]).unwrap()).unwrap();
    assert_eq!(*over.map().unwrap(), [1.0, 2.0]);
    drop((sequence, x, y, z, copy, over, manager));
    application.free(buffer, memory);
}

fn an_application_gives_several_queues() {
    let application = Application::new(true);
    let mut vulkan = application.vulkan();
    // One queue of the driver's under two numbers, with one lock.
    let mut second = ExistingQueue::new(vulkan.queue, vulkan.queue_family);
    second.lock = vulkan.queue_lock.clone();
    vulkan.more_queues.push(second);
    let manager = manager(vulkan);
    assert_eq!(manager.queues().len(), 2);
    let x = manager.tensor(&ramp(1000)).unwrap();
    let mut y = manager.tensor_of_len::<f32>(1000).unwrap();
    let sequences = [0, 1].map(|queue| manager.sequence_on(queue).unwrap());
    for sequence in &sequences {
        Saxpy::dispatch(sequence, Grid::items(1000), 1.0, &x, &mut y).unwrap();
    }
    for _ in 0..5 {
        let running = sequences.each_ref().map(|sequence| sequence.eval_async().unwrap());
        running.into_iter().for_each(|running| running.wait().unwrap());
    }
    assert_eq!(y.to_vec().unwrap()[9], 90.0);
    drop((sequences, x, y, manager));
    let mut vulkan = application.vulkan();
    vulkan.more_queues.push(ExistingQueue::new(vulkan.queue, 77));
    // SAFETY: it is refused before anything is used.
    let refused = unsafe { Manager::from_vulkan(vulkan, ManagerDesc::default()) };
    assert!(matches!(refused, Err(Error::DeviceNotSuitable { missing, .. }) if missing.contains("family 77")));
}

fn the_host_device_borrows_nothing() {
    let host = Manager::host();
    let range = BufferRange { buffer: vk::Buffer::null(), offset: 0, bytes: 64 };
    // SAFETY: the host device takes none.
    let refused = unsafe { host.tensor_from_buffer::<f32>("borrowed", range, 4) };
    assert!(matches!(refused, Err(Error::OnHostDevice { .. })));
    assert!(host.tensor(&[1u32]).unwrap().vulkan_buffer().is_none());
}

fn what_cannot_be_borrowed_is_an_error() {
    let application = Application::new(false);
    let mut vulkan = application.vulkan();
    vulkan.queue_family = 99;
    // SAFETY: it is refused before anything is used.
    let refused = unsafe { Manager::from_vulkan(vulkan, ManagerDesc::default()) };
    assert!(matches!(refused, Err(Error::DeviceNotSuitable { .. })));
}
