//! Atomics of 8 and 16 bits: devices exchange them with the words that they are in, and neighbours must not notice.

use gridwise::prelude::*;

use super::{case, traps};
use crate::case::{Case, Output};

const N: u32 = 512;

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "narrow_atomics::bytes",
        [Bytes],
        |mgr| {
            // An odd number of bytes: the last word is not all theirs.
            let (u, i) = (mgr.tensor(&[250u8, 0, 9, 255, 0, 7, 1])?, mgr.tensor(&[0i8, 100, -100, 5, 1])?);
            let seq = mgr.sequence()?;
            Bytes::dispatch(&seq, Grid::items(N), &u, &i)?;
            seq.eval()?;
            Ok(vec![Output::U32(u.to_vec()?.into_iter().map(u32::from).collect()), signed(i.to_vec()?)])
        },
        || {
            let all = || 0..N as usize;
            let u = [
                all().fold(250u8, |sum, _| sum.wrapping_add(3)),
                all().map(|i| i as u8).max().unwrap_or(0),
                9,
                255 & 0xf7,
                0x55,
                all().fold(7, |bits, i| bits ^ i as u8),
                all().fold(1u8, |rest, _| rest.wrapping_sub(1)),
            ];
            let sum = all().fold(0i8, |sum, i| sum.wrapping_add(i as i8));
            vec![Output::U32(u.map(u32::from).to_vec()), signed(vec![sum, -128, 127, 5, 1])]
        }
    ),
    case!(
        "narrow_atomics::shorts",
        [Shorts],
        |mgr| {
            let (counts, least) = (mgr.tensor(&[[Atomic::new(0u16); 3]; 3])?, mgr.tensor(&[0i16; 5])?);
            let mut old = mgr.tensor(&vec![0u32; N as usize])?;
            let seq = mgr.sequence()?;
            Shorts::dispatch(&seq, Grid::items(N), &counts, &least, &mut old)?;
            seq.eval()?;
            let counts = counts.to_vec()?.concat().into_iter().map(|count| u32::from(count.into_inner())).collect();
            // Each invocation found another number.
            let mut old = old.to_vec()?;
            old.sort_unstable();
            Ok(vec![
                Output::U32(counts),
                Output::I32(least.to_vec()?.into_iter().map(i32::from).collect()),
                Output::U32(old),
            ])
        },
        || {
            let mut counts = [0u32; 9];
            (0..N).for_each(|i| counts[(i % 3 * 3 + i / 3 % 3) as usize] += 130);
            let counts = counts.map(|count| u32::from(count as u16));
            let least = [-(N as i32), 0, i32::from((N - 1) as i16), N as i32, -3];
            vec![Output::U32(counts.to_vec()), Output::I32(least.to_vec()), Output::U32((0..N).collect())]
        }
    ),
    case!(
        "narrow_atomics::halves",
        [Halves],
        |mgr| {
            let x = mgr.tensor(&[0.0f32, 1000.0, 0.0, 0.0, 2.0, -7.0, 3.0].map(f16::from_f32))?;
            let seq = mgr.sequence()?;
            Halves::dispatch(&seq, Grid::items(N), &x)?;
            seq.eval()?;
            Ok(vec![Output::exact(x.to_vec()?.into_iter().map(f16::to_f32).collect())])
        },
        || {
            // Beyond 2048 whole numbers are not all there, so the sum stays below.
            let sum = (0..N).map(|i| i % 4).sum::<u32>() as f32;
            vec![Output::exact(vec![sum, 1000.0 - N as f32 / 2.0, (N - 1) as f32, -4.5, 9.5, -7.0, 1.0])]
        }
    ),
    case!(
        "narrow_atomics::shared",
        [InSharedMemory],
        |mgr| {
            let mut y = mgr.tensor(&[0u32; 4 * 6])?;
            let seq = mgr.sequence()?;
            InSharedMemory::dispatch(&seq, Grid::items(256), &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let of_group = |group: u32| {
                let items = move || (group * 64)..(group * 64 + 64);
                let bytes =
                    |at: u32| items().filter(move |i| i % 4 == at).fold(0i8, |sum, i| sum.wrapping_sub(i as i8));
                let total = items().map(|i| i % 3).sum::<u32>();
                [16 * 5000 % 65_536, 16 * 5000 % 65_536, bytes(1) as u32, bytes(2) as u32, total, 1]
            };
            vec![Output::U32((0..4).flat_map(of_group).collect())]
        }
    ),
    case!(
        "narrow_atomics::in_functions",
        [InFunctions],
        |mgr| {
            let (bins, halves) = (mgr.tensor(&[0u8; 9])?, mgr.tensor(&[f16::ZERO; 3])?);
            let seq = mgr.sequence()?;
            InFunctions::dispatch(&seq, Grid::items(N), &bins, &halves)?;
            seq.eval()?;
            let mut all: Vec<u32> = bins.to_vec()?.into_iter().map(u32::from).collect();
            all.extend(halves.to_vec()?.into_iter().map(|half| u32::from(half.to_bits())));
            Ok(vec![Output::U32(all)])
        },
        || {
            let mut bins = [0u32; 9];
            (0..N).for_each(|i| bins[(2 + i % 5) as usize] += 1);
            let halves = [0.0, N as f32, N as f32].map(|half| u32::from(f16::from_f32(half).to_bits()));
            vec![Output::U32([&bins[..], &halves].concat())]
        }
    ),
    case!("narrow_atomics::out_of_range", [OutOfRange], |mgr| {
        let cells = mgr.tensor(&[1u16, 2, 3])?;
        let mut y = mgr.tensor(&[9u32; 4])?;
        let seq = mgr.sequence()?;
        OutOfRange::dispatch(&seq, Grid::items(4), &cells, &mut y)?;
        let report = traps::report(&seq)?;
        Ok(vec![report, Output::U32(cells.to_vec()?.into_iter().map(u32::from).chain(y.to_vec()?).collect())])
    }),
];

fn signed(values: Vec<i8>) -> Output {
    Output::I32(values.into_iter().map(i32::from).collect())
}

#[kernel]
fn bytes(u: &[Atomic<u8>], i: &[Atomic<i8>]) {
    let at = global_id().x;
    u[0].fetch_add(3, Relaxed);
    u[1].fetch_max(at as u8, Relaxed);
    u[2].fetch_min(200, Relaxed);
    u[3].fetch_and(!8u8, Relaxed);
    u[4].fetch_or(if at % 2 == 0 { 0x50 } else { 0x05 }, Relaxed);
    u[5].fetch_xor(at as u8, AcqRel);
    u[6].fetch_sub(1, Relaxed);
    i[0].fetch_add(at as i8, Relaxed);
    i[1].fetch_min(at as i8, Relaxed);
    i[2].fetch_max(at as i8, Relaxed);
    if i[3].load(Acquire) != 5 {
        i[4].store(2, Release);
    }
}

#[kernel]
fn shorts(counts: &[[Atomic<u16>; 3]], least: &[Atomic<i16>], old: &mut [u32]) {
    let i = global_id().x;
    counts[i % 3][i / 3 % 3].fetch_add(130, Relaxed);
    let item = i as i16;
    least[0].fetch_sub(1, Relaxed);
    least[1].fetch_min(item, Relaxed);
    least[2].fetch_max(item, Relaxed);
    // Counts, by exchanges only.
    loop {
        let seen = least[3].load(Relaxed);
        if let Ok(before) = least[3].compare_exchange(seen, seen + 1, AcqRel, Relaxed) {
            old[i] = before as u32;
            break;
        }
    }
    least[4].swap(-3, Relaxed);
}

#[kernel]
fn halves(x: &[Atomic<f16>]) {
    let i = global_id().x;
    x[0].fetch_add(f16::from_f32((i % 4) as f32), Relaxed);
    x[1].fetch_sub(f16::from_f32(0.5), Relaxed);
    x[2].fetch_max(f16::from_f32(i as f32), Relaxed);
    x[3].fetch_min(f16::from_f32(if i == 77 { -4.5 } else { 1.0 }), Relaxed);
    let _ = x[4].compare_exchange(f16::from_f32(2.0), f16::from_f32(9.5), Relaxed, Relaxed);
    if x[5].load(Relaxed) == f16::from_f32(-7.0) {
        x[6].store(f16::from_f32(1.0), Relaxed);
    }
}

#[kernel(workgroup = 64)]
fn in_shared_memory(y: &mut [u32]) {
    let counts = Shared::<[Atomic<u16>; 4]>::new();
    let bytes = Shared::<[[Atomic<i8>; 2]; 2]>::new();
    let total = Shared::<Atomic<f16>>::new();
    let first = Shared::<Atomic<u8>>::new();
    let (i, lane) = (global_id().x, local_index());
    counts[lane % 4].fetch_add(5000, Relaxed);
    bytes[lane / 2 % 2][lane % 2].fetch_sub(i as i8, Relaxed);
    total.fetch_add(f16::from_f32((i % 3) as f32), Relaxed);
    let is_first = first.swap(1, AcqRel) == 0;
    barrier();
    if is_first {
        let to = workgroup_id().x * 6;
        // SAFETY: the swap lets one invocation of a workgroup come here.
        unsafe {
            y.unordered()[to] = counts[0].load(Relaxed) as u32;
            y.unordered()[to + 1] = counts[3].load(Relaxed) as u32;
            y.unordered()[to + 2] = bytes[0][1].load(Relaxed) as u32;
            y.unordered()[to + 3] = bytes[1][0].load(Relaxed) as u32;
            y.unordered()[to + 4] = total.load(Relaxed).to_f32() as u32;
            y.unordered()[to + 5] = first.load(Relaxed) as u32;
        }
    }
}

#[device]
fn count(bins: &[Atomic<u8>], at: u32) {
    bins[at % 5].fetch_add(1, Relaxed);
}

#[device]
fn add_all(cells: &[Atomic<f16>], step: f16) {
    for i in 0..cells.len() as u32 {
        cells[i].fetch_add(step * f16::from_f32(i as f32), Relaxed);
    }
}

#[kernel]
fn in_functions(bins: &[Atomic<u8>], halves: &[Atomic<f16>]) {
    let i = global_id().x;
    count(&bins[2..7], i);
    if i % 2 == 0 {
        add_all(halves, f16::from_f32(1.0));
    } else {
        add_all(&halves[1..], f16::from_f32(0.0));
        halves[1].fetch_add(f16::from_f32(1.0), Relaxed);
    }
}

#[kernel]
fn out_of_range(cells: &[Atomic<u16>], y: &mut [u32]) {
    let i = global_id().x;
    if i == 1 << 20 {
        return;
    }
    y[i] = cells[i].fetch_add(10, Relaxed) as u32;
}
