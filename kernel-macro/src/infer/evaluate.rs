//! Evaluation of consts and array lengths, with Rust's checked arithmetic: what rustc refuses is an error here.

use crate::ast::{BinaryOp, Expr, ExprKind, Literal, Member, ScalarName, SpanRange, UnaryOp};
use crate::diag::code;
use crate::intrinsic::Intrinsic;
use crate::program::TypedItem;
use crate::typed::{Callee, ConstValue, Resolution, Ty};

use super::Infer;

/// Why an expression has no value.
struct Failure {
    span: SpanRange,
    message: String,
    help: Option<&'static str>,
}

type Outcome = Result<ConstValue, Failure>;

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

    fn value(&self, expr: &Expr) -> Outcome {
        match &expr.kind {
            ExprKind::Paren(inner) => self.value(inner),
            ExprKind::Literal(literal) => self.literal_value(expr, literal, false),
            ExprKind::Path(_) => match self.tables.paths.get(&expr.id) {
                Some(Resolution::Value(value)) => Ok(value.clone()),
                Some(Resolution::Const(item)) => match &self.program.items[*item].typed {
                    TypedItem::Const(constant) => Ok(constant.value.clone()),
                    _ => fail(expr, "this has no constant value"),
                },
                Some(Resolution::Unit) => Ok(self.built(expr, Vec::new())),
                _ => fail(expr, "this has no constant value"),
            },
            ExprKind::Unary(op, operand) => self.unary_value(expr, *op, operand),
            ExprKind::Binary(op, left, right, _) => self.binary_value(expr, *op, left, right),
            ExprKind::Cast(value, _) => self.cast_value(expr, value),
            ExprKind::If { condition, then_block, else_expr: Some(else_expr) } if then_block.statements.is_empty() => {
                match (self.value(condition)?, &then_block.tail) {
                    (ConstValue::Bool(true), Some(tail)) => self.value(tail),
                    (ConstValue::Bool(true), None) => unsupported(expr),
                    _ => self.value(else_expr),
                }
            }
            ExprKind::Block { label: None, block } if block.statements.is_empty() => match &block.tail {
                Some(tail) => self.value(tail),
                None => unsupported(expr),
            },
            ExprKind::Tuple(members) => self.aggregate(members.iter()),
            ExprKind::Array(elements) => self.aggregate(elements.iter()),
            ExprKind::Repeat { element, len } => {
                let count = self.tables.lens.get(&len.id).copied().unwrap_or(0) as usize;
                Ok(ConstValue::Aggregate(vec![self.value(element)?; count]))
            }
            ExprKind::Struct { fields, base, .. } => {
                self.struct_value(expr, fields.iter().map(|(_, value)| value), base.as_deref())
            }
            ExprKind::Field { base, member } => self.field_value(expr, base, member),
            ExprKind::Index { base, index } => match (self.value(base)?, self.value(index)?) {
                (ConstValue::Aggregate(elements), ConstValue::U32(position)) => {
                    let found = elements.get(position as usize).cloned();
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
            (Literal::Int { value, .. }, Ty::F32) => ConstValue::F32(sign(*value as f32, negative)),
            (Literal::Int { value, .. }, Ty::I32) => {
                let value = i64::try_from(*value).unwrap_or(i64::MAX);
                let value = i32::try_from(if negative { -value } else { value });
                ConstValue::I32(value.map_err(|_| failure(expr.span, "literal out of range for `i32`"))?)
            }
            (Literal::Int { value, .. }, _) => {
                let value = u32::try_from(*value);
                ConstValue::U32(value.map_err(|_| failure(expr.span, "literal out of range for 32 bits"))?)
            }
            (Literal::Float { text, .. }, _) => {
                let value: f32 = text.parse().map_err(|_| failure(expr.span, "not a number"))?;
                ConstValue::F32(sign(value, negative))
            }
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
        Ok(match (to, from) {
            (ScalarName::F32, ConstValue::I32(value)) => ConstValue::F32(value as f32),
            (ScalarName::F32, ConstValue::U32(value)) => ConstValue::F32(value as f32),
            (ScalarName::I32, ConstValue::U32(value)) => ConstValue::I32(value as i32),
            (ScalarName::I32, ConstValue::F32(value)) => ConstValue::I32(value as i32),
            (ScalarName::I32, ConstValue::Bool(value)) => ConstValue::I32(i32::from(value)),
            // The host's `usize` would take a negative value to one that 32 bits cannot hold.
            (ScalarName::Usize, ConstValue::I32(value)) if value < 0 => {
                return fail(expr, "a negative number as `usize` needs more than 32 bits");
            }
            (ScalarName::U32 | ScalarName::Usize, ConstValue::I32(value)) => ConstValue::U32(value as u32),
            (ScalarName::U32 | ScalarName::Usize, ConstValue::F32(value)) => ConstValue::U32(value as u32),
            (ScalarName::U32 | ScalarName::Usize, ConstValue::Bool(value)) => ConstValue::U32(u32::from(value)),
            (_, same) => same,
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
            (Intrinsic::FromBits, [ConstValue::U32(bits)]) => Ok(ConstValue::F32(f32::from_bits(*bits))),
            (Intrinsic::Pow, [ConstValue::U32(base), ConstValue::U32(power)]) => {
                base.checked_pow(*power).map(ConstValue::U32).ok_or_else(|| overflow(expr))
            }
            (Intrinsic::Pow, [ConstValue::I32(base), ConstValue::U32(power)]) => {
                base.checked_pow(*power).map(ConstValue::I32).ok_or_else(|| overflow(expr))
            }
            (Intrinsic::DivCeil, [ConstValue::U32(value), ConstValue::U32(by)]) if *by != 0 => {
                Ok(ConstValue::U32(value.div_ceil(*by)))
            }
            _ => unsupported(expr),
        }
    }
}

fn sign(value: f32, negative: bool) -> f32 {
    if negative { -value } else { value }
}

fn unary(expr: &Expr, op: UnaryOp, value: ConstValue) -> Outcome {
    Ok(match (op, value) {
        (UnaryOp::Neg, ConstValue::F32(value)) => ConstValue::F32(-value),
        (UnaryOp::Neg, ConstValue::I32(value)) => ConstValue::I32(value.checked_neg().ok_or_else(|| overflow(expr))?),
        (UnaryOp::Not, ConstValue::Bool(value)) => ConstValue::Bool(!value),
        (UnaryOp::Not, ConstValue::I32(value)) => ConstValue::I32(!value),
        (UnaryOp::Not, ConstValue::U32(value)) => ConstValue::U32(!value),
        (UnaryOp::Neg, ConstValue::Aggregate(_)) => return fail(expr, "vector arithmetic is not available in consts"),
        _ => return unsupported(expr),
    })
}

fn binary(expr: &Expr, op: BinaryOp, left: ConstValue, right: ConstValue) -> Outcome {
    match (left, right) {
        (ConstValue::F32(left), ConstValue::F32(right)) => Ok(float_op(op, left, right)),
        (ConstValue::Bool(left), ConstValue::Bool(right)) => Ok(ConstValue::Bool(match op {
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitOr => left | right,
            BinaryOp::Eq => left == right,
            _ => left != right,
        })),
        (ConstValue::Aggregate(_), _) | (_, ConstValue::Aggregate(_)) => {
            fail(expr, "vector arithmetic is not available in consts")
        }
        (left, right) => integer_op(expr, op, &left, &right),
    }
}

fn float_op(op: BinaryOp, left: f32, right: f32) -> ConstValue {
    match op {
        BinaryOp::Add => ConstValue::F32(left + right),
        BinaryOp::Sub => ConstValue::F32(left - right),
        BinaryOp::Mul => ConstValue::F32(left * right),
        BinaryOp::Div => ConstValue::F32(left / right),
        BinaryOp::Rem => ConstValue::F32(left % right),
        BinaryOp::Eq => ConstValue::Bool(left == right),
        BinaryOp::Ne => ConstValue::Bool(left != right),
        BinaryOp::Lt => ConstValue::Bool(left < right),
        BinaryOp::Le => ConstValue::Bool(left <= right),
        BinaryOp::Gt => ConstValue::Bool(left > right),
        _ => ConstValue::Bool(left >= right),
    }
}

fn integer_op(expr: &Expr, op: BinaryOp, left: &ConstValue, right: &ConstValue) -> Outcome {
    let wide = |value: &ConstValue| match value {
        ConstValue::I32(value) => i64::from(*value),
        ConstValue::U32(value) => i64::from(*value),
        _ => 0,
    };
    let (a, b) = (wide(left), wide(right));
    let is_division = matches!(op, BinaryOp::Div | BinaryOp::Rem);
    if is_division && b == 0 {
        return fail(expr, "division by zero");
    }
    if matches!(op, BinaryOp::Shl | BinaryOp::Shr) && !(0..32).contains(&b) {
        return fail(expr, "shift by more than 31 bits");
    }
    // Rust: MIN / -1 and MIN % -1 overflow.
    if is_division && b == -1 && a == i64::from(i32::MIN) {
        return Err(overflow(expr));
    }
    let value = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => {
            return Ok(match left {
                ConstValue::I32(value) => ConstValue::I32(value << b),
                _ => ConstValue::U32((a << b) as u32),
            });
        }
        BinaryOp::Shr => Some(a >> b),
        BinaryOp::Eq => return Ok(ConstValue::Bool(a == b)),
        BinaryOp::Ne => return Ok(ConstValue::Bool(a != b)),
        BinaryOp::Lt => return Ok(ConstValue::Bool(a < b)),
        BinaryOp::Le => return Ok(ConstValue::Bool(a <= b)),
        BinaryOp::Gt => return Ok(ConstValue::Bool(a > b)),
        BinaryOp::Ge => return Ok(ConstValue::Bool(a >= b)),
        BinaryOp::And | BinaryOp::Or => None,
    };
    let narrow = |value: i64| match left {
        ConstValue::I32(_) => i32::try_from(value).ok().map(ConstValue::I32),
        _ => u32::try_from(value).ok().map(ConstValue::U32),
    };
    value.and_then(narrow).ok_or_else(|| overflow(expr))
}

fn overflow(expr: &Expr) -> Failure {
    failure(expr.span, "this arithmetic overflows")
}

fn failure(span: SpanRange, message: &str) -> Failure {
    Failure { span, message: message.to_owned(), help: None }
}

fn fail(expr: &Expr, message: &str) -> Outcome {
    Err(failure(expr.span, message))
}

fn unsupported(expr: &Expr) -> Outcome {
    Err(Failure {
        span: expr.span,
        message: "this cannot be evaluated in a const".to_owned(),
        help: Some("consts are made of literals, other consts, operators, casts, tuples, arrays, structs and vectors"),
    })
}
