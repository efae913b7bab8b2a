use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let v = while i > 3 {
        break 4;
    };
    out[i] = 1.0;
}

fn main() {}
