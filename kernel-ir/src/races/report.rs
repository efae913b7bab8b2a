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
