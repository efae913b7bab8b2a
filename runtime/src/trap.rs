//! Turns trap records into errors with Rust's own messages.

use gridwise_ir::descriptor::{KernelDescriptor, SiteKind, TrapRecord};

use crate::error::Error;
use crate::twin::Trap;

/// The error of a launch that trapped.
pub(crate) fn panic_error(kernel: &'static str, trap: &Trap) -> Error {
    let [first, second] = trap.operands;
    let message = match trap.site.kind {
        SiteKind::IndexOutOfBounds => format!("index out of bounds: the len is {second} but the index is {first}"),
        SiteKind::DivideByZero => "attempt to divide by zero".to_owned(),
        SiteKind::RemainderByZero => "attempt to calculate the remainder with a divisor of zero".to_owned(),
        SiteKind::DivideOverflow => "attempt to divide with overflow".to_owned(),
        SiteKind::RemainderOverflow => "attempt to calculate the remainder with overflow".to_owned(),
        // The operands' type is not in the record: the text beside the message shows what was written.
        SiteKind::ClampBounds => "clamp with min > max, or a bound that is NaN".to_owned(),
    };
    Error::KernelPanic {
        kernel,
        message,
        text: trap.site.text,
        file: trap.site.location.file,
        line: trap.site.location.line,
        column: trap.site.location.column,
        invocation: trap.invocation,
        count: trap.count,
    }
}

/// What a device's trap record says about a launch; `None` when nothing trapped.
pub(crate) fn read_record(descriptor: &'static KernelDescriptor, record: &TrapRecord) -> Option<Trap> {
    let index = (record.claimed as usize).checked_sub(1)?;
    // A record that names no site can only come from a broken driver; it must still not go unseen.
    let unknown = gridwise_ir::descriptor::Site {
        kind: SiteKind::IndexOutOfBounds,
        location: descriptor.location,
        text: descriptor.name,
    };
    let site = descriptor.sites.get(index).copied().unwrap_or(unknown);
    Some(Trap { site, operands: record.operands, invocation: record.invocation, count: record.count })
}
