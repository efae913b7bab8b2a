//! `sum` and `product` of one's own types: `impl Sum for V`, `impl<'a> Sum<&'a V> for V`. The function of the `impl` is called with the chain.

use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, Item, MethodCall, TypeExpr};
use crate::builtin::iteration::Iteration;
use crate::diag::code;
use crate::program::ItemId;
use crate::typed::Callee;

use super::associated::Candidate;
use super::block::strip;
use super::iterator::over;
use super::mismatch::Because;
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
                Item::Impl(implementation) => {
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
        if candidates.len() > 1 {
            match self.gives_references(receiver) {
                Some(lends) => candidates.retain(|candidate| self.adds_references(candidate) == lends),
                None if self.do_the_same(&candidates) => {}
                None => {
                    self.report_open_total(name, of, &made);
                    return Some(Term::Error);
                }
            }
        }
        let candidate = candidates.into_iter().next()?;
        self.table.unify(&candidate.self_term, &made);
        Some(self.call_member(expr, candidate, None, vec![(receiver, over(item))], range(name.span())))
    }

    /// `v + chain.sum()`: the one type that the operator `of` of `v` takes tells what the sum is.
    pub(super) fn expected_total(&mut self, of: Option<(&str, &str)>, left: &Term, right: &'a Expr) -> Expect {
        let ExprKind::Method { name, turbofish: None, args, .. } = &strip(right).kind else { return Expect::Nothing };
        let left = self.table.shallow(left);
        let is_total = args.is_empty() && (name == "sum" || name == "product");
        let Some((of, method)) = of.filter(|_| is_total && matches!(left, Term::Struct(..) | Term::Enum(..))) else {
            return Expect::Nothing;
        };
        let candidates = self.candidates(&left, method, Some(of));
        let [candidate] = candidates.as_slice() else { return Expect::Nothing };
        let Some(function) = self.method_of(candidate) else { return Expect::Nothing };
        let Some(param) = function.params.get(1) else { return Expect::Nothing };
        self.table.unify(&candidate.self_term, &left);
        Expect::Type(self.member_term(candidate, function, &param.ty), Because::Nothing)
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
        element.is_some_and(TypeExpr::is_reference)
    }

    /// Reports a sum of elements that may be values or references, where the `impl`s for these differ.
    fn report_open_total(&mut self, name: &Ident, of: &str, made: &Term) {
        let made = self.written(made);
        self.error(
            code::CANNOT_INFER,
            range(name.span()),
            format!("`impl {of} for {made}` or `impl {of}<&{made}> for {made}`: this chain does not tell which"),
        )
        .note("its elements may be values or references, and the two `impl`s differ")
        .help(format!("go through values, `.copied().{name}()`; or let both `impl`s have the same body"));
    }

    /// Whether the elements of a chain are references in Rust; `None` where its steps do not tell.
    fn gives_references(&self, chain: &'a Expr) -> Option<bool> {
        use Iteration as I;
        let chain = self.unfold(chain);
        if let Some(next) = self.tables.own_iterators.get(&chain.id) {
            return self.is_lending(*next);
        }
        if let Some(passed) = self.passed_iterator(chain) {
            let Item::Fn(function) = &self.program.items[self.item].item else { return None };
            let param = function.params.iter().find(|param| param.name == *passed.name)?;
            return function.iterator_param(param)?.1.map(TypeExpr::is_reference);
        }
        if let Some(Callee::Device(item)) = self.tables.calls.get(&chain.id) {
            let Item::Fn(function) = &self.program.items[*item].item else { return None };
            return function.given_elements().map(TypeExpr::is_reference);
        }
        if let ExprKind::Range { .. } = chain.kind {
            return Some(false);
        }
        let ExprKind::Method { receiver, name, args, .. } = &chain.kind else { return None };
        let Some(Callee::Iterate(iteration)) = self.tables.calls.get(&chain.id) else { return None };
        match iteration {
            I::Iter => Some(true),
            I::IntoIter => match self.table.shallow(&self.term(receiver)) {
                Term::Iterator(_) | Term::Range(..) => self.gives_references(receiver),
                Term::Buffer { .. } => Some(true),
                _ => self.is_lent_operand(receiver),
            },
            I::Map => match args.first().map(|arg| &arg.kind)? {
                ExprKind::Closure(closure) => self.is_lent_operand(&closure.body),
                ExprKind::Path(path) => self.is_lending(*self.program.items[self.item].uses.get(&path.text())?),
                _ => None,
            },
            I::Same if name == "copied" || name == "cloned" => Some(false),
            I::Enumerate | I::Zip => Some(false),
            I::Same
            | I::Fork
            | I::Peekable
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
            | I::Cycle => self.gives_references(receiver),
            _ => None,
        }
    }

    /// Whether what a function gives is a reference, or holds one.
    fn is_lending(&self, function: ItemId) -> Option<bool> {
        match &self.program.items[function].item {
            Item::Fn(function) => Some(function.lends()),
            Item::Struct(_) => Some(false),
            _ => None,
        }
    }
}
