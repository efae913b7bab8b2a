//! Blocks and statements. An error in one statement leaves the others readable.

use syn::Stmt;
use syn::spanned::Spanned;

use super::Parser;
use super::element_chain::written_elements_let;
use super::found_pair::written_pair_let;
use super::pat::PatternPlace;
use super::statics::const_of_static;
use crate::ast::{Block, Expr, LocalConst, SpanRange, Statement};

impl Parser<'_> {
    /// A block that has no value.
    pub(super) fn unit_block(&mut self, block: &syn::Block) -> Block {
        self.is_unit = true;
        self.block(block)
    }

    pub(super) fn block(&mut self, block: &syn::Block) -> Block {
        let is_unit = std::mem::take(&mut self.is_unit);
        let mut statements = Vec::new();
        let mut tail = None;
        let last = block.stmts.len().wrapping_sub(1);
        let imports = self.imports.len();
        let around = (self.slices.clone(), self.arrays.clone(), self.chains.clone(), self.roots.clone());
        let writers = self.writers.len();
        self.import_all(&block.stmts);
        for (position, statement) in block.stmts.iter().enumerate() {
            match statement {
                Stmt::Expr(expr, None) if position == last => {
                    self.is_unit = is_unit;
                    tail = Some(Box::new(self.expr(expr)));
                }
                // A macro at the end may have a value: `dbg!(x)`, or none ever: `panic!()`.
                Stmt::Macro(call) if position == last && call.semi_token.is_none() => {
                    tail = Some(Box::new(self.macro_call(&call.mac)));
                }
                Stmt::Local(local) => {
                    if let Some(expr) = self.chosen(local, &block.stmts[position + 1..]) {
                        tail = Some(Box::new(expr));
                        break;
                    }
                    let unwrapped = self.unwrapped_let(local);
                    let local = unwrapped.as_ref().unwrap_or(local);
                    let slices = self.slices_of(local);
                    match written_pair_let(local).or_else(|| written_elements_let(local)).or_else(|| self.split(local))
                    {
                        Some(lets) => lets.iter().for_each(|local| statements.extend(self.let_statement(local))),
                        None => statements.extend(self.let_statement(local)),
                    }
                    self.slices.extend(slices);
                    self.note_hidden_parameters(&local.pat);
                    self.note_kind(local);
                    self.note_root(local);
                }
                other => statements.extend(self.statement(other)),
            }
        }
        self.imports.truncate(imports);
        (self.slices, self.arrays, self.chains, self.roots) = around;
        self.writers.truncate(writers);
        let span = SpanRange { start: block.brace_token.span.open(), end: block.brace_token.span.close() };
        Block { statements, tail, span, safety: None }
    }

    /// A statement that is not the block's value; `None` when an error leaves nothing of it.
    fn statement(&mut self, statement: &Stmt) -> Option<Statement> {
        match statement {
            Stmt::Local(_) => None,
            Stmt::Expr(expr, semicolon) => {
                let loops = if semicolon.is_some() { self.call_statement(expr) } else { None };
                self.is_unit = loops.is_none() && semicolon.is_none();
                Some(loops.unwrap_or_else(|| Statement::Expr { expr: self.expr(expr), semicolon: semicolon.is_some() }))
            }
            Stmt::Item(syn::Item::Static(item)) if const_of_static(item).is_some() => {
                let item = const_of_static(item)?;
                self.statement(&Stmt::Item(syn::Item::Const(item)))
            }
            Stmt::Item(syn::Item::Const(item)) if item.generics.params.is_empty() && item.ident != "_" => {
                let tokens = quote::ToTokens::to_token_stream(item);
                let (ty, value) = (self.const_ty(&item.ty), self.expr(&item.expr));
                Some(Statement::Const(Box::new(LocalConst { name: item.ident.clone(), ty, value, tokens })))
            }
            Stmt::Item(syn::Item::Use(item)) => Some(Statement::Use(quote::ToTokens::to_token_stream(item))),
            Stmt::Item(item) => {
                self.unsupported_item(item);
                None
            }
            Stmt::Macro(call) => {
                let expr = self.macro_call(&call.mac);
                Some(Statement::Expr { expr, semicolon: true })
            }
        }
    }

    /// A call that is loops, and has no value; `None` for any other expression.
    pub(super) fn call_statement(&mut self, expr: &syn::Expr) -> Option<Statement> {
        self.sorting(expr).or_else(|| self.slice_statement(expr))
    }

    fn let_statement(&mut self, local: &syn::Local) -> Vec<Statement> {
        self.check_attrs(&local.attrs);
        let value = local.init.as_ref().map(|init| self.expr(&init.expr));
        self.else_blocks += 1;
        let otherwise =
            local.init.as_ref().and_then(|init| init.diverge.as_ref()).map(|(_, otherwise)| match &**otherwise {
                syn::Expr::Block(block) => Box::new(self.block(&block.block)),
                other => {
                    let tail = Some(self.boxed(other));
                    Box::new(Block { statements: Vec::new(), tail, span: SpanRange::of(other), safety: None })
                }
            });
        self.else_blocks -= 1;
        let place = if otherwise.is_some() { PatternPlace::Perhaps } else { PatternPlace::Always };
        // After the value: a binding is not in scope in its own initialiser.
        let (pattern, ty) = self.typed_pattern(&local.pat, place);
        let span = SpanRange { start: local.let_token.span, end: local.semi_token.span };
        self.let_else((pattern, ty.map(Box::new)), value, otherwise, span)
    }

    /// Items among a function's own statements were moved before it was read.
    fn unsupported_item(&mut self, item: &syn::Item) {
        const APART: &str = "write it among the function's own statements, with a name that its module does not have, or outside with `#[device]`";
        let (what, help, span) = match item {
            syn::Item::Fn(item) => ("functions inside functions are", APART, item.sig.ident.span()),
            syn::Item::Const(item) => {
                ("consts inside functions are", "move it out and mark it `#[device]`", item.const_token.span)
            }
            syn::Item::Static(item) => {
                ("a `static` that changes is", "use a `#[device] const`, or pass a buffer", item.static_token.span)
            }
            syn::Item::Struct(item) => ("structs inside functions are", APART, item.struct_token.span),
            syn::Item::Macro(item) => {
                ("macros are", "write the code out, or call a `#[device] fn`", item.mac.path.span())
            }
            syn::Item::Enum(item) => ("enums inside functions are", APART, item.enum_token.span),
            syn::Item::Type(item) => ("type aliases are", "write the type itself", item.type_token.span),
            syn::Item::Impl(item) => ("`impl` inside functions is", "write it beside the type", item.impl_token.span),
            other => ("items inside functions are", "move it out of the function", other.span()),
        };
        self.unsupported(proc_macro2::Ident::new("item", span), what, help);
    }

    /// A macro call.
    pub(super) fn macro_call(&mut self, call: &syn::Macro) -> Expr {
        if call.path.is_ident("matches") {
            return match self.matches_macro(call) {
                Some(kind) => Expr { id: self.next_expr(), kind, span: SpanRange::of(call) },
                None => self.error_expr(call),
            };
        }
        match self.known_macro(call) {
            Some(expr) => expr,
            None => self.unsupported_macro(call),
        }
    }

    fn unsupported_macro(&mut self, call: &syn::Macro) -> Expr {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let help = match name.as_str() {
            "format" | "write" | "writeln" | "format_args" => {
                "there are no strings on the device: `println!` and `panic!` take a format string and arguments"
            }
            "asm" | "global_asm" | "naked_asm" => {
                "there is no assembly: use operators and methods, each of which is one instruction where the device has it"
            }
            "include_str" | "include_bytes" | "include" => "load it on the host and pass a buffer",
            "env" | "option_env" | "concat" | "stringify" | "file" | "module_path" => {
                "there are no strings on the device"
            }
            "line" | "column" => "write the number",
            "compile_error" => "put it outside of the function",
            "static_assertions" | "const_assert" => "write `const _: () = assert!(…);` outside of the function",
            "vec" => "use an array `[value; N]`",
            _ => "write the code out, or call a `#[device] fn`",
        };
        let (path, bang) = (&call.path, &call.bang_token);
        let what = format!("the macro `{name}!` is");
        self.unsupported(quote::quote!(#path #bang), &what, help);
        self.error_expr(call)
    }
}
