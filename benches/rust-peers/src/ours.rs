//! gridwise's side: kernels as anybody would write them, safe and without annotations.

use std::time::Duration;

use gridwise::prelude::*;
use gridwise::{ManagerDesc, PipelineCache};
use gridwise_benches::time;

use crate::work::{A, Contender, LEN, Result, SIDE, SUM_GROUPS, TINY, Work, numbers};

#[kernel(workgroup = 256)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

#[device]
fn sum_of_group(own: f32, partial: &mut [f32]) -> f32 {
    let l = local_index();
    partial[l] = own;
    barrier();
    let mut half = 128;
    while half > 0 {
        if l < half {
            partial[l] += partial[l + half];
        }
        barrier();
        half /= 2;
    }
    partial[0]
}

#[kernel(workgroup = 256)]
fn sum_by_fours(x: &[Vec4], sums: &mut [f32]) {
    let partial = Shared::<[f32; 256]>::new();
    let mut own = Vec4::ZERO;
    let mut i = global_id().x;
    while i < x.len() as u32 {
        own += x[i];
        i += num_workgroups().x * 256;
    }
    let sum = sum_of_group(own.element_sum(), &mut partial[..]);
    if local_index() == 0 {
        sums[workgroup_id().x] = sum;
    }
}

#[kernel(workgroup = 256)]
fn sum(x: &[f32], sums: &mut [f32]) {
    let partial = Shared::<[f32; 256]>::new();
    let mut own = 0.0;
    let mut i = global_id().x;
    while i < x.len() as u32 {
        own += x[i];
        i += num_workgroups().x * 256;
    }
    let sum = sum_of_group(own, &mut partial[..]);
    if local_index() == 0 {
        sums[workgroup_id().x] = sum;
    }
}

#[kernel(workgroup = [16, 16])]
fn matmul(n: u32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let left = Shared::<[f32; 256]>::new();
    let right = Shared::<[f32; 256]>::new();
    let (x, y, l) = (local_id().x, local_id().y, local_index());
    let (row, column) = (global_id().y, global_id().x);
    let mut sum = 0.0;
    for tile in 0..n / 16 {
        left[l] = a[row * n + tile * 16 + x];
        right[l] = b[(tile * 16 + y) * n + column];
        barrier();
        for k in 0..16 {
            sum += left[y * 16 + k] * right[k * 16 + x];
        }
        barrier();
    }
    c[row * n + column] = sum;
}

/// A manager that checks nothing and keeps nothing.
pub(crate) fn manager() -> Result<Manager> {
    let desc = ManagerDesc { validation: false, pipeline_cache: PipelineCache::Off, ..ManagerDesc::from_env()? };
    Ok(Manager::with(desc)?)
}

/// The form of the summands; the numbers are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `&[f32]`
    Numbers,
    /// `&[Vec4]`
    Fours,
}

/// Tensors and recorded sequences.
pub(crate) struct Ours {
    big: Sequence,
    big_y: Tensor<f32>,
    sums: Sequence,
    total: Tensor<f32>,
    product: Sequence,
    c: Tensor<f32>,
    tiny: Sequence,
    tiny_anew: Sequence,
    tiny_x: Tensor<f32>,
    tiny_y: Tensor<f32>,
}

impl Ours {
    pub(crate) fn new(manager: &Manager, form: Form) -> Result<Self> {
        let big = manager.sequence()?;
        let x = manager.tensor(&numbers(LEN, 5))?;
        let mut big_y = manager.tensor_of_len(LEN)?;
        Saxpy::dispatch(&big, Grid::items(LEN), A, &x, &mut big_y)?;
        let sums = manager.sequence()?;
        let ones = manager.tensor(&numbers(LEN, 2))?;
        let (mut partial, mut total) = (manager.tensor_of_len(SUM_GROUPS)?, manager.tensor_of_len(1)?);
        let groups = Grid::groups(SUM_GROUPS as u32);
        match form {
            Form::Numbers => Sum::dispatch(&sums, groups, &ones, &mut partial)?,
            Form::Fours => SumByFours::dispatch(&sums, groups, &*ones.cast::<Vec4>()?, &mut partial)?,
        }
        Sum::dispatch(&sums, Grid::groups(1), &partial, &mut total)?;
        let product = manager.sequence()?;
        let (a, b) = (manager.tensor(&numbers(SIDE * SIDE, 5))?, manager.tensor(&numbers(SIDE * SIDE, 3))?);
        let mut c = manager.tensor_of_len(SIDE * SIDE)?;
        Matmul::dispatch(&product, Grid::items([SIDE, SIDE]), SIDE as u32, &a, &b, &mut c)?;
        let (tiny, tiny_anew) = (manager.sequence()?, manager.sequence()?);
        let (tiny_x, mut tiny_y) = (manager.tensor(&numbers(TINY, 5))?, manager.tensor_of_len(TINY)?);
        Saxpy::dispatch(&tiny, Grid::items(TINY), A, &tiny_x, &mut tiny_y)?;
        Ok(Self { big, big_y, sums, total, product, c, tiny, tiny_anew, tiny_x, tiny_y })
    }
}

impl Contender for Ours {
    fn run(&mut self, work: Work) -> Result<Duration> {
        let recorded = match work {
            Work::Saxpy => &self.big,
            Work::Sum => &self.sums,
            Work::Matmul => &self.product,
            Work::Tiny => &self.tiny,
            Work::TinyAnew => {
                return Ok(time(|| {
                    self.tiny_anew.clear()?;
                    Saxpy::dispatch(&self.tiny_anew, Grid::items(TINY), A, &self.tiny_x, &mut self.tiny_y)?;
                    self.tiny_anew.eval()
                })?);
            }
        };
        Ok(time(|| recorded.eval())?)
    }

    fn results(&mut self, work: Work) -> Result<Vec<f32>> {
        Ok(match work {
            Work::Saxpy => self.big_y.to_vec()?,
            Work::Sum => self.total.to_vec()?,
            Work::Matmul => self.c.to_vec()?,
            Work::Tiny | Work::TinyAnew => self.tiny_y.to_vec()?,
        })
    }
}

/// A process's first launch, with all that is there but the kernel.
pub(crate) fn first_launch() -> Result<Duration> {
    let manager = manager()?;
    let (x, mut y) = (manager.tensor(&numbers(TINY, 5))?, manager.tensor_of_len(TINY)?);
    let sequence = manager.sequence()?;
    Ok(time(|| {
        Saxpy::dispatch(&sequence, Grid::items(TINY), A, &x, &mut y)?;
        sequence.eval()
    })?)
}
