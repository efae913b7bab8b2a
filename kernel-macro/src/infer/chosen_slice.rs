//! Variables whose slice is one of several parts of a buffer or array: `let part = if c { &x[1..] } else { x };`. As of functions that
//! give slices, the value is a start and a length.

use proc_macro2::Ident;

use crate::ast::walk::{Node, walk};
use crate::ast::{Block, Expr, ExprId, ExprKind, Pattern, Statement};
use crate::diag::code;

use super::block::strip;
use super::finish::Deferred;
use super::index_impl::end_of;
use super::unify::Term;
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    /// Notes the slices with which the value of a `let` ends: the value itself, or members of a tuple.
    pub(super) fn note_chosen_slices(&mut self, value: &'a Expr) {
        if !matches!(
            strip(value).kind,
            ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Block { label: None, .. }
        ) {
            return;
        }
        let mut ends = Vec::new();
        end_of(value, &mut ends);
        let hidden = hidden_ends(value);
        self.note_chosen(&ends, &hidden);
        let tuples: Vec<&[Expr]> = ends
            .iter()
            .filter_map(|end| match &end.kind {
                ExprKind::Tuple(members) => Some(&members[..]),
                _ => None,
            })
            .collect();
        for position in 0..tuples.first().map_or(0, |members| members.len()) {
            let members: Vec<_> = tuples.iter().filter_map(|members| members.get(position)).map(strip).collect();
            self.note_chosen(&members, &hidden);
        }
    }

    /// Notes ends of which one is known to be a slice, before any is inferred. By its number the variable knows its slice. Those that calls or
    /// patterns make have a number already, which they keep if it is the same for all.
    fn note_chosen(&mut self, ends: &[&Expr], hidden: &[ExprId]) {
        let gives = |end: &&&Expr| {
            matches!(
                end.kind,
                ExprKind::Borrow { .. } | ExprKind::Path(_) | ExprKind::Call { .. } | ExprKind::Method { .. }
            )
        };
        let ends: Vec<_> = ends.iter().filter(gives).map(|end| (end.id, self.origin_of(end, hidden))).collect();
        let Some(origin) = ends.iter().find_map(|(id, slice)| slice.map(|_| *id)) else { return };
        if ends.iter().all(|(_, slice)| matches!(slice, Some(Some(_))) && *slice == ends[0].1) {
            return;
        }
        self.tables.given_slices.extend(ends.into_iter().map(|(end, _)| (end, Some(origin))));
        self.has_references = true;
    }

    /// The origin of an end that is known to be a slice: none of one that no call and no pattern made.
    fn origin_of(&self, end: &Expr, hidden: &[ExprId]) -> Option<Option<ExprId>> {
        match &end.kind {
            _ if hidden.contains(&end.id) => None,
            ExprKind::Borrow { mutable: false, operand } => {
                (self.is_part(strip(operand)) || end.empty_slice().is_some()).then_some(None)
            }
            ExprKind::Path(path) => {
                let (_, local) = path.as_name().and_then(|name| self.variable(name))?;
                match self.table.shallow(&local.term) {
                    Term::Buffer { mutable: false, origin, .. } => Some(origin),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Notes the slices that stand for an `Option` of one, `x.get(a..b).unwrap_or(x)`: they are known by the same number.
    pub(super) fn note_other_slices(&mut self, slice: &Term, other: &'a Expr) {
        let Term::Buffer { mutable: false, origin: Some(origin), .. } = self.table.shallow(slice) else { return };
        if !self.origin_roots.contains_key(&origin) {
            return;
        }
        let mut ends = Vec::new();
        end_of(other, &mut ends);
        let hidden = hidden_ends(other);
        let is_other = |end: &&Expr| self.origin_of(end, &hidden).is_some_and(|other| other != Some(origin));
        let others = ends.into_iter().filter(is_other);
        let others: Vec<_> = others.map(|end| (end.id, Some(origin))).collect();
        self.tables.given_slices.extend(others);
    }

    /// The elements' type of `&[]`, which is a part of whatever the others are.
    pub(super) fn infer_empty_slice(&mut self, end: &'a Expr) -> Option<Term> {
        let ExprKind::Borrow { operand, .. } = &end.kind else { return None };
        let array = self.infer(end.empty_slice()?, &Expect::Nothing);
        [end.id, operand.id].into_iter().for_each(|id| self.record(id, array.clone()));
        match self.table.shallow(&array) {
            Term::Array(element, _) | Term::ArrayOf(element, _) => Some((*element).clone()),
            _ => Some(Term::Error),
        }
    }

    /// A slice that a variable may get. All have one root.
    pub(super) fn infer_chosen_slice(&mut self, end: &'a Expr, origin: ExprId) -> Term {
        let before = self.diags.len();
        if let Some(element) = self.infer_empty_slice(end) {
            return Term::Buffer { element: element.into(), mutable: false, origin: Some(origin) };
        }
        let Some((element, _)) = self.infer_slice(end, false).filter(|_| self.diags.len() == before) else {
            return Term::Error;
        };
        let Some(root) = self.slice_root(end) else {
            self
                .error(code::REFERENCE_USE, end.span, "this slice cannot be one of several")
                .note("a slice that is chosen is a part of a parameter or of a variable, not of a field, of an element or of a list")
                .help("choose where it begins and ends, and write `&x[from..to]` where it is used");
            return Term::Error;
        };
        if self.origin_roots.get(&origin).is_some_and(|known| *known != root) {
            self.error(code::REFERENCE_USE, end.span, "this value may be a part of several slices")
                .note(
                    "kernels have no pointers: a slice in a variable keeps to the buffer or array that it was made of",
                )
                .help("move the code that uses it into a function of a slice, and call that with the one or the other");
            return Term::Error;
        }
        self.note_origin(origin, end);
        self.deferred.push(Deferred::Divided { receiver: end, term: element.clone(), owned: false });
        Term::Buffer { element: element.into(), mutable: false, origin: Some(origin) }
    }
}

/// The ends of an expression that are names of variables declared inside of it, which hide others of these names.
fn hidden_ends(expr: &Expr) -> Vec<ExprId> {
    let mut hidden = Vec::new();
    find_hidden(expr, &mut Vec::new(), &mut hidden);
    hidden
}

fn find_hidden<'a>(expr: &'a Expr, names: &mut Vec<&'a Ident>, hidden: &mut Vec<ExprId>) {
    let outside = names.len();
    match &expr.kind {
        ExprKind::Paren(inner, ..) => find_hidden(inner, names, hidden),
        ExprKind::Block { label: None, block } => find_hidden_in(block, names, hidden),
        ExprKind::If { condition, then_block, else_expr } => {
            walk(condition, &mut |node| match node {
                Node::Pattern(pattern) => {
                    add_names(pattern, names);
                    true
                }
                Node::Expr(inner) => !matches!(inner.kind, ExprKind::Closure(_) | ExprKind::Block { .. }),
            });
            find_hidden_in(then_block, names, hidden);
            names.truncate(outside);
            else_expr.iter().for_each(|other| find_hidden(other, names, hidden));
        }
        ExprKind::Match { arms, .. } => {
            for arm in arms {
                add_names(&arm.pattern, names);
                find_hidden(&arm.body, names, hidden);
                names.truncate(outside);
            }
        }
        ExprKind::Tuple(members) => members.iter().for_each(|member| find_hidden(member, names, hidden)),
        ExprKind::Path(path) if path.as_name().is_some_and(|name| names.contains(&name)) => hidden.push(expr.id),
        _ => {}
    }
    names.truncate(outside);
}

fn find_hidden_in<'a>(block: &'a Block, names: &mut Vec<&'a Ident>, hidden: &mut Vec<ExprId>) {
    let outside = names.len();
    for statement in &block.statements {
        if let Statement::Let { pattern, .. } = statement {
            add_names(pattern, names);
        }
    }
    block.tail.iter().for_each(|tail| find_hidden(tail, names, hidden));
    names.truncate(outside);
}

fn add_names<'a>(pattern: &'a Pattern, names: &mut Vec<&'a Ident>) {
    pattern.for_each_binding(&mut |name, _| names.push(name));
}
