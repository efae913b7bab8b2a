//! Loops over what `&mut` parameters hold, `filter`, `flatten` and `fold` behind `iter_mut`, sorted parts, references to bytes, modules in a
//! module, `std::cmp::min` of one's own types. Each function also stands in a module that only rustc compiles.

#![allow(dead_code, unused, unreachable_pub, clippy::all, reason = "these are the forms that are tried")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

/// Numbers that a function gets.
const N: usize = 64;

each_program! { written_chains:

over_parameters plain_over_parameters run_over_parameters RunOverParameters OVER_PARAMETERS {
    #[derive(Clone, Copy)]
    struct Particle {
        mass: u32,
        alive: bool,
    }

    fn prefix_sum(values: &mut [u32]) {
        let mut sum = 0;
        for v in values {
            sum += *v;
            *v = sum;
        }
    }

    fn number(values: &mut [u32; 4]) {
        for (k, v) in values.into_iter().enumerate() {
            *v += k as u32;
        }
    }

    fn triple(values: &mut [u32; 4]) {
        for v in values {
            *v *= 3;
        }
    }

    fn add(values: &mut [u32], others: &[u32]) {
        for (v, other) in values.iter_mut().zip(others) {
            *v += other;
        }
    }

    // A variable hides the parameter.
    fn hidden(values: &mut [u32; 4]) -> u32 {
        let values = [values[0], 2, 3];
        let mut sum = 0;
        for v in values {
            sum += v;
        }
        sum
    }

    pub(super) fn of(i: u32) -> u32 {
        let mut values = [i, 1, 2, 3];
        number(&mut values);
        triple(&mut values);
        prefix_sum(&mut values[1..]);
        add(&mut values, &[1, 2, 3]);
        let hidden = hidden(&mut values);
        for v in values.iter_mut().filter(|v| **v % 2 == 0) {
            *v += 5;
        }
        for (k, v) in values.iter_mut().enumerate().filter(|(k, v)| k % 2 == 1 && **v > 3) {
            *v += 5 * k as u32;
        }
        for (_, v) in values.iter_mut().enumerate().filter(|(k, _)| *k != 2) {
            if *v == 7 {
                continue;
            }
            *v ^= 1;
        }
        values.iter_mut().filter(|x| **x > i && 2 * **x < 500).for_each(|v| *v *= 2);
        let mut particles = [Particle { mass: 1, alive: i % 2 == 0 }, Particle { mass: i, alive: true }];
        for mass in particles.iter_mut().filter(|mass| mass.alive && mass.mass != 3) {
            mass.mass += 3;
        }
        let total = values.iter_mut().fold(0, |sum, v| {
            *v += 1;
            sum + *v
        });
        let last = particles.iter_mut().rev().fold((0u32, 1u32), |(a, b), p| {
            p.alive = !p.alive;
            (a + p.mass, b * 3)
        });
        values.iter().fold(hidden ^ total ^ last.0 ^ last.1 ^ particles[0].alive as u32, |h: u32, v| h.wrapping_mul(31) ^ v)
    }
}

taken_apart plain_taken_apart run_taken_apart RunTakenApart TAKEN_APART {
    #[derive(Clone, Copy, Default)]
    struct Particle {
        x: u32,
        v: [u32; 2],
        alive: bool,
    }

    fn grow(p: &mut Particle, by: u32) {
        let Particle { x, v, .. } = p;
        *x += by;
        v[1] += *x;
    }

    fn exchange(pair: &mut (u32, u32)) {
        let (a, b) = pair;
        std::mem::swap(a, b);
    }

    pub(super) fn of(i: u32) -> u32 {
        let mut particles = [Particle { x: 1, ..Particle::default() }, Particle { x: i, alive: true, v: [2, i] }];
        for p in particles.iter_mut() {
            let Particle { x, alive, .. } = p;
            if *alive {
                *x += 3;
            }
            *alive = !*alive;
        }
        for (k, p) in particles.iter_mut().enumerate() {
            let Particle { x, v, .. } = p;
            *x *= 2;
            v[0] += k as u32;
        }
        let mut rows = [[i; 3]; 2];
        for row in rows.iter_mut() {
            for v in row {
                *v += 1;
            }
        }
        for row in &mut rows {
            for (k, v) in row.iter_mut().enumerate() {
                *v *= k as u32;
            }
        }
        for v in rows.iter_mut().flatten() {
            if *v == 3 {
                continue;
            }
            *v ^= 5;
        }
        rows.iter_mut().flatten().for_each(|v| *v += 1);
        let mut pair = (i, 3);
        exchange(&mut pair);
        grow(&mut particles[1], 3);
        let sum = rows.iter().flatten().fold(0, |h: u32, v| h.wrapping_mul(7) + v);
        particles.iter().fold(pair.0, |h: u32, p| h.wrapping_mul(31) ^ p.x ^ p.v[0] ^ p.v[1] << 5 ^ p.alive as u32) ^ sum
    }
}

sorted_parts plain_sorted_parts run_sorted_parts RunSortedParts SORTED_PARTS {
    fn total(x: &[u8]) -> u32 {
        x.iter().map(|&b| u32::from(b)).sum()
    }

    fn bump(x: &mut [u32]) {
        x[0] += 1;
    }

    pub(super) fn of(i: u32) -> u32 {
        let mut edges: [(u32, u8, u8); 6] = [(3, 0, 0), (i % 7, 1, 2), (i % 5, 4, 5), (1, 2, 3), (9, 9, 9), (i, 0, 1)];
        let n = 2 + i as usize % 5;
        edges[..n].sort_unstable();
        edges[n - 2..].sort_by_key(|e| std::cmp::Reverse(e.0));
        let mut own = [i, 7, 3, 1];
        own[1..].sort();
        // References to arrays are slices where these are wanted.
        let (text, bytes) = (b"hello", &[1u8, 2, 3]);
        let word = b"word";
        let part = &mut own;
        bump(part);
        bump(part);
        let sum = total(word) + word.len() as u32 + total(text) + total(bytes) + own[0];
        edges.iter().fold(own[1] * own[2] + sum, |h, e| h.wrapping_mul(31) ^ e.0 << 2 ^ u32::from(e.1))
    }
}

inner_modules plain_inner_modules run_inner_modules RunInnerModules INNER_MODULES {
    mod hash {
        pub const SEED: u32 = 0x9747_b28c;

        pub fn mixed(mut h: u32) -> u32 {
            h ^= h >> 16;
            h = h.wrapping_mul(0x85eb_ca6b);
            h ^= h >> 13;
            h = h.wrapping_mul(0xc2b2_ae35);
            h ^ h >> 16
        }
    }

    mod noise {
        use super::hash;

        #[derive(Clone, Copy)]
        pub struct Lattice {
            pub width: i32,
        }

        impl Lattice {
            pub fn pick(&self, x: i32) -> f32 {
                at(x % self.width, 1)
            }
        }

        pub fn at(x: i32, y: i32) -> f32 {
            hash::mixed(x as u32 ^ hash::mixed(y as u32 ^ hash::SEED)) as f32 / u32::MAX as f32
        }
    }

    use noise::{Lattice, at};

    pub(super) fn of(i: u32) -> u32 {
        (at(i as i32, -3) * 4096.0) as u32 ^ hash::mixed(i) ^ Lattice { width: 5 }.pick(i as i32).to_bits()
    }
}

own_order plain_own_order run_own_order RunOwnOrder OWN_ORDER {
    use std::cmp::Ordering;

    #[derive(Clone, Copy, Debug)]
    struct Task {
        priority: u8,
        cost: u32,
        id: u8,
    }

    impl PartialEq for Task {
        fn eq(&self, other: &Self) -> bool {
            self.cost == other.cost && self.priority == other.priority
        }
    }

    impl Eq for Task {}

    impl Ord for Task {
        fn cmp(&self, other: &Self) -> Ordering {
            self.priority.cmp(&other.priority).reverse().then(self.cost.cmp(&other.cost))
        }
    }

    impl PartialOrd for Task {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    pub(super) fn of(i: u32) -> u32 {
        let a = Task { priority: (i % 3) as u8, cost: i % 7, id: 1 };
        let b = Task { priority: (i % 5) as u8, cost: i % 4, id: 2 };
        let pair = std::cmp::max((i % 3, 1u8), (i % 4, 2));
        u32::from(std::cmp::min(a, b).id) * 3 + u32::from(std::cmp::max(a, b).id) * 16 + u32::from(pair.1) * 64
    }
}

}

/// The entries.
pub const CASES: &[Case] = &[OVER_PARAMETERS, TAKEN_APART, SORTED_PARTS, INNER_MODULES, OWN_ORDER];
