//! Calls by a trait's name, `Trait::name(x)`: the first argument's type has the function.

use proc_macro2::Ident;

use crate::ast::{Expr, Item, Path, PathCall, SpanRange};
use crate::diag::code;

use super::associated::{member_named, takes_reference};
use super::name::parent;
use super::unify::{Term, VarKind};
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    /// The trait in front of a path's last segment, by its name, and that segment.
    pub(super) fn trait_of(&self, path: &'a Path) -> Option<(String, &'a Ident)> {
        let [.., of, name] = path.segments.as_slice() else { return None };
        let item = *self.program.items[self.item].uses.get(&parent(path).text())?;
        matches!(self.program.items[item].item, Item::Trait(_)).then(|| (of.to_string(), name))
    }

    /// `Trait::name(x, …)`: the first argument's type has it.
    pub(super) fn infer_trait_call(&mut self, of: &str, name: &'a Ident, call: PathCall<'a>) -> Term {
        let PathCall { expr, path, span, args } = call;
        let types = self.without_receiver(of, name);
        let Some((receiver, rest)) = args.split_first().filter(|_| types.is_empty()) else {
            self.report_untold(of, name, &types, span);
            self.infer_unknown_arguments(args);
            return Term::Error;
        };
        let term = self.infer_reference(receiver, &Expect::Nothing);
        let term = self.table.shallow(&term);
        if let Term::Error | Term::Never = term {
            // Of a parameter's type: what an iterator lends, as each instance does.
            if self.lends_self(of, name) {
                self.is_lent(receiver, Some(false));
            }
            self.infer_unknown_arguments(rest);
            return Term::Error;
        }
        if self.table.kind(&term) == Some(VarKind::Any) {
            self.report_unknown(receiver);
            return self.infer_arguments_only(rest);
        }
        let mut candidates = self.candidates(&term, &name.to_string(), Some(of));
        candidates.retain(|candidate| self.method_of(candidate).is_some_and(|function| function.receiver.is_some()));
        let mut found = vec![(receiver, term.clone())];
        found.extend(self.infer_all(rest, &candidates, 1));
        let Some(candidate) = self.choose(candidates, 0, &found) else {
            self.report_no_trait_method(of, name, (receiver, &term));
            return Term::Error;
        };
        self.call_member(expr, candidate, path.last_args(), found, span)
    }

    /// Whether a function of a trait takes `&self`, as its `impl`s write it.
    fn lends_self(&self, of: &str, name: &Ident) -> bool {
        let (program, name) = (self.program, name.to_string());
        program.items.iter().any(|(id, item)| {
            let Item::Impl(implementation) = &item.item else { return false };
            let path = implementation.of.as_ref().and_then(|path| path.segments.last());
            let member = member_named(program.members(id), &name).map(|member| &program.items[member].item);
            path.is_some_and(|path| path == of)
                && matches!(member, Some(Item::Fn(function)) if takes_reference(function))
        })
    }

    /// The types that have a function of a trait, as their `impl`s write them, where it takes no `self`; else none.
    fn without_receiver(&self, of: &str, name: &Ident) -> Vec<String> {
        let program = self.program;
        let (mut types, name) = (Vec::new(), name.to_string());
        for (id, item) in program.items.iter() {
            let Item::Impl(implementation) = &item.item else { continue };
            let path = implementation.of.as_ref().and_then(|path| path.segments.last());
            if path.is_none_or(|path| path != of) {
                continue;
            }
            let member = member_named(program.members(id), &name).map(|member| &program.items[member].item);
            if let Some(Item::Fn(function)) = member
                && function.receiver.is_none()
            {
                types.push(implementation.self_ty.tokens.to_string().replace(' ', ""));
            }
        }
        types
    }

    /// Reports a function of a trait that no argument tells the type for.
    fn report_untold(&mut self, of: &str, name: &Ident, types: &[String], span: SpanRange) {
        let ty = match types {
            [ty] => ty,
            _ => "Type",
        };
        let message = format!("the type whose `{of}::{name}` is meant is not known here");
        self.error(code::CANNOT_INFER, span, message)
            .note("in `Trait::name(x)`, `self` tells the type")
            .help(format!("write the type: `{ty}::{name}(…)`"));
    }

    /// Reports a function of a trait that the first argument's type does not have as a method.
    fn report_no_trait_method(&mut self, of: &str, name: &Ident, (receiver, term): (&Expr, &Term)) {
        let written = self.describe(term);
        let message = format!("no method `{name}` of the trait `{of}` on {written}");
        self.error(code::UNKNOWN_METHOD, receiver.span, message)
            .note("in `Trait::name(x)`, the first argument tells the type")
            .help(format!("implement `{of}` for it in the `#[device] mod` of the type or of the trait"));
    }
}
