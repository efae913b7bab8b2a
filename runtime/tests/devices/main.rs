//! Every behaviour of the runtime, on the host device and on every kind of Vulkan memory the machine can offer.
//!
//! Vulkan runs under the validation layer with synchronization validation where it is installed; any message fails the
//! test. A test that a device cannot run is reported as ignored, with the reason.

mod commands;
mod existing;
mod futures;
mod harness;
mod images;
mod indirect;
mod kernels;
mod launches;
mod mapped;
mod memory;
mod order;
mod parts;
mod persistence;
mod queues;
mod recordings;
#[cfg(unix)]
mod shared_memory;
mod spirv;
mod streams;
#[cfg(unix)]
mod workers;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(unix)]
    gridwise_runtime::serve_if_asked();
    let modules = [
        commands::cases(),
        existing::cases(),
        futures::cases(),
        images::cases(),
        indirect::cases(),
        launches::cases(),
        mapped::cases(),
        memory::cases(),
        order::cases(),
        parts::cases(),
        persistence::cases(),
        queues::cases(),
        recordings::cases(),
        #[cfg(unix)]
        shared_memory::cases(),
        spirv::cases(),
        streams::cases(),
        #[cfg(unix)]
        workers::cases(),
    ];
    harness::run(modules.into_iter().flatten())
}

fn ramp(len: usize) -> Vec<f32> {
    (0..len).map(|i| i as f32).collect()
}
