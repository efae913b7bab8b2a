use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn case<const N: usize>(x: &[u32], out: &mut [u32]) {
    let values = [x[0]; N];
    let [first, ..] = values;
    out[0] = first;
}

#[kernel(workgroup = 64)]
fn compared<const N: usize>(x: &[u32], out: &mut [u32]) {
    let values = [x[0]; N];
    if values == [1; N] {
        out[0] = 1;
    }
    println!("{values:?}");
}

#[kernel(workgroup = 64)]
fn other<const N: usize, const M: usize>(x: &[u32], out: &mut [u32]) {
    let mut values = [x[0]; N];
    values = [1; M];
    values = [1, 2, 3];
    N = 4;
    out[0] = values[0];
}

fn main() {}
