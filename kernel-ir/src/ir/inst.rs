//! Instructions.

use std::ops::{Deref, DerefMut};

use super::{
    Atomic, BlockId, BufferId, Builtin, ConstParamId, Constant, CoopAccess, CoopOp, FunctionId, ImageOp, Order,
    ParamId, Place, Scope, SiteId, SourceLocation, SubgroupOp, Unroll, ValueId,
};
use crate::arena::EntityId;
use crate::few::Few;
use crate::op::Op;

/// An instruction: what it does, the values it defines, where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inst {
    /// The kind of instruction, with its operands.
    pub kind: InstKind,
    /// Values it defines: none or one, except `if`, `switch` and `loop`, which define what their blocks yield.
    pub results: Few<ValueId>,
    /// The expression it was lowered from.
    pub location: Option<SourceLocation>,
}

/// The kind of an instruction.
///
/// Every pass asks which of these an instruction is, so that this has a byte of its own, which is not put together from members.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum InstKind {
    /// A literal.
    Const(Constant),
    /// A pure operation from the op table.
    Op(Op, Few<ValueId>),
    /// Builds a vector (from scalars), array, tuple or struct from all its members.
    Compose(Few<ValueId>),
    /// Member of a composite value, by constant steps.
    Extract(ValueId, Few<u32>),
    /// The composite with one member replaced: composite, member, constant steps.
    Insert(ValueId, ValueId, Few<u32>),
    /// A by-value parameter of the kernel.
    Param(ParamId),
    /// A const parameter of the kernel.
    ConstParam(ConstParamId),
    /// Whether the driver has [`Fault::ForgottenLoopResults`](crate::faults::Fault::ForgottenLoopResults), a `bool`.
    ForgetsResults,
    /// Whether a launch meets what a site needs, so that nothing is checked there, a `bool`. A launch may say no where it does.
    Proven(SiteId),
    /// An id or size of the running invocation, a `UVec3` or a `u32`.
    Builtin(Builtin),
    /// Number of elements of a buffer, or of buffers in a list, `u32`.
    Len(BufferId),
    /// Number of elements of a buffer in a list, `u32`; zero where there is no such buffer.
    MemberLen(BufferId, ValueId),
    /// Reads memory.
    Load(Place),
    /// Writes memory.
    Store(Place, ValueId),
    /// Calls a function; defines a value unless the function returns unit.
    Call(FunctionId, Few<ValueId>),
    /// Records a trap with `u32` operands (what they mean is the site's kind) and goes on.
    Trap(SiteId, Few<ValueId>),
    /// Records a message for the host: the site's format, and the words of its arguments, all `u32`.
    Print(SiteId, Few<ValueId>),
    /// Accesses memory atomically; defines the cell's old value unless it only stores.
    Atomic(Box<Atomic>),
    /// Waits for all invocations of the subgroup or workgroup. Afterwards all of them see every write to shared memory
    /// and buffers that any of them made before. All invocations of the scope reach the same barrier, or none does.
    Barrier(Scope),
    /// Orders the accesses to shared memory and buffers before it and behind it, for the invocations of the scope.
    Fence(Scope, Order),
    /// Exchanges values with other lanes of the subgroup.
    Subgroup(SubgroupOp, Few<ValueId>),
    /// Reads, writes, measures or samples an image.
    Image(ImageOp, BufferId, Few<ValueId>),
    /// Computes with matrices of the subgroup.
    Coop(CoopOp, Few<ValueId>),
    /// Reads a matrix of the subgroup.
    CoopLoad(Box<CoopAccess>),
    /// Writes a matrix of the subgroup.
    CoopStore(Box<CoopAccess>, ValueId),

    /// Runs one of two blocks; its results are what that block yields.
    If {
        /// A `bool`.
        condition: ValueId,
        /// Runs when true.
        then_block: BlockId,
        /// Runs when false.
        else_block: BlockId,
    },
    /// Runs the block of the matching case; its results are what that block yields.
    Switch {
        /// A `u32` or `i32`.
        selector: ValueId,
        /// Distinct bit patterns with their blocks.
        cases: Vec<(u32, BlockId)>,
        /// Runs when no case matches.
        default: BlockId,
    },
    /// Runs `body` until a `break` names it; its results are the values of that break.
    /// The body's parameters are `initial` the first time, and the values of the `continue` afterwards.
    Loop {
        /// First values of the body's parameters.
        initial: Few<ValueId>,
        /// The body; its id is also the loop's label.
        body: BlockId,
        /// The author's request about unrolling.
        unroll: Unroll,
    },

    /// Terminator: ends a block of `if` or `switch` with the results of that instruction.
    Yield(Few<ValueId>),
    /// Terminator: leaves the loop whose body is this block, with its results.
    Break(BlockId, Few<ValueId>),
    /// Terminator: starts the next round of the loop whose body is this block.
    Continue(BlockId, Few<ValueId>),
    /// Terminator: leaves the function.
    Return(Option<ValueId>),
    /// Terminator: records a trap with the words of its message's arguments, all `u32`, and ends the invocation.
    Panic(SiteId, Few<ValueId>),
    /// Terminator: never reached.
    Unreachable,
}

/// Visits the values that an instruction uses directly, in order, to read or to change them: says what to do with one, with several, and with
/// those of a place.
macro_rules! each_use {
    (
        $kind:expr, $as_ref:ident,
        |$value:ident| $one:expr, |$values:ident| $all:expr, |$place:ident| $of_place:expr
    ) => {
        match $kind {
            Self::Const(_)
            | Self::Param(_)
            | Self::ConstParam(_)
            | Self::ForgetsResults
            | Self::Proven(_)
            | Self::Builtin(_)
            | Self::Len(_)
            | Self::Barrier(_)
            | Self::Fence(..)
            | Self::Unreachable
            | Self::Return(None) => {}
            Self::Op(_, $values)
            | Self::Compose($values)
            | Self::Call(_, $values)
            | Self::Subgroup(_, $values)
            | Self::Image(_, _, $values)
            | Self::Coop(_, $values)
            | Self::Yield($values)
            | Self::Break(_, $values)
            | Self::Continue(_, $values)
            | Self::Trap(_, $values)
            | Self::Print(_, $values)
            | Self::Panic(_, $values)
            | Self::Loop { initial: $values, .. } => $all,
            Self::Extract($value, _)
            | Self::MemberLen(_, $value)
            | Self::Return(Some($value))
            | Self::If { condition: $value, .. }
            | Self::Switch { selector: $value, .. } => $one,
            Self::Insert(composite, member, _) => {
                let $value = composite;
                $one;
                let $value = member;
                $one;
            }
            Self::Load($place) => $of_place,
            Self::Store($place, $value) => {
                $of_place;
                $one;
            }
            Self::Atomic(atomic) => {
                let Atomic { place: $place, operands: $values, .. } = atomic.$as_ref();
                $of_place;
                $all;
            }
            Self::CoopLoad(access) => {
                let CoopAccess { place: $place, first, stride, .. } = access.$as_ref();
                $of_place;
                for $value in [first, stride] {
                    $one;
                }
            }
            Self::CoopStore(access, stored) => {
                let CoopAccess { place: $place, first, stride, .. } = access.$as_ref();
                $of_place;
                for $value in [first, stride, stored] {
                    $one;
                }
            }
        }
    };
}

impl InstKind {
    /// Whether it ends a block.
    #[inline]
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Self::Yield(_)
                | Self::Break(..)
                | Self::Continue(..)
                | Self::Return(_)
                | Self::Panic(..)
                | Self::Unreachable
        )
    }

    /// Whether it is a constant, a number of the launch, or a composite taken apart or put together: nothing has to be computed for it, and
    /// memory does not matter.
    #[inline]
    pub fn is_free(&self) -> bool {
        matches!(
            self,
            Self::Const(_)
                | Self::Compose(_)
                | Self::Extract(..)
                | Self::Insert(..)
                | Self::Param(_)
                | Self::ConstParam(_)
                | Self::ForgetsResults
                | Self::Proven(_)
                | Self::Builtin(_)
                | Self::Len(_)
                | Self::MemberLen(..)
        )
    }

    /// Whether it computes its results from its operands and the launch alone, and has no effect.
    #[inline]
    pub fn is_pure(&self) -> bool {
        matches!(self, Self::Op(..)) || self.is_free()
    }

    /// The memory it accesses, if it does.
    #[inline]
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Load(place) | Self::Store(place, _) => Some(place),
            Self::Atomic(atomic) => Some(&atomic.place),
            Self::CoopLoad(access) | Self::CoopStore(access, _) => Some(&access.place),
            _ => None,
        }
    }

    /// The memory it accesses, to change.
    pub fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            Self::Load(place) | Self::Store(place, _) => Some(place),
            Self::Atomic(atomic) => Some(&mut atomic.place),
            Self::CoopLoad(access) | Self::CoopStore(access, _) => Some(&mut access.place),
            _ => None,
        }
    }

    /// Whether other invocations wait for it, or it for them, so that no invocation of a workgroup may be missing.
    pub fn needs_full_workgroup(&self) -> bool {
        self.is_of_coop() || matches!(self, Self::Barrier(_) | Self::Subgroup(..))
    }

    /// Whether all invocations of a subgroup do it together, on matrices that they hold together.
    pub fn is_of_coop(&self) -> bool {
        matches!(self, Self::Coop(..) | Self::CoopLoad(_) | Self::CoopStore(..))
    }

    /// Whether it owns blocks: most do not, which this tells sooner than [`Self::blocks`].
    #[inline]
    pub fn has_blocks(&self) -> bool {
        matches!(self, Self::If { .. } | Self::Switch { .. } | Self::Loop { .. })
    }

    /// The blocks it owns, in order.
    #[inline]
    pub fn blocks(&self) -> Blocks {
        match self {
            Self::If { then_block, else_block, .. } => Blocks::Few([*then_block, *else_block], 2),
            Self::Switch { cases, default, .. } => {
                Blocks::Many(cases.iter().map(|(_, block)| *block).chain([*default]).collect())
            }
            Self::Loop { body, .. } => Blocks::Few([*body; 2], 1),
            _ => Blocks::Few([BlockId::new(0); 2], 0),
        }
    }

    /// Calls `f` on every value it uses directly, in order; not those used inside blocks it owns.
    pub fn for_each_use(&self, mut f: impl FnMut(ValueId)) {
        each_use!(self, as_ref, |value| f(*value), |values| values.iter().copied().for_each(&mut f), |place| place
            .values()
            .for_each(&mut f));
    }

    /// Replaces every value it uses directly.
    pub fn map_uses(&mut self, mut f: impl FnMut(ValueId) -> ValueId) {
        each_use!(
            self,
            as_mut,
            |value| *value = f(*value),
            |values| values.iter_mut().for_each(|value| *value = f(*value)),
            |place| map_place(place, &mut f)
        );
    }
}

/// The blocks that an instruction owns; most own none, and few more than two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocks {
    /// The first so many.
    Few([BlockId; 2], usize),
    /// Those of a `switch`.
    Many(Vec<BlockId>),
}

impl Deref for Blocks {
    type Target = [BlockId];

    fn deref(&self) -> &[BlockId] {
        match self {
            Self::Few(blocks, len) => &blocks[..*len],
            Self::Many(blocks) => blocks,
        }
    }
}

impl DerefMut for Blocks {
    fn deref_mut(&mut self) -> &mut [BlockId] {
        match self {
            Self::Few(blocks, len) => &mut blocks[..*len],
            Self::Many(blocks) => blocks,
        }
    }
}

impl IntoIterator for Blocks {
    type Item = BlockId;
    type IntoIter = OwnedBlocks;

    fn into_iter(self) -> OwnedBlocks {
        OwnedBlocks { blocks: self, next: 0 }
    }
}

/// Iterator over [`Blocks`].
#[derive(Debug, Clone)]
pub struct OwnedBlocks {
    blocks: Blocks,
    next: usize,
}

impl Iterator for OwnedBlocks {
    type Item = BlockId;

    fn next(&mut self) -> Option<BlockId> {
        self.next += 1;
        self.blocks.get(self.next - 1).copied()
    }
}

fn map_place(place: &mut Place, f: &mut impl FnMut(ValueId) -> ValueId) {
    if let super::Root::Member(_, member) = &mut place.root {
        *member = f(*member);
    }
    for step in &mut place.path {
        if let super::Step::Index { value, .. } | super::Step::Element(value) = step {
            *value = f(*value);
        }
    }
}
