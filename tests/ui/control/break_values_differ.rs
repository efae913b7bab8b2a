use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let v = loop {
        if i > 3 {
            break 1.0;
        }
        break 1u32;
    };
    out[i] = 1.0;
}

fn main() {}
