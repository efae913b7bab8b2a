//! Methods of glam's vectors that are more than an op, operation by operation as glam computes them.
//!
//! `Vec4` lives in a SIMD register and adds its lanes in another order than `Vec2` and `Vec3`: where glam's builds for
//! different processors differ, this follows the one for x86-64.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, Type};

use super::function::FnCx;
use crate::ast::Expr;
use crate::builtin::vector::Vector;
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// A function or method of a vector.
    pub(super) fn of_vector(&mut self, expr: &Expr, method: Vector, args: &[ValueId]) -> Option<ValueId> {
        use Vector as V;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let c = args.get(2).copied().unwrap_or(a);
        Some(match method {
            V::New => self.vector(args),
            V::Splat => self.splat(a, lane_count(self.ty_of(expr))),
            V::FromArray => self.vector_of_array(a, lane_count(self.ty_of(expr))),
            V::ToArray => self.array_of_vector(a),
            V::Dot => self.dot(a, b),
            V::DotIntoVec => {
                let dot = self.dot(a, b);
                self.splat(dot, self.shape(a).1)
            }
            V::Cross => self.cross(a, b),
            V::PerpDot => self.perp_dot(a, b),
            V::Length => self.length(a),
            V::LengthSquared => self.dot(a, a),
            V::Normalize => self.normalize(a),
            V::Distance => self.distance(a, b),
            V::DistanceSquared => self.distance_squared(a, b),
            V::Lerp => self.lerp(a, b, c),
            V::LerpMonotonic => {
                let way = self.b.op(Op::Sub, &[b, a]);
                let part = self.scaled(way, c);
                self.b.op(Op::Add, &[a, part])
            }
            V::Reflect => self.reflect(a, b),
            V::MinElement => self.min_element(a),
            V::MaxElement => self.max_element(a),
            V::ElementSum => self.fold_lanes(a, Op::Add),
            V::ElementProduct => self.fold_lanes(a, Op::Mul),
            V::Cmpeq => self.b.op(Op::Eq, args),
            V::Cmpne => self.b.op(Op::Ne, args),
            V::Cmplt => self.b.op(Op::Lt, args),
            V::Cmple => self.b.op(Op::Le, args),
            V::Cmpgt => self.b.op(Op::Gt, args),
            V::Cmpge => self.b.op(Op::Ge, args),
            V::Select => self.b.op(Op::Select, args),
            V::AnyLane => self.b.op(Op::Any, args),
            V::AllLanes => self.b.op(Op::All, args),
            V::Truncate => self.truncate(a),
            V::Extend => self.extend(a, b),
            V::AsVec => self.cast(a, Scalar::F32),
            V::AsIVec => self.cast(a, Scalar::I32),
            V::AsUVec => self.cast(a, Scalar::U32),
            V::LengthRecip => self.length_recip(a),
            V::NormalizeOr => {
                let (is_fine, normalized) = self.checked_normalize(a);
                self.select(is_fine, normalized, b)
            }
            V::NormalizeOrZero => {
                let zero = self.float_like(a, 0.0);
                let (is_fine, normalized) = self.checked_normalize(a);
                self.select(is_fine, normalized, zero)
            }
            V::TryNormalize => {
                let (is_fine, normalized) = self.checked_normalize(a);
                let ty = self.ty_of(expr).clone();
                return self.option_of(&ty, is_fine, normalized);
            }
            V::NormalizeAndLength => return self.normalize_and_length(expr, a),
            V::ClampLength => self.clamp_length(a, Some(b), Some(c)),
            V::ClampLengthMin => self.clamp_length(a, Some(b), None),
            V::ClampLengthMax => self.clamp_length(a, None, Some(b)),
            V::ProjectOnto => self.project_onto(a, b),
            V::ProjectOntoNormalized => {
                let along = self.dot(a, b);
                self.scaled(b, along)
            }
            V::RejectFrom => {
                let along = self.project_onto(a, b);
                self.b.op(Op::Sub, &[a, along])
            }
            V::RejectFromNormalized => {
                let along = self.dot(a, b);
                let along = self.scaled(b, along);
                self.b.op(Op::Sub, &[a, along])
            }
            V::Midpoint => {
                let (sum, half) = (self.b.op(Op::Add, &[a, b]), self.float_like(a, 0.5));
                self.b.op(Op::Mul, &[sum, half])
            }
            V::MoveTowards => self.move_towards(a, b, c),
            V::Refract => self.refract(a, b, c),
            V::AbsDiffEq => self.abs_diff_eq(a, b, c),
            V::IsNan => {
                let lanes = self.b.op(Op::Ne, &[a, a]);
                self.b.op(Op::Any, &[lanes])
            }
            V::IsFinite => {
                let lanes = self.is_finite(a);
                self.b.op(Op::All, &[lanes])
            }
            V::FractGl => {
                let whole = self.round_vector(Op::Floor, a);
                self.b.op(Op::Sub, &[a, whole])
            }
            V::Step => {
                let (zero, one) = (self.float_like(a, 0.0), self.float_like(a, 1.0));
                let is_below = self.b.op(Op::Lt, &[b, a]);
                self.b.op(Op::Select, &[is_below, zero, one])
            }
            V::Saturate => self.saturate(a),
            V::Smoothstep => {
                let (way, width) = (self.b.op(Op::Sub, &[a, b]), self.b.op(Op::Sub, &[c, b]));
                let t = self.b.op(Op::Div, &[way, width]);
                let (t, two, three) = (self.saturate(t), self.float_like(a, 2.0), self.float_like(a, 3.0));
                let (square, twice) = (self.b.op(Op::Mul, &[t, t]), self.b.op(Op::Mul, &[two, t]));
                let rest = self.b.op(Op::Sub, &[three, twice]);
                self.b.op(Op::Mul, &[square, rest])
            }
            V::WithX => self.with_lane(a, 0, b),
            V::WithY => self.with_lane(a, 1, b),
            V::WithZ => self.with_lane(a, 2, b),
            V::WithW => self.with_lane(a, 3, b),
            V::Perp => {
                let lanes = self.lanes(a);
                let x = self.b.op(Op::Neg, &[lanes[1]]);
                self.vector(&[x, lanes[0]])
            }
            V::RotateVec2 => self.complex_product(a, b),
            V::FromAngleVec2 => self.direction_of(a),
            V::FromHomogeneous | V::Project => {
                let (point, w) = (self.truncate(a), self.lane(a, 3));
                let w = self.splat(w, 3);
                self.b.op(Op::Div, &[point, w])
            }
            V::ToHomogeneous => self.point(a),
            V::ToAngle => {
                let lanes = self.lanes(a);
                self.b.op(Op::Atan2, &[lanes[1], lanes[0]])
            }
        })
    }

    /// Whether no lane differs by more than a limit.
    pub(super) fn abs_diff_eq(&mut self, a: ValueId, b: ValueId, limit: ValueId) -> ValueId {
        let difference = self.b.op(Op::Sub, &[a, b]);
        let (size, limit) = (self.b.op(Op::Abs, &[difference]), self.splat(limit, self.shape(a).1));
        let lanes = self.b.op(Op::Le, &[size, limit]);
        self.b.op(Op::All, &[lanes])
    }

    fn with_lane(&mut self, v: ValueId, lane: usize, value: ValueId) -> ValueId {
        let mut lanes = self.lanes(v);
        lanes[lane] = value;
        self.vector(&lanes)
    }

    /// Within 0 and 1, as glam's `clamp`.
    fn saturate(&mut self, v: ValueId) -> ValueId {
        let (zero, one) = (self.float_like(v, 0.0), self.float_like(v, 1.0));
        let raised = self.max(v, zero);
        self.min(raised, one)
    }

    /// Each lane times a scalar.
    pub(super) fn scaled(&mut self, v: ValueId, by: ValueId) -> ValueId {
        let by = self.splat(by, self.shape(v).1);
        self.b.op(Op::Mul, &[v, by])
    }

    fn length_recip(&mut self, v: ValueId) -> ValueId {
        let length = self.length(v);
        self.recip(length)
    }

    /// The vector times the reciprocal of its length, and whether that is a positive number.
    pub(super) fn checked_normalize(&mut self, v: ValueId) -> (ValueId, ValueId) {
        let reciprocal = self.length_recip(v);
        let zero = self.float_like(reciprocal, 0.0);
        let (is_finite, is_positive) = (self.is_finite(reciprocal), self.b.op(Op::Gt, &[reciprocal, zero]));
        let is_fine = self.b.op(Op::And, &[is_finite, is_positive]);
        if !self.shared.derives {
            return (is_fine, self.scaled(v, reciprocal));
        }
        // The result is constant around a zero, so that its slope is zero there. That of the reciprocal is infinite.
        let one = self.float_like(v, 1.0);
        let v = self.select(is_fine, v, one);
        let reciprocal = self.length_recip(v);
        (is_fine, self.scaled(v, reciprocal))
    }

    /// `X` and zero where the length has no positive reciprocal.
    fn normalize_and_length(&mut self, expr: &Expr, v: ValueId) -> Option<ValueId> {
        let (length, (is_fine, normalized)) = (self.length(v), self.checked_normalize(v));
        let (axis, zero) = (self.unit(self.shape(v).1, 0), self.f32(0.0));
        let members = [self.select(is_fine, normalized, axis), self.select(is_fine, length, zero)];
        let ty = self.ty(self.ty_of(expr))?;
        Some(self.compose(ty, &members))
    }

    /// `bound * (v / length)` where the length is out of bounds.
    fn clamp_length(&mut self, v: ValueId, min: Option<ValueId>, max: Option<ValueId>) -> ValueId {
        let squared = self.dot(v, v);
        let length = self.b.op(Op::Sqrt, &[squared]);
        let length = self.splat(length, self.shape(v).1);
        let direction = self.b.op(Op::Div, &[v, length]);
        let mut result = v;
        for (bound, op) in [(max, Op::Gt), (min, Op::Lt)] {
            let Some(bound) = bound else { continue };
            let limit = self.b.op(Op::Mul, &[bound, bound]);
            let is_outside = self.b.op(op, &[squared, limit]);
            let clamped = self.scaled(direction, bound);
            result = self.select(is_outside, clamped, result);
        }
        result
    }

    /// The same of each lane.
    pub(super) fn each_lane(&mut self, args: &[ValueId], each: impl Fn(&mut Self, &[ValueId]) -> ValueId) -> ValueId {
        let lanes = self.shape(args[0]).1;
        let values: Vec<_> = (0..lanes)
            .map(|lane| {
                let parts: Vec<_> = args.iter().map(|arg| self.lane(*arg, lane)).collect();
                each(self, &parts)
            })
            .collect();
        self.vector(&values)
    }

    fn project_onto(&mut self, v: ValueId, onto: ValueId) -> ValueId {
        let (along, squared) = (self.dot(v, onto), self.dot(onto, onto));
        let factor = self.b.op(Op::Div, &[along, squared]);
        self.scaled(onto, factor)
    }

    fn move_towards(&mut self, v: ValueId, target: ValueId, distance: ValueId) -> ValueId {
        let way = self.b.op(Op::Sub, &[target, v]);
        let length = self.length(way);
        let small = self.f32(1e-4);
        let (is_reached, is_near) = (self.b.op(Op::Le, &[length, distance]), self.b.op(Op::Le, &[length, small]));
        let is_there = self.b.op(Op::Or, &[is_reached, is_near]);
        let divisor = self.splat(length, self.shape(v).1);
        let direction = self.b.op(Op::Div, &[way, divisor]);
        let step = self.scaled(direction, distance);
        let moved = self.b.op(Op::Add, &[v, step]);
        self.select(is_there, target, moved)
    }

    fn refract(&mut self, v: ValueId, normal: ValueId, eta: ValueId) -> ValueId {
        let along = self.dot(normal, v);
        let (one, zero) = (self.f32(1.0), self.float_like(v, 0.0));
        let squared = self.b.op(Op::Mul, &[along, along]);
        let rest = self.b.op(Op::Sub, &[one, squared]);
        let eta_squared = self.b.op(Op::Mul, &[eta, eta]);
        let rest = self.b.op(Op::Mul, &[eta_squared, rest]);
        let k = self.b.op(Op::Sub, &[one, rest]);
        let root = self.b.op(Op::Sqrt, &[k]);
        let scaled = self.b.op(Op::Mul, &[eta, along]);
        let factor = self.b.op(Op::Add, &[scaled, root]);
        let (bent, inwards) = (self.scaled(v, eta), self.scaled(normal, factor));
        let refracted = self.b.op(Op::Sub, &[bent, inwards]);
        let none = self.f32(0.0);
        let passes = self.b.op(Op::Ge, &[k, none]);
        self.select(passes, refracted, zero)
    }

    /// A product of complex numbers.
    pub(super) fn complex_product(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (l, r) = (self.lanes(a), self.lanes(b));
        let product = |cx: &mut Self, i: usize, j: usize| cx.b.op(Op::Mul, &[l[i], r[j]]);
        let (xx, yy, yx, xy) = (product(self, 0, 0), product(self, 1, 1), product(self, 1, 0), product(self, 0, 1));
        let (x, y) = (self.b.op(Op::Sub, &[xx, yy]), self.b.op(Op::Add, &[yx, xy]));
        self.vector(&[x, y])
    }

    fn is_vec4(&self, v: ValueId) -> bool {
        self.shape(v) == (Scalar::F32, 4)
    }

    pub(super) fn vector_of_array(&mut self, array: ValueId, count: u8) -> ValueId {
        let lanes: Vec<_> = (0..count).map(|index| self.b.extract(array, &[u32::from(index)])).collect();
        self.vector(&lanes)
    }

    /// The lanes of a vector, tuple or array as another one, as glam's `From` gives them; `bool` becomes 0 or 1.
    pub(super) fn converted_lanes(&mut self, value: ValueId, to: &Ty) -> Option<ValueId> {
        let ty = self.ty(to)?;
        if self.b.value_type(value) == ty {
            return Some(value);
        }
        let lanes = self.scalars(value);
        Some(match to {
            Ty::Vector(..) => {
                let (scalar, _) = self.shape_of_type(ty)?;
                let lanes: Vec<_> = lanes
                    .into_iter()
                    .map(|lane| match self.shape(lane).0 {
                        Scalar::Bool if scalar.is_float() => {
                            let bit = self.cast(lane, Scalar::U32);
                            self.cast(bit, scalar)
                        }
                        _ => self.cast(lane, scalar),
                    })
                    .collect();
                self.vector(&lanes)
            }
            _ => self.compose(ty, &lanes),
        })
    }

    /// The numbers of a scalar, vector, tuple or array in order.
    fn scalars(&mut self, value: ValueId) -> Vec<ValueId> {
        if self.shape_of_type(self.b.value_type(value)).is_some() {
            return self.lanes(value);
        }
        let count = match self.b.types().get(self.b.value_type(value)) {
            Type::Tuple(members) => members.len() as u32,
            Type::Array(_, len) => len.known().unwrap_or(0),
            _ => 0,
        };
        let members: Vec<_> = (0..count).map(|at| self.b.extract(value, &[at])).collect();
        members.into_iter().flat_map(|member| self.scalars(member)).collect()
    }

    pub(super) fn array_of_vector(&mut self, v: ValueId) -> ValueId {
        let (scalar, count) = self.shape(v);
        let lanes = self.lanes(v);
        let element = self.b.types_mut().scalar(scalar);
        let ty = self.b.types_mut().array(element, u32::from(count));
        self.compose(ty, &lanes)
    }

    pub(super) fn dot(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let products = self.b.op(Op::Mul, &[a, b]);
        let lanes = self.lanes(products);
        match lanes[..] {
            [x, y, z, w] if self.is_vec4(a) => {
                let (xz, yw) = (self.b.op(Op::Add, &[x, z]), self.b.op(Op::Add, &[y, w]));
                self.b.op(Op::Add, &[xz, yw])
            }
            _ => self.chain(Op::Add, &lanes),
        }
    }

    /// Joins lanes from the first to the last.
    fn chain(&mut self, op: Op, lanes: &[ValueId]) -> ValueId {
        lanes[1..].iter().fold(lanes[0], |joined, lane| self.b.op(op, &[joined, *lane]))
    }

    /// Sum or product of the lanes.
    pub(super) fn fold_lanes(&mut self, v: ValueId, op: Op) -> ValueId {
        let lanes = self.lanes(v);
        match lanes[..] {
            [x, y, z, w] if self.is_vec4(v) => {
                let (xy, zw) = (self.b.op(op, &[x, y]), self.b.op(op, &[z, w]));
                self.b.op(op, &[xy, zw])
            }
            _ => self.chain(op, &lanes),
        }
    }

    pub(super) fn cross(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (l, r) = (self.lanes(a), self.lanes(b));
        let lane = |cx: &mut Self, i: usize, j: usize| {
            let (first, second) = (cx.b.op(Op::Mul, &[l[i], r[j]]), cx.b.op(Op::Mul, &[r[i], l[j]]));
            cx.b.op(Op::Sub, &[first, second])
        };
        let lanes = [lane(self, 1, 2), lane(self, 2, 0), lane(self, 0, 1)];
        self.vector(&lanes)
    }

    pub(super) fn perp_dot(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let (l, r) = (self.lanes(a), self.lanes(b));
        let (first, second) = (self.b.op(Op::Mul, &[l[0], r[1]]), self.b.op(Op::Mul, &[l[1], r[0]]));
        self.b.op(Op::Sub, &[first, second])
    }

    pub(super) fn length(&mut self, v: ValueId) -> ValueId {
        let squared = self.dot(v, v);
        self.b.op(Op::Sqrt, &[squared])
    }

    /// `Vec4` divides by the length; the others multiply by its reciprocal.
    pub(super) fn normalize(&mut self, v: ValueId) -> ValueId {
        let length = self.length(v);
        let count = self.shape(v).1;
        if self.is_vec4(v) {
            let length = self.splat(length, count);
            return self.b.op(Op::Div, &[v, length]);
        }
        let reciprocal = self.recip(length);
        let reciprocal = self.splat(reciprocal, count);
        self.b.op(Op::Mul, &[v, reciprocal])
    }

    pub(super) fn distance(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let difference = self.b.op(Op::Sub, &[a, b]);
        self.length(difference)
    }

    pub(super) fn distance_squared(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let difference = self.b.op(Op::Sub, &[a, b]);
        self.dot(difference, difference)
    }

    /// `a * (1 - s) + b * s`
    pub(super) fn lerp(&mut self, a: ValueId, b: ValueId, s: ValueId) -> ValueId {
        let count = self.shape(a).1;
        let one = self.f32(1.0);
        let rest = self.b.op(Op::Sub, &[one, s]);
        let (rest, s) = (self.splat(rest, count), self.splat(s, count));
        let (a, b) = (self.b.op(Op::Mul, &[a, rest]), self.b.op(Op::Mul, &[b, s]));
        self.b.op(Op::Add, &[a, b])
    }

    /// `v - 2 * v.dot(normal) * normal`
    pub(super) fn reflect(&mut self, v: ValueId, normal: ValueId) -> ValueId {
        let count = self.shape(v).1;
        let dot = self.dot(v, normal);
        let twice = self.scale_left(2.0, dot);
        let twice = self.splat(twice, count);
        let along = self.b.op(Op::Mul, &[twice, normal]);
        self.b.op(Op::Sub, &[v, along])
    }

    fn scale_left(&mut self, factor: f32, x: ValueId) -> ValueId {
        let factor = self.f32(factor);
        self.b.op(Op::Mul, &[factor, x])
    }

    pub(super) fn min_element(&mut self, v: ValueId) -> ValueId {
        self.extreme_element(v, Op::Min, Op::Lt)
    }

    pub(super) fn max_element(&mut self, v: ValueId) -> ValueId {
        self.extreme_element(v, Op::Max, Op::Gt)
    }

    /// The order of comparisons decides what a NaN does, as in glam.
    fn extreme_element(&mut self, v: ValueId, op: Op, wins: Op) -> ValueId {
        let lanes = self.lanes(v);
        if self.shape(v).0 != Scalar::F32 {
            return self.chain(op, &lanes);
        }
        match lanes[..] {
            [x, y, z, w] => {
                let (xz, yw) = (self.glam_extreme(wins, x, z), self.glam_extreme(wins, y, w));
                self.glam_extreme(wins, xz, yw)
            }
            [x, y, z] => {
                let yz = self.glam_extreme(wins, y, z);
                self.glam_extreme(wins, x, yz)
            }
            _ => self.glam_extreme(wins, lanes[0], lanes[1]),
        }
    }

    pub(super) fn truncate(&mut self, v: ValueId) -> ValueId {
        let lanes = self.lanes(v);
        self.vector(&lanes[..lanes.len() - 1])
    }

    pub(super) fn extend(&mut self, v: ValueId, last: ValueId) -> ValueId {
        let mut lanes = self.lanes(v);
        lanes.push(last);
        self.vector(&lanes)
    }

    /// Each lane to the same power.
    pub(super) fn powf_vector(&mut self, v: ValueId, exponent: ValueId) -> ValueId {
        let exponent = self.splat(exponent, self.shape(v).1);
        self.b.op(Op::Powf, &[v, exponent])
    }
}

/// Number of lanes of a vector type.
fn lane_count(ty: &Ty) -> u8 {
    match ty {
        Ty::Vector(_, count) => *count,
        _ => 1,
    }
}
