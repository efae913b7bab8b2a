//! Runs of equal elements: what is unique, how long runs are, and scans and reductions by key.

use super::chained::{self, FIRSTS, Heads, ONES};
use super::segments::{MAX, MIN, SUM, scan_segments};
use super::select::compact;
use super::stages::Stages;
use super::{OpReduce, OpScan, Reducible, Word, expect_len, lines, operation};
use crate::Result;
use crate::prelude::*;

use lines::item;

/// Moves the first element of each run of equal ones to the front of another tensor, and counts the runs.
///
/// It leaves what [`Vec::dedup`] leaves: of a sorted tensor each value once. Floats are compared as Rust does: zeros of both signs are
/// equal, a NaN equals nothing.
///
/// If workgroups can wait for each other (see [`Progress`](super::Progress)) and subgroups have at most 32 lanes, in one pass over fewer than
/// 2^31 elements, with three words of work space for each 4096 of them. Else work space: twice as many words as there are elements, and 1/1023
/// of them.
///
/// ```
/// use gridwise::algorithms::OpUnique;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[5u32, 5, 2, 5, 5, 5])?;
/// let (mut unique, mut count) = (mgr.tensor_of_len::<u32>(6)?, mgr.tensor_of_len::<u32>(1)?);
/// mgr.sequence()?.record(OpUnique::new(&x, &mut unique, &mut count)?)?.eval()?;
/// assert_eq!((&unique.to_vec()?[..3], count.to_vec()?), (&[5, 2, 5][..], vec![3]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpUnique(Stages);

operation!(OpUnique);

impl OpUnique {
    /// Writes the first element of each run of `x` to `unique`, whose other elements stay, and the number of runs to `count`.
    ///
    /// # Errors
    /// When `unique` has another length than `x`, `count` does not have one element, or the work space cannot be had.
    pub fn new<T: Word>(x: &Tensor<T>, unique: &mut Tensor<T>, count: &mut Tensor<u32>) -> Result<Self> {
        let mut stages = Stages::new("unique");
        expect_runs(x, (2, "unique"), unique, count)?;
        let mgr = x.manager();
        let mut results = mgr.tensor_of_len::<u32>(1)?;
        if !chained::reduce::<FIRSTS, _, _, _>(&mut stages, x, &*x.cast()?, unique, &mut results, count)? {
            Runs::new(&mut stages, x, unique, count)?;
        }
        Ok(Self(stages))
    }
}

/// Run-length encoding: the value and the length of each run of equal elements.
///
/// Elements are compared as by [`OpUnique`]. Work space: as there where it is one pass, else three words for each element, and 1/1023 of
/// them.
///
/// ```
/// use gridwise::algorithms::OpRunLengths;
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let x = mgr.tensor(&[5u32, 5, 2, 5, 5, 5])?;
/// let (mut values, mut lengths) = (mgr.tensor_of_len::<u32>(6)?, mgr.tensor_of_len::<u32>(6)?);
/// let mut count = mgr.tensor_of_len::<u32>(1)?;
/// mgr.sequence()?.record(OpRunLengths::new(&x, &mut values, &mut lengths, &mut count)?)?.eval()?;
/// assert_eq!(count.to_vec()?, [3]);
/// assert_eq!((&values.to_vec()?[..3], &lengths.to_vec()?[..3]), (&[5, 2, 5][..], &[2, 1, 3][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpRunLengths(Stages);

operation!(OpRunLengths);

impl OpRunLengths {
    /// Writes the value of each run of `x` to `values`, its length to `lengths`, and the number of runs to `count`. Other elements stay.
    ///
    /// # Errors
    /// When `values` or `lengths` has another length than `x`, `count` does not have one element, or the work space cannot be had.
    pub fn new<T: Word>(
        x: &Tensor<T>,
        values: &mut Tensor<T>,
        lengths: &mut Tensor<u32>,
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        expect_len("lengths of runs into", (3, "lengths"), lengths, x.len())?;
        let mut stages = Stages::new("run lengths");
        expect_runs(x, (2, "values"), values, count)?;
        if chained::reduce::<ONES, _, _, _>(&mut stages, x, &*x.cast()?, values, lengths, count)? {
            return Ok(Self(stages));
        }
        let runs = Runs::new(&mut stages, x, values, count)?;
        let mut starts = x.manager().tensor_of_len::<u32>(x.len())?;
        let grid = lines::items(x.len());
        stages.launch::<RunStarts>(grid, |args| args.read(&runs.marks).read(&runs.places).write(&mut starts));
        stages.launch::<RunLengths>(grid, |args| args.read(count).read(&starts).write(lengths));
        Ok(Self(stages))
    }
}

impl OpScan {
    /// The sums of what is before each element of `x` among its neighbours with an equal key, into `sums`.
    ///
    /// Keys are compared as by [`OpUnique`]. The order in which floats are added depends on the keys and the width of the device's
    /// subgroups. Work space: as of [`OpUnique`] where it is one pass, else five words for four elements.
    ///
    /// # Errors
    /// When `keys` or `sums` has another length than `x`, or the work space cannot be had.
    pub fn exclusive_by_key<K: Word, T: Reducible>(
        keys: &Tensor<K>,
        x: &Tensor<T>,
        sums: &mut Tensor<T>,
    ) -> Result<Self> {
        Self::by_key("exclusive scan by key", keys, x, sums, false)
    }

    /// The sums up to each element of `x`, it included, among its neighbours with an equal key; else as
    /// [`exclusive_by_key`](Self::exclusive_by_key).
    ///
    /// ```
    /// # use gridwise::{algorithms::OpScan, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let (keys, x) = (mgr.tensor(&[7u32, 7, 9, 7])?, mgr.tensor(&[1u32, 2, 3, 4])?);
    /// let mut sums = mgr.tensor_of_len(4)?;
    /// mgr.sequence()?.record(OpScan::inclusive_by_key(&keys, &x, &mut sums)?)?.eval()?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As there.
    pub fn inclusive_by_key<K: Word, T: Reducible>(
        keys: &Tensor<K>,
        x: &Tensor<T>,
        sums: &mut Tensor<T>,
    ) -> Result<Self> {
        Self::by_key("inclusive scan by key", keys, x, sums, true)
    }

    fn by_key<K: Word, T: Reducible>(
        name: &'static str,
        keys: &Tensor<K>,
        x: &Tensor<T>,
        sums: &mut Tensor<T>,
        is_inclusive: bool,
    ) -> Result<Self> {
        expect_len("scanning by", (1, "keys"), keys, x.len())?;
        expect_len("scanning into", (3, "sums"), sums, x.len())?;
        let mut stages = Stages::new(name);
        if chained::scan(&mut stages, &Heads { keys, are_marks: false }, x, sums, is_inclusive)? {
            return Ok(Self(stages));
        }
        let marks = mark_heads(&mut stages, keys)?;
        scan_segments(&mut stages, &x.manager(), (SUM, is_inclusive), &marks, x, sums)?;
        Ok(Self(stages))
    }
}

impl OpReduce {
    /// The sum of each run of elements of `x` whose keys are equal, into `sums`, the keys of these runs into `unique`, their number into
    /// `count`. Other elements of `unique` and `sums` stay.
    ///
    /// Keys are compared as by [`OpUnique`]; [`OpSort::by_key`](super::OpSort::by_key) brings equal ones together. Sums of floats are taken
    /// in an order that depends on the keys and the width of the device's subgroups. Work space: as of [`OpUnique`] where it is one pass, else
    /// three words for each element, and 1/340 of them.
    ///
    /// ```
    /// # use gridwise::{algorithms::OpReduce, prelude::*};
    /// # fn main() -> gridwise::Result<()> {
    /// let mgr = Manager::new()?;
    /// let (keys, x) = (mgr.tensor(&[7u32, 7, 9, 7])?, mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0])?);
    /// let (mut unique, mut sums) = (mgr.tensor_of_len(4)?, mgr.tensor_of_len(4)?);
    /// let mut count = mgr.tensor_of_len(1)?;
    /// let sum = OpReduce::sum_by_key((&keys, &x), (&mut unique, &mut sums), &mut count)?;
    /// mgr.sequence()?.record(sum)?.eval()?;
    /// assert_eq!(count.to_vec()?, [3]);
    /// assert_eq!((&unique.to_vec()?[..3], &sums.to_vec()?[..3]), (&[7, 9, 7][..], &[3.0, 3.0, 4.0][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the lengths differ, `count` does not have one element, or the work space cannot be had.
    pub fn sum_by_key<K: Word, T: Reducible>(
        from: (&Tensor<K>, &Tensor<T>),
        to: (&mut Tensor<K>, &mut Tensor<T>),
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        Self::by_key("sums by key", SUM, from, to, count)
    }

    /// The least element of each run; else as [`sum_by_key`](Self::sum_by_key).
    ///
    /// # Errors
    /// As there.
    pub fn min_by_key<K: Word, T: Reducible>(
        from: (&Tensor<K>, &Tensor<T>),
        to: (&mut Tensor<K>, &mut Tensor<T>),
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        Self::by_key("minima by key", MIN, from, to, count)
    }

    /// The greatest element of each run; else as [`sum_by_key`](Self::sum_by_key).
    ///
    /// # Errors
    /// As there.
    pub fn max_by_key<K: Word, T: Reducible>(
        from: (&Tensor<K>, &Tensor<T>),
        to: (&mut Tensor<K>, &mut Tensor<T>),
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        Self::by_key("maxima by key", MAX, from, to, count)
    }

    fn by_key<K: Word, T: Reducible>(
        name: &'static str,
        op: u32,
        (keys, x): (&Tensor<K>, &Tensor<T>),
        (unique, results): (&mut Tensor<K>, &mut Tensor<T>),
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        expect_len("reducing by as many keys", (1, "x"), x, keys.len())?;
        expect_len("reducing by key into", (2, "results"), results, x.len())?;
        let (mut stages, mgr) = (Stages::new(name), &x.manager());
        expect_runs(keys, (2, "unique"), unique, count)?;
        let is_chained = match op {
            SUM => chained::reduce::<SUM, _, _, _>(&mut stages, keys, x, unique, results, count)?,
            MIN => chained::reduce::<MIN, _, _, _>(&mut stages, keys, x, unique, results, count)?,
            _ => chained::reduce::<MAX, _, _, _>(&mut stages, keys, x, unique, results, count)?,
        };
        if is_chained {
            return Ok(Self(stages));
        }
        let runs = Runs::new(&mut stages, keys, unique, count)?;
        let mut up_to = mgr.tensor_of_len::<T>(x.len())?;
        scan_segments(&mut stages, mgr, (op, true), &runs.marks, x, &mut up_to)?;
        stages.launch::<T::RunEnds>(lines::items(x.len()), |args| {
            args.read(&runs.marks).read(&runs.places).read(&up_to).write(results)
        });
        Ok(Self(stages))
    }
}

/// The runs of a tensor: marks of their first elements, and the number of marks up to each.
struct Runs {
    marks: Tensor<u32>,
    places: Tensor<u32>,
}

impl Runs {
    /// Appends finding them, and moving the first element of each to the front of `unique`.
    fn new<T: Word>(
        stages: &mut Stages,
        x: &Tensor<T>,
        unique: &mut Tensor<T>,
        count: &mut Tensor<u32>,
    ) -> Result<Self> {
        let marks = mark_heads(stages, x)?;
        let places = compact(stages, x, &marks, unique, count)?;
        Ok(Self { marks, places })
    }
}

/// Refuses tensors that do not hold the runs of `x`.
fn expect_runs<T: Word>(x: &Tensor<T>, place: (u32, &str), unique: &Tensor<T>, count: &Tensor<u32>) -> Result<()> {
    expect_len("unique elements into", place, unique, x.len())?;
    expect_len("counting into", (place.0 + 1, "count"), count, 1)
}

/// Appends marking elements that differ from the one before.
fn mark_heads<T: Word>(stages: &mut Stages, x: &Tensor<T>) -> Result<Tensor<u32>> {
    let mut marks = x.manager().tensor_of_len::<u32>(x.len())?;
    stages.launch::<MarkRunHeads>(lines::items(x.len()), |args| args.value(T::IS_FLOAT).read(x).write(&mut marks));
    Ok(marks)
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

#[kernel(workgroup = 256)]
fn mark_run_heads(is_float: bool, x: &[u32], marks: &mut [u32]) {
    let i = item();
    if i < x.len() as u32 && i < marks.len() as u32 {
        marks[i] = (i == 0 || !is_same(is_float, x[i - 1], x[i])) as u32;
    }
}

#[kernel(workgroup = 256)]
fn run_starts(marks: &[u32], places: &[u32], starts: &mut [u32]) {
    let i = item();
    if i < marks.len() as u32 && marks[i] != 0 {
        // SAFETY: marked elements have places of their own, as the marks before each are counted.
        unsafe { starts.unordered()[places[i] - 1] = i };
    }
}

/// Each run ends where the next one begins.
#[kernel(workgroup = 256)]
fn run_lengths(count: &[u32], starts: &[u32], lengths: &mut [u32]) {
    let run = item();
    let len = starts.len() as u32;
    if run < len && run < count[0] {
        let end = if run + 1 < count[0] { starts[run + 1] } else { len };
        lengths[run] = end - starts[run];
    }
}
