//! `for` loops and chains of iterators: one loop around a machine that gives one element after the other.
//!
//! The steps of a chain are in `machine`, sources reached by position in `indexed`, the work of one round in `pull`,
//! and the methods that consume the elements in `consume`. The loop counts for the source of the first elements; every
//! other source has a cursor. Elements are asked for as Rust asks for them: `zip` asks its left side first, `take`
//! stops before it asks.
//!
//! An iterator is no value: its type names only its elements, and the method that consumes it lowers the whole chain.
//! An iterator in a `mut` variable is a machine (`Slot::Iterator`) that starts where it is made and gives an element at
//! each `next`; any other is consumed once, as rustc checks, and is lowered there. Sources reached by position, and
//! `rev`, `take` and `zip` of them, stay an index; only steps with closures become code with state. Closures run in the
//! order of Rust's library; chains whose order depends on the steps behind are refused (`infer/chain.rs`). References
//! to elements are values here, and rustc sees the references in the original. A `for` loop that writes elements goes
//! by position (`infer/written.rs`).

mod chunk;
mod compare;
mod consume;
mod fork;
mod indexed;
mod machine;
mod nested;
mod pull;
mod search;
mod slice_method;
mod split;

use std::rc::Rc;

use gridwise_ir::ir::{Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use self::indexed::{At, Direct, Extent, Indexed};
pub(super) use self::machine::Machine;
use self::pull::{Exits, Jump, Lead};
use super::control::{Next, Target};
use super::function::FnCx;
use super::place::Spot;
use crate::ast::{Block, Expr, Pattern};
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    pub(super) fn lower_for(
        &mut self,
        expr: &Expr,
        pattern: &Pattern,
        iterated: &Expr,
        body: &Block,
    ) -> Option<ValueId> {
        let machine = self.machine(iterated, false)?;
        let item = match self.ty_of(iterated) {
            Ty::Iterator(item) | Ty::Range(item, _) | Ty::Array(item, _) | Ty::Buffer { element: item, .. } => {
                item.clone()
            }
            _ => Rc::new(self.own_element(iterated)?.clone()),
        };
        if self.typed.written_loops.contains(&expr.id) {
            self.lower_written_for(expr, pattern, (machine, &item), body);
            return None;
        }
        self.drive(machine, |cx, element, target| {
            cx.targets.insert(expr.id, target);
            cx.bind_pattern(pattern, &item, element);
            cx.lower_block(body);
        });
        None
    }

    /// A loop whose elements are written: it counts positions, and the names of elements stand for their places.
    fn lower_written_for(&mut self, expr: &Expr, pattern: &Pattern, (machine, item): (Machine<'_>, &Ty), body: &Block) {
        let mut numbers = Vec::new();
        let (mut machine, mut pattern, mut item) = (machine, pattern, item);
        while let Machine::Enumerate { inner, .. } = machine {
            let [number, rest] = pair_of(pattern, item);
            numbers.push(number);
            (machine, (pattern, item)) = (*inner, rest);
        }
        // What stands beside the elements, if it is not reached by position; in lockstep it makes one of each position.
        let (extent, at, trusted, mut beside) = match machine {
            Machine::Indexed { indexed: Indexed { extent, at, trusted }, .. } => (extent, at, trusted, None),
            Machine::Zip { left, right, .. } => match *left {
                Machine::Indexed { indexed: Indexed { extent, at, trusted }, .. } => {
                    (extent, at, trusted, Some((right, false)))
                }
                _ => unreachable!("what is written comes first"),
            },
            Machine::Lockstep { positions: Indexed { extent, trusted, .. }, left, right, .. } => match *left {
                Machine::Indexed { indexed: Indexed { at, .. }, .. } => (extent, at, trusted, Some((right, true))),
                _ => unreachable!("what is written comes first"),
            },
            _ => unreachable!("what is written is reached by position"),
        };
        let (extent, start) = (self.settled(extent), self.u32(0));
        let positions = Indexed { extent, at: At::Range { start }, trusted };
        if let Some((other, in_lockstep)) = &mut beside {
            self.start_cursors(other, *in_lockstep);
        }
        self.drive(Machine::Indexed { indexed: positions, cursor: None }, |cx, position, target| {
            let Some(position) = position else { return };
            cx.targets.insert(expr.id, target);
            for (number, ty) in numbers {
                let count = cx.cast(position, Scalar::U32);
                cx.bind_pattern(number, ty, Some(count));
            }
            let Some((mut other, in_lockstep)) = beside else {
                cx.bind_places(pattern, item, &at, position);
                cx.lower_block(body);
                return;
            };
            let [written, (pattern, ty)] = pair_of(pattern, item);
            let none = Jump::Break(target.leaves());
            let element = match in_lockstep {
                true => {
                    let exits = Exits { none: none.clone(), skip: none };
                    cx.pull(&mut other, &exits, Some(Lead::Position(position)))
                }
                false => cx.pull_apart(&mut other, &none, ty),
            };
            if !cx.b.is_terminated() {
                cx.bind_places(written.0, written.1, &at, position);
                cx.bind_pattern(pattern, ty, element);
                cx.lower_block(body);
            }
        });
    }

    /// Binds a pattern to the elements at a position: those that are written by their places.
    fn bind_places(&mut self, pattern: &Pattern, item: &Ty, at: &At, position: ValueId) {
        match (at, pattern, item) {
            (At::Reversed(inner, last), ..) => {
                let position = self.like(position, *last);
                let position = self.op(Op::Sub, &[*last, position]);
                self.bind_places(pattern, item, inner, position);
            }
            (At::Stepped(inner, step), ..) => {
                let step = self.like(*step, position);
                let position = self.op(Op::Mul, &[position, step]);
                self.bind_places(pattern, item, inner, position);
            }
            (At::Skipped(inner, count), ..) => {
                let count = self.like(*count, position);
                let position = self.op(Op::Add, &[position, count]);
                self.bind_places(pattern, item, inner, position);
            }
            (At::Numbered(inner, _), Pattern::Tuple(members, _), Ty::Tuple(types)) => {
                let number = self.cast(position, Scalar::U32);
                self.bind_pattern(&members[0], &types[0], Some(number));
                self.bind_places(&members[1], &types[1], inner, position);
            }
            (At::Zipped(left, right, _), Pattern::Tuple(members, _), Ty::Tuple(types)) => {
                self.bind_places(&members[0], &types[0], left, position);
                self.bind_places(&members[1], &types[1], right, position);
            }
            (At::Elements { place: Some(place), offset, .. }, Pattern::Binding { binding, .. }, _)
                if self.typed.references.contains_key(binding) =>
            {
                let mut place = place.clone();
                let value = self.cast(position, Scalar::U32);
                let value = offset.map_or(value, |offset| self.op(Op::Add, &[offset, value]));
                place.path.push(Step::Index { value, check: None });
                let slot = self.alias(Spot::at(place));
                self.set_slot(*binding, slot);
            }
            _ => {
                let value = self.element_at(at, position);
                self.bind_pattern(pattern, item, value);
            }
        }
    }

    /// Runs code for each element; it may break the loop, which is given to it.
    fn drive(&mut self, mut machine: Machine<'_>, body: impl FnOnce(&mut Self, Option<ValueId>, Target)) {
        if machine.is_nested() {
            return self.drive_nested(machine, Box::new(body));
        }
        let lead = machine.lead().cloned();
        self.start_cursors(&mut machine, lead.is_some());
        let Some(Indexed { extent, .. }) = lead else {
            return self.plain_loop(machine, body);
        };
        match extent {
            Extent::Range(Direct { start, end, inclusive: false }) => {
                self.counted_loop(start, Some(end), Lead::Element, machine, body);
            }
            Extent::Range(Direct { start, end, inclusive: true }) => {
                let any = self.b.op(Op::Le, &[start, end]);
                self.when(any, |cx| cx.inclusive_loop(start, end, Lead::Element, machine, body));
            }
            Extent::Count(count) => {
                if self.known_scalar(count) != Some(0) {
                    let first = self.u32(0);
                    self.counted_loop(first, Some(count), Lead::Position, machine, body);
                }
            }
            Extent::Last { any, last } => {
                let first = self.int_like(last, 0);
                self.when(any, |cx| cx.inclusive_loop(first, last, Lead::Position, machine, body));
            }
            Extent::Endless => {
                let first = self.bits(Scalar::U32, 0);
                self.counted_loop(first, None, Lead::Position, machine, body);
            }
        }
    }

    /// From `first` as long as `end` is not reached.
    fn counted_loop(
        &mut self,
        first: ValueId,
        end: Option<ValueId>,
        lead: fn(ValueId) -> Lead,
        machine: Machine<'_>,
        body: impl FnOnce(&mut Self, Option<ValueId>, Target),
    ) {
        let block = self.b.new_loop_body(&[self.b.value_type(first)]);
        let index = self.b.block_params(block)[0];
        let target = Target::new(block, false, Next::Exclusive { index });
        let parent = self.b.switch_to(block);
        if let Some(end) = end {
            let goes_on = self.b.op(Op::Lt, &[index, end]);
            self.jump_unless(goes_on, &Jump::Break(block));
        }
        self.round(machine, target, Some(lead(index)), body);
        self.b.switch_to(parent);
        self.b.push_loop(block, &[first], &[]);
    }

    /// From `first` to `last`, which may be the largest number there is.
    fn inclusive_loop(
        &mut self,
        first: ValueId,
        last: ValueId,
        lead: fn(ValueId) -> Lead,
        machine: Machine<'_>,
        body: impl FnOnce(&mut Self, Option<ValueId>, Target),
    ) {
        let block = self.b.new_loop_body(&[self.b.value_type(first)]);
        let index = self.b.block_params(block)[0];
        let target = Target::new(block, false, Next::Inclusive { index, end: last });
        let parent = self.b.switch_to(block);
        self.round(machine, target, Some(lead(index)), body);
        self.b.switch_to(parent);
        self.b.push_loop(block, &[first], &[]);
    }

    /// Until the machine has no more elements.
    fn plain_loop(&mut self, machine: Machine<'_>, body: impl FnOnce(&mut Self, Option<ValueId>, Target)) {
        let block = self.b.new_loop_body(&[]);
        let target = Target::new(block, false, Next::Plain);
        let parent = self.b.switch_to(block);
        self.round(machine, target, None, body);
        self.b.switch_to(parent);
        self.b.push_loop(block, &[], &[]);
    }

    fn round(
        &mut self,
        mut machine: Machine<'_>,
        target: Target,
        lead: Option<Lead>,
        body: impl FnOnce(&mut Self, Option<ValueId>, Target),
    ) {
        let exits = Exits { none: Jump::Break(target.leaves()), skip: Jump::Round(target) };
        let element = self.pull(&mut machine, &exits, lead);
        if !self.b.is_terminated() {
            body(self, element, target);
        }
        self.go_on(target);
    }
}

/// Both members of a pair that a pattern takes apart, with their types.
fn pair_of<'t>(pattern: &'t Pattern, item: &'t Ty) -> [(&'t Pattern, &'t Ty); 2] {
    match (pattern, item) {
        (Pattern::Tuple(members, _), Ty::Tuple(types)) => [(&members[0], &types[0]), (&members[1], &types[1])],
        _ => unreachable!("a pair in a loop that writes is taken apart"),
    }
}
