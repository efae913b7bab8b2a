//! How much a condition asks of a launch: nothing that a sensible launch would break, or no proof rests on it.

use super::atoms::{Atom, Less, Uniform};
use super::form::{AtomId, Form};
use super::index::Index;
use super::less::{is_certainly_less, sides_of};
use crate::ir::Bound;

/// The most that conditions ask of a launch, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Demand {
    /// Each launch meets them.
    Nothing,
    /// No index wraps around at 2^32, or below zero.
    NoWrap,
    /// A row is as long as what lies in it: its length is a number that all invocations along an axis, or other numbers of the launch,
    /// stay below.
    Extent,
    /// A row is as long as whole workgroups: the kernel has no condition that leaves part of the last one out.
    WholeTiles,
}

impl Demand {
    /// All that a proof may ask for, the least first.
    pub(super) const EACH: [Self; 3] = [Self::NoWrap, Self::Extent, Self::WholeTiles];
}

/// Numbers above are those of 32 bits, less something.
const LARGE: i128 = 1 << 31;
/// Larger coefficients stand for negative ones, unless they are powers of two.
const MOST: i128 = 1 << 20;

/// How much a condition asks for; `None` where launches that do not race might well break it.
pub(super) fn of(index: &Index<'_>, less: &Less) -> Option<Demand> {
    if is_certainly_less(index, &less.0, &less.1) {
        return Some(Demand::Nothing);
    }
    let (taken, added) = sides_of(index, less);
    // A number that another one is taken from is no smaller, so that the difference does not wrap: `1 < n + 1`.
    if taken.is_zero() && less.0.as_constant().is_some_and(|low| low > 0) {
        return Some(Demand::NoWrap);
    }
    let is_known = |factor: i128| factor <= MOST || factor.count_ones() == 1;
    let is_small = |form: &Form| form.terms().iter().all(|(product, factor)| product.is_empty() || is_known(*factor));
    if !is_small(&taken) || !is_small(&added) {
        return None;
    }
    if added.constant_part() >= LARGE {
        return Some(Demand::NoWrap);
    }
    let degree = |form: &Form| form.terms().iter().map(|(product, _)| product.len()).max().unwrap_or(0);
    // A product below a number of another kind: rows times workgroups below the length of a row.
    if degree(&taken) > degree(&added).max(1) || taken.constant_part() >= LARGE {
        return None;
    }
    let has = |form: &Form, is: fn(&Bound) -> bool| form.atoms().any(|atom| names(index, atom, is));
    let is_len: fn(&Bound) -> bool = |bound| matches!(bound, Bound::Len(_));
    let is_groups: fn(&Bound) -> bool = |bound| matches!(bound, Bound::Groups(_));
    let is_items: fn(&Bound) -> bool = |bound| matches!(bound, Bound::Items(_));
    match (has(&taken, is_groups), has(&taken, is_items)) {
        (true, _) => Some(Demand::WholeTiles),
        (false, true) => Some(Demand::Extent),
        // Whoever makes a tensor of numbers that are checked has it as long as what it goes with.
        (false, false) if has_checked(index, &added) => Some(Demand::Extent),
        // As is one of cells, whose first changes decide.
        (false, false) if has_firsts(index, &added) => Some(Demand::Extent),
        // Tensors may be of any length.
        (false, false) if has(&taken, is_len) || taken.as_constant().is_none() && has(&added, is_len) => None,
        (false, false) => Some(Demand::Extent),
    }
}

/// Whether a number of the launch is computed from something.
fn names(index: &Index<'_>, atom: AtomId, is: fn(&Bound) -> bool) -> bool {
    fn within(bound: &Bound, is: fn(&Bound) -> bool) -> bool {
        match bound {
            Bound::Binary(_, parts) => parts.iter().any(|part| within(part, is)),
            bound => is(bound),
        }
    }
    matches!(index.atoms.get(atom), Atom::Uniform(Uniform::Known(bound)) if within(bound, is))
}

/// Whether a form speaks of the length of a buffer whose elements were checked.
fn has_checked(index: &Index<'_>, form: &Form) -> bool {
    form.atoms().any(|atom| match index.atoms.get(atom) {
        Atom::Uniform(Uniform::Known(Bound::Len(buffer))) => index.kernel.buffers[*buffer].checked.is_some(),
        _ => false,
    })
}

/// Whether a form speaks of the length of a buffer whose cells invocations may be the first to change.
fn has_firsts(index: &Index<'_>, form: &Form) -> bool {
    form.atoms().any(|atom| match index.atoms.get(atom) {
        Atom::Uniform(Uniform::Known(Bound::Len(buffer))) => index.firsts.has(*buffer),
        _ => false,
    })
}
