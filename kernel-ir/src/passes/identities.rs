//! Exact identities of single instructions: what a simpler instruction or an existing value computes as well.

use super::eval;
use super::fold_constants::View;
use crate::ir::{Constant, InstId, InstKind, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Type, TypeId};

/// A simpler form of an instruction.
pub(super) enum Simpler {
    /// By nothing simpler.
    Keep,
    /// By a value that exists.
    Value(ValueId),
    /// By another instruction for the same result.
    Kind(InstKind),
}

use Simpler::{Keep, Kind, Value};

/// Whether an instruction is of a kind that anything simpler may be found for.
pub(super) fn has_any(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Op(..)
            | InstKind::Const(Constant::Zero)
            | InstKind::Compose(_)
            | InstKind::Extract(..)
            | InstKind::Insert(..)
    )
}

/// One step of simplification of an instruction that owns no blocks.
pub(super) fn simplify(view: &View<'_>, id: InstId) -> Simpler {
    let inst = &view.function.insts[id];
    let [result] = inst.results[..] else { return Keep };
    let ty = view.function.values[result].ty;
    let found = match &inst.kind {
        InstKind::Const(Constant::Zero) => match view.types.get(ty) {
            Type::Scalar(scalar) => Some(Kind(InstKind::Const(eval::typed(Constant::Zero, *scalar)))),
            _ => None,
        },
        InstKind::Op(op, operands) => return simplify_op(view, result, *op, operands),
        InstKind::Compose(members) => compose(view, result, members),
        InstKind::Extract(value, path) => extract(view, *value, path),
        InstKind::Insert(composite, member, path) => insert(view, *composite, *member, path),
        _ => None,
    };
    found.unwrap_or(Keep)
}

/// One step of simplification of an op whose result has the type of `result`.
pub(super) fn simplify_op(view: &View<'_>, result: ValueId, op: Op, operands: &[ValueId]) -> Simpler {
    if op == Op::Uniform {
        return Value(operands[0]);
    }
    let mut constants = [None; 3];
    let mut are_known = true;
    for (constant, operand) in constants.iter_mut().zip(operands) {
        *constant = view.constant(*operand);
        are_known &= constant.is_some();
    }
    let constants = &constants[..operands.len()];
    if are_known && let Some(constant) = fold(view, view.function.values[result].ty, op, constants) {
        return Kind(InstKind::Const(constant));
    }
    Rule { view, result, op, operands, constants }.apply().unwrap_or(Keep)
}

/// The result of an op whose operands are all known.
fn fold(view: &View<'_>, ty: TypeId, op: Op, operands: &[Option<Constant>]) -> Option<Constant> {
    let mut constants = [Constant::Zero; 3];
    for (constant, operand) in constants.iter_mut().zip(operands) {
        *constant = (*operand)?;
    }
    let Type::Scalar(scalar) = view.types.get(ty) else { return None };
    if matches!(op, Op::Any | Op::All) {
        return None;
    }
    eval::evaluate(op, &constants[..operands.len()], *scalar)
}

fn compose(view: &View<'_>, result: ValueId, members: &[ValueId]) -> Option<Simpler> {
    // All members of one value in order are that value.
    let InstKind::Extract(whole, path) = view.definition(*members.first()?)? else { return None };
    let prefix = path.split_last().filter(|(last, _)| **last == 0)?.1;
    if !prefix.is_empty() || view.function.values[*whole].ty != view.function.values[result].ty {
        return None;
    }
    let same = members.iter().enumerate().all(|(index, member)| {
        matches!(view.definition(*member), Some(InstKind::Extract(value, path))
            if value == whole && path[..] == [index as u32])
    });
    same.then_some(Value(*whole))
}

fn extract(view: &View<'_>, value: ValueId, path: &[u32]) -> Option<Simpler> {
    let Some((first, rest)) = path.split_first() else { return Some(Value(value)) };
    match view.definition(value)? {
        InstKind::Compose(members) => {
            let member = *members.get(*first as usize)?;
            Some(if rest.is_empty() { Value(member) } else { Kind(InstKind::Extract(member, rest.into())) })
        }
        InstKind::Extract(whole, outer) => Some(Kind(InstKind::Extract(*whole, [outer, path].concat().into()))),
        InstKind::Insert(composite, member, inserted) => {
            if let Some(rest) = path.strip_prefix(&inserted[..]) {
                return Some(if rest.is_empty() {
                    Value(*member)
                } else {
                    Kind(InstKind::Extract(*member, rest.into()))
                });
            }
            // The inserted value is neither the member asked for nor part of it.
            (!inserted.starts_with(path)).then(|| Kind(InstKind::Extract(*composite, path.into())))
        }
        InstKind::Const(Constant::Zero) => Some(Kind(InstKind::Const(Constant::Zero))),
        _ => None,
    }
}

fn insert(view: &View<'_>, composite: ValueId, member: ValueId, path: &[u32]) -> Option<Simpler> {
    if path.is_empty() {
        return Some(Value(member));
    }
    match view.definition(composite)? {
        InstKind::Insert(inner, _, overwritten) if overwritten.starts_with(path) => {
            Some(Kind(InstKind::Insert(*inner, member, path.into())))
        }
        InstKind::Compose(members) if path.len() == 1 => {
            let mut members = members.clone();
            *members.get_mut(path[0] as usize)? = member;
            Some(Kind(InstKind::Compose(members)))
        }
        _ => None,
    }
}

/// One application of an op under inspection.
struct Rule<'a> {
    view: &'a View<'a>,
    result: ValueId,
    op: Op,
    operands: &'a [ValueId],
    /// The scalar constants that they are, or that all their members are.
    constants: &'a [Option<Constant>],
}

impl Rule<'_> {
    fn apply(&self) -> Option<Simpler> {
        match self.operands {
            [a] => self.unary(*a),
            [a, b] => self.binary(*a, *b),
            [condition, yes, no] if self.op == Op::Select => self.select(*condition, *yes, *no),
            _ => None,
        }
    }

    fn scalar(&self, value: ValueId) -> Option<Scalar> {
        self.view.types.element_scalar(self.view.function.values[value].ty)
    }

    fn is_scalar(&self, value: ValueId) -> bool {
        matches!(self.view.types.get(self.view.function.values[value].ty), Type::Scalar(_))
    }

    fn is_int(&self, value: ValueId) -> bool {
        self.scalar(value).is_some_and(Scalar::is_int)
    }

    fn is_float(&self, value: ValueId) -> bool {
        self.scalar(value).is_some_and(Scalar::is_float)
    }

    /// Whether casting `inner` to the type of `middle` and on to the result's is one cast: between integers, where the
    /// middle has all the bits of one end, and widens as that end would.
    fn is_joinable(&self, middle: ValueId, inner: ValueId) -> bool {
        if !(self.is_int(middle) && self.is_int(inner) && self.is_int(self.result)) {
            return false;
        }
        let (Some(from), Some(via), Some(to)) = (self.scalar(inner), self.scalar(middle), self.scalar(self.result))
        else {
            return false;
        };
        via.bits() >= to.bits()
            || (via.bits() > from.bits() && from.is_unsigned())
            || via.is_signed() == from.is_signed() && via.bits() >= from.bits()
    }

    fn op_of(&self, value: ValueId) -> Option<(Op, &[ValueId])> {
        match self.view.definition(value)? {
            InstKind::Op(op, operands) => Some((*op, operands)),
            _ => None,
        }
    }

    fn same_type(&self, value: ValueId) -> bool {
        self.view.function.values[value].ty == self.view.function.values[self.result].ty
    }

    fn op(op: Op, operands: &[ValueId]) -> Option<Simpler> {
        Some(Kind(InstKind::Op(op, operands.into())))
    }

    fn unary(&self, a: ValueId) -> Option<Simpler> {
        match self.op {
            Op::Cast | Op::Bitcast if self.same_type(a) => Some(Value(a)),
            Op::Cast | Op::Bitcast => match self.op_of(a)? {
                (Op::Cast, inner) if self.is_joinable(a, inner[0]) => {
                    if self.same_type(inner[0]) {
                        Some(Value(inner[0]))
                    } else {
                        Self::op(Op::Cast, inner)
                    }
                }
                (Op::Bitcast, inner) if self.op == Op::Bitcast => Self::op(Op::Bitcast, inner),
                _ => None,
            },
            Op::Not => match self.op_of(a)? {
                (Op::Not, inner) => Some(Value(inner[0])),
                (op, inner) => Self::op(self.opposite(op, inner[0])?, inner),
            },
            Op::Neg => match self.op_of(a)? {
                (Op::Neg, inner) => Some(Value(inner[0])),
                _ => None,
            },
            _ => None,
        }
    }

    /// The comparison that is true exactly when `op` is false.
    fn opposite(&self, op: Op, operand: ValueId) -> Option<Op> {
        let total = self.is_int(operand);
        Some(match op {
            Op::Eq => Op::Ne,
            Op::Ne => Op::Eq,
            Op::Lt if total => Op::Ge,
            Op::Le if total => Op::Gt,
            Op::Gt if total => Op::Le,
            Op::Ge if total => Op::Lt,
            _ => return None,
        })
    }

    fn binary(&self, a: ValueId, b: ValueId) -> Option<Simpler> {
        if let Some(swapped) = mirrored(self.op) {
            // Constants go to the right.
            if self.constants[0].is_some() && self.constants[1].is_none() {
                return Self::op(swapped, &[b, a]);
            }
        }
        if let Some(found) = self.with_negated(a, b) {
            return Some(found);
        }
        if a == b
            && let Some(found) = self.same_operands(a)
        {
            return Some(found);
        }
        if self.is_int(a)
            && let Some(found) = self.cancelled(a, b)
        {
            return Some(found);
        }
        match self.constants[1]? {
            Constant::Bool(b_is) => self.with_bool(a, b, b_is),
            constant if eval::scalar_of(constant)?.is_float() => self.with_float(a, constant),
            constant => self.with_int(a, b, constant),
        }
    }

    /// A float plus the negative of another is their difference, to the last bit.
    fn with_negated(&self, a: ValueId, b: ValueId) -> Option<Simpler> {
        let negated = |value: ValueId| match self.op_of(value)? {
            (Op::Neg, inner) if self.is_float(value) => Some(inner[0]),
            _ => None,
        };
        match self.op {
            Op::Add => match (negated(a), negated(b)) {
                (_, Some(b)) => Self::op(Op::Sub, &[a, b]),
                (Some(a), None) => Self::op(Op::Sub, &[b, a]),
                (None, None) => None,
            },
            Op::Sub => Self::op(Op::Add, &[a, negated(b)?]),
            _ => None,
        }
    }

    /// A difference of integers, or a sum with one, in which a term cancels: lengths of slices are such, `(i + n) - i` and
    /// `(r + 1) * n - r * n`. Integers wrap, so that this holds for all of them.
    fn cancelled(&self, a: ValueId, b: ValueId) -> Option<Simpler> {
        match (self.op, self.op_of(a), self.op_of(b)) {
            (Op::Sub, Some((Op::Add, [x, y])), _) if *x == b => Some(Value(*y)),
            (Op::Sub, Some((Op::Add, [x, y])), _) if *y == b => Some(Value(*x)),
            (Op::Sub, _, Some((Op::Sub, [x, y]))) if *x == a => Some(Value(*y)),
            (Op::Add, Some((Op::Sub, [x, y])), _) if *y == b => Some(Value(*x)),
            (Op::Add, _, Some((Op::Sub, [x, y]))) if *y == a => Some(Value(*x)),
            (Op::Sub, Some((Op::Add, [x, y])), Some((Op::Add, [z, w]))) => {
                let common = [(x, y, z, w), (x, y, w, z), (y, x, z, w), (y, x, w, z)];
                let (_, left, _, right) = common.into_iter().find(|(x, _, z, _)| x == z)?;
                Self::op(Op::Sub, &[*left, *right])
            }
            (Op::Sub, Some((Op::Mul, [x, y])), Some((Op::Mul, [z, w]))) => {
                let common = [(x, y, z, w), (x, y, w, z), (y, x, z, w), (y, x, w, z)];
                let mut factors = common.into_iter().filter(|(x, _, z, _)| x == z);
                factors.find_map(|(factor, left, _, right)| match self.op_of(*left)? {
                    (Op::Add, [z, more]) if z == right => self.times(*factor, *more),
                    (Op::Add, [more, z]) if z == right => self.times(*factor, *more),
                    _ => None,
                })
            }
            // `(i + n) + 1 - i`
            (Op::Sub, Some((Op::Add, [x, y])), _) => [(x, y), (y, x)].into_iter().find_map(|(sum, more)| {
                let (Op::Add, [z, w]) = self.op_of(*sum)? else { return None };
                let rest = if *z == b { w } else { Some(z).filter(|_| *w == b)? };
                Self::op(Op::Add, &[*rest, *more])
            }),
            _ => None,
        }
    }

    /// A product, of which a factor may be one.
    fn times(&self, a: ValueId, b: ValueId) -> Option<Simpler> {
        match self.view.definition(b) {
            Some(InstKind::Const(constant)) if eval::bits(*constant) == Some(1) => Some(Value(a)),
            _ => Self::op(Op::Mul, &[a, b]),
        }
    }

    fn same_operands(&self, a: ValueId) -> Option<Simpler> {
        let constant = |bits| {
            let scalar = self.scalar(self.result)?;
            self.is_scalar(self.result).then(|| Kind(InstKind::Const(eval::from_bits(bits, scalar))))
        };
        match self.op {
            Op::And | Op::Or | Op::Min | Op::Max => Some(Value(a)),
            Op::Xor => constant(0),
            Op::Sub if self.is_int(a) => constant(0),
            // Floats may be NaN, which does not equal itself.
            Op::Eq | Op::Le | Op::Ge if !self.is_float(a) => constant(1),
            Op::Ne | Op::Lt | Op::Gt if !self.is_float(a) => constant(0),
            _ => None,
        }
    }

    fn with_float(&self, a: ValueId, b: Constant) -> Option<Simpler> {
        // Every float converts to the widest exactly.
        let Constant::Bits(_, b) = eval::evaluate(Op::Cast, &[b], Scalar::F64)? else { return None };
        let b = f64::from_bits(b);
        match self.op {
            Op::Mul | Op::Div if b == 1.0 => Some(Value(a)),
            // x + -0 and x - 0 keep the sign of a zero x; x + 0 does not.
            Op::Add if b == 0.0 && b.is_sign_negative() => Some(Value(a)),
            Op::Sub if b == 0.0 && b.is_sign_positive() => Some(Value(a)),
            _ => None,
        }
    }

    fn with_bool(&self, a: ValueId, b: ValueId, b_is: bool) -> Option<Simpler> {
        match (self.op, b_is) {
            (Op::And, true) | (Op::Or | Op::Xor, false) | (Op::Eq, true) | (Op::Ne, false) => Some(Value(a)),
            (Op::And, false) | (Op::Or, true) => Some(Value(b)),
            (Op::Xor | Op::Ne, true) | (Op::Eq, false) => Self::op(Op::Not, &[a]),
            _ => None,
        }
    }

    fn with_int(&self, a: ValueId, b: ValueId, b_is: Constant) -> Option<Simpler> {
        let scalar = self.scalar(b)?;
        let unsigned = scalar.is_unsigned();
        let b_is = eval::bits(b_is)?;
        let ones = b_is == scalar.mask();
        if let Some(found) = self.chosen_of(a, b_is) {
            return Some(found);
        }
        match (self.op, b_is) {
            (Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::Shr, 0) | (Op::Mul | Op::Div, 1) => Some(Value(a)),
            (Op::Mul | Op::And, 0) => Some(Value(b)),
            (Op::Or, _) if ones => Some(Value(b)),
            (Op::And, _) if ones => Some(Value(a)),
            (Op::Min, 0) if unsigned => Some(Value(b)),
            (Op::Max, 0) if unsigned => Some(Value(a)),
            (Op::Rem, 1) => self.zero(),
            (Op::Lt, 0) if unsigned => self.truth(false),
            (Op::Ge, 0) if unsigned => self.truth(true),
            (Op::Le, 0) if unsigned => Self::op(Op::Eq, &[a, b]),
            (Op::Gt, 0) if unsigned => Self::op(Op::Ne, &[a, b]),
            (Op::Gt, _) if unsigned && ones => self.truth(false),
            (Op::Le, _) if unsigned && ones => self.truth(true),
            _ => None,
        }
    }

    /// Whether one of two constants was chosen, as discriminants of options are: `select(c, 1, 0) == 1`, `cast(c) == 1`.
    fn chosen_of(&self, chosen: ValueId, is: u64) -> Option<Simpler> {
        if !matches!(self.op, Op::Eq | Op::Ne) || !self.is_scalar(self.result) {
            return None;
        }
        let bits = |value: ValueId| self.view.constant(value).and_then(eval::bits);
        let (condition, yes, no) = match self.op_of(chosen)? {
            (Op::Select, [condition, yes, no]) => (condition, bits(*yes)? == is, bits(*no)? == is),
            (Op::Cast, [condition]) if self.scalar(*condition) == Some(Scalar::Bool) => (condition, is == 1, is == 0),
            _ => return None,
        };
        match (yes, no) {
            _ if yes == no => self.truth(yes == (self.op == Op::Eq)),
            _ if yes == (self.op == Op::Eq) => Some(Value(*condition)),
            _ => Self::op(Op::Not, &[*condition]),
        }
    }

    fn zero(&self) -> Option<Simpler> {
        Some(Kind(InstKind::Const(Constant::Zero)))
    }

    fn truth(&self, value: bool) -> Option<Simpler> {
        self.is_scalar(self.result).then_some(Kind(InstKind::Const(Constant::Bool(value))))
    }

    fn select(&self, condition: ValueId, yes: ValueId, no: ValueId) -> Option<Simpler> {
        if yes == no {
            return Some(Value(yes));
        }
        if let Some(taken) = self.constants[0].and_then(eval::is_true) {
            return Some(Value(if taken { yes } else { no }));
        }
        if let Some((Op::Not, inner)) = self.op_of(condition) {
            return Self::op(Op::Select, &[inner[0], no, yes]);
        }
        if self.scalar(self.result) != Some(Scalar::Bool) || !self.same_type(condition) {
            return None;
        }
        let is = |value| self.view.constant(value).and_then(eval::is_true);
        match (is(yes), is(no)) {
            (Some(true), Some(false)) => Some(Value(condition)),
            (Some(false), Some(true)) => Self::op(Op::Not, &[condition]),
            (None, Some(false)) => Self::op(Op::And, &[condition, yes]),
            (Some(true), None) => Self::op(Op::Or, &[condition, no]),
            _ => None,
        }
    }
}

/// The op that gives the same result with its operands swapped.
fn mirrored(op: Op) -> Option<Op> {
    Some(match op {
        Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Eq | Op::Ne | Op::MulHigh => op,
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        _ => return None,
    })
}
