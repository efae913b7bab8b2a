//! The callees of calls and method calls.

use gridwise_ir::ir::{AtomicOp, Builtin, CoopFold, CoopLayout, CoopLine, Order, Scope, SubgroupOp};

use crate::ast::{BinaryOp, Expr};
use crate::builtin::image::ImageMethod;
use crate::builtin::intrinsic::Intrinsic;
use crate::builtin::iteration::Iteration;
use crate::builtin::slice::SliceMethod;
use crate::builtin::standard::Standard;
use crate::program::ItemId;

/// A function or method of matrices of subgroups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoopCall {
    Splat,
    Load(CoopLayout),
    Store(CoopLayout),
    MulAdd,
    Convert,
    /// The sum as a factor: `into_a`, `into_b`.
    Role,
    Transpose,
    Reduce(CoopLine, CoopFold),
    Map,
    ZipMap,
    /// How many elements the invocation holds: `__held`, in derived kernels.
    Held,
    /// One of those: `__element`.
    Element,
}

/// A method of `Option`, `Result` or `bool`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChoiceMethod {
    IsSome,
    IsNone,
    IsOk,
    IsErr,
    /// `Result::ok`
    Ok,
    /// `Result::err`
    Err,
    OkOr,
    UnwrapOr,
    UnwrapOrDefault,
    And,
    Or,
    Xor,
    /// `Option::zip`
    Zip,
    /// `Option::flatten`, `Result::flatten`
    Flatten,
    /// `Option::transpose`, `Result::transpose`
    Transpose,
    /// `Option::unzip`
    Unzip,
    Map,
    MapErr,
    AndThen,
    OrElse,
    UnwrapOrElse,
    OkOrElse,
    MapOr,
    MapOrElse,
    IsSomeAnd,
    IsNoneOr,
    IsOkAnd,
    IsErrAnd,
    /// `Option::take`
    Take,
    /// `Option::replace`
    Replace,
    /// `Option::insert`, by the value behind the reference that it gives.
    Insert,
    /// `Option::as_mut` and `Result::as_mut`, of a place that patterns take apart.
    AsMut,
    /// `Option::get_or_insert`, likewise.
    GetOrInsert,
    /// `Option::get_or_insert_with`, likewise.
    GetOrInsertWith,
    /// `bool::then`
    Then,
    /// `bool::then_some`
    ThenSome,
    Filter,
    Inspect,
    InspectErr,
    /// `copied`, `cloned` and `as_ref`: values are values here.
    Same,
    /// `Ordering::is_lt` and its like, as what the operator says of the ordering and `Equal`.
    IsOrdered(BinaryOp),
    /// `Ordering::reverse`
    Reverse,
    /// `Ordering::then`
    ThenOrdering,
    /// `Ordering::then_with`
    ThenWith,
}

impl ChoiceMethod {
    /// Whether its closure gets references.
    pub(crate) const fn lends(self) -> bool {
        matches!(self, Self::Filter | Self::Inspect | Self::InspectErr) || self.gives_place()
    }

    /// Whether it gives a reference to what its receiver holds then.
    pub(crate) const fn gives_place(self) -> bool {
        matches!(self, Self::Insert | Self::GetOrInsert | Self::GetOrInsertWith)
    }

    /// Whether it changes its receiver.
    pub(crate) const fn writes(self) -> bool {
        matches!(self, Self::Take | Self::Replace) || self.gives_place()
    }
}

/// A method of `Ord`, `PartialOrd`, `PartialEq` or a float that compares, where no `impl` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Cmp,
    PartialCmp,
    TotalCmp,
    /// `lt` and its like, `eq` and `ne`.
    Operator(BinaryOp),
    Max,
    Min,
    Clamp,
}

impl Comparison {
    /// The method of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "cmp" => Self::Cmp,
            "partial_cmp" => Self::PartialCmp,
            "total_cmp" => Self::TotalCmp,
            "eq" => Self::Operator(BinaryOp::Eq),
            "ne" => Self::Operator(BinaryOp::Ne),
            "lt" => Self::Operator(BinaryOp::Lt),
            "le" => Self::Operator(BinaryOp::Le),
            "gt" => Self::Operator(BinaryOp::Gt),
            "ge" => Self::Operator(BinaryOp::Ge),
            "max" => Self::Max,
            "min" => Self::Min,
            "clamp" => Self::Clamp,
            _ => return None,
        })
    }

    /// Whether it takes values; else it takes a reference.
    pub(crate) const fn takes_values(self) -> bool {
        matches!(self, Self::Max | Self::Min | Self::Clamp)
    }

    /// The trait that it goes by.
    pub(crate) const fn standard(self) -> Standard {
        match self {
            Self::Cmp | Self::Max | Self::Min | Self::Clamp => Standard::Ord,
            Self::Operator(BinaryOp::Eq | BinaryOp::Ne) => Standard::PartialEq,
            Self::PartialCmp | Self::TotalCmp | Self::Operator(_) => Standard::PartialOrd,
        }
    }
}

/// A function of `core::mem` that works on what references lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryFunction {
    Swap,
    Replace,
    Take,
}

/// A method of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RangeMethod {
    Contains,
    IsEmpty,
    Len,
    Start,
    End,
    Clone,
    Next,
    NextBack,
}

impl RangeMethod {
    /// The method of this name; `inclusive`: of `a..=b`.
    pub(crate) fn from_name(name: &str, inclusive: bool) -> Option<Self> {
        Some(match name {
            "contains" => Self::Contains,
            "is_empty" => Self::IsEmpty,
            "len" if !inclusive => Self::Len,
            "start" if inclusive => Self::Start,
            "end" if inclusive => Self::End,
            "clone" => Self::Clone,
            "next" => Self::Next,
            "next_back" => Self::NextBack,
            _ => return None,
        })
    }

    /// Whether it changes the range.
    pub(crate) const fn writes(self) -> bool {
        matches!(self, Self::Next | Self::NextBack)
    }
}

/// The start and end of a part of an array or slice.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cut<'e> {
    /// `start..end`
    Ends(Option<&'e Expr>, Option<&'e Expr>, bool),
    /// A range that is a value.
    Range(&'e Expr),
}

/// The callee of a call or method call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A `#[device] fn`.
    Device(ItemId),
    /// `global_id()` and its like.
    Builtin(Builtin),
    /// A function or method of a built-in type.
    Intrinsic(Intrinsic),
    /// The closure in the variable that the call's path names.
    Closure,
    /// `T::from` of a built-in type, which loses nothing.
    Convert,
    /// `T::try_from(value)` and `value.try_into()` of integers.
    TryConvert,
    /// `slice.try_into()` to an array.
    ToArray,
    /// `clone` of what is copied.
    Clone,
    /// `Default::default`, but for a type whose own function is called.
    Default,
    /// The members of a tuple struct or of a variant, which is in the table of variants.
    Constructor,
    /// `v.zyx()`: which lanes, and how many of them.
    Swizzle([u8; 4], u8),
    /// `v.with_zx(w)`: the lanes that are replaced, and how many.
    WithLanes([u8; 4], u8),
    /// A method of `Option`, `Result` or `bool`.
    Choice(ChoiceMethod),
    /// A method that compares.
    Compare(Comparison),
    /// A method of an iterator, or one that makes one.
    Iterate(Iteration),
    /// A method of a range, but for those that every iterator has.
    Range(RangeMethod),
    /// A method of an array or slice.
    Slice(SliceMethod),
    /// `barrier()`
    Barrier,
    /// `subgroup::barrier()`
    SubgroupBarrier,
    /// A function of `core::mem`.
    Memory(MemoryFunction),
    /// `array::from_fn`
    FromFn,
    /// `workgroup_uniform(value)`
    Uniform,
    /// `detach(value)`
    Detach,
    /// `with_slope(value, x, slope)`
    WithSlope,
    /// `fence(scope, order)`
    Fence(Scope, Order),
    /// A method of `Atomic<T>`.
    Atomic(AtomicOp, Order),
    /// A method of an image.
    Image(ImageMethod),
    /// `subgroup::add(x)` and its like: the arguments that are no operands are part of the operation.
    Subgroup(SubgroupOp),
    /// A function or method of `CoopMatrix`.
    Coop(CoopCall),
}
