//! Subgroup operations in the interpreter, against their definition in plain Rust.

use crate::{launch, module, numbers, words};

/// Runs `op` with the lane's number (and an operand of 2 where it takes two) in subgroups of 8; odd lanes only, if asked.
#[track_caller]
fn lanes(op: &str, is_odd_only: bool) -> Vec<u32> {
    let [name, rest] = op.split_once(' ').map_or([op, ""], |(name, rest)| [name, rest]);
    let text = format!(
        "kernel fn0 workgroup(16, 1, 1) subgroup(8) {{\n buffer0 y: [u32] mut\n}}\nfn0 k() -> () {{\n %0: u32 = local_index\n \
         %1: u32 = subgroup_local_id\n %2: u32 = const 2\n %3: u32 = const 1\n %4: u32 = and %0, %3\n %5: bool = eq %4, %3\n \
         %6: bool = const {}\n %7: bool = or %5, %6\n %8: u32 = const 99\n if %7 -> (%9: u32) {{\n %10: u32 = {name} %1{rest}\n \
         yield %10\n }} else {{\n yield %8\n }}\n store buffer0[%0] = %9\n return\n}}\n",
        !is_odd_only
    );
    let module = module(&text);
    let outcome = launch(&module, 1, vec![words([0; 16])], 3);
    assert!(outcome.findings.is_empty());
    let found = numbers(&outcome.buffers[0]);
    assert_eq!(found[..8], found[8..], "both subgroups do the same");
    found[..8].to_vec()
}

#[test]
fn exchanges() {
    assert_eq!(lanes("subgroup_shuffle , %2", false), [2; 8]);
    assert_eq!(lanes("subgroup_shuffle_xor , %2", false), [2, 3, 0, 1, 6, 7, 4, 5]);
    assert_eq!(lanes("subgroup_shuffle_up , %2", false), [0, 1, 0, 1, 2, 3, 4, 5]);
    assert_eq!(lanes("subgroup_shuffle_down , %2", false), [2, 3, 4, 5, 6, 7, 6, 7]);
    assert_eq!(lanes("subgroup_rotate , %2", false), [2, 3, 4, 5, 6, 7, 0, 1]);
    assert_eq!(lanes("subgroup_broadcast_first", false), [0; 8]);
    assert_eq!(lanes("subgroup_quad_broadcast(1)", false), [1, 1, 1, 1, 5, 5, 5, 5]);
    assert_eq!(lanes("subgroup_quad_swap(2)", false), [3, 2, 1, 0, 7, 6, 5, 4]);
    // Lanes that do not exist or take no part.
    assert_eq!(lanes("subgroup_shuffle , %8", false), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(lanes("subgroup_shuffle , %2", true), [99, 1, 99, 3, 99, 5, 99, 7]);
    assert_eq!(lanes("subgroup_broadcast_first", true), [99, 1, 99, 1, 99, 1, 99, 1]);
}

#[test]
fn reductions() {
    assert_eq!(lanes("subgroup_add", false), [28; 8]);
    assert_eq!(lanes("subgroup_inclusive_add", false), [0, 1, 3, 6, 10, 15, 21, 28]);
    assert_eq!(lanes("subgroup_exclusive_add", false), [0, 0, 1, 3, 6, 10, 15, 21]);
    assert_eq!(lanes("subgroup_cluster_add(4)", false), [6, 6, 6, 6, 22, 22, 22, 22]);
    assert_eq!(lanes("subgroup_cluster_max(64)", false), [7; 8]);
    assert_eq!(lanes("subgroup_exclusive_min", false), [u32::MAX, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(lanes("subgroup_inclusive_xor", false), [0, 1, 3, 0, 4, 1, 7, 0]);
    assert_eq!(lanes("subgroup_exclusive_and", false)[0], u32::MAX);
    assert_eq!(lanes("subgroup_mul", true), [99, 105, 99, 105, 99, 105, 99, 105]);
    assert_eq!(lanes("subgroup_exclusive_add", true), [99, 0, 99, 1, 99, 4, 99, 9]);
}
