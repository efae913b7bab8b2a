//! Operations between the invocations of a subgroup, as kernels write them: `subgroup::add(x)`.
//!
//! They act on the *active* invocations: those of the subgroup that come to the operation together. A subgroup has
//! [`subgroup_size`](crate::twin::subgroup_size) invocations, which differs between devices; `#[kernel(subgroup = 32)]` asks for
//! a number. Reading from an invocation that does not take part gives the own value.

use std::ops::{Add, Mul};

use glam::{BVec2, BVec3, BVec4, IVec2, IVec3, IVec4, UVec2, UVec3, UVec4, Vec2, Vec3, Vec4};
use half::f16;

use super::outside_of_kernels;
use crate::memory::data::Value;

/// A type that subgroups exchange: `bool`, numbers, and vectors of them.
#[diagnostic::on_unimplemented(
    message = "subgroups do not exchange `{Self}`",
    label = "neither a scalar nor a vector",
    note = "exchange its members one by one"
)]
#[doc(hidden)]
pub trait SubgroupValue: Value + Copy + PartialEq {}

/// A type that subgroups calculate with: numbers and vectors of them.
#[doc(hidden)]
pub trait Number: SubgroupValue {
    const ONE: Self;
    const LARGEST: Self;
    const SMALLEST: Self;
    fn sum(a: Self, b: Self) -> Self;
    fn product(a: Self, b: Self) -> Self;
    fn smaller(a: Self, b: Self) -> Self;
    fn larger(a: Self, b: Self) -> Self;
}

/// A type with bitwise operations: `bool`, integers and vectors of them.
#[doc(hidden)]
pub trait Bits: SubgroupValue {
    const ONES: Self;
    const NO_BITS: Self;
    fn bit_and(a: Self, b: Self) -> Self;
    fn bit_or(a: Self, b: Self) -> Self;
    fn bit_xor(a: Self, b: Self) -> Self;
}

macro_rules! functions {
    ($($(#[$doc:meta])+ fn $name:ident $(<$generic:ident: $bound:ident>)? ($($arg:ident: $ty:ty),*) -> $result:ty;)+) => { $(
        $(#[$doc])+
        ///
        /// # Panics
        /// Outside of kernels.
        pub fn $name $(<$generic: $bound>)? ($($arg: $ty),*) -> $result {
            $(let _ = $arg;)*
            outside_of_kernels(concat!("subgroup::", stringify!($name)))
        }
    )+ };
}

functions! {
    /// Waits until all invocations of the subgroup are here; what they did to shared memory and buffers before, all of them see
    /// after. As with [`barrier`](crate::parallel::barrier()), all invocations of the workgroup must come to it.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: what lane 0 of the subgroup wrote to shared memory, for all of it.
    /// fn from_first(shared: &mut u32, lane: u32, value: u32) -> u32 {
    ///     if lane == 0 {
    ///         *shared = value;
    ///     }
    ///     subgroup::barrier();
    ///     *shared
    /// }
    /// ```
    fn barrier() -> ();
    /// True in one active invocation, the one with the lowest id.
    ///
    /// ```
    /// use gridwise::{Atomic, subgroup};
    ///
    /// /// In a kernel: one addition for the whole subgroup, in place of one for each invocation.
    /// fn count(total: &Atomic<u32>, is_found: bool) {
    ///     let found = subgroup::add(u32::from(is_found));
    ///     if subgroup::elect() {
    ///         total.fetch_add(found, std::sync::atomic::Ordering::Relaxed);
    ///     }
    /// }
    /// ```
    fn elect() -> bool;
    /// Whether `value` is true in any active invocation.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: whether the costly way is needed at all.
    /// fn is_needed(value: f32) -> bool {
    ///     subgroup::any(value < 0.0)
    /// }
    /// ```
    fn any(value: bool) -> bool;
    /// Whether `value` is true in all active invocations.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: whether an iteration is over for everybody.
    /// fn is_over(error: f32) -> bool {
    ///     subgroup::all(error < 1e-3)
    /// }
    /// ```
    fn all(value: bool) -> bool;
    /// Whether `value` is equal in all active invocations; a NaN equals nothing.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: whether all look up the same row.
    /// fn is_one_row(row: u32) -> bool {
    ///     subgroup::all_equal(row)
    /// }
    /// ```
    fn all_equal<T: SubgroupValue>(value: T) -> bool;
    /// A bit for each active invocation, set where `value` is true; that of invocation 0 is the lowest of `x`.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: how many invocations have something to write.
    /// fn writers(has_output: bool) -> u32 {
    ///     subgroup::ballot_count(subgroup::ballot(has_output))
    /// }
    /// ```
    fn ballot(value: bool) -> UVec4;
    /// Whether the bit of an invocation is set in a ballot.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: whether the next invocation has something to write.
    /// fn next_writes(has_output: bool, lane: u32) -> bool {
    ///     subgroup::ballot_bit(subgroup::ballot(has_output), lane + 1)
    /// }
    /// ```
    fn ballot_bit(ballot: UVec4, index: u32) -> bool;
    /// How many bits are set in a ballot.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: how many invocations have something to write.
    /// fn writers(has_output: bool) -> u32 {
    ///     subgroup::ballot_count(subgroup::ballot(has_output))
    /// }
    /// ```
    fn ballot_count(ballot: UVec4) -> u32;
    /// How many bits are set in a ballot up to the own one.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: the writers up to and with this invocation.
    /// fn rank(has_output: bool) -> u32 {
    ///     subgroup::ballot_inclusive_count(subgroup::ballot(has_output))
    /// }
    /// ```
    fn ballot_inclusive_count(ballot: UVec4) -> u32;
    /// How many bits are set in a ballot below the own one.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: a place for each of those that have something to write, without gaps.
    /// fn place(start: u32, has_output: bool) -> u32 {
    ///     start + subgroup::ballot_exclusive_count(subgroup::ballot(has_output))
    /// }
    /// ```
    fn ballot_exclusive_count(ballot: UVec4) -> u32;
    /// The lowest bit that is set in a ballot; `u32::MAX` when there is none.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: the first invocation that hit something; `u32::MAX` for none.
    /// fn first_hit(is_hit: bool) -> u32 {
    ///     subgroup::ballot_lowest(subgroup::ballot(is_hit))
    /// }
    /// ```
    fn ballot_lowest(ballot: UVec4) -> u32;
    /// The highest bit that is set in a ballot; `u32::MAX` when there is none.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: the last invocation that hit something; `u32::MAX` for none.
    /// fn last_hit(is_hit: bool) -> u32 {
    ///     subgroup::ballot_highest(subgroup::ballot(is_hit))
    /// }
    /// ```
    fn ballot_highest(ballot: UVec4) -> u32;
    /// The value of the active invocation with the lowest id.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: one number that all use, such as where their output begins.
    /// fn common(start: u32) -> u32 {
    ///     subgroup::broadcast_first(start)
    /// }
    /// ```
    fn broadcast_first<T: SubgroupValue>(value: T) -> T;
    /// The value of invocation `from`.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: the value of invocation 3, for all.
    /// fn third(value: f32) -> f32 {
    ///     subgroup::broadcast(value, 3)
    /// }
    /// ```
    fn broadcast<T: SubgroupValue>(value: T, from: u32) -> T;
    /// The value of invocation `from`, which may differ between the invocations.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: looks up a table whose entries lie in the invocations.
    /// fn look_up(entry: f32, index: u32) -> f32 {
    ///     subgroup::shuffle(entry, index)
    /// }
    /// ```
    fn shuffle<T: SubgroupValue>(value: T, from: u32) -> T;
    /// The value of the invocation whose id is the own one exclusive-or `mask`.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: a sum with the partner of a butterfly.
    /// fn step(value: f32, mask: u32) -> f32 {
    ///     value + subgroup::shuffle_xor(value, mask)
    /// }
    /// ```
    fn shuffle_xor<T: SubgroupValue>(value: T, mask: u32) -> T;
    /// The value of the invocation whose id is lower by `delta`.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: the difference from the one before.
    /// fn difference(value: f32) -> f32 {
    ///     value - subgroup::shuffle_up(value, 1)
    /// }
    /// ```
    fn shuffle_up<T: SubgroupValue>(value: T, delta: u32) -> T;
    /// The value of the invocation whose id is higher by `delta`.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: a step of a sum that ends in invocation 0.
    /// fn step(value: f32, distance: u32) -> f32 {
    ///     value + subgroup::shuffle_down(value, distance)
    /// }
    /// ```
    fn shuffle_down<T: SubgroupValue>(value: T, delta: u32) -> T;
    /// The value of the invocation whose id is higher by `delta`, counted around the end of the subgroup.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: the neighbour in a ring.
    /// fn next(value: f32) -> f32 {
    ///     subgroup::rotate(value, 1)
    /// }
    /// ```
    fn rotate<T: SubgroupValue>(value: T, delta: u32) -> T;
    /// The value of invocation `from` (0 to 3, a constant) of the four neighbours.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: the value of the first of four neighbours.
    /// fn corner(value: f32) -> f32 {
    ///     subgroup::quad_broadcast(value, 0)
    /// }
    /// ```
    fn quad_broadcast<T: SubgroupValue>(value: T, from: u32) -> T;
    /// The value of the neighbour at the side: 0 and 1 swap, 2 and 3 swap.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: the mean of two neighbours side by side.
    /// fn mean(value: f32) -> f32 {
    ///     0.5 * (value + subgroup::quad_swap_horizontal(value))
    /// }
    /// ```
    fn quad_swap_horizontal<T: SubgroupValue>(value: T) -> T;
    /// The value of the neighbour above or below: 0 and 2 swap, 1 and 3 swap.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: the mean of two neighbours, one above the other.
    /// fn mean(value: f32) -> f32 {
    ///     0.5 * (value + subgroup::quad_swap_vertical(value))
    /// }
    /// ```
    fn quad_swap_vertical<T: SubgroupValue>(value: T) -> T;
    /// The value of the neighbour across: 0 and 3 swap, 1 and 2 swap.
    ///
    /// ```
    /// use gridwise::subgroup;
    ///
    /// /// In a kernel: how much a value changes across four neighbours.
    /// fn change(value: f32) -> f32 {
    ///     (value - subgroup::quad_swap_diagonal(value)).abs()
    /// }
    /// ```
    fn quad_swap_diagonal<T: SubgroupValue>(value: T) -> T;
}

macro_rules! folds {
    ($($bound:ident $what:literal: $all:ident $inclusive:ident $exclusive:ident $clustered:ident;)+) => { functions! { $(
        #[doc = concat!("The ", $what, " of the values of all active invocations; the order of floats is open.")]
        ///
        /// ```
        /// use gridwise::subgroup;
        ///
        /// /// In a kernel: one number for the whole subgroup.
        /// fn in_a_kernel(value: u32) -> u32 {
        #[doc = concat!("     subgroup::", stringify!($all), "(value)")]
        /// }
        /// ```
        fn $all<T: $bound>(value: T) -> T;
        #[doc = concat!("The ", $what, " of the values of the active invocations up to this one.")]
        ///
        /// ```
        /// use gridwise::subgroup;
        ///
        /// /// In a kernel: what there is up to this invocation.
        /// fn in_a_kernel(value: u32) -> u32 {
        #[doc = concat!("     subgroup::", stringify!($inclusive), "(value)")]
        /// }
        /// ```
        fn $inclusive<T: $bound>(value: T) -> T;
        #[doc = concat!("The ", $what, " of the values of the active invocations below this one.")]
        ///
        /// ```
        /// use gridwise::subgroup;
        ///
        /// /// In a kernel: what there is before this invocation.
        /// fn in_a_kernel(value: u32) -> u32 {
        #[doc = concat!("     subgroup::", stringify!($exclusive), "(value)")]
        /// }
        /// ```
        fn $exclusive<T: $bound>(value: T) -> T;
        #[doc = concat!("The ", $what, " of the values of `size` neighbours, a constant power of two.")]
        ///
        /// ```
        /// use gridwise::subgroup;
        ///
        /// /// In a kernel: one number for each four neighbours.
        /// fn in_a_kernel(value: u32) -> u32 {
        #[doc = concat!("     subgroup::", stringify!($clustered), "(value, 4)")]
        /// }
        /// ```
        fn $clustered<T: $bound>(value: T, size: u32) -> T;
    )+ } };
}

folds! {
    Number "sum": add inclusive_add exclusive_add clustered_add;
    Number "product": mul inclusive_mul exclusive_mul clustered_mul;
    Number "smallest": min inclusive_min exclusive_min clustered_min;
    Number "largest": max inclusive_max exclusive_max clustered_max;
    Bits "bitwise and": and inclusive_and exclusive_and clustered_and;
    Bits "bitwise or": or inclusive_or exclusive_or clustered_or;
    Bits "bitwise exclusive or": xor inclusive_xor exclusive_xor clustered_xor;
}

macro_rules! scalars {
    ($($ty:ty: $one:expr, $largest:expr, $smallest:expr, $sum:ident, $product:ident;)+) => { $(
        impl SubgroupValue for $ty {}

        impl Number for $ty {
            const ONE: Self = $one;
            const LARGEST: Self = $largest;
            const SMALLEST: Self = $smallest;

            fn sum(a: Self, b: Self) -> Self {
                a.$sum(b)
            }

            fn product(a: Self, b: Self) -> Self {
                a.$product(b)
            }

            fn smaller(a: Self, b: Self) -> Self {
                a.min(b)
            }

            fn larger(a: Self, b: Self) -> Self {
                a.max(b)
            }
        }
    )+ };
}

scalars! {
    u32: 1, Self::MAX, Self::MIN, wrapping_add, wrapping_mul;
    i32: 1, Self::MAX, Self::MIN, wrapping_add, wrapping_mul;
    u8: 1, Self::MAX, Self::MIN, wrapping_add, wrapping_mul;
    i8: 1, Self::MAX, Self::MIN, wrapping_add, wrapping_mul;
    u16: 1, Self::MAX, Self::MIN, wrapping_add, wrapping_mul;
    i16: 1, Self::MAX, Self::MIN, wrapping_add, wrapping_mul;
    u64: 1, Self::MAX, Self::MIN, wrapping_add, wrapping_mul;
    i64: 1, Self::MAX, Self::MIN, wrapping_add, wrapping_mul;
    f32: 1.0, Self::INFINITY, Self::NEG_INFINITY, add, mul;
    f64: 1.0, Self::INFINITY, Self::NEG_INFINITY, add, mul;
    f16: f16::ONE, f16::INFINITY, f16::NEG_INFINITY, add, mul;
}

macro_rules! bits {
    ($($ty:ty: $ones:expr, $no_bits:expr;)+) => { $(
        impl Bits for $ty {
            const ONES: Self = $ones;
            const NO_BITS: Self = $no_bits;

            fn bit_and(a: Self, b: Self) -> Self {
                a & b
            }

            fn bit_or(a: Self, b: Self) -> Self {
                a | b
            }

            fn bit_xor(a: Self, b: Self) -> Self {
                a ^ b
            }
        }
    )+ };
}

impl SubgroupValue for bool {}
bits! {
    bool: true, false;
    u32: u32::MAX, 0;
    u8: u8::MAX, 0;
    i8: -1, 0;
    u16: u16::MAX, 0;
    i16: -1, 0;
    u64: u64::MAX, 0;
    i64: -1, 0;
    i32: -1, 0;
    UVec2: UVec2::MAX, UVec2::ZERO;
    UVec3: UVec3::MAX, UVec3::ZERO;
    UVec4: UVec4::MAX, UVec4::ZERO;
    IVec2: IVec2::NEG_ONE, IVec2::ZERO;
    IVec3: IVec3::NEG_ONE, IVec3::ZERO;
    IVec4: IVec4::NEG_ONE, IVec4::ZERO;
    BVec2: BVec2::TRUE, BVec2::FALSE;
    BVec3: BVec3::TRUE, BVec3::FALSE;
    BVec4: BVec4::TRUE, BVec4::FALSE;
}

macro_rules! vectors {
    ($($ty:ident of $scalar:ty),+) => { $(
        impl SubgroupValue for $ty {}

        impl Number for $ty {
            const ONE: Self = Self::splat(<$scalar>::ONE);
            const LARGEST: Self = Self::splat(<$scalar>::LARGEST);
            const SMALLEST: Self = Self::splat(<$scalar>::SMALLEST);

            fn sum(a: Self, b: Self) -> Self {
                Self::from_array(lanes(a.to_array(), b.to_array(), <$scalar>::sum))
            }

            fn product(a: Self, b: Self) -> Self {
                Self::from_array(lanes(a.to_array(), b.to_array(), <$scalar>::product))
            }

            fn smaller(a: Self, b: Self) -> Self {
                Self::from_array(lanes(a.to_array(), b.to_array(), <$scalar>::smaller))
            }

            fn larger(a: Self, b: Self) -> Self {
                Self::from_array(lanes(a.to_array(), b.to_array(), <$scalar>::larger))
            }
        }
    )+ };
}

fn lanes<T: Copy, const N: usize>(a: [T; N], b: [T; N], op: impl Fn(T, T) -> T) -> [T; N] {
    std::array::from_fn(|lane| op(a[lane], b[lane]))
}

vectors! {
    Vec2 of f32, Vec3 of f32, Vec4 of f32, UVec2 of u32, UVec3 of u32, UVec4 of u32, IVec2 of i32, IVec3 of i32,
    IVec4 of i32
}

impl SubgroupValue for BVec2 {}
impl SubgroupValue for BVec3 {}
impl SubgroupValue for BVec4 {}
