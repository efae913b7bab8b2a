//! Methods of glam's vectors that are more than an op, operation by operation as glam computes them.
//!
//! `Vec4` lives in a SIMD register and adds its lanes in another order than `Vec2` and `Vec3`: where glam's builds for
//! different processors differ, this follows the one for x86-64.

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;

impl FnCx<'_, '_, '_> {
    fn is_vec4(&self, v: ValueId) -> bool {
        self.shape(v) == (Scalar::F32, 4)
    }

    pub(super) fn vector_of_array(&mut self, array: ValueId, count: u8) -> ValueId {
        let lanes: Vec<_> = (0..count).map(|index| self.b.extract(array, &[u32::from(index)])).collect();
        self.vector(&lanes)
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
