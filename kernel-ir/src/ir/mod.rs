//! The IR as data: modules, functions, blocks, instructions, places. No logic beyond accessors.
//!
//! Control flow is structured: `if`, `switch` and `loop` are instructions that own blocks, and blocks may yield values.
//! A value's time of evaluation is the position of its instruction; it may be used later in its block and in blocks nested there.
//! There are no pointers: memory is named by a [`Place`] (a root and a path) inside each load and store.

mod atomic;
mod builtin;
mod constant;
mod coop;
mod float_rules;
mod function;
mod image;
mod inst;
mod module;
mod obligation;
mod place;
mod subgroup;
mod unroll;

pub use crate::types::ConstParamId;
pub use atomic::{Atomic, AtomicOp, Order, Scope};
pub use builtin::Builtin;
pub use constant::Constant;
pub use coop::{CoopAccess, CoopFold, CoopLayout, CoopLine, CoopOp};
pub use float_rules::FloatRules;
pub use function::{Block, BlockId, Function, FunctionId, InstId, Local, LocalId, Name, Value, ValueId};
pub use image::{Image, ImageOp};
pub use inst::{Inst, InstKind};
pub use module::{
    Buffer, BufferId, Checked, ConstParam, FileId, Kernel, Module, ParamId, PushParam, Shared, SharedId, Site, SiteId,
    SourceLocation,
};
pub use obligation::{Bound, BoundOp, Obligation};
pub use place::{Place, Root, Step};
pub use subgroup::{Fold, Span, SubgroupOp};
pub use unroll::Unroll;
