//! The launches of both sides: `y = a * x + y` on 256 numbers, once or many times, on one target, on one target each,
//! or on some.

/// Numbers per tensor: one workgroup.
pub(crate) const LEN: usize = 256;

/// The kernel's factor. All results are small whole numbers, so that they are exact however often it runs.
pub(crate) const A: f32 = 2.0;

/// A number of launches, in chains of equal length in which each depends on the one before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) launches: usize,
    /// As many tensors are written.
    pub(crate) chains: usize,
}

impl Plan {
    /// How many launches each chain has: how often each tensor is written in one run.
    pub(crate) fn depth(self) -> usize {
        self.launches / self.chains.max(1)
    }

    /// The tensor that a launch writes: chains come one behind the other.
    pub(crate) fn target(self, launch: usize) -> usize {
        launch / self.depth().max(1)
    }
}

/// The numbers that are read.
pub(crate) fn input() -> [f32; LEN] {
    std::array::from_fn(|index| (index % 7) as f32)
}

/// The numbers in a target after so many launches.
pub(crate) fn expected(launches: u32) -> impl Iterator<Item = f32> {
    input().into_iter().map(move |x| launches as f32 * A * x)
}
