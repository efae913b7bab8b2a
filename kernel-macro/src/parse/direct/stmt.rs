//! Blocks, statements, branches, loops and jumps.

use proc_macro2::{Delimiter, Group, TokenTree};
use syn::parse::Parser as _;

use super::super::expr::to_label;
use super::super::expression_attribute::unroll_of;
use super::super::pat::PatternPlace;
use super::Parser;
use super::cursor::{Cursor, Word};
use crate::ast::{Block, Expr, ExprKind, Label, Pattern, SpanRange, Statement, TypeExpr, TypeKind, Unroll};

impl Parser<'_> {
    pub(super) fn direct_block(&mut self, group: &Group) -> Option<Block> {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut cursor = Cursor::new(&tokens);
        let (mut statements, mut tail) = (Vec::new(), None);
        while !cursor.is_end() {
            if cursor.ident(cursor.at).is_some_and(|word| word == "let") {
                statements.extend(self.direct_let(&mut cursor)?);
                continue;
            }
            let (expr, is_block) = self.direct_statement(&mut cursor)?;
            let semicolon = cursor.take_punct(';').is_some();
            if cursor.is_end() && !semicolon {
                tail = Some(expr);
            } else if semicolon || is_block {
                statements.push(Statement::Expr { expr: *expr, semicolon });
            } else {
                return None;
            }
        }
        Some(Block { statements, tail, span: SpanRange { start: group.span_open(), end: group.span_close() } })
    }

    /// An expression at the beginning of a statement, and whether it needs no semicolon.
    fn direct_statement(&mut self, cursor: &mut Cursor<'_>) -> Option<(Box<Expr>, bool)> {
        if cursor.is_punct(cursor.at, '#') {
            return self.direct_attributed(cursor);
        }
        let begin = cursor.at;
        let is_block = match cursor.peek()? {
            TokenTree::Ident(word) => matches!(Word::of(word).text(), "if" | "match" | "while" | "loop" | "for"),
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == '\'',
            TokenTree::Literal(_) => false,
        };
        if !is_block {
            let expr = self.direct_expr(cursor, true)?;
            // A macro with braces is a statement of its own.
            let is_macro = matches!(cursor.tokens.get(begin + 1), Some(TokenTree::Punct(punct)) if punct.as_char() == '!')
                && cursor.group(begin + 2, Delimiter::Brace).is_some();
            return (!is_macro).then_some((expr, false));
        }
        let word = cursor.ident(begin).map(Word::of);
        let expr = self.direct_control(cursor, word.as_ref())?;
        // The start of a longer expression.
        let goes_on = cursor.is_punct(cursor.at, '.') || cursor.is_punct(cursor.at, '?');
        (!goes_on).then_some((expr, true))
    }

    /// A loop that says how it is to be unrolled.
    fn direct_attributed(&mut self, cursor: &mut Cursor<'_>) -> Option<(Box<Expr>, bool)> {
        cursor.take_punct('#')?;
        let attribute = cursor.take_group(Delimiter::Bracket)?.stream();
        let unroll = unroll_of(&syn::parse2(attribute).ok()?)??;
        let (mut expr, is_block) = self.direct_statement(cursor)?;
        expr.kind.set_unroll(unroll).then_some((expr, is_block))
    }

    fn direct_let(&mut self, cursor: &mut Cursor<'_>) -> Option<Vec<Statement>> {
        let start = cursor.peek()?.span();
        let pattern = cursor.at + 1;
        let pattern_end = end_of_pattern(cursor, pattern)?;
        let ty_end = match cursor.is_punct(pattern_end, ':') {
            true => (pattern_end + 1..cursor.tokens.len())
                .find(|at| cursor.is_punct(*at, '=') || cursor.is_punct(*at, ';'))?,
            false => pattern_end,
        };
        cursor.at = ty_end;
        let value = match cursor.take_punct('=') {
            Some(_) => Some(*self.direct_expr(cursor, true)?),
            None => None,
        };
        let otherwise = match cursor.ident(cursor.at) {
            Some(word) if word == "else" && value.is_some() => {
                cursor.at += 1;
                self.else_blocks += 1;
                let block = self.direct_block(cursor.take_group(Delimiter::Brace)?);
                self.else_blocks -= 1;
                Some(Box::new(block?))
            }
            _ => None,
        };
        let span = SpanRange { start, end: cursor.take_punct(';')? };
        // Last: a binding is not in scope in its own initialiser.
        let place = if otherwise.is_some() { PatternPlace::Perhaps } else { PatternPlace::Always };
        let pattern = self.direct_pattern(&cursor.tokens[pattern..pattern_end], place)?;
        let ty = match ty_end > pattern_end {
            true => Some(Box::new(self.direct_type(&cursor.tokens[pattern_end + 1..ty_end])?)),
            false => None,
        };
        Some(self.let_else((pattern, ty), value, otherwise, span))
    }

    fn direct_pattern(&mut self, tokens: &[TokenTree], place: PatternPlace) -> Option<Pattern> {
        let (mutable, name) = match tokens {
            [TokenTree::Ident(name)] if place == PatternPlace::Always => (false, Some(name)),
            [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "mut" => (true, Some(name)),
            _ => (false, None),
        };
        if let Some(name) = name {
            return match Word::of(name).text() {
                "_" if !mutable => Some(Pattern::Wild(name.span())),
                "_" | "true" | "false" | "self" | "Self" | "crate" | "super" => None,
                _ => {
                    let binding = self.next_binding();
                    Some(Pattern::Binding { name: name.clone(), mutable, binding, inner: None })
                }
            };
        }
        let tokens = tokens.iter().cloned().collect();
        let pattern = syn::Pat::parse_multi_with_leading_vert.parse2(tokens).ok()?;
        Some(self.pattern(&pattern, place))
    }

    fn direct_type(&mut self, tokens: &[TokenTree]) -> Option<TypeExpr> {
        match tokens {
            [TokenTree::Ident(name)] => {
                if let Some(ty) = self.named_type(name) {
                    return Some(ty);
                }
            }
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut cursor = Cursor::new(&inner);
                if let [TokenTree::Ident(name), TokenTree::Punct(punct), ..] = inner.as_slice()
                    && punct.as_char() == ';'
                    && let Some(element) = self.named_type(name)
                {
                    cursor.at = 2;
                    let len = self.direct_expr(&mut cursor, true)?;
                    let kind = TypeKind::Array { element: Box::new(element), len };
                    let tokens = TokenTree::from(group.clone()).into();
                    let span = SpanRange::token(group.span());
                    return cursor.is_end().then_some(TypeExpr { kind, span, tokens });
                }
            }
            _ => {}
        }
        let ty = syn::parse2(tokens.iter().cloned().collect()).ok()?;
        Some(self.variable_ty(&ty))
    }

    /// A statement that begins with a keyword, a label or braces. `word` is the text of the first token.
    pub(super) fn direct_control(&mut self, cursor: &mut Cursor<'_>, word: Option<&Word>) -> Option<Box<Expr>> {
        let begin = cursor.at;
        let start = cursor.peek()?.span();
        let label = match cursor.peek()? {
            TokenTree::Punct(_) => Some(direct_label(cursor)?),
            _ => None,
        };
        if label.is_some() {
            cursor.take_punct(':')?;
        }
        let behind = label.as_ref().and(cursor.ident(cursor.at)).map(Word::of);
        let word = if label.is_some() { behind.as_ref() } else { word };
        let at = cursor.at;
        cursor.at += usize::from(word.is_some());
        let (kind, end) = match word.map(Word::text) {
            None => {
                let group = cursor.take_group(Delimiter::Brace)?;
                (ExprKind::Block { label, block: self.direct_block(group)? }, group.span())
            }
            Some("loop") => {
                let group = cursor.take_group(Delimiter::Brace)?;
                (ExprKind::Loop { label, body: self.direct_block(group)?, unroll: Unroll::Auto }, group.span())
            }
            Some("while") => {
                let braces = cursor.find_braces(cursor.at)?;
                if has_let(&cursor.tokens[at..braces]) {
                    cursor.at = braces + 1;
                    return self.expr_by_syn(&cursor.tokens[begin..cursor.at]);
                }
                let condition = self.direct_expr(cursor, false)?;
                let group = cursor.take_group(Delimiter::Brace)?;
                (
                    ExprKind::While { label, condition, body: self.direct_block(group)?, unroll: Unroll::Auto },
                    group.span(),
                )
            }
            Some("for") => self.direct_for(cursor, label)?,
            Some("if") if label.is_none() => return self.direct_if(cursor, at),
            Some("match") if label.is_none() => {
                cursor.at = cursor.find_braces(cursor.at)? + 1;
                return self.expr_by_syn(&cursor.tokens[begin..cursor.at]);
            }
            Some(jump) if label.is_none() => {
                let (kind, end) = self.direct_jump(cursor, jump)?;
                (kind, end.unwrap_or(start))
            }
            Some(_) => return None,
        };
        Some(self.direct(kind, SpanRange { start, end }))
    }

    /// `if` at `begin`, of which the cursor stands behind the keyword.
    fn direct_if(&mut self, cursor: &mut Cursor<'_>, begin: usize) -> Option<Box<Expr>> {
        let start = cursor.tokens[begin].span();
        let braces = cursor.find_braces(cursor.at)?;
        if has_let(&cursor.tokens[begin..braces]) {
            cursor.at = end_of_branches(cursor, braces)?;
            return self.expr_by_syn(&cursor.tokens[begin..cursor.at]);
        }
        let condition = self.direct_expr(cursor, false)?;
        let group = cursor.take_group(Delimiter::Brace)?;
        let then_block = self.direct_block(group)?;
        let (mut else_expr, mut end) = (None, group.span());
        if cursor.ident(cursor.at).is_some_and(|word| word == "else") {
            cursor.at += 1;
            let otherwise = match cursor.peek()? {
                TokenTree::Group(_) => self.direct_control(cursor, None)?,
                TokenTree::Ident(word) if word == "if" => {
                    cursor.at += 1;
                    self.direct_if(cursor, cursor.at - 1)?
                }
                _ => return None,
            };
            end = otherwise.span.end;
            else_expr = Some(otherwise);
        }
        Some(self.direct(ExprKind::If { condition, then_block, else_expr }, SpanRange { start, end }))
    }

    fn direct_for(
        &mut self,
        cursor: &mut Cursor<'_>,
        label: Option<Box<Label>>,
    ) -> Option<(ExprKind, proc_macro2::Span)> {
        let pattern = cursor.at;
        let is_in = |at: &usize| cursor.ident(*at).is_some_and(|word| word == "in");
        let pattern_end = (pattern..cursor.tokens.len()).find(is_in)?;
        cursor.at = pattern_end + 1;
        let iterated = self.direct_expr(cursor, false)?;
        let group = cursor.take_group(Delimiter::Brace)?;
        let pattern = self.direct_pattern(&cursor.tokens[pattern..pattern_end], PatternPlace::Always)?;
        let body = self.direct_block(group)?;
        Some((ExprKind::For { label, pattern: Box::new(pattern), iterated, body, unroll: Unroll::Auto }, group.span()))
    }

    /// `break`, `continue` or `return`, and its last token if there is more than the keyword.
    fn direct_jump(&mut self, cursor: &mut Cursor<'_>, word: &str) -> Option<(ExprKind, Option<proc_macro2::Span>)> {
        let label = match word != "return" && cursor.is_punct(cursor.at, '\'') {
            true => Some(direct_label(cursor)?),
            false => None,
        };
        let is_end = cursor.is_end() || cursor.is_punct(cursor.at, ';') || cursor.is_punct(cursor.at, ',');
        let value = match is_end || word == "continue" {
            true => None,
            false => Some(self.direct_expr(cursor, true)?),
        };
        let end =
            value.as_ref().map(|value| value.span.end).or(label.as_ref().map(|label| label.lifetime.ident.span()));
        let kind = match word {
            "break" => ExprKind::Break { label, value },
            "continue" => ExprKind::Continue { label },
            "return" => {
                self.returns_early = true;
                ExprKind::Return(value)
            }
            _ => return None,
        };
        Some((kind, end))
    }
}

/// `'name`
fn direct_label(cursor: &mut Cursor<'_>) -> Option<Box<Label>> {
    let apostrophe = cursor.take_punct('\'')?;
    let ident = cursor.ident(cursor.at)?.clone();
    cursor.at += 1;
    Some(to_label(&syn::Lifetime { apostrophe, ident }))
}

/// The end of the pattern of a `let`: its type, its value or the semicolon.
fn end_of_pattern(cursor: &Cursor<'_>, mut at: usize) -> Option<usize> {
    loop {
        match cursor.tokens.get(at)? {
            TokenTree::Punct(punct) => match punct.as_char() {
                ':' if cursor.is_colons(at) => at += 1,
                // `..=`
                '=' if cursor.is_punct(at - 1, '.') => {}
                ':' | '=' | ';' => return Some(at),
                _ => {}
            },
            TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Literal(_) => {}
        }
        at += 1;
    }
}

/// Behind the last block of an `if` whose first block is at `braces`.
fn end_of_branches(cursor: &Cursor<'_>, mut braces: usize) -> Option<usize> {
    while cursor.ident(braces + 1).is_some_and(|word| word == "else") {
        braces = match cursor.group(braces + 2, Delimiter::Brace) {
            Some(_) => return Some(braces + 3),
            None => cursor.find_braces(braces + 2)?,
        };
    }
    Some(braces + 1)
}

fn has_let(tokens: &[TokenTree]) -> bool {
    tokens.iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "let"))
}
