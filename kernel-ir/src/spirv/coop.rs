//! Matrices of subgroups: their types, operations on them, and their ways from and to memory. A load or store whose last line
//! is out of range traps, and gives zeros or writes nothing.

use rspirv::spirv::{
    CooperativeMatrixLayout, CooperativeMatrixOperands, CooperativeMatrixReduce, CooperativeMatrixUse, MemoryAccess,
    Op, Scope,
};

use super::function::FunctionWriter;
use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::arena::EntityId;
use crate::descriptor::{Feature, MatrixElement, MatrixProduct, MatrixType, MatrixUse};
use crate::ir::{CoopAccess, CoopFold, CoopLayout, CoopLine, CoopOp, InstKind, ValueId};
use crate::passes::eval;
use crate::types::{CoopRole, CoopType, Scalar, Type, TypeId};

/// The encoding of `OpTypeFloat` that makes it a `bf16`.
const BFLOAT16: u32 = 0;

/// Functions that reductions combine elements by, in the order of their first uses.
#[derive(Debug, Default)]
pub(super) struct Combines {
    wanted: Vec<(CoopFold, Scalar, Id)>,
}

impl Writer<'_> {
    /// The function that combines two elements.
    fn combine(&mut self, fold: CoopFold, scalar: Scalar) -> Id {
        let known = self.combines.wanted.iter().find(|(of, on, _)| (*of, *on) == (fold, scalar));
        if let Some((.., id)) = known {
            return *id;
        }
        let id = self.new_id();
        self.combines.wanted.push((fold, scalar, id));
        id
    }

    /// Defines all of these functions.
    pub(super) fn write_combines(&mut self) {
        for (fold, scalar, function) in std::mem::take(&mut self.combines.wanted) {
            let lanes = Lanes::one(scalar);
            let ty = self.lanes_type(lanes);
            let signature = self.global(Op::TypeFunction, None, &[ty; 3]);
            self.op_into(function, Op::Function, ty, &[0, signature]);
            let params = [(); 2].map(|()| self.op(Op::FunctionParameter, ty, &[]));
            let entry = self.new_id();
            self.begin_block(entry);
            let value = match fold {
                CoopFold::Sum if scalar.is_float() => self.float_op(Op::FAdd, ty, &params),
                CoopFold::Sum => self.op(Op::IAdd, ty, &params),
                CoopFold::Min => self.extreme(crate::op::Op::Min, lanes, &params),
                CoopFold::Max => self.extreme(crate::op::Op::Max, lanes, &params),
            };
            self.effect(Op::ReturnValue, &[value]);
            self.effect(Op::FunctionEnd, &[]);
        }
    }

    /// The type of a matrix.
    pub(super) fn coop_type(&mut self, ty: CoopType) -> Id {
        let role = match ty.role {
            CoopRole::A => MatrixUse::A,
            CoopRole::B => MatrixUse::B,
            CoopRole::Accumulator => MatrixUse::Accumulator,
        };
        let (rows, columns) = (ty.rows, ty.columns);
        self.need(Feature::CooperativeMatrix(MatrixType { element: element(ty.scalar), role, rows, columns }));
        let component = self.component_type(ty.scalar);
        let role = match ty.role {
            CoopRole::A => CooperativeMatrixUse::MatrixAKHR,
            CoopRole::B => CooperativeMatrixUse::MatrixBKHR,
            CoopRole::Accumulator => CooperativeMatrixUse::MatrixAccumulatorKHR,
        };
        let operands = [Scope::Subgroup as u32, rows, columns, role as u32].map(|number| self.const_u32(number));
        self.global(Op::TypeCooperativeMatrixKHR, None, &[&[component], &operands[..]].concat())
    }

    /// The type of a matrix's elements.
    fn component_type(&mut self, scalar: Scalar) -> Id {
        if scalar != Scalar::Bf16 {
            return self.lanes_type(Lanes::one(scalar));
        }
        self.need(Feature::CooperativeBfloat16);
        self.global(Op::TypeFloat, None, &[16, BFLOAT16])
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
        if op == CoopOp::Held {
            let matrix = self.w.value_type(self.function.values[operands[0]].ty);
            let word = self.w.u32_type();
            return self.w.op(Op::CooperativeMatrixLengthKHR, word, &[matrix]);
        }
        let Type::Coop(made) = *self.w.module.types.get(ty) else { unreachable!("the verifier saw a matrix") };
        let (result, ids) = (self.w.value_type(ty), self.stored_ids(operands));
        let is_float = made.scalar.is_float();
        let instruction = match op {
            CoopOp::MulAdd => return self.mul_add(operands, made, result),
            CoopOp::Splat if made.scalar == Scalar::Bf16 => return self.splat_bf16(operands[0], made, result),
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
            CoopOp::Role | CoopOp::Transpose => {
                self.w.need(Feature::CooperativeConversions);
                let turned = op == CoopOp::Transpose;
                let op = if turned { Op::CooperativeMatrixTransposeNV } else { Op::CooperativeMatrixConvertNV };
                return self.w.op(op, result, &ids);
            }
            CoopOp::Reduce(line, fold) => return self.reduce_lines(line, fold, made.scalar, result, ids[0]),
            CoopOp::Held => unreachable!("it gives no matrix"),
        };
        if is_float { self.w.float_op(instruction, result, &ids) } else { self.w.op(instruction, result, &ids) }
    }

    /// A `bf16` is an integer everywhere but in matrices.
    fn splat_bf16(&mut self, value: ValueId, made: CoopType, result: Id) -> Id {
        let definition = self.definitions[value.index()].map(|inst| &self.function.insts[inst].kind);
        if let Some(InstKind::Const(constant)) = definition
            && eval::bits(*constant) == Some(0)
        {
            return self.w.coop_zero(made);
        }
        let (ty, bits) = (self.w.component_type(made.scalar), self.value(value));
        let element = self.w.op(Op::Bitcast, ty, &[bits]);
        self.w.op(Op::CompositeConstruct, result, &[element])
    }

    fn reduce_lines(&mut self, line: CoopLine, fold: CoopFold, scalar: Scalar, result: Id, matrix: Id) -> Id {
        self.w.need(Feature::CooperativeReductions);
        let mask = match line {
            CoopLine::Row => CooperativeMatrixReduce::ROW,
            CoopLine::Column => CooperativeMatrixReduce::COLUMN,
        };
        let function = self.w.combine(fold, scalar);
        self.w.op(Op::CooperativeMatrixReduceNV, result, &[matrix, mask.bits(), function])
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
