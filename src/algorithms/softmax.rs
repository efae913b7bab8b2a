//! Softmax: exponentials of each row, divided by their sum.

use super::stages::Stages;
use super::{expect_len, operation};
use crate::Result;
use crate::prelude::*;

/// Invocations of a workgroup, which has a row to itself.
#[device]
const WIDTH: u32 = 256;
/// Vectors of an invocation, where a row is kept in registers.
#[device]
const OWN: u32 = 8;

/// The softmax of each row of a matrix: `exp(v - max) / Σ exp(v - max)`, so that nothing overflows. No work space.
///
/// A row of up to 8192 elements, whose number is a multiple of four, is read once; others are read three times.
///
/// A row with a NaN or with infinity becomes NaN, as does a row that has only negative infinity.
///
/// ```
/// use gridwise::algorithms::OpSoftmax;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[500.0f32, 500.0, 0.0, f32::NEG_INFINITY])?;
/// let mut y = mgr.tensor_of_len::<f32>(4)?;
/// mgr.sequence()?.record(OpSoftmax::new(2, 2, &x, &mut y)?)?.eval()?;
/// assert_eq!(y.to_vec()?, [0.5, 0.5, 1.0, 0.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpSoftmax(Stages);

operation!(OpSoftmax);

impl OpSoftmax {
    /// Writes the softmax of each of the `rows` of `x`, of `columns` elements each, to `y`.
    ///
    /// # Errors
    /// When a tensor does not have `rows` times `columns` elements.
    pub fn new(rows: u32, columns: u32, x: &Tensor<f32>, y: &mut Tensor<f32>) -> Result<Self> {
        let len = rows as usize * columns as usize;
        expect_len("softmax of", (3, "x"), x, len)?;
        expect_len("softmax into", (4, "y"), y, len)?;
        let mut stages = Stages::new("softmax");
        if len > 0 && columns.is_multiple_of(4) && columns <= 4 * OWN * WIDTH {
            let (x, mut y) = (x.cast::<Vec4>()?, y.cast_mut::<Vec4>()?);
            let grid = Grid::groups(rows);
            stages.launch::<SoftmaxShortRows>(grid, |args| args.value(columns / 4).read(&x).write(&mut y));
        } else if len > 0 {
            stages.launch::<SoftmaxRows>(Grid::groups(rows), |args| args.value(columns).read(x).write(y));
        }
        Ok(Self(stages))
    }
}

/// The largest number of a workgroup, which all its invocations get.
#[device]
fn largest_of(slots: &mut [f32], own: f32) -> f32 {
    let largest = subgroup::max(own);
    if subgroup::elect() {
        slots[subgroup_id() as usize] = largest;
    }
    barrier();
    let mut largest = slots[0];
    for slot in 1..num_subgroups() {
        largest = largest.max(slots[slot as usize]);
    }
    largest
}

/// The sum of a workgroup's numbers, which all its invocations get.
#[device]
fn sum_of(slots: &mut [f32], own: f32) -> f32 {
    let sum = subgroup::add(own);
    // All have read what was there.
    barrier();
    if subgroup::elect() {
        slots[subgroup_id() as usize] = sum;
    }
    barrier();
    let mut sum = slots[0];
    for slot in 1..num_subgroups() {
        sum += slots[slot as usize];
    }
    sum
}

#[kernel(workgroup = WIDTH)]
fn softmax_rows(columns: u32, x: &[f32], y: &mut [f32]) {
    let slots = Shared::<[f32; 256]>::new();
    let row = workgroup_id().x * columns;
    let mut largest = f32::NEG_INFINITY;
    let mut i = local_id().x;
    while i < columns {
        largest = largest.max(x[row + i]);
        i += WIDTH;
    }
    let largest = largest_of(&mut slots[..], largest);
    let mut sum = 0.0;
    i = local_id().x;
    while i < columns {
        sum += (x[row + i] - largest).exp();
        i += WIDTH;
    }
    let sum = sum_of(&mut slots[..], sum);
    i = local_id().x;
    while i < columns {
        y[row + i] = (x[row + i] - largest).exp() / sum;
        i += WIDTH;
    }
}

/// The same for rows of so many vectors, which the invocations keep.
#[kernel(workgroup = WIDTH)]
fn softmax_short_rows(vectors: u32, x: &[Vec4], y: &mut [Vec4]) {
    let slots = Shared::<[f32; 256]>::new();
    let row = workgroup_id().x * vectors;
    let mut own = [Vec4::NEG_INFINITY; 8];
    for k in 0..OWN {
        let i = k * WIDTH + local_id().x;
        if i < vectors {
            own[k] = x[row + i];
        }
    }
    let mut largest = own[0];
    for k in 1..OWN {
        largest = largest.max(own[k]);
    }
    let largest = largest_of(&mut slots[..], largest.max_element());
    let mut sum = 0.0;
    for k in 0..OWN {
        // A place without an element is negative infinity, which adds nothing.
        if k * WIDTH < vectors {
            let v = own[k] - Vec4::splat(largest);
            own[k] = vec4(v.x.exp(), v.y.exp(), v.z.exp(), v.w.exp());
            sum += own[k].element_sum();
        }
    }
    let sum = sum_of(&mut slots[..], sum);
    for k in 0..OWN {
        let i = k * WIDTH + local_id().x;
        if i < vectors {
            y[row + i] = own[k] / sum;
        }
    }
}
