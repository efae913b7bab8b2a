//! Radix sort, from the lowest digit up.

use super::progress::Progress;
use super::scan::scan;
use super::stages::Stages;
use super::sweep::{self, MOST_KEYS, sweep};
use super::{Word, expect_len, operation, sealed};
use crate::prelude::*;
use crate::{Plain, Result};

/// Keys of an invocation, where passes read them twice.
#[device]
const KEYS: u32 = 16;
/// Values of a digit of eight bits.
#[device]
pub(super) const DIGITS: u32 = 256;
/// Subgroups of a workgroup, at most.
#[device]
const SUBGROUPS: u32 = 8;

/// Sorts a tensor in place, or keys with a value for each; equal keys keep their order.
///
/// Keys are `u32`, `i32` or `f32`, these in the order of [`f32::total_cmp`]: -NaN, -∞, … -0, +0, … ∞, NaN. Four passes,
/// one for each eight bits; each reads the keys twice and writes them once. If workgroups can wait for each other (see
/// [`Progress`]) and subgroups have at most 32 lanes, each pass reads fewer than 2^30 keys once, and they are read once
/// before all passes.
///
/// Work space: as much as the tensors to be sorted, and 1/8 of the keys where subgroups have 32 lanes, 1/2 where they have eight; less
/// than half of that where workgroups wait.
///
/// ```
/// use gridwise::algorithms::OpSort;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let (mut keys, mut values) = (mgr.tensor(&[2.5f32, -1.0, 0.0])?, mgr.tensor(&[0u32, 1, 2])?);
/// let sort = OpSort::by_key(&mut keys, &mut values)?;
/// mgr.sequence()?.record(sort)?.eval()?;
/// assert_eq!((keys.to_vec()?, values.to_vec()?), (vec![-1.0, 0.0, 2.5], vec![1, 2, 0]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpSort(pub(super) Stages);

operation!(OpSort);

impl OpSort {
    /// Sorts `keys`.
    ///
    /// # Errors
    /// When there is no memory for the work space.
    pub fn new<K: SortKey>(keys: &mut Tensor<K>) -> Result<Self> {
        Self::with_progress(Progress::of(&keys.manager()), keys)
    }

    /// Sorts the elements of `x` into `sorted`, and leaves `x` as it is.
    ///
    /// ```
    /// # use gridwise::{algorithms::OpSort, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let (x, mut sorted) = (mgr.tensor(&[3u32, 1, 2])?, mgr.tensor_of_len(3)?);
    /// mgr.sequence()?.record(OpSort::into(&x, &mut sorted)?)?.eval()?;
    /// assert_eq!((x.to_vec()?, sorted.to_vec()?), (vec![3, 1, 2], vec![1, 2, 3]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the lengths differ, or there is no memory for the work space.
    pub fn into<K: SortKey>(x: &Tensor<K>, sorted: &mut Tensor<K>) -> Result<Self> {
        let mgr = &x.manager();
        expect_len("sorting into", (2, "sorted"), sorted, x.len())?;
        let (mut none, mut spare) = (mgr.tensor_of_len::<u32>(1)?, mgr.tensor_of_len::<u32>(1)?);
        let mut stages = Stages::new("sort into");
        sort::<K, u32, false>(&mut stages, mgr, Progress::of(mgr), (Some(x), None), sorted, [&mut none, &mut spare])?;
        Ok(Self(stages))
    }

    /// Sorts the elements of `x` and the `values` that belong to them into tensors of their own, and leaves `x` and `values` as they are.
    ///
    /// ```
    /// # use gridwise::{algorithms::OpSort, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let (x, values) = (mgr.tensor(&[3u32, 1, 2])?, mgr.tensor(&[0.5f32, 1.5, 2.5])?);
    /// let (mut keys, mut sorted) = (mgr.tensor_of_len(3)?, mgr.tensor_of_len(3)?);
    /// let sort = OpSort::by_key_into((&x, &values), (&mut keys, &mut sorted))?;
    /// mgr.sequence()?.record(sort)?.eval()?;
    /// assert_eq!((keys.to_vec()?, sorted.to_vec()?), (vec![1, 2, 3], vec![1.5, 2.5, 0.5]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the lengths differ, or there is no memory for the work space.
    pub fn by_key_into<K: SortKey, V: Word>(
        (x, values): (&Tensor<K>, &Tensor<V>),
        (sorted_keys, sorted_values): (&mut Tensor<K>, &mut Tensor<V>),
    ) -> Result<Self> {
        expect_len("sorting by as many keys", (1, "values"), values, x.len())?;
        expect_len("sorting into", (2, "sorted_keys"), sorted_keys, x.len())?;
        expect_len("sorting into", (2, "sorted_values"), sorted_values, x.len())?;
        let mgr = &x.manager();
        let mut spare = mgr.tensor_of_len::<V>(values.len())?;
        let mut stages = Stages::new("sort by key into");
        let from = (Some(x), Some(values));
        sort::<K, V, true>(&mut stages, mgr, Progress::of(mgr), from, sorted_keys, [sorted_values, &mut spare])?;
        Ok(Self(stages))
    }

    /// Sorts `keys`, and moves the elements of `values` with them.
    ///
    /// # Errors
    /// When the lengths differ, or there is no memory for the work space.
    pub fn by_key<K: SortKey, V: Word>(keys: &mut Tensor<K>, values: &mut Tensor<V>) -> Result<Self> {
        Self::by_key_with_progress(Progress::of(&keys.manager()), keys, values)
    }

    /// As [`new`](Self::new), for a device about which you know more than [`Progress::of`]. The device hangs if waiting
    /// workgroups keep those from running that they wait for.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_progress<K: SortKey>(progress: Progress, keys: &mut Tensor<K>) -> Result<Self> {
        let mgr = &keys.manager();
        // Kernels have the same parameters with and without values.
        let (mut none, mut spare) = (mgr.tensor_of_len::<u32>(1)?, mgr.tensor_of_len::<u32>(1)?);
        let mut stages = Stages::new("sort");
        sort::<K, u32, false>(&mut stages, mgr, progress, (None, None), keys, [&mut none, &mut spare])?;
        Ok(Self(stages))
    }

    /// As [`by_key`](Self::by_key), for a device about which you know more than [`Progress::of`].
    ///
    /// # Errors
    /// As [`by_key`](Self::by_key).
    pub fn by_key_with_progress<K: SortKey, V: Word>(
        progress: Progress,
        keys: &mut Tensor<K>,
        values: &mut Tensor<V>,
    ) -> Result<Self> {
        expect_len("sorting by as many keys", (2, "values"), values, keys.len())?;
        let mgr = &keys.manager();
        let mut spare = mgr.tensor_of_len::<V>(values.len())?;
        let mut stages = Stages::new("sort by key");
        sort::<K, V, true>(&mut stages, mgr, progress, (None, None), keys, [values, &mut spare])?;
        Ok(Self(stages))
    }
}

/// The tensors to sort into others, which stay as they are; none if the sort is in place.
pub(super) type Inputs<'a, K, V> = (Option<&'a Tensor<K>>, Option<&'a Tensor<V>>);

/// Appends the sorting of `x`, or else of `keys`, into `keys`, and of what belongs to it.
fn sort<K: SortKey, V: Word, const PAIRS: bool>(
    stages: &mut Stages,
    mgr: &Manager,
    progress: Progress,
    (x, x_values): Inputs<'_, K, V>,
    keys: &mut Tensor<K>,
    [values, spare_values]: [&mut Tensor<V>; 2],
) -> Result<()> {
    // As many subgroups as there is shared memory for their counts.
    let lanes = mgr.device().limits.subgroup.size;
    let width = (lanes * SUBGROUPS).clamp(8, 256);
    let mut spare_keys = mgr.tensor_of_len::<K>(keys.len())?;
    let fits = lanes <= 32 && lanes * sweep::SUBGROUPS <= mgr.device().limits.max_workgroup_invocations;
    if progress == Progress::Guaranteed && fits && keys.len() < MOST_KEYS {
        return sweep::<K, V, PAIRS>(
            stages,
            mgr,
            lanes,
            (x, x_values),
            [keys, &mut spare_keys],
            [values, spare_values],
        );
    }
    let tiles = keys.len().div_ceil((width * KEYS) as usize);
    let mut counts = mgr.tensor_of_len::<u32>(tiles * DIGITS as usize)?;
    let mut starts = mgr.tensor_of_len::<u32>(tiles * DIGITS as usize)?;
    for pass in 0..4 {
        let (from, to) = if pass % 2 == 0 { (&*keys, &mut spare_keys) } else { (&spare_keys, &mut *keys) };
        let from = x.filter(|_| pass == 0).unwrap_or(from);
        let (values_from, values_to) =
            if pass % 2 == 0 { (&*values, &mut *spare_values) } else { (&*spare_values, &mut *values) };
        let values_from = x_values.filter(|_| pass == 0).unwrap_or(values_from);
        let grid = Grid::groups(tiles as u32);
        let shift = 8 * pass;
        stages.launch::<CountDigits>(grid, |args| {
            args.value(K::ORDER).value(shift).value(width * KEYS).read(from).write(&mut counts)
        });
        scan(stages, mgr, &counts, &mut starts, false)?;
        macro_rules! scatter {
            ($width:literal) => {
                stages.launch::<ScatterDigits<$width, PAIRS>>(grid, |args| {
                    let args = args.value(K::ORDER).value(shift).read(&starts);
                    args.read(from).read(values_from).write(to).write(values_to)
                })
            };
        }
        match width {
            8 => scatter!(8),
            16 => scatter!(16),
            32 => scatter!(32),
            64 => scatter!(64),
            128 => scatter!(128),
            _ => scatter!(256),
        }
    }
    Ok(())
}

/// The types of keys that [`OpSort`] sorts by: `u32`, `i32`, `f32`.
pub trait SortKey: Plain + sealed::Order {}

macro_rules! sort_key {
    ($($ty:ty: $order:literal)+) => { $(
        impl SortKey for $ty {}

        impl sealed::Order for $ty {
            const ORDER: u32 = $order;
        }
    )+ };
}

sort_key!(u32: 0 i32: 1 f32: 2);

/// Bits in the order of unsigned integers, of a key that is unsigned (0), signed (1) or a float (2).
#[device]
pub(super) fn ordered(order: u32, key: u32) -> u32 {
    let sign = 0x8000_0000;
    match order {
        0 => key,
        1 => key ^ sign,
        _ if key >= sign => !key,
        _ => key | sign,
    }
}

/// How often each digit occurs in a tile; all tiles of a digit lie side by side.
#[kernel(workgroup = 256)]
fn count_digits(order: u32, shift: u32, tile_len: u32, keys: &[u32], counts: &mut [u32]) {
    let slots = Shared::<[Atomic<u32>; 256]>::new();
    let (tile, len) = (workgroup_id().x, keys.len() as u32);
    let first = tile * tile_len;
    let end = if len - first > tile_len { first + tile_len } else { len };
    barrier();
    let mut i = first + local_id().x;
    while i < end {
        slots[ordered(order, keys[i]) >> shift & (DIGITS - 1)].fetch_add(1, Relaxed);
        i += 256;
    }
    barrier();
    counts[local_id().x * num_workgroups().x + tile] = slots[local_id().x].load(Relaxed);
}

/// Sorts a tile by a digit in shared memory, and writes runs of equal digits to where `starts` says.
#[kernel(workgroup = WIDTH)]
fn scatter_digits<const WIDTH: u32, const PAIRS: bool>(
    order: u32,
    shift: u32,
    starts: &[u32],
    keys: &[u32],
    values: &[u32],
    sorted_keys: &mut [u32],
    sorted_values: &mut [u32],
) {
    // By subgroup and digit: first how many keys there are, then where they begin in the tile.
    let counts = Shared::<[Atomic<u32>; 2048]>::new();
    let totals = Shared::<[u32; 256]>::new();
    let parts = Shared::<[u32; 32]>::new();
    let staged = Shared::<[u32; 4096]>::new();
    let (tile, len, local) = (workgroup_id().x, keys.len() as u32, local_id().x);
    let (group, lane) = (subgroup_id(), subgroup_local_id());
    let tile_len = WIDTH * KEYS;
    let first = tile * tile_len;
    let valid = (len - first).min(tile_len);
    let own = group * subgroup_size() * KEYS + lane;
    let mut key = [0; 16];
    let mut value = [0; 16];
    let mut rank = [0; 16];
    barrier();
    for k in 0..KEYS {
        let at = own + k * subgroup_size();
        let mut digit = DIGITS - 1;
        if at < valid {
            key[k] = keys[first + at];
            digit = ordered(order, key[k]) >> shift & (DIGITS - 1);
            if PAIRS {
                value[k] = values[first + at];
            }
        }
        // The lanes with the same digit.
        let mut same = subgroup::ballot(true);
        for bit in 0..8 {
            let is_set = digit >> bit & 1 == 1;
            let set = subgroup::ballot(is_set);
            let flip = if is_set { 0 } else { u32::MAX };
            same = uvec4(
                same.x & (set.x ^ flip),
                same.y & (set.y ^ flip),
                same.z & (set.z ^ flip),
                same.w & (set.w ^ flip),
            );
        }
        let leader = subgroup::ballot_lowest(same);
        let mut before = 0;
        if lane == leader {
            before = counts[group * DIGITS + digit].fetch_add(subgroup::ballot_count(same), Relaxed);
        }
        rank[k] = subgroup::shuffle(before, leader) + subgroup::ballot_exclusive_count(same);
        fence(Scope::Subgroup, AcqRel);
    }
    barrier();
    let mut digit = local;
    while digit < DIGITS {
        let mut total = 0;
        for other in 0..num_subgroups() {
            total += counts[other * DIGITS + digit].swap(total, Relaxed);
        }
        totals[digit] = total;
        digit += WIDTH;
    }
    barrier();
    let mut eighth = local;
    while eighth < DIGITS / 8 {
        let mut part = 0;
        for k in 0..8 {
            part += totals[eighth * 8 + k];
        }
        parts[eighth] = part;
        eighth += WIDTH;
    }
    barrier();
    digit = local;
    while digit < DIGITS {
        let mut start = 0;
        for part in 0..digit / 8 {
            start += parts[part];
        }
        for other in digit / 8 * 8..digit {
            start += totals[other];
        }
        for other in 0..num_subgroups() {
            counts[other * DIGITS + digit].fetch_add(start, Relaxed);
        }
        digit += WIDTH;
    }
    barrier();
    for k in 0..KEYS {
        if own + k * subgroup_size() < valid {
            let digit = ordered(order, key[k]) >> shift & (DIGITS - 1);
            rank[k] += counts[group * DIGITS + digit].load(Relaxed);
            // SAFETY: ranks are a permutation: each digit's keys are counted.
            unsafe { staged.unordered()[rank[k]] = key[k] };
        }
    }
    barrier();
    let mut place = [0; 16];
    for k in 0..KEYS {
        let at = local + k * WIDTH;
        if at < valid {
            let found = staged[at];
            let digit = ordered(order, found) >> shift & (DIGITS - 1);
            // The first subgroup's keys begin where the digit does.
            place[k] = starts[digit * num_workgroups().x + tile] + at - counts[digit].load(Relaxed);
            // SAFETY: places are a permutation: a digit's keys follow those of earlier tiles.
            unsafe { sorted_keys.unordered()[place[k]] = found };
        }
    }
    if PAIRS {
        barrier();
        for k in 0..KEYS {
            if own + k * subgroup_size() < valid {
                // SAFETY: as for the keys.
                unsafe { staged.unordered()[rank[k]] = value[k] };
            }
        }
        barrier();
        for k in 0..KEYS {
            let at = local + k * WIDTH;
            if at < valid {
                // SAFETY: as for the keys.
                unsafe { sorted_values.unordered()[place[k]] = staged[at] };
            }
        }
    }
}
