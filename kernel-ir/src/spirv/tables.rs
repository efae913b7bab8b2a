//! Local arrays of constants that nothing changes: their variables start with them, so that drivers keep them in memory for constants.

use rspirv::spirv::Op;

use super::function::FunctionWriter;
use super::module::Writer;
use super::words::{Id, Ids};
use crate::arena::EntityId;
use crate::ir::{BlockId, Function, InstId, InstKind, LocalId, Place, Root, ValueId};
use crate::types::{Type, Types};

/// A function's variables.
#[derive(Debug, Default)]
pub(super) struct Locals {
    /// By number.
    pub(super) variables: Vec<Id>,
    /// The stores whose values the variables start with.
    pub(super) initial: Vec<InstId>,
}

/// The constants that a variable holds wherever it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub(super) store: InstId,
    pub(super) value: ValueId,
}

/// How a local is used, as far as the function was walked.
#[derive(Clone, Copy)]
enum Use {
    None,
    /// It was stored to as a whole, and read so often in the same block or in blocks in it.
    Stored(Table, u32),
    Other,
}

/// By number of a local, its table.
pub(super) fn find(function: &Function, types: &Types) -> Vec<Option<Table>> {
    let is_array = |local: LocalId| matches!(types.get(function.locals[local].ty), Type::Array(..));
    if !function.locals.ids().any(is_array) {
        return vec![None; function.locals.len()];
    }
    let mut uses: Vec<Use> =
        function.locals.ids().map(|local| if is_array(local) { Use::None } else { Use::Other }).collect();
    let mut open = Vec::new();
    walk(function, function.entry, &mut uses, &mut open);
    let table = |found: Use| match found {
        Use::Stored(table, 1..) => Some(table),
        _ => None,
    };
    uses.into_iter().map(table).collect()
}

/// Notes the uses in a block. `open` are the locals that were stored to in this block or in one around it.
fn walk(function: &Function, block: BlockId, uses: &mut [Use], open: &mut Vec<LocalId>) {
    let outside = open.len();
    for id in &function.blocks[block].insts {
        let kind = &function.insts[*id].kind;
        match kind {
            InstKind::Store(Place { root: Root::Local(local), path, .. }, value) => {
                let first = path.is_empty() && matches!(uses[local.index()], Use::None);
                uses[local.index()] =
                    if first { Use::Stored(Table { store: *id, value: *value }, 0) } else { Use::Other };
                open.push(*local);
            }
            _ => {
                if let Some(Place { root: Root::Local(local), .. }) = kind.place() {
                    uses[local.index()] = match uses[local.index()] {
                        Use::Stored(table, reads) if open.contains(local) && matches!(kind, InstKind::Load(_)) => {
                            Use::Stored(table, reads.saturating_add(1))
                        }
                        _ => Use::Other,
                    };
                }
            }
        }
        for inner in kind.blocks() {
            walk(function, inner, uses, open);
        }
    }
    open.truncate(outside);
}

impl FunctionWriter<'_, '_> {
    /// An array of constants, as one.
    pub(super) fn constant_array(&mut self, array: ValueId) -> Option<Id> {
        let Self { w, function, definitions, .. } = self;
        let is_array = matches!(w.module.types.get(function.values[array].ty), Type::Array(..));
        let definition = |value: ValueId| definitions[value.index()];
        is_array.then(|| w.constant_composite(function, &definition, array))?
    }
}

impl Writer<'_> {
    /// The constant that a composite of constants is, if it is one. `definition` finds what defines a value.
    pub(super) fn constant_composite(
        &mut self,
        function: &Function,
        definition: &impl Fn(ValueId) -> Option<InstId>,
        value: ValueId,
    ) -> Option<Id> {
        let ty = function.values[value].ty;
        match &function.insts[definition(value)?].kind {
            InstKind::Const(constant) => Some(self.constant(*constant, ty)),
            InstKind::Compose(members) => {
                let members: Option<Ids> =
                    members.iter().map(|member| self.constant_composite(function, definition, *member)).collect();
                let ty = self.value_type(ty);
                Some(self.global(Op::ConstantComposite, Some(ty), &members?))
            }
            _ => None,
        }
    }
}
