use gridwise::prelude::*;

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Pair {
    a: u32,
    b: u32,
}

#[device]
fn raise(pair: &mut Pair) {
    match pair {
        Pair { a, b: 0 } => *a += 1,
        Pair { b, .. } => *b -= 1,
    }
}

#[device]
fn first(values: &mut [u32; 2]) {
    let [a, _] = &mut *values;
    *a += 1;
}

#[kernel]
fn some(x: &mut [Pair]) {
    if let Pair { a, b: 1 } = &mut x[0] {
        *a = 1;
    }
}

fn main() {}
