//! The softmax of each row of a matrix: `OpSoftmax`.

use gridwise::algorithms::OpSoftmax;

use crate::error::Error;
use crate::work::{Bench, Launches, Work, check, places, random_floats};

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let side = bench.pick(100usize, 8192);
    let len = side * side;
    let input: Vec<f32> = random_floats(len).into_iter().map(|value| value * 8.0).collect();
    let (x, mut y) = (bench.manager.tensor(&input)?, bench.manager.tensor_of_len::<f32>(len)?);
    let launches = Launches::default().with_op(OpSoftmax::new(side as u32, side as u32, &x, &mut y)?);
    let work = Work {
        name: format!("softmax {side}×{side}"),
        times: 5,
        bytes: 8.0 * len as f64,
        operations: 5.0 * len as f64,
    };
    bench.measure_alone(work, &launches)?;
    let expected = |place: usize| {
        let row = &input[place / side * side..][..side];
        let sum: f64 = row.iter().map(|value| f64::from(*value).exp()).sum();
        (place, f64::from(input[place]).exp() / sum)
    };
    check("gridwise", &y.to_vec()?, places(len).map(expected), 1e-5)
}
