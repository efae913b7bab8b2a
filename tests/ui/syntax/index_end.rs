//! Functions of `Index` and methods that do not end with a place.

use gridwise::prelude::*;

#[device]
mod rows {
    use core::ops::Index;
    use gridwise::prelude::*;

    #[derive(GpuData, Clone, Copy)]
    #[repr(C)]
    pub struct Row {
        pub x: f32,
        pub y: f32,
    }

    impl Index<u32> for Row {
        type Output = f32;
        fn index(&self, i: u32) -> &f32 {
            if i == 0 { &self.x } else { self.other() }
        }
    }

    impl Row {
        fn other(&self) -> f32 {
            self.y
        }

        fn part(&mut self, i: u32) -> &mut f32 {
            match i {
                0 => &mut self.x,
                _ => &mut self.y,
            }
        }
    }
}

#[kernel]
fn read(x: &[rows::Row], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i][1];
}

fn main() {}
