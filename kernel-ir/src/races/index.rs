//! Values as forms: what each 32-bit integer of a kernel is, as a polynomial over atoms. It looks at definitions only, not at control.

use super::atoms::{Atom, Atoms, Less, Limit, Uniform};
use super::firsts::Firsts;
use super::form::{AtomId, Form, Product};
use super::tickets::Tickets;
use crate::arena::EntityId;
use crate::hash::FastSet;
use crate::ir::{
    BlockId, Bound, BoundOp, BufferId, Builtin, Constant, Function, ImageOp, InstId, InstKind, Kernel, Module, Place,
    Root, Step, ValueId,
};
use crate::op::Op;
use crate::passes::eval;
use crate::types::{Scalar, Size, Type};

/// 2^32, which no 32-bit number reaches.
pub(super) const WORD: i128 = 1 << 32;
/// Definitions that a form is followed through.
const DEPTH: u32 = 64;

/// The forms of a kernel's values.
pub(super) struct Index<'m> {
    pub(super) module: &'m Module,
    pub(super) kernel: &'m Kernel,
    pub(super) function: &'m Function,
    pub(super) atoms: Atoms,
    definitions: Vec<Option<InstId>>,
    forms: Vec<Option<Form>>,
    depth: u32,
    pub(super) tickets: Tickets,
    /// The writes to cells that invocations may be the first to change.
    pub(super) firsts: Firsts,
    /// Conditions under which an invocation panics.
    traps: FastSet<ValueId>,
}

impl<'m> Index<'m> {
    pub(super) fn new(module: &'m Module, kernel: &'m Kernel, function: &'m Function) -> Self {
        let mut definitions = vec![None; function.values.len()];
        for (id, inst) in function.insts.iter() {
            inst.results.iter().for_each(|result| definitions[result.index()] = Some(id));
        }
        let traps = function.insts.iter().filter_map(|(_, inst)| match &inst.kind {
            InstKind::If { condition, then_block, .. } => {
                let first = function.blocks[*then_block].insts.first()?;
                matches!(function.insts[*first].kind, InstKind::Trap(..)).then_some(*condition)
            }
            _ => None,
        });
        let mut index = Self {
            module,
            kernel,
            function,
            atoms: Atoms::default(),
            definitions,
            forms: vec![None; function.values.len()],
            depth: 0,
            tickets: Tickets::default(),
            firsts: Firsts::default(),
            traps: traps.collect(),
        };
        index.firsts = Firsts::of(&index, function);
        index
    }

    pub(super) fn definition(&self, value: ValueId) -> Option<&'m InstKind> {
        self.definitions[value.index()].map(|id| &self.function.insts[id].kind)
    }

    /// The instruction that defines a value.
    pub(super) fn definition_id(&self, value: ValueId) -> Option<InstId> {
        self.definitions[value.index()]
    }

    /// The value that another one is a member of, as far as it was put together here.
    pub(super) fn origin(&self, mut value: ValueId) -> ValueId {
        let mut path: Vec<u32> = Vec::new();
        let mut at = value;
        // The path is from the value that is looked at now to the member.
        while let Some(definition) = self.definition(at) {
            match definition {
                InstKind::Extract(whole, steps) => {
                    path.splice(0..0, steps.iter().copied());
                    at = *whole;
                }
                InstKind::Compose(members) if !path.is_empty() => {
                    let Some(member) = members.get(path.remove(0) as usize) else { break };
                    at = *member;
                }
                _ => break,
            }
            if path.is_empty() {
                value = at;
            }
        }
        value
    }

    /// The form of a value that was asked for before.
    pub(super) fn form_known(&self, value: ValueId) -> Option<Form> {
        self.forms[value.index()].clone()
    }

    /// How many results the instruction has that defines a value.
    pub(super) fn results_with(&self, value: ValueId) -> usize {
        self.definitions[value.index()].map_or(0, |id| self.function.insts[id].results.len())
    }

    /// Whether a value is known to have this form.
    pub(super) fn is_defined_as(&self, value: ValueId, form: &Form) -> bool {
        self.forms[value.index()].as_ref() == Some(form)
    }

    /// Says what a value is before it is asked for.
    pub(super) fn define(&mut self, value: ValueId, form: Form) {
        self.forms[value.index()] = Some(form);
    }

    pub(super) fn scalar(&self, value: ValueId) -> Option<Scalar> {
        match *self.module.types.get(self.function.values[value].ty) {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The form of a value: of a 32-bit integer one that equals it modulo 2^32, of any other a number of its own.
    pub(super) fn form(&mut self, value: ValueId) -> Form {
        if let Some(form) = &self.forms[value.index()] {
            return form.clone();
        }
        let form = if self.depth >= DEPTH {
            self.atoms.free(Vec::new())
        } else {
            self.depth += 1;
            let form = self.define_form(value);
            self.depth -= 1;
            form.reduced()
        };
        self.forms[value.index()] = Some(form.clone());
        form
    }

    fn define_form(&mut self, value: ValueId) -> Form {
        let scalar = self.scalar(value);
        if !matches!(scalar, Some(Scalar::U32 | Scalar::I32)) {
            return match self.is_launch_wide(value) {
                true => self.atoms.uniform(Uniform::Value(value)),
                false => self.opaque(value),
            };
        }
        let Some(id) = self.definitions[value.index()] else { return self.opaque(value) };
        if let Some(ticket) = self.ticket(value) {
            return ticket;
        }
        let function = self.function;
        match &function.insts[id].kind {
            InstKind::Const(constant) => match eval::bits(*constant) {
                Some(bits) => Form::constant(i128::from(bits as u32)),
                None => self.opaque(value),
            },
            InstKind::Op(op, operands) => self.op(*op, operands, value, None),
            InstKind::Extract(composite, path) => self.member(*composite, path, value),
            InstKind::Param(param) => self.atoms.uniform(Uniform::Known(Bound::Param(*param, [].into()))),
            InstKind::ConstParam(param) => self.atoms.uniform(Uniform::Known(Bound::Constant(*param))),
            InstKind::Builtin(builtin) => self.builtin(*builtin, 0),
            InstKind::Len(buffer) => self.len(*buffer),
            InstKind::Load(place) => self.load(place, value),
            InstKind::Image(ImageOp::Size(axis), image, operands) if operands.is_empty() => {
                self.atoms.uniform(Uniform::Size(*image, *axis))
            }
            InstKind::If { then_block, else_block, condition } => {
                self.chosen(id, *condition, &[*then_block, *else_block], value)
            }
            _ => self.opaque(value),
        }
    }

    /// A number about which nothing is known but its type.
    fn opaque(&mut self, value: ValueId) -> Form {
        let below = match self.scalar(value) {
            Some(Scalar::Bool) => Some(2),
            Some(Scalar::U8) => Some(1 << 8),
            Some(Scalar::U16) => Some(1 << 16),
            _ => None,
        };
        self.atoms.free(below.map(|below| Limit::always(Form::constant(below))).into_iter().collect())
    }

    /// How many elements a buffer has.
    pub(super) fn len(&mut self, buffer: BufferId) -> Form {
        let uniform = match self.kernel.buffers[buffer].is_list {
            // Launches count the members of a list elsewhere.
            true => Uniform::Memory(buffer, Vec::new()),
            false => Uniform::Known(Bound::Len(buffer)),
        };
        self.atoms.uniform(uniform)
    }

    fn builtin(&mut self, builtin: Builtin, axis: u32) -> Form {
        let axis = axis.min(2) as u8;
        let (atom, below) = match builtin {
            Builtin::NumWorkgroups => return self.atoms.uniform(Uniform::Known(Bound::Groups(axis))),
            Builtin::WorkgroupSize => return self.width(axis),
            Builtin::SubgroupSize => {
                return match self.kernel.subgroup_size {
                    Some(size) => Form::constant(size.into()),
                    None => self.atoms.uniform(Uniform::Op(Op::Uniform, None, vec![Form::constant(0)])),
                };
            }
            Builtin::NumSubgroups => {
                return match self.subgroups() {
                    Some(count) => Form::constant(count.into()),
                    None => self.atoms.uniform(Uniform::Op(Op::Uniform, None, vec![Form::constant(1)])),
                };
            }
            Builtin::GlobalId => (Atom::Global(axis), vec![self.atoms.uniform(Uniform::Known(Bound::Items(axis)))]),
            Builtin::LocalId => (Atom::Local(axis), vec![self.width(axis)]),
            Builtin::WorkgroupId => (Atom::Group(axis), vec![self.atoms.uniform(Uniform::Known(Bound::Groups(axis)))]),
            Builtin::LocalIndex => {
                let [x, y, z] = [0, 1, 2].map(|axis| self.width(axis));
                (Atom::LocalIndex, vec![x.mul(&y).mul(&z)])
            }
            Builtin::SubgroupId => (Atom::Subgroup, vec![self.builtin(Builtin::NumSubgroups, 0)]),
            Builtin::SubgroupLocalId => {
                let lanes = self.builtin(Builtin::SubgroupSize, 0);
                (Atom::Lane, vec![lanes, Form::constant(128)])
            }
        };
        let single = below.first().and_then(Form::as_constant) == Some(1);
        if single {
            return Form::default();
        }
        let (id, is_new) = self.atoms.intern(atom);
        if is_new {
            below.into_iter().for_each(|below| self.atoms.limit(id, Limit::always(below)));
        }
        Form::atom(id)
    }

    /// Subgroups of a workgroup, where the kernel says how many invocations each has.
    fn subgroups(&self) -> Option<u32> {
        let widths = self.kernel.workgroup.iter().map(|width| width.known());
        Some(widths.product::<Option<u32>>()?.div_ceil(self.kernel.subgroup_size.filter(|size| *size > 0)?))
    }

    /// Invocations of a workgroup along an axis.
    pub(super) fn width(&mut self, axis: u8) -> Form {
        match self.kernel.workgroup[usize::from(axis)] {
            Size::Known(width) => Form::constant(width.into()),
            Size::Param(param) => self.atoms.uniform(Uniform::Known(Bound::Constant(param))),
        }
    }

    /// A member of a composite value.
    fn member(&mut self, composite: ValueId, path: &[u32], value: ValueId) -> Form {
        let Some(id) = self.definitions[composite.index()] else { return self.opaque(value) };
        let function = self.function;
        match &function.insts[id].kind {
            InstKind::Builtin(builtin) => self.builtin(*builtin, path.first().copied().unwrap_or(0)),
            InstKind::Compose(members) => match (path.split_first(), members.len()) {
                (Some((first, [])), _) if (*first as usize) < members.len() => self.form(members[*first as usize]),
                (Some((first, rest)), _) if (*first as usize) < members.len() => {
                    self.member(members[*first as usize], rest, value)
                }
                _ => self.opaque(value),
            },
            InstKind::Insert(whole, member, at) => {
                if path == &at[..] {
                    self.form(*member)
                } else if path.starts_with(at) {
                    self.member(*member, &path[at.len()..], value)
                } else if at.starts_with(path) {
                    self.opaque(value)
                } else {
                    self.member(*whole, path, value)
                }
            }
            InstKind::Extract(whole, outer) => {
                let path: Vec<u32> = outer.iter().chain(path).copied().collect();
                self.member(*whole, &path, value)
            }
            InstKind::Param(param) => self.atoms.uniform(Uniform::Known(Bound::Param(*param, path.to_vec().into()))),
            InstKind::Const(Constant::Zero) => Form::default(),
            InstKind::Op(op, operands) if path.len() == 1 => self.op(*op, operands, value, Some(path[0])),
            InstKind::Load(place) => self.load_member(place, value, path),
            _ => self.opaque(value),
        }
    }

    /// A lane of a vector of 32-bit integers.
    pub(super) fn lane(&mut self, vector: ValueId, lane: u32) -> Form {
        self.member(vector, &[lane], vector).reduced()
    }

    /// The form of an operand, or of a lane of it.
    fn operand(&mut self, operand: ValueId, lane: Option<u32>, like: ValueId) -> Form {
        match (lane, self.module.types.get(self.function.values[operand].ty)) {
            (Some(lane), Type::Vector(..)) => self.member(operand, &[lane], like),
            _ => self.form(operand),
        }
    }

    fn op(&mut self, op: Op, operands: &[ValueId], value: ValueId, lane: Option<u32>) -> Form {
        let from = operands.first().and_then(|operand| self.element(*operand));
        if !matches!(op, Op::Cast | Op::Bitcast | Op::Select)
            && operands.iter().any(|operand| !matches!(self.element(*operand), Some(Scalar::U32 | Scalar::I32)))
        {
            return self.other(op, operands, value, lane);
        }
        let is_unsigned = from == Some(Scalar::U32);
        let forms: Vec<Form> = operands.iter().map(|operand| self.operand(*operand, lane, value)).collect();
        match (op, &forms[..]) {
            (Op::Add, [a, b]) => match lane.is_none().then(|| self.rounded_up(value)).flatten() {
                Some(quotient) => quotient,
                None => a.add(b),
            },
            (Op::Sub, [a, b]) => a.sub(b),
            (Op::Neg, [a]) => a.scale(-1),
            (Op::Mul, [a, b]) if self.atoms.is_launch_wide(a) || self.atoms.is_launch_wide(b) => a.mul(b),
            (Op::Shl, [a, b]) => match (b.as_constant(), self.power(b)) {
                (Some(by), _) => a.scale(1 << (by & 31)),
                (None, Some(power)) => a.mul(&power),
                (None, None) => self.unknown(op, from, &forms, Vec::new()),
            },
            (Op::Div | Op::Shr, [_, b])
                if is_unsigned
                    && lane.is_none()
                    && b.as_constant() == Some(if op == Op::Div { 2 } else { 1 })
                    && self.side_of_triangle(operands[0]).is_some() =>
            {
                match self.side_of_triangle(operands[0]) {
                    Some(side) => Form::atom(self.atoms.intern(Atom::Triangle(side)).0),
                    None => self.opaque(value),
                }
            }
            (Op::Shr, [a, b]) if is_unsigned => match b.as_constant() {
                Some(by) => match self.part_of_reversed(a, (by & 31) as u32) {
                    Some(part) => part,
                    None => self.quotient(a, &Form::constant(1 << (by & 31))),
                },
                None => match self.power(b) {
                    Some(power) => self.quotient(a, &power),
                    None => self.unknown(op, from, &forms, Vec::new()),
                },
            },
            (Op::Div, [a, b]) if is_unsigned => self.quotient(a, b),
            (Op::Rem, [a, b]) if is_unsigned => self.remainder(a, b),
            (Op::And, [a, b]) => self.and(a, b),
            (Op::Or | Op::Xor, [a, b]) if self.are_apart(a, b) => a.add(b),
            (Op::Xor, [a, b]) if !self.atoms.is_launch_wide(a) && self.shifts(a, b).is_some() => self.mixed(a, b),
            (Op::Xor, [a, b]) if !self.atoms.is_launch_wide(b) && self.shifts(b, a).is_some() => self.mixed(b, a),
            (Op::ReverseBits, [a]) if is_unsigned && !self.atoms.is_launch_wide(a) => self.reversed(a, 0),
            (Op::Xor, [a, b]) if self.atoms.is_launch_wide(b) && !self.atoms.is_launch_wide(a) => self.exchanged(a, b),
            (Op::Xor, [a, b]) if self.atoms.is_launch_wide(a) && !self.atoms.is_launch_wide(b) => self.exchanged(b, a),
            (Op::Min, [a, b]) if is_unsigned => self.least(a, b),
            (Op::Select, [_, a, b]) if a == b => a.clone(),
            (Op::Select, [_, a, b]) => match self.truth(operands[0]) {
                Some(truth) => if truth { a } else { b }.clone(),
                // A divisor: where it would be zero, the invocation panics.
                None if a.as_constant() == Some(1) && self.is_trap_of_zero(operands[0], b) => b.clone(),
                None => match lane.is_none().then(|| self.rounded_up(value)).flatten() {
                    Some(quotient) => quotient,
                    None => self.either(&[a.clone(), b.clone()], value),
                },
            },
            (Op::Uniform, [a]) => a.clone(),
            (Op::Cast | Op::Bitcast, [a]) if matches!(from, Some(Scalar::U32 | Scalar::I32)) => a.clone(),
            (Op::Cast, [_]) if from == Some(Scalar::Bool) && self.truth(operands[0]).is_some() => {
                Form::constant(self.truth(operands[0]).unwrap_or_default().into())
            }
            (Op::Cast, [a]) if matches!(from, Some(Scalar::U8 | Scalar::U16 | Scalar::Bool)) => a.clone(),
            _ => self.unknown(op, from, &forms, Vec::new()),
        }
    }

    /// Whether a condition holds, where constants say it.
    pub(super) fn truth(&mut self, condition: ValueId) -> Option<bool> {
        let (op, operands) = match self.definition(condition)? {
            InstKind::Const(constant) => return eval::is_true(*constant),
            InstKind::Op(op, operands) => (*op, operands),
            _ => return None,
        };
        if op == Op::Not {
            return self.truth(operands[0]).map(|truth| !truth);
        }
        if !matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne) {
            return None;
        }
        let is_signed = match self.scalar(operands[0])? {
            Scalar::I32 => true,
            Scalar::U32 => false,
            _ => return None,
        };
        let number = |form: &Form| {
            form.as_constant().map(|number| if is_signed { i64::from(number as i32) } else { i64::from(number as u32) })
        };
        let a = number(&self.form(operands[0]))?;
        let b = number(&self.form(operands[1]))?;
        Some(match op {
            Op::Lt => a < b,
            Op::Le => a <= b,
            Op::Gt => a > b,
            Op::Ge => a >= b,
            Op::Eq => a == b,
            _ => a != b,
        })
    }

    /// Whether a condition says that a number is zero, and the invocation panics then.
    fn is_trap_of_zero(&mut self, condition: ValueId, number: &Form) -> bool {
        let Some(InstKind::Op(Op::Eq, operands)) = self.definition(condition) else { return false };
        self.traps.contains(&condition)
            && self.form(operands[1]).as_constant() == Some(0)
            && self.form(operands[0]) == *number
    }

    /// The scalar of a scalar or vector.
    fn element(&self, value: ValueId) -> Option<Scalar> {
        self.module.types.element_scalar(self.function.values[value].ty)
    }

    /// An operation on something else than 32-bit integers that gives one.
    fn other(&mut self, _op: Op, operands: &[ValueId], value: ValueId, lane: Option<u32>) -> Form {
        match lane.is_none() && operands.iter().all(|operand| self.is_launch_wide(*operand)) {
            true => self.atoms.uniform(Uniform::Value(value)),
            false => self.atoms.free(Vec::new()),
        }
    }

    /// An operation of which nothing is known but what it is below.
    pub(super) fn unknown(&mut self, op: Op, of: Option<Scalar>, forms: &[Form], limits: Vec<Limit>) -> Form {
        match forms.iter().all(|form| self.atoms.is_launch_wide(form)) {
            true => self.atoms.uniform(Uniform::Op(op, of, forms.to_vec())),
            false => self.atoms.free(limits),
        }
    }

    /// A quotient, of a divisor that is not zero.
    fn quotient(&mut self, a: &Form, by: &Form) -> Form {
        match (a.as_constant(), by.as_constant()) {
            (_, Some(1)) => return a.clone(),
            (Some(a), Some(by)) if a >= 0 && by > 0 => return Form::constant(a / by),
            _ => {}
        }
        if !self.atoms.is_launch_wide(by) {
            return self.atoms.free(Vec::new());
        }
        let mut requires = Vec::new();
        // The number must not wrap.
        let (added, taken) = a.halves();
        if !taken.is_zero() {
            requires.push(Less(taken, added.add(&Form::constant(1))));
        }
        requires.push(self.fits(&added));
        let bounds = (self.bound_of(a, &mut requires), self.atoms.bound(by, &mut requires));
        if self.atoms.is_launch_wide(a) {
            return match bounds {
                (Some(a), Some(by)) => self.atoms.computed(Bound::binary(BoundOp::Div, a, by), requires),
                _ => self.unknown(Op::Div, Some(Scalar::U32), &[a.clone(), by.clone()], Vec::new()),
            };
        }
        let (id, is_new) = self.atoms.intern(Atom::Quotient(a.clone(), by.clone()));
        if is_new {
            if let Some(by) = by.as_constant().filter(|by| *by > 0) {
                self.atoms.limit(id, Limit::always(Form::constant((WORD - 1) / by + 1)));
            }
            // No greater than the greatest dividend makes it.
            if let Some(most) = self.most(a) {
                let mut requires = Vec::new();
                let below = match (most.as_constant(), by.as_constant()) {
                    (Some(most), Some(by)) if by > 0 => Some(Form::constant(most / by + 1)),
                    _ => self.bound_of(&most, &mut requires).zip(self.atoms.bound(by, &mut requires)).map(
                        |(most, by)| {
                            let quotient = Bound::binary(BoundOp::Div, most, by);
                            self.atoms.computed(Bound::binary(BoundOp::Add, quotient, Bound::Const(1)), Vec::new())
                        },
                    ),
                };
                if let Some(below) = below {
                    self.atoms.limit(id, Limit { below, requires });
                }
            }
        }
        Form::atom(id)
    }

    /// A quotient of numbers of the launch that is rounded up, as the host computes it.
    fn rounded_up(&mut self, value: ValueId) -> Option<Form> {
        let (number, step) = self.steps(value)?;
        let (number, step) = (self.form(number), self.form(step));
        if !self.atoms.is_launch_wide(&number) || !self.atoms.is_launch_wide(&step) {
            return None;
        }
        let (added, taken) = number.halves();
        let mut requires = vec![self.fits(&added), self.fits(&step)];
        if !taken.is_zero() {
            requires.push(Less(taken, added.add(&Form::constant(1))));
        }
        let number = self.bound_of(&number, &mut requires)?;
        let step = self.atoms.bound(&step, &mut requires)?;
        let most = Bound::binary(BoundOp::Sub, step.clone(), Bound::Const(1));
        let quotient = Bound::binary(BoundOp::Div, Bound::binary(BoundOp::Add, number, most), step);
        Some(self.atoms.computed(quotient, requires))
    }

    /// The number and the step of a quotient that is rounded up: `n / s + (n % s != 0)`, or `div_ceil`.
    pub(super) fn steps(&self, count: ValueId) -> Option<(ValueId, ValueId)> {
        let op = |value: ValueId| match self.definition(value) {
            Some(InstKind::Op(op, operands)) => Some((*op, &operands[..])),
            _ => None,
        };
        let is_word = |value: ValueId| self.scalar(value) == Some(Scalar::U32);
        if let (Op::Select, [has_rest, up, whole]) = op(count)? {
            let (Op::Div, [number, step]) = op(*whole)? else { return None };
            let (Op::Add, [less, one]) = op(*up)? else { return None };
            let (Op::Ne, [rest, zero]) = op(*has_rest)? else { return None };
            let (Op::Sub, [of, product]) = op(*rest)? else { return None };
            let (Op::Mul, [times, by]) = op(*product)? else { return None };
            let is_same = of == number && by == step && times == whole && less == whole;
            let are_numbers = self.constant(*one) == Some(1) && self.constant(*zero) == Some(0);
            return (is_same && are_numbers && is_word(*number)).then_some((*number, *step));
        }
        let (Op::Add, [whole, more]) = op(count)? else { return None };
        let (Op::Div, [number, step]) = op(*whole)? else { return None };
        let has_rest = match op(*more)? {
            (Op::Cast, [has_rest]) => has_rest,
            (Op::Select, [has_rest, one, zero])
                if self.constant(*one) == Some(1) && self.constant(*zero) == Some(0) =>
            {
                has_rest
            }
            _ => return None,
        };
        let (Op::Ne, [rest, zero]) = op(*has_rest)? else { return None };
        let (Op::Rem, [of, by]) = op(*rest)? else { return None };
        let is_same = of == number && by == step && self.constant(*zero) == Some(0);
        (is_same && is_word(*number)).then_some((*number, *step))
    }

    /// The number that a constant is.
    pub(super) fn constant(&self, value: ValueId) -> Option<u32> {
        match self.definition(value) {
            Some(InstKind::Const(constant)) => eval::bits(*constant).map(|bits| bits as u32),
            _ => None,
        }
    }

    /// A remainder, of a divisor that is not zero.
    pub(super) fn remainder(&mut self, a: &Form, by: &Form) -> Form {
        match (a.as_constant(), by.as_constant()) {
            (_, Some(1)) => return Form::default(),
            (Some(a), Some(by)) if a >= 0 && by > 0 => return Form::constant(a % by),
            _ => {}
        }
        if !self.atoms.is_launch_wide(by) {
            return self.atoms.free(Vec::new());
        }
        if self.atoms.is_launch_wide(a) {
            return self.unknown(Op::Rem, Some(Scalar::U32), &[a.clone(), by.clone()], Vec::new());
        }
        let (id, is_new) = self.atoms.intern(Atom::Remainder(a.clone(), by.clone()));
        if is_new && by.is_natural() {
            self.atoms.limit(id, Limit::always(by.clone()));
        }
        Form::atom(id)
    }

    fn least(&mut self, a: &Form, b: &Form) -> Form {
        if self.atoms.is_launch_wide(a) && self.atoms.is_launch_wide(b) {
            let mut requires = vec![self.fits(a), self.fits(b)];
            return match (self.atoms.bound(a, &mut requires), self.atoms.bound(b, &mut requires)) {
                (Some(a), Some(b)) => self.atoms.computed(Bound::binary(BoundOp::Min, a, b), requires),
                _ => self.unknown(Op::Min, Some(Scalar::U32), &[a.clone(), b.clone()], Vec::new()),
            };
        }
        let limits = [a, b]
            .into_iter()
            .filter(|form| form.is_natural() && self.atoms.is_launch_wide(form))
            .map(|form| Limit::always(form.add(&Form::constant(1))))
            .collect();
        self.atoms.free(limits)
    }

    /// One of several numbers; which one, is not known.
    fn either(&mut self, forms: &[Form], value: ValueId) -> Form {
        if self.is_launch_wide(value) {
            return self.atoms.uniform(Uniform::Value(value));
        }
        let most: Option<Vec<i128>> = forms.iter().map(|form| self.most(form)?.as_constant()).collect();
        let below = most.and_then(|most| most.into_iter().max()).map(|most| Form::constant(most + 1));
        self.atoms.free(below.map(Limit::always).into_iter().collect())
    }

    /// The form of a branch's result.
    fn chosen(&mut self, id: InstId, condition: ValueId, blocks: &[BlockId], value: ValueId) -> Form {
        let function = self.function;
        let blocks = match self.truth(condition) {
            Some(true) => &blocks[..1],
            Some(false) => &blocks[1..],
            None => blocks,
        };
        let Some(at) = function.insts[id].results.iter().position(|result| *result == value) else {
            return self.opaque(value);
        };
        let mut forms = Vec::new();
        for block in blocks {
            if let Some(InstKind::Yield(values)) = crate::flow::terminator(function, *block) {
                match values.get(at) {
                    Some(value) => forms.push(self.form(*value)),
                    None => return self.opaque(value),
                }
            }
        }
        match forms.first().cloned() {
            Some(first) if forms.iter().all(|form| *form == first) => first,
            Some(_) => self.either(&forms, value),
            None => self.opaque(value),
        }
    }

    fn load(&mut self, place: &Place, value: ValueId) -> Form {
        self.load_member(place, value, &[])
    }

    fn load_member(&mut self, place: &Place, value: ValueId, path: &[u32]) -> Form {
        let Root::Buffer(buffer) = place.root else { return self.opaque(value) };
        if self.kernel.buffers[buffer].writable {
            return self.opaque(value);
        }
        let mut way = Vec::new();
        for step in &place.path {
            match *step {
                Step::Field(field) => way.push(Form::constant(field.into())),
                Step::Index { value, .. } => way.push(self.form(value)),
                Step::Element(_) => return self.opaque(value),
            }
        }
        way.extend(path.iter().map(|field| Form::constant((*field).into())));
        if way.iter().all(|form| self.atoms.is_launch_wide(form)) {
            return self.atoms.uniform(Uniform::Memory(buffer, way));
        }
        match way.as_slice() {
            [index] if self.kernel.buffers[buffer].is_distinct => {
                Form::atom(self.atoms.intern(Atom::Distinct(buffer, index.clone())).0)
            }
            _ => self.opaque(value),
        }
    }

    /// Whether a value of any type is computed from numbers of the launch only.
    pub(super) fn is_launch_wide(&mut self, value: ValueId) -> bool {
        self.is_launch_wide_within(value, 16)
    }

    fn is_launch_wide_within(&mut self, value: ValueId, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        let Some(id) = self.definitions[value.index()] else { return false };
        let function = self.function;
        let mut all = |values: &[ValueId]| values.iter().all(|value| self.is_launch_wide_within(*value, depth - 1));
        match &function.insts[id].kind {
            InstKind::Const(_) | InstKind::Param(_) | InstKind::ConstParam(_) | InstKind::Len(_) => true,
            InstKind::Builtin(builtin) => {
                matches!(
                    builtin,
                    Builtin::NumWorkgroups | Builtin::WorkgroupSize | Builtin::SubgroupSize | Builtin::NumSubgroups
                )
            }
            InstKind::Op(_, operands) | InstKind::Compose(operands) => all(operands),
            InstKind::Extract(composite, _) => all(&[*composite]),
            InstKind::Load(place) => match place.root {
                Root::Buffer(buffer) if !self.kernel.buffers[buffer].writable => {
                    let values: Vec<ValueId> = place.values().collect();
                    values.into_iter().all(|value| self.is_launch_wide_within(value, depth - 1))
                }
                _ => false,
            },
            InstKind::If { condition, then_block, else_block } => {
                if !self.is_launch_wide_within(*condition, depth - 1) {
                    return false;
                }
                let results = &function.insts[id].results;
                let Some(at) = results.iter().position(|result| *result == value) else { return false };
                [then_block, else_block].into_iter().all(|block| match crate::flow::terminator(function, *block) {
                    Some(InstKind::Yield(values)) => self.is_launch_wide_within(values[at], depth - 1),
                    _ => false,
                })
            }
            _ => false,
        }
    }

    /// The host's computation of a form that is not negative where any invocation has to do with it.
    pub(super) fn bound_of(&self, form: &Form, requires: &mut Vec<Less>) -> Option<Bound> {
        let (added, taken) = form.halves();
        let added = self.atoms.bound(&added, requires)?;
        Some(Bound::binary(BoundOp::Sub, added, self.atoms.bound(&taken, requires)?))
    }

    /// A form with numbers of the device, which the host does not know, at their greatest, and at zero where they are taken away.
    pub(super) fn at_most(&self, form: &Form) -> Form {
        let invocations =
            self.kernel.workgroup.iter().map(|width| width.known().map(i128::from)).product::<Option<i128>>();
        let mut sum = Form::default();
        let is_of_device =
            |atom: &AtomId| matches!(self.atoms.get(*atom), Atom::Uniform(Uniform::Op(Op::Uniform, None, _)));
        for (product, factor) in form.terms() {
            if *factor < 0 && product.iter().any(is_of_device) {
                continue;
            }
            let mut term = Form::constant(*factor);
            for atom in product.iter() {
                let most = match self.atoms.get(*atom) {
                    Atom::Uniform(Uniform::Op(Op::Uniform, None, which)) => match which[0].as_constant() {
                        Some(0) => Some(128),
                        _ => invocations,
                    },
                    _ => None,
                };
                term = term.mul(&most.map_or(Form::atom(*atom), Form::constant));
            }
            sum = sum.add(&term);
        }
        sum
    }

    /// The condition that a natural form is below 2^32, so that it is the number itself.
    pub(super) fn fits(&self, form: &Form) -> Less {
        Less(form.clone(), Form::constant(WORD))
    }

    /// The greatest value of a form over all invocations, as a form of the launch, by limits that always hold. Where there is one, the
    /// form is never negative.
    pub(super) fn most(&self, form: &Form) -> Option<Form> {
        if !form.is_natural() {
            return None;
        }
        let mut most = Form::default();
        for (product, factor) in form.terms() {
            let mut term = Form::constant(*factor);
            for atom in product.iter() {
                let limit = match self.atoms.is_uniform(*atom) {
                    true => Form::atom(*atom),
                    false => self.least_limit(*atom)?.sub(&Form::constant(1)),
                };
                term = term.mul(&limit);
            }
            most = most.add(&term);
        }
        Some(most)
    }

    /// The terms of a form that are numbers of the launch.
    pub(super) fn uniform_part(&self, form: &Form) -> Form {
        let is_uniform = |product: &Product| product.iter().all(|atom| self.atoms.is_uniform(*atom));
        Form::of(form.terms().iter().filter(|(product, _)| is_uniform(product)).cloned().collect())
    }

    fn least_limit(&self, atom: AtomId) -> Option<Form> {
        let always = self.atoms.limits(atom).iter().filter(|limit| limit.requires.is_empty()).map(|limit| &limit.below);
        always.min_by_key(|below| below.as_constant().unwrap_or(i128::MAX)).cloned()
    }
}
