//! The workloads of all contenders: their sizes, inputs and right results. It launches nothing.

use std::error::Error;
use std::time::Duration;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Elements of `saxpy` and `sum`.
pub(crate) const LEN: usize = 1 << 24;

/// Rows and columns of the matrices.
pub(crate) const SIDE: usize = 512;

/// Elements of the smallest launch: one workgroup.
pub(crate) const TINY: usize = 256;

/// The factor of `saxpy`.
pub(crate) const A: f32 = 2.0;

/// Workgroups of the first pass of `sum`, and the invocations of each.
pub(crate) const SUM_GROUPS: usize = 256;

/// One thing to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// `y = a * x + y`, one element per invocation.
    Saxpy,
    /// The sum of all elements in two passes.
    Sum,
    /// A product of matrices through tiles of 16 by 16 in shared memory.
    Matmul,
    /// `saxpy` of one workgroup, launched before, submitted once more and waited for.
    Tiny,
    /// The same, where nothing of the launches before is used again but the compiled kernel.
    TinyAnew,
}

/// All of them, with their names in the report.
pub(crate) const ALL: [(Work, &str); 5] = [
    (Work::Saxpy, "saxpy 2^24, one element per invocation"),
    (Work::Sum, "sum of 2^24"),
    (Work::Matmul, "tiled matmul 512"),
    (Work::Tiny, "one small dispatch and wait, again"),
    (Work::TinyAnew, "one small dispatch and wait, anew"),
];

/// A way to write and launch kernels.
pub(crate) trait Contender {
    /// Does the work once, to its end, and says how long it took.
    fn run(&mut self, work: Work) -> Result<Duration>;

    /// The results as they are in memory.
    fn results(&mut self, work: Work) -> Result<Vec<f32>>;
}

/// Small whole numbers below `limit`, whose sums are exact in any order.
pub(crate) fn numbers(len: usize, limit: usize) -> Vec<f32> {
    (0..len).map(|i| (i * 7 % limit) as f32).collect()
}

/// Fails unless a contender's results after `runs` runs are right.
pub(crate) fn check(name: &str, contender: &mut dyn Contender, work: Work, runs: usize) -> Result<()> {
    let found = contender.results(work)?;
    let saxpy = |len: usize| numbers(len, 5).into_iter().map(|x| runs as f32 * A * x).collect();
    let wanted: Vec<f32> = match work {
        Work::Saxpy => saxpy(LEN),
        Work::Tiny | Work::TinyAnew => saxpy(TINY),
        Work::Sum => vec![numbers(LEN, 2).iter().map(|value| *value as usize).sum::<usize>() as f32],
        Work::Matmul => {
            let (a, b) = (numbers(SIDE * SIDE, 5), numbers(SIDE * SIDE, 3));
            let cell = |i: usize| (0..SIDE).map(|k| a[i / SIDE * SIDE + k] * b[k * SIDE + i % SIDE]).sum();
            (0..SIDE * SIDE).map(cell).collect()
        }
    };
    match found.iter().zip(&wanted).position(|(found, wanted)| found != wanted) {
        None if found.len() == wanted.len() => Ok(()),
        None => Err(format!("{name}, {work:?}: {} results, not {}", found.len(), wanted.len()).into()),
        Some(at) => Err(format!("{name}, {work:?}: element {at} is {}, not {}", found[at], wanted[at]).into()),
    }
}
