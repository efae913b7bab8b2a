//! The file that rust-analyzer is asked about. Compiles as it is.

use gridwise::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Particle {
    pub position: Vec3,
    pub mass: f32,
}

#[device]
pub mod shapes {
    #[derive(Debug, Clone, Copy)]
    pub struct Circle {
        pub radius: f32,
    }

    impl Circle {
        pub fn area(self) -> f32 {
            let squared = self.radius * self.radius;
            squared * 3.0
        }
    }
}
use shapes::Circle;

#[device]
fn lerp(from: f32, to: f32, at: f32) -> f32 {
    let span = to - from;
    from + span * at
}

/// Names no other item.
#[kernel(workgroup = 64)]
fn roots(x: &[f32], y: &mut [f32]) {
    let index = global_id().x;
    let value = x[index];
    y[index] = value.sqrt();
}

/// Names other items, which are gathered first.
#[kernel(workgroup = 64)]
fn calls(x: &[Particle], y: &mut [f32]) {
    let index = global_id().x;
    let particle = x[index];
    let circle = Circle { radius: particle.mass };
    let middle = lerp(particle.mass, circle.area(), particle.position.x);
    y[index] = middle;
}
