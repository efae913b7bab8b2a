//! Operands: literals, paths, groups, and what stands behind them.

use proc_macro2::{Delimiter, Group, Ident, TokenTree};

use super::Parser;
use super::cursor::{Cursor, Operator, Word};
use crate::ast::{Expr, ExprKind, Literal, Member, Path, SpanRange};

impl Parser<'_> {
    /// An operand with fields, calls, indices and question marks behind it.
    pub(super) fn direct_postfix(&mut self, cursor: &mut Cursor<'_>, structs: bool) -> Option<Box<Expr>> {
        let begin = (cursor.at, self.exprs, self.bindings);
        let mut expr = self.direct_operand(cursor, structs)?;
        loop {
            let start = expr.span.start;
            match cursor.peek() {
                Some(TokenTree::Punct(punct)) if punct.as_char() == '.' => {
                    if let (Operator::Range { .. }, _) = cursor.operator() {
                        return Some(expr);
                    }
                    cursor.at += 1;
                    expr = self.direct_member(cursor, begin, expr)?;
                }
                Some(TokenTree::Punct(punct)) if punct.as_char() == '?' => {
                    cursor.at += 1;
                    self.returns_early = true;
                    expr = self.direct(ExprKind::Try(expr), SpanRange { start, end: punct.span() });
                }
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
                    cursor.at += 1;
                    let index =
                        self.direct_only(group).filter(|index| !matches!(index.kind, ExprKind::Range { .. }))?;
                    let kind = ExprKind::Index { base: expr, index };
                    expr = self.direct(kind, SpanRange { start, end: group.span() });
                }
                // Of anything but a name.
                Some(TokenTree::Group(group)) if group.delimiter() != Delimiter::Brace => return None,
                _ => return Some(expr),
            }
        }
    }

    /// The member behind a dot; `begin` is the beginning of the whole operand, and the number of ids before it.
    fn direct_member(
        &mut self,
        cursor: &mut Cursor<'_>,
        begin: (usize, usize, usize),
        base: Box<Expr>,
    ) -> Option<Box<Expr>> {
        let start = base.span.start;
        let name = match cursor.peek()? {
            TokenTree::Ident(name) => name,
            TokenTree::Literal(literal) => {
                let member = Member::Index(literal.to_string().parse().ok()?, literal.span());
                cursor.at += 1;
                let kind = ExprKind::Field { base, member };
                return Some(self.direct(kind, SpanRange { start, end: literal.span() }));
            }
            _ => return None,
        };
        cursor.at += 1;
        let word = Word::of(name);
        if cursor.is_colons(cursor.at) {
            skip_generics(cursor)?;
            cursor.take_group(Delimiter::Parenthesis)?;
            return self.operand_again(cursor, begin);
        }
        let Some(group) = cursor.take_group(Delimiter::Parenthesis) else {
            let kind = ExprKind::Field { base, member: Member::Named(name.clone()) };
            let span = SpanRange { start, end: name.span() };
            return (word.text() != "await").then(|| self.direct(kind, span));
        };
        if matches!(word.text(), "unwrap" | "unwrap_err" | "expect" | "expect_err") {
            return self.operand_again(cursor, begin);
        }
        let args = self.direct_list(group)?;
        let kind = self.method_of(base, name.clone(), None, args);
        Some(self.direct(kind, SpanRange { start, end: group.span() }))
    }

    /// An operand that only turned out to be for syn when part of it was read.
    fn operand_again(&mut self, cursor: &Cursor<'_>, begin: (usize, usize, usize)) -> Option<Box<Expr>> {
        (self.exprs, self.bindings) = (begin.1, begin.2);
        self.expr_by_syn(&cursor.tokens[begin.0..cursor.at])
    }

    fn direct_operand(&mut self, cursor: &mut Cursor<'_>, structs: bool) -> Option<Box<Expr>> {
        match cursor.peek()? {
            TokenTree::Literal(literal) => {
                cursor.at += 1;
                let kind = self.direct_literal(literal);
                Some(self.direct(kind, SpanRange::token(literal.span())))
            }
            TokenTree::Group(group) => match group.delimiter() {
                Delimiter::Parenthesis => {
                    cursor.at += 1;
                    let kind = self.direct_parens(group)?;
                    Some(self.direct(kind, SpanRange::token(group.span())))
                }
                Delimiter::Bracket => {
                    cursor.at += 1;
                    let kind = self.direct_array(group)?;
                    Some(self.direct(kind, SpanRange::token(group.span())))
                }
                Delimiter::Brace if structs => self.direct_control(cursor, None),
                Delimiter::Brace | Delimiter::None => None,
            },
            TokenTree::Punct(punct) => match punct.as_char() {
                ':' => self.direct_path(cursor, structs),
                '\'' => self.direct_control(cursor, None),
                '|' if structs => self.direct_closure(cursor),
                _ => None,
            },
            TokenTree::Ident(ident) => self.direct_word(cursor, ident, structs),
        }
    }

    fn direct_word(&mut self, cursor: &mut Cursor<'_>, ident: &Ident, structs: bool) -> Option<Box<Expr>> {
        let word = Word::of(ident);
        match word.text() {
            "true" | "false" => {
                cursor.at += 1;
                let kind = ExprKind::Literal(Literal::Bool(word.text() == "true"));
                Some(self.direct(kind, SpanRange::token(ident.span())))
            }
            "if" | "while" | "loop" | "for" | "match" | "break" | "continue" | "return" => {
                self.direct_control(cursor, Some(&word))
            }
            "move" if structs => self.direct_closure(cursor),
            "as" | "async" | "await" | "const" | "do" | "dyn" | "else" | "enum" | "extern" | "fn" | "impl" | "in"
            | "let" | "mod" | "move" | "mut" | "pub" | "ref" | "static" | "struct" | "trait" | "try" | "type"
            | "unsafe" | "use" | "where" | "yield" | "_" => None,
            "self" | "Self" if !self.owned => None,
            _ => self.direct_path(cursor, structs),
        }
    }

    /// A path, and what a path can begin: a call, a macro, a struct.
    fn direct_path(&mut self, cursor: &mut Cursor<'_>, structs: bool) -> Option<Box<Expr>> {
        let begin = cursor.at;
        let start = cursor.peek()?.span();
        let leading_colon = cursor.is_colons(begin);
        cursor.at += 2 * usize::from(leading_colon);
        // Most are names.
        let (mut segments, mut is_generic) = (Vec::with_capacity(1), false);
        let end = loop {
            let segment = cursor.ident(cursor.at)?;
            segments.push(segment.clone());
            cursor.at += 1;
            if !cursor.is_colons(cursor.at) {
                break segment.span();
            }
            if cursor.is_punct(cursor.at + 2, '<') {
                is_generic = true;
                skip_generics(cursor)?;
                if !cursor.is_colons(cursor.at) {
                    break segment.span();
                }
            }
            cursor.at += 2;
        };
        let span = SpanRange { start, end };
        match cursor.peek() {
            Some(TokenTree::Punct(punct)) if punct.as_char() == '!' && !is_generic => {
                if let Some(TokenTree::Group(_)) = cursor.tokens.get(cursor.at + 1) {
                    cursor.at += 2;
                    let call = syn::parse2(cursor.tokens[begin..cursor.at].iter().cloned().collect()).ok()?;
                    return Some(Box::new(self.macro_call(&call)));
                }
            }
            Some(TokenTree::Group(group)) => {
                let is_shared = segments.iter().rev().nth(1).is_some_and(|owner| owner == "Shared")
                    || segments.last().is_some_and(|name| name == "from_slice");
                let is_struct = group.delimiter() == Delimiter::Brace;
                if (is_struct && structs) || (group.delimiter() == Delimiter::Parenthesis && (is_shared || is_generic))
                {
                    cursor.at += 1;
                    return self.expr_by_syn(&cursor.tokens[begin..cursor.at]);
                }
                if group.delimiter() == Delimiter::Parenthesis {
                    cursor.at += 1;
                    let args = self.direct_list(group)?;
                    let callee = Path::plain(leading_colon, segments);
                    let kind = ExprKind::Call { callee, callee_span: span, args };
                    return Some(self.direct(kind, SpanRange { start, end: group.span() }));
                }
            }
            _ => {}
        }
        if is_generic {
            return self.expr_by_syn(&cursor.tokens[begin..cursor.at]);
        }
        Some(self.direct(ExprKind::Path(Path::plain(leading_colon, segments)), span))
    }

    /// A closure: up to the next comma or semicolon behind its parameters.
    fn direct_closure(&mut self, cursor: &mut Cursor<'_>) -> Option<Box<Expr>> {
        let begin = cursor.at;
        cursor.at += usize::from(cursor.ident(begin).is_some());
        cursor.take_punct('|')?;
        while cursor.take_punct('|').is_none() {
            cursor.at += 1;
            if cursor.is_end() {
                return None;
            }
        }
        while !cursor.is_end() && !cursor.is_punct(cursor.at, ',') && !cursor.is_punct(cursor.at, ';') {
            cursor.at += 1;
        }
        self.expr_by_syn(&cursor.tokens[begin..cursor.at])
    }

    fn direct_literal(&mut self, literal: &proc_macro2::Literal) -> ExprKind {
        let text = literal.to_string();
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_digits(&text)
            && let Ok(value) = text.parse()
        {
            return ExprKind::Literal(Literal::Int { value, suffix: None });
        }
        if text.split_once('.').is_some_and(|(whole, part)| is_digits(whole) && is_digits(part)) {
            return ExprKind::Literal(Literal::Float { text, suffix: None });
        }
        self.literal(&syn::Lit::new(literal.clone()))
    }

    /// The operand in parentheses: a tuple, or one expression without a comma behind it.
    fn direct_parens(&mut self, group: &Group) -> Option<ExprKind> {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut cursor = Cursor::new(&tokens);
        let mut members = Vec::new();
        while !cursor.is_end() {
            let member = self.direct_expr(&mut cursor, true)?;
            if members.is_empty() && cursor.is_end() {
                return Some(ExprKind::Paren(member));
            }
            members.push(*member);
            if cursor.take_punct(',').is_none() && !cursor.is_end() {
                return None;
            }
        }
        Some(ExprKind::Tuple(members))
    }

    fn direct_array(&mut self, group: &Group) -> Option<ExprKind> {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut cursor = Cursor::new(&tokens);
        let mut elements = Vec::new();
        while !cursor.is_end() {
            elements.push(*self.direct_expr(&mut cursor, true)?);
            if elements.len() == 1 && cursor.take_punct(';').is_some() {
                let len = self.direct_expr(&mut cursor, true)?;
                let element = Box::new(elements.pop()?);
                return cursor.is_end().then_some(ExprKind::Repeat { element, len });
            }
            if cursor.take_punct(',').is_none() && !cursor.is_end() {
                return None;
            }
        }
        Some(ExprKind::Array(elements))
    }

    /// The only expression in a group.
    pub(super) fn direct_only(&mut self, group: &Group) -> Option<Box<Expr>> {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut cursor = Cursor::new(&tokens);
        let expr = self.direct_expr(&mut cursor, true)?;
        cursor.is_end().then_some(expr)
    }
}

/// Steps over `::<…>`.
fn skip_generics(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.at += 2;
    let mut depth = 0;
    loop {
        match cursor.peek()? {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => depth -= 1,
            _ if depth == 0 => return None,
            // `->` in the type of a function.
            TokenTree::Punct(punct) if punct.as_char() == '-' => return None,
            _ => {}
        }
        cursor.at += 1;
        if depth == 0 {
            return Some(());
        }
    }
}
