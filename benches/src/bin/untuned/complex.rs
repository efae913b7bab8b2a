//! Complex numbers, as several workloads use them.

use gridwise::prelude::*;

#[device]
mod cartesian {
    use std::ops::{Add, Div, Mul, Sub};

    #[derive(Clone, Copy, GpuData)]
    #[repr(C)]
    pub(crate) struct Complex {
        pub(crate) re: f32,
        pub(crate) im: f32,
    }

    impl Complex {
        pub(crate) const ONE: Self = Self { re: 1.0, im: 0.0 };

        pub(crate) fn turn(angle: f32) -> Self {
            let (im, re) = angle.sin_cos();
            Self { re, im }
        }

        pub(crate) fn norm(self) -> f32 {
            self.re * self.re + self.im * self.im
        }

        pub(crate) fn scale(self, by: f32) -> Self {
            Self { re: self.re * by, im: self.im * by }
        }
    }

    impl Add for Complex {
        type Output = Self;

        fn add(self, other: Self) -> Self {
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

    impl Div for Complex {
        type Output = Self;

        fn div(self, other: Self) -> Self {
            let square = other.norm();
            Self {
                re: (self.re * other.re + self.im * other.im) / square,
                im: (self.im * other.re - self.re * other.im) / square,
            }
        }
    }
}

pub(crate) use cartesian::Complex;
