//! `for` loops: what they go through.

use syn::{Expr as Syn, RangeLimits};

use super::Parser;
use super::expr::to_label;
use super::pat::PatternPlace;
use crate::ast::{Adapter, AdapterKind, ExprKind, Iterated, Range, Source};

impl Parser<'_> {
    pub(super) fn for_loop(&mut self, looping: &syn::ExprForLoop) -> ExprKind {
        let label = looping.label.as_ref().map(|label| to_label(&label.name));
        let iterated = self.iterated(&looping.expr);
        let pattern = self.pattern(&looping.pat, PatternPlace::Always);
        let body = self.block(&looping.body);
        match iterated {
            Some(iterated) => ExprKind::For { label, pattern, iterated: Box::new(iterated), body },
            None => ExprKind::Error,
        }
    }

    fn iterated(&mut self, expr: &Syn) -> Option<Iterated> {
        let mut calls = Vec::new();
        let mut inner = ungroup(expr);
        while let Syn::MethodCall(call) = inner
            && is_adapter(&call.method.to_string())
        {
            calls.push(call);
            inner = ungroup(&call.receiver);
        }
        let source = self.source(inner)?;
        let mut adapters = Vec::with_capacity(calls.len());
        for call in calls.iter().rev() {
            let kind = self.adapter(call, &source, &adapters)?;
            adapters.push(Adapter { name: call.method.clone(), kind });
        }
        if let (Some(last), Some(call)) = (adapters.last(), calls.first())
            && last.name == "iter"
        {
            self.unsupported(&call.method, "a loop over references is", "add `.copied()`, or leave `.iter()` out");
            return None;
        }
        Some(Iterated { source, adapters })
    }

    fn source(&mut self, expr: &Syn) -> Option<Source> {
        match expr {
            Syn::Range(range) => self.range(range).map(Source::Range),
            Syn::MethodCall(call) if is_unsupported(&call.method.to_string()) => {
                let what = format!("`.{}()` in `for` is", call.method);
                self.unsupported(&call.method, &what, "do it in the body of the loop");
                None
            }
            Syn::Reference(reference) => {
                let help = "leave the `&` out: the elements are copied; to write them, loop over the indices";
                self.unsupported(reference.and_token, "a loop over references is", help);
                None
            }
            other => Some(Source::Array(self.boxed(other))),
        }
    }

    fn range(&mut self, range: &syn::ExprRange) -> Option<Range> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.unsupported(range, "an open range is", "write both ends: `0..n`");
            return None;
        };
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        Some(Range { start: self.boxed(start), end: self.boxed(end), inclusive })
    }

    fn adapter(&mut self, call: &syn::ExprMethodCall, source: &Source, before: &[Adapter]) -> Option<AdapterKind> {
        let name = call.method.to_string();
        let args: Vec<&Syn> = call.args.iter().collect();
        let is_array = matches!(source, Source::Array(_));
        let seen = |wanted: &str| before.iter().any(|adapter| adapter.name == wanted);
        if seen("enumerate") {
            self.unsupported(&call.method, "an adapter behind `.enumerate()` is", "put `.enumerate()` last");
            return None;
        }
        match (name.as_str(), args.as_slice()) {
            ("into_iter", []) => Some(AdapterKind::Plain),
            ("iter", []) if is_array && before.is_empty() => Some(AdapterKind::Plain),
            ("copied" | "cloned", []) if seen("iter") && before.len() == 1 => Some(AdapterKind::Plain),
            ("rev", []) => Some(AdapterKind::Rev),
            ("enumerate", []) => Some(AdapterKind::Enumerate),
            ("step_by", [_]) if seen("step_by") => {
                self.unsupported(&call.method, "a second `.step_by()` is", "multiply the steps");
                None
            }
            ("step_by", [step]) => Some(AdapterKind::StepBy(self.boxed(step))),
            _ => {
                let what = format!("this use of `.{name}()` in `for` is");
                self.unsupported(&call.method, &what, "write `.rev()`, `.step_by(n)` or `.enumerate()`");
                None
            }
        }
    }
}

fn is_adapter(name: &str) -> bool {
    ["rev", "step_by", "enumerate", "into_iter", "iter", "copied", "cloned"].contains(&name)
}

/// Methods of iterators that loops do not have.
fn is_unsupported(name: &str) -> bool {
    ["iter_mut", "map", "filter", "zip", "take", "skip", "chain", "windows", "chunks", "take_while"].contains(&name)
}

fn ungroup(mut expr: &Syn) -> &Syn {
    while let Syn::Paren(syn::ExprParen { expr: inner, .. }) | Syn::Group(syn::ExprGroup { expr: inner, .. }) = expr {
        expr = inner;
    }
    expr
}
