//! Local arrays of constants that nothing changes: their variables start with them, so that drivers keep them in memory for constants.
//!
//! Tables that only counters of loops index are stored to instead: a driver that writes out the rounds knows their elements, and takes
//! what starts with constants for memory all the same. SHA-256 on an NVIDIA H200 (580.159) takes 87 µs with a store of its table, 147
//! with a variable that starts with it; base64, which data index, 1240 and 418.

use rspirv::spirv::Op;

use super::function::FunctionWriter;
use super::module::Writer;
use super::words::{Id, Ids};
use crate::arena::EntityId;
use crate::ir::{BlockId, Function, InstId, InstKind, LocalId, Place, Root, ValueId};
use crate::rounds::{Counters, definitions};
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

/// By number of a local, its table.
pub(super) fn find(function: &Function, types: &Types) -> Vec<Option<Table>> {
    let is_array = |local: LocalId| matches!(types.get(function.locals[local].ty), Type::Array(..));
    if !function.locals.ids().any(is_array) {
        return vec![None; function.locals.len()];
    }
    let uses = function.locals.ids().map(|local| if is_array(local) { Use::None } else { Use::Other }).collect();
    let mut walk = Walk { function, uses, open: Vec::new(), indices: Vec::new() };
    walk.block(function.entry);
    let definitions = definitions(function);
    let counters = Counters::of(function, &definitions);
    for (local, index) in walk.indices {
        if let Use::Stored(_, is_chosen) = &mut walk.uses[local.index()] {
            *is_chosen |= !counters.decide(index);
        }
    }
    let table = |found: Use| match found {
        Use::Stored(table, true) => Some(table),
        _ => None,
    };
    walk.uses.into_iter().map(table).collect()
}

/// How a local is used, as far as the function was walked.
#[derive(Clone, Copy)]
enum Use {
    None,
    /// It was stored to as a whole, and read in the same block or in blocks in it; whether by an index that no counter decides.
    Stored(Table, bool),
    Other,
}

struct Walk<'f> {
    function: &'f Function,
    uses: Vec<Use>,
    /// The locals that were stored to in the block or in one around it.
    open: Vec<LocalId>,
    /// The indices of elements that are read.
    indices: Vec<(LocalId, ValueId)>,
}

impl Walk<'_> {
    fn block(&mut self, block: BlockId) {
        let function = self.function;
        let outside = self.open.len();
        for id in &function.blocks[block].insts {
            let kind = &function.insts[*id].kind;
            match kind {
                InstKind::Store(Place { root: Root::Local(local), path, .. }, value) => {
                    let known = &mut self.uses[local.index()];
                    let is_first = path.is_empty() && matches!(known, Use::None);
                    *known =
                        if is_first { Use::Stored(Table { store: *id, value: *value }, false) } else { Use::Other };
                    self.open.push(*local);
                }
                InstKind::Load(place @ Place { root: Root::Local(local), .. }) if self.open.contains(local) => {
                    self.indices.extend(place.values().map(|value| (*local, value)));
                }
                _ => {
                    if let Some(Place { root: Root::Local(local), .. }) = kind.place() {
                        self.uses[local.index()] = Use::Other;
                    }
                }
            }
            for inner in kind.blocks() {
                self.block(inner);
            }
        }
        self.open.truncate(outside);
    }
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
