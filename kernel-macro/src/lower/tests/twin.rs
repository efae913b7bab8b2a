//! `twin!`: a function compiled by rustc and evaluated as IR over many arguments; results and panics must agree.

use std::panic::{AssertUnwindSafe, catch_unwind};

use glam::{BVec2, BVec3, BVec4, IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, Quat, UVec2, UVec3, UVec4, Vec2, Vec3, Vec4};
use gridwise_ir::ir::Module;

use super::eval::{Datum, Outcome, call};

/// Runs `fn` both ways over all combinations of its parameters' samples. Functions and structs it uses stand in brackets
/// before it; `close(ulps)` allows for results of `f32` that much apart.
macro_rules! twin {
    (close($ulps:expr) $($rest:tt)*) => { twin!(@run $ulps, $($rest)*) };
    (@run $ulps:expr, [$($helper:item)*] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $result:ty $body:block) => {{
        $(#[allow(dead_code)] $helper)*
        #[allow(clippy::all, unused, unconditional_panic, arithmetic_overflow)]
        fn $name($($arg: $ty),*) -> $result $body
        let source = concat!(
            $(stringify!($helper), "\n",)*
            stringify!(fn $name($($arg: $ty),*) -> $result $body)
        );
        let modules = $crate::lower::tests::twin::stages(source);
        let total = 1 $(* <$ty as $crate::lower::tests::twin::Sample>::samples().len())*;
        for number in 0..usize::min(total, $crate::lower::tests::twin::MAX_RUNS) {
            // A large prime's multiples meet every combination, in an order that mixes them.
            let mut rest = number * 7919 % total;
            $(
                let samples = <$ty as $crate::lower::tests::twin::Sample>::samples();
                let $arg = samples[rest % samples.len()];
                rest /= samples.len();
            )*
            let _ = rest;
            let args = [$($crate::lower::tests::twin::Sample::datum(&$arg)),*];
            $crate::lower::tests::twin::compare(&modules, &args, $ulps, || {
                $crate::lower::tests::twin::Sample::datum(&$name($($arg),*))
            });
        }
    }};
    ([$($helper:item)*] $($rest:tt)*) => { twin!(@run 0, [$($helper)*] $($rest)*) };
    ($($rest:tt)*) => { twin!(@run 0, [] $($rest)*) };
}
pub(super) use twin;

/// More combinations of arguments than these are not tried.
pub(super) const MAX_RUNS: usize = 2000;

/// Panics of a debug build that a kernel does not have: there, these wrap.
const WRAPS: [&str; 5] = ["to add", "to subtract", "to multiply", "to negate", "to shift"];

/// Runs rustc's function, and its IR as lowered and as optimised, and compares.
pub(super) fn compare(modules: &[Module], args: &[Datum], ulps: u32, expected: impl FnOnce() -> Datum) {
    let expected = catch_unwind(AssertUnwindSafe(expected));
    for module in modules {
        compare_one(module, args, ulps, &expected);
    }
}

/// A module before and after the passes.
pub(super) fn stages(source: &str) -> [Module; 2] {
    let module = super::harness::device_module(source);
    let mut optimised = module.clone();
    gridwise_ir::passes::optimize(&mut optimised);
    [module, optimised]
}

fn compare_one(module: &Module, args: &[Datum], ulps: u32, expected: &std::thread::Result<Datum>) {
    let Outcome { result, traps } = call(module, args);
    match expected {
        Ok(expected) => {
            let result = result.expect("the function returns a value");
            assert!(traps.is_empty(), "{args:?}: rustc's {expected:?}, traps {traps:?}\n{module}");
            assert!(same(&result, expected, ulps), "{args:?}: rustc's {expected:x?}, IR's {result:x?}\n{module}");
        }
        Err(payload) => {
            let message = payload.downcast_ref::<String>().map(String::as_str);
            let message = message.or(payload.downcast_ref::<&str>().copied()).unwrap_or_default();
            let wraps = WRAPS.iter().any(|what| message.contains(&format!("attempt {what}")));
            assert!(
                wraps || !traps.is_empty(),
                "{args:?}: rustc panics ({message}), the IR gives {result:?}\n{module}"
            );
        }
    }
}

fn same(a: &Datum, b: &Datum, ulps: u32) -> bool {
    let is_nan = |bits: u64| match u32::try_from(bits) {
        Ok(bits) => f32::from_bits(bits).is_nan(),
        Err(_) => f64::from_bits(bits).is_nan(),
    };
    match (a, b) {
        (Datum::Bits(a), Datum::Bits(b)) => a == b || is_nan(*a) && is_nan(*b) || a.abs_diff(*b) <= ulps.into(),
        (Datum::Members(a), Datum::Members(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, ulps)),
        _ => false,
    }
}

/// A type that `twin!` knows values of.
pub(super) trait Sample: Copy {
    fn samples() -> Vec<Self>;
    fn datum(&self) -> Datum;
}

macro_rules! scalar_samples {
    ($($ty:ty, $self:ident => $bits:expr, [$($sample:expr),* $(,)?];)+) => {$(
        impl Sample for $ty {
            fn samples() -> Vec<Self> { vec![$($sample),*] }
            fn datum(&$self) -> Datum { Datum::Bits($bits) }
        }
    )+};
}

scalar_samples! {
    bool, self => u64::from(*self), [false, true];
    i32, self => self.cast_unsigned().into(), [0, 1, -1, 2, -3, 7, 31, 32, -33, 1000, 0x1234_5678, i32::MAX, i32::MIN, i32::MIN + 1];
    u32, self => (*self).into(), [0, 1, 2, 3, 5, 8, 31, 33, 255, 0x8000_0000, 0x1234_5678, u32::MAX - 1, u32::MAX];
    usize, self => *self as u64, [0, 1, 2, 3, 5, 1000];
    f32, self => self.to_bits().into(), [
        0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5, 3.0, 0.1, -7.25, 1e-3, 123.456, 8_388_609.0, -1e10, 3.9e9, 1e20, -3e38, 1e-42,
        f32::INFINITY, f32::NEG_INFINITY, f32::NAN,
    ];
    i8, self => self.cast_unsigned().into(), [0, 1, -1, 2, -3, 7, 8, 31, 100, i8::MAX, i8::MIN, i8::MIN + 1];
    u8, self => (*self).into(), [0, 1, 2, 3, 7, 8, 31, 100, 127, 128, 254, 255];
    i16, self => self.cast_unsigned().into(), [0, 1, -1, 2, -3, 7, 15, 16, 255, -256, i16::MAX, i16::MIN, i16::MIN + 1];
    u16, self => (*self).into(), [0, 1, 2, 3, 7, 15, 16, 255, 256, 0x8000, 0xfffe, 0xffff];
    i64, self => self.cast_unsigned(), [
        0, 1, -1, 2, -3, 7, 31, 32, 63, 64, 1 << 31, 1 << 32, -(1 << 33), 0x1234_5678_9abc_def0, i64::MAX, i64::MIN, i64::MIN + 1,
    ];
    u64, self => *self, [
        0, 1, 2, 3, 5, 31, 32, 63, 64, 1 << 31, 1 << 32, (1 << 32) - 1, 0x1234_5678_9abc_def0, 1 << 63, u64::MAX - 1, u64::MAX,
    ];
    isize, self => u64::from(*self as u32), [0, 1, -1, 2, -3, 5, 1000];
    f64, self => self.to_bits(), [
        0.0, -0.0, 0.5, -1.0, 1.5, -2.5, 0.1, -7.25, 123.456, 1e-320, 9e15, -1e19, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN,
    ];
}

macro_rules! vector_samples {
    ($($vector:ident $element:ty, $lanes:literal;)+) => {$(
        impl Sample for $vector {
            // Lanes run through the scalar's samples at different speeds, so that all kinds meet.
            fn samples() -> Vec<Self> {
                let scalars = <$element>::samples();
                let pick = |number: usize, lane: usize| scalars[(number * (2 * lane + 1) + 5 * lane) % scalars.len()];
                (0..scalars.len() + 3).map(|number| {
                    let lanes: [$element; $lanes] = std::array::from_fn(|lane| pick(number, lane));
                    $vector::from_array(lanes)
                }).collect()
            }
            fn datum(&self) -> Datum {
                let lanes: [$element; $lanes] = (*self).into();
                Datum::Members(lanes.iter().map(Sample::datum).collect())
            }
        }
    )+};
}

vector_samples! {
    Vec2 f32, 2;
    Vec3 f32, 3;
    Vec4 f32, 4;
    IVec2 i32, 2;
    IVec3 i32, 3;
    IVec4 i32, 4;
    UVec2 u32, 2;
    UVec3 u32, 3;
    UVec4 u32, 4;
    BVec2 bool, 2;
    BVec3 bool, 3;
    BVec4 bool, 4;
}

macro_rules! matrix_samples {
    ($($matrix:ident: $($axis:ident $number:literal),+;)+) => {$(
        impl Sample for $matrix {
            // Columns at different speeds, after some that are no edge of anything.
            fn samples() -> Vec<Self> {
                let column = |number: usize, at: usize| {
                    let cell = |row: usize| ((number * 31 + at * 17 + row * 13) % 29) as f32 / 4.0 - 3.3;
                    std::array::from_fn(cell).into()
                };
                let even = (0..20).map(|number| $matrix::from_cols($(column(number, $number)),+));
                let odd = (0..20).map(|number| {
                    let mut matrix = $matrix::IDENTITY;
                    $({
                        let all = Sample::samples();
                        matrix.$axis = all[(number * (2 * $number + 1) + 3 * $number) % all.len()];
                    })+
                    matrix
                });
                even.chain(odd).collect()
            }
            fn datum(&self) -> Datum {
                Datum::Members(vec![$(self.$axis.datum()),+])
            }
        }
    )+};
}

matrix_samples! {
    Mat2: x_axis 0, y_axis 1;
    Mat3: x_axis 0, y_axis 1, z_axis 2;
    Mat4: x_axis 0, y_axis 1, z_axis 2, w_axis 3;
}

impl Sample for char {
    fn samples() -> Vec<Self> {
        let edges = "\u{80}\u{85}\u{9f}\u{a0}éßſK\u{7ff}\u{800}\u{1680}\u{180e}\u{2000}\u{200b}\u{2028}\u{202f}\u{205f}\u{3000}";
        let last = "\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{1f600}\u{10ffff}";
        ('\0'..='\x7f').chain(edges.chars()).chain(last.chars()).collect()
    }
    fn datum(&self) -> Datum {
        Datum::Bits(u32::from(*self).into())
    }
}

impl Sample for Quat {
    fn samples() -> Vec<Self> {
        let even = Mat4::samples().into_iter().map(|matrix| Quat::from_vec4(matrix.x_axis));
        even.chain(Vec4::samples().into_iter().map(Quat::from_vec4)).collect()
    }
    fn datum(&self) -> Datum {
        Datum::Members(self.to_array().iter().map(Sample::datum).collect())
    }
}

impl<T: Sample, const N: usize> Sample for [T; N] {
    fn samples() -> Vec<Self> {
        let scalars = T::samples();
        let pick = |number: usize, lane: usize| scalars[(number * (2 * lane + 1) + lane) % scalars.len()];
        (0..scalars.len()).map(|number| std::array::from_fn(|lane| pick(number, lane))).collect()
    }
    fn datum(&self) -> Datum {
        Datum::Members(self.iter().map(Sample::datum).collect())
    }
}

macro_rules! tuple_samples {
    ($($name:ident),+) => {
        impl<$($name: Sample),+> Sample for ($($name,)+) {
            fn samples() -> Vec<Self> {
                (0..20).map(|number| ($({ let all = $name::samples(); all[number % all.len()] },)+)).collect()
            }
            #[allow(non_snake_case)]
            fn datum(&self) -> Datum {
                let ($($name,)+) = self;
                Datum::Members(vec![$($name.datum()),+])
            }
        }
    };
}

tuple_samples!(A, B);
tuple_samples!(A, B, C);
tuple_samples!(A, B, C, D);
