use gridwise::prelude::*;

#[kernel]
fn case(x: &[u32], y: &mut [u32]) {
    let a: u32 = x.iter().zip(x.iter().flat_map(|&v| 0..v)).map(|(a, b)| a + b).sum();
    let b = x.iter().copied().flat_map(|v| [v, v]).chain(0..3).count();
    let c = x.iter().copied().eq(x.iter().copied().flat_map(|v| [v, v]));
    let d = x.iter().flat_map(|v| v + 1).count();
    let e = (0..3).flat_map(|i| 0..i).rev().count();
    let f = (0..3).map(|i| 0..i).flatten().count();
    let g = x.iter().map(|v| v + 1).cycle().take(9).count();
    let h = x.iter().filter(|v| **v > 1).cycle().nth(3);
    let i = x.iter().map(|v| v + 1).eq(x.iter().map(|v| v * 2));
    let j = x.iter().scan((0, 1), |(a, b), v| Some(*a + v)).count();
    let k = x.iter().filter(|v| **v > 1).rposition(|v| *v == 4);
    let l = y.iter_mut().cycle().count();
    let m = [0.5f32, 1.0].iter().cmp([2.0f32].iter());
    let n = x.split_first_mut();
    let o = x.iter().array_windows();
    let q = x.iter().copied().flat_map(|v| { if v == 3 { return [1, 2]; } [v, 3] }).count();
}

fn main() {}
