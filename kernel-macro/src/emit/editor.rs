//! The output for rust-analyzer besides the expansion: the item as its author wrote it, also while it has errors. It
//! reads nothing of the item and reports nothing; no other program than rust-analyzer gets it.
//!
//! To complete a word, rust-analyzer expands the item twice, with and without the word, and looks for it in the second
//! expansion at the same place as in the first. A word that is not complete yet is an error, and after errors there is no
//! rendering. So the author's code comes before all that depends on it.

use std::sync::OnceLock;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::tokens::tokens;

/// Whether rust-analyzer expands, and nobody else.
pub(crate) fn is_running() -> bool {
    static RUNNING: OnceLock<bool> = OnceLock::new();
    *RUNNING.get_or_init(|| {
        let program = std::env::current_exe().ok();
        let name = program.as_deref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("rust-analyzer"))
    })
}

/// An item for rust-analyzer, in place of what is rendered of it or of its stub; nothing for others.
pub(crate) fn written(item: &TokenStream) -> TokenStream {
    if is_running() { as_written(item.clone()) } else { TokenStream::new() }
}

/// An item that cannot be read, for rustc to say why.
pub(crate) fn unread(item: TokenStream) -> TokenStream {
    if is_running() { as_written(item) } else { item }
}

/// The tokens in place of an item, unless it was [`written`] already.
pub(crate) fn unless_written<T: Default>(tokens: impl FnOnce() -> T) -> T {
    if is_running() { T::default() } else { tokens() }
}

/// Items as their author wrote them, but that a number of any type can be an index, as in kernels, loops say nothing of unrolling, and
/// parameters nothing of texels.
fn as_written(tokens: TokenStream) -> TokenStream {
    let mut written = TokenStream::new();
    let mut after_operand = false;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if is_sign(&token) && tokens.peek().is_some_and(is_ours) {
            tokens.next();
            continue;
        }
        let is_operand = ends_operand(&token);
        written.extend([match token {
            TokenTree::Group(group) => {
                let inner = as_written(group.stream());
                let is_index = after_operand && group.delimiter() == Delimiter::Bracket && is_single(&inner);
                let mut copy =
                    Group::new(group.delimiter(), if is_index { tokens!((#inner) as usize).into() } else { inner });
                copy.set_span(group.span());
                TokenTree::Group(copy)
            }
            other => other,
        }]);
        after_operand = is_operand;
    }
    written
}

fn is_sign(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == '#')
}

/// Whether these are the brackets of an attribute that Rust does not know: `#[unroll]` or `#[texels]`.
fn is_ours(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(word)) if word == "unroll" || word == "texels")
}

/// Whether brackets behind a token hold an index: it ends a value.
fn ends_operand(token: &TokenTree) -> bool {
    const KEYWORDS: &[&str] = &[
        "as", "box", "break", "dyn", "else", "if", "impl", "in", "let", "match", "move", "mut", "ref", "return",
        "while",
    ];
    match token {
        TokenTree::Ident(ident) => !KEYWORDS.iter().any(|keyword| ident == keyword),
        TokenTree::Literal(_) => true,
        TokenTree::Group(group) => group.delimiter() != Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == '?',
    }
}

/// Whether one value stands there: no range, no list, not nothing.
fn is_single(tokens: &TokenStream) -> bool {
    let mut dots = 0;
    for token in tokens.clone() {
        let TokenTree::Punct(punct) = token else {
            dots = 0;
            continue;
        };
        dots = if punct.as_char() == '.' { dots + 1 } else { 0 };
        if dots == 2 || matches!(punct.as_char(), ',' | ';') {
            return false;
        }
    }
    !tokens.is_empty()
}

#[cfg(test)]
mod tests {
    use super::as_written;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let parse = |text: &str| text.parse::<proc_macro2::TokenStream>().expect("Rust's tokens");
        assert_eq!(as_written(parse(source)).to_string(), parse(expected).to_string());
    }

    #[test]
    fn indices_may_have_any_type() {
        check("x[i] + f(x)[a[i]].y[0]", "x[(i) as usize] + f(x)[(a[(i) as usize]) as usize].y[(0) as usize]");
        check("{ x?[i] = self.x.0[i.]; }", "{ x?[(i) as usize] = self.x.0[(i.) as usize]; }");
    }

    #[test]
    fn other_brackets_stay() {
        for same in [
            "#[allow(lint)] fn f(x: &[u32], y: &mut [f32], z: [f32; 4]) -> [u32; N]",
            "for v in [1, 2] { return [v]; }",
            "let [a, b] = [1; 2];",
            "&x[1..n], x[..], x[]",
            "if c { } [1]",
            "vec![1]",
        ] {
            check(same, same);
        }
    }
}
