use gridwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
enum E {
    A { x: f32, y: f32 },
}

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let e = E::A { x: x[i], y: 1.0 };
    let E::A { x: a, y } = E::A { x: 1.0, ..e };
    out[i] = a + y;
}

fn main() {}
