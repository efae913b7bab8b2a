//! Matrices of subgroups: their functions, methods and operators.
//!
//! A matrix is one value in the IR (`Type::Coop`), opaque to passes. A load or store names the place of the *last* cell
//! that it reaches, so that one ordinary check covers all of them. A function of its elements is a loop over those that
//! an invocation holds (`CoopOp::Held`, `Step::Element`): some of them on a device, all on the host. So such a function
//! has no effects, which this file checks, and uses nothing that differs within the subgroup, which `uniformity`
//! checks.

use gridwise_ir::arena::EntityId;
use gridwise_ir::coop::Lines;
use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{
    CoopAccess, CoopLayout, CoopOp, ImageOp, InstKind, LocalId, Module, Place, Root, Step, Unroll, ValueId,
};
use gridwise_ir::op::Op;
use gridwise_ir::types::{CoopType, Scalar, Type, TypeId};

use super::function::FnCx;
use super::types::scalar;
use crate::ast::{BinaryOp, Expr};
use crate::program::message::alignment_message;
use crate::typed::{CoopCall, CoopTy, Ty};

/// The IR type of a matrix.
pub(super) fn coop_type(ty: CoopTy) -> CoopType {
    CoopType { scalar: scalar(ty.scalar), role: ty.role, rows: ty.rows, columns: ty.columns }
}

impl FnCx<'_, '_, '_> {
    /// A function or method of matrices; the receiver of a method comes first.
    pub(super) fn lower_coop(&mut self, expr: &Expr, call: CoopCall, args: &[&Expr]) -> Option<ValueId> {
        match call {
            CoopCall::Map => self.map_elements(expr, &args[..1], args[1]),
            CoopCall::ZipMap => self.map_elements(expr, &args[..2], args[2]),
            CoopCall::Splat
            | CoopCall::MulAdd
            | CoopCall::Convert
            | CoopCall::Role
            | CoopCall::Transpose
            | CoopCall::Reduce(..)
            | CoopCall::Held => {
                let operands = self.lower_args(args)?;
                let ty = self.ty(self.ty_of(expr))?;
                let op = match call {
                    CoopCall::Splat => CoopOp::Splat,
                    CoopCall::MulAdd => CoopOp::MulAdd,
                    CoopCall::Role => CoopOp::Role,
                    CoopCall::Transpose => CoopOp::Transpose,
                    CoopCall::Reduce(line, fold) => CoopOp::Reduce(line, fold),
                    CoopCall::Held => CoopOp::Held,
                    _ => CoopOp::Convert,
                };
                self.shared.barriers.push((self.location_of(expr), expr.span));
                Some(self.b.coop(op, &operands, ty))
            }
            CoopCall::Element => {
                let operands = self.lower_args(args)?;
                self.shared.barriers.push((self.location_of(expr), expr.span));
                let word = self.b.types_mut().scalar(Scalar::U32);
                let (held, one) = (self.b.coop(CoopOp::Held, &operands[..1], word), self.u32(1));
                let last = self.op(Op::Sub, &[held, one]);
                let number = self.op(Op::Min, &[operands[1], last]);
                let mut place = Place::local(self.spill(operands[0], "elements"));
                place.path.push(Step::Element(number));
                Some(self.b.load(place))
            }
            CoopCall::Load(layout) => {
                let ty = self.ty(self.ty_of(expr))?;
                match self.lower_access(expr, ty, layout, args) {
                    Some(access) => Some(self.b.coop_load(access, ty)),
                    None if self.b.is_terminated() => None,
                    None => Some(self.zero(ty)),
                }
            }
            CoopCall::Store(layout) => {
                let (matrix, args) = args.split_first()?;
                let value = self.lower_expr(matrix)?;
                let ty = self.b.value_type(value);
                let access = self.lower_access(expr, ty, layout, args)?;
                self.b.coop_store(access, value);
                None
            }
        }
    }

    /// Each element made by a function of it, or of two at the same place. Each invocation goes through those that it holds, of
    /// which no two hold the same: the function may do nothing that others see.
    fn map_elements(&mut self, expr: &Expr, matrices: &[&Expr], function: &Expr) -> Option<ValueId> {
        let values = self.lower_args(matrices)?;
        let call = self.callable(function)?;
        let location = self.location_of(expr);
        self.shared.barriers.push((location, expr.span));
        let word = self.b.types_mut().scalar(Scalar::U32);
        let held = self.b.coop(CoopOp::Held, &values[..1], word);
        let matrices: Vec<_> = values.iter().map(|value| self.spill(*value, "elements")).collect();
        let (mark, locals) = (self.b.mark(), self.b.function().locals.len());
        self.each_index(held, |cx, index, _| {
            let element = |local: &LocalId| {
                let mut place = Place::local(*local);
                place.path.push(Step::Element(index));
                place
            };
            let elements: Vec<_> = matrices.iter().map(|matrix| Some(cx.b.load(element(matrix)))).collect();
            if let Some(made) = cx.call_inline(&call, &elements) {
                // Where it is reported that the element differs with who holds it.
                let outer = cx.b.set_location(Some(location));
                cx.b.store(element(&matrices[0]), made);
                cx.b.set_location(outer);
            }
        });
        // Drivers keep elements in registers where no index is left to be computed.
        self.b.set_unroll(mark, Unroll::Full);
        let module = self.b.module();
        let done = self.b.function().insts.iter().skip(mark).find_map(|(_, inst)| {
            effect_of(module, &inst.kind, &|local| local.index() >= locals || local == matrices[0])
        });
        if let Some(effect) = done {
            self.shared.matrix_faults.push((function.span, effect));
        }
        Some(self.get(matrices[0]))
    }

    /// A binary operator; the matrix is on the left.
    pub(super) fn coop_operator(&mut self, expr: &Expr, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        let op = match op {
            BinaryOp::Add => CoopOp::Add,
            BinaryOp::Sub => CoopOp::Sub,
            _ => CoopOp::Scale,
        };
        self.shared.barriers.push((self.location_of(expr), expr.span));
        let ty = self.b.value_type(a);
        self.b.coop(op, &[a, b], ty)
    }

    /// A matrix negated.
    pub(super) fn negated_coop(&mut self, expr: &Expr, value: ValueId) -> ValueId {
        self.shared.barriers.push((self.location_of(expr), expr.span));
        let ty = self.b.value_type(value);
        self.b.coop(CoopOp::Neg, &[value], ty)
    }

    /// `(memory, offset, stride, layout)`: what is out of range traps at the last element of the last line, and what is not
    /// aligned panics.
    fn lower_access(&mut self, expr: &Expr, ty: TypeId, layout: CoopLayout, args: &[&Expr]) -> Option<CoopAccess> {
        let [memory, offset, stride, _] = args else { return None };
        let spot = self.lower_slice(memory)?;
        let offset = self.lower_expr(offset)?;
        let stride = self.lower_expr(stride)?;
        self.shared.barriers.push((self.location_of(expr), expr.span));
        let Type::Coop(matrix) = *self.b.types().get(ty) else { return None };
        let window = spot.window();
        let mut place = self.in_place(spot);
        if let Root::Local(_) = place.root {
            self.shared.matrix_faults.push((memory.span, MatrixFault::OwnArray));
            return None;
        }
        if let (Root::Buffer(buffer), Some(kernel)) = (place.root, &self.b.module().kernel)
            && kernel.buffers[buffer].is_texels
        {
            self.shared.matrix_faults.push((memory.span, MatrixFault::Texels));
            return None;
        }
        place.path.push(Step::Index { value: offset, check: None });
        let cell = self.b.place_type(&place);
        let lines = Lines::new(self.b.types(), matrix, cell, layout).ok()?;
        let start = window.and_then(|window| window.offset);
        let first = match start {
            Some(start) => self.op(Op::Add, &[start, offset]),
            None => offset,
        };
        let last = self.last_cell(lines, offset, stride);
        let last = self.aligned(expr, lines, [first, offset, stride], last);
        let site = self.site(SiteKind::IndexOutOfBounds, expr);
        let index = match window {
            Some(window) => self.index_in(window, last, site),
            None => last,
        };
        place.path.pop();
        place.path.push(Step::Index { value: index, check: Some(site) });
        Some(CoopAccess { place, first, stride, layout })
    }

    /// The index of the last cell; the largest number where it would be larger.
    fn last_cell(&mut self, lines: Lines, offset: ValueId, stride: ValueId) -> ValueId {
        let (steps, rest) = (lines.count - 1, lines.cells - 1);
        let span = match (steps, self.known_scalar(stride).and_then(|stride| u32::try_from(stride).ok())) {
            (0, _) => self.u32(rest),
            (_, Some(stride)) => self.u32(stride.min((u32::MAX - rest) / steps) * steps + rest),
            (_, None) => {
                let most = self.u32((u32::MAX - rest) / steps);
                let (steps, rest) = (self.u32(steps), self.u32(rest));
                let stride = self.op(Op::Min, &[stride, most]);
                let span = self.op(Op::Mul, &[stride, steps]);
                self.op(Op::Add, &[span, rest])
            }
        };
        let all = self.u32(u32::MAX);
        let most = self.op(Op::Sub, &[all, span]);
        let offset = self.op(Op::Min, &[offset, most]);
        self.op(Op::Add, &[offset, span])
    }

    /// Reports a panic where a line does not begin where it may; the index is then out of range.
    fn aligned(&mut self, expr: &Expr, lines: Lines, [first, offset, stride]: [ValueId; 3], index: ValueId) -> ValueId {
        let known = |cx: &Self, value: ValueId| {
            cx.known_scalar(value).is_some_and(|known| known % u64::from(lines.alignment) == 0)
        };
        if lines.alignment == 1 || known(self, first) && known(self, stride) {
            return index;
        }
        let (mask, zero, multiple) = (self.u32(lines.alignment - 1), self.u32(0), self.u32(lines.alignment));
        let both = self.op(Op::Or, &[first, stride]);
        let rest = self.op(Op::And, &[both, mask]);
        let is_astray = self.b.op(Op::Ne, &[rest, zero]);
        self.when(is_astray, |cx| {
            let site = cx.message_site(SiteKind::Panic, expr, alignment_message());
            // Not the end of the invocation, which the subgroup needs: nothing is accessed, and loops stay what they are.
            cx.b.trap(site, &[offset, stride, multiple]);
        });
        let nowhere = self.u32(u32::MAX);
        self.select(is_astray, nowhere, index)
    }
}

/// Whether a type is a matrix of a subgroup.
pub(super) const fn is_coop(ty: &Ty) -> bool {
    matches!(ty, Ty::Coop(_))
}

/// A fault of a matrix that only the lowered function shows: an effect of a function of elements, or the matrix's
/// place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatrixFault {
    /// Changes a variable or memory.
    Writes,
    /// Works together with other invocations.
    Together,
    /// Prints.
    Prints,
    /// It lies in an array of a function, which a call handed on.
    OwnArray,
    /// It lies in a buffer that is read as texels.
    Texels,
}

/// The effect of an instruction that others see; locals that are `own` may be written.
fn effect_of(module: &Module, kind: &InstKind, own: &dyn Fn(LocalId) -> bool) -> Option<MatrixFault> {
    match kind {
        InstKind::Store(place, _) => match place.root {
            Root::Local(local) if own(local) => None,
            _ => Some(MatrixFault::Writes),
        },
        InstKind::Atomic(_) => Some(MatrixFault::Writes),
        InstKind::Image(ImageOp::Store, ..) => Some(MatrixFault::Writes),
        InstKind::Barrier(_) | InstKind::Fence(..) | InstKind::Subgroup(..) => Some(MatrixFault::Together),
        kind if kind.is_of_coop() => Some(MatrixFault::Together),
        InstKind::Print(..) => Some(MatrixFault::Prints),
        InstKind::Call(callee, _) => {
            // Callees stand before callers.
            let mut insts = module.functions[*callee].insts.iter();
            insts.find_map(|(_, inst)| effect_of(module, &inst.kind, &|_| true))
        }
        _ => None,
    }
}
