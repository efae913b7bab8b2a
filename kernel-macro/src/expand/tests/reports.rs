//! Errors of attributes, signatures and structs, as users see them.

use expect_test::expect;

use super::driver::{accepted, check_each, check_errors};

#[test]
fn bad_attribute() {
    check_each(
        &[
            "#[kernel(workgroup = 1.5)] fn k(x: &mut [f32]) {}",
            "#[kernel(workgruop = 64, size = 3)] fn k(x: &mut [f32]) {}",
            "#[kernel(workgroup = 64, workgroup = 32)] fn k(x: &mut [f32]) {}",
            "#[kernel(workgroup)] fn k(x: &mut [f32]) {}",
            "#[kernel(workgroup = [1, 2, 3, 4])] fn k(x: &mut [f32]) {}",
            "#[kernel(64)] fn k(x: &mut [f32]) {}",
        ],
        expect![[r#"
            error: [K0002] a workgroup size is a whole number or the path of a `#[device] const`
                   help: write `workgroup = 64`, `workgroup = [8, 8]` or `workgroup = SIZE`
             1 | #[kernel(workgroup = 1.5)] fn k(x: &mut [f32]) {}
               |                      ^^^
            error: [K0002] `#[kernel]` has no argument `workgruop`
                   help: did you mean `workgroup`?
             1 | #[kernel(workgruop = 64, size = 3)] fn k(x: &mut [f32]) {}
               |          ^^^^^^^^^
            error: [K0002] `#[kernel]` has no argument `size`
                   help: it knows `workgroup`, `subgroup`, `fast_math`, `subnormals`, `items_per_invocation`, `grad`
             1 | #[kernel(workgruop = 64, size = 3)] fn k(x: &mut [f32]) {}
               |                          ^^^^
            error: [K0002] `workgroup` is given twice
                   help: keep one of them
             1 | #[kernel(workgroup = 64, workgroup = 32)] fn k(x: &mut [f32]) {}
               |                          ^^^^^^^^^
            error: [K0002] `workgroup` needs a value
                   help: write `workgroup = 64` or `workgroup = [8, 8]`
             1 | #[kernel(workgroup)] fn k(x: &mut [f32]) {}
               |          ^^^^^^^^^
            error: [K0002] a workgroup has one to three sizes, found 4
                   help: write `[X]`, `[X, Y]` or `[X, Y, Z]`
             1 | #[kernel(workgroup = [1, 2, 3, 4])] fn k(x: &mut [f32]) {}
               |                      ^^^^^^^^^^^^
            error: [K0002] cannot read the arguments of `#[kernel]`: expected identifier
                   help: write `#[kernel(workgroup = 64)]`
             1 | #[kernel(64)] fn k(x: &mut [f32]) {}
               |          ^^
        "#]],
    );
    check_errors(
        "#[device] const SIZE: f32 = 1.0;
#[kernel(workgroup = SIZE)] fn k(x: &mut [f32]) {}",
        expect![[r#"
            error: [K0002] `SIZE` is not an unsigned const
                   help: name a `#[device] const` of type u32 or usize, or write a number
             2 | #[kernel(workgroup = SIZE)] fn k(x: &mut [f32]) {}
               |                      ^^^^
        "#]],
    );
}

#[test]
fn workgroup_sizes() {
    for size in ["64", "64u32", "[8, 8]", "[16, 16, 4]", "[X]", "[X, other::X]", "1024"] {
        accepted(&format!("#[device] const X: u32 = 32; #[kernel(workgroup = {size})] fn k(x: &mut [f32]) {{}}"));
    }
}

#[test]
fn workgroup_size() {
    check_each(
        &[
            "#[kernel(workgroup = 0)] fn k(x: &mut [f32]) {}",
            "#[kernel(workgroup = [1, 2048, 65])] fn k(x: &mut [f32]) {}",
            "#[kernel(workgroup = [64, 32])] fn k(x: &mut [f32]) {}",
            "#[kernel(workgroup = 99999999999)] fn k(x: &mut [f32]) {}",
        ],
        expect![[r#"
            error: [K0202] a workgroup size cannot be zero
                   help: write the number of invocations per workgroup, such as 64
             1 | #[kernel(workgroup = 0)] fn k(x: &mut [f32]) {}
               |                      ^
            error: [K0202] a workgroup size of 2048 along y is over 1024
                   note: devices offer 1024 along y (`maxComputeWorkGroupSize`)
             1 | #[kernel(workgroup = [1, 2048, 65])] fn k(x: &mut [f32]) {}
               |                          ^^^^
            error: [K0202] a workgroup size of 65 along z is over 64
                   note: devices offer 64 along z (`maxComputeWorkGroupSize`)
             1 | #[kernel(workgroup = [1, 2048, 65])] fn k(x: &mut [f32]) {}
               |                                ^^
            error: [K0202] a workgroup of 2048 invocations is over 1024
                   note: Vulkan guarantees 128 (`maxComputeWorkGroupInvocations`), devices offer up to 1024
                   help: make the workgroup smaller and dispatch more of them
             1 | #[kernel(workgroup = [64, 32])] fn k(x: &mut [f32]) {}
               |                      ^^^^^^^^
            error: [K0202] a workgroup size of 99999999999 along x is over 1024
                   note: devices offer 1024 along x (`maxComputeWorkGroupSize`)
             1 | #[kernel(workgroup = 99999999999)] fn k(x: &mut [f32]) {}
               |                      ^^^^^^^^^^^
        "#]],
    );
    check_errors(
        "#[device] const SIZE: usize = 4096;
#[kernel(workgroup = [SIZE, 0])] fn k(x: &mut [f32]) {}",
        expect![[r#"
            error: [K0202] a workgroup size cannot be zero
                   help: write the number of invocations per workgroup, such as 64
             2 | #[kernel(workgroup = [SIZE, 0])] fn k(x: &mut [f32]) {}
               |                             ^
        "#]],
    );
}

#[test]
fn bad_struct() {
    check_each(
        &[
            "#[derive(GpuData)] struct S { a: f32 }",
            "#[derive(GpuData)] #[repr(C, packed)] struct S { a: f32 }",
            "#[derive(GpuData)] #[repr(C, align(16))] struct S { a: f32 }",
            "#[derive(GpuData)] #[repr(C)] struct S;",
            "#[derive(GpuData)] #[repr(C)] struct S {}",
        ],
        expect![[r#"
            error: [K0004] `S` needs `#[repr(C)]`
                   note: without it Rust may reorder the fields, and the device could not find them
                   help: write `#[repr(C)]` above the struct
             1 | #[derive(GpuData)] struct S { a: f32 }
               |                           ^
            error: [K0004] a `GpuData` struct has the layout of plain `#[repr(C)]`
                   help: remove this: write `#[repr(C)]`
             1 | #[derive(GpuData)] #[repr(C, packed)] struct S { a: f32 }
               |                              ^^^^^^
            error: [K0004] a `GpuData` struct has the layout of plain `#[repr(C)]`
                   help: remove this: write `#[repr(C)]`
             1 | #[derive(GpuData)] #[repr(C, align(16))] struct S { a: f32 }
               |                              ^^^^^
            error: [K0004] a `GpuData` struct needs at least one field
                   help: add a field, or do not pass the struct
             1 | #[derive(GpuData)] #[repr(C)] struct S;
               |                                      ^
            error: [K0004] a `GpuData` struct needs at least one field
                   help: add a field, or do not pass the struct
             1 | #[derive(GpuData)] #[repr(C)] struct S {}
               |                                      ^
        "#]],
    );
    check_errors(
        "#[derive(GpuData)] #[repr(C)]
struct S { a: bool, b: usize, c: (f32, f32), d: [bool; 2], e: BVec3, f: [u32; 0] }",
        expect![[r#"
            error: [K0004] the field `a` cannot lie in a buffer: not every byte is a `bool`
                   help: use `u32`, and compare it with 0
             2 | struct S { a: bool, b: usize, c: (f32, f32), d: [bool; 2], e: BVec3, f: [u32; 0] }
               |               ^^^^
            error: [K0004] the field `b` cannot lie in a buffer: `usize` is 32 bits on the device
                   help: use `u32`
             2 | struct S { a: bool, b: usize, c: (f32, f32), d: [bool; 2], e: BVec3, f: [u32; 0] }
               |                        ^^^^^
            error: [K0004] the field `c` cannot lie in a buffer: tuples have no fixed layout
                   help: use one field for each member, or a struct
             2 | struct S { a: bool, b: usize, c: (f32, f32), d: [bool; 2], e: BVec3, f: [u32; 0] }
               |                                  ^^^^^^^^^^
            error: [K0004] the field `d` cannot lie in a buffer: not every byte is a `bool`
                   help: use `u32`, and compare it with 0
             2 | struct S { a: bool, b: usize, c: (f32, f32), d: [bool; 2], e: BVec3, f: [u32; 0] }
               |                                                 ^^^^^^^^^
            error: [K0004] the field `e` cannot lie in a buffer: not every byte is a `bool`
                   help: use a `UVec`, and compare it with 0
             2 | struct S { a: bool, b: usize, c: (f32, f32), d: [bool; 2], e: BVec3, f: [u32; 0] }
               |                                                               ^^^^^
            error: [K0004] the field `f` cannot lie in a buffer: it is empty
                   help: remove the field
             2 | struct S { a: bool, b: usize, c: (f32, f32), d: [bool; 2], e: BVec3, f: [u32; 0] }
               |                                                                         ^^^^^^^^
        "#]],
    );
}

#[test]
fn broken_items_are_reported_once() {
    check_errors(
        "#[device] fn broken(a: f32) -> f32 { a + 1 }
#[device] fn user(a: f32) -> f32 { broken(a) }
#[kernel] fn k(x: &mut [f32]) { x[0] = user(1.0); }",
        expect![[r#"
            error: [K0102] expected `f32`, found integer literal
                   note: the left operand is `f32`
                   help: write `1.0`
             1 | #[device] fn broken(a: f32) -> f32 { a + 1 }
               |                                          ^
        "#]],
    );
}

#[test]
fn recursion() {
    check_errors(
        "#[device] fn f(n: u32) -> u32 { if n == 0 { 0 } else { f(n - 1) } }",
        expect![[r#"
        error: [K0200] `f` calls itself
               note: there is no call stack on the device
               help: write a loop
         1 | #[device] fn f(n: u32) -> u32 { if n == 0 { 0 } else { f(n - 1) } }
           |                                                        ^
    "#]],
    );
}

#[test]
fn unknown_variables_are_no_macros() {
    check_errors(
        "#[kernel] fn k(data: &mut [f32]) { let index = 1; data[indx] = 1.0; }",
        expect![[r#"
        error: [K0100] cannot find value `indx` in this scope
               help: a name with a similar spelling exists: `index`
         1 | #[kernel] fn k(data: &mut [f32]) { let index = 1; data[indx] = 1.0; }
           |                                                        ^^^^
    "#]],
    );
}
