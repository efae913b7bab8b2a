//! Numbers whose bits are mixed so that different numbers stay different: `i ^ (i >> 1)`, and bits in reverse order.

use super::atoms::{Atom, Limit, Mix};
use super::form::Form;
use super::index::{Index, WORD};
use super::mutants::{Mutant, shift};

impl Index<'_> {
    /// How `b` is `a` shifted, by a bit at least: then `a ^ b` is another number for each `a`.
    pub(super) fn shifts(&self, a: &Form, b: &Form) -> Option<Mix> {
        let least = shift(Mutant::Mixed, 1) as u32;
        if let Some(Atom::Quotient(of, by)) = b.as_atom().map(|atom| self.atoms.get(atom)) {
            let by = by.as_constant().filter(|by| (1..WORD).contains(by) && by.count_ones() == 1)?;
            let bits = by.trailing_zeros();
            return (of == a && bits >= least).then_some(Mix::Right(bits));
        }
        let is_shifted = |bits: &u32| *b == a.scale(1 << bits).reduced();
        (least..32).find(is_shifted).map(Mix::Left)
    }

    /// `a ^ b`, where `b` is `a` shifted.
    pub(super) fn mixed(&mut self, a: &Form, b: &Form) -> Form {
        let Some(mix) = self.shifts(a, b) else { return self.atoms.free(Vec::new()) };
        let (id, is_new) = self.atoms.intern(Atom::Mixed(a.clone(), mix));
        // Shifted to the right, no bit comes to stand higher.
        let most = self.most(a).and_then(|most| most.as_constant()).filter(|most| (0..WORD / 2).contains(most));
        if let (true, Mix::Right(_), Some(most)) = (is_new, mix, most) {
            let below = (most as u32 + 1).next_power_of_two();
            self.atoms.limit(id, Limit::always(Form::constant(below.into())));
        }
        Form::atom(id)
    }

    /// The bits of a number in reverse order, without the lowest, which are zero.
    pub(super) fn reversed(&mut self, of: &Form, without: u32) -> Form {
        let (id, is_new) = self.atoms.intern(Atom::Mixed(of.clone(), Mix::Reversed(without)));
        if is_new {
            self.atoms.limit(id, Limit::always(Form::constant(WORD >> without)));
        }
        Form::atom(id)
    }

    /// Reversed bits without the lowest ones, where the number itself is so small that those are zero.
    pub(super) fn part_of_reversed(&mut self, reversed: &Form, bits: u32) -> Option<Form> {
        let Atom::Mixed(of, Mix::Reversed(0)) = self.atoms.get(reversed.as_atom()?) else { return None };
        let of = of.clone();
        let most = self.most(&of)?.as_constant()?;
        (most < (WORD >> bits) + shift(Mutant::Reversed, 0)).then(|| self.reversed(&of, bits))
    }
}
