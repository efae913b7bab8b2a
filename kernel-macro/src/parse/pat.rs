//! Patterns of `let` and `for`: names, `_` and tuples.

use syn::Pat;
use syn::spanned::Spanned;

use super::Parser;
use crate::ast::{Pattern, SpanRange, TypeExpr};

impl Parser<'_> {
    /// A pattern with its type, if it is written `pattern: ty`.
    pub(super) fn typed_pattern(&mut self, pat: &Pat) -> (Pattern, Option<TypeExpr>) {
        match pat {
            Pat::Type(typed) => {
                let pattern = self.pattern(&typed.pat);
                (pattern, Some(self.ty(&typed.ty)))
            }
            other => (self.pattern(other), None),
        }
    }

    /// A pattern without a type. After an error: `_`.
    pub(super) fn pattern(&mut self, pat: &Pat) -> Pattern {
        match pat {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => Pattern::Binding {
                name: ident.ident.clone(),
                mutable: ident.mutability.is_some(),
                binding: self.next_binding(),
            },
            Pat::Paren(paren) => self.pattern(&paren.pat),
            Pat::Tuple(tuple) => {
                let members = tuple.elems.iter().map(|elem| self.pattern(elem)).collect();
                Pattern::Tuple(members, SpanRange::of(pat))
            }
            Pat::Wild(wild) => Pattern::Wild(wild.underscore_token.span),
            other => {
                self.unsupported_pattern(other);
                Pattern::Wild(other.span())
            }
        }
    }

    fn unsupported_pattern(&mut self, pat: &Pat) {
        let (what, help) = match pat {
            Pat::Ident(ident) if ident.by_ref.is_some() => ("`ref` is", "bind the value: variables are copied"),
            Pat::Ident(_) => ("`@` patterns are", "bind the name alone"),
            Pat::Struct(_) | Pat::TupleStruct(_) => ("struct patterns are", "bind the struct and read its fields"),
            Pat::Slice(_) => ("slice patterns are", "bind the array and index it"),
            Pat::Reference(_) => ("reference patterns are", "bind the value: there are no references"),
            Pat::Lit(_) | Pat::Range(_) | Pat::Or(_) => {
                ("patterns that may not match are", "bind a name and compare it with `if`")
            }
            Pat::Rest(_) => ("`..` in patterns is", "write `_` for each member left out"),
            _ => ("this pattern is", "write a name, `_` or a tuple of these"),
        };
        self.unsupported(pat, what, help);
    }
}
