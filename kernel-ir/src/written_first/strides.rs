//! Loops whose invocations take turns with the numbers below an end: `(local..end).step_by(width)`, and the same by `while`.

use super::sums::{Counter, Sum, Sums};
use crate::ir::{BlockId, InstId, InstKind, ValueId};
use crate::op::Op;
use crate::rounds::Counter as Rounds;

/// A loop that comes to each number below an end, in one invocation.
pub(super) struct Stride {
    /// Position in the body of the `if` that decides whether there is another round.
    pub(super) exit: usize,
    /// The values that are the number of the round.
    pub(super) numbers: Vec<ValueId>,
    /// All of them.
    pub(super) sum: Sum,
}

/// The numbers that a loop's invocations take turns with; `None` where they do not, or leave some out.
pub(super) fn strided<'m, D: Fn(ValueId) -> Option<&'m InstKind>>(
    rounds: &Rounds<'_, impl Fn(ValueId) -> Option<InstId>>,
    sums: &Sums<'m, D>,
    initial: &[ValueId],
    body: BlockId,
) -> Option<Stride> {
    let exit = rounds.only_exit(body)?;
    let block = &rounds.function.blocks[body];
    let view = View { sums };
    let [counter, end] = view.both(exit.condition, Op::Lt).filter(|_| exit.stays_if)?;
    let at = block.params.iter().position(|param| *param == counter)?;
    let [_, step] = view.both(exit.next[at], Op::Add).filter(|sum| sum[0] == counter)?;
    let (numbers, start, end, step) = match view.constant(end) {
        Some(end) => (vec![counter], initial[at], end, view.constant(step)?),
        None => {
            // `start + k * step`, where `k` counts the steps that fit.
            let is_counted = view.constant(initial[at]) == Some(0) && view.constant(step) == Some(1);
            let (start, end, step) = view.fitting(end).filter(|_| is_counted)?;
            let is_way = |value: ValueId| match view.both(value, Op::Mul) {
                Some([count, by]) => count == counter && view.constant(by) == Some(step),
                None => false,
            };
            let is_number = |value: &ValueId| match view.both(*value, Op::Add) {
                Some([a, b]) => a == start && is_way(b),
                None => false,
            };
            let results = block.insts.iter().flat_map(|id| &rounds.function.insts[*id].results).copied();
            (results.filter(is_number).collect(), start, end, step)
        }
    };
    let (starts, axes) = sums.of(start)?.positions()?;
    // A sum that wraps starts anew.
    let is_whole = starts == step && end > 0 && end.checked_add(step).is_some();
    is_whole.then(|| Stride { exit: exit.at, numbers, sum: Sum::counter(Counter::Stride(body, axes), end) })
}

struct View<'s, 'm, D> {
    sums: &'s Sums<'m, D>,
}

impl<'m, D: Fn(ValueId) -> Option<&'m InstKind>> View<'_, 'm, D> {
    fn operands(&self, value: ValueId, wanted: Op) -> Option<&'m [ValueId]> {
        match (self.sums.definition)(value)? {
            InstKind::Op(op, operands) if *op == wanted => Some(operands),
            _ => None,
        }
    }

    fn both(&self, value: ValueId, wanted: Op) -> Option<[ValueId; 2]> {
        self.operands(value, wanted)?.try_into().ok()
    }

    fn constant(&self, value: ValueId) -> Option<u32> {
        self.sums.of(value)?.constant()
    }

    /// The start, the end and the step of a range whose steps a value counts: what is between the first two divided by the step, and one
    /// more where something is left over.
    fn fitting(&self, count: ValueId) -> Option<(ValueId, u32, u32)> {
        let [quotient, more] = self.both(count, Op::Add)?;
        let [span, step] = self.both(quotient, Op::Div)?;
        let [rest, zero] = self.both(self.operands(more, Op::Cast)?[0], Op::Ne)?;
        let step = self.constant(step)?;
        let is_rest = self.both(rest, Op::Rem).is_some_and(|[of, by]| of == span && self.constant(by) == Some(step));
        if !is_rest || self.constant(zero) != Some(0) {
            return None;
        }
        // `if start < end { end - start } else { 0 }`
        let &[is_below, difference, nothing] = self.operands(span, Op::Select)? else { return None };
        let [end, start] = self.both(difference, Op::Sub)?;
        let is_span = self.both(is_below, Op::Lt) == Some([start, end]) && self.constant(nothing) == Some(0);
        Some((start, self.constant(end).filter(|_| is_span)?, step))
    }
}
