//! Kernels whose invocations work together: shared memory, barriers and subgroups. The interpreter finds races in none of them.
//!
//! The texts are those of kernels in `tests/gradients/kernels.rs`, with `f64` for `f32` where `f64` has the functions.

use gridwise_ir::arena::EntityId;
use gridwise_ir::grad::{By, Refused, derive};
use gridwise_ir::ir::BufferId;
use gridwise_ir::types::Scalar;

use crate::{Case, Checked, Numbers, floats, module};

/// A kernel: its text, workgroups, the lengths of its buffers, of which the last is the output, and the inputs.
#[track_caller]
fn checks(text: &str, groups: [u32; 3], lens: &[usize], by: &[usize]) {
    let module = module(text);
    let scalar = if text.contains("f64") { Scalar::F64 } else { Scalar::F32 };
    let (step, tolerance) = if scalar == Scalar::F64 { (1e-5, 1e-6) } else { (1e-2, 2e-3) };
    let mut same = 0;
    for seed in 1..5 {
        let mut numbers = Numbers(seed);
        let mut buffer = |len: &usize| {
            let values: Vec<f64> = (0..*len).map(|_| numbers.float()).collect();
            floats(scalar, &values)
        };
        let buffers = lens.iter().map(&mut buffer).collect();
        let case = Case { module: module.clone(), groups, buffers, by: by.to_vec(), output: lens.len() - 1, scalar };
        match case.check(step, tolerance, &mut || numbers.float()) {
            Checked::Same => same += 1,
            Checked::Kink => {}
            differ => panic!("{differ:?}, seed {seed}\n{module}\n{}", crate::derived(&module, by).module),
        }
    }
    assert!(same > 1, "{same} of 4");
}

#[test]
fn softmax() {
    checks(include_str!("shared/softmax_rows.txt"), [2, 1, 1], &[300, 300], &[0]);
}

#[test]
fn layer_norm() {
    checks(include_str!("shared/layer_norm.txt"), [3, 1, 1], &[64, 32, 64], &[0, 1]);
}

#[test]
fn sums() {
    checks(include_str!("shared/group_sums.txt"), [2, 1, 1], &[128, 2], &[0]);
}

/// Each round reads what the one before left: it is put back.
#[test]
fn rounds_that_need_each_other() {
    checks(include_str!("shared/products_of_halves.txt"), [2, 1, 1], &[32, 32], &[0]);
    checks(include_str!("shared/smoothed.txt"), [2, 1, 1], &[32, 32], &[0]);
    let long = include_str!("shared/smoothed.txt").replace("= const 5\n", "= const 40\n");
    checks(&long, [1, 1, 1], &[16, 16], &[0]);
}

#[test]
fn tiles() {
    checks(include_str!("shared/tiled_product.txt"), [3, 3, 1], &[576, 576, 576], &[0, 1]);
}

#[test]
fn filters() {
    checks(include_str!("shared/filtered.txt"), [2, 1, 1], &[64, 5, 64], &[0, 1]);
}

#[test]
fn subgroups() {
    checks(include_str!("shared/lanes.txt"), [2, 1, 1], &[64, 64], &[0]);
    checks(include_str!("shared/extremes.txt"), [2, 1, 1], &[64, 64], &[0]);
}

fn refused(text: &str) -> Refused {
    let by = By { buffers: vec![BufferId::new(0)], ..By::default() };
    derive(&module(text), &by).err().unwrap_or_else(|| panic!("derived\n{text}")).refused
}

#[test]
fn what_is_lost_is_refused() {
    let lanes = include_str!("shared/lanes.txt");
    let product = lanes.replace("subgroup_add", "subgroup_mul");
    assert_eq!(refused(&product), Refused::Subgroup);
    let name = || "part".to_owned();
    let wide = include_str!("shared/products_of_halves.txt").replace("[f64; 16]", "[f64; 300]");
    assert_eq!(refused(&wide), Refused::SharedSize { name: name() });
}
