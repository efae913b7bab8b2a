//! The errors of this bench.

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Bench(#[from] gridwise_benches::Error),
    #[error(transparent)]
    Gridwise(#[from] gridwise::Error),
    /// The processor itself is no device to measure.
    #[error("there is no Vulkan device but {0}")]
    NotVulkan(String),
    /// Some results differ; the others were measured.
    #[error("wrong results:\n{0}")]
    Wrong(String),
    /// CUDA's driver refused something.
    #[error("{call} failed with CUresult {code}")]
    Cuda {
        /// The call.
        call: &'static str,
        /// Its result.
        code: i32,
    },
    /// CUDA's driver, or a compiled peer, is not what it is expected to be.
    #[error("library of a peer: {0}")]
    Library(#[from] libloading::Error),
}
