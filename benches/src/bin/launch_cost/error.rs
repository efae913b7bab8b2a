//! Errors of `launch_cost` and `gradients`.

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Around the measurement, or of the peer's side.
    #[error(transparent)]
    Bench(#[from] gridwise_benches::Error),
    /// The runtime refused something.
    #[error("the runtime: {0}")]
    Runtime(#[from] gridwise::Error),
    /// The host device is not what this bench is about.
    #[error("this bench needs a Vulkan device; {0} is none (GRIDWISE_DEVICE selects another)")]
    NotVulkan(String),
}
