//! Subgroup operations on the host: the invocations of a subgroup that are at the same operation exchange their values.

use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;

use glam::UVec4;
use gridwise_ir::descriptor::Location;

use super::ambient::{Ambient, with_current, with_running};
use super::fiber::{Paths, Reach, Seat, State};
use super::group::Invocation;
use super::launch::TrapSink;
use super::loops::{Extent, Loops};
use crate::memory::data::Value;
use crate::parallel::subgroup::{Bits, Number, SubgroupValue};

/// Room for the largest value that subgroups exchange.
type Slot = [u64; 4];

/// The exchange of the subgroups of a workgroup.
#[derive(Debug, Default)]
pub(super) struct Subgroups {
    exchange: RefCell<Exchange>,
}

#[derive(Debug, Default)]
struct Exchange {
    /// The values that each invocation brings to the operation it waits at.
    brought: Vec<Slot>,
    /// The values that the invocations of the last operation brought: they stay while the invocations run on, each to
    /// its next operation.
    taken: Vec<Slot>,
    /// For each subgroup, who took part in its last operation.
    active: Vec<u128>,
    /// For each subgroup, what its last operation gives all lanes, once one of them knows.
    common: Vec<Cell<Option<Slot>>>,
}

impl Subgroups {
    /// Lets each subgroup that waits at an operation do one; false when none does. No invocation is ready.
    ///
    /// Invocations at different operations do them one after the other, those further up in the source first: so the
    /// stragglers of a loop catch up with those behind it.
    pub(super) fn advance(&self, seats: &[Seat], paths: &Paths, size: u32) -> bool {
        let mut exchange = self.exchange.borrow_mut();
        let mut any = false;
        for (index, lanes) in seats.chunks(size as usize).enumerate() {
            let place = |seat: &Seat| match seat.state.get() {
                State::Subgroup(place) => Some(place),
                _ => None,
            };
            let waiting = || lanes.iter().enumerate().filter_map(|(lane, seat)| Some((lane, seat, place(seat)?)));
            let Some((_, first, at)) = waiting().min_by(|(_, a, x), (_, b, y)| paths.compare((a, x), (b, y))) else {
                continue;
            };
            any = true;
            let together = |seat, place| paths.compare((first, at), (seat, place)).is_eq();
            let mut active = 0;
            for (lane, seat) in lanes.iter().enumerate() {
                if !place(seat).is_some_and(|place| together(seat, place)) {
                    continue;
                }
                active |= 1u128 << lane;
                seat.state.set(State::Ready);
                let invocation = index * size as usize + lane;
                exchange.taken[invocation] = exchange.brought[invocation];
            }
            exchange.active[index] = active;
            exchange.common[index].set(None);
        }
        any
    }

    /// As [`advance`](Self::advance), where all invocations of the workgroup wait at one operation.
    pub(super) fn advance_all(&self, invocations: usize, size: u32) {
        let mut exchange = self.exchange.borrow_mut();
        let Exchange { brought, taken, active, common } = &mut *exchange;
        common.iter().for_each(|common| common.set(None));
        // Each brings another value before what it brought is taken again.
        std::mem::swap(brought, taken);
        for (index, active) in active.iter_mut().enumerate() {
            let lanes = (invocations - index * size as usize).min(size as usize);
            *active = u128::MAX >> (128 - lanes);
        }
    }

    #[inline]
    fn bring(&self, invocation: &Invocation<'_>, slot: Slot) {
        let mut exchange = self.exchange.borrow_mut();
        if exchange.brought.is_empty() {
            exchange.make_room(invocation);
        }
        exchange.brought[invocation.local_index() as usize] = slot;
    }
}

impl Exchange {
    #[cold]
    fn make_room(&mut self, invocation: &Invocation<'_>) {
        let invocations = invocation.workgroup_size().element_product() as usize;
        let subgroups = invocation.num_subgroups() as usize;
        self.brought.resize(invocations, [0; 4]);
        self.taken.resize(invocations, [0; 4]);
        self.active.resize(subgroups, 0);
        self.common.resize(subgroups, Cell::new(None));
    }
}

/// The values that the lanes of a subgroup bring, by lane.
#[derive(Clone, Copy)]
enum Brought<'a, T> {
    /// Those of invocations that wait. Invariant: the slots of active lanes hold a `T`.
    Slots(&'a [Slot]),
    /// Those of a workgroup in loops.
    Places(&'a [Cell<T>]),
}

/// The values of a subgroup's active invocations.
struct Peers<'a, T> {
    brought: Brought<'a, T>,
    active: u128,
    own: T,
    lane: u32,
    size: u32,
    /// The result of the operation for all lanes, once one of them knows it; `None` for one that is alone.
    common: Option<&'a Cell<Option<Slot>>>,
}

impl<T: Value + Copy> Peers<'_, T> {
    #[inline]
    fn get(&self, lane: u32) -> Option<T> {
        let is_active = lane < self.size && self.active >> lane & 1 == 1;
        is_active.then(|| match self.brought {
            // SAFETY: by the invariant of `Slots`.
            Brought::Slots(slots) => unsafe { unpack(&slots[lane as usize]) },
            Brought::Places(places) => places[lane as usize].get(),
        })
    }

    /// The value of a lane; the own one where the lane does not take part.
    #[inline]
    fn at(&self, lane: u32) -> T {
        self.get(lane).unwrap_or(self.own)
    }

    fn first(&self) -> Option<T> {
        self.get(self.active.trailing_zeros())
    }

    /// Whether each of a subgroup's places is that of an active lane.
    #[inline]
    fn are_all(&self, places: &[Cell<T>]) -> bool {
        self.active == u128::MAX >> (128 - places.len())
    }

    /// Goes through the active lanes in order.
    #[inline]
    fn fold<R>(&self, start: R, mut step: impl FnMut(R, u32, T) -> R) -> R {
        if let Brought::Places(places) = self.brought
            && self.are_all(places)
        {
            return (0..).zip(places).fold(start, |result, (lane, place)| step(result, lane, place.get()));
        }
        let (mut result, mut rest) = (start, self.active);
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            if let Some(value) = self.get(lane) {
                result = step(result, lane, value);
            }
        }
        result
    }
}

/// Something that leads to the running invocation.
pub trait Lane: TrapSink {
    /// Calls `f` with the invocation.
    fn with<R>(self, f: impl FnOnce(&Invocation<'_>) -> R) -> R;

    /// As [`with`](Self::with), if there is one.
    fn with_any(self, f: impl FnOnce(&Invocation<'_>));
}

impl Lane for &Invocation<'_> {
    #[inline]
    fn with<R>(self, f: impl FnOnce(&Invocation<'_>) -> R) -> R {
        f(self)
    }

    fn with_any(self, f: impl FnOnce(&Invocation<'_>)) {
        f(self);
    }
}

impl Lane for Ambient {
    #[inline]
    fn with<R>(self, f: impl FnOnce(&Invocation<'_>) -> R) -> R {
        with_running("subgroup", f)
    }

    fn with_any(self, f: impl FnOnce(&Invocation<'_>)) {
        with_current(|invocation| {
            if let Some(invocation) = invocation {
                f(invocation);
            }
        });
    }
}

/// Brings `value` to the operation at `place`, waits for the others of the subgroup, and gives what they brought.
fn exchange<T: Value + Copy, R>(
    lane: impl Lane,
    place: &'static Location,
    value: T,
    result: impl FnOnce(&Peers<'_, T>) -> R,
) -> R {
    const { assert!(size_of::<T>() <= size_of::<Slot>() && align_of::<T>() <= 16) };
    lane.with(|invocation| {
        let (lane, size) = (invocation.subgroup_local_id(), invocation.subgroup_size());
        let Some(seat) = invocation.seat else {
            // Alone: only hand-written twins come here.
            return result(&Peers {
                brought: Brought::Slots(&[pack(value); 128]),
                active: 1 << lane,
                own: value,
                lane,
                size,
                common: None,
            });
        };
        let subgroups = &invocation.group.subgroups;
        // An async function has brought its value by `arrive`, and waited then.
        if seat.is_fiber() {
            subgroups.bring(invocation, pack(value));
            seat.wait(State::Subgroup(place));
        }
        let exchange = subgroups.exchange.borrow();
        let subgroup = invocation.subgroup_id();
        let (active, common) = (exchange.active[subgroup as usize], Some(&exchange.common[subgroup as usize]));
        let first = (subgroup * size) as usize;
        // The invocations at one place bring values of one type, which the macro's rendering sees to.
        result(&Peers { brought: Brought::Slots(&exchange.taken[first..]), active, own: value, lane, size, common })
    })
}

/// As [`exchange`], of an operation that gives all lanes the same: the first to ask computes it.
fn exchange_once<T: Value + Copy, R: Value + Copy>(
    lane: impl Lane,
    place: &'static Location,
    value: T,
    result: impl FnOnce(&Peers<'_, T>) -> R,
) -> R {
    exchange(lane, place, value, |peers| {
        let Some(common) = peers.common else { return result(peers) };
        match common.get() {
            // SAFETY: the lanes of an operation all come by this line of code, with one type, so that one of them packed an `R`.
            Some(slot) => unsafe { unpack(&slot) },
            None => {
                let result = result(peers);
                common.set(Some(pack(result)));
                result
            }
        }
    })
}

/// Brings `value` to the operation at `place` and waits for the others of the subgroup, in an async function, before it calls the operation
/// with the same value.
pub fn arrive<T: Value + Copy>(lane: impl Lane, place: &'static Location, value: T) -> Reach {
    const { assert!(size_of::<T>() <= size_of::<Slot>() && align_of::<T>() <= 16) };
    lane.with(|invocation| {
        if invocation.seat.is_some() {
            invocation.group.subgroups.bring(invocation, pack(value));
        }
    });
    Reach::new(State::Subgroup(place))
}

fn pack<T: Value + Copy>(value: T) -> Slot {
    let mut slot = [0; 4];
    // SAFETY: the slot is as large as `T` at least, which `exchange` asserts; a `Slot` may hold any bytes of a value
    // without padding, which all types of subgroup operations are.
    unsafe { slot.as_mut_ptr().cast::<T>().write_unaligned(value) };
    slot
}

/// # Safety
/// The slot was packed from a `T`.
unsafe fn unpack<T: Value + Copy>(slot: &Slot) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: the slot is as large as `T` at least, and holds a valid one by the caller's promise.
    unsafe {
        std::ptr::copy_nonoverlapping(slot.as_ptr().cast::<u8>(), value.as_mut_ptr().cast::<u8>(), size_of::<T>());
        value.assume_init()
    }
}

/// `subgroup::barrier`
pub fn barrier(lane: impl Lane, place: &'static Location) {
    exchange(lane, place, 0u32, |_| ());
}

/// `subgroup::elect`
pub fn elect(lane: impl Lane, place: &'static Location) -> bool {
    exchange(lane, place, 0u32, |peers| peers.active.trailing_zeros() == peers.lane)
}

/// The bits of a ballot that belong to lanes.
fn bits(lane: impl Lane, ballot: UVec4) -> (u128, u32) {
    let bits = ballot.to_array().iter().rev().fold(0u128, |bits, word| bits << 32 | u128::from(*word));
    let (own, size) = lane.with(|invocation| (invocation.subgroup_local_id(), invocation.subgroup_size()));
    (bits & (u128::MAX >> (128 - size)), own)
}

/// `subgroup::ballot_bit`
pub fn ballot_bit(lane: impl Lane, _: &'static Location, ballot: UVec4, index: u32) -> bool {
    index < 128 && bits(lane, ballot).0 >> index & 1 == 1
}

/// `subgroup::ballot_count`
pub fn ballot_count(lane: impl Lane, _: &'static Location, ballot: UVec4) -> u32 {
    bits(lane, ballot).0.count_ones()
}

/// `subgroup::ballot_inclusive_count`
pub fn ballot_inclusive_count(lane: impl Lane, _: &'static Location, ballot: UVec4) -> u32 {
    let (bits, own) = bits(lane, ballot);
    (bits & (u128::MAX >> (127 - own))).count_ones()
}

/// `subgroup::ballot_exclusive_count`
pub fn ballot_exclusive_count(lane: impl Lane, _: &'static Location, ballot: UVec4) -> u32 {
    let (bits, own) = bits(lane, ballot);
    (bits & ((1u128 << own) - 1)).count_ones()
}

/// `subgroup::ballot_lowest`
pub fn ballot_lowest(lane: impl Lane, _: &'static Location, ballot: UVec4) -> u32 {
    match bits(lane, ballot).0 {
        0 => u32::MAX,
        bits => bits.trailing_zeros(),
    }
}

/// `subgroup::ballot_highest`
pub fn ballot_highest(lane: impl Lane, _: &'static Location, ballot: UVec4) -> u32 {
    match bits(lane, ballot).0 {
        0 => u32::MAX,
        bits => 127 - bits.leading_zeros(),
    }
}

/// A scan: what a lane gets is the fold of the lanes before it, and of its own value where that counts.
struct Scan<T, F> {
    counts_itself: bool,
    start: T,
    op: F,
}

impl<T, F: Fn(T, T) -> T> Scan<T, F> {
    fn inclusive(start: T, op: F) -> Self {
        Self { counts_itself: true, start, op }
    }

    fn exclusive(start: T, op: F) -> Self {
        Self { counts_itself: false, start, op }
    }
}

/// As [`exchange`], of a scan.
fn exchange_scan<T: Value + Copy, F: Fn(T, T) -> T>(
    lane: impl Lane,
    place: &'static Location,
    value: T,
    scan: impl FnOnce(&Peers<'_, T>) -> Scan<T, F>,
) -> T {
    exchange(lane, place, value, |peers| {
        let Scan { counts_itself, start, op } = scan(peers);
        let end = peers.lane + u32::from(counts_itself);
        peers.fold(start, |sum, lane, value| if lane < end { op(sum, value) } else { sum })
    })
}

/// Each operation twice: for an invocation that waits, and for all of a workgroup in loops. `exchange_once`: all lanes get the same.
macro_rules! operations {
    ($(
        $way:ident $name:ident $(<$generic:ident: $bound:ident>)? ($value:ty $(, $arg:ident)?) -> $result:ty = $op:expr;
    )+) => {
        $(
            #[doc = concat!("`subgroup::", stringify!($name), "`")]
            pub fn $name $(<$generic: $bound>)? (
                lane: impl Lane,
                place: &'static Location,
                value: $value
                $(, $arg: u32)?
            ) -> $result {
                $way(lane, place, value, |peers| $op(peers $(, $arg)?))
            }
        )+

        /// The operations of a workgroup in loops: what each invocation brings and gets lies in a place.
        pub mod whole {
            use super::*;

            $(
                #[doc = concat!("`subgroup::", stringify!($name), "`")]
                pub fn $name <$($generic: $bound,)? S: Extent>(
                    crew: &Loops<'_, S>,
                    values: &[Cell<$value>],
                    $($arg: &[Cell<u32>],)?
                    results: &[Cell<$result>],
                ) {
                    whole_ways::$way(crew, values, results, |peers, _at| $op(peers $(, $arg[_at].get())?));
                }
            )+

            /// `subgroup::elect`
            pub fn elect<S: Extent>(crew: &Loops<'_, S>, results: &[Cell<bool>]) {
                crew.each_subgroup(|range, active| {
                    (0..).zip(&results[range]).for_each(|(lane, result)| result.set(active.trailing_zeros() == lane));
                });
            }
        }
    };
}

/// How a workgroup in loops does an operation.
mod whole_ways {
    use super::{Brought, Cell, Extent, Loops, Peers, Scan, Value};

    pub(super) fn exchange_once<T: Value + Copy, R: Copy, S: Extent>(
        crew: &Loops<'_, S>,
        values: &[Cell<T>],
        results: &[Cell<R>],
        op: impl Fn(&Peers<'_, T>, usize) -> R,
    ) {
        let size = crew.subgroup_size();
        crew.each_subgroup(|range, active| {
            let (first, places) = (range.start, &values[range.clone()]);
            let own = places[0].get();
            let peers = Peers { brought: Brought::Places(places), active, own, lane: 0, size, common: None };
            let result = op(&peers, first);
            results[range].iter().for_each(|place| place.set(result));
        });
    }

    pub(super) fn exchange<T: Value + Copy, R: Copy, S: Extent>(
        crew: &Loops<'_, S>,
        values: &[Cell<T>],
        results: &[Cell<R>],
        op: impl Fn(&Peers<'_, T>, usize) -> R,
    ) {
        let size = crew.subgroup_size();
        crew.each_subgroup(|range, active| {
            let (first, places) = (range.start, &values[range.clone()]);
            for ((lane, own), result) in (0..).zip(places).zip(&results[range]) {
                let own = own.get();
                let peers = Peers { brought: Brought::Places(places), active, own, lane, size, common: None };
                result.set(op(&peers, first + lane as usize));
            }
        });
    }

    pub(super) fn exchange_scan<T: Value + Copy, F: Fn(T, T) -> T, S: Extent>(
        crew: &Loops<'_, S>,
        values: &[Cell<T>],
        results: &[Cell<T>],
        scan: impl Fn(&Peers<'_, T>, usize) -> Scan<T, F>,
    ) {
        let size = crew.subgroup_size();
        crew.each_subgroup(|range, active| {
            let (first, places) = (range.start, &values[range.clone()]);
            let own = places[0].get();
            let peers = Peers { brought: Brought::Places(places), active, own, lane: 0, size, common: None };
            let Scan { counts_itself, start, op } = scan(&peers, first);
            let mut sum = start;
            for (lane, (place, result)) in places.iter().zip(&results[range]).enumerate() {
                let before = sum;
                if active >> lane & 1 == 1 {
                    sum = op(sum, place.get());
                }
                result.set(if counts_itself { sum } else { before });
            }
        });
    }
}

operations! {
    exchange_once any(bool) -> bool = |peers: &Peers<'_, bool>| peers.fold(false, |any, _, value| any | value);
    exchange_once all(bool) -> bool = |peers: &Peers<'_, bool>| peers.fold(true, |all, _, value| all & value);
    // The first one too: a NaN does not equal itself.
    exchange_once all_equal<T: SubgroupValue>(T) -> bool = |peers: &Peers<'_, T>| {
        let first = peers.first().unwrap_or(peers.own);
        peers.fold(true, |all, _, value| all & (value == first))
    };
    exchange_once ballot(bool) -> UVec4 = |peers: &Peers<'_, bool>| {
        let bits = peers.fold(0u128, |bits, lane, value| bits | u128::from(value) << lane);
        UVec4::from_array([0, 32, 64, 96].map(|shift| (bits >> shift) as u32))
    };
    exchange_once broadcast_first<T: SubgroupValue>(T) -> T = |peers: &Peers<'_, T>| peers.first().unwrap_or(peers.own);
    exchange broadcast<T: SubgroupValue>(T, from) -> T = |peers: &Peers<'_, T>, from| peers.at(from);
    exchange shuffle<T: SubgroupValue>(T, from) -> T = |peers: &Peers<'_, T>, from| peers.at(from);
    exchange shuffle_xor<T: SubgroupValue>(T, mask) -> T = |peers: &Peers<'_, T>, mask| peers.at(peers.lane ^ mask);
    exchange shuffle_up<T: SubgroupValue>(T, delta) -> T = |peers: &Peers<'_, T>, delta| {
        peers.lane.checked_sub(delta).map_or(peers.own, |from| peers.at(from))
    };
    exchange shuffle_down<T: SubgroupValue>(T, delta) -> T = |peers: &Peers<'_, T>, delta| {
        peers.lane.checked_add(delta).map_or(peers.own, |from| peers.at(from))
    };
    exchange rotate<T: SubgroupValue>(T, delta) -> T = |peers: &Peers<'_, T>, delta: u32| {
        peers.at(peers.lane.wrapping_add(delta) & (peers.size - 1))
    };
    exchange quad_broadcast<T: SubgroupValue>(T, from) -> T = |peers: &Peers<'_, T>, from| {
        peers.at((peers.lane & !3) + from)
    };
    exchange quad_swap_horizontal<T: SubgroupValue>(T) -> T = |peers: &Peers<'_, T>| peers.at(peers.lane ^ 1);
    exchange quad_swap_vertical<T: SubgroupValue>(T) -> T = |peers: &Peers<'_, T>| peers.at(peers.lane ^ 2);
    exchange quad_swap_diagonal<T: SubgroupValue>(T) -> T = |peers: &Peers<'_, T>| peers.at(peers.lane ^ 3);

    exchange_once add<T: Number>(T) -> T = |peers: &Peers<'_, T>| all_lanes(peers, T::ZEROED, T::sum);
    exchange_once mul<T: Number>(T) -> T = |peers: &Peers<'_, T>| all_lanes(peers, T::ONE, T::product);
    exchange_once min<T: Number>(T) -> T = |peers: &Peers<'_, T>| all_lanes(peers, T::LARGEST, T::smaller);
    exchange_once max<T: Number>(T) -> T = |peers: &Peers<'_, T>| all_lanes(peers, T::SMALLEST, T::larger);
    exchange_once and<T: Bits>(T) -> T = |peers: &Peers<'_, T>| all_lanes(peers, T::ONES, T::bit_and);
    exchange_once or<T: Bits>(T) -> T = |peers: &Peers<'_, T>| all_lanes(peers, T::NO_BITS, T::bit_or);
    exchange_once xor<T: Bits>(T) -> T = |peers: &Peers<'_, T>| all_lanes(peers, T::NO_BITS, T::bit_xor);

    exchange_scan inclusive_add<T: Number>(T) -> T = |_: &Peers<'_, T>| Scan::inclusive(T::ZEROED, T::sum);
    exchange_scan inclusive_mul<T: Number>(T) -> T = |_: &Peers<'_, T>| Scan::inclusive(T::ONE, T::product);
    exchange_scan inclusive_min<T: Number>(T) -> T = |_: &Peers<'_, T>| Scan::inclusive(T::LARGEST, T::smaller);
    exchange_scan inclusive_max<T: Number>(T) -> T = |_: &Peers<'_, T>| Scan::inclusive(T::SMALLEST, T::larger);
    exchange_scan inclusive_and<T: Bits>(T) -> T = |_: &Peers<'_, T>| Scan::inclusive(T::ONES, T::bit_and);
    exchange_scan inclusive_or<T: Bits>(T) -> T = |_: &Peers<'_, T>| Scan::inclusive(T::NO_BITS, T::bit_or);
    exchange_scan inclusive_xor<T: Bits>(T) -> T = |_: &Peers<'_, T>| Scan::inclusive(T::NO_BITS, T::bit_xor);

    exchange_scan exclusive_add<T: Number>(T) -> T = |_: &Peers<'_, T>| Scan::exclusive(T::ZEROED, T::sum);
    exchange_scan exclusive_mul<T: Number>(T) -> T = |_: &Peers<'_, T>| Scan::exclusive(T::ONE, T::product);
    exchange_scan exclusive_min<T: Number>(T) -> T = |_: &Peers<'_, T>| Scan::exclusive(T::LARGEST, T::smaller);
    exchange_scan exclusive_max<T: Number>(T) -> T = |_: &Peers<'_, T>| Scan::exclusive(T::SMALLEST, T::larger);
    exchange_scan exclusive_and<T: Bits>(T) -> T = |_: &Peers<'_, T>| Scan::exclusive(T::ONES, T::bit_and);
    exchange_scan exclusive_or<T: Bits>(T) -> T = |_: &Peers<'_, T>| Scan::exclusive(T::NO_BITS, T::bit_or);
    exchange_scan exclusive_xor<T: Bits>(T) -> T = |_: &Peers<'_, T>| Scan::exclusive(T::NO_BITS, T::bit_xor);

    exchange clustered_add<T: Number>(T, size) -> T = |peers: &Peers<'_, T>, size| near(peers, size, T::ZEROED, T::sum);
    exchange clustered_mul<T: Number>(T, size) -> T = |peers: &Peers<'_, T>, size| near(peers, size, T::ONE, T::product);
    exchange clustered_min<T: Number>(T, size) -> T = |peers: &Peers<'_, T>, size| near(peers, size, T::LARGEST, T::smaller);
    exchange clustered_max<T: Number>(T, size) -> T = |peers: &Peers<'_, T>, size| near(peers, size, T::SMALLEST, T::larger);
    exchange clustered_and<T: Bits>(T, size) -> T = |peers: &Peers<'_, T>, size| near(peers, size, T::ONES, T::bit_and);
    exchange clustered_or<T: Bits>(T, size) -> T = |peers: &Peers<'_, T>, size| near(peers, size, T::NO_BITS, T::bit_or);
    exchange clustered_xor<T: Bits>(T, size) -> T = |peers: &Peers<'_, T>, size| near(peers, size, T::NO_BITS, T::bit_xor);
}

/// The partial folds of a fold of all lanes. Processors compute them at once.
const PARTIAL_FOLDS: usize = 8;

/// All lanes, in the order of the IR's interpreter: lane `i` belongs to the partial fold `i % 8`, and these are joined by halves.
fn all_lanes<T: Value + Copy>(peers: &Peers<'_, T>, start: T, op: impl Fn(T, T) -> T) -> T {
    let mut partial = [start; PARTIAL_FOLDS];
    match peers.brought {
        Brought::Places(places) if peers.are_all(places) && places.len().is_multiple_of(PARTIAL_FOLDS) => {
            for places in places.chunks_exact(PARTIAL_FOLDS) {
                partial.iter_mut().zip(places).for_each(|(sum, place)| *sum = op(*sum, place.get()));
            }
        }
        _ => peers.fold((), |(), lane, value| {
            let sum = &mut partial[lane as usize % PARTIAL_FOLDS];
            *sum = op(*sum, value);
        }),
    }
    for half in [4, 2, 1] {
        let (low, high) = partial.split_at_mut(half);
        low.iter_mut().zip(high).for_each(|(low, high)| *low = op(*low, *high));
    }
    partial[0]
}

/// The lanes of the same cluster.
fn near<T: Value + Copy>(peers: &Peers<'_, T>, size: u32, start: T, op: impl Fn(T, T) -> T) -> T {
    let cluster = |lane: u32| lane / size.max(1);
    let own = cluster(peers.lane);
    peers.fold(start, |sum, lane, value| if cluster(lane) == own { op(sum, value) } else { sum })
}
