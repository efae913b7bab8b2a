//! Buffers that are read as texels: the same elements, bit by bit, whatever reads them, and checked as in other buffers.

use gridwise::prelude::*;

use super::case;
use super::traps::{certain, report};
use crate::case::{Case, Output, patterns};

const LEN: usize = 301;

/// Numbers of each kind, at positions that another tensor tells.
#[kernel(workgroup = 32)]
fn words(
    at: &[u32],
    #[texels] x: &[u32],
    #[texels] y: &[i32],
    #[texels] z: &[f32],
    to_x: &mut [u32],
    to_y: &mut [i32],
    to_z: &mut [f32],
) {
    let i = global_id().x;
    let from = at[i];
    to_x[i] = x[from];
    to_y[i] = y[from];
    to_z[i] = z[from];
}

/// Vectors, and their lanes by name and by number.
#[kernel(workgroup = 32)]
fn vectors(
    #[texels] a: &[Vec2],
    #[texels] b: &[UVec2],
    #[texels] c: &[IVec4],
    #[texels] d: &[Vec4],
    to: &mut [Vec4],
    lanes: &mut [u32],
) {
    let i = global_id().x;
    let pair = a[i].extend(0.0).extend(1.0);
    to[i] = d[i] + pair;
    let mut sum = b[i].y ^ b[i][i as usize % 2];
    for lane in 0..4 {
        sum = sum.rotate_left(5) ^ c[i][lane] as u32;
    }
    lanes[i] = sum ^ c[i].z as u32;
}

#[device]
fn total(x: &[u32]) -> u32 {
    let mut sum = 0u32;
    for i in 0..x.len() {
        sum = sum.wrapping_mul(31) ^ x[i];
    }
    sum
}

/// Slices of texels: parts, functions, iterators.
#[kernel(workgroup = 32)]
fn slices(#[texels] x: &[u32], to: &mut [u32]) {
    let i = global_id().x;
    let mut sum = total(x) ^ total(&x[i % 7..]);
    for pair in x[..20].windows(2) {
        sum ^= pair[0] & pair[1];
    }
    for (at, part) in x.chunks(9).enumerate() {
        sum = sum.rotate_left(at as u32) ^ part.iter().copied().fold(0, |a, b| a ^ b);
    }
    if let Some(value) = x.get(i as usize + 3) {
        sum ^= *value;
    }
    to[i] = sum ^ x.first().copied().unwrap_or(1) ^ x.len() as u32;
}

/// Of several types.
#[kernel(workgroup = 16, T = [f32, u32])]
fn reversed<T: Copy>(#[texels] x: &[T], to: &mut [T]) {
    let i = global_id().x as usize;
    to[i] = x[x.len() - 1 - i];
}

/// A buffer that one kernel writes and another one fetches.
#[kernel(workgroup = 32)]
fn step(#[texels] x: &[u32], y: &mut [u32]) {
    let i = global_id().x as usize;
    y[i] = x[(i + 1) % x.len()].wrapping_mul(3) ^ x[i];
}

/// Several items an invocation, which travel as vectors where they are stored.
#[kernel(workgroup = 64, items_per_invocation = 4)]
fn batched(#[texels] x: &[u32], y: &[u32], to: &mut [u32]) {
    let i = global_id().x;
    if i < to.len() as u32 && i < x.len() as u32 && i < y.len() as u32 {
        to[i] = x[i] ^ y[i] << 1;
    }
}

/// Out of range in some invocations.
#[kernel(workgroup = 8)]
fn beyond(#[texels] x: &[u32], shift: u32, to: &mut [u32]) {
    let i = global_id().x;
    if i == 1 << 20 {
        return;
    }
    to[i] = 7;
    to[i] = x[i + shift];
}

/// From texels to shared memory and back.
#[kernel(workgroup = 64)]
fn through_shared(#[texels] x: &[UVec4], to: &mut [UVec4]) {
    let tile = Shared::<[UVec4; 64]>::new();
    let (i, t) = (global_id().x, local_index());
    let mut next = x[i];
    for round in 0..3 {
        tile[t] = next;
        next = x[(i + round) ^ 1];
        barrier();
        next = next.wrapping_add(tile[63 - t]);
        barrier();
    }
    to[i] = next;
}

fn of_bits(seed: u32) -> Vec<u32> {
    patterns(LEN, seed)
}

fn run_words(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let at: Vec<u32> = (0..LEN as u32).map(|i| i * 37 % LEN as u32).collect();
    // Every kind of number there is, those that are none among them.
    let floats = of_bits(3).into_iter().map(f32::from_bits).collect::<Vec<_>>();
    let ints = of_bits(2).into_iter().map(|word| word as i32).collect::<Vec<_>>();
    let (at, x, y, z) = (mgr.tensor(&at)?, mgr.tensor(&of_bits(1))?, mgr.tensor(&ints)?, mgr.tensor(&floats)?);
    let (mut to_x, mut to_y) = (mgr.tensor_of_len::<u32>(LEN)?, mgr.tensor_of_len::<i32>(LEN)?);
    let (mut to_z, seq) = (mgr.tensor_of_len::<f32>(LEN)?, mgr.sequence()?);
    Words::dispatch(&seq, Grid::items(LEN), &at, &x, &y, &z, &mut to_x, &mut to_y, &mut to_z)?;
    seq.eval()?;
    let floats = to_z.to_vec()?.iter().map(|value| value.to_bits()).collect();
    Ok(vec![Output::U32(to_x.to_vec()?), Output::I32(to_y.to_vec()?), Output::U32(floats)])
}

fn expected_words() -> Vec<Output> {
    let moved = |seed| (0..LEN).map(|i| of_bits(seed)[i * 37 % LEN]).collect::<Vec<_>>();
    vec![
        Output::U32(moved(1)),
        Output::I32(moved(2).into_iter().map(|word| word as i32).collect()),
        Output::U32(moved(3)),
    ]
}

fn run_vectors(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let words = of_bits(9);
    let word = |i: usize| words[i % LEN];
    let float = |i: usize| (i % 97) as f32 * 0.25 - 9.0;
    let a: Vec<Vec2> = (0..70).map(|i| Vec2::new(float(i), float(i + 3))).collect();
    let b: Vec<UVec2> = (0..70).map(|i| UVec2::new(word(i), word(i + 7))).collect();
    let c: Vec<IVec4> = (0..70)
        .map(|i| IVec4::new(word(i) as i32, word(i + 1) as i32, word(i + 2) as i32, word(i + 5) as i32))
        .collect();
    let d: Vec<Vec4> = (0..70).map(|i| Vec4::new(float(i), float(2 * i), float(3 * i), float(5 * i))).collect();
    let (a, b, c, d) = (mgr.tensor(&a)?, mgr.tensor(&b)?, mgr.tensor(&c)?, mgr.tensor(&d)?);
    let (mut to, mut lanes) = (mgr.tensor_of_len::<Vec4>(70)?, mgr.tensor_of_len::<u32>(70)?);
    let seq = mgr.sequence()?;
    Vectors::dispatch(&seq, Grid::items(70), &a, &b, &c, &d, &mut to, &mut lanes)?;
    seq.eval()?;
    let sums = to.to_vec()?.iter().flat_map(|sum| sum.to_array()).map(f32::to_bits).collect();
    Ok(vec![Output::U32(sums), Output::U32(lanes.to_vec()?)])
}

fn run_slices(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (x, mut to) = (mgr.tensor(&of_bits(4)[..50])?, mgr.tensor_of_len::<u32>(64)?);
    let seq = mgr.sequence()?;
    Slices::dispatch(&seq, Grid::items(64), &x, &mut to)?;
    seq.eval()?;
    Ok(vec![Output::U32(to.to_vec()?)])
}

/// Parts of tensors, from where the device lets texels begin.
fn run_reversed(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let from = (mgr.device().limits.texel_alignment / 4).max(mgr.device().limits.part_alignment / 4) as usize;
    let whole: Vec<u32> = std::iter::repeat_n(77, from).chain(of_bits(5)).collect();
    let words = mgr.tensor(&whole)?;
    let floats = mgr.tensor(&whole.iter().map(|word| f32::from_bits(*word)).collect::<Vec<_>>())?;
    let mut all = Vec::new();
    for len in [0, 1, 5, LEN] {
        let (mut to, mut to_floats) = (mgr.tensor_of_len::<u32>(LEN)?, mgr.tensor_of_len::<f32>(LEN)?);
        let seq = mgr.sequence()?;
        Reversed::dispatch(&seq, Grid::items(len), &*words.part(from..from + len)?, &mut to)?;
        Reversed::dispatch(&seq, Grid::items(len), &*floats.part(from..from + len)?, &mut to_floats)?;
        seq.eval()?;
        let floats = to_floats.to_vec()?.iter().map(|value| value.to_bits()).collect();
        all.extend([Output::U32(to.to_vec()?), Output::U32(floats)]);
    }
    Ok(all)
}

fn expected_reversed() -> Vec<Output> {
    let of = |len: usize| {
        let mut words = of_bits(5)[..len].to_vec();
        words.reverse();
        words.resize(LEN, 0);
        Output::U32(words)
    };
    [0, 1, 5, LEN].into_iter().flat_map(|len| [of(len), of(len)]).collect()
}

fn run_steps(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (mut x, mut y) = (mgr.tensor(&of_bits(6))?, mgr.tensor_of_len::<u32>(LEN)?);
    let seq = mgr.sequence()?;
    for _ in 0..9 {
        Step::dispatch(&seq, Grid::items(LEN), &x, &mut y)?;
        Step::dispatch(&seq, Grid::items(LEN), &y, &mut x)?;
    }
    // Once more with all that was recorded.
    seq.eval()?;
    seq.eval()?;
    Ok(vec![Output::U32(x.to_vec()?), Output::U32(y.to_vec()?)])
}

fn expected_steps() -> Vec<Output> {
    let stepped = |x: &[u32]| (0..LEN).map(|i| x[(i + 1) % LEN].wrapping_mul(3) ^ x[i]).collect::<Vec<_>>();
    let (mut x, mut y) = (of_bits(6), Vec::new());
    for _ in 0..18 {
        y = stepped(&x);
        x = stepped(&y);
    }
    vec![Output::U32(x), Output::U32(y)]
}

fn run_batched(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (x, y, mut all) = (mgr.tensor(&of_bits(7))?, mgr.tensor(&of_bits(8))?, Vec::new());
    for items in [1, 4, 63, 256, LEN] {
        let (mut to, seq) = (mgr.tensor_of_len::<u32>(LEN)?, mgr.sequence()?);
        Batched::dispatch(&seq, Grid::items(items), &x, &y, &mut to)?;
        seq.eval()?;
        all.push(Output::U32(to.to_vec()?));
    }
    Ok(all)
}

fn expected_batched() -> Vec<Output> {
    let (x, y) = (of_bits(7), of_bits(8));
    let of = |items: usize| (0..LEN).map(|i| if i < items { x[i] ^ y[i] << 1 } else { 0 }).collect();
    [1, 4, 63, 256, LEN].into_iter().map(|items| Output::U32(of(items))).collect()
}

fn run_beyond(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (x, empty) = (mgr.tensor(&[1u32, 2, 3, 4, 5, 6, 7, 8])?, mgr.tensor::<u32>(&[])?);
    let mut all = Vec::new();
    for (x, shift) in [(&x, 0), (&x, 5), (&x, 1 << 30), (&empty, 0)] {
        let (mut to, seq) = (mgr.tensor_of_len::<u32>(8)?, mgr.sequence()?);
        Beyond::dispatch(&seq, Grid::items(8), x, shift, &mut to)?;
        let mut found = report(&seq)?;
        if let Output::Report(text) = &mut found {
            *text = certain(text).to_owned();
        }
        all.extend([found, Output::U32(to.to_vec()?)]);
    }
    Ok(all)
}

fn run_through_shared(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let words = of_bits(10);
    let word = |i: usize| words[i % LEN];
    let x: Vec<UVec4> = (0..260).map(|i| UVec4::new(word(i), word(i + 1), word(2 * i), word(5 * i))).collect();
    let (x, mut to, seq) = (mgr.tensor(&x)?, mgr.tensor_of_len::<UVec4>(256)?, mgr.sequence()?);
    ThroughShared::dispatch(&seq, Grid::items(256), &x, &mut to)?;
    seq.eval()?;
    Ok(vec![Output::U32(to.to_vec()?.iter().flat_map(|lanes| lanes.to_array()).collect())])
}

/// The cases of this area.
pub static CASES: &[Case] = &[
    case!("texels::words", [Words], run_words, expected_words),
    case!("texels::vectors", [Vectors], run_vectors),
    case!("texels::slices", [Slices], run_slices),
    case!("texels::parts", [Reversed<f32>, Reversed<u32>], run_reversed, expected_reversed),
    case!("texels::in_order", [Step], run_steps, expected_steps),
    case!("texels::batched", [Batched], run_batched, expected_batched),
    case!("texels::beyond", [Beyond], run_beyond),
    case!("texels::through_shared", [ThroughShared], run_through_shared),
];
