//! Atomic operations, memory orders and the scopes they hold in.

use super::{Place, ValueId};
use crate::few::Few;

/// The scope of an operation: the set of invocations that it synchronizes. A wider scope holds the narrower ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Those of the same subgroup.
    Subgroup,
    /// Those of the same workgroup.
    Workgroup,
    /// All of the launch.
    Device,
}

impl Scope {
    /// All scopes, narrow ones first.
    pub const ALL: [Self; 3] = [Self::Subgroup, Self::Workgroup, Self::Device];

    /// The scope's name in the text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Subgroup => "subgroup",
            Self::Workgroup => "workgroup",
            Self::Device => "device",
        }
    }
}

/// A memory order, as Rust's; sequential consistency does not exist here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// Atomic, and nothing about other memory.
    Relaxed,
    /// Sees what was written before the release it reads from.
    Acquire,
    /// Writes made before it are visible behind an acquire that reads it.
    Release,
    /// Both.
    AcqRel,
}

impl Order {
    /// All orders.
    pub const ALL: [Self; 4] = [Self::Relaxed, Self::Acquire, Self::Release, Self::AcqRel];

    /// The order's name in the text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcqRel => "acq_rel",
        }
    }

    /// Whether it acquires.
    pub const fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcqRel)
    }

    /// Whether it releases.
    pub const fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcqRel)
    }
}

/// The operation of an atomic access on its cell. All but `Store` give the old value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Reads; no operands.
    Load,
    /// Writes the operand; no result.
    Store,
    /// Writes the operand.
    Exchange,
    /// Writes the second operand where the cell holds the first, bit by bit; the order where it does not is given.
    CompareExchange(Order),
    /// Adds; integers wrap.
    Add,
    /// Subtracts; integers wrap.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Keeps the smaller, as the op `min` does.
    Min,
    /// Keeps the larger, as the op `max` does.
    Max,
}

impl AtomicOp {
    /// All of them; the order of a failed exchange is `Relaxed`.
    pub const ALL: [Self; 11] = [
        Self::Load,
        Self::Store,
        Self::Exchange,
        Self::CompareExchange(Order::Relaxed),
        Self::Add,
        Self::Sub,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Min,
        Self::Max,
    ];

    /// Its name in the text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "atomic_load",
            Self::Store => "atomic_store",
            Self::Exchange => "atomic_exchange",
            Self::CompareExchange(_) => "atomic_compare_exchange",
            Self::Add => "atomic_add",
            Self::Sub => "atomic_sub",
            Self::And => "atomic_and",
            Self::Or => "atomic_or",
            Self::Xor => "atomic_xor",
            Self::Min => "atomic_min",
            Self::Max => "atomic_max",
        }
    }

    /// How many operands it takes besides the place.
    pub const fn arity(self) -> usize {
        match self {
            Self::Load => 0,
            Self::CompareExchange(_) => 2,
            _ => 1,
        }
    }

    /// Whether devices may have it for a cell that is a float, and not the bits of one.
    pub const fn is_of_floats(self) -> bool {
        matches!(self, Self::Load | Self::Store | Self::Exchange | Self::Add | Self::Sub)
    }

    /// Whether it may write its cell.
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Load)
    }

    /// Whether it reads its cell.
    pub const fn reads(self) -> bool {
        !matches!(self, Self::Store)
    }
}

/// An atomic access to a cell of a buffer or of shared memory.
///
/// The cell is an integer, and operands and result have its type. Or it is unsigned and holds the bits of a float, and
/// operands and result are these floats; not `bf16`. Or it is an `f32` or `f64`, on devices that add to floats in
/// memory and for the ops they have. If a check of the place fails, nothing is written and the result is zero.
///
/// A cell of 8 or 16 bits is an element of a buffer, or of an array that is one, and nothing but atomics accesses that buffer, for
/// devices exchange whole words. In shared memory a whole `u32` is the cell, in its lower bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// The operation.
    pub op: AtomicOp,
    /// The cell.
    pub place: Place,
    /// Operands, as many as the op takes.
    pub operands: Few<ValueId>,
    /// Its order; of a compare-exchange, where it succeeds.
    pub order: Order,
    /// Among which invocations the order holds.
    pub scope: Scope,
}
