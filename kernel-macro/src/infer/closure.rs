//! Closures: their signatures, what they capture, and calls of variables that hold one. A closure is a value of a type of
//! its own, made of what it captures by copy; what it does is a function of the module.

use crate::ast::{
    BindingId, Bound, Closure, Expr, ExprId, ExprKind, Fn, GenericKind, Path, Pattern, SpanRange, TypeKind,
};
use crate::diag::code;
use crate::program::{ItemId, TypedItem};
use crate::typed::{Callee, Resolution, Ty, TypedClosure};

use super::generic::Param;
use super::mismatch::Because;
use super::unify::Term;
use super::{Expect, Infer};

/// A closure of the function under inference.
#[derive(Debug, Clone)]
pub(super) struct Signature<'a> {
    pub(super) closure: &'a std::rc::Rc<Closure>,
    pub(super) params: Vec<Term>,
    pub(super) result: Term,
    pub(super) captures: Vec<BindingId>,
    pub(super) returns: bool,
    /// Whether it runs where it stands.
    pub(super) inline: bool,
    pub(super) lent: bool,
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

/// What a bound or method demands of a closure.
#[derive(Debug, Clone)]
pub(super) struct Demand {
    pub(super) params: Vec<Term>,
    pub(super) result: Term,
    /// Whether Rust hands over references to these parameters.
    pub(super) lent: bool,
}

impl<'a> Infer<'a> {
    /// A closure expression, its parameters as the context demands them.
    pub(super) fn infer_closure(
        &mut self,
        expr: &'a Expr,
        closure: &'a std::rc::Rc<Closure>,
        demand: Option<&Demand>,
    ) -> Term {
        self.infer_closure_in(expr, closure, demand, false)
    }

    /// The closure that an argument of a method is, which runs where it stands.
    pub(super) fn infer_called(&mut self, method: &'a Expr, position: usize, arg: &'a Expr, demand: &Demand) {
        let ExprKind::Method { functions, .. } = &method.kind else { return };
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
                self.diags.error(code::MISMATCHED_TYPES, arg.span, message).help("write `|x| …`");
            }
            return;
        };
        let found = self.infer_closure_in(expr, closure, Some(demand), true);
        closure.params.iter().for_each(|(pattern, _)| self.note_values(pattern));
        self.record(expr.id, found.clone());
        self.record(arg.id, found);
    }

    /// A closure that a method of something unknown takes.
    pub(super) fn infer_unknown_closure(&mut self, expr: &'a Expr, closure: &'a std::rc::Rc<Closure>) -> Term {
        self.has_references = true;
        let demand = Demand { params: vec![Term::Error; closure.params.len()], result: Term::Error, lent: false };
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
        let mut params = Vec::new();
        if let Some(demand) = demand
            && demand.params.len() != closure.params.len()
        {
            let (expected, found) = (demand.params.len(), closure.params.len());
            let plural = if expected == 1 { "" } else { "s" };
            let message = format!("expected a closure with {expected} parameter{plural}, found one with {found}");
            self.diags.error(code::WRONG_ARGUMENTS, expr.span, message);
        }
        for (position, (pattern, ty)) in closure.params.iter().enumerate() {
            let written = ty.as_ref().map(|ty| self.term_of(ty));
            let demanded = demand.and_then(|demand| demand.params.get(position)).cloned();
            let term = match (written, demanded) {
                (Some(written), Some(demanded)) => {
                    if !self.table.unify(&written, &demanded) {
                        let (expected, found) = (self.describe(&demanded), self.describe(&written));
                        let message = format!("expected a closure that takes {expected}, found {found}");
                        let span = ty.as_ref().map_or(expr.span, |ty| ty.span);
                        self.diags.error(code::MISMATCHED_TYPES, span, message);
                    }
                    written
                }
                (Some(term), None) | (None, Some(term)) => term,
                (None, None) if demand.is_some() => Term::Error,
                (None, None) => self.fresh(),
            };
            self.bind_pattern(pattern, &term);
            params.push(term);
        }
        let lent = demand.is_some_and(|demand| demand.lent);
        let demanded = demand.map(|demand| demand.result.clone());
        let result = match &closure.result {
            Some(ty) => self.term_of(ty),
            None => demanded.unwrap_or_else(|| self.fresh()),
        };
        let outer = std::mem::replace(&mut self.result, result.clone());
        let found = self.infer(&closure.body, &Expect::Type(result.clone(), Because::Nothing));
        self.coerce(&closure.body, &found, &result, Because::Nothing);
        if self.table.shallow(&found) == Term::Never && self.table.kind(&result).is_some() {
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
        self.closures.insert(expr.id, Signature { closure, params, result, captures, returns, inline, lent });
        Term::Closure(self.item, expr.id)
    }

    /// Notes the use of a variable that stands outside of the closures around.
    pub(super) fn note_capture(&mut self, binding: BindingId) {
        let position = self.visible.iter().position(|visible| *visible == binding);
        for (level, around) in self.closure_stack.iter().enumerate() {
            if position.is_some_and(|position| position < around.base) && !self.captures[level].contains(&binding) {
                self.captures[level].push(binding);
            }
        }
    }

    /// Whether a closure around, which has a copy of its own, does not reach a variable.
    pub(super) fn is_captured(&self, binding: BindingId) -> bool {
        let position = self.visible.iter().position(|visible| *visible == binding);
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
    fn signature(&self, item: ItemId, closure: ExprId) -> Option<(Vec<Term>, Term)> {
        if item == self.item
            && let Some(signature) = self.closures.get(&closure)
        {
            return Some((signature.params.clone(), signature.result.clone()));
        }
        let TypedItem::Fn(typed) = &self.program.items[item].typed else { return None };
        let typed = typed.closures.get(&closure)?;
        Some((typed.params.iter().map(Term::from).collect(), Term::from(&typed.result)))
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
                let Some((params, result)) = self.signature(item, closure) else {
                    self.poisoned = true;
                    return self.infer_arguments_only(args);
                };
                self.tables.paths.insert(expr.id, Resolution::Binding(binding));
                self.note_capture(binding);
                self.tables.calls.insert(expr.id, Callee::Closure);
                self.check_arguments(&path.text(), &params, args, span);
                result
            }
            Term::Error => self.infer_arguments_only(args),
            _ => {
                let name = path.text();
                self.diags
                    .error(code::UNKNOWN_NAME, span, format!("expected a function, found the variable `{name}`"))
                    .note("kernels have no function pointers");
                self.infer_arguments_only(args)
            }
        }
    }

    /// What the bounds of a generic function demand of the closure that is passed for one of its parameters.
    pub(super) fn demand_of(
        &mut self,
        item: ItemId,
        function: &'a Fn,
        params: &[Param],
        position: usize,
    ) -> Option<Demand> {
        let TypeKind::Path(path) = &function.params.get(position)?.ty.kind else { return None };
        let name = path.as_name()?;
        let param = function.generics.params.iter().find(|param| param.name == *name)?;
        let GenericKind::Type { bounds, .. } = &param.kind else { return None };
        let (inputs, output) = bounds.iter().find_map(|bound| match bound {
            Bound::Fn { params, result } => Some((params, result)),
            Bound::Trait { .. } => None,
        })?;
        Some(self.within(item, params.to_vec(), |cx| Demand {
            params: inputs.iter().map(|ty| cx.term_of(ty)).collect(),
            result: output.as_ref().map_or(Term::Unit, |ty| cx.term_of(ty)),
            lent: false,
        }))
    }

    /// Makes a closure that was made elsewhere fit what a bound demands.
    pub(super) fn fit_closure(&mut self, arg: &'a Expr, found: &Term, demand: &Demand) {
        match self.table.shallow(found) {
            Term::Closure(item, closure) => {
                let Some((params, result)) = self.signature(item, closure) else { return };
                let fits = params.len() == demand.params.len()
                    && params.iter().zip(&demand.params).all(|(found, expected)| self.table.unify(found, expected))
                    && self.table.unify(&result, &demand.result);
                if !fits {
                    let message = "this closure has other parameters or another result than the function asks for";
                    self.diags.error(code::MISMATCHED_TYPES, arg.span, message);
                }
            }
            Term::Error | Term::Never => {}
            _ => {
                let found = self.describe(found);
                self.diags
                    .error(code::MISMATCHED_TYPES, arg.span, format!("expected a closure, found {found}"))
                    .help("write `|x| …`");
            }
        }
    }

    /// The closures with their final types.
    pub(super) fn finish_closures(&mut self) {
        for (expr, signature) in std::mem::take(&mut self.closures) {
            let params = signature.params.iter().map(|param| self.table.resolve(param).unwrap_or(Ty::Error)).collect();
            let result = self.table.resolve(&signature.result).unwrap_or(Ty::Error);
            let Signature { closure, captures, returns, inline, lent, .. } = signature;
            let typed = TypedClosure { closure: closure.clone(), params, result, captures, returns, inline, lent };
            self.tables.closures.insert(expr, typed);
        }
    }
}

/// The closure that an argument is, parentheses aside.
pub(super) fn closure_literal(expr: &Expr) -> Option<(&Expr, &std::rc::Rc<Closure>)> {
    match &expr.kind {
        ExprKind::Closure(closure) => Some((expr, closure)),
        ExprKind::Paren(inner) => closure_literal(inner),
        _ => None,
    }
}
