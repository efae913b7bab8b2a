//! The greatest values of forms, and the host's computation of them.

use super::atoms::{Atom, Less, Uniform};
use super::form::{AtomId, Form, Product};
use super::index::{Index, WORD};
use crate::ir::{Bound, BoundOp};
use crate::op::Op;

impl Index<'_> {
    /// The host's computation of a form that is not negative where any invocation has to do with it.
    pub(super) fn bound_of(&self, form: &Form, requires: &mut Vec<Less>) -> Option<Bound> {
        let (added, taken) = form.halves();
        let added = self.atoms.bound(&added, requires)?;
        Some(Bound::binary(BoundOp::Sub, added, self.atoms.bound(&taken, requires)?))
    }

    /// A form with numbers of the device, which the host does not know, at their greatest, and at zero where they are taken away.
    pub(super) fn at_most(&self, form: &Form) -> Form {
        let invocations =
            self.kernel.workgroup.iter().map(|width| width.known().map(i128::from)).product::<Option<i128>>();
        let mut sum = Form::default();
        let is_of_device =
            |atom: &AtomId| matches!(self.atoms.get(*atom), Atom::Uniform(Uniform::Op(Op::Uniform, None, _)));
        for (product, factor) in form.terms() {
            if *factor < 0 && product.iter().any(is_of_device) {
                continue;
            }
            let mut term = Form::constant(*factor);
            for atom in product.iter() {
                let most = match self.atoms.get(*atom) {
                    Atom::Uniform(Uniform::Op(Op::Uniform, None, which)) => match which[0].as_constant() {
                        Some(0) => Some(128),
                        _ => invocations,
                    },
                    _ => None,
                };
                term = term.mul(&most.map_or(Form::atom(*atom), Form::constant));
            }
            sum = sum.add(&term);
        }
        sum
    }

    /// The condition that a natural form is below 2^32, so that it is the number itself.
    pub(super) fn fits(&self, form: &Form) -> Less {
        Less(form.clone(), Form::constant(WORD))
    }

    /// The greatest value of a form over all invocations, as a form of the launch, by limits that always hold. Where there is one, the
    /// form is never negative.
    pub(super) fn most(&self, form: &Form) -> Option<Form> {
        if !form.is_natural() {
            return None;
        }
        let mut most = Form::default();
        for (product, factor) in form.terms() {
            let mut term = Form::constant(*factor);
            for atom in product.iter() {
                let limit = match self.atoms.is_uniform(*atom) {
                    true => Form::atom(*atom),
                    false => self.least_limit(*atom)?.sub(&Form::constant(1)),
                };
                term = term.mul(&limit);
            }
            most = most.add(&term);
        }
        Some(most)
    }

    /// The terms of a form that are numbers of the launch.
    pub(super) fn uniform_part(&self, form: &Form) -> Form {
        let is_uniform = |product: &Product| product.iter().all(|atom| self.atoms.is_uniform(*atom));
        Form::of(form.terms().iter().filter(|(product, _)| is_uniform(product)).cloned().collect())
    }

    fn least_limit(&self, atom: AtomId) -> Option<Form> {
        let always = self.atoms.limits(atom).iter().filter(|limit| limit.requires.is_empty()).map(|limit| &limit.below);
        always.min_by_key(|below| below.as_constant().unwrap_or(i128::MAX)).cloned()
    }
}
