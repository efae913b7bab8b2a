//! A variant of a module that the back end wrote: the code of one pipeline, and nothing else. A driver parses whatever
//! it is given.
//!
//! A kernel's module has up to two entry points, and specialization constants that choose between code with checks and
//! code without. Here one entry point is chosen and the constants become ordinary ones; then goes what they decide:
//! branches on known conditions, blocks that nothing leads to, values that nothing uses, functions, types, constants,
//! variables and decorations of all that, and names and lines unless asked for; and calls of functions of which one
//! instruction is left. The variant computes the same as the whole module under the same entry point and constants.
//! Only modules that [`spirv`](crate::spirv) wrote are read; it knows no others.
//!
//! Every step is linear in the words.
//!
//! The variant is what pipelines are cached by. Making one takes about 10 ns a word.

mod addressed;
mod buffered;
mod gathered;
mod inline;
mod keep;
mod scans;
mod shape;
mod survey;
mod tally;
mod write;
mod zeros;

use std::fmt;

use crate::faults::{Fault, Faults};
pub use addressed::{AddressDesc, loaded_beside_divisions, with_addresses};
pub use buffered::with_buffered_push;
pub use gathered::without_gathering;
use survey::Survey;
pub use tally::{Tally, tally};

/// The choice of a variant.
#[derive(Debug, Clone, Copy)]
pub struct VariantDesc<'a> {
    /// Name of the entry point.
    pub entry_point: &'a str,
    /// Ids of specialization constants with the bits of their values; others have their defaults.
    pub constants: &'a [(u32, u64)],
    /// Whether names, lines and sources stay, for tools.
    pub keeps_names: bool,
    /// The driver's faults that the variant avoids.
    pub faults: Faults,
}

/// Why there is no such variant: the words are none that the back end wrote, or it has no such entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariantError {
    /// Position of the word that it was found at.
    pub word: usize,
    /// The fault, in words.
    pub cause: &'static str,
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (word {})", self.cause, self.word)
    }
}

impl std::error::Error for VariantError {}

/// The words of a variant.
///
/// ```
/// use gridwise_ir::faults::Faults;
/// use gridwise_ir::variant::{VariantDesc, variant};
///
/// let desc = VariantDesc { entry_point: "main", constants: &[], keeps_names: false, faults: Faults::NONE };
/// assert_eq!(variant(&[0x0723_0203], &desc).unwrap_err().cause, "it is shorter than its header");
/// ```
///
/// # Errors
/// When the words are not a module of the back end's, or have no entry point of this name.
pub fn variant(words: &[u32], desc: &VariantDesc<'_>) -> Result<Vec<u32>, VariantError> {
    let mut survey = Survey::of(words, desc)?;
    survey.keep_blocks();
    while survey.settle_conditions() {
        survey.keep_blocks();
    }
    survey.keep_values(desc.keeps_names);
    survey.join_blocks();
    let mut words = write::write(survey, desc.keeps_names);
    if desc.faults.contains(Fault::LostReductions) {
        words = scans::by_scans(words);
    }
    if desc.faults.contains(Fault::SimplifiedZeros) {
        words = zeros::hide_zeros(words);
    }
    Ok(words)
}
