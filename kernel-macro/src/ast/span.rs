//! The start and end of a construct; no text.

use proc_macro2::Span;

/// First and last token of a construct: what an error underlines on stable Rust.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpanRange {
    pub(crate) start: Span,
    pub(crate) end: Span,
}

impl SpanRange {
    /// From the first to the last of `tokens`; the call site when there are none.
    pub(crate) fn of(tokens: impl quote::ToTokens) -> Self {
        let mut spans = tokens.into_token_stream().into_iter().map(|token| token.span());
        let start = spans.next().unwrap_or_else(Span::call_site);
        Self { start, end: spans.last().unwrap_or(start) }
    }

    /// A single token's span.
    pub(crate) const fn token(span: Span) -> Self {
        Self { start: span, end: span }
    }
}
