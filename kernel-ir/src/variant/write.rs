//! The writer of a variant's words: ids numbered anew without gaps, specialization constants as ordinary ones.

use super::inline::Inlined;
use super::shape::Shape;
use super::survey::{Survey, is_debug};
use crate::binary::{HEADER, Inst, inst_at, op};

/// The words being written.
struct Output<'s, 'a> {
    survey: &'s Survey<'a>,
    /// The instruction that replaces calls of each function.
    inlined: Vec<Option<Inlined<'a>>>,
    words: Vec<u32>,
    /// The new number of each id; zero before it is met.
    numbers: Vec<u32>,
    next: u32,
}

/// Writes what stays.
pub(super) fn write(survey: Survey<'_>, keeps_names: bool) -> Vec<u32> {
    let mut words = Vec::with_capacity(survey.words.len());
    words.extend_from_slice(&survey.words[..HEADER]);
    let inlined = if keeps_names { survey.functions.iter().map(|_| None).collect() } else { survey.inlined() };
    let mut output = Output { words, inlined, numbers: vec![0; survey.ids.len()], next: 1, survey: &survey };
    output.write_globals(keeps_names);
    for place in 0..survey.functions.len() {
        if survey.functions[place].is_kept && output.inlined[place].is_none() {
            output.write_function(place, keeps_names);
        }
    }
    output.words[3] = output.next;
    output.words
}

impl Output<'_, '_> {
    fn number(&mut self, id: u32) -> u32 {
        let number = &mut self.numbers[self.survey.resolve(id) as usize];
        if *number == 0 {
            *number = self.next;
            self.next += 1;
        }
        *number
    }

    /// Writes the length of an instruction that begins there.
    fn close(&mut self, start: usize, opcode: u16) {
        self.words[start] = ((self.words.len() - start) as u32) << 16 | u32::from(opcode);
    }

    fn copy(&mut self, inst: Inst<'_>) {
        self.copy_as(inst.opcode, inst);
    }

    /// Writes an instruction with this opcode in place of its own.
    fn copy_as(&mut self, opcode: u16, inst: Inst<'_>) {
        let Some(shape) = Shape::of(inst.opcode) else { return };
        self.words.push((inst.words.len() as u32 + 1) << 16 | u32::from(opcode));
        shape.each(inst.words, |word, is_id| {
            let word = if is_id { self.number(word) } else { word };
            self.words.push(word);
        });
    }

    /// Everything in front of functions.
    fn write_globals(&mut self, keeps_names: bool) {
        let survey = self.survey;
        let end = survey.functions.first().map_or(survey.words.len(), |function| function.start);
        // Types of functions that are written in place of their calls are of no use.
        let written = survey.functions.iter().zip(&self.inlined);
        let written = written.filter(|(function, inlined)| function.is_kept && inlined.is_none());
        let types: Vec<u32> =
            written.filter_map(|(function, _)| inst_at(survey.words, function.start).words.get(3).copied()).collect();
        let mut at = HEADER;
        while at < end {
            let inst = inst_at(survey.words, at);
            let is_kept = |id: u32| survey.ids[id as usize].is_kept && !survey.is_replaced(id);
            match (inst.opcode, inst.words) {
                (op::ENTRY_POINT, _) if at == survey.entry_at => self.write_entry(inst),
                (op::EXECUTION_MODE, [entry, ..]) if *entry == survey.entry => self.copy(inst),
                (op::ENTRY_POINT | op::EXECUTION_MODE, _) => {}
                (opcode, _) if is_debug(opcode) && !keeps_names => {}
                (op::NAME | op::MEMBER_NAME, [id, ..]) => {
                    if is_kept(*id) {
                        self.copy(inst);
                    }
                }
                (op::TYPE_FUNCTION, [id, ..]) if !types.contains(id) => {}
                (op::DECORATE, [id, ..]) if !is_kept(*id) || Survey::is_number(inst.words) => {}
                (op::MEMBER_DECORATE, [id, ..]) if !is_kept(*id) => {}
                _ => self.write_global(inst, is_kept),
            }
            at += 1 + inst.words.len();
        }
    }

    fn write_global(&mut self, inst: Inst<'_>, is_kept: impl Fn(u32) -> bool) {
        let result = Shape::of(inst.opcode).and_then(Shape::result).and_then(|position| inst.words.get(position));
        if result.is_some_and(|id| !is_kept(*id)) {
            return;
        }
        match (inst.opcode, inst.words) {
            (op::SPEC_CONSTANT_TRUE | op::SPEC_CONSTANT_FALSE, [_, id]) => {
                let is_true = self.survey.truth(*id) == Some(true);
                self.copy_as(if is_true { op::CONSTANT_TRUE } else { op::CONSTANT_FALSE }, inst);
            }
            (op::SPEC_CONSTANT, [ty, id, default @ ..]) => {
                let start = self.words.len();
                let (number, ty_number) = (self.number(*id), self.number(*ty));
                self.words.extend([0, ty_number, number]);
                match self.survey.value_of(*id) {
                    Some(bits) => self.write_bits(*ty, bits, default.len()),
                    None => self.words.extend_from_slice(default),
                }
                self.close(start, op::CONSTANT);
            }
            _ => self.copy(inst),
        }
    }

    /// The bits of a number as a constant has them: those of fewer than 32 are extended as their type says.
    fn write_bits(&mut self, ty: u32, bits: u64, words: usize) {
        let made = self.survey.made(ty);
        let low = match made.map_or((0, &[][..]), |made| (made.opcode, made.words)) {
            (op::TYPE_INT, [_, 8, 1]) => i32::from(bits as i8) as u32,
            (op::TYPE_INT, [_, 16, 1]) => i32::from(bits as i16) as u32,
            (op::TYPE_INT, [_, 8, _]) => u32::from(bits as u8),
            (op::TYPE_INT, [_, 16, _]) => u32::from(bits as u16),
            _ => bits as u32,
        };
        self.words.push(low);
        if words == 2 {
            self.words.push((bits >> 32) as u32);
        }
    }

    /// The entry point, with those of its variables that are used.
    fn write_entry(&mut self, inst: Inst<'_>) {
        let [model, function, rest @ ..] = inst.words else { return };
        let start = self.words.len();
        let function = self.number(*function);
        self.words.extend([0, *model, function]);
        // Its text ends with a word that has a zero byte at its end.
        let text = rest.iter().position(|word| word >> 24 == 0).map_or(rest.len(), |last| last + 1);
        let (text, variables) = rest.split_at(text);
        self.words.extend_from_slice(text);
        for variable in variables {
            if self.survey.ids.get(*variable as usize).is_some_and(|id| id.is_kept) {
                let number = self.number(*variable);
                self.words.push(number);
            }
        }
        self.close(start, inst.opcode);
    }

    fn write_function(&mut self, place: usize, keeps_names: bool) {
        let survey = self.survey;
        let function = &survey.functions[place];
        let mut at = function.start;
        while at < survey.blocks[function.blocks.start].start {
            let inst = inst_at(survey.words, at);
            if keeps_names || !is_debug(inst.opcode) {
                self.copy(inst);
            }
            at += 1 + inst.words.len();
        }
        let mut goes_on = false;
        for place in function.blocks.clone() {
            let block = &survey.blocks[place];
            if !block.is_kept {
                if block.is_named {
                    self.copy(inst_at(survey.words, block.start));
                    self.words.push(1 << 16 | u32::from(op::UNREACHABLE));
                }
                continue;
            }
            let mut at = block.start;
            if goes_on {
                at += 2;
            }
            while at < block.end {
                let inst = inst_at(survey.words, at);
                if survey.is_written(block, at, inst, keeps_names) {
                    match inst.opcode {
                        op::PHI => self.write_phi(block.label, inst),
                        op::FUNCTION_CALL => self.write_call(inst),
                        _ => self.copy(inst),
                    }
                }
                at += 1 + inst.words.len();
            }
            goes_on = block.goes_on;
            match block.only_way {
                _ if goes_on => {}
                Some(label) => self.copy(Inst { opcode: op::BRANCH, words: &[label] }),
                None => self.copy(inst_at(survey.words, block.end)),
            }
        }
        self.words.push(1 << 16 | u32::from(op::FUNCTION_END));
    }

    /// A call, or the only instruction of what is called.
    fn write_call(&mut self, inst: Inst<'_>) {
        let survey = self.survey;
        let [_, result, callee, arguments @ ..] = inst.words else { return };
        let place = survey.ids[*callee as usize].place as usize;
        let Some((of, shape)) = self.inlined[place].as_ref().and_then(|of| Some((of, Shape::of(of.inst.opcode)?)))
        else {
            return self.copy(inst);
        };
        let mut operands = Vec::with_capacity(of.inst.words.len());
        shape.each(of.inst.words, |word, is_id| {
            let parameter = of.parameters.iter().position(|id| is_id && *id == survey.resolve(word));
            let by = match parameter.and_then(|position| arguments.get(position)) {
                Some(argument) => *argument,
                None if is_id && word == of.value => *result,
                None => word,
            };
            operands.push((by, is_id));
        });
        self.words.push((operands.len() as u32 + 1) << 16 | u32::from(of.inst.opcode));
        for (word, is_id) in operands {
            let word = if is_id { self.number(word) } else { word };
            self.words.push(word);
        }
    }

    /// A phi of the ways that are left; of no way, it has no value.
    fn write_phi(&mut self, to: u32, inst: Inst<'_>) {
        let [ty, result, ways @ ..] = inst.words else { return };
        let start = self.words.len();
        let (ty, result) = (self.number(*ty), self.number(*result));
        self.words.extend([0, ty, result]);
        for way in ways.chunks_exact(2).filter(|way| self.survey.leads(way[1], to)) {
            let pair = [self.number(way[0]), self.number(way[1])];
            self.words.extend(pair);
        }
        let has_ways = self.words.len() > start + 3;
        self.close(start, if has_ways { op::PHI } else { op::UNDEF });
    }
}

impl Survey<'_> {
    /// Whether an instruction of a block stays; its last one is not asked for.
    pub(super) fn is_written(
        &self,
        block: &super::survey::Block,
        at: usize,
        inst: Inst<'_>,
        keeps_names: bool,
    ) -> bool {
        match inst.opcode {
            op::LABEL => true,
            op::LINE | op::NO_LINE => keeps_names,
            op::SELECTION_MERGE | op::LOOP_MERGE => block.merge == Some(at),
            opcode => {
                let result = Shape::of(opcode).and_then(Shape::result).and_then(|position| inst.words.get(position));
                match result {
                    Some(id) if !super::keep::has_effect(inst) => {
                        self.ids[*id as usize].is_kept && !self.is_replaced(*id)
                    }
                    _ => true,
                }
            }
        }
    }
}
