//! Subgroup operations on the host: the invocations of a subgroup that are at the same operation exchange their values.

use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;

use glam::UVec4;
use gridwise_ir::descriptor::Location;

use super::ambient::{Ambient, with_current, with_running};
use super::fiber::{Paths, Reach, Seat, State};
use super::group::Invocation;
use super::launch::TrapSink;
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

    /// As [`advance_all`](Self::advance_all), where some invocations have stopped.
    pub(super) fn advance_some(&self, invocations: usize, size: u32, is_stopped: &[bool]) {
        self.advance_all(invocations, size);
        let active = &mut self.exchange.borrow_mut().active;
        for (active, stopped) in active.iter_mut().zip(is_stopped.chunks(size as usize)) {
            let lanes = stopped.iter().enumerate().filter(|(_, is_stopped)| **is_stopped);
            *active = lanes.fold(*active, |active, (lane, _)| active & !(1 << lane));
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

/// The values of a subgroup's active invocations.
struct Peers<'a, T> {
    /// By lane. Invariant: those of active lanes hold a `T`.
    slots: &'a [Slot],
    active: u128,
    own: T,
    lane: u32,
    size: u32,
    /// The result of the operation for all lanes, once one of them knows it; `None` for one that is alone.
    common: Option<&'a Cell<Option<Slot>>>,
}

impl<T: Value + Copy> Peers<'_, T> {
    fn get(&self, lane: u32) -> Option<T> {
        let is_active = lane < self.size && self.active >> lane & 1 == 1;
        // SAFETY: by the invariant of `slots`.
        is_active.then(|| unsafe { unpack(&self.slots[lane as usize]) })
    }

    /// The value of a lane; the own one where the lane does not take part.
    fn at(&self, lane: u32) -> T {
        self.get(lane).unwrap_or(self.own)
    }

    /// The active lanes in order.
    #[inline]
    fn lanes(&self) -> impl Iterator<Item = (u32, T)> {
        let mut rest = self.active;
        std::iter::from_fn(move || {
            let lane = rest.trailing_zeros();
            // Of no lane the number is 128.
            rest &= rest.wrapping_sub(1);
            Some((lane, self.get(lane)?))
        })
    }

    fn values(&self) -> impl Iterator<Item = T> {
        self.lanes().map(|(_, value)| value)
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
                slots: &[pack(value); 128],
                active: 1 << lane,
                own: value,
                lane,
                size,
                common: None,
            });
        };
        let subgroups = &invocation.group.subgroups;
        // An async function has brought its value by `arrive`, and waited then; a part of a loop by `bring`.
        if seat.is_fiber() {
            subgroups.bring(invocation, pack(value));
            seat.wait(State::Subgroup(place));
        }
        let exchange = subgroups.exchange.borrow();
        let subgroup = invocation.subgroup_id();
        let (active, common) = (exchange.active[subgroup as usize], Some(&exchange.common[subgroup as usize]));
        let first = (subgroup * size) as usize;
        // The invocations at one place bring values of one type, which the macro's rendering sees to.
        result(&Peers { slots: &exchange.taken[first..], active, own: value, lane, size, common })
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
    bring(lane, value);
    Reach::new(State::Subgroup(place))
}

/// Brings `value` to an operation, in a part of a kernel that runs in loops: a later part calls the operation.
#[inline]
pub fn bring<T: Value + Copy>(lane: impl Lane, value: T) {
    const { assert!(size_of::<T>() <= size_of::<Slot>() && align_of::<T>() <= 16) };
    lane.with(|invocation| {
        if invocation.seat.is_some() {
            invocation.group.subgroups.bring(invocation, pack(value));
        }
    });
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
    exchange(lane, place, 0u32, |peers| peers.lanes().next().is_none_or(|(first, _)| first == peers.lane))
}

/// `subgroup::any`
pub fn any(lane: impl Lane, place: &'static Location, value: bool) -> bool {
    exchange_once(lane, place, value, |peers| peers.values().any(|value| value))
}

/// `subgroup::all`
pub fn all(lane: impl Lane, place: &'static Location, value: bool) -> bool {
    exchange_once(lane, place, value, |peers| peers.values().all(|value| value))
}

/// `subgroup::all_equal`
pub fn all_equal<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T) -> bool {
    exchange_once(lane, place, value, |peers| {
        let first = peers.values().next().unwrap_or(value);
        // The first one too: a NaN does not equal itself.
        peers.values().all(|value| value == first)
    })
}

/// `subgroup::ballot`
pub fn ballot(lane: impl Lane, place: &'static Location, value: bool) -> UVec4 {
    exchange_once(lane, place, value, |peers| {
        let bits = peers.lanes().filter(|(_, value)| *value).fold(0u128, |bits, (lane, _)| bits | 1 << lane);
        UVec4::from_array([0, 32, 64, 96].map(|shift| (bits >> shift) as u32))
    })
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

/// `subgroup::broadcast_first`
pub fn broadcast_first<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T) -> T {
    exchange_once(lane, place, value, |peers| peers.values().next().unwrap_or(value))
}

/// `subgroup::broadcast`
pub fn broadcast<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T, from: u32) -> T {
    exchange(lane, place, value, |peers| peers.at(from))
}

/// `subgroup::shuffle`
pub fn shuffle<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T, from: u32) -> T {
    broadcast(lane, place, value, from)
}

/// `subgroup::shuffle_xor`
pub fn shuffle_xor<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T, mask: u32) -> T {
    exchange(lane, place, value, |peers| peers.at(peers.lane ^ mask))
}

/// `subgroup::shuffle_up`
pub fn shuffle_up<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T, delta: u32) -> T {
    exchange(lane, place, value, |peers| peers.lane.checked_sub(delta).map_or(value, |from| peers.at(from)))
}

/// `subgroup::shuffle_down`
pub fn shuffle_down<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T, delta: u32) -> T {
    exchange(lane, place, value, |peers| peers.lane.checked_add(delta).map_or(value, |from| peers.at(from)))
}

/// `subgroup::rotate`
pub fn rotate<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T, delta: u32) -> T {
    exchange(lane, place, value, |peers| peers.at(peers.lane.wrapping_add(delta) & (peers.size - 1)))
}

/// `subgroup::quad_broadcast`
pub fn quad_broadcast<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T, from: u32) -> T {
    exchange(lane, place, value, |peers| peers.at((peers.lane & !3) + from))
}

/// `subgroup::quad_swap_horizontal`
pub fn quad_swap_horizontal<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T) -> T {
    shuffle_xor(lane, place, value, 1)
}

/// `subgroup::quad_swap_vertical`
pub fn quad_swap_vertical<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T) -> T {
    shuffle_xor(lane, place, value, 2)
}

/// `subgroup::quad_swap_diagonal`
pub fn quad_swap_diagonal<T: SubgroupValue>(lane: impl Lane, place: &'static Location, value: T) -> T {
    shuffle_xor(lane, place, value, 3)
}

macro_rules! folds {
    ($($bound:ident: $all:ident $inclusive:ident $exclusive:ident $clustered:ident, $op:ident from $identity:ident;)+) => { $(
        #[doc = concat!("`subgroup::", stringify!($all), "`")]
        pub fn $all<T: $bound>(lane: impl Lane, place: &'static Location, value: T) -> T {
            exchange_once(lane, place, value, |peers| peers.values().fold(T::$identity, T::$op))
        }

        #[doc = concat!("`subgroup::", stringify!($inclusive), "`")]
        pub fn $inclusive<T: $bound>(lane: impl Lane, place: &'static Location, value: T) -> T {
            exchange(lane, place, value, |peers| {
                peers.lanes().filter(|(lane, _)| *lane <= peers.lane).fold(T::$identity, |sum, (_, v)| T::$op(sum, v))
            })
        }

        #[doc = concat!("`subgroup::", stringify!($exclusive), "`")]
        pub fn $exclusive<T: $bound>(lane: impl Lane, place: &'static Location, value: T) -> T {
            exchange(lane, place, value, |peers| {
                peers.lanes().filter(|(lane, _)| *lane < peers.lane).fold(T::$identity, |sum, (_, v)| T::$op(sum, v))
            })
        }

        #[doc = concat!("`subgroup::", stringify!($clustered), "`")]
        pub fn $clustered<T: $bound>(lane: impl Lane, place: &'static Location, value: T, size: u32) -> T {
            exchange(lane, place, value, |peers| {
                let same = |lane: u32| lane / size.max(1) == peers.lane / size.max(1);
                peers.lanes().filter(|(lane, _)| same(*lane)).fold(T::$identity, |sum, (_, v)| T::$op(sum, v))
            })
        }
    )+ };
}

folds! {
    Number: add inclusive_add exclusive_add clustered_add, sum from ZEROED;
    Number: mul inclusive_mul exclusive_mul clustered_mul, product from ONE;
    Number: min inclusive_min exclusive_min clustered_min, smaller from LARGEST;
    Number: max inclusive_max exclusive_max clustered_max, larger from SMALLEST;
    Bits: and inclusive_and exclusive_and clustered_and, bit_and from ONES;
    Bits: or inclusive_or exclusive_or clustered_or, bit_or from NO_BITS;
    Bits: xor inclusive_xor exclusive_xor clustered_xor, bit_xor from NO_BITS;
}
