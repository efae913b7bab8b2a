//! Slices: what arguments must be, and where slices may be named.

use expect_test::expect;

use super::harness::{check_each, check_errors};

#[test]
fn arguments() {
    check_each(
        &[
            r##"fn total(x: &[u32]) -> u32 { x[0] } fn kernel(x: &[f32], y: &mut [u32]) { y[0] = total(x); }"##,
            r##"fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a = [1u32, 2]; y[0] = total(a); }"##,
            r##"fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a = 5u32; y[0] = total(&a); }"##,
            r##"fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a: [u32; 0] = []; y[0] = total(&a); }"##,
            r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(x: &[u32]) { put(x); }"##,
            r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(x: &[u32]) { put(&mut x[1..]); }"##,
            r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [u32]) { put(&y[1..]); }"##,
            r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [u32]) { let a = [1u32, 2]; put(&mut a); y[0] = a[0]; }"##,
        ],
        expect![[r#"
            error: [K0102] expected `&[u32]`, found `&[f32]`
             1 | fn total(x: &[u32]) -> u32 { x[0] } fn kernel(x: &[f32], y: &mut [u32]) { y[0] = total(x); }
               |                                                                                        ^
            error: [K0102] expected a slice, found `[u32; 2]`
                   help: write `&a`, or of a reference `&a[..]`
             1 | fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a = [1u32, 2]; y[0] = total(a); }
               |                                                                                                ^
            error: [K0108] cannot make a slice of `u32`
                   note: buffers and arrays have slices
             1 | fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a = 5u32; y[0] = total(&a); }
               |                                                                                            ^
            error: [K0108] an array without elements has no slices
                   note: there is nothing that the function could read
             1 | fn total(x: &[u32]) -> u32 { x[0] } fn kernel(y: &mut [u32]) { let a: [u32; 0] = []; y[0] = total(&a); }
               |                                                                                                    ^
            error: [K0102] expected `&mut [u32]`, found `&[u32]`
                   help: a reference that elements are written through must be `&mut`, here and in its declaration
             1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(x: &[u32]) { put(x); }
               |                                                                ^
            error: [K0110] `x[1..]` cannot be written
                   help: declare it `&mut [T]`
             1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(x: &[u32]) { put(&mut x[1..]); }
               |                                                                     ^^^^^^
            error: [K0102] expected `&mut [u32]`, found `&[u32]`
                   help: a reference that elements are written through must be `&mut`, here and in its declaration
             1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [u32]) { put(&y[1..]); }
               |                                                                    ^^^^^^^
            error: [K0110] cannot assign to immutable variable `a`
                   note: `a` is declared at line 1
                   help: declare it `mut a`
             1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [u32]) { let a = [1u32, 2]; put(&mut a); y[0] = a[0]; }
               |                                                                                            ^
        "#]],
    );
    check_errors(
        r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel(y: &mut [[u32; 4]]) { put(&mut y[0]); }"##,
        expect![""],
    );
    check_errors(
        r##"fn put(x: &mut [u32]) { x[0] = 1; } fn kernel() { let tile = Shared::<[u32; 4]>::new(); put(&mut tile); }"##,
        expect![[r#"
            error: [K0102] expected a slice, found the shared variable `tile`
                   help: write `tile[..]`
             1 | fn put(x: &mut [u32]) { x[0] = 1; } fn kernel() { let tile = Shared::<[u32; 4]>::new(); put(&mut tile); }
               |                                                                                                  ^^^^
        "#]],
    );
    check_errors(
        r##"fn total(x: &[u32]) -> u32 { x[0] } fn kernel(x: &[u32], y: &mut [u32]) { y[0] = total(&x[1i32..]); }"##,
        expect![[r#"
            error: [K0108] expected `u32` or `usize`, found `i32`
                   note: buffers and arrays are indexed by unsigned integers
                   help: write `1i32 as u32`
             1 | fn total(x: &[u32]) -> u32 { x[0] } fn kernel(x: &[u32], y: &mut [u32]) { y[0] = total(&x[1i32..]); }
               |                                                                                           ^^^^
        "#]],
    );
}

#[test]
fn values() {
    check_each(
        &[
            r##"fn kernel(x: &[u32]) { let part = x[1..3]; }"##,
            r##"fn apply(f: impl Fn(u32) -> u32) -> u32 { f(1) } fn f(x: &[u32]) -> u32 { apply(move |i: u32| x[i]) }"##,
            r##"fn apply(f: impl Fn(u32) -> u32) -> u32 { f(1) } fn kernel(x: &[u32], y: &mut [u32]) { let part = &x[1..3]; let at = |i: u32| part[i]; let other = at; y[0] = apply(other); }"##,
        ],
        expect![[r#"
            error: [K0203] the slice `x[1..3]` is used as a value
                   help: pass it to a device function, `f(&x[1..3])`, or name it: `let part = &x[1..3];`
             1 | fn kernel(x: &[u32]) { let part = x[1..3]; }
               |                                   ^^^^^^^
            error: [K0115] this closure cannot capture a slice of the enclosing function
                   note: it is `move` or copied, and the buffer of each slice must be known when the kernel is compiled
                   help: leave out `move`, and call it here or pass it for `impl Fn(…)`; or write a `#[device] fn` that takes the slice
             1 | fn apply(f: impl Fn(u32) -> u32) -> u32 { f(1) } fn f(x: &[u32]) -> u32 { apply(move |i: u32| x[i]) }
               |                                                                                               ^^^^
            error: [K0115] this closure cannot capture a slice of the enclosing function
                   note: it is `move` or copied, and the buffer of each slice must be known when the kernel is compiled
                   help: leave out `move`, and call it here or pass it for `impl Fn(…)`; or write a `#[device] fn` that takes the slice
             1 | fn apply(f: impl Fn(u32) -> u32) -> u32 { f(1) } fn kernel(x: &[u32], y: &mut [u32]) { let part = &x[1..3]; let at = |i: u32| part[i]; let other = at; y[0] = apply(other); }
               |                                                                                                                               ^^^^^^^
        "#]],
    );
}

#[test]
fn parameters() {
    check_errors(
        r##"fn f<T: Copy>(x: &[bool], y: T) -> bool { x[0] }"##,
        expect![[r#"
        error: [K0205] the parameter `x` cannot be a slice
               note: `bool` has no layout in buffers
               help: store `u32`: `flag as u32`, and read it with `!= 0`
         1 | fn f<T: Copy>(x: &[bool], y: T) -> bool { x[0] }
           |                  ^^^^^^^
    "#]],
    );
    check_errors(
        r##"fn f<T: Copy>(x: &[T]) -> T { x[0] } fn g<T: Copy>(own: [T; 2]) -> T { f(&own) }"##,
        expect![[r#"
            error: [K0205] an array of values of a type parameter cannot be a slice here
                   note: on the host, the elements of a slice need bounds that the type parameter does not have
                   help: take a slice as a parameter, `x: &[T]`, and pass that on
             1 | fn f<T: Copy>(x: &[T]) -> T { x[0] } fn g<T: Copy>(own: [T; 2]) -> T { f(&own) }
               |                                                                          ^^^^
        "#]],
    );
}

#[test]
fn methods() {
    check_errors(
        "
fn kernel(x: &[u32], y: &mut [u32], bins: &[Atomic<u32>], n: u32) {
    let tile = Shared::<[[u32; 4]; 4]>::new();
    let own = [1u32, 2, 3];
    let a = x.get(n);
    let b = x.get(1..2);
    let c = x.contains(3);
    let d = x.contains(&1.5);
    let e = x.first(1);
    x.swap(0, 1);
    own.fill(3);
    y.fill(1.5);
    x[1..].reverse();
    own[1..].reverse();
    y.copy_from_slice(&[1.0f32, 2.0]);
    y.copy_from_slice(own);
    let f = bins.first();
    let g = tile[0].first();
    let h = x.get_mut(0);
    let i = x.array_chunks(2).count();
}",
        expect![[r#"
            error: [K0102] expected `usize`, found `u32`
                   note: numbers of elements are `usize`
                   note: `n` is `u32` because of its declaration at line 1
                   help: write `n as usize`
             4 |     let a = x.get(n);
               |                   ^
            error: [K0102] expected a reference, found a value
                   help: write `&3`
             6 |     let c = x.contains(3);
               |                        ^
            error: [K0102] expected `u32`, found a float
                   help: write `(&1.5) as u32`
             7 |     let d = x.contains(&1.5);
               |                        ^^^^
            error: [K0106] `first` takes 0 arguments, but 1 was given
             8 |     let e = x.first(1);
               |                     ^
            error: [K0110] the elements of `x` cannot be written
                   help: a reference that elements are written through must be `&mut`, here and in its declaration
             9 |     x.swap(0, 1);
               |     ^
            error: [K0110] cannot assign to immutable variable `own`
                   note: `own` is declared at line 3
                   help: declare it `mut own`
            10 |     own.fill(3);
               |     ^^^
            error: [K0102] expected `u32`, found float literal
            11 |     y.fill(1.5);
               |            ^^^
            error: [K0110] the elements of `x[1..]` cannot be written
                   help: a reference that elements are written through must be `&mut`, here and in its declaration
            12 |     x[1..].reverse();
               |     ^^^^^^
            error: [K0110] cannot assign to immutable variable `own`
                   note: `own` is declared at line 3
                   help: declare it `mut own`
            13 |     own[1..].reverse();
               |     ^^^
            error: [K0102] expected `&[u32]`, found `&[f32]`
            14 |     y.copy_from_slice(&[1.0f32, 2.0]);
               |                       ^^^^^^^^^^^^^^
            error: [K0102] expected a slice, found `[u32; 3]`
                   help: write `&own`, or of a reference `&own[..]`
            15 |     y.copy_from_slice(own);
               |                       ^^^
            error: [K0301] `bins` holds atomics and cannot be copied
                   help: go through the indices: `(0..bins.len()).map(|i| bins[i].load(Relaxed))`
            16 |     let f = bins.first();
               |             ^^^^
            error: [K0104] no method `get_mut` on type `&[u32]`
                   help: write `if let Some(v) = x.get_mut(i) { … }`, or `let Some(v) = x.get_mut(i) else { return Err(…) };` and `*v = …`, or `x[i] = …`
            18 |     let h = x.get_mut(0);
               |               ^^^^^^^
            error: [K0104] no method `array_chunks` on type `&[u32]`
                   help: write `.chunks_exact(n)`
            19 |     let i = x.array_chunks(2).count();
               |               ^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn written_elements() {
    check_errors(
        "
fn kernel(x: &[u32], y: &mut [u32], z: &mut [Vec2]) {
    let own = [1u32, 2, 3];
    for v in x.iter_mut() { *v = 1; }
    for v in own.iter_mut() { *v = 1; }
    for v in &mut x[1..] { *v = 1; }
    for v in y.iter_mut().map(|v| v) { }
    y.iter_mut().for_each(|v| *v += 1);
    for (a, b) in y.iter_mut().zip(x.iter().map(|v| v + 1)).take(2) { *a = b; }
    for pair in y.iter_mut().enumerate() { }
    for mut v in y.iter_mut() { }
    for (a, b) in y.iter_mut().zip(z.iter_mut().filter(|v| v.x > 0.0)) { }
    for v in y.iter_mut() { v = 1; }
    for v in y.iter_mut() { *v = 1.5; }
    let w = y.iter_mut();
}",
        expect![[r#"
            error: [K0110] the elements of `x` cannot be written
                   help: a reference that elements are written through must be `&mut`, here and in its declaration
             3 |     for v in x.iter_mut() { *v = 1; }
               |              ^
            error: [K0110] cannot assign to immutable variable `own`
                   note: `own` is declared at line 2
                   help: declare it `mut own`
             4 |     for v in own.iter_mut() { *v = 1; }
               |              ^^^
            error: [K0110] the elements of `x[1..]` cannot be written
                   help: a reference that elements are written through must be `&mut`, here and in its declaration
             5 |     for v in &mut x[1..] { *v = 1; }
               |                   ^^^^^^
            error: [K0001] `map` after `iter_mut` is not supported in kernels
                   note: elements are written in `for` loops, after `enumerate`, `zip`, `rev`, `skip`, `take` and `step_by`
                   help: write `for v in x.iter_mut() { … }`
             6 |     for v in y.iter_mut().map(|v| v) { }
               |                           ^^^
            error: [K0001] `map` beside `iter_mut` is not supported here
                   note: a loop that writes elements goes by position: through arrays, slices and ranges
                   help: put it last, and nothing but `enumerate` behind it, `x.iter_mut().zip(…)`; or compute it in the loop
             8 |     for (a, b) in y.iter_mut().zip(x.iter().map(|v| v + 1)).take(2) { *a = b; }
               |                                             ^^^
            error: [K0001] an element of `iter_mut` must be bound to a plain name
                   help: write `(i, v)`, and take it apart in the loop
             9 |     for pair in y.iter_mut().enumerate() { }
               |         ^^^^
            error: [K0001] an element of `iter_mut` must be bound to a plain name
                   help: write `v`, and take it apart in the loop
            10 |     for mut v in y.iter_mut() { }
               |             ^
            error: [K0001] `filter` after `iter_mut` is not supported in kernels
                   note: elements are written in `for` loops, after `enumerate`, `zip`, `rev`, `skip`, `take` and `step_by`
                   help: write `for v in x.iter_mut() { … }`
            11 |     for (a, b) in y.iter_mut().zip(z.iter_mut().filter(|v| v.x > 0.0)) { }
               |                                                 ^^^^^^
            error: [K0110] cannot assign to the reference `v` itself
                   note: in kernels a reference names the same place for its whole life
                   help: assign to its referent: `*v = …`
            12 |     for v in y.iter_mut() { v = 1; }
               |                             ^
            error: [K0102] expected `u32`, found float literal
            13 |     for v in y.iter_mut() { *v = 1.5; }
               |                                  ^^^
            error: [K0001] `iter_mut` in an iterator in a variable is not supported in kernels
                   note: the chain of an iterator in a variable runs where the variable is used
                   help: write the whole chain in the head of the `for` loop that stores to the elements
            14 |     let w = y.iter_mut();
               |               ^^^^^^^^
        "#]],
    );
}

#[test]
fn divided() {
    check_errors(
        "
fn of_unknown<T: Copy, const N: usize>(own: [T; N]) -> u32 { own.windows(2).count() as u32 }
fn same<T: Copy>(value: T) -> T { value }
fn kernel(x: &[f32], y: &mut [f32], bins: &[Atomic<u32>]) {
    let flags = [true, false, true];
    let odd = flags.chunks(2).count();
    let grid = [[1.0, 2.0], [3.0, 4.0f32]];
    let inner = grid[1].windows(2).count();
    let halves = x.split_at(4);
    y[0] = halves.0[odd + inner];
    let first = x.windows(2).nth(0);
    let again = same(first);
    let first_of = |at: u32| first.map_or(0.0, |w| w[at as usize]);
    let mut sum = 0.0;
    let mut add = |at: u32| sum += x[at];
    let through = |at: u32| add(at);
    let same_add = same(add);
    for c in x.chunks_mut(2) { c[0] = 1.0; }
    for c in y.chunks(2) { c[0] = 1.0; }
    let part = if odd == 1 { x.windows(2).nth(0) } else { x.windows(3).nth(0) };
    let rows = y.chunks();
    let cells = bins.windows(2).count();
    let other = x.windows(2u32).count();
    let pairs = x.windows(2);
    println!(\"{:?}\", first);
}",
        expect![[r#"
            error: [K0115] `flags` cannot be split into slices in kernels
                   note: `bool` has no layout in buffers
                   help: store `u32`: `flag as u32`, and read it with `!= 0`
             5 |     let odd = flags.chunks(2).count();
               |               ^^^^^
            error: [K0115] a slice cannot be a member of another value
                   help: name it by a pattern: `let (head, tail) = x.split_at(n);`
             9 |     y[0] = halves.0[odd + inner];
               |            ^^^^^^^^
            error: [K0115] the parameter `T` cannot be a slice
                   note: it would be `Option<&[f32]>`, and the buffer of each slice must be known when the kernel is compiled
                   help: take a slice as a parameter of its own, `x: &[T]`, or pass its elements
            11 |     let again = same(first);
               |                 ^^^^
            error: [K0115] the closure `add` cannot be used as a value here
                   note: it may change variables of the enclosing function, or writes through a parameter
                   help: call it by its name, here or in a closure that is `let mut`, too; or pass it for a parameter `impl FnMut(…)`
            15 |     let through = |at: u32| add(at);
               |                             ^^^^^^^
            error: [K0115] the closure `add` cannot be used as a value here
                   note: it may change variables of the enclosing function, or writes through a parameter
                   help: call it by its name, here or in a closure that is `let mut`, too; or pass it for a parameter `impl FnMut(…)`
            16 |     let same_add = same(add);
               |                         ^^^
            error: [K0110] the elements of `x` cannot be written
                   help: a reference that elements are written through must be `&mut`, here and in its declaration
            17 |     for c in x.chunks_mut(2) { c[0] = 1.0; }
               |              ^
            error: [K0110] cannot assign to an element of `c`
                   note: `c` is `&[f32]`, which is read-only
                   help: write `get_mut`, `chunks_mut`, `chunks_exact_mut` or `split_at_mut`
            18 |     for c in y.chunks(2) { c[0] = 1.0; }
               |                            ^^^^
            error: [K0102] expected `Option<&[f32]>`, found `Option<&[f32]>`
                   note: in kernels, the slices of each call of `windows`, `chunks` or `split_at` have a type of their own
                   help: choose the arguments first, and make one call
            19 |     let part = if odd == 1 { x.windows(2).nth(0) } else { x.windows(3).nth(0) };
               |                                                           ^^^^^^^^^^^^^^^^^^^
            error: [K0106] `chunks` takes 1 argument, but 0 were given
            20 |     let rows = y.chunks();
               |                  ^^^^^^
            error: [K0301] `bins` holds atomics and cannot be copied
                   help: go through the indices: `(0..bins.len()).map(|i| bins[i].load(Relaxed))`
            21 |     let cells = bins.windows(2).count();
               |                 ^^^^
            error: [K0102] expected `usize`, found `u32`
                   note: numbers of elements are `usize`
                   help: write `2`
            22 |     let other = x.windows(2u32).count();
               |                           ^^^^
            error: [K0114] a buffer cannot be shown, found `Option<&[f32]>`
                   help: show an element, or the length, `.len()`
            24 |     println!("{:?}", first);
               |                      ^^^^^
        "#]],
    );
}

#[test]
fn compared() {
    check_errors(
        "fn k(x: &[u32], y: &mut [f32]) {
            let own = [1u32, 2];
            let a = x[..2] == own;
            let b = x == y;
            let c = x == 3;
            let d = x[1..] == &own[1.0..];
            let e = x < &own[..];
            let f = x.starts_with(2);
            let g = x.ends_with(own);
            let h = x.starts_with(&[1.0]);
        }",
        expect![[r#"
            error: [K0102] expected `&[u32]`, found `&[f32]`
             4 |             let b = x == y;
               |                          ^
            error: [K0108] cannot make a slice of an integer
                   note: buffers and arrays have slices
             5 |             let c = x == 3;
               |                          ^
            error: [K0108] expected `u32` or `usize`, found a float
                   note: buffers and arrays are indexed by unsigned integers
             6 |             let d = x[1..] == &own[1.0..];
               |                                    ^^^
            error: [K0102] expected a slice, found an integer
                   help: slices are made of buffers and arrays: `&x[a..b]`
             8 |             let f = x.starts_with(2);
               |                                   ^
            error: [K0102] expected a slice, found `[u32; 2]`
                   help: write `&own`, or of a reference `&own[..]`
             9 |             let g = x.ends_with(own);
               |                                 ^^^
            error: [K0102] expected `&[u32]`, found `&[a float]`
            10 |             let h = x.starts_with(&[1.0]);
               |                                   ^^^^^^
        "#]],
    );
}

#[test]
fn patterns_of_slices() {
    check_errors(
        "fn k(x: &[u32], rows: &[[u32; 4]], cells: &[Atomic<u32>], y: &mut [u32]) {
            if let [a, ..] = y { *a = 1; }
            if let [a, ..] = &mut y[1..] { *a = 1; }
            let [a, b] = &x[..2];
            let [a, ..] = x[1..];
            match &rows[y[0]][1..] { [a, ..] => y[0] = *a, [] => {} }
            if let [a] = &cells[..1] { y[0] = 1; }
            if let [1.5, ..] = x { y[0] = 1; }
            if let [a, .., b, ..] = x { y[0] = 1; }
            for [a, ..] in x.chunks(2) { y[0] = 1; }
            let n = x.windows(2).map(|[a, b]| *a).sum::<u32>();
            if let Some([a, ..]) = y.get_mut(1..3) { *a = 1; }
            if let [a] | [a, ..] = x && a > 1.5 { y[0] = 2; }
            if let [a, b] = x[0] { y[0] = 3; }
        }",
        expect![[r#"
            error: [K0115] a pattern cannot take a `&mut` slice apart here
                   help: to read, write `&y[..]`; to write, name an element: `let first = &mut y[0];`
             2 |             if let [a, ..] = y { *a = 1; }
               |                              ^
            error: [K0115] a pattern cannot take a `&mut` slice apart here
                   help: to read, write `&y[1..]`; to write, name an element: `let first = &mut y[0];`
             3 |             if let [a, ..] = &mut y[1..] { *a = 1; }
               |                              ^^^^^^^^^^^
            error: [K0006] this pattern cannot take a slice apart here
                   note: the slice may have another length
                   help: write `let … else { … }`, or `match`
             4 |             let [a, b] = &x[..2];
               |                 ^^^^^^
            error: [K0006] this pattern cannot take a slice apart here
                   note: the slice may have another length
                   help: write `let … else { … }`, or `match`
             5 |             let [a, ..] = x[1..];
               |                 ^^^^^^^
            error: [K0115] a slice of an array inside an array has no patterns here
                   note: the slice could be used after the index that selects the array has changed
                   help: match the array, `match rows[y[0]] { … }`, or copy it to a variable first
             6 |             match &rows[y[0]][1..] { [a, ..] => y[0] = *a, [] => {} }
               |                   ^^^^^^^^^^^^^^^^
            error: [K0301] `cells[..1]` holds atomics and cannot be copied
                   help: go through the indices: `(0..cells[..1].len()).map(|i| cells[..1][i].load(Relaxed))`
             7 |             if let [a] = &cells[..1] { y[0] = 1; }
               |                           ^^^^^^^^^^
            error: [K0102] expected `u32`, found float literal
                   note: the matched value is `u32`
             8 |             if let [1.5, ..] = x { y[0] = 1; }
               |                     ^^^
            error: [K0006] `..` can stand only once in a pattern
             9 |             if let [a, .., b, ..] = x { y[0] = 1; }
               |                               ^
            error: [K0006] this pattern cannot take a slice apart here
                   note: slices are taken apart by `match`, `if let`, `while let`, `let … else` and `matches!`
                   help: name the slice here, and match on the name
            10 |             for [a, ..] in x.chunks(2) { y[0] = 1; }
               |                 ^^^^^^^
            error: [K0006] this pattern cannot take a slice apart here
                   note: slices are taken apart by `match`, `if let`, `while let`, `let … else` and `matches!`
                   help: name the slice here, and match on the name
            11 |             let n = x.windows(2).map(|[a, b]| *a).sum::<u32>();
               |                                       ^^^^^^
            error: [K0006] this pattern cannot take a slice apart here
                   note: the slice is `&mut`, and its elements would be references to write through
                   help: take it by `get` or `split_at` to read, or name an element: `let first = &mut part[0];`
            12 |             if let Some([a, ..]) = y.get_mut(1..3) { *a = 1; }
               |                         ^^^^^^^
            error: [K0102] expected `u32`, found float literal
                   note: the left operand is `u32`
            13 |             if let [a] | [a, ..] = x && a > 1.5 { y[0] = 2; }
               |                                             ^^^
            error: [K0102] expected `u32`, found a pattern for an array of 2 elements
            14 |             if let [a, b] = x[0] { y[0] = 3; }
               |                    ^^^^^^
        "#]],
    );
}

#[test]
fn slices_that_move() {
    check_errors(
        r##"fn total(x: &[u32]) -> u32 { let mut rest = x; rest = &rest[1..]; if rest.len() > 3 { rest = &x[..2]; } rest[0] } fn kernel(x: &[u32], y: &mut [u32]) { let part = x; y[0] = total(part); }"##,
        expect![[r#""#]],
    );
    check_each(
        &[
            r##"fn kernel(x: &[u32], z: &[u32], y: &mut [u32]) { let mut part = &x[1..]; part = &z[1..]; y[0] = part[0]; }"##,
            r##"fn kernel(x: &[u32], y: &mut [u32]) { let part = &x[1..]; part = &part[1..]; y[0] = part[0]; }"##,
            r##"fn kernel(x: &[f32], y: &mut [u32]) { let mut own = &y[1..]; own = &x[1..]; }"##,
        ],
        expect![[r#"
            error: [K0203] `part` cannot become a slice of something else, `z[1..]`
                   note: kernels have no pointers: a slice in a variable keeps to the buffer or array that it was made of
                   help: move the code that uses it into a function of a slice, and call that with the one or the other
             1 | fn kernel(x: &[u32], z: &[u32], y: &mut [u32]) { let mut part = &x[1..]; part = &z[1..]; y[0] = part[0]; }
               |                                                                                 ^^^^^^^
            error: [K0110] cannot assign to the immutable variable `part`
                   help: declare it `mut part`
             1 | fn kernel(x: &[u32], y: &mut [u32]) { let part = &x[1..]; part = &part[1..]; y[0] = part[0]; }
               |                                                           ^^^^
            error: [K0102] expected `&[u32]`, found `&[f32]`
             1 | fn kernel(x: &[f32], y: &mut [u32]) { let mut own = &y[1..]; own = &x[1..]; }
               |                                                                    ^^^^^^^
        "#]],
    );
}

#[test]
fn arrays_of_elements() {
    check_errors(
        "fn f(x: &[u32]) { let (words, rest) = x.as_chunks::<0>(); }",
        expect![[r#"
            error: [K0106] `as_chunks` makes arrays of one element or more
             1 | fn f(x: &[u32]) { let (words, rest) = x.as_chunks::<0>(); }
               |                                                     ^
        "#]],
    );
    check_errors(
        "fn f(x: &[u32]) { let (words, rest) = x.as_chunks::<u32>(); }",
        expect![[r#"
            error: [K0100] cannot find value `u32` in this scope
                   help: `u32` is a type
             1 | fn f(x: &[u32]) { let (words, rest) = x.as_chunks::<u32>(); }
               |                                                     ^^^
        "#]],
    );
    check_errors(
        "fn f(x: &[u32]) { let first = x.first_chunk(); }",
        expect![[r#"
            error: [K0109] cannot infer the type of `first`
                   help: write it, for example `let first: Option<[u32; 4]> = …`
             1 | fn f(x: &[u32]) { let first = x.first_chunk(); }
               |                       ^^^^^
        "#]],
    );
    check_errors(
        "fn f(x: &[u32]) -> u32 { let (words, rest) = x.as_chunks::<4>(); words[0] = [1; 4]; words[0][1] += 1; 1 }",
        expect![[r#"
            error: [K0110] cannot assign to an element of `words`
                   note: `words` is `&[[u32; 4]]`, which is read-only
                   help: write `get_mut`, `chunks_mut`, `chunks_exact_mut` or `split_at_mut`
             1 | fn f(x: &[u32]) -> u32 { let (words, rest) = x.as_chunks::<4>(); words[0] = [1; 4]; words[0][1] += 1; 1 }
               |                                                                  ^^^^^^^^
            error: [K0110] cannot assign to an element of `words`
                   note: `words` is `&[[u32; 4]]`, which is read-only
                   help: write `get_mut`, `chunks_mut`, `chunks_exact_mut` or `split_at_mut`
             1 | fn f(x: &[u32]) -> u32 { let (words, rest) = x.as_chunks::<4>(); words[0] = [1; 4]; words[0][1] += 1; 1 }
               |                                                                                     ^^^^^^^^
        "#]],
    );
}
