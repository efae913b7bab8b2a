//! The check that all cells which are read are among those that were written, by the numbers of their indices.

use super::Coverage;
use super::cells::{Cells, MOST_CELLS};
use super::sums::{Counter, Sum, Sums};
use crate::ir::{BlockId, InstId, InstKind, Place, Step, ValueId};
use crate::rounds::Counter as Rounds;
use crate::types::{Type, TypeId, Types};

/// Rounds that are counted one by one where counting up does not tell how many there are.
const MOST_ROUNDS: usize = 1 << 10;

impl Coverage<'_> {
    /// Whether instructions that touch the variable store to each cell, for one invocation or another, that those behind them read.
    pub(super) fn are_reads_written(&self, before: &[InstId], after: &[InstId]) -> bool {
        let types = &self.module.types;
        let Some(count) = cells(types, self.kernel.shared[self.shared].ty).filter(|count| *count <= MOST_CELLS) else {
            return false;
        };
        let definition = |value: ValueId| self.definition(value);
        let sums = Sums { kernel: self.kernel, definition, counted: Vec::new() };
        let mut walk = Walk { coverage: self, sums, cells: Cells::none(count) };
        if before.iter().try_for_each(|id| walk.stores(*id)).is_none() {
            return false;
        }
        let written = std::mem::replace(&mut walk.cells, Cells::none(count));
        after.iter().for_each(|id| walk.reads(*id));
        written.hold(&walk.cells)
    }
}

/// The number of cells of a type: each number and each component of a vector is a cell. A type with members is one
/// cell, written as a whole.
fn cells(types: &Types, ty: TypeId) -> Option<u32> {
    match types.get(ty) {
        Type::Array(element, len) => cells(types, *element)?.checked_mul(len.known()?),
        Type::Vector(_, lanes) => Some(u32::from(*lanes)),
        Type::Unit | Type::Scalar(_) | Type::Tuple(_) | Type::Struct(_) | Type::Coop(_) => Some(1),
    }
}

struct Walk<'c, 'm, D> {
    coverage: &'c Coverage<'m>,
    sums: Sums<'m, D>,
    /// The cells that are written, or read.
    cells: Cells,
}

impl<'m, D: Fn(ValueId) -> Option<&'m InstKind>> Walk<'_, 'm, D> {
    /// Adds what an instruction that touches the variable stores in every run; `None` where it may read.
    fn stores(&mut self, id: InstId) -> Option<()> {
        match &self.coverage.function.insts[id].kind {
            InstKind::Store(place, _) => {
                let numbers = self.numbers(place).filter(|numbers| numbers.is_whole && numbers.sum.is_exact());
                if let Some(numbers) = numbers.filter(|_| !place.is_checked()) {
                    self.cells.add(&numbers.sum);
                }
                Some(())
            }
            InstKind::Loop { initial, body, .. } => {
                self.each_round(initial, *body, |walk, id, is_in_round| match walk.coverage.touches(id) {
                    true if is_in_round => walk.stores(id),
                    true => None,
                    false => Some(()),
                })?
            }
            _ => None,
        }
    }

    /// Adds what an instruction may read, and what those in its blocks may.
    fn reads(&mut self, id: InstId) {
        if !self.coverage.touches(id) {
            return;
        }
        let kind = &self.coverage.function.insts[id].kind;
        match kind {
            InstKind::Store(..) => {}
            InstKind::Load(place) => self.read(place),
            InstKind::Atomic(atomic) => self.read(&atomic.place),
            InstKind::Loop { initial, body, .. } => {
                let counted = self.each_round(initial, *body, |walk, id, is_in_round| {
                    let known = if is_in_round { Vec::new() } else { std::mem::take(&mut walk.sums.counted) };
                    walk.reads(id);
                    walk.sums.counted.extend(known);
                    Some(())
                });
                if counted.is_none() {
                    self.reads_of(*body);
                }
            }
            InstKind::If { .. } | InstKind::Switch { .. } => {
                kind.blocks().into_iter().for_each(|block| self.reads_of(block));
            }
            // Tiles of matrices, which go on for as far as a stride says.
            _ => self.read_all(),
        }
    }

    fn reads_of(&mut self, block: BlockId) {
        self.coverage.function.blocks[block].insts.iter().for_each(|id| self.reads(*id));
    }

    fn read(&mut self, place: &Place) {
        match self.numbers(place) {
            Some(numbers) => self.cells.add(&numbers.sum),
            None => self.read_all(),
        }
    }

    fn read_all(&mut self) {
        self.cells.add(&Sum::counter(Counter::Part, MOST_CELLS));
    }

    /// Does something with each instruction of a loop's body, with what is known of the round's counters where each round comes by; `None`
    /// where it is not known how many rounds there are.
    fn each_round<T>(
        &mut self,
        initial: &[ValueId],
        body: BlockId,
        mut act: impl FnMut(&mut Self, InstId, bool) -> Option<T>,
    ) -> Option<Option<()>> {
        let (function, types) = (self.coverage.function, &self.coverage.module.types);
        let definition = |value: ValueId| self.coverage.defined_by(value);
        let counted = Rounds { function, types, definition }.count(initial, body, MOST_ROUNDS)?;
        let block = &function.blocks[body];
        let (ahead, round) = block.insts.split_at(counted.exit + 1);
        let InstKind::Continue(_, next) = &function.insts[*block.insts.last()?].kind else { return None };
        let known = self.sums.counted.len();
        if ahead.iter().try_for_each(|id| act(self, *id, false).map(drop)).is_none() {
            return Some(None);
        }
        let rounds = u32::try_from(counted.rounds).ok()?;
        for ((param, first), next) in block.params.iter().zip(initial).zip(next) {
            if let Some(sum) = self.counter(*param, *first, *next, Sum::counter(Counter::Round(body), rounds)) {
                self.sums.counted.push((*param, sum));
            }
        }
        // Without a round nothing of it runs.
        let done = rounds == 0 || round.iter().try_for_each(|id| act(self, *id, true).map(drop)).is_some();
        self.sums.counted.truncate(known);
        Some(done.then_some(()))
    }

    /// The sum that describes a loop's parameter to which each round adds the same.
    fn counter(&self, param: ValueId, first: ValueId, next: ValueId, round: Sum) -> Option<Sum> {
        let next = match self.coverage.definition(next)? {
            InstKind::Op(crate::op::Op::Add, operands) if operands[0] == param => operands[1],
            _ => return None,
        };
        let step = self.sums.of(next).filter(|step| step.terms.is_empty())?;
        round.times(step.fixed)?.plus(&self.sums.of(first)?)
    }

    /// The cells that a place names.
    fn numbers(&self, place: &Place) -> Option<Numbers> {
        let types = &self.coverage.module.types;
        let mut ty = self.coverage.kernel.shared[self.coverage.shared].ty;
        let (mut sum, mut is_whole) = (Sum::fixed(0), true);
        for step in &place.path {
            let (element, len) = match types.get(ty) {
                Type::Array(element, len) => (Some(*element), len.known()?),
                Type::Vector(_, lanes) => (None, u32::from(*lanes)),
                _ => {
                    is_whole = false;
                    break;
                }
            };
            let index = match *step {
                Step::Field(number) => Sum::fixed(number),
                Step::Index { value, .. } => {
                    let index = self.sums.of(value).filter(|index| index.most().is_some_and(|most| most < len));
                    index.unwrap_or_else(|| Sum::counter(Counter::Within(value), len))
                }
                Step::Element(_) => return None,
            };
            let part = element.map_or(Some(1), |element| cells(types, element))?;
            sum = sum.plus(&index.times(part)?)?;
            match element {
                Some(element) => ty = element,
                None => return Some(Numbers { sum, is_whole }),
            }
        }
        let parts = if is_whole { cells(types, ty)? } else { 1 };
        Some(Numbers { sum: sum.plus(&Sum::counter(Counter::Part, parts))?, is_whole })
    }
}

/// Cells by their numbers.
struct Numbers {
    sum: Sum,
    /// Whether all of each cell is meant, and not a member of it.
    is_whole: bool,
}
