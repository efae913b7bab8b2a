use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    println!("{} {}", x[i]);
    panic!("no {missing}");
    assert_eq!(x[i], 1.0, "{:x}", x[i]);
}

fn main() {}
