//! The first change of a cell: of all invocations that change it by an atomic operation, one finds what was there before the launch.
//! Nobody else comes to the code behind `seen[v].swap(1, Relaxed) == 0`, for any one `v`, if the kernel never writes zero there.

use super::access::{Access, Fact, Object, Walker};
use super::atoms::{Atom, Less};
use super::form::Form;
use super::index::Index;
use super::mutants::{Mutant, shift};
use super::rules::{Goal, Pair};
use crate::hash::FastMap;
use crate::ir::{Atomic, AtomicOp, BufferId, Function, InstId, InstKind, Place, Root, ValueId};
use crate::op::Op;
use crate::passes::eval;

/// The contents of a cell before its first change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// This number, as bits.
    From(u64),
    /// A bit that is not set. Its number is the last part of the path.
    Bit,
}

/// The contents of a cell after an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    /// A number.
    Number(ValueId),
    /// The number from before with more bits set, one at least.
    Bits,
    /// Anything.
    Any,
}

/// Everything that a kernel writes to the cells of its buffers, by atomic operations and otherwise.
#[derive(Debug, Default)]
pub(super) struct Firsts {
    written: FastMap<BufferId, Vec<Written>>,
}

impl Firsts {
    /// Notes what a kernel writes, if it has operations of which an invocation may be the first.
    pub(super) fn of(index: &Index<'_>, function: &Function) -> Self {
        let mut firsts = Self::default();
        let is_exchange = |op: AtomicOp| matches!(op, AtomicOp::Exchange | AtomicOp::CompareExchange(_) | AtomicOp::Or);
        let has_any = function.insts.iter().any(|(_, inst)| match &inst.kind {
            InstKind::Atomic(atomic) => is_exchange(atomic.op),
            _ => false,
        });
        if !has_any {
            return firsts;
        }
        for (_, inst) in function.insts.iter() {
            let Some(place) = inst.kind.place() else { continue };
            let written = match &inst.kind {
                InstKind::Load(_) | InstKind::CoopLoad(_) => continue,
                InstKind::Atomic(atomic) if !atomic.op.writes() => continue,
                InstKind::Atomic(atomic) => match (atomic.op, &atomic.operands[..]) {
                    (AtomicOp::Exchange, [value]) | (AtomicOp::CompareExchange(_), [_, value]) => {
                        Written::Number(*value)
                    }
                    (AtomicOp::Or, [bits]) if index.has_bits(*bits) => Written::Bits,
                    _ => Written::Any,
                },
                _ => Written::Any,
            };
            if let Root::Buffer(buffer) | Root::Member(buffer, _) = place.root {
                firsts.written.entry(buffer).or_default().push(written);
            }
        }
        firsts
    }

    /// Whether invocations may be the first to change a cell of a buffer.
    pub(super) fn has(&self, buffer: BufferId) -> bool {
        self.written.contains_key(&buffer)
    }
}

impl Index<'_> {
    /// The bits of a constant.
    fn bits(&self, value: ValueId) -> Option<u64> {
        match self.definition(value) {
            Some(InstKind::Const(constant)) => eval::bits(*constant),
            _ => None,
        }
    }

    /// Whether a number has a bit that is set: a constant, or one that is shifted and not out of the word.
    fn has_bits(&self, value: ValueId) -> bool {
        self.bits(value).is_some_and(|bits| bits != 0) || self.shifted_bit(value).is_some()
    }

    /// The number of the bit that is set: `1 << bit`, which takes the number modulo the width.
    fn shifted_bit(&self, value: ValueId) -> Option<ValueId> {
        match self.definition(value) {
            Some(InstKind::Op(Op::Shl, operands)) if self.bits(operands[0]) == Some(1) => Some(operands[1]),
            _ => None,
        }
    }

    /// The atomic operation whose result a value is.
    fn atomic(&self, value: ValueId) -> Option<(InstId, &Atomic)> {
        match self.definition(value)? {
            InstKind::Atomic(atomic) => Some((self.definition_id(value)?, atomic)),
            _ => None,
        }
    }
}

impl Walker<'_, '_> {
    /// Notes that the invocation is the first to change a cell, where a condition says so that `value` equals `number`.
    pub(super) fn note_first(&mut self, value: ValueId, number: ValueId) {
        let Some(found) = self.index.bits(number) else { return };
        let masked = match self.index.definition(value) {
            Some(InstKind::Op(Op::And, operands)) => Some((operands[0], operands[1])),
            _ => None,
        };
        if let Some((a, b)) = masked.filter(|_| found == 0) {
            self.note_first_bit(a, b);
            self.note_first_bit(b, a);
            return;
        }
        let Some((_, atomic)) = self.index.atomic(value) else { return };
        let finds = match (atomic.op, &atomic.operands[..]) {
            (AtomicOp::Exchange, _) => true,
            (AtomicOp::CompareExchange(_), [expected, _]) => self.index.bits(*expected) == Some(found),
            (AtomicOp::Or, [bits]) => self.index.has_bits(*bits) && found == 0,
            _ => false,
        };
        if finds {
            let place = atomic.place.clone();
            self.note_change(&place, Change::From(found), None);
        }
    }

    /// Notes that the invocation is the first to set a bit: `old & bit == 0`, where `old` is what an operation found that set `bit`.
    fn note_first_bit(&mut self, old: ValueId, mask: ValueId) {
        let Some((_, atomic)) = self.index.atomic(old) else { return };
        if atomic.op != AtomicOp::Or {
            return;
        }
        let (set, place) = (atomic.operands[0], atomic.place.clone());
        let number = if let (Some(set), Some(mask)) = (self.index.shifted_bit(set), self.index.shifted_bit(mask)) {
            let (set, mask) = (self.index.form(set), self.index.form(mask));
            (set == mask).then_some(set)
        } else {
            let (set, mask) = (self.index.bits(set), self.index.bits(mask));
            // Of several bits, others may have set some.
            set.filter(|set| mask == Some(*set) && set.count_ones() == 1)
                .map(|set| Form::constant(set.trailing_zeros().into()))
        };
        if let Some(number) = number {
            self.note_change(&place, Change::Bit, Some(number));
        }
    }

    fn note_change(&mut self, place: &Place, change: Change, bit: Option<Form>) {
        let Root::Buffer(buffer) = place.root else { return };
        let mark = self.facts.len();
        let mut path = self.path(place);
        self.forget(mark);
        path.extend(bit);
        self.note(Fact::First(Object::Buffer(buffer), change, path));
    }
}

impl Pair<'_, '_> {
    /// Whether each of the two invocations was the first to change a cell, and it is one cell where the elements that they access are one.
    pub(super) fn are_firsts(&mut self, goal: Goal) -> bool {
        if goal == Goal::Nobody {
            return false;
        }
        let sides = self.sides;
        let is_first = |fact: &Fact| matches!(fact, Fact::First(..));
        for a in sides[0].facts.iter().filter(|fact| is_first(fact)) {
            for b in sides[1].facts.iter().filter(|fact| is_first(fact)) {
                let (Fact::First(object, change, first), Fact::First(other, of, second)) = (a, b) else { continue };
                let is_same = object == other && change == of && first.len() == second.len();
                if is_same && self.is_first_of(*object, *change, [first, second]).is_some() {
                    return true;
                }
            }
        }
        false
    }

    /// Conditions under which two cells are one where the elements of the two accesses are.
    fn is_first_of(&mut self, object: Object, change: Change, paths: [&[Form]; 2]) -> Option<()> {
        let [a, b] = self.sides;
        let (Object::Buffer(cells), Object::Buffer(elements)) = (object, a.object) else { return None };
        let of = &self.index.kernel.buffers[elements];
        // The index of an element that exists: others do nothing.
        let is_plain = |access: &Access| !access.is_of_subgroup && !access.path.is_empty();
        if of.is_list || of.image.is_some() || !is_plain(a) || !is_plain(b) {
            return None;
        }
        let (x, y) = (&a.path[0], &b.path[0]);
        if x.atoms().chain(y.atoms()).all(|atom| self.index.atoms.is_uniform(atom)) {
            return None;
        }
        for (first, second) in paths[0].iter().zip(paths[1]) {
            let is_constant = first == second && first.as_constant().is_some();
            let follows = self.follows(first, x).zip(self.follows(second, y)).is_some_and(|(a, b)| a == b);
            if !is_constant && !follows {
                return None;
            }
        }
        let mut conditions = self.is_once(cells, change)?;
        // A cell that does not exist is no cell.
        let (all, len) = (self.index.len(elements), self.index.len(cells));
        let times = match self.follows(&paths[0][0], x)? {
            Follows::Same => Form::constant(1),
            Follows::Quotient(by) => Form::constant(by),
            Follows::Remainder(_) => return None,
        };
        conditions.push(Less(all, len.mul(&times).add(&Form::constant(1))));
        self.accept(conditions)
    }

    /// Conditions under which no operation brings back what the first to change a cell finds there.
    fn is_once(&mut self, buffer: BufferId, change: Change) -> Option<Vec<Less>> {
        let mut conditions = Vec::new();
        for written in self.index.firsts.written.get(&buffer).cloned()? {
            match (written, change) {
                (Written::Bits, Change::Bit | Change::From(0)) => {}
                (Written::Number(value), Change::From(from)) => match self.index.bits(value) {
                    Some(number) if number != from || shift(Mutant::First, 0) != 0 => {}
                    Some(_) => return None,
                    // A number of 32 bits that stays below.
                    None => {
                        let form = self.index.form(value);
                        let most = self.index.most(&form)?;
                        conditions.push(Less(most, Form::constant(from.into())));
                    }
                },
                _ => return None,
            }
        }
        Some(conditions)
    }

    /// How one number follows from another one.
    fn follows(&self, number: &Form, from: &Form) -> Option<Follows> {
        if number == from {
            return Some(Follows::Same);
        }
        match self.index.atoms.get(number.as_atom()?) {
            Atom::Quotient(of, by) if of == from => Some(Follows::Quotient(by.as_constant()?)),
            Atom::Remainder(of, by) if of == from => Some(Follows::Remainder(by.as_constant()?)),
            _ => None,
        }
    }
}

/// How a part of a cell's path follows from an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Follows {
    Same,
    Quotient(i128),
    Remainder(i128),
}
