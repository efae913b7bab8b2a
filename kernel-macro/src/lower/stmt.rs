//! Blocks, `let`, patterns and assignments.

use gridwise_ir::ir::{Place, Step, ValueId};
use proc_macro2::Ident;

use super::function::{FnCx, Slot};
use crate::ast::{BinaryOp, BindingId, Block, Expr, Pattern, Statement};
use crate::source::Spelling;
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// Runs a block; its value is that of its last expression. Code behind a `return` or `break` is left out.
    pub(super) fn lower_block(&mut self, block: &Block) -> Option<ValueId> {
        self.lower_statements(block);
        if self.b.is_terminated() {
            return None;
        }
        self.lower_expr(block.tail.as_ref()?)
    }

    /// All of a block but its value.
    pub(super) fn lower_statements(&mut self, block: &Block) {
        for statement in &block.statements {
            if self.b.is_terminated() {
                return;
            }
            let statement = match statement {
                Statement::OptionPlace(option_place) if self.typed.option_places.contains(&option_place.id) => {
                    &option_place.element
                }
                Statement::OptionPlace(option_place) => &option_place.written,
                other => other,
            };
            match statement {
                Statement::Let { pattern, value, .. } if self.lower_shared_let(pattern, value.as_ref()) => {}
                Statement::Let { pattern, value, .. } if self.lower_image_let(pattern, value.as_ref()) => {}
                Statement::Let { pattern, value, .. } if self.lower_slice_let(pattern, value.as_ref()) => {}
                Statement::Let { pattern, value, .. } if self.lower_iterator_let(pattern, value.as_ref()) => {}
                Statement::Let { pattern, value, .. } if self.lower_reference_let(pattern, value.as_ref()) => {}
                Statement::Let { pattern, value: Some(initial), otherwise: Some(otherwise), .. } => {
                    self.lower_let_else(pattern, initial, otherwise);
                }
                Statement::Let { pattern, value: Some(initial), span, .. } => {
                    let taken = self.lower_matched(initial);
                    let location = self.location(span.start);
                    let outer = self.b.set_location(Some(location));
                    self.bind_taken(pattern, &taken);
                    self.b.set_location(outer);
                }
                // A variable that is assigned later.
                Statement::Let { pattern, value: None, .. } => {
                    pattern.for_each_binding(&mut |name, binding| self.bind(binding, name, true, None));
                }
                // A value wherever it is named; what one of the two forms stands for was taken above.
                Statement::Const(_) | Statement::OptionPlace(_) | Statement::Use(_) => {}
                Statement::Expr { expr, .. } => {
                    self.lower_expr(expr);
                }
            }
        }
    }

    fn lower_let_else(&mut self, pattern: &Pattern, initial: &Expr, otherwise: &Block) {
        let taken = self.lower_matched(initial);
        if self.b.is_terminated() {
            return;
        }
        if let Some(matches) = self.test(pattern, taken.ty, taken.value) {
            let leave = |cx: &mut Self| {
                cx.lower_block(otherwise);
                // Inference has seen to it that the block is left.
                cx.b.unreachable();
                None
            };
            self.choose(matches, None, |_| None, leave);
        }
        self.bind_taken(pattern, &taken);
    }

    /// Makes a variable.
    pub(super) fn bind(&mut self, binding: BindingId, name: &Ident, mutable: bool, value: Option<ValueId>) {
        let ty = self.typed.binding(binding);
        let name = Spelling::of(name);
        let slot = match (value, self.ty(ty)) {
            (_, None) => Slot::Nothing,
            (None, Some(_)) if self.b.is_terminated() => Slot::Nothing,
            (None, Some(ty)) => Slot::Local(self.b.new_local(&*name, ty)),
            (Some(value), Some(_)) if mutable => Slot::Local(self.spill(value, &name)),
            (Some(value), Some(_)) => {
                self.b.set_name(value, &name);
                if self.holds_array(ty) { self.in_memory(value, &name) } else { Slot::Value(value) }
            }
        };
        self.set_slot(binding, slot);
    }

    /// `place = value`: the value is evaluated first.
    pub(super) fn lower_assign(&mut self, place: &Expr, value: &Expr) -> Option<ValueId> {
        if self.lower_slice_assign(place, value) {
            return None;
        }
        let value = self.lower_expr(value);
        if self.write_one_of(place, |_, _| value, false) {
            return None;
        }
        let place = self.lower_target(place)?;
        self.b.store(place, value?);
        None
    }

    /// `place += value`. Rust evaluates the right side first between scalars, and the place first where the operator is a
    /// trait's method, as it is for vectors.
    pub(super) fn lower_assign_op(&mut self, expr: &Expr, op: BinaryOp, place: &Expr, value: &Expr) -> Option<ValueId> {
        let (place_ty, value_ty) = (self.ty_of(place), self.ty_of(value));
        // `+= &x` is a call of a trait's method for rustc.
        let is_builtin =
            matches!((place_ty, value_ty), (Ty::Scalar(_), Ty::Scalar(_))) && !self.typed.is_reference(value);
        let (target, right) = if is_builtin {
            let right = self.lower_expr(value)?;
            if self.write_one_of(place, |cx, old| cx.binary(expr, op, old, Some(right)), true) {
                return None;
            }
            (self.lower_target(place)?, right)
        } else {
            let target = self.lower_target(place)?;
            (target, self.lower_expr(value)?)
        };
        let old = self.b.load(target.clone());
        let new = self.binary(expr, op, Some(old), Some(right))?;
        let target = self.seen_before(target);
        self.b.store(target, new);
        None
    }

    /// The place for a second access: what is out of range is recorded once.
    pub(super) fn seen_before(&mut self, mut place: Place) -> Place {
        for step in &mut place.path {
            if let Step::Index { check: Some(site), .. } = step {
                *site = self.b.quiet_site(*site);
            }
        }
        place
    }

    /// The memory that an assignment writes.
    pub(super) fn lower_target(&mut self, place: &Expr) -> Option<Place> {
        let location = self.location_of(place);
        let outer = self.b.set_location(Some(location));
        let spot = self.lower_spot(place);
        self.b.set_location(outer);
        spot.map(|spot| self.in_place(spot))
    }
}
