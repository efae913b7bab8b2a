//! Every behaviour of the runtime, on the host device and on every kind of Vulkan memory the machine can offer.
//!
//! Vulkan runs under the validation layer with synchronization validation where it is installed; any message fails the
//! test. A test that a device cannot run is reported as ignored, with the reason.

mod boxes;
mod commands;
#[cfg(target_os = "linux")]
mod cuda;
mod existing;
mod futures;
mod harness;
mod images;
mod indirect;
mod kernels;
mod launches;
mod managers;
mod mapped;
mod memory;
mod order;
mod parameters;
mod parts;
mod persistence;
mod queues;
mod recordings;
#[cfg(unix)]
mod shared_memory;
mod spirv;
mod streams;
mod swaps;
mod user_memory;
#[cfg(unix)]
mod workers;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(unix)]
    gridwise_runtime::serve_if_asked();
    let modules = [
        boxes::cases(),
        commands::cases(),
        #[cfg(target_os = "linux")]
        cuda::cases(),
        existing::cases(),
        futures::cases(),
        images::cases(),
        indirect::cases(),
        launches::cases(),
        managers::cases(),
        mapped::cases(),
        memory::cases(),
        order::cases(),
        parameters::cases(),
        parts::cases(),
        persistence::cases(),
        queues::cases(),
        recordings::cases(),
        #[cfg(unix)]
        shared_memory::cases(),
        spirv::cases(),
        streams::cases(),
        swaps::cases(),
        user_memory::cases(),
        #[cfg(unix)]
        workers::cases(),
    ];
    harness::run(modules.into_iter().flatten())
}

fn ramp(len: usize) -> Vec<f32> {
    (0..len).map(|i| i as f32).collect()
}
