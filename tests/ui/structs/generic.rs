use gridwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct P<T, const N: usize = 2, U = T> {
    a: [T; N],
    b: U,
}

#[kernel]
fn case(y: &mut [f32]) {
    let none: P = P { a: [1.0, 2.0], b: 3.0 };
    let many: P<f32, 2, f32, f32> = none;
    let wrong: P<f32, 3> = P { a: [1.0, 2.0], b: 3.0 };
    let kind: P<f32, f32> = none;
    let by_default: P<f32> = P { a: [1.0, 2.0], b: 3u32 };
}

fn main() {}
