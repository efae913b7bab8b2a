//! Conclusions from conditions: limits of variables and of sums, where an access stands behind a branch.

use super::access::{Fact, Walker};
use super::atoms::{Atom, Atoms, Less, Limit};
use super::form::{AtomId, Form};
use super::index::WORD;
use super::mutants::{Mutant, shift};
use crate::ir::{BlockId, Bound, BoundOp, InstKind, SubgroupOp, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Type};

impl Walker<'_, '_> {
    pub(super) fn assume_branch(&mut self, condition: ValueId, truth: bool) {
        self.head = self.loops.iter().rposition(|around| around.heads.contains(&(condition, truth)));
        self.assume(condition, truth, 8);
        self.head = None;
        if self.index.is_launch_wide(condition) {
            self.note(Fact::Chosen(condition, truth));
        }
    }

    /// Notes what follows from a condition.
    pub(super) fn assume(&mut self, condition: ValueId, truth: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let function = self.index.function;
        let condition = self.index.origin(condition);
        if truth && self.index.tickets.is_flag(condition) {
            self.note(Fact::Holds(condition));
        }
        match self.index.definition(condition) {
            Some(InstKind::Op(op, operands)) => match (op, &operands[..], truth) {
                (Op::Not, [a], _) => self.assume(*a, !truth, depth),
                (Op::And, [a, b], true) | (Op::Or, [a, b], false) => {
                    self.assume(*a, truth, depth);
                    self.assume(*b, truth, depth);
                }
                (Op::Lt | Op::Le, [a, b], true) | (Op::Ge | Op::Gt, [a, b], false) if self.is_natural(*a, *b) => {
                    let form = self.index.form(*b);
                    self.note(Fact::Natural(form));
                }
                (Op::Gt | Op::Ge, [a, b], true) | (Op::Lt | Op::Le, [a, b], false) if self.is_natural(*b, *a) => {
                    let form = self.index.form(*a);
                    self.note(Fact::Natural(form));
                }
                (Op::Lt, [a, b], true) | (Op::Ge, [a, b], false) => self.below(*a, *b, 0),
                (Op::Gt, [a, b], true) | (Op::Le, [a, b], false) => self.below(*b, *a, 0),
                (Op::Le, [a, b], true) | (Op::Gt, [a, b], false) => self.below(*a, *b, 1),
                (Op::Ge, [a, b], true) | (Op::Lt, [a, b], false) => self.below(*b, *a, 1),
                (Op::Eq, [a, b], true) | (Op::Ne, [a, b], false) => match self.chosen_by(*a, *b) {
                    Some((condition, truth)) => self.assume(condition, truth, depth),
                    None => self.equal(*a, *b),
                },
                (Op::Ne, [a, b], true) | (Op::Eq, [a, b], false) if self.index.constant(*b) == Some(0) => {
                    self.positive(*a);
                }
                (Op::All, [lanes], true) => self.equal_lanes(*lanes),
                _ => {}
            },
            // One of those that come there together; in another round it may be another one.
            Some(InstKind::Subgroup(SubgroupOp::Elect, _)) if truth && self.loops.is_empty() => {
                self.note(Fact::Elected(condition));
            }
            // `a && b` and `a || b`.
            Some(InstKind::If { condition: first, then_block, else_block }) => {
                let constant = |block: BlockId| {
                    let yielded = match crate::flow::terminator(function, block)? {
                        InstKind::Yield(values) => *values.first()?,
                        _ => return None,
                    };
                    match self.index.definition(yielded) {
                        Some(InstKind::Const(constant)) => crate::passes::eval::is_true(*constant),
                        _ => None,
                    }
                };
                let last = |block: BlockId| match crate::flow::terminator(function, block) {
                    Some(InstKind::Yield(values)) => values.first().copied(),
                    _ => None,
                };
                let [yes, no] = [*then_block, *else_block].map(constant);
                if self.index.results_with(condition) != 1 {
                    return;
                }
                if no == Some(!truth) {
                    self.assume(*first, true, depth);
                    last(*then_block).into_iter().for_each(|value| self.assume(value, truth, depth));
                } else if yes == Some(!truth) {
                    self.assume(*first, false, depth);
                    last(*else_block).into_iter().for_each(|value| self.assume(value, truth, depth));
                }
            }
            _ => {}
        }
    }

    /// Whether a comparison of signed numbers says that the greater one is not negative: the lower one is a constant that is not.
    fn is_natural(&mut self, low: ValueId, high: ValueId) -> bool {
        self.index.scalar(high) == Some(Scalar::I32)
            && self.index.form(low).as_constant().is_some_and(|low| (0..1 << 31).contains(&low))
    }

    /// Conditions under which a signed number is not negative; `None` where it may be.
    fn naturally(&mut self, form: &Form) -> Option<Vec<Less>> {
        if self.facts.contains(&Fact::Natural(form.clone())) {
            return Some(Vec::new());
        }
        let most = self.index.most(form)?;
        match most.as_constant() {
            Some(most) => (most < 1 << 31).then(Vec::new),
            None => Some(vec![Less(most, Form::constant(1 << 31))]),
        }
    }

    /// Notes that a difference is not zero.
    fn positive(&mut self, a: ValueId) {
        let form = self.index.form(a);
        if self.index.scalar(a) == Some(Scalar::U32)
            && form.as_atom().is_none()
            && !self.index.atoms.is_launch_wide(&form)
        {
            self.note(Fact::Order(Form::default(), form));
        }
    }

    /// Notes that `a < b + more`.
    fn below(&mut self, a: ValueId, b: ValueId, more: i128) {
        let mut requires = Vec::new();
        match self.index.scalar(a) {
            Some(Scalar::U32) => {}
            // Of numbers that are not negative, the sign makes no difference.
            Some(Scalar::I32) => {
                let low = self.index.form(a);
                let Some(conditions) = self.naturally(&low) else { return };
                requires = conditions;
            }
            _ => return,
        }
        // A number below the smaller of two is below both.
        let b = self.index.origin(b);
        if let Some(InstKind::Op(Op::Min, operands)) = self.index.definition(b) {
            operands.iter().for_each(|operand| self.below(a, *operand, more));
        }
        // No number is below zero, so that the other one was chosen.
        if let Some(InstKind::Op(Op::Select, operands)) = self.index.definition(b)
            && more == 0
            && self.index.scalar(a) == Some(Scalar::U32)
        {
            match [1, 2].map(|at| self.index.constant(operands[at]) == Some(0)) {
                [false, true] => self.below(a, operands[1], 0),
                [true, false] => self.below(a, operands[2], 0),
                _ => {}
            }
        }
        let (low, high) = (self.index.form(a), self.index.form(b));
        if low.as_constant().is_some_and(|low| low >= more) {
            self.positive(b);
        }
        if requires.is_empty() {
            if more == 0 {
                self.below_steps(&low, b);
                self.below_offset(&low, &high);
                self.below_length(&low, &high);
            }
            let is_varying = |form: &Form| !self.index.atoms.is_launch_wide(form);
            // `j <= i - 1` is no `j < i`: where `i` is zero, it always holds.
            let has_next = more == 0 || high.as_atom().is_some();
            if has_next && (self.index.are_exchanged(&low, &high) || is_varying(&low) && is_varying(&high)) {
                self.note(Fact::Order(low.clone(), high.add(&Form::constant(more)).reduced()));
            }
        }
        let high = match high.as_constant() {
            // As a number without sign: nothing follows from `x <= u32::MAX`.
            Some(number) => Form::constant(number.rem_euclid(WORD)),
            None => high,
        };
        if more > 0 && !high.is_natural() {
            // `x <= n - 1` is `x < n` unless `n` is zero.
            let (added, taken) = high.halves();
            let least = self.index.uniform_part(&added);
            if !self.index.atoms.is_launch_wide(&taken) {
                return;
            }
            requires.push(Less(taken, least.add(&Form::constant(1))));
        }
        let below = high.add(&Form::constant(shift(Mutant::Guard, more)));
        let mark = self.facts.len();
        self.below_forms(&low, &below);
        for fact in &mut self.facts[mark..] {
            if let Fact::Below(_, limit) | Fact::Whole(_, limit) | Fact::Value(_, limit) = fact {
                limit.requires.extend(requires.iter().cloned());
            }
        }
    }

    /// Notes what follows where a number is below how many steps there are from a start to an end, rounded up.
    fn below_steps(&mut self, low: &Form, count: ValueId) {
        let Some((from, step)) = self.index.steps(count) else { return };
        let step = self.index.form(step);
        if !step.is_natural() || !self.index.atoms.is_launch_wide(&step) || step.is_zero() {
            return;
        }
        let (start, end) = match self.index.definition(from) {
            // A difference, or zero.
            Some(InstKind::Op(Op::Select, operands)) => match self.difference_or_zero(operands) {
                Some((start, end)) => (self.index.form(start), self.index.form(end)),
                None => (Form::default(), self.index.form(from)),
            },
            Some(InstKind::Op(Op::Sub, operands)) => match self.difference_of_least(operands) {
                Some((start, end)) => (self.index.form(start), self.index.form(end)),
                None => (Form::default(), self.index.form(from)),
            },
            _ => (Form::default(), self.index.form(from)),
        };
        if !self.index.atoms.is_launch_wide(&end) {
            self.steps_to_offset(&start, &step, low, &end);
            return;
        }
        let (Some(limit), Some(most)) = (self.limit(&end), self.index.most(&start)) else { return };
        let sum = start.add(&step.mul(low));
        self.note(Fact::Value(sum.clone().reduced(), limit.clone()));
        // Neither the start nor the counter wraps, as each step is below the end.
        if low.as_atom().is_some() {
            let requires = limit.requires.iter().cloned().chain([Less(most, Form::constant(WORD))]).collect();
            self.note(Fact::Whole(sum.clone(), Limit { below: limit.below.clone(), requires }));
            if let (Some(end), Some(step), Some(atom)) = (limit.below.as_constant(), step.as_constant(), low.as_atom())
            {
                let rounds = Form::constant((end + step - 1) / step);
                self.note(Fact::Below(atom, Limit { below: rounds, requires: limit.requires }));
            }
        }
    }

    /// The two numbers of `if a < b { b - a } else { 0 }`.
    fn difference_or_zero(&self, operands: &[ValueId]) -> Option<(ValueId, ValueId)> {
        let [condition, difference, zero] = operands else { return None };
        let Some(InstKind::Op(Op::Lt, compared)) = self.index.definition(*condition) else { return None };
        let Some(InstKind::Op(Op::Sub, parts)) = self.index.definition(*difference) else { return None };
        let is_difference = parts[0] == compared[1] && parts[1] == compared[0] && self.index.constant(*zero) == Some(0);
        (is_difference && self.index.scalar(parts[0]) == Some(Scalar::U32)).then_some((parts[1], parts[0]))
    }

    /// The two numbers of `b - min(a, b)`.
    fn difference_of_least(&self, operands: &[ValueId]) -> Option<(ValueId, ValueId)> {
        let [end, least] = operands else { return None };
        let Some(InstKind::Op(Op::Min, parts)) = self.index.definition(*least) else { return None };
        let start = match parts[..] {
            [a, b] if a == *end => b,
            [a, b] if b == *end => a,
            _ => return None,
        };
        (self.index.scalar(*end) == Some(Scalar::U32)).then_some((start, *end))
    }

    fn below_forms(&mut self, low: &Form, below: &Form) {
        let atoms = &self.index.atoms;
        if atoms.is_launch_wide(below) {
            let Some(limit) = self.limit(below) else { return };
            match low.as_atom().filter(|atom| !matches!(self.index.atoms.get(*atom), Atom::Round(_))) {
                Some(atom) => {
                    self.note(Fact::Below(atom, limit));
                    // Those that do not exceed it.
                    let lower = self.facts.iter().filter_map(|fact| match fact {
                        Fact::Order(lower, high) => Some((lower.clone(), high.clone())),
                        _ => None,
                    });
                    let lower: Vec<(Form, Form)> = lower.collect();
                    lower.into_iter().for_each(|(lower, high)| self.below_variable(&lower, &high));
                }
                None => {
                    self.note(Fact::Value(low.clone(), limit.clone()));
                    self.count(low, &limit);
                    self.below_less(low, below);
                }
            }
            return;
        }
        self.below_variable(low, below);
        self.below_rest(low, below);
        self.below_part(low, below);
        if let Some((atom, factor, rest)) = difference(&self.index.atoms, below, low) {
            // Both are whole numbers, if neither wraps: so many steps fit between them.
            let Some(mut requires) = self.stays_whole(low, below) else { return };
            let Some(most) = self.index.most(below) else { return };
            requires.push(Less(most, Form::constant(WORD)));
            let Some(mut limit) = self.natural(&rest) else { return };
            limit.requires.extend(requires);
            if let Some(limit) = self.divided(limit, factor) {
                self.note(Fact::Below(atom, limit));
            }
        }
    }

    /// Notes that a variable is below what another one is below that it does not exceed.
    fn below_variable(&mut self, low: &Form, below: &Form) {
        let offset = below.constant_part();
        let high = below.sub(&Form::constant(offset)).as_atom().filter(|_| (0..=1).contains(&offset));
        let is_round = |atom: &AtomId| matches!(self.index.atoms.get(*atom), Atom::Round(_));
        let Some(high) = high.filter(|high| !is_round(high)) else { return };
        let atom = low.as_atom().filter(|atom| !is_round(atom));
        let limits = self.facts.iter().filter_map(|fact| match fact {
            Fact::Below(of, limit) if *of == high => Some(limit.clone()),
            _ => None,
        });
        for mut limit in limits.collect::<Vec<_>>() {
            // What is below it is below its greatest value.
            if offset == 0 {
                let less = limit.below.sub(&Form::constant(shift(Mutant::Guard, 1)));
                limit.below = if less.is_natural() { less } else { limit.below };
            }
            match atom {
                Some(atom) => self.note(Fact::Below(atom, limit)),
                // A counter: the condition held in all rounds before, and so did the limit.
                None => {
                    self.note(Fact::Value(low.clone(), limit.clone()));
                    self.count(low, &limit);
                }
            }
        }
    }

    /// Notes what one variable is below, if a sum of it and a number of the launch is below another such number and does not wrap.
    fn below_less(&mut self, low: &Form, below: &Form) {
        let atoms = &self.index.atoms;
        let (offset, varying): (Vec<_>, Vec<_>) =
            low.terms().iter().cloned().partition(|(product, _)| product.iter().all(|atom| atoms.is_uniform(*atom)));
        let (offset, varying) = (Form::of(offset), Form::of(varying));
        let Some(atom) = varying.as_atom().filter(|_| offset.is_natural() && !offset.is_zero()) else { return };
        let Some(most) = self.index.most(low) else { return };
        let Some(mut limit) = self.natural(&below.sub(&offset)) else { return };
        limit.requires.push(Less(most, Form::constant(WORD)));
        self.note(Fact::Below(atom, limit));
    }

    /// Notes what a sum of several variables is below, if it is what `low` has beyond the variables of `below`, and neither wraps:
    /// `p + a + b < p + n`.
    fn below_part(&mut self, low: &Form, below: &Form) {
        let atoms = &self.index.atoms;
        let (rest, common): (Vec<_>, Vec<_>) =
            below.terms().iter().cloned().partition(|(product, _)| product.iter().all(|atom| atoms.is_uniform(*atom)));
        let sum = low.sub(&Form::of(common));
        if sum.terms().len() < 2 || !sum.is_natural() {
            return;
        }
        let Some(mut requires) = self.stays_whole(low, below) else { return };
        let Some(most) = self.index.most(below) else { return };
        requires.push(Less(most, Form::constant(WORD)));
        let Some(mut limit) = self.natural(&Form::of(rest)) else { return };
        limit.requires.extend(requires);
        self.note(Fact::Value(sum.clone(), limit.clone()));
        self.note(Fact::Whole(sum, limit));
    }

    /// Notes that a sum is below a number of the launch: `a < n - b`, where `b` is known to be no greater than `n`.
    fn below_rest(&mut self, low: &Form, below: &Form) {
        let (added, taken) = below.halves();
        if taken.is_zero() || !self.index.atoms.is_launch_wide(&added) {
            return;
        }
        let known = self.facts.iter().find_map(|fact| match fact {
            Fact::Whole(form, limit) if *form == taken && limit.below == added => Some(limit.requires.clone()),
            _ => None,
        });
        let is_small = || {
            let (most, all) = (self.index.most(&taken)?.as_constant()?, added.as_constant()?);
            (most <= all).then(Vec::new)
        };
        let Some(requires) = known.or_else(is_small) else { return };
        self.note(Fact::Value(low.add(&taken).reduced(), Limit { below: added, requires }));
    }

    /// Conditions under which a form below an end is a whole number that did not wrap.
    fn stays_whole(&self, low: &Form, end: &Form) -> Option<Vec<Less>> {
        if let Some((_, first, step)) = self.counter(low) {
            // It was below the end in all rounds before, so that only the last step could wrap.
            let (first, end) = (self.index.most(first)?, self.index.most(end)?);
            let last = end.add(step);
            return step
                .is_natural()
                .then(|| vec![Less(first, Form::constant(WORD)), Less(last, Form::constant(WORD + 1))]);
        }
        Some(vec![Less(self.index.most(low)?, Form::constant(WORD))])
    }

    /// The counter that a form is, if the condition that is assumed held in all rounds before.
    pub(super) fn counter(&self, form: &Form) -> Option<&(ValueId, Form, Form)> {
        let around = &self.loops[self.head?];
        around.counters.iter().find(|(param, ..)| self.index.is_defined_as(*param, form))
    }

    /// A limit that is no number of 32 bits, but exact: where it were negative, nobody would be below it.
    pub(super) fn natural(&mut self, below: &Form) -> Option<Limit> {
        if below.is_natural() {
            return Some(Limit::always(below.clone()));
        }
        let mut requires = Vec::new();
        let bound = self.index.bound_of(below, &mut requires)?;
        Some(Limit { below: self.index.atoms.computed(bound, Vec::new()), requires })
    }

    /// A limit that is a form of the launch.
    fn limit(&mut self, below: &Form) -> Option<Limit> {
        if below.is_natural() {
            return Some(Limit::always(below.clone()));
        }
        let mut limit = self.natural(below)?;
        let (added, taken) = below.halves();
        // The number must not wrap around below zero.
        limit.requires.push(Less(taken, added.add(&Form::constant(1))));
        Some(limit)
    }

    /// A limit of a number of steps of a size.
    fn divided(&mut self, limit: Limit, factor: i128) -> Option<Limit> {
        if factor == 1 {
            return Some(limit);
        }
        let Limit { below, mut requires } = limit;
        if let Some(below) = below.as_constant() {
            return Some(Limit { below: Form::constant((below + factor - 1) / factor), requires });
        }
        let up = below.add(&Form::constant(factor - 1));
        let bound = self.index.atoms.bound(&up, &mut requires)?;
        let by = Bound::Const(u32::try_from(factor).ok()?);
        let below = self.index.atoms.computed(Bound::binary(BoundOp::Div, bound, by), Vec::new());
        Some(Limit { below, requires })
    }

    /// Notes how often a counter went round that is below a limit.
    fn count(&mut self, counter: &Form, limit: &Limit) {
        let Some((_, first, step)) = self.counter(counter).cloned() else { return };
        let Some(mut requires) = self.stays_whole(counter, &limit.below) else { return };
        requires.extend(limit.requires.iter().cloned());
        self.note(Fact::Whole(counter.clone(), Limit { below: limit.below.clone(), requires: requires.clone() }));
        if !self.index.atoms.is_launch_wide(&first) {
            return;
        }
        let round = counter.sub(&first);
        let (Some((product, _)), Some(step)) = (round.terms().first(), step.as_constant()) else { return };
        let Some(mut rounds) = self.natural(&limit.below.sub(&first)) else { return };
        rounds.requires.extend(requires);
        if let Some(rounds) = self.divided(rounds, step) {
            self.note(Fact::Below(product[0], rounds));
        }
    }

    /// The condition that decides whether a member of a composite value that it chooses is a constant, and whether it holds then: the
    /// tag of an `Option` or a `Result`.
    fn chosen_by(&self, member: ValueId, number: ValueId) -> Option<(ValueId, bool)> {
        let number = self.index.constant(number)?;
        if let Some(InstKind::Op(Op::Cast, operands)) = self.index.definition(self.index.origin(member))
            && self.index.scalar(operands[0]) == Some(Scalar::Bool)
            && number < 2
        {
            return Some((operands[0], number == 1));
        }
        let Some(InstKind::Extract(whole, path)) = self.index.definition(member) else { return None };
        let Some(InstKind::Op(Op::Select, operands)) = self.index.definition(*whole) else { return None };
        let tag = |value: ValueId| match self.index.definition(value)? {
            InstKind::Compose(members) if path.len() == 1 => self.index.constant(*members.get(path[0] as usize)?),
            _ => None,
        };
        match (tag(operands[1])? == number, tag(operands[2])? == number) {
            (true, false) => Some((operands[0], true)),
            (false, true) => Some((operands[0], false)),
            _ => None,
        }
    }

    fn equal(&mut self, a: ValueId, b: ValueId) {
        self.note_first(a, b);
        self.note_first(b, a);
        if !matches!(self.index.scalar(a), Some(Scalar::U32 | Scalar::I32)) {
            return;
        }
        let (a, b) = (self.index.form(a), self.index.form(b));
        self.equal_forms(&a, &b);
    }

    fn equal_forms(&mut self, a: &Form, b: &Form) {
        for (a, b) in [(a, b), (b, a)] {
            if self.index.atoms.is_launch_wide(b) && !self.index.atoms.is_launch_wide(a) {
                self.note(Fact::Equal(a.clone(), b.clone()));
            }
        }
    }

    /// Notes that vectors are equal.
    fn equal_lanes(&mut self, lanes: ValueId) {
        let Some(InstKind::Op(Op::Eq, operands)) = self.index.definition(lanes) else { return };
        let Type::Vector(Scalar::U32 | Scalar::I32, count) =
            *self.index.module.types.get(self.index.function.values[operands[0]].ty)
        else {
            return;
        };
        for lane in 0..u32::from(count) {
            let [a, b] = [operands[0], operands[1]].map(|vector| self.index.lane(vector, lane));
            self.equal_forms(&a, &b);
        }
    }
}

/// The difference of two forms, where it is a number of the launch less so many times one variable.
fn difference(atoms: &Atoms, high: &Form, low: &Form) -> Option<(AtomId, i128, Form)> {
    let difference = high.sub(low);
    let mut varying =
        difference.terms().iter().filter(|(product, _)| product.iter().any(|atom| !atoms.is_uniform(*atom)));
    let (product, factor) = varying.next().filter(|(product, factor)| product.len() == 1 && *factor < 0)?;
    if varying.next().is_some() {
        return None;
    }
    let rest = difference.sub(&Form::of(vec![(product.clone(), *factor)]));
    Some((product[0], -factor, rest))
}
