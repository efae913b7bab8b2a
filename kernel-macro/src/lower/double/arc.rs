//! Inverse trigonometric functions of `f64`: all are the angle of a point.
//!
//! The smaller coordinate over the larger one is between 0 and 1; next to it lies an eighth `c` whose angle is in a table, and
//! the rest is the angle of `t = (q - c) / (1 + q c)`, whose series is short.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use gridwise_ir::ir::{LocalId, Place, Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, Type};

use crate::lower::function::FnCx;

/// The angles of 0, ⅛, ¼, … 1, as sums of two numbers.
const ANGLES: [(f64, f64); 9] = [
    (0.0, 0.0),
    (0.124_354_994_546_761_44, -3.125_324_142_453_938e-18),
    (0.244_978_663_126_864_14, 1.069_875_561_873_445e-17),
    (0.358_770_670_270_572_25, -2.462_381_558_263_863_5e-17),
    (0.463_647_609_000_806_1, 2.269_877_745_296_168_7e-17),
    (0.558_599_315_343_562_4, -5.455_630_548_591_626e-18),
    (0.643_501_108_793_284_4, 1.583_478_505_144_428_6e-17),
    (0.718_829_999_621_624_5, -2.147_838_844_445_698_3e-17),
    (FRAC_PI_4, 3.061_616_997_868_383e-17),
];
/// The difference between π and its nearest number.
const PI_LOW: f64 = 1.224_646_799_147_353_2e-16;

impl FnCx<'_, '_, '_> {
    /// `√(1 - x²)`: the other leg of a right triangle.
    pub(in crate::lower) fn other_leg(&mut self, x: ValueId) -> ValueId {
        let one = self.double(1.0);
        let (less, more) = (self.minus(one, x), self.plus(one, x));
        let product = self.times(less, more);
        self.b.op(Op::Sqrt, &[product])
    }

    /// The angle of the point `(x, y)`.
    pub(super) fn double_atan2(&mut self, y: ValueId, x: ValueId) -> ValueId {
        let (width, height) = (self.b.op(Op::Abs, &[x]), self.b.op(Op::Abs, &[y]));
        let (larger, smaller) = (self.b.op(Op::Max, &[width, height]), self.b.op(Op::Min, &[width, height]));
        let (zero, one, infinity) = (self.double(0.0), self.double(1.0), self.double(f64::INFINITY));
        let quotient = self.over(smaller, larger);
        let is_origin = self.b.op(Op::Eq, &[larger, zero]);
        let quotient = self.select(is_origin, zero, quotient);
        let is_diagonal = self.b.op(Op::Eq, &[smaller, infinity]);
        let quotient = self.select(is_diagonal, one, quotient);
        let (high, low) = self.angle_of_slope(quotient);
        let is_steep = self.b.op(Op::Gt, &[height, width]);
        let is_left = self.sign_test(x, Op::Lt);
        // Counted from the vertical upwards, or from the left.
        let turns_back = self.b.op(Op::Xor, &[is_steep, is_left]);
        let whole = |cx: &mut Self, steep: f64, left: f64| {
            let (steep, left, none) = (cx.double(steep), cx.double(left), cx.double(0.0));
            let flat = cx.select(is_left, left, none);
            cx.select(is_steep, steep, flat)
        };
        let (start, start_low) = (whole(self, FRAC_PI_2, PI), whole(self, PI_LOW / 2.0, PI_LOW));
        let signed = |cx: &mut Self, value: ValueId| {
            let opposite = cx.b.op(Op::Neg, &[value]);
            cx.select(turns_back, opposite, value)
        };
        let (high, low) = (signed(self, high), signed(self, low));
        let sum = self.plus(start, high);
        let error = self.minus(start, sum);
        let error = self.plus(error, high);
        let is_from_right = self.b.op(Op::Eq, &[start, zero]);
        let error = self.select(is_from_right, zero, error);
        let error = self.plus(error, start_low);
        let low = self.plus(low, error);
        let angle = self.plus(sum, low);
        let angle = self.b.op(Op::Copysign, &[angle, y]);
        let (x_is_nan, y_is_nan) = (self.b.op(Op::IsNan, &[x]), self.b.op(Op::IsNan, &[y]));
        let is_nan = self.b.op(Op::Or, &[x_is_nan, y_is_nan]);
        let nan = self.double(f64::NAN);
        self.select(is_nan, nan, angle)
    }

    /// The angle of a slope between 0 and 1, as a number of the table and the rest.
    fn angle_of_slope(&mut self, slope: ValueId) -> (ValueId, ValueId) {
        let (eight, eighth, one) = (self.double(8.0), self.double(0.125), self.double(1.0));
        let scaled = self.times(slope, eight);
        let nearest = self.b.op(Op::RoundTiesEven, &[scaled]);
        let known = self.times(nearest, eighth);
        let (above, product) = (self.minus(slope, known), self.times(slope, known));
        let below = self.plus(product, one);
        let t = self.over(above, below);
        let square = self.times(t, t);
        let sign = |k: i32| if k % 2 == 1 { -1.0 } else { 1.0 };
        let series = self.polynomial(square, (1..=8).rev().map(|k| sign(k) / f64::from(2 * k + 1)));
        let series = self.times(square, series);
        let series = self.times(t, series);
        let rest = self.plus(t, series);
        let index = self.cast(nearest, Scalar::U32);
        // It is at most 8: this tells the passes.
        let last = self.u32(ANGLES.len() as u32 - 1);
        let index = self.b.op(Op::Min, &[index, last]);
        let high = self.looked_up("angles", ANGLES.map(|(high, _)| high), index);
        let low = self.looked_up("angles_low", ANGLES.map(|(_, low)| low), index);
        (high, self.plus(rest, low))
    }

    fn looked_up(&mut self, name: &str, values: [f64; ANGLES.len()], index: ValueId) -> ValueId {
        let values = values.map(|value| self.double(value));
        let double = self.b.types_mut().scalar(Scalar::F64);
        let ty = self.b.types_mut().intern(Type::Array(double, (values.len() as u32).into()));
        let table = self.compose(ty, &values);
        let local: LocalId = self.spill(table, name);
        let mut place = Place::local(local);
        place.path.push(Step::Index { value: index, check: None });
        self.b.load(place)
    }
}
