//! The results of the analysis: conditions of launches, and accesses that may race. It decides nothing.

pub use super::access::{Kind, Object};
use crate::ir::{InstId, Obligation, SourceLocation};

/// Why an access may race with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The index is the same in invocations that differ along an axis only.
    Axis(u8),
    /// The index is not known to differ between invocations.
    Index,
    /// No barrier stands between the two.
    NoBarrier,
    /// The workgroup does more than is looked at.
    TooMuch,
    /// The workgroup's size is not known.
    OpenSize,
    /// A function is called that may access anything.
    Call,
    /// A counter gives ranges of any length, so that it may begin anew.
    Counter,
    /// Elements that invocations claim are accessed without a claim.
    Unclaimed,
}

impl Reason {
    /// The reason in words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Axis(0) => "nothing proves that the index differs where `global_id().x` does",
            Self::Axis(1) => "nothing proves that the index differs where `global_id().y` does",
            Self::Axis(_) => "nothing proves that the index differs where `global_id().z` does",
            Self::Index => "nothing proves that the indices of different invocations differ",
            Self::NoBarrier => "no barrier stands between the two, and different invocations may have the same index",
            Self::TooMuch => "the kernel accesses more than the analysis looks at",
            Self::OpenSize => "const parameters decide the size of the workgroup or of shared memory",
            Self::Call => "the function that is called may access any element",
            Self::Counter => {
                "the numbers that are added to the counter have no limit, so that together they may reach 2^32"
            }
            Self::Unclaimed => "elements of a `Scatter` are only written, each as a whole and by its index",
        }
    }
}

/// Two accesses that may race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    /// The buffer or variable.
    pub object: Object,
    /// Its name.
    pub name: String,
    /// The two accesses with their places, the one that writes first.
    pub accesses: [(Kind, Option<SourceLocation>, InstId); 2],
    /// Why.
    pub reason: Reason,
    /// Two invocations that meet, by their positions in the workgroup or along the axis, where they are known.
    pub invocations: Option<[[u32; 3]; 2]>,
}

/// Why two accesses never race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// P1: the index is the invocation's position.
    Own,
    /// P2: the index is a number whose digits are the invocation's position.
    Digits,
    /// P4: only one invocation comes there.
    Single,
    /// P5: a loop with the stride of the grid.
    Stride,
    /// P6: each invocation has a part of its own.
    Part,
    /// The number that an atomic addition gave.
    Ticket,
    /// The invocation was the first to change a cell, by an atomic operation.
    First,
    /// An element of a tensor whose elements differ.
    Distinct,
    /// The index lies in a row, and rows lie one behind the other.
    Offsets,
    /// R2: the indices are in ranges that have nothing in common.
    Ranges,
    /// R3: the indices have different remainders.
    Remainders,
    /// R4: no launch, and no pair of invocations, does both.
    Guards,
    /// A barrier stands between the two.
    Barrier,
    /// A workgroup was run, and the two met in no cell.
    Run,
    /// Both are atomic.
    Atomic,
    /// The author vouches for it: `unordered`.
    Vouched,
}

impl Rule {
    /// The rule in words, behind its number if it has one.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Own => "P1, the index is the invocation's position",
            Self::Digits => "P2, the digits of the index are the invocation's position",
            Self::Single => "P4, one invocation comes here",
            Self::Stride => "P5, a loop with the stride of the grid",
            Self::Part => "P6, each invocation has a part of its own",
            Self::Ticket => "the index is a ticket, which nobody else gets",
            Self::First => "only the first to change a cell, by an atomic operation, comes here",
            Self::Distinct => "the index is an element of a `Distinct`",
            Self::Offsets => "the index lies in a row between elements of an `Offsets`",
            Self::Ranges => "R2, the indices have no range in common",
            Self::Remainders => "R3, the indices have different remainders",
            Self::Guards => "R4, no two invocations come to both",
            Self::Barrier => "a barrier stands between the two",
            Self::Run => "a workgroup was run, and no two invocations met",
            Self::Atomic => "atomic operations do not race with each other",
            Self::Vouched => "vouched for by `unsafe`",
        }
    }
}

/// A pair of accesses that never race, or an access that races with none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proven {
    /// The name of the buffer or variable.
    pub name: String,
    /// The two accesses with their places; twice the same one, of different invocations or by itself.
    pub accesses: [(Kind, Option<SourceLocation>, InstId); 2],
    /// Why.
    pub rule: Rule,
    /// Conditions of a launch for it.
    pub conditions: Vec<Obligation>,
}

/// Something a launch must fulfil, so that accesses do not race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The check of the host.
    pub obligation: Obligation,
    /// The access that needs it.
    pub location: Option<SourceLocation>,
}

/// The result of the analysis of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Analysis {
    /// Conditions under which a launch has no race between proven accesses.
    pub conditions: Vec<Condition>,
    /// Accesses that are not proven.
    pub races: Vec<Race>,
}
