//! Collectives of tensors: broadcast, gather, scatter, and reductions in a fixed order. Elements pass through the host's memory.

use gridwise::{Plain, Tensor};
use mpi::Count;
use mpi::datatype::{Equivalence, Partition, PartitionMut};
use mpi::traits::{Communicator, CommunicatorCollectives, Root};

use crate::error::{Error, Expected, Result};
use crate::rank::{Agreement, Offer, Rank};

/// Elements of all partial results that a reduction takes at once.
const BLOCK: usize = 1 << 28;

/// Bytes that one message of a broadcast has at most.
const BLOCK_BYTES: usize = 1 << 30;

/// How a reduction combines two elements.
///
/// ```
/// use gridwise_mpi::ReduceOp;
///
/// assert_eq!(ReduceOp::Sum.of(2u32, 3), 5);
/// assert_eq!(ReduceOp::Max.of(2.0f32, 3.0), 3.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReduceOp {
    /// The sum; integers wrap, as in kernels.
    Sum,
    /// The smaller one; a NaN gives way, as in [`f32::min`].
    Min,
    /// The larger one; a NaN gives way.
    Max,
}

impl ReduceOp {
    /// Combines two elements.
    pub fn of<T: Reduce>(self, a: T, b: T) -> T {
        match self {
            Self::Sum => T::sum(a, b),
            Self::Min => T::least(a, b),
            Self::Max => T::greatest(a, b),
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Numbers that [`Rank::all_reduce`] combines: `f32`, `f64`, and integers of 32 and 64 bits.
pub trait Reduce: Plain + Equivalence + sealed::Sealed {
    #[doc(hidden)]
    fn sum(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn least(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn greatest(a: Self, b: Self) -> Self;
}

macro_rules! reduce {
    ($($ty:ty: $sum:expr, $least:path, $greatest:path;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Reduce for $ty {
            fn sum(a: Self, b: Self) -> Self {
                $sum(a, b)
            }
            fn least(a: Self, b: Self) -> Self {
                $least(a, b)
            }
            fn greatest(a: Self, b: Self) -> Self {
                $greatest(a, b)
            }
        }
    )*};
}

reduce! {
    f32: std::ops::Add::add, f32::min, f32::max;
    f64: std::ops::Add::add, f64::min, f64::max;
    i32: i32::wrapping_add, Ord::min, Ord::max;
    u32: u32::wrapping_add, Ord::min, Ord::max;
    i64: i64::wrapping_add, Ord::min, Ord::max;
    u64: u64::wrapping_add, Ord::min, Ord::max;
}

impl Rank {
    /// Gives all ranks the elements of the root's tensor.
    ///
    /// ```no_run
    /// # fn main() -> std::process::ExitCode {
    /// gridwise_mpi::run(|rank| {
    ///     let mgr = rank.manager()?;
    ///     let mut weights = mgr.tensor_of_len::<f32>(1000)?;
    ///     if rank.index() == 0 {
    ///         weights.write(&vec![0.5; 1000])?;
    ///     }
    ///     rank.broadcast(0, &mut weights)?;
    ///     assert_eq!(weights.get(999)?, 0.5);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # Errors
    /// On all ranks: [`Error::Disagree`] where roots, element sizes or lengths differ, [`Error::NoSuchRoot`], [`Error::OtherRank`] where
    /// another rank's device failed; on this one, when its own device fails.
    pub fn broadcast<T: Plain>(&self, root: usize, tensor: &mut Tensor<T>) -> Result<()> {
        let offer = Offer { root, ..Offer::of::<T>("broadcast", tensor.len()) };
        let ready = if self.index() == root { bytes_of(tensor) } else { Ok(zeros(size_of::<T>() * tensor.len())) };
        let (mut bytes, _) = self.agree(offer, ready)?;
        let process = self.communicator().process_at_rank(root as i32);
        for block in bytes.chunks_mut(BLOCK_BYTES) {
            process.broadcast_into(block);
        }
        if self.index() != root {
            tensor.cast_mut::<u8>()?.write(&bytes)?;
        }
        Ok(())
    }

    /// The elements of all ranks' tensors on the root, in the order of the ranks; `None` on the other ranks. The lengths may differ.
    ///
    /// ```no_run
    /// # fn main() -> std::process::ExitCode {
    /// gridwise_mpi::run(|rank| {
    ///     let mgr = rank.manager()?;
    ///     let part = mgr.tensor(&[rank.index() as u32; 2])?;
    ///     if let Some(all) = rank.gather(0, &part)? {
    ///         println!("{all:?}"); // [0, 0, 1, 1, …]
    ///     }
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast), and [`Error::TooLong`].
    pub fn gather<T: Plain>(&self, root: usize, tensor: &Tensor<T>) -> Result<Option<Vec<T>>> {
        let offer = Offer { root, same_len: false, ..Offer::of::<T>("gather", tensor.len()) };
        let (own, Agreement { lens, .. }) = self.agree(offer, bytes_of(tensor))?;
        let counts = byte_counts::<T>("gather", &lens)?;
        let process = self.communicator().process_at_rank(root as i32);
        if self.index() != root {
            process.gather_varcount_into(&own[..]);
            return Ok(None);
        }
        let mut all = zeros::<T>(lens.iter().sum());
        let starts = starts_of(&counts);
        let mut parts = PartitionMut::new(bytes_mut(&mut all), &counts[..], &starts[..]);
        process.gather_varcount_into_root(&own[..], &mut parts);
        Ok(Some(all))
    }

    /// The elements of all ranks' tensors on all ranks, as [`gather`](Self::gather).
    ///
    /// # Errors
    /// As [`gather`](Self::gather).
    pub fn all_gather<T: Plain>(&self, tensor: &Tensor<T>) -> Result<Vec<T>> {
        let offer = Offer { same_len: false, ..Offer::of::<T>("all_gather", tensor.len()) };
        let (own, Agreement { lens, .. }) = self.agree(offer, bytes_of(tensor))?;
        let counts = byte_counts::<T>("all_gather", &lens)?;
        let starts = starts_of(&counts);
        let mut all = zeros::<T>(lens.iter().sum());
        let mut parts = PartitionMut::new(bytes_mut(&mut all), &counts[..], &starts[..]);
        self.communicator().all_gather_varcount_into(&own[..], &mut parts);
        Ok(all)
    }

    /// Spreads the root's elements over all ranks' tensors, in the order of the ranks; each rank takes as many as its tensor has.
    ///
    /// ```no_run
    /// # fn main() -> std::process::ExitCode {
    /// gridwise_mpi::run(|rank| {
    ///     let mgr = rank.manager()?;
    ///     let mut part = mgr.tensor_of_len::<u32>(2)?;
    ///     let all: Option<Vec<u32>> = (rank.index() == 0).then(|| (0..2 * rank.size() as u32).collect());
    ///     rank.scatter(0, all.as_deref(), &mut part)?;
    ///     assert_eq!(part.get(0)?, 2 * rank.index() as u32);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`gather`](Self::gather), and [`Error::WrongScatter`] on all ranks where the root gives another number of elements.
    pub fn scatter<T: Plain>(&self, root: usize, all: Option<&[T]>, tensor: &mut Tensor<T>) -> Result<()> {
        let is_root = self.index() == root;
        let offer = Offer { root, same_len: false, ..Offer::of::<T>("scatter", tensor.len()) };
        let (_, Agreement { lens, .. }) = self.agree(offer, Ok(()))?;
        let expected: usize = lens.iter().sum();
        let given = all.map_or(0, <[T]>::len);
        // A second round: only now does the root know whether it has enough.
        let ready = if is_root && given != expected { Err(Error::WrongScatter { expected, given }) } else { Ok(()) };
        self.agree(offer, ready)?;
        let counts = byte_counts::<T>("scatter", &lens)?;
        let mut own = zeros::<u8>(size_of::<T>() * tensor.len());
        let process = self.communicator().process_at_rank(root as i32);
        match all.filter(|_| is_root) {
            None => process.scatter_varcount_into(&mut own[..]),
            Some(all) => {
                let starts = starts_of(&counts);
                let bytes = nameable(bytes(all));
                process.scatter_varcount_into_root(&Partition::new(bytes, &counts[..], &starts[..]), &mut own[..]);
            }
        }
        tensor.cast_mut::<u8>()?.write(&own)?;
        Ok(())
    }

    /// Combines partial results of all ranks, element by element, in a fixed order, and gives all ranks the result.
    ///
    /// `partials` holds one or more partial results one behind the other, each as long as `total`. They are combined from left to right,
    /// rank after rank. So the bits of a sum depend on the partial results and their order, and not on the number of ranks: eight partial
    /// results give the same bits on one rank that has all eight, on two with four each, and on four with two each.
    ///
    /// ```no_run
    /// use gridwise_mpi::{ReduceOp, run};
    ///
    /// # fn main() -> std::process::ExitCode {
    /// run(|rank| {
    ///     let mgr = rank.manager()?;
    ///     // The gradient of each batch of this rank, by kernels.
    ///     let gradients = mgr.tensor(&[0.25f32; 3 * 10])?;
    ///     let mut gradient = mgr.tensor_of_len::<f32>(10)?;
    ///     rank.all_reduce(ReduceOp::Sum, &gradients, &mut gradient)?;
    ///     assert_eq!(gradient.get(0)?, 0.25 * 3.0 * rank.size() as f32);
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// Without any partial result the total is zeros. Each rank combines a stretch of the elements of all partial results, and the stretches are gathered: a rank sends its partial
    /// results once, and receives about as much.
    ///
    /// # Errors
    /// On all ranks: as [`broadcast`](Self::broadcast). [`Error::WrongLength`] on a rank whose partial results are no multiple of the
    /// total, and [`Error::OtherRank`] on the others.
    pub fn all_reduce<T: Reduce>(&self, op: ReduceOp, partials: &Tensor<T>, total: &mut Tensor<T>) -> Result<()> {
        let len = total.len();
        let own = partials.len().checked_div(len).unwrap_or(0);
        let offer = Offer { variant: op as usize, partials: own, ..Offer::of::<T>("all_reduce", len) };
        let ready = match partials.len() == own * len {
            true => partials.to_vec().map_err(Error::from),
            false => Err(Error::WrongLength {
                operation: "all_reduce",
                tensor: partials.name().to_owned(),
                len: partials.len(),
                expected: Expected::MultipleOf(len),
            }),
        };
        let (partials, Agreement { partials: owns, .. }) = self.agree(offer, ready)?;
        let mut result = vec![T::ZEROED; len];
        let per_block = (BLOCK / owns.iter().sum::<usize>().max(1)).max(1);
        for (number, block) in result.chunks_mut(per_block).enumerate() {
            let positions = number * per_block..number * per_block + block.len();
            let rows = partials.chunks_exact(len).map(|row| &row[positions.clone()]);
            self.reduce_block(op, rows, &owns, block);
        }
        total.write(&result)?;
        Ok(())
    }

    /// Combines the elements of one block of positions: `rows` are those of this rank's partial results.
    fn reduce_block<'a, T: Reduce>(
        &self,
        op: ReduceOp,
        rows: impl Iterator<Item = &'a [T]> + Clone,
        owns: &[usize],
        result: &mut [T],
    ) {
        let (size, len) = (self.size(), result.len());
        let stretch_of = |rank: usize| len * rank / size..len * (rank + 1) / size;
        let width = stretch_of(self.index()).len();
        let counts =
            |count_of: &dyn Fn(usize) -> usize| (0..size).map(|rank| count_of(rank) as Count).collect::<Vec<_>>();

        let mut sent = Vec::with_capacity((owns[self.index()] * len).max(1));
        for rank in 0..size {
            rows.clone().for_each(|row| sent.extend_from_slice(&row[stretch_of(rank)]));
        }
        let send_counts = counts(&|rank| owns[self.index()] * stretch_of(rank).len());
        let receive_counts = counts(&|rank| owns[rank] * width);
        let (send_starts, receive_starts) = (starts_of(&send_counts), starts_of(&receive_counts));
        let mut received = zeros::<T>(owns.iter().sum::<usize>() * width);
        self.communicator().all_to_all_varcount_into(
            &Partition::new(&sent[..], &send_counts[..], &send_starts[..]),
            &mut PartitionMut::new(&mut received[..], &receive_counts[..], &receive_starts[..]),
        );

        // Rank after rank, and of each rank partial result after partial result: the order in which they arrived.
        let mut rows = received.chunks_exact(width.max(1));
        let mut combined = rows.next().map_or_else(|| zeros(width), <[T]>::to_vec);
        for row in rows {
            for (sum, value) in combined.iter_mut().zip(row) {
                *sum = op.of(*sum, *value);
            }
        }
        let counts = counts(&|rank| stretch_of(rank).len());
        let starts = starts_of(&counts);
        let mut parts = PartitionMut::new(result, &counts[..], &starts[..]);
        self.communicator().all_gather_varcount_into(&combined[..], &mut parts);
    }
}

/// A copy of a tensor's bytes.
fn bytes_of<T: Plain>(tensor: &Tensor<T>) -> Result<Vec<u8>> {
    let mut bytes = zeros(size_of::<T>() * tensor.len());
    tensor.cast::<u8>()?.read_into(&mut bytes)?;
    Ok(bytes)
}

/// Zeros in memory that MPI can name. An empty vector without memory points to its alignment, and the pointer 1 is Open MPI's
/// `MPI_IN_PLACE`.
fn zeros<T: Plain>(len: usize) -> Vec<T> {
    let mut zeros = Vec::with_capacity(len.max(1));
    zeros.resize(len, T::ZEROED);
    zeros
}

/// The same bytes, or none of a static: for the reason of `zeros`.
fn nameable(bytes: &[u8]) -> &[u8] {
    static NONE: [u8; 1] = [0];
    if bytes.is_empty() { &NONE[..0] } else { bytes }
}

/// The elements' bytes.
pub(crate) fn bytes<T: Plain>(elements: &[T]) -> &[u8] {
    // SAFETY: a plain type has no padding, so each byte is initialised; bytes are aligned anywhere.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// The elements' bytes, to be written.
pub(crate) fn bytes_mut<T: Plain>(elements: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `bytes`, and any bytes are a value of a plain type.
    unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}

/// The number of bytes of each rank, as MPI counts them.
fn byte_counts<T>(operation: &'static str, lens: &[usize]) -> Result<Vec<Count>> {
    let all: usize = lens.iter().sum();
    if size_of::<T>().checked_mul(all).is_none_or(|bytes| bytes > Count::MAX as usize) {
        return Err(Error::TooLong { operation, bytes: size_of::<T>().saturating_mul(all) });
    }
    Ok(lens.iter().map(|len| (size_of::<T>() * len) as Count).collect())
}

/// The first element of each rank, behind those of the ranks before.
fn starts_of(counts: &[Count]) -> Vec<Count> {
    let start = |next: &mut Count, count: &Count| Some(std::mem::replace(next, *next + count));
    counts.iter().scan(0, start).collect()
}
