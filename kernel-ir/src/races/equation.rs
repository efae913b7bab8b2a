//! Equations as digits: the coefficient of each variable that differs between two invocations, with what its difference is below.

use super::access::Fact;
use super::atoms::{Atom, Limit};
use super::digits::Digit;
use super::form::{AtomId, Form, Product};
use super::index::WORD;
use super::mutants::{Mutant, shift};
use super::rules::{Goal, Pair};

impl Pair<'_, '_> {
    /// The coefficient of each variable that differs between invocations, and the rest.
    pub(super) fn parts(&self, form: &Form) -> (Vec<(AtomId, Form)>, Form) {
        let mut factors: Vec<(AtomId, Form)> = Vec::new();
        let mut rest = Vec::new();
        for (product, factor) in form.terms() {
            match product.iter().position(|atom| !self.index.atoms.is_uniform(*atom)) {
                Some(at) => {
                    let atom = product[at];
                    let mut others = Product::new();
                    product[..at].iter().chain(&product[at + 1..]).for_each(|atom| others.push(*atom));
                    let factor = Form::of(vec![(others, *factor)]);
                    match factors.iter_mut().find(|(known, _)| *known == atom) {
                        Some((_, sum)) => *sum = sum.add(&factor),
                        None => factors.push((atom, factor)),
                    }
                }
                None => rest.push((product.clone(), *factor)),
            }
        }
        (factors, Form::of(rest))
    }

    /// Limits of a variable where an access stands.
    pub(super) fn limits(&self, atom: AtomId, side: usize) -> Vec<Limit> {
        let facts = self.sides[side].facts.iter().filter_map(|fact| match fact {
            Fact::Below(of, limit) if *of == atom => Some(limit.clone()),
            _ => None,
        });
        let mut limits: Vec<Limit> = facts.chain(self.index.atoms.limits(atom).iter().cloned()).collect();
        limits.extend(self.limits_of_quotient(atom, side));
        if !matches!(self.index.atoms.get(atom), Atom::Round(_)) {
            limits.push(Limit::always(Form::constant(WORD)));
        }
        limits.dedup();
        match shift(Mutant::Limit, 0) {
            0 => {}
            by => limits.iter_mut().for_each(|limit| limit.below = limit.below.add(&Form::constant(by))),
        }
        limits
    }

    /// The digits of an equation; `None` where a coefficient has no sign.
    pub(super) fn digits(&mut self, left: &Form, right: &Form) -> Option<Vec<Digit>> {
        let (left, first) = self.parts(left);
        let (mut right, second) = self.parts(right);
        let mut digits = Vec::new();
        for (atom, factor) in left {
            // The same variable, or one that is as free, with the same coefficient.
            let same = right.iter().position(|(other, by)| *other == atom && *by == factor).or_else(|| {
                let is_free = |atom: AtomId| !self.is_of_both(atom);
                right.iter().position(|(other, by)| {
                    is_free(*other)
                        && is_free(atom)
                        && *by == factor
                        // Where they have no limit in common, each is a digit of its own.
                        && !self.common_limits(atom, *other).is_empty()
                })
            });
            match same {
                Some(at) => {
                    let (other, _) = right.remove(at);
                    // Of rounds, too, those of the two accesses may be known to be the same one.
                    let is_shared = other == atom;
                    if is_shared && self.is_equal(atom) {
                        continue;
                    }
                    let mut most = self.common_limits(atom, other);
                    if let (Goal::Member, Atom::Global(axis), true) = (self.goal, self.index.atoms.get(atom), is_shared)
                    {
                        // No more than a workgroup apart.
                        let axis = *axis;
                        most.push(Limit::always(self.index.width(axis)));
                    }
                    let atom_of_both = is_shared.then_some(atom);
                    digits.push(Digit {
                        factor,
                        most,
                        atom: atom_of_both,
                        is_offset: false,
                        adds: None,
                        of: [Some(atom), Some(other)],
                        form: None,
                    });
                }
                None => digits.push(self.lone(atom, factor, 0)),
            }
        }
        digits.extend(right.into_iter().map(|(atom, factor)| self.lone(atom, factor, 1)));
        let offset = first.sub(&second).reduced();
        for term in offset.terms() {
            let most = vec![Limit::always(Form::constant(2))];
            let factor = Form::of(vec![term.clone()]);
            let adds = Some(true);
            digits.push(Digit { factor, most, atom: None, is_offset: true, adds, of: [None; 2], form: None });
        }
        for digit in &mut digits {
            if !digit.factor.is_natural() {
                digit.factor = digit.factor.scale(-1);
                digit.adds = digit.adds.map(|adds| !adds);
            }
            if !digit.factor.is_natural() {
                return None;
            }
        }
        Some(digits)
    }

    /// A variable of one access.
    pub(super) fn lone(&self, atom: AtomId, factor: Form, side: usize) -> Digit {
        let mut of = [None; 2];
        of[side] = Some(atom);
        let most = self.limits(atom, side);
        Digit { factor, most, atom: None, is_offset: false, adds: Some(side == 0), of, form: None }
    }

    /// Limits of both of two variables.
    pub(super) fn common_limits(&self, a: AtomId, b: AtomId) -> Vec<Limit> {
        let (mine, others) = (self.limits(a, 0), self.limits(b, 1));
        let mut common: Vec<Limit> = Vec::new();
        for limit in &mine {
            for other in &others {
                let above = match (limit.below.as_constant(), other.below.as_constant()) {
                    (Some(x), Some(y)) => if x >= y { limit } else { other }.below.clone(),
                    _ if limit.below == other.below => limit.below.clone(),
                    _ => continue,
                };
                let requires = limit.requires.iter().chain(&other.requires).cloned().collect();
                common.push(Limit { below: above, requires });
            }
        }
        common
    }
}
