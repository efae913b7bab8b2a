//! Archives: blocks of LZ4, hashes of names by secret keys, tags of messages.

use gridwise::prelude::*;

use crate::data::{bytes, words};
use crate::workload::Workload;

/// The bytes of a block when it is unpacked.
const UNPACKED: usize = 1024;

/// A length of a sequence: four bits, and bytes that add to it.
#[device]
fn length(packed: &[u8], at: &mut usize, bits: u8) -> usize {
    let mut len = usize::from(bits);
    if len == 15 {
        loop {
            let more = packed[*at];
            *at += 1;
            len += usize::from(more);
            if more != 255 {
                break;
            }
        }
    }
    len
}

/// Unpacks blocks ("LZ4 Block Format Description", Yann Collet).
#[kernel(workgroup = [64])]
fn lz4(starts: &[u32], packed: &[u8], unpacked: &mut [u8]) {
    let i = global_id().x as usize;
    let Some(out) = unpacked.chunks_exact_mut(1024).nth(i) else { return };
    let packed = &packed[starts[i] as usize..starts[i + 1] as usize];
    let (mut at, mut written) = (0, 0);
    while at < packed.len() {
        let token = packed[at];
        at += 1;
        let literals = length(packed, &mut at, token >> 4);
        for &byte in &packed[at..at + literals] {
            out[written] = byte;
            written += 1;
        }
        at += literals;
        if at >= packed.len() {
            break;
        }
        let offset = usize::from(u16::from_le_bytes([packed[at], packed[at + 1]]));
        at += 2;
        let len = 4 + length(packed, &mut at, token & 15);
        for _ in 0..len {
            out[written] = out[written - offset];
            written += 1;
        }
    }
}

const LZ4: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint at = starts[i], end = starts[i + 1u], written = 1024u * i;
    while (at < end) {
        uint token = uint(packed_[at++]);
        uint literals = token >> 4;
        if (literals == 15u) {
            uint more = 255u;
            while (more == 255u) {
                more = uint(packed_[at++]);
                literals += more;
            }
        }
        for (uint k = 0u; k < literals; k++) unpacked[written++] = packed_[at++];
        if (at >= end) break;
        uint offset_ = uint(packed_[at]) | uint(packed_[at + 1u]) << 8;
        at += 2u;
        uint same = token & 15u;
        if (same == 15u) {
            uint more = 255u;
            while (more == 255u) {
                more = uint(packed_[at++]);
                same += more;
            }
        }
        same += 4u;
        for (uint k = 0u; k < same; k++) {
            unpacked[written] = unpacked[written - offset_];
            written++;
        }
    }
}
";

#[device]
mod sip {
    /// SipHash-2-4 (Aumasson and Bernstein, 2012).
    pub(crate) struct Sip {
        v: [u64; 4],
    }

    impl Sip {
        pub(crate) fn new(key: [u64; 2]) -> Self {
            Self {
                v: [
                    key[0] ^ 0x736f_6d65_7073_6575,
                    key[1] ^ 0x646f_7261_6e64_6f6d,
                    key[0] ^ 0x6c79_6765_6e65_7261,
                    key[1] ^ 0x7465_6462_7974_6573,
                ],
            }
        }

        fn round(&mut self) {
            let [a, b, c, d] = &mut self.v;
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
            self.v[3] ^= word;
            self.round();
            self.round();
            self.v[0] ^= word;
        }

        pub(crate) fn finish(mut self) -> u64 {
            self.v[2] ^= 0xff;
            for _ in 0..4 {
                self.round();
            }
            self.v.iter().fold(0, |all, word| all ^ word)
        }
    }
}

use sip::Sip;

/// Hashes of names by a secret key.
#[kernel(workgroup = [128])]
fn sip_hashes(key: &[u64], starts: &[u32], text: &[u8], hashes: &mut [u64]) {
    let i = global_id().x as usize;
    let Some(hash) = hashes.get_mut(i) else { return };
    let name = &text[starts[i] as usize..starts[i + 1] as usize];
    let mut sip = Sip::new([key[0], key[1]]);
    let chunks = name.chunks_exact(8);
    let rest = chunks.remainder();
    for chunk in chunks {
        sip.write(u64::from_le_bytes(chunk.try_into().unwrap()));
    }
    let mut last = (name.len() as u64) << 56;
    for (k, &byte) in rest.iter().enumerate() {
        last |= u64::from(byte) << (8 * k);
    }
    sip.write(last);
    *hash = sip.finish();
}

const SIP_HASHES: &str = r"
struct Sip { uint64_t a, b, c, d; };
#define TURNED(x, bits) ((x) << (bits) | (x) >> (64 - (bits)))
DEVICE void turn(INOUT(Sip) s) {
    s.a += s.b;
    s.b = TURNED(s.b, 13) ^ s.a;
    s.a = TURNED(s.a, 32);
    s.c += s.d;
    s.d = TURNED(s.d, 16) ^ s.c;
    s.a += s.d;
    s.d = TURNED(s.d, 21) ^ s.a;
    s.c += s.b;
    s.b = TURNED(s.b, 17) ^ s.c;
    s.c = TURNED(s.c, 32);
}
DEVICE void write_(INOUT(Sip) s, uint64_t word) {
    s.d ^= word;
    turn(s);
    turn(s);
    s.a ^= word;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint start = starts[i], end = starts[i + 1u];
    Sip s;
    s.a = key[0] ^ 0x736f6d6570736575ul;
    s.b = key[1] ^ 0x646f72616e646f6dul;
    s.c = key[0] ^ 0x6c7967656e657261ul;
    s.d = key[1] ^ 0x7465646279746573ul;
    uint at = start;
    for (; at + 8u <= end; at += 8u) {
        uint64_t word = uint64_t(0u);
        for (int k = 0; k < 8; k++) word |= uint64_t(text[at + uint(k)]) << (8 * k);
        write_(s, word);
    }
    uint64_t last = uint64_t(end - start) << 56;
    for (int k = 0; at < end; k++, at++) last |= uint64_t(text[at]) << (8 * k);
    write_(s, last);
    s.c ^= uint64_t(0xffu);
    for (int k = 0; k < 4; k++) turn(s);
    hashes[i] = s.a ^ s.b ^ s.c ^ s.d;
}
";

/// Tags of messages of 256 bytes, each by a key of its own: Poly1305 in five limbs of 26 bits (RFC 8439; Andrew Moon's poly1305-donna).
#[kernel(workgroup = [64])]
fn poly1305(keys: &[[u32; 8]], messages: &[u8], tags: &mut [[u32; 4]]) {
    const LIMB: u32 = 0x3ff_ffff;
    let i = global_id().x as usize;
    let (Some(key), Some(tag)) = (keys.get(i), tags.get_mut(i)) else { return };
    // Limbs of 26 bits of four words.
    let limbs = |w: [u32; 4]| {
        [
            w[0] & LIMB,
            (w[0] >> 26 | w[1] << 6) & LIMB,
            (w[1] >> 20 | w[2] << 12) & LIMB,
            (w[2] >> 14 | w[3] << 18) & LIMB,
            w[3] >> 8,
        ]
    };
    let r = limbs([key[0] & 0x0fff_ffff, key[1] & 0x0fff_fffc, key[2] & 0x0fff_fffc, key[3] & 0x0fff_fffc]);
    let mut h = [0u32; 5];
    for block in messages[256 * i..256 * (i + 1)].chunks_exact(16) {
        let words: [u32; 4] = std::array::from_fn(|k| {
            let bytes = &block[4 * k..4 * k + 4];
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        });
        let mut added = limbs(words);
        added[4] |= 1 << 24;
        for (limb, more) in h.iter_mut().zip(added) {
            *limb += more;
        }
        let mut products = [0u64; 5];
        for (k, product) in products.iter_mut().enumerate() {
            for j in 0..5 {
                let factor = if j <= k { r[k - j] } else { 5 * r[5 + k - j] };
                *product += u64::from(h[j]) * u64::from(factor);
            }
        }
        let mut carry = 0;
        for (limb, product) in h.iter_mut().zip(products) {
            let sum = product + carry;
            *limb = sum as u32 & LIMB;
            carry = sum >> 26;
        }
        let sum = u64::from(h[0]) + 5 * carry;
        h[0] = sum as u32 & LIMB;
        h[1] += (sum >> 26) as u32;
    }
    let mut carry = 0;
    for k in [1, 2, 3, 4, 0, 1] {
        h[k] += if k == 0 { 5 * carry } else { carry };
        carry = h[k] >> 26;
        h[k] &= LIMB;
    }
    h[2] += carry;
    // What is left when the prime is taken away, unless that is negative.
    let mut less = h;
    let mut carry = 5;
    for limb in &mut less {
        *limb += carry;
        carry = *limb >> 26;
        *limb &= LIMB;
    }
    let h = if carry > 0 { less } else { h };
    let value = h.iter().rev().fold(0u128, |value, &limb| value << 26 | u128::from(limb));
    let pad = key[4..].iter().rev().fold(0u128, |value, &word| value << 32 | u128::from(word));
    let sum = value.wrapping_add(pad);
    *tag = [sum as u32, (sum >> 32) as u32, (sum >> 64) as u32, (sum >> 96) as u32];
}

const POLY1305: &str = r"
struct Limbs { uint v[5]; };
DEVICE Limbs limbs(uint a, uint b, uint c, uint d) {
    Limbs all;
    all.v[0] = a & 0x3ffffffu;
    all.v[1] = (a >> 26 | b << 6) & 0x3ffffffu;
    all.v[2] = (b >> 20 | c << 12) & 0x3ffffffu;
    all.v[3] = (c >> 14 | d << 18) & 0x3ffffffu;
    all.v[4] = d >> 8;
    return all;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    Limbs r = limbs(keys[i].v[0] & 0xfffffffu, keys[i].v[1] & 0xffffffcu, keys[i].v[2] & 0xffffffcu,
        keys[i].v[3] & 0xffffffcu);
    uint h[5];
    for (int k = 0; k < 5; k++) h[k] = 0u;
    for (uint block = 0u; block < 16u; block++) {
        uint words[4];
        for (uint k = 0u; k < 4u; k++) {
            uint at = 256u * i + 16u * block + 4u * k;
            words[k] = uint(messages[at]) | uint(messages[at + 1u]) << 8 | uint(messages[at + 2u]) << 16
                | uint(messages[at + 3u]) << 24;
        }
        Limbs added = limbs(words[0], words[1], words[2], words[3]);
        added.v[4] |= 1u << 24;
        for (int k = 0; k < 5; k++) h[k] += added.v[k];
        uint64_t products[5];
        for (int k = 0; k < 5; k++) {
            products[k] = uint64_t(0u);
            for (int j = 0; j < 5; j++) {
                uint factor = j <= k ? r.v[k - j] : 5u * r.v[5 + k - j];
                products[k] += uint64_t(h[j]) * uint64_t(factor);
            }
        }
        uint64_t carry = uint64_t(0u);
        for (int k = 0; k < 5; k++) {
            uint64_t sum = products[k] + carry;
            h[k] = uint(sum) & 0x3ffffffu;
            carry = sum >> 26;
        }
        uint64_t sum = uint64_t(h[0]) + uint64_t(5u) * carry;
        h[0] = uint(sum) & 0x3ffffffu;
        h[1] += uint(sum >> 26);
    }
    uint carry = 0u;
    for (int n = 1; n < 7; n++) {
        int k = n % 5;
        h[k] += k == 0 ? 5u * carry : carry;
        carry = h[k] >> 26;
        h[k] &= 0x3ffffffu;
    }
    h[2] += carry;
    uint less[5];
    carry = 5u;
    for (int k = 0; k < 5; k++) {
        less[k] = h[k] + carry;
        carry = less[k] >> 26;
        less[k] &= 0x3ffffffu;
    }
    if (carry > 0u) for (int k = 0; k < 5; k++) h[k] = less[k];
    uint value[4];
    value[0] = h[0] | h[1] << 26;
    value[1] = h[1] >> 6 | h[2] << 20;
    value[2] = h[2] >> 12 | h[3] << 14;
    value[3] = h[3] >> 18 | h[4] << 8;
    uint64_t sum = uint64_t(0u);
    for (int k = 0; k < 4; k++) {
        sum += uint64_t(value[k]) + uint64_t(keys[i].v[4 + k]);
        tags[i].v[k] = uint(sum);
        sum >>= 32;
    }
}
";

/// Packs a block: four bytes that were there before are taken from the last place with their hash.
fn pack(block: &[u8], packed: &mut Vec<u8>) {
    let more = |packed: &mut Vec<u8>, len: usize| {
        if len >= 15 {
            packed.extend(std::iter::repeat_n(255, (len - 15) / 255));
            packed.push(((len - 15) % 255) as u8);
        }
    };
    let mut last = [usize::MAX; 1024];
    let (mut at, mut start) = (0, 0);
    // The format ends with literals.
    while at + 12 < block.len() {
        let four = [block[at], block[at + 1], block[at + 2], block[at + 3]];
        let place = &mut last[(u32::from_le_bytes(four).wrapping_mul(2_654_435_761) >> 22) as usize];
        let before = std::mem::replace(place, at);
        if before == usize::MAX || block[before..before + 4] != four {
            at += 1;
            continue;
        }
        let back = at - before;
        let most = block.len() - 5 - at;
        let len = (0..most).take_while(|k| block[at + k] == block[at - back + k]).count();
        packed.push((((at - start).min(15) << 4) | (len - 4).min(15)) as u8);
        more(packed, at - start);
        packed.extend(&block[start..at]);
        packed.extend((back as u16).to_le_bytes());
        more(packed, len - 4);
        at += len;
        start = at;
    }
    packed.push(((block.len() - start).min(15) << 4) as u8);
    more(packed, block.len() - start);
    packed.extend(&block[start..]);
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 12 };
    // Words of a small vocabulary, with numbers between them.
    let blocks = n / 64;
    let vocabulary: Vec<Vec<u8>> =
        bytes(64 * 8).chunks(8).map(|word| word[..3 + word[0] as usize % 6].to_vec()).collect();
    let picks = words(blocks * UNPACKED / 4);
    let mut picks = picks.into_iter().cycle().map(|pick| &vocabulary[(pick % 64 * (pick / 64 % 64) / 64) as usize]);
    let (mut starts, mut packed) = (vec![0], Vec::new());
    for _ in 0..blocks {
        let mut block = Vec::new();
        while block.len() < UNPACKED {
            block.extend(picks.next().into_iter().flatten());
        }
        pack(&block[..UNPACKED], &mut packed);
        starts.push(packed.len() as u32);
    }
    let lens = words(n).into_iter().map(|word| 3 + word % 40);
    let names: Vec<u32> = std::iter::once(0)
        .chain(lens.scan(0, |sum, len| {
            *sum += len;
            Some(*sum)
        }))
        .collect();
    let messages = n / 16;
    vec![
        Workload::new::<Lz4>("blocks of LZ4", [blocks / 64, 1, 1], LZ4)
            .peer_value("len", blocks as u32)
            .read("starts", starts)
            .read("packed_", packed)
            .write::<u8>("unpacked", blocks * UNPACKED),
        Workload::new::<SipHashes>("hashes by a secret", [n / 128, 1, 1], SIP_HASHES)
            .peer_value("len", n as u32)
            .read("key", vec![0x0706_0504_0302_0100_u64, 0x0f0e_0d0c_0b0a_0908])
            .read("starts", names.clone())
            .read("text", bytes(names[n] as usize))
            .write::<u64>("hashes", n),
        Workload::new::<Poly1305>("tags of messages", [messages / 64, 1, 1], POLY1305)
            .peer_value("len", messages as u32)
            .read::<[u32; 8]>("keys", words(8 * messages).as_chunks().0.to_vec())
            .read("messages", bytes(256 * messages))
            .write::<[u32; 4]>("tags", messages),
    ]
}
