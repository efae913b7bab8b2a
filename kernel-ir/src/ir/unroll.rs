//! Unrolling: the author's request to write a loop's rounds out. It changes no result.

use std::fmt;

/// Whether a loop's rounds are to be written one after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Unroll {
    /// As the compiler and the driver see fit.
    #[default]
    Auto,
    /// All of them: by the compiler where it knows how many there are, else by the driver, if that can.
    Full,
    /// Up to so many rounds at a time: by the compiler where a counter decides how many there are, else by the driver, if that can. One at a
    /// time is what a loop has become of which that is done.
    Times(u32),
    /// Not at all.
    Never,
}

/// As in the text format, with a space before it; nothing where nothing was said.
impl fmt::Display for Unroll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => Ok(()),
            Self::Full => f.write_str(" unroll"),
            Self::Times(rounds) => write!(f, " unroll {rounds}"),
            Self::Never => f.write_str(" unroll never"),
        }
    }
}
