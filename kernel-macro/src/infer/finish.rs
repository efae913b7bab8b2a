//! The end of inference: checks that had to wait for all types, defaults, and the tables for later stages.

use crate::ast::{Expr, Item, ScalarName, Shape, SpanRange};
use crate::builtin::format::Style;
use crate::builtin::standard::Standard;
use crate::diag::code;
use crate::program::ItemId;
use crate::typed::{Ty, TypedFn};

use super::mismatch::cast_source;
use super::subgroup::Operand;
use super::unify::Term;
use super::{Infer, range};

/// A check that needs the final type.
pub(super) enum Deferred<'a> {
    /// `-operand`
    Negation { operand: &'a Expr, term: Term },
    /// An operand of an operator of `core::num::Wrapping`.
    Wrapped { operand: &'a Expr, term: Term },
    /// `value as target`
    Cast { value: &'a Expr, found: Term, target: Term, ty: SpanRange },
    /// The index of a buffer or array.
    Index { index: &'a Expr, term: Term },
    /// A value that a format string shows.
    Shown { value: &'a Expr, term: Term, style: Style },
    /// All values that one message shows.
    Words { span: SpanRange, terms: Vec<Term> },
    /// The argument of `workgroup_uniform`.
    Uniform { arg: &'a Expr, term: Term },
    /// An argument of `detach` or `with_slope`; whether it may be a vector.
    Sloped { arg: &'a Expr, term: Term, function: &'static str, lanes: bool },
    /// The type that a range pattern is compared with.
    RangePattern { span: SpanRange, term: Term },
    /// The value that a subgroup exchanges.
    Subgroup { arg: &'a Expr, term: Term, operand: Operand },
    /// Elements that are added up or multiplied.
    Summed { span: SpanRange, term: Term },
    /// The elements whose smallest or largest is asked for.
    Ordered { expr: &'a Expr, span: SpanRange, term: Term, key: bool },
    /// A value that is compared member by member.
    Compared { operand: &'a Expr, term: Term, of: Standard },
    /// The value that is divided into slices, by the type of its elements. `owned`: it is no slice itself.
    Divided { receiver: &'a Expr, term: Term, owned: bool },
    /// Elements that an iterator lends.
    Lent { receiver: &'a Expr, term: Term },
    /// The place of a reference that stands for a value.
    Kept { place: &'a Expr },
    /// A value that `Default` gives.
    Default { expr: &'a Expr, term: Term },
    /// `receiver.into()`
    Into { expr: &'a Expr, receiver: &'a Expr, from: Term, to: Term },
    /// The ends of a range: integers of 128 bits do not count.
    Counted { expr: &'a Expr, term: Term },
    /// A literal too large for some type.
    Range { span: SpanRange, value: u128, term: Term, negative: bool },
    /// A float literal that may be too large for its type.
    Magnitude { span: SpanRange, text: &'a str, term: Term },
}

impl<'a> Infer<'a> {
    /// Reports what nothing determines, then runs the deferred checks.
    pub(super) fn settle(&mut self) {
        self.settle_conversions();
        self.settle_associated_consts();
        self.report_undetermined();
        for check in std::mem::take(&mut self.deferred) {
            match check {
                Deferred::Negation { operand, term } => match self.table.resolve(&term) {
                    Some(Ty::Scalar(scalar)) if scalar.is_number() && !scalar.is_unsigned() => {}
                    Some(Ty::Vector(ScalarName::F32 | ScalarName::I32, _)) => {}
                    Some(Ty::Matrix(_) | Ty::Quat | Ty::Error | Ty::Never) | None => {}
                    Some(ty) => self.report_negation(operand, &Term::from(&ty)),
                },
                Deferred::Wrapped { operand, term } => {
                    if let Some(Ty::Struct(_, Some(args))) = self.table.resolve(&term)
                        && !matches!(args[0], Ty::Scalar(scalar) if scalar.is_int() && !scalar.is_wide())
                        && !matches!(args[0], Ty::Error | Ty::Never)
                    {
                        let name = self.describe(&term);
                        self.error(
                            code::BAD_OPERAND,
                            operand.span,
                            format!("operators of {name} are not supported in kernels"),
                        )
                        .note("`Wrapping` wraps integers of up to 64 bits here")
                        .help("use `wrapping_add` and its like");
                    }
                }
                Deferred::Cast { value, found, target, ty } => self.check_cast(value, &found, &target, ty),
                Deferred::Index { index, term } => match self.table.resolve(&term) {
                    Some(Ty::Error | Ty::Never) | None => {}
                    Some(ty) if ty.is_unsigned() && ty != Ty::Scalar(ScalarName::U128) => {}
                    Some(ty) => self.report_index(index, &Term::from(&ty)),
                },
                Deferred::Counted { expr, term } => {
                    if let Some(Ty::Scalar(scalar)) = self.table.resolve(&term)
                        && scalar.is_wide()
                    {
                        self.error(
                            code::MISMATCHED_TYPES,
                            expr.span,
                            format!("a range of `{}` is not available in kernels", scalar.name()),
                        )
                        .help("count with `u64`, or compare the ends: `a <= x && x < b`");
                    }
                }
                Deferred::Shown { value, term, style } => {
                    if let Some(ty) = self.table.resolve(&term) {
                        self.check_shown(value, &ty, style);
                    }
                }
                Deferred::Words { span, terms } => self.check_words(span, &terms),
                Deferred::RangePattern { span, term } => match self.table.resolve(&term) {
                    Some(Ty::Error | Ty::Never) | None => {}
                    Some(Ty::Scalar(scalar)) if !matches!(scalar, ScalarName::Bool | ScalarName::Text) => {}
                    Some(ty) => {
                        let message = format!("expected `{}`, found a range of numbers", self.name_of(&ty));
                        self.error(code::MISMATCHED_TYPES, span, message);
                    }
                },
                Deferred::Subgroup { arg, term, operand } => self.check_subgroup_operand(arg, &term, operand),
                Deferred::Uniform { arg, term } => self.check_uniform(arg, &term),
                Deferred::Sloped { arg, term, function, lanes } => self.check_sloped(arg, &term, function, lanes),
                Deferred::Summed { span, term } => self.check_summed(span, &term),
                Deferred::Ordered { expr, span, term, key } => self.check_ordered(expr, span, &term, key),
                Deferred::Compared { operand, term, of } => {
                    if let Some(ty) = self.table.resolve(&term) {
                        self.check_compared(operand, &ty, of);
                    }
                }
                Deferred::Kept { place } => self.check_kept(place),
                Deferred::Lent { receiver, term } => self.check_lent_elements(receiver, &term),
                Deferred::Divided { receiver, term, owned } => {
                    if let Some(ty) = self.table.resolve(&term) {
                        self.check_divided(receiver, &ty, owned);
                    }
                }
                Deferred::Default { expr, term } => {
                    if let Some(ty) = self.table.resolve(&term) {
                        self.check_default(expr, &ty);
                    }
                }
                Deferred::Into { expr, receiver, from, to } => self.check_into(expr, receiver, &from, &to),
                Deferred::Range { span, value, term, negative } => {
                    if let Some(Ty::Scalar(scalar)) = self.table.resolve(&term) {
                        self.check_range(span, value, scalar, negative);
                    }
                }
                Deferred::Magnitude { span, text, term } => {
                    if let Some(Ty::Scalar(scalar)) = self.table.resolve(&term) {
                        self.check_magnitude(span, text, scalar);
                    }
                }
            }
        }
    }

    /// All types in their final form. Call [`settle`](Self::settle) first.
    pub(super) fn finish(&mut self) -> TypedFn {
        self.settle();
        self.check_held_locals();
        self.finish_requests();
        self.finish_closures();
        let mut tables = std::mem::take(&mut self.tables);
        tables.has_references = self.has_references;
        tables.origin_roots = std::mem::take(&mut self.origin_roots);
        let mut is_open = false;
        let resolve = |term: &Option<Term>| {
            let Some(term) = term else { return Ty::Error };
            let ty = self.table.resolve(term);
            is_open |= ty.is_none();
            ty.unwrap_or(Ty::Error)
        };
        tables.exprs = self.exprs.iter().map(resolve).collect();
        if is_open {
            self.report_unresolved();
        }
        for (scrutinee, term) in &self.sliced {
            tables.sliced.insert(*scrutinee, self.table.resolve(term).unwrap_or(Ty::Error));
        }
        tables.bindings = self
            .locals
            .iter()
            .map(|local| local.as_ref().and_then(|local| self.table.resolve(&local.term)).unwrap_or(Ty::Error))
            .collect();
        tables
    }

    /// Types without a place of their own were reported above; one that is left over would be a bug of ours.
    fn report_unresolved(&mut self) {
        if !self.diags.has_errors()
            && let Item::Fn(function) = &self.program.items[self.item].item
        {
            self.error(code::INTERNAL, range(function.name.span()), "an expression was left without a type")
                .note("this is a bug in gridwise: please report it with this function");
        }
    }

    /// Whether no variant of an enum has members.
    fn is_fieldless(&self, item: ItemId) -> bool {
        match &self.program.items[item].item {
            Item::Enum(definition) => definition.variants.iter().all(|variant| variant.shape == Shape::Unit),
            _ => false,
        }
    }

    fn report_undetermined(&mut self) {
        // Types that depend on parameters, as written, determine nothing: each instance is inferred again, and rustc checks both.
        let is_generic = self.params.iter().any(|param| self.table.is_poisoned(&param.term));
        for index in 0..self.locals.len() {
            let Some(local) = &self.locals[index] else { continue };
            if self.table.resolve(&local.term).is_none() {
                let local = local.clone();
                let example = self.written(&local.term).replace("; _]", "; 4]").replace('_', "f32");
                self.table.poison(&local.term);
                if is_generic {
                    continue;
                }
                self.error(code::CANNOT_INFER, range(local.span), format!("cannot infer the type of `{}`", local.name))
                    .help(format!("write it, for example `let {}: {example} = …`", local.name));
            }
        }
        for (expr, term) in std::mem::take(&mut self.open) {
            if self.table.resolve(&term).is_none() {
                self.table.poison(&term);
                if is_generic {
                    continue;
                }
                self.error(code::CANNOT_INFER, expr.span, "cannot infer the type of this expression")
                    .help("bind it with `let` and write the type");
            }
        }
    }

    /// Reports an operand or receiver whose type must be known here but is not.
    pub(super) fn report_unknown(&mut self, expr: &Expr) {
        self.error(code::CANNOT_INFER, expr.span, "the type of this value must be known here")
            .help("write the type where it is declared");
    }

    fn check_cast(&mut self, value: &Expr, found: &Term, target: &Term, ty: SpanRange) {
        let (Some(from), Some(to)) = (self.table.resolve(found), self.table.resolve(target)) else { return };
        let source = cast_source(value);
        let help = match (&from, &to) {
            (Ty::Error | Ty::Never, _) | (_, Ty::Error) => return,
            (Ty::Scalar(from), Ty::Scalar(to)) if from == to => return,
            (Ty::Scalar(from), Ty::Scalar(to)) if from.is_half() || to.is_half() => {
                Some(half_conversion(&source, *from, *to))
            }
            (Ty::Scalar(from), Ty::Scalar(ScalarName::Bool)) if from.is_float() => {
                Some(format!("write `{source} != 0.0`"))
            }
            (Ty::Scalar(ScalarName::Char), Ty::Scalar(to)) if to.is_int() => return,
            (Ty::Scalar(ScalarName::Char), Ty::Scalar(ScalarName::Bool)) => Some(format!("write `{source} != '\\0'`")),
            (Ty::Scalar(ScalarName::Char), Ty::Scalar(to)) => {
                Some(format!("cast through an integer: `{source} as u32 as {}`", to.name()))
            }
            (Ty::Scalar(ScalarName::U8), Ty::Scalar(ScalarName::Char)) => return,
            (Ty::Scalar(ScalarName::Bool), Ty::Scalar(ScalarName::Char)) => {
                Some(format!("choose: `if {source} {{ 't' }} else {{ 'f' }}`"))
            }
            (Ty::Scalar(from), Ty::Scalar(ScalarName::Char)) => {
                let number = if *from == ScalarName::U32 { source } else { format!("{source} as u32") };
                Some(format!("not every number is a character: `char::from_u32({number})` gives an `Option`"))
            }
            (Ty::Scalar(_), Ty::Scalar(ScalarName::Bool)) => Some(format!("write `{source} != 0`")),
            (Ty::Scalar(ScalarName::Bool), Ty::Scalar(to)) if to.is_float() => {
                Some(format!("cast through an integer: `{source} as u32 as {}`", to.name()))
            }
            (Ty::Scalar(from), Ty::Scalar(to)) if from.is_wide() && to.is_float() => Some(format!(
                "cast through 64 bits: `({source} >> 64) as u64 as {0}` and `{source} as u64 as {0}`",
                to.name()
            )),
            (Ty::Scalar(from), Ty::Scalar(to)) if from.is_float() && to.is_wide() => {
                Some(format!("cast through 64 bits: `{source} as u64 as {}`", to.name()))
            }
            (Ty::Scalar(_), Ty::Scalar(_)) => return,
            (Ty::Enum(item, _), Ty::Scalar(to)) if to.is_number() && *to != ScalarName::F32 => {
                if self.is_fieldless(*item) {
                    return;
                }
                Some("only enums without members are numbers: use `match`".to_owned())
            }
            (Ty::Ordering, Ty::Scalar(to)) if to.is_int() => return,
            (Ty::Vector(_, from), Ty::Vector(scalar, to)) if from == to && *scalar != ScalarName::Bool => {
                let prefix = super::ty::vector_prefix(*scalar).to_lowercase();
                Some(format!("write `{source}.as_{prefix}{to}()`"))
            }
            (Ty::Scalar(_), Ty::Vector(..)) => Some(format!("write `{}::splat({source})`", self.name_of(&to))),
            (Ty::Vector(..), Ty::Scalar(_)) => Some("cast one lane: `.x`".to_owned()),
            _ => None,
        };
        let message = format!("cannot cast `{}` as `{}`", self.name_of(&from), self.name_of(&to));
        let span = SpanRange { start: value.span.start, end: ty.end };
        let error = self.error(code::BAD_CAST, span, message);
        error.note("`as` converts between numbers, from `bool` and `char` to integers, and from `u8` to `char`");
        if let Some(help) = help {
            error.help(help);
        }
    }
}

/// How to convert from or to a type of crate `half`, for which there is no `as`.
pub(super) fn half_conversion(source: &str, from: ScalarName, to: ScalarName) -> String {
    let single = match from {
        ScalarName::F32 => source.to_owned(),
        ScalarName::Bool => format!("{source} as u32 as f32"),
        _ if from.is_half() => format!("{source}.to_f32()"),
        _ => format!("{source} as f32"),
    };
    match to {
        ScalarName::F32 => format!("write `{single}`"),
        ScalarName::Bool => format!("write `{single} != 0.0`"),
        _ if to.is_half() => format!("write `{}::from_f32({single})`", to.name()),
        _ => format!("write `{single} as {}`", to.name()),
    }
}
