//! Patterns. Names of variables are told from consts and variants by their spelling; which those are is found out later.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Lit, Pat, RangeLimits};

use super::Parser;
use super::span::{expr_range, path_range};
use crate::ast::{Expr, ExprKind, FieldPattern, Literal, Member, Pattern, ScalarName, SpanRange, TypeExpr, UnaryOp};
use crate::diag::code;

/// The place of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternPlace {
    /// It always matches: a plain name is a variable, however it is spelt.
    Always,
    /// It may not match: a name without small letters is a const or variant.
    Perhaps,
}

impl Parser<'_> {
    /// A pattern with its type, if it is written `pattern: ty`.
    pub(super) fn typed_pattern(&mut self, pat: &Pat, place: PatternPlace) -> (Pattern, Option<TypeExpr>) {
        match pat {
            Pat::Type(typed) => {
                let pattern = self.pattern(&typed.pat, place);
                (pattern, Some(self.variable_ty(&typed.ty)))
            }
            other => (self.pattern(other, place), None),
        }
    }

    /// A parameter of a closure.
    pub(super) fn closure_param(&mut self, pat: &Pat) -> (Pattern, Option<TypeExpr>) {
        match pat {
            Pat::Type(typed) => {
                let pattern = self.pattern(&typed.pat, PatternPlace::Always);
                (pattern, Some(self.variable_ty(&typed.ty)))
            }
            other => (self.pattern(other, PatternPlace::Always), None),
        }
    }

    /// A pattern without a type. After an error: `_`.
    pub(super) fn pattern(&mut self, pat: &Pat, place: PatternPlace) -> Pattern {
        match pat {
            Pat::Ident(ident) if ident.by_ref.is_none() => self.name_pattern(ident, place),
            Pat::Ident(ident) => {
                let span = ident.by_ref.map_or_else(|| ident.ident.span(), |word| word.span);
                let mut name = ident.clone();
                let name = match name.mutability.take() {
                    Some(_) => return Pattern::RefMut(Box::new(self.name_pattern(&name, PatternPlace::Always)), span),
                    None => name,
                };
                Pattern::Ref(Box::new(self.name_pattern(&name, PatternPlace::Always)), span)
            }
            Pat::Paren(paren) => self.pattern(&paren.pat, place),
            Pat::Reference(reference) if reference.mutability.is_none() => {
                Pattern::Reference(Box::new(self.pattern(&reference.pat, place)), reference.and_token.span)
            }
            Pat::Wild(wild) => Pattern::Wild(wild.underscore_token.span),
            Pat::Rest(rest) => Pattern::Rest(rest.dot2_token.spans[0]),
            Pat::Tuple(tuple) => Pattern::Tuple(self.members(&tuple.elems, place), SpanRange::of(pat)),
            Pat::Slice(slice) => {
                let members = self.members(&slice.elems, place);
                Pattern::Slice { id: self.next_expr(), members, span: SpanRange::of(pat) }
            }
            Pat::Or(alternatives) => self.alternatives(alternatives, place),
            Pat::Lit(lit) => self.pattern_literal(&lit.lit).map_or(Pattern::Wild(pat.span()), Pattern::Literal),
            Pat::Range(range) => self.range_pattern(range),
            Pat::Path(path) if path.qself.is_none() => match self.value_path(&path.path) {
                Some(found) => Pattern::Path { id: self.next_expr(), path: found, span: path_range(&path.path) },
                None => Pattern::Wild(pat.span()),
            },
            Pat::TupleStruct(tuple) if tuple.qself.is_none() => {
                let members = self.members(&tuple.elems, place);
                match self.value_path(&tuple.path) {
                    Some(path) => {
                        Pattern::TupleStruct { id: self.next_expr(), path, members, span: SpanRange::of(pat) }
                    }
                    None => Pattern::Wild(pat.span()),
                }
            }
            Pat::Struct(fields) if fields.qself.is_none() => self.struct_pattern(fields, place),
            other => {
                self.unsupported_pattern(other);
                Pattern::Wild(other.span())
            }
        }
    }

    fn name_pattern(&mut self, pat: &syn::PatIdent, place: PatternPlace) -> Pattern {
        let name = pat.ident.clone();
        self.check_hides_no_scatter(&name);
        if let Some(path) = self.imported_pattern(&name) {
            let span = SpanRange::token(name.span());
            return Pattern::Path { id: self.next_expr(), path, span };
        }
        self.forget(&name);
        let is_variable = pat.mutability.is_some() || pat.subpat.is_some() || place == PatternPlace::Always;
        if !is_variable && is_constant_like(&name) {
            self.check_variant(&name);
            let span = SpanRange::token(name.span());
            let path = crate::ast::Path::plain(false, vec![name]);
            return Pattern::Path { id: self.next_expr(), path, span };
        }
        let shared = self.shared_names.iter().rev().find(|(shared, _)| name == shared).map(|(_, binding)| *binding);
        let binding = shared.unwrap_or_else(|| self.next_binding());
        let inner = pat.subpat.as_ref().map(|(_, inner)| Box::new(self.pattern(inner, place)));
        Pattern::Binding { name, mutable: pat.mutability.is_some(), binding, inner }
    }

    fn members<'a>(&mut self, pats: impl IntoIterator<Item = &'a Pat>, place: PatternPlace) -> Vec<Pattern> {
        let members: Vec<Pattern> = pats.into_iter().map(|pat| self.pattern(pat, place)).collect();
        if let Some(second) = members.iter().filter(|member| member.is_rest()).nth(1) {
            self.error(code::BAD_PATTERN, second.span(), "`..` can stand only once in a pattern");
        }
        members
    }

    fn struct_pattern(&mut self, pat: &syn::PatStruct, place: PatternPlace) -> Pattern {
        let fields = pat.fields.iter().map(|field| {
            let member = match &field.member {
                syn::Member::Named(name) => Member::Named(name.clone()),
                syn::Member::Unnamed(index) => Member::Index(index.index, index.span),
            };
            let shorthand = field.colon_token.is_none();
            // `S { X }` binds a variable called `X`.
            let place = if shorthand { PatternPlace::Always } else { place };
            FieldPattern { member, pattern: self.pattern(&field.pat, place), shorthand }
        });
        let fields = fields.collect();
        match self.value_path(&pat.path) {
            Some(path) => {
                let (id, rest) = (self.next_expr(), pat.rest.is_some());
                Pattern::Struct { id, path, fields, rest, span: SpanRange::of(pat) }
            }
            None => Pattern::Wild(pat.span()),
        }
    }

    /// `a | b`: the same names in all of them are the same variables.
    fn alternatives(&mut self, pat: &syn::PatOr, place: PatternPlace) -> Pattern {
        let mut cases = Vec::with_capacity(pat.cases.len());
        let outer = self.shared_names.len();
        let mut first = Vec::new();
        for case in &pat.cases {
            let pattern = self.pattern(case, place);
            let mut names = Vec::new();
            pattern.for_each_binding(&mut |name, binding| names.push((name.clone(), binding)));
            if cases.is_empty() {
                self.shared_names.extend(names.iter().map(|(name, binding)| (name.to_string(), *binding)));
                first = names;
            } else {
                self.check_names(&first, &names, &pattern);
            }
            cases.push(pattern);
        }
        self.shared_names.truncate(outer);
        Pattern::Or(cases, SpanRange::of(pat))
    }

    fn check_names<T>(&mut self, first: &[(Ident, T)], names: &[(Ident, T)], pattern: &Pattern) {
        let missing = first.iter().find(|(name, _)| !names.iter().any(|(other, _)| other == name));
        let extra = names.iter().find(|(name, _)| !first.iter().any(|(other, _)| other == name));
        let (name, span) = match (missing, extra) {
            (Some((name, _)), _) => (name, pattern.span()),
            (None, Some((name, _))) => (name, SpanRange::token(name.span())),
            (None, None) => return,
        };
        let message = format!("the variable `{name}` is not bound in all alternatives");
        self.error(code::BAD_PATTERN, span, message).help("bind the same names on both sides of `|`");
    }

    fn range_pattern(&mut self, range: &syn::ExprRange) -> Pattern {
        let mut end_of = |end: &Option<Box<syn::Expr>>| end.as_ref().map(|end| self.range_end(end));
        let (start, end) = (end_of(&range.start), end_of(&range.end));
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        match (start, end) {
            (Some(None), _) | (_, Some(None)) => Pattern::Wild(range.span()),
            (start, end) => {
                Pattern::Range { start: start.flatten(), end: end.flatten(), inclusive, span: SpanRange::of(range) }
            }
        }
    }

    /// One end of a range; `None` after an error.
    fn range_end(&mut self, end: &syn::Expr) -> Option<Box<Expr>> {
        match end {
            syn::Expr::Lit(lit) => self.pattern_literal(&lit.lit),
            other => {
                let expr = self.expr(other);
                (!matches!(expr.kind, ExprKind::Error)).then(|| Box::new(expr))
            }
        }
    }

    /// A literal, which syn reads together with its sign; `None` after an error.
    fn pattern_literal(&mut self, lit: &Lit) -> Option<Box<Expr>> {
        let span = SpanRange::of(lit);
        let positive = match lit {
            Lit::Int(int) => int.base10_digits().strip_prefix('-').map(|digits| (digits.to_owned(), int.suffix())),
            Lit::Float(float) => {
                float.base10_digits().strip_prefix('-').map(|digits| (digits.to_owned(), float.suffix()))
            }
            _ => None,
        };
        let kind = match positive {
            None if matches!(lit, Lit::ByteStr(_)) => {
                self.unsupported(lit, "byte strings in patterns are", "write an array of bytes: `[b'a', b'b']`");
                return None;
            }
            None => self.literal(lit),
            Some((digits, suffix)) => {
                let suffix = self.suffix(lit, suffix)?;
                let is_float = matches!(lit, Lit::Float(_)) || suffix == Some(ScalarName::F32);
                let literal = if is_float {
                    Literal::Float { text: digits, suffix }
                } else {
                    Literal::Int { value: digits.parse().unwrap_or(u128::MAX), suffix }
                };
                let operand = self.node(ExprKind::Literal(literal), span);
                ExprKind::Unary(UnaryOp::Neg, Box::new(operand))
            }
        };
        let is_error = matches!(kind, ExprKind::Error);
        (!is_error).then(|| Box::new(self.node(kind, span)))
    }

    /// `const { … }` as a pattern, and others that are no part of the language.
    fn unsupported_pattern(&mut self, pat: &Pat) {
        let (what, help) = match pat {
            Pat::Reference(_) => ("reference patterns are", "bind the value: there are no references"),
            Pat::Const(_) => ("`const` blocks in patterns are", "name a `#[device] const`"),
            Pat::Macro(_) => ("macros in patterns are", "write the pattern out"),
            Pat::Guard(_) => ("a guard inside a pattern is", "write the `if` after the whole pattern of a `match` arm"),
            Pat::Type(_) => ("a type inside a pattern is", "write the type of the whole pattern"),
            _ => ("this pattern is", "write names, `_`, literals, ranges, tuples, arrays, structs and variants"),
        };
        self.unsupported(pat.to_token_stream(), what, help);
    }

    /// The expression and the arms of a `match`.
    pub(super) fn match_expr(&mut self, matching: &syn::ExprMatch) -> ExprKind {
        let is_unit = std::mem::take(&mut self.is_unit);
        let scrutinee = self.boxed(&matching.expr);
        if matching.arms.is_empty() {
            self.unsupported(matching.match_token, "a `match` without arms is", "write its arms");
            return ExprKind::Error;
        }
        let arms = matching.arms.iter().map(|arm| {
            self.check_attrs(&arm.attrs);
            let (pat, guard) = match &arm.pat {
                Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
                pat => (pat, None),
            };
            self.scope(|cx| {
                let pattern = cx.pattern(pat, PatternPlace::Perhaps);
                let guard = guard.map(|guard| cx.expr(guard));
                cx.is_unit = is_unit;
                crate::ast::Arm { pattern, guard, body: cx.expr(&arm.body) }
            })
        });
        let arms = arms.collect();
        self.match_element(scrutinee, arms)
    }

    /// `matches!(value, pattern if guard)`: a `match` with two arms.
    pub(super) fn matches_macro(&mut self, call: &syn::Macro) -> Option<ExprKind> {
        let parts = call.parse_body_with(|input: syn::parse::ParseStream<'_>| {
            let value: syn::Expr = input.parse()?;
            input.parse::<syn::Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let guard = if input.peek(syn::Token![if]) {
                input.parse::<syn::Token![if]>()?;
                Some(input.parse::<syn::Expr>()?)
            } else {
                None
            };
            input.parse::<Option<syn::Token![,]>>()?;
            Ok((value, pattern, guard))
        });
        let (value, pattern, guard) = match parts {
            Ok(parts) => parts,
            Err(error) => {
                let message = format!("`matches!` cannot be read: {error}");
                self.error(code::BAD_PATTERN, SpanRange::token(error.span()), message);
                return None;
            }
        };
        let scrutinee = self.boxed(&value);
        let (pattern, guard) = match pattern {
            Pat::Guard(guarded) => (*guarded.pat, Some(*guarded.guard)),
            pattern => (pattern, guard),
        };
        let span = expr_range(&value);
        let (pattern, guard) =
            self.scope(|cx| (cx.pattern(&pattern, PatternPlace::Perhaps), guard.map(|guard| cx.expr(&guard))));
        let yes = crate::ast::Arm { pattern, guard, body: self.bool_literal(true, span) };
        let no =
            crate::ast::Arm { pattern: Pattern::Wild(span.end), guard: None, body: self.bool_literal(false, span) };
        Some(ExprKind::Match { scrutinee, arms: vec![yes, no] })
    }

    fn bool_literal(&mut self, value: bool, span: SpanRange) -> Expr {
        self.node(ExprKind::Literal(Literal::Bool(value)), span)
    }
}

/// Whether a name is written like a const or a variant: `LIMIT`, `None`.
fn is_constant_like(name: &Ident) -> bool {
    name.to_string().trim_start_matches("r#").starts_with(|first: char| first.is_uppercase())
}
