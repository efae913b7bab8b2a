//! The blocks and loops of a module's functions, with positions among its words. It changes nothing.

use std::collections::HashMap;

use crate::binary::{HEADER, Inst, inst_at, op, positions, whole_inst_at};

/// A module.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    pub(super) words: &'a [u32],
    pub(super) functions: Vec<Function>,
}

/// A function, whose blocks are in the order of the module.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) id: u32,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) blocks: Vec<Block>,
    pub(super) loops: Vec<Loop>,
}

/// A block, by positions of its instructions.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) label: u32,
    pub(super) start: usize,
    pub(super) merge: Option<usize>,
    pub(super) last: usize,
    /// How many loops it is in.
    pub(super) depth: u32,
}

/// A loop, by positions of its blocks.
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) header: usize,
    pub(super) merge: u32,
    pub(super) continues_at: u32,
    pub(super) blocks: Vec<usize>,
    /// For each block of the function, whether it is one of these.
    pub(super) is_inside: Vec<bool>,
}

/// The blocks that an instruction leads to; of a switch by the number of words of its selector.
pub(super) fn targets(inst: Inst<'_>, selector: usize) -> Vec<u32> {
    match (inst.opcode, inst.words) {
        (op::BRANCH, [to]) => vec![*to],
        (op::BRANCH_CONDITIONAL, [_, yes, no, ..]) => vec![*yes, *no],
        (op::SWITCH, [_, default, cases @ ..]) => {
            let cases = cases.chunks_exact(selector + 1).map(|case| case[selector]);
            std::iter::once(*default).chain(cases).collect()
        }
        _ => Vec::new(),
    }
}

impl<'a> Graph<'a> {
    /// Reads a module; `None` where it has no function, or is none.
    pub(super) fn of(words: &'a [u32]) -> Option<Self> {
        let is_whole = |at: usize| whole_inst_at(words, at).is_some();
        if words.len() < HEADER || !positions(words, HEADER, words.len()).all(is_whole) {
            return None;
        }
        let mut graph = Self { words, functions: Vec::new() };
        let mut is_open = false;
        for at in positions(words, HEADER, words.len()) {
            let inst = inst_at(words, at);
            match (inst.opcode, inst.words) {
                (op::FUNCTION, [_, id, ..]) => {
                    let (blocks, loops) = (Vec::new(), Vec::new());
                    graph.functions.push(Function { id: *id, start: at, end: at, blocks, loops });
                }
                (opcode, operands) => {
                    let Some(function) = graph.functions.last_mut() else { continue };
                    match (opcode, operands) {
                        (op::FUNCTION_END, _) => function.end = at,
                        (op::LABEL, [label]) => {
                            function.blocks.push(Block { label: *label, start: at, merge: None, last: at, depth: 0 });
                            is_open = true;
                        }
                        _ => {
                            let Some(block) = function.blocks.last_mut().filter(|_| is_open) else { continue };
                            match opcode {
                                op::LOOP_MERGE | op::SELECTION_MERGE => block.merge = Some(at),
                                op::BRANCH..=op::UNREACHABLE | op::TERMINATE_INVOCATION | op::EMIT_MESH_TASKS_EXT => {
                                    (block.last, is_open) = (at, false)
                                }
                                _ => {}
                            }
                        }
                    }
                }
            }
        }
        // Whatever is cut off has a function or a block that does not end.
        let ends = |function: &Function| {
            function.end > function.start && function.blocks.iter().all(|block| block.last > block.start)
        };
        if !graph.functions.iter().all(ends) {
            return None;
        }
        for function in 0..graph.functions.len() {
            graph.find_loops(function);
        }
        (!graph.functions.is_empty()).then_some(graph)
    }

    /// Words of each case of a switch: of 64 bits they have two.
    pub(super) fn selector_words(&self, inst: Inst<'_>) -> usize {
        let (op::SWITCH, [selector, ..]) = (inst.opcode, inst.words) else { return 1 };
        let made = positions(self.words, HEADER, self.words.len()).map(|at| inst_at(self.words, at));
        let of = |id: u32| move |made: &Inst<'a>| made.words.get(1) == Some(&id);
        let ty = made.filter(of(*selector)).find_map(|made| self.int_width(made.words[0]));
        if ty == Some(64) { 2 } else { 1 }
    }

    fn int_width(&self, ty: u32) -> Option<u32> {
        let first = self.functions.first().map_or(self.words.len(), |function| function.start);
        positions(self.words, HEADER, first).map(|at| inst_at(self.words, at)).find_map(|inst| match inst.words {
            [id, width, _] if inst.opcode == op::TYPE_INT && *id == ty => Some(*width),
            _ => None,
        })
    }

    /// The blocks that a block leads to.
    pub(super) fn successors(&self, block: &Block) -> Vec<u32> {
        let inst = inst_at(self.words, block.last);
        targets(inst, self.selector_words(inst))
    }

    fn find_loops(&mut self, number: usize) {
        let function = &self.functions[number];
        let places: HashMap<u32, usize> =
            function.blocks.iter().enumerate().map(|(place, block)| (block.label, place)).collect();
        let mut loops = Vec::new();
        for (header, block) in function.blocks.iter().enumerate() {
            let merge = block.merge.map(|at| inst_at(self.words, at)).filter(|inst| inst.opcode == op::LOOP_MERGE);
            let Some([merge, continues_at, ..]) = merge.map(|inst| inst.words) else { continue };
            // All that is reached from the header without passing the merge block.
            let (mut blocks, mut seen, mut waiting) = (Vec::new(), vec![false; function.blocks.len()], vec![header]);
            while let Some(place) = waiting.pop() {
                if std::mem::replace(&mut seen[place], true) {
                    continue;
                }
                blocks.push(place);
                let next = self.successors(&function.blocks[place]);
                waiting.extend(next.iter().filter(|to| *to != merge).filter_map(|to| places.get(to)));
            }
            loops.push(Loop { header, merge: *merge, continues_at: *continues_at, blocks, is_inside: seen });
        }
        let function = &mut self.functions[number];
        for place in loops.iter().flat_map(|of: &Loop| &of.blocks) {
            function.blocks[*place].depth += 1;
        }
        function.loops = loops;
    }
}
