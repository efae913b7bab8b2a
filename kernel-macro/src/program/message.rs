//! Messages of panics and prints: the whole format string, the arguments in the order of their words, the types of these.

use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, Format, MacroCall, MacroKind};
use crate::builtin::format::escape;
use crate::builtin::iteration::Parts;
use crate::program::Program;
use crate::source::{location, text};
use crate::typed::{Ty, TypedFn};

/// A message with the types of its arguments: what the host needs to make a text of their words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    pub(crate) format: String,
    pub(crate) args: Vec<(Option<Ident>, Ty)>,
}

impl Message {
    /// The format, if it shows no values.
    pub(crate) fn without_values(&self) -> Option<String> {
        self.args.is_empty().then(|| self.format.clone())
    }
}

/// A message as its call has it.
#[derive(Debug)]
pub(crate) struct MessageParts<'e> {
    pub(crate) format: String,
    pub(crate) args: Vec<(Option<Ident>, Arg<'e>)>,
}

/// An argument of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arg<'e> {
    /// Evaluated for the message.
    Own(&'e Expr),
    /// A side of a comparison, or the value of a `dbg!`: evaluated before.
    Known(&'e Expr),
    /// A part of a value that was evaluated before.
    Part(&'e Ty),
}

impl<'e> Arg<'e> {
    /// Its type.
    pub(crate) fn ty(self, typed: &'e TypedFn) -> &'e Ty {
        match self {
            Self::Own(expr) | Self::Known(expr) => typed.ty(expr.id),
            Self::Part(ty) => ty,
        }
    }
}

/// The message of an `unwrap` or its like, on a value of this type.
pub(crate) fn unwrap_message<'e>(call: &MacroCall, ty: &'e Ty) -> MessageParts<'e> {
    let own = call.message.as_ref().map(|message| escape(&message.literal.value()));
    let name = &call.name;
    let (shown, format) = match (ty, &call.kind) {
        (Ty::Result(good, _), MacroKind::Unwrap { bad: true }) => {
            (Some(&**good), own.unwrap_or_else(|| format!("called `Result::{name}()` on an `Ok` value")))
        }
        (Ty::Result(_, error), _) => {
            (Some(&**error), own.unwrap_or_else(|| format!("called `Result::{name}()` on an `Err` value")))
        }
        _ => (None, own.unwrap_or_else(|| format!("called `Option::{name}()` on a `None` value"))),
    };
    match shown {
        Some(part) => MessageParts { format: format!("{format}: {{:?}}"), args: vec![(None, Arg::Part(part))] },
        None => MessageParts { format, args: Vec::new() },
    }
}

/// A fault of the range of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SliceFault {
    /// The start lies behind the end of the whole.
    Start,
    /// The end lies behind that of the whole.
    End,
    /// The start lies behind the end.
    Order,
}

/// Rust's message for a slice whose range is wrong, with the position and the limit that it passes.
pub(crate) fn slice_message(fault: SliceFault) -> MessageParts<'static> {
    let format = match fault {
        SliceFault::Start => "range start index {} out of range for slice of length {}",
        SliceFault::End => "range end index {} out of range for slice of length {}",
        SliceFault::Order => "slice index starts at {} but ends at {}",
    };
    MessageParts { format: format.to_owned(), args: vec![(None, Arg::Part(&Ty::USIZE)); 2] }
}

/// Rust's message for a copy of another length, with both lengths.
pub(crate) fn copied_lengths_message() -> MessageParts<'static> {
    let format = "copy_from_slice: source slice length ({}) does not match destination slice length ({})";
    MessageParts { format: format.to_owned(), args: vec![(None, Arg::Part(&Ty::USIZE)); 2] }
}

/// The message for a matrix whose lines do not begin where they may, with where it begins, its stride, and of what both must be
/// multiples.
pub(crate) fn alignment_message() -> MessageParts<'static> {
    let format = "a matrix at {} with stride {}, which must be multiples of {}".to_owned();
    MessageParts { format, args: vec![(None, Arg::Part(&Ty::U32)); 3] }
}

/// The message of a call other than `dbg!`; `whole` is the call.
pub(crate) fn message_of(call: &MacroCall) -> MessageParts<'_> {
    let own = call.message.as_ref().map(|format: &Format| format.literal.value());
    let mut args: Vec<_> = call.format_args().iter().map(|arg| (arg.name.clone(), Arg::Own(&arg.value))).collect();
    let behind = |text: &Option<String>| text.as_ref().map_or(String::new(), |text| format!(": {text}"));
    let format = match call.kind {
        MacroKind::Assert => own.unwrap_or_else(|| {
            let condition = call.operands.first().map_or(String::new(), text);
            format!("assertion failed: {}", escape(&condition))
        }),
        MacroKind::AssertEq | MacroKind::AssertNe => {
            let symbol = if call.kind == MacroKind::AssertEq { "==" } else { "!=" };
            let sides = ["left", "right"].map(|side| Ident::new(&format!("__{side}"), call.name.span()));
            for (name, side) in sides.into_iter().zip(compared(call).into_iter().flatten()) {
                args.push((Some(name), Arg::Known(side)));
            }
            let own = behind(&own);
            format!("assertion `left {symbol} right` failed{own}\n  left: {{__left:?}}\n right: {{__right:?}}")
        }
        // A panic with nothing but a message says that and nothing else.
        MacroKind::Panic(what) if call.name == "panic" => own.unwrap_or_else(|| what.to_owned()),
        MacroKind::Panic(what) => format!("{what}{}", behind(&own)),
        MacroKind::Print { newline, .. } => {
            let end = if newline { "\n" } else { "" };
            format!("{}{end}", own.unwrap_or_default())
        }
        MacroKind::Dbg | MacroKind::Unwrap { .. } => String::new(),
    };
    MessageParts { format, args }
}

/// The message of a `dbg!` for one of its values, or for none.
pub(crate) fn dbg_message<'e>(whole: &Expr, value: Option<&'e Expr>) -> MessageParts<'e> {
    let (file, line, column) = location(whole.span.start);
    let place = escape(&format!("[{file}:{line}:{column}]"));
    match value {
        Some(value) => MessageParts {
            format: format!("{place} {} = {{:#?}}\n", escape(&text(value))),
            args: vec![(None, Arg::Known(value))],
        },
        None => MessageParts { format: format!("{place}\n"), args: Vec::new() },
    }
}

/// Rust's message for the bounds of `Ord::clamp`.
pub(crate) const CLAMP_BOUNDS: &str = "assertion failed: min <= max";

/// Rust's message for `step_by(0)`.
pub(crate) fn zero_step_message() -> MessageParts<'static> {
    MessageParts { format: "assertion failed: step != 0".to_owned(), args: Vec::new() }
}

/// Rust's message for slices without elements: `windows(0)` and its like.
pub(crate) fn zero_size_message(parts: Parts) -> MessageParts<'static> {
    let what = if parts == Parts::Windows { "window" } else { "chunk" };
    MessageParts { format: format!("{what} size must be non-zero"), args: Vec::new() }
}

/// Rust's message for a slice that is split behind its end.
pub(crate) fn split_message() -> MessageParts<'static> {
    MessageParts { format: "mid > len".to_owned(), args: Vec::new() }
}

/// Rust's message for a slice that is rotated by more elements than it has.
pub(crate) fn rotated_message(right: bool) -> MessageParts<'static> {
    let format = if right { "assertion failed: k <= self.len()" } else { "assertion failed: mid <= self.len()" };
    MessageParts { format: format.to_owned(), args: Vec::new() }
}

/// Both sides of an `assert_eq!` or `assert_ne!`.
pub(crate) fn compared(call: &MacroCall) -> Option<[&Expr; 2]> {
    match &call.operands.first()?.kind {
        ExprKind::Binary(_, left, right, _) => Some([left, right]),
        _ => None,
    }
}

/// How many words a value takes in a record.
pub(crate) fn word_count(program: &Program, ty: &Ty) -> u32 {
    let sum = |types: &[Ty]| types.iter().map(|ty| word_count(program, ty)).fold(0, u32::saturating_add);
    match ty {
        Ty::Scalar(scalar) => scalar.bits().div_ceil(32),
        Ty::Vector(_, lanes) => u32::from(*lanes),
        Ty::Matrix(size) => u32::from(*size) * u32::from(*size),
        Ty::Quat => u32::from(crate::builtin::matrix::QUAT_LANES),
        Ty::Array(element, len) => word_count(program, element).saturating_mul(len.known().unwrap_or(u32::MAX)),
        Ty::Tuple(members) => sum(members),
        Ty::Range(value, inclusive) => {
            word_count(program, value).saturating_mul(2).saturating_add(u32::from(*inclusive))
        }
        Ty::Struct(..) => sum(&program.fields_of(ty)),
        Ty::Unit
        | Ty::Never
        | Ty::Error
        | Ty::Const(_)
        | Ty::Chosen(_)
        | Ty::Param(_)
        | Ty::Closure(..)
        | Ty::Iterator(_)
        | Ty::ConversionError(_)
        | Ty::Buffer { .. }
        | Ty::Image(_)
        | Ty::Shared(_)
        | Ty::Coop(_)
        | Ty::Atomic(_) => 0,
        Ty::Enum(_, _) | Ty::Option(_) | Ty::Result(..) | Ty::Ordering => {
            let variants = program.variants_of(ty).unwrap_or_default();
            variants.iter().map(|members| sum(members)).fold(1, u32::saturating_add)
        }
    }
}
