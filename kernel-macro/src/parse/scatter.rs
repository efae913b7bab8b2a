//! `&mut Scatter<T>` as the type of a kernel's parameter: a slice whose elements an invocation claims before it writes them. In the kernel
//! it is two parameters, the elements and a word for each of them; an assignment to an element is the claim, then the write or a panic.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{Expr as Syn, Type, parse_quote_spanned};

use super::Parser;
use super::checked::wrapped_element;
use super::ty::ungroup;
use crate::ast::{Block, ExprKind, Param, Scattered, SpanRange, TypeKind};
use crate::diag::code;
use crate::krate::facade_path;

const CLAIMS: &str = Scattered::CLAIMS;
/// The method of `Scatter` that gives the elements to whoever claimed them.
pub(super) const CLAIMED: &str = "__claimed";

/// The element of `&mut Scatter<T>`, and whether the reference is `&mut`.
pub(super) fn scatter_element(ty: &Type) -> Option<(&Type, bool)> {
    wrapped_element(ty, "Scatter")
}

/// A name among tokens that only claims may have.
fn claims_among(tokens: TokenStream) -> Option<Ident> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Ident(name) => name.to_string().starts_with(CLAIMS).then_some(name),
        TokenTree::Group(group) => claims_among(group.stream()),
        _ => None,
    })
}

impl Parser<'_> {
    /// The slice that a kernel's parameter of type `&mut Scatter<T>` is in the kernel; `None` for other types.
    pub(super) fn scatter_param(&mut self, ty: &Type) -> Option<TypeKind> {
        let (element, mutable) = scatter_element(ty)?;
        if let Type::Reference(reference) = ungroup(ty)
            && let Some(lifetime) = &reference.lifetime
        {
            self.unsupported(lifetime, "this lifetime is", "remove the lifetime");
        }
        if !mutable {
            self.error(code::PARAMETER_TYPE, SpanRange::of(ty), "elements of a `Scatter` are only written")
                .help(format!("write `&mut Scatter<{}>`, or read a slice", element.to_token_stream()));
        }
        Some(TypeKind::Slice { mutable: true, element: Box::new(self.ty(element)) })
    }

    /// The parameters of a kernel, with the claims behind each whose elements are claimed.
    pub(super) fn with_claims(&mut self, params: Vec<Param>, body: &syn::Block) -> Vec<Param> {
        let mut all = Vec::with_capacity(params.len());
        for param in params {
            let is_claimed = param.scattered == Some(Scattered::Elements);
            let name = format_ident!("{CLAIMS}{}", param.name, span = Span::mixed_site().located_at(param.name.span()));
            let (span, facade) = (param.ty.span.start, facade_path());
            if is_claimed {
                self.scatters.push(param.name.clone());
            }
            all.push(param);
            if is_claimed {
                let ty = self.kernel_param_ty(&parse_quote_spanned!(span=> &[#facade::Atomic<u32>]));
                let (binding, scattered) = (self.next_binding(), Some(Scattered::Claims));
                all.push(Param {
                    name,
                    mutable: false,
                    ty,
                    binding,
                    lends_iterator: false,
                    texels: None,
                    checked: None,
                    scattered,
                });
            }
        }
        if !self.scatters.is_empty()
            && let Some(name) = claims_among(body.to_token_stream())
        {
            self.unsupported(name, "a name like this is", "give it another name");
        }
        all
    }

    /// Reports a variable that hides a `Scatter`.
    pub(super) fn check_hides_no_scatter(&mut self, name: &Ident) {
        if self.scatters.contains(name) {
            self.unsupported(name, "a variable with the name of a `Scatter` is", "give it another name");
        }
    }

    /// `y[i] = v` where `y` is a `Scatter`; `None` for other assignments.
    pub(super) fn scattered(&mut self, assign: &syn::ExprAssign) -> Option<ExprKind> {
        let Syn::Index(index) = ungrouped(&assign.left) else { return None };
        let Syn::Path(path) = ungrouped(&index.expr) else { return None };
        let elements = path.path.get_ident().filter(|name| path.qself.is_none() && self.scatters.contains(name))?;
        let span = elements.span();
        let local = |name: &str| Ident::new(name, Span::mixed_site().located_at(span));
        let (value, at) = (local("__value"), local("__at"));
        let (right, index) = (&assign.right, &index.index);
        // As Rust does: the value before the index.
        let mut block = self.block(&parse_quote_spanned!(span=> { let #value = #right; let #at = #index; }));
        let claims = format_ident!("{CLAIMS}{}", elements, span = Span::mixed_site().located_at(span));
        let rest = claim(elements, &claims, [&value, &at]);
        let is_claim = std::mem::replace(&mut self.is_claim, true);
        let Block { statements, tail, .. } = self.block(&rest);
        self.is_claim = is_claim;
        block.statements.extend(statements);
        Some(ExprKind::Block { label: None, block: Block { tail, ..block } })
    }
}

/// The claim of an element, and the write of it or the panic.
fn claim(elements: &Ident, claims: &Ident, [value, at]: [&Ident; 2]) -> syn::Block {
    let span = elements.span();
    let [own, other, id, width, height, claimed] = ["own", "other", "id", "width", "height", CLAIMED.trim_matches('_')]
        .map(|name| Ident::new(&format!("__{name}"), Span::mixed_site().located_at(span)));
    let facade = facade_path();
    let message =
        format!("invocations ({{}}, {{}}, {{}}) and ({{}}, {{}}, {{}}) both write element {{}} of `{elements}`");
    let tokens = quote_spanned!(span=> {
        let #id = #facade::global_id();
        let #width = #facade::num_workgroups().x * #facade::workgroup_size().x;
        let #height = #facade::num_workgroups().y * #facade::workgroup_size().y;
        let #own = (#id.z * #height + #id.y) * #width + #id.x + 1;
        let mut #other = #own;
        if let Err(#id) = #claims[#at].compare_exchange(
            0,
            #own,
            ::core::sync::atomic::Ordering::Relaxed,
            ::core::sync::atomic::Ordering::Relaxed,
        ) {
            #other = #id;
        }
        if #other == #own {
            #elements.#claimed()[#at] = #value;
        } else {
            let #other = #other - 1;
            panic!(
                #message,
                #other % #width, #other / #width % #height, #other / #width / #height, #id.x, #id.y, #id.z, #at
            );
        }
    });
    syn::parse2(tokens).unwrap_or_else(|_| parse_quote_spanned!(span=> {}))
}

fn ungrouped(expr: &Syn) -> &Syn {
    match expr {
        Syn::Paren(inner) => ungrouped(&inner.expr),
        Syn::Group(inner) => ungrouped(&inner.expr),
        other => other,
    }
}
