//! Elements that are searched for and changed: `iter_mut().find(…)` and its like, whose option is taken apart at once.
//! Each function also stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { found_places:
slots plain_slots slots_kernel SlotsKernel SLOTS {
    #[derive(Clone, Copy, PartialEq)]
    pub(super) struct Slot {
        key: u32,
        value: u32,
    }
    pub(super) struct Map {
        slots: [Slot; 6],
        len: usize,
        misses: u32,
    }
    impl Map {
        fn new() -> Self {
            Map { slots: [Slot { key: u32::MAX, value: 0 }; 6], len: 0, misses: 0 }
        }
        fn add(&mut self, key: u32, value: u32) {
            if let Some(slot) = self.slots.iter_mut().find(|slot| slot.key == key) {
                slot.value += value;
                return;
            }
            match self.slots.iter_mut().find(|s| s.key == u32::MAX) {
                Some(slot) => {
                    slot.key = key;
                    slot.value = value;
                    self.len += 1;
                }
                None => self.misses += 1,
            }
        }
        fn bump(&mut self, key: u32) -> u32 {
            let Some(slot) = self.slots.iter_mut().rev().find(|slot| slot.key == key) else { return 7 };
            slot.value = slot.value * 3 + 1;
            slot.value
        }
        /// The least used slot goes.
        fn evict(&mut self, key: u32) {
            if let Some(slot) = self.slots.iter_mut().min_by_key(|slot| slot.value) {
                *slot = Slot { key, value: 1 };
            }
        }
        fn hash(&self) -> u32 {
            self.slots.iter().fold(self.misses, |h, s| h.rotate_left(5) ^ s.key.wrapping_mul(31) ^ s.value)
        }
    }
    fn raise(values: &mut [u32], limit: u32) -> bool {
        if let Some(v) = values.iter_mut().find(|v| **v < limit) {
            *v = limit;
            true
        } else {
            false
        }
    }
    fn halve(values: &mut [u32]) -> Option<u32> {
        let v = values.iter_mut().max_by_key(|v| **v)?;
        *v /= 2;
        Some(*v)
    }
    pub(super) fn of(i: u32) -> u32 {
        let mut map = Map::new();
        for k in 0..12 {
            map.add((i * 5 + k * k) % 9, k);
        }
        let bumped = map.bump(i % 9) ^ map.bump(4);
        map.evict(77);
        let mut own = [i % 7, 3, i % 5, 9, 2];
        let raised = raise(&mut own, 3) as u32 + raise(&mut own[2..], i % 11) as u32 * 2;
        let halved = halve(&mut own).unwrap_or(5);
        let wanted = i % 4;
        if let Some(v) = own.iter_mut().rfind(|v| **v % 4 == wanted) {
            *v += 100;
        }
        *own.iter_mut().find(|v| **v >= 2).unwrap() += 50;
        let last = own.iter_mut().max_by(|a, b| (**a % 16).cmp(&(**b % 16))).expect("five");
        *last ^= 1 << 9;
        let mut rows = [[i % 3, 5], [4, i % 6], [0, 1]];
        for r in 0..3 {
            if let Some(v) = rows[r].iter_mut().find(|v| **v > 3) {
                *v += r as u32 * 10;
            } else if let Some(v) = rows[r].first_mut() {
                *v = 77;
            }
        }
        let rows = rows.iter().flatten().fold(0u32, |h, v| h * 5 + v);
        let own = own.iter().fold(0u32, |h, v| h.rotate_left(7) ^ v);
        map.hash() ^ bumped.wrapping_mul(7) ^ raised << 20 ^ halved << 12 ^ own ^ rows
    }
}
}

/// All cases of this file.
pub const CASES: &[Case] = &[SLOTS];
