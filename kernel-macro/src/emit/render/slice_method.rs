//! Methods of arrays and slices in what runs on the host: Rust's own on what the invocation has to itself, those of `Slice` and
//! `SliceMut` on what others reach too.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::Ident;

use super::reference::referent;
use super::{Renderer, local};
use crate::ast::{Expr, ExprKind, MethodCall};
use crate::builtin::slice::SliceMethod;
use crate::emit::tokens::{Tokens, tokens};

impl Renderer<'_> {
    /// `receiver.first()` and its like.
    pub(super) fn slice_method(&mut self, method: SliceMethod, call: MethodCall<'_>) -> Tokens {
        let MethodCall { expr: whole, receiver, name, args } = call;
        if let SliceMethod::SplitAt { mutable } = method {
            let (slice, middle) = (self.slice(receiver, mutable), args.first().map(|middle| self.expr(middle)));
            let (sink, site) = (self.sink(), self.site(SiteKind::Panic, whole));
            return tokens!(#slice.split_at(#sink, #site, #middle));
        }
        match method {
            SliceMethod::SplitAtChecked => {
                let (slice, middle) = (self.slice(receiver, false), args.first().map(|middle| self.expr(middle)));
                return tokens!(#slice.split_at_checked(#middle));
            }
            SliceMethod::Remainder => {
                let parts = self.expr(receiver);
                return tokens!(#parts.remainder());
            }
            SliceMethod::SplitEnd { .. } => {
                let slice = self.slice(receiver, false);
                return tokens!(#slice.#name());
            }
            SliceMethod::AsChunks { .. } | SliceMethod::SplitChunk { .. } => {
                let (slice, len) = (self.slice(receiver, false), chunk_len(whole));
                return tokens!(#slice.#name #len ());
            }
            SliceMethod::EndChunk { .. } => {
                let (native, len) = (self.native_slice(receiver), chunk_len(whole));
                return match native {
                    Some(slice) => tokens!(#slice.#name #len ().copied()),
                    None => {
                        let slice = self.slice(receiver, false);
                        tokens!(#slice.#name #len ())
                    }
                };
            }
            SliceMethod::GetPart { mutable } => return self.get_part(receiver, &args[0], mutable),
            SliceMethod::Map | SliceMethod::MapLanes => {
                let value = self.expr(receiver);
                let call = self.bare(self.typed.argument(whole, 0, &args[0]));
                return tokens!(#value.#name(#call));
            }
            SliceMethod::PartitionPoint | SliceMethod::Search | SliceMethod::SearchBy | SliceMethod::SearchByKey => {
                return self.search(method, receiver, name, args, whole);
            }
            _ => {}
        }
        if let (SliceMethod::StartsWith | SliceMethod::EndsWith, Some(arg)) = (method, args.first()) {
            let (twin, values, part) = (self.twin(), self.elements(receiver), self.elements(arg));
            return tokens!(#twin::#name(#values, #part));
        }
        if method.writes() {
            return self.writing_method(method, call);
        }
        let native = self.native_slice(receiver);
        let is_native = native.is_some();
        let slice = native.unwrap_or_else(|| self.slice(receiver, false));
        let arg = args.first().map(|arg| self.expr(referent(arg)));
        match (method, is_native) {
            (SliceMethod::Contains, true) => tokens!(#slice.contains(&(#arg))),
            (SliceMethod::Contains, false) => {
                let (values, needle, element) = (local("__values"), local("__needle"), local("__element"));
                tokens!({
                    let (mut #values, #needle) = (#slice.values(), #arg);
                    #values.any(|#element| #element == #needle)
                })
            }
            (_, true) => tokens!(#slice.#name(#arg).copied()),
            (SliceMethod::Get, false) => tokens!(#slice.at(#arg)),
            (SliceMethod::Last, false) => tokens!(#slice.last()),
            (_, false) => tokens!(#slice.at(0)),
        }
    }

    /// `receiver.get(a..b)`
    fn get_part(&mut self, receiver: &Expr, range: &Expr, mutable: bool) -> Tokens {
        let slice = self.slice(receiver, mutable);
        let mut range = range;
        while let ExprKind::Paren(inner, ..) = &range.kind {
            range = inner;
        }
        let ExprKind::Range { start, end, inclusive } = &range.kind else {
            let ends = self.range_ends(range);
            let (start, end) = (local("__start"), local("__end"));
            return tokens!(match #ends { (#start, #end) => #slice.get_part(#start, #end) });
        };
        let start = self.expr(start);
        match end.as_deref().map(|end| self.expr(end)) {
            Some(end) if *inclusive => {
                tokens!(#slice.get_part(#start, ::core::option::Option::Some(::core::primitive::usize::wrapping_add(#end, 1))))
            }
            Some(end) => tokens!(#slice.get_part(#start, ::core::option::Option::Some(#end))),
            None => tokens!(#slice.get_part(#start, ::core::option::Option::None)),
        }
    }

    /// `partition_point`, `binary_search` and its like.
    fn search(&mut self, method: SliceMethod, receiver: &Expr, name: &Ident, args: &[Expr], whole: &Expr) -> Tokens {
        let native = self.native_slice(receiver);
        let (values, index, twin) = (local("__values"), local("__index"), self.twin());
        let at = match native {
            Some(_) => tokens!(#values.get(#index).copied()),
            None => tokens!(#values.at(#index)),
        };
        let slice = native.unwrap_or_else(|| self.slice(receiver, false));
        let has_key = matches!(method, SliceMethod::Search | SliceMethod::SearchByKey);
        let mut given = Vec::new();
        for (position, arg) in args.iter().enumerate() {
            given.push(match has_key && position == 0 {
                true => self.expr(referent(arg)),
                false => self.bare(self.typed.argument(whole, position, arg)),
            });
        }
        tokens!({
            let #values = #slice;
            #twin::#name(#values.len(), |#index: usize| #at, #(#given),*)
        })
    }

    fn writing_method(&mut self, method: SliceMethod, call: MethodCall<'_>) -> Tokens {
        let MethodCall { expr: whole, receiver, name, args } = call;
        let native = self.native_slice_mut(receiver);
        let is_native = native.is_some();
        let slice = native.unwrap_or_else(|| self.slice(receiver, true));
        let (twin, sink) = (self.twin(), self.sink());
        match method {
            SliceMethod::Swap => {
                let site = self.site(SiteKind::IndexOutOfBounds, whole);
                let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
                match is_native {
                    true => tokens!(#twin::swap(#sink, #site, #slice, #(#args),*)),
                    false => tokens!(#slice.swap(#sink, #site, #(#args),*)),
                }
            }
            SliceMethod::Rotate { .. } => {
                let site = self.site(SiteKind::Panic, whole);
                let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
                match is_native {
                    true => tokens!(#twin::#name(#sink, #site, #slice, #(#args),*)),
                    false => tokens!(#slice.#name(#sink, #site, #(#args),*)),
                }
            }
            SliceMethod::CopyFrom => {
                let site = self.site(SiteKind::Panic, whole);
                let values = args.first().map(|arg| self.elements(arg));
                match is_native {
                    true => tokens!(#twin::copy_from(#sink, #site, #slice, #values)),
                    false => tokens!(#slice.copy_from(#sink, #site, #values)),
                }
            }
            _ => {
                let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
                tokens!(#slice.#name(#(#args),*))
            }
        }
    }
}

/// The length of arrays that a method makes, as written.
fn chunk_len(call: &Expr) -> Option<&proc_macro2::TokenStream> {
    match &call.kind {
        ExprKind::Method { turbofish, .. } => turbofish.as_ref().map(|turbofish| &turbofish.tokens),
        _ => None,
    }
}
