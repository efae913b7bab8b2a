//! The IR of small kernels, as text.

use expect_test::{Expect, expect};

use super::harness::kernel_module;

fn check(source: &str, expected: Expect) {
    expected.assert_eq(&kernel_module(source).to_string());
}

#[test]
fn saxpy() {
    check(
        "fn kernel(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}",
        expect![[r#"
            file0 "src/kernel.rs"
            site0 index_out_of_bounds @file0:3:16 "x[i]"
            site1 index_out_of_bounds @file0:3:23 "y[i]"
            site2 index_out_of_bounds @file0:3:5 "y[i]"
            kernel fn0 workgroup(64, 1, 1) {
                buffer0 x: [f32]
                buffer1 y: [f32] mut
                param0 a: f32
            }
            fn0 kernel() -> () @file0:1:4 {
                %0 "a": f32 = param0
                %1: vec3<u32> = global_id @file0:2:13
                %2 "i": u32 = extract %1.0 @file0:2:13
                %3: f32 = load buffer0[%2 !site0] @file0:3:16
                %4: f32 = mul %0, %3 @file0:3:12
                %5: f32 = load buffer1[%2 !site1] @file0:3:23
                %6: f32 = add %4, %5 @file0:3:12
                store buffer1[%2 !site2] = %6 @file0:3:5
                return
            }
        "#]],
    );
}

#[test]
fn branch_with_value() {
    check(
        "fn kernel(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let v = x[i];
    y[i] = if v < 0.0 { -v } else { v };
}",
        expect![[r#"
            file0 "src/kernel.rs"
            site0 index_out_of_bounds @file0:3:13 "x[i]"
            site1 index_out_of_bounds @file0:4:5 "y[i]"
            kernel fn0 workgroup(64, 1, 1) {
                buffer0 x: [f32]
                buffer1 y: [f32] mut
            }
            fn0 kernel() -> () @file0:1:4 {
                %0: vec3<u32> = global_id @file0:2:13
                %1 "i": u32 = extract %0.0 @file0:2:13
                %2 "v": f32 = load buffer0[%1 !site0] @file0:3:13
                %3: f32 = const 0.0 @file0:4:19
                %4: bool = lt %2, %3 @file0:4:15
                if %4 -> (%6: f32) @file0:4:12 {
                    %5: f32 = neg %2 @file0:4:25
                    yield %5 @file0:4:12
                } else {
                    yield %2 @file0:4:12
                }
                store buffer1[%1 !site1] = %6 @file0:4:5
                return
            }
        "#]],
    );
}

#[test]
fn loop_with_value() {
    check(
        "fn kernel(y: &mut [u32]) {
    let mut n = 0;
    y[0] = loop { n += 3; if n > 10 { break n; } };
}",
        expect![[r#"
            file0 "src/kernel.rs"
            site0 index_out_of_bounds @file0:3:5 "y[0]"
            kernel fn0 workgroup(64, 1, 1) {
                buffer0 y: [u32] mut
            }
            fn0 kernel() -> () @file0:1:4 {
                local0 n: u32
                %0: u32 = const 0 @file0:2:17
                store local0 = %0 @file0:2:5
                loop block1() -> (%8: u32) @file0:3:12 {
                    %1: u32 = const 3 @file0:3:24
                    %2: u32 = load local0 @file0:3:19
                    %3: u32 = add %2, %1 @file0:3:19
                    store local0 = %3 @file0:3:19
                    %4: u32 = load local0 @file0:3:30
                    %5: u32 = const 10 @file0:3:34
                    %6: bool = gt %4, %5 @file0:3:30
                    if %6 @file0:3:27 {
                        %7: u32 = load local0 @file0:3:45
                        break block1(%7) @file0:3:39
                    } else {
                        yield @file0:3:27
                    }
                    continue block1() @file0:3:12
                }
                %9: u32 = const 0 @file0:3:7
                store buffer0[%9 !site0] = %8 @file0:3:5
                return
            }
        "#]],
    );
}

#[test]
fn labelled_break_and_counted_loops() {
    check(
        "fn kernel(n: u32, y: &mut [u32]) {
    'rows: for i in 0..n {
        for j in 0..=i { if j == 3 { continue 'rows; } if y[j] == i { break 'rows; } }
    }
}",
        expect![[r#"
            file0 "src/kernel.rs"
            site0 index_out_of_bounds @file0:3:59 "y[j]"
            kernel fn0 workgroup(64, 1, 1) {
                buffer0 y: [u32] mut
                param0 n: u32
            }
            fn0 kernel() -> () @file0:1:4 {
                %0 "n": u32 = param0
                %1: u32 = const 0 @file0:2:21
                loop block1(%2 "i": u32 = %1) @file0:2:5 {
                    %3: bool = lt %2, %0 @file0:2:5
                    if %3 @file0:2:5 {
                        yield @file0:2:5
                    } else {
                        break block1() @file0:2:5
                    }
                    %4: u32 = const 0 @file0:3:18
                    %5: bool = le %4, %2 @file0:3:9
                    if %5 @file0:3:9 {
                        loop block6(%6 "j": u32 = %4) @file0:3:9 {
                            %7: u32 = const 3 @file0:3:34
                            %8: bool = eq %6, %7 @file0:3:29
                            if %8 @file0:3:26 {
                                %9: u32 = const 1 @file0:3:38
                                %10: u32 = add %2, %9 @file0:3:38
                                continue block1(%10) @file0:3:38
                            } else {
                                yield @file0:3:26
                            }
                            %11: u32 = load buffer0[%6 !site0] @file0:3:59
                            %12: bool = eq %11, %2 @file0:3:59
                            if %12 @file0:3:56 {
                                break block1() @file0:3:71
                            } else {
                                yield @file0:3:56
                            }
                            %13: bool = eq %6, %2 @file0:3:9
                            if %13 @file0:3:9 {
                                break block6() @file0:3:9
                            } else {
                                %14: u32 = const 1 @file0:3:9
                                %15: u32 = add %6, %14 @file0:3:9
                                continue block6(%15) @file0:3:9
                            }
                            unreachable @file0:3:9
                        }
                        yield @file0:3:9
                    } else {
                        yield @file0:3:9
                    }
                    %16: u32 = const 1 @file0:2:5
                    %17: u32 = add %2, %16 @file0:2:5
                    continue block1(%17) @file0:2:5
                }
                return
            }
        "#]],
    );
}

#[test]
fn struct_field_store() {
    check(
        "struct Body { pos: Vec3, mass: f32 }
fn kernel(dt: f32, bodies: &mut [Body]) {
    let i = global_id().x;
    bodies[i].pos.x += dt * bodies[i].mass;
}",
        expect![[r#"
            file0 "src/kernel.rs"
            site0 index_out_of_bounds @file0:4:29 "bodies[i]"
            site1 index_out_of_bounds @file0:4:5 "bodies[i]"
            site2 index_out_of_bounds @file0:4:5 "bodies[i]" quiet
            struct0 Body { pos: vec3<f32>, mass: f32 }
            kernel fn0 workgroup(64, 1, 1) {
                buffer0 bodies: [struct0] mut
                param0 dt: f32
            }
            fn0 kernel() -> () @file0:2:4 {
                %0 "dt": f32 = param0
                %1: vec3<u32> = global_id @file0:3:13
                %2 "i": u32 = extract %1.0 @file0:3:13
                %3: f32 = load buffer0[%2 !site0].1 @file0:4:29
                %4: f32 = mul %0, %3 @file0:4:24
                %5: f32 = load buffer0[%2 !site1].0.0 @file0:4:5
                %6: f32 = add %5, %4 @file0:4:5
                store buffer0[%2 !site2].0.0 = %6 @file0:4:5
                return
            }
        "#]],
    );
}

#[test]
fn early_return_in_device_fn() {
    check(
        "fn ratio(a: u32, b: u32) -> u32 { if b == 0 { return 0; } a / b }
fn kernel(y: &mut [u32]) { y[0] = ratio(y[1], y[2]); }",
        expect![[r#"
            file0 "src/kernel.rs"
            site0 divide_by_zero @file0:1:59 "a / b"
            site1 index_out_of_bounds @file0:2:41 "y[1]"
            site2 index_out_of_bounds @file0:2:47 "y[2]"
            site3 index_out_of_bounds @file0:2:28 "y[0]"
            kernel fn1 workgroup(64, 1, 1) {
                buffer0 y: [u32] mut
            }
            fn0 ratio(%0 "a": u32, %1 "b": u32) -> u32 @file0:1:4 {
                %2: u32 = const 0 @file0:1:43
                %3: bool = eq %1, %2 @file0:1:38
                if %3 @file0:1:35 {
                    %4: u32 = const 0 @file0:1:54
                    return %4 @file0:1:47
                } else {
                    yield @file0:1:35
                }
                %5: u32 = const 0 @file0:1:59
                %6: bool = eq %1, %5 @file0:1:59
                if %6 @file0:1:59 {
                    trap site0(%0, %1) @file0:1:59
                    yield @file0:1:59
                } else {
                    yield @file0:1:59
                }
                %7: u32 = const 1 @file0:1:59
                %8: u32 = select %6, %7, %1 @file0:1:59
                %9: u32 = div %0, %8 @file0:1:59
                return %9
            }
            fn1 kernel() -> () @file0:2:4 {
                %0: u32 = const 1 @file0:2:43
                %1: u32 = load buffer0[%0 !site1] @file0:2:41
                %2: u32 = const 2 @file0:2:49
                %3: u32 = load buffer0[%2 !site2] @file0:2:47
                %4: u32 = call fn0(%1, %3) @file0:2:35
                %5: u32 = const 0 @file0:2:30
                store buffer0[%5 !site3] = %4 @file0:2:28
                return
            }
        "#]],
    );
}
