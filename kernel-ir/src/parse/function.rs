//! Functions: their heads, blocks, and the ids of what they are made of. Single instructions are in `inst`.

use std::collections::BTreeMap;

use super::cursor::{Cursor, Result};
use super::header::{eat_location, parse_type};
use crate::arena::{Arena, EntityId};
use crate::ir::{
    Block, BlockId, Function, FunctionId, Inst, InstId, InstKind, Local, LocalId, Module, SourceLocation, Value,
    ValueId,
};
use crate::types::Types;

/// Ids of values and blocks are kept, so gaps between them are filled; beyond this they are more likely typing errors.
const MAX_ID: usize = 1 << 20;

/// The function being read: its values, blocks and locals so far.
///
/// Most blocks have no id in the text. While reading, a `BlockId` in an instruction that owns blocks is a position in
/// `blocks`; [`Self::settle_blocks`] gives the blocks their final ids, which loop labels determine.
pub(super) struct FunctionParser<'c, 't> {
    pub(super) cursor: &'c mut Cursor<'t>,
    pub(super) types: &'c mut Types,
    values: BTreeMap<ValueId, Value>,
    blocks: Vec<(Option<BlockId>, Block)>,
    labels: BTreeMap<BlockId, usize>,
    insts: Arena<InstId, Inst>,
}

pub(super) fn parse_function(cursor: &mut Cursor<'_>, module: &mut Module) -> Result<()> {
    cursor.declared::<FunctionId>("function", module.functions.len())?;
    let types = &mut module.types;
    let (values, labels) = (BTreeMap::new(), BTreeMap::new());
    let mut parser = FunctionParser { cursor, types, values, blocks: Vec::new(), labels, insts: Arena::new() };
    let function = parser.parse()?;
    module.functions.push(function);
    Ok(())
}

impl FunctionParser<'_, '_> {
    fn parse(&mut self) -> Result<Function> {
        let name = self.cursor.name()?;
        self.cursor.expect("(")?;
        let params = self.definitions(")")?;
        self.cursor.expect("->")?;
        let result = parse_type(self.cursor, self.types)?;
        let location = eat_location(self.cursor)?;
        self.cursor.expect("{")?;
        let mut locals: Arena<LocalId, Local> = Arena::new();
        while self.cursor.is_at_id("local") {
            self.cursor.declared::<LocalId>("local", locals.len())?;
            let name = self.cursor.name()?;
            self.cursor.expect(":")?;
            locals.push(Local { name: name.into(), ty: parse_type(self.cursor, self.types)? });
        }
        let entry = self.add_block(None, params);
        self.fill_block(entry)?;
        let (blocks, entry) = self.settle_blocks(entry);
        let values = self.take_values();
        Ok(Function { name, result, entry, locals, values, blocks, insts: std::mem::take(&mut self.insts), location })
    }

    /// `%3 "acc": f32`
    pub(super) fn definition(&mut self) -> Result<ValueId> {
        if !self.cursor.is_at("%") {
            return self.cursor.expected("a value");
        }
        let start = self.cursor.mark();
        let id = self.value()?;
        if self.values.contains_key(&id) || id.index() >= MAX_ID {
            let problem = if id.index() >= MAX_ID { "has too large a number" } else { "is defined twice" };
            self.cursor.reset(start);
            return self.cursor.error(format!("{id} {problem}"));
        }
        let name = if self.cursor.is_at("\"") { Some(self.cursor.string()?.into()) } else { None };
        self.cursor.expect(":")?;
        let ty = parse_type(self.cursor, self.types)?;
        self.values.insert(id, Value { ty, name });
        Ok(id)
    }

    /// Definitions with commas up to the closing punctuation.
    pub(super) fn definitions(&mut self, close: &str) -> Result<Vec<ValueId>> {
        let mut ids = Vec::new();
        while !self.cursor.eat(close) {
            ids.push(self.definition()?);
            if !self.cursor.eat(",") {
                self.cursor.expect(close)?;
                break;
            }
        }
        Ok(ids)
    }

    /// `%3`
    pub(super) fn value(&mut self) -> Result<ValueId> {
        if !self.cursor.eat("%") {
            return self.cursor.expected("a value");
        }
        Ok(ValueId::new(self.cursor.number::<u32>()? as usize))
    }

    pub(super) fn value_type(&self, id: ValueId) -> Option<&crate::types::Type> {
        self.values.get(&id).map(|value| self.types.get(value.ty))
    }

    /// A block still without instructions, by its position.
    pub(super) fn add_block(&mut self, label: Option<BlockId>, params: Vec<ValueId>) -> BlockId {
        let position = self.blocks.len();
        self.blocks.push((label, Block { params, insts: Vec::new() }));
        BlockId::new(position)
    }

    /// The label of a loop, `block2`.
    pub(super) fn new_label(&mut self) -> Result<BlockId> {
        let start = self.cursor.mark();
        let label: BlockId = self.cursor.id("block")?;
        if label.index() >= MAX_ID || self.labels.contains_key(&label) {
            let problem = if label.index() >= MAX_ID { "has too large a number" } else { "is defined twice" };
            self.cursor.reset(start);
            return self.cursor.error(format!("{label} {problem}"));
        }
        self.labels.insert(label, self.blocks.len());
        Ok(label)
    }

    /// `{ inst* }`
    pub(super) fn braced_block(&mut self, label: Option<BlockId>, params: Vec<ValueId>) -> Result<BlockId> {
        self.cursor.expect("{")?;
        let block = self.add_block(label, params);
        self.fill_block(block)?;
        Ok(block)
    }

    /// Instructions up to the closing brace.
    fn fill_block(&mut self, block: BlockId) -> Result<()> {
        while !self.cursor.eat("}") {
            // Taken first, so that instructions are numbered in the order of the text.
            let placeholder = Inst { kind: InstKind::Unreachable, results: [].into(), location: None };
            let id = self.insts.push(placeholder);
            self.blocks[block.index()].1.insts.push(id);
            let (kind, results, location): (InstKind, Vec<ValueId>, Option<SourceLocation>) = self.instruction()?;
            self.insts[id] = Inst { kind, results: results.into(), location };
        }
        Ok(())
    }

    /// Gives every block its id: labelled ones theirs, the others the free ids in order. Returns the entry's too.
    fn settle_blocks(&mut self, entry: BlockId) -> (Arena<BlockId, Block>, BlockId) {
        let mut free = (0..).map(BlockId::new).filter(|id| !self.labels.contains_key(id));
        let ids: Vec<BlockId> = self
            .blocks
            .iter()
            .map(|(label, _)| label.unwrap_or_else(|| free.next().expect("ids do not run out")))
            .collect();
        let count = ids.iter().map(|id| id.index() + 1).max().unwrap_or(0);
        let mut blocks = Arena::new();
        for _ in 0..count {
            blocks.push(Block::default());
        }
        for (id, (_, block)) in ids.iter().zip(self.blocks.drain(..)) {
            blocks[*id] = block;
        }
        for inst in self.insts.values_mut() {
            match &mut inst.kind {
                InstKind::If { then_block, else_block, .. } => {
                    *then_block = ids[then_block.index()];
                    *else_block = ids[else_block.index()];
                }
                InstKind::Switch { cases, default, .. } => {
                    cases.iter_mut().for_each(|(_, block)| *block = ids[block.index()]);
                    *default = ids[default.index()];
                }
                InstKind::Loop { body, .. } => *body = ids[body.index()],
                _ => {}
            }
        }
        (blocks, ids[entry.index()])
    }

    /// The values by their ids; gaps become values that nothing defines.
    fn take_values(&mut self) -> Arena<ValueId, Value> {
        let mut arena = Arena::new();
        let filler = self.types.unit();
        for (id, value) in std::mem::take(&mut self.values) {
            while arena.len() < id.index() {
                arena.push(Value { ty: filler, name: None });
            }
            arena.push(value);
        }
        arena
    }
}
