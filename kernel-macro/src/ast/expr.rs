//! Blocks, statements and expressions; what they mean is found by inference, not here.

use std::rc::Rc;

use gridwise_ir::ir::Unroll;
use proc_macro2::{Ident, Span, TokenStream};

use super::{BinaryOp, ExprId, MacroCall, Path, PathArgs, Pattern, ScalarName, SpanRange, TypeExpr, UnaryOp};

/// `{ … }`
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) statements: Vec<Statement>,
    /// The expression without a semicolon at the end.
    pub(crate) tail: Option<Box<Expr>>,
    pub(crate) span: SpanRange,
    /// The word `unsafe` before it.
    pub(crate) safety: Option<Span>,
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
    /// `let Some(v) = x.get_mut(i) else { … };`, where inference finds out what the method is.
    OptionPlace(Box<OptionPlaceLet>),
    /// `const NAME: T = value;` in a block.
    Const(Box<LocalConst>),
    /// `use path;` in a block, as written: the parser puts whole paths in place of what it imports.
    Use(TokenStream),
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
    /// `(place)`, or `place.unordered()` with the name as written: its elements, of which nothing says in which order invocations access
    /// them.
    Paren(Box<Expr>, Option<Box<Ident>>),
    Unary(UnaryOp, Box<Expr>),
    /// `&operand` or `&mut operand`
    Borrow {
        mutable: bool,
        operand: Box<Expr>,
    },
    /// Operator, left, right, span of the operator; `&&` and `||` short-circuit.
    Binary(BinaryOp, Box<Expr>, Box<Expr>, Span),
    Assign(Box<Expr>, Box<Expr>),
    /// `a += b` and its like.
    AssignOp(BinaryOp, Box<Expr>, Box<Expr>, Span),
    Cast(Box<Expr>, Box<TypeExpr>),
    If {
        condition: Box<Expr>,
        then_block: Block,
        else_expr: Option<Box<Expr>>,
    },
    /// `if let Some(v) = x.get_mut(i) { … }`, where inference finds out what the method is.
    OptionPlace(Box<OptionPlace>),
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
        label: Option<Box<Label>>,
        condition: Box<Expr>,
        body: Block,
        unroll: Unroll,
    },
    Loop {
        label: Option<Box<Label>>,
        body: Block,
        unroll: Unroll,
    },
    /// `for pattern in iterated`
    For {
        label: Option<Box<Label>>,
        pattern: Box<Pattern>,
        iterated: Box<Expr>,
        body: Block,
        unroll: Unroll,
    },
    Block {
        label: Option<Box<Label>>,
        block: Block,
    },
    /// `start..end`, `start..=end` or `start..`
    Range {
        start: Box<Expr>,
        end: Option<Box<Expr>>,
        inclusive: bool,
    },
    Break {
        label: Option<Box<Label>>,
        value: Option<Box<Expr>>,
    },
    Continue {
        label: Option<Box<Label>>,
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
        /// Those arguments that are paths where some methods take something to call.
        functions: Vec<FunctionArg>,
    },
    Field {
        base: Box<Expr>,
        member: Member,
    },
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    /// `base[start..end]` or `base[start..=end]`
    Slice {
        base: Box<Expr>,
        start: Option<Box<Expr>>,
        end: Option<Box<Expr>>,
        inclusive: bool,
    },
    /// `Shared::<T>::new()`, with the callee as written.
    NewShared {
        ty: Option<Box<TypeExpr>>,
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

/// An `if` that looks for an element to write, or calls a method of the author's by the same name.
#[derive(Debug, Clone)]
pub(crate) struct OptionPlace {
    /// The value that is asked for.
    pub(crate) receiver: Expr,
    /// The condition as written: `let Some(v) = x.get_mut(i)`.
    pub(crate) condition: Expr,
    /// The position compared with the length, and a reference to the element; it holds the blocks of the `if`.
    pub(crate) element: Expr,
}

/// A `let` with `else` that looks for an element to write, or a statement that sorts; or it calls a method of the author's by the same
/// name.
#[derive(Debug, Clone)]
pub(crate) struct OptionPlaceLet {
    pub(crate) id: ExprId,
    /// The value that is asked for.
    pub(crate) receiver: Expr,
    pub(crate) written: Statement,
    /// A reference to the element, at a position that was compared with the length; or the loops of the sort.
    pub(crate) element: Statement,
}

/// `|a, b: f32| a + b`
#[derive(Debug)]
pub(crate) struct Closure {
    /// The word `move`.
    pub(crate) moves: Option<Span>,
    pub(crate) params: Vec<(Pattern, Option<TypeExpr>)>,
    pub(crate) result: Option<TypeExpr>,
    pub(crate) body: Expr,
    /// Whether there is a `return`, `?`, `break` or `continue` in it.
    pub(crate) jumps: bool,
}

/// An argument `path` that may name a function: then it stands for a closure that calls it.
#[derive(Debug, Clone)]
pub(crate) struct FunctionArg {
    /// The position of the argument.
    pub(crate) position: usize,
    /// `|a| path(a)` and its like, one for each number of parameters that methods of this name ask for.
    pub(crate) closures: Vec<Expr>,
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
    Char(char),
    /// A text, and the number that stands for it.
    Text(String, u32),
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

    /// The array of `&[]` or `&[][..]`.
    pub(crate) fn empty_slice(&self) -> Option<&Expr> {
        let ExprKind::Borrow { mutable: false, operand } = &self.kind else { return None };
        let array = match &operand.kind {
            ExprKind::Slice { base, start: None, end: None, .. } => base,
            _ => operand,
        };
        matches!(&array.kind, ExprKind::Array(members) if members.is_empty()).then_some(array)
    }
}

impl OptionPlace {
    /// Condition and branches of the `if` as written.
    pub(crate) fn written(&self) -> (&Expr, &Block, Option<&Expr>) {
        if let ExprKind::Block { block, .. } = &self.element.kind
            && let Some(ExprKind::If { then_block, else_expr, .. }) = block.tail.as_ref().map(|tail| &tail.kind)
            && let Some(ExprKind::Block { block, .. }) = then_block.tail.as_ref().map(|tail| &tail.kind)
        {
            return (&self.condition, block, else_expr.as_deref());
        }
        unreachable!("the parser made it so")
    }
}

impl ExprKind {
    /// The author's request about unrolling a loop.
    pub(crate) fn unroll(&self) -> Unroll {
        match self {
            Self::While { unroll, .. } | Self::Loop { unroll, .. } | Self::For { unroll, .. } => *unroll,
            _ => Unroll::Auto,
        }
    }

    /// Says how a loop is to be unrolled; false where there is none.
    pub(crate) fn set_unroll(&mut self, value: Unroll) -> bool {
        let (Self::While { unroll, .. } | Self::Loop { unroll, .. } | Self::For { unroll, .. }) = self else {
            return false;
        };
        *unroll = value;
        true
    }
}

/// `path(args)`, and where the path stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathCall<'e> {
    pub(crate) expr: &'e Expr,
    pub(crate) path: &'e Path,
    pub(crate) span: SpanRange,
    pub(crate) args: &'e [Expr],
}

/// `receiver.name(args)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MethodCall<'e> {
    pub(crate) expr: &'e Expr,
    pub(crate) receiver: &'e Expr,
    pub(crate) name: &'e Ident,
    pub(crate) args: &'e [Expr],
}
