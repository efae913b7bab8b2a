//! The accesses of a kernel to memory that other invocations reach, each with its index as a form and what is known where it stands.

use super::atoms::{Atom, Atoms, Less, Limit};
use super::form::{AtomId, Form};
use super::index::{Index, WORD};
use crate::arena::EntityId;
use crate::hash::FastMap;
use crate::ir::{
    Atomic, AtomicOp, BlockId, Bound, BoundOp, BufferId, CoopAccess, CoopLayout, Function, ImageOp, InstId, InstKind,
    Place, Root, SharedId, Step, ValueId,
};
use crate::op::Op;
use crate::types::{Scalar, Type};

/// The kind of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads in one piece.
    AtomicRead,
    /// Writes, or reads and writes, in one piece.
    AtomicWrite,
}

impl Kind {
    /// Whether two accesses of one cell, by different invocations and in no order, are a race.
    pub fn conflicts(self, other: Self) -> bool {
        let writes = |kind: Self| matches!(kind, Self::Write | Self::AtomicWrite);
        let is_atomic = |kind: Self| matches!(kind, Self::AtomicRead | Self::AtomicWrite);
        (writes(self) || writes(other)) && !(is_atomic(self) && is_atomic(other))
    }

    /// The kind in a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "written",
            Self::AtomicRead => "read atomically",
            Self::AtomicWrite => "written atomically",
        }
    }

    fn of_atomic(atomic: &Atomic) -> Self {
        if atomic.op.writes() { Self::AtomicWrite } else { Self::AtomicRead }
    }
}

/// Memory that several invocations reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A buffer, list or image.
    Buffer(BufferId),
    /// A variable of the workgroup.
    Shared(SharedId),
}

/// Something that holds where an access stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fact {
    /// A variable is below a limit.
    Below(AtomId, Limit),
    /// A form, as a whole number, is below a limit.
    Whole(Form, Limit),
    /// The number of 32 bits that a form is, is below a limit.
    Value(Form, Limit),
    /// A form equals a number of the launch, modulo 2^32.
    Equal(Form, Form),
}

/// An access.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub(super) inst: InstId,
    pub(super) object: Object,
    pub(super) kind: Kind,
    /// Whether all of a subgroup do it together.
    pub(super) is_of_subgroup: bool,
    /// Which member of a list, which element, which member of that, as far as it goes.
    pub(super) path: Vec<Form>,
    pub(super) facts: Vec<Fact>,
}

/// A loop that is walked.
#[derive(Debug, Default)]
struct Loop {
    /// Parameters that grow by the same number each round: their first values, and what they grow by.
    counters: Vec<(ValueId, Form, Form)>,
    /// Conditions that hold in every round that another one follows.
    heads: Vec<(ValueId, bool)>,
}

/// Walks a kernel.
pub(super) struct Walker<'i, 'm> {
    pub(super) index: &'i mut Index<'m>,
    facts: Vec<Fact>,
    pub(super) accesses: Vec<Access>,
    /// By loop: the values that continue it.
    next: FastMap<BlockId, Vec<&'m [ValueId]>>,
    /// The loops around, inner ones last.
    loops: Vec<Loop>,
    /// The loop around whose rounds all begin with the condition that is assumed.
    head: Option<usize>,
    /// A call whose accesses are not known.
    pub(super) unknown_call: Option<InstId>,
}

impl<'i, 'm> Walker<'i, 'm> {
    pub(super) fn new(index: &'i mut Index<'m>) -> Self {
        let mut next: FastMap<BlockId, Vec<&'m [ValueId]>> = FastMap::default();
        let function = index.function;
        for (_, inst) in function.insts.iter() {
            if let InstKind::Continue(body, values) = &inst.kind {
                next.entry(*body).or_default().push(values);
            }
        }
        Self { index, facts: Vec::new(), accesses: Vec::new(), next, loops: Vec::new(), head: None, unknown_call: None }
    }

    /// Walks the whole kernel.
    pub(super) fn run(&mut self) {
        self.note_tickets();
        self.block(self.index.function.entry);
    }

    /// Atomic additions of a fixed number outside of loops, to a cell that nothing else accesses in this kernel.
    fn note_tickets(&mut self) {
        let function = self.index.function;
        let mut counts: FastMap<Root, usize> = FastMap::default();
        let mut adds = Vec::new();
        let mut in_order = Vec::new();
        collect(function, function.entry, false, &mut in_order);
        for (id, in_loop) in in_order {
            let kind = &function.insts[id].kind;
            let Some(place) = kind.place() else { continue };
            if !matches!(place.root, Root::Buffer(_)) {
                continue;
            }
            *counts.entry(place.root).or_default() += 1;
            if let InstKind::Atomic(atomic) = kind
                && atomic.op == AtomicOp::Add
                && !in_loop
            {
                adds.push((id, atomic));
            }
        }
        for (id, atomic) in adds {
            let is_alone = counts.get(&atomic.place.root) == Some(&1);
            let is_fixed = atomic.place.values().all(|value| self.index.is_launch_wide(value));
            let by = self.index.form(atomic.operands[0]).as_constant();
            let is_word = self.index.scalar(atomic.operands[0]) == Some(Scalar::U32);
            if is_alone && is_fixed && is_word && by.is_some_and(|by| (1..1 << 31).contains(&by)) {
                self.index.note_ticket(id);
            }
        }
    }

    fn block(&mut self, block: BlockId) {
        let mark = self.facts.len();
        let function = self.index.function;
        for &id in &function.blocks[block].insts {
            let inst = &function.insts[id];
            match &inst.kind {
                InstKind::If { condition, then_block, else_block } => self.branch(*condition, *then_block, *else_block),
                InstKind::Switch { selector, cases, default } => self.switch(*selector, cases, *default),
                InstKind::Loop { initial, body, .. } => self.enter_loop(initial, *body),
                InstKind::Call(callee, _) => self.call(id, *callee),
                kind => self.access(id, kind),
            }
        }
        self.facts.truncate(mark);
    }

    fn branch(&mut self, condition: ValueId, then_block: BlockId, else_block: BlockId) {
        let function = self.index.function;
        for (block, truth) in [(then_block, true), (else_block, false)] {
            let mark = self.facts.len();
            self.assume_branch(condition, truth);
            self.block(block);
            self.facts.truncate(mark);
        }
        // Where one block leaves, the code behind runs only after the other.
        match [then_block, else_block].map(|block| crate::flow::yields(function, block)) {
            [false, true] => self.assume_branch(condition, false),
            [true, false] => self.assume_branch(condition, true),
            _ => {}
        }
    }

    fn assume_branch(&mut self, condition: ValueId, truth: bool) {
        self.head = self.loops.iter().rposition(|around| around.heads.contains(&(condition, truth)));
        self.assume(condition, truth, 8);
        self.head = None;
    }

    fn switch(&mut self, selector: ValueId, cases: &[(u32, BlockId)], default: BlockId) {
        let form = self.index.form(selector);
        for (number, case) in cases {
            let mark = self.facts.len();
            self.facts.push(Fact::Equal(form.clone(), Form::constant((*number).into()).reduced()));
            self.block(*case);
            self.facts.truncate(mark);
        }
        self.block(default);
    }

    /// Says what the loop's parameters are: those that grow by the same number each round are counters.
    fn enter_loop(&mut self, initial: &[ValueId], body: BlockId) {
        let function = self.index.function;
        let next = self.next.get(&body).cloned().unwrap_or_default();
        let round = Form::atom(self.index.atoms.intern(Atom::Round(body.index() as u32)).0);
        let mut counters = Vec::new();
        for (at, (param, first)) in function.blocks[body].params.iter().zip(initial).enumerate() {
            if !matches!(self.index.scalar(*param), Some(Scalar::U32 | Scalar::I32)) {
                continue;
            }
            let steps: Option<Vec<Form>> = next.iter().map(|values| self.step(*param, *values.get(at)?)).collect();
            let Some(step) = steps.filter(|steps| steps.windows(2).all(|pair| pair[0] == pair[1])) else { continue };
            let first = self.index.form(*first);
            match step.first() {
                // It is never changed.
                Some(step) if step.is_zero() => self.index.define(*param, first),
                Some(step) => {
                    self.index.define(*param, first.add(&step.mul(&round)).reduced());
                    counters.push((*param, first, step.clone()));
                }
                None => self.index.define(*param, first),
            }
        }
        self.loops.push(Loop { counters, heads: heads(function, body) });
        self.block(body);
        self.loops.pop();
    }

    /// The step from a parameter to its next value, if it is a number of the launch.
    fn step(&mut self, param: ValueId, next: ValueId) -> Option<Form> {
        if next == param {
            return Some(Form::default());
        }
        let InstKind::Op(op, operands) = self.index.definition(next)? else { return None };
        let by = match (op, &operands[..]) {
            (Op::Add, [a, b]) if *a == param => *b,
            (Op::Add, [a, b]) if *b == param => *a,
            (Op::Sub, [a, b]) if *a == param => {
                let by = self.launch_wide_form(*b)?;
                return Some(by.scale(-1).reduced());
            }
            _ => return None,
        };
        self.launch_wide_form(by)
    }

    fn launch_wide_form(&mut self, value: ValueId) -> Option<Form> {
        // A form that speaks of parameters of this loop must not be asked for before these are defined.
        if !self.index.is_launch_wide(value) {
            return None;
        }
        let form = self.index.form(value);
        Some(form).filter(|form| self.index.atoms.is_launch_wide(form))
    }

    /// Notes what follows from a condition.
    fn assume(&mut self, condition: ValueId, truth: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let function = self.index.function;
        match self.index.definition(condition) {
            Some(InstKind::Op(op, operands)) => match (op, &operands[..], truth) {
                (Op::Not, [a], _) => self.assume(*a, !truth, depth),
                (Op::And, [a, b], true) | (Op::Or, [a, b], false) => {
                    self.assume(*a, truth, depth);
                    self.assume(*b, truth, depth);
                }
                (Op::Lt, [a, b], true) | (Op::Ge, [a, b], false) => self.below(*a, *b, 0),
                (Op::Gt, [a, b], true) | (Op::Le, [a, b], false) => self.below(*b, *a, 0),
                (Op::Le, [a, b], true) | (Op::Gt, [a, b], false) => self.below(*a, *b, 1),
                (Op::Ge, [a, b], true) | (Op::Lt, [a, b], false) => self.below(*b, *a, 1),
                (Op::Eq, [a, b], true) | (Op::Ne, [a, b], false) => self.equal(*a, *b),
                (Op::All, [lanes], true) => self.equal_lanes(*lanes),
                _ => {}
            },
            // `a && b` and `a || b`.
            Some(InstKind::If { condition: first, then_block, else_block }) => {
                let constant = |block: BlockId| {
                    let yielded = match crate::flow::terminator(function, block)? {
                        InstKind::Yield(values) => *values.first()?,
                        _ => return None,
                    };
                    match self.index.definition(yielded) {
                        Some(InstKind::Const(constant)) => crate::passes::eval::is_true(*constant),
                        _ => None,
                    }
                };
                let last = |block: BlockId| match crate::flow::terminator(function, block) {
                    Some(InstKind::Yield(values)) => values.first().copied(),
                    _ => None,
                };
                let [yes, no] = [*then_block, *else_block].map(constant);
                if self.index.results_with(condition) != 1 {
                    return;
                }
                if no == Some(!truth) {
                    self.assume(*first, true, depth);
                    last(*then_block).into_iter().for_each(|value| self.assume(value, truth, depth));
                } else if yes == Some(!truth) {
                    self.assume(*first, false, depth);
                    last(*else_block).into_iter().for_each(|value| self.assume(value, truth, depth));
                }
            }
            _ => {}
        }
    }

    /// Notes that `a < b + more`, of unsigned numbers.
    fn below(&mut self, a: ValueId, b: ValueId, more: i128) {
        if self.index.scalar(a) != Some(Scalar::U32) {
            return;
        }
        // What is below the smaller of two is below both.
        if let Some(InstKind::Op(Op::Min, operands)) = self.index.definition(b) {
            operands.iter().for_each(|operand| self.below(a, *operand, more));
        }
        let (low, high) = (self.index.form(a), self.index.form(b));
        let below = high.add(&Form::constant(more));
        self.below_forms(&low, &below);
    }

    fn below_forms(&mut self, low: &Form, below: &Form) {
        let atoms = &self.index.atoms;
        if atoms.is_launch_wide(below) {
            let Some(limit) = self.limit(below) else { return };
            match low.as_atom().filter(|atom| !matches!(self.index.atoms.get(*atom), Atom::Round(_))) {
                Some(atom) => self.facts.push(Fact::Below(atom, limit)),
                None => {
                    self.facts.push(Fact::Value(low.clone(), limit.clone()));
                    self.count(low, &limit);
                }
            }
        } else if let Some((atom, factor, rest)) = difference(&self.index.atoms, below, low) {
            // Both are whole numbers, if neither wraps: so many steps fit between them.
            let Some(mut requires) = self.stays_whole(low, below) else { return };
            let Some(most) = self.index.most(below) else { return };
            requires.push(Less(most, Form::constant(WORD)));
            let Some(mut limit) = self.natural(&rest) else { return };
            limit.requires.extend(requires);
            if let Some(limit) = self.divided(limit, factor) {
                self.facts.push(Fact::Below(atom, limit));
            }
        }
    }

    /// Conditions under which a form below an end is a whole number that did not wrap.
    fn stays_whole(&self, low: &Form, end: &Form) -> Option<Vec<Less>> {
        if let Some((_, first, step)) = self.counter(low) {
            // It was below the end in all rounds before, so that only the last step could wrap.
            let (first, end) = (self.index.most(first)?, self.index.most(end)?);
            let last = end.add(step);
            return step
                .is_natural()
                .then(|| vec![Less(first, Form::constant(WORD)), Less(last, Form::constant(WORD + 1))]);
        }
        Some(vec![Less(self.index.most(low)?, Form::constant(WORD))])
    }

    /// The counter that a form is, if the condition that is assumed held in all rounds before.
    fn counter(&self, form: &Form) -> Option<&(ValueId, Form, Form)> {
        let around = &self.loops[self.head?];
        around.counters.iter().find(|(param, ..)| self.index.is_defined_as(*param, form))
    }

    /// A limit that is no number of 32 bits, but exact: where it were negative, nobody would be below it.
    fn natural(&mut self, below: &Form) -> Option<Limit> {
        if below.is_natural() {
            return Some(Limit::always(below.clone()));
        }
        let mut requires = Vec::new();
        let bound = self.index.bound_of(below, &mut requires)?;
        Some(Limit { below: self.index.atoms.computed(bound, Vec::new()), requires })
    }

    /// A limit that is a form of the launch.
    fn limit(&mut self, below: &Form) -> Option<Limit> {
        if below.is_natural() {
            return Some(Limit::always(below.clone()));
        }
        let mut limit = self.natural(below)?;
        let (added, taken) = below.halves();
        // The number must not wrap around below zero.
        limit.requires.push(Less(taken, added.add(&Form::constant(1))));
        Some(limit)
    }

    /// A limit of a number of steps of a size.
    fn divided(&mut self, limit: Limit, factor: i128) -> Option<Limit> {
        if factor == 1 {
            return Some(limit);
        }
        let Limit { below, mut requires } = limit;
        if let Some(below) = below.as_constant() {
            return Some(Limit { below: Form::constant((below + factor - 1) / factor), requires });
        }
        let up = below.add(&Form::constant(factor - 1));
        let bound = self.index.atoms.bound(&up, &mut requires)?;
        let by = Bound::Const(u32::try_from(factor).ok()?);
        let below = self.index.atoms.computed(Bound::binary(BoundOp::Div, bound, by), Vec::new());
        Some(Limit { below, requires })
    }

    /// Notes how often a counter went round that is below a limit.
    fn count(&mut self, counter: &Form, limit: &Limit) {
        let Some((_, first, step)) = self.counter(counter).cloned() else { return };
        let Some(mut requires) = self.stays_whole(counter, &limit.below) else { return };
        requires.extend(limit.requires.iter().cloned());
        self.facts.push(Fact::Whole(counter.clone(), Limit { below: limit.below.clone(), requires: requires.clone() }));
        if !self.index.atoms.is_launch_wide(&first) {
            return;
        }
        let round = counter.sub(&first);
        let (Some((product, _)), Some(step)) = (round.terms().first(), step.as_constant()) else { return };
        let Some(mut rounds) = self.natural(&limit.below.sub(&first)) else { return };
        rounds.requires.extend(requires);
        if let Some(rounds) = self.divided(rounds, step) {
            self.facts.push(Fact::Below(product[0], rounds));
        }
    }

    fn equal(&mut self, a: ValueId, b: ValueId) {
        if !matches!(self.index.scalar(a), Some(Scalar::U32 | Scalar::I32)) {
            return;
        }
        let (a, b) = (self.index.form(a), self.index.form(b));
        self.equal_forms(&a, &b);
    }

    fn equal_forms(&mut self, a: &Form, b: &Form) {
        for (a, b) in [(a, b), (b, a)] {
            if self.index.atoms.is_launch_wide(b) && !self.index.atoms.is_launch_wide(a) {
                self.facts.push(Fact::Equal(a.clone(), b.clone()));
            }
        }
    }

    /// Notes that vectors are equal.
    fn equal_lanes(&mut self, lanes: ValueId) {
        let Some(InstKind::Op(Op::Eq, operands)) = self.index.definition(lanes) else { return };
        let Type::Vector(Scalar::U32 | Scalar::I32, count) =
            *self.index.module.types.get(self.index.function.values[operands[0]].ty)
        else {
            return;
        };
        for lane in 0..u32::from(count) {
            let [a, b] = [operands[0], operands[1]].map(|vector| self.index.lane(vector, lane));
            self.equal_forms(&a, &b);
        }
    }

    fn call(&mut self, id: InstId, callee: crate::ir::FunctionId) {
        let touches = self.index.module.functions[callee].insts.iter().any(|(_, inst)| match &inst.kind {
            InstKind::Call(..) => true,
            InstKind::Image(..) => true,
            kind => kind.place().is_some_and(|place| !matches!(place.root, Root::Local(_))),
        });
        if touches {
            self.unknown_call = self.unknown_call.or(Some(id));
        }
    }

    fn access(&mut self, id: InstId, kind: &'m InstKind) {
        let what = match kind {
            InstKind::Load(_) | InstKind::CoopLoad(_) => Kind::Read,
            InstKind::Store(..) | InstKind::CoopStore(..) => Kind::Write,
            InstKind::Atomic(atomic) => Kind::of_atomic(atomic),
            InstKind::Image(op, image, operands) => return self.image(id, *op, *image, operands),
            _ => return,
        };
        let (Some(place), coop) = (kind.place(), coop_access(kind)) else { return };
        let object = match place.root {
            Root::Local(_) => return,
            Root::Buffer(buffer) | Root::Member(buffer, _) => {
                if !self.index.kernel.buffers[buffer].writable {
                    return;
                }
                Object::Buffer(buffer)
            }
            Root::Shared(shared) => Object::Shared(shared),
        };
        let mut path = if matches!(object, Object::Buffer(_)) { self.path(place) } else { Vec::new() };
        if let Some(access) = coop {
            self.spread(kind, access, &mut path);
        }
        self.push(Access { inst: id, object, kind: what, is_of_subgroup: coop.is_some(), path, facts: Vec::new() });
    }

    fn push(&mut self, access: Access) {
        // Variables of the workgroup are looked at elsewhere.
        let facts = match access.object {
            Object::Buffer(_) => self.facts.clone(),
            Object::Shared(_) => Vec::new(),
        };
        self.accesses.push(Access { facts, ..access });
    }

    fn path(&mut self, place: &Place) -> Vec<Form> {
        let mut path = Vec::new();
        if let Root::Member(_, member) = place.root {
            path.push(self.index.form(member));
        }
        for step in &place.path {
            path.push(match *step {
                Step::Field(field) => Form::constant(field.into()),
                Step::Index { value, .. } => self.index.form(value),
                Step::Element(_) => break,
            });
        }
        path
    }

    /// Puts all cells of a matrix in the place of the last.
    fn spread(&mut self, kind: &InstKind, access: &CoopAccess, path: &mut [Form]) {
        let Some(last) = path.last_mut() else { return };
        let first = self.index.form(access.first);
        let stride = self.index.form(access.stride);
        let shape = match kind {
            InstKind::CoopStore(_, value) => Some(*value),
            InstKind::CoopLoad(_) => None,
            _ => None,
        };
        let ty = shape.map(|value| self.index.function.values[value].ty).or_else(|| {
            let function = self.index.function;
            function
                .insts
                .iter()
                .find(|(_, inst)| std::ptr::eq(&inst.kind, kind))
                .and_then(|(_, inst)| inst.results.first().map(|result| function.values[*result].ty))
        });
        let Some(Type::Coop(ty)) = ty.map(|ty| self.index.module.types.get(ty)) else {
            *last = self.index.atoms.free(Vec::new());
            return;
        };
        let (lines, len) = match access.layout {
            CoopLayout::RowMajor => (ty.rows, ty.columns),
            CoopLayout::ColumnMajor => (ty.columns, ty.rows),
        };
        // Cells are no smaller than a byte, and elements no larger than eight.
        let cells = self.cells_of_line(access, len, ty.scalar);
        let mut free = |below: u32| self.index.atoms.free(vec![Limit::always(Form::constant(below.into()))]);
        let (line, cell) = (free(lines), free(cells));
        let all = first.add(&line.mul(&stride)).add(&cell);
        *last = match self.index.atoms.is_launch_wide(&stride) {
            true => all.reduced(),
            false => self.index.atoms.free(Vec::new()),
        };
    }

    /// How many cells of memory a line of so many elements has.
    fn cells_of_line(&self, access: &CoopAccess, len: u32, scalar: Scalar) -> u32 {
        let ty = crate::typing::place_type(self.index.module, self.index.function, &access.place).ok();
        let bytes = match ty.map(|ty| self.index.module.types.get(ty)) {
            Some(Type::Scalar(cell)) => cell.bits() / 8,
            Some(Type::Vector(cell, lanes)) => cell.bits() / 8 * u32::from(*lanes),
            _ => 1,
        };
        (len * scalar.bits() / 8).div_ceil(bytes.max(1))
    }

    fn image(&mut self, id: InstId, op: ImageOp, image: BufferId, operands: &[ValueId]) {
        let buffer = &self.index.kernel.buffers[image];
        let kind = match op {
            ImageOp::Load => Kind::Read,
            ImageOp::Store => Kind::Write,
            _ => return,
        };
        if !buffer.writable {
            return;
        }
        let dimensions = buffer.image.map_or(0, |image| usize::from(image.dimensions)) + usize::from(buffer.is_list);
        let path = operands[..dimensions.min(operands.len())].to_vec();
        let path = path.into_iter().map(|value| self.index.form(value)).collect();
        let object = Object::Buffer(image);
        self.push(Access { inst: id, object, kind, is_of_subgroup: false, path, facts: Vec::new() });
    }
}

fn coop_access(kind: &InstKind) -> Option<&CoopAccess> {
    match kind {
        InstKind::CoopLoad(access) | InstKind::CoopStore(access, _) => Some(access),
        _ => None,
    }
}

/// All instructions in order, and whether they stand in a loop.
pub(super) fn collect(function: &crate::ir::Function, block: BlockId, in_loop: bool, into: &mut Vec<(InstId, bool)>) {
    for &id in &function.blocks[block].insts {
        into.push((id, in_loop));
        let kind = &function.insts[id].kind;
        let in_loop = in_loop || matches!(kind, InstKind::Loop { .. });
        for inner in kind.blocks() {
            collect(function, inner, in_loop, into);
        }
    }
}

/// The difference of two forms, where it is a number of the launch less so many times one variable.
fn difference(atoms: &Atoms, high: &Form, low: &Form) -> Option<(AtomId, i128, Form)> {
    let difference = high.sub(low);
    let mut varying =
        difference.terms().iter().filter(|(product, _)| product.iter().any(|atom| !atoms.is_uniform(*atom)));
    let (product, factor) = varying.next().filter(|(product, factor)| product.len() == 1 && *factor < 0)?;
    if varying.next().is_some() {
        return None;
    }
    let rest = difference.sub(&Form::of(vec![(product.clone(), *factor)]));
    Some((product[0], -factor, rest))
}

/// The conditions that hold in every round of a loop that another one follows.
fn heads(function: &Function, body: BlockId) -> Vec<(ValueId, bool)> {
    let mut heads = Vec::new();
    for id in &function.blocks[body].insts {
        let kind = &function.insts[*id].kind;
        if let InstKind::If { condition, then_block, else_block } = kind {
            for (leave, stay) in [(*then_block, false), (*else_block, true)] {
                if !crate::flow::yields(function, leave) && !continues(function, leave, body) {
                    heads.push((*condition, stay));
                }
            }
        }
        if kind.blocks().iter().any(|inner| continues(function, *inner, body)) {
            break;
        }
    }
    heads
}

/// Whether a block has a `continue` of a loop.
fn continues(function: &Function, block: BlockId, body: BlockId) -> bool {
    function.blocks[block].insts.iter().any(|id| match &function.insts[*id].kind {
        InstKind::Continue(target, _) => *target == body,
        kind => kind.blocks().iter().any(|inner| continues(function, *inner, body)),
    })
}
