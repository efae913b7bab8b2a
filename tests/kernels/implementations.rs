//! Types with methods and operators, and traits: `#[device] mod`.

use gridwise::prelude::*;
use gridwise_device_lib::Complex;

use super::case;
use crate::case::{Case, Output, moderate};

use dual::Dual;
use random::{Random, Tally};
use shapes::{Ball, Cuboid, Moved, Shape, march};

const N: usize = 256;

/// Dual numbers: a value and its derivative.
#[device]
mod dual {
    use std::ops::{Add, Div, Mul};

    use gridwise::prelude::*;

    #[derive(Debug, Clone, Copy, GpuData)]
    #[repr(C)]
    pub(super) struct Dual {
        pub(super) value: f32,
        pub(super) slope: f32,
    }

    impl Dual {
        pub(super) fn variable(value: f32) -> Self {
            Self { value, slope: 1.0 }
        }

        pub(super) fn sin(self) -> Self {
            Self { value: self.value.sin(), slope: self.slope * self.value.cos() }
        }
    }

    impl From<f32> for Dual {
        fn from(value: f32) -> Self {
            Self { value, slope: 0.0 }
        }
    }

    impl Add for Dual {
        type Output = Self;
        fn add(self, other: Self) -> Self {
            Self { value: self.value + other.value, slope: self.slope + other.slope }
        }
    }

    impl Mul for Dual {
        type Output = Self;
        fn mul(self, other: Self) -> Self {
            Self { value: self.value * other.value, slope: self.slope * other.value + self.value * other.slope }
        }
    }

    impl Div for Dual {
        type Output = Self;
        fn div(self, other: Self) -> Self {
            let slope = (self.slope * other.value - self.value * other.slope) / (other.value * other.value);
            Self { value: self.value / other.value, slope }
        }
    }

    /// Any number that Horner's rule works on.
    pub(super) fn horner<T: Copy + Add<Output = T> + Mul<Output = T> + From<f32>>(x: T) -> T {
        let mut sum = T::from(0.5);
        for i in 0..4u32 {
            sum = sum * x + T::from(i as f32 - 1.5);
        }
        sum
    }
}

/// Random numbers: methods that write `self`.
#[device]
mod random {
    use std::ops::{AddAssign, MulAssign};

    #[derive(Debug, Clone, Copy)]
    pub(super) struct Random {
        pub(super) state: u32,
    }

    impl Random {
        pub(super) fn new(seed: u32) -> Self {
            let mut random = Self { state: seed };
            random.step();
            random
        }

        fn step(&mut self) {
            self.state = self.state * 747_796_405 + 2_891_336_453;
        }

        pub(super) fn next(&mut self) -> u32 {
            self.step();
            if self.state % 16 == 0 {
                return 1;
            }
            let word = ((self.state >> ((self.state >> 28) + 4)) ^ self.state) * 277_803_737;
            (word >> 22) ^ word
        }

        /// A number below `bound`, by rejection.
        pub(super) fn below(&mut self, bound: u32) -> u32 {
            loop {
                let value = self.next() & 0xff;
                if value < bound {
                    return value;
                }
            }
        }
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) struct Tally {
        pub(super) sum: u32,
        pub(super) count: u32,
    }

    /// Equal when they would go on alike for a while.
    impl PartialEq for Random {
        fn eq(&self, other: &Self) -> bool {
            self.state % 4 == other.state % 4
        }
    }

    impl AddAssign<u32> for Tally {
        fn add_assign(&mut self, value: u32) {
            self.sum += value;
            self.count += 1;
        }
    }

    impl MulAssign for Tally {
        fn mul_assign(&mut self, other: Self) {
            *self = Self { sum: self.sum * other.sum, count: self.count + other.count };
        }
    }
}

/// Signed distances.
#[device]
mod shapes {
    use gridwise::prelude::*;

    /// A solid.
    pub(super) trait Shape: Copy {
        const SCALE: f32 = 1.0;
        type Mark: Copy;

        fn distance(&self, p: Vec3) -> f32;
        fn mark(&self) -> Self::Mark;

        fn inside(&self, p: Vec3) -> bool {
            self.distance(p) < 0.0
        }

        fn scaled(&self, p: Vec3) -> f32 {
            self.distance(p) * Self::SCALE
        }
    }

    #[derive(Debug, Clone, Copy, GpuData)]
    #[repr(C)]
    pub(super) struct Ball {
        pub(super) radius: f32,
    }

    #[derive(Debug, Clone, Copy, GpuData)]
    #[repr(C)]
    pub(super) struct Cuboid {
        pub(super) half: Vec3,
    }

    #[derive(Debug, Clone, Copy, GpuData)]
    #[repr(C)]
    pub(super) struct Moved {
        pub(super) by: Vec3,
        pub(super) ball: Ball,
    }

    impl Shape for Ball {
        type Mark = f32;
        fn distance(&self, p: Vec3) -> f32 {
            p.length() - self.radius
        }
        fn mark(&self) -> f32 {
            self.radius
        }
    }

    impl Shape for Cuboid {
        const SCALE: f32 = 0.5;
        type Mark = Vec3;
        fn distance(&self, p: Vec3) -> f32 {
            let q = p.abs() - self.half;
            q.max(Vec3::ZERO).length() + q.max_element().min(0.0)
        }
        fn mark(&self) -> Vec3 {
            self.half
        }
        fn inside(&self, p: Vec3) -> bool {
            let q = p.abs() - self.half;
            q.max_element() < 0.0
        }
    }

    impl Shape for Moved {
        type Mark = u32;
        fn distance(&self, p: Vec3) -> f32 {
            self.ball.distance(p - self.by)
        }
        fn mark(&self) -> u32 {
            7
        }
    }

    /// Marches along a ray until a shape is near.
    pub(super) fn march<S: Shape>(shape: S, origin: Vec3, direction: Vec3) -> f32 {
        let mut t = 0.0;
        for _ in 0..40 {
            let step = shape.distance(origin + direction * t);
            if step < 1e-3 || t > 100.0 {
                break;
            }
            t += step;
        }
        t
    }
}

#[kernel(workgroup = 64)]
fn complex_steps(a: &[Complex], out: &mut [Complex]) {
    let i = global_id().x;
    let z = a[i];
    let w = Complex::turn(0.25 * i as f32);
    let mut sum = Complex::ZERO;
    for _ in 0..3 {
        sum = sum * z + w - Complex::I * 0.5;
    }
    out[i] = -sum + 2.0 * z.conj() + Complex::new(z.norm(), a[i].norm());
}

#[kernel(workgroup = 64)]
fn slopes(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let v = Dual::variable(x[i]);
    let p = dual::horner(v);
    let q = (p * v.sin() + Dual::from(2.0)) / (v * v + Dual::from(1.0));
    out[i] = q.value + q.slope + dual::horner(x[i]);
}

#[kernel(workgroup = 64)]
fn marched(out: &mut [f32]) {
    let i = global_id().x;
    let angle = i as f32 * 0.02 - 1.0;
    let direction = Vec3::new(angle.sin(), 0.1, angle.cos());
    let origin = Vec3::new(0.0, 0.0, -4.0);
    let (ball, cuboid) = (Ball { radius: 1.5 }, Cuboid { half: Vec3::new(1.0, 0.5, 0.75) });
    let moved = Moved { by: Vec3::new(1.0, 0.0, 0.0), ball };
    let mut sum = march(ball, origin, direction) + march(cuboid, origin, direction) + march(moved, origin, direction);
    let p = origin + direction * 3.0;
    if ball.inside(p) {
        sum += 1000.0;
    }
    if cuboid.inside(p) {
        sum += 2000.0;
    }
    out[i] = sum + ball.scaled(p) + cuboid.scaled(p) + cuboid.mark().x + moved.mark() as f32 + Moved::SCALE;
}

#[device]
mod like_built_ins {
    pub(super) trait Shaped {
        fn sqrt(self) -> f32;
        fn doubled(self) -> f32;
    }

    impl Shaped for f32 {
        fn sqrt(self) -> f32 {
            self + 1.0
        }

        // A type's own methods come first where the type is known.
        fn doubled(self) -> f32 {
            (self * self * 4.0).sqrt()
        }
    }
}

#[device]
fn shaped<T: like_built_ins::Shaped + Copy>(x: T) -> f32 {
    T::sqrt(x) + x.doubled()
}

#[kernel(workgroup = 64)]
fn named_like_built_ins(out: &mut [f32]) {
    let x = global_id().x as f32;
    out[global_id().x] = shaped(x) + x * x;
}

#[kernel(workgroup = 64)]
fn drawn(out: &mut [u32]) {
    let i = global_id().x;
    let mut random = Random::new(i);
    let mut pair = (Tally { sum: 0, count: 0 }, [Tally { sum: 1, count: 0 }; 2]);
    for _ in 0..8 {
        pair.0 += random.below(200);
    }
    pair.1[i as usize % 2] += random.next();
    pair.0 *= pair.1[i as usize % 2];
    let draw = |mut random: Random| random.next();
    let same = pair.0 == pair.0 && pair.1 != [Tally { sum: 7, count: 7 }; 2] && (i, 2.0) == (i, 2.0);
    let alike = Random { state: 6 } == Random { state: 2 } && Random { state: 6 } != Random { state: 3 };
    if !same || !alike || (pair.0, 1) == (Tally { sum: 0, count: 1 }, 1) {
        out[i] = 0;
        return;
    }
    out[i] = pair.0.sum ^ pair.0.count ^ draw(random) ^ draw(random) ^ random.state;
}

fn points() -> Vec<Complex> {
    let f = moderate(2 * N, 3, 2.0);
    (0..N).map(|i| Complex::new(f[2 * i], f[2 * i + 1])).collect()
}

fn parts(values: &[Complex]) -> Vec<Output> {
    let parts = values.iter().flat_map(|z| [z.re, z.im]).collect();
    vec![Output::near(parts, 1e-3)]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "implementations::complex",
        [ComplexSteps],
        |mgr| {
            let (a, mut out) = (mgr.tensor(&points())?, mgr.tensor(&[Complex::ZERO; N])?);
            let seq = mgr.sequence()?;
            ComplexSteps::dispatch(&seq, Grid::items(N), &a, &mut out)?;
            seq.eval()?;
            Ok(parts(&out.to_vec()?))
        },
        || {
            let mul = |a: (f32, f32), b: (f32, f32)| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
            let one = |(i, z): (usize, Complex)| {
                let z = (z.re, z.im);
                let angle = 0.25 * i as f32;
                let mut sum = (0.0f32, 0.0f32);
                for _ in 0..3 {
                    let product = mul(sum, z);
                    sum = (product.0 + angle.cos(), product.1 + angle.sin() - 0.5);
                }
                let norm = z.0 * z.0 + z.1 * z.1;
                Complex { re: -sum.0 + 2.0 * z.0 + norm, im: -sum.1 - 2.0 * z.1 + norm }
            };
            parts(&points().into_iter().enumerate().map(one).collect::<Vec<_>>())
        }
    ),
    case!(
        "implementations::dual_numbers",
        [Slopes],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&moderate(N, 4, 1.0))?, mgr.tensor(&vec![0f32; N])?);
            let seq = mgr.sequence()?;
            Slopes::dispatch(&seq, Grid::items(N), &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::near(out.to_vec()?, 1e-2)])
        },
        || {
            // Differences in f64 instead of derivatives.
            let horner = |x: f64| (0..4).fold(0.5, |sum: f64, i| sum * x + (f64::from(i) - 1.5));
            let f = |x: f64| (horner(x) * x.sin() + 2.0) / (x * x + 1.0);
            let one = |x: f32| {
                let x = f64::from(x);
                let slope = (f(x + 1e-5) - f(x - 1e-5)) / 2e-5;
                (f(x) + slope + horner(x)) as f32
            };
            vec![Output::near(moderate(N, 4, 1.0).into_iter().map(one).collect(), 1e-2)]
        }
    ),
    case!(
        "implementations::writing_self",
        [Drawn],
        |mgr| {
            let mut out = mgr.tensor(&vec![0u32; N])?;
            let seq = mgr.sequence()?;
            Drawn::dispatch(&seq, Grid::items(N), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || {
            let step = |state: u32| state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            let next = |state: &mut u32| {
                *state = step(*state);
                let word = ((*state >> ((*state >> 28) + 4)) ^ *state).wrapping_mul(277_803_737);
                if *state % 16 == 0 { 1 } else { (word >> 22) ^ word }
            };
            let one = |i: u32| {
                let mut state = step(i);
                let mut sum = 0u32;
                for _ in 0..8 {
                    sum += std::iter::repeat_with(|| next(&mut state) & 0xff).find(|value| *value < 200).unwrap_or(0);
                }
                sum = sum.wrapping_mul(next(&mut state).wrapping_add(1));
                // Both draws begin at the same state.
                sum ^ 9 ^ state
            };
            vec![Output::U32((0..N as u32).map(one).collect())]
        }
    ),
    case!(
        "implementations::named_like_built_ins",
        [NamedLikeBuiltIns],
        |mgr| {
            let mut out = mgr.tensor(&vec![0f32; N])?;
            let seq = mgr.sequence()?;
            NamedLikeBuiltIns::dispatch(&seq, Grid::items(N), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::near(out.to_vec()?, 0.05)])
        },
        || vec![Output::near((0..N).map(|i| (i as f32 + 1.0) + 2.0 * i as f32 + (i * i) as f32).collect(), 0.05)]
    ),
    case!("implementations::traits", [Marched], |mgr| {
        let mut out = mgr.tensor(&vec![0f32; N])?;
        let seq = mgr.sequence()?;
        Marched::dispatch(&seq, Grid::items(N), &mut out)?;
        seq.eval()?;
        Ok(vec![Output::near(out.to_vec()?, 1e-2)])
    }),
];
