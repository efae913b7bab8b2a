//! Consts and types of types, `Type::NAME` and `T::Name`, and the type in front of a path's last segment. Functions are chosen in
//! `associated`.

use proc_macro2::Ident;

use crate::ast::{Expr, Item, Path};
use crate::diag::code;
use crate::program::TypedItem;
use crate::typed::{Resolution, Ty};

use super::Infer;
use super::associated::{Candidate, self_param};
use super::block::strip;
use super::constant::has_constant;
use super::generic::Param;
use super::name::parent;
use super::ty::builtin_path;
use super::unify::Term;

/// How deep consts of types may name each other.
const MAX_DEPTH: usize = 32;

/// A const of a type whose generic arguments only the code behind it tells.
pub(super) struct OpenConst<'a> {
    expr: &'a Expr,
    path: &'a Path,
    candidate: Candidate,
}

impl<'a> Infer<'a> {
    /// The type parameter in front of a path's last segment, when it stands for a type that is known.
    pub(super) fn known_owner(&mut self, path: &'a Path) -> Option<Ty> {
        let term = self.owner_of(path)?;
        self.table.resolve(&term)
    }

    /// The type in front of the last segment of a path.
    pub(super) fn owner_of(&mut self, path: &'a Path) -> Option<Term> {
        let (_, owner) = path.segments.split_last()?;
        let [first, ..] = owner else { return None };
        if owner.len() == 1
            && !path.leading_colon
            && let Some(param) = self.params.iter().rev().find(|param| first == param.name.as_str())
        {
            return Some(self.table.shallow(&param.term));
        }
        let position = owner.len() - 1;
        let owner = parent(path);
        if let Some(&item) = self.program.items[self.item].uses.get(&owner.text()) {
            let written = path.generics.iter().find(|args| args.segment == position);
            return match self.program.items[item].item {
                Item::Struct(_) => Some(Term::Struct(item, self.open_args(item, written))),
                Item::Enum(_) => Some(Term::Enum(item, self.open_args(item, written))),
                Item::Alias(_) => match &self.program.items[item].typed {
                    TypedItem::Alias(ty) => Some(Term::member(ty, &self.open_args(item, written))),
                    _ => Some(Term::Error),
                },
                _ => None,
            };
        }
        builtin_path(&owner).map(|ty| Term::from(&ty))
    }

    /// `Type::NAME`: its value is found where it is used.
    pub(super) fn infer_associated_const(&mut self, expr: &'a Expr, path: &'a Path) -> Option<Term> {
        let term = self.owner_of(path)?;
        if term == Term::Error {
            return Some(Term::Error);
        }
        let name = path.segments.last()?;
        let program = self.program;
        // Methods of the type itself come before those of traits, also methods that kernels do not have.
        let through = path.through.as_ref().and_then(|path| path.segments.last()).map(ToString::to_string);
        if let Term::Scalar(scalar) = term
            && through.is_none()
            && !self.begins_with_param(path)
            && has_constant(scalar, &name.to_string())
        {
            return None;
        }
        let mut candidates = self.candidates(&term, &name.to_string(), through.as_deref());
        candidates.retain(|it| matches!(program.items[it.member].item, Item::Const(_)));
        if self.begins_with_param(path) && candidates.iter().any(|candidate| candidate.is_of_trait) {
            candidates.retain(|candidate| candidate.is_of_trait);
        }
        let candidate = candidates.into_iter().next()?;
        let Item::Const(constant) = &program.items[candidate.member].item else { return None };
        self.table.unify(&candidate.self_term, &term);
        // In a generic item as written, the value may depend on what is not known.
        if candidate.params.iter().any(|param| self.table.is_poisoned(&param.term)) {
            self.tables.paths.insert(expr.id, Resolution::Param);
            if constant.ty.is_table() {
                self.tables.tables.insert(expr.id);
                return Some(Term::Error);
            }
            return Some(self.within(candidate.member, candidate.params, |cx| cx.term_of(&constant.ty)));
        }
        let is_open = |cx: &Self| candidate.params.iter().any(|param| cx.table.resolve(&param.term).is_none());
        if !self.constant && !constant.ty.is_table() && is_open(self) {
            let ty = self.within(candidate.member, candidate.params.clone(), |cx| cx.term_of(&constant.ty));
            self.open_consts.push(OpenConst { expr, path, candidate });
            return Some(ty);
        }
        self.associated_value(expr, path, candidate)
    }

    /// Evaluates the consts whose type the code behind them told.
    pub(super) fn settle_associated_consts(&mut self) {
        for OpenConst { expr, path, candidate } in std::mem::take(&mut self.open_consts) {
            let params = || candidate.params.iter().map(|param| &param.term);
            if params().any(|term| self.table.is_poisoned(term)) {
                self.tables.paths.insert(expr.id, Resolution::Param);
            } else if params().any(|term| self.table.resolve(term).is_none()) {
                params().for_each(|term| self.table.poison(term));
                let (owner, name) = (parent(path).text(), path.segments.last());
                let help = name.map_or_else(String::new, |name| format!("write `{owner}::<…>::{name}`"));
                let message = format!("the generic arguments of `{owner}` are not known here");
                self.error(code::CANNOT_INFER, expr.span, message).help(help);
            } else {
                self.associated_value(expr, path, candidate);
            }
        }
    }

    /// The type of a const of a type whose arguments are known, and its value for the tables.
    fn associated_value(&mut self, expr: &'a Expr, path: &'a Path, candidate: Candidate) -> Option<Term> {
        let program = self.program;
        let Item::Const(constant) = &program.items[candidate.member].item else { return None };
        if self.depth >= MAX_DEPTH {
            self.error(code::BAD_CONST, expr.span, format!("the value of `{}` depends on itself", path.text()));
            return Some(Term::Error);
        }
        let errors = self.diags.len();
        let params = candidate.params.into_iter().map(|param| self.known_param(param)).collect();
        // Its blocks may have variables, which are not those of the function around.
        let mut cx = Infer { params, depth: self.depth + 1, computes: true, ..Infer::new(program, candidate.member) };
        cx.exprs = vec![None; constant.expr_count];
        let term = cx.term_of(&constant.ty);
        cx.check_const(&constant.ty, &constant.value, &term);
        cx.settle();
        let is_fine = !cx.diags.has_errors() && !cx.poisoned;
        let found = is_fine.then(|| Some((cx.evaluate(&constant.value)?, cx.table.resolve(&term)?))).flatten();
        if cx.is_largest_size(strip(&constant.value)) {
            self.tables.host_sized.insert(expr.id);
        }
        self.diags.append(cx.diags);
        match found {
            Some((value, ty)) => {
                self.tables.paths.insert(expr.id, Resolution::Value(value));
                if constant.ty.is_table() {
                    self.tables.tables.insert(expr.id);
                }
                Some(Term::from(&ty))
            }
            None => {
                self.poisoned |= self.diags.len() == errors;
                Some(Term::Error)
            }
        }
    }

    /// A parameter with what it stands for, free of variables of this function.
    fn known_param(&self, param: Param) -> Param {
        let term = self.table.resolve(&param.term).map_or(Term::Error, |ty| Term::from(&ty));
        Param { term, ..param }
    }

    /// `T::Name` where `T` stands for `term`.
    pub(super) fn associated_type(&mut self, term: &Term, name: &'a Ident) -> Term {
        let program = self.program;
        let term = self.table.shallow(term);
        // The types of the `impl` around.
        let around = program.items[self.item].owner.unwrap_or(self.item);
        if let Item::Impl(implementation) = &program.items[around].item
            && self.params.iter().any(|param| param.name == "Self" && param.term == term)
            && let Some((_, ty)) = implementation.types.iter().find(|(alias, _)| alias == name)
        {
            return self.term_of(ty);
        }
        match &term {
            Term::Error | Term::Var(_) => return Term::Error,
            Term::Iterator(element) if name == "Item" => return (**element).clone(),
            _ => {}
        }
        for (id, item) in program.items.iter() {
            let Item::Impl(implementation) = &item.item else { continue };
            let Some((_, ty)) = implementation.types.iter().find(|(alias, _)| alias == name) else { continue };
            let params = self.open_params(&implementation.generics);
            let self_term = self.within(id, params.clone(), |cx| cx.term_of(&implementation.self_ty));
            if self.table.would_unify(&self_term, &term) {
                self.table.unify(&self_term, &term);
                let mut params = params;
                params.push(self_param(self_term));
                return self.within(id, params, |cx| cx.term_of(ty));
            }
        }
        match (&term, name == "Output") {
            // Rust's and glam's operators on two values of one type.
            (Term::Scalar(_) | Term::Vector(..), true) => term,
            _ => {
                let written = self.describe(&term);
                self.error(code::UNKNOWN_TYPE, super::range(name.span()), format!("{written} has no type `{name}`"))
                    .help("implement the trait that has it in the `#[device] mod` of the type or of the trait");
                Term::Error
            }
        }
    }
}
