//! A position among tokens, and what operator stands there. Knows no grammar beyond operators.

use std::fmt::{self, Write};

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenTree};

use crate::ast::BinaryOp;

/// The text of a word that may be a keyword; of a longer one, nothing.
pub(super) struct Word {
    bytes: [u8; Self::LONGEST],
    len: usize,
}

impl Word {
    const LONGEST: usize = 12;

    pub(super) fn of(ident: &Ident) -> Self {
        let mut word = Self { bytes: [0; Self::LONGEST], len: 0 };
        if write!(word, "{ident}").is_err() {
            word.len = 0;
        }
        word
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl Write for Word {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// A position among the tokens between two delimiters.
pub(super) struct Cursor<'t> {
    pub(super) tokens: &'t [TokenTree],
    pub(super) at: usize,
}

/// The operator between operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Binary(BinaryOp),
    /// `+=` and its like.
    AssignOp(BinaryOp),
    Assign,
    /// `..`, or with an equals sign behind it.
    Range {
        inclusive: bool,
    },
    /// Nothing that joins operands.
    Other,
}

impl<'t> Cursor<'t> {
    pub(super) const fn new(tokens: &'t [TokenTree]) -> Self {
        Self { tokens, at: 0 }
    }

    pub(super) const fn is_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn peek(&self) -> Option<&'t TokenTree> {
        self.tokens.get(self.at)
    }

    pub(super) fn ident(&self, at: usize) -> Option<&'t Ident> {
        match self.tokens.get(at)? {
            TokenTree::Ident(ident) => Some(ident),
            _ => None,
        }
    }

    fn punct(&self, at: usize) -> Option<&'t Punct> {
        match self.tokens.get(at)? {
            TokenTree::Punct(punct) => Some(punct),
            _ => None,
        }
    }

    /// Whether this character stands there, whatever follows.
    pub(super) fn is_punct(&self, at: usize, character: char) -> bool {
        self.punct(at).is_some_and(|punct| punct.as_char() == character)
    }

    /// Whether `::` stands there.
    pub(super) fn is_colons(&self, at: usize) -> bool {
        self.punct(at).is_some_and(|punct| punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
            && self.is_punct(at + 1, ':')
    }

    pub(super) fn group(&self, at: usize, delimiter: Delimiter) -> Option<&'t Group> {
        match self.tokens.get(at)? {
            TokenTree::Group(group) if group.delimiter() == delimiter => Some(group),
            _ => None,
        }
    }

    /// Steps over a group.
    pub(super) fn take_group(&mut self, delimiter: Delimiter) -> Option<&'t Group> {
        let group = self.group(self.at, delimiter)?;
        self.at += 1;
        Some(group)
    }

    /// Steps over a character.
    pub(super) fn take_punct(&mut self, character: char) -> Option<Span> {
        let punct = self.punct(self.at).filter(|punct| punct.as_char() == character)?;
        self.at += 1;
        Some(punct.span())
    }

    /// The position of the first pair of braces from `at` on.
    pub(super) fn find_braces(&self, at: usize) -> Option<usize> {
        (at..self.tokens.len()).find(|at| self.group(*at, Delimiter::Brace).is_some())
    }

    /// The operator here, as long as possible, and of how many characters.
    pub(super) fn operator(&self) -> (Operator, usize) {
        let mut characters = ['\0'; 3];
        for (offset, character) in characters.iter_mut().enumerate() {
            let Some(punct) = self.punct(self.at + offset) else { break };
            *character = punct.as_char();
            if punct.spacing() == Spacing::Alone {
                break;
            }
        }
        let op = |character| {
            Some(match character {
                '+' => BinaryOp::Add,
                '-' => BinaryOp::Sub,
                '*' => BinaryOp::Mul,
                '/' => BinaryOp::Div,
                '%' => BinaryOp::Rem,
                '^' => BinaryOp::BitXor,
                '&' => BinaryOp::BitAnd,
                '|' => BinaryOp::BitOr,
                '<' => BinaryOp::Lt,
                '>' => BinaryOp::Gt,
                _ => return None,
            })
        };
        match characters {
            ['<', '<', '='] => (Operator::AssignOp(BinaryOp::Shl), 3),
            ['>', '>', '='] => (Operator::AssignOp(BinaryOp::Shr), 3),
            ['.', '.', '='] => (Operator::Range { inclusive: true }, 3),
            ['.', '.', '.'] => (Operator::Other, 3),
            ['.', '.', _] => (Operator::Range { inclusive: false }, 2),
            ['&', '&', _] => (Operator::Binary(BinaryOp::And), 2),
            ['|', '|', _] => (Operator::Binary(BinaryOp::Or), 2),
            ['=', '=', _] => (Operator::Binary(BinaryOp::Eq), 2),
            ['!', '=', _] => (Operator::Binary(BinaryOp::Ne), 2),
            ['<', '=', _] => (Operator::Binary(BinaryOp::Le), 2),
            ['>', '=', _] => (Operator::Binary(BinaryOp::Ge), 2),
            ['<', '<', _] => (Operator::Binary(BinaryOp::Shl), 2),
            ['>', '>', _] => (Operator::Binary(BinaryOp::Shr), 2),
            ['-' | '=', '>', _] => (Operator::Other, 2),
            [first, '=', _] if op(first).is_some() => (op(first).map_or(Operator::Other, Operator::AssignOp), 2),
            ['=', ..] => (Operator::Assign, 1),
            [first, ..] => (op(first).map_or(Operator::Other, Operator::Binary), 1),
        }
    }
}
