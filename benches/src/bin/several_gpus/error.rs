//! Errors of `several_gpus`.

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Around the measurement.
    #[error(transparent)]
    Bench(#[from] gridwise_benches::Error),
    /// The runtime refused something.
    #[error("the runtime: {0}")]
    Runtime(#[from] gridwise::Error),
    /// There is no device of Vulkan.
    #[error("this bench needs a Vulkan device that runs gridwise kernels; there are: {0}")]
    NoDevice(String),
}
