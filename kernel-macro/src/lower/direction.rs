//! Angles between vectors and between quaternions, turns of vectors, and what is at right angles to one, operation by operation as
//! glam computes them.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;

use super::function::FnCx;
use crate::ast::Expr;
use crate::builtin::direction::Direction;

/// Factors of glam's own polynomial for the arc cosine, the highest power first.
const ARC_COSINE: [f32; 8] = [
    -0.001_262_491_1,
    0.006_670_09,
    -0.017_088_126,
    0.030_891_88,
    -0.050_174_303,
    0.088_978_99,
    -0.214_598_8,
    // The float below a quarter of a turn.
    f32::from_bits(0x3fc9_0fda),
];

impl FnCx<'_, '_, '_> {
    /// A method of vectors that has to do with directions.
    pub(super) fn of_directions(&mut self, expr: &Expr, method: Direction, args: &[ValueId]) -> Option<ValueId> {
        use Direction as D;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let c = args.get(2).copied().unwrap_or(a);
        Some(match method {
            D::AngleBetween => self.angle_between(a, b),
            D::AngleToVec2 => {
                let (angle, side) = (self.angle_between(a, b), self.perp_dot(a, b));
                let sign = self.signum(side);
                self.b.op(Op::Mul, &[angle, sign])
            }
            D::AngleToVec3 => {
                let normal = self.cross(a, b);
                let (sin, cos) = (self.dot(normal, c), self.dot(a, b));
                self.b.op(Op::Atan2, &[sin, cos])
            }
            D::RotateX => self.rotate_about(a, 0, b),
            D::RotateY => self.rotate_about(a, 1, b),
            D::RotateZ => self.rotate_about(a, 2, b),
            D::RotateAxis => {
                let turn = self.quat_of_axis(b, c);
                self.rotate_vector(turn, a)
            }
            D::RotateAngle => self.turned_by(a, b),
            D::RotateTowardsVec2 => {
                let (angle, side) = (self.angle_between(a, b), self.perp_dot(a, b));
                let sign = self.signum(side);
                let angle = self.b.op(Op::Mul, &[angle, sign]);
                let (size, sign) = (self.b.op(Op::Abs, &[angle]), self.signum(angle));
                let angle = self.angle_towards(expr, size, c);
                let angle = self.b.op(Op::Mul, &[angle, sign]);
                let turn = self.direction_of(angle);
                self.complex_product(turn, a)
            }
            D::RotateTowardsVec3 => {
                let angle = self.angle_between(a, b);
                let angle = self.angle_towards(expr, angle, c);
                let (normal, across) = (self.cross(a, b), self.any_orthogonal_vector(a));
                let ((is_fine, normal), across) = (self.checked_normalize(normal), self.normalize(across));
                let axis = self.select(is_fine, normal, across);
                let turn = self.quat_of_axis(axis, angle);
                self.rotate_vector(turn, a)
            }
            D::SlerpVec3 => self.slerp_vectors(a, b, c),
            D::AnyOrthogonalVector => self.any_orthogonal_vector(a),
            D::AnyOrthonormalVector => self.orthonormal_pair(a)[1],
            D::AnyOrthonormalPair => {
                let pair = self.orthonormal_pair(a);
                let ty = self.ty_of(expr).clone();
                let ty = self.ty(&ty)?;
                self.compose(ty, &pair)
            }
            D::IsNormalized => self.is_normalized(a),
        })
    }

    pub(super) fn is_normalized(&mut self, v: ValueId) -> ValueId {
        let (squared, one, limit) = (self.dot(v, v), self.f32(1.0), self.f32(2e-4));
        let difference = self.b.op(Op::Sub, &[squared, one]);
        let size = self.b.op(Op::Abs, &[difference]);
        self.b.op(Op::Le, &[size, limit])
    }

    fn angle_between(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (along, a_squared, b_squared) = (self.dot(a, b), self.dot(a, a), self.dot(b, b));
        let squared = self.b.op(Op::Mul, &[a_squared, b_squared]);
        let length = self.b.op(Op::Sqrt, &[squared]);
        let cos = self.b.op(Op::Div, &[along, length]);
        self.acos_approx(cos)
    }

    /// The angle between two rotations.
    pub(super) fn angle_between_quats(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let dot = self.dot(a, b);
        let size = self.b.op(Op::Abs, &[dot]);
        let (angle, two) = (self.acos_approx(size), self.f32(2.0));
        self.b.op(Op::Mul, &[angle, two])
    }

    /// glam's arc cosine of a number that is held within -1 and 1.
    fn acos_approx(&mut self, cos: ValueId) -> ValueId {
        let (zero, one, half_turn) = (self.f32(0.0), self.f32(1.0), self.f32(std::f32::consts::PI));
        let is_sharp = self.b.op(Op::Ge, &[cos, zero]);
        let x = self.b.op(Op::Abs, &[cos]);
        let rest = self.b.op(Op::Sub, &[one, x]);
        let is_outside = self.b.op(Op::Lt, &[rest, zero]);
        let rest = self.select(is_outside, zero, rest);
        let root = self.b.op(Op::Sqrt, &[rest]);
        let mut sum = self.f32(ARC_COSINE[0]);
        for factor in &ARC_COSINE[1..] {
            let (product, factor) = (self.b.op(Op::Mul, &[sum, x]), self.f32(*factor));
            sum = self.b.op(Op::Add, &[product, factor]);
        }
        let angle = self.b.op(Op::Mul, &[sum, root]);
        let other = self.b.op(Op::Sub, &[half_turn, angle]);
        self.select(is_sharp, angle, other)
    }

    /// The direction at an angle to the axis of x.
    pub(super) fn direction_of(&mut self, angle: ValueId) -> ValueId {
        let (sin, cos) = (self.sin(angle), self.cos(angle));
        self.vector(&[cos, sin])
    }

    fn turned_by(&mut self, v: ValueId, angle: ValueId) -> ValueId {
        let turn = self.direction_of(angle);
        self.complex_product(v, turn)
    }

    /// An angle of at most `most`; a negative one leads away, up to half a turn.
    fn angle_towards(&mut self, expr: &Expr, most: ValueId, angle: ValueId) -> ValueId {
        let half_turn = self.f32(std::f32::consts::PI);
        let least = self.b.op(Op::Sub, &[most, half_turn]);
        self.clamp(expr, angle, least, most)
    }

    /// Interpolation of angle and length; of almost opposite vectors by way of one at right angles, of almost parallel ones straight.
    fn slerp_vectors(&mut self, a: ValueId, b: ValueId, s: ValueId) -> ValueId {
        let (a_length, b_length, one, zero) = (self.length(a), self.length(b), self.f32(1.0), self.f32(0.0));
        let (dot, lengths) = (self.dot(a, b), self.b.op(Op::Mul, &[a_length, b_length]));
        let cos = self.b.op(Op::Div, &[dot, lengths]);
        let (size, limit) = (self.b.op(Op::Abs, &[cos]), self.f32(1.0 - 3e-7));
        let is_apart = self.b.op(Op::Lt, &[size, limit]);
        let is_opposite = self.b.op(Op::Lt, &[cos, zero]);
        let more = self.b.op(Op::Sub, &[b_length, a_length]);
        let more = self.b.op(Op::Mul, &[more, s]);
        let length = self.b.op(Op::Add, &[a_length, more]);
        let [a_scale, b_scale] = [a_length, b_length].map(|own| self.b.op(Op::Div, &[length, own]));

        // Where another way is taken, slopes of this one are finite.
        let cos = self.select(is_apart, cos, zero);
        let angle = self.acos_approx(cos);
        let rest = self.b.op(Op::Sub, &[one, s]);
        let [first, second] = [rest, s].map(|part| self.b.op(Op::Mul, &[angle, part]));
        let [first, second, whole] = [first, second, angle].map(|angle| self.sin(angle));
        let (from, to) = (self.scaled(a, a_scale), self.scaled(b, b_scale));
        let (from, to) = (self.scaled(from, first), self.scaled(to, second));
        let (sum, factor) = (self.b.op(Op::Add, &[from, to]), self.recip(whole));
        let round = self.scaled(sum, factor);

        let across = self.any_orthogonal_vector(a);
        let (across, half_turn) = (self.normalize(across), self.f32(std::f32::consts::PI));
        let angle = self.b.op(Op::Mul, &[half_turn, s]);
        let turn = self.quat_of_axis(across, angle);
        let turned = self.rotate_vector(turn, a);
        let (turned, straight) = (self.scaled(turned, a_scale), self.lerp(a, b, s));
        let near = self.select(is_opposite, turned, straight);
        self.select(is_apart, round, near)
    }

    /// A turn about one of the axes.
    fn rotate_about(&mut self, v: ValueId, axis: usize, angle: ValueId) -> ValueId {
        let (sin, cos) = (self.sin(angle), self.cos(angle));
        let mut lanes = self.lanes(v);
        let [from, to] = [(axis + 1) % 3, (axis + 2) % 3];
        let product = |cx: &mut Self, lane: ValueId, factor: ValueId| cx.b.op(Op::Mul, &[lane, factor]);
        let (from_cos, from_sin) = (product(self, lanes[from], cos), product(self, lanes[from], sin));
        let (to_cos, to_sin) = (product(self, lanes[to], cos), product(self, lanes[to], sin));
        lanes[from] = self.b.op(Op::Sub, &[from_cos, to_sin]);
        lanes[to] = self.b.op(Op::Add, &[from_sin, to_cos]);
        self.vector(&lanes)
    }

    fn any_orthogonal_vector(&mut self, v: ValueId) -> ValueId {
        let (lanes, zero) = (self.lanes(v), self.f32(0.0));
        let [x, y, z] = [lanes[0], lanes[1], lanes[2]];
        let [minus_y, minus_z] = [y, z].map(|lane| self.b.op(Op::Neg, &[lane]));
        let [x_size, y_size] = [x, y].map(|lane| self.b.op(Op::Abs, &[lane]));
        let is_wide = self.b.op(Op::Gt, &[x_size, y_size]);
        let (wide, high) = (self.vector(&[minus_z, zero, x]), self.vector(&[zero, z, minus_y]));
        self.select(is_wide, wide, high)
    }

    /// Two vectors of length 1 at right angles to one of length 1 and to each other.
    fn orthonormal_pair(&mut self, v: ValueId) -> [ValueId; 2] {
        let (lanes, one, minus_one) = (self.lanes(v), self.f32(1.0), self.f32(-1.0));
        let [x, y, z] = [lanes[0], lanes[1], lanes[2]];
        let sign = self.signum(z);
        let mut op = |op: Op, a: ValueId, b: ValueId| self.b.op(op, &[a, b]);
        let divisor = op(Op::Add, sign, z);
        let a = op(Op::Div, minus_one, divisor);
        let xy = op(Op::Mul, x, y);
        let b = op(Op::Mul, xy, a);
        // `1 + sign * x * x * a`, `sign * b`, `-sign * x`
        let sign_x = op(Op::Mul, sign, x);
        let sign_xx = op(Op::Mul, sign_x, x);
        let sign_xxa = op(Op::Mul, sign_xx, a);
        let first = [op(Op::Add, one, sign_xxa), op(Op::Mul, sign, b)];
        // `b`, `sign + y * y * a`, `-y`
        let yy = op(Op::Mul, y, y);
        let yya = op(Op::Mul, yy, a);
        let second = [b, op(Op::Add, sign, yya)];
        let [minus_sign_x, minus_y] = [sign_x, y].map(|lane| self.b.op(Op::Neg, &[lane]));
        [self.vector(&[first[0], first[1], minus_sign_x]), self.vector(&[second[0], second[1], minus_y])]
    }

    /// The quaternion that turns the direction `from` to `to`, both of length 1.
    pub(super) fn quat_of_arc(&mut self, from: ValueId, to: ValueId) -> ValueId {
        let dot = self.dot(from, to);
        let (near, far) = (self.f32(1.0 - 2.0 * f32::EPSILON), self.f32(2.0 * f32::EPSILON - 1.0));
        let (is_near, is_far) = (self.b.op(Op::Gt, &[dot, near]), self.b.op(Op::Lt, &[dot, far]));
        let (zero, one, half_turn) = (self.f32(0.0), self.f32(1.0), self.f32(std::f32::consts::PI));
        let none = self.vector(&[zero, zero, zero, one]);
        let across = self.orthonormal_pair(from)[1];
        let opposite = self.quat_of_axis(across, half_turn);
        let (axis, w) = (self.cross(from, to), self.b.op(Op::Add, &[one, dot]));
        let turn = self.extend(axis, w);
        // As in `slerp_quats`.
        let turn = self.select(is_far, none, turn);
        let turn = self.normalize(turn);
        let turn = self.select(is_far, opposite, turn);
        self.select(is_near, none, turn)
    }

    /// Spherical interpolation by the shorter way.
    pub(super) fn slerp_quats(&mut self, a: ValueId, b: ValueId, s: ValueId) -> ValueId {
        let (dot, zero) = (self.dot(a, b), self.f32(0.0));
        let is_far = self.b.op(Op::Lt, &[dot, zero]);
        let opposite = self.b.op(Op::Neg, &[b]);
        let end = self.select(is_far, opposite, b);
        let negative = self.b.op(Op::Neg, &[dot]);
        let dot = self.select(is_far, negative, dot);
        self.slerp_by(a, end, s, (dot, dot))
    }

    /// Spherical interpolation by the way that the quaternions have between them.
    pub(super) fn slerp_long(&mut self, a: ValueId, b: ValueId, s: ValueId) -> ValueId {
        let dot = self.dot(a, b);
        let size = self.b.op(Op::Abs, &[dot]);
        self.slerp_by(a, b, s, (dot, size))
    }

    /// Interpolation by the cosine of the angle between two rotations; straight where its size is almost 1.
    fn slerp_by(&mut self, a: ValueId, end: ValueId, s: ValueId, (dot, size): (ValueId, ValueId)) -> ValueId {
        let (zero, near) = (self.f32(0.0), self.f32(1.0 - f32::EPSILON));
        let is_near = self.b.op(Op::Gt, &[size, near]);
        let straight = self.lerp(a, end, s);
        let straight = self.normalize(straight);

        // Where the other way is taken, slopes of this one are finite: zero times infinity is none.
        let cos = self.select(is_near, zero, dot);
        let (angle, one) = (self.acos_approx(cos), self.f32(1.0));
        let rest = self.b.op(Op::Sub, &[one, s]);
        let [first, second] = [rest, s].map(|part| self.b.op(Op::Mul, &[angle, part]));
        let [first, second, whole] = [first, second, angle].map(|angle| {
            let sin = self.b.op(Op::Sin, &[angle]);
            self.splat(sin, 4)
        });
        let (from, to) = (self.b.op(Op::Mul, &[a, first]), self.b.op(Op::Mul, &[end, second]));
        let sum = self.b.op(Op::Add, &[from, to]);
        let round = self.b.op(Op::Div, &[sum, whole]);
        self.select(is_near, straight, round)
    }
}
