//! In a generic function a trait's method has the name of one that the type has itself.
use gridwise::prelude::*;

use shapes::Shaped;

#[device]
mod shapes {
    pub(super) trait Shaped {
        fn sqrt(self) -> f32;
    }

    impl Shaped for f32 {
        fn sqrt(self) -> f32 {
            self + 1.0
        }
    }
}

#[device]
fn shaped<T: Shaped>(x: T) -> f32 {
    x.sqrt()
}

#[kernel(workgroup = 64)]
fn wrong(out: &mut [f32]) {
    out[global_id().x] = shaped(2.0f32);
}

fn main() {}
