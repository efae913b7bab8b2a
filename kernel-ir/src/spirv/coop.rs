//! Matrices of subgroups: their types, operations on them, and their ways from and to memory. A load or store whose last line
//! is out of range traps, and gives zeros or writes nothing.

use rspirv::spirv::{
    CooperativeMatrixLayout, CooperativeMatrixOperands, CooperativeMatrixUse, MemoryAccess, Op, Scope,
};

use super::blocks::FunctionWriter;
use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::descriptor::{Feature, MatrixElement, MatrixProduct, MatrixType, MatrixUse};
use crate::ir::{CoopAccess, CoopLayout, CoopOp, ValueId};
use crate::types::{CoopRole, CoopType, Scalar, Type, TypeId};

/// The encoding of `OpTypeFloat` that makes it a `bf16`.
const BFLOAT16: u32 = 0;

impl Writer<'_> {
    /// The type of a matrix.
    pub(super) fn coop_type(&mut self, ty: CoopType) -> Id {
        let role = match ty.role {
            CoopRole::A => MatrixUse::A,
            CoopRole::B => MatrixUse::B,
            CoopRole::Accumulator => MatrixUse::Accumulator,
        };
        let (rows, columns) = (ty.rows, ty.columns);
        self.need(Feature::CooperativeMatrix(MatrixType { element: element(ty.scalar), role, rows, columns }));
        let component = if ty.scalar == Scalar::Bf16 {
            self.need(Feature::CooperativeBfloat16);
            self.global(Op::TypeFloat, None, &[16, BFLOAT16])
        } else {
            self.lanes_type(Lanes::one(ty.scalar))
        };
        let role = match ty.role {
            CoopRole::A => CooperativeMatrixUse::MatrixAKHR,
            CoopRole::B => CooperativeMatrixUse::MatrixBKHR,
            CoopRole::Accumulator => CooperativeMatrixUse::MatrixAccumulatorKHR,
        };
        let operands = [Scope::Subgroup as u32, rows, columns, role as u32].map(|number| self.const_u32(number));
        self.global(Op::TypeCooperativeMatrixKHR, None, &[&[component], &operands[..]].concat())
    }

    /// A matrix of zeros.
    pub(super) fn coop_zero(&mut self, ty: CoopType) -> Id {
        let matrix = self.coop_type(ty);
        if ty.scalar == Scalar::Bf16 {
            return self.global(Op::ConstantNull, Some(matrix), &[]);
        }
        let zero = self.const_scalar(ty.scalar, 0);
        self.global(Op::ConstantComposite, Some(matrix), &[zero])
    }
}

impl FunctionWriter<'_, '_> {
    /// An operation on matrices.
    pub(super) fn coop(&mut self, op: CoopOp, operands: &[ValueId], ty: TypeId) -> Id {
        let Type::Coop(made) = *self.w.module.types.get(ty) else { unreachable!("the verifier saw a matrix") };
        let (result, ids) = (self.w.value_type(ty), self.ids(operands));
        let is_float = made.scalar.is_float();
        let instruction = match op {
            CoopOp::MulAdd => return self.mul_add(operands, made, result),
            CoopOp::Splat => return self.w.op(Op::CompositeConstruct, result, &ids),
            CoopOp::Convert if self.function.values[operands[0]].ty == ty => return ids[0],
            CoopOp::Convert => return self.w.op(Op::FConvert, result, &ids),
            CoopOp::Neg if is_float => Op::FNegate,
            CoopOp::Neg => Op::SNegate,
            CoopOp::Add if is_float => Op::FAdd,
            CoopOp::Add => Op::IAdd,
            CoopOp::Sub if is_float => Op::FSub,
            CoopOp::Sub => Op::ISub,
            CoopOp::Scale => Op::MatrixTimesScalar,
        };
        if is_float { self.w.float_op(instruction, result, &ids) } else { self.w.op(instruction, result, &ids) }
    }

    fn mul_add(&mut self, operands: &[ValueId], made: CoopType, result: Id) -> Id {
        let left = self.function.values[operands[0]].ty;
        let Type::Coop(left) = *self.w.module.types.get(left) else { unreachable!("the verifier saw a matrix") };
        self.w.need(Feature::CooperativeProduct(MatrixProduct {
            factors: element(left.scalar),
            sum: element(made.scalar),
            rows: made.rows,
            columns: made.columns,
            depth: left.columns,
        }));
        let mut ids = self.ids(operands).to_vec();
        if left.scalar.is_signed() {
            ids.push(
                (CooperativeMatrixOperands::MATRIX_A_SIGNED_COMPONENTS_KHR
                    | CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR
                    | CooperativeMatrixOperands::MATRIX_C_SIGNED_COMPONENTS_KHR
                    | CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR)
                    .bits(),
            );
        }
        self.w.op(Op::CooperativeMatrixMulAddKHR, result, &ids)
    }

    /// Reads a matrix.
    pub(super) fn coop_load(&mut self, access: &CoopAccess, ty: TypeId) -> Id {
        let result = self.w.value_type(ty);
        let (layout, stride) = (self.layout_of(access), self.value(access.stride));
        let first = self.value(access.first);
        self.access_lines(&access.place, first, Some(ty), |w, pointer, is_non_private| {
            let operands = [pointer, layout, stride, MemoryAccess::NON_PRIVATE_POINTER.bits()];
            w.op(Op::CooperativeMatrixLoadKHR, result, &operands[..if is_non_private { 4 } else { 3 }])
        })
    }

    /// Writes a matrix.
    pub(super) fn coop_store(&mut self, access: &CoopAccess, value: ValueId) {
        let (layout, stride) = (self.layout_of(access), self.value(access.stride));
        let (first, value) = (self.value(access.first), self.value(value));
        self.access_lines(&access.place, first, None, |w, pointer, is_non_private| {
            let operands = [pointer, value, layout, stride, MemoryAccess::NON_PRIVATE_POINTER.bits()];
            w.effect(Op::CooperativeMatrixStoreKHR, &operands[..if is_non_private { 5 } else { 4 }]);
            0
        });
    }

    fn layout_of(&mut self, access: &CoopAccess) -> Id {
        let layout = match access.layout {
            CoopLayout::RowMajor => CooperativeMatrixLayout::RowMajorKHR,
            CoopLayout::ColumnMajor => CooperativeMatrixLayout::ColumnMajorKHR,
        };
        self.w.const_u32(layout as u32)
    }
}

fn element(scalar: Scalar) -> MatrixElement {
    match scalar {
        Scalar::F16 => MatrixElement::F16,
        Scalar::Bf16 => MatrixElement::Bf16,
        Scalar::F32 => MatrixElement::F32,
        Scalar::I8 => MatrixElement::I8,
        Scalar::U8 => MatrixElement::U8,
        Scalar::I32 => MatrixElement::I32,
        Scalar::U32 => MatrixElement::U32,
        other => unreachable!("the verifier lets no matrix of {other:?} pass"),
    }
}
