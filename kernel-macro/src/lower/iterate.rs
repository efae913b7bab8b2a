//! `for` loops over ranges and arrays, forwards, backwards and in steps; exact also where a range ends at its type's limit.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{Place, Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::control::{Next, Target};
use super::function::FnCx;
use crate::ast::{AdapterKind, Block, Expr, Iterated, Pattern, Range, Source};
use crate::message::zero_step_message;
use crate::typed::Ty;

/// Where a loop begins and ends; both are values it takes, if there is any.
struct Walk {
    first: ValueId,
    last: ValueId,
    /// Whether there is a value at all; `None` when there surely is.
    any: Option<ValueId>,
    /// A `u32`.
    step: Option<ValueId>,
    descending: bool,
}

/// What a loop counts for.
struct Elements<'e> {
    pattern: &'e Pattern,
    /// The type of what the pattern takes apart.
    ty: Ty,
    /// The array, when the loop counts its indices.
    array: Option<(Place, Ty)>,
    enumerated: bool,
}

impl FnCx<'_, '_, '_> {
    pub(super) fn lower_for(
        &mut self,
        expr: &Expr,
        pattern: &Pattern,
        iterated: &Iterated,
        body: &Block,
    ) -> Option<ValueId> {
        if let Some(range) = iterated.plain_range() {
            return self.lower_range(expr, pattern, range, body);
        }
        let (mut elements, source) = self.lower_source(pattern, iterated)?;
        let mut steps = Vec::new();
        for adapter in &iterated.adapters {
            steps.push(match &adapter.kind {
                AdapterKind::StepBy(step) => Some(self.lower_step(step)?),
                _ => None,
            });
        }
        // An empty array.
        let mut walk = source?;
        let step_or_rev = |kind: &AdapterKind| matches!(kind, AdapterKind::StepBy(_) | AdapterKind::Rev);
        let is_plain = !iterated.adapters.iter().any(|adapter| step_or_rev(&adapter.kind));
        if elements.enumerated {
            elements.ty = Ty::Tuple([Ty::USIZE, elements.ty].into());
        }
        if is_plain && walk.any.is_none() {
            self.lower_forward(expr, &elements, walk, body);
            return None;
        }
        let any = walk.any.take();
        let run = |cx: &mut Self| {
            for (adapter, step) in iterated.adapters.iter().zip(steps) {
                match adapter.kind {
                    AdapterKind::Rev => cx.reverse(&mut walk),
                    AdapterKind::StepBy(_) => walk.step = step,
                    AdapterKind::Plain | AdapterKind::Enumerate => {}
                }
            }
            cx.lower_walk(expr, &elements, &walk, body);
        };
        match any {
            Some(any) => self.when(any, run),
            None => run(self),
        }
        None
    }

    fn lower_range(&mut self, expr: &Expr, pattern: &Pattern, range: &Range, body: &Block) -> Option<ValueId> {
        let start = self.lower_expr(&range.start)?;
        let end = self.lower_expr(&range.end)?;
        if range.inclusive {
            let is_any = self.b.op(Op::Le, &[start, end]);
            self.when(is_any, |cx| cx.lower_counted(expr, pattern, range, (start, end), body));
        } else {
            self.lower_counted(expr, pattern, range, (start, end), body);
        }
        None
    }

    fn lower_counted(
        &mut self,
        expr: &Expr,
        pattern: &Pattern,
        range: &Range,
        (start, end): (ValueId, ValueId),
        block: &Block,
    ) {
        let body = self.b.new_loop_body(&[self.b.value_type(start)]);
        let index = self.b.block_params(body)[0];
        let next = if range.inclusive { Next::Inclusive { index, end } } else { Next::Exclusive { index } };
        self.targets.insert(expr.id, Target { body, has_result: false, next });
        let parent = self.b.switch_to(body);
        if !range.inclusive {
            let goes_on = self.b.op(Op::Lt, &[index, end]);
            self.break_unless(expr, goes_on);
        }
        self.bind_pattern(pattern, self.ty_of(&range.start), Some(index));
        self.lower_block(block);
        self.continue_to(expr);
        self.b.switch_to(parent);
        self.b.push_loop(body, &[start], &[]);
    }

    /// Evaluates the source. `None` when control does not come out; the walk is `None` when there is nothing to go through.
    fn lower_source<'e>(&mut self, pattern: &'e Pattern, iterated: &Iterated) -> Option<(Elements<'e>, Option<Walk>)> {
        let enumerated = iterated.is_enumerated();
        match &iterated.source {
            Source::Range(range) => {
                let start = self.lower_expr(&range.start)?;
                let end = self.lower_expr(&range.end)?;
                let any = self.b.op(if range.inclusive { Op::Le } else { Op::Lt }, &[start, end]);
                let last = if range.inclusive { end } else { self.moved(end, None, true) };
                let walk = Walk { first: start, last, any: Some(any), step: None, descending: false };
                let ty = self.ty_of(&range.start).clone();
                Some((Elements { pattern, ty, array: None, enumerated }, Some(walk)))
            }
            Source::Array(array) => {
                let ty = self.ty_of(array).clone();
                let Ty::Array(element, len) = &ty else { return None };
                let place = self.lower_frozen(array);
                if self.b.is_terminated() {
                    return None;
                }
                let place = place.map(|place| (place, (**element).clone()));
                let walk = (*len > 0).then(|| {
                    let (first, last) = (self.u32(0), self.u32(len - 1));
                    Walk { first, last, any: None, step: None, descending: false }
                });
                Some((Elements { pattern, ty: (**element).clone(), array: place, enumerated }, walk))
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

    /// A walk in the other direction: in steps, it begins where the steps end.
    fn reverse(&mut self, walk: &mut Walk) {
        if let Some(step) = walk.step {
            let length = self.steps_between(walk.first, walk.last, walk.descending);
            let step = self.like(step, length);
            let count = self.b.op(Op::Div, &[length, step]);
            let whole = self.b.op(Op::Mul, &[count, step]);
            walk.last = self.moved(walk.first, Some(whole), walk.descending);
        }
        std::mem::swap(&mut walk.first, &mut walk.last);
        walk.descending = !walk.descending;
    }

    /// All indices of an array in order: the form that passes know best.
    fn lower_forward(&mut self, expr: &Expr, elements: &Elements<'_>, walk: Walk, block: &Block) {
        let end = self.moved(walk.last, None, false);
        let body = self.b.new_loop_body(&[self.b.value_type(walk.first)]);
        let index = self.b.block_params(body)[0];
        self.targets.insert(expr.id, Target { body, has_result: false, next: Next::Exclusive { index } });
        let parent = self.b.switch_to(body);
        let goes_on = self.b.op(Op::Lt, &[index, end]);
        self.break_unless(expr, goes_on);
        self.bind_element(elements, &walk, index);
        self.lower_block(block);
        self.continue_to(expr);
        self.b.switch_to(parent);
        self.b.push_loop(body, &[walk.first], &[]);
    }

    fn lower_walk(&mut self, expr: &Expr, elements: &Elements<'_>, walk: &Walk, block: &Block) {
        let body = self.b.new_loop_body(&[self.b.value_type(walk.first)]);
        let index = self.b.block_params(body)[0];
        let next = Next::Walk { index, last: walk.last, step: walk.step, descending: walk.descending };
        self.targets.insert(expr.id, Target { body, has_result: false, next });
        let parent = self.b.switch_to(body);
        self.bind_element(elements, walk, index);
        self.lower_block(block);
        self.continue_to(expr);
        self.b.switch_to(parent);
        self.b.push_loop(body, &[walk.first], &[]);
    }

    /// Binds the loop's variables for the value or index that the walk has come to.
    fn bind_element(&mut self, elements: &Elements<'_>, walk: &Walk, index: ValueId) {
        let element = match &elements.array {
            None => Some(index).filter(|_| !matches!(elements.ty, Ty::Unit)),
            Some((place, ty)) => self.ty(ty).map(|_| {
                let mut place = place.clone();
                // In range: it comes from the array's length.
                place.path.push(Step::Index { value: index, check: None });
                self.b.load(place)
            }),
        };
        if !elements.enumerated {
            return self.bind_pattern(elements.pattern, &elements.ty, element);
        }
        let mut number = self.steps_between(walk.first, index, walk.descending);
        if let Some(step) = walk.step {
            let step = self.like(step, number);
            number = self.b.op(Op::Div, &[number, step]);
        }
        number = self.cast(number, Scalar::U32);
        let pair = self.ty(&elements.ty).map(|ty| {
            let members: Vec<_> = [Some(number), element].into_iter().flatten().collect();
            self.compose(ty, &members)
        });
        self.bind_pattern(elements.pattern, &elements.ty, pair);
    }

    /// How far `to` is from `from`, which is not behind it: a `u64` for 64-bit integers, a `u32` for all others.
    pub(super) fn steps_between(&mut self, from: ValueId, to: ValueId, descending: bool) -> ValueId {
        let (low, high) = if descending { (to, from) } else { (from, to) };
        let difference = self.b.op(Op::Sub, &[high, low]);
        let (unsigned, wide) = match self.shape(low).0 {
            Scalar::I8 | Scalar::U8 => (Scalar::U8, Scalar::U32),
            Scalar::I16 | Scalar::U16 => (Scalar::U16, Scalar::U32),
            Scalar::I64 | Scalar::U64 => (Scalar::U64, Scalar::U64),
            _ => (Scalar::U32, Scalar::U32),
        };
        let difference = self.cast(difference, unsigned);
        self.cast(difference, wide)
    }

    /// A number in the type of `model`.
    pub(super) fn like(&mut self, value: ValueId, model: ValueId) -> ValueId {
        let scalar = self.shape(model).0;
        self.cast(value, scalar)
    }

    /// The value `step`, or one, further on.
    pub(super) fn moved(&mut self, index: ValueId, step: Option<ValueId>, descending: bool) -> ValueId {
        let step = match step {
            Some(step) => self.like(step, index),
            None => self.int_like(index, 1),
        };
        self.op(if descending { Op::Sub } else { Op::Add }, &[index, step])
    }
}
