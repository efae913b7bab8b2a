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
    /// An operation between the lanes of a subgroup that no rule is for.
    Subgroup,
    /// An operation between the lanes of a subgroup, by an operand that may differ between them.
    SubgroupLane,
    /// An operation between the lanes of a subgroup in a loop that may have other rounds in each.
    SubgroupApart,
    /// An operation on matrices of a subgroup that no rule is for.
    Matrix,
    /// A number that a gradient flows through, in all elements of a matrix or times each.
    MatrixNumber,
    /// Elements of a matrix, one by one.
    MatrixElements,
    /// A matrix in shared memory, or in memory with elements of another type.
    MatrixMemory,
    /// A struct with matrices in it.
    MatrixInStruct,
    /// A matrix that is loaded from an output.
    MatrixInPlace,
    /// A factor whose transpose cannot be had.
    MatrixFactor,
    /// A matrix whose earlier contents are needed in each round of a loop.
    MatrixState,
    /// An atomic operation on a variable of the workgroup that a gradient flows through.
    SharedAtomic {
        /// The variable's name.
        name: String,
    },
    /// A variable of the workgroup whose elements have no adjoint.
    SharedType {
        /// Its name.
        name: String,
        /// Its type.
        ty: String,
    },
    /// Earlier contents of a variable of the workgroup are needed where invocations may be apart.
    SharedApart {
        /// Its name.
        name: String,
    },
    /// Earlier contents of a variable of the workgroup have to be kept, and are too much or of a size that nobody knows.
    SharedSize {
        /// Its name.
        name: String,
    },
    /// The test of a loop that invocations wait in, or that accesses a variable of the workgroup.
    SharedTest,
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
    /// An argument or result of a function, of a type that its derivatives cannot have.
    Argument {
        /// The parameter's name, or none for the result.
        name: String,
        /// Its type, or that of a part of it.
        ty: String,
        /// Whether it is a part.
        is_part: bool,
    },
    /// An input that the kernel is to be derived by has no floats in it.
    NoFloats {
        /// The parameter's name.
        name: String,
    },
    /// An input that the kernel is to be derived by is a list of buffers, or an image.
    Kind {
        /// The parameter's name.
        name: String,
        /// Whether it is a list.
        is_list: bool,
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
                "compute the value from floats, not from their bits, or say its slope: `with_slope(value, x, slope)`"
            }
            Self::Subgroup => {
                "gradients flow through `subgroup::add`, its prefix sums, `min` and `max` of scalars, `broadcast_first` and shuffles; write the others by these, or through shared memory"
            }
            Self::SubgroupLane => "shuffle by a constant or another value that is the same in all invocations",
            Self::SubgroupApart => {
                "let all invocations go through the loop together, with bounds that are the same in each"
            }
            Self::Matrix => {
                "gradients flow through loads, stores, products, sums, differences, `convert`, `into_a`, `into_b`, `row_sum` and `column_sum`; do the rest in a kernel of its own, over floats"
            }
            Self::MatrixNumber => {
                "leave the number out of `grad(…)`, or multiply or add it in a kernel of its own, over floats"
            }
            Self::MatrixElements => {
                "store the matrix, and let a kernel of its own change the elements: one that has a gradient over floats"
            }
            Self::MatrixMemory => {
                "load matrices from buffers and store them to buffers, `&[f16]` or `&mut [f32]`, with elements of the matrix's own type"
            }
            Self::MatrixInStruct => "keep matrices in variables, arrays and tuples",
            Self::MatrixInPlace => "load from another buffer than the one that the kernel stores to",
            Self::MatrixFactor => {
                "load each factor from a buffer in the block that multiplies it, into a variable of its own"
            }
            Self::MatrixState => "let each round only add to the matrix, as `sum = a.mul_add(b, sum)` does",
            Self::SharedAtomic { .. } => {
                "store each invocation's share to an element of its own, and add the elements up behind a barrier"
            }
            Self::SharedType { .. } => "share arrays of `f32` or `f64`, or of vectors of these",
            Self::SharedApart { .. } => {
                "read what is needed into variables before the shared variable is written again, or keep the loop out of branches and loops that differ between invocations"
            }
            Self::SharedSize { .. } => {
                "give the workgroup and the variable numbers as sizes, at most 16 elements for each invocation"
            }
            Self::SharedTest => {
                "write `while condition { … }` with a condition that reads no shared memory, and the barriers in the body"
            }
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
            Self::Element { .. } => {
                "read `x[global_id().x]` only, or let all numbers in it have the size of its floats, `f32` or `f64`"
            }
            Self::Argument { .. } => {
                "take and give floats, vectors, matrices, quaternions, and arrays, tuples and structs of these; split others into such parts"
            }
            Self::NoFloats { .. } => "name parameters with floats in them",
            Self::Kind { is_list: true, .. } => {
                "pass its buffers as parameters of their own, or one buffer with a row for each"
            }
            Self::Kind { .. } => "pass the texels as a `&[f32]`, or as a slice of vectors",
            Self::Written { .. } => {
                "leave it out: where the kernel reads what it writes, `backward` turns the given adjoint into that of the old contents; or write to another tensor than the one that is read"
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
            Self::Subgroup => f.write_str("no gradient flows through this operation of a subgroup"),
            Self::SubgroupLane => {
                f.write_str("the gradient of this operation needs an operand that is the same in all lanes")
            }
            Self::SubgroupApart => f.write_str(
                "no gradient flows through an operation of a subgroup in a loop that invocations may leave apart",
            ),
            Self::Matrix => f.write_str("no gradient flows through this operation on matrices of a subgroup"),
            Self::MatrixNumber => f.write_str("no gradient flows from a matrix of a subgroup to a number"),
            Self::MatrixElements => f.write_str("no gradient flows through functions of a matrix's elements"),
            Self::MatrixMemory => f.write_str(
                "no gradient flows through a matrix that lies in shared memory or among elements of another type",
            ),
            Self::MatrixInStruct => f.write_str("no gradient flows through a struct with matrices of a subgroup in it"),
            Self::MatrixInPlace => f.write_str("no gradient flows through a matrix that is loaded from an output"),
            Self::MatrixFactor => f.write_str("the gradient needs the transpose of this factor, which cannot be had"),
            Self::MatrixState => f.write_str("the gradient needs what a matrix was in each round of this loop"),
            Self::SharedAtomic { name } => {
                write!(f, "no gradient flows through atomic operations on the shared variable `{name}`")
            }
            Self::SharedType { name, ty } => {
                write!(f, "no gradient flows through the shared variable `{name}`, a `{ty}`")
            }
            Self::SharedApart { name } => write!(
                f,
                "the gradient needs what the shared variable `{name}` held here, and invocations that are apart cannot put it back"
            ),
            Self::SharedSize { name } => write!(
                f,
                "the gradient has to keep what the shared variable `{name}` held, and it is too large or its size is not known"
            ),
            Self::SharedTest => f.write_str("the test of this loop waits for other invocations or reads shared memory"),
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
            Self::Argument { name, ty, is_part } => {
                match name.as_str() {
                    "" => f.write_str("the result of the function")?,
                    name => write!(f, "`{name}`")?,
                }
                let verb = if *is_part { "holds" } else { "is" };
                write!(f, " {verb} a `{ty}`, which has no derivative in `vjp` and `jvp`")
            }
            Self::NoFloats { name } => write!(f, "`{name}` has no floats, so it has no gradient"),
            Self::Kind { name, is_list } => {
                let kind = if *is_list { "a list of buffers" } else { "an image" };
                write!(f, "`{name}` is {kind}, whose gradient cannot be asked for yet")
            }
            Self::Written { name } => write!(f, "the kernel writes `{name}`, so its gradient cannot be asked for"),
            Self::NoPath { name } => write!(f, "no output depends on `{name}` in a way that has a gradient"),
            Self::Loop => f.write_str("no gradient flows out of a loop that nothing leaves"),
        }
    }
}
