//! Values of consts and array lengths, bit for bit.

use expect_test::expect;

use crate::program::TypedItem;
use crate::typed::{ConstValue, Resolution};

use super::harness::{accepted, check_each, check_errors};

fn value(source: &str) -> ConstValue {
    let program = accepted(source);
    let last = program.items.ids().next_back().expect("an item");
    match &program.items[last].typed {
        TypedItem::Const(constant) => constant.value.clone(),
        other => panic!("not a const: {other:?}"),
    }
}

#[test]
fn consts_fold() {
    assert_eq!(value("const A: u32 = 2 + 3 * 4 - (1 << 2);"), ConstValue::U32(10));
    assert_eq!(value("const A: i32 = -7 / 2 + -7 % 4;"), ConstValue::I32(-6));
    assert_eq!(value("const A: i32 = -2147483648;"), ConstValue::I32(i32::MIN));
    assert_eq!(value("const A: f32 = 1.0 / 3.0;"), ConstValue::F32(1.0 / 3.0));
    assert_eq!(value("const A: f32 = 0.0031308;"), ConstValue::F32(0.003_130_8));
    assert_eq!(value("const A: bool = 1 < 2 && !false;"), ConstValue::Bool(true));
    assert_eq!(value("const A: u32 = u32::MAX;"), ConstValue::U32(u32::MAX));
    assert_eq!(value("const A: u32 = 3.9 as u32;"), ConstValue::U32(3));
    assert_eq!(value("const A: u32 = -1i32 as u32;"), ConstValue::U32(u32::MAX));
    assert_eq!(value("const A: usize = 4; const B: usize = if A > 3 { A * 2 } else { 1 };"), ConstValue::U32(8));
    assert_eq!(value("const A: [u32; 3] = [1, 2, 3]; const B: u32 = A[1];"), ConstValue::U32(2));
    assert_eq!(value("const A: u32 = 3u32.pow(4);"), ConstValue::U32(81));
}

#[test]
fn aggregates_fold() {
    let f = ConstValue::F32;
    assert_eq!(
        value("const A: Vec3 = Vec3::new(1.0, 2.0, -3.0);"),
        ConstValue::Aggregate(vec![f(1.0), f(2.0), f(-3.0)])
    );
    assert_eq!(value("const A: Vec2 = Vec2::splat(0.5);"), ConstValue::Aggregate(vec![f(0.5), f(0.5)]));
    assert_eq!(
        value("struct P { a: f32, b: u32 } const A: P = P { b: 7, a: 1.5 };"),
        ConstValue::Aggregate(vec![f(1.5), ConstValue::U32(7)])
    );
    assert_eq!(value("const A: [f32; 2] = [0.25; 2];"), ConstValue::Aggregate(vec![f(0.25); 2]));
}

#[test]
fn built_in_constants_are_exact() {
    let bits = |source: &str| match value(source) {
        ConstValue::F32(value) => value.to_bits(),
        other => panic!("not a float: {other:?}"),
    };
    assert_eq!(bits("const A: f32 = std::f32::consts::PI;"), std::f32::consts::PI.to_bits());
    assert_eq!(bits("const A: f32 = core::f32::consts::FRAC_1_SQRT_2;"), std::f32::consts::FRAC_1_SQRT_2.to_bits());
    assert_eq!(bits("const A: f32 = f32::NAN;"), f32::NAN.to_bits());
    assert_eq!(bits("const A: f32 = f32::MIN_POSITIVE;"), f32::MIN_POSITIVE.to_bits());
    assert_eq!(bits("const A: f32 = -0.0;"), (-0.0f32).to_bits());
    let program = accepted("fn f() -> Vec3 { Vec3::NEG_Y }");
    let last = program.items.ids().next_back().expect("an item");
    let TypedItem::Fn(typed) = &program.items[last].typed else { panic!("a function") };
    let lanes = [0.0, -1.0, 0.0].map(ConstValue::F32).to_vec();
    assert!(typed.paths.values().any(|path| *path == Resolution::Value(ConstValue::Aggregate(lanes.clone()))));
}

#[test]
fn const_overflow() {
    check_each(
        &[
            "const A: u32 = 1 - 2;",
            "const A: i32 = 2147483647 + 1;",
            "const A: u32 = 1 / 0;",
            "const A: u32 = 1 << 32;",
            "const A: [u32; 2] = [1, 2]; const B: u32 = A[4 - 1];",
        ],
        expect![[r#"
            error: [K0112] this arithmetic overflows
             1 | const A: u32 = 1 - 2;
               |                ^^^^^
            error: [K0112] this arithmetic overflows
             1 | const A: i32 = 2147483647 + 1;
               |                ^^^^^^^^^^^^^^
            error: [K0112] division by zero
             1 | const A: u32 = 1 / 0;
               |                ^^^^^
            error: [K0112] shift by more than 31 bits
             1 | const A: u32 = 1 << 32;
               |                ^^^^^^^
            error: [K0112] index out of range
             1 | const A: [u32; 2] = [1, 2]; const B: u32 = A[4 - 1];
               |                                              ^^^^^
        "#]],
    );
}

#[test]
fn const_calls() {
    check_errors(
        "fn f() -> u32 { 1 } const A: u32 = f();",
        expect![[r#"
            error: [K0112] a const can call only `const fn`s
                   help: make it one: `const fn f(…)`
             1 | fn f() -> u32 { 1 } const A: u32 = f();
               |                                    ^^^
        "#]],
    );
    check_errors(
        "const A: f32 = 2.0f32.sqrt();",
        expect![[r#"
            error: [K0112] this cannot be evaluated in a const
                   help: consts are made of literals, other consts, operators, methods of integers, calls of `const fn`s, tuples, arrays, structs, vectors, `if`, `match` and blocks with `while`
             1 | const A: f32 = 2.0f32.sqrt();
               |                ^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn array_lengths() {
    check_each(
        &[
            "fn f(n: usize) { let a = [0.0; n]; }",
            "const N: u32 = 4; fn f() { let a = [0.0; N]; }",
            "fn f() { let a: [f32; 2] = [1.0, 2.0, 3.0]; }",
        ],
        expect![[r#"
            error: [K0112] the variable `n` is used in a constant
                   note: array lengths and consts are known when the kernel is compiled
                   help: use a literal or a `#[device] const`
             1 | fn f(n: usize) { let a = [0.0; n]; }
               |                                ^
            error: [K0102] expected `usize`, found `u32`
                   note: the length of an array is a `usize`
                   help: write `N as usize`
             1 | const N: u32 = 4; fn f() { let a = [0.0; N]; }
               |                                          ^
            error: [K0102] expected `[f32; 2]`, found `[f32; 3]`
             1 | fn f() { let a: [f32; 2] = [1.0, 2.0, 3.0]; }
               |                            ^^^^^^^^^^^^^^^
        "#]],
    );
}
