//! Rows of which each is one longer than the one before: the place of a row is half of a product, `i * (i + 1) / 2`.

use super::access::Fact;
use super::atoms::{Atom, Less, Limit};
use super::form::Form;
use super::index::Index;
use super::mutants::{Mutant, shift};
use super::rules::Pair;
use super::weighing::Solved;
use crate::ir::{InstKind, ValueId};
use crate::op::Op;

impl Index<'_> {
    /// The smaller factor of a product of two numbers, one after the other.
    pub(super) fn side_of_triangle(&mut self, product: ValueId) -> Option<Form> {
        let Some(InstKind::Op(Op::Mul, operands)) = self.definition(product) else { return None };
        let (a, b) = (self.form(operands[0]), self.form(operands[1]));
        if self.atoms.is_launch_wide(&a) {
            return None;
        }
        match b.sub(&a).reduced().as_constant()? {
            1 => Some(a),
            -1 => Some(b),
            _ => None,
        }
    }
}

impl Pair<'_, '_> {
    /// `i * (i + 1) / 2 + j` tells both numbers where `j` is no greater than `i`, and the product is one of 32 bits.
    pub(super) fn triangles(&mut self, left: &Form, right: &Form) -> Option<Solved> {
        let [(first, rest), (second, other)] = [self.triangle(left, 0)?, self.triangle(right, 1)?];
        let mut conditions = self.is_side(&first, 0)?;
        conditions.extend(self.is_side(&second, 1)?);
        self.accept(conditions)?;
        Some(Solved::Both([(first, second), (rest, other)]))
    }

    /// The side of the triangle that a form is, and the rest, which is no greater.
    fn triangle(&self, form: &Form, side: usize) -> Option<(Form, Form)> {
        let (atom, of) = form.terms().iter().find_map(|(product, factor)| match (&product[..], factor) {
            ([atom], 1) => match self.index.atoms.get(*atom) {
                Atom::Triangle(of) => Some((*atom, of.clone())),
                _ => None,
            },
            _ => None,
        })?;
        let rest = form.sub(&Form::atom(atom));
        let end = of.add(&Form::constant(1 + shift(Mutant::Triangle, 0))).reduced();
        // The product of zero and the number before it is that of one and zero: a rest that is below the number tells them apart.
        let begins_at_zero = of.as_atom().is_some();
        (rest.is_zero() && begins_at_zero || self.sides[side].facts.contains(&Fact::Order(rest.clone(), end)))
            .then_some((of, rest))
    }

    /// Conditions under which the side of a triangle is below 2^16.
    fn is_side(&mut self, side: &Form, of: usize) -> Option<Vec<Less>> {
        let offset = side.constant_part();
        let atom = side.sub(&Form::constant(offset)).as_atom().filter(|_| (-1..=0).contains(&offset))?;
        let most = Form::constant((1 << 16) + 1);
        let mut ways: Vec<Vec<Less>> = Vec::new();
        for Limit { below, mut requires } in self.limits(atom, of) {
            if below.as_constant().is_some_and(|below| below > 1 << 16) {
                continue;
            }
            if !self.is_less(&below, &most) {
                requires.push(Less(below, most.clone()));
            }
            if self.expressible(&requires) && requires.iter().all(|less| self.is_allowed(less)) {
                ways.push(requires);
            }
        }
        ways.into_iter().min_by_key(Vec::len)
    }
}
