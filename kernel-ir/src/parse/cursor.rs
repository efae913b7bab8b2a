//! A position in the text and the tokens read there; knows no grammar.

use std::str::FromStr;

use super::ParseError;
use crate::arena::EntityId;

pub(super) type Result<T> = std::result::Result<T, ParseError>;

/// The parser's position in the text.
pub(super) struct Cursor<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, position: 0 }
    }

    /// The rest of the text behind spaces and comments.
    fn rest(&mut self) -> &'t str {
        loop {
            let rest = &self.text[self.position..];
            let trimmed = rest.trim_start();
            self.position += rest.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return trimmed;
            }
            self.position += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// The position of the next token, for [`Self::reset`].
    pub(super) fn mark(&mut self) -> usize {
        self.rest();
        self.position
    }

    /// Goes back to a mark, for an error about what stands there.
    pub(super) fn reset(&mut self, mark: usize) {
        self.position = mark;
    }

    /// An error at the next token.
    pub(super) fn error<T>(&mut self, message: impl Into<String>) -> Result<T> {
        self.rest();
        let before = &self.text[..self.position];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Err(ParseError {
            line: before.matches('\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
            message: message.into(),
        })
    }

    /// The error that something else stands where `what` should.
    pub(super) fn expected<T>(&mut self, what: &str) -> Result<T> {
        let found = self.found();
        self.error(format!("expected {what}, found {found}"))
    }

    fn found(&mut self) -> String {
        let rest = self.rest();
        let run = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        match rest.chars().next() {
            None => "the end".to_owned(),
            Some(_) if run > 0 => format!("`{}`", &rest[..run]),
            Some(other) => format!("`{other}`"),
        }
    }

    /// Whether the next token is this punctuation; moves past it if so.
    pub(super) fn eat(&mut self, punctuation: &str) -> bool {
        let found = self.rest().starts_with(punctuation);
        if found {
            self.position += punctuation.len();
        }
        found
    }

    pub(super) fn expect(&mut self, punctuation: &str) -> Result<()> {
        if self.eat(punctuation) { Ok(()) } else { self.expected(&format!("`{punctuation}`")) }
    }

    /// The `;` of an array type, the only one that does not start a comment.
    pub(super) fn expect_array_semicolon(&mut self) -> Result<()> {
        let rest = &self.text[self.position..];
        match rest.trim_start().strip_prefix(';') {
            Some(behind) => {
                self.position += rest.len() - behind.len();
                Ok(())
            }
            None => self.expected("`;`"),
        }
    }

    /// Whether the next token is this punctuation.
    pub(super) fn is_at(&mut self, punctuation: &str) -> bool {
        self.rest().starts_with(punctuation)
    }

    /// The next token, when it is a word: letters, digits, underscores.
    pub(super) fn peek_word(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let word = &rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())];
        (!word.is_empty()).then_some(word)
    }

    /// Moves past a token seen with [`Self::peek_word`] or [`Self::peek_literal`].
    pub(super) fn skip_word(&mut self, word: &str) {
        debug_assert!(self.is_at(word));
        self.position += word.len();
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        if found {
            self.position += word.len();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// A decimal `u32`.
    pub(super) fn number<N: FromStr>(&mut self) -> Result<N> {
        match self.peek_word().and_then(|word| word.parse().ok().map(|number| (word, number))) {
            Some((word, number)) => {
                self.skip_word(word);
                Ok(number)
            }
            None => self.expected("a number"),
        }
    }

    /// The number of an id with this prefix, when one is next; moves past it.
    pub(super) fn eat_id<I: EntityId>(&mut self, prefix: &str) -> Option<I> {
        let digits = self.peek_word()?.strip_prefix(prefix)?;
        let number: u32 = digits.parse().ok()?;
        self.position += prefix.len() + digits.len();
        Some(I::new(number as usize))
    }

    /// An id with this prefix.
    pub(super) fn id<I: EntityId>(&mut self, prefix: &str) -> Result<I> {
        match self.eat_id(prefix) {
            Some(id) => Ok(id),
            None => self.expected(&format!("a `{prefix}` id")),
        }
    }

    /// Whether the next token is an id with this prefix.
    pub(super) fn is_at_id(&mut self, prefix: &str) -> bool {
        let digits = self.peek_word().and_then(|word| word.strip_prefix(prefix));
        digits.is_some_and(|digits| digits.parse::<u32>().is_ok())
    }

    /// The id of a declaration, which must be the next of its list.
    pub(super) fn declared<I: EntityId>(&mut self, prefix: &str, next: usize) -> Result<I> {
        let next = I::new(next);
        if self.eat_word(&next.to_string()) {
            Ok(next)
        } else {
            self.expected(&format!("`{next}`, the next {prefix} id"))
        }
    }

    /// An identifier or string.
    pub(super) fn name(&mut self) -> Result<String> {
        if self.is_at("\"") {
            return self.string();
        }
        match self.peek_word() {
            Some(word) => {
                self.skip_word(word);
                Ok(word.to_owned())
            }
            None => self.expected("a name"),
        }
    }

    /// A string with Rust's escapes.
    pub(super) fn string(&mut self) -> Result<String> {
        let rest = self.rest();
        let mut chars = rest.char_indices();
        if chars.next().is_none_or(|(_, c)| c != '"') {
            return self.expected("a string");
        }
        let mut out = String::new();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.position += at + 1;
                    return Ok(out);
                }
                '\\' => match escape(&mut chars) {
                    Some(c) => out.push(c),
                    None => return self.error("expected an escape of Rust in the string"),
                },
                _ => out.push(c),
            }
        }
        self.error("expected a string, found no `\"` at its end")
    }

    /// The next token, when it may be a number of any kind: `-1.5e-7f32`.
    pub(super) fn peek_literal(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let mut previous = ' ';
        let is_part = |c: char, previous: char| {
            is_word(c) || c == '.' || (matches!(c, '-' | '+') && matches!(previous, ' ' | 'e' | 'E'))
        };
        let end = rest.find(|c: char| !is_part(c, std::mem::replace(&mut previous, c))).unwrap_or(rest.len());
        (end > 0).then(|| &rest[..end])
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Reads the escape behind a backslash.
fn escape(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    Some(match chars.next()?.1 {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        c @ ('\\' | '"' | '\'') => c,
        'u' => {
            let digits = chars.as_str().strip_prefix('{')?;
            let digits = &digits[..digits.find('}')?];
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            chars.nth(digits.len() + 1)?;
            c
        }
        _ => return None,
    })
}
