//! `impl Index` and `impl IndexMut` of one's own types. Each function also stands in a module that only rustc compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output, patterns};

const N: usize = 96;

both!(types, plain_types, {
    use core::ops::{Add, AddAssign, Index, IndexMut};
    use gridwise::prelude::*;

    /// A matrix by row and column.
    #[derive(Clone, Copy)]
    pub(super) struct Grid4 {
        pub(super) cells: [u32; 16],
        pub(super) reads: u32,
    }

    impl Index<(usize, usize)> for Grid4 {
        type Output = u32;
        fn index(&self, (row, column): (usize, usize)) -> &u32 {
            &self.cells[row * 4 + column]
        }
    }

    impl IndexMut<(usize, usize)> for Grid4 {
        fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut u32 {
            self.reads += 1;
            let at = row * 4 + column;
            &mut self.cells[at]
        }
    }

    /// By position, or how many were written behind the last.
    impl Index<u32> for Grid4 {
        type Output = u32;
        fn index(&self, i: u32) -> &Self::Output {
            if i == 16 {
                return &self.reads;
            }
            &self.cells[i as usize]
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Axis {
        X,
        Y,
        Z,
    }

    #[derive(Clone, Copy)]
    pub(super) struct Point {
        pub(super) x: f32,
        pub(super) y: f32,
        pub(super) z: f32,
    }

    /// By a name, and one of several places.
    impl Index<Axis> for Point {
        type Output = f32;
        fn index(&self, axis: Axis) -> &f32 {
            match axis {
                Axis::X => &self.x,
                Axis::Y => &self.y,
                Axis::Z => &self.z,
            }
        }
    }

    impl Index<usize> for Point {
        type Output = f32;
        fn index(&self, i: usize) -> &Self::Output {
            match i {
                0 => &self.x,
                1 => &self.y,
                2 => &self.z,
                _ => panic!("no axis {i}"),
            }
        }
    }

    /// Of any elements and any length.
    #[derive(Clone, Copy)]
    pub(super) struct Ring<T, const LEN: usize> {
        pub(super) held: [T; LEN],
        pub(super) first: usize,
    }

    impl<T: Copy, const LEN: usize> Index<usize> for Ring<T, LEN> {
        type Output = T;
        fn index(&self, i: usize) -> &T {
            &self.held[(self.first + i) % LEN]
        }
    }

    impl<T: Copy, const LEN: usize> IndexMut<usize> for Ring<T, LEN> {
        fn index_mut(&mut self, i: usize) -> &mut T {
            &mut self.held[(self.first + i) % LEN]
        }
    }

    impl<T: Copy + Add<Output = T> + AddAssign, const LEN: usize> Ring<T, LEN> {
        pub(super) fn total(&self) -> T {
            let mut sum = self[0];
            for i in 1..LEN {
                sum += self[i];
            }
            sum
        }

        pub(super) fn push(&mut self, value: T) -> T {
            let old = self[0];
            self[0] = value;
            self.first += 1;
            old
        }
    }

    /// An element of one's own with elements.
    #[derive(Clone, Copy)]
    pub(super) struct Board {
        pub(super) rows: Ring<Ring<u32, 4>, 3>,
        pub(super) name: u32,
    }

    impl Index<usize> for Board {
        type Output = Ring<u32, 4>;
        fn index(&self, row: usize) -> &Ring<u32, 4> {
            &self.rows[row]
        }
    }

    impl IndexMut<usize> for Board {
        fn index_mut(&mut self, row: usize) -> &mut Ring<u32, 4> {
            &mut self.rows[row]
        }
    }

    fn bump(v: &mut u32, by: u32) -> u32 {
        *v = v.wrapping_add(by);
        *v
    }

    fn once(calls: &mut u32, i: usize) -> usize {
        *calls += 1;
        i
    }

    pub(super) fn grids(n: u32) -> [u32; 8] {
        let mut grid = Grid4 { cells: [n; 16], reads: 0 };
        let (row, column) = (n as usize % 4, n as usize / 4 % 4);
        grid[(row, column)] = 7;
        grid[(column, row)] += 3;
        grid[(1, 2)] ^= n;
        let before = grid[(1, 2)];
        let twice = bump(&mut grid[(3, 3)], 5);
        let reads = grid[16u32];
        let element = &mut grid[(0, 1)];
        *element *= 2;
        *element += 1;
        let mut calls = 0;
        grid[(once(&mut calls, 1), once(&mut calls, 3))] ^= 1;
        let mut sum = calls;
        for i in 0..16u32 {
            sum = sum.wrapping_mul(31).wrapping_add(grid[i]);
        }
        [before, twice, reads, grid[16u32], sum, grid[(row, column)], grid[(2, 1)].count_ones(), grid.cells[13]]
    }

    pub(super) fn points(n: u32) -> [f32; 4] {
        let p = Point { x: n as f32, y: 2.0, z: -3.0 };
        let axis = if n % 2 == 0 { Axis::Y } else { Axis::Z };
        [p[axis] * p[Axis::X], p[0] + p[n as usize % 3], -p[2], if p[1] > p[axis] { 1.0 } else { 0.0 }]
    }

    pub(super) fn rings(n: u32) -> [u32; 6] {
        let mut ring = Ring { held: [n, 1, 2, 3, 4], first: n as usize % 7 };
        ring[2] = 50;
        ring[n as usize % 5] += 9;
        let old = ring.push(n ^ 5);
        let mut vectors = Ring { held: [UVec2::new(1, n), UVec2::new(n, 4)], first: 1 };
        vectors[0].x = 8;
        vectors[1] += UVec2::ONE;
        vectors[1].y <<= 2;
        let mut halves = [ring; 2];
        halves[n as usize % 2][1] = 77;
        halves[1][(n / 2) as usize % 5] ^= 0xff;
        let total = halves[0].total().wrapping_add(halves[1].total().wrapping_mul(3));
        [old, ring.total(), vectors.total().x, vectors.total().y, total, halves[1][1]]
    }

    pub(super) fn boards(n: u32) -> [u32; 5] {
        let row = Ring { held: [n, n / 2, 3, 4], first: 1 };
        let mut board = Board { rows: Ring { held: [row; 3], first: 2 }, name: n };
        board[1][2] = 5;
        board[n as usize % 3][n as usize % 4] += 100;
        board[2].first = 3;
        board[0].held[1] *= 7;
        core::mem::swap(&mut board.name, &mut board.rows[1][0]);
        let last = &mut board[2];
        last[0] = 11;
        let kept = board[2];
        let all = board.rows.held;
        let mut sum = board.name;
        for row in all {
            sum = sum.wrapping_mul(5).wrapping_add(row.total());
        }
        [kept[0], kept[3], board[1][2], board[0].held[1], sum]
    }
});

#[kernel(workgroup = 32)]
fn everywhere(x: &[u32], out: &mut [[u32; 23]]) {
    let i = global_id().x as usize;
    let mut all = [0; 23];
    all[..8].copy_from_slice(&types::grids(x[i]));
    all[8..12].copy_from_slice(&types::points(x[i]).map(f32::to_bits));
    all[12..18].copy_from_slice(&types::rings(x[i]));
    all[18..].copy_from_slice(&types::boards(x[i]));
    out[i] = all;
}

fn numbers() -> Vec<u32> {
    patterns(N, 811).into_iter().map(|v| v % 10_000).collect()
}

fn expected_everywhere() -> Vec<Output> {
    let all = numbers().into_iter().flat_map(|n| {
        let points = plain_types::points(n).map(f32::to_bits);
        let ends = plain_types::rings(n).into_iter().chain(plain_types::boards(n));
        plain_types::grids(n).into_iter().chain(points).chain(ends)
    });
    vec![Output::U32(all.collect())]
}

/// In buffers and shared memory, where elements are read by way of `Index`, and written in a copy.
#[device]
mod of_row {
    use core::ops::{Index, IndexMut};
    use gridwise::prelude::*;

    #[derive(GpuData, Clone, Copy, Debug)]
    #[repr(C)]
    pub(super) struct Row {
        pub(super) cells: [u32; 4],
    }

    impl Index<usize> for Row {
        type Output = u32;
        fn index(&self, i: usize) -> &u32 {
            &self.cells[i]
        }
    }

    impl IndexMut<usize> for Row {
        fn index_mut(&mut self, i: usize) -> &mut u32 {
            &mut self.cells[i]
        }
    }

    fn one_more(v: &u32) -> u32 {
        *v + 1
    }

    pub(super) fn through(row: &Row, i: usize) -> u32 {
        row[i] + one_more(&row[3 - i])
    }
}

use of_row::Row;

#[kernel(workgroup = 32)]
fn in_buffers(rows: &[Row], written: &mut [Row], sums: &mut [u32]) {
    let tile = Shared::<[Row; 32]>::new();
    let (i, t) = (global_id().x as usize, local_id().x as usize);
    tile[t] = rows[i];
    barrier();
    let mut own = written[i];
    own[t % 4] = rows[i][1].wrapping_add(tile[31 - t][2]);
    own[0] ^= own[3];
    written[i] = own;
    let last = &rows[i][3];
    sums[i] = of_row::through(&own, t % 4).wrapping_add(written[i][0]).wrapping_mul(*last | 1);
}

fn expected_in_buffers() -> Vec<Output> {
    let (rows, mut written) = (rows(5), rows(6));
    let mut sums = Vec::new();
    for i in 0..N {
        let (t, group) = (i % 32, i / 32 * 32);
        let own = &mut written[i];
        own[t % 4] = rows[i][1].wrapping_add(rows[group + 31 - t][2]);
        own[0] ^= own[3];
        let sum = own[t % 4].wrapping_add(own[3 - t % 4].wrapping_add(1));
        sums.push(sum.wrapping_add(own[0]).wrapping_mul(rows[i][3] | 1));
    }
    vec![Output::U32(written.into_iter().flatten().collect()), Output::U32(sums)]
}

fn rows(seed: u32) -> Vec<[u32; 4]> {
    patterns(4 * N, seed).chunks(4).map(|row| row.try_into().expect("four cells")).collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "indexed::everywhere",
        [Everywhere],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&numbers())?, mgr.tensor(&vec![[0u32; 23]; N])?);
            let seq = mgr.sequence()?;
            Everywhere::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        expected_everywhere
    ),
    case!(
        "indexed::in_buffers",
        [InBuffers],
        |mgr| {
            let rows = |seed| rows(seed).into_iter().map(|cells| Row { cells }).collect::<Vec<_>>();
            let (x, mut written) = (mgr.tensor(&rows(5))?, mgr.tensor(&rows(6))?);
            let mut sums = mgr.tensor_of_len::<u32>(N)?;
            let seq = mgr.sequence()?;
            InBuffers::dispatch(&seq, Grid::items(N), &x, &mut written, &mut sums)?;
            seq.eval()?;
            let written = written.to_vec()?.into_iter().flat_map(|row| row.cells);
            Ok(vec![Output::U32(written.collect()), Output::U32(sums.to_vec()?)])
        },
        expected_in_buffers
    ),
];
