use gridwise::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
struct Pair {
    a: u8,
    b: u32,
}

fn main() -> gridwise::Result<()> {
    let x = Manager::new()?.tensor(&[1u32, 2])?;
    x.cast::<Pair>()?;
    Ok(())
}
