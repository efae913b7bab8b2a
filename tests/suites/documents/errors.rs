//! The table of errors in the documentation of `Error`: it names each variant, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The variants of the enum in the file: the words of its braces that a group, a comma or nothing follows.
fn variants(source: &str) -> BTreeSet<String> {
    let tokens: Vec<_> = source.parse::<TokenStream>().expect("tokens").into_iter().collect();
    let is_enum = |pair: &[TokenTree]| pair[0].to_string() == "enum" && pair[1].to_string() == "Error";
    let start = tokens.windows(2).position(is_enum).expect("the enum `Error`");
    let TokenTree::Group(body) = &tokens[start + 2] else { panic!("the enum has a body") };
    let words = body.stream().into_iter().filter_map(|token| match token {
        TokenTree::Ident(name) => Some(name.to_string()),
        TokenTree::Group(group) => {
            assert_ne!(group.delimiter(), Delimiter::None);
            None
        }
        _ => None,
    });
    words.collect()
}

#[test]
fn the_table_of_errors_has_every_variant() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/core/error");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file of the errors");
    let (source, document) = (read("mod.rs"), read("error.md"));
    let rows =
        document.lines().filter_map(|line| line.strip_prefix("| ")?.rsplit_once(" | ")).map(|(_, errors)| errors);
    let named: BTreeSet<_> = rows.flat_map(|errors| errors.split('`').skip(1).step_by(2)).map(str::to_owned).collect();
    let variants = variants(&source);
    assert!(variants.len() > 60, "{variants:?}");
    assert_eq!(variants.difference(&named).collect::<Vec<_>>(), Vec::<&String>::new(), "variants without a row");
    assert_eq!(named.difference(&variants).collect::<Vec<_>>(), Vec::<&String>::new(), "rows without a variant");
}
