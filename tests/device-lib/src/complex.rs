//! A type with methods and operators.

#[gridwise::device]
pub(crate) mod number {
    use std::ops::{Add, Mul, Neg, Sub};

    use gridwise::prelude::*;

    /// A complex number.
    #[derive(Debug, Clone, Copy, GpuData)]
    #[repr(C)]
    pub struct Complex {
        /// Real part.
        pub re: f32,
        /// Imaginary part.
        pub im: f32,
    }

    impl Complex {
        /// Zero.
        pub const ZERO: Self = Self { re: 0.0, im: 0.0 };
        /// The square root of -1.
        pub const I: Complex = Complex { re: 0.0, im: UNIT };

        /// From its parts.
        #[must_use]
        pub fn new(re: f32, im: f32) -> Self {
            Self { re, im }
        }

        /// The conjugate.
        #[must_use]
        pub fn conj(self) -> Self {
            Complex { re: self.re, im: -self.im }
        }

        /// The squared absolute value.
        #[must_use]
        pub fn norm(&self) -> f32 {
            (*self * self.conj()).re
        }

        /// `e^(i·angle)`
        #[must_use]
        pub fn turn(angle: f32) -> Self {
            Self::new(angle.cos(), angle.sin())
        }
    }

    const UNIT: f32 = 1.0;

    impl Add for Complex {
        type Output = Self;
        fn add(self, other: Self) -> Self::Output {
            Self { re: self.re + other.re, im: self.im + other.im }
        }
    }

    impl Sub for Complex {
        type Output = Self;
        fn sub(self, other: Self) -> Self {
            Self { re: self.re - other.re, im: self.im - other.im }
        }
    }

    impl Mul for Complex {
        type Output = Self;
        fn mul(self, other: Self) -> Self {
            Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
        }
    }

    impl Mul<f32> for Complex {
        type Output = Self;
        fn mul(self, factor: f32) -> Self {
            Self { re: self.re * factor, im: self.im * factor }
        }
    }

    impl Mul<Complex> for f32 {
        type Output = Complex;
        fn mul(self, z: Complex) -> Complex {
            z * self
        }
    }

    impl Neg for Complex {
        type Output = Self;
        fn neg(self) -> Self {
            Self::ZERO - self
        }
    }
}
