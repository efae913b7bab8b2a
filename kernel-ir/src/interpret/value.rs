//! Values at run time, and the ops on them.

use super::InterpretError;
use super::settled;
use crate::ir::Constant;
use crate::op::Op;
use crate::passes::eval::{self, Evaluation, evaluate};
use crate::types::{Scalar, Type, TypeId, Types};

/// A value: a typed scalar (never [`Constant::Zero`]), or the members of a vector, array, tuple or struct.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A scalar.
    Scalar(Constant),
    /// An aggregate.
    Composite(Vec<Value>),
}

impl Value {
    /// The zero of a type.
    ///
    /// # Panics
    /// For the unit type, which has no values.
    pub fn zero(types: &Types, ty: TypeId) -> Self {
        let repeat = |value: Self, len: u32| Self::Composite(vec![value; len as usize]);
        match types.get(ty) {
            Type::Unit => panic!("unit has no values"),
            Type::Scalar(scalar) => Self::Scalar(eval::typed(Constant::Zero, *scalar)),
            Type::Vector(scalar, len) => repeat(Self::Scalar(eval::typed(Constant::Zero, *scalar)), u32::from(*len)),
            Type::Coop(ty) => repeat(Self::Scalar(eval::typed(Constant::Zero, ty.scalar)), ty.len()),
            Type::Array(element, len) => repeat(Self::zero(types, *element), settled(*len)),
            Type::Tuple(members) => Self::Composite(members.iter().map(|member| Self::zero(types, *member)).collect()),
            Type::Struct(id) => {
                let fields = &types.struct_def(*id).fields;
                Self::Composite(fields.iter().map(|field| Self::zero(types, field.ty)).collect())
            }
        }
    }

    /// A vector of three `u32`.
    pub fn uvec3(values: [u32; 3]) -> Self {
        Self::Composite(values.iter().map(|value| Self::Scalar(Constant::U32(*value))).collect())
    }

    /// A `u32`.
    pub fn u32(value: u32) -> Self {
        Self::Scalar(Constant::U32(value))
    }

    /// The members of an aggregate.
    ///
    /// # Panics
    /// For scalars.
    pub fn members(&self) -> &[Self] {
        match self {
            Self::Composite(members) => members,
            Self::Scalar(_) => panic!("a scalar has no members"),
        }
    }

    /// The member that constant steps lead to.
    pub(super) fn member(&mut self, path: &[u32]) -> &mut Self {
        path.iter().fold(self, |value, step| match value {
            Self::Composite(members) => &mut members[*step as usize],
            Self::Scalar(_) => panic!("a scalar has no members"),
        })
    }

    /// As [`member`](Self::member), to read.
    pub(super) fn at(&self, path: &[u32]) -> &Self {
        path.iter().fold(self, |value, step| &value.members()[*step as usize])
    }

    /// The bits of a scalar, of wider ones the lower 32.
    pub(super) fn bits(&self) -> u32 {
        match self {
            Self::Scalar(constant) => eval::bits(*constant).expect("an integer or float") as u32,
            Self::Composite(_) => panic!("a scalar is needed"),
        }
    }

    /// The scalar of a scalar's or vector's lanes.
    pub(super) fn scalar(&self) -> Scalar {
        match self {
            Self::Scalar(constant) => eval::scalar_of(*constant).expect("values have a type"),
            Self::Composite(lanes) => lanes[0].scalar(),
        }
    }

    /// A value of the same shape with `lane` in every lane.
    pub(super) fn splat(&self, lane: &Self) -> Self {
        match self {
            Self::Scalar(_) => lane.clone(),
            Self::Composite(lanes) => Self::Composite(vec![lane.clone(); lanes.len()]),
        }
    }

    /// The bits of this scalar as a scalar of the other's type.
    pub(super) fn with_bits_as(&self, other: &Self) -> Self {
        let (from, to) = (self.scalar(), other.scalar());
        match self {
            Self::Scalar(constant) if from != to => {
                Self::Scalar(eval::from_bits(eval::bits(*constant).expect("an integer or float"), to))
            }
            _ => self.clone(),
        }
    }

    pub(super) fn is_true(&self) -> bool {
        matches!(self, Self::Scalar(Constant::Bool(true)))
    }
}

/// Applies an op; `result` is the scalar of the result's lanes, if it has lanes.
pub(super) fn apply(op: Op, operands: &[Value], result: Option<Scalar>) -> Result<Value, InterpretError> {
    match (op, operands) {
        (Op::Any, [vector]) => return Ok(Value::Scalar(Constant::Bool(vector.members().iter().any(Value::is_true)))),
        (Op::All, [vector]) => return Ok(Value::Scalar(Constant::Bool(vector.members().iter().all(Value::is_true)))),
        (Op::Select, [Value::Scalar(condition), yes, no]) => {
            return Ok(if *condition == Constant::Bool(true) { yes.clone() } else { no.clone() });
        }
        _ => {}
    }
    let scalar = result.expect("other ops work on lanes");
    if let [Value::Composite(lanes), ..] = operands {
        let lane = |at: usize| operands.iter().map(|operand| operand.members()[at].clone()).collect::<Vec<_>>();
        let lanes: Result<_, _> = (0..lanes.len()).map(|at| apply(op, &lane(at), Some(scalar))).collect();
        return lanes.map(Value::Composite);
    }
    let constants: Vec<Constant> = operands
        .iter()
        .map(|operand| match operand {
            Value::Scalar(constant) => *constant,
            Value::Composite(_) => panic!("operands have one shape"),
        })
        .collect();
    apply_to_scalars(op, &constants, Some(scalar))
}

/// As [`apply`], where all operands are scalars.
pub(super) fn apply_to_scalars(op: Op, operands: &[Constant], result: Option<Scalar>) -> Result<Value, InterpretError> {
    evaluate(op, operands, result.expect("an op on scalars gives a scalar"))
        .or_else(|| approximate(op, operands))
        .map(Value::Scalar)
        .ok_or_else(|| InterpretError::Undefined(format!("{} of {operands:?}", op.name())))
}

/// Ops that are not exactly rounded, and minima of zeros.
fn approximate(op: Op, operands: &[Constant]) -> Option<Constant> {
    let float = |at: usize| match operands.get(at) {
        Some(Constant::F32(bits)) => Some(f32::from_bits(*bits)),
        _ => None,
    };
    if matches!(op, Op::Min | Op::Max) {
        return operands.first().copied();
    }
    let Evaluation::Near(function) = eval::evaluation(op) else { return None };
    let first = float(0)?;
    Some(Constant::F32(function(first, float(1).unwrap_or(first)).to_bits()))
}
