//! The live parts of a module: reachable blocks, and all that these need.

use super::shape::Shape;
use super::survey::{Survey, targets};
use crate::binary::{HEADER, Inst, inst_at, op};

/// Whether an instruction of a block does more than compute its result.
pub(super) fn has_effect(inst: Inst<'_>) -> bool {
    match inst.opcode {
        // Barriers, atomics, what subgroups do together.
        op::CONTROL_BARRIER..=op::ATOMIC_XOR
        | op::GROUP_NON_UNIFORM_ELECT..=op::GROUP_NON_UNIFORM_QUAD_SWAP
        | op::ATOMIC_F_ADD_EXT
        | op::FUNCTION_CALL => true,
        op::LINE | op::NO_LINE | op::LABEL => false,
        opcode => Shape::of(opcode).is_none_or(|shape| !shape.has_result),
    }
}

impl Survey<'_> {
    /// Finds the functions and blocks that the entry point leads to.
    pub(super) fn keep_blocks(&mut self) {
        let mut waiting = Vec::with_capacity(self.blocks.len());
        self.keep_function(self.entry, &mut waiting);
        while let Some(place) = waiting.pop() {
            if std::mem::replace(&mut self.blocks[place].is_kept, true) {
                continue;
            }
            let block = &self.blocks[place];
            let (end, merge, calls_end) = (block.end, block.merge, block.calls);
            let calls_start = place.checked_sub(1).map_or(0, |before| self.blocks[before].calls);
            let way = inst_at(self.words, end);
            let only_way = match (way.opcode, way.words) {
                (op::BRANCH, [label, ..]) => Some(*label),
                (op::BRANCH_CONDITIONAL, [condition, yes, no, ..]) => {
                    let truth = self.truth(self.resolve(*condition));
                    truth.map(|truth| if truth { *yes } else { *no })
                }
                _ => None,
            };
            // A selection whose way is known is none.
            let merge = merge.filter(|at| only_way.is_none() || self.words[*at] as u16 == op::LOOP_MERGE);
            let block = &mut self.blocks[place];
            (block.only_way, block.merge) = (only_way, merge);
            for at in calls_start..calls_end {
                self.keep_function(self.calls[at], &mut waiting);
            }
            if let Some(at) = merge {
                self.keep_named(at, &mut waiting);
            }
            match only_way {
                Some(label) => {
                    self.lead_to(Inst { opcode: op::BRANCH, words: &[label] }, &mut waiting, |block| block.ways_in += 1)
                }
                None => self.lead_to(way, &mut waiting, |block| block.ways_in += 1),
            }
        }
    }

    /// Finds conditions that are the same whichever way that is left leads to them, such as whether a loop was left at a trap where no trap is
    /// left. If there are, blocks have to be found anew.
    pub(super) fn settle_conditions(&mut self) -> bool {
        let mut any = false;
        for place in 0..self.blocks.len() {
            let block = &self.blocks[place];
            if !block.is_kept {
                continue;
            }
            let (label, mut at, end) = (block.label, block.start, block.end);
            while at < end {
                let inst = inst_at(self.words, at);
                match (inst.opcode, inst.words) {
                    (op::LABEL | op::LINE | op::NO_LINE, _) => {}
                    (op::PHI, [_, phi, ways @ ..]) if self.truth(*phi).is_none() && self.is_condition(*phi) => {
                        let mut ways = ways.chunks_exact(2).filter(|way| self.leads(way[1], label));
                        let first = ways.next().and_then(|way| self.truth(self.resolve(way[0])));
                        let is_settled = first.is_some() && ways.all(|way| self.truth(self.resolve(way[0])) == first);
                        if is_settled {
                            self.ids[*phi as usize].truth = first;
                            any = true;
                        }
                    }
                    (op::PHI, _) => {}
                    _ => break,
                }
                at += (self.words[at] >> 16) as usize;
            }
        }
        if any {
            for block in &mut self.blocks {
                (block.is_kept, block.is_named, block.ways_in) = (false, false, 0);
            }
            self.functions.iter_mut().for_each(|function| function.is_kept = false);
        }
        any
    }

    fn keep_function(&mut self, id: u32, waiting: &mut Vec<usize>) {
        let function = &mut self.functions[self.ids[id as usize].place as usize];
        if !std::mem::replace(&mut function.is_kept, true) {
            waiting.push(function.blocks.start);
        }
    }

    /// Keeps the blocks that a header names as its merge and continue targets. Of an unreachable merge block only the
    /// label stays. An unreachable continue block leads back to its header.
    fn keep_named(&mut self, at: usize, waiting: &mut Vec<usize>) {
        let inst = inst_at(self.words, at);
        targets(inst, |label| {
            let place = self.ids[label as usize].place as usize;
            self.blocks[place].is_named = true;
        });
        if let (op::LOOP_MERGE, [_, latch, ..]) = (inst.opcode, inst.words) {
            waiting.push(self.ids[*latch as usize].place as usize);
        }
    }

    fn lead_to(&mut self, inst: Inst<'_>, waiting: &mut Vec<usize>, note: impl Fn(&mut super::survey::Block)) {
        targets(inst, |label| {
            let place = self.ids[label as usize].place as usize;
            note(&mut self.blocks[place]);
            if !self.blocks[place].is_kept {
                waiting.push(place);
            }
        });
    }

    /// Whether a block that stays goes to another.
    pub(super) fn leads(&self, from: u32, to: u32) -> bool {
        let from = &self.blocks[self.ids[from as usize].place as usize];
        from.is_kept && from.only_way.is_none_or(|label| label == to)
    }

    /// Finds the values, types, constants and variables that the blocks need. A phi of one way is what comes by that way, but for
    /// conditions that go round a loop.
    pub(super) fn keep_values(&mut self, keeps_names: bool) {
        let words = self.words;
        let mut waiting = Vec::with_capacity(self.ids.len());
        waiting.extend(self.workgroup_size);
        if keeps_names {
            self.keep_strings(&mut waiting);
        }
        for place in 0..self.functions.len() {
            let function = &self.functions[place];
            if !function.is_kept {
                continue;
            }
            let (start, blocks) = (function.start, function.blocks.clone());
            // The function's type and its parameters'.
            let mut at = start;
            while at < self.blocks[blocks.start].start {
                self.need_operands(at, &mut waiting);
                at += (words[at] >> 16) as usize;
            }
            for block in blocks {
                let block = &self.blocks[block];
                let (mut at, end) = (block.start, block.end);
                if !block.is_kept {
                    continue;
                }
                let has_one_way = block.only_way.is_some();
                while at < end {
                    if has_effect(inst_at(words, at)) {
                        self.need_operands(at, &mut waiting);
                    }
                    at += (words[at] >> 16) as usize;
                }
                if !has_one_way {
                    self.need_operands(end, &mut waiting);
                }
                self.need_waiting(&mut waiting);
            }
        }
        self.need_waiting(&mut waiting);
    }

    /// Notes the ids that an instruction names, but for its own result.
    fn need_operands(&mut self, at: usize, waiting: &mut Vec<u32>) {
        let inst = inst_at(self.words, at);
        let Some(shape) = Shape::of(inst.opcode) else { return };
        shape.each(inst.words, |word, is_id| {
            if is_id && !self.ids[word as usize].is_kept {
                waiting.push(word);
            }
        });
    }

    fn need_waiting(&mut self, waiting: &mut Vec<u32>) {
        while let Some(id) = waiting.pop() {
            let id = self.resolve(id);
            if std::mem::replace(&mut self.ids[id as usize].is_kept, true) {
                continue;
            }
            let Some(inst) = self.made(id) else { continue };
            match (inst.opcode, inst.words) {
                (op::LABEL | op::FUNCTION | op::FUNCTION_PARAMETER, _) => {}
                (op::PHI, [ty, result, ways @ ..]) => {
                    waiting.push(*ty);
                    self.need_ways(*result, ways, waiting);
                }
                _ => self.need_operands(self.ids[id as usize].made as usize, waiting),
            }
        }
    }

    fn need_ways(&mut self, phi: u32, ways: &[u32], waiting: &mut Vec<u32>) {
        let place = self.block_of(self.ids[phi as usize].made as usize);
        let to = self.blocks[place].label;
        let (mut only, mut count) = (0, 0);
        for way in ways.chunks_exact(2) {
            if self.leads(way[1], to) {
                (only, count) = (way[0], count + 1);
                waiting.push(way[0]);
            }
        }
        if count == 1 && !(self.is_condition(phi) && self.leads_back(place)) {
            self.replace(phi, only);
        }
    }

    fn is_condition(&self, id: u32) -> bool {
        let ty = self.made(id).and_then(|inst| inst.words.first().copied());
        ty.and_then(|ty| self.made(ty)).is_some_and(|ty| ty.opcode == op::TYPE_BOOL)
    }

    /// Whether a block leads back to the header of a loop. A condition that a header takes from there must be computed
    /// in the loop, unless one is a constant: [`Fault::HeaderPhis`](crate::faults::Fault::HeaderPhis).
    fn leads_back(&self, place: usize) -> bool {
        self.blocks[place].only_way.is_some_and(|label| self.ids[label as usize].place as usize <= place)
    }

    /// The block that an instruction stands in.
    pub(super) fn block_of(&self, at: usize) -> usize {
        self.blocks.partition_point(|block| block.start < at) - 1
    }

    /// Texts of sources have no other users.
    fn keep_strings(&self, waiting: &mut Vec<u32>) {
        let mut at = HEADER;
        while at < self.functions.first().map_or(self.words.len(), |function| function.start) {
            let inst = inst_at(self.words, at);
            if let (op::STRING, [id, ..]) = (inst.opcode, inst.words) {
                waiting.push(*id);
            }
            at += 1 + inst.words.len();
        }
    }

    /// Makes one block of two where the second follows the first, and nothing else leads to it or names it.
    pub(super) fn join_blocks(&mut self) {
        for function in 0..self.functions.len() {
            let mut before: Option<usize> = None;
            for place in self.functions[function].blocks.clone() {
                let block = &self.blocks[place];
                let label = block.label;
                if !block.is_kept {
                    before = before.filter(|_| !block.is_named);
                    continue;
                }
                if let Some(before) = before.replace(place)
                    && block.ways_in == 1
                    && !block.is_named
                    && self.blocks[before].merge.is_none()
                    && self.blocks[before].only_way == Some(label)
                {
                    let by = self.blocks[before].label;
                    self.blocks[before].goes_on = true;
                    self.replace(label, by);
                }
            }
        }
    }
}
