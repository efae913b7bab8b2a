//! `assert!`, `panic!`, `println!`, `dbg!` and their like: the author's own call in the original, records in the twin.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Ident, Literal, Span};

use super::{Renderer, local};
use crate::ast::{Expr, MacroCall, MacroKind, PrintTarget};
use crate::emit::tokens::{Tokens, tokens, tokens_at};
use crate::program::message::{Arg, MessageParts, compared, dbg_message, message_of, unwrap_message, word_count};
use crate::typed::Ty;

impl Renderer<'_> {
    /// A call of a macro that kernels have.
    pub(super) fn macro_call(&mut self, call: &MacroCall, whole: &Expr) -> Tokens {
        if self.is_original() {
            return self.original_call(call, whole);
        }
        let tokens = match call.kind {
            MacroKind::Assert => {
                let conditions: Vec<_> = call.operands.iter().map(|condition| self.bare(condition)).collect();
                let panic = self.panic_call(call, whole, &[]);
                tokens!(if !(#(#conditions)*) { #panic })
            }
            MacroKind::AssertEq | MacroKind::AssertNe => {
                let Some([left, right]) = compared(call).map(|sides| sides.map(|side| self.bare(side))) else {
                    return tokens!();
                };
                let names = [local("__left"), local("__right")].map(Ident::from);
                let panic = self.panic_call(call, whole, &names);
                let [a, b] = names;
                let op = if call.kind == MacroKind::AssertEq { tokens!(==) } else { tokens!(!=) };
                tokens!(match (#left, #right) { (#a, #b) => if !(#a #op #b) { #panic } })
            }
            MacroKind::Panic(_) => self.panic_call(call, whole, &[]),
            MacroKind::Print { target: PrintTarget::Out, .. } => {
                self.print_call(SiteKind::Print, message_of(call), call, whole, &[])
            }
            MacroKind::Print { target: PrintTarget::Error, .. } => {
                self.print_call(SiteKind::PrintError, message_of(call), call, whole, &[])
            }
            MacroKind::Dbg => self.dbg_call(call, whole),
            MacroKind::Unwrap { bad } => self.unwrap_call(call, bad, whole),
        };
        if call.debug { tokens!(if ::core::cfg!(debug_assertions) { #tokens }) } else { tokens }
    }

    fn original_call(&mut self, call: &MacroCall, whole: &Expr) -> Tokens {
        if let (MacroKind::Unwrap { .. }, [operand]) = (call.kind, call.operands.as_slice()) {
            let (value, name) = (self.expr(operand), &call.name);
            let message = call.message.as_ref().map(|message| &message.literal);
            return tokens!(#value.#name(#message));
        }
        let mut args: Vec<Tokens> = match compared(call).filter(|_| call.kind != MacroKind::Assert) {
            Some(sides) if call.kind != MacroKind::Dbg => sides.map(|side| self.bare(side)).into(),
            _ => call.operands.iter().map(|operand| self.bare(operand)).collect(),
        };
        if let Some(message) = &call.message {
            let literal = &message.literal;
            args.push(tokens!(#literal));
            for arg in message.args.iter().filter(|arg| !arg.is_captured) {
                let value = self.bare(&arg.value);
                args.push(match &arg.name {
                    Some(name) => tokens!(#name = #value),
                    None => value,
                });
            }
        }
        let path = &call.path;
        tokens_at!(whole.span.start=> #path!(#(#args),*))
    }

    fn unwrap_call(&mut self, call: &MacroCall, bad: bool, whole: &Expr) -> Tokens {
        let [operand] = call.operands.as_slice() else { return tokens!() };
        let (value, ty) = (self.bare(operand), self.expr_ty(operand));
        let (name, other) = (local("__value"), Ident::from(local("__other")));
        let is_unknown = *ty == Ty::Error && !bad;
        let text = match is_unknown {
            true => unknown_text(call, &other),
            false => self.text(unwrap_message(call, ty), call, std::slice::from_ref(&other)),
        };
        let (sink, site) = (self.sink(), self.site_at(SiteKind::Panic, call.name.span(), whole));
        let twin = self.twin();
        let panic = tokens!(#twin::TrapSink::panic(#sink, #site, #text));
        let (option, result) = (tokens!(::core::option::Option), tokens!(::core::result::Result));
        match ty {
            Ty::Option(_) => {
                let none = option.copy();
                tokens!(match #value { #option::Some(#name) => #name, #none::None => #panic })
            }
            _ => {
                let value = match is_unknown {
                    true => {
                        let twin = self.twin();
                        tokens!(#twin::generic::Unwrapped::found(#value))
                    }
                    false => value,
                };
                let (again, [wanted, unwanted]) = (
                    result.copy(),
                    if bad { ["Err", "Ok"] } else { ["Ok", "Err"] }.map(|name| Ident::new(name, Span::call_site())),
                );
                tokens!(match #value { #result::#wanted(#name) => #name, #again::#unwanted(#other) => #panic })
            }
        }
    }

    fn panic_call(&mut self, call: &MacroCall, whole: &Expr, known: &[Ident]) -> Tokens {
        let text = self.text(message_of(call), call, known);
        let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::Panic, whole));
        tokens!(#twin::TrapSink::panic(#sink, #site, #text))
    }

    fn print_call(
        &mut self,
        kind: SiteKind,
        parts: MessageParts<'_>,
        call: &MacroCall,
        whole: &Expr,
        known: &[Ident],
    ) -> Tokens {
        let words = parts.args.iter().map(|(_, arg)| word_count(self.program, arg.ty(self.typed))).sum::<u32>();
        let text = self.text(parts, call, known);
        let (twin, sink, site) = (self.twin(), self.sink(), self.site(kind, whole));
        tokens!(#twin::TrapSink::print(#sink, #site, #words, #text))
    }

    /// `format_args!(…)`; `known` are the names of arguments evaluated before.
    fn text(&mut self, parts: MessageParts<'_>, call: &MacroCall, known: &[Ident]) -> Tokens {
        let mut format = Literal::string(&parts.format);
        format.set_span(call.message.as_ref().map_or(call.name.span(), |message| message.literal.span()));
        let mut known = known.iter();
        let mut args = Vec::new();
        for (name, arg) in &parts.args {
            let value = match arg {
                Arg::Own(expr) => self.bare(expr),
                Arg::Known(_) | Arg::Part(_) => {
                    let name = known.next();
                    tokens!(#name)
                }
            };
            args.push(match name {
                Some(name) => tokens!(#name = #value),
                None => value,
            });
        }
        tokens!(::core::format_args!(#format, #(#args),*))
    }

    fn dbg_call(&mut self, call: &MacroCall, whole: &Expr) -> Tokens {
        if call.operands.is_empty() {
            return self.print_call(SiteKind::PrintError, dbg_message(whole, None), call, whole, &[]);
        }
        let name = Ident::from(local("__value"));
        let mut members = Vec::new();
        for operand in &call.operands {
            let value = self.bare(operand);
            let parts = dbg_message(whole, Some(operand));
            let print = self.print_call(SiteKind::PrintError, parts, call, whole, std::slice::from_ref(&name));
            members.push(tokens!(match #value { #name => { #print; #name } }));
        }
        match members.pop() {
            Some(member) if members.is_empty() => member,
            last => {
                members.extend(last);
                tokens!((#(#members,)*))
            }
        }
    }
}

/// The message of an `unwrap` or `expect` in a generic function, where the value may be an option or a result.
fn unknown_text(call: &MacroCall, other: &Ident) -> Tokens {
    let text = match &call.message {
        Some(message) => {
            let literal = &message.literal;
            tokens!(#other.expect(#literal))
        }
        None => tokens!(#other.unwrap()),
    };
    tokens!(::core::format_args!("{}", #text))
}
