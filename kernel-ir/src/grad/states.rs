//! Loops of few rounds on the way back: the state of every round is kept, and none is computed twice.

use crate::arena::EntityId;
use crate::ir::{Constant, InstKind, LocalId, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Size, Type, TypeId};

use super::loops::{Shape, Source};
use super::reverse::{Reverse, Rounds};

/// Rounds of a loop whose states are all kept, at most.
const MOST_ROUNDS: u32 = 128;

/// Words of all states of such a loop, at most.
const MOST_WORDS: u32 = 256;

/// A loop of few rounds.
pub(super) struct Few {
    /// How many rounds there are; not zero.
    count: u32,
    /// The parameters that only the round before tells, with their first values.
    params: Vec<(usize, ValueId)>,
}

impl<'s> Reverse<'s, '_> {
    /// The loop, if its rounds are known and few, and nothing but its parameters changes from one to the next.
    pub(super) fn few(&self, shape: &Shape<'s>, rounds: &Rounds) -> Option<Few> {
        let params: Vec<_> =
            (0..shape.params.len()).filter(|at| matches!(self.source(*at, shape), Source::Kept)).collect();
        if self.waits || params.is_empty() || !rounds.before.is_empty() {
            return None;
        }
        let count = self.known_rounds(shape).filter(|count| (1..=MOST_ROUNDS).contains(count))?;
        let words_of = |at: &usize| self.words(self.ty(shape.params[*at]));
        let words = params.iter().try_fold(0u32, |sum, at| sum.checked_add(words_of(at)?));
        let params = params.into_iter().map(|at| Some((at, rounds.initial[at]?))).collect::<Option<_>>()?;
        (words?.checked_mul(count)? <= MOST_WORDS).then_some(Few { count, params })
    }

    /// The rounds of a loop that counts by ones from one number to another.
    fn known_rounds(&self, shape: &Shape<'s>) -> Option<u32> {
        let id = self.definitions[shape.exit.condition.index()]?;
        let InstKind::Op(op, operands) = &self.function.insts[id].kind else { return None };
        if !matches!((op, shape.exit.stays), (Op::Lt, true) | (Op::Ge, false)) {
            return None;
        }
        let at = shape.params.iter().position(|param| *param == operands[0])?;
        let Source::Counter(by, Op::Add) = self.way_of(at, shape) else { return None };
        let (first, end, by) =
            (self.number(shape.initial[at])?, self.number(operands[1])?, self.number(by).filter(|by| *by == 1)?);
        u32::try_from(end.checked_sub(first)? / by).ok()
    }

    /// The number of a constant of 32 bits.
    fn number(&self, value: ValueId) -> Option<i64> {
        let InstKind::Const(constant) = self.function.insts[self.definitions[value.index()]?].kind else { return None };
        match (constant, self.source.types.get(self.ty(value))) {
            (Constant::U32(number), _) => Some(number.into()),
            (Constant::I32(number), _) => Some(number.into()),
            (Constant::Zero, Type::Scalar(Scalar::U32 | Scalar::I32)) => Some(0),
            _ => None,
        }
    }

    /// How many words a value has, rounded up; `None` for types whose states are not kept here.
    fn words(&self, ty: TypeId) -> Option<u32> {
        let types = &self.source.types;
        let of = |scalar: &Scalar| if scalar.bits() > 32 { 2 } else { 1 };
        match types.get(ty) {
            Type::Scalar(scalar) => Some(of(scalar)),
            Type::Vector(scalar, len) => Some(of(scalar) * u32::from(*len)),
            Type::Array(element, Size::Known(len)) => self.words(*element)?.checked_mul(*len),
            Type::Tuple(members) => {
                members.iter().try_fold(0, |sum: u32, member| sum.checked_add(self.words(*member)?))
            }
            Type::Struct(id) => {
                let fields = &types.struct_def(*id).fields;
                fields.iter().try_fold(0, |sum: u32, field| sum.checked_add(self.words(field.ty)?))
            }
            Type::Unit | Type::Array(_, Size::Param(_)) | Type::Coop(_) => None,
        }
    }

    /// Keeps the state of each round, and goes through the rounds from the last to the first.
    pub(super) fn backward_few(&mut self, shape: &Shape<'s>, rounds: &Rounds, few: &Few) {
        let states: Vec<_> =
            few.params.iter().map(|(at, _)| (*at, self.states_of(shape.params[*at], few.count))).collect();
        let mut state: Vec<_> = few.params.iter().map(|(_, initial)| *initial).collect();
        self.count_to(few.count, &mut state, |reverse, round, state| {
            for ((at, array), value) in states.iter().zip(state.iter()) {
                reverse.b.store(Self::slot(*array, round), *value);
                reverse.bind(shape.params[*at], *value);
            }
            reverse.bind_counters(shape, rounds, round);
            reverse.forward(shape.head);
            reverse.forward(shape.rest);
            for ((at, _), value) in states.iter().zip(state) {
                *value = reverse.get(shape.next[*at]);
            }
        });
        self.count_to(few.count, &mut [], |reverse, done, _| {
            let last = reverse.b.const_u32(few.count - 1);
            let round = reverse.b.op(Op::Sub, &[last, done]);
            for (at, array) in &states {
                let value = reverse.b.load(Self::slot(*array, round));
                reverse.bind(shape.params[*at], value);
            }
            reverse.bind_counters(shape, rounds, round);
            reverse.backward_round(shape);
        });
    }

    /// An array with a state for each round.
    fn states_of(&mut self, param: ValueId, count: u32) -> LocalId {
        let of = self.ty(param);
        let ty = self.b.types_mut().array(of, count);
        self.b.new_local("states", ty)
    }

    /// A loop over numbers below `count`; `body` gives what the next round begins with in the place of what its own began with.
    fn count_to(&mut self, count: u32, state: &mut [ValueId], body: impl FnOnce(&mut Self, ValueId, &mut [ValueId])) {
        let mut carried = state.to_vec();
        carried.push(self.b.const_u32(0));
        let types: Vec<_> = carried.iter().map(|value| self.b.value_type(*value)).collect();
        let block = self.b.new_loop_body(&types);
        let mut params = self.b.block_params(block).to_vec();
        let parent = self.b.switch_to(block);
        let number = params.pop().expect("the number is one");
        let end = self.b.const_u32(count);
        let goes_on = self.b.op(Op::Lt, &[number, end]);
        let (on, out) = (self.b.new_block(), self.b.new_block());
        let inner = self.b.switch_to(out);
        self.b.break_(block, &[]);
        self.b.switch_to(inner);
        self.b.push_if(goes_on, on, out, &[]);
        body(self, number, &mut params);
        let one = self.b.const_u32(1);
        params.push(self.b.op(Op::Add, &[number, one]));
        self.b.continue_(block, &params);
        self.b.switch_to(parent);
        self.b.push_loop(block, &carried, &[]);
    }
}
