//! Parameters that are iterators: `x: impl Iterator<Item = T>`, `I: Iterator<Item = T>`, `impl IntoIterator`. A function with such a
//! parameter is lowered where it is called, with the chain in place of the parameter. Each kind of chain has an instance of its own, because
//! the chain decides which others may go on with it.

use std::rc::Rc;

use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, Fn, GenericParam, Param as FnParam, TypeExpr};
use crate::diag::code;
use crate::program::ItemId;
use crate::typed::{GivenIterator, Resolution, Ty};

use super::block::strip;
use super::generic::Param;
use super::unify::Term;
use super::{Infer, range};

/// Of a function as written: its instances know the chain.
const UNKNOWN: GivenIterator = GivenIterator {
    has_closure: false,
    is_by_position: true,
    knows_length: true,
    draws: false,
    owns_array: false,
    is_nested: false,
    moves_on_by_loops: false,
};

/// An iterator that is a parameter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passed<'a> {
    pub(super) chain: &'a GivenIterator,
    pub(super) name: &'a Ident,
    /// Whether it may be asked for one element at a time.
    pub(super) mutable: bool,
}

impl<'a> Infer<'a> {
    /// The type of a parameter. An iterator is one in a function as written, too, whatever else stands for its type.
    pub(super) fn parameter_type(&mut self, function: &'a Fn, param: &'a FnParam) -> Ty {
        let ty = self.known_type(&param.ty);
        let Some((named, element)) = function.iterator_param(param) else { return ty };
        let ty = match ty {
            Ty::Error => Ty::Iterator(Rc::new(element.map_or(Ty::Error, |element| self.known_type(element)))),
            ty => ty,
        };
        if !matches!(ty, Ty::Iterator(_)) {
            return ty;
        }
        self.has_references |= element.is_none_or(TypeExpr::holds_references);
        let program = self.program;
        let binding = program.items[self.item].bindings.iter().find(|binding| named.name == binding.name);
        let chain = binding.and_then(|binding| binding.chain.as_ref()).unwrap_or(&UNKNOWN);
        if param.goes_on() && chain.moves_on_by_loops {
            let (name, mutable) = (&param.name, if param.mutable { "mut " } else { "" });
            self.error(
                code::UNSUPPORTED_SYNTAX,
                range(name.span()),
                format!("the iterator that is passed for `{mutable}{name}` cannot be asked for one element at a time"),
            )
            .note("steps such as `take_while`, `scan` and `flat_map` are loops of their own here")
            .help("go through it with `for`, or put these steps into the function");
        }
        self.iterators.insert(param.binding, Passed { chain, name: &param.name, mutable: param.goes_on() });
        ty
    }

    /// The iterator that an expression names, if it is a parameter.
    pub(super) fn passed_iterator(&self, expr: &Expr) -> Option<Passed<'a>> {
        let expr = strip(expr);
        let ExprKind::Path(_) = &expr.kind else { return None };
        match self.tables.paths.get(&expr.id) {
            Some(Resolution::Binding(binding)) => self.iterators.get(binding).copied(),
            _ => None,
        }
    }

    /// Makes the type of an argument the one that the parameter `named` stands for; the chain, for the instance. `found`: the type of its
    /// elements.
    pub(super) fn accept_iterator(
        &mut self,
        arg: &'a Expr,
        found: &Term,
        (item, params): (ItemId, &[Param]),
        named: &GenericParam,
        element: Option<&'a TypeExpr>,
    ) -> Option<(String, GivenIterator)> {
        let param = params.iter().rev().find(|param| named.name == param.name)?;
        self.table.unify(&param.term, &Term::Iterator(Rc::new(found.clone())));
        if let Some(element) = element {
            let expected = self.within(item, params.to_vec(), |cx| cx.term_of(element));
            if !self.table.unify(&expected, found) {
                let (expected, found) = (self.describe(&expected), self.describe(found));
                let message = format!("expected an iterator over {expected}, found one over {found}");
                self.error(code::MISMATCHED_TYPES, arg.span, message)
                    .help("convert the elements first, with `.map(…)`");
            }
        }
        Some((param.name.clone(), self.chain_of(arg)))
    }
}
