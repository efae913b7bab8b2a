//! The bounds of the rules, each of which a test may shift by one, to see that it is noticed. Nothing shifts them elsewhere.

/// A bound that a rule compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutant {
    /// The coefficient that the smaller digits stay below.
    Factor,
    /// The numbers that 32 bits have.
    Word,
    /// The number that a variable is below.
    Limit,
    /// The number that an index is below, behind a branch.
    Guard,
    /// The invocations along an axis, of which there is one.
    Single,
    /// The length that an index of a `Distinct` is below.
    Within,
    /// The rows between the offsets that an index is known to lie between.
    Rows,
    /// The largest offset that there is.
    Offset,
    /// The numbers that invocations claim elements with.
    Claims,
    /// The factors of two in a number that has an inverse.
    Odd,
    /// The least shift of a number that is mixed with itself.
    Mixed,
    /// The number that reversed bits are below.
    Reversed,
    /// The number that a form differs by less than, where its remainder tells it.
    Differs,
    /// The number that the rest beside a triangle's number is below.
    Triangle,
    /// The length of a row with which a diagonal goes on at the other end of the next one.
    Crossing,
    /// No bound: shifted, numbers need not be exchanged to make a circle.
    Circle,
    /// The length of a range of tickets.
    Drawn,
    /// No bound: shifted, any change of a cell is the first.
    First,
    /// No bound: shifted, any invocation of a subgroup is the one that was elected.
    Elected,
    /// No bound: shifted, both of a pair exchange numbers.
    Exchanged,
    /// No bound: shifted, what the launch chooses keeps two accesses apart whichever it chooses.
    Chosen,
    /// No bound: shifted, a barrier puts nothing in order.
    Barrier,
    /// No bound: shifted, an accessed cell counts as the invocation's own.
    Cell,
}

#[cfg(test)]
thread_local! {
    /// The bound that is shifted on this thread, and by what.
    pub(super) static SHIFTED: std::cell::Cell<Option<(Mutant, i128)>> = const { std::cell::Cell::new(None) };
}

/// The bound.
#[cfg(not(test))]
pub(super) fn shift(_: Mutant, bound: i128) -> i128 {
    bound
}

/// The bound, unless the test shifts it.
#[cfg(test)]
pub(super) fn shift(mutant: Mutant, bound: i128) -> i128 {
    bound + SHIFTED.get().filter(|(shifted, _)| *shifted == mutant).map_or(0, |(_, by)| by)
}
