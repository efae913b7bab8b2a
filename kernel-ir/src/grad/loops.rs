//! Loops on the way back. Rounds are counted on the way forward; then each, last one first, is computed again and its rules run in reverse.
//!
//! A counter is computed from the number of its round. All else is computed again from the nearest kept state: there is a fixed number of
//! those, and each is put halfway between the one before and the round that is looked for. So `n` rounds take `n log n` computations at most, and no more memory than a few of them need, however many there are.

use crate::arena::EntityId;
use crate::ir::{BlockId, InstId, InstKind, LocalId, Place, Root, Step, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Type, TypeId};

use super::contents::Again;
use super::exchange::Held;
use super::normal::{Exit, exit};
use super::reverse::{Reverse, Rounds};

/// States that are kept of a loop; a power of two.
const KEPT: u32 = 16;

/// A loop in normal form.
pub(super) struct Shape<'s> {
    id: InstId,
    body: BlockId,
    pub(super) params: &'s [ValueId],
    pub(super) initial: &'s [ValueId],
    results: &'s [ValueId],
    pub(super) head: &'s [InstId],
    pub(super) rest: &'s [InstId],
    pub(super) exit: Exit,
    pub(super) next: &'s [ValueId],
}

/// How a round gets what it begins with.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// Nothing needs it.
    Unneeded,
    /// It grows by this much each round, or shrinks.
    Counter(ValueId, Op),
    /// From the round before.
    Kept,
}

/// The variables with the states that are kept.
struct Kept {
    /// By parameter that is kept: an array.
    params: Vec<(usize, LocalId)>,
    /// By variable that the loop works in: an array.
    held: Vec<(Held, LocalId)>,
    /// The numbers of the rounds that they are of.
    rounds: LocalId,
    /// The last one.
    top: LocalId,
}

impl<'s> Reverse<'s, '_> {
    fn shape(&self, id: InstId) -> Option<Shape<'s>> {
        let function = self.function;
        let inst = &function.insts[id];
        let InstKind::Loop { initial, body, .. } = &inst.kind else { return None };
        let exit = exit(function, *body)?;
        let insts = function.blocks[*body].insts.as_slice();
        let (last, before) = insts.split_last()?;
        let InstKind::Continue(_, next) = &function.insts[*last].kind else { return None };
        Some(Shape {
            id,
            body: *body,
            params: &function.blocks[*body].params,
            initial,
            results: &inst.results,
            head: &insts[..exit.at],
            rest: &before[exit.at + 1..],
            exit,
            next,
        })
    }

    pub(super) fn forward_loop(&mut self, id: InstId, is_needed: bool) {
        // The values that rounds read are there, in arms that run again, too.
        let runs = self.runs(id);
        let replays = std::mem::replace(&mut self.replays, false);
        self.forward_rounds(id, is_needed, runs);
        self.replays = replays;
    }

    fn forward_rounds(&mut self, id: InstId, is_needed: bool, runs: bool) {
        let touched = self.touched(id);
        let asks = self.asks(id);
        let (acts, panics) = (self.needs.acts(id), self.needs.panics(id) || runs && asks);
        if !is_needed && !acts && !panics && (touched.is_empty() || !asks) {
            return self.wait_instead(id);
        }
        let Some(shape) = self.shape(id) else { return self.forward_endless(id) };
        let mut before = Vec::new();
        if acts {
            let held = self.shared_of(id, Again::Restored);
            self.held[id.index()] = self.keep(&held);
            let all: Vec<_> = touched.iter().copied().chain(self.shared_of(id, Again::EachRound)).collect();
            before = self.keep(&all);
        }
        let initial: Vec<_> =
            shape.initial.iter().zip(shape.params).map(|(value, param)| self.needed(*param, *value)).collect();
        let known = if acts { self.counted(&shape, &initial) } else { None };
        if !is_needed
            && !panics
            && touched.is_empty()
            && self.tells_its_end(&shape)
            && let Some(count) = known
        {
            let last = self.last_of(&shape, &initial, count);
            self.rounds[id.index()] = Some(Rounds { count, initial, last, before });
            return self.wait_instead(id);
        }
        let counts = known.is_none();
        let mut carried: Vec<ValueId> = initial.iter().flatten().copied().collect();
        carried.extend(counts.then(|| self.b.const_u32(0)));
        let types: Vec<_> = carried.iter().map(|value| self.b.value_type(*value)).collect();
        let body = self.b.new_loop_body(&types);
        let params = self.b.block_params(body).to_vec();
        let parent = self.b.switch_to(body);
        let mut own = params.iter();
        for (param, _) in shape.params.iter().zip(&initial).filter(|(_, value)| value.is_some()) {
            if let Some(new) = own.next() {
                self.bind(*param, *new);
            }
        }
        self.forward(shape.head);
        let mut out: Vec<ValueId> = Vec::new();
        for (value, result) in shape.exit.values.iter().zip(shape.results) {
            if self.needs.value(*result) {
                out.push(self.get(*value));
            }
        }
        out.extend_from_slice(&params);
        self.leave(body, &shape.exit, &out);
        self.forward(shape.rest);
        let mut next: Vec<ValueId> = Vec::new();
        for (value, param) in shape.next.iter().zip(shape.params) {
            if self.needs.value(*param) {
                next.push(self.get(*value));
            }
        }
        if let Some(count) = params.last().filter(|_| counts) {
            let one = self.b.const_u32(1);
            next.push(self.b.op(Op::Add, &[*count, one]));
        }
        self.b.continue_(body, &next);
        self.b.switch_to(parent);
        let types: Vec<_> = out.iter().map(|value| self.b.value_type(*value)).collect();
        let out = self.b.push_loop(body, &carried, &types);
        let mut out = out.into_iter();
        for result in shape.results {
            if self.needs.value(*result)
                && let Some(new) = out.next()
            {
                self.bind(*result, new);
            }
        }
        let last: Vec<_> = initial.iter().map(|value| value.and_then(|_| out.next())).collect();
        let Some(count) = known.or_else(|| out.next()) else { return };
        self.rounds[id.index()] = Some(Rounds { count, initial, last, before });
    }

    /// A loop that nothing leaves but the end of the invocation.
    fn forward_endless(&mut self, id: InstId) {
        let function = self.function;
        let inst = &function.insts[id];
        let InstKind::Loop { initial, body: source, .. } = &inst.kind else { return };
        let initial: Vec<_> = initial.iter().map(|value| self.env[value.index()]).collect();
        let carried: Vec<_> = initial.iter().flatten().copied().collect();
        let types: Vec<_> = carried.iter().map(|value| self.b.value_type(*value)).collect();
        let body = self.b.new_loop_body(&types);
        let params = self.b.block_params(body).to_vec();
        let parent = self.b.switch_to(body);
        let mut own = params.iter();
        for (param, _) in function.blocks[*source].params.iter().zip(&initial).filter(|(_, value)| value.is_some()) {
            if let Some(new) = own.next() {
                self.bind(*param, *new);
            }
        }
        self.forward(&function.blocks[*source].insts);
        self.b.continue_(body, &params);
        self.b.switch_to(parent);
        self.b.push_loop(body, &carried, &[]);
    }

    fn needed(&self, param: ValueId, value: ValueId) -> Option<ValueId> {
        self.needs.value(param).then(|| self.get(value))
    }

    fn leave(&mut self, body: BlockId, exit: &Exit, values: &[ValueId]) {
        let condition = self.get(exit.condition);
        let (on, out) = (self.b.new_block(), self.b.new_block());
        let parent = self.b.switch_to(out);
        self.b.break_(body, values);
        self.b.switch_to(parent);
        let (then_block, else_block) = if exit.stays { (on, out) } else { (out, on) };
        self.b.push_if(condition, then_block, else_block, &[]);
    }

    /// Whether a value is the same in all rounds.
    fn is_invariant(&self, value: ValueId, shape: &Shape<'s>) -> bool {
        match self.definitions[value.index()] {
            Some(id) => matches!(self.function.insts[id].kind, InstKind::Const(_)) || !self.stands_in(shape.body, id),
            // Parameters of other loops are around it or within it; within it nothing of the head is.
            None => {
                !shape.params.contains(&value)
                    && self.env[value.index()].is_some()
                    && !self.is_inner_param(shape.body, value)
            }
        }
    }

    fn stands_in(&self, block: BlockId, id: InstId) -> bool {
        self.function.blocks[block].insts.iter().any(|inner| {
            *inner == id || self.function.insts[*inner].kind.blocks().iter().any(|block| self.stands_in(*block, id))
        })
    }

    fn is_inner_param(&self, block: BlockId, value: ValueId) -> bool {
        self.function.blocks[block].params.contains(&value)
            || self.function.blocks[block].insts.iter().any(|inner| {
                self.function.insts[*inner].kind.blocks().iter().any(|block| self.is_inner_param(*block, value))
            })
    }

    pub(super) fn source(&self, at: usize, shape: &Shape<'s>) -> Source {
        if self.needs.value(shape.params[at]) { self.way_of(at, shape) } else { Source::Unneeded }
    }

    /// How a parameter changes, whether it is needed or not.
    pub(super) fn way_of(&self, at: usize, shape: &Shape<'s>) -> Source {
        let param = shape.params[at];
        let scalar = match self.source.types.get(self.ty(param)) {
            Type::Scalar(scalar) => *scalar,
            _ => return Source::Kept,
        };
        if let Some(id) = self.definitions[shape.next[at].index()]
            && let InstKind::Op(op @ (Op::Add | Op::Sub), operands) = &self.function.insts[id].kind
            && scalar.is_int()
        {
            let by = match (operands[0] == param, operands[1] == param) {
                (true, false) => Some(operands[1]),
                (false, true) if *op == Op::Add => Some(operands[0]),
                _ => None,
            };
            if let Some(by) = by.filter(|by| self.is_invariant(*by, shape)) {
                return Source::Counter(by, *op);
            }
        }
        if shape.next[at] == param { Source::Counter(param, Op::Uniform) } else { Source::Kept }
    }

    /// An invariant value, computed where it stands now.
    fn invariant(&mut self, value: ValueId) -> ValueId {
        match self.definitions[value.index()].map(|id| &self.function.insts[id].kind) {
            Some(InstKind::Const(constant)) => {
                let ty = self.ty(value);
                self.b.define(InstKind::Const(*constant), ty)
            }
            _ => self.get(value),
        }
    }

    /// The value of a counter in a round.
    fn counter(&mut self, initial: ValueId, by: (ValueId, Op), round: ValueId) -> ValueId {
        if by.1 == Op::Uniform {
            return initial;
        }
        let ty = self.b.value_type(initial);
        let round = self.cast(round, ty);
        let by_value = self.invariant(by.0);
        let way = self.b.op(Op::Mul, &[round, by_value]);
        self.b.op(by.1, &[initial, way])
    }

    fn cast(&mut self, value: ValueId, ty: TypeId) -> ValueId {
        if self.b.value_type(value) == ty { value } else { self.b.cast(value, ty) }
    }

    /// Whether the values with which a loop is left follow from the number of its rounds, or the way back does not ask for them.
    fn tells_its_end(&self, shape: &Shape<'s>) -> bool {
        !shape.head.iter().any(|id| self.needs.acts(*id))
            || (0..shape.params.len()).all(|at| !matches!(self.source(at, shape), Source::Kept))
    }

    /// How many rounds there are of a loop that counts up to a bound by ones, without running it.
    fn counted(&mut self, shape: &Shape<'s>, initial: &[Option<ValueId>]) -> Option<ValueId> {
        let id = self.definitions[shape.exit.condition.index()]?;
        let InstKind::Op(op, operands) = &self.function.insts[id].kind else { return None };
        let is_below = matches!((op, shape.exit.stays), (Op::Lt, true) | (Op::Ge, false));
        let at = shape.params.iter().position(|param| *param == operands[0])?;
        let Source::Counter(by, Op::Add) = self.way_of(at, shape) else { return None };
        if !is_below || !self.is_one(by) || !self.is_invariant(operands[1], shape) {
            return None;
        }
        let (first, bound) = (initial[at]?, self.invariant_if_there(operands[1])?);
        if self.b.value_type(bound) != self.b.value_type(first) {
            return None;
        }
        let scalar = self.b.types().element_scalar(self.b.value_type(first))?;
        if !matches!(scalar, Scalar::U32 | Scalar::I32) {
            return None;
        }
        let any = self.b.op(Op::Lt, &[first, bound]);
        let difference = self.b.op(Op::Sub, &[bound, first]);
        let word = self.b.types_mut().scalar(Scalar::U32);
        let difference = self.cast(difference, word);
        let none = self.b.const_u32(0);
        Some(self.b.op(Op::Select, &[any, difference, none]))
    }

    fn invariant_if_there(&mut self, value: ValueId) -> Option<ValueId> {
        let is_const = self.definitions[value.index()]
            .is_some_and(|id| matches!(self.function.insts[id].kind, InstKind::Const(_)));
        (is_const || self.env[value.index()].is_some()).then(|| self.invariant(value))
    }

    fn is_one(&self, value: ValueId) -> bool {
        use crate::ir::Constant;
        self.definitions[value.index()].is_some_and(|id| {
            matches!(self.function.insts[id].kind, InstKind::Const(Constant::U32(1) | Constant::I32(1)))
        })
    }

    fn last_of(&mut self, shape: &Shape<'s>, initial: &[Option<ValueId>], count: ValueId) -> Vec<Option<ValueId>> {
        (0..shape.params.len())
            .map(|at| match (self.source(at, shape), initial[at]) {
                (Source::Counter(by, op), Some(first)) => Some(self.counter(first, (by, op), count)),
                _ => None,
            })
            .collect()
    }

    pub(super) fn backward_loop(&mut self, id: InstId) {
        let (Some(shape), Some(rounds)) = (self.shape(id), self.rounds[id.index()].clone()) else { return };
        self.backward_exit(&shape, &rounds);
        let (needs, stores) = (self.only_needs_of(id), self.only_stores_of(id));
        for param in shape.params.iter().filter(|param| !self.needs.value(**param)) {
            // It is what it was in the end.
            self.env[param.index()] = None;
        }
        let held = self.held[id.index()].clone();
        self.restore(&held);
        match self.few(&shape, &rounds) {
            Some(few) => self.backward_few(&shape, &rounds, &few),
            None => self.backward_rounds(&shape, &rounds),
        }
        (self.needs, self.stores) = (needs, stores);
        for (param, initial) in shape.params.iter().zip(shape.initial) {
            if self.is_active(*param) && self.is_active(*initial) {
                let share = self.adjoint(*param);
                self.give(*initial, share);
            }
        }
    }

    /// Goes through the rounds from the last to the first, each computed again from the nearest kept state.
    fn backward_rounds(&mut self, shape: &Shape<'s>, rounds: &Rounds) {
        let kept = self.begin(shape, rounds);
        let word = self.b.types_mut().scalar(Scalar::U32);
        let body = self.b.new_loop_body(&[word]);
        let left = self.b.block_params(body)[0];
        let parent = self.b.switch_to(body);
        let none = self.b.const_u32(0);
        let is_done = self.b.op(Op::Eq, &[left, none]);
        let (out, on) = (self.b.new_block(), self.b.new_block());
        let inner = self.b.switch_to(out);
        self.b.break_(body, &[]);
        self.b.switch_to(inner);
        self.b.push_if(is_done, out, on, &[]);
        let one = self.b.const_u32(1);
        let round = self.b.op(Op::Sub, &[left, one]);
        self.come_to(shape, rounds, &kept, round);
        self.backward_round(shape);
        self.b.continue_(body, &[round]);
        self.b.switch_to(parent);
        self.b.set_location(self.location(shape.id));
        self.b.push_loop(body, &[rounds.count], &[]);
    }

    /// The head, where the loop is left.
    fn backward_exit(&mut self, shape: &Shape<'s>, rounds: &Rounds) {
        for (param, last) in shape.params.iter().zip(&rounds.last) {
            if let Some(last) = last {
                self.bind(*param, *last);
            }
        }
        self.clear_values(shape.params.to_vec());
        let acts = shape.head.iter().any(|id| self.needs.acts(*id));
        if acts {
            self.forward(shape.head);
            self.clear(shape.head);
        }
        for (value, result) in shape.exit.values.iter().zip(shape.results) {
            if self.is_active(*value) && self.is_active(*result) {
                let share = self.adjoint(*result);
                self.give(*value, share);
            }
        }
        if acts {
            self.backward(shape.head);
        }
    }

    pub(super) fn backward_round(&mut self, shape: &Shape<'s>) {
        self.forward(shape.head);
        self.forward(shape.rest);
        let mut shares = Vec::new();
        for (param, next) in shape.params.iter().zip(shape.next) {
            if self.is_active(*param) {
                let share = self.adjoint(*param);
                shares.push((*next, share));
            }
        }
        self.clear_values(shape.params.to_vec());
        self.clear(shape.head);
        self.clear(shape.rest);
        for (next, share) in shares {
            self.give(next, share);
        }
        self.backward(shape.rest);
        self.backward(shape.head);
    }

    /// Keeps the state that the loop begins with; nothing where all can be computed from a round's number.
    fn begin(&mut self, shape: &Shape<'s>, rounds: &Rounds) -> Option<Kept> {
        let params: Vec<_> =
            (0..shape.params.len()).filter(|at| matches!(self.source(*at, shape), Source::Kept)).collect();
        if params.is_empty() && rounds.before.is_empty() {
            return None;
        }
        let word = self.b.types_mut().scalar(Scalar::U32);
        let array = |reverse: &mut Self, name: &str, of: TypeId| {
            let ty = reverse.b.types_mut().array(of, KEPT);
            reverse.b.new_local(name, ty)
        };
        let mut kept = Kept {
            params: Vec::new(),
            held: Vec::new(),
            rounds: array(self, "kept_rounds", word),
            top: self.b.new_local("kept_top", word),
        };
        for at in params {
            let ty = self.ty(shape.params[at]);
            kept.params.push((at, array(self, "kept", ty)));
        }
        for (held, value) in &rounds.before {
            let ty = self.b.value_type(*value);
            kept.held.push((*held, array(self, "kept", ty)));
        }
        let zero = self.b.const_u32(0);
        self.b.store(Place::local(kept.top), zero);
        let initial: Vec<_> = kept.params.iter().filter_map(|(at, _)| rounds.initial[*at]).collect();
        self.restore(&rounds.before);
        self.keep_state(&kept, zero, zero, &initial);
        Some(kept)
    }

    /// Element `slot` of an array of states.
    pub(super) fn slot(array: LocalId, slot: ValueId) -> Place {
        Place { root: Root::Local(array), path: [Step::Index { value: slot, check: None }].into(), is_unordered: false }
    }

    fn keep_state(&mut self, kept: &Kept, slot: ValueId, round: ValueId, state: &[ValueId]) {
        self.b.store(Self::slot(kept.rounds, slot), round);
        for ((_, array), value) in kept.params.iter().zip(state) {
            self.b.store(Self::slot(*array, slot), *value);
        }
        for (held, array) in &kept.held {
            let place = self.held_place(*held);
            let value = self.b.load(place);
            self.b.store(Self::slot(*array, slot), value);
        }
    }

    /// The last slot in use, below the number of slots.
    fn top(&mut self, kept: &Kept) -> ValueId {
        let top = self.b.load(Place::local(kept.top));
        let mask = self.b.const_u32(KEPT - 1);
        self.b.op(Op::And, &[top, mask])
    }

    /// Halfway from one round to another, nearer to the second.
    fn halfway(&mut self, from: ValueId, to: ValueId) -> ValueId {
        let (one, way) = (self.b.const_u32(1), self.b.op(Op::Sub, &[to, from]));
        let way = self.b.op(Op::Add, &[way, one]);
        let half = self.b.op(Op::Shr, &[way, one]);
        self.b.op(Op::Add, &[from, half])
    }

    pub(super) fn bind_counters(&mut self, shape: &Shape<'s>, rounds: &Rounds, round: ValueId) {
        for at in 0..shape.params.len() {
            if let (Source::Counter(by, op), Some(initial)) = (self.source(at, shape), rounds.initial[at]) {
                let value = self.counter(initial, (by, op), round);
                self.bind(shape.params[at], value);
            }
        }
    }

    /// Binds the loop's parameters to what they were at the beginning of a round.
    fn come_to(&mut self, shape: &Shape<'s>, rounds: &Rounds, kept: &Option<Kept>, round: ValueId) {
        let shares = |(held, _): &(Held, LocalId)| matches!(held, Held::Shared(_));
        if !kept.as_ref().is_some_and(|kept| kept.held.iter().any(shares)) {
            self.wait_before(shape.id);
        }
        let Some(kept) = kept else { return self.bind_counters(shape, rounds, round) };
        let word = self.b.types_mut().scalar(Scalar::U32);
        let top = self.top(kept);
        let from = self.b.load(Self::slot(kept.rounds, top));
        let mut carried: Vec<ValueId> = Vec::new();
        for (_, array) in &kept.params {
            carried.push(self.b.load(Self::slot(*array, top)));
        }
        for (held, array) in &kept.held {
            let value = self.b.load(Self::slot(*array, top));
            let place = self.held_place(*held);
            self.b.store(place, value);
        }
        self.scatter(kept.held.iter().map(|(held, _)| *held));
        let mark = self.halfway(from, round);
        carried.extend([from, mark]);
        let types: Vec<_> = carried.iter().map(|value| self.b.value_type(*value)).collect();
        let body = self.b.new_loop_body(&types);
        let params = self.b.block_params(body).to_vec();
        let parent = self.b.switch_to(body);
        let (state, at, mark) = (&params[..params.len() - 2], params[params.len() - 2], params[params.len() - 1]);
        let is_there = self.b.op(Op::Eq, &[at, round]);
        let (out, on) = (self.b.new_block(), self.b.new_block());
        let inner = self.b.switch_to(out);
        self.b.break_(body, state);
        self.b.switch_to(inner);
        self.b.push_if(is_there, out, on, &[]);
        for ((position, _), value) in kept.params.iter().zip(state) {
            self.bind(shape.params[*position], *value);
        }
        self.bind_counters(shape, rounds, at);
        self.forward(shape.head);
        self.forward(shape.rest);
        let one = self.b.const_u32(1);
        let reached = self.b.op(Op::Add, &[at, one]);
        let next: Vec<_> = kept.params.iter().map(|(position, _)| self.get(shape.next[*position])).collect();
        let mark = self.mark(kept, (reached, mark, round), &next, word);
        let mut again = next;
        again.extend([reached, mark]);
        self.b.continue_(body, &again);
        self.b.switch_to(parent);
        let state_types: Vec<_> = types[..types.len() - 2].to_vec();
        let state = self.b.push_loop(body, &carried, &state_types);
        for ((position, _), value) in kept.params.iter().zip(state) {
            self.bind(shape.params[*position], value);
        }
        self.bind_counters(shape, rounds, round);
        self.drop_used(kept, round);
    }

    /// Keeps the state of the round that was reached where it is the one to keep; gives back which is next.
    fn mark(
        &mut self,
        kept: &Kept,
        (reached, mark, round): (ValueId, ValueId, ValueId),
        state: &[ValueId],
        word: TypeId,
    ) -> ValueId {
        let is_mark = self.b.op(Op::Eq, &[reached, mark]);
        let top = self.top(kept);
        let most = self.b.const_u32(KEPT - 1);
        let has_room = self.b.op(Op::Lt, &[top, most]);
        let keeps = self.b.op(Op::And, &[is_mark, has_room]);
        let (yes, no) = (self.b.new_block(), self.b.new_block());
        let parent = self.b.switch_to(yes);
        let one = self.b.const_u32(1);
        let slot = self.b.op(Op::Add, &[top, one]);
        let slot = self.b.op(Op::And, &[slot, most]);
        self.b.store(Place::local(kept.top), slot);
        self.gather(kept.held.iter().map(|(held, _)| *held));
        self.keep_state(kept, slot, reached, state);
        let next = self.halfway(reached, round);
        self.b.yield_(&[next]);
        self.b.switch_to(no);
        self.b.yield_(&[mark]);
        self.b.switch_to(parent);
        self.b.push_if(keeps, yes, no, &[word])[0]
    }

    /// Forgets the state of the round that is done now.
    fn drop_used(&mut self, kept: &Kept, round: ValueId) {
        let top = self.top(kept);
        let of = self.b.load(Self::slot(kept.rounds, top));
        let is_used = self.b.op(Op::Eq, &[of, round]);
        let none = self.b.const_u32(0);
        let is_first = self.b.op(Op::Eq, &[top, none]);
        let stays = self.b.op(Op::Not, &[is_used]);
        let stays = self.b.op(Op::Or, &[stays, is_first]);
        let one = self.b.const_u32(1);
        let less = self.b.op(Op::Sub, &[top, one]);
        let new = self.b.op(Op::Select, &[stays, top, less]);
        self.b.store(Place::local(kept.top), new);
    }
}
