//! `core::mem::swap`, `replace` and `take`.

use core::mem;

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output, patterns};

const N: usize = 256;

twice! {
    fn sorted(a: &mut u32, b: &mut u32) -> bool {
        if *a <= *b {
            return false;
        }
        core::mem::swap(a, b);
        true
    }

    fn exchanged(x: &mut [u32; 5], by: u32) -> [u32; 8] {
        let mut own = (x[0], [x[1], 7]);
        let old = mem::replace(&mut own.1[by as usize % 2], by);
        let gone = std::mem::take(&mut x[by as usize % 5]);
        let mut none = Some(by);
        let some = mem::take(&mut none);
        let mut other = [9, 8];
        mem::swap(&mut own.1, &mut other);
        let mut count = 0;
        for end in (1..5usize).rev() {
            for at in 0..end {
                let (left, right) = (x[at], x[at + 1]);
                let (mut low, mut high) = (left, right);
                count += sorted(&mut low, &mut high) as u32;
                x[at] = low;
                x[at + 1] = high;
            }
        }
        let mut flag = true;
        let was = mem::replace(&mut flag, count > 3);
        let top = &mut x[4];
        let half = *top / 2 + 1;
        let last = mem::replace(top, half);
        [
            old, gone, some.unwrap_or(1) + none.unwrap_or(2), own.1[0] * 16 + own.1[1], other[0], count,
            was as u32 * 2 + flag as u32, last,
        ]
    }
}

#[derive(GpuData, Debug, Clone, Copy)]
#[repr(C)]
struct Cell {
    best: [u32; 5],
    tries: u32,
}

/// In variables, fields, elements of buffers and shared memory, and through references.
#[kernel(workgroup = 32)]
fn exchange(x: &[u32], cells: &mut [Cell], out: &mut [[u32; 8]]) {
    let tile = Shared::<[u32; 32]>::new();
    let (i, t) = (global_id().x, local_index());
    let mut own = [0; 5];
    for k in 0..5 {
        own[k] = x[i + k as u32];
    }
    out[i] = exchanged(&mut own, x[i + 5]);
    mem::swap(&mut cells[i].best, &mut own);
    tile[t] = 3;
    out[i][7] += mem::replace(&mut tile[t], x[i]) + mem::take(&mut cells[i].tries) + tile[t];
    out[i][6] += own[0];
}

fn input() -> Vec<u32> {
    patterns(N + 8, 51).into_iter().map(|v| v % 100).collect()
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "exchanges::everywhere",
    [Exchange],
    |mgr| {
        let cells: Vec<Cell> = (0..N as u32).map(|i| Cell { best: [i; 5], tries: i }).collect();
        let (x, mut cells, mut out) = (mgr.tensor(&input())?, mgr.tensor(&cells)?, mgr.tensor(&[[0u32; 8]; N])?);
        let seq = mgr.sequence()?;
        Exchange::dispatch(&seq, Grid::items(N), &x, &mut cells, &mut out)?;
        seq.eval()?;
        let cells = cells.to_vec()?.into_iter().flat_map(|cell| [cell.best.to_vec(), vec![cell.tries]].concat());
        Ok(vec![Output::U32(cells.collect()), Output::U32(out.to_vec()?.concat())])
    },
    || {
        let x = input();
        let (mut cells, mut out) = (Vec::new(), Vec::new());
        for i in 0..N {
            let mut own = [x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4]];
            let mut made = plain::exchanged(&mut own, x[i + 5]);
            cells.extend(own);
            cells.push(0);
            made[7] += 3 + i as u32 + x[i];
            made[6] += i as u32;
            out.extend(made);
        }
        vec![Output::U32(cells), Output::U32(out)]
    }
)];
