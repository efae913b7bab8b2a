//! Integers: tests of primes by powers, flights of Collatz, steps of a number-theoretic transform, nearest descriptors of bits.

use gridwise::prelude::*;

use crate::data::{bytes, words};
use crate::workload::Workload;

#[device]
fn power(mut base: u64, mut exponent: u32, modulus: u64) -> u64 {
    let mut product = 1;
    base %= modulus;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = product * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    product
}

/// Whether odd numbers are primes, by powers of four bases, which decide up to 3,215,031,751 (Miller and Rabin).
#[kernel(workgroup = [256])]
fn miller_rabin(numbers: &[u32], primes: &mut [u8]) {
    let i = global_id().x as usize;
    if i >= primes.len() {
        return;
    }
    let n = numbers[i];
    let halvings = (n - 1).trailing_zeros();
    let odd = (n - 1) >> halvings;
    let modulus = u64::from(n);
    let is_prime = [2, 3, 5, 7].into_iter().all(|base| {
        if modulus == base {
            return true;
        }
        let mut x = power(base, odd, modulus);
        if x == 1 || x == modulus - 1 {
            return true;
        }
        for _ in 1..halvings {
            x = x * x % modulus;
            if x == modulus - 1 {
                return true;
            }
        }
        false
    });
    primes[i] = u8::from(is_prime);
}

const MILLER_RABIN: &str = r"
DEVICE uint64_t power(uint64_t base, uint exponent, uint64_t modulus) {
    uint64_t product = uint64_t(1u);
    base %= modulus;
    while (exponent > 0u) {
        if ((exponent & 1u) == 1u) product = product * base % modulus;
        base = base * base % modulus;
        exponent >>= 1;
    }
    return product;
}
DEVICE bool passes(uint64_t base, uint odd, uint halvings, uint64_t modulus) {
    if (modulus == base) return true;
    uint64_t x = power(base, odd, modulus);
    if (x == uint64_t(1u) || x == modulus - uint64_t(1u)) return true;
    for (uint k = 1u; k < halvings; k++) {
        x = x * x % modulus;
        if (x == modulus - uint64_t(1u)) return true;
    }
    return false;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint n = numbers[i];
    uint halvings = ZEROS(n - 1u);
    uint odd = (n - 1u) >> halvings;
    uint64_t modulus = uint64_t(n);
    bool is_prime = passes(uint64_t(2u), odd, halvings, modulus) && passes(uint64_t(3u), odd, halvings, modulus)
        && passes(uint64_t(5u), odd, halvings, modulus) && passes(uint64_t(7u), odd, halvings, modulus);
    primes[i] = uint8_t(is_prime ? 1u : 0u);
}
";

/// The steps to 1 and the highest number on the way.
#[kernel(workgroup = [256])]
fn collatz(first: u32, steps: &mut [u32], highest: &mut [u64]) {
    let i = global_id().x as usize;
    if i >= steps.len() || i >= highest.len() {
        return;
    }
    let mut n = u64::from(first) + i as u64;
    let mut top = n;
    let mut count = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        top = top.max(n);
        count += 1;
    }
    steps[i] = count;
    highest[i] = top;
}

const COLLATZ: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint64_t n = uint64_t(first) + uint64_t(i), top = n;
    uint count = 0u;
    while (n != uint64_t(1u)) {
        n = n % uint64_t(2u) == uint64_t(0u) ? n / uint64_t(2u) : uint64_t(3u) * n + uint64_t(1u);
        top = top < n ? n : top;
        count++;
    }
    steps[i] = count;
    highest[i] = top;
}
";

#[device]
const PRIME: u32 = 998_244_353;

/// One step of a transform modulo a prime: sums and turned differences of pairs.
#[kernel(workgroup = [256])]
fn butterflies(half: u32, roots: &[u32], values: &mut [u32]) {
    let i = global_id().x;
    if i as usize >= values.len() / 2 {
        return;
    }
    let (block, place) = (i / half, i % half);
    let low = (2 * half * block + place) as usize;
    let high = low + half as usize;
    let multiplied = |a: u32, b: u32| (u64::from(a) * u64::from(b) % u64::from(PRIME)) as u32;
    let (a, b) = (values[low], multiplied(values[high], roots[(half + place) as usize]));
    values[low] = (a + b) % PRIME;
    values[high] = (a + PRIME - b) % PRIME;
}

const BUTTERFLIES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint block = i / half_, place = i % half_;
    uint low = 2u * half_ * block + place, high = low + half_;
    uint p = values[low];
    uint q = uint(uint64_t(values[high]) * uint64_t(roots[half_ + place]) % uint64_t(998244353u));
    values[low] = (p + q) % 998244353u;
    values[high] = (p + 998244353u - q) % 998244353u;
}
";

/// The nearest descriptor by differing bits, if it is clearly nearer than the second.
#[kernel(workgroup = [128])]
fn nearest_bits(queries: &[[u64; 4]], known: &[[u64; 4]], nearest: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(query) = queries.get(i) else { return };
    let mut best = (u32::MAX, 0);
    let mut second = u32::MAX;
    for (place, candidate) in known.iter().enumerate() {
        let distance: u32 = query.iter().zip(candidate).map(|(a, b)| (a ^ b).count_ones()).sum();
        if distance < best.0 {
            second = best.0;
            best = (distance, place as u32);
        } else {
            second = second.min(distance);
        }
    }
    nearest[i] = if 10 * best.0 < 9 * second { best.1 } else { u32::MAX };
}

const NEAREST_BITS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    u64x4 query = queries[i];
    uint best = 0xffffffffu, place = 0u, second = 0xffffffffu;
    for (uint k = 0u; k < known_len; k++) {
        uint distance_ = 0u;
        for (int w = 0; w < 4; w++) distance_ += ONES(query.v[w] ^ known[k].v[w]);
        if (distance_ < best) {
            second = best;
            best = distance_;
            place = k;
        } else {
            second = min(second, distance_);
        }
    }
    nearest[i] = 10u * best < 9u * second ? place : 0xffffffffu;
}
";

/// Counts of bits, which GLSL has of words only.
const BITS: &str = r"
#ifdef __CUDACC__
#define ZEROS(x) (__ffs(x) - 1)
#define ONES(x) (__popc(uint(x)) + __popc(uint((x) >> 32)))
#else
#define ZEROS(x) findLSB(x)
#define ONES(x) (bitCount(uint(x)) + bitCount(uint((x) >> 32)))
#endif
";

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 12 };
    let known = if large { 1000 } else { 50 };
    let odd = |word: u32| 9 + 2 * (word % 1_500_000_000);
    let residues = |len: usize| words(len).into_iter().map(|word| word % PRIME).collect::<Vec<_>>();
    let descriptors = |len: usize, skipped: usize| -> Vec<[u64; 4]> {
        let bytes = bytes(32 * len + skipped);
        let words: Vec<u64> = bytes[skipped..].as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        words.as_chunks().0.to_vec()
    };
    vec![
        Workload::new::<MillerRabin>("tests of primes", [n / 4 / 256, 1, 1], MILLER_RABIN)
            .with_helper(BITS)
            .peer_value("len", (n / 4) as u32)
            .read("numbers", words(n / 4).into_iter().map(odd).collect())
            .write::<u8>("primes", n / 4),
        Workload::new::<Collatz>("flights of Collatz", [n / 256, 1, 1], COLLATZ)
            .peer_value("len", n as u32)
            .value("first", 1_000_000)
            .write::<u32>("steps", n)
            .write::<u64>("highest", n),
        Workload::new::<Butterflies>("transform modulo a prime", [2 * n / 256, 1, 1], BUTTERFLIES)
            .peer_value("len", 2 * n as u32)
            .value("half_", 512)
            .read("roots", residues(1024))
            .update("values", residues(4 * n)),
        Workload::new::<NearestBits>("nearest descriptors", [n / 16 / 128, 1, 1], NEAREST_BITS)
            .with_helper(BITS)
            .peer_value("len", (n / 16) as u32)
            .peer_value("known_len", known)
            .read("queries", descriptors(n / 16, 0))
            .read("known", descriptors(known as usize, 8))
            .write::<u32>("nearest", n / 16),
    ]
}
