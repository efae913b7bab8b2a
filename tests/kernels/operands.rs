//! Operators whose operands are references. Each function also stands in a module that only rustc compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 64;

#[device]
mod descending {
    pub(super) fn cmp(a: &u32, b: &u32) -> std::cmp::Ordering {
        b.cmp(a)
    }
}

both!(lent, plain_lent, {
    use gridwise::prelude::*;

    fn product(a: &f32, b: &f32) -> f32 {
        a * b + &1.0
    }

    fn add(sum: &mut f32, by: &f32) {
        *sum += by;
        *sum = &*sum - by / 2.0;
    }

    /// Of floats, by elements, variables, parameters and what iterators lend.
    pub(super) fn floats(x: &[f32], i: usize) -> f32 {
        let (p, q) = (&x[i], 0);
        let mut sum = -p + &x[i + 1] * &x[i + 2] - 2.0 * p;
        for v in x {
            sum += v;
            sum -= v * v * 0.25;
        }
        sum *= &x[q];
        add(&mut sum, &x[1]);
        sum += x.iter().map(|v| -v).sum::<f32>();
        sum += x.iter().filter(|&v| v > &0.0 && v <= p).count() as f32;
        sum += x.iter().filter(|v| *v < &x[2] || v == &&x[3]).map(|v| v * 0.5).sum::<f32>();
        sum += x.get(i).unwrap_or(&0.5) - x.get(99).unwrap_or(&0.5);
        sum += x.iter().fold(&x[0], |most, v| if v > most { v } else { most });
        sum += x.iter().copied().min_by(f32::total_cmp).unwrap_or(0.0);
        sum + product(p, &x[q]) + product(&sum, &2.0)
    }

    /// Of integers, which have more operators.
    pub(super) fn integers(x: &[u32], i: usize) -> u32 {
        let p = &x[i];
        let mut bits = p & 3 | p << 2 ^ (p >> 1) ^ !p;
        bits ^= p % 7 + &x[1] / 3;
        bits <<= p & 3;
        bits |= &x[0];
        bits &= &!x[2];
        bits >>= &1;
        bits ^= (p == &x[0]) as u32 | ((&x[0] <= p) as u32) << 1 | ((p != &x[1]) as u32) << 2;
        bits ^= x.iter().fold(0, |hash, v| hash ^ v) << 8;
        bits ^= x.iter().position(|v| v == &x[i]).unwrap_or(0) as u32;
        bits ^= x.iter().map(|v| v & 15).filter(|v| v > &3).max().unwrap_or(0) << 4;
        bits ^= x.iter().all(|v| v < &300) as u32;
        match x.last() {
            Some(v) if v > &9 => bits ^ v,
            Some(v) => bits | !v,
            None => 0,
        }
    }

    /// Signed ones, of another width.
    pub(super) fn signed(x: &[u32], i: usize) -> i32 {
        let own = [x[i] as i64 - 9, 4, -(x[1] as i64)];
        let (p, flag) = (&own[0], &(x[i] > 3));
        let mut sum = -p + p * 2 - -&own[1];
        sum += &own[2];
        sum -= own.iter().map(|v| -v).min().unwrap_or(0);
        let turned = if !flag { -sum } else { sum };
        turned as i32
    }

    /// By the function of a module, which is not the method of that name.
    pub(super) fn sorted(x: &[u32], i: usize) -> u32 {
        let mut own = [x[i], x[1], 40, x[2]];
        own.sort_by(super::descending::cmp);
        own[0] * 27 + own[1] * 9 + own[2] * 3 + own[3]
    }

    /// Of vectors, matrices and quaternions.
    pub(super) fn vectors(x: &[f32], i: usize) -> Vec4 {
        let own = [Vec3::new(x[i], 1.0, -2.0), Vec3::splat(x[i + 1]), Vec3::new(0.5, x[1], x[2])];
        let (p, q) = (&own[0], &own[1]);
        let turn = Mat3::from_diagonal(Vec3::new(2.0, 0.5, 1.0));
        let mut sum = p + q * 2.0 - own[2] / 2.0 + 3.0 * p - -q;
        sum += p;
        sum *= &2.0;
        sum -= &turn * p + turn * q;
        for v in own.iter() {
            sum += v;
        }
        sum += own.iter().map(|v| v * 0.5).sum::<Vec3>();
        sum += &Quat::from_xyzw(0.0, 0.0, 1.0, 0.0) * &own[2];
        let counts = [UVec2::new(i as u32, 3), UVec2::new(1, i as u32 / 2)];
        let (a, b) = (&counts[0], &counts[1]);
        let mut count = (a & b) + (a << 2u32) % (b + 1);
        count ^= !b;
        let same = if a == b || a != &counts[0] { 1 } else { 0 };
        sum.extend((count.x ^ count.y ^ same) as f32 / 65536.0)
    }
});

#[kernel(workgroup = 32)]
fn operands(x: &[f32], n: &[u32], floats: &mut [f32], vectors: &mut [Vec4], whole: &mut [[u32; 2]]) {
    let i = global_id().x as usize;
    let (part, numbers) = (&x[i..i + 8], &n[i..i + 8]);
    floats[i] = lent::floats(part, i % 5);
    vectors[i] = lent::vectors(part, i % 5);
    let p = &x[i];
    floats[i] += p;
    floats[i] *= &x[i + 1];
    vectors[i] *= p;
    vectors[i] = &vectors[i] + vectors[i];
    whole[i] = [lent::integers(numbers, i % 8), lent::signed(numbers, i % 8) as u32];
    let q = &numbers[1];
    whole[i][0] ^= q;
    whole[i][1] += &(q & 7);
    whole[i][0] ^= lent::sorted(numbers, i % 5);
}

fn x() -> Vec<f32> {
    (0..N + 8).map(|k| ((k * k % 17) as f32 - 8.0) / 4.0).collect()
}

fn n() -> Vec<u32> {
    (0..N as u32 + 8).map(|k| k * k * 7 % 301).collect()
}

/// The entry.
pub const CASES: &[Case] = &[case!(
    "operands::references",
    [Operands],
    |mgr| {
        let (x, n) = (mgr.tensor(&x())?, mgr.tensor(&n())?);
        let (mut floats, mut vectors) = (mgr.tensor_of_len::<f32>(N)?, mgr.tensor_of_len::<Vec4>(N)?);
        let mut whole = mgr.tensor(&vec![[0u32; 2]; N])?;
        let seq = mgr.sequence()?;
        Operands::dispatch(&seq, Grid::items(N), &x, &n, &mut floats, &mut vectors, &mut whole)?;
        seq.eval()?;
        let vectors = vectors.to_vec()?.iter().flat_map(Vec4::to_array).collect();
        Ok(vec![Output::exact(floats.to_vec()?), Output::exact(vectors), Output::U32(whole.to_vec()?.concat())])
    },
    || {
        let (x, n) = (x(), n());
        let floats = (0..N).map(|i| (plain_lent::floats(&x[i..i + 8], i % 5) + x[i]) * x[i + 1]);
        let vectors = (0..N).map(|i| 2.0 * (plain_lent::vectors(&x[i..i + 8], i % 5) * x[i]));
        let whole = |i: usize| {
            let (numbers, q) = (&n[i..i + 8], n[i + 1]);
            let signed = plain_lent::signed(numbers, i % 8) as u32;
            [plain_lent::integers(numbers, i % 8) ^ q ^ plain_lent::sorted(numbers, i % 5), signed.wrapping_add(q & 7)]
        };
        vec![
            Output::exact(floats.collect()),
            Output::exact(vectors.flat_map(|v| v.to_array()).collect()),
            Output::U32((0..N).flat_map(whole).collect()),
        ]
    }
)];
