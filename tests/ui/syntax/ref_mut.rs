use gridwise::prelude::*;

#[device]
enum Shape {
    Circle(f32),
    Square(f32),
}

#[kernel]
fn case(x: &[[f32; 2]], y: &mut [[f32; 2]]) {
    let i = global_id().x;
    // What other invocations reach.
    if let [first, 2.0] = &mut y[i] {
        *first = 3.0;
    }
    // Each alternative leads to another place.
    let mut shape = Shape::Circle(1.0);
    if let Shape::Circle(r) | Shape::Square(r) = &mut shape {
        *r = 2.0;
    }
    let mut own = [1.0, 2.0, 3.0];
    let [_, rest @ ..] = &mut own;
    rest[0] = 1.0;
    for ref mut v in x {
        v[0] = 1.0;
    }
    let mut found = Some(1.0);
    match found.as_mut() {
        Some(v) => *v = 2.0,
        other => {}
    }
    let pair = (1.0, 2.0);
    let (ref mut a, _) = pair;
    *a = 3.0;
}

fn main() {}
