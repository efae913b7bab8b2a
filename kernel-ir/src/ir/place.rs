//! Places: how loads and stores name memory without pointers.

use crate::few::Few;

use super::{BufferId, LocalId, SharedId, SiteId, ValueId};

/// A memory cell: where the path starts, and the steps to the cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where the path starts.
    pub root: Root,
    /// Steps from the root inwards. Invariant: a buffer root's first step is an `Index`.
    pub path: Few<Step, 1>,
}

/// Where a place starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Root {
    /// A local variable of the function.
    Local(LocalId),
    /// A buffer parameter of the kernel: a run-time array of its element type.
    Buffer(BufferId),
    /// A variable of the workgroup.
    Shared(SharedId),
}

/// One step from an aggregate to one of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Member by number: struct field, tuple field, vector component, or array element.
    Field(u32),
    /// Element of a buffer, array or vector by a `u32` value.
    Index {
        /// Which element.
        value: ValueId,
        /// With a site, the access is checked: out of range, it traps there, a load gives zero and a store is dropped.
        /// Without one, the index is known to be in range.
        check: Option<SiteId>,
    },
}

impl Place {
    /// The whole of a local variable.
    pub fn local(local: LocalId) -> Self {
        Self { root: Root::Local(local), path: Few::new() }
    }

    /// The whole of a variable of the workgroup.
    pub fn shared(shared: SharedId) -> Self {
        Self { root: Root::Shared(shared), path: Few::new() }
    }

    /// One element of a buffer.
    pub fn element(buffer: BufferId, value: ValueId, check: Option<SiteId>) -> Self {
        Self { root: Root::Buffer(buffer), path: [Step::Index { value, check }].into() }
    }

    /// The values its steps use.
    pub fn values(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.path.iter().filter_map(|step| match step {
            Step::Index { value, .. } => Some(*value),
            Step::Field(_) => None,
        })
    }

    /// Whether a step is checked, so that the access may trap.
    pub fn is_checked(&self) -> bool {
        self.path.iter().any(|step| matches!(step, Step::Index { check: Some(_), .. }))
    }
}
