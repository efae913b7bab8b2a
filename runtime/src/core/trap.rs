//! Turns trap records into errors with Rust's own messages.

use gridwise_ir::descriptor::{KernelDescriptor, Site, SiteKind, TrapRecord};

use crate::core::error::Error;

/// The first trap of a launch, and how many there were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trap {
    /// The site, with place and kind.
    pub site: Site,
    /// Rust's message for it.
    pub message: String,
    /// Global id of the invocation.
    pub invocation: [u32; 3],
    /// Traps of the launch in all.
    pub count: u32,
}

/// Rust's message for a trap at this site.
pub(crate) fn message_of(site: &Site, operands: &[u32]) -> String {
    let operand = |index: usize| operands.get(index).copied().unwrap_or_default();
    match site.kind {
        SiteKind::IndexOutOfBounds => {
            format!("index out of bounds: the len is {} but the index is {}", operand(1), operand(0))
        }
        SiteKind::DivideByZero => "attempt to divide by zero".to_owned(),
        SiteKind::RemainderByZero => "attempt to calculate the remainder with a divisor of zero".to_owned(),
        SiteKind::DivideOverflow => "attempt to divide with overflow".to_owned(),
        SiteKind::RemainderOverflow => "attempt to calculate the remainder with overflow".to_owned(),
        // The operands' type is not in the record: the text beside the message shows what was written.
        SiteKind::ClampBounds => "clamp with min > max, or a bound that is NaN".to_owned(),
        SiteKind::Panic | SiteKind::Print | SiteKind::PrintError => {
            let mut text = String::new();
            if let Some(message) = site.message.filter(|message| message.words as usize <= operands.len()) {
                // Writing to a string fails only when some `Debug` gives up; what it wrote until then is kept.
                let _ = (message.write)(&mut text, operands);
            }
            text
        }
    }
}

/// The error of a launch that trapped.
pub(crate) fn panic_error(kernel: &'static str, trap: Trap) -> Error {
    Error::KernelPanic {
        kernel: kernel.into(),
        message: trap.message,
        text: trap.site.text,
        file: trap.site.location.file,
        line: trap.site.location.line,
        column: trap.site.location.column,
        invocation: trap.invocation,
        count: trap.count,
    }
}

/// The first trap of a launch, from a device's trap record; `None` when nothing trapped.
pub(crate) fn read_record(
    descriptor: &'static KernelDescriptor,
    record: &TrapRecord,
    operands: &[u32],
) -> Option<Trap> {
    let index = (record.claimed as usize).checked_sub(1)?;
    // A record that names no site can only come from a broken driver; it must still not go unseen.
    let unknown =
        Site { kind: SiteKind::IndexOutOfBounds, location: descriptor.location, text: descriptor.name, message: None };
    let site = descriptor.sites.get(index).copied().unwrap_or(unknown);
    let message = message_of(&site, operands);
    Some(Trap { site, message, invocation: record.invocation, count: record.count })
}
