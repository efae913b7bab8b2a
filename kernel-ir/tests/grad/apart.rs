//! Elements that invocations have to themselves: where gradients are added to without atomic operations, and where they must not be.

use gridwise_ir::grad::ShadowKind;
use gridwise_ir::types::Scalar;

use crate::{Case, Checked, Numbers, derived, floats, module};

/// A kernel of 8 invocations that reads `x` at indices made of `%1`, the invocation's number.
fn kernel(indices: &str, reads: &[u32], between: &str) -> String {
    let mut body = format!("    %2: f64 = load buffer0[%{}]\n{between}", reads[0]);
    let mut last = 2;
    for (at, read) in (40..).step_by(2).zip(&reads[1..]) {
        body += &format!("    %{at}: f64 = load buffer0[%{read}]\n    %{}: f64 = mul %{last}, %{at}\n", at + 1);
        last = at + 1;
    }
    format!(
        "kernel fn0 workgroup(4, 1, 1) {{\n    buffer0 x: [f64]\n    buffer1 table: [u32]\n    buffer2 y: [f64] mut\n}}\n\
         fn0 k() -> () {{\n    %0: vec3<u32> = global_id\n    %1: u32 = extract %0.0\n    %10: u32 = const 1\n    %11: u32 = const 3\n    \
         %12: u32 = const 7\n    %13: u32 = const 2\n{indices}{body}    %60: f64 = mul %{last}, %{last}\n    store buffer2[%1] = %60\n    return\n}}\n"
    )
}

/// Whether the gradient is added to without atomic operations; it is right, and nobody races, in any case.
#[track_caller]
fn is_apart(text: &str) -> bool {
    let module = module(text);
    let mut numbers = Numbers(7);
    let x: Vec<f64> = (0..40).map(|_| numbers.float()).collect();
    let table = [5u32, 1, 1, 0, 2, 7, 7, 3].map(gridwise_ir::interpret::Value::u32).to_vec();
    let case = Case {
        module: module.clone(),
        groups: [2, 1, 1],
        buffers: vec![floats(Scalar::F64, &x), table, floats(Scalar::F64, &[0.0; 8])],
        by: vec![0],
        output: 2,
        scalar: Scalar::F64,
    };
    let derived = derived(&module, &[0]);
    assert_eq!(case.check(1e-5, 1e-6, &mut || numbers.float()), Checked::Same, "{module}\n{}", derived.module);
    let kind = derived.buffers[0].expect("it is derived by").kind;
    matches!(kind, ShadowKind::Apart | ShadowKind::Own)
}

#[test]
fn elements_of_one_invocation_are_added_to_plainly() {
    // Three in a row for each, and the same from the end.
    let three = "    %20: u32 = mul %1, %11\n    %21: u32 = add %20, %10\n    %22: u32 = add %20, %13\n";
    assert!(is_apart(&kernel(three, &[20, 21, 22], "")));
    assert!(is_apart(&kernel(three, &[22, 20], "")));
    let shifted = "    %20: u32 = add %1, %11\n";
    assert!(is_apart(&kernel(shifted, &[20], "")));
    let even = "    %20: u32 = mul %1, %13\n";
    assert!(is_apart(&kernel(even, &[20], "")));
}

#[test]
fn elements_of_several_are_added_to_atomically() {
    // A neighbour's, too; rows that overlap; half the number; a remainder; what a table says; one for all.
    let next = "    %20: u32 = add %1, %10\n";
    assert!(!is_apart(&kernel(next, &[1, 20], "")));
    let overlapping = "    %20: u32 = mul %1, %13\n    %21: u32 = add %20, %13\n";
    assert!(!is_apart(&kernel(overlapping, &[20, 21], "")));
    let half = "    %20: u32 = div %1, %13\n";
    assert!(!is_apart(&kernel(half, &[20], "")));
    let rest = "    %20: u32 = rem %1, %11\n";
    assert!(!is_apart(&kernel(rest, &[20], "")));
    let told = "    %20: u32 = load buffer1[%1]\n";
    assert!(!is_apart(&kernel(told, &[20], "")));
    assert!(!is_apart(&kernel("", &[12], "")));
    assert!(!is_apart(&kernel("", &[12, 1], "")));
    // A factor that wraps to the same: 2^31 times two numbers.
    let wraps = "    %20: u32 = const 2147483648\n    %21: u32 = mul %1, %20\n    %22: u32 = shr %21, %19\n";
    let wraps = format!("    %19: u32 = const 29\n{wraps}");
    assert!(!is_apart(&kernel(&wraps, &[22], "")));
}

#[test]
fn a_barrier_does_not_give_elements_to_one_invocation() {
    // A neighbour's element behind a barrier: the way back has no barrier there.
    let swapped = "    %20: u32 = xor %1, %10\n";
    assert!(!is_apart(&kernel(swapped, &[1, 20], "    barrier workgroup\n")));
}
