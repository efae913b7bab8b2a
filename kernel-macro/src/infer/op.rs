//! Inference of operators, as Rust has them for scalars and glam for vectors.

use crate::ast::{BinaryOp, Expr, ExprKind, Literal, ScalarName, SpanRange, UnaryOp};
use crate::builtin::iteration::Iteration;
use crate::builtin::standard::{Given, Standard};
use crate::diag::code;
use crate::source::text;

use super::block::strip;
use super::compare::is_composite;
use super::finish::Deferred;
use super::linear::is_linear;
use super::mismatch::{Because, cast_source};
use super::unify::{Term, VarKind};
use super::{Expect, Infer};

/// An operator with its operands.
#[derive(Clone, Copy)]
pub(super) struct Operation<'a> {
    expr: &'a Expr,
    pub(super) op: BinaryOp,
    left: &'a Expr,
    pub(super) right: &'a Expr,
    /// `a += b`: the result must fit the left operand.
    pub(super) assigns: bool,
}

impl Operation<'_> {
    /// The operator as it is written.
    pub(super) fn written(self) -> String {
        let assign = if self.assigns { "=" } else { "" };
        format!("{}{assign}", self.op.symbol())
    }
}

impl<'a> Infer<'a> {
    pub(super) fn infer_unary(&mut self, expr: &'a Expr, op: UnaryOp, operand: &'a Expr, expect: &Expect) -> Term {
        if let (UnaryOp::Neg, ExprKind::Literal(Literal::Int { .. })) = (op, &strip(operand).kind) {
            self.negated = Some(strip(operand).id);
        }
        if op == UnaryOp::Deref {
            return self.infer_deref(operand, expect);
        }
        let term = self.infer_reference(operand, expect);
        if self.reference_of(operand) == Some(true) {
            self.refuse_reference(strip(operand));
        }
        let shallow = self.table.shallow(&term);
        let fits = match (op, &shallow) {
            (_, Term::Error | Term::Never) => true,
            (UnaryOp::Not, Term::Scalar(scalar) | Term::Vector(scalar, _)) => {
                *scalar == ScalarName::Bool || scalar.is_int()
            }
            (UnaryOp::Not, Term::Var(_)) => matches!(self.table.kind(&shallow), Some(VarKind::Int { .. })),
            (UnaryOp::Neg, Term::Scalar(scalar) | Term::Vector(scalar, _)) => {
                scalar.is_number() && !scalar.is_unsigned()
            }
            (UnaryOp::Neg, Term::Matrix(_) | Term::Quat) => true,
            (UnaryOp::Neg, Term::Coop(ty)) => ty.scalar != ScalarName::Bf16 && !ty.scalar.is_unsigned(),
            (UnaryOp::Neg, Term::Var(_)) => {
                self.deferred.push(Deferred::Negation { operand, term: term.clone() });
                self.table.kind(&shallow) != Some(VarKind::Any)
            }
            _ => false,
        };
        if fits {
            return term;
        }
        let (of, method) = match op {
            UnaryOp::Neg => ("Neg", "neg"),
            UnaryOp::Not | UnaryOp::Deref => ("Not", "not"),
        };
        if self.is_wrapping(&shallow) {
            self.deferred.push(Deferred::Wrapped { operand, term: shallow });
            return term;
        }
        if let Some(result) = self.user_operator(expr, (of, method), &shallow, None) {
            return result;
        }
        match op {
            UnaryOp::Not | UnaryOp::Deref => self.report_not(operand, &shallow),
            UnaryOp::Neg => self.report_negation(operand, &shallow),
        }
        Term::Error
    }

    fn report_not(&mut self, operand: &Expr, term: &Term) {
        let name = self.describe(term);
        let error = self.error(code::BAD_OPERAND, operand.span, format!("cannot apply `!` to {name}"));
        match term {
            Term::Vector(..) => error.note("`!` is for vectors of integers and of `bool`"),
            _ => error.note("`!` is for `bool` and integers"),
        };
    }

    /// Reports a minus sign before something that has none.
    pub(super) fn report_negation(&mut self, operand: &Expr, term: &Term) {
        let name = self.describe(term);
        let error = self.error(code::BAD_OPERAND, operand.span, format!("cannot apply `-` to {name}"));
        match term {
            Term::Scalar(scalar) if scalar.is_unsigned() => {
                error.note("unsigned values cannot be negated");
                match &strip(operand).kind {
                    ExprKind::Literal(Literal::Int { value: 1, .. }) if *term == Term::U32 => {
                        error.help("for the largest value write `u32::MAX`")
                    }
                    _ => {
                        let source = cast_source(operand);
                        let signed = match scalar {
                            ScalarName::U8 => "i8",
                            ScalarName::U16 => "i16",
                            ScalarName::U64 => "i64",
                            _ => "i32",
                        };
                        error.help(format!("convert first, `{source} as {signed}`, or write `{source}.wrapping_neg()`"))
                    }
                };
            }
            Term::Vector(ScalarName::U32, lanes) => {
                error.note("unsigned values cannot be negated").help(format!("convert first: `.as_ivec{lanes}()`"));
            }
            _ => {}
        }
    }

    pub(super) fn infer_binary(&mut self, expr: &'a Expr, op: BinaryOp, left: &'a Expr, right: &'a Expr) -> Term {
        if let BinaryOp::And | BinaryOp::Or = op {
            self.check(left, &Term::BOOL, Because::Logic(op));
            let before = self.diverges;
            self.check(right, &Term::BOOL, Because::Logic(op));
            // The right operand may be left out.
            self.diverges = before;
            return Term::BOOL;
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) && (self.names_slice(left) || self.names_slice(right)) {
            return self.infer_slice_equality(expr, left, right);
        }
        if is_comparison(op) && (self.names_slice(left) || self.names_slice(right)) {
            return self.infer_slice_order(expr, Iteration::Compare(op), left, right);
        }
        [left, right].into_iter().for_each(|operand| self.note_lent_operand(operand));
        let left_term = self.infer_reference(left, &Expect::Nothing);
        let expect = self.expected_total(operator_trait(op), &left_term, right);
        let right_term = self.infer_reference(right, &expect);
        self.check_operands(is_comparison(op), left, right);
        self.operate(Operation { expr, op, left, right, assigns: false }, &left_term, &right_term)
    }

    pub(super) fn infer_assign_op(&mut self, expr: &'a Expr, op: BinaryOp, place: &'a Expr, value: &'a Expr) -> Term {
        let left = self.infer_place(place);
        let expect = self.expected_total(assigning_trait(op), &left, value);
        let right = self.infer_reference(value, &expect);
        self.check_operands(false, value, value);
        if self.refuse_store(place, Some(op.symbol())) {
            return Term::Unit;
        }
        self.operate(Operation { expr, op, left: place, right: value, assigns: true }, &left, &right);
        let is_number =
            matches!(self.table.shallow(&left), Term::Scalar(_)) && !self.tables.calls.contains_key(&expr.id);
        self.assigned_place = is_number.then_some(place.id);
        self.require_place(place);
        self.assigned_place = None;
        Term::Unit
    }

    /// The type of an operation's result.
    fn operate(&mut self, operation: Operation<'a>, left_term: &Term, right_term: &Term) -> Term {
        let (mut left, mut right) = (self.table.shallow(left_term), self.table.shallow(right_term));
        let compares = is_comparison(operation.op);
        match (&left, &right) {
            (Term::Error, _) | (_, Term::Error) => {
                // Of unknown type is then also a literal on the other side.
                self.table.blur(&left);
                self.table.blur(&right);
                return if compares { Term::BOOL } else { Term::Error };
            }
            (Term::Never, _) => return Term::Never,
            // Numbers compare with those of their own type: `Some(y) if y == x` where the option is `None` so far.
            (_, Term::Scalar(_))
                if compares && self.table.kind(&left) == Some(VarKind::Any) && self.table.unify(&left, &right) =>
            {
                left = right.clone();
            }
            // Never evaluated: whatever type the operator needs.
            (_, Term::Never) => right = left.clone(),
            _ => {}
        }
        for (operand, term) in [(operation.left, left.clone()), (operation.right, right.clone())] {
            let term = &term;
            if self.table.kind(term) != Some(VarKind::Any) {
                continue;
            }
            // `a - x.into()` is of the one type that `-` takes there.
            let is_right = std::ptr::eq(operand, operation.right);
            // Numbers compare with those of their own type: `n < x.into()`.
            if is_right && compares && matches!(left, Term::Scalar(_)) && self.table.unify(term, &left) {
                right = left.clone();
                continue;
            }
            if !(is_right && is_user_type(&left) && self.has_one_operator(operation, &left)) {
                self.report_unknown(operand);
                return Term::Error;
            }
        }
        if self.is_wrapping(&left) && !compares {
            return self.wrap(operation, left, &right);
        }
        if (is_user_type(&left) || is_user_type(&right))
            && let Some(term) = self.infer_user_operation(operation, &left, &right)
        {
            return term;
        }
        match operation.op {
            BinaryOp::Shl | BinaryOp::Shr => self.shift(operation, left, &right),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => self.bits(operation, left, &right),
            _ if compares => self.compare(operation, &left, &right),
            _ => self.arithmetic(operation, left, &right),
        }
    }

    /// Whether a type is `core::num::Wrapping`.
    fn is_wrapping(&self, term: &Term) -> bool {
        matches!(term, Term::Struct(item, _) if self.program.is_wrapping_item(*item))
    }

    /// An operator of `core::num::Wrapping`, which wraps as that of its member does. Shifts are by `usize`; what is assigned may be the member's.
    fn wrap(&mut self, operation: Operation<'a>, left: Term, right: &Term) -> Term {
        self.deferred.push(Deferred::Wrapped { operand: operation.left, term: left.clone() });
        match (operation.op, &left) {
            (BinaryOp::Shl | BinaryOp::Shr, _) => {
                let amount = Term::Scalar(ScalarName::Usize);
                if !self.table.unify(right, &amount) {
                    let note = format!("`Wrapping` has `{}` by `usize` only", operation.op.symbol());
                    self.report_mismatch_noting(operation.right, &amount, right, Some(note));
                }
            }
            (_, Term::Struct(_, Some(member))) if operation.assigns && !self.is_wrapping(right) => {
                let member = member[0].clone();
                self.expect_right(operation, &left, right, &member);
            }
            _ => self.expect_right(operation, &left, right, &left),
        }
        left
    }

    /// An operator that an `impl` defines.
    fn infer_user_operation(&mut self, operation: Operation<'a>, left: &Term, right: &Term) -> Option<Term> {
        let names = match operation.assigns {
            true => assigning_trait(operation.op)?,
            false => operator_trait(operation.op)?,
        };
        self.user_operator(operation.expr, names, left, Some((operation.right, right)))
    }

    /// Whether the author's type has the operator once, so that it tells the type of the right operand.
    fn has_one_operator(&mut self, operation: Operation<'a>, left: &Term) -> bool {
        let names = if operation.assigns { assigning_trait(operation.op) } else { operator_trait(operation.op) };
        names.is_some_and(|(of, method)| self.candidates(left, method, Some(of)).len() == 1)
    }

    fn shift(&mut self, operation: Operation<'a>, left: Term, right: &Term) -> Term {
        if let Term::Vector(scalar, lanes) = left
            && scalar.is_int()
        {
            self.check_vector_shift(operation, lanes, right);
            return left;
        }
        if !self.is_integer(&left) {
            self.report_operand(operation, operation.left, &left);
            return Term::Error;
        }
        if !self.is_integer(right) {
            let amount = self.table.fresh(VarKind::Int { index: false });
            let note = format!("`{}` shifts by an integer", operation.op.symbol());
            self.report_mismatch_noting(operation.right, &amount, right, Some(note));
            return Term::Error;
        }
        left
    }

    /// The amounts that glam shifts a vector by: a number of fixed width, or one for each lane where nothing is assigned.
    fn check_vector_shift(&mut self, operation: Operation<'a>, lanes: u8, right: &Term) {
        let symbol = operation.op.symbol();
        match right {
            Term::Scalar(ScalarName::Usize | ScalarName::Isize) => {
                let (found, source) = (self.describe(right), cast_source(operation.right));
                let message = format!("cannot shift a vector by {found}");
                self.error(code::BAD_OPERAND, operation.right.span, message)
                    .note("glam shifts vectors by integers of fixed width")
                    .help(format!("write `{source} as u32`"));
            }
            Term::Vector(scalar, count) if scalar.is_int() && *count == lanes => {
                if operation.assigns {
                    let (place, amount) = (text(operation.left), text(operation.right));
                    self.error(
                        code::BAD_OPERAND,
                        operation.right.span,
                        format!("`{symbol}=` shifts all lanes of a vector by one number"),
                    )
                    .help(format!("write `{place} = {place} {symbol} {amount}`"));
                }
            }
            _ if self.is_integer(right) => {}
            _ => {
                let amount = self.table.fresh(VarKind::Int { index: false });
                let note = format!("`{symbol}` shifts by an integer, or by as many as the vector has lanes");
                self.report_mismatch_noting(operation.right, &amount, right, Some(note));
            }
        }
    }

    fn bits(&mut self, operation: Operation<'a>, left: Term, right: &Term) -> Term {
        if let Term::Vector(scalar, _) = left
            && (scalar == ScalarName::Bool || scalar.is_int())
        {
            match right {
                Term::Vector(..) => return self.same(operation, left, right),
                _ if scalar.is_int() && self.is_number(right) => {
                    self.expect_right(operation, &left, right, &Term::Scalar(scalar));
                    return left;
                }
                _ => {
                    self.report_operands(operation, &left, right);
                    return Term::Error;
                }
            }
        }
        let fits = |cx: &Self, term: &Term| *term == Term::BOOL || cx.is_integer(term);
        if !fits(self, &left) {
            self.report_operand(operation, operation.left, &left);
            return Term::Error;
        }
        if !fits(self, right) {
            // The left operand decides what the right one must be.
            self.report_operands(operation, &left, right);
            return Term::Error;
        }
        self.same(operation, left, right)
    }

    fn compare(&mut self, operation: Operation<'a>, left: &Term, right: &Term) -> Term {
        let equality = matches!(operation.op, BinaryOp::Eq | BinaryOp::Ne);
        let standard = if equality { Standard::PartialEq } else { Standard::PartialOrd };
        // An `impl` may also be one for another type than the derived one.
        let is_derived = match left {
            Term::Struct(item, args) | Term::Enum(item, args) => {
                let is_same = match (right, args) {
                    // Types of arguments that are still open are made equal below.
                    (Term::Struct(right, Some(_)) | Term::Enum(right, Some(_)), Some(_)) => item == right,
                    _ => left == right,
                };
                is_same && self.program.given(*item, standard) == Given::Derived
            }
            _ => true,
        };
        if equality && !is_derived {
            let of = |method| ("PartialEq", method);
            let right = Some((operation.right, right));
            // `!=` is the opposite of `==` unless the trait's user says otherwise.
            let methods: &[&str] = if operation.op == BinaryOp::Ne { &["ne", "eq"] } else { &["eq"] };
            let found = methods.iter().find_map(|name| self.user_operator(operation.expr, of(*name), left, right));
            if let Some(term) = found {
                return term;
            }
        }
        let fits = |cx: &Self, term: &Term| match term {
            Term::Vector(..) | Term::Matrix(_) | Term::Quat | Term::Scalar(ScalarName::Bool | ScalarName::Text) => {
                equality
            }
            Term::Scalar(ScalarName::Char) => true,
            _ => cx.is_number(term),
        };
        if !equality && !is_derived {
            let right = Some((operation.right, right));
            let methods = [ordering_method(operation.op), "partial_cmp"];
            let found =
                methods.iter().find_map(|name| self.user_operator(operation.expr, ("PartialOrd", name), left, right));
            if found.is_some() {
                return Term::BOOL;
            }
        }
        if is_composite(left) || *left == Term::BOOL && !equality {
            if !self.table.unify(left, right) {
                self.report_operands(operation, left, right);
            }
            self.deferred.push(Deferred::Compared { operand: operation.left, term: left.clone(), of: standard });
        } else if !fits(self, left) {
            self.report_operand(operation, operation.left, left);
        } else if !self.table.unify(left, right) {
            self.report_operands(operation, left, right);
        }
        Term::BOOL
    }

    fn arithmetic(&mut self, operation: Operation<'a>, left: Term, right: &Term) -> Term {
        if is_linear(&left) || is_linear(right) {
            return self.linear_arithmetic(operation, left, right);
        }
        if let Term::Coop(ty) = left {
            return self.coop_arithmetic(operation, ty, right);
        }
        match (&left, right) {
            (Term::Vector(scalar, _), _) if *scalar == ScalarName::Bool => {
                self.report_operand(operation, operation.left, &left);
                Term::Error
            }
            (Term::Vector(..), Term::Vector(..)) => self.same(operation, left, right),
            (Term::Vector(scalar, _), _) if self.is_number(right) => {
                self.expect_right(operation, &left, right, &Term::Scalar(*scalar));
                left
            }
            (_, Term::Vector(scalar, _)) if self.is_number(&left) && *scalar != ScalarName::Bool => {
                if operation.assigns {
                    self.report_mismatch(operation.right, &left, right, Because::Nothing);
                    return Term::Error;
                }
                self.expect_left(operation, &left, right, &Term::Scalar(*scalar));
                right.clone()
            }
            _ if !self.is_number(&left) => {
                self.report_operand(operation, operation.left, &left);
                Term::Error
            }
            _ => self.same(operation, left, right),
        }
    }

    /// Both operands have one type, which is the result's.
    fn same(&mut self, operation: Operation<'a>, left: Term, right: &Term) -> Term {
        if self.table.unify(&left, right) {
            return left;
        }
        self.report_operands(operation, &left, right);
        Term::Error
    }

    /// Reports operands of different types; a literal is what must change, else the right one.
    fn report_operands(&mut self, operation: Operation<'a>, left: &Term, right: &Term) {
        if is_literal(operation.left) && !is_literal(operation.right) && !operation.assigns {
            self.report_left(operation, left, right, right);
        } else {
            self.report_right(operation, left, right, left);
        }
    }

    /// Demands a type of the right operand, for the sake of the left one.
    pub(super) fn expect_right(&mut self, operation: Operation<'a>, left: &Term, right: &Term, expected: &Term) {
        if !self.table.unify(right, expected) {
            self.report_right(operation, left, right, expected);
        }
    }

    /// Demands a type of the left operand, for the sake of the right one.
    pub(super) fn expect_left(&mut self, operation: Operation<'a>, left: &Term, right: &Term, expected: &Term) {
        if !self.table.unify(left, expected) {
            self.report_left(operation, left, right, expected);
        }
    }

    fn report_right(&mut self, operation: Operation<'a>, left: &Term, right: &Term, expected: &Term) {
        let note = self.operand_note("left", operation.left, left, operation.right);
        self.report_mismatch_noting(operation.right, expected, right, Some(note));
    }

    fn report_left(&mut self, operation: Operation<'a>, left: &Term, right: &Term, expected: &Term) {
        let note = self.operand_note("right", operation.right, right, operation.left);
        self.report_mismatch_noting(operation.left, expected, left, Some(note));
    }

    /// Reports an operand of a type that the operator does not have.
    fn report_operand(&mut self, operation: Operation<'a>, operand: &Expr, term: &Term) {
        let symbol = operation.op.symbol();
        let name = self.describe(term);
        let message = if is_comparison(operation.op) {
            format!("cannot compare {name} with `{symbol}`")
        } else {
            format!("cannot apply `{}` to {name}", operation.written())
        };
        let traits = if operation.assigns { assigning_trait(operation.op) } else { operator_trait(operation.op) };
        let help = match (self.table.shallow(term), traits) {
            (Term::Struct(..) | Term::Enum(..), Some((of, _))) => {
                let ty = name.trim_matches('`');
                Some(format!(
                    "write `impl {of} for {ty}` in the `#[device] mod` of the type, or apply it to the members"
                ))
            }
            (term, _) => operand_help(operation.op, &term).map(str::to_owned),
        };
        let error = self.error(code::BAD_OPERAND, operand.span, message);
        if let Some(help) = help {
            error.help(help);
        }
    }

    /// Reports `&pattern` where nothing can be a reference.
    pub(super) fn check_reference_pattern(&mut self, span: proc_macro2::Span, term: &Term) {
        // A slice is a reference itself, and an iterator over something unknown may lend it.
        if matches!(self.table.shallow(term), Term::Buffer { .. }) {
            self.has_references = true;
        } else if !self.has_references && !self.poisoned && !self.table.is_poisoned(term) {
            self.error(
                code::UNSUPPORTED_SYNTAX,
                SpanRange::token(span),
                "patterns for references are not supported in kernels",
            )
            .help("leave the `&` out: there are no references here");
        }
    }

    /// Whether a type is a number's: of an operand of arithmetic.
    pub(super) fn is_number(&self, term: &Term) -> bool {
        match self.table.shallow(term) {
            Term::Scalar(scalar) => scalar.is_number(),
            Term::Var(_) => self.table.kind(term) != Some(VarKind::Any),
            _ => false,
        }
    }

    /// Whether a type is an integer's.
    pub(super) fn is_integer(&self, term: &Term) -> bool {
        match self.table.shallow(term) {
            Term::Scalar(scalar) => scalar.is_int(),
            Term::Var(_) => matches!(self.table.kind(term), Some(VarKind::Int { .. })),
            _ => false,
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

/// Whether a type is one that a user defined operators for.
fn is_user_type(term: &Term) -> bool {
    matches!(term, Term::Struct(_, _) | Term::Enum(_, _))
}

/// The trait of `+=` and its like, and its method.
fn assigning_trait(op: BinaryOp) -> Option<(&'static str, &'static str)> {
    Some(match op {
        BinaryOp::Add => ("AddAssign", "add_assign"),
        BinaryOp::Sub => ("SubAssign", "sub_assign"),
        BinaryOp::Mul => ("MulAssign", "mul_assign"),
        BinaryOp::Div => ("DivAssign", "div_assign"),
        BinaryOp::Rem => ("RemAssign", "rem_assign"),
        BinaryOp::BitAnd => ("BitAndAssign", "bitand_assign"),
        BinaryOp::BitOr => ("BitOrAssign", "bitor_assign"),
        BinaryOp::BitXor => ("BitXorAssign", "bitxor_assign"),
        BinaryOp::Shl => ("ShlAssign", "shl_assign"),
        BinaryOp::Shr => ("ShrAssign", "shr_assign"),
        _ => return None,
    })
}

/// The method of `PartialOrd` for an operator.
fn ordering_method(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Lt => "lt",
        BinaryOp::Le => "le",
        BinaryOp::Gt => "gt",
        _ => "ge",
    }
}

/// The trait of an operator, and its method.
pub(super) fn operator_trait(op: BinaryOp) -> Option<(&'static str, &'static str)> {
    Some(match op {
        BinaryOp::Add => ("Add", "add"),
        BinaryOp::Sub => ("Sub", "sub"),
        BinaryOp::Mul => ("Mul", "mul"),
        BinaryOp::Div => ("Div", "div"),
        BinaryOp::Rem => ("Rem", "rem"),
        BinaryOp::BitAnd => ("BitAnd", "bitand"),
        BinaryOp::BitOr => ("BitOr", "bitor"),
        BinaryOp::BitXor => ("BitXor", "bitxor"),
        BinaryOp::Shl => ("Shl", "shl"),
        BinaryOp::Shr => ("Shr", "shr"),
        _ => return None,
    })
}

/// Whether an operand is a number as written, maybe with a sign.
pub(super) fn is_literal(expr: &Expr) -> bool {
    match &strip(expr).kind {
        ExprKind::Literal(Literal::Int { suffix: None, .. } | Literal::Float { suffix: None, .. }) => true,
        ExprKind::Unary(UnaryOp::Neg, operand) => is_literal(operand),
        _ => false,
    }
}

/// The way out for an operator that a type does not have.
fn operand_help(op: BinaryOp, term: &Term) -> Option<&'static str> {
    let bits = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr);
    Some(match term {
        Term::Scalar(ScalarName::Char) => "compute with the number: `c as u32`, and `char::from_u32(…)` back",
        Term::Scalar(ScalarName::Text) => "texts are only compared for equality: use an enum, or bytes, `b\"text\"`",
        Term::Scalar(ScalarName::Bool) => "convert it to a number first, `as u32`, or use `&`, `|`, `^`",
        Term::Vector(ScalarName::Bool, _) => "use `.any()` and `.all()`",
        Term::Vector(..) if is_comparison(op) => {
            "compare lane by lane with `cmplt`, `cmpge`, …, then `.all()` or `.any()`"
        }
        Term::Vector(..) if bits => "work on the bits of each lane: `v.x.to_bits()` and `f32::from_bits`",
        Term::Scalar(ScalarName::F32 | ScalarName::F64) | Term::Var(_) if op == BinaryOp::BitXor => {
            "for a power write `x.powi(n)` or `x.powf(y)`; for the bits, `x.to_bits()` and `f32::from_bits`"
        }
        Term::Scalar(ScalarName::F32 | ScalarName::F64) | Term::Var(_) if bits => {
            "work on the bits: `x.to_bits()` and `f32::from_bits`"
        }
        Term::Struct(_, _) | Term::Tuple(_) | Term::Array(..) => "apply it to the members",
        _ => return None,
    })
}
