//! Barriers that not all invocations reach, as users see the errors; and those that all do, although it takes a look.

use expect_test::{Expect, expect};

use super::driver::{accepted, check_errors};

fn check(body: &str, expected: Expect) {
    check_errors(&kernel(body), expected);
}

fn kernel(body: &str) -> String {
    format!("#[kernel(workgroup = 64)]\nfn k(n: u32, x: &[u32], hits: &[Atomic<u32>], y: &mut [u32]) {{\n{body}\n}}")
}

fn accept(body: &str) {
    accepted(&kernel(body));
}

#[test]
fn in_a_branch() {
    check(
        "let lane = local_id().x;\nlet half = lane / 2;\nif half < 10 {\n    barrier();\n}",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: only some invocations take the branch to it: the condition at line 5 differs between invocations
               note: it comes from `half` (line 4), that from `lane` (line 3), that from `local_id()` (line 3)
               help: move the barrier after the branch, where all invocations meet again
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         6 |     barrier();
           |     ^^^^^^^^^
    "#]],
    );
    check(
        "if subgroup_id() == 0 { subgroup::barrier(); }",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: only some invocations take the branch to it: the condition at line 3 differs between invocations
               note: it comes from `subgroup_id()` (line 3)
               help: move the barrier after the branch, where all invocations meet again
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         3 | if subgroup_id() == 0 { subgroup::barrier(); }
           |                         ^^^^^^^^^^^^^^^^^^^
    "#]],
    );
    check(
        "if x[global_id().x] > 0 { barrier(); }",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: only some invocations take the branch to it: the condition at line 3 differs between invocations
               note: it comes from `global_id()` (line 3)
               help: move the barrier after the branch, where all invocations meet again
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         3 | if x[global_id().x] > 0 { barrier(); }
           |                           ^^^^^^^^^
    "#]],
    );
    check(
        "match local_index() { 0 => barrier(), _ => {} }",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: only some invocations take the branch to it: the condition at line 3 differs between invocations
               note: it comes from `local_index()` (line 3)
               help: move the barrier after the branch, where all invocations meet again
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         3 | match local_index() { 0 => barrier(), _ => {} }
           |                            ^^^^^^^^^
    "#]],
    );
    check(
        "let found = hits[0].fetch_add(1, Relaxed);\nif found == 0 { barrier(); } else { barrier(); }",
        expect![[r#"
            error: [K0305] not all invocations of a workgroup reach this `barrier()`
                   note: only some invocations take the branch to it: the condition at line 4 differs between invocations
                   note: it comes from `found` (line 3), that from an atomic operation, which may return another value each time (line 3)
                   help: move the barrier after the branch, where all invocations meet again
                   help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
             4 | if found == 0 { barrier(); } else { barrier(); }
               |                 ^^^^^^^^^
            error: [K0305] not all invocations of a workgroup reach this `barrier()`
                   note: only some invocations take the branch to it: the condition at line 4 differs between invocations
                   note: it comes from `found` (line 3), that from an atomic operation, which may return another value each time (line 3)
                   help: move the barrier after the branch, where all invocations meet again
                   help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
             4 | if found == 0 { barrier(); } else { barrier(); }
               |                                     ^^^^^^^^^
        "#]],
    );
    check(
        "if subgroup::any(x[global_id().x] > 3) { barrier(); }",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: only some invocations take the branch to it: the condition at line 3 differs between invocations
               note: it comes from a subgroup operation, which each subgroup does for itself (line 3)
               help: move the barrier after the branch, where all invocations meet again
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         3 | if subgroup::any(x[global_id().x] > 3) { barrier(); }
           |                                          ^^^^^^^^^
    "#]],
    );
}

#[test]
fn behind_a_jump() {
    check(
        "let i = global_id().x;\nif i >= n {\n    return;\n}\ny[i] = 1;\nbarrier();\ny[i] += 1;",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: some invocations `return` at line 5: the condition at line 4 differs between invocations
               note: it comes from `i` (line 3), that from `global_id()` (line 3)
               help: put the work of the others into an `if` instead, so that all reach the barrier
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         8 | barrier();
           | ^^^^^^^^^
    "#]],
    );
    check(
        "for k in 0..n {\n    if k == local_index() { break; }\n    barrier();\n}",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: some invocations leave the loop at line 4: the condition at line 4 differs between invocations
               note: it comes from `local_index()` (line 4)
               help: let all run the same number of iterations, with an `if` around the work of those that are not done
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         5 |     barrier();
           |     ^^^^^^^^^
    "#]],
    );
    check(
        "for k in 0..n {\n    if k == local_index() { continue; }\n    barrier();\n}",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: some invocations `continue` at line 4: the condition at line 4 differs between invocations
               note: it comes from `local_index()` (line 4)
               help: put the rest of the iteration into an `if`, and the barrier after it
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         5 |     barrier();
           |     ^^^^^^^^^
    "#]],
    );
    check(
        "let mut k = local_index();\nwhile k < n {\n    barrier();\n    k += 64;\n}",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: some invocations leave the loop at line 4: the condition at line 4 differs between invocations
               note: it comes from `k`, that from `local_index()` (line 3)
               help: let all run the same number of iterations, with an `if` around the work of those that are not done
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         5 |     barrier();
           |     ^^^^^^^^^
    "#]],
    );
    check(
        "let n = x[local_index()];\nfor k in 0..n {\n    barrier();\n}",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: some invocations leave the loop at line 4: the condition at line 4 differs between invocations
               note: it comes from `n` (line 3), that from `local_index()` (line 3)
               help: let all run the same number of iterations, with an `if` around the work of those that are not done
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         5 |     barrier();
           |     ^^^^^^^^^
    "#]],
    );
}

#[test]
fn through_variables_and_arrays() {
    check(
        "let mut limit = 3;\nif local_index() == 5 { limit = 4; }\nfor _ in 0..limit { barrier(); }",
        expect![[r#"
            error: [K0305] not all invocations of a workgroup reach this `barrier()`
                   note: some invocations leave the loop at line 5: the condition at line 5 differs between invocations
                   note: it comes from `limit` (line 4), that from `local_index()` (line 4)
                   help: let all run the same number of iterations, with an `if` around the work of those that are not done
                   help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
             5 | for _ in 0..limit { barrier(); }
               |                     ^^^^^^^^^
        "#]],
    );
    check(
        "let mut a = [0u32; 4];\na[local_index() % 4] = 1;\nif a[n % 4] == 0 { barrier(); }",
        expect![[r#"
        error: [K0305] not all invocations of a workgroup reach this `barrier()`
               note: only some invocations take the branch to it: the condition at line 5 differs between invocations
               note: it comes from `local_index()` (line 4)
               help: move the barrier after the branch, where all invocations meet again
               help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
         5 | if a[n % 4] == 0 { barrier(); }
           |                    ^^^^^^^^^
    "#]],
    );
}

#[test]
fn what_may_be_vouched_for() {
    accept("if workgroup_uniform(hits[0].load(Relaxed) > 0) { barrier(); }");
    accept("for _ in 0..workgroup_uniform(x[global_id().x]) { barrier(); }");
    check(
        "let v = workgroup_uniform(1.5f32); y[0] = v as u32;",
        expect![[r#"
        error: [K0305] `workgroup_uniform` does not take `f32`
               note: it takes a `bool` or an integer, for conditions and bounds of loops
               help: write it around the condition
         3 | let v = workgroup_uniform(1.5f32); y[0] = v as u32;
           |                           ^^^^^^
    "#]],
    );
    check(
        "if workgroup_uniform() { barrier(); }",
        expect![[r#"
        error: [K0106] `workgroup_uniform` takes 1 argument, but 0 were given
         3 | if workgroup_uniform() { barrier(); }
           |    ^^^^^^^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn what_all_agree_on() {
    accept("for k in 0..n { if x[k] > 3 { break; } barrier(); y[global_id().x] = k; }");
    accept("if workgroup_id().x >= n { return; } barrier();");
    accept("if global_id().y > 0 { barrier(); }");
    accept("let mut s = 32; while s > 0 { if local_index() < s { y[local_index()] += 1; } barrier(); s /= 2; }");
    accept("for k in 0..n { barrier(); if local_index() >= k { continue; } y[local_index()] = k; }");
    accept(
        "let t = Shared::<[u32; 1]>::new(); loop { barrier(); if t[0] > n { break; } barrier(); if local_index() == 0 { t[0] += 1; } }",
    );
    accept("for k in 0..n { for j in 0..n { if j == k { continue; } if x[j] == 2 { break; } barrier(); } }");
    accept("let mut k = 0; while k < local_index() { k += 1; } barrier(); y[local_index()] = k;");
    accept("assert!(x[local_index()] < n, \"too large\"); barrier();");
    accept("let mut a = [0u32; 4]; a[n % 4] = n; if a[1] == 0 { barrier(); }");
    accept("match n { 0 | 1 => barrier(), 2 => { barrier(); barrier() } _ => {} }");
}

#[test]
fn in_functions() {
    accepted(
        "#[device] fn settle(v: u32) -> u32 { if v == 7 { return 1; } v + 1 }
         #[device] fn wait(v: u32) { barrier(); if v > 3 { return; } barrier(); }
         #[kernel] fn k(n: u32, y: &mut [u32]) { y[local_index()] = settle(local_index()); wait(n); }",
    );
    check_errors(
        "#[device] fn wait(v: u32) {\n    if v > 3 { return; }\n    barrier();\n}\n#[kernel] fn k(y: &mut [u32]) { wait(y[local_index()]); }",
        expect![[r#"
            error: [K0305] not all invocations of a workgroup reach this `barrier()`
                   note: the kernel reaches it through the call at line 5
                   note: only some invocations take the branch to it: the condition at line 2 differs between invocations
                   note: it comes from `local_index()` (line 5)
                   help: move the barrier after the branch, where all invocations meet again
                   help: where the condition is the same for all of a workgroup, say so: `workgroup_uniform(condition)`
             3 |     barrier();
               |     ^^^^^^^^^
        "#]],
    );
}
