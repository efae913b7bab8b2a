//! Places of an array of one's own that are followed from one to the next, each written before the next one is taken.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: u32 = 300;

both!(paths, plain, {
    /// Sets of 12 numbers, each with a path to the number that stands for it.
    pub(super) struct Sets {
        parent: [u8; 12],
        rank: [u8; 12],
    }

    impl Sets {
        pub(super) fn new() -> Self {
            let mut parent = [0; 12];
            for (i, place) in parent.iter_mut().enumerate() {
                *place = i as u8;
            }
            Self { parent, rank: [0; 12] }
        }

        /// Halves the path on its way.
        pub(super) fn find(&mut self, x: u8) -> u8 {
            let mut x = x as usize;
            loop {
                let parent = self.parent[x] as usize;
                if parent == x {
                    return x as u8;
                }
                let next = self.parent[parent];
                self.parent[x] = next;
                x = next as usize;
            }
        }

        pub(super) fn join(&mut self, a: u8, b: u8) -> bool {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                return false;
            }
            if self.rank[a as usize] < self.rank[b as usize] {
                self.parent[a as usize] = b;
            } else {
                self.parent[b as usize] = a;
                self.rank[a as usize] += 1;
            }
            true
        }
    }

    /// The weight of a tree that connects twelve places, by Kruskal's algorithm.
    pub(super) fn least_tree(seed: u32) -> u32 {
        let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
        let mut edges = [(0u32, 0u8, 0u8); 30];
        for (i, edge) in edges.iter_mut().enumerate() {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            *edge = (state % 50, (i % 12) as u8, ((i + 1 + i / 12 * 2) % 12) as u8);
        }
        edges.sort_unstable();
        let mut sets = Sets::new();
        let mut weight = 0;
        for (more, a, b) in edges {
            if sets.join(a, b) {
                weight += more;
            }
        }
        weight
    }

    /// Follows a path, and writes each place with what is known of the next.
    pub(super) fn followed(seed: u32) -> [u32; 8] {
        let mut next = [1 + (seed & 1), 2, 3, 4, 5, 6, 6, 0];
        let mut at = (seed % 3) as usize;
        while next[at] as usize != at {
            let to = next[next[at] as usize];
            next[at] = to;
            at = to as usize;
        }
        next[7] = at as u32;
        next
    }

    /// The same, with exchanges.
    pub(super) fn exchanged(seed: u32) -> [u32; 8] {
        let mut next = [1, 2 + (seed & 1), 3, 4, 5, 6, 6, 0];
        let mut at = (seed % 3) as usize;
        for _ in 0..6 {
            let to = next[at] as usize;
            next.swap(at, to);
            at = to;
        }
        next
    }

    /// Which of two numbers goes on is known before the first is a place.
    pub(super) fn chosen(seed: u32) -> [u32; 8] {
        let mut row = [0, 1, 2, 3, 4, 5, 6, 7];
        let (mut a, mut b) = (seed & 7, seed >> 3 & 7);
        for round in 0..5 {
            let next = if row[b as usize] & 1 == 0 { b } else { (a + 3) & 7 };
            row[a as usize] = next + round;
            (a, b) = (next, a);
        }
        row
    }
});

#[kernel]
fn least_trees(out: &mut [u32]) {
    let i = global_id().x;
    if i < out.len() as u32 {
        out[i as usize] = paths::least_tree(i);
    }
}

#[kernel]
fn rows(out: &mut [[u32; 8]]) {
    let i = global_id().x;
    if i < out.len() as u32 {
        out[i as usize] = match i % 3 {
            0 => paths::followed(i / 3),
            1 => paths::exchanged(i / 3),
            _ => paths::chosen(i / 3),
        };
    }
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "followed::least_trees",
        [LeastTrees],
        |mgr| {
            let mut out = mgr.tensor(&[0u32; N as usize])?;
            let seq = mgr.sequence()?;
            LeastTrees::dispatch(&seq, Grid::items(N), &mut out)?.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32((0..N).map(plain::least_tree).collect())]
    ),
    case!(
        "followed::rows",
        [Rows],
        |mgr| {
            let mut out = mgr.tensor(&[[0u32; 8]; N as usize])?;
            let seq = mgr.sequence()?;
            Rows::dispatch(&seq, Grid::items(N), &mut out)?.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.concat())])
        },
        || {
            let row = |i: u32| match i % 3 {
                0 => plain::followed(i / 3),
                1 => plain::exchanged(i / 3),
                _ => plain::chosen(i / 3),
            };
            vec![Output::U32((0..N).flat_map(row).collect())]
        }
    ),
];
