//! The accesses of a kernel to memory that other invocations reach, each with its index as a form and what is known where it stands.

use std::rc::Rc;

use super::atoms::{Atom, Less, Limit};
use super::firsts::Change;
use super::form::{AtomId, Form};
use super::index::Index;
use super::offsets::Row;
use crate::arena::EntityId;
use crate::hash::{FastMap, FastSet};
use crate::ir::{
    Atomic, BlockId, BufferId, CoopAccess, CoopLayout, Function, ImageOp, InstId, InstKind, Place, Root, SharedId,
    Step, ValueId,
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
    /// A number of 32 bits is below another one.
    Order(Form, Form),
    /// The number of 32 bits that a form is, lies in a row.
    Row(Form, Row),
    /// A number of 32 bits with sign is not negative.
    Natural(Form),
    /// The invocation is the one of its subgroup that this value says is elected.
    Elected(ValueId),
    /// The launch decides that a condition holds, or that it does not.
    Chosen(ValueId, bool),
    /// A condition holds that says how long a range of tickets is.
    Holds(ValueId),
    /// The invocation was the first to change a cell, named by an object and a path.
    First(Object, Change, Vec<Form>),
}

/// An access.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub(super) inst: InstId,
    pub(super) object: Object,
    pub(super) kind: Kind,
    /// Whether all of a subgroup do it together.
    pub(super) is_of_subgroup: bool,
    /// The member of a list, the element, the member of that, as far as it goes.
    pub(super) path: Vec<Form>,
    pub(super) facts: Rc<[Fact]>,
}

/// A loop that is walked.
#[derive(Debug, Default)]
pub(super) struct Loop {
    /// Parameters that grow by the same number each round: their first values, and what they grow by.
    pub(super) counters: Vec<(ValueId, Form, Form)>,
    /// Conditions that hold in every round that another one follows.
    pub(super) heads: Vec<(ValueId, bool)>,
}

/// Walks a kernel.
pub(super) struct Walker<'i, 'm> {
    pub(super) index: &'i mut Index<'m>,
    pub(super) facts: Vec<Fact>,
    /// The facts, unless others came since.
    shared_facts: Option<Rc<[Fact]>>,
    pub(super) accesses: Vec<Access>,
    /// By loop: the values that continue it.
    next: FastMap<BlockId, Vec<&'m [ValueId]>>,
    /// The loops around, inner ones last.
    pub(super) loops: Vec<Loop>,
    /// The loop around whose rounds all begin with the condition that is assumed.
    pub(super) head: Option<usize>,
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
        Self {
            index,
            facts: Vec::new(),
            shared_facts: None,
            accesses: Vec::new(),
            next,
            loops: Vec::new(),
            head: None,
            unknown_call: None,
        }
    }

    /// Walks the whole kernel.
    pub(super) fn run(&mut self) {
        self.note_tickets();
        self.block(self.index.function.entry);
    }

    pub(super) fn note(&mut self, mut fact: Fact) {
        if let Fact::Below(_, limit) | Fact::Whole(_, limit) | Fact::Value(_, limit) = &mut fact {
            let is_open = |Less(low, high): &Less| {
                low.as_constant().zip(high.as_constant()).is_none_or(|(low, high)| low >= high)
            };
            limit.requires.retain(is_open);
        }
        if !self.facts.contains(&fact) {
            self.facts.push(fact);
            self.shared_facts = None;
        }
    }

    pub(super) fn forget(&mut self, mark: usize) {
        if self.facts.len() > mark {
            self.facts.truncate(mark);
            self.shared_facts = None;
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
        self.forget(mark);
    }

    fn branch(&mut self, condition: ValueId, then_block: BlockId, else_block: BlockId) {
        let function = self.index.function;
        for (block, truth) in [(then_block, true), (else_block, false)] {
            let mark = self.facts.len();
            self.assume_branch(condition, truth);
            self.block(block);
            self.forget(mark);
        }
        // Where one block leaves, the code behind runs only after the other.
        match [then_block, else_block].map(|block| crate::flow::yields(function, block)) {
            [false, true] => self.assume_branch(condition, false),
            [true, false] => self.assume_branch(condition, true),
            _ => {}
        }
    }

    fn switch(&mut self, selector: ValueId, cases: &[(u32, BlockId)], default: BlockId) {
        let form = self.index.form(selector);
        for (number, case) in cases {
            let mark = self.facts.len();
            self.note(Fact::Equal(form.clone(), Form::constant((*number).into()).reduced()));
            self.block(*case);
            self.forget(mark);
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
        let mark = self.facts.len();
        if next.len() == 1 {
            self.note_last(&counters, body);
        }
        self.loops.push(Loop { counters, heads: heads(function, body) });
        self.block(body);
        self.loops.pop();
        self.forget(mark);
    }

    /// Notes that a counter stays below an end with which the last round begins: `for i in first..=last`. Another round follows only where
    /// the counter, which grows by one, is not there yet.
    fn note_last(&mut self, counters: &[(ValueId, Form, Form)], body: BlockId) {
        let function = self.index.function;
        let insts = function.blocks[body].insts.iter().map(|id| &function.insts[*id].kind);
        let Some(InstKind::If { condition, then_block, .. }) =
            insts.rev().find(|kind| !matches!(kind, InstKind::Unreachable))
        else {
            return;
        };
        let leaves = |kind: &InstKind| matches!(kind, InstKind::Break(of, _) if *of == body);
        if !function.blocks[*then_block].insts.first().is_some_and(|id| leaves(&function.insts[*id].kind)) {
            return;
        }
        let Some(InstKind::Op(Op::Eq, operands)) = self.index.definition(*condition) else { return };
        let [param, last] = operands[..] else { return };
        let Some((_, first, step)) = counters.iter().find(|(counter, ..)| *counter == param) else { return };
        if first.is_zero() && step.as_constant() == Some(1) && self.is_outside(last, body) {
            let (counter, last) = (self.index.form(param), self.index.form(last));
            if !self.index.atoms.is_launch_wide(&last) && last.as_atom().is_some() {
                self.note(Fact::Order(counter, last.add(&Form::constant(1)).reduced()));
            }
        }
        let Some(last) = self.launch_wide_form(last).filter(|_| step.as_constant() == Some(1)) else { return };
        if self.index.scalar(param) != Some(Scalar::U32) || !(first.is_zero() || self.is_no_greater(first, &last)) {
            return;
        }
        let round = self.index.atoms.intern(Atom::Round(body.index() as u32)).0;
        if let Some(rounds) = self.natural(&last.sub(first).add(&Form::constant(1))) {
            self.note(Fact::Below(round, rounds));
        }
    }

    /// Whether a value is there before a loop begins, so that it is the same in all rounds.
    fn is_outside(&self, value: ValueId, body: BlockId) -> bool {
        let Some(id) = self.index.definition_id(value) else { return false };
        let (mut left, mut seen) = (vec![body], FastSet::default());
        while let Some(block) = left.pop() {
            if !seen.insert(block) {
                continue;
            }
            for inner in &self.index.function.blocks[block].insts {
                if *inner == id {
                    return false;
                }
                left.extend(self.index.function.insts[*inner].kind.blocks());
            }
        }
        true
    }

    /// Whether a condition that the launch chose says that one number is no greater than another one.
    fn is_no_greater(&mut self, low: &Form, high: &Form) -> bool {
        let chosen: Vec<ValueId> = self
            .facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::Chosen(condition, true) => Some(*condition),
                _ => None,
            })
            .collect();
        chosen.into_iter().any(|condition| match self.index.definition(condition) {
            Some(InstKind::Op(Op::Le, operands)) if self.index.scalar(operands[0]) == Some(Scalar::U32) => {
                self.index.form(operands[0]) == *low && self.index.form(operands[1]) == *high
            }
            _ => false,
        })
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

    fn call(&mut self, id: InstId, callee: crate::ir::FunctionId) {
        if self.unknown_call.is_some() {
            return;
        }
        // Each function once: a chain of calls can be as wide as it is long.
        let (mut known, mut left) = (FastSet::default(), vec![callee]);
        while let Some(function) = left.pop() {
            if !known.insert(function) {
                continue;
            }
            let touches = self.index.module.functions[function].insts.iter().any(|(_, inst)| match &inst.kind {
                InstKind::Call(callee, _) => {
                    left.push(*callee);
                    false
                }
                InstKind::Image(..) => true,
                kind => kind.place().is_some_and(|place| !matches!(place.root, Root::Local(_))),
            });
            if touches {
                self.unknown_call = Some(id);
                return;
            }
        }
    }

    fn access(&mut self, id: InstId, kind: &'m InstKind) {
        let what = match kind {
            InstKind::Load(_) | InstKind::CoopLoad(_) => Kind::Read,
            InstKind::Store(..) | InstKind::CoopStore(..) => Kind::Write,
            InstKind::Atomic(atomic) => {
                self.note_add(id, atomic);
                Kind::of_atomic(atomic)
            }
            InstKind::Image(op, image, operands) => return self.image(id, *op, *image, operands),
            _ => return,
        };
        let (Some(place), coop) = (kind.place(), coop_access(kind)) else { return };
        // Its author vouches for it.
        if place.is_unordered {
            return;
        }
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
        let mark = self.facts.len();
        let mut path = self.path(place);
        if let Some(access) = coop {
            self.spread(kind, access, &mut path);
        }
        self.push(Access { inst: id, object, kind: what, is_of_subgroup: coop.is_some(), path, facts: Rc::new([]) });
        self.forget(mark);
    }

    fn push(&mut self, access: Access) {
        let facts = self.shared_facts.get_or_insert_with(|| self.facts.as_slice().into()).clone();
        self.accesses.push(Access { facts, ..access });
    }

    pub(super) fn path(&mut self, place: &Place) -> Vec<Form> {
        let mut path = Vec::new();
        if let Root::Member(_, member) = place.root {
            path.push(self.index.form(member));
        }
        for step in &place.path {
            path.push(match *step {
                Step::Field(field) => Form::constant(field.into()),
                Step::Index { value, check } => {
                    let value = if check.is_some() { self.within(value) } else { value };
                    self.index.form(value)
                }
                Step::Element(_) | Step::Joined { .. } => break,
            });
        }
        path
    }

    /// The index of an access that does something: one that is out of range for certain does nothing. Notes what holds then.
    fn within(&mut self, mut index: ValueId) -> ValueId {
        while let Some(InstKind::Op(Op::Select, operands)) = self.index.definition(index)
            && self.index.constant(operands[2]) == Some(u32::MAX)
        {
            self.assume(operands[0], true, 8);
            index = operands[1];
        }
        index
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
        self.push(Access { inst: id, object, kind, is_of_subgroup: false, path, facts: Rc::new([]) });
    }
}

fn coop_access(kind: &InstKind) -> Option<&CoopAccess> {
    match kind {
        InstKind::CoopLoad(access) | InstKind::CoopStore(access, _) => Some(access),
        _ => None,
    }
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
