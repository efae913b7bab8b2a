//! Atomics and subgroup operations of other widths than 32 bits.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "wide_atomics::hash_map",
        [CountKeys],
        |mgr| {
            let keys = mgr.tensor(&keys())?;
            let entries = mgr.tensor(&[0u64; 128])?;
            let seq = mgr.sequence()?;
            CountKeys::dispatch(&seq, Grid::items(2048), &keys, &entries)?;
            seq.eval()?;
            // Which entry a key takes depends on the order in which invocations come.
            let mut entries = entries.to_vec()?;
            entries.sort_unstable();
            Ok(vec![Output::U32(entries.iter().flat_map(|entry| [(entry >> 32) as u32, *entry as u32]).collect())])
        },
        || {
            let mut entries = std::collections::BTreeMap::new();
            keys().into_iter().for_each(|key| *entries.entry(key).or_insert(0u32) += 1);
            let free = 128 - entries.len();
            let mut words = vec![0; 2 * free];
            words.extend(entries.into_iter().flat_map(|(key, count)| [key, count]));
            vec![Output::U32(words)]
        }
    ),
    case!(
        "wide_atomics::operations",
        [WideOperations],
        |mgr| {
            let ints = mgr.tensor(&[0i64, i64::MAX, i64::MIN, -1, 0])?;
            let words = mgr.tensor(&[u64::MAX - 10, 0, u64::MAX, 7])?;
            let floats = mgr.tensor(&[0.5f64, f64::INFINITY, 0.0])?;
            let seq = mgr.sequence()?;
            WideOperations::dispatch(&seq, Grid::items(256), &ints, &words, &floats)?;
            seq.eval()?;
            let bits = ints.to_vec()?.into_iter().map(|value| value as u64);
            let bits = bits.chain(words.to_vec()?).chain(floats.to_vec()?.into_iter().map(f64::to_bits));
            Ok(vec![Output::U32(bits.flat_map(|bits| [bits as u32, (bits >> 32) as u32]).collect())])
        },
        || {
            let step = 1i64 << 33;
            let all = || 0..256i64;
            let values = |i: i64| (i - 128) * step;
            let ints = [
                all().map(values).sum::<i64>(),
                values(0),
                values(255),
                all().fold(-1, |bits, i| bits ^ values(i)),
                -all().map(values).sum::<i64>(),
            ];
            let words = [(u64::MAX - 10).wrapping_add(256 * 3), 255 << 33, u64::MAX << 33, 7 | 255 << 40];
            let floats = [0.5 + 256.0 * 0.25, -128.0, 127.0];
            let bits = ints.into_iter().map(|value| value as u64).chain(words).chain(floats.map(f64::to_bits));
            vec![Output::U32(bits.flat_map(|bits: u64| [bits as u32, (bits >> 32) as u32]).collect())]
        }
    ),
    case!(
        "wide_atomics::shared",
        [SharedSums],
        |mgr| {
            let x = mgr.tensor(&patterns(512, 4))?;
            let mut sums = mgr.tensor(&[0u64; 8])?;
            let seq = mgr.sequence()?;
            SharedSums::dispatch(&seq, Grid::items(512), &x, &mut sums)?;
            seq.eval()?;
            Ok(vec![Output::U32(sums.to_vec()?.into_iter().flat_map(|sum| [sum as u32, (sum >> 32) as u32]).collect())])
        },
        || {
            let x = patterns(512, 4);
            let sums = x.chunks(64).map(|chunk| chunk.iter().map(|value| u64::from(*value) << 20).sum::<u64>());
            vec![Output::U32(sums.flat_map(|sum| [sum as u32, (sum >> 32) as u32]).collect())]
        }
    ),
    case!(
        "wide_atomics::subgroups",
        [SubgroupSums],
        |mgr| {
            let totals = mgr.tensor(&[0u64; 3])?;
            let seq = mgr.sequence()?;
            SubgroupSums::dispatch(&seq, Grid::items(256), &totals)?;
            seq.eval()?;
            Ok(vec![Output::U32(
                totals.to_vec()?.into_iter().flat_map(|sum| [sum as u32, (sum >> 32) as u32]).collect(),
            )])
        },
        || {
            let wide: u64 = (0..256u64).map(|i| i << 30).sum();
            vec![Output::U32(
                [wide, 255 << 30, (0..256).sum()].map(|sum: u64| [sum as u32, (sum >> 32) as u32]).concat(),
            )]
        }
    ),
    case!(
        "wide_atomics::f16_in_subgroups",
        [HalfSums],
        |mgr| {
            let x = mgr.tensor(&halves())?;
            let (mut y, totals) = (mgr.tensor(&[f16::ZERO; 128])?, mgr.tensor(&[0u32; 2])?);
            let seq = mgr.sequence()?;
            HalfSums::dispatch(&seq, Grid::items(64), &x, &mut y, &totals)?;
            seq.eval()?;
            let bits = y.to_vec()?.into_iter().map(|value| u32::from(value.to_bits()));
            Ok(vec![Output::U32(bits.collect()), Output::U32(totals.to_vec()?)])
        },
        || {
            let x = halves();
            let swapped = (0..64).flat_map(|i: usize| [x[i ^ 1], x[i].max(x[i ^ 1])]);
            let bits = swapped.map(|value| u32::from(value.to_bits()));
            vec![Output::U32(bits.collect()), Output::U32(vec![x.iter().map(|value| value.to_f32() as u32).sum(), 64])]
        }
    ),
];

/// Whole numbers, whose sums are exact.
fn halves() -> Vec<f16> {
    (0..64u8).map(|i| f16::from(i % 7)).collect()
}

fn keys() -> Vec<u32> {
    patterns(2048, 11).into_iter().map(|value| value % 60 * 7 + 1).collect()
}

/// Open addressing: an entry is a key in the upper half and its count in the lower; zero is free.
#[kernel]
fn count_keys(keys: &[u32], entries: &[Atomic<u64>]) {
    let key = keys[global_id().x];
    let mut slot = (key * 2654435761) >> 25;
    loop {
        let fresh = (key as u64) << 32 | 1;
        match entries[slot].compare_exchange(0, fresh, Relaxed, Relaxed) {
            Ok(_) => break,
            Err(found) if (found >> 32) as u32 == key => {
                entries[slot].fetch_add(1, Relaxed);
                break;
            }
            Err(_) => slot = (slot + 1) % 128,
        }
    }
}

#[kernel]
fn wide_operations(ints: &[Atomic<i64>], words: &[Atomic<u64>], floats: &[Atomic<f64>]) {
    let i = global_id().x;
    let value = (i as i64 - 128) * (1i64 << 33);
    ints[0].fetch_add(value, Relaxed);
    ints[1].fetch_min(value, Relaxed);
    ints[2].fetch_max(value, Relaxed);
    ints[3].fetch_xor(value, Relaxed);
    ints[4].fetch_sub(value, Relaxed);
    words[0].fetch_add(3, Relaxed);
    words[1].fetch_max((i as u64) << 33, Relaxed);
    words[2].fetch_and(u64::MAX << (i % 34) as u64, Relaxed);
    words[3].fetch_or((i as u64) << 40, Relaxed);
    floats[0].fetch_add(0.25, Relaxed);
    floats[1].fetch_min(i as f64 - 128.0, Relaxed);
    floats[2].fetch_max(i as f64 - 128.0, Relaxed);
}

#[kernel(workgroup = 64)]
fn shared_sums(x: &[u32], sums: &mut [u64]) {
    let total = Shared::<[Atomic<u64>; 1]>::new();
    total[0].fetch_add((x[global_id().x] as u64) << 20, Relaxed);
    barrier();
    if local_index() == 0 {
        sums[workgroup_id().x] = total[0].load(Relaxed);
    }
}

#[kernel(workgroup = 64)]
fn subgroup_sums(totals: &[Atomic<u64>]) {
    let i = global_id().x as u64;
    let sum = subgroup::add(i << 30);
    let largest = subgroup::max(i << 30);
    let bytes = subgroup::or((i % 256) as u8) as u64 + subgroup::inclusive_add(0i16) as u64;
    if subgroup::elect() {
        totals[0].fetch_add(sum, Relaxed);
        totals[1].fetch_max(largest, Relaxed);
    }
    if bytes < 256 {
        totals[2].fetch_add(i, Relaxed);
    }
}

#[kernel(workgroup = 64)]
fn half_sums(x: &[f16], y: &mut [f16], totals: &[Atomic<u32>]) {
    let i = global_id().x;
    let value = x[i];
    y[2 * i] = subgroup::quad_swap_horizontal(value);
    y[2 * i + 1] = subgroup::clustered_max(value, 2);
    let sum = subgroup::add(value);
    let last = subgroup::shuffle(subgroup::inclusive_add(value), subgroup_size() - 1);
    if subgroup::elect() {
        totals[0].fetch_add(sum.to_f32() as u32, Relaxed);
        totals[1].fetch_add(if last == sum { subgroup_size() } else { 0 }, Relaxed);
    }
}
