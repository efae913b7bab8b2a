//! Closures that write through a parameter, used as values, and called with other arguments.

use gridwise::prelude::*;

#[device]
fn each(values: &mut [[u32; 2]; 4], change: impl Fn(&mut [u32; 2])) {
    for value in values.iter_mut() {
        change(value);
    }
}

#[kernel]
fn values(y: &mut [u32]) {
    let i = global_id().x as usize;
    let by = 3;
    let bump = move |value: &mut u32| *value += by;
    let mut a = 1;
    bump(&mut a);
    let pair = (|value: &mut u32| *value += 3, 2);
    y[i] = a + pair.1;
}

#[kernel]
fn arguments(y: &mut [u32]) {
    let i = global_id().x as usize;
    let bump = |value: &mut u32| *value += 3;
    let read = |value: &u32| *value + 1;
    let mut a = 1;
    bump(a);
    bump(&a);
    a += read(a);
    let mut own = [[a; 2]; 4];
    each(&mut own, |[value, _]| *value += 1);
    each(&mut own, |value: &[u32; 2]| a += value[0]);
    y[i] = a;
}

fn main() {}
