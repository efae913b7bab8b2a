use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn sum_halves(x: &mut [f32]) {
    let tile = Shared::<[f32; 64]>::new();
    let lane = local_id().x;
    tile[lane] = x[lane];
    let is_lower = lane < 32;
    if is_lower {
        barrier();
        x[lane] = tile[lane] + tile[lane + 32];
    }
}

fn main() {}
