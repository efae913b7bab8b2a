//! Methods and operators of glam's matrices, operation by operation as glam's build for x86-64 computes them. Quaternions have
//! a file of their own.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{Place, Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, Type};

use super::function::FnCx;
use crate::ast::{BinaryOp, Expr};
use crate::builtin::matrix::{self, Linear};
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// A method of [`Linear`] on evaluated arguments.
    pub(super) fn linear(&mut self, expr: &Expr, method: Linear, args: &[ValueId]) -> ValueId {
        use Linear as L;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let c = args.get(2).copied().unwrap_or(a);
        match method {
            L::FromCols => self.matrix(args),
            L::FromRows => {
                let rows = self.matrix(args);
                self.transpose(rows)
            }
            L::FromRowsArray => {
                let rows = self.matrix_of_cells(a, self.size_of(expr), false);
                self.transpose(rows)
            }
            L::FromDiagonal => self.from_diagonal(a),
            L::Diagonal => self.diagonal(a),
            L::Col => self.column_at(expr, a, b),
            L::Row => {
                let transposed = self.transpose(a);
                self.column_at(expr, transposed, b)
            }
            L::FromColsArray | L::FromColsArray2d => {
                self.matrix_of_cells(a, self.size_of(expr), method == L::FromColsArray2d)
            }
            L::ToColsArray => self.cells(a, false),
            L::ToRowsArray => {
                let rows = self.transpose(a);
                self.cells(rows, false)
            }
            L::ToColsArray2d => self.cells(a, true),
            L::Transpose => self.transpose(a),
            L::Determinant => self.determinant(a),
            L::Inverse => self.matrix_inverse(a),
            L::TryInverse => {
                let inverse = self.matrix_inverse(a);
                let is_finite = self.is_finite_matrix(inverse);
                self.some_if(expr, is_finite, inverse)
            }
            L::InverseOrZero => {
                let inverse = self.matrix_inverse(a);
                let is_finite = self.is_finite_matrix(inverse);
                self.each_column(inverse, |cx, column| {
                    let zero = cx.float_like(column, 0.0);
                    cx.select(is_finite, column, zero)
                })
            }
            L::MulMatrix => self.each_column(b, |cx, column| cx.matrix_times_vector(a, column)),
            L::AddMatrix => self.paired_columns(a, b, Op::Add),
            L::SubMatrix => self.paired_columns(a, b, Op::Sub),
            L::TransposeMulVec | L::MulTransposeVec => {
                let lanes: Vec<_> = self.columns(a).into_iter().map(|column| self.dot(column, b)).collect();
                self.vector(&lanes)
            }
            L::MulDiagonalScale => {
                let pairs: Vec<_> = self.columns(a).into_iter().zip(self.lanes(b)).collect();
                let columns: Vec<_> = pairs.into_iter().map(|(column, factor)| self.scaled(column, factor)).collect();
                self.matrix(&columns)
            }
            L::MulVec => self.matrix_times_vector(a, b),
            L::MulScalar => self.each_column_with(a, Op::Mul, b),
            L::DivScalar => self.each_column_with(a, Op::Div, b),
            L::MatrixAbs => self.each_column(a, |cx, column| cx.b.op(Op::Abs, &[column])),
            L::IsNan => self.any_part(a, |cx, part| cx.b.op(Op::IsNan, &[part])),
            L::MatrixRecip => self.each_column(a, |cx, column| cx.recip(column)),
            L::MatrixAbsDiffEq => {
                let pairs: Vec<_> = self.columns(a).into_iter().zip(self.columns(b)).collect();
                let mut all = self.bool(true);
                for (a, b) in pairs {
                    let here = self.abs_diff_eq(a, b, c);
                    all = self.b.op(Op::And, &[all, here]);
                }
                all
            }
            L::IsFinite => self.is_finite_matrix(a),
            L::FromScale2 | L::FromScale3 => {
                let one = self.f32(1.0);
                let diagonal = self.extend(a, one);
                self.from_diagonal(diagonal)
            }
            L::FromTranslation2 | L::FromTranslation3 => self.from_translation(a),
            L::FromAngle => self.from_angle(a, self.size_of(expr)),
            L::FromScaleAngle => self.from_scale_angle(a, b),
            L::FromScaleAngleTranslation => {
                let turned = self.from_scale_angle(a, b);
                let (columns, one) = (self.columns(turned), self.f32(1.0));
                let (x, y) = (self.grow(columns[0]), self.grow(columns[1]));
                let z = self.extend(c, one);
                self.matrix(&[x, y, z])
            }
            L::ShrinkMat3 | L::ShrinkMat4 => {
                let columns = self.columns(a);
                let columns: Vec<_> = columns[1..].iter().zip(&columns).map(|(_, c)| self.truncate(*c)).collect();
                self.matrix(&columns)
            }
            L::GrowMat2 | L::GrowMat3 => {
                let count = self.columns(a).len() as u8 + 1;
                let last = self.unit(count, count - 1);
                self.grown(a, last)
            }
            L::FromMat3Translation => {
                let last = self.point(b);
                self.grown(a, last)
            }
            L::TransformPoint2 => {
                let columns = self.columns(a);
                let (moved, last) = (self.transform_vector(a, b), self.truncate(columns[2]));
                self.b.op(Op::Add, &[moved, last])
            }
            L::TransformVector2 => self.transform_vector(a, b),
            L::TransformPoint3 => {
                let moved = self.transform_point3(a, b);
                self.truncate(moved)
            }
            L::TransformVector3 => self.transform_vector(a, b),
            L::ProjectPoint3 => {
                let moved = self.transform_point3(a, b);
                let w = self.lane(moved, 3);
                let w = self.splat(w, 4);
                let projected = self.b.op(Op::Div, &[moved, w]);
                self.truncate(projected)
            }
        }
    }

    /// An operator with a matrix or quaternion on one side.
    pub(super) fn linear_operator(&mut self, op: BinaryOp, left: (&Ty, ValueId), right: (&Ty, ValueId)) -> ValueId {
        let ((left_ty, a), (right_ty, b)) = (left, right);
        let own = match op {
            BinaryOp::Add => Op::Add,
            BinaryOp::Sub => Op::Sub,
            BinaryOp::Div => Op::Div,
            _ => Op::Mul,
        };
        match (left_ty, right_ty) {
            (Ty::Matrix(_), Ty::Matrix(_)) if own == Op::Mul => {
                self.each_column(b, |cx, column| cx.matrix_times_vector(a, column))
            }
            (Ty::Matrix(_), Ty::Matrix(_)) => self.paired_columns(a, b, own),
            (Ty::Matrix(_), Ty::Vector(..)) => self.matrix_times_vector(a, b),
            (Ty::Matrix(_), _) => self.each_column_with(a, own, b),
            (_, Ty::Matrix(size)) => {
                let a = self.splat(a, *size);
                self.each_column(b, |cx, column| cx.b.op(own, &[a, column]))
            }
            (Ty::Quat, Ty::Quat) if own == Op::Mul => self.multiply_quats(a, b),
            (Ty::Quat, Ty::Quat) => self.b.op(own, &[a, b]),
            (Ty::Quat, Ty::Vector(..)) => self.rotate_vector(a, b),
            _ => {
                let b = self.splat(b, matrix::QUAT_LANES);
                self.b.op(own, &[a, b])
            }
        }
    }

    /// A matrix with another sign in each cell. (A quaternion is multiplied by -1, which is the same but for NaN.)
    pub(super) fn negated_matrix(&mut self, matrix: ValueId) -> ValueId {
        self.each_column(matrix, |cx, column| cx.b.op(Op::Neg, &[column]))
    }

    /// The columns and rows of the matrix that an expression gives.
    pub(super) fn size_of(&self, expr: &Expr) -> u8 {
        match self.ty_of(expr) {
            Ty::Matrix(size) => *size,
            _ => matrix::QUAT_LANES,
        }
    }

    /// A matrix from its columns.
    pub(super) fn matrix(&mut self, columns: &[ValueId]) -> ValueId {
        let ty = self.shared.types.lower(self.b.types_mut(), &Ty::Matrix(columns.len() as u8));
        match ty {
            Some(ty) => self.compose(ty, columns),
            None => unreachable!("a matrix has a type"),
        }
    }

    pub(super) fn columns(&mut self, matrix: ValueId) -> Vec<ValueId> {
        let count = match self.b.types().get(self.b.value_type(matrix)) {
            Type::Struct(id) => self.b.types().struct_def(*id).fields.len() as u32,
            _ => 0,
        };
        (0..count).map(|index| self.b.extract(matrix, &[index])).collect()
    }

    fn each_column(&mut self, matrix: ValueId, change: impl Fn(&mut Self, ValueId) -> ValueId) -> ValueId {
        let columns: Vec<_> = self.columns(matrix).into_iter().map(|column| change(self, column)).collect();
        self.matrix(&columns)
    }

    fn each_column_with(&mut self, matrix: ValueId, op: Op, scalar: ValueId) -> ValueId {
        self.each_column(matrix, |cx, column| {
            let count = cx.shape(column).1;
            let scalar = cx.splat(scalar, count);
            cx.b.op(op, &[column, scalar])
        })
    }

    /// An op on two matrices, column by column.
    fn paired_columns(&mut self, a: ValueId, b: ValueId, op: Op) -> ValueId {
        let pairs: Vec<_> = self.columns(a).into_iter().zip(self.columns(b)).collect();
        let columns: Vec<_> = pairs.into_iter().map(|(a, b)| self.b.op(op, &[a, b])).collect();
        self.matrix(&columns)
    }

    /// Whether all cells, or all lanes of a quaternion, are finite.
    fn is_finite_matrix(&mut self, value: ValueId) -> ValueId {
        let odd = self.any_part(value, |cx, part| {
            let finite = cx.is_finite(part);
            cx.b.op(Op::Not, &[finite])
        });
        self.b.op(Op::Not, &[odd])
    }

    /// Whether a test holds for a lane of a quaternion or a cell of a matrix.
    fn any_part(&mut self, value: ValueId, test: impl Fn(&mut Self, ValueId) -> ValueId) -> ValueId {
        let parts =
            if self.shape_of_type(self.b.value_type(value)).is_some() { vec![value] } else { self.columns(value) };
        let mut found = None;
        for part in parts {
            let lanes = test(self, part);
            let here = self.b.op(Op::Any, &[lanes]);
            found = Some(found.map_or(here, |found| self.b.op(Op::Or, &[found, here])));
        }
        found.unwrap_or_else(|| self.bool(false))
    }

    /// Zeros, with a 1 in one lane.
    pub(super) fn unit(&mut self, count: u8, at: u8) -> ValueId {
        let lanes: Vec<_> = (0..count).map(|lane| self.f32(if lane == at { 1.0 } else { 0.0 })).collect();
        self.vector(&lanes)
    }

    /// One lane more: zero.
    fn grow(&mut self, column: ValueId) -> ValueId {
        let zero = self.f32(0.0);
        self.extend(column, zero)
    }

    /// One lane more: 1.
    pub(super) fn point(&mut self, v: ValueId) -> ValueId {
        let one = self.f32(1.0);
        self.extend(v, one)
    }

    /// One row of zeros more, and a last column.
    pub(super) fn grown(&mut self, matrix: ValueId, last: ValueId) -> ValueId {
        let mut columns: Vec<_> = self.columns(matrix).into_iter().map(|column| self.grow(column)).collect();
        columns.push(last);
        self.matrix(&columns)
    }

    fn from_diagonal(&mut self, diagonal: ValueId) -> ValueId {
        let (lanes, zero) = (self.lanes(diagonal), self.f32(0.0));
        let column = |cx: &mut Self, at: usize| {
            let cells: Vec<_> = (0..lanes.len()).map(|row| if row == at { lanes[at] } else { zero }).collect();
            cx.vector(&cells)
        };
        let columns: Vec<_> = (0..lanes.len()).map(|at| column(self, at)).collect();
        self.matrix(&columns)
    }

    fn diagonal(&mut self, matrix: ValueId) -> ValueId {
        let cells: Vec<_> =
            self.columns(matrix).into_iter().enumerate().map(|(at, column)| self.lane(column, at as u8)).collect();
        self.vector(&cells)
    }

    fn transpose(&mut self, matrix: ValueId) -> ValueId {
        let columns = self.columns(matrix);
        let row = |cx: &mut Self, at: u8| {
            let cells: Vec<_> = columns.iter().map(|column| cx.lane(*column, at)).collect();
            cx.vector(&cells)
        };
        let rows: Vec<_> = (0..columns.len()).map(|at| row(self, at as u8)).collect();
        self.matrix(&rows)
    }

    /// An index out of range traps, as one into an array of the columns does.
    fn column_at(&mut self, expr: &Expr, matrix: ValueId, index: ValueId) -> ValueId {
        let columns = self.columns(matrix);
        if let Some(known) = self.known_scalar(index).filter(|known| *known < columns.len() as u64) {
            return columns[known as usize];
        }
        let column = self.b.value_type(columns[0]);
        let ty = self.b.types_mut().array(column, columns.len() as u32);
        let array = self.compose(ty, &columns);
        let check = Some(self.site(SiteKind::IndexOutOfBounds, expr));
        let mut place = Place::local(self.spill(array, "columns"));
        place.path.push(Step::Index { value: index, check });
        self.b.load(place)
    }

    /// A matrix of the cells of an array: of arrays, one for each column, or one of all columns.
    fn matrix_of_cells(&mut self, cells: ValueId, size: u8, by_column: bool) -> ValueId {
        let columns: Vec<_> = (0..u32::from(size))
            .map(|column| {
                let cell = |row| if by_column { vec![column, row] } else { vec![column * u32::from(size) + row] };
                let lanes: Vec<_> = (0..size.into()).map(|row| self.b.extract(cells, &cell(row))).collect();
                self.vector(&lanes)
            })
            .collect();
        self.matrix(&columns)
    }

    /// All cells, column by column: in one array, or in one for each column.
    fn cells(&mut self, matrix: ValueId, by_column: bool) -> ValueId {
        let columns = self.columns(matrix);
        if by_column {
            let arrays: Vec<_> = columns.into_iter().map(|column| self.array_of_vector(column)).collect();
            let element = self.b.value_type(arrays[0]);
            let ty = self.b.types_mut().array(element, arrays.len() as u32);
            return self.compose(ty, &arrays);
        }
        let cells: Vec<_> = columns.into_iter().flat_map(|column| self.lanes(column)).collect();
        let element = self.b.types_mut().scalar(Scalar::F32);
        let ty = self.b.types_mut().array(element, cells.len() as u32);
        self.compose(ty, &cells)
    }

    /// The sum of the columns, each times its lane, from the first to the last.
    pub(super) fn matrix_times_vector(&mut self, matrix: ValueId, v: ValueId) -> ValueId {
        let (columns, lanes) = (self.columns(matrix), self.lanes(v));
        self.combine(&columns, &lanes)
    }

    fn combine(&mut self, columns: &[ValueId], factors: &[ValueId]) -> ValueId {
        let mut sum = None;
        for (column, factor) in columns.iter().zip(factors) {
            let count = self.shape(*column).1;
            let factor = self.splat(*factor, count);
            let product = self.b.op(Op::Mul, &[*column, factor]);
            sum = Some(sum.map_or(product, |sum| self.b.op(Op::Add, &[sum, product])));
        }
        sum.unwrap_or(columns[0])
    }

    /// The direction `v`, by the matrix without its last row and column.
    fn transform_vector(&mut self, matrix: ValueId, v: ValueId) -> ValueId {
        let (columns, lanes) = (self.columns(matrix), self.lanes(v));
        let moved = self.combine(&columns[..lanes.len()], &lanes);
        self.truncate(moved)
    }

    fn transform_point3(&mut self, matrix: ValueId, v: ValueId) -> ValueId {
        let (columns, lanes) = (self.columns(matrix), self.lanes(v));
        let moved = self.combine(&columns[..3], &lanes);
        self.b.op(Op::Add, &[columns[3], moved])
    }

    fn from_translation(&mut self, v: ValueId) -> ValueId {
        let count = self.shape(v).1 + 1;
        let mut columns: Vec<_> = (0..count - 1).map(|at| self.unit(count, at)).collect();
        columns.push(self.point(v));
        self.matrix(&columns)
    }

    /// `(cos, sin)` and `(-sin, cos)`; with three columns the turn about the last axis.
    pub(super) fn from_angle(&mut self, angle: ValueId, size: u8) -> ValueId {
        let (sin, cos) = (self.b.op(Op::Sin, &[angle]), self.b.op(Op::Cos, &[angle]));
        let opposite = self.b.op(Op::Neg, &[sin]);
        let (x, y) = (self.vector(&[cos, sin]), self.vector(&[opposite, cos]));
        let mut turned = self.matrix(&[x, y]);
        for count in 2..size {
            let last = self.unit(count + 1, count);
            turned = self.grown(turned, last);
        }
        turned
    }

    fn from_scale_angle(&mut self, scale: ValueId, angle: ValueId) -> ValueId {
        let turned = self.from_angle(angle, 2);
        let (columns, lanes) = (self.columns(turned), self.lanes(scale));
        let scaled = |cx: &mut Self, at: usize| {
            let factor = cx.splat(lanes[at], 2);
            cx.b.op(Op::Mul, &[columns[at], factor])
        };
        let columns = [scaled(self, 0), scaled(self, 1)];
        self.matrix(&columns)
    }

    fn determinant(&mut self, matrix: ValueId) -> ValueId {
        let columns = self.columns(matrix);
        match columns[..] {
            [x, y] => {
                let (x, y) = (self.lanes(x), self.lanes(y));
                let (first, second) = (self.b.op(Op::Mul, &[x[0], y[1]]), self.b.op(Op::Mul, &[x[1], y[0]]));
                self.b.op(Op::Sub, &[first, second])
            }
            [x, y, z] => {
                let cross = self.cross(y, z);
                self.dot(x, cross)
            }
            _ => self.determinant4(&columns),
        }
    }

    fn matrix_inverse(&mut self, matrix: ValueId) -> ValueId {
        let columns = self.columns(matrix);
        match columns[..] {
            [x, y] => {
                let determinant = self.determinant(matrix);
                let (one, minus_one) = (self.f32(1.0), self.f32(-1.0));
                let same = self.b.op(Op::Div, &[one, determinant]);
                let opposite = self.b.op(Op::Div, &[minus_one, determinant]);
                let (x, y) = (self.lanes(x), self.lanes(y));
                let cells = [(y[1], same), (x[1], opposite), (y[0], opposite), (x[0], same)];
                let cells = cells.map(|(cell, factor)| self.b.op(Op::Mul, &[cell, factor]));
                let (x, y) = (self.vector(&cells[..2]), self.vector(&cells[2..]));
                self.matrix(&[x, y])
            }
            [x, y, z] => {
                let rows = [self.cross(y, z), self.cross(z, x), self.cross(x, y)];
                let determinant = self.dot(x, rows[0]);
                let factor = self.recip(determinant);
                let factor = self.splat(factor, 3);
                let rows = rows.map(|row| self.b.op(Op::Mul, &[row, factor]));
                let rows = self.matrix(&rows);
                self.transpose(rows)
            }
            _ => self.inverse4(&columns),
        }
    }

    /// Lanes picked from several vectors.
    pub(super) fn pick(&mut self, lanes: &[(ValueId, u8)]) -> ValueId {
        let lanes: Vec<_> = lanes.iter().map(|(v, lane)| self.lane(*v, *lane)).collect();
        self.vector(&lanes)
    }

    /// Lanes of one vector in another order.
    pub(super) fn shuffle(&mut self, v: ValueId, order: [u8; 4]) -> ValueId {
        self.pick(&order.map(|lane| (v, lane)))
    }

    /// `a * b - c * d`
    fn difference(&mut self, a: ValueId, b: ValueId, c: ValueId, d: ValueId) -> ValueId {
        let (first, second) = (self.b.op(Op::Mul, &[a, b]), self.b.op(Op::Mul, &[c, d]));
        self.b.op(Op::Sub, &[first, second])
    }

    /// A vector with the signs of 1 and -1 in turn.
    fn alternating(&mut self, v: ValueId, first: f32) -> ValueId {
        let signs = [first, -first, first, -first].map(|sign| self.f32(sign));
        let signs = self.vector(&signs);
        self.b.op(Op::Mul, &[v, signs])
    }

    /// By the minors of the last two columns, shared among the cofactors of the first.
    fn determinant4(&mut self, columns: &[ValueId]) -> ValueId {
        let [x, y, z, w] = *columns else { unreachable!("four columns") };
        let shuffled = [(z, [2, 1, 1, 0]), (w, [3, 3, 2, 3]), (z, [3, 3, 2, 3]), (w, [2, 1, 1, 0])];
        let [za, wa, zb, wb] = shuffled.map(|(v, order)| self.shuffle(v, order));
        let minors = self.difference(za, wa, zb, wb);
        let (zc, wc) = (self.shuffle(z, [2, 1, 0, 0]), self.shuffle(w, [0, 0, 2, 1]));
        let products = self.b.op(Op::Mul, &[zc, wc]);
        let swapped = self.shuffle(products, [2, 3, 2, 3]);
        let more = self.b.op(Op::Sub, &[swapped, products]);

        let first = self.shuffle(minors, [0, 0, 1, 2]);
        let second = self.pick(&[(minors, 1), (minors, 3), (minors, 3), (more, 0)]);
        let third = self.pick(&[(minors, 2), (more, 0), (more, 1), (more, 1)]);
        let ya = self.shuffle(y, [1, 0, 0, 0]);
        let yb = self.shuffle(y, [2, 2, 1, 1]);
        let yc = self.shuffle(y, [3, 3, 3, 2]);
        let cofactors = self.difference(ya, first, yb, second);
        let last = self.b.op(Op::Mul, &[yc, third]);
        let cofactors = self.b.op(Op::Add, &[cofactors, last]);
        let cofactors = self.alternating(cofactors, 1.0);
        self.dot(x, cofactors)
    }

    /// By cofactors, each column of the inverse from three of six vectors of minors.
    fn inverse4(&mut self, columns: &[ValueId]) -> ValueId {
        let [x, y, z, w] = *columns else { unreachable!("four columns") };
        let minors = [(3, 2), (3, 1), (2, 1), (3, 0), (2, 0), (1, 0)].map(|(p, q)| {
            let zy = |cx: &mut Self, lane| cx.pick(&[(z, lane), (z, lane), (y, lane), (y, lane)]);
            let wz = |cx: &mut Self, lane| cx.pick(&[(w, lane), (w, lane), (w, lane), (z, lane)]);
            let (zy_q, wz_p, wz_q, zy_p) = (zy(self, q), wz(self, p), wz(self, q), zy(self, p));
            self.difference(zy_q, wz_p, wz_q, zy_p)
        });
        let rows = [0, 1, 2, 3].map(|lane| self.pick(&[(y, lane), (x, lane), (x, lane), (x, lane)]));
        let terms =
            [[(1, 0), (2, 1), (3, 2)], [(0, 0), (2, 3), (3, 4)], [(0, 1), (1, 3), (3, 5)], [(0, 2), (1, 4), (2, 5)]];
        let signs = [1.0, -1.0, 1.0, -1.0];
        let adjugate: Vec<_> = terms
            .into_iter()
            .zip(signs)
            .map(|([(a, p), (b, q), (c, r)], sign)| {
                let sum = self.difference(rows[a], minors[p], rows[b], minors[q]);
                let last = self.b.op(Op::Mul, &[rows[c], minors[r]]);
                let sum = self.b.op(Op::Add, &[sum, last]);
                self.alternating(sum, sign)
            })
            .collect();
        let first: Vec<_> = adjugate.iter().map(|column| (*column, 0)).collect();
        let first = self.pick(&first);
        let determinant = self.dot(x, first);
        let factor = self.recip(determinant);
        let factor = self.splat(factor, 4);
        let columns: Vec<_> = adjugate.into_iter().map(|column| self.b.op(Op::Mul, &[column, factor])).collect();
        self.matrix(&columns)
    }
}
