//! Lines of items in grids: workgroups numbered in a row, also where there are more of them than an axis of a grid has.

use crate::prelude::*;

/// Invocations of a workgroup.
#[device]
pub(super) const WIDTH: u32 = 256;
/// Elements of an invocation, where a workgroup has a tile of them.
#[device]
pub(super) const RUN: u32 = 8;
/// Elements of a tile.
#[device]
pub(super) const TILE: u32 = WIDTH * RUN;
/// Workgroups along an axis that every device has; few in unit tests, so that short tensors take several rows of them.
const AXIS: usize = if cfg!(test) { 3 } else { 65_535 };
/// Workgroups of a row, where there are several rows.
const ROW: usize = if cfg!(test) { 2 } else { 1 << 15 };

/// A grid of at least `count` workgroups. Each one finds its number by [`group`], and has nothing to do from `count` on.
pub(super) fn groups(count: usize) -> Grid {
    if count <= AXIS { Grid::groups([count, 1]) } else { Grid::groups([ROW, count.div_ceil(ROW)]) }
}

/// A grid of at least `len` invocations in workgroups of [`WIDTH`]. Each one finds its number by [`item`].
pub(super) fn items(len: usize) -> Grid {
    groups(len.div_ceil(WIDTH as usize))
}

/// The number of a workgroup.
#[device]
pub(super) fn group() -> u32 {
    workgroup_id().y * num_workgroups().x + workgroup_id().x
}

/// The number of an invocation in workgroups of [`WIDTH`]. None is larger than a `u32`, which a launch is checked for; so each invocation is
/// proven to have an item of its own.
#[device]
pub(super) fn item() -> u32 {
    group() * WIDTH + local_id().x
}

#[cfg(test)]
mod tests {
    //! All that is launched in lines, on grids of several rows, whose last one has workgroups without work.

    use super::*;
    use crate::algorithms::{
        OpFft, OpMerge, OpRandom, OpReduce, OpRunLengths, OpScan, OpSpmv, OpTopK, Philox, SparseRows,
    };
    use crate::{Op, Result};

    /// Seven tiles, so eight workgroups in four rows.
    const LEN: usize = 6 * 2048 + 5;

    fn run(mgr: &Manager, op: impl Op) -> Result<()> {
        mgr.sequence()?.record(op)?.eval()
    }

    /// Numbers that look random, of a linear congruential generator.
    fn words(len: usize) -> Vec<u32> {
        let next = |state: &mut u32| {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Some(*state >> 8)
        };
        (0..len).scan(1, |state, _| next(state)).collect()
    }

    #[test]
    fn grids_have_a_workgroup_for_each() {
        for (count, size) in [(0, [0, 1]), (3, [3, 1]), (4, [2, 2]), (5, [2, 3]), (7, [2, 4])] {
            assert_eq!(groups(count), Grid::groups(size), "{count}");
        }
        assert_eq!(items(257), Grid::groups([2, 1]));
    }

    #[test]
    fn runs_in_several_rows() -> Result<()> {
        let mgr = Manager::host();
        let keys: Vec<u32> = words(LEN)
            .into_iter()
            .scan(0, |key, word| {
                *key += u32::from(word % 700 == 0);
                Some(*key)
            })
            .collect();
        let numbers = words(LEN);
        let runs: Vec<&[u32]> = keys.chunk_by(|a, b| a == b).collect();
        let (from, x) = (mgr.tensor(&keys)?, mgr.tensor(&numbers)?);
        let (mut values, mut results) = (mgr.tensor_of_len::<u32>(LEN)?, mgr.tensor_of_len::<u32>(LEN)?);
        let mut count = mgr.tensor_of_len::<u32>(1)?;
        run(&mgr, OpRunLengths::new(&from, &mut values, &mut results, &mut count)?)?;
        assert_eq!(count.to_vec()?, [runs.len() as u32]);
        let expected: Vec<u32> = runs.iter().map(|run| run.len() as u32).collect();
        assert_eq!(results.to_vec()?[..runs.len()], expected);
        run(&mgr, OpReduce::sum_by_key((&from, &x), (&mut values, &mut results), &mut count)?)?;
        let mut rest = &numbers[..];
        let expected: Vec<u32> = runs
            .iter()
            .map(|run| {
                let (own, behind) = rest.split_at(run.len());
                rest = behind;
                own.iter().copied().fold(0, u32::wrapping_add)
            })
            .collect();
        assert_eq!(results.to_vec()?[..runs.len()], expected);

        let starts: Vec<u32> = runs
            .iter()
            .scan(0, |at, run| {
                *at += run.len() as u32;
                Some(*at - run.len() as u32)
            })
            .chain([LEN as u32])
            .collect();
        let (starts, mut sums) = (mgr.tensor(&starts)?, mgr.tensor_of_len::<u32>(runs.len())?);
        run(&mgr, OpReduce::sum_of_segments(&starts, &x, &mut sums)?)?;
        assert_eq!(sums.to_vec()?, expected);
        run(&mgr, OpScan::inclusive_of_segments(&starts, &x, &mut results)?)?;
        let lasts: Vec<u32> =
            starts.to_vec()?[1..].iter().map(|end| results.get(*end as usize - 1)).collect::<Result<_>>()?;
        assert_eq!(lasts, expected);
        Ok(())
    }

    #[test]
    fn sorted_in_several_rows() -> Result<()> {
        let mgr = Manager::host();
        let mut numbers = words(LEN);
        let x = mgr.tensor(&numbers)?;
        let (mut values, mut indices) = (mgr.tensor_of_len::<u32>(1100)?, mgr.tensor_of_len::<u32>(1100)?);
        run(&mgr, OpTopK::largest(&x, &mut values, &mut indices)?)?;
        let (left, right) = numbers.split_at_mut(LEN / 3);
        left.sort_unstable();
        right.sort_unstable();
        let (a, b) = (mgr.tensor(left)?, mgr.tensor(right)?);
        let mut merged = mgr.tensor_of_len::<u32>(LEN)?;
        run(&mgr, OpMerge::new(&a, &b, &mut merged)?)?;
        numbers.sort_unstable();
        assert_eq!(merged.to_vec()?, numbers);
        numbers.reverse();
        assert_eq!(values.to_vec()?, numbers[..1100]);
        Ok(())
    }

    #[test]
    fn sparse_rows_in_several_rows() -> Result<()> {
        let (mgr, rows) = (Manager::host(), 3000);
        let lengths = words(rows);
        let mut starts = vec![0u32];
        for row in 0..rows {
            starts.push(starts[row] + if row == 1000 { 5000 } else { lengths[row] % 5 });
        }
        let columns: Vec<u32> = words(starts[rows] as usize).into_iter().map(|word| word % 7).collect();
        let expected = starts.windows(2).map(|ends| {
            columns[ends[0] as usize..ends[1] as usize].iter().map(|column| (column * 2) as f32).sum::<f32>()
        });
        let expected: Vec<f32> = expected.collect();
        let (x, mut y) = (mgr.tensor(&[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?, mgr.tensor_of_len::<f32>(rows)?);
        let values = mgr.tensor(&vec![2.0f32; columns.len()])?;
        let (starts, columns) = (mgr.tensor(&starts)?, mgr.tensor(&columns)?);
        let matrix = SparseRows { starts: &starts, columns: &columns, values: &values };
        run(&mgr, OpSpmv::new(matrix, 1.0, &x, 0.0, &mut y)?)?;
        assert_eq!(y.to_vec()?, expected);
        Ok(())
    }

    #[test]
    fn numbers_in_several_rows() -> Result<()> {
        let mgr = Manager::host();
        let mut x = mgr.tensor_of_len::<u32>(4 * 256 * 6 + 1)?;
        run(&mgr, OpRandom::uniform(7, 3, &mut x)?)?;
        let expected = |i: u32| Philox::words([i / 4, 0, 3, 0], [7, 0])[i as usize % 4];
        let expected: Vec<u32> = (0..x.len() as u32).map(expected).collect();
        assert_eq!(x.to_vec()?, expected);
        // A lone one in each of many transforms gives ones.
        let mut signal = vec![0.0f32; 4 * 500];
        signal.iter_mut().step_by(4).for_each(|number| *number = 1.0);
        let (mut x, mut y) = (mgr.tensor(&signal)?, mgr.tensor_of_len::<Vec2>(3 * 500)?);
        run(&mgr, OpFft::forward_real(4, &x, &mut y)?)?;
        assert!(y.to_vec()?.iter().all(|number| number.distance(vec2(1.0, 0.0)) < 1e-6));
        run(&mgr, OpFft::inverse_real(4, &y, &mut x)?)?;
        assert!(x.to_vec()?.iter().zip(signal).all(|(found, expected)| (found - expected).abs() < 1e-6));
        Ok(())
    }
}
