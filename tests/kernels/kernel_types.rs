//! Type parameters of kernels: compiled for each type that the attribute lists, selected where they are dispatched.

use std::ops::{Add, Mul};

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate, patterns};

const N: usize = 300;

#[kernel(workgroup = 64, T = [f32, u32, i32])]
fn scale<T: Copy + Mul<Output = T>>(x: &mut [T], k: T) {
    let i = global_id().x;
    x[i] = x[i] * k;
}

/// A scalar of several kinds, with what a kernel needs of it.
#[device]
mod number {
    use gridwise::prelude::*;

    pub trait Number {
        const STEP: Self;
        fn halved(self) -> Self;
        fn key(self) -> u32;
    }
    impl Number for f32 {
        const STEP: f32 = 0.25;
        fn halved(self) -> f32 {
            self * 0.5
        }
        fn key(self) -> u32 {
            self.to_bits()
        }
    }
    impl Number for u32 {
        const STEP: u32 = 3;
        fn halved(self) -> u32 {
            self / 2
        }
        fn key(self) -> u32 {
            self
        }
    }
    impl Number for Vec2 {
        const STEP: Vec2 = Vec2::ONE;
        fn halved(self) -> Vec2 {
            self * 0.5
        }
        fn key(self) -> u32 {
            self.x.to_bits() ^ self.y.to_bits()
        }
    }
}

#[device]
fn fold<T: Copy + Add<Output = T>>(values: [T; 3], first: T) -> T {
    let mut sum = first;
    for value in values {
        sum = sum + value;
    }
    sum
}

/// Shared memory and a length that the launch chooses, of a type that it chooses, too.
#[kernel(workgroup = LEN, T = [f32, u32], LEN = 64)]
fn totals<T, const LEN: usize>(x: &[T], out: &mut [T])
where
    T: GpuData + Default + Add<Output = T> + number::Number,
{
    let tile = Shared::<[T; LEN]>::new();
    let l = local_index();
    tile[l] = x[global_id().x] + T::STEP;
    barrier();
    if l == 0 {
        let mut sum = T::default();
        for k in 0..LEN {
            sum = sum + tile[k].halved();
        }
        out[workgroup_id().x] = fold([sum, T::STEP, sum], T::STEP);
    }
}

#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
struct Sample {
    value: f32,
    weight: f32,
}

/// All pairs of two lists; vectors, structs and arrays among the types.
#[kernel(workgroup = 64, A = [Vec2, u32], B = [Sample, [u32; 2]])]
fn pairs<A: Copy + number::Number, B: Copy>(a: &[A], b: &[B], swap: u32, out: &mut [B], keys: &mut [u32]) {
    let i = global_id().x;
    keys[i] = a[i].halved().key() ^ swap;
    let other = (i ^ swap) as usize;
    out[i] = if other < b.len() { b[other] } else { b[i] };
}

/// Overflow, division by zero, an index out of range: each as the type has it.
#[kernel(T = [u8, i64, f32])]
fn edges<T: Copy + Mul<Output = T> + std::ops::Div<Output = T>>(x: &[T], y: &[T], at: u32, out: &mut [T]) {
    let i = global_id().x;
    if i == 1 << 20 {
        return;
    }
    out[i] = (x[i] * y[i]) / y[i + at];
}

/// Called by type from code that is generic itself.
fn scaled<T>(mgr: &Manager, values: &[T], k: T) -> gridwise::Result<Vec<T>>
where
    T: GpuData + ScaleTypes,
{
    let mut x = mgr.tensor(values)?;
    let seq = mgr.sequence()?;
    Scale::dispatch(&seq, Grid::items(values.len()), &mut x, k)?;
    seq.eval()?;
    x.to_vec()
}

fn integers(seed: u32) -> Vec<i32> {
    patterns(N, seed).into_iter().map(|value| value as i32).collect()
}

fn samples() -> Vec<Sample> {
    let values = moderate(N, 3, 9.0);
    values.iter().map(|value| Sample { value: *value, weight: value * 2.0 }).collect()
}

fn vectors() -> Vec<Vec2> {
    moderate(N, 4, 9.0).iter().map(|value| Vec2::new(*value, 1.0 - value)).collect()
}

/// The cases of this file.
pub const CASES: &[Case] = &[
    case!(
        "kernel_types::scale",
        [Scale<f32>, Scale<u32>, Scale<i32>],
        |mgr| {
            Ok(vec![
                Output::exact(scaled(mgr, &moderate(N, 1, 8.0), 1.5)?),
                Output::U32(scaled(mgr, &patterns(N, 2), 0x1001)?),
                Output::I32(scaled(mgr, &integers(7), -77)?),
            ])
        },
        || {
            vec![
                Output::exact(moderate(N, 1, 8.0).iter().map(|x| x * 1.5).collect()),
                Output::U32(patterns(N, 2).iter().map(|x| x.wrapping_mul(0x1001)).collect()),
                Output::I32(integers(7).iter().map(|x| x.wrapping_mul(-77)).collect()),
            ]
        }
    ),
    case!(
        "kernel_types::constants",
        [Totals<f32, 64>, Totals<u32, 64>, Totals<u32, 16>],
        |mgr| {
            let (x, y) = (mgr.tensor(&moderate(128, 1, 8.0))?, mgr.tensor(&patterns(128, 2))?);
            let (mut a, mut b, mut c) = (mgr.tensor(&[0f32; 2])?, mgr.tensor(&[0u32; 2])?, mgr.tensor(&[0u32; 8])?);
            let seq = mgr.sequence()?;
            <Totals<f32>>::dispatch(&seq, Grid::items(128), &x, &mut a)?;
            Totals::<_, 64>::dispatch(&seq, Grid::items(128), &y, &mut b)?;
            Totals::<u32, 16>::dispatch(&seq, Grid::items(128), &y, &mut c)?;
            seq.eval()?;
            Ok(vec![Output::exact(a.to_vec()?), Output::U32(b.to_vec()?), Output::U32(c.to_vec()?)])
        },
        || {
            let floats = |part: &[f32]| {
                let sum = part.iter().fold(0.0, |sum, x| sum + (x + 0.25) * 0.5);
                0.25 + sum + 0.25 + sum
            };
            let ints = |part: &[u32]| {
                let sum = part.iter().fold(0u32, |sum, x| sum.wrapping_add(x.wrapping_add(3) / 2));
                sum.wrapping_mul(2).wrapping_add(6)
            };
            vec![
                Output::exact(moderate(128, 1, 8.0).chunks(64).map(floats).collect()),
                Output::U32(patterns(128, 2).chunks(64).map(ints).collect()),
                Output::U32(patterns(128, 2).chunks(16).map(ints).collect()),
            ]
        }
    ),
    case!(
        "kernel_types::pairs",
        [Pairs<Vec2, Sample>, Pairs<Vec2, [u32; 2]>, Pairs<u32, Sample>, Pairs<u32, [u32; 2]>],
        |mgr| {
            let (vectors, numbers) = (mgr.tensor(&vectors())?, mgr.tensor(&patterns(N, 8))?);
            let (structs, arrays) = (mgr.tensor(&samples())?, mgr.tensor(&vec![[5u32, 6]; N])?);
            let mut out_structs = mgr.tensor(&samples())?;
            let mut out_arrays = mgr.tensor(&vec![[0u32; 2]; N])?;
            let (mut first, mut second) = (mgr.tensor(&vec![0u32; N])?, mgr.tensor(&vec![0u32; N])?);
            let seq = mgr.sequence()?;
            Pairs::dispatch(&seq, Grid::items(N), &vectors, &structs, 1, &mut out_structs, &mut first)?;
            Pairs::<u32, [u32; 2]>::dispatch(&seq, Grid::items(N), &numbers, &arrays, 2, &mut out_arrays, &mut second)?;
            seq.eval()?;
            let bits = out_structs.to_vec()?.iter().flat_map(|it| [it.value, it.weight]).collect();
            let arrays = out_arrays.to_vec()?.into_iter().flatten().collect();
            Ok(vec![
                Output::exact(bits),
                Output::U32(first.to_vec()?),
                Output::U32(arrays),
                Output::U32(second.to_vec()?),
            ])
        },
        || {
            let structs = samples();
            let swapped = (0..N).map(|i| structs[if i ^ 1 < N { i ^ 1 } else { i }]);
            let keys = vectors().into_iter().map(|v| ((v.x * 0.5).to_bits() ^ (v.y * 0.5).to_bits()) ^ 1);
            vec![
                Output::exact(swapped.flat_map(|it| [it.value, it.weight]).collect()),
                Output::U32(keys.collect()),
                Output::U32((0..N).flat_map(|_| [5, 6]).collect()),
                Output::U32(patterns(N, 8).iter().map(|x| x / 2 ^ 2).collect()),
            ]
        }
    ),
    case!(
        "kernel_types::edges",
        [Edges<u8>, Edges<i64>, Edges<f32>],
        |mgr| {
            let bytes = mgr.tensor(&[200u8, 3, 0, 255])?;
            let longs = mgr.tensor(&[i64::MIN, 3, -1, 4])?;
            let floats = mgr.tensor(&[1f32, 0.0, 3.0, 1e30])?;
            let (mut a, mut b) = (mgr.tensor(&[0u8; 4])?, mgr.tensor(&[0i64; 4])?);
            let mut c = mgr.tensor(&[0f32; 4])?;
            let mut reports = Vec::new();
            let mut run = |record: &mut dyn for<'s> FnMut(&'s Sequence) -> gridwise::Result<&'s Sequence>| -> gridwise::Result<()> {
                let seq = mgr.sequence()?;
                record(&seq)?;
                reports.push(match seq.eval() {
                    Err(gridwise::Error::KernelPanic { message, text, count, .. }) => {
                        format!("{message}; {text}; {count}")
                    }
                    other => format!("{other:?}"),
                });
                Ok(())
            };
            run(&mut |seq| Edges::dispatch(seq, Grid::items(4), &bytes, &bytes, 0, &mut a))?;
            run(&mut |seq| Edges::dispatch(seq, Grid::items(4), &longs, &longs, 1, &mut b))?;
            run(&mut |seq| Edges::dispatch(seq, Grid::items(4), &floats, &floats, 0, &mut c))?;
            let bytes = a.to_vec()?.into_iter().map(u32::from).collect();
            let longs = b.to_vec()?.into_iter().take(3).map(|v| v as u64).collect();
            let floats = c.to_vec()?.into_iter().map(|v| if v.is_nan() { -1.0 } else { v }).collect();
            Ok(vec![Output::U32(bytes), Output::Bits(longs), Output::exact(floats), Output::Report(reports.join("\n"))])
        },
        || {
            let byte = |v: u8| u32::from(v.wrapping_mul(v).checked_div(v).unwrap_or(0));
            let long = |a: i64, b: i64| a.wrapping_mul(a).wrapping_div(b) as u64;
            // What is read past the end is a zero, by which is divided then.
            let reports = [
                "attempt to divide by zero; (x[i] * y[i]) / y[i + at]; 1",
                "index out of bounds: the len is 4 but the index is 4; y[i + at]; 2",
                "Ok(())",
            ];
            vec![
                Output::U32([200u8, 3, 0, 255].map(byte).to_vec()),
                Output::Bits(vec![long(i64::MIN, 3), long(3, -1), long(-1, 4)]),
                Output::exact(vec![1.0, -1.0, 3.0, f32::INFINITY]),
                Output::Report(reports.join("\n")),
            ]
        }
    ),
];
