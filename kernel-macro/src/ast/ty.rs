//! Types as written; not resolved.

use proc_macro2::{Group, TokenStream, TokenTree};

use super::{Expr, Path, SpanRange};
use crate::builtin::image::ImageTy;

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
    /// `<T as Add<U>>::Output`
    Projection { of: Box<TypeExpr>, through: Path, name: proc_macro2::Ident },
    /// `Option<T>`
    Option(Box<TypeExpr>),
    /// `Result<T, E>`
    Result(Box<TypeExpr>, Box<TypeExpr>),
    /// `Range<T>`, or `RangeInclusive<T>`
    Range { of: Box<TypeExpr>, inclusive: bool },
    /// `impl Iterator<Item = T>`: only as a function's result.
    Iterator(Box<TypeExpr>),
    /// `&[T]` or `&mut [T]`: only as the type of a kernel's parameter.
    Slice { mutable: bool, element: Box<TypeExpr> },
    /// `&[&[T]]` or `&mut [&mut [T]]`: only as the type of a kernel's parameter.
    List { mutable: bool, element: Box<TypeExpr> },
    /// `&T` or `&mut T`: of a parameter or a variable. References are no types of their own: what they lead to is.
    Ref { mutable: bool, target: Box<TypeExpr> },
    /// `&[T]` or `&'static [T]` as the type of a const: an array of as many elements as the value has.
    Table(Box<TypeExpr>),
    /// `[T; N]`
    Array { element: Box<TypeExpr>, len: Box<Expr> },
    /// `(A, B)`; empty for unit.
    Tuple(Vec<TypeExpr>),
    /// `&Image2D<F>` and its like: only as the type of a kernel's parameter. With what is behind the reference, and the format.
    Image { image: ImageTy, target: TokenStream, format: TokenStream, is_list: bool },
    /// `Shared<T>`
    Shared(Box<TypeExpr>),
    /// `Atomic<T>`
    Atomic(Box<TypeExpr>),
    /// `!`: only as a function's result.
    Never,
    /// `_`
    Infer,
    /// Reported already.
    Error,
}

impl TypeExpr {
    /// Whether there are `&` references in it, which are the values that they lead to here.
    pub(crate) fn holds_references(&self) -> bool {
        has_reference(self.tokens.clone())
    }

    /// The tokens without references.
    pub(crate) fn of_values(&self) -> TokenStream {
        without_references(self.tokens.clone())
    }

    /// Whether it is the type of a const that is a slice.
    pub(crate) fn is_table(&self) -> bool {
        matches!(self.kind, TypeKind::Table(_))
    }

    /// Whether it is a reference or slice that writes.
    pub(crate) fn writes(&self) -> bool {
        matches!(self.kind, TypeKind::Ref { mutable: true, .. } | TypeKind::Slice { mutable: true, .. })
    }

    /// Whether it is written as a `&` reference, which may stand for the value that it leads to.
    pub(crate) fn is_reference(&self) -> bool {
        let tokens: Vec<TokenTree> = self.tokens.clone().into_iter().take(4).collect();
        matches!(tokens.first(), Some(TokenTree::Punct(punct)) if punct.as_char() == '&') && !is_text(&tokens)
    }

    /// Whether it is a reference, and then whether one that writes.
    pub(crate) fn reference(&self) -> Option<bool> {
        match self.kind {
            TypeKind::Ref { mutable, .. } => Some(mutable),
            _ => None,
        }
    }
}

fn has_reference(tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Punct(punct) => punct.as_char() == '&' && !is_text(&tokens[at..]),
        TokenTree::Group(group) => has_reference(group.stream()),
        _ => false,
    })
}

/// Whether tokens begin with `&'static str`, which is a value.
fn is_text(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [_, TokenTree::Punct(_), TokenTree::Ident(lifetime), TokenTree::Ident(name), ..]
        if lifetime == "static" && name == "str")
}

/// Tokens of a type without `&` and the lifetimes behind them.
pub(crate) fn without_references(tokens: TokenStream) -> TokenStream {
    let mut made = TokenStream::new();
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    let mut tokens = all.iter().cloned().enumerate().peekable();
    while let Some((at, token)) = tokens.next() {
        match token {
            TokenTree::Punct(_) if is_text(&all[at..]) => made.extend([token]),
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                // A lifetime is an apostrophe and a name.
                let is_tick =
                    |next: &(usize, TokenTree)| matches!(&next.1, TokenTree::Punct(punct) if punct.as_char() == '\'');
                if tokens.next_if(is_tick).is_some() {
                    tokens.next();
                }
            }
            TokenTree::Group(group) => {
                let mut own = Group::new(group.delimiter(), without_references(group.stream()));
                own.set_span(group.span());
                made.extend([TokenTree::Group(own)]);
            }
            other => made.extend([other]),
        }
    }
    made
}
