//! `value[index] = x` where `index_mut` ends with one of several places: the function is lowered where it is called, and each of its ends writes.
//! Inference has seen that nothing else is done with the place.

use gridwise_ir::ir::ValueId;

use super::function::FnCx;
use super::function_of;
use crate::ast::{Expr, ExprId, ExprKind, Fn};
use crate::infer::{ends_of_function, gives_one_of};
use crate::program::ItemId;
use crate::typed::Callee;

/// The write of the ends of a function.
#[derive(Clone)]
pub(super) struct EndWrite<'p> {
    /// The function, whose expressions the ends are.
    of: &'p Fn,
    ends: Vec<ExprId>,
    value: ValueId,
}

impl FnCx<'_, '_, '_> {
    /// `place = value`, or with the value that `new` makes of the old one, where the place is one of several; whether it was that.
    pub(super) fn write_one_of(
        &mut self,
        place: &Expr,
        new: impl FnOnce(&mut Self, Option<ValueId>) -> Option<ValueId>,
        reads: bool,
    ) -> bool {
        let Some((item, base, index)) = self.one_of(place) else { return false };
        let Some(arguments) = self.evaluated(item, &[base, index]) else { return true };
        let old = if reads { self.call_evaluated(item, arguments.clone()) } else { None };
        let Some(value) = new(self, old) else { return true };
        let of = function_of(self.shared.program, item).0;
        let ends = ends_of_function(of).iter().map(|end| end.id).collect();
        let outer = self.end_write.replace(EndWrite { of, ends, value });
        self.call_evaluated(item, arguments);
        self.end_write = outer;
        true
    }

    /// The function whose ends are the places that an assignment may mean, and its arguments.
    fn one_of<'e>(&self, place: &'e Expr) -> Option<(ItemId, &'e Expr, &'e Expr)> {
        let ExprKind::Index { base, index } = &place.kind else { return None };
        let Some(Callee::Device(item)) = self.typed.calls.get(&place.id) else { return None };
        gives_one_of(function_of(self.shared.program, *item).0).then_some((*item, base, index))
    }

    /// Writes at an end of such a function; the value of the end.
    pub(super) fn write_at_end(&mut self, end: &Expr) -> Option<ValueId> {
        let EndWrite { of, ends, value } = self.end_write.as_ref()?;
        if !std::ptr::eq(*of, self.ast) || !ends.contains(&end.id) {
            return None;
        }
        let value = *value;
        let spot = self.lower_referent(end)?;
        let place = self.in_place(spot);
        self.b.store(place, value);
        Some(value)
    }
}
