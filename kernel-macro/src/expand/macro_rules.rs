//! Calls of a `#[device] mod`'s own `macro_rules!`, written out: rustc expands them only after the attribute has read the module. What a rule may
//! do beyond fragments and repetitions, such as `$crate`, leaves the call as it is, which is then refused where it stands.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser as _};

use super::invisible::is_path;

/// How deep macros may call others.
const MAX_DEPTH: usize = 64;

/// The rules of one macro.
struct Macro {
    name: Ident,
    rules: Vec<(Vec<Node>, Vec<Node>)>,
}

/// A part of a rule's pattern, or of what it becomes.
enum Node {
    Token(TokenTree),
    Group(Delimiter, Group, Vec<Node>),
    /// `$name:kind`, or `$name`
    Fragment(String, Option<String>),
    /// `$(…),*`: what is repeated, what stands in between, and `*`, `+` or `?`.
    Repeat(Vec<Node>, Option<TokenTree>, char),
}

/// The tokens that a fragment's name stands for.
#[derive(Clone)]
enum Bound {
    One(TokenStream),
    Many(Vec<Binding>),
}

type Binding = Vec<(String, Bound)>;

/// The items of a module, in which calls of its macros are what they become.
pub(super) fn expand_own(items: Vec<syn::Item>) -> Vec<syn::Item> {
    let macros: Vec<Macro> = items.iter().filter_map(definition).collect();
    if macros.is_empty() {
        return items;
    }
    let mut expanded = Vec::new();
    for item in items {
        if definition(&item).is_some() {
            expanded.push(syn::parse2(quote!(#[allow(unused_macros)] #item)).unwrap_or(item));
            continue;
        }
        let read = rewritten(&macros, item.to_token_stream(), 0).and_then(|tokens| items_of.parse2(tokens).ok());
        match read {
            Some(items) => expanded.extend(items),
            None => expanded.push(item),
        }
    }
    expanded
}

fn items_of(input: ParseStream<'_>) -> syn::Result<Vec<syn::Item>> {
    let mut items = Vec::new();
    while !input.is_empty() {
        items.push(input.parse()?);
    }
    Ok(items)
}

fn definition(item: &syn::Item) -> Option<Macro> {
    let syn::Item::Macro(syn::ItemMacro { ident: Some(name), mac, .. }) = item else { return None };
    let mut rules = Vec::new();
    let tokens: Vec<TokenTree> = mac.tokens.clone().into_iter().collect();
    for rule in tokens.split(|tree| is_punct(tree, ';')).filter(|rule| !rule.is_empty()) {
        let [TokenTree::Group(pattern), arrow, tip, TokenTree::Group(body)] = rule else { return None };
        if !is_punct(arrow, '=') || !is_punct(tip, '>') {
            return None;
        }
        rules.push((nodes(pattern.stream(), true)?, nodes(body.stream(), false)?));
    }
    mac.path.is_ident("macro_rules").then(|| Macro { name: name.clone(), rules })
}

fn is_punct(tree: &TokenTree, mark: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == mark)
}

fn nodes(tokens: TokenStream, is_pattern: bool) -> Option<Vec<Node>> {
    let (mut trees, mut found) = (tokens.into_iter().peekable(), Vec::new());
    while let Some(tree) = trees.next() {
        if !is_punct(&tree, '$') {
            found.push(match tree {
                TokenTree::Group(group) => {
                    Node::Group(group.delimiter(), group.clone(), nodes(group.stream(), is_pattern)?)
                }
                other => Node::Token(other),
            });
            continue;
        }
        found.push(match trees.next()? {
            TokenTree::Ident(name) if name == "crate" => return None,
            TokenTree::Ident(name) if is_pattern => {
                let colon = trees.next().filter(|tree| is_punct(tree, ':'));
                let (Some(_), Some(TokenTree::Ident(kind))) = (colon, trees.next()) else { return None };
                Node::Fragment(name.to_string(), Some(kind.to_string()))
            }
            TokenTree::Ident(name) => Node::Fragment(name.to_string(), None),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                let is_count = |tree: &TokenTree| ['*', '+', '?'].iter().any(|mark| is_punct(tree, *mark));
                let mut next = trees.next()?;
                let mut between = None;
                if !is_count(&next) {
                    between = Some(std::mem::replace(&mut next, trees.next()?));
                }
                let TokenTree::Punct(count) = next else { return None };
                Node::Repeat(nodes(group.stream(), is_pattern)?, between, count.as_char())
            }
            _ => return None,
        });
    }
    Some(found)
}

/// Tokens in which calls of the macros are what they become; `None` where a call fits no rule.
fn rewritten(macros: &[Macro], tokens: TokenStream, depth: usize) -> Option<TokenStream> {
    if depth > MAX_DEPTH {
        return None;
    }
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut made, mut at, mut is_start) = (TokenStream::new(), 0, true);
    while let Some(tree) = trees.get(at) {
        let call = match &trees[at..] {
            [TokenTree::Ident(name), bang, TokenTree::Group(args), ..] if is_punct(bang, '!') => {
                macros.iter().find(|own| own.name == *name).map(|own| (own, args))
            }
            _ => None,
        };
        if let Some((own, args)) = call {
            let tokens = rewritten(macros, own.expand(args.stream())?, depth + 1)?;
            let ends = trees.get(at + 3).is_some_and(|next| is_punct(next, ';'));
            let is_braced = args.delimiter() == Delimiter::Brace;
            at += 3;
            if is_start && (ends || is_braced) {
                at += usize::from(ends);
                let last = tokens.clone().into_iter().last();
                let is_open = last.is_some_and(|last| !is_punct(&last, ';') && !is_block(&last));
                made.extend(tokens);
                if is_open {
                    made.extend(quote!(;));
                }
                continue;
            }
            let has_statements = tokens.clone().into_iter().any(|tree| is_punct(&tree, ';'));
            let brackets = if has_statements { Delimiter::Brace } else { Delimiter::Parenthesis };
            made.extend([TokenTree::Group(Group::new(brackets, tokens))]);
            is_start = false;
            continue;
        }
        is_start = is_punct(tree, ';') || is_block(tree);
        made.extend([match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), rewritten(macros, group.stream(), depth)?);
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other.clone(),
        }]);
        at += 1;
    }
    Some(made)
}

fn is_block(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

impl Macro {
    /// The tokens that a call becomes, by the first rule that fits.
    fn expand(&self, args: TokenStream) -> Option<TokenStream> {
        let args: Vec<TokenTree> = args.into_iter().collect();
        self.rules.iter().find_map(|(pattern, body)| {
            let mut bound = Binding::new();
            let rest = fit(pattern, &args, &mut bound)?;
            let own = if begins_item(body) { Vec::new() } else { variables_of(body) };
            rest.is_empty().then(|| write(body, &bound, &own)).flatten()
        })
    }
}

/// Fits tokens to a pattern; what is left of them.
fn fit<'t>(pattern: &[Node], mut tokens: &'t [TokenTree], bound: &mut Binding) -> Option<&'t [TokenTree]> {
    for node in pattern {
        tokens = match node {
            Node::Token(wanted) => match tokens {
                [first, rest @ ..] if first.to_string() == wanted.to_string() => rest,
                _ => return None,
            },
            Node::Group(brackets, _, inner) => match tokens {
                [TokenTree::Group(group), rest @ ..] if group.delimiter() == *brackets => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    fit(inner, &inside, bound)?.is_empty().then_some(rest)?
                }
                _ => return None,
            },
            Node::Fragment(name, kind) => {
                let (fragment, count) = fragment(kind.as_deref()?, tokens)?;
                bound.push((name.clone(), Bound::One(fragment)));
                &tokens[count..]
            }
            Node::Repeat(inner, between, count) => {
                let mut rounds = Vec::new();
                let mut rest = tokens;
                loop {
                    let mut ahead = rest;
                    if let (Some(mark), false) = (between, rounds.is_empty()) {
                        match ahead {
                            [first, after @ ..] if first.to_string() == mark.to_string() => ahead = after,
                            _ => break,
                        }
                    }
                    let mut round = Binding::new();
                    match fit(inner, ahead, &mut round) {
                        Some(after) if after.len() < rest.len() => rest = after,
                        _ => break,
                    }
                    rounds.push(round);
                    if *count == '?' {
                        break;
                    }
                }
                if *count == '+' && rounds.is_empty() {
                    return None;
                }
                names(inner, &mut |name| {
                    let of_round = |round: &Binding| round.iter().filter(|(own, _)| own == name).cloned().collect();
                    bound.push((name.to_owned(), Bound::Many(rounds.iter().map(of_round).collect())));
                });
                rest
            }
        };
    }
    Some(tokens)
}

/// The names of the fragments in a pattern.
fn names(pattern: &[Node], found: &mut dyn FnMut(&str)) {
    for node in pattern {
        match node {
            Node::Token(_) => {}
            Node::Fragment(name, _) => found(name),
            Node::Group(_, _, inner) | Node::Repeat(inner, ..) => names(inner, found),
        }
    }
}

/// The fragment with which tokens begin, and how many of them it is.
fn fragment(kind: &str, tokens: &[TokenTree]) -> Option<(TokenStream, usize)> {
    fn read<T: Parse + ToTokens>(tokens: &[TokenTree]) -> Option<(TokenStream, usize)> {
        counted(tokens, |input| input.parse::<T>().map(ToTokens::into_token_stream))
    }
    fn counted(
        tokens: &[TokenTree],
        parse: impl Fn(ParseStream<'_>) -> syn::Result<TokenStream>,
    ) -> Option<(TokenStream, usize)> {
        let both = |input: ParseStream<'_>| Ok((parse(input)?, input.parse::<TokenStream>()?));
        let (found, rest) = both.parse2(tokens.iter().cloned().collect()).ok()?;
        Some((found, tokens.len() - rest.into_iter().count()))
    }
    match kind {
        "ident" => match tokens {
            [word @ TokenTree::Ident(_), ..] => Some((word.clone().into(), 1)),
            _ => None,
        },
        "tt" => Some((tokens.first()?.clone().into(), 1)),
        "expr" => {
            let (found, count) = read::<syn::Expr>(tokens)?;
            let is_whole = is_path(&found) || found.clone().into_iter().count() == 1;
            let found = if is_whole { found } else { quote!((#found)) };
            Some((found, count))
        }
        "ty" => read::<syn::Type>(tokens),
        "path" => read::<syn::Path>(tokens),
        "literal" => read::<syn::Lit>(tokens),
        "lifetime" => read::<syn::Lifetime>(tokens),
        "block" => read::<syn::Block>(tokens),
        "vis" => read::<syn::Visibility>(tokens),
        "item" => read::<syn::Item>(tokens),
        "pat" | "pat_param" => {
            counted(tokens, |input| syn::Pat::parse_multi_with_leading_vert(input).map(ToTokens::into_token_stream))
        }
        _ => None,
    }
}

/// Whether a rule's body is items, whose names no code around a call has.
fn begins_item(body: &[Node]) -> bool {
    const ITEMS: [&str; 9] = ["impl", "fn", "pub", "struct", "enum", "const", "use", "trait", "type"];
    match body.first() {
        Some(Node::Token(TokenTree::Ident(word))) => ITEMS.iter().any(|item| word == item),
        Some(Node::Token(tree)) => is_punct(tree, '#'),
        Some(Node::Repeat(inner, ..)) => begins_item(inner),
        _ => false,
    }
}

/// The names that a rule's own code gives to variables: those of the code around a call are others.
fn variables_of(body: &[Node]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, node) in body.iter().enumerate() {
        match node {
            Node::Token(TokenTree::Ident(word)) if word == "let" || word == "for" => {
                let own = body[at + 1..].iter().take_while(|node| match node {
                    Node::Token(TokenTree::Ident(word)) => word != "in",
                    Node::Token(tree) => !['=', ':', ';'].iter().any(|mark| is_punct(tree, *mark)),
                    _ => true,
                });
                own.for_each(|node| words(node, &mut found));
            }
            // An arm of a `match`, or the parameters of a closure.
            Node::Token(tree) if is_punct(tree, '=') && is_token(body.get(at + 1), '>') => {
                let is_end = |node: &&Node| matches!(node, Node::Token(tree) if is_punct(tree, ','));
                body[..at].iter().rev().take_while(|node| !is_end(node)).for_each(|node| words(node, &mut found));
            }
            Node::Token(tree) if is_punct(tree, '|') => {
                let end = body[at + 1..].iter().position(|node| is_token(Some(node), '|'));
                body[at + 1..][..end.unwrap_or(0)].iter().for_each(|node| words(node, &mut found));
            }
            Node::Group(_, _, inner) | Node::Repeat(inner, ..) => found.extend(variables_of(inner)),
            _ => {}
        }
    }
    found
}

fn is_token(node: Option<&Node>, mark: char) -> bool {
    matches!(node, Some(Node::Token(tree)) if is_punct(tree, mark))
}

fn words(node: &Node, found: &mut Vec<String>) {
    match node {
        Node::Token(TokenTree::Ident(word)) => {
            let word = word.to_string();
            if word.starts_with(char::is_lowercase) && !["mut", "ref"].contains(&word.as_str()) {
                found.push(word);
            }
        }
        Node::Group(_, _, inner) => inner.iter().for_each(|node| words(node, found)),
        _ => {}
    }
}

/// The tokens of a rule's body.
fn write(body: &[Node], bound: &Binding, own: &[String]) -> Option<TokenStream> {
    let mut made = TokenStream::new();
    let mut is_member = false;
    for node in body {
        let behind_dot = std::mem::replace(&mut is_member, false);
        match node {
            Node::Token(TokenTree::Ident(word)) if !behind_dot && own.iter().any(|name| word == name) => {
                made.extend([TokenTree::Ident(Ident::new(&format!("__own_{word}"), word.span()))]);
            }
            Node::Token(tree) => {
                is_member = is_punct(tree, '.');
                made.extend([tree.clone()]);
            }
            Node::Group(brackets, written, inner) => {
                let mut group = Group::new(*brackets, write(inner, bound, own)?);
                group.set_span(written.span());
                made.extend([TokenTree::Group(group)]);
            }
            Node::Fragment(name, _) => match bound.iter().rev().find(|(known, _)| known == name)? {
                (_, Bound::One(tokens)) => made.extend(tokens.clone()),
                (_, Bound::Many(_)) => return None,
            },
            Node::Repeat(inner, between, _) => {
                let mut rounds = None;
                names(inner, &mut |name| {
                    if let Some((_, Bound::Many(found))) = bound.iter().rev().find(|(known, _)| known == name) {
                        rounds = Some(found.len());
                    }
                });
                for round in 0..rounds? {
                    if let (Some(mark), true) = (between, round > 0) {
                        made.extend([mark.clone()]);
                    }
                    let mut inside = bound.clone();
                    names(inner, &mut |name| {
                        if let Some((_, Bound::Many(found))) = bound.iter().rev().find(|(known, _)| known == name)
                            && let Some(found) = found.get(round)
                        {
                            inside.extend(found.iter().cloned());
                        }
                    });
                    made.extend(write(inner, &inside, own)?);
                }
            }
        }
    }
    Some(made)
}
