//! Modules that nobody vouches for, run in a process of their own: what they do to a driver ends that process and nothing else.
//!
//! A worker is this program once more, told by a variable of the environment, which `serve_if_asked` at the top of
//! `main` reads. Data goes there and back on one socket, by copies; no output changes before the call has ended well.
//! [`Error::WorkerDied`](crate::Error::WorkerDied) names the signal, and whether the module was loading or running;
//! each phase has a time limit. Elsewhere than on Unix the same types say that there are no workers. A worker has all
//! rights of the program: it keeps faults apart, not attackers.

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
