//! Constants and composed values as Rust.

use super::{Printed, Printer};
use crate::ir::{Constant, ValueId};
use crate::passes::eval;
use crate::types::{Scalar, Type, TypeId};

impl Printer<'_> {
    pub(super) fn constant(&self, constant: Constant, ty: TypeId) -> Printed<String> {
        match (constant, self.module.types.get(ty)) {
            (Constant::Zero, _) => self.zero(ty),
            (constant, Type::Scalar(scalar)) => self.literal(constant, *scalar),
            _ => self.fail("a constant"),
        }
    }

    /// The zero of a type.
    pub(super) fn zero(&self, ty: TypeId) -> Printed<String> {
        Ok(match self.module.types.get(ty) {
            Type::Scalar(scalar) => self.literal(eval::typed(Constant::Zero, *scalar), *scalar)?,
            Type::Vector(scalar, lanes) => {
                let zero = self.literal(eval::typed(Constant::Zero, *scalar), *scalar)?;
                format!("{}{lanes}::new({})", self.prefix(*scalar)?, vec![zero; usize::from(*lanes)].join(", "))
            }
            Type::Array(element, len) => format!("[{}; {}]", self.zero(*element)?, self.size(*len)),
            Type::Tuple(_) | Type::Struct(_) => {
                let members: Printed<Vec<_>> = self.members(ty).into_iter().map(|member| self.zero(member)).collect();
                format!("({},)", members?.join(", "))
            }
            Type::Coop(of) => {
                let zero = self.literal(eval::typed(Constant::Zero, of.scalar), of.scalar)?;
                format!("{}::splat({zero})", Self::matrix_path(*of))
            }
            Type::Unit => return self.fail("a zero"),
        })
    }

    fn literal(&self, constant: Constant, scalar: Scalar) -> Printed<String> {
        if let Constant::Bool(value) = constant {
            return Ok(value.to_string());
        }
        let bits = eval::bits(constant).unwrap_or(0);
        Ok(match scalar {
            Scalar::F32 => {
                let value = f32::from_bits(bits as u32);
                if value.is_finite() { format!("({value:?}f32)") } else { format!("f32::from_bits({bits}u32)") }
            }
            Scalar::F64 => {
                let value = f64::from_bits(bits);
                if value.is_finite() { format!("({value:?}f64)") } else { format!("f64::from_bits({bits}u64)") }
            }
            Scalar::F16 | Scalar::Bf16 => format!("{}::from_bits({bits}u16)", scalar.name()),
            _ => match eval::int(constant) {
                Some(number) if number < 0 && -number > i128::from(u32::MAX >> 1) => {
                    format!("({}{} as {})", bits, scalar.unsigned().name(), scalar.name())
                }
                Some(number) => format!("({number}{})", scalar.name()),
                None => return self.fail("a constant"),
            },
        })
    }

    pub(super) fn compose(&self, members: &[ValueId], ty: TypeId) -> Printed<String> {
        let names = self.names(members).join(", ");
        Ok(match self.module.types.get(ty) {
            Type::Vector(scalar, lanes) => format!("{}{lanes}::new({names})", self.prefix(*scalar)?),
            Type::Array(..) => format!("[{names}]"),
            _ => format!("({names},)"),
        })
    }
}
