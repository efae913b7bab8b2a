//! Methods of images in what runs on the host.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Ident, Span};

use super::Renderer;
use super::reference::referent;
use crate::ast::{Expr, MethodCall, Pattern};
use crate::builtin::image::ImageMethod;
use crate::emit::tokens::{Tokens, tokens};
use crate::typed::Ty;

impl Renderer<'_> {
    /// `let layer = &mut layers[k];` in what runs on the host, where an image is a value.
    pub(super) fn image_let(&mut self, pattern: &Pattern, value: Option<&Expr>) -> Option<Tokens> {
        let (Pattern::Binding { name, binding, inner: None, .. }, Some(value)) = (pattern, value) else { return None };
        if self.is_original() || !matches!(self.typed.binding(*binding), Ty::Image(_)) {
            return None;
        }
        let image = self.expr(referent(value));
        Some(tokens!(let #name = #image;))
    }

    /// `image.load(at)` and its like.
    pub(super) fn image_method(&mut self, method: ImageMethod, call: MethodCall<'_>) -> Tokens {
        let MethodCall { expr: whole, receiver, name, args } = call;
        let receiver = self.expr(receiver);
        let args: Vec<_> = args.iter().map(|arg| self.bare(arg)).collect();
        match method.checked() {
            Some(checked) => {
                let checked = Ident::new(checked, Span::call_site());
                let (sink, site) = (self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
                tokens!(#receiver.#checked(#sink, #site, #(#args),*))
            }
            None => tokens!(#receiver.#name(#(#args),*)),
        }
    }
}
