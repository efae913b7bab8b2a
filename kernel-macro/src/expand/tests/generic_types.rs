//! Generic structs and enums: what is wrong with them, and with their arguments.

use expect_test::expect;

use super::driver::{accepted, check_each, check_errors};

const PAIR: &str = "#[device] mod m { pub struct Pair<A, B> { pub a: A, pub b: B } \
     impl<A: Copy, B: Copy> Pair<A, B> { pub fn new(a: A, b: B) -> Self { Self { a, b } } } \
     pub enum Step<T> { Stay, Go(T) } pub struct Tile<const N: usize> { pub cells: [u32; N] } }";

fn with_pair(kernel: &str) -> String {
    format!("{PAIR}\n{kernel}")
}

#[test]
fn accepted_uses() {
    accepted(&with_pair(
        "#[kernel] fn k(x: &mut [f32]) { let p = Pair::new(x[0], 2u32); let s = Step::Go(p); \
         if let Step::Go(Pair { a, b }) = s { x[0] = a + b as f32; } }",
    ));
    accepted(&with_pair(
        "#[kernel(N = 4)] fn k<const N: usize>(x: &mut [u32]) { let t = Tile::<N> { cells: [x[0]; N] }; x[0] = t.cells[1]; }",
    ));
}

#[test]
fn defaults() {
    accepted("#[device] mod m { pub struct S<T = f32> { pub a: T } pub fn f(s: S) -> f32 { s.a } }");
    accepted("#[device] mod m { pub enum E<const N: usize = 4> { A([u32; N]) } pub type F<T = S> = T; pub struct S; }");
    check_errors(
        "#[device] mod m { pub struct S<T, U = T> { pub a: T, pub b: U } pub fn f(s: S) {} pub fn g(s: S<u32, u32, u32>) {} }",
        expect![[r#"
            error: [K0106] `S` takes 2 generic arguments
                   help: write `S<T, U>` with a type or value for each
             1 | #[device] mod m { pub struct S<T, U = T> { pub a: T, pub b: U } pub fn f(s: S) {} pub fn g(s: S<u32, u32, u32>) {} }
               |                                                                             ^
            error: [K0106] `S` takes 2 generic arguments, but 3 were given
             1 | #[device] mod m { pub struct S<T, U = T> { pub a: T, pub b: U } pub fn f(s: S) {} pub fn g(s: S<u32, u32, u32>) {} }
               |                                                                                                ^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn definitions() {
    check_errors(
        "#[device] mod m { pub struct S<'a> { pub a: &'a mut u32 } }",
        expect![[r#"
            error: [K0001] a reference in a struct or enum is not supported in kernels
                   note: devices have no pointers to store: a `#[device] struct` holds values, slices, and `&` references, which are values
                   help: pass it to the methods, `fn step(&mut self, random: &mut Random)`; or hold the value itself, or a slice
             1 | #[device] mod m { pub struct S<'a> { pub a: &'a mut u32 } }
               |                                             ^^^^^^^^^^^
        "#]],
    );
    check_errors(
        "#[device] mod m { pub struct S<T> { pub a: U } pub struct U<T> { pub b: T } }",
        expect![[r#"
            error: [K0106] `U` takes 1 generic argument
                   help: write `U<T>` with a type or value for each
             1 | #[device] mod m { pub struct S<T> { pub a: U } pub struct U<T> { pub b: T } }
               |                                            ^
        "#]],
    );
}

#[test]
fn arguments() {
    check_each(
        &[
            &with_pair(
                "#[kernel] fn k(x: &mut [f32]) { let p = Pair { a: x[0], b: 2u32 }; let q: Pair<u32, u32> = p; }",
            ),
            &with_pair("#[kernel] fn k(x: &mut [f32]) { let p: Pair<f32> = Pair::new(x[0], 2u32); }"),
            &with_pair("#[kernel] fn k(x: &mut [f32]) { let s = Step::Stay; }"),
            &with_pair("#[kernel] fn k(x: &mut [f32]) { let t = Tile::<3> { cells: [1, 2] }; }"),
            &with_pair("#[kernel] fn k(x: &mut [f32]) { x[0] = Pair::new(x[0], 2u32).c; }"),
            &with_pair("#[kernel] fn k(x: &mut [f32]) { let p = Pair::new(1, 2) == Pair::new(1, 3); }"),
        ],
        expect![[r#"
            error: [K0102] expected `Pair<u32, u32>`, found `Pair<f32, u32>`
             2 | #[kernel] fn k(x: &mut [f32]) { let p = Pair { a: x[0], b: 2u32 }; let q: Pair<u32, u32> = p; }
               |                                                                                            ^
            error: [K0106] `Pair` takes 2 generic arguments, but 1 were given
             2 | #[kernel] fn k(x: &mut [f32]) { let p: Pair<f32> = Pair::new(x[0], 2u32); }
               |                                            ^^^^^
            error: [K0109] cannot infer the type of `s`
                   help: write it, for example `let s: Step<f32> = …`
             2 | #[kernel] fn k(x: &mut [f32]) { let s = Step::Stay; }
               |                                     ^
            error: [K0102] expected `[u32; 3]`, found `[u32; 2]`
                   note: field `cells` of `Tile` is `[u32; 3]`
             2 | #[kernel] fn k(x: &mut [f32]) { let t = Tile::<3> { cells: [1, 2] }; }
               |                                                            ^^^^^^
            error: [K0105] struct `Pair` has no field `c`
                   help: a field with a similar name exists: `a`
             2 | #[kernel] fn k(x: &mut [f32]) { x[0] = Pair::new(x[0], 2u32).c; }
               |                                                              ^
            error: [K0103] cannot compare `Pair<i32, i32>` with `==`
                   help: compare its fields, or write `impl PartialEq for Pair` beside it, in a `#[device] mod`
             2 | #[kernel] fn k(x: &mut [f32]) { let p = Pair::new(1, 2) == Pair::new(1, 3); }
               |                                         ^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn layouts_that_depend_on_the_launch() {
    let tile = "#[derive(GpuData)] #[repr(C)] struct Row<const N: usize> { cells: [u32; N] }";
    check_errors(
        &format!("{tile}\n#[kernel(N = 4)] fn k<const N: usize>(x: &mut [Row<N>]) {{ }}"),
        expect![[r#"
            error: [K0205] parameter `x` of type `&mut [Row<N>]` cannot reach the device
                   note: the layout of buffers and parameters cannot depend on a const parameter of the kernel
                   help: write the length as a number, or take a buffer of single elements and compute the index
             2 | #[kernel(N = 4)] fn k<const N: usize>(x: &mut [Row<N>]) { }
               |                                          ^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn members_that_cannot_lie_in_memory() {
    let row = "#[derive(GpuData)] #[repr(C)] struct Row<T> { cell: T, rest: u32 }";
    check_errors(
        &format!("{row}\n#[kernel] fn k(x: &mut [Row<bool>]) {{ }}"),
        expect![[r#"
        error: [K0205] parameter `x` of type `&mut [Row<bool>]` cannot reach the device
               note: `bool` has no layout in buffers
               help: store `u32`: `flag as u32`, and read it with `!= 0`
         2 | #[kernel] fn k(x: &mut [Row<bool>]) { }
           |                   ^^^^^^^^^^^^^^^^
    "#]],
    );
    check_errors(
        &format!("{row}\n#[kernel] fn k(x: &mut [u32], y: Row<Row<(f32, f32)>>) {{ }}"),
        expect![[r#"
        error: [K0205] parameter `y` of type `Row<Row<(f32, f32)>>` cannot reach the device
               note: Rust does not define the layout of tuples
               help: pass a struct with `#[derive(GpuData)]`
         2 | #[kernel] fn k(x: &mut [u32], y: Row<Row<(f32, f32)>>) { }
           |                                  ^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
    check_errors(
        &format!("{row}\n#[kernel] fn k(x: &mut [u32]) {{ let tile = Shared::<[Row<usize>; 4]>::new(); }}"),
        expect![[r#"
            error: [K0300] `[Row<usize>; 4]` cannot lie in shared memory
                   note: `usize` has 64 bits on the host and 32 on the device
                   help: pass `u32`: any unsigned integer indexes
             2 | #[kernel] fn k(x: &mut [u32]) { let tile = Shared::<[Row<usize>; 4]>::new(); }
               |                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn references_to_atomics() {
    check_errors(
        "#[device] mod m { pub fn count(cell: &Atomic<u32>) { cell.fetch_add(1, Relaxed); } }",
        expect![[r#"
            error: [K0115] a parameter that is a reference to an atomic is not supported
                   help: take a slice, `cells: &[Atomic<u32>]`, and pass `&bins[i..i + 1]`
             1 | #[device] mod m { pub fn count(cell: &Atomic<u32>) { cell.fetch_add(1, Relaxed); } }
               |                                      ^^^^^^^^^^^^
        "#]],
    );
    check_errors(
        "#[device] mod m { pub fn first(tile: &Shared<[u32; 4]>) -> u32 { tile[0] } }",
        expect![[r#"
            error: [K0115] a parameter that is a reference to a shared variable is not supported
                   help: take a slice, `tile: &mut [f32]`, and pass `&mut tile[..]`
             1 | #[device] mod m { pub fn first(tile: &Shared<[u32; 4]>) -> u32 { tile[0] } }
               |                                      ^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn aliases() {
    let module = "#[device] mod m { pub type Point = Vec3; pub type Row<T, const N: usize> = [T; N]; }";
    accepted(&format!(
        "{module}\n#[kernel] fn k(x: &mut [Point]) {{ let r: Row<f32, 2> = [1.0; 2]; x[0] = Point::splat(r[0]) + Point::ONE; }}"
    ));
    check_errors(
        "#[device] mod m { pub type Counter = Atomic<u32>; }",
        expect![[r#"
        error: [K0001] an alias of `Atomic<u32>` is not supported
               note: the types of atomics and shared memory say which variables are shared
               help: write `Atomic<u32>` where it is used
         1 | #[device] mod m { pub type Counter = Atomic<u32>; }
           |                                      ^^^^^^^^^^^
    "#]],
    );
    check_errors(
        &format!("{module}\n#[kernel] fn k(x: &mut [Point]) {{ let r: Row<f32> = [1.0; 2]; }}"),
        expect![[r#"
            error: [K0106] `Row` takes 2 generic arguments, but 1 were given
             2 | #[kernel] fn k(x: &mut [Point]) { let r: Row<f32> = [1.0; 2]; }
               |                                             ^^^^^
        "#]],
    );
    check_errors(
        &format!("{module}\n#[kernel] fn k(x: &mut [Point]) {{ let p = Point {{ x: 1.0 }}; }}"),
        expect![[r#"
            error: [K0101] expected a struct, found type alias `Point`
             2 | #[kernel] fn k(x: &mut [Point]) { let p = Point { x: 1.0 }; }
               |                                           ^^^^^
        "#]],
    );
    check_errors(
        &format!("{module}\n#[kernel] fn k(x: &mut [u32]) {{ x[0] = Point::splat(1.0); }}"),
        expect![[r#"
        error: [K0102] expected `u32`, found `Vec3`
               help: take one lane: `.x`
         2 | #[kernel] fn k(x: &mut [u32]) { x[0] = Point::splat(1.0); }
           |                                        ^^^^^^^^^^^^^^^^^
    "#]],
    );
}
