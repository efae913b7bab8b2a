//! Slices that structs hold. A struct with slices has, behind the arguments of its parameters, one argument for each slice: the type of a
//! slice that a call made, so that the type says which buffer or array the slice is a part of. As those, it is a start and a length.
//!
//! Two slices of one variable have the same type here, and two of different ones have different types. So a value that could be made of
//! either has no type, and that is an error.

use std::rc::Rc;

use gridwise_ir::arena::EntityId as _;

use crate::ast::{BindingId, Expr, ExprId, ExprKind, Fn, Item, Member, Struct, TypeExpr, TypeKind, UnaryOp};
use crate::diag::code;
use crate::program::{ItemId, TypedItem};
use crate::typed::{Resolution, Ty, TypedFn, UNWRITTEN};

use super::block::strip;
use super::finish::Deferred;
use super::index_impl::end_of;
use super::mismatch::Because;
use super::slice::sliced;
use super::unify::{Term, TermArgs};
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    /// How many slices a struct holds.
    pub(super) fn held_count(&self, item: ItemId) -> usize {
        self.program.held_slices.get(&item).map_or(0, Vec::len)
    }

    /// Whether a type has structs with slices or references in it.
    pub(super) fn holds_slices(&self, term: &Term) -> bool {
        let any = |terms: &[Term]| terms.iter().any(|term| self.holds_slices(term));
        match self.table.shallow(term) {
            Term::Struct(item, args) => {
                self.program.held_slices.contains_key(&item) || args.is_some_and(|args| any(&args))
            }
            Term::Array(inner, _) | Term::ArrayOf(inner, _) | Term::Option(inner) => self.holds_slices(&inner),
            Term::Result(value, error) => self.holds_slices(&value) || self.holds_slices(&error),
            Term::Tuple(members) | Term::Enum(_, Some(members)) => any(&members),
            _ => false,
        }
    }

    /// Calls back for each slice that a type holds, with its type but for what it is a part of.
    fn for_each_held(&self, term: &Term, with: &mut impl FnMut(Term, Term)) {
        match self.table.shallow(term) {
            Term::Struct(item, Some(args)) => {
                let count = self.held_count(item);
                let own = args.len().saturating_sub(count);
                args[..own].iter().for_each(|arg| self.for_each_held(arg, with));
                let held = self.program.held_slices.get(&item).into_iter().flatten();
                for (slot, ty) in args[own..].iter().zip(held) {
                    with(slot.clone(), Term::member(ty, &Some(args.clone())));
                }
            }
            Term::Array(inner, _) | Term::ArrayOf(inner, _) | Term::Option(inner) => self.for_each_held(&inner, with),
            Term::Result(value, error) => {
                self.for_each_held(&value, with);
                self.for_each_held(&error, with);
            }
            Term::Tuple(members) | Term::Enum(_, Some(members)) => {
                members.iter().for_each(|member| self.for_each_held(member, with));
            }
            _ => {}
        }
    }

    pub(super) fn held_in(&self, term: &Term) -> Vec<(Term, Term)> {
        let mut found = Vec::new();
        self.for_each_held(term, &mut |slot, ty| found.push((slot, ty)));
        found
    }

    /// A number for what no expression of the author's made.
    fn unwritten(&mut self) -> ExprId {
        self.unwritten += 1;
        let origin = ExprId::new(UNWRITTEN + self.unwritten);
        self.depths.1.insert(origin, self.frames.len());
        origin
    }

    /// Notes how many loops are around a variable.
    pub(super) fn note_depth(&mut self, binding: BindingId) {
        self.depths.0.insert(binding, self.frames.len());
    }

    /// New variables for the slices that a struct holds.
    pub(super) fn open_held(&mut self, item: ItemId) -> Vec<Term> {
        (0..self.held_count(item)).map(|_| self.fresh()).collect()
    }

    /// The type with new variables for the slices that it holds.
    pub(super) fn reopened(&mut self, term: &Term) -> Term {
        if self.program.held_slices.is_empty() {
            return term.clone();
        }
        match self.table.shallow(term) {
            Term::Struct(item, Some(args)) => {
                let held = self.open_held(item);
                let own = args.len().saturating_sub(held.len());
                let args: Vec<Term> = args[..own].iter().map(|arg| self.reopened(arg)).chain(held).collect();
                Term::Struct(item, Some(args.into()))
            }
            Term::Option(value) => Term::Option(Rc::new(self.reopened(&value))),
            Term::Array(element, len) => Term::Array(Rc::new(self.reopened(&element)), len),
            Term::Result(value, error) => {
                let value = self.reopened(&value);
                Term::Result(Rc::new(value), Rc::new(self.reopened(&error)))
            }
            Term::Tuple(members) => Term::Tuple(members.iter().map(|member| self.reopened(member)).collect()),
            other => other,
        }
    }

    /// The type of `Self` without what its slices are parts of, which an instance does not depend on.
    pub(super) fn without_held(&self, term: &Term) -> Term {
        match self.table.shallow(term) {
            Term::Struct(item, Some(args)) => {
                let own = args.len().saturating_sub(self.held_count(item));
                let none = args[own..].iter().map(|_| Term::Unit);
                Term::Struct(item, Some(args[..own].iter().cloned().chain(none).collect()))
            }
            other => other,
        }
    }

    /// Makes each slice of a type that nothing tells more about one of its own.
    pub(super) fn settle_held(&mut self, term: &Term) {
        for (slot, ty) in self.held_in(term) {
            if self.table.kind(&slot).is_none() {
                continue;
            }
            let origin = self.unwritten();
            self.origin_roots.insert(origin, BindingId::new(origin.index()));
            self.bind_held(&slot, &ty, origin);
        }
    }

    fn bind_held(&mut self, slot: &Term, ty: &Term, origin: ExprId) -> bool {
        let Term::Buffer { element, mutable, .. } = ty else { return false };
        self.table.unify(slot, &Term::Buffer { element: element.clone(), mutable: *mutable, origin: Some(origin) })
    }

    /// The types of a struct's fields, and the slices in them.
    pub(super) fn held_fields(&mut self, definition: &'a Struct) -> (Vec<Ty>, Vec<Ty>) {
        let mut held = Vec::new();
        let own = definition.generics.params.len();
        let position = |held: &Vec<Ty>| u32::try_from(own + held.len()).unwrap_or(u32::MAX);
        let mut fields = Vec::new();
        for (_, ty) in &definition.fields {
            if let TypeKind::Slice { mutable, element } = &ty.kind {
                let element = self.known_type(element);
                fields.push(Ty::Param(position(&held)));
                held.push(Ty::Buffer { element: Rc::new(element), mutable: *mutable, origin: None });
                continue;
            }
            let term = self.limited_term_of(ty);
            for (slot, ty) in self.held_in(&term) {
                self.table.unify(&slot, &Term::Param(position(&held)));
                held.push(self.table.resolve(&ty).unwrap_or(Ty::Error));
            }
            fields.push(self.known_type_of(&term, ty));
        }
        (fields, held)
    }

    /// The type that a written one means.
    fn known_type_of(&mut self, term: &Term, ty: &TypeExpr) -> Ty {
        self.table.resolve(term).unwrap_or_else(|| {
            self.report_open_type(ty.span);
            Ty::Error
        })
    }

    /// The value of a member that is a slice. `slot`: the argument of the struct that it decides.
    pub(super) fn check_held(&mut self, item: ItemId, position: u32, value: &'a Expr, slot: &Term, args: &TermArgs) {
        let program = self.program;
        let Item::Struct(definition) = &program.items[item].item else { return };
        let TypedItem::Struct(fields) = &program.items[item].typed else { return };
        let Some(Ty::Param(param)) = fields.get(position as usize) else { return };
        let held = (*param as usize).checked_sub(definition.generics.params.len());
        let ty = held.and_then(|held| program.held_slices.get(&item)?.get(held));
        let Some(ty) = ty.map(|ty| Term::member(ty, args)) else { return };
        let before = self.diags.len();
        self.give_held(value, slot, &ty);
        if self.diags.len() > before {
            // Nothing else is said of the struct.
            self.table.unify(slot, &Term::Error);
        }
    }

    /// `..base` of a struct with slices: what is left out is a part of what the base's is, and what is written may be of something else.
    pub(super) fn check_held_base(&mut self, made: &Term, fields: &[Term], written: &[u32], base: &'a Expr) {
        let of_base = self.reopened(made);
        self.check(base, &of_base, Because::Nothing);
        let program = self.program;
        let Term::Struct(item, args) = &of_base else { return };
        let TypedItem::Struct(types) = &program.items[*item].typed else { return };
        for (position, (field, ty)) in (0u32..).zip(fields.iter().zip(types)) {
            if !written.contains(&position) {
                self.table.unify(field, &Term::member(ty, args));
            }
        }
    }

    /// Makes a value the slice of a member, or of an assignment to one.
    pub(super) fn give_held(&mut self, value: &'a Expr, slot: &Term, ty: &Term) {
        let Term::Buffer { element, mutable, .. } = ty else { return };
        let before = self.diags.len();
        let mut ends = Vec::new();
        end_of(value, &mut ends);
        let is_one = matches!(ends.as_slice(), [end] if std::ptr::eq(strip(value), *end));
        self.has_references = true;
        if !is_one && !mutable {
            let origin = self.unwritten();
            let own: Vec<ExprId> = ends.iter().map(|end| end.id).collect();
            self.tables.given_slices.extend(own.iter().map(|end| (*end, Some(origin))));
            let found = self.infer(value, &Expect::Nothing);
            if self.diags.len() > before {
                return;
            }
            let Term::Buffer { element: given, .. } = self.table.shallow(&found) else { return };
            self.table.unify(element, &given);
            let origin = match self.origin_roots.get(&origin).copied() {
                Some(root) if self.is_fixed(root) => self.origin_of_root(root, *mutable),
                _ => return self.refuse_held(value),
            };
            self.tables.given_slices.extend(own.iter().map(|end| (*end, Some(origin))));
            if !ends.iter().all(|end| self.is_whole(end)) {
                self.tables.cut_origins.insert(origin);
            }
            self.finish_held(value, slot, ty, origin);
            return;
        }
        self.check_slice_of(value, element, *mutable);
        if self.diags.len() > before {
            return;
        }
        self.deferred.push(Deferred::Divided { receiver: value, term: (**element).clone(), owned: false });
        let origin = match self.slice_root(value) {
            Some(root) if self.is_fixed(root) => self.origin_of_root(root, *mutable),
            None if self.has_fixed_place(value) => self.unwritten(),
            _ => return self.refuse_held(value),
        };
        let end = strip(value);
        self.tables.given_slices.insert(end.id, Some(origin));
        if !self.is_whole(value) {
            self.tables.cut_origins.insert(origin);
        }
        if *mutable {
            self.tables.held_writes.insert(end.id);
        }
        self.finish_held(value, slot, ty, origin);
    }

    /// Whether slices of a variable are of the same buffer or array wherever they are made: one that names a slice may name another when it
    /// is declared again.
    fn is_fixed(&self, root: BindingId) -> bool {
        let is_slice =
            self.local(root).is_some_and(|local| matches!(self.table.shallow(&local.term), Term::Buffer { .. }));
        let is_parameter = match &self.program.items[self.item].item {
            Item::Fn(function) => function.params.iter().any(|param| param.binding == root),
            _ => false,
        };
        !is_slice || is_parameter
    }

    /// Whether no index and no reference decides where a place is.
    fn has_fixed_place(&self, value: &Expr) -> bool {
        let mut root = sliced(value);
        if self.has_index(root) {
            return false;
        }
        while let ExprKind::Paren(inner, ..)
        | ExprKind::Unary(_, inner)
        | ExprKind::Borrow { operand: inner, .. }
        | ExprKind::Field { base: inner, .. }
        | ExprKind::Slice { base: inner, .. }
        | ExprKind::Index { base: inner, .. } = &root.kind
        {
            root = inner;
        }
        self.is_parameter(root) || self.reference_of(root).is_none()
    }

    /// Whether a slice has all elements of the variable that it is a part of, or is the slice that a struct holds.
    fn is_whole(&self, value: &Expr) -> bool {
        let whole = sliced(value);
        match &whole.kind {
            ExprKind::Slice { base, start: None, end: None, .. } => self.is_whole(base),
            ExprKind::Field { .. } => {
                matches!(self.table.shallow(&self.term(whole)), Term::Buffer { origin: Some(_), .. })
            }
            ExprKind::Path(_) => match self.tables.paths.get(&whole.id) {
                Some(Resolution::Binding(binding)) => {
                    let term = self.table.shallow(&self.term(whole));
                    let is_reference = self.tables.references.contains_key(binding) && !self.is_parameter(whole);
                    !is_reference
                        && !self.slice_roots.contains_key(binding)
                        && !matches!(term, Term::Buffer { origin: Some(_), .. })
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn finish_held(&mut self, value: &Expr, slot: &Term, ty: &Term, origin: ExprId) {
        if !self.bind_held(slot, ty, origin) {
            self.error(code::REFERENCE_USE, value.span, "this slice is a part of something else than the one before")
                .note("kernels have no pointers: a slice in a struct keeps to the buffer or array that it was made of")
                .help(
                    "move the code that uses it into a function of the struct, and call that with the one or the other",
                );
        }
    }

    /// The number by which structs know slices of a variable.
    fn origin_of_root(&mut self, root: BindingId, mutable: bool) -> ExprId {
        if let Some(known) = self.root_origins.get(&(root, mutable)) {
            return *known;
        }
        // That of a parameter that is a struct is known.
        let origin = match root.index() >= UNWRITTEN {
            true => ExprId::new(root.index()),
            false => self.unwritten(),
        };
        self.origin_roots.insert(origin, root);
        self.root_origins.insert((root, mutable), origin);
        origin
    }

    /// The type of a variable, or of a field of it, before it is inferred where it stands.
    pub(super) fn held_place(&self, place: &Expr) -> Option<Term> {
        let program = self.program;
        match &strip(place).kind {
            ExprKind::Unary(UnaryOp::Deref, inner) => self.held_place(inner),
            ExprKind::Path(path) => {
                let (_, local) = path.as_name().and_then(|name| self.variable(name))?;
                Some(self.table.shallow(&local.term))
            }
            ExprKind::Field { base, member } => {
                let Term::Struct(item, args) = self.held_place(base)? else { return None };
                let Item::Struct(definition) = &program.items[item].item else { return None };
                let TypedItem::Struct(fields) = &program.items[item].typed else { return None };
                let position = match member {
                    Member::Named(name) => definition.fields.iter().position(|(field, _)| field == name)?,
                    Member::Index(index, _) => *index as usize,
                };
                Some(self.table.shallow(&Term::member(fields.get(position)?, &args)))
            }
            _ => None,
        }
    }

    /// `self.rest = &self.rest[1..];`; whether it is that, right or wrong.
    pub(super) fn infer_held_assign(&mut self, place: &'a Expr, value: &'a Expr) -> bool {
        if self.program.held_slices.is_empty() || !is_named_field(place) {
            return false;
        }
        let outer = std::mem::take(&mut self.diags);
        let found = self.infer_base(place);
        let of_place = std::mem::replace(&mut self.diags, outer);
        let Term::Buffer { element, mutable, origin: Some(_) } = self.table.shallow(&found) else { return false };
        self.diags.append(of_place);
        let ty = Term::Buffer { element, mutable, origin: None };
        self.give_held(value, &found, &ty);
        self.require_place(place);
        true
    }

    /// Tells the slices of a call's result by those of its arguments, as the callee's own types do.
    pub(super) fn bind_given(
        &mut self,
        call: &'a Expr,
        (item, function): (ItemId, &Fn),
        args: &[&'a Expr],
        result: &Term,
    ) {
        let program = self.program;
        if program.held_slices.is_empty() {
            return;
        }
        let (TypedItem::Fn(typed) | TypedItem::Generic(typed)) = &program.items[item].typed else {
            // It stands further down: any part may be what it makes of them.
            for arg in args {
                let held = self.held_in(&self.term(arg));
                self.cut_held(&held);
            }
            self.settle_held(result);
            let held = self.held_in(result);
            return self.cut_held(&held);
        };
        let is_generic = matches!(program.items[item].typed, TypedItem::Generic(_));
        for (position, (param, arg)) in typed.params.iter().zip(args).enumerate() {
            let writes = function.params[position].ty.writes() || position == 0 && function.writes_self();
            let cut = |origin: &ExprId| is_generic || typed.cut_origins.contains(origin);
            if writes && program.held_origins(param).iter().any(cut) {
                let held = self.held_in(&self.term(arg));
                self.cut_held(&held);
            }
        }
        let passed = self.passed_held(typed, args);
        let given: Vec<ExprId> = typed.result.iter().flat_map(|ty| program.held_origins(ty)).collect();
        for ((slot, ty), origin) in self.held_in(result).into_iter().zip(given) {
            let own = self.origin_here(
                typed,
                function,
                &passed,
                args,
                origin,
                matches!(ty, Term::Buffer { mutable: true, .. }),
            );
            let own = match own {
                Some(own) => own,
                None => {
                    if let Some(arg) = args.iter().find(|arg| !self.has_fixed_place(arg)) {
                        return self.refuse_held(arg);
                    }
                    self.unwritten()
                }
            };
            let root = typed.origin_roots.get(&origin);
            let position = root.and_then(|root| function.params.iter().position(|param| param.binding == *root));
            let is_whole = match position {
                Some(position) => args.get(position).is_some_and(|arg| self.is_whole(arg)),
                None => root.is_some_and(|root| passed.iter().any(|(of_callee, _)| of_callee.index() == root.index())),
            };
            if !is_whole || typed.cut_origins.contains(&origin) {
                self.tables.cut_origins.insert(own);
            }
            self.bind_held(&slot, &ty, own);
        }
        if let Some(Ty::Buffer { origin: Some(origin), .. }) = &typed.result
            && let Some(root) = self.root_here(typed, function, &passed, args, *origin)
        {
            self.origin_roots.insert(call.id, root);
        }
    }

    /// Notes that the `next` of an iterator with slices may make them parts of what they were.
    pub(super) fn cut_by_next(&mut self, iterator: &Term, next: ItemId) {
        let program = self.program;
        let keeps = match &program.items[next].typed {
            TypedItem::Fn(typed) => {
                let own = typed.params.first().map(|param| program.held_origins(param)).unwrap_or_default();
                !own.iter().any(|origin| typed.cut_origins.contains(origin))
            }
            _ => false,
        };
        if !keeps {
            let held = self.held_in(iterator);
            self.cut_held(&held);
        }
    }

    fn cut_held(&mut self, held: &[(Term, Term)]) {
        for (slot, _) in held {
            if let Term::Buffer { origin: Some(origin), .. } = self.table.shallow(slot) {
                self.tables.cut_origins.insert(origin);
            }
        }
    }

    /// For the slices that a callee's parameters hold, those of the arguments.
    fn passed_held(&self, typed: &TypedFn, args: &[&'a Expr]) -> Vec<(ExprId, ExprId)> {
        let mut passed = Vec::new();
        for (param, arg) in typed.params.iter().zip(args) {
            let own = self.held_in(&self.term(arg)).into_iter().map(|(slot, _)| self.table.shallow(&slot));
            for (of_callee, own) in self.program.held_origins(param).into_iter().zip(own) {
                if let Term::Buffer { origin: Some(own), .. } = own {
                    passed.push((of_callee, own));
                }
            }
        }
        passed
    }

    fn origin_here(
        &mut self,
        typed: &TypedFn,
        function: &Fn,
        passed: &[(ExprId, ExprId)],
        args: &[&'a Expr],
        origin: ExprId,
        mutable: bool,
    ) -> Option<ExprId> {
        let known = |wanted: ExprId| passed.iter().find(|(of_callee, _)| *of_callee == wanted).map(|(_, own)| *own);
        if let Some(own) = known(origin) {
            return Some(own);
        }
        let root = typed.origin_roots.get(&origin)?;
        if root.index() >= UNWRITTEN
            && let Some(own) = known(ExprId::new(root.index()))
        {
            return Some(own);
        }
        let root = self.root_here(typed, function, passed, args, origin).filter(|root| self.is_fixed(*root))?;
        Some(self.origin_of_root(root, mutable))
    }

    /// The variable here whose elements a slice has that a callee gives.
    fn root_here(
        &self,
        typed: &TypedFn,
        function: &Fn,
        passed: &[(ExprId, ExprId)],
        args: &[&'a Expr],
        origin: ExprId,
    ) -> Option<BindingId> {
        let root = *typed.origin_roots.get(&origin)?;
        if let Some(position) = function.params.iter().position(|param| param.binding == root) {
            return args.get(position).and_then(|arg| self.slice_root(arg));
        }
        let (_, own) = passed.iter().find(|(of_callee, _)| of_callee.index() == root.index())?;
        self.origin_roots.get(own).copied()
    }
}

/// Whether a place is a field of a variable, or of a field of one.
fn is_named_field(place: &Expr) -> bool {
    let mut root = strip(place);
    if !matches!(root.kind, ExprKind::Field { .. }) {
        return false;
    }
    while let ExprKind::Paren(inner, ..)
    | ExprKind::Unary(UnaryOp::Deref, inner)
    | ExprKind::Field { base: inner, .. } = &root.kind
    {
        root = inner;
    }
    matches!(root.kind, ExprKind::Path(_))
}
