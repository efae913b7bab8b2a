//! Control flow of the function builder: blocks, `if`, `switch`, `loop` and terminators.
//!
//! A lowering that recurses fills blocks first and adds the instruction that owns them afterwards:
//! `let (then, other) = (b.new_block(), b.new_block());`, then for each `b.switch_to(block)`, its code and `b.yield_(..)`,
//! and at last `b.switch_to(parent); b.push_if(condition, then, other, &[types])`. The closures of [`FunctionBuilder::if_`]
//! and its kin do the same where the caller keeps no state beside the builder.

use super::{FunctionBuilder, ROOM};
use crate::arena::EntityId;
use crate::flow;
use crate::ir::{Block, BlockId, InstId, InstKind, SiteId, Unroll, Value, ValueId};
use crate::types::TypeId;

impl FunctionBuilder<'_> {
    /// A new block for an `if` or `switch`; nothing owns it until [`Self::push_if`] or [`Self::push_switch`].
    pub fn new_block(&mut self) -> BlockId {
        self.function.blocks.push(Block { params: Vec::new(), insts: Vec::with_capacity(ROOM / 2) })
    }

    /// A new block for the body of a loop that carries values of these types; nothing owns it until [`Self::push_loop`].
    pub fn new_loop_body(&mut self, carried: &[TypeId]) -> BlockId {
        let params = carried.iter().map(|&ty| self.function.values.push(Value { ty, name: None })).collect();
        self.function.blocks.push(Block { params, insts: Vec::with_capacity(ROOM) })
    }

    /// The values a block receives.
    #[track_caller]
    pub fn block_params(&self, block: BlockId) -> &[ValueId] {
        &self.function.blocks[block].params
    }

    /// The block that instructions are added to.
    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Adds the instructions that follow to `block`; gives back the block that was current before.
    pub fn switch_to(&mut self, block: BlockId) -> BlockId {
        std::mem::replace(&mut self.current, block)
    }

    /// Whether the current block has its terminator, so that whatever is added is dropped.
    pub fn is_terminated(&self) -> bool {
        flow::terminator(&self.function, self.current).is_some()
    }

    /// Adds an `if` to the current block that owns two filled blocks; gives back its results.
    ///
    /// A block left open gets a `yield` without values. When neither block yields, `unreachable` follows.
    ///
    /// # Panics
    /// When a block is open though the `if` has results.
    #[track_caller]
    pub fn push_if(
        &mut self,
        condition: ValueId,
        then_block: BlockId,
        else_block: BlockId,
        results: &[TypeId],
    ) -> Vec<ValueId> {
        self.push_branch(InstKind::If { condition, then_block, else_block }, results)
    }

    /// Adds a `switch` to the current block that owns filled blocks; gives back its results.
    ///
    /// A block left open gets a `yield` without values. When no block yields, `unreachable` follows.
    ///
    /// # Panics
    /// When a block is open though the `switch` has results.
    #[track_caller]
    pub fn push_switch(
        &mut self,
        selector: ValueId,
        cases: &[(u32, BlockId)],
        default: BlockId,
        results: &[TypeId],
    ) -> Vec<ValueId> {
        self.push_branch(InstKind::Switch { selector, cases: cases.to_vec(), default }, results)
    }

    #[track_caller]
    fn push_branch(&mut self, kind: InstKind, results: &[TypeId]) -> Vec<ValueId> {
        for arm in kind.blocks() {
            self.close(arm, InstKind::Yield([].into()), results.is_empty());
        }
        self.append_region(kind, results)
    }

    /// Adds a `loop` to the current block that owns a filled body; gives back its results.
    ///
    /// A body left open gets a `continue` without values. When nothing breaks the loop, `unreachable` follows.
    ///
    /// # Panics
    /// When the body is open though the loop carries values.
    #[track_caller]
    pub fn push_loop(&mut self, body: BlockId, initial: &[ValueId], results: &[TypeId]) -> Vec<ValueId> {
        let carries_nothing = self.block_params(body).is_empty();
        self.close(body, InstKind::Continue(body, [].into()), carries_nothing);
        self.append_region(InstKind::Loop { initial: initial.into(), body, unroll: Unroll::Auto }, results)
    }

    /// The number of instructions so far, a mark for [`Self::set_unroll`].
    pub fn mark(&self) -> usize {
        self.function.insts.len()
    }

    /// Says how the outermost loop added since the mark is to be unrolled; nothing where there is none.
    pub fn set_unroll(&mut self, mark: usize, unroll: Unroll) {
        // A loop is added once it is filled: behind those in it.
        for number in (mark..self.function.insts.len()).rev() {
            if let InstKind::Loop { unroll: of, .. } = &mut self.function.insts[InstId::new(number)].kind {
                *of = unroll;
                return;
            }
        }
    }

    fn append_region(&mut self, kind: InstKind, results: &[TypeId]) -> Vec<ValueId> {
        let comes_out = flow::comes_out(&self.function, &kind);
        let results = self.append(kind, results);
        if !comes_out {
            self.unreachable();
        }
        results.to_vec()
    }

    #[track_caller]
    fn close(&mut self, block: BlockId, terminator: InstKind, allowed: bool) {
        let parent = self.switch_to(block);
        if !self.is_terminated() {
            assert!(allowed, "{block} ends without the values it owes");
            self.append(terminator, &[]);
        }
        self.switch_to(parent);
    }

    /// Adds an `if`; each closure fills a block and gives back what the block yields, ignored when it diverged.
    #[track_caller]
    pub fn if_(
        &mut self,
        condition: ValueId,
        results: &[TypeId],
        then: impl FnOnce(&mut Self) -> Vec<ValueId>,
        otherwise: impl FnOnce(&mut Self) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let then_block = self.yielding_block(then);
        let else_block = self.yielding_block(otherwise);
        self.push_if(condition, then_block, else_block, results)
    }

    /// Fills a new block for an `if` or `switch` with what the closure adds and a `yield` of what it gives back.
    pub fn yielding_block(&mut self, fill: impl FnOnce(&mut Self) -> Vec<ValueId>) -> BlockId {
        let block = self.new_block();
        let parent = self.switch_to(block);
        let values = fill(self);
        self.yield_(&values);
        self.switch_to(parent);
        block
    }

    /// Adds a `loop`; the closure gets the body's label and the carried values, and must `break` or `continue` by itself
    /// unless the loop carries nothing.
    #[track_caller]
    pub fn loop_(
        &mut self,
        initial: &[ValueId],
        results: &[TypeId],
        fill: impl FnOnce(&mut Self, BlockId, &[ValueId]),
    ) -> Vec<ValueId> {
        let carried: Vec<_> = initial.iter().map(|value| self.value_type(*value)).collect();
        let body = self.new_loop_body(&carried);
        let params = self.block_params(body).to_vec();
        let parent = self.switch_to(body);
        fill(self, body, &params);
        self.switch_to(parent);
        self.push_loop(body, initial, results)
    }

    /// Ends a block of an `if` or `switch` with the results of that instruction.
    pub fn yield_(&mut self, values: &[ValueId]) {
        self.append(InstKind::Yield(values.into()), &[]);
    }

    /// Leaves the loop with this body, with its results.
    pub fn break_(&mut self, body: BlockId, values: &[ValueId]) {
        self.append(InstKind::Break(body, values.into()), &[]);
    }

    /// Starts the next round of the loop with this body.
    pub fn continue_(&mut self, body: BlockId, values: &[ValueId]) {
        self.append(InstKind::Continue(body, values.into()), &[]);
    }

    /// Leaves the function.
    pub fn return_(&mut self, value: Option<ValueId>) {
        self.append(InstKind::Return(value), &[]);
    }

    /// Records a trap with the `u32` words of its message and ends the invocation.
    pub fn panic(&mut self, site: SiteId, words: &[ValueId]) {
        self.append(InstKind::Panic(site, words.into()), &[]);
    }

    /// Ends a block that control never leaves.
    pub fn unreachable(&mut self) {
        self.append(InstKind::Unreachable, &[]);
    }
}
