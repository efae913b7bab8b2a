//! What both sides launch: `y = a * x + y` on 256 numbers, once or many times, on one target or on one target each.

/// Numbers per tensor: one workgroup.
pub(crate) const LEN: usize = 256;

/// The kernel's factor. All results are small whole numbers, so that they are exact however often it runs.
pub(crate) const A: f32 = 2.0;

/// A number of launches, and whether each depends on the one before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) launches: usize,
    pub(crate) is_dependent: bool,
}

impl Plan {
    /// How many tensors are written.
    pub(crate) fn targets(self) -> usize {
        if self.is_dependent { 1 } else { self.launches }
    }

    /// Which tensor a launch writes.
    pub(crate) fn target(self, launch: usize) -> usize {
        if self.is_dependent { 0 } else { launch }
    }

    /// How often each tensor is written in one run.
    pub(crate) fn launches_per_target(self) -> u32 {
        (self.launches / self.targets().max(1)) as u32
    }
}

/// The numbers that are read.
pub(crate) fn input() -> [f32; LEN] {
    std::array::from_fn(|index| (index % 7) as f32)
}

/// What is in a target after so many launches.
pub(crate) fn expected(launches: u32) -> impl Iterator<Item = f32> {
    input().into_iter().map(move |x| launches as f32 * A * x)
}
