//! `Vec3::from_slice(x)` and its like of glam: the first elements of a slice, which panics where there are fewer. Knows no types: glam's
//! names are what they say, and rustc holds them against what they are.

use super::Parser;
use super::contains::hidden;
use super::span::path_range;
use crate::ast::{Block, ExprKind, Literal, Path, Pattern, ScalarName, Statement};

/// glam's types by their names, and how many elements they have.
const TYPES: [(&str, u128); 10] = [
    ("Vec2", 2),
    ("Vec3", 3),
    ("Vec4", 4),
    ("IVec2", 2),
    ("IVec3", 3),
    ("IVec4", 4),
    ("UVec2", 2),
    ("UVec3", 3),
    ("UVec4", 4),
    ("Quat", 4),
];

impl Parser<'_> {
    /// `{ let part = &slice[..3]; Vec3::from_array([part[0], part[1], part[2]]) }`; `None` for another call.
    pub(super) fn vector_of_slice(&mut self, call: &syn::ExprCall) -> Option<ExprKind> {
        let syn::Expr::Path(function) = &*call.func else { return None };
        let mut segments = function.path.segments.iter().rev();
        let (name, owner) = (segments.next()?, segments.next()?);
        if name.ident != "from_slice" || call.args.len() != 1 {
            return None;
        }
        let (_, count) = TYPES.iter().find(|(ty, _)| owner.ident == ty)?;
        let span = path_range(&function.path);
        let mut callee = self.value_path(&function.path)?;
        let base = self.boxed(call.args.first()?);
        let last = callee.segments.last_mut()?;
        *last = proc_macro2::Ident::new("from_array", last.span());
        let count_of = |cx: &mut Self, value: u128| {
            cx.node(ExprKind::Literal(Literal::Int { value, suffix: Some(ScalarName::Usize) }), span)
        };
        let end = count_of(self, *count);
        let slice = ExprKind::Slice { base, start: None, end: Some(Box::new(end)), inclusive: false };
        let slice = Box::new(self.node(slice, span));
        let part = hidden("__part", span.end);
        let pattern =
            Pattern::Binding { name: part.clone(), mutable: false, binding: self.next_binding(), inner: None };
        let value = Some(self.node(ExprKind::Borrow { mutable: false, operand: slice }, span));
        let named = Statement::Let { pattern, ty: None, value, otherwise: None, span };
        let mut elements = Vec::new();
        for position in 0..*count {
            let index = Box::new(count_of(self, position));
            let base = Box::new(self.node(ExprKind::Path(Path::plain(false, vec![part.clone()])), span));
            elements.push(self.node(ExprKind::Index { base, index }, span));
        }
        let array = self.node(ExprKind::Array(elements), span);
        let made = self.node(ExprKind::Call { callee, callee_span: span, args: vec![array] }, span);
        let block = Block { statements: vec![named], tail: Some(Box::new(made)), span, safety: None };
        Some(ExprKind::Block { label: None, block })
    }
}
