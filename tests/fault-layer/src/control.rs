//! The control interface of the layer, for tests that find it in the opened library. No Vulkan calls.

use crate::calls::{CALLS, Kind};
use crate::plan;

/// The symbol by which the library gives its control.
pub const CONTROL: &[u8] = b"gridwise_fault_control";

/// A fallible function: name, calls since the last reset, and the codes that the specification allows.
pub type Called = (&'static str, u32, &'static [i32]);

/// The functions of a loaded layer. Both sides come out of one compilation of this crate, so they agree on types.
#[derive(Debug, Clone, Copy)]
pub struct Control {
    /// Forgets all plans and counts of calls. Counts of live objects stay.
    pub reset: fn(),
    /// Lets the n-th call from now on (from 1) of a function fail once with a code. `ERROR_DEVICE_LOST` loses the device for good.
    pub arm: fn(&str, u32, i32),
    /// Whether the armed call has come.
    pub has_fired: fn() -> bool,
    /// The fallible functions that were called since the last reset.
    pub calls: fn() -> Vec<Called>,
    /// Objects that were made and not destroyed, by type.
    pub live: fn() -> Vec<(&'static str, i64)>,
    /// Lets the n-th submission from now on vanish: it is said to be submitted, and never signals.
    pub swallow_submit: fn(u32),
    /// Lets all waits that have a finite timeout end by it.
    pub time_out: fn(bool),
    /// Lets devices share timeline semaphores (`VK_KHR_external_semaphore_fd`), also where the driver cannot.
    pub lend: fn(bool),
    /// Hides a device extension, or a feature by the name of its field.
    pub hide: fn(&str),
    /// Lowers a limit, by the name of its field, to a value; `driverID` becomes that of another driver.
    pub limit: fn(&str, u64),
    /// The words of the shader modules that were made since the last reset: what the driver was given.
    pub modules: fn() -> Vec<Vec<u32>>,
}

impl Control {
    /// Objects that are live once no manager is. The first instance of a process stays, so that drivers stay loaded, and does not count.
    #[must_use]
    pub fn left(&self) -> Vec<(&'static str, i64)> {
        let mut live = (self.live)();
        live.retain(|objects| *objects != ("Instance", 1));
        live
    }
}

const THE_CONTROL: Control = Control {
    reset: || plan::with(plan::Plan::reset),
    arm: |name, nth, code| plan::with(|plan| plan.arm(name, nth, code)),
    has_fired: || plan::with(|plan| plan.has_fired),
    calls: || {
        let counts = plan::with(|plan| plan.calls.clone());
        let called = CALLS.iter().zip(counts).filter(|(_, count)| *count > 0);
        called.map(|(call, count)| (call.name.to_str().unwrap_or_default(), count, call.codes)).collect()
    },
    live: || {
        let live = plan::with(|plan| plan.live);
        Kind::ALL.iter().zip(live).filter(|(_, count)| *count != 0).map(|(kind, count)| (kind.name(), count)).collect()
    },
    swallow_submit: |nth| plan::with(|plan| plan.swallow = nth),
    time_out: |on| plan::with(|plan| plan.times_out = on),
    lend: |on| plan::with(|plan| plan.lends = on),
    hide: |name| plan::with(|plan| plan.hidden.push(name.to_owned())),
    limit: |name, value| plan::with(|plan| plan.limits.push((name.to_owned(), value))),
    modules: || plan::with(|plan| plan.modules.clone()),
};

/// Gives the control of this copy of the layer.
#[unsafe(no_mangle)]
pub(crate) fn gridwise_fault_control() -> Control {
    THE_CONTROL
}
