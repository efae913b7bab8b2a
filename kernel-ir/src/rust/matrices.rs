//! Matrices of subgroups as Rust.

use super::{Printed, Printer};
use crate::ir::{CoopAccess, CoopLayout, CoopOp, Root, Step, ValueId};
use crate::types::{CoopRole, CoopType, Type};

impl Printer<'_> {
    /// `CoopMatrix<f32, Accumulator, 16, 16>`
    pub(super) fn matrix(of: CoopType) -> String {
        format!("CoopMatrix{}", Self::matrix_arguments(of))
    }

    /// The type in front of a function.
    pub(super) fn matrix_path(of: CoopType) -> String {
        format!("CoopMatrix::{}", Self::matrix_arguments(of))
    }

    fn matrix_arguments(of: CoopType) -> String {
        let role = match of.role {
            CoopRole::A => "MatrixA",
            CoopRole::B => "MatrixB",
            CoopRole::Accumulator => "Accumulator",
        };
        format!("<{}, {role}, {}, {}>", of.scalar.name(), of.rows, of.columns)
    }

    fn matrix_type(&self, value: ValueId) -> Printed<CoopType> {
        match self.kind(value) {
            Type::Coop(of) => Ok(*of),
            _ => self.fail("a matrix of a subgroup"),
        }
    }

    pub(super) fn matrix_op(&self, op: CoopOp, operands: &[ValueId], result: ValueId) -> Printed<String> {
        let names = self.names(operands);
        let first = &names[0];
        Ok(match op {
            CoopOp::Splat => format!("{}::splat({first})", Self::matrix_path(self.matrix_type(result)?)),
            CoopOp::MulAdd => format!("{first}.mul_add({}, {})", names[1], names[2]),
            CoopOp::Convert => format!("{first}.convert::<{}>()", self.matrix_type(result)?.scalar.name()),
            CoopOp::Neg => format!("-{first}"),
            CoopOp::Add => format!("{first} + {}", names[1]),
            CoopOp::Sub => format!("{first} - {}", names[1]),
            CoopOp::Scale => format!("{first} * {}", names[1]),
            CoopOp::Role if self.matrix_type(result)?.role == CoopRole::A => format!("{first}.into_a()"),
            CoopOp::Role => format!("{first}.into_b()"),
            CoopOp::Transpose => format!("{first}.transpose()"),
            CoopOp::Reduce(..) => format!("{first}.{}()", op.name().trim_start_matches("coop_")),
            CoopOp::Held => format!("{first}.__held()"),
        })
    }

    pub(super) fn matrix_load(&self, access: &CoopAccess, result: ValueId) -> Printed<String> {
        let (memory, position) = self.matrix_place(access)?;
        let path = Self::matrix_path(self.matrix_type(result)?);
        Ok(match access.place.root {
            Root::Shared(_) => format!("{path}::load(&{memory}[..], {position})"),
            _ => format!("{path}::load({memory}, {position})"),
        })
    }

    pub(super) fn matrix_store(&mut self, access: &CoopAccess, value: ValueId) -> Printed {
        let (memory, position) = self.matrix_place(access)?;
        let memory = match access.place.root {
            Root::Shared(_) => format!("&mut {memory}[..]"),
            _ => memory,
        };
        self.line(&format!("{}.store({memory}, {position});", self.name(value)));
        Ok(())
    }

    /// The slice, and what stands behind it.
    fn matrix_place(&self, access: &CoopAccess) -> Printed<(String, String)> {
        if access.place.is_unordered {
            return self.fail("accesses by `unordered`");
        }
        let mut memory = match access.place.root {
            Root::Buffer(buffer) => self.kernel.buffers[buffer].name.clone(),
            Root::Shared(shared) => self.shared_name(shared),
            Root::Local(_) | Root::Member(..) => return self.fail("a matrix in a list or a variable"),
        };
        // The last step is the index of the last line's end.
        let (_, before) = access.place.path.split_last().unwrap_or((&Step::Field(0), &[]));
        for step in before {
            match step {
                Step::Index { value, .. } => memory = format!("{memory}[{}]", self.name(*value)),
                Step::Field(field) => memory = format!("{memory}[{field}]"),
                Step::Element(_) | Step::Joined { .. } => return self.fail("an element of a matrix"),
            }
        }
        let layout = match access.layout {
            CoopLayout::RowMajor => "RowMajor",
            CoopLayout::ColumnMajor => "ColumnMajor",
        };
        Ok((memory, format!("{}, {}, {layout}", self.name(access.first), self.name(access.stride))))
    }
}
