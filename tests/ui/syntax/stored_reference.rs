use gridwise::prelude::*;

#[device]
fn bump(x: &mut f32) {
    *x += 1.0;
}

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let (mut a, mut b) = (x[i], x[0]);
    let pair = (&mut a, 1.0);
    let chosen = if i > 3 { &a } else { &b };
    bump(&b);
    bump(b);
    out[i] = *chosen;
}

// What borrows twice is rustc's to find.
#[kernel]
fn twice(out: &mut [f32]) {
    let mut a = out[0];
    let first = &mut a;
    let second = &mut a;
    *first += *second;
    out[0] = a;
}

fn main() {}
