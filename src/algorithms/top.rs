//! The largest or smallest elements of a tensor: a radix search for the last of them, and a sort of those that it leaves.

use super::chained::{Chain, before_u32, take_tile};
use super::lines::{self, item};
use super::scan::scan;
use super::segments::SUM;
use super::sort::ordered;
use super::stages::Stages;
use super::sweep::restored;
use super::{OpSort, SortKey, expect_len, operation};
use crate::prelude::*;
use crate::{Error, Result};

/// Invocations of a workgroup, and values of a digit.
#[device]
const WIDTH: u32 = 256;
/// Copies of counts.
#[device]
const COPIES: u32 = 8;
/// Vectors of an invocation that takes.
#[device]
const VECTORS: u32 = 4;
/// Workgroups that count, at most: enough to fill the largest devices several times.
const MAX_GROUPS: usize = 1056;

/// The largest or smallest elements of a tensor, in order, with their indices. Of equal elements those with the lowest indices come first.
///
/// Elements are in the order of [`OpSort`], so that NaN is the largest. Only the found elements are sorted. If workgroups can wait for each
/// other (see [`Progress`](super::Progress)) and subgroups have at most 32 lanes, the tensor is read six times. Work space: six words for
/// each element that is found, and four for each 4096 of the tensor. Else the tensor is read about ten times, with two words more of work
/// space for each of its elements.
///
/// ```
/// use gridwise::algorithms::OpTopK;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[0.5f32, 9.0, -1.0, 9.0, 3.0])?;
/// let (mut values, mut indices) = (mgr.tensor_of_len(3)?, mgr.tensor_of_len(3)?);
/// mgr.sequence()?.record(OpTopK::largest(&x, &mut values, &mut indices)?)?.eval()?;
/// assert_eq!((values.to_vec()?, indices.to_vec()?), (vec![9.0, 9.0, 3.0], vec![1, 3, 4]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpTopK(Stages);

operation!(OpTopK);

impl OpTopK {
    /// The largest elements of `x`, the largest first: as many as `values` has.
    ///
    /// # Errors
    /// When `values` is longer than `x`, `indices` has another length than `values`, or there is no memory for the work space.
    pub fn largest<K: SortKey>(x: &Tensor<K>, values: &mut Tensor<K>, indices: &mut Tensor<u32>) -> Result<Self> {
        Self::new("largest elements", u32::MAX, x, values, indices)
    }

    /// The smallest elements of `x`, the smallest first: as many as `values` has.
    ///
    /// # Errors
    /// As [`largest`](Self::largest).
    pub fn smallest<K: SortKey>(x: &Tensor<K>, values: &mut Tensor<K>, indices: &mut Tensor<u32>) -> Result<Self> {
        Self::new("smallest elements", 0, x, values, indices)
    }

    fn new<K: SortKey>(
        name: &'static str,
        flip: u32,
        x: &Tensor<K>,
        values: &mut Tensor<K>,
        indices: &mut Tensor<u32>,
    ) -> Result<Self> {
        let (count, len) = (values.len(), x.len());
        if count > len {
            return Err(Error::ArgumentMismatch {
                kernel: name.into(),
                param: "`values`".to_owned(),
                expected: format!("at most the {len} elements of `x`"),
                found: count.to_string(),
            });
        }
        expect_len("indices into", (3, "indices"), indices, count)?;
        let mut stages = Stages::new(name);
        if count == 0 {
            return Ok(Self(stages));
        }
        let mgr = &x.manager();
        let (mut counts, mut last) = (mgr.tensor_of_len::<u32>(4 * WIDTH as usize)?, mgr.tensor_of_len::<u32>(8)?);
        stages.fill(&mut counts, 0);
        let vectors = x.cast::<UVec4>()?;
        let grid = Grid::groups(len.div_ceil(4 * WIDTH as usize).min(MAX_GROUPS) as u32);
        for pass in 0..4u32 {
            stages.launch::<CountCandidates>(grid, |args| {
                args.value(K::ORDER).value(flip).value(pass).read(&last).read(&vectors).read(x).read(&counts)
            });
            stages.launch::<NarrowCandidates>(Grid::groups(1), |args| {
                args.value(pass).value(count as u32).read(&counts).write(&mut last)
            });
        }
        let mut keys = mgr.tensor_of_len::<u32>(count)?;
        if take_chained::<K>(&mut stages, flip, x, &last, &mut keys, indices)? {
            sort_taken(&mut stages, flip, &mut keys, values, indices)?;
            return Ok(Self(stages));
        }
        let (mut marks, mut places) = (mgr.tensor_of_len::<u32>(len)?, mgr.tensor_of_len::<u32>(len)?);
        let grid = lines::items(len);
        stages.launch::<MarkEqual>(grid, |args| args.value(K::ORDER).value(flip).read(&last).read(x).write(&mut marks));
        scan(&mut stages, mgr, &marks, &mut places, true)?;
        stages.launch::<MarkFound>(grid, |args| {
            args.value(K::ORDER).value(flip).read(&last).read(x).read(&places).write(&mut marks)
        });
        scan(&mut stages, mgr, &marks, &mut places, true)?;
        stages.launch::<TakeFound>(grid, |args| {
            args.value(K::ORDER).value(flip).read(x).read(&marks).read(&places).write(&mut keys).write(indices)
        });
        sort_taken(&mut stages, flip, &mut keys, values, indices)?;
        Ok(Self(stages))
    }
}

/// Appends bringing what was taken in order.
fn sort_taken<K: SortKey>(
    stages: &mut Stages,
    flip: u32,
    keys: &mut Tensor<u32>,
    values: &mut Tensor<K>,
    indices: &mut Tensor<u32>,
) -> Result<()> {
    stages.append(OpSort::by_key(keys, indices)?.0);
    stages.launch::<RestoreKeys>(lines::items(values.len()), |args| {
        args.value(K::ORDER).value(flip).read(&*keys).write(values)
    });
    Ok(())
}

/// Appends taking what is before the last key, and then as many of its equals as there is room for, in one pass each; false where there is
/// none.
fn take_chained<K: SortKey>(
    stages: &mut Stages,
    flip: u32,
    x: &Tensor<K>,
    last: &Tensor<u32>,
    keys: &mut Tensor<u32>,
    indices: &mut Tensor<u32>,
) -> Result<bool> {
    let (mgr, vectors) = (&x.manager(), x.cast::<UVec4>()?);
    let tiles = x.len().div_ceil((4 * WIDTH * VECTORS) as usize);
    macro_rules! take {
        ($are_equal:literal) => {
            let Some(chain) = Chain::of_tiles(stages, mgr, tiles, x.len())? else { return Ok(false) };
            let states = chain.states()?;
            stages.launch::<Take<$are_equal>>(chain.grid(), |args| {
                let args = args.value(chain.tiles).value(K::ORDER).value(flip).read(last).read(&vectors).read(x);
                args.read::<u64>(&states).write(keys).write(indices)
            });
        };
    }
    take!(false);
    take!(true);
    Ok(true)
}

/// Takes the elements before the last key, to the front, or those equal to it, to the end: as many as there is room for. All keep their order.
#[kernel(workgroup = WIDTH)]
fn take<const EQUAL: bool>(
    tiles: u32,
    order: u32,
    flip: u32,
    last: &[u32],
    vectors: &[UVec4],
    x: &[u32],
    states: &[Atomic<u64>],
    keys: &mut [u32],
    indices: &mut [u32],
) {
    let counts = Shared::<[u32; 256]>::new();
    let number = Shared::<[u32; 1]>::new();
    let start = Shared::<[u32; 1]>::new();
    let (len, whole) = (x.len() as u32, vectors.len() as u32);
    let (lane, tile) = (subgroup_local_id(), take_tile(states, &mut number[..]));
    let first = tile * (WIDTH * VECTORS) + subgroup_id() * subgroup_size() * VECTORS + lane;
    let mut own = [UVec4::ZERO; 4];
    #[unroll]
    for k in 0..VECTORS {
        let i = first + k * subgroup_size();
        if i < whole {
            own[k] = vectors[i];
        }
    }
    let (end, left) = (last[6], last[7]);
    let mut ranks = [0; 4];
    let (mut taken, mut count) = (0, 0);
    let below = (1 << (lane & 31)) - 1;
    #[unroll]
    for k in 0..VECTORS {
        let i = first + k * subgroup_size();
        if i == whole {
            // Less than a vector.
            #[unroll]
            for j in 0..3 {
                if 4 * i + j < len {
                    own[k][j as usize] = x[4 * i + j];
                }
            }
        }
        let mut bits = 0;
        #[unroll]
        for j in 0..4 {
            own[k][j as usize] = ordered(order, own[k][j as usize]) ^ flip;
            let key = own[k][j as usize];
            let is_taken = i <= whole && 4 * i + j < len && if EQUAL { key == end } else { key < end };
            bits |= (is_taken as u32) << j;
        }
        ranks[k] = count;
        #[unroll]
        for j in 0..4 {
            let lanes = subgroup::ballot(bits >> j & 1 != 0).x;
            ranks[k] += (lanes & below).count_ones();
            count += lanes.count_ones();
        }
        taken |= bits << (4 * k);
    }
    if subgroup::elect() {
        counts[subgroup_id()] = count;
    }
    barrier();
    if subgroup_id() == 0 {
        let mut all = 0;
        for slot in 0..num_subgroups() {
            all += counts[slot];
        }
        let mut before = (0, 0);
        if tile < tiles {
            before = before_u32(SUM, true, states, tiles, tile, (all, 0));
        }
        if lane == 0 {
            // SAFETY: one lane of one subgroup writes.
            unsafe { start.unordered()[0] = before.0 };
        }
    }
    barrier();
    count = start[0];
    for slot in 0..subgroup_id() {
        count += counts[slot];
    }
    let room = if EQUAL { left } else { u32::MAX };
    let base = if EQUAL { (keys.len() as u32).saturating_sub(left) } else { 0 };
    #[unroll]
    for k in 0..VECTORS {
        let mut rank = count + ranks[k];
        #[unroll]
        for j in 0..4 {
            if taken >> (4 * k + j) & 1 != 0 {
                let place = base.wrapping_add(rank);
                if rank < room && place < keys.len() as u32 && place < indices.len() as u32 {
                    // SAFETY: those before each are counted, so that each has a place of its own.
                    unsafe { keys.unordered()[place] = own[k][j as usize] };
                    // SAFETY: as above.
                    unsafe { indices.unordered()[place] = 4 * (first + k * subgroup_size()) + j };
                }
                rank += 1;
            }
        }
    }
}

/// Counts the next eight bits of keys that begin with the bits found so far.
#[kernel(workgroup = WIDTH)]
fn count_candidates(
    order: u32,
    flip: u32,
    pass: u32,
    last: &[u32],
    vectors: &[UVec4],
    x: &[u32],
    counts: &[Atomic<u32>],
) {
    // Neighbours count in copies of their own: many keys begin with the same bits.
    let slots = Shared::<[Atomic<u32>; 2048]>::new();
    let (local, len) = (local_id().x, vectors.len() as u32);
    let copy = local & (COPIES - 1);
    let shift = 24 - 8 * pass.min(3);
    let mut begin = 0;
    let mut mask = 0;
    if pass > 0 && 2 * pass <= last.len() as u32 {
        begin = last[2 * pass - 2];
        mask = u32::MAX << (shift + 8);
    }
    barrier();
    let mut i = global_id().x;
    while i < len {
        let v = vectors[i];
        let keys = [v.x, v.y, v.z, v.w];
        #[unroll]
        for j in 0..4 {
            let key = ordered(order, keys[j]) ^ flip;
            if key & mask == begin {
                slots[(key >> shift & (WIDTH - 1)) * COPIES + copy].fetch_add(1, Relaxed);
            }
        }
        i = i.saturating_add(num_workgroups().x * WIDTH);
    }
    // Less than a vector.
    let rest = len * 4 + global_id().x;
    if global_id().x < 4 && rest < x.len() as u32 {
        let key = ordered(order, x[rest]) ^ flip;
        if key & mask == begin {
            slots[(key >> shift & (WIDTH - 1)) * COPIES + copy].fetch_add(1, Relaxed);
        }
    }
    barrier();
    let mut found = 0;
    for copy in 0..COPIES {
        found += slots[local * COPIES + copy].load(Relaxed);
    }
    let at = pass * WIDTH + local;
    if found > 0 && at < counts.len() as u32 {
        counts[at].fetch_add(found, Relaxed);
    }
}

/// Finds the digit of the last key that counts, and how many keys with the bits found so far do.
#[kernel(workgroup = WIDTH)]
fn narrow_candidates(pass: u32, all: u32, counts: &[u32], last: &mut [u32]) {
    let slots = Shared::<[u32; 256]>::new();
    let local = local_id().x;
    let at = pass * WIDTH + local;
    let own = if at < counts.len() as u32 { counts[at] } else { 0 };
    slots[local] = own;
    let shift = 24 - 8 * pass.min(3);
    let mut begin = 0;
    let mut left = all;
    if pass > 0 && 2 * pass <= last.len() as u32 {
        begin = last[2 * pass - 2];
        left = last[2 * pass - 1];
    }
    barrier();
    let mut below = 0;
    for digit in 0..local {
        below += slots[digit];
    }
    if below < left && left - below <= own && 2 * pass + 1 < last.len() as u32 {
        // SAFETY: the last key has one digit here.
        unsafe { last.unordered()[2 * pass] = begin | local << shift };
        // SAFETY: as above.
        unsafe { last.unordered()[2 * pass + 1] = left - below };
    }
}

/// Marks what equals the last key.
#[kernel(workgroup = 256)]
fn mark_equal(order: u32, flip: u32, last: &[u32], x: &[u32], marks: &mut [u32]) {
    let i = item();
    if i < x.len() as u32 && i < marks.len() as u32 {
        marks[i] = (ordered(order, x[i]) ^ flip == last[6]) as u32;
    }
}

/// Marks what is before the last key, and as many of its equals as there is room for.
#[kernel(workgroup = 256)]
fn mark_found(order: u32, flip: u32, last: &[u32], x: &[u32], equals: &[u32], marks: &mut [u32]) {
    let i = item();
    if i < x.len() as u32 && i < marks.len() as u32 {
        let key = ordered(order, x[i]) ^ flip;
        marks[i] = (key < last[6] || (key == last[6] && equals[i] <= last[7])) as u32;
    }
}

#[kernel(workgroup = 256)]
fn take_found(order: u32, flip: u32, x: &[u32], marks: &[u32], places: &[u32], keys: &mut [u32], indices: &mut [u32]) {
    let i = item();
    if i < x.len() as u32 && marks[i] == 1 {
        // SAFETY: marked elements have places of their own, as the marks before each are counted.
        unsafe { keys.unordered()[places[i] - 1] = ordered(order, x[i]) ^ flip };
        // SAFETY: as above.
        unsafe { indices.unordered()[places[i] - 1] = i };
    }
}

#[kernel(workgroup = 256)]
fn restore_keys(order: u32, flip: u32, keys: &[u32], values: &mut [u32]) {
    let i = item();
    if i < keys.len() as u32 && i < values.len() as u32 {
        values[i] = restored(order, keys[i] ^ flip);
    }
}
