//! Matrices of subgroups. Each invocation holds the whole matrix and computes all of it, which gives what they would compute
//! together: their operands are the same. Of a subgroup the first one writes.
//!
//! The twin does the same: as operands are uniform, each invocation computes the whole, and the first of the subgroup
//! writes.

use super::memory::Memory;
use super::step::Context;
use super::thread::Thread;
use super::value::apply;
use super::{InterpretError, Value, bytes};
use crate::coop::Lines;
use crate::ir::{CoopAccess, CoopFold, CoopLine, CoopOp};
use crate::op::Op;
use crate::types::{CoopType, Scalar, Type, TypeId, Types};
use crate::typing;

/// The result of an operation: elements row after row.
pub(super) fn compute(
    types: &Types,
    op: CoopOp,
    operands: &[Value],
    from: &[TypeId],
    ty: TypeId,
) -> Result<Value, InterpretError> {
    let of = if op == CoopOp::Held { from[0] } else { ty };
    let Type::Coop(made) = *types.get(of) else { unreachable!("the verifier saw a matrix") };
    let scalar = Some(made.scalar);
    let all = |value: &Value| Value::Composite(vec![value.clone(); made.len() as usize]);
    match op {
        CoopOp::Splat => Ok(all(&operands[0])),
        CoopOp::Convert => apply(Op::Cast, operands, scalar),
        CoopOp::Neg => apply(Op::Neg, operands, scalar),
        CoopOp::Add => apply(Op::Add, operands, scalar),
        CoopOp::Sub => apply(Op::Sub, operands, scalar),
        CoopOp::Scale => apply(Op::Mul, &[operands[0].clone(), all(&operands[1])], scalar),
        CoopOp::MulAdd => {
            let Type::Coop(left) = *types.get(from[0]) else { unreachable!("the verifier saw a matrix") };
            product(operands, left, made)
        }
        CoopOp::Held => Ok(Value::u32(made.len())),
        CoopOp::Role => Ok(operands[0].clone()),
        CoopOp::Transpose => {
            let (rows, columns, from) = (made.rows as usize, made.columns as usize, operands[0].members());
            let turned = (0..rows * columns).map(|at| from[at % columns * rows + at / columns].clone());
            Ok(Value::Composite(turned.collect()))
        }
        CoopOp::Reduce(line, fold) => reduced(&operands[0], line, fold, made),
    }
}

/// Each line's elements combined, from the first to the last; floats of 16 bits are rounded at each step.
fn reduced(matrix: &Value, line: CoopLine, fold: CoopFold, made: CoopType) -> Result<Value, InterpretError> {
    let op = match fold {
        CoopFold::Sum => Op::Add,
        CoopFold::Min => Op::Min,
        CoopFold::Max => Op::Max,
    };
    let (columns, elements) = (made.columns as usize, matrix.members());
    let (lines, count, step) = match line {
        CoopLine::Row => (made.rows as usize, columns, 1),
        CoopLine::Column => (columns, made.rows as usize, columns),
    };
    let of_line = |number: usize| {
        let first = if line == CoopLine::Row { number * columns } else { number };
        (1..count).try_fold(elements[first].clone(), |so_far, at| {
            apply(op, &[so_far, elements[first + at * step].clone()], Some(made.scalar))
        })
    };
    let all: Vec<_> = (0..lines).map(of_line).collect::<Result<_, _>>()?;
    let number = |at: usize| if line == CoopLine::Row { at / columns } else { at % columns };
    Ok(Value::Composite((0..made.len() as usize).map(|at| all[number(at)].clone()).collect()))
}

/// Sums of products, from the first to the last; floats as `f32`, in which all products are exact or rounded once.
fn product(operands: &[Value], left: CoopType, made: CoopType) -> Result<Value, InterpretError> {
    let [a, b, c] = operands else { unreachable!("the verifier counts operands") };
    let wide = if made.scalar.is_float() { Scalar::F32 } else { made.scalar };
    let widen = |value: &Value| match value.scalar() == wide {
        true => Ok(value.clone()),
        false => apply(Op::Cast, std::slice::from_ref(value), Some(wide)),
    };
    let (a, b, c) = (widen(a)?, widen(b)?, widen(c)?);
    let (columns, depth) = (made.columns as usize, left.columns as usize);
    let element = |at: usize| {
        let (row, column) = (at / columns, at % columns);
        (0..depth).try_fold(c.members()[at].clone(), |sum, inner| {
            let factors = [a.members()[row * depth + inner].clone(), b.members()[inner * columns + column].clone()];
            apply(Op::Add, &[sum, apply(Op::Mul, &factors, Some(wide))?], Some(wide))
        })
    };
    let sums = (0..made.len() as usize).map(element).collect::<Result<_, _>>().map(Value::Composite)?;
    if made.scalar == wide { Ok(sums) } else { apply(Op::Cast, &[sums], Some(made.scalar)) }
}

/// A matrix's way from or to memory, once its check has passed.
struct Path {
    ty: CoopType,
    element: TypeId,
    cell: TypeId,
    lines: Lines,
    /// The first element, and the step from line to line.
    first: u32,
    stride: u32,
}

impl Path {
    fn new(cx: &Context<'_>, thread: &mut Thread<'_>, access: &CoopAccess, matrix: TypeId) -> Self {
        let types = &cx.module.types;
        let frame = thread.frame();
        let Type::Coop(ty) = *types.get(matrix) else { unreachable!("the verifier saw a matrix") };
        let cell = typing::place_type(cx.module, frame.function, &access.place).expect("the verifier followed it");
        let lines = Lines::new(types, ty, cell, access.layout).expect("the verifier tried it");
        let element = types.find(&Type::Scalar(ty.scalar)).expect("a matrix's scalar is interned with it");
        let (first, stride) = (frame.value(access.first).bits(), frame.value(access.stride).bits());
        Self { ty, element, cell, lines, first, stride }
    }

    /// Bytes of an element.
    fn size(&self) -> usize {
        self.ty.scalar.bits() as usize / 8
    }

    /// For each cell its index, and its line and first element.
    fn cells(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let (lines, first, stride) = (self.lines, self.first, self.stride);
        (0..lines.count).flat_map(move |line| {
            let start = first.wrapping_add(line.wrapping_mul(stride));
            (0..lines.cells).map(move |cell| (start.wrapping_add(cell), line, cell * lines.per_cell))
        })
    }

    /// The number of an element, row after row.
    fn position(&self, access: &CoopAccess, line: u32, at: u32) -> usize {
        let (row, column) = Lines::element(access.layout, line, at);
        (row * self.ty.columns + column) as usize
    }
}

impl Thread<'_> {
    /// Reads a matrix; zeros where the check fails.
    pub(super) fn coop_load(
        &mut self,
        cx: &Context<'_>,
        memory: &mut Memory,
        access: &CoopAccess,
        matrix: TypeId,
    ) -> Result<Value, InterpretError> {
        let types = &cx.module.types;
        if memory.resolve(cx, self, &access.place)?.is_none() {
            return Ok(Value::zero(types, matrix));
        }
        let path = Path::new(cx, self, access, matrix);
        let mut elements = vec![Value::zero(types, path.element); path.ty.len() as usize];
        let mut raw = vec![0; path.size() * path.lines.per_cell as usize];
        for (index, line, at) in path.cells() {
            let found = memory.resolve_at(cx, self, &access.place, index)?;
            // The first lane reads for the whole subgroup: so it may write there afterwards.
            let cell = match self.lane {
                0 => memory.read(cx, self, &found),
                _ => memory.cell(self, &found).clone(),
            };
            bytes::write_value(types, path.cell, &cell, &mut raw).expect("cells have a layout");
            for (number, part) in (at..).zip(raw.chunks(path.size())) {
                let element = bytes::read_value(types, path.element, part).expect("a whole element");
                elements[path.position(access, line, number)] = element;
            }
        }
        Ok(Value::Composite(elements))
    }

    /// Writes a matrix; nothing where the check fails.
    pub(super) fn coop_store(
        &mut self,
        cx: &Context<'_>,
        memory: &mut Memory,
        access: &CoopAccess,
        (value, matrix): (Value, TypeId),
    ) -> Result<(), InterpretError> {
        let types = &cx.module.types;
        if memory.resolve(cx, self, &access.place)?.is_none() || self.lane != 0 {
            return Ok(());
        }
        let path = Path::new(cx, self, access, matrix);
        let mut raw = vec![0; path.size() * path.lines.per_cell as usize];
        for (index, line, at) in path.cells() {
            for (number, part) in (at..).zip(raw.chunks_mut(path.size())) {
                let element = &value.members()[path.position(access, line, number)];
                bytes::write_value(types, path.element, element, part).expect("a whole element");
            }
            let cell = bytes::read_value(types, path.cell, &raw).expect("cells have a layout");
            let found = memory.resolve_at(cx, self, &access.place, index)?;
            memory.write(cx, self, &found, cell);
        }
        Ok(())
    }
}
