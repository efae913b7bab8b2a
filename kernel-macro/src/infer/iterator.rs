//! Inference of the methods of iterators: the element type of each step of a chain. A chain is no value: something
//! consumes it where it stands. `chain` refuses chains for the order of their closures.

use std::rc::Rc;

use proc_macro2::Ident;

use crate::ast::{BinaryOp, Expr, ExprKind, MethodCall, ScalarName, SpanRange};
use crate::builtin::iteration::{Iteration, Nested, UNSUPPORTED};
use crate::builtin::standard::Standard;
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, Ty};

use super::block::strip;
use super::closure::{Demand, Gives, closure_literal};
use super::finish::Deferred;
use super::mismatch::Because;
use super::option::{Wanted, call, lending, option};
use super::suggest::nearest;
use super::unify::{Term, VarKind};
use super::{Expect, Infer, range};

/// A method with its parameters and result.
type Signature = (Vec<Wanted>, Term);

pub(super) fn over(item: &Term) -> Term {
    Term::Iterator(Rc::new(item.clone()))
}

impl<'a> Infer<'a> {
    /// A method of an iterator.
    pub(super) fn infer_iterator_method(&mut self, call: MethodCall<'a>, item: &Term, expect: &Expect) -> Term {
        let MethodCall { expr, receiver, name, args } = call;
        let text = name.to_string();
        let asked = match text.as_str() {
            "next" if args.is_empty() => Some((Iteration::Next, option(item))),
            "by_ref" if args.is_empty() => Some((Iteration::ByRef, over(item))),
            _ => None,
        };
        if let Some((iteration, term)) = asked
            && (self.asks_kept(receiver) || iteration == Iteration::Next)
        {
            self.tables.calls.insert(expr.id, Callee::Iterate(iteration));
            return term;
        }
        if text == "remainder"
            && let Some(rest) = self.infer_remainder(call, item)
        {
            return rest;
        }
        let Some(iteration) = Iteration::from_name(&text) else {
            self.report_no_iteration(name, &text);
            self.infer_unknown_arguments(args);
            return Term::Error;
        };
        if let Iteration::Sum | Iteration::Product = iteration
            && let Some(term) = self.infer_own_total(call, item, expect)
        {
            return term;
        }
        let iteration = match (iteration, self.table.shallow(item)) {
            (Iteration::Flatten, Term::Array(..) | Term::ArrayOf(..) | Term::Buffer { .. }) => {
                Iteration::Nested(Nested::Elements)
            }
            _ => iteration,
        };
        self.tables.calls.insert(expr.id, Callee::Iterate(iteration));
        if self.writes_elements && !iteration.keeps_places() && self.is_written(receiver) {
            self.report_written(name);
            self.tables.calls.remove(&expr.id);
            self.infer_unknown_arguments(args);
            return Term::Error;
        }
        self.has_references |= iteration.lends() || matches!(iteration, Iteration::Scan | Iteration::Peek);
        let before = self.diags.len();
        if iteration.borrows() {
            self.asks_kept(receiver);
        }
        match iteration {
            _ if self.refuse_kept(iteration, name, receiver) => {}
            Iteration::Rev | Iteration::Rfind | Iteration::Rfold => self.check_reversible(name, receiver, false),
            Iteration::Rposition => self.check_reversible(name, receiver, true),
            Iteration::Cycle => self.check_cycled(name, receiver),
            Iteration::Skip => self.check_skippable(name, receiver),
            _ => {}
        }
        let signature = self
            .adapter(iteration, item)
            .or_else(|| self.searcher(iteration, item))
            .or_else(|| self.comparer(receiver, iteration, item));
        let (wanted, found) = match signature {
            Some(signature) => signature,
            None => self.folder(expr, iteration, name, item, expect),
        };
        if wanted.len() != args.len() {
            self.report_arity(&text, wanted.len(), args, range(name.span()));
            self.infer_unknown_arguments(args);
            self.table.poison(&found);
            return found;
        }
        self.open.push((expr, found.clone()));
        self.infer_wanted(expr, args, &wanted, expect);
        if let Iteration::TryFold | Iteration::TryForEach = iteration {
            let state = match wanted.first() {
                Some(Wanted::Value(state)) => state.clone(),
                _ => Term::Unit,
            };
            self.check_tried(range(name.span()), &found, &state);
        }
        if let (Iteration::Nested(Nested::Made), [Wanted::Call(demand)]) = (iteration, wanted.as_slice()) {
            self.finish_nested(expr, name, &demand.result, &found);
            if let Some(Callee::Iterate(Iteration::Nested(_))) = self.tables.calls.get(&expr.id) {
                args.iter().for_each(|arg| self.refuse_return(arg));
                args.iter().for_each(|arg| self.refuse_slice_of_element(arg));
            }
        }
        if let [other] = args {
            match iteration {
                _ if self.diags.len() > before => {}
                Iteration::Zip => self.check_zipped(name, receiver, other),
                Iteration::Chain => self.refuse_nested(name, receiver),
                Iteration::Compare(BinaryOp::Eq | BinaryOp::Ne) => self.check_equated(name, receiver, other),
                _ => {}
            }
            if matches!(wanted.as_slice(), [Wanted::Iterator(_)]) {
                self.refuse_nested(name, other);
            }
        }
        if self.diags.len() > before {
            self.table.poison(&found);
        }
        found
    }

    fn report_no_iteration(&mut self, name: &Ident, text: &str) {
        let message = format!("iterators in kernels have no method `{name}`");
        let error = self.error(code::UNKNOWN_METHOD, range(name.span()), message);
        if let Some((_, instead)) = UNSUPPORTED.iter().find(|(method, _)| *method == text) {
            error.help(*instead);
        } else if let Some(near) = nearest(text, Iteration::NAMES.iter().copied()) {
            error.help(format!("a method with a similar name exists: `{near}`"));
        } else {
            error.help("write a `for` loop");
        }
    }

    /// Methods that make another iterator.
    fn adapter(&mut self, iteration: Iteration, item: &Term) -> Option<Signature> {
        use Iteration as I;
        let given = || vec![item.clone()];
        Some(match iteration {
            I::IntoIter | I::ByRef | I::Same | I::Fork | I::Peekable | I::Rev | I::Cycle => (Vec::new(), over(item)),
            I::Enumerate => (Vec::new(), over(&Term::tuple(vec![Term::USIZE, item.clone()]))),
            I::StepBy | I::Take | I::Skip => (vec![Wanted::Count], over(item)),
            I::Filter | I::TakeWhile | I::SkipWhile => (vec![lending(given(), &Term::BOOL)], over(item)),
            I::Inspect => (vec![lending(given(), &Term::Unit)], over(item)),
            I::Map => {
                let made = self.fresh();
                (vec![call(given(), &made)], over(&made))
            }
            I::FilterMap | I::MapWhile => {
                let made = self.fresh();
                (vec![call(given(), &option(&made))], over(&made))
            }
            I::Flatten => match self.table.shallow(item) {
                Term::Option(value) => (Vec::new(), over(&value)),
                _ => return None,
            },
            I::Nested(Nested::Made) => {
                let (made, element) = (self.fresh(), self.fresh());
                let demand = Demand {
                    params: given(),
                    result: made,
                    gives: Gives::ForMany,
                    changes: false,
                    references: Vec::new(),
                };
                (vec![Wanted::Call(demand)], over(&element))
            }
            I::Nested(Nested::Elements) => match self.table.shallow(item) {
                Term::Array(element, _) | Term::ArrayOf(element, _) | Term::Buffer { element, .. } => {
                    (Vec::new(), over(&element))
                }
                _ => return None,
            },
            I::Scan => {
                let (state, made) = (self.fresh(), self.fresh());
                let params = vec![state.clone(), item.clone()];
                let demand = Demand {
                    params,
                    result: option(&made),
                    gives: Gives::State,
                    changes: false,
                    references: Vec::new(),
                };
                (vec![Wanted::Value(state), Wanted::Call(demand)], over(&made))
            }
            I::Zip => {
                let other = self.fresh();
                let pair = Term::tuple(vec![item.clone(), other.clone()]);
                (vec![Wanted::Iterator(other)], over(&pair))
            }
            I::Chain => (vec![Wanted::Iterator(item.clone())], over(item)),
            _ => return None,
        })
    }

    /// Methods that look for something.
    fn searcher(&mut self, iteration: Iteration, item: &Term) -> Option<Signature> {
        use Iteration as I;
        let given = || vec![item.clone()];
        Some(match iteration {
            I::Any | I::All => (vec![call(given(), &Term::BOOL)], Term::BOOL),
            I::Position | I::Rposition => (vec![call(given(), &Term::BOOL)], option(&Term::USIZE)),
            I::Find | I::Rfind | I::NextIf => (vec![lending(given(), &Term::BOOL)], option(item)),
            I::Peek => (Vec::new(), option(item)),
            I::FindMap => {
                let made = self.fresh();
                (vec![call(given(), &option(&made))], option(&made))
            }
            I::Last => (Vec::new(), option(item)),
            I::Nth => (vec![Wanted::Count], option(item)),
            I::Count => (Vec::new(), Term::USIZE),
            I::ForEach => (vec![call(given(), &Term::Unit)], Term::Unit),
            _ => return None,
        })
    }

    /// Methods that compare elements with others.
    fn comparer(&mut self, receiver: &'a Expr, iteration: Iteration, item: &Term) -> Option<Signature> {
        use Iteration as I;
        let other = || vec![Wanted::Iterator(item.clone())];
        let (wanted, result, compared) = match iteration {
            I::Compare(BinaryOp::Eq | BinaryOp::Ne) => (other(), Term::BOOL, Some((item.clone(), Standard::PartialEq))),
            I::Compare(_) => (other(), Term::BOOL, Some((item.clone(), Standard::PartialOrd))),
            I::Cmp => (other(), Term::Ordering, Some((item.clone(), Standard::Ord))),
            I::PartialCmp => (other(), option(&Term::Ordering), Some((item.clone(), Standard::PartialOrd))),
            I::IsSorted => (Vec::new(), Term::BOOL, Some((item.clone(), Standard::PartialOrd))),
            I::IsSortedBy => (vec![lending(vec![item.clone(), item.clone()], &Term::BOOL)], Term::BOOL, None),
            I::IsSortedByKey => {
                let key = self.fresh();
                let wanted = vec![call(vec![item.clone()], &key)];
                (wanted, Term::BOOL, Some((key, Standard::PartialOrd)))
            }
            _ => return None,
        };
        if let Some((term, of)) = compared {
            self.deferred.push(Deferred::Compared { operand: receiver, term, of });
        }
        Some((wanted, result))
    }

    /// Reports a `return` in a closure whose value is gone through where it ends.
    fn refuse_return(&mut self, arg: &'a Expr) {
        let Some((literal, closure)) = closure_literal(arg) else { return };
        if self.closures.get(&literal.id).is_some_and(|signature| signature.returns) {
            self.error(
                code::UNSUPPORTED_SYNTAX,
                closure.body.span,
                "`return` in a closure of `flat_map` is not supported in kernels",
            )
            .note("its elements are produced where the closure ends")
            .help("leave elements out before, `.filter(…).flat_map(…)`, or give an option");
        }
    }

    /// Reports a closure that goes through a slice which a function gives of the closure's own parameter: of elements by value, on the host.
    fn refuse_slice_of_element(&mut self, arg: &'a Expr) {
        let Some((_, closure)) = closure_literal(arg) else { return };
        let mut chain = strip(&closure.body);
        while let ExprKind::Method { receiver, .. } = &chain.kind {
            let inner = strip(receiver);
            let is_given = matches!(&inner.kind, ExprKind::Method { .. } | ExprKind::Call { .. })
                && matches!(self.tables.calls.get(&inner.id), Some(Callee::Device(_)))
                && matches!(self.table.shallow(&self.term(inner)), Term::Buffer { origin: Some(_), .. });
            if is_given && self.is_of_parameter(inner, closure) {
                let source = text(inner);
                self.error(
                    code::REFERENCE_USE,
                    inner.span,
                    format!("the elements of `{source}` cannot leave the closure"),
                )
                .note("the closure has a copy of the element, and the slice is a part of it")
                .help(format!("write loops in each other: `for … in … {{ for v in {source} {{ … }} }}`"));
                return;
            }
            chain = inner;
        }
    }

    /// Whether a call is one of a method of what a closure gets.
    fn is_of_parameter(&self, call: &Expr, closure: &crate::ast::Closure) -> bool {
        let ExprKind::Method { receiver, .. } = &call.kind else { return false };
        let (_, Some(root)) = self.root_of(receiver) else { return false };
        let mut is_own = false;
        closure
            .params
            .iter()
            .for_each(|(pattern, _)| pattern.for_each_binding(&mut |_, binding| is_own |= binding == root));
        is_own
    }

    /// Makes a `flat_map` go through what its closure gives.
    fn finish_nested(&mut self, expr: &'a Expr, name: &Ident, made: &Term, found: &Term) {
        let Term::Iterator(element) = found else { return };
        let given = match self.table.shallow(made) {
            Term::Iterator(given) | Term::Range(given, _) | Term::Array(given, _) | Term::ArrayOf(given, _) => given,
            // At most one: nothing to go through.
            Term::Option(given) => {
                self.tables.calls.insert(expr.id, Callee::Iterate(Iteration::FilterMap));
                given
            }
            Term::Error | Term::Never => return self.table.poison(found),
            made => {
                let help = match made {
                    Term::Buffer { .. } => "write loops in each other: `for part in … { for v in part { … } }`",
                    _ => "end the closure with a chain, an array or an option: `|i| (0..i).map(move |j| …)`",
                };
                let made = self.describe(&made);
                let message = format!("expected a closure that gives an iterator, found one that gives {made}");
                self.error(code::MISMATCHED_TYPES, range(name.span()), message).help(help);
                return;
            }
        };
        self.table.unify(element, &given);
    }

    /// Methods that make one value of all elements.
    fn folder(
        &mut self,
        expr: &'a Expr,
        iteration: Iteration,
        name: &'a Ident,
        item: &Term,
        expect: &Expect,
    ) -> Signature {
        use Iteration as I;
        match iteration {
            I::Sum | I::Product => {
                let ExprKind::Method { turbofish, .. } = &expr.kind else { return (Vec::new(), Term::Error) };
                let written = turbofish.as_ref().and_then(|args| args.args.first()).and_then(|arg| arg.ty.as_ref());
                let made = match (written, expect) {
                    (Some(ty), _) => self.term_of(ty),
                    (None, Expect::Nothing | Expect::Cast(_)) => {
                        let example = self.written(item).replace('_', "f32");
                        self.error(
                            code::CANNOT_INFER,
                            range(name.span()),
                            format!("the type of this {name} must be written"),
                        )
                        .note("a type may be the sum of others: rustc asks for it, too")
                        .help(format!("write `.{name}::<{example}>()`"));
                        item.clone()
                    }
                    _ => item.clone(),
                };
                let span = range(name.span());
                if !self.table.unify(&made, item) {
                    let (made, item) = (self.describe(&made), self.describe(item));
                    let message = format!("the elements are {item}, their {name} cannot be {made}");
                    self.error(code::MISMATCHED_TYPES, span, message).help("convert them first, with `.map(…)`");
                }
                self.deferred.push(Deferred::Summed { span, term: item.clone() });
                (Vec::new(), made)
            }
            I::Fold | I::Rfold => {
                let state = self.fresh();
                (vec![Wanted::Result(state.clone()), call(vec![state.clone(), item.clone()], &state)], state)
            }
            I::Reduce => (vec![call(vec![item.clone(), item.clone()], item)], option(item)),
            I::TryFold => {
                let (state, made) = (self.fresh(), self.fresh());
                (vec![Wanted::Value(state.clone()), call(vec![state, item.clone()], &made)], made)
            }
            I::TryForEach => {
                let made = self.fresh();
                (vec![call(vec![item.clone()], &made)], made)
            }
            I::Min | I::Max => {
                self.order_later(expr, name, item, false);
                (Vec::new(), option(item))
            }
            I::MinBy | I::MaxBy => (vec![lending(vec![item.clone(), item.clone()], &Term::Ordering)], option(item)),
            I::MinByKey | I::MaxByKey => {
                let key = self.fresh();
                self.order_later(expr, name, &key, true);
                (vec![lending(vec![item.clone()], &key)], option(item))
            }
            // `flatten` of something else than options, arrays and slices.
            _ if matches!(self.table.shallow(item), Term::Error | Term::Never) => (Vec::new(), over(&Term::Error)),
            _ => {
                let (found, span) = (self.describe(item), range(name.span()));
                let message = format!("`{name}` is for options, arrays and slices, found {found}");
                self.error(code::BAD_OPERAND, span, message).help("make a chain of each element: `.flat_map(|v| …)`");
                (Vec::new(), Term::Error)
            }
        }
    }

    /// The arguments of a method, as it wants them.
    pub(super) fn infer_wanted(&mut self, expr: &'a Expr, args: &'a [Expr], wanted: &[Wanted], expect: &Expect) {
        for (position, (arg, wanted)) in args.iter().zip(wanted).enumerate() {
            if let Wanted::Value(_) | Wanted::Result(_) = wanted {
                self.note_lent_value(arg);
            }
            match wanted {
                Wanted::Value(term) if self.table.kind(term) == Some(VarKind::Any) => {
                    let found = self.infer(arg, &Expect::Nothing);
                    self.coerce(arg, &found, term, Because::Alternative);
                }
                Wanted::Value(term) => self.check(arg, term, Because::Alternative),
                Wanted::Result(term) => {
                    // A cast takes any number.
                    let expect = if let Expect::Type(..) = expect { expect } else { &Expect::Nothing };
                    let found = self.infer(arg, expect);
                    self.coerce(arg, &found, term, Because::Alternative);
                }
                Wanted::Needle(term) => self.infer_searched(arg, term),
                Wanted::Count => self.check(arg, &Term::USIZE, Because::Step),
                Wanted::Call(demand) => self.infer_called(expr, position, arg, demand),
                Wanted::Iterator(element) => {
                    let found = self.element_of(arg);
                    if !self.table.unify(element, &found) {
                        let (expected, found) = (self.describe(element), self.describe(&found));
                        let message = format!("expected an iterator over {expected}, found one over {found}");
                        self.error(code::MISMATCHED_TYPES, arg.span, message);
                    }
                }
            }
        }
    }

    /// Reports elements that cannot be added up.
    pub(super) fn check_summed(&mut self, span: SpanRange, term: &Term) {
        let is_number = match self.table.shallow(term) {
            Term::Scalar(scalar) => scalar.is_number() && !scalar.is_half(),
            Term::Vector(scalar, _) => scalar != ScalarName::Bool,
            Term::Error | Term::Never => true,
            _ => false,
        };
        if !is_number {
            let found = self.describe(term);
            let is_own = matches!(self.table.shallow(term), Term::Struct(..) | Term::Enum(..));
            let stops = match self.table.shallow(term) {
                Term::Option(_) => Some("Some"),
                Term::Result(..) => Some("Ok"),
                _ => None,
            };
            let error = self.error(code::BAD_OPERAND, span, format!("cannot add or multiply {found} this way"));
            if let Some(some) = stops {
                error.help(format!("end where a value is missing: `.try_fold(0, |sum, v| {some}(sum + v?))`"));
                return;
            }
            match is_own {
                true => error.help("write an `impl Sum` or `impl Product` for it in its `#[device] mod`, or fold: `.fold(start, |a, b| a + b)`"),
                false => error.help("fold: `.fold(start, |a, b| a + b)`"),
            };
        }
    }

    pub(super) fn order_later(&mut self, expr: &'a Expr, name: &'a Ident, term: &Term, key: bool) {
        self.deferred.push(Deferred::Ordered { expr, span: range(name.span()), term: term.clone(), key });
    }

    /// Reports what has no order, and notes which functions the order leads to.
    pub(super) fn check_ordered(&mut self, expr: &Expr, span: SpanRange, term: &Term, key: bool) {
        let mut found = Vec::new();
        let ty = self.table.resolve(term).unwrap_or(Ty::Error);
        let Err(part) = self.program.implied(&ty, Standard::Ord, &mut found) else {
            if !found.is_empty() {
                self.tables.implied.insert(expr.id, found);
            }
            return;
        };
        match part {
            Ty::Scalar(_) => {
                let error = self.error(code::BAD_OPERAND, span, "floats have no total order, because of NaN");
                match key {
                    true => error.help(
                        "say how to compare, `.min_by(|a, b| a.total_cmp(b))`, or order by the bits of a float that is not negative: `x.to_bits()`",
                    ),
                    false => error.help(
                        "say how to compare, `.min_by(|a, b| a.total_cmp(b))`, or fold: `.fold(f32::INFINITY, f32::min)`",
                    ),
                };
            }
            part => {
                let (found, part_name) = (self.describe(term), self.name_of(&part));
                let help = match part {
                    Ty::Struct(item, _) | Ty::Enum(item, _) => self.help_to_derive(item, "Ord"),
                    _ => "order by an integer: `.min_by_key(|v| …)`".to_owned(),
                };
                let error = self.error(code::BAD_OPERAND, span, format!("kernels cannot order {found}"));
                if part != ty {
                    error.note(format!("it contains `{part_name}`"));
                }
                error.help(help);
            }
        }
    }

    /// Reports a closure of `try_fold` that gives no `Option` or `Result` of the state.
    fn check_tried(&mut self, span: SpanRange, term: &Term, state: &Term) {
        let fits = match self.table.shallow(term) {
            Term::Option(value) => self.table.unify(&value, state),
            Term::Result(value, _) => self.table.unify(&value, state),
            Term::Error | Term::Never => true,
            _ => false,
        };
        if !fits {
            let (option, found) = (self.describe(&option(state)), self.describe(term));
            self.error(
                code::MISMATCHED_TYPES,
                span,
                format!("expected a closure that gives {option} or a `Result`, found one that gives {found}"),
            );
        }
    }
}
