//! The result of an equation, by the order of its digits: each coefficient is larger than all that the smaller digits come to, or it is a
//! condition of the launch that it is.

use super::access::Fact;
use super::atoms::{Less, Limit};
use super::demand::{self, Demand};
use super::digits::{Digit, Order, add, orders, sort, totals};
use super::form::{AtomId, Form};
use super::index::WORD;
use super::less::{bounds_of, is_certainly_less};
use super::mutants::{Mutant, shift};
use super::report::Rule;
use super::rules::Pair;

/// Constant distances below this are those of neighbours.
const MOST_STEP: i128 = 32;

/// The result of an equation.
pub(super) enum Solved {
    /// It never holds.
    Never,
    /// It holds only where these variables, and these forms, are equal.
    Equal(Vec<AtomId>, Vec<Form>),
    /// It holds only where these are equal, and something else holds, too.
    Partly(Vec<AtomId>, Vec<Form>),
    /// It holds where both of these do.
    Both([(Form, Form); 2]),
}

impl Pair<'_, '_> {
    pub(super) fn solve(&mut self, left: &Form, right: &Form) -> Option<Solved> {
        let Some(digits) = self.digits(left, right) else { return self.split(left, right).map(Solved::Both) };
        if let Some(solved) = self.weigh_either_way(digits, left, right) {
            return Some(solved);
        }
        // Sums that are below a limit are digits, too.
        let (less, other, sums) = self.common_sums(left, right);
        if !sums.is_empty()
            && let Some(mut digits) = self.digits(&less, &other)
        {
            digits.extend(sums);
            if let Some(solved) = self.weigh_either_way(digits, &less, &other) {
                return Some(solved);
            }
        }
        // Sums of one side each.
        let (less, mut sums) = self.sums_of(left, 0);
        let (other, more) = self.sums_of(right, 1);
        sums.extend(more);
        if !sums.is_empty()
            && let Some(mut digits) = self.digits(&less, &other)
        {
            digits.extend(sums);
            if let Some(solved) = self.weigh_between(digits) {
                return Some(solved);
            }
        }
        self.split(left, right).map(Solved::Both)
    }

    fn weigh_either_way(&mut self, digits: Vec<Digit>, left: &Form, right: &Form) -> Option<Solved> {
        for order in orders(&digits) {
            if let Some(solved) = self.weigh(digits.clone(), *order, left, right) {
                return Some(solved);
            }
        }
        self.weigh_between(digits)
    }

    /// The result of an equation of digits that need not be smaller than the next: those that both sides have are zero while all below
    /// them come to less; the others may not come to zero at all.
    fn weigh_between(&mut self, mut digits: Vec<Digit>) -> Option<Solved> {
        sort(&mut digits, Order::Factors);
        let mut conditions = Vec::new();
        for adds in [true, false] {
            self.below(totals(&digits, adds), &Form::constant(shift(Mutant::Word, WORD)), &mut conditions)?;
        }
        let (mut equal, mut forms) = (Vec::new(), Vec::new());
        while let Some(last) = digits.pop_if(|last| last.adds.is_none()) {
            let known = conditions.len();
            // It would take a launch in which a smaller digit is always zero, which is another kernel's.
            let is_largest =
                !digits.iter().any(|other| !other.is_offset && other.factor.sub(&last.factor).is_natural());
            let factor = last.factor.add(&Form::constant(shift(Mutant::Factor, 0)));
            let is_more = is_largest
                && [true, false]
                    .iter()
                    .all(|adds| self.below(totals(&digits, *adds), &factor, &mut conditions).is_some());
            if !is_more {
                conditions.truncate(known);
                digits.push(last);
                break;
            }
            equal.extend(last.atom);
            forms.extend(last.form);
        }
        let is_negative = |sum: &&Limit| self.is_less(&sum.below, &Form::default()) && self.expressible(&sum.requires);
        let never = [true, false]
            .iter()
            .find_map(|adds| totals(&digits, *adds).iter().find(is_negative).map(|sum| sum.requires.clone()));
        if let Some(requires) = never {
            conditions.extend(requires);
            self.accept(conditions)?;
            self.proof.rule = Rule::Ranges;
            return Some(Solved::Never);
        }
        if equal.is_empty() && forms.is_empty() && !digits.is_empty() {
            return None;
        }
        self.accept(conditions)?;
        Some(if digits.is_empty() { Solved::Equal(equal, forms) } else { Solved::Partly(equal, forms) })
    }

    /// The result of an equation, by its digits.
    fn weigh(&mut self, mut digits: Vec<Digit>, order: Order, left: &Form, right: &Form) -> Option<Solved> {
        // Differences that are always zero say nothing, but that the variable is the same.
        let is_zero = |digit: &Digit| {
            digit.most.iter().any(|limit| limit.below.as_constant() == Some(1) && limit.requires.is_empty())
        };
        let mut equal: Vec<AtomId> =
            digits.iter().filter(|digit| is_zero(digit)).filter_map(|digit| digit.atom).collect();
        digits.retain(|digit| !is_zero(digit));
        if digits.is_empty() {
            return Some(Solved::Equal(equal, Vec::new()));
        }
        sort(&mut digits, order);
        let mut conditions = Vec::new();
        let mut sums = vec![Limit::always(Form::default())];
        let last = digits.len() - 1;
        for (at, digit) in digits.iter().enumerate() {
            // It would take a launch in which a smaller digit is always zero, which is another kernel's.
            if digits[..at].iter().any(|smaller| smaller.factor.sub(&digit.factor).is_natural()) {
                return None;
            }
            // A neighbour some places away is no row away: a grid that small is no launch that anybody has in mind.
            let is_step = digit.is_offset && digit.factor.as_constant().is_some_and(|step| step < MOST_STEP);
            let factor = digit.factor.add(&Form::constant(shift(Mutant::Factor, 0)));
            sums = match is_step {
                true => self.certainly_below(&sums, &factor, &mut conditions)?,
                false => self.below(sums, &factor, &mut conditions)?,
            };
            if at < last || !digit.most.is_empty() {
                sums = add(&sums, digit);
            } else {
                sums = self.whole(&digits, left, right)?;
            }
            if sums.is_empty() {
                return None;
            }
        }
        self.below(sums, &Form::constant(shift(Mutant::Word, WORD)), &mut conditions)?;
        self.accept(conditions)?;
        if digits.iter().any(|digit| digit.is_offset) {
            self.proof.rule = Rule::Remainders;
            return Some(Solved::Never);
        }
        equal.extend(digits.iter().filter_map(|digit| digit.atom));
        let forms = digits.into_iter().filter_map(|digit| digit.form).collect();
        Some(Solved::Equal(equal, forms))
    }

    /// Whether a condition asks for no more than this proof may.
    pub(super) fn is_allowed(&mut self, less: &Less) -> bool {
        let Some(demand) = demand::of(self.index, less) else { return false };
        self.wants_more |= demand > self.most;
        demand <= self.most
    }

    /// Adds conditions to the proof, unless they ask for too much.
    pub(super) fn accept(&mut self, conditions: Vec<Less>) -> Option<()> {
        self.accept_up_to(Demand::WholeTiles, conditions)
    }

    pub(super) fn accept_up_to(&mut self, limit: Demand, conditions: Vec<Less>) -> Option<()> {
        let most = conditions
            .iter()
            .map(|less| demand::of(self.index, less))
            .try_fold(Demand::Nothing, |most, demand| Some(most.max(demand?)));
        if most.is_none_or(|most| most > limit.min(self.most)) {
            self.wants_more |= most.is_some_and(|most| most <= limit);
            return None;
        }
        self.proof.conditions.extend(conditions);
        Some(())
    }

    /// The sums that are below a coefficient for certain.
    fn certainly_below(&self, sums: &[Limit], factor: &Form, conditions: &mut Vec<Less>) -> Option<Vec<Limit>> {
        let is_certain = |sum: &&Limit| sum.requires.is_empty() && self.is_less(&sum.below, factor);
        let certain: Vec<Limit> = sums.iter().filter(is_certain).cloned().collect();
        if !certain.is_empty() {
            return Some(certain);
        }
        // With what must hold for it anyway, and nothing else.
        let required: Option<&Limit> =
            sums.iter().find(|sum| self.is_less(&sum.below, factor) && self.expressible(&sum.requires));
        let sum = required?;
        conditions.extend(sum.requires.iter().cloned());
        Some(vec![Limit::always(sum.below.clone())])
    }

    /// The sums that are below a coefficient: those for which it is certain, else all, with a condition that one of them is.
    pub(super) fn below(&self, sums: Vec<Limit>, factor: &Form, conditions: &mut Vec<Less>) -> Option<Vec<Limit>> {
        if let Some(certain) = self.certainly_below(&sums, factor, conditions) {
            return Some(certain);
        }
        // A constant that is not below another one never is.
        let hopeful: Vec<Limit> = sums
            .into_iter()
            .filter(|sum| {
                let both = sum.below.as_constant().zip(factor.as_constant());
                both.is_none()
                    && self.expressible(&[Less(sum.below.clone(), factor.clone())])
                    && self.expressible(&sum.requires)
            })
            .collect();
        // First those that a launch may be asked for, of which the ones that take the least besides.
        let sum = hopeful.iter().min_by_key(|sum| {
            let wanted = Less(sum.below.clone(), factor.clone());
            let open = sum.requires.iter().filter(|Less(low, high)| !self.is_less(low, high)).count();
            (demand::of(self.index, &wanted).is_none(), open)
        })?;
        let sum = sum.clone();
        conditions.push(Less(sum.below.clone(), factor.clone()));
        conditions.extend(sum.requires.iter().cloned());
        Some(vec![Limit::always(sum.below)])
    }

    /// Whether the host can evaluate conditions.
    pub(super) fn expressible(&self, conditions: &[Less]) -> bool {
        conditions.iter().all(|less| bounds_of(self.index, less).is_some())
    }

    /// The sum of all digits, where the last has no limit of its own but a form that it is part of has one.
    fn whole(&mut self, digits: &[Digit], left: &Form, right: &Form) -> Option<Vec<Limit>> {
        let [Some(a), Some(b)] = digits.last()?.of else { return None };
        let mut found = Vec::new();
        for fact in &*self.sides[0].facts {
            let Fact::Whole(form, limit) = fact else { continue };
            let is_known = |other: &Fact| matches!(other, Fact::Whole(f, l) if f == form && l.below == limit.below);
            if a != b || !form.atoms().any(|atom| atom == a) || !self.sides[1].facts.iter().any(is_known) {
                continue;
            }
            let (parts, _) = self.parts(form);
            let (mine, _) = self.parts(left);
            let by = parts.iter().find(|(atom, _)| *atom == a).zip(mine.iter().find(|(atom, _)| *atom == a));
            let Some(((_, one), (_, all))) = by else { continue };
            let Some(times) = times(all, one) else { continue };
            let whole = form.scale(times);
            let rest = self.digits(&left.sub(&whole), &right.sub(&whole))?;
            let mut sums = vec![Limit {
                below: limit.below.sub(&Form::constant(1)).scale(times),
                requires: limit.requires.clone(),
            }];
            for digit in &rest {
                sums = add(&sums, digit);
            }
            found.extend(sums);
        }
        Some(found)
    }

    /// Whether one form is below another for all launches.
    pub(super) fn is_less(&self, low: &Form, high: &Form) -> bool {
        is_certainly_less(self.index, low, high)
    }
}

/// How often one natural form is another one.
fn times(all: &Form, one: &Form) -> Option<i128> {
    let ((_, a), (_, b)) = (all.terms().first()?, one.terms().first()?);
    let times = a / b;
    (times > 0 && one.scale(times) == *all).then_some(times)
}
