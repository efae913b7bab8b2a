//! Workers on systems other than Unix, where there are none: the same types, so that a program is the same everywhere, and the error that says so.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::WorkerDesc;
use crate::core::error::{Error, Result};
use crate::core::grid::Grid;
use crate::memory::data::GpuData;
use crate::record::module::SpirvDesc;

/// A process that runs SPIR-V of others; there is none on this system.
///
/// ```
/// use gridwise::{Error, Worker, WorkerDesc};
///
/// assert!(matches!(Worker::start(WorkerDesc::default()), Err(Error::NoWorker { .. })));
/// ```
#[derive(Debug)]
pub struct Worker {
    none: Infallible,
}

impl Worker {
    /// Says that there are no workers.
    ///
    /// # Errors
    /// [`Error::NoWorker`], always.
    pub fn start(_desc: WorkerDesc) -> Result<Self> {
        let cause = "workers are sockets handed to processes, which this system does not have; call `Algorithm::from_spirv` for a \
                     module that you vouch for";
        Err(Error::NoWorker { cause: cause.to_owned() })
    }

    /// The number of the process.
    pub fn process(&self) -> Option<u32> {
        match self.none {}
    }

    /// A launch of a module.
    pub fn call<'a>(&'a mut self, _module: &SpirvDesc<'_>, _grid: Grid) -> WorkerCall<'a> {
        match self.none {}
    }
}

/// A launch in a [`Worker`]; there is none on this system.
#[derive(Debug)]
#[must_use = "a call does nothing until it is run"]
pub struct WorkerCall<'a> {
    none: Infallible,
    worker: PhantomData<&'a mut Worker>,
}

impl<'a> WorkerCall<'a> {
    /// Data that the module reads through a binding.
    pub fn read<T: GpuData>(self, _binding: u32, _data: &[T]) -> Self {
        match self.none {}
    }

    /// Data that the module may read and write through a binding.
    pub fn write<T: GpuData>(self, _binding: u32, _data: &'a mut [T]) -> Self {
        match self.none {}
    }

    /// All push constants, as one struct.
    pub fn push<T: GpuData>(self, _constants: &T) -> Self {
        match self.none {}
    }

    /// Runs the launch.
    ///
    /// # Errors
    /// None: there is no call.
    pub fn run(self) -> Result<()> {
        match self.none {}
    }
}

/// Begins `main` of a program that has a [`Worker`]; does nothing on this system.
pub fn serve_if_asked() {}
