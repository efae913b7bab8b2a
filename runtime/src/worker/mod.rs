//! Modules that nobody vouches for, run in a process of their own: what they do to a driver ends that process and nothing else.

mod desc;
#[cfg(not(unix))]
mod nowhere;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod wire;

pub use desc::WorkerDesc;
#[cfg(not(unix))]
pub use nowhere::{Worker, WorkerCall, serve_if_asked};
#[cfg(unix)]
pub use process::{Worker, WorkerCall};
#[cfg(unix)]
pub use serve::serve_if_asked;
