//! The names and decorations of a module.

use std::collections::HashMap;

use super::ModuleError;
use super::parse::{Instructions, text};
use crate::binary::{decoration, op};

/// An id, and which of its members.
type Place = (u32, Option<u32>);

/// Decorations and names, by id and member.
#[derive(Default)]
pub(super) struct Notes {
    /// Each with its first word.
    pub(super) decorations: HashMap<Place, Vec<(u32, u32)>>,
    pub(super) names: HashMap<Place, String>,
}

impl Notes {
    pub(super) fn get(&self, id: u32, member: Option<u32>, kind: u32) -> Option<u32> {
        self.decorations.get(&(id, member))?.iter().find(|(found, _)| *found == kind).map(|(_, value)| *value)
    }

    pub(super) fn has(&self, id: u32, kind: u32) -> bool {
        self.get(id, None, kind).is_some()
    }

    pub(super) fn name(&self, id: u32, member: Option<u32>) -> Option<String> {
        self.names.get(&(id, member)).filter(|name| !name.is_empty()).cloned()
    }
}

pub(super) fn read_notes(module: &Instructions<'_>) -> Result<Notes, ModuleError> {
    let mut notes = Notes::default();
    for inst in &module.list {
        let rest = inst.rest;
        match inst.opcode {
            op::DECORATE | op::MEMBER_DECORATE => {
                let skip = usize::from(inst.opcode == op::MEMBER_DECORATE);
                let member = (skip == 1).then(|| rest[1]);
                let (kind, value) = (rest[1 + skip], rest.get(2 + skip).copied().unwrap_or_default());
                check_decoration(kind, &rest[2 + skip..]).map_err(|cause| ModuleError::new(inst.at, cause))?;
                if !module.made.contains_key(&rest[0]) {
                    return Err(ModuleError::new(inst.at, "a decoration is for an id that nothing makes"));
                }
                let members =
                    module.of(rest[0]).filter(|made| made.opcode == op::TYPE_STRUCT).map(|made| made.rest.len());
                if member.is_some_and(|member| members.is_none_or(|count| member as usize >= count)) {
                    return Err(ModuleError::new(inst.at, "a decoration is for a member that is not there"));
                }
                notes.decorations.entry((rest[0], member)).or_default().push((kind, value));
            }
            op::NAME | op::MEMBER_NAME => {
                let skip = usize::from(inst.opcode == op::MEMBER_NAME);
                let name = text(&rest[1 + skip..]).map(|(name, _)| name).unwrap_or_default();
                notes.names.insert((rest[0], (skip == 1).then(|| rest[1])), name);
            }
            _ => {}
        }
    }
    Ok(notes)
}

/// Checks that a decoration is known here and has the words it takes.
fn check_decoration(kind: u32, words: &[u32]) -> Result<(), String> {
    let count = match kind {
        // RelaxedPrecision, Block, BufferBlock, RowMajor, ColMajor, Restrict, Aliased, Volatile, Coherent, NonWritable,
        // NonReadable, NoContraction, NoSignedWrap, NoUnsignedWrap, AliasedPointer, RestrictPointer.
        0 | 2..=5 | 19..=21 | 23..=25 | 42 | 4469 | 4470 | 5355 | 5356 => 0,
        decoration::SPEC_ID | 6 | 7 | 11 | 33..=35 | 44 => 1,
        _ => return Err(format!("it has the decoration {kind}, which is not supported")),
    };
    if words.len() == count { Ok(()) } else { Err(format!("a decoration {kind} has another number of words")) }
}
