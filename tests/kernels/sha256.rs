//! SHA-256 (FIPS 180-4) of many messages at once, one per invocation: the standard's examples, and a photo in pieces.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

/// Each piece of the photo is hashed by itself, as for a list of checksums.
const PIECE: usize = 32768;
const PHOTO: &[u8] = include_bytes!("../../examples/data/flower.jpg");
/// The digests of the pieces, by `sha256sum`.
const PIECES: [&str; 5] = [
    "e7602ec7b6b409cea09343748a6c7eff671d812a5ff185ae41f8856e4a40f5ec",
    "9a68d932c076adb2808fed3da7039faf080c311c10f98c85ee204b916427d604",
    "707467547fe4240019d44c5b4c4799574d4f4e6b6ee1f3f2acb6eb3cf003d344",
    "257285fbb38dcc68d6befbd2a253f7dd2700e50198551a939ec21792595cfc6c",
    "6e4ef75245001e024b44e1ef56eddbed1a65510bfe0c6468e768f105104a004d",
];
/// From FIPS 180-4's examples, and the empty message.
const EXAMPLES: [(&str, &str); 3] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ),
];

/// The entries.
pub const CASES: &[Case] = &[case!("programs::sha256", [Sha256], run, || {
    let hex = EXAMPLES.iter().map(|(_, hex)| *hex).chain(PIECES);
    let words = hex.flat_map(|hex| (0..8).map(|i| u32::from_str_radix(&hex[8 * i..8 * i + 8], 16).unwrap_or(0)));
    vec![Output::U32(words.collect())]
})];

fn run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let messages = EXAMPLES.iter().map(|(text, _)| text.as_bytes()).chain(PHOTO.chunks(PIECE));
    let (mut blocks, mut ends) = (Vec::<[u32; 16]>::new(), Vec::new());
    for message in messages {
        let mut bytes = [message, &[0x80]].concat();
        bytes.resize(bytes.len().next_multiple_of(64) + if bytes.len() % 64 > 56 { 64 } else { 0 }, 0);
        let length = bytes.len();
        bytes[length - 8..].copy_from_slice(&(message.len() as u64 * 8).to_be_bytes());
        let words = bytes.chunks(4).map(|word| word.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte)));
        let words: Vec<u32> = words.collect();
        blocks.extend(words.chunks(16).map(|block| <[u32; 16]>::try_from(block).unwrap_or_default()));
        ends.push(blocks.len() as u32);
    }
    let (blocks, ends, mut digests) =
        (mgr.tensor(&blocks)?, mgr.tensor(&ends)?, mgr.tensor(&vec![[0u32; 8]; ends.len()])?);
    let seq = mgr.sequence()?;
    Sha256::dispatch(&seq, Grid::items(digests.len()), &blocks, &ends, &mut digests)?;
    seq.eval()?;
    Ok(vec![Output::U32(digests.to_vec()?.concat())])
}

#[device]
#[rustfmt::skip]
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// The state after one more block.
#[device]
fn compress(s: [u32; 8], block: [u32; 16]) -> [u32; 8] {
    let mut w = block;
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = s;
    for (i, k) in K.into_iter().enumerate() {
        if i >= 16 {
            let (w15, w2) = (w[(i + 1) % 16], w[(i + 14) % 16]);
            let s0 = w15.rotate_right(7) ^ w15.rotate_right(18) ^ (w15 >> 3);
            let s1 = w2.rotate_right(17) ^ w2.rotate_right(19) ^ (w2 >> 10);
            w[i % 16] += s0 + w[(i + 9) % 16] + s1;
        }
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let t1 = h + s1 + ((e & f) ^ (!e & g)) + k + w[i % 16];
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e, d, c, b, a) = (g, f, e, d + t1, c, b, a, t1 + t2);
    }
    [s[0] + a, s[1] + b, s[2] + c, s[3] + d, s[4] + e, s[5] + f, s[6] + g, s[7] + h]
}

#[kernel]
fn sha256(blocks: &[[u32; 16]], ends: &[u32], digests: &mut [[u32; 8]]) {
    let i = global_id().x;
    let first = if i == 0 { 0 } else { ends[i - 1] };
    let mut state = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
    for block in first..ends[i] {
        state = compress(state, blocks[block]);
    }
    digests[i] = state;
}
