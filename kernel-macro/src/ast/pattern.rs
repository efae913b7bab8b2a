//! Patterns: what `let`, `match` and their like take values apart with. Whether a path names a const or a variant is found out later.

use proc_macro2::{Ident, Span};

use super::{BindingId, Expr, ExprId, Member, Path, SpanRange};

/// A pattern. The ids of those with a path or brackets key the tables of the typed tree, like the ids of expressions.
#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    /// `name`, `mut name` or `name @ pattern`; alternatives of one `|` share the ids of their names.
    Binding { name: Ident, mutable: bool, binding: BindingId, inner: Option<Box<Pattern>> },
    /// `_`
    Wild(Span),
    /// `&pattern`
    Reference(Box<Pattern>, Span),
    /// `ref name`: as values are copied, that of a variable which is a reference for rustc only.
    Ref(Box<Pattern>, Span),
    /// `ref mut name`: a reference to write through.
    RefMut(Box<Pattern>, Span),
    /// `..` among the members of a tuple, tuple struct or array; at most once in each.
    Rest(Span),
    /// `(a, b)`; empty for unit.
    Tuple(Vec<Pattern>, SpanRange),
    /// `[a, b]`, of an array or a slice.
    Slice { id: ExprId, members: Vec<Pattern>, span: SpanRange },
    /// `a | b`
    Or(Vec<Pattern>, SpanRange),
    /// A number, negative or not, or a `bool`.
    Literal(Box<Expr>),
    /// `a..b`, `a..=b`, or with one end left out.
    Range { start: Option<Box<Expr>>, end: Option<Box<Expr>>, inclusive: bool, span: SpanRange },
    /// A const or a variant without members.
    Path { id: ExprId, path: Path, span: SpanRange },
    /// `Some(x)`
    TupleStruct { id: ExprId, path: Path, members: Vec<Pattern>, span: SpanRange },
    /// `Shape::Box { width, .. }`
    Struct { id: ExprId, path: Path, fields: Vec<FieldPattern>, rest: bool, span: SpanRange },
}

/// `name: pattern`, or `name` alone.
#[derive(Debug, Clone)]
pub(crate) struct FieldPattern {
    pub(crate) member: Member,
    pub(crate) pattern: Pattern,
    /// Written without `: pattern`.
    pub(crate) shorthand: bool,
}

impl Pattern {
    /// First and last token.
    pub(crate) fn span(&self) -> SpanRange {
        match self {
            Self::Binding { name, .. } => SpanRange::token(name.span()),
            Self::Wild(span) | Self::Rest(span) => SpanRange::token(*span),
            Self::Reference(inner, span) | Self::Ref(inner, span) | Self::RefMut(inner, span) => {
                SpanRange { start: *span, end: inner.span().end }
            }
            Self::Literal(expr) => expr.span,
            Self::Tuple(_, span)
            | Self::Slice { span, .. }
            | Self::Or(_, span)
            | Self::Range { span, .. }
            | Self::Path { span, .. }
            | Self::TupleStruct { span, .. }
            | Self::Struct { span, .. } => *span,
        }
    }

    /// Whether it is `..`, perhaps with a name.
    pub(crate) fn is_rest(&self) -> bool {
        match self {
            Self::Rest(_) => true,
            Self::Binding { inner: Some(inner), .. } | Self::Ref(inner, _) | Self::RefMut(inner, _) => inner.is_rest(),
            _ => false,
        }
    }

    /// The patterns directly inside.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Binding { inner, .. } => inner.as_deref().into_iter().collect(),
            Self::Tuple(members, _) | Self::Or(members, _) => members.iter().collect(),
            Self::Slice { members, .. } | Self::TupleStruct { members, .. } => members.iter().collect(),
            Self::Reference(inner, _) | Self::Ref(inner, _) | Self::RefMut(inner, _) => vec![inner],
            Self::Struct { fields, .. } => fields.iter().map(|field| &field.pattern).collect(),
            Self::Wild(_) | Self::Rest(_) | Self::Literal(_) | Self::Range { .. } | Self::Path { .. } => Vec::new(),
        }
    }

    /// Whether `ref mut` stands in it.
    pub(crate) fn writes(&self) -> bool {
        matches!(self, Self::RefMut(..)) || self.children().into_iter().any(Self::writes)
    }

    /// Whether alternatives in it have variables.
    pub(crate) fn has_named_alternatives(&self) -> bool {
        let mut is_named = false;
        if let Self::Or(..) = self {
            self.for_each_binding(&mut |_, _| is_named = true);
        }
        is_named || self.children().into_iter().any(Self::has_named_alternatives)
    }

    /// Calls `f` on the name of each variable it binds, in order; of alternatives only on the first one's.
    pub(crate) fn for_each_binding<'p>(&'p self, f: &mut impl FnMut(&'p Ident, BindingId)) {
        if let Self::Binding { name, binding, .. } = self {
            f(name, *binding);
        }
        let children = self.children();
        let count = if let Self::Or(..) = self { 1 } else { children.len() };
        children.into_iter().take(count).for_each(|child| child.for_each_binding(f));
    }
}

/// The member, of `count`, that each pattern stands for, `..` left out: patterns behind it count from the end. `None`
/// when the numbers do not fit.
pub(crate) fn spread(patterns: &[Pattern], count: usize) -> Option<Vec<(usize, &Pattern)>> {
    let Some(rest) = patterns.iter().position(Pattern::is_rest) else {
        return (patterns.len() == count).then(|| patterns.iter().enumerate().collect());
    };
    let missing = (count + 1).checked_sub(patterns.len())?;
    let position = |index: usize| if index < rest { index } else { index + missing - 1 };
    let others = patterns.iter().enumerate().filter(|(index, _)| *index != rest);
    Some(others.map(|(index, pattern)| (position(index), pattern)).collect())
}

/// The members that a `..` among these patterns stands for: position of the first, and how many.
pub(crate) fn rest_range(patterns: &[Pattern], count: usize) -> Option<(&Pattern, usize, usize)> {
    let rest = patterns.iter().position(Pattern::is_rest)?;
    let missing = (count + 1).checked_sub(patterns.len())?;
    let mut pattern = &patterns[rest];
    while let Pattern::Ref(inner, _) | Pattern::RefMut(inner, _) = pattern {
        pattern = inner;
    }
    Some((pattern, rest, missing))
}
