//! The data for `gridwise-inspect --measured`: for each workload its time, bytes and operations, and the device's
//! limits.

use std::path::{Path, PathBuf};

use gridwise_benches::Error as BenchError;
use serde::Serialize;

use crate::error::Error;
use crate::work::Work;

/// The file, as `gridwise-inspect` reads it.
#[derive(Debug, Serialize)]
pub(crate) struct Rooflines {
    device: String,
    peak_gb_per_s: f64,
    peak_gflop_per_s: f64,
    kernels: Vec<Measured>,
}

#[derive(Debug, Serialize)]
struct Measured {
    name: String,
    microseconds: f64,
    bytes: f64,
    flops: f64,
}

impl Rooflines {
    /// Nothing measured yet.
    pub(crate) fn new(device: String) -> Self {
        Self { device, peak_gb_per_s: 0.0, peak_gflop_per_s: 0.0, kernels: Vec::new() }
    }

    /// Adds a workload that took so long.
    pub(crate) fn add(&mut self, work: &Work, microseconds: f64) {
        let Work { name, bytes, operations, .. } = work;
        let measured = Measured { name: name.clone(), microseconds, bytes: *bytes, flops: *operations };
        if microseconds > 0.0 {
            self.kernels.push(measured);
        }
    }

    /// Writes the file, with the best rates of all workloads as the device's limits; none without workloads.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write(mut self, folder: &Path) -> Result<Option<PathBuf>, Error> {
        if self.kernels.is_empty() {
            return Ok(None);
        }
        let best = |amount: fn(&Measured) -> f64| {
            self.kernels.iter().map(|kernel| amount(kernel) / kernel.microseconds / 1000.0).fold(0.0, f64::max)
        };
        (self.peak_gb_per_s, self.peak_gflop_per_s) = (best(|kernel| kernel.bytes), best(|kernel| kernel.flops));
        let path = folder.join("rooflines.json");
        let json = serde_json::to_string_pretty(&self).map_err(BenchError::Json)?;
        std::fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
        std::fs::write(&path, json).map_err(BenchError::file(&path))?;
        Ok(Some(path))
    }
}
