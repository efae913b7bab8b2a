//! Kernels of gridwise on several machines: a device for each rank of an MPI program, halos, and collectives of tensors.
//!
//! ```no_run
//! use gridwise::prelude::*;
//! use gridwise_mpi::{ReduceOp, run};
//!
//! #[kernel(workgroup = 64)]
//! fn square(x: &mut [f32]) {
//!     let i = global_id().x;
//!     x[i] = x[i] * x[i];
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     run(|rank| {
//!         let mgr = rank.manager()?; // a GPU of this machine, by the local index of the rank
//!         let mut x = mgr.tensor(&[rank.index() as f32 + 1.0; 4])?;
//!         let seq = mgr.sequence()?;
//!         Square::dispatch(&seq, Grid::items(4), &mut x)?;
//!         seq.eval()?;
//!
//!         let mut sum = mgr.tensor_of_len::<f32>(4)?;
//!         rank.all_reduce(ReduceOp::Sum, &x, &mut sum)?;
//!         if rank.index() == 0 {
//!             println!("{:?}", sum.to_vec()?); // 1² + 2² + … of all ranks
//!         }
//!         Ok(())
//!     })
//! }
//! ```
//!
//! - [`run`] is the frame of a program: an error on one rank ends all ranks.
//! - [`Rank`] is this process: its device, and [`broadcast`](Rank::broadcast), [`gather`](Rank::gather), [`scatter`](Rank::scatter) and
//!   [`all_reduce`](Rank::all_reduce).
//! - [`Decomposition`] splits a box of cells over the ranks, and [`Halo`] exchanges the cells at the sides.
//!
//! # Results and the number of ranks
//!
//! A program that uses [`all_reduce`](Rank::all_reduce) with the same partial results, and halos, computes the same bits on any number of
//! ranks: nothing is combined in an order that depends on them.
//!
//! # Errors
//!
//! Each collective begins with one small message in which the ranks compare what they are about to do. Where they disagree, or one of them
//! cannot take part, all of them get an [`Error`], and none waits for another.

mod collectives;
mod decomposition;
mod error;
mod halo;
mod rank;
mod run;

pub use collectives::{Reduce, ReduceOp};
pub use decomposition::Decomposition;
pub use error::{Error, Expected, Result, Values};
pub use halo::{Halo, Neighbours};
pub use mpi;
pub use rank::Rank;
pub use run::run;
