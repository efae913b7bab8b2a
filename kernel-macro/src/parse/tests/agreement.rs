//! Agreement of the two parsers: the tree read straight from tokens is that of syn's, for every function of the corpus,
//! and for forms chosen to be delimited wrongly.

use std::path::Path;

use quote::ToTokens;

use crate::ast::Fn;
use crate::diag::Diagnostics;
use crate::parse::direct::read_directly;
use crate::parse::{Role, parse_fn};

/// The tree as text, ids left out: both ways number expressions in another order. Of the last token of a construct its end
/// counts: of a macro's parentheses, one way takes the last, the other both.
fn shape(function: &Fn) -> String {
    let text = format!("{:?} {:?} {:?}", function.params, function.body, (function.has_debug, function.returns_early));
    let mut shape = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("id: e") {
        shape.push_str(before);
        rest = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
    }
    shape.push_str(rest);
    let mut ends = shape.split("end: bytes(");
    let mut shape = ends.next().unwrap_or_default().to_owned();
    for after in ends {
        shape.push_str(after.split_once("..").map_or(after, |(_, end)| end));
    }
    shape
}

/// Whether a function can be read directly; if so, both trees must be the same.
fn agrees(item: &syn::ItemFn, role: Role) -> bool {
    let tokens = item.to_token_stream();
    let Some((_, direct)) = read_directly(&tokens, role) else { return false };
    let mut diags = Diagnostics::new();
    let by_syn = parse_fn(&syn::parse2(tokens).expect("a function"), role, &mut diags);
    assert!(diags.into_list().is_empty(), "`{}` has errors", item.sig.ident);
    let (direct, by_syn) = (shape(&direct), shape(&by_syn));
    let same = direct.bytes().zip(by_syn.bytes()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| text.chars().skip(same.saturating_sub(200)).take(400).collect::<String>();
    assert!(direct == by_syn, "`{}`:\n{}\n{}", item.sig.ident, part(&direct), part(&by_syn));
    true
}

fn functions(items: Vec<syn::Item>, found: &mut Vec<(syn::ItemFn, Role)>) {
    for item in items {
        match item {
            syn::Item::Fn(mut item) => {
                let is = |name: &str| item.attrs.iter().any(|attr| attr.path().is_ident(name));
                let role = if is("kernel") { Role::Kernel } else { Role::Device };
                if is("kernel") || is("device") {
                    item.attrs.clear();
                    found.push((item, role));
                }
            }
            syn::Item::Mod(item) => functions(item.content.map_or(Vec::new(), |(_, items)| items), found),
            _ => {}
        }
    }
}

#[test]
fn the_corpus_is_read_the_same_both_ways() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    let (mut direct, mut all) = (0, 0);
    for entry in std::fs::read_dir(corpus).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = std::fs::read_to_string(path).expect("readable");
        let mut found = Vec::new();
        functions(syn::parse_file(&source).expect("Rust").items, &mut found);
        for (item, role) in found {
            all += 1;
            direct += usize::from(agrees(&item, role));
        }
    }
    assert!(direct * 8 > all * 7, "only {direct} of {all} functions are read directly");
}

#[test]
fn forms_are_read_the_same_both_ways() {
    for body in [
        "let x = a + b * c - d % e << 2 >> 1 & 3 | 4 ^ 5;",
        "let x = a == b && c != d || e <= f && !(g >= h);",
        "x = y; x += 1; x <<= 2; x >>= 3; x |= a & b;",
        "let x = -a as u32 as f32 * -2.5e3f32 + 1_000u32 as f32 + 0x1f as f32 + 1. + tuple.0 as f32;",
        "let x: [f32; 4] = [0.0; 4]; let mut y: Option<u32> = None; let z: (u32, f32); let _ = 3;",
        "let (a, mut b) = (1, 2,); let Pair { x, .. } = pair; let [p, q @ ..] = list; let ((), t) = ((), (1,));",
        "let Some(x) = value else { return; }; let (1..=3 | 7) = x else { return };",
        "if a { b } else if c { d } else { e }",
        "if let Some(x) = y { z } else if a { b } else { c }; let q = if a { 1 } else { 2 } + 3;",
        "while let Some(x) = next() && x > 3 { } 'outer: while a < b { continue 'outer; break; }",
        "'a: loop { break 'a; } let v = loop { break 3 + 4; }; let w = 'b: { break 'b 1; };",
        "for i in 0..n { x[i] = i; } for (i, v) in values.iter().copied().enumerate() { } for _ in (0..n).rev() { }",
        "let s = (0..=n).rev().map(|i| i * 2).sum::<u32>(); for i in 0.. { } f(a.., b);",
        "for i in a.b..=c(d)[0] { } for i in 0..n.min(3) { if i == 2 { continue } }",
        "match x { 0 => 1, n if n > 3 => { 2 } _ => 3 }",
        "let s = Struct { a: 1, b, ..base }; let t = path::Struct::<f32> { x: 0.0 };",
        "if x == y { } while a.b { } match s { S { a } => {} }",
        "let f = |a: f32, b| a + b; let g = move || 3; let h = x.map(|v| v + 1, 2); let k = x.map(f32::sqrt);",
        "let tile = Shared::<[f32; 4]>::new(); let p = Pair::<f32>::new(1.0).x; let q = iter.sum::<f32>();",
        "let a = f(1, g(2,), (), (3)); let b = m::f::<4>(1)[2].x.0; let c = ::core::f32::consts::PI;",
        "assert!(a < b, \"{a}\"); debug_assert_eq!(a, b); println!(\"{}\", x); let d = dbg!(x) + 1; panic!()",
        "let x = y?.z?; return; let a = b.unwrap().c.expect(\"d\"); return x + 1;",
        "a[i][j].x = b[(i + 1) * 2]; { let inner = 1; } (a) = 3; r#type = 1;",
        "if a { 1 } else { 2 }; { 3 } -1",
        "if a {} (b); loop { } [0][0]",
        "let a: &mut f32 = &mut x[0]; *a = -*b * &&c.d; f(&x, &mut *y); let q = x & &y && &z == w;",
    ] {
        let item = syn::parse_str(&format!("fn f(r: f32, mut s: u32) {{ {body} }}")).expect(body);
        assert!(agrees(&item, Role::Device), "not read directly: {body}");
    }
}

#[test]
fn what_it_does_not_know_is_left_to_syn() {
    for body in
        ["let x = &raw const y;", "(a, b) = c;", "a < b;;", "#[allow(x)] let y = 1;", "const N: u32 = 3;", "m! { } x"]
    {
        let item: syn::ItemFn = syn::parse_str(&format!("fn f() {{ {body} }}")).expect(body);
        assert!(!agrees(&item, Role::Device), "read directly: {body}");
    }
    // Not even Rust.
    for item in
        ["fn f() { a < b < c }", "fn f() { x = }", "fn f() { if a }", "fn f() { a as u32 < b }", "fn f() { x. }"]
    {
        let tokens = item.parse().expect("tokens");
        assert!(read_directly(&tokens, Role::Device).is_none(), "{item}");
    }
}
