//! Items that lack their attribute: the error at the call, and all other errors beside it.

use expect_test::expect;

use std::path::Path;

use super::driver::{accepted, check_errors, errors_without_names};
use crate::diag::Diagnostics;
use crate::diag::test_support::render;

#[test]
fn the_call_is_reported_and_all_else() {
    check_errors(
        "fn luma(c: Vec3) -> f32 { gamma(c.x) }
fn gamma(x: f32) -> f32 { x }
#[device]
fn good(x: f32) -> f32 { x }
#[kernel]
fn grey(x: &[Vec3], y: &mut [f32]) {
    let i = global_id().x;
    let v: u32 = luma(x[i]);
    y[i] = good(1);
    y[i] = luma(3);
    y[i] = v.sqrt();
}",
        expect![[r#"
            error: [K0125] the function `luma` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `luma` (a.rs:1)
                   help: and to `gamma`, which it calls
             8 |     let v: u32 = luma(x[i]);
               |                  ^^^^
        "#]],
    );
}

#[test]
fn whatever_kind_of_item() {
    check_errors(
        "const LIMIT: u32 = 3;
struct Rng(u32);
enum Mode { A }
type Real = f32;
trait Shade { fn shade(self) -> f32; }
#[device]
fn f<T: Shade>(x: T) -> Real { x.shade() + true }
#[kernel]
fn k(y: &mut [f32]) {
    let i = global_id().x;
    let mut r = Rng(i);
    let m = match Mode::A { Mode::A => 1 };
    if i < LIMIT { y[i] = r.next() + m; }
    y[i] = Rng::new(3).next();
    y[i] = 1u32;
}",
        expect![[r#"
            error: [K0004] `Rng` needs `#[repr(C)]`
                   note: without it Rust may reorder the fields, and the device could not find them
                   help: write `#[repr(C)]` above the struct
             2 | struct Rng(u32);
               |        ^^^
            error: [K0125] the trait `Shade` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `Shade` (a.rs:5)
             7 | fn f<T: Shade>(x: T) -> Real { x.shade() + true }
               |         ^^^^^
            error: [K0125] the type alias `Real` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `Real` (a.rs:4)
             7 | fn f<T: Shade>(x: T) -> Real { x.shade() + true }
               |                         ^^^^
            error: [K0125] the struct `Rng` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `Rng` (a.rs:2), or with an `impl` put both into a `#[device] mod`
                   help: if it lies in buffers: `#[repr(C)] #[derive(Clone, Copy, GpuData)]`
            11 |     let mut r = Rng(i);
               |                 ^^^
            error: [K0125] the enum `Mode` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `Mode` (a.rs:3)
            12 |     let m = match Mode::A { Mode::A => 1 };
               |                   ^^^^
            error: [K0125] the const `LIMIT` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `LIMIT` (a.rs:1)
            13 |     if i < LIMIT { y[i] = r.next() + m; }
               |            ^^^^^
        "#]],
    );
}

#[test]
fn through_modules_and_imports() {
    check_errors(
        "mod math { pub fn luma(x: f32) -> f32 { x } pub mod deep { pub fn dark(x: f32) -> f32 { x } } }
use math::deep::{self as low, dark as shade};
use math::*;
#[kernel]
fn k(y: &mut [f32]) {
    y[0] = math::luma(1.0) + luma(1.0) + low::dark(2.0) + self::math::deep::dark(1.0) + shade(1.0) + crate::math::luma(2.0);
}",
        expect![[r#"
            error: [K0125] the function `math::luma` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `luma` (a.rs:1)
             6 |     y[0] = math::luma(1.0) + luma(1.0) + low::dark(2.0) + self::math::deep::dark(1.0) + shade(1.0) + crate::math::luma(2.0);
               |            ^^^^^^^^^^
            error: [K0125] the function `luma` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `luma` (a.rs:1)
             6 |     y[0] = math::luma(1.0) + luma(1.0) + low::dark(2.0) + self::math::deep::dark(1.0) + shade(1.0) + crate::math::luma(2.0);
               |                              ^^^^
            error: [K0125] the function `low::dark` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `dark` (a.rs:1)
             6 |     y[0] = math::luma(1.0) + luma(1.0) + low::dark(2.0) + self::math::deep::dark(1.0) + shade(1.0) + crate::math::luma(2.0);
               |                                          ^^^^^^^^^
            error: [K0125] the function `self::math::deep::dark` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `dark` (a.rs:1)
             6 |     y[0] = math::luma(1.0) + luma(1.0) + low::dark(2.0) + self::math::deep::dark(1.0) + shade(1.0) + crate::math::luma(2.0);
               |                                                           ^^^^^^^^^^^^^^^^^^^^^^
            error: [K0125] the function `shade` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `dark` (a.rs:1)
             6 |     y[0] = math::luma(1.0) + luma(1.0) + low::dark(2.0) + self::math::deep::dark(1.0) + shade(1.0) + crate::math::luma(2.0);
               |                                                                                         ^^^^^
            error: [K0125] the function `crate::math::luma` lacks the attribute that makes it available to kernels
                   help: add `#[device]` to `luma` (a.rs:1)
             6 |     y[0] = math::luma(1.0) + luma(1.0) + low::dark(2.0) + self::math::deep::dark(1.0) + shade(1.0) + crate::math::luma(2.0);
               |                                                                                                      ^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn what_the_text_leaves_open_is_left_to_rustc() {
    accepted(
        "#[device]
fn luma(x: f32) -> f32 { x }
mod other { fn luma(x: f32) -> f32 { x } }
fn host(x: f32) -> f32 { fn luma(x: f32) -> f32 { x } luma(x) }
#[kernel]
fn k(y: &mut [f32]) { y[0] = luma(1.0); }",
    );
}

#[test]
fn an_item_with_errors_hides_no_others() {
    check_errors(
        "#[device]
fn luma(x: f32) -> f32 { x + true }
#[kernel]
fn k(y: &mut [f32]) {
    let v = luma(1.0);
    y[0] = v + 1.0;
    y[1] = 1u32;
}",
        expect![[r#"
            error: [K0102] expected `f32`, found `bool`
                   note: the left operand is `f32`
                   help: write `true as u32 as f32`
             2 | fn luma(x: f32) -> f32 { x + true }
               |                              ^^^^
        "#]],
    );
}

#[test]
fn right_items_have_no_errors_where_nothing_of_their_names_is_known() {
    let mut wrong = String::new();
    let mut count = 0;
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the corpus is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // Types with the names of built-in ones, and all names of a module, are known by the text of their file.
            if path.ends_with("own_vectors.rs") || path.ends_with("imported.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("sources are text");
            let mut items = syn::parse_file(&text).expect("the corpus is Rust").items;
            while let Some(item) = items.pop() {
                match item {
                    syn::Item::Mod(module) if module.attrs.is_empty() => {
                        items.extend(module.content.into_iter().flat_map(|(_, items)| items));
                        continue;
                    }
                    item => {
                        let mut diags = Diagnostics::new();
                        count += u32::from(errors_without_names(item, &text, &mut diags));
                        wrong.push_str(&render(diags, &text));
                    }
                }
            }
        }
    }
    assert!(count > 500 && wrong.is_empty(), "of {count} items:\n{wrong}");
}

#[test]
fn what_is_of_rusts_library() {
    check_errors(
        "use std::cell::{Cell, RefCell as Shared2};
use core::num::NonZeroU32;
use std::f32::consts::E;
use std::mem::swap;
#[derive(GpuData)]
#[repr(C)]
struct Meters { value: f32, id: NonZeroU32, cell: Cell<u32>, other: Shared2<u32>, of: std::sync::Weak<u32> }
#[kernel]
fn k(y: &mut [f32]) {
    let (mut a, mut b) = (E, 2.0);
    swap(&mut a, &mut b);
    y[0] = a + 1u32;
}",
        expect![[r#"
            error: [K0101] `core::num::NonZeroU32` is not available in kernels by an imported name
                   help: use the number itself, as `u32`, and compare it with 0: every bit pattern in a buffer must be a valid value
             7 | struct Meters { value: f32, id: NonZeroU32, cell: Cell<u32>, other: Shared2<u32>, of: std::sync::Weak<u32> }
               |                                 ^^^^^^^^^^
            error: [K0101] `std::cell::Cell` is not available in kernels by an imported name
                   help: hold the value itself: methods with `&mut self` change it; for values that invocations share there is `Atomic<T>`
             7 | struct Meters { value: f32, id: NonZeroU32, cell: Cell<u32>, other: Shared2<u32>, of: std::sync::Weak<u32> }
               |                                                   ^^^^
            error: [K0101] `std::cell::RefCell` is not available in kernels by an imported name
                   help: hold the value itself: methods with `&mut self` change it; for values that invocations share there is `Atomic<T>`
             7 | struct Meters { value: f32, id: NonZeroU32, cell: Cell<u32>, other: Shared2<u32>, of: std::sync::Weak<u32> }
               |                                                                     ^^^^^^^
            error: [K0101] `std::sync::Weak` is not available in kernels
                   help: hold the value itself, or its index in a buffer
             7 | struct Meters { value: f32, id: NonZeroU32, cell: Cell<u32>, other: Shared2<u32>, of: std::sync::Weak<u32> }
               |                                                                                       ^^^^^^^^^^^^^^^
            error: [K0100] `std::f32::consts::E` is not available in kernels by an imported name
                   help: write the whole path: `std::f32::consts::E`
            10 |     let (mut a, mut b) = (E, 2.0);
               |                           ^
            error: [K0100] `std::mem::swap` is not available in kernels by an imported name
                   help: write the whole path: `std::mem::swap`
            11 |     swap(&mut a, &mut b);
               |     ^^^^
        "#]],
    );
}

#[test]
fn what_is_nowhere() {
    check_errors(
        "use gridwise::prelude::*;
use inner::*;
mod inner { fn helper(x: f32) -> f32 { x } }
#[device]
fn smoothed(x: f32) -> f32 { x }
#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = smothed(x[i]) + sqrt(x[i]) + powf(x[i] + 1.0, 2.0) + LIMIT;
    let v: Float = smoothed(x[i]);
    y[i] = 1u32;
}",
        expect![[r#"
            error: [K0100] cannot find function `smothed` in this scope
                   help: a function with a similar name exists: `smoothed`
             9 |     y[i] = smothed(x[i]) + sqrt(x[i]) + powf(x[i] + 1.0, 2.0) + LIMIT;
               |            ^^^^^^^
            error: [K0100] cannot find function `sqrt` in this scope
                   help: it is a method: write `x[i].sqrt()`
             9 |     y[i] = smothed(x[i]) + sqrt(x[i]) + powf(x[i] + 1.0, 2.0) + LIMIT;
               |                            ^^^^
            error: [K0100] cannot find function `powf` in this scope
                   help: it is a method: write `(x[i] + 1.0).powf(2.0)`
             9 |     y[i] = smothed(x[i]) + sqrt(x[i]) + powf(x[i] + 1.0, 2.0) + LIMIT;
               |                                         ^^^^
            error: [K0100] cannot find value `LIMIT` in this scope
                   help: a const needs `#[device]` to be used in kernels
             9 |     y[i] = smothed(x[i]) + sqrt(x[i]) + powf(x[i] + 1.0, 2.0) + LIMIT;
               |                                                                 ^^^^^
            error: [K0101] cannot find type `Float` in this scope
                   help: a struct needs `#[derive(GpuData)]` to be used in kernels, an enum `#[device]`
            10 |     let v: Float = smoothed(x[i]);
               |            ^^^^^
            error: [K0102] expected `f32`, found `u32`
                   help: write `1.0`
            11 |     y[i] = 1u32;
               |            ^^^^
        "#]],
    );
}
