//! The forms of operations: sums and products as they are, quotients and remainders as atoms, all others as numbers with limits.

use super::atoms::{Atom, Less, Limit, Uniform};
use super::form::Form;
use super::index::{Index, WORD};
use crate::ir::{Bound, BoundOp, InstKind, ValueId};
use crate::op::Op;
use crate::passes::eval;
use crate::types::Scalar;

impl Index<'_> {
    pub(super) fn op(&mut self, op: Op, operands: &[ValueId], value: ValueId, lane: Option<u32>) -> Form {
        let from = operands.first().and_then(|operand| self.element(*operand));
        if !matches!(op, Op::Cast | Op::Bitcast | Op::Select)
            && operands.iter().any(|operand| !matches!(self.element(*operand), Some(Scalar::U32 | Scalar::I32)))
        {
            return self.other(op, operands, value, lane);
        }
        let is_unsigned = from == Some(Scalar::U32);
        let forms: Vec<Form> = operands.iter().map(|operand| self.operand(*operand, lane, value)).collect();
        match (op, &forms[..]) {
            (Op::Add, [a, b]) => match lane.is_none().then(|| self.rounded_up(value)).flatten() {
                Some(quotient) => quotient,
                None => a.add(b),
            },
            (Op::Sub, [a, b]) => a.sub(b),
            (Op::Neg, [a]) => a.scale(-1),
            (Op::Mul, [a, b]) if self.atoms.is_launch_wide(a) || self.atoms.is_launch_wide(b) => a.mul(b),
            (Op::Shl, [a, b]) => match (b.as_constant(), self.power(b)) {
                (Some(by), _) => a.scale(1 << (by & 31)),
                (None, Some(power)) => a.mul(&power),
                (None, None) => self.unknown(op, from, &forms, Vec::new()),
            },
            (Op::Div | Op::Shr, [_, b])
                if is_unsigned
                    && lane.is_none()
                    && b.as_constant() == Some(if op == Op::Div { 2 } else { 1 })
                    && self.side_of_triangle(operands[0]).is_some() =>
            {
                match self.side_of_triangle(operands[0]) {
                    Some(side) => Form::atom(self.atoms.intern(Atom::Triangle(side)).0),
                    None => self.opaque(value),
                }
            }
            (Op::Shr, [a, b]) if is_unsigned => match b.as_constant() {
                Some(by) => match self.part_of_reversed(a, (by & 31) as u32) {
                    Some(part) => part,
                    None => self.quotient(a, &Form::constant(1 << (by & 31))),
                },
                None => match self.power(b) {
                    Some(power) => self.quotient(a, &power),
                    None => self.unknown(op, from, &forms, Vec::new()),
                },
            },
            (Op::Div, [a, b]) if is_unsigned => self.quotient(a, b),
            (Op::Rem, [a, b]) if is_unsigned => self.remainder(a, b),
            (Op::And, [a, b]) => self.and(a, b),
            (Op::Or | Op::Xor, [a, b]) if self.are_apart(a, b) => a.add(b),
            (Op::Xor, [a, b]) if !self.atoms.is_launch_wide(a) && self.shifts(a, b).is_some() => self.mixed(a, b),
            (Op::Xor, [a, b]) if !self.atoms.is_launch_wide(b) && self.shifts(b, a).is_some() => self.mixed(b, a),
            (Op::ReverseBits, [a]) if is_unsigned && !self.atoms.is_launch_wide(a) => self.reversed(a, 0),
            (Op::Xor, [a, b]) if self.atoms.is_launch_wide(b) && !self.atoms.is_launch_wide(a) => self.exchanged(a, b),
            (Op::Xor, [a, b]) if self.atoms.is_launch_wide(a) && !self.atoms.is_launch_wide(b) => self.exchanged(b, a),
            (Op::Min, [a, b]) if is_unsigned => self.least(a, b),
            (Op::Select, [_, a, b]) if a == b => a.clone(),
            (Op::Select, [_, a, b]) => match self.truth(operands[0]) {
                Some(truth) => if truth { a } else { b }.clone(),
                // A divisor: where it would be zero, the invocation panics.
                None if a.as_constant() == Some(1) && self.is_trap_of_zero(operands[0], b) => b.clone(),
                None => match lane.is_none().then(|| self.rounded_up(value)).flatten() {
                    Some(quotient) => quotient,
                    None => self.either(&[a.clone(), b.clone()], value),
                },
            },
            (Op::Uniform, [a]) => a.clone(),
            (Op::Cast | Op::Bitcast, [a]) if matches!(from, Some(Scalar::U32 | Scalar::I32)) => a.clone(),
            (Op::Cast, [_]) if from == Some(Scalar::Bool) && self.truth(operands[0]).is_some() => {
                Form::constant(self.truth(operands[0]).unwrap_or_default().into())
            }
            (Op::Cast, [a]) if matches!(from, Some(Scalar::U8 | Scalar::U16 | Scalar::Bool)) => a.clone(),
            _ => self.unknown(op, from, &forms, Vec::new()),
        }
    }

    /// Whether a condition holds, where constants say it.
    pub(super) fn truth(&mut self, condition: ValueId) -> Option<bool> {
        let (op, operands) = match self.definition(condition)? {
            InstKind::Const(constant) => return eval::is_true(*constant),
            InstKind::Op(op, operands) => (*op, operands),
            _ => return None,
        };
        if op == Op::Not {
            return self.truth(operands[0]).map(|truth| !truth);
        }
        if !matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne) {
            return None;
        }
        let is_signed = match self.scalar(operands[0])? {
            Scalar::I32 => true,
            Scalar::U32 => false,
            _ => return None,
        };
        let number = |form: &Form| {
            form.as_constant().map(|number| if is_signed { i64::from(number as i32) } else { i64::from(number as u32) })
        };
        let a = number(&self.form(operands[0]))?;
        let b = number(&self.form(operands[1]))?;
        Some(match op {
            Op::Lt => a < b,
            Op::Le => a <= b,
            Op::Gt => a > b,
            Op::Ge => a >= b,
            Op::Eq => a == b,
            _ => a != b,
        })
    }

    /// Whether a condition says that a number is zero, and the invocation panics then.
    fn is_trap_of_zero(&mut self, condition: ValueId, number: &Form) -> bool {
        let Some(InstKind::Op(Op::Eq, operands)) = self.definition(condition) else { return false };
        self.traps.contains(&condition)
            && self.form(operands[1]).as_constant() == Some(0)
            && self.form(operands[0]) == *number
    }

    /// An operation on something else than 32-bit integers that gives one.
    fn other(&mut self, _op: Op, operands: &[ValueId], value: ValueId, lane: Option<u32>) -> Form {
        match lane.is_none() && operands.iter().all(|operand| self.is_launch_wide(*operand)) {
            true => self.atoms.uniform(Uniform::Value(value)),
            false => self.atoms.free(Vec::new()),
        }
    }

    /// An operation of which nothing is known but what it is below.
    pub(super) fn unknown(&mut self, op: Op, of: Option<Scalar>, forms: &[Form], limits: Vec<Limit>) -> Form {
        match forms.iter().all(|form| self.atoms.is_launch_wide(form)) {
            true => self.atoms.uniform(Uniform::Op(op, of, forms.to_vec())),
            false => self.atoms.free(limits),
        }
    }

    /// A quotient, of a divisor that is not zero.
    fn quotient(&mut self, a: &Form, by: &Form) -> Form {
        match (a.as_constant(), by.as_constant()) {
            (_, Some(1)) => return a.clone(),
            (Some(a), Some(by)) if a >= 0 && by > 0 => return Form::constant(a / by),
            _ => {}
        }
        if !self.atoms.is_launch_wide(by) {
            return self.atoms.free(Vec::new());
        }
        let mut requires = Vec::new();
        // The number must not wrap.
        let (added, taken) = a.halves();
        if !taken.is_zero() {
            requires.push(Less(taken, added.add(&Form::constant(1))));
        }
        requires.push(self.fits(&added));
        let bounds = (self.bound_of(a, &mut requires), self.atoms.bound(by, &mut requires));
        if self.atoms.is_launch_wide(a) {
            return match bounds {
                (Some(a), Some(by)) => self.atoms.computed(Bound::binary(BoundOp::Div, a, by), requires),
                _ => self.unknown(Op::Div, Some(Scalar::U32), &[a.clone(), by.clone()], Vec::new()),
            };
        }
        let (id, is_new) = self.atoms.intern(Atom::Quotient(a.clone(), by.clone()));
        if is_new {
            if let Some(by) = by.as_constant().filter(|by| *by > 0) {
                self.atoms.limit(id, Limit::always(Form::constant((WORD - 1) / by + 1)));
            }
            // No greater than the greatest dividend makes it.
            if let Some(most) = self.most(a) {
                let mut requires = Vec::new();
                let below = match (most.as_constant(), by.as_constant()) {
                    (Some(most), Some(by)) if by > 0 => Some(Form::constant(most / by + 1)),
                    _ => self.bound_of(&most, &mut requires).zip(self.atoms.bound(by, &mut requires)).map(
                        |(most, by)| {
                            let quotient = Bound::binary(BoundOp::Div, most, by);
                            self.atoms.computed(Bound::binary(BoundOp::Add, quotient, Bound::Const(1)), Vec::new())
                        },
                    ),
                };
                if let Some(below) = below {
                    self.atoms.limit(id, Limit { below, requires });
                }
            }
        }
        Form::atom(id)
    }

    /// A quotient of numbers of the launch that is rounded up, as the host computes it.
    fn rounded_up(&mut self, value: ValueId) -> Option<Form> {
        let (number, step) = self.steps(value)?;
        let (number, step) = (self.form(number), self.form(step));
        if !self.atoms.is_launch_wide(&number) || !self.atoms.is_launch_wide(&step) {
            return None;
        }
        let (added, taken) = number.halves();
        let mut requires = vec![self.fits(&added), self.fits(&step)];
        if !taken.is_zero() {
            requires.push(Less(taken, added.add(&Form::constant(1))));
        }
        let number = self.bound_of(&number, &mut requires)?;
        let step = self.atoms.bound(&step, &mut requires)?;
        let most = Bound::binary(BoundOp::Sub, step.clone(), Bound::Const(1));
        let quotient = Bound::binary(BoundOp::Div, Bound::binary(BoundOp::Add, number, most), step);
        Some(self.atoms.computed(quotient, requires))
    }

    /// The number and the step of a quotient that is rounded up: `n / s + (n % s != 0)`, or `div_ceil`.
    pub(super) fn steps(&self, count: ValueId) -> Option<(ValueId, ValueId)> {
        let op = |value: ValueId| match self.definition(value) {
            Some(InstKind::Op(op, operands)) => Some((*op, &operands[..])),
            _ => None,
        };
        let is_word = |value: ValueId| self.scalar(value) == Some(Scalar::U32);
        if let (Op::Select, [has_rest, up, whole]) = op(count)? {
            let (Op::Div, [number, step]) = op(*whole)? else { return None };
            let (Op::Add, [less, one]) = op(*up)? else { return None };
            let (Op::Ne, [rest, zero]) = op(*has_rest)? else { return None };
            let (Op::Sub, [of, product]) = op(*rest)? else { return None };
            let (Op::Mul, [times, by]) = op(*product)? else { return None };
            let is_same = of == number && by == step && times == whole && less == whole;
            let are_numbers = self.constant(*one) == Some(1) && self.constant(*zero) == Some(0);
            return (is_same && are_numbers && is_word(*number)).then_some((*number, *step));
        }
        let (Op::Add, [whole, more]) = op(count)? else { return None };
        let (Op::Div, [number, step]) = op(*whole)? else { return None };
        let has_rest = match op(*more)? {
            (Op::Cast, [has_rest]) => has_rest,
            (Op::Select, [has_rest, one, zero])
                if self.constant(*one) == Some(1) && self.constant(*zero) == Some(0) =>
            {
                has_rest
            }
            _ => return None,
        };
        let (Op::Ne, [rest, zero]) = op(*has_rest)? else { return None };
        let (Op::Rem, [of, by]) = op(*rest)? else { return None };
        let is_same = of == number && by == step && self.constant(*zero) == Some(0);
        (is_same && is_word(*number)).then_some((*number, *step))
    }

    /// A remainder, of a divisor that is not zero.
    pub(super) fn remainder(&mut self, a: &Form, by: &Form) -> Form {
        match (a.as_constant(), by.as_constant()) {
            (_, Some(1)) => return Form::default(),
            (Some(a), Some(by)) if a >= 0 && by > 0 => return Form::constant(a % by),
            _ => {}
        }
        if !self.atoms.is_launch_wide(by) {
            return self.atoms.free(Vec::new());
        }
        if self.atoms.is_launch_wide(a) {
            return self.unknown(Op::Rem, Some(Scalar::U32), &[a.clone(), by.clone()], Vec::new());
        }
        let (id, is_new) = self.atoms.intern(Atom::Remainder(a.clone(), by.clone()));
        if is_new && by.is_natural() {
            self.atoms.limit(id, Limit::always(by.clone()));
        }
        Form::atom(id)
    }

    fn least(&mut self, a: &Form, b: &Form) -> Form {
        if self.atoms.is_launch_wide(a) && self.atoms.is_launch_wide(b) {
            let mut requires = vec![self.fits(a), self.fits(b)];
            return match (self.atoms.bound(a, &mut requires), self.atoms.bound(b, &mut requires)) {
                (Some(a), Some(b)) => self.atoms.computed(Bound::binary(BoundOp::Min, a, b), requires),
                _ => self.unknown(Op::Min, Some(Scalar::U32), &[a.clone(), b.clone()], Vec::new()),
            };
        }
        let limits = [a, b]
            .into_iter()
            .filter(|form| form.is_natural() && self.atoms.is_launch_wide(form))
            .map(|form| Limit::always(form.add(&Form::constant(1))))
            .collect();
        self.atoms.free(limits)
    }

    /// One of several numbers; which one, is not known.
    pub(super) fn either(&mut self, forms: &[Form], value: ValueId) -> Form {
        if self.is_launch_wide(value) {
            return self.atoms.uniform(Uniform::Value(value));
        }
        let most: Option<Vec<i128>> = forms.iter().map(|form| self.most(form)?.as_constant()).collect();
        let below = most.and_then(|most| most.into_iter().max()).map(|most| Form::constant(most + 1));
        self.atoms.free(below.map(Limit::always).into_iter().collect())
    }
}
