//! Calls of the macros that kernels have, with their format strings; not what these print.

use proc_macro2::Ident;

use super::Expr;
use crate::builtin::format::Style;

/// A call of a macro that kernels have.
#[derive(Debug, Clone)]
pub(crate) struct MacroCall {
    /// The path as written.
    pub(crate) path: syn::Path,
    /// Its last segment.
    pub(crate) name: Ident,
    pub(crate) kind: MacroKind,
    /// `debug_assert!` and its like.
    pub(crate) debug: bool,
    /// The condition of an assertion (of `assert_eq!` the comparison), the values of `dbg!`.
    pub(crate) operands: Vec<Expr>,
    pub(crate) message: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MacroKind {
    Assert,
    AssertEq,
    AssertNe,
    /// `panic!` and its like, with what they say before a message.
    Panic(&'static str),
    Print {
        target: PrintTarget,
        newline: bool,
    },
    Dbg,
    /// `x.unwrap()` and `x.expect("…")`, which are methods; with `bad`, those that want an `Err`.
    Unwrap {
        bad: bool,
    },
}

/// A standard stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrintTarget {
    Out,
    Error,
}

/// A format string with its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Format {
    pub(crate) literal: syn::LitStr,
    /// Those given, in order, then those that the string captures.
    pub(crate) args: Vec<FormatArg>,
}

/// An argument of a format string.
#[derive(Debug, Clone)]
pub(crate) struct FormatArg {
    pub(crate) name: Option<Ident>,
    /// `{x}` without an argument `x`: the variable.
    pub(crate) is_captured: bool,
    pub(crate) value: Expr,
    /// All ways in which the string shows it.
    pub(crate) uses: Vec<Style>,
}

impl MacroCall {
    /// All expressions in it.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.operands.iter().chain(self.format_args().iter().map(|arg| &arg.value))
    }

    /// The arguments of its message.
    pub(crate) fn format_args(&self) -> &[FormatArg] {
        self.message.as_ref().map_or(&[], |format| &format.args)
    }
}
