//! Methods that give a `&mut` reference: to one of several places, to no place, and of what other invocations reach.

use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Pair {
    low: u32,
    high: u32,
}

#[device]
mod slots {
    #[derive(Clone, Copy)]
    pub struct Slots {
        pub all: [u32; 4],
    }

    impl Slots {
        pub fn at(&mut self, i: usize) -> &mut u32 {
            &mut self.all[i]
        }

        pub fn one_of(&mut self, first: bool) -> &mut u32 {
            if first { &mut self.all[0] } else { &mut self.all[1] }
        }
    }
}

#[kernel]
fn one_of_several(y: &mut [u32]) {
    let mut own = slots::Slots { all: [0; 4] };
    *own.one_of(true) = 1;
    y[global_id().x] = own.all[0];
}

#[device]
mod rows {
    #[derive(Clone, Copy, gridwise::GpuData)]
    #[repr(C)]
    pub struct Row {
        pub all: [u32; 4],
    }

    impl Row {
        pub fn at(&mut self, i: usize) -> &mut u32 {
            &mut self.all[i]
        }
    }
}

#[kernel]
fn of_a_buffer(y: &mut [rows::Row]) {
    *y[global_id().x].at(1) = 1;
}

#[kernel]
fn as_a_value(y: &mut [u32]) {
    let mut own = rows::Row { all: [0; 4] };
    let doubled = own.at(0) * 2;
    y[global_id().x] = doubled;
}

#[device]
fn low(pair: &mut Pair) -> &mut u32 {
    &mut pair.low
}

fn main() {}
