use gridwise::prelude::*;

#[kernel(workgroup = 64)]
fn wait(flags: &mut [u32], y: &mut [u32]) {
    let tile = Shared::<[u32; 64]>::new();
    tile[local_id().x] = global_id().x;
    // SAFETY: any value will do.
    if unsafe { flags.unordered()[0] } == 0 {
        barrier();
    }
    y[global_id().x] = tile[63 - local_id().x];
}

fn main() {}
