//! Deep nesting: it compiles or is an error at its place, and never ends the process.

use proc_macro2::{TokenStream, TokenTree};

use super::guarded;
use crate::expand;

/// The expansion of `y[i] = …;`, on the stack of an ordinary thread.
fn expansion(value: &str) -> TokenStream {
    let source = format!("fn k(x: &[u32], y: &mut [u32]) {{ let i = global_id().x; y[i] = {value}; }}");
    let item: TokenStream = source.parse().expect("the test is Rust");
    guarded([TokenStream::new(), item], |[attr, item]| expand::kernel(attr, item))
}

fn expanded(value: &str) -> String {
    expansion(value).to_string()
}

/// How many brackets are in each other.
fn brackets(tokens: TokenStream) -> usize {
    let depth = |token| match token {
        TokenTree::Group(group) => 1 + brackets(group.stream()),
        _ => 0,
    };
    tokens.into_iter().map(depth).max().unwrap_or(0)
}

fn compiles(value: &str) {
    let text = expanded(value);
    assert!(!text.contains("compile_error"), "{}", &text[..text.len().min(2000)]);
}

fn is_too_deep(value: &str) {
    let text = expanded(value);
    assert!(text.contains("[K0010] this is nested too deeply"), "{}", &text[..text.len().min(2000)]);
}

/// Chains that rustc compiles, and the depth of the result: it is no deeper, as rustc follows brackets by recursion.
#[test]
fn chains_of_thousands_compile() {
    for value in [
        ["i"; 5000].join(" ^ "),
        ["i"; 5000].join(" + "),
        ["x[i]"; 3000].join(" * 3 + "),
        format!("if {} {{ 1 }} else {{ 2 }}", ["x[i] > 3"; 2000].join(" && ")),
        format!("i{}", ".wrapping_add(1)".repeat(3000)),
        format!("{}i", "!".repeat(3000)),
        format!("i{}", " as u32".repeat(3000)),
    ] {
        compiles(&value);
        let tokens = expansion(&value);
        let depth = brackets(tokens);
        assert!(depth <= 12, "{depth} levels of brackets in {}", &value[..40]);
    }
    compiles(&format!("Some(i){}.unwrap_or(3)", ".map(|a| a + 1)".repeat(500)));
    compiles(&["i"; 1000].join(" / "));
}

#[test]
fn brackets_in_brackets_compile_up_to_the_limit() {
    let nested = |open: &str, close: &str, times: usize| format!("{}i{}", open.repeat(times), close.repeat(times));
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("(i ^ ", ")"),
        ("if i > 3 {", "} else { 1 }"),
        ("match i { 0 => 1, _ => ", "}"),
        ("i.wrapping_add(", ")"),
        ("loop { break ", "}"),
        ("x[", "]"),
        ("(|a: u32| a + ", ")(1)"),
        ("Some(", ").unwrap_or(2)"),
    ] {
        // The body of the function is one, and some have two each.
        let text = expanded(&nested(open, close, 95));
        assert!(!text.contains("this is nested too deeply"), "{open}");
        is_too_deep(&nested(open, close, 400));
        is_too_deep(&nested(open, close, 5000));
    }
    compiles(&nested("if i > 3 {", "} else { 1 }", 190));
}

#[test]
fn what_is_deeper_is_an_error_at_its_place() {
    is_too_deep(&["i"; 20_000].join(" ^ "));
    is_too_deep(&format!("{}i", "!".repeat(40_000)));
    is_too_deep(&format!("i{}", " as u32".repeat(40_000)));
    is_too_deep(&format!("{}i", "return ".repeat(40_000)));
    is_too_deep(&format!("{{ let a: {}u32{} = i; 3 }}", "Option<".repeat(20_000), ">".repeat(20_000)));
    is_too_deep(&format!("{{ let {}a{} = i; 3 }}", "(".repeat(500), ")".repeat(500)));
}

/// Devices follow branches by recursion, too.
#[test]
fn chains_of_else_if_end_where_those_of_devices_do() {
    let chain = |times: usize| {
        let middle: String = (1..times).map(|number| format!("else if i == {number} {{ {number} }} ")).collect();
        format!("if i == 0 {{ 3 }} {middle} else {{ 4 }}")
    };
    compiles(&chain(900));
    let text = expanded(&chain(3000));
    assert!(text.contains("[K0010] the branches and loops of the kernel `k` are nested too deeply"));
}

/// Statements are not in each other, whether they end with a semicolon or with a block.
#[test]
fn long_bodies_are_not_deep() {
    let ifs: String = (0..3000).map(|number| format!("if a > {number} {{ a = a * 3; }} ")).collect();
    compiles(&format!("{{ let mut a = i; {ifs} a }}"));
}

#[test]
fn a_panic_is_an_error() {
    let tokens = guarded([TokenStream::new()], |_| panic!("on purpose"));
    assert!(tokens.to_string().contains("the macro panicked"));
}
