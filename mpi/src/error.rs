//! The error type of the package: everything that ranks can do wrong together, each with its remedy.

use std::fmt;

/// The result of operations of this package.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong between ranks.
///
/// Ranks that disagree, or that cannot begin a collective, all get an error of it, and no rank waits for another that has given up. A
/// device that is lost later, while it copies, is told on its own rank alone; under [`run`](crate::run) that error ends all ranks.
///
/// ```
/// use gridwise_mpi::Error;
///
/// let error = Error::TooFewCells { axis: 1, cells: 3, ranks: 4 };
/// assert_eq!(error.to_string(), "axis 1 has 3 cells for 4 ranks: use fewer ranks along it, or `Decomposition::with_ranks`");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The runtime failed on this rank.
    #[error(transparent)]
    Gridwise(#[from] gridwise::Error),
    /// MPI is initialized already, or was finalized.
    #[error(
        "MPI cannot be initialized a second time in a process: call `run` once, or make a `Rank` of the communicator there is"
    )]
    Initialized,
    /// Ranks called different operations, or the same one with other sizes.
    #[error(
        "the ranks disagree on {what} of `{operation}`: {values}. All ranks call the same operations in the same order"
    )]
    Disagree {
        /// The operation that this rank called.
        operation: &'static str,
        /// The property that differs.
        what: &'static str,
        /// Its value on each rank.
        values: Values,
    },
    /// Another rank failed before it took part in an operation.
    #[error("`{operation}` has no result: rank {rank} failed before it could take part, and reports why")]
    OtherRank {
        /// The operation.
        operation: &'static str,
        /// The lowest rank that failed.
        rank: usize,
    },
    /// A root that the communicator does not have.
    #[error("`{operation}` names rank {root} as its root; the communicator has ranks 0 to {last}")]
    NoSuchRoot {
        /// The operation.
        operation: &'static str,
        /// The root that was named.
        root: usize,
        /// The last rank.
        last: usize,
    },
    /// The root of a scatter gave no elements, or not as many as the ranks' tensors have.
    #[error(
        "`scatter` needs {expected} elements from its root, one for each element of all ranks' tensors; it gave {given}"
    )]
    WrongScatter {
        /// Elements of all ranks' tensors.
        expected: usize,
        /// Elements that the root gave.
        given: usize,
    },
    /// A tensor of another length than the operation needs.
    #[error("`{operation}` needs {expected} elements in the tensor \"{tensor}\", which has {len}")]
    WrongLength {
        /// The operation.
        operation: &'static str,
        /// The tensor's name.
        tensor: String,
        /// The tensor's length.
        len: usize,
        /// The length that the operation needs, or what it must be a multiple of.
        expected: Expected,
    },
    /// Several ranks would use one device, which [`Rank::manager_alone`](crate::Rank::manager_alone) refuses.
    #[error(
        "{ranks} ranks of this machine have {devices} devices: start as many ranks as it has GPUs, let `GRIDWISE_DEVICE` name another device for each, or share devices by `Rank::manager`"
    )]
    DeviceShared {
        /// Ranks on this machine.
        ranks: usize,
        /// GPUs of this machine, or the devices that `GRIDWISE_DEVICE` names.
        devices: usize,
    },
    /// An axis has fewer cells than ranks.
    #[error(
        "axis {axis} has {cells} cells for {ranks} ranks: use fewer ranks along it, or `Decomposition::with_ranks`"
    )]
    TooFewCells {
        /// The axis.
        axis: usize,
        /// Its cells.
        cells: usize,
        /// Its ranks.
        ranks: usize,
    },
    /// The numbers of ranks along the axes do not give the communicator's size.
    #[error("{ranks:?} ranks along the axes are {product}; the communicator has {size}")]
    WrongRanks {
        /// Ranks along each axis.
        ranks: Vec<usize>,
        /// Their product.
        product: usize,
        /// The communicator's size.
        size: usize,
    },
    /// A box is narrower than the halo that its neighbours need of it.
    #[error(
        "the smallest box has {cells} cells along axis {axis}, fewer than the {width} that a halo takes from it: use fewer ranks along it"
    )]
    NarrowBox {
        /// The axis.
        axis: usize,
        /// Cells of the smallest box along it.
        cells: usize,
        /// Cells of the halo.
        width: usize,
    },
    /// More cells than 32-bit indices of kernels reach.
    #[error("a box of {cells:?} cells with its halo has more words than kernels can index: use more ranks")]
    BoxTooLarge {
        /// Cells of the box along each axis, with the halo.
        cells: Vec<usize>,
    },
    /// [`Halo::begin`](crate::Halo::begin) was called twice, or [`Halo::finish`](crate::Halo::finish) without it.
    #[error("`Halo::{called}` was called {instead}: each exchange is one `begin` and one `finish`")]
    OutOfTurn {
        /// The method that was called.
        called: &'static str,
        /// The state in which it was called.
        instead: &'static str,
    },
    /// More bytes than MPI can count.
    #[error(
        "`{operation}` moves {bytes} bytes at once, more than the 2^31 - 1 that MPI counts: move parts of the tensors"
    )]
    TooLong {
        /// The operation.
        operation: &'static str,
        /// Bytes of all ranks.
        bytes: usize,
    },
}

/// A value of each rank, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values(pub Vec<String>);

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rank, value) in self.0.iter().enumerate() {
            write!(f, "{}{value} on rank {rank}", if rank == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The length that an operation needs of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// So many elements.
    Exactly(usize),
    /// A multiple of so many elements.
    MultipleOf(usize),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(len) => write!(f, "{len}"),
            Self::MultipleOf(len) => write!(f, "a multiple of {len}"),
        }
    }
}
