//! Texts, `&'static str`, as they name errors: on the device a number that tells one text from another. There are no strings there: texts are
//! passed on and compared, and nothing else.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Type;

use super::Parser;
use super::span::type_range;
use super::ty::ungroup;
use crate::ast::{ExprKind, Literal, Path, SpanRange, TypeExpr, TypeKind};
use crate::diag::code;
use crate::infer::TEXT;

thread_local! {
    /// The texts that were met, by their numbers.
    static TEXTS: RefCell<BTreeMap<u32, String>> = const { RefCell::new(BTreeMap::new()) };
}

impl Parser<'_> {
    /// `&'static str`, which a const or variable may write `&str`; `None` for other types.
    pub(super) fn text_ty(ty: &Type, may_be_short: bool) -> Option<TypeExpr> {
        let Type::Reference(reference) = ungroup(ty) else { return None };
        let Type::Path(path) = ungroup(&reference.elem) else { return None };
        let name = path.path.get_ident().filter(|name| path.qself.is_none() && *name == "str")?;
        let is_static = reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static");
        if reference.mutability.is_some() || !(is_static || may_be_short && reference.lifetime.is_none()) {
            return None;
        }
        let kind = TypeKind::Path(Path::plain(false, vec![Ident::new(TEXT, name.span())]));
        Some(TypeExpr { kind, span: type_range(ty), tokens: ty.to_token_stream() })
    }

    /// `"text"` where it is a value.
    pub(super) fn text(&mut self, literal: &syn::LitStr) -> ExprKind {
        let text = literal.value();
        let number = number_of(&text);
        let other = TEXTS.with_borrow_mut(|texts| texts.entry(number).or_insert_with(|| text.clone()).clone());
        if other != text {
            let message = format!("kernels cannot tell this text from {other:?}");
            self.error(code::BAD_LITERAL, SpanRange::of(literal), message)
                .note("on the device a text is a hash of it, and the two have the same one")
                .help("change one of them");
            return ExprKind::Error;
        }
        ExprKind::Literal(Literal::Text(text, number))
    }
}

/// FNV-1a over the bytes, so that the empty text, which is read out of range, is zero.
fn number_of(text: &str) -> u32 {
    const OFFSET: u32 = 0x811c_9dc5;
    OFFSET ^ text.bytes().fold(OFFSET, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
