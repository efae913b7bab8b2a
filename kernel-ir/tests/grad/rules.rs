//! The rule of each operation against differences.

use gridwise_ir::builder::ModuleBuilder;
use gridwise_ir::ir::{Builtin, Place};
use gridwise_ir::op::{Op, TypeRule};
use gridwise_ir::types::Scalar;

use crate::{Case, Checked, Numbers, floats};

/// Operands near which an op has a slope.
fn operands(op: Op, seed: u64) -> [f64; 3] {
    let mut numbers = Numbers(seed);
    let [a, b, c] = [0; 3].map(|_| numbers.float());
    match op {
        Op::Sqrt | Op::Ln | Op::Log2 | Op::Powf => [1.5 + a, 0.75 + b, c],
        Op::Asin | Op::Acos => [0.8 * a, b, c],
        Op::Div | Op::Rem => [3.0 * a, 1.0 + b.abs(), c],
        Op::Tan => [0.9 * a, b, c],
        _ => [a, b, c],
    }
}

#[test]
fn every_rule() {
    let mut tested = Vec::new();
    for &op in Op::ALL {
        let is_float = matches!(
            op.rule(),
            TypeRule::Numeric | TypeRule::Signed | TypeRule::Float | TypeRule::Single | TypeRule::Fused
        );
        let is_flat = matches!(op, Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundTiesEven);
        // What its author says, whatever it is.
        if !is_float || is_flat || op == Op::Slope {
            continue;
        }
        let wide = op.rule() != TypeRule::Single;
        let scalar = if wide { Scalar::F64 } else { Scalar::F32 };
        let (step, tolerance) = if wide { (1e-5, 1e-6) } else { (2e-2, 4e-3) };
        let mut same = 0;
        for seed in 1..30 {
            let mut module = ModuleBuilder::new();
            let ty = module.types_mut().scalar(scalar);
            module.begin_kernel([1, 1, 1]);
            let (x, y) = (module.buffer("x", ty, false), module.buffer("y", ty, true));
            let mut b = module.kernel_function("rule");
            let id = b.builtin(Builtin::GlobalId);
            let i = b.extract(id, &[0]);
            let values: Vec<_> = (0..op.arity() as u32)
                .map(|at| {
                    let at = b.const_u32(at);
                    b.load(Place::element(x, at, None))
                })
                .collect();
            let result = b.op(op, &values);
            b.store(Place::element(y, i, None), result);
            b.finish();
            let buffers = vec![floats(scalar, &operands(op, seed)), floats(scalar, &[0.0])];
            let case = Case { module: module.finish(), groups: [1, 1, 1], buffers, by: vec![0], output: 1, scalar };
            let mut numbers = Numbers(seed * 77);
            match case.check(step, tolerance, &mut || numbers.float()) {
                Checked::Same => same += 1,
                Checked::Kink => {}
                differ => panic!("`{}`, seed {seed}: {differ:?}", op.name()),
            }
        }
        assert!(same >= 15, "`{}`: {same} of 29 have a slope", op.name());
        tested.push(op);
    }
    assert_eq!(tested.len(), 28, "{tested:?}");
}
