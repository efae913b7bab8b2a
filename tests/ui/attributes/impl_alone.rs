use gridwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Turn {
    by: u32,
}

#[device]
impl Turn {
    fn twice(self) -> u32 {
        self.by * 2
    }
}

#[kernel]
fn case(out: &mut [u32]) {
    let i = global_id().x;
    out[i] = Turn { by: i }.twice();
}

fn main() {}
