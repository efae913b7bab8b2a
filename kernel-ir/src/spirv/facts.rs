//! The facts about a module that a launch needs and that pass unchanged into the kernel descriptor. A new one is a field
//! here, one of `KernelDescriptor`, and a line where the macro writes the descriptor.

use super::module::Writer;
use super::shared;
use crate::descriptor::{FloatAtomics, NATIVES, Parallel};

/// The facts about a module that a launch needs, beside its parameters and sites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Size of the push-constant block in bytes, a multiple of 4; whether it exceeds what Vulkan guarantees (128) is the
    /// caller's to check.
    pub push_constant_size: u32,
    /// Binding of the trap record, when a site is left.
    pub trap_binding: Option<u32>,
    /// Words of the trap record; zero when no site can trap.
    pub trap_words: u32,
    /// Whether a trap is possible even if the kernel's obligations hold.
    pub traps_anyway: bool,
    /// Whether an invocation leaves the kernel at a trap in a loop.
    pub leaves_at_traps: bool,
    /// Bits of the floats that it has.
    pub float_widths: Vec<u32>,
    /// Which of [`NATIVES`] the module asks for.
    pub asks_for: [bool; NATIVES.len()],
    /// Binding of the print buffer, when a site that prints is left.
    pub print_binding: Option<u32>,
    /// The cooperation of the kernel's invocations.
    pub parallel: Parallel,
    /// The atomic floats that the device itself adds to.
    pub float_atomics: FloatAtomics,
    /// The size in workgroup memory of arrays whose lengths the launch decides: bytes, and the positions of the const
    /// parameters to multiply them with.
    pub shared_arrays: Vec<(u32, Vec<u32>)>,
}

impl Writer<'_> {
    /// The facts about the module that was written.
    pub(super) fn facts(&self) -> Facts {
        let (shared_bytes, shared_arrays) = shared::bytes(self.module, self.kernel, &self.uses);
        Facts {
            push_constant_size: self.interface.push_constant_size,
            trap_binding: self.trap_binding(),
            trap_words: self.uses.trap_words.unwrap_or(0),
            traps_anyway: self.uses.traps_anyway,
            leaves_at_traps: self.leaves_at_traps,
            float_widths: self.features.float_widths(),
            asks_for: self.interface.has_native.map(|id| id.is_some()),
            print_binding: self.print_binding(),
            parallel: Parallel {
                shared_bytes,
                full_workgroups: self.uses.needs_full_workgroups,
                subgroup_operations: self.uses.subgroup,
                subgroup_size: self.kernel.subgroup_size,
                native: None,
            },
            float_atomics: self.features.float_atomics(),
            shared_arrays,
        }
    }
}
