//! The decoder of words to instructions: the header, lengths, operands, ids. It checks the form of a module and not its
//! meaning.

use std::collections::HashMap;

use super::ModuleError;
use super::grammar::{self, operands};
use crate::binary::{HEADER, MAGIC, MAX_BOUND, op, whole_inst_at};

/// An instruction whose words have the form its opcode asks for.
#[derive(Debug, Clone)]
pub(super) struct Inst<'a> {
    pub(super) opcode: u16,
    /// Position of its first word in the module.
    pub(super) at: usize,
    pub(super) ty: Option<u32>,
    pub(super) result: Option<u32>,
    /// The words behind type and result.
    pub(super) rest: &'a [u32],
    /// Ids among these, in order; but for labels and what a phi or an entry point names.
    pub(super) ids: Vec<u32>,
}

/// The instructions of a module, and where each id is made.
#[derive(Debug)]
pub(super) struct Instructions<'a> {
    pub(super) list: Vec<Inst<'a>>,
    pub(super) made: HashMap<u32, usize>,
    /// SPIR-V's version: major, minor.
    pub(super) version: [u8; 2],
}

impl<'a> Instructions<'a> {
    pub(super) fn of(&self, id: u32) -> Option<&Inst<'a>> {
        self.list.get(*self.made.get(&id)?)
    }
}

/// Reads the words of a module.
pub(super) fn parse(words: &[u32]) -> Result<Instructions<'_>, ModuleError> {
    let header = words.get(..HEADER).ok_or_else(|| ModuleError::new(words.len(), "it is shorter than its header"))?;
    let [magic, version, _, bound, schema] = *header else { return Err(ModuleError::new(0, "it has no header")) };
    if magic != MAGIC {
        return Err(ModuleError::new(0, "its magic number is not that of SPIR-V in this machine's byte order"));
    }
    let version = match version.to_be_bytes() {
        [0, 1, minor @ 0..=6, 0] => [1, minor],
        _ => return Err(ModuleError::new(1, "its version is not one from 1.0 to 1.6")),
    };
    if bound == 0 || bound > MAX_BOUND || schema != 0 {
        return Err(ModuleError::new(3, "its bound of ids, or its schema, cannot be"));
    }
    let (mut list, mut made) = (Vec::new(), HashMap::new());
    let mut at = HEADER;
    while at < words.len() {
        let read =
            whole_inst_at(words, at).ok_or_else(|| ModuleError::new(at, "an instruction reaches past the end"))?;
        let inst = instruction(read.opcode, at, read.words, &list, &made, bound)?;
        if let Some(result) = inst.result
            && made.insert(result, list.len()).is_some()
        {
            return Err(ModuleError::new(at, "an id is made twice"));
        }
        list.push(inst);
        at += 1 + read.words.len();
    }
    check_order(&list)?;
    Ok(Instructions { list, made, version })
}

/// Takes one instruction apart.
fn instruction<'a>(
    opcode: u16,
    at: usize,
    words: &'a [u32],
    earlier: &[Inst<'_>],
    made: &HashMap<u32, usize>,
    bound: u32,
) -> Result<Inst<'a>, ModuleError> {
    let pattern = operands(opcode).ok_or_else(|| {
        let cause = match opcode {
            op::SAMPLED_IMAGE => {
                "it joins an image with a sampler that is bound apart; samplers of their own are not supported"
                    .to_owned()
            }
            _ => format!("it has the instruction {opcode}, which is not for compute on buffers"),
        };
        ModuleError::new(at, cause)
    })?;
    let bad = |why: &str| ModuleError::new(at, format!("an instruction {opcode} {why}"));
    let mut inst = Inst { opcode, at, ty: None, result: None, rest: words, ids: Vec::new() };
    let mut rest = words;
    let mut letters = pattern.bytes().peekable();
    while let Some(letter) = letters.next() {
        let quantifier = letters.next_if(|next| matches!(next, b'?' | b'*'));
        loop {
            if rest.is_empty() && quantifier.is_some() {
                break;
            }
            let width = width(letter, rest, &inst, earlier, made)
                .ok_or_else(|| bad("is too short, or has an operand that cannot be"))?;
            let (operand, after) = rest.split_at_checked(width).ok_or_else(|| bad("is too short"))?;
            rest = after;
            let (ids, skip) = match letter {
                b't' => (&operand[..1], 1),
                b'r' => (&operand[..1], 1),
                b'i' | b'P' => (operand, 0),
                b'S' => (&operand[operand.len() - 1..], 0),
                b'O' => (&operand[1..], 0),
                b'a' if operand.len() > 1 && operand[0] & 0x18 != 0 => {
                    (&operand[operand.len() - (operand[0] & 0x18).count_ones() as usize..], 0)
                }
                _ => (&operand[..0], 0),
            };
            if ids.iter().any(|id| *id == 0 || *id >= bound) {
                return Err(bad("names an id out of bounds"));
            }
            match letter {
                b't' => inst.ty = Some(ids[0]),
                b'r' => inst.result = Some(ids[0]),
                _ => inst.ids.extend_from_slice(ids),
            }
            inst.rest = &inst.rest[skip..];
            if quantifier != Some(b'*') {
                break;
            }
        }
    }
    match rest.is_empty() {
        true => Ok(inst),
        false => Err(bad("is too long")),
    }
}

/// Words of an operand that begins here.
fn width(letter: u8, rest: &[u32], inst: &Inst<'_>, earlier: &[Inst<'_>], made: &HashMap<u32, usize>) -> Option<usize> {
    let of = |id: u32| earlier.get(*made.get(&id)?);
    Some(match letter {
        b's' => text(rest)?.1,
        b'c' => {
            let ty = of(inst.ty?)?;
            if !matches!(ty.opcode, op::TYPE_INT | op::TYPE_FLOAT) {
                return None;
            }
            (*ty.rest.first()?).div_ceil(32).clamp(1, 2) as usize
        }
        b'a' => {
            let mask = *rest.first()?;
            // Volatile, Aligned, Nontemporal, MakePointerAvailable, MakePointerVisible, NonPrivatePointer.
            if mask & !0x3f != 0 {
                return None;
            }
            1 + (mask & 0x1a).count_ones() as usize
        }
        b'L' => {
            let mask = *rest.first()?;
            // Unroll, DontUnroll, DependencyInfinite, and six with a number each.
            if mask & !0x1ff != 0 {
                return None;
            }
            1 + (mask & 0x1f8).count_ones() as usize
        }
        b'D' => rest.len().max(1),
        b'P' => 2,
        b'S' => {
            // The selector is a value that an earlier instruction made, of an integer of 32 or 64 bits.
            let selector = of(*inst.ids.first()?)?;
            let ty = of(selector.ty?)?;
            if ty.opcode != op::TYPE_INT {
                return None;
            }
            1 + (*ty.rest.first()?).div_ceil(32).clamp(1, 2) as usize
        }
        b'O' => {
            let opcode = u16::try_from(*rest.first()?).ok()?;
            // Operations on specialization constants, with ids alone.
            let is_plain = matches!(opcode, op::CONVERT_F_TO_U..=op::QUANTIZE_TO_F16 | op::BITCAST | op::S_NEGATE..=op::F_MOD | op::LOGICAL_EQUAL..=op::NOT | op::COPY_LOGICAL)
                && operands(opcode)?.starts_with("tri");
            if !is_plain || rest.len() != operands(opcode)?.len() - 1 {
                return None;
            }
            rest.len()
        }
        _ => 1,
    })
}

/// A text that ends with a zero byte, and its words.
pub(super) fn text(words: &[u32]) -> Option<(String, usize)> {
    let mut bytes = Vec::new();
    for (index, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            match byte {
                0 => return Some((String::from_utf8(bytes).ok()?, index + 1)),
                byte => bytes.push(byte),
            }
        }
    }
    None
}

/// Checks that sections come in order, and that each id is made by something.
fn check_order(list: &[Inst<'_>]) -> Result<(), ModuleError> {
    let mut section = 0;
    let mut is_inside = false;
    for inst in list {
        let own = grammar::section(inst.opcode);
        is_inside |= inst.opcode == op::FUNCTION;
        // Variables, undefined values and lines stand among types as well as in functions; types only among types.
        let is_either = matches!(inst.opcode, op::NOP | op::UNDEF | op::LINE | op::VARIABLE | op::NO_LINE);
        let own = if is_either && !is_inside { section.max(10) } else { own };
        let is_misplaced = match is_inside {
            true => own != 11 && !is_either,
            false => own < section || own == 11,
        };
        if is_misplaced && inst.opcode != op::NOP {
            return Err(ModuleError::new(inst.at, format!("an instruction {} stands at the wrong place", inst.opcode)));
        }
        section = own;
    }
    Ok(())
}
