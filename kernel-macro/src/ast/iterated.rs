//! What a `for` goes through; nothing of how it is lowered.

use proc_macro2::Ident;

use super::Expr;

/// What a `for` goes through.
#[derive(Debug, Clone)]
pub(crate) struct Iterated {
    pub(crate) source: Source,
    /// In the order they are written.
    pub(crate) adapters: Vec<Adapter>,
}

/// Where the values of a `for` come from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    Range(Range),
    Array(Box<Expr>),
}

/// `.rev()` and its like, by the name as written.
#[derive(Debug, Clone)]
pub(crate) struct Adapter {
    pub(crate) name: Ident,
    pub(crate) kind: AdapterKind,
}

#[derive(Debug, Clone)]
pub(crate) enum AdapterKind {
    /// `.into_iter()`, `.iter()` and `.copied()`: nothing that the loop would notice.
    Plain,
    Rev,
    StepBy(Box<Expr>),
    /// Always the last one that counts.
    Enumerate,
}

impl Iterated {
    /// All expressions in it.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let source = match &self.source {
            Source::Range(range) => [Some(&*range.start), Some(&*range.end)],
            Source::Array(array) => [Some(&**array), None],
        };
        let steps = self.adapters.iter().filter_map(|adapter| match &adapter.kind {
            AdapterKind::StepBy(step) => Some(&**step),
            _ => None,
        });
        source.into_iter().flatten().chain(steps)
    }

    /// The range of a loop that goes through one and nothing else.
    pub(crate) fn plain_range(&self) -> Option<&Range> {
        match &self.source {
            Source::Range(range) if self.adapters.is_empty() => Some(range),
            _ => None,
        }
    }

    pub(crate) fn is_enumerated(&self) -> bool {
        self.adapters.iter().any(|adapter| matches!(adapter.kind, AdapterKind::Enumerate))
    }
}

/// `start..end` or `start..=end` of a `for`.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    pub(crate) start: Box<Expr>,
    pub(crate) end: Box<Expr>,
    pub(crate) inclusive: bool,
}
