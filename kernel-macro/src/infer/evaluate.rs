//! Evaluation of consts and array lengths, with Rust's checked arithmetic: what rustc refuses is an error here.

use crate::ast::{BinaryOp, Expr, ExprKind, Literal, Member, ScalarName, SpanRange, UnaryOp};
use crate::diag::code;
use crate::intrinsic::Intrinsic;
use crate::program::TypedItem;
use crate::typed::{Callee, ConstValue, Resolution, Ty};

use super::Infer;

/// Why an expression has no value.
pub(super) struct Failure {
    span: SpanRange,
    message: String,
    pub(super) help: Option<&'static str>,
    /// It is none, but leaves the loop around, or its round.
    pub(super) jump: Option<Jump>,
}

/// How control leaves a round of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    Break,
    Continue,
}

pub(super) type Outcome = Result<ConstValue, Failure>;

impl<'a> Infer<'a> {
    /// The value of an expression whose types are inferred; reports when it has none.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Option<ConstValue> {
        match self.value(expr) {
            Ok(value) => Some(value),
            Err(failure) => {
                let error = self.diags.error(code::BAD_CONST, failure.span, failure.message);
                if let Some(help) = failure.help {
                    error.help(help);
                }
                None
            }
        }
    }

    pub(super) fn value(&self, expr: &Expr) -> Outcome {
        match &expr.kind {
            ExprKind::Paren(inner) => self.value(inner),
            ExprKind::Literal(literal) => self.literal_value(expr, literal, false),
            ExprKind::Path(_) => match self.tables.paths.get(&expr.id) {
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
                        "`{}` is chosen for each launch, and this is computed before",
                        self.program.chosen_name(*number)
                    ),
                    help: Some("use the parameter alone, or give the kernel another one for what is computed of it"),
                    jump: None,
                }),
                _ => fail(expr, "this has no constant value"),
            },
            ExprKind::Unary(op, operand) => self.unary_value(expr, *op, operand),
            ExprKind::Binary(op, left, right, _) => self.binary_value(expr, *op, left, right),
            ExprKind::Cast(value, _) => self.cast_value(expr, value),
            ExprKind::If { condition, then_block, else_expr } => match (self.value(condition)?, else_expr) {
                (ConstValue::Bool(true), _) => self.compute_block(then_block),
                (_, Some(else_expr)) => self.value(else_expr),
                (_, None) => Ok(ConstValue::Aggregate(Vec::new())),
            },
            ExprKind::Block { label: None, block } => self.compute_block(block),
            ExprKind::While { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
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
            ExprKind::Call { args, .. } => self.call_value(expr, args.iter()),
            ExprKind::Method { receiver, args, .. } => {
                self.call_value(expr, std::iter::once(&**receiver).chain(args.iter()))
            }
            _ => unsupported(expr),
        }
    }

    fn final_type(&self, expr: &Expr) -> Ty {
        self.table.resolve(&self.term(expr)).unwrap_or(Ty::Error)
    }

    fn aggregate<'e>(&self, members: impl Iterator<Item = &'e Expr>) -> Outcome {
        members.map(|member| self.value(member)).collect::<Result<_, _>>().map(ConstValue::Aggregate)
    }

    fn literal_value(&self, expr: &Expr, literal: &Literal, negative: bool) -> Outcome {
        let ty = self.final_type(expr);
        Ok(match (literal, ty) {
            (Literal::Bool(value), _) => ConstValue::Bool(*value),
            (Literal::Int { value, .. }, Ty::Scalar(scalar)) => {
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
        let from = self.value(value)?;
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
            (ConstValue::Bool(value), _) if to.is_int() => ConstValue::wrapped(to, value.into()),
            (from, ScalarName::F32) if from.as_int().is_some() => {
                ConstValue::F32(from.as_int().unwrap_or_default() as f32)
            }
            (from, _) => match (from.as_int(), from.as_float()) {
                (Some(value), _) if to.is_int() => ConstValue::wrapped(to, value),
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
    fn built(&self, expr: &Expr, members: Vec<ConstValue>) -> ConstValue {
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

    fn call_value<'e>(&self, expr: &Expr, args: impl Iterator<Item = &'e Expr>) -> Outcome {
        if let Some(Callee::Constructor) = self.tables.calls.get(&expr.id) {
            let members = args.map(|arg| self.value(arg)).collect::<Result<_, _>>()?;
            return Ok(self.built(expr, members));
        }
        if let Some(Callee::Device(_)) = self.tables.calls.get(&expr.id) {
            return Err(Failure {
                help: Some("write in the const what it does: blocks with variables and loops may stand there"),
                ..failure(expr.span, "a const cannot call functions of kernels")
            });
        }
        let Some(Callee::Intrinsic(intrinsic)) = self.tables.calls.get(&expr.id) else { return unsupported(expr) };
        let args: Vec<ConstValue> = args.map(|arg| self.value(arg)).collect::<Result<_, _>>()?;
        match (intrinsic, args.as_slice()) {
            (Intrinsic::VectorNew, _) => Ok(ConstValue::Aggregate(args)),
            (Intrinsic::Splat, [value]) => match self.final_type(expr) {
                Ty::Vector(_, lanes) => Ok(ConstValue::Aggregate(vec![value.clone(); usize::from(lanes)])),
                _ => unsupported(expr),
            },
            (Intrinsic::FromArray | Intrinsic::ToArray, [array]) => Ok(array.clone()),
            (Intrinsic::ToBits, [ConstValue::F32(value)]) => Ok(ConstValue::U32(value.to_bits())),
            (Intrinsic::ToBits, [ConstValue::Float(ScalarName::F64, value)]) => {
                Ok(ConstValue::Int(ScalarName::U64, value.to_bits().into()))
            }
            (Intrinsic::FromBits, [ConstValue::U32(bits)]) => Ok(ConstValue::F32(f32::from_bits(*bits))),
            (Intrinsic::FromBits, [ConstValue::Int(ScalarName::U64, bits)]) => {
                Ok(ConstValue::Float(ScalarName::F64, f64::from_bits(*bits as u64)))
            }
            (Intrinsic::FromF32, [ConstValue::F32(value)]) => match self.final_type(expr) {
                Ty::Scalar(scalar) => Ok(ConstValue::float(scalar, (*value).into())),
                _ => unsupported(expr),
            },
            (Intrinsic::Pow, [base, ConstValue::U32(power)]) => {
                let power = base.as_int().and_then(|base| base.checked_pow(*power));
                let scalar = base.scalar().ok_or_else(|| overflow(expr))?;
                power.and_then(|power| ConstValue::int(scalar, power)).ok_or_else(|| overflow(expr))
            }
            (Intrinsic::DivCeil, [value, by]) => match (value.scalar(), value.as_int(), by.as_int()) {
                (Some(scalar), Some(value), Some(by @ 1..)) => {
                    ConstValue::int(scalar, (value + by - 1) / by).ok_or_else(|| overflow(expr))
                }
                _ => unsupported(expr),
            },
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
            ConstValue::int(scalar, -value).ok_or_else(|| overflow(expr))
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
    // Rust: MIN / -1 and MIN % -1 overflow.
    if is_division && b == -1 && a == scalar.limits().0 {
        return Err(overflow(expr));
    }
    // Of 64 bits at most: only a product can be too long for 128.
    let value = match op {
        BinaryOp::Add => Some(a + b),
        BinaryOp::Sub => Some(a - b),
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

fn overflow(expr: &Expr) -> Failure {
    failure(expr.span, "this arithmetic overflows")
}

pub(super) fn failure(span: SpanRange, message: &str) -> Failure {
    Failure { span, message: message.to_owned(), help: None, jump: None }
}

fn fail(expr: &Expr, message: &str) -> Outcome {
    Err(failure(expr.span, message))
}

pub(super) fn unsupported(expr: &Expr) -> Outcome {
    Err(Failure {
        span: expr.span,
        message: "this cannot be evaluated in a const".to_owned(),
        help: Some(
            "consts are made of literals, other consts, operators, casts, tuples, arrays, structs, vectors and blocks with `while`",
        ),
        jump: None,
    })
}
