//! Values with slopes that a gradient takes instead of looking into them: `detach`, `with_slope`, and functions made of bits.

use std::f64::consts::{LN_2, LN_10};

use gridwise_ir::ir::ValueId;
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;
use crate::builtin::elementary::Elementary;

impl FnCx<'_, '_, '_> {
    /// The value, through which no gradient flows.
    pub(super) fn detached(&mut self, value: ValueId) -> ValueId {
        if !self.shared.derives {
            return value;
        }
        let nothing = self.float_like(value, 0.0);
        self.b.op(Op::Slope, &[value, nothing, nothing])
    }

    /// The value, whose derivative by each lane of `x` is that lane of `slope`.
    pub(super) fn with_slope(&mut self, value: ValueId, x: ValueId, slope: ValueId) -> ValueId {
        if !self.shared.derives {
            return value;
        }
        let (_, lanes) = self.shape(x);
        if lanes == 1 {
            return self.sloped(value, &[(x, slope)]);
        }
        let by: Vec<_> = (0..lanes).map(|lane| (self.lane(x, lane), self.lane(slope, lane))).collect();
        self.sloped(value, &by)
    }

    /// The value with slopes: the sum of a value without, and of zeros with one slope each.
    fn sloped(&mut self, value: ValueId, by: &[(ValueId, ValueId)]) -> ValueId {
        let mut sum = None;
        for (x, slope) in by {
            // All but one value are negative zeros: adding them changes nothing, not even the sign of a zero.
            let part = if sum.is_none() { value } else { self.float_like(value, -0.0) };
            let part = self.b.op(Op::Slope, &[part, *x, *slope]);
            sum = Some(match sum {
                None => part,
                Some(sum) => self.b.op(Op::Add, &[sum, part]),
            });
        }
        sum.unwrap_or(value)
    }

    /// A function's value with the slopes that it is known to have, if looking into it would show bits.
    pub(super) fn with_known_slopes(
        &mut self,
        function: Elementary,
        value: ValueId,
        x: ValueId,
        y: ValueId,
    ) -> ValueId {
        use Elementary as E;
        let Some((scalar, 1)) = self.shape_of_type(self.b.value_type(x)) else { return value };
        let is_double = scalar == Scalar::F64;
        if !is_double && !matches!(function, E::Cbrt | E::ExpM1 | E::Ln1p | E::Asinh | E::Acosh | E::Atanh) {
            return value;
        }
        if function == E::SinCos {
            let (sin, cos) = (self.sin(x), self.cos(x));
            let down = self.b.op(Op::Neg, &[sin]);
            let parts = [self.sloped(sin, &[(x, cos)]), self.sloped(cos, &[(x, down)])];
            let ty = self.b.value_type(value);
            return self.compose(ty, &parts);
        }
        match self.slopes(function, value, x, y) {
            Some(slopes) => {
                let by: Vec<_> = [x, y].into_iter().zip(slopes).collect();
                self.sloped(value, &by)
            }
            None => value,
        }
    }

    /// The derivatives of a function with the value `r` by its operands.
    fn slopes(&mut self, function: Elementary, r: ValueId, x: ValueId, y: ValueId) -> Option<Vec<ValueId>> {
        use Elementary as E;
        let one = self.float_like(x, 1.0);
        Some(vec![match function {
            E::Sin => self.cos(x),
            E::Cos => {
                let sin = self.sin(x);
                self.b.op(Op::Neg, &[sin])
            }
            E::Tan => self.square_and(Op::Add, r),
            E::Asin | E::Acos => {
                let leg = self.other_leg(x);
                let slope = self.b.op(Op::Div, &[one, leg]);
                if function == E::Asin { slope } else { self.b.op(Op::Neg, &[slope]) }
            }
            E::Atan => {
                let below = self.square_and(Op::Add, x);
                self.b.op(Op::Div, &[one, below])
            }
            E::Sinh => self.double_cosh(x),
            E::Cosh => self.double_sinh(x),
            E::Tanh => {
                let square = self.b.op(Op::Mul, &[r, r]);
                self.b.op(Op::Sub, &[one, square])
            }
            E::Exp => r,
            E::Exp2 => self.scale(r, LN_2 as f32, LN_2),
            E::Ln => self.b.op(Op::Div, &[one, x]),
            E::Log2 | E::Log10 => {
                let base = if function == E::Log2 { LN_2 } else { LN_10 };
                let below = self.scale(x, base as f32, base);
                self.b.op(Op::Div, &[one, below])
            }
            E::ExpM1 => self.b.op(Op::Add, &[r, one]),
            E::Ln1p => {
                let below = self.b.op(Op::Add, &[x, one]);
                self.b.op(Op::Div, &[one, below])
            }
            E::Asinh => {
                let below = self.square_and(Op::Add, x);
                let below = self.b.op(Op::Sqrt, &[below]);
                self.b.op(Op::Div, &[one, below])
            }
            E::Acosh => {
                let (less, more) = (self.b.op(Op::Sub, &[x, one]), self.b.op(Op::Add, &[x, one]));
                let below = self.b.op(Op::Mul, &[less, more]);
                let below = self.b.op(Op::Sqrt, &[below]);
                self.b.op(Op::Div, &[one, below])
            }
            E::Atanh => {
                let (less, more) = (self.b.op(Op::Sub, &[one, x]), self.b.op(Op::Add, &[one, x]));
                let below = self.b.op(Op::Mul, &[less, more]);
                self.b.op(Op::Div, &[one, below])
            }
            E::Cbrt => {
                let (square, three) = (self.b.op(Op::Mul, &[r, r]), self.float_like(x, 3.0));
                let below = self.b.op(Op::Mul, &[square, three]);
                self.b.op(Op::Div, &[one, below])
            }
            E::Log => return Some(self.slopes_of_log(r, x, y)),
            E::Powf => return Some(self.slopes_of_power(r, x, y)),
            E::Atan2 => {
                let (a, b) = (self.b.op(Op::Mul, &[x, x]), self.b.op(Op::Mul, &[y, y]));
                let square = self.b.op(Op::Add, &[a, b]);
                let (up, across) = (self.b.op(Op::Div, &[y, square]), self.b.op(Op::Div, &[x, square]));
                return Some(vec![up, self.b.op(Op::Neg, &[across])]);
            }
            _ => return None,
        }])
    }

    /// `1 ± x²`
    fn square_and(&mut self, op: Op, x: ValueId) -> ValueId {
        let (square, one) = (self.b.op(Op::Mul, &[x, x]), self.float_like(x, 1.0));
        self.b.op(op, &[one, square])
    }

    /// Of `ln x / ln y`.
    fn slopes_of_log(&mut self, r: ValueId, x: ValueId, base: ValueId) -> Vec<ValueId> {
        let (ln, one) = (self.ln(base), self.float_like(x, 1.0));
        let (below, of_base) = (self.b.op(Op::Mul, &[x, ln]), self.b.op(Op::Mul, &[base, ln]));
        let (slope, by_base) = (self.b.op(Op::Div, &[one, below]), self.b.op(Op::Div, &[r, of_base]));
        vec![slope, self.b.op(Op::Neg, &[by_base])]
    }

    /// Of `x^y`: zero by `x` where `y` is zero, and by `y` where `x` is.
    fn slopes_of_power(&mut self, r: ValueId, x: ValueId, y: ValueId) -> Vec<ValueId> {
        let (one, zero) = (self.float_like(x, 1.0), self.float_like(x, 0.0));
        let less = self.b.op(Op::Sub, &[y, one]);
        let power = self.double_powf(x, less);
        let slope = self.b.op(Op::Mul, &[y, power]);
        let is_flat = self.b.op(Op::Eq, &[y, zero]);
        let slope = self.select(is_flat, zero, slope);
        let ln = self.ln(x);
        let by_exponent = self.b.op(Op::Mul, &[r, ln]);
        let is_zero = self.b.op(Op::Eq, &[x, zero]);
        vec![slope, self.select(is_zero, zero, by_exponent)]
    }
}
