//! Particles in space.

use gridwise::prelude::*;

/// A particle; its layout has a vector in the middle.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
pub struct Particle {
    /// Kilograms.
    pub mass: f32,
    /// Metres.
    pub position: Vec3,
    /// Metres per second.
    pub velocity: Vec3,
    /// How often it was advanced.
    pub steps: u32,
}

/// Gravity, in metres per second squared, along y.
#[device]
pub const GRAVITY: f32 = -9.81;

/// A particle after `dt` seconds of free fall (semi-implicit Euler).
#[device]
pub fn advance(particle: Particle, dt: f32) -> Particle {
    let velocity = particle.velocity + Vec3::new(0.0, GRAVITY, 0.0) * dt;
    Particle { mass: particle.mass, position: particle.position + velocity * dt, velocity, steps: particle.steps + 1 }
}

/// Kinetic energy in joules.
#[device]
pub fn energy(particle: Particle) -> f32 {
    0.5 * particle.mass * particle.velocity.dot(particle.velocity)
}
