//! Merging: two sorted tensors as one, by parts that all have the same number of results (Green, Odeh, Birk, Merge Path).

use super::lines::{self, RUN, TILE, WIDTH, group};
use super::sort::ordered;
use super::stages::Stages;
use super::sweep::restored;
use super::{SortKey, Word, expect_len, operation};
use crate::Result;
use crate::prelude::*;

/// Merges two sorted tensors, or sorted keys with a value for each. Equal keys keep their order, those of the first tensor before those of
/// the second.
///
/// Keys are in the order of [`OpSort`](super::OpSort). If they are not sorted, the result has all of them in some order. No work space.
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
        stages.launch::<MergeTiles<false>>(lines::groups(merged.len().div_ceil(TILE as usize)), |args| {
            args.value(K::ORDER).read(a).read(&none).read(b).read(&none).write(merged).write(&mut values)
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
        stages.launch::<MergeTiles<true>>(lines::groups(merged.len().div_ceil(TILE as usize)), |args| {
            args.value(K::ORDER).read(a).read(a_values).read(b).read(b_values).write(merged).write(values)
        });
        Ok(Self(stages))
    }
}

/// How many of the first `count` results are elements of `a`.
#[device]
fn taken_of_first(order: u32, a: &[u32], b: &[u32], count: u32) -> u32 {
    let mut low = count.saturating_sub(b.len() as u32);
    let mut high = count.min(a.len() as u32);
    while low < high {
        let middle = low + (high - low) / 2;
        if ordered(order, a[middle]) <= ordered(order, b[count - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Merges what makes a tile of results in shared memory.
#[kernel(workgroup = WIDTH)]
fn merge_tiles<const PAIRS: bool>(
    order: u32,
    a: &[u32],
    a_values: &[u32],
    b: &[u32],
    b_values: &[u32],
    merged: &mut [u32],
    values: &mut [u32],
) {
    let splits = Shared::<[u32; 2]>::new();
    // Those of `a`, and those of `b` behind them.
    let keys = Shared::<[u32; 2048]>::new();
    let sources = Shared::<[u32; 2048]>::new();
    let (local, len) = (local_id().x, merged.len() as u32);
    let first = group().saturating_mul(TILE).min(len);
    let count = TILE.min(len - first);
    if local < 2 {
        splits[local] = taken_of_first(order, a, b, first + local * count);
    }
    barrier();
    let from_a = splits[0];
    // Keys that are not sorted give anything.
    let count_a = splits[1].saturating_sub(from_a).min(count);
    let from_b = first - from_a;
    for k in 0..RUN {
        let at = k * WIDTH + local;
        if at < count {
            keys[at] = ordered(order, if at < count_a { a[from_a + at] } else { b[from_b + (at - count_a)] });
        }
    }
    barrier();
    let start = (local * RUN).min(count);
    let mut low = start.saturating_sub(count - count_a);
    let mut high = start.min(count_a);
    while low < high {
        let middle = (low + high) / 2;
        if keys[middle & (TILE - 1)] <= keys[(count_a + start - 1 - middle) & (TILE - 1)] {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let mut next_a = low;
    let mut next_b = count_a + start - low;
    for k in 0..RUN {
        let at = local * RUN + k;
        if at < count {
            let is_a = next_b >= count || (next_a < count_a && keys[next_a & (TILE - 1)] <= keys[next_b & (TILE - 1)]);
            sources[at] = if is_a { next_a } else { next_b };
            next_a += is_a as u32;
            next_b += !is_a as u32;
        }
    }
    barrier();
    for k in 0..RUN {
        let at = k * WIDTH + local;
        if at < count {
            let from = sources[at];
            // SAFETY: each invocation has elements of its own.
            unsafe { merged.unordered()[first + at] = restored(order, keys[from & (TILE - 1)]) };
            if PAIRS {
                // SAFETY: as for the keys.
                unsafe {
                    values.unordered()[first + at] =
                        if from < count_a { a_values[from_a + from] } else { b_values[from_b + (from - count_a)] }
                };
            }
        }
    }
}
