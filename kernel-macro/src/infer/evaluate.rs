//! Evaluation of consts and array lengths, with Rust's checked arithmetic: what rustc refuses is an error here.
//!
//! The macro evaluates consts while it infers types, because lengths of arrays need them before anything is lowered: in
//! a bounded number of rounds, and never to a number that depends on the bits of `usize`. Blocks and patterns are in
//! `computed.rs`, calls in `const_call.rs`. The results for scalars, and for arrays that are computed, are asserted
//! against rustc's own value beside the const (`emit/codegen/constant.rs`). A `const fn` is emitted as its author wrote
//! it, for rustc's consts, and a second time for the twin.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::ast::{BinaryOp, BindingId, Expr, ExprId, ExprKind, Item, Literal, Member, ScalarName, SpanRange, UnaryOp};
use crate::diag::code;
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::{ConstValue, Resolution, Ty, TypedFn};

use super::Infer;
use super::block::strip;
use super::const_call::of_another_size;

/// Why an expression has no value.
pub(super) struct Failure {
    pub(super) span: SpanRange,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// It is none, but leaves the loop or function around, or begins the loop's next round.
    pub(super) jump: Option<Jump>,
}

/// The target of a jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    /// Behind a loop or labelled block.
    Break(Option<ExprId>),
    /// To the next round of a loop.
    Continue(Option<ExprId>),
    Return,
}

pub(super) type Outcome = Result<ConstValue, Failure>;

/// Evaluates the expressions of one item: of a const, or of a call of a `const fn`.
pub(super) struct Evaluator<'e> {
    pub(super) program: &'e Program,
    pub(super) tables: &'e TypedFn,
    /// The types of expressions.
    pub(super) types: &'e dyn Fn(&Expr) -> Ty,
    /// The values of the variables.
    pub(super) held: RefCell<BTreeMap<BindingId, ConstValue>>,
    /// The value that a `break` or `return` on its way takes along.
    pub(super) carried: RefCell<Option<ConstValue>>,
    /// How many rounds of loops there were in all, and how many calls are open.
    pub(super) rounds: &'e Cell<u32>,
    pub(super) calls: u32,
}

impl Infer<'_> {
    /// Whether a path is `usize::MAX`, by whatever name: a number that is another one on the host, and has the same low bits.
    pub(super) fn is_largest_size(&self, path: &Expr) -> bool {
        self.tables.host_sized.contains(&path.id)
            && matches!(&self.tables.paths.get(&path.id), Some(resolution)
            if self.known_value(resolution) == Some(&ConstValue::U32(u32::MAX)))
    }

    /// The value of a path that is known.
    fn known_value<'v>(&'v self, resolution: &'v Resolution) -> Option<&'v ConstValue> {
        match resolution {
            Resolution::Value(value) => Some(value),
            Resolution::Const(item) => match &self.program.items[*item].typed {
                TypedItem::Const(constant) => Some(&constant.value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of an expression whose types are inferred; reports when it has none.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Option<ConstValue> {
        let types = |expr: &Expr| self.table.resolve(&self.term(expr)).unwrap_or(Ty::Error);
        let evaluator = Evaluator {
            program: self.program,
            tables: &self.tables,
            types: &types,
            held: RefCell::default(),
            carried: RefCell::default(),
            rounds: &Cell::new(0),
            calls: 0,
        };
        let whole = strip(expr);
        let value = match &whole.kind {
            ExprKind::Path(_) if self.is_largest_size(whole) => evaluator.path_value(whole),
            _ => evaluator.value(expr),
        };
        match value {
            Ok(value) => Some(value),
            Err(failure) => {
                let error = self.error(code::BAD_CONST, failure.span, failure.message);
                if let Some(help) = failure.help {
                    error.help(help);
                }
                None
            }
        }
    }
}

impl Evaluator<'_> {
    /// The value that a path leads to.
    fn path_value(&self, expr: &Expr) -> Outcome {
        match self.tables.paths.get(&expr.id) {
            Some(Resolution::Value(value)) => Ok(value.clone()),
            Some(Resolution::Const(item)) => match &self.program.items[*item].typed {
                TypedItem::Const(constant) => Ok(constant.value.clone()),
                _ => fail(expr, "this has no constant value"),
            },
            Some(Resolution::Binding(_)) => self.read_computed(expr),
            Some(Resolution::Unit) => Ok(self.built(expr, Vec::new())),
            Some(Resolution::Chosen(number)) => Err(Failure {
                span: expr.span,
                message: format!(
                    "`{}` is chosen at each launch, and this must be known when the kernel is compiled",
                    self.program.chosen_name(*number)
                ),
                help: Some("use the parameter alone, or give the kernel another one for the computed value".to_owned()),
                jump: None,
            }),
            _ => fail(expr, "this has no constant value"),
        }
    }

    pub(super) fn value(&self, expr: &Expr) -> Outcome {
        match &expr.kind {
            ExprKind::Paren(inner, ..) => self.value(inner),
            ExprKind::Literal(literal) => self.literal_value(expr, literal, false),
            // Only as the whole value of a const, which the twin reads as a number of 32 bits.
            ExprKind::Path(_) if self.tables.host_sized.contains(&expr.id) => Err(of_another_size(expr)),
            ExprKind::Path(_) => self.path_value(expr),
            ExprKind::Unary(op, operand) if !self.tables.calls.contains_key(&expr.id) => {
                self.unary_value(expr, *op, operand)
            }
            ExprKind::Binary(op, left, right, _) if !self.tables.calls.contains_key(&expr.id) => {
                self.binary_value(expr, *op, left, right)
            }
            ExprKind::Cast(value, _) => self.cast_value(expr, value),
            ExprKind::If { condition, then_block, else_expr } => match (self.value(condition)?, else_expr) {
                (ConstValue::Bool(true), _) => self.block(then_block),
                (_, Some(else_expr)) => self.value(else_expr),
                (_, None) => Ok(ConstValue::Aggregate(Vec::new())),
            },
            // Without places of their own: references are what they lead to.
            ExprKind::Borrow { mutable: false, operand } | ExprKind::Unary(UnaryOp::Deref, operand) => {
                self.value(operand)
            }
            ExprKind::Block { .. }
            | ExprKind::Const(_)
            | ExprKind::Match { .. }
            | ExprKind::Let { .. }
            | ExprKind::While { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign(..)
            | ExprKind::AssignOp(..) => self.compute(expr),
            ExprKind::Tuple(members) => self.aggregate(members.iter()),
            ExprKind::Array(elements) => self.aggregate(elements.iter()),
            ExprKind::Repeat { element, len } => {
                let count = self.tables.lens.get(&len.id).and_then(|len| len.known()).unwrap_or(0) as usize;
                Ok(ConstValue::Aggregate(vec![self.value(element)?; count]))
            }
            ExprKind::Struct { fields, base, .. } => {
                self.struct_value(expr, fields.iter().map(|(_, value)| value), base.as_deref())
            }
            ExprKind::Field { .. } | ExprKind::Index { .. } if self.is_computed(expr) => self.read_computed(expr),
            ExprKind::Field { base, member } => self.field_value(expr, base, member),
            ExprKind::Index { base, index } => match (self.value(base)?, self.value(index)?) {
                (ConstValue::Aggregate(elements), position) if position.as_int().is_some() => {
                    let position = position.as_int().and_then(|position| usize::try_from(position).ok());
                    let found = position.and_then(|position| elements.get(position)).cloned();
                    found.ok_or_else(|| failure(index.span, "index out of range"))
                }
                _ => unsupported(expr),
            },
            ExprKind::Call { args, .. } => self.call_value(expr, &args.iter().collect::<Vec<_>>()),
            ExprKind::Method { receiver, args, .. } => {
                self.call_value(expr, &std::iter::once(&**receiver).chain(args.iter()).collect::<Vec<_>>())
            }
            _ => unsupported(expr),
        }
    }

    pub(super) fn final_type(&self, expr: &Expr) -> Ty {
        (self.types)(expr)
    }

    fn aggregate<'e>(&self, members: impl Iterator<Item = &'e Expr>) -> Outcome {
        members.map(|member| self.value(member)).collect::<Result<_, _>>().map(ConstValue::Aggregate)
    }

    fn literal_value(&self, expr: &Expr, literal: &Literal, negative: bool) -> Outcome {
        let ty = self.final_type(expr);
        Ok(match (literal, ty) {
            (Literal::Bool(value), _) => ConstValue::Bool(*value),
            (Literal::Text(_, number), _) => ConstValue::Int(ScalarName::Text, (*number).into()),
            (Literal::Char(value), _) => ConstValue::Int(ScalarName::Char, u32::from(*value).into()),
            (Literal::Int { value, .. }, Ty::Scalar(scalar)) => {
                if scalar == ScalarName::U128 {
                    return Ok(ConstValue::Int(scalar, value.cast_signed()));
                }
                let value = i128::try_from(*value).unwrap_or(i128::MAX);
                let value = ConstValue::int(scalar, if negative { -value } else { value });
                value.ok_or_else(|| failure(expr.span, &format!("literal out of range for `{}`", scalar.name())))?
            }
            (Literal::Float { text, .. }, Ty::F32) => {
                let value: f32 = text.parse().map_err(|_| failure(expr.span, "not a number"))?;
                ConstValue::F32(if negative { -value } else { value })
            }
            (Literal::Float { text, .. }, Ty::Scalar(scalar)) => {
                let value: f64 = text.parse().map_err(|_| failure(expr.span, "not a number"))?;
                ConstValue::float(scalar, if negative { -value } else { value })
            }
            _ => return unsupported(expr),
        })
    }

    fn unary_value(&self, expr: &Expr, op: UnaryOp, operand: &Expr) -> Outcome {
        if let (UnaryOp::Neg, ExprKind::Literal(literal @ (Literal::Int { .. } | Literal::Float { .. }))) =
            (op, &super::block::strip(operand).kind)
        {
            return self.literal_value(super::block::strip(operand), literal, true);
        }
        let value = self.value(operand)?;
        unary(expr, op, value)
    }

    fn binary_value(&self, expr: &Expr, op: BinaryOp, left: &Expr, right: &Expr) -> Outcome {
        let left_value = self.value(left)?;
        match (op, &left_value) {
            (BinaryOp::And, ConstValue::Bool(false)) | (BinaryOp::Or, ConstValue::Bool(true)) => return Ok(left_value),
            (BinaryOp::And | BinaryOp::Or, _) => return self.value(right),
            _ => {}
        }
        let right_value = self.value(right)?;
        binary(expr, op, left_value, right_value)
    }

    fn cast_value(&self, expr: &Expr, value: &Expr) -> Outcome {
        let from = match (self.value(value)?, self.final_type(value)) {
            (ConstValue::Variant(variant, _), Ty::Enum(item, _)) => match self.number_of(item, variant) {
                Some(number) => number,
                None => return unsupported(expr),
            },
            (from, _) => from,
        };
        let Ty::Scalar(to) = self.final_type(expr) else { return unsupported(expr) };
        // Where the host's `usize` and `isize` would hold other numbers than the device's.
        let is_size = matches!(to, ScalarName::Usize | ScalarName::Isize);
        if let (true, Some(value)) = (is_size, from.as_int())
            && ConstValue::int(to, value).is_none()
        {
            let name = to.name();
            return Err(failure(expr.span, &format!("{value} as `{name}` needs more than 32 bits")));
        }
        Ok(match (from, to) {
            // Its constants hold the bits.
            (ConstValue::Int(ScalarName::U128, value), ScalarName::F32) => {
                ConstValue::F32(value.cast_unsigned() as f32)
            }
            (ConstValue::Int(ScalarName::U128, value), _) if !to.is_int() => {
                ConstValue::float(to, value.cast_unsigned() as f64)
            }
            (ConstValue::Bool(value), _) if to.is_int() => ConstValue::wrapped(to, value.into()),
            (from, ScalarName::F32) if from.as_int().is_some() => {
                ConstValue::F32(from.as_int().unwrap_or_default() as f32)
            }
            (from, _) => match (from.as_int(), from.as_float()) {
                (Some(value), _) if to.is_int() || to == ScalarName::Char => ConstValue::wrapped(to, value),
                (Some(value), _) => ConstValue::float(to, value as f64),
                (_, Some(value)) if to.is_int() => {
                    let (min, max) = to.limits();
                    ConstValue::wrapped(to, (value as i128).clamp(min, max))
                }
                (_, Some(value)) => ConstValue::float(to, value),
                _ => from,
            },
        })
    }

    /// The number of an enum's variant.
    fn number_of(&self, item: ItemId, variant: u32) -> Option<ConstValue> {
        let (Item::Enum(definition), TypedItem::Enum(variants)) =
            (&self.program.items[item].item, &self.program.items[item].typed)
        else {
            return None;
        };
        let bits = variants.get(variant as usize)?.discriminant;
        Some(if definition.unsigned { ConstValue::U32(bits) } else { ConstValue::I32(bits as i32) })
    }

    /// Fields in the order of the definition.
    fn struct_value<'e>(&self, expr: &Expr, fields: impl Iterator<Item = &'e Expr>, base: Option<&Expr>) -> Outcome {
        let Some(positions) = self.tables.structs.get(&expr.id) else { return unsupported(expr) };
        let mut values = match base {
            None => vec![ConstValue::Bool(false); positions.len()],
            Some(base) => match self.value(base)? {
                ConstValue::Aggregate(members) => members,
                _ => return unsupported(expr),
            },
        };
        for (position, field) in positions.iter().zip(fields) {
            if let Some(slot) = values.get_mut(*position as usize) {
                *slot = self.value(field)?;
            }
        }
        Ok(self.built(expr, values))
    }

    /// A struct, or the variant that an expression names.
    pub(super) fn built(&self, expr: &Expr, members: Vec<ConstValue>) -> ConstValue {
        match self.tables.variants.get(&expr.id) {
            Some(variant) => ConstValue::Variant(*variant, members),
            None => ConstValue::Aggregate(members),
        }
    }

    fn field_value(&self, expr: &Expr, base: &Expr, _member: &Member) -> Outcome {
        let position = self.tables.fields.get(&expr.id).copied();
        match (self.value(base)?, position) {
            (ConstValue::Aggregate(members), Some(position)) => {
                members.get(position as usize).cloned().ok_or_else(|| failure(expr.span, "no such member"))
            }
            _ => unsupported(expr),
        }
    }
}

fn unary(expr: &Expr, op: UnaryOp, value: ConstValue) -> Outcome {
    match (op, &value, value.as_int(), value.scalar()) {
        (UnaryOp::Neg, ConstValue::F32(value), ..) => Ok(ConstValue::F32(-value)),
        (UnaryOp::Neg, ConstValue::Float(scalar, value), ..) => Ok(ConstValue::Float(*scalar, -value)),
        (UnaryOp::Not, ConstValue::Bool(value), ..) => Ok(ConstValue::Bool(!value)),
        (UnaryOp::Neg, _, Some(value), Some(scalar)) if scalar.is_signed() => {
            value.checked_neg().and_then(|value| ConstValue::int(scalar, value)).ok_or_else(|| overflow(expr))
        }
        (UnaryOp::Not, _, Some(value), Some(scalar)) => Ok(ConstValue::wrapped(scalar, !value)),
        (UnaryOp::Neg, ConstValue::Aggregate(_), ..) => fail(expr, "vector arithmetic is not available in consts"),
        _ => unsupported(expr),
    }
}

pub(super) fn binary(expr: &Expr, op: BinaryOp, left: ConstValue, right: ConstValue) -> Outcome {
    match (&left, &right) {
        (ConstValue::Bool(left), ConstValue::Bool(right)) => Ok(ConstValue::Bool(match op {
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitOr => left | right,
            BinaryOp::Eq => left == right,
            _ => left != right,
        })),
        (ConstValue::Aggregate(_), _) | (_, ConstValue::Aggregate(_)) => {
            fail(expr, "vector arithmetic is not available in consts")
        }
        _ => match (left.scalar(), left.as_float(), right.as_float()) {
            (Some(scalar), Some(left), Some(right)) => Ok(float_op(op, scalar, left, right)),
            _ => integer_op(expr, op, &left, &right),
        },
    }
}

/// In `f64`, which has so many digits that rounding again for a narrower type is rounding once.
fn float_op(op: BinaryOp, scalar: ScalarName, left: f64, right: f64) -> ConstValue {
    let value = match op {
        BinaryOp::Add => left + right,
        BinaryOp::Sub => left - right,
        BinaryOp::Mul => left * right,
        BinaryOp::Div => left / right,
        BinaryOp::Rem => left % right,
        BinaryOp::Eq => return ConstValue::Bool(left == right),
        BinaryOp::Ne => return ConstValue::Bool(left != right),
        BinaryOp::Lt => return ConstValue::Bool(left < right),
        BinaryOp::Le => return ConstValue::Bool(left <= right),
        BinaryOp::Gt => return ConstValue::Bool(left > right),
        _ => return ConstValue::Bool(left >= right),
    };
    ConstValue::float(scalar, value)
}

fn integer_op(expr: &Expr, op: BinaryOp, left: &ConstValue, right: &ConstValue) -> Outcome {
    let (Some(scalar), Some(a), Some(b)) = (left.scalar(), left.as_int(), right.as_int()) else {
        return unsupported(expr);
    };
    let is_division = matches!(op, BinaryOp::Div | BinaryOp::Rem);
    if is_division && b == 0 {
        return fail(expr, "division by zero");
    }
    let bits = i128::from(scalar.bits());
    if matches!(op, BinaryOp::Shl | BinaryOp::Shr) && !(0..bits).contains(&b) {
        return Err(failure(expr.span, &format!("shift by more than {} bits", bits - 1)));
    }
    if scalar == ScalarName::U128 {
        return wide_op(expr, op, a.cast_unsigned(), b.cast_unsigned());
    }
    // Rust: MIN / -1 and MIN % -1 overflow.
    if is_division && b == -1 && a == scalar.limits().0 {
        return Err(overflow(expr));
    }
    let value = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => Some(a / b),
        BinaryOp::Rem => Some(a % b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => return Ok(ConstValue::wrapped(scalar, a << b)),
        BinaryOp::Shr => Some(a >> b),
        BinaryOp::Eq => return Ok(ConstValue::Bool(a == b)),
        BinaryOp::Ne => return Ok(ConstValue::Bool(a != b)),
        BinaryOp::Lt => return Ok(ConstValue::Bool(a < b)),
        BinaryOp::Le => return Ok(ConstValue::Bool(a <= b)),
        BinaryOp::Gt => return Ok(ConstValue::Bool(a > b)),
        BinaryOp::Ge => return Ok(ConstValue::Bool(a >= b)),
        BinaryOp::And | BinaryOp::Or => None,
    };
    value.and_then(|value| ConstValue::int(scalar, value)).ok_or_else(|| overflow(expr))
}

/// An operator of two `u128`, whose constants hold the bits.
fn wide_op(expr: &Expr, op: BinaryOp, a: u128, b: u128) -> Outcome {
    let value = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => Some(a / b),
        BinaryOp::Rem => Some(a % b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => Some(a << b),
        BinaryOp::Shr => Some(a >> b),
        BinaryOp::Eq => return Ok(ConstValue::Bool(a == b)),
        BinaryOp::Ne => return Ok(ConstValue::Bool(a != b)),
        BinaryOp::Lt => return Ok(ConstValue::Bool(a < b)),
        BinaryOp::Le => return Ok(ConstValue::Bool(a <= b)),
        BinaryOp::Gt => return Ok(ConstValue::Bool(a > b)),
        BinaryOp::Ge => return Ok(ConstValue::Bool(a >= b)),
        BinaryOp::And | BinaryOp::Or => None,
    };
    let value = value.map(|value| ConstValue::Int(ScalarName::U128, value.cast_signed()));
    value.ok_or_else(|| overflow(expr))
}

pub(super) fn overflow(expr: &Expr) -> Failure {
    failure(expr.span, "this arithmetic overflows")
}

pub(super) fn failure(span: SpanRange, message: &str) -> Failure {
    Failure { span, message: message.to_owned(), help: None, jump: None }
}

pub(super) fn fail(expr: &Expr, message: &str) -> Outcome {
    Err(failure(expr.span, message))
}

pub(super) fn unsupported(expr: &Expr) -> Outcome {
    Err(Failure {
        span: expr.span,
        message: "this cannot be evaluated in a const".to_owned(),
        help: Some(
            "consts are made of literals, other consts, operators, methods of integers, calls of `const fn`s, tuples, arrays, \
             structs, vectors, `if`, `match` and blocks with `while`"
                .to_owned(),
        ),
        jump: None,
    })
}
