//! Traits whose functions return references.

use gridwise::prelude::*;

#[device]
mod rows {
    use core::ops::{Index, IndexMut};

    #[derive(Clone, Copy)]
    pub struct Row {
        cells: [f32; 4],
    }

    impl Index<usize> for Row {
        type Output = f32;
        fn index(&self, i: usize) -> &f32 {
            &self.cells[i]
        }
    }

    impl IndexMut<usize> for Row {
        fn index_mut(&mut self, i: usize) -> &mut f32 {
            &mut self.cells[i]
        }
    }
}

fn main() {}
