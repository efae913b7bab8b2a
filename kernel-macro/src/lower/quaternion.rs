//! Rotations: methods of glam's `Quat`, and matrices made of angles, axes and quaternions, operation by operation as glam
//! computes them. A quaternion is a vector of four lanes here.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;

use super::function::FnCx;
use crate::ast::Expr;
use crate::builtin::rotation::Rotation;
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// The methods of vectors, matrices and quaternions that have to do with rotations.
    pub(super) fn rotation(&mut self, expr: &Expr, method: Rotation, args: &[ValueId]) -> ValueId {
        use Rotation as R;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let c = args.get(2).copied().unwrap_or(a);
        match method {
            R::FromRotationX => self.from_rotation(expr, 0, a),
            R::FromRotationY => self.from_rotation(expr, 1, a),
            R::FromRotationZ => self.from_rotation(expr, 2, a),
            R::FromAxisAngle => self.from_axis_angle(expr, a, b),
            R::FromQuat => {
                let turned = self.matrix_of_quat(a);
                self.resized(turned, self.size_of(expr))
            }
            R::FromRotationTranslation => {
                let (turned, last) = (self.matrix_of_quat(a), self.point(b));
                self.grown(turned, last)
            }
            R::FromScaleRotationTranslation => {
                let turned = self.matrix_of_quat(b);
                let last = self.point(c);
                let turned = self.grown(turned, last);
                let (mut columns, factors) = (self.columns(turned), self.lanes(a));
                for (column, factor) in columns.iter_mut().zip(factors) {
                    let factor = self.splat(factor, 4);
                    *column = self.b.op(Op::Mul, &[*column, factor]);
                }
                self.matrix(&columns)
            }
            R::FromScaledAxis => self.from_scaled_axis(a),
            R::FromRotationAxes => self.from_rotation_axes([a, b, c]),
            R::QuatFromMat3 => {
                let columns = self.columns(a);
                self.from_rotation_axes([columns[0], columns[1], columns[2]])
            }
            R::QuatFromMat4 => {
                let columns = self.columns(a);
                let axes = [0, 1, 2].map(|at| self.truncate(columns[at]));
                self.from_rotation_axes(axes)
            }
            R::FromXyzw => self.vector(args),
            R::QuatFromArray => self.vector_of_array(a, 4),
            R::QuatToArray => self.array_of_vector(a),
            R::Xyz => self.truncate(a),
            R::Conjugate | R::QuatInverse => self.conjugate(a),
            R::QuatDot => self.dot(a, b),
            R::QuatLength => self.length(a),
            R::QuatLengthSquared => self.dot(a, a),
            R::QuatLengthRecip => {
                let length = self.length(a);
                self.recip(length)
            }
            R::QuatNormalize => self.normalize(a),
            R::QuatLerp => self.lerp_quats(a, b, c),
            R::QuatSlerp => self.slerp_quats(a, b, c),
            R::QuatAngleBetween => self.angle_between_quats(a, b),
            R::QuatIsNormalized => self.is_normalized(a),
            R::IsNearIdentity => {
                let (w, limit) = (self.lane(a, 3), self.f32(1.0 - 1e-6));
                let size = self.b.op(Op::Abs, &[w]);
                self.b.op(Op::Gt, &[size, limit])
            }
            R::QuatAbsDiffEq => self.abs_diff_eq(a, b, c),
            R::SlerpLong => self.slerp_long(a, b, c),
            R::QuatRotateTowards => self.rotate_towards(expr, a, b, c),
            R::ToAxisAngle => {
                let (axis, angle) = self.axis_and_angle(a);
                self.tuple_of(expr, &[axis, angle])
            }
            R::ToScaledAxis => {
                let (axis, angle) = self.axis_and_angle(a);
                self.scaled(axis, angle)
            }
            R::ToScaleRotationTranslation => self.to_scale_rotation_translation(expr, a),
            R::FromRotationArcColinear => {
                let (dot, zero, opposite) = (self.dot(a, b), self.f32(0.0), self.b.op(Op::Neg, &[b]));
                let is_opposite = self.b.op(Op::Lt, &[dot, zero]);
                let to = self.select(is_opposite, opposite, b);
                self.quat_of_arc(a, to)
            }
            R::FromRotationArc2d => self.quat_of_flat_arc(a, b),
            R::FromRotationArc => self.quat_of_arc(a, b),
            R::MulQuat => self.multiply_quats(a, b),
            R::MulVec3 => self.rotate_vector(a, b),
            // The lanes stay.
            R::FromVec4 => a,
        }
    }

    /// The value of a tuple that an expression gives.
    pub(super) fn tuple_of(&mut self, expr: &Expr, members: &[ValueId]) -> ValueId {
        match self.ty(self.ty_of(expr)) {
            Some(ty) => self.compose(ty, members),
            None => unreachable!("a tuple of numbers has a type"),
        }
    }

    /// A 3×3 matrix, or what a matrix of four columns has there.
    fn resized(&mut self, matrix: ValueId, size: u8) -> ValueId {
        if size == 3 {
            return matrix;
        }
        let zeros = self.f32(0.0);
        let last = self.vector(&[zeros; 3]);
        let last = self.point(last);
        self.grown(matrix, last)
    }

    /// A turn about an axis by its number.
    fn from_rotation(&mut self, expr: &Expr, axis: usize, angle: ValueId) -> ValueId {
        let zero = self.f32(0.0);
        if *self.ty_of(expr) == Ty::Quat {
            let half = self.f32(0.5);
            let angle = self.b.op(Op::Mul, &[angle, half]);
            let (sin, cos) = (self.b.op(Op::Sin, &[angle]), self.b.op(Op::Cos, &[angle]));
            let mut lanes = [zero, zero, zero, cos];
            lanes[axis] = sin;
            return self.vector(&lanes);
        }
        let (sin, cos, one) = (self.b.op(Op::Sin, &[angle]), self.b.op(Op::Cos, &[angle]), self.f32(1.0));
        let opposite = self.b.op(Op::Neg, &[sin]);
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut cells = [[zero; 3]; 3];
        cells[axis][axis] = one;
        cells[first][first] = cos;
        cells[first][second] = sin;
        cells[second][first] = opposite;
        cells[second][second] = cos;
        let columns = cells.map(|column| self.vector(&column));
        let turned = self.matrix(&columns);
        self.resized(turned, self.size_of(expr))
    }

    fn from_axis_angle(&mut self, expr: &Expr, axis: ValueId, angle: ValueId) -> ValueId {
        if *self.ty_of(expr) == Ty::Quat {
            return self.quat_of_axis(axis, angle);
        }
        let (sin, cos) = (self.b.op(Op::Sin, &[angle]), self.b.op(Op::Cos, &[angle]));
        let factor = self.splat(sin, 3);
        let turned = self.b.op(Op::Mul, &[axis, factor]);
        let squares = self.b.op(Op::Mul, &[axis, axis]);
        let (turned, squares, lanes) = (self.lanes(turned), self.lanes(squares), self.lanes(axis));
        let one = self.f32(1.0);
        let rest = self.b.op(Op::Sub, &[one, cos]);
        let product = |cx: &mut Self, i: usize, j: usize| {
            let product = cx.b.op(Op::Mul, &[lanes[i], lanes[j]]);
            cx.b.op(Op::Mul, &[product, rest])
        };
        let (xy, xz, yz) = (product(self, 0, 1), product(self, 0, 2), product(self, 1, 2));
        let square = |cx: &mut Self, at: usize| {
            let product = cx.b.op(Op::Mul, &[squares[at], rest]);
            cx.b.op(Op::Add, &[product, cos])
        };
        let [x, y, z] = [turned[0], turned[1], turned[2]];
        let mut pair = |a: ValueId, b: ValueId| (self.b.op(Op::Add, &[a, b]), self.b.op(Op::Sub, &[a, b]));
        let ((xy_more, xy_less), (xz_more, xz_less), (yz_more, yz_less)) = (pair(xy, z), pair(xz, y), pair(yz, x));
        let (xx, yy, zz) = (square(self, 0), square(self, 1), square(self, 2));
        let cells = [[xx, xy_more, xz_less], [xy_less, yy, yz_more], [xz_more, yz_less, zz]];
        let columns = cells.map(|column| self.vector(&column));
        let turned = self.matrix(&columns);
        self.resized(turned, self.size_of(expr))
    }

    pub(super) fn quat_of_axis(&mut self, axis: ValueId, angle: ValueId) -> ValueId {
        let half = self.f32(0.5);
        let angle = self.b.op(Op::Mul, &[angle, half]);
        let (sin, cos) = (self.b.op(Op::Sin, &[angle]), self.b.op(Op::Cos, &[angle]));
        let sin = self.splat(sin, 3);
        let v = self.b.op(Op::Mul, &[axis, sin]);
        self.extend(v, cos)
    }

    /// The 3×3 matrix of a quaternion of length 1.
    fn matrix_of_quat(&mut self, quat: ValueId) -> ValueId {
        let doubles = self.b.op(Op::Add, &[quat, quat]);
        let (q, d) = (self.lanes(quat), self.lanes(doubles));
        let product = |cx: &mut Self, i: usize, j: usize| cx.b.op(Op::Mul, &[q[i], d[j]]);
        let [xx, xy, xz, yy, yz, zz, wx, wy, wz] =
            [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (3, 0), (3, 1), (3, 2)].map(|(i, j)| product(self, i, j));
        let one = self.f32(1.0);
        let rest = |cx: &mut Self, a: ValueId, b: ValueId| {
            let sum = cx.b.op(Op::Add, &[a, b]);
            cx.b.op(Op::Sub, &[one, sum])
        };
        let (x, y, z) = (rest(self, yy, zz), rest(self, xx, zz), rest(self, xx, yy));
        let mut sum = |op, a, b| self.b.op(op, &[a, b]);
        let cells = [
            [x, sum(Op::Add, xy, wz), sum(Op::Sub, xz, wy)],
            [sum(Op::Sub, xy, wz), y, sum(Op::Add, yz, wx)],
            [sum(Op::Add, xz, wy), sum(Op::Sub, yz, wx), z],
        ];
        let columns = cells.map(|column| self.vector(&column));
        self.matrix(&columns)
    }

    fn conjugate(&mut self, quat: ValueId) -> ValueId {
        let w = self.lane(quat, 3);
        let axis = self.truncate(quat);
        let opposite = self.b.op(Op::Neg, &[axis]);
        self.extend(opposite, w)
    }

    /// The end is taken with the other sign where that is nearer; the result has length 1.
    fn lerp_quats(&mut self, a: ValueId, b: ValueId, s: ValueId) -> ValueId {
        let dot = self.dot(a, b);
        let is_far = self.sign_test(dot, Op::Lt);
        let opposite = self.b.op(Op::Neg, &[b]);
        let end = self.select(is_far, opposite, b);
        let mixed = self.lerp(a, end, s);
        self.normalize(mixed)
    }

    /// Signs are exact factors, so that each lane is the sum of two sums of two products.
    pub(super) fn multiply_quats(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let mut turn = |lane: u8, order: [u8; 4], signs: [f32; 4]| {
            let (factor, other) = (self.shuffle(a, [lane; 4]), self.shuffle(b, order));
            let product = self.b.op(Op::Mul, &[factor, other]);
            let signs = signs.map(|sign| self.f32(sign));
            let signs = self.vector(&signs);
            self.b.op(Op::Mul, &[product, signs])
        };
        let by_x = turn(0, [3, 2, 1, 0], [1.0, -1.0, 1.0, -1.0]);
        let by_y = turn(1, [2, 3, 0, 1], [1.0, 1.0, -1.0, -1.0]);
        let by_z = turn(2, [1, 0, 3, 2], [-1.0, 1.0, 1.0, -1.0]);
        let w = self.shuffle(a, [3; 4]);
        let by_w = self.b.op(Op::Mul, &[w, b]);
        let (first, second) = (self.b.op(Op::Add, &[by_x, by_w]), self.b.op(Op::Add, &[by_z, by_y]));
        self.b.op(Op::Add, &[first, second])
    }

    /// `v * (w² - b·b) + b * (v·b * 2) + (b × v) * (w * 2)` for the axis `b` of the quaternion.
    pub(super) fn rotate_vector(&mut self, quat: ValueId, v: ValueId) -> ValueId {
        let (axis, w, two) = (self.truncate(quat), self.lane(quat, 3), self.f32(2.0));
        let square = self.dot(axis, axis);
        let w_square = self.b.op(Op::Mul, &[w, w]);
        let rest = self.b.op(Op::Sub, &[w_square, square]);
        let along = self.dot(v, axis);
        let along = self.b.op(Op::Mul, &[along, two]);
        let twice = self.b.op(Op::Mul, &[w, two]);
        let cross = self.cross(axis, v);
        let mut scaled = |v: ValueId, by: ValueId| {
            let by = self.splat(by, 3);
            self.b.op(Op::Mul, &[v, by])
        };
        let (first, second, third) = (scaled(v, rest), scaled(axis, along), scaled(cross, twice));
        let sum = self.b.op(Op::Add, &[first, second]);
        self.b.op(Op::Add, &[sum, third])
    }
}
