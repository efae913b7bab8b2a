//! Inference of patterns and of what takes values apart: `match`, `if let`, `let … else`, `?`. Whether patterns cover all
//! values is rustc's to say, in the original.

use std::rc::Rc;

use proc_macro2::Ident;

use crate::ast::{
    Arm, BinaryOp, BindingId, Block, Expr, ExprId, ExprKind, FieldPattern, Member, Path, Pattern, ScalarName, Shape,
    SpanRange, rest_range, spread,
};
use crate::diag::code;
use crate::typed::{Callee, Len, Resolution, Ty};

use super::finish::Deferred;
use super::mismatch::Because;
use super::reference::is_self;
use super::slice_pattern::Apart;
use super::unify::{Term, VarKind};
use super::variant::{Constructor, Named};
use super::{Expect, Infer, range};

impl<'a> Infer<'a> {
    /// Declares the variables of a pattern for a value of some type.
    pub(super) fn bind_pattern(&mut self, pattern: &'a Pattern, term: &Term) {
        match pattern {
            Pattern::Binding { name, mutable, binding, inner } => {
                if let Some(inner) = inner {
                    self.bind_pattern(inner, term);
                }
                self.bind_name(*binding, name, *mutable, term);
            }
            Pattern::Wild(_) => {}
            Pattern::Reference(inner, span) => {
                self.check_reference_pattern(*span, term);
                self.bind_pattern(inner, term);
            }
            Pattern::Ref(inner, _) => {
                self.has_references = true;
                self.note_values(inner);
                self.bind_pattern(inner, term);
            }
            Pattern::RefMut(inner, span) => {
                self.check_ref_mut(inner, *span);
                self.bind_pattern(inner, term);
            }
            Pattern::Rest(span) => {
                self.error(code::BAD_PATTERN, range(*span), "`..` stands for members of a tuple, struct or array")
                    .help("write `_`");
            }
            Pattern::Tuple(members, span) => self.bind_tuple(members, *span, term),
            Pattern::Slice { id, members, span } => self.bind_slice(*id, members, *span, term),
            Pattern::Or(cases, _) => cases.iter().for_each(|case| self.bind_pattern(case, term)),
            Pattern::Literal(literal) => self.check(literal, term, Because::Matched),
            Pattern::Range { start, end, span, .. } => {
                for bound in start.iter().chain(end) {
                    self.check(bound, term, Because::Matched);
                }
                self.deferred.push(Deferred::RangePattern { span: *span, term: term.clone() });
            }
            Pattern::Path { id, path, span } => self.bind_path(*id, path, *span, term),
            Pattern::TupleStruct { id, path, members, span } => {
                self.bind_tuple_struct(*id, path, members, *span, term);
            }
            Pattern::Struct { id, path, fields, rest, span } => {
                self.bind_struct(*id, path, fields, *rest, *span, term);
            }
        }
    }

    /// Declares a variable; that of another alternative of the same pattern must have the same type.
    pub(super) fn bind_name(&mut self, binding: BindingId, name: &'a Ident, mutable: bool, term: &Term) {
        if self.visible.position(binding).is_some()
            && let Some(local) = self.local(binding).cloned()
        {
            if !self.table.unify(&local.term, term) {
                let (expected, found) = (self.describe(&local.term), self.describe(term));
                let message = format!("expected {expected}, but `{name}` is {found} here");
                self.error(code::MISMATCHED_TYPES, range(name.span()), message)
                    .note("a variable has the same type in all alternatives");
            }
            return;
        }
        self.declare(binding, name, mutable, term.clone());
    }

    fn bind_tuple(&mut self, patterns: &'a [Pattern], span: SpanRange, term: &Term) {
        let count = patterns.len();
        let has_rest = patterns.iter().any(Pattern::is_rest);
        let members = match self.table.shallow(term) {
            Term::Tuple(members) => members.to_vec(),
            Term::Unit => Vec::new(),
            Term::Error => vec![Term::Error; count],
            Term::Never => vec![Term::Never; count],
            Term::Var(_) if self.table.kind(term) == Some(VarKind::Any) && !has_rest => {
                let members: Vec<Term> = patterns.iter().map(|_| self.fresh()).collect();
                self.table.unify(term, &Term::tuple(members.clone()));
                members
            }
            _ => return self.report_shape(patterns, span, term, &tuple_of(count)),
        };
        match spread(patterns, members.len()) {
            Some(pairs) => pairs.into_iter().for_each(|(index, member)| self.bind_pattern(member, &members[index])),
            None => self.report_shape(patterns, span, term, &tuple_of(count)),
        }
    }

    fn bind_slice(&mut self, id: ExprId, patterns: &'a [Pattern], span: SpanRange, term: &Term) {
        let count = patterns.len();
        let what = format!("array of {count} element{}", if count == 1 { "" } else { "s" });
        let (element, len) = match self.table.shallow(term) {
            Term::Array(element, Len::Known(len)) => ((*element).clone(), len as usize),
            Term::Buffer { element, mutable, origin: Some(origin) } => {
                return self.bind_elements(id, patterns, span, (&element, mutable, origin));
            }
            other @ (Term::Error | Term::Never) => (other, count),
            // No pattern fits all lengths: rustc says so.
            Term::Array(element, Len::Unknown) => ((*element).clone(), count),
            Term::Array(_, Len::Chosen(number)) => {
                let name = self.program.chosen_name(number);
                self.error(code::MISMATCHED_TYPES, span, format!("an array of `{name}` elements has no pattern"))
                    .note("how many there are is chosen for each launch")
                    .help("take the elements by index");
                return self.bind_all(patterns, &Term::Error);
            }
            // The pattern tells it: `let Some(&[a, b]) = x.first_chunk()`.
            Term::ArrayOf(element, len)
                if !patterns.iter().any(Pattern::is_rest) && self.table.unify(&len, &Term::Const(count as i128)) =>
            {
                ((*element).clone(), count)
            }
            _ => return self.report_shape(patterns, span, term, &what),
        };
        let Some(pairs) = spread(patterns, len) else { return self.report_shape(patterns, span, term, &what) };
        pairs.into_iter().for_each(|(_, member)| self.bind_apart(member, &element, Apart::Never));
        if let Some((Pattern::Binding { name, mutable, binding, .. }, _, missing)) = rest_range(patterns, len) {
            let missing = u32::try_from(missing).unwrap_or(u32::MAX);
            self.bind_name(*binding, name, *mutable, &Term::Array(Rc::new(element), Len::Known(missing)));
        }
    }

    fn report_shape(&mut self, patterns: &'a [Pattern], span: SpanRange, term: &Term, what: &str) {
        let found = self.describe(term);
        let article = if what.starts_with('a') { "an" } else { "a" };
        let message = format!("expected {found}, found a pattern for {article} {what}");
        self.error(code::MISMATCHED_TYPES, span, message);
        self.bind_all(patterns, &Term::Error);
    }

    /// Declares the variables of patterns that lead nowhere.
    pub(super) fn bind_all(&mut self, patterns: &'a [Pattern], term: &Term) {
        for pattern in patterns.iter().filter(|pattern| !pattern.is_rest()) {
            self.bind_pattern(pattern, term);
        }
    }

    /// A const, or a variant or struct without members.
    fn bind_path(&mut self, id: ExprId, path: &'a Path, span: SpanRange, term: &Term) {
        match self.constructor_of(path) {
            Named::Constructor(constructor) if constructor.shape == Shape::Unit => {
                self.match_constructor(id, &constructor, span, term);
            }
            Named::Constructor(constructor) => self.report_members_needed(&constructor, path, span),
            Named::Other => {
                let outer = std::mem::replace(&mut self.constant, true);
                let found = self.infer_const_path(id, span, path);
                self.constant = outer;
                match found {
                    Some(found) if !self.table.unify(&found, term) => {
                        let (expected, found) = (self.describe(term), self.describe(&found));
                        self.error(code::MISMATCHED_TYPES, span, format!("expected {expected}, found {found}"))
                            .note(format!("the matched value is {expected}"));
                    }
                    Some(_) => {}
                    None => self.report_unknown_pattern(path, span),
                }
            }
            Named::Broken => {}
        }
    }

    fn report_unknown_pattern(&mut self, path: &Path, span: SpanRange) {
        if self.is_lost(path) {
            return;
        }
        let message = format!("cannot find const or variant `{}` in this scope", path.text());
        let error = self.error(code::UNKNOWN_NAME, span, message);
        if path.as_name().is_some() {
            error.help("a variable begins with a small letter; a variant is written with its enum in front");
        }
    }

    fn report_members_needed(&mut self, constructor: &Constructor<'a>, path: &Path, span: SpanRange) {
        let text = path.text();
        let error = self.error(code::BAD_PATTERN, span, format!("`{text}` has members"));
        match constructor.shape {
            Shape::Tuple => error.help(format!("write `{text}(..)`, or a pattern for each member")),
            _ => error.help(format!("write `{text} {{ .. }}`, or a pattern for each field")),
        };
    }

    /// Whether the matched value can be of the constructor's type.
    fn match_constructor(&mut self, id: ExprId, constructor: &Constructor<'a>, span: SpanRange, term: &Term) -> bool {
        if let Some(variant) = constructor.variant {
            self.tables.variants.insert(id, variant);
        }
        if self.table.is_never(term) {
            return true;
        }
        if self.table.unify(&constructor.term, term) {
            // A part of something unknown is unknown, too.
            if let Term::Error = self.table.shallow(term) {
                self.table.poison(&constructor.term);
            }
            return true;
        }
        if !self.table.is_poisoned(term) {
            let (expected, found) = (self.describe(term), self.describe(&constructor.term));
            self.error(code::MISMATCHED_TYPES, span, format!("expected {expected}, found a pattern for {found}"))
                .note(format!("the matched value is {expected}"));
        }
        false
    }

    fn bind_tuple_struct(&mut self, id: ExprId, path: &'a Path, members: &'a [Pattern], span: SpanRange, term: &Term) {
        let constructor = match self.constructor_of(path) {
            Named::Constructor(constructor) if constructor.shape == Shape::Tuple => constructor,
            Named::Constructor(constructor) => {
                self.bind_all(members, &Term::Error);
                let text = path.text();
                let error = self.error(code::BAD_PATTERN, span, format!("`{text}` has no members in parentheses"));
                match constructor.shape {
                    Shape::Named => error.help(format!("write `{text} {{ … }}`")),
                    _ => error.help(format!("write `{text}` alone")),
                };
                return;
            }
            other => {
                if let Named::Other = other {
                    self.report_unknown_pattern(path, super::expr::path_span(path));
                }
                return self.bind_all(members, &Term::Error);
            }
        };
        if self.refuse_held_pattern(id, &constructor, span) || !self.match_constructor(id, &constructor, span, term) {
            return self.bind_all(members, &Term::Error);
        }
        let Some(pairs) = spread(members, constructor.fields.len()) else {
            let (expected, found) = (constructor.fields.len(), members.len());
            let plural = if expected == 1 { "" } else { "s" };
            let message = format!("`{}` has {expected} member{plural}, but the pattern has {found}", path.text());
            self.error(code::BAD_PATTERN, span, message).help("write `_` for one, `..` for all that are left");
            return self.bind_all(members, &Term::Error);
        };
        let apart = match constructor.term {
            Term::Option(_) | Term::Result(..) => self.apart,
            _ => Apart::Never,
        };
        for (index, member) in pairs {
            self.bind_apart(member, &constructor.fields[index], apart);
        }
    }

    fn bind_struct(
        &mut self,
        id: ExprId,
        path: &'a Path,
        fields: &'a [FieldPattern],
        rest: bool,
        span: SpanRange,
        term: &Term,
    ) {
        let constructor = match self.constructor_of(path) {
            Named::Constructor(constructor) => constructor,
            other => {
                if let (Named::Other, Some(Ty::Vector(scalar, lanes))) = (&other, super::ty::builtin_path(path)) {
                    return self.bind_vector(id, (scalar, lanes), (fields, rest), (path, span), term);
                }
                if let Named::Other = other {
                    self.report_unknown_pattern(path, super::expr::path_span(path));
                }
                return fields.iter().for_each(|field| self.bind_pattern(&field.pattern, &Term::Error));
            }
        };
        let fits =
            !self.refuse_held_pattern(id, &constructor, span) && self.match_constructor(id, &constructor, span, term);
        let mut positions = Vec::with_capacity(fields.len());
        for field in fields {
            let position = match &field.member {
                Member::Named(name) => self.member_position(&constructor, path, name),
                Member::Index(index, _) if (*index as usize) < constructor.fields.len() => Some(*index),
                Member::Index(index, span) => {
                    let message = format!("`{}` has no member `{index}`", path.text());
                    self.error(code::UNKNOWN_FIELD, range(*span), message);
                    None
                }
            };
            let member = position.filter(|_| fits).map_or(Term::Error, |it| constructor.fields[it as usize].clone());
            self.bind_apart(&field.pattern, &member, Apart::Never);
            positions.extend(position);
        }
        let missing = constructor.fields.len() > fields.len();
        if missing && !rest && positions.len() == fields.len() {
            self.error(code::BAD_PATTERN, span, format!("the pattern leaves out fields of `{}`", path.text()))
                .help("end it with `..`");
        }
        self.tables.structs.insert(id, positions);
    }

    /// `UVec3 { x, y, .. }`
    fn bind_vector(
        &mut self,
        id: ExprId,
        (scalar, lanes): (ScalarName, u8),
        (fields, rest): (&'a [FieldPattern], bool),
        (path, span): (&'a Path, SpanRange),
        term: &Term,
    ) {
        let vector = Term::Vector(scalar, lanes);
        let is_unknown = matches!(self.table.shallow(term), Term::Never) || self.table.is_poisoned(term);
        let fits = is_unknown || self.table.unify(&vector, term);
        if !fits {
            let (expected, found) = (self.describe(term), self.describe(&vector));
            let message = format!("expected {expected}, found a pattern for {found}");
            let error = self.error(code::MISMATCHED_TYPES, span, message);
            error.note(format!("the matched value is {expected}"));
        } else if (scalar, lanes) == (ScalarName::F32, 4) {
            self.error(code::BAD_PATTERN, span, "`Vec4` has no fields that a pattern could name")
                .note("on the host it is a SIMD register, which has no fields")
                .help("take it apart as an array: `let [x, y, z, w] = v.to_array();`");
            return fields.iter().for_each(|field| self.bind_pattern(&field.pattern, &Term::Error));
        }
        let mut positions = Vec::with_capacity(fields.len());
        for field in fields {
            let lane = match &field.member {
                Member::Named(name) => ["x", "y", "z", "w"][..usize::from(lanes)].iter().position(|lane| name == lane),
                Member::Index(..) => None,
            };
            if lane.is_none() {
                let (name, span) = match &field.member {
                    Member::Named(name) => (name.to_string(), range(name.span())),
                    Member::Index(index, span) => (index.to_string(), range(*span)),
                };
                let message = format!("`{}` has no field `{name}`", path.text());
                self.error(code::UNKNOWN_FIELD, span, message).help("its fields are its lanes: `x`, `y` and so on");
            }
            let term = if fits && lane.is_some() { Term::Scalar(scalar) } else { Term::Error };
            self.bind_pattern(&field.pattern, &term);
            positions.extend(lane.map(|lane| lane as u32));
        }
        if usize::from(lanes) > fields.len() && !rest && positions.len() == fields.len() {
            self.error(code::BAD_PATTERN, span, format!("the pattern leaves out fields of `{}`", path.text()))
                .help("end it with `..`");
        }
        self.tables.structs.insert(id, positions);
    }

    pub(super) fn infer_match(&mut self, scrutinee: &'a Expr, arms: &'a [Arm], expect: &Expect) -> Term {
        let term = self.infer_scrutinee(scrutinee, arms.iter().map(|arm| &arm.pattern));
        let before = std::mem::replace(&mut self.diverges, false);
        let (mut all_diverge, mut result) = (true, None::<(Term, Because)>);
        if let Expect::Type(expected, because) = expect {
            result = Some((expected.clone(), *because));
        }
        let mut any_value = false;
        for arm in arms {
            let scope = self.visible.len();
            self.bind_apart(&arm.pattern, &term, Apart::Perhaps);
            if let Some(guard) = &arm.guard {
                self.infer_condition(guard, Because::Guard);
            }
            self.diverges = false;
            let arm_expect = match &result {
                Some((expected, because)) => Expect::Type(expected.clone(), *because),
                None => Expect::Nothing,
            };
            let found = self.infer(&arm.body, &arm_expect);
            all_diverge &= self.diverges;
            self.visible.truncate(scope);
            if self.table.is_never(&found) {
                continue;
            }
            any_value = true;
            match result.clone() {
                None => result = Some((found, Because::FirstArm(arm.body.span.start))),
                Some((expected, because)) => {
                    self.coerce(super::control::last_value(&arm.body), &found, &expected, because);
                }
            }
        }
        self.diverges = before || all_diverge;
        match result {
            Some((term, _)) if any_value => term,
            _ => Term::Never,
        }
    }

    /// The value that patterns take apart: a value, or the referent of a reference that reads. Its parts are references
    /// in Rust and values here.
    pub(super) fn infer_scrutinee(&mut self, value: &'a Expr, patterns: impl Iterator<Item = &'a Pattern>) -> Term {
        if let Some(term) = self.infer_matched_slice(value) {
            return term;
        }
        let patterns: Vec<_> = patterns.collect();
        if self.note_kept_members(value) {
            patterns.iter().for_each(|pattern| self.note_values(pattern));
        }
        let as_mut = self.infer_as_mut(value);
        let term = as_mut.unwrap_or_else(|| self.infer_reference(value, &Expect::Nothing));
        if self.is_written_apart(value, &patterns) {
            return self.take_apart_to_write(value, &patterns, term);
        }
        if self.reference_of(value).is_some() {
            self.has_references = true;
            self.tables.taken_apart.insert(value.id);
            patterns.iter().for_each(|pattern| self.note_values(pattern));
        } else {
            patterns.iter().for_each(|pattern| self.note_self_apart(value, pattern));
            patterns.iter().for_each(|pattern| self.note_given_elements(value, pattern));
        }
        term
    }

    /// Notes that a pattern names elements that a slice or an iterator gives: values, whatever their type is.
    pub(super) fn note_given_elements(&mut self, value: &Expr, pattern: &Pattern) {
        let value = super::block::strip(value);
        let gives = match (self.tables.calls.get(&value.id), self.tables.paths.get(&value.id)) {
            (Some(Callee::Slice(method)), _) => !method.writes(),
            (Some(Callee::Iterate(_)), _) => true,
            (None, Some(Resolution::Binding(binding))) => self.tables.values.contains(binding),
            _ => false,
        };
        if gives {
            self.note_values(pattern);
        }
    }

    /// Notes that a pattern takes apart the `self` that a method has by reference.
    pub(super) fn note_self_apart(&mut self, value: &Expr, pattern: &Pattern) {
        if is_self(value) && self.takes_self_by_reference() && !self.tables.written_apart.contains_key(&value.id) {
            self.has_references = true;
            self.tables.taken_apart.insert(value.id);
            self.note_values(pattern);
        }
    }

    /// The condition of an `if`, `while` or guard, whose `let`s declare variables.
    pub(super) fn infer_condition(&mut self, condition: &'a Expr, because: Because) {
        match &condition.kind {
            ExprKind::Let { pattern, value } => {
                let term = self.infer_scrutinee(value, std::iter::once(&**pattern));
                self.refuse_written_alternatives(value, pattern);
                self.bind_apart(pattern, &term, Apart::Perhaps);
                self.record(condition.id, Term::BOOL);
            }
            ExprKind::Binary(BinaryOp::And, left, right, _) if condition.has_let() => {
                self.infer_condition(left, because);
                let before = self.diverges;
                self.infer_condition(right, because);
                self.diverges = before;
                self.record(condition.id, Term::BOOL);
            }
            _ => self.check(condition, &Term::BOOL, because),
        }
    }

    /// `let` where no condition is.
    pub(super) fn infer_stray_let(&mut self, expr: &'a Expr, pattern: &'a Pattern, value: &'a Expr) -> Term {
        let term = self.infer(value, &Expect::Nothing);
        let scope = self.visible.len();
        self.bind_pattern(pattern, &term);
        self.visible.truncate(scope);
        self.error(code::BAD_PATTERN, expr.span, "`let` can stand only in the condition of an `if` or `while`")
            .note("`let`s are combined by `&&`, not inside parentheses or `||`")
            .help("for a `bool` write `matches!(value, pattern)`");
        Term::Error
    }

    /// `value?`
    pub(super) fn infer_try(&mut self, expr: &'a Expr, operand: &'a Expr) -> Term {
        let term = self.infer(operand, &Expect::Nothing);
        self.note_return();
        let mut result = self.table.shallow(&self.result.clone());
        // Of a closure whose result nothing told so far.
        if self.table.kind(&result) == Some(VarKind::Any) {
            let (value, error) = (self.fresh(), self.fresh());
            let told = match self.table.shallow(&term) {
                Term::Option(_) => Some(Term::Option(Rc::new(value))),
                Term::Result(..) => Some(Term::Result(Rc::new(value), Rc::new(error))),
                _ => None,
            };
            if let Some(told) = told {
                self.table.unify(&result, &told);
                result = told;
            }
        }
        match (self.table.shallow(&term), &result) {
            (Term::Error | Term::Never, _) | (_, Term::Error) => Term::Error,
            (Term::Option(value), Term::Option(_)) => (*value).clone(),
            (Term::Result(value, error), Term::Result(_, expected)) => {
                let fits = self.table.would_unify(&error, expected) && self.table.unify(&error, expected);
                if !fits && !self.convert_error(expr, &error, expected) {
                    let is_own = matches!(self.table.shallow(expected), Term::Struct(..) | Term::Enum(..));
                    let (expected, error) = (self.describe(expected), self.describe(&error));
                    let message = format!("`?` returns {error}, but the function's error is {expected}");
                    let names = (error.trim_matches('`').to_owned(), expected.trim_matches('`').to_owned());
                    let report = self.error(code::MISMATCHED_TYPES, expr.span, message);
                    match is_own {
                        true => {
                            let (from, to) = names;
                            report
                                .help(format!("write `impl From<{from}> for {to}` in the `#[device] mod` of the type"))
                        }
                        false => report.help("write a `match` that converts the error"),
                    };
                }
                (*value).clone()
            }
            (Term::Option(value) | Term::Result(value, _), _) => {
                let (found, result) = (self.describe(&term), self.describe(&result));
                let error = self.error(
                    code::MISMATCHED_TYPES,
                    expr.span,
                    format!("`?` on {found} in a function that returns {result}"),
                );
                error.note("`?` returns `None` or an error early, which this function cannot return");
                match result.as_str() {
                    "`()`" => error.help("use `let … else { return; }` or `match`"),
                    _ => error.help("use `match` to turn one into the other"),
                };
                (*value).clone()
            }
            (other, _) => {
                let name = self.describe(&other);
                self.error(code::BAD_OPERAND, expr.span, format!("`?` is for `Option` and `Result`, found {name}"));
                Term::Error
            }
        }
    }

    /// The block of `let … else` leaves the block around it.
    pub(super) fn infer_otherwise(&mut self, block: &'a Block) {
        let before = std::mem::replace(&mut self.diverges, false);
        let found = self.infer_block(block, &Expect::Nothing);
        if !self.table.is_never(&found) && !self.diverges {
            self.error(
                code::MISSING_VALUE,
                range(block.span.end),
                "the `else` block of a `let` must not come to its end",
            )
            .note("the variables of the pattern have no values there")
            .help("end it with `return`, `break` or `continue`");
        }
        self.diverges = before;
    }
}

fn tuple_of(count: usize) -> String {
    match count {
        1 => "tuple of one element".to_owned(),
        count => format!("tuple of {count} elements"),
    }
}
