//! Trap sites of a rendering.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::Renderer;
use crate::ast::Expr;
use crate::source;

impl Renderer<'_> {
    /// A reference to the site for `expr`.
    pub(super) fn site(&self, kind: SiteKind, expr: &Expr) -> TokenStream {
        let site = self.site_value(kind, expr);
        quote!(&#site)
    }

    /// A reference to an array of the two sites of a division: by zero, and with overflow.
    pub(super) fn division_sites(&self, remainder: bool, expr: &Expr) -> TokenStream {
        let (zero, overflow) = match remainder {
            true => (SiteKind::RemainderByZero, SiteKind::RemainderOverflow),
            false => (SiteKind::DivideByZero, SiteKind::DivideOverflow),
        };
        let (zero, overflow) = (self.site_value(zero, expr), self.site_value(overflow, expr));
        quote!(&[#zero, #overflow])
    }

    fn site_value(&self, kind: SiteKind, expr: &Expr) -> TokenStream {
        let twin = &self.twin;
        let kind = Ident::new(&format!("{kind:?}"), Span::call_site());
        let (file, line, column) = source::location(expr.span.start);
        let text = source::text(expr);
        quote!(#twin::Site {
            kind: #twin::SiteKind::#kind,
            location: #twin::Location { file: #file, line: #line, column: #column },
            text: #text,
            message: ::core::option::Option::None,
        })
    }
}
