//! Counts accesses and checks in a module of the back end's, for figures.

/// Opcodes that are looked at.
const FUNCTION: u32 = 54;
const FUNCTION_CALL: u32 = 57;
const ACCESS_CHAIN: u32 = 65;
const ATOMIC_COMPARE_EXCHANGE: u32 = 230;

/// Accesses of memory and the checks that are left around them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Places that code reaches: elements and fields of buffers, shared variables and locals.
    pub accesses: usize,
    /// Places where a trap is recorded: indices out of range, divisors of zero, what the author asserts.
    pub checks: usize,
}

/// Counts in the words of a module, whole or a variant. Those that are no module have none.
///
/// ```
/// use gridwise_ir::variant::{Tally, tally};
///
/// assert_eq!(tally(&[]), Tally { accesses: 0, checks: 0 });
/// ```
pub fn tally(words: &[u32]) -> Tally {
    // A function that records a trap claims the record, and no other function that is called does that.
    let mut recorders = Vec::new();
    let mut function = 0;
    each(words, |opcode, operands| match opcode {
        FUNCTION => function = operands.get(1).copied().unwrap_or(0),
        ATOMIC_COMPARE_EXCHANGE if !recorders.contains(&function) => recorders.push(function),
        _ => {}
    });
    let mut found = Tally::default();
    let mut is_recorder = false;
    each(words, |opcode, operands| match opcode {
        FUNCTION => is_recorder = operands.get(1).is_some_and(|id| recorders.contains(id)),
        ACCESS_CHAIN if !is_recorder => found.accesses += 1,
        FUNCTION_CALL if operands.get(2).is_some_and(|id| recorders.contains(id)) => found.checks += 1,
        _ => {}
    });
    found
}

/// Visits each instruction: its opcode and operands.
fn each(words: &[u32], mut visit: impl FnMut(u32, &[u32])) {
    const HEADER: usize = 5;
    let mut rest = words.get(HEADER..).unwrap_or_default();
    while let Some(first) = rest.first() {
        let len = (first >> 16) as usize;
        let Some(operands) = rest.get(1..len) else { return };
        visit(first & 0xffff, operands);
        rest = &rest[len..];
    }
}
