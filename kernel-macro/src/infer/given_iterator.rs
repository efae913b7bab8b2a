//! Functions whose result is an iterator: `-> impl Iterator<Item = T>`. The chain with which such a function ends is lowered where the
//! function is called. A caller knows of it what decides which chains go on with it.

use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, Fn, Item};
use crate::builtin::iteration::Iteration;
use crate::diag::code;
use crate::program::TypedItem;
use crate::source::text;
use crate::typed::{Callee, GivenIterator};

use super::block::strip;
use super::mismatch::Because;
use super::own_iterator::OWN;
use super::unify::Term;
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    /// Infers the body of a function that gives an iterator.
    pub(super) fn infer_given_iterator(&mut self, function: &'a Fn) {
        let Term::Iterator(element) = self.result.clone() else { return };
        let Some(tail) = function.body.tail.as_deref() else {
            let found = self.infer_block(&function.body, &Expect::Nothing);
            return self.require_value(&function.body, &found, &self.result.clone(), Because::Result);
        };
        self.note_iterated(tail);
        let found = self.infer_block(&function.body, &Expect::Nothing);
        match self.table.shallow(&found) {
            Term::Iterator(given) | Term::Range(given, _) => {
                if !self.table.unify(&given, &element) {
                    self.report_mismatch(tail, &self.result.clone(), &found, Because::Result);
                    return;
                }
            }
            Term::Error | Term::Never => return,
            _ => return self.report_mismatch(tail, &self.result.clone(), &found, Because::Result),
        }
        let chain = self.end_of_chain(tail);
        self.refuse_unkept_result(chain);
        self.tables.given_iterator = Some(self.chain_of(chain));
    }

    /// The properties of a chain that decide which steps may go on with it.
    pub(super) fn chain_of(&self, chain: &'a Expr) -> GivenIterator {
        GivenIterator {
            has_closure: self.has_closure(chain),
            is_by_position: self.is_by_position(chain),
            knows_length: self.knows_length(chain),
            draws: self.draws(chain) || self.goes_on_with(chain, true).is_some(),
            owns_array: self.owns_array(chain),
            is_nested: self.nested_step(chain).is_some(),
            moves_on_by_loops: self.unkept(chain, true).is_some(),
        }
    }

    /// The chain at the end of blocks and parentheses.
    fn end_of_chain(&self, expr: &'a Expr) -> &'a Expr {
        match &strip(expr).kind {
            ExprKind::Block { label: None, block } => {
                block.tail.as_deref().map_or(expr, |tail| self.end_of_chain(tail))
            }
            _ => strip(expr),
        }
    }

    /// Reports an iterator that writes elements.
    fn refuse_unkept_result(&mut self, chain: &'a Expr) {
        if let Some((span, ..)) = self.unkept(chain, false) {
            self.error(
                code::UNSUPPORTED_SYNTAX,
                span,
                "an iterator that writes elements as a function's result is not supported",
            )
            .help("give the indices, `-> impl Iterator<Item = usize>`, and write `x[i]` where they are used");
        }
    }

    /// Reports a `return` with an iterator; whether it was one.
    pub(super) fn refuse_early_iterator(&mut self, expr: &Expr) -> bool {
        let program = self.program;
        let Item::Fn(function) = &program.items[self.item].item else { return false };
        if function.given_elements().is_none() || !self.closure_stack.is_empty() {
            return false;
        }
        self.error(
            code::UNSUPPORTED_SYNTAX,
            expr.span,
            "`return` in a function that gives an iterator is not supported in kernels",
        )
        .note("the chain with which the function ends is put where the function is called")
        .help("let the chain have no elements: `.take(if … { 0 } else { n })`, or an empty range");
        true
    }

    /// The knowledge of the iterator that a call gives, and the function's name; or of one that is a parameter, and its name.
    pub(super) fn given_iterator(&self, call: &Expr) -> Option<(&'a GivenIterator, &'a Ident)> {
        if let Some(passed) = self.passed_iterator(call) {
            return Some((passed.chain, passed.name));
        }
        if let Some(next) = self.tables.own_iterators.get(&call.id) {
            let Item::Fn(function) = &self.program.items[*next].item else { return None };
            return Some((&OWN, &function.name));
        }
        let Some(Callee::Device(item)) = self.tables.calls.get(&call.id) else { return None };
        let item = &self.program.items[*item];
        match (&item.item, &item.typed) {
            (Item::Fn(function), TypedItem::Fn(typed) | TypedItem::Generic(typed)) => {
                Some((typed.given_iterator.as_ref()?, &function.name))
            }
            _ => None,
        }
    }

    /// Whether a chain is the call of a function that gives an iterator.
    pub(super) fn gives_iterator(&self, chain: &'a Expr) -> bool {
        self.given_iterator(self.unfold(chain)).is_some()
    }

    /// Reports an iterator in a variable that goes through an element of a buffer or of shared memory, of which the host has a copy for the
    /// statement only; whether it did.
    pub(super) fn refuse_remote_source(&mut self, chain: &'a Expr) -> bool {
        let chain = self.unfold(chain);
        let (first, args) = match &chain.kind {
            ExprKind::Method { receiver, args, .. } => (Some(&**receiver), args),
            ExprKind::Call { args, .. } => (None, args),
            _ => return false,
        };
        match self.tables.calls.get(&chain.id) {
            Some(Callee::Iterate(iteration)) => {
                let is_pair = matches!(iteration, Iteration::Zip | Iteration::Chain);
                first.is_some_and(|receiver| self.refuse_remote_source(receiver))
                    || is_pair && args.iter().any(|arg| self.refuse_remote_source(arg))
            }
            Some(Callee::Device(item)) if self.given_iterator(chain).is_some() => {
                let program = self.program;
                let Item::Fn(function) = &program.items[*item].item else { return false };
                let args = function.params.iter().zip(first.into_iter().chain(args));
                let lent = args.filter(|(param, _)| param.ty.reference().is_some()).map(|(_, arg)| arg);
                let Some(lent) = lent.into_iter().find(|arg| self.has_index(arg)) else { return false };
                let source = text(operand(lent));
                self.error(
                    code::REFERENCE_USE,
                    lent.span,
                    format!("the iterator of `{}` in a variable cannot go through `{source}`", function.name),
                )
                .note("an element of a buffer is a copy here, which ends with the statement")
                .help(format!(
                    "copy it to a variable, `let own = {source};`, or go through the iterator where it is made"
                ));
                true
            }
            _ => false,
        }
    }
}

/// The expression behind `&` and parentheses.
fn operand(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => operand(inner),
        _ => expr,
    }
}
