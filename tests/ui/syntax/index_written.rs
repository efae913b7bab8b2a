//! Writes to the result of an `impl Index`, in places that do not allow them.

use gridwise::prelude::*;

#[device]
mod rows {
    use core::ops::{Index, IndexMut};
    use gridwise::prelude::*;

    #[derive(GpuData, Clone, Copy)]
    #[repr(C)]
    pub struct Row {
        pub cells: [[f32; 2]; 4],
    }

    impl Index<usize> for Row {
        type Output = [f32; 2];
        fn index(&self, i: usize) -> &[f32; 2] {
            &self.cells[i]
        }
    }

    impl IndexMut<usize> for Row {
        fn index_mut(&mut self, i: usize) -> &mut [f32; 2] {
            &mut self.cells[i]
        }
    }

    #[derive(GpuData, Clone, Copy)]
    #[repr(C)]
    pub struct Fixed {
        pub cells: [f32; 4],
    }

    impl Index<usize> for Fixed {
        type Output = f32;
        fn index(&self, i: usize) -> &f32 {
            &self.cells[i]
        }
    }
}

use rows::{Fixed, Row};

#[kernel]
fn elsewhere(y: &mut [Row]) {
    let i = global_id().x;
    y[i][0] = [1.0, 2.0];
}

#[kernel]
fn in_place(x: &[Row], y: &mut [Row]) {
    let i = global_id().x;
    let mut row = x[i];
    row[1].swap(0, 1);
    y[i] = row;
}

#[kernel]
fn only_read(x: &[Fixed], y: &mut [Fixed]) {
    let i = global_id().x;
    let mut own = x[i];
    own[1] += 2.0;
    let v = own[2.0];
    own[0] = v;
    y[i] = own;
}

fn main() {}
