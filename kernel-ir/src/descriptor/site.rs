//! The places of a kernel that can trap or print.

use std::fmt;

use super::Location;

/// A place in a kernel that can trap or print.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    /// The kind of fault.
    pub kind: SiteKind,
    /// The place in the user's source.
    pub location: Location,
    /// The source text of the expression, for the message (`y[i + 1]`).
    pub text: &'static str,
    /// The text that panics and prints are recorded for.
    pub message: Option<Message>,
}

/// The text of a panic or print: how many words its arguments take in a record, and how they become text.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    /// Words of the arguments, in order.
    pub words: u32,
    /// Writes the text of arguments with these words.
    pub write: fn(&mut dyn fmt::Write, &[u32]) -> fmt::Result,
}

impl PartialEq for Site {
    /// Sites are equal when they stand at the same place; what is written there is the same then.
    fn eq(&self, other: &Self) -> bool {
        (self.kind, self.location, self.text) == (other.kind, other.location, other.text)
    }
}

impl Eq for Site {}

impl Site {
    /// A site from its parts, which are the same in all generated code.
    pub const fn new(kind: SiteKind, file: &'static str, line: u32, column: u32, text: &'static str) -> Self {
        Self { kind, location: Location { file, line, column }, text, message: None }
    }

    /// The site of an index.
    pub const fn index(file: &'static str, line: u32, column: u32, text: &'static str) -> Self {
        Self::new(SiteKind::IndexOutOfBounds, file, line, column, text)
    }
}

/// The kind of fault at a trap site, which gives the record's two operands their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// An index past the end; operands: index, length.
    IndexOutOfBounds,
    /// `/` with a zero divisor.
    DivideByZero,
    /// `%` with a zero divisor.
    RemainderByZero,
    /// `i32::MIN / -1`.
    DivideOverflow,
    /// `i32::MIN % -1`.
    RemainderOverflow,
    /// `clamp` with `min > max` or a NaN bound.
    ClampBounds,
    /// `panic!`, a failed `assert!` and their like; operands: the words of the message's arguments.
    Panic,
    /// `println!` and `print!`; operands: the words of the arguments.
    Print,
    /// `eprintln!`, `eprint!` and `dbg!`; operands: the words of the arguments.
    PrintError,
}

impl SiteKind {
    /// The variant's name, as generated code writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IndexOutOfBounds => "IndexOutOfBounds",
            Self::DivideByZero => "DivideByZero",
            Self::RemainderByZero => "RemainderByZero",
            Self::DivideOverflow => "DivideOverflow",
            Self::RemainderOverflow => "RemainderOverflow",
            Self::ClampBounds => "ClampBounds",
            Self::Panic => "Panic",
            Self::Print => "Print",
            Self::PrintError => "PrintError",
        }
    }
}
