//! Blocks, `let`, patterns and assignments.

use gridwise_ir::ir::{Place, ValueId};
use proc_macro2::Ident;

use super::function::{FnCx, Slot};
use crate::ast::{BinaryOp, BindingId, Block, Expr, ExprKind, Pattern, Statement};
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// Runs a block; its value is that of its last expression. Code behind a `return` or `break` is left out.
    pub(super) fn lower_block(&mut self, block: &Block) -> Option<ValueId> {
        for statement in &block.statements {
            if self.b.is_terminated() {
                return None;
            }
            match statement {
                Statement::Let { pattern, value, span, .. } => {
                    let value = value.as_ref().and_then(|value| self.lower_expr(value));
                    let location = self.location(span.start);
                    let outer = self.b.set_location(Some(location));
                    self.bind_pattern(pattern, value);
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

    /// Binds the variables of a pattern to the parts of a value; without a value they are only declared.
    pub(super) fn bind_pattern(&mut self, pattern: &Pattern, value: Option<ValueId>) {
        match pattern {
            Pattern::Wild(_) => {}
            Pattern::Binding { name, mutable, binding } => self.bind(*binding, name, *mutable, value),
            Pattern::Tuple(members, _) => {
                // Members without values are no part of the tuple in IR.
                let mut position = 0;
                for member in members {
                    let part = match value {
                        Some(value) if self.pattern_has_value(member) => {
                            position += 1;
                            Some(self.b.extract(value, &[position - 1]))
                        }
                        _ => None,
                    };
                    self.bind_pattern(member, part);
                }
            }
        }
    }

    fn pattern_has_value(&mut self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Wild(_) => true,
            Pattern::Binding { binding, .. } => self.ty(self.typed.binding(*binding)).is_some(),
            Pattern::Tuple(members, _) => members.iter().any(|member| self.pattern_has_value(member)),
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
        self.assign(place, value);
        None
    }

    fn assign(&mut self, place: &Expr, value: Option<ValueId>) {
        match &place.kind {
            ExprKind::Paren(inner) => self.assign(inner, value),
            ExprKind::Tuple(members) => {
                let mut position = 0;
                for member in members {
                    let has_value = self.ty(self.ty_of(member)).is_some();
                    let part = value.filter(|_| has_value).map(|value| self.b.extract(value, &[position]));
                    position += u32::from(has_value);
                    self.assign(member, part);
                }
            }
            _ => {
                let Some(place) = self.lower_target(place) else { return };
                if let Some(value) = value {
                    self.b.store(place, value);
                }
            }
        }
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
        let new = self.binary(expr, op, (Some(old), place_ty), (Some(right), value_ty))?;
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
