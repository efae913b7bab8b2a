//! Collects errors and renders them as `compile_error!`; the one place that knows how errors reach the user.

use proc_macro2::{Ident, Punct, Spacing, TokenStream, TokenTree};
use quote::quote_spanned;

use crate::ast::SpanRange;

pub(crate) mod code;
#[cfg(test)]
pub(crate) mod examples;
#[cfg(test)]
mod index;
#[cfg(test)]
pub(crate) mod test_support;

pub(crate) use code::Code;

/// How many errors of one item are shown; the rest is counted.
const MAX_SHOWN: usize = 20;

/// All errors of one expansion. Must be read by [`finish`](Self::finish) or [`into_list`](Self::into_list).
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    list: Vec<Diagnostic>,
    read: bool,
}

/// One error, with its notes.
#[derive(Debug, Clone)]
pub(crate) struct Diagnostic {
    pub(crate) code: Code,
    pub(crate) span: SpanRange,
    pub(crate) message: String,
    /// Continuation lines, each starting with `note: ` or `help: `.
    pub(crate) lines: Vec<String>,
}

impl Diagnostics {
    /// No errors yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Records an error: what is wrong, lower-case start, no final period, code in backticks.
    pub(crate) fn error(&mut self, code: Code, span: SpanRange, message: impl Into<String>) -> &mut Diagnostic {
        self.list.push(Diagnostic { code, span, message: message.into(), lines: Vec::new() });
        self.list.last_mut().expect("just pushed")
    }

    /// Records an error of another list.
    pub(crate) fn push(&mut self, error: Diagnostic) {
        self.list.push(error);
    }

    /// Adds the way out to the error recorded last.
    pub(crate) fn help_last(&mut self, text: impl AsRef<str>) {
        if let Some(last) = self.list.last_mut() {
            last.help(text);
        }
    }

    /// Whether anything was recorded.
    pub(crate) fn has_errors(&self) -> bool {
        !self.list.is_empty()
    }

    /// How many errors were recorded.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Records what another list holds.
    pub(crate) fn append(&mut self, other: Self) {
        self.list.extend(other.into_list());
    }

    /// The errors in order of their place, without repetitions of a message at one place.
    pub(crate) fn into_list(mut self) -> Vec<Diagnostic> {
        self.read = true;
        let mut list = std::mem::take(&mut self.list);
        let place = |error: &Diagnostic| {
            let start = error.span.start.start();
            (start.line, start.column)
        };
        list.sort_by_key(place);
        list.dedup_by(|a, b| place(a) == place(b) && a.message == b.message);
        list
    }

    /// The errors as tokens that make rustc print them, or `Ok` when there are none.
    pub(crate) fn finish(self) -> Result<(), TokenStream> {
        let list = self.into_list();
        if list.is_empty() {
            return Ok(());
        }
        let hidden = list.len().saturating_sub(MAX_SHOWN);
        let mut tokens: TokenStream = list.iter().take(MAX_SHOWN).map(Diagnostic::to_compile_error).collect();
        if hidden > 0 {
            let mut more = list[MAX_SHOWN].clone();
            more.message = format!("… and {hidden} more errors in this item");
            more.lines.clear();
            tokens.extend(more.to_compile_error());
        }
        Err(tokens)
    }
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        if !self.read && !self.list.is_empty() && !std::thread::panicking() {
            panic!("errors were collected but never reported: {:?}", self.list);
        }
    }
}

impl Diagnostic {
    /// Adds the rule behind the error, or a fact.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.lines.push(format!("note: {}", text.as_ref()));
        self
    }

    /// Adds the way out.
    pub(crate) fn help(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.lines.push(format!("help: {}", text.as_ref()));
        self
    }

    /// The message as rustc shows it, with its code and continuation lines.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("[{}] {}", self.code.name(), self.message);
        for line in &self.lines {
            text.push('\n');
            text.push_str(line);
        }
        text
    }

    /// `::core::compile_error! { "…" }`: first and last token carry the ends of the span, so that rustc underlines it all.
    fn to_compile_error(&self) -> TokenStream {
        let text = self.text();
        let (start, end) = (self.span.start, self.span.end);
        let mut body =
            TokenTree::Group(proc_macro2::Group::new(proc_macro2::Delimiter::Brace, quote_spanned!(end=> #text)));
        body.set_span(end);
        let colon = |spacing| {
            let mut punct = Punct::new(':', spacing);
            punct.set_span(start);
            TokenTree::Punct(punct)
        };
        let mut bang = Punct::new('!', Spacing::Alone);
        bang.set_span(start);
        TokenStream::from_iter([
            colon(Spacing::Joint),
            colon(Spacing::Alone),
            TokenTree::Ident(Ident::new("core", start)),
            colon(Spacing::Joint),
            colon(Spacing::Alone),
            TokenTree::Ident(Ident::new("compile_error", start)),
            TokenTree::Punct(bang),
            body,
        ])
    }
}
