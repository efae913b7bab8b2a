//! Work that the invocations of a workgroup do together: blocks without gaps, Fourier transforms, knapsacks; and a search upwards by sets of bits.

use std::sync::atomic::Ordering;

use gridwise::prelude::*;

use crate::complex::Complex;
use crate::data::{bytes, floats, words};
use crate::workload::Workload;

/// Moves the numbers above a threshold to the front of each block of 256, and counts them.
#[kernel(workgroup = [256])]
fn compact(threshold: f32, x: &[f32], lens: &mut [u32], blocks: &mut [f32]) {
    let mut counts = Shared::<[u32; 256]>::new();
    let block = workgroup_id().x as usize;
    let value = x.get(global_id().x as usize).copied().filter(|value| *value > threshold);
    let before = subgroup::exclusive_add(u32::from(value.is_some()));
    let total = subgroup::add(u32::from(value.is_some()));
    if subgroup::elect() {
        counts[subgroup_id() as usize] = total;
    }
    barrier();
    let counts = &counts[..num_subgroups() as usize];
    if let Some(value) = value {
        let others: u32 = counts[..subgroup_id() as usize].iter().sum();
        // SAFETY: each number before has a place of its own, so the places of a block differ.
        unsafe { blocks.unordered()[256 * block + (others + before) as usize] = value };
    }
    if local_id().x == 0 {
        lens[block] = counts.iter().sum();
    }
}

const COMPACT: &str = r"
#ifdef __CUDACC__
#define LANE (threadIdx.x % 32u)
#define WARP (threadIdx.x / 32u)
#define WARPS (blockDim.x / 32u)
__device__ __forceinline__ uint before_of(bool is_kept) {
    return __popc(__ballot_sync(0xffffffffu, is_kept) & ((1u << LANE) - 1u));
}
__device__ __forceinline__ uint total_of(bool is_kept) { return __popc(__ballot_sync(0xffffffffu, is_kept)); }
#else
#define LANE gl_SubgroupInvocationID
#define WARP gl_SubgroupID
#define WARPS gl_NumSubgroups
uint before_of(bool is_kept) { return subgroupExclusiveAdd(is_kept ? 1u : 0u); }
uint total_of(bool is_kept) { return subgroupAdd(is_kept ? 1u : 0u); }
#endif
SHARED uint counts[256];
KERNEL {
    uint i = GLOBAL_X;
    float value = i < len ? x[i] : 0.0f;
    bool is_kept = i < len && value > threshold;
    uint before = before_of(is_kept), total = total_of(is_kept);
    if (LANE == 0u) counts[WARP] = total;
    BARRIER;
    if (is_kept) {
        uint others = 0u;
        for (uint k = 0u; k < WARP; k++) others += counts[k];
        blocks[256u * GROUP_X + others + before] = value;
    }
    if (LOCAL_X == 0u) {
        uint sum = 0u;
        for (uint k = 0u; k < WARPS; k++) sum += counts[k];
        lens[GROUP_X] = sum;
    }
}
";

/// Fourier transforms of 512 numbers, in place in shared memory.
#[kernel(workgroup = [256])]
fn spectra(signals: &[f32], spectra: &mut [[f32; 2]]) {
    let mut values = Shared::<[Complex; 512]>::new();
    let local = local_id().x as usize;
    let start = workgroup_id().x as usize * 512;
    for at in (local..512).step_by(256) {
        let from = (at as u32).reverse_bits() >> 23;
        values[at] = Complex { re: signals[start + from as usize], im: 0.0 };
    }
    barrier();
    for level in 0..9 {
        let half = 1 << level;
        let k = local % half;
        let at = local / half * 2 * half + k;
        let turned = values[at + half] * Complex::turn(-std::f32::consts::PI * k as f32 / half as f32);
        let value = values[at];
        values[at] = value + turned;
        values[at + half] = value - turned;
        barrier();
    }
    for at in (local..512).step_by(256) {
        spectra[start + at] = [values[at].re, values[at].im];
    }
}

const SPECTRA: &str = r"
SHARED f32x2 values[512];
KERNEL {
    uint local = LOCAL_X, start = GROUP_X * 512u;
    for (uint at = local; at < 512u; at += 256u) {
        values[at].v[0] = signals[start + (REVERSE(at) >> 23)];
        values[at].v[1] = 0.0f;
    }
    BARRIER;
    for (uint level = 0u; level < 9u; level++) {
        uint span = 1u << level;
        uint k = local % span;
        uint at = local / span * 2u * span + k;
        float angle = -3.14159265f * float(k) / float(span);
        float re = cos(angle), im = sin(angle);
        f32x2 a = values[at], b = values[at + span];
        float turned_re = b.v[0] * re - b.v[1] * im, turned_im = b.v[0] * im + b.v[1] * re;
        values[at].v[0] = a.v[0] + turned_re;
        values[at].v[1] = a.v[1] + turned_im;
        values[at + span].v[0] = a.v[0] - turned_re;
        values[at + span].v[1] = a.v[1] - turned_im;
        BARRIER;
    }
    for (uint at = local; at < 512u; at += 256u) spectra[start + at] = values[at];
}
";

const REVERSE: &str = "
#ifdef __CUDACC__
#define REVERSE(x) __brev(x)
#else
#define REVERSE(x) bitfieldReverse(x)
#endif
";

#[device]
const ROOM: usize = 1024;

/// The greatest value of things that fit in a knapsack, a workgroup for each: a table with a row for each thing, of which two are kept.
#[kernel(workgroup = 256)]
fn knapsacks(things: u32, weights: &[u8], values: &[u32], best: &mut [u32]) {
    let mut first = Shared::<[u32; ROOM]>::new();
    let mut second = Shared::<[u32; ROOM]>::new();
    let (local, sack, things) = (local_id().x as usize, workgroup_id().x as usize, things as usize);
    let weights = &weights[sack * things..(sack + 1) * things];
    for room in (local..ROOM).step_by(256) {
        first[room] = 0;
    }
    barrier();
    for (thing, (&weight, &value)) in weights.iter().zip(&values[sack * things..]).enumerate() {
        let (from, to) = if thing % 2 == 0 { (&first[..], &mut second[..]) } else { (&second[..], &mut first[..]) };
        for room in (local..ROOM).step_by(256) {
            let with = room.checked_sub(usize::from(weight)).map_or(0, |left| from[left] + value);
            to[room] = from[room].max(with);
        }
        barrier();
    }
    if local == 0 {
        best[sack] = if things % 2 == 0 { first[ROOM - 1] } else { second[ROOM - 1] };
    }
}

const KNAPSACKS: &str = r"
SHARED uint rows[2][1024];
KERNEL {
    uint local = LOCAL_X, sack = GROUP_X;
    for (uint room = local; room < 1024u; room += 256u) rows[0][room] = 0u;
    BARRIER;
    for (uint thing = 0u; thing < things; thing++) {
        uint weight = uint(weights[sack * things + thing]), value = values[sack * things + thing];
        uint from = thing % 2u, to = 1u - from;
        for (uint room = local; room < 1024u; room += 256u) {
            uint with = room >= weight ? rows[from][room - weight] + value : 0u;
            rows[to][room] = max(rows[from][room], with);
        }
        BARRIER;
    }
    if (local == 0u) best[sack] = rows[things % 2u][1023];
}
";

#[device]
mod sets {
    /// A set of numbers, a bit for each.
    #[derive(Clone, Copy)]
    pub(crate) struct BitSet<'a> {
        pub(crate) words: &'a [u32],
    }

    impl BitSet<'_> {
        pub(crate) fn contains(&self, item: u32) -> bool {
            self.words.get(item as usize / 32).is_some_and(|word| word >> (item % 32) & 1 == 1)
        }
    }
}

use sets::BitSet;

/// Nodes that are new look for a neighbour on the last level (a step of a search upwards).
#[kernel(workgroup = [256])]
fn search_upwards(
    offsets: &[u32],
    targets: &[u32],
    seen: &[u32],
    last: &[u32],
    next: &[Atomic<u32>],
    parents: &mut [u32],
) {
    let node = global_id().x;
    if node as usize >= parents.len() || (BitSet { words: seen }).contains(node) {
        return;
    }
    let last = BitSet { words: last };
    let neighbours = &targets[offsets[node as usize] as usize..offsets[node as usize + 1] as usize];
    if let Some(&parent) = neighbours.iter().find(|&&neighbour| last.contains(neighbour)) {
        parents[node as usize] = parent;
        next[node as usize / 32].fetch_or(1 << (node % 32), Ordering::Relaxed);
    }
}

const SEARCH_UPWARDS: &str = r"
KERNEL {
    uint node = GLOBAL_X;
    if (node >= len) return;
    if ((seen[node / 32u] >> (node % 32u) & 1u) == 1u) return;
    uint end = offsets[node + 1u];
    for (uint k = offsets[node]; k < end; k++) {
        uint neighbour = targets[k];
        if ((last[neighbour / 32u] >> (neighbour % 32u) & 1u) == 1u) {
            parents[node] = neighbour;
            ATOMIC_OR(next[node / 32u], 1u << (node % 32u));
            break;
        }
    }
}
";

/// A graph with any neighbours, and from some to many of them.
fn graph(nodes: usize) -> (Vec<u32>, Vec<u32>) {
    let degrees = words(nodes).into_iter().map(|word| if word % 16 == 0 { 64 } else { word % 12 });
    let ends = degrees.scan(0, |end, degree| {
        *end += degree;
        Some(*end)
    });
    let offsets: Vec<u32> = std::iter::once(0).chain(ends).collect();
    let edges = offsets.last().copied().unwrap_or(0) as usize;
    (offsets, words(edges + 1)[1..].iter().map(|word| word % nodes as u32).collect())
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 22 } else { 1 << 12 };
    let sacks = if large { 2048 } else { 16 };
    let nodes = n / 4;
    let (offsets, targets) = graph(nodes);
    let last: Vec<u32> = words(nodes / 32 + 7)[7..].iter().zip(words(nodes / 32)).map(|(a, b)| a & b).collect();
    let seen: Vec<u32> = words(nodes / 32).iter().zip(&last).map(|(a, b)| a | b).collect();
    vec![
        Workload::new::<Compact>("blocks without gaps", [n / 256, 1, 1], COMPACT)
            .value("threshold", 0.6f32)
            .peer_value("len", n as u32)
            .read("x", floats(n))
            .write::<u32>("lens", n / 256)
            .write::<f32>("blocks", n),
        Workload::new::<Spectra>("Fourier transforms", [n / 512, 1, 1], SPECTRA)
            .with_helper(REVERSE)
            .read("signals", floats(n))
            .write::<[f32; 2]>("spectra", n),
        Workload::new::<Knapsacks>("knapsacks", [sacks, 1, 1], KNAPSACKS)
            .value("things", 64)
            .read("weights", bytes(64 * sacks))
            .read("values", words(64 * sacks).into_iter().map(|word| word % 1000).collect())
            .write::<u32>("best", sacks),
        Workload::new::<SearchUpwards>("search upwards", [nodes / 256, 1, 1], SEARCH_UPWARDS)
            .peer_value("len", nodes as u32)
            .read("offsets", offsets)
            .read("targets", targets)
            .read("seen", seen)
            .read("last", last)
            .write::<u32>("next", nodes / 32)
            .write::<u32>("parents", nodes),
    ]
}
