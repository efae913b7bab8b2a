//! Small tools the passes share: substitutions, fresh values and instructions. They must not decide anything.

use super::{Changed, eval};
use crate::arena::EntityId;
use crate::flow;
use crate::ir::{BlockId, Function, Inst, InstId, InstKind, Name, SourceLocation, ValueId};
use crate::op::Op;
use crate::types::{Scalar, TypeId, Types};

/// A substitution of values by others, applied to instructions as a pass meets them in program order.
#[derive(Debug)]
pub(super) struct Substitution {
    /// By value; itself where it stands for no other. Empty until one does.
    to: Vec<ValueId>,
    /// For how many values there is to be room from the start.
    room: usize,
}

impl Substitution {
    /// No value stands for another; with room for all that the function has.
    pub(super) fn of(function: &Function) -> Self {
        Self { to: Vec::new(), room: function.values.len() }
    }

    /// From now on `from` reads as `to`.
    pub(super) fn set(&mut self, from: ValueId, to: ValueId) {
        let to = self.get(to);
        debug_assert_ne!(from, to, "a value cannot stand for itself");
        if from.index() >= self.to.len() {
            let len = self.room.max(from.index() + 1);
            self.to.extend((self.to.len()..len).map(ValueId::new));
        }
        self.to[from.index()] = to;
    }

    /// The value that takes the place of `value`.
    #[inline]
    pub(super) fn get(&self, mut value: ValueId) -> ValueId {
        while let Some(&to) = self.to.get(value.index())
            && to != value
        {
            value = to;
        }
        value
    }

    /// Whether no value stands for another.
    pub(super) fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// Rewrites the values `kind` uses directly.
    pub(super) fn apply(&self, kind: &mut InstKind) {
        if !self.is_empty() {
            kind.map_uses(|value| self.get(value));
        }
    }
}

/// Instructions that there is room for in any list: blocks that are nested in each other come with the smallest one first.
const ROOM: usize = 64;

/// Lists of instructions that nothing uses any more. A pass that writes each block anew needs as many as blocks are nested, not as there
/// are.
#[derive(Debug, Default)]
pub(super) struct SpareLists(Vec<Vec<InstId>>);

impl SpareLists {
    /// An empty list with room for so many.
    pub(super) fn take(&mut self, room: usize) -> Vec<InstId> {
        let mut list = self.0.pop().unwrap_or_default();
        list.reserve(room.max(ROOM));
        list
    }

    /// Gives a list back.
    pub(super) fn give_back(&mut self, mut list: Vec<InstId>) {
        list.clear();
        self.0.push(list);
    }
}

/// Adds a value.
pub(super) fn add_value(function: &mut Function, ty: TypeId, name: Option<Name>) -> ValueId {
    function.values.push(crate::ir::Value { ty, name })
}

/// Adds an instruction without results; it stands in no block yet.
pub(super) fn add_effect(function: &mut Function, kind: InstKind, location: Option<SourceLocation>) -> InstId {
    function.insts.push(Inst { kind, results: [].into(), location })
}

/// Adds an instruction with one result of type `ty`; it stands in no block yet.
pub(super) fn add_inst(
    function: &mut Function,
    kind: InstKind,
    ty: TypeId,
    location: Option<SourceLocation>,
) -> (InstId, ValueId) {
    let value = add_value(function, ty, None);
    (function.insts.push(Inst { kind, results: [value].into(), location }), value)
}

/// Writes instructions, each behind the last.
pub(super) struct Writer<'f> {
    pub(super) function: &'f mut Function,
    pub(super) types: &'f mut Types,
    pub(super) location: Option<SourceLocation>,
    pub(super) out: &'f mut Vec<InstId>,
}

impl Writer<'_> {
    pub(super) fn add(&mut self, kind: InstKind, ty: TypeId) -> ValueId {
        let (id, value) = add_inst(self.function, kind, ty, self.location);
        self.out.push(id);
        value
    }

    pub(super) fn op<const N: usize>(&mut self, op: Op, operands: [ValueId; N], ty: TypeId) -> ValueId {
        self.add(InstKind::Op(op, operands.into()), ty)
    }

    pub(super) fn constant(&mut self, bits: u64, scalar: Scalar) -> ValueId {
        let ty = self.types.scalar(scalar);
        self.add(InstKind::Const(eval::from_bits(bits, scalar)), ty)
    }
}

/// Blocks of a function in program order with the instructions that own them, found by one walk.
///
/// Calls `visit` with every instruction that stands in a block, parents before children, siblings in order.
pub(super) fn for_each_inst(function: &Function, visit: &mut impl FnMut(InstId, &Inst)) {
    walk(function, function.entry, visit);
}

/// Like [`for_each_inst`], for one block and all nested in it.
pub(super) fn walk(function: &Function, block: BlockId, visit: &mut impl FnMut(InstId, &Inst)) {
    for &id in &function.blocks[block].insts {
        let inst = &function.insts[id];
        visit(id, inst);
        match &inst.kind {
            InstKind::If { then_block, else_block, .. } => {
                walk(function, *then_block, visit);
                walk(function, *else_block, visit);
            }
            InstKind::Switch { cases, default, .. } => {
                for (_, case) in cases {
                    walk(function, *case, visit);
                }
                walk(function, *default, visit);
            }
            InstKind::Loop { body, .. } => walk(function, *body, visit),
            _ => {}
        }
    }
}

/// The block's terminator.
pub(super) fn terminator(function: &Function, block: BlockId) -> &InstKind {
    let last = function.blocks[block].insts.last().expect("a block ends with a terminator");
    &function.insts[*last].kind
}

/// The values the block yields, or `None` when it ends otherwise.
pub(super) fn yields(function: &Function, block: BlockId) -> Option<&[ValueId]> {
    match terminator(function, block) {
        InstKind::Yield(values) => Some(values),
        _ => None,
    }
}

/// Ends every block where control cannot go on.
pub(super) fn cut_unreachable(function: &mut Function) -> Changed {
    cut_block(function, function.entry)
}

fn cut_block(function: &mut Function, block: BlockId) -> Changed {
    let mut changed = Changed::No;
    for at in 0..function.blocks[block].insts.len() {
        let id = function.blocks[block].insts[at];
        if !function.insts[id].kind.has_blocks() {
            continue;
        }
        for nested in function.insts[id].kind.blocks() {
            changed |= cut_block(function, nested);
        }
        let behind = function.blocks[block].insts[at + 1];
        if !flow::comes_out(function, &function.insts[id].kind)
            && !matches!(function.insts[behind].kind, InstKind::Unreachable)
        {
            let end = add_effect(function, InstKind::Unreachable, None);
            function.blocks[block].insts.truncate(at + 1);
            function.blocks[block].insts.push(end);
            return Changed::Yes;
        }
    }
    changed
}
