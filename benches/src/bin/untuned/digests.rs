//! Digests and checks: Keccak, hashes of rows by words of 64 bits, syndromes of Reed and Solomon, primes.

use gridwise::prelude::*;

use crate::data::{bytes, words};
use crate::workload::Workload;

#[device]
const ROUNDS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];
#[device]
const LANES: [usize; 24] = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];
#[device]
const TURNS: [u32; 24] = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];

#[device]
fn permute(state: &mut [u64; 25]) {
    for round in ROUNDS {
        let columns: [u64; 5] = std::array::from_fn(|x| (0..5).fold(0, |sum, y| sum ^ state[5 * y + x]));
        for x in 0..5 {
            let change = columns[(x + 4) % 5] ^ columns[(x + 1) % 5].rotate_left(1);
            state.iter_mut().skip(x).step_by(5).for_each(|lane| *lane ^= change);
        }
        let mut last = state[1];
        for (lane, by) in LANES.into_iter().zip(TURNS) {
            last = std::mem::replace(&mut state[lane], last.rotate_left(by));
        }
        for row in state.chunks_exact_mut(5) {
            let old = [row[0], row[1], row[2], row[3], row[4]];
            for x in 0..5 {
                row[x] = old[x] ^ (!old[(x + 1) % 5] & old[(x + 2) % 5]);
            }
        }
        state[0] ^= round;
    }
}

/// SHA3-256 of messages of 64 bytes.
#[kernel(workgroup = [128])]
fn keccak(messages: &[u64], digests: &mut [u64]) {
    let i = global_id().x as usize;
    let Some(message) = messages.chunks_exact(8).nth(i) else { return };
    let mut state = [0u64; 25];
    state[..8].copy_from_slice(message);
    state[8] ^= 0x06;
    state[16] ^= 1 << 63;
    permute(&mut state);
    digests[4 * i..4 * i + 4].copy_from_slice(&state[..4]);
}

const KECCAK: &str = r"
TABLE uint64_t ROUNDS[24] = {
    0x0000000000000001ul, 0x0000000000008082ul, 0x800000000000808aul, 0x8000000080008000ul, 0x000000000000808bul,
    0x0000000080000001ul, 0x8000000080008081ul, 0x8000000000008009ul, 0x000000000000008aul, 0x0000000000000088ul,
    0x0000000080008009ul, 0x000000008000000aul, 0x000000008000808bul, 0x800000000000008bul, 0x8000000000008089ul,
    0x8000000000008003ul, 0x8000000000008002ul, 0x8000000000000080ul, 0x000000000000800aul, 0x800000008000000aul,
    0x8000000080008081ul, 0x8000000000008080ul, 0x0000000080000001ul, 0x8000000080008008ul
};
TABLE uint LANES[24] = {
    10u, 7u, 11u, 17u, 18u, 3u, 5u, 16u, 8u, 21u, 24u, 4u, 15u, 23u, 19u, 13u, 12u, 2u, 20u, 14u, 22u, 9u, 6u, 1u
};
TABLE uint TURNS[24] = {
    1u, 3u, 6u, 10u, 15u, 21u, 28u, 36u, 45u, 55u, 2u, 14u, 27u, 41u, 56u, 8u, 25u, 43u, 62u, 18u, 39u, 61u, 20u, 44u
};
DEVICE uint64_t turn(uint64_t x, uint by) { return x << by | x >> (64u - by); }
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint64_t state[25];
    for (uint k = 0u; k < 25u; k++) state[k] = k < 8u ? messages[8u * i + k] : uint64_t(0);
    state[8] ^= uint64_t(6);
    state[16] ^= uint64_t(1) << 63;
    for (uint n = 0u; n < 24u; n++) {
        uint64_t columns[5];
        for (uint x = 0u; x < 5u; x++)
            columns[x] = state[x] ^ state[x + 5u] ^ state[x + 10u] ^ state[x + 15u] ^ state[x + 20u];
        for (uint x = 0u; x < 5u; x++) {
            uint64_t change = columns[(x + 4u) % 5u] ^ turn(columns[(x + 1u) % 5u], 1u);
            for (uint y = 0u; y < 5u; y++) state[5u * y + x] ^= change;
        }
        uint64_t last = state[1];
        for (uint k = 0u; k < 24u; k++) {
            uint64_t old = state[LANES[k]];
            state[LANES[k]] = turn(last, TURNS[k]);
            last = old;
        }
        for (uint y = 0u; y < 25u; y += 5u) {
            uint64_t old[5];
            for (uint x = 0u; x < 5u; x++) old[x] = state[y + x];
            for (uint x = 0u; x < 5u; x++) state[y + x] = old[x] ^ (~old[(x + 1u) % 5u] & old[(x + 2u) % 5u]);
        }
        state[0] ^= ROUNDS[n];
    }
    for (uint k = 0u; k < 4u; k++) digests[4u * i + k] = state[k];
}
";

#[device]
const P: [u64; 5] =
    [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63, 0x27d4_eb2f_1656_67c5];

#[device]
fn stirred(sum: u64, word: u64) -> u64 {
    sum.wrapping_add(word.wrapping_mul(P[1])).rotate_left(31).wrapping_mul(P[0])
}

/// xxHash64 of rows whose length is a multiple of 32 bytes.
#[kernel(workgroup = [128])]
fn row_hashes(size: u32, rows: &[u8], hashes: &mut [u64]) {
    let i = global_id().x as usize;
    if i >= hashes.len() {
        return;
    }
    let row = &rows[i * size as usize..][..size as usize];
    let mut sums = [P[0].wrapping_add(P[1]), P[1], 0, P[0].wrapping_neg()];
    for stripe in row.chunks_exact(32) {
        for (sum, word) in sums.iter_mut().zip(stripe.chunks_exact(8)) {
            *sum = stirred(*sum, u64::from_le_bytes(word.try_into().unwrap()));
        }
    }
    let [a, b, c, d] = sums;
    let mut hash = a.rotate_left(1).wrapping_add(b.rotate_left(7)).wrapping_add(c.rotate_left(12));
    hash = hash.wrapping_add(d.rotate_left(18));
    for sum in sums {
        hash = (hash ^ stirred(0, sum)).wrapping_mul(P[0]).wrapping_add(P[3]);
    }
    hash = hash.wrapping_add(u64::from(size));
    hash = (hash ^ hash >> 33).wrapping_mul(P[1]);
    hash = (hash ^ hash >> 29).wrapping_mul(P[2]);
    hashes[i] = hash ^ hash >> 32;
}

const ROW_HASHES: &str = r"
#ifdef __CUDACC__
#define WORD(at) (*(const uint64_t *)(rows + (at)))
#else
uint64_t word_at(uint at) {
    uint64_t word = uint64_t(0);
    for (uint k = 0u; k < 8u; k++) word |= uint64_t(rows[at + k]) << (8u * k);
    return word;
}
#define WORD(at) word_at(at)
#endif
#define P0 0x9e3779b185ebca87ul
#define P1 0xc2b2ae3d27d4eb4ful
#define P2 0x165667b19e3779f9ul
#define P3 0x85ebca77c2b2ae63ul
DEVICE uint64_t turn(uint64_t x, uint by) { return x << by | x >> (64u - by); }
DEVICE uint64_t stirred(uint64_t sum, uint64_t word) { return turn(sum + word * P1, 31u) * P0; }
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint64_t sums[4];
    sums[0] = P0 + P1; sums[1] = P1; sums[2] = uint64_t(0); sums[3] = uint64_t(0) - P0;
    for (uint at = i * size; at < (i + 1u) * size; at += 32u)
        for (uint k = 0u; k < 4u; k++) sums[k] = stirred(sums[k], WORD(at + 8u * k));
    uint64_t hash = turn(sums[0], 1u) + turn(sums[1], 7u) + turn(sums[2], 12u) + turn(sums[3], 18u);
    for (uint k = 0u; k < 4u; k++) hash = (hash ^ stirred(uint64_t(0), sums[k])) * P0 + P3;
    hash += uint64_t(size);
    hash = (hash ^ hash >> 33) * P1;
    hash = (hash ^ hash >> 29) * P2;
    hashes[i] = hash ^ hash >> 32;
}
";

#[device]
mod galois {
    /// The field of 256 elements, by the powers of its generator and their inverses.
    #[derive(Clone, Copy)]
    pub(crate) struct Field<'a> {
        pub(crate) powers: &'a [u8],
        pub(crate) logarithms: &'a [u8],
    }

    impl Field<'_> {
        pub(crate) fn times(&self, a: u8, b: u8) -> u8 {
            if a == 0 || b == 0 {
                return 0;
            }
            let sum = usize::from(self.logarithms[usize::from(a)]) + usize::from(self.logarithms[usize::from(b)]);
            self.powers[sum % 255]
        }
    }
}

use galois::Field;

/// The 16 syndromes of code words with 255 bytes (Reed and Solomon).
#[kernel(workgroup = [16, 16])]
fn syndromes(powers: &[u8], logarithms: &[u8], codes: &[u8], syndromes: &mut [u8]) {
    let mut near_powers = Shared::<[u8; 256]>::new();
    let mut near_logarithms = Shared::<[u8; 256]>::new();
    let local = (local_id().y * 16 + local_id().x) as usize;
    near_powers[local] = powers[local];
    near_logarithms[local] = logarithms[local];
    barrier();
    let field = Field { powers: &near_powers[..], logarithms: &near_logarithms[..] };
    let (which, code) = (global_id().x as usize, global_id().y as usize);
    let root = field.powers[which];
    let word = &codes[255 * code..255 * (code + 1)];
    syndromes[16 * code + which] = word.iter().fold(0, |sum, byte| field.times(sum, root) ^ byte);
}

const SYNDROMES: &str = r"
SHARED uint8_t near_powers[256];
SHARED uint8_t near_logarithms[256];
DEVICE uint times(uint a, uint b) {
    if (a == 0u || b == 0u) return 0u;
    return uint(near_powers[(uint(near_logarithms[a]) + uint(near_logarithms[b])) % 255u]);
}
KERNEL {
    uint local = LOCAL_Y * 16u + LOCAL_X;
    near_powers[local] = powers[local];
    near_logarithms[local] = logarithms[local];
    BARRIER;
    uint which = GLOBAL_X, code = GLOBAL_Y;
    uint root = uint(near_powers[which]);
    uint sum = 0u;
    for (uint k = 0u; k < 255u; k++) sum = times(sum, root) ^ uint(codes[255u * code + k]);
    syndromes[16u * code + which] = uint8_t(sum);
}
";

#[device]
fn power(base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let (mut base, mut result) = (base % modulus, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    result
}

#[device]
fn is_prime(n: u32) -> bool {
    match n {
        0 | 1 => return false,
        2 | 7 | 61 => return true,
        _ if n % 2 == 0 => return false,
        _ => {}
    }
    let n = u64::from(n);
    let twos = (n - 1).trailing_zeros();
    [2, 7, 61].iter().all(|&base| {
        let first = power(base, (n - 1) >> twos, n);
        let squares = (0..twos).scan(first, |x, _| {
            let now = *x;
            *x = now * now % n;
            Some(now)
        });
        first == 1 || squares.into_iter().any(|x| x == n - 1)
    })
}

/// Numbers of primes in ranges (Miller and Rabin).
#[kernel(workgroup = [128])]
fn primes(first: u32, size: u32, counts: &mut [u32]) {
    let i = global_id().x;
    let start = first + i * size;
    counts[i as usize] = (start..start + size).filter(|&n| is_prime(n)).count() as u32;
}

const PRIMES: &str = r"
DEVICE uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus) {
    uint64_t result = uint64_t(1);
    base %= modulus;
    while (exponent > uint64_t(0)) {
        if ((exponent & uint64_t(1)) == uint64_t(1)) result = result * base % modulus;
        base = base * base % modulus;
        exponent >>= 1;
    }
    return result;
}
DEVICE bool passes(uint n, uint base) {
    uint twos = 0u, odd = n - 1u;
    while ((odd & 1u) == 0u) { odd >>= 1; twos++; }
    uint64_t x = power(uint64_t(base), uint64_t(odd), uint64_t(n));
    if (x == uint64_t(1)) return true;
    for (uint k = 0u; k < twos; k++) {
        if (x == uint64_t(n - 1u)) return true;
        x = x * x % uint64_t(n);
    }
    return false;
}
DEVICE bool is_prime(uint n) {
    if (n < 2u) return false;
    if (n == 2u || n == 7u || n == 61u) return true;
    if (n % 2u == 0u) return false;
    return passes(n, 2u) && passes(n, 7u) && passes(n, 61u);
}
KERNEL {
    uint i = GLOBAL_X;
    uint start = first + i * size;
    uint count = 0u;
    for (uint n = start; n < start + size; n++) if (is_prime(n)) count++;
    counts[i] = count;
}
";

/// The powers of the generator of 256 elements, and logarithms.
fn powers() -> (Vec<u8>, Vec<u8>) {
    let (mut powers, mut logarithms) = (vec![0u8; 256], vec![0u8; 256]);
    let mut power = 1u32;
    for (exponent, slot) in powers.iter_mut().take(255).enumerate() {
        *slot = power as u8;
        logarithms[power as usize] = exponent as u8;
        power = if power & 0x80 == 0 { power << 1 } else { power << 1 ^ 0x11d };
    }
    (powers, logarithms)
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 10 };
    let (powers, logarithms) = powers();
    let messages = words(16 * n / 4).as_chunks().0.iter().map(|&[a, b]| u64::from(a) << 32 | u64::from(b)).collect();
    vec![
        Workload::new::<Keccak>("Keccak", [n / 4 / 128, 1, 1], KECCAK)
            .peer_value("len", n as u32 / 4)
            .read::<u64>("messages", messages)
            .write::<u64>("digests", n),
        Workload::new::<RowHashes>("hashes of rows", [n / 8 / 128, 1, 1], ROW_HASHES)
            .value("size", 256)
            .peer_value("len", n as u32 / 8)
            .read("rows", bytes(n / 8 * 256))
            .write::<u64>("hashes", n / 8),
        Workload::new::<Syndromes>("syndromes", [1, n / 64 / 16, 1], SYNDROMES)
            .read("powers", powers)
            .read("logarithms", logarithms)
            .read("codes", bytes(n / 64 * 255))
            .write::<u8>("syndromes", n / 64 * 16),
        Workload::new::<Primes>("primes", [n / 8 / 128, 1, 1], PRIMES)
            .value("first", 1_000_000_000)
            .value("size", 4)
            .write::<u32>("counts", n / 8),
    ]
}
