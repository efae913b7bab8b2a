use gridwise::prelude::*;
use rounded::Rounded;

#[device]
mod rounded {
    #[derive(Clone, Copy)]
    pub struct Rounded<T>(pub T);

    impl PartialEq for Rounded<f32> {
        fn eq(&self, other: &Self) -> bool {
            self.0.round() == other.0.round()
        }
    }
}

#[kernel]
fn pairs(x: &[f32], out: &mut [u32]) {
    let (a, b) = (Rounded(x[0]), Rounded(x[1]));
    out[0] = (a == b) as u32;
    out[1] = (Some(a) == Some(b)) as u32;
}

fn main() {}
