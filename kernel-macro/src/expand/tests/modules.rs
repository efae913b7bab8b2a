//! `#[device] mod`: types with methods, traits, and what is wrong with their uses.

use expect_test::expect;

use super::driver::{accepted, check_each, check_errors};

const NUMBERS: &str = "
mod numbers {
    #[derive(Clone, Copy, PartialEq)] pub struct Pair { pub a: f32, pub b: f32 }
    impl Pair {
        pub const ONE: Self = Self { a: 1.0, b: 1.0 };
        pub fn new(a: f32, b: f32) -> Self { Self { a, b } }
        pub fn sum(&self) -> f32 { self.a + self.b }
        pub fn grow(&mut self, by: f32) { self.a += by; }
    }
    impl Add for Pair { type Output = Self; fn add(self, other: Self) -> Self { Self::new(self.a + other.a, self.b) } }
    pub trait Area { const SIDES: u32 = 4; fn area(&self) -> f32; fn twice(&self) -> f32 { self.area() * 2.0 } }
    impl Area for Pair { fn area(&self) -> f32 { self.a * self.b } }
    impl Area for f32 { const SIDES: u32 = 0; fn area(&self) -> f32 { *self * *self } }
    pub fn total<T: Area>(x: T) -> f32 { x.twice() + T::SIDES as f32 }
}
";

/// In a generic function, the type of an element may be unknown: two types have a method of this name.
#[test]
fn writes_in_one_type() {
    check_errors(
        "mod m {
    pub struct Dice { pub at: u32 }
    impl Dice { pub fn draw(&mut self) -> u32 { self.at += 1; self.at } }
    pub struct Deck { pub top: u32 }
    impl Deck { pub fn draw(&self) -> u32 { self.top } }
    pub trait Hand { type Of; }
    pub fn all<H: Hand<Of = Dice>>(mut x: [H::Of; 2]) -> u32 { x[0].draw() }
}",
        expect![[r#"
            error: [K0104] `draw` writes `x[0]` in one type and reads it in another
                   help: name the type: `Type::draw(&mut x[0], …)`, or give one of the two another name
             7 |     pub fn all<H: Hand<Of = Dice>>(mut x: [H::Of; 2]) -> u32 { x[0].draw() }
               |                                                                ^^^^
        "#]],
    );
}

/// Bounds, which are not looked at, choose between two methods that a generic function calls.
#[test]
fn writes_in_one_trait() {
    check_errors(
        "mod m {
    pub trait Moves { fn go(&mut self); }
    pub trait Shows { fn go(&self) -> f32; }
    pub fn all<T: Moves>(x: &mut [T]) { x[0].go(); let mut one = x[1]; one.go(); }
}",
        expect![[r#"
            error: [K0104] `go` writes `x[0]` in one trait and reads it in another
                   help: name the trait: `Trait::go(&mut x[0], …)`, or give one of the two another name
             4 |     pub fn all<T: Moves>(x: &mut [T]) { x[0].go(); let mut one = x[1]; one.go(); }
               |                                         ^^^^
        "#]],
    );
}

fn errors_of(item: &str, expected: expect_test::Expect) {
    check_errors(&format!("{NUMBERS}{item}"), expected);
}

#[test]
fn uses() {
    accepted(&format!(
        "{NUMBERS}
        #[kernel] fn k(x: &mut [f32]) {{
            let mut p = Pair::new(x[0], 2.0) + Pair::ONE;
            p.grow(1.0);
            x[0] = p.sum() + p.area() + total(p) + total(3.0f32) + p.a.twice();
            if p == Pair::ONE {{ x[1] = 0.0; }}
        }}"
    ));
}

#[test]
fn wrong_uses() {
    errors_of(
        "#[kernel] fn k(x: &mut [f32]) { let p = Pair::ONE; x[0] = p.sun(); }",
        expect![[r#"
        error: [K0104] no method `sun` on type `Pair`
               help: write it in an `impl` beside the struct, in a `#[device] mod`
        16 | #[kernel] fn k(x: &mut [f32]) { let p = Pair::ONE; x[0] = p.sun(); }
           |                                                             ^^^
    "#]],
    );
    errors_of(
        "#[kernel] fn k(x: &mut [f32]) { let p = Pair::ONE; p.grow(1.0); }",
        expect![[r#"
        error: [K0110] cannot assign to immutable variable `p`
               note: `p` is declared at line 16
               help: declare it `mut p`
        16 | #[kernel] fn k(x: &mut [f32]) { let p = Pair::ONE; p.grow(1.0); }
           |                                                    ^
    "#]],
    );
    errors_of(
        "#[kernel] fn k(x: &mut [f32]) { let p = [Pair::ONE; 2]; p[0].grow(1.0); }",
        expect![[r#"
            error: [K0110] cannot assign to immutable variable `p`
                   note: `p` is declared at line 16
                   help: declare it `mut p`
            16 | #[kernel] fn k(x: &mut [f32]) { let p = [Pair::ONE; 2]; p[0].grow(1.0); }
               |                                                         ^
        "#]],
    );
    errors_of(
        "#[kernel] fn k(x: &mut [f32]) { let p = Pair::new(1.0); x[0] = p.a; }",
        expect![[r#"
            error: [K0106] `new` takes 2 arguments, but 1 was given
            16 | #[kernel] fn k(x: &mut [f32]) { let p = Pair::new(1.0); x[0] = p.a; }
               |                                         ^^^^^^^^^
        "#]],
    );
    errors_of(
        "#[kernel] fn k(x: &mut [f32]) { let p = Pair::ONE - Pair::ONE; }",
        expect![[r#"
            error: [K0103] cannot apply `-` to `Pair`
                   help: write `impl Sub for Pair` in the `#[device] mod` of the type, or apply it to the members
            16 | #[kernel] fn k(x: &mut [f32]) { let p = Pair::ONE - Pair::ONE; }
               |                                         ^^^^^^^^^
        "#]],
    );
    errors_of(
        "#[kernel] fn k(x: &mut [f32]) { let p = Pair::ONE + 1.0; }",
        expect![[r#"
        error: [K0102] expected `Pair`, found float literal
               note: parameter `other` of `add` is `Pair`
        16 | #[kernel] fn k(x: &mut [f32]) { let p = Pair::ONE + 1.0; }
           |                                                     ^^^
    "#]],
    );
    errors_of(
        "#[kernel] fn k(x: &mut [f32]) { let p = Pair::TWO; }",
        expect![[r#"
        error: [K0100] cannot find value `Pair::TWO` in this scope
        16 | #[kernel] fn k(x: &mut [f32]) { let p = Pair::TWO; }
           |                                         ^^^^^^^^^
    "#]],
    );
    errors_of(
        "#[kernel] fn k(x: &mut [f32]) { let mut p = Pair::ONE; p += p; }",
        expect![[r#"
            error: [K0103] cannot apply `+=` to `Pair`
                   help: write `impl AddAssign for Pair` in the `#[device] mod` of the type, or apply it to the members
            16 | #[kernel] fn k(x: &mut [f32]) { let mut p = Pair::ONE; p += p; }
               |                                                        ^
        "#]],
    );
    errors_of(
        "#[kernel] fn k(x: &mut [f32]) { let f: fn(f32) -> f32 = total; }",
        expect![[r#"
        error: [K0001] function pointers are not supported in kernels
               help: take the function by its parameters, `f: impl Fn(f32) -> f32`; its name or a closure may be passed
        16 | #[kernel] fn k(x: &mut [f32]) { let f: fn(f32) -> f32 = total; }
           |                                        ^^^^^^^^^^^^^^
    "#]],
    );
    errors_of(
        "#[device] fn f(x: &dyn Area) -> f32 { 1.0 }",
        expect![[r#"
            error: [K0001] `dyn Trait` is not supported in kernels
                   help: name a type parameter: `fn f<T: Trait>(x: T)`; calls are resolved when the kernel is compiled
            16 | #[device] fn f(x: &dyn Area) -> f32 { 1.0 }
               |                    ^^^^^^^^
        "#]],
    );
}

#[test]
fn wrong_modules() {
    check_each(
        &[
            "mod m { pub struct S { a: f32 } impl S { fn f(self) -> f32 { self.b } const fn g() -> u32 { 1 } } }",
            "mod m { pub struct S { a: f32 } impl S { fn f(self) -> f32 { self.g() } fn g(self) -> f32 { self.f() } } }",
            "mod m { fn f<T: Copy>(x: T, n: u32) -> u32 { g((x, x), n) } fn g<T: Copy>(x: T, n: u32) -> u32 { f((x, x), n) } fn h() -> u32 { f(1, 2) } }",
            "mod m { impl f32 { fn f<'a>(self: Box<Self>) -> f32 { 1.0 } } unsafe trait T {} }",
        ],
        expect![[r#"
            error: [K0105] struct `S` has no field `b`
                   help: a field with a similar name exists: `a`
             1 | mod m { pub struct S { a: f32 } impl S { fn f(self) -> f32 { self.b } const fn g() -> u32 { 1 } } }
               |                                                                   ^
            error: [K0200] `f` calls itself through `g`
                   note: there is no call stack on the device
                   help: write a loop
             1 | mod m { pub struct S { a: f32 } impl S { fn f(self) -> f32 { self.g() } fn g(self) -> f32 { self.f() } } }
               |                                             ^
            error: [K0200] `g` calls itself through `f`
                   note: there is no call stack on the device
                   help: write a loop
             1 | mod m { pub struct S { a: f32 } impl S { fn f(self) -> f32 { self.g() } fn g(self) -> f32 { self.f() } } }
               |                                                                            ^
            error: [K0200] `g` needs itself with ever new generic arguments
                   note: each of more than 64 functions calls the next, or their types have no bound
                   help: write a loop: there is no call stack on the device
             1 | mod m { fn f<T: Copy>(x: T, n: u32) -> u32 { g((x, x), n) } fn g<T: Copy>(x: T, n: u32) -> u32 { f((x, x), n) } fn h() -> u32 { f(1, 2) } }
               |                                                                                                                                 ^
            error: [K0003] a receiver with a type is not supported
                   help: write `self` or `&self`
             1 | mod m { impl f32 { fn f<'a>(self: Box<Self>) -> f32 { 1.0 } } unsafe trait T {} }
               |                             ^^^^^^^^^^^^^^^
            error: [K0001] `unsafe trait` is not supported in kernels
                   help: remove the keyword
             1 | mod m { impl f32 { fn f<'a>(self: Box<Self>) -> f32 { 1.0 } } unsafe trait T {} }
               |                                                               ^^^^^^
        "#]],
    );
}

#[test]
fn arrays_for_slices_of_unknown_methods() {
    check_errors(
        "
mod weights {
    #[derive(Clone, Copy)] pub struct Sum;
    pub trait Weigh { fn weigh(&self, x: &[u32]) -> u32; }
    impl Weigh for Sum { fn weigh(&self, x: &[u32]) -> u32 { x[0] } }
    pub fn fine<W: Weigh>(by: W, x: &[u32]) -> u32 { let own = [x[0], 1]; by.weigh(x) + by.weigh(&own[..]) + Sum.weigh(&own) }
    pub fn unknown<W: Weigh>(by: W) -> u32 { let own = [3u32, 1]; by.weigh(&own) }
}
#[kernel] fn k(x: &mut [u32]) { x[0] = fine(Sum, x); x[1] = unknown(Sum); }",
        expect![[r#"
            error: [K0109] in `unknown::<Sum>`: a method of a generic parameter takes a slice, and gets an array
                   note: the error is in <parsed string 1>, line 7
                   note: the parameters of a method are not known while its type is unknown
                   help: write that the array becomes a slice: `&own[..]`
             9 | #[kernel] fn k(x: &mut [u32]) { x[0] = fine(Sum, x); x[1] = unknown(Sum); }
               |                                                             ^^^^^^^
        "#]],
    );
}
