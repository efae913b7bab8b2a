//! What the generated host twins call: launch context, arguments, views of buffers, checked operations. No Vulkan here.
//!
//! A twin is the kernel's function as rustc compiled it, with three differences the macro makes: accesses to `&mut [T]`
//! parameters go through [`SliceMut`], because many invocations hold the buffer at once; integers wrap as in a release
//! build; and what would panic is recorded in the [`LaunchContext`], as the device does it.

mod access;
mod ambient;
mod args;
mod arithmetic;
mod group;
mod launch;
mod slice;
mod stop;

pub use access::{at, index_mut, index_ref};
pub use ambient::{Ambient, global_id, local_id, num_workgroups, workgroup_id};
pub use args::{HostArgs, HostBuffer};
pub use arithmetic::{
    Clamp, Divide, DivisionSites, clamp, div, div_ceil, div_euclid, next_multiple_of, rem, rem_euclid, wrap32,
};
pub use group::{HostGroup, Invocation};
pub use launch::{LaunchContext, Trap, TrapSink};
pub use slice::SliceMut;
pub(crate) use stop::Stopped;

pub use gridwise_ir::descriptor::{Location, Site, SiteKind};

#[cfg(test)]
mod tests;
