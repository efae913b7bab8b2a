//! What can go wrong in `launch_cost`.

use ash::vk;

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Around the measurement.
    #[error(transparent)]
    Bench(#[from] gridwise_benches::Error),
    /// The runtime refused something.
    #[error("the runtime: {0}")]
    Runtime(#[from] gridwise::Error),
    /// The raw side's driver refused something.
    #[error("{call} failed: {result}")]
    Vulkan { call: &'static str, result: vk::Result },
    /// There is no Vulkan loader.
    #[error("no Vulkan loader: {0}")]
    Loader(#[from] ash::LoadingError),
    /// The host device is not what this bench is about.
    #[error("this bench needs a Vulkan device; {0} is none (GRIDWISE_DEVICE selects another)")]
    NotVulkan(String),
    /// The raw side does not find what the runtime runs on.
    #[error("no Vulkan device named {0}")]
    Missing(String),
}

/// Names the call that failed.
pub(crate) fn vulkan(call: &'static str) -> impl FnOnce(vk::Result) -> Error {
    move |result| Error::Vulkan { call, result }
}
