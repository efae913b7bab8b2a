//! Trap sites of a rendering: a table, and references to its rows.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::hash::FastMap;
use proc_macro2::{Literal, Span};

use super::Renderer;
use crate::ast::Expr;
use crate::emit::tokens::{Plain, Tokens, Word, tokens};
use crate::source;

/// The name of a rendering's table of sites.
pub(crate) const SITES: &str = "__SITES";

/// How many rows a macro is to match: at each, rustc copies all that it has matched so far.
pub(crate) const MOST_MATCHED: usize = 64;

/// A trap site that a rendering refers to by its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SiteUse {
    pub(crate) kind: SiteKind,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) text: String,
}

/// The sites of a rendering, each once.
#[derive(Debug, Default)]
pub(super) struct SiteRows {
    rows: Vec<SiteUse>,
    index: SiteIndex,
}

impl SiteRows {
    /// The row of a site, which is added if it is new.
    fn row(&mut self, site: SiteUse) -> u32 {
        let known = self.index.row(&self.rows, |row| *row == site, (site.kind, site.line, site.column));
        known.unwrap_or_else(|| {
            self.index.add(&site, self.rows.len());
            self.rows.push(site);
            self.rows.len() as u32 - 1
        })
    }

    pub(super) fn into_rows(self) -> Vec<SiteUse> {
        self.rows
    }
}

/// The rows of a table by kind and place.
#[derive(Debug, Default)]
pub(crate) struct SiteIndex(FastMap<(SiteKind, u32, u32), Vec<u32>>);

impl SiteIndex {
    pub(crate) fn of(rows: &[SiteUse]) -> Self {
        let mut index = Self::default();
        rows.iter().enumerate().for_each(|(number, row)| index.add(row, number));
        index
    }

    fn add(&mut self, site: &SiteUse, number: usize) {
        self.0.entry((site.kind, site.line, site.column)).or_default().push(number as u32);
    }

    /// The first row of that kind and place that `is` the one asked for.
    pub(crate) fn row(
        &self,
        rows: &[SiteUse],
        is: impl Fn(&SiteUse) -> bool,
        key: (SiteKind, u32, u32),
    ) -> Option<u32> {
        self.0.get(&key)?.iter().copied().find(|number| is(&rows[*number as usize]))
    }
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
        let position = self.sites.borrow_mut().row(site);
        self.uses_names();
        let (table, position) = (Word(SITES), Plain(position));
        tokens!(__row(#table, #position))
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

/// `static __SITES: … = …;`, nothing for no sites. No const, which rustc would make anew for each row that is named.
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
    Some(tokens!(static #table: &[__Site] = &[#(#rows),*];))
}

/// The rows of the table as the facade's `implementation!` takes them, which says the file itself; `None` where one is in another file, or there
/// are too many.
pub(crate) fn sites_rows(sites: &[SiteUse], file: &str) -> Option<Tokens> {
    if sites.len() > MOST_MATCHED || sites.iter().any(|site| site.file != file) {
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
