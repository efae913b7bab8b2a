//! A launch whose invocations may race, as the error that says so.

use std::fmt;

use crate::core::error::KernelName;

/// A condition without which invocations of a launch may access one element, one of them writing it, in no order:
/// [`Error::MayRace`](crate::Error).
///
/// ```
/// use gridwise_runtime::Error;
///
/// /// The number that a launch has too much of, if it is one.
/// fn number(error: &Error) -> Option<&(String, Option<u64>)> {
///     match error {
///         Error::MayRace(race) => race.values.first(),
///         _ => None,
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "kernel `{kernel}` may race in this launch: the access at {file}:{line}:{column} needs `{condition}`, and {}; \
     change the grid or these values, or vouch for the access: `unsafe {{ y.unordered()[i] }}`",
    Values(.values, *.is_indirect)
)]
#[non_exhaustive]
pub struct MayRace {
    /// The kernel.
    pub kernel: KernelName,
    /// File of an access that needs the condition.
    pub file: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
    /// The condition.
    pub condition: String,
    /// The numbers that it names, with their values in this launch; `None` for a parameter, which has a value only when a run begins. Of an
    /// indirect grid they are the largest that the device accepts.
    pub values: Vec<(String, Option<u64>)>,
    /// Whether the grid lies on the device, so that the host cannot know whether it meets the condition.
    pub is_indirect: bool,
}

struct Values<'a>(&'a [(String, Option<u64>)], bool);

impl fmt::Display for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.0.iter().enumerate() {
            let separator = if at > 0 { ", " } else { "" };
            write!(f, "{separator}{name} is ")?;
            match value {
                Some(value) => write!(f, "{}{value}", if self.1 { "up to " } else { "" })?,
                None => f.write_str("known only when a run begins")?,
            }
        }
        if self.0.is_empty() {
            f.write_str("no launch meets it")?;
        }
        Ok(())
    }
}
