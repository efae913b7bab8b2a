//! The number of rounds that the loops of a module have together, if constants tell. A processor's vector of
//! invocations runs each loop as often as that one of its invocations that runs it most often, so the loops of all
//! branches count.

use std::collections::HashMap;

use super::graph::{Function, Graph, Loop};
use crate::binary::{HEADER, Inst, inst_at, op, positions};

/// Whether an invocation of the module runs at most so many rounds.
pub(super) fn are_at_most(graph: &Graph<'_>, most: u32) -> bool {
    let made = Values::of(graph);
    let mut known = HashMap::new();
    let totals = graph.functions.iter().map(|function| made.rounds(function, &mut known));
    totals.into_iter().all(|total| total.is_some_and(|total| total <= u64::from(most)))
}

/// The values of a module.
struct Values<'g, 'a> {
    graph: &'g Graph<'a>,
    made: HashMap<u32, Inst<'a>>,
}

impl<'g, 'a> Values<'g, 'a> {
    fn of(graph: &'g Graph<'a>) -> Self {
        let insts = positions(graph.words, HEADER, graph.words.len()).map(|at| inst_at(graph.words, at));
        let made = insts.filter_map(|inst| match (inst.opcode, inst.words) {
            (op::CONSTANT | op::I_ADD | op::PHI | op::I_EQUAL..=op::S_LESS_THAN_EQUAL, [_, id, ..]) => {
                Some((*id, inst))
            }
            _ => None,
        });
        Self { graph, made: made.collect() }
    }

    /// Rounds of a function's loops and of those that it calls; `None` where they are not known.
    fn rounds(&self, function: &Function, known: &mut HashMap<u32, Option<u64>>) -> Option<u64> {
        if let Some(total) = known.get(&function.id) {
            return *total;
        }
        // Nothing calls itself; where it does all the same, its rounds are not known.
        known.insert(function.id, None);
        let trips: Option<Vec<u64>> = function.loops.iter().map(|of| self.trips(function, of)).collect();
        let total = trips.and_then(|trips| {
            // How often each block runs.
            let mut times = vec![1u64; function.blocks.len()];
            for (of, trips) in function.loops.iter().zip(&trips) {
                of.blocks.iter().for_each(|place| times[*place] = times[*place].saturating_mul(*trips));
            }
            let own = function.loops.iter().map(|of| times[of.header]).fold(0, u64::saturating_add);
            function.blocks.iter().zip(times).try_fold(own, |total, (block, times)| {
                let insts = positions(self.graph.words, block.start, block.last);
                insts.map(|at| inst_at(self.graph.words, at)).try_fold(total, |total, inst| {
                    let (op::FUNCTION_CALL, [_, _, callee, ..]) = (inst.opcode, inst.words) else { return Some(total) };
                    let callee = self.graph.functions.iter().find(|function| function.id == *callee)?;
                    Some(total.saturating_add(self.rounds(callee, known)?.saturating_mul(times)))
                })
            })
        });
        known.insert(function.id, total);
        total
    }

    /// Rounds of a loop that begins with a comparison of a counter to a constant, one more than it has.
    fn trips(&self, function: &Function, of: &Loop) -> Option<u64> {
        let words = self.graph.words;
        let mut place = of.header;
        let (condition, stays_if) = loop {
            let last = inst_at(words, function.blocks[place].last);
            match (last.opcode, last.words) {
                (op::BRANCH_CONDITIONAL, [condition, yes, _, ..]) if *yes == of.merge => break (*condition, false),
                (op::BRANCH_CONDITIONAL, [condition, _, no, ..]) if *no == of.merge => break (*condition, true),
                (op::BRANCH, [to]) => {
                    let next = function.blocks.iter().position(|block| block.label == *to)?;
                    // Blocks that dominate others stand before them: so this ends.
                    place = Some(next).filter(|next| *next > place)?;
                }
                _ => return None,
            }
        };
        let test = self.made.get(&condition)?;
        let [_, _, counter, end] = *test.words else { return None };
        let is_inclusive = match (test.opcode, stays_if) {
            (op::U_LESS_THAN | op::S_LESS_THAN, true)
            | (op::U_GREATER_THAN_EQUAL | op::S_GREATER_THAN_EQUAL, false) => false,

            (op::U_LESS_THAN_EQUAL | op::S_LESS_THAN_EQUAL, true)
            | (op::U_GREATER_THAN | op::S_GREATER_THAN, false) => true,
            _ => return None,
        };
        let is_signed = matches!(
            test.opcode,
            op::S_LESS_THAN | op::S_GREATER_THAN_EQUAL | op::S_LESS_THAN_EQUAL | op::S_GREATER_THAN
        );
        let phi = self.made.get(&counter).filter(|inst| inst.opcode == op::PHI)?;
        let header = &function.blocks[of.header];
        let ways = phi.words.get(2..)?;
        let is_of_header = positions(words, header.start, header.last).any(|at| inst_at(words, at).words == phi.words);
        let [a, a_from, b, _] = *ways else { return None };
        let a_is_inside = of.blocks.iter().any(|place| function.blocks[*place].label == a_from);
        let (first, next) = if a_is_inside { (b, a) } else { (a, b) };
        let next = self.made.get(&next).filter(|inst| inst.opcode == op::I_ADD && is_of_header)?;
        let [_, _, x, y] = *next.words else { return None };
        let step = if x == counter { y } else { Some(x).filter(|_| y == counter)? };
        let number = |id: u32| self.number(id, is_signed);
        let (first, step, end) = (number(first)?, number(step)?, number(end)? + i64::from(is_inclusive));
        let rounds = (end - first).max(0).checked_add(step - 1)?.checked_div(step).filter(|_| step > 0)?;
        // A counter that passes its type's end starts anew.
        let last = first + rounds * step;
        let most = if is_signed { i64::from(i32::MAX) } else { i64::from(u32::MAX) };
        (last <= most).then_some(rounds as u64 + 1)
    }

    fn number(&self, id: u32, is_signed: bool) -> Option<i64> {
        match self.made.get(&id).map(|inst| (inst.opcode, inst.words)) {
            Some((op::CONSTANT, [_, _, bits])) if is_signed => Some(i64::from(*bits as i32)),
            Some((op::CONSTANT, [_, _, bits])) => Some(i64::from(*bits)),
            _ => None,
        }
    }
}
