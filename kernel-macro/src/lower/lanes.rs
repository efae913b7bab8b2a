//! Methods of glam's vectors that go by their lanes: each lane by itself, all lanes as bits, the position of one.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{Place, Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;
use crate::ast::Expr;
use crate::builtin::lanes::Lanes;
use crate::builtin::overflow::{Arithmetic, Overflow};

impl FnCx<'_, '_, '_> {
    /// A method of [`Lanes`] on evaluated arguments.
    pub(super) fn of_lanes(&mut self, expr: &Expr, method: Lanes, args: &[ValueId]) -> Option<ValueId> {
        use Lanes as L;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        Some(match method {
            L::WrappingAdd => self.b.op(Op::Add, args),
            L::WrappingSub => self.b.op(Op::Sub, args),
            L::WrappingMul => self.b.op(Op::Mul, args),
            L::WrappingDiv => self.lanes_with(expr, Overflow::Wrapping, Arithmetic::Div, args),
            L::WrappingAddUnsigned => self.lanes_with(expr, Overflow::Wrapping, Arithmetic::AddUnsigned, args),
            L::WrappingSubUnsigned => self.lanes_with(expr, Overflow::Wrapping, Arithmetic::SubUnsigned, args),
            L::WrappingAddSigned => self.lanes_with(expr, Overflow::Wrapping, Arithmetic::AddSigned, args),
            L::SaturatingAdd => self.lanes_with(expr, Overflow::Saturating, Arithmetic::Add, args),
            L::SaturatingSub => self.lanes_with(expr, Overflow::Saturating, Arithmetic::Sub, args),
            L::SaturatingMul => self.lanes_with(expr, Overflow::Saturating, Arithmetic::Mul, args),
            L::SaturatingDiv => self.lanes_with(expr, Overflow::Saturating, Arithmetic::Div, args),
            L::SaturatingAddUnsigned => self.lanes_with(expr, Overflow::Saturating, Arithmetic::AddUnsigned, args),
            L::SaturatingSubUnsigned => self.lanes_with(expr, Overflow::Saturating, Arithmetic::SubUnsigned, args),
            L::SaturatingAddSigned => self.lanes_with(expr, Overflow::Saturating, Arithmetic::AddSigned, args),
            L::CheckedAdd => self.checked_lanes(expr, Arithmetic::Add, a, b),
            L::CheckedSub => self.checked_lanes(expr, Arithmetic::Sub, a, b),
            L::CheckedMul => self.checked_lanes(expr, Arithmetic::Mul, a, b),
            L::CheckedDiv => self.checked_lanes(expr, Arithmetic::Div, a, b),
            L::CheckedAddUnsigned => self.checked_lanes(expr, Arithmetic::AddUnsigned, a, b),
            L::CheckedSubUnsigned => self.checked_lanes(expr, Arithmetic::SubUnsigned, a, b),
            L::CheckedAddSigned => self.checked_lanes(expr, Arithmetic::AddSigned, a, b),
            L::ManhattanDistance => {
                let differences = self.abs_diff(a, b);
                self.fold_lanes(differences, Op::Add)
            }
            L::CheckedManhattanDistance => self.checked_manhattan_distance(expr, a, b),
            L::ChebyshevDistance => {
                let differences = self.abs_diff(a, b);
                self.max_element(differences)
            }
            L::Signum => self.each_lane(args, |cx, lane| cx.signum_int(lane[0])),
            L::SinCos => {
                let pair = [self.sin(a), self.cos(a)];
                let ty = self.ty(self.ty_of(expr))?;
                self.compose(ty, &pair)
            }
            L::MinPosition => self.position_of_extreme(a, Op::Lt),
            L::MaxPosition => self.position_of_extreme(a, Op::Gt),
            L::IsNegativeMask => self.is_negative_mask(a),
            L::IsNegativeBitmask => {
                let mask = self.is_negative_mask(a);
                self.bitmask(mask)
            }
            L::IsFiniteMask => self.is_finite(a),
            L::IsNanMask => self.b.op(Op::IsNan, &[a]),
            L::Bitmask => self.bitmask(a),
            L::Test => self.test_lane(expr, a, b),
        })
    }

    fn lanes_with(&mut self, expr: &Expr, overflow: Overflow, op: Arithmetic, args: &[ValueId]) -> ValueId {
        self.each_lane(args, |cx, lane| cx.arithmetic(expr, (overflow, op), lane[0], lane[1]))
    }

    /// `None` where a lane overflows.
    fn checked_lanes(&mut self, expr: &Expr, op: Arithmetic, a: ValueId, b: ValueId) -> ValueId {
        let pairs: Vec<_> = self.lanes(a).into_iter().zip(self.lanes(b)).collect();
        let (mut values, mut lost) = (Vec::new(), self.bool(false));
        for pair in pairs {
            let wrapped = self.flagged(expr, op, pair, false);
            values.push(wrapped.value);
            lost = self.b.op(Op::Or, &[lost, wrapped.flag]);
        }
        let (value, fits) = (self.vector(&values), self.b.op(Op::Not, &[lost]));
        self.some_if(expr, fits, value)
    }

    fn checked_manhattan_distance(&mut self, expr: &Expr, a: ValueId, b: ValueId) -> ValueId {
        let differences = self.abs_diff(a, b);
        let lanes = self.lanes(differences);
        let (mut sum, mut lost) = (lanes[0], self.bool(false));
        for lane in &lanes[1..] {
            let wrapped = self.flagged(expr, Arithmetic::Add, (sum, *lane), false);
            sum = wrapped.value;
            lost = self.b.op(Op::Or, &[lost, wrapped.flag]);
        }
        let fits = self.b.op(Op::Not, &[lost]);
        self.some_if(expr, fits, sum)
    }

    /// The first lane that no other one beats. Of two lanes glam asks whether the first one is as good, which differs for NaN.
    fn position_of_extreme(&mut self, v: ValueId, wins: Op) -> ValueId {
        let lanes = self.lanes(v);
        if let [x, y] = lanes[..] {
            let is_first = self.b.op(if wins == Op::Lt { Op::Le } else { Op::Ge }, &[x, y]);
            let (zero, one) = (self.u32(0), self.u32(1));
            return self.select(is_first, zero, one);
        }
        let (mut best, mut position) = (lanes[0], self.u32(0));
        for (at, lane) in lanes.iter().enumerate().skip(1) {
            let (is_better, at) = (self.b.op(wins, &[*lane, best]), self.u32(at as u32));
            best = self.select(is_better, *lane, best);
            position = self.select(is_better, at, position);
        }
        position
    }

    /// Of floats by the sign bit, which zeros and NaN have, too.
    fn is_negative_mask(&mut self, v: ValueId) -> ValueId {
        let bits = self.bitcast(v, Scalar::I32);
        self.compare_to_zero(Op::Lt, bits)
    }

    /// One bit for each lane, the lowest for the first.
    fn bitmask(&mut self, mask: ValueId) -> ValueId {
        let (mut bits, zero) = (self.u32(0), self.u32(0));
        for (at, lane) in self.lanes(mask).into_iter().enumerate() {
            let bit = self.u32(1 << at);
            let bit = self.select(lane, bit, zero);
            bits = self.b.op(Op::Or, &[bits, bit]);
        }
        bits
    }

    /// An index out of range traps, as one into an array of the lanes does.
    fn test_lane(&mut self, expr: &Expr, mask: ValueId, index: ValueId) -> ValueId {
        let lanes = self.lanes(mask);
        if let Some(known) = self.known_scalar(index).filter(|known| *known < lanes.len() as u64) {
            return lanes[known as usize];
        }
        let array = self.array_of_vector(mask);
        let check = Some(self.site(SiteKind::IndexOutOfBounds, expr));
        let mut place = Place::local(self.spill(array, "lanes"));
        place.path.push(Step::Index { value: index, check });
        self.b.load(place)
    }
}
