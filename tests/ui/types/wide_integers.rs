use gridwise::prelude::*;

#[kernel]
fn case(out: &mut [f32]) {
    let i = global_id().x;
    let wide = u128::from(i) << 70;
    for k in 0..wide {
        out[i] = wide as f32;
    }
    out[i] = 2.5f32 as i128 as u32 as f32;
    out[wide] = 1.0;
    let root = wide.isqrt();
    let parts = Shared::<[u128; 4]>::new();
    let same = workgroup_uniform(wide);
}

fn main() {}
