//! `Default` of types that the macro sees no default of.
use gridwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Plain(u32);

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Particle {
    mass: f32,
}

impl Default for Particle {
    fn default() -> Self {
        Particle { mass: 1.0 }
    }
}

#[kernel]
fn defaults(particles: &[Particle], out: &mut [f32]) {
    let i = global_id().x;
    let some = if out[i] > 0.0 { Some(particles[i]) } else { None };
    out[i] = some.unwrap_or_default().mass;
    let pair: (u32, Plain) = Default::default();
    out[i] += pair.1.0 as f32 + Particle::default().mass;
}

fn main() {}
