//! Numbers of the launch compared: whether one is below another on every launch, and how the host finds out.

use super::atoms::{Atom, Less, Uniform};
use super::form::{AtomId, Form, Product};
use super::index::{Index, WORD};
use crate::ir::{Bound, BoundOp};

/// Whether one form is below another for all launches in which anybody has to do with them.
pub(super) fn is_certainly_less(index: &Index<'_>, low: &Form, high: &Form) -> bool {
    let spare = high.sub(low).sub(&Form::constant(1));
    let is_natural = |spare: Option<Form>| spare.is_some_and(|spare| spare.is_natural());
    if spare.is_natural()
        || is_natural(with_dividends(index, &spare))
        || is_natural(with_groups(index, &spare))
        || is_natural(with_differences(index, &spare))
    {
        return true;
    }
    // A single number of 32 bits, less something, is below 2^32.
    if high.as_constant() == Some(WORD) {
        let mut varying = low.terms().iter().filter(|(product, _)| !product.is_empty());
        let is_word = |atom: AtomId| match index.atoms.get(atom) {
            Atom::Uniform(Uniform::Known(bound)) => is_word(bound),
            Atom::Uniform(Uniform::Memory(..) | Uniform::Size(..) | Uniform::Op(..)) => true,
            _ => false,
        };
        let first = varying.next();
        let rest = low.constant_part();
        return varying.next().is_none()
            && rest <= 0
            && first.is_none_or(|(product, factor)| {
                *factor == 1 && (product.len() == 1 && is_word(product[0]) || are_sides(index, product))
            });
    }
    // Sizes of the launch are at least one.
    let sizes = |atom: &AtomId| {
        matches!(index.atoms.get(*atom), Atom::Uniform(Uniform::Known(Bound::Items(_) | Bound::Groups(_))))
    };
    let mut least = 0i128;
    for (product, factor) in spare.terms() {
        match (product.is_empty(), *factor >= 0) {
            (true, _) => least += factor,
            (false, true) if product.iter().all(sizes) => least += factor,
            (false, true) => {}
            (false, false) => return false,
        }
    }
    least >= 0
}

/// Whether these are sides of one image: it has fewer than 2^32 texels.
fn are_sides(index: &Index<'_>, product: &[AtomId]) -> bool {
    let mut sides = product.iter().map(|atom| match index.atoms.get(*atom) {
        Atom::Uniform(Uniform::Size(image, axis)) => Some((*image, *axis)),
        _ => None,
    });
    let Some(Some((image, mut last))) = sides.next() else { return false };
    sides.all(|side| {
        side.is_some_and(|(of, axis)| of == image && std::mem::replace(&mut last, axis) != axis)
            && product.iter().enumerate().all(|(at, atom)| !product[..at].contains(atom))
    })
}

/// A form with as many invocations as the workgroups have in place of those along an axis that are taken away.
fn with_groups(index: &Index<'_>, form: &Form) -> Option<Form> {
    let mut with = form.clone();
    while let Some((product, factor, at)) = with.terms().iter().find_map(|(product, factor)| {
        let is_items = |atom: &AtomId| matches!(index.atoms.get(*atom), Atom::Uniform(Uniform::Known(Bound::Items(_))));
        let at = product.iter().position(is_items)?;
        (*factor < 0).then(|| (product.clone(), *factor, at))
    }) {
        let Atom::Uniform(Uniform::Known(Bound::Items(axis))) = index.atoms.get(product[at]) else { return None };
        let width = index.kernel.workgroup[usize::from(*axis)].known()?;
        let groups = index.atoms.find(&Atom::Uniform(Uniform::Known(Bound::Groups(*axis))))?;
        let mut more = Product::new();
        product[..at].iter().chain(&product[at + 1..]).chain([&groups]).for_each(|atom| more.push(*atom));
        more.sort_unstable();
        with = with.sub(&Form::of(vec![(product, factor)])).add(&Form::of(vec![(more, factor * i128::from(width))]));
    }
    (with != *form).then_some(with)
}

/// A form with `n` in place of `k` times a `k`-th of it that is taken away, where it is no greater for it.
fn with_dividends(index: &Index<'_>, form: &Form) -> Option<Form> {
    let mut with = form.clone();
    for (product, factor) in form.terms() {
        let ([atom], true) = (&product[..], *factor < 0) else { continue };
        let Atom::Uniform(Uniform::Known(Bound::Binary(BoundOp::Div, operands))) = index.atoms.get(*atom) else {
            continue;
        };
        let Bound::Const(by) = operands[1] else { continue };
        let whole = index.atoms.find(&Atom::Uniform(Uniform::Known(operands[0].clone())));
        let (by, Some(whole)) = (i128::from(by), whole) else { continue };
        if by > 0 && factor % by == 0 {
            with = with.sub(&Form::of(vec![(product.clone(), *factor)])).add(&Form::atom(whole).scale(factor / by));
        }
    }
    (with != *form).then_some(with)
}

/// A form with `a - b` in place of the number that is this where `a` is greater, and else zero, which nobody is below.
fn with_differences(index: &Index<'_>, form: &Form) -> Option<Form> {
    let mut with = form.clone();
    for (product, factor) in form.terms() {
        let [atom] = &product[..] else { continue };
        let Atom::Uniform(Uniform::Known(Bound::Binary(BoundOp::Sub, operands))) = index.atoms.get(*atom) else {
            continue;
        };
        let [Some(high), Some(low)] = [&operands[0], &operands[1]].map(|bound| form_of(index, bound)) else { continue };
        let difference = high.sub(&low).scale(*factor);
        with = with.sub(&Form::of(vec![(product.clone(), *factor)])).add(&difference);
    }
    (with != *form).then_some(with)
}

/// The form that the host computes as `bound`.
fn form_of(index: &Index<'_>, bound: &Bound) -> Option<Form> {
    match bound {
        Bound::Const(number) => Some(Form::constant((*number).into())),
        Bound::Binary(BoundOp::Add, operands) => {
            Some(form_of(index, &operands[0])?.add(&form_of(index, &operands[1])?))
        }
        bound => index.atoms.find(&Atom::Uniform(Uniform::Known(bound.clone()))).map(Form::atom),
    }
}

fn is_word(bound: &Bound) -> bool {
    match bound {
        Bound::Const(_)
        | Bound::Items(_)
        | Bound::Groups(_)
        | Bound::Len(_)
        | Bound::Extent(..)
        | Bound::Least(_)
        | Bound::LeastExtent(..)
        | Bound::Constant(_)
        | Bound::Param(..) => true,
        Bound::Binary(BoundOp::Min, operands) => operands.iter().any(is_word),
        Bound::Binary(BoundOp::Div | BoundOp::Sub, operands) => is_word(&operands[0]),
        Bound::Binary(..) => false,
    }
}

/// The two sides of a condition, without what both have.
pub(super) fn sides_of(index: &Index<'_>, less: &Less) -> (Form, Form) {
    // A number that has to stay small may as well be smaller.
    let low = if less.1.as_constant().is_some() { index.at_most(&less.0) } else { less.0.clone() };
    let (added, taken) = less.1.sub(&low).halves();
    (taken, added)
}

/// The two numbers of a condition, as the host computes them, with conditions under which it computes them rightly.
pub(super) fn bounds_of(index: &Index<'_>, less: &Less) -> Option<(Bound, Bound, Vec<Less>)> {
    let (taken, added) = sides_of(index, less);
    let mut requires = Vec::new();
    let low = index.atoms.bound(&taken, &mut requires)?;
    let high = index.atoms.bound(&added, &mut requires)?;
    Some((low, high, requires))
}
