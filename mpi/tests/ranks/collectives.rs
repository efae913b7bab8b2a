//! Cases of collectives, compared with what the host computes.

use gridwise::prelude::*;
use gridwise::{Manager, Plain};
use gridwise_mpi::{Rank, ReduceOp};

use crate::Outcome;

pub(crate) fn broadcasts(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    for root in 0..rank.size() {
        for len in [0, 1, 1000] {
            let value = |of: usize, i: usize| vec3(of as f32, i as f32, -1.0);
            let mut tensor = mgr.tensor(&(0..len).map(|i| value(rank.index(), i)).collect::<Vec<_>>())?;
            rank.broadcast(root, &mut tensor)?;
            assert_eq!(tensor.to_vec()?, (0..len).map(|i| value(root, i)).collect::<Vec<_>>());
        }
    }
    Ok(())
}

pub(crate) fn gathers(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    for len in [|of| if of == 1 { 0 } else { 3 * of + 1 }, |_| 0, |of| usize::from(of == 1)] {
        gather_all(rank, &mgr, len, |of| of as u8 + 100)?;
        gather_all(rank, &mgr, len, |of| [of as f32, 0.5])?;
    }
    Ok(())
}

/// Gathers `len(r)` elements `value(r)` of each rank `r`.
fn gather_all<T: Plain + PartialEq + std::fmt::Debug>(
    rank: &Rank,
    mgr: &Manager,
    len: fn(usize) -> usize,
    value: fn(usize) -> T,
) -> Outcome {
    let part = |of: usize| vec![value(of); len(of)];
    let own = mgr.tensor(&part(rank.index()))?;
    let expected: Vec<T> = (0..rank.size()).flat_map(part).collect();
    for root in 0..rank.size() {
        let all = rank.gather(root, &own)?;
        assert_eq!(all, (rank.index() == root).then(|| expected.clone()));
    }
    assert_eq!(rank.all_gather(&own)?, expected);
    let mut back = mgr.tensor_of_len::<T>(own.len())?;
    rank.scatter(0, (rank.index() == 0).then_some(&expected[..]), &mut back)?;
    assert_eq!(back.to_vec()?, own.to_vec()?);
    Ok(())
}

pub(crate) fn scatters(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    let len = |of: usize| 2 * of + 1;
    let mut own = mgr.tensor_of_len::<u64>(len(rank.index()))?;
    let all: Vec<u64> = (0..(0..rank.size()).map(len).sum::<usize>() as u64).map(|i| i << 33).collect();
    let root = rank.size() - 1;
    // What other ranks than the root give is ignored.
    rank.scatter(root, (rank.index() == root || rank.index() == 0).then_some(&all[..]), &mut own)?;
    let start: usize = (0..rank.index()).map(len).sum();
    assert_eq!(own.to_vec()?, all[start..start + len(rank.index())]);
    Ok(())
}

/// Eight partial results whose sum depends on the order, over any number of ranks.
pub(crate) fn reductions(rank: &Rank) -> Outcome {
    const PARTIALS: usize = 8;
    const LEN: usize = 1001;
    let mgr = rank.manager()?;
    let value = |partial: usize, i: usize| {
        let bits = (partial * LEN + i).wrapping_mul(0x9E37_79B9) as u32;
        (bits as f32 - 2e9) * 10f32.powi((bits % 9) as i32 - 4)
    };
    let per_rank = PARTIALS / rank.size();
    let own: Vec<f32> = (0..per_rank * LEN).map(|n| value(rank.index() * per_rank + n / LEN, n % LEN)).collect();
    let own = mgr.tensor(&own)?;
    let mut total = mgr.tensor_of_len::<f32>(LEN)?;
    for (op, combine) in
        [(ReduceOp::Sum, (|a, b| a + b) as fn(f32, f32) -> f32), (ReduceOp::Min, f32::min), (ReduceOp::Max, f32::max)]
    {
        rank.all_reduce(op, &own, &mut total)?;
        for (i, total) in total.to_vec()?.into_iter().enumerate() {
            let expected = (1..PARTIALS).fold(value(0, i), |sum, partial| combine(sum, value(partial, i)));
            assert_eq!(total.to_bits(), expected.to_bits(), "{op:?} of element {i}");
        }
    }
    let mut wrapped = mgr.tensor_of_len::<u32>(1)?;
    rank.all_reduce(ReduceOp::Sum, &mgr.tensor(&[u32::MAX])?, &mut wrapped)?;
    assert_eq!(wrapped.get(0)?, (rank.size() as u32).wrapping_neg());
    Ok(())
}

/// Fewer elements than ranks, no elements, and ranks without partial results.
pub(crate) fn few_elements(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    for len in [0, 1, 2] {
        let own = mgr.tensor(&vec![rank.index() as i64 + 1; len])?;
        let mut total = mgr.tensor_of_len::<i64>(len)?;
        rank.all_reduce(ReduceOp::Sum, &own, &mut total)?;
        let sum = (rank.size() * (rank.size() + 1) / 2) as i64;
        assert_eq!(total.to_vec()?, vec![sum; len]);
    }
    let own = mgr.tensor(&vec![2.5f64; if rank.index() == 0 { 2 } else { 0 }])?;
    let mut total = mgr.tensor_of_len::<f64>(1)?;
    rank.all_reduce(ReduceOp::Sum, &own, &mut total)?;
    assert_eq!(total.get(0)?, 5.0);
    Ok(())
}
