//! Messages of ranges and chains of iterators.

use expect_test::expect;

use super::harness::{accepted, check_errors};

#[test]
fn accepted_forms() {
    accepted("fn f(n: u32) -> f32 { (0..n).map(|i| i as f32).filter(|x| *x > 2.0).sum::<f32>() }");
    accepted("fn kernel(x: &[f32], y: &mut [f32]) { y[0] = x.iter().zip(y.iter()).map(|(a, b)| a * b).sum(); }");
    accepted(
        "fn f(t: [u32; 4]) -> u32 { let mut s = 0; for (i, v) in t.iter().rev().enumerate() { s += v; s += i as u32; } s }",
    );
}

#[test]
fn chains_that_nothing_consumes() {
    check_errors(
        "
fn kernel(x: &[f32], y: &mut [f32]) {
    let a = x.iter();
    (0..4).map(|i| i + 1);
    let b = 0..4;
    let c: f32 = (0..4).map(|i| i as f32);
    let d = if (0..3) { 1 } else { 2 };
}",
        expect![[r#"
            error: [K0001] an iterator cannot be used as a value in kernels
                   note: store it in a `let` of its own, `let mut it = x.iter();`, or consume it at once
                   help: go through it with `for`, `it.next()`, or end the chain with `.sum()`, `.fold(…)` or their like
             3 |     (0..4).map(|i| i + 1);
               |     ^^^^^^^^^^^^^^^^^^^^^
            error: [K0102] expected `f32`, found `impl Iterator<Item = f32>`
             5 |     let c: f32 = (0..4).map(|i| i as f32);
               |                  ^^^^^^^^^^^^^^^^^^^^^^^^
            error: [K0102] expected `bool`, found `Range<{integer}>`
                   note: a condition is a `bool`
             6 |     let d = if (0..3) { 1 } else { 2 };
               |                 ^^^^
        "#]],
    );
}

#[test]
fn unknown_methods() {
    check_errors(
        "
fn kernel(x: &[f32], y: &mut [f32]) {
    let a = x.iter().collect();
    let b = x.iter().scam(0.0, |s, v| Some(*v));
    let c = x.iter().mapp(|v| v);
    let d = x.iter().min_by(|a, b| a.total_cmp(b));
    let e = x.iter().copied().min();
    let f: u32 = x.iter().sum();
    let g = x.iter().sum();
    let h = [true].iter().sum::<bool>();
    let i = x.iter_mut();
    let j = x.iter().next();
}",
        expect![[r#"
            error: [K0104] iterators in kernels have no method `collect`
                   help: kernels have no memory to allocate: write each element where it belongs, or fill an array in a `for` loop
             2 |     let a = x.iter().collect();
               |                      ^^^^^^^
            error: [K0104] iterators in kernels have no method `scam`
                   help: a method with a similar name exists: `scan`
             3 |     let b = x.iter().scam(0.0, |s, v| Some(*v));
               |                      ^^^^
            error: [K0104] iterators in kernels have no method `mapp`
                   help: a method with a similar name exists: `map`
             4 |     let c = x.iter().mapp(|v| v);
               |                      ^^^^
            error: [K0103] floats have no total order, because of NaN
                   help: say how to compare, `.min_by(|a, b| a.total_cmp(b))`, or fold: `.fold(f32::INFINITY, f32::min)`
             6 |     let e = x.iter().copied().min();
               |                               ^^^
            error: [K0102] expected `u32`, found `f32`
                   help: write `x.iter().sum() as u32`
             7 |     let f: u32 = x.iter().sum();
               |                  ^^^^^^^^^^^^^^
            error: [K0109] the type of this sum must be written
                   note: a type may be the sum of others: rustc asks for it, too
                   help: write `.sum::<f32>()`
             8 |     let g = x.iter().sum();
               |                      ^^^
            error: [K0103] cannot add or multiply `bool` this way
                   help: fold: `.fold(start, |a, b| a + b)`
             9 |     let h = [true].iter().sum::<bool>();
               |                           ^^^
            error: [K0110] the elements of `x` cannot be written
                   help: a reference that elements are written through must be `&mut`, here and in its declaration
            10 |     let i = x.iter_mut();
               |             ^
        "#]],
    );
}

#[test]
fn wrong_arguments() {
    check_errors(
        "
fn kernel(x: &[f32], y: &mut [f32], n: u32) {
    let a: f32 = x.iter().take(n).sum();
    let b: f32 = x.iter().zip(n).map(|(a, b)| a).sum();
    let c = (0..n).chain(x.iter()).count();
    let d = (0..n).filter(|i| i + 1).count();
    let e = (0..n).map(3).count();
    let f = (0..n).fold(0.0, |a, b| a + b);
    let g = (0..n).try_fold(0, |a, b| a + b);
    let h = (0..n).flatten().count();
    for v in n { }
    for i in 0.0..1.0 { }
    for i in ..n { }
    let i = (0..n).rev(1).count();
}",
        expect![[r#"
            error: [K0102] expected `usize`, found `u32`
                   note: numbers of elements are `usize`
                   note: `n` is `u32` because of its declaration at line 1
                   help: write `n as usize`
             2 |     let a: f32 = x.iter().take(n).sum();
               |                                ^
            error: [K0102] expected a range, an array or an iterator, found `u32`
                   help: write `0..n`
             3 |     let b: f32 = x.iter().zip(n).map(|(a, b)| a).sum();
               |                               ^
            error: [K0102] expected an iterator over `u32`, found one over `f32`
             4 |     let c = (0..n).chain(x.iter()).count();
               |                          ^^^^^^^^
            error: [K0102] expected `bool`, found `u32`
                   help: write `(i + 1) != 0`
             5 |     let d = (0..n).filter(|i| i + 1).count();
               |                               ^^^^^
            error: [K0102] expected a closure or the name of a function, found an integer
                   help: write `|x| …`
             6 |     let e = (0..n).map(3).count();
               |                        ^
            error: [K0102] expected a float, found `u32`
                   note: the left operand is a float
             7 |     let f = (0..n).fold(0.0, |a, b| a + b);
               |                                         ^
            error: [K0102] expected a closure that gives `Option<u32>` or a `Result`, found one that gives `u32`
             8 |     let g = (0..n).try_fold(0, |a, b| a + b);
               |                    ^^^^^^^^
            error: [K0103] `flatten` is for options, arrays and slices, found `u32`
                   help: make a chain of each element: `.flat_map(|v| …)`
             9 |     let h = (0..n).flatten().count();
               |                    ^^^^^^^
            error: [K0102] expected a range, an array or an iterator, found `u32`
                   help: write `0..n`
            10 |     for v in n { }
               |              ^
            error: [K0102] expected an integer, found a float
                   note: ranges count with integers
                   help: count with integers and convert inside: `i as f32`
            11 |     for i in 0.0..1.0 { }
               |              ^^^
            error: [K0001] a range without a start is not supported in kernels
                   help: write both ends: `0..n`
            12 |     for i in ..n { }
               |              ^^^
            error: [K0106] `rev` takes 0 arguments, but 1 was given
            13 |     let i = (0..n).rev(1).count();
               |                        ^
        "#]],
    );
}

#[test]
fn what_the_library_leaves_open() {
    check_errors(
        "
fn kernel(x: &[f32], n: u32) {
    let a = (0..n).take_while(|i| *i < 4).rev().count();
    let b = (0..n).map(|i| i + 1).take(4).rev().count();
    let c = (0..).rev().count();
    let d = (0..n).map(|i| i + 1).skip(2).count();
    let e = [1, 2].into_iter().map(|i| i + 1).zip(0..n).count();
    let f = (0..n).filter(|i| *i > 2).enumerate().rev().count();
    let g = (0..n).take_while(|i| *i < 4).rfind(|i| *i > 1);
    let g = *n;
}",
        expect![[r#"
            error: [K0001] `rev` after `take_while` is not supported in kernels
                   note: `take_while` stands at line 2
                   help: write a `for` loop, or reverse before it
             2 |     let a = (0..n).take_while(|i| *i < 4).rev().count();
               |                                           ^^^
            error: [K0001] `rev` after `take` is not supported in kernels
                   note: `take` stands at line 3
                   help: reverse before anything is computed: put `.map(…)` and its like after `.rev()`
             3 |     let b = (0..n).map(|i| i + 1).take(4).rev().count();
               |                                           ^^^
            error: [K0001] `rev` after `..` is not supported in kernels
                   note: `..` stands at line 4
                   help: write both ends of the range
             4 |     let c = (0..).rev().count();
               |                   ^^^
            error: [K0001] `skip` after `map` is not supported in kernels
                   note: whether the closure runs for elements that are skipped depends on the steps that follow
                   help: put `.skip(…)` before `.map(…)`
             5 |     let d = (0..n).map(|i| i + 1).skip(2).count();
               |                                   ^^^^
            error: [K0001] this `zip` is not supported in kernels
                   note: whether the closures before it run for an element without a partner depends on the steps that follow
                   help: put `.zip(…)` before `.map(…)`, or go through arrays with `.iter()`
             6 |     let e = [1, 2].into_iter().map(|i| i + 1).zip(0..n).count();
               |                                               ^^^
            error: [K0001] `rev` after `filter` is not supported in kernels
                   note: `filter` stands at line 7
                   help: write a `for` loop, or reverse before it
             7 |     let f = (0..n).filter(|i| *i > 2).enumerate().rev().count();
               |                                                   ^^^
            error: [K0001] `rfind` after `take_while` is not supported in kernels
                   note: `take_while` stands at line 8
                   help: write a `for` loop, or reverse before it
             8 |     let g = (0..n).take_while(|i| *i < 4).rfind(|i| *i > 1);
               |                                           ^^^^^
        "#]],
    );
}

#[test]
fn given_iterators_that_write() {
    check_errors(
        r##"fn taken(x: &mut [u32]) -> impl Iterator<Item = u32> + '_ { x.iter_mut() } fn kernel(y: &mut [u32]) { y[0] = 1; }"##,
        expect![[r#"
            error: [K0001] an iterator that writes elements as a function's result is not supported
                   help: give the indices, `-> impl Iterator<Item = usize>`, and write `x[i]` where they are used
             1 | fn taken(x: &mut [u32]) -> impl Iterator<Item = u32> + '_ { x.iter_mut() } fn kernel(y: &mut [u32]) { y[0] = 1; }
               |                                                               ^^^^^^^^
        "#]],
    );
}
