//! Inference of `Default`: which types have one, and which functions that leads to.

use crate::ast::{Expr, Item, Shape, TypeKind};
use crate::builtin::standard::Standard;
use crate::diag::code;
use crate::typed::{Callee, Ty};

use super::Infer;
use super::finish::Deferred;
use super::unify::Term;

impl<'a> Infer<'a> {
    /// `T::default()` of a type without a function of its own, or `Default::default()`.
    pub(super) fn infer_default(&mut self, expr: &'a Expr, term: Term) -> Term {
        self.tables.calls.insert(expr.id, Callee::Default);
        self.deferred.push(Deferred::Default { expr, term: term.clone() });
        term
    }

    /// Reports a default of a type that has none, and notes which functions make it.
    pub(super) fn check_default(&mut self, expr: &Expr, ty: &Ty) {
        let mut found = Vec::new();
        let Err(part) = self.program.implied(ty, Standard::Default, &mut found) else {
            if !found.is_empty() {
                self.tables.implied.insert(expr.id, found);
            }
            return;
        };
        let (whole, part_name) = (self.name_of(ty), self.name_of(&part));
        let help = match &part {
            Ty::Struct(item, _) | Ty::Enum(item, _) => self.help_to_derive(*item, "Default"),
            Ty::Array(..) => "write the array: Rust has defaults of up to 32 elements".to_owned(),
            _ => "write the value".to_owned(),
        };
        let message = format!("`{whole}` has no `Default` that kernels know");
        let error = self.error(code::UNKNOWN_METHOD, expr.span, message);
        if part != *ty {
            error.note(format!("it contains `{part_name}`"));
        }
        error.help(help);
    }

    /// The advice for deriving a trait of Rust on a struct or enum so that the macro sees it.
    pub(super) fn help_to_derive(&self, item: crate::program::ItemId, name: &str) -> String {
        let (ty, is_plain) = match &self.program.items[item].item {
            Item::Struct(definition) => (&definition.name, definition.shape == Shape::Named),
            Item::Enum(definition) => (&definition.name, false),
            _ => return String::new(),
        };
        let is_implemented = self.program.items.iter().any(|(_, it)| match &it.item {
            Item::Impl(of) => {
                of.of.as_ref().and_then(|path| path.segments.last()).is_some_and(|of| of == name)
                    && !of.generics.params.is_empty()
                    && matches!(&of.self_ty.kind, TypeKind::Path(path) if path.segments.last() == Some(ty))
            }
            _ => false,
        });
        if is_implemented {
            return format!(
                "the `impl {name}` depends on the arguments of `{ty}`: write the comparison, `if a < b {{ … }}`, or `a.cmp(&b)` in a closure"
            );
        }
        if is_plain {
            return format!(
                "derive `{name}` for `{ty}`, or implement it, in a `#[device] mod` that holds the struct: other derives are not seen"
            );
        }
        format!(
            "write `#[derive({name})]` below the `#[device]` of `{ty}`, or implement `{name}` in its `#[device] mod`"
        )
    }
}
