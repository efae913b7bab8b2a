//! The groups without brackets that `macro_rules!` puts around what it passes on: those around a path, a type's name or a literal go, so that what
//! stands in them reads as if it had been written there. Around anything else they stay, because they keep it together.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The tokens without groups around paths.
pub(crate) fn without_invisible(tokens: TokenStream) -> TokenStream {
    if has_invisible(&tokens) { rewritten(tokens) } else { tokens }
}

fn has_invisible(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::None || has_invisible(&group.stream()),
        _ => false,
    })
}

fn rewritten(tokens: TokenStream) -> TokenStream {
    let mut found = TokenStream::new();
    for tree in tokens {
        let TokenTree::Group(group) = tree else {
            found.extend([tree]);
            continue;
        };
        let inner = rewritten(group.stream());
        if group.delimiter() == Delimiter::None && is_path(&inner) {
            found.extend(inner);
            continue;
        }
        let mut made = Group::new(group.delimiter(), inner);
        made.set_span(group.span());
        found.extend([TokenTree::Group(made)]);
    }
    found
}

/// Whether tokens are a path or a literal, which nothing around them can take apart. No expression ends with `>`.
pub(super) fn is_path(tokens: &TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_part = |tree: &TokenTree| match tree {
        TokenTree::Ident(_) | TokenTree::Literal(_) => true,
        TokenTree::Punct(punct) => matches!(punct.as_char(), ':' | '<' | '>' | ','),
        TokenTree::Group(_) => false,
    };
    let is_angle = |tree: &TokenTree, angle| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == angle);
    let has_args = trees.iter().any(|tree| is_angle(tree, '<'));
    let is_word = |tree: &TokenTree| !matches!(tree, TokenTree::Punct(_));
    match trees.as_slice() {
        [] => false,
        [only] => is_word(only),
        [first, .., last] => {
            let begins = !matches!(first, TokenTree::Literal(_)) && !is_word(&trees[1]);
            begins && trees.iter().all(is_part) && if has_args { is_angle(last, '>') } else { is_word(last) }
        }
    }
}
