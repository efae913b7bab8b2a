//! Scans and reductions of runs in one pass, where workgroups may wait for each other: elements are read once and results written once.
//!
//! Tiles are numbered as workgroups come, so that all tiles before one are under way. Each tells how many heads it has and the result from
//! its last head on; the last of a group of tiles tells the same of the group, the last of a block of groups that of all elements up to its
//! end. What flows into a tile is put together from these in an order that depends on its number alone, so that sums of floats do not
//! depend on which workgroup was faster.

use super::lines::{self, WIDTH};
use super::progress::{Progress, has_wide_atomics};
use super::runs::is_same;
use super::segments::{
    MAX, SUM, after_f32, after_i32, after_u32, combined_f32, combined_i32, combined_u32, neutral_f32, neutral_i32,
    neutral_u32,
};
use super::stages::Stages;
use super::{Word, sealed};
use crate::prelude::*;
use crate::{Plain, Result, TensorView};

/// Numbers of elements, whose reduction needs no tensor; behind the operators of [`segments`](super::segments).
#[device]
pub(super) const ONES: u32 = 3;
/// No results but the first element of each run.
#[device]
pub(super) const FIRSTS: u32 = 4;
/// No results but the marked elements.
#[device]
pub(super) const MARKED: u32 = 5;

/// Vectors of an invocation.
#[device]
const VECTORS: u32 = 4;
/// Tiles of a group, and groups of a block.
#[device]
const FAN: u32 = 32;
/// States count fewer heads.
const MOST: usize = 1 << 31;
/// The bit of a state that is known: the number of heads lies below it, the result in the lower half.
#[device]
const KNOWN: u64 = 1 << 63;

/// Tiles and their states.
pub(super) struct Chain {
    pub(super) tiles: u32,
    states: Tensor<u32>,
}

impl Chain {
    /// Tiles of vectors; none if there is no passing in one go, or the tensor is too short.
    fn new(stages: &mut Stages, mgr: &Manager, len: usize) -> Result<Option<Self>> {
        if len < 4 {
            Ok(None)
        } else {
            Self::of_tiles(stages, mgr, (len / 4).div_ceil((WIDTH * VECTORS) as usize), len)
        }
    }

    /// So many tiles; none where there is no passing in one go: workgroups do not wait for each other, or elements are too many.
    pub(super) fn of_tiles(stages: &mut Stages, mgr: &Manager, tiles: usize, len: usize) -> Result<Option<Self>> {
        let (device, limits) = (mgr.device(), &mgr.device().limits);
        let can_wait = Progress::of(mgr) == Progress::Guaranteed && has_wide_atomics(device);
        let is_wide = limits.subgroup.max_size <= 32 && limits.max_workgroup_invocations >= WIDTH;
        if !can_wait || !is_wide || tiles == 0 || len >= MOST {
            return Ok(None);
        }
        let states = tiles + tiles.div_ceil(FAN as usize) + tiles.div_ceil((FAN * FAN) as usize) + 1;
        let mut states = mgr.tensor_of_len::<u32>(2 * states)?;
        stages.fill(&mut states, 0);
        Ok(Some(Self { tiles: tiles as u32, states }))
    }

    pub(super) fn grid(&self) -> Grid {
        lines::groups(self.tiles as usize)
    }

    pub(super) fn states(&self) -> Result<TensorView<'_, u64>> {
        self.states.cast()
    }
}

/// Elements that begin runs: those that differ from the one before, or those that are marked.
#[derive(Debug)]
pub struct Heads<'a, K: Word> {
    pub(super) keys: &'a Tensor<K>,
    pub(super) are_marks: bool,
}

/// Which elements of vector `i` begin runs, as four bits; `before` is the element before it.
#[device]
fn heads_of(are_marks: bool, is_float: bool, i: u32, before: u32, v: UVec4) -> u32 {
    if are_marks {
        return (v.x != 0) as u32 | ((v.y != 0) as u32) << 1 | ((v.z != 0) as u32) << 2 | ((v.w != 0) as u32) << 3;
    }
    let first = (i == 0 || !is_same(is_float, before, v.x)) as u32;
    first
        | (!is_same(is_float, v.x, v.y) as u32) << 1
        | (!is_same(is_float, v.y, v.z) as u32) << 2
        | (!is_same(is_float, v.z, v.w) as u32) << 3
}

/// The number of the tile that a workgroup takes: the next one, by the count behind all states. `number` is shared memory of its own.
#[device]
pub(super) fn take_tile(states: &[Atomic<u64>], number: &mut [u32]) -> u32 {
    let ticket = (states.len() as u32).wrapping_sub(1);
    if local_id().x == 0 && ticket < states.len() as u32 {
        number[0] = states[ticket].fetch_add(1, Relaxed) as u32;
    }
    barrier();
    number[0]
}

/// The keys just before each of a lane's vectors.
#[device]
fn ahead_of(keys: &[u32], first: u32) -> [u32; 4] {
    let mut edge = [0; 4];
    #[unroll]
    for k in 0..VECTORS {
        let at = (4 * (first + k * subgroup_size())).wrapping_sub(1);
        if at < keys.len() as u32 {
            edge[k] = keys[at];
        }
    }
    edge
}

/// Makes a state known.
#[device]
fn tell(states: &[Atomic<u64>], at: u32, count: u32, bits: u32) {
    if at < states.len() as u32 {
        states[at].store(KNOWN | (count as u64) << 32 | bits as u64, Relaxed);
    }
}

/// The state of `count` from `first` on that a lane looks at first: the last one, the one before it, and so on; zero where there is none.
#[device]
fn state_ahead(states: &[Atomic<u64>], first: u32, count: u32) -> u64 {
    let (lane, end) = (subgroup_local_id(), first + count);
    let mut state = 0;
    if lane < count && end - 1 - lane < states.len() as u32 {
        state = states[end - 1 - lane].load(Relaxed);
    }
    state
}

/// How many heads a state tells of.
#[device]
fn count_of(state: u64) -> u32 {
    (state >> 32) as u32 & 0x7fff_ffff
}

/// The kernels for a type of elements.
macro_rules! chained {
    (
        $ty:ident $Vector:ident $vector:ident, |$number:ident| $bits:expr, |$word:ident| $from_bits:expr,
        $neutral:ident $combined:ident $after:ident,
        $bits_of:ident $from:ident $row:ident $up_to:ident $with:ident $flow:ident $all:ident $fold:ident $before:ident,
        $scan:ident $Scan:ident $scan_rest:ident $ScanRest:ident
        $reduce:ident $Reduce:ident $reduce_rest:ident $ReduceRest:ident
    ) => {
        #[device]
        pub(super) fn $bits_of($number: $ty) -> u32 {
            $bits
        }

        #[device]
        pub(super) fn $from($word: u32) -> $ty {
            $from_bits
        }

        /// Results up to each lane of a subgroup, from the lane before `head` on; zero stands for the lanes before the first one.
        #[device]
        fn $row(op: u32, head: u32, own: $ty) -> $ty {
            let lane = subgroup_local_id();
            let mut value = own;
            #[unroll]
            for power in 0..5 {
                let delta = 1 << power;
                if delta < subgroup_size() {
                    let before = subgroup::shuffle_up(value, delta);
                    if lane >= delta && lane + 1 >= head + delta {
                        value = $combined(op, before, value);
                    }
                }
            }
            value
        }

        /// The result of a whole subgroup's values.
        #[device]
        fn $all(op: u32, own: $ty) -> $ty {
            let mut value = own;
            #[unroll]
            for power in 0..5 {
                let mask = 1 << power;
                if mask < subgroup_size() {
                    value = $combined(op, value, subgroup::shuffle_xor(value, mask));
                }
            }
            value
        }

        /// Results up to each element of a vector, from the last head in it on.
        #[device]
        fn $up_to(op: u32, heads: u32, v: $Vector) -> $Vector {
            let y = $after(op, v.x, heads & 2, v.y);
            let z = $after(op, y, heads & 4, v.z);
            $vector(v.x, y, z, $after(op, z, heads & 8, v.w))
        }

        /// The same with what flows into the vector.
        #[device]
        fn $with(op: u32, heads: u32, flow: $ty, v: $Vector) -> $Vector {
            $vector(
                $after(op, flow, heads & 1, v.x),
                $after(op, flow, heads & 3, v.y),
                $after(op, flow, heads & 7, v.z),
                $after(op, flow, heads, v.w),
            )
        }

        /// The result that flows into a lane from those before it in its subgroup, and out of all of them. `heads` has the lanes with heads,
        /// `carry` what flows into the first lane.
        #[device]
        fn $flow(op: u32, heads: u32, own: $ty, carry: $ty) -> ($ty, $ty) {
            let lane = subgroup_local_id() & 31;
            let below = heads & ((1 << lane) - 1);
            let head = 32 - (heads & (u32::MAX >> (31 - lane))).leading_zeros();
            let up_to = $row(op, head, own);
            let before = subgroup::shuffle_up(up_to, 1);
            let tail = subgroup::shuffle(up_to, subgroup_size() - 1);
            let flow = if lane == 0 { carry } else { $after(op, carry, below, before) };
            (flow, $after(op, carry, heads, tail))
        }

        /// Puts `count` states from `first` on before what lies behind them; `ahead` is what a lane has read of them. Without `is_counted`, only the result counts, and what
        /// is before a head is not waited for.
        #[device]
        fn $fold(
            op: u32,
            is_counted: bool,
            states: &[Atomic<u64>],
            first: u32,
            count: u32,
            ahead: u64,
            behind: (u32, $ty),
        ) -> (u32, $ty) {
            let lane = subgroup_local_id();
            let mut next = ahead;
            let (mut heads, mut value) = behind;
            let mut left = if is_counted || heads == 0 { count } else { 0 };
            while left > 0 {
                // The states just before, one for each lane, the last one first.
                let at = first + left - 1 - lane.min(left - 1);
                let is_inside = lane < left;
                let mut state = next;
                next = 0;
                let mut nearest = 0;
                let mut is_waiting = true;
                while is_waiting {
                    if is_inside && state == 0 && at < states.len() as u32 {
                        state = states[at].load(Relaxed);
                    }
                    nearest = subgroup::min(if count_of(state) > 0 { lane } else { u32::MAX });
                    let is_needed = is_inside && (is_counted || lane <= nearest);
                    is_waiting = subgroup::any(is_needed && state == 0);
                }
                let is_added = is_inside && lane <= nearest;
                let part = $all(op, if is_added { $from(state as u32) } else { $neutral(op) });
                value = $after(op, part, heads, value);
                let own = if is_inside { count_of(state) } else { 0 };
                heads += if is_counted { subgroup::add(own) } else { (nearest != u32::MAX) as u32 };
                left = left.saturating_sub(subgroup_size());
                if !is_counted && heads > 0 {
                    left = 0;
                }
            }
            (heads, value)
        }

        /// The heads before a tile and the result that flows into it; tells that it has `own`, and what its group and its block have if it is the last one of them.
        #[device]
        pub(super) fn $before(
            op: u32,
            is_counted: bool,
            states: &[Atomic<u64>],
            tiles: u32,
            tile: u32,
            own: (u32, $ty),
        ) -> (u32, $ty) {
            let (group, block) = (tile / FAN, tile / (FAN * FAN));
            let blocks = tiles + tiles.div_ceil(FAN);
            let is_first = subgroup_local_id() == 0;
            if is_first {
                tell(states, tile, own.0, $bits_of(own.1));
            }
            // The data that all will wait for is asked for at once.
            let mut ahead = [0; 3];
            if is_counted {
                ahead = [
                    state_ahead(states, group * FAN, tile % FAN),
                    state_ahead(states, tiles + block * FAN, group % FAN),
                    state_ahead(states, blocks + block.saturating_sub(1), (block > 0) as u32),
                ];
            }
            let mut before = $fold(op, is_counted, states, group * FAN, tile % FAN, ahead[0], (0, $neutral(op)));
            if is_first && tile % FAN == FAN - 1 {
                tell(states, tiles + group, before.0 + own.0, $bits_of($after(op, before.1, own.0, own.1)));
            }
            before = $fold(op, is_counted, states, tiles + block * FAN, group % FAN, ahead[1], before);
            let of_blocks = (blocks + block.saturating_sub(1), (block > 0) as u32);
            before = $fold(op, is_counted, states, of_blocks.0, of_blocks.1, ahead[2], before);
            if is_first && tile % (FAN * FAN) == FAN * FAN - 1 {
                tell(states, blocks + block, before.0 + own.0, $bits_of($after(op, before.1, own.0, own.1)));
            }
            before
        }

        /// Scans of runs.
        #[kernel(workgroup = WIDTH)]
        pub fn $scan<const INCLUSIVE: bool, const MARKS: bool>(
            tiles: u32,
            is_float: bool,
            vectors: &[UVec4],
            keys: &[u32],
            x: &[$Vector],
            states: &[Atomic<u64>],
            sums: &mut [$Vector],
        ) {
            let tails = Shared::<[$ty; 256]>::new();
            let marked = Shared::<[u32; 256]>::new();
            let number = Shared::<[u32; 1]>::new();
            let start = Shared::<[$ty; 1]>::new();
            let len = (vectors.len() as u32).min(x.len() as u32).min(sums.len() as u32);
            if len == 0 {
                return;
            }
            let (lane, tile) = (subgroup_local_id(), take_tile(states, &mut number[..]));
            // Each subgroup has a run of its own, of which neighbours read neighbours.
            let first = tile * (WIDTH * VECTORS) + subgroup_id() * subgroup_size() * VECTORS + lane;
            let mut key = [UVec4::ZERO; 4];
            let mut own = [$Vector::ZERO; 4];
            let mut edge = [0; 4];
            // All lanes load, the last ones the same vector: no branch.
            #[unroll]
            for k in 0..VECTORS {
                let i = first + k * subgroup_size();
                key[k] = vectors[i.min(len - 1)];
                own[k] = x[i.min(len - 1)];
            }
            if !MARKS && lane == 0 {
                edge = ahead_of(keys, first);
            }
            let mut flows = [$neutral(SUM); 4];
            let (mut heads, mut behind, mut is_marked) = (0, 0, 0);
            let mut carry = $neutral(SUM);
            #[unroll]
            for k in 0..VECTORS {
                let i = first + k * subgroup_size();
                let before = subgroup::shuffle_up(key[k].w, 1);
                let mut bits = heads_of(MARKS, is_float, i, if lane == 0 { edge[k] } else { before }, key[k]);
                if i >= len {
                    bits = 0;
                    own[k] = $Vector::ZERO;
                }
                own[k] = $up_to(SUM, bits, own[k]);
                let lanes = subgroup::ballot(bits != 0).x;
                let (flow, next) = $flow(SUM, lanes, own[k].w, carry);
                let is_behind = is_marked | lanes & ((1 << (lane & 31)) - 1);
                heads |= bits << (4 * k);
                behind |= ((is_behind != 0) as u32) << k;
                flows[k] = flow;
                carry = next;
                is_marked |= lanes;
            }
            if subgroup::elect() {
                marked[subgroup_id()] = (is_marked != 0) as u32;
                tails[subgroup_id()] = carry;
            }
            barrier();
            if subgroup_id() == 0 {
                let mut all = (marked[0], tails[0]);
                for slot in 1..num_subgroups() {
                    all = (all.0 | marked[slot], $after(SUM, all.1, marked[slot], tails[slot]));
                }
                let mut before = (0, $neutral(SUM));
                if tile < tiles {
                    before = $before(SUM, false, states, tiles, tile, all);
                }
                if lane == 0 {
                    // SAFETY: one lane of one subgroup writes.
                    unsafe { start.unordered()[0] = before.1 };
                }
            }
            barrier();
            carry = start[0];
            for slot in 0..subgroup_id() {
                carry = $after(SUM, carry, marked[slot], tails[slot]);
            }
            #[unroll]
            for k in 0..VECTORS {
                let (i, bits) = (first + k * subgroup_size(), heads >> (4 * k) & 15);
                let flow = $after(SUM, carry, behind >> k & 1, flows[k]);
                let mut result = $with(SUM, bits, flow, own[k]);
                if !INCLUSIVE {
                    let none = $neutral(SUM);
                    result = $vector(
                        if bits & 1 != 0 { none } else { flow },
                        if bits & 2 != 0 { none } else { result.x },
                        if bits & 4 != 0 { none } else { result.y },
                        if bits & 8 != 0 { none } else { result.z },
                    );
                }
                if i < len {
                    // SAFETY: tiles are taken one by one, and each lane has elements of its own in one.
                    unsafe { sums.unordered()[i] = result };
                }
            }
        }

        /// The sums behind the last vector.
        #[kernel(workgroup = 1)]
        pub fn $scan_rest<const INCLUSIVE: bool, const MARKS: bool>(
            is_float: bool,
            keys: &[u32],
            x: &[$ty],
            sums: &mut [$ty],
        ) {
            let len = (keys.len() as u32).min(x.len() as u32).min(sums.len() as u32);
            for i in len / 4 * 4..len {
                let mut sum = if INCLUSIVE { x[i] } else { $neutral(SUM) };
                if i > 0 {
                    let is_head = if MARKS { keys[i] != 0 } else { !is_same(is_float, keys[i - 1], keys[i]) };
                    if !is_head {
                        sum = $combined(SUM, sums[i - 1], if INCLUSIVE { x[i] } else { x[i - 1] });
                    }
                }
                sums[i] = sum;
            }
        }

        /// First elements of runs, their results and their number.
        #[kernel(workgroup = WIDTH)]
        pub fn $reduce<const OP: u32>(
            tiles: u32,
            is_float: bool,
            vectors: &[UVec4],
            keys: &[u32],
            x: &[$Vector],
            states: &[Atomic<u64>],
            firsts: &mut [u32],
            results: &mut [$ty],
            total: &mut [u32],
        ) {
            let tails = Shared::<[$ty; 256]>::new();
            let counts = Shared::<[u32; 256]>::new();
            let number = Shared::<[u32; 1]>::new();
            let start = Shared::<[$ty; 1]>::new();
            let place = Shared::<[u32; 1]>::new();
            let len = (vectors.len() as u32).min(x.len() as u32);
            if len == 0 {
                return;
            }
            let (lane, tile) = (subgroup_local_id(), take_tile(states, &mut number[..]));
            let first = tile * (WIDTH * VECTORS) + subgroup_id() * subgroup_size() * VECTORS + lane;
            let mut key = [UVec4::ZERO; 4];
            let mut own = [$Vector::ONE; 4];
            let mut edge = [0; 4];
            #[unroll]
            for k in 0..VECTORS {
                let i = first + k * subgroup_size();
                key[k] = vectors[i.min(len - 1)];
                if OP != ONES && OP != FIRSTS {
                    own[k] = x[i.min(len - 1)];
                }
            }
            if OP != MARKED && lane == 0 {
                edge = ahead_of(keys, first);
            }
            let mut flows = [$neutral(OP); 4];
            let mut ranks = [0; 4];
            let (mut heads, mut behind, mut count) = (0, 0, 0);
            let mut carry = $neutral(OP);
            #[unroll]
            for k in 0..VECTORS {
                let i = first + k * subgroup_size();
                let before = subgroup::shuffle_up(key[k].w, 1);
                let mut bits = heads_of(OP == MARKED, is_float, i, if lane == 0 { edge[k] } else { before }, key[k]);
                if i >= len {
                    bits = 0;
                }
                let below = (1 << (lane & 31)) - 1;
                let (a, b) = (subgroup::ballot(bits & 1 != 0).x, subgroup::ballot(bits & 2 != 0).x);
                let (c, d) = (subgroup::ballot(bits & 4 != 0).x, subgroup::ballot(bits & 8 != 0).x);
                let lanes = a | b | c | d;
                ranks[k] = count
                    + (a & below).count_ones()
                    + (b & below).count_ones()
                    + (c & below).count_ones()
                    + (d & below).count_ones();
                if OP <= ONES {
                    if i >= len {
                        own[k] = $Vector::splat($neutral(OP));
                    }
                    own[k] = $up_to(OP, bits, own[k]);
                    let (flow, next) = $flow(OP, lanes, own[k].w, carry);
                    behind |= ((ranks[k] != 0) as u32) << k;
                    flows[k] = flow;
                    carry = next;
                }
                heads |= bits << (4 * k);
                count += a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones();
            }
            if subgroup::elect() {
                counts[subgroup_id()] = count;
                tails[subgroup_id()] = carry;
            }
            barrier();
            if subgroup_id() == 0 {
                let mut all = (counts[0], tails[0]);
                for slot in 1..num_subgroups() {
                    all = (all.0 + counts[slot], $after(OP, all.1, counts[slot], tails[slot]));
                }
                let mut before = (0, $neutral(OP));
                if tile < tiles {
                    before = $before(OP, true, states, tiles, tile, all);
                }
                if lane == 0 {
                    // SAFETY: one lane of one subgroup writes.
                    unsafe { start.unordered()[0] = before.1 };
                    // SAFETY: as above.
                    unsafe { place.unordered()[0] = before.0 };
                }
            }
            barrier();
            carry = start[0];
            count = place[0];
            for slot in 0..subgroup_id() {
                carry = $after(OP, carry, counts[slot], tails[slot]);
                count += counts[slot];
            }
            #[unroll]
            for k in 0..VECTORS {
                let (i, bits) = (first + k * subgroup_size(), heads >> (4 * k) & 15);
                let flow = $after(OP, carry, behind >> k & 1, flows[k]);
                let up_to = $with(OP, bits, flow, own[k]);
                // The run that ends where an element begins another.
                let ended = [flow, up_to.x, up_to.y, up_to.z];
                let mut picked = [key[k].x, key[k].y, key[k].z, key[k].w];
                if OP == MARKED {
                    picked = [$bits_of(own[k].x), $bits_of(own[k].y), $bits_of(own[k].z), $bits_of(own[k].w)];
                }
                let mut rank = count + ranks[k];
                #[unroll]
                for j in 0..4 {
                    if bits >> j & 1 != 0 {
                        if rank < firsts.len() as u32 {
                            // SAFETY: the heads before each are counted, so that each has a place of its own.
                            unsafe { firsts.unordered()[rank] = picked[j] };
                        }
                        if OP <= ONES && rank.wrapping_sub(1) < results.len() as u32 {
                            // SAFETY: as above; the first head ends no run.
                            unsafe { results.unordered()[rank.wrapping_sub(1)] = ended[j] };
                        }
                        rank += 1;
                    }
                }
                if i == len - 1 {
                    if OP <= ONES && rank.wrapping_sub(1) < results.len() as u32 {
                        // SAFETY: one lane has the last vector, and no head ends this run.
                        unsafe { results.unordered()[rank.wrapping_sub(1)] = up_to.w };
                    }
                    if total.len() > 0 {
                        // SAFETY: one lane has the last vector.
                        unsafe { total.unordered()[0] = rank };
                    }
                }
            }
        }

        /// The runs that begin or end behind the last vector.
        #[kernel(workgroup = 1)]
        pub fn $reduce_rest<const OP: u32>(
            is_float: bool,
            keys: &[u32],
            x: &[$ty],
            firsts: &mut [u32],
            results: &mut [$ty],
            total: &mut [u32],
        ) {
            let len = keys.len() as u32;
            let mut count = if total.len() > 0 { total[0] } else { 0 };
            for i in len / 4 * 4..len {
                let mut is_head = i == 0;
                if OP == MARKED {
                    is_head = keys[i] != 0;
                } else if i > 0 {
                    is_head = !is_same(is_float, keys[i - 1], keys[i]);
                }
                let mut own = $from(1);
                if OP != ONES && OP != FIRSTS && i < x.len() as u32 {
                    own = x[i];
                }
                if is_head {
                    if count < firsts.len() as u32 {
                        firsts[count] = if OP == MARKED { $bits_of(own) } else { keys[i] };
                    }
                    if OP <= ONES && count < results.len() as u32 {
                        results[count] = own;
                    }
                    count += 1;
                } else if OP <= ONES && count > 0 && count - 1 < results.len() as u32 {
                    results[count - 1] = $combined(OP, results[count - 1], own);
                }
            }
            if total.len() > 0 {
                total[0] = count;
            }
        }

        impl sealed::Chained for $ty {
            fn scan_chained<K: Word>(
                stages: &mut Stages,
                heads: &Heads<'_, K>,
                x: &Tensor<Self>,
                sums: &mut Tensor<Self>,
                is_inclusive: bool,
            ) -> Result<bool> {
                let (mgr, keys, is_whole) = (&x.manager(), heads.keys, x.len().is_multiple_of(4));
                let (Ok(vectors), Ok(own), Ok(_)) =
                    (keys.cast::<UVec4>(), x.cast::<$Vector>(), sums.cast_mut::<$Vector>())
                else {
                    return Ok(false);
                };
                let Some(chain) = Chain::new(stages, mgr, x.len())? else { return Ok(false) };
                let states = chain.states()?;
                macro_rules! launch {
                    ($is_inclusive:literal, $are_marks:literal) => {{
                        let mut whole = sums.cast_mut::<$Vector>()?;
                        stages.launch::<$Scan<$is_inclusive, $are_marks>>(chain.grid(), |args| {
                            let args = args.value(chain.tiles).value(K::IS_FLOAT).read(&vectors).read(keys);
                            args.read(&own).read::<u64>(&states).write(&mut whole)
                        });
                        if !is_whole {
                            stages.launch::<$ScanRest<$is_inclusive, $are_marks>>(Grid::groups(1), |args| {
                                args.value(K::IS_FLOAT).read(keys).read(x).write(sums)
                            });
                        }
                    }};
                }
                match (is_inclusive, heads.are_marks) {
                    (false, false) => launch!(false, false),
                    (false, true) => launch!(false, true),
                    (true, false) => launch!(true, false),
                    (true, true) => launch!(true, true),
                }
                Ok(true)
            }

            type ReduceChained<const OP: u32> = $Reduce<OP>;
            type ReduceRest<const OP: u32> = $ReduceRest<OP>;
            type Vectors = $Vector;
        }
    };
}

chained!(
    u32 UVec4 uvec4, |number| number, |word| word, neutral_u32 combined_u32 after_u32,
    bits_of_u32 from_bits_u32 row_u32 up_to_u32 with_u32 flow_u32 all_u32 fold_u32 before_u32,
    scan_chained_u32 ScanChainedU32 scan_rest_u32 ScanRestU32
    reduce_chained_u32 ReduceChainedU32 reduce_rest_u32 ReduceRestU32
);
chained!(
    i32 IVec4 ivec4, |number| number as u32, |word| word as i32, neutral_i32 combined_i32 after_i32,
    bits_of_i32 from_bits_i32 row_i32 up_to_i32 with_i32 flow_i32 all_i32 fold_i32 before_i32,
    scan_chained_i32 ScanChainedI32 scan_rest_i32 ScanRestI32
    reduce_chained_i32 ReduceChainedI32 reduce_rest_i32 ReduceRestI32
);
chained!(
    f32 Vec4 vec4, |number| number.to_bits(), |word| f32::from_bits(word), neutral_f32 combined_f32 after_f32,
    bits_of_f32 from_bits_f32 row_f32 up_to_f32 with_f32 flow_f32 all_f32 fold_f32 before_f32,
    scan_chained_f32 ScanChainedF32 scan_rest_f32 ScanRestF32
    reduce_chained_f32 ReduceChainedF32 reduce_rest_f32 ReduceRestF32
);

/// Appends a reduction of runs by an operator of [`segments`](super::segments), or one of those here, in one pass; false where there is
/// none. First elements and results lie side by side, `total` is the number of runs. For [`ONES`] and [`FIRSTS`] any `x` of that length will
/// do, and for [`FIRSTS`] and [`MARKED`] any `results`.
pub(super) fn reduce<const OP: u32, K: Word, F: Word, T: Plain + sealed::Chained>(
    stages: &mut Stages,
    keys: &Tensor<K>,
    x: &Tensor<T>,
    firsts: &mut Tensor<F>,
    results: &mut Tensor<T>,
    total: &mut Tensor<u32>,
) -> Result<bool> {
    const { assert!(MAX < ONES && OP <= MARKED) };
    let mgr = &keys.manager();
    let (Ok(vectors), Ok(own)) = (keys.cast::<UVec4>(), x.cast::<T::Vectors>()) else { return Ok(false) };
    let Some(chain) = Chain::new(stages, mgr, keys.len())? else { return Ok(false) };
    let states = chain.states()?;
    stages.launch::<T::ReduceChained<OP>>(chain.grid(), |args| {
        let args = args.value(chain.tiles).value(K::IS_FLOAT).read(&vectors).read(keys).read(&own);
        args.read::<u64>(&states).write(firsts).write(results).write(total)
    });
    if !keys.len().is_multiple_of(4) {
        stages.launch::<T::ReduceRest<OP>>(Grid::groups(1), |args| {
            args.value(K::IS_FLOAT).read(keys).read(x).write(firsts).write(results).write(total)
        });
    }
    Ok(true)
}

/// Appends moving the elements of `x` that `keep` marks to the front of `kept`, and counting them, in one pass; false where there is none.
pub(super) fn marked<T: Word>(
    stages: &mut Stages,
    x: &Tensor<T>,
    keep: &Tensor<u32>,
    kept: &mut Tensor<T>,
    count: &mut Tensor<u32>,
) -> Result<bool> {
    let mut results = x.manager().tensor_of_len::<u32>(1)?;
    // To a kernel that moves them, all elements are words.
    let Ok(words) = x.cast::<u32>() else { return Ok(false) };
    reduce::<MARKED, _, _, u32>(stages, keep, &words, kept, &mut results, count)
}
