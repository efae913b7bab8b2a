//! The signature of a kernel straight from tokens, where it is plain: no attributes, no generic parameters, types that are
//! names or slices of them. Reports nothing.

use proc_macro2::{Delimiter, Group, Span, TokenTree};

use super::cursor::{Cursor, Word};
use crate::ast::{Fn, Generics, Param, SpanRange, TypeExpr, TypeKind};
use crate::parse::Parser;

impl Parser<'_> {
    /// `pub fn name(…) { … }` as a kernel.
    pub(super) fn direct_kernel(&mut self, tokens: &[TokenTree]) -> Option<Fn> {
        let (TokenTree::Group(body), head) = tokens.split_last()? else { return None };
        let mut cursor = Cursor::new(head);
        let mut word = cursor.ident(0)?;
        let vis = if word == "pub" {
            cursor.at = 1;
            let vis = syn::Visibility::Public(syn::token::Pub { span: word.span() });
            word = cursor.ident(1)?;
            vis
        } else {
            syn::Visibility::Inherited
        };
        let name = cursor.ident(cursor.at + 1).filter(|_| word == "fn")?;
        cursor.at += 2;
        let params = cursor.take_group(Delimiter::Parenthesis)?;
        if !cursor.is_end() || body.delimiter() != Delimiter::Brace || is_reserved(name) {
            return None;
        }
        let params = self.direct_params(params)?;
        let body = self.direct_block(body)?;
        Some(Fn {
            attrs: Vec::new(),
            vis,
            name: name.clone(),
            generics: Generics::default(),
            receiver: None,
            params,
            result: None,
            body,
            expr_count: self.exprs,
            binding_count: self.bindings,
            has_debug: self.has_debug,
            is_const: false,
            gives_place: false,
            returns_early: self.returns_early,
            globs: Vec::new(),
        })
    }

    fn direct_params(&mut self, group: &Group) -> Option<Vec<Param>> {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let (mut cursor, mut params) = (Cursor::new(&tokens), Vec::new());
        while !cursor.is_end() {
            let mutable = cursor.ident(cursor.at)? == "mut";
            cursor.at += usize::from(mutable);
            let name = cursor.ident(cursor.at).filter(|name| !is_reserved(name))?;
            if params.iter().any(|param: &Param| param.name == *name) {
                return None;
            }
            cursor.at += 1;
            let is_path = cursor.is_colons(cursor.at);
            cursor.take_punct(':').filter(|_| !is_path)?;
            let ty = self.direct_param_ty(&mut cursor)?;
            params.push(Param { name: name.clone(), mutable, ty, binding: self.next_binding(), texels: None });
            if cursor.take_punct(',').is_none() && !cursor.is_end() {
                return None;
            }
        }
        Some(params)
    }

    /// `T`, `&[T]` or `&mut [T]`
    fn direct_param_ty(&mut self, cursor: &mut Cursor<'_>) -> Option<TypeExpr> {
        let begin = cursor.at;
        let Some(start): Option<Span> = cursor.take_punct('&') else {
            let name = cursor.ident(cursor.at)?;
            cursor.at += 1;
            return self.named_type(name);
        };
        let mutable = cursor.ident(cursor.at).is_some_and(|word| word == "mut");
        cursor.at += usize::from(mutable);
        let slice = cursor.take_group(Delimiter::Bracket)?;
        let mut inner = slice.stream().into_iter();
        let (Some(TokenTree::Ident(element)), None) = (inner.next(), inner.next()) else { return None };
        let element = Box::new(self.named_type(&element)?);
        let tokens = cursor.tokens[begin..cursor.at].iter().cloned().collect();
        let span = SpanRange { start, end: slice.span() };
        Some(TypeExpr { kind: TypeKind::Slice { mutable, element }, span, tokens })
    }
}

/// Whether a word is no name that a function or parameter can have; some keywords may slip through, which rustc finds.
fn is_reserved(name: &proc_macro2::Ident) -> bool {
    matches!(Word::of(name).text(), "_" | "self" | "Self" | "crate" | "super" | "mut" | "ref" | "fn" | "true" | "false")
}
