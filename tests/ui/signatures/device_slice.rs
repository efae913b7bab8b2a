use gridwise::prelude::*;

#[device]
fn first<T: Copy>(x: &[T]) -> T {
    x[0]
}

#[device]
fn of_unknown<T: Copy>(own: [T; 4]) -> T {
    first(&own)
}

#[device]
fn of_flags(own: [bool; 4]) -> bool {
    first(&own)
}

#[device]
fn any(flags: &[bool]) -> bool {
    flags[0]
}

#[device]
fn looked_up(x: &[f32]) -> f32 {
    let at = move |i: u32| x[i];
    at(0)
}

#[device]
fn put(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel]
fn written(x: &[f32], out: &mut [f32]) {
    put(&mut x[1..]);
    put(&out[1..]);
}

fn main() {}
