//! Attributes on expressions: `#[unroll]` on loops, and lints, which pass. All others change what rustc would compile, so they
//! are errors.

use syn::{Attribute, Expr as Syn, Meta};

use super::Parser;
use crate::ast::{ExprKind, SpanRange, Unroll};
use crate::diag::code;

/// Rounds that may be asked for at a time.
const MOST: u32 = 1024;

/// The request of an attribute about unrolling; nothing if it is another attribute, and no value if it is wrong.
pub(super) fn unroll_of(meta: &Meta) -> Option<Option<Unroll>> {
    if !meta.path().is_ident("unroll") {
        return None;
    }
    Some(match meta {
        Meta::Path(_) => Some(Unroll::Full),
        Meta::List(list) => argument(list),
        Meta::NameValue(_) => None,
    })
}

fn argument(list: &syn::MetaList) -> Option<Unroll> {
    if list.parse_args::<syn::Ident>().is_ok_and(|word| word == "never") {
        return Some(Unroll::Never);
    }
    match list.parse_args::<syn::LitInt>().ok()?.base10_parse().ok()? {
        1 => Some(Unroll::Never),
        rounds @ 2..=MOST => Some(Unroll::Times(rounds)),
        _ => None,
    }
}

impl Parser<'_> {
    /// Reads the attributes of an expression into what was read of the expression.
    pub(super) fn expr_attrs(&mut self, expr: &Syn, kind: &mut ExprKind) {
        let attrs = attrs_of(expr);
        for attr in attrs {
            match unroll_of(&attr.meta) {
                None => self.check_attrs(std::slice::from_ref(attr)),
                Some(None) => {
                    self.error(code::BAD_ATTRIBUTE, SpanRange::of(attr), "`unroll` takes nothing, a number, or `never`")
                        .help(format!(
                            "write `#[unroll]` for all rounds, `#[unroll(4)]` for up to {MOST} at a time, `#[unroll(never)]` for none"
                        ));
                }
                Some(Some(unroll)) => {
                    if !kind.set_unroll(unroll) && !matches!(kind, ExprKind::Error) {
                        self.error(code::BAD_ATTRIBUTE, SpanRange::of(attr), "`#[unroll]` is for loops")
                            .help("put it before `for`, `while` or `loop`");
                    }
                }
            }
        }
    }
}

/// The attributes of what may be a statement.
fn attrs_of(expr: &Syn) -> &[Attribute] {
    match expr {
        Syn::ForLoop(it) => &it.attrs,
        Syn::While(it) => &it.attrs,
        Syn::Loop(it) => &it.attrs,
        Syn::If(it) => &it.attrs,
        Syn::Match(it) => &it.attrs,
        Syn::Block(it) => &it.attrs,
        Syn::Assign(it) => &it.attrs,
        Syn::Binary(it) => &it.attrs,
        Syn::Call(it) => &it.attrs,
        Syn::MethodCall(it) => &it.attrs,
        Syn::Break(it) => &it.attrs,
        Syn::Continue(it) => &it.attrs,
        Syn::Return(it) => &it.attrs,
        Syn::Index(it) => &it.attrs,
        Syn::Field(it) => &it.attrs,
        Syn::Cast(it) => &it.attrs,
        Syn::Try(it) => &it.attrs,
        Syn::Reference(it) => &it.attrs,
        Syn::Path(it) => &it.attrs,
        Syn::Lit(it) => &it.attrs,
        Syn::Paren(it) => &it.attrs,
        Syn::Unary(it) => &it.attrs,
        Syn::Tuple(it) => &it.attrs,
        Syn::Array(it) => &it.attrs,
        _ => &[],
    }
}
