//! Functions, consts and types of `impl` blocks and traits: which one a name means for a type. Traits that are implemented
//! but not in scope are rustc's to report.

use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, Fn, Impl, Item, MethodCall, Path, PathCall, ScalarName, SpanRange, TypeKind};
use crate::builtin::intrinsic::Kind;
use crate::diag::code;
use crate::program::ItemId;
use crate::source::text;
use crate::typed::Callee;

use super::block::strip;
use super::closure::closure_literal;
use super::generic::{Param, Request, unknown_params};
use super::iterator::over;
use super::mismatch::Because;
use super::unify::Term;
use super::{Expect, Infer};

/// A function or const that may be meant.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) member: ItemId,
    /// The parameters of its `impl` or trait, and `Self`.
    pub(super) params: Vec<Param>,
    /// `Self` as the `impl` has it.
    pub(super) self_term: Term,
    /// Whether every use needs an instance of its own.
    pub(super) is_generic: bool,
    /// Whether a trait gives it.
    pub(super) is_of_trait: bool,
}

pub(super) fn self_param(term: Term) -> Param {
    Param { name: "Self".to_owned(), term, scalar: None }
}

impl<'a> Infer<'a> {
    /// Brings the parameters of the `impl` or trait around the item into scope, and `Self`.
    pub(super) fn enter_owner(&mut self) {
        let program = self.program;
        let item = &program.items[self.item];
        let Some(owner) = item.owner.filter(|_| item.bindings.is_empty()) else { return };
        let mut params = match &program.items[owner].item {
            Item::Impl(implementation) => {
                let mut params = unknown_params(&implementation.generics);
                let term = self.within(owner, params.clone(), |cx| cx.term_of(&implementation.self_ty));
                params.push(self_param(term));
                params
            }
            Item::Trait(definition) => {
                let mut params = unknown_params(&definition.generics);
                params.push(self_param(Term::Error));
                params
            }
            _ => return,
        };
        params.append(&mut self.params);
        self.params = params;
    }

    /// The members called `name` that a type has: its own first, then those of traits. `of`: only of this trait.
    pub(super) fn candidates(&mut self, term: &Term, name: &str, of: Option<&str>) -> Vec<Candidate> {
        let program = self.program;
        let (mut own, mut of_traits) = (Vec::new(), Vec::new());
        for (id, item) in program.items.iter() {
            let Item::Impl(implementation) = &item.item else { continue };
            let trait_name = implementation.of.as_ref().and_then(|path| path.segments.last());
            if of.is_some_and(|of| trait_name.is_none_or(|name| name != of)) {
                continue;
            }
            let found = member_named(program.members(id), name);
            let default = if found.is_none() { self.default_member(id, implementation, name) } else { None };
            let Some((member, is_default)) = found.map(|id| (id, false)).or(default.map(|id| (id, true))) else {
                continue;
            };
            let mut params = self.open_params(&implementation.generics);
            let self_term = self.within(id, params.clone(), |cx| cx.term_of(&implementation.self_ty));
            if !self.table.would_unify(&self_term, term) {
                continue;
            }
            let is_generic = is_default || !params.is_empty();
            if is_default {
                params.clear();
            }
            params.push(self_param(self.without_held(&self_term)));
            let is_of_trait = implementation.of.is_some();
            let candidate = Candidate { member, params, self_term, is_generic, is_of_trait };
            if is_of_trait { of_traits.push(candidate) } else { own.push(candidate) }
        }
        own.append(&mut of_traits);
        own
    }

    /// The default that a trait gives an `impl` which leaves the member out.
    fn default_member(&self, id: ItemId, implementation: &Impl, name: &str) -> Option<ItemId> {
        let path = implementation.of.as_ref()?;
        let definition = *self.program.items[id].uses.get(&path.text())?;
        member_named(self.program.members(definition), name)
    }

    /// In an instance, whether both a type itself and a trait have a method: Rust takes the trait's where the type is a
    /// parameter of the function, and here it is known only what the parameter stands for. Where the trait's method calls the own one, both
    /// are the same.
    pub(super) fn is_own_or_of_trait(&mut self, term: &Term, name: &Ident) -> bool {
        if self.program.items[self.item].bindings.is_empty() {
            return false;
        }
        let name = name.to_string();
        let candidates = self.candidates(term, &name, None);
        let is_own = || super::method::find_row(&name, term, Some(Kind::Method)).is_some();
        candidates.iter().any(|candidate| candidate.is_of_trait && !self.is_forwarded(candidate))
            && (candidates.iter().any(|candidate| !candidate.is_of_trait) || is_own())
    }

    /// `receiver.name(args)` of an `impl`; `None` when there is no such method.
    pub(super) fn infer_user_method(&mut self, call: MethodCall<'a>, term: &Term) -> Option<Term> {
        let MethodCall { expr, receiver, name, args } = call;
        let mut candidates = self.candidates(term, &name.to_string(), None);
        candidates.retain(|candidate| self.method_of(candidate).is_some_and(|function| function.receiver.is_some()));
        if candidates.is_empty() {
            return None;
        }
        let found = self.infer_all(args, &candidates, 1);
        let candidate = self.choose(candidates, 1, &found)?;
        let ExprKind::Method { turbofish, .. } = &expr.kind else { return None };
        let all: Vec<(&'a Expr, Term)> = std::iter::once((receiver, term.clone())).chain(found).collect();
        Some(self.call_member(expr, candidate, turbofish.as_deref(), all, super::range(name.span())))
    }

    /// `Type::name(args)` of an `impl`; `None` when the path does not begin with a type that has it.
    pub(super) fn infer_user_associated(&mut self, call: PathCall<'a>) -> Option<Term> {
        let PathCall { expr, path, span, args } = call;
        if let Some((of, name)) = self.trait_of(path) {
            return Some(self.infer_trait_call(&of, name, call));
        }
        let term = self.owner_of(path)?;
        if term == Term::Error {
            self.infer_unknown_arguments(args);
            return Some(Term::Error);
        }
        let name = path.segments.last()?;
        let through = path.through.as_ref().and_then(|path| path.segments.last()).map(ToString::to_string);
        let mut candidates = self.candidates(&term, &name.to_string(), through.as_deref());
        let is_named_in_full = through.is_some() && !candidates.is_empty();
        // Else what Rust defines on the type itself comes before what traits give it.
        if self.begins_with_param(path) && candidates.iter().any(|candidate| candidate.is_of_trait) {
            candidates.retain(|candidate| candidate.is_of_trait);
        } else if !is_named_in_full && super::method::find_row(&name.to_string(), &term, None).is_some() {
            return None;
        }
        if candidates.is_empty() {
            return (name == "default" && args.is_empty()).then(|| self.infer_default(expr, term));
        }
        let found = self.infer_all(args, &candidates, 0);
        // Of numbers from numbers there is a `From` already.
        if let (Term::Scalar(to), "from", [(_, given)]) = (&term, name.to_string().as_str(), found.as_slice())
            && let Term::Scalar(from) = self.table.shallow(given)
            && (from == *to || converts(from, *to))
        {
            self.tables.calls.insert(expr.id, Callee::Convert);
            return Some(term);
        }
        let candidate = self.choose(candidates, 0, &found)?;
        self.table.unify(&candidate.self_term, &term);
        Some(self.call_member(expr, candidate, path.last_args(), found, span))
    }

    /// Whether a path begins with a type parameter, which has what its bounds give it, and nothing of what it stands for. `Self` is
    /// one in a trait.
    pub(super) fn begins_with_param(&self, path: &Path) -> bool {
        let Some(first) = path.segments.first() else { return false };
        let in_trait = || {
            let owner = self.program.items[self.item].owner;
            owner.is_some_and(|owner| matches!(self.program.items[owner].item, Item::Trait(_)))
        };
        self.params.iter().any(|param| first == param.name.as_str()) && (first != "Self" || in_trait())
    }

    /// An operator on a type that an `impl` defines it for; `None` when there is none.
    pub(super) fn user_operator(
        &mut self,
        expr: &'a Expr,
        (of, method): (&str, &str),
        left: &Term,
        right: Option<(&'a Expr, &Term)>,
    ) -> Option<Term> {
        let candidates = self.candidates(left, method, Some(of));
        let found: Vec<(&'a Expr, Term)> = right.into_iter().map(|(expr, term)| (expr, term.clone())).collect();
        let operand = match &expr.kind {
            ExprKind::Unary(_, operand) => operand,
            ExprKind::Binary(_, left, ..) | ExprKind::AssignOp(_, left, ..) => left,
            _ => return None,
        };
        let candidates = self.fitting_operators(expr, candidates, operand, &found);
        let candidate = self.choose(candidates, 1, &found)?;
        let all = std::iter::once((&**operand, left.clone())).chain(found).collect();
        Some(self.call_member(expr, candidate, None, all, expr.span))
    }

    /// `base[index]` by way of a trait's function; `None` when the type has none.
    pub(super) fn user_function(
        &mut self,
        expr: &'a Expr,
        (of, method): (&str, &str),
        (base, term): (&'a Expr, &Term),
        index: &'a Expr,
    ) -> Option<Term> {
        let candidates = self.candidates(term, method, Some(of));
        if candidates.is_empty() {
            return None;
        }
        let found = self.infer_all(std::slice::from_ref(index), &candidates, 1);
        let candidate = self.choose(candidates, 1, &found)?;
        let all = std::iter::once((base, term.clone())).chain(found).collect();
        Some(self.call_member(expr, candidate, None, all, expr.span))
    }

    /// The `index_mut` for an index that is inferred already, with its parameters and whether it needs an instance.
    pub(super) fn member_of_element(&mut self, term: &Term, index: &'a Expr) -> Option<(ItemId, Vec<Param>, bool)> {
        let candidates = self.candidates(term, "index_mut", Some("IndexMut"));
        let found = self.term(index);
        let candidate = self.choose(candidates, 1, &[(index, found.clone())])?;
        self.table.unify(&candidate.self_term, term);
        if let Some(param) = self.method_of(&candidate)?.params.get(1) {
            let wanted = self.within(candidate.member, candidate.params.clone(), |cx| cx.term_of(&param.ty));
            self.table.unify(&wanted, &found);
        }
        Some((candidate.member, candidate.params, candidate.is_generic))
    }

    /// The arguments with their types; closures and slices have to wait for what is asked of them.
    pub(super) fn infer_all(
        &mut self,
        args: &'a [Expr],
        candidates: &[Candidate],
        skip: usize,
    ) -> Vec<(&'a Expr, Term)> {
        let found = args.iter().enumerate().map(|(position, arg)| match closure_literal(arg) {
            Some(_) => (arg, self.fresh()),
            None if candidates.iter().all(|candidate| self.takes_slice(candidate, position + skip)) => {
                (arg, self.fresh())
            }
            None if candidates.iter().all(|candidate| self.takes_iterator(candidate, position + skip)) => {
                (arg, over(&self.element_of(arg)))
            }
            None => (arg, self.infer_reference(arg, &Expect::Nothing)),
        });
        found.collect()
    }

    /// Whether a parameter of a function is a slice.
    fn takes_slice(&self, candidate: &Candidate, position: usize) -> bool {
        let param = self.method_of(candidate).and_then(|function| function.params.get(position));
        param.is_some_and(|param| matches!(param.ty.kind, TypeKind::Slice { .. }))
    }

    /// Whether a parameter of a function is an iterator.
    fn takes_iterator(&self, candidate: &Candidate, position: usize) -> bool {
        let function = self.method_of(candidate);
        let param = function.and_then(|function| Some((function, function.params.get(position)?)));
        param.is_some_and(|(function, param)| function.iterator_param(param).is_some())
    }

    pub(super) fn method_of(&self, candidate: &Candidate) -> Option<&'a Fn> {
        let program = self.program;
        match &program.items[candidate.member].item {
            Item::Fn(function) => Some(function),
            _ => None,
        }
    }

    /// The first candidate whose parameters, from `skip` on, fit the arguments; the first at all when none does.
    pub(super) fn choose(
        &mut self,
        candidates: Vec<Candidate>,
        skip: usize,
        args: &[(&'a Expr, Term)],
    ) -> Option<Candidate> {
        let mut first = None;
        let several = candidates.len() > 1;
        for candidate in candidates {
            let Some(function) = self.method_of(&candidate) else { continue };
            let mut fits = !several || function.params.len() == args.len() + skip;
            for (param, (_, found)) in function.params.iter().skip(skip).zip(args).filter(|_| several) {
                let term = self.member_term(&candidate, function, &param.ty);
                fits &= self.table.would_unify(&term, found);
            }
            if fits {
                return Some(candidate);
            }
            first = first.or(Some(candidate));
        }
        first
    }

    /// A type in a candidate's signature, its own parameters left open.
    pub(super) fn member_term(
        &mut self,
        candidate: &Candidate,
        function: &'a Fn,
        ty: &'a crate::ast::TypeExpr,
    ) -> Term {
        let mut params = candidate.params.clone();
        params.extend(self.open_params(&function.generics));
        self.within(candidate.member, params, |cx| cx.term_of(ty))
    }

    /// Checks the arguments of a chosen function, the receiver among them, and records the call.
    pub(super) fn call_member(
        &mut self,
        expr: &'a Expr,
        candidate: Candidate,
        written: Option<&'a crate::ast::PathArgs>,
        args: Vec<(&'a Expr, Term)>,
        span: SpanRange,
    ) -> Term {
        let Some(function) = self.method_of(&candidate) else { return Term::Error };
        let Candidate { member, mut params, is_generic, is_of_trait, .. } = candidate;
        let is_operator = !matches!(expr.kind, ExprKind::Call { .. } | ExprKind::Method { .. });
        let own = self.open_params(&function.generics);
        if let Some(written) = written {
            self.unify_written(&function.name.to_string(), &function.generics, &own, written);
        }
        let needs_instance = is_generic || !own.is_empty();
        params.extend(own);
        self.tables.calls.insert(expr.id, Callee::Device(member));
        if function.writes_self()
            && let Some((receiver, _)) = args.first()
        {
            self.tables.writes.insert(expr.id);
            self.require_writable(expr, receiver);
            if function.gives_place && matches!(expr.kind, ExprKind::Method { .. }) {
                self.require_own_receiver(function, receiver);
            }
        }
        let mut chains = Vec::new();
        if function.params.len() != args.len() {
            // `Trait::name(x, …)` passes `self` as all the others.
            let skip = usize::from(function.receiver.is_some() && !matches!(expr.kind, ExprKind::Call { .. }));
            let (name, count) = (function.name.to_string(), function.params.len() - skip.min(function.params.len()));
            let message = wrong_count(&name, count, args.len().saturating_sub(skip));
            self.error(code::WRONG_ARGUMENTS, span, message);
            args.iter().for_each(|(_, found)| self.table.poison(found));
        } else {
            // Closures last, as in rustc: the other arguments tell their types.
            for closures in [false, true] {
                for (position, ((arg, found), param)) in (0u32..).zip(args.iter().zip(&function.params)) {
                    let literal = closure_literal(arg);
                    if literal.is_some() != closures {
                        continue;
                    }
                    if let Some((named, element)) = function.iterator_param(param) {
                        let found = match self.table.shallow(found) {
                            Term::Iterator(found) | Term::Range(found, _) => (*found).clone(),
                            _ => self.element_of(arg),
                        };
                        chains.extend(self.accept_iterator(arg, &found, (member, &params), named, element));
                        continue;
                    }
                    let term = self.within(member, params.clone(), |cx| cx.term_of(&param.ty));
                    let because = Because::Argument(member, position);
                    let demand = self.demand_of(member, function, &params, position as usize);
                    if let Some((inner, closure)) = literal {
                        let made = self.infer_closure(inner, closure, demand.as_ref());
                        if demand.is_some() {
                            self.note_passed(inner);
                        }
                        self.record(inner.id, made.clone());
                        self.record(arg.id, made.clone());
                        self.table.unify(found, &made);
                        self.coerce(arg, &made, &term, because);
                        continue;
                    }
                    if let TypeKind::Slice { .. } = param.ty.kind {
                        self.check_slice(arg, &term, !needs_instance && !is_of_trait);
                        let is_slice = matches!(self.table.shallow(&self.term(strip(arg))), Term::Buffer { .. });
                        if !is_slice && !self.is_slice_argument(arg) {
                            self.tables.bare_slices.push(expr.id);
                        }
                        continue;
                    }
                    if let Some(demand) = &demand {
                        self.accept_callable(arg, demand);
                        self.fit_closure(arg, found, demand);
                    }
                    if is_operator || position == 0 && function.receiver.is_some() {
                        self.coerce(arg, found, &term, because);
                        // What an iterator lends, in `Trait::name(x)`.
                        if matches!(expr.kind, ExprKind::Call { .. }) && takes_reference(function) {
                            self.is_lent(arg, Some(false));
                        }
                    } else {
                        self.coerce_argument(arg, found, &term, &param.ty, because);
                    }
                }
            }
        }
        self.fit_literals(member, &function.generics, &params);
        let result = match &function.result {
            Some(ty) => self.within(member, params.clone(), |cx| cx.term_of(ty)),
            None => Term::Unit,
        };
        let passed: Vec<_> = args.iter().map(|(arg, _)| *arg).collect();
        let result = self.call_result(expr, (member, function), &passed, result);
        if let (Term::Buffer { .. }, Some((first, _))) = (&result, args.first()) {
            self.refuse_given_of_remote(first, function);
        }
        if needs_instance {
            self.requests.push(Request { expr: expr.id, span, item: member, params, chains });
        }
        result
    }

    /// The functions of Rust's `From` and `Default` for built-in types.
    pub(super) fn infer_standard_function(
        &mut self,
        expr: &'a Expr,
        receiver: &Term,
        name: &str,
        args: &'a [Expr],
    ) -> Option<Term> {
        match (name, args) {
            ("default", []) => Some(self.infer_default(expr, receiver.clone())),
            ("from", [value]) if matches!(receiver, Term::Vector(..)) => self.infer_vector_from(expr, receiver, value),
            ("from", [value]) => {
                let Term::Scalar(to) = receiver else { return None };
                // It may be of another type, also where it is an `if` or a `match`.
                let found = self.infer(value, &Expect::Nothing);
                match self.table.shallow(&found) {
                    Term::Scalar(from) if from != *to && converts(from, *to) => {}
                    _ => self.coerce(value, &found, receiver, Because::Nothing),
                }
                self.tables.calls.insert(expr.id, Callee::Convert);
                Some(receiver.clone())
            }
            ("try_from", [value]) if matches!(receiver, Term::Scalar(to) if to.is_int() || *to == ScalarName::Char) => {
                Some(self.infer_try_from(expr, value, receiver))
            }
            _ => None,
        }
    }

    /// Reports the receiver of a method with `&mut self` that cannot be written. A value that lies nowhere can: it is the
    /// method's own.
    pub(super) fn require_writable(&mut self, call: &'a Expr, receiver: &'a Expr) {
        let mut whole = strip(receiver);
        while let ExprKind::Field { base, .. } = &whole.kind {
            whole = strip(base);
        }
        let is_own = matches!(whole.kind, ExprKind::Call { .. } | ExprKind::Method { .. } | ExprKind::Struct { .. });
        if !is_own && !matches!(call.kind, ExprKind::AssignOp(..)) {
            self.require_written(receiver, true);
        }
    }

    /// Notes that a method of a value of unknown type writes it, as a trait, some type or Rust's library says: the rendering of a generic
    /// function has to know, because elements that are only read are copies there.
    pub(super) fn note_unknown_writer(&mut self, expr: &'a Expr, receiver: &'a Expr, name: &Ident, args: &[Expr]) {
        let (mut writes, mut reads) = (false, false);
        let (mut some_write, mut some_read) = (false, false);
        for (_, item) in self.program.items.iter() {
            match &item.item {
                Item::Trait(definition) => {
                    for (_, writing) in definition.methods.iter().filter(|(own, _)| own == name) {
                        writes |= *writing;
                        reads |= !*writing;
                    }
                }
                Item::Fn(function) if function.receiver.is_some() && function.name == *name => {
                    some_write |= function.writes_self();
                    some_read |= !function.writes_self();
                }
                _ => {}
            }
        }
        // A parameter of a type has the methods of its traits alone.
        let by_trait = writes || reads;
        let is_element =
            matches!(strip(receiver).kind, ExprKind::Index { .. } | ExprKind::Slice { .. } | ExprKind::Field { .. });
        if !by_trait && is_element && self.may_be_reached_by_others(receiver) {
            writes = some_write || super::method::writes_receiver(&name.to_string(), args.len());
            reads = some_read;
        }
        if writes && reads && self.may_be_reached_by_others(receiver) {
            let place = text(receiver);
            let (owners, owner) = if by_trait { ("trait", "Trait") } else { ("type", "Type") };
            self.error(
                code::UNKNOWN_METHOD,
                receiver.span,
                format!("`{name}` writes `{place}` in one {owners} and reads it in another"),
            )
            .help(format!(
                "name the {owners}: `{owner}::{name}(&mut {place}, …)`, or give one of the two another name"
            ));
        } else if writes {
            self.tables.writes.insert(expr.id);
        }
    }

    fn may_be_reached_by_others(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Index { .. } => true,
            ExprKind::Slice { base, .. } => self.may_be_reached_by_others(base),
            ExprKind::Paren(inner, ..) | ExprKind::Field { base: inner, .. } | ExprKind::Unary(_, inner) => {
                self.may_be_reached_by_others(inner)
            }
            _ => self.reference_of(place).is_some(),
        }
    }
}

/// Whether Rust has `To::from(from)` for two different scalars: those that lose nothing, where `usize` has at least 16 bits.
pub(super) fn converts(from: ScalarName, to: ScalarName) -> bool {
    use ScalarName::{Bf16, Bool, Char, F16, F32, F64, I8, I16, I32, I64, I128, Isize, U8, U16, U32, U64, U128, Usize};
    if to.is_wide() && from.is_int() {
        let is_size = matches!(from, Usize | Isize);
        return !is_size && !from.is_wide() && (from.is_unsigned() || to.is_signed());
    }
    match from {
        Bool => to.is_int() || matches!(to, F32 | F64),
        Char => matches!(to, U32 | U64 | U128),
        U8 => matches!(to, Char | U16 | U32 | U64 | Usize | I16 | I32 | I64 | Isize | F16 | Bf16 | F32 | F64),
        I8 => matches!(to, I16 | I32 | I64 | Isize | F16 | Bf16 | F32 | F64),
        U16 => matches!(to, U32 | U64 | Usize | I32 | I64 | F32 | F64),
        I16 => matches!(to, I32 | I64 | Isize | F32 | F64),
        U32 => matches!(to, U64 | I64 | F64),
        I32 => matches!(to, I64 | F64),
        F16 | Bf16 => matches!(to, F32 | F64),
        F32 => to == F64,
        I64 | U64 | I128 | U128 | F64 | Isize | Usize | ScalarName::Text => false,
    }
}

/// Whether a method takes `&self`.
pub(super) fn takes_reference(function: &Fn) -> bool {
    let kind = function.receiver.as_ref().map(|receiver| &receiver.kind);
    matches!(kind, Some(syn::ReceiverKind::Reference(_, _, None)))
}

/// The message for a call with too many or too few arguments.
pub(super) fn wrong_count(name: &str, expected: usize, found: usize) -> String {
    let plural = if expected == 1 { "" } else { "s" };
    let verb = if found == 1 { "was" } else { "were" };
    format!("`{name}` takes {expected} argument{plural}, but {found} {verb} given")
}

pub(super) fn member_named<'p>(
    mut members: impl Iterator<Item = (ItemId, &'p crate::program::ProgramItem)>,
    name: &str,
) -> Option<ItemId> {
    let is_named = |item: &Item| match item {
        Item::Fn(function) => function.name == name,
        Item::Const(constant) => constant.name == name,
        _ => false,
    };
    members.find(|(_, member)| is_named(&member.item)).map(|(id, _)| id)
}
