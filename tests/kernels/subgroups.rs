//! Subgroup operations. Their size differs between devices, so each kernel compares with the same computed from shared
//! memory and writes which comparisons failed: none may.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

/// The entries.
pub const CASES: &[Case] = &[
    case!("subgroups::reductions", [Reductions], |mgr| run(mgr, Reductions::dispatch), none),
    case!("subgroups::scans", [Scans], |mgr| run(mgr, Scans::dispatch), none),
    case!("subgroups::floats", [Floats], |mgr| run(mgr, Floats::dispatch), none),
    case!("subgroups::flags", [Flags], |mgr| run(mgr, Flags::dispatch), none),
    case!("subgroups::votes", [Votes], |mgr| run(mgr, Votes::dispatch), none),
    case!("subgroups::shuffles", [Shuffles], |mgr| run(mgr, Shuffles::dispatch), none),
    case!("subgroups::wide_shuffles", [WideShuffles], |mgr| run(mgr, WideShuffles::dispatch), none),
    case!("subgroups::narrow_shuffles", [NarrowShuffles], |mgr| run(mgr, NarrowShuffles::dispatch), none),
    case!("subgroups::shuffles_of_doubles", [ShufflesOfDoubles], |mgr| run(mgr, ShufflesOfDoubles::dispatch), none),
    case!("subgroups::clusters_and_quads", [ClustersAndQuads], |mgr| run(mgr, ClustersAndQuads::dispatch), none),
    case!(
        "subgroups::barriers",
        [Barriers],
        |mgr| {
            // SAFETY: sizes of subgroups divide 128.
            run(mgr, |seq, grid, x, wrong| unsafe { Barriers::dispatch(seq, grid, x, wrong) })
        },
        none
    ),
    case!("subgroups::divergence", [Divergence], |mgr| run(mgr, Divergence::dispatch), none),
    case!("subgroups::unrolled", [Unrolled], |mgr| run(mgr, Unrolled::dispatch), none),
    case!(
        "subgroups::sum",
        [SubgroupSum],
        |mgr| {
            let x = mgr.tensor(&patterns(2048, 7))?;
            let mut sums = mgr.tensor_of_len::<u32>(16)?;
            let seq = mgr.sequence()?;
            SubgroupSum::dispatch(&seq, Grid::items(2048), &x, &mut sums)?;
            seq.eval()?;
            Ok(vec![Output::U32(sums.to_vec()?)])
        },
        || {
            let sum = |chunk: &[u32]| chunk.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
            vec![Output::U32(patterns(2048, 7).chunks(128).map(sum).collect())]
        }
    ),
];

type Dispatch = for<'s> fn(&'s Sequence, Grid, &Tensor<u32>, &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>;

fn run(mgr: &Manager, dispatch: Dispatch) -> gridwise::Result<Vec<Output>> {
    let (x, mut wrong) = (mgr.tensor(&patterns(256, 1))?, mgr.tensor(&[u32::MAX; 256])?);
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(256), &x, &mut wrong)?;
    seq.eval()?;
    Ok(vec![Output::U32(wrong.to_vec()?)])
}

fn none() -> Vec<Output> {
    vec![Output::U32(vec![0; 256])]
}

#[kernel(workgroup = 128)]
fn reductions(x: &[u32], wrong: &mut [u32]) {
    let all = Shared::<[u32; 128]>::new();
    let (lane, size, first) = (subgroup_local_id(), subgroup_size(), subgroup_id() * subgroup_size());
    let value = x[global_id().x];
    all[first + lane] = value;
    barrier();
    let (mut sum, mut product, mut ones, mut some, mut odd) = (0u32, 1u32, u32::MAX, 0, 0);
    let (mut low, mut high, mut least, mut most) = (u32::MAX, 0u32, i32::MAX, i32::MIN);
    for other in 0..size {
        let word = all[first + other];
        sum = sum + word;
        product = product * (word | 1);
        ones = ones & word;
        some = some | word;
        odd = odd ^ word;
        low = low.min(word);
        high = high.max(word);
        least = least.min(word as i32);
        most = most.max(word as i32);
    }
    let mut bad = 0;
    bad |= (subgroup::add(value) != sum) as u32;
    bad |= ((subgroup::add(value as i32) != sum as i32) as u32) << 1;
    bad |= ((subgroup::mul(value | 1) != product) as u32) << 2;
    bad |= ((subgroup::and(value) != ones) as u32) << 3;
    bad |= ((subgroup::or(value) != some) as u32) << 4;
    bad |= ((subgroup::xor(value as i32) != odd as i32) as u32) << 5;
    bad |= ((subgroup::min(value) != low) as u32) << 6;
    bad |= ((subgroup::max(value) != high) as u32) << 7;
    bad |= ((subgroup::min(value as i32) != least) as u32) << 8;
    bad |= ((subgroup::max(value as i32) != most) as u32) << 9;
    let pair = subgroup::add(uvec2(value, lane));
    bad |= ((pair.x != sum || pair.y != size * (size - 1) / 2) as u32) << 10;
    bad |= ((subgroup::and(lane < size) != true || subgroup::xor(lane == 0) != true) as u32) << 11;
    bad |= ((subgroup::or(ivec3(1, -8, lane as i32)) != ivec3(1, -8, size as i32 - 1)) as u32) << 12;
    wrong[global_id().x] = bad;
}

#[kernel(workgroup = 128)]
fn scans(x: &[u32], wrong: &mut [u32]) {
    let all = Shared::<[u32; 128]>::new();
    let (lane, first) = (subgroup_local_id(), subgroup_id() * subgroup_size());
    let value = x[global_id().x];
    all[first + lane] = value;
    barrier();
    let (mut sum, mut product, mut ones, mut some, mut odd, mut low, mut high) = (0, 1, u32::MAX, 0, 0, u32::MAX, 0u32);
    for other in 0..lane {
        let word = all[first + other];
        sum = sum + word;
        product = product * (word | 1);
        ones = ones & word;
        some = some | word;
        odd = odd ^ word;
        low = low.min(word);
        high = high.max(word);
    }
    let mut bad = 0;
    bad |= (subgroup::exclusive_add(value) != sum) as u32;
    bad |= ((subgroup::inclusive_add(value) != sum + value) as u32) << 1;
    bad |= ((subgroup::exclusive_mul(value | 1) != product) as u32) << 2;
    bad |= ((subgroup::inclusive_mul(value | 1) != product * (value | 1)) as u32) << 3;
    bad |= ((subgroup::exclusive_and(value) != ones) as u32) << 4;
    bad |= ((subgroup::inclusive_and(value) != ones & value) as u32) << 5;
    bad |= ((subgroup::exclusive_or(value) != some) as u32) << 6;
    bad |= ((subgroup::inclusive_xor(value) != odd ^ value) as u32) << 7;
    bad |= ((subgroup::exclusive_min(value) != low) as u32) << 8;
    bad |= ((subgroup::inclusive_min(value) != low.min(value)) as u32) << 9;
    bad |= ((subgroup::exclusive_max(value) != high) as u32) << 10;
    bad |= ((subgroup::inclusive_max(value) != high.max(value)) as u32) << 11;
    bad |= ((subgroup::exclusive_min(value as i32) == i32::MAX && lane != 0 && low < 0x7000_0000) as u32) << 12;
    wrong[global_id().x] = bad;
}

/// Small whole numbers, so that any order of sums is exact.
#[kernel(workgroup = 128)]
fn floats(x: &[u32], wrong: &mut [u32]) {
    let all = Shared::<[Vec2; 128]>::new();
    let (lane, size, first) = (subgroup_local_id(), subgroup_size(), subgroup_id() * subgroup_size());
    let value = vec2((x[global_id().x] % 100) as f32 - 50.0, lane as f32);
    all[first + lane] = value;
    barrier();
    let (mut sum, mut before) = (Vec2::ZERO, Vec2::ZERO);
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for other in 0..size {
        let pair = all[first + other];
        if other == lane {
            before = sum;
        }
        sum += pair;
        low = low.min(pair.x);
        high = high.max(pair.x);
    }
    let mut bad = 0;
    bad |= (subgroup::add(value) != sum) as u32;
    bad |= ((subgroup::exclusive_add(value) != before) as u32) << 1;
    bad |= ((subgroup::inclusive_add(value.x) != before.x + value.x) as u32) << 2;
    bad |= ((subgroup::min(value.x) != low) as u32) << 3;
    bad |= ((subgroup::max(value.x) != high) as u32) << 4;
    let sign = if lane % 2 == 0 { -1.0 } else { 1.0 };
    let expected = if size / 2 % 2 == 0 { 1.0 } else { -1.0 };
    bad |= ((size > 1 && subgroup::mul(sign) != expected) as u32) << 5;
    bad |= ((subgroup::all_equal(sum) && subgroup::all_equal(f32::NAN)) as u32) << 6;
    wrong[global_id().x] = bad;
}

/// Sums of flags, which are counted, beside sums of their doubles, which are added; of all lanes, and of some.
#[kernel(workgroup = 128)]
fn flags(x: &[u32], wrong: &mut [u32]) {
    let i = global_id().x;
    let holds = x[i] % 3 == 0;
    let double = if holds { 2u32 } else { 0 };
    let mut bad = (2 * subgroup::add(u32::from(holds)) != subgroup::add(double)) as u32;
    bad |= ((2 * subgroup::exclusive_add(holds as u32) != subgroup::exclusive_add(double)) as u32) << 1;
    bad |= ((2 * subgroup::inclusive_add(if holds { 1 } else { 0 }) != subgroup::inclusive_add(double)) as u32) << 2;
    if x[i] % 5 != 1 {
        let signed = subgroup::inclusive_add(i32::from(holds as u8));
        bad |= ((2 * signed != subgroup::inclusive_add(double as i32)) as u32) << 3;
        bad |= ((2 * subgroup::add(holds as i32) != subgroup::add(double as i32)) as u32) << 4;
        bad |= ((subgroup::add(u64::from(holds)) * 2 != subgroup::add(u64::from(double))) as u32) << 5;
    }
    wrong[i] = bad;
}

#[kernel(workgroup = 128)]
fn votes(x: &[u32], wrong: &mut [u32]) {
    let all = Shared::<[u32; 128]>::new();
    let (lane, size, first) = (subgroup_local_id(), subgroup_size(), subgroup_id() * subgroup_size());
    let holds = x[global_id().x] % 3 == 0;
    all[first + lane] = holds as u32;
    barrier();
    let (mut count, mut below, mut low, mut high) = (0, 0, u32::MAX, u32::MAX);
    for other in 0..size {
        if all[first + other] == 1 {
            count += 1;
            below += (other < lane) as u32;
            low = low.min(other);
            high = other;
        }
    }
    let votes = subgroup::ballot(holds);
    let mut bad = 0;
    bad |= (subgroup::any(holds) != (count > 0)) as u32;
    bad |= ((subgroup::all(holds) != (count == size)) as u32) << 1;
    bad |= ((subgroup::ballot_count(votes) != count) as u32) << 2;
    bad |= ((subgroup::ballot_exclusive_count(votes) != below) as u32) << 3;
    bad |= ((subgroup::ballot_inclusive_count(votes) != below + holds as u32) as u32) << 4;
    bad |= ((subgroup::ballot_lowest(votes) != low) as u32) << 5;
    bad |= ((subgroup::ballot_highest(votes) != high) as u32) << 6;
    bad |= ((subgroup::ballot_bit(votes, lane) != holds) as u32) << 7;
    bad |= ((subgroup::ballot_bit(votes, 500)) as u32) << 8;
    bad |= ((subgroup::elect() != (lane == 0)) as u32) << 9;
    bad |= ((!subgroup::all_equal(first) || subgroup::all_equal(lane) != (size == 1)) as u32) << 10;
    bad |= ((size > 32 || votes.y == 0) as u32 ^ 1) << 11;
    bad |= ((num_subgroups() * size != 128 || workgroup_size() != uvec3(128, 1, 1)) as u32) << 12;
    wrong[global_id().x] = bad;
}

#[kernel(workgroup = 128)]
fn shuffles(x: &[u32], wrong: &mut [u32]) {
    let all = Shared::<[u32; 128]>::new();
    let (lane, size, first) = (subgroup_local_id(), subgroup_size(), subgroup_id() * subgroup_size());
    let value = x[global_id().x];
    all[first + lane] = value;
    barrier();
    let mut bad = 0;
    bad |= (subgroup::broadcast_first(value) != all[first]) as u32;
    bad |= ((subgroup::broadcast(value, 2) != all[first + 2]) as u32) << 1;
    let from = (lane * 5 + 3) % size;
    bad |= ((subgroup::shuffle(value as f32, from) != all[first + from] as f32) as u32) << 2;
    bad |= ((subgroup::shuffle_xor(value, 1) != all[first + (lane ^ 1)]) as u32) << 3;
    let up = if lane < 1 { value } else { all[first + lane - 1] };
    bad |= ((subgroup::shuffle_up(value, 1) != up) as u32) << 4;
    let down = if lane + 2 < size { all[first + lane + 2] } else { value };
    bad |= ((subgroup::shuffle_down(value, 2) != down) as u32) << 5;
    bad |= ((subgroup::rotate(value, 3) != all[first + (lane + 3) % size]) as u32) << 6;
    bad |= ((subgroup::shuffle(value, 4000) != value || subgroup::shuffle_xor(value, 4096) != value) as u32) << 7;
    bad |=
        ((subgroup::shuffle_down(value, u32::MAX) != value || subgroup::shuffle_up(value, 200) != value) as u32) << 8;
    let pair = subgroup::shuffle_xor(vec2(lane as f32, 1.5), 1);
    bad |= ((pair != vec2((lane ^ 1) as f32, 1.5)) as u32) << 9;
    bad |= ((subgroup::shuffle_xor(lane % 2 == 0, 1) != (lane % 2 == 1)) as u32) << 10;
    wrong[global_id().x] = bad;
}

/// Shuffles by distances that the compiler knows, some of them to lanes that no device has: a driver knows the lanes, too.
macro_rules! known_distances {
    ($name:ident, $ty:ident) => {
        #[kernel(workgroup = 128)]
        fn $name(x: &[u32], wrong: &mut [u32]) {
            let (lane, size) = (subgroup_local_id(), subgroup_size());
            let of = |lane: u32| (lane * 3 + 1) as $ty;
            let value = of(lane) + (x[0] & 0) as $ty;
            let up_to = |by: u32| of(if by <= lane { lane - by } else { lane });
            let down_to = |by: u32| of(if by < size - lane { lane + by } else { lane });
            let across = |mask: u32| of(if lane ^ mask < size { lane ^ mask } else { lane });
            let mut bad = 0;
            bad |= (subgroup::shuffle_up(value, 1) != up_to(1)) as u32;
            bad |= ((subgroup::shuffle_up(value, 2) != up_to(2)) as u32) << 1;
            bad |= ((subgroup::shuffle_up(value, 9) != up_to(9)) as u32) << 2;
            bad |= ((subgroup::shuffle_down(value, 1) != down_to(1)) as u32) << 3;
            bad |= ((subgroup::shuffle_down(value, 9) != down_to(9)) as u32) << 4;
            bad |= ((subgroup::shuffle_down(value, 70) != down_to(70)) as u32) << 5;
            bad |= ((subgroup::shuffle_xor(value, 3) != across(3)) as u32) << 6;
            bad |= ((subgroup::shuffle_xor(value, 8) != across(8)) as u32) << 7;
            bad |= ((subgroup::shuffle_xor(value, 128) != value) as u32) << 8;
            // Sums as a scan adds them: the lanes below the distance keep theirs.
            let mut sum = value;
            for by in [1, 2, 4] {
                let below = subgroup::shuffle_up(sum, by);
                if lane >= by {
                    sum += below;
                }
            }
            let mut expected = 0 as $ty;
            for other in lane.saturating_sub(7)..=lane {
                expected += of(other);
            }
            bad |= ((sum != expected) as u32) << 9;
            wrong[global_id().x] = bad;
        }
    };
}

known_distances!(wide_shuffles, u64);
known_distances!(narrow_shuffles, i16);
known_distances!(shuffles_of_doubles, f64);

#[kernel(workgroup = 128)]
fn clusters_and_quads(x: &[u32], wrong: &mut [u32]) {
    let all = Shared::<[u32; 128]>::new();
    let (lane, size, first) = (subgroup_local_id(), subgroup_size(), subgroup_id() * subgroup_size());
    let value = x[global_id().x];
    all[first + lane] = value;
    barrier();
    let quad = first + lane / 4 * 4;
    let mut bad = 0;
    if size >= 4 {
        let sum = all[quad] + all[quad + 1] + all[quad + 2] + all[quad + 3];
        bad |= (subgroup::clustered_add(value, 4) != sum) as u32;
        bad |= ((subgroup::clustered_max(value, 2) != value.max(all[first + (lane ^ 1)])) as u32) << 1;
        bad |= ((subgroup::clustered_xor(value, 1) != value) as u32) << 2;
        bad |= ((subgroup::quad_broadcast(value, 2) != all[quad + 2]) as u32) << 3;
        bad |= ((subgroup::quad_swap_horizontal(value) != all[first + (lane ^ 1)]) as u32) << 4;
        bad |= ((subgroup::quad_swap_vertical(value) != all[first + (lane ^ 2)]) as u32) << 5;
        bad |= ((subgroup::quad_swap_diagonal(value) != all[first + (lane ^ 3)]) as u32) << 6;
    }
    wrong[global_id().x] = bad;
}

#[device]
fn count_active() -> u32 {
    subgroup::ballot_count(subgroup::ballot(true))
}

#[device]
fn count_by<F: Fn(u32) -> u32>(f: F, x: u32) -> u32 {
    f(x)
}

#[kernel(workgroup = 128)]
fn divergence(x: &[u32], wrong: &mut [u32]) {
    let (lane, size) = (subgroup_local_id(), subgroup_size());
    let mut bad = 0;
    if lane % 2 == 0 {
        bad |= (count_active() != size.div_ceil(2)) as u32;
        bad |= ((subgroup::add(1u32) != size.div_ceil(2)) as u32) << 1;
        bad |= ((subgroup::broadcast_first(lane) != 0) as u32) << 2;
    } else {
        bad |= ((count_active() != size / 2) as u32) << 3;
        bad |= ((subgroup::broadcast_first(lane) != 1 || subgroup::elect() != (lane == 1)) as u32) << 4;
    }
    let together = |x: u32| subgroup::ballot_count(subgroup::ballot(x == 0));
    if lane % 2 == 0 {
        bad |= ((together(0) != size.div_ceil(2) || count_by(together, 0) != size.div_ceil(2)) as u32) << 7;
    } else {
        bad |= ((together(0) != size / 2 || count_by(together, 0) != size / 2) as u32) << 8;
    }
    let mut turns = 0;
    while turns < lane % 4 {
        bad |= ((count_active() != size / 4 * (3 - turns) && size >= 4) as u32) << 5;
        turns += 1;
    }
    bad |= ((count_active() != size) as u32) << 6;
    wrong[global_id().x] = bad | (x[0] & 0);
}

/// Lanes that run a round, and the sum of their numbers, where each lane runs as many rounds as its number is more than a multiple of 7.
#[device]
fn lanes_of_round(round: u32) -> UVec2 {
    let mut found = UVec2::ZERO;
    for lane in 0..subgroup_size() {
        if lane % 7 > round {
            found += uvec2(1, lane);
        }
    }
    found
}

/// Rounds that are written out have the lanes that they have in a loop, though lanes run different numbers of them.
#[kernel(workgroup = 128)]
fn unrolled(x: &[u32], wrong: &mut [u32]) {
    let lane = subgroup_local_id();
    let rounds = lane % 7;
    let mut bad = 0;
    #[unroll(4)]
    for i in 0..rounds {
        bad |= (uvec2(count_active(), subgroup::add(lane)) != lanes_of_round(i)) as u32;
    }
    bad |= ((count_active() != subgroup_size()) as u32) << 1;
    #[unroll(4)]
    for i in 0..8 {
        if i == rounds {
            break;
        }
        bad |= ((uvec2(count_active(), subgroup::add(lane)) != lanes_of_round(i)) as u32) << 2;
    }
    let mut left = rounds;
    #[unroll(2)]
    while left > 0 {
        bad |= ((uvec2(count_active(), subgroup::add(lane)) != lanes_of_round(rounds - left)) as u32) << 3;
        left -= 1;
    }
    #[unroll]
    for i in 0..3 {
        if rounds > i {
            bad |= ((subgroup::max(lane % 7) != (subgroup_size() - 1).min(6)) as u32) << 4;
            bad |= ((uvec2(count_active(), subgroup::add(lane)) != lanes_of_round(i)) as u32) << 5;
        }
    }
    // Written out unasked, as its counter chooses an element.
    let mut sums = [0; 6];
    for i in 0..rounds {
        sums[i] = subgroup::add(lane);
    }
    for i in 0..rounds {
        bad |= ((sums[i] != lanes_of_round(i).y) as u32) << 6;
    }
    wrong[global_id().x] = bad | (x[0] & 0);
}

/// Reduces in subgroups first, then over the subgroups: any size will do.
#[kernel(workgroup = 128)]
fn subgroup_sum(x: &[u32], sums: &mut [u32]) {
    let partial = Shared::<[u32; 128]>::new();
    let sum = subgroup::add(x[global_id().x]);
    if subgroup::elect() {
        partial[subgroup_id()] = sum;
    }
    barrier();
    if local_index() == 0 {
        let mut total = 0;
        for k in 0..num_subgroups() {
            total += partial[k];
        }
        sums[workgroup_id().x] = total;
    }
}

#[device]
fn handed_on(cells: &mut [u32], own: usize, value: u32) -> u32 {
    cells[own] = value;
    subgroup::barrier();
    let first = own as u32 - subgroup_local_id();
    let got = cells[first + (subgroup_local_id() + 1) % subgroup_size()];
    subgroup::barrier();
    got
}

/// Writes of a subgroup before its barrier are visible to its invocations after it, also in loops and functions.
///
/// # Safety
/// Workgroups are made of whole subgroups.
#[kernel(workgroup = 128)]
unsafe fn barriers(x: &[u32], wrong: &mut [u32]) {
    let tile = Shared::<[u32; 128]>::new();
    let (i, t) = (global_id().x, local_index());
    let first = t - subgroup_local_id();
    let next = first + (subgroup_local_id() + 1) % subgroup_size();
    let start = i - t;
    let mut failed = 0;
    for round in 0..3 {
        tile[t] = x[i] + round;
        subgroup::barrier();
        failed += (tile[next] != x[start + next] + round) as u32;
        subgroup::barrier();
    }
    if x.len() > 7 {
        failed += (handed_on(&mut tile[..], t as usize, x[i] ^ 5) != x[start + next] ^ 5) as u32;
    }
    wrong[i] = failed;
}
