//! The types, traits and functions that random programs share. The tests of the compiler read it as text.

use gridwise::prelude::*;

pub use frames::*;
pub use items::*;
pub use numbers::*;

/// All of them.
#[device]
pub mod items {
    use gridwise::prelude::*;
    use std::cmp::Ordering;
    use std::ops::{Add, BitXor, Mul, Neg};

    /// A struct of buffers.
    #[derive(Debug, Clone, Copy, GpuData)]
    #[repr(C)]
    pub struct Pair {
        /// A member.
        pub first: u32,
        /// A member.
        pub second: [i32; 3],
        /// A member.
        pub third: f32,
    }

    /// An enum.
    #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
    pub enum Shape {
        /// Nothing.
        Empty,
        /// A member.
        Line(i32),
        /// Two members.
        Area {
            /// A member.
            width: u32,
            /// A member.
            height: f32,
        },
    }

    /// A type with a size.
    pub trait Measure {
        /// A factor.
        const SCALE: u32;
        /// The size.
        fn size(self) -> u32;
        /// The size in other units.
        fn scaled(self, by: u32) -> u32
        where
            Self: Sized,
        {
            self.size() * Self::SCALE + by
        }
    }

    /// A struct with methods and operators.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Span {
        /// A member.
        pub from: u32,
        /// A member.
        pub to: i32,
    }

    impl Span {
        /// One.
        pub const UNIT: Span = Span { from: 0, to: 1 };

        /// A span.
        pub fn new(from: u32, to: i32) -> Self {
            Self { from, to }
        }

        /// How long it is.
        pub fn width(self) -> u32 {
            (self.to as u32) - self.from
        }

        /// Makes it longer.
        pub fn grow(&mut self, by: u32) {
            self.to += by as i32;
            if self.to < 0 {
                self.from ^= 3;
            }
        }
    }

    impl PartialOrd for Span {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    /// By its end, the last one first.
    impl Ord for Span {
        fn cmp(&self, other: &Self) -> Ordering {
            other.to.cmp(&self.to).then_with(|| self.from.cmp(&other.from))
        }
    }

    impl Measure for Span {
        const SCALE: u32 = 3;
        fn size(self) -> u32 {
            self.width()
        }
    }

    impl Measure for Shape {
        const SCALE: u32 = 7;
        fn size(self) -> u32 {
            code(self)
        }
        fn scaled(self, by: u32) -> u32 {
            by - self.size()
        }
    }

    impl Add for Span {
        type Output = Self;
        fn add(self, other: Self) -> Self {
            Self { from: self.from + other.from, to: self.to - other.to }
        }
    }

    impl Neg for Span {
        type Output = Self;
        fn neg(self) -> Self {
            Self { to: -self.to, ..self }
        }
    }

    /// Something of anything with a size.
    pub fn measured<T: Measure + Copy>(value: T, by: u32) -> u32 {
        value.scaled(by) ^ T::SCALE
    }

    /// One of two.
    pub fn choose<T: Copy>(first: bool, a: T, b: T) -> T {
        if first { a } else { b }
    }

    /// The larger of two.
    pub fn larger<T: PartialOrd>(a: T, b: T) -> T {
        if a < b { b } else { a }
    }

    /// Something of two numbers.
    pub fn mixed<T: Copy + Add<Output = T> + Mul<Output = T> + BitXor<Output = T>>(a: T, b: T) -> T {
        (a * b + a) ^ b
    }

    /// All elements put together.
    pub fn folded<T: Copy, R: Copy, const LEN: usize>(values: [T; LEN], start: R, step: impl Fn(R, T) -> R) -> R {
        let mut result = start;
        for i in 0..LEN {
            result = step(result, values[i]);
        }
        result
    }

    /// A function applied a few times.
    pub fn repeated<F: Fn(u32, u32) -> u32>(times: u32, x: u32, f: F) -> u32 {
        let mut result = x;
        for k in 0..times % 4 {
            result = f(result, k);
        }
        result
    }

    /// Calls a closure a few times.
    pub fn each(times: u32, mut f: impl FnMut(u32)) {
        for k in 0..times {
            f(k * 3);
        }
    }

    /// Calls a closure until it says that it has enough; how often.
    pub fn until<F: FnMut(u32) -> bool>(times: u32, mut f: F) -> u32 {
        for k in 0..times {
            if f(k) {
                return k;
            }
        }
        times
    }

    /// Passes on a closure, which it calls too.
    pub fn tried(times: u32, mut f: impl FnMut(u32) -> bool) -> u32 {
        let first = until(times % 3, &mut f);
        let second = until(times % 4, |k| f(k + 40));
        first * 8 + second + f(times) as u32
    }

    /// One word of a shape.
    pub fn code(shape: Shape) -> u32 {
        match shape {
            Shape::Empty => 1,
            Shape::Line(length) => length as u32 ^ 2,
            Shape::Area { width, height } => width.rotate_left(9) ^ word_of(height),
        }
    }

    /// Another shape.
    pub fn grown(shape: Shape, by: u32) -> Shape {
        match shape {
            Shape::Empty => Shape::Line(by as i32),
            Shape::Line(length) if length < 0 => Shape::Empty,
            Shape::Line(length) => Shape::Area { width: by, height: length as f32 },
            Shape::Area { width, .. } => Shape::Area { width: width.wrapping_add(by), height: 0.5 },
        }
    }

    /// The value, if it is not large.
    pub fn small(value: u32) -> Option<u32> {
        if value < 0x1000_0000 { Some(value) } else { None }
    }

    /// The value, or zero where devices may make zero of it, of either sign.
    pub fn tame(value: f32) -> f32 {
        if value.abs() < 1e-30 { 0.0 } else { value }
    }

    /// The value, or zero where devices may make zero of it, of either sign.
    pub fn tame_double(value: f64) -> f64 {
        if value.abs() < 1e-300 { 0.0 } else { value }
    }

    /// The bits of a value, the same for all NaNs.
    pub fn word_of(value: f32) -> u32 {
        if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }
    }

    /// The bits of a value, the same for all NaNs.
    pub fn word_of_double(value: f64) -> u32 {
        if value.is_nan() {
            7
        } else {
            let bits = value.to_bits();
            (bits >> 32) as u32 ^ bits as u32
        }
    }
}

/// The items of programs with narrow floats.
#[device]
pub mod numbers {
    use gridwise::prelude::*;

    /// A struct of buffers with members of all sizes.
    #[derive(Debug, Clone, Copy, GpuData)]
    #[repr(C)]
    pub struct Packed {
        /// A member.
        pub half: f16,
        /// A member.
        pub brain: bf16,
        /// A member.
        pub byte: u8,
        /// A member, behind a gap.
        pub short: i16,
        /// A member, behind a gap.
        pub wide: u64,
    }

    /// The value, or zero where devices may make zero of it, of either sign.
    pub fn tame_half(value: f16) -> f16 {
        if value.to_f32().abs() < 6.2e-5 { f16::ZERO } else { value }
    }

    /// The value, or one.
    pub fn nonzero_half(value: f16) -> f16 {
        if value == f16::ZERO { f16::ONE } else { value }
    }

    /// The bits of a value, the same for all NaNs.
    pub fn word_of_half(value: f16) -> u32 {
        if value.is_nan() { 0x7e00 } else { value.to_bits() as u32 }
    }

    /// The value, or zero where devices may make zero of it, of either sign.
    pub fn tame_brain(value: bf16) -> bf16 {
        if value.to_f32().abs() < 1e-30 { bf16::ZERO } else { value }
    }

    /// The value, or one.
    pub fn nonzero_brain(value: bf16) -> bf16 {
        if value == bf16::ZERO { bf16::ONE } else { value }
    }

    /// The bits of a value, the same for all NaNs.
    pub fn word_of_brain(value: bf16) -> u32 {
        if value.is_nan() { 0x7fc0 } else { value.to_bits() as u32 }
    }

    /// One word of all members.
    pub fn word_of_packed(value: Packed) -> u32 {
        let narrow = word_of_half(value.half) ^ word_of_brain(value.brain).rotate_left(16);
        let wide = (value.wide >> 32) as u32 ^ value.wide as u32;
        narrow ^ wide.rotate_left(9) ^ (value.byte as u32 ^ (value.short as u32) << 3)
    }
}

/// The items of programs with matrices.
#[device]
pub mod frames {
    use super::items::{tame, word_of};
    use gridwise::prelude::*;

    /// A struct of buffers with matrices of all sizes.
    #[derive(Debug, Clone, Copy, GpuData)]
    #[repr(C)]
    pub struct Pose {
        /// A member.
        pub turn: Mat2,
        /// A member.
        pub frame: Mat3,
        /// A member.
        pub view: Mat4,
    }

    /// Each lane as `tame` makes it.
    pub fn tame2(value: Vec2) -> Vec2 {
        vec2(tame(value.x), tame(value.y))
    }

    /// Each lane as `tame` makes it.
    pub fn tame_matrix2(value: Mat2) -> Mat2 {
        Mat2::from_cols(tame2(value.x_axis), tame2(value.y_axis))
    }

    /// The bits of all lanes.
    pub fn word_of2(value: Vec2) -> u32 {
        word_of(value.x) ^ word_of(value.y).rotate_left(5)
    }

    /// The bits of all lanes.
    pub fn word_of_matrix2(value: Mat2) -> u32 {
        word_of2(value.x_axis) ^ word_of2(value.y_axis).rotate_left(3)
    }

    /// Each lane as `tame` makes it.
    pub fn tame3(value: Vec3) -> Vec3 {
        vec3(tame(value.x), tame(value.y), tame(value.z))
    }

    /// Each lane as `tame` makes it.
    pub fn tame_matrix3(value: Mat3) -> Mat3 {
        Mat3::from_cols(tame3(value.x_axis), tame3(value.y_axis), tame3(value.z_axis))
    }

    /// The bits of all lanes.
    pub fn word_of3(value: Vec3) -> u32 {
        word_of(value.x) ^ word_of(value.y).rotate_left(5) ^ word_of(value.z).rotate_left(10)
    }

    /// The bits of all lanes.
    pub fn word_of_matrix3(value: Mat3) -> u32 {
        word_of3(value.x_axis) ^ word_of3(value.y_axis).rotate_left(3) ^ word_of3(value.z_axis).rotate_left(6)
    }

    /// Each lane as `tame` makes it.
    pub fn tame4(value: Vec4) -> Vec4 {
        vec4(tame(value.x), tame(value.y), tame(value.z), tame(value.w))
    }

    /// Each lane as `tame` makes it.
    pub fn tame_matrix4(value: Mat4) -> Mat4 {
        Mat4::from_cols(tame4(value.x_axis), tame4(value.y_axis), tame4(value.z_axis), tame4(value.w_axis))
    }

    /// The bits of all lanes.
    pub fn word_of4(value: Vec4) -> u32 {
        word_of(value.x)
            ^ word_of(value.y).rotate_left(5)
            ^ word_of(value.z).rotate_left(10)
            ^ word_of(value.w).rotate_left(15)
    }

    /// The bits of all lanes.
    pub fn word_of_matrix4(value: Mat4) -> u32 {
        word_of4(value.x_axis)
            ^ word_of4(value.y_axis).rotate_left(3)
            ^ word_of4(value.z_axis).rotate_left(6)
            ^ word_of4(value.w_axis).rotate_left(9)
    }
}
