//! CubeCL's side: the same kernels, through its WGSL and its SPIR-V compiler, checked and not, by ones and by fours.

use std::marker::PhantomData;
use std::time::Duration;

use bytemuck::cast_slice;
use cubecl::client::Client;
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::wgpu::{WgpuBackend, WgpuDevice, WgpuDeviceKind};
use cubecl_runtime::runtime::Runtime;
use gridwise_benches::time;

use crate::work::{A, Contender, LEN, Result, SIDE, SUM_GROUPS, TINY, Work, numbers};

#[cube(launch, launch_unchecked)]
fn saxpy<N: Size>(a: f32, x: &[Vector<f32, N>], y: &mut [Vector<f32, N>]) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = Vector::new(a) * x[ABSOLUTE_POS] + y[ABSOLUTE_POS];
    }
}

#[cube(launch, launch_unchecked)]
fn sum<N: Size>(x: &[Vector<f32, N>], sums: &mut [f32]) {
    let mut partial = Shared::<[f32]>::new_slice(256usize);
    let mut own = Vector::<f32, N>::new(0.0f32);
    let mut i = ABSOLUTE_POS;
    while i < x.len() {
        own += x[i];
        i += CUBE_COUNT * CUBE_DIM as usize;
    }
    let mut flat = 0.0f32;
    #[unroll]
    for lane in 0..N::value() {
        flat += own.extract(lane);
    }
    let l = UNIT_POS as usize;
    partial[l] = flat;
    sync_cube();
    let mut half = 128usize;
    while half > 0 {
        if l < half {
            partial[l] += partial[l + half];
        }
        sync_cube();
        half /= 2;
    }
    if l == 0 {
        sums[CUBE_POS] = partial[0];
    }
}

#[cube(launch, launch_unchecked)]
fn matmul(n: u32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let mut left = Shared::<[f32]>::new_slice(256usize);
    let mut right = Shared::<[f32]>::new_slice(256usize);
    let (x, y, l) = (UNIT_POS_X as usize, UNIT_POS_Y as usize, UNIT_POS as usize);
    let (row, column) = (ABSOLUTE_POS_Y as usize, ABSOLUTE_POS_X as usize);
    let n = n as usize;
    let mut sum = 0.0f32;
    for tile in 0..n / 16 {
        left[l] = a[row * n + tile * 16 + x];
        right[l] = b[(tile * 16 + y) * n + column];
        sync_cube();
        #[unroll]
        for k in 0..16usize {
            sum += left[y * 16 + k] * right[k * 16 + x];
        }
        sync_cube();
    }
    c[row * n + column] = sum;
}

/// How CubeCL is asked to run the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Bounds checked, one element per invocation: what `launch` does.
    Checked,
    /// Unchecked, four elements per invocation where there are many: the fastest that its documentation shows.
    UncheckedByFour,
}

/// Buffers and how to launch over them; `R` is a runtime with its compiler.
pub(crate) struct Cube<R> {
    client: Client,
    mode: Mode,
    x: Handle,
    y: Handle,
    ones: Handle,
    partial: Handle,
    total: Handle,
    a: Handle,
    b: Handle,
    c: Handle,
    tiny_x: Handle,
    tiny_y: Handle,
    runtime: PhantomData<R>,
}

fn client<R: Runtime<Device = WgpuDevice>>() -> Client {
    R::client(&WgpuDevice::new(WgpuDeviceKind::DefaultDevice).on(WgpuBackend::Vulkan))
}

fn buffer(client: &Client, values: &[f32]) -> Handle {
    client.create_from_slice(cast_slice(values))
}

/// A buffer as an argument of so many elements.
fn of(handle: &Handle, len: usize) -> BufferArg {
    // SAFETY: Each caller passes the number of elements, of one or of four values, that the buffer was made of.
    unsafe { BufferArg::from_raw_parts(handle.clone(), len) }
}

impl<R: Runtime<Device = WgpuDevice>> Cube<R> {
    /// Buffers for all workloads.
    pub(crate) fn new(mode: Mode) -> Self {
        Self::with(mode, LEN, SIDE)
    }

    /// Buffers for the smallest workload only.
    fn small(mode: Mode) -> Self {
        Self::with(mode, TINY, 16)
    }

    fn with(mode: Mode, len: usize, side: usize) -> Self {
        let client = client::<R>();
        let of = |values: &[f32]| buffer(&client, values);
        Self {
            x: of(&numbers(len, 5)),
            y: of(&vec![0.0; len]),
            ones: of(&numbers(len, 2)),
            partial: of(&[0.0; SUM_GROUPS]),
            total: of(&[0.0]),
            a: of(&numbers(side * side, 5)),
            b: of(&numbers(side * side, 3)),
            c: of(&vec![0.0; side * side]),
            tiny_x: of(&numbers(TINY, 5)),
            tiny_y: of(&[0.0; TINY]),
            mode,
            runtime: PhantomData,
            client,
        }
    }

    fn saxpy(&self, x: &Handle, y: &Handle, len: usize) {
        let by = if self.mode == Mode::Checked || len == TINY { 1 } else { 4 };
        let len = len / by;
        let groups = len.div_ceil(256) as u32;
        let count = CubeCount::Static(groups.min(256), groups.div_ceil(256), 1);
        let dim = CubeDim::new_1d(256);
        match self.mode {
            Mode::Checked => saxpy::launch(&self.client, count, dim, by, A, of(x, len), of(y, len)),
            // SAFETY: The kernel stays below the length of `y`, which `x` has too.
            Mode::UncheckedByFour => unsafe {
                saxpy::launch_unchecked(&self.client, count, dim, by, A, of(x, len), of(y, len));
            },
        }
    }

    fn sum(&self, x: &Handle, len: usize, sums: &Handle, groups: usize) {
        let by = if self.mode == Mode::Checked { 1 } else { 4 };
        let (count, dim, len) = (CubeCount::Static(groups as u32, 1, 1), CubeDim::new_1d(256), len / by);
        match self.mode {
            Mode::Checked => sum::launch(&self.client, count, dim, by, of(x, len), of(sums, groups)),
            // SAFETY: The kernel reads below the length of `x` and writes one sum per group, of which `sums` has as many.
            Mode::UncheckedByFour => unsafe {
                sum::launch_unchecked(&self.client, count, dim, by, of(x, len), of(sums, groups));
            },
        }
    }

    fn matmul(&self) {
        let side = SIDE as u32 / 16;
        let (count, dim) = (CubeCount::Static(side, side, 1), CubeDim::new_2d(16, 16));
        let [a, b, c] = [&self.a, &self.b, &self.c].map(|matrix| of(matrix, SIDE * SIDE));
        match self.mode {
            Mode::Checked => matmul::launch(&self.client, count, dim, SIDE as u32, a, b, c),
            // SAFETY: All three matrices are of `SIDE` by `SIDE`, a multiple of 16.
            Mode::UncheckedByFour => unsafe {
                matmul::launch_unchecked(&self.client, count, dim, SIDE as u32, a, b, c);
            },
        }
    }

    fn launch(&self, work: Work) -> Result<()> {
        match work {
            Work::Saxpy => self.saxpy(&self.x, &self.y, LEN),
            Work::Tiny | Work::TinyAnew => self.saxpy(&self.tiny_x, &self.tiny_y, TINY),
            Work::Sum => {
                self.sum(&self.ones, LEN, &self.partial, SUM_GROUPS);
                self.sum(&self.partial, SUM_GROUPS, &self.total, 1);
            }
            Work::Matmul => self.matmul(),
        }
        Ok(pollster::block_on(self.client.sync())?)
    }
}

impl<R: Runtime<Device = WgpuDevice>> Contender for Cube<R> {
    fn run(&mut self, work: Work) -> Result<Duration> {
        time(|| self.launch(work))
    }

    fn results(&mut self, work: Work) -> Result<Vec<f32>> {
        let handle = match work {
            Work::Saxpy => &self.y,
            Work::Tiny | Work::TinyAnew => &self.tiny_y,
            Work::Sum => &self.total,
            Work::Matmul => &self.c,
        };
        Ok(bytemuck::pod_collect_to_vec(&self.client.read_one(handle.clone())?))
    }
}

/// A process's first launch, with all that is there but the kernel.
pub(crate) fn first_launch<R: Runtime<Device = WgpuDevice>>(mode: Mode) -> Result<Duration> {
    let mut cube = Cube::<R>::small(mode);
    pollster::block_on(cube.client.sync())?;
    cube.run(Work::Tiny)
}
