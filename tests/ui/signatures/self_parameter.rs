use gridwise::prelude::*;

struct S;

impl S {
    #[kernel]
    fn case(&self, out: &mut [f32]) {
        out[0] = 1.0;
    }
}

fn main() {}
