//! Sums in indices that conditions keep below a limit: each counts as one digit.

use super::access::Fact;
use super::atoms::Limit;
use super::digits::Digit;
use super::form::Form;
use super::rules::Pair;

/// Ways to take sums out of a form, at most.
const MOST_WAYS: u32 = 24;

impl Pair<'_, '_> {
    /// Takes sums out of both sides that are the same in both, and below a limit.
    pub(super) fn common_sums(&self, left: &Form, right: &Form) -> (Form, Form, Vec<Digit>) {
        let (mut left, mut right) = (left.clone(), right.clone());
        let mut sums = Vec::new();
        let common = self.sides[0].facts.iter().filter(|fact| self.sides[1].facts.contains(fact));
        let mut values: Vec<(&Form, &Limit)> = common
            .filter_map(|fact| match fact {
                Fact::Value(form, limit) => Some((form, limit)),
                _ => None,
            })
            .collect();
        // The largest first, of which a small one may be a part; last those of rows and columns.
        let degree = |form: &Form| form.terms().iter().map(|(product, _)| product.len()).max().unwrap_or(0);
        values.sort_by_key(|(form, _)| (degree(form), std::cmp::Reverse(self.varying(form))));
        for (form, limit) in values {
            let found = self.factors_of(form, &left).into_iter().find_map(|factor| {
                let whole = form.mul(&factor).reduced();
                let [less, other] = [&left, &right].map(|side| side.sub(&whole).reduced());
                // Another sum may have had a part of it.
                let terms = self.varying(&whole);
                let is_left = |side: &Form, without: &Form| self.varying(without) + terms == self.varying(side);
                (terms > 0 && is_left(&left, &less) && is_left(&right, &other)).then_some((factor, less, other))
            });
            let Some((factor, less, other)) = found else { continue };
            (left, right) = (less, other);
            sums.push(Digit {
                factor,
                most: vec![limit.clone()],
                atom: None,
                is_offset: false,
                adds: None,
                of: [None; 2],
                form: Some(form.clone()),
            });
        }
        (left, right, sums)
    }

    /// Takes sums out of one side that are below a limit there: those that leave the least.
    pub(super) fn sums_of(&self, form: &Form, side: usize) -> (Form, Vec<Digit>) {
        let facts = self.sides[side].facts.iter().filter_map(|fact| match fact {
            Fact::Value(sum, limit) => Some((sum, limit)),
            _ => None,
        });
        let (left, taken) = self.take(form.clone(), &facts.collect::<Vec<_>>(), &mut 0);
        let digit = |(factor, limit): (Form, &Limit)| Digit {
            factor,
            most: vec![limit.clone()],
            atom: None,
            is_offset: false,
            adds: Some(side == 0),
            of: [None; 2],
            form: None,
        };
        (left, taken.into_iter().map(digit).collect())
    }

    /// The rest of a form without sums that have limits, and how often each of these is taken; looks at few ways.
    fn take<'f>(&self, left: Form, sums: &[(&Form, &'f Limit)], tried: &mut u32) -> (Form, Vec<(Form, &'f Limit)>) {
        let varying = self.varying(&left);
        let mut candidates = Vec::new();
        for (sum, limit) in sums {
            for factor in self.factors_of(sum, &left) {
                let less = left.sub(&sum.mul(&factor)).reduced();
                let below = limit.below.as_constant().unwrap_or(i128::MAX);
                let key = (self.varying(&less), below, less.terms().len());
                if key.0 < varying {
                    candidates.push((key, less, factor, *limit));
                }
            }
        }
        candidates.sort_by_key(|(key, ..)| *key);
        let (mut best, mut fewest) = ((left, Vec::new()), varying);
        for (_, less, factor, limit) in candidates {
            if *tried == MOST_WAYS {
                break;
            }
            *tried += 1;
            let (rest, mut taken) = self.take(less, sums, tried);
            let count = self.varying(&rest);
            if count < fewest {
                taken.push((factor, limit));
                (best, fewest) = ((rest, taken), count);
            }
        }
        best
    }

    /// How many terms of a form differ between invocations.
    fn varying(&self, form: &Form) -> usize {
        form.terms()
            .iter()
            .filter(|(product, _)| product.iter().any(|atom| !self.index.atoms.is_uniform(*atom)))
            .count()
    }

    /// How often a form may be part of another one, by each variable that it has once.
    fn factors_of(&self, form: &Form, whole: &Form) -> Vec<Form> {
        let ((mine, _), (all, _)) = (self.parts(form), self.parts(whole));
        let mut factors: Vec<Form> = Vec::new();
        for (atom, _) in mine.iter().filter(|(_, factor)| factor.as_constant() == Some(1)) {
            let factor = all.iter().find(|(other, _)| other == atom).map(|(_, factor)| factor);
            factors.extend(factor.filter(|factor| factor.is_natural() && !factors.contains(factor)).cloned());
        }
        factors
    }
}
