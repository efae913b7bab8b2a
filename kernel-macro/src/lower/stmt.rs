//! Blocks, `let`, patterns and assignments.

use gridwise_ir::ir::{Place, ValueId};
use proc_macro2::Ident;

use super::function::{FnCx, Slot};
use crate::ast::{BinaryOp, BindingId, Block, Expr, Pattern, Statement};
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// Runs a block; its value is that of its last expression. Code behind a `return` or `break` is left out.
    pub(super) fn lower_block(&mut self, block: &Block) -> Option<ValueId> {
        for statement in &block.statements {
            if self.b.is_terminated() {
                return None;
            }
            match statement {
                Statement::Let { pattern, value: initial, span, .. } => {
                    let value = initial.as_ref().and_then(|value| self.lower_expr(value));
                    let location = self.location(span.start);
                    let outer = self.b.set_location(Some(location));
                    let ty = initial.as_ref().map_or(&Ty::Never, |value| self.ty_of(value));
                    self.bind_pattern(pattern, ty, value);
                    self.b.set_location(outer);
                }
                Statement::Expr { expr, .. } => {
                    self.lower_expr(expr);
                }
            }
        }
        if self.b.is_terminated() {
            return None;
        }
        self.lower_expr(block.tail.as_ref()?)
    }

    /// Binds the variables of a pattern to the parts of a value of type `ty`; without a value they are only declared.
    pub(super) fn bind_pattern(&mut self, pattern: &Pattern, ty: &Ty, value: Option<ValueId>) {
        match pattern {
            Pattern::Wild(_) => {}
            Pattern::Binding { name, mutable, binding } => self.bind(*binding, name, *mutable, value),
            Pattern::Tuple(members, _) => {
                // Members without values are no part of the tuple in IR.
                let mut position = 0;
                for (index, member) in members.iter().enumerate() {
                    let member_ty = self.member_ty(ty, index as u32);
                    let has_value = self.ty(&member_ty).is_some();
                    let part = value.filter(|_| has_value).map(|value| self.b.extract(value, &[position]));
                    position += u32::from(has_value);
                    self.bind_pattern(member, &member_ty, part);
                }
            }
        }
    }

    /// Makes a variable.
    pub(super) fn bind(&mut self, binding: BindingId, name: &Ident, mutable: bool, value: Option<ValueId>) {
        let ty = self.typed.binding(binding);
        let name = name.to_string();
        let slot = match (value, self.ty(ty)) {
            (_, None) => Slot::Nothing,
            (None, Some(_)) if self.b.is_terminated() => Slot::Nothing,
            (None, Some(ty)) => Slot::Local(self.b.new_local(name, ty)),
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
        let value = self.lower_expr(value);
        let place = self.lower_target(place)?;
        self.b.store(place, value?);
        None
    }

    /// `place += value`. Rust evaluates the right side first between scalars, and the place first where the operator is a
    /// trait's method, as it is for vectors.
    pub(super) fn lower_assign_op(&mut self, expr: &Expr, op: BinaryOp, place: &Expr, value: &Expr) -> Option<ValueId> {
        let (place_ty, value_ty) = (self.ty_of(place), self.ty_of(value));
        let is_builtin = matches!((place_ty, value_ty), (Ty::Scalar(_), Ty::Scalar(_)));
        let (target, right) = if is_builtin {
            let right = self.lower_expr(value)?;
            (self.lower_target(place)?, right)
        } else {
            let target = self.lower_target(place)?;
            (target, self.lower_expr(value)?)
        };
        let old = self.b.load(target.clone());
        let new = self.binary(expr, op, Some(old), Some(right))?;
        self.b.store(target, new);
        None
    }

    /// The memory that an assignment writes.
    fn lower_target(&mut self, place: &Expr) -> Option<Place> {
        let location = self.location_of(place);
        let outer = self.b.set_location(Some(location));
        let spot = self.lower_spot(place);
        self.b.set_location(outer);
        spot.map(|spot| self.in_place(spot))
    }
}
