use gridwise::prelude::*;

#[kernel]
async fn case(out: &mut [f32]) {
    out[0] = 1.0;
}

fn main() {}
