//! Pure operations and operations of subgroups as Rust.

use super::{Printed, Printer};
use crate::ir::{SubgroupOp, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Type};

impl Printer<'_> {
    pub(super) fn op(&self, op: Op, operands: &[ValueId], result: ValueId) -> Printed<String> {
        let names = match (op, operands) {
            (Op::Div | Op::Rem, [a, b]) => self.names(&[*a, self.divisors.itself(*b)]),
            _ => self.names(operands),
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let of = self.lanes(operands[0])?;
        let to = match self.kind(result) {
            Type::Scalar(scalar) => (*scalar, 1),
            Type::Vector(scalar, lanes) => (*scalar, *lanes),
            _ => of,
        };
        if op == Op::Select && matches!(self.kind(operands[0]), Type::Scalar(_)) {
            return Ok(format!("if {} {{ {} }} else {{ {} }}", names[0], names[1], names[2]));
        }
        match op {
            Op::Any => return Ok(format!("{}.any()", names[0])),
            Op::All => return Ok(format!("{}.all()", names[0])),
            _ if of.1 == 1 => return self.scalar_op(op, &names, of.0, to.0),
            // For them glam has a mask of its own, which `BVec4` is not.
            Op::Select if to == (Scalar::F32, 4) => {
                let lanes = ["x", "y", "z", "w"];
                let lanes = lanes.map(|lane| {
                    format!("if {}.{lane} {{ {}.{lane} }} else {{ {}.{lane} }}", names[0], names[1], names[2])
                });
                return Ok(format!("Vec4::new({})", lanes.join(", ")));
            }
            Op::Select => {
                return Ok(format!("{}{}::select({})", self.prefix(to.0)?, to.1, names.join(", ")));
            }
            _ => {}
        }
        // Lane by lane, as glam's vectors do not have all that scalars have.
        let lanes: Printed<Vec<String>> = ["x", "y", "z", "w"][..usize::from(of.1)]
            .iter()
            .map(|lane| {
                let lanes: Vec<_> = names.iter().map(|name| format!("{name}.{lane}")).collect();
                let lanes: Vec<&str> = lanes.iter().map(String::as_str).collect();
                self.scalar_op(op, &lanes, of.0, to.0)
            })
            .collect();
        Ok(format!("{}{}::new({})", self.prefix(to.0)?, to.1, lanes?.join(", ")))
    }

    fn lanes(&self, value: ValueId) -> Printed<(Scalar, u8)> {
        match self.kind(value) {
            Type::Scalar(scalar) => Ok((*scalar, 1)),
            Type::Vector(scalar, lanes) => Ok((*scalar, *lanes)),
            _ => self.fail("an operation on a composite value"),
        }
    }

    fn scalar_op(&self, op: Op, x: &[&str], of: Scalar, to: Scalar) -> Printed<String> {
        let is_int = of.is_int();
        let infix = |sign: &str| format!("{} {sign} {}", x[0], x[1]);
        let method = |name: &str| format!("{}.{name}({})", x[0], x[1..].join(", "));
        Ok(match op {
            Op::Add if is_int => method("wrapping_add"),
            Op::Sub if is_int => method("wrapping_sub"),
            Op::Mul if is_int => method("wrapping_mul"),
            Op::Neg if is_int => method("wrapping_neg"),
            Op::Abs if is_int => method("wrapping_abs"),
            Op::Add => infix("+"),
            Op::Sub => infix("-"),
            Op::Mul => infix("*"),
            Op::Div => infix("/"),
            Op::Rem => infix("%"),
            Op::Neg => format!("-{}", x[0]),
            Op::And => infix("&"),
            Op::Or => infix("|"),
            Op::Xor => infix("^"),
            Op::Not => format!("!{}", x[0]),
            Op::Shl => method("wrapping_shl"),
            Op::Shr => method("wrapping_shr"),
            Op::Eq => infix("=="),
            Op::Ne => infix("!="),
            Op::Lt => infix("<"),
            Op::Le => infix("<="),
            Op::Gt => infix(">"),
            Op::Ge => infix(">="),
            Op::Select => format!("if {} {{ {} }} else {{ {} }}", x[0], x[1], x[2]),
            Op::Cast => self.cast(x[0], of, to)?,
            Op::Bitcast => self.bitcast(x[0], of, to)?,
            Op::Min => method("min"),
            Op::Max => method("max"),
            Op::Abs => method("abs"),
            Op::Floor => method("floor"),
            Op::Ceil => method("ceil"),
            Op::Trunc => method("trunc"),
            Op::Round => method("round"),
            Op::RoundTiesEven => method("round_ties_even"),
            Op::Copysign => method("copysign"),
            Op::Sqrt => method("sqrt"),
            Op::MulAdd => method("mul_add"),
            Op::NearMulAdd => format!("{} * {} + {}", x[0], x[1], x[2]),
            Op::Sin => method("sin"),
            Op::Cos => method("cos"),
            Op::Tan => method("tan"),
            Op::Asin => method("asin"),
            Op::Acos => method("acos"),
            Op::Atan => method("atan"),
            Op::Atan2 => method("atan2"),
            Op::Sinh => method("sinh"),
            Op::Cosh => method("cosh"),
            Op::Tanh => method("tanh"),
            Op::Exp => method("exp"),
            Op::Exp2 => method("exp2"),
            Op::Ln => method("ln"),
            Op::Log2 => method("log2"),
            Op::Powf => method("powf"),
            Op::IsNan => method("is_nan"),
            Op::IsInf => method("is_infinite"),
            Op::CountOnes => method("count_ones"),
            Op::LeadingZeros => method("leading_zeros"),
            Op::TrailingZeros => method("trailing_zeros"),
            Op::ReverseBits => method("reverse_bits"),
            Op::MulHigh if of == Scalar::U32 => {
                format!("((({} as u64).wrapping_mul({} as u64)) >> 32u32) as u32", x[0], x[1])
            }
            Op::MulHigh if of == Scalar::I32 => {
                format!("((({} as i64).wrapping_mul({} as i64)) >> 32u32) as i32", x[0], x[1])
            }
            Op::MulHigh if of == Scalar::U64 => wide_product(x[0], x[1]),
            Op::Slope => x[0].to_owned(),
            Op::Uniform => format!("workgroup_uniform({})", x[0]),
            Op::MulHigh | Op::Any | Op::All => return self.fail(format!("`{}`", op.name())),
        })
    }

    fn cast(&self, x: &str, of: Scalar, to: Scalar) -> Printed<String> {
        Ok(match (of, to) {
            _ if of == to => x.to_owned(),
            (_, Scalar::Bool) => format!("{x} != {}", if of.is_float() { "0.0" } else { "0" }),
            (Scalar::Bool, _) if to.is_float() => format!("({x} as u32) as {}", to.name()),
            (Scalar::F16 | Scalar::Bf16, Scalar::F32 | Scalar::F64) => format!("{x}.to_{}()", to.name()),
            (Scalar::F32 | Scalar::F64, Scalar::F16 | Scalar::Bf16) => {
                format!("{}::from_{}({x})", to.name(), of.name())
            }
            (Scalar::F16 | Scalar::Bf16, _) | (_, Scalar::F16 | Scalar::Bf16) => {
                return self.fail(format!("a cast from `{}` to `{}`", of.name(), to.name()));
            }
            _ => format!("{x} as {}", to.name()),
        })
    }

    fn bitcast(&self, x: &str, of: Scalar, to: Scalar) -> Printed<String> {
        let bits = if of.is_float() { format!("{x}.to_bits()") } else { x.to_owned() };
        Ok(match to.is_float() {
            true if of.is_float() => format!("{}::from_bits({bits})", to.name()),
            true => format!("{}::from_bits({bits} as {})", to.name(), to.unsigned().name()),
            false => format!("{bits} as {}", to.name()),
        })
    }

    pub(super) fn subgroup(&self, op: SubgroupOp, operands: &[ValueId]) -> Printed<String> {
        let (name, number) = op.text();
        let is_plain = matches!(
            op,
            SubgroupOp::Elect
                | SubgroupOp::Any
                | SubgroupOp::All
                | SubgroupOp::AllEqual
                | SubgroupOp::BroadcastFirst
                | SubgroupOp::Shuffle
                | SubgroupOp::ShuffleXor
                | SubgroupOp::ShuffleUp
                | SubgroupOp::ShuffleDown
                | SubgroupOp::Reduce(..)
        );
        match name.strip_prefix("subgroup_") {
            Some(name) if is_plain && number.is_none() => {
                Ok(format!("subgroup::{name}({})", self.names(operands).join(", ")))
            }
            _ => self.fail(format!("`{name}`")),
        }
    }
}

/// The upper half of a product of `u64`, from products of halves.
fn wide_product(a: &str, b: &str) -> String {
    let low = |x: &str| format!("({x} & 4294967295u64)");
    let high = |x: &str| format!("({x} >> 32u32)");
    let product = |x: String, y: String| format!("{x}.wrapping_mul({y})");
    format!(
        "{{ let low: u64 = {}; let first: u64 = {}.wrapping_add(low >> 32u32); let second: u64 = {}.wrapping_add(first & 4294967295u64); {}.wrapping_add(first >> 32u32).wrapping_add(second >> 32u32) }}",
        product(low(a), low(b)),
        product(high(a), low(b)),
        product(low(a), high(b)),
        product(high(a), high(b)),
    )
}
