//! Runs of equal elements: what is unique, how long runs are, and scans and reductions by key.
//!
//! One launch finds the heads of runs as bits and counts them in each part of the elements, another one adds up the counts before its part and
//! has the place of each run. No workgroup waits for another.

mod batch;
mod by_key;
pub(super) mod firsts;
pub(super) mod heads;
mod lengths;
mod reduce;
mod scan;
mod unique;

pub use lengths::OpRunLengths;
pub use unique::OpUnique;

use super::chained::Heads;
use super::lines::{self, WIDTH};
use super::segments::{MAX, MIN, SUM};
use super::stages::Stages;
use super::{Word, expect_len, sealed};
use crate::prelude::*;
use crate::{Kernel, Plain, Result};

/// Parts at most: enough to fill the largest devices several times, and few enough for each workgroup to add up those before it. Few in unit
/// tests, so that short tensors take several rounds.
const MOST_PARTS: usize = if cfg!(test) { 3 } else { 2048 };

/// The runs of a tensor: the bits of their heads, and how many heads each part has.
pub(super) struct Runs {
    rounds: u32,
    heads: Tensor<u32>,
    parts: Tensor<UVec2>,
}

impl Runs {
    /// Appends finding them.
    pub(super) fn find<K: Word>(stages: &mut Stages, of: &Heads<'_, K>) -> Result<Self> {
        let (keys, mgr) = (of.keys, &of.keys.manager());
        let words = keys.len().div_ceil(32);
        let rounds = words.div_ceil(WIDTH as usize * MOST_PARTS).max(1);
        let parts = words.div_ceil(WIDTH as usize * rounds);
        let (mut heads, mut parts) = (mgr.tensor_of_len::<u32>(words)?, mgr.tensor_of_len::<UVec2>(parts)?);
        let rounds = rounds as u32;
        if words > 0 {
            let none = mgr.tensor_of_len::<UVec4>(0)?;
            let vectors = keys.cast::<UVec4>().or_else(|_| none.cast())?;
            macro_rules! launch {
                ($kind:ident) => {
                    stages.launch::<heads::FindHeads<{ heads::$kind }>>(lines::groups(parts.len()), |args| {
                        args.value(rounds).read(&vectors).read(keys).write(&mut heads).write(&mut parts)
                    })
                };
            }
            match (of.are_marks, K::IS_FLOAT) {
                (true, _) => launch!(MARKS),
                (false, true) => launch!(FLOATS),
                (false, false) => launch!(NUMBERS),
            }
        }
        Ok(Self { rounds, heads, parts })
    }

    /// Appends moving the elements of `x` that are heads to the front of `firsts`, and counting them.
    pub(super) fn pick<T: Word>(
        &self,
        stages: &mut Stages,
        x: &Tensor<T>,
        firsts: &mut Tensor<T>,
        count: &mut Tensor<u32>,
    ) -> Result<()> {
        let mut lengths = x.manager().tensor_of_len::<u32>(0)?;
        self.firsts::<firsts::PickFirsts<false>, T>(stages, x, firsts, &mut lengths, count)
    }

    /// The same, and the length of each run.
    fn measure<T: Word>(
        &self,
        stages: &mut Stages,
        x: &Tensor<T>,
        firsts: &mut Tensor<T>,
        lengths: &mut Tensor<u32>,
        count: &mut Tensor<u32>,
    ) -> Result<()> {
        self.firsts::<firsts::PickFirsts<true>, T>(stages, x, firsts, lengths, count)
    }

    fn firsts<K: Kernel, T: Word>(
        &self,
        stages: &mut Stages,
        x: &Tensor<T>,
        firsts: &mut Tensor<T>,
        lengths: &mut Tensor<u32>,
        count: &mut Tensor<u32>,
    ) -> Result<()> {
        if x.is_empty() {
            stages.fill(count, 0);
            return Ok(());
        }
        let none = x.manager().tensor_of_len::<UVec4>(0)?;
        let vectors = x.cast::<UVec4>().or_else(|_| none.cast())?;
        stages.launch::<K>(lines::groups(self.parts.len()), |args| {
            let args = args.value(self.rounds).read(&self.heads).read(&self.parts).read(&vectors).read(x);
            args.write(firsts).write(lengths).write(count)
        });
        Ok(())
    }

    /// Appends the reduction of the elements of each run by an operator of [`segments`](super::segments).
    fn reduce<T: Plain + sealed::Runs>(
        &self,
        stages: &mut Stages,
        op: u32,
        x: &Tensor<T>,
        results: &mut Tensor<T>,
    ) -> Result<()> {
        if x.is_empty() {
            return Ok(());
        }
        let (mgr, parts) = (&x.manager(), self.parts.len());
        let none = mgr.tensor_of_len::<T::Vectors>(0)?;
        let vectors = x.cast::<T::Vectors>().or_else(|_| none.cast())?;
        let (mut fronts, mut backs) = (mgr.tensor_of_len::<T>(parts)?, mgr.tensor_of_len::<T>(parts)?);
        macro_rules! launch {
            ($op:ident) => {{
                stages.launch::<T::ReduceRuns<$op>>(lines::groups(parts), |args| {
                    let args = args.value(self.rounds).read(&self.heads).read(&self.parts).read(&vectors).read(x);
                    args.write(&mut fronts).write(&mut backs).write(results)
                });
                stages.launch::<T::JoinRuns<$op>>(Grid::groups(1), |args| {
                    args.read(&self.parts).read(&fronts).read(&backs).write(results)
                });
            }};
        }
        match op {
            SUM => launch!(SUM),
            MIN => launch!(MIN),
            _ => launch!(MAX),
        }
        Ok(())
    }
}

/// Refuses tensors that do not hold the runs of `x`.
fn expect_runs<T: Word>(x: &Tensor<T>, place: (u32, &str), unique: &Tensor<T>, count: &Tensor<u32>) -> Result<()> {
    expect_len("unique elements into", place, unique, x.len())?;
    expect_len("counting into", (place.0 + 1, "count"), count, 1)
}

/// Whether elements are equal, of bits that may be those of floats. Devices may take subnormal floats for zeros, so these are not compared
/// as floats.
#[device]
pub(super) fn is_same(is_float: bool, a: u32, b: u32) -> bool {
    if !is_float {
        return a == b;
    }
    let is_nan = a << 1 > 0xff00_0000;
    (a == b && !is_nan) || (a | b) << 1 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::OpReduce;

    #[test]
    fn parts_of_several_rounds() -> Result<()> {
        let mgr = Manager::host();
        let len = 7 * 8192 + 5;
        let keys: Vec<u32> = (0..len).map(|i| if i % 100 < 3 { i } else { i / 20_000 }).collect();
        let (x, ones) = (mgr.tensor(&keys)?, mgr.tensor(&vec![1.0f32; keys.len()])?);
        let (mut unique, mut lengths) = (mgr.tensor_of_len::<u32>(x.len())?, mgr.tensor_of_len::<u32>(x.len())?);
        let (mut sums, mut count) = (mgr.tensor_of_len::<f32>(x.len())?, mgr.tensor_of_len::<u32>(1)?);
        mgr.sequence()?.record(OpRunLengths::new(&x, &mut unique, &mut lengths, &mut count)?)?.eval()?;
        let runs: Vec<&[u32]> = keys.chunk_by(|a, b| a == b).collect();
        assert_eq!(count.to_vec()?, [runs.len() as u32]);
        assert!(unique.to_vec()?.iter().zip(&runs).all(|(key, run)| *key == run[0]));
        assert!(lengths.to_vec()?.iter().zip(&runs).all(|(length, run)| *length == run.len() as u32));
        let op = OpReduce::sum_by_key((&x, &ones), (&mut unique, &mut sums), &mut count)?;
        mgr.sequence()?.record(op)?.eval()?;
        assert!(sums.to_vec()?.iter().zip(&runs).all(|(sum, run)| *sum == run.len() as f32));
        Ok(())
    }
}
