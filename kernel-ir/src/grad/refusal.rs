//! Refusals of the derivation: the place, the reason, and the remedy.

use std::fmt;

use crate::ir::SourceLocation;

/// A kernel that has no gradient here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The expression that cannot be derived, if it is one.
    pub location: Option<SourceLocation>,
    /// Why.
    pub refused: Refused,
}

/// Why a kernel cannot be derived.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The kernel's functions, put where they are called, are too much.
    TooLarge,
    /// The bits of a value that a gradient flows through are taken as an integer.
    Bits,
    /// An operation between the lanes of a subgroup.
    Subgroup,
    /// An operation on matrices of a subgroup.
    Matrix,
    /// A variable of the workgroup that a gradient flows through.
    Shared {
        /// Its name.
        name: String,
    },
    /// An image that gets a value that a gradient flows through.
    Image,
    /// An atomic operation other than an addition.
    Atomic,
    /// The result of an atomic operation.
    AtomicResult,
    /// An output that invocations read, in a kernel whose invocations wait for each other.
    HandedOver,
    /// An element of a list of buffers that is written.
    List,
    /// An element that is read though the kernel overwrites it.
    Overwritten {
        /// The buffer's name.
        buffer: String,
    },
    /// Elements to which several invocations may add, of a type that cannot be added to atomically.
    Element {
        /// The parameter's name.
        name: String,
        /// The elements' type.
        ty: String,
    },
    /// An input that the kernel is to be derived by has no floats in it.
    NoFloats {
        /// The parameter's name.
        name: String,
    },
    /// An input that the kernel is to be derived by is written by it.
    Written {
        /// The parameter's name.
        name: String,
    },
    /// No output depends on an input that the kernel is to be derived by.
    NoPath {
        /// The parameter's name.
        name: String,
    },
    /// A loop that no condition at one place leaves.
    Loop,
}

impl Refused {
    /// The remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::TooLarge => "call fewer functions, or call them in fewer places",
            Self::Bits => {
                "compute the value from floats, not from their bits; functions of `f64` but `sqrt` are made of bits, so take those of `f32`"
            }
            Self::Subgroup => {
                "add to an `Atomic<f32>` of a buffer in place of a sum of the subgroup, or write the gradient by hand"
            }
            Self::Matrix => "write the product as a loop over floats, or write the gradient by hand",
            Self::Shared { .. } => "read the buffer where its elements are used, without a copy in shared memory",
            Self::Image => "write to a `&mut [f32]`, which has a gradient",
            Self::Atomic => "add with `fetch_add`, or write each value to an element of its own",
            Self::AtomicResult => {
                "do not use the result: a gradient flows through the added value only, and the gradient's launch does not repeat atomic operations"
            }
            Self::HandedOver => "split the kernel at the barrier, and derive both parts",
            Self::List => "write to a `&mut [f32]`",
            Self::Overwritten { .. } => {
                "write the result to another buffer, so that what is read is still there when the gradient is computed"
            }
            Self::Element { .. } => "read `x[global_id().x]` only, or pass the floats as a `&[f32]`",
            Self::NoFloats { .. } => "name parameters with floats in them",
            Self::Written { .. } => {
                "name what is read only: each `&mut` parameter with floats is an output, whose adjoint is given"
            }
            Self::NoPath { .. } => "leave it out of `grad(…)`, or let an output depend on it",
            Self::Loop => "leave the loop by a condition that can be false",
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("the kernel is too large to be derived"),
            Self::Bits => f.write_str("no gradient flows through the bits of a float"),
            Self::Subgroup => f.write_str("no gradient flows through operations of a subgroup yet"),
            Self::Matrix => f.write_str("no gradient flows through matrices of a subgroup yet"),
            Self::Shared { name } => write!(f, "no gradient flows through the shared variable `{name}` yet"),
            Self::Image => f.write_str("no gradient flows into an image"),
            Self::Atomic => f.write_str("the only atomic operation that gradients flow through is an addition"),
            Self::AtomicResult => f.write_str("the gradient needs the result of an atomic operation"),
            Self::HandedOver => {
                f.write_str("no gradient flows through an output that invocations hand to each other over a barrier")
            }
            Self::List => f.write_str("no gradient flows into a list of buffers yet"),
            Self::Overwritten { buffer } => {
                write!(f, "the gradient needs this element of `{buffer}`, which the kernel overwrites")
            }
            Self::Element { name, ty } => {
                write!(f, "several invocations may add to an element of the gradient of `{name}`, a `{ty}`")
            }
            Self::NoFloats { name } => write!(f, "`{name}` has no floats, so it has no gradient"),
            Self::Written { name } => write!(f, "the kernel writes `{name}`, so its gradient cannot be asked for"),
            Self::NoPath { name } => write!(f, "no output depends on `{name}` in a way that has a gradient"),
            Self::Loop => f.write_str("no gradient flows out of a loop that nothing leaves"),
        }
    }
}
