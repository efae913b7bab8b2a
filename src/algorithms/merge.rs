//! Merging: two sorted tensors as one, by parts that all have the same number of results (Green, Odeh, Birk, Merge Path).

use super::lines::{self, WIDTH, group, item};
use super::sort::ordered;
use super::stages::Stages;
use super::sweep::restored;
use super::{SortKey, Word, expect_len, operation};
use crate::Result;
use crate::prelude::*;

/// Elements of an invocation: an odd number.
#[device]
const RUN: u32 = 7;
/// Results of a tile.
#[device]
const TILE: u32 = WIDTH * RUN;

/// Merges two sorted tensors, or sorted keys with a value for each. Equal keys keep their order, those of the first tensor before those of
/// the second.
///
/// Keys are in the order of [`OpSort`](super::OpSort). If the inputs are not sorted, the contents of the result are
/// unspecified. Work space: one word for each 1792 results, and two more.
///
/// ```
/// use gridwise::algorithms::OpMerge;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let (a, b) = (mgr.tensor(&[1.0f32, 4.0])?, mgr.tensor(&[-2.0f32, 1.5, 9.0])?);
/// let mut merged = mgr.tensor_of_len(5)?;
/// mgr.sequence()?.record(OpMerge::new(&a, &b, &mut merged)?)?.eval()?;
/// assert_eq!(merged.to_vec()?, [-2.0, 1.0, 1.5, 4.0, 9.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpMerge(Stages);

operation!(OpMerge);

impl OpMerge {
    /// Merges `a` and `b` into `merged`.
    ///
    /// # Errors
    /// When `merged` does not have as many elements as both together.
    pub fn new<K: SortKey>(a: &Tensor<K>, b: &Tensor<K>, merged: &mut Tensor<K>) -> Result<Self> {
        expect_len("merging into", (3, "merged"), merged, a.len() + b.len())?;
        let mgr = a.manager();
        let (none, mut values) = (mgr.tensor_of_len::<u32>(1)?, mgr.tensor_of_len::<u32>(1)?);
        let mut stages = Stages::new("merge");
        let (tiles, splits) = split(&mut stages, a, b)?;
        stages.launch::<MergeTiles<false>>(tiles, |args| {
            args.value(K::ORDER).read(&splits).read(a).read(&none).read(b).read(&none).write(merged).write(&mut values)
        });
        Ok(Self(stages))
    }

    /// Merges two pairs of keys and values into a third.
    ///
    /// ```
    /// # use gridwise::{algorithms::OpMerge, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let (a, a_values) = (mgr.tensor(&[1u32, 4])?, mgr.tensor(&[0.5f32, 1.5])?);
    /// let (b, b_values) = (mgr.tensor(&[2u32, 4])?, mgr.tensor(&[2.5f32, 3.5])?);
    /// let (mut keys, mut values) = (mgr.tensor_of_len(4)?, mgr.tensor_of_len(4)?);
    /// let merge = OpMerge::by_key((&a, &a_values), (&b, &b_values), (&mut keys, &mut values))?;
    /// mgr.sequence()?.record(merge)?.eval()?;
    /// assert_eq!((keys.to_vec()?, values.to_vec()?), (vec![1, 2, 4, 4], vec![0.5, 2.5, 1.5, 3.5]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When keys and values differ in length, or the third pair does not have as many as both together.
    pub fn by_key<K: SortKey, V: Word>(
        (a, a_values): (&Tensor<K>, &Tensor<V>),
        (b, b_values): (&Tensor<K>, &Tensor<V>),
        (merged, values): (&mut Tensor<K>, &mut Tensor<V>),
    ) -> Result<Self> {
        expect_len("merging by as many keys", (1, "a_values"), a_values, a.len())?;
        expect_len("merging by as many keys", (2, "b_values"), b_values, b.len())?;
        expect_len("merging into", (3, "merged"), merged, a.len() + b.len())?;
        expect_len("merging into", (3, "values"), values, a.len() + b.len())?;
        let mut stages = Stages::new("merge by key");
        let (tiles, splits) = split(&mut stages, a, b)?;
        stages.launch::<MergeTiles<true>>(tiles, |args| {
            args.value(K::ORDER).read(&splits).read(a).read(a_values).read(b).read(b_values).write(merged).write(values)
        });
        Ok(Self(stages))
    }
}

/// Appends finding where tiles of results begin; gives a grid of a workgroup for each, and how many elements of `a` are before each.
fn split<K: SortKey>(stages: &mut Stages, a: &Tensor<K>, b: &Tensor<K>) -> Result<(Grid, Tensor<u32>)> {
    let len = a.len() + b.len();
    let tiles = len.div_ceil(TILE as usize);
    let mut splits = a.manager().tensor_of_len::<u32>(tiles + 1)?;
    stages.launch::<SplitTiles>(lines::items(splits.len()), |args| {
        args.value(K::ORDER).value(len as u32).read(a).read(b).write(&mut splits)
    });
    Ok((lines::groups(tiles), splits))
}

/// How many of the first `count` results are elements of `a`.
#[device]
fn taken_of_first(order: u32, a: &[u32], b: &[u32], count: u32) -> u32 {
    let mut low = count.saturating_sub(b.len() as u32);
    let mut high = count.min(a.len() as u32);
    while low < high {
        let middle = low + (high - low) / 2;
        let at = count - 1 - middle;
        let left = if middle < a.len() as u32 { a[middle] } else { 0 };
        let right = if at < b.len() as u32 { b[at] } else { 0 };
        if ordered(order, left) <= ordered(order, right) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// How many elements of `a` are before each tile of `len` results: searched for all tiles at once, since each step waits for memory.
#[kernel(workgroup = WIDTH)]
pub(super) fn split_tiles(order: u32, len: u32, a: &[u32], b: &[u32], splits: &mut [u32]) {
    let i = item();
    if i < splits.len() as u32 {
        splits[i] = taken_of_first(order, a, b, i.saturating_mul(TILE).min(len));
    }
}

/// Merges what makes a tile of results in shared memory.
#[kernel(workgroup = WIDTH)]
pub(super) fn merge_tiles<const PAIRS: bool>(
    order: u32,
    splits: &[u32],
    a: &[u32],
    a_values: &[u32],
    b: &[u32],
    b_values: &[u32],
    merged: &mut [u32],
    values: &mut [u32],
) {
    // Those of `a`, and those of `b` behind them; then the results, or where they come from.
    let keys = Shared::<[u32; 1792]>::new();
    let (local, len, tile) = (local_id().x, merged.len() as u32, group());
    let first = tile.saturating_mul(TILE).min(len);
    let count = TILE.min(len - first);
    let from_a = if tile < splits.len() as u32 { splits[tile] } else { 0 };
    let to_a = if tile + 1 < splits.len() as u32 { splits[tile + 1] } else { from_a };
    // Keys that are not sorted give anything.
    let count_a = to_a.saturating_sub(from_a).min(count);
    let from_b = first.wrapping_sub(from_a);
    let mut own = [0; 7];
    #[unroll]
    for k in 0..RUN {
        let at = k * WIDTH + local;
        let (in_a, in_b) = (from_a.wrapping_add(at), from_b.wrapping_add(at.wrapping_sub(count_a)));
        if at < count_a {
            own[k] = if in_a < a.len() as u32 { a[in_a] } else { 0 };
        } else if at < count {
            own[k] = if in_b < b.len() as u32 { b[in_b] } else { 0 };
        }
    }
    #[unroll]
    for k in 0..RUN {
        keys[k * WIDTH + local] = ordered(order, own[k]);
    }
    barrier();
    let start = (local * RUN).min(count);
    let mut low = start.saturating_sub(count - count_a);
    let mut high = start.min(count_a);
    while low < high {
        let middle = (low + high) / 2;
        if keys[middle.min(TILE - 1)] <= keys[(count_a + start - 1 - middle).min(TILE - 1)] {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let mut next_a = low;
    let mut next_b = count_a + start - low;
    let mut key_a = keys[next_a.min(TILE - 1)];
    let mut key_b = keys[next_b.min(TILE - 1)];
    let mut source = [0; 7];
    #[unroll]
    for k in 0..RUN {
        let is_a = next_b >= count || (next_a < count_a && key_a <= key_b);
        own[k] = if is_a { key_a } else { key_b };
        source[k] = if is_a { next_a } else { next_b };
        next_a += is_a as u32;
        next_b += !is_a as u32;
        let next = keys[(if is_a { next_a } else { next_b }).min(TILE - 1)];
        key_a = if is_a { next } else { key_a };
        key_b = if is_a { key_b } else { next };
    }
    barrier();
    // An odd number of elements apart, so that neighbours write to different banks.
    #[unroll]
    for k in 0..RUN {
        keys[local * RUN + k] = own[k];
    }
    barrier();
    #[unroll]
    for k in 0..RUN {
        let at = k * WIDTH + local;
        if at < count && first + at < merged.len() as u32 {
            // SAFETY: each invocation has elements of its own.
            unsafe { merged.unordered()[first + at] = restored(order, keys[at]) };
        }
    }
    if PAIRS {
        barrier();
        #[unroll]
        for k in 0..RUN {
            keys[local * RUN + k] = source[k];
        }
        barrier();
        #[unroll]
        for k in 0..RUN {
            let at = k * WIDTH + local;
            let from = keys[at];
            let (in_a, in_b) = (from_a.wrapping_add(from), from_b.wrapping_add(from.wrapping_sub(count_a)));
            own[k] = 0;
            if at < count && from < count_a {
                own[k] = if in_a < a_values.len() as u32 { a_values[in_a] } else { 0 };
            } else if at < count {
                own[k] = if in_b < b_values.len() as u32 { b_values[in_b] } else { 0 };
            }
        }
        #[unroll]
        for k in 0..RUN {
            let at = k * WIDTH + local;
            if at < count && first + at < values.len() as u32 {
                // SAFETY: as for the keys.
                unsafe { values.unordered()[first + at] = own[k] };
            }
        }
    }
}
