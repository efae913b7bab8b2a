//! `for` loops, as their author wrote them; a step that may be zero is recorded in the twin.

use gridwise_ir::descriptor::SiteKind;

use super::{Renderer, local};
use crate::ast::{AdapterKind, Expr, ExprKind, Iterated, Literal, Source};
use crate::message::zero_step_message;
use crate::tokens::{Tokens, tokens, tokens_at};

impl Renderer<'_> {
    /// What a `for` goes through.
    pub(super) fn iterated(&mut self, iterated: &Iterated) -> Tokens {
        let mut value = match &iterated.source {
            Source::Range(range) => {
                let (start, end) = (self.expr(&range.start), self.expr(&range.end));
                let dots = if range.inclusive { tokens!(..=) } else { tokens!(..) };
                if iterated.adapters.is_empty() {
                    return tokens!(#start #dots #end);
                }
                tokens!((#start #dots #end))
            }
            Source::Array(array) => self.expr(array),
        };
        for adapter in &iterated.adapters {
            let name = &adapter.name;
            let step = match &adapter.kind {
                AdapterKind::StepBy(step) => Some(self.step(step)),
                _ => None,
            };
            value = tokens_at!(name.span()=> #value.#name(#step));
        }
        value
    }

    fn step(&mut self, step: &Expr) -> Tokens {
        let value = self.bare(step);
        let is_positive = matches!(&step.kind, ExprKind::Literal(Literal::Int { value, .. }) if *value > 0);
        if self.is_original() || is_positive {
            return value;
        }
        let (name, text) = (local("__step"), zero_step_message().format);
        let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::Panic, step));
        tokens!(match #value {
            0 => #twin::TrapSink::panic(#sink, #site, ::core::format_args!(#text)),
            #name => #name,
        })
    }
}
