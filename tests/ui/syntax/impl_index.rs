//! `impl Index` of slices; traits whose functions return other references.

use gridwise::prelude::*;

#[device]
mod rows {
    use core::ops::{Deref, Index};
    use gridwise::prelude::*;

    #[derive(GpuData, Clone, Copy)]
    #[repr(C)]
    pub struct Row {
        pub cells: [f32; 4],
        pub x: f32,
    }

    impl Index<usize> for Row {
        type Output = [f32];
        fn index(&self, i: usize) -> &[f32] {
            &self.cells[i..]
        }
    }

    impl Deref for Row {
        type Target = f32;
        fn deref(&self) -> &f32 {
            &self.x
        }
    }
}

fn main() {}
