//! Float rules: the guarantees of exact float arithmetic that a kernel waives. By default it waives none. No code here.

/// Relaxations of float arithmetic, each by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FloatRules {
    /// A product may be added to something without being rounded first.
    pub contract: bool,
    /// Sums and products may be taken in another order; what a device may contract then is its choice, too.
    pub reassociate: bool,
    /// NaN, infinities and the signs of zeros may be lost.
    pub no_nan: bool,
    /// Roots, powers, exponential and trigonometric functions are the device's own, as inexact as Vulkan allows.
    pub approximate_functions: bool,
}

impl FloatRules {
    /// The names that users write, in order.
    pub const NAMES: [&'static str; 4] = ["contract", "reassociate", "no_nan", "approximate_functions"];

    /// All of them.
    pub const ALL: Self = Self { contract: true, reassociate: true, no_nan: true, approximate_functions: true };

    /// Whether each is given up, in the order of [`Self::NAMES`].
    pub const fn flags(self) -> [bool; 4] {
        [self.contract, self.reassociate, self.no_nan, self.approximate_functions]
    }

    /// Gives up the one with this name; whether there is one.
    pub fn allow(&mut self, name: &str) -> bool {
        let flags = [&mut self.contract, &mut self.reassociate, &mut self.no_nan, &mut self.approximate_functions];
        match flags.into_iter().zip(Self::NAMES).find(|(_, known)| *known == name) {
            Some((flag, _)) => {
                *flag = true;
                true
            }
            None => false,
        }
    }

    /// The names of what is given up.
    pub fn names(self) -> Vec<&'static str> {
        Self::NAMES
            .into_iter()
            .zip(self.flags())
            .filter(|(_, is_given_up)| *is_given_up)
            .map(|(name, _)| name)
            .collect()
    }
}
