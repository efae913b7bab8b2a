//! Findings of the interpreter: faults of a launch, and their texts.

use std::fmt::{self, Display, Formatter};

use crate::ir::{BufferId, FileId, Module, SharedId, SourceLocation};

/// Something that a kernel must not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The invocation that did it first, and where.
    pub party: Party,
    /// How often it happened there.
    pub count: u64,
}

/// The kind of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// Two invocations access a cell, at least one writes, and nothing puts them in order.
    Race(Conflict),
    /// A cell of a shared variable is read before anyone wrote it: it is zero.
    ReadBeforeWrite {
        /// The variable, with the way to the cell.
        object: String,
    },
    /// The invocation waits at a barrier that another one does not reach.
    DivergentBarrier {
        /// The other invocation, and where it waits; without a place it has returned.
        other: Party,
    },
    /// The kernel does not say what happens.
    Undefined(String),
    /// The invocation runs for longer than it may.
    OutOfFuel,
}

/// Two accesses in no order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The buffer or shared variable, with the way to the cell.
    pub object: String,
    /// The later access: `write`, `read`, `atomic write`, `atomic read`.
    pub access: &'static str,
    /// The earlier access.
    pub other_access: &'static str,
    /// The invocation of the earlier one, and where.
    pub other: Party,
}

/// An invocation, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Party {
    /// Its global id.
    pub invocation: [u32; 3],
    /// The place in the source.
    pub location: Option<SourceLocation>,
}

/// The kind of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
}

impl Kind {
    pub(super) fn is_atomic(self) -> bool {
        matches!(self, Self::AtomicRead | Self::AtomicWrite)
    }

    pub(super) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::AtomicRead => "atomic read",
            Self::AtomicWrite => "atomic write",
        }
    }
}

/// Memory that invocations share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Object {
    Buffer(BufferId),
    Shared(SharedId),
}

impl Finding {
    /// The finding in words, with the files that `module` knows.
    pub fn describe<'a>(&'a self, module: &'a Module) -> impl Display + 'a {
        Described { finding: self, file: move |id: FileId| module.files[id].as_str() }
    }
}

struct Described<'a, F> {
    finding: &'a Finding,
    file: F,
}

impl<'a, F: Fn(FileId) -> &'a str> Described<'a, F> {
    fn party(&self, f: &mut Formatter<'_>, party: &Party) -> fmt::Result {
        let [x, y, z] = party.invocation;
        write!(f, "invocation ({x}, {y}, {z})")?;
        match party.location {
            Some(at) => write!(f, " at {}:{}:{}", (self.file)(at.file), at.line, at.column),
            None => Ok(()),
        }
    }
}

impl<'a, F: Fn(FileId) -> &'a str> Display for Described<'a, F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Finding { kind, party, count } = self.finding;
        match kind {
            FindingKind::Race(conflict) => {
                write!(f, "data race on `{}`: {} by ", conflict.object, conflict.access)?;
                self.party(f, party)?;
                write!(f, ", {} by ", conflict.other_access)?;
                self.party(f, &conflict.other)?;
                write!(f, ", and no barrier between them")?;
            }
            FindingKind::ReadBeforeWrite { object } => {
                write!(f, "`{object}` is read before it is written, by ")?;
                self.party(f, party)?;
            }
            FindingKind::DivergentBarrier { other } => {
                write!(f, "barrier that not all invocations reach: ")?;
                self.party(f, party)?;
                write!(f, " waits there, ")?;
                self.party(f, other)?;
                f.write_str(if other.location.is_some() { " elsewhere" } else { " has returned" })?;
            }
            FindingKind::Undefined(what) => {
                write!(f, "undefined: {what}, by ")?;
                self.party(f, party)?;
            }
            FindingKind::OutOfFuel => {
                write!(f, "no end in sight: ")?;
                self.party(f, party)?;
            }
        }
        if *count > 1 { write!(f, " ({count} times)") } else { Ok(()) }
    }
}
