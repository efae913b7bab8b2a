//! Faults of drivers, and how gridwise avoids each: the one list of workarounds.
//!
//! Code that avoids a fault names its [`Fault`] there. The suite `documents` fails for a fault that no code names, or
//! whose tests do not exist.

/// A fault of a driver that gridwise avoids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// Reductions of integers in subgroups lose their result to another value.
    LostReductions,
    /// Arithmetic with a constant zero is folded as if no operand were infinite, NaN or a negative zero.
    SimplifiedZeros,
    /// All loops of an invocation end after [`Faults::MOST_ROUNDS`] rounds together.
    StoppedLoops,
    /// A loop's result that was read from memory in its last round is computed again, with loads that give zero.
    ForgottenLoopResults,
    /// The index of a store into a local array is lost to a value that is made before the store and takes the index's place after it.
    LostIndices,
    /// In a loop whose body ends with a break, with a continue before it, lanes that leave the loop around stay in it.
    LostBreaks,
    /// The compiler crashes on a loop header's phi of two conditions that were both made before the loop.
    HeaderPhis,
    /// The compiler crashes where values that are not 32 bits wide are shuffled from lanes that are known to lie outside the subgroup.
    OutsideLanes,
    /// Expressions that share operands with a 64-bit division get wrong values.
    WideDivision,
    /// `x << 8 | x >> 8` of 16 bits is taken for an exchange of bytes, which then gives something else.
    ByteExchange,
    /// A number that is converted to `f16` and back counts as unchanged.
    HalfRoundTrip,
    /// Rounding of `f64` gives 1 for 1.5 rounded to even, and leaves fractions in large numbers.
    WideRounding,
    /// A load from an address that all lanes share runs even where no lane gets to it.
    UnaskedLoads,
    /// Instances and devices that are made and destroyed on several threads crash the driver or hang it.
    ConcurrentDevices,
    /// The driver can be loaded into a process some thirty times, and not again.
    FewLoads,
}

/// When a workaround is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// On every device, because a module or a program is made before its driver is known.
    Always,
    /// On the devices for which [`Faults::of`] names the fault.
    ByDriver,
}

/// The record of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The drivers, with the versions that the fault was seen with; their first and last versions are not known.
    pub seen_with: &'static str,
    /// When the workaround is in force.
    pub scope: Scope,
    /// The workaround.
    pub workaround: &'static str,
    /// The price of the workaround.
    pub cost: &'static str,
    /// Tests that fail on such a driver without it, or that pin what it does: a file of the repository and a name in it.
    pub tests: &'static [(&'static str, &'static str)],
}

impl Fault {
    /// All faults.
    pub const ALL: [Self; 15] = [
        Self::LostReductions,
        Self::SimplifiedZeros,
        Self::StoppedLoops,
        Self::ForgottenLoopResults,
        Self::LostIndices,
        Self::LostBreaks,
        Self::HeaderPhis,
        Self::OutsideLanes,
        Self::WideDivision,
        Self::ByteExchange,
        Self::HalfRoundTrip,
        Self::WideRounding,
        Self::UnaskedLoads,
        Self::ConcurrentDevices,
        Self::FewLoads,
    ];

    /// The record of this fault.
    ///
    /// ```
    /// use gridwise_ir::faults::{Fault, Scope};
    ///
    /// let record = Fault::StoppedLoops.record();
    /// assert_eq!((record.seen_with, record.scope), ("lavapipe, Mesa 22.3", Scope::ByDriver));
    /// ```
    pub const fn record(self) -> Record {
        match self {
            Self::LostReductions => Record {
                seen_with: "NVIDIA 580.159.04",
                scope: Scope::ByDriver,
                workaround: "a reduction of integers of at most 32 bits is the last lane of a scan",
                cost: "a scan and a shuffle instead of one instruction",
                tests: &[
                    ("kernel-ir/tests/spirv/variant.rs", "lanes_fold_integers_by_scans_where_reductions_are_wrong"),
                    ("tests/kernels/subgroups.rs", "subgroups::reductions"),
                ],
            },
            Self::SimplifiedZeros => Record {
                seen_with: "lavapipe, Mesa 22.3 and 26.1",
                scope: Scope::ByDriver,
                workaround: "zeros of floats are made at run time, from the number of workgroups",
                cost: "a shift for each module, and no folding of such zeros by the driver",
                tests: &[
                    ("kernel-ir/tests/spirv/variant.rs", "no_arithmetic_shows_a_zero_to_drivers_that_simplify_it"),
                    ("tests/kernels/neutral.rs", "neutral::"),
                ],
            },
            Self::StoppedLoops => Record {
                seen_with: "lavapipe, Mesa 22.3",
                scope: Scope::ByDriver,
                workaround: "a watch word beside the module counts loops entered and left; a difference is an error",
                cost: "two atomic additions for each loop that may have so many rounds",
                tests: &[("tests/suites/loops.rs", "all_rounds_run_or_the_error_says_that_they_did_not")],
            },
            Self::ForgottenLoopResults => Record {
                seen_with: "lavapipe, Mesa 22.3",
                scope: Scope::ByDriver,
                workaround: "such loops are left at the head of the next round, with parameters of the loop",
                cost: "a test of a register in each round of such a loop",
                tests: &[
                    ("kernel-ir/tests/passes/leave_at_head.ir", "passes: leave_at_head"),
                    ("tests/kernels/loops.rs", "loops::left_with_what_was_read"),
                ],
            },
            Self::LostIndices => Record {
                seen_with: "lavapipe, Mesa 22.3",
                scope: Scope::ByDriver,
                workaround: "such an index is bounded by a number that no index exceeds, which makes it a value of its own",
                cost: "the smaller one of two numbers for each such store",
                tests: &[("tests/kernels/followed.rs", "followed::")],
            },
            Self::LostBreaks => Record {
                seen_with: "lavapipe, Mesa 22.3",
                scope: Scope::Always,
                workaround: "the test at the head of such a loop branches out of it where it is true",
                cost: "the negation of the test, which drivers fold",
                tests: &[("tests/kernels/searches.rs", "searches::")],
            },
            Self::HeaderPhis => Record {
                seen_with: "NVIDIA 580.159.04",
                scope: Scope::Always,
                workaround: "the condition that goes round a loop is made in the loop",
                cost: "nothing that was measured",
                tests: &[("kernel-ir/tests/spirv/variant.rs", "conditions_that_go_round_a_loop_are_made_in_it")],
            },
            Self::OutsideLanes => Record {
                seen_with: "lavapipe, Mesa 22.3 with LLVM 15, on processors without AVX-512",
                scope: Scope::Always,
                workaround: "such values are read by the number of a lane that is inside, in place of a distance",
                cost: "nothing that was measured: the number is computed anyway, to ask whether the lane is active",
                tests: &[
                    ("tests/suites/algorithms/main.rs", "sparse_products_of_doubles"),
                    ("tests/kernels/subgroups.rs", "subgroups::wide_shuffles"),
                ],
            },
            Self::WideDivision => Record {
                seen_with: "NVIDIA 580.159.04",
                scope: Scope::Always,
                workaround: "64-bit integers are divided by products of 32 bits",
                cost: "a function for each module with such a division; such a division is no instruction of GPUs either",
                tests: &[("tests/kernels/wide.rs", "wide::divisions")],
            },
            Self::ByteExchange => Record {
                seen_with: "NVIDIA 580.159.04",
                scope: Scope::Always,
                workaround: "`|` and `^` of such operands are sums and differences",
                cost: "one or two more instructions at such an operation",
                tests: &[("tests/kernels/bytes.rs", "bytes::exchanged")],
            },
            Self::HalfRoundTrip => Record {
                seen_with: "NVIDIA 580.159.04; Mesa 26 for conversions that may be contracted",
                scope: Scope::Always,
                workaround: "a number is rounded to `f16` by integers, so that the conversion has nothing to round",
                cost: "some twenty integer instructions for each such conversion",
                tests: &[("tests/kernels/scalars.rs", "scalars::every_f16")],
            },
            Self::WideRounding => Record {
                seen_with: "lavapipe, Mesa 22.3 and 26.1, on processors without AVX-512",
                scope: Scope::Always,
                workaround: "`f64` is rounded by an addition and a subtraction of 2^52, where a probe does not find the device right",
                cost: "four more instructions for each such rounding",
                tests: &[("tests/kernels/doubles.rs", "doubles::functions")],
            },
            Self::UnaskedLoads => Record {
                seen_with: "lavapipe, Mesa 26.1",
                scope: Scope::Always,
                workaround: "an index into a member of a list is limited to its last element, checked or not",
                cost: "a minimum for each such access",
                tests: &[("tests/kernels/lists.rs", "lists::far_behind_the_end")],
            },
            Self::ConcurrentDevices => Record {
                seen_with: "NVIDIA 580.159.04",
                scope: Scope::Always,
                workaround: "one lock of the process is held while instances and devices are made and destroyed",
                cost: "managers are made one after the other",
                tests: &[("runtime/tests/devices/persistence.rs", "many_managers_share_a_folder")],
            },
            Self::FewLoads => Record {
                seen_with: "NVIDIA 580.159.04",
                scope: Scope::Always,
                workaround: "the first instance of a process stays, so that drivers stay loaded",
                cost: "an instance until the process ends",
                tests: &[("tests/suites/errors.rs", "managers_in_turn_find_their_device")],
            },
        }
    }
}

/// A driver with faults that are avoided only there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// NVIDIA's own driver.
    Nvidia,
    /// Mesa's llvmpipe (lavapipe), with its version as Vulkan encodes it.
    Llvmpipe(u32),
    /// Any other.
    Other,
}

/// A set of faults: those of one driver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Faults(u32);

impl Faults {
    /// No fault.
    pub const NONE: Self = Self(0);

    /// Rounds of an invocation's loops together, after which they end where there is [`Fault::StoppedLoops`].
    pub const MOST_ROUNDS: u32 = 65_535;

    /// The first version of Mesa whose llvmpipe is known to run loops to their ends, 26.1. 22.3 is known not to. Those between count
    /// as such that do not, because watching loops changes no result.
    const ENDLESS_LOOPS: u32 = 26 << 22 | 1 << 12;

    /// The faults of a driver that are avoided only there.
    ///
    /// ```
    /// use gridwise_ir::faults::{Driver, Fault, Faults};
    ///
    /// assert!(Faults::of(Driver::Nvidia).contains(Fault::LostReductions));
    /// assert_eq!(Faults::of(Driver::Other), Faults::NONE);
    /// ```
    pub const fn of(driver: Driver) -> Self {
        match driver {
            Driver::Nvidia => Self::NONE.with(Fault::LostReductions),
            Driver::Llvmpipe(version) if version < Self::ENDLESS_LOOPS => Self::NONE
                .with(Fault::SimplifiedZeros)
                .with(Fault::StoppedLoops)
                .with(Fault::ForgottenLoopResults)
                .with(Fault::LostIndices),
            Driver::Llvmpipe(_) => Self::NONE.with(Fault::SimplifiedZeros),
            Driver::Other => Self::NONE,
        }
    }

    /// These faults and one more.
    #[must_use]
    pub const fn with(self, fault: Fault) -> Self {
        Self(self.0 | 1 << fault as u32)
    }

    /// Whether a fault is among them.
    pub const fn contains(self, fault: Fault) -> bool {
        self.0 & 1 << fault as u32 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_have_the_faults_that_depend_on_them() {
        let drivers = [Driver::Nvidia, Driver::Llvmpipe(22 << 22 | 3 << 12), Driver::Llvmpipe(26 << 22 | 1 << 12 | 6)];
        for fault in Fault::ALL {
            let is_found = drivers.iter().any(|driver| Faults::of(*driver).contains(fault));
            assert_eq!(is_found, fault.record().scope == Scope::ByDriver, "{fault:?}");
        }
        let stops = drivers.map(|driver| Faults::of(driver).contains(Fault::StoppedLoops));
        assert_eq!(stops, [false, true, false]);
    }
}
