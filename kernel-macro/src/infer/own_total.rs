//! `sum` and `product` of one's own types: `impl Sum for V`, `impl<'a> Sum<&'a V> for V`. The function of the `impl` is called with the chain.

use crate::ast::{Expr, ExprKind, MethodCall};
use crate::builtin::iteration::Iteration;
use crate::typed::Callee;

use super::associated::Candidate;
use super::iterator::over;
use super::unify::Term;
use super::{Expect, Infer, range};

impl<'a> Infer<'a> {
    /// `chain.sum::<V>()` by an `impl Sum`; `None` where the type has none for such elements.
    pub(super) fn infer_own_total(&mut self, call: MethodCall<'a>, item: &Term, expect: &Expect) -> Option<Term> {
        let MethodCall { expr, receiver, name, args: [] } = call else { return None };
        let ExprKind::Method { turbofish, .. } = &expr.kind else { return None };
        let of = if name == "sum" { "Sum" } else { "Product" };
        let has_some = |cx: &Self| {
            cx.program.items.iter().any(|(_, item)| match &item.item {
                crate::ast::Item::Impl(implementation) => {
                    implementation.of.as_ref().and_then(|path| path.segments.last()).is_some_and(|name| name == of)
                }
                _ => false,
            })
        };
        if !has_some(self) {
            return None;
        }
        let written = turbofish.as_ref().and_then(|args| args.args.first()).and_then(|arg| arg.ty.as_ref());
        let made = match (written, expect) {
            (Some(ty), _) => self.term_of(ty),
            (None, Expect::Type(made, _)) => self.table.shallow(made),
            _ => return None,
        };
        if matches!(made, Term::Var(_) | Term::Error | Term::Never) {
            return None;
        }
        let mut candidates = self.candidates(&made, &name.to_string(), Some(of));
        candidates.retain(|candidate| self.adds_up(candidate, item));
        // Of both, `Sum` and `Sum<&V>`, the elements decide.
        if candidates.len() > 1 {
            let lends = self.gives_references(receiver);
            candidates.sort_by_key(|candidate| self.adds_references(candidate) != lends);
        }
        let candidate = candidates.into_iter().next()?;
        self.table.unify(&candidate.self_term, &made);
        Some(self.call_member(expr, candidate, None, vec![(receiver, over(item))], range(name.span())))
    }

    /// Whether a function of an `impl Sum` takes such elements.
    fn adds_up(&mut self, candidate: &Candidate, item: &Term) -> bool {
        let Some(function) = self.method_of(candidate) else { return false };
        let param = function.params.first().and_then(|param| function.iterator_param(param));
        let Some((_, Some(element))) = param else { return false };
        let term = self.member_term(candidate, function, element);
        self.table.would_unify(&term, item)
    }

    fn adds_references(&self, candidate: &Candidate) -> bool {
        let function = self.method_of(candidate);
        let element = function.and_then(|function| function.iterator_param(function.params.first()?)?.1);
        element.is_some_and(crate::ast::TypeExpr::is_reference)
    }

    /// Whether the elements of a chain are references in Rust, as far as its steps tell.
    fn gives_references(&self, chain: &'a Expr) -> bool {
        use Iteration as I;
        let chain = self.unfold(chain);
        let ExprKind::Method { receiver, name, args, .. } = &chain.kind else {
            return matches!(chain.kind, ExprKind::Borrow { .. });
        };
        match self.tables.calls.get(&chain.id) {
            Some(Callee::Iterate(I::Iter)) => true,
            Some(Callee::Iterate(I::Map | I::FilterMap)) => args.first().is_some_and(|arg| match &arg.kind {
                ExprKind::Closure(closure) => matches!(closure.body.kind, ExprKind::Borrow { .. }),
                _ => false,
            }),
            Some(Callee::Iterate(I::Same)) if name == "copied" || name == "cloned" => false,
            Some(Callee::Iterate(
                I::Same
                | I::IntoIter
                | I::ByRef
                | I::Rev
                | I::StepBy
                | I::Filter
                | I::Take
                | I::Skip
                | I::TakeWhile
                | I::SkipWhile
                | I::Inspect
                | I::Chain
                | I::Cycle,
            )) => self.gives_references(receiver),
            _ => false,
        }
    }
}
