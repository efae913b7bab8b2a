//! Closures: the value is a tuple of what was captured, the code a function of the module that takes it apart again.

use gridwise_ir::builder::ModuleBuilder;
use gridwise_ir::ir::{FunctionId, ValueId};

use super::function::{FnCx, Slot};
use super::reference::Argument;
use super::{Shared, function_of};
use crate::ast::{BindingId, Expr, ExprId};
use crate::program::ItemId;
use crate::typed::{Resolution, Ty};

/// Adds the function of a closure to the module.
pub(super) fn lower_closure_fn(
    module: &mut ModuleBuilder,
    shared: &mut Shared<'_>,
    item: ItemId,
    id: ExprId,
) -> Option<FunctionId> {
    let (ast, typed) = function_of(shared.program, item);
    let closure = typed.closures.get(&id)?;
    let mut params = Vec::new();
    params.extend(shared.types.lower(module.types_mut(), &Ty::Closure(item, id)).map(|ty| ("captured", ty)));
    for ty in &closure.params {
        params.extend(shared.types.lower(module.types_mut(), ty).map(|ty| ("argument", ty)));
    }
    let result = shared.types.lower(module.types_mut(), &closure.result);
    let unit = module.types_mut().unit();
    let builder = module.function(format!("{}_closure", ast.name), &params, result.unwrap_or(unit));
    Some(FnCx::new(shared, builder, item).lower_closure_body(id, result))
}

impl FnCx<'_, '_, '_> {
    fn lower_closure_body(mut self, id: ExprId, result: Option<gridwise_ir::types::TypeId>) -> FunctionId {
        let typed = self.typed;
        let closure = &typed.closures[&id];
        self.set_result(result, &closure.result);
        let mut arguments = self.b.arguments().to_vec().into_iter();
        let captured: Vec<BindingId> = closure.captures.clone();
        let with_value: Vec<bool> = captured.iter().map(|it| self.ty(typed.binding(*it)).is_some()).collect();
        let tuple = if with_value.iter().any(|has| *has) { arguments.next() } else { None };
        let mut position = 0;
        for (binding, has_value) in captured.into_iter().zip(with_value) {
            if has_value && let Some(tuple) = tuple {
                let value = self.b.extract(tuple, &[position]);
                position += 1;
                let holds_array = self.holds_array(typed.binding(binding));
                let slot = if holds_array { self.in_memory(value, "captured") } else { Slot::Value(value) };
                self.set_slot(binding, slot);
            } else if let Some(slot) = self.shared.memory.get(&binding) {
                let slot = *slot;
                self.set_slot(binding, slot);
            }
        }
        for ((pattern, _), ty) in closure.closure.params.iter().zip(&closure.params) {
            let value = if self.ty(ty).is_some() { arguments.next() } else { None };
            self.bind_pattern(pattern, ty, value);
        }
        let value = self.lower_expr(&closure.closure.body);
        self.emit_return(value);
        self.b.finish()
    }

    /// A call of what runs where it is called: a closure in a variable, or one that was passed by a function around.
    fn lower_call_of_named(&mut self, slot: Slot, (item, id): (ItemId, ExprId), args: &[&Expr]) -> Option<ValueId> {
        let (_, typed) = function_of(self.shared.program, item);
        let known = typed.closures.get(&id);
        let references = known.map_or(&[][..], |closure| &closure.references);
        let params = known.map_or(&[][..], |closure| &closure.params);
        let mut values = Vec::with_capacity(args.len());
        for (position, arg) in args.iter().enumerate() {
            if let Some(Ty::Buffer { origin: None, .. }) = params.get(position) {
                let spot = self.lower_slice(arg);
                values.push(Argument::Place(spot.map_or(Slot::Nothing, |spot| self.alias(spot))));
                if self.b.is_terminated() {
                    return None;
                }
                continue;
            }
            values.push(match references.get(position) {
                Some(Some(true)) => {
                    let spot = self.lower_referent(arg);
                    Argument::Place(spot.map_or(Slot::Nothing, |spot| self.alias(spot)))
                }
                _ => Argument::Value(self.lower_expr(arg)),
            });
            if self.b.is_terminated() {
                return None;
            }
        }
        if let Slot::Code(number) = slot {
            return self.call_code(number, &values);
        }
        let callable = self.callable_by_id(item, id)?;
        self.call_with_places(&callable, &values)
    }

    /// The value of a closure expression; `None` when it captures nothing, or runs where it is called.
    pub(super) fn lower_closure(&mut self, expr: &Expr) -> Option<ValueId> {
        if self.typed.closures.get(&expr.id)?.inline {
            return None;
        }
        let ty = self.ty(self.ty_of(expr))?;
        let mut values = Vec::new();
        for binding in &self.typed.closures.get(&expr.id)?.captures {
            if self.ty(self.typed.binding(*binding)).is_some() {
                let spot = self.spot_of(self.slot(*binding))?;
                values.push(self.read(spot)?);
            }
        }
        Some(self.b.compose(ty, &values))
    }

    /// A call of a variable that holds a closure.
    pub(super) fn lower_closure_call(&mut self, expr: &Expr, args: &[&Expr]) -> Option<ValueId> {
        let Some(Resolution::Binding(binding)) = self.typed.paths.get(&expr.id) else { return None };
        let Ty::Closure(item, id) = *self.typed.binding(*binding) else { return None };
        if super::runs_in_place(self.shared.program, item, id) {
            return self.lower_call_of_named(self.slot(*binding), (item, id), args);
        }
        let captured = self.spot_of(self.slot(*binding)).and_then(|spot| self.read(spot));
        let mut values: Vec<ValueId> = captured.into_iter().collect();
        values.extend(self.lower_args(args)?);
        let function = *self.shared.closures.get(&(item, id))?;
        self.b.call(function, &values)
    }
}
