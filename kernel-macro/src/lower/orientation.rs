//! Quaternions out of axes, matrices and arcs, and these out of quaternions, operation by operation as glam computes them.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;

use super::function::FnCx;
use crate::ast::Expr;

impl FnCx<'_, '_, '_> {
    /// A vector divided by a number.
    fn divided(&mut self, v: ValueId, by: ValueId) -> ValueId {
        let by = self.splat(by, self.shape(v).1);
        self.b.op(Op::Div, &[v, by])
    }

    /// The turn about a vector by its length.
    pub(super) fn from_scaled_axis(&mut self, v: ValueId) -> ValueId {
        let (length, zero, one) = (self.length(v), self.f32(0.0), self.f32(1.0));
        let is_none = self.b.op(Op::Eq, &[length, zero]);
        // As in `slerp_by`.
        let divisor = self.select(is_none, one, length);
        let axis = self.divided(v, divisor);
        let (turn, none) = (self.quat_of_axis(axis, length), self.unit(4, 3));
        self.select(is_none, none, turn)
    }

    /// The axis of x and zero where a quaternion has almost no vector.
    pub(super) fn axis_and_angle(&mut self, quat: ValueId) -> (ValueId, ValueId) {
        let (v, w) = (self.truncate(quat), self.lane(quat, 3));
        let (length, least, one, two) = (self.length(v), self.f32(1.0e-8), self.f32(1.0), self.f32(2.0));
        let turns = self.b.op(Op::Ge, &[length, least]);
        let half = self.b.op(Op::Atan2, &[length, w]);
        let (angle, divisor) = (self.b.op(Op::Mul, &[two, half]), self.select(turns, length, one));
        let (axis, none, zero) = (self.divided(v, divisor), self.unit(3, 0), self.f32(0.0));
        (self.select(turns, axis, none), self.select(turns, angle, zero))
    }

    /// By the largest of the quaternion's lanes, which the diagonal tells.
    pub(super) fn from_rotation_axes(&mut self, axes: [ValueId; 3]) -> ValueId {
        let [x, y, z] = axes.map(|axis| self.lanes(axis));
        let (zero, one, half) = (self.f32(0.0), self.f32(1.0), self.f32(0.5));
        let mut op = |op: Op, a: ValueId, b: ValueId| self.b.op(op, &[a, b]);
        let (is_flat, difference, sum) = (op(Op::Le, z[2], zero), op(Op::Sub, y[1], x[0]), op(Op::Add, y[1], x[0]));
        let (less, more) = (op(Op::Sub, one, z[2]), op(Op::Add, one, z[2]));
        let (is_x, is_z) = (op(Op::Le, difference, zero), op(Op::Le, sum, zero));
        let squares = [
            op(Op::Sub, less, difference),
            op(Op::Add, less, difference),
            op(Op::Sub, more, sum),
            op(Op::Add, more, sum),
        ];
        let (xy, xz, yz) = (op(Op::Add, x[1], y[0]), op(Op::Add, x[2], z[0]), op(Op::Add, y[2], z[1]));
        let (xw, yw, zw) = (op(Op::Sub, y[2], z[1]), op(Op::Sub, z[0], x[2]), op(Op::Sub, x[1], y[0]));
        let mut largest = |[x, y, z, w]: [ValueId; 4]| {
            let (flat, steep) = (self.select(is_x, x, y), self.select(is_z, z, w));
            self.select(is_flat, flat, steep)
        };
        let square = largest(squares);
        let lanes =
            [[square, xy, xz, xw], [xy, square, yz, yw], [xz, yz, square, zw], [xw, yw, zw, square]].map(&mut largest);
        let root = self.b.op(Op::Sqrt, &[square]);
        let factor = self.b.op(Op::Div, &[half, root]);
        let v = self.vector(&lanes);
        self.scaled(v, factor)
    }

    /// The turn about the axis of z that takes one direction to another.
    pub(super) fn quat_of_flat_arc(&mut self, from: ValueId, to: ValueId) -> ValueId {
        let (near, far) = (self.f32(1.0 - 2.0 * f32::EPSILON), self.f32(2.0 * f32::EPSILON - 1.0));
        let (dot, zero, one) = (self.dot(from, to), self.f32(0.0), self.f32(1.0));
        let (is_near, is_far) = (self.b.op(Op::Gt, &[dot, near]), self.b.op(Op::Lt, &[dot, far]));
        let (l, r) = (self.lanes(from), self.lanes(to));
        let (first, second) = (self.b.op(Op::Mul, &[l[0], r[1]]), self.b.op(Op::Mul, &[r[0], l[1]]));
        let (z, w) = (self.b.op(Op::Sub, &[first, second]), self.b.op(Op::Add, &[one, dot]));
        // As in `slerp_by`.
        let w = self.select(is_far, one, w);
        let (z_square, w_square) = (self.b.op(Op::Mul, &[z, z]), self.b.op(Op::Mul, &[w, w]));
        let square = self.b.op(Op::Add, &[z_square, w_square]);
        let root = self.b.op(Op::Sqrt, &[square]);
        let factor = self.recip(root);
        let [z, w] = [z, w].map(|lane| self.b.op(Op::Mul, &[lane, factor]));
        let (turn, none, opposite) = (self.vector(&[zero, zero, z, w]), self.unit(4, 3), self.unit(4, 2));
        let turn = self.select(is_far, opposite, turn);
        self.select(is_near, none, turn)
    }

    /// A negative angle leads away from `to`.
    pub(super) fn rotate_towards(&mut self, expr: &Expr, from: ValueId, to: ValueId, most: ValueId) -> ValueId {
        let (zero, dot) = (self.f32(0.0), self.dot(from, to));
        let is_away = self.b.op(Op::Lt, &[most, zero]);
        let along = self.scaled(to, dot);
        let across = self.b.op(Op::Sub, &[from, along]);
        let across = self.normalize(across);
        let opposite = self.b.op(Op::Neg, &[most]);
        let (first, limit) = (self.angle_between_quats(from, to), self.f32(1e-4));
        let is_there = self.b.op(Op::Le, &[first, limit]);
        let (target, most) = (self.select(is_away, across, to), self.select(is_away, opposite, most));
        let angle = self.angle_between_quats(from, target);
        let is_at_target = self.b.op(Op::Le, &[angle, limit]);
        let (part, one) = (self.b.op(Op::Div, &[most, angle]), self.f32(1.0));
        let part = self.clamp(expr, part, zero, one);
        let turned = self.slerp_quats(from, target, part);
        let turned = self.select(is_at_target, target, turned);
        self.select(is_there, to, turned)
    }

    /// Of a matrix made of these; a mirrored one has a negative scale of x.
    pub(super) fn to_scale_rotation_translation(&mut self, expr: &Expr, matrix: ValueId) -> ValueId {
        let columns = self.columns(matrix);
        let axes = [0, 1, 2].map(|at| self.truncate(columns[at]));
        let cross = self.cross(axes[1], axes[2]);
        let determinant = self.dot(axes[0], cross);
        let sign = self.signum(determinant);
        let [x, y, z] = axes.map(|axis| self.length(axis));
        let x = self.b.op(Op::Mul, &[x, sign]);
        let scale = self.vector(&[x, y, z]);
        let factors = self.recip(scale);
        let factors = self.lanes(factors);
        let axes = [0, 1, 2].map(|at| self.scaled(axes[at], factors[at]));
        let (rotation, translation) = (self.from_rotation_axes(axes), self.truncate(columns[3]));
        self.tuple_of(expr, &[scale, rotation, translation])
    }
}
