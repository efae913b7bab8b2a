use gridwise::prelude::*;

mod mem {
    pub fn swap<T>(_a: &mut T, _b: &mut T) {}
}

#[kernel]
fn case(out: &mut [u32]) {
    let mut a = 1;
    let mut b = 2;
    mem::swap(&mut a, &mut b);
    out[global_id().x] = a;
}

fn main() {}
