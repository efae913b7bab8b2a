//! The peer: the same launches by hand, with the calls that any program must make and nothing besides.
//!
//! One command buffer, one submission, one timeline semaphore; a push of descriptors and constants per launch; a barrier
//! against the run before, one between the steps of chains that go side by side, one so that the host sees the trap records.

mod kernel;

use std::time::{Duration, Instant};

use ash::vk;
use gridwise::descriptor::{KernelDescriptor, TrapRecord};

use gridwise_benches::raw::{RawBuffer, RawDevice, vulkan};

use self::kernel::RawKernel;
use crate::error::Error;
use crate::ours::check_values;
use crate::plan::{LEN, Plan, input};

/// How long a wait for a GPU spins before it blocks: longest of those tried is fastest.
const SPIN: Duration = Duration::from_micros(1000);

const BYTES: u64 = (LEN * size_of::<f32>()) as u64;

/// Stages and accesses of one side of a barrier.
type Scope = (vk::PipelineStageFlags, vk::AccessFlags);

const COMPUTE: vk::PipelineStageFlags = vk::PipelineStageFlags::COMPUTE_SHADER;
const WRITTEN: Scope = (COMPUTE, vk::AccessFlags::SHADER_WRITE);
const USED: Scope = (
    COMPUTE,
    vk::AccessFlags::from_raw(vk::AccessFlags::SHADER_READ.as_raw() | vk::AccessFlags::SHADER_WRITE.as_raw()),
);
const UPDATED: Scope = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE);
const COPIED: Scope = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_READ);
const SEEN: Scope = (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ);

/// Buffers, a command buffer and a semaphore.
pub(crate) struct Raw<'d> {
    device: &'d RawDevice,
    kernel: RawKernel,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    timeline: vk::Semaphore,
    submitted: u64,
    x: RawBuffer,
    ys: Vec<RawBuffer>,
    /// A trap record per launch; zero at first, and this kernel never traps.
    traps: RawBuffer,
    trap_stride: u64,
    read_back: RawBuffer,
    /// One set per launch, written once, for devices without push descriptors.
    sets: Option<(vk::DescriptorPool, Vec<vk::DescriptorSet>)>,
    plan: Plan,
    launches: u32,
}

impl<'d> Raw<'d> {
    pub(crate) fn new(device: &'d RawDevice, descriptor: &'static KernelDescriptor, plan: Plan) -> Result<Self, Error> {
        let kernel = RawKernel::new(device, descriptor)?;
        let raw = &device.raw;
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let semaphore = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(device.family);
        // SAFETY: valid infos, of features the device was opened with. A failure ends the program.
        let (pool, timeline) = unsafe {
            (
                raw.create_command_pool(&pool, None).map_err(vulkan("vkCreateCommandPool"))?,
                raw.create_semaphore(&semaphore, None).map_err(vulkan("vkCreateSemaphore"))?,
            )
        };
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        // SAFETY: a live pool.
        let commands = unsafe { raw.allocate_command_buffers(&info) }.map_err(vulkan("vkAllocateCommandBuffers"))?[0];
        let local = |size| RawBuffer::new(device, size, vk::MemoryPropertyFlags::DEVICE_LOCAL);
        let seen = |size| {
            let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            RawBuffer::new(device, size, wanted)
        };
        let trap_stride = (4 * u64::from(TrapRecord::LEAST_WORDS)).next_multiple_of(device.storage_alignment);
        let ys = (0..plan.chains).map(|_| local(BYTES)).collect::<Result<_, _>>()?;
        let mut made = Self {
            device,
            kernel,
            pool,
            commands,
            timeline,
            submitted: 0,
            x: local(BYTES)?,
            ys,
            traps: seen(trap_stride * plan.launches as u64)?,
            trap_stride,
            read_back: seen(BYTES)?,
            sets: None,
            plan,
            launches: 0,
        };
        made.write_sets()?;
        made.upload()?;
        Ok(made)
    }

    /// Records the plan in place of what was recorded before.
    pub(crate) fn record(&mut self) -> Result<(), Error> {
        self.begin()?;
        self.barrier(WRITTEN, USED);
        let (raw, commands, kernel) = (&self.device.raw, self.commands, &self.kernel);
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: live objects, and a command buffer that is being recorded; likewise below.
        unsafe { raw.cmd_bind_pipeline(commands, point, kernel.pipeline) };
        for launch in 0..self.plan.launches {
            let (step, chain) = (launch / self.plan.chains, launch % self.plan.chains);
            if step > 0 && chain == 0 {
                self.barrier(WRITTEN, USED);
            }
            self.bind(chain * self.plan.depth() + step);
            // SAFETY: as above; the layout has the range, and the grid is one workgroup or a few.
            unsafe {
                raw.cmd_push_constants(commands, kernel.layout, vk::ShaderStageFlags::COMPUTE, 0, &kernel.push);
                raw.cmd_dispatch(commands, kernel.groups, 1, 1);
            }
        }
        self.barrier(WRITTEN, SEEN);
        self.end()
    }

    /// Runs what is recorded, and waits.
    pub(crate) fn eval(&mut self) -> Result<(), Error> {
        self.submit_and_wait()?;
        self.launches += 1;
        Ok(())
    }

    /// That every launch did what it must, exactly.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        let launches = self.plan.depth() as u32 * self.launches;
        for target in 0..self.ys.len() {
            self.begin()?;
            self.barrier(WRITTEN, COPIED);
            let region = vk::BufferCopy::default().size(BYTES);
            let (from, to) = (self.ys[target].raw, self.read_back.raw);
            // SAFETY: live buffers of this size.
            unsafe { self.device.raw.cmd_copy_buffer(self.commands, from, to, &[region]) };
            self.barrier(UPDATED, SEEN);
            self.end()?;
            self.submit_and_wait()?;
            check_values("raw ash", &self.read_back.read(self.device)?, launches)?;
        }
        Ok(())
    }

    /// The buffers of a launch.
    fn buffers(&self, launch: usize) -> [vk::DescriptorBufferInfo; 3] {
        let whole = |buffer: &RawBuffer| vk::DescriptorBufferInfo { buffer: buffer.raw, offset: 0, range: BYTES };
        let trap = vk::DescriptorBufferInfo {
            buffer: self.traps.raw,
            offset: self.trap_stride * launch as u64,
            range: 4 * u64::from(TrapRecord::LEAST_WORDS),
        };
        [whole(&self.x), whole(&self.ys[self.plan.target(launch)]), trap]
    }

    fn writes<'b>(
        &self,
        set: vk::DescriptorSet,
        infos: &'b [vk::DescriptorBufferInfo; 3],
    ) -> [vk::WriteDescriptorSet<'b>; 3] {
        let binding = |index: usize| self.kernel.bindings.get(index).copied().unwrap_or_default();
        std::array::from_fn(|index| {
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding(index))
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(std::slice::from_ref(&infos[index]))
        })
    }

    fn bind(&self, launch: usize) {
        let (commands, layout, point) = (self.commands, self.kernel.layout, vk::PipelineBindPoint::COMPUTE);
        match (&self.device.push_descriptors, &self.sets) {
            (Some(push), _) => {
                let infos = self.buffers(launch);
                let writes = self.writes(vk::DescriptorSet::null(), &infos);
                let writes = &writes[..self.kernel.bindings.len()];
                // SAFETY: live buffers, in bindings of the layout.
                unsafe { push.cmd_push_descriptor_set(commands, point, layout, 0, writes) };
            }
            (None, Some((_, sets))) => {
                // SAFETY: a set of the layout, written.
                unsafe {
                    self.device.raw.cmd_bind_descriptor_sets(commands, point, layout, 0, &sets[launch..=launch], &[]);
                }
            }
            (None, None) => {}
        }
    }

    fn write_sets(&mut self) -> Result<(), Error> {
        if self.device.push_descriptors.is_some() {
            return Ok(());
        }
        let (raw, count) = (&self.device.raw, self.plan.launches as u32);
        let sizes =
            [vk::DescriptorPoolSize::default().ty(vk::DescriptorType::STORAGE_BUFFER).descriptor_count(3 * count)];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(count).pool_sizes(&sizes);
        // SAFETY: a valid info.
        let pool = unsafe { raw.create_descriptor_pool(&info, None) }.map_err(vulkan("vkCreateDescriptorPool"))?;
        let layouts = vec![self.kernel.set_layout; self.plan.launches];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: live pool and layout.
        let sets = unsafe { raw.allocate_descriptor_sets(&info) }.map_err(vulkan("vkAllocateDescriptorSets"))?;
        for (launch, set) in sets.iter().enumerate() {
            let infos = self.buffers(launch);
            let writes = self.writes(*set, &infos);
            // SAFETY: live buffers, in bindings of the layout.
            unsafe { raw.update_descriptor_sets(&writes[..self.kernel.bindings.len()], &[]) };
        }
        self.sets = Some((pool, sets));
        Ok(())
    }

    /// Fills the buffers.
    fn upload(&mut self) -> Result<(), Error> {
        self.begin()?;
        let bytes: Vec<u8> = input().iter().flat_map(|x| x.to_ne_bytes()).collect();
        // SAFETY: live buffers of these sizes, which are multiples of 4.
        unsafe {
            self.device.raw.cmd_update_buffer(self.commands, self.x.raw, 0, &bytes);
            for zeros in self.ys.iter().chain([&self.traps]) {
                self.device.raw.cmd_fill_buffer(self.commands, zeros.raw, 0, zeros.size, 0);
            }
        }
        self.barrier(UPDATED, USED);
        self.end()?;
        self.submit_and_wait()
    }

    fn begin(&self) -> Result<(), Error> {
        let raw = &self.device.raw;
        // SAFETY: the pool's only command buffer is not pending: every submission is waited for.
        unsafe {
            raw.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())
                .map_err(vulkan("vkResetCommandPool"))?;
            raw.begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default())
                .map_err(vulkan("vkBeginCommandBuffer"))?;
        }
        Ok(())
    }

    fn end(&self) -> Result<(), Error> {
        // SAFETY: the command buffer is being recorded.
        unsafe { self.device.raw.end_command_buffer(self.commands) }.map_err(vulkan("vkEndCommandBuffer"))?;
        Ok(())
    }

    fn barrier(&self, before: Scope, after: Scope) {
        let barrier = vk::MemoryBarrier::default().src_access_mask(before.1).dst_access_mask(after.1);
        let (flags, commands) = (vk::DependencyFlags::empty(), self.commands);
        // SAFETY: the command buffer is being recorded; the accesses are of the stages.
        unsafe { self.device.raw.cmd_pipeline_barrier(commands, before.0, after.0, flags, &[barrier], &[], &[]) };
    }

    fn submit_and_wait(&mut self) -> Result<(), Error> {
        let raw = &self.device.raw;
        self.submitted += 1;
        let (commands, semaphores, values) = ([self.commands], [self.timeline], [self.submitted]);
        let mut timeline = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
        let submit = vk::SubmitInfo::default()
            .command_buffers(&commands)
            .signal_semaphores(&semaphores)
            .push_next(&mut timeline);
        // SAFETY: an executable command buffer; everything it uses lives until it is waited for.
        unsafe { raw.queue_submit(self.device.queue, &[submit], vk::Fence::null()) }
            .map_err(vulkan("vkQueueSubmit"))?;
        if self.device.is_gpu && self.spin()? {
            return Ok(());
        }
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: a live timeline semaphore.
        unsafe { raw.wait_semaphores(&info, u64::MAX) }.map_err(vulkan("vkWaitSemaphores"))?;
        Ok(())
    }

    /// Waits a little without blocking; whether that was enough.
    fn spin(&self) -> Result<bool, Error> {
        let start = Instant::now();
        while start.elapsed() < SPIN {
            // SAFETY: a live timeline semaphore.
            let value = unsafe { self.device.raw.get_semaphore_counter_value(self.timeline) };
            if value.map_err(vulkan("vkGetSemaphoreCounterValue"))? >= self.submitted {
                return Ok(true);
            }
            std::hint::spin_loop();
        }
        Ok(false)
    }
}

impl Drop for Raw<'_> {
    fn drop(&mut self) {
        let raw = &self.device.raw;
        // SAFETY: every submission was waited for, or failed; idle either way.
        unsafe {
            let _ = raw.device_wait_idle();
            raw.destroy_semaphore(self.timeline, None);
            raw.destroy_command_pool(self.pool, None);
            if let Some((pool, _)) = &self.sets {
                raw.destroy_descriptor_pool(*pool, None);
            }
        }
        self.ys.iter().chain([&self.x, &self.traps, &self.read_back]).for_each(|buffer| buffer.destroy(self.device));
        self.kernel.destroy(self.device);
    }
}
