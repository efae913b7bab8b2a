//! Loops on the walk: how their parameters move is guessed on the way in, and each value that goes on to another round confirms it or not.

use super::Walker;
use crate::arena::{EntityId, SecondaryMap};
use crate::ir::{BlockId, Function, InstKind, ValueId};
use crate::op::Op;
use crate::passes::edit::for_each_inst;
use crate::passes::ranges::Range;

/// How many sums are looked through for a counter.
const SUMS: usize = 3;

/// How many choices are looked through, one inside of the other.
const CHOICES: usize = 4;

/// Finds what loop parameters are compared with for equality, if that is defined before the loop.
pub(super) fn ceilings(function: &Function) -> SecondaryMap<ValueId, Option<ValueId>> {
    let mut found: SecondaryMap<ValueId, Option<ValueId>> = SecondaryMap::new();
    // Positions in program order, from 1; a parameter has that of its loop.
    let mut defined = vec![0u32; function.values.len()];
    let mut is_param = vec![false; function.values.len()];
    let mut position = 0;
    for_each_inst(function, &mut |_, inst| {
        position += 1;
        inst.results.iter().for_each(|result| defined[result.index()] = position);
        match &inst.kind {
            InstKind::Loop { body, .. } => {
                for param in &function.blocks[*body].params {
                    defined[param.index()] = position;
                    is_param[param.index()] = true;
                }
            }
            InstKind::Op(Op::Eq | Op::Ne, operands) => {
                for (param, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
                    if is_param[param.index()] && defined[other.index()] < defined[param.index()] {
                        found[param] = Some(other);
                    }
                }
            }
            _ => {}
        }
    });
    found
}

/// A guess about a loop parameter, kept only if every round of the loop confirms it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Guess {
    Unknown,
    /// Never below its first value.
    Grows,
    /// Never above its first value.
    Shrinks,
}

/// The facts about a loop.
#[derive(Clone, Default)]
pub(super) struct LoopFacts {
    pub(super) guesses: Vec<Guess>,
    pub(super) params: Vec<Range>,
    /// Their first values.
    pub(super) initial: Vec<ValueId>,
    /// Intervals of them.
    pub(super) first: Vec<Range>,
    /// Intervals of the values that go on to another round.
    pub(super) next: Vec<Option<Range>>,
    /// Intervals of the values that breaks carry.
    pub(super) breaks: Vec<Option<Range>>,
    /// No parameter may be guessed any more.
    pub(super) is_hopeless: bool,
}

impl Walker<'_> {
    pub(super) fn enter_loop(&mut self, results: &[ValueId], initial: &[ValueId], body: BlockId) {
        let params = &self.function.blocks[body].params;
        let known = std::mem::take(&mut self.loops[body]);
        let guesses = if known.guesses.len() == params.len() {
            known.guesses
        } else {
            params.iter().enumerate().map(|(index, param)| self.guess(body, index, *param)).collect()
        };
        for (index, (param, first)) in params.iter().zip(initial).enumerate() {
            let next = self.jumps[body].iter().filter_map(|jump| match &self.function.insts[*jump].kind {
                InstKind::Continue(_, values) => values.get(index).copied(),
                _ => None,
            });
            let next = next.flat_map(|next| self.ways(next, *param, CHOICES)).collect::<Vec<_>>().into_iter();
            self.facts.note_counter(*param, *first, next);
        }
        let (mut ranges, mut firsts) = (Vec::new(), Vec::new());
        for ((param, first), guess) in params.iter().zip(initial).zip(&guesses) {
            let first = self.facts.range(*first);
            let full = self.facts.integer(*param).map_or(Range::ANY, Range::full);
            let range = match guess {
                _ if known.is_hopeless => full,
                Guess::Unknown => full,
                Guess::Grows => Range::new(first.lo, full.hi),
                Guess::Shrinks => Range::new(full.lo, first.hi),
            };
            let span = self.spans.as_mut().and_then(|spans| spans.enter(body, ranges.len(), first));
            self.facts.define(*param, span.map_or(range, |span| range.meet(span)));
            ranges.push(range);
            firsts.push(first);
        }
        let is_hopeless = known.is_hopeless;
        let mark = self.facts.mark();
        for ((param, first), guess) in params.iter().zip(initial).zip(&guesses) {
            if is_hopeless {
                continue;
            }
            if *guess == Guess::Shrinks {
                self.facts.assume_below(*param, *first);
            }
            match self.ceilings[*param] {
                // `for i in a..=b` stops where `i` equals `b`, having started at or below.
                Some(ceiling) if self.is_reached(*param, *first, ceiling) => {
                    self.facts.assume_below(*param, ceiling);
                }
                _ => self.ceilings[*param] = None,
            }
        }
        self.loops[body] = LoopFacts {
            guesses,
            next: vec![None; ranges.len()],
            params: ranges,
            first: firsts,
            breaks: vec![None; results.len()],
            is_hopeless,
            ..LoopFacts::default()
        };
        self.loops[body].initial = initial.to_vec();
        self.block(body);
        self.facts.take_back(mark);
        for (index, result) in results.iter().enumerate() {
            let range = self.loops[body].breaks[index].unwrap_or(Range::ANY);
            self.facts.define(*result, range);
        }
    }

    /// Whether a counter starts at or below the value it may stop at.
    fn is_reached(&self, param: ValueId, first: ValueId, ceiling: ValueId) -> bool {
        self.facts.integer(param).is_some() && self.facts.is_below(first, ceiling, false)
    }

    /// The direction in which the values that continue the loop move a parameter.
    fn guess(&self, body: BlockId, index: usize, param: ValueId) -> Guess {
        if self.facts.integer(param).is_none() {
            return Guess::Unknown;
        }
        let mut guess = None;
        for jump in &self.jumps[body] {
            let InstKind::Continue(_, values) = &self.function.insts[*jump].kind else { continue };
            for next in self.ways(values[index], param, CHOICES) {
                let Some(way) = self.way(next, param) else { return Guess::Unknown };
                if guess.is_some_and(|guess| guess != way) {
                    return Guess::Unknown;
                }
                guess = Some(way);
            }
        }
        guess.unwrap_or(Guess::Unknown)
    }

    /// The values, but for a parameter itself, of which a round takes one along for it.
    fn ways(&self, next: ValueId, param: ValueId, left: usize) -> Vec<ValueId> {
        if next == param {
            return Vec::new();
        }
        let Some(left) = left.checked_sub(1) else { return vec![next] };
        let of_all = |all: &[ValueId]| all.iter().flat_map(|way| self.ways(*way, param, left)).collect();
        match self.facts.definition(next) {
            Some(InstKind::Op(Op::Select, parts)) if !parts[1..].contains(&param) => of_all(&parts[1..]),
            Some(_) => vec![next],
            None => match self.facts.given_by_arms(next) {
                Some(given) => of_all(&given.collect::<Vec<_>>()),
                None => vec![next],
            },
        }
    }

    /// The direction in which a value that goes on for a parameter moves it.
    fn way(&self, next: ValueId, param: ValueId) -> Option<Guess> {
        Some(match self.facts.definition(next)? {
            InstKind::Op(Op::Select, parts) if parts[1..].contains(&param) => {
                let other = if parts[1] == param { parts[2] } else { parts[1] };
                if self.facts.adds_to(other, param, SUMS) { Guess::Grows } else { Guess::Shrinks }
            }
            InstKind::Op(op, operands) if operands[0] == param || operands.get(1) == Some(&param) => match op {
                Op::Add if operands.iter().any(|operand| self.facts.range(*operand).hi < 0) => Guess::Shrinks,
                Op::Add | Op::Mul | Op::Shl | Op::Max | Op::Or => Guess::Grows,
                Op::Sub | Op::Shr | Op::Div | Op::Rem | Op::Min | Op::And => Guess::Shrinks,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Checks the guesses of a loop against the values of one `continue`.
    pub(super) fn confirm(&mut self, body: BlockId, values: &[ValueId]) {
        for (index, value) in values.iter().enumerate() {
            let known = &self.loops[body];
            let param = self.function.blocks[body].params[index];
            let range = self.facts.range(*value);
            if let Some(spans) = &mut self.spans
                && !spans.confirm(body, index, range)
            {
                self.contradicted = true;
            }
            if !known.is_hopeless
                && self.ceilings[param].is_some_and(|ceiling| !self.facts.is_below(*value, ceiling, false))
            {
                self.ceilings[param] = None;
                (self.contradicted, self.is_broken) = (true, self.spans.is_some());
            }
            let next = &mut self.loops[body].next[index];
            *next = Some(next.map_or(range, |next| next.join(range)));
            let known = &self.loops[body];
            if known.guesses[index] == Guess::Unknown || known.is_hopeless {
                continue;
            }
            let holds = range.is_within(known.params[index])
                && (known.guesses[index] != Guess::Shrinks || self.facts.is_below(*value, known.initial[index], false));
            if !holds {
                self.loops[body].guesses[index] = Guess::Unknown;
                (self.contradicted, self.is_broken) = (true, self.spans.is_some());
            }
        }
    }

    pub(super) fn give_up(&mut self) {
        let function = self.function;
        let loops = &mut self.loops;
        for_each_inst(function, &mut |_, inst| {
            if let InstKind::Loop { body, .. } = inst.kind {
                loops[body].is_hopeless = true;
            }
        });
    }
}
