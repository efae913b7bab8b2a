//! Place expressions: variables, fields and elements. A read loads only what the expression names.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{LocalId, Place, Root, Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;
use gridwise_ir::types::TypeId;

use super::function::{FnCx, Slot};
use crate::ast::{Expr, ExprKind, UnaryOp};
use crate::typed::{Callee, Len, Resolution, Ty};

/// The place of an expression's value: in memory, in an SSA value, or in both.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    /// The value it is part of, and the way there.
    value: Option<(ValueId, Vec<u32>)>,
    place: Option<Place>,
    /// Of a slice: which elements of the array or buffer at the place it has.
    window: Option<Window>,
    /// Of a slice that changes: the memory with its beginning and its length.
    moving: Option<[LocalId; 2]>,
}

/// Some of the elements of an array or buffer, all in range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// The first; `None` for all from the beginning to the end.
    pub(super) offset: Option<ValueId>,
    pub(super) len: ValueId,
    /// Of what `as_chunks` makes: each element is an array of so many, of those that the offset counts.
    pub(super) chunk: Option<Len>,
}

/// The array or buffer of slices that a call made.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) place: Place,
    /// How many elements each has, where that is a number.
    pub(super) len: Option<u32>,
    /// The slice itself, where a struct holds all elements of a variable.
    pub(super) whole: Option<Box<Spot>>,
    /// As in [`Window`].
    pub(super) chunk: Option<Len>,
}

impl Origin {
    /// The origin of slices of any length.
    pub(super) fn of(place: Place, chunk: Option<Len>) -> Self {
        Self { place, len: None, whole: None, chunk }
    }
}

impl Spot {
    pub(super) fn of_slot(slot: Slot) -> Option<Self> {
        let whole = |value| Some((value, Vec::new()));
        match slot {
            Slot::Nothing => None,
            Slot::Value(value) => Some(Self { value: whole(value), place: None, window: None, moving: None }),
            Slot::Local(local) => {
                Some(Self { value: None, place: Some(Place::local(local)), window: None, moving: None })
            }
            Slot::Both(value, local) => {
                Some(Self { value: whole(value), place: Some(Place::local(local)), window: None, moving: None })
            }
            Slot::Buffer(buffer) => {
                let place = Place { root: Root::Buffer(buffer), path: [].into(), is_unordered: false };
                Some(Self { value: None, place: Some(place), window: None, moving: None })
            }
            Slot::Shared(shared) => {
                Some(Self { value: None, place: Some(Place::shared(shared)), window: None, moving: None })
            }
            // Its spot is in a table: see `FnCx::spot_of`.
            Slot::Alias(_) => None,
            // No value: what it does runs where it is called.
            Slot::Code(_) | Slot::Image(_) | Slot::Iterator(_) => None,
        }
    }

    /// Its place in memory.
    pub(super) fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// Whether it is a value and no place that is written.
    pub(super) fn never_changes(&self) -> bool {
        self.value.is_some()
    }

    /// The elements of the slice that it is.
    pub(super) fn window(&self) -> Option<Window> {
        self.window
    }

    /// Of a slice: how many elements of the place each of its own has, if these are arrays that `as_chunks` made.
    pub(super) fn chunk(&self) -> Option<Len> {
        self.window.and_then(|window| window.chunk)
    }

    /// The spot at a place in memory.
    pub(super) fn at(place: Place) -> Self {
        Self { value: None, place: Some(place), window: None, moving: None }
    }

    /// A slice of what lies at a place.
    pub(super) fn slice(place: Place, window: Window) -> Self {
        Self { value: None, place: Some(place), window: Some(window), moving: None }
    }

    /// The slice, whose ends change: they lie in memory.
    pub(super) fn moving(self, ends: [LocalId; 2]) -> Self {
        Self { moving: Some(ends), ..self }
    }

    /// The memory with the ends of a slice that changes.
    pub(super) fn ends(&self) -> Option<[LocalId; 2]> {
        self.moving
    }

    /// The spot, with accesses of which nothing says in which order invocations do them.
    pub(super) fn unordered(mut self) -> Self {
        if let Some(place) = &mut self.place {
            place.is_unordered = true;
        }
        self
    }

    fn is_buffer(&self) -> bool {
        matches!(&self.place, Some(Place { root: Root::Buffer(_) | Root::Member(..), path, .. }) if path.is_empty())
    }

    /// Its member by number.
    pub(super) fn member(mut self, index: u32) -> Self {
        if let Some((_, steps)) = &mut self.value {
            steps.push(index);
        }
        if let Some(place) = &mut self.place {
            place.path.push(Step::Field(index));
        }
        self
    }
}

impl FnCx<'_, '_, '_> {
    /// The spot of a variable's value.
    pub(super) fn spot_of(&mut self, slot: Slot) -> Option<Spot> {
        match slot {
            Slot::Alias(number) => {
                let spot = self.spots.get(number as usize).cloned()?;
                Some(self.as_it_is_now(spot))
            }
            slot => Spot::of_slot(slot),
        }
    }

    /// Evaluates what a place expression is made of (indices), or any other expression. `None` when there is no value.
    pub(super) fn lower_spot(&mut self, expr: &Expr) -> Option<Spot> {
        match &expr.kind {
            ExprKind::Paren(inner, Some(_)) => self.lower_spot(inner).map(Spot::unordered),
            ExprKind::Paren(inner, None)
            | ExprKind::Unary(UnaryOp::Deref, inner)
            | ExprKind::Borrow { operand: inner, .. } => self.lower_spot(inner),
            ExprKind::Path(_) => match self.typed.paths.get(&expr.id)? {
                Resolution::Binding(binding) => self.spot_of(self.slot(*binding)),
                Resolution::Const(item) if self.const_slot(*item).is_some() => {
                    self.const_slot(*item).and_then(Spot::of_slot)
                }
                _ => self.lower_to_spot(expr),
            },
            ExprKind::Field { base, .. } => {
                let member = *self.typed.fields.get(&expr.id)?;
                let spot = self.lower_spot(base)?;
                // Evaluates to nothing when the field has no value.
                let _ = self.ty(self.ty_of(expr))?;
                let ty = self.ty_of(base);
                let position = self.shared.types.position(self.b.types_mut(), ty, member);
                Some(spot.member(position))
            }
            ExprKind::Index { base, index } => match self.typed.calls.get(&expr.id) {
                Some(Callee::Device(item)) => self.lower_place_call(*item, &[base, index]),
                _ => self.lower_element(expr, base, index),
            },
            ExprKind::Method { receiver, args, .. } => match self.typed.place_call(self.shared.program, expr) {
                Some(item) => {
                    let args = args.iter().enumerate().map(|(position, arg)| self.typed.argument(expr, position, arg));
                    let args: Vec<_> = [&**receiver].into_iter().chain(args).collect();
                    self.lower_place_call(item, &args)
                }
                None => self.lower_to_spot(expr),
            },
            _ => self.lower_to_spot(expr),
        }
    }

    fn lower_to_spot(&mut self, expr: &Expr) -> Option<Spot> {
        let value = self.lower_expr(expr)?;
        Spot::of_slot(Slot::Value(value))
    }

    fn lower_element(&mut self, expr: &Expr, base: &Expr, index: &Expr) -> Option<Spot> {
        if self.ty_of(base).is_list() {
            return self.lower_member(expr, base, index);
        }
        let spot = match self.row_of(base) {
            Some((rows, row)) => {
                let spot = self.lower_indexed(rows);
                if let Some(chunk) = spot.as_ref().and_then(Spot::chunk) {
                    return self.lower_part_of_chunk(expr, (base, spot?, row), chunk, index);
                }
                self.element_of(base, rows, spot, row)
            }
            None => self.lower_indexed(base),
        };
        self.element_of(expr, base, spot, index)
    }

    /// The place of what is indexed.
    fn lower_indexed(&mut self, base: &Expr) -> Option<Spot> {
        match self.ty_of(base) {
            Ty::Buffer { origin: Some(_), .. } => self.lower_slice(base),
            _ => self.lower_spot(base),
        }
    }

    /// The slice and the index of an array that is an element of it.
    fn row_of<'e>(&self, base: &'e Expr) -> Option<(&'e Expr, &'e Expr)> {
        let ExprKind::Index { base: rows, index } = &base.kind else { return None };
        let is_row = matches!(self.ty_of(rows), Ty::Buffer { .. }) && !self.ty_of(rows).is_list();
        (is_row && !self.typed.calls.contains_key(&base.id) && matches!(self.ty_of(base), Ty::Array(..)))
            .then_some((rows, index))
    }

    /// The element of what is indexed, which was evaluated.
    fn element_of(&mut self, expr: &Expr, base: &Expr, spot: Option<Spot>, index: &Expr) -> Option<Spot> {
        let base_ty = self.ty_of(base);
        let index_value = self.lower_expr(index)?;
        let index_value = self.index_word(index_value);
        let element = self.ty(self.ty_of(expr))?;
        if let Ty::Array(_, Len::Known(0)) = base_ty {
            return self.element_of_nothing(expr, index_value, element);
        }
        let spot = spot?;
        if let Some(chunk) = spot.chunk() {
            return self.lower_chunk(expr, spot, chunk, index_value);
        }
        let known = self.known_scalar(index_value);
        let len = match base_ty {
            // No index is known to be below a length that the launch decides.
            Ty::Array(_, len) => len.known().unwrap_or(0),
            Ty::Vector(_, lanes) => u32::from(*lanes),
            _ => 0,
        };
        if let Some(known) = known
            && !spot.is_buffer()
            && known < len.into()
        {
            return Some(spot.member(known as u32));
        }
        if let (Some(Window { offset: Some(offset), len, .. }), Some(known)) = (spot.window, known)
            && self.known_scalar(len).is_some_and(|len| known < len)
        {
            // All elements of a slice are there.
            let value = self.op(Op::Add, &[offset, index_value]);
            let mut place = self.in_place(spot);
            place.path.push(Step::Index { value, check: None });
            return Some(Spot { value: None, place: Some(place), window: None, moving: None });
        }
        let site = self.site(SiteKind::IndexOutOfBounds, expr);
        let value = match spot.window {
            Some(window) => self.index_in(window, index_value, site),
            None => index_value,
        };
        let mut place = self.in_place(spot);
        place.path.push(Step::Index { value, check: Some(site) });
        Some(Spot { value: None, place: Some(place), window: None, moving: None })
    }

    /// An index as `u32`. An index that needs more bits is out of range whatever the length, and stays so.
    pub(super) fn index_word(&mut self, index: ValueId) -> ValueId {
        if self.shape(index).0 != Scalar::U64 || self.known_scalar(index).is_some_and(|index| index <= u32::MAX.into())
        {
            return self.cast(index, Scalar::U32);
        }
        let limit = self.int_like(index, u32::MAX.into());
        let index = self.b.op(Op::Min, &[index, limit]);
        self.cast(index, Scalar::U32)
    }

    /// `[][i]` always traps.
    fn element_of_nothing(&mut self, expr: &Expr, index: ValueId, element: TypeId) -> Option<Spot> {
        let site = self.site(SiteKind::IndexOutOfBounds, expr);
        let len = self.u32(0);
        self.b.trap(site, &[index, len]);
        let value = self.zero(element);
        Spot::of_slot(Slot::Value(value))
    }

    /// The place of a spot; a mere value moves to a local variable first.
    pub(super) fn in_place(&mut self, spot: Spot) -> Place {
        match spot {
            Spot { place: Some(place), .. } => place,
            Spot { place: None, value, .. } => {
                let (value, steps) = value.expect("a spot is somewhere");
                let value = self.part(value, &steps);
                Place::local(self.spill(value, "temporary"))
            }
        }
    }

    /// The place of an array that nothing changes while it is looked at: a copy, unless it is immutable. `None` without
    /// a value.
    pub(super) fn lower_frozen(&mut self, expr: &Expr) -> Option<Place> {
        let spot = self.lower_spot(expr)?;
        if let Spot { value: Some(_), place: Some(place), .. } = spot {
            return Some(place);
        }
        let value = self.read(spot)?;
        Some(Place::local(self.spill(value, "elements")))
    }

    fn part(&mut self, value: ValueId, steps: &[u32]) -> ValueId {
        match steps {
            [] => value,
            [index] if self.known.contains_key(&value) => self.lane(value, *index as u8),
            steps => self.b.extract(value, steps),
        }
    }

    /// The value at a spot now.
    pub(super) fn read(&mut self, spot: Spot) -> Option<ValueId> {
        match spot {
            Spot { value: Some((value, steps)), .. } => Some(self.part(value, &steps)),
            // A buffer as a whole has no value; check has reported it.
            spot if spot.is_buffer() => None,
            Spot { place, .. } => place.map(|place| self.b.load(place)),
        }
    }

    /// The buffer or array that `len` is asked of; only its own parts are evaluated.
    pub(super) fn lower_len(&mut self, receiver: &Expr) -> Option<ValueId> {
        match self.ty_of(receiver) {
            Ty::Array(_, len) => {
                let len = *len;
                // A receiver with effects (a call, a block) is evaluated all the same.
                self.lower_spot(receiver);
                Some(self.len_value(len))
            }
            _ => {
                let spot = self.lower_slice(receiver)?;
                self.len_of(&spot)
            }
        }
    }
}
