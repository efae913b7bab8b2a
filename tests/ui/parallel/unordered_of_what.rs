use gridwise::prelude::*;

#[device]
unsafe fn helper(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(workgroup = 64)]
fn mark(lists: &mut [&mut [u32]], y: &mut [u32]) {
    // SAFETY: none.
    unsafe {
        let x = y[0].unordered();
        lists.unordered()[0][0] = x;
    }
}

fn main() {}
