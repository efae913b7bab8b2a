//! Functions whose result is a slice: a part of one parameter, always the same, so that calls know what the slice is a part of. Such a
//! function is lowered where it is called; its value is a start and a length, as those of `split_at` are.

use quote::ToTokens;

use crate::ast::{BindingId, Expr, ExprId, ExprKind, Fn, Item, Member, UnaryOp};
use crate::diag::code;
use crate::program::{ItemId, TypedItem};
use crate::source::text;
use crate::typed::Resolution;

use super::Infer;
use super::block::strip;
use super::finish::Deferred;
use super::index_impl::end_of;
use super::slice::sliced;
use super::unify::Term;

/// A parameter, and the way to one of its fields.
type Root = (BindingId, Vec<String>);

impl<'a> Infer<'a> {
    /// Makes a slice that the function gives a value, and notes the expressions that give it at the end.
    pub(super) fn enter_given_slice(&mut self, function: &'a Fn) {
        let Term::Buffer { element, mutable, origin: None } = self.result.clone() else { return };
        let origin = function.body.tail.as_ref().map_or(ExprId::default(), |tail| tail.id);
        self.result = Term::Buffer { element, mutable, origin: Some(origin) };
        self.has_references = true;
    }

    /// Notes the slices with which a function, or a `return` in it, ends.
    pub(super) fn note_given_slices(&mut self, value: &'a Expr) {
        let program = self.program;
        let Item::Fn(function) = &program.items[self.item].item else { return };
        if !function.gives_slice() || !self.closure_stack.is_empty() {
            return;
        }
        let mut ends = Vec::new();
        end_of(value, &mut ends);
        let is_one = ends.len() == 1 && !function.returns_early && std::ptr::eq(strip(value), strip(ends[0]));
        for end in ends {
            let gives = matches!(
                end.kind,
                ExprKind::Borrow { .. }
                    | ExprKind::Path(_)
                    | ExprKind::Call { .. }
                    | ExprKind::Method { .. }
                    | ExprKind::Field { .. }
            );
            if gives {
                self.tables.given_slices.insert(end.id, None);
                self.only_end |= is_one;
            }
        }
    }

    /// The slice with which a function ends.
    pub(super) fn infer_given_slice(&mut self, end: &'a Expr) -> Term {
        let result = self.result.clone();
        let Term::Buffer { element, mutable, .. } = &result else { return Term::Error };
        let before = self.diags.len();
        if !self.only_end
            && let Some(empty) = self.infer_empty_slice(end)
        {
            self.table.unify(element, &empty);
            return result;
        }
        self.check_slice_of(end, element, *mutable);
        if self.diags.len() > before {
            return result;
        }
        if self.refuse_slice_of_value(end) {
            return result;
        }
        let root = self.given_root(end);
        if let (Item::Fn(function), Some((binding, way))) = (&self.program.items[self.item].item, &root)
            && way.is_empty()
        {
            self.tables.given_param = function.params.iter().position(|param| param.binding == *binding);
        }
        if self.only_end {
            return result;
        }
        match (&self.given_root, root) {
            (None, Some(root)) => self.given_root = Some(root),
            (Some(known), Some(root)) if *known == root => {}
            _ => {
                self.error(code::REFERENCE_USE, end.span, "this function may give parts of several slices")
                    .note("kernels have no pointers: the slice that a function gives is a part of one parameter, or of one field of it")
                    .help("return the ends, `-> Range<usize>`, and name the part where the function is called: `&x[ends]`");
            }
        }
        result
    }

    /// Reports a slice of an array that a member refers to, which is the array itself here, where it should outlive `self`; whether it did.
    fn refuse_slice_of_value(&mut self, end: &Expr) -> bool {
        let Item::Fn(function) = &self.program.items[self.item].item else { return false };
        let has_lifetime = |tokens: String| tokens.contains('\'') && !tokens.contains("'_");
        let outlives = function.result.as_ref().is_some_and(|ty| has_lifetime(ty.tokens.to_string()));
        let own = function.receiver.as_ref().map(|own| own.to_token_stream().to_string());
        if !outlives || own.is_none_or(has_lifetime) {
            return false;
        }
        let Some(name) = self.lent_member(sliced(end)) else { return false };
        self.error(code::REFERENCE_USE, end.span, format!("this slice of `{name}` cannot outlive `self`"))
            .note(format!(
                "`{name}` refers to an array, and kernels have no pointers: the struct holds the array itself"
            ))
            .help(format!("hold a slice, `{name}: &'a [T]`; or leave the lifetime of the result out"));
        true
    }

    /// The member with a reference to an array that a place is a part of.
    fn lent_member(&self, place: &Expr) -> Option<String> {
        match &place.kind {
            ExprKind::Slice { base, .. }
            | ExprKind::Index { base, .. }
            | ExprKind::Paren(base, ..)
            | ExprKind::Borrow { operand: base, .. }
            | ExprKind::Unary(UnaryOp::Deref, base) => self.lent_member(base),
            ExprKind::Field { base, member: Member::Named(name) } => {
                let Term::Struct(item, _) = self.table.shallow(&self.term(base)) else { return None };
                let Item::Struct(definition) = &self.program.items[item].item else { return None };
                let of = |(field, ty): &(proc_macro2::Ident, crate::ast::TypeExpr)| {
                    field == name && ty.is_reference() && !matches!(ty.kind, crate::ast::TypeKind::Slice { .. })
                };
                definition.fields.iter().any(of).then(|| name.to_string()).or_else(|| self.lent_member(base))
            }
            _ => None,
        }
    }

    /// The parameter that a slice is a part of.
    fn given_root(&self, slice: &Expr) -> Option<Root> {
        if let Term::Buffer { origin: Some(_), .. } = self.table.shallow(&self.term(sliced(slice))) {
            return self.slice_root(slice).map(|root| (root, Vec::new()));
        }
        match &sliced(slice).kind {
            ExprKind::Slice { base, .. } | ExprKind::Unary(UnaryOp::Deref, base) => self.given_root(base),
            ExprKind::Index { base, index } => match self.table.shallow(&self.term(index)) {
                Term::Range(..) => self.given_root(base),
                _ => None,
            },
            ExprKind::Field { base, member } => {
                let (binding, mut way) = self.given_root(base)?;
                way.push(match member {
                    Member::Named(name) => name.to_string(),
                    Member::Index(index, _) => index.to_string(),
                });
                Some((binding, way))
            }
            ExprKind::Path(_) => match self.tables.paths.get(&sliced(slice).id) {
                Some(Resolution::Binding(binding)) if self.is_parameter(sliced(slice)) => Some((*binding, Vec::new())),
                Some(Resolution::Binding(binding)) => self.slice_roots.get(binding).map(|root| (*root, Vec::new())),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type of a call: a slice that a function gives is known by the call.
    pub(super) fn call_result(
        &mut self,
        call: &'a Expr,
        (item, function): (ItemId, &Fn),
        args: &[&'a Expr],
        result: Term,
    ) -> Term {
        self.note_lending(function);
        self.bind_given(call, (item, function), args, &result);
        let Term::Buffer { element, mutable, .. } = result else { return result };
        self.has_references = true;
        if let TypedItem::Fn(typed) | TypedItem::Generic(typed) = &self.program.items[item].typed
            && let Some(arg) = typed.given_param.and_then(|position| args.get(position))
        {
            self.note_origin(call.id, arg);
        }
        self.deferred.push(Deferred::Divided { receiver: call, term: (*element).clone(), owned: false });
        Term::Buffer { element, mutable, origin: Some(call.id) }
    }

    /// Reports a slice of a field of what lies in a buffer or in shared memory, of which the host has a copy only.
    pub(super) fn refuse_given_of_remote(&mut self, receiver: &'a Expr, function: &Fn) {
        let Some(own) = &function.receiver else { return };
        // It is a part of something else.
        let lifetime = |tokens: String| tokens.split('\'').nth(1).map(|rest| rest.trim_start().to_owned());
        let of_result = function.result.as_ref().and_then(|ty| lifetime(ty.tokens.to_string()));
        if of_result.is_some() && !own.to_token_stream().to_string().contains('\'') || !self.has_index(receiver) {
            return;
        }
        let source = text(strip(receiver));
        self.error(
            code::REFERENCE_USE,
            receiver.span,
            format!("`{}` cannot give a slice of `{source}` here", function.name),
        )
        .note("the slice could be used after the index that selects the element has changed")
        .help(format!("copy it to a variable: `let own = {source};`, and call `own.{}(…)`", function.name));
    }
}
