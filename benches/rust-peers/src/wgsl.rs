//! wgsl-rs's side: the same kernels as WGSL modules written in Rust, launched through wgpu.

use std::time::Duration;

use gridwise_benches::time;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{BufferUsages, PollType};
use wgsl_rs::wgsl;

use crate::work::{A, Contender, LEN, Result, SIDE, SUM_GROUPS, TINY, Work, numbers};

#[allow(dead_code, reason = "the WGSL text is what runs")]
#[wgsl]
pub mod saxpy {
    use wgsl_rs::std::*;

    uniform!(group(0), binding(0), A: f32);
    storage!(group(0), binding(1), X: RuntimeArray<f32>);
    storage!(group(0), binding(2), read_write, Y: RuntimeArray<f32>);

    #[compute]
    #[workgroup_size(256)]
    pub fn saxpy(#[builtin(global_invocation_id)] id: Vec3u) {
        // WebGPU has no more than 65,535 workgroups along an axis.
        let i = id.x + id.y * 65536u32;
        get_mut!(Y)[i] = load!(A) * get!(X)[i] + get!(Y)[i];
    }
}

#[allow(dead_code, reason = "the WGSL text is what runs")]
#[wgsl]
pub mod sum {
    use wgsl_rs::std::*;

    uniform!(group(0), binding(0), LEN: u32);
    storage!(group(0), binding(1), X: RuntimeArray<f32>);
    storage!(group(0), binding(2), read_write, SUMS: RuntimeArray<f32>);
    workgroup!(PARTIAL: [f32; 256]);

    #[compute]
    #[workgroup_size(256)]
    pub fn sum(
        #[builtin(global_invocation_id)] id: Vec3u,
        #[builtin(local_invocation_index)] l: u32,
        #[builtin(workgroup_id)] group: Vec3u,
        #[builtin(num_workgroups)] groups: Vec3u,
    ) {
        let mut own: f32 = 0.0;
        let mut i: u32 = id.x;
        let len: u32 = load!(LEN);
        while i < len {
            own += get!(X)[i];
            i += groups.x * 256u32;
        }
        get_mut!(PARTIAL)[l as usize] = own;
        workgroup_barrier();
        let mut half: u32 = 128;
        while half > 0u32 {
            if l < half {
                get_mut!(PARTIAL)[l as usize] += get!(PARTIAL)[(l + half) as usize];
            }
            workgroup_barrier();
            half = half / 2u32;
        }
        if l == 0u32 {
            get_mut!(SUMS)[group.x] = get!(PARTIAL)[0];
        }
    }
}

#[allow(dead_code, reason = "the WGSL text is what runs")]
#[wgsl]
pub mod matmul {
    use wgsl_rs::std::*;

    uniform!(group(0), binding(0), N: u32);
    storage!(group(0), binding(1), LEFT: RuntimeArray<f32>);
    storage!(group(0), binding(2), RIGHT: RuntimeArray<f32>);
    storage!(group(0), binding(3), read_write, PRODUCT: RuntimeArray<f32>);
    workgroup!(LEFT_TILE: [f32; 256]);
    workgroup!(RIGHT_TILE: [f32; 256]);

    #[compute]
    #[workgroup_size(16, 16)]
    pub fn matmul(
        #[builtin(global_invocation_id)] id: Vec3u,
        #[builtin(local_invocation_id)] local: Vec3u,
        #[builtin(local_invocation_index)] l: u32,
    ) {
        let n: u32 = load!(N);
        let mut sum: f32 = 0.0;
        let tiles: u32 = n / 16u32;
        #[wgsl_allow(non_literal_loop_bounds)]
        for tile in 0..tiles {
            get_mut!(LEFT_TILE)[l as usize] = get!(LEFT)[id.y * n + tile * 16u32 + local.x];
            get_mut!(RIGHT_TILE)[l as usize] = get!(RIGHT)[(tile * 16u32 + local.y) * n + id.x];
            workgroup_barrier();
            for k in 0u32..16u32 {
                sum +=
                    get!(LEFT_TILE)[(local.y * 16u32 + k) as usize] * get!(RIGHT_TILE)[(k * 16u32 + local.x) as usize];
            }
            workgroup_barrier();
        }
        get_mut!(PRODUCT)[id.y * n + id.x] = sum;
    }
}

/// A device with the limits of its adapter.
pub(crate) struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    pub(crate) fn new() -> Result<Self> {
        let mut desc = wgpu::InstanceDescriptor::new_without_display_handle();
        (desc.backends, desc.flags) = (wgpu::Backends::VULKAN, wgpu::InstanceFlags::empty());
        let instance = wgpu::Instance::new(desc);
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
        let desc = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&desc))?;
        Ok(Self { device, queue })
    }

    fn buffer(&self, values: &[f32]) -> wgpu::Buffer {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let contents = bytemuck::cast_slice(values);
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
    }

    fn uniform(&self, contents: [u8; 4]) -> wgpu::Buffer {
        let usage = BufferUsages::UNIFORM;
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents: &contents, usage })
    }

    fn pipeline(&self, source: &str) -> wgpu::ComputePipeline {
        let source = wgpu::ShaderSource::Wgsl(source.into());
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        })
    }

    fn launch(&self, pipeline: &wgpu::ComputePipeline, buffers: &[&wgpu::Buffer], groups: [u32; 2]) -> Launch {
        let mut entries = Vec::new();
        for (binding, buffer) in (0..).zip(buffers) {
            entries.push(wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
        }
        let layout = pipeline.get_bind_group_layout(0);
        let desc = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
        Launch { pipeline: pipeline.clone(), bindings: self.device.create_bind_group(&desc), groups }
    }

    /// Encodes, submits and waits.
    fn run(&self, launches: &[Launch]) -> Result<()> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for launch in launches {
            pass.set_pipeline(&launch.pipeline);
            pass.set_bind_group(0, &launch.bindings, &[]);
            pass.dispatch_workgroups(launch.groups[0], launch.groups[1], 1);
        }
        drop(pass);
        self.queue.submit([encoder.finish()]);
        self.device.poll(PollType::wait_indefinitely())?;
        Ok(())
    }

    fn read(&self, buffer: &wgpu::Buffer) -> Result<Vec<f32>> {
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        let desc = wgpu::BufferDescriptor { label: None, size: buffer.size(), usage, mapped_at_creation: false };
        let copy = self.device.create_buffer(&desc);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        copy.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        self.device.poll(PollType::wait_indefinitely())?;
        let mapped = copy.slice(..).get_mapped_range()?;
        Ok(bytemuck::cast_slice(&mapped).to_vec())
    }
}

/// A pipeline with its buffers.
struct Launch {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
    groups: [u32; 2],
}

/// Launches, and the buffer that each workload ends in; and what the small one is made of.
pub(crate) struct Wgsl {
    gpu: Gpu,
    work: [(Work, Vec<Launch>, wgpu::Buffer); 4],
    saxpy: wgpu::ComputePipeline,
    small: [wgpu::Buffer; 3],
}

fn text<E: std::fmt::Display>(source: std::result::Result<String, E>) -> Result<String> {
    source.map_err(|error| error.to_string().into())
}

impl Wgsl {
    pub(crate) fn new(gpu: Gpu) -> Result<Self> {
        let a = gpu.uniform(A.to_ne_bytes());
        let saxpy = gpu.pipeline(&text(saxpy::WGSL_SOURCE.wgsl_source())?);
        let [big, tiny] = [LEN, TINY].map(|len| {
            let (x, y) = (gpu.buffer(&numbers(len, 5)), gpu.buffer(&vec![0.0; len]));
            let groups = [(len / 256).min(256) as u32, (len / 65536).max(1) as u32];
            (vec![gpu.launch(&saxpy, &[&a, &x, &y], groups)], y, x)
        });
        let small = [a, tiny.2, tiny.1.clone()];
        let pipeline = gpu.pipeline(&text(sum::WGSL_SOURCE.wgsl_source())?);
        let ones = gpu.buffer(&numbers(LEN, 2));
        let (partial, total) = (gpu.buffer(&[0.0; SUM_GROUPS]), gpu.buffer(&[0.0]));
        let [len, groups] = [LEN, SUM_GROUPS].map(|len| gpu.uniform((len as u32).to_ne_bytes()));
        let sums = vec![
            gpu.launch(&pipeline, &[&len, &ones, &partial], [SUM_GROUPS as u32, 1]),
            gpu.launch(&pipeline, &[&groups, &partial, &total], [1, 1]),
        ];
        let pipeline = gpu.pipeline(&text(matmul::WGSL_SOURCE.wgsl_source())?);
        let (left, right) = (gpu.buffer(&numbers(SIDE * SIDE, 5)), gpu.buffer(&numbers(SIDE * SIDE, 3)));
        let (n, c) = (gpu.uniform((SIDE as u32).to_ne_bytes()), gpu.buffer(&vec![0.0; SIDE * SIDE]));
        let product = vec![gpu.launch(&pipeline, &[&n, &left, &right, &c], [SIDE as u32 / 16; 2])];
        let work = [
            (Work::Saxpy, big.0, big.1),
            (Work::Sum, sums, total),
            (Work::Matmul, product, c),
            (Work::Tiny, tiny.0, tiny.1),
        ];
        Ok(Self { gpu, work, saxpy, small })
    }

    fn find(&self, work: Work) -> Result<&(Work, Vec<Launch>, wgpu::Buffer)> {
        let work = if work == Work::TinyAnew { Work::Tiny } else { work };
        self.work.iter().find(|(known, ..)| *known == work).ok_or_else(|| format!("no {work:?}").into())
    }
}

impl Contender for Wgsl {
    fn run(&mut self, work: Work) -> Result<Duration> {
        if work == Work::TinyAnew {
            let launch = || self.gpu.launch(&self.saxpy, &self.small.each_ref(), [1, 1]);
            return time(|| self.gpu.run(&[launch()]));
        }
        let (_, launches, _) = self.find(work)?;
        time(|| self.gpu.run(launches))
    }

    fn results(&mut self, work: Work) -> Result<Vec<f32>> {
        self.gpu.read(&self.find(work)?.2)
    }
}

/// A process's first launch, with all that is there but the kernel.
pub(crate) fn first_launch() -> Result<Duration> {
    let gpu = Gpu::new()?;
    let (a, x, y) = (gpu.uniform(A.to_ne_bytes()), gpu.buffer(&numbers(TINY, 5)), gpu.buffer(&[0.0; TINY]));
    time(|| {
        let pipeline = gpu.pipeline(&text(saxpy::WGSL_SOURCE.wgsl_source())?);
        gpu.run(&[gpu.launch(&pipeline, &[&a, &x, &y], [1, 1])])
    })
}
