//! Whether two accesses of different invocations can meet in a cell. Nothing here looks at control or at instructions.
//!
//! Two invocations meet where all parts of their paths are equal. Each equation is a sum of digits: a coefficient times the difference
//! of a variable in the two. If each coefficient is larger than all that the smaller digits come to, and all digits together come to
//! less than 2^32, then the sum is zero only where each difference is. So an equation says which variables are equal in the two, or
//! that it never holds. What it takes for that and is not known is a condition of the launch.

use super::access::{Access, Fact};
use super::atoms::{Atom, Less, Uniform};
use super::demand::Demand;
use super::form::{AtomId, Form, Product};
use super::index::Index;
use super::mutants::{Mutant, shift};
use super::open::Open;
use super::report::Rule;
use super::weighing::Solved;
use crate::ir::Bound;
use crate::types::Size;

/// Equations that are solved, at most.
const MOST_EQUATIONS: usize = 24;

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
    pub(super) goal: Goal,
    pub(super) equal: Vec<AtomId>,
    pub(super) proof: Proof,
    /// The most that conditions may ask for.
    pub(super) most: Demand,
    /// Whether an equation was left unsolved because it took more.
    pub(super) wants_more: bool,
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
    pair.note_common();
    let mut equations = pair.equations();
    if !pair.solve_all(&mut equations) {
        return (Ok(pair.proof), false);
    }
    match pair.reach(goal, open) {
        Ok(()) => {
            let rule = equations.by.unwrap_or_else(|| pair.rule());
            (Ok(Proof { rule, ..pair.proof }), false)
        }
        Err(_) if pair.contradict(&equations.open) => (Ok(Proof { rule: Rule::Remainders, ..pair.proof }), false),
        Err(failure) => (Err(failure), pair.wants_more),
    }
}

/// The equations that hold where two invocations meet.
struct Equations {
    /// Those that are not solved.
    open: Vec<(Form, Form)>,
    /// All that there were.
    tried: Vec<(Form, Form)>,
    /// The property of elements that one came from.
    by: Option<Rule>,
}

impl Equations {
    /// Adds an equation, unless there was such a one or there are too many; whether it did.
    fn add(&mut self, equation: (Form, Form)) -> bool {
        let is_new = !self.tried.contains(&equation) && self.tried.len() < MOST_EQUATIONS;
        if is_new {
            self.tried.push(equation.clone());
            self.open.push(equation);
        }
        is_new
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
    /// Notes the variables that are equal by the goal, or because one lane does both.
    fn note_common(&mut self) {
        if self.goal == Goal::Member {
            self.equal.extend([0, 1, 2].map(|axis| self.index.atoms.intern(Atom::Group(axis)).0));
        }
        let [a, b] = self.sides;
        let is_shared = |fact: &Fact| matches!(fact, Fact::Elected(_)) && b.facts.contains(fact);
        if shift(Mutant::Elected, 0) != 0 || a.facts.iter().any(is_shared) {
            self.equal.push(self.index.atoms.intern(Atom::Lane).0);
        }
    }

    /// The equations of the paths, and of what is one number in both.
    fn equations(&mut self) -> Equations {
        let [a, b] = self.sides;
        let mut open: Vec<(Form, Form)> = a.path.iter().cloned().zip(b.path.iter().cloned()).collect();
        for fact in &*a.facts {
            let Fact::Equal(form, number) = fact else { continue };
            let same = |other: &Fact| matches!(other, Fact::Equal(f, n) if f == form && n == number);
            if b.facts.iter().any(same) {
                open.push((form.clone(), form.clone()));
                self.note_constants(form);
            }
        }
        Equations { tried: open.clone(), open, by: None }
    }

    /// Solves equations as long as the result of one helps with others; false where one never holds.
    fn solve_all(&mut self, equations: &mut Equations) -> bool {
        while !equations.open.is_empty() {
            let mut forms = Vec::new();
            let mut found = false;
            for equation in std::mem::take(&mut equations.open) {
                match self.solve_one(equations, equation, &mut forms) {
                    Some(is_news) => found |= is_news,
                    None => return false,
                }
            }
            if !found {
                break;
            }
            for of in self.close().into_iter().chain(forms) {
                equations.add((of.clone(), of));
            }
        }
        true
    }

    /// Solves an equation, or leaves it open: whether anything new came of it, also the forms of new equations; `None` where it never holds.
    fn solve_one(
        &mut self,
        equations: &mut Equations,
        (left, right): (Form, Form),
        forms: &mut Vec<Form>,
    ) -> Option<bool> {
        if let Some(indices) = self.indices(&left, &right) {
            equations.by = Some(Rule::Distinct);
            equations.add(indices);
            return Some(true);
        }
        // The places in the rows stay to be compared, now that the rows are the same.
        if let Some(rows) = self.same_row(&left, &right)
            && equations.add(rows)
        {
            equations.by = Some(Rule::Offsets);
            equations.open.push((left, right));
            return Some(true);
        }
        let solved = self.triangles(&left, &right).or_else(|| self.diagonals(&left, &right));
        Some(match solved.or_else(|| self.solve(&left, &right)) {
            Some(Solved::Never) => return None,
            Some(Solved::Equal(atoms, new)) => {
                self.equal.extend(atoms);
                forms.extend(new);
                true
            }
            Some(Solved::Partly(atoms, new)) => {
                let is_news = atoms.iter().any(|atom| !self.equal.contains(atom))
                    || new.iter().any(|form| !equations.tried.contains(&(form.clone(), form.clone())));
                self.equal.extend(atoms);
                forms.extend(new);
                equations.open.push((left, right));
                is_news
            }
            Some(Solved::Both(parts)) => {
                let mut is_news = false;
                for part in parts.into_iter().filter(|(left, right)| left != right || !left.is_zero()) {
                    is_news |= equations.add(part);
                }
                is_news
            }
            None => {
                equations.open.push((left, right));
                false
            }
        })
    }

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
                Atom::Mixed(of, _) | Atom::Triangle(of) | Atom::Offset(_, of) => {
                    of.atoms().all(|atom| self.index.atoms.is_uniform(atom) || self.is_equal(atom))
                }
                Atom::Quotient(of, by) | Atom::Remainder(of, by) | Atom::Exchanged(of, by) => {
                    of.atoms().chain(by.atoms()).all(|atom| self.index.atoms.is_uniform(atom) || self.is_equal(atom))
                }
                _ => false,
            }
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
