//! Accesses of one base: an object is often accessed in many places, each within so many elements from where the invocation's own
//! part begins. One proof that the parts of invocations are apart is one for all pairs of these accesses.

use std::rc::Rc;

use super::access::{Access, Fact, Object};
use super::atoms::{Atom, Limit};
use super::form::{AtomId, Form};
use super::index::Index;
use crate::ir::Obligation;

/// Accesses of an object with one base.
#[derive(Debug)]
pub(super) struct Group {
    object: Object,
    bases: Vec<Form>,
    /// By part of the path: the least and the greatest that are added to the base.
    spans: Vec<[i128; 2]>,
    members: Vec<usize>,
    /// Whether they are proven.
    pub(super) is_proven: Option<bool>,
    /// Conditions of a launch for it.
    pub(super) conditions: Vec<Obligation>,
}

/// The groups of a kernel's accesses, and by access its group.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    of: Vec<Option<usize>>,
}

/// Nothing larger is a distance within a part.
const MOST: i128 = 1 << 30;

impl Groups {
    pub(super) fn new(index: &Index<'_>, accesses: &[Access]) -> Self {
        let mut all = Self::default();
        for (at, access) in accesses.iter().enumerate() {
            let own = part(index, access).filter(|_| !access.is_of_subgroup);
            // A part that is wider than the step from one to the next would spoil the others.
            let group = own.filter(|(bases, spans)| fits(bases, spans)).map(|(bases, spans)| {
                let is_same = |group: &Group| {
                    group.object == access.object && group.bases == bases && fits(&bases, &united(&group.spans, &spans))
                };
                let known = all.groups.iter().position(is_same);
                let found = known.unwrap_or_else(|| {
                    let (members, spans) = (Vec::new(), spans.clone());
                    all.groups.push(Group {
                        object: access.object,
                        bases,
                        spans,
                        members,
                        is_proven: None,
                        conditions: Vec::new(),
                    });
                    all.groups.len() - 1
                });
                let group = &mut all.groups[found];
                group.members.push(at);
                group.spans = united(&group.spans, &spans);
                found
            });
            all.of.push(group);
        }
        all
    }

    /// The group of two accesses, if it is one.
    pub(super) fn common(&self, a: usize, b: usize) -> Option<usize> {
        self.of[a].filter(|group| self.of[b] == Some(*group) && self.groups[*group].members.len() > 1)
    }

    /// An access of any element of an invocation's part.
    pub(super) fn of_all(&self, group: usize, index: &mut Index<'_>, accesses: &[Access]) -> Access {
        let Group { bases, spans, members, .. } = &self.groups[group];
        let mut any = accesses[members[0]].clone();
        let part = bases.iter().zip(spans).map(|(base, [least, most])| {
            let within = match most - least {
                0 => Form::default(),
                width => index.atoms.free(vec![Limit::always(Form::constant(width + 1))]),
            };
            base.add(&Form::constant(*least)).add(&within).reduced()
        });
        any.path = part.collect();
        if !members.iter().all(|member| Rc::ptr_eq(&accesses[*member].facts, &any.facts)) {
            let is_common = |fact: &&Fact| members.iter().all(|member| accesses[*member].facts.contains(fact));
            any.facts = any.facts.iter().filter(is_common).cloned().collect();
        }
        any
    }
}

fn united(a: &[[i128; 2]], b: &[[i128; 2]]) -> Vec<[i128; 2]> {
    a.iter().zip(b).map(|(a, b)| [a[0].min(b[0]), a[1].max(b[1])]).collect()
}

/// Whether parts may be apart: each is narrower than the least step of its base.
fn fits(bases: &[Form], spans: &[[i128; 2]]) -> bool {
    bases.iter().zip(spans).all(|(base, [least, most])| {
        let step = base.terms().iter().map(|(_, factor)| factor.abs()).min();
        let is_known = base.terms().iter().all(|(product, _)| product.len() == 1);
        step.is_none_or(|step| !is_known || most - least < step)
    })
}

/// The place where the part of an access begins, and the least and greatest distance from there.
fn part(index: &Index<'_>, access: &Access) -> Option<(Vec<Form>, Vec<[i128; 2]>)> {
    let mut parts: Vec<(Form, [i128; 2])> = Vec::new();
    for form in &access.path {
        parts.push(part_of(index, access, form)?);
    }
    // Members of an element are its own where the element is.
    while parts.pop_if(|(base, _)| base.is_zero()).is_some() {}
    (!parts.is_empty()).then(|| parts.into_iter().unzip())
}

fn part_of(index: &Index<'_>, access: &Access, form: &Form) -> Option<(Form, [i128; 2])> {
    let is_loose = |atom: AtomId| matches!(index.atoms.get(atom), Atom::Free(_) | Atom::Round(_));
    let mut base = form.clone();
    let (mut least, mut most) = (0i128, 0i128);
    // Sums that are below a number, of variables that say nothing about the invocation.
    for fact in access.facts.iter() {
        let Fact::Value(sum, limit) = fact else { continue };
        let (Some(below), true) = (limit.below.as_constant(), limit.requires.is_empty()) else { continue };
        if sum.terms().len() < 2 || !sum.terms().iter().all(|(product, _)| product.iter().all(|atom| is_loose(*atom))) {
            continue;
        }
        let less = base.sub(sum);
        if less.terms().len() + sum.terms().len() == base.terms().len() {
            base = less;
            most += below - 1;
        }
    }
    let mut rest = base.clone();
    for (product, factor) in base.terms() {
        let term = || Form::of(vec![(product.clone(), *factor)]);
        match product[..] {
            [] => {
                (least, most) = (least + factor, most + factor);
                rest = rest.sub(&term());
            }
            [atom] if is_loose(atom) => {
                let below = below(index, access, atom)?;
                let reach = factor * (below - 1);
                (least, most) = (least + reach.min(0), most + reach.max(0));
                rest = rest.sub(&term());
            }
            _ if product.iter().any(|atom| is_loose(*atom)) => return None,
            _ => {}
        }
    }
    (least > -MOST && most < MOST).then_some((rest, [least, most]))
}

/// The number that a variable is below, whatever the launch.
fn below(index: &Index<'_>, access: &Access, atom: AtomId) -> Option<i128> {
    let facts = access.facts.iter().filter_map(|fact| match fact {
        Fact::Below(of, limit) if *of == atom => Some(limit),
        _ => None,
    });
    let limits = facts.chain(index.atoms.limits(atom)).filter(|limit| limit.requires.is_empty());
    limits.filter_map(|limit| limit.below.as_constant()).min().filter(|below| (1..MOST).contains(below))
}
