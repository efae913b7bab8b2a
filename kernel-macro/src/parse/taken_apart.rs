//! Closures with parameters that are references and are taken apart: `|&[x, y]: &[f32; 2]| x + y` is `|v: &[f32; 2]| { let &[x, y] = v; x + y }`.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{ExprClosure, Pat, Type, parse_quote_spanned};

use super::ty::ungroup;

/// The closure with names for such parameters, if there are any.
pub(super) fn with_names(closure: &ExprClosure) -> Option<ExprClosure> {
    let mut named = closure.clone();
    let mut taken_apart = Vec::new();
    for (position, input) in named.inputs.iter_mut().enumerate() {
        if let Pat::Type(typed) = input
            && matches!(
                &*typed.pat,
                Pat::Reference(_) | Pat::Tuple(_) | Pat::Slice(_) | Pat::Struct(_) | Pat::TupleStruct(_)
            )
            && matches!(ungroup(&typed.ty), Type::Reference(to) if to.mutability.is_none() && !matches!(ungroup(&to.elem), Type::Slice(_)))
        {
            let span = typed.pat.span();
            let name = Ident::new(&format!("__taken{position}"), Span::mixed_site().located_at(span));
            let pattern = std::mem::replace(&mut *typed.pat, parse_quote_spanned!(span=> #name));
            taken_apart.push((pattern, name));
        }
    }
    let (patterns, names): (Vec<_>, Vec<_>) = taken_apart.into_iter().unzip();
    let body = &closure.body;
    (!names.is_empty()).then(|| {
        *named.body = parse_quote_spanned!(body.span()=> { #(let #patterns = #names;)* #body });
        named
    })
}
