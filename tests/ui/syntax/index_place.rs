//! Functions of `IndexMut` that end with one of several places, of which there is no reference.

use gridwise::prelude::*;

#[device]
mod rows {
    use core::ops::{Index, IndexMut};
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
            if i == 0 { &self.x } else { &self.y }
        }
    }

    impl IndexMut<u32> for Row {
        fn index_mut(&mut self, i: u32) -> &mut f32 {
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
    let mut own = x[i];
    own[0] += 1.0;
    let second = &mut own[1];
    *second = 2.0;
    y[i] = own[1];
}

fn main() {}
