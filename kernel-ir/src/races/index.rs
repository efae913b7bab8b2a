//! Values as forms: what each 32-bit integer of a kernel is, as a polynomial over atoms. It looks at definitions only, not at control.

use super::atoms::{Atom, Atoms, Limit, Uniform};
use super::firsts::Firsts;
use super::form::Form;
use super::tickets::Tickets;
use crate::arena::EntityId;
use crate::hash::FastSet;
use crate::ir::{
    BlockId, Bound, BufferId, Builtin, Checked, Constant, Function, ImageOp, InstId, InstKind, Kernel, Module, Place,
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
    pub(super) traps: FastSet<ValueId>,
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
    pub(super) fn opaque(&mut self, value: ValueId) -> Form {
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
    pub(super) fn operand(&mut self, operand: ValueId, lane: Option<u32>, like: ValueId) -> Form {
        match (lane, self.module.types.get(self.function.values[operand].ty)) {
            (Some(lane), Type::Vector(..)) => self.member(operand, &[lane], like),
            _ => self.form(operand),
        }
    }

    /// The scalar of a scalar or vector.
    pub(super) fn element(&self, value: ValueId) -> Option<Scalar> {
        self.module.types.element_scalar(self.function.values[value].ty)
    }

    /// The number that a constant is.
    pub(super) fn constant(&self, value: ValueId) -> Option<u32> {
        match self.definition(value) {
            Some(InstKind::Const(constant)) => eval::bits(*constant).map(|bits| bits as u32),
            _ => None,
        }
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
                Step::Element(_) | Step::Joined { .. } => return self.opaque(value),
            }
        }
        way.extend(path.iter().map(|field| Form::constant((*field).into())));
        if way.iter().all(|form| self.atoms.is_launch_wide(form)) {
            return self.atoms.uniform(Uniform::Memory(buffer, way));
        }
        match way.as_slice() {
            [index] => {
                let atom = match self.kernel.buffers[buffer].checked {
                    Some(Checked::Distinct) => Atom::Distinct(buffer, index.clone()),
                    Some(Checked::Offsets) => Atom::Offset(buffer, index.clone()),
                    None => return self.opaque(value),
                };
                Form::atom(self.atoms.intern(atom).0)
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
}
