//! Places: locals, arrays, tuples, structs in buffers and as parameters.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate, patterns};

const N: usize = 500;

/// Arrays and vectors inside, in an order that leaves gaps between.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Cell {
    /// A scalar before a vector aligned to 16 bytes.
    pub id: u32,
    /// Aligned to 16 bytes.
    pub color: Vec4,
    /// An array of scalars.
    pub weights: [f32; 3],
    /// A nested struct.
    pub range: Range2,
    /// 12 bytes, aligned to 4.
    pub normal: Vec3,
}

/// A struct in a struct.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Range2 {
    /// Lower end.
    pub low: IVec2,
    /// Upper end.
    pub high: UVec4,
}

fn cells() -> Vec<Cell> {
    let f = moderate(N * 10, 3, 10.0);
    (0..N)
        .map(|i| Cell {
            id: i as u32,
            color: Vec4::new(f[10 * i], f[10 * i + 1], f[10 * i + 2], f[10 * i + 3]),
            weights: [f[10 * i + 4], f[10 * i + 5], f[10 * i + 6]],
            range: Range2 { low: IVec2::new(-(i as i32), 5), high: UVec4::splat(i as u32 + 9) },
            normal: Vec3::new(f[10 * i + 7], f[10 * i + 8], f[10 * i + 9]),
        })
        .collect()
}

fn flat(cells: &[Cell]) -> Vec<Output> {
    let floats = cells.iter().flat_map(|c| c.color.to_array().into_iter().chain(c.weights).chain(c.normal.to_array()));
    let ints = cells
        .iter()
        .flat_map(|c| [c.id as i32, c.range.low.x, c.range.low.y, c.range.high.x as i32, c.range.high.w as i32]);
    vec![Output::exact(floats.collect()), Output::I32(ints.collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "memory::struct_fields",
        [StructFields],
        |mgr| {
            let mut cells = mgr.tensor(&cells())?;
            let seq = mgr.sequence()?;
            StructFields::dispatch(&seq, Grid::items(N), &mut cells)?;
            seq.eval()?;
            Ok(flat(&cells.to_vec()?))
        },
        || {
            let mut cells = cells();
            for c in &mut cells {
                c.color.w = 1.0;
                c.weights[1] = c.weights[0] + c.weights[2];
                c.range.low.y = c.range.low.x - 1;
                c.range.high.x += 2;
                c.normal = Vec3::new(c.normal.z, c.normal.x, c.normal.y);
                c.id *= 2;
            }
            flat(&cells)
        }
    ),
    case!(
        "memory::whole_structs",
        [WholeStructs],
        |mgr| {
            let (from, mut to) = (mgr.tensor(&cells())?, mgr.tensor_of_len::<Cell>(N)?);
            let seq = mgr.sequence()?;
            WholeStructs::dispatch(&seq, Grid::items(N), &from, &mut to)?;
            seq.eval()?;
            Ok(flat(&to.to_vec()?))
        },
        || {
            let mut cells = cells();
            cells.reverse();
            for c in &mut cells {
                c.range.low = IVec2::new(c.range.low.y, c.range.low.x);
            }
            flat(&cells)
        }
    ),
    case!(
        "memory::struct_parameter",
        [StructParameter],
        |mgr| {
            let mut out = mgr.tensor(&vec![0f32; 9])?;
            let seq = mgr.sequence()?;
            let cell = Cell { normal: Vec3::new(1.0, 2.0, 3.0), ..cells()[7] };
            StructParameter::dispatch(&seq, Grid::items(1), true, cell, UVec3::new(4, 5, 6), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::exact(out.to_vec()?)])
        },
        || {
            let c = cells()[7];
            vec![Output::exact(vec![c.id as f32, c.color.y, c.weights[2], -7.0, 16.0, 1.0, 2.0, 3.0, 15.0])]
        }
    ),
    case!(
        "memory::local_arrays",
        [LocalArrays],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&patterns(N, 3))?, mgr.tensor(&vec![0u32; N])?);
            let seq = mgr.sequence()?;
            LocalArrays::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32(
            patterns(N, 3)
                .into_iter()
                .map(|x| {
                    let mut a = [1u32, 2, 3, 4, 5];
                    for i in 0..5usize {
                        a[(x as usize + i) % 5] += a[i] * 2;
                    }
                    let mut m = [[0u32; 3]; 2];
                    m[(x % 2) as usize][(x % 3) as usize] = 7;
                    a[(x % 5) as usize] * 1000 + a[0] + m[1][2] * 10_000 + m[0][0]
                })
                .collect()
        )]
    ),
    case!(
        "memory::tuples",
        [Tuples],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&patterns(N, 3))?, mgr.tensor(&vec![0u32; N])?);
            let seq = mgr.sequence()?;
            Tuples::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32(
            patterns(N, 3)
                .into_iter()
                .map(|x| {
                    let (quotient, remainder) = (x / 10, x % 10);
                    let swapped = (remainder as f32 + 0.5, (quotient, x > 5));
                    swapped.1.0.wrapping_add(swapped.0 as u32) + u32::from(swapped.1.1)
                })
                .collect()
        )]
    ),
    case!(
        "memory::buffer_of_arrays",
        [BufferOfArrays],
        |mgr| {
            let rows: Vec<[u32; 4]> = patterns(N * 4, 5).chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
            let mut rows = mgr.tensor(&rows)?;
            let seq = mgr.sequence()?;
            BufferOfArrays::dispatch(&seq, Grid::items(N), &mut rows)?;
            seq.eval()?;
            Ok(vec![Output::U32(rows.to_vec()?.concat())])
        },
        || vec![Output::U32(
            patterns(N * 4, 5)
                .chunks(4)
                .enumerate()
                .flat_map(|(i, c)| {
                    let mut row = [c[0], c[1], c[2], c[3]];
                    let k = i % 4;
                    row[k] = row[(k + 1) % 4].wrapping_add(1);
                    row[3 - k] = row[3 - k].wrapping_mul(3);
                    row
                })
                .collect()
        )]
    ),
    case!(
        "memory::lengths",
        [Lengths],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&vec![1f32; 37])?, mgr.tensor(&vec![0u32; 4])?);
            let empty = mgr.tensor::<u32>(&[])?;
            let seq = mgr.sequence()?;
            Lengths::dispatch(&seq, Grid::items(1), &x, &empty, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32(vec![37, 0, 4, 1])]
    ),
    case!(
        "memory::guarded_access",
        [GuardedAccess],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&moderate(90, 2, 1.0))?, mgr.tensor(&vec![9f32; 70])?);
            let seq = mgr.sequence()?;
            GuardedAccess::dispatch(&seq, Grid::items(128), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::exact(out.to_vec()?)])
        },
        || vec![Output::exact(moderate(90, 2, 1.0).into_iter().take(70).map(|v| v * 2.0).collect())]
    ),
];

#[kernel(workgroup = 32)]
fn struct_fields(cells: &mut [Cell]) {
    let i = global_id().x;
    cells[i].color.w = 1.0;
    cells[i].weights[1] = cells[i].weights[0] + cells[i].weights[2];
    cells[i].range.low.y = cells[i].range.low.x - 1;
    cells[i].range.high.x += 2;
    let n = cells[i].normal;
    cells[i].normal = Vec3::new(n.z, n.x, n.y);
    cells[i].id *= 2;
}

#[kernel(workgroup = 32)]
fn whole_structs(from: &[Cell], to: &mut [Cell]) {
    let i = global_id().x;
    let mut cell = from[from.len() as u32 - 1 - i];
    cell.range = Range2 { low: IVec2::new(cell.range.low.y, cell.range.low.x), high: cell.range.high };
    to[i] = cell;
}

#[kernel(workgroup = 1)]
fn struct_parameter(flag: bool, cell: Cell, extra: UVec3, out: &mut [f32]) {
    out[0] = cell.id as f32;
    out[1] = cell.color.y;
    out[2] = cell.weights[2];
    out[3] = cell.range.low.x as f32;
    out[4] = cell.range.high.z as f32;
    out[5] = cell.normal.x;
    out[6] = cell.normal.y;
    if flag {
        out[7] = cell.normal.z;
    }
    out[8] = (extra.x + extra.y + extra.z) as f32;
}

#[kernel(workgroup = 32)]
fn local_arrays(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let x = x[me];
    let mut a = [1u32, 2, 3, 4, 5];
    for i in 0..5u32 {
        a[(x % 5 + i) % 5] += a[i] * 2;
    }
    let mut m = [[0; 3]; 2];
    m[x % 2][x % 3] = 7;
    out[me] = a[x % 5] * 1000 + a[0] + m[1][2] * 10_000 + m[0][0];
}

#[kernel(workgroup = 32)]
fn tuples(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let (quotient, remainder) = (x[i] / 10, x[i] % 10);
    let swapped = (remainder as f32 + 0.5, (quotient, x[i] > 5));
    let (fraction, _) = swapped;
    out[i] = swapped.1.0 + fraction as u32 + swapped.1.1 as u32;
}

#[kernel(workgroup = 32)]
fn buffer_of_arrays(rows: &mut [[u32; 4]]) {
    let i = global_id().x;
    let k = i % 4;
    rows[i][k] = rows[i][(k + 1) % 4] + 1;
    rows[i][3 - k] *= 3;
}

#[kernel(workgroup = 1)]
fn lengths(x: &[f32], empty: &[u32], out: &mut [u32]) {
    out[0] = x.len() as u32;
    out[1] = empty.len() as u32;
    out[2] = out.len() as u32;
    out[3] = empty.is_empty() as u32;
}

#[kernel(workgroup = 64)]
fn guarded_access(x: &[f32], out: &mut [f32]) {
    let i = global_id().x as usize;
    if i < out.len() && i < x.len() {
        out[i] = x[i] * 2.0;
    }
}
