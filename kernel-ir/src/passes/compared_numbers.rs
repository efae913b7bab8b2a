//! Makes one comparison of what asks several times how two numbers compare: `a.partial_cmp(b)` is less, equal, greater or nothing at all, and
//! code that sorts by it asks which.
//!
//! Neither of two floats that were found to compare at all is NaN, and none of the later questions is whether they are.

use super::edit::yields;
use super::{Changed, PassCx, eval};
use crate::arena::EntityId;
use crate::ir::{BlockId, Constant, Function, InstId, InstKind, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Type, TypeId, Types};

/// Values that an answer may hang on, one by the other.
const DEEPEST: usize = 8;

/// How one number compares with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Less,
    Equal,
    Greater,
    /// One of them is NaN.
    Unordered,
}

/// All ways in which two numbers compare.
const ORDERS: [Order; 4] = [Order::Less, Order::Equal, Order::Greater, Order::Unordered];

/// A truth by the way in which two numbers compare, as `ORDERS` lists them.
type Truths = [bool; 4];

const COMPARISONS: [Op; 6] = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne];

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    if !function.insts.iter().any(|(_, inst)| may_ask(&inst.kind)) {
        return Changed::No;
    }
    let mut definitions = vec![None; function.values.len()];
    for (id, inst) in function.insts.iter() {
        inst.results.iter().for_each(|result| definitions[result.index()] = Some(id));
    }
    let is_number = vec![false; function.values.len()];
    let mut pass =
        Pass { function, types: cx.types, definitions, is_number, learned: Vec::new(), changed: Changed::No };
    pass.block(pass.function.entry);
    pass.changed
}

/// Whether an instruction is one that a single comparison may stand for.
fn may_ask(kind: &InstKind) -> bool {
    match kind {
        InstKind::Op(Op::And | Op::Or | Op::Not | Op::Select, _) => true,
        InstKind::Op(op, _) => COMPARISONS.contains(op),
        _ => false,
    }
}

/// Whether a comparison is true of two numbers that compare so.
fn holds(op: Op, order: Order) -> bool {
    match op {
        Op::Lt => order == Order::Less,
        Op::Le => matches!(order, Order::Less | Order::Equal),
        Op::Gt => order == Order::Greater,
        Op::Ge => matches!(order, Order::Greater | Order::Equal),
        Op::Eq => order == Order::Equal,
        _ => order != Order::Equal,
    }
}

struct Pass<'a> {
    function: &'a mut Function,
    types: &'a Types,
    /// By value: what defines it.
    definitions: Vec<Option<InstId>>,
    /// By value: whether it is known not to be NaN where the walk is.
    is_number: Vec<bool>,
    /// Values of which something was learned, the last one last, to be forgotten behind the block where it holds.
    learned: Vec<ValueId>,
    changed: Changed,
}

impl Pass<'_> {
    /// Walks a block; true for each value that it yields and that is not NaN.
    fn block(&mut self, block: BlockId) -> Vec<bool> {
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let before = self.learned.len();
        for id in &insts {
            self.inst(*id);
        }
        let yielded = match insts.last().map(|last| &self.function.insts[*last].kind) {
            Some(InstKind::Yield(values)) => values.iter().map(|value| self.is_number(*value, DEEPEST)).collect(),
            _ => Vec::new(),
        };
        self.function.blocks[block].insts = insts;
        self.forget(before);
        yielded
    }

    fn inst(&mut self, id: InstId) {
        if let InstKind::If { condition, then_block, else_block } = self.function.insts[id].kind {
            return self.choice(id, condition, [then_block, else_block]);
        }
        for block in self.function.insts[id].kind.blocks() {
            self.block(block);
        }
        if may_ask(&self.function.insts[id].kind)
            && let [result] = self.function.insts[id].results[..]
            && let Some(simpler) = self.simpler(id, result)
            && simpler != self.function.insts[id].kind
        {
            self.function.insts[id].kind = simpler;
            self.changed = Changed::Yes;
        }
    }

    fn choice(&mut self, id: InstId, condition: ValueId, arms: [BlockId; 2]) {
        let mut yielded = [Vec::new(), Vec::new()];
        for (at, arm) in arms.into_iter().enumerate() {
            let before = self.learned.len();
            self.learn(condition, at == 0, DEEPEST);
            yielded[at] = self.block(arm);
            self.forget(before);
        }
        let stays = arms.map(|arm| yields(self.function, arm).is_some());
        // Who gets past a branch that leaves took the other one.
        match stays {
            [true, false] => self.learn(condition, true, DEEPEST),
            [false, true] => self.learn(condition, false, DEEPEST),
            _ => {}
        }
        for (at, result) in self.function.insts[id].results.clone().iter().enumerate() {
            let of_arm = |arm: usize| !stays[arm] || yielded[arm].get(at) == Some(&true);
            if (stays[0] || stays[1]) && of_arm(0) && of_arm(1) {
                self.note(*result);
            }
        }
    }

    /// Notes that a value is not NaN.
    fn note(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.is_number[value.index()], true) {
            self.learned.push(value);
        }
    }

    fn forget(&mut self, before: usize) {
        for value in self.learned.drain(before..) {
            self.is_number[value.index()] = false;
        }
    }

    /// Learns from a condition that has this truth here.
    fn learn(&mut self, condition: ValueId, truth: bool, left: usize) {
        let Some(left) = left.checked_sub(1) else { return };
        match self.op_of(condition) {
            Some((Op::Not, [inner])) => return self.learn(*inner, !truth, left),
            Some((op @ (Op::And | Op::Or), [a, b])) if (op == Op::And) == truth => {
                let (a, b) = (*a, *b);
                self.learn(a, truth, left);
                self.learn(b, truth, left);
            }
            _ => {}
        }
        if let Some(pair) = self.pair(condition, DEEPEST)
            && self.is_float(pair[0])
            && let Some(truths) = self.truths(condition, pair)
            && truths[Order::Unordered as usize] != truth
        {
            pair.iter().for_each(|value| self.note(*value));
        }
    }

    fn op_of(&self, value: ValueId) -> Option<(Op, &[ValueId])> {
        match &self.function.insts[self.definitions[value.index()]?].kind {
            InstKind::Op(op, operands) => Some((*op, operands)),
            _ => None,
        }
    }

    fn scalar(&self, value: ValueId) -> Option<Scalar> {
        let ty: TypeId = self.function.values[value].ty;
        match self.types.get(ty) {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    fn is_float(&self, value: ValueId) -> bool {
        self.scalar(value).is_some_and(Scalar::is_float)
    }

    fn constant(&self, value: ValueId) -> Option<Constant> {
        match self.function.insts[self.definitions[value.index()]?].kind {
            InstKind::Const(constant) => Some(eval::typed(constant, self.scalar(value)?)),
            _ => None,
        }
    }

    /// Whether a value is known not to be NaN.
    fn is_number(&self, value: ValueId, left: usize) -> bool {
        if self.is_number[value.index()] {
            return true;
        }
        let Some(left) = left.checked_sub(1) else { return false };
        if let Some(constant) = self.constant(value) {
            return eval::evaluate(Op::Eq, &[constant, constant], Scalar::Bool) == Some(Constant::Bool(true));
        }
        match self.op_of(value) {
            Some((Op::Cast, [from])) => self.scalar(*from).is_some_and(Scalar::is_int) || self.is_number(*from, left),
            Some((Op::Select, [_, yes, no])) => self.is_number(*yes, left) && self.is_number(*no, left),
            Some((Op::Min | Op::Max, [a, b])) => self.is_number(*a, left) && self.is_number(*b, left),
            Some((Op::Neg | Op::Abs, [a])) => self.is_number(*a, left),
            _ => false,
        }
    }

    /// The two numbers whose order an answer hangs on, if it hangs on nothing else.
    fn pair(&self, value: ValueId, left: usize) -> Option<[ValueId; 2]> {
        let left = left.checked_sub(1)?;
        let (op, operands) = self.op_of(value)?;
        let inner = || operands.iter().find_map(|operand| self.pair(*operand, left));
        match (op, operands) {
            (Op::And | Op::Or | Op::Not | Op::Select, _) => inner(),
            (op, [a, b]) if COMPARISONS.contains(&op) => {
                let scalar = self.scalar(*a).filter(|scalar| scalar.is_int() || scalar.is_float())?;
                // A number that stands for an order is asked which it is.
                let asks = scalar.is_int() && (self.constant(*a).is_some() || self.constant(*b).is_some());
                if asks { inner() } else { None }.or(Some([*a, *b]))
            }
            _ => None,
        }
    }

    fn is_same(&self, a: ValueId, b: ValueId) -> bool {
        a == b || self.constant(a).is_some_and(|constant| self.constant(b) == Some(constant))
    }

    /// The value where the two numbers compare so, if nothing else decides it.
    fn value_where(&self, value: ValueId, pair: [ValueId; 2], order: Order, left: usize) -> Option<Constant> {
        let left = left.checked_sub(1)?;
        if let Some(constant) = self.constant(value) {
            return Some(constant);
        }
        let (op, operands) = self.op_of(value)?;
        let of = |operand: ValueId| self.value_where(operand, pair, order, left);
        match *operands {
            [a, b] if COMPARISONS.contains(&op) && self.is_same(a, pair[0]) && self.is_same(b, pair[1]) => {
                Some(Constant::Bool(holds(op, order)))
            }
            [b, a] if COMPARISONS.contains(&op) && self.is_same(a, pair[0]) && self.is_same(b, pair[1]) => {
                let mirrored = match order {
                    Order::Less => Order::Greater,
                    Order::Greater => Order::Less,
                    other => other,
                };
                Some(Constant::Bool(holds(op, mirrored)))
            }
            [condition, yes, no] if op == Op::Select => of(if eval::is_true(of(condition)?)? { yes } else { no }),
            [a] if op == Op::Not => eval::evaluate(op, &[of(a)?], self.scalar(value)?),
            [a, b] if op == Op::And || op == Op::Or || COMPARISONS.contains(&op) => {
                eval::evaluate(op, &[of(a)?, of(b)?], self.scalar(value)?)
            }
            _ => None,
        }
    }

    fn truths(&self, value: ValueId, pair: [ValueId; 2]) -> Option<Truths> {
        let mut truths = [false; 4];
        for (truth, order) in truths.iter_mut().zip(ORDERS) {
            *truth = eval::is_true(self.value_where(value, pair, order, DEEPEST)?)?;
        }
        Some(truths)
    }

    /// A single comparison, or a constant, for an instruction.
    fn simpler(&self, id: InstId, result: ValueId) -> Option<InstKind> {
        if self.scalar(result) != Some(Scalar::Bool) {
            return None;
        }
        let pair @ [a, b] = self.pair(result, DEEPEST)?;
        let truths = self.truths(result, pair)?;
        let are_numbers = pair.map(|value| !self.is_float(value) || self.is_number(value, DEEPEST));
        let may_be_unordered = are_numbers != [true, true];
        let counts = |order: &Order| match order {
            // A number is not less than itself.
            Order::Less | Order::Greater => !self.is_same(a, b),
            Order::Equal => true,
            Order::Unordered => may_be_unordered,
        };
        let is = |wanted: &dyn Fn(Order) -> bool| {
            ORDERS.iter().filter(|order| counts(order)).all(|order| truths[*order as usize] == wanted(*order))
        };
        for truth in [false, true] {
            if is(&|_| truth) {
                return Some(InstKind::Const(Constant::Bool(truth)));
            }
        }
        if let InstKind::Op(op, operands) = &self.function.insts[id].kind
            && COMPARISONS.contains(op)
            && operands[..] == [a, b]
        {
            return None;
        }
        let op = |op: Op, operands: [ValueId; 2]| Some(InstKind::Op(op, operands.into()));
        // Only one of them can be NaN: whether they compare at all is whether it is equal to itself.
        if let [true, false] | [false, true] = are_numbers {
            let unknown = if are_numbers[0] { b } else { a };
            if is(&|order| order != Order::Unordered) {
                return op(Op::Eq, [unknown, unknown]);
            }
            if is(&|order| order == Order::Unordered) {
                return op(Op::Ne, [unknown, unknown]);
            }
        }
        if let Some(found) = COMPARISONS.into_iter().find(|comparison| is(&|order| holds(*comparison, order))) {
            return op(found, pair);
        }
        let part = self.part(result, &|part| {
            part != result && self.truths(part, pair).is_some_and(|truths| is(&|order| truths[order as usize]))
        })?;
        self.definitions[part.index()].map(|part| self.function.insts[part].kind.clone())
    }

    /// A truth that an answer hangs on and that is one of the wanted.
    fn part(&self, value: ValueId, is_wanted: &dyn Fn(ValueId) -> bool) -> Option<ValueId> {
        if self.scalar(value) == Some(Scalar::Bool) && is_wanted(value) {
            return Some(value);
        }
        let (op, operands) = self.op_of(value)?;
        let is_part = matches!(op, Op::And | Op::Or | Op::Not | Op::Select) || COMPARISONS.contains(&op);
        operands.iter().filter(|_| is_part).find_map(|operand| self.part(*operand, is_wanted))
    }
}
