//! `f(&mut [0; 4])`: a `&mut` reference to a value that has no name is one to a variable that holds it for as long as the call lasts.

use proc_macro2::{Ident, Span};
use quote::{quote, quote_spanned};
use syn::Expr as Syn;

use super::unwrapped::{bare, is_plain};

/// A call with variables for what its arguments borrow; `None` where each has a name, or where another argument could tell that the
/// value is made before it.
pub(super) fn with_variables(expr: &Syn) -> Option<Syn> {
    let written = match expr {
        Syn::Call(call) => &call.args,
        Syn::MethodCall(call) => &call.args,
        _ => return None,
    };
    if !written.iter().any(borrows_temporary) {
        return None;
    }
    let mut expr = expr.clone();
    let (args, is_after) = match &mut expr {
        Syn::Call(call) => (&mut call.args, matches!(*call.func, Syn::Path(_))),
        Syn::MethodCall(call) => {
            let is_after = is_plain(&call.receiver);
            (&mut call.args, is_after)
        }
        _ => return None,
    };
    let mut lets = Vec::new();
    let mut is_after = is_after;
    for arg in args.iter_mut() {
        let is_temporary = borrows_temporary(arg);
        if let (true, Syn::Reference(reference)) = (is_temporary, &*arg) {
            if !is_after {
                return None;
            }
            let (value, span) = (&reference.expr, reference.and_token.span);
            let name = format!("__temporary{}", lets.len());
            let name = Ident::new(&name, Span::mixed_site().located_at(span));
            lets.push(quote_spanned!(span=> let mut #name = #value;));
            *arg = syn::parse2(quote_spanned!(span=> &mut #name)).ok()?;
        } else {
            is_after &= is_plain(arg);
        }
    }
    syn::parse2(quote!({ #(#lets)* #expr })).ok()
}

fn borrows_temporary(arg: &Syn) -> bool {
    matches!(arg, Syn::Reference(reference) if reference.mutability.is_some() && is_temporary(&reference.expr))
}

/// Whether an expression surely makes a value, and names no place.
fn is_temporary(expr: &Syn) -> bool {
    match bare(expr) {
        Syn::Array(_) | Syn::Repeat(_) | Syn::Struct(_) | Syn::Tuple(_) | Syn::Lit(_) => true,
        Syn::Call(call) => {
            matches!(&*call.func, Syn::Path(path) if path.path.segments.len() > 1 || path.path.segments.last().is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase)))
        }
        Syn::MethodCall(call) => call.method == "clone" && call.args.is_empty(),
        _ => false,
    }
}
