//! The syntax tree of kernels, device items and GPU structs: a small subset of Rust with spans. Names are not resolved, types not known.

mod generics;
mod pattern;

use std::rc::Rc;

use gridwise_ir::entity_id;
use proc_macro2::{Ident, Span, TokenStream};

use crate::format::Style;
pub(crate) use generics::{Bound, GenericArg, GenericKind, GenericParam, Generics, Impl, PathArgs, Trait};
pub(crate) use pattern::{FieldPattern, Pattern, rest_range, spread};

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

/// First and last token of a construct: what an error underlines on stable Rust.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpanRange {
    pub(crate) start: Span,
    pub(crate) end: Span,
}

/// An item a kernel can consist of.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Fn(Fn),
    Struct(Struct),
    Enum(Enum),
    Const(Const),
    Impl(Impl),
    Trait(Trait),
}

/// A kernel or device function.
#[derive(Debug, Clone)]
pub(crate) struct Fn {
    /// Attributes to put on the emitted function (docs, lints, cfg), ours removed.
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) vis: syn::Visibility,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    /// `self` of a method as written: then it is the first parameter.
    pub(crate) receiver: Option<syn::Receiver>,
    pub(crate) params: Vec<Param>,
    /// `None` for unit.
    pub(crate) result: Option<TypeExpr>,
    pub(crate) body: Block,
    /// How many expression ids the function uses.
    pub(crate) expr_count: usize,
    /// How many binding ids the function uses.
    pub(crate) binding_count: usize,
    /// Whether it has a `debug_assert!` or its like.
    pub(crate) has_debug: bool,
}

/// A function parameter.
#[derive(Debug, Clone)]
pub(crate) struct Param {
    pub(crate) name: Ident,
    pub(crate) mutable: bool,
    pub(crate) ty: TypeExpr,
    pub(crate) binding: BindingId,
}

/// A struct.
#[derive(Debug, Clone)]
pub(crate) struct Struct {
    pub(crate) name: Ident,
    /// Those of a tuple struct are called `_0`, `_1`, ….
    pub(crate) fields: Vec<(Ident, TypeExpr)>,
    pub(crate) shape: Shape,
    /// Whether it derives `PartialEq`, as far as the macro sees.
    pub(crate) compares: bool,
}

/// How the members of a struct or variant are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{ a: A, b: B }`
    Named,
    /// `(A, B)`
    Tuple,
    /// Nothing.
    Unit,
}

/// An enum; never without variants.
#[derive(Debug, Clone)]
pub(crate) struct Enum {
    pub(crate) name: Ident,
    pub(crate) variants: Vec<Variant>,
    /// Whether discriminants are `u32`; else `i32`, in which all other representations that kernels have fit.
    pub(crate) unsigned: bool,
    pub(crate) expr_count: usize,
    /// Whether it derives `PartialEq`, as far as the macro sees.
    pub(crate) compares: bool,
}

/// A variant of an enum.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub(crate) name: Ident,
    pub(crate) fields: Vec<(Ident, TypeExpr)>,
    pub(crate) shape: Shape,
    /// The number after `=`.
    pub(crate) discriminant: Option<Expr>,
}

/// `const NAME: T = expr;`
#[derive(Debug, Clone)]
pub(crate) struct Const {
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: TypeExpr,
    pub(crate) value: Expr,
    pub(crate) expr_count: usize,
}

/// A path as written.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) leading_colon: bool,
    pub(crate) segments: Vec<Ident>,
    /// The generic arguments of those segments that have some, in order.
    pub(crate) generics: Vec<PathArgs>,
}

/// A type as written.
#[derive(Debug, Clone)]
pub(crate) struct TypeExpr {
    pub(crate) kind: TypeKind,
    pub(crate) span: SpanRange,
    /// The tokens as written.
    pub(crate) tokens: TokenStream,
}

#[derive(Debug, Clone)]
pub(crate) enum TypeKind {
    /// `f32`, `glam::Vec3`, `Particle`, …
    Path(Path),
    /// `Option<T>`
    Option(Box<TypeExpr>),
    /// `Result<T, E>`
    Result(Box<TypeExpr>, Box<TypeExpr>),
    /// `&[T]` or `&mut [T]`: only as the type of a kernel's parameter.
    Slice { mutable: bool, element: Box<TypeExpr> },
    /// `[T; N]`
    Array { element: Box<TypeExpr>, len: Box<Expr> },
    /// `(A, B)`; empty for unit.
    Tuple(Vec<TypeExpr>),
    /// `Shared<T>`
    Shared(Box<TypeExpr>),
    /// `Atomic<T>`
    Atomic(Box<TypeExpr>),
    /// `_`
    Infer,
    /// Reported already.
    Error,
}

/// `{ … }`
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) statements: Vec<Statement>,
    /// The expression without a semicolon at the end.
    pub(crate) tail: Option<Box<Expr>>,
    pub(crate) span: SpanRange,
}

#[derive(Debug, Clone)]
pub(crate) enum Statement {
    /// `let pattern: ty = value;`
    Let {
        pattern: Pattern,
        ty: Option<Box<TypeExpr>>,
        value: Option<Expr>,
        /// The block after `else`.
        otherwise: Option<Box<Block>>,
        span: SpanRange,
    },
    /// `const NAME: T = value;` in a block.
    Const(Box<LocalConst>),
    /// An expression with a semicolon, or a block-like one without.
    Expr { expr: Expr, semicolon: bool },
}

/// An expression; `id` keys the tables of the typed tree.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub(crate) id: ExprId,
    pub(crate) kind: ExprKind,
    pub(crate) span: SpanRange,
}

#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    Literal(Literal),
    Path(Path),
    Paren(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    /// Operator, left, right, span of the operator; `&&` and `||` short-circuit.
    Binary(BinaryOp, Box<Expr>, Box<Expr>, Span),
    Assign(Box<Expr>, Box<Expr>),
    /// `a += b` and its like.
    AssignOp(BinaryOp, Box<Expr>, Box<Expr>, Span),
    Cast(Box<Expr>, TypeExpr),
    If {
        condition: Box<Expr>,
        then_block: Block,
        else_expr: Option<Box<Expr>>,
    },
    /// `let pattern = value` in a condition.
    Let {
        pattern: Box<Pattern>,
        value: Box<Expr>,
    },
    Match {
        scrutinee: Box<Expr>,
        arms: Vec<Arm>,
    },
    /// `value?`
    Try(Box<Expr>),
    /// `const { … }`
    Const(Block),
    While {
        label: Option<Label>,
        condition: Box<Expr>,
        body: Block,
    },
    Loop {
        label: Option<Label>,
        body: Block,
    },
    /// `for pattern in iterated`
    For {
        label: Option<Label>,
        pattern: Pattern,
        iterated: Box<Iterated>,
        body: Block,
    },
    Block {
        label: Option<Label>,
        block: Block,
    },
    Break {
        label: Option<Label>,
        value: Option<Box<Expr>>,
    },
    Continue {
        label: Option<Label>,
    },
    Return(Option<Box<Expr>>),
    Call {
        callee: Path,
        callee_span: SpanRange,
        args: Vec<Expr>,
    },
    Method {
        receiver: Box<Expr>,
        name: Ident,
        /// `::<f32>` after the name.
        turbofish: Option<Box<PathArgs>>,
        args: Vec<Expr>,
    },
    Field {
        base: Box<Expr>,
        member: Member,
    },
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    /// `Shared::<T>::new()`, with the callee as written.
    NewShared {
        ty: Option<TypeExpr>,
        callee: TokenStream,
    },
    /// Two or more members, or one with a comma, or none (unit).
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    Repeat {
        element: Box<Expr>,
        len: Box<Expr>,
    },
    Struct {
        path: Path,
        fields: Vec<(Ident, Expr)>,
        /// The struct after `..`.
        base: Option<Box<Expr>>,
    },
    /// `assert!(…)`, `println!(…)` and their like.
    Macro(Box<MacroCall>),
    Closure(Rc<Closure>),
    /// Reported already.
    Error,
}

/// `|a, b: f32| a + b`
#[derive(Debug)]
pub(crate) struct Closure {
    /// The word `move`.
    pub(crate) moves: Option<Span>,
    pub(crate) params: Vec<(Pattern, Option<TypeExpr>)>,
    pub(crate) result: Option<TypeExpr>,
    pub(crate) body: Expr,
}

/// A call of a macro that kernels have.
#[derive(Debug, Clone)]
pub(crate) struct MacroCall {
    /// The path as written.
    pub(crate) path: syn::Path,
    /// Its last segment.
    pub(crate) name: Ident,
    pub(crate) kind: MacroKind,
    /// `debug_assert!` and its like.
    pub(crate) debug: bool,
    /// The condition of an assertion (of `assert_eq!` the comparison), the values of `dbg!`.
    pub(crate) operands: Vec<Expr>,
    pub(crate) message: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MacroKind {
    Assert,
    AssertEq,
    AssertNe,
    /// `panic!` and its like, with what they say before a message.
    Panic(&'static str),
    Print {
        target: PrintTarget,
        newline: bool,
    },
    Dbg,
    /// `x.unwrap()` and `x.expect("…")`, which are methods; with `bad`, those that want an `Err`.
    Unwrap {
        bad: bool,
    },
}

/// A standard stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrintTarget {
    Out,
    Error,
}

/// A format string with its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Format {
    pub(crate) literal: syn::LitStr,
    /// Those given, in order, then those that the string captures.
    pub(crate) args: Vec<FormatArg>,
}

/// An argument of a format string.
#[derive(Debug, Clone)]
pub(crate) struct FormatArg {
    pub(crate) name: Option<Ident>,
    /// `{x}` without an argument `x`: the variable.
    pub(crate) is_captured: bool,
    pub(crate) value: Expr,
    /// All ways in which the string shows it.
    pub(crate) uses: Vec<Style>,
}

impl MacroCall {
    /// All expressions in it.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.operands.iter().chain(self.format_args().iter().map(|arg| &arg.value))
    }

    /// The arguments of its message.
    pub(crate) fn format_args(&self) -> &[FormatArg] {
        self.message.as_ref().map_or(&[], |format| &format.args)
    }
}

/// A const inside a function.
#[derive(Debug, Clone)]
pub(crate) struct LocalConst {
    pub(crate) name: Ident,
    pub(crate) ty: TypeExpr,
    pub(crate) value: Expr,
    /// The item as written.
    pub(crate) tokens: TokenStream,
}

/// `pattern if guard => body`
#[derive(Debug, Clone)]
pub(crate) struct Arm {
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Expr,
}

/// A loop label without its apostrophe; its span covers both.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// The token as written.
    pub(crate) lifetime: syn::Lifetime,
}

/// What a `for` goes through.
#[derive(Debug, Clone)]
pub(crate) struct Iterated {
    pub(crate) source: Source,
    /// In the order they are written.
    pub(crate) adapters: Vec<Adapter>,
}

/// Where the values of a `for` come from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    Range(Range),
    Array(Box<Expr>),
}

/// `.rev()` and its like, by the name as written.
#[derive(Debug, Clone)]
pub(crate) struct Adapter {
    pub(crate) name: Ident,
    pub(crate) kind: AdapterKind,
}

#[derive(Debug, Clone)]
pub(crate) enum AdapterKind {
    /// `.into_iter()`, `.iter()` and `.copied()`: nothing that the loop would notice.
    Plain,
    Rev,
    StepBy(Box<Expr>),
    /// Always the last one that counts.
    Enumerate,
}

impl Iterated {
    /// All expressions in it.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let source = match &self.source {
            Source::Range(range) => [Some(&*range.start), Some(&*range.end)],
            Source::Array(array) => [Some(&**array), None],
        };
        let steps = self.adapters.iter().filter_map(|adapter| match &adapter.kind {
            AdapterKind::StepBy(step) => Some(&**step),
            _ => None,
        });
        source.into_iter().flatten().chain(steps)
    }

    /// The range of a loop that goes through one and nothing else.
    pub(crate) fn plain_range(&self) -> Option<&Range> {
        match &self.source {
            Source::Range(range) if self.adapters.is_empty() => Some(range),
            _ => None,
        }
    }

    pub(crate) fn is_enumerated(&self) -> bool {
        self.adapters.iter().any(|adapter| matches!(adapter.kind, AdapterKind::Enumerate))
    }
}

/// `start..end` or `start..=end` of a `for`.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    pub(crate) start: Box<Expr>,
    pub(crate) end: Box<Expr>,
    pub(crate) inclusive: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Member {
    Named(Ident),
    Index(u32, Span),
}

#[derive(Debug, Clone)]
pub(crate) enum Literal {
    /// Digits without suffix as a number, and the suffix if written.
    Int {
        value: u128,
        suffix: Option<ScalarName>,
    },
    /// Text without suffix and underscores (`1.5e3`), and the suffix if written.
    Float {
        text: String,
        suffix: Option<ScalarName>,
    },
    Bool(bool),
}

/// The scalar types of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ScalarName {
    Bool,
    I8,
    I16,
    I32,
    I64,
    /// 32 bits on the device, and in the twin.
    Isize,
    U8,
    U16,
    U32,
    U64,
    /// 32 bits on the device, and in the twin.
    Usize,
    /// `half::f16`
    F16,
    /// `half::bf16`
    Bf16,
    F32,
    F64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Neg,
    Not,
    /// `*self`: references are values in kernels.
    Deref,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl ScalarName {
    /// All of them.
    pub(crate) const ALL: [Self; 15] = [
        Self::F32,
        Self::U32,
        Self::I32,
        Self::Bool,
        Self::Usize,
        Self::I8,
        Self::I16,
        Self::I64,
        Self::Isize,
        Self::U8,
        Self::U16,
        Self::U64,
        Self::F16,
        Self::Bf16,
        Self::F64,
    ];

    /// As written in Rust.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Isize => "isize",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Usize => "usize",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Number of bits on the device; 1 for `bool`.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::I8 | Self::U8 => 8,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 16,
            Self::I32 | Self::U32 | Self::Isize | Self::Usize | Self::F32 => 32,
            Self::I64 | Self::U64 | Self::F64 => 64,
        }
    }

    /// Whether it is an integer with a sign.
    pub(crate) const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::Isize)
    }

    /// Whether it is an integer without a sign.
    pub(crate) const fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64 | Self::Usize)
    }

    /// Whether it is an integer.
    pub(crate) const fn is_int(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Whether it is a type of crate `half`: no primitive, so without literals and `as`.
    pub(crate) const fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16)
    }

    /// Whether it is a primitive float.
    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The unsigned integer of the same width.
    pub(crate) const fn unsigned(self) -> Self {
        match self {
            Self::I8 => Self::U8,
            Self::I16 | Self::F16 | Self::Bf16 => Self::U16,
            Self::I32 | Self::F32 => Self::U32,
            Self::I64 | Self::F64 => Self::U64,
            Self::Isize => Self::Usize,
            other => other,
        }
    }

    /// The signed integer of the same width.
    pub(crate) const fn signed(self) -> Self {
        match self {
            Self::U8 => Self::I8,
            Self::U16 => Self::I16,
            Self::U32 => Self::I32,
            Self::U64 => Self::I64,
            Self::Usize => Self::Isize,
            other => other,
        }
    }

    /// Smallest and largest value of an integer, on the device.
    pub(crate) const fn limits(self) -> (i128, i128) {
        let values = 1i128 << self.bits();
        if self.is_signed() { (-(values / 2), values / 2 - 1) } else { (0, values - 1) }
    }

    /// The scalar with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.name() == name)
    }
}

impl Fn {
    /// Whether it is a method that writes through `&mut self`.
    pub(crate) fn writes_self(&self) -> bool {
        let kind = self.receiver.as_ref().map(|receiver| &receiver.kind);
        matches!(kind, Some(syn::ReceiverKind::Reference(_, _, Some(_))))
    }
}

impl Expr {
    /// Whether it is a condition with a `let`.
    pub(crate) fn has_let(&self) -> bool {
        match &self.kind {
            ExprKind::Let { .. } => true,
            ExprKind::Binary(BinaryOp::And, left, right, _) => left.has_let() || right.has_let(),
            _ => false,
        }
    }
}

impl BinaryOp {
    /// As written in Rust.
    pub(crate) const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::And => "&&",
            Self::Or => "||",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
}

impl SpanRange {
    /// From the first to the last of `tokens`; the call site when there are none.
    pub(crate) fn of(tokens: impl quote::ToTokens) -> Self {
        let mut spans = tokens.into_token_stream().into_iter().map(|token| token.span());
        let start = spans.next().unwrap_or_else(Span::call_site);
        Self { start, end: spans.last().unwrap_or(start) }
    }

    /// A single token's span.
    pub(crate) const fn token(span: Span) -> Self {
        Self { start: span, end: span }
    }
}

impl Path {
    /// A path without generic arguments.
    pub(crate) fn plain(leading_colon: bool, segments: Vec<Ident>) -> Self {
        Self { leading_colon, segments, generics: Vec::new() }
    }

    /// The generic arguments of the last segment.
    pub(crate) fn last_args(&self) -> Option<&PathArgs> {
        self.generics.last().filter(|args| args.segment + 1 == self.segments.len())
    }

    /// The path as text, without generic arguments, `a::b`: the key of gathered items.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (position, segment) in self.segments.iter().enumerate() {
            if position > 0 || self.leading_colon {
                text.push_str("::");
            }
            text.push_str(&segment.to_string());
        }
        text
    }

    /// The only segment of a path that is a plain name.
    pub(crate) fn as_name(&self) -> Option<&Ident> {
        match self.segments.as_slice() {
            [name] if !self.leading_colon => Some(name),
            _ => None,
        }
    }
}
