//! Closures: their signatures, what they capture, and calls of variables that hold one. A closure is a value of a type of
//! its own, made of what it captures by copy; what it does is a function of the module.
//!
//! Lowering inlines a closure that names a buffer. A closure passed to a method of `Option` and its like runs in place
//! (`lower/inline.rs`): its variables are those of the function, so it may change them, and a `return` in it leaves a
//! loop of one round. The same holds for a closure in a variable that changes its captures or names a slice and is
//! never a value: it is lowered at each call. A closure passed for `FnMut` or `FnOnce` is lowered in place together
//! with the function that takes it (`lower/reference.rs`). A path given instead, `map(f32::sqrt)`, is parsed as itself
//! and as the closure that calls it; inference takes one of the two.

use std::rc::Rc;

use crate::ast::{
    BindingId, Bound, Closure, Expr, ExprId, ExprKind, Fn, GenericKind, Item, Path, Pattern, SpanRange, TypeExpr,
    TypeKind,
};
use crate::diag::code;
use crate::program::{ItemId, TypedItem};
use crate::typed::{Callee, Resolution};

use super::generic::Param;
use super::mismatch::Because;
use super::unify::Term;
use super::{Expect, Infer};

/// A closure of the function under inference.
#[derive(Debug, Clone)]
pub(super) struct Signature<'a> {
    pub(super) closure: &'a std::rc::Rc<Closure>,
    pub(super) params: Vec<Term>,
    /// For each of them, whether it is a reference, and then whether it is written through.
    pub(super) references: Vec<Option<bool>>,
    pub(super) result: Term,
    pub(super) captures: Vec<BindingId>,
    pub(super) returns: bool,
    /// Whether it runs where it stands.
    pub(super) inline: bool,
    /// Whether it has a variable of its own.
    pub(super) named: bool,
    /// Whether it is an argument for a parameter `impl Fn`.
    pub(super) is_passed: bool,
    /// How often it is used as a value: passed on, or captured by a closure that has copies. Arguments for `impl Fn` count less.
    pub(super) value_uses: u32,
    pub(super) gives: Gives,
}

/// A closure around the expression under inference.
#[derive(Debug)]
pub(super) struct Around {
    pub(super) expr: ExprId,
    /// The number of variables in scope where it begins.
    base: usize,
    /// Whether it runs where it stands, as the arguments of `map` and its like do: its variables are the function's.
    pub(super) inline: bool,
    /// The word `move`.
    moves: bool,
    /// Whether a `return` or `?` left it.
    pub(super) returns: bool,
}

/// The demands of a bound or method on a closure.
#[derive(Debug, Clone)]
pub(super) struct Demand {
    pub(super) params: Vec<Term>,
    pub(super) result: Term,
    pub(super) gives: Gives,
    /// For each parameter, whether it is a reference, if a bound says it.
    pub(super) references: Vec<Option<bool>>,
    /// Whether the closure may change the variables around it: it runs where it is called, whoever calls it.
    pub(super) changes: bool,
}

/// The arguments that a method hands to a closure, as Rust sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Values,
    References,
    /// A reference to a state that the closure changes, then values.
    State,
    /// Values, for which it gives something to go through.
    ForMany,
}

impl<'a> Infer<'a> {
    /// A closure expression, its parameters as the context demands them.
    pub(super) fn infer_closure(
        &mut self,
        expr: &'a Expr,
        closure: &'a std::rc::Rc<Closure>,
        demand: Option<&Demand>,
    ) -> Term {
        let changes = demand.is_some_and(|demand| demand.changes);
        if !changes && self.refuse_written_parameter(closure) {
            return Term::Error;
        }
        self.infer_closure_in(expr, closure, demand, changes)
    }

    /// A closure in a variable of its own; `None` for other values. With `let mut` it runs where it is called, as the arguments of
    /// `map` do, and may change the function's variables.
    pub(super) fn infer_closure_let(&mut self, value: &'a Expr, mutable: bool) -> Option<Term> {
        let (expr, closure) = closure_literal(value)?;
        // A closure that writes through a parameter runs where it is called.
        let inline = mutable || writes_parameter(closure);
        let found = self.infer_closure_in(expr, closure, None, inline && closure.moves.is_none());
        if let Some(signature) = self.closures.get_mut(&expr.id) {
            signature.named = true;
        }
        self.record(expr.id, found.clone());
        self.record(value.id, found.clone());
        Some(found)
    }

    /// Reports a parameter through which a closure that is a value would write; whether there is one.
    fn refuse_written_parameter(&mut self, closure: &Closure) -> bool {
        let written = closure.params.iter().filter_map(|(_, ty)| ty.as_ref()).find(|ty| ty.writes());
        let Some(ty) = written else { return false };
        self.error(code::UNSUPPORTED_SYNTAX, ty.span, "a closure that writes through a parameter cannot be used as a value in kernels")
            .help("give it a variable, `let f = |…| …;`, without `move`, and call that; or pass it for a parameter `impl FnMut(…)`");
        true
    }

    /// Notes that a closure is used as a value. One that is none is reported in the end, unless it is accepted before.
    pub(super) fn note_closure_value(&mut self, expr: &Expr, name: &str, term: &Term) {
        let Term::Closure(item, closure) = term else { return };
        if *item != self.item {
            return;
        }
        let Some(signature) = self.closures.get_mut(closure) else { return };
        signature.value_uses += 1;
        if signature.inline && signature.named {
            self.closure_values.push((expr.id, expr.span, name.to_owned()));
        }
    }

    /// Accepts a closure that runs where it is called as an argument: `f` or `&mut f`.
    pub(super) fn accept_callable(&mut self, arg: &Expr, demand: &Demand) {
        let callable = callable_of(arg);
        if demand.changes {
            self.closure_values.retain(|(expr, ..)| *expr != callable.id);
        } else if let (ExprKind::Path(_), Term::Closure(item, closure)) = (&callable.kind, self.term(callable))
            && item == self.item
            && let Some(signature) = self.closures.get_mut(&closure)
        {
            signature.is_passed = true;
            signature.value_uses = signature.value_uses.saturating_sub(1);
        }
    }

    /// Notes that a closure literal is an argument for a parameter `impl Fn` or its like.
    pub(super) fn note_passed(&mut self, closure: &Expr) {
        if let Some(signature) = self.closures.get_mut(&closure.id) {
            signature.is_passed = true;
        }
    }

    pub(super) fn report_closure_values(&mut self) {
        for (_, span, name) in std::mem::take(&mut self.closure_values) {
            self.error(code::REFERENCE_USE, span, format!("the closure `{name}` cannot be used as a value here"))
                .note("it may change variables of the enclosing function, or writes through a parameter")
                .help("call it by its name, here or in a closure that is `let mut`, too; or pass it for a parameter `impl FnMut(…)`");
        }
    }

    /// The closure that an argument of a method is, which runs where it stands.
    pub(super) fn infer_called(&mut self, method: &'a Expr, position: usize, arg: &'a Expr, demand: &Demand) {
        let functions = match &method.kind {
            ExprKind::Method { functions, .. } => functions.as_slice(),
            _ => &[],
        };
        let count = demand.params.len();
        let takes_count =
            |closure: &&'a Expr| matches!(&closure.kind, ExprKind::Closure(closure) if closure.params.len() == count);
        let made = functions.iter().filter(|function| function.position == position);
        let made = made.flat_map(|function| &function.closures).find(takes_count);
        let Some((expr, closure)) = closure_literal(made.unwrap_or(arg)) else {
            let found = self.infer(arg, &Expect::Nothing);
            if !matches!(self.table.shallow(&found), Term::Error | Term::Never) {
                let found = self.describe(&found);
                let message = format!("expected a closure or the name of a function, found {found}");
                self.error(code::MISMATCHED_TYPES, arg.span, message).help("write `|x| …`");
            }
            return;
        };
        let found = self.infer_closure_in(expr, closure, Some(demand), true);
        let is_state = usize::from(demand.gives == Gives::State);
        closure.params.iter().skip(is_state).for_each(|(pattern, _)| self.note_values(pattern));
        self.record(expr.id, found.clone());
        self.record(arg.id, found);
    }

    /// `array::from_fn(|i| …)`, of as many elements as something else says.
    pub(super) fn infer_from_fn(&mut self, expr: &'a Expr, span: SpanRange, args: &'a [Expr]) -> Term {
        let [arg] = args else {
            self.report_arity("from_fn", 1, args, span);
            self.infer_unknown_arguments(args);
            return Term::Error;
        };
        let (element, len) = (self.fresh(), self.fresh());
        let made = Term::ArrayOf(Rc::new(element.clone()), Rc::new(len));
        self.tables.calls.insert(expr.id, Callee::FromFn);
        self.open.push((expr, made.clone()));
        let before = self.diags.len();
        self.infer_called(
            expr,
            0,
            arg,
            &Demand {
                params: vec![Term::USIZE],
                result: element,
                gives: Gives::Values,
                changes: false,
                references: Vec::new(),
            },
        );
        if self.diags.len() > before {
            self.table.poison(&made);
        }
        made
    }

    /// A closure that a method of something unknown takes.
    pub(super) fn infer_unknown_closure(&mut self, expr: &'a Expr, closure: &'a std::rc::Rc<Closure>) -> Term {
        self.has_references = true;
        let params = vec![Term::Error; closure.params.len()];
        let demand =
            Demand { params, result: Term::Error, gives: Gives::Values, changes: false, references: Vec::new() };
        self.infer_closure_in(expr, closure, Some(&demand), true)
    }

    fn infer_closure_in(
        &mut self,
        expr: &'a Expr,
        closure: &'a std::rc::Rc<Closure>,
        demand: Option<&Demand>,
        inline: bool,
    ) -> Term {
        let base = self.visible.len();
        let frames = std::mem::take(&mut self.frames);
        let diverges = std::mem::replace(&mut self.diverges, false);
        let moves = closure.moves.is_some();
        self.closure_stack.push(Around { expr: expr.id, base, inline, moves, returns: false });
        self.captures.push(Vec::new());
        if !inline && self.refuse_written_parameter(closure) {
            self.poisoned = true;
        }
        let (params, references) = self.bind_params(expr, closure, demand);
        let gives = demand.map_or(Gives::Values, |demand| demand.gives);
        if gives == Gives::ForMany {
            self.note_iterated(&closure.body);
        }
        let demanded = demand.map(|demand| demand.result.clone());
        let result = match &closure.result {
            Some(ty) => {
                let declared = self.term_of(ty);
                // Where they differ, whoever asks for a closure says so.
                if let Some(demanded) = demanded {
                    self.table.unify(&demanded, &declared);
                }
                declared
            }
            None => demanded.unwrap_or_else(|| self.fresh()),
        };
        let outer = std::mem::replace(&mut self.result, result.clone());
        let found = self.infer(&closure.body, &Expect::Type(result.clone(), Because::Nothing));
        self.coerce(&closure.body, &found, &result, Because::Nothing);
        if self.table.is_never(&found) && self.table.kind(&result).is_some() {
            self.table.unify(&result, &Term::Unit);
        }
        self.result = outer;
        self.visible.truncate(base);
        let returns = self.closure_stack.pop().is_some_and(|around| around.returns);
        let captures = self.captures.pop().unwrap_or_default();
        (self.frames, self.diverges) = (frames, diverges);
        for binding in &captures {
            self.note_capture(*binding);
        }
        let (named, is_passed, value_uses) = (false, false, 0);
        let signature = Signature {
            closure,
            params,
            references,
            result,
            captures,
            returns,
            inline,
            named,
            is_passed,
            value_uses,
            gives,
        };
        self.closures.insert(expr.id, signature);
        Term::Closure(self.item, expr.id)
    }

    /// The types of a closure's parameters, which come into scope; and which of them are references.
    fn bind_params(
        &mut self,
        expr: &'a Expr,
        closure: &'a Closure,
        demand: Option<&Demand>,
    ) -> (Vec<Term>, Vec<Option<bool>>) {
        let (mut params, mut references) = (Vec::new(), Vec::new());
        if let Some(demand) = demand
            && demand.params.len() != closure.params.len()
        {
            let (expected, found) = (demand.params.len(), closure.params.len());
            let plural = if expected == 1 { "" } else { "s" };
            let message = format!("expected a closure with {expected} parameter{plural}, found one with {found}");
            self.error(code::WRONG_ARGUMENTS, expr.span, message);
        }
        for (position, (pattern, ty)) in closure.params.iter().enumerate() {
            let term = self.param_term(expr, ty.as_ref(), demand, position);
            if position == 0 && demand.is_some_and(|demand| demand.gives == Gives::State) {
                self.note_state(pattern);
            }
            let reference = match demand {
                None => ty.as_ref().and_then(TypeExpr::reference),
                Some(demand) => demand.references.get(position).copied().flatten(),
            };
            if let Some(mutable) = reference {
                self.note_referred(pattern, mutable);
            }
            references.push(reference);
            if let Term::Buffer { origin: None, .. } = self.table.shallow(&term)
                && !matches!(pattern, Pattern::Binding { inner: None, .. } | Pattern::Wild(_))
            {
                self.error(
                    code::UNSUPPORTED_SYNTAX,
                    pattern.span(),
                    "a closure's parameter that is a slice needs a name",
                )
                .help("write `x`, and `match x { … }` in the closure");
            }
            if ty.is_none() {
                pattern.for_each_binding(&mut |_, binding| {
                    self.closure_params.insert(binding);
                });
            }
            self.bind_pattern(pattern, &term);
            params.push(term);
        }
        (params, references)
    }

    /// The type of a parameter: as written, or as asked for.
    fn param_term(&mut self, expr: &Expr, ty: Option<&'a TypeExpr>, demand: Option<&Demand>, position: usize) -> Term {
        let written = ty.map(|ty| self.term_of(ty));
        let demanded = demand.and_then(|demand| demand.params.get(position)).cloned();
        match (written, demanded) {
            (Some(written), Some(demanded)) => {
                if !self.table.unify(&written, &demanded) {
                    let (expected, found) = (self.describe(&demanded), self.describe(&written));
                    let message = format!("expected a closure that takes {expected}, found {found}");
                    let span = ty.map_or(expr.span, |ty| ty.span);
                    self.error(code::MISMATCHED_TYPES, span, message);
                }
                written
            }
            (Some(term), None) | (None, Some(term)) => term,
            (None, None) if demand.is_some() => Term::Error,
            (None, None) => self.fresh(),
        }
    }

    /// Notes that a parameter is a reference.
    fn note_referred(&mut self, pattern: &Pattern, mutable: bool) {
        match pattern {
            Pattern::Binding { binding, inner: None, mutable: false, .. } => {
                self.note_reference(*binding, mutable);
                self.closure_references.insert(*binding);
            }
            Pattern::Wild(_) => {}
            _ => {
                self.error(
                    code::UNSUPPORTED_SYNTAX,
                    pattern.span(),
                    "a closure's parameter that is a reference needs a name",
                )
                .help("write `v`, and take `*v` apart in the closure");
                self.poisoned = true;
                pattern.for_each_binding(&mut |_, binding| self.note_reference(binding, mutable));
            }
        }
    }

    /// Notes that a parameter is a reference to a state.
    fn note_state(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Binding { binding, inner: None, mutable: false, .. } => self.note_reference(*binding, true),
            Pattern::Wild(_) | Pattern::Rest(_) => {}
            Pattern::Tuple(members, _) => members.iter().for_each(|member| self.note_state(member)),
            _ => {
                self.error(
                    code::UNSUPPORTED_SYNTAX,
                    pattern.span(),
                    "the state needs a name of its own, or a tuple of names",
                )
                .help("write `state`, and take `*state` apart in the closure");
                pattern.for_each_binding(&mut |_, binding| self.note_reference(binding, true));
            }
        }
    }

    /// Notes that the value of a closure or function is gone through where it is made.
    pub(super) fn note_iterated(&mut self, body: &'a Expr) {
        self.iterated.insert(body.id);
        match &body.kind {
            ExprKind::Paren(inner, ..) => self.note_iterated(inner),
            ExprKind::Block { label: None, block } => {
                if let Some(tail) = &block.tail {
                    self.note_iterated(tail);
                }
            }
            _ => {}
        }
    }

    /// Notes the use of a variable that stands outside of the closures around.
    pub(super) fn note_capture(&mut self, binding: BindingId) {
        let position = self.visible.position(binding);
        for (level, around) in self.closure_stack.iter().enumerate() {
            if position.is_some_and(|position| position < around.base) && !self.captures[level].contains(&binding) {
                self.captures[level].push(binding);
            }
        }
    }

    /// Whether a variable is one of the function around a closure.
    pub(super) fn is_outside(&self, binding: BindingId) -> bool {
        let position = self.visible.position(binding);
        self.closure_stack.iter().any(|around| position.is_some_and(|position| position < around.base))
    }

    /// Whether a closure around, which has a copy of its own, does not reach a variable.
    pub(super) fn is_captured(&self, binding: BindingId) -> bool {
        let position = self.visible.position(binding);
        let copies = self.closure_stack.iter().filter(|around| !around.inline || around.moves);
        copies.into_iter().any(|around| position.is_some_and(|position| position < around.base))
    }

    /// Whether the closure around would reach the variables outside but for its `move`.
    pub(super) fn is_moved_to(&self) -> bool {
        self.closure_stack.iter().all(|around| around.inline)
    }

    /// Notes that the variables of a pattern hold values, whatever their types are.
    pub(super) fn note_values(&mut self, pattern: &Pattern) {
        pattern.for_each_binding(&mut |_, binding| {
            self.tables.values.insert(binding);
        });
    }

    /// Notes that a `return` or `?` leaves the closure around.
    pub(super) fn note_return(&mut self) {
        if let Some(around) = self.closure_stack.last_mut() {
            around.returns = true;
        }
    }

    /// The parameters and result of a closure; nothing for one of a function with errors.
    fn signature(&self, item: ItemId, closure: ExprId) -> Option<(Vec<Term>, Vec<Option<bool>>, Term)> {
        if item == self.item
            && let Some(signature) = self.closures.get(&closure)
        {
            return Some((signature.params.clone(), signature.references.clone(), signature.result.clone()));
        }
        let TypedItem::Fn(typed) = &self.program.items[item].typed else { return None };
        let typed = typed.closures.get(&closure)?;
        let params = typed.params.iter().map(Term::from).collect();
        Some((params, typed.references.clone(), Term::from(&typed.result)))
    }

    /// `f(args)` of a variable.
    pub(super) fn infer_variable_call(
        &mut self,
        expr: &'a Expr,
        binding: BindingId,
        path: &Path,
        span: SpanRange,
        args: &'a [Expr],
    ) -> Term {
        let term = self.local(binding).map_or(Term::Error, |local| local.term.clone());
        match self.table.shallow(&term) {
            Term::Closure(item, closure) => {
                let Some((params, references, result)) = self.signature(item, closure) else {
                    self.poisoned = true;
                    return self.infer_arguments_only(args);
                };
                self.tables.paths.insert(expr.id, Resolution::Binding(binding));
                self.note_capture(binding);
                if self.is_captured(binding) {
                    self.note_captured_call(expr, &path.text(), binding, (item, closure));
                }
                self.tables.calls.insert(expr.id, Callee::Closure);
                self.check_lent_arguments(&path.text(), (&params, &references), args, span);
                result
            }
            Term::Error => {
                self.tables.paths.insert(expr.id, Resolution::Binding(binding));
                self.infer_unknown_arguments(args);
                // Elements that iterators lend are values here, and the bound of the closure's type says that it takes references.
                let program = self.program;
                if let Item::Fn(function) = &program.items[self.item].item
                    && let Some(param) = function.params.iter().find(|param| param.binding == binding)
                {
                    for (arg, wanted) in args.iter().zip(function.lent_references(param)) {
                        self.is_lent(arg, wanted);
                    }
                }
                Term::Error
            }
            _ => {
                let name = path.text();
                self.error(code::UNKNOWN_NAME, span, format!("expected a function, found the variable `{name}`"))
                    .note("kernels have no function pointers");
                self.infer_arguments_only(args)
            }
        }
    }

    /// The demands that the bounds of a generic function make on the closure that is passed for one of its parameters.
    pub(super) fn demand_of(
        &mut self,
        item: ItemId,
        function: &'a Fn,
        params: &[Param],
        position: usize,
    ) -> Option<Demand> {
        let ty = &function.params.get(position)?.ty;
        let TypeKind::Path(path) = (match &ty.kind {
            TypeKind::Ref { target, .. } => &target.kind,
            kind => kind,
        }) else {
            return None;
        };
        let name = path.as_name()?;
        let param = function.generics.params.iter().find(|param| param.name == *name)?;
        let GenericKind::Type { bounds, .. } = &param.kind else { return None };
        let (inputs, output, changes) = bounds.iter().find_map(|bound| match bound {
            Bound::Fn { params, result, changes } => Some((params, result, *changes)),
            Bound::Trait { .. } => None,
        })?;
        Some(self.within(item, params.to_vec(), |cx| Demand {
            params: inputs.iter().map(|ty| cx.term_of(ty)).collect(),
            result: output.as_ref().map_or(Term::Unit, |ty| cx.term_of(ty)),
            gives: Gives::Values,
            references: inputs.iter().map(crate::ast::TypeExpr::reference).collect(),
            changes,
        }))
    }

    /// Makes a closure that was made elsewhere fit what a bound demands.
    pub(super) fn fit_closure(&mut self, arg: &'a Expr, found: &Term, demand: &Demand) {
        match self.table.shallow(found) {
            Term::Closure(item, closure) => {
                let Some((params, references, result)) = self.signature(item, closure) else { return };
                let fits = params.len() == demand.params.len()
                    && references == demand.references
                    && params.iter().zip(&demand.params).all(|(found, expected)| self.table.unify(found, expected))
                    && self.table.unify(&result, &demand.result);
                if !fits {
                    let message =
                        "the parameters or the result of this closure differ from those that the function asks for";
                    self.error(code::MISMATCHED_TYPES, arg.span, message);
                }
            }
            Term::Error | Term::Never => {}
            _ => {
                let found = self.describe(found);
                self.error(code::MISMATCHED_TYPES, arg.span, format!("expected a closure, found {found}"))
                    .help("write `|x| …`");
            }
        }
    }
}

impl Infer<'_> {
    /// Notes that a closure which has copies calls another one that stands outside of it.
    fn note_captured_call(&mut self, call: &Expr, name: &str, binding: BindingId, (item, closure): (ItemId, ExprId)) {
        if item != self.item {
            return;
        }
        if self.closures.get(&closure).is_some_and(|signature| signature.inline) {
            self.note_closure_value(call, name, &Term::Closure(item, closure));
            return;
        }
        let position = self.visible.position(binding);
        let copies = self.closure_stack.iter().filter(|around| !around.inline);
        let copies = copies.filter(|around| position.is_some_and(|position| position < around.base));
        self.closure_calls.extend(copies.map(|around| (around.expr, closure)));
    }
}

/// Whether a closure says that it writes through a parameter.
fn writes_parameter(closure: &Closure) -> bool {
    closure.params.iter().any(|(_, ty)| ty.as_ref().is_some_and(TypeExpr::writes))
}

/// The callable of an argument, without `&mut` and parentheses.
pub(crate) fn callable_of(arg: &Expr) -> &Expr {
    match &arg.kind {
        ExprKind::Paren(inner, ..)
        | ExprKind::Borrow { operand: inner, .. }
        | ExprKind::Unary(crate::ast::UnaryOp::Deref, inner) => callable_of(inner),
        _ => arg,
    }
}

/// The closure that an argument is, parentheses and `&mut` aside.
pub(super) fn closure_literal(expr: &Expr) -> Option<(&Expr, &std::rc::Rc<Closure>)> {
    match &expr.kind {
        ExprKind::Closure(closure) => Some((expr, closure)),
        ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => closure_literal(inner),
        _ => None,
    }
}
