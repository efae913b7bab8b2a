//! The passes of sorting by radix where workgroups may wait for each other: digits are counted once, and each pass reads and
//! writes the keys once.

use super::Word;
use super::sort::{DIGITS, Inputs, SortKey, ordered};
use super::stages::Stages;
use crate::Result;
use crate::prelude::*;

/// Keys that states can count.
pub(super) const MOST_KEYS: usize = 1 << 30;
/// Workgroups that count, at most: enough to fill the largest devices several times.
const MAX_GROUPS: usize = 1056;

/// Subgroups of a workgroup that sweeps.
#[device]
pub(super) const SUBGROUPS: u32 = 12;
/// Keys of an invocation that sweeps.
#[device]
const TILE_KEYS: u32 = 14;
/// Keys of the largest tile.
#[device]
const CELLS: u32 = 32 * SUBGROUPS * TILE_KEYS;

/// The meaning of a state's lower bits: the count of a digit in the tile, or in all tiles up to its end.
#[device]
const OWN_COUNT: u32 = 1 << 30;
#[device]
const WHOLE_COUNT: u32 = 2 << 30;

/// Appends the sorting of `x`, or else of `keys`, into `keys`: fewer than [`MOST_KEYS`], by workgroups of twelve
/// subgroups of `lanes` invocations.
pub(super) fn sweep<K: SortKey, V: Word, const PAIRS: bool>(
    stages: &mut Stages,
    mgr: &Manager,
    lanes: u32,
    (x, x_values): Inputs<'_, K, V>,
    [keys, spare_keys]: [&mut Tensor<K>; 2],
    [values, spare_values]: [&mut Tensor<V>; 2],
) -> Result<()> {
    let tiles = keys.len().div_ceil((lanes * SUBGROUPS * TILE_KEYS) as usize);
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
        match lanes {
            1 => sweep!(12),
            2 => sweep!(24),
            4 => sweep!(48),
            8 => sweep!(96),
            16 => sweep!(192),
            _ => sweep!(384),
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

/// The first place of each value of a digit, from the counts of all values; a workgroup for each digit.
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
///
/// A tile's digits are counted before its keys are ranked, so that the tiles behind it learn of them early.
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
    // By subgroup and digit: first how many keys there are, then where the next one goes in the tile. In the end the tile itself,
    // in its new order: the less shared memory there is to a workgroup, the more of them run side by side.
    let cells = Shared::<[Atomic<u32>; 5376]>::new();
    // By digit: where it begins in the tile and how many keys there are, then how far they move beyond their places in it.
    let moves = Shared::<[u32; 256]>::new();
    let parts = Shared::<[u32; 12]>::new();
    let number = Shared::<[u32; 1]>::new();
    let (len, local, shift) = (keys.len() as u32, local_id().x, 8 * pass);
    let (group, lane, ticket) = (subgroup_id().min(SUBGROUPS - 1), subgroup_local_id(), num_workgroups().x * DIGITS);
    if local == 0 && ticket < tiles.len() as u32 {
        number[0] = tiles[ticket].fetch_add(1, Relaxed);
    }
    barrier();
    let tile = number[0];
    let first = tile * (WIDTH * TILE_KEYS);
    let valid = len.saturating_sub(first).min(WIDTH * TILE_KEYS);
    let own = first + group * subgroup_size() * TILE_KEYS + lane;
    let (below, everyone) = ((1 << lane) - 1, subgroup::ballot(true).x);
    let (mut key, mut value, mut rank) = ([0; 14], [0; 14], [0; 14]);
    #[unroll]
    for k in 0..TILE_KEYS {
        let i = own + k * subgroup_size();
        key[k] = if i < len { ordered(ORDER, keys[i]) } else { u32::MAX };
    }
    if PAIRS {
        #[unroll]
        for k in 0..TILE_KEYS {
            let i = own + k * subgroup_size();
            if i < values.len() as u32 {
                value[k] = values[i];
            }
        }
    }
    #[unroll]
    for k in 0..TILE_KEYS {
        cells[group * DIGITS + (key[k] >> shift & (DIGITS - 1))].fetch_add(1, Relaxed);
    }
    barrier();
    let mut carry = 0;
    let mut chunk = 0;
    while chunk < DIGITS {
        let digit = chunk + local;
        let mut count = 0;
        if digit < DIGITS {
            for other in 0..SUBGROUPS {
                let slot = other * DIGITS + digit;
                let part = cells[slot].load(Relaxed);
                cells[slot].store(count, Relaxed);
                count += part;
            }
            let state = tile * DIGITS + digit;
            if state < tiles.len() as u32 {
                tiles[state].store(count | if tile == 0 { WHOLE_COUNT } else { OWN_COUNT }, Relaxed);
            }
        }
        let mut start = carry + subgroup::exclusive_add(count);
        let total = subgroup::add(count);
        if subgroup::elect() {
            // SAFETY: one lane of each subgroup writes the subgroup's cell.
            unsafe { parts.unordered()[group] = total };
        }
        barrier();
        for other in 0..SUBGROUPS {
            let part = parts[other];
            start += if other < group { part } else { 0 };
            carry += part;
        }
        if digit < DIGITS {
            for other in 0..SUBGROUPS {
                let slot = other * DIGITS + digit;
                cells[slot].store(cells[slot].load(Relaxed) + start, Relaxed);
            }
            moves[digit] = start << 16 | count;
        }
        barrier();
        chunk += WIDTH;
    }
    #[unroll]
    for k in 0..TILE_KEYS {
        let digit = key[k] >> shift & (DIGITS - 1);
        let same = everyone & alike(digit);
        let is_last = same >> lane == 1;
        // All read the place before the last of them moves it on; nobody else has this row.
        let slot = group * DIGITS + digit;
        let place = cells[slot].load(Relaxed) + (same & below).count_ones();
        fence(Scope::Subgroup, AcqRel);
        if subgroup::any(is_last) && is_last {
            cells[slot].store(place + 1, Relaxed);
        }
        rank[k] = place.min(CELLS - 1);
        fence(Scope::Subgroup, AcqRel);
    }
    barrier();
    #[unroll]
    for k in 0..TILE_KEYS {
        cells[rank[k]].store(key[k], Relaxed);
    }
    chunk = 0;
    while chunk < DIGITS {
        let digit = chunk + local;
        if digit < DIGITS {
            let (start, count) = (moves[digit] >> 16, moves[digit] & 0xffff);
            let earlier = earlier_count(tiles, tile, digit);
            let state = tile * DIGITS + digit;
            if tile > 0 && state < tiles.len() as u32 {
                tiles[state].store(WHOLE_COUNT | earlier + count, Relaxed);
            }
            let at = pass * DIGITS + digit;
            moves[digit] = if at < starts.len() as u32 { starts[at] + earlier - start } else { 0 };
        }
        chunk += WIDTH;
    }
    barrier();
    let mut place = [0; 14];
    #[unroll]
    for k in 0..TILE_KEYS {
        let at = local + k * WIDTH;
        let found = cells[at.min(CELLS - 1)].load(Relaxed);
        place[k] = at + moves[found >> shift & (DIGITS - 1)];
        if at < valid && place[k] < sorted_keys.len() as u32 {
            // SAFETY: places are a permutation: a digit's keys follow those of earlier tiles.
            unsafe { sorted_keys.unordered()[place[k]] = restored(ORDER, found) };
        }
    }
    if PAIRS {
        barrier();
        #[unroll]
        for k in 0..TILE_KEYS {
            cells[rank[k]].store(value[k], Relaxed);
        }
        barrier();
        #[unroll]
        for k in 0..TILE_KEYS {
            let at = local + k * WIDTH;
            if at < valid && place[k] < sorted_values.len() as u32 {
                // SAFETY: as for the keys.
                unsafe { sorted_values.unordered()[place[k]] = cells[at.min(CELLS - 1)].load(Relaxed) };
            }
        }
    }
}

/// The key of bits that [`ordered`] made.
#[device]
pub(super) fn restored(order: u32, bits: u32) -> u32 {
    let sign = 0x8000_0000;
    match order {
        0 => bits,
        1 => bits ^ sign,
        _ if bits >= sign => bits ^ sign,
        _ => !bits,
    }
}
