//! Whether two accesses of different invocations can meet in a cell. Nothing here looks at control or at instructions.
//!
//! Two invocations meet where all parts of their paths are equal. Each equation is a sum of digits: a coefficient times the difference
//! of a variable in the two. If each coefficient is larger than all that the smaller digits come to, and all digits together come to
//! less than 2^32, then the sum is zero only where each difference is. So an equation says which variables are equal in the two, or
//! that it never holds. What it takes for that and is not known is a condition of the launch.

use super::Open;
use super::access::{Access, Fact};
use super::atoms::{Atom, Less, Limit, Uniform};
use super::demand::{self, Demand};
use super::digits::{Digit, Order, add, orders, sort, totals};
use super::form::{AtomId, Form, Product};
use super::index::{Index, WORD};
use super::less::{bounds_of, is_certainly_less};
use super::mutants::{Mutant, shift};
use super::report::Rule;
use crate::ir::Bound;
use crate::types::Size;

/// Equations that are solved, at most.
const MOST_EQUATIONS: usize = 24;
/// Constant distances below this are those of neighbours.
const MOST_STEP: i128 = 32;

/// The actor that two accesses that meet must share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Goal {
    /// The invocation.
    Invocation,
    /// The subgroup.
    Subgroup,
    /// The workgroup, whose barriers put the accesses in order.
    Group,
    /// The invocation, of those of one workgroup.
    Member,
    /// Nobody: the accesses must not meet.
    Nobody,
}

/// Why two accesses never race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proof {
    pub(super) rule: Rule,
    pub(super) conditions: Vec<Less>,
    /// Axes along which the launch must have one invocation.
    pub(super) single: Vec<u8>,
    /// Axes along which it must have one workgroup.
    pub(super) single_group: Vec<u8>,
}

impl Proof {
    fn by(rule: Rule) -> Self {
        Self { rule, conditions: Vec::new(), single: Vec::new(), single_group: Vec::new() }
    }
}

/// Why there is no proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// The path says nothing about an axis.
    Axis(u8),
    /// The path does not tell invocations apart.
    Unknown,
}

/// Two accesses that are compared.
pub(super) struct Pair<'a, 'm> {
    pub(super) index: &'a mut Index<'m>,
    pub(super) sides: [&'a Access; 2],
    goal: Goal,
    pub(super) equal: Vec<AtomId>,
    pub(super) proof: Proof,
    /// The most that conditions may ask for.
    most: Demand,
    /// Whether an equation was left unsolved because it took more.
    wants_more: bool,
}

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

/// Proves that two accesses do not race, with conditions that ask for as little as can be, and at most for `most`.
pub(super) fn prove(
    index: &mut Index<'_>,
    (a, b): (&Access, &Access),
    goal: Goal,
    open: Open,
    most: Demand,
) -> Result<Proof, Failure> {
    let mut demands = Demand::EACH.into_iter().filter(|demand| *demand <= most);
    let mut demand = demands.next().unwrap_or(most);
    loop {
        let (result, wants_more) = prove_with(index, (a, b), goal, open, demand);
        match demands.next() {
            Some(next) if result.is_err() && wants_more => demand = next,
            _ => return result,
        }
    }
}

/// As [`prove`], with one demand; tells whether more of a demand might help.
fn prove_with(
    index: &mut Index<'_>,
    (a, b): (&Access, &Access),
    goal: Goal,
    open: Open,
    most: Demand,
) -> (Result<Proof, Failure>, bool) {
    if are_never_both(a, b) || are_one_pair(index, a, b) {
        return (Ok(Proof::by(Rule::Guards)), false);
    }
    let (equal, proof) = (Vec::new(), Proof::by(Rule::Digits));
    let mut pair = Pair { index, sides: [a, b], goal, equal, proof, most, wants_more: false };
    if pair.are_drawn(goal) {
        return (Ok(Proof { rule: Rule::Ticket, ..pair.proof }), false);
    }
    if pair.are_firsts(goal) {
        return (Ok(Proof { rule: Rule::First, ..pair.proof }), false);
    }
    if goal == Goal::Member {
        pair.equal.extend([0, 1, 2].map(|axis| pair.index.atoms.intern(Atom::Group(axis)).0));
    }
    let elected = shift(Mutant::Elected, 0) != 0
        || a.facts.iter().any(|fact| matches!(fact, Fact::Elected(_)) && b.facts.contains(fact));
    if elected {
        pair.equal.push(pair.index.atoms.intern(Atom::Lane).0);
    }
    let mut equations: Vec<(Form, Form)> = a.path.iter().cloned().zip(b.path.iter().cloned()).collect();
    for fact in &*a.facts {
        let Fact::Equal(form, number) = fact else { continue };
        let same = |other: &&Fact| matches!(other, Fact::Equal(f, n) if f == form && n == number);
        if b.facts.iter().any(|other| same(&other)) {
            equations.push((form.clone(), form.clone()));
            pair.note_constants(form);
        }
    }
    let mut tried = equations.clone();
    let mut rest = Vec::new();
    let mut has_distinct = false;
    while !equations.is_empty() {
        let mut new_forms = Vec::new();
        let mut found = false;
        rest.clear();
        for (left, right) in std::mem::take(&mut equations) {
            if let Some(indices) = pair.indices(&left, &right) {
                found = true;
                has_distinct = true;
                if !tried.contains(&indices) && tried.len() < MOST_EQUATIONS {
                    tried.push(indices.clone());
                    rest.push(indices);
                }
                continue;
            }
            let solved = pair.triangles(&left, &right).or_else(|| pair.diagonals(&left, &right));
            match solved.or_else(|| pair.solve(&left, &right)) {
                Some(Solved::Never) => {
                    return (Ok(pair.proof), false);
                }
                Some(Solved::Equal(atoms, forms)) => {
                    found = true;
                    pair.equal.extend(atoms);
                    new_forms.extend(forms);
                }
                Some(Solved::Partly(atoms, forms)) => {
                    let is_new = |atom: &AtomId| !pair.equal.contains(atom);
                    found |= atoms.iter().any(is_new)
                        || forms.iter().any(|form| !tried.contains(&(form.clone(), form.clone())));
                    pair.equal.extend(atoms);
                    new_forms.extend(forms);
                    rest.push((left, right));
                }
                Some(Solved::Both(parts)) => {
                    for part in parts.into_iter().filter(|(left, right)| left != right || !left.is_zero()) {
                        if !tried.contains(&part) && tried.len() < MOST_EQUATIONS {
                            tried.push(part.clone());
                            found = true;
                            rest.push(part);
                        }
                    }
                }
                None => rest.push((left, right)),
            }
        }
        if !found {
            break;
        }
        equations.clone_from(&rest);
        for of in pair.close().into_iter().chain(new_forms) {
            let new = (of.clone(), of);
            if !tried.contains(&new) && tried.len() < MOST_EQUATIONS {
                tried.push(new.clone());
                equations.push(new);
            }
        }
    }
    match pair.reach(goal, open) {
        Ok(()) => {
            let rule = if has_distinct { Rule::Distinct } else { pair.rule() };
            (Ok(Proof { rule, ..pair.proof }), false)
        }
        Err(_) if pair.contradict(&rest) => (Ok(Proof { rule: Rule::Remainders, ..pair.proof }), false),
        Err(failure) => (Err(failure), pair.wants_more),
    }
}

/// Whether no launch does both, as the launch chooses.
fn are_never_both(a: &Access, b: &Access) -> bool {
    a.facts.iter().any(|fact| match fact {
        Fact::Chosen(condition, truth) => {
            b.facts.contains(&Fact::Chosen(*condition, !truth)) || shift(Mutant::Chosen, 0) != 0
        }
        _ => false,
    })
}

/// Whether the two access what numbers are exchanged for, and only the lower one of a pair does anything: `i` meets `i ^ j` in nobody
/// else.
fn are_one_pair(index: &Index<'_>, a: &Access, b: &Access) -> bool {
    a.path.iter().zip(&b.path).any(|(left, right)| {
        index.are_exchanged(left, right)
            && (shift(Mutant::Exchanged, 0) != 0
                || a.facts.iter().any(|fact| {
                    let Fact::Order(low, high) = fact else { return false };
                    let is_of_these = low == left && high == right || low == right && high == left;
                    is_of_these && b.facts.contains(fact)
                }))
    })
}

impl Pair<'_, '_> {
    /// A form that is one variable and a number of the launch, and equals another such number, is the same in both.
    fn note_constants(&mut self, form: &Form) {
        let varying: Vec<AtomId> = form.atoms().filter(|atom| !self.index.atoms.is_uniform(*atom)).collect();
        let is_unit = |(product, factor): &(Product, i128)| product[..] == varying[..] && factor.abs() == 1;
        if varying.len() == 1 && form.terms().iter().any(is_unit) && self.is_of_both(varying[0]) {
            self.equal.push(varying[0]);
        }
    }

    /// The rule by which the indices tell invocations apart, by what they are made of.
    fn rule(&self) -> Rule {
        let is_grid = |atom: &AtomId| {
            matches!(self.index.atoms.get(*atom), Atom::Uniform(Uniform::Known(Bound::Groups(_) | Bound::Items(_))))
        };
        let mut rule = Rule::Single;
        for (product, _) in self.sides[0].path.iter().flat_map(Form::terms) {
            let Some(atom) = product.iter().find(|atom| !self.index.atoms.is_uniform(**atom)) else { continue };
            match (self.index.atoms.get(*atom), rule) {
                (Atom::Ticket(_) | Atom::GroupTicket(_), _) => return Rule::Ticket,
                (Atom::Round(_), _) if product.iter().any(is_grid) => return Rule::Stride,
                (Atom::Round(_) | Atom::Free(_), _) => return Rule::Part,
                (Atom::Global(_) | Atom::LocalIndex, Rule::Single) => rule = Rule::Own,
                _ => rule = Rule::Digits,
            }
        }
        rule
    }

    /// Whether a variable is the same function of the invocation in both accesses.
    pub(super) fn is_of_both(&self, atom: AtomId) -> bool {
        !matches!(self.index.atoms.get(atom), Atom::Free(_) | Atom::Round(_))
    }

    /// Whether a variable is known to be equal in both, or computed from such only.
    pub(super) fn is_equal(&self, atom: AtomId) -> bool {
        self.equal.contains(&atom)
            || match self.index.atoms.get(atom) {
                Atom::Mixed(of, _) | Atom::Triangle(of) => {
                    of.atoms().all(|atom| self.index.atoms.is_uniform(atom) || self.is_equal(atom))
                }
                Atom::Quotient(of, by) | Atom::Remainder(of, by) | Atom::Exchanged(of, by) => {
                    of.atoms().chain(by.atoms()).all(|atom| self.index.atoms.is_uniform(atom) || self.is_equal(atom))
                }
                _ => false,
            }
    }

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
    fn lone(&self, atom: AtomId, factor: Form, side: usize) -> Digit {
        let mut of = [None; 2];
        of[side] = Some(atom);
        let most = self.limits(atom, side);
        Digit { factor, most, atom: None, is_offset: false, adds: Some(side == 0), of, form: None }
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
        forms.extend(self.equal.iter().filter_map(|atom| match self.index.atoms.get(*atom) {
            Atom::Exchanged(of, _) | Atom::Mixed(of, _) => Some(of.clone()),
            _ => None,
        }));
        let remainders: Vec<(Form, Form)> = self
            .equal
            .iter()
            .filter_map(|atom| match self.index.atoms.get(*atom) {
                Atom::Remainder(of, by) => Some((of.clone(), by.clone())),
                _ => None,
            })
            .collect();
        for (of, by) in remainders {
            let atoms = &self.index.atoms;
            let of = without_odd_factor(of, &by, |product| product.iter().any(|atom| !atoms.is_uniform(*atom)));
            if self.differs_by_less(&of, &by) {
                forms.push(of);
            }
        }
        // An element by itself: its equation is the one of its index.
        forms.extend(self.equal.iter().filter_map(|atom| match self.index.atoms.get(*atom) {
            Atom::Distinct(..) => Some(Form::atom(*atom)),
            _ => None,
        }));
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
        let tickets = self.equal.iter().find_map(|atom| match self.index.atoms.get(*atom) {
            Atom::Ticket(of) => Some((*of, true)),
            Atom::GroupTicket(of) => Some((*of, false)),
            _ => None,
        });
        let (is_own, of_group) = (tickets.is_some_and(|(_, is_own)| is_own), tickets.is_some());
        if let Some((of, _)) = tickets {
            let exists = self.index.has_counter(of).ok_or(Failure::Unknown)?;
            self.proof.conditions.push(exists);
            let drawn = self.most_drawn(of);
            self.proof.conditions.push(drawn);
        }
        if is_own {
            return Ok(());
        }
        let (mut single, mut single_group) = (Vec::new(), Vec::new());
        let widths: [bool; 3] = [0, 1, 2].map(|axis| self.index.kernel.workgroup[axis] == Size::Known(1));
        let same_group = goal == Goal::Member;
        let is_local = |axis: u8| {
            widths[usize::from(axis)]
                || self.has(&Atom::Local(axis))
                || self.has(&Atom::LocalIndex)
                || same_group && self.has(&Atom::Global(axis))
                || self.has(&Atom::Subgroup) && self.has(&Atom::Lane)
        };
        if same_group {
            return if (0..3).all(is_local) { Ok(()) } else { Err(Failure::Unknown) };
        }
        let in_subgroup = self.has(&Atom::Subgroup) || (0..3).all(is_local) || is_one_subgroup(self.index);
        if goal == Goal::Subgroup && !in_subgroup {
            return Err(Failure::Unknown);
        }
        for axis in 0..3u8 {
            let at = usize::from(axis);
            let is_group = of_group || self.has(&Atom::Group(axis)) || self.has(&Atom::Global(axis));
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

/// A form that is equal modulo `by` in two invocations where `of` is. An odd factor of all that varies has an inverse modulo a power of two,
/// and the rest is the same in both.
fn without_odd_factor(of: Form, by: &Form, varies: impl Fn(&Product) -> bool) -> Form {
    if by.as_constant().is_none_or(|by| by.count_ones() != 1) {
        return of;
    }
    let varying: Vec<(Product, i128)> = of.terms().iter().filter(|(product, _)| varies(product)).cloned().collect();
    let divisor = varying.iter().fold(0, |divisor, (_, factor)| gcd(divisor, factor.abs()));
    if divisor < 2 || i128::from(divisor.trailing_zeros()) >= shift(Mutant::Odd, 1) {
        return of;
    }
    Form::of(varying.into_iter().map(|(product, factor)| (product, factor / divisor)).collect())
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// How often one natural form is another one.
fn times(all: &Form, one: &Form) -> Option<i128> {
    let ((_, a), (_, b)) = (all.terms().first()?, one.terms().first()?);
    let times = a / b;
    (times > 0 && one.scale(times) == *all).then_some(times)
}
