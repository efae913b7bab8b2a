use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn case<const N: usize>(rows: &[[f32; N]], row: [f32; N], out: &mut [f32]) {
    out[0] = rows[0][0] + row[0];
}

fn main() {}
