//! The passes of sorting by radix where workgroups may wait for each other: digits are counted once, and each pass reads and
//! writes the keys once.

use super::Word;
use super::sort::{DIGITS, Inputs, KEYS, SortKey, ordered};
use super::stages::Stages;
use crate::Result;
use crate::prelude::*;

/// Keys that states can count.
pub(super) const MOST_KEYS: usize = 1 << 30;
/// Workgroups that count, at most: enough to fill the largest devices several times.
const MAX_GROUPS: usize = 1056;

/// What a state holds in its lower bits: how often a digit occurs in the tile, or in all up to its end.
#[device]
const OWN_COUNT: u32 = 1 << 30;
#[device]
const WHOLE_COUNT: u32 = 2 << 30;

/// Appends the sorting of `x`, or else of `keys`, into `keys`: fewer than [`MOST_KEYS`], by workgroups of eight subgroups, which are `width` invocations.
pub(super) fn sweep<K: SortKey, V: Word, const PAIRS: bool>(
    stages: &mut Stages,
    mgr: &Manager,
    width: u32,
    (x, x_values): Inputs<'_, K, V>,
    [keys, spare_keys]: [&mut Tensor<K>; 2],
    [values, spare_values]: [&mut Tensor<V>; 2],
) -> Result<()> {
    let tiles = keys.len().div_ceil((width * KEYS) as usize);
    let mut starts = mgr.tensor_of_len::<u32>(4 * DIGITS as usize)?;
    let mut states = mgr.tensor_of_len::<u32>(tiles * DIGITS as usize + 1)?;
    let counted = x.unwrap_or(&*keys);
    let vectors = counted.cast::<UVec4>()?;
    let groups = keys.len().div_ceil(1024).min(MAX_GROUPS);
    stages.fill(&mut starts, 0);
    macro_rules! count {
        ($order:literal) => {
            stages.launch::<CountAllDigits<$order>>(Grid::groups(groups as u32), |args| {
                args.read(&vectors).read(counted).read(&starts)
            })
        };
    }
    match K::ORDER {
        0 => count!(0),
        1 => count!(1),
        _ => count!(2),
    }
    stages.launch::<StartDigits>(Grid::groups(4), |args| args.write(&mut starts));
    for pass in 0..4u32 {
        let (from, to) = if pass % 2 == 0 { (&*keys, &mut *spare_keys) } else { (&*spare_keys, &mut *keys) };
        let from = x.filter(|_| pass == 0).unwrap_or(from);
        let (values_from, values_to) =
            if pass % 2 == 0 { (&*values, &mut *spare_values) } else { (&*spare_values, &mut *values) };
        let values_from = x_values.filter(|_| pass == 0).unwrap_or(values_from);
        stages.fill(&mut states, 0);
        macro_rules! sweep {
            ($width:literal, $order:literal) => {
                stages.launch::<SweepDigits<$width, $order, PAIRS>>(Grid::groups(tiles as u32), |args| {
                    let args = args.value(pass).read(&starts).read(&states);
                    args.read(from).read(values_from).write(to).write(values_to)
                })
            };
            ($width:literal) => {
                match K::ORDER {
                    0 => sweep!($width, 0),
                    1 => sweep!($width, 1),
                    _ => sweep!($width, 2),
                }
            };
        }
        match width {
            8 => sweep!(8),
            16 => sweep!(16),
            32 => sweep!(32),
            64 => sweep!(64),
            128 => sweep!(128),
            _ => sweep!(256),
        }
    }
    Ok(())
}

macro_rules! count_all_digits {
    ($v:ident: $($key:expr),+) => {
        /// How often each value of each digit occurs. Workgroups count in four copies.
        #[kernel(workgroup = 256)]
        pub(super) fn count_all_digits<const ORDER: u32>(vectors: &[UVec4], keys: &[u32], totals: &[Atomic<u32>]) {
            let counts = Shared::<[Atomic<u32>; 4096]>::new();
            let len = vectors.len() as u32;
            let copy = local_id().x & 3;
            barrier();
            let mut i = global_id().x;
            while i < len {
                let $v = vectors[i];
                $(
                    let key = ordered(ORDER, $key);
                    counts[(key & 255) * 4 + copy].fetch_add(1, Relaxed);
                    counts[1024 + (key >> 8 & 255) * 4 + copy].fetch_add(1, Relaxed);
                    counts[2048 + (key >> 16 & 255) * 4 + copy].fetch_add(1, Relaxed);
                    counts[3072 + (key >> 24) * 4 + copy].fetch_add(1, Relaxed);
                )+
                i = i.saturating_add(num_workgroups().x * 256);
            }
            // Less than a vector.
            let rest = len * 4 + global_id().x;
            if global_id().x < 4 && rest < keys.len() as u32 {
                let key = ordered(ORDER, keys[rest]);
                for digit in 0..4 {
                    counts[digit * 1024 + (key >> (8 * digit) & 255) * 4 + copy].fetch_add(1, Relaxed);
                }
            }
            barrier();
            for part in 0..4 {
                let slot = part * 256 + local_id().x;
                let mut total = 0;
                for copy in 0..4 {
                    total += counts[slot * 4 + copy].load(Relaxed);
                }
                if total > 0 && slot < totals.len() as u32 {
                    totals[slot].fetch_add(total, Relaxed);
                }
            }
        }
    };
}

count_all_digits!(v: v.x, v.y, v.z, v.w);

/// Where each value of a digit begins, by how often each occurs; a workgroup for each digit.
#[kernel(workgroup = 256)]
pub(super) fn start_digits(starts: &mut [u32]) {
    let parts = Shared::<[u32; 256]>::new();
    let i = global_id().x;
    let is_inside = i < starts.len() as u32;
    let count = if is_inside { starts[i] } else { 0 };
    let before = subgroup::exclusive_add(count);
    let total = subgroup::add(count);
    if subgroup::elect() {
        parts[subgroup_id()] = total;
    }
    barrier();
    let mut start = before;
    for other in 0..subgroup_id() {
        start += parts[other];
    }
    if is_inside {
        starts[i] = start;
    }
}

/// The lanes that agree with this one in a bit; there are at most 32.
#[device]
fn agreeing(digit: u32, bit: u32) -> u32 {
    let is_set = digit >> bit & 1 == 1;
    let set = subgroup::ballot(is_set).x;
    if is_set { set } else { !set }
}

/// The lanes with the same digit, among the active ones.
#[device]
fn alike(digit: u32) -> u32 {
    agreeing(digit, 0)
        & agreeing(digit, 1)
        & agreeing(digit, 2)
        & agreeing(digit, 3)
        & agreeing(digit, 4)
        & agreeing(digit, 5)
        & agreeing(digit, 6)
        & agreeing(digit, 7)
}

/// How often a digit occurs before a tile; the states of four tiles at a time are read at once.
#[device]
fn earlier_count(tiles: &[Atomic<u32>], tile: u32, digit: u32) -> u32 {
    let mut earlier = 0;
    let mut end = tile;
    while end > 0 {
        let mut seen = [WHOLE_COUNT; 4];
        for back in 0..4 {
            let state = (end - 1 - back) * DIGITS + digit;
            if back < end && state < tiles.len() as u32 {
                seen[back] = tiles[state].load(Relaxed);
            }
        }
        let mut is_next = true;
        for back in 0..4 {
            let state = seen[back];
            if is_next {
                earlier += state & (OWN_COUNT - 1);
                if state >= WHOLE_COUNT {
                    end = 0;
                } else if state >= OWN_COUNT {
                    end -= 1;
                }
                is_next = state >= OWN_COUNT && state < WHOLE_COUNT;
            }
        }
    }
    earlier
}

/// Sorts a tile by a digit in shared memory, and writes runs of equal digits behind those of the tiles before it. Tiles are
/// numbered as workgroups come, so that all tiles before one are under way.
#[kernel(workgroup = WIDTH)]
pub(super) fn sweep_digits<const WIDTH: u32, const ORDER: u32, const PAIRS: bool>(
    pass: u32,
    starts: &[u32],
    tiles: &[Atomic<u32>],
    keys: &[u32],
    values: &[u32],
    sorted_keys: &mut [u32],
    sorted_values: &mut [u32],
) {
    // By subgroup and digit: first how many keys there are, then where they begin in the tile.
    let counts = Shared::<[Atomic<u32>; 2048]>::new();
    let staged = Shared::<[u32; 4096]>::new();
    // By digit: how many keys there are in the tile, then how far they move beyond their places in it.
    let moves = Shared::<[u32; 256]>::new();
    let parts = Shared::<[u32; 8]>::new();
    let number = Shared::<[u32; 1]>::new();
    let (len, local, shift) = (keys.len() as u32, local_id().x, 8 * pass);
    let (group, lane) = (subgroup_id() & 7, subgroup_local_id());
    let ticket = num_workgroups().x * DIGITS;
    if local == 0 && ticket < tiles.len() as u32 {
        number[0] = tiles[ticket].fetch_add(1, Relaxed);
    }
    barrier();
    let tile = number[0];
    let first = tile * (WIDTH * KEYS);
    let valid = len.saturating_sub(first).min(WIDTH * KEYS);
    let own = first + group * subgroup_size() * KEYS + lane;
    let below = (1 << lane) - 1;
    let everyone = subgroup::ballot(true).x;
    let mut key = [0; 16];
    let mut value = [0; 16];
    let mut rank = [0; 16];
    for k in 0..KEYS {
        let i = own + k * subgroup_size();
        if i < len {
            key[k] = ordered(ORDER, keys[i]);
        } else {
            key[k] = u32::MAX;
        }
    }
    if PAIRS {
        for k in 0..KEYS {
            let i = own + k * subgroup_size();
            if i < values.len() as u32 {
                value[k] = values[i];
            }
        }
    }
    for k in 0..KEYS {
        let digit = key[k] >> shift & (DIGITS - 1);
        let same = everyone & alike(digit);
        let leader = same.trailing_zeros();
        // All read the count before one of them raises it; nobody else has this row.
        let slot = group * DIGITS + digit;
        let before = counts[slot].load(Relaxed);
        fence(Scope::Subgroup, AcqRel);
        if subgroup::any(lane == leader) && lane == leader {
            counts[slot].store(before + same.count_ones(), Relaxed);
        }
        rank[k] = before + (same & below).count_ones();
        fence(Scope::Subgroup, AcqRel);
    }
    barrier();
    let mut chunk = 0;
    while chunk < DIGITS {
        let digit = (chunk + local) & (DIGITS - 1);
        let mut count = 0;
        for other in 0..num_subgroups() {
            let slot = (other & 7) * DIGITS + digit;
            let part = counts[slot].load(Relaxed);
            counts[slot].store(count, Relaxed);
            count += part;
        }
        let state = tile * DIGITS + digit;
        if state < tiles.len() as u32 {
            tiles[state].store(count | if tile == 0 { WHOLE_COUNT } else { OWN_COUNT }, Relaxed);
        }
        moves[digit] = count;
        chunk += WIDTH;
    }
    let mut carry = 0;
    chunk = 0;
    while chunk < DIGITS {
        let digit = (chunk + local) & (DIGITS - 1);
        let count = moves[digit];
        let mut start = carry + subgroup::exclusive_add(count);
        let total = subgroup::add(count);
        if subgroup::elect() {
            parts[group] = total;
        }
        barrier();
        for other in 0..num_subgroups() {
            let part = parts[other & 7];
            start += if other < group { part } else { 0 };
            carry += part;
        }
        let earlier = earlier_count(tiles, tile, digit);
        let state = tile * DIGITS + digit;
        if tile > 0 && state < tiles.len() as u32 {
            tiles[state].store(WHOLE_COUNT | earlier + count, Relaxed);
        }
        let at = pass * DIGITS + digit;
        moves[digit] = if at < starts.len() as u32 { starts[at] + earlier - start } else { 0 };
        for other in 0..num_subgroups() {
            let slot = (other & 7) * DIGITS + digit;
            counts[slot].store(counts[slot].load(Relaxed) + start, Relaxed);
        }
        barrier();
        chunk += WIDTH;
    }
    for k in 0..KEYS {
        let digit = key[k] >> shift & (DIGITS - 1);
        rank[k] += counts[group * DIGITS + digit].load(Relaxed);
        staged[rank[k] & 4095] = key[k];
    }
    barrier();
    let mut place = [0; 16];
    for k in 0..KEYS {
        let at = local + k * WIDTH;
        let found = staged[at & 4095];
        place[k] = at + moves[found >> shift & (DIGITS - 1)];
        if at < valid && place[k] < sorted_keys.len() as u32 {
            sorted_keys[place[k]] = restored(ORDER, found);
        }
    }
    if PAIRS {
        barrier();
        for k in 0..KEYS {
            staged[rank[k] & 4095] = value[k];
        }
        barrier();
        for k in 0..KEYS {
            let at = local + k * WIDTH;
            if at < valid && place[k] < sorted_values.len() as u32 {
                sorted_values[place[k]] = staged[at & 4095];
            }
        }
    }
}

/// The key of bits that [`ordered`] made.
#[device]
fn restored(order: u32, bits: u32) -> u32 {
    let sign = 0x8000_0000;
    match order {
        0 => bits,
        1 => bits ^ sign,
        _ if bits >= sign => bits ^ sign,
        _ => !bits,
    }
}
