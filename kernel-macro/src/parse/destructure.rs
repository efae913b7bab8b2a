//! `let Ray { from, to } = &mut rays[i];` and their like with tuples and tuple structs: a reference to the place, and one to each part
//! that the pattern names. Must not take patterns that may not match, nor those of arrays, of whose elements rustc lends one at a time.

use proc_macro2::{Ident, Span};

use super::Parser;
use crate::ast::{Expr, ExprKind, FieldPattern, Member, Path, Pattern, SpanRange, Statement};

/// The variable that holds the reference while its parts are named.
const PLACE: &str = "__place";

impl Parser<'_> {
    /// `let pattern = value;`: the statements that it is.
    pub(super) fn let_parts(&mut self, pattern: Pattern, value: Expr, span: SpanRange) -> Vec<Statement> {
        let mut leaves = Vec::new();
        if !self.is_written(&value) || !leaves_of(&pattern, &mut Vec::new(), &mut leaves) {
            return vec![Statement::Let { pattern, ty: None, value: Some(value), otherwise: None, span }];
        }
        let at = value.span;
        let named = match &value.kind {
            ExprKind::Path(path) => path.as_name().cloned(),
            _ => None,
        };
        let mut statements = Vec::with_capacity(leaves.len() + 1);
        if named.is_none() {
            let pattern = Pattern::Binding {
                name: place_name(at.start),
                mutable: false,
                binding: self.next_binding(),
                inner: None,
            };
            statements.push(Statement::Let { pattern, ty: None, value: Some(value), otherwise: None, span });
        }
        let name = named.unwrap_or_else(|| place_name(at.start));
        statements.extend(self.leaf_lets(&name, leaves, span));
        statements
    }

    /// `for Ray { from, to } in &mut rays`: a name for each element that is written, and references to the parts of it that the pattern names.
    pub(super) fn name_written(&mut self, pattern: &mut Pattern, iterated: &Expr, parts: &mut Vec<Statement>) {
        match &iterated.kind {
            ExprKind::Paren(inner, _) => self.name_written(pattern, inner, parts),
            // What an iterator gives is a value.
            ExprKind::Borrow { mutable: true, operand } if self.is_chain(operand) => {}
            ExprKind::Borrow { mutable: true, .. } => self.name_element(pattern, parts),
            ExprKind::Method { name, args, .. } if name == "iter_mut" && args.is_empty() => {
                self.name_element(pattern, parts);
            }
            ExprKind::Method { receiver, name, args, .. } => match (name.to_string().as_str(), pattern) {
                ("rev" | "skip" | "take" | "step_by", pattern) => self.name_written(pattern, receiver, parts),
                ("enumerate", Pattern::Tuple(members, _)) if members.len() == 2 => {
                    self.name_written(&mut members[1], receiver, parts);
                }
                ("zip", Pattern::Tuple(members, _)) if members.len() == 2 => {
                    self.name_written(&mut members[0], receiver, parts);
                    if let [other] = args.as_slice() {
                        self.name_written(&mut members[1], other, parts);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Whether an expression is the name of an iterator, as far as the form of its declaration tells.
    fn is_chain(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Path(path) if path.as_name().is_some_and(|name| self.chains.contains(name)))
    }

    fn name_element(&mut self, pattern: &mut Pattern, parts: &mut Vec<Statement>) {
        let mut leaves = Vec::new();
        if !matches!(pattern, Pattern::Tuple(..) | Pattern::TupleStruct { .. } | Pattern::Struct { .. })
            || !leaves_of(pattern, &mut Vec::new(), &mut leaves)
        {
            return;
        }
        let at = pattern.span();
        let binding = self.next_binding();
        // Of a `zip`, both sides may be taken apart.
        let name = Ident::new(&format!("__element{}", parts.len()), at.start.resolved_at(Span::mixed_site()));
        *pattern = Pattern::Binding { name: name.clone(), mutable: false, binding, inner: None };
        parts.extend(self.leaf_lets(&name, leaves, at));
    }

    /// `let leaf = &mut place.member;` for each leaf.
    fn leaf_lets(&mut self, place: &Ident, leaves: Vec<(Pattern, Vec<Member>)>, span: SpanRange) -> Vec<Statement> {
        let mut statements = Vec::with_capacity(leaves.len());
        for (leaf, members) in leaves {
            let leaf_span = leaf.span();
            let mut part = self.node(ExprKind::Path(Path::plain(false, vec![place.clone()])), leaf_span);
            for member in members {
                part = self.node(ExprKind::Field { base: Box::new(part), member }, leaf_span);
            }
            let value = self.node(ExprKind::Borrow { mutable: true, operand: Box::new(part) }, leaf_span);
            statements.push(Statement::Let { pattern: leaf, ty: None, value: Some(value), otherwise: None, span });
        }
        statements
    }

    /// Whether a value is a reference to write through, as far as it can be seen: `&mut place`, or `self` of a method that says so.
    fn is_written(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Borrow { mutable, .. } => *mutable,
            ExprKind::Path(path) => path.as_name().is_some_and(|name| match name == "self" {
                true => self.writes_self,
                false => self.is_writer(name),
            }),
            _ => false,
        }
    }
}

fn place_name(at: Span) -> Ident {
    Ident::new(PLACE, at.resolved_at(Span::mixed_site()))
}

/// The names of a pattern with where the parts lie that they stand for; whether it has nothing but such names.
fn leaves_of(pattern: &Pattern, members: &mut Vec<Member>, leaves: &mut Vec<(Pattern, Vec<Member>)>) -> bool {
    match pattern {
        Pattern::Binding { mutable: false, inner: None, .. } if !members.is_empty() => {
            leaves.push((pattern.clone(), members.clone()));
            true
        }
        Pattern::Wild(_) => !members.is_empty(),
        Pattern::Struct { fields, .. } => fields.iter().all(|FieldPattern { member, pattern, .. }| {
            members.push(member.clone());
            let known = leaves_of(pattern, members, leaves);
            members.pop();
            known
        }),
        Pattern::Tuple(patterns, _) | Pattern::TupleStruct { members: patterns, .. } => {
            let last = patterns.len().saturating_sub(1);
            patterns.iter().enumerate().all(|(position, pattern)| {
                if let Pattern::Rest(_) = pattern {
                    return position == last;
                }
                members.push(Member::Index(position as u32, pattern.span().start));
                let known = leaves_of(pattern, members, leaves);
                members.pop();
                known
            })
        }
        _ => false,
    }
}
