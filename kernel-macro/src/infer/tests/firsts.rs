//! Forms of first programs that kernels have, and messages that teach where they do not.

use expect_test::expect;

use super::harness::{accepted, check_each, check_errors};

#[test]
fn forms() {
    accepted("enum Err { Small } fn f(x: u32) -> Result<u32, Err> { if x > 1 { Ok(x) } else { Err(Err::Small) } }");
    accepted("fn f(x: u32, n: usize) -> u32 { std::cmp::max(x, 7) + core::cmp::min(n, 3) as u32 }");
    accepted("fn f(x: [f32; 3]) -> Vec3 { Vec3::from(x) + Vec3::from([1.0; 3]) }");
    accepted("const T: &[u8; 3] = b\"abc\"; fn f(i: u32) -> u8 { T[i] + b\"xyz\"[i] }");
    accepted("fn f(x: [u32; 4]) -> u32 { let mut x = x; x.sort(); x.sort_by(|a, b| b.cmp(a)); x[0] }");
    accepted("fn f(x: [(u32, f32); 4]) -> u32 { let mut x = x; x.sort_by_key(|v| v.0); x[0].0 }");
    accepted("fn f(x: &mut [f32]) { x.sort_unstable_by(f32::total_cmp); }");
}

#[test]
fn functions_of_two() {
    check_each(
        &[
            r##"fn f(x: f32) -> f32 { std::cmp::max(x, 1.0) }"##,
            r##"fn f(x: u32) -> u32 { std::cmp::max(x, 1, 2) }"##,
            r##"fn f(x: u32, y: i32) -> u32 { std::cmp::min(x, y) }"##,
        ],
        expect![[r#"
            error: [K0100] function `std::cmp::max` does not take `f32` in kernels
                   help: write `x.max(1.0)`
             1 | fn f(x: f32) -> f32 { std::cmp::max(x, 1.0) }
               |                       ^^^^^^^^^^^^^
            error: [K0106] `max` takes 2 arguments, but 3 were given
             1 | fn f(x: u32) -> u32 { std::cmp::max(x, 1, 2) }
               |                                           ^
            error: [K0102] expected `u32`, found `i32`
                   help: write `y as u32`
             1 | fn f(x: u32, y: i32) -> u32 { std::cmp::min(x, y) }
               |                                                ^
        "#]],
    );
}

#[test]
fn vectors() {
    check_each(
        &[
            r##"fn f(x: f32) -> Vec3 { Vec3::from((x, 1.0)) }"##,
            r##"fn f(x: [f32; 3]) -> Vec2 { Vec2::from(x) }"##,
            r##"fn f(x: Vec3) -> Vec2 { x.into() }"##,
            r##"fn f(x: f32) -> Vec3 { (x, x).into() }"##,
            r##"fn f(x: Vec3) -> [f32; 2] { x.into() }"##,
        ],
        expect![[r#"
            error: [K0104] `Vec3` is not made from `(f32, f32)`
                   help: write `Vec3::new(…)` with the lanes
             1 | fn f(x: f32) -> Vec3 { Vec3::from((x, 1.0)) }
               |                                   ^^^^^^^^
            error: [K0102] expected `[f32; 2]`, found `[f32; 3]`
             1 | fn f(x: [f32; 3]) -> Vec2 { Vec2::from(x) }
               |                                        ^
            error: [K0104] `Vec2` is not made from `Vec3` by `into`
                   help: write the lanes, `x.xy()`, or the conversion, `x.as_vec3()` and its like
             1 | fn f(x: Vec3) -> Vec2 { x.into() }
               |                         ^^^^^^^^
            error: [K0104] `Vec3` is not made from `(f32, f32)` by `into`
                   help: write `Vec3::new(…)` with the lanes
             1 | fn f(x: f32) -> Vec3 { (x, x).into() }
               |                        ^^^^^^^^^^^^^
            error: [K0104] `[f32; 2]` is not made from `Vec3` by `into`
                   help: `x.to_array()` has as many elements as there are lanes
             1 | fn f(x: Vec3) -> [f32; 2] { x.into() }
               |                             ^^^^^^^^
        "#]],
    );
}

#[test]
fn sorting() {
    check_each(
        &[
            r##"fn f(x: &mut [f32]) { x.sort(); }"##,
            r##"fn f(x: [u32; 2]) { let mut x = x; let a = x.sort(); }"##,
            r##"fn f(x: &mut [f32]) { x.sort_by(|a, b| { return a.total_cmp(b); }); }"##,
        ],
        expect![[r#"
            error: [K0103] `f32` has no `Ord` that kernels know
                   help: floats have no total order, because of NaN: `partial_cmp`, or `total_cmp`
             1 | fn f(x: &mut [f32]) { x.sort(); }
               |                       ^^^^^^
            error: [K0104] no method `sort` on type `[u32; 2]`
                   help: write it as a statement, `x.sort();`, of a variable, field or element
             1 | fn f(x: [u32; 2]) { let mut x = x; let a = x.sort(); }
               |                                              ^^^^
            error: [K0104] no method `sort_by` on type `&mut [f32]`
                   help: write it as a statement, `x.sort_by(|a, b| …);`, of a variable, field or element, with a closure without `return`
             1 | fn f(x: &mut [f32]) { x.sort_by(|a, b| { return a.total_cmp(b); }); }
               |                         ^^^^^^^
        "#]],
    );
}

#[test]
fn places_in_options_and_enums() {
    check_errors(
        r##"fn f(y: &mut [[u32; 2]]) { if let [a, 1] = &mut y[0] { *a += 1; } }"##,
        expect![[r#"
            error: [K0115] a pattern cannot take a `&mut` reference apart here
                   note: it may lead to what other invocations reach: patterns write the invocation's own variables
                   help: copy it, `let mut own = y[0];`, take `&mut own` apart, and store it back: `y[0] = own;`
             1 | fn f(y: &mut [[u32; 2]]) { if let [a, 1] = &mut y[0] { *a += 1; } }
               |                                            ^^^^^^^^^
        "#]],
    );
    accepted(r##"enum E { A(u32), B } fn f(e: &mut E) { match e { E::A(n) => *n += 1, E::B => {} } }"##);
    accepted(r##"fn f() { let mut o = Some(1u32); if let Some(v) = &mut o { *v += 1; } }"##);
    accepted(r##"fn f() { let mut o = Some(1u32); let Some(ref mut v) = o else { return }; *v += 1; }"##);
}

#[test]
fn options_as_iterators() {
    check_errors(
        r##"fn f(o: Option<u32>) -> u32 { o.iter().sum::<u32>() }"##,
        expect![[r#"
        error: [K0104] no method `iter` on type `Option<u32>`
               help: an option is no iterator in kernels: write `if let Some(v) = x { … }`, or `x.map_or(…)`
         1 | fn f(o: Option<u32>) -> u32 { o.iter().sum::<u32>() }
           |                                 ^^^^
    "#]],
    );
    check_errors(
        r##"fn f(o: Option<u32>) { for v in o {} }"##,
        expect![[r#"
        error: [K0102] expected a range, an array or an iterator, found `Option<u32>`
               help: write `if let Some(v) = o { … }`
         1 | fn f(o: Option<u32>) { for v in o {} }
           |                                 ^
    "#]],
    );
}

#[test]
fn slices_that_are_chosen() {
    check_each(
        &[
            r##"fn f(x: &[u32], z: &[u32]) { let part = match x { [1, rest @ ..] => rest, _ => z }; }"##,
            r##"fn f(x: &[u32], n: [[u32; 2]; 2]) { let (k, part) = match x { [1, rest @ ..] => (1, rest), _ => (2, &n[0][1..]) }; }"##,
            r##"fn f(x: &[u32], z: &[u32]) { let part = x.get(1..3).unwrap_or(z); let none = x.get(1..3).unwrap_or(&[]); }"##,
            r##"fn f(x: &[u32], y: &mut [u32], n: u32) { let part = if n > 1 { let k = n; &x[k..] } else { y }; }"##,
            r##"fn f(x: &mut [u32]) {} fn g() { f(&mut [1, 2]); }"##,
            r##"const WORDS: [&[u8]; 2] = [b"ab", b"c"]; fn f() {}"##,
        ],
        expect![[r#"
            error: [K0115] this value may be a part of several slices
                   note: kernels have no pointers: a slice in a variable keeps to the buffer or array that it was made of
                   help: move the code that uses it into a function of a slice, and call that with the one or the other
             1 | fn f(x: &[u32], z: &[u32]) { let part = match x { [1, rest @ ..] => rest, _ => z }; }
               |                                                                                ^
            error: [K0115] this slice cannot be one of several
                   note: a slice that is chosen is a part of a parameter or of a variable, not of a field, of an element or of a list
                   help: choose where it begins and ends, and write `&x[from..to]` where it is used
             1 | fn f(x: &[u32], n: [[u32; 2]; 2]) { let (k, part) = match x { [1, rest @ ..] => (1, rest), _ => (2, &n[0][1..]) }; }
               |                                                                                                     ^^^^^^^^^^
            error: [K0115] this value may be a part of several slices
                   note: kernels have no pointers: a slice in a variable keeps to the buffer or array that it was made of
                   help: move the code that uses it into a function of a slice, and call that with the one or the other
             1 | fn f(x: &[u32], z: &[u32]) { let part = x.get(1..3).unwrap_or(z); let none = x.get(1..3).unwrap_or(&[]); }
               |                                                               ^
            error: [K0115] this value may be a part of several slices
                   note: kernels have no pointers: a slice in a variable keeps to the buffer or array that it was made of
                   help: move the code that uses it into a function of a slice, and call that with the one or the other
             1 | fn f(x: &[u32], y: &mut [u32], n: u32) { let part = if n > 1 { let k = n; &x[k..] } else { y }; }
               |                                                                                            ^
            error: [K0001] a const that is a slice of references is not supported in kernels
                   help: write rows of one length, `&[[u32; 4]]`; or one slice of all elements, and one of where each part begins
             1 | const WORDS: [&[u8]; 2] = [b"ab", b"c"]; fn f() {}
               |              ^^^^^^^^^^
            error: [K0115] a reference is not supported here
                   note: kernels have no pointers: a reference is an argument of a call, or the whole value of a `let`
                   help: write `[97u8, 98u8]`, the value
             1 | const WORDS: [&[u8]; 2] = [b"ab", b"c"]; fn f() {}
               |                            ^^^^^
            error: [K0115] a reference is not supported here
                   note: kernels have no pointers: a reference is an argument of a call, or the whole value of a `let`
                   help: write `[99u8]`, the value
             1 | const WORDS: [&[u8]; 2] = [b"ab", b"c"]; fn f() {}
               |                                   ^^^^
        "#]],
    );
}

#[test]
fn closures_and_iterators_as_results() {
    check_each(
        &[
            r##"fn f(n: u32) -> impl Fn(u32) -> u32 { move |x| x + n }"##,
            r##"struct Count { n: u32 } fn f(c: Count) { for v in c {} }"##,
            r##"fn f() { let s = "text"; }"##,
        ],
        expect![[r#"
            error: [K0001] a closure as a function's result is not supported in kernels
                   help: write the closure where it is called; or a `#[device] fn` that takes what the closure captures
             1 | fn f(n: u32) -> impl Fn(u32) -> u32 { move |x| x + n }
               |                 ^^^^^^^^^^^^^^^^^^^
            error: [K0109] cannot infer the type of `x`
                   help: write it, for example `let x: f32 = …`
             1 | fn f(n: u32) -> impl Fn(u32) -> u32 { move |x| x + n }
               |                                             ^
            error: [K0109] the type of this value must be known here
                   help: write the type where it is declared
             1 | fn f(n: u32) -> impl Fn(u32) -> u32 { move |x| x + n }
               |                                                ^
            error: [K0102] expected a range, an array or an iterator, found `Count`
                   note: kernels go through ranges, arrays, buffers and types with an `impl Iterator`
                   help: write the `impl Iterator` in its `#[device] mod`, or call its own method: `while let Some(v) = it.next() { … }`
             1 | struct Count { n: u32 } fn f(c: Count) { for v in c {} }
               |                                                   ^
        "#]],
    );
}

/// Methods of Rust's and glam's libraries that kernels lack.
#[test]
fn library() {
    check_each(
        &[
            r##"fn f(mut m: Mat3, v: Vec3) { m.set_row(1, v); }"##,
            r##"fn f(m: Mat3) -> Mat2 { Mat2::from_mat3_minor(m, 0, 1) }"##,
            r##"fn f(v: Vec3) -> f32 { v.as_dvec3().x as f32 }"##,
            r##"fn f() -> u32 { u32::max_value() }"##,
            r##"fn f(x: f32) -> i32 { x.to_int_unchecked() }"##,
            r##"fn f(x: &[u32]) -> u32 { x.select_nth_unstable(2) }"##,
            r##"fn f(mut o: Option<u32>) -> u32 { *o.get_or_insert_default() }"##,
            r##"fn f(v: Vec3) -> Vec3 { v.map(|x| x > 1.0) }"##,
            r##"fn f(v: Vec3) -> Vec3 { v.map() }"##,
        ],
        expect![[r#"
            error: [K0104] no method `set_row` on type `Mat3`
                   help: write the lane of each column: `m.x_axis.y = row.x;` and so on; for a row by its number: `let mut cells = m.to_cols_array_2d();`, `cells[column][row] = …;`, and `from_cols_array_2d(&cells)`
             1 | fn f(mut m: Mat3, v: Vec3) { m.set_row(1, v); }
               |                                ^^^^^^^
            error: [K0104] no function `from_mat3_minor` on type `Mat2`
                   help: write the columns with the lanes that stay: `Mat2::from_cols(m.y_axis.yz(), m.z_axis.yz())` leaves out the first ones
             1 | fn f(m: Mat3) -> Mat2 { Mat2::from_mat3_minor(m, 0, 1) }
               |                               ^^^^^^^^^^^^^^^
            error: [K0104] no method `as_dvec3` on type `Vec3`
                   help: vectors have `f32`, `i32` or `u32` here: convert the lanes, `v.x as f64`
             1 | fn f(v: Vec3) -> f32 { v.as_dvec3().x as f32 }
               |                          ^^^^^^^^
            error: [K0104] no function `max_value` on type `u32`
                   help: write the const of the type, `u32::MAX`
             1 | fn f() -> u32 { u32::max_value() }
               |                      ^^^^^^^^^
            error: [K0104] no method `to_int_unchecked` on type `f32`
                   help: write `x as i32`, which gives the nearest number
             1 | fn f(x: f32) -> i32 { x.to_int_unchecked() }
               |                         ^^^^^^^^^^^^^^^^
            error: [K0104] no method `select_nth_unstable` on type `&[u32]`
                   help: sort it, `x.sort();`, and take `x[n]`
             1 | fn f(x: &[u32]) -> u32 { x.select_nth_unstable(2) }
               |                            ^^^^^^^^^^^^^^^^^^^
            error: [K0104] no method `get_or_insert_default` on type `Option<u32>`
                   help: write the value that the type has by default: `*x.get_or_insert(0) += 1;`
             1 | fn f(mut o: Option<u32>) -> u32 { *o.get_or_insert_default() }
               |                                      ^^^^^^^^^^^^^^^^^^^^^
            error: [K0102] expected `f32`, found `bool`
                   help: write `(x > 1.0) as u32 as f32`
             1 | fn f(v: Vec3) -> Vec3 { v.map(|x| x > 1.0) }
               |                                   ^^^^^^^
            error: [K0106] `map` takes 1 argument, but 0 were given
             1 | fn f(v: Vec3) -> Vec3 { v.map() }
               |                           ^^^
        "#]],
    );
}
