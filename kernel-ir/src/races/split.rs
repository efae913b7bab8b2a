//! Equations taken apart: into the multiples of a number of the launch and a rest that is smaller than it, and modulo a power of two.

use super::access::Fact;
use super::atoms::{Atom, Less, Limit};
use super::demand::Demand;
use super::digits::{MOST_SUMS, totals};
use super::form::{AtomId, Form, Product};
use super::index::WORD;
use super::mutants::{Mutant, shift};
use super::rules::Pair;

/// Numbers of the launch by which an equation is divided, at most.
const MOST_DIVISORS: usize = 4;

impl Pair<'_, '_> {
    /// Two equations in place of one: `n * a + b = n * c + d` is `a = c` and `b = d` where `b` and `d` differ by less than `n`.
    pub(super) fn split(&mut self, left: &Form, right: &Form) -> Option<[(Form, Form); 2]> {
        let mut divisors: Vec<AtomId> = Vec::new();
        for atom in left.atoms().chain(right.atoms()) {
            if self.index.atoms.is_uniform(atom) && !divisors.contains(&atom) && divisors.len() < MOST_DIVISORS {
                divisors.push(atom);
            }
        }
        divisors.into_iter().find_map(|divisor| self.split_by(divisor, left, right))
    }

    fn split_by(&mut self, divisor: AtomId, left: &Form, right: &Form) -> Option<[(Form, Form); 2]> {
        let ([first, rest], [second, other]) = (divided(left, divisor), divided(right, divisor));
        let varies = |form: &Form| form.atoms().any(|atom| !self.index.atoms.is_uniform(atom));
        // Numbers of the launch alone say nothing of invocations.
        if !varies(&first) && !varies(&second) {
            return None;
        }
        let (multiples, rests) = (self.digits(&first, &second)?, self.digits(&rest, &other)?);
        let by = Form::atom(divisor);
        // By zero anything could be multiplied.
        let mut conditions = self.is_positive(&by).unwrap_or_else(|| vec![Less(Form::default(), by.clone())]);
        for adds in [true, false] {
            // By facts alone: which number of the launch is the length of a row, is a guess.
            let mut small = totals(&rests, adds);
            let is_small = |sum: &Form| self.is_less(sum, &by) || sum.is_zero();
            small.retain(|sum| is_small(&sum.below) && self.expressible(&sum.requires));
            let mut all: Vec<Limit> = Vec::new();
            for multiple in totals(&multiples, adds) {
                for rest in &small {
                    let below = multiple.below.mul(&by).add(&rest.below);
                    let requires = multiple.requires.iter().chain(&rest.requires).cloned().collect();
                    all.push(Limit { below, requires });
                }
            }
            all.retain(|sum| sum.below.is_exact());
            all.truncate(MOST_SUMS);
            self.below(all, &Form::constant(WORD), &mut conditions)?;
        }
        self.accept_up_to(Demand::NoWrap, conditions)?;
        Some([(first, second), (rest, other)])
    }

    /// Limits of a quotient, where the number that is divided is below a multiple of the divisor.
    pub(super) fn limits_of_quotient(&self, atom: AtomId, side: usize) -> Vec<Limit> {
        let Atom::Quotient(of, by) = self.index.atoms.get(atom) else { return Vec::new() };
        let facts = self.sides[side].facts.iter().filter_map(|fact| match fact {
            Fact::Below(below, limit) if of.as_atom() == Some(*below) => Some(limit),
            Fact::Value(form, limit) if form == of => Some(limit),
            _ => None,
        });
        let quotient = |limit: &Limit| {
            let below = match (limit.below.as_constant(), by.as_constant(), by.as_atom()) {
                (Some(below), Some(by), _) if by > 0 => Form::constant((below + by - 1) / by),
                (_, _, Some(by)) => {
                    let [quotient, rest] = divided(&limit.below, by);
                    rest.is_zero().then_some(quotient)?
                }
                _ => return None,
            };
            Some(Limit { below, requires: limit.requires.clone() })
        };
        facts.filter_map(quotient).collect()
    }

    /// Conditions under which a number of the launch is not zero: something is below it, or below less.
    fn is_positive(&self, number: &Form) -> Option<Vec<Less>> {
        let more = number.add(&Form::constant(1));
        self.sides.iter().flat_map(|side| side.facts.iter()).find_map(|fact| match fact {
            Fact::Below(_, limit) | Fact::Value(_, limit) => {
                (self.is_less(&limit.below, &more) && self.expressible(&limit.requires)).then(|| limit.requires.clone())
            }
            _ => None,
        })
    }

    /// Whether equations that are left never hold together, with each other or with remainders that are equal in both accesses.
    pub(super) fn contradict(&mut self, equations: &[(Form, Form)]) -> bool {
        let of_all = equations.iter().filter_map(|(left, right)| self.differences(left, right));
        let of_all: Vec<_> = of_all.filter(|(factors, _)| !factors.is_empty()).collect();
        let are_two = of_all.iter().enumerate().any(|(at, (factors, offset))| {
            of_all[..at].iter().any(|(others, other)| {
                [1, -1].into_iter().any(|sign| {
                    let is_same = |(atom, factor): &(AtomId, i128)| others.contains(&(*atom, sign * factor));
                    others.len() == factors.len() && factors.iter().all(is_same) && *other != sign * offset
                })
            })
        });
        are_two || self.is_circle(equations) || self.are_never_congruent(equations)
    }

    /// Whether equations exchange two numbers of which one is lower on both sides: `i` and `j` of one invocation are `j` and `i` of the
    /// other one, where `j < i`.
    fn is_circle(&self, equations: &[(Form, Form)]) -> bool {
        let holds = |left: &Form, right: &Form| equations.iter().any(|(a, b)| a == left && b == right);
        self.sides[0].facts.iter().any(|fact| {
            let Fact::Order(low, high) = fact else { return false };
            self.sides[1].facts.iter().any(|other| {
                let Fact::Order(least, most) = other else { return false };
                holds(high, least) && holds(low, most) && shift(Mutant::Circle, 0) == 0
                    || holds(high, most) && holds(low, least) && shift(Mutant::Circle, 0) != 0
            })
        })
    }

    fn are_never_congruent(&mut self, equations: &[(Form, Form)]) -> bool {
        let facts = [0, 1].map(|side: usize| self.sides[side].facts.clone());
        let known = facts[0].iter().filter_map(|fact| match fact {
            Fact::Equal(form, number) => {
                let is_same = |other: &Fact| matches!(other, Fact::Equal(f, n) if f == form && n == number);
                form.as_atom().filter(|_| facts[1].iter().any(is_same))
            }
            _ => None,
        });
        let remainders: Vec<AtomId> = known.chain(self.equal.iter().copied()).collect();
        remainders.into_iter().any(|atom| {
            let Atom::Remainder(of, by) = self.index.atoms.get(atom) else { return false };
            // Forms are equal modulo 2^32, and so modulo its divisors.
            let Some(by) = by.as_constant().filter(|by| (2..WORD).contains(by) && by.count_ones() == 1) else {
                return false;
            };
            let of = of.clone();
            let Some((of, _)) = self.differences(&of, &of) else { return false };
            equations.iter().any(|(left, right)| {
                let Some((all, offset)) = self.differences(left, right) else { return false };
                [1, -1].into_iter().any(|sign| {
                    let factor = |of: &[(AtomId, i128)], atom: AtomId| {
                        of.iter().find(|(other, _)| *other == atom).map_or(0, |(_, factor)| *factor)
                    };
                    let atoms = of.iter().chain(&all).map(|(atom, _)| *atom);
                    let agrees = |atom: AtomId| (factor(&of, atom) - sign * factor(&all, atom)) % by == 0;
                    offset % by != 0 && atoms.into_iter().all(agrees)
                })
            })
        })
    }

    /// The constant factor of each variable's difference in an equation, and the constant that is left.
    fn differences(&mut self, left: &Form, right: &Form) -> Option<(Vec<(AtomId, i128)>, i128)> {
        let mut factors = Vec::new();
        let mut offset = 0;
        for digit in self.digits(left, right)? {
            let factor = digit.factor.as_constant()?;
            match (digit.atom, digit.is_offset) {
                (Some(atom), false) => {
                    // Digits have lost their signs.
                    let sign = sign_of(left, atom)?;
                    factors.push((atom, factor * sign));
                }
                (None, true) => offset += if digit.adds == Some(true) { factor } else { -factor },
                _ => return None,
            }
        }
        Some((factors, offset))
    }

    /// Whether a form differs by less than `by` between the two accesses, so that it is equal in both where its remainder is.
    pub(super) fn differs_by_less(&mut self, of: &Form, by: &Form) -> bool {
        let Some(digits) = self.digits(of, of) else { return false };
        if digits.is_empty() {
            return false;
        }
        let mut conditions = Vec::new();
        for adds in [true, false] {
            let by = by.add(&Form::constant(shift(Mutant::Differs, 0)));
            if self.below(totals(&digits, adds), &by, &mut conditions).is_none() {
                return false;
            }
        }
        let is_power = by.as_constant().is_some_and(|by| by.count_ones() == 1);
        if !is_power {
            // The number must not wrap around: what is taken away is no more than numbers of the launch that are added.
            let (added, taken) = of.halves();
            let Some(most) = self.index.most(&added) else { return false };
            conditions.push(Less(most, Form::constant(WORD)));
            if !taken.is_zero() {
                let least = self.index.uniform_part(&added);
                let Some(taken) = self.index.most(&taken) else { return false };
                conditions.push(Less(taken, least.add(&Form::constant(1))));
            }
        }
        // Whether the proof needs it, is not known yet.
        self.accept_up_to(Demand::NoWrap, conditions).is_some()
    }
}

/// The sign of the one term that is a variable times a constant.
fn sign_of(form: &Form, atom: AtomId) -> Option<i128> {
    let mut terms = form.terms().iter().filter(|(product, _)| product[..] == [atom]);
    terms.next().map(|(_, factor)| factor.signum())
}

/// The multiples of a number in a form, divided by it, and the rest.
fn divided(form: &Form, by: AtomId) -> [Form; 2] {
    let (mut multiples, mut rest) = (Vec::new(), Vec::new());
    for (product, factor) in form.terms() {
        match product.iter().position(|atom| *atom == by) {
            Some(at) => {
                let mut others = Product::new();
                product[..at].iter().chain(&product[at + 1..]).for_each(|atom| others.push(*atom));
                multiples.push((others, *factor));
            }
            None => rest.push((product.clone(), *factor)),
        }
    }
    [Form::of(multiples), Form::of(rest)]
}
