//! Records as databases keep them: an automaton over text, packed numbers, sums of groups, hashes of keys, dates.

use std::sync::atomic::Ordering;

use gridwise::prelude::*;

use crate::data::{bytes, words};
use crate::workload::Workload;

/// Counts the matches that an automaton finds in blocks of 64 bytes.
#[kernel(workgroup = [128])]
fn automaton(accepting: u32, table: &[u16], text: &[u8], counts: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(block) = text.chunks(64).nth(i) else { return };
    let (mut state, mut count) = (0u16, 0);
    for &byte in block {
        state = table[usize::from(state) * 256 + usize::from(byte)];
        if u32::from(state) >= accepting {
            count += 1;
        }
    }
    counts[i] = count;
}

const AUTOMATON: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i * 64u >= len) return;
    uint state = 0u, count = 0u;
    for (uint at = i * 64u; at < min(i * 64u + 64u, len); at++) {
        state = uint(table[state * 256u + uint(text[at])]);
        if (state >= accepting) count++;
    }
    counts[i] = count;
}
";

/// Numbers of fewer bits than 32, from words that hold one after the other, plus a base.
#[kernel(workgroup = [256])]
fn unpack(bits: u32, base: u32, packed: &[u32], numbers: &mut [u32]) {
    let i = global_id().x;
    if i as usize >= numbers.len() {
        return;
    }
    let (at, shift) = ((i * bits / 32) as usize, i * bits % 32);
    let next = packed.get(at + 1).copied().unwrap_or(0);
    let both = u64::from(next) << 32 | u64::from(packed[at]);
    numbers[i as usize] = base + ((both >> shift) as u32 & ((1 << bits) - 1));
}

const UNPACK: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint at = i * bits / 32u, shift = i * bits % 32u;
    uint next = at + 1u < words ? packed[at + 1u] : 0u;
    uint64_t both = uint64_t(next) << 32 | uint64_t(packed[at]);
    numbers[i] = base + (uint(both >> shift) & ((1u << bits) - 1u));
}
";

#[device]
const EMPTY: u32 = u32::MAX;

/// The sums of the values of each key, in a hash table with open addressing.
#[kernel(workgroup = [256])]
fn group_sums(keys: &[u32], values: &[u32], slots: &[Atomic<u32>], sums: &[Atomic<u32>]) {
    let i = global_id().x as usize;
    if i >= keys.len() {
        return;
    }
    let key = keys[i];
    let mut slot = (key.wrapping_mul(0x9e37_79b9) >> 7) as usize % slots.len();
    loop {
        match slots[slot].compare_exchange(EMPTY, key, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => break,
            Err(found) if found == key => break,
            Err(_) => slot = (slot + 1) % slots.len(),
        }
    }
    sums[slot].fetch_add(values[i], Ordering::Relaxed);
}

const GROUP_SUMS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint key = keys[i];
    uint slot = (key * 0x9e3779b9u >> 7) % places;
    while (true) {
        uint found = ATOMIC_SWAP_IF(slots[slot], 0xffffffffu, key);
        if (found == 0xffffffffu || found == key) break;
        slot = (slot + 1u) % places;
    }
    ATOMIC_ADD(sums[slot], values[i]);
}
";

#[device]
mod sip {
    /// SipHash-2-4, by Jean-Philippe Aumasson and Daniel J. Bernstein.
    pub(crate) struct SipHasher {
        state: [u64; 4],
    }

    impl SipHasher {
        pub(crate) const fn new(k0: u64, k1: u64) -> Self {
            Self {
                state: [
                    k0 ^ 0x736f_6d65_7073_6575,
                    k1 ^ 0x646f_7261_6e64_6f6d,
                    k0 ^ 0x6c79_6765_6e65_7261,
                    k1 ^ 0x7465_6462_7974_6573,
                ],
            }
        }

        fn round(&mut self) {
            let [a, b, c, d] = &mut self.state;
            *a = a.wrapping_add(*b);
            *b = b.rotate_left(13) ^ *a;
            *a = a.rotate_left(32);
            *c = c.wrapping_add(*d);
            *d = d.rotate_left(16) ^ *c;
            *a = a.wrapping_add(*d);
            *d = d.rotate_left(21) ^ *a;
            *c = c.wrapping_add(*b);
            *b = b.rotate_left(17) ^ *c;
            *c = c.rotate_left(32);
        }

        pub(crate) fn write(&mut self, word: u64) {
            self.state[3] ^= word;
            for _ in 0..2 {
                self.round();
            }
            self.state[0] ^= word;
        }

        pub(crate) fn finish(mut self, len: usize) -> u64 {
            self.write((len as u64) << 56);
            self.state[2] ^= 0xff;
            for _ in 0..4 {
                self.round();
            }
            self.state.iter().fold(0, |hash, word| hash ^ word)
        }
    }
}

use sip::SipHasher;

/// Hashes of keys of 32 bytes.
#[kernel(workgroup = [128])]
fn key_hashes(keys: &[u8], hashes: &mut [u64]) {
    let i = global_id().x as usize;
    let Some(key) = keys.chunks_exact(32).nth(i) else { return };
    let mut hasher = SipHasher::new(7, 11);
    for word in key.chunks_exact(8) {
        hasher.write(u64::from_le_bytes(word.try_into().unwrap()));
    }
    hashes[i] = hasher.finish(key.len());
}

const KEY_HASHES: &str = r"
DEVICE uint64_t turned(uint64_t x, uint by) { return x << by | x >> (64u - by); }
#define ROUND \
    a += b; b = turned(b, 13u) ^ a; a = turned(a, 32u); c += d; d = turned(d, 16u) ^ c; \
    a += d; d = turned(d, 21u) ^ a; c += b; b = turned(b, 17u) ^ c; c = turned(c, 32u)
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint64_t a = uint64_t(7) ^ 0x736f6d6570736575ul, b = uint64_t(11) ^ 0x646f72616e646f6dul;
    uint64_t c = uint64_t(7) ^ 0x6c7967656e657261ul, d = uint64_t(11) ^ 0x7465646279746573ul;
    for (uint k = 0u; k < 5u; k++) {
        uint64_t word = uint64_t(32) << 56;
        if (k < 4u) {
            word = uint64_t(0);
            for (uint j = 0u; j < 8u; j++) word |= uint64_t(keys[32u * i + 8u * k + j]) << (8u * j);
        }
        d ^= word;
        ROUND;
        ROUND;
        a ^= word;
    }
    c ^= uint64_t(0xff);
    ROUND;
    ROUND;
    ROUND;
    ROUND;
    hashes[i] = a ^ b ^ c ^ d;
}
";

#[device]
mod calendar {
    #[derive(Clone, Copy)]
    pub(crate) struct Date {
        pub(crate) year: i32,
        pub(crate) month: u32,
        pub(crate) day: u32,
    }

    impl Date {
        /// The date so many days after 1970-01-01 ("chrono-Compatible Low-Level Date Algorithms", Howard Hinnant).
        pub(crate) fn from_days(days: i32) -> Self {
            let days = days + 719_468;
            let era = days.div_euclid(146_097);
            let of_era = days.rem_euclid(146_097) as u32;
            let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
            let of_year = of_era - (365 * year + year / 4 - year / 100);
            let shifted = (5 * of_year + 2) / 153;
            let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
            Self {
                year: year as i32 + era * 400 + i32::from(month <= 2),
                month,
                day: of_year - (153 * shifted + 2) / 5 + 1,
            }
        }
    }
}

use calendar::Date;

/// Dates as numbers like 20241231, and their weekdays.
#[kernel(workgroup = [256])]
fn dates(days: &[i32], dates: &mut [i32], weekdays: &mut [u8]) {
    let i = global_id().x as usize;
    if let Some(&day) = days.get(i) {
        let date = Date::from_days(day);
        dates[i] = date.year * 10_000 + (date.month * 100 + date.day) as i32;
        weekdays[i] = (day + 4).rem_euclid(7) as u8;
    }
}

const DATES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    int at = days[i] + 719468;
    int era = (at >= 0 ? at : at - 146096) / 146097;
    uint of_era = uint(at - era * 146097);
    uint year = (of_era - of_era / 1460u + of_era / 36524u - of_era / 146096u) / 365u;
    uint of_year = of_era - (365u * year + year / 4u - year / 100u);
    uint shifted = (5u * of_year + 2u) / 153u;
    uint month = shifted < 10u ? shifted + 3u : shifted - 9u;
    uint day = of_year - (153u * shifted + 2u) / 5u + 1u;
    dates[i] = (int(year) + era * 400 + int(month <= 2u)) * 10000 + int(month * 100u + day);
    uint weekday = uint(days[i] + 7000004) % 7u;
    weekdays[i] = BYTE(weekday);
}
";

/// An automaton with many states near the first, as those of words have.
fn table(states: usize) -> Vec<u16> {
    let near = |word: u32| if word.is_multiple_of(8) { word / 8 % states as u32 } else { word / 8 % 8 };
    words(states * 256).into_iter().map(|word| near(word) as u16).collect()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 22 } else { 1 << 12 };
    let bits = 11;
    let groups = if large { 1 << 16 } else { 1 << 6 };
    vec![
        Workload::new::<Automaton>("automaton", [n / 16 / 128, 1, 1], AUTOMATON)
            .value("accepting", 250)
            .peer_value("len", 4 * n as u32)
            .read("table", table(256))
            .read("text", bytes(4 * n))
            .write::<u32>("counts", n / 16),
        Workload::new::<Unpack>("packed numbers", [n / 256, 1, 1], UNPACK)
            .value("bits", bits)
            .value("base", 1000)
            .peer_value("len", n as u32)
            .peer_value("words", n as u32 * bits / 32)
            .read("packed", words(n * bits as usize / 32))
            .write::<u32>("numbers", n),
        Workload::new::<GroupSums>("sums of groups", [n / 4 / 256, 1, 1], GROUP_SUMS)
            .peer_value("len", n as u32 / 4)
            .peer_value("places", 2 * groups)
            .read("keys", words(n / 4).into_iter().map(|word| word % groups).collect::<Vec<u32>>())
            .read("values", words(n / 4).into_iter().map(|word| word % 100).collect::<Vec<u32>>())
            .update("slots", vec![EMPTY; 2 * groups as usize])
            .write::<u32>("sums", 2 * groups as usize)
            .in_any_order(),
        Workload::new::<KeyHashes>("hashes of keys", [n / 4 / 128, 1, 1], KEY_HASHES)
            .peer_value("len", n as u32 / 4)
            .read("keys", bytes(8 * n))
            .write::<u64>("hashes", n / 4),
        Workload::new::<Dates>("dates", [n / 256, 1, 1], DATES)
            .with_helper(super::pictures::BYTE)
            .peer_value("len", n as u32)
            .read("days", words(n).into_iter().map(|word| (word % 400_000) as i32 - 200_000).collect::<Vec<i32>>())
            .write::<i32>("dates", n)
            .write::<u8>("weekdays", n),
    ]
}
