//! Places: how loads and stores name memory without pointers.

use crate::few::Few;
use crate::types::Scalar;

use super::{BufferId, LocalId, SharedId, SiteId, ValueId};

/// A memory cell: where the path starts, and the steps to the cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The root of the path.
    pub root: Root,
    /// Steps from the root inwards. Invariant: the first step into a buffer, or a member of a list, is an `Index`.
    pub path: Few<Step, 1>,
    /// Whether nothing says in which order invocations access it, as its author vouches: `y.unordered()[i]`.
    pub is_unordered: bool,
}

/// The root of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Root {
    /// A local variable of the function.
    Local(LocalId),
    /// A buffer parameter of the kernel: a run-time array of its element type.
    Buffer(BufferId),
    /// A variable of the workgroup.
    Shared(SharedId),
    /// One of the buffers of a list, by a `u32`: a run-time array of the list's element type. A buffer beyond the list
    /// has no elements.
    Member(BufferId, ValueId),
}

impl Root {
    /// The list in place of its member.
    pub fn object(self) -> Self {
        match self {
            Self::Member(list, _) => Self::Buffer(list),
            other => other,
        }
    }

    /// The position in its list, if the buffer is a member of one.
    pub fn member(self) -> Option<ValueId> {
        match self {
            Self::Member(_, member) => Some(member),
            Self::Local(_) | Self::Buffer(_) | Self::Shared(_) => None,
        }
    }
}

/// One step from an aggregate to one of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Member by number: struct field, tuple field, vector component, or array element.
    Field(u32),
    /// Element of a buffer, array or vector by a `u32` value.
    Index {
        /// The index of the element.
        value: ValueId,
        /// With a site, the access is checked: out of range, it traps there, a load gives zero and a store is dropped.
        /// Without one, the index is known to be in range.
        check: Option<SiteId>,
    },
    /// Element of a matrix of the subgroup, by its number among those that the invocation holds, a `u32`: known to be
    /// in range. The device decides which row and column that is.
    Element(ValueId),
    /// The last step of a load from a buffer that is only read: the elements from there on, as many as lie in memory where such a scalar or
    /// vector would, as one. They are known to begin at a multiple of its size; of a word, bytes behind the buffer's end are zero.
    Joined {
        /// A scalar of 32 bits, or `f16`.
        scalar: Scalar,
        /// One, or those of a vector.
        lanes: u8,
    },
}

impl Step {
    /// The value that says which member it is.
    pub fn value(self) -> Option<ValueId> {
        match self {
            Self::Index { value, .. } | Self::Element(value) => Some(value),
            Self::Field(_) | Self::Joined { .. } => None,
        }
    }
}

impl Default for Step {
    fn default() -> Self {
        Self::Field(0)
    }
}

impl Place {
    /// The whole of a local variable.
    pub fn local(local: LocalId) -> Self {
        Self { root: Root::Local(local), path: Few::new(), is_unordered: false }
    }

    /// The whole of a variable of the workgroup.
    pub fn shared(shared: SharedId) -> Self {
        Self { root: Root::Shared(shared), path: Few::new(), is_unordered: false }
    }

    /// One element of a buffer.
    pub fn element(buffer: BufferId, value: ValueId, check: Option<SiteId>) -> Self {
        Self { root: Root::Buffer(buffer), path: [Step::Index { value, check }].into(), is_unordered: false }
    }

    /// The values that it uses: which member of a list, and the indices of its steps.
    pub fn values(&self) -> impl Iterator<Item = ValueId> + '_ {
        let steps = self.path.iter().filter_map(|step| step.value());
        self.root.member().into_iter().chain(steps)
    }

    /// Whether it is several elements as one value.
    pub fn is_joined(&self) -> bool {
        matches!(self.path.last(), Some(Step::Joined { .. }))
    }

    /// Whether a step is checked, so that the access may trap.
    pub fn is_checked(&self) -> bool {
        self.path.iter().any(|step| matches!(step, Step::Index { check: Some(_), .. }))
    }
}
