//! One round of a machine: the code that asks each step for its next element.

use gridwise_ir::ir::{BlockId, LocalId, ValueId};
use gridwise_ir::op::Op;

use super::indexed::{Extent, Indexed};
use super::machine::{Cursor, Machine};
use crate::builtin::iteration::Iteration;
use crate::lower::control::{Next, Target};
use crate::lower::function::FnCx;
use crate::lower::variant::SOME;
use crate::typed::Ty;

/// The exits of a round: the jump for a source without an element.
#[derive(Clone)]
pub(super) struct Exits {
    /// There are no more.
    pub(super) none: Jump,
    /// This one is dropped: the next round looks further.
    pub(super) skip: Jump,
}

#[derive(Clone)]
pub(super) enum Jump {
    /// Ends a loop.
    Break(BlockId),
    /// Begins the next round of a loop.
    Round(Target),
    /// Stores a number, then jumps.
    Store(LocalId, u32, Box<Jump>),
    /// Sets a flag, then jumps.
    Set(LocalId, Box<Jump>),
}

/// The position that the loop around gives to the source it counts for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lead {
    Position(ValueId),
    Element(ValueId),
}

impl FnCx<'_, '_, '_> {
    fn jump(&mut self, jump: &Jump) {
        match jump {
            Jump::Break(body) => self.b.break_(*body, &[]),
            Jump::Round(target) => self.go_on(*target),
            Jump::Store(place, number, then) => {
                let number = self.u32(*number);
                self.set(*place, number);
                self.jump(then);
            }
            Jump::Set(flag, then) => {
                let yes = self.bool(true);
                self.set(*flag, yes);
                self.jump(then);
            }
        }
    }

    pub(super) fn jump_unless(&mut self, condition: ValueId, jump: &Jump) {
        let leave = |cx: &mut Self| {
            cx.jump(jump);
            None
        };
        self.choose(condition, None, |_| None, leave);
    }

    fn jump_if(&mut self, condition: ValueId, jump: &Jump) {
        self.when(condition, |cx| cx.jump(jump));
    }

    /// The next element; `None` when it has no value, or when control does not come out.
    pub(super) fn pull(&mut self, machine: &mut Machine<'_>, exits: &Exits, lead: Option<Lead>) -> Option<ValueId> {
        match machine {
            Machine::Indexed { indexed, cursor } => match (lead, cursor) {
                (Some(Lead::Element(element)), _) => Some(element),
                (Some(Lead::Position(position)), _) => self.element_at(&indexed.at, position),
                (None, Some(cursor)) => self.advance(indexed, *cursor, exits),
                (None, None) => None,
            },
            Machine::Lockstep { positions, cursor, left, right, ty } => {
                let position = match (lead, cursor) {
                    (Some(Lead::Position(position) | Lead::Element(position)), _) => position,
                    (None, Some(cursor)) => self.advance(positions, *cursor, exits)?,
                    (None, None) => return None,
                };
                let left = self.pull(left, exits, Some(Lead::Position(position)));
                if self.b.is_terminated() {
                    return None;
                }
                let right = self.pull(right, exits, Some(Lead::Position(position)));
                if self.b.is_terminated() {
                    return None;
                }
                self.pair(ty, left, right)
            }
            Machine::Take { inner, left, done } => {
                if done.is_none() {
                    let (count, zero) = (self.get(*left), self.u32(0));
                    let goes_on = self.b.op(Op::Ne, &[count, zero]);
                    self.jump_unless(goes_on, &exits.none);
                }
                let element = self.pull(inner, exits, lead);
                if !self.b.is_terminated() {
                    self.count_down(*left);
                    if let Some(done) = done {
                        let (count, zero) = (self.get(*left), self.u32(0));
                        let is_last = self.b.op(Op::Eq, &[count, zero]);
                        let before = self.get(*done);
                        let is_done = self.b.op(Op::Or, &[before, is_last]);
                        self.set(*done, is_done);
                    }
                }
                element
            }
            Machine::Held(range) => {
                let more = self.held_has_more(range);
                self.jump_unless(more, &exits.none);
                Some(self.take_next(range))
            }
            Machine::Own { value, next, origins } => {
                let (option, ty) = self.lower_next(*next, *value, origins)?;
                let is_some = self.is_variant(ty, option, SOME)?;
                self.jump_unless(is_some, &exits.none);
                self.variant_member(ty, option, SOME, 0)
            }
            Machine::Kept(inner) => self.pull(inner, exits, None),
            Machine::Peekable { inner, has, ahead, ty } => {
                let (is_there, result) = (self.get(*has), self.ty(ty));
                let taken = |cx: &mut Self| {
                    let no = cx.bool(false);
                    cx.set(*has, no);
                    let any = cx.get(ahead.any);
                    cx.jump_unless(any, &exits.none);
                    ahead.value.map(|value| cx.get(value))
                };
                self.choose(is_there, result, taken, |cx| cx.pull(inner, exits, None))
            }
            Machine::Given(element) => *element,
            // Taken apart before anything is asked for: see `nested`.
            Machine::Nested { .. } => None,
            Machine::Chain { first, then, second, ty } => {
                let is_second = self.get(*second);
                let result = self.ty(ty);
                let switch = Jump::Set(*second, Box::new(exits.skip.clone()));
                let before = Exits { none: switch, skip: exits.skip.clone() };
                self.choose(is_second, result, |cx| cx.pull(then, exits, None), |cx| cx.pull(first, &before, None))
            }
            Machine::Zip { left, right, ty } => {
                let left = self.pull(left, exits, lead);
                if self.b.is_terminated() {
                    return None;
                }
                let Ty::Tuple(members) = &*ty else { return None };
                let right = self.pull_apart(right, &exits.none, members.get(1)?);
                if self.b.is_terminated() {
                    return None;
                }
                self.pair(ty, left, right)
            }
            Machine::Step { inner, .. }
            | Machine::Flatten { inner, .. }
            | Machine::Enumerate { inner, .. }
            | Machine::Skip { inner, .. }
            | Machine::StepBy { inner, .. } => {
                let element = self.pull(inner, exits, lead);
                if self.b.is_terminated() {
                    return None;
                }
                self.transform(machine, element, exits)
            }
        }
    }

    /// Applies a step to an element of the step before.
    fn transform(&mut self, machine: &Machine<'_>, element: Option<ValueId>, exits: &Exits) -> Option<ValueId> {
        match machine {
            Machine::Enumerate { counter, last, ty, .. } => {
                let count = self.get(*counter);
                let one = self.u32(1);
                let next = self.b.op(Op::Add, &[count, one]);
                self.set(*counter, next);
                let number = match last {
                    Some(last) => {
                        let count = self.like(count, *last);
                        let number = self.b.op(Op::Sub, &[*last, count]);
                        self.cast(number, self.shape(one).0)
                    }
                    None => count,
                };
                self.pair(ty, Some(number), element)
            }
            Machine::Flatten { ty, .. } => {
                let option = element?;
                let is_some = self.is_variant(ty, option, SOME)?;
                self.jump_unless(is_some, &exits.skip);
                self.variant_member(ty, option, SOME, 0)
            }
            Machine::Skip { left, .. } => {
                let (count, zero) = (self.get(*left), self.u32(0));
                let drops = self.b.op(Op::Ne, &[count, zero]);
                self.when(drops, |cx| {
                    cx.count_down(*left);
                    cx.jump(&exits.skip);
                });
                element
            }
            Machine::StepBy { step, wait, .. } => {
                let (count, zero) = (self.get(*wait), self.u32(0));
                let drops = self.b.op(Op::Ne, &[count, zero]);
                self.when(drops, |cx| {
                    cx.count_down(*wait);
                    cx.jump(&exits.skip);
                });
                let one = self.u32(1);
                let waits = self.b.op(Op::Sub, &[*step, one]);
                self.set(*wait, waits);
                element
            }
            Machine::Step { .. } => self.step(machine, element, exits),
            _ => element,
        }
    }

    /// A step that calls something.
    fn step(&mut self, machine: &Machine<'_>, element: Option<ValueId>, exits: &Exits) -> Option<ValueId> {
        use Iteration as I;
        let Machine::Step { kind, call, state, ty, .. } = machine else { return element };
        match kind {
            I::Map => self.call_inline(call, &[element]),
            I::Inspect => {
                self.call_inline(call, &[element]);
                element
            }
            I::Filter | I::TakeWhile => {
                let holds = self.call_inline(call, &[element])?;
                self.jump_unless(holds, if *kind == I::Filter { &exits.skip } else { &exits.none });
                element
            }
            I::SkipWhile => {
                let found = self.get((*state)?);
                let look = |cx: &mut Self| {
                    let holds = cx.call_inline(call, &[element])?;
                    cx.jump_if(holds, &exits.skip);
                    let yes = cx.bool(true);
                    cx.set((*state)?, yes);
                    None
                };
                self.choose(found, None, |_| None, look);
                element
            }
            I::FilterMap | I::MapWhile | I::Scan => {
                let option = match kind {
                    I::Scan => self.call_with_state(call, *state, element)?,
                    _ => self.call_inline(call, &[element])?,
                };
                let is_some = self.is_variant(ty, option, SOME)?;
                self.jump_unless(is_some, if *kind == I::FilterMap { &exits.skip } else { &exits.none });
                self.variant_member(ty, option, SOME, 0)
            }
            _ => element,
        }
    }

    /// The next element of something that the loop around does not advance: in a loop of its own where it may drop some.
    pub(super) fn pull_apart(&mut self, machine: &mut Machine<'_>, none: &Jump, item: &Ty) -> Option<ValueId> {
        if !machine.may_skip() {
            return self.pull(machine, &Exits { none: none.clone(), skip: none.clone() }, None);
        }
        let result = self.ty(item);
        let body = self.b.new_loop_body(&[]);
        let target = Target::new(body, result.is_some(), Next::Plain);
        let parent = self.b.switch_to(body);
        let element = self.pull(machine, &Exits { none: none.clone(), skip: Jump::Round(target) }, None);
        match (result, element) {
            (Some(_), Some(element)) => self.b.break_(body, &[element]),
            (None, _) => self.b.break_(body, &[]),
            (Some(_), None) => self.expect_left(),
        }
        self.b.switch_to(parent);
        let results = self.b.push_loop(body, &[], result.as_slice());
        results.first().copied().filter(|_| !self.b.is_terminated())
    }

    /// The next element of a source with a cursor.
    fn advance(&mut self, indexed: &Indexed, cursor: Cursor, exits: &Exits) -> Option<ValueId> {
        let position = self.get(cursor.position);
        match (indexed.extent, cursor.more) {
            (Extent::Count(count), _) => {
                let goes_on = self.b.op(Op::Lt, &[position, count]);
                self.jump_unless(goes_on, &exits.none);
            }
            (Extent::Last { last, .. }, Some(more)) => {
                let goes_on = self.get(more);
                self.jump_unless(goes_on, &exits.none);
                let more_behind = self.b.op(Op::Ne, &[position, last]);
                self.set(more, more_behind);
            }
            _ => {}
        }
        let one = self.int_like(position, 1);
        let next = self.b.op(Op::Add, &[position, one]);
        self.set(cursor.position, next);
        self.element_at(&indexed.at, position)
    }

    pub(super) fn count_down(&mut self, counter: LocalId) {
        let count = self.get(counter);
        let one = self.u32(1);
        let next = self.b.op(Op::Sub, &[count, one]);
        self.set(counter, next);
    }
}
