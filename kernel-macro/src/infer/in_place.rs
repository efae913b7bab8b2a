//! The closures of a function when all types are known: which run in place, where they are called, and are no values. It reports
//! nothing but closures that would have to be values.

use std::collections::BTreeSet;

use crate::ast::ExprId;
use crate::program::TypedItem;
use crate::typed::{Ty, TypedClosure};

use super::closure::{Gives, Signature};
use super::{Infer, holds_slice};

impl Infer<'_> {
    /// The closures with their final types.
    pub(super) fn finish_closures(&mut self) {
        self.report_closure_values();
        let in_place = self.closures_in_place();
        for closure in &in_place {
            self.move_out_of(*closure);
        }
        for (expr, mut signature) in std::mem::take(&mut self.closures) {
            signature.inline |= in_place.contains(&expr);
            let params = signature.params.iter().map(|param| self.table.resolve(param).unwrap_or(Ty::Error)).collect();
            let result = self.table.resolve(&signature.result).unwrap_or(Ty::Error);
            let Signature { closure, references, captures, returns, inline, gives, .. } = signature;
            let (lent, has_state) = (gives == Gives::References, gives == Gives::State);
            let typed = TypedClosure {
                closure: closure.clone(),
                params,
                references,
                result,
                captures,
                returns,
                inline,
                lent,
                has_state,
            };
            self.tables.closures.insert(expr, typed);
        }
    }

    /// The closures in variables, or passed for `impl Fn`, that run where they are called because they name a slice, or call one
    /// that does: unless one of them is a value.
    fn closures_in_place(&self) -> BTreeSet<ExprId> {
        let candidates = self.closures.iter().filter(|(_, it)| {
            let needs_place = self.captures_slice(it) || self.is_lent_slice(it);
            (it.named || it.is_passed) && !it.inline && needs_place
        });
        let mut found: BTreeSet<ExprId> = candidates.map(|(closure, _)| *closure).collect();
        if found.is_empty() {
            return found;
        }
        while self.closure_calls.iter().any(|(outer, inner)| found.contains(inner) && found.insert(*outer)) {}
        // With `move` it has copies of what variables were when it was made.
        let stands_alone = |it: &Signature<'_>| it.named || it.is_passed;
        let has_copies = |it: &Signature<'_>| !stands_alone(it) || it.value_uses > 0 || it.closure.moves.is_some();
        let is_value = |closure: &ExprId| self.closures.get(closure).is_none_or(has_copies);
        let mut values: BTreeSet<ExprId> = found.iter().copied().filter(is_value).collect();
        while self.closure_calls.iter().any(|(outer, inner)| values.contains(outer) && values.insert(*inner)) {}
        found.retain(|closure| !values.contains(closure));
        found
    }

    /// Whether a closure has a slice as a parameter, which is known only where it is called.
    fn is_lent_slice(&self, signature: &Signature<'_>) -> bool {
        signature.params.iter().any(|param| self.table.resolve(param).is_some_and(|ty| holds_slice(&ty)))
    }

    /// Whether a closure names a slice, which is known only where it is made.
    fn captures_slice(&self, signature: &Signature<'_>) -> bool {
        signature.captures.iter().any(|captured| {
            let ty = self.local(*captured).and_then(|local| self.table.resolve(&local.term));
            ty.is_some_and(|ty| match ty {
                Ty::Image(_) => self.members.contains(captured),
                // One that was passed to this function, and runs in a function around.
                Ty::Closure(item, closure) if item != self.item => {
                    let TypedItem::Fn(typed) = &self.program.items[item].typed else { return false };
                    typed.closures.get(&closure).is_some_and(|closure| closure.inline)
                }
                ty => holds_slice(&ty),
            })
        })
    }

    /// Notes that what stands in a closure stands in the function around it: it runs where it is called.
    fn move_out_of(&mut self, closure: ExprId) {
        let outer = self.tables.inside.get(&closure).copied();
        match outer {
            Some(outer) => {
                let inside = self.tables.inside.values_mut().filter(|around| **around == closure);
                inside.for_each(|around| *around = outer);
            }
            None => self.tables.inside.retain(|_, around| *around != closure),
        }
    }
}
