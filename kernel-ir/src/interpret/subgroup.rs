//! Subgroup operations: what each active lane gets for what all of them bring.

use super::step::Context;
use super::thread::{State, Thread};
use super::value::apply;
use super::{InterpretError, Value};
use crate::ir::{Constant, Fold, InstKind, Span, SubgroupOp};
use crate::op::Op;
use crate::types::Scalar;

/// Lets the lanes of one subgroup that wait at an operation do one. If they wait at different ones, the lanes at the
/// place furthest up in the program go first, so that stragglers of a loop catch up with those behind it.
pub(super) fn advance(cx: &Context<'_>, lanes: &mut [Thread<'_>]) -> Result<(), InterpretError> {
    let waiting = lanes.iter().filter(|lane| lane.state == State::AtSubgroup);
    let Some(place) = waiting.map(Thread::place).min() else { return Ok(()) };
    let Some(spot) = place.last() else { return Ok(()) };
    let inst = &cx.module.functions[spot.function].insts[spot.inst];
    let InstKind::Subgroup(op, operands) = &inst.kind else { unreachable!("lanes wait at subgroup operations") };
    let mut group = Group { op: *op, width: cx.width, active: Vec::new() };
    for lane in lanes.iter_mut().filter(|lane| lane.state == State::AtSubgroup && lane.place() == place) {
        let brought = lane.frame().values(operands);
        group.active.push((lane.lane, brought));
        lane.state = State::Ready;
    }
    for at in 0..group.active.len() {
        let result = group.result(at)?;
        let (lane, _) = group.active[at];
        let lane = lanes.iter_mut().find(|thread| thread.lane == lane).expect("it was active");
        lane.frame().define(&inst.results, vec![result]);
    }
    Ok(())
}

/// The active lanes of an operation in order, each with what it brought.
struct Group {
    op: SubgroupOp,
    width: u32,
    active: Vec<(u32, Vec<Value>)>,
}

impl Group {
    fn result(&self, at: usize) -> Result<Value, InterpretError> {
        use SubgroupOp as S;
        let (own, brought) = &self.active[at];
        let own = *own;
        let first = |lane: &(u32, Vec<Value>)| lane.1[0].clone();
        let bool_ = |value: bool| Value::Scalar(Constant::Bool(value));
        let all = u128::MAX >> (128 - self.width);
        Ok(match self.op {
            S::Elect => bool_(at == 0),
            S::Any => bool_(self.active.iter().any(|lane| lane.1[0].is_true())),
            S::All => bool_(self.active.iter().all(|lane| lane.1[0].is_true())),
            S::AllEqual => {
                let mut is_equal = true;
                for lane in &self.active {
                    is_equal &= equal(&lane.1[0], &self.active[0].1[0])?;
                }
                bool_(is_equal)
            }
            S::Ballot => {
                let set = self.active.iter().filter(|lane| lane.1[0].is_true());
                let bits = set.fold(0u128, |bits, (lane, _)| bits | 1 << lane);
                Value::Composite([0, 32, 64, 96].map(|shift| Value::u32((bits >> shift) as u32)).to_vec())
            }
            S::BallotBit => {
                let lane = brought[1].bits();
                bool_(lane < self.width && ballot(&brought[0]) >> lane & 1 == 1)
            }
            S::BallotCount => Value::u32((ballot(&brought[0]) & all).count_ones()),
            S::BallotInclusiveCount => Value::u32((ballot(&brought[0]) & (u128::MAX >> (127 - own))).count_ones()),
            S::BallotExclusiveCount => Value::u32((ballot(&brought[0]) & ((1 << own) - 1)).count_ones()),
            S::BallotLowest => Value::u32(match ballot(&brought[0]) & all {
                0 => u32::MAX,
                bits => bits.trailing_zeros(),
            }),
            S::BallotHighest => Value::u32(match ballot(&brought[0]) & all {
                0 => u32::MAX,
                bits => 127 - bits.leading_zeros(),
            }),
            S::BroadcastFirst => first(&self.active[0]),
            S::Reduce(fold, span) => self.reduce(fold, span, own, &brought[0])?,
            S::Shuffle
            | S::ShuffleXor
            | S::ShuffleUp
            | S::ShuffleDown
            | S::Rotate
            | S::QuadBroadcast(_)
            | S::QuadSwap(_) => {
                let number = brought.get(1).map_or(0, Value::bits);
                let from = source_lane(self.op, own, number, self.width);
                let source = self.active.iter().find(|(lane, _)| Some(*lane) == from);
                source.map_or_else(|| brought[0].clone(), first)
            }
        })
    }

    fn reduce(&self, fold: Fold, span: Span, own: u32, shape: &Value) -> Result<Value, InterpretError> {
        let op = match fold {
            Fold::Add => Op::Add,
            Fold::Mul => Op::Mul,
            Fold::Min => Op::Min,
            Fold::Max => Op::Max,
            Fold::And => Op::And,
            Fold::Or => Op::Or,
            Fold::Xor => Op::Xor,
        };
        let scalar = shape.scalar();
        let start = shape.splat(&identity(fold, scalar)?);
        let is_in: &dyn Fn(u32) -> bool = match span {
            Span::All => return self.reduce_all(op, start, scalar),
            Span::Inclusive => &|lane| lane <= own,
            Span::Exclusive => &|lane| lane < own,
            Span::Cluster(size) => &move |lane| lane / size == own / size,
        };
        let mut lanes = self.active.iter().filter(|(lane, _)| is_in(*lane));
        lanes.try_fold(start, |sum, (_, brought)| apply(op, &[sum, brought[0].clone()], Some(scalar)))
    }

    /// SPIR-V leaves the order open. This one is the host device's, which computes partial folds at once.
    fn reduce_all(&self, op: Op, start: Value, scalar: Scalar) -> Result<Value, InterpretError> {
        let mut partial = vec![start; PARTIAL_FOLDS];
        for (lane, brought) in &self.active {
            let sum = &mut partial[*lane as usize % PARTIAL_FOLDS];
            *sum = apply(op, &[sum.clone(), brought[0].clone()], Some(scalar))?;
        }
        for half in [4, 2, 1] {
            let high = partial.split_off(half);
            for (low, high) in partial.iter_mut().zip(high) {
                *low = apply(op, &[low.clone(), high], Some(scalar))?;
            }
        }
        Ok(partial.remove(0))
    }
}

/// The partial folds of a fold of all lanes: lane `i` belongs to number `i % 8`.
const PARTIAL_FOLDS: usize = 8;

/// The identity of a fold. Casts saturate, so that infinities become the largest and smallest integers.
fn identity(fold: Fold, scalar: Scalar) -> Result<Value, InterpretError> {
    let cast = |value: f32| apply(Op::Cast, &[Value::Scalar(Constant::F32(value.to_bits()))], Some(scalar));
    match fold {
        Fold::Mul => cast(1.0),
        Fold::Min => cast(f32::INFINITY),
        Fold::Max => cast(f32::NEG_INFINITY),
        Fold::And => apply(Op::Not, &[cast(0.0)?], Some(scalar)),
        Fold::Add | Fold::Or | Fold::Xor => cast(0.0),
    }
}

/// The lane that an exchange reads from, if there is one with its number.
fn source_lane(op: SubgroupOp, own: u32, number: u32, width: u32) -> Option<u32> {
    use SubgroupOp as S;
    let lane = match op {
        S::Shuffle => Some(number),
        S::ShuffleXor => Some(own ^ number),
        S::ShuffleUp => own.checked_sub(number),
        S::ShuffleDown => own.checked_add(number),
        S::Rotate => Some(own.wrapping_add(number) & (width - 1)),
        S::QuadBroadcast(lane) => Some(own & !3 | lane),
        S::QuadSwap(direction) => Some(own ^ (direction + 1)),
        _ => None,
    };
    lane.filter(|lane| *lane < width)
}

fn ballot(value: &Value) -> u128 {
    value.members().iter().rev().fold(0, |bits, word| bits << 32 | u128::from(word.bits()))
}

fn equal(a: &Value, b: &Value) -> Result<bool, InterpretError> {
    let lanes = apply(Op::Eq, &[a.clone(), b.clone()], Some(Scalar::Bool))?;
    Ok(match &lanes {
        Value::Composite(lanes) => lanes.iter().all(Value::is_true),
        Value::Scalar(_) => lanes.is_true(),
    })
}
