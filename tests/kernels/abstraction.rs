//! Device functions, consts and structs, of this crate and of another, reached by every kind of path.

use gridwise::prelude::*;
use gridwise_device_lib::geometry::{self, energy};
use gridwise_device_lib::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate};

const N: usize = 300;

/// Items of a module of this crate, private to it or not.
mod helpers {
    use gridwise::prelude::*;

    #[device]
    pub(super) const SCALE: f32 = 2.0 * HALF * 4.0;
    #[device]
    const HALF: f32 = 0.5;

    #[device]
    pub(super) fn scaled(x: f32) -> f32 {
        x * SCALE + nested::offset()
    }

    pub(super) mod nested {
        use gridwise::prelude::*;

        #[device]
        pub(in super::super) fn offset() -> f32 {
            super::HALF
        }

        #[device]
        pub(in super::super) fn divide(a: u32, b: u32) -> (u32, u32) {
            (a / b, a % b)
        }
    }
}

#[device]
const TABLE: [f32; 4] = [0.5, 1.5, -2.0, 8.0];
#[device]
const LANES: usize = 4;

fn particles() -> Vec<Particle> {
    let f = moderate(N * 6, 3, 10.0);
    (0..N)
        .map(|i| Particle {
            mass: 1.0 + i as f32,
            position: Vec3::new(f[6 * i], f[6 * i + 1], f[6 * i + 2]),
            velocity: Vec3::new(f[6 * i + 3], f[6 * i + 4], f[6 * i + 5]),
            steps: i as u32,
        })
        .collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "abstraction::across_crates",
        [AcrossCrates],
        |mgr| {
            let (mut particles, mut energies) = (mgr.tensor(&particles())?, mgr.tensor(&vec![0f32; N])?);
            let seq = mgr.sequence()?;
            AcrossCrates::dispatch(&seq, Grid::items(N), 0.125, &mut particles, &mut energies)?;
            seq.eval()?;
            let particles = particles.to_vec()?;
            let state = particles.iter().flat_map(|p| p.position.to_array().into_iter().chain(p.velocity.to_array()));
            Ok(vec![
                Output::F32 { values: state.collect(), ulp: 2, absolute: 1e-6 },
                Output::U32(particles.iter().map(|p| p.steps).collect()),
                Output::ulp(energies.to_vec()?, 16),
            ])
        },
        || {
            let moved: Vec<_> = particles().into_iter().map(|p| geometry::advance(p, 0.125)).collect();
            let state = moved.iter().flat_map(|p| p.position.to_array().into_iter().chain(p.velocity.to_array()));
            vec![
                Output::F32 { values: state.collect(), ulp: 2, absolute: 1e-6 },
                Output::U32(moved.iter().map(|p| p.steps).collect()),
                Output::ulp(moved.iter().map(|p| energy(*p)).collect(), 16),
            ]
        }
    ),
    case!(
        "abstraction::modules",
        [Modules],
        |mgr| {
            let mut out = mgr.tensor(&vec![0f32; N])?;
            let seq = mgr.sequence()?;
            Modules::dispatch(&seq, Grid::items(N), &mut out)?;
            seq.eval()?;
            Ok(vec![Output::exact(out.to_vec()?)])
        },
        || vec![Output::exact(
            (0..N as u32)
                .map(|i| {
                    let table = [0.5, 1.5, -2.0, 8.0];
                    (i as f32 * 4.0 + 0.5) + table[(i % 4) as usize] + (i / 7 + i % 7) as f32
                })
                .collect()
        )]
    ),
    case!("abstraction::color_curves", [ColorCurves], |mgr| {
        let linear: Vec<f32> = (0..N).map(|i| i as f32 / 256.0).collect();
        let (linear, mut bytes) = (mgr.tensor(&linear)?, mgr.tensor(&vec![0u32; N])?);
        let seq = mgr.sequence()?;
        ColorCurves::dispatch(&seq, Grid::items(N), &linear, &mut bytes)?;
        seq.eval()?;
        // Bytes may differ by one where a device's power function is less precise.
        Ok(vec![Output::near(bytes.to_vec()?.into_iter().map(|b| b as f32).collect(), 1.0)])
    }),
    case!("abstraction::in_a_function", [inside::Local], inside::run, || vec![Output::U32(vec![10, 11, 12])]),
];

#[kernel(workgroup = 64)]
fn across_crates(dt: f32, particles: &mut [Particle], energies: &mut [f32]) {
    let i = global_id().x;
    let moved = step_particle(particles[i], dt);
    particles[i] = moved;
    energies[i] = gridwise_device_lib::geometry::energy(moved);
}

#[kernel(workgroup = 64)]
fn modules(out: &mut [f32]) {
    let i = global_id().x;
    let (quotient, remainder) = helpers::nested::divide(i, 7);
    let table = TABLE;
    out[i] = helpers::scaled(i as f32) + table[i as usize % LANES] + (quotient + remainder) as f32;
}

#[kernel(workgroup = 64)]
fn color_curves(linear: &[f32], bytes: &mut [u32]) {
    let i = global_id().x;
    let curve = if linear[i] < 0.5 { to_srgb(linear[i]) } else { to_srgb_with(linear[i], SRGB_THRESHOLD) };
    bytes[i] = to_byte(curve);
}

/// Device items and kernels inside a module with private items.
mod inside {
    use super::*;

    #[device]
    fn plus_ten(x: u32) -> u32 {
        x + 10
    }

    #[kernel(workgroup = 8)]
    pub(super) fn local(out: &mut [u32]) {
        let i = global_id().x;
        out[i] = plus_ten(i);
    }

    pub(super) fn run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
        let mut out = mgr.tensor(&[0u32; 3])?;
        let seq = mgr.sequence()?;
        Local::dispatch(&seq, Grid::items(3), &mut out)?;
        seq.eval()?;
        Ok(vec![Output::U32(out.to_vec()?)])
    }
}
