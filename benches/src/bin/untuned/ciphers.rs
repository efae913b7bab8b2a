//! Bytes and words: a cipher's key stream, checksums, text of binary data, searches for a word.

use std::sync::atomic::Ordering;

use gridwise::prelude::*;

use crate::data::{bytes, words};
use crate::workload::Workload;

/// A quarter round of ChaCha (RFC 8439).
#[device]
fn quarter(state: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = (state[d] ^ state[a]).rotate_left(16);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_left(12);
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = (state[d] ^ state[a]).rotate_left(8);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_left(7);
}

#[kernel(workgroup = [256])]
fn chacha(counter: u32, key: &[u32], stream: &mut [u32]) {
    let block = global_id().x;
    let mut start = [0u32; 16];
    start[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
    for i in 0..8 {
        start[4 + i] = key[i];
    }
    start[12] = counter.wrapping_add(block);
    let mut state = start;
    for _ in 0..10 {
        quarter(&mut state, 0, 4, 8, 12);
        quarter(&mut state, 1, 5, 9, 13);
        quarter(&mut state, 2, 6, 10, 14);
        quarter(&mut state, 3, 7, 11, 15);
        quarter(&mut state, 0, 5, 10, 15);
        quarter(&mut state, 1, 6, 11, 12);
        quarter(&mut state, 2, 7, 8, 13);
        quarter(&mut state, 3, 4, 9, 14);
    }
    for (i, (word, first)) in state.iter().zip(start).enumerate() {
        stream[block as usize * 16 + i] = word.wrapping_add(first);
    }
}

const CHACHA: &str = r"
#define ROTATE(x, n) (((x) << n) | ((x) >> (32 - n)))
#define QUARTER(a, b, c, d) \
    state[a] += state[b]; state[d] = ROTATE(state[d] ^ state[a], 16); \
    state[c] += state[d]; state[b] = ROTATE(state[b] ^ state[c], 12); \
    state[a] += state[b]; state[d] = ROTATE(state[d] ^ state[a], 8); \
    state[c] += state[d]; state[b] = ROTATE(state[b] ^ state[c], 7);
KERNEL {
    uint block = GLOBAL_X;
    uint start[16], state[16];
    start[0] = 0x61707865u; start[1] = 0x3320646eu; start[2] = 0x79622d32u; start[3] = 0x6b206574u;
    for (int i = 0; i < 8; i++) start[4 + i] = key[i];
    start[12] = counter + block;
    start[13] = 0u; start[14] = 0u; start[15] = 0u;
    for (int i = 0; i < 16; i++) state[i] = start[i];
    for (int i = 0; i < 10; i++) {
        QUARTER(0, 4, 8, 12) QUARTER(1, 5, 9, 13) QUARTER(2, 6, 10, 14) QUARTER(3, 7, 11, 15)
        QUARTER(0, 5, 10, 15) QUARTER(1, 6, 11, 12) QUARTER(2, 7, 8, 13) QUARTER(3, 4, 9, 14)
    }
    for (uint i = 0u; i < 16u; i++) stream[block * 16u + i] = state[i] + start[i];
}
";

/// CRC-32 of each chunk, by a table of 256 words.
#[kernel(workgroup = [256])]
fn checksums(size: u32, data: &[u8], table: &[u32], sums: &mut [u32]) {
    let i = global_id().x as usize;
    let from = i * size as usize;
    let mut crc = !0u32;
    for &byte in &data[from..from + size as usize] {
        crc = table[((crc ^ u32::from(byte)) & 0xff) as usize] ^ (crc >> 8);
    }
    sums[i] = !crc;
}

const CHECKSUMS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    uint crc = 0xffffffffu;
    for (uint k = 0u; k < size; k++) crc = table[(crc ^ uint(data[i * size + k])) & 0xffu] ^ (crc >> 8);
    sums[i] = ~crc;
}
";

#[device]
const ALPHABET: [u8; 64] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[kernel(workgroup = [256])]
fn base64(data: &[u8], text: &mut [u8]) {
    let i = global_id().x as usize;
    let Some(&[a, b, c]) = data.chunks_exact(3).nth(i) else { return };
    let bits = u32::from(a) << 16 | u32::from(b) << 8 | u32::from(c);
    for k in 0..4 {
        text[4 * i + k] = ALPHABET[(bits >> (18 - 6 * k) & 63) as usize];
    }
}

const BASE64: &str = r#"
TABLE uint ALPHABET[64] = { 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90,
    97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 43, 47 };
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len / 3u) return;
    uint bits = uint(data[3u * i]) << 16 | uint(data[3u * i + 1u]) << 8 | uint(data[3u * i + 2u]);
    for (uint k = 0u; k < 4u; k++) text[4u * i + k] = uint8_t(ALPHABET[bits >> (18u - 6u * k) & 63u]);
}
"#;

/// Places where a word stands in a text.
#[kernel(workgroup = [256])]
fn needles(text: &[u8], word: &[u8], found: &[Atomic<u32>]) {
    let i = global_id().x as usize;
    if i + word.len() > text.len() {
        return;
    }
    if text[i..i + word.len()].iter().zip(word).all(|(a, b)| a == b) {
        found[i / 32].fetch_or(1 << (i % 32), Ordering::Relaxed);
    }
}

const NEEDLES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i + word_len > len) return;
    bool is_same = true;
    for (uint k = 0u; k < word_len; k++) {
        if (text[i + k] != word[k]) { is_same = false; break; }
    }
    if (is_same) ATOMIC_OR(found[i / 32u], 1u << (i % 32u));
}
";

fn table() -> Vec<u32> {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    (0..256).map(|byte| (0..8).fold(byte, step)).collect()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 22 } else { 1 << 10 };
    let letters = |len| bytes(len).into_iter().map(|byte| b'a' + byte % 4).collect::<Vec<_>>();
    vec![
        Workload::new::<Chacha>("key stream", [n / 256, 1, 1], CHACHA)
            .value("counter", 7)
            .read("key", words(8))
            .write::<u32>("stream", 16 * n),
        Workload::new::<Checksums>("checksums", [n / 16 / 64, 1, 1], CHECKSUMS)
            .value("size", 256)
            .read("data", bytes(n / 4 * 256))
            .read("table", table())
            .write::<u32>("sums", n / 4),
        Workload::new::<Base64>("base64", [4 * n / 256, 1, 1], BASE64)
            .peer_value("len", 12 * n as u32)
            .read("data", bytes(12 * n))
            .write::<u8>("text", 16 * n),
        Workload::new::<Needles>("words in a text", [8 * n / 256, 1, 1], NEEDLES)
            .peer_value("len", 8 * n as u32)
            .peer_value("word_len", 12)
            .read("text", letters(8 * n))
            .read("word", letters(12))
            .write::<u32>("found", 8 * n / 32),
    ]
}
