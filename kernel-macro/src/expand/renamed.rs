//! Functions inside the functions of a `#[device] mod` whose names something else in the module has, too: with other names they may move.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;

/// A body in which a name stands for something else; `None` where a token of that name may be a field, a method or a part of a path.
pub(super) fn renamed(body: &syn::Block, from: &Ident, to: &Ident) -> Option<syn::Block> {
    syn::parse2(in_tokens(body.to_token_stream(), from, to)?).ok()
}

fn in_tokens(tokens: TokenStream, from: &Ident, to: &Ident) -> Option<TokenStream> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let punct = |at: Option<usize>, wanted: char| {
        let tree = at.and_then(|at| trees.get(at));
        matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
    };
    let mut made = TokenStream::new();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(name) if name == from => {
                let is_member = punct(at.checked_sub(1), '.') && !punct(at.checked_sub(2), '.');
                let is_field = punct(Some(at + 1), ':') && !punct(Some(at + 2), ':');
                if is_member || is_field || punct(at.checked_sub(1), ':') || punct(Some(at + 1), '!') {
                    return None;
                }
                let mut to = to.clone();
                to.set_span(name.span());
                made.extend([TokenTree::Ident(to)]);
            }
            TokenTree::Group(group) => {
                // `Point { x, y }` names fields by variables.
                let inner = in_tokens(group.stream(), from, to)?;
                let is_shorthand = group.delimiter() == Delimiter::Brace && names_field(group.stream(), from);
                if is_shorthand {
                    return None;
                }
                let mut own = Group::new(group.delimiter(), inner);
                own.set_span(group.span());
                made.extend([TokenTree::Group(own)]);
            }
            // A format string may name it.
            TokenTree::Literal(literal) if literal.to_string().contains(&format!("{{{from}")) => return None,
            other => made.extend([other.clone()]),
        }
    }
    Some(made)
}

/// Whether a name stands alone between commas, as a field does that is named like a variable.
fn names_field(tokens: TokenStream, name: &Ident) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let parts = trees.split(|tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ','));
    let is_it = |part: &[TokenTree]| matches!(part, [TokenTree::Ident(own)] if own == name);
    parts.filter(|part| !part.is_empty()).any(is_it) && trees.len() > 1
}

#[cfg(test)]
mod tests {
    use quote::{ToTokens, format_ident, quote};

    use super::renamed;

    /// A body in which `area` is called `area_2`.
    fn of(body: proc_macro2::TokenStream) -> Option<String> {
        let body = syn::parse2(body).unwrap();
        Some(renamed(&body, &format_ident!("area"), &format_ident!("area_2"))?.to_token_stream().to_string())
    }

    #[test]
    fn calls_and_values_have_the_new_name() {
        let expected = quote!({
            let f = area_2;
            f(1) + [area_2(2), g(area_2)].len() + (0..area_2(3)).len()
        })
        .to_string();
        assert_eq!(
            of(quote!({
                let f = area;
                f(1) + [area(2), g(area)].len() + (0..area(3)).len()
            })),
            Some(expected)
        );
    }

    #[test]
    fn other_names_stay() {
        let body = quote!({ areas + r.wide + "area of" });
        assert_eq!(of(body.clone()), Some(body.to_string()));
    }

    #[test]
    fn what_may_be_something_else_is_refused() {
        let refused = [
            quote!({ shape.area() }),
            quote!({ shape.area }),
            quote!({ Shape { area: 1 } }),
            quote!({ Shape { area, side } }),
            quote!({ other::area(1) }),
            quote!({ area::<u32>(1) + area!(2) }),
            quote!({ panic!("{area}") }),
        ];
        for body in refused {
            assert_eq!(of(body.clone()), None, "{body}");
        }
    }
}
