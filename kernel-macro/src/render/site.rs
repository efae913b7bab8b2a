//! Trap sites of a rendering: a table, and references to its rows.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Literal, Span};

use super::Renderer;
use crate::ast::Expr;
use crate::source;
use crate::tokens::{Plain, Tokens, Word, tokens};

/// The name of a rendering's table of sites.
pub(crate) const SITES: &str = "__SITES";

/// A trap site that a rendering refers to by its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SiteUse {
    pub(crate) kind: SiteKind,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) text: String,
}

impl Renderer<'_> {
    /// A reference to the site for `expr`.
    pub(super) fn site(&self, kind: SiteKind, expr: &Expr) -> Tokens {
        self.site_at(kind, expr.span.start, expr)
    }

    /// A reference to the site for `expr` at one of its tokens.
    pub(super) fn site_at(&self, kind: SiteKind, at: Span, expr: &Expr) -> Tokens {
        let (file, line, column) = source::location(at);
        let site = SiteUse { kind, file, line, column, text: source::text(expr) };
        let mut sites = self.sites.borrow_mut();
        let position = sites.iter().position(|known| *known == site).unwrap_or_else(|| {
            sites.push(site);
            sites.len() - 1
        });
        self.uses_names();
        let (table, position) = (Word(SITES), Plain(position as u32));
        tokens!(&#table[#position])
    }

    /// References to the two sites of a division: by zero, and with overflow.
    pub(super) fn division_sites(&self, remainder: bool, expr: &Expr) -> Tokens {
        let (zero, overflow) = match remainder {
            true => (SiteKind::RemainderByZero, SiteKind::RemainderOverflow),
            false => (SiteKind::DivideByZero, SiteKind::DivideOverflow),
        };
        let (zero, overflow) = (self.site(zero, expr), self.site(overflow, expr));
        tokens!([#zero, #overflow])
    }
}

/// `const __SITES: … = …;`, nothing for no sites.
pub(crate) fn sites_tokens(sites: &[SiteUse]) -> Option<Tokens> {
    let first = &sites.first()?.file;
    let first_file = Literal::string(first);
    let table = Word(SITES);
    let rows = sites.iter().map(|site| {
        let SiteUse { kind, file, line, column, text } = site;
        let file = if file == first { first_file.clone() } else { Literal::string(file) };
        let (line, column) = (Plain(*line), Plain(*column));
        if *kind == SiteKind::IndexOutOfBounds {
            return tokens!(__Site::index(#file, #line, #column, #text));
        }
        let kind = Word(kind.name());
        tokens!(__Site::new(__SiteKind::#kind, #file, #line, #column, #text))
    });
    Some(tokens!(const #table: &[__Site] = &[#(#rows),*];))
}

/// The rows of the table as the facade's `implementation!` takes them, which says the file itself; `None` where one is in another file.
pub(crate) fn sites_rows(sites: &[SiteUse], file: &str) -> Option<Tokens> {
    if sites.iter().any(|site| site.file != file) {
        return None;
    }
    if sites.is_empty() {
        return Some(tokens!());
    }
    let rows = sites.iter().map(|SiteUse { kind, line, column, text, .. }| {
        let (kind, line, column) = (Word(kind.name()), Plain(*line), Plain(*column));
        tokens!(#kind #line #column #text)
    });
    Some(tokens!(sites [#(#rows),*]))
}
