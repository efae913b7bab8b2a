//! Loops that end, with counters like those of `for`.

use gridwise_ir::arena::EntityId;
use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{
    Block, BlockId, BufferId, Constant, InstId, InstKind, Local, LocalId, Place, Root, Step, Unroll, ValueId,
};
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, TypeId};

use super::{Generator, LoopShape};

impl Generator<'_> {
    /// A loop that ends because of a local counter nobody else writes; half of them also count in a parameter.
    pub(super) fn counted_loop(&mut self, out: &mut Vec<InstId>, depth: usize) -> bool {
        let [u, b] = [Scalar::U32, Scalar::Bool].map(|scalar| self.types.scalar(scalar));
        let counter = self.function.locals.push(Local { name: "counter".into(), ty: u });
        let mut params = self.some_types();
        let counts = self.random.one_in(2);
        if counts {
            params.insert(0, u);
        }
        let results = self.some_types();
        let limit = self.limit(out);
        let mut initial = self.get_all(&params, out);
        if counts && self.random.one_in(2) {
            initial[0] =
                if self.random.one_in(3) { limit } else { self.define(out, InstKind::Const(Constant::U32(0)), u) };
        }
        let body = self.function.blocks.push(Block::default());
        let scope = self.scope.len();
        let values: Vec<ValueId> = params.iter().map(|ty| self.value(*ty)).collect();
        self.function.blocks[body].params.clone_from(&values);
        self.scope.extend(&values);
        self.loops.push(LoopShape { body, params: params.clone(), results: results.clone() });
        let mut insts = Vec::new();
        self.count_down(counter, body, &results, &mut insts);
        if counts {
            let at = if self.random.one_in(4) { self.get(u, &mut insts) } else { limit };
            let op = self.random.pick(&[Op::Lt, Op::Lt, Op::Le, Op::Ne]);
            let condition = self.define(&mut insts, InstKind::Op(op, [values[0], at].into()), b);
            self.leave_unless(condition, body, &results, &mut insts);
            self.counted_accesses(values[0], &mut insts);
        }
        if self.statements(&mut insts, depth + 1) {
            if self.random.one_in(4) {
                let values = self.get_all(&results, &mut insts);
                self.push(&mut insts, InstKind::Break(body, values.into()), &[]);
            } else {
                let mut next = self.get_all(&params, &mut insts);
                if counts {
                    let step = self.define(&mut insts, InstKind::Const(Constant::U32(1)), u);
                    if self.random.one_in(3) {
                        // As `for i in a..=b` ends a round.
                        let goes_on = self.define(&mut insts, InstKind::Op(Op::Ne, [values[0], limit].into()), b);
                        self.leave_unless(goes_on, body, &results, &mut insts);
                    }
                    let op = self.random.pick(&[Op::Add, Op::Add, Op::Sub, Op::Shr, Op::Mul]);
                    next[0] = self.define(&mut insts, InstKind::Op(op, [values[0], step].into()), u);
                }
                self.push(&mut insts, InstKind::Continue(body, next.into()), &[]);
            }
        }
        self.loops.pop();
        self.scope.truncate(scope);
        self.function.blocks[body].insts = insts;
        let unroll = self.random.pick(&[Unroll::Auto, Unroll::Auto, Unroll::Full, Unroll::Times(2), Unroll::Never]);
        // The counter breaks every loop, so control comes out.
        self.push(out, InstKind::Loop { initial: initial.into(), body, unroll }, &results);
        true
    }

    /// A loop whose rounds are known: from a constant to a constant, by constant steps, and nothing in it leaves or repeats it early.
    pub(super) fn known_loop(&mut self, out: &mut Vec<InstId>, depth: usize) -> bool {
        let [u, b] = [Scalar::U32, Scalar::Bool].map(|scalar| self.types.scalar(scalar));
        let (start, step, rounds) = (self.random.below(4), 1 + self.random.below(3), self.random.below(7));
        let (op, end) = match self.random.below(4) {
            0 => (Op::Ne, start + step * rounds),
            1 => (Op::Le, start + step * rounds),
            _ => (Op::Lt, (start + step * rounds).saturating_sub(self.random.below(step))),
        };
        let mut params = self.some_types();
        params.insert(0, u);
        let results = self.some_types();
        let mut initial = self.get_all(&params, out);
        initial[0] = self.define(out, InstKind::Const(Constant::U32(start as u32)), u);
        let body = self.function.blocks.push(Block::default());
        let scope = self.scope.len();
        let values: Vec<ValueId> = params.iter().map(|ty| self.value(*ty)).collect();
        self.function.blocks[body].params.clone_from(&values);
        self.scope.extend(&values);
        let mut insts = Vec::new();
        let end = self.define(&mut insts, InstKind::Const(Constant::U32(end as u32)), u);
        let condition = self.define(&mut insts, InstKind::Op(op, [values[0], end].into()), b);
        self.leave_unless(condition, body, &results, &mut insts);
        self.counted_accesses(values[0], &mut insts);
        if self.statements(&mut insts, depth + 1) {
            let mut next = self.get_all(&params, &mut insts);
            let step = self.define(&mut insts, InstKind::Const(Constant::U32(step as u32)), u);
            next[0] = self.define(&mut insts, InstKind::Op(Op::Add, [values[0], step].into()), u);
            self.push(&mut insts, InstKind::Continue(body, next.into()), &[]);
        }
        self.scope.truncate(scope);
        self.function.blocks[body].insts = insts;
        let unroll = self.random.pick(&[Unroll::Auto, Unroll::Full, Unroll::Times(2), Unroll::Times(3)]);
        self.push(out, InstKind::Loop { initial: initial.into(), body, unroll }, &results);
        true
    }

    /// The limit of a counter.
    pub(super) fn limit(&mut self, out: &mut Vec<InstId>) -> ValueId {
        let u = self.types.scalar(Scalar::U32);
        match self.random.below(3) {
            0 if self.is_kernel => self.define(out, InstKind::Len(BufferId::new(1)), u),
            1 => {
                let limit = Constant::U32(2 + self.random.below(4) as u32);
                self.define(out, InstKind::Const(limit), u)
            }
            _ => self.get(u, out),
        }
    }

    /// Accesses with the counter, or one beside it, as index.
    pub(super) fn counted_accesses(&mut self, counter: ValueId, out: &mut Vec<InstId>) {
        let u = self.types.scalar(Scalar::U32);
        for _ in 0..self.random.below(3) {
            let mut value = counter;
            if self.random.one_in(3) {
                let one = self.define(out, InstKind::Const(Constant::U32(1)), u);
                let op = self.random.pick(&[Op::Add, Op::Sub]);
                value = self.define(out, InstKind::Op(op, [counter, one].into()), u);
            }
            let check = Some(self.site(SiteKind::IndexOutOfBounds));
            let array = self.types.array(u, 4);
            let local = self.function.locals.iter().find(|(_, local)| local.ty == array).map(|(id, _)| id);
            let root = match local {
                Some(local) if self.random.one_in(2) => Root::Local(local),
                _ if self.is_kernel => Root::Buffer(BufferId::new(1)),
                _ => continue,
            };
            let is_load = self.random.one_in(2);
            self.access(Place { root, path: [Step::Index { value, check }].into(), is_unordered: false }, is_load, out);
        }
    }

    /// Unchecked loads behind the guard of their index: of a buffer that nothing writes, and of one around a write.
    pub(super) fn loads_around_a_write(&mut self, out: &mut Vec<InstId>) {
        if !self.is_kernel {
            return;
        }
        let [u, b] = [Scalar::U32, Scalar::Bool].map(|scalar| self.types.scalar(scalar));
        let (read, written) = (BufferId::new(0), BufferId::new(1));
        let index = self.get(u, out);
        let lens = [read, written].map(|buffer| self.define(out, InstKind::Len(buffer), u));
        let end = self.define(out, InstKind::Op(Op::Min, lens.into()), u);
        let condition = self.define(out, InstKind::Op(Op::Lt, [index, end].into()), b);
        let then_block = self.nested(&[], |this, insts| {
            let place = |buffer| Place::element(buffer, index, None);
            let never = this.define(insts, InstKind::Load(place(read)), u);
            let first = this.define(insts, InstKind::Load(place(written)), u);
            let value = this.get(u, insts);
            this.push(insts, InstKind::Store(place(written), value), &[]);
            let second = this.define(insts, InstKind::Load(place(written)), u);
            let mixed = this.define(insts, InstKind::Op(Op::Mul, [first, second].into()), u);
            let mixed = this.define(insts, InstKind::Op(Op::Xor, [mixed, never].into()), u);
            let at = this.get(u, insts);
            let site = this.site(SiteKind::IndexOutOfBounds);
            this.push(insts, InstKind::Store(Place::element(written, at, Some(site)), mixed), &[]);
        });
        let else_block = self.nested(&[], |_, _| {});
        self.push(out, InstKind::If { condition, then_block, else_block }, &[]);
    }

    pub(super) fn count_down(&mut self, counter: LocalId, body: BlockId, results: &[TypeId], insts: &mut Vec<InstId>) {
        let [u, b] = [Scalar::U32, Scalar::Bool].map(|scalar| self.types.scalar(scalar));
        let old = self.define(insts, InstKind::Load(Place::local(counter)), u);
        let one = self.define(insts, InstKind::Const(Constant::U32(1)), u);
        let new = self.define(insts, InstKind::Op(Op::Add, [old, one].into()), u);
        self.push(insts, InstKind::Store(Place::local(counter), new), &[]);
        let limit = Constant::U32(1 + self.random.below(6) as u32);
        let limit = self.define(insts, InstKind::Const(limit), u);
        let goes_on = self.define(insts, InstKind::Op(Op::Lt, [old, limit].into()), b);
        self.leave_unless(goes_on, body, results, insts);
    }

    pub(super) fn leave_unless(
        &mut self,
        goes_on: ValueId,
        body: BlockId,
        results: &[TypeId],
        insts: &mut Vec<InstId>,
    ) {
        let then_block = self.nested(&[], |_, _| {});
        let scope = self.scope.len();
        let mut out = Vec::new();
        let values = self.get_all(results, &mut out);
        self.push(&mut out, InstKind::Break(body, values.into()), &[]);
        self.scope.truncate(scope);
        let else_block = self.function.blocks.push(Block { params: Vec::new(), insts: out });
        self.push(insts, InstKind::If { condition: goes_on, then_block, else_block }, &[]);
    }
}
