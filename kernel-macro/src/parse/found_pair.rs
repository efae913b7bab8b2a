//! `if let Some((i, v)) = x.iter_mut().enumerate().find(…)` and its like: the position that the same search of `x.iter()` gives, and then the
//! element there by its name. Of places that may be named several times.

use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::parse::Parser as _;
use syn::spanned::Spanned;
use syn::{Expr, Local, Pat, Stmt};

use super::assign::is_named;
use super::found_place::SEARCHES;

/// A search with what it is taken apart to, written out.
struct Written {
    pattern: Pat,
    value: Expr,
    lets: Vec<Stmt>,
}

/// The `if` that names position and element in its first block; `None` of any other one.
pub(super) fn written_pair_if(branch: &syn::ExprIf) -> Option<syn::ExprIf> {
    let Expr::Let(test) = &*branch.cond else { return None };
    let Written { pattern, value, lets } = written(&test.pat, &test.expr)?;
    let mut branch = branch.clone();
    if let Expr::Let(test) = &mut *branch.cond {
        (*test.pat, *test.expr) = (pattern, value);
    }
    branch.then_branch.stmts.splice(0..0, lets);
    Some(branch)
}

/// The statements that a `let … else` of such a search is.
pub(super) fn written_pair_let(local: &Local) -> Option<Vec<Local>> {
    local.init.as_ref()?.diverge.as_ref()?;
    let Written { pattern, value, lets } = written(&local.pat, &local.init.as_ref()?.expr)?;
    let mut first = local.clone();
    first.pat = pattern;
    if let Some(init) = &mut first.init {
        *init.expr = value;
    }
    let rest = lets.into_iter().filter_map(|made| match made {
        Stmt::Local(made) => Some(made),
        _ => None,
    });
    Some(std::iter::once(first).chain(rest).collect())
}

fn written(pattern: &Pat, value: &Expr) -> Option<Written> {
    let Pat::TupleStruct(some) = pattern else { return None };
    let [Pat::Tuple(pair)] = some.elems.iter().collect::<Vec<_>>()[..] else { return None };
    let [position, Pat::Ident(element)] = pair.elems.iter().collect::<Vec<_>>()[..] else { return None };
    let Expr::MethodCall(search) = value else { return None };
    let Expr::MethodCall(enumerate) = &*search.receiver else { return None };
    let Expr::MethodCall(source) = &*enumerate.receiver else { return None };
    let is_search = SEARCHES.iter().any(|(name, _)| search.method == name) && search.args.len() == 1;
    let is_source = enumerate.method == "enumerate" && source.method == "iter_mut" && source.args.is_empty();
    if !(some.path.is_ident("Some") && is_search && is_source && is_named(&source.receiver)) {
        return None;
    }
    let (place, name, args, span) = (&source.receiver, &search.method, &search.args, value.span());
    let [found, at] = ["__found", "__at"].map(|name| Ident::new(name, Span::mixed_site().located_at(span)));
    let lets = quote_spanned!(span=> { let #position = #found; let #element = &mut #place[#found]; });
    Some(Written {
        pattern: Pat::parse_single.parse2(quote_spanned!(span=> Some(#found))).ok()?,
        value: syn::parse2(quote_spanned!(span=> #place.iter().enumerate().#name(#args).map(|(#at, _)| #at))).ok()?,
        lets: syn::parse2::<syn::Block>(lets).ok()?.stmts,
    })
}
