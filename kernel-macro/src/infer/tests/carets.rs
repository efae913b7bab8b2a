//! `//^ i32` below an expression or variable states its type; this file finds what the carets point at.

use crate::ast::walk::{Node, walk_block};
use crate::ast::{Item, SpanRange};
use crate::infer::type_name;
use crate::program::{Program, TypedItem};
use crate::typed::Ty;

use super::harness::accepted;

/// A place of the source with its type: line, first column, column after the last.
type Typed = (usize, usize, usize, Ty);

/// Checks all caret comments of a source text without errors.
pub(super) fn check_types(source: &str) {
    let program = accepted(source);
    let mut found: Vec<Typed> = Vec::new();
    for (_, item) in program.items.iter() {
        if let (Item::Fn(function), TypedItem::Fn(typed)) = (&item.item, &item.typed) {
            let mut find = |span: SpanRange, ty: &Ty| {
                let (start, end) = (span.start.start(), span.end.end());
                assert_ne!(*ty, Ty::Error, "an expression without a type at {start:?}");
                found.push((start.line, start.column, end.column, ty.clone()));
            };
            walk_block(&function.body, &mut |node| {
                match node {
                    Node::Expr(expr) => find(expr.span, typed.ty(expr.id)),
                    Node::Pattern(pattern) => pattern.for_each_binding(&mut |name, binding| {
                        find(SpanRange::token(name.span()), typed.binding(binding));
                    }),
                }
                true
            });
        }
    }
    let mut carets = 0;
    let mut line = 0;
    for (number, text) in (1..).zip(source.lines()) {
        let Some(comment) = text.trim_start().strip_prefix("//").filter(|comment| comment.contains('^')) else {
            line = number;
            continue;
        };
        carets += 1;
        let start = text.find('^').expect("a caret");
        let end = text.rfind('^').expect("a caret") + 1;
        let expected = comment.trim_start().trim_start_matches('^').trim();
        let names: Vec<String> = found
            .iter()
            .filter(|(at, first, last, _)| (*at, *first, *last) == (line, start, end))
            .map(|(_, _, _, ty)| name(&program, ty))
            .collect();
        assert!(
            names.iter().any(|name| name == expected),
            "line {number}: expected {expected}, found {names:?}\n{source}"
        );
    }
    assert!(carets > 0, "no carets in the test");
}

fn name(program: &Program, ty: &Ty) -> String {
    type_name(program, ty)
}
