//! References: a variable that is one stands for the place it leads to, whose indices were evaluated when it was made. A
//! function that writes through a parameter is lowered where it is called, with that parameter as a name of the place.

use std::mem::swap;

use gridwise_ir::hash::FastMap;
use gridwise_ir::ir::{FileId, Place, SourceLocation, Step, ValueId};
use gridwise_ir::types::TypeId;

use super::chain::Machine;
use super::control::Target;
use super::function::{FnCx, Slot};
use super::function_of;
use super::inline::{Callable, Frame};
use super::place::{Origin, Spot};
use super::types::TypeCx;
use crate::ast::{BindingId, Expr, ExprId, ExprKind, Fn, Pattern};
use crate::infer::{callable_of, holds_atomics, is_one_place};
use crate::program::{ItemId, Program};
use crate::typed::{Len, MemoryFunction, Resolution, Ty, TypedFn};

/// The state of the function being lowered, set aside while another one is.
pub(super) struct Scope<'p> {
    ast: &'p Fn,
    typed: &'p TypedFn,
    targets: FastMap<ExprId, Target>,
    links_depth: u32,
    const_slots: FastMap<ItemId, Slot>,
    origins: FastMap<ExprId, Origin>,
    slots: Vec<Slot>,
    file: FileId,
    result: Option<TypeId>,
    written: Option<BindingId>,
    inlined: Vec<Frame<'p>>,
    result_ty: &'p Ty,
}

impl Scope<'_> {
    /// The function's name.
    pub(super) fn name(&self) -> String {
        self.ast.name.to_string()
    }
}

/// A closure that was passed to a function which is lowered where it is called.
#[derive(Debug, Clone)]
pub(super) struct Code<'p> {
    /// The position among the callers of the function that it is part of.
    home: usize,
    call: Callable<'p>,
}

/// A function that gave an iterator: its state, which is in use while a closure of it runs, and where it was called.
pub(super) struct Home<'p> {
    scope: Option<Scope<'p>>,
    call: Option<SourceLocation>,
}

/// Arguments, and the origins of the slices in them.
pub(super) type Evaluated = (Vec<Argument>, FastMap<ExprId, Origin>);

/// An argument, evaluated.
#[derive(Clone)]
pub(super) enum Argument {
    Value(Option<ValueId>),
    Place(Slot),
}

/// Whether calls of a function are lowered in place: it has a reference to write through, or one to more than is worth a copy, or
/// calls what runs in the function around. A method that writes through `&mut self` is such a function where the value holds an array,
/// which a copy in and out would move with each call.
pub(super) fn is_in_place(program: &Program, item: ItemId) -> bool {
    let (ast, typed) = function_of(program, item);
    let self_ty = if ast.writes_self() { typed.params.first() } else { None };
    let holds = |ty: &Ty| !program.held_origins(ty).is_empty();
    ast.gives_place
        // Control ends where it is called.
        || typed.result == Some(Ty::Never)
        || typed.params.iter().chain(&typed.result).any(holds)
        || ast.gives_slice()
        || ast.given_elements().is_some()
        || self_ty.is_some_and(|ty| TypeCx::new(program).holds_array(ty))
        || ast.params.iter().zip(&typed.params).any(|(param, ty)| match (ty, param.ty.reference()) {
            (Ty::Closure(item, closure), _) => super::runs_in_place(program, *item, *closure),
            (_, Some(mutable)) => mutable || TypeCx::new(program).holds_array(ty),
            (_, None) => matches!(ty, Ty::Buffer { .. } | Ty::Iterator(_)),
        })
}

impl<'p> FnCx<'p, '_, '_> {
    /// Makes what a variable stands for while it is a reference.
    pub(super) fn alias(&mut self, spot: Spot) -> Slot {
        self.spots.push(spot);
        Slot::Alias(self.spots.len() as u32 - 1)
    }

    /// Evaluates the place that a reference leads to. Indices out of range trap here.
    pub(super) fn lower_referent(&mut self, expr: &Expr) -> Option<Spot> {
        let target = referent(expr);
        let location = self.location_of(target);
        let outer = self.b.set_location(Some(location));
        let spot = self.lower_spot(target);
        if let Some(place) = spot.as_ref().and_then(Spot::place)
            && !matches!(target.kind, ExprKind::Path(_))
            && place.path.iter().any(|step| matches!(step, Step::Index { check: Some(_), .. }))
        {
            self.look_at(place.clone(), self.ty_of(target));
        }
        self.b.set_location(outer);
        spot
    }

    /// Reads a place, so that its indices are checked. Atomics in it change meanwhile: of a value that holds some, one member is read.
    fn look_at(&mut self, mut place: Place, ty: &Ty) {
        if !holds_atomics(self.shared.program, ty) {
            self.b.load(place);
            return;
        }
        let mut ty = ty.clone();
        loop {
            ty = match ty {
                Ty::Atomic(scalar) => {
                    self.look_at_cell(place, scalar);
                    return;
                }
                Ty::Array(element, len) => {
                    if len.known() == Some(0) {
                        return;
                    }
                    place.path.push(Step::Field(0));
                    (*element).clone()
                }
                Ty::Tuple(members) => {
                    place.path.push(Step::Field(0));
                    members[0].clone()
                }
                Ty::Struct(..) => {
                    place.path.push(Step::Field(0));
                    self.shared.program.fields_of(&ty)[0].clone()
                }
                _ => {
                    self.b.load(place);
                    return;
                }
            };
        }
    }

    /// `let name = &place;`; whether it was that.
    pub(super) fn lower_reference_let(&mut self, pattern: &Pattern, value: Option<&Expr>) -> bool {
        let (Pattern::Binding { binding, inner: None, .. }, Some(value)) = (pattern, value) else { return false };
        if !self.typed.references.contains_key(binding) || !self.is_reference(value) {
            return false;
        }
        let slot = match self.lower_referent(value) {
            Some(spot) => self.alias(spot),
            None => Slot::Nothing,
        };
        self.set_slot(*binding, slot);
        true
    }

    pub(super) fn is_reference(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Paren(inner, ..) => self.is_reference(inner),
            ExprKind::Borrow { .. } => true,
            ExprKind::Method { .. } => self.typed.place_call(self.shared.program, expr).is_some(),
            ExprKind::Path(_) => match self.typed.paths.get(&expr.id) {
                Some(Resolution::Binding(binding)) => self.typed.references.contains_key(binding),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether calls of a function are lowered in place.
    pub(super) fn is_in_place(&self, item: ItemId) -> bool {
        is_in_place(self.shared.program, item)
    }

    /// A call of a function that is lowered here, arguments first.
    pub(super) fn lower_call_in_place(&mut self, call: &Expr, item: ItemId, args: &[&Expr]) -> Option<ValueId> {
        let (value, origin, held) = self.call_in_place(item, args, |cx, ast, arguments, result| {
            let value = cx.lower_body_here(ast, arguments, result);
            let origin = match &cx.typed.result {
                Some(Ty::Buffer { origin: Some(origin), .. }) => cx.origins.get(origin).cloned(),
                _ => None,
            };
            let held = cx.typed.result.iter().flat_map(|ty| cx.shared.program.held_origins(ty));
            let held: Vec<_> = held.map(|origin| (origin, cx.origins.get(&origin).cloned())).collect();
            let held: Vec<_> = held
                .into_iter()
                .map(|(origin, known)| match known {
                    Some(known) if cx.typed.cut_origins.contains(&origin) => Some(Origin { whole: None, ..known }),
                    known => known,
                })
                .collect();
            Some((value, origin, held))
        })?;
        for (own, origin) in self.shared.program.held_origins(self.ty_of(call)).into_iter().zip(held) {
            if let Some(origin) = origin {
                self.origins.insert(own, origin);
            }
        }
        if let Some(origin) = origin {
            self.origins.insert(call.id, origin);
        }
        value
    }

    /// The origins of slices in arguments, by the numbers that the callee knows them by.
    pub(super) fn passed_origins(&mut self, typed: &TypedFn, args: &[&Expr]) -> FastMap<ExprId, Origin> {
        let program = self.shared.program;
        let mut passed = FastMap::default();
        for (param, arg) in typed.params.iter().zip(args) {
            let own = program.held_origins(self.ty_of(arg));
            for (of_callee, own) in program.held_origins(param).into_iter().zip(own) {
                if let Some(mut origin) = self.whole_of(own) {
                    if self.typed.cut_origins.contains(&own) {
                        origin.whole = None;
                    }
                    passed.insert(of_callee, origin);
                }
            }
        }
        passed
    }

    /// A slice with which a function or the value of a variable ends: where it begins, and its length. What it is a part of is noted.
    pub(super) fn lower_given_slice(&mut self, end: &Expr) -> Option<ValueId> {
        let chosen = self.typed.given_slices.get(&end.id).copied().flatten();
        let of_result = match &self.typed.result {
            Some(Ty::Buffer { origin, .. }) => *origin,
            _ => None,
        };
        let origin = chosen.or(of_result);
        let end_is_held = chosen.is_some_and(|origin| self.typed.is_held_origin(origin));
        if end.empty_slice().is_some() {
            // Those that it stands beside have another length.
            if let Some(origin) = origin.and_then(|origin| self.origins.get_mut(&origin)) {
                origin.len = None;
            }
            let zero = self.u32(0);
            return Some(self.slice_value(zero, zero));
        }
        let spot = match self.ty_of(end) {
            // Of a part of such a slice, `&rest[1..]`, its own way.
            Ty::Buffer { origin: Some(call), .. } if !matches!(end.kind, ExprKind::Borrow { .. }) => {
                let call = *call;
                let slice = self.lower_kind(end)?;
                self.slice_of_value(call, slice)?
            }
            _ => self.lower_slice(end)?,
        };
        let [offset, len] = self.ends_of(&spot)?;
        if let (Some(origin), Some(place)) = (origin, spot.place()) {
            let has_open_len = matches!(self.ty_of(referent(end)), Ty::Array(_, Len::Chosen(_)));
            let is_held = end_is_held && !has_open_len && !self.typed.cut_origins.contains(&origin);
            let whole = is_held.then(|| Box::new(spot.clone()));
            self.origins.insert(origin, Origin { whole, ..Origin::of(place.clone(), spot.chunk()) });
        }
        Some(self.slice_value(offset, len))
    }

    /// A call whose result is a place: that which the body ends with, or a value where it is one of several.
    pub(super) fn lower_place_call(&mut self, item: ItemId, args: &[&Expr]) -> Option<Spot> {
        self.call_in_place(item, args, |cx, ast, arguments, result| {
            let is_one = |tail: &Expr| match ast.writes_self() {
                true => is_one_place(tail),
                false => matches!(tail.kind, ExprKind::Borrow { .. }),
            };
            let tail = ast.body.tail.as_deref().filter(|tail| is_one(tail));
            let Some(tail) = tail.filter(|_| !ast.returns_early) else {
                return cx.lower_body_here(ast, arguments, result).and_then(|value| Spot::of_slot(Slot::Value(value)));
            };
            cx.bind_arguments(ast, arguments);
            cx.materialise_tables();
            cx.lower_statements(&ast.body);
            if cx.b.is_terminated() { None } else { cx.lower_referent(tail) }
        })
    }

    /// The machine of the chain with which a function ends, whose closures run in the function from then on.
    pub(super) fn given_machine(&mut self, item: ItemId, args: &[&Expr], reversed: bool) -> Option<Machine<'p>> {
        let call = self.b.set_location(None);
        self.b.set_location(call);
        let (machine, scope) = self.call_and_keep(item, args, |cx, ast, arguments, _| {
            cx.bind_arguments(ast, arguments);
            cx.materialise_tables();
            cx.lower_statements(&ast.body);
            let chain = cx.lower_to_tail(ast.body.tail.as_deref()?)?;
            cx.machine(chain, reversed)
        })?;
        let mut machine = machine?;
        let home = self.homes.len() as u32;
        if machine.leave_home(home, self.callers.len()) {
            self.homes.push(Home { scope: Some(scope), call });
        }
        Some(machine)
    }

    /// Goes on in functions that gave an iterator, the innermost last.
    pub(super) fn go_home(&mut self, homes: &[u32]) {
        for home in homes {
            let Home { scope, call } = &mut self.homes[*home as usize];
            let (scope, call) = (scope.take(), *call);
            if let Some(mut scope) = scope {
                self.swap_scope(&mut scope);
                self.callers.push(Some(scope));
                self.shared.calls.extend(call);
            }
        }
    }

    /// Ends what [`go_home`](Self::go_home) began.
    pub(super) fn leave_homes(&mut self, homes: &[u32]) {
        for home in homes.iter().rev() {
            if let Some(Some(mut scope)) = self.callers.pop() {
                self.swap_scope(&mut scope);
                let Home { scope: kept, call } = &mut self.homes[*home as usize];
                *kept = Some(scope);
                if call.is_some() {
                    self.shared.calls.pop();
                }
            }
        }
    }

    fn call_in_place<R>(
        &mut self,
        item: ItemId,
        args: &[&Expr],
        body: impl FnOnce(&mut Self, &'p Fn, Vec<Argument>, Option<TypeId>) -> Option<R>,
    ) -> Option<R> {
        self.call_and_keep(item, args, body)?.0
    }

    /// Runs code in a function that is lowered where it is called; the result, and the state of the function at its end.
    fn call_and_keep<R>(
        &mut self,
        item: ItemId,
        args: &[&Expr],
        body: impl FnOnce(&mut Self, &'p Fn, Vec<Argument>, Option<TypeId>) -> Option<R>,
    ) -> Option<(Option<R>, Scope<'p>)> {
        let evaluated = self.evaluated(item, args)?;
        self.call_with(item, evaluated, body)
    }

    /// A call with arguments that are evaluated.
    pub(super) fn call_evaluated(&mut self, item: ItemId, evaluated: Evaluated) -> Option<ValueId> {
        let run = |cx: &mut Self, ast, arguments, result| cx.lower_body_here(ast, arguments, result);
        self.call_with(item, evaluated, run)?.0
    }

    /// The arguments of a call, evaluated, and what the slices in them are parts of; `None` where control ends there.
    pub(super) fn evaluated(&mut self, item: ItemId, args: &[&Expr]) -> Option<Evaluated> {
        let (ast, typed) = function_of(self.shared.program, item);
        let has_place = ast.writes_self() || ast.gives_place;
        let mut arguments = Vec::with_capacity(args.len());
        for (position, ((param, ty), arg)) in ast.params.iter().zip(&typed.params).zip(args).enumerate() {
            let is_place = param.ty.reference().is_some() || position == 0 && has_place;
            let argument = if let Ty::Closure(made_by, closure) = ty
                && super::runs_in_place(self.shared.program, *made_by, *closure)
            {
                Argument::Place(self.lower_code(arg, *made_by, *closure))
            } else if let Ty::Iterator(_) = ty {
                Argument::Place(self.lower_passed_iterator(arg, param.goes_on())?)
            } else if let Ty::Buffer { .. } = ty {
                let spot = self.lower_slice(arg);
                Argument::Place(spot.map_or(Slot::Nothing, |spot| self.alias(spot)))
            } else if is_place {
                let writes = param.ty.reference() == Some(true) || position == 0 && ast.writes_self();
                let spot = match self.lower_referent(arg) {
                    // A value of the call's own, `Vm::default().run(…)`, is a variable for as long as the call lasts.
                    Some(spot) if writes && spot.never_changes() => {
                        let value = self.read(spot);
                        value.and_then(|value| Spot::of_slot(Slot::Local(self.spill(value, "temporary"))))
                    }
                    spot => spot,
                };
                Argument::Place(spot.map_or(Slot::Nothing, |spot| self.alias(spot)))
            } else {
                Argument::Value(self.lower_expr(arg))
            };
            if self.b.is_terminated() {
                return None;
            }
            arguments.push(argument);
        }
        let origins = self.passed_origins(typed, args);
        Some((arguments, origins))
    }

    /// A call of the `next` of a value that lies somewhere; the option that it gives, and its type.
    pub(super) fn lower_next(
        &mut self,
        item: ItemId,
        value: Slot,
        origins: &FastMap<ExprId, Origin>,
    ) -> Option<(ValueId, &'p Ty)> {
        let (_, typed) = function_of(self.shared.program, item);
        let arguments = vec![Argument::Place(value)];
        let (option, _) = self.call_with(item, (arguments, origins.clone()), |cx, ast, arguments, result| {
            cx.lower_body_here(ast, arguments, result)
        })?;
        Some((option?, typed.result.as_ref()?))
    }

    /// Runs code in a function that is lowered where it is called, with arguments that are evaluated, and with what its slices are parts of.
    fn call_with<R>(
        &mut self,
        item: ItemId,
        (arguments, origins): Evaluated,
        body: impl FnOnce(&mut Self, &'p Fn, Vec<Argument>, Option<TypeId>) -> Option<R>,
    ) -> Option<(Option<R>, Scope<'p>)> {
        let (ast, typed) = function_of(self.shared.program, item);
        let result = typed.result.as_ref().and_then(|ty| self.ty(ty));
        let mut scope = Scope {
            ast,
            typed,
            targets: FastMap::default(),
            links_depth: 0,
            const_slots: FastMap::default(),
            origins,
            slots: vec![Slot::Nothing; ast.binding_count],
            file: self.file_of(item),
            result,
            written: None,
            inlined: Vec::new(),
            result_ty: typed.result.as_ref().unwrap_or(&Ty::Unit),
        };
        let call = self.b.set_location(None);
        self.b.set_location(call);
        self.shared.calls.extend(call);
        self.swap_scope(&mut scope);
        self.callers.push(Some(scope));
        self.copies += 1;
        let value = body(self, ast, arguments, result);
        self.copies -= 1;
        if call.is_some() {
            self.shared.calls.pop();
        }
        let mut scope = self.callers.pop()??;
        self.swap_scope(&mut scope);
        Some((value, scope))
    }

    /// The iterator that an argument is, whose closures run here whoever asks it for elements.
    fn lower_passed_iterator(&mut self, arg: &Expr, mutable: bool) -> Option<Slot> {
        let mut machine = self.machine(arg, false)?;
        machine.keep_home(self.callers.len());
        if mutable {
            machine = self.kept_machine(machine);
        }
        Some(self.hold_machine(machine))
    }

    /// The closure that an argument is, which runs here whoever calls it.
    fn lower_code(&mut self, arg: &Expr, item: ItemId, closure: ExprId) -> Slot {
        let callable = callable_of(arg);
        // Passed on.
        if let ExprKind::Path(_) = callable.kind
            && let Some(Resolution::Binding(binding)) = self.typed.paths.get(&callable.id)
            && let slot @ Slot::Code(_) = self.slot(*binding)
        {
            return slot;
        }
        let Some(call) = self.callable_by_id(item, closure) else { return Slot::Nothing };
        self.codes.push(Code { home: self.callers.len(), call });
        Slot::Code(self.codes.len() as u32 - 1)
    }

    /// Runs a closure of a function around, with arguments that are evaluated.
    pub(super) fn call_code(&mut self, number: u32, args: &[Argument]) -> Option<ValueId> {
        let Code { home, call } = self.codes[number as usize].clone();
        self.in_caller(Some(home), |cx| cx.call_with_places(&call, args))
    }

    /// Runs code in the caller at a position, if there is one.
    pub(super) fn in_caller<R>(&mut self, caller: Option<usize>, run: impl FnOnce(&mut Self) -> R) -> R {
        self.change_places(caller);
        let result = run(self);
        self.change_places(caller);
        result
    }

    /// Goes on in the caller at a position, if there is one, which keeps the state of this function meanwhile.
    fn change_places(&mut self, caller: Option<usize>) {
        if let Some(caller) = caller
            && let Some(mut scope) = self.callers.get_mut(caller).and_then(Option::take)
        {
            self.swap_scope(&mut scope);
            self.callers[caller] = Some(scope);
        }
    }

    /// `mem::swap` and its like: both places first, then their values.
    pub(super) fn lower_memory_call(
        &mut self,
        expr: &Expr,
        function: MemoryFunction,
        args: &[&Expr],
    ) -> Option<ValueId> {
        let place = self.lower_exchanged(args[0]);
        let (other, value) = match function {
            MemoryFunction::Swap => (self.lower_exchanged(args[1]), None),
            MemoryFunction::Replace => (None, self.lower_expr(args[1])),
            MemoryFunction::Take => {
                let ty = self.ty_of(expr).clone();
                (None, self.default_of(&ty))
            }
        };
        if self.b.is_terminated() {
            return None;
        }
        let place = place?;
        let old = self.b.load(place.clone());
        match other {
            Some(other) => {
                let value = self.b.load(other.clone());
                self.b.store(place, value);
                self.b.store(other, old);
                None
            }
            None => {
                if let Some(value) = value {
                    self.b.store(place, value);
                }
                Some(old)
            }
        }
    }

    /// The place that a reference leads to; `None` when what lies there has no value.
    fn lower_exchanged(&mut self, arg: &Expr) -> Option<Place> {
        let spot = self.lower_referent(arg);
        self.ty(self.ty_of(arg))?;
        spot.map(|spot| self.in_place(spot))
    }

    fn bind_arguments(&mut self, ast: &'p Fn, arguments: Vec<Argument>) {
        for (param, argument) in ast.params.iter().zip(arguments) {
            match argument {
                Argument::Place(slot) => self.set_slot(param.binding, slot),
                Argument::Value(value) => self.bind_param(param, value),
            }
        }
    }

    fn lower_body_here(&mut self, ast: &'p Fn, arguments: Vec<Argument>, result: Option<TypeId>) -> Option<ValueId> {
        self.bind_arguments(ast, arguments);
        self.materialise_tables();
        if !ast.returns_early {
            return self.lower_block(&ast.body);
        }
        // A `return` leaves a loop of one round.
        let body = self.b.new_loop_body(&[]);
        self.inlined.push(Frame::new(body, result.is_some(), self.result_ty));
        let parent = self.b.switch_to(body);
        let value = self.lower_block(&ast.body);
        self.emit_return(value);
        self.b.switch_to(parent);
        let results = self.b.push_loop(body, &[], result.as_slice());
        results.first().copied().filter(|_| !self.b.is_terminated())
    }

    fn swap_scope(&mut self, scope: &mut Scope<'p>) {
        swap(&mut self.ast, &mut scope.ast);
        swap(&mut self.typed, &mut scope.typed);
        swap(&mut self.targets, &mut scope.targets);
        swap(&mut self.links_depth, &mut scope.links_depth);
        swap(&mut self.const_slots, &mut scope.const_slots);
        swap(&mut self.origins, &mut scope.origins);
        swap(&mut self.slots, &mut scope.slots);
        swap(&mut self.file, &mut scope.file);
        swap(&mut self.result, &mut scope.result);
        swap(&mut self.written, &mut scope.written);
        swap(&mut self.inlined, &mut scope.inlined);
        swap(&mut self.result_ty, &mut scope.result_ty);
    }
}

/// The referent of a reference: the operand of `&`, or the variable that is one.
fn referent(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => referent(inner),
        _ => expr,
    }
}
