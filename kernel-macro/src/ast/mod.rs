//! The syntax tree of kernels, device items and GPU structs: a small subset of Rust with spans. Names are not resolved, types not known.

mod expr;
mod generics;
mod item;
mod macro_call;
mod op;
mod path;
mod pattern;
mod scalar;
mod span;
mod ty;
pub(crate) mod walk;

use gridwise_ir::entity_id;

pub(crate) use expr::{
    Arm, Block, Closure, Expr, ExprKind, FunctionArg, Label, Literal, LocalConst, Member, MethodCall, OptionPlace,
    OptionPlaceLet, PathCall, Statement,
};
pub(crate) use generics::{
    Bound, GenericArg, GenericKind, GenericParam, Generics, Impl, Lent, PathArgs, Trait, is_iterator,
};
pub(crate) use gridwise_ir::ir::Unroll;
pub(crate) use item::{Alias, Const, Derives, Enum, Fn, Item, Param, Scattered, Shape, Struct, Variant};
pub(crate) use macro_call::{Format, FormatArg, MacroCall, MacroKind, PrintTarget};
pub(crate) use op::{BinaryOp, COMPARISON, UnaryOp};
pub(crate) use path::Path;
pub(crate) use pattern::{FieldPattern, Pattern, rest_range, spread};
pub(crate) use scalar::ScalarName;
pub(crate) use span::SpanRange;
pub(crate) use ty::{TypeExpr, TypeKind, without_references};

entity_id!(
    /// An expression of one function or const; counts from 0 in each.
    ExprId,
    "e"
);
entity_id!(
    /// A variable introduced by a parameter or a pattern; counts from 0 in each function.
    BindingId,
    "v"
);
