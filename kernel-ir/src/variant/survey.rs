//! A module read once: where each id is made, which conditions are known, which blocks there are and how they end.

use super::shape::Shape;
use super::{VariantDesc, VariantError};
use crate::binary::built_in::WORKGROUP_SIZE;
use crate::binary::decoration::{BUILT_IN, SPEC_ID};
use crate::binary::{HEADER, Inst, MAGIC, MAX_BOUND, inst_at, op, whole_inst_at};
use crate::descriptor::{CHECK_GROUPS, FORGETS_RESULTS, IS_PROVEN, LOSES_INDICES, is_proven};
use crate::faults::{Fault, Faults};

/// The facts about an id.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Id {
    /// Position of the instruction that makes it; zero for none.
    pub(super) made: u32,
    /// One more than the number of a specialization constant that it is.
    spec: u32,
    /// Another id that it is the same as.
    same_as: u32,
    /// Position among the blocks, if it is a label, or among the functions, if it is one.
    pub(super) place: u32,
    /// The condition that it is.
    pub(super) truth: Option<bool>,
    pub(super) is_kept: bool,
}

/// A block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) label: u32,
    /// Position of its label.
    pub(super) start: usize,
    /// Position of its last instruction.
    pub(super) end: usize,
    /// Position of its merge instruction.
    pub(super) merge: Option<usize>,
    /// The end of its calls in the list.
    pub(super) calls: usize,
    pub(super) is_kept: bool,
    /// The only way out, where its condition is known or there is none.
    pub(super) only_way: Option<u32>,
    /// Ways into it; each counts that is written.
    pub(super) ways_in: u32,
    /// Whether a merge instruction names it.
    pub(super) is_named: bool,
    /// Whether the next block that is kept goes on where this one ends, as one block with it.
    pub(super) goes_on: bool,
}

/// A function.
#[derive(Debug)]
pub(super) struct Function {
    /// Position of its first instruction.
    pub(super) start: usize,
    /// Its blocks.
    pub(super) blocks: std::ops::Range<usize>,
    pub(super) is_kept: bool,
}

/// A module, and what is found out about it.
pub(super) struct Survey<'a> {
    pub(super) words: &'a [u32],
    pub(super) constants: &'a [(u32, u64)],
    faults: Faults,
    pub(super) ids: Vec<Id>,
    pub(super) blocks: Vec<Block>,
    pub(super) functions: Vec<Function>,
    /// The functions that are called, block after block.
    pub(super) calls: Vec<u32>,
    /// The functions that are named in other ways, too.
    pub(super) named: Vec<u32>,
    /// The function of the entry point.
    pub(super) entry: u32,
    /// Position of the entry point.
    pub(super) entry_at: usize,
    /// A constant that is the size of workgroups.
    pub(super) workgroup_size: Option<u32>,
}

/// Whether an instruction is for tools alone.
pub(super) fn is_debug(opcode: u16) -> bool {
    matches!(
        opcode,
        op::SOURCE_CONTINUED
            ..=op::SOURCE_EXTENSION
                | op::NAME
                | op::MEMBER_NAME
                | op::STRING
                | op::LINE
                | op::NO_LINE
                | op::MODULE_PROCESSED
    )
}

impl<'a> Survey<'a> {
    /// Reads a module.
    pub(super) fn of(words: &'a [u32], desc: &VariantDesc<'a>) -> Result<Self, VariantError> {
        let fail = |word, cause| Err(VariantError { word, cause });
        let Some(&[magic, _, _, bound, _]) = words.first_chunk::<HEADER>() else {
            return fail(words.len(), "it is shorter than its header");
        };
        if magic != MAGIC {
            return fail(0, "its magic number is not that of SPIR-V in this machine's byte order");
        }
        if bound == 0 || bound > MAX_BOUND {
            return fail(3, "its bound of ids cannot be");
        }
        let mut survey = Self {
            words,
            constants: desc.constants,
            faults: desc.faults,
            ids: vec![Id::default(); bound as usize],
            blocks: Vec::new(),
            functions: Vec::new(),
            calls: Vec::new(),
            named: Vec::new(),
            entry: 0,
            entry_at: 0,
            workgroup_size: None,
        };
        let mut at = HEADER;
        while at < words.len() {
            let Some(inst) = whole_inst_at(words, at) else {
                return fail(at, "an instruction reaches past the end");
            };
            // Instructions that are removed anyway are not looked at.
            if desc.keeps_names || !is_debug(inst.opcode) {
                survey.read(at, inst, desc.entry_point).map_err(|cause| VariantError { word: at, cause })?;
            }
            at += 1 + inst.words.len();
        }
        match survey.entry {
            0 => fail(words.len(), "it has no such entry point"),
            _ => survey.check(),
        }
    }

    fn read(&mut self, at: usize, inst: Inst<'_>, entry_point: &str) -> Result<(), &'static str> {
        let shape = Shape::of(inst.opcode).ok_or("it has an instruction that is none of the back end's")?;
        let bound = self.ids.len() as u32;
        let mut is_bound = true;
        shape.each(inst.words, |word, is_id| is_bound &= !is_id || (1..bound).contains(&word));
        let result = match shape.result() {
            Some(position) => *inst.words.get(position).ok_or("an instruction is too short")?,
            None => 0,
        };
        if !is_bound || shape.least() > inst.words.len() {
            return Err("an instruction is too short, or names an id out of bounds");
        }
        if result != 0 {
            let id = &mut self.ids[result as usize];
            if id.made != 0 {
                return Err("an id is made twice");
            }
            id.made = at as u32;
        }
        match (inst.opcode, inst.words) {
            (op::ENTRY_POINT, [_, function, name @ ..]) if self.entry == 0 && is_text(name, entry_point) => {
                (self.entry, self.entry_at) = (*function, at);
            }
            (op::DECORATE, [id, SPEC_ID, number]) => self.ids[*id as usize].spec = number.wrapping_add(1),
            (op::DECORATE, [id, BUILT_IN, WORKGROUP_SIZE]) => self.workgroup_size = Some(*id),
            (op::CONSTANT_TRUE, _) => self.ids[result as usize].truth = Some(true),
            (op::CONSTANT_FALSE, _) => self.ids[result as usize].truth = Some(false),
            (op::SPEC_CONSTANT_TRUE | op::SPEC_CONSTANT_FALSE, _) => {
                let value = self.value_of(result).map(|bits| bits != 0);
                self.ids[result as usize].truth = Some(value.unwrap_or(inst.opcode == op::SPEC_CONSTANT_TRUE));
            }
            (opcode, operands) if !self.functions.is_empty() || opcode == op::FUNCTION => {
                return self.read_code(at, opcode, operands, result);
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads an instruction of a function.
    fn read_code(&mut self, at: usize, opcode: u16, operands: &[u32], result: u32) -> Result<(), &'static str> {
        let open = self.blocks.last_mut().filter(|block| block.end == 0);
        match (opcode, operands) {
            (op::FUNCTION, _) => {
                self.ids[result as usize].place = self.functions.len() as u32;
                let first = self.blocks.len();
                self.functions.push(Function { start: at, blocks: first..first, is_kept: false });
            }
            (op::LABEL, _) => {
                if open.is_some() {
                    return Err("a block does not end");
                }
                self.ids[result as usize].place = self.blocks.len() as u32;
                self.blocks.push(Block::new(result, at, self.calls.len()));
                if let Some(function) = self.functions.last_mut() {
                    function.blocks.end = self.blocks.len();
                }
            }
            (op::LINE | op::NO_LINE | op::FUNCTION_PARAMETER | op::FUNCTION_END, _) => {}
            _ => {
                let block = open.ok_or("an instruction stands outside of all blocks")?;
                match (opcode, operands) {
                    (op::SELECTION_MERGE | op::LOOP_MERGE, _) => block.merge = Some(at),
                    (op::BRANCH..=op::SWITCH | op::RETURN..=op::UNREACHABLE, _) => {
                        block.end = at;
                        block.calls = self.calls.len();
                    }
                    (op::FUNCTION_CALL, [_, _, callee, ..]) => self.calls.push(*callee),
                    (op::COOPERATIVE_MATRIX_REDUCE_NV, [_, _, _, _, combine]) => {
                        self.calls.push(*combine);
                        self.named.push(*combine);
                    }
                    _ => self.judge(opcode, operands, result),
                }
            }
        }
        Ok(())
    }

    /// Finds out whether a condition is known, or a value is another's.
    fn judge(&mut self, opcode: u16, operands: &[u32], result: u32) {
        let (truth, same_as) = match (opcode, operands) {
            (op::LOGICAL_OR | op::LOGICAL_AND, [_, _, left, right]) => {
                let (left, right) = (self.resolve(*left), self.resolve(*right));
                let decides = opcode == op::LOGICAL_OR;
                match (self.truth(left), self.truth(right)) {
                    (Some(truth), _) if truth == decides => (Some(truth), 0),
                    (_, Some(truth)) if truth == decides => (Some(truth), 0),
                    (Some(_), _) => (self.truth(right), right),
                    (_, Some(_)) => (self.truth(left), left),
                    _ => return,
                }
            }
            (op::LOGICAL_NOT, [_, _, of]) => (self.truth(self.resolve(*of)).map(|truth| !truth), 0),
            (op::SELECT, [_, _, condition, yes, no]) => {
                let Some(truth) = self.truth(self.resolve(*condition)) else { return };
                let chosen = self.resolve(if truth { *yes } else { *no });
                (self.truth(chosen), chosen)
            }
            _ => return,
        };
        self.ids[result as usize].truth = truth;
        if same_as != 0 {
            self.replace(result, same_as);
        }
    }

    /// The id that stands for an id.
    pub(super) fn resolve(&self, mut id: u32) -> u32 {
        while self.ids[id as usize].same_as != 0 {
            id = self.ids[id as usize].same_as;
        }
        id
    }

    /// Lets another id stand for one that nothing stands for yet.
    pub(super) fn replace(&mut self, id: u32, by: u32) {
        let by = self.resolve(by);
        // Never for itself, whatever the words say.
        if by != id {
            self.ids[id as usize].same_as = by;
        }
    }

    /// Whether another id stands for this one.
    pub(super) fn is_replaced(&self, id: u32) -> bool {
        self.ids[id as usize].same_as != 0
    }

    /// The instruction that makes an id.
    pub(super) fn made(&self, id: u32) -> Option<Inst<'a>> {
        let at = self.ids[id as usize].made as usize;
        (at >= HEADER).then(|| inst_at(self.words, at))
    }

    pub(super) fn truth(&self, id: u32) -> Option<bool> {
        self.ids[id as usize].truth
    }

    /// The bits that a specialization constant was given.
    pub(super) fn value_of(&self, id: u32) -> Option<u64> {
        let number = self.ids[id as usize].spec.checked_sub(1)?;
        let fault = match number {
            FORGETS_RESULTS => Some(Fault::ForgottenLoopResults),
            LOSES_INDICES => Some(Fault::LostIndices),
            _ => None,
        };
        if let Some(fault) = fault {
            return Some(self.faults.contains(fault).into());
        }
        let given = |number: u32| self.constants.iter().find(|(of, _)| *of == number).map(|(_, bits)| *bits);
        let tells_of_group = (is_proven(0)..is_proven(CHECK_GROUPS as u8)).contains(&number);
        given(number).or_else(|| given(IS_PROVEN).filter(|_| tells_of_group))
    }

    /// Whether an instruction tells the number of a specialization constant.
    pub(super) fn is_number(words: &[u32]) -> bool {
        words.get(1) == Some(&SPEC_ID)
    }

    /// Checks the assumptions of later steps: labels are labels, functions are functions, everything ends.
    fn check(self) -> Result<Self, VariantError> {
        let fail = |word, cause| Err(VariantError { word, cause });
        if self.blocks.iter().any(|block| block.end == 0)
            || self.functions.iter().any(|function| function.blocks.is_empty())
        {
            return fail(self.words.len(), "a function does not end");
        }
        let opcode_of = |id: u32| self.made(id).map_or(0, |inst| inst.opcode);
        if self.calls.iter().chain([&self.entry]).any(|callee| opcode_of(*callee) != op::FUNCTION) {
            return fail(self.entry_at, "what is called is no function");
        }
        for block in &self.blocks {
            for at in [Some(block.end), block.merge].into_iter().flatten() {
                let mut is_sound = true;
                targets(inst_at(self.words, at), |label| is_sound &= opcode_of(label) == op::LABEL);
                if !is_sound {
                    return fail(at, "a jump goes to what is no label");
                }
            }
        }
        Ok(self)
    }
}

impl Block {
    fn new(label: u32, start: usize, calls: usize) -> Self {
        Self {
            label,
            start,
            end: 0,
            merge: None,
            calls,
            is_kept: false,
            only_way: None,
            ways_in: 0,
            is_named: false,
            goes_on: false,
        }
    }
}

/// The labels that a merge or the end of a block names.
pub(super) fn targets(inst: Inst<'_>, mut tell: impl FnMut(u32)) {
    match (inst.opcode, inst.words) {
        (op::BRANCH, [label, ..]) | (op::SELECTION_MERGE, [label, ..]) => tell(*label),
        (op::BRANCH_CONDITIONAL, [_, first, second, ..]) | (op::LOOP_MERGE, [first, second, ..]) => {
            tell(*first);
            tell(*second);
        }
        (op::SWITCH, [_, default, cases @ ..]) => {
            tell(*default);
            cases.iter().skip(1).step_by(2).for_each(|label| tell(*label));
        }
        _ => {}
    }
}

/// Whether words begin with a text.
fn is_text(words: &[u32], text: &str) -> bool {
    let mut bytes = words.iter().flat_map(|word| word.to_le_bytes());
    text.bytes().all(|byte| bytes.next() == Some(byte)) && bytes.next() == Some(0)
}
