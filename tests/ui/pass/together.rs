//! Right kernels, which compile without a warning.
#![deny(warnings)]
#![forbid(unsafe_code)]

use std::sync::atomic::Ordering;

use gridwise::prelude::*;

/// A counter beside a number.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
struct Cell {
    count: Atomic<u32>,
    weight: f32,
}

#[device]
fn total(value: f32) -> f32 {
    subgroup::add(value)
}

/// Shared memory is written without `mut`, and atomics behind `&`.
#[kernel(workgroup = 64, subgroup = 32)]
fn together(x: &[f32], cells: &[Cell], own: &mut [Cell], bins: &[Atomic<i32>], y: &mut [f32]) {
    let tile = Shared::<[f32; 64]>::new();
    let named: Shared<[[u32; 4]; 4]> = Shared::new();
    let l = local_id().x;
    tile[l] = x[l] + total(x[l]);
    if l < 4 {
        named[l][1] += 1;
    }
    barrier();
    cells[l].count.fetch_add(1, Relaxed);
    own[l].count.store(2, Ordering::Release);
    own[l].weight = tile[63 - l] * cells[l].weight;
    if let Err(found) = bins[0].compare_exchange(1, 2, AcqRel, Acquire) {
        bins[1].fetch_max(found, Relaxed);
    }
    fence(Scope::Device, AcqRel);
    y[l] = tile[l] + named.len() as f32;
}

fn main() {
    let mgr = Manager::host();
    let (x, mut y) = (mgr.tensor(&[1.0; 64]).unwrap(), mgr.tensor(&[0.0; 64]).unwrap());
    let zero = Cell { count: Atomic::new(0), weight: 1.0 };
    let (cells, mut own) = (mgr.tensor(&[zero; 64]).unwrap(), mgr.tensor(&[zero; 64]).unwrap());
    let bins = mgr.tensor(&[1, 0]).unwrap();
    let seq = mgr.sequence().unwrap();
    Together::dispatch(&seq, Grid::items(64), &x, &cells, &mut own, &bins, &mut y).unwrap();
    seq.eval().unwrap();
    assert_eq!(bins.to_vec().unwrap(), [2, 2]);
    assert_eq!(y.to_vec().unwrap(), [37.0; 64]);
}
