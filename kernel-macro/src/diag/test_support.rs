//! For tests: errors rendered with their source line and carets, as rustc would show them.

use std::fmt::Write as _;

use super::{Diagnostic, Diagnostics};

/// All errors, in order, against the source the tokens were parsed from; empty when there are none.
///
/// ```text
/// error: [K0001] `match` is not supported in kernels
///        help: write an `if`/`else if` chain
///  2 |     match x {}
///    |     ^^^^^
/// ```
pub(crate) fn render(diags: Diagnostics, source: &str) -> String {
    diags.into_list().iter().map(|error| render_one(error, source)).collect()
}

fn render_one(error: &Diagnostic, source: &str) -> String {
    let mut text = String::new();
    let message = error.text().replace('\n', "\n       ");
    writeln!(text, "error: {message}").expect("a string takes all text");
    let (start, end) = (error.span.start.start(), error.span.end.end());
    let line = source.lines().nth(start.line.wrapping_sub(1)).unwrap_or("<no source>");
    let last = if end.line == start.line { end.column } else { line.chars().count() };
    let carets = "^".repeat(last.saturating_sub(start.column).max(1));
    let more = if end.line == start.line { "" } else { " …" };
    writeln!(text, "{:>2} | {line}", start.line).expect("a string takes all text");
    writeln!(text, "   | {}{carets}{more}", " ".repeat(start.column)).expect("a string takes all text");
    text
}
