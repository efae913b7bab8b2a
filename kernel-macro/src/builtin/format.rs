//! Format strings as `std::fmt` has them: which arguments they name, and what each must be able to do. Writes no text.

/// A format string, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormatString {
    pub(crate) placeholders: Vec<Placeholder>,
}

/// `{…}`: an argument and how it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placeholder {
    pub(crate) argument: Argument,
    pub(crate) style: Style,
    /// Arguments that give the width and the precision.
    pub(crate) counts: Vec<Argument>,
}

/// The argument that a placeholder names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Argument {
    Position(usize),
    Name(String),
}

/// The trait that shows an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `{}`
    Display,
    /// `{:?}` and its like.
    Debug,
    /// `{:x}`, `{:X}`, `{:o}`, `{:b}`
    Bits,
    /// `{:e}`, `{:E}`
    Exponent,
    /// The argument is a width or precision.
    Count,
}

/// A fault of a format string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormatError {
    pub(crate) message: String,
    pub(crate) help: Option<&'static str>,
}

impl FormatError {
    fn new(message: impl Into<String>, help: Option<&'static str>) -> Self {
        Self { message: message.into(), help }
    }
}

/// Reads a format string.
pub(crate) fn parse_format(text: &str) -> Result<FormatString, FormatError> {
    let mut placeholders = Vec::new();
    let mut next = 0;
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let brace = &rest[at..=at];
        let behind = &rest[at + 1..];
        if let Some(escaped) = behind.strip_prefix(brace) {
            rest = escaped;
            continue;
        }
        if brace == "}" {
            return Err(FormatError::new("unmatched `}` in the format string", Some("write `}}` for a brace")));
        }
        let Some(end) = behind.find('}') else {
            return Err(FormatError::new("`{` without `}` in the format string", Some("write `{{` for a brace")));
        };
        placeholders.push(placeholder(&behind[..end], &mut next)?);
        rest = &behind[end + 1..];
    }
    Ok(FormatString { placeholders })
}

/// `[argument][:spec]`
fn placeholder(text: &str, next: &mut usize) -> Result<Placeholder, FormatError> {
    let (name, spec) = match text.split_once(':') {
        Some((name, spec)) => (name.trim(), spec.trim_end()),
        None => (text.trim(), ""),
    };
    let mut spec = Spec { text, rest: spec, counts: Vec::new() };
    let style = spec.read(next)?;
    let argument = match name {
        "" => {
            *next += 1;
            Argument::Position(*next - 1)
        }
        name => argument(name).ok_or_else(|| {
            FormatError::new(
                format!("`{{{text}}}` shows an expression, but a placeholder takes a name or number only"),
                Some("give the expression as an argument: `\"{}\", expression`"),
            )
        })?,
    };
    Ok(Placeholder { argument, style, counts: spec.counts })
}

fn argument(name: &str) -> Option<Argument> {
    if let Ok(position) = name.parse() {
        return Some(Argument::Position(position));
    }
    if name == "self" {
        return Some(Argument::Name(name.to_owned()));
    }
    syn::parse_str::<proc_macro2::Ident>(name).ok().map(|name| Argument::Name(name.to_string()))
}

/// The part behind the colon.
struct Spec<'t> {
    /// The whole placeholder.
    text: &'t str,
    rest: &'t str,
    counts: Vec<Argument>,
}

impl Spec<'_> {
    /// `[[fill]align][sign]['#']['0'][width]['.' precision][type]`
    fn read(&mut self, next: &mut usize) -> Result<Style, FormatError> {
        let is_align = |c: Option<char>| matches!(c, Some('<' | '^' | '>'));
        let mut chars = self.rest.chars();
        let (first, second) = (chars.next(), chars.next());
        if is_align(second) {
            self.rest = chars.as_str();
        } else if is_align(first) {
            self.rest = &self.rest[1..];
        }
        self.rest = self.rest.strip_prefix(['+', '-']).unwrap_or(self.rest);
        self.rest = self.rest.strip_prefix('#').unwrap_or(self.rest);
        // `0$` is an argument, not the flag.
        if self.rest.starts_with('0') && !self.rest.starts_with("0$") {
            self.rest = &self.rest[1..];
        }
        self.count()?;
        if let Some(rest) = self.rest.strip_prefix('.') {
            self.rest = rest;
            match rest.strip_prefix('*') {
                Some(rest) => {
                    self.rest = rest;
                    self.counts.push(Argument::Position(*next));
                    *next += 1;
                }
                None => self.count()?,
            }
        }
        match self.rest {
            "" => Ok(Style::Display),
            "?" | "x?" | "X?" => Ok(Style::Debug),
            "x" | "X" | "o" | "b" => Ok(Style::Bits),
            "e" | "E" => Ok(Style::Exponent),
            "p" => Err(FormatError::new(
                format!("`{{{}}}` shows a pointer, but kernels have none", self.text),
                Some("show the value, `{}`, or the index it was read at"),
            )),
            other => Err(FormatError::new(
                format!("unknown format `{other}` in `{{{}}}`", self.text),
                Some("the formats are none, `?`, `x`, `X`, `o`, `b`, `e`, `E`, after width and precision: `{:08.3}`"),
            )),
        }
    }

    /// A number, or `argument$`.
    fn count(&mut self) -> Result<(), FormatError> {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
        let (name, behind) = self.rest.split_at(end);
        if let Some(behind) = behind.strip_prefix('$') {
            let unknown = || FormatError::new(format!("`{name}$` names no argument"), None);
            self.counts.push(argument(name).ok_or_else(unknown)?);
            self.rest = behind;
            return Ok(());
        }
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        Ok(())
    }
}

/// Text with its braces doubled, so that a format string shows it as it is.
pub(crate) fn escape(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let argument = |argument: &Argument| match argument {
            Argument::Position(position) => position.to_string(),
            Argument::Name(name) => name.clone(),
        };
        match parse_format(text) {
            Ok(format) => {
                let show = |it: &Placeholder| {
                    let counts: Vec<_> = it.counts.iter().map(argument).collect();
                    format!("{}:{:?}{}", argument(&it.argument), it.style, counts.join("$"))
                };
                format.placeholders.iter().map(show).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.message,
        }
    }

    #[test]
    fn arguments_and_styles() {
        assert_eq!(show("plain {{}} text"), "");
        assert_eq!(show("{} {x} {0} {:?}"), "0:Display x:Display 0:Display 1:Debug");
        assert_eq!(show("{:#010x}{:+e}{:#?}{:02X?}{:b}"), "0:Bits 1:Exponent 2:Debug 3:Debug 4:Bits");
        assert_eq!(show("{:>8.3}{: <5}{:*^+9}"), "0:Display 1:Display 2:Display");
        assert_eq!(show("{:1$} {x:width$.prec$} {:0$}"), "0:Display1 x:Displaywidth$prec 1:Display0");
        assert_eq!(show("{:.*} {}"), "1:Display0 2:Display");
        assert_eq!(show("{ x } {r#type} {self:?}"), "x:Display r#type:Display self:Debug");
    }

    #[test]
    fn mistakes() {
        assert_eq!(show("a } b"), "unmatched `}` in the format string");
        assert_eq!(show("a { b"), "`{` without `}` in the format string");
        assert_eq!(show("{a.b}"), "`{a.b}` shows an expression, but a placeholder takes a name or number only");
        assert_eq!(show("{:p}"), "`{:p}` shows a pointer, but kernels have none");
        assert_eq!(show("{:y}"), "unknown format `y` in `{:y}`");
        assert_eq!(show("{:d}"), "unknown format `d` in `{:d}`");
    }
}
