use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    if x[i] > 0.0 {
        fn inner(v: f32) -> f32 {
            v
        }
        out[i] = inner(x[i]);
    }
}

/// `Part` in the signature is the module's, and in the body the function's own.
#[device]
mod parts {
    pub struct Part(pub u32);

    pub fn whole(part: Part) -> u32 {
        struct Part(f32);
        Part(1.0).0 as u32
    }
}

fn main() {
    let _ = parts::whole(parts::Part(1));
}
