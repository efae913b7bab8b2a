//! Messages of the checks.

use expect_test::expect;

use gridwise_ir::arena::EntityId;

use super::check_item;
use crate::ast::ExprId;
use crate::diag::Diagnostics;
use crate::diag::test_support::render;
use crate::infer::tests::harness::{accepted, check_each, check_errors, infer_source};
use crate::program::{ItemId, TypedItem};
use crate::typed::Callee;

#[test]
fn parameters_that_reach_the_device() {
    accepted(
        "struct P { a: f32 }
         fn kernel(a: f32, b: bool, v: UVec4, t: [f32; 3], p: P, x: &[P], y: &mut [[f32; 2]], z: &mut [IVec3]) {}",
    );
}

#[test]
fn parameters_that_do_not() {
    check_each(
        &[
            "fn kernel(n: usize) {}",
            "fn kernel(x: &[bool]) {}",
            "fn kernel(x: &mut [usize]) {}",
            "fn kernel(p: (f32, u32)) {}",
            "fn kernel(x: &[(f32, u32)]) {}",
            "fn kernel(b: BVec3, z: ()) {}",
            "fn kernel(a: [bool; 2], e: [f32; 0]) {}",
        ],
        expect![[r#"
            error: [K0205] parameter `n` of type `usize` cannot reach the device
                   note: `usize` has 64 bits on the host and 32 on the device
                   help: pass `u32`: any unsigned integer indexes
             1 | fn kernel(n: usize) {}
               |              ^^^^^
            error: [K0205] parameter `x` of type `&[bool]` cannot reach the device
                   note: `bool` has no layout in buffers
                   help: store `u32`: `flag as u32`, and read it with `!= 0`
             1 | fn kernel(x: &[bool]) {}
               |              ^^^^^^^
            error: [K0205] parameter `x` of type `&mut [usize]` cannot reach the device
                   note: `usize` has 64 bits on the host and 32 on the device
                   help: pass `u32`: any unsigned integer indexes
             1 | fn kernel(x: &mut [usize]) {}
               |              ^^^^^^^^^^^^
            error: [K0205] parameter `p` of type `(f32, u32)` cannot reach the device
                   note: Rust does not define the layout of tuples
                   help: pass a struct with `#[derive(GpuData)]`
             1 | fn kernel(p: (f32, u32)) {}
               |              ^^^^^^^^^^
            error: [K0205] parameter `x` of type `&[(f32, u32)]` cannot reach the device
                   note: Rust does not define the layout of tuples
                   help: pass a struct with `#[derive(GpuData)]`
             1 | fn kernel(x: &[(f32, u32)]) {}
               |              ^^^^^^^^^^^^^
            error: [K0205] parameter `b` of type `BVec3` cannot reach the device
                   note: vectors of `bool` have no layout in buffers
                   help: pass `u32` lanes
             1 | fn kernel(b: BVec3, z: ()) {}
               |              ^^^^^
            error: [K0205] parameter `z` of type `()` cannot reach the device
                   note: `()` holds nothing
                   help: remove the parameter
             1 | fn kernel(b: BVec3, z: ()) {}
               |                        ^^
            error: [K0205] parameter `a` of type `[bool; 2]` cannot reach the device
                   note: `bool` has no layout in buffers
                   help: store `u32`: `flag as u32`, and read it with `!= 0`
             1 | fn kernel(a: [bool; 2], e: [f32; 0]) {}
               |              ^^^^^^^^^
            error: [K0205] parameter `e` of type `[f32; 0]` cannot reach the device
                   note: an array without elements holds nothing
                   help: give it a length of one or more
             1 | fn kernel(a: [bool; 2], e: [f32; 0]) {}
               |                            ^^^^^^^^
        "#]],
    );
}

#[test]
fn recursion() {
    check_errors(
        "fn fact(n: u32) -> u32 { if n == 0 { 1 } else { n * fact(n - 1) } }",
        expect![[r#"
        error: [K0200] `fact` calls itself
               note: there is no call stack on the device
               help: write a loop
         1 | fn fact(n: u32) -> u32 { if n == 0 { 1 } else { n * fact(n - 1) } }
           |    ^^^^
    "#]],
    );
}

#[test]
fn recursion_through_others() {
    let source = "fn pong() {} fn ping() { pong(); }";
    let (mut program, diags) = infer_source(source);
    assert!(!diags.has_errors());
    let ids: Vec<ItemId> = program.items.ids().collect();
    let TypedItem::Fn(pong) = &mut program.items[ids[0]].typed else { panic!("a function") };
    pong.calls.insert(ExprId::new(0), Callee::Device(ids[1]));
    let mut diags = Diagnostics::new();
    check_item(&program, ids[1], &mut diags);
    expect![[r#"
        error: [K0200] `ping` calls itself through `pong`
               note: there is no call stack on the device
               help: write a loop
         1 | fn pong() {} fn ping() { pong(); }
           |                 ^^^^
    "#]]
    .assert_eq(&render(diags, source));
}
