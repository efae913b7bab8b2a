//! Indices as sums, and the powers of two that divide them: by their form, or by numbers of the launch.
//!
//! Powers of two divide what wraps, too, so that sums and products modulo 2^32 are taken apart.

use std::cell::Cell;

use crate::arena::EntityId;
use crate::ir::{Bound, BoundOp, Builtin, Constant, Function, InstId, InstKind, Obligation, ValueId};
use crate::op::Op;
use crate::passes::eval;
use crate::types::{Scalar, Type, Types};

/// How many operations deep an index is followed.
const DEPTH: u32 = 16;
/// How many values are looked at for one index: a sum of sums of the same values has as many ways to them as there are subsets.
const FUEL: u32 = 400;
/// The most terms that a sum is kept apart in.
const TERMS: usize = 8;

/// A sum of values, each taken so many times, without the constant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Form(Vec<(ValueId, u32)>);

impl Form {
    /// The values that it is a sum of.
    pub(super) fn values(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.0.iter().map(|(value, _)| *value)
    }

    fn add(&mut self, value: ValueId, times: u32) {
        match self.0.binary_search_by_key(&value, |(known, _)| *known) {
            Ok(at) => {
                self.0[at].1 = self.0[at].1.wrapping_add(times);
                if self.0[at].1 == 0 {
                    self.0.remove(at);
                }
            }
            Err(at) => self.0.insert(at, (value, times)),
        }
    }
}

/// Numbers of the launch that must be multiples, each of a power of two.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Alignment(Vec<(Bound, u32)>);

impl Alignment {
    /// The conditions that the host has to look at.
    pub(super) fn obligations(&self) -> impl Iterator<Item = Obligation> + '_ {
        self.0.iter().map(|(number, power)| {
            let unit = || Bound::Const(1 << power);
            let whole = Bound::binary(BoundOp::Div, number.clone(), unit());
            let whole = Bound::binary(BoundOp::Mul, whole, unit());
            let rest = Bound::binary(BoundOp::Sub, number.clone(), whole);
            Obligation { index: rest, length: Bound::Const(1), in_all: None }
        })
    }

    fn ask(&mut self, number: Bound, power: u32) {
        match self.0.iter_mut().find(|(known, _)| *known == number) {
            Some((_, known)) => *known = power.max(*known),
            None => self.0.push((number, power)),
        }
    }
}

/// The values of a function as sums.
pub(super) struct Forms<'m> {
    function: &'m Function,
    types: &'m Types,
    definitions: &'m [Option<InstId>],
    /// By value: what a loop's parameter is in the first round and in those behind it.
    carried: Vec<Vec<ValueId>>,
    /// How many values may still be looked at for the index at hand.
    fuel: Cell<u32>,
}

impl<'m> Forms<'m> {
    pub(super) fn new(function: &'m Function, types: &'m Types, definitions: &'m [Option<InstId>]) -> Self {
        let mut carried = vec![Vec::new(); function.values.len()];
        let mut give = |params: &[ValueId], values: &[ValueId]| {
            for (param, value) in params.iter().zip(values) {
                carried[param.index()].push(*value);
            }
        };
        for (_, inst) in function.insts.iter() {
            match &inst.kind {
                InstKind::Loop { initial, body, .. } => give(&function.blocks[*body].params, initial),
                InstKind::Continue(body, values) => give(&function.blocks[*body].params, values),
                _ => {}
            }
        }
        Self { function, types, definitions, carried, fuel: Cell::new(0) }
    }

    /// Counts a value that is looked at; `None` where there were too many.
    fn burn(&self) -> Option<()> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        Some(())
    }

    fn definition(&self, value: ValueId) -> Option<&'m InstKind> {
        // A result of several has no definition of its own.
        let inst = &self.function.insts[self.definitions[value.index()]?];
        Some(&inst.kind)
    }

    fn scalar(&self, value: ValueId) -> Option<Scalar> {
        match self.types.get(self.function.values[value].ty) {
            Type::Scalar(scalar) if scalar.is_int() => Some(*scalar),
            _ => None,
        }
    }

    /// Whether a value is a float, or a vector of them.
    pub(super) fn is_float(&self, value: ValueId) -> bool {
        match self.types.get(self.function.values[value].ty) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => scalar.is_float(),
            _ => false,
        }
    }

    fn is_of_32_bits(&self, value: ValueId) -> bool {
        self.scalar(value).is_some_and(|scalar| scalar.bits() == 32)
    }

    fn constant(&self, value: ValueId) -> Option<u32> {
        match self.definition(value)? {
            InstKind::Const(Constant::Zero) => Some(0),
            InstKind::Const(constant) => eval::bits(*constant).map(|bits| bits as u32),
            _ => None,
        }
    }

    /// A `u32` as a sum, with its constant.
    pub(super) fn of(&self, value: ValueId) -> (Form, u32) {
        let (mut form, mut constant) = (Form::default(), 0);
        self.fuel.set(FUEL);
        self.collect((value, 1), DEPTH, &mut form, &mut constant);
        (form, constant)
    }

    fn collect(&self, (value, times): (ValueId, u32), depth: u32, form: &mut Form, constant: &mut u32) {
        if let Some(number) = self.constant(value) {
            *constant = constant.wrapping_add(number.wrapping_mul(times));
            return;
        }
        let is_too_much = depth == 0 || form.0.len() >= TERMS || self.burn().is_none();
        if is_too_much || !self.is_of_32_bits(value) {
            return form.add(value, times);
        }
        match self.definition(value) {
            Some(InstKind::Op(Op::Add, operands)) => {
                self.collect((operands[0], times), depth - 1, form, constant);
                self.collect((operands[1], times), depth - 1, form, constant);
            }
            Some(InstKind::Op(Op::Sub, operands)) => {
                self.collect((operands[0], times), depth - 1, form, constant);
                self.collect((operands[1], times.wrapping_neg()), depth - 1, form, constant);
            }
            Some(InstKind::Op(Op::Mul, operands)) => match (self.constant(operands[0]), self.constant(operands[1])) {
                (_, Some(by)) => self.collect((operands[0], times.wrapping_mul(by)), depth - 1, form, constant),
                (Some(by), _) => self.collect((operands[1], times.wrapping_mul(by)), depth - 1, form, constant),
                _ => form.add(value, times),
            },
            Some(InstKind::Op(Op::Shl, operands)) => match self.constant(operands[1]) {
                Some(by) if by < 32 => {
                    self.collect((operands[0], times.wrapping_shl(by)), depth - 1, form, constant);
                }
                _ => form.add(value, times),
            },
            Some(InstKind::Op(Op::Cast, operands)) if self.is_of_32_bits(operands[0]) => {
                self.collect((operands[0], times), depth - 1, form, constant);
            }
            _ => form.add(value, times),
        }
    }

    /// The conditions under which a sum is a multiple of a power of two; `None` where nothing tells.
    pub(super) fn alignment(&self, form: &Form, unit: u32) -> Option<Alignment> {
        let mut found = Alignment::default();
        self.fuel.set(FUEL);
        for (value, times) in &form.0 {
            let left = unit.trailing_zeros().saturating_sub(times.trailing_zeros());
            self.divide(*value, left, &mut Vec::new(), &mut found)?;
        }
        Some(found)
    }

    /// Asks for what makes a value a multiple of two to this power. `met` are the loops' parameters on the way.
    fn divide(&self, value: ValueId, power: u32, met: &mut Vec<(ValueId, u32)>, found: &mut Alignment) -> Option<()> {
        if power == 0 {
            return Some(());
        }
        self.burn()?;
        if let Some(number) = self.number(value, DEPTH) {
            found.ask(number, power);
            return Some(());
        }
        if met.len() > DEPTH as usize {
            return None;
        }
        let carried = &self.carried[value.index()];
        if !carried.is_empty() {
            // If the value of a round is such a multiple, and then that of the next one is, all are.
            if met.contains(&(value, power)) {
                return Some(());
            }
            met.push((value, power));
            return carried.iter().try_for_each(|given| self.divide(*given, power, met, found));
        }
        match self.definition(value)? {
            InstKind::Const(constant) => {
                let bits = if *constant == Constant::Zero { 0 } else { eval::bits(*constant)? };
                (bits.trailing_zeros() >= power).then_some(())
            }
            InstKind::Op(Op::Add | Op::Sub | Op::Or | Op::Xor, operands) => {
                operands.iter().try_for_each(|operand| self.divide(*operand, power, met, found))
            }
            InstKind::Op(Op::Select, operands) => {
                operands[1..].iter().try_for_each(|operand| self.divide(*operand, power, met, found))
            }
            InstKind::Op(Op::Mul, operands) => {
                let [a, b] = [operands[0], operands[1]];
                let left = |factor: ValueId| power.saturating_sub(self.zeros(factor, DEPTH));
                // A number of the launch says more than what is made of ids.
                let (mut trial, before) = (found.clone(), met.len());
                if self.divide(a, left(b), met, &mut trial).is_some() {
                    *found = trial;
                    return Some(());
                }
                // What was supposed of these does not hold.
                met.truncate(before);
                self.divide(b, left(a), met, found)
            }
            InstKind::Op(Op::Shl, operands) => {
                let (by, bits) = (self.constant(operands[1])?, self.scalar(value)?.bits());
                if by >= bits {
                    return None;
                }
                self.divide(operands[0], power.saturating_sub(by), met, found)
            }
            InstKind::Op(Op::And, operands) => {
                let mask = operands.iter().find_map(|operand| self.constant(*operand))?;
                (mask.trailing_zeros() >= power).then_some(())
            }
            InstKind::Op(Op::Cast, operands) => {
                let [from, to] = [operands[0], value].map(|value| self.scalar(value).map(Scalar::bits));
                (from? >= power && to? >= power).then_some(())?;
                self.divide(operands[0], power, met, found)
            }
            _ => None,
        }
    }

    /// How many of a value's lowest bits are zero, by its form alone.
    fn zeros(&self, value: ValueId, depth: u32) -> u32 {
        if let Some(number) = self.constant(value) {
            return number.trailing_zeros();
        }
        if self.burn().is_none() {
            return 0;
        }
        match self.definition(value) {
            Some(InstKind::Op(Op::Mul, operands)) if depth > 0 => {
                (self.zeros(operands[0], depth - 1) + self.zeros(operands[1], depth - 1)).min(31)
            }
            Some(InstKind::Op(Op::Shl, operands)) if depth > 0 => match self.constant(operands[1]) {
                Some(by) if by < 32 => (self.zeros(operands[0], depth - 1) + by).min(31),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// A number of 32 bits that the host knows as well, modulo 2^32.
    fn number(&self, value: ValueId, depth: u32) -> Option<Bound> {
        if !self.is_of_32_bits(value) {
            return None;
        }
        self.burn()?;
        match self.definition(value)? {
            InstKind::Param(param) => Some(Bound::Param(*param, [].into())),
            InstKind::ConstParam(param) => Some(Bound::Constant(*param)),
            InstKind::Len(buffer) => Some(Bound::Len(*buffer)),
            InstKind::Extract(composite, path) => match (self.definition(*composite)?, &path[..]) {
                (InstKind::Param(param), path) => Some(Bound::Param(*param, path.into())),
                (InstKind::Builtin(Builtin::NumWorkgroups), [axis]) => Some(Bound::Groups(*axis as u8)),
                _ => None,
            },
            InstKind::Op(Op::Mul, operands) => {
                let depth = depth.checked_sub(1)?;
                let factor = |value: ValueId| match self.constant(value) {
                    Some(constant) => Some(Bound::Const(constant)),
                    None => self.number(value, depth),
                };
                Some(Bound::binary(BoundOp::Mul, factor(operands[0])?, factor(operands[1])?))
            }
            _ => None,
        }
    }
}
