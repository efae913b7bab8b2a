use gridwise::prelude::*;

#[kernel]
fn case(y: &mut [f32]) {
    let mut pair = (1.0, 2.0);
    let (ref mut a, _) = pair;
    *a = 3.0;
    let mut found = Some(y[0]);
    if let Some(ref mut v) = found {
        *v = 2.0;
    }
    let ref b = pair;
    b.0 = 2.0;
    y[0] = pair.0 + b;
}

fn main() {}
