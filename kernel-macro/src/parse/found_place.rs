//! `x.iter_mut().find(|v| …)` and its like, whose option is taken apart at once: the position that the same search of `x.iter().enumerate()`
//! gives. Must not accept a closure with an effect behind an index, which is evaluated again where the element is named.

use std::rc::Rc;

use proc_macro2::{Ident, Span};

use super::Parser;
use crate::ast::{Closure, Expr, ExprKind, Literal, Path, Pattern, ScalarName, SpanRange};

/// The methods that give one of the elements, and how many parameters their closures have.
pub(super) const SEARCHES: [(&str, usize); 6] =
    [("find", 1), ("rfind", 1), ("min_by_key", 1), ("max_by_key", 1), ("min_by", 2), ("max_by", 2)];

/// Behind the last position of every array.
const NOWHERE: u128 = u32::MAX as u128;

/// A search among mutable elements.
pub(super) struct Search<'e> {
    /// The array or slice that is searched.
    pub(super) place: &'e Expr,
    /// The method and its closure.
    name: &'e Ident,
    closure: &'e Rc<Closure>,
    arg: &'e Expr,
    /// `rev` before it.
    reversed: Option<&'e Ident>,
}

impl<'e> Search<'e> {
    /// The search that an expression is, if it is one.
    pub(super) fn of(value: &'e Expr) -> Option<Self> {
        let ExprKind::Method { receiver, name, turbofish: None, args, .. } = &value.kind else { return None };
        let (_, count) = SEARCHES.iter().find(|(search, _)| name == search)?;
        let [arg @ Expr { kind: ExprKind::Closure(closure), .. }] = args.as_slice() else { return None };
        let is_plain = |(pattern, ty): &(Pattern, _)| {
            matches!(pattern, Pattern::Binding { mutable: false, inner: None, .. } | Pattern::Wild(_)) && is_none(ty)
        };
        if closure.params.len() != *count || closure.jumps || !closure.params.iter().all(is_plain) {
            return None;
        }
        let ExprKind::Method { receiver: inner, name: before, args, .. } = &receiver.kind else { return None };
        let (elements, reversed) = match before == "rev" && args.is_empty() {
            true => (inner, Some(before)),
            false => (receiver, None),
        };
        match &elements.kind {
            ExprKind::Method { receiver: place, name: source, args, .. } if source == "iter_mut" && args.is_empty() => {
                Some(Self { place, name, closure, arg, reversed })
            }
            _ => None,
        }
    }

    /// Whether the closure evidently has no effect.
    pub(super) fn is_pure(&self, is_pure: impl FnOnce(&Expr) -> bool) -> bool {
        is_pure(&self.closure.body)
    }
}

fn is_none<T>(value: &Option<T>) -> bool {
    value.is_none()
}

impl Parser<'_> {
    /// `x.iter().enumerate().find(|(_, v)| …).map_or(NOWHERE, |(position, _)| position)`
    pub(super) fn found_position(&mut self, search: &Search<'_>, place: Expr) -> Expr {
        let span = search.arg.span;
        let at = search.name.span();
        let mut chain = place;
        for name in ["iter", "enumerate"] {
            chain = self.call_at(chain, Ident::new(name, at), Vec::new(), span);
        }
        if let Some(rev) = search.reversed {
            chain = self.call_at(chain, rev.clone(), Vec::new(), span);
        }
        let params =
            search.closure.params.iter().map(|(pattern, _)| {
                (Pattern::Tuple(vec![Pattern::Wild(at), pattern.clone()], SpanRange::token(at)), None)
            });
        let closure = Closure {
            moves: search.closure.moves,
            params: params.collect(),
            result: search.closure.result.clone(),
            body: search.closure.body.clone(),
            jumps: false,
        };
        let closure = self.node(ExprKind::Closure(Rc::new(closure)), span);
        let found = self.call_at(chain, search.name.clone(), vec![closure], span);
        let nowhere = Literal::Int { value: NOWHERE, suffix: Some(ScalarName::Usize) };
        let nowhere = self.node(ExprKind::Literal(nowhere), span);
        let name = Ident::new("__found", at.resolved_at(Span::mixed_site()));
        let position =
            Pattern::Binding { name: name.clone(), mutable: false, binding: self.next_binding(), inner: None };
        let body = self.node(ExprKind::Path(Path::plain(false, vec![name])), span);
        let pattern = Pattern::Tuple(vec![position, Pattern::Wild(at)], SpanRange::token(at));
        let params = vec![(pattern, None)];
        let first = Closure { moves: None, params, result: None, body, jumps: false };
        let first = self.node(ExprKind::Closure(Rc::new(first)), span);
        self.call_at(found, Ident::new("map_or", at), vec![nowhere, first], span)
    }

    fn call_at(&mut self, receiver: Expr, name: Ident, args: Vec<Expr>, span: SpanRange) -> Expr {
        let kind = self.method_of(Box::new(receiver), name, None, args);
        self.node(kind, span)
    }
}
