//! Functions of which one instruction is left: calls are written as that instruction, as of `mul_add` where the device has it.

use super::keep::has_effect;
use super::survey::{Function, Survey};
use crate::binary::{HEADER, Inst, inst_at, op};

/// A function that computes one value from its parameters and constants, and gives it back.
#[derive(Debug)]
pub(super) struct Inlined<'a> {
    pub(super) parameters: Vec<u32>,
    /// The instruction that computes the value.
    pub(super) inst: Inst<'a>,
    /// The value.
    pub(super) value: u32,
}

impl<'a> Survey<'a> {
    /// For each function, what its calls are written as if they are none.
    pub(super) fn inlined(&self) -> Vec<Option<Inlined<'a>>> {
        let named: Vec<_> = self.named.iter().map(|id| self.ids[*id as usize].place as usize).collect();
        let of_function = |(place, function): (usize, &Function)| {
            if function.is_kept && !named.contains(&place) { self.only_value(function) } else { None }
        };
        self.functions.iter().enumerate().map(of_function).collect()
    }

    fn only_value(&self, function: &Function) -> Option<Inlined<'a>> {
        let mut found = None;
        let mut returned = None;
        for place in function.blocks.clone() {
            let block = &self.blocks[place];
            if !block.is_kept {
                continue;
            }
            let mut at = block.start;
            while at < block.end {
                let inst = inst_at(self.words, at);
                if inst.opcode != op::LABEL && self.is_written(block, at, inst, false) {
                    // An effect, a phi, or a second value.
                    if found.is_some() || has_effect(inst) || inst.opcode == op::PHI {
                        return None;
                    }
                    found = Some(inst);
                }
                at += 1 + inst.words.len();
            }
            let end = inst_at(self.words, block.end);
            match (block.only_way, end.opcode, end.words) {
                (Some(_), ..) => {}
                (None, op::RETURN_VALUE, [value]) if returned.is_none() => returned = Some(self.resolve(*value)),
                _ => return None,
            }
        }
        let inst = found?;
        let value = *inst.words.get(1)?;
        if returned != Some(value) || self.is_decorated(value) {
            return None;
        }
        Some(Inlined { parameters: self.parameters(function), inst, value })
    }

    fn parameters(&self, function: &Function) -> Vec<u32> {
        let (mut at, end) = (function.start, self.blocks[function.blocks.start].start);
        let mut parameters = Vec::new();
        while at < end {
            let inst = inst_at(self.words, at);
            if let (op::FUNCTION_PARAMETER, [_, id]) = (inst.opcode, inst.words) {
                parameters.push(*id);
            }
            at += 1 + inst.words.len();
        }
        parameters
    }

    /// Whether something is said of a value that a copy of it would lack.
    fn is_decorated(&self, id: u32) -> bool {
        let (mut at, end) = (HEADER, self.functions.first().map_or(0, |function| function.start));
        while at < end {
            let inst = inst_at(self.words, at);
            if inst.opcode == op::DECORATE && inst.words.first() == Some(&id) {
                return true;
            }
            at += 1 + inst.words.len();
        }
        false
    }
}
