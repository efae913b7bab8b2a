//! Chains of iterators as machines: what each step holds between one element and the next, made in Rust's order of evaluation.

use std::rc::Rc;

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::hash::FastMap;
use gridwise_ir::ir::{LocalId, Place, ValueId};
use gridwise_ir::op::Op;

use super::consume::Found;
use super::indexed::{At, Extent, Indexed};
use super::slice_method::Elements;
use crate::ast::{Expr, ExprId, ExprKind, Pattern};
use crate::builtin::iteration::{Iteration, Nested};
use crate::lower::function::{FnCx, Slot};
use crate::lower::function_of;
use crate::lower::inline::Callable;
use crate::lower::place::{Origin, Spot};
use crate::lower::range::HeldRange;
use crate::program::ItemId;
use crate::program::message::zero_step_message;
use crate::typed::{Callee, Resolution, Ty};

/// A chain that is ready to run.
#[derive(Clone)]
pub(in crate::lower) enum Machine<'e> {
    Indexed {
        indexed: Indexed,
        cursor: Option<Cursor>,
    },
    /// `filter` and its like: what one step does with the elements of the one before.
    Step {
        kind: Iteration,
        inner: Box<Machine<'e>>,
        call: Callable<'e>,
        state: Option<LocalId>,
        ty: Ty,
    },
    /// `flatten` of options, of the type.
    Flatten {
        inner: Box<Machine<'e>>,
        ty: Ty,
    },
    /// Pairs of a number and an element. The numbers count down from the last position, if there is one.
    Enumerate {
        inner: Box<Machine<'e>>,
        counter: LocalId,
        last: Option<ValueId>,
        ty: Ty,
    },
    /// `flat_map` of what has several elements, or `flatten`: what one element of `inner` makes is gone through before the next
    /// one is asked for.
    Nested {
        inner: Box<Machine<'e>>,
        made: Made<'e>,
    },
    /// A range in a variable, which loses the elements.
    Held(HeldRange),
    /// An iterator in a variable, which has come as far as its cursors say.
    Kept(Box<Machine<'e>>),
    /// A value with an `impl Iterator` of its author's, its `next`, and what the slices in it are parts of.
    Own {
        value: Slot,
        next: ItemId,
        origins: Rc<FastMap<ExprId, Origin>>,
    },
    /// The element that a loop around gave, of a machine that was taken apart there.
    Given(Option<ValueId>),
    /// `left` elements are still to come. `done`: set behind the last one, where a loop around gives the elements.
    Take {
        inner: Box<Machine<'e>>,
        left: LocalId,
        done: Option<LocalId>,
    },
    /// `left` elements are still to be dropped.
    Skip {
        inner: Box<Machine<'e>>,
        left: LocalId,
    },
    /// `wait` elements are dropped before the next one comes.
    StepBy {
        inner: Box<Machine<'e>>,
        step: ValueId,
        wait: LocalId,
    },
    Zip {
        left: Box<Machine<'e>>,
        right: Box<Machine<'e>>,
        ty: Ty,
    },
    /// A `zip` of two machines that make one element of each of their sources': one position for both.
    Lockstep {
        positions: Indexed,
        cursor: Option<Cursor>,
        left: Box<Machine<'e>>,
        right: Box<Machine<'e>>,
        ty: Ty,
    },
    /// `peekable`. `has`: the next element was asked for already, and is `ahead`.
    Peekable {
        inner: Box<Machine<'e>>,
        has: LocalId,
        ahead: Found,
        ty: Ty,
    },
    /// `second`: the first one is used up.
    Chain {
        first: Box<Machine<'e>>,
        then: Box<Machine<'e>>,
        second: LocalId,
        ty: Ty,
    },
}

/// The sequence that is made of an element.
#[derive(Clone)]
pub(in crate::lower) enum Made<'e> {
    /// The result of a closure for it.
    By(Callable<'e>),
    /// Itself, an array or a slice of the type.
    Itself(Ty),
}

/// How far something has come that no loop counts for.
#[derive(Debug, Clone, Copy)]
pub(in crate::lower) struct Cursor {
    pub(super) position: LocalId,
    /// Whether there is an element at the position, where the number of elements does not tell.
    pub(super) more: Option<LocalId>,
}

impl Machine<'_> {
    /// Whether one round may pass without an element.
    pub(super) fn may_skip(&self) -> bool {
        match self {
            Self::Indexed { .. } | Self::Lockstep { .. } | Self::Held(_) | Self::Own { .. } | Self::Given(_) => false,
            Self::Step { kind: Iteration::Filter | Iteration::FilterMap | Iteration::SkipWhile, .. } => true,
            Self::Flatten { .. }
            | Self::Nested { .. }
            | Self::Skip { .. }
            | Self::StepBy { .. }
            | Self::Chain { .. } => true,
            Self::Step { inner, .. }
            | Self::Enumerate { inner, .. }
            | Self::Take { inner, .. }
            | Self::Peekable { inner, .. }
            | Self::Kept(inner)
            | Self::Zip { left: inner, .. } => inner.may_skip(),
        }
    }

    /// The source that the outer loop can count for: that of each first element.
    pub(super) fn lead(&self) -> Option<&Indexed> {
        match self {
            Self::Indexed { indexed, .. } | Self::Lockstep { positions: indexed, .. } => Some(indexed),
            Self::Chain { .. }
            | Self::Nested { .. }
            | Self::Peekable { .. }
            | Self::Held(_)
            | Self::Own { .. }
            | Self::Kept(_)
            | Self::Given(_) => None,
            Self::Step { inner, .. }
            | Self::Flatten { inner, .. }
            | Self::Enumerate { inner, .. }
            | Self::Take { inner, .. }
            | Self::Skip { inner, .. }
            | Self::StepBy { inner, .. }
            | Self::Zip { left: inner, .. } => inner.lead(),
        }
    }

    /// How many elements come, if each of the source's makes one.
    pub(super) fn extent(&self) -> Option<Extent> {
        match self {
            Self::Indexed { indexed, .. } | Self::Lockstep { positions: indexed, .. } => Some(indexed.extent),
            Self::Step { kind: Iteration::Map | Iteration::Inspect, inner, .. } | Self::Enumerate { inner, .. } => {
                inner.extent()
            }
            _ => None,
        }
    }

    /// Whether Rust's library reaches its elements by position where it is zipped: then nothing is computed of those that
    /// have no partner.
    fn is_trusted(&self) -> bool {
        match self {
            Self::Indexed { indexed, .. } => indexed.trusted,
            Self::Step { kind: Iteration::Map, inner, .. } | Self::Enumerate { inner, last: None, .. } => {
                inner.is_trusted()
            }
            Self::Lockstep { .. } => true,
            _ => false,
        }
    }
}

impl<'e> Machine<'e> {
    /// Notes that the function whose closures it calls was left; whether there are any. `caller`: the position among the callers that the
    /// function's own caller had.
    pub(in crate::lower) fn leave_home(&mut self, home: u32, caller: usize) -> bool {
        let mut any = false;
        self.for_each_call(&mut |call| any |= call.leave_home(home, caller));
        any
    }

    /// Notes that it is passed to a function, while its closures run in the caller at a position.
    pub(in crate::lower) fn keep_home(&mut self, caller: usize) {
        self.for_each_call(&mut |call| call.keep_home(caller));
    }

    fn for_each_call(&mut self, change: &mut dyn FnMut(&mut Callable<'e>)) {
        match self {
            Self::Indexed { .. } | Self::Held(_) | Self::Own { .. } | Self::Given(_) => {}
            Self::Step { inner, call, .. } | Self::Nested { inner, made: Made::By(call) } => {
                change(call);
                inner.for_each_call(change);
            }
            Self::Nested { inner, made: Made::Itself(_) }
            | Self::Flatten { inner, .. }
            | Self::Enumerate { inner, .. }
            | Self::Kept(inner)
            | Self::Peekable { inner, .. }
            | Self::Take { inner, .. }
            | Self::Skip { inner, .. }
            | Self::StepBy { inner, .. } => inner.for_each_call(change),
            Self::Zip { left, right, .. }
            | Self::Lockstep { left, right, .. }
            | Self::Chain { first: left, then: right, .. } => {
                left.for_each_call(change);
                right.for_each_call(change);
            }
        }
    }
}

impl<'p> FnCx<'p, '_, '_> {
    /// The machine of a chain, or of an array, backwards if `reversed`. `None` when control does not come out of it.
    pub(in crate::lower) fn machine(&mut self, expr: &Expr, reversed: bool) -> Option<Machine<'p>> {
        let machine = self.machine_of(expr, reversed);
        machine.filter(|_| !self.b.is_terminated())
    }

    fn machine_of(&mut self, expr: &Expr, reversed: bool) -> Option<Machine<'p>> {
        if self.typed.own_iterators.contains_key(&expr.id) && !matches!(expr.kind, ExprKind::Paren(..)) {
            return self.own_machine(expr, self.is_reference(expr));
        }
        if let (Ty::Iterator(_), Some(Callee::Device(item))) = (self.ty_of(expr), self.typed.calls.get(&expr.id)) {
            return match &expr.kind {
                ExprKind::Call { args, .. } => self.given_machine(*item, &args.iter().collect::<Vec<_>>(), reversed),
                ExprKind::Method { receiver, args, .. } => {
                    let args: Vec<_> = std::iter::once(&**receiver).chain(args).collect();
                    self.given_machine(*item, &args, reversed)
                }
                _ => None,
            };
        }
        let indexed = match &expr.kind {
            ExprKind::Paren(inner, ..) => return self.machine_of(inner, reversed),
            ExprKind::Borrow { operand, .. } if matches!(self.ty_of(operand), Ty::Iterator(_)) => {
                return self.machine_of(operand, reversed);
            }
            ExprKind::Borrow { operand, .. } if matches!(self.ty_of(operand), Ty::Range(..)) => {
                return self.held_machine(operand, reversed);
            }
            ExprKind::Borrow { operand, .. } => self.indexed_elements(operand, false)?,
            ExprKind::Path(_) if matches!(self.ty_of(expr), Ty::Iterator(_)) => return self.named_machine(expr),
            // Of a variable that is a reference, too.
            ExprKind::Path(_) if matches!(self.ty_of(expr), Ty::Range(..)) && self.is_reference(expr) => {
                return self.held_machine(expr, reversed);
            }
            ExprKind::Range { start, end, inclusive } => {
                let start = self.lower_expr(start)?;
                let end = match end {
                    Some(end) => Some(self.lower_expr(end)?),
                    None => None,
                };
                self.indexed_range(start, end, *inclusive)
            }
            ExprKind::Method { receiver, args, .. } => match self.typed.calls.get(&expr.id) {
                Some(Callee::Iterate(Iteration::Iter | Iteration::IterMut)) => {
                    self.indexed_elements(receiver, false)?
                }
                Some(Callee::Iterate(Iteration::Parts(parts))) => {
                    self.indexed_parts(expr, *parts, receiver, args.first()?)?
                }
                Some(Callee::Iterate(Iteration::ByRef)) => {
                    return match self.ty_of(receiver) {
                        Ty::Iterator(_) => self.machine_of(receiver, reversed),
                        _ if self.typed.own_iterators.contains_key(&receiver.id) => self.own_machine(receiver, true),
                        _ => self.held_machine(receiver, reversed),
                    };
                }
                _ if matches!(self.ty_of(expr), Ty::Range(..)) => self.indexed_rest(expr)?,
                Some(Callee::Iterate(Iteration::IntoIter | Iteration::Same)) => {
                    return self.machine_of(receiver, reversed);
                }
                Some(Callee::Iterate(Iteration::Rev)) => return self.machine_of(receiver, !reversed),
                Some(Callee::Iterate(Iteration::Fork)) => {
                    let mut machine = self.machine_of(receiver, reversed)?;
                    self.fork(&mut machine);
                    return Some(machine);
                }
                Some(Callee::Iterate(iteration)) => {
                    return self.adapted(expr, *iteration, receiver, args, reversed);
                }
                _ => self.indexed_elements(expr, true)?,
            },
            _ => match self.ty_of(expr) {
                Ty::Range(..) => self.indexed_rest(expr)?,
                // The slice that a method goes through, where it lies.
                Ty::Buffer { .. } => self.indexed_elements(expr, false)?,
                _ => self.indexed_elements(expr, true)?,
            },
        };
        let indexed = if reversed { self.reversed(indexed) } else { indexed };
        Some(Machine::Indexed { indexed, cursor: None })
    }

    /// The machine of a slice's elements, which are read where they lie.
    pub(super) fn slice_machine(&mut self, slice: &Expr) -> Option<Machine<'p>> {
        let Elements { place, offset, len, ty, chunk } = self.all_elements(slice)?;
        let indexed =
            Indexed { extent: Extent::Count(len), at: At::Elements { place, offset, ty, chunk }, trusted: true };
        Some(Machine::Indexed { indexed, cursor: None })
    }

    /// The range that an expression is, from what is left of it.
    fn indexed_rest(&mut self, expr: &Expr) -> Option<Indexed> {
        let Ty::Range(_, inclusive) = *self.ty_of(expr) else { return None };
        let ends = self.lower_ends(expr)?;
        let (start, end) = self.ends_of_rest(ends);
        Some(self.indexed_range(start, Some(end), inclusive))
    }

    /// `let name = chain;`: makes the iterator; whether it did. One that is `mut` may be asked for an element at a time and keeps
    /// how far it has come; any other one is consumed once, as if the chain stood there.
    pub(in crate::lower) fn lower_iterator_let(&mut self, pattern: &Pattern, value: Option<&Expr>) -> bool {
        let (Pattern::Binding { binding, mutable, inner: None, .. }, Some(value)) = (pattern, value) else {
            return false;
        };
        if !matches!(self.ty_of(value), Ty::Iterator(_)) {
            return false;
        }
        if let Some(mut machine) = self.machine(value, false) {
            if *mutable {
                machine = self.kept_machine(machine);
            }
            let slot = self.hold_machine(machine);
            self.set_slot(*binding, slot);
        }
        true
    }

    /// A machine that gives an element at a time.
    pub(in crate::lower) fn kept_machine(&mut self, mut machine: Machine<'p>) -> Machine<'p> {
        self.start_cursors(&mut machine, false);
        Machine::Kept(Box::new(machine))
    }

    /// Makes a machine what a variable stands for.
    pub(in crate::lower) fn hold_machine(&mut self, machine: Machine<'p>) -> Slot {
        self.machines.push(machine);
        Slot::Iterator(self.machines.len() as u32 - 1)
    }

    /// The iterator in a variable.
    fn named_machine(&mut self, expr: &Expr) -> Option<Machine<'p>> {
        let Some(Resolution::Binding(binding)) = self.typed.paths.get(&expr.id) else { return None };
        let Slot::Iterator(number) = self.slot(*binding) else { return None };
        self.machines.get(number as usize).cloned()
    }

    /// The elements that a value with an `impl Iterator` gives. `lent`: it stays where it is, and moves on there.
    pub(super) fn own_machine(&mut self, expr: &Expr, lent: bool) -> Option<Machine<'p>> {
        let next = *self.typed.own_iterators.get(&expr.id)?;
        let spot = match lent {
            true => self.lower_referent(expr),
            false => {
                let value = self.lower_expr(expr);
                value.map(|value| Spot::at(Place::local(self.spill(value, "iterator"))))
            }
        };
        let origins = Rc::new(self.passed_origins(function_of(self.shared.program, next).1, &[expr]));
        Some(Machine::Own { value: spot.map_or(Slot::Nothing, |spot| self.alias(spot)), next, origins })
    }

    /// The type of the elements of a value with an `impl Iterator`.
    pub(super) fn own_element(&self, expr: &Expr) -> Option<&'p Ty> {
        let (_, typed) = function_of(self.shared.program, *self.typed.own_iterators.get(&expr.id)?);
        match typed.result.as_ref()? {
            Ty::Option(element) => Some(element),
            _ => None,
        }
    }

    /// The elements of a range in a variable, which loses them.
    pub(super) fn held_machine(&mut self, expr: &Expr, reversed: bool) -> Option<Machine<'p>> {
        let mut range = self.lower_held(expr)?;
        range.from_end = reversed;
        Some(Machine::Held(range))
    }

    /// The elements of an array or buffer. `by_value`: of a copy, which nothing changes while they are gone through.
    fn indexed_elements(&mut self, expr: &Expr, by_value: bool) -> Option<Indexed> {
        let (place, offset, ty, (count, chunk)) = match self.ty_of(expr) {
            Ty::Array(element, len) => {
                let place = if by_value {
                    self.lower_frozen(expr)
                } else {
                    let spot = self.lower_referent(expr);
                    spot.map(|spot| self.in_place(spot))
                };
                (place, None, (**element).clone(), (self.len_value(*len), None))
            }
            Ty::Buffer { element, .. } => {
                let element = (**element).clone();
                let slice = self.lower_slice(expr)?;
                let (count, offset) = (self.len_of(&slice)?, slice.window().and_then(|window| window.offset));
                let chunk = slice.chunk();
                (Some(self.in_place(slice)), offset, element, (count, chunk))
            }
            _ => return None,
        };
        let at = At::Elements { place, offset, ty, chunk };
        Some(Indexed { extent: Extent::Count(count), at, trusted: true })
    }

    fn adapted(
        &mut self,
        expr: &Expr,
        iteration: Iteration,
        receiver: &Expr,
        args: &[Expr],
        reversed: bool,
    ) -> Option<Machine<'p>> {
        use Iteration as I;
        // Those that cut something off at an end are reversed as a whole; there is no closure in them then.
        let as_whole = reversed && matches!(iteration, I::StepBy | I::Take | I::Skip | I::Zip);
        let inner = self.machine(receiver, reversed && !as_whole)?;
        let item = match self.ty_of(expr) {
            Ty::Iterator(item) => (**item).clone(),
            _ => Ty::Unit,
        };
        let machine = match iteration {
            I::Enumerate => self.enumerated(inner, item, reversed),
            I::StepBy => {
                let step = self.lower_step(args.first()?)?;
                match inner {
                    Machine::Indexed { indexed, .. } => {
                        Machine::Indexed { indexed: self.stepped(indexed, step), cursor: None }
                    }
                    inner => {
                        let zero = self.u32(0);
                        Machine::StepBy { inner: Box::new(inner), step, wait: self.spill(zero, "wait") }
                    }
                }
            }
            I::Take | I::Skip => {
                let count = self.lower_expr(args.first()?)?;
                match (inner, iteration) {
                    (Machine::Indexed { indexed, .. }, I::Take) => {
                        Machine::Indexed { indexed: self.taken(indexed, count), cursor: None }
                    }
                    (Machine::Indexed { indexed, .. }, _) => {
                        Machine::Indexed { indexed: self.skipped(indexed, count), cursor: None }
                    }
                    (inner, I::Take) => {
                        Machine::Take { inner: Box::new(inner), left: self.spill(count, "left"), done: None }
                    }
                    (inner, _) => Machine::Skip { inner: Box::new(inner), left: self.spill(count, "left") },
                }
            }
            I::Zip => {
                let right = self.machine(args.first()?, false)?;
                match (inner, right) {
                    (Machine::Indexed { indexed: left, .. }, Machine::Indexed { indexed: right, .. }) => {
                        Machine::Indexed { indexed: self.zipped(left, right, item), cursor: None }
                    }
                    (left, right) => match (left.extent(), right.extent()) {
                        (Some(a), Some(b)) if left.is_trusted() && right.is_trusted() => {
                            let (extent, start) = (self.shorter(a, b), self.u32(0));
                            let positions = Indexed { extent, at: At::Range { start }, trusted: true };
                            let (left, right) = (Box::new(left), Box::new(right));
                            Machine::Lockstep { positions, cursor: None, left, right, ty: item }
                        }
                        _ => Machine::Zip { left: Box::new(left), right: Box::new(right), ty: item },
                    },
                }
            }
            I::Chain => {
                let other = self.machine(args.first()?, reversed)?;
                let (first, then) = if reversed { (other, inner) } else { (inner, other) };
                let no = self.bool(false);
                let second = self.spill(no, "second");
                Machine::Chain { first: Box::new(first), then: Box::new(then), second, ty: item }
            }
            I::Peekable => {
                let no = self.bool(false);
                let (has, ahead) = (self.spill(no, "has"), self.nothing_found(&item));
                Machine::Peekable { inner: Box::new(inner), has, ahead, ty: item }
            }
            I::Cycle => match inner {
                Machine::Indexed { indexed, .. } => Machine::Indexed { indexed: self.cycled(indexed), cursor: None },
                other => other,
            },
            I::Nested(Nested::Made) => {
                let call = self.callable(self.typed.argument(expr, 0, args.first()?))?;
                Machine::Nested { inner: Box::new(inner), made: Made::By(call) }
            }
            I::Nested(Nested::Elements) => {
                let Ty::Iterator(ty) = self.ty_of(receiver) else { return None };
                Machine::Nested { inner: Box::new(inner), made: Made::Itself((**ty).clone()) }
            }
            I::Scan => {
                let start = self.lower_expr(args.first()?);
                let call = self.callable(self.typed.argument(expr, 1, args.get(1)?))?;
                let state = start.map(|start| self.spill(start, "state"));
                let ty = call.result(self.typed).cloned().unwrap_or(Ty::Unit);
                Machine::Step { kind: I::Scan, inner: Box::new(inner), call, state, ty }
            }
            I::Flatten => {
                let ty = match self.ty_of(receiver) {
                    Ty::Iterator(ty) => (**ty).clone(),
                    _ => self.own_element(receiver)?.clone(),
                };
                Machine::Flatten { inner: Box::new(inner), ty }
            }
            kind => {
                let closure = self.typed.argument(expr, 0, args.first()?);
                let call = self.callable(closure)?;
                let state = (kind == I::SkipWhile).then(|| {
                    let no = self.bool(false);
                    self.spill(no, "found")
                });
                let ty = call.result(self.typed).cloned().unwrap_or(Ty::Unit);
                Machine::Step { kind, inner: Box::new(inner), call, state, ty }
            }
        };
        Some(if as_whole { self.reverse_whole(machine) } else { machine })
    }

    /// Reverses what is reached by position.
    fn reverse_whole(&mut self, machine: Machine<'p>) -> Machine<'p> {
        match machine {
            Machine::Indexed { indexed, .. } => Machine::Indexed { indexed: self.reversed(indexed), cursor: None },
            other => other,
        }
    }

    fn enumerated(&mut self, inner: Machine<'p>, ty: Ty, reversed: bool) -> Machine<'p> {
        match inner {
            // The position of a source that was reversed already counts from the other end.
            Machine::Indexed { indexed: Indexed { extent, at: At::Reversed(at, last), .. }, .. } if reversed => {
                let numbered = At::Numbered(at, ty);
                let indexed = Indexed { extent, at: At::Reversed(Box::new(numbered), last), trusted: false };
                Machine::Indexed { indexed, cursor: None }
            }
            Machine::Indexed { indexed, .. } if !reversed => {
                let at = At::Numbered(Box::new(indexed.at), ty);
                let extent = self.settled(indexed.extent);
                Machine::Indexed { indexed: Indexed { extent, at, trusted: indexed.trusted }, cursor: None }
            }
            inner => {
                let last = inner.extent().filter(|_| reversed).map(|extent| self.last_of(extent));
                let zero = self.u32(0);
                Machine::Enumerate { inner: Box::new(inner), counter: self.spill(zero, "counter"), last, ty }
            }
        }
    }

    /// The step as `u32`; zero panics, as in Rust. `None` when control does not come out.
    fn lower_step(&mut self, step: &Expr) -> Option<ValueId> {
        let value = self.lower_expr(step)?;
        if self.known_scalar(value).is_none_or(|bits| bits == 0) {
            let zero = self.u32(0);
            let is_zero = self.b.op(Op::Eq, &[value, zero]);
            let location = self.location_of(step);
            let outer = self.b.set_location(Some(location));
            self.when(is_zero, |cx| {
                let site = cx.message_site(SiteKind::Panic, step, zero_step_message());
                cx.b.panic(site, &[]);
            });
            self.b.set_location(outer);
        }
        Some(value)
    }

    /// Gives everything that no loop counts for a cursor.
    pub(super) fn start_cursors(&mut self, machine: &mut Machine<'_>, is_led: bool) {
        match machine {
            Machine::Indexed { indexed, cursor } if !is_led => *cursor = Some(self.new_cursor(indexed)),
            Machine::Indexed { .. } | Machine::Held(_) | Machine::Own { .. } | Machine::Kept(_) | Machine::Given(_) => {
            }
            Machine::Lockstep { positions, cursor, left, right, .. } => {
                if !is_led {
                    *cursor = Some(self.new_cursor(positions));
                }
                self.start_cursors(left, true);
                self.start_cursors(right, true);
            }
            Machine::Peekable { inner, .. } => self.start_cursors(inner, false),
            Machine::Chain { first, then, .. } => {
                self.start_cursors(first, false);
                self.start_cursors(then, false);
            }
            Machine::Zip { left, right, .. } => {
                self.start_cursors(left, is_led);
                self.start_cursors(right, false);
            }
            // Its inner machine is driven on its own.
            Machine::Nested { .. } => {}
            Machine::Step { inner, .. }
            | Machine::Flatten { inner, .. }
            | Machine::Enumerate { inner, .. }
            | Machine::Take { inner, .. }
            | Machine::Skip { inner, .. }
            | Machine::StepBy { inner, .. } => self.start_cursors(inner, is_led),
        }
    }

    fn new_cursor(&mut self, indexed: &mut Indexed) -> Cursor {
        indexed.extent = self.settled(indexed.extent);
        let (first, more) = match indexed.extent {
            Extent::Last { any, last } => (self.int_like(last, 0), Some(self.spill(any, "more"))),
            _ => (self.u32(0), None),
        };
        Cursor { position: self.spill(first, "position"), more }
    }

    /// The value of a local variable.
    pub(in crate::lower) fn get(&mut self, local: LocalId) -> ValueId {
        self.b.load(Place::local(local))
    }

    pub(super) fn set(&mut self, local: LocalId, value: ValueId) {
        self.b.store(Place::local(local), value);
    }
}
