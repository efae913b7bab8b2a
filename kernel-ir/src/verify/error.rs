//! Errors of the verifier.

use std::fmt;

use crate::ir::{FunctionId, SourceLocation};

/// The item of the checklist that is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum VerifyErrorKind {
    /// A type that no value can have.
    MalformedType,
    /// An id that names nothing.
    UnknownId,
    /// The kernel's function or workgroup.
    KernelInterface,
    /// A buffer element or parameter without a memory layout.
    Layout,
    /// A block with several owners, or with parameters where none may be.
    BlockOwner,
    /// An instruction in several places.
    InstPlacement,
    /// A terminator that is missing or not the last.
    Terminator,
    /// A value defined more than once, or by nothing.
    Definition,
    /// A value used where it is not in scope.
    Scope,
    /// Values of `yield`, `break` or `continue`, or first values of a loop, that do not fit.
    Arguments,
    /// `yield` outside `if` and `switch`, `break` or `continue` of no enclosing loop.
    Target,
    /// Code where control never comes.
    Unreachable,
    /// `return` that does not fit the function.
    Return,
    /// An instruction with the wrong number of results, or a result of the wrong type.
    Result,
    /// Operands that do not fit.
    Operand,
    /// A member that is not there, or of another type.
    Member,
    /// A call that does not fit, recurs, or calls the kernel.
    Call,
    /// A place that leads nowhere, or is not allowed there.
    Place,
    /// A store to a buffer that is not writable.
    ReadOnly,
    /// A trap site of the wrong kind.
    Site,
    /// A memory order or scope that the instruction does not have.
    Order,
}

/// One violation of the checklist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct VerifyError {
    /// The rule that is broken.
    pub kind: VerifyErrorKind,
    /// The fault, in a sentence.
    pub message: String,
    /// The function it is in, if any.
    pub function: Option<FunctionId>,
    /// The entity: `%3`, `inst4`, `block2`, `buffer0`, ….
    pub entity: String,
    /// The line of the instruction in the text format, if it is about one.
    pub text: Option<String>,
    /// The place in the user's source, if that is known.
    pub location: Option<SourceLocation>,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.function.map(|id| id.to_string()).filter(|id| *id != self.entity) {
            Some(function) => write!(f, "{function} {}", self.entity)?,
            None => write!(f, "{}", self.entity)?,
        }
        if let Some(SourceLocation { file, line, column }) = self.location {
            write!(f, " @{file}:{line}:{column}")?;
        }
        write!(f, ": {:?}: {}", self.kind, self.message)?;
        self.text.as_ref().map_or(Ok(()), |text| write!(f, ", in `{text}`"))
    }
}

/// All violations found in a module; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct VerifyErrors(pub(super) Vec<VerifyError>);

impl VerifyErrors {
    /// The violations, in order of the text.
    pub fn errors(&self) -> &[VerifyError] {
        &self.0
    }
}

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if index == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}
