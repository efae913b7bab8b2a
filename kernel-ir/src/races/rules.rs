//! Whether two accesses of different invocations can meet in a cell. Nothing here looks at control or at instructions.
//!
//! Two invocations meet where all parts of their paths are equal. Each equation is a sum of digits: a coefficient times the difference
//! of a variable in the two. If each coefficient is larger than all that the smaller digits come to, and all digits together come to
//! less than 2^32, then the sum is zero only where each difference is. So an equation says which variables are equal in the two, or
//! that it never holds. What it takes for that and is not known is a condition of the launch.

use super::Open;
use super::access::{Access, Fact};
use super::atoms::{Atom, Less, Limit, Uniform};
use super::form::{AtomId, Form};
use super::index::{Index, WORD};
use crate::ir::{Bound, BoundOp};
use crate::types::Size;

/// Sums of digits that are kept, each by other limits.
const MOST_SUMS: usize = 6;
/// Equations that are solved, at most.
const MOST_EQUATIONS: usize = 24;

/// The actor that two accesses that meet must share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// The invocation.
    Invocation,
    /// The subgroup.
    Subgroup,
    /// The workgroup, whose barriers put the accesses in order.
    Group,
    /// Nobody: the accesses must not meet.
    Nobody,
}

/// Why two accesses never race.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Proof {
    pub(super) conditions: Vec<Less>,
    /// Axes along which the launch must have one invocation.
    pub(super) single: Vec<u8>,
    /// Axes along which it must have one workgroup.
    pub(super) single_group: Vec<u8>,
    pub(super) is_disjoint: bool,
}

/// Why there is no proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// The path says nothing about an axis.
    Axis(u8),
    /// The path does not tell invocations apart.
    Unknown,
}

/// A difference of one variable between two accesses.
struct Digit {
    factor: Form,
    /// Limits of its variable, each with the conditions under which it holds.
    most: Vec<Limit>,
    atom: Option<AtomId>,
    is_offset: bool,
    /// The variables it stands for.
    of: [Option<AtomId>; 2],
    /// The form whose value it is.
    form: Option<Form>,
}

struct Pair<'a, 'm> {
    index: &'a mut Index<'m>,
    sides: [&'a Access; 2],
    equal: Vec<AtomId>,
    proof: Proof,
}

/// The result of an equation.
enum Solved {
    /// It never holds.
    Never,
    /// It holds only where these variables, and these forms, are equal.
    Equal(Vec<AtomId>, Vec<Form>),
}

/// Proves that two accesses do not race.
pub(super) fn prove(index: &mut Index<'_>, a: &Access, b: &Access, goal: Goal, open: Open) -> Result<Proof, Failure> {
    let mut pair = Pair { index, sides: [a, b], equal: Vec::new(), proof: Proof::default() };
    let mut equations: Vec<(Form, Form)> = a.path.iter().cloned().zip(b.path.iter().cloned()).collect();
    for fact in &a.facts {
        let Fact::Equal(form, number) = fact else { continue };
        let same = |other: &&Fact| matches!(other, Fact::Equal(f, n) if f == form && n == number);
        if b.facts.iter().any(|other| same(&other)) {
            equations.push((form.clone(), form.clone()));
            pair.note_constants(form);
        }
    }
    let mut tried = equations.clone();
    while !equations.is_empty() {
        let (mut rest, mut new_forms) = (Vec::new(), Vec::new());
        let mut found = false;
        for (left, right) in std::mem::take(&mut equations) {
            match pair.solve(&left, &right) {
                Some(Solved::Never) => {
                    pair.proof.is_disjoint = true;
                    return Ok(pair.proof);
                }
                Some(Solved::Equal(atoms, forms)) => {
                    found = true;
                    pair.equal.extend(atoms);
                    new_forms.extend(forms);
                }
                None => rest.push((left, right)),
            }
        }
        if !found {
            break;
        }
        equations = rest;
        for of in pair.close().into_iter().chain(new_forms) {
            let new = (of.clone(), of);
            if !tried.contains(&new) && tried.len() < MOST_EQUATIONS {
                tried.push(new.clone());
                equations.push(new);
            }
        }
    }
    pair.reach(goal, open)?;
    Ok(pair.proof)
}

impl Pair<'_, '_> {
    /// A form that is one variable and a number of the launch, and equals another such number, is the same in both.
    fn note_constants(&mut self, form: &Form) {
        let varying: Vec<AtomId> = form.atoms().filter(|atom| !self.index.atoms.is_uniform(*atom)).collect();
        let is_unit = |(product, factor): &(Vec<AtomId>, i128)| product == &varying && factor.abs() == 1;
        if varying.len() == 1 && form.terms().iter().any(is_unit) && self.is_of_both(varying[0]) {
            self.equal.push(varying[0]);
        }
    }

    /// Whether a variable is the same function of the invocation in both accesses.
    fn is_of_both(&self, atom: AtomId) -> bool {
        !matches!(self.index.atoms.get(atom), Atom::Free(_) | Atom::Round(_))
    }

    /// The coefficient of each variable that differs between invocations, and the rest.
    fn parts(&self, form: &Form) -> (Vec<(AtomId, Form)>, Form) {
        let mut factors: Vec<(AtomId, Form)> = Vec::new();
        let mut rest = Vec::new();
        for (product, factor) in form.terms() {
            match product.iter().position(|atom| !self.index.atoms.is_uniform(*atom)) {
                Some(at) => {
                    let mut others = product.clone();
                    let atom = others.remove(at);
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
    fn limits(&self, atom: AtomId, side: usize) -> Vec<Limit> {
        let facts = self.sides[side].facts.iter().filter_map(|fact| match fact {
            Fact::Below(of, limit) if *of == atom => Some(limit.clone()),
            _ => None,
        });
        let mut limits: Vec<Limit> = facts.chain(self.index.atoms.limits(atom).iter().cloned()).collect();
        if !matches!(self.index.atoms.get(atom), Atom::Round(_)) {
            limits.push(Limit::always(Form::constant(WORD)));
        }
        limits.dedup();
        limits
    }

    /// The digits of an equation; `None` where a coefficient has no sign.
    fn digits(&self, left: &Form, right: &Form) -> Option<Vec<Digit>> {
        let (left, first) = self.parts(left);
        let (mut right, second) = self.parts(right);
        let mut digits = Vec::new();
        for (atom, factor) in left {
            // The same variable, or one that is as free, with the same coefficient.
            let same = right.iter().position(|(other, by)| *other == atom && *by == factor).or_else(|| {
                let is_free = |atom: AtomId| !self.is_of_both(atom);
                right.iter().position(|(other, by)| is_free(*other) && is_free(atom) && *by == factor)
            });
            match same {
                Some(at) => {
                    let (other, _) = right.remove(at);
                    let is_shared = other == atom && self.is_of_both(atom);
                    if is_shared && self.equal.contains(&atom) {
                        continue;
                    }
                    let most = self.common_limits(atom, other);
                    let atom_of_both = is_shared.then_some(atom);
                    digits.push(Digit {
                        factor,
                        most,
                        atom: atom_of_both,
                        is_offset: false,
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
            digits.push(Digit { factor, most, atom: None, is_offset: true, of: [None; 2], form: None });
        }
        for digit in &mut digits {
            digit.factor = if digit.factor.is_natural() { digit.factor.clone() } else { digit.factor.scale(-1) };
            if !digit.factor.is_natural() {
                return None;
            }
        }
        Some(digits)
    }

    /// A variable of one access.
    fn lone(&self, atom: AtomId, factor: Form, side: usize) -> Digit {
        let mut of = [None; 2];
        of[side] = Some(atom);
        Digit { factor, most: self.limits(atom, side), atom: None, is_offset: false, of, form: None }
    }

    /// Limits of both of two variables.
    fn common_limits(&self, a: AtomId, b: AtomId) -> Vec<Limit> {
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

    fn solve(&mut self, left: &Form, right: &Form) -> Option<Solved> {
        let conditions = self.proof.conditions.len();
        let digits = self.digits(left, right)?;
        if let Some(solved) = self.weigh(digits, left, right) {
            return Some(solved);
        }
        self.proof.conditions.truncate(conditions);
        // Sums that are below a limit are digits, too.
        let (mut left, mut right) = (left.clone(), right.clone());
        let mut sums = Vec::new();
        let facts: Vec<(Form, Limit)> = self.sides[0]
            .facts
            .iter()
            .filter(|fact| self.sides[1].facts.contains(fact))
            .filter_map(|fact| match fact {
                Fact::Value(form, limit) => Some((form.clone(), limit.clone())),
                _ => None,
            })
            .collect();
        for (form, limit) in facts {
            let Some(factor) = self.factor_of(&form, &left) else { continue };
            let whole = form.mul(&factor).reduced();
            let [less, other] = [&left, &right].map(|side| side.sub(&whole).reduced());
            if self.varying(&less) >= self.varying(&left) || self.varying(&other) >= self.varying(&right) {
                continue;
            }
            (left, right) = (less, other);
            sums.push(Digit {
                factor,
                most: vec![limit],
                atom: None,
                is_offset: false,
                of: [None; 2],
                form: Some(form),
            });
        }
        if sums.is_empty() {
            return None;
        }
        let mut digits = self.digits(&left, &right)?;
        for digit in &sums {
            if !digit.factor.is_natural() {
                return None;
            }
        }
        digits.extend(sums);
        self.weigh(digits, &left, &right)
    }

    /// How many terms of a form differ between invocations.
    fn varying(&self, form: &Form) -> usize {
        form.terms()
            .iter()
            .filter(|(product, _)| product.iter().any(|atom| !self.index.atoms.is_uniform(*atom)))
            .count()
    }

    /// How often a form is part of another one, by a variable that it has once.
    fn factor_of(&self, form: &Form, whole: &Form) -> Option<Form> {
        let (mine, _) = self.parts(form);
        let (atom, _) = mine.iter().find(|(_, factor)| factor.as_constant() == Some(1))?;
        let (all, _) = self.parts(whole);
        all.into_iter().find(|(other, _)| other == atom).map(|(_, factor)| factor)
    }

    /// The result of an equation, by its digits.
    fn weigh(&mut self, mut digits: Vec<Digit>, left: &Form, right: &Form) -> Option<Solved> {
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
        sort(&mut digits);
        let mut conditions = Vec::new();
        let mut sums = vec![Limit::always(Form::default())];
        let last = digits.len() - 1;
        for (at, digit) in digits.iter().enumerate() {
            // It would take a launch in which a smaller digit is always zero, which is another kernel's.
            if digits[..at].iter().any(|smaller| smaller.factor.sub(&digit.factor).is_natural()) {
                return None;
            }
            sums = self.below(sums, &digit.factor, &mut conditions)?;
            if at < last || !digit.most.is_empty() {
                sums = add(&sums, digit);
            } else {
                sums = self.whole(&digits, left, right)?;
            }
            if sums.is_empty() {
                return None;
            }
        }
        self.below(sums, &Form::constant(WORD), &mut conditions)?;
        self.proof.conditions.extend(conditions);
        if digits.iter().any(|digit| digit.is_offset) {
            return Some(Solved::Never);
        }
        equal.extend(digits.iter().filter_map(|digit| digit.atom));
        let forms = digits.into_iter().filter_map(|digit| digit.form).collect();
        Some(Solved::Equal(equal, forms))
    }

    /// The sums that are below a coefficient: those for which it is certain, else all, with a condition that one of them is.
    fn below(&self, sums: Vec<Limit>, factor: &Form, conditions: &mut Vec<Less>) -> Option<Vec<Limit>> {
        let is_certain = |sum: &&Limit| sum.requires.is_empty() && self.is_less(&sum.below, factor);
        let certain: Vec<Limit> = sums.iter().filter(is_certain).cloned().collect();
        if !certain.is_empty() {
            return Some(certain);
        }
        // With what must hold for it anyway, and nothing else.
        let required: Option<&Limit> =
            sums.iter().find(|sum| self.is_less(&sum.below, factor) && self.expressible(&sum.requires));
        if let Some(sum) = required {
            conditions.extend(sum.requires.iter().cloned());
            return Some(vec![Limit::always(sum.below.clone())]);
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
        let sum = hopeful.iter().min_by_key(|sum| sum.requires.len())?.clone();
        conditions.push(Less(sum.below.clone(), factor.clone()));
        conditions.extend(sum.requires.iter().cloned());
        Some(vec![Limit::always(sum.below)])
    }

    /// Whether the host can evaluate conditions.
    fn expressible(&self, conditions: &[Less]) -> bool {
        conditions.iter().all(|less| bounds_of(self.index, less).is_some())
    }

    /// The sum of all digits, where the last has no limit of its own but a form that it is part of has one.
    fn whole(&self, digits: &[Digit], left: &Form, right: &Form) -> Option<Vec<Limit>> {
        let [Some(a), Some(b)] = digits.last()?.of else { return None };
        let mut found = Vec::new();
        for fact in &self.sides[0].facts {
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
    fn is_less(&self, low: &Form, high: &Form) -> bool {
        is_certainly_less(self.index, low, high)
    }

    /// Forms that are equal because others are.
    fn close(&mut self) -> Vec<Form> {
        let mut forms = Vec::new();
        let quotients: Vec<(Form, Form)> = self
            .equal
            .iter()
            .filter_map(|atom| match self.index.atoms.get(*atom) {
                Atom::Quotient(of, by) => Some((of.clone(), by.clone())),
                _ => None,
            })
            .collect();
        for (of, by) in quotients {
            let has_rest =
                self.equal.iter().any(|atom| *self.index.atoms.get(*atom) == Atom::Remainder(of.clone(), by.clone()));
            if has_rest {
                forms.push(of);
            }
        }
        forms
    }

    fn has(&self, atom: &Atom) -> bool {
        self.equal.iter().any(|equal| self.index.atoms.get(*equal) == atom)
    }

    fn reach(&mut self, goal: Goal, open: Open) -> Result<(), Failure> {
        if goal == Goal::Nobody {
            return Err(Failure::Unknown);
        }
        if self.equal.iter().any(|atom| matches!(self.index.atoms.get(*atom), Atom::Ticket(_))) {
            // There are no more invocations than tickets.
            let [x, y, z] = [0, 1, 2].map(|axis| self.index.atoms.uniform(Uniform::Known(Bound::Items(axis))));
            self.proof.conditions.push(Less(x.mul(&y).mul(&z), Form::constant(WORD + 1)));
            return Ok(());
        }
        let (mut single, mut single_group) = (Vec::new(), Vec::new());
        let widths: [bool; 3] = [0, 1, 2].map(|axis| self.index.kernel.workgroup[axis] == Size::Known(1));
        let is_local = |axis: u8| {
            widths[usize::from(axis)]
                || self.has(&Atom::Local(axis))
                || self.has(&Atom::LocalIndex)
                || self.has(&Atom::Subgroup) && self.has(&Atom::Lane)
        };
        let in_subgroup = self.has(&Atom::Subgroup) || (0..3).all(is_local) || is_one_subgroup(self.index);
        if goal == Goal::Subgroup && !in_subgroup {
            return Err(Failure::Unknown);
        }
        for axis in 0..3u8 {
            let at = usize::from(axis);
            let is_group = self.has(&Atom::Group(axis)) || self.has(&Atom::Global(axis));
            let is_in_group = goal != Goal::Invocation || is_local(axis);
            let is_known = self.has(&Atom::Global(axis)) || is_group && is_in_group;
            match (is_known, is_in_group && open.groups[at], open.items[at]) {
                (true, ..) => {}
                (false, _, true) => single.push(axis),
                (false, true, false) => single_group.push(axis),
                (false, false, false) => return Err(Failure::Axis(axis)),
            }
        }
        self.proof.single.extend(single);
        self.proof.single_group.extend(single_group);
        Ok(())
    }
}

/// Whether a workgroup is one subgroup.
pub(super) fn is_one_subgroup(index: &Index<'_>) -> bool {
    let widths = index.kernel.workgroup.iter().map(|width| width.known().map(u64::from));
    let invocations = widths.product::<Option<u64>>();
    invocations.is_some() && index.kernel.subgroup_size.map(u64::from) == invocations
}

/// How often one natural form is another one.
fn times(all: &Form, one: &Form) -> Option<i128> {
    let ((_, a), (_, b)) = (all.terms().first()?, one.terms().first()?);
    let times = a / b;
    (times > 0 && one.scale(times) == *all).then_some(times)
}

fn add(sums: &[Limit], digit: &Digit) -> Vec<Limit> {
    let mut all: Vec<Limit> = Vec::new();
    for sum in sums {
        for limit in &digit.most {
            let most = limit.below.sub(&Form::constant(1)).mul(&digit.factor);
            let requires = sum.requires.iter().chain(&limit.requires).cloned().collect();
            let new = Limit { below: sum.below.add(&most), requires };
            if new.below.is_exact() && !all.contains(&new) {
                all.push(new);
            }
        }
    }
    all.truncate(MOST_SUMS);
    all
}

/// Smaller coefficients first, as far as that can be told.
fn sort(digits: &mut [Digit]) {
    let degree = |form: &Form| form.terms().iter().map(|(product, _)| product.len()).max().unwrap_or(0);
    let key = |digit: &Digit| {
        let largest = digit.factor.terms().iter().map(|(_, factor)| *factor).max().unwrap_or(0);
        (degree(&digit.factor), largest)
    };
    digits.sort_by(|a, b| {
        let (has_limit_a, has_limit_b) = (a.most.is_empty(), b.most.is_empty());
        has_limit_a.cmp(&has_limit_b).then_with(|| key(a).cmp(&key(b))).then_with(|| a.factor.cmp(&b.factor))
    });
}

/// Whether one form is below another for all launches in which anybody has to do with them.
pub(super) fn is_certainly_less(index: &Index<'_>, low: &Form, high: &Form) -> bool {
    let spare = high.sub(low).sub(&Form::constant(1));
    if spare.is_natural() {
        return true;
    }
    // A single number of 32 bits, less something, is below 2^32.
    if high.as_constant() == Some(WORD) {
        let mut varying = low.terms().iter().filter(|(product, _)| !product.is_empty());
        let is_word = |atom: AtomId| match index.atoms.get(atom) {
            Atom::Uniform(Uniform::Known(bound)) => is_word(bound),
            Atom::Uniform(Uniform::Memory(..) | Uniform::Size(..) | Uniform::Op(..)) => true,
            _ => false,
        };
        let first = varying.next();
        let rest = low.terms().iter().find(|(product, _)| product.is_empty()).map_or(0, |(_, factor)| *factor);
        return varying.next().is_none()
            && rest <= 0
            && first.is_none_or(|(product, factor)| *factor == 1 && product.len() == 1 && is_word(product[0]));
    }
    // Sizes of the launch are at least one.
    let sizes = |atom: &AtomId| {
        matches!(index.atoms.get(*atom), Atom::Uniform(Uniform::Known(Bound::Items(_) | Bound::Groups(_))))
    };
    let mut least = 0i128;
    for (product, factor) in spare.terms() {
        match (product.is_empty(), *factor >= 0) {
            (true, _) => least += factor,
            (false, true) if product.iter().all(sizes) => least += factor,
            (false, true) => {}
            (false, false) => return false,
        }
    }
    least >= 0
}

fn is_word(bound: &Bound) -> bool {
    match bound {
        Bound::Const(_)
        | Bound::Items(_)
        | Bound::Groups(_)
        | Bound::Len(_)
        | Bound::Constant(_)
        | Bound::Param(..) => true,
        Bound::Binary(BoundOp::Min, operands) => operands.iter().any(is_word),
        Bound::Binary(BoundOp::Div | BoundOp::Sub, operands) => is_word(&operands[0]),
        Bound::Binary(..) => false,
    }
}

/// The two numbers of a condition, as the host computes them, with conditions under which it computes them rightly.
pub(super) fn bounds_of(index: &Index<'_>, less: &Less) -> Option<(Bound, Bound, Vec<Less>)> {
    // What is to stay small may as well be smaller.
    let low = if less.1.as_constant().is_some() { index.at_most(&less.0) } else { less.0.clone() };
    let (added, taken) = less.1.sub(&low).halves();
    let mut requires = Vec::new();
    let low = index.atoms.bound(&taken, &mut requires)?;
    let high = index.atoms.bound(&added, &mut requires)?;
    Some((low, high, requires))
}
