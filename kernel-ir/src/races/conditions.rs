//! The conditions of a launch: what the host has to check so that a proof holds.

use super::atoms::Less;
use super::mutants::Mutant;
use super::report::Condition;
use super::rules::Proof;
use super::{Races, demand, less, mutants, workgroup};
use crate::ir::{Bound, BoundOp, ConstParamId, Obligation, SourceLocation};
use crate::types::Size;

impl Races<'_> {
    /// Adds a condition, unless another one says as much.
    pub(super) fn require(&mut self, obligation: Obligation, location: Option<SourceLocation>) {
        let says_as_much = |known: &Obligation, other: &Obligation| {
            known.index == other.index
                && (known.length == other.length
                    || constant(&known.length).zip(constant(&other.length)).is_some_and(|(a, b)| a <= b))
        };
        let conditions = &mut self.analysis.conditions;
        if !conditions.iter().any(|known| says_as_much(&known.obligation, &obligation)) {
            conditions.retain(|known| !says_as_much(&obligation, &known.obligation));
            conditions.push(Condition { obligation, location });
        }
    }

    /// Whether any grid meets a condition that has two invocations along an axis or more, as wide as workgroups are.
    fn is_ever_met(&self, index: &Bound, length: &Bound) -> bool {
        let widths = self.index.kernel.workgroup.map(|width| u128::from(width.known().unwrap_or(1)));
        let grids = [(1, widths), (2, widths), (64, widths), (1, widths.map(|width| width.min(2)))];
        grids.into_iter().any(|(groups, widths)| {
            let both = on_grid(index, groups, widths).zip(on_grid(length, groups, widths));
            both.is_none_or(|(index, length)| index < length)
        })
    }

    /// The conditions of a proof, for the host; `None` where it cannot, or where no launch would meet them.
    pub(super) fn conditions(&self, proof: &Proof) -> Option<Vec<Obligation>> {
        let mut obligations = Vec::new();
        for axis in &proof.single {
            let length = Bound::Const(mutants::shift(Mutant::Single, 2) as u32);
            obligations.push(Obligation { index: Bound::Items(*axis), length, in_all: None });
        }
        for axis in &proof.single_group {
            obligations.push(Obligation { index: Bound::Groups(*axis), length: Bound::Const(2), in_all: None });
        }
        let mut left: Vec<Less> = proof.conditions.clone();
        let mut seen: Vec<Less> = Vec::new();
        while let Some(less) = left.pop() {
            if less::is_certainly_less(&self.index, &less.0, &less.1) || seen.contains(&less) {
                continue;
            }
            demand::of(&self.index, &less)?;
            let (index, length, requires) = less::bounds_of(&self.index, &less)?;
            if !self.is_ever_met(&index, &length) {
                return None;
            }
            seen.push(less);
            left.extend(requires);
            obligations.push(Obligation { index, length, in_all: None });
        }
        Some(obligations)
    }
}

/// Conditions for const parameters that were each tried with every power of two up to the size of the largest workgroup.
pub(super) fn powers_of_two(widths: [Size; 3], sizes: &[Vec<(ConstParamId, u32)>]) -> Vec<Obligation> {
    let mut params: Vec<ConstParamId> = sizes.iter().flatten().map(|(param, _)| *param).collect();
    params.sort_unstable();
    params.dedup();
    let most = sizes.iter().flatten().map(|(_, size)| *size).max().unwrap_or(1);
    let of = |param: ConstParamId| {
        let (all, size) = (Bound::Const(most), Bound::Constant(param));
        // It divides the largest one.
        let whole = Bound::binary(BoundOp::Mul, Bound::binary(BoundOp::Div, all.clone(), size.clone()), size);
        Obligation { index: all, length: Bound::binary(BoundOp::Add, whole, Bound::Const(1)), in_all: None }
    };
    let mut obligations: Vec<Obligation> = params.iter().map(|param| of(*param)).collect();
    if params.len() > 1 {
        let number = |width: &Size| match width {
            Size::Known(width) => Bound::Const(*width),
            Size::Param(param) => Bound::Constant(*param),
        };
        let product = |product: Option<Bound>, width| match product {
            Some(product) => Some(Bound::binary(BoundOp::Mul, product, width)),
            None => Some(width),
        };
        let all = widths.iter().map(number).fold(None, product).unwrap_or(Bound::Const(1));
        let length = Bound::Const(workgroup::MOST_INVOCATIONS + 1);
        obligations.push(Obligation { index: all, length, in_all: None });
    }
    obligations
}

/// A bound's number for a grid of so many workgroups along each axis; `None` where arguments decide it.
fn on_grid(bound: &Bound, groups: u128, widths: [u128; 3]) -> Option<u128> {
    match bound {
        Bound::Const(number) => Some((*number).into()),
        Bound::Items(axis) => Some(groups * widths[usize::from(*axis)]),
        Bound::Groups(_) => Some(groups),
        Bound::Binary(op, operands) => {
            let [a, b] = [&operands[0], &operands[1]].map(|bound| on_grid(bound, groups, widths));
            Some(op.apply(a?, b?))
        }
        Bound::Len(_)
        | Bound::Extent(..)
        | Bound::Least(_)
        | Bound::LeastExtent(..)
        | Bound::Constant(_)
        | Bound::Param(..) => None,
    }
}

/// A bound's number, where no launch decides it.
fn constant(bound: &Bound) -> Option<u128> {
    match bound {
        Bound::Const(number) => Some((*number).into()),
        Bound::Binary(op, operands) => Some(op.apply(constant(&operands[0])?, constant(&operands[1])?)),
        _ => None,
    }
}
