//! The check that all cells which are read are among those that were written, by the numbers of their indices.

use super::Coverage;
use super::cells::{Cells, MOST_CELLS};
use super::strides::{Stride, strided};
use super::sums::{Counter, Sum, Sums};
use crate::ir::{BlockId, InstId, InstKind, Place, Step, ValueId};
use crate::op::Op;
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
        let rounds = Rounds { function, types, definition };
        let Some(counted) = rounds.count(initial, body, MOST_ROUNDS) else {
            let stride = strided(&rounds, &self.sums, initial, body)?;
            return Some(self.each_number(&stride, body, act));
        };
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

    /// The same of a loop whose invocations take turns with its numbers.
    fn each_number<T>(
        &mut self,
        stride: &Stride,
        body: BlockId,
        mut act: impl FnMut(&mut Self, InstId, bool) -> Option<T>,
    ) -> Option<()> {
        let (ahead, round) = self.coverage.function.blocks[body].insts.split_at(stride.exit + 1);
        ahead.iter().try_for_each(|id| act(self, *id, false).map(drop))?;
        let known = self.sums.counted.len();
        self.sums.counted.extend(stride.numbers.iter().map(|number| (*number, stride.sum.clone())));
        let done = round.iter().try_for_each(|id| act(self, *id, true).map(drop));
        self.sums.counted.truncate(known);
        done
    }

    /// The sum that describes a loop's parameter to which each round adds the same.
    fn counter(&self, param: ValueId, first: ValueId, next: ValueId, round: Sum) -> Option<Sum> {
        let next = match self.coverage.definition(next)? {
            InstKind::Op(Op::Add, operands) if operands[0] == param => operands[1],
            _ => return None,
        };
        let step = self.sums.of(next).filter(|step| step.terms.is_empty())?;
        round.times(step.fixed)?.plus(&self.sums.of(first)?)
    }

    /// The number of which two values are the quotient by a width and the remainder, as a sum.
    fn number_of_both(&self, row: ValueId, column: ValueId, width: u32) -> Option<Sum> {
        let operands = |value: ValueId, wanted: Op| match self.coverage.definition(value)? {
            InstKind::Op(op, operands) if *op == wanted => Some((operands[0], self.sums.of(operands[1])?.constant()?)),
            _ => None,
        };
        let ((number, by), (other, rest_by)) = (operands(row, Op::Div)?, operands(column, Op::Rem)?);
        ((by, rest_by, other) == (width, width, number)).then(|| self.sums.of(number)).flatten()
    }

    /// The cells that a place names.
    fn numbers(&self, place: &Place) -> Option<Numbers> {
        let types = &self.coverage.module.types;
        let mut ty = self.coverage.kernel.shared[self.coverage.shared].ty;
        let (mut sum, mut is_whole) = (Sum::fixed(0), true);
        let mut path = &place.path[..];
        while let Some((step, rest)) = path.split_first() {
            path = rest;
            let (element, len) = match types.get(ty) {
                Type::Array(element, len) => (Some(*element), len.known()?),
                Type::Vector(_, lanes) => (None, u32::from(*lanes)),
                _ => {
                    is_whole = false;
                    break;
                }
            };
            // `tile[i / width][i % width]` is the cell with number `i` of a tile that is `width` wide.
            if let (Step::Index { value: row, .. }, Some(Step::Index { value: column, .. })) = (step, rest.first())
                && let Some(Type::Array(inner, width)) = element.map(|element| types.get(element))
                && let Some(number) = self.number_of_both(*row, *column, width.known()?)
                && number.most().is_some_and(|most| most / width.known().unwrap_or(1) < len)
            {
                sum = sum.plus(&number.times(cells(types, *inner)?)?)?;
                (ty, path) = (*inner, &rest[1..]);
                continue;
            }
            let index = match *step {
                Step::Field(number) => Sum::fixed(number),
                Step::Index { value, .. } => {
                    let index = self.sums.of(value).filter(|index| index.most().is_some_and(|most| most < len));
                    index.unwrap_or_else(|| Sum::counter(Counter::Within(value), len))
                }
                Step::Element(_) | Step::Joined { .. } => return None,
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
