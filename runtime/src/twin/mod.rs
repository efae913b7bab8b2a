//! The support of generated host twins: launch context, arguments, views of buffers, checked operations. No Vulkan
//! here.
//!
//! A twin is the kernel's function as rustc compiled it, with three differences the macro makes: accesses to `&mut [T]`
//! parameters go through [`SliceMut`], because many invocations hold the buffer at once; integers wrap as in a release
//! build; and what would panic is recorded in the [`LaunchContext`], as the device does it.

mod access;
mod ambient;
mod args;
pub mod argument_types;
mod arithmetic;
mod atomic;
mod atomic_unit;
mod chunk;
pub mod coop;
mod divided;
mod equality;
mod exact;
mod fiber;
pub mod generic;
mod group;
mod image;
mod launch;
mod lending;
mod list;
mod loops;
#[doc(hidden)]
pub mod names;
mod order;
mod part;
mod search;
mod shared;
mod slice;
pub(crate) mod stack;
mod stop;
pub mod subgroup;
mod words;

pub use crate::core::trap::Trap;
pub use crate::device::host::HostOptions;
pub use access::{
    Columns, at, behind, columns, copy_from, element_mut, element_ref, inclusive_ends, index_mut, index_ref, put,
    range, range_ends, range_mut, rotate_left, rotate_right, row, swap, to_array,
};
pub use ambient::{
    Ambient, barrier, global_id, local_id, local_index, num_subgroups, num_workgroups, subgroup_id, subgroup_local_id,
    subgroup_size, workgroup_id, workgroup_size,
};
pub use args::{HostArgs, HostBuffer, HostList};
pub use arithmetic::{
    Clamp, Divide, DivisionSites, clamp, div, div_ceil, div_euclid, is_math_constant, next_multiple_of, nonzero, rem,
    rem_euclid, round_to_odd, widen, wrap_signed32, wrap32,
};
pub use atomic::AtomicPlace;
pub use divided::{View, chunk_size, window_size};
pub use equality::{ends_with, equal, starts_with};
pub use fiber::{Frame, Reach, Seat, reach};
pub use group::{HostGroup, Invocation};
pub use image::{HostImage, Image1D, Image2D, Image3D, ImageParam, Sampled1D, Sampled2D, Sampled3D};
pub use launch::{HostFailure, LaunchContext, Quiet, TrapSink};
pub use lending::{Lending, Lent};
pub use list::{ImageList, List, ListMut};
pub use loops::{Chosen, Extent, Known, Loops, Member};
pub(crate) use order::Permutation;
pub use part::{BufferPart, SharedPart};
pub use search::{binary_search, binary_search_by, binary_search_by_key, partition_point};
pub use shared::SharedRef;
pub use slice::{Held, Slice, SliceMut};
pub(crate) use stop::Stopped;
pub use words::Words;

pub use crate::parallel::{Accumulator, Atomic, CoopMatrix, MatrixA, MatrixB, MatrixLayout, held};
pub use gridwise_ir::descriptor::{Location, Site, SiteKind};
pub use {glam, half};

#[cfg(test)]
mod alignment_tests;
#[cfg(test)]
mod crew_tests;
#[cfg(test)]
mod steps_tests;
#[cfg(test)]
mod tests;
