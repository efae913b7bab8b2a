//! Values that operations on bits give: masks, shifts by numbers of the launch, exclusive ors.

use super::atoms::{Atom, Less, Limit, Uniform};
use super::form::{AtomId, Form, Product};
use super::index::{Index, WORD};
use crate::ir::{Bound, BoundOp};
use crate::op::Op;
use crate::types::Scalar;

impl Index<'_> {
    pub(super) fn and(&mut self, a: &Form, b: &Form) -> Form {
        let (a, mask) = match (a.as_constant(), b.as_constant()) {
            (Some(mask), _) => (b, mask),
            (_, Some(mask)) => (a, mask),
            _ => {
                // One less than a power of two: the remainder.
                for (a, mask) in [(a, b), (b, a)] {
                    let power = mask.add(&Form::constant(1));
                    if power.as_atom().is_some_and(|atom| self.is_power(atom)) {
                        return self.remainder(a, &power);
                    }
                }
                return self.unknown(Op::And, Some(Scalar::U32), &[a.clone(), b.clone()], Vec::new());
            }
        };
        let mask = mask as u32;
        if mask.wrapping_add(1).is_power_of_two() {
            return self.remainder(a, &Form::constant(i128::from(mask) + 1));
        }
        if (!mask).wrapping_add(1).is_power_of_two() && mask != 0 {
            let rest = self.remainder(a, &Form::constant(i128::from(!mask) + 1));
            return a.sub(&rest);
        }
        let limit = Limit::always(Form::constant(i128::from(mask) + 1));
        self.unknown(Op::And, Some(Scalar::U32), &[a.clone(), Form::constant(mask.into())], vec![limit])
    }

    /// Whether each of two numbers is what the other is exchanged for.
    pub(super) fn are_exchanged(&self, a: &Form, b: &Form) -> bool {
        let is_of = |whole: &Form, part: &Form| {
            whole.as_atom().is_some_and(|atom| matches!(self.atoms.get(atom), Atom::Exchanged(of, _) if of == part))
        };
        is_of(a, b) || is_of(b, a)
    }

    pub(super) fn exchanged(&mut self, a: &Form, by: &Form) -> Form {
        // Below a power of two it stays there.
        let most = self.most(a).and_then(|most| most.as_constant()).zip(by.as_constant());
        let below = most.filter(|(a, by)| (0..WORD / 2).contains(&(*a).max(*by)));
        let below = below.map(|(a, by)| Form::constant(i128::from((a.max(by) as u32 + 1).next_power_of_two())));
        let (id, is_new) = self.atoms.intern(Atom::Exchanged(a.clone(), by.clone()));
        if let Some(below) = below.filter(|_| is_new) {
            self.atoms.limit(id, Limit::always(below));
        }
        Form::atom(id)
    }

    /// Two to the power of a number of the launch, of which the last five bits count, as shifts take it.
    pub(super) fn power(&mut self, of: &Form) -> Option<Form> {
        let constant = |product: &Product| product.is_empty();
        let offset = of.terms().iter().find(|(product, _)| constant(product)).map_or(0, |(_, offset)| *offset);
        let offset = offset.clamp(0, 31);
        let rest = of.sub(&Form::constant(offset));
        let mut requires = Vec::new();
        if offset > 0 {
            // No bit of the sum is left out.
            requires.push(Less(of.clone(), Form::constant(32)));
        }
        let bound = self.atoms.bound(&rest, &mut requires)?;
        let power = self.atoms.computed(Bound::binary(BoundOp::Shl, Bound::Const(1), bound), requires);
        Some(power.scale(1 << offset))
    }

    /// Whether a variable is a power of two.
    fn is_power(&self, atom: AtomId) -> bool {
        matches!(
            self.atoms.get(atom),
            Atom::Uniform(Uniform::Known(Bound::Binary(BoundOp::Shl, operands))) if operands[0] == Bound::Const(1)
        )
    }

    /// Whether a number is a multiple of a power of two that another one is below.
    fn is_of_higher(&self, high: &Form, low: &Form) -> bool {
        let Some(power) = low.as_atom().and_then(|atom| match self.atoms.get(atom) {
            Atom::Remainder(_, by) => by.as_atom().filter(|by| self.is_power(*by)),
            _ => None,
        }) else {
            return false;
        };
        high.terms().iter().all(|(product, _)| product.contains(&power))
    }

    /// Whether two numbers have no bit in common, for certain.
    pub(super) fn are_apart(&self, a: &Form, b: &Form) -> bool {
        if self.is_of_higher(a, b) || self.is_of_higher(b, a) {
            return true;
        }
        let zeros = |form: &Form| form.terms().iter().map(|(_, factor)| factor.trailing_zeros()).min().unwrap_or(32);
        let fits = |high: &Form, low: &Form| {
            self.most(low).and_then(|most| most.as_constant()).is_some_and(|most| most < 1 << zeros(high).min(32))
        };
        fits(a, b) || fits(b, a)
    }
}
