//! Searches for elements, and uses of their results, in forms that kernels do not have.

use gridwise::prelude::*;

#[kernel]
fn elements(x: &[u32], y: &mut [u32]) {
    let first = y.first_mut();
    if let Some(v) = x.get_mut(1..3) {
        v[0] = 1;
    }
    let part = y.get_mut(..=2).map(|part| part.len());
    if let Some(v) = y.get(..2) {
        v[0] = 1;
    }
    if let Some(v) = x.get_mut(0) {
        *v = 1;
    }
    let found = y.get_mut(2).is_some();
    while let Some(v) = y.last_mut() {
        *v = 1;
    }
}

#[kernel]
fn made(x: &[u32], y: &mut [u32]) {
    let open = std::array::from_fn(|i| x[i]);
    let twice: [u32; 2] = std::array::from_fn(|i, j| i);
    let three: [u32; 3] = std::array::from_fn(x);
    let four: [f32; 4] = std::array::from_fn(|i| x[i]);
}

#[kernel]
fn sorted(x: &[u32], y: &mut [u32]) {
    let a = x.binary_search(3);
    let b = x.binary_search(&3.0);
    let c = x.binary_search(&3).unwrap_or_else(|at| at) as u32;
    let d: Option<usize> = x.binary_search(&3);
    let e = x.partition_point(|v| *v);
}

#[kernel]
fn lanes(y: &mut [Vec4]) {
    let v = Vec4 { x: 1.0, y: 2.0, z: 3.0, w: 4.0 };
    let w = Vec4 { x: 1.0, ..Vec4::ZERO };
    let Vec4 { x, y: second } = y[0];
    let Vec4 { r, .. } = y[0];
    let UVec4 { x: lane, .. } = y[0];
    let Vec4(a, b, c, d) = y[0];
}

#[kernel]
fn parts(y: &mut [u32]) {
    let mut own = [1u32, 2, 3];
    let a: &[f32] = &own;
    let b: &mut [u32] = &own;
    let c: &[u32] = own;
    let d: &mut [u32] = 3;
    let [e, f]: &[u32] = &own;
}

fn main() {}
