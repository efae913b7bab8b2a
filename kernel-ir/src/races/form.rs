//! Polynomials over atoms: the normal form of indices. It knows nothing of invocations.
//!
//! The form of an index equals its value modulo 2^32: addition, subtraction and multiplication of 32-bit integers are those of
//! polynomials whatever wraps on the way. So [`Form::reduced`] may take the coefficients nearest to zero. Bounds are forms, too, and
//! are exact: nothing reduces them.

use std::cmp::Ordering;

use crate::few::Few;

/// A variable of forms, by its number in [`Atoms`](super::atoms::Atoms).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct AtomId(pub(super) u32);

/// Atoms that are multiplied, in order.
pub(super) type Product = Few<AtomId>;

/// A sum of products of atoms with coefficients. Terms are in order of their products, and no coefficient is zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct Form {
    terms: Vec<(Product, i128)>,
}

/// No coefficient that was computed exactly is larger: arithmetic here saturates far above.
const MOST: i128 = 1 << 100;

impl Form {
    pub(super) fn constant(number: i128) -> Self {
        Self::of(vec![(Product::new(), number)])
    }

    pub(super) fn atom(atom: AtomId) -> Self {
        Self { terms: vec![([atom].into(), 1)] }
    }

    /// Sums terms, which may be in any order.
    pub(super) fn of(mut terms: Vec<(Product, i128)>) -> Self {
        terms.sort_by(|a, b| a.0.cmp(&b.0));
        let mut sum: Vec<(Product, i128)> = Vec::with_capacity(terms.len());
        for (product, factor) in terms {
            match sum.last_mut() {
                Some((known, total)) if *known == product => *total = total.saturating_add(factor),
                _ => sum.push((product, factor)),
            }
        }
        sum.retain(|(_, factor)| *factor != 0);
        Self { terms: sum }
    }

    pub(super) fn terms(&self) -> &[(Product, i128)] {
        &self.terms
    }

    pub(super) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number, if it is one.
    pub(super) fn as_constant(&self) -> Option<i128> {
        match &self.terms[..] {
            [] => Some(0),
            [(product, factor)] if product.is_empty() => Some(*factor),
            _ => None,
        }
    }

    /// The number that is added to all others.
    pub(super) fn constant_part(&self) -> i128 {
        self.terms.iter().find(|(product, _)| product.is_empty()).map_or(0, |(_, number)| *number)
    }

    /// The atom, if it is one and nothing else.
    pub(super) fn as_atom(&self) -> Option<AtomId> {
        match &self.terms[..] {
            [(product, 1)] if product.len() == 1 => Some(product[0]),
            _ => None,
        }
    }

    /// The form with the coefficients nearest to zero that are the same modulo 2^32.
    pub(super) fn reduced(mut self) -> Self {
        self.terms.iter_mut().for_each(|(_, factor)| *factor = i128::from(*factor as i32));
        self.terms.retain(|(_, factor)| *factor != 0);
        self
    }

    /// Whether all coefficients are what exact arithmetic gives.
    pub(super) fn is_exact(&self) -> bool {
        self.terms.iter().all(|(_, factor)| (-MOST..MOST).contains(factor))
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        self.add_scaled(other, 1)
    }

    /// Adds another form so many times; both are in order.
    fn add_scaled(&self, other: &Self, by: i128) -> Self {
        let (mut mine, mut theirs) = (&self.terms[..], &other.terms[..]);
        let mut terms = Vec::with_capacity(mine.len() + theirs.len());
        loop {
            let order = match (mine.first(), theirs.first()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Self { terms },
            };
            let mut factor = 0i128;
            let product = if order.is_le() { &mine[0].0 } else { &theirs[0].0 };
            if order.is_le() {
                factor = mine[0].1;
            }
            if order.is_ge() {
                factor = factor.saturating_add(theirs[0].1.saturating_mul(by));
            }
            if factor != 0 {
                terms.push((product.clone(), factor));
            }
            if order.is_le() {
                mine = &mine[1..];
            }
            if order.is_ge() {
                theirs = &theirs[1..];
            }
        }
    }

    pub(super) fn scale(&self, by: i128) -> Self {
        if by == 0 {
            return Self::default();
        }
        let scaled = |(product, factor): &(Product, i128)| (product.clone(), factor.saturating_mul(by));
        Self { terms: self.terms.iter().map(scaled).collect() }
    }

    pub(super) fn sub(&self, other: &Self) -> Self {
        self.add_scaled(other, -1)
    }

    pub(super) fn mul(&self, other: &Self) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (a, factor) in &self.terms {
            for (b, by) in &other.terms {
                let mut product = a.clone();
                b.iter().for_each(|atom| product.push(*atom));
                product.sort_unstable();
                terms.push((product, factor.saturating_mul(*by)));
            }
        }
        Self::of(terms)
    }

    /// All atoms, some of them several times.
    pub(super) fn atoms(&self) -> impl Iterator<Item = AtomId> + '_ {
        self.terms.iter().flat_map(|(product, _)| product.iter().copied())
    }

    /// Whether no coefficient is negative.
    pub(super) fn is_natural(&self) -> bool {
        self.terms.iter().all(|(_, factor)| *factor >= 0)
    }

    /// The terms that are added, and those that are taken away, as natural forms.
    pub(super) fn halves(&self) -> (Self, Self) {
        let (added, taken): (Vec<_>, Vec<_>) = self.terms.iter().cloned().partition(|(_, factor)| *factor > 0);
        (Self { terms: added }, Self { terms: taken }.scale(-1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_normal() {
        let [a, b] = [0, 1].map(|id| Form::atom(AtomId(id)));
        let sum = a.add(&b);
        assert_eq!(sum.sub(&a), b);
        assert_eq!(sum.mul(&sum), a.mul(&a).add(&b.mul(&a).scale(2)).add(&b.mul(&b)));
        assert!(sum.sub(&sum).is_zero());
        assert_eq!(Form::constant(0xffff_ffff).reduced(), Form::constant(-1));
        assert_eq!(a.scale(1 << 32).reduced(), Form::default());
        assert_eq!(a.sub(&Form::constant(3)).halves(), (a, Form::constant(3)));
    }
}
