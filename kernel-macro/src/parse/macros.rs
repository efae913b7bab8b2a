//! The macros that kernels have: `assert!`, `panic!`, `println!`, `dbg!` and their like.

use proc_macro2::{Ident, Span};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Token};

use super::Parser;
use crate::ast::{BinaryOp, Expr, ExprKind, Format, FormatArg, MacroCall, MacroKind, Path, PrintTarget, SpanRange};
use crate::builtin::format::{Argument, FormatString, Style, parse_format};
use crate::diag::code;
use crate::source::text;

/// The arguments of a macro as written.
struct Arguments {
    operands: Vec<syn::Expr>,
    /// `None` without one; an expression where a string literal must be.
    format: Option<Result<LitStr, syn::Expr>>,
    args: Vec<(Option<Ident>, syn::Expr)>,
}

impl Arguments {
    fn parse(input: ParseStream<'_>, operands: usize) -> syn::Result<Self> {
        let mut arguments = Self { operands: Vec::new(), format: None, args: Vec::new() };
        while arguments.operands.len() < operands && !input.is_empty() {
            arguments.operands.push(input.parse()?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if input.is_empty() {
            return Ok(arguments);
        }
        let first: syn::Expr = input.parse()?;
        arguments.format = Some(match first {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Ok(text),
            other => Err(other),
        });
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let name = if input.peek(syn::Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
                let name = input.parse()?;
                input.parse::<Token![=]>()?;
                Some(name)
            } else {
                None
            };
            arguments.args.push((name, input.parse()?));
        }
        Ok(arguments)
    }
}

/// Expressions between commas.
struct List(Vec<syn::Expr>);

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self(input.parse_terminated(syn::Expr::parse, Token![,])?.into_iter().collect()))
    }
}

impl MacroKind {
    /// The macro with this name, and whether it is there with debug assertions only.
    fn from_name(name: &str) -> Option<(Self, bool)> {
        let print = |target, newline| Self::Print { target, newline };
        let kind = match name.strip_prefix("debug_").unwrap_or(name) {
            "assert" => Self::Assert,
            "assert_eq" => Self::AssertEq,
            "assert_ne" => Self::AssertNe,
            _ if name.starts_with("debug_") => return None,
            "panic" => Self::Panic("explicit panic"),
            "unreachable" => Self::Panic("internal error: entered unreachable code"),
            "todo" => Self::Panic("not yet implemented"),
            "unimplemented" => Self::Panic("not implemented"),
            "println" => print(PrintTarget::Out, true),
            "print" => print(PrintTarget::Out, false),
            "eprintln" => print(PrintTarget::Error, true),
            "eprint" => print(PrintTarget::Error, false),
            "dbg" => Self::Dbg,
            _ => return None,
        };
        Some((kind, name.starts_with("debug_")))
    }

    /// How many expressions stand before the message.
    const fn operands(self) -> usize {
        match self {
            Self::Assert => 1,
            Self::AssertEq | Self::AssertNe => 2,
            Self::Panic(_) | Self::Print { .. } | Self::Dbg | Self::Unwrap { .. } => 0,
        }
    }
}

impl Parser<'_> {
    /// A macro call, if kernels have the macro.
    pub(super) fn known_macro(&mut self, call: &syn::Macro) -> Option<Expr> {
        let segments = &call.path.segments;
        let name = &segments.last()?.ident;
        let is_std = segments.len() == 1 || matches!(segments[0].ident.to_string().as_str(), "std" | "core");
        let (kind, debug) = MacroKind::from_name(&name.to_string()).filter(|_| is_std)?;
        self.has_debug |= debug;
        let end = match &call.delimiter {
            syn::MacroDelimiter::Paren(token) => token.span.close(),
            syn::MacroDelimiter::Brace(token) => token.span.close(),
            syn::MacroDelimiter::Bracket(token) => token.span.close(),
        };
        let span = SpanRange { start: segments[0].ident.span(), end };
        let id = self.next_expr();
        let kind = match self.macro_body(call, name, kind, debug) {
            Some(call) => ExprKind::Macro(Box::new(call)),
            None => ExprKind::Error,
        };
        Some(Expr { id, kind, span })
    }

    fn macro_body(&mut self, call: &syn::Macro, name: &Ident, kind: MacroKind, debug: bool) -> Option<MacroCall> {
        let path = call.path.clone();
        if kind == MacroKind::Dbg {
            let List(values) = self.readable(call.parse_body())?;
            let operands = self.list(&values);
            return Some(MacroCall { path, name: name.clone(), kind, debug, operands, message: None });
        }
        let arguments = call.parse_body_with(|input: ParseStream<'_>| Arguments::parse(input, kind.operands()));
        let Arguments { operands, format, args } = self.readable(arguments)?;
        if operands.len() < kind.operands() {
            let expected = kind.operands();
            let plural = if expected == 1 { "" } else { "s" };
            let message = format!("`{name}!` takes {expected} value{plural}, and a message if you like");
            self.error(code::WRONG_ARGUMENTS, SpanRange::token(name.span()), message);
            return None;
        }
        let mut operands = self.list(&operands);
        if let MacroKind::AssertEq | MacroKind::AssertNe = kind
            && let (Some(right), Some(left)) = (operands.pop(), operands.pop())
        {
            let op = if kind == MacroKind::AssertEq { BinaryOp::Eq } else { BinaryOp::Ne };
            let span = SpanRange { start: left.span.start, end: right.span.end };
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right), name.span());
            operands.push(self.node(kind, span));
        }
        let message = match format {
            None => None,
            Some(Err(other)) => {
                let other = self.expr(&other);
                let help = format!("write `{name}!({}\"{{}}\", {})`", before(kind, &operands), text(&other));
                let message = format!("the message of `{name}!` must be a string literal");
                self.error(code::BAD_FORMAT, other.span, message).help(help);
                return None;
            }
            Some(Ok(literal)) => Some(self.format(literal, args)?),
        };
        Some(MacroCall { path, name: name.clone(), kind, debug, operands, message })
    }

    /// Whether a method is one of those that panic on `None` or `Err`, and the message it has.
    pub(super) fn unwrapping(&mut self, call: &syn::ExprMethodCall) -> Option<Option<LitStr>> {
        let name = call.method.to_string();
        match (name.as_str(), call.args.first()) {
            ("unwrap" | "unwrap_err", None) => Some(None),
            ("expect" | "expect_err", Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })))
                if call.args.len() == 1 =>
            {
                Some(Some(text.clone()))
            }
            _ => None,
        }
    }

    pub(super) fn unwrap(&mut self, call: &syn::ExprMethodCall, receiver: Expr, message: Option<LitStr>) -> ExprKind {
        let kind = MacroKind::Unwrap { bad: call.method.to_string().ends_with("_err") };
        let message = message.map(|literal| Format { literal, args: Vec::new() });
        let (path, name, operands) = (call.method.clone().into(), call.method.clone(), vec![receiver]);
        ExprKind::Macro(Box::new(MacroCall { path, name, kind, debug: false, operands, message }))
    }

    /// The parsed value; syntax errors are reported.
    fn readable<T>(&mut self, parsed: syn::Result<T>) -> Option<T> {
        match parsed {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.error(code::BAD_FORMAT, SpanRange::token(error.span()), error.to_string());
                None
            }
        }
    }

    /// A format string with its arguments; `None` after an error.
    fn format(&mut self, literal: LitStr, args: Vec<(Option<Ident>, syn::Expr)>) -> Option<Format> {
        let span = literal.span();
        let args: Vec<_> = args.into_iter().map(|(name, value)| (name, self.expr(&value))).collect();
        let format = match parse_format(&literal.value()) {
            Ok(format) => format,
            Err(error) => {
                let diagnostic = self.error(code::BAD_FORMAT, SpanRange::token(span), error.message);
                error.help.iter().for_each(|help| {
                    diagnostic.help(help);
                });
                return None;
            }
        };
        let mut format_args: Vec<FormatArg> = args
            .into_iter()
            .map(|(name, value)| FormatArg { name, is_captured: false, value, uses: Vec::new() })
            .collect();
        if self.link(&format, &mut format_args, span) { Some(Format { literal, args: format_args }) } else { None }
    }

    /// Finds out how each argument is used, and adds those that the string captures; false after an error.
    fn link(&mut self, format: &FormatString, args: &mut Vec<FormatArg>, span: Span) -> bool {
        let given = args.len();
        let mut fits = true;
        for placeholder in &format.placeholders {
            let counts = placeholder.counts.iter().map(|count| (count, Style::Count));
            for (argument, style) in [(&placeholder.argument, placeholder.style)].into_iter().chain(counts) {
                let position = match argument {
                    Argument::Position(position) if *position < given => *position,
                    Argument::Position(position) => {
                        let plural = if given == 1 { " is" } else { "s are" };
                        let needed = position + 1;
                        let message =
                            format!("the format string takes {needed} arguments, but {given} argument{plural} given");
                        let message = message.replace("takes 1 arguments", "takes 1 argument");
                        self.error(code::BAD_FORMAT, SpanRange::token(span), message)
                            .help("add an argument after the string, or write `{{` for a brace");
                        return false;
                    }
                    Argument::Name(name) => self.named(name, args, span),
                };
                if !args[position].uses.contains(&style) {
                    args[position].uses.push(style);
                }
            }
        }
        for arg in args.iter().filter(|arg| arg.uses.is_empty()) {
            let what = match &arg.name {
                Some(name) => format!("the argument `{name}`"),
                None => "this argument".to_owned(),
            };
            self.error(code::BAD_FORMAT, arg.value.span, format!("{what} is not in the format string"))
                .help("add `{}` to the string where it shall stand");
            fits = false;
        }
        fits
    }

    /// The position of a named argument; a name that is not given is a variable.
    fn named(&mut self, name: &str, args: &mut Vec<FormatArg>, span: Span) -> usize {
        if let Some(known) = args.iter().position(|arg| arg.name.as_ref().is_some_and(|known| *known == name)) {
            return known;
        }
        let ident = match name.strip_prefix("r#") {
            Some(raw) => Ident::new_raw(raw, span),
            None => Ident::new(name, span),
        };
        let path = Path::plain(false, vec![ident.clone()]);
        let value = self.node(ExprKind::Path(path), SpanRange::token(span));
        args.push(FormatArg { name: Some(ident), is_captured: true, value, uses: Vec::new() });
        args.len() - 1
    }
}

/// The operands before a message, for a suggestion.
fn before(kind: MacroKind, operands: &[Expr]) -> String {
    let show = |operand: &Expr| match &operand.kind {
        ExprKind::Binary(_, left, right, _) if kind != MacroKind::Assert => {
            format!("{}, {}, ", text(left), text(right))
        }
        _ => format!("{}, ", text(operand)),
    };
    operands.iter().map(show).collect()
}
