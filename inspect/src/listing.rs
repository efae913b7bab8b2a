//! IR and SPIR-V as lines of text, each with its place in the source, and how many instructions of which kind there are.

use std::collections::BTreeMap;

use gridwise_ir::ir::Module;
use rspirv::binary::{Consumer, Disassemble, ParseAction};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::spirv::Op;

use crate::source::Place;

/// A line of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) place: Option<Place>,
}

/// Instructions by kind, in a fixed order of kinds.
pub(crate) type Counts = BTreeMap<&'static str, usize>;

/// A module's text; the places, which its lines end with, are taken out of the text.
pub(crate) fn ir_lines(module: &Module) -> Vec<Line> {
    let files: Vec<&String> = module.files.iter().map(|(_, file)| file).collect();
    let line = |text: &str| match text.rsplit_once(" @file").and_then(|(before, at)| Some((before, parse_place(at)?))) {
        Some((before, (file, line, rest))) => {
            let place = files.get(file).map(|path| ((*path).clone(), line));
            Line { text: format!("{before}{rest}"), place }
        }
        None => Line { text: text.to_owned(), place: None },
    };
    module.to_string().lines().map(line).collect()
}

/// `3:12:5 {`: the file's number, the line, and what stands behind.
fn parse_place(at: &str) -> Option<(usize, u32, &str)> {
    let (file, rest) = at.split_once(':')?;
    let (line, rest) = rest.split_once(':')?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((file.parse().ok()?, line.parse().ok()?, &rest[end..]))
}

/// Instructions of the kernel's IR.
pub(crate) fn count_ir(module: &Module) -> usize {
    module.functions.iter().flat_map(|(_, function)| function.blocks.iter()).map(|(_, block)| block.insts.len()).sum()
}

/// A SPIR-V module as lines, and its instructions inside of functions by kind.
#[derive(Debug, Default)]
pub(crate) struct Spirv {
    pub(crate) lines: Vec<Line>,
    pub(crate) counts: Counts,
    place: Option<Place>,
    strings: BTreeMap<u32, String>,
    is_in_function: bool,
}

impl Spirv {
    /// Lists a module that the compiler made.
    pub(crate) fn new(words: &[u32]) -> Self {
        let mut spirv = Self::default();
        if let Err(state) = rspirv::binary::parse_words(words, &mut spirv) {
            spirv.lines.push(Line { text: format!("; cannot be read further: {state}"), place: None });
        }
        spirv
    }
}

impl Consumer for Spirv {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.lines.extend(header.disassemble().lines().map(|text| Line { text: text.to_owned(), place: None }));
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        match (instruction.class.opcode, instruction.operands.as_slice()) {
            (Op::String, [Operand::LiteralString(text)]) => {
                self.strings.extend(instruction.result_id.map(|id| (id, text.clone())));
            }
            (Op::Line, [Operand::IdRef(file), Operand::LiteralBit32(line), _]) => {
                self.place = self.strings.get(file).map(|file| (file.clone(), *line));
                return ParseAction::Continue;
            }
            (Op::NoLine, _) => {
                self.place = None;
                return ParseAction::Continue;
            }
            (Op::Function, _) => self.is_in_function = true,
            _ => {}
        }
        let opcode = instruction.class.opcode;
        if self.is_in_function {
            *self.counts.entry(kind(opcode, instruction.class.opname)).or_default() += 1;
        }
        self.lines.push(Line { text: instruction.disassemble(), place: self.place.clone() });
        if matches!(
            opcode,
            Op::FunctionEnd
                | Op::Branch
                | Op::BranchConditional
                | Op::Switch
                | Op::Return
                | Op::ReturnValue
                | Op::Unreachable
        ) {
            self.place = None;
        }
        ParseAction::Continue
    }
}

/// The kind of an instruction inside of a function.
fn kind(opcode: Op, name: &str) -> &'static str {
    match opcode {
        Op::Load => "load",
        Op::Store => "store",
        Op::AccessChain | Op::InBoundsAccessChain | Op::ArrayLength => "address",
        Op::ExtInst => "math function",
        Op::ControlBarrier | Op::MemoryBarrier => "barrier",
        Op::Function | Op::FunctionParameter | Op::FunctionEnd | Op::Variable | Op::Label => "declaration",
        Op::SelectionMerge
        | Op::LoopMerge
        | Op::Branch
        | Op::BranchConditional
        | Op::Switch
        | Op::Return
        | Op::ReturnValue
        | Op::Unreachable
        | Op::Phi
        | Op::FunctionCall => "control",
        _ if name.starts_with("Atomic") => "atomic",
        _ if name.starts_with("Group") => "subgroup",
        _ if name.starts_with("Cooperative") => "cooperative matrix",
        _ if name.starts_with("Image") || name.starts_with("SampledImage") => "image",
        _ if name.starts_with("Composite") || name.starts_with("Vector") => "composite",
        _ if name.starts_with("Convert") || name.ends_with("Convert") || name == "Bitcast" => "conversion",
        _ if matches!(name.as_bytes(), [b'F', second, ..] if second.is_ascii_uppercase()) => "float arithmetic",
        _ => "other arithmetic",
    }
}

#[cfg(test)]
mod tests {
    use gridwise_ir::parse::parse;

    use super::*;

    #[test]
    fn places_come_out_of_the_text() {
        let text = "file0 \"a.rs\"\nkernel fn0 workgroup(1, 1, 1) {\n    buffer0 x: [f32] mut\n}\nfn0 f() -> () @file0:1:4 {\n    %0: u32 = const 0u32\n    %1: f32 = const 1.0f32 @file0:2:5\n    store buffer0[%0] = %1 @file0:3:9\n    return\n}\n";
        let module = parse(text).expect("a module");
        let lines = ir_lines(&module);
        let place = |line| Some(("a.rs".to_owned(), line));
        assert_eq!(lines[4], Line { text: "fn0 f() -> () {".to_owned(), place: place(1) });
        assert_eq!(lines[7], Line { text: "    store buffer0[%0] = %1".to_owned(), place: place(3) });
        assert_eq!(count_ir(&module), 4);
    }
}
