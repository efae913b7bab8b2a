//! The runtime's side: a tensor that is read, and one to be written per launch.

use gridwise::prelude::*;
use gridwise_benches::Error as BenchError;

use crate::error::Error;
use crate::plan::{A, LEN, Plan, expected, input};

// One item per invocation, as the peer's launches of the module's first entry point have it.
#[kernel(workgroup = 256, items_per_invocation = 1)]
pub(crate) fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

/// Tensors and a sequence.
#[derive(Debug)]
pub(crate) struct Ours {
    sequence: Sequence,
    /// The tensor that is read, and another one with the same numbers.
    xs: [Tensor<f32>; 2],
    ys: Vec<Tensor<f32>>,
    plan: Plan,
    launches: u32,
}

impl Ours {
    pub(crate) fn new(manager: &Manager, plan: Plan) -> Result<Self, Error> {
        let ys = (0..plan.chains).map(|_| manager.tensor(&[0.0; LEN])).collect::<Result<_, _>>()?;
        let xs = [manager.tensor(&input())?, manager.tensor(&input())?];
        Ok(Self { sequence: manager.sequence()?, xs, ys, plan, launches: 0 })
    }

    /// Records the plan in place of what was recorded before.
    pub(crate) fn record(&mut self) -> Result<(), Error> {
        self.record_by(|_, sequence, x, y| Saxpy::dispatch(sequence, Grid::items(LEN), A, x, y).map(drop))
    }

    /// The same, with other launches: each is told its number.
    pub(crate) fn record_by(
        &mut self,
        mut dispatch: impl FnMut(usize, &Sequence, &Tensor<f32>, &mut Tensor<f32>) -> gridwise::Result<()>,
    ) -> Result<(), Error> {
        self.sequence.clear()?;
        for launch in 0..self.plan.launches {
            let y = &mut self.ys[self.plan.target(launch)];
            dispatch(launch, &self.sequence, &self.xs[0], y)?;
        }
        Ok(())
    }

    /// As [`record`](Self::record), with the other tensor to read.
    pub(crate) fn record_others(&mut self) -> Result<(), Error> {
        self.swap();
        self.record()
    }

    /// Reads the other tensor from now on.
    pub(crate) fn swap(&mut self) {
        self.xs.swap(0, 1);
    }

    /// Runs what is recorded, and waits.
    pub(crate) fn eval(&mut self) -> Result<(), Error> {
        self.sequence.eval()?;
        self.launches += 1;
        Ok(())
    }

    /// That every launch did what it must, exactly.
    pub(crate) fn check(&self) -> Result<(), Error> {
        for y in &self.ys {
            check_values("the runtime", &y.to_vec()?, self.plan.depth() as u32 * self.launches)?;
        }
        Ok(())
    }
}

/// That a target holds what so many launches make of zeros.
pub(crate) fn check_values(contender: &str, values: &[f32], launches: u32) -> Result<(), Error> {
    let wrong = values.iter().zip(expected(launches)).enumerate().find(|(_, (value, expected))| *value != expected);
    match wrong {
        None => Ok(()),
        Some((index, (value, expected))) => Err(Error::Bench(BenchError::WrongResult {
            contender: contender.to_owned(),
            detail: format!("element {index} is {value} after {launches} launches, not {expected}"),
        })),
    }
}
