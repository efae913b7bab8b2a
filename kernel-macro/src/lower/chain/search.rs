//! Methods that call something for elements by their positions: the search of a slice that is in order, and arrays made of
//! what a closure gives. The search asks for the elements that Rust's library asks for, in its order.

use gridwise_ir::ir::{Place, Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::slice_method::Elements;
use crate::ast::{BinaryOp, Expr};
use crate::builtin::slice::SliceMethod;
use crate::builtin::standard::Standard;
use crate::lower::compare::{GREATER, LESS};
use crate::lower::control::{Next, Target};
use crate::lower::function::FnCx;
use crate::lower::inline::Callable;
use crate::lower::variant::{ERR, OK};
use crate::typed::Ty;

/// The order of the elements relative to the key of a search.
struct Needle<'e> {
    method: SliceMethod,
    /// The value that is looked for, or its key.
    key: Option<ValueId>,
    call: Option<Callable<'e>>,
}

impl FnCx<'_, '_, '_> {
    /// `partition_point`, `binary_search` and its like.
    pub(super) fn search_sorted(
        &mut self,
        expr: &Expr,
        method: SliceMethod,
        elements: &Elements,
        args: &[&Expr],
    ) -> Option<ValueId> {
        let has_key = matches!(method, SliceMethod::Search | SliceMethod::SearchByKey);
        let key = if has_key { self.lower_expr(args[0]) } else { None };
        if self.b.is_terminated() {
            return None;
        }
        let call = args.get(usize::from(has_key)).and_then(|call| self.callable(call));
        let needle = Needle { method, key, call };
        let (zero, greater) = (self.u32(0), self.u32(GREATER));
        let base = self.spill(zero, "base");
        let order = self.spill(greater, "order");
        let any = self.op(Op::Lt, &[zero, elements.len]);
        self.when(any, |cx| {
            let size = cx.spill(elements.len, "size");
            let body = cx.b.new_loop_body(&[]);
            let target = Target::new(body, false, Next::Plain);
            let parent = cx.b.switch_to(body);
            let (left, first) = (cx.get(size), cx.get(base));
            let two = cx.u32(2);
            let half = cx.b.op(Op::Div, &[left, two]);
            let middle = cx.b.op(Op::Add, &[first, half]);
            let element = cx.load_element(elements, middle);
            if let Some(found) = cx.order_to(&needle, &elements.ty, element) {
                cx.set(order, found);
                let zero = cx.u32(0);
                let is_last = cx.b.op(Op::Eq, &[half, zero]);
                cx.when(is_last, |cx| cx.b.break_(body, &[]));
                let is_behind = cx.is_ordered(BinaryOp::Gt, found);
                let next = cx.select(is_behind, first, middle);
                cx.set(base, next);
                let rest = cx.b.op(Op::Sub, &[left, half]);
                cx.set(size, rest);
            }
            cx.go_on(target);
            cx.b.switch_to(parent);
            cx.b.push_loop(body, &[], &[]);
        });
        let (first, found) = (self.get(base), self.get(order));
        let is_less = self.is_ordered(BinaryOp::Lt, found);
        let step = self.cast(is_less, Scalar::U32);
        let behind = self.b.op(Op::Add, &[first, step]);
        if method == SliceMethod::PartitionPoint {
            return Some(behind);
        }
        let ty = self.ty_of(expr).clone();
        let there = self.make_variant(&ty, OK, &[Some(first)])?;
        let missing = self.make_variant(&ty, ERR, &[Some(behind)])?;
        let is_equal = self.is_ordered(BinaryOp::Eq, found);
        Some(self.select(is_equal, there, missing))
    }

    /// How an element is ordered to what is looked for; `None` when control does not come out.
    fn order_to(&mut self, needle: &Needle<'_>, ty: &Ty, element: Option<ValueId>) -> Option<ValueId> {
        let Some(call) = &needle.call else { return Some(self.order(ty, element, needle.key, Standard::Ord)) };
        let given = self.call_inline(call, &[element]);
        if self.b.is_terminated() {
            return None;
        }
        match needle.method {
            SliceMethod::SearchByKey => {
                let ty = call.result(self.typed)?;
                Some(self.order(ty, given, needle.key, Standard::Ord))
            }
            SliceMethod::PartitionPoint => {
                let (less, greater) = (self.u32(LESS), self.u32(GREATER));
                Some(self.select(given?, less, greater))
            }
            _ => given,
        }
    }

    /// `array.map(…)`: the array is taken before anything is called.
    pub(super) fn map_array(&mut self, expr: &Expr, array: &Expr, call: &Expr) -> Option<ValueId> {
        let Ty::Array(element, len) = self.ty_of(array).clone() else { return None };
        let values = self.lower_expr(array);
        if self.b.is_terminated() {
            return None;
        }
        let place = values.map(|values| Place::local(self.spill(values, "mapped")));
        let elements = Elements { place, offset: None, len: self.len_value(len), ty: (*element).clone(), chunk: None };
        let call = self.callable(call)?;
        self.make_array(expr, elements.len, |cx, index| {
            let value = cx.load_element(&elements, index);
            cx.call_inline(&call, &[value])
        })
    }

    /// `vector.map(…)`
    pub(super) fn map_lanes(&mut self, vector: &Expr, call: &Expr) -> Option<ValueId> {
        let vector = self.lower_expr(vector)?;
        let call = self.callable(call)?;
        let mut mapped = Vec::new();
        for lane in self.lanes(vector) {
            mapped.push(self.call_inline(&call, &[Some(lane)])?);
            if self.b.is_terminated() {
                return None;
            }
        }
        Some(self.vector(&mapped))
    }

    /// `array::from_fn(…)`
    pub(in crate::lower) fn array_from_fn(&mut self, expr: &Expr, call: &Expr) -> Option<ValueId> {
        let Ty::Array(_, len) = *self.ty_of(expr) else { return None };
        let (len, call) = (self.len_value(len), self.callable(call)?);
        self.make_array(expr, len, |cx, index| cx.call_inline(&call, &[Some(index)]))
    }

    /// An array of what is given for each position, in order.
    fn make_array(
        &mut self,
        expr: &Expr,
        len: ValueId,
        element: impl FnOnce(&mut Self, ValueId) -> Option<ValueId>,
    ) -> Option<ValueId> {
        let ty = self.ty(self.ty_of(expr));
        let array = ty.map(|ty| {
            let nothing = self.zero(ty);
            self.spill(nothing, "made")
        });
        self.each_index(len, |cx, index, _| {
            let value = element(cx, index);
            if let (Some(array), Some(value)) = (array, value) {
                let mut place = Place::local(array);
                place.path.push(Step::Index { value: index, check: None });
                cx.b.store(place, value);
            }
        });
        array.map(|array| self.get(array))
    }
}
