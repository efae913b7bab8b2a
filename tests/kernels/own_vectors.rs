//! Types and a module of one's own with the names of built-in ones: defined beside the kernel, imported, and by their paths.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

const N: usize = 64;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Ball {
    at: Vec3,
    size: f32,
}

#[device]
fn volume(v: Vec3) -> f32 {
    v.x * v.y * v.z
}

#[kernel]
fn beside(balls: &[Ball], own: &[Vec3], y: &mut [f32]) {
    let i = global_id().x as usize;
    let Vec3 { z, .. } = own[i];
    y[i] = volume(Vec3 { x: balls[i].at.x, y: balls[i].size, z }) + volume(own[i]);
}

#[device]
mod scene {
    use std::ops::Add;

    #[derive(Clone, Copy)]
    pub(super) struct Vec3 {
        pub(super) x: f32,
        pub(super) y: f32,
    }

    #[derive(Clone, Copy)]
    pub(super) struct Mat2 {
        pub(super) rows: [Vec3; 2],
    }

    impl Vec3 {
        pub(super) const ONE: Self = Self { x: 1.0, y: 1.0 };

        pub(super) fn new(x: f32, y: f32) -> Self {
            Self { x, y }
        }

        pub(super) fn dot(self, other: Self) -> f32 {
            self.x * other.x + self.y * other.y
        }
    }

    impl Add for Vec3 {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Self::new(self.x + other.x, self.y + other.y)
        }
    }

    impl Mat2 {
        pub(super) fn times(&self, v: Vec3) -> Vec3 {
            Vec3::new(self.rows[0].dot(v), self.rows[1].dot(v))
        }
    }
}

mod imports {
    use gridwise::prelude::*;

    use super::scene::{Mat2, Vec3};

    #[device]
    fn twice(v: Vec3) -> Vec3 {
        v + v
    }

    #[kernel]
    pub(super) fn imported(x: &[f32], y: &mut [f32]) {
        let i = global_id().x as usize;
        let matrix = Mat2 { rows: [Vec3::new(x[i], 2.0), Vec3::ONE] };
        let v: Vec3 = matrix.times(twice(Vec3 { x: 1.0, y: x[i] }));
        y[i] = v.dot(Vec3::new(1.0, -1.0));
    }
}

mod paths {
    use gridwise::prelude::*;

    type Vec2 = gridwise::prelude::Vec2;

    #[device]
    mod inner {
        use super::super::scene::Vec3;

        pub(super) fn area(x: f32) -> f32 {
            Vec3::new(x, x).dot(Vec3::ONE)
        }
    }

    #[kernel]
    pub(super) fn both(x: &[f32], y: &mut [f32]) {
        let i = global_id().x as usize;
        let built_in = Vec3::new(x[i], 1.0, 2.0) + Vec2::ZERO.extend(0.0);
        let own = super::scene::Vec3::new(x[i], 3.0);
        y[i] = built_in.length_squared() + own.dot(super::scene::Vec3::ONE) + inner::area(x[i]);
    }
}

use imports::Imported;
use paths::Both;

fn numbers() -> Vec<f32> {
    (0..N).map(|i| i as f32 - 20.0).collect()
}

const BESIDE: Case = case!(
    "own_vectors::beside",
    [Beside],
    |mgr| {
        let own = |x: &f32| Vec3 { x: *x, y: 2.0, z: 3.0 };
        let balls: Vec<Ball> = numbers().iter().map(|x| Ball { at: own(x), size: 0.5 }).collect();
        let (balls, own) = (mgr.tensor(&balls)?, mgr.tensor(&numbers().iter().map(own).collect::<Vec<_>>())?);
        let mut y = mgr.tensor_of_len::<f32>(N)?;
        let seq = mgr.sequence()?;
        Beside::dispatch(&seq, Grid::items(N as u32), &balls, &own, &mut y)?.eval()?;
        Ok(vec![Output::U32(y.to_vec()?.iter().map(|y| y.to_bits()).collect())])
    },
    || vec![bits(|x| x * 0.5 * 3.0 + x * 2.0 * 3.0)]
);

const IMPORTED: Case = case!(
    "own_vectors::imported",
    [Imported],
    |mgr| {
        let (x, mut y) = (mgr.tensor(&numbers())?, mgr.tensor_of_len::<f32>(N)?);
        let seq = mgr.sequence()?;
        Imported::dispatch(&seq, Grid::items(N as u32), &x, &mut y)?.eval()?;
        Ok(vec![Output::U32(y.to_vec()?.iter().map(|y| y.to_bits()).collect())])
    },
    || vec![bits(|x| (x * 2.0 + 2.0 * (x + x)) - (2.0 + (x + x)))]
);

/// A function of a crate that names a type of its own from the crate on, where no variable says which type it is.
#[kernel]
fn from_the_crate(x: &[f32], y: &mut [f32]) {
    let i = global_id().x as usize;
    y[i] = gridwise_device_lib::own_length(x[i], 1.0);
}

const FROM_THE_CRATE: Case = case!(
    "own_vectors::from_the_crate",
    [FromTheCrate],
    |mgr| {
        let (x, mut y) = (mgr.tensor(&numbers())?, mgr.tensor_of_len::<f32>(N)?);
        let seq = mgr.sequence()?;
        FromTheCrate::dispatch(&seq, Grid::items(N as u32), &x, &mut y)?.eval()?;
        Ok(vec![Output::U32(y.to_vec()?.iter().map(|y| y.to_bits()).collect())])
    },
    || vec![bits(|x| x + 1.0 + 2.0 * (x + 2.0))]
);

mod subgroup {
    /// No function of a subgroup.
    #[gridwise::device]
    pub(super) fn add(a: u32) -> u32 {
        a + 1
    }
}

#[kernel]
fn of_a_module(y: &mut [u32]) {
    let i = global_id().x;
    y[i] = subgroup::add(i);
}

const OF_A_MODULE: Case = case!(
    "own_vectors::of_a_module",
    [OfAModule],
    |mgr| {
        let mut y = mgr.tensor_of_len::<u32>(N)?;
        let seq = mgr.sequence()?;
        OfAModule::dispatch(&seq, Grid::items(N as u32), &mut y)?.eval()?;
        Ok(vec![Output::U32(y.to_vec()?)])
    },
    || vec![Output::U32((1..=N as u32).collect())]
);

const BOTH: Case = case!(
    "own_vectors::both",
    [Both],
    |mgr| {
        let (x, mut y) = (mgr.tensor(&numbers())?, mgr.tensor_of_len::<f32>(N)?);
        let seq = mgr.sequence()?;
        Both::dispatch(&seq, Grid::items(N as u32), &x, &mut y)?.eval()?;
        Ok(vec![Output::U32(y.to_vec()?.iter().map(|y| y.to_bits()).collect())])
    },
    || vec![bits(|x| (x * x + 1.0 + 4.0) + (x + 3.0) + (x + x))]
);

/// Whole numbers, which every device computes alike.
fn bits(of: impl Fn(f32) -> f32) -> Output {
    Output::U32(numbers().into_iter().map(|x| of(x).to_bits()).collect())
}

/// All cases of this file.
pub const CASES: &[Case] = &[BESIDE, IMPORTED, FROM_THE_CRATE, OF_A_MODULE, BOTH];
