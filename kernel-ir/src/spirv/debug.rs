//! Debug information: names, source files and lines. Nothing here changes what a module does.

use rspirv::spirv::{Op, SourceLanguage};

use super::module::Writer;
use super::words::Id;
use crate::arena::EntityId;
use crate::ir::SourceLocation;
use crate::types::StructDef;

/// The source line of the instructions being written.
#[derive(Debug, Default)]
pub(super) struct Lines {
    current: Option<SourceLocation>,
    /// `OpString` of each file asked for, by number.
    files: Vec<Option<Id>>,
}

impl Lines {
    /// The place in the source of the instructions being written.
    pub(super) fn location(&self) -> Option<SourceLocation> {
        self.current
    }

    /// Line information ends with the block.
    pub(super) fn forget(&mut self) {
        self.current = None;
    }
}

impl Writer<'_> {
    /// Says where the instructions that follow come from.
    pub(super) fn set_location(&mut self, location: Option<SourceLocation>) {
        if location == self.debug.current {
            return;
        }
        self.debug.current = location;
        match location {
            Some(at) => {
                let file = self.file_string(at);
                self.effect(Op::Line, &[file, at.line, at.column]);
            }
            None => self.effect(Op::NoLine, &[]),
        }
    }

    fn file_string(&mut self, at: SourceLocation) -> Id {
        let index = at.file.index();
        if self.debug.files.len() <= index {
            self.debug.files.resize(index + 1, None);
        }
        if let Some(id) = self.debug.files[index] {
            return id;
        }
        let id = self.new_id();
        self.debug.files[index] = Some(id);
        let module = self.module;
        self.strings.inst_text(Op::String, &[id], &module.files[at.file], &[]);
        self.strings.inst(Op::Source, &[SourceLanguage::Unknown as u32, 0, id]);
        id
    }

    /// Names an id for people; no name at all when it is empty.
    pub(super) fn name(&mut self, id: Id, name: &str) {
        if !name.is_empty() {
            self.names.inst_text(Op::Name, &[id], name, &[]);
        }
    }

    /// Names a member of a struct type for people.
    pub(super) fn name_member(&mut self, id: Id, member: u32, name: &str) {
        self.names.inst_text(Op::MemberName, &[id, member], name, &[]);
    }

    /// Names a struct type and its members.
    pub(super) fn name_struct(&mut self, id: Id, def: &StructDef) {
        self.name(id, &def.name);
        for (member, field) in def.fields.iter().enumerate() {
            self.name_member(id, member as u32, &field.name);
        }
    }
}
