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
fn any<T: Copy>(flags: &[bool], value: T) -> bool {
    flags[0]
}

#[device]
fn on_flags(own: [bool; 4]) -> u32 {
    let count = |part: &[bool]| part.len() as u32;
    count(&own) + own.windows(2).count() as u32
}

#[device]
fn looked_up(x: &[f32]) -> f32 {
    let at = move |i: u32| x[i];
    at(0)
}

#[device]
fn on_parts(x: &[f32], f: impl Fn(&[f32]) -> f32) -> f32 {
    f(&x[1..])
}

#[device]
fn moved(x: &[f32]) -> f32 {
    let by = 2.0;
    on_parts(x, move |part: &[f32]| part[0] * by)
}

#[device]
fn taken_apart(x: &[f32]) -> f32 {
    on_parts(x, |[first, ..]| *first)
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
