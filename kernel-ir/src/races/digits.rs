//! The digits of an equation, and the order of their weights.

use super::atoms::Limit;
use super::form::{AtomId, Form, Product};

/// Sums of digits that are kept, each by other limits.
pub(super) const MOST_SUMS: usize = 6;

/// A difference of one variable between two accesses.
#[derive(Clone)]
pub(super) struct Digit {
    pub(super) factor: Form,
    /// Limits of its variable, each with the conditions under which it holds.
    pub(super) most: Vec<Limit>,
    pub(super) atom: Option<AtomId>,
    pub(super) is_offset: bool,
    /// Of a variable or number of one side only, whether it is added; else it may be as much less as more.
    pub(super) adds: Option<bool>,
    /// The variables it stands for.
    pub(super) of: [Option<AtomId>; 2],
    /// The form whose value it is.
    pub(super) form: Option<Form>,
}

/// The greatest that digits come to, or the greatest of what is missing.
pub(super) fn totals(digits: &[Digit], adds: bool) -> Vec<Limit> {
    let mut sums = vec![Limit::always(Form::default())];
    for digit in digits {
        if digit.is_offset {
            let offset = digit.factor.scale(if digit.adds == Some(adds) { 1 } else { -1 });
            sums.iter_mut().for_each(|sum| sum.below = sum.below.add(&offset));
        } else if digit.adds.is_none_or(|only| only == adds) {
            sums = add(&sums, digit);
        }
    }
    sums
}

pub(super) fn add(sums: &[Limit], digit: &Digit) -> Vec<Limit> {
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

/// The order of coefficients of which nobody knows which is smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// By their factors.
    Factors,
    /// By the numbers of the launch in them: all multiples of one come after all of another.
    Products,
    /// The same the other way round.
    LastProducts,
}

/// The orders that make a difference.
pub(super) fn orders(digits: &[Digit]) -> &'static [Order] {
    let product = |digit: &Digit| digit.factor.terms().first().map(|(product, _)| product.clone());
    let mut products: Vec<Product> = digits.iter().filter_map(product).collect();
    products.sort_unstable();
    products.dedup();
    let is_one = products.windows(2).all(|pair| pair[0].len() != pair[1].len());
    if is_one { &[Order::Factors] } else { &[Order::Factors, Order::Products, Order::LastProducts] }
}

/// Smaller coefficients first, as far as that can be told.
pub(super) fn sort(digits: &mut [Digit], order: Order) {
    let degree = |form: &Form| form.terms().iter().map(|(product, _)| product.len()).max().unwrap_or(0);
    let key = |digit: &Digit| {
        let factors = || digit.factor.terms().iter().map(|(_, factor)| *factor);
        // `n + 1` comes after `n`.
        (degree(&digit.factor), factors().max().unwrap_or(0), factors().fold(0i128, i128::saturating_add))
    };
    let products = |a: &Digit, b: &Digit| {
        let [a, b] = [a, b].map(|digit| digit.factor.terms().first().map(|(product, _)| product.clone()));
        match order {
            Order::Factors => std::cmp::Ordering::Equal,
            Order::Products => a.cmp(&b),
            Order::LastProducts => b.cmp(&a),
        }
    };
    digits.sort_by(|a, b| {
        let (has_limit_a, has_limit_b) = (a.most.is_empty(), b.most.is_empty());
        has_limit_a
            .cmp(&has_limit_b)
            .then_with(|| degree(&a.factor).cmp(&degree(&b.factor)))
            .then_with(|| products(a, b))
            .then_with(|| key(a).cmp(&key(b)))
            .then_with(|| a.factor.cmp(&b.factor))
    });
}
