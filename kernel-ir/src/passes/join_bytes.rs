//! Numbers put together from the bytes of words: what `u32::from_le_bytes` makes of four bytes that were loaded at once is the word.

use std::cell::Cell;

use super::edit::add_inst;
use super::{Changed, PassCx, eval};
use crate::arena::EntityId;
use crate::ir::{Constant, Function, InstId, InstKind, ValueId};
use crate::op::Op;
use crate::rounds::definitions;
use crate::types::{Scalar, Type, Types};

/// How many operations deep a number is followed.
const DEPTH: u32 = 20;
/// How many values are looked at for one number: what is rotated and added again and again has many ways to the same values.
const FUEL: u32 = 100;

/// The bytes of a number, the lowest first: of which word they are, and which of its bytes; `None` for zeros.
type Bytes = [Option<(ValueId, u8)>; 8];

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let definitions = definitions(function);
    let (word, types) = (cx.types.scalar(Scalar::U32), &*cx.types);
    let mut changed = Changed::No;
    let blocks: Vec<_> = function.blocks.iter().map(|(id, _)| id).collect();
    for block in blocks {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for id in insts {
            let view = View { function, types, definitions: &definitions, fuel: Cell::new(FUEL) };
            if let Some(found) = view.words(id) {
                let location = function.insts[id].location;
                let ty = function.values[function.insts[id].results[0]].ty;
                let kind = match found {
                    Words::One(only) => InstKind::Op(Op::Cast, [only].into()),
                    Words::Two(low, high) => {
                        let mut add = |kind, ty| {
                            let (id, value) = add_inst(function, kind, ty, location);
                            out.push(id);
                            value
                        };
                        let low = add(InstKind::Op(Op::Cast, [low].into()), ty);
                        let high = add(InstKind::Op(Op::Cast, [high].into()), ty);
                        let by = add(InstKind::Const(Constant::U32(32)), word);
                        let high = add(InstKind::Op(Op::Shl, [high, by].into()), ty);
                        InstKind::Op(Op::Or, [low, high].into())
                    }
                };
                function.insts[id].kind = kind;
                changed = Changed::Yes;
            }
            out.push(id);
        }
        function.blocks[block].insts = out;
    }
    changed
}

enum Words {
    One(ValueId),
    Two(ValueId, ValueId),
}

struct View<'f> {
    function: &'f Function,
    types: &'f Types,
    definitions: &'f [Option<InstId>],
    /// How many values may still be looked at.
    fuel: Cell<u32>,
}

impl View<'_> {
    /// The words that an instruction puts together again from their bytes.
    fn words(&self, id: InstId) -> Option<Words> {
        let inst = &self.function.insts[id];
        let (InstKind::Op(Op::Or | Op::Add | Op::Xor, operands), [result]) = (&inst.kind, &inst.results[..]) else {
            return None;
        };
        let size = self.scalar(*result).filter(|scalar| matches!(scalar.bits(), 32 | 64))?.bits() / 8;
        // Two words are put together as they are.
        if operands.iter().any(|operand| self.is_half(*operand)) {
            return None;
        }
        let bytes = self.bytes(*result, DEPTH)?;
        let word = |half: &[Option<(ValueId, u8)>]| {
            let (first, _) = half[0]?;
            let is_next = |(byte, at): (&Option<(ValueId, u8)>, u8)| *byte == Some((first, at));
            // Whose bytes meet is a number of its own.
            (first != *result && half.iter().zip(0..).all(is_next)).then_some(first)
        };
        match size {
            4 => word(&bytes[..4]).map(Words::One),
            _ => Some(Words::Two(word(&bytes[..4])?, word(&bytes[4..])?)),
        }
    }

    /// Whether a value is a word, cast to 64 bits.
    fn is_half(&self, value: ValueId) -> bool {
        match self.definition(value) {
            Some(InstKind::Op(Op::Cast, operands)) => self.scalar(operands[0]) == Some(Scalar::U32),
            _ => false,
        }
    }

    fn scalar(&self, value: ValueId) -> Option<Scalar> {
        match self.types.get(self.function.values[value].ty) {
            Type::Scalar(scalar) if scalar.is_int() => Some(*scalar),
            _ => None,
        }
    }

    fn definition(&self, value: ValueId) -> Option<&InstKind> {
        Some(&self.function.insts[(*self.definitions.get(value.index())?)?].kind)
    }

    fn constant(&self, value: ValueId) -> Option<u64> {
        match self.definition(value)? {
            InstKind::Const(Constant::Zero) => Some(0),
            InstKind::Const(constant) => eval::bits(*constant),
            _ => None,
        }
    }

    fn bytes(&self, value: ValueId, depth: u32) -> Option<Bytes> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        let scalar = self.scalar(value)?;
        let size = (scalar.bits() / 8) as usize;
        if self.constant(value) == Some(0) {
            return Some([None; 8]);
        }
        let own = || {
            let mut bytes = [None; 8];
            for (byte, at) in bytes[..4].iter_mut().zip(0..) {
                *byte = Some((value, at));
            }
            (scalar == Scalar::U32).then_some(bytes)
        };
        if depth == 0 {
            return own();
        }
        let found = match self.definition(value) {
            Some(InstKind::Op(Op::Or | Op::Add | Op::Xor, operands)) => {
                let [a, b] = [self.bytes(operands[0], depth - 1)?, self.bytes(operands[1], depth - 1)?];
                let mut both = [None; 8];
                for ((byte, a), b) in both.iter_mut().zip(a).zip(b) {
                    *byte = match (a, b) {
                        (Some(_), Some(_)) => return own(),
                        (a, b) => a.or(b),
                    };
                }
                Some(both)
            }
            Some(InstKind::Op(Op::Shl, operands)) => self.moved(operands[0], (operands[1], true), depth),
            Some(InstKind::Op(Op::Shr, operands)) if !scalar.is_signed() => {
                self.moved(operands[0], (operands[1], false), depth)
            }
            Some(InstKind::Op(Op::Cast, operands)) => {
                let from = self.scalar(operands[0])?;
                // What a sign fills is no byte of a word.
                let is_kept = !from.is_signed() || from.bits() >= scalar.bits();
                is_kept.then(|| self.bytes(operands[0], depth - 1)).flatten()
            }
            _ => None,
        };
        let mut bytes = found.or_else(own)?;
        bytes[size..].fill(None);
        Some(bytes)
    }

    fn moved(&self, value: ValueId, (by, is_up): (ValueId, bool), depth: u32) -> Option<Bytes> {
        let bits = self.scalar(value)?.bits();
        let by = self.constant(by).filter(|by| by % 8 == 0 && *by < u64::from(bits))? as usize / 8;
        let from = self.bytes(value, depth - 1)?;
        let mut moved = [None; 8];
        if is_up {
            moved[by..].copy_from_slice(&from[..8 - by]);
        } else {
            moved[..8 - by].copy_from_slice(&from[by..]);
        }
        Some(moved)
    }
}
