//! Loops over local arrays that end sooner than their counter says, and loops over tables of steps to other places.
//! Each program also stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::{case, each_program};
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { sooner:
searches plain_searches searches_kernel SearchesKernel SEARCHES {
    fn row(i: u32) -> [u32; 9] {
        std::array::from_fn(|k| (i.wrapping_mul(2654435761) >> (k as u32 + 3)) % 17)
    }
    pub(super) fn of(i: u32) -> u32 {
        let row = row(i);
        let first = row.iter().position(|&x| x > 12).map_or(20, |at| at as u32);
        let last = row.iter().rposition(|&x| x < 4).map_or(30, |at| at as u32);
        let has = row.iter().any(|&x| x == i % 17) as u32;
        let all = row.iter().take(5).all(|&x| x > 2) as u32;
        let found = row.iter().skip(2).find(|x| **x % 5 == 3).copied().unwrap_or(99);
        let mut sum = 0;
        for (k, &x) in row.iter().enumerate() {
            if x == 7 {
                sum += 1000;
                break;
            }
            if k as u32 == i % 11 {
                continue;
            }
            sum += x * (k as u32 + 1);
        }
        first | last << 5 | has << 10 | all << 11 | found << 12 | sum << 19
    }
}
sorted plain_sorted sorted_kernel SortedKernel SORTED {
    fn insert(row: &mut [u32], len: usize, x: u32) -> bool {
        let mut at = len;
        while at > 0 && row[at - 1] > x {
            if at < row.len() {
                row[at] = row[at - 1];
            }
            at -= 1;
        }
        if at < row.len() {
            row[at] = x;
        }
        at < row.len()
    }
    pub(super) fn of(i: u32) -> u32 {
        let mut row: [u32; 12] = std::array::from_fn(|k| (i + 5).wrapping_mul(40503 + 77 * k as u32) >> 7 & 0xff);
        for end in 1..row.len() {
            let mut at = end;
            while at > 0 && row[at - 1] > row[at] {
                row.swap(at - 1, at);
                at -= 1;
            }
        }
        let mut least = [u32::MAX; 4];
        let mut kept = 0;
        for k in 0..20 {
            let x = (i * 31 + k * 17) % 101;
            kept += u32::from(insert(&mut least, 4, x));
        }
        let mut hash = kept;
        for x in row.iter().chain(&least) {
            hash = hash.wrapping_mul(31).wrapping_add(*x);
        }
        hash
    }
}
warped plain_warped warped_kernel WarpedKernel WARPED {
    fn distance(a: &[f32; 5], b: &[f32], steps: usize) -> f32 {
        let mut row = [f32::INFINITY; 25];
        row[0] = 0.0;
        for &x in a {
            let mut corner = row[0];
            row[0] = f32::INFINITY;
            for (k, &y) in b.iter().take(steps).take(24).enumerate() {
                let best = corner.min(row[k]).min(row[k + 1]);
                corner = row[k + 1];
                row[k + 1] = (x - y).abs() + best;
            }
        }
        row[steps.min(24)]
    }
    pub(super) fn of(i: u32) -> u32 {
        let a: [f32; 5] = std::array::from_fn(|k| ((i as usize * 7 + k * 3) % 13) as f32);
        let b: [f32; 24] = std::array::from_fn(|k| ((i as usize * 5 + k * 4) % 11) as f32);
        distance(&a, &b, 24).to_bits() ^ distance(&a, &b, i as usize % 25).to_bits().rotate_left(7)
    }
}
around plain_around around_kernel AroundKernel AROUND {
    const STEPS: [(isize, isize); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
    const FAR: [[i32; 2]; 4] = [[-2, 0], [2, 0], [0, -2], [0, 2]];
    pub(super) fn of(i: u32) -> u32 {
        let board: [u32; 64] = std::array::from_fn(|k| (k as u32).wrapping_mul(i | 1).wrapping_mul(2654435761) >> 29);
        let (x, y) = ((i % 8) as usize, (i / 8 % 8) as usize);
        let mut sum = 0;
        if (1..7).contains(&x) && (1..7).contains(&y) {
            for (dx, dy) in STEPS {
                let at = y.wrapping_add_signed(dy) * 8 + x.wrapping_add_signed(dx);
                sum = sum * 7 + board[at];
            }
        }
        for [dx, dy] in FAR {
            let (Some(x), Some(y)) = (x.checked_add_signed(dx as isize), (y as i32).checked_add(dy)) else { continue };
            if x < 8 && (0..8).contains(&y) {
                sum += board[y as usize * 8 + x];
            }
        }
        sum
    }
}
}

/// Corners as a stranger writes them: guards of both coordinates, and a table of steps.
#[device]
const RING: [(isize, isize); 8] = [(0, -3), (2, -2), (3, 0), (2, 2), (0, 3), (-2, 2), (-3, 0), (-2, -2)];

#[kernel(workgroup = [8, 8])]
fn ring_sums(width: u32, height: u32, image: &[u8], sums: &mut [u32]) {
    let (x, y) = (global_id().x as usize, global_id().y as usize);
    let (width, height) = (width as usize, height as usize);
    if !(3..width - 3).contains(&x) || !(3..height - 3).contains(&y) {
        return;
    }
    let mut brighter = 0;
    for (k, (dx, dy)) in RING.into_iter().enumerate() {
        let at = y.wrapping_add_signed(dy) * width + x.wrapping_add_signed(dx);
        brighter |= u32::from(image[at] > image[y * width + x]) << k;
    }
    let twice = brighter | brighter << 8;
    let arc = (0..8).find(|start| twice >> start & 0x1f == 0x1f);
    sums[y * width + x] = brighter + arc.map_or(0, |start| 256 << start);
}

const WIDTH: usize = 21;
const HEIGHT: usize = 13;

fn image() -> Vec<u8> {
    (0..WIDTH * HEIGHT).map(|k| (k * k * 31 % 251) as u8).collect()
}

const RING_SUMS: Case = Case {
    name: "sooner::ring_sums",
    kernels: &[<RingSums as gridwise::Kernel>::DESCRIPTOR],
    run: |mgr| {
        let image = mgr.tensor(&image())?;
        let mut sums = mgr.tensor_of_len::<u32>(WIDTH * HEIGHT)?;
        let seq = mgr.sequence()?;
        RingSums::dispatch(&seq, Grid::items([24, 16]), WIDTH as u32, HEIGHT as u32, &image, &mut sums)?.eval()?;
        Ok(vec![Output::U32(sums.to_vec()?)])
    },
    expected: Some(|| {
        let image = image();
        let mut sums = vec![0; WIDTH * HEIGHT];
        for (at, sum) in sums.iter_mut().enumerate() {
            let (x, y) = (at % WIDTH, at / WIDTH);
            if (3..WIDTH - 3).contains(&x) && (3..HEIGHT - 3).contains(&y) {
                let brighter = RING.iter().enumerate().fold(0, |set, (k, (dx, dy))| {
                    let other = (y as isize + dy) as usize * WIDTH + (x as isize + dx) as usize;
                    set | u32::from(image[other] > image[at]) << k
                });
                let arc = (0..8).find(|start| (0..5).all(|k| brighter >> ((start + k) % 8) & 1 == 1));
                *sum = brighter + arc.map_or(0, |start| 256 << start);
            }
        }
        vec![Output::U32(sums)]
    }),
};

/// All cases of this file.
pub const CASES: &[Case] = &[SEARCHES, SORTED, WARPED, AROUND, RING_SUMS];
