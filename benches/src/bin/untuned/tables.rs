//! Tables and codes: a hash table, a Bloom filter, triangles of a graph, numbers of variable length, hashes, large numbers, UTF-8, distances of bits.

use std::sync::atomic::Ordering;

use gridwise::prelude::*;

use crate::data::{bytes, words};
use crate::workload::Workload;

/// The end of Murmur's hash.
#[device]
fn mixed(mut hash: u32) -> u32 {
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

const MIXED: &str = r"
DEVICE uint mixed(uint hash) {
    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35u;
    return hash ^ hash >> 16;
}
";

/// Looks keys up in a table with open addressing; 0 is no key.
#[kernel(workgroup = [256])]
fn look_up(keys: &[u32], table: &[[u32; 2]], values: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(&key) = keys.get(i) else { return };
    let mut slot = mixed(key) as usize % table.len();
    values[i] = loop {
        match table[slot] {
            [0, _] => break u32::MAX,
            [found, value] if found == key => break value,
            _ => slot = (slot + 1) % table.len(),
        }
    };
}

const LOOK_UP: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint key = keys[i];
    uint slot = mixed(key) % slots;
    uint value;
    while (true) {
        uint found = table[slot].v[0];
        if (found == 0u) { value = 0xffffffffu; break; }
        if (found == key) { value = table[slot].v[1]; break; }
        slot = (slot + 1u) % slots;
    }
    values[i] = value;
}
";

/// Sets the four bits of a key in a Bloom filter.
#[kernel(workgroup = [256])]
fn bloom(keys: &[u32], filter: &[Atomic<u32>]) {
    let i = global_id().x as usize;
    if i < keys.len() {
        let bits = filter.len() as u32 * 32;
        let (first, second) = (mixed(keys[i]), mixed(keys[i] ^ 0x9e37_79b9) | 1);
        for k in 0..4 {
            let bit = first.wrapping_add(second.wrapping_mul(k)) % bits;
            filter[(bit / 32) as usize].fetch_or(1 << (bit % 32), Ordering::Relaxed);
        }
    }
}

const BLOOM: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint bits = words * 32u;
    uint first = mixed(keys[i]), second = mixed(keys[i] ^ 0x9e3779b9u) | 1u;
    for (uint k = 0u; k < 4u; k++) {
        uint bit = (first + second * k) % bits;
        ATOMIC_OR(bloom_bits[bit / 32u], 1u << (bit % 32u));
    }
}
";

/// Triangles at each node: common neighbours of its neighbours, whose lists are sorted.
#[kernel(workgroup = [128])]
fn triangles(offsets: &[u32], targets: &[u32], counts: &mut [u32]) {
    let node = global_id().x as usize;
    if node >= counts.len() {
        return;
    }
    let own = &targets[offsets[node] as usize..offsets[node + 1] as usize];
    let mut count = 0;
    for &other in own {
        let theirs = &targets[offsets[other as usize] as usize..offsets[other as usize + 1] as usize];
        let (mut a, mut b) = (0, 0);
        while a < own.len() && b < theirs.len() {
            if own[a] == theirs[b] {
                count += 1;
                a += 1;
                b += 1;
            } else if own[a] < theirs[b] {
                a += 1;
            } else {
                b += 1;
            }
        }
    }
    counts[node] = count;
}

const TRIANGLES: &str = r"
KERNEL {
    uint node = GLOBAL_X;
    if (node >= len) return;
    uint start = offsets[node], end = offsets[node + 1u];
    uint count = 0u;
    for (uint k = start; k < end; k++) {
        uint other = targets[k];
        uint b = offsets[other], last = offsets[other + 1u];
        uint a = start;
        while (a < end && b < last) {
            uint x = targets[a], y = targets[b];
            if (x == y) { count++; a++; b++; }
            else if (x < y) a++;
            else b++;
        }
    }
    counts[node] = count;
}
";

/// Reads a number of seven bits a byte, and where the next one is.
#[device]
fn variable(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut value = 0;
    for (i, &byte) in bytes.iter().take(5).enumerate() {
        value |= u32::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Some((value, i + 1));
        }
    }
    None
}

/// Sums of the numbers in blocks of bytes.
#[kernel(workgroup = [128])]
fn variable_lengths(size: u32, data: &[u8], sums: &mut [u32]) {
    let i = global_id().x as usize;
    let size = size as usize;
    let mut rest = &data[i * size..][..size];
    let mut sum = 0u32;
    while let Some((value, len)) = variable(rest) {
        sum = sum.wrapping_add(value);
        rest = &rest[len..];
    }
    sums[i] = sum;
}

const VARIABLE_LENGTHS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    uint at = i * size, end = at + size;
    uint sum = 0u;
    while (true) {
        uint value = 0u;
        bool is_whole = false;
        uint k = 0u;
        for (; k < 5u && at + k < end; k++) {
            uint b = uint(data[at + k]);
            value |= (b & 0x7fu) << (7u * k);
            if (b < 0x80u) { is_whole = true; k++; break; }
        }
        if (!is_whole) break;
        sum += value;
        at += k;
    }
    sums[i] = sum;
}
";

/// Products of numbers of 256 bits modulo a prime (Montgomery).
#[kernel(workgroup = [128])]
fn montgomery(inverse: u32, modulus: &[u32], a: &[u32], b: &[u32], product: &mut [u32]) {
    let at = global_id().x as usize * 8;
    let mut t = [0u32; 10];
    for i in 0..8 {
        let mut carry = 0u64;
        for j in 0..8 {
            let sum = u64::from(a[at + j]) * u64::from(b[at + i]) + u64::from(t[j]) + carry;
            t[j] = sum as u32;
            carry = sum >> 32;
        }
        let sum = u64::from(t[8]) + carry;
        t[8] = sum as u32;
        t[9] = (sum >> 32) as u32;
        let factor = t[0].wrapping_mul(inverse);
        let mut carry = (u64::from(factor) * u64::from(modulus[0]) + u64::from(t[0])) >> 32;
        for j in 1..8 {
            let sum = u64::from(factor) * u64::from(modulus[j]) + u64::from(t[j]) + carry;
            t[j - 1] = sum as u32;
            carry = sum >> 32;
        }
        let sum = u64::from(t[8]) + carry;
        t[7] = sum as u32;
        t[8] = t[9] + (sum >> 32) as u32;
    }
    for j in 0..8 {
        product[at + j] = t[j];
    }
}

const MONTGOMERY: &str = r"
KERNEL {
    uint at = GLOBAL_X * 8u;
    uint t[10];
    for (int i = 0; i < 10; i++) t[i] = 0u;
    for (int i = 0; i < 8; i++) {
        uint64_t carry = uint64_t(0);
        for (int j = 0; j < 8; j++) {
            uint64_t sum = uint64_t(a[at + j]) * uint64_t(b[at + i]) + uint64_t(t[j]) + carry;
            t[j] = uint(sum);
            carry = sum >> 32;
        }
        uint64_t sum = uint64_t(t[8]) + carry;
        t[8] = uint(sum);
        t[9] = uint(sum >> 32);
        uint factor = t[0] * inverse_of;
        carry = (uint64_t(factor) * uint64_t(modulus[0]) + uint64_t(t[0])) >> 32;
        for (int j = 1; j < 8; j++) {
            uint64_t next = uint64_t(factor) * uint64_t(modulus[j]) + uint64_t(t[j]) + carry;
            t[j - 1] = uint(next);
            carry = next >> 32;
        }
        sum = uint64_t(t[8]) + carry;
        t[7] = uint(sum);
        t[8] = t[9] + uint(sum >> 32);
    }
    for (int j = 0; j < 8; j++) product[at + j] = t[j];
}
";

/// The nearest of many codes of 128 bits, by bits that differ.
#[kernel(workgroup = [128])]
fn nearest_code(codes: &[[u32; 4]], queries: &[[u32; 4]], nearest: &mut [u32]) {
    let i = global_id().x as usize;
    if i >= queries.len() {
        return;
    }
    let query = queries[i];
    let distance = |code: &[u32; 4]| (0..4).map(|k| (code[k] ^ query[k]).count_ones()).sum::<u32>();
    nearest[i] = codes.iter().enumerate().min_by_key(|(_, code)| distance(code)).map_or(0, |(at, _)| at as u32);
}

const NEAREST_CODE: &str = r"
#ifdef __CUDACC__
#define BITS(x) uint(__popc(x))
#else
#define BITS(x) uint(bitCount(x))
#endif
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    u32x4 query = queries[i];
    uint least = 1000u, at = 0u;
    for (uint c = 0u; c < codes_len; c++) {
        u32x4 code = codes[c];
        uint distance_of = 0u;
        for (int k = 0; k < 4; k++) distance_of += BITS(code.v[k] ^ query.v[k]);
        if (distance_of < least) { least = distance_of; at = c; }
    }
    nearest[i] = at;
}
";

#[device]
mod utf8 {
    #[derive(Clone, Copy, PartialEq)]
    pub(crate) enum Utf8 {
        Start,
        Rest(u8),
        Wrong,
    }

    impl Utf8 {
        /// The state behind a byte; overlong forms and surrogates are not looked for.
        pub(crate) fn next(self, byte: u8) -> Self {
            match (self, byte) {
                (Utf8::Start, 0..=0x7f) => Utf8::Start,
                (Utf8::Start, 0xc2..=0xdf) => Utf8::Rest(1),
                (Utf8::Start, 0xe0..=0xef) => Utf8::Rest(2),
                (Utf8::Start, 0xf0..=0xf4) => Utf8::Rest(3),
                (Utf8::Rest(1), 0x80..=0xbf) => Utf8::Start,
                (Utf8::Rest(n), 0x80..=0xbf) => Utf8::Rest(n - 1),
                _ => Utf8::Wrong,
            }
        }
    }
}

use utf8::Utf8;

/// Characters of each line, or none if it is no UTF-8.
#[kernel(workgroup = [128])]
fn characters(size: u32, text: &[u8], counts: &mut [u32]) {
    let i = global_id().x as usize;
    let line = text.chunks_exact(size as usize).nth(i).unwrap_or(&[]);
    let mut state = Utf8::Start;
    let mut count = 0;
    for &byte in line {
        state = state.next(byte);
        if state == Utf8::Wrong {
            break;
        }
        if state == Utf8::Start {
            count += 1;
        }
    }
    if i < counts.len() {
        counts[i] = if state == Utf8::Start { count } else { u32::MAX };
    }
}

const CHARACTERS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint rest = 0u, count = 0u;
    bool is_wrong = false;
    for (uint k = 0u; k < size; k++) {
        uint b = uint(text[i * size + k]);
        if (rest == 0u) {
            if (b < 0x80u) rest = 0u;
            else if (b >= 0xc2u && b <= 0xdfu) rest = 1u;
            else if (b >= 0xe0u && b <= 0xefu) rest = 2u;
            else if (b >= 0xf0u && b <= 0xf4u) rest = 3u;
            else { is_wrong = true; break; }
        } else {
            if (b < 0x80u || b > 0xbfu) { is_wrong = true; break; }
            rest--;
        }
        if (rest == 0u) count++;
    }
    counts[i] = is_wrong || rest > 0u ? 0xffffffffu : count;
}
";

/// A table with open addressing that holds three quarters of the keys' first half.
fn table(keys: &[u32], slots: usize) -> Vec<[u32; 2]> {
    let mut table = vec![[0u32; 2]; slots];
    for (value, &key) in keys.iter().take(keys.len() / 2).enumerate() {
        let mut hash = key;
        hash ^= hash >> 16;
        hash = hash.wrapping_mul(0x85eb_ca6b);
        hash ^= hash >> 13;
        hash = hash.wrapping_mul(0xc2b2_ae35);
        hash ^= hash >> 16;
        let mut slot = hash as usize % slots;
        while table[slot][0] != 0 {
            slot = (slot + 1) % slots;
        }
        table[slot] = [key, value as u32];
    }
    table
}

/// A graph whose lists are sorted.
fn graph(nodes: usize, degree: usize) -> (Vec<u32>, Vec<u32>) {
    let mut targets = words(nodes * degree);
    for (node, list) in targets.chunks_mut(degree).enumerate() {
        for target in list.iter_mut() {
            *target = ((node as u32).wrapping_add(*target % 256)) % nodes as u32;
        }
        list.sort_unstable();
    }
    ((0..=nodes).map(|node| (node * degree) as u32).collect(), targets)
}

/// Lines of characters of one to three bytes.
fn text(lines: usize, size: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(lines * size);
    let mut random = words(lines * size).into_iter();
    for line in 1..=lines {
        while text.len() < line * size {
            let left = line * size - text.len();
            let symbol = match random.next().unwrap_or(0) % 3 {
                1 if left >= 2 => 'é',
                2 if left >= 3 => '✓',
                _ => 'a',
            };
            text.extend_from_slice(symbol.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    text
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 22 } else { 1 << 10 };
    let keys: Vec<u32> = words(n).into_iter().map(|key| key.max(1)).collect();
    let blocks = (n / 16).max(128);
    let (nodes, degree) = if large { (1 << 17, 24) } else { (1 << 9, 6) };
    let (offsets, targets) = graph(nodes, degree);
    let fours = |len: usize| words(4 * len).as_chunks().0.to_vec();
    vec![
        Workload::new::<LookUp>("look up keys", [n / 256, 1, 1], LOOK_UP)
            .with_helper(MIXED)
            .peer_value("len", n as u32)
            .peer_value("slots", n as u32)
            .read("keys", keys.clone())
            .read::<[u32; 2]>("table", table(&keys, n))
            .write::<u32>("values", n),
        Workload::new::<Bloom>("Bloom filter", [n / 256, 1, 1], BLOOM)
            .with_helper(MIXED)
            .peer_value("len", n as u32)
            .peer_value("words", n as u32 / 4)
            .read("keys", keys)
            .write::<u32>("bloom_bits", n / 4),
        Workload::new::<Triangles>("triangles of a graph", [nodes / 128, 1, 1], TRIANGLES)
            .peer_value("len", nodes as u32)
            .read("offsets", offsets)
            .read("targets", targets)
            .write::<u32>("counts", nodes),
        Workload::new::<VariableLengths>("numbers of variable length", [blocks / 128, 1, 1], VARIABLE_LENGTHS)
            .value("size", 256)
            .read("data", bytes(blocks * 256))
            .write::<u32>("sums", blocks),
        Workload::new::<Montgomery>("large products", [n / 8 / 128, 1, 1], MONTGOMERY)
            .value("inverse_of", 0xd225_3531u32)
            .read("modulus", words(8).into_iter().map(|word| word >> 1 | 1).collect())
            .read("a", words(n))
            .read("b", words(n))
            .write::<u32>("product", n),
        Workload::new::<NearestCode>("nearest code", [n / 64 / 128, 1, 1], NEAREST_CODE)
            .peer_value("len", n as u32 / 64)
            .peer_value("codes_len", 1024)
            .read::<[u32; 4]>("codes", fours(1024))
            .read::<[u32; 4]>("queries", fours(n / 64))
            .write::<u32>("nearest", n / 64),
        Workload::new::<Characters>("characters in lines", [n / 16 / 128, 1, 1], CHARACTERS)
            .value("size", 256)
            .peer_value("len", n as u32 / 16)
            .read("text", text(n / 16, 256))
            .write::<u32>("counts", n / 16),
    ]
}
