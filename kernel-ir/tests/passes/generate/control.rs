//! Branches, calls, and blocks that leave.

use gridwise_ir::arena::EntityId;
use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{Block, BlockId, BufferId, InstId, InstKind, Place, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, TypeId};

use super::Generator;

impl Generator<'_> {
    pub(super) fn call(&mut self, out: &mut Vec<InstId>) {
        if self.callees.is_empty() {
            return;
        }
        let at = self.random.below(self.callees.len());
        let (callee, signature, result) = self.callees[at].clone();
        let arguments = self.get_all(&signature, out);
        let results: Vec<TypeId> = result.into_iter().collect();
        self.push(out, InstKind::Call(callee, arguments.into()), &results);
    }

    /// An access whose index was compared with the length before.
    pub(super) fn guarded(&mut self, out: &mut Vec<InstId>) {
        if !self.is_kernel {
            return;
        }
        let [u, b] = [Scalar::U32, Scalar::Bool].map(|scalar| self.types.scalar(scalar));
        let buffer = BufferId::new(1 + self.random.below(2));
        let len = self.define(out, InstKind::Len(buffer), u);
        let index = self.get(u, out);
        let op = self.random.pick(&[Op::Lt, Op::Lt, Op::Le, Op::Ge, Op::Gt, Op::Ne]);
        let operands = if self.random.one_in(3) { vec![len, index] } else { vec![index, len] };
        let mut condition = self.define(out, InstKind::Op(op, operands.into()), b);
        if self.random.one_in(3) {
            let other = self.get(b, out);
            let op = self.random.pick(&[Op::And, Op::Or]);
            condition = self.define(out, InstKind::Op(op, [condition, other].into()), b);
        }
        let blocks = [0, 1].map(|_| {
            self.nested(&[], |this, out| {
                let index = if this.random.one_in(3) { this.get(u, out) } else { index };
                let place = Place::element(buffer, index, Some(this.site(SiteKind::IndexOutOfBounds)));
                let is_load = this.random.one_in(3);
                this.access(place, is_load, out);
            })
        });
        let kind = InstKind::If { condition, then_block: blocks[0], else_block: blocks[1] };
        self.push(out, kind, &[]);
    }

    pub(super) fn yields(&self, block: BlockId) -> bool {
        let last = self.function.blocks[block].insts.last().expect("blocks are ended");
        matches!(self.function.insts[*last].kind, InstKind::Yield(_))
    }

    /// A block that starts with `start` and yields.
    pub(super) fn nested(&mut self, results: &[TypeId], start: impl FnOnce(&mut Self, &mut Vec<InstId>)) -> BlockId {
        let scope = self.scope.len();
        let mut out = Vec::new();
        start(self, &mut out);
        let values = self.get_all(results, &mut out);
        self.push(&mut out, InstKind::Yield(values.into()), &[]);
        self.scope.truncate(scope);
        self.function.blocks.push(Block { params: Vec::new(), insts: out })
    }

    /// A block of random statements that yields or leaves.
    pub(super) fn arm(&mut self, depth: usize, results: &[TypeId]) -> BlockId {
        let scope = self.scope.len();
        let mut out = Vec::new();
        if self.statements(&mut out, depth + 1) {
            match self.random.below(8) {
                0 | 1 if !self.loops.is_empty() => self.jump(&mut out),
                2 => {
                    let value = self.result.map(|ty| self.get(ty, &mut out));
                    self.push(&mut out, InstKind::Return(value), &[]);
                }
                3 if self.random.one_in(2) => {
                    let u = self.types.scalar(Scalar::U32);
                    let words = self.get_all(&[u], &mut out);
                    let site = self.site(SiteKind::Panic);
                    self.push(&mut out, InstKind::Panic(site, words.into()), &[]);
                }
                _ => {
                    let values = self.get_all(results, &mut out);
                    self.push(&mut out, InstKind::Yield(values.into()), &[]);
                }
            }
        }
        self.scope.truncate(scope);
        self.function.blocks.push(Block { params: Vec::new(), insts: out })
    }

    /// A break or continue of any loop around.
    pub(super) fn jump(&mut self, out: &mut Vec<InstId>) {
        let at = self.random.below(self.loops.len());
        let (body, params, results) =
            (self.loops[at].body, self.loops[at].params.clone(), self.loops[at].results.clone());
        if self.random.one_in(2) {
            let values = self.get_all(&results, out);
            self.push(out, InstKind::Break(body, values.into()), &[]);
        } else {
            let values = self.get_all(&params, out);
            self.push(out, InstKind::Continue(body, values.into()), &[]);
        }
    }

    pub(super) fn condition(&mut self, out: &mut Vec<InstId>) -> ValueId {
        let [u, b] = [Scalar::U32, Scalar::Bool].map(|scalar| self.types.scalar(scalar));
        if self.random.one_in(2) {
            return self.get(b, out);
        }
        let op = self.random.pick(&[Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne]);
        let operands = self.get_all(&[u, u], out);
        self.define(out, InstKind::Op(op, operands.into()), b)
    }

    pub(super) fn branch(&mut self, out: &mut Vec<InstId>, depth: usize) -> bool {
        let condition = self.condition(out);
        let mut results = self.some_types();
        let [then_block, else_block] = [0, 1].map(|_| self.arm(depth, &results));
        let comes_out = self.yields(then_block) || self.yields(else_block);
        if !comes_out {
            results.clear();
        }
        self.push(out, InstKind::If { condition, then_block, else_block }, &results);
        comes_out || self.end(out)
    }

    pub(super) fn switch(&mut self, out: &mut Vec<InstId>, depth: usize) -> bool {
        let u = self.types.scalar(Scalar::U32);
        let selector = self.get(u, out);
        let mut results = self.some_types();
        let blocks = [0, 1, 2].map(|_| self.arm(depth, &results));
        let comes_out = blocks.iter().any(|block| self.yields(*block));
        if !comes_out {
            results.clear();
        }
        let cases = vec![(self.random.below(3) as u32, blocks[0]), (3 + self.random.below(3) as u32, blocks[1])];
        self.push(out, InstKind::Switch { selector, cases, default: blocks[2] }, &results);
        comes_out || self.end(out)
    }

    pub(super) fn end(&mut self, out: &mut Vec<InstId>) -> bool {
        self.push(out, InstKind::Unreachable, &[]);
        false
    }
}
