//! Functions, their blocks, values and local variables.

use std::sync::Arc;

use super::{Inst, SourceLocation};
use crate::arena::Arena;
use crate::entity_id;
use crate::types::TypeId;

entity_id!(
    /// A function of a module.
    FunctionId,
    "fn"
);
entity_id!(
    /// An SSA value of a function.
    ValueId,
    "%"
);
entity_id!(
    /// A block of a function.
    BlockId,
    "block"
);
entity_id!(
    /// An instruction of a function.
    InstId,
    "inst"
);
entity_id!(
    /// A local variable of a function.
    LocalId,
    "local"
);

/// A function: arenas of what it is made of, and the block it starts with.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name, for people.
    pub name: String,
    /// Type of its result, `Unit` when it has none.
    pub result: TypeId,
    /// The block it starts with; that block's parameters are the function's.
    pub entry: BlockId,
    /// Local variables.
    pub locals: Arena<LocalId, Local>,
    /// SSA values: block parameters and results of instructions.
    pub values: Arena<ValueId, Value>,
    /// Blocks. Each is owned by the function (the entry) or by exactly one instruction; passes may leave unowned ones behind.
    pub blocks: Arena<BlockId, Block>,
    /// Instructions. Each stands in exactly one block; passes may leave ones behind that stand in none.
    pub insts: Arena<InstId, Inst>,
    /// The place of the function in the source.
    pub location: Option<SourceLocation>,
}

/// A straight run of instructions, ended by a terminator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// Values the block receives: the function's parameters (entry) or the values a loop carries (loop body).
    /// Blocks of `if` and `switch` have none.
    pub params: Vec<ValueId>,
    /// Instructions in order. Invariant (verified): the last is a terminator and no other is.
    pub insts: Vec<InstId>,
}

/// A name of the user's, which many values share: those that a variable had, and their copies.
pub type Name = Arc<str>;

/// An SSA value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Its type, never `Unit`.
    pub ty: TypeId,
    /// The name of the user's variable it came from, for people.
    pub name: Option<Name>,
}

/// A variable of one invocation. Reading it before it is written gives zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// The user's name for it.
    pub name: Name,
    /// Its type.
    pub ty: TypeId,
}
