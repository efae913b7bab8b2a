//! The edits of watched loops: additions where they are entered and left, and the buffer that is added to.

use std::collections::HashMap;

use super::graph::{Block, Function, Graph};
use crate::binary::{HEADER, Inst, class, decoration, inst_at, op, positions, push, text_words};

/// The version from which on entry points name all their variables, and that from which on storage buffers need no extension.
const ALL_VARIABLES: u32 = 0x0001_0400;
const STORAGE_BUFFERS: u32 = 0x0001_0300;
const EXTENSION: &str = "SPV_KHR_storage_buffer_storage_class";
const VULKAN_MEMORY_MODEL: u32 = 3;
const MINUS_ONE: i32 = -1;

/// The additions to a block.
#[derive(Debug, Default)]
struct Edit {
    /// Added before its last instruction.
    sum: i32,
    /// The merge block that its condition leads to, out of a loop.
    leaves_to: Option<u32>,
    /// Whether it is a loop by itself, so that nothing may stand between its two ends.
    is_whole_loop: bool,
    /// The sums that are added on the ways to other blocks.
    ways: Vec<(u32, i32)>,
}

/// Ids that are new.
struct Names {
    word: u32,
    pointer: u32,
    variable: u32,
    scope: u32,
    zero: u32,
    /// The numbers that are added, by their bits.
    numbers: HashMap<i32, u32>,
    has_word: bool,
}

pub(super) struct Editor<'g, 'a> {
    graph: &'g Graph<'a>,
    binding: u32,
    bound: u32,
    names: Names,
    edits: Vec<HashMap<usize, Edit>>,
}

impl<'g, 'a> Editor<'g, 'a> {
    pub(super) fn new(graph: &'g Graph<'a>, binding: u32) -> Self {
        let edits: Vec<_> = graph.functions.iter().map(|function| edits_of(graph, function)).collect();
        let mut bound = graph.words[3];
        let mut new = || {
            bound += 1;
            bound - 1
        };
        let first = graph.functions.first().map_or(graph.words.len(), |function| function.start);
        let word = positions(graph.words, HEADER, first).map(|at| inst_at(graph.words, at)).find_map(|inst| {
            let ([id, 32, 0], op::TYPE_INT) = (inst.words, inst.opcode) else { return None };
            Some(*id)
        });
        let mut names = Names {
            has_word: word.is_some(),
            word: word.unwrap_or_else(&mut new),
            pointer: new(),
            variable: new(),
            scope: new(),
            zero: new(),
            numbers: HashMap::new(),
        };
        let mut sums: Vec<i32> = edits
            .iter()
            .flat_map(HashMap::values)
            .flat_map(|edit| edit.ways.iter().map(|(_, sum)| *sum).chain([edit.sum]))
            .chain([MINUS_ONE])
            .collect();
        sums.sort_unstable();
        sums.dedup();
        names.numbers.extend(sums.iter().map(|sum| (*sum, new())));
        Self { graph, binding, bound, names, edits }
    }

    /// The module with all of it.
    pub(super) fn write(mut self) -> Vec<u32> {
        let words = self.graph.words;
        let first = self.graph.functions.first().map_or(words.len(), |function| function.start);
        let mut out = Vec::with_capacity(words.len() * 2);
        out.extend_from_slice(&words[..HEADER]);
        self.write_globals(first, &mut out);
        for number in 0..self.graph.functions.len() {
            self.write_function(number, &mut out);
        }
        out[3] = self.bound;
        out
    }

    fn new_id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    fn write_globals(&mut self, first: usize, out: &mut Vec<u32>) {
        let (words, version) = (self.graph.words, self.graph.words[1]);
        // Capabilities and extensions; then all in front of types.
        let is_early = |opcode: u16| matches!(opcode, op::EXTENSION | op::CAPABILITY);
        let is_preamble = |opcode: u16| matches!(opcode, op::SOURCE_CONTINUED..=op::STRING | op::EXTENSION | op::EXT_INST_IMPORT | op::MEMORY_MODEL..=op::CAPABILITY | op::DECORATE..=op::GROUP_MEMBER_DECORATE | op::MODULE_PROCESSED..=op::DECORATE_ID | op::DECORATE_STRING | op::MEMBER_DECORATE_STRING);
        let last_of = |fits: &dyn Fn(u16) -> bool| {
            positions(words, HEADER, first).filter(|at| fits(inst_at(words, *at).opcode)).last()
        };
        let (last_early, last_preamble) = (last_of(&is_early), last_of(&is_preamble));
        let (block, mut scope) = (self.new_id(), 1);
        for at in positions(words, HEADER, first) {
            let inst = inst_at(words, at);
            match (inst.opcode, inst.words) {
                (op::ENTRY_POINT, operands) if version >= ALL_VARIABLES => {
                    let variables = [operands, &[self.names.variable]].concat();
                    push(out, op::ENTRY_POINT, &variables);
                }
                _ => out.extend_from_slice(&words[at..=at + inst.words.len()]),
            }
            if let (op::MEMORY_MODEL, [_, VULKAN_MEMORY_MODEL]) = (inst.opcode, inst.words) {
                // The whole device would ask for a feature.
                scope = 5;
            }
            if Some(at) == last_early && version < STORAGE_BUFFERS {
                push(out, op::EXTENSION, &text_words(EXTENSION));
            }
            if Some(at) == last_preamble {
                push(out, op::DECORATE, &[self.names.variable, decoration::DESCRIPTOR_SET, 0]);
                push(out, op::DECORATE, &[self.names.variable, decoration::BINDING, self.binding]);
                push(out, op::DECORATE, &[block, decoration::BLOCK]);
                push(out, op::MEMBER_DECORATE, &[block, 0, decoration::OFFSET, 0]);
            }
        }
        let block_pointer = self.new_id();
        let Names { word, pointer, variable, zero, has_word, ref numbers, scope: scope_id } = self.names;
        if !has_word {
            push(out, op::TYPE_INT, &[word, 32, 0]);
        }
        push(out, op::TYPE_STRUCT, &[block, word]);
        push(out, op::TYPE_POINTER, &[block_pointer, class::STORAGE_BUFFER, block]);
        push(out, op::TYPE_POINTER, &[pointer, class::STORAGE_BUFFER, word]);
        push(out, op::CONSTANT, &[word, zero, 0]);
        push(out, op::CONSTANT, &[word, scope_id, scope]);
        let mut numbers: Vec<_> = numbers.iter().collect();
        numbers.sort_unstable();
        for (number, id) in numbers {
            push(out, op::CONSTANT, &[word, *id, *number as u32]);
        }
        push(out, op::VARIABLE, &[block_pointer, variable, class::STORAGE_BUFFER]);
    }

    fn write_function(&mut self, number: usize, out: &mut Vec<u32>) {
        let graph = self.graph;
        let (words, function) = (graph.words, &graph.functions[number]);
        let edits = std::mem::take(&mut self.edits[number]);
        let marks = self.marks(function, &edits);
        let first = function.blocks.first().map_or(function.end, |block| block.start);
        out.extend_from_slice(&words[function.start..first]);
        for (place, block) in function.blocks.iter().enumerate() {
            for at in positions(words, block.start, block.merge.unwrap_or(block.last)) {
                let inst = inst_at(words, at);
                let mut copy = words[at..=at + inst.words.len()].to_vec();
                if inst.opcode == op::PHI {
                    for way in copy[3..].chunks_exact_mut(2) {
                        way[1] = marks.ways.get(&(block.label, way[1])).copied().unwrap_or(way[1]);
                    }
                }
                out.extend(copy);
            }
            match edits.get(&place) {
                Some(edit) => self.write_end(block, edit, &marks, out),
                None => out.extend_from_slice(&words[block.merge.unwrap_or(block.last)..self.end_of(block)]),
            }
        }
        out.extend_from_slice(&words[function.end..=function.end]);
    }

    fn end_of(&self, block: &Block) -> usize {
        block.last + 1 + inst_at(self.graph.words, block.last).words.len()
    }

    /// New labels: those that last instructions stand behind, and those on the way to other blocks.
    fn marks(&mut self, function: &Function, edits: &HashMap<usize, Edit>) -> Marks {
        let mut marks = Marks::default();
        let mut places: Vec<_> = edits.keys().copied().collect();
        places.sort_unstable();
        for place in places {
            let (edit, block) = (&edits[&place], &function.blocks[place]);
            if edit.leaves_to.is_some() && !edit.is_whole_loop {
                let joined = self.new_id();
                marks.joined.insert(block.label, joined);
                for to in self.graph.successors(block) {
                    marks.ways.insert((to, block.label), joined);
                }
            }
            for (to, _) in &edit.ways {
                let label = self.new_id();
                marks.ways.insert((*to, block.label), label);
                marks.between.insert((block.label, *to), label);
            }
        }
        marks
    }

    /// Adds a number to the word.
    fn add(&mut self, number: u32, out: &mut Vec<u32>) {
        let [place, before] = [self.new_id(), self.new_id()];
        let Names { word, pointer, variable, scope, zero, .. } = self.names;
        push(out, op::ACCESS_CHAIN, &[pointer, place, variable, zero]);
        push(out, op::ATOMIC_I_ADD, &[word, before, place, scope, zero, number]);
    }

    /// Writes the end of a block.
    fn write_end(&mut self, block: &Block, edit: &Edit, marks: &Marks, out: &mut Vec<u32>) {
        let words = self.graph.words;
        let last = inst_at(words, block.last);
        let merge = block.merge.map(|at| (inst_at(words, at).opcode, &words[at..=at + inst_at(words, at).words.len()]));
        if edit.sum != 0 {
            self.add(self.names.numbers[&edit.sum], out);
        }
        if let (Some(to), [condition, yes, ..]) = (edit.leaves_to, last.words) {
            let leaves_if = *yes == to;
            if edit.is_whole_loop {
                let (chosen, minus) = (self.new_id(), self.names.numbers[&MINUS_ONE]);
                let [a, b] = if leaves_if { [minus, self.names.zero] } else { [self.names.zero, minus] };
                push(out, op::SELECT, &[self.names.word, chosen, *condition, a, b]);
                self.add(chosen, out);
            } else {
                if let Some((op::LOOP_MERGE, merge)) = merge {
                    let next = self.new_id();
                    out.extend_from_slice(merge);
                    push(out, op::BRANCH, &[next]);
                    push(out, op::LABEL, &[next]);
                }
                let (leaving, joined) = (self.new_id(), marks.joined[&block.label]);
                let [a, b] = if leaves_if { [leaving, joined] } else { [joined, leaving] };
                push(out, op::SELECTION_MERGE, &[joined, 0]);
                push(out, op::BRANCH_CONDITIONAL, &[*condition, a, b]);
                push(out, op::LABEL, &[leaving]);
                self.add(self.names.numbers[&MINUS_ONE], out);
                push(out, op::BRANCH, &[joined]);
                push(out, op::LABEL, &[joined]);
            }
        }
        let is_written = edit.leaves_to.is_some() && !edit.is_whole_loop;
        if let Some((opcode, merge)) = merge
            && !(is_written && opcode == op::LOOP_MERGE)
        {
            out.extend_from_slice(merge);
        }
        self.write_last(block, last, marks, out);
        for (to, sum) in &edit.ways {
            push(out, op::LABEL, &[marks.between[&(block.label, *to)]]);
            self.add(self.names.numbers[sum], out);
            push(out, op::BRANCH, &[*to]);
        }
    }

    /// A block's last instruction, with the labels between it and others.
    fn write_last(&self, block: &Block, last: Inst<'_>, marks: &Marks, out: &mut Vec<u32>) {
        let mut operands = last.words.to_vec();
        let by = |to: u32| marks.between.get(&(block.label, to)).copied().unwrap_or(to);
        match last.opcode {
            op::BRANCH => operands[0] = by(operands[0]),
            op::BRANCH_CONDITIONAL => operands[1..3].iter_mut().for_each(|to| *to = by(*to)),
            op::SWITCH => {
                let words = self.graph.selector_words(last);
                operands[1] = by(operands[1]);
                operands[2..].chunks_exact_mut(words + 1).for_each(|case| case[words] = by(case[words]));
            }
            _ => {}
        }
        push(out, last.opcode, &operands);
    }
}

/// Labels of blocks that are new.
#[derive(Debug, Default)]
struct Marks {
    /// Of those that hold the last instruction of a block, by that block's label.
    joined: HashMap<u32, u32>,
    /// Of those between two blocks, by both labels.
    between: HashMap<(u32, u32), u32>,
    /// The block that takes another's place on a way, by both labels.
    ways: HashMap<(u32, u32), u32>,
}

/// The additions of a function, by block.
fn edits_of(graph: &Graph<'_>, function: &Function) -> HashMap<usize, Edit> {
    let mut edits: HashMap<usize, Edit> = HashMap::new();
    let last = |place: usize| inst_at(graph.words, function.blocks[place].last);
    for of in &function.loops {
        let header = function.blocks[of.header].label;
        for place in of.blocks.iter().copied() {
            let to = graph.successors(&function.blocks[place]);
            if !to.contains(&of.merge) {
                continue;
            }
            let edit = edits.entry(place).or_default();
            let is_certain = to.iter().all(|to| *to == of.merge);
            match last(place).opcode {
                _ if is_certain => edit.sum -= 1,
                op::BRANCH_CONDITIONAL => {
                    edit.leaves_to = Some(of.merge);
                    edit.is_whole_loop = place == of.header && of.continues_at == header;
                }
                _ => edit.ways.push((of.merge, -1)),
            }
        }
        let outside = (0..function.blocks.len()).filter(|place| !of.is_inside[*place]);
        for place in outside {
            let to = graph.successors(&function.blocks[place]);
            if to.contains(&header) {
                let edit = edits.entry(place).or_default();
                match to.iter().all(|to| *to == header) {
                    true => edit.sum += 1,
                    false => edit.ways.push((header, 1)),
                }
            }
        }
    }
    for (place, block) in function.blocks.iter().enumerate() {
        if block.depth > 0 && matches!(last(place).opcode, op::RETURN | op::RETURN_VALUE) {
            edits.entry(place).or_default().sum -= block.depth as i32;
        }
    }
    edits
}
