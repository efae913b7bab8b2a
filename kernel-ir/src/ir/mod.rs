//! The IR as data: modules, functions, blocks, instructions, places. No logic beyond accessors.
//!
//! Control flow is structured: `if`, `switch` and `loop` are instructions that own blocks, and blocks may yield values.
//! A value's time of evaluation is the position of its instruction; it may be used later in its block and in blocks nested there.
//! There are no pointers: memory is named by a [`Place`] (a root and a path) inside each load and store.

mod constant;
mod function;
mod inst;
mod module;
mod place;

pub use constant::Constant;
pub use function::{Block, BlockId, Function, FunctionId, InstId, Local, LocalId, Value, ValueId};
pub use inst::{Builtin, Inst, InstKind};
pub use module::{Buffer, BufferId, FileId, Kernel, Module, ParamId, PushParam, Site, SiteId, SourceLocation};
pub use place::{Place, Root, Step};
